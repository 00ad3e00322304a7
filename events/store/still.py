"""An SQLite file on a read-only medium: opened as one that nobody changes."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Literal

from events.errors import StoreFailed
from events.store.address import FileAddress

_UNWRITABLE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


def still_uri(address: FileAddress, error: sqlite3.Error) -> str | None:
    """How to open a file that could not be opened for this error; None where it is another one.

    The shared memory of the write-ahead log cannot be made where nothing can be written. Then
    nobody can be writing to the file, and it is whole where nothing is left beside it.
    """
    if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK and _undone(address):
        return address.uri(mode="ro")
    if error.sqlite_errorcode & 0xFF not in _UNWRITABLE or has_log(address.path):
        return None
    return f"{address.uri(mode='ro')}&immutable=1"


def _undone(address: FileAddress) -> bool:
    """Whether a change that was broken off is undone: SQLite does so for whoever may write."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(address.uri(mode="rw"), uri=True)) as db,
    ):
        db.execute("PRAGMA schema_version").fetchone()
        return True
    return False


def has_log(path: Path) -> bool:
    """Whether a file is whole with what is left beside it alone: what was written last, or what a
    change was to be undone by that was broken off.
    """
    logs = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    return any(log.exists() and log.stat().st_size > 0 for log in logs)


def opened_to_read(address: FileAddress, *, mode: Literal["ro", "rw"] = "ro") -> sqlite3.Connection:
    """A connection for a look into the file, on any medium. Errors: sqlite3.Error."""
    try:
        return _opened(address.uri(mode=mode))
    except sqlite3.OperationalError as error:
        still = still_uri(address, error)
        if still is not None:
            with contextlib.suppress(sqlite3.Error):
                return _opened(still)
        raise


def settle(path: Path) -> None:
    """Write into a file what its write-ahead log still holds, so that it may move without it.

    SQLite does so when the last connection is closed, and tells nobody where that failed. Errors:
    StoreFailed.
    """
    why: object = "another program has it open"
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            [(is_busy, *_)] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        # Without room for the memory that is shared beside it, SQLite says that it is read-only.
        is_busy, why = True, f"no space left, or the disk failed: {error}"
    if is_busy:
        raise StoreFailed(f"{path} cannot be finished ({why})")


def _opened(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True)
    try:
        # Reads the file, which is where an unusable one is found out.
        db.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error:
        db.close()
        raise
    return db
