"""The Merkle tree and the chains: RFC 6962 vectors, all sizes to 300, and what must not verify."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.sealing import merkle
from events.sealing.chain import break_of_chain
from events.store.memory import MemoryEventStore

VECTORS = Path(__file__).parents[1] / "golden" / "seals" / "rfc6962-roots.txt"
LEAVES = [merkle.leaf_hash(str(at).encode()) for at in range(300)]


def frontier_of(leaves):
    frontier = []
    for size, leaf in enumerate(leaves):
        merkle.push(frontier, size, leaf)
    return frontier


ROOTS = [merkle.frontier_root(frontier_of(LEAVES[:size])) for size in range(301)]


def reference_root(leaves):
    """MTH of RFC 6962 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    pair = reference_root(leaves[:split]) + reference_root(leaves[split:])
    return hashlib.sha256(b"\x01" + pair).digest()


def test_roots_are_the_published_ones():
    lines = [line.split() for line in VECTORS.read_text().splitlines()]
    data = [bytes.fromhex(line[1]) if line[1:] else b"" for line in lines if line[0] == "leaf"]
    leaves = [merkle.leaf_hash(item) for item in data]
    for _, size, root in (line for line in lines if line[0] == "root"):
        assert merkle.root(leaves[: int(size)]).hex() == root


def test_frontier_gives_the_root_of_the_definition_at_every_size():
    for size in range(301):
        assert ROOTS[size] == reference_root(LEAVES[:size])
        assert len(frontier_of(LEAVES[:size])) == size.bit_count()


@pytest.mark.parametrize("size", [*range(1, 40), 63, 64, 65, 127, 128, 129, 255, 256, 257, 300])
def test_every_leaf_is_proved_included(size):
    for index in range(size):
        path = merkle.inclusion(index, LEAVES[:size])
        assert merkle.includes(LEAVES[index], index, size=size, path=path, root=ROOTS[size])


@pytest.mark.parametrize("new", [*range(1, 40), 63, 64, 65, 127, 128, 129, 255, 256, 257, 300])
def test_every_earlier_tree_is_proved_a_prefix(new):
    for old in range(1, new + 1):
        path = merkle.consistency(old, LEAVES[:new])
        assert merkle.extends(old, new, path=path, old_root=ROOTS[old], new_root=ROOTS[new])


@pytest.mark.long
def test_all_sizes_to_300_are_proved():
    for new in range(1, 301):
        for old in range(1, new + 1):
            path = merkle.consistency(old, LEAVES[:new])
            assert merkle.extends(old, new, path=path, old_root=ROOTS[old], new_root=ROOTS[new])
            index = old - 1
            path = merkle.inclusion(index, LEAVES[:new])
            assert merkle.includes(LEAVES[index], index, size=new, path=path, root=ROOTS[new])


@given(st.data())
def test_a_changed_inclusion_proof_does_not_verify(data):
    size = data.draw(st.integers(1, 300))
    index = data.draw(st.integers(0, size - 1))
    path = merkle.inclusion(index, LEAVES[:size])
    root, leaf = ROOTS[size], LEAVES[index]
    other = data.draw(st.integers(0, size))
    if other != index:
        assert not merkle.includes(leaf, other, size=size, path=path, root=root)
    assert not merkle.includes(leaf, index, size=size, path=[*path, leaf], root=root)
    assert not merkle.includes(leaf, index, size=size, path=path, root=LEAVES[0][::-1])
    if path:
        assert not merkle.includes(leaf, index, size=size, path=path[:-1], root=root)
        at = data.draw(st.integers(0, len(path) - 1))
        changed = [*path]
        changed[at] = bytes([changed[at][0] ^ 1]) + changed[at][1:]
        assert not merkle.includes(leaf, index, size=size, path=changed, root=root)
        # Hashed side by side, a byte is the same in either of two neighbours.
        for moved in ((leaf + path[0][:1], path[0][1:]), (leaf[1:], path[0] + leaf[:1])):
            shifted = [moved[1], *path[1:]]
            assert not merkle.includes(moved[0], index, size=size, path=shifted, root=root)


@given(st.data())
def test_a_changed_consistency_proof_does_not_verify(data):
    new = data.draw(st.integers(2, 300))
    old = data.draw(st.integers(1, new - 1))
    path = merkle.consistency(old, LEAVES[:new])
    roots = {"old_root": ROOTS[old], "new_root": ROOTS[new]}
    assert not merkle.extends(old, new, path=path, old_root=ROOTS[new], new_root=ROOTS[new])
    assert not merkle.extends(old, new, path=path, old_root=ROOTS[old], new_root=ROOTS[old])
    assert not merkle.extends(old, new, path=[*path, LEAVES[0]], **roots)
    assert not merkle.extends(old, new, path=path[:-1], **roots)
    assert not merkle.extends(old, new, path=[], **roots)
    assert not merkle.extends(0, new, path=path, **roots)
    assert not merkle.extends(new, old, path=path, **roots)
    at = data.draw(st.integers(0, len(path) - 1))
    changed = [*path]
    changed[at] = bytes([changed[at][0] ^ 1]) + changed[at][1:]
    assert not merkle.extends(old, new, path=changed, **roots)


def test_no_byte_moves_from_a_path_into_the_root_that_it_leads_from():
    for old in (1, 2, 4, 64):  # perfect trees, whose root is the first node
        node, *rest = merkle.consistency(old, LEAVES[:100])
        path, longer = [node[1:], *rest], ROOTS[old] + node[:1]
        assert not merkle.extends(old, 100, path=path, old_root=longer, new_root=ROOTS[100])


def test_equal_trees_need_no_proof():
    assert merkle.extends(7, 7, path=[], old_root=ROOTS[7], new_root=ROOTS[7])
    assert not merkle.extends(7, 7, path=[], old_root=ROOTS[7], new_root=ROOTS[8])
    assert not merkle.extends(7, 7, path=[ROOTS[7]], old_root=ROOTS[7], new_root=ROOTS[7])


def test_a_chain_breaks_where_an_entry_is_changed_left_out_or_moved(make_draft):
    store = MemoryEventStore()
    store.open_log("club")
    events = list(store.append("club", "m", [make_draft() for _ in range(4)]).events)
    assert break_of_chain(events) is None
    assert break_of_chain(events[:3]) is None
    assert "missing" in break_of_chain(events[1:])
    assert "missing" in break_of_chain([events[0], *events[2:]])
    assert "missing" in break_of_chain([events[0], events[2], events[1], events[3]])
    forged = events[1].sealed.replace(b'"tag":"dice.rolled"', b'"tag":"dice.voided"')
    changed = msgspec.structs.replace(events[1], sealed=forged)
    assert "sealed" in break_of_chain([events[0], changed, *events[2:]])
    # With its hash made to fit, the next entry gives it away.
    refitted = msgspec.structs.replace(changed, leaf_hash=merkle.leaf_hash(forged))
    assert "version 3 does not name" in break_of_chain([events[0], refitted, *events[2:]])
