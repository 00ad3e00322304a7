"""The playthroughs of one match under three federations, compared with their golden text.

`TABULARIUM_REWRITE=1 uv run pytest tests/projections/rules/test_playthroughs.py` rewrites the
golden text; look at the difference before you keep it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from federations import FEDERATIONS, federation_match, written

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "playthroughs"


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_the_playthrough_of_a_federation_is_the_golden_one(rule_set: str) -> None:
    text = written(federation_match(rule_set).replay)
    path = GOLDEN / f"federation-{rule_set}.txt"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8").splitlines() == text.splitlines()
