"""GNU Backgammon has no reader of .xg: it judges what we read of one by our .mat export of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from api.exchange.mat.writer import WRITER
from api.exchange.writing.wanted import Wanted
from events.values import BySeat
from projections.replay import replay
from tests.api.exchange.recorded import events_of
from tests.oracles.comparing import compared
from tests.oracles.conftest import Reads


@pytest.mark.gate
def test_every_real_xg_file_is_the_same_match_to_it(shelf: Any, gnubg: Reads) -> None:
    replays = {
        f"{number}.mat": replay(events_of(match))
        for number, (row, match) in enumerate(shelf.read)
        if row["dialect"] == "xg-binary"
    }
    wanted = Wanted(names=BySeat("Ada", "Ben"), illegal="stated")
    files = {name: WRITER.write(one, wanted).content for name, one in replays.items()}
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for name, read in gnubg(files, ids=True).items():
        assert read.complaints == []
        found.update(difference.name for difference in compared(replays[name], read, counts))
    assert counts == {
        "games": 43,
        "plies": 1_674,
        "boards": 1_715,
        "match ids": 1_778,
        "results": 43,
    }
    # Rolls with which nothing was played before a resignation, and one play told by its end.
    assert found == {"rolled-only": 20, "stated": 1}
