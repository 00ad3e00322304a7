"""The writer of a server on an SQLite file: group commit by the event loop itself.

A writer thread and an event loop would take turns at the interpreter's lock for every group, which
costs more than the writing does. Here the loop seals and inserts whatever came in since its last
turn, and only the flush is left to a thread, which needs no interpreter: while the disk works the
loop goes on, and a slow disk never holds up the readers. One loop, one writer: `append` is called
from the loop's thread alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence, Sized
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from events.errors import LedgerError, StoreBusy, StoreFailed
from events.store.journal import Intake, TakenIn
from events.store.protocol import Appended, Unit
from events.store.sql import Staged
from events.store.writer import Appender, committed

A = TypeVar("A")

GATHERING_S = 0.002
"""How long a group is kept open at most for those who were just answered."""

RECENT_S = 0.02
"""Who was answered no longer ago than this may come again at once: the next answer takes a way to
its client and back, and on a busy machine the client waits for the processor as well."""

_log = logging.getLogger(__name__)


class Stager(Appender, Protocol):
    """The part of a store that this writer needs."""

    def stage_units(self, units: Sequence[Unit]) -> Staged | None:
        """Group commit up to the commit, as in SqlStore."""
        ...


class LoopWriter:
    """Gathers the units of one turn of the loop into one commit."""

    def __init__(
        self,
        store: Stager,
        *,
        capacity: int = 4_096,
        group: int = 256,
        on_committed: Callable[[list[Appended]], None] | None = None,
    ) -> None:
        self.on_committed = on_committed
        """Called in the loop's thread after each commit, before anybody is answered, with what
        was written (retries left out); must be quick, and may be set later."""
        self._store = store
        self._capacity = capacity
        self._group = group
        self._pending: list[tuple[Unit, asyncio.Future[Appended]]] = []
        self._intakes: deque[tuple[Intake, asyncio.Future[TakenIn]]] = deque()
        self._is_scheduled = False
        self._is_committing = False
        self._is_stopping = False
        self._is_after_units = False
        self._expected = 1
        """Units that are likely to come together: as many as were answered last, or waited then."""
        self._answered = 0.0
        """When that was, by the loop's clock."""
        self._gathering: asyncio.TimerHandle | None = None
        """Ends the wait for who was just answered."""
        self._flusher: _Flusher | None = None

    def append(self, unit: Unit) -> Awaitable[Appended]:
        """Queue a unit; the future has its answer or refusal. Errors: StoreBusy."""
        self._check_room(self._pending)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Appended] = loop.create_future()
        self._pending.append((unit, future))
        self._schedule(loop)
        return future

    def take_in(self, intake: Intake) -> Awaitable[TakenIn]:
        """Queue what a device submitted; it has a transaction of its own. Errors: StoreBusy."""
        self._check_room(self._intakes)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[TakenIn] = loop.create_future()
        self._intakes.append((intake, future))
        self._schedule(loop)
        return future

    def waiting(self) -> int:
        """Units in the queue."""
        return len(self._pending)

    def _check_room(self, queue: Sized) -> None:
        if self._is_stopping:
            raise StoreBusy("the archive is closing: try again when it is back")
        if len(queue) >= self._capacity:
            raise StoreBusy("too many entries are waiting to be written: try again in a moment")

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._gathering is not None and self._must_gather(loop):
            return
        if not self._is_scheduled and not self._is_committing:
            # The end of this turn: what others have sent by now shares the flush.
            self._is_scheduled = True
            loop.call_soon(self._turn, loop)

    def _must_gather(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the group is kept open for a moment more.

        Who was just answered is likely to send the next entry at once, and a commit costs as much
        for one as for twenty. Whoever writes alone never waits, nor does the first after a pause.
        """
        if self._gathering is not None:
            if len(self._pending) < self._expected and not self._intakes:
                return True
            self._gathering.cancel()
            self._gathering = None
            return False
        is_fresh = loop.time() - self._answered < RECENT_S
        if self._intakes or len(self._pending) >= self._expected or not is_fresh:
            return False
        self._gathering = loop.call_later(GATHERING_S, self._gathered, loop)
        return True

    def _gathered(self, loop: asyncio.AbstractEventLoop) -> None:
        """Who has not come by now is not waited for."""
        self._gathering, self._expected = None, 1
        self._turn(loop)

    def stop(self) -> None:
        """Write what is queued, and refuse what comes later with StoreBusy."""
        self._is_stopping = True
        if self._gathering is not None:
            self._gathering.cancel()
        if self._flusher is not None:
            self._flusher.stop()
        while self._pending:
            batch = self._take()
            staged = self._stage(batch)
            work = self._flushed(staged) if staged is not None else self._careful(batch)
            self._settle(batch, work())
        while self._intakes:
            intake, future = self._intakes.popleft()
            self._settle_intake(future, self._taken_in(intake))

    def _take(self) -> list[tuple[Unit, asyncio.Future[Appended]]]:
        batch = self._pending[: self._group]
        del self._pending[: self._group]
        return batch

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        """Write one group, and have it flushed."""
        self._is_scheduled = False
        if self._is_committing:
            return
        if self._intakes and (self._is_after_units or not self._pending):
            # By turns: neither a busy hall nor a long backlog keeps the other waiting.
            self._is_after_units = False
            self._take_in(loop)
            return
        if not self._pending or self._must_gather(loop):
            return
        self._is_after_units = True
        batch = self._take()
        staged = self._stage(batch)
        if staged is not None and staged.commit is None:
            self._end(loop, batch, staged)
            return
        self._is_committing = True
        work = self._flushed(staged) if staged is not None else self._careful(batch)
        self._in_thread(loop, work, lambda done: self._end(loop, batch, done))

    def _in_thread(
        self, loop: asyncio.AbstractEventLoop, work: Callable[[], A], end: Callable[[A], None]
    ) -> None:
        """Have the work done in the flushing thread, and its result handed over in the loop."""
        if self._flusher is None:
            try:
                self._flusher = _Flusher()
            except RuntimeError:
                # No thread can be had any more: the loop waits for this one flush itself.
                end(work())
                return
        self._flusher.do(loop, work, end)

    def _take_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Write what one device submitted, in the thread: it may be long."""
        intake, future = self._intakes.popleft()
        self._is_committing = True

        def end(answer: TakenIn | LedgerError) -> None:
            self._is_committing = False
            self._settle_intake(future, answer)
            self._go_on(loop)

        self._in_thread(loop, lambda: self._taken_in(intake), end)

    def _taken_in(self, intake: Intake) -> TakenIn | LedgerError:
        try:
            return self._store.take_in(intake)
        except LedgerError as error:
            return error
        except Exception as error:
            # Nothing may end the writer: everybody waits for it.
            _log.exception("what a device submitted could not be written")
            return StoreFailed(f"it could not be written: {error!r}")

    def _settle_intake(
        self, future: asyncio.Future[TakenIn], answer: TakenIn | LedgerError
    ) -> None:
        self._tell(committed([answer]))
        _answer(future, answer)

    def _flushed(self, staged: Staged) -> Callable[[], Staged]:
        def work() -> Staged:
            if staged.commit is not None:
                staged.commit()
            return staged

        return work

    def _careful(self, batch: list[tuple[Unit, asyncio.Future[Appended]]]) -> Callable[[], Staged]:
        """The whole append, where it may have to wait for somebody else who is writing."""
        units = [unit for unit, _ in batch]

        def work() -> Staged:
            try:
                return Staged(self._store.append_units(units), None)
            except Exception as error:
                return self._failed(batch, error)

        return work

    def _end(
        self,
        loop: asyncio.AbstractEventLoop,
        batch: list[tuple[Unit, asyncio.Future[Appended]]],
        staged: Staged,
    ) -> None:
        self._is_committing = False
        self._expected = min(len(batch) + len(self._pending), self._group)
        self._answered = loop.time()
        self._settle(batch, staged)
        self._go_on(loop)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if (self._pending or self._intakes) and not self._is_scheduled:
            self._is_scheduled = True
            loop.call_soon(self._turn, loop)

    def _stage(self, batch: list[tuple[Unit, asyncio.Future[Appended]]]) -> Staged | None:
        try:
            return self._store.stage_units([unit for unit, _ in batch])
        except Exception as error:
            return self._failed(batch, error)

    def _failed(
        self, batch: list[tuple[Unit, asyncio.Future[Appended]]], error: Exception
    ) -> Staged:
        # Nothing may end the writer: everybody waits for it.
        _log.error("a group of %d units could not be written", len(batch), exc_info=error)
        refusal = StoreFailed(f"the unit could not be written: {error!r}")
        return Staged([refusal] * len(batch), None)

    def _settle(self, batch: list[tuple[Unit, asyncio.Future[Appended]]], staged: Staged) -> None:
        self._tell(committed(staged.answers))
        for (_, future), answer in zip(batch, staged.answers, strict=True):
            _answer(future, answer)

    def _tell(self, written: list[Appended]) -> None:
        if self.on_committed is not None and written:
            try:
                self.on_committed(written)
            except Exception:
                _log.exception("what was to follow a commit failed; the commit stands")


class _Flusher:
    """One thread that flushes for the loop, and hands each result back to it.

    An executor does the same with two futures and three locks for each flush, which is dearer than
    all that the loop does to have an entry flushed.
    """

    def __init__(self) -> None:
        """Start the thread. Errors: RuntimeError if none can be had."""
        self._asked: SimpleQueue[tuple[asyncio.AbstractEventLoop, Any, Any] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="tabularium-flush", daemon=True)
        self._thread.start()

    def do(
        self, loop: asyncio.AbstractEventLoop, work: Callable[[], A], end: Callable[[A], None]
    ) -> None:
        """Do the work here, then the end with its result in the loop."""
        self._asked.put((loop, work, end))

    def stop(self) -> None:
        """Return once what was asked for is done."""
        self._asked.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            loop, work, end = asked
            try:
                loop.call_soon_threadsafe(end, work())
            except (
                Exception
            ):  # the loop is closed, say: nothing may end this thread before its time
                _log.exception("what was flushed could not be told")


def _answer(future: asyncio.Future[A], answer: A | LedgerError) -> None:
    # A request that was cancelled is not answered; its entry stands all the same.
    if future.done() or future.get_loop().is_closed():
        return
    if isinstance(answer, LedgerError):
        future.set_exception(answer)
    else:
        future.set_result(answer)
