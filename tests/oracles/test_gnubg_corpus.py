"""GNU Backgammon reads every real text file as we do: boards, dice, cube, scores, results."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from projections.replay import replay
from tests.api.exchange.recorded import events_of
from tests.oracles.comparing import Difference, compared
from tests.oracles.conftest import Corpus, Reads

pytestmark = pytest.mark.gate

KNOWN = ("rolled-only", "one-point", "level", "no-result")


@pytest.fixture(scope="module")
def found(
    corpus: Corpus, gnubg: Reads, shelf: Any
) -> tuple[Counter[str], dict[str, list[Difference]], dict[str, list[str]]]:
    """Counts of comparisons, differences by file, complaints by file."""
    files = {
        f"{number}.mat": (shelf.folder / row["file"]).read_bytes()
        for number, (row, _) in enumerate(corpus)
    }
    read = gnubg(files, ids=True)
    counts: Counter[str] = Counter()
    differences, complaints = {}, {}
    for (row, match), one in zip(corpus, read.values(), strict=True):
        differences[row["file"]] = compared(replay(events_of(match)), one, counts)
        complaints[row["file"]] = one.complaints
    return counts, differences, complaints


def test_every_text_file_is_compared_act_by_act(found: Any) -> None:
    counts, differences, _ = found
    assert len(differences) == 465
    assert counts == {
        "games": 1_499,
        "plies": 62_682,
        "boards": 64_175,
        "match ids": 65_692,
        "results": 1_499,
    }


def test_every_difference_has_a_reason(found: Any) -> None:
    _, differences, _ = found
    named = Counter(one.name for some in differences.values() for one in some)
    assert named == {
        "rolled-only": 24,
        # A match to one point is one Crawford game to us.
        "one-point": 7,
        # Points capped at the length, and forfeit codes: no level makes them.
        "level": 61,
        # A file that stops after `Losses 1 point`.
        "no-result": 1,
    }, [one for some in differences.values() for one in some if one.name not in KNOWN]


def test_it_complains_only_of_losses_which_it_does_not_know(found: Any, corpus: Corpus) -> None:
    _, _, complaints = found
    for row, _ in corpus:
        lines = complaints[row["file"]]
        assert all('Unrecognised move "Losses' in line for line in lines), lines
        # The index also counts a file as partial that cannot be exported again.
        assert bool(lines) == (row["gnubg_imports"] == "partial" and "galaxy" in row["dialect"])
