"""The page of all boards of a tournament in play, which updates itself."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from api.html.kept import finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.routes.shared.door import ANONYMOUS, LogId
from api.routes.shared.listing import Filters, page_of
from api.routes.shared.sight import public_door, title_in

MOST = 60
"""The most boards on the page; more would be too small to read."""

router = APIRouter(include_in_schema=False)


@router.get("/tournaments/{log}/boards")
async def boards_page(request: Request, log: LogId) -> Response:
    """Players, score and board of each match, as the public may see them. Errors: Problem.

    Each board is a picture with an address by version, so browsers fetch only changed ones.
    """
    door = await public_door(request, log)
    only_live = Filters(state="live")
    live, following = await page_of(door, ANONYMOUS, log, only_live, after=None, limit=MOST)
    values = {
        "log_id": log,
        "title": await asyncio.to_thread(title_in, door, log),
        "live": live,
        "is_cut": following is not None,
        "most": MOST,
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "boards.html", **values).encode()), HEADERS
    )
