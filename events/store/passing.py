"""Temporary files: held while they are written, and recognised when a crash left them behind.

A process that is killed takes nothing away. What nobody holds any more is of such a process, and is
taken away by the next one (`clear`); two that write beside each other leave each other's alone.
Where a file system knows no such lock, what is left over stays.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from events.store.lock import is_at, try_lock, wait_for

_PREFIX = ".tabularium-"
_BYTES = 8
_DIGITS, _HEX = 2 * _BYTES, set("0123456789abcdef")
_IS_HELD_OPEN = os.name != "nt"
"""Whether a file can be moved while it is open; elsewhere nothing is told from what is left."""


class Passing:
    """A file of its own, beside its place or elsewhere on the same disk. Errors: OSError."""

    def __init__(
        self, folder: Path, suffix: str, *, prefix: str = _PREFIX, mode: int = 0o600
    ) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        while True:
            self.path = folder / _name(prefix, suffix)
            fd = os.open(self.path, flags, mode)
            if _is_held(fd, self.path):
                break
            os.close(fd)
        self.file: IO[bytes] = os.fdopen(fd, "wb")

    def put(self, place: Path, *, is_lasting: bool = True) -> None:
        """Put it in its place; `is_lasting`: once all of it is on the disk."""
        self.file.flush()
        if is_lasting:
            os.fsync(self.file.fileno())
        if not _IS_HELD_OPEN:
            self.file.close()
        self.path.replace(place)
        self.file.close()

    def discard(self) -> None:
        """Leave nothing behind; what was put in its place stays there."""
        # What could not be flushed is no news where it goes.
        with contextlib.suppress(OSError):
            self.file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Passing:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


@contextlib.contextmanager
def passing_folder(beside: Path, suffix: str, *, mode: int = 0o777) -> Iterator[Path]:
    """An empty folder in the folder `beside`, gone behind this unless it was moved away."""
    while True:
        folder = beside / _name(_PREFIX, suffix)
        folder.mkdir(mode)
        fd = os.open(folder, os.O_RDONLY) if _IS_HELD_OPEN else None
        if fd is None or _is_held(fd, folder):
            break
        os.close(fd)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if fd is not None:
            os.close(fd)


def clear(folder: Path, suffix: str, *, prefix: str | None = _PREFIX) -> None:
    """Take away what processes that are gone have left in a folder; what is held stays.

    `prefix`: how that begins; None = in any way, in a folder that is the archive's alone.
    """
    if not _IS_HELD_OPEN:
        return
    with contextlib.suppress(OSError):
        for path in list(folder.iterdir()):
            name = path.name.removesuffix(suffix)
            begins, random = name[:-_DIGITS], name[-_DIGITS:]
            is_ours = path.name.endswith(suffix) and not set(random) - _HEX
            if is_ours and (begins == prefix or (prefix is None and begins.startswith("."))):
                _clear_one(path)


def _clear_one(path: Path) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if try_lock(fd) and is_at(fd, path):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            os.close(fd)


def _is_held(fd: int, path: Path) -> bool:
    """Whether it is held from now on: who looked for what is left over may have come before."""
    if not _IS_HELD_OPEN:
        return True
    wait_for(fd)
    return is_at(fd, path)


def _name(prefix: str, suffix: str) -> str:
    # Seeded by the system each time. Not `os.urandom`, from which all that is sealed draws: two
    # releases that are given the same bytes there seal the same (tests/house/sameness.py).
    return f"{prefix}{random.Random().randbytes(_BYTES).hex()}{suffix}"
