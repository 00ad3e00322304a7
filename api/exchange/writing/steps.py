"""A legal play as one checker move for each die, as formats of other programs write it."""

from __future__ import annotations

from collections.abc import Sequence

from events.values import OFF, CheckerMove, Dice
from projections.board.legal import single_hops
from projections.board.position import Position


def single_steps(
    before: Position, faces: Dice, moves: Sequence[CheckerMove]
) -> tuple[CheckerMove, ...]:
    """A legal play with one checker move for each die, as written where it is so already.

    `before` is the board from the mover's side. A legal play whose moves use up every die is one
    hop a die: fewer dice give fewer pips, so no legal play need be listed to know that.
    """
    dice = faces * 2 if faces[0] == faces[1] else faces
    if len(moves) == len(dice) and all(move.to_point != OFF for move in moves):
        spans = sorted(move.from_point - move.to_point for move in moves)
        if spans == sorted(dice):
            return tuple(moves)
    steps = single_hops(before, faces, moves)
    assert steps is not None  # a legal play has steps
    return steps
