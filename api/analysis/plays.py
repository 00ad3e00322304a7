"""A best play in the words that players use: by where it ends, its steps joined where none hits."""

from __future__ import annotations

from events.values import CheckerMove, Dice
from projections.board.legal import legal_plays
from projections.board.notation import format_play
from projections.board.position import Position


def play_to(before: Position, dice: Dice, after: Position) -> str | None:
    """The legal play that ends in a board, such as `24/18 13/8*`; None where none does.

    Boards are seen from the player's side.
    """
    found = legal_plays(before, dice).ends.get(after)
    if found is None:
        return None
    hits = before.moved(found.moves).hits
    return format_play(_joined(found.moves, hits), hits)


def _joined(moves: tuple[CheckerMove, ...], hits: tuple[int, ...]) -> list[CheckerMove]:
    """Moves of one checker as one, unless it hits on its way."""
    made: list[CheckerMove] = []
    for move in sorted(moves, key=lambda one: -one.from_point):
        place = next(
            (k for k, one in enumerate(made) if one.to_point == move.from_point not in hits), None
        )
        if place is None:
            made.append(move)
        else:
            made[place] = CheckerMove(made[place].from_point, move.to_point)
    return made
