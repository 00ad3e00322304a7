"""What a ruling changes at its own event: throws, cube acts and games.

A ruling changes the record only if nothing else has followed what it is about: a cube act is taken
back in its own turn, a game ended by a resignation goes on, a game that was refused or claimed is
given. After that, `ruling.carried_out` says what becomes of board, cube and score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute, ending, play
from events.payloads.base import Actor, WinKind
from events.values import Seat
from projections.folding.fold import (
    Seen,
    SeenState,
    SeenStep,
    cube_act,
    is_just_dropped,
    is_same_turn,
)
from projections.folding.questions import key_of
from projections.folding.ruled_anew import state_found
from projections.folding.seen_judged import SeenBeaver
from projections.rules.subjects.cube_found import FROM_WHERE
from projections.rules.subjects.cube_words import FIRST_LEGAL, NOT_ALLOWED, UNDONE, VOID
from projections.rules.subjects.dice import INVALID, VALID, validity
from projections.rules.subjects.endings import ENDS_GAME, KEEPS_GAME, PLAY_ON
from projections.rules.subjects.match_length import OUTCOME, STOPPING
from projections.rules.subjects.premature import REDONE, ROLL_STANDS
from projections.rules.subjects.windows import DOUBLE_VOID

EARLY_CUBE = "cube.early-act"
"""Topic: what becomes of a cube act before the turn was over."""

_TAKEN_BACK: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        # A double that binds only at the first legal opportunity does not count now.
        "cube.double": frozenset({VOID, NOT_ALLOWED, FIRST_LEGAL}),
        EARLY_CUBE: frozenset({VOID, FIRST_LEGAL}),
        "cube.answered-double": frozenset({UNDONE}),
        "cube.beaver": frozenset({NOT_ALLOWED}),
        "cube.answered-beaver": frozenset({UNDONE}),
        "cube.sign-take": frozenset({UNDONE}),
        "cube.sign-drop": frozenset({UNDONE}),
        "game.dropped": frozenset({PLAY_ON}),
        "window.double": frozenset({DOUBLE_VOID}),
    }
)
"""Topic to the readings that undo the act that was asked about."""

_ENDINGS = frozenset({"resignation.validity", "claim.validity", "game.over"})

_MOVED = (
    cube.DoubleOffered,
    cube.CubeActionVoided,
    cube.CubeStated,
    play.PositionStated,
    dispute.RulingCarriedOut,
)
"""Payloads that change the cube, so that an earlier act is no longer the last one."""


_DECIDE = (Actor.DIRECTOR, Actor.COMMITTEE, Actor.OFFICIAL, Actor.BOTH)
"""Who may declare a cube act void: officials, and both players together."""


def is_declared(event: RecordedEvent, void: cube.CubeActionVoided) -> bool:
    """Whether a cube act is declared void with authority, and not by one player alone."""
    return event.basis.settles or void.found_by in _DECIDE


class Given(NamedTuple):
    """A game that a ruling gives to a seat."""

    winner: Seat
    """To whom."""
    level: WinKind | None
    """At which level; None = as the board has it."""


def act_taken_back(made: dispute.RulingMade, seen: Seen) -> SeenStep | None:
    """The cube act that a ruling takes back, if nothing but its answer has followed it."""
    for topic, at, reading in _readings(made, seen):
        if topic == "cube.answer":
            target = _answer_against(reading, at, seen)
        elif reading not in _TAKEN_BACK.get(topic, ()):
            continue
        else:
            target = _TARGETS[topic](at, seen) if topic in _TARGETS else at
        step = None if target is None else cube_act(seen, target)
        if step is not None and _is_last_act(step, made, seen):
            return step
    return None


def _readings(made: dispute.RulingMade, seen: Seen) -> Iterator[tuple[str, str, str]]:
    """Every question that was asked and is answered now: topic, entry, reading."""
    for answer in made.answers:
        if was_asked(answer, seen):
            yield answer.question.topic, answer.question.at, answer.reading


def was_asked(answer: dispute.Answer, seen: Seen) -> bool:
    """Whether a ruling answers a question of the cube or of an ending that is kept."""
    key = key_of(answer.question)
    topic, at, _ = key
    if topic == "window.double":
        return seen.windows.double_asked_at(at) is not None
    if topic == EARLY_CUBE:
        return seen.premature.is_cube_act_asked_at(at)
    return key in seen.cube_acts.asked or key in seen.endings.asked


def _answer_against(reading: str, at: str, seen: Seen) -> str | None:
    """The recorded answer to a double that a ruling on that answer contradicts."""
    double, answered = seen.cube_acts.last, _ANSWERED.get(reading)
    if double is None or answered is None or double.answered in (None, answered):
        return None
    is_about_it = any(step.event.entry_id == at for step in seen.steps_since(double.entry_id))
    return double.answer_entry if is_about_it else None


_ANSWERED = {"taken": "take", "dropped": "drop"}


def _double_of(answer_entry: str, seen: Seen) -> str | None:
    """The entry of the double that an entry answered, if it is the last one."""
    double = seen.cube_acts.last
    if double is None or double.answer_entry != answer_entry:
        return None
    return double.entry_id


def early_double(at: str, seen: Seen) -> str | None:
    """The double that was early, asked about at its own entry or where the turn before it ended."""
    step, double = seen.step_of(at), seen.cube_acts.last
    if step is None or double is None or isinstance(step.event.payload, cube.CubeGestured):
        return None
    is_at_end = any(later.event.entry_id == at for later in seen.steps_since(double.entry_id))
    return double.entry_id if at == double.entry_id or is_at_end else None


def called_about(step: SeenStep) -> str | None:
    """The entry that was noticed: a call for the Director names it, or none; a voiding does."""
    payload = step.event.payload
    if isinstance(payload, cube.CubeActionVoided):
        return payload.target
    assert isinstance(payload, dispute.DirectorCalled)
    return payload.about


def beaver_of(at: str, seen: Seen) -> SeenBeaver | None:
    """The beaver that was answered at an entry."""
    step = seen.step_of(at)
    match None if step is None else step.event.payload:
        case cube.DoubleDropped() | cube.DoubleTaken() if step is not None:
            return step.after.judged.cube_acts.beaver_raised(at)
        case _:
            return None


def _beaver_entry(at: str, seen: Seen) -> str | None:
    beaver = beaver_of(at, seen)
    return None if beaver is None else beaver.entry_id


_TARGETS: Mapping[str, Callable[[str, Seen], str | None]] = MappingProxyType(
    {
        EARLY_CUBE: early_double,
        "cube.answered-double": _double_of,
        "cube.answered-beaver": _beaver_entry,
        "window.double": lambda at, seen: seen.windows.double_asked_at(at),
    }
)
"""Topics that are asked at another entry than the act's own, to how it is found."""


