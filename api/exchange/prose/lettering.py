"""How much room a text takes in a drawing, and in which size and how much of it fits there.

A drawing is made where nobody measures letters, so each is taken to be as wide as the bold letters
of DejaVu Sans at most are, which run wider than those of most other families.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

_CUT = "\N{HORIZONTAL ELLIPSIS}"
_THIN = frozenset(" ',-./:;I\\ijl|")
_NARROW = frozenset("!()*[]`frt")
_WIDE = frozenset("%&@MWmw\N{HORIZONTAL ELLIPSIS}ÆæŒœ")
_LATIN = range(0x250)


class Lettered(NamedTuple):
    """A text as it is drawn."""

    text: str
    """All of it, or its beginning with an ellipsis."""
    size: int
    """Size of the letters, in units of the drawing."""


def lettered(text: str, room: float, sizes: Sequence[int]) -> Lettered:
    """A text in the first of these sizes, largest first, that fits; cut where none does.

    `room` is in units of the drawing, as sizes are.
    """
    for size in sizes:
        if width(text) * size <= room:
            return Lettered(text, size)
    smallest, cut = sizes[-1], _width(_CUT)
    # From its beginning: a text that is far too long would be measured once for each letter of it.
    ends = accumulate(map(_width, text))
    fitting = sum(1 for _ in takewhile(lambda end: (end + cut) * smallest <= room, ends))
    return Lettered(text[:fitting].rstrip() + _CUT, smallest)


def width(text: str) -> float:
    """About how wide a text is in bold letters, in em: rather too wide than too narrow."""
    return sum(map(_width, text))


def _width(mark: str) -> float:
    if unicodedata.combining(mark):
        return 0.0
    letter = unicodedata.normalize("NFD", mark)[0]
    if letter in _THIN:
        return 0.42
    if letter in _NARROW:
        return 0.52
    if letter in _WIDE:
        return 1.1
    other = 0.0 if ord(letter) in _LATIN else 0.15
    if letter.islower() or letter.isdigit():
        return 0.72 + other
    return 0.85 + other
