"""What was said in a match, as its visitor may read it: for answers and for pages."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import Request

from api.archive.words import NOTHING, words_line, words_lines
from api.routes.shared.door import Sight, door_of
from projections.replay import Replay
from projections.views.lines import Line

SILENT: Final[Line] = words_line(NOTHING, "", "")
"""What an answer says of an entry without words."""


async def words_in(request: Request, sight: Sight, shown: Replay) -> dict[int, Line]:
    """Version to what was said in it, to this visitor.

    An erased word is gone with its disclosure, and nothing is appended to the match for it: what is
    made of this has it in its ETag.
    """
    door = door_of(request)
    return await asyncio.to_thread(
        words_lines,
        door.reading,
        sight.log_id,
        sight.match_id,
        shown,
        sight.showing,
        files=door.files,
    )
