"""Films over HTTP: which there are of a match, and where in each of them its entries are."""

from __future__ import annotations

import asyncio

import msgspec
from fastapi import APIRouter, Request, Response

from api.routes.shared.door import LogId, MatchId, door_of, sight_etag, view_answer
from api.routes.shared.filmed import film_out, filmed
from api.routes.shared.shown import Asked, View, view_of
from api.shapes.documented import documented
from api.shapes.films import FilmsOut

router = APIRouter(tags=["replay"])


@router.get(
    "/logs/{log}/matches/{match}/films",
    operation_id="getFilms",
    summary="Films of the match, and where its entries are in them",
    **documented(FilmsOut, problems=(404,), is_view=True),
)
async def get_films(request: Request, log: LogId, match: MatchId) -> Response:
    """Every film that was attached, with what was said of its moments and what follows from it.

    A film is shown once the match is over and all of it may be seen. It is attached and aligned by
    `film.attached` and `film.aligned`, entries like any other, which take a director.
    """
    view = await view_of(request, log, match, Asked())
    value = await asyncio.to_thread(_films, view)
    # What is erased appends nothing to the match: so the tag is made of all that is told.
    etag = sight_etag(view.sight, "films", msgspec.json.encode(value))
    return view_answer(request, view.sight, value, etag=etag)


def _films(view: View) -> FilmsOut:
    sight = view.sight
    seen = filmed(door_of(view.request), sight, view.shown)
    return FilmsOut(
        **view.head._asdict(),
        films=[film_out(one, view.shown) for one in seen.films],
        withheld=None if seen.withheld is None else seen.withheld.value,
        may_record=sight.visitor.hand.may_append(sight.log_id, sight.match_id, "film.aligned"),
    )
