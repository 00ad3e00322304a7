"""Where a drawing has its checkers, cube and dice: the fixture that both boards share.

`tests/golden/board/drawings.json` holds these places for a dozen boards. Python's drawing makes it,
and the tablet's board is laid out by the same numbers.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from api.exchange.prose.drawing import Direction, ShownCube, ShownDice, render_board
from events.values import Seat
from projections.board.position import STARTING, Position

FIXTURE = Path(__file__).resolve().parents[2] / "golden" / "board" / "drawings.json"

SVG = "{http://www.w3.org/2000/svg}"

_SEATS = {"l": "one", "d": "two"}


def cases() -> list[dict[str, Any]]:
    """Boards, cubes and dice in both directions, and where everything lies."""
    found = []
    for number, position in enumerate(_boards()):
        for direction in Direction:
            owner = (None, Seat.ONE, Seat.TWO)[number % 3]
            offered_by = (None, Seat.ONE, None, Seat.TWO)[number % 4]
            cube = ShownCube(2**number, owner, offered_by)
            dice = ShownDice(Seat.ONE if number % 2 else Seat.TWO, (number % 6 + 1, 3))
            svg = render_board(position, cube, dice, direction=direction)
            found.append(
                {
                    "board": {"one": position.own, "two": position.other},
                    "direction": direction.value,
                    "cube": {"value": cube.value, "owner": owner, "offered_by": offered_by},
                    "dice": {"seat": dice.seat, "faces": dice.faces},
                    **_places(ElementTree.fromstring(svg)),
                }
            )
    return found


def _boards() -> list[Position]:
    """The start, high stacks, a shared point, bars, trays, and boards at random."""
    chance = random.Random(5)
    boards = [
        STARTING,
        _board({6: 15}, {6: 15}),
        _board({1: 7, 2: 8}, {1: 6, 25: 9}),
        _board({5: 3, 25: 7, 0: 5}, {20: 3, 25: 2, 0: 10}),
        _board({0: 15}, {0: 14, 3: 1}),
        _board({}, {}),
    ]
    for _ in range(6):
        boards.append(_board(_side(chance), _side(chance)))
    return boards


def _board(one: dict[int, int], two: dict[int, int]) -> Position:
    own, other = (tuple(side.get(point, 0) for point in range(26)) for side in (one, two))
    return Position(own, other)


def _side(chance: random.Random) -> dict[int, int]:
    side: dict[int, int] = {}
    for _ in range(15):
        point = chance.randint(0, 25)
        side[point] = side.get(point, 0) + 1
    return side


def _places(root: ElementTree.Element) -> dict[str, Any]:
    """Centres of the checkers drawn, from the edge inwards; numbers; corners of the dice; cube."""
    men: list[list[Any]] = []
    numbers: list[list[Any]] = []
    dice: list[list[Any]] = []
    cube: list[int] = []
    for node in root:
        href = node.get("href", "")
        x, y = (float(node.get(name, "0")) for name in ("x", "y"))
        if stack := re.fullmatch(r"#([ld])([1-5])(u?)", href):
            step = -20 if stack[3] else 20
            men += [
                [_SEATS[stack[1]], x, y + step / 2 + step * place] for place in range(int(stack[2]))
            ]
        elif re.fullmatch(r"#[ld]f[1-6]", href):
            dice.append([x, y])
        elif href == "#c":
            cube = [int(x), int(y)]
        elif node.tag == f"{SVG}path" and node.get("class") in ("ol", "od"):
            men += _slabs(node)
        elif node.tag == f"{SVG}text" and node.get("class") in ("nl", "nd", "w"):
            numbers.append([int(node.text or 0), x, y])
    return {"men": sorted(men), "numbers": sorted(numbers), "at_dice": dice, "at_cube": cube}


def _slabs(node: ElementTree.Element) -> list[list[Any]]:
    """Borne-off checkers: dashes of 4, with 1 between them, along a line."""
    line = re.fullmatch(r"M(\d+) (\d+)v(-?)(\d+)", node.get("d", ""))
    assert line is not None
    seat = _SEATS[(node.get("class") or "")[1]]
    way = -1 if line[3] else 1
    count = (int(line[4]) + 1) // 5
    return [[seat, int(line[1]), int(line[2]) + way * (2 + 5 * place)] for place in range(count)]
