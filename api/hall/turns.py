"""Turns: of what many want at once one is made at a time, for all who had asked when it began."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

REST = 2.0
"""How much longer than a making the pause behind it is: whoever records has two thirds."""

LONGEST_REST_S = 0.5
"""A making that was slow, as the first of all is, keeps the next one waiting for so long."""


class Turns(Generic[T]):
    """A line before something dear, in one event loop.

    Nobody is given what was begun before he asked, so nothing is older than the request that it
    answers. However many ask, they cost one making after the other, and a pause behind each where
    `is_disturbing` says that it is needed.
    """

    def __init__(self, is_disturbing: Callable[[], bool] = lambda: False) -> None:
        self._is_disturbing = is_disturbing
        self._turn = asyncio.Lock()
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}
        """What is to be made and has not begun."""
        self._rested_at = 0.0
        """When the next making may begin, by the loop's clock."""

    async def made(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """What is made under this key; together with all who ask before that begins."""
        making = self._waiting.get(key)
        if making is None:
            making = asyncio.create_task(self._make(key, make))
            making.add_done_callback(_hear)
            self._waiting[key] = making
        # Whoever goes away takes it from nobody who still waits.
        return await asyncio.shield(making)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        clock = asyncio.get_running_loop().time
        async with self._turn:
            if self._is_disturbing():
                await asyncio.sleep(self._rested_at - clock())
            del self._waiting[key]
            begun = clock()
            try:
                return await make()
            finally:
                ended = clock()
                self._rested_at = ended + min(REST * (ended - begun), LONGEST_REST_S)


def _hear(making: asyncio.Task[T]) -> None:
    if not making.cancelled():
        # Told to those who wait, of whom there may be none any more.
        making.exception()


class Entrance:
    """Lets one in at each turn of the loop: whatever else is ready waits for one and not for all.

    Where nobody else comes nobody waits, and a loop that has nothing else to do turns at once.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_free = True

    async def enter(self) -> None:
        """Wait until it is this one's turn."""
        loop = asyncio.get_running_loop()
        if self._is_free:
            self._is_free = False
            loop.call_soon(self._next, loop)
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                loop.call_soon(self._next, loop)
                return
        self._is_free = True
