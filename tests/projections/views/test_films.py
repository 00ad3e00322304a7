"""Films: entries found in made films with cuts, pauses and clocks that run off."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.payloads import dice, film
from events.values import Seat
from projections.replay import Replay
from projections.views.films import Film, films_of, moments_of
from tests.projections.table import Table

DRIFT_MS = 500
"""What a film may be off at any entry of the match."""

FILE = "3dbe53a2de431feaea25139a6ea5eb705629d3fb419181298046d78d55acb055"


class Break(NamedTuple):
    """Where film and table part: what lies between two entries, the film shows otherwise."""

    after: int
    """Number of the last entry before it, from 0."""
    film_ms: int
    """How much longer the film is there than the table was: below 0 for a cut, or for a camera that
    was stopped; above 0 for what was put in, such as a replay of the last roll."""


def made(times: list[int], breaks: list[Break], *, starts_ms: int, off_ppm: int) -> list[int]:
    """Where in a made film each time of the table is."""
    shown, at_ms = [starts_ms], float(starts_ms)
    more = {one.after: one.film_ms for one in breaks}
    for place, (first, second) in enumerate(pairwise(times)):
        # Never backwards: a cut takes away no more than there was between the two entries.
        took = (second - first) * (1 + off_ppm / 1_000_000)
        at_ms += max(40.0, took + more.get(place, 0))
        shown.append(round(at_ms))
    return shown


def filmed(times: list[int], points: dict[int, int]) -> tuple[Replay, Film]:
    """A match with an entry at each time, of which some are said to be at a moment of the film."""
    table = Table()
    entries = []
    for place, at_ms in enumerate(times):
        table.record(dice.Rolled(seat=tuple(Seat)[place % 2], dice=(6, 5), at_ms=at_ms))
        entries.append(table.last)
    table.record(film.FilmAttached(file=FILE))
    name = table.last
    for place, film_ms in points.items():
        table.record(film.FilmAligned(film=name, target=entries[place], film_ms=film_ms))
    shown = table.replay
    [found] = films_of(shown)
    return shown, found


def drift(times: list[int], shown_at: list[int], points: dict[int, int]) -> int:
    """The most that any entry is off, in milliseconds."""
    shown, found = filmed(times, points)
    told = {one.version: one.film_ms for one in moments_of(found, shown)}
    first = next(step for step in shown.steps if isinstance(step.event.payload, dice.Rolled))
    begins = first.event.version
    return max(abs(told[begins + place] - at_ms) for place, at_ms in enumerate(shown_at))


TIMES = list(range(60_000, 2 * 3_600_000, 17_003))
"""Two hours of a match, an entry every 17 seconds."""


def test_a_film_with_a_cut_a_pause_and_a_clock_100_ppm_off_is_never_half_a_second_off() -> None:
    cut, put_in = Break(120, -12_000), Break(300, 45_000)
    shown_at = made(TIMES, [cut, put_in], starts_ms=754_000, off_ppm=100)
    said = {0, 120, 121, 300, 301, len(TIMES) - 1}
    assert drift(TIMES, shown_at, {place: shown_at[place] for place in said}) <= 2
    # A hand stops the film a tenth of a second early or late.
    by_hand = {place: shown_at[place] + (100, -100)[place % 2] for place in said}
    assert drift(TIMES, shown_at, by_hand) <= DRIFT_MS
    # Without the two points around the cut it would be seconds off: the bound is not idle.
    assert drift(TIMES, shown_at, {0: shown_at[0], 400: shown_at[400]}) > 10 * DRIFT_MS


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_break_told_by_two_points_keeps_the_film_within_half_a_second(data: Any) -> None:
    gaps = data.draw(st.lists(st.integers(1_000, 90_000), min_size=20, max_size=120))
    times = [sum(gaps[: place + 1]) for place in range(len(gaps))]
    inner = st.integers(0, len(times) - 2)
    breaks = [
        Break(place, data.draw(st.integers(-300_000, 300_000)))
        for place in data.draw(st.sets(inner, max_size=4))
    ]
    off_ppm = data.draw(st.integers(-100, 100))
    shown_at = made(times, breaks, starts_ms=data.draw(st.integers(0, 10**7)), off_ppm=off_ppm)
    said = {0, len(times) - 1} | {n for one in breaks for n in (one.after, one.after + 1)}
    slip = st.integers(-15, 15)  # less than what the shortest piece of the film has: 40 ms
    points = {place: shown_at[place] + data.draw(slip) for place in said}
    points = {place: max(0, at_ms) for place, at_ms in points.items()}
    assert drift(times, shown_at, points) <= DRIFT_MS


def test_one_point_gives_the_offset_and_two_the_rate_as_well() -> None:
    shown_at = made(TIMES, [], starts_ms=9_000, off_ppm=100)
    whole = TIMES[-1] - TIMES[0]
    one = drift(TIMES, shown_at, {0: shown_at[0]})
    assert one == pytest.approx(whole * 100 / 1_000_000, abs=2)
    # Two points of the first half hour say how fast the clock runs over all the rest.
    assert drift(TIMES, shown_at, {0: shown_at[0], 110: shown_at[110]}) <= 5


def test_points_around_a_cut_do_not_say_how_fast_the_clock_runs() -> None:
    _, found = filmed([0, 1_000_000, 2_000_000], {0: 5_000, 1: 105_000})
    assert (found.at(500_000), found.at(1_500_000)) == (55_000, 605_000)
    assert found.at(-10_000) == -5_000


def test_a_point_said_later_takes_the_place_of_an_earlier_one_or_sets_it_aside() -> None:
    _, found = filmed([0, 60_000, 120_000], {0: 1_000, 1: 500, 2: 121_000})
    assert [one.film_ms for one in found.points] == [500, 121_000]
    assert [one.film_ms for one in found.set_aside] == [1_000]
    table = Table()
    table.record(dice.Rolled(seat=Seat.ONE, dice=(6, 5), at_ms=0))
    target = table.last
    table.record(film.FilmAttached(file=FILE))
    name = table.last
    table.record(film.FilmAligned(film=name, target=target, film_ms=1_000))
    table.record(film.FilmAligned(film=name, target=target, film_ms=2_000))
    again = table.last
    assert films_of(table.replay)[0].at(500) == 2_500
    table.retract(again)
    assert films_of(table.replay)[0].at(500) == 1_500
    table.retract(target)
    assert films_of(table.replay)[0].points == ()
    table.retract(name)
    assert films_of(table.replay) == []


def test_without_times_only_the_entries_that_were_named_are_found() -> None:
    table = Table().game().opening(3, 1)
    target = table.last
    table.play("one", "8/5 6/5")
    table.record(film.FilmAttached())
    name = table.last
    assert films_of(table.replay)[0].at(0) is None
    table.record(film.FilmAligned(film=name, target=target, film_ms=7_000))
    [found] = films_of(table.replay)
    assert [one.film_ms for one in moments_of(found, table.replay)] == [7_000]
