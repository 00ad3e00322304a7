"""Delays count by a clock that nobody sets: a step publishes nothing early."""

from __future__ import annotations

from api.archive.lateness import Lateness

DELAY = 300_000


class Both:
    """The computer's clock, and one that nobody sets."""

    def __init__(self) -> None:
        self.now, self.steady = 1_800_000_000_000, 0

    def passes(self, ms: int) -> None:
        self.now += ms
        self.steady += ms


def test_without_a_step_it_is_the_clock_less_the_delay() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    both.passes(1_000_000)
    assert lateness.before(DELAY) == both.now - DELAY
    assert lateness.before(0) == both.now


def test_a_clock_that_is_set_forward_makes_nothing_older() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    both.passes(10_000)
    both.now += 3_600_000
    for _ in range(29):
        assert lateness.before(DELAY) < received
        both.passes(10_000)
    # A delay after the step was seen, everything from before it is old.
    both.passes(10_000)
    later = both.now
    assert lateness.before(DELAY) >= received
    both.passes(DELAY - 1)
    assert lateness.before(DELAY) < later
    both.passes(1)
    assert lateness.before(DELAY) == later


def test_a_clock_that_is_set_back_shows_nothing_early() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    both.now -= 3_600_000
    both.passes(DELAY - 1)
    assert lateness.before(DELAY) < received
    later = both.now
    both.passes(DELAY)
    assert lateness.before(DELAY) == later


def test_several_steps_add_up() -> None:
    both = Both()
    lateness = Lateness(lambda: both.now, lambda: both.steady)
    received = both.now
    for _ in range(3):
        both.now += 200_000
        both.passes(20_000)
        assert lateness.before(DELAY) < received
