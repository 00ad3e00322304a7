"""Row numbers of a .mat game: whether the rows are counted one by one."""

from __future__ import annotations

from api.exchange.mat.cells import Act, Row
from api.exchange.mat.sides import ENDS


class Numbers:
    """The row that came last, and what its number says of the next one."""

    def __init__(self) -> None:
        self._last = 0
        self._row: Row | None = None
        self._earlier: frozenset[int] = frozenset()
        """In which columns rows of the same number rolled before that one."""

    def followed_by(self, row: Row) -> str | None:
        """What is odd about the number of the next row: one is missing, or comes again."""
        last, before = self._last, self._row
        if row.number is None:
            return None
        self._last, self._row = row.number, row
        if row.number == last:
            # It may go on: the other player's roll, or a result.
            if before is not None:
                self._earlier |= _rolled(before)
            return None if self._earlier.isdisjoint(_rolled(row)) else f"row {last} comes again"
        self._earlier = frozenset()
        if row.number == last + 1:
            return None
        if all(cell is None or cell.act in ENDS for cell in (row.left, row.right)):
            return None
        return f"row {row.number} follows row {last}" if last else "row 1 is missing"


def _rolled(row: Row) -> frozenset[int]:
    """In which columns somebody rolled."""
    cells = enumerate((row.left, row.right))
    return frozenset(place for place, cell in cells if cell and cell.act is Act.ROLL)
