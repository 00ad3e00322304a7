"""Consequences of rulings on the cube: who is bound, and which doubles may still be noticed."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute
from events.values import Seat
from projections.folding.consequences import EARLY_CUBE, called_about, early_double, was_asked
from projections.folding.findings import Key
from projections.folding.fold import Seen, SeenStep
from projections.folding.questions import key_of
from projections.judging.cube_state import (
    BEFORE,
    CRAWFORD,
    CubeActs,
    Promise,
    as_ruled_before,
    promised,
    released,
    with_answer,
)
from projections.rules.answers import Answer
from projections.rules.subjects.cube_signs import bound_to
from projections.rules.subjects.cube_words import (
    BINDING,
    FIRST_LEGAL,
    NOT_ALLOWED,
    UNDONE,
)
from projections.rules.subjects.endings import PLAY_ON


def ruled_on(
    state: CubeActs, event: RecordedEvent, made: dispute.RulingMade, seen: Seen
) -> CubeActs:
    """Apply a ruling's answers, with their consequences."""
    asked = [answer for answer in made.answers if was_asked(answer, seen)]
    for answer in asked:
        if answer.question.topic == "game.dropped":
            # First of all: another answer may take the drop back.
            state = _drop_ruled(state, answer.question.at, answer.reading, event.version, seen)
    for answer in made.answers:
        key = key_of(answer.question)
        if answer in asked and (answer.question.topic, answer.reading) == (EARLY_CUBE, FIRST_LEGAL):
            state = _due_later(state, answer.question.at, seen)
        state = _with_reading(state, key, answer.reading, event.version, seen)
    return state


def answered_by_act(state: CubeActs, event: RecordedEvent, seen: Seen) -> CubeActs:
    """The questions that an act at the table has answered."""
    for key in state.asked:
        made = seen.rulings.answers.get(key)
        if made is not None and made.version == event.version:
            state = _with_reading(state, key, made.reading, event.version, seen)
    return state


def _with_reading(state: CubeActs, key: Key, reading: str, version: int, seen: Seen) -> CubeActs:
    """Apply the chosen reading to a question, with its consequences."""
    topic, at, seat = key
    asked, step = state.asked.get(key), seen.step_of(at)
    if asked is None or step is None:
        return state
    now = asked.ruled(reading, version)
    return _followed(with_answer(state, asked, now), topic, seat, step, now, seen)


def _drop_ruled(state: CubeActs, at: str, reading: str, version: int, seen: Seen) -> CubeActs:
    """A ruling on whether a drop ended its game, which the fold of endings asks."""
    double, answer = state.last, state.answer
    if double is None or double.answer_entry != at:
        return state
    if answer is not None and answer.is_open:
        state = replace(state, answer=answer.ruled(reading, version))
    # If the drop did not end the game, the double waits for an answer again.
    return _waiting_again(state, double.facts.seat.other, seen) if reading == PLAY_ON else state


def _followed(
    state: CubeActs, topic: str, seat: Seat | None, step: SeenStep, now: Answer, seen: Seen
) -> CubeActs:
    """The consequences of an answer, by the chosen reading."""
    match topic:
        case "cube.double":
            return _double_ruled(state, step, now, seen)
        case "cube.sign" | "cube.answer":
            return _sign_ruled(state, seat, step, now, seen)
        case "cube.beaver" if now.outcome == NOT_ALLOWED:
            is_waiting = state.beaver_entry == step.event.entry_id
            return replace(state, beaver=None) if is_waiting else state
        case "cube.value":
            # The ruling says what the cube shows, so a later dispute does not ask again.
            return replace(state, shown=None)
        case "cube.found":
            double = state.noticed(called_about(step))
            return state if double is None else _dealt_with(state, double.entry_id)
        case "cube.answered-double":
            double = state.noticed(step.event.entry_id)
            return state if double is None else _dealt_with(state, double.entry_id)
        case "crawford.phase":
            return _phase_ruled(state, step.after.score.game_number, now)
        case _ if topic in _DUE and now.outcome == UNDONE and seat is not None:
            return _due_again(state, seat, _DUE[topic], step, seen)
        case _:
            return state


