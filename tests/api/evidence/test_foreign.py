"""Our verifiers agree with what another implementation said about one of our bundles.

`aics-tlog` was given checkpoint, proofs and growth of a real bundle, and `aics-witness` had signed
its checkpoints over HTTP; their answers are stored beside what they were given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from events.errors import Unverified
from events.sealing.merkle import includes
from events.sealing.notes import parse_checkpoint, parse_note, parse_verifier_key
from events.sealing.proofs import parse_entry_proof, parse_growth

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "seals" / "bundle.json").read_text("utf-8")
)
LOG, WITNESS = parse_verifier_key(GOLDEN["log"]), parse_verifier_key(GOLDEN["witness"])


@pytest.mark.parametrize("which", ["old", "checkpoint"])
def test_the_notes_that_it_accepted_are_signed_by_the_log_and_the_witness(which: str) -> None:
    note = parse_note(GOLDEN[which].encode())
    assert set(note.verified([LOG, WITNESS])) == {LOG, WITNESS}


@pytest.mark.parametrize("case", GOLDEN["entries"], ids=lambda case: str(case["index"]))
def test_the_proofs_of_entries_that_it_accepted_are_accepted(case: dict[str, Any]) -> None:
    assert case["accepted"]
    proof = parse_entry_proof(case["proof"].encode())
    assert proof.entry == case["index"]
    proof.check(bytes.fromhex(case["leaf"]), [LOG])
    with pytest.raises(Unverified):
        proof.check(bytes(32), [LOG])


@pytest.mark.parametrize("case", GOLDEN["entries"], ids=lambda case: str(case["index"]))
def test_of_changed_proofs_both_say_the_same(case: dict[str, Any]) -> None:
    """A path alone does not always tell how long the log is: that is what a checkpoint signs."""
    proof = parse_entry_proof(case["proof"].encode())
    size, root = parse_checkpoint(proof.note.text)[1:]
    leaf, path = bytes.fromhex(case["leaf"]), proof.path
    bent = bytes([leaf[0] ^ 1]) + leaf[1:]
    ours = [
        includes(bent, proof.entry, size=size, path=path, root=root),
        includes(leaf, proof.entry + 1, size=size, path=path, root=root),
        includes(leaf, proof.entry, size=size, path=path[:-1], root=root),
        includes(leaf, proof.entry, size=size, path=[*path, root], root=root),
        includes(leaf, proof.entry, size=size + 64, path=path, root=root),
    ]
    assert ours == case["changed"]


def test_the_growth_that_it_accepted_is_accepted() -> None:
    old = parse_checkpoint(parse_note(GOLDEN["old"].encode()).text)
    new = parse_checkpoint(parse_note(GOLDEN["checkpoint"].encode()).text)
    growth = parse_growth(GOLDEN["consistency"].encode())
    assert growth.check(old, [LOG]) == new
    with pytest.raises(Unverified):
        growth.check(old._replace(root=new.root), [LOG])
