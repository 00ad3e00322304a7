"""What a clock shows: readings compared with the presses, and reserves that have run out."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads.clock import ClockKind
from events.values import BySeat, Seat
from projections.facts.clock_state import Clock, as_shown
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import said

Result = tuple["Clock", tuple[Finding, ...]]

TOLERANCE_MS = 1_000
"""A clock's face shows whole seconds: a reading may differ by that much from the presses."""


def with_readings(
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
                    shown=in_words(shown),
                    computed=in_words(computed),
                )
            )
        reserve = reserve.put(seat, shown)
        is_out = shown <= 0 and computed != 0 and state.kind is not ClockKind.NON_EXPIRING
        fallen = fallen.put(seat, is_out or (fallen[seat] and shown <= 0))
    if reserve != state.reserve_ms or fallen != state.fallen:
        state = replace(as_shown(state, reserve), fallen=fallen)
    if not differing:
        return state, NOTHING
    cite = seen.rules.cite("clock")
    message = differing[0]
    if len(differing) == len(Seat):
        message = said("{one}; {two}", one=message, two=differing[1])
    return state, (found("clock-reading-differs", event, message, cite=cite),)


def found_out(
    before: Clock,
    charged: Clock,
    event: RecordedEvent,
    readings: BySeat[int | None] | None,
    seen: Seen,
) -> Result:
    """The state with its readings, and the reserves that have run out since `before`."""
    state, findings = with_readings(charged, event, readings, seen)
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


def in_words(milliseconds: int) -> str:
    sign = "-" if milliseconds < 0 else ""
    seconds = abs(milliseconds) // 1_000
    return f"{sign}{seconds // 60}:{seconds % 60:02d}"
