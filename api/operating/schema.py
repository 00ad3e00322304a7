"""Whether the tables of an archive, and the guards over them, are those that this release makes."""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
import tempfile
from pathlib import Path

import migrations
from events.store.address import (
    CLIENT_ENCODING,
    FileAddress,
    ServerAddress,
    parse_address,
    url_of,
)
from events.store.still import opened_to_read
from events.store.tables import METADATA

Shape = dict[tuple[str, str], str]
"""(kind, name) of a table, an index or a guard to what it is, in one comparable line."""

ADVICE = "put a backup back (`tabularium restore`), or have the tables' owner make them anew"


Fault = tuple[str, str]
"""`schema` or `release`, and what is wrong in a sentence."""


def faults_of(url: str) -> list[Fault]:
    """What is missing or other in the archive's tables and guards; [] if nothing is.

    Reads no row of the ledger. Errors: those of the database's driver where it cannot be reached.
    """
    address = parse_address(url)
    if isinstance(address, FileAddress):
        return _of_file(address)
    if isinstance(address, ServerAddress):
        revision = migrations.current(url)
        other = [] if revision is None else _of_another_release(revision)
        return other or [("schema", fault) for fault in _of_server(address)]
    return []


def _of_another_release(revision: str) -> list[Fault]:
    if (why := migrations.why_left_alone(revision)) is not None:
        return [("release", why)]
    if revision == migrations.head():
        return []
    told = f"the tables are of revision {revision}, and this release has {migrations.head()}"
    return [("release", f"{told}: `tabularium migrate` brings older ones up to date")]


def _of_file(address: FileAddress) -> list[Fault]:
    try:
        with contextlib.closing(opened_to_read(address)) as db:
            found = _shape(db)
            revision = _revision(db)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return []  # It is no database, or may not be read: whoever opens it says so.
        return [("schema", f"the database's list of its tables cannot be read: {error}")]
    if not found:
        return []  # It is no archive yet.
    if revision is None:
        return [("schema", "what says which release made the tables is missing")]
    return _of_another_release(revision) or [
        ("schema", fault) for fault in _differences(_made_by_this_release(), found)
    ]


@functools.cache
def _made_by_this_release() -> Shape:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        fresh = Path(folder) / "fresh.sqlite"
        migrations.upgrade(url_of(fresh))
        with contextlib.closing(sqlite3.connect(fresh)) as db:
            return _shape(db)


def _differences(wanted: Shape, found: Shape) -> list[str]:
    missing = [f"the {kind} {name} is missing" for kind, name in sorted(wanted.keys() - found)]
    other = [
        f"the {kind} {name} is not as this release makes it"
        for kind, name in sorted(wanted.keys() & found)
        if wanted[kind, name] != found[kind, name]
    ]
    more = [
        f"there is a {kind} {name} that nobody made" for kind, name in sorted(found.keys() - wanted)
    ]
    return [*missing, *other, *more]


def _shape(db: sqlite3.Connection) -> Shape:
    shape: Shape = {}
    rows = db.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    for kind, name, sql in rows:
        if kind == "table" and not name.startswith("sqlite_"):
            # By its columns: a table that was altered says it in other words.
            columns = db.execute(f"SELECT name, type, pk FROM pragma_table_info('{name}')")
            shape["table", name] = repr(sorted(columns.fetchall()))
        elif kind in ("index", "view", "trigger") and sql is not None:
            shape["guard" if kind == "trigger" else kind, name] = _plain(sql)
    return shape


def _plain(sql: str) -> str:
    return re.sub(r"[\s\"]+", " ", sql).strip()


def _revision(db: sqlite3.Connection) -> str | None:
    with contextlib.suppress(sqlite3.OperationalError):
        row = db.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])
    return None


def _of_server(address: ServerAddress) -> list[str]:
    # Imported here: the driver is an extra, and archives in a file need none.
    import psycopg

    columns = (
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema()"
    )
    guards = (
        "SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = current_schema() AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')"
    )
    with psycopg.connect(address.dsn, autocommit=True, client_encoding=CLIENT_ENCODING) as db:
        found = {(str(table), str(column)) for table, column in db.execute(columns).fetchall()}
        guarded = {str(table) for (table,) in db.execute(guards).fetchall()}
    wanted = {
        (table.name, column.name) for table in METADATA.sorted_tables for column in table.columns
    }
    faults = [
        f"the column {column} of {table} is missing" for table, column in sorted(wanted - found)
    ]
    insert_only = {table.name for table in METADATA.sorted_tables} - _UNGUARDED
    return faults + [
        f"the guard over {table} is missing" for table in sorted(insert_only - guarded)
    ]


_UNGUARDED = {"disclosure", "device_cursor"}
"""Tables whose rows may be changed or deleted."""
