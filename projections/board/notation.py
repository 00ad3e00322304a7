"""Plays as text, `13/7*(2)`, read and written, and boards drawn in characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from events.values import BAR, OFF, CheckerMove
from projections.board.hops import Counts


class InvalidNotation(ValueError):
    """A text that cannot be read as a play; `offset` counts characters from 0."""

    def __init__(self, text: str, offset: int, expected: str) -> None:
        super().__init__(f"{text!r} at {offset}: expected {expected}")
        self.text = text
        """The whole text that was to be read."""
        self.offset = offset
        """Where reading stopped, in characters from 0."""
        self.expected = expected
        """What would have been read there."""


class Play(msgspec.Struct, frozen=True, gc=False):
    """All checker moves of one turn; `Play.parse("13/7*(2)")`, which is also its `repr`.

    A value as written: two plays of one end position in different words are not `==`. Whether
    they come to the same is answered by the board (`play in position.legal_plays(dice)`).
    """

    moves: tuple[CheckerMove, ...] = ()
    """The checker moves in the order written; () is no play."""
    hits: tuple[int, ...] = ()
    """Points marked with a star, from the mover's side: a claim of the text, or derived."""

    @classmethod
    def parse(cls, text: str) -> Play:
        """The play that `text` says; see `notation.parse`."""
        return parse(text)

    def __str__(self) -> str:
        return format_play(self.moves, self.hits)

    def __repr__(self) -> str:
        # Only moves in another order than the canonical one need every word said.
        text = str(self)
        if parse(text) != self:
            text = _as_written(self.moves, self.hits)
        return f"Play.parse({text!r})"


def parse(text: str) -> Play:
    """Read a play in any of the usual spellings; the empty text is no play.

    Points are 1-24, `25`, `bar` or `b` for the bar, `0`, `off` or `o` for off, in any case.
    `a/b/c` is a chain, kept as one checker move for each step written; `*` marks a hit on the
    point before it; `(2)` repeats the whole chain before it, whose star may follow it: `13/7(2)*`.

    Raises:
        InvalidNotation: anything else, with the place where reading stopped.
    """
    moves: list[CheckerMove] = []
    hits: list[int] = []
    offset = _skip_blanks(text, 0)
    while offset < len(text):
        chain, starred, offset = _read_chain(text, offset)
        repeat = _REPEAT.match(text, offset)
        times = 1
        if repeat:
            times = int(repeat[1])
            offset = repeat.end()
            if text.startswith("*", offset):
                starred.append(chain[-1])
                offset += 1
        moves.extend(
            CheckerMove(chain[k], chain[k + 1]) for _ in range(times) for k in range(len(chain) - 1)
        )
        hits.extend(point for point in starred if point not in hits)
        after = _skip_blanks(text, offset)
        if after == offset and after < len(text):
            raise InvalidNotation(text, offset, "a blank or the end")
        offset = after
    return Play(tuple(moves), tuple(sorted(hits, reverse=True)))


def format_play(moves: Iterable[CheckerMove], hits: Iterable[int] = ()) -> str:
    """The canonical text of checker moves: `bar/20 13/7*(2) 4/off`; "" if there are none.

    One word for each checker move as recorded (steps are neither joined nor split), highest
    source first, then highest target; equal ones merged with `(n)`; a star at the first word
    that lands on a point in `hits`.
    """
    pairs = sorted([(m.from_point, m.to_point) for m in moves], reverse=True)
    if not hits and len(set(pairs)) == len(pairs):
        return " ".join([_WORDS[pair] for pair in pairs])
    words = []
    starred = set(hits)
    k = 0
    while k < len(pairs):
        pair = pairs[k]
        to_point = pair[1]
        times = 1
        while k + times < len(pairs) and pairs[k + times] == pair:
            times += 1
        k += times
        star = "*" if to_point in starred else ""
        starred.discard(to_point)
        words.append(f"{_WORDS[pair]}{star}{f'({times})' if times > 1 else ''}")
    return " ".join(words)


