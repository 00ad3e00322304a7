"""Films of a match, for who may see them: nobody is shown one before the match itself."""

from __future__ import annotations

from typing import NamedTuple

from api.archive.films import SeenFilm, films_in
from api.routes.shared.door import Door, Sight
from api.shapes.films import FilmMomentOut, FilmOut, FilmPointOut
from projections.replay import Replay
from projections.views.discretion import discretion, is_in_play
from projections.views.films import moments_of
from projections.views.showing import Reader, Why


class Filmed(NamedTuple):
    """The films that a visitor is shown."""

    films: list[SeenFilm]
    withheld: Why | None
    """Why no film is shown; None = all are."""


def filmed(door: Door, sight: Sight, shown: Replay) -> Filmed:
    """Every film of a match, or why its visitor is shown none. Reads the store.

    A film shows all of a match at once, and who plays it. So the public sees it once the match, as
    the public knows it, is over and does not stand still; whoever has a grant and does not rule on
    the match, once it is over; and no committee that must not know the players.
    """
    withheld = _why(sight)
    return Filmed([] if withheld else films_in(door.reading, sight.log_id, shown), withheld)


def _why(sight: Sight) -> Why | None:
    if sight.showing.reader is Reader.PUBLIC:
        # Decided by what the public knows now: this must reveal nothing that is still delayed.
        is_over = not is_in_play(sight.live.replay.at(sight.version))
        return None if is_over and not sight.awaits_ruling else Why.NOT_PUBLIC
    if not discretion(sight.live.replay, is_trusted=sight.is_trusted).tells_match:
        return Why.NOT_PUBLIC
    return sight.showing.why_file()


def film_out(seen: SeenFilm, shown: Replay) -> FilmOut:
    """A film as answers have it."""
    film = seen.film
    return FilmOut(
        film_id=film.film_id,
        version=film.version,
        sha256=film.file,
        link=seen.link,
        withheld="erased" if seen.is_erased else None,
        points=[FilmPointOut(*one) for one in film.points],
        set_aside=[FilmPointOut(*one) for one in film.set_aside],
        moments=[FilmMomentOut(*one) for one in moments_of(film, shown)],
    )
