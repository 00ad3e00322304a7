"""All boards of a tournament that are played now, on one page that follows them."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from api.html.kept import finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.routes.shared.door import ANONYMOUS, LogId
from api.routes.shared.listing import Filters, page_of
from api.routes.shared.sight import public_door, title_in

MOST = 60
"""Boards on the page: a screen shows no more that anybody could read."""

router = APIRouter(include_in_schema=False)


@router.get("/tournaments/{log}/boards")
async def boards_page(request: Request, log: LogId) -> Response:
    """Who plays, how it stands, the board; what the public is shown, whoever asks. Errors: Problem.

    Each board is a picture of one version: what has not moved is not asked for again.
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
