"""Timing under the rule set: allotment, lost reserve, permitted stops, flags.

What the table set, stopped and noticed is a fact of the clock's fold; here is what the rule set
says to it. Where a text does not know clocks at all it names no readings, and what is ordinary at a
table with a clock raises no question: the general rules of backgammon would else be asked about
every clock that was ever set. Such a question is kept, and becomes a finding as soon as a dispute
is about its topic or the Director is called about its entry.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, ending, match, play
from events.payloads.base import Actor, Payload
from events.values import Seat
from projections.folding.concessions import (
    CLAIMS,
    claim_made,
    level_claimed,
    race_of,
    wins_match,
)
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, is_same_turn, on
from projections.folding.questions import Asked, is_same_question
from projections.folding.sayings import Said, said, worded
from projections.rules.answers import NO_DETAILS, SILENT, Answer
from projections.rules.subjects.clock_terms import (
    CLAIM_HOLDS,
    CLOCK_DELAY,
    CLOCK_FAULT,
    CLOCK_FLAG,
    CLOCK_STOP,
    CLOCK_TERMS,
    MATCH_LOST,
    NO_EFFECT,
    OBLIGATION,
    PLAY_ON,
    FaultFacts,
    FlagFacts,
    StopFacts,
    TermsFacts,
    claim_reading,
    lost_by,
)
from projections.rules.subjects.endings import CERTAIN

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
    flagged: Answer | None = None
    """What the rule set says to that, or what was ruled on it; None = nothing was noticed."""
    asked: tuple[Asked, ...] = ()
    """Every question that was left open, and those of them that a ruling has answered."""
    unasked: tuple[Asked, ...] = ()
    """Those that nobody has raised yet, each with the entry that it is about."""
    players_per_side: int = 1
    """Two in doubles."""
    is_missed: bool = False
    """Whether it was found that no clock was set where one has to be."""
    set_entry: str = ""
    """The entry that last set the clock."""
    claim: str | None = None
    """The last claim to a game that is not settled yet; None = none is."""

    @property
    def flag_asked(self) -> Asked | None:
        """The last question about the flag that was noticed; None = none was asked."""
        about = (one for one in reversed(self.asked) if one.topic == "clock.flag")
        last = next(about, None)
        return last if last is not None and last.answer == self.flagged else None

    @property
    def lost_by(self) -> Seat | None:
        """Who has lost the match by the clock, by the text or a ruling; None = nobody, or open."""
        if self.flag is None or self.flagged is None:
            return None
        loser = lost_by(self.flagged, self.flag)
        return None if loser is None else Seat(loser)


def evolve(state: Timing, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case clock.ClockSet() as was_set:
            return _set(replace(state, set_entry=event.entry_id), event, was_set, seen)
        case clock.ClockPaused(reason=reason) if (
            reason is not None and reason not in _BETWEEN_GAMES
        ):
            return _paused(state, event, reason, seen)
        case clock.ClockFaultNoticed() as fault:
            return _fault(state, event, fault, seen)
        case clock.ClockFlagNoticed() as noticed:
            return _flag(state, event, noticed, seen)
        case dice.OpeningRolled() if not state.is_missed and not _has_clock(seen):
            return _missed(state, event, seen)
        case ending.ClaimMade() as claim:
            return _claimed(state, event, claim, seen)
        case match.MatchOpened(players=players):
            most = max(len(players.one), len(players.two), 1)
            return (replace(state, players_per_side=most) if most > 1 else state), NOTHING
        case dispute.DisputeRaised(topic=topic) if topic is not None and state.unasked:
            return _raised(state, event, topic, seen)
        case dispute.DirectorCalled(about=about) if about is not None and state.unasked:
            return _raised(state, event, about, seen)
        case dispute.RulingMade(answers=answers) if answers and state.asked:
            return _ruled(state, seen), NOTHING
        case ending.ClaimRuled() as answered:
            return _claim_answered(state, event, answered, seen), NOTHING
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
    return _put(state, event, "clock.stop", message, answer, seen)


def _set(state: Timing, event: RecordedEvent, was_set: clock.ClockSet, seen: Seen) -> Result:
    """The allotment, beside what the table set."""
    length = seen.score.length
    played = sum(seen.score.score)
    # A clock that is set anew in the middle of a match is not introduced then.
    if length is None or (state.terms is not None and played):
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
        # How free time runs is asked together with the allotment, unless somebody raises it alone.
        state = _unasked(state, event, "clock.delay", delay)
    if answer.is_open:
        return _put(state, event, "clock.terms", _QUESTIONS["clock.terms"], answer, seen)
    reserve_ms, delay_ms = answer.details["reserve_ms"], answer.details["delay_ms"]
    is_simple = was_set.kind is clock.ClockKind.SIMPLE
    if not expires or (is_simple and as_set == (reserve_ms, reserve_ms, delay_ms)):
        return state, NOTHING
    message = said(
        "the clock is set otherwise than the rules allot: "
        "each player has a reserve of {reserve}, with a simple delay of {delay} seconds",
        reserve=_minutes(reserve_ms),
        delay=delay_ms // 1_000,
    )
    return state, (_found("clock.terms", event, message, answer, seen, severity=Severity.NOTE),)


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
            amount = said("{seconds} seconds", seconds=f"{lost_ms / 1_000:g}")
        message = said(
            "{what}; the reserve lost by it is restored in full: {amount}",
            what=_FAULTS[fault.kind],
            amount=amount,
        )
    else:
        message = said("{what}, and is put right at once", what=_FAULTS[fault.kind])
    finding = _found("clock.fault", event, message, answer, seen, seat=seat)
    kept = _kept(state, event, "clock.fault", answer, seat)
    return replace(state, answer=answer, asked=kept), (finding,)


_AFTER: dict[type[Payload] | None, str] = {
    cube.DoubleOffered: "double",
    cube.DoubleTaken: "take",
    cube.CubeBeavered: "take",
    cube.DoubleDropped: "drop",
    play.PlayMade: "play",
    play.PlayRevised: "play",
    dice.Rolled: "roll",
}
"""What was done, in the word of the rule sets' facts."""


