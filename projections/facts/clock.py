"""The clock: reserve and delay from presses, pauses and adjustments; readings are claims compared.

Readings that an entry carries are trusted first, then `at_ms`, else the reserve is unknown
(design §8.2). Under a simple delay a turn of `elapsed` milliseconds uses max(0, elapsed - delay) of
the reserve, which never grows; a pause does not give the delay anew. A delay that is forfeited or
restarted changes what the turn it belongs to may take before the reserve runs.
"""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, clock, dispute, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.facts.clock_readings import Result, found_out, with_readings
from projections.facts.clock_state import (
    Clock,
    Forfeit,
    as_known,
    as_unseen,
    bonus_given,
    charged_at,
    counted_anew,
    free_ms_of,
    turn_begun,
    used_ms,
)
from projections.folding.findings import found
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import said


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
            return with_readings(new, event, was_set.readings, seen)
        case clock.ClockStarted(seat=seat, at_ms=at_ms, readings=readings):
            charged = charged_at(state, at_ms)
            new = charged if state.running is seat else turn_begun(charged, seat, at_ms)
            return found_out(state, new, event, readings, seen)
        case clock.ClockPaused(at_ms=at_ms, readings=readings):
            return found_out(state, _paused(state, at_ms), event, readings, seen)
        case clock.ClockResumed(seat=seat, at_ms=at_ms, readings=readings):
            return found_out(state, _resumed(state, seat, at_ms), event, readings, seen)
        case (
            clock.ClockRead()
            | clock.ClockFaultNoticed()
            | clock.ClockFlagNoticed()
            | attendance.BreakStarted()
        ):
            read = payload
            return found_out(state, charged_at(state, read.at_ms), event, read.readings, seen)
        case play.PlayUnseen(seat=seat, count=count) if state.is_set:
            # One play of one player was not told, but its turn was followed: so were its presses.
            is_followed = seat is not None and count == 1
            return (state if is_followed else as_unseen(state)), NOTHING
        case clock.ClockAdjusted() as adjusted:
            return found_out(state, _adjusted(state, adjusted), event, adjusted.readings, seen)
        case clock.ClockDelayForfeited() as forfeited:
            return found_out(state, _forfeited(state, forfeited), event, payload.readings, seen)
        case clock.ClockDelayRestarted() as restarted:
            return found_out(state, _restarted(state, restarted), event, payload.readings, seen)
        case dispute.RulingCarriedOut(reserve_ms=reserve) if reserve is not None:
            given: BySeat[int | None] = BySeat(max(0, reserve.one), max(0, reserve.two))
            fallen = given.map(lambda left: left == 0)
            charged = charged_at(state, payload.at_ms)
            return replace(as_known(charged, given), is_set=True, fallen=fallen), NOTHING
        case _:
            return state, NOTHING


def _pressed(state: Clock, event: RecordedEvent, pressed: clock.ClockPressed, seen: Seen) -> Result:
    seat = pressed.seat
    charged = charged_at(state, pressed.at_ms)
    if state.running is not None and state.running is not seat:
        # Who presses while the other's time runs presses a lever that is down: nothing changes.
        new, findings = found_out(state, charged, event, pressed.readings, seen)
        message = said("{seat} presses while {other}'s time runs", seat=seat, other=seat.other)
        cite = seen.rules.cite("clock")
        return new, (
            found("clock-pressed-by-other", event, message, cite=cite, seat=seat),
            *findings,
        )
    given = bonus_given(charged, seat) if state.running is seat else charged
    new, findings = found_out(state, given, event, pressed.readings, seen)
    return turn_begun(new, seat.other, pressed.at_ms), findings


def _paused(state: Clock, at_ms: int | None) -> Clock:
    """Nobody's time runs; how much of the turn is gone is known if the time of the pause is."""
    if state.running is None:
        return state
    is_known = state.kind is clock.ClockKind.NON_EXPIRING or None not in (at_ms, state.since_ms)
    charged = charged_at(state, at_ms)
    return replace(
        charged,
        running=None,
        since_ms=None,
        paused=state.running,
        elapsed_ms=charged.elapsed_ms if is_known else None,
    )


def _resumed(state: Clock, seat: Seat | None, at_ms: int | None) -> Clock:
    charged = charged_at(state, at_ms)
    seat = seat or state.turn_of
    if seat is not None and seat is state.running:
        return charged
    if seat is not None and seat is state.paused:
        # The same turn goes on: its delay is not given anew.
        return replace(state, running=seat, since_ms=at_ms, paused=None)
    return turn_begun(charged, seat, at_ms)


def _forfeited(state: Clock, forfeited: clock.ClockDelayForfeited) -> Clock:
    """The delay of a turn is gone: at the beginning of the next one, or what is left of this."""
    seat = forfeited.seat
    how = Forfeit.WAITS if forfeited.waits else Forfeit.AT_ONCE
    if forfeited.turn is clock.DelayTurn.NEXT:
        charged = state if forfeited.at_ms is None else charged_at(state, forfeited.at_ms)
        return replace(charged, forfeits=charged.forfeits.put(seat, how))
    if state.turn_of is not seat:
        return state
    if how is Forfeit.WAITS:
        charged = state if forfeited.at_ms is None else charged_at(state, forfeited.at_ms)
        return replace(charged, turn_forfeit=how)
    return replace(counted_anew(state, seat, forfeited.at_ms, 0), turn_forfeit=how)


def _restarted(state: Clock, restarted: clock.ClockDelayRestarted) -> Clock:
    """The delay of the turn on the clock begins anew, all of it or as much as is said."""
    seat = restarted.seat
    if state.turn_of is not seat:
        return state
    return replace(counted_anew(state, seat, restarted.at_ms, restarted.left_ms), turn_forfeit=None)


def _adjusted(state: Clock, adjusted: clock.ClockAdjusted) -> Clock:
    """Time given or taken; without a time of its own it counts from the last known moment."""
    seat, amount_ms = adjusted.seat, adjusted.amount_ms
    charged = state if adjusted.at_ms is None else charged_at(state, adjusted.at_ms)
    reserve, turn = charged.reserve_ms[seat], charged.turn_reserve_ms
    if reserve is not None:
        reserve = max(0, reserve + amount_ms)
    if charged.turn_of is seat and turn is not None:
        turn = max(0, turn + amount_ms)
        if reserve is not None and charged.elapsed_ms is not None:
            # What was left could not fall below nothing, nor can what the turn began with.
            turn = max(turn, reserve + used_ms(charged.elapsed_ms, free_ms_of(charged)))
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
