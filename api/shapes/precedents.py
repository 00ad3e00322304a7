"""Shapes of precedents: directors' decisions and their fate on appeal."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Checkers, CubeOut, Name, Pair, Players
from api.shapes.replay import WordOut
from api.shapes.shape import Shape
from projections.views.precedents import Fate, Unnamed


class CitationOut(Shape):
    """A section of a rule set."""

    rule_set: str
    section: str


class ReadingOut(Shape):
    """The answer to one question."""

    topic: str
    reading: str


class PrecedentOut(Shape):
    """One decision of a director, with the board it concerns."""

    log_id: Annotated[str | None, "Null if the match is not named, to hide its players."]
    match_id: str | None
    version: Annotated[int, "Version of the deciding entry."]
    tag: str
    rule_set: Annotated[str, "Rule set of the match."]
    subjects: Annotated[list[str], "Topics, such as `dice.validity`."]
    sections: Annotated[list[CitationOut], "Rules that it is based on."]
    readings: list[ReadingOut]
    outcome: Annotated[Fate, "Its fate on appeal; `stands` = no appeal."]
    appeal_on: Literal["fact", "rule", "fact_and_rule"] | None
    seat: Annotated[Name | None, "For a penalty: the seat that it is against."]
    players: Annotated[Players | None, "Null if the players are not named."]
    unnamed: Annotated[
        Unnamed | None,
        "Why players are not named: the rule set hides them from committees, or a player objected"
        " to being recorded.",
    ]
    moment: Annotated[int, "Version of the entry that it was about."]
    checkers: Annotated[Checkers, "The board after that entry."]
    position_id: str | None
    cube: CubeOut
    score: Pair
    length: Annotated[int | None, "Points needed to win; null = money."]
    on_roll: Name | None
    words: Annotated[list[WordOut], "Texts of the decision, as far as the reader may see them."]


class PrecedentPage(Shape):
    """A page of precedents."""

    precedents: list[PrecedentOut]
    next_cursor: str | None
