"""Outside programs as judges, where they are installed, and the real files as we read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from api.exchange.reading.facts import ReadMatch
from tests.api.exchange.recorded import Shelf
from tests.oracles import gnubg as judge

Reads = Callable[..., dict[str, judge.Read]]

Corpus = list[tuple[dict[str, str], ReadMatch]]


@pytest.fixture(scope="session")
def gnubg(require: Callable[[bool, str], None], tmp_path_factory: pytest.TempPathFactory) -> Reads:
    """`gnubg({name: bytes}, ids=False)`: what GNU Backgammon reads in each file."""
    require(judge.GNUBG is not None, "GNU Backgammon is not installed")

    def _gnubg(files: Mapping[str, bytes], *, ids: bool = False) -> dict[str, judge.Read]:
        return judge.read(tmp_path_factory.mktemp("gnubg"), files, ids=ids)

    return _gnubg


@pytest.fixture(scope="session")
def shelf(shared_folder: Path, require: Callable[[bool, str], None]) -> Shelf:
    """The corpus of real match files, which is never copied."""
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    return Shelf(folder)


@pytest.fixture(scope="session")
def corpus(shelf: Shelf) -> Corpus:
    """Every real text file: its row of the index, and the match in it."""
    binary = ("xg-binary", "sgf-")
    return [(row, read) for row, read in shelf.read if not row["dialect"].startswith(binary)]
