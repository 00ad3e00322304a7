"""Statistics over HTTP: replies to opening rolls and second rolls, and figures of a player."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from api.refusals import Problem
from api.routes.shared.door import door_of, json_answer
from api.routes.shared.figures import Exploring, openings_counted
from api.routes.shared.persons import called
from api.routes.shared.players import player_shown
from api.shapes.documented import documented
from api.shapes.figures import OpeningsCounted, PlayerCounted

router = APIRouter(tags=["search"])


@router.get(
    "/positions/openings",
    operation_id="getOpenings",
    summary="Count replies to opening rolls and second rolls, with results",
    **documented(OpeningsCounted, problems=(400, 503), is_open=True),
)
async def get_openings(request: Request, asked: Exploring) -> Response:
    """Counted in matches that are over and entirely public; a token changes nothing.

    A match that was imported from several files is counted once. Games that do not begin at the
    starting position are left out.
    """
    return json_answer(await openings_counted(door_of(request), asked))


@router.get(
    "/statistics/player",
    operation_id="getPlayer",
    summary="Read one player's figures: record, opponents, cube, time, analysis",
    **documented(PlayerCounted, problems=(400, 404, 503), is_open=True),
)
async def get_player(
    request: Request,
    name: Annotated[
        str,
        Query(
            min_length=1,
            max_length=200,
            description="The whole name; in any case and without accents, where one has it so.",
            examples=["Ann"],
        ),
    ],
) -> Response:
    """Counted in matches that are over and entirely public; a token changes nothing."""
    door = door_of(request)
    await asyncio.to_thread(door.index.catch_up)
    if await asyncio.to_thread(called, door, name) is None:
        raise Problem("not-found", "no public match has a player of this name")
    return json_answer((await player_shown(door, name)).counted)
