"""Boards from the short texts of other programs: XGID, GNU Backgammon's Position ID."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from api.refusals import Problem
from api.routes.shared.door import json_answer
from api.shapes.documented import documented
from api.shapes.matches import Checkers, CubeOut
from api.shapes.views import PositionNamed
from events.values import Seat
from projections.board.ids import InvalidId
from projections.board.named import LONGEST, named_board
from projections.board.position import Position

router = APIRouter(tags=["views"])


@router.get(
    "/positions",
    operation_id="getNamedPosition",
    summary="Read the board that an XGID or a Position ID names",
    **documented(PositionNamed, problems=(400,), is_open=True),
)
async def get_named_position(
    text: Annotated[
        str,
        Query(
            max_length=LONGEST,
            description="An XGID, or GNU Backgammon's Position ID, with or without its Match ID.",
            examples=["4HPwATDgc/ABMA"],
        ),
    ],
    on_roll: Annotated[
        Literal["one", "two"],
        Query(description="Who is on roll in a Position ID; who sits at the bottom of an XGID."),
    ] = "one",
) -> Response:
    """Values that the text leaves out are null: a Position ID has no cube and no dice.

    If a side has fewer than 15 checkers, the missing ones count as borne off.
    """
    try:
        value = read(text, Seat(on_roll))
    except InvalidId as error:
        raise Problem("bad-parameter", str(error)) from None
    return json_answer(value)


def read(text: str, seat: Seat) -> PositionNamed:
    """What a text says of a board. Raises InvalidId."""
    named = named_board(text)
    on_roll = seat.other if named.is_top else seat
    cube = None
    if named.cube_value is not None:
        owners = {True: on_roll, False: on_roll.other, None: None}
        cube = CubeOut(value=named.cube_value, owner=owners[named.cube_owner], offered_by=None)
    dice = None if named.dice is None else list(named.dice)
    return PositionNamed(_checkers(named.position, on_roll), on_roll, cube, dice)


def _checkers(board: Position, seat: Seat) -> Checkers:
    """A board from the side of `seat`."""
    own, other = list(board.own), list(board.other)
    return Checkers(own, other) if seat is Seat.ONE else Checkers(other, own)