def drawn(board: Counts, *, has_pips: bool = True) -> str:
    """The board in characters, seen by the player to play: `x` own checkers, `o` the opponent's.

    Own points 13-24 above, 12-1 below, five checkers high (more are counted in the fifth row);
    between the halves the bar, opposing checkers on it above, own ones below. A point that holds
    both players' checkers shows `?`. Borne-off checkers and, if `has_pips`, the pip counts are in
    the last line.
    """
    lines = [" 13 14 15 16 17 18 |   | 19 20 21 22 23 24"]
    above = [*range(13, 19), BAR, *range(19, 25)]
    below = [*range(12, 6, -1), BAR, *range(6, 0, -1)]
    for row in range(5):
        lines.append(_drawn_row(board, above, row, bar_of_own=False))
    lines.append("-" * 19 + "|BAR|" + "-" * 18)
    for row in range(4, -1, -1):
        lines.append(_drawn_row(board, below, row, bar_of_own=True))
    lines.append(" 12 11 10  9  8  7 |   |  6  5  4  3  2  1")
    lines.append(f"x {_off(board.own, has_pips)}   o {_off(board.other, has_pips)}")
    return "\n".join(line.rstrip() for line in lines)


def _off(side: Sequence[int], has_pips: bool) -> str:
    pips = sum(point * count for point, count in enumerate(side))
    return f"{f'{pips} pips, ' if has_pips else ''}{side[OFF]} off"


_POINT = re.compile(r"(bar|off|b|o|[0-9]{1,2})(?![0-9a-z])", re.IGNORECASE)
_REPEAT = re.compile(r"\(([1-9])\)")
_BLANKS = re.compile(r"[ \t]*")


def _read_chain(text: str, offset: int) -> tuple[list[int], list[int], int]:
    """Points of one chain, those with a star, and where it ends."""
    chain: list[int] = []
    starred: list[int] = []
    while True:
        found = _POINT.match(text, offset)
        if not found:
            raise InvalidNotation(text, offset, "a point from 0 to 25, bar or off")
        point = _number(found[1])
        if point > BAR:
            raise InvalidNotation(text, offset, "a point from 0 to 25, bar or off")
        offset = found.end()
        chain.append(point)
        if len(chain) > 1 and text.startswith("*", offset):
            starred.append(point)
            offset += 1
        if not text.startswith("/", offset):
            break
        offset += 1
    if len(chain) < 2:
        raise InvalidNotation(text, offset, "/")
    return chain, starred, offset


def _number(word: str) -> int:
    return BAR if word[0] in "bB" else OFF if word[0] in "oO" else int(word)


def _name(point: int) -> str:
    return "bar" if point == BAR else "off" if point == OFF else str(point)


_WORDS = {
    (from_point, to_point): f"{_name(from_point)}/{_name(to_point)}"
    for from_point in range(BAR + 1)
    for to_point in range(BAR + 1)
}
"""Every checker move in a word."""


def _skip_blanks(text: str, offset: int) -> int:
    found = _BLANKS.match(text, offset)
    return found.end() if found else offset


def _as_written(moves: Sequence[CheckerMove], hits: Sequence[int]) -> str:
    """One word for each checker move, in the order given."""
    words = []
    starred = set(hits)
    for checker_move in moves:
        star = "*" if checker_move.to_point in starred else ""
        starred.discard(checker_move.to_point)
        words.append(f"{_name(checker_move.from_point)}/{_name(checker_move.to_point)}{star}")
    return " ".join(words)


def _drawn_row(board: Counts, points: Sequence[int], row: int, *, bar_of_own: bool) -> str:
    cells = []
    for point in points:
        if point == BAR:
            own, other = (board.own[BAR], 0) if bar_of_own else (0, board.other[BAR])
            cells.append(f" |{_drawn_cell(own, other, row)}|")
        else:
            cells.append(_drawn_cell(board.own[point], board.other[BAR - point], row))
    return "".join(cells)


def _drawn_cell(own: int, other: int, row: int) -> str:
    count = own + other
    if row == 4 and count > 5:
        return f"{count:>3}"
    if count <= row:
        return "   "
    return "  ?" if own and other else "  x" if own else "  o"
