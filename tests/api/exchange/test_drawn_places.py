"""The fixture shared by Python's drawing and the tablet's board is what Python draws.

`TABULARIUM_REWRITE=1 uv run pytest tests/api/exchange/test_drawn_places.py` rewrites it;
`tests/web/test_board.py` compares the tablet's board with it.
"""

from __future__ import annotations

import json
import os

from tests.api.exchange.drawn_places import FIXTURE, cases


def test_the_fixture_is_what_python_draws() -> None:
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
    text = f"[\n{lines}\n]\n"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        FIXTURE.write_text(text, "utf-8")
    assert FIXTURE.read_text("utf-8").splitlines() == text.splitlines()
