"""Flags: a reserve noticed to have run out, and claims to the game at that moment."""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import attendance, clock, ending, penalty
from events.payloads.base import Actor
from events.values import Seat
from projections.folding.concessions import CLAIMS, claim_made, level_claimed, race_of
from projections.folding.findings import Severity
from projections.folding.fold import NOTHING, Seen, is_same_turn, wins_match
from projections.folding.sayings import Said, said
from projections.judging.timing_state import (
    Result,
    Timing,
    finding_on,
    put_in_place,
    questions_with,
    timing_ruled,
)
from projections.rules.answers import NO_DETAILS, SILENT, Answer, left_open
from projections.rules.subjects.clock_terms import (
    CLAIM_HOLDS,
    CLOCK_FLAG,
    MATCH_LOST,
    NO_EFFECT,
    PLAY_ON,
    FlagFacts,
    claim_reading,
)
from projections.rules.subjects.endings import CERTAIN
from projections.rules.subjects.match_length import GOING_ON


def flag_noticed(
    state: Timing, event: RecordedEvent, noticed: clock.ClockFlagNoticed, seen: Seen
) -> Result:
    """A reserve is noticed to have run out: judge it by the text."""
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
        # The flag that lost the match may be noticed again; any other comes too late.
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
    finding = finding_on("clock.flag", event, message, answer, seen, seat=seat, severity=severity)
    kept = questions_with(state, event, "clock.flag", answer, seat)
    state = replace(state, answer=answer, asked=kept)
    if lost_by is not None and facts.is_match_won:
        return state, (finding,)
    is_claimed = event.basis in (Basis.CLAIMED_BY_ONE, Basis.CLAIMED_BY_TWO)
    return replace(state, flag=facts, flagged=answer, is_flag_claimed=is_claimed), (finding,)


def _as_claimable(facts: FlagFacts, loser: Seat, seen: Seen) -> FlagFacts:
    """The facts with a claim, if every roll wins the match for the flag's owner, or that is said.

    The match is saved if he "may validly claim" game and match (`usbgf-2017-07` [4.3]), even if he
    has not done so.
    """
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME_AND_MATCH, seat=loser)
    claimable = _as_claimed(facts, loser, claim, seen)
    is_said = facts.is_gin and facts.gin_for in (None, loser.value)
    is_sure = claimable.is_win_certain and claimable.would_win_match
    return claimable if is_said or is_sure else facts


def _on_flag(facts: FlagFacts, seen: Seen) -> Answer:
    """The rule set's answer; for a text without clocks, the readings are given here."""
    answer = seen.rules.ask(CLOCK_FLAG, facts)
    if answer.is_open and facts.loser is None:
        # That the match is lost would not say by whom.
        readings = answer.readings or (MATCH_LOST, PLAY_ON)
        lost = tuple(f"{seat}_lost" for seat in Seat)
        named = (lost if reading == MATCH_LOST else (reading,) for reading in readings)
        return replace(answer, readings=tuple(chain.from_iterable(named)))
    if answer.is_open and not answer.readings:
        return replace(answer, readings=(MATCH_LOST, PLAY_ON))
    if answer.outcome == MATCH_LOST and seen.score.length is None:
        # For money there is no match to be lost, and what becomes of the game no text says.
        return left_open(SILENT, answer.section, MATCH_LOST, PLAY_ON)
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
    """What on record contradicts a flag, in words; None = nothing."""
    if not seen.clock.is_set:
        return said("no clock is set")
    if seen.clock.kind is clock.ClockKind.NON_EXPIRING:
        return said("the clock is one that never runs out")
    for seat in Seat:
        left_ms = _left_ms(seat, noticed, state, seen)
        if noticed.whose.value == seat.value and _is_unpressed(seat, state, seen):
            return _to_be_given_back(seat)
        if noticed.whose.value in (seat.value, "both") and left_ms >= _ONE_SECOND_MS:
            left = left_ms // 1_000
            return said(
                "by the record {seat} has {left} {left:second|seconds} left", seat=seat, left=left
            )
    return None


