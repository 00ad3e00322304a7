"""The one writer of a database: units that wait at the same moment share one commit.

A flush to the disk costs the same for one entry as for a hundred. Doors put units into a queue and
wait; this thread takes whatever is waiting into one transaction. It survives every exception.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from events.errors import LedgerError, StoreBusy, StoreFailed
from events.store.journal import Intake, TakenIn
from events.store.protocol import Appended, Unit

_PATIENCE_S = 0.001
"""How long a group that is smaller than the last one is kept open."""

_log = logging.getLogger(__name__)

Answer = Appended | TakenIn | LedgerError

Waited = Future[Any] | asyncio.Future[Any]
"""What an answer is waited for with: the caller knows which it will be."""


class Appender(Protocol):
    """The part of a store that the writer needs."""

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Group commit, as in EventStore."""
        ...

    def take_in(self, intake: Intake) -> TakenIn:
        """One intake, as in JournalStore."""
        ...


class Writer:
    """A thread with a bounded queue in front of one store."""

    def __init__(
        self,
        store: Appender,
        *,
        capacity: int = 4_096,
        group: int = 256,
        on_committed: Callable[[list[Appended]], None] | None = None,
    ) -> None:
        self.on_committed = on_committed
        """Called in the writer's thread after each commit, before anybody is answered, with what
        was written (retries left out); must be quick, and may be set later."""
        self._store = store
        self._capacity = capacity
        self._group = group
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="tabularium-writer", daemon=True)
        self._thread.start()

    def submit(self, unit: Unit) -> Future[Appended]:
        """Queue a unit; the future has its answer or its refusal. Errors: StoreBusy."""
        future: Future[Appended] = Future()
        self._put(_Waiting(unit, future, None))
        return future

    def append(self, unit: Unit) -> Awaitable[Appended]:
        """The same for a running event loop, woken once per commit. Errors: StoreBusy at once."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Appended] = loop.create_future()
        self._put(_Waiting(unit, future, loop))
        return future

    def take_in(self, intake: Intake) -> Awaitable[TakenIn]:
        """Queue what a device submitted, for a running event loop. Errors: StoreBusy at once."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[TakenIn] = loop.create_future()
        self._put(_Waiting(intake, future, loop))
        return future

    def waiting(self) -> int:
        """Units in the queue, about."""
        return self._queue.qsize()

    def stop(self) -> None:
        """Write what is queued, then end the thread; later units are refused with StoreBusy."""
        with self._gate:
            if not self._stopping:
                self._stopping = True
                self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _put(self, waiting: _Waiting) -> None:
        # The gate keeps a unit from landing behind the end mark, where nobody would answer it.
        with self._gate:
            if self._stopping:
                raise StoreBusy("the archive is closing: try again when it is back")
            if self._queue.qsize() >= self._capacity:
                raise StoreBusy("too many entries are waiting to be written: try again in a moment")
            self._queue.put(waiting)

    def _work(self) -> None:
        expected = 1
        while True:
            batch, going = self._gather(expected)
            if batch:
                expected = len(batch)
                try:
                    self._write(batch)
                except BaseException:  # nothing may end this thread: everybody waits for it
                    _log.exception("the writer failed outside of the store")
            if not going:
                return

    def _gather(self, expected: int) -> tuple[list[_Waiting], bool]:
        """The next group, and whether there may be more.

        Who has just been answered is likely to come again at once. For as many as came last time
        it is worth waiting a moment: a commit of its own costs each of them far more than that.
        A single writer never waits.
        """
        batch: list[_Waiting] = []
        patience = None
        until = 0.0
        while len(batch) < self._group:
            try:
                if batch and len(batch) >= expected:
                    waiting = self._queue.get_nowait()
                else:
                    waiting = self._queue.get(timeout=patience)
            except queue.Empty:
                break
            if waiting is None:
                return batch, False
            batch.append(waiting)
            if until == 0.0:
                until = time.monotonic() + _PATIENCE_S
            patience = max(0.0, until - time.monotonic())
        return batch, True

    def _write(self, batch: list[_Waiting]) -> None:
        units = [waiting.unit for waiting in batch if isinstance(waiting.unit, Unit)]
        answers: list[Answer] = self._ask(units)
        if len(units) < len(batch):
            # What devices submitted: each its own transaction, after the group's.
            appended = iter(answers)
            answers = [
                next(appended) if isinstance(waiting.unit, Unit) else self._take_in(waiting.unit)
                for waiting in batch
            ]
        if self.on_committed is not None:
            written = committed(answers)
            if written:
                try:
                    self.on_committed(written)
                except BaseException:
                    _log.exception("what was to follow a commit failed; the commit stands")
        _deliver(batch, answers)

    def _take_in(self, intake: Intake) -> Answer:
        try:
            return self._store.take_in(intake)
        except LedgerError as error:
            return error
        except BaseException as error:
            _log.exception("what a device submitted could not be written")
            return StoreFailed(f"it could not be written: {error!r}")

    def _ask(self, units: list[Unit]) -> list[Answer]:
        if not units:
            return []
        try:
            return [*self._store.append_units(units)]
        except BaseException as error:
            if len(units) == 1:
                _log.exception("a unit could not be written")
                failed = StoreFailed(f"the unit could not be written: {error!r}")
                failed.__cause__ = error
                return [failed]
            # One of them did it; the others are not to suffer for it.
            _log.warning("a group of %d units failed, trying them singly", len(units))
        return [answer for unit in units for answer in self._ask([unit])]


class _Waiting:
    """A unit, and who waits for its answer: a thread's future, or a loop's."""

    __slots__ = ("future", "loop", "unit")

    def __init__(
        self,
        unit: Unit | Intake,
        future: Waited,
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        self.unit = unit
        self.future = future
        self.loop = loop


Settled = tuple[Waited, Answer]


def committed(answers: Iterable[Answer]) -> list[Appended]:
    """What was written, of all that was answered: retries and refusals are left out."""
    written: list[Appended] = []
    for answer in answers:
        if isinstance(answer, Appended):
            if not answer.duplicate:
                written.append(answer)
        elif isinstance(answer, TakenIn):
            written.extend(answer.appended)
    return written


def _deliver(batch: list[_Waiting], answers: list[Answer]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[Settled]] = {}
    for waiting, answer in zip(batch, answers, strict=True):
        if waiting.loop is None:
            _settle([(waiting.future, answer)])
        else:
            by_loop.setdefault(waiting.loop, []).append((waiting.future, answer))
    for loop, settled in by_loop.items():
        try:
            # One wake-up for the whole commit: each costs the loop a system call.
            loop.call_soon_threadsafe(_settle, settled)
        except RuntimeError:
            _log.info("%d answers came after their event loop was closed", len(settled))


def _settle(settled: list[Settled]) -> None:
    for future, answer in settled:
        if isinstance(future, Future):
            if not future.set_running_or_notify_cancel():
                continue
        elif future.done():  # its request was cancelled; the entry stands all the same
            continue
        if isinstance(answer, LedgerError):
            future.set_exception(answer)
        else:
            future.set_result(answer)
