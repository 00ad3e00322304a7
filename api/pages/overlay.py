"""The overlay for a broadcaster's video mixer: a transparent page.

It shows what the public may see, whoever asks: with the agreed delay, frozen while a ruling is
awaited, and nothing of a match that is not public.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from api.exchange.prose.drawing import SHAPES, SYMBOLS
from api.html.kept import Made, finished, kept_answer
from api.html.pictures import drawn_board
from api.html.refusals import framed_headers
from api.html.templates import Values, rendered
from api.routes.shared.door import ANONYMOUS, LogId, MatchId
from api.routes.shared.listing import stage_of
from api.routes.shared.sight import Seen, seen_of
from events.values import Seat
from projections.facts.clock_state import Clock, charged_at, free_ms_of
from projections.replay import Replay

router = APIRouter(include_in_schema=False)


@router.get("/matches/{log}/{match}/overlay")
async def overlay(
    request: Request,
    log: LogId,
    match: MatchId,
    board: Annotated[bool, Query(description="Whether the board is shown.")] = False,
) -> Response:
    """Names, score, cube, clocks and the last act; the board if asked for. Errors: Problem."""
    seen = await seen_of(request, log, match, visitor=ANONYMOUS)

    def make() -> Made:
        values = _values(seen, with_board=board)
        return finished(rendered(request, "overlay.html", **values).encode())

    headers = {**seen.headers(), **framed_headers()}
    return await kept_answer(request, seen.etag("overlay", board), make, headers)


def _values(seen: Seen, *, with_board: bool) -> Values:
    moment, drawn = seen.moment, None
    clock = _clock_of(seen.at)
    # While a ruling is awaited, or after the match, the clock may have been left running.
    stands_still = seen.summary.awaits_ruling or stage_of(seen.summary) == "ended"
    if with_board and moment.board is not None:
        drawn = drawn_board(seen.t, moment.board, moment.cube, moment.dice, seen.names)
    return {
        "match": seen.summary,
        "moment": moment,
        "title": seen.title,
        "names": {seat.value: seen.names[seat] for seat in Seat},
        "reserves": {seat.value: clock.reserve_ms[seat] if clock.is_set else None for seat in Seat},
        "running": None if stands_still or clock.running is None else clock.running.value,
        # What is left of the delay, after which the reserve runs.
        "free_ms": max(0, free_ms_of(clock) - (clock.elapsed_ms or 0)),
        "with_board": with_board,
        "board": drawn,
        "symbols": Markup(SYMBOLS),
        "board_style": Markup(SHAPES),
    }


def _clock_of(shown: Replay) -> Clock:
    """The clock at the last entry whose time is known, with the delay that the turn has used.

    If the time since when it runs is unknown, it stays as it was last read.
    """
    clock = shown.state.clock
    if clock.running is None or clock.since_ms is None or clock.elapsed_ms is None:
        return clock
    times = (getattr(step.event.payload, "at_ms", None) for step in reversed(shown.steps))
    at_ms = next((at_ms for at_ms in times if at_ms is not None), None)
    return clock if at_ms is None else charged_at(clock, at_ms)
