"""Equipment and staff: what lies on the table, who monitors, who watches, who records."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, TableAct
from events.values import BySeat, Count, Die, EntryId, Seat, Text, Word


class AgreedUntil(enum.StrEnum):
    """How long an agreement holds, if nobody ends it before."""

    GAME = "game"
    """The game that is played, or the next one between games."""
    MATCH = "match"


class EquipmentAgreed(TableAct, frozen=True, kw_only=True):
    """What is used at this table."""

    item: Word
    """Such as `dice`, `baffle_box`, `cup`, `clock`, `board`, `throwing_side`."""
    count: Count | None = None
    """How many of it."""
    half: Word | None = None
    """For a baffle box in which half it stands, for a side to throw on which: left or right."""
    seats: tuple[Seat, ...] = ()
    """Who agreed; empty = not recorded."""
    by: Actor | None = None
    """Who brought it about: both by agreement, one by demand, the director by order."""
    detail: Personal = None
    """What else was agreed."""
    allowed: Seat | None = None
    """Who alone may use it, by the other's permission; None = both, or not recorded."""
    until: AgreedUntil | None = None
    """How long it holds, if nobody ends it before; None = not said."""


class AgreementEnded(TableAct, frozen=True, kw_only=True):
    """What was agreed or permitted holds no more."""

    item: Word
    """What it was about, in the word of the agreement."""
    target: EntryId | None = None
    """The `equipment.agreed` that ends; None = every one that holds about the item."""
    by: Actor | None = None
    """Who ended it: the one who withdraws, both by agreement, the director by order."""
    reason: Personal = None
    """Why."""


class EquipmentChanged(TableAct, frozen=True, kw_only=True):
    """Something is replaced."""

    item: Word
    """What is replaced."""
    by: Actor
    """Who had it replaced."""
    between_games: bool | None = None
    """Whether no game was in progress."""
    detail: Personal = None
    """Why, and by what."""


class PreferenceRolled(TableAct, frozen=True, kw_only=True):
    """Dice decide a preference before the start."""

    items: tuple[Word, ...]
    """What is decided: direction, colour, seat, equipment."""
    dice: BySeat[Die] | None = None
    """One die each."""
    winner: Seat
    """Whose preference holds."""


class DiceMixed(TableAct, frozen=True, kw_only=True):
    """Dice are mixed and picked anew."""

    demander: Seat | None = None
    """Who demanded it."""
    picks: tuple[Seat, ...] = ()
    """Who picked, in order."""
    set_aside: Count | None = None
    """How many dice were put aside."""


class MonitorAppointed(TableAct, frozen=True, kw_only=True):
    """Somebody is to watch the match."""

    monitor: Personal = None
    """Who."""
    by: Actor = Actor.DIRECTOR
    """Who appointed."""
    at_request_of: Actor | None = None
    """At whose request."""
    powers: Text | None = None
    """What the monitor may do."""


class SpectatorReported(TableAct, frozen=True, kw_only=True):
    """A spectator said or did something that matters."""

    kind: Word
    """What, in a word."""
    by: Actor = Actor.SPECTATOR
    """Who reported it."""
    to: Actor | None = None
    """To whom."""
    detail: Personal = None
    """What was said."""


class SpectatorBarred(TableAct, frozen=True, kw_only=True):
    """A spectator has to leave."""

    requested_by: Actor | None = None
    """Who asked for it."""
    spectator: Personal = None
    """Who has to leave."""
    reason: Personal = None
    """Why."""


class RecordingConsented(TableAct, frozen=True, kw_only=True):
    """A player agrees to a recording."""

    seat: Seat
    """Who agrees."""
    medium: Word | None = None
    """Such as `video`, `paper`, `device`."""
    scope: Personal = None
    """To what exactly."""


class RecordingObjected(TableAct, frozen=True, kw_only=True):
    """A player objects to a recording."""

    seat: Seat
    """Who objects."""
    medium: Word | None = None
    """Such as `video`, `paper`, `device`."""
    scope: Personal = None
    """To what exactly."""
