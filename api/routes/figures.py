"""What is counted, over HTTP: replies to opening rolls and second rolls, and what players did."""

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
    summary="Replies to opening rolls and second rolls, with counts and results",
    **documented(OpeningsCounted, problems=(400, 503), is_open=True),
)
async def get_openings(request: Request, asked: Exploring) -> Response:
    """Of public matches that are over and of which anybody may see all, whoever asks.

    A match that is here in several files is counted once. Games that do not begin with the
    starting position have no part in it.
    """
    return json_answer(await openings_counted(door_of(request), asked))


@router.get(
    "/statistics/player",
    operation_id="getPlayer",
    summary="What is counted of one player: record, opponents, cube, time, what an engine found",
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
    """Of public matches that are over and of which anybody may see all, whoever asks."""
    door = door_of(request)
    await asyncio.to_thread(door.index.catch_up)
    if await asyncio.to_thread(called, door, name) is None:
        raise Problem("not-found", "no public match has a player of this name")
    return json_answer((await player_shown(door, name)).counted)
