"""Open files that the system allows, and what a hall gets of them."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from api.hall import descriptors
from api.settings import Settings

SETTINGS = Settings(db="memory://")


class Limits:
    """The limits of a process, as the system keeps them."""

    RLIMIT_NOFILE, RLIM_INFINITY = 7, -1

    def __init__(self, soft: int, hard: int) -> None:
        self.soft, self.hard = soft, hard

    def getrlimit(self, _: int) -> tuple[int, int]:
        return self.soft, self.hard

    def setrlimit(self, _: int, limits: tuple[int, int]) -> None:
        assert limits[0] <= self.hard == limits[1]
        self.soft = limits[0]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Any:
    def limited(soft: int, hard: int) -> Limits:
        made = Limits(soft, hard)
        monkeypatch.setattr(descriptors, "resource", made)
        return made

    return limited


@pytest.mark.parametrize("hard", [8_192, Limits.RLIM_INFINITY])
def test_a_soft_limit_is_raised_so_that_a_thousand_followers_and_all_tablets_fit(
    limits: Any, caplog: pytest.LogCaptureFixture, hard: int
) -> None:
    system = limits(1_024, hard)
    if hard == Limits.RLIM_INFINITY:
        system.setrlimit = lambda _, wanted: setattr(system, "soft", wanted[0])
    bounds = descriptors.bounds_of(SETTINGS)
    assert system.soft >= SETTINGS.max_connections + descriptors.OF_OUR_OWN
    assert (bounds.followers >= 1_000, bounds.kept >= 400) == (True, True)
    assert caplog.records == []


def test_where_it_may_not_be_raised_the_tablets_places_are_kept_and_the_log_says_how_many_follow(
    limits: Any, caplog: pytest.LogCaptureFixture
) -> None:
    limits(1_024, 1_024)
    with caplog.at_level(logging.WARNING):
        bounds = descriptors.bounds_of(SETTINGS)
    assert bounds.connections + descriptors.OF_OUR_OWN <= 1_024
    assert bounds.kept >= 400
    [record] = caplog.records
    for number in (bounds.connections, bounds.kept, bounds.followers):
        assert str(number) in record.getMessage()
