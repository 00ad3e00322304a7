"""What an engine found of a match that is over and released."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.refusals import Problem
from api.routes.shared.analysed import analysed
from api.routes.shared.door import LogId, MatchId, door_of, sight_etag, sight_of, view_answer
from api.shapes.analysis import AnalysisOut
from api.shapes.documented import documented

router = APIRouter(tags=["views"])


@router.get(
    "/logs/{log}/matches/{match}/analysis",
    operation_id="getAnalysis",
    summary="What an engine found of a match",
    **documented(AnalysisOut, problems=(404,), is_view=True),
)
async def get_analysis(request: Request, log: LogId, match: MatchId) -> Response:
    """PR and luck of each player, and what each choice lost; engine and preset stand beside it.

    404 where the match was not analysed as it stands, is not over, or is not shown whole to
    everybody: then nobody is given it, whatever token they send. It is derived, and no part of the
    record.
    """
    sight = await sight_of(request, log, match)
    found = await analysed(door_of(request), sight)
    if found is None:
        raise Problem("not-found", "this match has not been analysed, or is not over and released")
    etag = sight_etag(sight, "analysis", found.mark)
    return view_answer(request, sight, found.out(sight), etag=etag)
