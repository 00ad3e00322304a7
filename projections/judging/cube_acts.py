"""Cube acts under the rule set: allowed, binding, void; Crawford found later; dead cubes.

A ruling is applied to every answer that is kept, with its consequences: who is bound, which game
counts as the Crawford game, which doubles may still be noticed. If a sign is ruled binding after
its player acted otherwise, it no longer binds: the ruling is about that act too.
"""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, dice, dispute, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.folding.consequences import early_roll_ruled, is_declared, throw_counted
from projections.folding.findings import Finding, judged
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep, on
from projections.folding.questions import with_asked
from projections.folding.sayings import said
from projections.judging.cube_doubles import (
    answered_by,
    beavered,
    doubled,
    noticed_later,
    void_after_all,
    voided_later,
)
from projections.judging.cube_rulings import answered_by_act, ruled_on
from projections.judging.cube_signs import (
    answer_disputed,
    gestured_act,
    placed_otherwise,
    worded_act,
)
from projections.judging.cube_state import (
    AFTER,
    BEFORE,
    CRAWFORD,
    CubeActs,
    Result,
    as_ruled_before,
    promise_passed,
    told_act,
)
from projections.rules.answers import Answer
from projections.rules.subjects.cube_signs import CUBE_SHOWN, ShownFacts
from projections.rules.subjects.cube_words import ALLOWED
from projections.rules.subjects.game_worth import CRAWFORD_PHASE, PhaseFacts
from projections.rules.subjects.premature import DOUBLE_STANDS
from projections.rules.subjects.starting import CORRECT


