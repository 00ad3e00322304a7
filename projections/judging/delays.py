"""Delays under the rule set: demanded after early dice, forfeited, restarted, and on whose word.

If a player demands a delay and the text is silent, that is a question, asked at the demand. Its
execution later (`clock.delay_forfeited`) is not asked again, and is a finding only if a ruling had
decided otherwise. What the Director orders is decided: a note says that the text leaves it to a
person, and nothing is asked.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, dice, dispute
from events.payloads.base import Actor, Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, taken_in
from projections.folding.sayings import Said, said
from projections.rules.answers import Answer
from projections.rules.subjects.delays import (
    CLOCK_FORFEIT,
    CLOCK_RESTART,
    FAST_GRAB,
    FAST_ROLL,
    FORFEIT_READINGS,
    FORFEITED,
    KEPT,
    RESTART_READINGS,
    RUNS_ON,
    ForfeitFacts,
    RestartFacts,
)

Result = tuple["Delays", tuple[Finding, ...]]

_DECIDES = frozenset({Actor.DIRECTOR, Actor.OFFICIAL, Actor.COMMITTEE})
"""Whose order is a decision."""


class Delays(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    asked: tuple[Asked, ...] = ()
    """Every question that was asked, answered by a ruling or not."""
    demanded: BySeat[str | None] = BySeat(None, None)
    """The entry that demands each seat's delay, if it was not forfeited since."""
    lifted: tuple[str, Seat] | None = None
    """The last dice lifted early: the entry, and who lifted them."""
    rolled: tuple[str, Seat] | None = None
    """The last early roll: the entry, and who threw."""


