"""Shapes of search results."""

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
    """A turn in a search result."""

    match: MatchSummary
    version: Annotated[int, "Version of its first entry."]
    position_id: Annotated[str, "The board before it, from the side of the player on roll."]
    gnubg_id: Annotated[str, "Position ID and Match ID, the player on roll as player 0."]
    xgid: Annotated[str, "The same as an XGID; empty if an XGID cannot express it."]
    dice: Annotated[list[int] | None, "The roll, higher die first; null = not recorded."]
    double: Annotated[str | None, "Answer to a double before the roll; null = no double."]
    cube: CubeFound
    is_crawford: bool
    away: AwayFound
    href: Annotated[str, "Path of the replay at this turn."]


class TurnsFound(Shape):
    """A page of search results; turns of the most recently added matches come first."""

    turns: list[TurnFound]
    next_cursor: Annotated[str | None, "Cursor for the next page; null = no more turns."]
