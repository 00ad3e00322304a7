"""The rows of a .mat file taken apart: numbers, cells, dice and checker moves of any dialect."""

from __future__ import annotations

import itertools
import re

from api.exchange.mat.cells import Act, Cell, Mark, Row, StatedBoard, fields_of
from api.exchange.mat.sides import (
    ENDS,
    NAMED,
    WORDS,
    among_words,
    columns_of,
    crowded,
    lone,
    two,
)
from events.values import CheckerMove
from projections.board import notation

_MAX_DIGITS = 12
"""A number with more digits is larger than any cube or result; the rest of it is not read."""

MAX_MOVES = 60
"""More checker moves in one cell than this are no play."""

ROW = re.compile(r"\s*([0-9]{1,5})(?:\)|\.(?=\s))")
"""Beginning of a numbered row."""

_DICE = {f"{a}{b}:": (a, b) for a in range(1, 7) for b in range(1, 7)}
_NUMBERED = {f"{number})": number for number in range(1, 1_000)}
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
"""A time of the clock, which is no roll."""
_ANY_DICE = re.compile(rf"(?!{_TIME.pattern}\Z)([0-9])([0-9]):(.*)", re.S)
_ROW_NUMBER = re.compile(r"[0-9]{1,5}\)")
_STATED = re.compile(r"Illegal play\s*\(((?:[^;]{0,4100};){40})\s*\)?", re.I)
_ARROW = re.compile(r"(?:(?<!=)=++|(?<!-)-++)>")
_GIVES_UP = re.compile(r"(?<![0-9])([1-6][1-6]:) {0,2}(?=(?:concedes|resigns?)(?![a-z]))", re.I)
_GIVEN_UP = ("\x1bconcedes", "\x1bresigns", "\x1bresign")
_GAP = re.compile(r" {3,}")
_HIDDEN = frozenset("?" * n for n in range(1, 9))
_NO_MOVE = frozenset(("cannot move", "can't move", "no move", "no moves", "no play"))
_LEVELS = {"single": 1, "normal": 1, "gammon": 2, "backgammon": 3}
_NOWHERE = (CheckerMove(0, 0), CheckerMove(25, 25))
_REPEATS = (["(2)"], ["(3)"], ["(4)"])
_DOUBTED = ("ILLEGAL?", "????????")
"""How some programs mark a checker move of an illegal play, among its others."""
_MARKS = "!?,;."
"""What annotators write right behind a checker move."""
_REMARK = ";#([{!?"
"""What begins a remark behind checker moves."""
Hops = tuple[tuple[CheckerMove, ...], tuple[int, ...]]

_HOPS: dict[str, Hops | None] = {}
"""Words such as `8/5(2)` already read: every file is made of the same few hundred."""

_MAX_HOPS = 20_000


def hops_of(word: str) -> Hops | None:
    """The checker moves and starred points of one word such as `13/7*(2)`; None if it is none.

    `0/0` and `bar/bar`, by which some programs write that no checker was moved, are no moves.
    """
    if word in _HOPS:
        return _HOPS[word]
    found: Hops | None = None
    if len(word) <= 40 and "/" in word:
        try:
            play = notation.parse(word)
            moves = tuple(move for move in play.moves if move not in _NOWHERE)
            found = (moves, play.hits)
            if len(moves) < len(play.moves):
                return found  # not kept, so that `_roll` reads every row with such a word
        except notation.InvalidNotation:
            found = None
    if len(_HOPS) >= _MAX_HOPS:
        _HOPS.clear()  # bounded, whatever is fed in
    _HOPS[word] = found
    return found


def rows_of(line: str, right_column: int = 20) -> list[Row]:
    """The rows of one line; [] if it holds none. A row number in mid-line begins another row.

    Cells are recognised by their words, never by fixed columns, because columns shift (formats.md
    8.2). Only where a row has one cell, or an empty left one, does its distance from the row number
    or the line's beginning tell the side; `right_column` is where right cells begin.
    """
    if (plain := _of_two_rolls(line)) is not None:
        return [plain]
    if "\t" in line:
        line = line.expandtabs(8)
    stated: list[StatedBoard] = []
    if "llegal play" in line:
        line = _STATED.sub(lambda found: _stand_in(found, stated), line)
    if "&gt;" in line:
        line = line.replace("&gt;", ">")  # saved as a page of the web
    if ">" in line:
        line = _ARROW.sub(" => ", line)
    if "oncedes" in line or "esign" in line:
        # Right behind the dice it is said by the player who rolled; farther off it is a cell.
        line = _GIVES_UP.sub("\\1 \x1b", line)
    return _rows(line, right_column, stated)