def evolve(state: CubeActs, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    if not state.promises and type(payload) is dice.Rolled:
        # The usual roll: no player has promised to double.
        return state, NOTHING
    if type(payload) is dispute.RulingMade:
        ruled, asked = _ruled(state, event, payload, seen)
        return _asking(ruled, asked), asked
    if state.asked:
        state = answered_by_act(state, event, seen)
    new, findings = _judged(state, event, seen)
    begins = isinstance(payload, match.GameStarted | play.PositionStated)
    if seen.score.phased_at == event.version and not begins:
        # The game in progress has another score than it began with.
        new, asked = _phased(new, event, seen, begins=False)
        findings = (*findings, *asked)
    return _asking(new, findings), findings


def _ruled(state: CubeActs, event: RecordedEvent, made: dispute.RulingMade, seen: Seen) -> Result:
    """After a ruling that a throw counts: a player who was bound to double has rolled."""
    new, roller = ruled_on(state, event, made, seen), seen.flow.on_roll
    roll, stands = early_roll_ruled(made, seen) or ("", True)
    thrown = seen.step_of(roll)
    if thrown is not None and stands:
        return _early_roll_stands(new, event, thrown, seen)
    if thrown is not None:
        new = _throws_again(new, _thrower_of(thrown, seen), seen)
    if any((one.question.topic, one.reading) == _AGAIN for one in made.answers):
        if not seen.score.crawford_played:
            new = replace(new, match_point_game=0)
        if seen.score.phased_at == event.version:
            return _phased(new, event, seen, begins=False)
    if any(one.question.topic == "crawford.phase" for one in made.answers):
        new, findings = void_after_all(new, event, seen)
        if findings:
            return new, findings
    if not new.promises or roller is None or throw_counted(made, seen) is None:
        return new, NOTHING
    return promise_passed(new, event, roller, "double", "roll", seen)


_AGAIN = ("match-length.crawford", "again")
"""Topic and reading by which the Crawford game, played with the cube, is still to come."""


def _judged(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    match event.payload:
        case dice.Rolled(seat=seat):
            return promise_passed(state, event, seat, "double", "roll", seen)
        case match.GameStarted() | play.PositionStated():
            return _started(state, event, seen)
        case cube.DoubleOffered() as offered:
            return doubled(state, event, offered.seat, seen)
        case cube.DoubleTaken() as taken:
            state, findings = answered_by(state, event, taken.seat, "take", seen)
            state, placed = placed_otherwise(state, event, taken, "take", seen)
            return state, (*findings, *placed)
        case cube.DoubleDropped() as dropped:
            state, findings = answered_by(state, event, dropped.seat, "drop", seen)
            state, placed = placed_otherwise(state, event, dropped, "drop", seen)
            return state, (*findings, *placed)
        case cube.CubeBeavered(seat=seat):
            return beavered(state, event, seat, seen)
        case cube.CubeGestured() as gestured:
            return gestured_act(state, event, gestured, seen)
        case cube.CubeIntentStated() as stated:
            return worded_act(state, event, stated, seen)
        case cube.CubeStated() as stated:
            return _shown(state, event, stated, seen)
        case dispute.DisputeRaised() as raised:
            state, findings = answer_disputed(state, event, raised, seen)
            state, shown = _disputed(state, event, seen)
            return state, (*findings, *shown)
        case dispute.DirectorCalled(about=about):
            return noticed_later(state, event, about, seen)
        case cube.CubeActionVoided() as void:
            stands = _called_void(state, event, void, seen)
            if stands is not None:
                return stands
            # In its own game the entry itself voids the double; after that game it is a finding.
            return voided_later(state, event, void.target, seen)
        case dice.Voided() as voided:
            return _throws_again(state, _thrower(voided, seen), seen), NOTHING
        case dice.RolledEarly() if seen.flow.in_game:
            return replace(state, early=event.entry_id), NOTHING
        case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS, seat=by) if state.promises:
            thrown = None if state.early is None else seen.step_of(state.early)
            is_his = thrown is not None and by is _rolled_early_by(thrown)
            if thrown is None or is_his:
                return state, NOTHING
            return _early_roll_stands(state, event, thrown, seen)
        case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE):
            thrown = None if state.early is None else seen.step_of(state.early)
            if thrown is None or seen.flow.early_entry is not None:
                return state, NOTHING
            return _throws_again(state, _thrower_of(thrown, seen), seen), NOTHING
        case match.MatchNextStarted(seats=seats, next=next_match):
            is_round = next_match is match.NextMatch.NEXT_ROUND
            begun = tuple(dict.fromkeys((*state.begun, *seats)))
            is_round = is_round or state.is_round_begun
            return replace(state, begun=begun, is_round_begun=is_round), NOTHING
        case dispute.RulingCarriedOut(crawford_played=False):
            # It is still to come, whatever was played or said before.
            return replace(state, match_point_game=0), NOTHING
        case match.MatchOpened(crawford_played=was_played):
            return replace(state, match_point_game=-1 if was_played else 0), NOTHING
        case _:
            return state, NOTHING


def _called_void(
    state: CubeActs, event: RecordedEvent, void: cube.CubeActionVoided, seen: Seen
) -> Result | None:
    """One player alone calls a double or its answer void, though by the rules it stands.

    None where that is not so.
    """
    double = state.last
    is_earlier = double is not None and double.game_number != seen.score.game_number
    if double is None or is_earlier or is_declared(event, void):
        return None
    verdict, doubler = double.verdict, double.facts.seat
    if verdict.outcome == ALLOWED and state.time is not None:
        # The section that allowed it at that time is the one by which it stands.
        verdict = state.time
    profile = seen.rules.profile
    is_read = profile.read_from is not None and verdict.section not in profile.unread
    if not is_read or verdict.is_open or verdict.outcome not in (ALLOWED, DOUBLE_STANDS):
        # Without the text in hand it cannot be said that the act stands by it.
        return None
    if void.target == double.entry_id:
        seat = doubler
        message = said("{seat}'s double is called void, and by the rules it stands", seat=seat)
    elif void.target == double.answer_entry:
        seat = doubler.other
        message = said("{seat}'s take is called void, and by the rules it stands", seat=seat)
        if double.answered == "drop":
            message = said("{seat}'s drop is called void, and by the rules it stands", seat=seat)
    else:
        return None
    finding = told_act("cube-act-voided", event, message, verdict, "cube.double", seat, seen)
    return replace(state, answer=verdict), (finding,)


