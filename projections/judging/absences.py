"""Absences: who left the playing area for long, with whose leave; and breaks taken alone."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance
from events.payloads.base import Actor
from events.payloads.clock import ClockKind
from events.values import BySeat, Seat
from projections.folding.findings import Finding, found, judged, rests_of
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import ruled
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects import penalties as scales

TOPIC = "penalties.absence"
"""Topic: the consequences of a long absence."""


class Leave(msgspec.Struct, frozen=True, gc=False):
    """A player who has left and is not back."""

    at_ms: int | None
    """When; None = not recorded."""
    facts: scales.AbsenceFacts
    """What is known of it, except its length."""
    is_judged: bool = False
    """Whether it was judged when he left, by the time until when he said he would stay away."""


class Absences(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    asked: tuple[str, Seat] | None = None
    """The entry and the seat about which it is."""
    away: BySeat[Leave | None] = BySeat(None, None)
    """Who is away."""


Result = tuple[Absences, tuple[Finding, ...]]


def left(
    state: Absences, event: RecordedEvent, gone: attendance.PlayerLeft, seen: Seen, *, posted: bool
) -> Result:
    """A player leaves; judged at once where it is said until when.

    `posted`: whether the start of this match was posted.
    """
    facts = scales.AbsenceFacts(
        ms=0,
        has_consent=gone.consent is Actor.DIRECTOR,
        is_signed_out=gone.signed_out is True,
        # After a start that is over, it is not known when the player had to be back.
        is_start_posted=posted
        and not seen.score.game_number
        and (gone.at_ms is None or gone.at_ms < 0),
    )
    leave = Leave(gone.at_ms, facts)
    if gone.at_ms is not None and gone.until_ms is not None:
        ms = gone.until_ms - gone.at_ms
        state, findings = _judged(state, event, gone.seat, replace(facts, ms=ms), seen)
        leave = replace(leave, is_judged=ms > scales.LONG_MS)
    else:
        findings = NOTHING
    return replace(state, away=state.away.put(gone.seat, leave)), findings


def back(
    state: Absences, event: RecordedEvent, seat: Seat, at_ms: int | None, seen: Seen
) -> Result:
    """A player is at the table again: judged by how long he was away."""
    leave = state.away[seat]
    state = covered(state, seat)
    if leave is None or leave.is_judged or leave.at_ms is None or at_ms is None:
        return state, NOTHING
    return _judged(state, event, seat, replace(leave.facts, ms=at_ms - leave.at_ms), seen)


def covered(state: Absences, seat: Seat) -> Absences:
    """A player who is away no more, or whose absence is a break: that one is judged as such."""
    return state if state.away[seat] is None else replace(state, away=state.away.put(seat, None))


def as_ruled(state: Absences, seen: Seen) -> Absences:
    """The answer, with the Director's word on it."""
    if state.answer is None or state.asked is None:
        return state
    return replace(state, answer=ruled(state.answer, seen, TOPIC, *state.asked))


def _judged(
    state: Absences, event: RecordedEvent, seat: Seat, facts: scales.AbsenceFacts, seen: Seen
) -> Result:
    if facts.ms <= scales.LONG_MS:
        return state, NOTHING
    answer = seen.rules.ask(scales.ABSENCE, facts)
    state = replace(state, answer=answer, asked=(event.entry_id, seat))
    if answer.outcome == scales.EXCUSED or facts.has_consent:
        # Whatever a text may say, the Director had no objection.
        return state, NOTHING
    message = said(
        "{seat} leaves for {n} minutes, with no leave on record", seat=seat, n=facts.ms // 60_000
    )
    if facts.is_signed_out:
        message = said(
            "{seat} leaves for {n} minutes, and has signed out", seat=seat, n=facts.ms // 60_000
        )
    then = said("the rules ask for it where somebody leaves for more than ten minutes")
    if answer.is_open:
        then = said("whether that is penalised is for the Director to decide")
    message = said("{what}; {then}", what=message, then=then)
    return state, (judged("absence", event, message, answer, TOPIC, seen.rules, seat=seat),)


def not_together(
    event: RecordedEvent, started: attendance.BreakStarted, answer: Answer, seen: Seen
) -> tuple[Finding, ...]:
    """A break taken alone, or signed for by one, where the text has both do so."""
    cite, rests = (seen.rules.profile.id, answer.section), rests_of(answer, seen.rules)
    findings: tuple[Finding, ...] = ()
    if "both_together" in answer.details:
        seat = started.seats[0]
        message = said(
            "{seat} takes a break alone: both players must take their breaks at the same time",
            seat=seat,
        )
        findings += (found("break-alone", event, message, cite=cite, seat=seat, rests_on=rests),)
    signed = None if started.agreed_by is None else started.agreed_by.seat
    if "both_sign" in answer.details and signed is not None:
        message = said(
            "only {seat} has signed for the break: both players have to sign for its start",
            seat=signed,
        )
        findings += (found("break-unsigned", event, message, cite=cite, rests_on=rests),)
    if "clocks_read" in answer.details:
        message = said(
            "a break begins with clocks in use, and what they show is not on record:"
            " both reserves are written down and agreed on before the players leave"
        )
        findings += (found("break-unsigned", event, message, cite=cite, rests_on=rests),)
    return findings


def is_unread(started: attendance.BreakStarted, seen: Seen) -> bool:
    """Whether a break begins with clocks in use that nobody has read since the last act of play."""
    is_timed = seen.clock.is_set and seen.clock.kind is not ClockKind.NON_EXPIRING
    if not is_timed or started.readings is not None:
        return False
    for step in reversed(seen.steps_since(seen.timing.set_entry)):
        if getattr(step.event.payload, "readings", None) is not None:
            return False
        if step.event.tag.startswith(_OF_PLAY):
            break
    return True


_OF_PLAY = ("play.", "dice.", "cube.")
"""How the tags of entries begin that are of play: a clock that was read before them ran on."""