def _kind_of(entry_id: str, seen: Seen) -> type[Payload] | None:
    """What kind of entry it is; None where it does not stand."""
    step = seen.step_of(entry_id)
    return None if step is None else type(step.event.payload)


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
    against = _against(noticed, state, seen)
    is_won = seen.outcome.winner is not None
    facts = FlagFacts(
        whose=noticed.whose.value,
        first=None if noticed.first is None else noticed.first.value,
        is_match_over=is_won or seen.score.has_ended,
        is_contradicted=against is not None,
        is_gin=noticed.gin,
        gin_for=None if noticed.gin_for is None else noticed.gin_for.value,
    )
    lost_by = state.lost_by
    if lost_by is None or facts.loser != lost_by.value:
        # The flag that lost the match may be noticed again; another one comes too late.
        facts = replace(facts, is_match_won=is_won)
    loser = None if facts.loser is None else Seat(facts.loser)
    claimed = None if loser is None else _claim_of(loser, state, seen)
    if loser is not None and claimed is not None:
        # It was made before the flag was noticed, and is judged first.
        facts = _as_claimed(facts, loser, claimed, seen)
    elif loser is not None and seen.flow.in_game:
        facts = _as_claimable(facts, loser, seen)
    answer = _on_flag(facts, seen)
    if answer == state.flagged and facts == state.flag and answer.is_open:
        # Asked already, and nobody has ruled since.
        return replace(state, answer=answer), NOTHING
    is_one = noticed.whose in (clock.Flag.ONE, clock.Flag.TWO)
    message = said("the reserve of {whose} is noticed to have run out", whose=_WHOSE[noticed.whose])
    if answer.outcome == NO_EFFECT:
        message = said("{what}; the match was won before, and stays so", what=message)
    elif answer.outcome == PLAY_ON:
        message = said("{what}: they play on without a clock", what=message)
    elif not answer.is_open:
        lost = Seat(answer.details["loser"])
        message = said("{what}: {loser} has lost the match", what=message, loser=lost)
    elif claimed is not None:
        message = said("{what}, and the game was claimed before that", what=message)
    if against is not None:
        message = said("{what}, and {against}", what=message, against=against)
    if noticed.gin is not None:
        message = said("{what}; {gin}", what=message, gin=_gin(noticed))
    if answer.is_open:
        message = said("{what}; what follows is for the Director to decide", what=message)
    seat = Seat(noticed.whose.value) if is_one else None
    severity = Severity.NOTE if answer.outcome == NO_EFFECT else Severity.IRREGULARITY
    finding = _found("clock.flag", event, message, answer, seen, seat=seat, severity=severity)
    kept = _kept(state, event, "clock.flag", answer, seat)
    state = replace(state, answer=answer, asked=kept)
    if lost_by is not None and facts.is_match_won:
        return state, (finding,)
    return replace(state, flag=facts, flagged=answer), (finding,)