def _early_roll_stands(
    state: CubeActs, event: RecordedEvent, thrown: SeenStep, seen: Seen
) -> Result:
    """An early roll stands: a player who was bound to double has rolled by it."""
    roller, roll = _rolled_early_by(thrown), thrown.event.entry_id
    is_in_play = roll in (seen.flow.early_entry, seen.flow.roll_entry)
    if roller is None or not is_in_play or seen.premature.void_roll == roll:
        return state, NOTHING
    return promise_passed(state, event, roller, "double", "roll", seen)


def _rolled_early_by(thrown: SeenStep) -> Seat | None:
    rolled = thrown.event.payload
    return rolled.seat if isinstance(rolled, dice.RolledEarly) else None


def _throws_again(state: CubeActs, seat: Seat | None, seen: Seen) -> CubeActs:
    """The state that knows who has thrown in this turn, and that the throw did not count."""
    if seat is None or not seen.flow.in_game:
        return state
    return replace(state, cocked=(seat, seen.score.game_number, seen.flow.turn_number))


def _thrower(voided: dice.Voided, seen: Seen) -> Seat | None:
    """Who throws again: the player whose throw is void, else the one on roll."""
    if voided.target is None:
        return voided.seat or (None if seen.flow.awaits_opening else seen.flow.on_roll)
    # A roll that was played on is not thrown again, whoever is named.
    step = seen.step_of(voided.target)
    return None if step is None else _thrower_of(step, seen)


def _thrower_of(step: SeenStep, seen: Seen) -> Seat | None:
    """Whose throw it was, if nothing that counts was thrown since; an opening roll is nobody's."""
    thrown, now = step.event.payload, seen.flow
    if not isinstance(thrown, dice.Rolled | dice.RolledEarly):
        return None
    is_last = step.before.score.game_number == seen.score.game_number and (
        step.before.flow.turn_number == now.turn_number and now.dice_of(thrown.seat) is None
    )
    return thrown.seat if is_last else None


def _asking(state: CubeActs, findings: tuple[Finding, ...]) -> CubeActs:
    """The state with the answers that the questions just asked are about."""
    asked = with_asked(state.asked, findings, lambda topic: _answer_on(state, topic))
    return state if asked is state.asked else replace(state, asked=asked)


def _answer_on(state: CubeActs, topic: str) -> Answer | None:
    if state.side is not None and state.side[0] == topic:
        return state.side[1]
    answer = state.phase if topic == "crawford.phase" else state.answer
    _, _, beside = topic.partition("-")
    return answer.also.get(beside) if answer is not None and beside else answer


