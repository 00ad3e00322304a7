"""Doubles and beavers, their answers, and those that are noticed later."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.values import Seat
from projections.folding.findings import Finding
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import ruled, with_asked
from projections.folding.sayings import Said, said
from projections.judging.cube_state import (
    Beaver,
    CubeActs,
    Double,
    Result,
    as_ruled_before,
    open_act,
    open_beside,
    promise_passed,
    released,
    told_act,
    with_answer,
)
from projections.rules.answers import RULING_REQUIRED, Answer
from projections.rules.profile import CubeFault, Rules, Subject
from projections.rules.subjects.cube_doubles import (
    CUBE_BEAVER,
    CUBE_CRAWFORD,
    CUBE_DROP,
    CUBE_PREMATURE,
    CUBE_TIME,
    CUBE_WORTH,
    BeaverFacts,
    DoubleFacts,
    DropFacts,
    time_fault,
)
from projections.rules.subjects.cube_found import CUBE_FOUND, CUBE_REPLAY
from projections.rules.subjects.cube_words import (
    ALLOWED,
    CORRECTED,
    DOES_NOT_BIND,
    NOT_ALLOWED,
    STANDS,
    VOID,
)
from projections.rules.subjects.premature import DOUBLE_STANDS


def doubled(state: CubeActs, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A double, with the rule set's answer to it as a whole."""
    if not seen.flow.in_game:
        return state, NOTHING
    number = seen.score.game_number
    facts = DoubleFacts(
        seat=seat,
        faults=seen.cube.faults,
        is_opening=seen.flow.turn_number == 1,
        is_cocked=state.cocked == (seat, number, seen.flow.turn_number),
        is_after_crawford=seen.score.crawford_played,
        is_crawford=state.match_point_game == number,
        length=seen.score.length,
    )
    time, worth = seen.rules.ask(CUBE_TIME, facts), seen.rules.ask(CUBE_WORTH, facts)
    by, verdict = _verdict(facts, time, worth, state.phase, seen.rules)
    score = seen.score.score
    double = Double(event.entry_id, facts, verdict, by, number, seen.cube.value, score)
    irregular = (*state.irregular, double) if _is_fault(double) else state.irregular
    promise = state.promise_of(seat)
    if promise is not None and promise.intent == "double":
        state = released(state, seat)
    new = replace(
        state,
        answer=verdict,
        time=time,
        worth=worth,
        last=double,
        irregular=irregular,
        words=(),
        beaver=None,
    )
    return new, _about_double(event, double, seen)


def _about_double(event: RecordedEvent, double: Double, seen: Seen) -> tuple[Finding, ...]:
    verdict, seat = double.verdict, double.facts.seat
    if verdict.outcome == VOID:
        message = said("{seat}'s double is void: the cube is as before it", seat=seat)
        return (told_act("cube-void", event, message, verdict, "cube.double", seat, seen),)
    if verdict.outcome == NOT_ALLOWED and verdict.flag is not None:
        message = said("{seat} doubles, and the rules do not allow it", seat=seat)
        return (told_act("cube-not-allowed", event, message, verdict, "cube.double", seat, seen),)
    if verdict.outcome == NOT_ALLOWED and double.by == CUBE_TIME and _is_between_throws(double):
        # No roll is on record, so no other finding says what is wrong with the double.
        message = said(
            "{seat} doubles after throwing dice that have to be thrown again, which is not allowed",
            seat=seat,
        )
        return (told_act("cube-not-allowed", event, message, verdict, "cube.double", seat, seen),)
    if verdict.outcome == DOUBLE_STANDS:
        message = said(
            "the double stands, though {player} has not ended the turn:"
            " {player} completes it knowing of the double, and may play otherwise",
            player=seat.other,
        )
        return (told_act("early-cube-act", event, message, verdict, "cube.double", seat, seen),)
    message = said(
        "{seat} doubles; whether the double counts is for the Director to decide", seat=seat
    )
    return open_act(event, message, verdict, "cube.double", seat, seen)


