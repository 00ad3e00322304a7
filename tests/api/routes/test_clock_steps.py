"""A clock that is set publishes nothing early: no page, list, feed, file or screen in the hall."""

from __future__ import annotations

from typing import Any

import pytest

from api.archive.archive import Archive
from api.archive.lateness import Lateness

DELAY = 300_000
HOUR = 3_600_000
NAMED = {"players": {"one": [{"name": "Zinaida"}], "two": [{"name": "Bo"}]}}
MATCH = "/logs/club/matches/m1"

PUBLIC = (
    *("/", "/tournaments/club", "/tournaments/club?state=live", "/players", "/players/Zinaida"),
    *("/feed.atom", "/tournaments/club/feed.atom", "/matches/club/m1", "/matches/club/m1/replay"),
    *("/logs", "/logs/club/matches", "/logs/club/matches?state=live", "/logs/club/export"),
    *("/logs/club/results.json", "/logs/club/results.csv", "/tournaments/club/results"),
    *("/tournaments/club/wall", "/matches/club/m1/board.svg"),
    *(MATCH, f"{MATCH}/replay", f"{MATCH}/events", f"{MATCH}/score", f"{MATCH}/export.jsonl"),
)
"""Addresses that say something of a match to everybody."""


class Steady:
    """A clock that nobody sets."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def steady(archive: Archive, clock: Any) -> Steady:
    steady = Steady()
    archive.lateness = Lateness(clock, steady)
    return steady


async def shown(api: Any) -> dict[str, tuple[int, str]]:
    """What everybody is shown, by address."""
    answers = {path: await api.get(path, Accept="*/*") for path in PUBLIC}
    return {path: (answer.status_code, answer.text) for path, answer in answers.items()}


async def test_a_clock_that_is_set_forward_shows_nothing_of_a_match_anywhere(
    api: Any, clock: Any, steady: Steady, begin: Any, make: Any
) -> None:
    await api.open("m0", publication={"public": True, "delay_ms": 0})
    await api.open(**NAMED, publication={"public": True, "delay_ms": DELAY})
    await api.append(*begin())
    before = await shown(api)
    clock.now += HOUR
    assert await shown(api) == before
    clock.now += DELAY - 1
    steady.now += DELAY - 1
    assert await shown(api) == before
    clock.now += 1
    steady.now += 1
    after = await shown(api)
    told = {path for path in PUBLIC if after[path] != before[path]}
    assert {"/", "/players", "/players/Zinaida", "/feed.atom", MATCH} <= told
    # What is received once the clock is right waits for its delay, and not longer.
    await api.append(make("match.ended", winner="one"), token=api.director)
    assert (await shown(api))[MATCH] == after[MATCH]
    clock.now += DELAY
    steady.now += DELAY
    assert '"ended"' in (await shown(api))[MATCH][1]


async def test_a_match_that_is_over_ends_in_no_list_before_its_delay_is_over(
    api: Any, clock: Any, steady: Steady, begin: Any, make: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": DELAY})
    await api.append(*begin())
    clock.now += DELAY
    steady.now += DELAY
    await shown(api)
    await api.append(make("match.ended", winner="one"), token=api.director)
    before = await shown(api)
    clock.now += HOUR
    assert await shown(api) == before


async def test_what_needs_no_delay_is_told_at_once_though_the_clock_was_set(
    api: Any, clock: Any, steady: Steady
) -> None:
    await api.open("late", publication={"public": True, "delay_ms": DELAY})
    await shown(api)
    clock.now += HOUR
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    for path in ("/", "/tournaments/club", "/feed.atom", "/logs/club/matches"):
        assert "Zinaida" in (await api.get(path, Accept="*/*")).text, path
