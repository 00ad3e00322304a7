"""The short way of small appends, past the framework, which they do not need.

Two thirds of the time of an append were spent in the framework. A request on the short way is
answered by the same function that the route calls, and refused by the same handler; only the path
to them is shorter. Requests on which a layer of the app may have an effect go the long way: a
connection whose token was not checked yet, a sender with recent wrong guesses, a body that is not
small, a parameter, a stranger over plain http.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from api.hall.bounded import GUEST
from api.routes.shared import problems
from api.routes.shared.attempts import Attempts, place_of
from api.routes.shared.writing import Recorded

Answer = Callable[[Request, str, str], Awaitable[Response]]
"""The function that the route calls: from request, log and match to the answer."""

_ADDRESS = re.compile("/logs/([^/]+)/matches/([^/]+)/events")

_VARY = (b"vary", b"Origin")

_MOST_DIGITS = 7
"""Most digits of a body's length that are read; larger bodies are refused elsewhere."""


class Append(NamedTuple):
    """A small append on which no layer of the app has an effect."""

    log: str
    match: str
    is_from_page: bool
    """Whether a browser sends it for a page, and states its origin."""


class _Small(Request):
    """A request whose body usually comes in one message, read without the overhead for streams."""

    _whole: bytes | None = None

    async def body(self) -> bytes:
        """The whole body. Errors: ClientDisconnect."""
        if self._whole is None:
            found, is_more = b"", True
            while is_more:
                message = await self.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                found += message.get("body", b"")
                is_more = message.get("more_body", False)
            self._whole = found
        return self._whole


class ShortWay:
    """An ASGI app in front of another: answers small appends itself, and hands on all else."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        route: BaseRoute,
        answer: Answer,
        attempts: Attempts,
        most_bytes: int,
        speaks_https: bool,
        to_pages: Mapping[str, str],
    ) -> None:
        self.app = app
        self._route = route
        self._answer = answer
        self._attempts = attempts
        self._most_bytes = most_bytes
        self._speaks_https = speaks_https
        self._to_pages = to_pages
        """Headers of every answer to a page, whatever origin it states."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        found = self._found(scope)
        if found is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = self._route
        request = _Small(scope, receive)
        try:
            response = await self._answer(request, found.log, found.match)
        except problems.REFUSALS as refusal:
            response = await problems.handler(request, refusal)
        except Exception as fault:
            # Handled as in the framework, outside of all layers, and left to the server's log.
            await (await problems.handler(request, fault))(scope, receive, send)
            raise
        if found.is_from_page:
            response.headers.update(self._to_pages)
        if isinstance(response, Recorded):
            response.raw_headers.append(_VARY)
        else:
            response.headers.add_vary_header("Origin")
        await response(scope, receive, send)

    def _found(self, scope: Scope) -> Append | None:
        """The append, if the request may go the short way; None for all other requests."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope.get("root_path"):
            return None
        address = _ADDRESS.fullmatch(scope["path"])
        if address is None or scope.get("query_string") or GUEST in scope:
            return None
        if self._speaks_https and scope["scheme"] != "https":
            return None
        length, is_from_page = b"", False
        for name, value in scope["headers"]:
            if name == b"content-length":
                length = value
            elif name == b"origin":
                is_from_page = True
        if not length.isdigit() or len(length) > _MOST_DIGITS or int(length) > self._most_bytes:
            return None
        if self._attempts.wait_s(place_of(scope)):
            return None
        return Append(address[1], address[2], is_from_page)
