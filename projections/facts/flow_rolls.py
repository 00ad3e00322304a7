"""Rolls in the flow: opening, early and void ones, and whose turn it is after each."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, dice
from events.values import ONE, TWO, Seat
from projections.facts.flow_state import (
    Await,
    EarlyRoll,
    Flow,
    Result,
    about_end,
    by_the_cube,
    flow_before,
    in_words,
    lapsed,
    outside,
    passed,
    passed_over,
    promoted,
    unplayed,
)
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Seen, SeenStep, is_opening_in_play, opening_tie
from projections.folding.sayings import said
from projections.rules.subjects.dice import INVALID, validity
from projections.rules.subjects.premature import (
    ENDED,
    NOT_ENDED,
    PRESSED,
    TURN_END,
    TurnAct,
    clock_in_use,
)

_PLAY = Await.PLAY
"""By module name: asked for at nearly every event."""


def after_roll(state: Flow, event: RecordedEvent, rolled: dice.Rolled, seen: Seen) -> Result:
    """The flow after a roll: its player is on roll and has to play it."""
    seat = rolled.seat
    findings: tuple[Finding, ...] = NOTHING
    turns = state.turn_number + 1
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    if state.on_roll is not seat:
        state = passed_over(state, seat, seen)
    if state.is_ended:
        findings = about_end(state, event, seat, seen)
        state = passed(state, seat)
        turns = state.turn_number + 1
    if state.on_roll is not seat or state.dice is not None or state.resigning is not None:
        if state.on_roll is not seat or not _is_thrown_again(state, rolled, seen):
            findings += _about_roll(state, event, seat, seen)
        if state.on_roll is seat and state.dice is not None:
            turns = state.turn_number
    new = Flow(_PLAY, True, seat, seat, None, rolled.dice, turns, event.entry_id)
    early = state.early
    if early is not None and early.seat is not seat:
        # An early roll made before this one still waits for the end of the turn.
        new = replace(new, early=early)
    if seen.cube.offered_by is not None:
        # The doubler rolls before the answer, which is still to come, and the roll after it.
        new = by_the_cube(new, seen)
    return new, findings


def _about_roll(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> tuple[Finding, ...]:
    """Findings on a roll by a player who was not to roll."""
    findings = lapsed(state, event, seen)
    cite = seen.rules.cite("turn")
    if state.on_roll is not None and state.on_roll is not seat:
        message = said("{seat} rolls, and {other} is on roll", seat=seat, other=state.on_roll)
        if state.dice is not None:
            message = said(
                "{seat} rolls, and {other} is on roll, whose {dice} is not played",
                seat=seat,
                other=state.on_roll,
                dice=in_words(state.dice),
            )
        findings += (found("out-of-turn", event, message, cite=cite, seat=seat),)
    elif (tie := opening_tie(state, seen)) is not None:
        cite = seen.rules.cite("opening")
        message = said(
            "{seat} rolls, and after the tie {dice} both throw again", seat=seat, dice=tie
        )
        findings += (found("out-of-turn", event, message, cite=cite, seat=seat),)
    elif state.dice is not None:
        if is_opening_in_play(state, seen):
            # The player with the higher die plays both dice of the opening.
            cite = seen.rules.cite("opening")
        message = said(
            "{seat} rolls again, whose {dice} is not played", seat=seat, dice=in_words(state.dice)
        )
        findings += (found("roll-not-played", event, message, cite=cite, seat=seat),)
    return findings


def after_turn_end(
    state: Flow, event: RecordedEvent, ended: clock.ClockPressed | dice.TurnEnded, seen: Seen
) -> Result:
    """The flow after something was done to end a turn: after its play, or without one."""
    seat = ended.seat
    if state.turn_open is seat:
        return promoted(replace(state, turn_open=None)), NOTHING
    if state.on_roll is not seat or state.awaits not in (Await.PLAY, Await.ROLL):
        return state, NOTHING
    is_press = isinstance(ended, clock.ClockPressed)
    if is_press and seen.clock.turn_of is seat.other:
        # His own time is not running, so pressing changes nothing.
        return state, NOTHING
    act = PRESSED if isinstance(ended, clock.ClockPressed) else ended.method
    timed_by = clock_in_use(seen.clock.is_set, seen.clock.kind)
    facts = TurnAct(act, timed_by, seen.premature.dice_on_table, is_play_made=False)
    answer = seen.rules.ask(TURN_END, facts)
    if act is not None and answer.outcome == NOT_ENDED:
        return state, NOTHING
    state = replace(state, is_ended=True)
    if answer.outcome != ENDED or state.dice is None:
        return state, NOTHING
    return replace(state, is_end_found=True), unplayed(event, seat, state.dice, seen)


def about_player(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> tuple[Finding, ...]:
    """Findings on a play by a player whose turn it was not."""
    other = state.on_roll
    assert other is not None  # somebody was on roll
    cite = seen.rules.cite("turn")
    message = said("{seat} plays, and {other} is on roll", seat=seat, other=other)
    if state.dice is not None:
        faces = in_words(state.dice)
        message = said(
            "{seat} plays, and {other} is on roll, whose {dice} is not played",
            seat=seat,
            other=other,
            dice=faces,
        )
        if is_opening_in_play(state, seen):
            cite = seen.rules.cite("opening")
            message = said(
                "{seat} plays the opening roll {dice}, and {other} threw the higher die",
                seat=seat,
                other=other,
                dice=faces,
            )
    return (found("out-of-turn", event, message, cite=cite, seat=seat),)


def about_void_roll(
    state: Flow, event: RecordedEvent, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """Findings on the play of an early roll that is void, whatever the answer to it was."""
    roll = state.roll_entry if state.dice is not None else state.early_entry
    if roll is None or roll != seen.premature.void_roll:
        return NOTHING
    message = said("{seat} plays an early roll that is void", seat=seat)
    cite = seen.rules.cite("premature.roll")
    return (found("void-roll-played", event, message, cite=cite, seat=seat),)


def after_opening(
    state: Flow, event: RecordedEvent, rolled: dice.OpeningRolled, seen: Seen
) -> Result:
    """The flow after an opening roll: the higher die begins, a tie is rolled again."""
    one, two = rolled.one, rolled.two
    if not state.in_game:
        return state, (outside(event, None, seen),)
    findings = lapsed(state, event, seen)
    if state.turn_number and not _is_to_be_thrown_again(state, seen):
        message = said(
            "an opening roll {dice} is recorded, and the game has begun already",
            dice=in_words((one, two)),
        )
        findings += (found("opening-again", event, message, cite=seen.rules.cite("opening")),)
    if one == two:
        # A tie is nobody's roll; it is kept as the last throw, in case somebody plays it.
        tie = Flow(awaits=Await.OPENING, in_game=True, roll_entry=event.entry_id)
        return tie, findings
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
            "a throw is called void that this match does not hold: entry {entry}", entry=target
        )
        return state, (found("reference-unknown", event, message, cite=cite),)
    is_in_play = target in (state.early_entry, state.roll_entry)
    if not is_in_play and seen.positions.rewound_at != event.version:
        if _is_taken_back(state, step, seen):
            return state, NOTHING
        message = said(
            "a throw is voided that was played on; the board stays until it is put right"
        )
        return state, (found("void-throw-played", event, message, cite=cite),)
    return without_throw(state, step, seen), NOTHING


def without_throw(state: Flow, step: SeenStep, seen: Seen) -> Flow:
    """The flow without a throw that does not count: it is made again."""
    thrown = step.event.payload
    if state.early_entry == step.event.entry_id:
        return replace(state, early=None)
    if isinstance(thrown, dice.Voided):
        # It was called void, and a ruling let it count for a while.
        was = step.after.flow
        assert isinstance(was, Flow)
        return was
    if isinstance(thrown, dice.OpeningRolled):
        opening = Flow(awaits=Await.OPENING, in_game=state.in_game)
        return _resigning_still(by_the_cube(opening, seen), state)
    assert isinstance(thrown, dice.Rolled | dice.RolledEarly)
    seat = thrown.seat
    if isinstance(thrown, dice.Rolled) and step.before.flow.on_roll is not None:
        seat = step.before.flow.on_roll
    turns = max(0, state.turn_number - 1)
    # An early roll of the opponent still waits for the end of this turn.
    early = None if state.early is None or state.early.seat is seat else state.early
    new = Flow(Await.ROLL, state.in_game, seat, seat, turn_number=turns, early=early)
    return _resigning_still(by_the_cube(new, seen), state)


def _resigning_still(state: Flow, was: Flow) -> Flow:
    """The flow with a resignation that still waits for its answer after a change of the roll."""
    if was.resigning is None:
        return state
    asked = replace(state, resigning=was.resigning, resign_level=was.resign_level)
    return replace(asked, awaits=was.awaits, to_act=was.to_act)


def _is_taken_back(state: Flow, step: SeenStep, seen: Seen) -> bool:
    """Whether a ruling has already taken a throw back, with no throw since."""
    is_early = isinstance(step.event.payload, dice.RolledEarly)
    turns = state.turn_number + (not is_early)
    return (
        seen.throws.is_ruled_out(step.event.entry_id)
        and (state.dice, state.early) == (None, None)
        and (step.after.score.game_number, step.after.flow.turn_number)
        == (seen.score.game_number, turns)
    )


def after_all(state: Flow, event: RecordedEvent, called: SeenStep, seen: Seen) -> Result:
    """The flow once a throw that was called void is ruled to count: it is the roll in play.

    Or once a ruling that had taken it out of play is followed by another one.
    """
    voided = called.event.payload
    if not isinstance(voided, dice.Voided):
        return flow_before(called), NOTHING
    if voided.target is not None:
        return _as_thrown(state, flow_before(called), voided.target, seen), NOTHING
    first, second = voided.dice or (None, None)
    if first is None or second is None:
        # Its dice were not recorded: somebody who knows has to enter the roll.
        return state, NOTHING
    new, findings = state, NOTHING
    if state.awaits_opening:
        opening = dice.OpeningRolled(one=first, two=second)
        new, findings = after_opening(state, event, opening, seen)
    elif state.on_roll is not None:
        seat = voided.seat or state.on_roll
        if state.may_roll(seat) and state.answering is None and state.resigning is None:
            rolled = dice.Rolled(seat=seat, dice=(first, second))
            new, findings = after_roll(state, event, rolled, seen)
    return (state if new is state else replace(new, roll_entry=called.event.entry_id)), findings


def _as_thrown(state: Flow, was: Flow, target: str, seen: Seen) -> Flow:
    """The flow before a roll was called void, or, if it had been played, as it was thrown."""
    if was == state or target in (was.roll_entry, was.early_entry):
        return was
    step = seen.step_of(target)
    if step is None or not isinstance(step.event.payload, dice.Rolled | dice.OpeningRolled):
        return state
    new = step.after.flow
    assert isinstance(new, Flow)
    return new


def _is_thrown_again(state: Flow, rolled: dice.Rolled, seen: Seen) -> bool:
    """Whether the roll in play does not count, or is only entered again."""
    if state.dice is None or state.resigning is not None:
        return False
    if _is_to_be_thrown_again(state, seen):
        return True
    if state.roll_entry is not None and state.roll_entry == seen.premature.void_roll:
        # An early roll that is void, whatever the answer to it was.
        return True
    return state.dice == rolled.dice and _was_called_void(state, seen)


def _is_to_be_thrown_again(state: Flow, seen: Seen) -> bool:
    """Whether the roll in play does not count by the text, though nobody called it void."""
    answer = seen.throws.answer
    if state.dice is None or answer is None or seen.throws.at != state.roll_entry:
        return False
    # If one die does not count, only what is thrown again may be in question.
    return validity(answer) == INVALID or (answer.is_open and "cause" in answer.details)


def _was_called_void(state: Flow, seen: Seen) -> bool:
    """Whether the roll in play was called void, and counts by a ruling."""
    entry = state.roll_entry
    step = None if entry is None else seen.step_of(entry)
    if entry is None or step is None:
        return False
    payloads = (one.event.payload for one in (step, *seen.steps_since(entry)))
    calls = [one for one in payloads if isinstance(one, dice.Voided)]
    return isinstance(step.event.payload, dice.Voided) or any(one.target == entry for one in calls)


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
    if answered.seat is early.seat and seen.premature.is_answered_by_other:
        # The choice was the opponent's, about which there is a finding.
        return state, NOTHING
    if answered.answer is dice.EarlyRollAnswer.REDONE:
        return replace(state, early=None), NOTHING
    if answered.answer is dice.EarlyRollAnswer.STANDS:
        return promoted(replace(state, early=replace(early, stands=True))), NOTHING
    return state, NOTHING


def after_early_ruling(state: Flow, roll: str, seen: Seen, *, stands: bool) -> Flow:
    """The flow once a person has ruled whether an early roll stands, or is thrown again."""
    early = state.early if state.early_entry == roll else None
    if early is not None and stands:
        return promoted(replace(state, early=replace(early, stands=True)))
    step = seen.step_of(roll)
    is_waiting = early is not None or state.dice is not None
    return state if stands or step is None or not is_waiting else without_throw(state, step, seen)


def _late_answer(event: RecordedEvent, target: str | None, seen: Seen) -> tuple[Finding, ...]:
    """An answer to an early roll already played or thrown again; only a ruling acts on it."""
    cite = seen.rules.cite("turn")
    if target is None:
        if seen.premature.is_unanswered_in(seen.score.game_number):
            return NOTHING
        message = said("an early roll is answered, and none is recorded")
        if seen.premature.is_answered_in(seen.score.game_number):
            message = said("an early roll is answered that was answered before")
        return (found("answer-without-offer", event, message, cite=cite),)
    step = seen.step_of(target)
    if step is not None and isinstance(step.event.payload, dice.RolledEarly):
        return NOTHING
    message = said(
        "an early roll is answered that this match does not hold: entry {entry}", entry=target
    )
    return (found("reference-unknown", event, message, cite=cite),)
