"""Premature actions: early rolls, lifts and cube acts; what ended a turn; who may still change.

The flow takes the record at its word; this fold says what the rule set makes of it. What ends a
turn is asked once for each kind of act, however often it is done. A cube act by the player on roll
ends the turn before it (design §8.3): what would hold if that turn was not over is kept, and found
only where what the record shows at the end of that turn did not end it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, equipment, play
from events.payloads.base import Payload
from events.payloads.clock import ClockKind
from events.values import ONE, BySeat, Seat
from projections.board.legal import legal_positions
from projections.board.position import Position
from projections.findings import Finding, Severity, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules import premature as asked
from projections.rules.answers import SILENT, Answer
from projections.rules.premature import (
    ACTS,
    EarlyCube,
    EarlyLift,
    EarlyRoll,
    PlayChange,
    TurnAct,
)
from projections.rules.profile import Rules

Result = tuple["Premature", tuple[Finding, ...]]

Turn = tuple[int, int, Seat]
"""Number of the game, number of the turn in it, whose turn."""

_NONE: BySeat[int] = BySeat(0, 0)


class Early(msgspec.Struct, frozen=True, gc=False):
    """The latest early roll."""

    entry_id: str
    """The `dice.rolled_early`."""
    roller: Seat
    """Who threw."""
    turn: Turn
    """The turn that was not over."""
    facts: EarlyRoll
    """What the rule set is asked about."""
    answer: Answer
    """What it says."""


class Premature(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    early: Early | None = None
    """The latest early roll."""
    passed_over: BySeat[int] = _NONE
    """Early rolls of each seat on which the other made no comment."""
    warned: BySeat[int] = _NONE
    """Early rolls of each seat on which the other only gave a warning."""
    turn: Turn | None = None
    """The turn in which something was last done to end it, or to change its play."""
    acts: tuple[TurnAct, ...] = ()
    """What was done in that turn to end it."""
    end: Answer | None = None
    """Whether any of it ended the turn."""
    change: Answer | None = None
    """Whether the play of that turn may be changed."""
    if_early: Answer | None = None
    """What holds for the last cube act if the turn before it was not over."""
    idle_end: Answer | None = None
    """Whether a turn is over in which nothing was done to end it."""
    idle_change: Answer | None = None
    """Whether the play of such a turn may be changed."""
    dice_on_table: int | None = None
    """How many dice are in play; None = not recorded."""
    found: frozenset[TurnAct] = frozenset()
    """Kinds of act about which it was said already that they do not end a turn, or may not."""


def evolve(state: Premature, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
        case clock.ClockPressed(seat=seat):
            return _acted(state, event, seat, asked.PRESSED, seen)
        case dice.TurnEnded(seat=seat, method=method):
            return _acted(state, event, seat, method, seen)
        case dice.Repositioned(seat=seat, act=act) as moved:
            is_before = moved.announced_when == "before"
            announced = moved.announced if is_before else None
            return _acted(state, event, seat, act, seen, announced)
        case cube.DoubleOffered(seat=seat):
            return _cube_act(state, event, seat, "double", seen)
        case cube.CubeIntentStated(seat=seat, intent=cube.Intent.DOUBLE):
            return _cube_act(state, event, seat, "words", seen)
        case cube.CubeGestured(seat=seat, kind=kind) as gesture:
            is_announced = gesture.repositioning_announced is cube.Announced.BEFORE
            return _cube_act(state, event, seat, kind.value, seen, is_announced=is_announced)
        case dice.RolledEarly(seat=seat):
            return _rolled_early(state, event, seat, seen)
        case dice.EarlyRollAnswered(answer=answer, target=target):
            return _answered(state, event, answer, target, seen)
        case dice.Lifted(seat=seat):
            return _lifted(state, event, seat, seen)
        case play.PlayRevised(seat=seat):
            return _revised(state, event, seat, seen)
        case play.PlayIllegalityAnswered(answer=answer):
            return _corrected(state, answer, seen)
        case clock.ClockSet():
            return _with_idle(state, seen), NOTHING
        case equipment.EquipmentAgreed(item="dice", count=count) if count is not None:
            return _with_idle(replace(state, dice_on_table=count), seen), NOTHING
        case _:
            return state, NOTHING


# The turn, and what was done to end it.


def _with_idle(state: Premature, seen: Seen) -> Premature:
    """What holds while nothing is done, now that the clock or the dice are others."""
    nothing = TurnAct(None, _clock(seen), state.dice_on_table)
    end = seen.rules.ask(asked.TURN_END, nothing)
    change = seen.rules.ask(asked.CHANGE, PlayChange(clock=nothing.clock))
    return replace(state, idle_end=end, idle_change=change)


def _clock(seen: Seen) -> str | None:
    """Whether a clock is in use, and one that can run out."""
    if not seen.clock.is_set:
        return None
    return asked.NON_EXPIRING if seen.clock.kind is ClockKind.NON_EXPIRING else asked.RUNNING


def turn_of(seat: Seat, seen: Any) -> Turn:
    """The present turn of `seat`, or its last one where the next roll is on the board."""
    flow = seen.flow
    is_past = flow.dice is not None and flow.on_roll is not seat
    return seen.score.game_number, flow.turn_number - is_past, seat


def _has_played(seat: Seat, seen: Seen) -> bool:
    """Whether the last play is that seat's; its turn may go on."""
    is_playing = seen.flow.dice is not None and seen.flow.on_roll is seat
    return seen.positions.player is seat and not is_playing


