"""Runs work that comes in pieces: by processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import ModuleType
from typing import Any, Protocol, TypeVar

from api.publishing.extras import NotPublished, needed

T = TypeVar("T")


class Sized(Protocol):
    """A piece of work."""

    @property
    def entries(self) -> int:
        """Entries in it, about."""
        ...


Piece = TypeVar("Piece", bound=Sized)
Done = TypeVar("Done")

WORTH_A_POOL = 200_000
"""Entries below which starting processes takes longer than the work."""


class Engine(Protocol):
    """Maps work over pieces, in order, a few at a time: memory is flat in their number."""

    def map(self, work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> Iterator[Done]:
        """What became of each piece, in their order. Errors: LedgerError."""
        ...


class LocalEngine:
    """A pool of processes; where there is little to do, or one worker, this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> Iterator[Done]:
        """What became of each, in order. Errors: LedgerError."""
        workers = min(self.workers, len(pieces))
        if workers <= 1 or sum(one.entries for one in pieces) < WORTH_A_POOL:
            yield from map(work, pieces)
            return
        # Spawned: a fork would inherit locks that threads of this process may hold.
        pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_prepare
        )

        def begun(piece: Piece) -> Future[Done]:
            with _without_main():
                return pool.submit(work, piece)

        try:
            for future in _ahead(map(begun, pieces), workers * 2):
                yield future.result()
        except BrokenProcessPool:
            raise NotPublished(
                "a worker process was ended from outside (out of memory?): try fewer --workers"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


class RayEngine:
    """Tasks on a Ray cluster (RAY_ADDRESS), or on one that is started here and now.

    Its machines have this program installed, and reach the database by the same URL.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers

    def map(self, work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> Iterator[Done]:
        """What became of each, in order. Errors: LedgerError."""
        # Here alone: settings load what a worker of the other engine would only wait for.
        from api.settings import keep_ray_from_uv, ray_address

        keep_ray_from_uv()
        ray = needed("ray", extra="ray")
        is_ours = not ray.is_initialized()
        if is_ours:
            _join(ray, ray_address())
        try:
            at_once = self.workers or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            task = ray.remote(work)
            waiting = (task.remote(piece) for piece in pieces)
            for reference in _ahead(waiting, at_once):
                done: Done = _result(ray, reference)
                yield done
        finally:
            if is_ours:
                ray.shutdown()


def _join(ray: ModuleType, named: str | None) -> None:
    """Begin with the cluster that is named, or start one. Errors: NotPublished."""
    try:
        ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
    except Exception as error:
        # Each version has other ones: for an address that is none, a cluster that does not answer
        # or is of another version, a machine on which none can be started.
        which = f"at {named} (RAY_ADDRESS)" if named else "on this machine"
        line = str(error).strip().partition("\n")[0] or type(error).__name__
        raise NotPublished(
            f"there is no Ray cluster to work with {which}: {line}. `--engine local` takes none"
        ) from None


def _result(ray: ModuleType, reference: object) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        line = str(error).strip().partition("\n")[0]
        raise NotPublished(f"the Ray cluster could not do it: {line}") from None


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without the cyclic garbage collector: replays make many objects, and hold no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _ahead(waiting: Iterator[T], count: int) -> Iterator[T]:
    """The same items in order, of which up to `count` have been begun when one is handed out."""
    begun: deque[T] = deque()
    for one in waiting:
        begun.append(one)
        if len(begun) >= count:
            yield begun.popleft()
    yield from begun


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """A spawned process imports its parent's main module first: here the whole command line.

    That takes longer than all that the work needs, so it is told of a main module without a file.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _prepare() -> None:
    """A worker leaves Ctrl-C to its parent, and ends with it: else it would wait for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        with contextlib.suppress(Exception):
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
