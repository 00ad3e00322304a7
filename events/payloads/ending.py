"""Games ended without bearing off: resignations offered and answered, claims made and ruled."""

from __future__ import annotations

import enum

from events.payloads.base import (
    Actor,
    Personal,
    RuleReference,
    SeatAct,
    TableAct,
    Target,
    WinKind,
)
from events.values import Seat


class ResignationOffered(SeatAct, frozen=True, kw_only=True):
    """A player offers to resign the game."""

    level: WinKind | None = None
    """At which level; None = the source does not say."""


class ResignationAccepted(SeatAct, frozen=True, kw_only=True):
    """The opponent accepts the resignation; `seat` is the player who accepts."""


class ResignationRefused(SeatAct, frozen=True, kw_only=True):
    """The opponent refuses the resignation; `seat` is the player who refuses."""


class ClaimKind(enum.StrEnum):
    """What one player claims, or both wish."""

    GAME = "game"
    GAME_AND_MATCH = "game_and_match"
    CONCEDE_MATCH = "concede_match"
    CANCEL_AND_REPLAY_GAME = "cancel_and_replay_game"
    SETTLE_GAME = "settle_game"


class ClaimMade(TableAct, frozen=True, kw_only=True):
    """A player claims a game or the match, or both players wish to end it other than by play."""

    kind: ClaimKind
    """What is claimed."""
    seat: Seat | None = None
    """Who claims."""
    seats: tuple[Seat, ...] = ()
    """The players who wish it, if both do."""
    level: WinKind | None = None
    """The level of the game: single, gammon or backgammon."""


class ClaimRuled(Target, frozen=True, kw_only=True):
    """A claim is answered."""

    holds: bool
    """Whether the claim holds."""
    by: Actor = Actor.DIRECTOR
    """Who answered: the director, or the opponent."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why."""