def _acts_of(state: Premature, turn: Turn) -> tuple[TurnAct, ...]:
    return state.acts if state.turn == turn else ()


def _acted(
    state: Premature,
    event: RecordedEvent,
    seat: Seat,
    act: str | None,
    seen: Seen,
    announced: str | None = None,
) -> Result:
    """Something that may have ended the turn of `seat`."""
    flow = seen.flow
    if act not in ACTS or not flow.in_game or flow.answering is not None:
        return state, NOTHING
    is_played = _has_played(seat, seen)
    if not is_played and (flow.dice is None or flow.on_roll is not seat):
        return state, NOTHING
    facts = TurnAct(act, _clock(seen), state.dice_on_table, is_played, announced)
    turn = turn_of(seat, seen)
    acts = (*_acts_of(state, turn), facts)
    answer = seen.rules.ask(asked.TURN_END, facts)
    is_moved = isinstance(event.payload, dice.Repositioned)
    is_expected = answer.outcome == (asked.NOT_ENDED if is_moved else asked.ENDED)
    was_over = len(acts) > 1 and state.end is not None and state.end.outcome == asked.ENDED
    end = state.end if was_over else answer
    new = replace(state, answer=answer, turn=turn, acts=acts, end=end)
    new = replace(new, change=_may_change(new, turn, seen))
    if is_expected or _is_unasked(answer) or facts in state.found:
        return new, NOTHING
    message = f"{seat.value} at the end of a turn: {_in_words(act)}{_outcome(answer)}"
    finding = _found("turn-end", event, message, answer, "turn.end", seat, seen, is_note=True)
    return replace(new, found=state.found | {facts}), (finding,)


def _is_unasked(answer: Answer) -> bool:
    """Whether a text has no word on it: then nobody asks until something hangs on it."""
    return answer.reason == SILENT and not answer.readings


def _may_change(
    state: Premature,
    turn: Turn,
    seen: Seen,
    *,
    is_past: bool = False,
    is_agreed: bool = False,
    is_demanded: bool = False,
) -> Answer:
    acts = _acts_of(state, turn)
    early = state.early
    is_early = early is not None and early.turn == turn and len(early.facts.acts) == len(acts)
    change = PlayChange(acts, _clock(seen), is_early, is_past, is_agreed, is_demanded)
    return seen.rules.ask(asked.CHANGE, change)


