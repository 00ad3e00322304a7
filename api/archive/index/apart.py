"""Pages of a log read in a process of its own, because folding blocks every other thread.

The process only reads the ledger and sends rows back through a pipe. Names may be erased meanwhile,
so they are opened by the process that writes the rows into the index.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import subprocess
import threading
from collections.abc import Callable
from typing import IO, Generic, Protocol, TypeVar, get_type_hints

import msgspec

from api.archive.child import ended, pipes_of, receive, send, set_out, started
from api.archive.reading import Reading
from events.store.opening import open_store
from projections.rules.sentences import InHand

_log = logging.getLogger(__name__)

GIVES_WAY = 10
"""How much lower its priority is than the server's (nice)."""

_LIVES = 2
"""After so many processes have died over one page, the server reads it itself."""


class Page(Protocol):
    """What one page of a log says: a struct of msgspec."""

    @property
    def end(self) -> int:
        """The position after it."""
        ...


Paged = TypeVar("Paged", bound=Page)

PageOf = Callable[[Reading, str, int], Paged]
"""Reads the page of a log that begins at a position: a function of a module."""


class Order(msgspec.Struct, frozen=True):
    """What such a process is told first."""

    url: str
    """Where the ledger lies; it may hold a password, which no command line may."""
    module: str
    name: str
    """What reads a page, and of which module."""
    in_hand: InHand
    """Sentences of rule sets with which matches are judged."""


class WantedPage(msgspec.Struct, frozen=True):
    """The page that is wanted next."""

    log_id: str
    position: int


class Apart(Generic[Paged]):
    """A process that reads pages, begun with the first one, and anew where it has died.

    One thread asks it, any may close it.
    """

    def __init__(self, url: str, page_of: PageOf[Paged]) -> None:
        self._url = url
        self._page_of = page_of
        self._type: type[Paged] = get_type_hints(page_of)["return"]
        self._gate = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._in_hand: InHand | None = None
        self._is_closed = False
        self._lives = _LIVES

    def page(self, in_hand: InHand, log_id: str, position: int) -> Paged | None:
        """A page, read with these rule texts; None where no process does it, or it is closed."""
        while self._lives and not self._is_closed:
            try:
                process = self._running(in_hand)
                asked, answers = pipes_of(process)
                _send(asked, WantedPage(log_id, position))
                raw = receive(answers)
            except (OSError, ValueError) as error:
                if not self._is_closed:
                    self._lives -= 1
                    how = "it is begun anew" if self._lives else "the server reads on by itself"
                    _log.warning("the process that reads the log ended (%s): %s", error, how)
                self._end()
                continue
            self._lives = _LIVES
            return msgspec.msgpack.decode(raw, type=self._type)
        return None

    def close(self) -> None:
        """End it, in the middle of a page too; no other is begun."""
        self._is_closed = True
        self._end()

    def _running(self, in_hand: InHand) -> subprocess.Popen[bytes]:
        if self._in_hand is not in_hand:
            self._end()
        with self._gate:
            if self._is_closed:
                raise BrokenPipeError("nobody waits for it any more")
            if self._process is not None:
                return self._process
            self._in_hand = in_hand
            process = self._process = started(__name__)
        names = self._page_of.__module__, self._page_of.__qualname__
        _send(pipes_of(process)[0], Order(self._url, *names, in_hand))
        return process

    def _end(self) -> None:
        with self._gate:
            process, self._process = self._process, None
            if process is not None:
                ended(process)


def _send(pipe: IO[bytes], value: object) -> None:
    # Rule texts lie in views of dicts.
    send(pipe, msgspec.msgpack.encode(value, enc_hook=dict))


def serve(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Read what is asked for until nobody asks any more. Errors: LedgerError."""
    order = msgspec.msgpack.decode(receive(asked), type=Order)
    page_of: PageOf[Page] = getattr(importlib.import_module(order.module), order.name)
    with contextlib.closing(open_store(order.url, read_only=True)) as store:
        reading = Reading(store, capacity=1, in_hand=order.in_hand)
        with contextlib.suppress(BrokenPipeError):
            while True:
                one = msgspec.msgpack.decode(receive(asked), type=WantedPage)
                _send(answers, page_of(reading, one.log_id, one.position))


if __name__ == "__main__":
    pipes = set_out(GIVES_WAY)
    # Replays are many small objects, and hold no cycles worth looking for so often.
    gc.set_threshold(50_000, 20, 20)
    serve(*pipes)
