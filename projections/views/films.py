"""Films: where each entry of a match is seen in a film, computed from a few that were stated.

Somebody states for single entries at which moment of the film they happened. Between two of these
points film time is interpolated by the times of the table, so a cut needs two points: the last
entry before it and the first one after. Outside of the points the film runs at its mean speed, or
at that of the table's clock if the points are too few or too close to tell it. An entry without a
time has only what was stated for itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from events.payloads.film import FilmAligned, FilmAttached
from events.personal import Commitment
from projections.states import Replay
from projections.views.acts import is_custody

_MOST_OFF_PPM = 2_000
"""Two points between which the clocks differ by more have a cut between them. Clocks of tablets and
cameras are within 100 millionths; a film at 29.97 pictures a second told as 30 is off by 1,000."""

_LONG_ENOUGH_MS = 600_000
"""Over less, how fast a clock runs is hidden by how exactly a hand stops a film."""


class Point(NamedTuple):
    """One entry of which somebody said where in the film it is."""

    version: int
    """The `film.aligned` that says so."""
    target: int
    """Version of the entry that happens there."""
    at_ms: int | None
    """When that entry happened by the time of the table; None = not recorded."""
    film_ms: int
    """Milliseconds from the film's beginning."""
    entry_id: str
    """Of the `film.aligned`."""


class Film(NamedTuple):
    """A film of a match, and how it lies along the times of the table."""

    film_id: str
    """Entry id of its `film.attached`."""
    version: int
    """Version of that."""
    file: str | None
    """Hex SHA-256 of its file."""
    link: Commitment | None
    """Where it can be watched."""
    points: tuple[Point, ...]
    """What holds, in the order of the entries."""
    set_aside: tuple[Point, ...]
    """What a point said later contradicts: the film would run backwards between them."""

    def at(self, at_ms: int) -> int | None:
        """Where in the film, in its milliseconds, a time of the table is; None = nobody knows.

        Below 0 where the film had not begun.
        """
        return _at(_timed(self.points), at_ms)


class Moment(NamedTuple):
    """Where in a film an entry is."""

    version: int
    film_ms: int


def films_of(shown: Replay) -> list[Film]:
    """Every film of a match with what was said of it, in the order in which they were attached."""
    times = {
        step.event.entry_id: (step.event.version, getattr(step.event.payload, "at_ms", None))
        for step in shown.steps
    }
    said: dict[str, dict[int, Point]] = {
        step.event.entry_id: {}
        for step in shown.steps
        if isinstance(step.event.payload, FilmAttached)
    }
    for step in shown.steps:
        match step.event.payload:
            case FilmAligned(film=film, target=target, film_ms=film_ms) if (
                film in said and target in times
            ):
                version, at_ms = times[target]
                said[film][version] = Point(
                    step.event.version, version, at_ms, film_ms, step.event.entry_id
                )
            case _:
                pass
    return [
        Film(
            step.event.entry_id,
            step.event.version,
            payload.file,
            payload.link,
            *_agreeing(said[step.event.entry_id].values()),
        )
        for step in shown.steps
        if isinstance(payload := step.event.payload, FilmAttached)
    ]


def moments_of(film: Film, shown: Replay) -> list[Moment]:
    """Where in a film the entries of the match are, in their order; the film may be shorter."""
    pinned = {point.target: point.film_ms for point in film.points}
    timed = _timed(film.points)
    found: list[Moment] = []
    for step in shown.steps:
        version, at_ms = step.event.version, getattr(step.event.payload, "at_ms", None)
        film_ms = pinned.get(version)
        if film_ms is None and at_ms is not None and not is_custody(step.event.tag):
            film_ms = _at(timed, at_ms)
        if film_ms is not None and film_ms >= 0:
            found.append(Moment(version, film_ms))
    return found


def _agreeing(said: Iterable[Point]) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """(what holds, what a later point contradicts), both in the order of the entries."""
    kept: list[Point] = []
    timed: list[Point] = []
    aside: list[Point] = []
    for point in sorted(said, reverse=True):
        place = bisect_right(kept, point.target, key=_target)
        fits = _rises([*kept[max(0, place - 1) : place], point, *kept[place : place + 1]], _film)
        if point.at_ms is not None:
            among = bisect_right(timed, point.target, key=_target)
            beside = [*timed[max(0, among - 1) : among], point, *timed[among : among + 1]]
            if fits := fits and _rises(beside, _time):
                timed.insert(among, point)
        if fits:
            kept.insert(place, point)
        else:
            aside.append(point)
    return tuple(kept), tuple(sorted(aside, key=_target))


def _rises(points: Sequence[Point], key: Callable[[Point], int]) -> bool:
    return all(key(first) <= key(second) for first, second in pairwise(points))


def _target(point: Point) -> int:
    return point.target


def _film(point: Point) -> int:
    return point.film_ms


def _time(point: Point) -> int:
    assert point.at_ms is not None
    return point.at_ms


def _timed(points: Iterable[Point]) -> list[Point]:
    return [one for one in points if one.at_ms is not None]


def _at(timed: Sequence[Point], at_ms: int) -> int | None:
    """`Film.at` of points that have a time, in their order."""
    if not timed:
        return None
    after = bisect_right(timed, at_ms, key=_time)
    if 0 < after < len(timed):
        first, second = timed[after - 1], timed[after]
        passed, whole = at_ms - _time(first), _time(second) - _time(first)
        return first.film_ms + _rounded(passed * (second.film_ms - first.film_ms), whole)
    near = timed[0] if after == 0 else timed[-1]
    film, table = _pace(timed)
    return near.film_ms + _rounded((at_ms - _time(near)) * film, table)


def _pace(timed: Sequence[Point]) -> tuple[int, int]:
    """(milliseconds of the film, of the table) that go by together, where it ran without a cut."""
    film = table = 0
    for first, second in pairwise(timed):
        of_film, of_table = second.film_ms - first.film_ms, _time(second) - _time(first)
        if abs(of_film - of_table) * 1_000_000 <= of_table * _MOST_OFF_PPM:
            film, table = film + of_film, table + of_table
    return (film, table) if table >= _LONG_ENOUGH_MS else (1, 1)


def _rounded(amount: int, whole: int) -> int:
    """`amount / whole` to the nearest whole number, without a float."""
    return (2 * amount + whole) // (2 * whole)