def _as_claimable(facts: FlagFacts, loser: Seat, seen: Seen) -> FlagFacts:
    """The facts as with a claim, where its owner is said to win, or every roll wins him the match.

    What saves the match is that he "may validly claim" both (`usbgf-2017-07` [4.3]), not the word.
    """
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME_AND_MATCH, seat=loser)
    claimable = _as_claimed(facts, loser, claim, seen)
    is_said = facts.is_gin and facts.gin_for in (None, loser.value)
    is_sure = claimable.is_win_certain and claimable.would_win_match
    return claimable if is_said or is_sure else facts


def _on_flag(facts: FlagFacts, seen: Seen) -> Answer:
    """What the rule set says; a text that knows no clocks has no words of its own for it."""
    answer = seen.rules.ask(CLOCK_FLAG, facts)
    if answer.is_open and not answer.readings:
        return replace(answer, readings=(MATCH_LOST, PLAY_ON))
    return answer


def _gin(noticed: clock.ClockFlagNoticed) -> Said:
    """What is said of a side that wins whatever is rolled."""
    if not noticed.gin:
        return said("nobody says that a side wins whatever is rolled")
    if noticed.gin_for is None:
        return said("one side is said to win whatever is rolled")
    return said("{side} is said to win whatever is rolled", side=noticed.gin_for)


_WHOSE: dict[clock.Flag, Seat | Said] = {
    clock.Flag.ONE: Seat.ONE,
    clock.Flag.TWO: Seat.TWO,
    clock.Flag.BOTH: said("each player"),
    clock.Flag.UNKNOWN: said("one of the players"),
}
"""Whose reserve a noticed flag speaks about, in words."""

_ONE_SECOND_MS = 1_000
"""A clock's face shows whole seconds: with less than one left it shows none."""


def _against(noticed: clock.ClockFlagNoticed, state: Timing, seen: Seen) -> Said | None:
    """What the record has against a flag that is noticed, in words; None = nothing."""
    if not seen.clock.is_set:
        return said("no clock is set")
    if seen.clock.kind is clock.ClockKind.NON_EXPIRING:
        return said("the clock is one that never runs out")
    for seat in Seat:
        left_ms = _left_ms(seat, noticed, state, seen)
        if noticed.whose.value in (seat.value, "both") and left_ms >= _ONE_SECOND_MS:
            left = left_ms // 1_000
            return said(
                "by the record {seat} has {left} {left:second|seconds} left", seat=seat, left=left
            )
    return None


def _left_ms(seat: Seat, noticed: clock.ClockFlagNoticed, state: Timing, seen: Seen) -> int:
    """What a seat has left by this entry's readings or by the presses; 0 where nobody kept it."""
    is_shown = noticed.readings is not None and noticed.readings[seat] is not None
    is_kept = seen.clock.turn_of is seat or any(
        isinstance(step.event.payload, clock.ClockPressed) and step.event.payload.seat is seat
        for step in seen.steps_since(state.set_entry)
    )
    return (seen.clock.reserve_ms[seat] or 0) if is_shown or is_kept else 0


