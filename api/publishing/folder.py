"""A folder that is replaced whole or not at all: written beside its place, then exchanged."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from api.publishing.extras import NotPublished
from events.errors import StoreBusy
from events.store.lock import WriterLock

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def replacing(target: Path, *, mark: str) -> Iterator[Path]:
    """An empty folder to write into; when all went well it takes the place of `target`.

    Until then, and if it is interrupted at any moment, `target` is what it was. A folder that does
    not hold a file `mark`, and is not empty, is none of ours. Errors: NotPublished, OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        target.stat()  # Links that lead in a circle are a fault of a path as any other is.
    target = target.resolve()
    _check(target, mark)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.publishing")
    lock = WriterLock(fresh)
    try:
        lock.acquire()
    except StoreBusy:
        raise NotPublished(f"another process is publishing into {target}") from None
    try:
        # What a run that was killed left behind.
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        yield fresh
        _check(target, mark)
        _put(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        lock.path.unlink(missing_ok=True)
        lock.release()


def _check(target: Path, mark: str) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise NotPublished(f"{target} is a file: --to names a folder")
    if any(target.iterdir()) and not (target / mark).is_file():
        raise NotPublished(
            f"{target} holds something else than an earlier publication, and would be replaced:"
            " name a new folder"
        )


def _put(fresh: Path, target: Path) -> None:
    """Put the new folder in place; the old one is left where the new one was."""
    if not target.exists():
        fresh.rename(target)
        return
    if _exchanged(fresh, target):
        return
    # Without an exchange in one step there is an instant at which nothing lies at `target`.
    old = fresh.with_name(f"{fresh.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system can (Linux)."""
    try:
        exchange = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    paths = (os.fsencode(one), os.fsencode(other))
    done: int = exchange(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    return done == 0


def put_file(path: Path, content: bytes) -> None:
    """Write a file, and see that it is on the disk before anything is renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