def _is_last_act(step: SeenStep, made: dispute.RulingMade, seen: Seen) -> bool:
    since = seen.steps_since(step.event.entry_id)
    if any(isinstance(other.event.payload, _MOVED) for other in since):
        return False
    now = _now(step, made, seen)
    return is_same_turn(step.before, now) or is_just_dropped(step.before, now)


def _now(step: SeenStep, made: dispute.RulingMade, seen: Seen) -> SeenState:
    """Every fold's state that the ruling applies to, whether or not the fold has run already."""
    since = seen.steps_since(step.event.entry_id)
    return state_found(made, seen, since[-1].after if since else step.after)


def early_roll_ruled(made: dispute.RulingMade, seen: Seen) -> tuple[str, bool] | None:
    """The early roll that a ruling is about, and whether it stands; None = it says neither."""
    for answer in made.answers:
        stands = _EARLY_ROLL_STANDS.get(answer.reading)
        if answer.question.topic == "dice.early-roll" and stands is not None:
            early = seen.premature.early_roll_asked_at(answer.question.at)
            if early is not None:
                return early, stands
    return None


_EARLY_ROLL_STANDS = {ROLL_STANDS: True, REDONE: False, VOID: False}


def stops_game(made: dispute.RulingMade, seen: Seen) -> str | None:
    """The reading that stops a game in progress, or has it played again from its start.

    That is a game in which a wrong length was found, or a double that should not have been made.
    """
    for one in made.answers:
        step = seen.step_of(one.question.at)
        if step is None or one.reading not in _STOPPING.get(one.question.topic, ()):
            continue
        length, now = step.after.judged.match_length.answer, _now(step, made, seen)
        is_asked = length is not None and one.reading in length.readings
        is_in_it = step.after.flow.in_game and now.flow.in_game
        is_of_it = step.after.score.game_number == now.score.game_number
        if is_in_it and is_of_it and (is_asked or was_asked(one, seen)):
            return one.reading
    return None