def _of_two_rolls(line: str) -> Row | None:
    """A numbered row of two rolls whose words have all been read before; None for any other row.

    A fast path for most rows of a long import. The rest of this file would give the same result,
    with four times the calls; anything doubtful is left to it.
    """
    words = iter(line.split())
    number = _NUMBERED.get(next(words, ""))
    dice = _DICE.get(next(words, ""))
    if number is None or dice is None:
        return None
    left: Cell | None = None
    moves: tuple[CheckerMove, ...] = ()
    stars: tuple[int, ...] = ()
    for word in words:
        hops = _HOPS.get(word)
        if hops is not None:
            moves += hops[0]
            stars += hops[1]
            continue
        rolled = _DICE.get(word)
        if rolled is None or left is not None:
            return None
        left = _plain(dice, moves, stars)
        if left is None:
            return None
        dice, moves, stars = rolled, (), ()
    if left is None or (right := _plain(dice, moves, stars)) is None:
        return None
    return Row(number, left, right)


def _plain(
    dice: tuple[int, int], moves: tuple[CheckerMove, ...], stars: tuple[int, ...]
) -> Cell | None:
    """The cell of a roll; None where its moves need a closer look (`0/0`, or far too many)."""
    if not moves:
        return Cell(Act.ROLL, dice, mark=Mark.EMPTY)
    if len(moves) > MAX_MOVES or moves[0].from_point == moves[0].to_point:
        return None
    return Cell(Act.ROLL, dice, moves, stars)


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
    again = []
    if ")" in line[start:]:
        again = [k for k, word in enumerate(words) if _ROW_NUMBER.fullmatch(word)]
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
    is_odd = Mark.UNREADABLE in [cell.mark for cell in cells]
    if is_odd and (apart := _words_apart(line, right_column)):
        # Words in the right column do not belong to the left player's checker moves.
        *before, row = _rows(line[: apart.start()], right_column, stated)
        said = Cell(Act.UNKNOWN, text=" ".join(line[apart.end() :].split()))
        if row.right is None:
            return [*before, row._replace(right=said)]
        return [*before, row._replace(rest=(*row.rest, said))]
    if len(cells) == 2:
        left, right = cells
        if left.act is not Act.UNKNOWN and right.act is not Act.UNKNOWN:
            if right.act not in ENDS:
                return [Row(number, left, right)]  # what `two` would give, for nearly all rows
            (offset, end), (behind, _) = columns_of(line, start, words, places)
            is_apart = end + 6 <= behind <= right_column - 12
            if number == 1 and left.mark is Mark.EMPTY and right.act is Act.WIN and is_apart:
                # GNU Backgammon writes the right player's opening roll so if he then resigned.
                return [Row(number, None, left), Row(None, right, None)]
            return two(number, left, right, offset, start, right_column)
    if len(cells) > 1 and any(cell.act is Act.UNKNOWN for cell in cells):
        return among_words(line, start, number, words, cells, places, right_column)
    if len(cells) == 1:
        offset = columns_of(line, start, words, places)[0][0]
        return [lone(cells[0], offset, start, number, right_column)]
    columns = [begin for begin, _ in columns_of(line, start, words, places)]
    return [crowded(number, cells, columns, start, right_column)]


def _words_apart(line: str, right_column: int) -> re.Match[str] | None:
    """The gap before words that stand apart, in the right column or beyond; None if none do."""
    gaps = _GAP.finditer(line.rstrip(), max(1, right_column - 6))
    for gap in itertools.islice(gaps, 4):  # a row has no more cells; a long line costs no more
        if gap.end() >= right_column - 3 and not any(map(_begins, line[gap.end() :].split())):
            return gap if line[: gap.start()].strip() else None
    return None


def _stand_in(found: re.Match[str], stated: list[StatedBoard]) -> str:
    # The fields hold names, which may contain anything, so they are replaced before splitting.
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
        if word[0] == NAMED and k + 1 < len(words):
            cell, k = _spoken(words, k + 1)
            if cell.act is Act.WAS_RESIGNED:
                cell = cell._replace(act=Act.RESIGN)
            if cell.act is Act.UNKNOWN:
                cell = cell._replace(text=f"{word} {cell.text}")
            cells.append(cell._replace(of=int(word[1:])))
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
    tail: list[str] = []
    while k < count:
        word = words[k]
        hops = hops_of(word)
        if hops is not None and words[k + 1 : k + 2] in _REPEATS:
            # `6/3 (2)`
            again = hops_of(word + words[k + 1])
            if again is not None:
                hops = again
                del words[k + 1]
                count -= 1
        if hops is None and "," in word[:-1] and "/" in word:
            words[k : k + 1] = [part for part in word.split(",") if part]
            count = len(words)
            continue
        if hops is None and k > start and (word in _DOUBTED or _TIME.fullmatch(word)):
            tail.append(word)
            k += 1
            continue
        if hops is None:
            bare = word.rstrip(_MARKS)
            hops = hops_of(bare) if bare != word else None
            if hops is None:
                break
            tail += [mark for mark in [word[len(bare) :]] if mark != ","]
        if len(moves) <= MAX_MOVES:  # one more than that is known to be no play
            moves += hops[0]
            stars += hops[1]
        k += 1
    if k == start and k < count and words[k].lower() == "pass":
        return Cell(Act.ROLL, dice, mark=Mark.CANNOT_MOVE, text=words[k]), k + 1
    if k == count or _begins(words[k]):
        if k == start:
            return Cell(Act.ROLL, dice, mark=Mark.EMPTY), k
        return _played(dice, words[start:k], moves, stars, " ".join(tail)), k
    is_read = k > start and len(moves) <= MAX_MOVES
    if is_read and words[k][0] in _REMARK and words[k] not in _HIDDEN:
        behind = k
        while k < count and not _begins(words[k]):
            k += 1
        if not any("/" in word for word in words[behind:k]):
            tail += words[behind:k]
            return _played(dice, words[start:behind], moves, stars, " ".join(tail)), k
        k = behind
    if k == start and (unplayed := _unplayed(dice, words, k, stated)) is not None:
        return unplayed
    while k < count and not _begins(words[k]):
        k += 1
    return Cell(Act.ROLL, dice, mark=Mark.UNREADABLE, text=" ".join(words[start:k])), k


