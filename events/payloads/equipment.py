"""Equipment and people: items at the table, monitors, spectators, consent to recordings."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, TableAct
from events.values import BySeat, Count, Die, EntryId, Seat, Text, Word


class AgreedUntil(enum.StrEnum):
    """How long an agreement holds unless it is ended earlier."""

    GAME = "game"
    """To the end of the game in progress or, between games, of the next one."""
    MATCH = "match"


class EquipmentAgreed(TableAct, frozen=True, kw_only=True):
    """An agreement on what is used at this table."""

    item: Word
    """What it is about, such as `dice`, `baffle_box`, `cup`, `clock`, `board`, `throwing_side`."""
    count: Count | None = None
    """How many of it."""
    half: Word | None = None
    """left or right: the half where a baffle box stands, or the side to throw on."""
    seats: tuple[Seat, ...] = ()
    """Who agreed; empty = not recorded."""
    by: Actor | None = None
    """How it came about: both players agreed, one demanded it, or the director ordered it."""
    detail: Personal = None
    """What else was agreed."""
    allowed: Seat | None = None
    """The only player who may use it, by the opponent's permission; None = both, or unrecorded."""
    until: AgreedUntil | None = None
    """How long it holds unless it is ended earlier; None = not stated."""


class AgreementEnded(TableAct, frozen=True, kw_only=True):
    """An agreement or permission ends."""

    item: Word
    """What it was about: the `item` of the agreement."""
    target: EntryId | None = None
    """The `equipment.agreed` that ends; None = all agreements in force about the item."""
    by: Actor | None = None
    """Who ended it: one player by withdrawing, both by agreement, or the director by order."""
    reason: Personal = None
    """Why."""


class EquipmentChanged(TableAct, frozen=True, kw_only=True):
    """A piece of equipment is replaced."""

    item: Word
    """What is replaced."""
    by: Actor
    """Who had it replaced."""
    between_games: bool | None = None
    """Whether no game was in progress."""
    detail: Personal = None
    """Why, and by what."""


class PreferenceRolled(TableAct, frozen=True, kw_only=True):
    """The players roll for a preference before the match starts."""

    items: tuple[Word, ...]
    """What is decided, such as direction, colour, seat or equipment."""
    dice: BySeat[Die] | None = None
    """One die each."""
    winner: Seat
    """The player whose preference is followed."""


class DiceMixed(TableAct, frozen=True, kw_only=True):
    """Dice are mixed, and the players pick new ones."""

    demander: Seat | None = None
    """Who demanded it."""
    picks: tuple[Seat, ...] = ()
    """The players who picked, in order."""
    set_aside: Count | None = None
    """How many dice were put aside."""


class MonitorAppointed(TableAct, frozen=True, kw_only=True):
    """A monitor is appointed to watch the match."""

    monitor: Personal = None
    """The monitor's name."""
    by: Actor = Actor.DIRECTOR
    """Who appointed."""
    at_request_of: Actor | None = None
    """At whose request."""
    powers: Text | None = None
    """What the monitor may do."""


class SpectatorReported(TableAct, frozen=True, kw_only=True):
    """A report about a spectator, or by one: something said or done that matters to the match."""

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
    """What exactly is agreed to."""


class RecordingObjected(TableAct, frozen=True, kw_only=True):
    """A player objects to a recording."""

    seat: Seat
    """Who objects."""
    medium: Word | None = None
    """Such as `video`, `paper`, `device`."""
    scope: Personal = None
    """What exactly is objected to."""