_DUE = {"cube.sign-roll": "double", "cube.sign-take": "drop", "cube.sign-drop": "take"}
"""Topic to the act that is due again after the one done instead is undone."""


def _due_again(state: CubeActs, seat: Seat, intent: str, step: SeenStep, seen: Seen) -> CubeActs:
    """A player whose act against a promise is undone is bound as before."""
    is_his = seen.flow.answering is seat or (intent == "double" and seen.flow.may_roll(seat))
    number = seen.score.game_number
    if not is_his or step.before.score.game_number != number:
        return state
    if state.bound is None:
        return state
    waiting = _waiting_again(state, seat, seen)
    if intent == "double":
        # The roll that he made instead does not count.
        waiting = replace(waiting, cocked=None)
    return promised(waiting, Promise(seat, intent, number, state.bound))


def _waiting_again(state: CubeActs, seat: Seat, seen: Seen) -> CubeActs:
    """The last double, waiting for `seat` again, if a ruling took its answer back."""
    double = state.last
    if double is None or double.answered is None or seen.flow.answering is not seat:
        return state
    waiting = replace(double, answered=None, answer_entry=None)
    irregular = tuple(waiting if each is double else each for each in state.irregular)
    return replace(state, last=waiting, irregular=irregular)


def _dealt_with(state: CubeActs, entry_id: str) -> CubeActs:
    """A double that was ruled on cannot be noticed again."""
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
    if now.outcome != FIRST_LEGAL:
        return state
    promise = Promise(double.facts.seat, "double", seen.score.game_number, now)
    return _bind(state, step, promise, seen)


def _due_later(state: CubeActs, at: str, seen: Seen) -> CubeActs:
    """A double made too early does not count, and binds its player to double when he may."""
    double, target = state.last, early_double(at, seen)
    step = None if target is None else seen.step_of(target)
    if double is None or step is None or double.entry_id != target:
        return state
    seat, section = double.facts.seat, double.verdict.section
    bound = bound_to("double", FIRST_LEGAL, section)
    return _bind(state, step, Promise(seat, "double", double.game_number, bound), seen)


_ANSWERS = {"taken": "take", "dropped": "drop"}


def _sign_ruled(
    state: CubeActs, seat: Seat | None, step: SeenStep, now: Answer, seen: Seen
) -> CubeActs:
    """A binding sign, or an answer as the ruling reads it, has to be acted on."""
    assert seat is not None  # asked of whoever signed or answers, where a dispute is about it too
    made = step.event.payload
    intent = _ANSWERS.get(now.outcome)
    if intent is None and now.outcome in BINDING:
        intent = made.intent.value if isinstance(made, cube.CubeIntentStated) else "double"
    if intent is None:
        return released(state, seat)
    state = _waiting_again(replace(state, bound=now), seat, seen)
    return _bind(state, step, Promise(seat, intent, seen.score.game_number, now), seen)


def _bind(state: CubeActs, step: SeenStep, promise: Promise, seen: Seen) -> CubeActs:
    """A player who is bound and has not acted since has to act accordingly."""
    has_acted = any(
        isinstance(since.event.payload, dice.Rolled | cube.CubeAct)
        and since.event.payload.seat is promise.seat
        for since in seen.steps_since(step.event.entry_id)
    )
    if has_acted or step.before.score.game_number != promise.game_number:
        return state
    return promised(state, promise)


def _phase_ruled(state: CubeActs, number: int, now: Answer) -> CubeActs:
    if state.phase is not None:
        # A later game may have begun meanwhile, and whether the text binds was not asked again.
        phase = as_ruled_before(state.phase, now)
        answer = phase if state.answer is state.phase else state.answer
        state = replace(state, phase=phase, answer=answer)
    if now.outcome == CRAWFORD:
        return replace(state, match_point_game=number)
    if now.outcome == BEFORE and state.match_point_game == number:
        return replace(state, match_point_game=0)
    return state
