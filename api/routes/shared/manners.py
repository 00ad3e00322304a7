"""What every address that answers GET does: HEAD, If-None-Match, refusing unknown query names.

A client whose misspelt query name was ignored would believe that its filter had been applied. Pages
accept any name, because other sites add names of their own to links.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.html.kept import is_named
from api.refusals import Problem

_NEVER_ENDS = "/live"
"""Ending of addresses of live streams: for these, a HEAD request would never end."""

_LONGEST = 4 * 2**20
"""Most bytes of an answer that is hashed; longer answers are streamed in any case."""


def teach(routes: Iterable[BaseRoute]) -> None:
    """Have every route for GET answer HEAD, and every route of the API refuse unknown names."""
    for route in routes:
        if not isinstance(route, APIRoute):
            continue
        if route.methods == {"GET"} and not route.path.endswith(_NEVER_ENDS):
            # Programs that check or preview links send HEAD.
            route.methods = {"GET", "HEAD"}
        # Routes belong to modules: a second app in this process finds them already changed.
        if route.include_in_schema and not isinstance(route.app, _Asked):
            route.app = _Asked(route.app, frozenset(_names(route.dependant)))


def _names(asked: Dependant) -> Iterator[str]:
    """The query names that a route and its dependencies accept."""
    yield from (one.alias for one in asked.query_params)
    for inner in asked.dependencies:
        yield from _names(inner)


class _Asked:
    """A route that refuses query names it does not know."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["query_string"]:
            asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            unknown = next((name for name, _ in asked if name not in self._names), None)
            if unknown is not None:
                known = sorted(self._names)
                detail = f"there is no parameter {unknown[:64]!a} here: "
                detail += f"known are {', '.join(known)}" if known else "it takes none"
                raise Problem("bad-parameter", detail, where=f"query.{unknown[:64]}", known=known)
        await self._app(scope, receive, send)


class Tagging:
    """Gives an answer that has no ETag one of its bytes, and 304 to whoever has these.

    What must not be kept has none, nor what is streamed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        await self.app(scope, receive, _Tagger(scope, send).send)


class _Tagger:
    def __init__(self, scope: Scope, send: Send) -> None:
        self._given = Headers(scope=scope).get("if-none-match", "")
        self._send = send
        self._begun: Message | None = None
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_untagged(message):
            self._begun = message
        elif self._begun is None or message["type"] != "http.response.body":
            await self._send(message)
        elif message.get("more_body"):
            self._body.append(message.get("body", b""))
        else:
            await self._end(self._begun, b"".join((*self._body, message.get("body", b""))))

    async def _end(self, begun: Message, body: bytes) -> None:
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = MutableHeaders(scope=begun)
        headers["ETag"] = etag
        if is_named(self._given, etag):
            del headers["Content-Length"], headers["Content-Type"]
            begun, body = {**begun, "status": 304}, b""
        await self._send(begun)
        await self._send({"type": "http.response.body", "body": body})


def _is_untagged(begun: Message) -> bool:
    headers = Headers(scope=begun)
    return (
        begun["status"] == 200
        and "etag" not in headers
        and "no-store" not in headers.get("cache-control", "")
        # A stream does not know its length in advance.
        and 0 < int(headers.get("content-length", 0)) <= _LONGEST
    )
