"""Numbers of the rows of a .mat game: rows of acts are numbered one by one."""

from __future__ import annotations

from api.exchange.mat.cells import Act, Row
from api.exchange.mat.sides import ENDS


class Numbers:
    """The row that came last, and what its number says of the next one."""

    def __init__(self) -> None:
        self._last = 0
        self._rolled: set[int] = set()
        """In which columns the rows of this number rolled."""

    def followed_by(self, row: Row) -> str | None:
        """What is odd about the number of the next row: one is missing, or comes again."""
        last, before = self._last, self._rolled
        if row.number is None:
            return None
        self._last, self._rolled = row.number, _rolled(row)
        if row.number == last + 1:
            return None
        if row.number == last:
            # It may go on: the other player's roll, or a result.
            is_again = not before.isdisjoint(self._rolled)
            self._rolled |= before
            return f"row {last} comes again" if is_again else None
        if all(cell is None or cell.act in ENDS for cell in (row.left, row.right)):
            return None
        return f"row {row.number} follows row {last}" if last else "row 1 is missing"


def _rolled(row: Row) -> set[int]:
    """In which columns somebody rolled."""
    cells = enumerate((row.left, row.right))
    return {place for place, cell in cells if cell and cell.act is Act.ROLL}
