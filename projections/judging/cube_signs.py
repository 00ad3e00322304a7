"""Signs about the cube: gestures and words, whom they bind, and who acted otherwise."""

from __future__ import annotations

import re

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import cube, dispute
from events.values import Seat
from projections.folding.fold import NOTHING, Seen, wins_match
from projections.folding.sayings import Said, said
from projections.judging.cube_state import (
    CubeActs,
    Promise,
    Result,
    open_act,
    promised,
    told_act,
)
from projections.judging.phrases import sign_of
from projections.rules.answers import DISCRETION, left_open
from projections.rules.subjects.cube_signs import (
    CUBE_ANSWER,
    CUBE_SIGN,
    WORD,
    AnswerFacts,
    SignFacts,
    bound_to,
)
from projections.rules.subjects.cube_words import NOT_BOUND, NOW


def gestured_act(
    state: CubeActs, event: RecordedEvent, gestured: cube.CubeGestured, seen: Seen
) -> Result:
    """A gesture: an answer to the double that waits, or a sign that may mean one."""
    seat = gestured.seat
    kind = gestured.kind
    is_announced = gestured.repositioning_announced is cube.Announced.BEFORE
    spoken = _spoken(gestured)
    if spoken is None and seen.flow.answering is not seat and _in_words(gestured) in _DOUBLING:
        spoken = cube.Intent.DOUBLE
    if kind is cube.GestureKind.WORDS and spoken is not None:
        return worded_act(state, event, cube.CubeIntentStated(seat=seat, intent=spoken), seen)
    if seen.flow.answering is seat:
        if kind not in (cube.GestureKind.PUT, cube.GestureKind.WORDS):
            return state, NOTHING
        put = None if gestured.put is None else gestured.put.value
        if spoken is not None:
            bound = _bound_before(state, seat)
            state = replace(state, words=(*(state.words or bound), spoken.value))
        return _judge_answer(state, event, seat, put, seen, is_at_once=spoken is not None)
    if kind is cube.GestureKind.NONE or _is_of_something_else(gestured, seen):
        return state, NOTHING
    if kind is cube.GestureKind.WORDS and is_announced:
        return state, NOTHING
    facts = _sign(seat, seen, sign=gestured.kind.value)
    is_clear = event.basis not in (Basis.CLAIMED_BY_ONE, Basis.CLAIMED_BY_TWO)
    if kind is cube.GestureKind.WORDS:
        # Unclear words: the Director, or both players, have to say what they mean.
        is_clear = event.basis.settles
    facts = replace(facts, is_clear=is_clear, is_announced=is_announced)
    return _judge_sign(state, event, facts, seen)


_SPOKEN = {
    **dict.fromkeys(("take", "i take", "taken", "i take it"), cube.Intent.TAKE),
    **dict.fromkeys(("drop", "i drop", "pass", "i pass"), cube.Intent.DROP),
}
"""Plain words that answer a double, as the texts have them."""
_DOUBLING = frozenset({"double", "i double", "redouble", "i redouble"})
"""Plain words of a double."""


def _spoken(gestured: cube.CubeGestured) -> cube.Intent | None:
    """Words that say it plainly; any others have to be interpreted by a person."""
    return _SPOKEN.get(_in_words(gestured))


def _in_words(gestured: cube.CubeGestured) -> str:
    return (gestured.words or "").strip(" .!").casefold()


def _is_of_something_else(gestured: cube.CubeGestured, seen: Seen) -> bool:
    """Whether the cube was put where an offer, a take or the start of a game puts it."""
    if gestured.kind is not cube.GestureKind.PUT:
        return False
    offered_by, owner = seen.cube.offered_by, seen.cube.owner
    is_kept = owner is gestured.seat and gestured.put is cube.CubePlace.OWN_SIDE
    return offered_by is gestured.seat or is_kept or seen.flow.awaits_opening


def _sign(seat: Seat, seen: Seen, *, sign: str) -> SignFacts:
    flow = seen.flow
    return SignFacts(
        seat=seat,
        sign=sign,
        is_in_turn=flow.may_roll(seat),
        has_rolled=flow.dice is not None and flow.on_roll is seat and not flow.is_ended,
        is_crawford=seen.score.is_crawford_game,
        is_dead=wins_match(seat, seen.cube.value, seen),
        is_lost_by_drop=wins_match(seat.other, seen.cube.value, seen),
    )


