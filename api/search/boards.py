"""Boards as four numbers that SQLite can look up and mask, and the boards that are near to one."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from typing import NamedTuple

from events.values import BAR
from projections.board.position import Position

_FIRST = 13
"""Places of the first number of a side; the rest are in its second one."""

_COUNT = 0b1111
"""What a place has room for: no side has more than 15 checkers."""

_DIGITS = "0123456789abcdef"

REACH = 2
"""Pips by which checkers of a near board may stand elsewhere."""


class Key(NamedTuple):
    """A board as the player on roll sees it: four bits for each point and bar, borne off left out.

    Two boards have one key where they have one Position ID.
    """

    a: int
    """Points 1 to 13 of the player on roll, the lowest bits first."""
    b: int
    """Points 14 to 24 and the bar."""
    c: int
    """The opponent's points 1 to 13, from the opponent's side."""
    d: int
    """The opponent's other points and bar."""


def key_of(position: Position) -> Key:
    """The key of a board with at most 15 checkers a side."""
    return Key(*_packed(position.own), *_packed(position.other))


def _packed(counts: tuple[int, ...]) -> tuple[int, int]:
    low = high = 0
    for place in range(_FIRST, 0, -1):
        low = low << 4 | counts[place]
    for place in range(BAR, _FIRST, -1):
        high = high << 4 | counts[place]
    return low, high


def key_named(position_id: str) -> Key:
    """The key of the board that a well-formed Position ID names, without the board being made.

    It has a run of ones for each place, that of the opponent's ace point first (`board/ids.py`).
    """
    bits = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    runs = f"{bits:080b}"[::-1].split("0")
    counts = "".join([_DIGITS[len(run)] for run in runs[2 * BAR - 1 :: -1]])
    own, other = counts[:BAR], counts[BAR:]
    cut = BAR - _FIRST
    return Key(int(own[cut:], 16), int(own[:cut], 16), int(other[cut:], 16), int(other[:cut], 16))


def position_of(key: Key) -> Position:
    """The board of a key; what is missing to 15 counts as borne off."""
    return Position(_counts(key.a, key.b), _counts(key.c, key.d))


def _counts(low: int, high: int) -> tuple[int, ...]:
    whole = low | high << 4 * _FIRST
    counts = [whole >> 4 * place & _COUNT for place in range(BAR)]
    return (15 - sum(counts), *counts)


def mask_of(free: Collection[int]) -> Key:
    """Ones where a board has to be as it was asked for.

    `free`: points that do not matter, from the side of the player on roll; 25 is that player's bar,
    0 the opponent's.
    """
    own = tuple(0 if place in free else _COUNT for place in range(BAR + 1))
    other = tuple(0 if BAR - place in free else _COUNT for place in range(BAR + 1))
    return Key(*_packed(own), *_packed(other))


def near(position: Position) -> set[Key]:
    """The board itself, and those that differ from it by at most two pips on at most two points.

    Of at most two points, whosever they are, some or all checkers stand on another point at most
    two pips away; bars and what is borne off are as they are.
    """
    base = key_of(position)
    shifts = list(_shifts(position))
    found = {base}
    for number, one in enumerate(shifts):
        moved = _plus(base, one.change)
        if one.needs is None:
            found.add(moved)
        found.update(
            _plus(moved, other.change)
            for other in shifts[number + 1 :]
            if other.origin != one.origin and one.has_room(other) and other.has_room(one)
        )
    return found


class _Shift(NamedTuple):
    """Some or all checkers of one point, on another one."""

    origin: int
    """Which point, of both sides' points."""
    is_all: bool
    """Whether none of them is left there."""
    needs: int | None
    """The point of the other side that has to be left for it; None = there is room."""
    change: Key
    """How the key changes."""

    def has_room(self, other: _Shift) -> bool:
        """Whether there is room for these where those of `other` stand elsewhere too."""
        return self.needs is None or (other.is_all and other.origin == self.needs)


def _shifts(position: Position) -> Iterator[_Shift]:
    """Whatever may stand elsewhere of each point."""
    for side, (counts, across) in enumerate(
        ((position.own, position.other), (position.other, position.own))
    ):
        for origin in range(1, BAR):
            for target in range(max(1, origin - REACH), min(BAR, origin + REACH + 1)):
                if target == origin:
                    continue
                needs = (1 - side) * BAR + BAR - target if across[BAR - target] else None
                for count in range(1, counts[origin] + 1):
                    change = _moved(side, origin, target, count)
                    yield _Shift(side * BAR + origin, count == counts[origin], needs, change)


def _moved(side: int, origin: int, target: int, count: int) -> Key:
    change = [0, 0, 0, 0]
    for place, by in ((origin, -count), (target, count)):
        index, bit = divmod(place - 1, _FIRST)
        change[2 * side + index] += by << 4 * bit
    return Key(*change)


def _plus(one: Key, other: Key) -> Key:
    return Key(one.a + other.a, one.b + other.b, one.c + other.c, one.d + other.d)
