"""One connection and what it may cost: bounds on its heads, bodies, silence and slow reading.

Uvicorn's protocol has none of them: a head without an end grows in its parser for ever, and whoever
never reads keeps his answer in memory. What is whole in one piece, as nearly every request is, pays
for no timer here.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import re
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.hall.addresses import means_this_machine
from api.hall.places import Places


class Stage(enum.Enum):
    """What of a request is awaited."""

    NOTHING = 0
    HEAD = 1
    BODY = 2


_REFUSED = {
    400: b"Bad Request",
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
    503: b"Service Unavailable",
}


GUEST = "tabularium.guest"
"""Where a request's scope has its connection, while nobody knows yet whose token it shows."""

_OWN_AUTHORITY_S = 86_400
_NAMED_CERTIFICATE_S = 31_536_000

_COOKIE = b"tabularium_session="

_UPGRADE = re.compile(rb"(?<=\n)(upgrade):", re.IGNORECASE)
_END = b"\r\n\r\n"
_OVERLAP = 16
"""So much of a head is kept beside its next piece: a name, or its end, may lie across the two."""


def https_only_for(*, has_own_authority: bool) -> bytes:
    """Value of Strict-Transport-Security; a day where the certificate is the archive's own.

    Such an archive may go back to plain http without an organiser's certificate.
    """
    return b"max-age=%d" % (_OWN_AUTHORITY_S if has_own_authority else _NAMED_CERTIFICATE_S)


def bounded(places: Places, *, https_only: bytes = b"") -> type[BoundedProtocol]:
    """The protocol class of one server, whose connections share these places.

    `https_only`: value of Strict-Transport-Security for what is refused over TLS.
    """
    return type("Bounded", (BoundedProtocol,), {"places": places, "https_only": https_only})


# Not below uvicorn's own, whose levels it sets anew.
_faults = logging.getLogger(f"{__name__}.faults")
"""Where connections tell what went wrong with the program: what strangers send is told by places,
which count it, and not line by line."""
_faults.setLevel(logging.ERROR)

_JOINED_BYTES = 64 * 1024
"""Bodies that are larger are not copied to be sent together with their head."""


class _ToTheEnd(int):
    """What is left of a body of no known length: nothing is more, and nothing is missing."""

    def __lt__(self, _: object) -> bool:
        return False

    def __sub__(self, _: object) -> _ToTheEnd:
        return self

    def __ne__(self, _: object) -> bool:
        return False

    __hash__ = int.__hash__


class Joining:
    """The transport of one answer, whose head goes out together with what follows it at once.

    Uvicorn writes head and body apart, and each is a call of the system: a tenth of a small
    answer's cost. A head that nothing follows in this turn of the loop goes out in the next.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head: bytes | None = None
        self._sending: asyncio.Handle | None = None

    def write(self, data: bytes) -> None:
        """The head first, then what follows it; nothing any more where the reader is gone."""
        if self._transport.is_closing():
            return
        if self._head is None:
            self._head = data
            self._sending = self._loop.call_soon(self._send_head)
            return
        if self._sending is not None:
            self._sending.cancel()
            if len(data) <= _JOINED_BYTES:
                self._sending = None
                data = self._head + data
            else:
                self._send_head()
        self._transport.write(data)

    def close(self) -> None:
        """Close once everything is written."""
        if self._sending is not None:
            self._sending.cancel()
            self._send_head()
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether it is closed, or will be."""
        return self._transport.is_closing()

    def _send_head(self) -> None:
        self._sending = None
        if self._head is not None and not self._transport.is_closing():
            self._transport.write(self._head)


