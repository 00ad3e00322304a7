"""Small values that all floors share: seats, dice, points, checker moves, units."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Annotated, Generic, TypeVar

import msgspec

A = TypeVar("A")
B = TypeVar("B")

MAX_SAFE_INTEGER = 2**53 - 1
"""Largest integer that a sealed body may hold (RFC 8785 3.2.2.3, RFC 7493 2.2)."""

OFF = 0
"""Point number of a checker that is borne off, from its owner's side."""

BAR = 25
"""Point number of the bar, where a hit checker waits, from its owner's side."""

CHECKERS = 15
"""Checkers that each player starts a game with."""

Die = Annotated[int, msgspec.Meta(ge=1, le=6, description="The face of one die, 1 to 6.")]
Dice = Annotated[
    tuple[Die, Die], msgspec.Meta(description="Two faces in the order in which they were read.")
]
Point = Annotated[
    int,
    msgspec.Meta(ge=0, le=25, description="1-24 from the mover's own ace point; 25 bar, 0 off."),
]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_SAFE_INTEGER)]
Milliseconds = Annotated[
    int,
    msgspec.Meta(
        ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER, description="Whole milliseconds; may be < 0."
    ),
]
Duration = Annotated[
    int, msgspec.Meta(ge=0, le=MAX_SAFE_INTEGER, description="Whole milliseconds; never negative.")
]
Points = Annotated[
    int, msgspec.Meta(ge=0, le=1_000_000, description="Points of a game, a match or a penalty.")
]
MatchLength = Annotated[
    int, msgspec.Meta(ge=1, le=1_000, description="Points needed to win the match.")
]
MAX_CUBE_VALUE = 2**30
"""The highest cube value that is recorded or folded, far above any at a real table."""

CubeValue = Annotated[
    int,
    msgspec.Meta(ge=1, le=MAX_CUBE_VALUE, description="What the cube shows: 1, 2, 4 and so on."),
]
Checkers = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=0, le=30)], ...],
    msgspec.Meta(
        min_length=26,
        max_length=26,
        description="26 counts from the owner's side: 0 borne off, 1-24 points, 25 bar.",
    ),
]
EntryId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$(?!\n)",
        description="UUID made by the client, lower case; identifies one entry for ever.",
    ),
]
Sha256 = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", description="Lower-case hex SHA-256.")
]
Text = Annotated[str, msgspec.Meta(max_length=4096)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class Seat(enum.StrEnum):
    """A seat at the board; `match.opened` names the person in it, as a commitment."""

    ONE = "one"
    TWO = "two"

    @property
    def other(self) -> Seat:
        """The opposite seat."""
        return TWO if self is ONE else ONE

    def __repr__(self) -> str:
        return f"Seat.{self.name}"


ONE = Seat.ONE
TWO = Seat.TWO
# An enum's members are looked up through its metaclass, seven times as slowly as a module's name;
# folds ask for a seat a dozen times an event.


class BySeat(msgspec.Struct, Generic[A], frozen=True, forbid_unknown_fields=True, gc=False):
    """A pair of values, one for each seat; in JSON `{"one": ..., "two": ...}`."""

    one: A
    """The value of seat one."""
    two: A
    """The value of seat two."""

    @classmethod
    def both(cls, value: A) -> BySeat[A]:
        """The same value for both seats."""
        return BySeat(value, value)

    def __getitem__(self, seat: Seat) -> A:
        return self.one if seat is ONE else self.two

    def __iter__(self) -> Iterator[A]:
        yield self.one
        yield self.two

    def put(self, seat: Seat, value: A) -> BySeat[A]:
        """The same pair with `value` for `seat`."""
        return BySeat(value, self.two) if seat is ONE else BySeat(self.one, value)

    def update(self, seat: Seat, change: Callable[[A], A]) -> BySeat[A]:
        """The same pair with `change` applied to the value of `seat`."""
        return self.put(seat, change(self[seat]))

    def map(self, change: Callable[[A], B]) -> BySeat[B]:
        """A pair of `change` applied to both values."""
        return BySeat(change(self.one), change(self.two))

    def zip(self, other: BySeat[B]) -> BySeat[tuple[A, B]]:
        """A pair of pairs, seat by seat."""
        return BySeat((self.one, other.one), (self.two, other.two))

    def swap(self) -> BySeat[A]:
        """The pair with the seats exchanged."""
        return BySeat(self.two, self.one)


class CheckerMove(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """One checker moved between two points, from the mover's side; in JSON `[from, to]`."""

    from_point: Point
    """Where the checker stood: 1-24, or 25 for the bar."""
    to_point: Point
    """Where it was put: 1-24, or 0 for borne off. Illegal moves are kept as they were played."""
