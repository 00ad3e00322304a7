"""What the commands say of an archive whose bytes are not those that were written."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from api.operating.ways_out import ways_out
from events.store.fsck import FsckFinding


@pytest.fixture
def two(run, match_file: Path) -> list[str]:
    """Ids of the home-made match in two logs."""
    logs = ("east", "west")
    return [run("import", "--json", "--log", log, match_file).lines[0]["match_id"] for log in logs]


def damage(database: Path, log_id: str) -> None:
    """Flip a bit in the JSON of one entry of a log, as a disk does it: past every guard."""
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        guards = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        kept = db.execute(guards).fetchall()
        for name, _ in kept:
            db.execute(f"DROP TRIGGER {name}")
        db.execute(
            "UPDATE event SET sealed = CAST(replace(sealed, '\"body\":', '\"bodx\":') AS BLOB)"
            " WHERE log_id = ? AND global_position = 9",
            (log_id,),
        )
        for _, sql in kept:
            db.execute(sql)
    database.with_name(f"{database.name}.index").unlink(missing_ok=True)


def test_a_list_with_a_damaged_match_is_no_success_and_invents_nothing_of_it(
    run, two: list[str], database: Path
) -> None:
    damage(database, "west")
    for _ in range(2):  # As it is taken in, and from the list that is kept then.
        ran = run("matches", exit_code=1)
        sound, damaged = ran.out.splitlines()
        assert "Ida Berg - Omar Lund" in sound
        assert damaged == f"{two[1][:8]}  west            -      -  (unreadable)"
        assert ran.err.splitlines()[-1] == "1 match cannot be read: run `tabularium fsck`"
    sound, damaged = run("matches", "--json", exit_code=1).lines
    told = {name: value for name, value in damaged.items() if value is not None}
    assert told == {"log_id": "west", "match_id": two[1], "state": "damaged"}
    assert damaged.keys() == sound.keys()
    run("matches", "--log", "east")


@pytest.mark.parametrize("arguments", [["matches"], ["index", "--workers", "1"]])
def test_what_cannot_be_read_is_said_in_lines_and_not_in_a_trace(
    run, two: list[str], database: Path, arguments: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    damage(database, "west")
    ran = run(*arguments, exit_code=1)
    assert ran.err.splitlines()[-1] == "1 match cannot be read: run `tabularium fsck`"
    logged = [one for one in caplog.records if two[1] in one.getMessage()]
    assert logged
    for one in logged:
        assert one.exc_info is None
        assert "cannot be read" in one.getMessage()


@pytest.mark.parametrize("offset", [0, 5, 16, 17, 19, 21])
def test_fsck_says_of_a_damaged_header_what_to_do_and_sends_nobody_to_itself(
    run, two: list[str], database: Path, offset: int
) -> None:
    content = bytearray(database.read_bytes())
    content[offset] ^= 0x41
    database.write_bytes(content)
    ran = run("fsck", exit_code=1)
    assert ran.out.startswith("unreadable: ")
    assert "run `tabularium fsck`" not in ran.out + ran.err
    [told] = ran.err.splitlines()
    assert f"move {database} away, with {database.name}-wal and" in told
    assert "`tabularium restore`" in told
    finding, summary = run("fsck", "--json", exit_code=1).lines
    assert (finding["code"], summary["all_as_sealed"]) == ("unreadable", False)


def test_fsck_says_once_what_to_do_about_damaged_entries(
    run, two: list[str], database: Path
) -> None:
    damage(database, "east")
    damage(database, "west")
    ran = run("fsck", exit_code=1)
    assert ran.out.count("leaf-hash") == 2
    assert ran.err.count("what to do: ") == ran.err.count("`tabularium restore`") == 1


def test_what_to_do_is_to_delete_a_wrong_list_and_not_the_archive(
    run, two: list[str], database: Path
) -> None:
    run("matches")
    index = database.with_name(f"{database.name}.index")
    with contextlib.closing(sqlite3.connect(index)) as db, db:
        db.execute("UPDATE match SET games = games + 1")
    ran = run("fsck", exit_code=1)
    assert ran.err == f"what to do: delete {index}: it is made anew\n"
    index.unlink()
    run("fsck")


def test_an_archive_that_is_held_is_not_said_to_be_damaged() -> None:
    said = "StoreBusy: another process holds the archive's file: try again in a moment"
    held = FsckFinding(code="unreadable", log_id="", message=said)
    assert ways_out([held], "a.sqlite") == []


def test_a_database_that_refuses_is_told_in_lines_and_not_by_a_stack(
    two: list[str], database: Path
) -> None:
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        refusing = "SELECT RAISE(ABORT, 'permission denied')"
        db.execute(f"CREATE TRIGGER refusing BEFORE INSERT ON event BEGIN {refusing}; END")
    command = [sys.executable, "-c", "from api.cli import main; main()", "grant"]
    ran = subprocess.run(
        [*command, "--role", "viewer"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    *_, told = ran.stderr.splitlines()
    assert told.startswith("tabularium: ")
    assert told.endswith("permission denied")
    assert "Traceback" not in ran.stderr
