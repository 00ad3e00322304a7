"""Threads in lanes, so that requests that record never wait behind those that only read.

`asyncio.to_thread` uses the event loop's one pool of threads. Here that pool is divided into lanes,
and each request is in one of them: fifty strangers who want an export wait only for each other.
"""

from __future__ import annotations

import contextvars
import enum
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SWITCH_S = 0.0005
"""How long a computing thread may hold the interpreter lock; a tenth of Python's default."""


class Lane(enum.Enum):
    """A kind of work; the value is a name and a number of threads."""

    RECORDING = ("recording", 8)
    """All writes, and the server's own work."""
    KNOWN = ("known", 4)
    """Reads by holders of a grant: rooms, desks, tablets."""
    STRANGERS = ("strangers", 2)
    """Reads by anybody."""


_lane = contextvars.ContextVar("lane", default=Lane.RECORDING)


def take(lane: Lane) -> None:
    """Put all further work of this task in this lane."""
    _lane.set(lane)


def taken() -> Lane:
    """The lane of this task."""
    return _lane.get()


class Lanes(ThreadPoolExecutor):
    """A pool divided into lanes; the caller's context decides which lane runs the work."""

    def __init__(self) -> None:
        super().__init__(max_workers=1, thread_name_prefix="tabularium")
        self._lanes = {
            lane: ThreadPoolExecutor(
                lane.value[1], thread_name_prefix=f"tabularium-{lane.value[0]}"
            )
            for lane in Lane
        }

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run it in the caller's lane."""
        return self._lanes[_lane.get()].submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads of all lanes."""
        for pool in self._lanes.values():
            pool.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)
