"""Many files at once: worker processes make them ready, one writer appends them in their order.

Entries go into the log in the order of the files, however many workers there are. Matches of many
files share one commit, and a result is reported once its file is stored. To resume an import that
was stopped, start it again: files that are stored already are recognised by their bytes.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from pathlib import Path

import msgspec

from api.imports.garbage import seldom_collected
from api.imports.long_files import is_long, prepared
from api.imports.preparing import Order, Preparer
from api.imports.ready import FileRefused, Ready, ReadyMatch, ReadySealed
from api.imports.taking import Known, Loaded, Outcome, Taker, load
from api.imports.workers import FILE_SECONDS, WORKER, Workers
from events.errors import TooLarge

COMMIT_ENTRIES = 8_192
"""Entries that are gathered for one commit, because a flush to the disk is slow."""

COMMIT_FILES = 500
"""Most files gathered for one commit, if they hold few entries."""

COMMIT_AFTER_S = 1.0
"""How long a file that is ready waits at most for others to share its commit."""

AHEAD_FILES = 16
"""Files for each worker that are at work or wait for those before them: as many as are read while
the writer commits."""

AHEAD_BYTES = 1_000_000
"""Most bytes of files being worked on, unless a single one has more."""

_IDLE_S = 0.25

Prepared = Sequence[Ready | Known]


def default_workers(files: int) -> int:
    """How many workers to use for so many files; 0 = this process reads them itself."""
    return 0 if files < 16 else max(1, min(8, os.cpu_count() or 1))


class Bulk:
    """One import: takes files, and gives the outcome of each in the same order."""

    def __init__(
        self,
        taker: Taker,
        order: Order,
        *,
        workers: int = 0,
        rereads_known: bool = False,
        worker_command: Sequence[str] = WORKER,
        file_seconds: float = FILE_SECONDS,
    ) -> None:
        self.taker = taker
        self.order = order
        self.workers = workers
        """Processes that read files; 0 = this one does."""
        self.rereads_known = rereads_known
        """Whether files imported before are read again, to report everything about them."""
        self._worker_command = worker_command
        self._file_seconds = file_seconds

    def run(self, paths: Iterable[Path]) -> Generator[list[Outcome], None, None]:
        """What became of each file's matches, in the order of the files. Errors: LedgerError."""
        gathered: list[Prepared] = []
        entries = 0
        begun = time.monotonic()
        # With workers, a thread writes while this one goes on handing files to them.
        writing: Future[list[list[Outcome]]] | None = None
        with (
            seldom_collected(),
            ThreadPoolExecutor(1, thread_name_prefix="tabularium-import") as writer,
            contextlib.closing(self._prepared(paths)) as prepared,
        ):
            for file in prepared:
                if file is not None:
                    if not gathered:
                        begun = time.monotonic()
                    gathered.append(file)
                    entries += sum(map(_entries, file))
                is_due = gathered and time.monotonic() - begun >= COMMIT_AFTER_S
                is_full = entries >= COMMIT_ENTRIES or len(gathered) >= COMMIT_FILES
                if writing is not None and (is_full or writing.done()):
                    yield from writing.result()
                    writing = None
                if writing is None and (is_full or is_due):
                    if self.workers:
                        writing = writer.submit(self._written, gathered)
                    else:
                        yield from self._written(gathered)
                    gathered, entries = [], 0
            if writing is not None:
                yield from writing.result()
            yield from self._written(gathered)

    def _written(self, files: Sequence[Prepared]) -> list[list[Outcome]]:
        """Append what was gathered with one commit, and tell of it in the order of the files."""
        ready = [
            match
            for file in files
            # The first match of a file goes in last: where it is, the others are.
            for match in reversed(file)
            if isinstance(match, ReadyMatch)
        ]
        answers = self.taker.take(self.order.log_id, ready) if ready else []
        answer_of = {id(match): answer for match, answer in zip(ready, answers, strict=True)}
        return [
            [outcome for one in file for outcome in self._outcomes(one, answer_of)]
            for file in files
        ]

    def _outcomes(
        self, one: Ready | Known, answers: dict[int, bool | TooLarge]
    ) -> Sequence[Outcome]:
        return self.taker.restore(one) if isinstance(one, ReadySealed) else [_outcome(one, answers)]

    def _prepared(self, paths: Iterable[Path]) -> Generator[Prepared | None, None, None]:
        if self.workers:
            with contextlib.closing(
                Workers(
                    self.order,
                    self.workers,
                    command=self._worker_command,
                    file_seconds=self._file_seconds,
                )
            ) as workers:
                yield from self._by_workers(paths, workers)
            return
        preparer = Preparer(self.order)
        for path in paths:
            if is_long(path):
                yield from self._long(path, preparer)
                continue
            file = self._load(path)
            if isinstance(file, Loaded):
                yield preparer.ready(file.data, file.file, source_name=file.source_name)
            else:
                yield file

    def _long(self, path: Path, preparer: Preparer) -> Iterator[Prepared]:
        """A file of sealed entries that is not read into memory: a match at a time, here."""
        name = os.fsencode(path).decode("utf-8", "replace")
        for match in prepared(path, preparer, name):
            yield match
            if self.order.for_server:
                return  # which takes no sealed entries: that is said once

    def _load(self, path: Path) -> Loaded | Prepared:
        """A file that is to be read; or what there is to say without reading it."""
        file = load(path)
        if isinstance(file, FileRefused):
            return [file]
        if not self.rereads_known:
            log_id = self.order.log_id
            stream_id = file.first_stream(log_id)
            if self.taker.knows(log_id, stream_id):
                return [Known(file.file, stream_id, log_id)]
        return file

    def _by_workers(
        self, paths: Iterable[Path], workers: Workers
    ) -> Generator[Prepared | None, None, None]:
        """As the workers make them ready, in order; None while the next one takes its time."""
        ahead: deque[tuple[int, Future[list[Ready]] | Prepared]] = deque()
        at_work = 0
        coming = iter(paths)
        while True:
            is_full = at_work > AHEAD_BYTES or len(ahead) >= AHEAD_FILES * self.workers
            path = None if is_full else next(coming, None)
            if path is not None and is_long(path):
                while ahead:  # what came before it goes in before it
                    _, first = ahead.popleft()
                    yield first.result() if isinstance(first, Future) else first
                at_work = 0
                yield from self._long(path, Preparer(self.order))
                continue
            if path is not None:
                file = self._load(path)
                if isinstance(file, Loaded):
                    at_work += len(file.data)
                    ahead.append((len(file.data), workers.submit(file)))
                else:
                    ahead.append((0, file))
            elif not ahead:
                return
            while ahead:
                size, first = ahead[0]
                if isinstance(first, Future):
                    if not first.done() and path is not None:
                        break
                    if not wait_for([first], timeout=_IDLE_S).done:
                        yield None
                        continue
                    first = first.result()
                ahead.popleft()
                at_work -= size
                yield first
                if path is None:
                    break


def _entries(one: Ready | Known) -> int:
    """Entries that wait to be written."""
    if isinstance(one, ReadySealed):
        return one.size
    return one.row.version if isinstance(one, ReadyMatch) else 0


def _outcome(one: ReadyMatch | FileRefused | Known, answers: dict[int, bool | TooLarge]) -> Outcome:
    if not isinstance(one, ReadyMatch):
        return one
    answer = answers[id(one)]
    if isinstance(answer, TooLarge):
        return FileRefused(one.result.file, str(answer))
    return msgspec.structs.replace(one.result, already=True) if answer else one.result
