"""Whose turn it is, who has to act, which roll is in play.

The flow takes entries at their word (design §8.3): a roll by the wrong player makes it that
player's turn, with a finding. Whether an act ended a turn under the rule set in force is decided
by the folds of premature actions and windows, not here.
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
    about_player,
    about_void_roll,
    after_all,
    after_early_answer,
    after_early_roll,
    after_early_ruling,
    after_opening,
    after_roll,
    after_turn_end,
    after_voided_throw,
    without_throw,
)
from projections.facts.flow_state import (
    Await,
    Flow,
    Result,
    about_end,
    between,
    by_the_cube,
    flow_before,
    lapsed,
    outside,
    passed,
)
from projections.folding.consequences import (
    act_taken_back,
    early_roll_ruled,
    resignation_undone,
    stops_game,
    throw_counted,
    throw_ruled_out,
    was_asked,
)
from projections.folding.fold import NOTHING, Fold, Handler, Heard, P, Seen, first_play, on, seat_of
from projections.rules.subjects.endings import MATCH_END
from projections.rules.subjects.match_length import STOP

# Members by module name: asked for at nearly every event.
_ROLL = Await.ROLL
_CANCELLED = Await.CANCELLED


def _played(state: Flow, event: RecordedEvent, made: play.PlayMade, seen: Seen) -> Result:
    seat = made.seat
    findings = NOTHING
    if not state.in_game:
        return state, (outside(event, seat, seen),)
    if state.is_ended:
        findings = about_end(state, event, seat, seen)
        state = passed(state, seat)
    if state.on_roll is not seat and state.on_roll is not None:
        findings = about_player(state, event, seat, seen)
    elif seen.premature.early is not None:
        findings = about_void_roll(state, event, seat, seen)
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
    if seen.cube.offered_by is not None:
        # A player who was doubled during his own roll has played it, and answers now.
        new = by_the_cube(new, seen)
    return new, findings


def _between_anew(state: Flow, event: RecordedEvent, about: Payload, seen: Seen) -> Result:
    """Between games: whether another game follows, after the score has changed."""
    if state.in_game or state.awaits is Await.MATCH:
        return state, NOTHING
    if isinstance(about, match.DecidingGameOrdered):
        return Flow(awaits=Await.GAME), NOTHING
    return between(seen), NOTHING


def _replayed(
    state: Flow, event: RecordedEvent, changed: play.PlayRevised | play.PlayCorrected, seen: Seen
) -> Result:
    """After a play is replaced, the opponent of its player is on roll."""
    if seen.score.ended_at == event.version:
        return between(seen), NOTHING
    step = first_play(seen, event)
    if step is None or not (state.in_game or seen.score.reopened_at == event.version):
        return state, NOTHING
    is_revision = isinstance(changed, play.PlayRevised)
    is_last = state.in_game and seen.positions.rewound_at != event.version
    then, seat = step.before.flow, seat_of(step)
    if is_last and (is_revision or _keeps(changed, state.roll_entry, then.early_entry)):
        new = state if is_revision else by_the_cube(replace(state, turn_open=None), seen)
        return new, NOTHING
    early = state.early if _keeps(changed, state.early_entry, then.early_entry) else None
    new = Flow(
        Await.ROLL,
        True,
        seat.other,
        seat.other,
        seat if is_revision else None,
        turn_number=then.turn_number if then.dice is not None else then.turn_number + 1,
        early=early,
    )
    return by_the_cube(new, seen), NOTHING


def _keeps(
    changed: play.PlayRevised | play.PlayCorrected, roll: str | None, then: str | None
) -> bool:
    """Whether a roll stands: a correction lists what it undoes, without that roll.

    One that lists nothing undoes every roll since the play, but not the early roll that lay on the
    table before it: `then`.
    """
    if isinstance(changed, play.PlayRevised) or roll is None or roll in changed.undoes:
        return False
    return bool(changed.undoes) or roll == then


def _unseen(state: Flow, event: RecordedEvent, unseen: play.PlayUnseen, seen: Seen) -> Result:
    if unseen.spans is play.UnseenSpan.GAMES:
        # Whole games were not recorded: next comes the start of a game or a stated board.
        new = state if state.awaits is Await.MATCH else Flow(awaits=Await.GAME)
        return new, NOTHING
    if not state.in_game:
        return state, NOTHING
    on_roll = None if unseen.seat is None else unseen.seat.other
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    return Flow(Await.ROLL, True, on_roll, on_roll, turn_number=turns), NOTHING


def _set(
    state: Flow, event: RecordedEvent, seat: Seat | None, faces: tuple[int, int] | None
) -> Flow:
    """Whose turn it is, as somebody states it; what is left out stays as it was."""
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
) -> Result:
    if seen.score.ended_at == event.version:
        return between(seen), NOTHING
    goes_on = carried_out.on_roll is not None and _is_cut_off(seen)
    if not state.in_game and carried_out.checkers is None and not goes_on:
        return _between_anew(state, event, carried_out, seen)
    if (carried_out.checkers, carried_out.on_roll, carried_out.dice) != (None, None, None):
        state = _set(state, event, carried_out.on_roll, carried_out.dice)
    return by_the_cube(state, seen), NOTHING


def _is_cut_off(seen: Seen) -> bool:
    """Whether the match was given away in the middle of the last game, which has no result."""
    score = seen.score
    is_over = not score.game_number or any(
        game.number == score.game_number for game in score.games[-1:]
    )
    return not is_over and not score.unseen_at and seen.positions.board is not None


def _ruled(state: Flow, event: RecordedEvent, made: dispute.RulingMade, seen: Seen) -> Result:
    """Whose turn it is after a ruling, which may end a game, let it go on, or take an act back."""
    if seen.score.ended_at == event.version:
        return between(seen), NOTHING
    if seen.score.revalued_at == event.version:
        return _between_anew(state, event, made, seen)
    stopped = stops_game(made, seen)
    if stopped is not None:
        # A game that has to be played again follows, even if somebody has reached the length.
        return (between(seen) if stopped == STOP else Flow(awaits=Await.GAME)), NOTHING
    called = throw_counted(made, seen)
    if called is not None:
        return after_all(state, event, called, seen)
    early = early_roll_ruled(made, seen)
    if early is not None and early[0] in (state.early_entry, state.roll_entry):
        roll, stands = early
        return after_early_ruling(state, roll, seen, stands=stands), NOTHING
    out = throw_ruled_out(made, seen)
    thrown = seen.step_of(out) if out in (state.roll_entry, state.early_entry) and out else None
    if thrown is not None:
        return without_throw(state, thrown, seen), NOTHING
    resigned = resignation_undone(made, seen)
    if resigned is not None:
        return by_the_cube(without_resignation(flow_before(resigned)), seen), NOTHING
    step = act_taken_back(made, seen)
    if step is None:
        if any(_is_on_the_end(one, seen) for one in made.answers):
            return _between_anew(state, event, made, seen)
        return by_the_cube(state, seen), NOTHING
    was = flow_before(step)
    new = was if not state.in_game else by_the_cube(replace(was, early=state.early), seen)
    return new, NOTHING


def _is_on_the_end(answer: dispute.Answer, seen: Seen) -> bool:
    """Whether a ruling answers what was asked about the match's end, or what that hangs on."""
    topic, at = answer.question.topic, answer.question.at
    if topic == MATCH_END:
        return was_asked(answer, seen)
    if topic == "match-length.sheets":
        return seen.match_length.sheets_asked is not None and not seen.score.has_ended
    is_on_record = topic == "score.record" and seen.results.is_asked(topic, at)
    return is_on_record and not seen.score.has_ended


