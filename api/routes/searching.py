"""The search over HTTP: turns by their boards, in all matches that the reader may see."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from api.routes.shared.cursors import Cursor
from api.routes.shared.door import AN_ID, door_of, json_answer, listed_headers, visitor_of
from api.routes.shared.listing import Filtered
from api.routes.shared.searching import Questioned, turns_found
from api.shapes.documented import documented
from api.shapes.search import TurnsFound

MAX_PAGE = 200

router = APIRouter(tags=["search"])


@router.get(
    "/positions/search",
    operation_id="findTurns",
    summary="Search turns of all matches by board, score, roll, cube and findings",
    **documented(TurnsFound, problems=(400,)),
)
async def search_turns(
    request: Request,
    question: Questioned,
    filters: Filtered,
    log: Annotated[
        str | None, Query(pattern=AN_ID, description="Only matches of this log.")
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[
        int, Query(ge=1, le=MAX_PAGE, description="Most turns in the answer.", examples=[50])
    ] = 50,
) -> Response:
    """Searches matches that are over and of which the reader may see all.

    Each page examines a limited number of turns: it may be short or empty and still have a next
    page. `sort` has no effect.
    """
    door = door_of(request)
    visitor = await visitor_of(door, request, log)
    value = await turns_found(
        door, visitor, question, filters, log=log or None, cursor=cursor, limit=limit
    )
    return json_answer(value, headers=listed_headers(visitor))
