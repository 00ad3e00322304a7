"""The clock: reserve and delay from presses, pauses and adjustments; readings are claims compared.

Readings that an entry carries are trusted first, then `at_ms`, else the reserve is unknown
(design §8.2). Under a simple delay a turn of `elapsed` milliseconds uses max(0, elapsed - delay) of
the reserve, which never grows; a pause does not give the delay anew.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, dispute
from events.payloads.base import Payload
from events.payloads.clock import ClockKind
from events.values import BySeat, Seat
from projections.findings import Finding, RulingRequired, found
from projections.fold import NOTHING, Fold, Seen
from projections.rules.profile import Flagged, Rules

Result = tuple["Clock", tuple[Finding, ...]]

TOLERANCE_MS = 1_000
"""A clock's face shows whole seconds: a reading may differ by that much from the presses."""


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
    """Whether the reserve of each seat has run out, by the presses recorded."""


def evolve(state: Clock, event: RecordedEvent, seen: Seen) -> Result:
    """The clock after one event."""
    match event.payload:
        case clock.ClockPressed() as pressed:
            return _pressed(state, event, pressed, seen)
        case clock.ClockSet() as was_set:
            reserve = was_set.reserve_ms
            new = Clock(True, was_set.kind, was_set.delay_ms, BySeat(reserve.one, reserve.two))
            return _with_readings(new, event, was_set, seen)
        case clock.ClockStarted(seat=seat, at_ms=at_ms) as started:
            return _with_readings(_run(state, seat, at_ms), event, started, seen)
        case clock.ClockPaused() as paused:
            return _paused(state, event, paused, seen)
        case clock.ClockResumed() as resumed:
            return _resumed(state, event, resumed, seen)
        case clock.ClockRead() | clock.ClockFaultNoticed():
            charged = _charged(state, event.payload.at_ms)
            return _with_readings(charged, event, event.payload, seen)
        case clock.ClockAdjusted(seat=seat, amount_ms=amount_ms):
            return _adjusted(state, seat, amount_ms), NOTHING
        case clock.ClockFlagNoticed() as noticed:
            return _flag_noticed(state, event, noticed, seen)
        case dispute.RulingCarriedOut(reserve_ms=reserve) if reserve is not None:
            given: BySeat[int | None] = BySeat(max(0, reserve.one), max(0, reserve.two))
            return _settled(replace(state, is_set=True), given), NOTHING
        case _:
            return state, NOTHING


def used_ms(elapsed_ms: int, delay_ms: int) -> int:
    """What a turn takes from the reserve under a simple delay, milliseconds."""
    return max(0, elapsed_ms - delay_ms)


def _run(state: Clock, seat: Seat | None, at_ms: int | None) -> Clock:
    """A new turn of `seat` begins on the clock."""
    reserve = None if seat is None else state.reserve_ms[seat]
    return replace(
        state, running=seat, since_ms=at_ms, elapsed_ms=0, turn_reserve_ms=reserve, paused=None
    )


def _charged(state: Clock, at_ms: int | None) -> Clock:
    """The state at `at_ms` with the running seat's time charged to its reserve."""
    seat = state.running
    if seat is None:
        return state
    if at_ms is None or state.since_ms is None or state.elapsed_ms is None:
        return replace(
            state, since_ms=at_ms, elapsed_ms=None, reserve_ms=state.reserve_ms.put(seat, None)
        )
    elapsed = state.elapsed_ms + max(0, at_ms - state.since_ms)
    reserve = state.turn_reserve_ms
    if reserve is not None and state.kind is not ClockKind.NON_EXPIRING:
        reserve = max(0, reserve - used_ms(elapsed, _free(state)))
    return replace(
        state,
        since_ms=at_ms,
        elapsed_ms=elapsed,
        reserve_ms=state.reserve_ms.put(seat, reserve),
    )


def _free(state: Clock) -> int:
    return 0 if state.kind in (ClockKind.NONE, ClockKind.FISCHER) else state.delay_ms


def _settled(state: Clock, reserve: BySeat[int | None]) -> Clock:
    """The reserves as known from elsewhere, from which the running turn goes on."""
    running = state.running
    kept = None if running is None else reserve[running]
    return replace(state, reserve_ms=reserve, turn_reserve_ms=kept, elapsed_ms=_free(state))


