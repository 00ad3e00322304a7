"""The page of the explorer: opening rolls, the plays made with them, and the replies."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from api.exchange.prose.drawing import IN_THE_MIDDLE, SHAPES, SYMBOLS, ShownDice
from api.html.kept import finished, hashed_answer
from api.html.pictures import drawn_board
from api.html.refusals import misread
from api.html.templates import HEADERS, Values, rendered
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.door import Door, door_of
from api.routes.shared.figures import Explored, explored, openings_counted
from api.shapes.figures import OpeningsCounted, ReplyCounted, RollCounted
from events.values import ONE, BySeat
from projections.board.ids import position_from_id
from projections.rules.shelf import SHELF

_LONGEST = 200
"""The most characters that a field accepts."""

_LOGS = 50
"""How many tournaments the form offers, those with news first."""

_STEPS = ("first", "after", "second")
_FILTERS = ("player", "log", "rule_set", "length")

router = APIRouter(include_in_schema=False)


@router.get("/explorer")
async def explorer_page(request: Request) -> Response:
    """Rolls and the plays made with them, step by step; invalid input is explained on the page."""
    door = door_of(request)
    said = {
        name: value.strip()[:_LONGEST]
        for name, value in request.query_params.items()
        if name in (*_STEPS, *_FILTERS) and value.strip()
    }
    t = texts_of(language_of(request))
    counted, asked, problem = None, Explored(), None
    try:
        asked = explored(**said)
        counted = await openings_counted(door, asked)
    except Problem as refused:
        if refused.slug != "bad-parameter":
            raise
        problem = misread(t, refused.detail, refused.more.get("where"))
    values: Values = {
        "asked": said,
        "problem": problem,
        "rule_sets": {profile.id: profile.title for profile in SHELF.values()},
        "logs": await asyncio.to_thread(_logs, door),
        "symbols": Markup(SYMBOLS),
        "board_style": Markup(SHAPES),
        "is_filtered": bool(said.keys() & {*_FILTERS}),
        "matches": 0 if counted is None else counted.matches,
        **({} if counted is None else await _shown(door, asked, counted, said, t)),
    }
    return await hashed_answer(
        request,
        lambda: finished(rendered(request, "explorer.html", **values).encode()),
        HEADERS,
        status=200 if problem is None else 400,
    )


def _logs(door: Door) -> dict[str, str]:
    rows = door.index.public_logs(limit=_LOGS)
    return {row.log_id: row.title or row.log_id for row in rows}


async def _shown(
    door: Door, asked: Explored, counted: OpeningsCounted, said: dict[str, str], t: Texts
) -> Values:
    """The data of the page: steps so far, the board, and rolls or replies."""
    filters = {name: said[name] for name in _FILTERS if name in said}
    steps = [(t("explorer.opening_rolls"), _href(filters))]
    if asked.first is not None:
        steps.append((str(asked.first), _href({"first": str(asked.first), **filters})))
    if asked.after is not None:
        before = asked._replace(after=None, second=None)
        first = await openings_counted(door, before)
        play = next(
            (
                one.play
                for roll in first.rolls
                for one in roll.replies
                if one.position_id == asked.after
            ),
            t("explorer.a_play"),
        )
        so_far: dict[str, str] = {name: said[name] for name in _STEPS[:2] if name in said}
        steps.append((play, _href({**so_far, **filters})))
    if asked.second is not None:
        steps.append((str(asked.second), _href(said)))
    roll = asked.first if asked.after is None else asked.second
    position = position_from_id(counted.position_id)
    dice = None if roll is None else ShownDice(ONE, divmod(roll, 10))
    mover = BySeat(t("search.on_roll"), t("search.opponent"))
    is_last = asked.after is not None
    return {
        "steps": steps,
        "board": drawn_board(t, position, IN_THE_MIDDLE, dice, mover),
        "roll": roll,
        "is_second": is_last,
        "rolls": [] if roll is not None else [_roll(one, said, t) for one in counted.rolls],
        "replies": []
        if roll is None
        else [
            _reply(one, of_roll.games, None if is_last else said, mover, t)
            for of_roll in counted.rolls
            for one in of_roll.replies
        ],
    }


def _href(asked: dict[str, str]) -> str:
    return f"/explorer?{urlencode(asked)}" if asked else "/explorer"


def _roll(one: RollCounted, said: dict[str, str], t: Texts) -> Values:
    """A roll, with its most frequent play."""
    name = "second" if "after" in said else "first"
    written = "".join(map(str, one.dice))
    most = one.replies[0]
    return {
        "dice": written,
        "href": _href({**said, name: written}),
        "games": one.games,
        "most": most,
        "play": most.play or t("explorer.no_play"),
        "others": len(one.replies) - 1,
        "over": sum(reply.over for reply in one.replies),
        "won": sum(reply.won for reply in one.replies),
    }


def _reply(
    one: ReplyCounted, games: int, said: dict[str, str] | None, mover: BySeat[str], t: Texts
) -> Values:
    """A play with its board, its player at the bottom; `said` links to the next rolls."""
    board = position_from_id(one.position_id).swap()
    href = None if said is None else _href({**said, "after": one.position_id})
    return {
        "counted": one,
        "share": one.games / games,
        "board": drawn_board(t, board, IN_THE_MIDDLE, None, mover),
        "href": href,
    }
