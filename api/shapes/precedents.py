"""Shapes of precedents: what directors decided, and what became of it."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Checkers, CubeOut, Name, Pair, Players
from api.shapes.replay import WordOut
from api.shapes.shape import Shape
from projections.views.precedents import Fate, Unnamed


class CitationOut(Shape):
    """A place in a rule set."""

    rule_set: str
    section: str


class ReadingOut(Shape):
    """How one question was answered."""

    topic: str
    reading: str


class PrecedentOut(Shape):
    """One decision of a director, with the board that it was about."""

    log_id: Annotated[str | None, "Null where the match, which says who plays, is left out."]
    match_id: str | None
    version: Annotated[int, "Of the entry that decides."]
    tag: str
    rule_set: Annotated[str, "Under which the match was played."]
    subjects: Annotated[list[str], "Topics, such as `dice.validity`."]
    sections: Annotated[list[CitationOut], "On which it rests."]
    readings: list[ReadingOut]
    outcome: Annotated[Fate, "What became of it on appeal; `stands` = nobody appealed."]
    appeal_on: Literal["fact", "rule", "fact_and_rule"] | None
    seat: Annotated[Name | None, "Against whom, where it is a penalty."]
    players: Annotated[Players | None, "Null where nobody is named."]
    unnamed: Annotated[
        Unnamed | None,
        "Why nobody is named: the rule set keeps it from committees, or a player objected to being"
        " recorded.",
    ]
    moment: Annotated[int, "Version of the entry that it was about."]
    checkers: Annotated[Checkers, "After that entry."]
    position_id: str | None
    cube: CubeOut
    score: Pair
    length: Annotated[int | None, "Points needed to win; null = money."]
    on_roll: Name | None
    words: Annotated[list[WordOut], "What was said in it, as far as it may be told."]


class PrecedentPage(Shape):
    """Some precedents."""

    precedents: list[PrecedentOut]
    next_cursor: str | None
