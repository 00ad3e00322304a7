"""Timing under the rule set: the clock's allotment, lost reserve, permitted stops.

The clock's fold knows what was set, stopped and noticed at the table; this one judges it by the
rule set. Under a text that does not mention clocks, the ordinary use of a clock raises no question;
otherwise every match under the general rules would have one. Such a question is kept, and becomes
a finding when a dispute is about its topic or the Director is called about its entry.
"""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, clock, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload, TableAct
from events.values import Seat
from projections.folding.findings import Finding, Severity, found
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import is_same_question
from projections.folding.sayings import said, worded
from projections.judging.flags import (
    claim_answered,
    flag_after_all,
    flag_disputed,
    flag_in_doubt,
    flag_noticed,
    game_claimed,
)
from projections.judging.timing_state import (
    QUESTIONS,
    Result,
    Timing,
    ask_or_keep,
    finding_on,
    keep_unasked,
    questions_with,
    timing_ruled,
)
from projections.rules.subjects.clock_terms import (
    CLOCK_DELAY,
    CLOCK_FAULT,
    CLOCK_STOP,
    CLOCK_TERMS,
    OBLIGATION,
    FaultFacts,
    StopFacts,
    TermsFacts,
)


def evolve(state: Timing, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case clock.ClockSet() as was_set:
            state = replace(state, set_entry=event.entry_id, unpressed=None)
            return _set(state, event, was_set, seen)
        case clock.ClockAdjusted() if state.unpressed:
            return replace(state, unpressed=None), NOTHING
        case clock.ClockPaused(reason=reason) if (
            reason is not None and reason not in _BETWEEN_GAMES
        ):
            return _paused(state, event, reason, seen)
        case clock.ClockFaultNoticed() as fault:
            return _fault(state, event, fault, seen)
        case clock.ClockFlagNoticed() as noticed:
            return flag_noticed(state, event, noticed, seen)
        case dice.OpeningRolled() if not state.is_missed and not _has_clock(seen):
            return _missed(state, event, seen)
        case match.MatchLengthErrorFound() | play.PlayCorrected() | play.PlayRevised():
            return flag_after_all(state, event, seen)
        case penalty.PenaltyWaived() | attendance.DelayExcused():
            return flag_after_all(state, event, seen)
        case ending.ClaimMade() as claim:
            return game_claimed(state, event, claim, seen)
        case match.MatchOpened(players=players):
            most = max(len(players.one), len(players.two), 1)
            return (replace(state, players_per_side=most) if most > 1 else state), NOTHING
        case dispute.DisputeRaised(topic="clock.flag" | "clock") if state.is_flag_claimed:
            return flag_disputed(state, event, seen)
        case dispute.DisputeRaised(topic=topic) if topic is not None and state.unasked:
            return _raised(state, event, topic, seen)
        case dispute.DirectorCalled(about=about) if about is not None and state.unasked:
            return _raised(state, event, about, seen)
        case dispute.RulingMade(answers=answers) if answers and state.asked:
            return timing_ruled(state, seen), NOTHING
        case ending.ClaimRuled() as answered:
            return claim_answered(state, event, answered, seen), NOTHING
        case _:
            return state, NOTHING


_BETWEEN_GAMES = ("game_over", "between_games", "break", "double_dropped")
"""Pauses between games, when nobody is to play: they raise no question."""


def _paused(state: Timing, event: RecordedEvent, reason: str, seen: Seen) -> Result:
    """A stop during play: whether the text lets the clock be stopped for that."""
    answer = seen.rules.ask(CLOCK_STOP, StopFacts(reason))
    state = replace(state, answer=answer)
    if not answer.is_open:
        return state, NOTHING
    message = said(
        "the clock is stopped ({reason}); whether it may be is for the Director to decide",
        reason=worded(reason),
    )
    return ask_or_keep(state, event, "clock.stop", message, answer, seen)


def _set(state: Timing, event: RecordedEvent, was_set: clock.ClockSet, seen: Seen) -> Result:
    """The allotment, beside what the table set."""
    length = seen.score.length
    played = sum(seen.score.score)
    # Setting a clock again in the middle of a match does not introduce one.
    if length is None or (state.terms is not None and (played or seen.score.game_number)):
        return state, NOTHING
    expires = was_set.kind is not clock.ClockKind.NON_EXPIRING
    as_set = (*was_set.reserve_ms, was_set.delay_ms) if expires else None
    facts = TermsFacts(length, played, state.players_per_side, as_set)
    answer = seen.rules.ask(CLOCK_TERMS, facts)
    if state.terms is not None and is_same_question(state.terms, answer):
        # Asked already, or ruled: the same clock set again asks nothing new.
        return state, NOTHING
    delay = seen.rules.ask(CLOCK_DELAY, facts)
    state = replace(state, answer=answer, terms=answer, delay=delay)
    if delay.is_open:
        # The kind of delay is asked together with the allotment, unless it is raised alone.
        state = keep_unasked(state, event, "clock.delay", delay)
    if answer.is_open and was_set.imposed:
        # The Director has decided how much time there is, by setting the clock.
        return keep_unasked(state, event, "clock.terms", answer), NOTHING
    if answer.is_open:
        return ask_or_keep(state, event, "clock.terms", QUESTIONS["clock.terms"], answer, seen)
    reserve_ms, delay_ms = answer.details["reserve_ms"], answer.details["delay_ms"]
    is_simple = was_set.kind is clock.ClockKind.SIMPLE
    if not expires or (is_simple and as_set == (reserve_ms, reserve_ms, delay_ms)):
        return state, NOTHING
    message = said(
        "the clock is set otherwise than the rules allot: "
        "each player has a reserve of {reserve}, "
        "with a simple delay of {delay} {delay:second|seconds}",
        reserve=_minutes(reserve_ms),
        delay=delay_ms // 1_000,
    )
    return state, (finding_on("clock.terms", event, message, answer, seen, severity=Severity.NOTE),)


_FAULTS = {
    clock.ClockFault.NOT_PRESSED: said("the clock was not pressed"),
    clock.ClockFault.NOT_PAUSED: said("the clock was not paused"),
    clock.ClockFault.WRONG_SIDE: said("the clock ran for the wrong player"),
    clock.ClockFault.WRONG_SETTING: said("the clock was wrongly set"),
    clock.ClockFault.DEFECTIVE: said("the clock was defective"),
}
"""What was wrong with a clock, in words."""


def _minutes(milliseconds: int) -> str:
    return f"{milliseconds // 60_000}:{milliseconds // 1_000 % 60:02}"


def _has_clock(seen: Seen) -> bool:
    return seen.clock.is_set and seen.clock.kind is not clock.ClockKind.NON_EXPIRING


def _missed(state: Timing, event: RecordedEvent, seen: Seen) -> Result:
    """Play begins without a clock, where the text or the event obliges both to use one."""
    length = seen.score.length
    if length is None:
        return state, NOTHING
    facts = TermsFacts(length, players_per_side=state.players_per_side)
    answer = seen.rules.ask(CLOCK_TERMS, facts)
    if answer.details.get("use") != OBLIGATION:
        return state, NOTHING
    message = said("play begins without a clock, and the rules oblige both sides to use one")
    cite = (seen.rules.profile.id, answer.section)
    finding = found("clock-missing", event, message, cite=cite, verified=answer.verified)
    return replace(state, is_missed=True), (finding,)


def _fault(
    state: Timing, event: RecordedEvent, fault: clock.ClockFaultNoticed, seen: Seen
) -> Result:
    """What a clock that ran or stood wrongly gives back."""
    seat = fault.seat
    lost_ms = None if seat is None else _lost_ms(fault, seat, seen)
    after = _AFTER.get(_kind_of(fault.since, seen)) if fault.since else None
    facts = FaultFacts(fault.kind.value, None if seat is None else seat.value, lost_ms, after)
    answer = seen.rules.ask(CLOCK_FAULT, facts)
    if answer.is_open:
        message = said(
            "{what}; what follows is for the Director to decide", what=_FAULTS[fault.kind]
        )
    elif answer.outcome == "restore":
        amount = said("an amount that is not recorded")
        if lost_ms is not None:
            amount = said("{seconds} {seconds:second|seconds}", seconds=f"{lost_ms / 1_000:g}")
        message = said(
            "{what}; the reserve lost by it is restored in full: {amount}",
            what=_FAULTS[fault.kind],
            amount=amount,
        )
    else:
        message = said("{what}, and is put right at once", what=_FAULTS[fault.kind])
    finding = finding_on("clock.fault", event, message, answer, seen, seat=seat)
    kept = questions_with(state, event, "clock.fault", answer, seat)
    state = replace(state, answer=answer, asked=kept)
    is_lost = lost_ms != 0 and fault.since is not None
    if fault.kind is not clock.ClockFault.NOT_PRESSED or not is_lost or seat is None:
        return state, (finding,)
    state, in_doubt = flag_in_doubt(replace(state, unpressed=event.entry_id), event, seat, seen)
    return state, (finding, *in_doubt)


_AFTER: dict[type[Payload] | None, str] = {
    cube.DoubleOffered: "double",
    cube.DoubleTaken: "take",
    cube.CubeBeavered: "take",
    cube.DoubleDropped: "drop",
    play.PlayMade: "play",
    play.PlayRevised: "play",
    dice.Rolled: "roll",
}
"""The act, as the facts of rule sets name it."""


def _kind_of(entry_id: str, seen: Seen) -> type[Payload] | None:
    """The kind of an entry; None if it does not stand."""
    step = seen.step_of(entry_id)
    return None if step is None else type(step.event.payload)


def _lost_ms(fault: clock.ClockFaultNoticed, seat: Seat, seen: Seen) -> int | None:
    """Reserve of `seat` gone since the failure; None where either moment is not known."""
    step = seen.step_of(fault.since) if fault.since else None
    if step is None:
        return None
    then, now = step.after.clock.reserve_ms[seat], seen.clock.reserve_ms[seat]
    since = step.event.payload
    if isinstance(since, TableAct) and not isinstance(since, clock.ClockAct):
        # The clock was not touched then, and had run until then by the player's own thinking.
        then = step.after.clock.left_at(seat, since.at_ms)
    return None if then is None or now is None else max(0, then - now)


def _raised(state: Timing, event: RecordedEvent, what: str, seen: Seen) -> Result:
    """A dispute or a call raises questions that were kept, by their topic or entry."""
    about = [one for one in state.unasked if what in (one.topic, one.entry_id)]
    if not about:
        return state, NOTHING
    findings: dict[str, Finding] = {}
    for one in about:
        message = QUESTIONS[one.topic]
        findings.setdefault(one.topic, finding_on(one.topic, event, message, one.answer, seen))
    raised = (replace(one, entry_id=event.entry_id) for one in about)
    unasked = tuple(one for one in state.unasked if one not in about)
    return replace(state, asked=(*state.asked, *raised), unasked=unasked), tuple(findings.values())


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    match.MatchLengthErrorFound,
    dice.OpeningRolled,
    play.PlayCorrected,
    play.PlayRevised,
    penalty.PenaltyWaived,
    attendance.DelayExcused,
    clock.ClockSet,
    clock.ClockAdjusted,
    clock.ClockPaused,
    clock.ClockFaultNoticed,
    clock.ClockFlagNoticed,
    ending.ClaimMade,
    ending.ClaimRuled,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.RulingMade,
)

FOLD = Fold(Timing, *(on(kind, evolve) for kind in _HEARS))
"""The fold of timing."""