def _played(
    dice: tuple[int, int] | None,
    words: list[str],
    moves: tuple[CheckerMove, ...],
    stars: tuple[int, ...],
    tail: str,
) -> Cell:
    """The cell of a roll and the checker moves read from `words`, which may be none after all."""
    if len(moves) > MAX_MOVES:
        return Cell(Act.ROLL, dice, mark=Mark.UNREADABLE, text=" ".join(words))
    if all(move.from_point == move.to_point for move in moves):
        return Cell(Act.ROLL, dice, mark=Mark.CANNOT_MOVE, tail=tail)
    return Cell(Act.ROLL, dice, moves, stars, tail=tail)


def _unplayed(
    dice: tuple[int, int] | None, words: list[str], k: int, stated: list[StatedBoard]
) -> tuple[Cell, int] | None:
    """A roll behind which words stand for its checker moves, and the word after them, if known."""
    word = words[k]
    if word.lower() in _GIVEN_UP:
        return Cell(Act.ROLL, dice, mark=Mark.EMPTY, text=word[1:], concedes=True), k + 1
    if word in _HIDDEN:
        return Cell(Act.ROLL, dice, mark=Mark.HIDDEN, text=word), k + 1
    if " ".join(words[k : k + 2]).lower() in _NO_MOVE:
        text = " ".join(words[k : k + 2])
        return Cell(Act.ROLL, dice, mark=Mark.CANNOT_MOVE, text=text), k + 2
    if word[0] == "\x1b" and word[1:].isdigit() and int(word[1:]) < len(stated):
        board = stated[int(word[1:])]
        return Cell(Act.ROLL, dice, mark=Mark.STATED, text=fields_of(board)), k + 1
    return None


def _begins(word: str) -> bool:
    """Whether a word begins a cell."""
    if word in _DICE or word.lower() in WORDS or word[0] == NAMED:
        return True
    return word[0].isdigit() and _ANY_DICE.fullmatch(word) is not None


def _spoken(words: list[str], k: int) -> tuple[Cell, int]:
    """A cell in words that begins at word `k`, and the word after it."""
    act = WORDS.get(words[k].lower(), Act.UNKNOWN)
    start = k
    k += 1
    value: int | None = None
    ends_match = False
    following = [word.lower() for word in words[k : k + 2]]
    if words[start].lower() == "automatic" and following[:1] in (["double"], ["doubles"]):
        act = Act.AUTOMATIC
        k += 1
    if act in (Act.DOUBLE, Act.BEAVER, Act.RACCOON, Act.AUTOMATIC):
        # `Doubles => 2`, `Doubles 2`, `Doubles to 2`
        if (
            k + 1 < len(words) and words[k].lower() in ("=>", "to") and _is_number(words[k + 1])
        ) or words[k : k + 1] == ["=>"]:
            k += 1
        if k < len(words) and _is_number(words[k]):
            value = int(words[k][:_MAX_DIGITS])
            k += 1
    elif act in (Act.RESIGN, Act.WAS_RESIGNED):
        # `Resign normal`, `Resigns single game`, `resigns a backgammon`, `Resigned Match`
        if following[:1] == ["a"] and following[1:] and following[1] in _LEVELS:
            k += 1
        if k < len(words) and (level := words[k].lower().strip("()")) in _LEVELS:
            value = _LEVELS[level]
            k += 1
        if k < len(words) and words[k].lower() in ("game", "match"):
            k += 1
    elif act in (Act.WIN, Act.LOSS):
        if k < len(words) and _is_number(words[k]):
            value = int(words[k][:_MAX_DIGITS])
            k += 1
            if k < len(words) and words[k].lower().rstrip(_MARKS) in ("point", "points"):
                k += 1
            else:
                act = Act.UNKNOWN
        else:
            act = Act.UNKNOWN
        if " ".join(words[k : k + 3]).lower().rstrip(_MARKS) == "and the match":
            ends_match = True
            k += 3
    elif act is Act.UNKNOWN:
        while k < len(words) and not _begins(words[k]):
            k += 1
    text = " ".join(words[start:k])
    return Cell(act, value=value, text=text, ends_match=ends_match), k


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()
