"""Shapes of answers about an engine's analysis of a match."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Checkers, Name
from api.shapes.shape import Shape


class Between(Shape):
    """A confidence interval."""

    low: float
    high: float


class PlayerSums(Shape):
    """Sums over one player's choices, as one engine with one preset judges them."""

    pr: Annotated[
        float | None,
        "Performance rating: 500 times the equity lost by a decision that counts, over their"
        " number; null = there was none.",
    ]
    pr_between: Annotated[
        Between | None,
        "95 % confidence interval for the chance in which decisions came up; it does not include"
        " the engine's own errors. Null = fewer than 20 decisions.",
    ]
    decisions: Annotated[int, "Decisions that count: those where the choice matters."]
    cube_decisions: Annotated[int, "Those of them that are about the cube."]
    lost: Annotated[float, "Equity lost by these decisions: normalised, cubeful."]
    lost_chance: Annotated[
        float | None, "Match-winning chance lost by them, from 0 to 1; null for money."
    ]
    lost_chance_between: Annotated[Between | None, "The same interval for `lost_chance`."]
    rolls: Annotated[int, "Rolls whose luck was measured."]
    luck: Annotated[float | None, "Equity that the rolls gained, less the average over all rolls."]
    luck_chance: Annotated[float | None, "The same in match-winning chance."]


class BothSums(Shape):
    """The sums of each player."""

    one: PlayerSums
    two: PlayerSums


class ChoiceOut(Shape):
    """One choice of a player, as the engine judges it."""

    version: Annotated[int, "Version of the entry with the choice: a play, a cube act, a roll."]
    game: int
    seat: Name
    choice: Literal["play", "no-double", "double", "take", "drop", "beaver"]
    best: Literal["play", "no-double", "double", "take", "drop", "beaver"]
    lost: Annotated[float, "Equity lost by it; 0 = no better choice was found."]
    lost_chance: Annotated[float | None, "The same in match-winning chance."]
    counts: Annotated[bool, "Whether it counts for PR."]
    level: Annotated[str, "How deep the engine looked, such as `2ply`."]
    best_play: Annotated[str | None, "For a play: the best play, such as `13/7 8/7`."]
    checkers: Annotated[Checkers | None, "For a play: the board after the best play."]


class LuckOut(Shape):
    """The luck of one roll."""

    version: Annotated[int, "Version of the play that followed the roll."]
    seat: Name
    luck: float
    luck_chance: float | None


class LeftOutOut(Shape):
    """An act that is not judged, because the engine's input would be a guess."""

    version: int
    seat: Name | None
    reason: Annotated[str, "Why, as a word: `illegal`, `board-unknown`, `no-roll`, `cube-void` ..."]


class AnalysisOut(Shape):
    """An engine's analysis of a match; derived, and not part of the record."""

    log_id: str
    match_id: str
    version: Annotated[int, "Version of the match that was analysed: the last one."]
    engine: str
    engine_version: Annotated[str, "Version and build of the engine."]
    preset: Annotated[str, "Name and revision of the preset: how deep the engine looks."]
    players: BothSums
    choices: list[ChoiceOut]
    luck: list[LuckOut]
    left_out: list[LeftOutOut]
