"""The Merkle tree over a log, exactly as RFC 6962 section 2.1 and RFC 9162 section 2.1 say.

A log of n entries has one root. A tree is never stored: its *frontier*, the roots of the perfect
subtrees on its right edge, is all that appending needs. The sizes of these subtrees are the powers
of two in n, largest first, so a log of 13 = 8 + 4 + 1 entries has a frontier of three hashes:

    13 entries   [ 0 1 2 3 4 5 6 7 ]  [ 8 9 10 11 ]  [ 12 ]

`inclusion` and `consistency` make proofs from the leaf hashes; `includes` and `extends` check them
and need nothing but the proof, so that they can be handed to outsiders with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

HASH_BYTES = 32
"""Length of every hash in the tree (SHA-256)."""

EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Root of the tree without leaves (RFC 6962 2.1)."""


def leaf_hash(sealed: bytes) -> bytes:
    """Hash of a leaf; the 0x00 keeps leaves and nodes apart (RFC 6962 2.1)."""
    return hashlib.sha256(b"\x00" + sealed).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node over its two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def push(frontier: list[bytes], size: int, leaf: bytes) -> None:
    """Add one leaf to the frontier of a tree of `size` leaves, in place.

    Each 1 bit at the low end of `size` is a perfect subtree that the new leaf completes to one of
    twice the size, as in adding one to a binary number.
    """
    while size & 1:
        leaf = node_hash(frontier.pop(), leaf)
        size >>= 1
    frontier.append(leaf)


def frontier_root(frontier: Sequence[bytes]) -> bytes:
    """Root of the whole tree: its right edge folded up, smallest subtree first."""
    if not frontier:
        return EMPTY_ROOT
    folded = frontier[-1]
    for subtree in reversed(frontier[:-1]):
        folded = node_hash(subtree, folded)
    return folded


def root(leaves: Sequence[bytes]) -> bytes:
    """Root over these leaf hashes (MTH of RFC 6962 2.1)."""
    frontier: list[bytes] = []
    for size, leaf in enumerate(leaves):
        push(frontier, size, leaf)
    return frontier_root(frontier)


def inclusion(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Proof that leaf `index` is in the tree: sibling hashes, its own first (RFC 6962 2.1.1)."""
    if len(leaves) == 1:
        return []
    left = _split(len(leaves))
    if index < left:
        return [*inclusion(index, leaves[:left]), root(leaves[left:])]
    return [*inclusion(index - left, leaves[left:]), root(leaves[:left])]


def consistency(old_size: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Proof that the first `old_size` > 0 leaves are a prefix of `leaves` (RFC 6962 2.1.2)."""
    return _subproof(old_size, leaves, whole=True)


def includes(leaf: bytes, index: int, *, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether `path` proves leaf hash `leaf` at `index` in a tree of `size` (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size or not _are_hashes(leaf, root, *path):
        return False
    first, second, folded = index, size - 1, leaf
    for sibling in path:
        if second == 0:
            return False
        if first & 1 or first == second:
            folded = node_hash(sibling, folded)
            while first and not first & 1:  # the right edge skips levels without a sibling
                first >>= 1
                second >>= 1
        else:
            folded = node_hash(folded, sibling)
        first >>= 1
        second >>= 1
    return second == 0 and folded == root


def extends(
    old_size: int, new_size: int, *, path: Sequence[bytes], old_root: bytes, new_root: bytes
) -> bool:
    """Whether `path` proves that the old tree is a prefix of the new one (RFC 9162 2.1.4.2)."""
    if not 0 < old_size <= new_size or not _are_hashes(old_root, new_root, *path):
        return False
    if old_size == new_size:
        return not path and old_root == new_root
    # A perfect old tree is itself the first node of the path, and is left out of the proof.
    nodes = [old_root, *path] if old_size & (old_size - 1) == 0 else list(path)
    if not nodes:
        return False
    first, second = old_size - 1, new_size - 1
    while first & 1:
        first >>= 1
        second >>= 1
    old = new = nodes[0]
    for node in nodes[1:]:
        if second == 0:
            return False
        if first & 1 or first == second:
            old, new = node_hash(node, old), node_hash(node, new)
            while first and not first & 1:
                first >>= 1
                second >>= 1
        else:
            new = node_hash(new, node)
        first >>= 1
        second >>= 1
    return second == 0 and old == old_root and new == new_root


def _split(size: int) -> int:
    """The largest power of two below `size` > 1: how many leaves the left subtree has."""
    return 1 << (size - 1).bit_length() - 1


def _subproof(old_size: int, leaves: Sequence[bytes], *, whole: bool) -> list[bytes]:
    if old_size == len(leaves):
        return [] if whole else [root(leaves)]
    left = _split(len(leaves))
    if old_size <= left:
        return [*_subproof(old_size, leaves[:left], whole=whole), root(leaves[left:])]
    return [*_subproof(old_size - left, leaves[left:], whole=False), root(leaves[:left])]


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