def _won(state: Flow, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    return (between(seen) if state.in_game else state), NOTHING


def _placed(state: Flow, event: RecordedEvent, stated: play.PositionStated, seen: Seen) -> Result:
    return by_the_cube(_set(state, event, stated.on_roll, stated.dice), seen), NOTHING


def _cube_stated(state: Flow, event: RecordedEvent, stated: cube.CubeStated, seen: Seen) -> Result:
    return by_the_cube(state, seen), NOTHING


def _called(
    state: Flow, event: RecordedEvent, called: dispute.DirectorCalled, seen: Seen
) -> Result:
    if seen.score.revalued_at != event.version:
        return state, NOTHING
    return _between_anew(state, event, called, seen)


def _act_voided(
    state: Flow, event: RecordedEvent, voided: cube.CubeActionVoided, seen: Seen
) -> Result:
    if seen.score.revalued_at == event.version:
        return _between_anew(state, event, voided, seen)
    return after_voided_act(state, event, voided, seen)


def _claimed(
    state: Flow, event: RecordedEvent, claim: ending.ClaimMade | ending.ClaimRuled, seen: Seen
) -> Result:
    return (between(seen) if seen.score.ended_at == event.version else state), NOTHING


def _on(kind: type[P], by: Handler[Flow, P]) -> Heard[Flow]:
    """A handler that does nothing once the match is cancelled."""

    def handler(state: Flow, event: RecordedEvent, payload: P, seen: Seen) -> Result:
        return (state, NOTHING) if state.awaits is _CANCELLED else by(state, event, payload, seen)

    return on(kind, handler)


FOLD = Fold(
    Flow,
    _on(dice.Rolled, after_roll),
    _on(play.PlayMade, _played),
    _on(clock.ClockPressed, after_turn_end),
    _on(dice.TurnEnded, after_turn_end),
    _on(match.GameStarted, lambda *_: (Flow(Await.OPENING, in_game=True), NOTHING)),
    _on(dice.OpeningRolled, after_opening),
    _on(cube.DoubleOffered, after_double),
    _on(cube.CubeBeavered, after_answer),
    _on(cube.DoubleTaken, after_answer),
    _on(cube.DoubleDropped, after_answer),
    _on(match.GameWon, _won),
    _on(dice.Voided, after_voided_throw),
    _on(dice.RolledEarly, after_early_roll),
    _on(dice.EarlyRollAnswered, after_early_answer),
    _on(play.PlayRevised, _replayed),
    _on(play.PlayCorrected, _replayed),
    _on(play.PlayUnseen, _unseen),
    _on(play.PositionStated, _placed),
    _on(dispute.RulingCarriedOut, _carried_out),
    _on(dispute.RulingMade, _ruled),
    _on(dispute.DirectorCalled, _called),
    _on(ending.ResignationOffered, after_resignation),
    _on(ending.ResignationAccepted, after_acceptance),
    _on(ending.ResignationRefused, after_refusal),
    _on(ending.ClaimMade, _claimed),
    _on(ending.ClaimRuled, _claimed),
    _on(cube.CubeActionVoided, _act_voided),
    _on(cube.CubeStated, _cube_stated),
    _on(match.MatchOpened, lambda *_: (Flow(Await.GAME), NOTHING)),
    _on(match.MatchEnded, lambda *_: (Flow(Await.NOTHING), NOTHING)),
    _on(match.MatchCancelled, lambda *_: (Flow(_CANCELLED), NOTHING)),
    _on(match.ScoreStated, _between_anew),
    _on(match.MatchLengthErrorFound, _between_anew),
    _on(match.DecidingGameOrdered, _between_anew),
    _on(penalty.ForfeitDeclared, lambda *_: (Flow(Await.NOTHING), NOTHING)),
    _on(penalty.PlayerDisqualified, lambda *_: (Flow(Await.NOTHING), NOTHING)),
)
"""The flow's fold."""
