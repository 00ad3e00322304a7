"""An analysis as the doors tell it: sums, choices, luck, and what is left out with the reason."""

from __future__ import annotations

from api.analysis.asking import LeftOut, asked_of
from api.analysis.engines import Judged
from api.analysis.results import Found, Match
from api.analysis.sums import sums_of
from api.shapes.analysis import AnalysisOut, BothSums, ChoiceOut, LeftOutOut, LuckOut
from api.shapes.matches import Checkers
from events.values import Seat
from projections.replay import Replay


def analysis_out(match: Match, shown: Replay, found: Found) -> AnalysisOut:
    """What was found of a match, with what no engine was asked about."""
    left_out = [one for game in asked_of(shown) for one in game.left_out]
    for game in found.games:
        left_out += [LeftOut(version, seat, "engine") for version, seat in game.unjudged]
    return AnalysisOut(
        log_id=match.log_id,
        match_id=match.match_id,
        version=shown.version,
        engine=found.by.engine,
        engine_version=found.by.version,
        preset=found.by.preset,
        players=BothSums(one=sums_of(found.games, Seat.ONE), two=sums_of(found.games, Seat.TWO)),
        choices=[
            _choice(number, one)
            for number, game in enumerate(found.games, 1)
            for one in game.judged
        ],
        luck=[
            LuckOut(version=one.version, seat=one.seat, luck=one.luck, luck_chance=one.chance)
            for game in found.games
            for one in game.luck
        ],
        left_out=[
            LeftOutOut(version=one.version, seat=one.seat, reason=one.reason)
            for one in sorted(left_out, key=lambda one: one.version)
        ],
    )


def _choice(game: int, one: Judged) -> ChoiceOut:
    checkers = None
    if one.after is not None:
        board = one.after.seen_by(one.seat)
        checkers = Checkers(one=list(board.own), two=list(board.other))
    return ChoiceOut(
        version=one.version,
        game=game,
        seat=one.seat,
        choice=one.choice,
        best=one.best,
        lost=one.lost,
        lost_chance=None if one.lost_chance is None else round(one.lost_chance, 6),
        counts=one.counts,
        level=one.level,
        best_play=one.best_play,
        checkers=checkers,
    )
