"""Matches with one illegal play that stood, of every shape and at every place, for any format."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable

from events.payloads import dice as dices
from events.payloads import play
from events.values import BAR, OFF, CheckerMove, Dice, Seat
from projections.board.legal import is_legal
from projections.board.position import STARTING, Position
from projections.replay import Replay
from tests.projections.table import Table

Moves = tuple[CheckerMove, ...]


def _open(board: Position, point: int) -> bool:
    return point == OFF or board.other[BAR - point] < 2


def _own(board: Position) -> list[int]:
    return [point for point in range(24, 0, -1) if board.own[point]]


def _legal(board: Position, dice: Dice) -> Moves:
    return next(iter(board.legal_plays(dice))).moves


def _die_unplayed(board: Position, dice: Dice) -> Moves | None:
    moves = _legal(board, dice)
    return moves[:1] if len(moves) > 1 else None


def _wrong_pips(board: Position, dice: Dice) -> Moves | None:
    for point in _own(board):
        for pips in range(1, 7):
            if pips not in (*dice, sum(dice)) and point > pips and _open(board, point - pips):
                return (CheckerMove(point, point - pips),)
    return None


def _three_hops(board: Position, dice: Dice) -> Moves | None:
    moves = _legal(board, dice)
    if len(moves) != 2 or dice[0] == dice[1]:
        return None
    after = board.moved(moves).position
    assert after is not None
    for point in _own(after):
        if point > 1 and _open(after, point - 1):
            return (*moves, CheckerMove(point, point - 1))
    return None


def _joined_hops(board: Position, dice: Dice) -> Moves | None:
    for point in _own(board):
        to = point - sum(dice)
        if dice[0] != dice[1] and to > 0 and _open(board, to) and _open(board, point - dice[0]):
            for other in _own(board):
                if other > 1 and other != point and _open(board, other - 1):
                    return CheckerMove(point, to), CheckerMove(other, other - 1)
    return None


def _ten_pips(board: Position, dice: Dice) -> Moves | None:
    for point in _own(board):
        if dice[0] != dice[1] and point > 10 and _open(board, point - 10) and sum(dice) != 10:
            return (CheckerMove(point, point - 10),)
    return None


def _backwards(board: Position, dice: Dice) -> Moves | None:
    moves = _legal(board, dice)
    after = board.moved(moves).position
    if len(moves) != 2 or after is None:
        return None
    for point in _own(after):
        if point < 22 and _open(after, point + 2):
            return (*moves, CheckerMove(point, point + 2))
    return None


def _bar_ignored(board: Position, dice: Dice) -> Moves | None:
    if not board.own[BAR]:
        return None
    for point in _own(board):
        if point > dice[0] and _open(board, point - dice[0]):
            return (CheckerMove(point, point - dice[0]),)
    return None


def _off_too_early(board: Position, dice: Dice) -> Moves | None:
    if any(board.own[7:]) and board.own[dice[0]] and not board.own[BAR]:
        return (CheckerMove(dice[0], OFF),)
    return None


def _all_off(board: Position, dice: Dice) -> Moves | None:
    left = [point for point in _own(board) for _ in range(board.own[point])]
    is_last = len(left) <= 4 and not any(board.own[7:])
    return tuple(CheckerMove(point, OFF) for point in left) if is_last else None


def _nothing(board: Position, dice: Dice) -> Moves | None:
    return () if _legal(board, dice) else None


SHAPES: dict[str, Callable[[Position, Dice], Moves | None]] = {
    "die unplayed": _die_unplayed,
    "wrong pips": _wrong_pips,
    "three hops": _three_hops,
    "joined hops": _joined_hops,
    "ten pips": _ten_pips,
    "backwards": _backwards,
    "bar ignored": _bar_ignored,
    "off too early": _off_too_early,
    "nothing": _nothing,
    "all off": _all_off,
}
"""Shape of an illegal play to how it is made on a board with a roll, if it can be."""

PLACES = ("left", "right", "after a dance", "last play")
"""The player of the illegal play, or its place in the game; a game that ends with it is followed by
a second one."""

NEVER = {("all off", "after a dance")}
"""What does not come up: who dances is not about to win."""


@functools.cache
def match_with(shape: str, place: str) -> Replay | None:
    """A match to 5 points with such a play; None if 60 games did not have one."""
    return next(filter(None, (_attempt(shape, place, seed) for seed in range(60))), None)


def _attempt(shape: str, place: str, seed: int) -> Replay | None:
    """One game of random legal plays and the one that is not, and a second game after it."""
    chance = random.Random(seed)
    table = Table(5).game()
    board, seat = STARTING, Seat.ONE
    is_done = has_danced = False
    for turn in range(400):
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        is_place = {
            "left": seat is Seat.ONE and turn > 3,
            "right": seat is Seat.TWO and turn > 3,
            "after a dance": has_danced,
            "last play": turn > 6,
        }[place]
        moves = None
        if is_place and not is_done and list(board.legal_plays(dice)):
            moves = SHAPES[shape](board, dice)
            is_end = moves is not None and _is_over(board, moves)
            if moves is None or is_legal(board, dice, moves) or is_end != (shape == "all off"):
                moves = None
        is_here = moves is not None
        is_done |= is_here
        if moves is None:
            legal = list(board.legal_plays(dice))
            moves = chance.choice(legal).moves if legal else ()
            has_danced = not moves
        else:
            has_danced = False
        table.record(dices.Rolled(seat=seat, dice=dice)).record(
            play.PlayMade(seat=seat, moves=moves)
        )
        after = board.moved(moves).position
        assert after is not None
        if _is_over(board, moves):
            break
        board, seat = after.swap(), seat.other
        if is_here and place == "last play":
            table.resign(seat.value, "single").accept(seat.other.value)
            break
    if not is_done:
        return None
    table.game().turn("one", 31, "8/5 6/5").turn("two", 42, "8/4 6/4")
    return table.replay


def _is_over(board: Position, moves: Moves) -> bool:
    after = board.moved(moves).position
    return after is None or not any(after.own[1:])
