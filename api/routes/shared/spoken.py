"""What was said in a match, as its visitor may read it: for answers and for pages."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import Request

from api.archive.words import NOTHING, Told, told_in, words_line
from api.routes.shared.door import Sight, door_of
from api.shapes.shape import JsonObject
from projections.replay import Replay

SILENT: Final[JsonObject] = words_line(NOTHING, "", "")
"""What an answer says of an entry without words."""


async def told_to(request: Request, sight: Sight, shown: Replay) -> dict[int, Told]:
    """Version to what was said in it, to this visitor. An erased word is gone with its disclosure,
    and nothing is appended for it: what is made of this has it in its ETag.
    """
    door = door_of(request)
    return await asyncio.to_thread(
        told_in, door.reading, sight.log_id, shown, sight.showing, files=door.files
    )


async def words_in(request: Request, sight: Sight, shown: Replay) -> dict[int, JsonObject]:
    """The same as answers have it."""
    told = await told_to(request, sight, shown)
    return {version: words_line(one, sight.log_id, sight.match_id) for version, one in told.items()}
