"""A file whose last line has no end: which part of that line is certain, and is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from api.exchange.reading.facts import Refused

Line = tuple[int, str]
"""Number from 1, and text without its end."""

_DICE = re.compile(r"(?<!\S)[1-6]{2}:")
_HEADING = re.compile(r"[ \t]*G(?:a(?:m(?:e\b.*)?)?)?$")


class CutOff(Refused):
    """The last line visibly goes on, and stops."""


def certain(lines: list[Line]) -> Iterator[tuple[list[Line], bool]]:
    """Ever less of a file that is cut off, and whether its last line may still be a part of one.

    Of a row first the word at which it stops is left out, then the play (its dice stay), then the
    roll, then the row; at last the game that had only begun.
    """
    *before, (number, text) = lines
    text = text.rstrip()
    rolled = list(_DICE.finditer(text))
    word = text.rpartition(" ")[0].rstrip()
    if word and not (rolled and rolled[-1].end() == len(text)):
        yield [*before, (number, word)], True
    if rolled:
        yield [*before, (number, f"{text[: rolled[-1].end()]} ????")], False
        yield [*before, (number, text[: rolled[-1].start()].rstrip())], True
    yield before, False
    begun = [place for place, (_, one) in enumerate(lines) if _HEADING.match(one)]
    if begun:
        yield lines[: begun[-1]], False
