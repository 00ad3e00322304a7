"""GNU Backgammon reads our .mat exports of real matches as we read the files themselves."""

from __future__ import annotations

from collections import Counter

import pytest

from api.exchange.mat import writer as mat
from api.exchange.writing.wanted import Illegal
from events.values import BySeat
from projections.replay import replay
from tests.api.exchange.recorded import events_of, spread
from tests.oracles.comparing import compared
from tests.oracles.conftest import Corpus, Reads

pytestmark = pytest.mark.gate


@pytest.mark.parametrize("illegal", ["raw", "stated"])
@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.long)])
def test_exports_of_real_files(every: int, illegal: Illegal, corpus: Corpus, gnubg: Reads) -> None:
    chosen = {
        f"{k}.mat": replay(events_of(read)) for k, (_, read) in enumerate(spread(corpus, every))
    }
    written = {
        name: mat.write(replayed, BySeat("Ada", "Ben"), illegal=illegal)
        for name, replayed in chosen.items()
    }
    read = gnubg({name: one.content for name, one in written.items()}, ids=True)
    counts: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for name, one in read.items():
        if "position" in {loss.kind for loss in written[name].losses}:
            named["position"] += 1  # reported as lost, with all that follows from it
            continue
        named.update(difference.name for difference in compared(chosen[name], one, counts))
        assert not one.complaints
    known = {"rolled-only", "level", "one-point", "no-result", "position"}
    assert set(named) <= known | ({"stated"} if illegal == "stated" else set())
    if every == 1:
        stated = {"stated": 1} if illegal == "stated" else {}
        assert named == stated | {
            "rolled-only": 22,
            "level": 61,
            "one-point": 7,
            "no-result": 1,
            "position": 1,
        }
        assert counts["match ids"] == 65_467
    assert counts["plies"] > 62_000 // every
