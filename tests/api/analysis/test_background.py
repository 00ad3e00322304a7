"""The server's queue: what may be analysed is, once, and nothing else is ever handed out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.analysis import working
from api.analysis.background import Background
from api.analysis.released import match_of, why_not
from api.analysis.results import Results
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.commands.demo import DEMO_LOG
from events.payloads.custody import PublicationWithheld
from tests.api.analysis.test_released import archive, streams
from tests.api.analysis.test_results import ASKED, BROKEN, Stub

__all__ = ["archive"]


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    """An empty file of results, and an engine that judges every game the same."""
    monkeypatch.setattr(working, "Beside", Stub)
    ASKED.clear()
    BROKEN.clear()
    results = Results(None)
    yield results
    results.close()


def analysed(archive: Archive, results: Results, match: str) -> bool:
    live = archive.reading.live(DEMO_LOG, match)
    known = match_of(archive, DEMO_LOG, match, live.version)
    assert known is not None
    return results.found(known) is not None


def test_the_queue_analyses_what_is_over_and_released_once(
    archive: Archive, results: Results
) -> None:
    index = MatchIndex(archive.store, archive.reading)
    queue = Background(archive, index, results, "fast")
    assert queue.round() > 0
    for match in streams(archive):
        live = archive.reading.live(DEMO_LOG, match)
        if analysed(archive, results, match):
            assert why_not(archive, DEMO_LOG, live) is None, match
    asked = len(ASKED)
    assert queue.round() == 0
    assert len(ASKED) == asked
    index.close()


def test_the_queue_ends_when_the_server_does_and_leaves_what_was_withheld(
    archive: Archive, results: Results
) -> None:
    for match in streams(archive):
        archive.append(DEMO_LOG, match, [archive.draft(PublicationWithheld())])
    index = MatchIndex(archive.store, archive.reading)
    queue = Background(archive, index, results, "fast")
    queue.start()
    queue.close()
    assert queue.round() == 0
    assert not ASKED
    index.close()
