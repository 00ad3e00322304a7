"""The delay of the public, measured so that setting the computer's clock reveals nothing.

Entries carry the computer's time of receipt. When its clock is set forward, earlier entries seem
older than they are, and would become public too soon; so the step is subtracted for as long as a
delay reaches back to it. A server keeps the steps in a file, for commands and for the next start.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from api.archive.keyring import place_of, write_whole
from api.settings import default_clocks
from events.store.address import MemoryAddress, parse_address

_TOLERATED_MS = 250
"""Smaller differences are no step: clocks are slewed, and two are not read at the same instant."""

_REMEMBERED = 1_000

_KEPT_EVERY_S = 60

_LOOKED_EVERY_S = 1.0
"""A step is kept so soon: of one that nobody kept, whoever comes behind a kill knows nothing."""

_log = logging.getLogger(__name__)


class _Seen(msgspec.Struct, array_like=True):
    """What a server has written down about the clock."""

    now_ms: int
    steady_ms: int
    boot: str | None
    gained: list[tuple[int, int]]


def boot_of_machine() -> str | None:
    """The id of this boot of the machine; None where the system gives none."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip() or None
    return None


def clock_file(url: str) -> Path | None:
    """Where a server keeps what it saw of the clock; None where the archive lies in memory."""
    if isinstance(parse_address(url), MemoryAddress):
        return None
    return place_of(url, "clock", default_clocks())


class Lateness:
    """What the public may know at the moment. Any thread may call it."""

    def __init__(self, now_ms: Callable[[], int], steady_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._steady_ms = steady_ms
        self._gate = threading.Lock()
        self._last = (now_ms(), steady_ms())
        self._gained: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)
        """When a step forward was seen, by the steady clock, and how far it was."""
        self._is_kept = True

    def before(self, delay_ms: int) -> int:
        """What was received by this moment is at least as old as the delay."""
        with self._gate:
            now, steady = self._look()
            over = sum(by for at, by in self._gained if steady - at < delay_ms)
        return now - delay_ms - over

    def steps(self) -> tuple[tuple[int, int], ...]:
        """Milliseconds since each step forward, and how far it was: for processes beside this."""
        with self._gate:
            _, steady = self._look()
            return tuple((steady - at, by) for at, by in self._gained)

    def was_set(self) -> bool:
        """Whether the clock was set, forward or back, since this was kept last."""
        with self._gate:
            self._look()
            return not self._is_kept

    def keep(self, file: Path, boot: str | None) -> None:
        """Put into a file what was seen. Errors: OSError.

        `boot` names the start of the machine, from which the steady clock counts; None = unknown.
        """
        with self._gate:
            now, steady = self._look()
            self._is_kept = True
            seen = _Seen(now, steady, boot, list(self._gained))
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, msgspec.json.encode(seen), mode=0o600)

    def recall(self, file: Path, boot: str | None) -> None:
        """Go on from what a server kept; nothing happens where there is none that can be read.

        After another start of the machine nobody knows how long it was off: then no delay passed
        meanwhile. What the public knew already, it goes on to know.
        """
        try:
            seen = msgspec.json.decode(file.read_bytes(), type=_Seen)
        except (OSError, msgspec.MsgspecError):
            return
        with self._gate:
            steady = self._steady_ms()
            since = steady - seen.steady_ms if boot is not None and boot == seen.boot else 0
            self._gained.extend(
                (steady - since - (seen.steady_ms - at), by) for at, by in seen.gained
            )
            self._last = (seen.now_ms, steady - since)
            self._look()

    def _look(self) -> tuple[int, int]:
        now, steady = self._now_ms(), self._steady_ms()
        gained = (now - self._last[0]) - (steady - self._last[1])
        if gained > _TOLERATED_MS:
            self._gained.append((steady, gained))
        self._is_kept = self._is_kept and abs(gained) <= _TOLERATED_MS
        self._last = (now, steady)
        return now, steady


async def keeping(lateness: Lateness, file: Path | None) -> None:
    """Keep what is seen of the clock, once a minute, behind each step, and at the end."""
    if file is None:
        return
    import asyncio  # only a server comes here, and a command is to start at once

    boot = boot_of_machine()

    def keep() -> None:
        try:
            lateness.keep(file, boot)
        except OSError as error:
            _log.warning("what is seen of the clock cannot be kept in %s: %s", file, error)

    try:
        while True:
            await asyncio.to_thread(keep)
            for _ in range(_KEPT_EVERY_S):
                await asyncio.sleep(_LOOKED_EVERY_S)
                if lateness.was_set():
                    break
    finally:
        keep()


class Steps:
    """How far a clock was set, for whatever ends at a moment by it: that is moved as far."""

    def __init__(self, now_ms: Callable[[], int], steady_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._steady_ms = steady_ms
        self._gate = threading.Lock()
        self._between = now_ms() - steady_ms()

    @property
    def between_ms(self) -> int:
        """From the clock that nobody sets to the one that may be, as was seen last."""
        return self._between

    def recall(self, between_ms: int) -> None:
        """Go on from what an earlier process saw on the same start of the machine."""
        with self._gate:
            self._between = between_ms

    def taken(self) -> int:
        """Milliseconds by which the clock was set since this was asked last; 0 = it goes on."""
        with self._gate:
            step = self._now_ms() - self._steady_ms() - self._between
            if abs(step) <= _TOLERATED_MS:
                return 0
            self._between += step
            return step
