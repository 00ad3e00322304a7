"""Cube acts under the rule set: allowed, binding, void; Crawford found later; dead cubes.

A ruling is applied to every answer that is kept, and what hangs on it follows: who is bound, which
game counts as the Crawford game, which doubles are still to be noticed. A sign that is ruled
binding after its player acted otherwise binds nobody any more: what was done is ruled on with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import cube, dice, dispute, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Key, Severity, judged
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep
from projections.folding.questions import key_of, put, ruled, with_asked
from projections.folding.sayings import Said, said
from projections.rules.answers import RULING_REQUIRED, Answer
from projections.rules.profile import CubeFault, Rules
from projections.rules.subjects.cube_doubles import BeaverFacts, DoubleFacts, DropFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.cube_signs import AnswerFacts, BrokenFacts, ShownFacts, SignFacts
from projections.rules.subjects.cube_words import (
    ADOPTED,
    ALLOWED,
    BINDING,
    BOUND,
    DOES_NOT_BIND,
    FIRST_LEGAL,
    NOT_ALLOWED,
    NOT_BOUND,
    VOID,
)
from projections.rules.subjects.game_worth import PhaseFacts

Result = tuple["CubeActs", tuple[Finding, ...]]

BEFORE = "pre_crawford"
CRAWFORD = "crawford"
AFTER = "post_crawford"


class Double(msgspec.Struct, frozen=True, gc=False):
    """One double, with what the rule set says to it."""

    entry_id: str
    """The `cube.double_offered`."""
    facts: DoubleFacts
    """Who doubled, and what was wrong."""
    verdict: Answer
    """What the rule set says to it."""
    by: str
    """The subject on which it says so."""
    game_number: int
    """In which game."""
    value: int
    """What the cube showed before it."""
    score: BySeat[int]
    """The score before that game."""
    answered: str | None = None
    """take or drop; None = not yet."""
    answer_entry: str | None = None
    """The entry of that answer."""


class Promise(msgspec.Struct, frozen=True, gc=False):
    """A stated intent that binds."""

    seat: Seat
    """Whose."""
    intent: str
    """double, take or drop."""
    game_number: int
    """In which game it was stated."""


class Beaver(msgspec.Struct, frozen=True, gc=False):
    """A beaver that the text does not allow, and that was answered all the same."""

    entry_id: str
    """The `cube.beavered`."""
    answer_entry: str
    """The entry of that answer."""
    facts: BeaverFacts
    """Who beavered, and what was answered."""
    game_number: int
    """In which game."""


class CubeActs(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    time: Answer | None = None
    """Whether the last double came in time and from whom may double."""
    worth: Answer | None = None
    """Whether the last double could be of use to the doubler."""
    phase: Answer | None = None
    """Of the game in progress: before, in or after the Crawford game."""
    bound: Answer | None = None
    """What the last stated intent binds to."""
    promise: Promise | None = None
    """The intent that binds and was not acted on yet."""
    last: Double | None = None
    """The last double."""
    irregular: tuple[Double, ...] = ()
    """Doubles in a Crawford game, and void ones."""
    words: tuple[str, ...] = ()
    """What was said to the double that waits."""
    beaver: BeaverFacts | None = None
    """The beaver that waits for its answer."""
    cocked: tuple[Seat, int, int] | None = None
    """Who threw and may throw again, in which game and turn."""
    match_point_game: int = 0
    """The first game with a player exactly one point away; -1 = before the record, 0 = none."""
    game_number: int = 0
    """The game in progress or the last one."""
    begun: tuple[Seat, ...] = ()
    """Who began another match."""
    is_round_begun: bool = False
    """Whether the next round has begun."""
    shown: ShownFacts | None = None
    """A cube that does not show what the acts make it."""
    beaver_entry: str = ""
    """The entry of the beaver that waits."""
    beavers: tuple[Beaver, ...] = ()
    """Beavers that are not allowed, were answered, and were not raised yet."""
    asked: Mapping[Key, Answer] = MappingProxyType({})
    """Every question asked so far with its answer, ruled or not."""

    def noticed(self, about: str | None) -> Double | None:
        """The double that should not have been, and that somebody notices now."""
        of_those = (
            double
            for double in reversed(self.irregular)
            if about is None or about in (double.entry_id, double.answer_entry)
        )
        return next(of_those, None)

    def beaver_raised(self, about: str | None) -> Beaver | None:
        """The beaver that should not have been, and that somebody raises now."""
        of_those = (one for one in self.beavers if about in (one.entry_id, one.answer_entry))
        return next(of_those, None)

    def found_facts(self, double: Double, game: Any, length: int | None) -> FoundFacts:
        """What the rule set is asked about such a double; `game` None = it is not over."""
        fault = CubeFault.CRAWFORD if double.by == "cube.crawford" else CubeFault.DEAD
        facts = FoundFacts(fault, double.answered, is_over=game is not None)
        if game is None:
            return facts
        factor: int = 1 if game.kind is None else game.kind.factor
        turned = 2 if double.answered == "take" else 1
        return replace(
            facts,
            winner=game.winner,
            points=double.value * factor,
            turned_points=double.value * turned * factor,
            score=double.score,
            length=length,
            begun=self.begun,
            is_round_begun=self.is_round_begun,
        )


def evolve(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    if state.promise is None and type(event.payload) is dice.Rolled:
        # Nearly every roll: nobody had said that he would double.
        return state, NOTHING
    if type(event.payload) is dispute.RulingMade:
        return _ruled(state, event, seen), NOTHING
    new, findings = _judged(state, event, seen)
    return _asking(new, findings), findings


def _judged(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    match event.payload:
        case dice.Rolled(seat=seat):
            return _promise_passed(state, event, seat, "double", "roll", seen)
        case match.GameStarted() | play.PositionStated():
            return _started(state, event, seen)
        case cube.DoubleOffered() as offered:
            return _offered(state, event, offered.seat, seen)
        case cube.DoubleTaken(seat=seat):
            return _answered(state, event, seat, "take", seen)
        case cube.DoubleDropped(seat=seat):
            return _answered(state, event, seat, "drop", seen)
        case cube.CubeBeavered(seat=seat):
            return _beavered(state, event, seat, seen)
        case cube.CubeGestured() as gestured:
            return _gestured(state, event, gestured, seen)
        case cube.CubeIntentStated() as stated:
            return _said(state, event, stated, seen)
        case cube.CubeStated() as stated:
            return _shown(state, event, stated, seen)
        case dispute.DisputeRaised():
            return _disputed(state, event, seen)
        case dispute.DirectorCalled(about=about):
            return _noticed(state, event, about, seen)
        case dice.Voided(seat=seat) if seat is not None and seen.flow.in_game:
            mark = (seat, seen.score.game_number, seen.flow.turn_number)
            return replace(state, cocked=mark), NOTHING
        case match.MatchNextStarted(seats=seats, next=next_match):
            is_round = next_match is match.NextMatch.NEXT_ROUND
            begun = tuple(dict.fromkeys((*state.begun, *seats)))
            is_round = is_round or state.is_round_begun
            return replace(state, begun=begun, is_round_begun=is_round), NOTHING
        case match.MatchOpened(crawford_played=was_played):
            return replace(state, match_point_game=-1 if was_played else 0), NOTHING
        case _:
            return state, NOTHING


def _asking(state: CubeActs, findings: tuple[Finding, ...]) -> CubeActs:
    """The state that knows which of its answers the questions just asked are about."""
    asked = with_asked(state.asked, findings, lambda topic: _answer_on(state, topic))
    return state if asked is state.asked else replace(state, asked=asked)


def _answer_on(state: CubeActs, topic: str) -> Answer | None:
    answer = state.phase if topic == "crawford.phase" else state.answer
    _, _, beside = topic.partition("-")
    return answer.also.get(beside) if answer is not None and beside else answer


def _told(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    seat: Seat,
    seen: Seen,
) -> Finding:
    severity = Severity.NOTE if answer.outcome == BOUND else Severity.IRREGULARITY
    return judged(code, event, message, answer, topic, seen.rules, seat=seat, severity=severity)


def _open(
    event: RecordedEvent, message: Said, answer: Answer, topic: str, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The question, if it is one, and those beside the answer."""
    beside = _beside(event, message, answer, topic, seat, seen)
    if not answer.is_open:
        return beside
    return (_told("cube-act-open", event, message, answer, topic, seat, seen), *beside)


