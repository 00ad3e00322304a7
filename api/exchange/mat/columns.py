"""Where the right cells of a .mat game begin: learned from its own rows, not from its names."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from api.exchange.mat.cells import NEAR
from api.exchange.mat.cut import Line
from api.exchange.mat.headings import GAME, score_line

_ROW = re.compile(r"\s*[0-9]{1,5}(?:\)|\.(?=\s))")
ACT = re.compile(
    r"(?<!\S)(?:[0-9]{2}:|(?:(?:re)?doubles|takes|accepts|drops|passes|rejects|beavers|raccoons)"
    r"(?!\w))",
    re.I,
)
"""The beginning of an act: dice, or a word about the cube."""
LOOKED_AT = 100
"""Lines of a game that are looked at; the first rows are enough, however long the file is."""
_LONGEST = 1_000
"""Longer lines hold more than two plays."""
_ENOUGH = 12
"""Rows with two acts that are enough to learn the column."""
_FEW = 3
"""Rows with two acts that it takes to say that there is no column."""
_CLOSE = 2
"""Blanks between the two cells of a row that has no columns."""
_NEAREST = 25
"""No program begins them before it."""
_FARTHEST = 60
"""No program begins them behind it."""
_USUAL = 33
"""Where most programs begin them."""


class Columns(NamedTuple):
    """Where the right cells of a game begin."""

    right: int
    """Column, from 0, once tabs are blanks."""
    field: int | None = None
    """Tabs that stand before it, in games whose cells are parted by tabs; None in others."""
    is_lost: bool = False
    """Whether there are no columns, because runs of blanks have become one, as on web pages."""

    def laid_out(self, line: str) -> str:
        """The line with blanks for its tabs, so that every cell stands in its player's column."""
        if self.field is not None:
            *left, right = line.split("\t", self.field)
            if len(left) == self.field and right.strip():
                beside = "\t".join(left).expandtabs(8).rstrip()
                beside = beside.ljust(self.right) if len(beside) < self.right else f"{beside}  "
                return beside + right.expandtabs(8).lstrip()
        return line.expandtabs(8)


def by_score_line(column: int | None) -> Columns:
    """Columns by the second name of the score line, which long names may push to the right."""
    return Columns(column if column is not None and _NEAREST <= column <= _FARTHEST else _USUAL)


def learned(lines: Iterable[Line], before: Columns | None = None) -> Columns | None:
    """Where most second cells begin in the rows of a game; if no row has one, `before`.

    A long left cell pushes its right one further, so of two equally frequent places the left one
    counts. Rows whose second cell lies beyond any column (behind a remark) are ignored.
    """
    places: Counter[int] = Counter()
    alone: Counter[int] = Counter()
    fields: set[int] = set()
    gaps: set[int] = set()
    told = 0
    for text in _rows(lines):
        wide = text.expandtabs(8) if "\t" in text else text
        acts = _two_rolls(wide) or [found.start() for found in ACT.finditer(wide)]
        if len(acts) == 2 and acts[1] <= _FARTHEST:
            places[acts[1]] += 1
            gaps.add(acts[1] - len(wide[: acts[1]].rstrip()))
            told += 1
            if "\t" in text:
                *_, second = ACT.finditer(text)
                fields.add(text.count("\t", 0, second.start()))
        elif len(acts) == 1 and (number := _ROW.match(wide)) and acts[0] - number.end() > NEAR:
            alone[acts[0]] += 1
        if told == _ENOUGH:
            break
    if len(fields) == 1 and (field := fields.pop()):
        return Columns(_USUAL, field)
    found = places or alone
    if not found or (before is not None and before.is_lost and told < _FEW):
        return before
    right = min(found, key=lambda place: (-found[place], place))
    # Cells in columns stand farther behind shorter ones.
    is_close = bool(gaps) and (len(gaps) == 1 or max(gaps) <= _CLOSE)
    is_apart = told >= _FEW and max(places) > min(places) + 1
    is_lost = is_close and (is_apart or (max(gaps) == 1 and min(places) < _NEAREST))
    return Columns(right, is_lost=is_lost)


def begins_right(lines: Iterable[Line]) -> bool:
    """Whether the right player begins: the first row has one act, and another row follows."""
    acts = [len(ACT.findall(text)) for text in itertools.islice(_rows(lines), 2)]
    return len(acts) == 2 and acts[0] == 1 and acts[1] > 0


def _two_rolls(row: str) -> tuple[int, int] | None:
    """Where both rolls of a plain row begin; None for any other row, which is then searched."""
    first = row.find(":") - 2
    second = row.find(":", first + 3) - 2
    if first < 1 or second < 1 or row.find(":", second + 3) >= 0:
        return None
    one, two = row[first - 1 : first + 2], row[second - 1 : second + 2]
    is_roll = one[0] == two[0] == " " and one[1:].isdecimal() and two[1:].isdecimal()
    return (first, second) if is_roll else None


def _rows(lines: Iterable[Line]) -> Iterator[str]:
    """The numbered rows of the game that begins there."""
    for _, text in lines:
        is_short = len(text) <= _LONGEST
        if is_short and _ROW.match(text):
            yield text
        elif GAME.match(text) or (is_short and ":" in text and score_line(text) is not None):
            return
