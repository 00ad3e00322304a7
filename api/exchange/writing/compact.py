"""A match as one small JSON object: its games, their turns, and what such an object leaves out."""

from __future__ import annotations

from typing import Any

import msgspec

from api.exchange.writing.kinds import KEPT
from api.exchange.writing.losses import MAT, Losses
from api.exchange.writing.story import Act, Game, Kind, told
from api.exchange.writing.wanted import Wanted
from projections.board.notation import format_play
from projections.replay import Replay
from projections.views.lines import clock_line, outcome_line, position_id

_OBJECT = msgspec.structs.replace(
    MAT, loss_of={**MAT.loss_of, "position.stated": KEPT, "start.corrected": KEPT}
)
"""It holds what a .mat file holds, and boards that were stated."""

Line = dict[str, Any]


def compact(shown: Replay, *, clocks: bool, findings: bool) -> Line:
    """Games and turns, the result, and by kind how many recorded facts have no place here."""
    story = told(shown)
    losses = Losses(_OBJECT, Wanted(), shown, story)
    losses.take(story)
    games = [_game(game, number, clocks=clocks) for number, game in enumerate(story.games, 1)]
    made: Line = {"result": outcome_line(shown.state), "games": games}
    if findings:
        made["findings"] = [shown.answered(finding).as_json() for finding in shown.findings]
    made["lost"] = {loss.kind: loss.count for loss in losses.listed()}
    return made


def _game(game: Game, number: int, *, clocks: bool) -> Line:
    result = game.result
    return {
        "number": number,
        "score": {"one": game.score.one, "two": game.score.two},
        "crawford": game.is_crawford,
        "turns": [_turn(act, clocks=clocks) for act in game.acts],
        "result": None
        if result is None
        else {
            "winner": result.winner.value,
            "points": result.points,
            "kind": None if result.kind is None else result.kind.value,
            "ended_by": result.ended_by.value,
        },
    }


def _turn(act: Act, *, clocks: bool) -> Line:
    """One act; members that do not belong to its kind are left out."""
    made: Line = {
        "version": act.step.event.version,
        "act": act.kind.value,
        "seat": None if act.seat is None else act.seat.value,
    }
    if act.dice is not None:
        made["dice"] = list(act.dice)
    if act.kind is Kind.PLAY and act.end is None:
        made["play"] = format_play(act.moves, act.step.hits)
    elif act.kind in (Kind.PLAY, Kind.POSITION):
        after = act.step.after
        made["position_id"] = position_id(after.positions.board, after.flow.on_roll)
    if clocks and (clock := clock_line(act.step.after)) is not None:
        made["clock"] = msgspec.to_builtins(clock["reserve_ms"])
    return made
