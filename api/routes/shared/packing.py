"""Compresses text answers by gzip, streams piece by piece, for clients that accept it."""

from __future__ import annotations

import asyncio
import zlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.html.kept import takes_gzip

WORTH_PACKING = 1_024
"""Bytes; a shorter answer is not compressed."""

_TEXT = (
    *("text/", "application/json", "application/x-ndjson"),
    *("application/x-backgammon-mat", "application/x-go-sgf"),
)
_NEVER = "text/event-stream"
"""Live streams: an event must not wait, and is encoded once for thousands of followers."""

_LEVEL = 5
_FLUSHED = 8 * 1_024
"""Bytes of a stream that are compressed together; with fewer, compression saves little."""

_IN_A_THREAD = 64 * 1_024
"""Bytes whose compression would make everybody else wait."""


class Packing:
    """Packs what answers a GET with 200 and is text, unless whoever made it has packed it.

    A HEAD is told what the GET would be, but for the length of what is packed.

    The ETag stays: here it names what an answer says, or the version for `If-Match`, and not its
    bytes; of what it names nobody can ask for a part, since what has parts is not packed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        packer = _Packer(
            send,
            takes_gzip=takes_gzip(Headers(scope=scope)),
            is_head=scope["method"] == "HEAD",
        )
        await self.app(scope, receive, packer.send)


class _Packer:
    """One answer being sent."""

    def __init__(self, send: Send, *, takes_gzip: bool, is_head: bool) -> None:
        self.onward = send
        self.takes_gzip = takes_gzip
        self.is_head = is_head
        self.start: Message | None = None
        """The head of an answer, held back until the first piece of its body is there."""
        self.packer: zlib._Compress | None = None
        self.waiting = 0
        """Bytes given to the compressor since its last flush."""

    async def send(self, message: Message) -> None:
        """One message of the answer."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            if message["status"] == 304:
                # A cache merges this head into the answer that it has stored (RFC 9111 3.2), and
                # would then give compressed data to every client. The head does not say any more
                # which kind that is.
                headers.add_vary_header("Accept-Encoding")
            elif is_text(headers):
                headers.add_vary_header("Accept-Encoding")
                if self.takes_gzip and message["status"] == 200:
                    if not self.is_head:
                        self.start = message
                        return
                    if int(headers.get("content-length", WORTH_PACKING)) >= WORTH_PACKING:
                        # As for GET; the length is known only after compression (RFC 9110 9.3.2).
                        headers["Content-Encoding"] = "gzip"
                        del headers["Content-Length"]
        elif message["type"] == "http.response.body" and (self.start or self.packer):
            message = await self._packed(message)
            if not message["body"] and message["more_body"]:
                return
        await self.onward(message)

    async def _packed(self, message: Message) -> Message:
        body: bytes = message.get("body", b"")
        has_more: bool = message.get("more_body", False)
        if self.start is not None:
            start, self.start = self.start, None
            if has_more or len(body) >= WORTH_PACKING:
                self.packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
                headers = MutableHeaders(raw=start["headers"])
                headers["Content-Encoding"] = "gzip"
                del headers["Content-Length"]
            if self.packer is not None and not has_more:
                body = await self._pack(body, has_more=False)
                MutableHeaders(raw=start["headers"])["Content-Length"] = str(len(body))
                self.packer = None
                await self.onward(start)
                return {**message, "body": body, "more_body": False}
            await self.onward(start)
        if self.packer is not None:
            body = await self._pack(body, has_more=has_more)
        return {**message, "body": body, "more_body": has_more}

    async def _pack(self, body: bytes, *, has_more: bool) -> bytes:
        if len(body) >= _IN_A_THREAD:
            return await asyncio.to_thread(self._pack_now, body, has_more=has_more)
        return self._pack_now(body, has_more=has_more)

    def _pack_now(self, body: bytes, *, has_more: bool) -> bytes:
        assert self.packer is not None
        packed = self.packer.compress(body)
        self.waiting += len(body)
        if not has_more:
            return packed + self.packer.flush()
        if self.waiting >= _FLUSHED:
            self.waiting = 0
            packed += self.packer.flush(zlib.Z_SYNC_FLUSH)
        return packed


def is_text(headers: Headers) -> bool:
    """Whether an answer is text that nobody has packed, whole and not a part of it."""
    if "content-encoding" in headers or "content-range" in headers or "accept-ranges" in headers:
        return False
    media_type = headers.get("content-type", "")
    return media_type.startswith(_TEXT) and not media_type.startswith(_NEVER)