_STOPPING = {OUTCOME: STOPPING, "cube.found-resume": FROM_WHERE[:1]}
"""Topic to the readings that stop the game in progress."""


def throw_counted(made: dispute.RulingMade, seen: Seen) -> SeenStep | None:
    """The step that voided a throw which a ruling lets count, if nothing has followed it."""
    for throw in _ruled_throws(made, seen, VALID):
        steps = [step for step in (seen.step_of(throw),) if step is not None]
        steps += seen.steps_since(throw)
        called = [step for step in steps if _calls_void(step, throw)]
        if called and called[-1].after.flow == _now(called[-1], made, seen).flow:
            return called[-1]
    return None


def throw_ruled_out(made: dispute.RulingMade, seen: Seen) -> str | None:
    """The throw that a ruling does not let count, or that came instead of a double that was due."""
    not_doubled = (
        _roll_of(at, seen)
        for topic, at, reading in _readings(made, seen)
        if (topic, reading) == ("cube.sign-roll", UNDONE)
    )
    return next(chain(_ruled_throws(made, seen, INVALID), not_doubled), None)


def _roll_of(at: str, seen: Seen) -> str:
    """The roll that came instead of a double: where it was let stand, or ruled so, an earlier one.

    An early roll that stands, or a throw that one side had called void.
    """
    step = seen.step_of(at)
    if step is None or isinstance(step.event.payload, dice.Rolled):
        return at
    flow = step.after.flow
    return flow.early_entry or flow.roll_entry or at


def _ruled_throws(made: dispute.RulingMade, seen: Seen, outcome: str) -> Iterator[str]:
    """The throws that a ruling lets count, or does not; none of which the text says it itself."""
    for answer in made.answers:
        throw = seen.throws.ruled_on(key_of(answer.question))
        now = None if throw is None else throw.answer.ruled(answer.reading, 0)
        if throw and now and now is not throw.answer and validity(now) == outcome:
            yield throw.entry_id


def _calls_void(step: SeenStep, throw: str) -> bool:
    """Whether a step calls a throw void, at once or later by its entry, or rules it out of play."""
    payload = step.event.payload
    if isinstance(payload, dispute.RulingMade):
        was, flow = step.before.flow, step.after.flow
        is_out = throw not in (flow.roll_entry, flow.early_entry)
        return is_out and throw in (was.roll_entry, was.early_entry)
    return isinstance(payload, dice.Voided) and throw in (payload.target, step.event.entry_id)


def game_given(made: dispute.RulingMade, seen: Seen) -> Given | None:
    """The game in progress that a ruling ends in the turn of the resignation or claim."""
    for topic, at, reading in _readings(made, seen):
        if topic not in _ENDINGS or reading not in ENDS_GAME:
            continue
        step = _ending(at, seen)
        if step is None or not is_same_turn(step.before, _now(step, made, seen)):
            continue
        match step.event.payload:
            case ending.ResignationRefused():
                flow = step.before.flow
                if flow.resigning is not None and flow.resign_level is not None:
                    return Given(flow.resigning.other, flow.resign_level)
            case ending.ClaimMade(seat=Seat() as seat, level=level):
                single = None if topic == "game.over" else WinKind.SINGLE
                return Given(seat, level or single)
            case _:
                continue
    return None


def resignation_undone(made: dispute.RulingMade, seen: Seen) -> SeenStep | None:
    """The entry that gave a game away and, as ruled, does not end it, if nothing followed it."""
    for topic, at, reading in _readings(made, seen):
        if topic not in _ENDINGS or reading not in KEEPS_GAME:
            continue
        for step in (seen.step_of(at), _ending(at, seen)):
            if step is None or not isinstance(step.event.payload, _GIVEN_AWAY):
                continue
            now = _now(step, made, seen)
            games = now.score.games
            if not now.flow.in_game and games and games[-1].version == step.event.version:
                return step
    return None


_GIVEN_AWAY = (ending.ResignationAccepted, ending.ClaimMade, ending.ClaimRuled)


def _ending(at: str, seen: Seen) -> SeenStep | None:
    """The resignation's answer or the claim that a question is about, asked at it or later."""
    step = seen.step_of(at)
    if step is None:
        return None
    match step.event.payload:
        case dispute.DirectorCalled() | dispute.DisputeRaised():
            unasked = step.before.judged.endings.unasked
            return None if unasked is None else seen.step_of(unasked.entries[-1])
        case ending.ClaimRuled(target=target):
            return seen.step_of(target)
        case _:
            return step
