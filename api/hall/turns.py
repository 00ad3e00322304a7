"""Turns: expensive results are made one at a time, and each once for everybody who waits for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

REST = 2.0
"""The pause after a piece of work, as a multiple of its duration: two thirds of the time are left
to recording."""

LONGEST_REST_S = 0.5
"""The longest pause, however slow the work was (the first of a process is the slowest)."""


class Turns(Generic[T]):
    """A queue in front of expensive work, in one event loop.

    Requests for the same thing share one result if they come before its work has begun, so no
    answer is older than its request. Only one piece of work runs at a time, with a pause after each
    while `is_disturbing` says that somebody records.
    """

    def __init__(self, is_disturbing: Callable[[], bool] = lambda: False) -> None:
        self._is_disturbing = is_disturbing
        self._turn = asyncio.Lock()
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}
        """Work that was requested and has not begun."""
        self._rested_at = 0.0
        """When the next piece of work may begin, by the clock of the event loop."""

    async def made(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """The result of `make`, shared by all who ask for this key before it begins."""
        making = self._waiting.get(key)
        if making is None:
            making = asyncio.create_task(self._make(key, make))
            making.add_done_callback(_hear)
            self._waiting[key] = making
        # Shielded: a client that goes away must not cancel the work for the others.
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
        # Retrieved here, because everybody who waited for it may have left.
        making.exception()


class Entrance:
    """Lets one request in at each turn of the event loop, so that other work is done in between.

    A request that comes alone does not wait, because an idle loop turns at once.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_free = True

    async def enter(self) -> None:
        """Wait until this caller is let in."""
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
