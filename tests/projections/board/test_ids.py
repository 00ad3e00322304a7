"""Position ID, Match ID and XGID: known strings, both ways, and what they cannot hold."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.values import BySeat, Seat
from projections.board.ids import (
    InvalidId,
    MatchId,
    NotSayable,
    PlayState,
    Xgid,
    XgSide,
    position_from_id,
    position_id,
    position_id_or_none,
    same_match_id,
)
from projections.board.position import Position

START = "4HPwATDgc/ABMA"


@st.composite
def sides(draw: st.DrawFn) -> tuple[int, ...]:
    """15 checkers spread over 26 places."""
    counts = [0] * 26
    for point in draw(st.lists(st.integers(0, 25), min_size=15, max_size=15)):
        counts[point] += 1
    return tuple(counts)


positions = st.builds(Position, sides(), sides())


def test_the_start_has_its_famous_id() -> None:
    assert position_id(Position.start()) == START
    assert position_from_id(START) == Position.start()


@given(positions)
def test_position_ids_come_back(position: Position) -> None:
    text = position_id(position)
    assert len(text) == 14
    assert position_from_id(text) == position
    assert position_id_or_none(position) == text


def test_the_player_not_on_roll_is_written_first() -> None:
    # after 31: 8/5 6/5 by x; the first id has o on roll, the second x
    own, other = list(Position.start().own), list(Position.start().other)
    for point, change in ((8, -1), (6, -1), (5, 2)):
        own[point] += change
    before_swap = Position(tuple(own), tuple(other))
    assert position_id(before_swap.swap()) == "sGfwATDgc/ABMA"
    assert position_id(before_swap) == "4HPwATCwZ/ABMA"


def test_sixteen_checkers_have_no_position_id() -> None:
    own = list(Position.start().own)
    own[1] = 1
    position = Position(tuple(own), Position.start().other)
    assert position_id_or_none(position) is None
    with pytest.raises(NotSayable):
        position_id(position)


def test_sixteen_with_some_off_have_no_position_id() -> None:
    own = list(Position.start().own)
    own[0] = 1
    assert position_id_or_none(Position(tuple(own), Position.start().other)) is None


@pytest.mark.parametrize(
    "text", ["", START + "A", START[:-1], "!" * 14, "//////////////", "é" * 14]
)
def test_what_is_no_position_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidId):
        position_from_id(text)


match_ids = st.builds(
    MatchId,
    cube_value=st.integers(0, 15).map(lambda log2: 1 << log2),
    cube_owner=st.sampled_from([None, Seat.ONE, Seat.TWO]),
    on_roll=st.sampled_from(Seat),
    to_act=st.sampled_from(Seat),
    dice=st.none()
    | st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda d: (max(d), min(d))),
    length=st.integers(0, 32767),
    score=st.builds(BySeat, st.integers(0, 32767), st.integers(0, 32767)),
    is_crawford=st.booleans(),
    state=st.sampled_from(PlayState),
    is_doubled=st.booleans(),
    resigned=st.integers(0, 3),
    no_jacoby=st.booleans(),
)


@given(match_ids)
def test_match_ids_come_back(match_id: MatchId) -> None:
    text = match_id.encode()
    assert len(text) == 12
    assert MatchId.decode(text) == match_id


def test_a_match_id_from_the_manual() -> None:
    # GNU Backgammon's manual: QYkqASAAIAAA is 9 points, 2 to 4, cube on 2 owned by player 0,
    # player 1 to roll 5-2
    assert MatchId.decode("QYkqASAAIAAA") == MatchId(
        cube_value=2,
        cube_owner=Seat.ONE,
        on_roll=Seat.TWO,
        to_act=Seat.TWO,
        dice=(5, 2),
        length=9,
        score=BySeat(2, 4),
    )


def test_match_ids_are_compared_on_66_bits() -> None:
    assert same_match_id("cImqAAAAAAAE", "cImqAAAAAAAA")
    assert not same_match_id("cImqAAAAAAAE", "cAmqAAAAAAAE")
    with pytest.raises(InvalidId):
        same_match_id("cImqAAAAAAAE", "")


@pytest.mark.parametrize("text", ["", "cImqAAAAAAA", "cImqAAAAAAA!", "IAAAAAAAAAAA"])
def test_what_is_no_match_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidId):
        MatchId.decode(text)


def test_what_does_not_fit_into_a_match_id_is_refused() -> None:
    known = MatchId.decode("cImqAAAAAAAE")
    for cube_value, length in ((3, 5), (1 << 16, 5), (1, 40_000)):
        with pytest.raises(NotSayable):
            MatchId(
                cube_value, None, known.on_roll, known.to_act, None, length, known.score
            ).encode()


def test_the_start_as_xgid() -> None:
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5:10"
    xgid = Xgid.decode(text)
    assert xgid == Xgid(Position.start(), 1, None, XgSide.BOTTOM, (5, 2), 0, 0, 5)
    assert xgid.position == Position.start()
    assert xgid.encode() == text


def test_bars_and_cube_acts_of_an_xgid() -> None:
    text = "XGID=aB-a--E-C---eE---b-d----AA:2:-1:-1:D:1:3:0:7:10"
    xgid = Xgid.decode(text)
    assert xgid.board.own[25] == 1
    assert xgid.board.other[25] == 1
    assert xgid.position == xgid.board.swap()
    assert (xgid.cube_value, xgid.cube_owner, xgid.cube_act) == (4, XgSide.TOP, "D")
    assert xgid.encode() == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "XGID=",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5",
        "XGID=-b----E-C---eE---c-e----B:0:0:1:52:0:0:0:5:10",
        "XGID=-b----E-C---eE---c-e----z-:0:0:1:52:0:0:0:5:10",
        "XGID=Ab----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:0:52:0:0:0:5:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:72:0:0:0:5:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:x:0:0:5:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:-1:0:0:5:10",
    ],
)
def test_what_is_no_xgid_is_refused(text: str) -> None:
    with pytest.raises(InvalidId):
        Xgid.decode(text)


def test_boards_that_no_xgid_says_are_refused() -> None:
    shared = Position((0,) * 20 + (1,) + (0,) * 5, (0,) * 5 + (1,) + (0,) * 20)
    heap = Position((0,) * 20 + (17,) + (0,) * 5, (0,) * 26)
    for board in (shared, heap):
        with pytest.raises(NotSayable):
            Xgid(board, 1, None, XgSide.BOTTOM, None, 0, 0, 5).encode()


def test_ids_come_back_along_a_game(
    playout: Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]],
) -> None:
    for side in XgSide:
        for position, dice in playout(random.Random(3)):
            board = position if side is XgSide.BOTTOM else position.swap()
            xgid = Xgid(board, 1, None, side, dice, 0, 0, 0)
            assert Xgid.decode(xgid.encode()) == xgid
            assert xgid.position == position