def _started(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    """A game starts, by `game.started` or with a stated board."""
    number = seen.score.game_number
    if number == state.game_number and not isinstance(event.payload, match.GameStarted):
        return state, NOTHING
    state = replace(
        state, game_number=number, promises=(), bound=None, words=(), beaver=None, shown=None
    )
    return _phased(state, event, seen, begins=True)


def _phased(state: CubeActs, event: RecordedEvent, seen: Seen, *, begins: bool) -> Result:
    """Which game counts as the Crawford game, by the score that the one in progress has now."""
    number, length = seen.score.game_number, seen.score.length
    first = state.match_point_game
    if first == number or (first > 0 and all(game.number != first for game in seen.score.games)):
        # Its score has changed; or it has no end, and the game that starts takes its place.
        state = replace(state, match_point_game=0)
    if length is None or seen.rules.options.get("crawford") in (False, "off"):
        return state, NOTHING
    if seen.score.crawford_played and not state.match_point_game:
        state = replace(state, match_point_game=-1)
    score, with_penalties = seen.penalties.both_scores(seen.score.score)
    if not seen.score.crawford_played and max(score) < length - 1:
        # A game may only have looked like it, by a length or score that was wrong.
        state = replace(state, match_point_game=0)
    phase = _phase_of(state, score, length)
    facts = PhaseFacts(phase, _phase_of(state, with_penalties, length), length)
    if phase == CRAWFORD:
        state = replace(state, match_point_game=number)
    answer = as_ruled_before(seen.rules.ask(CRAWFORD_PHASE, facts), state.phase)
    findings = NOTHING
    if answer.is_open and CRAWFORD in (facts.phase, facts.with_penalties):
        at = said("{score}", score=f"{score.one}-{score.two}")
        if with_penalties != score:
            entered = f"{with_penalties.one}-{with_penalties.two}"
            at = said(
                "{score}, or at {entered} if the penalty points enter the score",
                score=at,
                entered=entered,
            )
        message = said(
            "a game begins at {score}; "
            "whether it is the Crawford game, without the cube, is for the Director to decide",
            score=at,
        )
        if not begins:
            message = said(
                "the game in progress is at {score}; "
                "whether it is the Crawford game, without the cube, is for the Director to decide",
                score=at,
            )
        topic = "crawford.phase"
        findings = (judged("crawford-open", event, message, answer, topic, seen.rules),)
    return replace(state, phase=answer, answer=answer), findings


def _phase_of(state: CubeActs, score: BySeat[int], length: int) -> str:
    """The phase of a game that starts at `score`, whatever the rule set makes of it."""
    if state.match_point_game:
        return AFTER
    return CRAWFORD if length - 1 in (score.one, score.two) else BEFORE


def _shown(state: CubeActs, event: RecordedEvent, stated: cube.CubeStated, seen: Seen) -> Result:
    lies, made = (stated.value, stated.owner), (seen.cube.value, seen.cube.owner)
    if event.basis.settles or lies == made:
        return (state if state.shown is None else replace(state, shown=None)), NOTHING
    is_start = seen.flow.awaits_opening or not seen.flow.in_game
    facts = ShownFacts(stated.value, stated.owner, is_start, is_disputed=False)
    if is_start:
        return _judge_shown(state, event, facts, seen)
    # During a game nothing is asked until somebody disagrees.
    return replace(state, shown=facts), NOTHING


def _disputed(state: CubeActs, event: RecordedEvent, seen: Seen) -> Result:
    if state.shown is None or state.shown.is_disputed:
        return state, NOTHING
    return _judge_shown(state, event, replace(state.shown, is_disputed=True), seen)


def _judge_shown(state: CubeActs, event: RecordedEvent, facts: ShownFacts, seen: Seen) -> Result:
    answer = seen.rules.ask(CUBE_SHOWN, facts)
    new = replace(state, answer=answer, shown=facts)
    if answer.outcome == CORRECT:
        message = said("the cube is put in the middle, at 1, before the game begins")
        return new, (judged("cube-to-centre", event, message, answer, "cube.value", seen.rules),)
    if not answer.is_open:
        return new, NOTHING
    message = said(
        "the cube shows {shown} and by the record {made}; "
        "where it belongs and what it is at is for the Director to decide",
        shown=facts.value,
        made=seen.cube.value,
    )
    return new, (judged("cube-act-open", event, message, answer, "cube.value", seen.rules),)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.Voided,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    match.MatchOpened,
    match.GameStarted,
    match.MatchNextStarted,
    match.ScoreStated,
    match.MatchLengthErrorFound,
    play.PositionStated,
    cube.DoubleOffered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeBeavered,
    cube.CubeGestured,
    cube.CubeIntentStated,
    cube.CubeStated,
    cube.CubeActionVoided,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)


FOLD = Fold(CubeActs, *(on(kind, evolve) for kind in _HEARS))
"""The fold of cube_acts."""
