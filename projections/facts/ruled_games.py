"""What rulings make of games: which is over, what it counts, which is the Crawford game.

A ruling changes the score at its own event if the game's result stands and nobody has stated the
score since. After that only `score.stated` and `ruling.carried_out` change it.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dispute
from events.payloads.base import WinKind
from events.values import BySeat
from projections.facts.games import (
    CrawfordPhase,
    EndedBy,
    GameResult,
    Result,
    Score,
    awarded,
    crawford_phase,
    game_reopened,
    game_started,
    game_won,
    in_phase,
    whole_score,
    with_score,
)
from projections.folding.concessions import held_by_ruling
from projections.folding.consequences import (
    act_taken_back,
    beaver_of,
    called_about,
    game_given,
    resignation_undone,
    was_asked,
)
from projections.folding.fold import NOTHING, Seen, SeenStep
from projections.folding.seen_facts import SeenScore
from projections.folding.seen_judged import SeenCubeActs
from projections.rules.subjects.cube_found import CUBE_FOUND
from projections.rules.subjects.cube_words import ADOPTED, CORRECTED, STANDS, UNDONE, VOID
from projections.rules.subjects.endings import MATCH_CONTINUES
from projections.rules.subjects.match_length import LENGTHS


def ruling_carried_out(
    state: Score, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Result:
    """The effect of a ruling carried out on the game in progress, or on the last one."""
    findings = NOTHING
    goes_on = carried_out.checkers is not None or carried_out.on_roll is not None
    if goes_on and (state.decided is not None or state.has_ended):
        state = replace(state, decided=None, has_ended=False)
    winner = carried_out.game_over
    if seen.flow.in_game and winner is not None:
        before = whole_score(state, event, seen)[winner]
        after = before if carried_out.score is None else carried_out.score[winner]
        state = game_won(state, event, winner, max(0, after - before), None, EndedBy.RULING)
    elif not seen.flow.in_game and carried_out.checkers is not None:
        if state.games and state.games[-1].number == state.game_number:
            # The board is set up again, so the last game goes on; the ruling states its points.
            score = state.score
            state = replace(game_reopened(state, event), score=score)
        elif not state.game_number:
            state, findings = game_started(state, event, carried_out, seen)
    return with_score(state, event, carried_out.score, carried_out.crawford_played, seen), findings


def ruling_made(state: Score, event: RecordedEvent, made: dispute.RulingMade, seen: Seen) -> Result:
    """The effect of a ruling on finished games, on the one in progress, and on its phase."""
    findings = NOTHING
    given = game_given(made, seen) or held_by_ruling(made, seen)
    taken_back = act_taken_back(made, seen)
    is_dropped = taken_back is not None and not seen.flow.in_game
    if given is not None:
        state, findings = awarded(state, event, given.winner, given.level, seen)
    elif is_dropped or resignation_undone(made, seen) is not None:
        state = game_reopened(state, event)
    for answer in made.answers:
        step = seen.step_of(answer.question.at)
        if step is None:
            continue
        match answer.question.topic:
            case "score.gammon":
                state = _gammon_ruled(state, event, step, answer.reading, seen)
            case "game.value" if was_asked(answer, seen):
                state = _level_ruled(state, event, step, answer.reading, seen)
            case "cube.answered-double" if answer.reading == UNDONE and was_asked(answer, seen):
                acts, about = seen.cube_acts, answer.question.at
                state = _recounted(state, event, acts, about, seen, CORRECTED)
            case "cube.answered-beaver" if answer.reading == UNDONE and was_asked(answer, seen):
                state = _without_beaver(state, event, answer.question.at, seen)
            case "cube.found" if was_asked(answer, seen):
                acts, called = step.before.judged.cube_acts, called_about(step)
                state = _recounted(state, event, acts, called, seen, answer.reading)
            case "crawford.phase" if was_asked(answer, seen):
                state = _phase_ruled(state, event, step, answer.reading, seen)
            case "score.record" if seen.results.is_asked(answer.question.topic, answer.question.at):
                state = _record_ruled(state, event, step, answer, seen)
            case "match.end" if was_asked(answer, seen):
                goes_on = answer.reading == MATCH_CONTINUES
                has_ended = state.has_ended and not goes_on
                state = replace(state, plays_on=goes_on, has_ended=has_ended)
            case "match-length.sheets" if answer.reading in LENGTHS:
                state = _length_ruled(state, event, step, answer.reading, seen)
            case "match-length.crawford" if seen.match_length.answer is not None:
                state = _crawford_again(state, event, answer.reading, seen)
            case _:
                continue
    return state, findings


def _length_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """Which of two lengths was agreed on, where the text leaves that open."""
    draw_sheet, score_sheet = seen.match_length.draw_sheet, step.after.score.length
    is_by_draw = reading == LENGTHS[0]
    if seen.match_length.sheets_asked is None or not (is_by_draw or state.length == draw_sheet):
        return state
    length = draw_sheet if is_by_draw else score_sheet
    return with_score(replace(state, length=length), event, None, None, seen)


def _record_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, answer: dispute.Answer, seen: Seen
) -> Score:
    """Set the score that a ruling lets prevail, if it is as unknown as when it was asked.

    An earlier ruling on the same question, such as one that an appeal has reversed, does not count
    as having made it known.
    """
    ruled = _PAIR.fullmatch(answer.reading)
    known: SeenScore = state
    for earlier in reversed(seen.steps_since(answer.question.at)):
        made, before = earlier.event.payload, earlier.before.score
        if isinstance(made, dispute.RulingMade) and known.set_at == earlier.event.version:
            is_on_it = any(one.question == answer.question for one in made.answers)
            known = before if is_on_it and before.ended_at == known.ended_at else known
    if ruled is None or _known_by(step.after.score) != _known_by(known):
        return state
    return with_score(state, event, BySeat(int(ruled[1]), int(ruled[2])), None, seen)


def _known_by(score: SeenScore) -> tuple[int, int, int]:
    """What a score is known by, or is not."""
    return score.unseen_at, score.ended_at, score.set_at


_PAIR = re.compile(r"(\d{1,6})-(\d{1,6})", re.ASCII)


def _crawford_again(state: Score, event: RecordedEvent, reading: str, seen: Seen) -> Score:
    """After a wrong length: whether the Crawford game, played with the cube, is still to come."""
    played = {"again": False, "spent": True}.get(reading)
    if played is None or (seen.flow.in_game and not seen.flow.awaits_opening):
        # During a game, only `score.stated` or `ruling.carried_out` says so.
        return state
    state = replace(state, crawford_played=played)
    return in_phase(state, event, seen) if seen.flow.in_game else state


def _counts(state: Score, event: RecordedEvent, result: GameResult, new: GameResult) -> Score:
    """Change what a game counts, if the score is still the one that it made."""
    if result.version <= state.set_at or new == result:
        return state
    points = state.score[new.winner] + new.points - result.points
    return replace(
        state,
        score=state.score.put(new.winner, max(0, points)),
        games=tuple(new if game is result else game for game in state.games),
        revalued_at=event.version,
    )


def _result_of(state: Score, step: SeenStep) -> GameResult | None:
    """The game that ended at a step, if its result stands."""
    return next((game for game in state.games if game.version == step.event.version), None)


def _gammon_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """A gammon under Jacoby counts, or is a single game."""
    then = step.after
    asked = then.score.gammon
    if asked is None or not asked.is_open:
        return state
    if state.gammon is not None and state.ended_at == step.event.version:
        state = replace(state, gammon=state.gammon.ruled(reading, event.version))
    result = _result_of(state, step)
    if result is None or result.kind is None or reading not in asked.readings:
        return state
    points = then.cube.value * (1 if reading == "single" else result.kind.factor)
    new = replace(result, points=points)
    return _rephased(_counts(state, event, result, new), event, seen)


def _level_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """The level of a game in which a player did not have fifteen checkers."""
    result = _result_of(state, step)
    then = step.after
    # Whether a gammon counts at all, under Jacoby, is a question of its own.
    if result is None or then.score.gammon is not None or reading not in _LEVELS:
        return state
    kind = WinKind(reading)
    new = replace(result, kind=kind, points=then.cube.value * kind.factor)
    return _rephased(_counts(state, event, result, new), event, seen)


_LEVELS = frozenset(kind.value for kind in WinKind)


def double_noticed(
    state: Score, event: RecordedEvent, called: dispute.DirectorCalled, seen: Seen
) -> Result:
    """A wrong double is noticed: the text may say what its game counts."""
    return recounted(state, event, called.about, seen), NOTHING


def recounted(state: Score, event: RecordedEvent, about: str | None, seen: Seen) -> Score:
    """A finished game with a wrong double, as the text lets it count."""
    return _recounted(state, event, seen.cube_acts, about, seen)


def _recounted(
    state: Score,
    event: RecordedEvent,
    acts: SeenCubeActs,
    about: str | None,
    seen: Seen,
    reading: str | None = None,
) -> Score:
    """A game with a wrong double, as the text or a ruling lets it count."""
    double = acts.noticed(about)
    result = next(
        (game for game in state.games if double and game.number == double.game_number), None
    )
    if double is None or result is None:
        return state
    facts = acts.found_facts(double, state.games, state.length)
    outcome = reading or seen.rules.ask(CUBE_FOUND, facts).outcome
    if outcome in (CORRECTED, VOID):
        points = facts.points
    elif outcome == STANDS and double.verdict.outcome == VOID:
        # The double was held void, and the game counted without it.
        points = facts.turned_points
    else:
        return state
    new = replace(result, points=points)
    return _rephased(_counts(state, event, result, new), event, seen)


def _without_beaver(state: Score, event: RecordedEvent, at: str, seen: Seen) -> Score:
    """A game that was played on at a beavered cube counts half of that."""
    beaver = beaver_of(at, seen)
    if beaver is None or beaver.facts.reply != "accept":
        return state
    result = next((game for game in state.games if game.number == beaver.game_number), None)
    if result is None or result.ended_by in (EndedBy.CLAIM, EndedBy.RULING):
        return state
    new = replace(result, points=result.points // 2)
    return _rephased(_counts(state, event, result, new), event, seen)


def _rephased(state: Score, event: RecordedEvent, seen: Seen) -> Score:
    """A game of which nothing but its start is recorded takes its phase from the new score."""
    is_new = state.revalued_at == event.version and seen.flow.in_game and seen.flow.awaits_opening
    return in_phase(state, event, seen) if is_new else state


_PHASES = {
    "pre_crawford": CrawfordPhase.BEFORE,
    "crawford": CrawfordPhase.CRAWFORD,
    "post_crawford": CrawfordPhase.AFTER,
}


def _phase_ruled(
    state: Score, event: RecordedEvent, step: SeenStep, reading: str, seen: Seen
) -> Score:
    """The phase of the game that was asked about, and of those that come after it."""
    after, then = step.after, step.after.score
    phase = _PHASES.get(reading)
    if reading == ADOPTED:
        state = replace(state, is_crawford_adopted=True)
        phase = crawford_phase(
            after.match_score,
            by_games=then.score,
            length=then.length,
            is_in_force=True,
            was_played=then.crawford_played,
        )
    elif phase is None and state.is_crawford_adopted:
        # It was adopted by an earlier ruling, and is so no more.
        phase = CrawfordPhase.NONE
        state = replace(state, is_crawford_adopted=False, phase=phase)
    if phase is None:
        return state
    is_last = then.game_number == state.game_number
    was_held = then.is_crawford_game or (is_last and state.is_crawford_game)
    if is_last:
        state = replace(state, phase=phase)
    if is_last and seen.flow.in_game:
        return state
    was_crawford = phase is CrawfordPhase.CRAWFORD
    played = was_crawford or (state.crawford_played and not was_held)
    state = replace(state, crawford_played=played)
    return state if is_last or not seen.flow.in_game else in_phase(state, event, seen)
