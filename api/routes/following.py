"""Live following of a match, as server-sent events."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from api.archive.channel import Terms
from api.archive.following import version_after
from api.refusals import Problem
from api.routes.shared.cookie import session_word
from api.routes.shared.door import LogId, MatchId, Sight, door_of, sight_of
from api.shapes.documented import documented
from projections.views.showing import Reader, Why

router = APIRouter(tags=["live"])

MAX_FOLLOWERS = 10_000
"""Most streams open at once, over all matches; further requests are asked to come back later."""

_PLACE = re.compile(r"\d{1,15}")


@router.get(
    "/logs/{log}/matches/{match}/live",
    operation_id="followMatch",
    summary="Follow a match live",
    **documented(None, problems=(400, 404, 503)),
)
async def follow_match(
    request: Request,
    log: LogId,
    match: MatchId,
    after: Annotated[
        int | None,
        Query(ge=0, description="Version after which to begin; 0 if left out.", examples=[12]),
    ] = None,
) -> Response:
    """Server-sent events: first the entries so far, then every entry as it is recorded.

    `entry` carries an entry's line of the replay. `corrected` says that an earlier entry has been
    corrected: read the replay again. `erased` says that a person was erased. `names`, at the start
    of each stream, names the last erasure: if it has changed since the last stream, read again all
    that is shown. `standing` says whether a ruling is awaited: then the public gets nothing after
    the disputed moment until it is made. Findings in a game in progress are null, except for those
    who rule on the match; once the game is over, the replay has them. The event id is the entry's
    global position: a browser that reconnects with `Last-Event-ID` misses nothing and gets nothing
    twice.
    """
    sight = await sight_of(request, log, match)
    if not sight.showing.is_followed:
        withheld = "the rule set of this match keeps from its committee what comes next"
        needs = "director of the match"
        raise Problem("not-permitted", withheld, needs=needs, reason=Why.FIRST_RULING.value)
    door = door_of(request)
    hub = door.hub
    most = min(MAX_FOLLOWERS, door.most_followers)
    is_staff = sight.showing.reader not in (Reader.PUBLIC, Reader.VIEWER)
    if not is_staff and hub.onlookers() >= most:
        # Refused before strangers could fill the places of tablets and directors.
        address = request.client.host if request.client else ""
        door.refusals.tell("followers refused, as many follow as may", address)
        raise Problem("busy", f"{most} streams are followed already")
    session = None if "authorization" in request.headers else session_word(request)
    terms = Terms(sight.visitor.token_sha256, is_trusted=sight.is_trusted, session=session)
    if not sight.is_granted:
        terms = Terms(None, sight.live.publicity.delay_ms)
    stream = hub.stream(
        (log, match),
        terms,
        version=sight.version,
        after=_start(request, sight, after),
        reach=sight.reach,
        is_staff=is_staff,
    )
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream, headers=headers, media_type="text/event-stream")


def _start(request: Request, sight: Sight, after: int | None) -> int:
    # A reader who reconnects while a ruling is awaited may already have seen more than a new reader
    # may see.
    known = max(sight.version, sight.reach)
    last = request.headers.get("last-event-id", "")
    if last:
        if not _PLACE.fullmatch(last):
            detail = "`Last-Event-ID` is the global position of an entry"
            raise Problem("bad-parameter", detail, where="header.last-event-id")
        return min(version_after(sight.live, int(last)), known)
    return min(after or 0, known)
