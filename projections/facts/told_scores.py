"""Scores that people state, compared with the games; what both agree on is taken over."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import match
from events.payloads.base import WinKind
from events.values import BySeat, Seat
from projections.facts.games import (
    EndedBy,
    GameResult,
    Result,
    Score,
    game_won,
    whole_score,
    with_score,
    won_at,
)
from projections.folding.findings import Finding, Severity, found
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said
from projections.rules.profile import CubeFault


def win_claimed(state: Score, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    """Compare a claim with the finished game, or let it end the game in progress."""
    cite = seen.rules.cite("ending")
    if seen.flow.in_game or state.unseen_at > state.ended_at:
        message = said(
            "{winner} is entered as the winner of {points} {points:point|points}: on record "
            "neither the board, a drop nor a resignation at a stated level ends the game",
            winner=won.winner,
            points=won.points,
        )
        note = found(
            "ended-by-claim", event, message, cite=cite, seat=won.winner, severity=Severity.NOTE
        )
        new, findings = _under_jacoby(state, event, won, seen)
        return new, (note, *findings)
    if not state.games:
        message = said(
            "{winner} is entered as the winner of a game, and no game was played",
            winner=won.winner,
        )
        return state, (found("outside-game", event, message, cite=cite, seat=won.winner),)
    last = state.games[-1]
    if last.winner is won.winner and last.points == won.points:
        return state, NOTHING
    message = said(
        "{winner} is entered as the winner of {points} {points:point|points}; "
        "by the record {by_games} wins {computed}",
        winner=won.winner,
        points=won.points,
        by_games=last.winner,
        computed=last.points,
    )
    if last.winner is won.winner and _is_capped(state, last, won.points):
        note = found("claim-capped", event, message, cite=cite, severity=Severity.NOTE)
        return state, (note,)
    return state, (found("claim-differs", event, message, cite=cite),)


def _under_jacoby(state: Score, event: RecordedEvent, won: match.GameWon, seen: Seen) -> Result:
    """A game that only a claim ends; the rule set may count a gammon without a double otherwise."""
    value, kind = seen.cube.value, won.kind
    if kind is not None and seen.cube.void_at and won.points == 2 * value * kind.factor:
        return _with_void_cube(state, event, won, kind, seen)
    new = game_won(state, event, won.winner, won.points, won.kind, EndedBy.CLAIM)
    if kind is None or won.points not in (value, value * kind.factor):
        # The value is not the cube's, so the Jacoby rule does not explain it.
        return new, NOTHING
    judged, findings = won_at(state, event, won.winner, kind, EndedBy.CLAIM, seen)
    if judged.gammon is None:
        return new, NOTHING
    points = judged.games[-1].points
    if points == won.points:
        return judged, findings
    if judged.gammon.is_open:
        return new, NOTHING
    message = said(
        "{winner} is entered as the winner of {points} {points:point|points} with a {kind}; "
        "without a double it counts {computed}",
        winner=won.winner,
        points=won.points,
        kind=Said(kind.value),
        computed=points,
    )
    cite = (seen.rules.profile.id, judged.gammon.section)
    return judged, (*findings, found("claim-differs", event, message, cite=cite, seat=won.winner))


def _with_void_cube(
    state: Score, event: RecordedEvent, won: match.GameWon, kind: WinKind, seen: Seen
) -> Result:
    """The finding on a game entered with the value of a double that was void."""
    judged, findings = won_at(state, event, won.winner, kind, EndedBy.CLAIM, seen)
    message = said(
        "{winner} is entered as the winner of {points} {points:point|points}; "
        "the double of this game is void, and without it the game counts {computed}",
        winner=won.winner,
        points=won.points,
        computed=judged.games[-1].points,
    )
    is_crawford = CubeFault.CRAWFORD in seen.cube.faults
    cite = seen.rules.cite("cube.crawford" if is_crawford else "cube.worth")
    return judged, (*findings, found("claim-differs", event, message, cite=cite, seat=won.winner))


def _is_capped(state: Score, last: GameResult, claimed: int) -> bool:
    """Whether a source wrote the points still needed, or the length, instead of those won."""
    if state.length is None or claimed >= last.points:
        return False
    needed = state.length - (state.score[last.winner] - last.points)
    return claimed in (needed, state.length)


def score_noted(state: Score, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    """A score on somebody\'s sheet, compared with that of the games."""
    if noted.score is None or _agrees(noted.score, state, whole_score(state, event, seen)):
        return state, NOTHING
    what = said("the source has")
    if noted.keeper is not None:
        what = said("{keeper} has noted", keeper=noted.keeper)
    return state, (_differs(state, event, what, noted.score, noted.keeper, seen),)


