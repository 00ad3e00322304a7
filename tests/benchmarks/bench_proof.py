"""The proof of one entry in a log of a million, as a file: path, index and signed checkpoint.

Ours: the tree that a server keeps in memory, and the file made of it. The peer reads the same
proof, signature and path checked.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import statistics
import time
from typing import NamedTuple

from events.sealing.notes import Checkpoint, Note, SigningKey
from events.sealing.proofs import EntryProof, parse_entry_proof
from events.sealing.tree import Tree

ENTRIES = 1_000_000


class Row(NamedTuple):
    """What was timed, milliseconds each."""

    work: str
    median_ms: float
    p99_ms: float


def run(*, entries: int = ENTRIES, proofs: int = 2_000) -> tuple[float, list[Row]]:
    """Seconds that the tree took to build, and rows for `make` and `check`."""
    leaves = [hashlib.sha256(at.to_bytes(8, "big")).digest() for at in range(entries)]
    begun = time.perf_counter()
    tree = Tree(leaves)
    built = time.perf_counter() - begun
    key = SigningKey("archive.example/logs/7f3c5a1e2b4d6f80", bytes(32))
    text = Checkpoint(key.verifier.name, entries, tree.root(entries)).text
    note = Note(text, (key.sign(text),))
    chance = random.Random(1)
    made, checked = [], []
    for _ in range(proofs):
        entry = chance.randrange(entries)
        begun = time.perf_counter()
        raw = EntryProof(entry, tuple(tree.inclusion(entry, entries)), note).raw
        made.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        parse_entry_proof(raw).check(leaves[entry], [key.verifier])
        checked.append(time.perf_counter() - begun)
    return built, [_row("make", made), _row("check", checked)]


def _row(work: str, seconds: list[float]) -> Row:
    seconds.sort()
    p99 = seconds[len(seconds) * 99 // 100]
    return Row(work, statistics.median(seconds) * 1_000, p99 * 1_000)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=ENTRIES)
    options = parser.parse_args()
    built, rows = run(entries=options.entries)
    print(f"the tree over {options.entries:,} entries, once: {built:.2f} s")
    print(f"{'':8}{'median ms':>11}{'p99 ms':>9}")
    for row in rows:
        print(f"{row.work:8}{row.median_ms:11.3f}{row.p99_ms:9.3f}")
    print("target: make < 5 ms")


if __name__ == "__main__":
    main()
