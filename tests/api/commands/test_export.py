"""`tabularium export`: every format, names, losses, and many matches at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from api.commands import exports
from api.exchange.forms import FORMS, JSONL
from api.exchange.ogxm import codec as ogxm_codec
from api.exchange.readers import read_file
from api.exchange.sealed import jsonl
from api.exchange.writing.wanted import NotWritten
from events.errors import Damaged
from events.store.passing import Passing

ID = "a2642bff-10c7-80cb-94d5-b02b708ee91c"
formats = pytest.mark.parametrize("form", FORMS)


@pytest.fixture
def several(run, imported: str, match_file: Path, tmp_path: Path) -> list[str]:
    """Ids of three matches in two logs."""
    ids = [imported]
    for number, log in enumerate(("imports", "club")):
        path = tmp_path / f"other-{number}.mat"
        path.write_text(match_file.read_text("utf-8").replace("Ida", f"Una {number}"), "utf-8")
        ids.append(run("import", "--json", "--log", log, path).lines[0]["match_id"])
    return ids


@formats
def test_every_format_is_written_to_a_file(run, imported: str, tmp_path: Path, form: str) -> None:
    path = tmp_path / "match.out"
    ran = run("export", imported, "--format", form, "-o", path)
    assert ran.out == ""
    assert "written" in ran.err
    content = path.read_bytes()
    assert b"Ida Berg" in content
    if form != JSONL:
        assert "not in the file: proof (54)" in ran.err
    ending = f"match.{FORMS[form].ending}"
    run("export", imported, "-o", tmp_path / ending)
    assert (tmp_path / ending).read_bytes() == content


@formats
def test_a_format_on_stdout_is_the_same_file(run, imported: str, tmp_path: Path, form: str) -> None:
    path = tmp_path / "match.out"
    run("export", imported, "--format", form, "-o", path)
    if FORMS[form].is_text:
        assert run("export", imported, "--format", form).out == path.read_text("utf-8")


@formats
def test_withheld_names_are_in_no_format(run, imported: str, tmp_path: Path, form: str) -> None:
    path = tmp_path / "match.out"
    run("export", imported, "--format", form, "--names", "withheld", "-o", path)
    for value in (b"Ida", b"Omar", b"Lantern", b"2026.03.14"):
        assert value not in path.read_bytes()


@formats
def test_replaced_names_stand_in_every_format_but_the_sealed_one(
    run, imported: str, tmp_path: Path, form: str
) -> None:
    path = tmp_path / "match.out"
    options = ("--format", form, "--name-one", "Heron", "--name-two", "Otter", "-o", path)
    if form == JSONL:
        assert "sealed bytes" in run("export", imported, *options, exit_code=2).err
        assert not path.exists()
        return
    run("export", imported, *options)
    content = path.read_bytes()
    assert b"Heron" in content
    assert b"Otter" in content
    assert b"Ida" not in content
    run("export", imported, "--names", "replaced", *options)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--names", "replaced"), "takes both --name-one and --name-two"),
        (("--name-two", ""), "an argument is empty"),
        (("--name-one", "Heron"), "takes both --name-one and --name-two"),
        (("--names", "withheld", "--name-one", "A", "--name-two", "B"), "does not go with it"),
        (("--format", "docx"), "--format is one of mat, "),
        (("--illegal", "kept"), "raw"),
        (("--json",), "name the file with -o FILE"),
        (("--json", "-o", "-"), "name the file with -o FILE"),
        (("--all",), "name the matches, or take --all"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    run, imported: str, options: tuple[str, ...], says: str
) -> None:
    ran = run("export", imported, *options, exit_code=2)
    assert says in ran.err
    assert ran.out == ""


def test_what_is_not_named_is_not_exported(run, imported: str, tmp_path: Path) -> None:
    assert "name the matches, or take --all" in run("export", exit_code=2).err
    assert "no match has an id" in run("export", "zz", exit_code=2).err
    ran = run("export", imported, "zz", "-o", tmp_path / "out", exit_code=2)
    assert "no match has an id" in ran.err
    assert not (tmp_path / "out").exists()
    assert "nowhere" in run("export", "--all", "--log", "nowhere", "-o", tmp_path, exit_code=2).err


def test_flags_leave_out_clocks_and_findings_and_say_so(run, imported: str, tmp_path: Path) -> None:
    def losses(*options: str) -> set[str]:
        path = tmp_path / "match.txt"
        [row] = run("export", imported, "-o", path, "--json", *options).lines
        return {loss["kind"] for loss in row["losses"]}

    assert "finding" not in losses()
    assert "finding" in losses("--no-findings")
    assert losses("--no-clocks", "--illegal", "stated") == losses()


def test_bytes_do_not_go_to_a_terminal(run, imported: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "on_terminal", lambda: True)
    ran = run("export", imported, "--format", "ogxm", exit_code=2)
    assert "name a file with -o FILE" in ran.err
    assert ran.out == ""
    assert "3 point match" in run("export", imported, "--format", "mat").out


def test_the_report_is_one_object_a_match(run, imported: str, tmp_path: Path) -> None:
    path = tmp_path / "match.sgf"
    [row] = run("export", imported, "-o", path, "--json").lines
    assert (row["log_id"], row["match_id"], row["format"]) == ("imports", ID, "sgf")
    assert (row["file"], row["bytes"]) == (str(path), len(path.read_bytes()))
    [proof] = [loss for loss in row["losses"] if loss["kind"] == "proof"]
    assert proof["count"] == len(proof["versions"]) == 54
    assert proof["detail"]


def test_a_folder_takes_one_file_a_match(run, several: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    ran = run("export", *several, several[0], "--format", "mat", "-o", folder)
    assert ran.out == ""
    assert f"3 matches written to {folder}" in ran.err
    assert "not in the files: proof (162)" in ran.err
    logs = ("imports", "imports", "club")
    names = [f"{log}_{match}.mat" for log, match in zip(logs, several, strict=True)]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    for name in names:
        [match] = read_file((folder / name).read_bytes(), name)
        assert match.rolls == 21
    run("export", several[0], "--format", "txt", "-o", folder)
    assert (folder / f"imports_{several[0]}.txt").is_file()


def test_all_matches_of_the_archive_or_of_a_log(run, several: list[str], tmp_path: Path) -> None:
    rows = run("export", "--all", "--format", "jsonl", "-o", tmp_path / "all", "--json").lines
    assert [row["match_id"] for row in rows] == [several[2], several[0], several[1]]
    for row in rows:
        assert jsonl.read(Path(row["file"]).read_bytes()).problems == ()
    rows = run("export", "--all", "--log", "club", "-o", tmp_path / "club", "--json").lines
    assert [row["match_id"] for row in rows] == several[2:]
    for arguments in (("--all",), several[:2], ("--all", "-o", "-")):
        assert "take a folder" in run("export", *arguments, exit_code=2).err
    (tmp_path / "file").write_text("mine", "utf-8")
    assert "take a folder" in run("export", "--all", "-o", tmp_path / "file", exit_code=2).err
    assert (tmp_path / "file").read_text("utf-8") == "mine"


@pytest.mark.parametrize("error", [NotWritten("it has no games"), Damaged("bytes are missing")])
def test_a_match_that_cannot_be_written_takes_no_other_with_it(
    run,
    several: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    made = exports._made

    def breaks(shelf: Any, key: Any, order: Any) -> Any:
        if key[1] == several[1]:
            raise error
        return made(shelf, key, order)

    monkeypatch.setattr(exports, "_made", breaks)
    ran = run("export", *several, "-o", tmp_path / "out", exit_code=1)
    assert f"match {several[1]} of log imports is left out: {error}" in ran.err
    assert "2 matches written" in ran.err
    assert len(list((tmp_path / "out").iterdir())) == 2
    rows = run("export", *several, "-o", tmp_path / "out", "--json", exit_code=1).lines
    assert rows[1] == {
        "log_id": "imports",
        "match_id": several[1],
        "refused": {"reason": str(error)},
    }
    alone = run("export", several[1], exit_code=None)
    assert alone.exit_code in (1, 2)
    assert str(error) in alone.err


def test_a_missing_package_is_named_and_nothing_is_written(
    run, several: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ogxm_codec, "_package", lambda _: None)
    for arguments in (several[:1], several):
        ran = run("export", *arguments, "--format", "ogxm", "-o", tmp_path / "x", exit_code=2)
        assert "tabularium-backgammon[ogxm]" in ran.err
        assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "x").is_file()
    assert not list(tmp_path.glob("x/*"))


def test_an_interrupted_write_leaves_the_older_file_as_it_was(
    run, several: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    run("export", "--all", "-o", folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Passing, "put", full)
    options = ("--names", "withheld")
    assert "No space left" in run("export", "--all", "-o", folder, *options, exit_code=2).err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_help_names_every_format(run) -> None:
    text = "".join(run("export", "--help").out.split())
    for name in FORMS:
        assert name in text


def test_a_file_is_not_called_what_it_is_not(run, imported: str, tmp_path: Path) -> None:
    for name in ("x.xg", "x.BGF", "x.sgg"):
        ran = run("export", imported, "-o", tmp_path / name, exit_code=2)
        assert "--format is one of" in ran.err
        assert not (tmp_path / name).exists()
    run("export", imported, "-o", tmp_path / "x.sgf")
    assert (tmp_path / "x.sgf").read_text().startswith("(;")


def test_links_that_lead_in_a_circle_are_told_as_a_fault_of_the_path(
    run, imported: str, tmp_path: Path
) -> None:
    loop = tmp_path / "loop.mat"
    loop.symlink_to(loop)
    told = run("export", imported, "-o", loop, exit_code=2)
    assert "symbolic links" in told.err
    assert loop.is_symlink()
