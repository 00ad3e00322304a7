"""Processes that make files ready for an import, with the next one at hand while they read one."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

from api.archive.child import ended, pipes_of, receive, send
from api.imports.preparing import Order
from api.imports.ready import FileRefused, Ready
from api.imports.taking import Loaded
from api.imports.worker import ENCODER, READY, Work

FILE_SECONDS = 120.0
"""How long a worker may take over one file; real files take some hundredths of a second."""

_AT_HAND = 2
"""Files that a worker holds: the one it reads and the next one, so that it never waits for this
process, which also has to write."""

_HOME = str(Path(__file__).resolve().parents[2])

WORKER = (
    sys.executable,
    "-P",
    "-c",
    # It runs the same program as this process, wherever that was found.
    f"import sys; sys.path.insert(0, {_HOME!r}); from api.imports.worker import main; main()",
)
"""Command that starts a worker."""


class _Job(NamedTuple):
    """A file to be made ready, and the future that waits for it."""

    file: Loaded
    done: Future[list[Ready]]


class Workers:
    """A number of worker processes, each with a thread that waits for it."""

    def __init__(
        self,
        order: Order,
        count: int,
        *,
        command: Sequence[str] = WORKER,
        file_seconds: float = FILE_SECONDS,
    ) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._all = [
            _Worker(order, self._jobs, others=count - 1, command=command, seconds=file_seconds)
            for _ in range(count)
        ]
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()
        self._watch = threading.Thread(
            target=self._watching, args=(min(1.0, file_seconds / 4),), daemon=True
        )

    def submit(self, file: Loaded) -> Future[list[Ready]]:
        """Make a file ready when a worker is free; never raises: a bad file is refused instead."""
        job = _Job(file, Future())
        self._jobs.put(job)
        if len(self._threads) < len(self._all):
            worker = self._all[len(self._threads)]
            self._threads.append(threading.Thread(target=worker.run, daemon=True))
            self._threads[-1].start()
            if len(self._threads) == 1:
                self._watch.start()
        return job.done

    def close(self) -> None:
        """Kill all workers, whatever they are doing."""
        self._closed.set()
        for worker in self._all:
            worker.close()
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        if self._threads:
            self._watch.join()

    def _watching(self, every_s: float) -> None:
        while not self._closed.wait(every_s):
            for worker in self._all:
                worker.end_if_late()


class _Worker:
    """One process; started when it is needed, and again when a file has crashed it."""

    def __init__(
        self,
        order: Order,
        jobs: queue.SimpleQueue[_Job | None],
        *,
        others: int,
        command: Sequence[str],
        seconds: float,
    ) -> None:
        self._order = order
        self._jobs = jobs
        self._others = others
        self._command = command
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._gate = threading.Lock()
        self._is_closed = False
        self._due: float | None = None
        """When the file that it reads is to be ready, by the monotonic clock."""
        self._is_late = False

    def run(self) -> None:
        """Have files made ready, in the order in which they were taken, until it is closed."""
        at_hand: deque[_Job] = deque()
        while True:
            for job in self._more(at_hand):
                at_hand.append(job)
                self._hand(job, is_next=len(at_hand) == 1)
            if not at_hand:
                return
            try:
                ready = self._answered(at_hand[0].file)
            except Exception as error:
                # Whoever waits for a file is to hear of a fault here, and not to wait for ever.
                for job in at_hand:
                    job.done.set_exception(error)
                return
            at_hand.popleft().done.set_result(ready)
            self._is_timed(bool(at_hand) and self._process is not None)
            if self._process is None:
                # What was behind the file that ended it goes to the next process.
                for number, job in enumerate(at_hand):
                    self._hand(job, is_next=number == 0)

    def _more(self, at_hand: Sequence[_Job]) -> Iterator[_Job]:
        """What it takes besides: waits for a file if it has none, and takes none from the others
        that have nothing to read."""
        for number in range(len(at_hand), _AT_HAND):
            if number and self._jobs.qsize() <= self._others:
                return
            try:
                job = self._jobs.get(block=not number)
            except queue.Empty:
                return
            if job is None:
                # For whoever of the others waits, too.
                self._jobs.put(None)
                return
            yield job

    def _hand(self, job: _Job, *, is_next: bool) -> None:
        """Send it a file; whether it could is seen by its answer."""
        # Only the file that is read next starts a process: its answer is the first that comes.
        process = self._started() if is_next else self._process
        if process is None:
            return
        if is_next:
            # Before it is sent: who sends to a process that reads nothing waits for its end.
            self._is_timed(True)
        file = job.file
        with contextlib.suppress(OSError, ValueError):
            work = Work(file.file, file.source_name, file.data)
            send(pipes_of(process)[0], ENCODER.encode(work))

    def _is_timed(self, is_at_work: bool) -> None:
        with self._gate:
            self._due = time.monotonic() + self._seconds if is_at_work else None

    def end_if_late(self) -> None:
        """End the process if it takes too long over its file."""
        with self._gate:
            if self._due is not None and time.monotonic() >= self._due and self._process:
                self._is_late = True
                self._process.kill()

    def _answered(self, file: Loaded) -> list[Ready]:
        """The file's matches; if it ended the process, or took too long, it is refused."""
        process = self._process
        if process is None:
            return [FileRefused(file.file, "no process could be started to read it")]
        raw = None
        with contextlib.suppress(OSError, ValueError):
            raw = receive(pipes_of(process)[1])
        with self._gate:
            self._due = None
            # Ended for being late as it answered: its answer counts, and it reads no other file.
            is_late, self._is_late = self._is_late, False
            is_over = is_late or raw is None
            if is_over:
                self._process = None
        status = ended(process) if is_over else 0
        if raw is not None:
            return READY.decode(raw)
        if is_late:
            why = f"it took longer than {self._seconds:g} s to read; divide it"
        else:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            why = f"the process that read it ended ({how}); give it once more, alone"
        return [FileRefused(file.file, why)]

    def _started(self) -> subprocess.Popen[bytes] | None:
        """The process, ready for a file; None if there is none to be had."""
        with self._gate:
            if self._is_closed or self._process is not None:
                return self._process
            try:
                process = self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                return None
        inlet, outlet = pipes_of(process)
        with contextlib.suppress(OSError, ValueError):
            send(inlet, ENCODER.encode(self._order))
            receive(outlet)
            return process
        self._process = None
        ended(process)
        return None

    def close(self) -> None:
        """End it, whatever it is at; no other is started."""
        with self._gate:
            self._is_closed = True
            process, self._process = self._process, None
        if process is not None:
            ended(process)
