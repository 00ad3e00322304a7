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
    points_with_cube: Annotated[
        int, "The same as they were scored: 4 for a gammon with the cube at 2."
    ]
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


class LengthCounted(Shape):
    """Matches of one length."""

    length: Annotated[int | None, "Points needed to win; null = money."]
    matches: int
    won: int
    lost: int


class OpponentCounted(Shape):
    """Matches against one opponent."""

    name: str
    matches: int
    won: int
    lost: int


class GamesCounted(Shape):
    """Games that somebody won."""

    games: int
    won: int
    gammons_won: Annotated[int, "Gammons and backgammons."]
    gammons_lost: int


class CubeCounted(Shape):
    """What a player did with the cube."""

    doubles: Annotated[int, "First doubles of a game that the player offered."]
    redoubles: Annotated[int, "Later ones."]
    taken: Annotated[int, "Of all these, those that the opponent took or beavered."]
    dropped: Annotated[int, "Those that the opponent dropped."]
    mean_turn: Annotated[float | None, "The player's turn at which first doubles came; null = none"]
    faced: Annotated[int, "Doubles of opponents that the player answered."]
    takes: Annotated[int, "Of these, those that the player took or beavered."]


class TimeCounted(Shape):
    """How long decisions took."""

    matches: Annotated[int, "Matches of which the time of a decision is known."]
    decisions: int
    mean_ms: int | None
    slowest_ms: int | None


class SkillCounted(Shape):
    """What an engine found, over all matches that one engine judged with one preset."""

    matches: int
    engine: str
    engine_version: str
    preset: str
    pr: float | None
    decisions: int
    luck: Annotated[float | None, "Sum over the matches."]
    rolls: int


class PlayerCounted(Shape):
    """What is counted of a player's matches that are over and of which all may be seen."""

    name: Annotated[str, "By which the player is listed."]
    also: Annotated[list[str], "Other names that an archivist has said are the same player's."]
    matches: Annotated[int, "One in several files counts once."]
    won: int
    lost: int
    undecided: Annotated[int, "Money sessions, and files that break off."]
    lengths: list[LengthCounted]
    opponents: Annotated[list[OpponentCounted], "Most matches first; as far as they are named."]
    games: GamesCounted
    cube: CubeCounted
    time: TimeCounted
    skill: Annotated[SkillCounted | None, "null = none of them was analysed."]
