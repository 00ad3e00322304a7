"""The clock: reserve and delay from presses, pauses and adjustments; readings are claims compared.

Readings that an entry carries are trusted first, then `at_ms`, else the reserve is unknown
(design §8.2). Under a simple delay a turn of `elapsed` milliseconds uses max(0, elapsed - delay) of
the reserve, which never grows; a pause does not give the delay anew. A delay that is forfeited or
restarted changes what the turn it belongs to may take before the reserve runs.
"""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, clock, dispute, play
from events.payloads.base import Payload
from events.payloads.clock import ClockKind
from events.values import BySeat, Seat
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import said

Result = tuple["Clock", tuple[Finding, ...]]

TOLERANCE_MS = 1_000
"""A clock's face shows whole seconds: a reading may differ by that much from the presses."""


class Forfeit(enum.StrEnum):
    """How a forfeited delay is carried out."""

    AT_ONCE = "at_once"
    """The reserve runs from the beginning of the turn."""
    WAITS = "waits"
    """The delay runs, and the player has to wait until it has ended."""


class Clock(msgspec.Struct, frozen=True, gc=False):
    """The clock on the table."""

    is_set: bool = False
    """Whether it was set; before that there is nothing to tell."""
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
    """What this turn may take before the reserve runs, ms, where it is not the whole delay."""
    turn_forfeit: Forfeit | None = None
    """How the delay of this turn is forfeited; None = it is not."""
    forfeits: BySeat[Forfeit | None] = BySeat(None, None)
    """How the delay of each seat's next turn is forfeited; None = it is not."""

    @property
    def turn_of(self) -> Seat | None:
        """Whose turn it is on the clock, running or paused."""
        return self.running or self.paused


