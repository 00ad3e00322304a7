"""Whether the open database file is still the one at its path, alone and unchanged by others.

A program that holds a file open goes on writing to it when another is put in its place, and when
its write-ahead log is deleted: every entry would be acknowledged, and none would be there after the
next start. So the file is looked at before each commit and after it: two calls of the system each.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from events.errors import RolledBack, StoreFailed
from events.sealing.merkle import push
from events.store.appending import joined

Identity = tuple[int, int]
"""Device and inode of a file."""


class _Seen(NamedTuple):
    """The file as it lay after the last commit of this process."""

    device: int
    inode: int
    links: int
    changed_ns: int
    size: int


class StandingFile:
    """One database file that this process writes to, and its write-ahead log."""

    def __init__(self, path: Path) -> None:
        self._path = str(path.absolute())
        self._wal_path = f"{self._path}-wal"
        self._seen: _Seen | None = None
        self._now: _Seen | None = None
        self._wal: Identity | None = None

    def check_alone(self) -> None:
        """Refuse a file that is reached by more names than this one. Errors: StoreFailed.

        By another name it would have another lock, and another write-ahead log.
        """
        found = os.lstat(self._path)
        if stat.S_ISLNK(found.st_mode):
            target = os.path.realpath(self._path)
            raise StoreFailed(
                f"{self._path} is a symbolic link, and an archive has one name: name the file"
                f" itself, {target}"
            )
        if found.st_nlink > 1:
            raise StoreFailed(
                f"{self._path} has {found.st_nlink} names (hard links), and an archive has one:"
                " nothing is recorded until the others are removed"
            )

    def opened(self) -> None:
        """The writer has this file open, and its write-ahead log, as they lie here now."""
        self._seen = self._look()
        self._wal = self._wal_identity()

    def check(self) -> bool:
        """Whether nobody else has written to the file since the last commit of this process.

        Errors: RolledBack where another file lies there, or the write-ahead log is gone;
        StoreFailed where the file has a second name.
        """
        seen, now = self._seen, self._look()
        if seen is None or now is None or now[:2] != seen[:2]:
            raise RolledBack(
                f"{self._path} is not the file that this server writes to: it was replaced or moved"
                " while the server ran. Nothing is recorded. Put the file back to its place, or"
                " stop the server and restore a backup"
            )
        if self._wal is not None and self._wal_identity() != self._wal:
            raise RolledBack(
                f"{self._wal_path} was deleted or replaced while the server ran. Nothing is"
                " recorded. Stop the server as usual, which writes all that it holds into the"
                " archive, and start it again"
            )
        if now.links > 1:
            self.check_alone()
        self._now = now
        return now == seen

    def committed(self) -> None:
        """This process has just written to it. Errors: those of `check`."""
        self.check()
        self._seen = self._now

    def accept(self) -> None:
        """What somebody else did to the file was looked at, and changed nothing that counts."""
        self._seen = self._look()

    def is_here(self) -> bool:
        """Whether the file that was opened lies at its place."""
        seen, now = self._seen, self._look()
        return seen is None or (now is not None and now[:2] == seen[:2])

    def _look(self) -> _Seen | None:
        try:
            found = os.lstat(self._path)
        except OSError:
            return None
        return _Seen(found.st_dev, found.st_ino, found.st_nlink, found.st_ctime_ns, found.st_size)

    def _wal_identity(self) -> Identity | None:
        try:
            found = os.lstat(self._wal_path)
        except OSError:
            return None
        return found.st_dev, found.st_ino


def torn(db: sqlite3.Connection) -> Iterator[str]:
    """Logs whose leaves do not make the tree that their head says. Reads every entry's row."""
    heads = db.execute("SELECT log_id, size, frontier FROM log_head").fetchall()
    for log_id, size, frontier in heads:
        grown: list[bytes] = []
        leaves = db.execute(
            "SELECT leaf_hash FROM event WHERE log_id = ? ORDER BY global_position", (log_id,)
        )
        count = 0
        for count, (leaf,) in enumerate(leaves, start=1):
            push(grown, count - 1, leaf)
        if (count, joined(grown)) != (size, frontier):
            yield log_id
