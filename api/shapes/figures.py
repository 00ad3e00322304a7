"""Shapes of statistics: replies to opening rolls, and figures of a player."""

from __future__ import annotations

from typing import Annotated

from api.shapes.shape import Shape


class ReplyCounted(Shape):
    """A play of an opening roll or a second roll, and its results for the player who made it."""

    play: Annotated[str, "The play in its most frequent notation."]
    position_id: Annotated[str, "The board after it, from the opponent's side."]
    games: Annotated[int, "Games in which it was played."]
    over: Annotated[int, "Those of them that were won."]
    won: int
    gammons_won: Annotated[int, "Gammons and backgammons."]
    gammons_lost: int
    points: Annotated[int, "Points won less points lost, without the cube: 2 for a gammon."]
    points_with_cube: Annotated[int, "The same with the cube: 4 for a gammon with the cube at 2."]
    href: Annotated[str, "Link to a search for the turns after it."]


class RollCounted(Shape):
    """A roll and the plays of it, the most frequent first."""

    dice: Annotated[list[int], "Higher die first."]
    games: Annotated[int, "Games in which it was rolled and played."]
    replies: list[ReplyCounted]


class OpeningsCounted(Shape):
    """The plays of opening rolls, or of second rolls after a first play."""

    position_id: Annotated[str, "The board before the roll, from the roller's side."]
    matches: Annotated[int, "Matches that were counted; a match in several files counts once."]
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
    """Games that were won."""

    games: int
    won: int
    gammons_won: Annotated[int, "Gammons and backgammons."]
    gammons_lost: int


class CubeCounted(Shape):
    """A player's cube actions."""

    doubles: Annotated[int, "First doubles of a game that the player offered."]
    redoubles: Annotated[int, "Later doubles of a game."]
    taken: Annotated[int, "Of all these, those that the opponent took or beavered."]
    dropped: Annotated[int, "Those that the opponent dropped."]
    mean_turn: Annotated[
        float | None, "Turn of the player at which first doubles came; null = none"
    ]
    faced: Annotated[int, "Doubles of opponents that the player answered."]
    takes: Annotated[int, "Of these, those that the player took or beavered."]


class TimeCounted(Shape):
    """The time that decisions took."""

    matches: Annotated[int, "Matches in which the time of a decision is known."]
    decisions: int
    mean_ms: int | None
    slowest_ms: int | None


class SkillCounted(Shape):
    """An engine's analysis, over all matches that it judged with one preset."""

    matches: int
    engine: str
    engine_version: str
    preset: str
    pr: float | None
    decisions: int
    luck: Annotated[float | None, "Sum over all matches."]
    rolls: int


class PlayerCounted(Shape):
    """Figures over a player's matches that are over and entirely public."""

    name: Annotated[str, "The name by which the player is listed."]
    also: Annotated[list[str], "Other names that an archivist has joined to it."]
    matches: Annotated[int, "A match in several files counts once."]
    won: int
    lost: int
    undecided: Annotated[int, "Money sessions, and files that break off."]
    lengths: list[LengthCounted]
    opponents: Annotated[list[OpponentCounted], "Named opponents, those with most matches first."]
    games: GamesCounted
    cube: CubeCounted
    time: TimeCounted
    skill: Annotated[SkillCounted | None, "null = none of the matches was analysed."]