def _with_readings(state: Clock, event: RecordedEvent, act: clock.ClockAct, seen: Seen) -> Result:
    """Take the readings over, and compare them with what the presses make."""
    findings = _fallen(state, event, seen)
    if findings:
        state = replace(state, fallen=_flags(state))
    if act.readings is None:
        return state, findings
    differing = []
    reserve = state.reserve_ms
    for seat in Seat:
        shown, computed = act.readings[seat], reserve[seat]
        if shown is None:
            continue
        if computed is not None and abs(shown - computed) > TOLERANCE_MS:
            differing.append(
                f"{seat.value}'s clock shows {_in_words(shown)}, "
                f"the presses make it {_in_words(computed)}"
            )
        reserve = reserve.put(seat, shown)
    if reserve != state.reserve_ms:
        state = _settled(state, reserve)
    if differing:
        cite = seen.rules.cite("clock")
        finding = found("clock-reading-differs", event, "; ".join(differing), cite=cite)
        findings = (*findings, finding)
    return state, findings


def _flags(state: Clock) -> BySeat[bool]:
    return state.reserve_ms.map(lambda reserve: reserve is not None and reserve <= 0)


def _fallen(state: Clock, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    if state.kind is ClockKind.NON_EXPIRING or not state.is_set:
        return NOTHING
    flags = _flags(state)
    if not (flags.one or flags.two):
        return NOTHING
    return tuple(
        found(
            "flag-fell",
            event,
            f"by the presses recorded, {seat.value}'s reserve has run out",
            cite=seen.rules.cite("clock"),
            seat=seat,
        )
        for seat in Seat
        if flags[seat] and not state.fallen[seat]
    )


def _pressed(state: Clock, event: RecordedEvent, pressed: clock.ClockPressed, seen: Seen) -> Result:
    seat = pressed.seat
    wrong = NOTHING
    if state.running is not None and state.running is not seat:
        message = f"{seat.value} presses while {seat.other.value}'s time runs"
        cite = seen.rules.cite("clock")
        wrong = (found("clock-pressed-by-other", event, message, cite=cite, seat=seat),)
    charged, findings = _with_readings(_charged(state, pressed.at_ms), event, pressed, seen)
    if charged.kind is ClockKind.FISCHER and charged.running is seat and pressed.readings is None:
        reserve = charged.reserve_ms[seat]
        if reserve is not None:
            given = charged.reserve_ms.put(seat, reserve + charged.delay_ms)
            charged = replace(charged, reserve_ms=given)
    return _run(charged, seat.other, pressed.at_ms), (*wrong, *findings)


def _paused(state: Clock, event: RecordedEvent, paused: clock.ClockPaused, seen: Seen) -> Result:
    charged, findings = _with_readings(_charged(state, paused.at_ms), event, paused, seen)
    return (
        replace(charged, running=None, since_ms=None, paused=charged.running or charged.paused),
        findings,
    )


def _resumed(state: Clock, event: RecordedEvent, resumed: clock.ClockResumed, seen: Seen) -> Result:
    seat = resumed.seat or state.paused or state.running
    if seat is not None and seat is state.paused:
        # The same turn goes on: its delay is not given anew.
        new = replace(state, running=seat, since_ms=resumed.at_ms, paused=None)
    else:
        new = _run(state, seat, resumed.at_ms)
    return _with_readings(new, event, resumed, seen)


def _adjusted(state: Clock, seat: Seat, amount_ms: int) -> Clock:
    reserve = state.reserve_ms[seat]
    if reserve is None:
        return state
    given = state.reserve_ms.put(seat, max(0, reserve + amount_ms))
    turn = state.turn_reserve_ms
    if state.running is seat and turn is not None:
        turn = max(0, turn + amount_ms)
    fallen = state.fallen.put(seat, given[seat] == 0)
    return replace(state, reserve_ms=given, turn_reserve_ms=turn, fallen=fallen)


def _flag_noticed(
    state: Clock, event: RecordedEvent, noticed: clock.ClockFlagNoticed, seen: Seen
) -> Result:
    charged, findings = _with_readings(_charged(state, noticed.at_ms), event, noticed, seen)
    question = None
    if seen.rules.profile.flag is Flagged.RULING:
        question = RulingRequired("clock.flag", ("match_lost", "play_on"), reason="silent")
    finding = found(
        "flag-noticed",
        event,
        f"the reserve of {noticed.whose.value} is noticed to have run out",
        cite=seen.rules.cite("clock"),
        ruling_required=question,
    )
    return charged, (*findings, finding)


def _in_words(milliseconds: int) -> str:
    seconds = milliseconds // 1_000
    return f"{seconds // 60}:{seconds % 60:02d}"


_HEARS: tuple[type[Payload], ...] = (
    clock.ClockPressed,
    clock.ClockSet,
    clock.ClockStarted,
    clock.ClockPaused,
    clock.ClockResumed,
    clock.ClockRead,
    clock.ClockFaultNoticed,
    clock.ClockAdjusted,
    clock.ClockFlagNoticed,
    dispute.RulingCarriedOut,
)


def initial(rules: Rules) -> Clock:
    """Not set."""
    return Clock()


FOLD: Fold[Clock] = Fold("clock", _HEARS, initial, evolve)
"""The clock's fold."""