def void_after_all(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    """The double of a game that is ruled the Crawford game only after it was made."""
    double, number = state.last, seen.score.game_number
    is_of_it = seen.flow.in_game and seen.score.is_crawford_game
    if double is None or not is_of_it or double.game_number != number or _is_fault(double):
        return state, NOTHING
    faults = (CubeFault.CRAWFORD, *double.facts.faults)
    facts = replace(double.facts, faults=faults, is_crawford=True)
    verdict = seen.rules.ask(CUBE_CRAWFORD, facts)
    if verdict.outcome != VOID:
        return state, NOTHING
    void = replace(double, facts=facts, verdict=verdict, by=CUBE_CRAWFORD)
    irregular = (*state.irregular, void)
    new = replace(state, answer=verdict, last=void, irregular=irregular, beaver=None)
    return new, _about_double(event, void, seen)


def _is_between_throws(double: Double) -> bool:
    """Whether only a void throw before it makes the time of a double doubtful."""
    return double.facts.is_cocked and time_fault(double.facts) is None


def _verdict(
    facts: DoubleFacts, time: Answer, worth: Answer, phase: Answer | None, rules: Rules
) -> tuple[Subject[DoubleFacts], Answer]:
    """The answer to the double as a whole: that of the first thing that forbids it."""
    if CubeFault.NOT_OWNED in facts.faults and rules.void_cube_acts.isdisjoint(facts.faults):
        return CUBE_TIME, time
    # The cube is out of play, or neither text nor table says whether it is.
    if CubeFault.CRAWFORD in facts.faults or (
        facts.is_crawford and rules.options.get("crawford") is None
    ):
        answer = as_ruled_before(rules.ask(CUBE_CRAWFORD, facts), phase)
        # If its time alone forbids the double, the state of the cube does not matter.
        is_moot = answer.is_open and time.outcome == NOT_ALLOWED
        if not is_moot and answer.outcome not in (ALLOWED, DOES_NOT_BIND):
            return CUBE_CRAWFORD, answer
    if worth.outcome == VOID:
        return CUBE_WORTH, worth
    if CubeFault.OUT_OF_TURN in facts.faults:
        return CUBE_PREMATURE, rules.ask(CUBE_PREMATURE, facts)
    return (CUBE_WORTH, worth) if time.outcome == ALLOWED else (CUBE_TIME, time)


def _is_fault(double: Double) -> bool:
    """Whether the double should not have been, so that it matters when somebody notices."""
    return double.by == CUBE_CRAWFORD or double.verdict.outcome == VOID


def _waiting(state: CubeActs, seat: Seat) -> Double | None:
    """The double that `seat` answers, even one that the rule set holds void."""
    double = state.last
    if double is None or double.answered is not None or double.facts.seat is seat:
        return None
    return double if double.game_number == state.game_number else None


def answered_by(
    state: CubeActs, event: RecordedEvent, seat: Seat, answered: str, seen: Seen
) -> Result:
    """A take or a drop: of the beaver that waits, else of the double."""
    if state.beaver is not None:
        return _beaver_answered(state, event, seat, answered, seen)
    double = _waiting(state, seat)
    if double is None:
        return state, NOTHING
    other = "drop" if answered == "take" else "take"
    new, findings = promise_passed(state, event, seat, other, answered, seen)
    known = replace(double, answered=answered, answer_entry=event.entry_id)
    verdict, about = _after(known, event, seen)
    irregular = tuple(known if each is double else each for each in state.irregular)
    new = replace(new, last=known, irregular=irregular, words=())
    if not findings:
        return replace(new, answer=verdict), about
    # The question about the double is kept beside the one about the broken word.
    asked = with_asked(new.asked, about, lambda topic: verdict.also.get(topic.partition("-")[2]))
    return replace(new, asked=asked), findings + about


def _after(double: Double, event: RecordedEvent, seen: Seen) -> tuple[Answer, tuple[Finding, ...]]:
    """Findings once the double is answered."""
    verdict, seat = double.verdict, double.facts.seat
    if verdict.outcome == NOT_ALLOWED and double.by in (CUBE_TIME, CUBE_CRAWFORD):
        answer = seen.rules.ask(double.by, replace(double.facts, is_answered=True))
        if answer.outcome == NOT_ALLOWED:
            message = said("{seat} has doubled, which is not allowed, and was answered", seat=seat)
            return answer, open_act(event, message, answer, "cube.answered", seat, seen)
    if double.answered != "drop" or verdict.outcome in (VOID, NOT_ALLOWED, RULING_REQUIRED):
        return verdict, NOTHING
    own, _ = seen.penalties.both_scores(double.score)
    facts = DropFacts(seat, double.value, own, seen.score.length)
    answer = seen.rules.ask(CUBE_DROP, facts)
    if answer.outcome == "match_continues":
        message = said(
            "{other} drops the double of {seat}, and by the rules that does not end the match",
            other=seat.other,
            seat=seat,
        )
        told = told_act("drop-ends-no-match", event, message, answer, "cube.drop", seat, seen)
        return answer, (told, *open_act(event, message, answer, "cube.drop", seat, seen))
    flag = verdict.flag if facts.wins_match else answer.flag
    return replace(answer, flag=flag, verified=verdict.verified), NOTHING


def beavered(state: CubeActs, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A beaver, found where the rules in force do not provide for it."""
    cube_now = seen.cube
    if not cube_now.is_beaver or cube_now.offered_by is not seat:
        return state, NOTHING
    is_raccoon = state.beaver is not None
    is_money = seen.score.length is None
    facts = BeaverFacts(seat, cube_now.value, is_money, is_raccoon=is_raccoon)
    answer = seen.rules.ask(CUBE_BEAVER, facts)
    new = replace(state, answer=answer, beaver=facts, beaver_entry=event.entry_id)
    if answer.outcome == ALLOWED:
        return new, NOTHING
    message = said("{seat} beavers, and the rules do not provide for it", seat=seat)
    if answer.is_open:
        message = said(
            "{seat} beavers; whether that is allowed is for the Director to decide", seat=seat
        )
    return new, (told_act("cube-beavered", event, message, answer, "cube.beaver", seat, seen),)


def _beaver_answered(
    state: CubeActs, event: RecordedEvent, seat: Seat, answered: str, seen: Seen
) -> Result:
    facts = state.beaver
    if facts is None or facts.seat is seat:
        return state, NOTHING
    reply = "accept" if answered == "take" else "refuse"
    facts = replace(facts, reply=reply)
    answer = seen.rules.ask(CUBE_BEAVER, facts)
    key = ("cube.beaver", state.beaver_entry, facts.seat)
    answer = ruled(answer, seen, *key)
    asked = state.asked
    if key in asked:
        asked = MappingProxyType({**asked, key: answer})
    beavers = state.beavers
    about, side = NOTHING, state.side
    if answer.outcome == NOT_ALLOWED and answer.ruled_at is None:
        number = seen.score.game_number
        beavers = (*beavers, Beaver(state.beaver_entry, event.entry_id, facts, number))
        about = _beaver_asked(event, answer, facts.seat, seen)
        side = (_BEAVER, answer.also["beaver"]) if about else side
        answer = replace(answer, also=MappingProxyType({}))
    new = replace(state, answer=answer, beaver=None, asked=asked, beavers=beavers, side=side)
    return new, about


_BEAVER = "cube.answered-beaver"


def _beaver_asked(
    event: RecordedEvent, answer: Answer, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    message = said("{seat} has beavered, which is not allowed, and was answered", seat=seat)
    return open_beside(event, message, answer, "cube.answered", seat, seen)


def _noticed(seat: Seat, answer: Answer) -> Said:
    """Findings when somebody notices a double that was not allowed."""
    match answer.outcome:
        case outcome if outcome == VOID:
            return said("{seat}'s double is void, now that it is noticed", seat=seat)
        case outcome if outcome == CORRECTED:
            score = answer.details["score"]
            return said(
                "{seat}'s double is noticed: the game counts as if the cube had not been turned,"
                " and the score is {score}",
                seat=seat,
                score=f"{score['one']}-{score['two']}",
            )
        case outcome if outcome == STANDS:
            return said("{seat}'s double is noticed too late: the result stands", seat=seat)
        case _:
            return said(
                "{seat}'s double is noticed: "
                "what becomes of its game is for the Director to decide",
                seat=seat,
            )


def noticed_later(state: CubeActs, event: RecordedEvent, about: str | None, seen: Seen) -> Result:
    """Somebody notices a double that should not have been."""
    if state.beaver_raised(about) is not None:
        # If it was asked when the double was answered, it is not asked again.
        return state, NOTHING
    double = state.noticed(about)
    if double is None or double.entry_id in state.noticed_of:
        # A later call is about something else, or the answer is known already.
        return state, NOTHING
    facts = state.found_facts(double, seen.score.games, seen.score.length)
    # The score includes the penalty points that enter it.
    facts = replace(facts, score=seen.penalties.both_scores(facts.score)[0])
    if double.answered is None and not facts.is_over:
        return replace(state, answer=double.verdict), NOTHING
    answer = seen.rules.ask(CUBE_FOUND, facts)
    seat = double.facts.seat
    asked = state.asked.get(("cube.answered-double", double.answer_entry or "", seat))
    if asked is not None:
        # Asked when it was answered: all that is new is what the text leans to by now.
        now = replace(asked, lean=answer.lean)
        return replace(with_answer(state, asked, now), answer=now), NOTHING
    message = _noticed(seat, answer)
    is_won = seen.score.winner is not None or answer.details.get("match") == "won"
    if answer.outcome == CORRECTED and seen.score.has_ended and not is_won:
        message = said("{what}; the match goes on", what=message)
    told = told_act("cube-violation-found", event, message, answer, "cube.found", seat, seen)
    beside = open_beside(event, message, answer, "cube.found", seat, seen)
    new = replace(state, answer=answer, noticed_of=state.noticed_of | {double.entry_id})
    if answer.outcome == CORRECTED:
        replay = seen.rules.ask(CUBE_REPLAY, facts)
        new = replace(new, side=("cube.replay", replay))
        what = said(
            "whether the game with {seat}'s double is played again, and from where, "
            "is for the Director to decide",
            seat=seat,
        )
        beside = (*beside, *open_act(event, what, replay, "cube.replay", seat, seen))
    return new, (told, *beside)


def voided_later(state: CubeActs, event: RecordedEvent, target: str, seen: Seen) -> Result:
    """A double of a finished game is declared void, which counts as noticing it."""
    double = state.noticed(target)
    if double is None or double.game_number not in {one.number for one in seen.score.games}:
        return state, NOTHING
    return noticed_later(state, event, target, seen)
