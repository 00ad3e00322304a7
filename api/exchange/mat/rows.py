"""The rows of a .mat file taken apart: numbers, cells, dice and checker moves of any dialect."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

import msgspec

from events.values import BAR, CheckerMove, Seat
from projections.board import notation


class Act(enum.Enum):
    """What a cell says."""

    ROLL = "roll"
    NO_ROLL = "no roll"
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    RACCOON = "raccoon"
    WIN = "win"
    LOSS = "loss"
    RESIGN = "resign"
    WAS_RESIGNED = "was resigned"
    UNKNOWN = "unknown"


class Mark(enum.Enum):
    """What stands in the place of checker moves."""

    EMPTY = "empty"
    CANNOT_MOVE = "cannot move"
    HIDDEN = "hidden"
    STATED = "stated"
    UNREADABLE = "unreadable"


class Cell(NamedTuple):
    """One side's part of a row."""

    act: Act
    """What it says."""
    dice: tuple[int, int] | None = None
    """Faces in the order written; None where they are no faces."""
    moves: tuple[CheckerMove, ...] = ()
    """Checker moves in the order written, repeats and chains written out."""
    stars: tuple[int, ...] = ()
    """Points marked as hit."""
    mark: Mark | None = None
    """What stands in the place of checker moves; None where there are some."""
    value: int | None = None
    """The number written: cube value or points."""
    text: str = ""
    """The words of anything but a plain roll."""
    ends_match: bool = False
    """Whether it says `and the match`."""
    concedes: bool = False
    """Whether the player gives up after the roll (`62: Concedes`, `62: Resigns`)."""


class Row(NamedTuple):
    """One numbered row, or a result without a number."""

    number: int | None
    """As written; None where there is none."""
    left: Cell | None
    """What the left player did."""
    right: Cell | None
    """What the right player did, after it."""
    rest: tuple[Cell, ...] = ()
    """Cells beyond two, whose side cannot be told; at most results."""


class StatedBoard(msgspec.Struct, frozen=True):
    """The 40 fields of `Illegal play (...)`: the board after a play (formats.md 10)."""

    fields: tuple[str, ...]
    """As written."""

    @property
    def without_names(self) -> str:
        """The fields as one text, the two names left out: they are personal values."""
        kept = [*self.fields[:5], "", "", *self.fields[7:]]
        return "Illegal play (" + "".join(f"{field};" for field in kept) + ")"

    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """(26 counts of the + side, of the other side), off = missing to 15; None = no board."""
        try:
            points = [int(field) for field in self.fields[12:38]]
        except ValueError:
            return None
        plus = [0] * 26
        other = [0] * 26
        # GNU Backgammon, which is the judge, has the other side's bar first, as a negative count,
        # and the + side's bar last. Some write it the other way round: the sign tells.
        for count in (points[0], points[25]):
            (plus if count > 0 else other)[BAR] += abs(count)
        for point in range(1, 25):
            count = points[point]
            if count > 0:
                plus[point] = count
            elif count < 0:
                other[25 - point] = -count
        for side in (plus, other):
            side[0] = max(0, 15 - sum(side))
            if max(side) > 30:
                return None
        return tuple(plus), tuple(other)

    def plus_side(self) -> Seat | None:
        """Whose checkers count as +: inside a match, field 5 is 0 for the right player."""
        return {"0": Seat.TWO, "1": Seat.ONE}.get(self.fields[4].strip())


MAX_MOVES = 60
"""More checker moves in one cell than this are no play."""

ROW = re.compile(r"[ \t]*([0-9]{1,5})\)")
"""Beginning of a numbered row."""

_DICE = {f"{a}{b}:": (a, b) for a in range(1, 7) for b in range(1, 7)}
_ANY_DICE = re.compile(r"([0-9])([0-9]):(.*)", re.S)
_ROW_NUMBER = re.compile(r"[0-9]{1,5}\)")
_STATED = re.compile(r"Illegal play\s*\(((?:[^;]{0,4100};){40})\s*\)?", re.I)
_ARROW = re.compile(r"=+>")
_GIVES_UP = re.compile(r"(?<![0-9])([1-6][1-6]:) {0,2}(?=(?:concedes|resigns)(?![a-z]))", re.I)
_GIVEN_UP = ("\x1bconcedes", "\x1bresigns")
_WORDS = {
    "doubles": Act.DOUBLE,
    "redoubles": Act.DOUBLE,
    "double": Act.DOUBLE,
    "takes": Act.TAKE,
    "take": Act.TAKE,
    "accepts": Act.TAKE,
    "drops": Act.DROP,
    "drop": Act.DROP,
    "passes": Act.DROP,
    "beavers": Act.BEAVER,
    "raccoons": Act.RACCOON,
    "wins": Act.WIN,
    "losses": Act.LOSS,
    "loses": Act.LOSS,
    "resigns": Act.RESIGN,
    "concedes": Act.RESIGN,
    "resigned": Act.WAS_RESIGNED,
}
_HIDDEN = frozenset("?" * n for n in range(1, 9))

