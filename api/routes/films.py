"""Films over HTTP: the films of a match, and when in each film its entries happened."""

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
    summary="List the films of a match, and when in them its entries happened",
    **documented(FilmsOut, problems=(404,), is_view=True),
)
async def get_films(request: Request, log: LogId, match: MatchId) -> Response:
    """Every attached film, with the moments that were stated for it and those computed from them.

    Films are shown once the match is over and the reader may see all of it. The entries
    `film.attached` and `film.aligned` attach and align them; appending those takes a director.
    """
    view = await view_of(request, log, match, Asked())
    value = await asyncio.to_thread(_films, view)
    # An erasure adds no entry to the match, so the tag is made of the whole answer.
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
