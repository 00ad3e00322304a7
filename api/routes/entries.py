"""Entries as recorded: the sealed bodies, and the commitments that the reader may open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from api.exchange.sealed.jsonl import NDJSON
from api.refusals import Problem
from api.routes.shared.door import (
    Door,
    LogId,
    MatchId,
    door_of,
    showing_stream,
    sight_of,
    visitor_of,
    wants_ndjson,
)
from api.routes.shared.recorded import entry_lines
from api.shapes.documented import documented
from events.envelope import TOURNAMENT_STREAM
from projections.views.showing import Showing

PAGE = 1_000
"""Most entries of one answer; NDJSON is read from the store in pieces of this size."""

After = Annotated[int, Query(ge=0, description="Version after which to begin.", examples=[0])]
Limit = Annotated[
    int | None, Query(ge=1, le=PAGE, description="Most entries in the answer.", examples=[100])
]

router = APIRouter(tags=["entries"])


@router.get(
    "/logs/{log}/matches/{match}/events",
    operation_id="listEvents",
    summary="Read a match's entries as recorded",
    **documented("Entries", problems=(404,), is_ndjson=True),
)
async def list_events(
    request: Request, log: LogId, match: MatchId, after: After = 0, limit: Limit = None
) -> Response:
    """Sealed bodies, with the values that open their commitments if the reader may see them.

    With `Accept: application/x-ndjson` all entries come as a stream, one on each line.
    """
    sight = await sight_of(request, log, match)
    return await _entries(
        door_of(request),
        request,
        (log, match),
        after=after,
        limit=limit,
        version=sight.version,
        showing=sight.showing,
    )


@router.get(
    "/logs/{log}/events",
    operation_id="listLogEvents",
    summary="Read the entries of the tournament's own stream",
    **documented("Entries", problems=(404,), is_ndjson=True),
)
async def list_log_events(
    request: Request, log: LogId, after: After = 0, limit: Limit = None
) -> Response:
    """Grants, rules and players; for holders of a grant over the log."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    if not visitor.hand.may_read(log):
        raise visitor.refusal("viewer of the log")
    head = await asyncio.to_thread(door.archive.store.stream_head, log, TOURNAMENT_STREAM)
    if head is None:
        raise Problem("no-such-log", f"log {log} is empty")
    return await _entries(
        door,
        request,
        (log, TOURNAMENT_STREAM),
        after=after,
        limit=limit,
        version=head.version,
        showing=await showing_stream(door, visitor, log, TOURNAMENT_STREAM),
    )


async def _entries(
    door: Door,
    request: Request,
    key: tuple[str, str],
    *,
    after: int,
    limit: int | None,
    version: int,
    showing: Showing,
) -> Response:
    # A disclosure may be erased without a new entry: no cache may keep these answers.
    headers = {"Cache-Control": "no-store", "ETag": f'"{version}"'}
    store = door.archive.store
    after = min(after, version)

    def page(start: int, size: int) -> list[bytes]:
        rows = store.read_stream(*key, after=start, limit=min(size, version - start))
        return entry_lines(store, key[0], rows, showing=showing)

    if wants_ndjson(request):

        async def lines() -> AsyncIterator[bytes]:
            start, left = after, limit or version
            while start < version and left > 0:
                found = await asyncio.to_thread(page, start, min(PAGE, left))
                if not found:
                    return
                start, left = start + len(found), left - len(found)
                yield b"\n".join(found) + b"\n"

        return StreamingResponse(lines(), headers=headers, media_type=NDJSON)
    size = limit or door.settings.page_size
    found = await asyncio.to_thread(page, after, size) if after < version else []
    end = after + len(found)
    body = b'{"version":%d,"entries":[%b],"next_after":%b}' % (
        version,
        b",".join(found),
        b"%d" % end if end < version else b"null",
    )
    return Response(body, headers=headers, media_type="application/json")
