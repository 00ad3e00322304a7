"""Boards that texts of other programs name, read by the archive: XGID and Position ID."""

from __future__ import annotations

from typing import Any

import pytest

from events.values import BySeat, Seat
from projections.board.ids import MatchId, Xgid, XgSide, position_id
from projections.board.position import Position
from tests.projections.table import men

OWN, OTHER = men("6:5 8:3 13:4 20:1 bar:2"), men("off:3 4:2 6:5 8:5")


async def named(api: Any, text: str, on_roll: str = "one") -> Any:
    return await api.http.get("/positions", params={"text": text, "on_roll": on_roll})


@pytest.mark.parametrize("label", ["", "Position ID: ", "  "])
@pytest.mark.parametrize("seat", ["one", "two"])
async def test_a_position_id_is_the_board_of_whoever_is_on_roll(
    api: Any, seat: str, label: str
) -> None:
    answer = await named(api, label + position_id(Position(OWN, OTHER)), seat)
    other = {"one": "two", "two": "one"}[seat]
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "checkers": {seat: list(OWN), other: list(OTHER)},
        "on_roll": seat,
        "cube": None,
        "dice": None,
    }


@pytest.mark.parametrize("bottom", ["one", "two"])
async def test_an_xgid_says_turn_cube_and_dice_too(api: Any, bottom: str) -> None:
    text = Xgid(
        board=Position(OWN, OTHER),
        cube_value=4,
        cube_owner=XgSide.TOP,
        on_roll=XgSide.TOP,
        dice=(5, 2),
        score_bottom=1,
        score_top=0,
        length=7,
    ).encode()
    top = {"one": "two", "two": "one"}[bottom]
    assert (await named(api, text, bottom)).json() == {
        "checkers": {bottom: list(OWN), top: list(OTHER)},
        "on_roll": top,
        "cube": {"value": 4, "owner": top, "offered_by": None},
        "dice": [5, 2],
    }


@pytest.mark.parametrize("label", ["{}:{}", "Position ID: {}\n Match ID   : {}"])
async def test_a_match_id_behind_it_says_cube_and_dice_of_whoever_is_on_roll(
    api: Any, label: str
) -> None:
    match_id = MatchId(
        cube_value=2,
        cube_owner=Seat.ONE,
        on_roll=Seat.TWO,
        to_act=Seat.TWO,
        dice=(6, 3),
        length=7,
        score=BySeat(0, 1),
    )
    text = label.format(position_id(Position(OWN, OTHER)), match_id.encode())
    assert (await named(api, text, "one")).json() == {
        "checkers": {"one": list(OWN), "two": list(OTHER)},
        "on_roll": "one",
        "cube": {"value": 2, "owner": "two", "offered_by": None},
        "dice": [6, 3],
    }


@pytest.mark.parametrize("text", ["", "4HPwATDgc", "XGID=:::::::::", "nonsense: here", "ä" * 14])
async def test_a_text_that_names_no_board_is_refused_with_the_reason(api: Any, text: str) -> None:
    answer = await named(api, text)
    assert answer.status_code == 400
    assert answer.json()["type"] == "/problems/bad-parameter"
    assert "not a" in answer.json()["detail"]
