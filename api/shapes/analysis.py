"""Shapes of what is answered of an engine's analysis of a match."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Checkers, Name
from api.shapes.shape import Shape


class Between(Shape):
    """An interval."""

    low: float
    high: float


class PlayerSums(Shape):
    """What one player's choices come to, as one engine with one preset judges them."""

    pr: Annotated[
        float | None,
        "Performance rating: 500 times the equity lost by a decision that counts, over their"
        " number; null = there was none.",
    ]
    pr_between: Annotated[
        Between | None,
        "Where it would lie 95 times of 100, had other decisions of the same player come up; how"
        " far the engine is off, which no engine tells, is not in it. Null = fewer than 20.",
    ]
    decisions: Annotated[int, "Decisions that count: where more than one choice matters."]
    cube_decisions: Annotated[int, "Those of them that were about the cube."]
    lost: Annotated[float, "Equity lost by them: normalised, cubeful."]
    lost_chance: Annotated[
        float | None, "Chance of winning the match lost by them, 1 = the match; null for money."
    ]
    lost_chance_between: Annotated[Between | None, "The same for that chance."]
    rolls: Annotated[int, "Rolls whose luck was measured."]
    luck: Annotated[
        float | None, "Equity that the rolls brought, less what rolls bring on average."
    ]
    luck_chance: Annotated[float | None, "The same as chance of winning the match."]


class BothSums(Shape):
    """The sums of each player."""

    one: PlayerSums
    two: PlayerSums


class ChoiceOut(Shape):
    """One choice as the engine judges it."""

    version: Annotated[int, "Version of the entry that the choice was: a play, a cube act, a roll."]
    game: int
    seat: Name
    choice: Literal["play", "no-double", "double", "take", "drop", "beaver"]
    best: Literal["play", "no-double", "double", "take", "drop", "beaver"]
    lost: Annotated[float, "Equity lost by it; 0 = nothing better was found."]
    lost_chance: Annotated[float | None, "The same as chance of winning the match."]
    counts: Annotated[bool, "Whether it is part of PR."]
    level: Annotated[str, "How deep the engine looked, such as `2ply`."]
    best_play: Annotated[str | None, "Of a play: the best one, such as `13/7 8/7`."]
    checkers: Annotated[Checkers | None, "Of a play: the board after the best one."]


class LuckOut(Shape):
    """How lucky one roll was."""

    version: Annotated[int, "Version of the play that followed the roll."]
    seat: Name
    luck: float
    luck_chance: float | None


class LeftOutOut(Shape):
    """Something that was done and is not judged: nothing is guessed."""

    version: int
    seat: Name | None
    reason: Annotated[str, "A word: `illegal`, `board-unknown`, `no-roll`, `cube-void` ..."]


class AnalysisOut(Shape):
    """A match as an engine judges it; derived, and no part of the record."""

    log_id: str
    match_id: str
    version: Annotated[int, "Version of the match that was analysed: its last one."]
    engine: str
    engine_version: Annotated[str, "Version and build of the engine."]
    preset: Annotated[str, "How deep it looked at what, with its revision."]
    players: BothSums
    choices: list[ChoiceOut]
    luck: list[LuckOut]
    left_out: list[LeftOutOut]
