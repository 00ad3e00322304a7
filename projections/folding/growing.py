"""Lists that only grow: several replays go on from one, and copy nothing while one of them does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Ids(Generic[T]):
    """Places in a list, each item looked at when first asked: few entries ever name another one."""

    __slots__ = ("_found", "_id_of", "_indexed", "_items")

    def __init__(self, items: list[T], id_of: Callable[[T], str]) -> None:
        self._items = items
        self._id_of = id_of
        self._indexed: dict[str, int] = {}
        self._found: dict[Callable[[T], bool], tuple[int, tuple[int, ...]]] = {}
        """Test to the number of items that it was asked about, and places of those that pass."""

    def index_of(self, wanted: str) -> int | None:
        """Place of the item with this id; None if there is none."""
        indexed, items = self._indexed, self._items
        for index in range(len(indexed), len(items)):
            indexed[self._id_of(items[index])] = index
        return indexed.get(wanted)

    def passing(self, test: Callable[[T], bool]) -> tuple[int, ...]:
        """Places of the items that pass a test, in order; it is asked about each of them once.

        The answer on an item must never change. The tests are kept: functions of a module.
        """
        items = self._items
        asked, places = self._found.get(test, (0, ()))
        count = len(items)
        if asked < count:
            # One assignment: of two threads that look at once, each has looked at all that it says.
            new = [index for index in range(asked, count) if test(items[index])]
            self._found[test] = count, (places := (*places, *new))
        return places

    def of(self, items: list[T]) -> Ids[T]:
        """These ids for the same list, and ids of their own for another one."""
        return self if items is self._items else Ids(items, self._id_of)


class Grown(Sequence[T]):
    """The first `count` items of a list that only grows, so that going on copies nothing."""

    __slots__ = ("_count", "_items", "_taken")

    def __init__(self, items: list[T], count: int, taken: dict[int, object]) -> None:
        self._items = items
        self._count = count
        self._taken = taken
        """Lengths from which somebody went on already, each with its mark."""

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return self._items[: self._count][index]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._items[index if index >= 0 else self._count + index]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._count)

    def growing(self) -> tuple[list[T], dict[int, object]]:
        """The list to go on with: the shared one for whoever asks first, a copy for all others.

        `setdefault` decides in one step, so two threads that go on from here cannot both win.
        """
        mark = object()
        if self._count == len(self._items) and self._taken.setdefault(self._count, mark) is mark:
            return self._items, self._taken
        return self._items[: self._count], {}


class Indexed(Grown[T]):
    """A list that only grows, whose items can be found by their ids."""

    __slots__ = ("_ids",)

    def __init__(self, items: list[T], count: int, taken: dict[int, object], ids: Ids[T]) -> None:
        super().__init__(items, count, taken)
        self._ids = ids

    def first(self, count: int) -> Indexed[T]:
        """The first items of these; nobody can go on from them in the shared list."""
        return Indexed(self._items, count, self._taken, self._ids)

    def passing(self, test: Callable[[T], bool]) -> list[T]:
        """The items that pass a test, which whoever shares the list asks about each item once."""
        places = self._ids.passing(test)
        return [self._items[index] for index in places[: bisect_left(places, self._count)]]

    def ids_of(self, items: list[T]) -> Ids[T]:
        """The index of a list that `growing` gave."""
        return self._ids.of(items)
