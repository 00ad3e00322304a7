"""The comparison of all rule sets in the shelf's README is the one that the code makes."""

from __future__ import annotations

import os
from pathlib import Path

from projections.rules import compare
from projections.rules.shelf import SHELF


def test_the_comparison_of_rule_sets_is_current(root: Path) -> None:
    """To bring it up to date: run this test with TABULARIUM_REWRITE=1."""
    path = root / "projections" / "rules" / "README.md"
    text = path.read_text("utf-8")
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(compare.rewritten(text), "utf-8")
        return
    assert compare.rewritten(text) == text


def test_every_rule_set_has_a_column_and_every_option_and_subject_a_row() -> None:
    lines = compare.tables().splitlines()
    heads = [line for line in lines if line.startswith(("| option", "| fault", "| subject"))]
    assert len(heads) == 3
    assert all(f"| `{rule_set}` |" in head for head in heads for rule_set in SHELF)
    for profile in SHELF.values():
        for name in (*profile.options, *profile.policies):
            assert [line for line in lines if line.startswith(f"| `{name}` |")], name
    assert all(line.count("|") == len(SHELF) + 2 for line in lines if line.startswith("|"))