def _revised(state: Premature, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A play is changed: found where it may not be, or where that is a question."""
    if not seen.flow.in_game:
        return state, NOTHING
    turn = turn_of(seat, seen)
    is_past = seen.flow.dice is not None and seen.flow.on_roll is not seat
    is_agreed = event.basis is Basis.AGREED
    answer = _may_change(state, turn, seen, is_past=is_past, is_agreed=is_agreed)
    acts = _acts_of(state, turn)
    new = replace(state, answer=answer, turn=turn, acts=acts, change=answer)
    if answer.outcome == asked.MAY_CHANGE or not (acts or is_past):
        # Nothing recorded says that the turn was over.
        return new, NOTHING
    message = f"{seat.value} plays otherwise after the turn{_outcome(answer)}"
    return new, (_found("play-changed", event, message, answer, "play.change", seat, seen),)


def _corrected(state: Premature, answer: play.IllegalityAnswer, seen: Seen) -> Result:
    """A legal play is demanded in the place of an illegal one; the windows find until when."""
    is_demanded = answer in (play.IllegalityAnswer.DEMANDED, play.IllegalityAnswer.MANDATORY)
    seat: Seat | None = seen.positions.player
    if not is_demanded or seat is None or not _has_played(seat, seen):
        return state, NOTHING
    turn = turn_of(seat, seen)
    change = _may_change(state, turn, seen, is_demanded=True)
    return replace(state, turn=turn, acts=_acts_of(state, turn), change=change), NOTHING


def turn_end(state: Premature, turn: Turn) -> Answer | None:
    """Whether what was done in `turn` ended it; acts that ended nothing included."""
    return state.end if state.turn == turn and state.acts else state.idle_end


def play_change(state: Premature, turn: Turn) -> Answer | None:
    """Whether the play of `turn` may still be changed."""
    return state.change if state.turn == turn else state.idle_change


# Early rolls, and dice lifted early.


def _rolled_early(state: Premature, event: RecordedEvent, roller: Seat, seen: Seen) -> Result:
    if not seen.flow.in_game:
        return state, NOTHING
    player = roller.other
    turn = turn_of(player, seen)
    has_choice, has_contact = _position(player, seen)
    facts = EarlyRoll(
        player,
        _acts_of(state, turn),
        # The dice fold ran before this one, on the same event.
        seen.throws.answer,
        seen.flow.answering is player,
        has_choice,
        has_contact,
        state.passed_over[roller],
        state.warned[roller],
    )
    answer = seen.rules.ask(asked.ROLL, facts)
    new = replace(
        state,
        answer=answer,
        early=Early(event.entry_id, roller, turn, facts, answer),
        turn=turn,
        acts=facts.acts,
        end=state.end if facts.acts else None,
    )
    new = replace(new, change=_may_change(new, turn, seen))
    return new, _about_roll(event, facts, answer, roller, seen)


def _position(player: Seat, seen: Seen) -> tuple[bool, bool]:
    """Whether the player had a choice of plays, and contact; what is unknown is taken as so."""
    positions = seen.positions
    board: Position | None = positions.board
    roll = seen.flow.dice_of(player)
    before = None if board is None or player is ONE else Position(board.other, board.own)
    if player is ONE:
        before = board
    if roll is None and positions.player is player:
        before, roll = positions.before_play, positions.dice
    has_choice = before is None or roll is None or len(legal_positions(before, roll)) > 1
    return has_choice, board is None or board.has_contact()


def _about_roll(
    event: RecordedEvent, facts: EarlyRoll, answer: Answer, roller: Seat, seen: Seen
) -> tuple[Finding, ...]:
    if answer is facts.throw:
        # A bad throw, early or not: the dice fold has found it.
        return NOTHING
    message = f"{roller.value} rolls before {facts.player.value} has ended his turn"
    if answer.outcome == asked.NOT_PREMATURE:
        message = f"{roller.value} is said to roll early"
    message += _outcome(answer)
    return (_found("early-roll", event, message, answer, "dice.early_roll", roller, seen),)


def _answered(
    state: Premature,
    event: RecordedEvent,
    said: dice.EarlyRollAnswer,
    target: str | None,
    seen: Seen,
) -> Result:
    early = state.early
    if early is None or target not in (None, early.entry_id):
        return state, NOTHING
    roller, before = early.roller, early.facts.answer
    is_choice = before in (asked.STANDS, asked.REDONE)
    facts = replace(
        early.facts,
        answer=said.value,
        is_late=_is_late(early, seen),
        is_changed=early.facts.is_changed or (is_choice and before != said.value),
    )
    answer = seen.rules.ask(asked.ROLL, facts)
    new = replace(state, answer=answer, early=replace(early, facts=facts, answer=answer))
    if before is None and said is dice.EarlyRollAnswer.NO_COMMENT:
        new = replace(new, passed_over=state.passed_over.update(roller, _one_more))
    elif before is None and said is dice.EarlyRollAnswer.ONLY_WARNED:
        new = replace(new, warned=state.warned.update(roller, _one_more))
    if answer == early.answer or answer.outcome == _SAID.get(said):
        return new, NOTHING
    return new, _about_roll(event, facts, answer, roller, seen)


_SAID = {
    dice.EarlyRollAnswer.STANDS: asked.ROLL_STANDS,
    dice.EarlyRollAnswer.REDONE: asked.REDONE,
}
"""The outcome of an answer that is as it was said."""


def _one_more(count: int) -> int:
    return count + 1


def _is_late(early: Early, seen: Seen) -> bool:
    """Whether the roller has played since."""
    game, number, _ = early.turn
    if seen.score.game_number != game or not seen.flow.in_game:
        return True
    return seen.flow.turn_number > number and seen.positions.player is early.roller


def _lifted(state: Premature, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    player = seat.other
    turn = turn_of(player, seen)
    flow = seen.flow
    is_in_turn = _has_played(player, seen) or (flow.dice is not None and flow.on_roll is player)
    if not flow.in_game or not is_in_turn:
        return state, NOTHING
    facts = EarlyLift(turn[1] == 1, _acts_of(state, turn))
    answer = seen.rules.ask(asked.LIFT, facts)
    new = replace(state, answer=answer)
    if answer.outcome == asked.NOT_PREMATURE:
        return new, NOTHING
    message = f"{seat.value} lifts dice in the turn of {player.value}"
    finding = _found("dice-lifted-early", event, message, answer, "dice.early_lift", seat, seen)
    remedies = tuple(
        _found("dice-lifted-early", event, message, other, f"dice.early_lift.{name}", seat, seen)
        for name, other in answer.also.items()
    )
    return new, (finding, *remedies)


# Cube acts.


def _cube_act(
    state: Premature,
    event: RecordedEvent,
    seat: Seat,
    act: str,
    seen: Seen,
    *,
    is_announced: bool = False,
) -> Result:
    """A cube act, judged as one before the opponent's turn was over."""
    flow, score, player = seen.flow, seen.score, seat.other
    is_playing = flow.dice is not None and flow.on_roll is player
    if act == "none" or not flow.in_game or not (is_playing or _has_played(player, seen)):
        return state, NOTHING
    turn = turn_of(player, seen)
    acts = _acts_of(state, turn)
    facts = EarlyCube(
        player,
        act,
        acts,
        seen.cube.owner is player,
        score.is_crawford_game,
        score.length is not None and score.score[seat] + seen.cube.value >= score.length,
        is_announced,
    )
    answer = seen.rules.ask(asked.CUBE, facts)
    end = state.end if acts else None
    is_unended = end is not None and end.outcome == asked.NOT_ENDED and end.flag is None
    if is_playing or not is_unended or answer.outcome == asked.NOT_PREMATURE:
        # In the opponent's roll the cube acts' own fold finds it.
        return replace(state, if_early=answer), NOTHING
    message = f"{act} before {player.value} has ended his turn{_outcome(answer)}"
    finding = _found("early-cube-act", event, message, answer, "cube.early_act", seat, seen)
    return replace(state, answer=answer, if_early=answer), (finding,)


# Findings.


def _found(
    code: str,
    event: RecordedEvent,
    message: str,
    answer: Answer,
    topic: str,
    seat: Seat,
    seen: Seen,
    *,
    is_note: bool = False,
) -> Finding:
    return judged(
        code,
        event,
        message,
        answer=answer,
        rule_set=seen.rules.profile.id,
        topic=topic,
        seat=seat,
        severity=Severity.NOTE if is_note else Severity.IRREGULARITY,
    )


def _outcome(answer: Answer) -> str:
    """What was settled, behind a colon; a question speaks for itself."""
    return "" if answer.is_open else f": {_in_words(answer.outcome)}"


def _in_words(word: str | None) -> str:
    return str(word).replace("_", " ")


_HEARS: tuple[type[Payload], ...] = (
    clock.ClockPressed,
    clock.ClockSet,
    dice.TurnEnded,
    dice.Repositioned,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    dice.Lifted,
    cube.DoubleOffered,
    cube.CubeGestured,
    cube.CubeIntentStated,
    play.PlayRevised,
    play.PlayIllegalityAnswered,
    equipment.EquipmentAgreed,
)


def initial(rules: Rules) -> Premature:
    """Nothing judged; what holds while nothing is done is known from the start."""
    return Premature(
        idle_end=rules.ask(asked.TURN_END, TurnAct()),
        idle_change=rules.ask(asked.CHANGE, PlayChange()),
    )


FOLD: Fold[Premature] = Fold("premature", _HEARS, initial, evolve)
"""The fold of premature actions."""
