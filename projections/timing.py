"""Timing under the rule set: allotment, lost reserve, permitted stops, flags.

What the table set, stopped and noticed is a fact of the clock's fold; here is what the rule set
says to it. Where a text does not know clocks at all it names no readings, and what is ordinary at a
table with a clock raises no question.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, ending, match
from events.payloads.base import Payload
from events.values import Seat
from projections.findings import Finding, Severity, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import SILENT, Answer
from projections.rules.clock_terms import FaultFacts, FlagFacts, StopFacts, TermsFacts
from projections.rules.profile import Rules

Result = tuple["Timing", tuple[Finding, ...]]


class Timing(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    terms: Answer | None = None
    """Reserve and delay that the rule set allots, `reserve_ms` and `delay_ms`; None = not asked."""
    delay: Answer | None = None
    """How the rule set has the free time of a turn run; None = not asked."""
    flag: FlagFacts | None = None
    """The reserve that was last noticed to have run out; None = none was."""
    players_per_side: int = 1
    """Two in doubles."""


def evolve(state: Timing, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
        case clock.ClockSet() as was_set:
            return _set(state, event, was_set, seen)
        case clock.ClockPaused(reason=reason) if (
            reason is not None and reason not in _BETWEEN_GAMES
        ):
            answer = seen.rules.ask("clock.stop", StopFacts(reason))
            message = f"whether the clock may be stopped ({reason}) is for a person to rule"
            return _answered(state, event, "clock.stop", message, answer, seen)
        case clock.ClockFaultNoticed() as fault:
            return _fault(state, event, fault, seen)
        case clock.ClockFlagNoticed() as noticed:
            return _flag(state, event, noticed, seen)
        case ending.ClaimMade() as claim:
            return _claimed(state, event, claim, seen)
        case match.MatchOpened(players=players):
            most = max(len(players.one), len(players.two), 1)
            return (replace(state, players_per_side=most) if most > 1 else state), NOTHING
        case _:
            return state, NOTHING


_BETWEEN_GAMES = ("game_over", "between_games", "break")
"""Pauses between games, when nobody is to play: they raise no question."""


def _set(state: Timing, event: RecordedEvent, was_set: clock.ClockSet, seen: Seen) -> Result:
    """The allotment, beside what the table set."""
    length = seen.score.length
    played = sum(seen.score.score)
    # A clock that is set anew in the middle of a match is not introduced then.
    if length is None or (state.terms is not None and played):
        return state, NOTHING
    facts = TermsFacts(length, played, state.players_per_side)
    answer = seen.rules.ask("clock.terms", facts)
    state = replace(state, answer=answer, terms=answer, delay=seen.rules.ask("clock.delay", facts))
    if answer.is_open:
        message = "what the rule set allots to a clock is for a person to rule"
        return _answered(state, event, "clock.terms", message, answer, seen)
    reserve_ms, delay_ms = answer.details["reserve_ms"], answer.details["delay_ms"]
    is_simple = was_set.kind in (clock.ClockKind.SIMPLE, clock.ClockKind.NON_EXPIRING)
    if (*was_set.reserve_ms, was_set.delay_ms) == (reserve_ms, reserve_ms, delay_ms) and is_simple:
        return state, NOTHING
    message = (
        f"the clock is set otherwise than allotted: "
        f"{reserve_ms // 1_000} s of reserve each, simple delay of {delay_ms // 1_000} s"
    )
    return state, (_found("clock.terms", event, message, answer, seen, severity=Severity.NOTE),)


def _fault(
    state: Timing, event: RecordedEvent, fault: clock.ClockFaultNoticed, seen: Seen
) -> Result:
    """What a clock that ran or stood wrongly gives back."""
    seat = fault.seat
    lost_ms = None if seat is None else _lost_ms(fault, seat, seen)
    facts = FaultFacts(fault.kind.value, None if seat is None else seat.value, lost_ms)
    answer = seen.rules.ask("clock.fault", facts)
    if answer.is_open:
        message = "what follows from the clock's running or standing wrongly is for a ruling"
    elif answer.outcome == "restore":
        amount = "an amount that is not recorded" if lost_ms is None else f"{lost_ms / 1_000:g} s"
        message = f"the reserve lost since nobody pressed is restored in full: {amount}"
    else:
        message = "the clock ran or stood wrongly, and is put right at once"
    finding = _found("clock.fault", event, message, answer, seen, seat=seat)
    return replace(state, answer=answer), (finding,)


def _lost_ms(fault: clock.ClockFaultNoticed, seat: Seat, seen: Seen) -> int | None:
    """Reserve of `seat` gone since the failure; None where either moment is not known."""
    step = seen.step_of(fault.since) if fault.since else None
    if step is None:
        return None
    then, now = step.after.clock.reserve_ms[seat], seen.clock.reserve_ms[seat]
    return None if then is None or now is None else max(0, then - now)


def _flag(
    state: Timing, event: RecordedEvent, noticed: clock.ClockFlagNoticed, seen: Seen
) -> Result:
    facts = FlagFacts(
        whose=noticed.whose.value,
        first=None if noticed.first is None else noticed.first.value,
        is_match_over=seen.score.winner is not None or seen.score.has_ended,
    )
    answer = seen.rules.ask("clock.flag", facts)
    if answer.is_open and not answer.readings:
        answer = replace(answer, readings=("match_lost", "play_on"))
    is_one = noticed.whose in (clock.Flag.ONE, clock.Flag.TWO)
    whose = "each player" if noticed.whose is clock.Flag.BOTH else noticed.whose.value
    message = f"the reserve of {whose} is noticed to have run out"
    if not answer.is_open:
        message += f": {answer.details['loser']} has lost the match"
    seat = Seat(noticed.whose.value) if is_one else None
    finding = _found("clock.flag", event, message, answer, seen, seat=seat)
    return replace(state, answer=answer, flag=facts), (finding,)


_CLAIMS = (ending.ClaimKind.GAME, ending.ClaimKind.GAME_AND_MATCH)


def _claimed(state: Timing, event: RecordedEvent, claim: ending.ClaimMade, seen: Seen) -> Result:
    """Whose time has run out claims game and match at that moment: does that save the match?"""
    flag, seat = state.flag, claim.seat
    if flag is None or seat is None or flag.loser != seat.value or claim.kind not in _CLAIMS:
        return state, NOTHING
    board, length = seen.positions.board, seen.score.length
    facts = replace(
        flag,
        is_claimed=True,
        has_contact=board is not None and board.has_contact(),
        would_win_match=length is not None and seen.score.score[seat] + seen.cube.value >= length,
    )
    answer = seen.rules.ask("clock.flag", facts)
    if answer == state.answer:
        return state, NOTHING
    message = f"{seat.value} claims the game with the reserve run out"
    finding = _found("clock.flag", event, message, answer, seen, seat=seat)
    return replace(state, answer=answer), (finding,)


def _answered(
    state: Timing, event: RecordedEvent, topic: str, message: str, answer: Answer, seen: Seen
) -> Result:
    """The answer kept; a question is found unless the text does not know clocks at all."""
    new = replace(state, answer=answer)
    if not answer.is_open or (answer.reason == SILENT and not answer.readings):
        return new, NOTHING
    return new, (_found(topic, event, message, answer, seen),)


_CODES = {
    "clock.terms": "clock-terms",
    "clock.stop": "clock-stop",
    "clock.fault": "clock-fault",
    "clock.flag": "flag-noticed",
}


def _found(
    topic: str,
    event: RecordedEvent,
    message: str,
    answer: Answer,
    seen: Seen,
    *,
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
) -> Finding:
    return judged(
        _CODES[topic],
        event,
        message,
        answer=answer,
        rule_set=seen.rules.profile.id,
        topic=topic,
        seat=seat,
        severity=severity,
    )


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    clock.ClockSet,
    clock.ClockPaused,
    clock.ClockFaultNoticed,
    clock.ClockFlagNoticed,
    ending.ClaimMade,
)


def initial(rules: Rules) -> Timing:
    """Nothing judged."""
    return Timing()


FOLD: Fold[Timing] = Fold("timing", _HEARS, initial, evolve)
"""The fold of timing."""
