"""A cache of finished answers by their ETags, which name everything that an answer depends on."""

from __future__ import annotations

import asyncio
import functools
import gzip
import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from markupsafe import escape
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

CAPACITY = 32 * 2**20
"""How many bytes of answers are kept."""

_WORTH_PACKING = 1_024
_HTML = "text/html; charset=utf-8"
_PACKABLE = ("text/", "image/svg", "application/atom", "application/json")


HERE = f"https://{secrets.token_hex(16)}.invalid"
"""Placeholder in a kept page for the server's address, which each request may give differently."""


class Made(NamedTuple):
    """A finished answer."""

    body: bytes
    """As it is sent; or with `HERE` in it."""
    packed: bytes | None
    """The same by gzip, as it is sent; None where that is not worth it."""
    media_type: str
    """For Content-Type."""
    origin: str | None = None
    """The address that the packed form contains; None if it contains none."""
    losses: str = ""
    """For a match as a file: what the file could not hold, as JSON."""


class Kept:
    """The most recently used answers, up to a number of bytes."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._made: OrderedDict[str, Made] = OrderedDict()
        self._size = 0
        self.age = 0
        """How often everything was forgotten; answers begun before that are not kept."""
        self._being_made: dict[tuple[str, int], asyncio.Task[Made]] = {}
        self._gate = threading.Lock()

    def get(self, etag: str) -> Made | None:
        """The answer with this ETag; None if it has to be made."""
        with self._gate:
            found = self._made.get(etag)
            if found is not None:
                self._made.move_to_end(etag)
            return found

    def put(self, etag: str, made: Made, *, age: int | None = None) -> None:
        """Keep an answer, and drop those that were not used for the longest time.

        `age`: the value of `age` when the answer was begun; None = it contains no personal values.
        """
        with self._gate:
            if etag in self._made or age not in (None, self.age):
                return
            self._made[etag] = made
            self._size += _size(made)
            while self._size > self._capacity:
                self._size -= _size(self._made.popitem(last=False)[1])

    async def made(self, etag: str, make: Callable[[], Made]) -> Made:
        """The answer with this ETag; requests for it at the same time share one rendering.

        Called on the event loop; the answer is made in another thread.
        """
        found = self.get(etag)
        if found is not None:
            return found
        # An answer begun before everything was forgotten must not serve later requests.
        key = (etag, self.age)
        making = self._being_made.get(key)
        if making is None:
            making = asyncio.create_task(self._make(key, make))
            self._being_made[key] = making
            making.add_done_callback(functools.partial(self._is_made, key))
        # Shielded: a client that goes away must not cancel it for the others.
        return await asyncio.shield(making)

    async def _make(self, key: tuple[str, int], make: Callable[[], Made]) -> Made:
        etag, age = key
        made = await asyncio.to_thread(make)
        self.put(etag, made, age=age)
        return made

    def _is_made(self, key: tuple[str, int], making: asyncio.Task[Made]) -> None:
        del self._being_made[key]
        if not making.cancelled():
            # Retrieved here, because everybody who waited for it may have gone.
            making.exception()

    def forget(self) -> None:
        """Drop all answers, which may contain values that were erased since."""
        with self._gate:
            self._made.clear()
            self._size = 0
            self.age += 1


def _size(made: Made) -> int:
    return len(made.body) + len(made.packed or b"")


def kept_of(request: Request) -> Kept:
    """What the app has kept."""
    found: Kept = request.app.state.kept
    return found


def finished(body: bytes, media_type: str = _HTML) -> Made:
    """An answer, compressed if that is worth it."""
    is_text = media_type.startswith(_PACKABLE)
    packed = gzip.compress(body, 6, mtime=0) if is_text and len(body) > _WORTH_PACKING else None
    return Made(body, packed, media_type)


def finished_here(body: bytes, origin: str) -> Made:
    """A page with `HERE` in it, packed for those who ask for it by this address."""
    return finished(_at(body, origin))._replace(body=body, origin=origin)


def _at(body: bytes, origin: str) -> bytes:
    return body.replace(HERE.encode(), str(escape(origin)).encode())


async def kept_answer(
    request: Request,
    etag: str,
    make: Callable[[], Made],
    headers: Mapping[str, str],
    *,
    origin: str | None = None,
) -> Response:
    """The answer with this ETag: 304 where the visitor has it, made where nobody has asked yet.

    `origin`: the address that replaces `HERE` in the page.
    """
    shown = etag
    if origin is not None:
        shown = f'"{hashlib.sha256(f"{etag} {origin}".encode()).hexdigest()[:32]}"'
    if is_known(request, shown):
        return Response(status_code=304, headers={**headers, "ETag": shown})
    made = await kept_of(request).made(etag, make)
    if made.origin != origin:
        # What packs answers on their way packs it.
        made = made._replace(body=_at(made.body, origin or ""), packed=None)
    elif origin is not None and not takes_gzip(request.headers):
        made = made._replace(body=_at(made.body, origin))
    return sent(request, made, {**headers, "ETag": shown})


async def hashed_answer(
    request: Request, make: Callable[[], Made], headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """An answer whose ETag is known only when it is made."""
    made = await asyncio.to_thread(make)
    etag = f'"{hashlib.sha256(made.body).hexdigest()[:32]}"'
    if status == 200 and is_known(request, etag):
        return Response(status_code=304, headers={**headers, "ETag": etag})
    return sent(request, made, {**headers, "ETag": etag}, status=status)


def is_known(request: Request, etag: str) -> bool:
    """Whether the visitor has this very answer already."""
    return is_named(request.headers.get("if-none-match", ""), etag)


def is_named(given: str, etag: str) -> bool:
    """Whether `If-None-Match` matches this answer; `*` matches any (RFC 9110 13.1.2)."""
    tags = [tag.strip().removeprefix("W/") for tag in given.split(",")]
    return etag in tags or "*" in tags


def sent(
    request: Request, made: Made, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """An answer as the visitor's browser can read it."""
    body, given = made.body, dict(headers)
    if made.packed is not None and takes_gzip(request.headers):
        body = made.packed
        given["Content-Encoding"] = "gzip"
        if "accept-encoding" not in given.get("Vary", "").lower():
            given["Vary"] = ", ".join(filter(None, [given.get("Vary"), "Accept-Encoding"]))
    given["Content-Type"] = made.media_type
    given["Content-Length"] = str(len(body))
    return Response(b"" if request.method == "HEAD" else body, status, given)


def takes_gzip(headers: Headers) -> bool:
    """Whether a client accepts gzip (RFC 9110 12.5.3); `gzip;q=0` means that it does not.

    A missing header or `*` does not count: it comes from old clients and from programs.
    """
    for part in ",".join(headers.getlist("accept-encoding")).split(","):
        name, _, parameters = part.partition(";")
        if name.strip().lower() in ("gzip", "x-gzip"):
            quality = parameters.replace(" ", "").lower().removeprefix("q=")
            return quality.strip("0.") != "" or not parameters
    return False
