"""Precedents over HTTP: directors' decisions that the reader may see, by section and subject."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from api.routes.shared.cursors import Cursor, read_places, write_places
from api.routes.shared.door import door_of, json_answer, listed_headers, visitor_of
from api.routes.shared.precedents import Found, Wanted, precedents_for
from api.shapes.documented import documented
from api.shapes.matches import Checkers, CubeOut, Pair
from api.shapes.precedents import CitationOut, PrecedentOut, PrecedentPage, ReadingOut
from api.shapes.replay import WordOut
from projections.rules.texts.common import COMMON
from projections.views.lines import Line, state_line
from projections.views.precedents import Fate

PAGE = 20
"""Most precedents of one answer."""

router = APIRouter(tags=["views"])

RuleSet = Annotated[
    str | None,
    Query(
        max_length=64, description="Rule set of the match or the decision.", examples=[COMMON.id]
    ),
]
Section = Annotated[
    str | None,
    Query(
        max_length=64,
        description="A part of a section's number, with or without brackets.",
        examples=["4.1"],
    ),
]
Subject = Annotated[
    str | None,
    Query(
        max_length=64,
        description="A topic, or only its noun.",
        examples=["dice.validity", "dice"],
    ),
]
Outcome = Annotated[
    Literal["stands", "open", "refused", "upheld", "reversed", "modified"] | None,
    Query(description="What an appeal did with it; `stands` = no appeal."),
]


def wanted_of(
    rule_set: RuleSet = None,
    section: Section = None,
    subject: Subject = None,
    outcome: Outcome = None,
) -> Wanted:
    """What a request asks for; an empty field of a form asks for nothing."""
    return Wanted(rule_set or None, section or None, subject or None, outcome and Fate(outcome))


@router.get(
    "/rulings",
    operation_id="listPrecedents",
    summary="Search directors' decisions as precedents",
    **documented(PrecedentPage, problems=(400,)),
)
async def list_precedents(
    request: Request, wanted: Annotated[Wanted, Depends(wanted_of)], cursor: Cursor = None
) -> Response:
    """Rulings, penalties and ruled claims, each with its board and the outcome of an appeal.

    A reader with a grant gets the matches of its logs first, then public ones. Players are not
    named if the rule set of the match hides them from committees, or if one of them objected to
    being recorded. A page may be short, or even empty, and still have a `next_cursor`.
    """
    found, following = await precedents_for(
        request, wanted, after=read_places(cursor, tuple[int, int, str]), limit=PAGE
    )
    visitor = await visitor_of(door_of(request), request, None)
    answer = PrecedentPage(
        precedents=[_precedent(one) for one in found],
        next_cursor=None if following is None else write_places(*following),
    )
    return json_answer(answer, headers=listed_headers(visitor))


def _precedent(found: Found) -> PrecedentOut:
    precedent, shown, summary = found.precedent, found.shown, found.summary
    step = shown.step_at(precedent.moment)
    state = state_line(shown.initial if step is None else step.after)
    return PrecedentOut(
        log_id=summary.log_id if found.leads_on else None,
        match_id=summary.match_id if found.leads_on else None,
        version=precedent.decision.version,
        tag=precedent.tag,
        rule_set=summary.rule_set or COMMON.id,
        subjects=list(precedent.decision.subjects),
        sections=[CitationOut(*one) for one in precedent.decision.sections],
        readings=[ReadingOut(*one) for one in precedent.readings],
        outcome=precedent.fate,
        appeal_on=None if precedent.on is None else precedent.on.value,
        seat=precedent.seat,
        players=None if found.unnamed else summary.players,
        unnamed=found.unnamed,
        moment=precedent.moment,
        checkers=Checkers(**state["checkers"]),
        position_id=state["position_id"],
        cube=CubeOut(**state["cube"]),
        score=Pair(**state["score"]),
        length=summary.length,
        on_roll=state["on_roll"],
        words=[WordOut(**word) for line in _lines(found) for word in line["words"]],
    )


def _lines(found: Found) -> list[Line]:
    return [found.words[one] for one in found.precedent.told if one in found.words]