def worded_act(
    state: CubeActs, event: RecordedEvent, stated: cube.CubeIntentStated, seen: Seen
) -> Result:
    """Words: an answer to the double that waits, or an intent that may bind."""
    seat, intent, when = stated.seat, stated.intent.value, stated.when.value
    if seen.flow.answering is seat and intent != "double":
        return _answer_worded(state, event, seat, intent, seen)
    if intent != "double" and seen.flow.void_double is seat.other:
        # There is no valid double to take or to drop.
        return state, NOTHING
    if intent != "double":
        when = "if_doubled"
    facts = replace(_sign(seat, seen, sign="words"), intent=intent, when=when)
    return _judge_sign(state, event, facts, seen)


def _judge_sign(state: CubeActs, event: RecordedEvent, facts: SignFacts, seen: Seen) -> Result:
    seat = facts.seat
    if not seen.flow.in_game or seen.cube.owner is (
        seat.other if facts.intent == "double" else seat
    ):
        # A player who cannot double is not bound by announcing it.
        return state, NOTHING
    answer = seen.rules.ask(CUBE_SIGN, facts)
    new = replace(state, answer=answer, bound=answer)
    if answer.outcome == NOT_BOUND:
        return new, NOTHING
    message = said(
        "{seat} has {sign}, and is bound to {intent}",
        seat=seat,
        sign=sign_of(facts.sign, facts.intent),
        intent=Said(facts.intent),
    )
    is_words = facts.sign == cube.GestureKind.WORDS
    if answer.is_open:
        flow = seen.flow
        sign = (seat, seen.score.game_number, flow.turn_number, facts.intent, is_words)
        if state.sign == sign:
            # Reaching, touching and lifting in one movement is one question.
            return state, NOTHING
        new = replace(new, sign=sign)
    if not answer.is_open:
        new = promised(new, Promise(seat, facts.intent, seen.score.game_number, answer))
        return new, (told_act("cube-act-bound", event, message, answer, "cube.sign", seat, seen),)
    message = said(
        "{seat} has {sign}; whether {seat} is bound to {intent} is for the Director to decide",
        seat=seat,
        sign=sign_of(facts.sign if facts.is_clear or not is_words else "spoke", facts.intent),
        intent=Said(facts.intent),
    )
    return new, open_act(event, message, answer, "cube.sign", seat, seen)


def _answer_worded(
    state: CubeActs, event: RecordedEvent, seat: Seat, intent: str, seen: Seen
) -> Result:
    """A word about the open double, which binds if the text says so; the first one counts."""
    bound = _bound_before(state, seat)
    new = replace(state, words=(*(state.words or bound), intent))
    new, findings = _judge_answer(new, event, seat, None, seen)
    answer = new.answer
    if answer is None or answer.outcome not in _WORDS:
        return new, findings
    to = _WORDS[answer.outcome]
    binds = replace(bound_to(to, NOW, answer.section), verified=answer.verified)
    promise = Promise(seat, to, seen.score.game_number, binds)
    new = promised(replace(new, bound=binds), promise)
    if to == intent and bound:
        return new, findings
    message = said(
        "{seat} has answered the double by word, and is bound to {intent}",
        seat=seat,
        intent=Said(intent),
    )
    if to != intent:
        message = said(
            "{seat} has said {first} and cannot change it to {intent}",
            seat=seat,
            first=Said(to),
            intent=Said(intent),
        )
    told = told_act("cube-act-bound", event, message, binds, "cube.answer", seat, seen)
    return new, (*findings, told)


def _bound_before(state: CubeActs, seat: Seat) -> tuple[str, ...]:
    """The answer to which `seat` is bound by words before the double, as words of an answer."""
    promise = state.promise_of(seat)
    if promise is None or promise.intent == "double":
        return ()
    return (promise.intent,)


_WORDS = {"taken": "take", "dropped": "drop"}
"""The act that an answer by words requires."""


def _judge_answer(
    state: CubeActs,
    event: RecordedEvent,
    seat: Seat,
    put: str | None,
    seen: Seen,
    *,
    is_at_once: bool = False,
) -> Result:
    """Words or acts in answer to a double, before a take or a drop is recorded."""
    words = state.words or _bound_before(state, seat)
    facts = AnswerFacts(seat, words, put, seen.cube.value, is_at_once)
    answer = seen.rules.ask(CUBE_ANSWER, facts)
    if answer.is_open and _is_asked(state, seat, seen):
        # Everything said or done about the same double belongs to one question.
        return state, NOTHING
    message = said(
        "{seat} answers the double; whether it is taken or passed is for the Director to decide",
        seat=seat,
    )
    return replace(state, answer=answer), open_act(
        event, message, answer, "cube.answer", seat, seen
    )


