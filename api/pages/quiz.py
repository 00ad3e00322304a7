"""The quiz of an analysed match's errors: which of two choices is better?"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from api.analysis.asking import asked_of
from api.analysis.quiz import Option, Question, questions_of
from api.exchange.prose.drawing import SHAPES, SYMBOLS, ShownCube, ShownDice
from api.html.kept import finished, hashed_answer
from api.html.pictures import drawn_board
from api.html.templates import Values, rendered
from api.html.texts import Texts
from api.refusals import Problem
from api.routes.shared.analysed import analysed
from api.routes.shared.door import LogId, MatchId, door_of
from api.routes.shared.sight import Seen, seen_of
from events.values import ONE, TWO, BySeat, Seat

MOST = 10_000
"""A bound on the number of a question, which no match reaches."""

router = APIRouter(include_in_schema=False)

Of = Annotated[Literal["one", "two"] | None, Query()]
Number = Annotated[int, Query(ge=1, le=MOST)]
Right = Annotated[int, Query(ge=0, le=MOST)]
Chosen = Annotated[Literal["a", "b"] | None, Query()]


@router.get("/matches/{log}/{match}/quiz")
async def quiz_page(
    request: Request,
    log: LogId,
    match: MatchId,
    seat: Of = None,
    n: Number = 1,
    right: Right = 0,
    choice: Chosen = None,
) -> Response:
    """The errors one by one, of both players or of one; answers are not stored.

    Errors: Problem, if the visitor may not see the match or its analysis, or if it has none.
    """
    seen = await seen_of(request, log, match)
    found = await analysed(door_of(request), seen.sight)
    if found is None:
        raise Problem("not-found", "this match has not been analysed, or is not over and released")
    analysis = found

    def make() -> bytes:
        every = questions_of(asked_of(seen.whole), analysis.found.games)
        asked = [one for one in every if seat in (None, one.seat.value)]
        values: Values = {
            "match": seen.summary,
            "names": seen.names,
            "path": seen.path,
            "by": analysis.found.by,
            "symbols": Markup(SYMBOLS),
            "board_style": Markup(SHAPES),
            "seat": seat,
            "seats": [one.value for one in Seat if any(q.seat is one for q in every)],
            "count": len(asked),
            "n": n,
            "right": min(right, n - 1),
            "question": None,
        }
        if n <= len(asked):
            values |= _question(asked[n - 1], seen, choice, n, min(right, n - 1), seat)
        return rendered(request, "quiz.html", **values).encode()

    return await hashed_answer(request, lambda: finished(make()), seen.headers())


def _question(
    one: Question, seen: Seen, choice: str | None, n: int, right: int, seat: str | None
) -> Values:
    """A question; after the answer with the best choice and the link to the next question."""
    t, name = seen.t, seen.names[one.seat]
    labels = BySeat(name, seen.names[one.seat.other])

    def side(who: Seat | None) -> Seat | None:
        return None if who is None else ONE if who is one.seat else TWO

    cube = ShownCube(one.cube_value, side(one.cube_owner), side(one.offered_by))
    dice = None if one.dice is None else ShownDice(ONE, one.dice)
    # The order of the choices is pseudo-random, but the same for every reader.
    place = (seen.sight.log_id, seen.sight.match_id, one.version)
    is_first = hashlib.blake2b(repr(place).encode(), digest_size=1).digest()[0] % 2 == 0
    options = {"a": one.best, "b": one.made} if is_first else {"a": one.made, "b": one.best}
    if one.dice is not None:
        asked = t("quiz.play", name=name, dice=f"{max(one.dice)}{min(one.dice)}")
    else:
        asked = t("quiz.answer" if one.offered_by else "quiz.cube", name=name)
    is_right = choice is not None and options[choice] is one.best
    on = {"n": n + 1, "right": right + is_right, **({} if seat is None else {"seat": seat})}
    return {
        "question": one,
        "asked": asked,
        "board": drawn_board(t, one.before, cube, dice, labels),
        "options": [
            {
                "key": key,
                "words": _words(option, t),
                "board": option.after and drawn_board(t, option.after, cube, None, labels),
                "is_best": option is one.best,
                "is_chosen": key == choice,
            }
            for key, option in options.items()
        ],
        "under": _under(one, t),
        "choice": choice,
        "is_right": is_right,
        "cost": _cost(one, t),
        "next": f"{seen.path}/quiz?{urlencode(on)}",
    }


def _under(one: Question, t: Texts) -> list[str]:
    """What matters besides the board: score and length, or the rules of the session."""
    game = one.game
    if game.length is None:
        jacoby, beavers = ("with" if is_on else "no" for is_on in (game.jacoby, game.beavers))
        return [t("public.in_money"), t(f"quiz.{jacoby}_jacoby"), t(f"quiz.{beavers}_beavers")]
    score = f"{game.score[one.seat]}\N{EN DASH}{game.score[one.seat.other]}"
    crawford = [t("public.crawford")] if game.is_crawford else []
    return [score, t("public.in_length", length=game.length), *crawford]


def _words(option: Option, t: Texts) -> str:
    return option.play or t(f"analysis.choice.{option.choice}")


def _cost(one: Question, t: Texts) -> str:
    lost, chance = t.number(one.found.lost, 3), one.found.lost_chance
    if chance is None:
        return t("analysis.cost", lost=lost)
    return t("analysis.cost_chance", lost=lost, share=t.number(chance * 100, 2))
