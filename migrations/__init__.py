"""The ledger's tables, made and brought up to date by Alembic; all that cannot be rebuilt.

`upgrade(url)` runs by itself on a server's first start. It blocks: inside a running event loop call
it through `asyncio.to_thread`. The scripts are package data, so an installed wheel migrates too.
Alembic itself (`migrations.scripts`) is imported only where there is something to do: it takes
longer than opening the archive.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

from events.errors import StoreFailed
from events.store.address import (
    CLIENT_ENCODING,
    FileAddress,
    MemoryAddress,
    ServerAddress,
    parse_address,
)
from events.store.lock import WriterLock
from events.store.still import opened_to_read

_SCRIPT = re.compile(r"(\d{4})_\w+\.py")
_REVISION = "SELECT version_num FROM alembic_version"


def head() -> str:
    """The newest revision that this release knows: the number its script's name begins with."""
    return max(_known())


def _known() -> set[str]:
    """Every revision that this release knows."""
    names = (path.name for path in (Path(__file__).parent / "versions").iterdir())
    return {found[1] for found in map(_SCRIPT.fullmatch, names) if found}


def why_left_alone(revision: str) -> str | None:
    """What to do with tables that a later release has made; None where this one knows them."""
    if revision in _known():
        return None
    return (
        f"the tables are of revision {revision}, which a later release has made, and this one"
        f" knows them up to {head()}: use that release, or restore a backup from before it"
    )


def current(url: str) -> str | None:
    """Revision of the archive at `url`; None if it has no tables yet. Creates nothing.

    Errors: those of the database's driver (sqlite3.Error, psycopg.Error).
    """
    address = parse_address(url)
    if isinstance(address, MemoryAddress):
        return head()
    if isinstance(address, FileAddress):
        return _of_file(address)
    return _of_server(address)


def upgrade(url: str) -> bool:
    """Make the tables, or bring them up to date; False if there was nothing to do.

    Errors: StoreBusy if another process is writing to the SQLite file; StoreFailed where a later
    release made the tables, where the file is another program's, and where the role at a server may
    not change them, because another one owns them.
    """
    address = parse_address(url)
    if isinstance(address, MemoryAddress):
        return False
    found = current(url)
    if found == head():
        return False
    if found is not None and (why := why_left_alone(found)) is not None:
        raise StoreFailed(why)
    from migrations.scripts import run

    if isinstance(address, ServerAddress):
        _run_at_server(url, run)
        return True
    if found is None and _is_of_another_program(address):
        raise StoreFailed(
            f"{address.path} holds another program's tables: name a file of its own for the archive"
        )
    address.path.parent.mkdir(parents=True, exist_ok=True)
    # The file holds names: for its owner only. SQLite gives -wal and -shm the same mode.
    address.path.touch(mode=0o600)
    lock = WriterLock(address.path).acquire()
    try:
        run(url)
    finally:
        lock.release()
    return True


def _run_at_server(url: str, run: Callable[[str], None]) -> None:
    from psycopg.errors import InsufficientPrivilege

    try:
        run(url)
    except Exception as error:
        if not isinstance(getattr(error, "orig", error), InsufficientPrivilege):
            raise
        raise StoreFailed(
            "the tables are not of this release, and this role may not change them: have the role"
            " that owns them do it, `tabularium migrate` with TABULARIUM_OWNER_DB"
        ) from error


def _of_file(address: FileAddress) -> str | None:
    if not address.path.exists():
        return None
    with contextlib.closing(opened_to_read(address, mode="rw")) as db:
        there = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'").fetchone()
        found = db.execute(_REVISION).fetchone() if there else None
    return None if found is None else str(found[0])


def _is_of_another_program(address: FileAddress) -> bool:
    """Whether a file holds tables, and not even the first that is made of an archive."""
    if not address.path.exists():
        return False
    with contextlib.closing(sqlite3.connect(address.uri(mode="rw"), uri=True)) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    return bool(names) and "alembic_version" not in names


def _of_server(address: ServerAddress) -> str | None:
    # Imported here: the driver is an extra, and archives in a file need none.
    import psycopg

    with psycopg.connect(address.dsn, autocommit=True, client_encoding=CLIENT_ENCODING) as db:
        there = db.execute("SELECT to_regclass('alembic_version')").fetchone()
        if there is None or there[0] is None:
            return None
        found = db.execute(_REVISION).fetchone()
    return None if found is None else str(found[0])
