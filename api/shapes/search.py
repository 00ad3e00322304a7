"""Shapes of what a search finds."""

from __future__ import annotations

from typing import Annotated

from api.shapes.matches import MatchSummary
from api.shapes.shape import Shape


class CubeFound(Shape):
    """The cube at a turn."""

    value: int
    owner: Annotated[str, "`middle`, `own` (with the player on roll) or `other`."]


class AwayFound(Shape):
    """Points that both still need; 0 = money."""

    own: Annotated[int, "Of the player on roll."]
    other: int


class TurnFound(Shape):
    """A turn that was found."""

    match: MatchSummary
    version: Annotated[int, "Version of its first entry: the moment to look at."]
    position_id: Annotated[str, "The board before it, for the player on roll."]
    gnubg_id: Annotated[str, "Position ID and Match ID, the player on roll as player 0."]
    xgid: Annotated[str, "The same for XG; empty where XG could not say it."]
    dice: Annotated[list[int] | None, "The roll, higher die first; null = none is recorded."]
    double: Annotated[str | None, "What became of a double before the roll; null = none."]
    cube: CubeFound
    is_crawford: bool
    away: AwayFound
    href: Annotated[str, "Where it is replayed."]


class TurnsFound(Shape):
    """One page of turns that were found, those of the matches taken in last before the others."""

    turns: list[TurnFound]
    next_cursor: Annotated[str | None, "Where the next page begins; null = there is no more."]
