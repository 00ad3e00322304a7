"""Points, checker moves and cubes of SGF, as letters and digits."""

from __future__ import annotations

from api.exchange.reading.game import MAX_CUBE
from events.values import BAR, OFF, CheckerMove, Seat


def point_of(letter: str, seat: Seat) -> int:
    """Point from the side of `seat`: `a` is White's ace point, `y` the bar, `z` off."""
    if letter == "y":
        return BAR
    if letter == "z":
        return OFF
    number = ord(letter) - ord("a") + 1
    return number if seat is Seat.ONE else 25 - number


def letter_of(point: int, seat: Seat) -> str:
    """The letter of a point from the side of `seat`."""
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(ord("a") - 1 + (point if seat is Seat.ONE else 25 - point))


def cube_value(raw: str) -> int | None:
    """The value of a cube; None if no cube can show it."""
    text = raw.strip()
    if not text.isascii() or not text.isdigit() or len(text) > 10:
        return None
    value = int(text)
    return value if 1 <= value <= MAX_CUBE else None


def hops_of(letters: str, seat: Seat) -> tuple[CheckerMove, ...]:
    """The checker moves of a turn: two letters each, from where to where."""
    return tuple(
        CheckerMove(point_of(letters[k], seat), point_of(letters[k + 1], seat))
        for k in range(0, len(letters), 2)
    )
