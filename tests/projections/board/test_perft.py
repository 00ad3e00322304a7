"""Perft: numbers of distinct end positions that every correct generator must find."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from projections.board import hops
from projections.board.ids import position_from_id
from projections.board.position import Position

FOLDER = Path(__file__).parents[2] / "golden" / "perft"
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


class Case(NamedTuple):
    """One line of a perft file."""

    id: str
    position: Position
    dice: tuple[int, int] | None
    depth: int
    count: int
    source: str


def read() -> list[Case]:
    """All lines of all perft files, in order; `#` begins a comment, `;` separates columns."""
    cases = []
    for path in sorted(FOLDER.glob("*.perft")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                name, board, dice, count, source = (cell.strip() for cell in line.split(";"))
                rolled = (int(dice[0]), int(dice[1])) if dice.isdigit() else None
                depth = 1 if rolled else int(dice.removeprefix("depth "))
                cases.append(Case(name, position_from_id(board), rolled, depth, int(count), source))
    return cases


def split(position: Position, depth: int) -> dict[tuple[int, int], int]:
    """Per first roll, the end positions at `depth`, counted per (result before, next roll)."""
    if depth == 1:
        return {
            dice: len(hops.every_legal(position.own, position.other, dice)) or 1 for dice in ROLLS
        }
    return {
        dice: sum(
            sum(split(end.swap(), depth - 1).values()) for end in position.legal_plays(dice).ends
        )
        for dice in ROLLS
    }


@pytest.mark.parametrize("case", read(), ids=lambda case: case.id)
def test_counts_of_end_positions_hold(case: Case) -> None:
    if case.dice:
        found = case.position.legal_plays(case.dice)
        count = len(found.ends)
        told = "\n".join(str(play) for play in found.ends.values())
    else:
        by_roll = split(case.position, case.depth)
        count = sum(by_roll.values())
        told = " ".join(f"{high}{low}:{n}" for (high, low), n in by_roll.items())
    assert count == case.count, f"\n{case.position.draw()}\n{case.source}\n{told}"


def test_every_perft_line_names_its_source() -> None:
    cases = read()
    assert len(cases) >= 23
    assert all(case.source for case in cases)
    assert len({case.id for case in cases}) == len(cases)
