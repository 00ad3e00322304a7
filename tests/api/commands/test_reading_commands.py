"""`matches`, `show`, `replay`, `export`, `fsck`: what the archive gives back."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
from pathlib import Path
from typing import get_args

import pytest
from msgspec import structs

from api.archive.archive import open_archive
from api.archive.index.rows import Stage, damaged_row
from api.commands.matches import stage_of
from api.exchange.readers import read_file
from api.exchange.sealed import jsonl
from api.html.texts import LANGUAGES, texts_of
from events.payloads.match import MatchCancelled
from events.store.address import FileAddress
from events.store.still import opened_to_read

MATCH_KEYS = {
    *("log_id", "match_id", "names", "event", "length", "score", "games", "state", "winner"),
    *("won_by", "version", "rule_set", "findings", "questions", "public", "dialect"),
}
LINE_KEYS = {
    *("version", "tag", "seat", "dice", "play", "checkers", "position_id", "score", "cube"),
    *("on_roll", "to_act", "turn_open", "clock", "findings"),
}
FINDING_KEYS = {
    *("code", "rule_set", "section", "version", "seat", "message", "said", "ambiguity"),
    *("verified", "ruling_required", "answered_by"),
}


def test_turns_are_searched_by_their_board_and_refused_in_words(run, imported: str) -> None:
    assert run("index", "--json").lines == [{"matches": 1, "turns": 22}]
    found = run("search", "4HPwATDgc/ABMA", "--json").lines
    assert [one["dice"] for one in found] == [[4, 2], [3, 1]]
    assert {one["match"]["match_id"] for one in found} == {imported}
    [dropped] = run("search", "--double", "dropped", "--away", "3-3", "--json").lines
    assert dropped["match"]["players"]["one"] == ["Ida Berg"]
    told = run("search", "4HPwATDgc/ABMA", "--dice", "31", "--player", "lund")
    assert "4HPwATDgc/ABMA  31  3-3 away, cube 1  Ida Berg - Omar Lund" in told.out
    for wrong in (["nonsense"], [], ["--dice", "77"], ["--away", "x"], ["--like", "far"]):
        run("search", *wrong, exit_code=2)
    assert "no turn" in run("search", "--dice", "31", "--player", "nobody").err
    # Digits to Python, and no number; a day that would be held against others letter by letter.
    assert "written as 3-5" in run("search", "--away", "\N{SUPERSCRIPT TWO}-5", exit_code=2).err
    for option in ("--since", "--until"):
        told = run("search", "--dice", "31", option, "01/02/2026", exit_code=2).err
        assert f"{option} takes a day, as 2026-01-31" in told


def test_the_stream_of_a_tournament_is_no_match(run, imported: str) -> None:
    for command in (("show",), ("replay",), ("judge",), ("export", "--format", "mat"), ("film",)):
        told = run(*command, "tournament", "--log", "imports", exit_code=2).err
        assert "no match has an id that begins with 'tournament'" in told, command


def test_a_match_in_two_files_is_searched_once(run, imported: str, tmp_path: Path) -> None:
    file = tmp_path / "copy.sgf"
    run("export", imported, "-o", file)
    [copy] = run("import", "--json", file).lines
    assert copy["match_id"] != imported
    found = run("search", "4HPwATDgc/ABMA", "--json").lines
    assert {one["match"]["match_id"] for one in found} == {imported}
    assert len(found) == 2
    other = run("search", "--log", "imports", "--dice", "31", "--json").lines
    assert {one["match"]["match_id"] for one in other} == {imported}


def test_replies_are_counted_step_by_step_and_refused_in_words(run, imported: str) -> None:
    [found] = run("explore", "--json").lines
    assert [one["dice"] for one in found["rolls"]] == [[3, 1], [4, 2]]
    [roll] = found["rolls"][:1]
    play = roll["replies"][0]["play"]
    second = run("explore", "31", play).out
    assert second.splitlines()[0].endswith("1 game")
    assert run("explore", "31", play, second[:2], "--player", "Nobody at all", exit_code=2)
    mine = [run("explore", "--player", name, "--json").lines for name in ("Ida Berg", "Omar Lund")]
    games = [sum(roll["games"] for roll in one["rolls"]) for [one] in mine]
    assert sum(games) == sum(roll["games"] for roll in found["rolls"])
    told = run("player", "Ida Berg").out
    assert "against   Omar Lund" in told
    assert run("player", "Ida Berg", "--json").lines[0]["matches"] == 1
    assert run("player", "ida berg").out == told
    joined = run("join", "Ida Berg", "Omar Lund", "--json").lines
    assert run("join", "--json").lines == joined
    assert run("player", "Omar Lund", "--json").lines[0]["also"] == ["Omar Lund"]
    assert "no longer" in run("split", "Omar Lund").out
    assert run("join").out == ""
    run("join", "Ida Berg", exit_code=2)
    run("split", "Omar Lund", exit_code=1)
    assert "no match has a player" in run("player", "Nobody at all", exit_code=2).err
    for wrong in (["77"], ["31", "", "64"], ["--length", "x"], ["--rules", "none"]):
        run("explore", *wrong, exit_code=2)
    assert "what was played" in run("explore", "31", "1/1", exit_code=1).err


def test_no_archive_yet_says_how_to_make_one(run, database: Path) -> None:
    for arguments in (["matches"], ["show", "x"], ["replay", "x"], ["export", "x"], ["fsck"]):
        ran = run(*arguments, exit_code=2)
        assert "there is no archive at" in ran.err
        assert "tabularium import FILE.mat" in ran.err
        assert ran.out == ""
    assert not database.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["erase", "Ida Berg"],
        ["erase", "Ida Berg", "--yes"],
        ["film", "x", "--link", "https://films.example/1"],
        ["join", "Ida Berg", "I. Berg"],
        ["pack", "x", "--out", "pack.zip"],
        ["unseal", "x", "--out", "names"],
        ["keys", "rotate", "imports"],
        ["grant", "--role", "viewer", "--match", "x"],
    ],
)
def test_what_acts_on_an_archive_makes_none_where_its_path_is_mistyped(
    run, database: Path, arguments: list[str]
) -> None:
    # "Nobody is called so" of an archive that was just made would be believed of the real one.
    assert "there is no archive at" in run(*arguments, exit_code=2).err
    assert not database.exists()


def test_a_database_that_cannot_be_opened_says_whose_it_may_be(run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    said = run("token", "--db", folder, exit_code=2).err
    assert "may this user read and write it and its folder? Give the command as the user" in said


def test_a_missing_driver_is_said_to_who_has_a_clone_and_to_who_has_the_wheel(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    # A test before may have loaded what has the driver already.
    for name in ("events.store.postgres", "migrations.owning"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for command in ("matches", "doctor"):
        ran = run(command, "--db", "postgresql://127.0.0.1/x", exit_code=2)
        assert "uv sync --extra postgresql" in ran.out + ran.err
        assert "pip install 'tabularium-backgammon[postgresql]'" in ran.out + ran.err


def test_a_log_without_a_key_is_not_said_to_have_one(run, database: Path) -> None:
    assert "no log imports has a key" in run("keys", "retire", "imports", exit_code=2).err
    assert not database.exists()


def test_an_empty_archive_has_a_friendly_list(run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mat"
    bad.write_text("nothing", "utf-8")
    run("import", bad, exit_code=1)
    ran = run("matches")
    assert ran.out == ""
    assert ran.err == "no matches yet: `tabularium import FILE.mat` brings some in\n"
    assert "nowhere" in run("matches", "--log", "nowhere", exit_code=2).err


def test_the_list_in_columns_and_as_json(run, imported: str) -> None:
    ran = run("matches")
    assert ran.out == (
        "a2642bff  imports      3 pt    3-0  Ida Berg - Omar Lund  (Ida Berg won, 1 finding)\n"
    )
    [row] = run("matches", "--json").lines
    assert set(row) == MATCH_KEYS
    assert row["match_id"] == imported
    assert row["names"] == {"one": "Ida Berg", "two": "Omar Lund"}
    assert row["event"] == "Lantern Cup"
    assert row["score"] == {"one": 3, "two": 0}
    assert (row["state"], row["winner"], row["games"]) == ("ended", "one", 2)


def test_a_match_whose_file_breaks_off_is_listed_as_unfinished_and_no_match_as_live(
    run, match_file: Path, tmp_path: Path
) -> None:
    whole = match_file.read_text("utf-8")
    broken = tmp_path / "broken.mat"
    broken.write_text(whole[: whole.index("Game 2")], "utf-8")
    run("import", broken)
    listed = run("matches").out
    assert "  Ida Berg - Omar Lund  (unfinished" in listed
    assert "live" not in listed
    [row] = run("matches", "--json").lines
    assert (row["state"], row["winner"]) == ("live", None)


def test_a_match_that_was_cancelled_is_listed_and_shown_as_that(
    run, imported: str, database: Path
) -> None:
    archive = open_archive(str(database))
    try:
        archive.append("imports", imported, [archive.draft(MatchCancelled())])
    finally:
        archive.close()
    assert "Ida Berg - Omar Lund  (cancelled, " in run("matches").out
    [row] = run("matches", "--json").lines
    assert (row["state"], row["winner"], row["won_by"]) == ("cancelled", None, None)
    assert "rules common, cancelled" in run("show", imported).out


@pytest.mark.parametrize("state", get_args(Stage))
def test_how_far_a_match_has_come_is_said_in_the_words_of_the_pages(state: str) -> None:
    texts = texts_of(LANGUAGES[0])
    word = "state_cancelled" if state == "cancelled" else state
    row = structs.replace(damaged_row("club", "m1", 1), state=state)
    assert stage_of(row) == texts(f"public.{word}")
    goes_on = state in ("waiting", "live")
    imported = structs.replace(row, source="mat")
    assert stage_of(imported) == texts(f"public.{'unfinished' if goes_on else word}")


def test_a_long_list_is_cut_for_people_and_never_for_programs(run, match_file: Path) -> None:
    for number in range(3):
        run("import", "--log", f"night-{number}", match_file)
    assert len(run("matches").out.splitlines()) == 3
    cut = run("matches", "--limit", "2")
    assert len(cut.out.splitlines()) == 2
    assert "--limit 0 lists all" in cut.err
    assert len(run("matches", "--limit", "3").out.splitlines()) == 3
    assert "there are more" not in run("matches", "--limit", "3").err
    assert len(run("matches", "--json").lines) == 3
    assert [row["log_id"] for row in run("matches", "--json", "--log", "night-1").lines] == [
        "night-1"
    ]


def test_a_match_is_shown(run, imported: str) -> None:
    text = run("show", imported[:6]).out
    assert text.startswith("Ida Berg - Omar Lund  3-0\n")
    assert f"match    {imported} (log imports, 54 entries)" in text
    assert "game 1   Ida Berg wins 1 point (single, by drop)" in text
    assert "53  ended-by-claim:" in text
    shown = json.loads(run("show", imported, "--json").out)
    assert shown["score"] == {"one": 3, "two": 0}
    assert [game["points"] for game in shown["games"]] == [1, 2]
    assert shown["version"] == 54


def test_a_match_is_shown_as_it_stood(run, imported: str) -> None:
    text = run("show", imported, "--at", "11").out
    assert text.startswith("Ida Berg - Omar Lund  0-0\n")
    assert "to act   Omar Lund" in text
    assert "x = Ida Berg, o = Omar Lund" in text
    assert "BAR" in text
    assert "--at 55 is beyond" in run("show", imported, "--at", "55", exit_code=2).err
    run("show", imported, "--at", "0", exit_code=2)


def test_a_beginning_that_fits_several_matches_lists_them(run, imported: str, match_file) -> None:
    run("import", "--log", "club", match_file)
    ran = run("show", "", exit_code=2)
    assert "several matches" in ran.err
    assert f"{imported}  (log imports)" in ran.err
    run("show", "", "--log", "club")
    assert "no match has an id that begins with 'zz'" in run("show", "zz", exit_code=2).err


def test_a_replay_has_the_agreed_members(run, imported: str) -> None:
    lines = run("replay", imported, "--json").lines
    assert [line["version"] for line in lines] == list(range(1, 55))
    assert all(set(line) == LINE_KEYS for line in lines)
    found = [finding for line in lines for finding in line["findings"]]
    assert found
    assert all(set(finding) >= FINDING_KEYS for finding in found)
    roll, play = lines[3], lines[4]
    assert (roll["tag"], roll["seat"], roll["dice"]) == ("dice.rolled", "two", [3, 1])
    assert (play["tag"], play["play"]) == ("play.made", "8/5 6/5")
    assert play["checkers"]["two"][5] == 2
    assert [len(side) for side in play["checkers"].values()] == [26, 26]
    hit = lines[10]
    assert hit["play"] == "14/10 6/3*"
    assert hit["checkers"]["two"][25] == 1
    assert lines[12]["play"] == ""
    assert lines[-1]["score"] == {"one": 3, "two": 0}


def test_a_replay_for_people_and_up_to_a_version(run, imported: str) -> None:
    text = run("replay", imported).out
    assert "   11  Ida Berg: plays 14/10 6/3*\n" in text
    assert "   13  Omar Lund: cannot play\n" in text
    assert "       ! ended-by-claim:" in text
    assert len(run("replay", imported, "--at", "20").out.splitlines()) == 20
    assert run("replay", imported, "--as-recorded").out == text
    assert run("replay", imported, "--rules", "common").out == text
    unknown = run("replay", imported, "--rules", "house-rules", exit_code=2)
    assert "choose one of" in unknown.err
    assert "common" in unknown.err


def test_an_export_reads_back_as_the_same_match(run, imported: str, tmp_path: Path) -> None:
    ran = run("export", imported, "--format", "mat")
    [match] = read_file(ran.out.encode(), "export.mat")
    assert (match.length, match.games, match.rolls) == (3, 2, 21)
    assert "Ida Berg" in ran.out
    assert "not in the file: proof (54)" in ran.err
    path = tmp_path / "out.mat"
    told = run("export", imported, "-o", path)
    assert told.out == ""
    assert path.read_text("utf-8") == ran.out


def test_names_can_be_withheld(run, imported: str) -> None:
    for form in ("mat", "jsonl"):
        shown = run("export", imported, "--format", form).out
        withheld = run("export", imported, "--format", form, "--names", "withheld").out
        assert "Ida Berg" in shown
        assert "Ida" not in withheld
        assert "Lantern" not in withheld


def test_jsonl_loses_nothing_and_verifies(run, imported: str) -> None:
    ran = run("export", imported, "--format", "jsonl")
    export = jsonl.read(ran.out.encode())
    assert not export.problems
    assert len(export.entries) == 54
    assert ran.err == ""


def test_an_unknown_format_is_wrong_usage(run, imported: str) -> None:
    assert "docx" in run("export", imported, "--format", "docx", exit_code=2).err


def test_fsck_finds_nothing_and_then_a_changed_byte(run, imported: str, database: Path) -> None:
    assert "all as sealed" in run("fsck").out
    [summary] = run("fsck", "--json").lines
    assert (summary["all_as_sealed"], summary["findings"]) == (True, 0)
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f'DROP TRIGGER "{name}"')
        [table] = [
            name
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if "sealed" in {row[1] for row in db.execute(f'PRAGMA table_info("{name}")')}
        ]
        db.execute(
            f"UPDATE {table} SET sealed = CAST(replace(CAST(sealed AS TEXT), '[6,4]', '[6,5]')"
            f" AS BLOB) WHERE log_id = 'imports'"
        )
    ran = run("fsck", exit_code=1)
    assert "leaf-hash: log imports" in ran.out
    *findings, summary = run("fsck", "--json", exit_code=1).lines
    assert (summary["all_as_sealed"], summary["findings"]) == (False, len(findings))
    assert {finding["code"] for finding in findings} >= {"leaf-hash"}
    assert all(
        set(finding) == {"code", "log_id", "message", "global_position", "stream_id"}
        for finding in findings
    )


def test_a_file_that_is_no_database_is_told_as_such(run, database: Path) -> None:
    database.parent.mkdir()
    database.write_bytes(b"Dear diary, today I lost 7-0.\n" * 100)
    for arguments in (["matches"], ["import", __file__]):
        ran = run(*arguments, exit_code=2)
        assert "not a database" in ran.err
        assert len(ran.err.splitlines()) == 1
    assert "not a database" in run("fsck", exit_code=1).out


def test_a_folder_instead_of_a_database(run, tmp_path: Path, match_file: Path) -> None:
    ran = run("import", "--db", tmp_path, match_file, exit_code=2)
    assert len(ran.err.splitlines()) == 1


def test_an_index_that_is_damaged_or_of_another_version_is_made_anew(
    run, imported: str, database: Path
) -> None:
    index = database.with_name(database.name + ".index")
    listed = run("matches").out
    for content in (b"no index" * 500, b""):
        index.write_bytes(content)
        assert run("matches").out == listed
    with contextlib.closing(sqlite3.connect(index)) as db, db:
        db.execute("UPDATE meta SET version = 0")
    assert run("matches").out == listed
    # Where it cannot be a file, the list is made in memory.
    index.unlink()
    index.mkdir()
    assert run("matches").out == listed


@pytest.mark.parametrize("what", [".index", ".search"])
def test_an_index_that_could_not_be_kept_is_not_said_to_be_made(
    run, imported: str, database: Path, what: str
) -> None:
    place = database.with_name(database.name + what)
    place.unlink(missing_ok=True)
    place.mkdir()
    refused = run("index", exit_code=2)
    assert f"could not be kept in {place}" in " ".join(refused.err.split())
    assert not refused.out
    place.rmdir()
    assert "can be searched" in run("index").out


def test_lists_that_a_killed_process_was_writing_are_no_finding_and_go_on(
    run, imported: str, database: Path
) -> None:
    listed = run("matches").out
    index = database.with_name(database.name + ".index")
    journal = index.with_name(index.name + "-journal")
    with contextlib.closing(sqlite3.connect(index)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("CREATE TABLE more (text)")
        db.execute("BEGIN")
        db.execute("DELETE FROM match")
        db.executemany("INSERT INTO more VALUES (?)", [["x" * 3_000]] * 100)
        half = [(path, path.read_bytes()) for path in (index, journal)]
        db.rollback()
    for path, content in half:
        assert content
        path.write_bytes(content)
    assert "all as sealed" in run("fsck").out
    assert not journal.exists()
    assert run("matches").out == listed


def test_a_file_whose_change_was_broken_off_is_not_read_as_if_it_were_whole(
    tmp_path: Path,
) -> None:
    whole, half = FileAddress(tmp_path / "whole"), FileAddress(tmp_path / "half")
    with contextlib.closing(sqlite3.connect(whole.path)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("CREATE TABLE one (text)")
        db.commit()
        db.executemany("INSERT INTO one VALUES (?)", [["x" * 3_000]] * 100)
        for path in (half.path, half.path.with_name("half-journal")):
            path.write_bytes((tmp_path / path.name.replace("half", "whole")).read_bytes())
        db.rollback()
    with contextlib.closing(opened_to_read(half)) as db:
        assert db.execute("SELECT count(*) FROM one").fetchone() == (0,)
