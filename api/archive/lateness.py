"""How far the public is behind, by a clock that nobody sets: no step of a clock shows anything.

Times of receipt are the computer's. Where its clock was set forward, what came in before seems
older than it is: what was gained is taken off for as long as a delay reaches back to that moment.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

_TOLERATED_MS = 250
"""A clock that is slewed, or read between two others, is not set."""

_REMEMBERED = 1_000


class Lateness:
    """What the public may know by now. Any thread may call it."""

    def __init__(self, now_ms: Callable[[], int], steady_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._steady_ms = steady_ms
        self._gate = threading.Lock()
        self._last = (now_ms(), steady_ms())
        self._gained: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)
        """When a step forward was seen, by the steady clock, and how far it was."""

    def before(self, delay_ms: int) -> int:
        """What was received by this moment is at least as old as the delay."""
        with self._gate:
            now, steady = self._now_ms(), self._steady_ms()
            gained = (now - self._last[0]) - (steady - self._last[1])
            if gained > _TOLERATED_MS:
                self._gained.append((steady, gained))
            self._last = (now, steady)
            over = sum(by for at, by in self._gained if steady - at < delay_ms)
        return now - delay_ms - over


class Steps:
    """How far a clock was set, for whatever ends at a moment by it: that is moved as far."""

    def __init__(self, now_ms: Callable[[], int], steady_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._steady_ms = steady_ms
        self._gate = threading.Lock()
        self._between = now_ms() - steady_ms()

    def taken(self) -> int:
        """Milliseconds by which the clock was set since this was asked last; 0 = it goes on."""
        with self._gate:
            step = self._now_ms() - self._steady_ms() - self._between
            if abs(step) <= _TOLERATED_MS:
                return 0
            self._between += step
            return step
