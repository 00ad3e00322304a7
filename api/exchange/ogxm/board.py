"""Seats, boards and points of OGXM: White is seat one, points are numbered from White's bar."""

from __future__ import annotations

from events.values import BAR, CHECKERS, OFF, CheckerMove, Seat
from projections.board.position import Position

WHITE = 1
"""The colour of seat one; `winner` counts the other way round."""

MARKERS = frozenset({24, 25, 26, 30})
"""Actions that only say that a game or a match is over."""

DOUBLE, TAKE, DROP = 21, 22, 23
RESIGN_GAME, RESIGN_MATCH, FORFEIT = 27, 28, 29
SET_POSITION, BEAVER, RACCOON, SETTLE, CUBE_SET, PASS = 31, 32, 33, 34, 36, 37

_FIRST = (0, 6, 11, 15, 18, 20)
"""Action of each doublet; the other rolls with the same lower die follow it."""


def colour_of(seat: Seat) -> int:
    """The colour of a seat."""
    return WHITE if seat is Seat.ONE else 1 - WHITE


def seat_of(colour: int) -> Seat:
    """The seat of a colour."""
    return Seat.ONE if colour == WHITE else Seat.TWO


def action_of(dice: tuple[int, int]) -> int:
    """The action of a roll."""
    low, high = sorted(dice)
    return _FIRST[low - 1] + high - low


def signed(board: Position) -> list[int]:
    """A board seen by seat one as 26 signed counts: White's positive, without those borne off."""
    points = [0] * 26
    for point in range(1, BAR + 1):
        points[BAR - point] += board.own[point]
    for point in range(1, BAR + 1):
        points[point] -= board.other[point]
    return points


def is_holdable(board: Position) -> bool:
    """Whether OGXM can hold a board: 15 checkers a side, and no point with both colours."""
    sides = (board.own, board.other)
    if any(sum(side) != CHECKERS or min(side) < 0 for side in sides):
        return False
    return not any(board.own[BAR - point] and board.other[point] for point in range(1, BAR))


def step_of(move: CheckerMove, seat: Seat) -> dict[str, int]:
    """A checker move of one die as a step."""
    start = move.from_point if seat is Seat.TWO else BAR - move.from_point
    return {"from": start, "pips": move.from_point - move.to_point}


def move_of(step: dict[str, int], seat: Seat) -> CheckerMove:
    """A step as a checker move, from the mover's side; the die may be larger than the distance."""
    start = step["from"] if seat is Seat.TWO else BAR - step["from"]
    return CheckerMove(start, max(OFF, start - step["pips"]))
