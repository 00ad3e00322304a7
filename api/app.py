"""The HTTP app over an archive that the caller has opened and will close."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import openapi
from api.analysis.background import Background, check_preset
from api.archive.archive import Archive
from api.archive.files import MAX_FILE_BYTES, is_upload
from api.archive.forgetting import Forgetting
from api.archive.index.index import MatchIndex
from api.archive.index.players import learning
from api.archive.lateness import keeping
from api.evidence.ticking import ticking
from api.hall.authority import Trust
from api.hall.lanes import SWITCH_S, Lane, Lanes, take
from api.hall.turns import Entrance
from api.html.kept import Kept
from api.html.painting import Painter
from api.pages import boards, explorer, feed, finding, lists, overlay, players, quiz, rules, web
from api.pages import cases as case_pages
from api.pages import erasing as erasing_pages
from api.pages import match as match_pages
from api.pages import precedents as precedent_pages
from api.pages import room as room_pages
from api.pages import search as search_pages
from api.refusals import Problem
from api.routes import (
    analysis,
    attendance,
    ballots,
    cases,
    disputes,
    entries,
    erasing,
    evidence,
    exports,
    figures,
    files,
    films,
    following,
    health,
    ingest,
    leases,
    logs,
    many,
    matches,
    openings,
    packs,
    pairing,
    positions,
    precedents,
    proofs,
    provenance,
    renaming,
    results,
    roles,
    room,
    rounds,
    searching,
    session,
    trusting,
    views,
)
from api.routes import replay as replaying
from api.routes.shared import manners, problems
from api.routes.shared.attempts import place_of
from api.routes.shared.door import Door
from api.routes.shared.freshness import VERSION
from api.routes.shared.guessing import check_guesser, is_known, sent_nonsense
from api.routes.shared.in_line import InLine
from api.routes.shared.packing import Packing
from api.routes.shared.plain_door import PlainDoor
from api.routes.shared.reception import Reception
from api.routes.shared.short_way import ShortWay
from api.routes.shared.signposts import Signposts
from api.routes.shared.watching import Watching, request_log, spans_to
from api.settings import Settings
from events.errors import LedgerError
from events.store.address import MemoryAddress, parse_address
from events.store.protocol import Appended

ROUTERS = (
    matches.router,
    disputes.router,
    cases.router,
    ballots.router,
    packs.router,
    entries.router,
    views.router,
    replaying.router,
    analysis.router,
    films.router,
    provenance.router,
    exports.router,
    many.router,
    following.router,
    logs.router,
    proofs.router,
    evidence.router,
    pairing.router,
    leases.router,
    ingest.router,
    files.router,
    erasing.router,
    room.router,
    openings.router,
    roles.router,
    rounds.router,
    attendance.router,
    renaming.router,
    results.router,
    session.router,
    trusting.router,
    health.router,
    positions.router,
    precedents.router,
    searching.router,
    figures.router,
    lists.router,
    feed.router,
    finding.router,
    match_pages.router,
    overlay.router,
    boards.router,
    players.router,
    search_pages.router,
    explorer.router,
    quiz.router,
    rules.router,
    precedent_pages.router,
    replaying.pages,
    results.pages,
    room_pages.router,
    case_pages.router,
    erasing_pages.router,
    web.router,
)


def create_app(
    archive: Archive,
    settings: Settings,
    *,
    index: MatchIndex,
    hall: str | None = None,
    trust: Trust | None = None,
) -> FastAPI:
    """The app over an archive that is open.

    `hall` is where other machines of the network reach it, where that is known; `trust` is how they
    come to trust its certificate, where it speaks https and plain http on one port.
    """
    if settings.analyse is not None:
        check_preset(settings.analyse)
    index.patience = LIST_PATIENCE
    index.url = None if isinstance(parse_address(archive.url), MemoryAddress) else archive.url
    door, kept = Door(archive, settings, index, hall=hall, trust=trust), Kept()

    def forget(log_id: str) -> None:
        kept.forget()
        door.rooms.forget()
        door.hub.erased_threadsafe(log_id)

    forgetting = Forgetting(archive, index, door.files, forget=forget)
    commits = Commits(door, forgetting)
    if archive.writer is not None:
        archive.writer.on_committed = commits.take
    app = FastAPI(
        title="Tabularium",
        version=VERSION,
        summary="An event-sourced archive of over-the-board backgammon matches, kept as evidence.",
        openapi_tags=openapi.TAGS,
        lifespan=lambda _: _running(door, forgetting),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
    )
    app.state.door = door
    app.state.kept = kept
    problems.install(app, sent_nonsense)
    _add_routes(app)
    _add_middleware(app, door, is_recording=commits.is_recent)
    _put_short_way_around(app, door)
    return app


class Commits:
    """Passes on what the writer has just committed, and knows how long ago that was."""

    def __init__(self, door: Door, forgetting: Forgetting) -> None:
        self._door = door
        self._forgetting = forgetting
        self._last = -RECORDING_S

    def take(self, written: list[Appended]) -> None:
        """Tell signing, figures, followers and what forgets erased names; called by the writer."""
        self._last = time.monotonic()
        signing = self._door.archive.signing
        if signing is not None:
            signing.grew({one.events[0].log_id for one in written})
        self._door.figures.entries += sum(len(one.events) for one in written)
        self._door.hub.committed(written)
        self._forgetting.took(written)

    def is_recent(self) -> bool:
        """Whether somebody records at the moment."""
        return time.monotonic() - self._last < RECORDING_S


@contextlib.asynccontextmanager
async def _running(door: Door, forgetting: Forgetting) -> AsyncIterator[None]:
    """What runs beside the requests, from the start of the server to its end."""
    archive, index, preset = door.archive, door.index, door.settings.analyse
    # Replays are many small objects that live long: with the default threshold the collector
    # walks all of them again and again, for a quarter of the time of an append.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    asyncio.get_running_loop().set_default_executor(Lanes())
    sys.setswitchinterval(SWITCH_S)
    await asyncio.to_thread(door.files.clear)
    painter = Painter()
    analyst = None
    if preset is not None:
        analyst = Background(archive, index, door.results, preset)
        analyst.start()
    door.draw = painter.png
    async with ticking(archive, collector=door.collector, trees=door.trees, stamper=door.stamper):
        beside = [
            asyncio.create_task(forgetting.watch(door.settings.poll_ms), name="forget"),
            asyncio.create_task(
                keeping(archive.lateness, archive.clock_file),
                name="keep what is seen of the clock",
            ),
            asyncio.create_task(learning(index.players), name="learn how players are called"),
        ]
        yield
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
    door.hub.close()
    door.looks.close()
    painter.close()
    if analyst is not None:
        await asyncio.to_thread(analyst.close)
    door.results.close()


def _add_routes(app: FastAPI) -> None:
    for router in ROUTERS:
        # As one flat list: `include_router` would try each router in turn, for every request.
        app.router.routes.extend(router.routes)
    manners.teach(app.router.routes)
    app.add_route("/openapi.json", openapi.Described(app).answer, include_in_schema=False)


def _add_middleware(app: FastAPI, door: Door, *, is_recording: Callable[[], bool]) -> None:
    """Everything between a request and its route; what is added last is met first."""
    app.router.middleware_stack = Signposts(app.router)
    app.add_middleware(manners.Tagging)
    app.add_middleware(Packing)
    app.add_middleware(InLine, is_recording=is_recording)
    app.add_middleware(BodyLimit, max_bytes=door.settings.max_body_bytes, door=door)
    app.add_middleware(Reception, door=door)
    if door.trust is not None:
        app.add_middleware(PlainDoor)
    app.add_middleware(CORSMiddleware, **TO_OTHER_ORIGINS)


def _put_short_way_around(app: FastAPI, door: Door) -> None:
    """Answer small appends before all that the framework puts around an app: they need none of it.

    `Watching` stays outermost, so that every request is counted and written to the log.
    """
    settings, speaks_https = door.settings, door.trust is not None
    [appending] = (
        route
        for route in matches.router.routes
        if getattr(route, "endpoint", None) is matches.append_events
    )
    short_way = ShortWay(
        app.build_middleware_stack(),
        route=appending,
        answer=matches.append_events,
        attempts=door.attempts,
        most_bytes=min(STRANGERS_BYTES, settings.max_body_bytes),
        speaks_https=speaks_https,
        to_pages=CORSMiddleware(app, **TO_OTHER_ORIGINS).simple_headers,
    )
    app.middleware_stack = Watching(
        short_way,
        figures=door.figures,
        log=request_log(settings.request_log),
        spans=spans_to(settings.otlp),
        has_own_authority=speaks_https and settings.certificate is None,
    )


TO_OTHER_ORIGINS: dict[str, Any] = {
    "allow_origins": ["*"],
    "allow_methods": ["GET", "HEAD"],
    "allow_headers": ["If-None-Match", "Last-Event-ID"],
    "expose_headers": [
        *("Content-Disposition", "ETag", "Location"),
        *("Tabularium-Held-Back", "Tabularium-Losses"),
    ],
}
"""What pages of other origins may ask, and which headers of an answer they may read."""

LIST_PATIENCE = 10_000
"""New entries that a request for a list waits for; with more to read, the answer is 503.

