"""Attendance: players called, arrived, gone, on a break, late or excused."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, SeatAct, TableAct
from events.values import BySeat, Duration, Milliseconds, Seat


class DelayKind(enum.StrEnum):
    """What a player was late for."""

    START = "start"
    RESUMPTION = "resumption"
    BREAK = "break"


class PlayerCalled(SeatAct, frozen=True, kw_only=True):
    """A player is called to the table."""


class PlayerArrived(SeatAct, frozen=True, kw_only=True):
    """A player is at the table, ready to play."""


class PlayerLeft(SeatAct, frozen=True, kw_only=True):
    """A player leaves the playing area."""

    consent: Actor | None = None
    """Who agreed to it."""
    signed_out: bool | None = None
    """Whether the sign-out sheet was used; None = not recorded."""
    until_ms: Milliseconds | None = None
    """Until when the player may be away, on the scale of `at_ms`."""


class BreakStarted(TableAct, frozen=True, kw_only=True):
    """A break begins."""

    seats: tuple[Seat, ...]
    """Who takes it."""
    readings: BySeat[Milliseconds | None] | None = None
    """Clock readings noted before leaving, milliseconds."""
    agreed_by: Actor | None = None
    """Who agreed to, or signed, the start and the readings."""
    between_games: bool | None = None
    """Whether no game was in progress."""


class BreakEnded(TableAct, frozen=True, kw_only=True):
    """A break is over."""

    seats: tuple[Seat, ...] = ()
    """Who is back; empty = all who took the break."""


class DelayNoted(SeatAct, frozen=True, kw_only=True):
    """A player was late, or overran a break."""

    kind: DelayKind
    """Late for what."""
    excess_ms: Duration
    """By how long, milliseconds."""


class DelayExcused(SeatAct, frozen=True, kw_only=True):
    """A player's delay is excused, before or after it happens."""

    by: Actor = Actor.DIRECTOR
    """Who excused it."""
    kind: DelayKind | None = None
    """Which delay; None = any."""
    given_at_ms: Milliseconds | None = None
    """When the permission was given, on the scale of `at_ms`."""
    reason: Personal = None
    """Why."""
