"""Positions as facts: applying plays as written, counting, swapping sides, unusual boards."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.values import BAR, OFF, CheckerMove
from projections.board.notation import Play, parse
from projections.board.position import FAULTS, STARTING, EmptySource, Position

counts = st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 3, 5, 16]), min_size=26, max_size=26)
positions = st.builds(lambda own, other: Position(tuple(own), tuple(other)), counts, counts)
moves = st.lists(st.builds(CheckerMove, st.integers(0, 25), st.integers(0, 25)), max_size=5).map(
    tuple
)


def board(own: dict[int, int], other: dict[int, int] | None = None) -> Position:
    """A position from the points that hold checkers; nothing else is borne off."""
    return Position(
        *(tuple(side.get(point, 0) for point in range(26)) for side in (own, other or {}))
    )


def test_the_start_is_the_start() -> None:
    #  13 14 15 16 17 18 |   | 19 20 21 22 23 24
    #   x           o    |   |  o              x
    #   x           o    |   |  o              x
    #   x           o    |   |  o
    #   x                |   |  o
    #   x                |   |  o
    start = Position.start()
    assert start is STARTING
    assert start.swap() == start
    assert start.pip_count() == (167, 167)
    assert start.borne_off == (0, 0)
    assert start.has_contact()
    assert start.faults() == ()
    assert start.is_sound()


def test_a_blot_is_hit_and_put_on_the_bar() -> None:
    moved = board({8: 1, 6: 1}, {21: 1}).moved(parse("8/4 6/4").moves)
    assert moved.position == board({4: 2}, {BAR: 1})
    assert moved.hits == (4,)
    assert moved.blocked == ()


def test_a_blot_may_be_left_beside_the_checker_that_hit_it() -> None:
    moved = board({8: 1}, {21: 1}).moved(parse("8/4").moves, (4,))
    assert moved.position == board({4: 1}, {21: 1})
    assert moved.hits == ()


def test_hits_are_told_in_order() -> None:
    moved = board({8: 1, 6: 1}, {23: 1, 21: 1}).moved(parse("6/2 8/4").moves)
    assert moved.hits == (2, 4)


def test_two_opposing_checkers_stay_and_are_told() -> None:
    moved = board({8: 2}, {21: 2}).moved(parse("8/4(2)").moves)
    assert moved.position == board({4: 2}, {21: 2})
    assert moved.blocked == (4, 4)
    assert moved.hits == ()
    assert moved.position.faults()[-1] == "both-on-one-point"


def test_an_empty_source_leaves_the_board_unknown() -> None:
    moved = board({8: 1}).moved(parse("8/4(2)").moves)
    assert moved.position is None
    assert moved.from_empty
    with pytest.raises(EmptySource, match="no") as refused:
        board({8: 1}).after(Play.parse("9/4"))
    assert refused.value.play == Play.parse("9/4")


def test_a_source_filled_by_a_later_word_is_not_empty() -> None:
    assert board({13: 1}).moved(parse("8/5 13/8").moves).position == board({5: 1})


def test_points_that_do_not_exist_leave_the_board_unknown() -> None:
    for from_point, to_point in ((26, 3), (-1, 3), (8, -1), (8, 26)):
        assert STARTING.moved((CheckerMove(from_point, to_point),)).position is None


def test_any_shape_is_played_as_written() -> None:
    # backwards, on the own bar, back from off, off with checkers outside
    moved = board({24: 1, 6: 2, 0: 1}).moved(parse("6/10 6/bar off/3 24/off").moves)
    assert moved.position == board({10: 1, 25: 1, 3: 1, 0: 1})


def test_contact_ends_when_the_last_checkers_have_passed() -> None:
    assert board({13: 1}, {13: 1}).has_contact()  # x on 13, o on x's 12
    assert not board({12: 1}, {12: 1}).has_contact()  # x on 12, o on x's 13
    assert board({1: 1}, {BAR: 1}).has_contact()
    assert not board({1: 1}, {OFF: 15}).has_contact()


def test_faults_are_codes() -> None:
    assert board({1: 16}, {1: 3}).faults() == ("own-too-many-checkers", "other-too-few-checkers")
    assert board({1: 15}, {24: 16}).faults() == ("other-too-many-checkers", "both-on-one-point")
    assert board({0: 15}, {0: 15}).faults() == ("both-all-borne-off",)
    assert Position((), (0,) * 26).faults() == ("own-not-counts", "other-too-few-checkers")
    assert not Position((-1,) * 26, (0,) * 26).is_sound()


@given(positions)
def test_values_paste_back_and_turn_back(position: Position) -> None:
    assert eval(repr(position)) == position
    assert hash(eval(repr(position))) == hash(position)
    assert position.swap().swap() == position
    assert position.swap().pip_count() == position.pip_count()[::-1]
    assert position.swap().has_contact() == position.has_contact()
    assert set(position.faults()) <= set(FAULTS)


@given(positions, moves, st.lists(st.integers(1, 24), max_size=2))
def test_no_checker_comes_or_goes(
    position: Position, played: tuple[CheckerMove, ...], unlifted: list[int]
) -> None:
    moved = position.moved(played, unlifted)
    assert moved.from_empty == (moved.position is None)
    if moved.position is not None:
        assert sum(moved.position.own) == sum(position.own)
        assert sum(moved.position.other) == sum(position.other)
        travelled = sum(m.from_point - m.to_point for m in played)
        assert moved.position.own_pips == position.own_pips - travelled
        assert moved.position.other_pips == position.other_pips + sum(moved.hits)
        assert not set(moved.hits) & set(unlifted)
        assert moved.position.other[BAR] == position.other[BAR] + len(moved.hits)


@given(positions, moves)
def test_the_order_of_moves_does_not_change_the_end(
    position: Position, played: tuple[CheckerMove, ...]
) -> None:
    assert position.moved(played).position == position.moved(played[::-1]).position


def test_pip_counts_fall_by_the_dice_along_a_game(
    playout: Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]],
) -> None:
    chance = random.Random(5)
    for _ in range(5):
        for position, dice in playout(chance):
            most = sum(dice) * (2 if dice[0] == dice[1] else 1)
            for end, play in position.legal_plays(dice).ends.items():
                fallen = position.own_pips - end.own_pips
                assert fallen == sum(m.from_point - m.to_point for m in play.moves) <= most
                assert end.is_sound()
                assert position.after(play) == end
