"""Which matches may be analysed: over, and readable whole by anybody; no other, by any door."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest

from api.analysis.released import NotAnalysed, why_not, work_of
from api.archive.archive import Archive, open_archive
from api.commands.demo import DEMO_LOG, LIVE_MATCH, seed
from events.envelope import Basis
from events.payloads.base import Actor
from events.payloads.custody import PublicationReleased, PublicationWithheld
from events.payloads.dispute import DisputeRaised
from events.payloads.match import MatchEnded
from events.values import Seat

NOW_MS = 1_773_500_000_000


@pytest.fixture
def archive() -> Iterator[Archive]:
    """The demonstration."""
    chance = random.Random(4)
    archive = open_archive("memory://", now_ms=lambda: NOW_MS, entropy=chance.randbytes)
    asyncio.run(seed(archive))
    yield archive
    archive.close()


def streams(archive: Archive) -> list[str]:
    return [
        one.stream_id for one in archive.store.streams(DEMO_LOG) if one.stream_id != "tournament"
    ]


def may(archive: Archive, match: str) -> bool:
    return why_not(archive, DEMO_LOG, archive.reading.live(DEMO_LOG, match)) is None


def test_of_the_demonstration_only_what_is_over_and_public_is_analysed(archive: Archive) -> None:
    for match in streams(archive):
        live = archive.reading.live(DEMO_LOG, match)
        ended = live.replay.state.score.has_ended or not live.replay.state.judged.outcome.is_open
        assert may(archive, match) == (live.publicity.is_public and ended), match
    assert not may(archive, LIVE_MATCH)


def test_what_is_withheld_disputed_or_behind_its_delay_is_not_analysed(archive: Archive) -> None:
    def append(*payloads: object) -> None:
        drafts = [archive.draft(one, basis=Basis.OBSERVED) for one in payloads]  # type: ignore[arg-type]
        archive.append(DEMO_LOG, LIVE_MATCH, drafts)

    append(MatchEnded(winner=Seat.ONE))
    released = PublicationReleased(delay_ms=0)
    append(released)
    assert may(archive, LIVE_MATCH)
    assert work_of(archive, DEMO_LOG, LIVE_MATCH).games
    append(PublicationWithheld())
    with pytest.raises(NotAnalysed, match="not released"):
        work_of(archive, DEMO_LOG, LIVE_MATCH)
    append(PublicationReleased(delay_ms=60_000))
    assert not may(archive, LIVE_MATCH)
    append(released)
    assert may(archive, LIVE_MATCH)
    last = archive.reading.live(DEMO_LOG, LIVE_MATCH).recorded[-1].entry_id
    append(DisputeRaised(by=Actor.ONE, frozen_at=last))
    assert not may(archive, LIVE_MATCH)
