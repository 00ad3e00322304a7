"""The database itself refuses to change the ledger: every statement, from any connection."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys

import msgspec
import psycopg
import pytest

from events.errors import StoreFailed
from events.personal import commitment_of
from events.store import sqlite
from events.store.address import parse_address
from events.store.opening import open_store
from events.store.sealed import seal_stream
from migrations.owning import hand_over

ROWS = {
    "event": {
        "log_id": "club",
        "global_position": 0,
        "stream_id": "m",
        "version": 1,
        "entry_id": "e",
        "tag": "t",
        "schema_version": 1,
        "sealed": b"s",
        "leaf_hash": b"l",
        "draft_sha256": b"d",
    },
    "checkpoint": {"log_id": "club", "size": 1, "note": b"n"},
    "checkpoint_token": {"log_id": "club", "size": 1, "token": b"t"},
    "checkpoint_signature": {"log_id": "club", "size": 1, "signer": "w+00000000", "line": b"l"},
    "journal": {
        "log_id": "club",
        "id": 1,
        "device": "d",
        "epoch": 1,
        "device_seq": 1,
        "entry_id": "e",
        "raw": b"r",
        "raw_sha256": b"h",
        "signature": b"s",
        "signature_state": "good",
        "received_at": 0,
    },
    "journal_outcome": {
        "log_id": "club",
        "journal_id": 1,
        "outcome": "accepted",
        "reason": None,
        "global_position": 0,
    },
}
# What makes a second row collide on one unique key of `event` alone.
COLLISIONS = {
    "position": {"stream_id": "n", "entry_id": "f"},
    "entry": {"global_position": 9, "stream_id": "n"},
    "version": {"global_position": 9, "entry_id": "f"},
}
# What an append does with both heads; `{leaf}` is the entry's hash.
FORWARD = (
    "UPDATE log_head SET size = 1",
    "INSERT INTO stream_head (log_id, stream_id, version, head_hash)"
    " VALUES ('club', 'm', 1, {leaf})"
    " ON CONFLICT (log_id, stream_id) DO UPDATE SET version = excluded.version",
)
# What no append ever does with them.
BACKWARD = {
    "log shortened": "UPDATE log_head SET size = 0",
    "log ahead of its entries": "UPDATE log_head SET size = 2",
    "log of another tree": "UPDATE log_head SET frontier = {leaf}",
    "log renamed": "UPDATE log_head SET log_id = 'other'",
    "log made with a size": "INSERT INTO log_head VALUES ('other', 1, {leaf})",
    "log deleted": "DELETE FROM log_head",
    "stream shortened": "UPDATE stream_head SET version = 0",
    "stream ahead of its entries": "UPDATE stream_head SET version = 2",
    "stream of another entry": "UPDATE stream_head SET head_hash = {other}",
    "stream closed": "UPDATE stream_head SET state = 'closed'",
    "stream renamed": "UPDATE stream_head SET stream_id = 'n'",
    "stream without entries": "INSERT INTO stream_head VALUES ('club', 'n', 1, {leaf}, 'open')",
    "stream deleted": "DELETE FROM stream_head",
}
INSERT = "INSERT{how} INTO {table} ({columns}) VALUES ({marks}){more}"


def insert(table, row, how="", more="", mark="?"):
    marks = ", ".join([mark] * len(row))
    return INSERT.format(how=how, table=table, columns=", ".join(row), marks=marks, more=more)


@pytest.fixture
def fresh(sqlite_url):
    """A connection without any pragma on an archive with one row in every guarded table."""
    open_store(sqlite_url).close()
    db = sqlite3.connect(parse_address(sqlite_url).path, isolation_level=None)
    db.execute("INSERT INTO log_head VALUES ('club', 0, x'')")
    for table, row in ROWS.items():
        db.execute(insert(table, row), tuple(row.values()))
    for statement in FORWARD:
        db.execute(statement.format(leaf="x'6c'"))
    before = list(db.iterdump())
    yield db
    assert list(db.iterdump()) == before
    db.close()


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("change", ["UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"])
def test_sqlite_refuses_update(fresh, table, change):
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        fresh.execute(f"{change} {table} SET log_id = 'other'")


@pytest.mark.parametrize("table", ROWS)
def test_sqlite_refuses_delete(fresh, table):
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        fresh.execute(f"DELETE FROM {table}")


@pytest.mark.parametrize("case", BACKWARD)
def test_sqlite_lets_heads_go_forward_only(fresh, case):
    statement = BACKWARD[case].format(leaf="x'6c'", other="x'6d'")
    with pytest.raises(sqlite3.IntegrityError, match="only goes forward"):
        fresh.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "REPLACE INTO log_head VALUES ('club', 0, x'')",
        "INSERT OR IGNORE INTO log_head VALUES ('club', 0, x'')",
        "REPLACE INTO stream_head VALUES ('club', 'm', 0, x'6c', 'open')",
        "INSERT INTO stream_head VALUES ('club', 'm', 1, x'6d', 'open')"
        " ON CONFLICT DO UPDATE SET head_hash = excluded.head_hash",
    ],
)
def test_sqlite_refuses_to_put_a_head_over_another(fresh, statement):
    with pytest.raises(sqlite3.IntegrityError, match="only goes forward"):
        fresh.execute(statement)


@pytest.mark.parametrize("collision", COLLISIONS)
@pytest.mark.parametrize(
    ("how", "more"),
    [
        ("", ""),
        (" OR REPLACE", ""),
        (" OR IGNORE", ""),
        (" OR FAIL", ""),
        (" OR ROLLBACK", ""),
        ("", " ON CONFLICT DO NOTHING"),
        ("", " ON CONFLICT DO UPDATE SET sealed = x'00'"),
    ],
)
def test_sqlite_refuses_to_replace_an_event_by_any_of_its_keys(fresh, collision, how, more):
    row = {**ROWS["event"], "sealed": b"forged", **COLLISIONS[collision]}
    with pytest.raises(sqlite3.IntegrityError, match="event exists"):
        fresh.execute(insert("event", row, how, more), tuple(row.values()))


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("how", [" OR REPLACE", " OR IGNORE"])
def test_sqlite_refuses_to_replace_any_guarded_row(fresh, table, how):
    with pytest.raises(sqlite3.IntegrityError, match="exists"):
        fresh.execute(insert(table, ROWS[table], how), tuple(ROWS[table].values()))


@pytest.fixture
def bulk(sqlite_url, make_draft, rng, monkeypatch):
    """A store in which every group is written as a large one, a group, and a stranger's look."""
    monkeypatch.setattr(sqlite, "BULK", 1)
    store = open_store(sqlite_url)
    store.open_log("club")
    streams = [
        seal_stream("club", f"m{number}", [make_draft()], entropy=rng.randbytes)
        for number in range(3)
    ]
    stranger = sqlite3.connect(parse_address(sqlite_url).path, isolation_level=None)
    yield store, streams, stranger
    stranger.close()
    store.close()


