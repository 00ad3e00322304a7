"""Wrong tokens and codes: how many each sender has tried, and how long it has to wait."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from starlette.types import Scope

from api.hall.addresses import network_of

WINDOW_S = 600.0
"""Seconds for which a wrong guess counts."""

FREE = 20
"""Wrong guesses without a wait: people mistype, and a hall behind one router has one address."""

FREE_UNDER_ATTACK = 3
"""The same number while strangers guess from many addresses at once."""

ATTACK = 1_000
"""Wrong guesses by all strangers together, within the window, that count as such an attack."""

LONGEST_S = 60.0
"""The longest wait: guessing is slowed down, and nobody is locked out."""

_DOUBLINGS = 6
"""After this number of waits, each twice as long as the one before, the wait is the longest."""


def place_of(scope: Scope) -> str:
    """By what a stranger's guesses are counted: his address, of IPv6 his network."""
    client = scope.get("client")
    return "" if client is None else network_of(client[0])


class Attempts:
    """Wrong guesses by who made them; each beyond the free ones doubles the wait for the next.

    A wrong code is no particular code, so codes are guarded together: while all strangers are wrong
    too often, each has few guesses for nothing. Counted by a clock that nobody sets, in memory and
    bounded: of more guessers than `at_most`, the longest silent is forgotten.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, at_most: int = 10_000
    ) -> None:
        self._clock = clock
        self._at_most = at_most
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        self._strangers: deque[float] = deque(maxlen=ATTACK)
        """The latest wrong guesses by senders without a valid token."""

    def wait_s(self, who: str) -> float:
        """How long this one waits until the next guess is looked at; 0 = it is at once."""
        wrong = self._wrong.get(who)
        if wrong is None:
            return 0.0
        now = self._clock()
        while wrong and wrong[0] <= now - WINDOW_S:
            wrong.popleft()
        beyond = len(wrong) - (FREE_UNDER_ATTACK if self._is_attack(now) else FREE)
        if beyond < 0:
            return 0.0
        return max(0.0, wrong[-1] + min(2.0**beyond, LONGEST_S) - now)

    def failed(self, who: str, *, is_stranger: bool) -> None:
        """Remember that this one was wrong."""
        now = self._clock()
        wrong = self._wrong.setdefault(who, deque(maxlen=FREE + _DOUBLINGS))
        wrong.append(now)
        self._wrong.move_to_end(who)
        if is_stranger:
            self._strangers.append(now)
        while len(self._wrong) > self._at_most:
            self._wrong.popitem(last=False)

    def _is_attack(self, now: float) -> bool:
        return len(self._strangers) == ATTACK and self._strangers[0] > now - WINDOW_S
