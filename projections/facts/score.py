"""The score: games won on the board, by drop, resignation or claim; Crawford; claims compared."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import OFF, ONE, BySeat, Seat
from projections.facts.games import (
    EndedBy,
    Result,
    Score,
    awarded,
    game_reopened,
    game_started,
    game_won,
    level_of,
    won_at,
)
from projections.facts.ruled_games import double_noticed, ruling_carried_out, ruling_made
from projections.facts.told_scores import (
    length_found,
    match_ended,
    score_noted,
    score_stated,
    win_claimed,
)
from projections.folding.concessions import conceded, concession_of, held
from projections.folding.fold import (
    NOTHING,
    Fold,
    Seen,
    cube_act,
    first_play,
    is_just_dropped,
    seat_of,
)
from projections.rules.profile import Rules


def evolve(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """The score after one event."""
    match event.payload:
        case play.PlayMade(seat=seat):
            return _played(state, event, seat, seen)
        case match.GameStarted():
            return game_started(state, event, seen)
        case match.GameWon() as won:
            return win_claimed(state, event, won, seen)
        case cube.DoubleDropped(seat=seat):
            return _dropped(state, event, seat, seen)
        case cube.CubeActionVoided(target=target):
            return _cube_voided(state, event, target, seen), NOTHING
        case ending.ResignationAccepted() | ending.ClaimMade() | ending.ClaimRuled():
            return _conceded(state, event, seen)
        case match.ScoreNoted() as noted:
            return score_noted(state, event, noted, seen)
        case match.ScoreStated() as stated:
            return score_stated(state, event, stated, seen)
        case match.MatchOpened() as opened:
            return _opened(state, opened)
        case match.MatchLengthErrorFound(correct=correct):
            return length_found(state, event, correct, seen)
        case play.PlayRevised() | play.PlayCorrected():
            return _replayed(state, event, seen)
        case play.PositionStated():
            # A board stated between games begins one.
            return (state, NOTHING) if seen.flow.in_game else game_started(state, event, seen)
        case play.PlayUnseen(spans=play.UnseenSpan.GAMES):
            return replace(state, unseen_at=event.version), NOTHING
        case match.MatchEnded() as ended:
            return match_ended(state, event, ended, seen)
        case dispute.RulingMade() as made:
            return ruling_made(state, event, made, seen)
        case dispute.DirectorCalled(about=about):
            return double_noticed(state, event, about, seen), NOTHING
        case dispute.RulingCarriedOut() as carried_out:
            return ruling_carried_out(state, event, carried_out, seen)
        case penalty.ForfeitDeclared(seat=seat) | penalty.PlayerDisqualified(seat=seat):
            return replace(state, decided=seat.other), NOTHING
        case _:
            return state, NOTHING


def _opened(state: Score, opened: match.MatchOpened) -> Result:
    start = opened.score_at_start
    return (
        Score(
            score=BySeat(start.one, start.two),
            length=opened.length,
            crawford_played=opened.crawford_played,
        ),
        NOTHING,
    )


def _played(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """The last checker borne off ends the game."""
    board = seen.positions.board
    if board is None or not seen.flow.in_game:
        return state, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    off = counts[OFF]
    if off == 0 or sum(counts) != off:
        return state, NOTHING
    return won_at(state, event, seat, level_of(loser), EndedBy.BOARD, seen)


def _replayed(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """Another play in the target's place: a game that ended since is open, or ends anew."""
    step = first_play(seen, event)
    if step is None:
        return state, NOTHING
    if not seen.flow.in_game:
        if len(state.games) == len(step.before.score.games):
            # The match was given away in mid-game: no play brings that back.
            return state, NOTHING
        state = game_reopened(state, event)
    board = seen.positions.board
    seat = seat_of(step)
    if board is None:
        return state, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    if not counts[OFF] or sum(counts) != counts[OFF]:
        return state, NOTHING
    return won_at(state, event, seat, level_of(loser), EndedBy.BOARD, seen)


def _cube_voided(state: Score, event: RecordedEvent, target: str, seen: Seen) -> Score:
    """A game that a drop ended goes on where the double, or the drop, is declared void."""
    step = cube_act(seen, target)
    if step is None or not is_just_dropped(step.before, seen):
        return state
    return game_reopened(state, event)


def _dropped(state: Score, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A drop ends the game at the value before the double, unless the double was void."""
    # The cube fold ran already and took the offer away; what it was stands in the flow.
    if not seen.flow.in_game or seen.flow.answering is not seat:
        return state, NOTHING
    if seen.cube.kept_at == event.version:
        # Under the rule set the match cannot end so: the game goes on.
        return state, NOTHING
    points = seen.cube.value
    return game_won(state, event, seat.other, points, WinKind.SINGLE, EndedBy.DROP), NOTHING


def _conceded(state: Score, event: RecordedEvent, seen: Seen) -> Result:
    """A game given away ends at its level, where the rule set lets it; a claim held, in any case.

    A resignation without a level ends nothing: the claim that follows has to say what was won.
    """
    given = held(event, seen)
    if given is not None:
        return awarded(state, event, given.winner, given.level, seen)
    offer = conceded(event, seen)
    if offer is None or offer.level is None:
        return state, NOTHING
    is_resignation = isinstance(event.payload, ending.ResignationAccepted)
    ended_by = EndedBy.RESIGNATION if is_resignation else EndedBy.CLAIM
    won, findings = won_at(state, event, offer.seat.other, offer.level, ended_by, seen)
    concession = concession_of(event, offer, won.games[-1].points, seen)
    if concession.is_disallowed:
        # It is found by the fold of endings, and the game goes on (design §8.8).
        return replace(state, concession=concession), NOTHING
    return replace(won, concession=concession), findings


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    play.PositionStated,
    match.MatchOpened,
    match.MatchLengthErrorFound,
    match.GameStarted,
    match.GameWon,
    match.ScoreNoted,
    match.ScoreStated,
    match.MatchEnded,
    cube.DoubleDropped,
    cube.CubeActionVoided,
    ending.ResignationAccepted,
    ending.ClaimMade,
    ending.ClaimRuled,
    dispute.DirectorCalled,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Score:
    """Nothing played, no length known."""
    return Score()


FOLD: Fold[Score] = Fold("score", _HEARS, initial, evolve)
"""The score's fold."""
