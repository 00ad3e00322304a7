"""Rolls in the flow: opening, early and void ones, and whose turn each of them makes it."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dice
from events.values import ONE, TWO, Seat
from projections.facts.flow_state import (
    Await,
    EarlyRoll,
    Flow,
    Result,
    by_the_cube,
    lapsed,
    outside,
    promoted,
)
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import said

_PLAY = Await.PLAY
"""By module name: asked for at nearly every event."""


def after_roll(state: Flow, event: RecordedEvent, rolled: dice.Rolled, seen: Seen) -> Result:
    """The flow after a roll: whoever rolled is on roll, and has it to play."""
    seat = rolled.seat
    findings = NOTHING
    turns = state.turn_number + 1
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    if state.on_roll is not seat or state.dice is not None or state.resigning is not None:
        findings = _about_roll(state, event, seat, seen)
        if state.on_roll is seat and state.dice is not None:
            turns = state.turn_number
    new = Flow(_PLAY, True, seat, seat, None, rolled.dice, turns, event.entry_id)
    return new, findings


def _about_roll(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> tuple[Finding, ...]:
    """What is to be said about a roll by a player who had none to make."""
    findings = lapsed(state, event, seen)
    cite = seen.rules.cite("turn")
    if state.on_roll is not None and state.on_roll is not seat:
        message = said("{seat} rolls, and {other} is on roll", seat=seat, other=state.on_roll)
        if state.dice is not None:
            message = said(
                "{seat} rolls, and {other} is on roll, whose {dice} is not played",
                seat=seat,
                other=state.on_roll,
                dice=_in_words(state.dice),
            )
        findings += (found("out-of-turn", event, message, cite=cite, seat=seat),)
    elif state.dice is not None:
        message = said(
            "{seat} rolls again, whose {dice} is not played", seat=seat, dice=_in_words(state.dice)
        )
        findings += (found("roll-not-played", event, message, cite=cite, seat=seat),)
    return findings


def _in_words(faces: tuple[int, int]) -> str:
    return f"{faces[0]}{faces[1]}"


def after_opening(
    state: Flow, event: RecordedEvent, rolled: dice.OpeningRolled, seen: Seen
) -> Result:
    """The flow after an opening roll: the higher die begins, a tie is rolled again."""
    one, two = rolled.one, rolled.two
    if not state.in_game:
        return state, (outside(event, None, seen),)
    findings = lapsed(state, event, seen)
    if state.turn_number:
        message = said("an opening roll {dice}, and the game has begun", dice=_in_words((one, two)))
        findings += (found("opening-again", event, message, cite=seen.rules.cite("dice")),)
    if one == two:
        return Flow(awaits=Await.OPENING, in_game=True), findings
    seat = ONE if one > two else TWO
    new = Flow(Await.PLAY, True, seat, seat, None, (one, two), 1, event.entry_id)
    return new, findings


def after_voided_throw(
    state: Flow, event: RecordedEvent, voided: dice.Voided, seen: Seen
) -> Result:
    """A throw void at once changes nothing; the roll in play, voided later, is thrown again."""
    target = voided.target
    if target is None:
        return state, NOTHING
    step = seen.step_of(target)
    cite = seen.rules.cite("dice")
    if step is None or not isinstance(
        step.event.payload, dice.Rolled | dice.OpeningRolled | dice.RolledEarly
    ):
        message = said(
            "dice.voided names entry {entry}, and no throw of this match has that id", entry=target
        )
        return state, (found("reference-unknown", event, message, cite=cite),)
    if state.early_entry == target:
        return replace(state, early=None), NOTHING
    if state.roll_entry != target and seen.positions.rewound_at != event.version:
        message = said(
            "a throw is voided that was played on; the board stays until it is put right"
        )
        return state, (found("void-throw-played", event, message, cite=cite),)
    if isinstance(step.event.payload, dice.OpeningRolled):
        return Flow(awaits=Await.OPENING, in_game=state.in_game), NOTHING
    seat = step.event.payload.seat
    if isinstance(step.event.payload, dice.Rolled) and step.before.flow.on_roll is not None:
        seat = step.before.flow.on_roll
    turns = max(0, state.turn_number - 1)
    return by_the_cube(Flow(Await.ROLL, state.in_game, seat, seat, turn_number=turns), seen), (
        NOTHING
    )


def after_early_roll(
    state: Flow, event: RecordedEvent, rolled: dice.RolledEarly, seen: Seen
) -> Result:
    """The flow with an early roll that waits for its answer."""
    if not state.in_game:
        return state, (outside(event, rolled.seat, seen),)
    return replace(state, early=EarlyRoll(rolled.seat, rolled.dice, event.entry_id)), NOTHING


def after_early_answer(
    state: Flow, event: RecordedEvent, answered: dice.EarlyRollAnswered, seen: Seen
) -> Result:
    """The flow after an answer to an early roll: it stands, or is thrown again."""
    early, target = state.early, answered.target
    if early is None or target not in (None, early.entry_id):
        return state, _late_answer(event, target, seen)
    if answered.answer is dice.EarlyRollAnswer.REDONE:
        return replace(state, early=None), NOTHING
    if answered.answer is dice.EarlyRollAnswer.STANDS:
        return promoted(replace(state, early=replace(early, stands=True))), NOTHING
    return state, NOTHING


def _late_answer(event: RecordedEvent, target: str | None, seen: Seen) -> tuple[Finding, ...]:
    """An answer to an early roll that was played or thrown again; what it does is for a ruling."""
    cite = seen.rules.cite("turn")
    if target is None:
        if seen.premature.is_unanswered:
            return NOTHING
        message = said("an early roll is answered, and none is recorded")
        return (found("answer-without-offer", event, message, cite=cite),)
    step = seen.step_of(target)
    if step is not None and isinstance(step.event.payload, dice.RolledEarly):
        return NOTHING
    message = said(
        "dice.early_roll_answered names entry {entry}, and no early roll has that id", entry=target
    )
    return (found("reference-unknown", event, message, cite=cite),)
