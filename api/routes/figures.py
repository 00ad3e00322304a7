"""What is counted, over HTTP: replies to opening rolls and second rolls, with what they led to."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.routes.shared.door import door_of, json_answer
from api.routes.shared.figures import Exploring, openings_counted
from api.shapes.figures import OpeningsCounted
from api.shapes.matches import documented

router = APIRouter(tags=["search"])


@router.get(
    "/positions/openings",
    operation_id="getOpenings",
    summary="Replies to opening rolls and second rolls, with counts and results",
    **documented(OpeningsCounted, problems=(400,), is_open=True),
)
async def get_openings(request: Request, asked: Exploring) -> Response:
    """Of public matches that are over and of which anybody may see all, whoever asks.

    A match that is here in several files is counted once. Games that do not begin with the
    starting position have no part in it.
    """
    return json_answer(await openings_counted(door_of(request), asked))