def _is_unpressed(seat: Seat, state: Timing, seen: Seen) -> bool:
    """Whether `seat` has lost reserve in this turn by not pressing, and not got it back."""
    step = seen.step_of(state.unpressed) if state.unpressed else None
    return (
        step is not None
        and isinstance(step.event.payload, clock.ClockFaultNoticed)
        and step.event.payload.seat is seat
        and is_same_turn(step.before, seen)
    )


def _to_be_given_back(seat: Seat) -> Said:
    return said("{seat} has lost reserve by not pressing and not got it back", seat=seat)


def flag_in_doubt(state: Timing, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """Judge a flag again when it is noticed afterwards that its owner had not pressed.

    A text that knows this case gives the lost reserve back, so it had not run out.
    """
    return _asked_after_all(state, event, seat, _to_be_given_back(seat), seen)


def flag_disputed(state: Timing, event: RecordedEvent, seen: Seen) -> Result:
    """A flag that one player alone says fell, and the other denies."""
    seat = state.lost_by
    if seat is None or not state.is_flag_claimed:
        return state, NOTHING
    return _asked_after_all(state, event, seat, said("the players disagree on it"), seen)


def _asked_after_all(
    state: Timing, event: RecordedEvent, seat: Seat, against: Said, seen: Seen
) -> Result:
    """Judge again a flag by which `seat` has lost, because something contradicts it now."""
    flag = state.flag
    is_ruled = state.flagged is not None and state.flagged.ruled_at is not None
    if flag is None or is_ruled or state.lost_by is not seat:
        return state, NOTHING
    facts = replace(flag, is_contradicted=True)
    answer = _on_flag(facts, seen)
    message = said("the reserve of {whose} is noticed to have run out", whose=seat)
    message = said("{what}, and {against}", what=message, against=against)
    message = said("{what}; what follows is for the Director to decide", what=message)
    finding = finding_on("clock.flag", event, message, answer, seen, seat=seat)
    kept = questions_with(state, event, "clock.flag", answer, seat)
    return replace(state, answer=answer, flag=facts, flagged=answer, asked=kept), (finding,)


def flag_after_all(state: Timing, event: RecordedEvent, seen: Seen) -> Result:
    """A flag that had no effect because the match seemed to be won, and now counts.

    The match goes on after all, because of a wrong length, because its last play was replaced, or
    because the penalty points that decided it were waived or excused.
    """
    flag, flagged, length = state.flag, state.flagged, seen.match_length.answer
    had_effect = flagged is None or flagged.outcome != NO_EFFECT or flagged.ruled_at is not None
    is_reopened = seen.score.reopened_at == event.version and seen.score.winner is None
    goes_on = length is not None and (length.is_open or length.outcome in GOING_ON)
    if isinstance(event.payload, penalty.PenaltyWaived | attendance.DelayExcused):
        goes_on = (length is None or goes_on) and _is_without_points(seen)
    if flag is None or had_effect or not (goes_on or is_reopened):
        return state, NOTHING
    facts = replace(flag, is_match_over=False, is_match_won=False, is_contradicted=True)
    answer = _on_flag(facts, seen)
    message = said(
        "the reserve of {whose} was noticed to have run out with the match taken to be won, and"
        " the match is not over; what follows is for the Director to decide",
        whose=_WHOSE[clock.Flag(flag.whose)],
    )
    seat = None if flag.whose not in ("one", "two") else Seat(flag.whose)
    finding = finding_on("clock.flag", event, message, answer, seen, seat=seat)
    kept = questions_with(state, event, "clock.flag", answer, seat)
    return replace(state, answer=answer, flag=facts, flagged=answer, asked=kept), (finding,)


def _is_without_points(seen: Seen) -> bool:
    """Whether penalty points had decided the match, and now nothing does."""
    score, length = seen.score, seen.score.length
    is_decided = score.winner is not None or score.decided is not None or seen.penalties.forfeiting
    is_reached = length is not None and max(seen.match_score) >= length
    is_claimed = score.plays_on or bool(score.unseen_at)
    return seen.outcome.winner is not None and not (is_decided or is_reached or is_claimed)


def _left_ms(seat: Seat, noticed: clock.ClockFlagNoticed, state: Timing, seen: Seen) -> int:
    """Time left of a seat, by this entry's readings or the presses; 0 if it was not recorded."""
    is_shown = noticed.readings is not None and noticed.readings[seat] is not None
    is_kept = seen.clock.turn_of is seat or any(
        isinstance(step.event.payload, clock.ClockPressed) and step.event.payload.seat is seat
        for step in seen.steps_since(state.set_entry)
    )
    return (seen.clock.reserve_ms[seat] or 0) if is_shown or is_kept else 0


def game_claimed(
    state: Timing, event: RecordedEvent, claim: ending.ClaimMade, seen: Seen
) -> Result:
    """A player whose time has run out claims game and match: does that save the match?"""
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
        # A ruling on the flag holds, whatever is claimed after it.
        return state, NOTHING
    if replace(answer, lean=before.lean) == before:
        # The question was asked already; the claim can only change what the text leans to.
        state = state if answer == before else put_in_place(state, before, answer)
        return (timing_ruled(state, seen) if event.basis is Basis.AGREED else state), NOTHING
    if answer.is_open and event.basis is Basis.AGREED:
        reading = claim_reading(answer.readings, holds=True)
        answer = answer.ruled(reading, event.version)
        return replace(state, answer=answer, flagged=answer), NOTHING
    message = said("{seat} claims the game with the reserve run out", seat=seat)
    if answer.is_open:
        message = said("{what}; what follows is for the Director to decide", what=message)
    finding = finding_on("clock.flag", event, message, answer, seen, seat=seat)
    kept = questions_with(state, event, "clock.flag", answer, seat)
    return replace(state, answer=answer, flagged=answer, asked=kept), (finding,)


def _as_claimed(flag: FlagFacts, seat: Seat, claim: ending.ClaimMade, seen: Seen) -> FlagFacts:
    """The flag of a player who claims the game, with what the claim is worth on the board."""
    level = level_claimed(claim, seat, seen)
    race = race_of(seen, seat, is_winner_next=seen.flow.on_roll is seat)
    return replace(
        flag,
        is_claimed=True,
        has_contact=race is not None and race.has_contact,
        would_win_match=wins_match(seat, seen.cube.value * level.factor, seen),
        is_win_certain=race is not None and bool(CERTAIN[level.value](race)),
    )


def _claim_of(seat: Seat, state: Timing, seen: Seen) -> ending.ClaimMade | None:
    """The claim of `seat` that waits for its answer in this turn."""
    made = None if state.claim is None else claim_made(state.claim, seen)
    if made is None or not is_same_turn(made[0].before, seen):
        return None
    return made[1] if made[1].seat is seat else None


def claim_answered(
    state: Timing, event: RecordedEvent, answered: ending.ClaimRuled, seen: Seen
) -> Timing:
    """The decision on a claim decides the flag too, whatever the text said to it before."""
    if state.asked:
        state = timing_ruled(state, seen)
    is_ruled = answered.by is Actor.DIRECTOR
    if answered.target == state.claim and (answered.holds or is_ruled):
        state = replace(state, claim=None)
    flag, flagged, made = state.flag, state.flagged, claim_made(answered.target, seen)
    if flag is None or flagged is None or made is None or not (answered.holds and is_ruled):
        return state
    is_his = made[1].seat is not None and made[1].seat is state.lost_by
    if not is_his or not flag.would_win_match:
        # A claim to the game alone does not save the match.
        return state
    holds = replace(flagged, outcome=CLAIM_HOLDS, details=NO_DETAILS, ruled_at=event.version)
    return replace(state, answer=holds, flagged=holds)
