"""The tree kept in memory gives at every size what the definition gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.sealing import merkle
from events.sealing.tree import Tree

VECTORS = Path(__file__).parents[1] / "golden" / "seals" / "rfc6962-roots.txt"
LEAVES = [merkle.leaf_hash(str(at).encode()) for at in range(300)]
WHOLE = Tree(LEAVES)


def test_roots_are_the_published_ones() -> None:
    lines = [line.split() for line in VECTORS.read_text().splitlines()]
    data = [bytes.fromhex(line[1]) if line[1:] else b"" for line in lines if line[0] == "leaf"]
    tree = Tree(merkle.leaf_hash(item) for item in data)
    published = [line[1:] for line in lines if line[0] == "root"]
    assert published
    for size, root in published:
        assert tree.root(int(size)).hex() == root


def test_a_root_is_that_of_the_definition_at_every_size() -> None:
    for size in range(301):
        assert WHOLE.root(size) == merkle.root(LEAVES[:size])
    assert WHOLE.root() == merkle.root(LEAVES)


@given(st.data())
def test_a_proof_is_that_of_the_definition(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 300))
    old = data.draw(st.integers(1, size))
    index = data.draw(st.integers(0, size - 1))
    assert WHOLE.consistency(old, size) == merkle.consistency(old, LEAVES[:size])
    assert WHOLE.inclusion(index, size) == merkle.inclusion(index, LEAVES[:size])
    assert WHOLE.leaf(index) == LEAVES[index]


@given(st.lists(st.integers(0, 60), max_size=6))
def test_a_tree_that_grew_in_parts_is_the_tree_of_all(parts: list[int]) -> None:
    tree = Tree()
    for part in parts:
        tree.extend(LEAVES[tree.size : tree.size + part])
    assert tree.size == min(sum(parts), 300)
    for size in {0, tree.size // 2, tree.size}:
        assert tree.root(size) == merkle.root(LEAVES[:size])
    if tree.size > 1:
        proof = merkle.consistency(tree.size - 1, LEAVES[: tree.size])
        assert tree.consistency(tree.size - 1, tree.size) == proof


@pytest.mark.long
def test_all_proofs_of_all_sizes_to_300_are_those_of_the_definition() -> None:
    for size in range(1, 301):
        for old in range(1, size + 1):
            assert WHOLE.consistency(old, size) == merkle.consistency(old, LEAVES[:size])
            assert WHOLE.inclusion(old - 1, size) == merkle.inclusion(old - 1, LEAVES[:size])


def test_a_proof_makes_no_more_hashes_than_the_tree_is_high(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    def counted(left: bytes, right: bytes) -> bytes:
        made.append(left)
        return right

    monkeypatch.setattr(merkle, "node_hash", counted)
    for size in range(1, 301):
        for ask in (
            lambda size=size: WHOLE.root(size),
            lambda size=size: WHOLE.inclusion(size // 3, size),
            lambda size=size: WHOLE.consistency(max(1, size // 3), size),
        ):
            made.clear()
            ask()
            assert len(made) <= size.bit_length()


def test_what_a_tree_does_not_hold_is_refused() -> None:
    tree = Tree(LEAVES[:5])
    refused = (
        lambda: tree.root(6),
        lambda: tree.root(-1),
        lambda: tree.leaf(5),
        lambda: tree.leaf(-1),
        lambda: tree.inclusion(5, 5),
        lambda: tree.inclusion(0, 6),
        lambda: tree.consistency(0, 5),
        lambda: tree.consistency(4, 3),
        lambda: tree.consistency(1, 6),
    )
    for ask in refused:
        with pytest.raises(ValueError, match="tree"):
            ask()
