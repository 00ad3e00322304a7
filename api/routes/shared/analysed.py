"""An engine's analysis of a match, for readers who may see all of it (rule: `released.py`)."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from api.analysis.released import is_released, match_at
from api.analysis.results import Found, Match
from api.analysis.telling import analysis_out
from api.routes.shared.door import Door, Sight
from api.shapes.analysis import AnalysisOut


class Analysed(NamedTuple):
    """A match that was analysed as it stands."""

    match: Match
    found: Found

    def out(self, sight: Sight) -> AnalysisOut:
        """All of it."""
        return analysis_out(self.match, sight.live.replay.at(sight.version), self.found)

    @property
    def mark(self) -> str:
        """What tells it from another analysis, for an ETag."""
        return f"{self.match.head.hex()} {' '.join(self.found.by)}"


async def analysed(door: Door, sight: Sight) -> Analysed | None:
    """What was found; None where nothing was, or where it may be shown to nobody now."""
    return await asyncio.to_thread(_looked_up, door, sight) if door.results.is_there else None


def _looked_up(door: Door, sight: Sight) -> Analysed | None:
    archive = door.archive
    if not is_released(archive, sight.log_id, sight.live, sight.version):
        return None
    match = match_at(archive, sight.log_id, sight.match_id, sight.version)
    found = None if match is None else door.results.found(match)
    return None if match is None or found is None else Analysed(match, found)
