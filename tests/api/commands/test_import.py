"""`tabularium import`: its output, its refusals, and the state that it leaves."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import open_archive
from api.imports import taking
from api.imports.ready import stream_id_of
from events.store.sqlite import SqliteStore

KEYS = {
    *("file", "match_id", "dialect", "length", "games", "rolls", "score", "claimed_score"),
    *("result", "findings", "lost"),
}


def entries(database: Path) -> int:
    archive = open_archive(f"sqlite:///{database}", read_only=True)
    try:
        return sum(head.size for head in archive.store.logs())
    finally:
        archive.close()


def test_a_match_is_imported_and_told_in_one_line(run, match_file: Path) -> None:
    ran = run("import", match_file)
    assert ran.out.splitlines() == [
        "✓ lantern.mat  a2642bff  gnubg-mat  3 points  2 games  21 rolls  3-0  player one wins"
        "  1 note",
        "1 match imported into log imports (2 games, 21 rolls, 1 finding, 0 remarks)",
    ]


def test_json_has_the_agreed_members(run, match_file: Path) -> None:
    ran = run("import", "--json", match_file)
    [result] = ran.lines
    assert set(result) == KEYS
    assert result["file"] == str(match_file)
    assert result["dialect"] == "gnubg-mat"
    assert result["length"] == 3
    assert (result["games"], result["rolls"]) == (2, 21)
    assert result["score"] == result["claimed_score"] == {"one": 3, "two": 0}
    assert result["result"] == {
        "winner": "one",
        "points": 2,
        "claimed_points": 2,
        "ended": "match",
    }
    assert [finding["code"] for finding in result["findings"]] == ["ended-by-claim"]
    assert "imported" in ran.err


def test_the_same_file_changes_nothing_the_second_time(run, match_file: Path, database) -> None:
    [first] = run("import", "--json", match_file).lines
    size = entries(database)
    copy = match_file.with_name("another name.txt")
    copy.write_bytes(match_file.read_bytes())
    [again, copied] = run("import", "--json", match_file, copy).lines
    assert set(again) == KEYS | {"already"}
    assert again["already"] is copied["already"] is True
    assert first["match_id"] == again["match_id"] == copied["match_id"]
    assert {**again, "already": None} == {**first, "already": None}
    assert entries(database) == size


def test_the_match_id_tells_log_and_file(run, match_file: Path) -> None:
    [one] = run("import", "--json", match_file).lines
    [other] = run("import", "--json", "--log", "club-2026", match_file).lines
    assert one["match_id"] != other["match_id"]
    assert one["match_id"][14] == "8"
    assert stream_id_of("imports", "0" * 64, 1) != stream_id_of("imports", "0" * 64, 2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 40, "known format"),
        (b"RGMH" + bytes(400), "cut off"),
        (b"no match in here, only words\n" * 20, "known format"),
        (b" 3 point match\n\n Game 1\n A : 0   B : 0\n 1) 31: \x00 8/5\n", "control"),
        (b" 3 point match\n\n", "no game; copy it once more"),
    ],
)
def test_what_is_no_match_file_is_refused(run, tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "thing.mat"
    path.write_bytes(content)
    [result] = run("import", "--json", path, exit_code=1).lines
    assert set(result) == {"file", "refused"}
    assert set(result["refused"]) == {"reason", "line", "game"}
    assert reason in result["refused"]["reason"]


def test_a_text_that_cites_a_match_is_no_record_of_it(run, match_file: Path) -> None:
    readme = match_file.rename(match_file.with_name("README.md"))
    [result] = run("import", "--json", readme, exit_code=1).lines
    assert "--format mat" in result["refused"]["reason"]
    [result] = run("import", "--json", "--format", "mat", readme).lines
    assert result["games"] == 2


def test_a_file_cut_off_in_a_play_is_kept_up_to_its_last_roll(run, match_file: Path) -> None:
    # Cut inside the last play of game 2, row 6.
    whole = match_file.read_text("utf-8")
    match_file.write_text(whole[: whole.index("13/7 9/3") + 3], "utf-8")
    ran = run("import", "-v", match_file)
    assert "2 games" in ran.out
    assert "the file is cut off inside a" in ran.out + ran.err


def test_a_file_cut_off_before_its_first_roll_leaves_nothing_behind(
    run, match_file: Path, database: Path
) -> None:
    whole = match_file.read_text("utf-8")
    match_file.write_text(whole[: whole.index(" 1) ")], "utf-8")
    ran = run("import", match_file, exit_code=1)
    assert "the file is cut off at the beginning of a game" in ran.out
    archive = open_archive(f"sqlite:///{database}", read_only=True)
    try:
        heads = {
            head.log_id: len(archive.store.streams(head.log_id)) for head in archive.store.logs()
        }
    finally:
        archive.close()
    assert heads == {"archive": 1}


def test_a_huge_file_is_refused_without_being_read(run, tmp_path: Path) -> None:
    path = tmp_path / "huge.mat"
    with path.open("wb") as file:
        file.truncate(3_000_000_000)
    [result] = run("import", "--json", path, exit_code=1).lines
    assert "larger than" in result["refused"]["reason"]


def test_refused_files_do_not_stop_the_others(run, match_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "a.mat"
    bad.write_text("nothing", "utf-8")
    ran = run("import", bad, tmp_path / "missing.mat", match_file, exit_code=1)
    assert [line[0] for line in ran.out.splitlines()] == ["✗", "✗", "✓", "1"]
    assert ran.out.splitlines()[-1].endswith("; 2 refused")


def test_a_folder_gives_its_match_files(run, match_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "season" / "spring"
    folder.mkdir(parents=True)
    (folder / "one.MAT").write_bytes(match_file.read_bytes())
    (folder / "two.txt").write_bytes(match_file.read_bytes().replace(b"Omar", b"Emil"))
    (folder / "notes.pdf").write_bytes(b"%PDF")
    assert len(run("import", "--json", tmp_path / "season").lines) == 2
    (folder / "final").write_bytes(match_file.read_bytes())
    (folder / "board.xgp").write_bytes(b"RGMH")
    (folder / ".hidden").write_bytes(b"")
    (folder / "packed.zip").write_bytes(b"PK")
    (folder / "again").symlink_to(tmp_path)
    assert run("import", tmp_path / "season").err.splitlines() == [
        "left out: 1 file of formats that are not read (.zip)",
        "left out: 3 files with other endings (none, .pdf, .xgp);"
        " a file that is named itself is read",
        "left out: 1 link to folders; name what they lead to",
    ]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no file in these folders" in run("import", empty, exit_code=2).err


def test_what_is_named_like_a_match_and_is_no_file_is_told(
    run, match_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "season"
    folder.mkdir()
    match_file.rename(folder / "z.mat")
    (folder / "gone.mat").symlink_to(tmp_path / "nowhere.mat")
    os.mkfifo(folder / "pipe.txt")
    gone, pipe, match = run("import", "--json", folder, exit_code=1).lines
    assert gone["refused"]["reason"] == "it is a link, and there is no file where it leads"
    assert pipe["refused"]["reason"] == "it is neither a file nor a folder; name one of these"
    assert match["games"] == 2


def test_what_nobody_may_look_at_is_refused_and_the_others_go_on(
    run, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "season"
    (folder / "closed").mkdir(parents=True)
    match_file.rename(folder / "z.mat")
    scan, look, opens = os.scandir, Path.stat, taking._open_at_once

    def refused(path: object) -> None:
        # As the system refuses it; the user who runs the tests may have access everywhere.
        if "closed" in Path(os.fsdecode(path)).parts:  # type: ignore[arg-type]
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    def scanned(path: Any) -> Any:
        refused(path)
        return scan(path)

    def looked(path: Path, **more: Any) -> os.stat_result:
        if path.name != "closed":
            refused(path)
        return look(path, **more)

    def opened(path: str, flags: int) -> int:
        refused(path)
        return opens(path, flags)

    monkeypatch.setattr(os, "scandir", scanned)
    monkeypatch.setattr(Path, "stat", looked)
    monkeypatch.setattr(taking, "_open_at_once", opened)
    ran = run("import", "--json", folder, folder / "closed" / "a.mat", exit_code=1)
    told = {one["file"]: one.get("refused") for one in ran.lines}
    reasons = {file: one and one["reason"] for file, one in told.items()}
    assert reasons == {
        str(folder / "z.mat"): None,
        str(folder / "closed"): "it cannot be read: Permission denied",
        str(folder / "closed" / "a.mat"): "it cannot be read: Permission denied",
    }


def test_imports_are_private_unless_told_otherwise(run, match_file: Path) -> None:
    run("import", match_file)
    run("import", "--public", "--log", "open", match_file)
    assert {row["log_id"]: row["public"] for row in run("matches", "--json").lines} == {
        "imports": False,
        "open": True,
    }


def test_names_are_in_no_sealed_byte(run, match_file: Path, database: Path) -> None:
    run("import", match_file)
    archive = open_archive(f"sqlite:///{database}", read_only=True)
    try:
        sealed = [row.sealed for row in archive.store.read_log("imports")]
    finally:
        archive.close()
    assert sealed
    assert not [row for row in sealed if b"Ida" in row or b"Omar" in row or b"lantern" in row]


def test_a_name_cannot_steer_the_terminal(run, match_file: Path) -> None:
    text = match_file.read_text("utf-8").replace("Ida Berg", "Id\x9b31m[b]g")
    match_file.write_text(text, "utf-8")
    ran = run("import", match_file, exit_code=None)
    run("matches", exit_code=None)
    assert "\x9b" not in ran.out + run("matches").out
    assert "[b]g" in run("matches").out


def test_a_file_name_of_any_bytes(run, match_file: Path) -> None:
    name = os.fsdecode(b"caf\xe9 [x].mat")
    path = match_file.with_name(name)
    path.write_bytes(match_file.read_bytes())
    [result] = run("import", "--json", path).lines
    assert result["file"].endswith("caf\N{REPLACEMENT CHARACTER} [x].mat")
    assert "caf\N{REPLACEMENT CHARACTER} [x].mat" in run("import", path).out


def test_wrong_usage_ends_with_2(run, match_file: Path) -> None:
    run("import", exit_code=2)
    assert (
        "--format is one of auto" in run("import", "--format", "pgn", match_file, exit_code=2).err
    )
    assert "own grants" in run("import", "--log", "archive", match_file, exit_code=2).err
    assert "is no log id" in run("import", "--log", "Not An Id", match_file, exit_code=2).err
    assert "is no database" in run("import", "--db", "mysql://x/y", match_file, exit_code=2).err


def test_remarks_are_told_on_demand(run, match_file: Path) -> None:
    text = match_file.read_text("utf-8").replace("31: 8/5 6/5\n", "31: 8/5* 6/5\n", 1)
    match_file.write_text(text, "utf-8")
    ran = run("import", "--verbose", match_file)
    assert "1 remark" in ran.out
    assert "lantern.mat line 8: star-without-hit" in ran.err


def test_beside_a_writer_that_is_no_server_it_says_who_holds_the_archive(
    run, match_file: Path, database: Path
) -> None:
    run("import", match_file)
    archive = open_archive(f"sqlite:///{database}")
    try:
        ran = run("import", match_file, exit_code=2)
        assert f"process {os.getpid()} is writing to this archive" in ran.err
        assert "stop it" in ran.err
        # A command that only reads does not have to wait.
        assert len(run("matches", "--json").lines) == 1
        run("show", "a2642bff")
        run("replay", "a2642bff")
        run("export", "a2642bff")
        run("fsck")
        assert "is writing to it" in run("doctor").out
    finally:
        archive.close()


def test_a_server_that_does_not_answer_is_named(run, match_file: Path, database: Path) -> None:
    run("import", match_file)
    archive = open_archive(f"sqlite:///{database}")
    try:
        assert isinstance(archive.store, SqliteStore)
        archive.operator_token()
        archive.store.lock.describe(url="http://127.0.0.1:9")
        ran = run("import", match_file, exit_code=2)
        assert "the server at http://127.0.0.1:9 does not answer" in ran.err
    finally:
        archive.close()


def test_two_hands_with_the_same_file_make_one_match(match_file: Path, sqlite_url: str) -> None:
    from api.imports.bulk import Bulk
    from api.imports.preparing import Order
    from api.imports.taking import LocalTaker

    archive = open_archive(sqlite_url)
    barrier = threading.Barrier(4)
    results = []

    def take() -> None:
        bulk = Bulk(LocalTaker(archive), Order(log_id="imports"), rereads_known=True)
        barrier.wait(30)
        results.extend(result for file in bulk.run([match_file]) for result in file)

    try:
        hands = [threading.Thread(target=take) for _ in range(4)]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join(60)
        assert sorted(result.already for result in results) == [False, True, True, True]
        assert len(archive.store.streams("imports")) == 2
    finally:
        archive.close()


@pytest.mark.gate
def test_postgresql_takes_the_same_commands(run, match_file: Path, postgres_url: str) -> None:
    db = ("--db", postgres_url)
    [result] = run("import", "--json", match_file, *db).lines
    assert result["score"] == {"one": 3, "two": 0}
    assert run("import", "--json", match_file, *db).lines[0]["already"]
    assert "Ida Berg" in run("matches", *db).out
    assert "Ida Berg" in run("show", "a264", *db).out
    assert "cannot play" in run("replay", "a264", *db).out
    assert "3 point match" in run("export", "a264", *db).out
    assert "all as sealed" in run("fsck", *db).out
    assert "PostgreSQL answers" in run("doctor", *db).out
    assert run("grant", "--role", "viewer", *db).out.startswith("token  ")