def _claimed(state: Timing, event: RecordedEvent, claim: ending.ClaimMade, seen: Seen) -> Result:
    """Whose time has run out claims game and match at that moment: does that save the match?"""
    flag, seat = state.flag, claim.seat
    if seat is None or claim.kind not in CLAIMS:
        return state, NOTHING
    if event.basis is not Basis.AGREED:
        state = replace(state, claim=event.entry_id)
    if flag is None or flag.loser != seat.value:
        return state, NOTHING
    facts = _as_claimed(flag, seat, claim, seen)
    state = replace(state, flag=facts)
    before = state.flagged
    answer = _on_flag(facts, seen)
    if before is None or before.ruled_at is not None:
        # What was ruled on the flag holds, whatever is claimed after it.
        return state, NOTHING
    if replace(answer, lean=before.lean) == before:
        # Asked already: what the text leans to is all that the claim may have changed.
        state = state if answer == before else _put_in_place(state, before, answer)
        return (_ruled(state, seen) if event.basis is Basis.AGREED else state), NOTHING
    if answer.is_open and event.basis is Basis.AGREED:
        reading = claim_reading(answer.readings, holds=True)
        answer = answer.ruled(reading, event.version)
        return replace(state, answer=answer, flagged=answer), NOTHING
    message = said("{seat} claims the game with the reserve run out", seat=seat)
    if answer.is_open:
        message = said("{what}; what follows is for the Director to decide", what=message)
    finding = _found("clock.flag", event, message, answer, seen, seat=seat)
    kept = _kept(state, event, "clock.flag", answer, seat)
    return replace(state, answer=answer, flagged=answer, asked=kept), (finding,)


def _as_claimed(flag: FlagFacts, seat: Seat, claim: ending.ClaimMade, seen: Seen) -> FlagFacts:
    """The flag of a player who claims the game, with what the claim is worth on the board."""
    level = level_claimed(claim, seat, seen)
    race = race_of(seen, seat, is_winner_next=seen.flow.on_roll is seat)
    return replace(
        flag,
        is_claimed=True,
        has_contact=race is not None and race.has_contact,
        would_win_match=wins_match(seat, level, seen),
        is_win_certain=race is not None and bool(CERTAIN[level.value](race)),
    )


def _claim_of(seat: Seat, state: Timing, seen: Seen) -> ending.ClaimMade | None:
    """The claim of `seat` that waits for its answer in this turn."""
    made = None if state.claim is None else claim_made(state.claim, seen)
    if made is None or not is_same_turn(made[0].before, seen):
        return None
    return made[1] if made[1].seat is seat else None


def _claim_answered(
    state: Timing, event: RecordedEvent, answered: ending.ClaimRuled, seen: Seen
) -> Timing:
    """What becomes of a claim becomes of the flag, whatever the text said to it before."""
    if state.asked:
        state = _ruled(state, seen)
    is_ruled = answered.by is Actor.DIRECTOR
    if answered.target == state.claim and (answered.holds or is_ruled):
        state = replace(state, claim=None)
    flag, flagged, made = state.flag, state.flagged, claim_made(answered.target, seen)
    if flag is None or flagged is None or made is None or not (answered.holds and is_ruled):
        return state
    is_his = made[1].seat is not None and made[1].seat is state.lost_by
    if not is_his or not flag.would_win_match:
        # The game alone is not game and match.
        return state
    holds = replace(flagged, outcome=CLAIM_HOLDS, details=NO_DETAILS, ruled_at=event.version)
    return replace(state, answer=holds, flagged=holds)


# Questions: kept, raised, ruled on.