def laid_down(db):
    """Everything that the file says of its tables and guards."""
    return sorted(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def test_the_guard_is_back_word_for_word_when_many_entries_are_written(bulk):
    store, streams, stranger = bulk
    before = laid_down(stranger)
    assert store.append_sealed(streams) == [0, 1, 2]
    assert laid_down(stranger) == before
    with pytest.raises(sqlite3.IntegrityError, match="event exists"):
        stranger.execute("INSERT OR REPLACE INTO event SELECT * FROM event")


def test_others_see_the_guard_while_many_entries_are_written(bulk, monkeypatch):
    store, streams, stranger = bulk
    before, seen = laid_down(stranger), []
    write = sqlite.SqliteStore._insert_rows

    def look(self, db, table, **more):
        write(self, db, table, **more)
        is_there = "SELECT count(*) FROM sqlite_schema WHERE name = 'event_no_replace'"
        seen.append((table, *db.execute(is_there).fetchone(), laid_down(stranger) == before))

    monkeypatch.setattr(sqlite.SqliteStore, "_insert_rows", look)
    store.append_sealed(streams)
    assert seen[0] == ("event", 0, True)
    assert all(row[1:] == (1, True) for row in seen[1:])


def test_a_group_that_fails_leaves_the_guard_where_it_was(bulk):
    store, streams, stranger = bulk
    before = laid_down(stranger)
    # The same ids in a stream of another name: no key of the table takes them twice.
    twice = [*streams, msgspec.structs.replace(streams[0], stream_id="m9")]
    told = store.append_sealed(twice)
    assert told[:3] == [0, 1, 2]
    assert isinstance(told[3], StoreFailed)
    assert laid_down(stranger) == before


KILLED = """
import os, signal, sys
from events.store import sqlite
from events.store.opening import open_store
from events.store.sealed import SealedStream
import msgspec

sqlite.BULK = 1
write = sqlite.SqliteStore._insert_rows

def die(self, db, table, **more):
    write(self, db, table, **more)
    os.kill(os.getpid(), signal.SIGKILL)

sqlite.SqliteStore._insert_rows = die
streams = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[SealedStream])
open_store(sys.argv[1]).append_sealed(streams)
"""


@pytest.mark.gate
def test_a_process_that_dies_without_the_guard_never_took_it_away(bulk, sqlite_url):
    store, streams, stranger = bulk
    before = laid_down(stranger)
    store.close()
    command = [sys.executable, "-c", KILLED, sqlite_url]
    told = subprocess.run(command, input=msgspec.msgpack.encode(streams), check=False)
    assert told.returncode == -signal.SIGKILL
    assert laid_down(stranger) == before
    assert stranger.execute("SELECT count(*) FROM event").fetchone() == (0,)


def test_sqlite_guard_finds_its_rows_by_index(fresh):
    # One EXISTS with an OR inside would read the whole log on every insert.
    for key in (
        "global_position = 1",
        "entry_id = 'e'",
        "stream_id = 'm' AND version = 1",
    ):
        plan = fresh.execute(
            f"EXPLAIN QUERY PLAN SELECT 1 FROM event WHERE log_id = 'club' AND {key}"
        ).fetchall()
        column = key.split(" ")[0]
        assert all("SEARCH" in row[3] and f"{column}=?" in row[3] for row in plan), plan


@pytest.fixture
def application(postgres_server, postgres_url):
    """A connection as the role that a server should have: it owns nothing."""
    database = postgres_url.rsplit("/", 1)[1]
    postgres_server.execute(
        "DO $$ BEGIN CREATE ROLE application LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
    )
    url = postgres_server.url(database, user="application")
    hand_over(postgres_url, url)
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("INSERT INTO log_head VALUES ('club', 0, '')")
        for table, row in ROWS.items():
            db.execute(insert(table, row, mark="%s"), tuple(row.values()))
        for statement in FORWARD:
            db.execute(statement.format(leaf="'l'"))
        yield db
        for table, row in ROWS.items():
            kept = db.execute(f"SELECT {', '.join(row)} FROM {table}").fetchall()
            assert tuple(row.values()) in kept
    postgres_server.execute("DROP OWNED BY application", database=database)


STATEMENTS = [
    "UPDATE {table} SET log_id = 'other'",
    "DELETE FROM {table}",
    "TRUNCATE {table} CASCADE",
    "TRUNCATE event, checkpoint, checkpoint_token, checkpoint_signature, journal, journal_outcome",
    "DROP TABLE {table} CASCADE",
    "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "ALTER TABLE {table} RENAME TO gone",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_postgres_refuses_the_application_role(application, statement):
    for table in ROWS:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            application.execute(statement.format(table=table))


@pytest.mark.parametrize("case", BACKWARD)
def test_postgres_lets_heads_go_forward_only(application, case):
    statement = BACKWARD[case].format(leaf="'l'", other="'m'")
    refused = (psycopg.errors.RestrictViolation, psycopg.errors.InsufficientPrivilege)
    with pytest.raises(refused):
        application.execute(statement)


@pytest.mark.parametrize("case", BACKWARD)
def test_postgres_triggers_hold_the_owners_heads_too(application, postgres_url, case):
    statement = BACKWARD[case].format(leaf="'l'", other="'m'")
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        for one in (statement, "TRUNCATE log_head, stream_head CASCADE"):
            with pytest.raises(psycopg.errors.RestrictViolation):
                owner.execute(one)


def test_the_application_role_can_do_its_work(application, postgres_server, make_draft):
    url = postgres_server.url(application.info.dbname, user="application")
    store = open_store(url)
    store.open_log("other")
    draft = make_draft(name="Ada")
    store.append("other", "m", [draft])
    [context, name] = sorted(store.disclosures_of("other", [0])[0])
    assert {context, name} == {draft.context, *draft.disclosures}
    assert store.erase_disclosure("other", commitment_of(draft.disclosures[0]))
    store.close()


@pytest.mark.parametrize("statement", STATEMENTS[:4])
def test_postgres_triggers_stop_even_the_owner(application, postgres_url, statement):
    # A superuser can switch triggers off; what no trigger can stop, the seals show.
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        for table in ROWS:
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                owner.execute(statement.format(table=table))


def test_postgres_refuses_to_overwrite_on_conflict(application, postgres_url):
    row = ROWS["event"]
    sql = insert("event", row, more="{}", mark="%s")
    key = " ON CONFLICT (log_id, global_position)"
    values = tuple(row.values())
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
            owner.execute(sql.format(f"{key} DO UPDATE SET sealed = 'forged'"), values)
        with pytest.raises(psycopg.errors.UniqueViolation):
            owner.execute(sql.format(""), values)
        # DO NOTHING is let through, and does nothing.
        assert owner.execute(sql.format(f"{key} DO NOTHING"), values).rowcount == 0
