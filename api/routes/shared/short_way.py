"""The short way of small appends: past the framework, which they do not need.

It is here because two thirds of the time of an append went into the framework around it. What goes
this way is answered by the very function that the route calls, and refused by the very handler of
refusals: only the way to them is shorter. Whatever a layer of the app might have a say in goes the
long way: who is new at the door, who guessed wrong just now, a body that is not small, a parameter,
a stranger over plain http.
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
"""What the route calls: a request, the log and the match to the answer."""

_ADDRESS = re.compile("/logs/([^/]+)/matches/([^/]+)/events")

_VARY = (b"vary", b"Origin")

_MOST_DIGITS = 7
"""Of a length that is looked at; larger ones are refused elsewhere."""


class Append(NamedTuple):
    """A small append that no layer of the app has anything to say about."""

    log: str
    match: str
    is_from_page: bool
    """Whether a browser sends it for a page, and says of which origin."""


class _Small(Request):
    """A request whose body comes in one message as a rule, read without what streams need."""

    _whole: bytes | None = None

    async def body(self) -> bytes:
        """All of it. Errors: ClientDisconnect."""
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
        """Headers of whatever is answered to a page, of whatever origin it says that it is."""

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
            # Told as the framework tells it, outside of all layers, and left to the server's log.
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
        """What goes the short way; None for all else."""
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
