"""Offers in the flow: doubles and resignations, who answers, and how the game goes on."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, ending
from events.values import Seat
from projections.facts.flow_state import (
    Await,
    Flow,
    Result,
    about_end,
    between,
    by_the_cube,
    flow_before,
    is_before_opening,
    lapsed,
    outside,
    passed,
    passed_over,
    turn_goes_on,
)
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Seen, cube_act, is_same_turn
from projections.folding.sayings import said


def after_double(
    state: Flow, event: RecordedEvent, double: cube.DoubleOffered, seen: Seen
) -> Result:
    """The flow after a double: the opponent has to answer, unless it is void."""
    seat = double.seat
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    if seen.cube.void_at == event.version:
        return replace(state, void_double=seat), NOTHING
    state = passed_over(state, seat, seen)
    findings = about_end(state, event, seat, seen) + lapsed(state, event, seen)
    state = passed(state, seat)
    # With the other's roll in play, that turn goes on after the answer; before the opening roll
    # it is nobody's turn, and that roll is still to come.
    is_others = state.dice is not None and state.on_roll is not None
    on_roll = state.on_roll if is_others or is_before_opening(state) else seat
    new = replace(
        state,
        awaits=Await.ANSWER,
        on_roll=on_roll,
        to_act=seat.other,
        turn_open=None,
        answering=seat.other,
        resigning=None,
        resign_level=None,
        void_double=None,
    )
    return new, findings


def after_answer(
    state: Flow,
    event: RecordedEvent,
    answer: cube.DoubleTaken | cube.DoubleDropped | cube.CubeBeavered,
    seen: Seen,
) -> Result:
    """After a take, a drop or a beaver; without an open offer nothing changes."""
    seat = answer.seat
    if seen.score.ended_at == event.version:
        return between(seen), lapsed(state, event, seen)
    if state.void_double is seat.other and state.answering is not seat:
        return replace(state, void_double=None), NOTHING
    new = by_the_cube(state, seen)
    if new is state or state.resigning is None:
        return new, NOTHING
    return replace(new, resigning=None, resign_level=None), lapsed(state, event, seen)


def after_voided_act(
    state: Flow, event: RecordedEvent, voided: cube.CubeActionVoided, seen: Seen
) -> Result:
    """A cube act is declared void: after a void double its player is on roll again."""
    if state.void_double is not None:
        state = replace(state, void_double=None)
    step = cube_act(seen, voided.target)
    if step is not None:
        was = flow_before(step)
        if seen.score.reopened_at == event.version:
            return was, NOTHING
        if is_same_turn(step.before, seen) and state.resigning is None:
            return by_the_cube(replace(was, early=state.early), seen), NOTHING
    return by_the_cube(state, seen), NOTHING


def after_resignation(
    state: Flow, event: RecordedEvent, offered: ending.ResignationOffered, seen: Seen
) -> Result:
    """The flow after an offer to resign, which the opponent has to answer."""
    seat = offered.seat
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    new = replace(
        state,
        awaits=Await.RESIGNATION,
        to_act=seat.other,
        resigning=seat,
        resign_level=offered.level,
    )
    return new, NOTHING


def after_acceptance(
    state: Flow, event: RecordedEvent, accepted: ending.ResignationAccepted, seen: Seen
) -> Result:
    """The flow after a resignation was accepted; the game is over if its level is known."""
    seat = accepted.seat
    if seen.score.ended_at == event.version:
        return between(seen), NOTHING
    if state.resigning is None or state.resigning is seat:
        return state, (_no_offer(event, seat, seen),)
    if seen.score.kept_at == event.version:
        return without_resignation(state), NOTHING
    # The source does not state the level: the claim that follows ends the game.
    return replace(state, awaits=Await.CLAIM, to_act=None, answering=None), NOTHING


def after_refusal(
    state: Flow, event: RecordedEvent, refused: ending.ResignationRefused, seen: Seen
) -> Result:
    """The flow after a resignation was refused: the game goes on."""
    seat = refused.seat
    if state.resigning is None or state.resigning is seat:
        return state, (_no_offer(event, seat, seen),)
    return without_resignation(state), NOTHING


def without_resignation(state: Flow) -> Flow:
    """The game continues from where a resignation was offered."""
    new = replace(state, resigning=None, resign_level=None)
    if state.answering is not None:
        return replace(new, awaits=Await.ANSWER, to_act=state.answering)
    return turn_goes_on(new)


def _no_offer(event: RecordedEvent, seat: Seat, seen: Seen) -> Finding:
    message = said(
        "{seat} answers a resignation, and none waits for that player's answer", seat=seat
    )
    cite = seen.rules.cite("ending")
    return found("answer-without-offer", event, message, cite=cite, seat=seat)
