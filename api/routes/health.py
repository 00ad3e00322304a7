"""Whether the archive is well, and what its problems mean."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from api.refusals import KINDS, Problem
from api.routes.shared.door import VERSION, door_of, json_answer
from api.shapes.matches import documented
from api.shapes.server import Health, ProblemKind, WriterOut
from events.errors import LedgerError

router = APIRouter(tags=["health"])


@router.get(
    "/health",
    operation_id="getHealth",
    summary="Whether the archive can be read and written",
    **documented(Health, problems=(503,), is_open=True),
)
async def get_health(request: Request) -> Response:
    """Reads the database once; 503 if that fails."""
    door = door_of(request)
    archive = door.archive
    is_well = True
    try:
        await asyncio.to_thread(archive.store.stream_head, "archive", "tournament")
    except LedgerError:
        is_well = False
    writer = archive.writer
    value = Health(
        status="ok" if is_well else "failing",
        database=archive.url.partition(":")[0] if "://" in archive.url else "sqlite",
        version=VERSION,
        writer=None if writer is None else WriterOut(writer.waiting()),
        followers=door.hub.followers(),
    )
    return json_answer(value, 200 if is_well else 503, headers={"Cache-Control": "no-store"})


@router.get(
    "/problems/{problem}",
    operation_id="getProblem",
    summary="What a kind of problem means",
    **documented(ProblemKind, problems=(404,), is_open=True),
)
async def get_problem(
    problem: Annotated[
        str, Path(description="Last part of a problem's `type`.", examples=["version-conflict"])
    ],
) -> Response:
    """Where the `type` of every problem document leads."""
    kind = KINDS.get(problem)
    if kind is None:
        raise Problem("not-found", f"there is no kind of problem {problem[:40]!a}")
    return json_answer(ProblemKind(f"/problems/{kind.slug}", kind.title, kind.status, kind.advice))
