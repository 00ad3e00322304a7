"""The ledger's tables: made once, alike from both sides, with their guards."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

import migrations
from events.errors import NoArchive, StoreBusy, StoreFailed
from events.store.address import parse_address
from events.store.fsck import fsck
from events.store.lock import WriterLock
from events.store.opening import open_store
from events.store.tables import METADATA
from migrations.scripts import config, engine_for

GUARDED = {
    "event",
    "checkpoint",
    "checkpoint_token",
    "checkpoint_signature",
    "journal",
    "journal_outcome",
}
HEADS = {"log_head", "stream_head"}


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    """A migrated archive on each database."""
    return request.getfixturevalue(f"{request.param}_url")


def test_a_new_archive_is_made_with_its_folder(tmp_path):
    path = tmp_path / "deep" / "er" / "ledger.db"
    assert migrations.current(str(path)) is None
    assert not path.parent.exists()
    assert migrations.upgrade(str(path))
    assert migrations.current(str(path)) == migrations.head()
    assert path.stat().st_mode & 0o077 == 0


def test_the_head_is_alembics_and_each_script_is_called_by_its_revision():
    scripts = ScriptDirectory.from_config(config("memory://"))
    assert scripts.get_current_head() == migrations.head()
    for script in scripts.walk_revisions():
        assert Path(script.path).name.startswith(f"{script.revision}_")


def test_upgrading_twice_does_nothing(url):
    assert migrations.current(url) == migrations.head()
    assert not migrations.upgrade(url)


def test_memory_needs_no_tables():
    assert not migrations.upgrade("memory://")


def test_migrated_tables_are_the_declared_ones(url):
    engine = engine_for(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
    engine.dispose()


def test_sqlite_tables_are_strict(sqlite_url):
    db = sqlite3.connect(parse_address(sqlite_url).path)
    kinds = {
        name: (strict, rowless)
        for _, name, kind, _, rowless, strict in db.execute("PRAGMA table_list")
        if kind == "table" and name in METADATA.tables
    }
    db.close()
    assert kinds == dict.fromkeys(METADATA.tables, (1, 1))


def test_every_key_begins_with_the_log():
    for table in METADATA.tables.values():
        assert table.primary_key.columns.keys()[0] == "log_id", table.name
        for constraint in table.constraints:
            if hasattr(constraint, "columns"):
                assert constraint.columns.keys()[0] == "log_id", constraint.name


def test_sqlite_guards_are_installed(sqlite_url):
    db = sqlite3.connect(parse_address(sqlite_url).path)
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='trigger'")}
    db.close()
    acts = ("update", "delete", "replace")
    guards = {f"{table}_no_{act}" for table in GUARDED for act in acts}
    acts = ("step_back", "delete", "replace")
    assert names == guards | {f"{table}_no_{act}" for table in HEADS for act in acts}


def test_postgres_guards_are_installed(postgres_url):
    with psycopg.connect(postgres_url) as db:
        rows = db.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal").fetchall()
    assert {name for (name,) in rows} == {
        f"{table}_no_{act}" for table in GUARDED | HEADS for act in ("change", "truncate")
    }


def test_two_servers_starting_on_one_new_database_make_it_once(postgres_server):
    postgres_server.execute("CREATE DATABASE fresh")
    url = postgres_server.url("fresh")
    with ThreadPoolExecutor(1) as other:
        # Alembic's context is one per process: the second start is a second process in real life.
        assert sum(other.map(migrations.upgrade, [url, url])) == 1
    assert migrations.current(url) == migrations.head()
    postgres_server.execute("DROP DATABASE fresh WITH (FORCE)")


def test_upgrade_waits_for_no_writer(tmp_path):
    path = tmp_path / "ledger.db"
    path.touch()
    lock = WriterLock(path).acquire()
    with pytest.raises(StoreBusy, match="is writing"):
        migrations.upgrade(str(path))
    lock.release()
    assert migrations.upgrade(str(path))


def test_the_tables_of_a_later_release_are_left_alone_and_told_of(tmp_path):
    path = tmp_path / "ledger.db"
    migrations.upgrade(str(path))
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreFailed, match="revision 9999, which a later release has made"):
        migrations.upgrade(str(path))


async def test_upgrade_works_beside_a_running_loop(tmp_path):
    url = str(tmp_path / "ledger.db")
    assert await asyncio.to_thread(migrations.upgrade, url)


def test_whoever_has_waited_for_another_run_sees_what_it_made(postgres_url):
    """Also where the database is set to show each transaction what there was at its beginning."""
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute(
            f"ALTER DATABASE {db.info.dbname} SET default_transaction_isolation = serializable"
        )
    engine = engine_for(postgres_url)
    with engine.connect() as connection:
        shown = connection.exec_driver_sql("SHOW transaction_isolation").scalar()
    engine.dispose()
    assert shown == "read committed"


def test_an_unmigrated_database_is_no_archive(tmp_path, postgres_server):
    with pytest.raises(NoArchive):
        open_store(str(tmp_path / "absent.db"))
    (tmp_path / "empty.db").touch()
    with pytest.raises(NoArchive):
        open_store(str(tmp_path / "empty.db"))
    with pytest.raises(NoArchive):
        open_store(postgres_server.url("postgres"))


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004"])
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_archive_of_an_earlier_schema_goes_on_after_its_upgrade(
    kind, revision, tmp_path, request, make_draft
):
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.db'}"
        (tmp_path / "old.db").touch()
    else:
        server = request.getfixturevalue("postgres_server")
        server.execute(f"CREATE DATABASE old_{revision}")
        url = server.url(f"old_{revision}")
    command.upgrade(config(url), revision)
    before = open_store(url)
    before.open_log("club")
    # What a retry would find there, and a head that has moved already.
    drafts = [make_draft(name="Ada"), make_draft()]
    for draft in drafts:
        before.append("club", "m", [draft])
    sealed = [row.sealed for row in before.read_log("club")]
    before.close()
    assert migrations.upgrade(url)
    after = open_store(url)
    assert [row.sealed for row in after.read_log("club")] == sealed
    assert after.append("club", "m", [drafts[0]]).duplicate
    assert after.append("club", "m", [make_draft()]).events[0].version == 3
    assert fsck(after).clean
    after.close()


def test_no_migration_can_be_undone(sqlite_url):
    with pytest.raises(RuntimeError, match="cannot be undone: it would delete"):
        command.downgrade(config(sqlite_url), "base")
    assert migrations.current(sqlite_url) == migrations.head()


def test_no_tables_are_made_in_another_programs_file(tmp_path):
    path = tmp_path / "places.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="another program's tables"):
        migrations.upgrade(str(path))
    assert path.read_bytes() == before


def test_an_empty_file_becomes_an_archive(tmp_path):
    path = tmp_path / "made-by-mktemp"
    path.touch()
    assert migrations.upgrade(str(path))
    assert migrations.current(str(path)) == migrations.head()
