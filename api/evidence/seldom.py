"""Log messages about repeated failures: the first at once, later ones now and then, counted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

PAUSE_S = 3_600.0
"""The same text is logged at most once in so many seconds."""

_MOST = 1_000
"""How many texts are remembered; beyond that the oldest is forgotten, and logged again."""


class Seldom:
    """A logger that leaves out repetitions; for one thread at a time."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._told: dict[str, tuple[float, int]] = {}
        """Text to when it was logged, and how often it was left out since."""

    def tell(self, level: int, text: str, *, fault: BaseException | None = None) -> None:
        """Log the text, unless the same was logged within the last hour.

        The traceback of a fault is logged too; texts with different faults are different texts.
        """
        key = text if fault is None else f"{text}: {fault!r}"
        told, now = self._told.get(key), self._clock()
        if told is not None and now - told[0] < PAUSE_S:
            self._told[key] = (told[0], told[1] + 1)
            return
        since = f" ({told[1]} more times since it was told last)" if told and told[1] else ""
        self._told.pop(key, None)
        while len(self._told) >= _MOST:
            del self._told[next(iter(self._told))]
        self._told[key] = (now, 0)
        self._log.log(level, "%s%s", text, since, exc_info=fault)

    def well(self, beginning: str) -> None:
        """All is well where texts begin so: what goes wrong there next is told at once."""
        for key in [key for key in self._told if key.startswith(beginning)]:
            del self._told[key]
