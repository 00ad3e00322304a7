"""What the rows of a .mat file are taken apart into: rows, cells, and boards that are stated."""

from __future__ import annotations

import enum
from typing import NamedTuple

import msgspec

from events.values import BAR, CheckerMove, Seat

NEAR = 10
"""Left cells begin no farther behind the number of their row than this."""


class Act(enum.Enum):
    """What a cell says."""

    ROLL = "roll"
    NO_ROLL = "no roll"
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    AUTOMATIC = "automatic double"
    RACCOON = "raccoon"
    WIN = "win"
    LOSS = "loss"
    RESIGN = "resign"
    WAS_RESIGNED = "was resigned"
    UNKNOWN = "unknown"


class Mark(enum.Enum):
    """What is written instead of checker moves."""

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
    """What is written instead of checker moves; None if there are some."""
    value: int | None = None
    """The number written: cube value or points."""
    text: str = ""
    """The words of anything but a plain roll."""
    ends_match: bool = False
    """Whether it says `and the match`."""
    concedes: bool = False
    """Whether the player gives up after the roll (`62: Concedes`, `62: Resigns`)."""
    tail: str = ""
    """What stands behind checker moves and is none: marks such as `!`, a remark in brackets."""
    of: int | None = None
    """Whose name stands before it: 0 = the first one's, 1 = the second one's; None = nobody's."""


class Row(NamedTuple):
    """One numbered row, or a result without a number."""

    number: int | None
    """As written; None where there is none."""
    left: Cell | None
    """What the left player did."""
    right: Cell | None
    """What the right player did, after it."""
    rest: tuple[Cell, ...] = ()
    """What has no side: results beyond two cells, or behind words; and words that say nothing."""


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


def fields_of(board: StatedBoard) -> str:
    """The fields as one text, which `stated_board` takes apart again."""
    return ";".join(board.fields)


def stated_board(cell: Cell) -> StatedBoard:
    """The board that a cell with `Mark.STATED` gives."""
    return StatedBoard(tuple(cell.text.split(";")))