def evolve(state: Clock, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The clock after one event."""
    match payload:
        case clock.ClockPressed() as pressed:
            return _pressed(state, event, pressed, seen)
        case clock.ClockSet() as was_set:
            reserve = was_set.reserve_ms
            new = Clock(
                True,
                was_set.kind,
                was_set.delay_ms,
                BySeat(reserve.one, reserve.two),
                # A clock that is set anew gives no forfeited delay back.
                forfeits=state.forfeits,
            )
            return _with_readings(new, event, was_set.readings, seen)
        case clock.ClockStarted(seat=seat, at_ms=at_ms, readings=readings):
            charged = _charged(state, at_ms)
            new = charged if state.running is seat else _run(charged, seat, at_ms)
            return _found_out(state, new, event, readings, seen)
        case clock.ClockPaused(at_ms=at_ms, readings=readings):
            return _found_out(state, _paused(state, at_ms), event, readings, seen)
        case clock.ClockResumed(seat=seat, at_ms=at_ms, readings=readings):
            return _found_out(state, _resumed(state, seat, at_ms), event, readings, seen)
        case (
            clock.ClockRead()
            | clock.ClockFaultNoticed()
            | clock.ClockFlagNoticed()
            | attendance.BreakStarted()
        ):
            read = payload
            return _found_out(state, _charged(state, read.at_ms), event, read.readings, seen)
        case play.PlayUnseen(seat=seat, count=count) if state.is_set:
            # One play of one player was not told, but its turn was followed: so were its presses.
            is_followed = seat is not None and count == 1
            return (state if is_followed else _unseen(state)), NOTHING
        case clock.ClockAdjusted() as adjusted:
            return _found_out(state, _adjusted(state, adjusted), event, adjusted.readings, seen)
        case clock.ClockDelayForfeited() as forfeited:
            return _found_out(state, _forfeited(state, forfeited), event, payload.readings, seen)
        case clock.ClockDelayRestarted() as restarted:
            return _found_out(state, _restarted(state, restarted), event, payload.readings, seen)
        case dispute.RulingCarriedOut(reserve_ms=reserve) if reserve is not None:
            given: BySeat[int | None] = BySeat(max(0, reserve.one), max(0, reserve.two))
            fallen = given.map(lambda left: left == 0)
            charged = _charged(state, payload.at_ms)
            return replace(_settled(charged, given), is_set=True, fallen=fallen), NOTHING
        case _:
            return state, NOTHING


def used_ms(elapsed_ms: int, delay_ms: int) -> int:
    """What a turn takes from the reserve under a simple delay, milliseconds."""
    return max(0, elapsed_ms - delay_ms)


def _run(state: Clock, seat: Seat | None, at_ms: int | None) -> Clock:
    """A new turn of `seat` begins on the clock, without its delay where that is forfeited."""
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


def _charged(state: Clock, at_ms: int | None) -> Clock:
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
        used = used_ms(elapsed, _free(state))
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


def _free(state: Clock) -> int:
    """What a turn may take before the reserve runs; other kinds give time after the turn."""
    free_ms = state.delay_ms if state.free_ms is None else state.free_ms
    return free_ms if state.kind is ClockKind.SIMPLE else 0


def _settled(state: Clock, reserve: BySeat[int | None]) -> Clock:
    """The reserves as known from elsewhere, from which the turn goes on; its delay stays used."""
    seat = state.turn_of
    kept = None if seat is None else reserve[seat]
    elapsed = state.elapsed_ms
    start = state.turn_reserve_ms
    if kept is None:
        return replace(state, reserve_ms=reserve, turn_reserve_ms=None)
    if elapsed is None and start is not None and kept < start:
        # The reserve has begun to run, so the delay is gone, whenever that was.
        elapsed = _free(state)
    if elapsed is not None:
        kept += used_ms(elapsed, _free(state))
    return replace(state, reserve_ms=reserve, turn_reserve_ms=kept, elapsed_ms=elapsed)


def _shown(state: Clock, reserve: BySeat[int | None]) -> Clock:
    """The reserves as a clock showed them."""
    seat = state.running
    is_known = seat is None or state.reserve_ms[seat] is not None
    if is_known or None in (state.since_ms, state.elapsed_ms, state.turn_reserve_ms):
        return _settled(state, reserve)
    # Shown at some moment of a turn whose beginning is known: the turn is charged from there.
    return replace(state, reserve_ms=reserve)


def _with_readings(
    state: Clock, event: RecordedEvent, readings: BySeat[int | None] | None, seen: Seen
) -> Result:
    """Take the readings over, and compare them with what the presses make."""
    if readings is None:
        return state, NOTHING
    differing = []
    reserve, fallen = state.reserve_ms, state.fallen
    for seat in Seat:
        shown, computed = readings[seat], reserve[seat]
        if shown is None:
            continue
        if computed is not None and abs(shown - computed) > TOLERANCE_MS:
            differing.append(
                said(
                    "{seat}'s clock shows {shown}, the presses make it {computed}",
                    seat=seat,
                    shown=_in_words(shown),
                    computed=_in_words(computed),
                )
            )
        reserve = reserve.put(seat, shown)
        is_out = shown <= 0 and computed != 0 and state.kind is not ClockKind.NON_EXPIRING
        fallen = fallen.put(seat, is_out or (fallen[seat] and shown <= 0))
    if reserve != state.reserve_ms or fallen != state.fallen:
        state = replace(_shown(state, reserve), fallen=fallen)
    if not differing:
        return state, NOTHING
    cite = seen.rules.cite("clock")
    message = differing[0]
    if len(differing) == len(Seat):
        message = said("{one}; {two}", one=message, two=differing[1])
    return state, (found("clock-reading-differs", event, message, cite=cite),)


def _found_out(
    before: Clock,
    charged: Clock,
    event: RecordedEvent,
    readings: BySeat[int | None] | None,
    seen: Seen,
) -> Result:
    """The state with its readings, and the reserves that have run out since `before`."""
    state, findings = _with_readings(charged, event, readings, seen)
    if state.fallen == before.fallen or not state.is_set:
        return state, findings
    fell = tuple(
        found(
            "flag-fell",
            event,
            said("by the presses and readings recorded, {seat}'s reserve has run out", seat=seat),
            cite=seen.rules.cite("clock"),
            seat=seat,
        )
        for seat in Seat
        if state.fallen[seat] and not before.fallen[seat]
    )
    return state, (*fell, *findings)


def _pressed(state: Clock, event: RecordedEvent, pressed: clock.ClockPressed, seen: Seen) -> Result:
    seat = pressed.seat
    charged = _charged(state, pressed.at_ms)
    if state.running is not None and state.running is not seat:
        # Who presses while the other's time runs presses a lever that is down: nothing changes.
        new, findings = _found_out(state, charged, event, pressed.readings, seen)
        message = said("{seat} presses while {other}'s time runs", seat=seat, other=seat.other)
        cite = seen.rules.cite("clock")
        return new, (
            found("clock-pressed-by-other", event, message, cite=cite, seat=seat),
            *findings,
        )
    given = _given(charged, seat) if state.running is seat else charged
    new, findings = _found_out(state, given, event, pressed.readings, seen)
    return _run(new, seat.other, pressed.at_ms), findings


def _given(state: Clock, seat: Seat) -> Clock:
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


def _paused(state: Clock, at_ms: int | None) -> Clock:
    """Nobody's time runs; how much of the turn is gone is known if the time of the pause is."""
    if state.running is None:
        return state
    is_known = state.kind is ClockKind.NON_EXPIRING or None not in (at_ms, state.since_ms)
    charged = _charged(state, at_ms)
    return replace(
        charged,
        running=None,
        since_ms=None,
        paused=state.running,
        elapsed_ms=charged.elapsed_ms if is_known else None,
    )


def _resumed(state: Clock, seat: Seat | None, at_ms: int | None) -> Clock:
    charged = _charged(state, at_ms)
    seat = seat or state.turn_of
    if seat is not None and seat is state.running:
        return charged
    if seat is not None and seat is state.paused:
        # The same turn goes on: its delay is not given anew.
        return replace(state, running=seat, since_ms=at_ms, paused=None)
    return _run(charged, seat, at_ms)


def _unseen(state: Clock) -> Clock:
    """After a gap nobody knows whose time runs or what is left, until the clock is read."""
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


def _forfeited(state: Clock, forfeited: clock.ClockDelayForfeited) -> Clock:
    """The delay of a turn is gone: at the beginning of the next one, or what is left of this."""
    seat = forfeited.seat
    how = Forfeit.WAITS if forfeited.waits else Forfeit.AT_ONCE
    if forfeited.turn is clock.DelayTurn.NEXT:
        charged = state if forfeited.at_ms is None else _charged(state, forfeited.at_ms)
        return replace(charged, forfeits=charged.forfeits.put(seat, how))
    if state.turn_of is not seat:
        return state
    if how is Forfeit.WAITS:
        charged = state if forfeited.at_ms is None else _charged(state, forfeited.at_ms)
        return replace(charged, turn_forfeit=how)
    return replace(_from_here(state, seat, forfeited.at_ms, 0), turn_forfeit=how)


def _restarted(state: Clock, restarted: clock.ClockDelayRestarted) -> Clock:
    """The delay of the turn on the clock begins anew, all of it or as much as is said."""
    seat = restarted.seat
    if state.turn_of is not seat:
        return state
    return replace(_from_here(state, seat, restarted.at_ms, restarted.left_ms), turn_forfeit=None)


def _from_here(state: Clock, seat: Seat, at_ms: int | None, free_ms: int | None) -> Clock:
    """The turn on the clock, counted anew from what is left of the reserve, with so much delay."""
    charged = _charged(state, at_ms)
    reserve = charged.reserve_ms[seat]
    since = None if charged.running is None else at_ms
    return replace(charged, since_ms=since, elapsed_ms=0, turn_reserve_ms=reserve, free_ms=free_ms)


def _adjusted(state: Clock, adjusted: clock.ClockAdjusted) -> Clock:
    """Time given or taken; without a time of its own it counts from the last known moment."""
    seat, amount_ms = adjusted.seat, adjusted.amount_ms
    charged = state if adjusted.at_ms is None else _charged(state, adjusted.at_ms)
    reserve, turn = charged.reserve_ms[seat], charged.turn_reserve_ms
    if reserve is not None:
        reserve = max(0, reserve + amount_ms)
    if charged.turn_of is seat and turn is not None:
        turn = max(0, turn + amount_ms)
        if reserve is not None and charged.elapsed_ms is not None:
            # What was left could not fall below nothing, nor can what the turn began with.
            turn = max(turn, reserve + used_ms(charged.elapsed_ms, _free(charged)))
    fallen = charged.fallen
    if reserve is not None and fallen[seat]:
        fallen = fallen.put(seat, reserve == 0)
    elif reserve == 0 and amount_ms < 0:
        fallen = fallen.put(seat, True)
    return replace(
        charged,
        reserve_ms=charged.reserve_ms.put(seat, reserve),
        turn_reserve_ms=turn,
        fallen=fallen,
    )


def _in_words(milliseconds: int) -> str:
    sign = "-" if milliseconds < 0 else ""
    seconds = abs(milliseconds) // 1_000
    return f"{sign}{seconds // 60}:{seconds % 60:02d}"


_HEARS: tuple[type[Payload], ...] = (
    clock.ClockPressed,
    clock.ClockSet,
    clock.ClockStarted,
    clock.ClockPaused,
    clock.ClockResumed,
    clock.ClockRead,
    clock.ClockFaultNoticed,
    clock.ClockAdjusted,
    clock.ClockDelayForfeited,
    clock.ClockDelayRestarted,
    clock.ClockFlagNoticed,
    attendance.BreakStarted,
    play.PlayUnseen,
    dispute.RulingCarriedOut,
)


FOLD = Fold(Clock, *(on(kind, evolve) for kind in _HEARS))
"""The clock's fold."""