def _beside(
    event: RecordedEvent, message: Said, answer: Answer, topic: str, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The questions beside an answer, each under a topic of its own."""
    found_open = []
    for name, other in answer.also.items():
        if other.is_open:
            what = _LEFT_OPEN.get(name, Said(name))
            told = said("{act}, and {what} is open", act=message, what=what)
            about = f"{topic}-{name}"
            found_open.append(_told("cube-act-open", event, told, other, about, seat, seen))
    return tuple(found_open)


_DOUBLE = said("a double")
_ANSWER = said("an answer to the double")

_LEFT_OPEN = {
    "cube": said("what the cube is worth"),
    "double": said("what becomes of the double"),
    "beaver": said("what becomes of the beaver"),
    "resume": said("from where the game is played on"),
    "roll": said("whether the roll stands"),
    "take": said("whether the take stands"),
    "drop": said("whether the drop stands"),
}
"""Names of questions beside an answer about the cube, in words."""


# Rulings.


def _ruled(state: CubeActs, event: RecordedEvent, seen: Seen) -> CubeActs:
    for answer in event.payload.answers:
        question = answer.question
        asked = state.asked.get(key_of(question))
        step = seen.step_of(question.at)
        if asked is None or step is None:
            continue
        now = asked.ruled(answer.reading, event.version)
        state = _followed(_put(state, asked, now), question.topic, step, now, seen)
    return state


def _put(state: CubeActs, asked: Answer, now: Answer) -> CubeActs:
    """The state with the ruled answer wherever the question was kept."""

    def now_of(kept: Answer | None) -> Answer | None:
        return put(kept, asked, now)

    def put_in(double: Double) -> Double:
        verdict = now_of(double.verdict)
        return double if verdict is double.verdict else replace(double, verdict=verdict)

    return replace(
        state,
        answer=now_of(state.answer),
        time=now_of(state.time),
        worth=now_of(state.worth),
        phase=now_of(state.phase),
        bound=now_of(state.bound),
        last=None if state.last is None else put_in(state.last),
        irregular=tuple(map(put_in, state.irregular)),
        asked=MappingProxyType({key: now_of(answer) for key, answer in state.asked.items()}),
    )


def _followed(state: CubeActs, topic: str, step: SeenStep, now: Answer, seen: Seen) -> CubeActs:
    """What hangs on an answer goes on from the reading that was chosen."""
    match topic:
        case "cube.double":
            return _double_ruled(state, step, now, seen)
        case "cube.sign" | "cube.answer":
            return _sign_ruled(state, step, now, seen)
        case "cube.beaver" if now.outcome == NOT_ALLOWED:
            is_waiting = state.beaver_entry == step.event.entry_id
            return replace(state, beaver=None) if is_waiting else state
        case "cube.value":
            # What the cube is to show is said: nobody is asked again when something is disputed.
            return replace(state, shown=None)
        case "cube.found":
            double = state.noticed(step.event.payload.about)
            return state if double is None else _dealt_with(state, double.entry_id)
        case "cube.answered-double":
            double = state.noticed(step.event.entry_id)
            return state if double is None else _dealt_with(state, double.entry_id)
        case "crawford.phase":
            return _phase_ruled(state, step.after.score.game_number, now)
        case _:
            return state


def _dealt_with(state: CubeActs, entry_id: str) -> CubeActs:
    """A double that a person has ruled on is not noticed once more."""
    irregular = tuple(double for double in state.irregular if double.entry_id != entry_id)
    return replace(state, irregular=irregular)


def _double_ruled(state: CubeActs, step: SeenStep, now: Answer, seen: Seen) -> CubeActs:
    state = _dealt_with(state, step.event.entry_id)
    double = state.last
    if double is None or double.entry_id != step.event.entry_id:
        return state
    assert state.time is not None  # asked at every double
    assert now.ruled_at is not None
    time = state.time.ruled(now.outcome, now.ruled_at)
    state = replace(state, time=time, bound=now)
    is_later = now.outcome == FIRST_LEGAL
    return _bind(state, step, double.facts.seat, "double", seen) if is_later else state


_ANSWERS = {"taken": "take", "dropped": "drop"}


def _sign_ruled(state: CubeActs, step: SeenStep, now: Answer, seen: Seen) -> CubeActs:
    """A sign that binds, or an answer to a double as a person reads it: it has to be acted on."""
    made = step.event.payload
    seat: Seat = made.seat
    intent = _ANSWERS.get(now.outcome)
    if intent is None and now.outcome in BINDING:
        intent = made.intent.value if isinstance(made, cube.CubeIntentStated) else "double"
    if intent is None:
        is_his = state.promise is not None and state.promise.seat is seat
        return replace(state, promise=None) if is_his else state
    return _bind(replace(state, bound=now), step, seat, intent, seen)


def _bind(state: CubeActs, step: SeenStep, seat: Seat, intent: str, seen: Seen) -> CubeActs:
    """Who is bound and has not acted since has to act so."""
    number: int = seen.score.game_number
    has_acted = any(
        isinstance(since.event.payload, dice.Rolled | cube.CubeAct)
        and since.event.payload.seat is seat
        for since in seen.steps_since(step.event.entry_id)
    )
    if has_acted or step.before.score.game_number != number:
        return state
    return replace(state, promise=Promise(seat, intent, number))


def _phase_ruled(state: CubeActs, number: int, now: Answer) -> CubeActs:
    if state.phase is not None:
        # A later game may have begun meanwhile, and whether the text binds was not asked again.
        phase = _as_ruled_before(state.phase, now)
        answer = phase if state.answer is state.phase else state.answer
        state = replace(state, phase=phase, answer=answer)
    if now.outcome == CRAWFORD:
        return replace(state, match_point_game=number)
    if now.outcome == BEFORE and state.match_point_game == number:
        return replace(state, match_point_game=0)
    return state


def _as_ruled_before(answer: Answer, before: Answer | None) -> Answer:
    """Whether a text binds at all is ruled once, and holds for whatever hangs on it."""
    if before is None or before.ruled_at is None or before.readings != answer.readings:
        return answer
    return answer.ruled(before.outcome, before.ruled_at) if ADOPTED in answer.readings else answer


# Games and their phases.


def _started(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    """A game starts, by itself or with a stated board."""
    number: int = seen.score.game_number
    if number == state.game_number and not isinstance(event.payload, match.GameStarted):
        return state, NOTHING
    state = replace(
        state, game_number=number, promise=None, bound=None, words=(), beaver=None, shown=None
    )
    length: int | None = seen.score.length
    if length is None or seen.rules.options.get("crawford") in (False, "off"):
        return state, NOTHING
    if seen.score.crawford_played and not state.match_point_game:
        state = replace(state, match_point_game=-1)
    score, with_penalties = seen.penalties.both_scores(seen.score.score)
    if not seen.score.crawford_played and max(score) < length - 1:
        # By a length or a score that has turned out to be another one a game may have looked it.
        state = replace(state, match_point_game=0)
    phase = _phase_of(state, score, length)
    facts = PhaseFacts(phase, _phase_of(state, with_penalties, length), length)
    if phase == CRAWFORD:
        state = replace(state, match_point_game=number)
    answer = _as_ruled_before(seen.rules.ask("crawford.phase", facts), state.phase)
    findings = NOTHING
    if answer.is_open and CRAWFORD in (facts.phase, facts.with_penalties):
        message = said("whether this game is played without the cube")
        topic = "crawford.phase"
        findings = (judged("crawford-open", event, message, answer, topic, seen.rules),)
    return replace(state, phase=answer, answer=answer), findings


def _phase_of(state: CubeActs, score: BySeat[int], length: int) -> str:
    """The phase of a game that starts at `score`, whatever the rule set makes of it."""
    if state.match_point_game:
        return AFTER
    return CRAWFORD if length - 1 in (score.one, score.two) else BEFORE


# Doubles and their answers.


def _offered(state: CubeActs, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if not seen.flow.in_game:
        return state, NOTHING
    number: int = seen.score.game_number
    facts = DoubleFacts(
        seat=seat,
        faults=seen.cube.faults,
        is_opening=seen.flow.turn_number == 1,
        is_cocked=state.cocked == (seat, number, seen.flow.turn_number),
        is_crawford=state.match_point_game == number,
        length=seen.score.length,
    )
    time, worth = seen.rules.ask("cube.time", facts), seen.rules.ask("cube.worth", facts)
    by, verdict = _verdict(facts, time, worth, state.phase, seen.rules)
    score: BySeat[int] = seen.score.score
    double = Double(event.entry_id, facts, verdict, by, number, seen.cube.value, score)
    irregular = (*state.irregular, double) if _is_fault(double) else state.irregular
    promise = state.promise
    if promise is not None and promise.seat is seat and promise.intent == "double":
        promise = None
    new = replace(
        state,
        answer=verdict,
        time=time,
        worth=worth,
        last=double,
        irregular=irregular,
        promise=promise,
        words=(),
        beaver=None,
    )
    return new, _about_double(event, seat, verdict, seen)


def _about_double(
    event: RecordedEvent, seat: Seat, verdict: Answer, seen: Seen
) -> tuple[Finding, ...]:
    if verdict.outcome == VOID:
        message = said("the double is void: the cube is as before it")
        return (_told("cube-void", event, message, verdict, "cube.double", seat, seen),)
    if verdict.outcome == NOT_ALLOWED and verdict.flag is not None:
        message = said("the double is not allowed")
        return (_told("cube-not-allowed", event, message, verdict, "cube.double", seat, seen),)
    return _open(event, _DOUBLE, verdict, "cube.double", seat, seen)


def _verdict(
    facts: DoubleFacts, time: Answer, worth: Answer, phase: Answer | None, rules: Rules
) -> tuple[str, Answer]:
    """What is said to the double as a whole: the first thing that stands in its way."""
    if CubeFault.NOT_OWNED in facts.faults:
        return "cube.time", time
    # The cube is out of play, or neither text nor table says whether it is.
    if CubeFault.CRAWFORD in facts.faults or (
        facts.is_crawford and rules.options.get("crawford") is None
    ):
        answer = _as_ruled_before(rules.ask("cube.crawford", facts), phase)
        if answer.outcome not in (ALLOWED, DOES_NOT_BIND):
            return "cube.crawford", answer
    if worth.outcome == VOID:
        return "cube.worth", worth
    if CubeFault.OUT_OF_TURN in facts.faults:
        return "cube.premature", rules.ask("cube.premature", facts)
    return ("cube.worth", worth) if time.outcome == ALLOWED else ("cube.time", time)


def _is_fault(double: Double) -> bool:
    """Whether the double should not have been, so that it matters when somebody notices."""
    return double.by == "cube.crawford" or double.verdict.outcome == VOID


def _waiting(state: CubeActs, seat: Seat) -> Double | None:
    """The double that `seat` answers; the rule set may hold it void, and it is answered too."""
    double = state.last
    if double is None or double.answered is not None or double.facts.seat is seat:
        return None
    return double if double.game_number == state.game_number else None


def _answered(
    state: CubeActs, event: RecordedEvent, seat: Seat, answered: str, seen: Seen
) -> Result:
    if state.beaver is not None:
        return _beaver_answered(state, event, seat, answered, seen)
    double = _waiting(state, seat)
    if double is None:
        return state, NOTHING
    other = "drop" if answered == "take" else "take"
    new, findings = _promise_passed(state, event, seat, other, answered, seen)
    known = replace(double, answered=answered, answer_entry=event.entry_id)
    verdict, about = _after(known, event, seen)
    irregular = tuple(known if each is double else each for each in state.irregular)
    new = replace(new, last=known, irregular=irregular, words=())
    if not findings:
        new = replace(new, answer=verdict)
    return new, findings + about


def _after(double: Double, event: RecordedEvent, seen: Seen) -> tuple[Answer, tuple[Finding, ...]]:
    """What is said once the double is answered."""
    verdict, seat = double.verdict, double.facts.seat
    if verdict.outcome == NOT_ALLOWED and double.by in ("cube.time", "cube.crawford"):
        answer = seen.rules.ask(double.by, replace(double.facts, is_answered=True))
        if answer.outcome == NOT_ALLOWED:
            message = said("a double not allowed, and answered")
            return answer, _open(event, message, answer, "cube.answered", seat, seen)
    if double.answered != "drop" or verdict.outcome in (VOID, NOT_ALLOWED, RULING_REQUIRED):
        return verdict, NOTHING
    facts = DropFacts(seat, double.value, double.score, seen.score.length)
    answer = seen.rules.ask("cube.drop", facts)
    if answer.outcome == "match_continues":
        message = said("a drop that would end the match does not end it")
        told = _told("drop-ends-no-match", event, message, answer, "cube.drop", seat, seen)
        return answer, (told, *_open(event, message, answer, "cube.drop", seat, seen))
    flag = verdict.flag if facts.wins_match else answer.flag
    return replace(answer, flag=flag, verified=verdict.verified), NOTHING


def _promise_passed(
    state: CubeActs, event: RecordedEvent, seat: Seat, intent: str, name: str, seen: Seen
) -> Result:
    """Something else was done than an intent binds to; the promise is over in any case."""
    promise = state.promise
    if promise is None or promise.seat is not seat or state.bound is None:
        return state, NOTHING
    if promise.intent != intent:
        is_answer = name != "roll" and promise.intent != "double"
        return (replace(state, promise=None) if is_answer else state), NOTHING
    answer = seen.rules.ask("cube.broken", BrokenFacts(state.bound, name))
    message = said("{seat} was bound to {intent}, and did not", seat=seat, intent=Said(intent))
    new = replace(state, answer=answer, bound=answer, promise=None)
    told = _told("cube-promise-broken", event, message, answer, "cube.sign", seat, seen)
    return new, (told, *_open(event, message, answer, "cube.sign", seat, seen))


def _beavered(state: CubeActs, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    cube_now = seen.cube
    if not cube_now.is_beaver or cube_now.offered_by is not seat:
        return state, NOTHING
    facts = BeaverFacts(seat, cube_now.value, seen.score.length is None)
    answer = seen.rules.ask("cube.beaver", facts)
    new = replace(state, answer=answer, beaver=facts, beaver_entry=event.entry_id)
    if answer.outcome == ALLOWED:
        return new, NOTHING
    message = said("a beaver, and the rules in force do not provide for it")
    return new, (_told("cube-beavered", event, message, answer, "cube.beaver", seat, seen),)


def _beaver_answered(
    state: CubeActs, event: RecordedEvent, seat: Seat, answered: str, seen: Seen
) -> Result:
    facts = state.beaver
    if facts is None or facts.seat is seat:
        return state, NOTHING
    reply = "accept" if answered == "take" else "refuse"
    facts = replace(facts, reply=reply)
    answer = seen.rules.ask("cube.beaver", facts)
    key = ("cube.beaver", state.beaver_entry, facts.seat)
    answer = ruled(answer, seen, *key)
    asked = state.asked
    if key in asked:
        asked = MappingProxyType({**asked, key: answer})
    beavers = state.beavers
    if answer.outcome == NOT_ALLOWED and answer.ruled_at is None:
        number: int = seen.score.game_number
        beavers = (*beavers, Beaver(state.beaver_entry, event.entry_id, facts, number))
    return replace(state, answer=answer, beaver=None, asked=asked, beavers=beavers), NOTHING


def _beaver_raised(state: CubeActs, event: RecordedEvent, beaver: Beaver, seen: Seen) -> Result:
    """Somebody calls the Director about a beaver that was answered: whether it stands."""
    answer = seen.rules.ask("cube.beaver", replace(beaver.facts, is_raised=True))
    beavers = tuple(one for one in state.beavers if one is not beaver)
    message = said("a beaver not allowed, and answered")
    about = _beside(event, message, answer, "cube.answered", beaver.facts.seat, seen)
    return replace(state, answer=answer, beavers=beavers), about


# Gestures and words.


def _gestured(
    state: CubeActs, event: RecordedEvent, gestured: cube.CubeGestured, seen: Seen
) -> Result:
    seat = gestured.seat
    if seen.flow.answering is seat:
        if gestured.kind is not cube.GestureKind.PUT:
            return state, NOTHING
        put = None if gestured.put is None else gestured.put.value
        return _judge_answer(state, event, seat, put, seen)
    if gestured.kind in (cube.GestureKind.PUT, cube.GestureKind.WORDS, cube.GestureKind.NONE):
        return state, NOTHING
    is_announced = gestured.repositioning_announced is cube.Announced.BEFORE
    facts = _sign(seat, seen, sign=gestured.kind.value)
    is_clear = event.basis not in (Basis.CLAIMED_BY_ONE, Basis.CLAIMED_BY_TWO)
    facts = replace(facts, is_clear=is_clear, is_announced=is_announced)
    return _judge_sign(state, event, facts, seen)


def _sign(seat: Seat, seen: Seen, *, sign: str) -> SignFacts:
    flow = seen.flow
    length: int | None = seen.score.length
    return SignFacts(
        seat=seat,
        sign=sign,
        is_in_turn=flow.on_roll is seat and flow.dice is None,
        is_crawford=seen.score.is_crawford_game,
        is_dead=length is not None and seen.score.score[seat] + seen.cube.value >= length,
    )


def _said(
    state: CubeActs, event: RecordedEvent, stated: cube.CubeIntentStated, seen: Seen
) -> Result:
    seat, intent, when = stated.seat, stated.intent.value, stated.when.value
    if seen.flow.answering is seat and intent != "double":
        new = replace(state, words=(*state.words, intent))
        return _judge_answer(new, event, seat, None, seen)
    if intent != "double":
        when = "if_doubled"
    facts = replace(_sign(seat, seen, sign="words"), intent=intent, when=when)
    return _judge_sign(state, event, facts, seen)


def _judge_sign(state: CubeActs, event: RecordedEvent, facts: SignFacts, seen: Seen) -> Result:
    seat = facts.seat
    if not seen.flow.in_game or seen.cube.owner is (
        seat.other if facts.intent == "double" else seat
    ):
        # Whoever cannot double binds himself to nothing.
        return state, NOTHING
    answer = seen.rules.ask("cube.sign", facts)
    new = replace(state, answer=answer, bound=answer)
    if answer.outcome == NOT_BOUND:
        return new, NOTHING
    message = said(
        "{sign}, which may mean to {intent}", sign=Said(facts.sign), intent=Said(facts.intent)
    )
    if not answer.is_open:
        new = replace(new, promise=Promise(seat, facts.intent, seen.score.game_number))
        return new, (_told("cube-act-bound", event, message, answer, "cube.sign", seat, seen),)
    return new, _open(event, message, answer, "cube.sign", seat, seen)


def _judge_answer(
    state: CubeActs, event: RecordedEvent, seat: Seat, put: str | None, seen: Seen
) -> Result:
    """What was said or done to a double, before anybody records a take or a drop."""
    facts = AnswerFacts(seat, state.words, put, seen.cube.value)
    answer = seen.rules.ask("cube.answer", facts)
    return replace(state, answer=answer), _open(event, _ANSWER, answer, "cube.answer", seat, seen)


# The cube as it lies.


def _shown(state: CubeActs, event: RecordedEvent, stated: cube.CubeStated, seen: Seen) -> Result:
    lies, made = (stated.value, stated.owner), (seen.cube.value, seen.cube.owner)
    if event.basis.settles or lies == made:
        return (state if state.shown is None else replace(state, shown=None)), NOTHING
    is_start = seen.flow.awaits_opening or not seen.flow.in_game
    facts = ShownFacts(stated.value, stated.owner, is_start, is_disputed=False)
    if is_start:
        return _judge_shown(state, event, facts, seen)
    # In mid-game nothing is asked before somebody disagrees.
    return replace(state, shown=facts), NOTHING


def _disputed(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    if state.shown is None or state.shown.is_disputed:
        return state, NOTHING
    return _judge_shown(state, event, replace(state.shown, is_disputed=True), seen)


def _judge_shown(state: CubeActs, event: RecordedEvent, facts: ShownFacts, seen: Seen) -> Result:
    answer = seen.rules.ask("cube.shown", facts)
    new = replace(state, answer=answer, shown=facts)
    if not answer.is_open:
        return new, NOTHING
    message = said("what the cube is to show")
    return new, (judged("cube-act-open", event, message, answer, "cube.value", seen.rules),)


# What is noticed later.


def _noticed(state: CubeActs, event: RecordedEvent, about: str | None, seen: Seen) -> Result:
    """Somebody notices a double that should not have been."""
    beaver = state.beaver_raised(about)
    if beaver is not None:
        return _beaver_raised(state, event, beaver, seen)
    double = state.noticed(about)
    if double is None:
        return state, NOTHING
    game = next((each for each in seen.score.games if each.number == double.game_number), None)
    if double.answered is None and game is None:
        return replace(state, answer=double.verdict), NOTHING
    facts = state.found_facts(double, game, seen.score.length)
    answer = seen.rules.ask("cube.found", facts)
    seat = double.facts.seat
    asked = state.asked.get(("cube.answered-double", double.answer_entry or "", seat))
    if asked is not None:
        # Asked when it was answered: all that is new is what the text leans to by now.
        now = replace(asked, lean=answer.lean)
        return replace(_put(state, asked, now), answer=now), NOTHING
    message = said("a double that should not have been is noticed")
    told = _told("cube-violation-found", event, message, answer, "cube.found", seat, seen)
    beside = _beside(event, message, answer, "cube.found", seat, seen)
    return replace(state, answer=answer), (told, *beside)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.Voided,
    match.MatchOpened,
    match.GameStarted,
    match.MatchNextStarted,
    play.PositionStated,
    cube.DoubleOffered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeBeavered,
    cube.CubeGestured,
    cube.CubeIntentStated,
    cube.CubeStated,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.RulingMade,
)


def initial(rules: Rules) -> CubeActs:
    """Nothing judged."""
    return CubeActs()


FOLD: Fold[CubeActs] = Fold("cube_acts", _HEARS, initial, evolve)
"""The fold of cube_acts."""
