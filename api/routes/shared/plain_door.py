"""Plain http from other machines: only what tells them how to trust the https server."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.hall.addresses import address_of
from api.refusals import Problem
from api.routes.shared import problems

OPEN_PLAINLY = ("/trust", "/static/", "/favicon.ico", "/health", "/ready")
"""Paths that other machines may use over plain http: they reveal nothing about any match."""


class PlainDoor:
    """Leads other machines that come over plain http to the page that says how to trust https.

    This machine itself may use plain http: nobody listens in between, and it trusts itself.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["scheme"] == "https" or is_here(scope):
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path.startswith(OPEN_PLAINLY):
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        if scope["method"] in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
            asked = path + (f"?{request.url.query}" if request.url.query else "")
            to = f"/trust?next={quote(asked)}"
            answer = RedirectResponse(to, 303, {"Cache-Control": "no-store"})
            await answer(scope, receive, send)
            return
        why = "other machines reach this server over https alone: a token sent plainly can be read"
        problem = Problem("needs-https", why)
        await problems.respond(problem, path)(scope, receive, send)


def is_here(scope: Scope) -> bool:
    """Whether the request comes from this very machine, and through no proxy."""
    if any(name == b"x-forwarded-for" for name, _ in scope["headers"]):
        # A proxy on this machine, trusted or not: the client behind it may be anywhere.
        return False
    ends: Sequence[tuple[str, int] | None] = (scope.get("client"), scope.get("server"))
    client, server = (address_of(end[0]) if end is not None else None for end in ends)
    return client is not None and (client.is_loopback or client == server)
