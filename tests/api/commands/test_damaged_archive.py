"""What the commands say of an archive whose bytes are not those that were written."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest


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
    database.with_name(f"{database.name}.index").unlink()


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
