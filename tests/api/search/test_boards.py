"""Boards as numbers: no board is lost in them, and near is near by counting pips."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.search.boards import Key, key_named, key_of, mask_of, near, position_of
from projections.board.ids import position_id
from projections.board.position import STARTING, Position


@st.composite
def boards(draw: st.DrawFn) -> Position:
    """Any board with at most 15 checkers a side."""
    sides = []
    for _ in range(2):
        places = draw(st.lists(st.integers(0, 25), min_size=15, max_size=15))
        sides.append(tuple(places.count(place) for place in range(26)))
    return Position(*sides)


@given(boards())
def test_a_key_is_a_board_and_that_of_its_position_id(board: Position) -> None:
    assert position_of(key_of(board)) == board
    assert key_named(position_id(board)) == key_of(board)


@given(boards(), boards(), st.sets(st.integers(0, 25)))
def test_a_mask_leaves_out_what_does_not_matter(
    one: Position, other: Position, free: set[int]
) -> None:
    is_like = all(
        one.own[place] == other.own[place] for place in range(1, 26) if place not in free
    ) and all(
        one.other[place] == other.other[place] for place in range(1, 26) if 25 - place not in free
    )
    mask = mask_of(free)
    pairs = zip(mask, key_of(one), key_of(other), strict=True)
    assert is_like == all(ones & a == ones & b for ones, a, b in pairs)


@pytest.mark.parametrize("seed", range(3))
def test_near_boards_differ_by_two_pips_on_two_points_at_most(seed: int) -> None:
    chance = random.Random(seed)
    board = STARTING
    for _ in range(chance.randrange(12)):
        legal = list(board.legal_plays((chance.randint(1, 6), chance.randint(1, 6))))
        after = board.moved(chance.choice(legal).moves).position if legal else board
        assert after is not None
        board = after.swap()
    found = near(board)
    assert key_of(board) in found
    assert found >= set(_moved_by_hand(board))
    for key in found:
        other = position_of(key)
        for before, after_ in ((board.own, other.own), (board.other, other.other)):
            assert sum(before[1:]) == sum(after_[1:])
            assert before[25] == after_[25]
        left = [
            (side, place)
            for side, (before, after_) in enumerate(
                ((board.own, other.own), (board.other, other.other))
            )
            for place in range(1, 25)
            if after_[place] < before[place]
        ]
        assert len(left) <= 2


def test_near_boards_are_those_too_in_which_one_side_stands_where_the_other_stood() -> None:
    """All pairs of shifts that leave no point to both sides, made without a thought for room."""
    own, other = [0] * 26, [0] * 26
    own[6] = own[8] = other[25 - 5] = other[25 - 7] = 1
    own[0] = other[0] = 13
    board = Position(tuple(own), tuple(other))
    sides = (board.own, board.other)
    shifts = [
        (side, origin, origin + by, count)
        for side, counts in enumerate(sides)
        for origin in range(1, 25)
        for by in (-2, -1, 1, 2)
        if 1 <= origin + by <= 24
        for count in range(1, counts[origin] + 1)
    ]
    wanted = set()
    for made in ((), *itertools.combinations(shifts, 1), *itertools.combinations(shifts, 2)):
        if len({shift[:2] for shift in made}) < len(made):
            continue
        moved = [list(counts) for counts in sides]
        for side, origin, target, count in made:
            moved[side][origin] -= count
            moved[side][target] += count
        if not any(moved[0][place] and moved[1][25 - place] for place in range(1, 25)):
            wanted.add(key_of(Position(tuple(moved[0]), tuple(moved[1]))))
    assert {key for key in near(board) if _is_board(key)} == wanted


def _is_board(key: Key) -> bool:
    board = position_of(key)
    return not any(board.own[place] and board.other[25 - place] for place in range(1, 25))


def _moved_by_hand(board: Position) -> Iterator[Key]:
    """One checker of each point, one or two pips away, where the point is not the opponent's."""
    for place in range(1, 25):
        for target in (place - 2, place - 1, place + 1, place + 2):
            if board.own[place] and 1 <= target <= 24 and not board.other[25 - target]:
                own = list(board.own)
                own[place] -= 1
                own[target] += 1
                yield key_of(Position(tuple(own), board.other))