def evolve(state: Delays, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case dice.Lifted(seat=seat) if seen.flow.in_game:
            return replace(state, lifted=(event.entry_id, seat)), NOTHING
        case dice.RolledEarly(seat=seat) if seen.flow.in_game:
            return replace(state, rolled=(event.entry_id, seat)), NOTHING
        case dice.LiftAnswered() as answered:
            return _lift_answered(state, event, answered, seen)
        case dice.EarlyRollAnswered(forfeit=True) as answered:
            roller = _whose(answered.target, state.rolled, answered.seat, seen)
            if roller is None or answered.seat is roller:
                return state, NOTHING
            return _demanded(state, event, roller, FAST_ROLL, answered.answer.value, seen)
        case clock.ClockDelayForfeited() as forfeited:
            return _forfeited(state, event, forfeited, seen)
        case clock.ClockDelayRestarted() as restarted:
            return _restarted(state, event, restarted, seen)
        case dispute.RulingMade(answers=answers) if answers and state.asked:
            return replace(state, asked=taken_in(state.asked, seen)), NOTHING
        case _:
            return state, NOTHING


def _lift_answered(
    state: Delays, event: RecordedEvent, answered: dice.LiftAnswered, seen: Seen
) -> Result:
    lifter = _whose(answered.target, state.lifted, answered.seat, seen)
    if lifter is None:
        message = said("dice lifted early are answered, and nobody is recorded to have lifted any")
        cite = seen.rules.cite("premature.lift")
        return state, (found("answer-without-offer", event, message, cite=cite),)
    if answered.answer is not dice.LiftAnswer.FORFEIT:
        return state, NOTHING
    return _demanded(state, event, lifter, FAST_GRAB, None, seen)


def _whose(
    target: str | None, last: tuple[str, Seat] | None, answerer: Seat | None, seen: Seen
) -> Seat | None:
    """Who handled the dice early, as the answer is about them; None if unknown."""
    if target is None and last is not None:
        return last[1]
    step = None if target is None else seen.step_of(target)
    if step is not None and isinstance(step.event.payload, dice.Lifted | dice.RolledEarly):
        return step.event.payload.seat
    return None if answerer is None else answerer.other


def _demanded(
    state: Delays, event: RecordedEvent, seat: Seat, cause: str, choice: str | None, seen: Seen
) -> Result:
    """The opponent demands the delay of a player who handled dice too early."""
    facts = ForfeitFacts(
        seat.value, cause, is_demanded=True, choice=choice, clock=_clock_kind(seen)
    )
    answer = _with_readings(seen.rules.ask(CLOCK_FORFEIT, facts), FORFEIT_READINGS)
    state = replace(state, answer=answer, demanded=state.demanded.put(seat, event.entry_id))
    message = said(
        "{player} demands the delay of {seat}'s next turn, for {cause}",
        player=seat.other,
        seat=seat,
        cause=_CAUSES[cause],
    )
    message = said("{what}: {decided}", what=message, decided=_decided(answer))
    return _told(state, event, CLOCK_FORFEIT, message, answer, seat, seen)


def _decided(answer: Answer) -> Said:
    if answer.is_open:
        return said("whether it is forfeited is for the Director to decide")
    return said("it is forfeited") if answer.outcome == FORFEITED else said("it is not forfeited")


def _forfeited(
    state: Delays, event: RecordedEvent, forfeited: clock.ClockDelayForfeited, seen: Seen
) -> Result:
    """A delay is forfeited at the table: as the text says, as ruled, as ordered, or otherwise."""
    seat, asked_at = forfeited.seat, state.demanded[forfeited.seat]
    state = replace(state, demanded=state.demanded.put(seat, None))
    key = (CLOCK_FORFEIT, asked_at, seat)
    before = next((one.answer for one in state.asked if one.key == key), None)
    message = said("{seat} forfeits the delay of {turn}", seat=seat, turn=_TURNS[forfeited.turn])
    if before is not None and before.is_open:
        # Asked at the demand, and nobody has ruled since.
        return state, NOTHING
    facts = ForfeitFacts(
        seat.value,
        None if forfeited.cause is None else forfeited.cause.value,
        forfeited.turn.value,
        forfeited.waits,
        clock=_clock_kind(seen),
        ordered_by=None if forfeited.ordered_by is None else forfeited.ordered_by.value,
    )
    answer = before or _with_readings(seen.rules.ask(CLOCK_FORFEIT, facts), FORFEIT_READINGS)
    return _carried_out(state, event, forfeited, answer, message, CLOCK_FORFEIT, seen)


def _restarted(
    state: Delays, event: RecordedEvent, restarted: clock.ClockDelayRestarted, seen: Seen
) -> Result:
    """A delay is restarted at the table: as the text says, as ordered, or otherwise."""
    seat = restarted.seat
    facts = RestartFacts(
        seat.value,
        None if restarted.cause is None else restarted.cause.value,
        restarted.left_ms,
        # The clock's own fold ran before this one, and a restart takes nobody's turn away.
        seen.clock.turn_of is seat,
        _clock_kind(seen),
        None if restarted.ordered_by is None else restarted.ordered_by.value,
    )
    answer = _with_readings(seen.rules.ask(CLOCK_RESTART, facts), RESTART_READINGS)
    message = said("the delay of {seat} begins anew", seat=seat)
    if not facts.is_his_turn:
        message = said("{what}, though the time of {other} runs", what=message, other=seat.other)
    return _carried_out(state, event, restarted, answer, message, CLOCK_RESTART, seen)


def _carried_out(
    state: Delays,
    event: RecordedEvent,
    act: clock.DelayAct,
    answer: Answer,
    message: Said,
    topic: str,
    seen: Seen,
) -> Result:
    """Findings on what was done to a delay, beside the text's answer to it."""
    state, seat = replace(state, answer=answer), act.seat
    if not answer.is_open and answer.outcome not in (KEPT, RUNS_ON):
        # As the answer says; or a ruling in words that do not say what becomes of the delay.
        return state, NOTHING
    if not answer.is_open:
        who = said("the ruling") if answer.ruled_at is not None else said("the rules")
        message = said("{what}, and by {who} that is not so", what=message, who=who)
        return _told(state, event, topic, message, answer, seat, seen)
    if act.ordered_by in _DECIDES or event.basis is Basis.RULED:
        message = said(
            "{what}: so it is ordered, where the rules leave it to the Director", what=message
        )
        cite = (seen.rules.profile.id, answer.section)
        note = found(_CODES[topic], event, message, cite=cite, seat=seat, severity=Severity.NOTE)
        return state, (note,)
    message = said("{what}; whether that is so is for the Director to decide", what=message)
    return _told(state, event, topic, message, answer, seat, seen)


def _told(
    state: Delays,
    event: RecordedEvent,
    topic: str,
    message: Said,
    answer: Answer,
    seat: Seat,
    seen: Seen,
) -> Result:
    finding = judged(_CODES[topic], event, message, answer, topic, seen.rules, seat=seat)
    if answer.is_open:
        asked = Asked(topic, event.entry_id, answer, seat)
        state = replace(state, asked=(*state.asked, asked))
    return state, (finding,)


def _with_readings(answer: Answer, readings: tuple[str, ...]) -> Answer:
    """A text without a word on delays leaves the same two readings."""
    is_bare = answer.is_open and not answer.readings
    return replace(answer, readings=readings) if is_bare else answer


def _clock_kind(seen: Seen) -> str | None:
    return str(seen.clock.kind) if seen.clock.is_set else None


_CAUSES = {
    FAST_GRAB: said("dice lifted before the turn was over"),
    FAST_ROLL: said("a roll before the turn was over"),
}
"""Why a delay is demanded, in words."""

_TURNS = {clock.DelayTurn.NEXT: said("the next turn"), clock.DelayTurn.THIS: said("this turn")}

_CODES: dict[str, str] = {CLOCK_FORFEIT: "delay-forfeited", CLOCK_RESTART: "delay-restarted"}


_HEARS: tuple[type[Payload], ...] = (
    dice.Lifted,
    dice.LiftAnswered,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    clock.ClockDelayForfeited,
    clock.ClockDelayRestarted,
    dispute.RulingMade,
)


FOLD = Fold(Delays, *(on(kind, evolve) for kind in _HEARS))
"""The fold of delays."""
