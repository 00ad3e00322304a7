"""Analysis by an engine of a match that is over and released."""

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
    summary="Read an engine's analysis of a match",
    **documented(AnalysisOut, problems=(404,), is_view=True),
)
async def get_analysis(request: Request, log: LogId, match: MatchId) -> Response:
    """PR and luck of each player and the loss of each choice, with the engine and its preset.

    404 if the current version of the match was not analysed, or the match is not over, or not all
    of it is public; a token changes nothing about that. The analysis is derived and no part of
    the record.
    """
    sight = await sight_of(request, log, match)
    found = await analysed(door_of(request), sight)
    if found is None:
        raise Problem("not-found", "this match has not been analysed, or is not over and released")
    etag = sight_etag(sight, "analysis", found.mark)
    return view_answer(request, sight, found.out(sight), etag=etag)
