"""The score: games won on the board, by drop, resignation or claim; Crawford; claims compared."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, dispute, ending, match, penalty, play
from events.payloads.base import WinKind
from events.values import OFF, ONE, BySeat
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
from projections.facts.ruled_games import (
    double_noticed,
    recounted,
    ruling_carried_out,
    ruling_made,
)
from projections.facts.told_scores import (
    length_found,
    match_ended,
    score_noted,
    score_stated,
    win_claimed,
)
from projections.folding.concessions import barred, conceded, concession_of, held
from projections.folding.fold import (
    NOTHING,
    Fold,
    Seen,
    cube_act,
    first_play,
    is_just_dropped,
    on,
    seat_of,
)


def _opened(state: Score, event: RecordedEvent, opened: match.MatchOpened, seen: Seen) -> Result:
    start = opened.score_at_start
    return (
        Score(
            score=BySeat(start.one, start.two),
            length=opened.length,
            crawford_played=opened.crawford_played,
        ),
        NOTHING,
    )


def _played(state: Score, event: RecordedEvent, made: play.PlayMade, seen: Seen) -> Result:
    """The last checker borne off ends the game."""
    seat = made.seat
    board = seen.positions.board
    if board is None or not seen.flow.in_game:
        return state, NOTHING
    counts, loser = (board.own, board.other) if seat is ONE else (board.other, board.own)
    off = counts[OFF]
    if off == 0 or sum(counts) != off:
        return state, NOTHING
    return won_at(state, event, seat, level_of(loser), EndedBy.BOARD, seen)


def _replayed(
    state: Score, event: RecordedEvent, changed: play.PlayRevised | play.PlayCorrected, seen: Seen
) -> Result:
    """A play is replaced: a game that ended since then is open again, or ends differently."""
    step = first_play(seen, event)
    if step is None:
        return state, NOTHING
    if not seen.flow.in_game:
        if len(state.games) == len(step.before.score.games):
            # The match was given away during the game, which no replaced play changes.
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


def _cube_voided(
    state: Score, event: RecordedEvent, voided: cube.CubeActionVoided, seen: Seen
) -> Result:
    """A game that a drop ended goes on if the double, or the drop, is declared void.

    For a game that ended otherwise, the text may say what it counts without that double.
    """
    step = cube_act(seen, voided.target)
    if step is None or not is_just_dropped(step.before, seen):
        return recounted(state, event, voided.target, seen), NOTHING
    return game_reopened(state, event), NOTHING


def _dropped(state: Score, event: RecordedEvent, drop: cube.DoubleDropped, seen: Seen) -> Result:
    """A drop ends the game at the value before the double, unless the double was void."""
    seat = drop.seat
    # The cube fold ran before and removed the offer; the flow still has it.
    if not seen.flow.in_game or seen.flow.answering is not seat:
        return state, NOTHING
    if seen.cube.kept_at == event.version:
        # Under the rule set the match cannot end so: the game goes on.
        return state, NOTHING
    points = seen.cube.value
    return game_won(state, event, seat.other, points, WinKind.SINGLE, EndedBy.DROP), NOTHING


def _conceded(
    state: Score,
    event: RecordedEvent,
    given_away: ending.ResignationAccepted | ending.ClaimMade | ending.ClaimRuled,
    seen: Seen,
) -> Result:
    """A game given away ends at the stated level if the rule set allows it.

    An upheld claim always ends it. A resignation without a level does not: the claim that follows
    has to say what was won.
    """
    given = held(event, seen)
    if given is not None:
        return awarded(state, event, given.winner, given.level, seen)
    offer = conceded(event, seen)
    if offer is None:
        return state, NOTHING
    if offer.level is None:
        kept = barred(event, offer, seen)
        return (state if kept is None else replace(state, concession=kept)), NOTHING
    is_resignation = isinstance(given_away, ending.ResignationAccepted)
    ended_by = EndedBy.RESIGNATION if is_resignation else EndedBy.CLAIM
    won, findings = won_at(state, event, offer.seat.other, offer.level, ended_by, seen)
    concession = concession_of(event, offer, won.games[-1].points, seen)
    if concession.is_disallowed:
        # The game goes on (design §8.8); the fold of endings makes the finding.
        return replace(state, concession=concession), NOTHING
    return replace(won, concession=concession), findings


def _board_stated(
    state: Score, event: RecordedEvent, stated: play.PositionStated, seen: Seen
) -> Result:
    """A board stated between games begins one."""
    return (state, NOTHING) if seen.flow.in_game else game_started(state, event, stated, seen)


def _unseen(state: Score, event: RecordedEvent, unseen: play.PlayUnseen, seen: Seen) -> Result:
    if unseen.spans is not play.UnseenSpan.GAMES:
        return state, NOTHING
    return replace(state, unseen_at=event.version), NOTHING


def _decided(
    state: Score,
    event: RecordedEvent,
    lost: penalty.ForfeitDeclared | penalty.PlayerDisqualified,
    seen: Seen,
) -> Result:
    return replace(state, decided=lost.seat.other), NOTHING


FOLD = Fold(
    Score,
    on(play.PlayMade, _played),
    on(play.PlayRevised, _replayed),
    on(play.PlayCorrected, _replayed),
    on(play.PlayUnseen, _unseen),
    on(play.PositionStated, _board_stated),
    on(match.MatchOpened, _opened),
    on(match.MatchLengthErrorFound, length_found),
    on(match.GameStarted, game_started),
    on(match.GameWon, win_claimed),
    on(match.ScoreNoted, score_noted),
    on(match.ScoreStated, score_stated),
    on(match.MatchEnded, match_ended),
    on(match.DecidingGameOrdered, lambda state, *_: (replace(state, has_ended=False), NOTHING)),
    on(cube.DoubleDropped, _dropped),
    on(cube.CubeActionVoided, _cube_voided),
    on(ending.ResignationAccepted, _conceded),
    on(ending.ClaimMade, _conceded),
    on(ending.ClaimRuled, _conceded),
    on(dispute.DirectorCalled, double_noticed),
    on(dispute.RulingMade, ruling_made),
    on(dispute.RulingCarriedOut, ruling_carried_out),
    on(penalty.ForfeitDeclared, _decided),
    on(penalty.PlayerDisqualified, _decided),
)
"""The score's fold."""
