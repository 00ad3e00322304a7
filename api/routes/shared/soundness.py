"""Health checks that the server runs when asked: a write, a disk, a clock.

A client that asks often gets the answer of a few seconds ago, because a stranger must not be able
to have the disk flushed without end.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from api.archive.archive import Archive
from api.archive.files import LEFT_FREE, FileStore
from api.archive.index.index import MatchIndex
from events.errors import LedgerError
from events.store.address import FileAddress, parse_address

KEPT_S = 5.0
"""Seconds for which an answer is reused."""

LOW_BYTES = 4 * LEFT_FREE
"""Free space of the disk below which a warning is due; below LEFT_FREE something is wrong."""

STEP_MS = 2_000
"""A clock that differs by more from a monotonic one was set."""

STEP_TOLD_S = 600.0
"""Seconds for which that is reported."""

EARLIEST_MS = 1_767_225_600_000
"""2026-01-01: a clock that shows less has lost its battery."""

LATE_ENTRIES = 10_000
"""Entries by which the list of matches may be behind while the server still counts as ready."""

Status = Literal["ok", "warning", "failing"]


class Check(NamedTuple):
    """One thing that was tried."""

    name: str
    status: Status
    detail: str
    """What was checked and found; nothing that is secret, and no names."""


class Soundness:
    """Tries what the server promises. Methods block; any thread may call them."""

    def __init__(
        self,
        archive: Archive,
        index: MatchIndex,
        folder: Path | None,
        *,
        elapsed_s: Callable[[], float] = time.monotonic,
        files: FileStore | None = None,
        free_of: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._archive = archive
        self._index = index
        self._folder = folder
        self._elapsed_s = elapsed_s
        self._free_of = free_of
        self._files = files
        self._turn = threading.Lock()
        self._kept: tuple[float, list[Check]] | None = None
        self._clock = (archive.now_ms(), elapsed_s())
        self._step: tuple[float, int] | None = None

    def checks(self) -> list[Check]:
        """All of them, or those of a moment ago."""
        with self._turn:
            now = self._elapsed_s()
            if self._kept is None or now - self._kept[0] >= KEPT_S:
                self._kept = (now, list(self._tried()))
            return self._kept[1]

    def unready(self) -> str | None:
        """Why nobody should be sent here now; None where all is ready.

        A server that cannot keep photos still records entries, so it stays ready.
        """
        for check in self.checks():
            if check.name == "files":
                continue
            if check.status == "failing" or (check.name == "index" and check.status != "ok"):
                return f"{check.name}: {check.detail}"
        return None

    def disk_free(self) -> int | None:
        """Bytes that are free where the archive grows; None where that is not here."""
        folder = self._grows_in()
        return None if folder is None else self._free_of(folder)

    def _tried(self) -> Iterator[Check]:
        yield self._read()
        yield self._write()
        yield self._disk()
        yield self._time()
        yield self._list()
        yield self._logs()
        yield self._photos()

    def _read(self) -> Check:
        try:
            self._archive.store.stream_head("archive", "tournament")
        except LedgerError:
            return Check("read", "failing", "the database cannot be read")
        return Check("read", "ok", "the database was read")

    def _write(self) -> Check:
        begun = self._elapsed_s()
        try:
            self._archive.store.try_write()
        except LedgerError as error:
            return Check("write", "failing", f"nothing can be written: {type(error).__name__}")
        took = (self._elapsed_s() - begun) * 1_000
        return Check("write", "ok", f"a commit took {took:.0f} ms")

    def _disk(self) -> Check:
        try:
            free = self.disk_free()
        except OSError:
            return Check("disk", "failing", "its free space cannot be told")
        if free is None:
            return Check("disk", "ok", "the archive grows elsewhere")
        told = f"{free // 1_000_000:,} MB free"
        if free < LEFT_FREE:
            return Check("disk", "failing", told)
        return Check("disk", "warning" if free < LOW_BYTES else "ok", told)

    def _time(self) -> Check:
        now, elapsed = self._archive.now_ms(), self._elapsed_s()
        step = round((now - self._clock[0]) - (elapsed - self._clock[1]) * 1_000)
        self._clock = (now, elapsed)
        if abs(step) > STEP_MS:
            self._step = (elapsed, step)
        if now < EARLIEST_MS:
            return Check("clock", "failing", "the clock says a year that is over: set it")
        if self._step is not None and elapsed - self._step[0] < STEP_TOLD_S:
            return Check("clock", "warning", f"it was set by {self._step[1] / 1_000:+.0f} s")
        return Check("clock", "ok", "it goes as it should")

    def _list(self) -> Check:
        try:
            lag = self._index.lag()
        except LedgerError:
            return Check("index", "failing", "the list of matches cannot be read")
        if lag > LATE_ENTRIES:
            return Check("index", "warning", f"{lag:,} entries behind")
        # The number would show a stranger that something was recorded, and when.
        return Check("index", "ok", "it is made up to date for whoever asks")

    def _logs(self) -> Check:
        held = len(self._archive.store.held)
        if held:
            return Check("logs", "failing", f"{held} held: an older archive stands in their place")
        return Check("logs", "ok", "none is held")

    def _photos(self) -> Check:
        trouble = None if self._files is None else self._files.trouble()
        if trouble is not None:
            return Check("files", "failing", trouble)
        return Check("files", "ok", "photos and files can be kept")

    def _grows_in(self) -> Path | None:
        address = parse_address(self._archive.url)
        folder = address.path.parent if isinstance(address, FileAddress) else self._folder
        while folder is not None and not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return folder