So many are folded in a few tenths of a second, in which no tablet is answered. More of them are
read in a process of their own, which takes longer than that to start, but holds nobody up.
"""

RECORDING_S = 2.0
"""For so long after an entry, requests of strangers pause to let whoever records go first."""

STRANGERS_BYTES = 4 * 1024
"""Largest request body that is taken from somebody without a valid token."""

_LONGEST = 19
"""Digits of a `Content-Length` that are read at all: `int()` of a very long one would be slow."""


class BodyLimit:
    """Refuses a request body that is too large, by its announced length or while it is read.

    Files are written to the disk as they arrive, so they may be larger than what is read into
    memory. A body is read and parsed before anybody asks who sent it; whoever has no valid token
    sends no more than a code or a name, so the limit for strangers is small.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, door: Door) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.door = door
        self._entrance = Entrance()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] in ("GET", "HEAD"):
            await self._take_lane(scope)
        is_open_ended = scope["method"] not in ("GET", "HEAD")
        is_file = is_upload(scope["method"], scope["path"])
        limit = MAX_FILE_BYTES if is_file else self.max_bytes
        length = 0
        for name, value in scope["headers"]:
            if name == b"content-length":
                if not value.isdigit() or len(value) > _LONGEST or int(value) > limit:
                    await self._refuse(scope, receive, send, limit)
                    return
                is_open_ended = False
                length = int(value)
        if (is_open_ended or length) and await self._must_wait(scope, receive, send):
            return
        if not is_file and (is_open_ended or length > STRANGERS_BYTES):
            if not await is_known(self.door, Request(scope)):
                limit = min(limit, STRANGERS_BYTES)
            if length > limit:
                await self._refuse(scope, receive, send, limit)
                return
        await self.app(scope, self._counted(receive, limit) if is_open_ended else receive, send)

    async def _take_lane(self, scope: Scope) -> None:
        """Requests that read without a valid token wait for each other; no other waits for them."""
        take(Lane.STRANGERS)
        if any(name in (b"authorization", b"cookie") for name, _ in scope["headers"]):
            take(Lane.KNOWN)
            with contextlib.suppress(LedgerError):
                if await is_known(self.door, Request(scope)):
                    return
            take(Lane.STRANGERS)
        await self._entrance.enter()

    async def _must_wait(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Whether a stranger sent too many wrong codes just now: then this sends the refusal."""
        if not self.door.attempts.wait_s(place_of(scope)):
            return False
        request = Request(scope)
        if await is_known(self.door, request):
            return False  # Its own guesses slow down guesses alone, and others' nothing.
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return False  # The page to sign in tells a person so itself.
        try:
            await check_guesser(request)
        except Problem as problem:
            answer: Response = problems.respond(problem, request.url.path)
            answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
            return True
        return False

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        problem = problems.problem_of(self._too_large(limit))
        answer: Response = problems.respond(problem, Request(scope).url.path)
        await answer(scope, receive, send)

    def _too_large(self, limit: int) -> HTTPException:
        # The rest of the body is not read, so the connection cannot be used again.
        of_whom = " without a token in force" if limit == STRANGERS_BYTES else ""
        return HTTPException(
            413,
            f"a request's body has at most {limit} bytes{of_whom}",
            headers={"Connection": "close"},
        )

    def _counted(self, receive: Receive, limit: int) -> Receive:
        left = limit

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise self._too_large(limit)
            return message

        return counted
