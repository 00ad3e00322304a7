"""Headings and score lines of .mat files, whom they name, and where each match begins."""

from __future__ import annotations

import re

from api.exchange.mat import rows as mat_rows
from api.exchange.mat.cut import Line
from api.exchange.reading.ending import MAX_POINTS
from api.exchange.reading.facts import DIVIDE, Refused
from api.exchange.reading.sniff import LENGTH_LINE
from events.values import BySeat

MAX_LINES = 1_000_000
"""Of one file; no file of the greatest size has as many that say something."""

GAME = re.compile(r"\s*Game\s+(?:No\.?\s*|#\s*)?([0-9]{1,6})(?![0-9])(.*)$", re.I | re.S)
CRAWFORD = ("crawford", "crawford game")
"""What stands behind the number of a game, in small letters."""
_SCORE = re.compile(r":\s*([0-9]{1,7})(?=\s{2,}|\s*$)")
_SCORE_CLOSE = re.compile(r":\s*([0-9]{1,7})(?=\s)")
_LAST_SCORE = re.compile(r":\s*([0-9]{1,7})\s*$")
_THROWN = re.compile(r"(?<!\S)[0-9]{2}:")
_DECLARED = re.compile(r"Game ++([0-9]{1,5}), *+Move ++([0-9]{1,5}) ++of ++", re.I)
_ILLEGAL = re.compile(r"\bwas ++illegal", re.I)
_MARK = "\ufeff"
_JOINED = re.compile(rf"{_MARK}++(?=[ \t]*+(?:[;#]|[0-9]++[ \t]++points?[ \t]++match))", re.I)
"""Where another file begins in mid-line."""
_RATED = re.compile(r"(.+?),([0-9]{3,5}(?:\.[0-9]+)?)", re.S)


def score_line(text: str) -> tuple[tuple[str, str], BySeat[int], int] | None:
    """(names, points, column of the second name) of ` A : 0        B : 0`; None if it is none.

    Names may be empty, long, and hold blanks, commas and colons (formats.md 8.1).
    """
    last = _LAST_SCORE.search(text)
    if last is None or (mat_rows.ROW.match(text) and _THROWN.search(text)):
        return None
    rest = text[: last.start()]
    first = _SCORE.search(rest) or _SCORE_CLOSE.search(rest)
    if first is None:
        return None
    right = rest[first.end() :]
    column = first.end() + len(right) - len(right.lstrip())
    points = BySeat(int(first[1]), int(last[1]))
    if max(points) > MAX_POINTS:
        return None
    return (rest[: first.start()].strip(), right.strip()), points, column


def declared_illegal(text: str) -> tuple[int, int, str] | None:
    """(game, row, name) of `Game 1, Move 7 of Ada --> 31: 24/18 was illegal`; None if it is none.

    Taken apart piece by piece: one pattern for all of it tries every blank against every other.
    """
    if "illegal" not in text or (found := _DECLARED.search(text)) is None:
        return None
    name, _, play = text[found.end() :].partition("-->")
    name = name.strip()
    if not name or not _ILLEGAL.search(play):
        return None
    return int(found[1]), int(found[2]), name


def player_of(name: str, rating: str | None) -> dict[str, str]:
    """A player as `match.opened` has one; `A,1523` behind a name is the rating (formats.md 8.1)."""
    player = {}
    rated = _RATED.fullmatch(name)
    if rated:
        name, rating = rated[1], rated[2]
    if name:
        player["name"] = name
    if rating:
        player["rating"] = rating
    return player


def lines_of(text: str) -> list[Line]:
    """The lines of a file, without the byte order marks of files that were joined to it.

    Behind a last line that has no end, the next file begins in mid-line. Errors: Refused.
    """
    if max(text.count("\n"), text.count("\r")) > MAX_LINES:
        # Each takes a hundred bytes of memory, whether anything stands in it or not.
        raise Refused(f"the file has more than {MAX_LINES:,} lines", DIVIDE)
    lines = list(enumerate(re.split(r"\r\n|\n|\r", text), 1))
    if _MARK not in text:
        return lines
    found: list[Line] = []
    for number, line in lines:
        found += [(number, piece) for piece in _JOINED.split(line.lstrip(_MARK))]
    return found


def parted(lines: list[Line]) -> list[list[Line]]:
    """The lines of each match: from its headers on, which stand above its length line."""
    starts = []
    above = 0
    last = length = ""
    heading: tuple[int, tuple[str, str]] | None = None
    for k, (_, text) in enumerate(lines):
        stripped = text.strip()
        if not stripped:
            continue
        if stripped[0] not in ";#":
            # A length that stands there twice in a row begins no match that has no game.
            if stripped[0].isdigit() and stripped != last and LENGTH_LINE.match(text):
                is_same = stripped == length and not any(t.strip() for _, t in lines[above:k])
                if not (is_same and heading and _goes_on(lines, k + 1, heading)):
                    starts.append(above)
                    heading = None
                length = stripped
            elif stripped[0] in "Gg":
                heading = _headed(lines, k) or heading
            above = k + 1
        last = stripped
    if not starts:
        return []
    starts[0] = 0
    ends = [*starts[1:], len(lines)]
    return [lines[start:end] for start, end in zip(starts, ends, strict=True)]


def _headed(lines: list[Line], k: int) -> tuple[int, tuple[str, str]] | None:
    """The number and the names of a game whose heading is line `k`; None if none begins there."""
    if (found := GAME.match(lines[k][1])) is None:
        return None
    below = next((text for _, text in lines[k + 1 : k + 4] if text.strip()), "")
    score = score_line(below)
    return score and (int(found[1]), score[0])


def _goes_on(lines: list[Line], k: int, heading: tuple[int, tuple[str, str]]) -> bool:
    """Whether the next game of the same two follows: some write a length above every sitting."""
    while k < len(lines) and not lines[k][1].strip():
        k += 1
    following = _headed(lines, k) if k < len(lines) else None
    return following == (heading[0] + 1, heading[1])
