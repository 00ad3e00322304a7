"""Penalties and sanctions: points assessed and waived, slow play, forfeits, disqualification."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, RuleReference, SeatAct, Target
from events.values import MatchLength, Points, Text, Word


class PenaltyGround(enum.StrEnum):
    """What a penalty is for."""

    LATE_START = "late_start"
    BREAK = "break"
    SLOW_PLAY = "slow_play"
    CONDUCT = "conduct"
    WRONG_LENGTH = "wrong_length"
    OTHER = "other"


class PenaltyAssessed(SeatAct, frozen=True, kw_only=True):
    """Penalty points are assessed against `seat`."""

    points: Points
    """Penalty points."""
    ground: PenaltyGround = PenaltyGround.OTHER
    """What they are for."""
    enters_score: bool | None = None
    """Whether they enter the match score; None = not decided."""
    scale: Text | None = None
    """The penalty scale that was applied, as posted."""
    by: Actor = Actor.DIRECTOR
    """Who assessed them."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why, in words."""


class PenaltyWaived(Target, frozen=True, kw_only=True):
    """An assessed penalty is waived, wholly or in part."""

    points: Points | None = None
    """How many points are waived; None = all."""
    by: Actor = Actor.DIRECTOR
    """Who waived them."""
    reason: Personal = None
    """Why."""


class SlowPlayWarned(SeatAct, frozen=True, kw_only=True):
    """A player is warned of slow play."""

    by: Actor = Actor.DIRECTOR
    """Who warned."""
    remedy: Word | None = None
    """The remedy announced for the next time: points, clock or other."""


class ForfeitDeclared(SeatAct, frozen=True, kw_only=True):
    """The player in `seat` forfeits the match."""

    by: Actor = Actor.DIRECTOR
    """Who declared it."""
    ground: PenaltyGround = PenaltyGround.OTHER
    """What it is for."""
    total: Points | None = None
    """Penalty points counted against the player: a claim that a fold compares."""
    length: MatchLength | None = None
    """The match length that the total was compared with."""
    rule: RuleReference | None = None
    """Under which rule."""


class SanctionImposed(SeatAct, frozen=True, kw_only=True):
    """A sanction other than points."""

    kind: Word
    """The kind of sanction, as one word."""
    by: Actor = Actor.DIRECTOR
    """Who imposed it."""
    rule: RuleReference | None = None
    """Under which rule."""
    detail: Personal = None
    """The sanction in full."""


class PlayerDisqualified(SeatAct, frozen=True, kw_only=True):
    """The player in `seat` is disqualified."""

    by: Actor = Actor.DIRECTOR
    """Who disqualified the player."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why."""
