"""The clock's state, and how time is charged to the reserves of a turn."""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.payloads.clock import ClockKind
from events.values import BySeat, Seat


class Forfeit(enum.StrEnum):
    """How a forfeited delay is carried out."""

    AT_ONCE = "at_once"
    """The reserve runs from the beginning of the turn."""
    WAITS = "waits"
    """The delay runs, and the player has to wait until it has ended."""


class Clock(msgspec.Struct, frozen=True, gc=False):
    """The clock on the table."""

    is_set: bool = False
    """Whether the clock was set; before that nothing is known."""
    kind: ClockKind = ClockKind.SIMPLE
    """How the free time works."""
    delay_ms: int = 0
    """Free time of a turn, milliseconds."""
    reserve_ms: BySeat[int | None] = BySeat(None, None)
    """Reserve of each seat at the last clock event, milliseconds, never below 0; None = unknown."""
    running: Seat | None = None
    """Whose time runs."""
    since_ms: int | None = None
    """`at_ms` since which it runs without a stop; None = not recorded."""
    elapsed_ms: int | None = 0
    """Time of this turn before that, milliseconds; None = unknown."""
    turn_reserve_ms: int | None = None
    """Reserve of the running seat when its turn began, milliseconds; None = unknown."""
    paused: Seat | None = None
    """Whose time ran before the pause."""
    fallen: BySeat[bool] = BySeat(False, False)
    """Whether the reserve of each seat has run out, by presses and readings."""
    free_ms: int | None = None
    """Free time of this turn, ms, if it is not the whole delay."""
    turn_forfeit: Forfeit | None = None
    """How the delay of this turn is forfeited; None = it is not."""
    forfeits: BySeat[Forfeit | None] = BySeat(None, None)
    """How the delay of each seat's next turn is forfeited; None = it is not."""

    @property
    def turn_of(self) -> Seat | None:
        """Whose turn it is on the clock, running or paused."""
        return self.running or self.paused

    def left_at(self, seat: Seat, at_ms: int | None) -> int | None:
        """Reserve of `seat` at a moment after the last clock event, ms; None = unknown."""
        return (charged_at(self, at_ms) if self.running is seat else self).reserve_ms[seat]


def used_ms(elapsed_ms: int, delay_ms: int) -> int:
    """What a turn takes from the reserve under a simple delay, milliseconds."""
    return max(0, elapsed_ms - delay_ms)


def free_ms_of(state: Clock) -> int:
    """The free time of a turn; other kinds of clock give time after the turn."""
    free_ms = state.delay_ms if state.free_ms is None else state.free_ms
    return free_ms if state.kind is ClockKind.SIMPLE else 0


def charged_at(state: Clock, at_ms: int | None) -> Clock:
    """The state at `at_ms` with the running seat's time charged to its reserve."""
    seat = state.running
    if seat is None or state.kind is ClockKind.NON_EXPIRING:
        return state
    if at_ms is None or state.since_ms is None or state.elapsed_ms is None:
        # Unknown now; a later moment whose time is known is charged from the turn's beginning.
        return replace(state, reserve_ms=state.reserve_ms.put(seat, None))
    elapsed = state.elapsed_ms + max(0, at_ms - state.since_ms)
    start = state.turn_reserve_ms
    reserve = None
    fallen = state.fallen
    if start is not None:
        used = used_ms(elapsed, free_ms_of(state))
        reserve = max(0, start - used)
        if used and not reserve:
            fallen = fallen.put(seat, True)
    return replace(
        state,
        since_ms=max(at_ms, state.since_ms),
        elapsed_ms=elapsed,
        reserve_ms=state.reserve_ms.put(seat, reserve),
        fallen=fallen,
    )


def as_known(state: Clock, reserve: BySeat[int | None]) -> Clock:
    """Set the reserves in the middle of a turn; the delay used so far stays used."""
    seat = state.turn_of
    kept = None if seat is None else reserve[seat]
    elapsed = state.elapsed_ms
    start = state.turn_reserve_ms
    if kept is None:
        return replace(state, reserve_ms=reserve, turn_reserve_ms=None)
    if elapsed is None and start is not None and kept < start:
        # The reserve has begun to run, so the delay is used up.
        elapsed = free_ms_of(state)
    if elapsed is not None:
        kept += used_ms(elapsed, free_ms_of(state))
    return replace(state, reserve_ms=reserve, turn_reserve_ms=kept, elapsed_ms=elapsed)


def as_shown(state: Clock, reserve: BySeat[int | None]) -> Clock:
    """The reserves as a clock showed them."""
    seat = state.running
    is_known = seat is None or state.reserve_ms[seat] is not None
    if is_known or None in (state.since_ms, state.elapsed_ms, state.turn_reserve_ms):
        return as_known(state, reserve)
    # Shown at some moment of a turn whose beginning is known: the turn is charged from there.
    return replace(state, reserve_ms=reserve)


def turn_begun(state: Clock, seat: Seat | None, at_ms: int | None) -> Clock:
    """A new turn of `seat` begins on the clock, without its delay if that is forfeited."""
    reserve = None if seat is None else state.reserve_ms[seat]
    forfeit = None if seat is None else state.forfeits[seat]
    return replace(
        state,
        running=seat,
        since_ms=at_ms,
        elapsed_ms=0,
        turn_reserve_ms=reserve,
        paused=None,
        free_ms=0 if forfeit is Forfeit.AT_ONCE else None,
        turn_forfeit=forfeit,
        forfeits=state.forfeits if seat is None else state.forfeits.put(seat, None),
    )


def counted_anew(state: Clock, seat: Seat, at_ms: int | None, free_ms: int | None) -> Clock:
    """The turn on the clock, counted again from the reserve left, with this much delay."""
    charged = charged_at(state, at_ms)
    reserve = charged.reserve_ms[seat]
    since = None if charged.running is None else at_ms
    return replace(charged, since_ms=since, elapsed_ms=0, turn_reserve_ms=reserve, free_ms=free_ms)


def bonus_given(state: Clock, seat: Seat) -> Clock:
    """The state after a turn of `seat`, with the time that its kind of clock gives afterwards."""
    reserve, elapsed = state.reserve_ms[seat], state.elapsed_ms
    if reserve is None or elapsed is None or state.turn_forfeit is not None:
        return state
    if state.kind is ClockKind.FISCHER:
        bonus = state.delay_ms
    elif state.kind is ClockKind.BRONSTEIN:
        bonus = min(elapsed, state.delay_ms)
    else:
        return state
    return replace(state, reserve_ms=state.reserve_ms.put(seat, reserve + bonus))


def as_unseen(state: Clock) -> Clock:
    """After a gap it is unknown whose time runs and what is left, until the clock is read."""
    unknown: BySeat[int | None] = BySeat(None, None)
    return replace(
        state,
        reserve_ms=unknown,
        running=None,
        since_ms=None,
        elapsed_ms=None,
        turn_reserve_ms=None,
        paused=None,
        free_ms=None,
        turn_forfeit=None,
        forfeits=BySeat(None, None),
    )
