"""Lists that only grow: several replays share one, and the first to go on copies nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Ids(Generic[T]):
    """An index of a list by id, built when it is first asked: few entries ever name another."""

    __slots__ = ("_found", "_id_of", "_indexed", "_items")

    def __init__(self, items: list[T], id_of: Callable[[T], str]) -> None:
        self._items = items
        self._id_of = id_of
        self._indexed: dict[str, int] = {}
        self._found: dict[Callable[[T], bool], tuple[int, tuple[int, ...]]] = {}
        """Test to how many items were tested, and the places of those that passed."""

    def index_of(self, wanted: str) -> int | None:
        """Place of the item with this id; None if there is none."""
        indexed, items = self._indexed, self._items
        for index in range(len(indexed), len(items)):
            indexed[self._id_of(items[index])] = index
        return indexed.get(wanted)

    def passing(self, test: Callable[[T], bool]) -> tuple[int, ...]:
        """Places of the items that pass a test, in order; each item is tested only once.

        The result for an item must never change. Results are kept by the test itself, so pass a
        function of a module and not a lambda.
        """
        items = self._items
        asked, places = self._found.get(test, (0, ()))
        count = len(items)
        if asked < count:
            # A single assignment, so that another thread never sees half of it.
            new = [index for index in range(asked, count) if test(items[index])]
            self._found[test] = count, (places := (*places, *new))
        return places

    def of(self, items: list[T]) -> Ids[T]:
        """This index if it is of that list, else a new one."""
        return self if items is self._items else Ids(items, self._id_of)


class Grown(Sequence[T]):
    """The first `count` items of a list that only grows, so that going on copies nothing."""

    __slots__ = ("_count", "_items", "_taken")

    def __init__(self, items: list[T], count: int, taken: dict[int, object]) -> None:
        self._items = items
        self._count = count
        self._taken = taken
        """Lengths at which somebody has appended to the shared list already, each with its mark."""

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
        """The list to append to: the shared one for the first caller, a copy for all others.

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
        """The first `count` items; appending to them later makes a copy."""
        return Indexed(self._items, count, self._taken, self._ids)

    def passing(self, test: Callable[[T], bool]) -> list[T]:
        """The items that pass a test; all who share the list share the results."""
        places = self._ids.passing(test)
        return [self._items[index] for index in places[: bisect_left(places, self._count)]]

    def ids_of(self, items: list[T]) -> Ids[T]:
        """The index of a list that `growing` gave."""
        return self._ids.of(items)
