"""Premature actions: early lifts and cube acts, what ended a turn, who may still change a play.

The flow takes the record at its word; this fold judges it by the rule set. What ends a turn is
asked once for each kind of act, and where a text says nothing about it, only when somebody disputes
it. After a ruling the question is not asked again, and its consequences follow.

A cube act by the player on roll implies that the turn before it was over (design §8.3). The
judgement in case it was not is kept, and becomes a finding only if nothing on record ended it.
"""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, equipment, match, play
from events.payloads.base import Actor, Payload
from events.values import Seat
from projections.folding.fold import NOTHING, Fold, Seen, on, seat_of, wins_match
from projections.folding.sayings import Said, said, worded
from projections.judging.early_rolls import (
    by_the_roller,
    early_roll_answered,
    is_meant,
    rolled_early,
    rolled_on,
)
from projections.judging.illegal_plays import is_legal, play_behind, what_happened
from projections.judging.phrases import sign_of
from projections.judging.premature_state import (
    CHANGE,
    CUBE,
    LIFT,
    ROLL,
    Early,
    Premature,
    Result,
)
from projections.judging.turns import (
    act_as_ruled,
    acted,
    acts_of,
    ask,
    asking,
    corrected,
    disputed,
    end_of,
    ends_turn,
    has_played,
    is_playing,
    revised,
    settled,
    told,
    turn_of,
    with_idle,
)
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects import premature as asked
from projections.rules.subjects.premature import EarlyCube, EarlyLift, PlayChange, TurnAct


