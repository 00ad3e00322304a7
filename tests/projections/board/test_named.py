"""Texts that name a board: each form is read, and other texts are refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.board.ids import InvalidId
from projections.board.named import NamedBoard, named_board
from projections.board.position import STARTING

POSITION, MATCH = "4HPwATDgc/ABMA", "cIlyAAAAAAAA"


@pytest.mark.parametrize(
    "text",
    [
        POSITION,
        f"  {POSITION}\n",
        f"Position ID: {POSITION}",
        f"GNU Backgammon  Position ID: {POSITION}",
    ],
)
def test_a_position_id_names_a_board_and_says_nothing_else(text: str) -> None:
    assert named_board(text) == NamedBoard(position=STARTING)


@pytest.mark.parametrize(
    "text",
    [
        f"{POSITION}:{MATCH}",
        f"{POSITION} {MATCH}",
        f"GNUBGID {POSITION}:{MATCH}",
        f"GNU Backgammon  Position ID: {POSITION}\n                 Match ID   : {MATCH}",
    ],
)
def test_a_match_id_behind_it_says_score_cube_and_roll(text: str) -> None:
    read = named_board(text)
    assert read.position == STARTING
    assert (read.cube_value, read.cube_owner, read.away) is not None
    assert read == named_board(f"{POSITION}:{MATCH}") != named_board(POSITION)


def test_an_xgid_is_read_for_the_player_on_roll() -> None:
    bottom = named_board("XGID=-b----E-C---eE---c-e----B-:1:1:1:13:2:3:0:7:10")
    assert bottom == NamedBoard(
        position=STARTING, dice=(3, 1), cube_value=2, cube_owner=True, away=(5, 4)
    )
    top = named_board("-b----E-C---eE---c-e----B-:1:1:-1:13:2:3:0:7:10")
    assert (top.cube_owner, top.away) == (False, (4, 5))
    money = named_board("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10")
    assert (money.away, money.dice, money.is_crawford) == ((0, 0), None, False)


@pytest.mark.parametrize("label", ["XGID=", "xgid=", "XGID: ", "XgId = ", ""])
def test_the_label_of_an_xgid_may_be_written_in_several_ways(label: str) -> None:
    text = "-b----E-C---eE---c-e----B-:1:1:1:13:2:3:0:7:10"
    assert named_board(f" {label}{text}\n") == named_board(text)


@given(st.text(max_size=60))
def test_any_text_names_a_board_or_is_refused(text: str) -> None:
    with contextlib.suppress(InvalidId):
        assert len(named_board(text).position.own) == 26
