"""Whose turn it is, who has to act, which roll is in play.

The flow takes entries at their word (design §8.3): a roll by the wrong player makes it that
player's turn, and is found. Whether an act ended a turn under the rule set in force is the
premature-action and windows folds' answer, not this one's.
"""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload
from events.values import ONE, TWO, Seat
from projections.facts.flow_offers import (
    after_acceptance,
    after_answer,
    after_double,
    after_refusal,
    after_resignation,
    after_voided_act,
    without_resignation,
)
from projections.facts.flow_rolls import (
    after_early_answer,
    after_early_roll,
    after_opening,
    after_roll,
    after_voided_throw,
)
from projections.facts.flow_state import (
    Await,
    Flow,
    Result,
    between,
    by_the_cube,
    flow_before,
    lapsed,
    outside,
    promoted,
)
from projections.folding.consequences import act_taken_back, resignation_undone
from projections.folding.findings import found
from projections.folding.fold import NOTHING, Fold, Seen, first_play, seat_of
from projections.folding.sayings import said
from projections.rules.profile import Rules

# Members by module name: asked for at nearly every event.
_ROLL = Await.ROLL
_CANCELLED = Await.CANCELLED

_ROLLED = dice.Rolled
_PLAY_MADE = play.PlayMade


def evolve(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    """Whose turn it is after one event."""
    if state.awaits is _CANCELLED:
        return state, NOTHING
    payload = event.payload
    # The two that make up nearly all of a match; a pattern costs several look-ups.
    if type(payload) is _ROLLED:
        return after_roll(state, event, payload, seen)
    if type(payload) is _PLAY_MADE:
        return _played(state, event, payload.seat, seen)
    match payload:
        case clock.ClockPressed(seat=seat) | dice.TurnEnded(seat=seat):
            return _turn_ended(state, seat), NOTHING
        case match.GameStarted():
            return Flow(awaits=Await.OPENING, in_game=True), NOTHING
        case dice.OpeningRolled(one=one, two=two):
            return after_opening(state, event, one, two, seen)
        case cube.DoubleOffered(seat=seat):
            return after_double(state, event, seat, seen)
        case cube.DoubleTaken() | cube.DoubleDropped() | cube.CubeBeavered() as reply:
            return after_answer(state, event, reply.seat, seen)
        case cube.CubeStated():
            return by_the_cube(state, seen), NOTHING
        case cube.CubeActionVoided(target=target):
            return after_voided_act(state, event, target, seen), NOTHING
        case match.GameWon():
            return (between(seen) if state.in_game else state), NOTHING
        case dice.Voided(target=target):
            return after_voided_throw(state, event, target, seen)
        case dice.RolledEarly(seat=seat, dice=faces):
            return after_early_roll(state, event, seat, faces, seen)
        case dice.EarlyRollAnswered() as answered:
            return after_early_answer(state, event, answered, seen)
        case play.PlayRevised() | play.PlayCorrected() as changed:
            return _replayed(state, event, changed, seen), NOTHING
        case play.PlayUnseen(seat=seat, spans=spans):
            return _unseen(state, seat, spans, seen)
        case play.PositionStated(on_roll=seat, dice=faces):
            return by_the_cube(_set(state, event, seat, faces), seen), NOTHING
        case dispute.RulingCarriedOut() as carried_out:
            return _carried_out(state, event, carried_out, seen), NOTHING
        case dispute.RulingMade() as made:
            return _ruled(state, event, made, seen), NOTHING
        case dispute.DirectorCalled() if seen.score.revalued_at == event.version:
            return _between_anew(state, event, seen), NOTHING
        case ending.ResignationOffered(seat=seat, level=level):
            return after_resignation(state, event, seat, level, seen)
        case ending.ResignationAccepted(seat=seat):
            return after_acceptance(state, event, seat, seen)
        case ending.ClaimMade() | ending.ClaimRuled() if seen.score.ended_at == event.version:
            return between(seen), NOTHING
        case ending.ResignationRefused(seat=seat):
            return after_refusal(state, event, seat, seen)
        case match.MatchOpened():
            return Flow(awaits=Await.GAME), NOTHING
        case match.MatchEnded() | penalty.ForfeitDeclared() | penalty.PlayerDisqualified():
            return Flow(awaits=Await.NOTHING), NOTHING
        case match.MatchCancelled():
            return Flow(awaits=_CANCELLED), NOTHING
        case match.ScoreStated() | match.DecidingGameOrdered():
            return _between_anew(state, event, seen), NOTHING
        case _:
            return state, NOTHING


def _played(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    findings = NOTHING
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    if state.on_roll is not seat and state.on_roll is not None:
        message = said("{seat} plays, and {other} is on roll", seat=seat, other=state.on_roll)
        cite = seen.rules.cite("turn")
        findings = (found("out-of-turn", event, message, cite=cite, seat=seat),)
    if state.resigning is not None:
        findings = (*lapsed(state, event, seen), *findings)
    if seen.score.ended_at == event.version:
        return between(seen), findings
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    early = state.early
    if early is not None and early.seat is seat:
        early = None
    other = TWO if seat is ONE else ONE
    new = Flow(_ROLL, True, other, other, seat, None, turns, None, None, None, None, early)
    return new, findings


def _between_anew(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    """Between games: whether another one is to come, now that the score is another."""
    if state.in_game or state.awaits is Await.MATCH:
        return state
    if isinstance(event.payload, match.DecidingGameOrdered):
        return Flow(awaits=Await.GAME)
    return between(seen)


def _turn_ended(state: Flow, seat: Seat) -> Flow:
    if state.turn_open is not seat:
        return state
    return promoted(replace(state, turn_open=None))


def _replayed(
    state: Flow, event: RecordedEvent, changed: play.PlayRevised | play.PlayCorrected, seen: Seen
) -> Flow:
    """After another play in the place of one, the opponent of who played it is on roll."""
    if seen.score.ended_at == event.version:
        return between(seen)
    step = first_play(seen, event)
    if step is None or not (state.in_game or seen.score.reopened_at == event.version):
        return state
    is_revision = isinstance(changed, play.PlayRevised)
    is_last = state.in_game and seen.positions.rewound_at != event.version
    if is_last and (is_revision or _keeps(changed, state.roll_entry)):
        return state if is_revision else by_the_cube(replace(state, turn_open=None), seen)
    early = state.early if _keeps(changed, state.early_entry) else None
    then, seat = step.before.flow, seat_of(step)
    return Flow(
        Await.ROLL,
        True,
        seat.other,
        seat.other,
        seat if is_revision else None,
        turn_number=then.turn_number if then.dice is not None else then.turn_number + 1,
        early=early,
    )


def _keeps(changed: play.PlayRevised | play.PlayCorrected, roll: str | None) -> bool:
    """Whether a roll made since the play stands: what is undone is listed, and it is not there."""
    if isinstance(changed, play.PlayRevised):
        return False
    return roll is not None and bool(changed.undoes) and roll not in changed.undoes


def _unseen(state: Flow, seat: Seat | None, spans: play.UnseenSpan, seen: Seen) -> Result:
    if spans is play.UnseenSpan.GAMES:
        # Whole games went by: whatever comes next begins with a game or a stated board.
        new = state if state.awaits is Await.MATCH else Flow(awaits=Await.GAME)
        return new, NOTHING
    if not state.in_game:
        return state, NOTHING
    on_roll = None if seat is None else seat.other
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    return Flow(Await.ROLL, True, on_roll, on_roll, turn_number=turns), NOTHING


def _set(
    state: Flow, event: RecordedEvent, seat: Seat | None, faces: tuple[int, int] | None
) -> Flow:
    """Whose turn it is, as somebody states it; what is not stated stays as it was."""
    if seat is None and faces is None:
        if state.in_game:
            return replace(state, turn_open=None)
        return Flow(awaits=Await.ROLL, in_game=True)
    on_roll = seat or state.on_roll
    turns = state.turn_number
    if faces is None:
        return Flow(Await.ROLL, True, on_roll, on_roll, turn_number=turns)
    if state.dice is None:
        turns += 1
    return Flow(Await.PLAY, True, on_roll, on_roll, None, faces, turns, event.entry_id)


def _carried_out(
    state: Flow, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Flow:
    if seen.score.ended_at == event.version:
        return between(seen)
    if not state.in_game and carried_out.checkers is None:
        return _between_anew(state, event, seen)
    if (carried_out.checkers, carried_out.on_roll, carried_out.dice) != (None, None, None):
        state = _set(state, event, carried_out.on_roll, carried_out.dice)
    return by_the_cube(state, seen)


def _ruled(state: Flow, event: RecordedEvent, made: dispute.RulingMade, seen: Seen) -> Flow:
    """Whose turn it is after a ruling: it may end a game, let one go on, or take an act back."""
    if seen.score.ended_at == event.version:
        return between(seen)
    if seen.score.revalued_at == event.version:
        return _between_anew(state, event, seen)
    resigned = resignation_undone(made, seen)
    if resigned is not None:
        return by_the_cube(without_resignation(flow_before(resigned)), seen)
    step = act_taken_back(made, seen)
    if step is None:
        return by_the_cube(state, seen)
    was = flow_before(step)
    return was if not state.in_game else by_the_cube(replace(was, early=state.early), seen)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    play.PlayMade,
    clock.ClockPressed,
    dice.TurnEnded,
    match.GameStarted,
    dice.OpeningRolled,
    cube.DoubleOffered,
    cube.CubeBeavered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    match.GameWon,
    dice.Voided,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    play.PositionStated,
    dispute.RulingCarriedOut,
    dispute.RulingMade,
    dispute.DirectorCalled,
    ending.ResignationOffered,
    ending.ResignationAccepted,
    ending.ResignationRefused,
    ending.ClaimMade,
    ending.ClaimRuled,
    cube.CubeActionVoided,
    cube.CubeStated,
    match.MatchOpened,
    match.MatchEnded,
    match.MatchCancelled,
    match.ScoreStated,
    match.DecidingGameOrdered,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Flow:
    """The match is not opened."""
    return Flow()


FOLD: Fold[Flow] = Fold("flow", _HEARS, initial, evolve)
"""The flow's fold."""
