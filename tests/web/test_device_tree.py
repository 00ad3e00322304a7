"""The device's check of consistency proofs: it accepts exactly those that Python accepts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from events.sealing import merkle
from events.sealing.tree import Tree
from tests.web.device_rig import ROOT, open_page, serve_modules

FILE = ROOT / "tests" / "golden" / "device" / "tree.json"

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 21, 32, 33, 100)

TREE = Tree(merkle.leaf_hash(str(at).encode()) for at in range(max(SIZES)))

OTHER = Tree(merkle.leaf_hash(str(max(at, 1)).encode()) for at in range(max(SIZES)))
"""A log with another first entry."""


def checkpoint(size: int, tree: Tree = TREE) -> dict[str, Any]:
    """As the server tells it."""
    return {"size": size, "root": tree.root(size).hex()}


def vector(
    old: dict[str, Any], new: dict[str, Any], path: list[bytes], *, what: str
) -> dict[str, Any]:
    """A proof, and whether it holds."""
    holds = merkle.extends(
        old["size"],
        new["size"],
        path=path,
        old_root=bytes.fromhex(old["root"]),
        new_root=bytes.fromhex(new["root"]),
    )
    hashes = [each.hex() for each in path]
    return {"what": what, "old": old, "new": new, "path": hashes, "holds": holds}


def vectors() -> list[dict[str, Any]]:
    """Sound proofs between all the sizes, and what a forger may make of some of them."""
    made = []
    for new in SIZES:
        for old in (size for size in SIZES if size <= new):
            path = TREE.consistency(old, new)
            made.append(vector(checkpoint(old), checkpoint(new), path, what="sound"))
    for old, new in ((1, 2), (3, 7), (4, 9), (8, 8), (8, 100), (13, 21), (33, 100)):
        path, other = TREE.consistency(old, new), OTHER.consistency(old, new)
        here, there = checkpoint(old), checkpoint(new)
        changed = [bytes([each[0] ^ 1]) + each[1:] for each in path]
        forged = {
            "rewritten": (here, checkpoint(new, OTHER), other),
            "rewritten, with the true path": (here, checkpoint(new, OTHER), path),
            "another old root": (checkpoint(old, OTHER), there, path),
            "a hash more": (here, there, [*path, TREE.leaf(0)]),
            "a hash before": (here, there, [TREE.leaf(0), *path]),
            "a hash less": (here, there, path[:-1]),
            "no hash": (here, there, []),
            "all hashes changed": (here, there, changed),
            "turned round": (here, there, path[::-1]),
            "shrunk": (there, here, path),
            "one larger": (here, {**there, "size": new + 1}, path),
            "another old size": ({**here, "size": old + 1}, there, path),
        }
        for what, (one, two, proof) in forged.items():
            made.append(vector(one, two, proof, what=what))
    return made


def text() -> str:
    """What the file holds."""
    return json.dumps(vectors(), indent=1) + "\n"


@pytest.fixture(scope="module")
def device(chromium: Browser) -> Iterator[Page]:
    """A page with the device's modules."""
    context = chromium.new_context()
    serve_modules(context)
    yield open_page(context)
    context.close()


BELIEVED = """async (proofs) => {
  const { goesOn } = await load("device/chain/tree.js");
  const found = [];
  for (const { old, new: next, path } of proofs) found.push(await goesOn(old, next, path));
  return found;
}"""


def test_the_vectors_are_what_python_says() -> None:
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        FILE.write_text(text(), "utf-8")
    assert FILE.read_text("utf-8") == text()
    held = [one["what"] for one in vectors() if one["holds"]]
    assert held.count("sound") == len(SIZES) * (len(SIZES) + 1) // 2
    assert {one["what"] for one in vectors() if not one["holds"]} >= {"rewritten", "shrunk"}


def test_the_device_believes_what_python_believes(device: Page) -> None:
    proofs = json.loads(FILE.read_text("utf-8"))
    found = device.evaluate(BELIEVED, proofs)
    assert [(one["what"], one["holds"]) for one in proofs] == [
        (one["what"], believed) for one, believed in zip(proofs, found, strict=True)
    ]


def test_a_log_of_more_entries_than_32_bits_count_is_checked_all_the_same(device: Page) -> None:
    size = 2**40
    root = TREE.root(1)
    path = [merkle.leaf_hash(bytes([level])) for level in range(40)]
    for sibling in path:
        root = merkle.node_hash(root, sibling)
    # The log of the first entry alone goes on to this one: its path is the entry's own siblings.
    proof = {
        "old": checkpoint(1),
        "new": {"size": size, "root": root.hex()},
        "path": [each.hex() for each in path],
    }
    forged = {**proof, "path": proof["path"][:-1]}
    assert device.evaluate(BELIEVED, [proof, forged]) == [True, False]


@pytest.mark.parametrize(
    "old",
    [
        {"size": 0, "root": TREE.root(0).hex()},
        {"size": 1.5, "root": TREE.root(1).hex()},
        {"size": "1", "root": TREE.root(1).hex()},
        {"size": 1, "root": TREE.root(1).hex().upper()},
        {"size": 1, "root": "abc"},
        {"size": 1},
        None,
    ],
)
def test_what_is_no_checkpoint_is_gone_on_from_by_nothing(device: Page, old: Any) -> None:
    path = [each.hex() for each in TREE.consistency(1, 4)]
    assert device.evaluate(BELIEVED, [{"old": old, "new": checkpoint(4), "path": path}]) == [False]
