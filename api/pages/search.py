"""The page of the search: a board set up by hand or named by an id, filters, and turns found."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from starlette.responses import RedirectResponse

from api.exchange.prose.drawing import SHAPES, SYMBOLS, ShownCube, ShownDice
from api.html.kept import finished, hashed_answer
from api.html.pictures import drawn_board
from api.html.refusals import misread
from api.html.templates import Values, rendered
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.cursors import PageCursor
from api.routes.shared.door import LogId, MatchId, door_of, visitor_of
from api.routes.shared.listing import Filters, is_day, is_length
from api.routes.shared.searching import turns_found
from api.routes.shared.sight import names_of, page_headers, seen_of
from api.search.boards import key_named, position_of
from api.search.question import LIKE, Like, Question, board_of
from api.search.tables import DOUBLES, OWNERS
from api.shapes.search import TurnFound
from events.errors import BadInput
from events.values import ONE, TWO, BySeat
from projections.board.position import STARTING
from projections.rules.shelf import SHELF

PAGE = 12
"""How many turns one page has."""

_LONGEST = 200
"""The most characters that a field accepts."""

_NUMBERS = ("cube", "own_away", "other_away")
_WORDS = ("text", "free", "dice", "owner", "double", "finding", "section")
_OF_MATCH = ("player", "event", "since", "until", "rule_set", "length")

At = Annotated[int | None, Query(ge=0, description="The version whose board is meant.")]

router = APIRouter(include_in_schema=False)


@router.get("/matches/{log}/{match}/search")
async def search_from(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """Redirects from a moment of a match to the search for its board. Errors: Problem."""
    seen = await seen_of(request, log, match, at)
    if not seen.tells_pips or seen.moment.position_id is None:
        raise Problem("not-found", "there is no board at this moment that could be searched for")
    language = request.query_params.get("lang")
    asked = {"text": seen.moment.position_id, **({} if language is None else {"lang": language})}
    url = "/search?" + urlencode(asked)
    return RedirectResponse(url, 303, seen.headers())


@router.get("/search")
async def search_page(request: Request, cursor: PageCursor = None) -> Response:
    """Turns by board, score, roll, cube and findings; invalid input is explained on the page."""
    door = door_of(request)
    visitor = await visitor_of(door, request, None)
    asked = {
        name: value.strip()[:_LONGEST]
        for name, value in request.query_params.items()
        if name in (*_WORDS, *_NUMBERS, *_OF_MATCH, "like", "as_written") and value.strip()
    }
    t = texts_of(language_of(request))
    turns: list[TurnFound] = []
    following, problem = None, None
    is_asked = bool(asked.keys() - {"like", "as_written"})
    try:
        question, filters = _question(asked), _filters(asked)
        if is_asked:
            page = await turns_found(door, visitor, question, filters, cursor=cursor, limit=PAGE)
            turns, following = page.turns, page.next_cursor
    except BadInput as error:
        problem = misread(t, error.message, error.where)
    except Problem as refused:
        if refused.slug != "bad-parameter":
            raise
        problem = misread(t, refused.detail, refused.more.get("where"))
    values = {
        "asked": asked,
        "problem": problem,
        "is_asked": is_asked,
        "found": [_shown(turn, t) for turn in turns],
        "board": _board(asked.get("text", "")),
        "likes": LIKE,
        "owners": OWNERS,
        "doubles": [one for one in DOUBLES if one],
        "rule_sets": {profile.id: profile.title for profile in SHELF.values()},
        "symbols": Markup(SYMBOLS),
        "board_style": Markup(SHAPES),
        "next_cursor": following,
        "is_first": cursor is None,
        "query": Markup(urlencode(asked) + "&") if asked else "",
    }
    headers = page_headers(visitor)
    return await hashed_answer(
        request,
        lambda: finished(rendered(request, "search.html", **values).encode()),
        headers,
        status=200 if problem is None else 400,
    )


def _question(asked: dict[str, str]) -> Question:
    """The form's filters on turns. Errors: BadInput."""
    like: Like = next((one for one in LIKE if one == asked.get("like")), "exact")
    numbers = {}
    for name in _NUMBERS:
        written = asked.get(name, "")
        if written and not re.fullmatch(r"\d{1,9}", written):
            raise BadInput(f"a number is needed, and not {written[:20]!a}", where=name)
        numbers[name] = int(written) if written else None
    words = {name: asked.get(name, "") for name in _WORDS}
    said = {**words, **numbers, "like": like, "as_written": "as_written" in asked}
    return msgspec.convert(said, Question)


def _filters(asked: dict[str, str]) -> Filters:
    """The form's filters on matches. Errors: BadInput."""
    for name in ("since", "until"):
        if name in asked and not is_day(asked[name]):
            raise BadInput("a day is written as 2026-05-01", where=name)
    if "length" in asked and not is_length(asked["length"]):
        raise BadInput("a length is a number of points, or `money`", where="length")
    rule_set = asked.get("rule_set")
    if rule_set is not None and rule_set not in SHELF:
        raise BadInput(f"there is no rule set {rule_set[:64]!a}", where="rule_set")
    return Filters(**{name: asked.get(name) for name in _OF_MATCH})  # type: ignore[arg-type]


def _board(text: str) -> str:
    """The editor's first board, as JSON; the starting position if the search names none."""
    position = STARTING
    try:
        named = board_of(Question(text=text))
    except BadInput:
        named = None
    if named is not None:
        position = named.position
    return msgspec.json.encode({"one": position.own, "two": position.other}).decode()


def _shown(turn: TurnFound, t: Texts) -> Values:
    """A found turn with its board, the player on roll at the bottom."""
    match = turn.match
    owner = {"own": ONE, "other": TWO}.get(turn.cube.owner)
    names = names_of(match, t)
    mover = BySeat(t("search.on_roll"), t("search.opponent"))
    dice = None
    if turn.dice is not None:
        dice = ShownDice(ONE, (turn.dice[0], turn.dice[1]))
    cube = None if turn.is_crawford else ShownCube(turn.cube.value, owner)
    drawn = drawn_board(t, position_of(key_named(turn.position_id)), cube, dice, mover)
    return {
        "turn": turn,
        "match": match,
        "one": names.one,
        "two": names.two,
        "board": drawn,
    }
