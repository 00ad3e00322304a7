"""One writing process per SQLite file: a lock beside it that vanishes with its process.

SQLite itself serialises writers, but versions 3.7.0 to 3.51.2 can corrupt a WAL database when two
connections write or checkpoint at the same moment. Beyond that, a second writer would be invisible
to the live followers of the first. Readers need no lock.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from events.errors import StoreBusy, StoreFailed

FIXED = (3, 51, 3)
"""First SQLite release without the WAL-reset fault (3.52.0, which has it, was withdrawn)."""

_TRIES = 20
_PAUSE_S = 0.005


class WriterLock:
    """The right to write to one SQLite file; held until `release` or the end of the process."""

    def __init__(self, database: Path) -> None:
        self.path = lock_path(database)
        """The lock file; it may stay behind, unlocked, and then means nothing."""
        self._database = database
        self._fd: int | None = None
        self._file: int | None = None
        """The database file itself, where a lock file that somebody deletes is not all there is."""
        self._facts: dict[str, object] = {}
        self.is_in_order = False
        """Whether the last writer let go of the file in good order, and this one will: a lock file
        is empty then, and else names a process that is gone."""

    def acquire(self) -> WriterLock:
        """Take the lock and note this process in it. Errors: StoreBusy (by whom), StoreFailed."""
        is_known = self.path.exists()
        self._fd = self._taken()
        self.is_in_order = is_known and os.fstat(self._fd).st_size == 0
        if sys.platform == "linux" and self._database.exists():
            # Whoever deletes the lock file makes room for a second writer: the database file is
            # locked as well. Elsewhere that lock and SQLite's own would get in each other's way.
            self._file = os.open(self._database, os.O_RDONLY)
            if not try_lock(self._file):
                self.release()
                raise StoreBusy(
                    "another process is writing to this archive, and its lock file was deleted:"
                    " stop that process first"
                )
        try:
            self.describe()
        except OSError as error:
            self.release()
            raise StoreFailed(f"{self.path} cannot be written: {error.strerror}") from error
        return self

    def restore(self) -> bool:
        """Put a lock file that was deleted back to its place; whether that had to be done."""
        if self._fd is None or is_at(self._fd, self.path):
            return False
        fd = self._taken()
        os.close(self._fd)
        self._fd = fd
        self.describe(**self._facts)
        return True

    def _taken(self) -> int:
        """The lock file, locked. Errors: StoreBusy, saying who holds it."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        # `read_lock` of another process holds the file for an instant to see whether it is free.
        for _ in range(_TRIES):
            fd = os.open(self.path, flags, 0o600)
            if not try_lock(fd):
                os.close(fd)
                time.sleep(_PAUSE_S)
            elif is_at(fd, self.path):
                return fd
            else:
                # Whoever held it has deleted it: the next one makes another, and had its lock too.
                os.close(fd)
        raise StoreBusy(_refusal(self.path))

    def describe(self, **facts: object) -> None:
        """Write who holds the lock (and, say, `url=` of its server) for others to read."""
        if self._fd is None:
            return
        self._facts = facts
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, orjson.dumps({"pid": os.getpid(), **facts}), 0)

    def release(self) -> None:
        """Give the lock up; harmless when it is not held."""
        if self._fd is not None:
            if self.is_in_order:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None
        if self._file is not None:
            # Last of all: closing a file gives up every lock of SQLite's that this process has.
            os.close(self._file)
            self._file = None


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else who asks for the same file: no other thread, no other process; waits for it.

    Where no such file can be made, nothing beside it can be made either, and nobody is waited for.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        yield
        return
    try:
        wait_for(fd)
        yield
    finally:
        os.close(fd)


def lock_path(database: Path) -> Path:
    """The lock file of a database file."""
    return database.with_name(database.name + ".lock")


def read_lock(database: Path) -> dict[str, object] | None:
    """What the process that is writing to this file says of itself; None if there is none."""
    try:
        fd = os.open(lock_path(database), os.O_RDWR)
    except OSError:
        return None
    try:
        if try_lock(fd):
            return None
        raw = os.read(fd, 65_536)
    finally:
        os.close(fd)
    try:
        facts = orjson.loads(raw)
    except orjson.JSONDecodeError:  # caught between its lock and its first word
        return {}
    return facts if isinstance(facts, dict) else {}


def has_wal_fault(version: tuple[int, int, int] = sqlite3.sqlite_version_info) -> bool:
    """Whether this SQLite can corrupt a WAL database that two connections write to at once."""
    return version < FIXED or version[:2] == (3, 52)


def is_at(fd: int, path: Path) -> bool:
    """Whether what is open is what lies at a place."""
    try:
        there = path.stat()
    except OSError:
        return False
    here = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _refusal(path: Path) -> str:
    holder = read_lock(path.with_name(path.name.removesuffix(".lock"))) or {}
    who = f"process {holder['pid']}" if "pid" in holder else "another process"
    if "url" in holder:
        who += f" at {holder['url']}"
    why = (
        f"; SQLite {sqlite3.sqlite_version} can damage a file that two processes write to"
        if has_wal_fault()
        else ""
    )
    return f"{who} is writing to this archive, and only one may{why}: send it there, or stop it"


if sys.platform == "win32":
    import msvcrt

    def try_lock(fd: int) -> bool:
        """Take the lock of a file that is open; False where somebody has it."""
        try:
            # A byte far behind the text: Windows locks are mandatory, the text must stay readable.
            os.lseek(fd, 1 << 30, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(fd, 0, os.SEEK_SET)
        return True

    def wait_for(fd: int) -> None:
        """Take the lock of a file that is open, once it is free."""
        while not try_lock(fd):
            time.sleep(_PAUSE_S)
else:
    import fcntl

    def try_lock(fd: int) -> bool:
        """Take the lock of a file that is open; False where somebody has it, or there are none."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def wait_for(fd: int) -> None:
        """Take the lock of a file that is open, once it is free."""
        # Some file systems of a network know no such lock: there nobody is waited for.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