def _differs(
    state: Score,
    event: RecordedEvent,
    what: Said,
    score: BySeat[int],
    keeper: Seat | None,
    seen: Seen,
) -> Finding:
    whole = whole_score(state, event, seen)
    told, made = f"{score.one}-{score.two}", f"{whole.one}-{whole.two}"
    message = said("{what} {score}; the games make it {made}", what=what, score=told, made=made)
    if whole != state.score:
        message = said(
            "{what} {score}; games and penalty points make it {made}",
            what=what,
            score=told,
            made=made,
        )
    cite = seen.rules.cite("score.record")
    return found("score-differs", event, message, cite=cite, seat=keeper)


def score_stated(
    state: Score, event: RecordedEvent, stated: match.ScoreStated, seen: Seen
) -> Result:
    """A stated score: taken over if both agree on it, else compared."""
    score = stated.score
    if not event.basis.settles:
        # One side's statement is only a claim: compared, not taken over.
        if _agrees(score, state, whole_score(state, event, seen)):
            return state, NOTHING
        what = said("the score is said to be")
        return state, (_differs(state, event, what, score, None, seen),)
    findings = NOTHING
    whole = whole_score(state, event, seen)
    if score != whole and not state.unseen_at:
        told, made = f"{score.one}-{score.two}", f"{whole.one}-{whole.two}"
        message = said(
            "the score is stated as {score}; the games make it {made}", score=told, made=made
        )
        if state.set_at:
            # It was stated before, and no game may have made it.
            message = said(
                "the score is stated as {score}; before that it was {made}", score=told, made=made
            )
        elif whole != state.score:
            message = said(
                "the score is stated as {score}; games and penalty points make it {made}",
                score=told,
                made=made,
            )
        cite = seen.rules.cite("score.record")
        findings = (found("score-restated", event, message, cite=cite, severity=Severity.NOTE),)
    return with_score(state, event, score, stated.crawford_played or None, seen), findings


def length_found(
    state: Score, event: RecordedEvent, error: match.MatchLengthErrorFound, seen: Seen
) -> Result:
    """A posted length other than the recorded one; it counts unless only one side says so."""
    correct = error.correct
    if state.length in (None, correct):
        return state, NOTHING
    is_said = event.basis in _ONE_WORD
    message = said(
        "the posted length is found to be {correct} {correct:point|points}, "
        "and on record it is {length}: "
        "one of the two is wrong, and {followed} is taken to be right",
        correct=correct,
        length=state.length,
        followed=state.length if is_said else correct,
    )
    finding = found("length-differs", event, message, cite=seen.rules.cite("match_length"))
    if is_said:
        return state, (finding,)
    state = replace(state, length=correct)
    return with_score(state, event, None, None, seen), (finding,)


_ONE_WORD = (Basis.CLAIMED_BY_ONE, Basis.CLAIMED_BY_TWO, Basis.TESTIFIED)


def match_ended(state: Score, event: RecordedEvent, ended: match.MatchEnded, seen: Seen) -> Result:
    """Compare the end as claimed with the outcome; capped points are no difference."""
    new = replace(state, has_ended=True)
    differences = []
    if state.unseen_at:
        return new, NOTHING
    winner = seen.outcome.winner
    if winner is None and event.basis.settles and seen.match_length.in_doubt is not None:
        # Both take it for over by the length that it was opened to: by what they say it is.
        winner = state.winner
    is_compared = state.length is not None and not state.plays_on
    if ended.winner is not None and is_compared and ended.winner is not winner:
        differences.append(
            said("{winner} as the winner, and by the record nobody has won", winner=ended.winner)
            if winner is None
            else said(
                "{winner} as the winner, and by the record {computed} has won",
                winner=ended.winner,
                computed=winner,
            )
        )
    own = whole_score(state, event, seen)
    if ended.score is not None and not (
        _agrees(ended.score, state, own) or seen.outcome.agrees(ended.score, own, state.length)
    ):
        differences.append(
            said(
                "a score of {score}, and by the record it is {computed}",
                score=f"{ended.score.one}-{ended.score.two}",
                computed=f"{own.one}-{own.two}",
            )
        )
    if not differences:
        return new, NOTHING
    what = differences[0]
    if len(differences) > 1:
        what = said("{one}, and with {other}", one=what, other=differences[1])
    message = said("the match is said to have ended with {what}", what=what)
    cite = seen.rules.cite("result.duties")
    return new, (found("result-differs", event, message, cite=cite),)


def _agrees(claimed: BySeat[int], state: Score, whole: BySeat[int]) -> bool:
    """Whether the score is the computed one, capped or not; an unknown one contradicts nothing."""
    if claimed == whole or state.unseen_at:
        return True
    length = state.length
    return length is not None and claimed == whole.map(lambda points: min(points, length))
