"""Shapes of what is counted: replies to opening rolls, and what a player did."""

from __future__ import annotations

from typing import Annotated

from api.shapes.shape import Shape


class ReplyCounted(Shape):
    """A play with an opening roll or a second roll, and what it led to for who made it."""

    play: Annotated[str, "As most wrote it."]
    position_id: Annotated[str, "The board after it, for the opponent."]
    games: Annotated[int, "Games in which it was played."]
    over: Annotated[int, "Those of them that somebody won."]
    won: int
    gammons_won: Annotated[int, "Gammons and backgammons."]
    gammons_lost: int
    points: Annotated[int, "Points won, less points lost, the cube left out: 2 for a gammon."]
    href: Annotated[str, "The turns that followed it, by the search."]


class RollCounted(Shape):
    """A roll, and the plays with it, those that were made most first."""

    dice: Annotated[list[int], "Higher die first."]
    games: Annotated[int, "Games in which it was rolled and played."]
    replies: list[ReplyCounted]


class OpeningsCounted(Shape):
    """What was played with the opening rolls, or with the second rolls after a first play."""

    position_id: Annotated[str, "The board at which the rolls were rolled, for who rolled."]
    matches: Annotated[int, "Matches that were looked at; one in several files counts once."]
    rolls: list[RollCounted]
