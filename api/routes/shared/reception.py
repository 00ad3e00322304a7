"""Whose token a new connection shows, and whether a reserved place is given to it."""

from __future__ import annotations

import contextlib
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.hall.bounded import GUEST
from api.hall.lanes import Lane, take
from api.refusals import Problem
from api.routes.shared import problems
from api.routes.shared.cookie import SAFE_METHODS
from api.routes.shared.door import Door
from api.routes.shared.guessing import has_work
from events.errors import LedgerError


class Claimant(Protocol):
    """A connection that shows a token."""

    def take_as_staff(self) -> None:
        """Its place is kept from now on."""

    def take_as_stranger(self) -> bool:
        """It is one of many: whether there is a place for one more of these."""


class Reception:
    """Looks at the token before anything else of a request is read.

    A tablet with a lease, a director, a scribe: their connection is their own from then on. Anybody
    else who shows a token is one of many, and is refused where those have no place left.
    """

    def __init__(self, app: ASGIApp, *, door: Door) -> None:
        self.app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with 503."""
        guest: Claimant | None = scope.pop(GUEST, None)
        if guest is None or await self._is_let_in(guest, Request(scope)):
            await self.app(scope, receive, send)
            return
        busy = Problem(
            "busy",
            "as many are connected as may be: the other places are kept for tablets and directors",
            headers={"Connection": "close"},
        )
        answer: Response = problems.respond(busy, scope["path"])
        await answer(scope, receive, send)

    async def _is_let_in(self, guest: Claimant, request: Request) -> bool:
        if request.method in SAFE_METHODS:
            take(Lane.KNOWN)
        with contextlib.suppress(LedgerError):
            if await has_work(self._door, request):
                guest.take_as_staff()
                return True
        return guest.take_as_stranger()
