"""Many matches of a log as one stream, written one by one, as far as the reader may see each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, Literal, NamedTuple

import orjson
from fastapi import APIRouter, Path, Query, Request, Response
from starlette.responses import StreamingResponse

from api.exchange.forms import LINES, STREAMED, Form
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import NotWritten
from api.refusals import Problem
from api.routes.shared.accepting import accepted
from api.routes.shared.cursors import Cursor, place_of, write_cursor
from api.routes.shared.door import (
    ANONYMOUS,
    Door,
    LogId,
    Sight,
    Visitor,
    check_embargo,
    door_of,
    sight,
    visitor_of,
    visitor_with,
)
from api.routes.shared.filing import GUARDED, match_object, wanted_by
from api.routes.shared.flags import Flagged, Flags
from api.routes.shared.listing import Filtered, Filters, walk
from api.shapes.documented import documented
from events.errors import LedgerError
from projections.replay import Replay

MAX_STREAMS = 16
"""Most streams of many matches at once; further requests are asked to come back later."""

STRANGERS_STREAMS = 12
"""Most of these for strangers: slow readers must not keep out holders of a grant."""

MAX_MATCHES = 100_000
"""Most matches that one request may name."""

_AT_ONCE = 50
"""Rows of the list that a stream reads at a time."""

Most = Annotated[
    int | None,
    Query(ge=1, le=MAX_MATCHES, description="Most matches in the stream.", examples=[100]),
]

router = APIRouter(tags=["exports"])

_log = logging.getLogger(__name__)


@router.head("/logs/{log}/export", include_in_schema=False)
@router.get(
    "/logs/{log}/export",
    operation_id="exportMatches",
    summary="Download many matches as one stream",
    **documented(None, problems=(404, 406)),
)
async def export_matches(
    request: Request,
    log: LogId,
    filters: Filtered,
    flags: Flagged,
    max: Most = None,
    cursor: Cursor = None,
) -> Response:
    """By `Accept`: a line with one JSON object for each match, or one .mat file after another.

    At most 100,000 matches, as far as the reader may see each. A line's `cursor` continues after
    that match. A match that cannot be written is a line with `log_id`, `match_id` and `refused`.
    Filters compare only what the reader is shown: a withheld name finds nothing.
    """
    return await _stream(request, log, filters, flags, max, cursor, accepted(request, STREAMS))


@router.head("/logs/{log}/export.{ending}", include_in_schema=False)
@router.get(
    "/logs/{log}/export.{ending}",
    operation_id="exportMatchesAs",
    summary="Download many matches as one file",
    **documented(None, problems=(404,)),
)
async def export_matches_as(
    request: Request,
    log: LogId,
    ending: Annotated[
        Literal["ndjson", "mat"], Path(description="Ending of the file's name.", examples=["mat"])
    ],
    filters: Filtered,
    flags: Flagged,
    max: Most = None,
    cursor: Cursor = None,
) -> Response:
    """The same as `/export`, for links, where no `Accept` can be sent."""
    media_type = next(kind for kind, (form, _) in STREAMS.items() if form.ending == ending)
    return await _stream(request, log, filters, flags, max, cursor, media_type)


async def _stream(
    request: Request,
    log: str,
    filters: Filters,
    flags: Flags,
    most: int | None,
    cursor: str | None,
    media_type: str,
) -> Response:
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    await asyncio.to_thread(door.archive.store.log_head, log)
    after = place_of(cursor)
    most_streams = MAX_STREAMS if visitor.hand.grants else STRANGERS_STREAMS
    if door.streams >= most_streams:
        raise Problem("busy", f"{most_streams} streams of matches are being written already")
    form, write_one = STREAMS[media_type]
    ending = "ndjson" if form is LINES else form.ending
    headers = {
        # Which matches may be read changes without an entry in any of them.
        "Cache-Control": "no-store",
        "Vary": "Authorization, Accept",
        "Content-Disposition": f'attachment; filename="{log}.{ending}"',
        **GUARDED,
    }
    if request.method == "HEAD":
        return StreamingResponse(iter(()), headers=headers, media_type=form.media_type)
    stream = _matches(door, visitor, log, filters, flags, after, most, write_one)
    return StreamingResponse(stream, headers=headers, media_type=form.media_type)


class Seen(NamedTuple):
    """One match of a stream."""

    sight: Sight
    shown: Replay
    opened_at: int


WriteOne = Callable[[Door, Seen, Flags], bytes]


def _line(door: Door, seen: Seen, flags: Flags) -> bytes:
    made = match_object(door, seen.sight, seen.shown, flags)
    return orjson.dumps({**made, "cursor": write_cursor(seen.opened_at)}) + b"\n"


def _mat(door: Door, seen: Seen, flags: Flags) -> bytes:
    wanted = wanted_by(door, seen.sight, seen.shown, flags)
    return WRITERS["mat"].write(seen.shown, wanted).content + b"\n"


STREAMS: Mapping[str, tuple[Form, WriteOne]] = {
    form.bare_type: (form, write) for form, write in zip(STREAMED, (_line, _mat), strict=True)
}
"""Media types of a stream, each with its form and its writer."""


async def _matches(
    door: Door,
    visitor: Visitor,
    log_id: str,
    filters: Filters,
    flags: Flags,
    after: int | None,
    most: int | None,
    write_one: WriteOne,
) -> AsyncIterator[bytes]:
    """The matches of a log one by one; nothing of one is kept while the next is written."""
    left = MAX_MATCHES if most is None else most
    door.streams += 1
    try:
        places = walk(door, visitor, log_id, filters, after=after, wanted=min(left, _AT_ONCE))
        async for place in places:
            if place.summary is None:
                continue
            match_id = place.summary.match_id
            try:
                live = await asyncio.to_thread(door.reading.once, log_id, match_id)
                # A stream may last for hours, and a grant may end meanwhile.
                token = visitor.token_sha256
                now = token and await visitor_with(door, token, log_id)
                seen = await sight(door, now or ANONYMOUS, log_id, match_id, live=live)
                await check_embargo(door, seen)
                shown = await asyncio.to_thread(live.replay.at, seen.version)
                one = Seen(seen, shown, place.opened_at)
                yield await asyncio.to_thread(write_one, door, one, flags)
            except Problem:
                # It was withdrawn while the list was being read.
                continue
            except Exception as error:
                # One match that cannot be read must not end the whole stream.
                _log.exception("match %s of log %s cannot be exported", match_id, log_id)
                yield _refused(write_one, log_id, match_id, error)
            left -= 1
            if not left:
                return
    finally:
        door.streams -= 1


def _refused(write_one: WriteOne, log_id: str, match_id: str, error: Exception) -> bytes:
    reason = str(error) if isinstance(error, LedgerError | NotWritten) else "it cannot be read"
    if write_one is _mat:
        return f"; match {match_id} is left out: {' '.join(reason.split())}\n\n".encode()
    made = {"log_id": log_id, "match_id": match_id, "refused": reason}
    return orjson.dumps(made) + b"\n"
