"""Lists for strangers: made one at a time, each for everybody who had asked when it began.

Otherwise twenty requests would compute the same list twenty times at once, and an entry from a
table would have to wait for all of them. Requests with a valid token do not queue.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, NamedTuple

from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.hall.lanes import Lane, taken
from api.hall.turns import Turns

_LISTS = re.compile(
    r"/(feed\.atom|sitemap\.xml|precedents|rulings|players(/.*)?"
    r"|logs(/[^/]+(/matches|/results\.(csv|json))?)?"
    r"|tournaments/[^/]+(/(boards|feed\.atom|sitemap\.xml|results|wall))?)?"
)
"""Addresses that list many matches, computed anew for every request."""

_SEARCHES = re.compile(r"/(search|explorer|positions/(search|openings)|statistics/player)")
"""Addresses that may take seconds: they have a queue of their own."""

_SAYS_NOTHING = frozenset(
    {
        *(b"cache-control", b"connection", b"dnt", b"pragma", b"priority", b"referer", b"te"),
        *(b"sec-ch-ua", b"sec-ch-ua-mobile", b"sec-ch-ua-platform", b"sec-fetch-dest"),
        *(b"sec-fetch-mode", b"sec-fetch-site", b"sec-fetch-user", b"sec-gpc"),
        *(b"traceparent", b"tracestate", b"upgrade-insecure-requests", b"user-agent"),
    }
)
"""Headers that change no answer; requests that differ in any other header do not share one."""


class Answer(NamedTuple):
    """An answer as it goes to everybody who waited for it."""

    start: Message
    body: bytes
    route: BaseRoute | None
    """The route that made it, under which each of them is counted."""

    async def send(self, send: Send) -> None:
        """Send it to one of them."""
        # The layers on the way out write into the headers.
        await send({**self.start, "headers": list(self.start["headers"])})
        await send({"type": "http.response.body", "body": self.body})


class InLine:
    """Shares what strangers ask for at once among all of them who ask for the same."""

    def __init__(self, app: ASGIApp, *, is_recording: Callable[[], bool]) -> None:
        self._app = app
        self._lines: list[tuple[re.Pattern[str], Turns[Answer]]] = [
            (_LISTS, Turns(is_recording)),
            (_SEARCHES, Turns(is_recording)),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = self._line_of(scope)
        if line is None:
            await self._app(scope, receive, send)
            return
        answer = await line.made(_asked(scope), functools.partial(self._answer, scope))
        scope["route"] = answer.route
        await answer.send(send)

    def _line_of(self, scope: Scope) -> Turns[Answer] | None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        if taken() is not Lane.STRANGERS:
            return None
        found = (line for paths, line in self._lines if paths.fullmatch(scope["path"]))
        return next(found, None)

    async def _answer(self, scope: MutableMapping[str, Any]) -> Answer:
        start: list[Message] = []
        body: list[bytes] = []
        is_asked = False

        async def nothing() -> Message:
            nonlocal is_asked
            if is_asked:
                # While a request waits, nothing notices that its client has closed the connection.
                await asyncio.get_running_loop().create_future()
            is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.append(message)
            else:
                body.append(message.get("body", b""))

        own = dict(scope)
        await self._app(own, nothing, keep)
        return Answer(start[0], b"".join(body), own.get("route"))


def _asked(scope: Scope) -> Hashable:
    """Everything on which the answer may depend."""
    said = frozenset(pair for pair in scope["headers"] if pair[0] not in _SAYS_NOTHING)
    asked = (scope["method"], scope["path"], scope["query_string"])
    # ASGI does not say whether this is a list.
    served = tuple(scope.get("server") or ())
    return asked, scope.get("scheme"), served, said
