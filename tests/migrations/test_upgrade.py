"""An archive of each earlier release continues with this one, and no sealed byte of it changes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic import command

import migrations
from api.archive.archive import open_archive, token_hash
from api.archive.keyring import Keyring
from events.payloads.access import Role
from events.store.fsck import fsck
from events.store.opening import open_store
from migrations.scripts import config
from tests.api.commands.conftest import database, run

__all__ = ["database", "run"]

RELEASES = sorted((Path(__file__).parents[1] / "golden" / "upgrades").glob("*.sql"))

TOKENS = {"0.2.0": "43de09eb3d6af61c10f420d097f567f0d1b2bff41630aef0ed80f319660fbedc"}
"""What that release gave out to a director of log `imports`, who is nobody."""


def sealed(path: Path) -> list[tuple[object, ...]]:
    """All that is recorded, as the file itself says it."""
    db = sqlite3.connect(path)
    try:
        return db.execute(
            "SELECT log_id, global_position, entry_id, sealed, leaf_hash FROM event ORDER BY 1, 2"
        ).fetchall()
    finally:
        db.close()


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def earlier(request: pytest.FixtureRequest, database: Path) -> tuple[str, Path]:
    """A release, and an archive that it made."""
    database.parent.mkdir(parents=True)
    db = sqlite3.connect(database)
    db.executescript(request.param.read_text("utf-8"))
    db.close()
    return request.param.stem, database


def test_an_earlier_archive_is_brought_up_to_date_and_stays_what_it_was(earlier, tmp_path) -> None:
    release, path = earlier
    before = sealed(path)
    assert len(before) > 50
    keyring = Keyring(tmp_path / "keys")
    archive = open_archive(str(path), keyring=keyring)
    try:
        assert migrations.current(str(path)) == migrations.head()
        assert archive.reading.grants("imports", token_hash(TOKENS[release]))
        archive.grant(Role.SCRIBE, log_id="imports")
        assert archive.signing is not None
        assert archive.signing.keep("imports") is not None
        assert fsck(archive.store, signed=keyring).clean
    finally:
        archive.close()
    after = sealed(path)
    # What was recorded is unchanged; its new key and the grant come after it.
    assert set(before) < set(after)
    assert [row[:2] for row in after if row[0] == "imports"] == [
        ("imports", place) for place in range(len(before) - 1 + 2)
    ]


def test_an_earlier_archive_is_read_shown_and_backed_up(earlier, run, tmp_path) -> None:
    run("grant", "--role", "viewer")  # the first command that writes brings it up to date
    [match] = run("matches", "--json").lines
    assert match["score"] == {"one": 3, "two": 0}
    assert "Ida Berg" in run("show", match["match_id"]).out
    run("backup", tmp_path / "safe")
    run("fsck")


def test_a_list_that_an_earlier_release_kept_is_no_fault(earlier, run) -> None:
    _, path = earlier
    run("migrate")
    with sqlite3.connect(f"{path}.index") as db:
        db.execute("CREATE TABLE meta (version INTEGER NOT NULL, secret BLOB NOT NULL) STRICT")
        db.execute("INSERT INTO meta VALUES (1, x'00')")
    db.close()
    run("fsck")


def test_a_copy_of_an_earlier_archive_says_what_to_do_first(earlier, run, tmp_path) -> None:
    told = run("backup", tmp_path / "safe", exit_code=2).err.replace("\n", " ")
    assert "start this release's `tabularium serve` on it once" in told


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("revision", ["0001", "0002", "0004"])
def test_the_audit_of_an_earlier_archive_names_the_upgrade_and_no_damage(
    kind, revision, run, request, tmp_path, make_draft
) -> None:
    url = f"sqlite:///{tmp_path / 'old.sqlite'}"
    if kind == "postgres":
        server = request.getfixturevalue("postgres_server")
        server.execute(f"CREATE DATABASE audited_{revision}")
        url = server.url(f"audited_{revision}")
    command.upgrade(config(url), revision)
    store = open_store(url)
    store.open_log("club")
    store.append("club", "m", [make_draft(name="Ada")])
    store.close()
    told = run("fsck", "--db", url, exit_code=1)
    assert "`tabularium migrate` brings older ones up to date" in " ".join(told.out.split())
    assert not any(word in told.out + told.err for word in ("missing", "unreadable", "restore"))
    run("migrate", "--db", url)
    assert "all as sealed" in run("fsck", "--db", url).out