Hops = tuple[tuple[CheckerMove, ...], tuple[int, ...]]

_HOPS: dict[str, Hops | None] = {}
"""Words such as `8/5(2)` already read: every file is made of the same few hundred."""

_MAX_HOPS = 20_000


def hops_of(word: str) -> Hops | None:
    """The checker moves and starred points of one word such as `13/7*(2)`; None if it is none."""
    if word in _HOPS:
        return _HOPS[word]
    found: Hops | None = None
    if len(word) <= 40 and "/" in word:
        try:
            play = notation.parse(word)
            found = (play.moves, play.hits)
        except notation.InvalidNotation:
            found = None
    if len(_HOPS) >= _MAX_HOPS:
        _HOPS.clear()  # bounded, whatever is fed in
    _HOPS[word] = found
    return found


def rows_of(line: str, right_column: int = 20) -> list[Row]:
    """The rows of one line; [] if it holds none. A row number in mid-line begins another row.

    Cells are told apart by what they say, never by fixed columns: these shift (formats.md 8.2).
    Only a lone cell's distance from the row number, or the line's beginning, tells its side;
    `right_column` is where right cells of this game begin.
    """
    if "\t" in line:
        line = line.expandtabs(8)
    stated: list[StatedBoard] = []
    if "llegal play" in line:
        line = _STATED.sub(lambda found: _stand_in(found, stated), line)
    if "=>" in line:
        line = _ARROW.sub(" => ", line)
    if "oncedes" in line or "esigns" in line:
        # Close behind the dice it is their player's word; farther off, the other one's cell.
        line = _GIVES_UP.sub("\\1 \x1b", line)
    return _rows(line, right_column, stated)


def _rows(line: str, right_column: int, stated: list[StatedBoard]) -> list[Row]:
    numbered = ROW.match(line)
    number = None
    start = 0
    if numbered:
        number = int(numbered[1])
        start = numbered.end()
    words = line[start:].split()
    if not words:
        return [Row(number, None, None)] if numbered else []
    again = [k for k, word in enumerate(words) if word[-1] == ")" and _ROW_NUMBER.fullmatch(word)]
    if len(again) > 2:
        return [Row(number, Cell(Act.UNKNOWN, text=line.strip()), None)]
    if again:
        # `24) 43: 21/18 18/14     24)  Losses 2 point     Wins 2 point`: two rows in one line.
        place = start
        for word in words[: again[0]]:
            place = line.index(word, place) + len(word)
        place = line.index(words[again[0]], place)
        first = _rows(line[:place].rstrip(), right_column, stated)
        return first + _rows(line[place:], max(1, right_column - place), stated)
    cells, places = _cells(words, stated)
    if len(cells) == 2:
        return [Row(number, cells[0], cells[1])]
    offset = _offset(line, start)
    if len(cells) == 1:
        # Left cells stand one to three blanks after the row number; results without a number
        # at about column 6, or below the right cells.
        is_left = offset - start <= 10 if numbered else offset < max(12, right_column - 12)
        return [Row(number, cells[0], None) if is_left else Row(number, None, cells[0])]
    return [_crowded(line, start, number, words, cells, places, right_column)]


def _offset(line: str, start: int) -> int:
    while line[start].isspace():
        start += 1
    return start


def _stand_in(found: re.Match[str], stated: list[StatedBoard]) -> str:
    # The fields hold names, and names hold anything: they are taken out before words are split.
    stated.append(StatedBoard(tuple(found[1].split(";")[:40])))
    return f" \x1b{len(stated) - 1} "


def _cells(words: list[str], stated: list[StatedBoard]) -> tuple[list[Cell], list[int]]:
    """Cells in order, and the word at which each begins."""
    cells: list[Cell] = []
    places: list[int] = []
    k = 0
    while k < len(words):
        word = words[k]
        places.append(k)
        dice = _DICE.get(word)
        if dice is not None:
            cell, k = _roll(dice, words, k + 1, stated)
            cells.append(cell)
            continue
        glued = _ANY_DICE.fullmatch(word) if word[0].isdigit() else None
        if glued:
            faces = int(glued[1]), int(glued[2])
            known = _DICE.get(word[:3])
            if glued[3]:
                words[k : k + 1] = [word[:3], glued[3]]
            cell, k = _roll(known, words, k + 1, stated)
            if known is None:
                act = Act.NO_ROLL if faces == (0, 0) else Act.ROLL
                cell = cell._replace(act=act, text=" ".join(words[places[-1] : k]))
            cells.append(cell)
            continue
        cell, k = _spoken(words, k)
        cells.append(cell)
    return cells, places


