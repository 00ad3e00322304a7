"""What the page on evidence claims has a test of that very name: no promise without one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house import rooms

PAGE = Path("api") / "evidence" / "README.md"
ROW = re.compile(r"^\|(?!---)(.*)\|$", re.M)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows(root: Path) -> list[list[str]]:
    """The cells of every row of claims: no heads, and not the room's own files behind them."""
    text = (root / PAGE).read_text("utf-8").partition(rooms.BEGIN)[0]
    cells = [[cell.strip() for cell in row.split("|")] for row in ROW.findall(text)]
    return [row for row in cells if row[-1] != "shown by"]


def test_every_test_that_the_page_names_exists(root: Path) -> None:
    named = NAMED.findall((root / PAGE).read_text("utf-8"))
    assert len(named) > 20
    for file, test in named:
        path = root / file
        assert path.is_file(), file
        assert re.search(rf"^(?:async )?def {test}\(", path.read_text("utf-8"), re.M), test


def test_every_line_names_its_test_also_where_nothing_is_proved(root: Path) -> None:
    for row in rows(root):
        assert NAMED.fullmatch(row[-1]) is not None, row


@pytest.mark.parametrize(
    "who", ["a lying scribe", "a lying director", "the operator", "a thief of a tablet"]
)
def test_nobody_who_could_lie_is_left_out(root: Path, who: str) -> None:
    assert who in {row[0] for row in rows(root)}


def test_the_page_says_what_a_bundle_does_not_show(root: Path) -> None:
    # The README in every bundle says the same in short.
    told = (root / "api" / "evidence" / "scripts" / "README").read_text("utf-8")
    assert "What it does not show" in told
    assert (root / PAGE).read_text("utf-8").count("**Not proved") >= 5