def _in_this_protocol(data: bytes, before: bytes = b"") -> bytes:
    """A head that asks for another protocol, as one that does not: it is answered in this one.

    RFC 9110 7.8 has a server pass over such a wish. Its parser would take the body, and whatever
    is asked next, for that protocol's: Java's own client sends the wish with every request. `data`
    begins with the head, or goes on with one that ended with `before`, so that no body is touched.
    """
    head, end, rest = (before + data).partition(_END)
    return (_UPGRADE.sub(rb"\1-:", head) + end + rest)[len(before) :]


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol, within the bounds of `places`."""

    places: ClassVar[Places]
    https_only: ClassVar[bytes] = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Take a place, or be refused."""
        self._stage = Stage.NOTHING
        self._has_spoken = False
        self._is_refused = False
        self._beside = 0
        self._body = 0
        self._of_body = 0
        """Of the piece that came last."""
        self._has_ended = False
        """Whether a request ended in it."""
        self._since = 0
        self._before = b""
        """The last of a head that is not whole yet."""
        self._waiting: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self.logger = _faults
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self.places.enter(self, self._address):
            self._wait(self.places.bounds.silent_s)
        else:
            self._refuse(503)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._rest()
        self._stay()
        self.places.leave(self)
        super().connection_lost(exc)

    def give_way(self) -> None:
        """Close at once: the place is wanted."""
        self._is_refused = True
        self.transport.abort()

    def take_as_staff(self) -> None:
        """The token that it shows is one of somebody who has work here."""
        self.places.take_as_staff(self)

    def take_as_stranger(self) -> bool:
        """It is not: whether it is answered nevertheless."""
        return self.places.take_as_stranger(self)

    # What comes in.

    def data_received(self, data: bytes) -> None:
        """Read on, unless what comes is more than a request needs, or comes too slowly."""
        if self._is_refused:
            return
        self._of_body, self._has_ended = 0, False
        if self._stage is Stage.HEAD:
            data = _in_this_protocol(data, self._before)
        elif self._stage is Stage.NOTHING and (b"pgrade" in data or b"PGRADE" in data):
            data = _in_this_protocol(data)
        super().data_received(data)
        if self._is_refused or self.transport.is_closing():
            return
        if self._stage is Stage.HEAD:
            self._before = (self._before + data)[-_OVERLAP:]
        bounds = self.places.bounds
        if len(self.pipeline) > bounds.pipelined:
            self._close("connections closed, too many requests at once")
        elif self._stage is Stage.NOTHING:
            if self._has_spoken and self._waiting is not None:
                self._rest()
        else:
            # What is neither body nor known to have ended: a head, the sizes of chunks, trailers.
            # Where another one ended in this piece, nobody tells how much of it was whose.
            if not self._has_ended:
                self._beside += len(data) - self._of_body
            most = bounds.head_bytes + (8 * self._body if self._stage is Stage.BODY else 0)
            if self._beside > most:
                self._refuse(431)
            elif self._waiting is None:
                is_head = self._stage is Stage.HEAD
                self._since = self._body
                self._wait(bounds.head_s if is_head else bounds.body_s)

    def send_400_response(self, msg: str) -> None:
        """What came is no request: uvicorn would answer into the middle of another answer."""
        self._refuse(400)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._stage = Stage.HEAD
        self._beside = self._body = 0
        self._before = b""
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of its head, without the white space behind it (RFC 9110 5.5).

        What stands behind a body is none: it says nothing of a request that is being answered.
        """
        if self._stage is Stage.HEAD:
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """Its head is whole: answer it, if it is one that can be meant."""
        if self._is_refused:
            return
        if self.parser.should_upgrade():
            # Asked behind another request, in one piece with it. What is read as its body would be
            # none to the parser, and then a request of its own.
            self._refuse(400)
            return
        bounds = self.places.bounds
        size, shows_token = len(self.url), False
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            if name == b"authorization" or (name == b"cookie" and _COOKIE in value):
                shows_token = True
        if size > bounds.head_bytes or len(self.headers) > bounds.headers:
            self._refuse(431)
            return
        if not self.places.heard(self, shows_token=shows_token):
            self._refuse(503)
            return
        if shows_token and not self.places.is_staff(self):
            self.scope[GUEST] = self  # type: ignore[literal-required]  # a key of our own
        self._stage = Stage.BODY
        self._has_spoken = True
        self._rest()
        super().on_headers_complete()
        cycle: Any = self.cycle
        cycle.transport = Joining(self.transport, self.loop)
        if self.scope["http_version"] == "1.0":
            # It knows no chunks: what is of no known length ends with the connection.
            cycle.chunked_encoding, cycle.expected_content_length = False, _ToTheEnd()

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        self._body += len(body)
        self._of_body += len(body)
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """It is whole."""
        self._stage = Stage.NOTHING
        self._has_ended = True
        if not self._is_refused:
            self._rest()
            super().on_message_complete()

    # What goes out.

    def pause_writing(self) -> None:
        """More waits to be read than is kept gladly."""
        super().pause_writing()
        self._leave_soon()

    def resume_writing(self) -> None:
        """It was read."""
        super().resume_writing()
        self._stay()

    def on_response_complete(self) -> None:
        """What ends the connection still has to be read."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._leave_soon()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more was asked; the last answer may still lie here."""
        super().timeout_keep_alive_handler()
        self._leave_soon()

    # Timers, and ends.

    def _wait(self, seconds: float) -> None:
        self._waiting = self.loop.call_later(seconds, self._is_late)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _is_late(self) -> None:
        self._waiting = None
        bounds = self.places.bounds
        # Where the server itself reads no further, the other side is not to blame.
        is_blameless = self.flow.read_paused or self._body - self._since >= bounds.body_bytes
        if self._stage is Stage.BODY and is_blameless:
            self._since = self._body
            self._wait(bounds.body_s)
            return
        self._refuse(408)

    def _leave_soon(self) -> None:
        if self._leaving is None:
            self._leaving = self.loop.call_later(self.places.bounds.write_s, self._is_not_read)

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _is_not_read(self) -> None:
        self._leaving = None
        self._close("connections closed, nothing was read for too long")

    def _close(self, kind: str) -> None:
        self.places.refusals.tell(kind, self._address)
        self.give_way()

    def _refuse(self, status: int) -> None:
        """Answer with the status alone, and close; cut off where another answer is on its way."""
        self._is_refused = True
        phrase = _REFUSED[status]
        if status != 503:
            kind = f"requests refused, {phrase.decode().lower()}"
            self.places.refusals.tell(kind, self._address)
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            self.transport.abort()
            return
        more = b"retry-after: 5\r\n" if status == 503 else b""
        # By what name it was asked for may not be known; whoever says `localhost` is this machine.
        if self.https_only and self.scheme == "https" and not means_this_machine(self._address):
            more += b"strict-transport-security: %b\r\n" % self.https_only
        self.transport.write(
            b"HTTP/1.1 %d %b\r\n%bx-content-type-options: nosniff\r\n"
            b"content-length: 0\r\nconnection: close\r\n\r\n" % (status, phrase, more)
        )
        self.transport.close()
        self._leave_soon()
