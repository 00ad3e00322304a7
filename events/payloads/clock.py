"""The clock on the table: set, started, pressed, paused, read, faulty, adjusted, run out."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, Personal, RuleReference, TableAct
from events.values import BySeat, Duration, EntryId, Milliseconds, Seat, Text, Word


class ClockKind(enum.StrEnum):
    """How a clock gives the free time of a turn."""

    SIMPLE = "simple"
    """The delay runs before the reserve does; an unused rest of it is lost."""
    BRONSTEIN = "bronstein"
    """Time used, up to the delay, is given back after the turn."""
    FISCHER = "fischer"
    """A bonus is added after each turn."""
    NONE = "none"
    """Reserve only."""
    NON_EXPIRING = "non_expiring"
    """The clock shows time but never runs out."""


class ClockAct(TableAct, frozen=True, kw_only=True):
    """Something that was done to the clock, with its readings."""

    readings: BySeat[Milliseconds | None] | None = None
    """Reserve that the clock showed for each seat, milliseconds; the fold prefers it to `at_ms`."""


class ClockSet(ClockAct, frozen=True, kw_only=True):
    """The clock is set."""

    kind: ClockKind
    """How the free time works."""
    reserve_ms: BySeat[Duration] = BySeat(0, 0)
    """Reserve of each seat, milliseconds; 0 for a clock without a reserve."""
    delay_ms: Duration = 0
    """Free time of each turn, milliseconds."""
    formula: Text | None = None
    """How the reserve was calculated, in words."""
    imposed: bool | None = None
    """Whether the director imposed it; None = not recorded."""


class ClockStarted(ClockAct, frozen=True, kw_only=True):
    """A player's time begins to run."""

    seat: Seat
    """Whose time runs."""


class ClockPressed(ClockAct, frozen=True, kw_only=True):
    """A player presses the clock: own time stops, the opponent's time runs."""

    seat: Seat
    """Who pressed."""


class ClockPaused(ClockAct, frozen=True, kw_only=True):
    """The clock is paused: neither player's time runs."""

    reason: Word | None = None
    """Why, such as `game_over`, `die_on_floor`, `dispute`, `break`, `director_called`."""
    by: Actor | None = None
    """Who paused the clock."""


class ClockResumed(ClockAct, frozen=True, kw_only=True):
    """The clock runs again."""

    seat: Seat | None = None
    """Whose time runs; None = the player's whose time ran before the pause."""


class ClockRead(ClockAct, frozen=True, kw_only=True):
    """Both readings are noted."""

    agreed_by: Actor | None = None
    """Who agreed to the readings or signed them."""


class ClockFault(enum.StrEnum):
    """What was wrong with the clock or how it was handled."""

    NOT_PRESSED = "not_pressed"
    NOT_PAUSED = "not_paused"
    WRONG_SIDE = "wrong_side"
    WRONG_SETTING = "wrong_setting"
    DEFECTIVE = "defective"


class ClockFaultNoticed(ClockAct, frozen=True, kw_only=True):
    """Somebody notices that the clock was wrong: running or stopped, set or pressed wrongly."""

    kind: ClockFault
    """What was wrong."""
    seat: Seat | None = None
    """Whose time is concerned, or who forgot to press."""
    since: EntryId | None = None
    """The entry since which it was wrong."""
    noticed_by: Actor | None = None
    """Who noticed."""


class ClockAdjusted(ClockAct, frozen=True, kw_only=True):
    """Time is added to a player's reserve, or taken from it."""

    seat: Seat
    """Whose reserve changes."""
    amount_ms: Milliseconds
    """Milliseconds added to the reserve; negative = taken away."""
    ordered_by: Actor = Actor.DIRECTOR
    """Who ordered it."""
    penalty: EntryId | None = None
    """The `penalty.assessed` that took this time, or whose waiver gives it back."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why."""


class DelayCause(enum.StrEnum):
    """Why the free time of a turn is forfeited or begins again."""

    FAST_GRAB = "fast_grab"
    """Dice lifted before the opponent's turn was over."""
    FAST_ROLL = "fast_roll"
    """Dice rolled before the opponent's turn was over."""
    INVALID_ROLL = "invalid_roll"
    """A roll that has to be thrown again."""
    CLOCK_FAULT = "clock_fault"
    """The clock ran or stood wrongly."""
    RULING = "ruling"
    """A ruling ordered it."""
    OTHER = "other"


class DelayTurn(enum.StrEnum):
    """The turn whose free time is forfeited: the player's next one, or this one."""

    NEXT = "next"
    THIS = "this"


class DelayAct(ClockAct, frozen=True, kw_only=True):
    """A change to the free time of a turn, with its cause and who ordered it."""

    seat: Seat
    """Whose free time is changed."""
    cause: DelayCause | None = None
    """Why; None = not recorded."""
    ordered_by: Actor | None = None
    """Who demanded or ordered it; None = not recorded."""
    about: EntryId | None = None
    """The entry that caused it, such as a `dice.lifted` or a `ruling.made`."""
    rule: RuleReference | None = None
    """Under which rule."""
    reason: Personal = None
    """Why, in words."""


class ClockDelayForfeited(DelayAct, frozen=True, kw_only=True):
    """A player forfeits the free time of a turn."""

    turn: DelayTurn = DelayTurn.NEXT
    """`next`: all of it in the player's next turn; `this`: the rest of it in the current one."""
    waits: bool = False
    """True: the player has to wait until it has run out; false: the reserve runs at once."""


class ClockDelayRestarted(DelayAct, frozen=True, kw_only=True):
    """The free time of the current turn begins again, whether the clock runs or is paused."""

    left_ms: Duration | None = None
    """Free time left from now on, milliseconds; None = all of it."""


class Flag(enum.StrEnum):
    """Whose reserve ran out, or ran out first."""

    ONE = "one"
    TWO = "two"
    BOTH = "both"
    UNKNOWN = "unknown"


class ClockFlagNoticed(ClockAct, frozen=True, kw_only=True):
    """Somebody notices that a reserve has run out."""

    whose: Flag
    """Whose reserve has run out."""
    noticed_by: Actor | None = None
    """Who noticed; the clock itself does not report it."""
    first: Flag | None = None
    """Whose reserve ran out first, if both did."""
    gin: bool | None = None
    """Whether it is claimed that one player wins whatever is rolled; None = not recorded."""
    gin_for: Seat | None = None
    """The player who would win."""