def evolve(state: Premature, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case clock.ClockPressed(seat=seat):
            return _ended(state, event, seat, asked.PRESSED, seen)
        case dice.TurnEnded(seat=seat, method=method):
            return _ended(state, event, seat, method, seen)
        case dice.Repositioned(seat=seat, act=act) as moved:
            is_before = moved.announced_when == "before"
            announced = moved.announced if is_before else None
            return acted(state, event, seat, act, seen, announced)
        case cube.DoubleOffered(seat=seat):
            return _cube_act(state, event, seat, "double", seen)
        case cube.CubeIntentStated(seat=seat, intent=cube.Intent.DOUBLE):
            return _cube_act(state, event, seat, "words", seen)
        case cube.CubeGestured(seat=seat, kind=kind) as gesture:
            is_announced = gesture.repositioning_announced is cube.Announced.BEFORE
            return _cube_act(state, event, seat, kind.value, seen, is_announced=is_announced)
        case dice.RolledEarly(seat=seat):
            return rolled_early(state, event, seat, seen)
        case dice.EarlyRollAnswered(seat=seat, target=target) as answered:
            early = state.early
            if early is not None and seat is early.roller and is_meant(early, target, seen):
                return state, by_the_roller(event, early, seen)
            return early_roll_answered(state, event, answered, seen)
        case dice.Voided(target=target, caller=Actor() as caller, contested=contested):
            early = state.early
            is_taken_back = early is not None and target == early.entry_id and not contested
            if early is None or not is_taken_back or caller.seat is not early.roller:
                return state, NOTHING
            return state, by_the_roller(event, early, seen)
        case dice.Lifted(seat=seat):
            return _lifted(state, event, seat, seen)
        case play.PlayRevised(seat=seat):
            return revised(state, event, seat, seen)
        case play.PlayCorrected() as replaced:
            seat = _legal_until_then(event, replaced, seen)
            return (state, NOTHING) if seat is None else revised(state, event, seat, seen)
        case play.PlayIllegalityAnswered(answer=answer):
            return corrected(state, answer, seen)
        case clock.ClockSet():
            return with_idle(state, seen), NOTHING
        case match.MatchOpened():
            # An answer for the case that the number is not known is a preference; if it is pinned,
            # it is known.
            pinned = payload.options.get("dice_count")
            count = None if pinned is None else pinned.value
            is_said = isinstance(count, int) and "dice_count" in seen.rules.options
            return (with_idle(replace(state, dice_on_table=count), seen) if is_said else state), ()
        case equipment.EquipmentAgreed(item="dice", count=count) if count is not None:
            return with_idle(replace(state, dice_on_table=count), seen), NOTHING
        case dispute.DisputeRaised(frozen_at=entry_id, topic=topic):
            return disputed(state, event, entry_id, topic, seen)
        case dispute.DirectorCalled(about=entry_id):
            return disputed(state, event, entry_id, None, seen)
        case dispute.RulingMade():
            return _as_ruled(state, seen), NOTHING
        case _:
            return state, NOTHING


# What a Director rules.


def _as_ruled(state: Premature, seen: Seen) -> Premature:
    """Answers on which a ruling chose a reading, and those that depended on them."""
    new = state
    if state.early is not None:
        new = replace(new, early=_early_as_ruled(state.early, state, seen))
    if state.turn is not None:
        acts = acts_of(state, state.turn, seen)
        if acts != state.acts:
            new = replace(new, end=end_of(acts, seen))
            new = _change_as_ruled(new, acts, seen)
        if new.change is not None:
            change = settled(new.change, state, (CHANGE, (state.turn, new.changing)), seen)
            new = replace(new, change=change)
    if state.if_early is not None:
        if_early = settled(state.if_early, state, (CUBE, state.cube_act), seen)
        new = replace(new, if_early=if_early)
    if state.answer is not None and state.about is not None:
        answer = settled(state.answer, state, state.about, seen)
        if new.early is not None and state.about == (ROLL, new.early.entry_id):
            answer = new.early.answer
        new = replace(new, answer=answer)
    return state if new == state else new


def _change_as_ruled(state: Premature, acts: tuple[TurnAct, ...], seen: Seen) -> Premature:
    """Whether the play may be changed, if that depended on whether the turn was over."""
    facts = replace(state.changing, acts=acts)
    said = seen.rules.ask(asked.CHANGE, facts)
    is_settled = state.change is not None and not state.change.is_open
    return state if said.is_open and not is_settled else replace(state, change=said, changing=facts)


def _early_as_ruled(early: Early, state: Premature, seen: Seen) -> Early:
    """The early roll with the rulings on the turn before it, on its throw and on itself."""
    facts = replace(
        early.facts,
        acts=tuple(act_as_ruled(state, act, seen) for act in early.facts.acts),
        throw=seen.throws.answer if seen.throws.at == early.entry_id else early.facts.throw,
    )
    answer = early.answer
    if facts != early.facts:
        said = seen.rules.ask(asked.ROLL, facts)
        # Any other question waits until the early roll is answered.
        answer = answer if said.is_open else said
    answer = settled(answer, state, (ROLL, early.entry_id), seen)
    is_premature = answer.ruled_at is not None and answer.outcome == asked.PREMATURE
    facts = replace(facts, is_ruled_premature=is_premature)
    return replace(early, facts=facts, answer=answer)


# Dice lifted early.


def _is_question(answer: Answer) -> bool:
    return answer.is_open or any(beside.is_open for beside in answer.also.values())


def _lifted(state: Premature, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    player = seat.other
    turn = turn_of(player, seen)
    flow = seen.flow
    is_in_turn = has_played(player, seen) or is_playing(player, seen)
    if not flow.in_game or not is_in_turn:
        return state, NOTHING
    facts = EarlyLift(turn[1] == 1, acts_of(state, turn, seen))
    over = end_of(facts.acts, seen)
    if over is not None and over.outcome == asked.ENDED:
        # They are the player's own dice to lift; no text need allow that.
        in_time = Answer(outcome=asked.NOT_PREMATURE, section=over.section)
        return replace(state, answer=in_time), NOTHING
    about = (LIFT, (turn, facts))
    answer, is_found = ask(state, asked.LIFT, facts, about, seen)
    new = replace(state, answer=answer, about=about, lifted=(turn, seat))
    is_question = _is_question(answer)
    if answer.outcome == asked.NOT_PREMATURE or (is_question and is_found):
        return new, NOTHING
    if is_question:
        new = asking(new, about, event, seat)
    message = said("{seat} lifts dice in the turn of {player}", seat=seat, player=player)
    if answer.outcome == asked.NOT_ALLOWED:
        message = said("{what}, which the rules do not allow", what=message)
    open_message = said("{what}; what follows is for the Director to decide", what=message)
    if answer.is_open:
        message = open_message
    elif answer.details.get("remedy") == asked.DELAY_FORFEITED:
        message = said(
            "{what}: {player} may stop the clock and finish, and have {seat} forfeit the delay of"
            " the next turn",
            what=message,
            player=player,
            seat=seat,
        )
    finding = told("dice-lifted-early", event, message, answer, LIFT, seat, seen)
    remedies = tuple(
        told("dice-lifted-early", event, open_message, other, f"{LIFT}.{name}", seat, seen)
        for name, other in answer.also.items()
        if other.is_open
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
    """A cube act, judged as made before the opponent's turn was over."""
    flow, score, player = seen.flow, seen.score, seat.other
    is_in_roll = is_playing(player, seen) and not flow.is_ended
    if act == "none" or not flow.in_game or not (is_in_roll or has_played(player, seen)):
        return state, NOTHING
    turn = turn_of(player, seen)
    acts = acts_of(state, turn, seen)
    facts = EarlyCube(
        player,
        act,
        acts,
        seen.cube.owner is player,
        score.is_crawford_game,
        wins_match(seat, seen.cube.value, seen),
        is_announced,
    )
    about = (CUBE, (turn, facts))
    answer, is_found = ask(state, asked.CUBE, facts, about, seen)
    is_first = not is_in_roll and not acts
    new = replace(state, if_early=answer, cube_act=(turn, facts), is_cube_first=is_first)
    end = state.end if acts else None
    is_unended = end is not None and end.outcome == asked.NOT_ENDED and end.flag is None
    if is_in_roll or not is_unended or answer.outcome == asked.NOT_PREMATURE:
        # During the opponent's roll, the fold of cube acts makes the finding.
        return new, NOTHING
    new = replace(new, answer=answer, about=about)
    if answer.is_open:
        if is_found:
            return new, NOTHING
        new = asking(new, about, event, seat)
    message = _early_act(seat, act, answer)
    return new, (told("early-cube-act", event, message, answer, CUBE, seat, seen),)


def _early_act(seat: Seat, act: str, answer: Answer) -> Said:
    """The sentence about a cube act by `seat` before the opponent has ended the turn."""
    player = seat.other
    if answer.is_open:
        becomes = said("what becomes of it is for the Director to decide")
    elif answer.outcome == asked.DOUBLE_STANDS:
        becomes = said("the double stands, and {player} may play otherwise", player=player)
    elif answer.outcome == asked.BOUND:
        becomes = said("{seat} is bound to double", seat=seat)
    elif answer.outcome == asked.NOT_ALLOWED:
        becomes = said("the rules do not allow it")
    else:
        becomes = worded(answer.outcome)
    return said(
        "{seat} has {act} before {player} has ended the turn: {answer}",
        seat=seat,
        act=sign_of(act),
        player=player,
        answer=becomes,
    )


def _ended(
    state: Premature, event: RecordedEvent, seat: Seat, act: str | None, seen: Seen
) -> Result:
    """A turn ends: a cube act that the opponent made before this was too early."""
    new, findings = acted(state, event, seat, act, seen)
    if not state.is_cube_first or state.cube_act is None or state.if_early is None:
        return new, findings
    turn, facts = state.cube_act
    # After an answer this may end the answer, and not the turn before the double.
    is_answered = facts.act == "double" and seen.flow.answering is not seat
    if facts.player is not seat or turn != turn_of(seat, seen) or is_answered:
        return new, findings
    answer, about = state.if_early, (CUBE, state.cube_act)
    is_unasked = answer.is_silent
    is_nothing = answer.outcome in (asked.NOT_PREMATURE, asked.NOT_BOUND) or is_unasked
    if is_nothing or not ends_turn(state, act, seen):
        return new, findings
    new = replace(new, answer=answer, about=about, is_cube_first=False)
    if answer.is_open:
        if about in state.asked:
            return new, findings
        new = asking(new, about, event, seat.other)
    message = _early_act(seat.other, facts.act, answer)
    told_now = told("early-cube-act", event, message, answer, CUBE, seat.other, seen)
    return new, (*findings, told_now)


def _legal_until_then(
    event: RecordedEvent, corrected: play.PlayCorrected, seen: Seen
) -> Seat | None:
    """Whose legal play is replaced as if it had been illegal; None if it is or may be illegal.

    Plays that somebody called illegal are judged by the fold of windows, and replacements that a
    ruling ordered are not judged.
    """
    is_ruled = event.basis is Basis.RULED or corrected.by in (Actor.DIRECTOR, Actor.COMMITTEE)
    made = None if is_ruled else play_behind(seen, corrected.target)
    if made is None:
        return None
    for step in seen.steps_since(made.event.entry_id):
        if isinstance(step.event.payload, play.PlayIllegalityNoticed):
            noticed = play_behind(seen, step.event.payload.target)
            if noticed is not None and noticed.event.entry_id == made.event.entry_id:
                return None
    seat = seat_of(made)
    return seat if is_legal(what_happened(seen, made).step, seat) else None


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
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
    dice.Voided,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayIllegalityAnswered,
    equipment.EquipmentAgreed,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.RulingMade,
)


def initial(rules: Rules) -> Premature:
    """Nothing judged; what holds while nothing is done is known from the start."""
    return Premature(
        idle_end=rules.ask(asked.TURN_END, TurnAct()),
        idle_change=rules.ask(asked.CHANGE, PlayChange()),
    )


# Most entries are rolls: they are not held against the pattern of every other payload first.
FOLD = Fold(
    Premature, *(on(kind, evolve) for kind in _HEARS), on(dice.Rolled, rolled_on), initial=initial
)
"""The fold of premature actions."""
