"""The tree over a log, kept whole in memory, so that a proof costs no more than its own hashes.

`merkle.py` makes proofs from all leaf hashes, and hashes all of them again each time. Here the
roots of perfect subtrees are kept, level by level, and a proof picks its hashes from them:

    level 2   [ 0..3 ]                        of a tree of 7 leaves; what is right of the
    level 1   [ 0 1 ]  [ 2 3 ]  [ 4 5 ]       last perfect subtree is hashed when it is asked for
    level 0   [0] [1]  [2] [3]  [4] [5]  [6]

A tree answers for every size that it ever had, because what is in it never changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from events.sealing.merkle import HASH_BYTES, frontier_root, node_hash


class Tree:
    """Leaves appended one by one, with the roots and the proofs of every size so far.

    One thread may append while others ask for sizes that were there before.
    """

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels = [bytearray()]
        """Hashes of the perfect subtrees of 2**level leaves, from left to right."""
        self.size = 0
        """Number of leaves."""
        self.extend(leaves)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add leaf hashes at the end."""
        for leaf in leaves:
            self.append(leaf)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash: as many hashes are made as subtrees become perfect by it."""
        levels, size, level = self._levels, self.size, 0
        levels[0] += leaf
        while size & 1:
            leaf = node_hash(bytes(levels[level][-2 * HASH_BYTES : -HASH_BYTES]), leaf)
            size >>= 1
            level += 1
            if level == len(levels):
                levels.append(bytearray())
            levels[level] += leaf
        self.size += 1

    def leaf(self, index: int) -> bytes:
        """The leaf hash at a position. Errors: ValueError beyond the end."""
        if not 0 <= index < self.size:
            raise ValueError(f"there is no leaf {index} in a tree of {self.size}")
        return self._perfect(0, index)

    def root(self, size: int | None = None) -> bytes:
        """Root of the first `size` leaves; of all, unless it is given. Errors: ValueError."""
        if size is None:
            size = self.size
        self._check(size)
        return self._between(0, size)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Proof that leaf `index` is among the first `size` (RFC 6962 2.1.1). Errors: ValueError.

        The same hashes as `merkle.inclusion` gives.
        """
        self._check(size)
        if not 0 <= index < size:
            raise ValueError(f"there is no leaf {index} in a tree of {size}")
        path: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = _middle(start, end)
            if index < middle:
                path.append(self._between(middle, end))
                end = middle
            else:
                path.append(self._between(start, middle))
                start = middle
        path.reverse()
        return path

    def consistency(self, old_size: int, size: int) -> list[bytes]:
        """Proof that the first `old_size` > 0 leaves are a prefix of the first `size` (2.1.2).

        The same hashes as `merkle.consistency` gives. Errors: ValueError.
        """
        self._check(size)
        if not 0 < old_size <= size:
            raise ValueError(f"a tree of {old_size} is no prefix of one of {size}")
        path: list[bytes] = []
        start, end = 0, size
        while end != old_size:
            middle = _middle(start, end)
            if old_size <= middle:
                path.append(self._between(middle, end))
                end = middle
            else:
                path.append(self._between(start, middle))
                start = middle
        if start:
            # Whoever holds the old root knows this subtree only where it is the old tree itself.
            path.append(self._between(start, end))
        path.reverse()
        return path

    def _check(self, size: int) -> None:
        if not 0 <= size <= self.size:
            raise ValueError(f"a tree of {self.size} knows nothing of the size {size}")

    def _between(self, start: int, end: int) -> bytes:
        """Root of the leaves from `start` to `end`, where `start` is where a split can fall."""
        perfect: list[bytes] = []
        while start < end:
            level = (end - start).bit_length() - 1
            perfect.append(self._perfect(level, start >> level))
            start += 1 << level
        return frontier_root(perfect)

    def _perfect(self, level: int, index: int) -> bytes:
        return bytes(self._levels[level][index * HASH_BYTES : (index + 1) * HASH_BYTES])


def _middle(start: int, end: int) -> int:
    """Where the leaves from `start` to `end` are split: the largest power of two on the left."""
    return start + (1 << (end - start - 1).bit_length() - 1)
