"""Answers that were made once: kept by their ETag, which names everything that they depend on."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

CAPACITY = 32 * 2**20
"""Bytes of answers that are kept."""

_WORTH_PACKING = 1_024
_HTML = "text/html; charset=utf-8"
_PACKABLE = ("text/", "image/svg", "application/atom", "application/json")


class Made(NamedTuple):
    """A finished answer."""

    body: bytes
    """As it is sent."""
    packed: bytes | None
    """The same by gzip; None where that is not worth it."""
    media_type: str
    """For Content-Type."""


class Kept:
    """The answers that were asked for last, up to so many bytes."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._made: OrderedDict[str, Made] = OrderedDict()
        self._size = 0
        self.age = 0
        """How often everything was forgotten: an answer that was begun before is not kept."""
        self._gate = threading.Lock()

    def get(self, etag: str) -> Made | None:
        """The answer with this ETag; None if it has to be made."""
        with self._gate:
            found = self._made.get(etag)
            if found is not None:
                self._made.move_to_end(etag)
            return found

    def put(self, etag: str, made: Made, *, age: int | None = None) -> None:
        """Keep an answer, and let those go that nobody asked for the longest time.

        `age` is what it was when the answer was begun; None = it says nothing of anybody.
        """
        with self._gate:
            if etag in self._made or age not in (None, self.age):
                return
            self._made[etag] = made
            self._size += _size(made)
            while self._size > self._capacity:
                self._size -= _size(self._made.popitem(last=False)[1])

    def forget(self) -> None:
        """Keep nothing of what was made: it may say what was erased since."""
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
    """An answer, packed where that is worth it."""
    is_text = media_type.startswith(_PACKABLE)
    packed = gzip.compress(body, 6, mtime=0) if is_text and len(body) > _WORTH_PACKING else None
    return Made(body, packed, media_type)


async def kept_answer(
    request: Request, etag: str, make: Callable[[], Made], headers: Mapping[str, str]
) -> Response:
    """The answer with this ETag: 304 where the visitor has it, made where nobody has asked yet."""
    if is_known(request, etag):
        return Response(status_code=304, headers={**headers, "ETag": etag})
    kept = kept_of(request)
    made = kept.get(etag)
    if made is None:
        age = kept.age
        made = await asyncio.to_thread(make)
        kept.put(etag, made, age=age)
    return sent(request, made, {**headers, "ETag": etag})


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
    given = request.headers.get("if-none-match", "")
    return etag in [tag.strip().removeprefix("W/") for tag in given.split(",")]


def sent(
    request: Request, made: Made, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """An answer as the visitor's browser can read it."""
    body, given = made.body, dict(headers)
    if made.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = made.packed
        given["Content-Encoding"] = "gzip"
    given["Content-Type"] = made.media_type
    return Response(b"" if request.method == "HEAD" else body, status, given)