def _roll(
    dice: tuple[int, int] | None, words: list[str], k: int, stated: list[StatedBoard]
) -> tuple[Cell, int]:
    """The cell of a roll whose checker moves begin at word `k`, and the word after it."""
    start = k
    count = len(words)
    moves: tuple[CheckerMove, ...] = ()
    stars: tuple[int, ...] = ()
    while k < count:
        hops = hops_of(words[k])
        if hops is None:
            break
        if len(moves) <= MAX_MOVES:  # one more than that is known to be no play
            moves += hops[0]
            stars += hops[1]
        k += 1
    if k == count or _begins(words[k]):
        if moves:
            if len(moves) > MAX_MOVES:
                text = " ".join(words[start:k])
                return Cell(Act.ROLL, dice, mark=Mark.UNREADABLE, text=text), k
            return Cell(Act.ROLL, dice, moves, stars), k
        return Cell(Act.ROLL, dice, mark=Mark.EMPTY), k
    if not moves:
        word = words[k]
        if word.lower() in _GIVEN_UP:
            return Cell(Act.ROLL, dice, mark=Mark.EMPTY, text=word[1:], concedes=True), k + 1
        if word in _HIDDEN:
            return Cell(Act.ROLL, dice, mark=Mark.HIDDEN, text=word), k + 1
        if word.lower() == "cannot" and k + 1 < count and words[k + 1].lower() == "move":
            return Cell(Act.ROLL, dice, mark=Mark.CANNOT_MOVE, text="Cannot Move"), k + 2
        if word[0] == "\x1b" and word[1:].isdigit() and int(word[1:]) < len(stated):
            board = stated[int(word[1:])]
            return Cell(Act.ROLL, dice, mark=Mark.STATED, text=_fields(board)), k + 1
    while k < count and not _begins(words[k]):
        k += 1
    return Cell(Act.ROLL, dice, mark=Mark.UNREADABLE, text=" ".join(words[start:k])), k


def _fields(board: StatedBoard) -> str:
    return ";".join(board.fields)


def stated_board(cell: Cell) -> StatedBoard:
    """The board that a cell with `Mark.STATED` gives."""
    return StatedBoard(tuple(cell.text.split(";")))


def _begins(word: str) -> bool:
    """Whether a word begins a cell."""
    if word in _DICE or word.lower() in _WORDS:
        return True
    return word[0].isdigit() and _ANY_DICE.fullmatch(word) is not None


def _spoken(words: list[str], k: int) -> tuple[Cell, int]:
    """A cell in words that begins at word `k`, and the word after it."""
    act = _WORDS.get(words[k].lower(), Act.UNKNOWN)
    start = k
    k += 1
    value: int | None = None
    ends_match = False
    if act in (Act.DOUBLE, Act.BEAVER, Act.RACCOON):
        if words[k : k + 1] == ["=>"]:
            k += 1
        if k < len(words) and _is_number(words[k]):
            value = int(words[k])
            k += 1
    elif act in (Act.WIN, Act.LOSS):
        if k < len(words) and _is_number(words[k]):
            value = int(words[k])
            k += 1
            if k < len(words) and words[k].lower() in ("point", "points"):
                k += 1
            else:
                act = Act.UNKNOWN
        else:
            act = Act.UNKNOWN
        if [word.lower() for word in words[k : k + 3]] == ["and", "the", "match"]:
            ends_match = True
            k += 3
    elif act is Act.WAS_RESIGNED:
        if k < len(words) and words[k].lower() in ("game", "match"):
            k += 1
    elif act is Act.UNKNOWN:
        while k < len(words) and not _begins(words[k]):
            k += 1
    text = " ".join(words[start:k])
    return Cell(act, value=value, text=text, ends_match=ends_match), k


def _is_number(word: str) -> bool:
    return len(word) <= 10 and word.isascii() and word.isdigit()


def _crowded(
    line: str,
    start: int,
    number: int | None,
    words: list[str],
    cells: list[Cell],
    places: list[int],
    right_column: int,
) -> Row:
    """A row of three cells or more: only where each begins tells the sides."""
    columns = []
    offset = start
    for k, word in enumerate(words):
        at = line.find(word, offset)
        offset = offset if at < 0 else at
        if k in places:
            columns.append(offset)
        offset += len(word)
    left = [c for c, column in zip(cells, columns, strict=True) if column < right_column - 3]
    right = [c for c, column in zip(cells, columns, strict=True) if column >= right_column - 3]
    if len(left) == 2 and len(right) == 1 and left[1].act in (Act.WIN, Act.LOSS, Act.RESIGN):
        return Row(number, left[0], right[0], (left[1],))
    if len(left) == 1 and len(right) == 2:
        return Row(number, left[0], right[0], (right[1],))
    return Row(number, cells[0], cells[1], tuple(cells[2:]))
