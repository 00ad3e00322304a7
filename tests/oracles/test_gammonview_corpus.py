"""GammonView and its codec read real text files, and our raw exports of them, as we do."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from api.exchange.mat import writer as mat
from api.exchange.reading.facts import ReadMatch
from events.values import BySeat
from projections.replay import replay
from tests.api.exchange.recorded import events_of, spread
from tests.oracles.conftest import Corpus
from tests.oracles.gammonview import compared, documents

pytestmark = pytest.mark.gate


@pytest.fixture(autouse=True)
def _packages(require: Callable[[bool, str], None]) -> None:
    for name in ("gvformat", "ogxm"):
        require(importlib.util.find_spec(name) is not None, f"the package {name} is not installed")


SIZES = pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.long)])


def kind_of(difference: str) -> str:
    return difference.partition(":")[0].partition(",")[0]


EVERYWHERE = {
    # A checker that moves and is borne off in one roll is joined to one step.
    ("codec", "unreplayed"): 3,
    # `2/1 5/4(2) 6/5` loses a step, even if it is written out.
    ("own", "after"): 1,
    ("codec", "after"): 1,
    # A position set in a comment.
    ("own", "before"): 1,
}
"""What it reads differently in every way of writing a match, and how often in all files."""

REAL = EVERYWHERE | {
    # Points capped at the length, which it takes from the file; those of a game that it left.
    ("own", "result"): 44,
    ("codec", "result"): 41,
    # `???` ends its reading of the game.
    ("own", "hidden"): 5,
    ("codec", "hidden"): 3,
    # A header with `[Player 1]` and no `[Player 2]`: no turn at all.
    ("own", "turns"): 2,
    ("codec", "turns"): 2,
}
"""What it reads differently in the original files."""


def left_name(read: ReadMatch) -> str | None:
    players = read.opened["players"]["one"]
    name: str | None = players[0].get("name") if players else None
    return name


@SIZES
def test_real_files(every: int, corpus: Corpus, shelf: Any) -> None:
    counts: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for row, read in spread(corpus, every):
        replayed = replay(events_of(read))
        text = (shelf.folder / row["file"]).read_bytes().decode("utf-8-sig")
        for which, document in zip(("own", "codec"), documents(text), strict=False):
            is_left_white = document["player_white"] == left_name(read)
            for difference in compared(replayed, document, counts, is_left_white=is_left_white):
                found[which, kind_of(difference)] += 1
    assert set(found) <= set(REAL)
    assert counts["turns"] >= (124_846 if every == 1 else 9_000)
    if every == 1:
        assert found == REAL


@SIZES
def test_our_raw_exports(every: int, corpus: Corpus) -> None:
    counts: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for _, read in spread(corpus, every):
        replayed = replay(events_of(read))
        text = mat.write(replayed, BySeat("Ada", "Ben")).text
        for which, document in zip(("own", "codec"), documents(text), strict=False):
            for difference in compared(replayed, document, counts):
                found[which, kind_of(difference)] += 1
    assert set(found) <= set(EVERYWHERE)
    assert counts["turns"] >= (125_100 if every == 1 else 9_000)
    if every == 1:
        assert found == EVERYWHERE