def _put(
    state: Timing, event: RecordedEvent, topic: str, message: Said, answer: Answer, seen: Seen
) -> Result:
    """A question is found, unless the text does not know clocks at all: then it is only kept."""
    if answer.reason == SILENT and not answer.readings:
        return _unasked(state, event, topic, answer), NOTHING
    finding = _found(topic, event, message, answer, seen)
    return replace(state, asked=_kept(state, event, topic, answer, None)), (finding,)


def _unasked(state: Timing, event: RecordedEvent, topic: str, answer: Answer) -> Timing:
    """A question that is kept until somebody raises it."""
    return replace(state, unasked=(*state.unasked, Asked(topic, event.entry_id, answer)))


def _kept(
    state: Timing, event: RecordedEvent, topic: str, answer: Answer, seat: Seat | None
) -> tuple[Asked, ...]:
    """The questions with one more, if the answer is one."""
    if not answer.is_open:
        return state.asked
    return (*state.asked, Asked(topic, event.entry_id, answer, seat))


def _put_in_place(state: Timing, before: Answer, answer: Answer) -> Timing:
    """The question of the flag as it is asked now, under the key under which it was asked."""
    asked = tuple(
        replace(kept, answer=answer) if kept.answer == before else kept for kept in state.asked
    )
    return replace(state, answer=answer, flagged=answer, asked=asked)


def _raised(state: Timing, event: RecordedEvent, what: str, seen: Seen) -> Result:
    """A dispute or a call names the topic, or the entry, of questions that nobody had raised."""
    about = [one for one in state.unasked if what in (one.topic, one.entry_id)]
    if not about:
        return state, NOTHING
    findings: dict[str, Finding] = {}
    for one in about:
        message = _QUESTIONS[one.topic]
        findings.setdefault(one.topic, _found(one.topic, event, message, one.answer, seen))
    raised = (replace(one, entry_id=event.entry_id) for one in about)
    unasked = tuple(one for one in state.unasked if one not in about)
    return replace(state, asked=(*state.asked, *raised), unasked=unasked), tuple(findings.values())


def _ruled(state: Timing, seen: Seen) -> Timing:
    """Every question goes on from the reading that was chosen for it."""
    for index, kept in enumerate(state.asked):
        now = kept.ruled(seen)
        if now is not kept:
            asked = (*state.asked[:index], now, *state.asked[index + 1 :])
            state = _with_ruled(replace(state, asked=asked), kept, now.answer)
    return state


def _with_ruled(state: Timing, kept: Asked, answer: Answer) -> Timing:
    """The ruled answer wherever the question was kept; who sets the clock sets its free time."""
    member = _MEMBERS.get(kept.topic)
    if member is not None and getattr(state, member) == kept.answer:
        state = replace(state, **{member: answer})
    delay = state.delay
    if kept.topic == "clock.terms" and delay is not None and answer.outcome in delay.readings:
        assert answer.ruled_at is not None
        delay = delay.ruled(answer.outcome, answer.ruled_at)
        state = replace(state, delay=delay)
    return replace(state, answer=answer) if state.answer == kept.answer else state


_MEMBERS = {"clock.terms": "terms", "clock.delay": "delay", "clock.flag": "flagged"}
"""Topic to the member of the state that keeps its answer."""

_QUESTIONS = {
    "clock.terms": said("how much time the clock is to give is for the Director to decide"),
    "clock.delay": said("how the free time of a turn runs is for the Director to decide"),
    "clock.stop": said("whether the clock may be stopped is for the Director to decide"),
}


_CODES = {
    "clock.terms": "clock-terms",
    "clock.delay": "clock-terms",
    "clock.stop": "clock-stop",
    "clock.fault": "clock-fault",
    "clock.flag": "flag-noticed",
}


def _found(
    topic: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    seen: Seen,
    *,
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
) -> Finding:
    code = _CODES[topic]
    return judged(code, event, message, answer, topic, seen.rules, seat=seat, severity=severity)


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    dice.OpeningRolled,
    clock.ClockSet,
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