_NOT_ITS_PLACE = {
    "take": (cube.CubePlace.OPPONENTS_SIDE, cube.CubePlace.MIDDLE_OF_BAR),
    "drop": (cube.CubePlace.OWN_SIDE,),
}
"""Where no text has the cube put by who takes or passes: each has a take on the own side."""


def placed_otherwise(
    state: CubeActs,
    event: RecordedEvent,
    answered: cube.DoubleTaken | cube.DoubleDropped,
    name: str,
    seen: Seen,
) -> Result:
    """A take or drop whose placement of the cube contradicts it."""
    double, seat = state.last, answered.seat
    is_placed = answered.means in (cube.CubeMeans.PLACEMENT, cube.CubeMeans.BOTH)
    if not is_placed or answered.put not in _NOT_ITS_PLACE[name] or event.basis.settles:
        return state, NOTHING
    if double is None or double.answer_entry != event.entry_id:
        return state, NOTHING
    words = (name,) if answered.means is cube.CubeMeans.BOTH else ()
    facts = AnswerFacts(seat, words, answered.put.value, double.value, is_at_once=True)
    answer = seen.rules.ask(CUBE_ANSWER, facts)
    if answer.outcome == WORD[name] or _is_asked(state, seat, seen):
        return state, NOTHING
    if not answer.is_open:
        # No text says whether the placement or the recorded answer counts.
        answer = left_open(
            DISCRETION, answer.section, WORD["take"], WORD["drop"], lean=answer.outcome
        )
    message = said(
        "{seat} is entered as passing, and has put the cube on the own side; "
        "whether the double is taken or passed is for the Director to decide",
        seat=seat,
    )
    if name == "take":
        message = said(
            "{seat} is entered as taking, and has put the cube elsewhere than on the own side; "
            "whether the double is taken or passed is for the Director to decide",
            seat=seat,
        )
    return replace(state, answer=answer), open_act(
        event, message, answer, "cube.answer", seat, seen
    )


_ANSWERS = frozenset(("answer", "take", "taken", "drop", "dropped", "pass", "passed"))
"""Words of a topic, or of what a side says, by which a dispute is about the answer to a double."""


def answer_disputed(
    state: CubeActs, event: RecordedEvent, raised: dispute.DisputeRaised, seen: Seen
) -> Result:
    """The players disagree whether a double was taken or passed, asked once per double."""
    double = state.last
    if double is None or double.game_number != seen.score.game_number or state.beaver is not None:
        return state, NOTHING
    said_so = {raised.topic or "", *(one.reading or "" for one in raised.readings)}
    words = {word for one in said_so for word in re.split(r"[^a-z]+", one)}
    is_of_cube = not raised.topic or words & {"cube", "double"} or words & (_ANSWERS - {"answer"})
    # Whether there was a double at all, or what the cube shows, is another question.
    is_waiting = seen.flow.answering is not None and raised.topic == "cube"
    is_waiting &= "double" not in words
    if not (is_of_cube and (words & _ANSWERS or is_waiting)):
        return state, NOTHING
    seat = double.facts.seat.other
    if _is_asked(state, seat, seen):
        return state, NOTHING
    facts = AnswerFacts(seat, (), None, double.value)
    answer = seen.rules.ask(CUBE_ANSWER, facts)
    message = said(
        "the players disagree on {seat}'s answer to the double;"
        " whether it is taken or passed is for the Director to decide",
        seat=seat,
    )
    return replace(state, answer=answer), open_act(
        event, message, answer, "cube.answer", seat, seen
    )


def _is_asked(state: CubeActs, seat: Seat, seen: Seen) -> bool:
    """Whether it was asked what a player answered to the last double."""
    double = state.last
    return double is not None and any(
        topic == "cube.answer" and whose is seat and _is_since(at, double.entry_id, seen)
        for topic, at, whose in state.asked
    )


def _is_since(at: str, entry_id: str, seen: Seen) -> bool:
    one, other = seen.step_of(at), seen.step_of(entry_id)
    return one is not None and other is not None and one.event.version > other.event.version
