"""The golden vectors of the board are what Python computes.

`TABULARIUM_REWRITE=1 uv run pytest tests/projections/board/test_vectors.py` rewrites them;
`tests/web/test_legality.py` compares the tablet's JavaScript with the same files.
"""

from __future__ import annotations

import json
import os

import pytest

from projections.board.position import STARTING
from tests.projections.board import vectors


@pytest.mark.gate
@pytest.mark.parametrize("name", vectors.files())
def test_the_vectors_are_what_python_makes(name: str) -> None:
    text = vectors.text_of(vectors.files()[name]())
    path = vectors.FOLDER / f"{name}.json"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    # Lines, so that a difference is shown as the cases that differ.
    assert path.read_text("utf-8").splitlines() == text.splitlines()


def test_the_opening_rolls_are_among_them_with_447_ends() -> None:
    cases = json.loads((vectors.FOLDER / "legal.json").read_text("utf-8"))
    start = vectors.board_text(STARTING)
    opening = [plays.split() for board, _, plays in cases if board == start][:21]
    assert sum(map(len, opening)) == 447


def test_every_kind_of_turn_is_among_them() -> None:
    cases = json.loads((vectors.FOLDER / "legal.json").read_text("utf-8"))
    counts = {"dance": 0, "bar": 0, "overshoot": 0, "larger die": 0, **dict.fromkeys("1234", 0)}
    for board, dice, text in cases:
        plays = text.split()
        on_bar, is_doublet = board[25] != "0", dice[0] == dice[1]
        counts["dance"] += not plays and on_bar
        counts["bar"] += bool(plays) and on_bar
        counts["larger die"] += not is_doublet and bool(plays) and len(plays[0]) == 2
        counts["overshoot"] += any(
            "a" in play[1::2] and ord(play[0]) - ord("a") < int(min(dice)) for play in plays
        )
        if is_doublet and plays:
            counts[str(len(plays[0]) // 2)] += 1
    assert all(count >= 10 for count in counts.values()), counts
