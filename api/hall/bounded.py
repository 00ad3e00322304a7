"""One connection and its limits: on heads, bodies, silence and slow reading.

Uvicorn's protocol has none of these: a head without an end fills its parser for ever, and the
answer for a client that never reads stays in memory. A request that arrives in one piece, as nearly
all do, needs no timer here.
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
    """Which part of a request is being read."""

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
"""Key of the connection in a request's scope, while its token has not been checked yet."""

_OWN_AUTHORITY_S = 86_400
_NAMED_CERTIFICATE_S = 31_536_000

_COOKIE = b"tabularium_session="

_UPGRADE = re.compile(rb"(?<=\n)(upgrade):", re.IGNORECASE)
_END = b"\r\n\r\n"
_OVERLAP = 16
"""Bytes of a head kept from the piece before: a name, or the end of the head, may be split."""


def https_only_for(*, has_own_authority: bool) -> bytes:
    """Value of Strict-Transport-Security; a day if the certificate is the archive's own.

    Such an archive may later be served over plain http without an organiser's certificate.
    """
    return b"max-age=%d" % (_OWN_AUTHORITY_S if has_own_authority else _NAMED_CERTIFICATE_S)


def bounded(places: Places, *, https_only: bytes = b"") -> type[BoundedProtocol]:
    """The protocol class of one server, whose connections share these places.

    `https_only`: value of Strict-Transport-Security in refusals over TLS.
    """
    return type("Bounded", (BoundedProtocol,), {"places": places, "https_only": https_only})


# Not a child of uvicorn's logger, because uvicorn resets the levels of those.
_faults = logging.getLogger(f"{__name__}.faults")
"""Logger for faults of the program in a connection. What strangers send wrongly is counted by
places, and not logged line by line."""
_faults.setLevel(logging.ERROR)

_JOINED_BYTES = 64 * 1024
"""Larger bodies are not copied to be sent together with their head."""


class _ToTheEnd(int):
    """The remaining length of a body of unknown length: no piece is too long, none is missing."""

    def __lt__(self, _: object) -> bool:
        return False

    def __sub__(self, _: object) -> _ToTheEnd:
        return self

    def __ne__(self, _: object) -> bool:
        return False

    __hash__ = int.__hash__


class Joining:
    """The transport of one answer: its head is sent together with what follows at once.

    Uvicorn writes head and body apart, and each write is a system call: a tenth of the cost of a
    small answer. If nothing follows in this turn of the event loop, the head is sent in the next.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head: bytes | None = None
        self._sending: asyncio.Handle | None = None

    def write(self, data: bytes) -> None:
        """Send the head together with the next data; nothing once the connection is closing."""
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
        """Whether it is closed or closing."""
        return self._transport.is_closing()

    def _send_head(self) -> None:
        self._sending = None
        if self._head is not None and not self._transport.is_closing():
            self._transport.write(self._head)


def _in_this_protocol(data: bytes, before: bytes = b"") -> bytes:
    """A head that asks for another protocol (Upgrade), changed so that it is answered in this one.

    RFC 9110 7.8 allows a server to ignore such a request. Otherwise the parser would read the body,
    and the next requests, as data of the other protocol; Java's own client asks for an upgrade in
    every request. `data` begins with the head, or continues one that ended with `before`, so that
    no body is changed.
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
        """Bytes of the body in the last piece of data."""
        self._has_ended = False
        """Whether a request ended in that piece."""
        self._since = 0
        self._before = b""
        """The end of a head that is not complete yet."""
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
        """Close at once, because the place is needed."""
        self._is_refused = True
        self.transport.abort()

    def take_as_staff(self) -> None:
        """The connection showed a valid token of somebody who works here."""
        self.places.take_as_staff(self)

    def take_as_stranger(self) -> bool:
        """Its token is not valid; whether it is answered nevertheless."""
        return self.places.take_as_stranger(self)

    # Receiving.

    def data_received(self, data: bytes) -> None:
        """Read the data, unless a request is larger than allowed or arrives too slowly."""
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
            # Bytes that are neither body nor of a request known to have ended: a head, sizes of
            # chunks, trailers. If another request ended in this piece, it is not known which bytes
            # were whose.
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
        """The data is not a request; uvicorn would answer into the middle of another answer."""
        self._refuse(400)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._stage = Stage.HEAD
        self._beside = self._body = 0
        self._before = b""
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of its head, without the white space after it (RFC 9110 5.5).

        Fields after a body (trailers) are ignored: they say nothing about a request that is already
        being answered.
        """
        if self._stage is Stage.HEAD:
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """Its head is complete: answer the request, if it is allowed."""
        if self._is_refused:
            return
        if self.parser.should_upgrade():
            # Sent after another request, in one piece with it. The parser would read no body, and
            # take the bytes of the body as a request of their own.
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
            # HTTP/1.0 has no chunks: a body of unknown length ends when the connection closes.
            cycle.chunked_encoding, cycle.expected_content_length = False, _ToTheEnd()

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        self._body += len(body)
        self._of_body += len(body)
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._stage = Stage.NOTHING
        self._has_ended = True
        if not self._is_refused:
            self._rest()
            super().on_message_complete()

    # Sending.

    def pause_writing(self) -> None:
        """The client reads too slowly: too much data is waiting."""
        super().pause_writing()
        self._leave_soon()

    def resume_writing(self) -> None:
        """The client has read it."""
        super().resume_writing()
        self._stay()

    def on_response_complete(self) -> None:
        """The answer that ends the connection still has to be read by the client."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._leave_soon()

    def timeout_keep_alive_handler(self) -> None:
        """There was no further request; the last answer may still be waiting to be read."""
        super().timeout_keep_alive_handler()
        self._leave_soon()

    # Timers, and closing.

    def _wait(self, seconds: float) -> None:
        self._waiting = self.loop.call_later(seconds, self._is_late)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _is_late(self) -> None:
        self._waiting = None
        bounds = self.places.bounds
        # If the server itself has paused reading, the client is not to blame.
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
        """Answer with only the status, and close; abort if another answer is being sent."""
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
        # The requested host name may not be known; a client on this machine may have used
        # `localhost`.
        if self.https_only and self.scheme == "https" and not means_this_machine(self._address):
            more += b"strict-transport-security: %b\r\n" % self.https_only
        self.transport.write(
            b"HTTP/1.1 %d %b\r\n%bx-content-type-options: nosniff\r\n"
            b"content-length: 0\r\nconnection: close\r\n\r\n" % (status, phrase, more)
        )
        self.transport.close()
        self._leave_soon()
