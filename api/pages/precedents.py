"""The page of precedents: directors' decisions with their boards, for similar rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from api.exchange.prose.drawing import SHAPES, SYMBOLS
from api.exchange.prose.spoken import Saying, spoken
from api.html.entry_words import word
from api.html.kept import finished, hashed_answer
from api.html.moments import moment_of
from api.html.pictures import drawn_board
from api.html.templates import Values, rendered
from api.html.texts import Texts, language_of, texts_of
from api.routes.shared.cursors import PageCursor, read_places, write_places
from api.routes.shared.door import door_of, visitor_of
from api.routes.shared.precedents import Found, Wanted, precedents_for
from api.routes.shared.sight import names_of, page_headers
from events.values import BySeat, Seat
from projections.rules.shelf import SHELF
from projections.rules.texts.common import COMMON
from projections.views.precedents import Fate

PAGE = 10
"""How many precedents one page has."""

SUBJECTS = (
    *("dice", "play", "window", "turn", "start", "cube", "clock", "score", "match-length"),
    *("resignation", "claim", "game", "penalties", "equipment", "result"),
)
"""The subjects of questions that the form offers."""

Filter = Annotated[str | None, Query(max_length=64)]

router = APIRouter(include_in_schema=False)


@router.get("/precedents")
async def precedents_page(
    request: Request,
    rule_set: Filter = None,
    section: Filter = None,
    subject: Filter = None,
    outcome: Filter = None,
    cursor: PageCursor = None,
) -> Response:
    """Directors' decisions, by rule set, section, subject and outcome. Errors: Problem."""
    fate = next((one for one in Fate if one.value == outcome), None)
    wanted = Wanted(rule_set or None, (section or "").strip() or None, subject or None, fate)
    found, following = await precedents_for(
        request, wanted, after=read_places(cursor, tuple[int, int, str]), limit=PAGE
    )
    visitor = await visitor_of(door_of(request), request, None)
    t = texts_of(language_of(request))
    asked = {name: value for name, value in wanted._asdict().items() if value}
    values = {
        "wanted": wanted,
        "rule_sets": {profile.id: profile.title for profile in SHELF.values()},
        "subjects": _subjects(t, wanted.subject),
        "outcomes": [one.value for one in Fate],
        "found": [_shown(one, t) for one in found],
        "symbols": Markup(SYMBOLS),
        "board_style": Markup(SHAPES),
        "next_cursor": None if following is None else write_places(*following),
        "is_first": cursor is None,
        "query": Markup(urlencode(asked) + "&") if asked else "",
        "is_filtered": bool(asked),
    }
    headers = page_headers(visitor)
    return await hashed_answer(
        request, lambda: finished(rendered(request, "precedents.html", **values).encode()), headers
    )


def _subjects(t: Texts, asked: str | None) -> Mapping[str, str]:
    """The form's options in words, with the topic that a link asks for."""
    offered = {one: t(f"precedents.noun_{one}") for one in SUBJECTS}
    if asked and asked not in offered:
        offered[asked] = word(t, asked)
    return offered


def _shown(found: Found, t: Texts) -> Values:
    precedent, shown, summary = found.precedent, found.shown, found.summary
    if found.unnamed:
        names = BySeat(t("common.player_one"), t("common.player_two"))
    else:
        names = names_of(summary, t)
    by_seat = {seat.value: names[seat] for seat in Seat}
    moment = moment_of(shown.at(precedent.moment), names, t)
    board = None
    if moment.board is not None:
        board = drawn_board(t, moment.board, moment.cube, moment.dice, names)
    rule_set = summary.rule_set or COMMON.id
    return {
        "version": precedent.decision.version,
        "moment": moment,
        "board": board,
        "names": by_seat,
        "seat": None if precedent.seat is None else names[precedent.seat],
        "subjects": [(one, word(t, one)) for one in precedent.decision.subjects],
        "readings": [(word(t, topic), word(t, reading)) for topic, reading in precedent.readings],
        "sections": [_cited(*one) for one in precedent.decision.sections],
        "rule_set": (rule_set, SHELF[rule_set].title if rule_set in SHELF else rule_set),
        "fate": precedent.fate.value,
        "on": None if precedent.on is None else word(t, precedent.on.value),
        "tag": precedent.tag,
        "unnamed": found.unnamed and found.unnamed.value,
        "href": f"/matches/{summary.log_id}/{summary.match_id}" if found.leads_on else None,
        "match": summary,
        "sayings": list(_sayings(found, by_seat, t)),
    }


def _cited(rule_set: str, section: str) -> Values:
    profile = SHELF.get(rule_set)
    caption = None if profile is None else profile.contents.get(section)
    return {
        "rule_set": rule_set,
        "title": rule_set if profile is None else profile.title,
        "section": section,
        "caption": caption,
        "href": None if caption is None else f"/rules/{rule_set}#{section.replace(' ', '-')}",
    }


def _sayings(found: Found, names: Mapping[str, str], t: Texts) -> list[Saying]:
    """The texts that belong to a decision and may be shown, in order."""
    lines = [(one, found.words[one]) for one in found.precedent.told if one in found.words]
    every = [
        saying for version, line in lines for saying in spoken(t, version, line, names).sayings
    ]
    return [one for one in every if one.text is not None]
