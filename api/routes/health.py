"""The archive's health, and the meaning of its problem documents."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from api.refusals import KINDS, Problem
from api.routes.shared.door import door_of, json_answer, visitor_of
from api.routes.shared.freshness import VERSION
from api.routes.shared.plain_door import is_here
from api.shapes.documented import documented
from api.shapes.server import CheckOut, Health, ProblemKind, Ready, WriterOut
from events.envelope import ARCHIVE_LOG

router = APIRouter(tags=["health"])

_FRESH = {"Cache-Control": "no-store"}


@router.get(
    "/health",
    operation_id="getHealth",
    summary="Check that the archive can be read and written",
    **documented(Health, problems=(503,), is_open=True),
)
async def get_health(request: Request) -> Response:
    """Checks a read, a commit, the disk, the clock, the lists and the folder of files; 503 if one
    fails, with the same body.

    A warning (the disk is filling up, the clock was changed, the list is behind) still answers 200.
    """
    door = door_of(request)
    archive = door.archive
    checks = await asyncio.to_thread(door.soundness.checks)
    is_well = all(check.status != "failing" for check in checks)
    writer = archive.writer
    value = Health(
        status="ok" if is_well else "failing",
        checks=[CheckOut(*check) for check in checks],
        database=archive.url.partition(":")[0] if "://" in archive.url else "sqlite",
        version=VERSION,
        writer=None if writer is None else WriterOut(writer.waiting()),
        followers=door.hub.followers(),
    )
    return json_answer(value, 200 if is_well else 503, headers=_FRESH)


@router.get(
    "/ready",
    operation_id="getReadiness",
    summary="Check whether this server is ready for requests",
    **documented(Ready, problems=(503,), is_open=True),
)
async def get_readiness(request: Request) -> Response:
    """For load balancers: 503, with the same body, while a check fails."""
    why = await asyncio.to_thread(door_of(request).soundness.unready)
    return json_answer(Ready(why is None, why), 200 if why is None else 503, headers=_FRESH)


@router.get("/metrics", include_in_schema=False)
async def get_metrics(request: Request) -> Response:
    """Figures for Prometheus: for this very machine, and for whoever keeps the archive."""
    door = door_of(request)
    if not is_here(request.scope):
        visitor = await visitor_of(door, request, ARCHIVE_LOG)
        if not visitor.hand.opens_tournaments:
            raise visitor.refusal("archivist of the archive, or this very machine")
    body = await asyncio.to_thread(generate_latest, door.figures.registry)
    return Response(body, headers=_FRESH, media_type=CONTENT_TYPE_PLAIN_0_0_4)


@router.get(
    "/problems/{problem}",
    operation_id="getProblem",
    summary="Explain a kind of problem",
    **documented(ProblemKind, problems=(404,), is_open=True),
)
async def get_problem(
    problem: Annotated[
        str, Path(description="Last part of a problem's `type`.", examples=["version-conflict"])
    ],
) -> Response:
    """The page that the `type` of a problem document points to."""
    kind = KINDS.get(problem)
    if kind is None:
        raise Problem("not-found", f"there is no kind of problem {problem[:40]!a}")
    return json_answer(ProblemKind(f"/problems/{kind.slug}", kind.title, kind.status, kind.advice))
