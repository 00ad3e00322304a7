"""Shared by the format tests: facts as folds see them, and the real files if they are there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from api.exchange.reading.facts import ReadMatch
from events.envelope import RecordedEvent
from tests.api.exchange.recorded import Shelf, events_of

GOLDEN = Path(__file__).parents[2] / "golden" / "files"
"""Home-made match files, each with the facts that it tells."""


@pytest.fixture(scope="session")
def recorded() -> Callable[[ReadMatch], list[RecordedEvent]]:
    """`recorded(match)`: its events as folds see them."""
    return events_of


@pytest.fixture(scope="session")
def golden_files() -> list[Path]:
    """The home-made match files."""
    return sorted(path for path in GOLDEN.iterdir() if path.suffix in (".mat", ".txt"))


@pytest.fixture(scope="session")
def shelf(shared_folder: Path, require: Callable[[bool, str], None]) -> Shelf:
    """The corpus of real match files, which is never copied."""
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    return Shelf(folder)
