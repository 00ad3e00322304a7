"""Threads by whom they work for: who records never waits behind who looks on.

`asyncio.to_thread` and all that is like it go to the loop's one pool. Here that pool has lanes, and
the request that asks is in one of them: fifty strangers who want an export wait for each other.
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
"""How long a thread that computes keeps the loop waiting; the interpreter's own is ten times it."""


class Lane(enum.Enum):
    """For whom work is done; the value is its name and its number of threads."""

    RECORDING = ("recording", 8)
    """Whatever is written, and the server's own work."""
    KNOWN = ("known", 4)
    """What somebody reads who has a grant: rooms, desks, tablets."""
    STRANGERS = ("strangers", 2)
    """What anybody reads."""


_lane = contextvars.ContextVar("lane", default=Lane.RECORDING)


def take(lane: Lane) -> None:
    """Have all that this task does from now on done in this lane."""
    _lane.set(lane)


def taken() -> Lane:
    """The lane of this task."""
    return _lane.get()


class Lanes(ThreadPoolExecutor):
    """A pool in lanes; which one, says the context in which work is handed over."""

    def __init__(self) -> None:
        super().__init__(max_workers=1, thread_name_prefix="tabularium")
        self._lanes = {
            lane: ThreadPoolExecutor(
                lane.value[1], thread_name_prefix=f"tabularium-{lane.value[0]}"
            )
            for lane in Lane
        }

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have it done in the lane of whoever asks."""
        return self._lanes[_lane.get()].submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads go."""
        for pool in self._lanes.values():
            pool.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)
