"""Whose cell a row of a .mat file holds: told by its column, or by a name that stands before it."""

from __future__ import annotations

import re

from api.exchange.mat.cells import NEAR, Act, Cell, Row

WORDS = {
    "doubles": Act.DOUBLE,
    "redoubles": Act.DOUBLE,
    "double": Act.DOUBLE,
    "redouble": Act.DOUBLE,
    "takes": Act.TAKE,
    "take": Act.TAKE,
    "accepts": Act.TAKE,
    "accept": Act.TAKE,
    "drops": Act.DROP,
    "drop": Act.DROP,
    "passes": Act.DROP,
    "pass": Act.DROP,
    "rejects": Act.DROP,
    "reject": Act.DROP,
    "beavers": Act.BEAVER,
    "raccoons": Act.RACCOON,
    "wins": Act.WIN,
    "won": Act.WIN,
    "losses": Act.LOSS,
    "loses": Act.LOSS,
    "resigns": Act.RESIGN,
    "resign": Act.RESIGN,
    "concedes": Act.RESIGN,
    "resigned": Act.WAS_RESIGNED,
}
"""Words by which a cell begins, in small letters, and what they say."""

NAMED = "\x0e"
"""Stands for a player's name before what that player does; no text holds it."""

_RESULTS = (Act.WIN, Act.LOSS)
ENDS = (*_RESULTS, Act.RESIGN, Act.WAS_RESIGNED)


def named(names: tuple[str, str]) -> re.Pattern[str] | None:
    """A pattern for a player's name right before a word of the game (`Ada wins 2 points`).

    None if neither name can be distinguished from other words in rows.
    """
    first, second = names
    if first == second:
        return None
    kept = [
        name
        for name in names
        if len(name) <= 100 and name.lower() not in WORDS and re.search(r"[^\W\d_]{2}", name)
    ]
    if not kept:
        return None
    either = "|".join(re.escape(name) for name in sorted(kept, key=len, reverse=True))
    verbs = "|".join(sorted(WORDS, key=len, reverse=True))
    return re.compile(rf"(?<!\S)({either}) {{1,3}}(?=(?i:{verbs})(?!\w))")


def with_names(line: str, names: tuple[str, str], pattern: re.Pattern[str] | None) -> str:
    """The line with a sign in the place of each such name, for `rows_of`."""
    if pattern is None:
        return line
    return pattern.sub(lambda found: f" {NAMED}{names.index(found[1])} ", line)


def without_names(text: str, names: tuple[str, str]) -> str:
    """The names again in the place of their signs: what the source wrote."""
    for place, name in enumerate(names):
        text = text.replace(f"{NAMED}{place}", name)
    return text


def lone(cell: Cell, offset: int, start: int, number: int | None, right_column: int) -> Row:
    # Left cells stand one to three blanks after the row number; results without a number
    # at about column 6, or below the right cells.
    is_left = offset - start <= NEAR if number is not None else offset < max(12, right_column - 12)
    return Row(number, cell, None) if is_left else Row(number, None, cell)


def is_right(number: int | None, offset: int, start: int, right_column: int) -> bool:
    """Whether a row's first cell stands in the right column: the left one is empty."""
    return offset >= right_column - 3 and (number is None or offset - start > NEAR)


def two(
    number: int | None, first: Cell, second: Cell, offset: int, start: int, right_column: int
) -> list[Row]:
    """The rows of a line with two cells, where the left cell may be empty.

    If the first stands in the right column, a result behind it belongs to the same player. Two
    acts of the game are always one of each player.
    """
    ends = second.act in ENDS and first.act not in ENDS
    if not ends or not is_right(number, offset, start, right_column):
        return [Row(number, first, second)]
    if first.act in (Act.ROLL, Act.NO_ROLL):
        return [Row(number, None, first), Row(number, None, second)]
    # Behind a cube act a result may be anybody's: a player who drops does not win.
    return [Row(number, None, first, (second,))]


def columns_of(line: str, start: int, words: list[str], places: list[int]) -> list[tuple[int, int]]:
    """Where each cell begins and ends in its line."""
    begins: list[int] = []
    ends: list[int] = []
    offset = start
    for k, word in enumerate(words):
        at = line.find(word, offset)
        offset = offset if at < 0 else at
        if k in places:
            begins.append(offset)
            ends.append(offset)
        offset += len(word)
        ends[-1] = offset
    return list(zip(begins, ends, strict=True))


def among_words(
    line: str,
    start: int,
    number: int | None,
    words: list[str],
    cells: list[Cell],
    places: list[int],
    right_column: int,
) -> list[Row]:
    """A row that contains unknown words.

    Known words right beside unknown ones are part of a sentence and no act (`Ben drops a hint`).
    A result within a sentence still counts, but for neither side. Other cells keep their side.
    """
    columns = columns_of(line, start, words, places)
    known: list[Cell] = []
    offsets: list[int] = []
    rest: list[Cell] = []
    k = 0
    while k < len(cells):
        end = k + 1
        while end < len(cells) and columns[end][0] - columns[end - 1][1] <= 1:
            end += 1
        run = cells[k:end]
        in_words = [cell for cell in run if cell.act not in (Act.ROLL, Act.NO_ROLL)]
        if len(in_words) == len(run) > 1 and any(cell.act is Act.UNKNOWN for cell in run):
            # A result that begins a sentence has its side; what follows it says nothing.
            if run[0].act in _RESULTS:
                known.append(run[0])
                offsets.append(columns[k][0])
                rest += [Cell(Act.UNKNOWN, text=cell.text) for cell in run[1:]]
            elif any(cell.act in _RESULTS for cell in run):
                rest += run
            else:
                text = " ".join(line[columns[k][0] : columns[end - 1][1]].split())
                rest.append(Cell(Act.UNKNOWN, text=text))
        else:
            for cell, (begin, _) in zip(run, columns[k:end], strict=True):
                if cell.act is Act.UNKNOWN and len(cells) > 2:
                    rest.append(cell)
                else:
                    known.append(cell)
                    offsets.append(begin)
        k = end
    if not known:
        return [Row(number, None, None, tuple(rest))]
    if len(known) == 1:
        row = lone(known[0], offsets[0], start, number, right_column)
        return [row._replace(rest=tuple(rest))]
    if len(known) == 2:
        first, second = known
        is_left = offsets[1] < right_column - 12
        if first.act is Act.UNKNOWN and second.act is not Act.UNKNOWN and is_left:
            return [Row(number, second, None, (first, *rest))]
        row, *more = two(number, first, second, offsets[0], start, right_column)
        return [row._replace(rest=(*row.rest, *rest)), *more]
    row = crowded(number, known, offsets, start, right_column)
    return [row._replace(rest=(*row.rest, *rest))]


def crowded(
    number: int | None, cells: list[Cell], columns: list[int], start: int, right_column: int
) -> Row:
    """A row of three cells or more: only where each begins tells the sides."""
    if is_right(number, columns[0], start, right_column):
        return Row(number, None, cells[0], tuple(cells[1:]))
    left = [c for c, column in zip(cells, columns, strict=True) if column < right_column - 3]
    right = [c for c, column in zip(cells, columns, strict=True) if column >= right_column - 3]
    if len(left) == 2 and len(right) == 1 and left[1].act in (Act.WIN, Act.LOSS, Act.RESIGN):
        return Row(number, left[0], right[0], (left[1],))
    if len(left) == 1 and len(right) == 2:
        return Row(number, left[0], right[0], (right[1],))
    return Row(number, cells[0], cells[1], tuple(cells[2:]))
