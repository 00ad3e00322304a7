"""The clock on the table: set, started, pressed, paused, read, faulty, adjusted, run out."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, RuleReference, TableAct
from events.values import BySeat, Duration, EntryId, Milliseconds, Seat, Text, Word


class ClockKind(enum.StrEnum):
    """How a clock gives free time."""

    SIMPLE = "simple"
    """The delay runs before the reserve does; what is not used is gone."""
    BRONSTEIN = "bronstein"
    """Time used, up to the delay, is given back after the turn."""
    FISCHER = "fischer"
    """A bonus is added after each turn."""
    NONE = "none"
    """Reserve only."""
    NON_EXPIRING = "non_expiring"
    """Counts and shows, never runs out."""


class ClockAct(TableAct, frozen=True, kw_only=True):
    """Something done to the clock, with what it showed."""

    readings: BySeat[Milliseconds | None] | None = None
    """Reserve that the clock showed for each seat, milliseconds; the fold trusts it first."""


class ClockSet(ClockAct, frozen=True, kw_only=True):
    """The clock is set."""

    kind: ClockKind
    """How the free time works."""
    reserve_ms: BySeat[Duration] = BySeat(0, 0)
    """Bank of each seat, milliseconds; 0 for a clock that has none."""
    delay_ms: Duration = 0
    """Free time of each turn, milliseconds."""
    formula: Text | None = None
    """How the reserve was worked out, in words."""
    imposed: bool | None = None
    """Whether the director imposed it; None = not recorded."""


class ClockStarted(ClockAct, frozen=True, kw_only=True):
    """A seat's time begins to run."""

    seat: Seat
    """Whose time runs."""


class ClockPressed(ClockAct, frozen=True, kw_only=True):
    """A seat presses: its time stops, the other's runs."""

    seat: Seat
    """Who pressed."""


class ClockPaused(ClockAct, frozen=True, kw_only=True):
    """Both times stand still."""

    reason: Word | None = None
    """Such as `game_over`, `die_on_floor`, `dispute`, `break`, `director_called`."""
    by: Actor | None = None
    """Who stopped the clock."""


class ClockResumed(ClockAct, frozen=True, kw_only=True):
    """The clock runs again."""

    seat: Seat | None = None
    """Whose time runs; None = whose ran before."""


class ClockRead(ClockAct, frozen=True, kw_only=True):
    """Both readings are noted, and agreed or signed by."""

    agreed_by: Actor | None = None
    """Who agreed to them."""


class ClockFault(enum.StrEnum):
    """What was wrong with the clock's handling."""

    NOT_PRESSED = "not_pressed"
    NOT_PAUSED = "not_paused"
    WRONG_SIDE = "wrong_side"
    WRONG_SETTING = "wrong_setting"
    DEFECTIVE = "defective"


class ClockFaultNoticed(ClockAct, frozen=True, kw_only=True):
    """Somebody notices that the clock ran or stood wrongly."""

    kind: ClockFault
    """What was wrong."""
    seat: Seat | None = None
    """Whose clock, or who forgot to press."""
    since: EntryId | None = None
    """The entry since which it was wrong."""
    noticed_by: Actor | None = None
    """Who noticed."""


class ClockAdjusted(ClockAct, frozen=True, kw_only=True):
    """Time is given or taken."""

    seat: Seat
    """Whose reserve changes."""
    amount_ms: Milliseconds
    """Milliseconds added to the reserve; negative = taken away."""
    ordered_by: Actor = Actor.DIRECTOR
    """Who ordered it."""
    penalty: EntryId | None = None
    """The `penalty.assessed` of which it is the time, or gives back where that is waived."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why."""


class DelayCause(enum.StrEnum):
    """Why a delay is forfeited or begins anew."""

    FAST_GRAB = "fast_grab"
    """Dice lifted before the opponent's turn was over."""
    FAST_ROLL = "fast_roll"
    """Dice rolled before the opponent's turn was over."""
    INVALID_ROLL = "invalid_roll"
    """A roll that has to be thrown again."""
    CLOCK_FAULT = "clock_fault"
    """The clock ran or stood wrongly."""
    RULING = "ruling"
    """A ruling sets it so."""
    OTHER = "other"


class DelayTurn(enum.StrEnum):
    """Which turn of a player a delay belongs to."""

    NEXT = "next"
    THIS = "this"


class DelayAct(ClockAct, frozen=True, kw_only=True):
    """What becomes of the free time of a turn, by whose word and why."""

    seat: Seat
    """Whose free time it is."""
    cause: DelayCause | None = None
    """Why; None = not recorded."""
    ordered_by: Actor | None = None
    """Who demanded or ordered it; None = not recorded."""
    about: EntryId | None = None
    """The entry that it follows from, such as a `dice.lifted` or a `ruling.made`."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why, in words."""


class ClockDelayForfeited(DelayAct, frozen=True, kw_only=True):
    """A player forfeits the free time of a turn."""

    turn: DelayTurn = DelayTurn.NEXT
    """His next turn, or what is left of it in the turn that runs."""
    waits: bool = False
    """He has to wait until it would have ended, so that it runs; else his reserve runs at once."""


class ClockDelayRestarted(DelayAct, frozen=True, kw_only=True):
    """The free time of the turn that runs, or is stopped, begins anew."""

    left_ms: Duration | None = None
    """Free time from here on, milliseconds; None = all of it."""


class Flag(enum.StrEnum):
    """Whose time ran out, or ran out first."""

    ONE = "one"
    TWO = "two"
    BOTH = "both"
    UNKNOWN = "unknown"


class ClockFlagNoticed(ClockAct, frozen=True, kw_only=True):
    """Somebody notices that a reserve has run out."""

    whose: Flag
    """Whose reserve is gone."""
    noticed_by: Actor | None = None
    """Who noticed; a clock never says so."""
    first: Flag | None = None
    """Whose ran out first, if both did."""
    gin: bool | None = None
    """Whether somebody says that one side wins whatever is rolled; None = not recorded."""
    gin_for: Seat | None = None
    """Which side is said to win then."""
