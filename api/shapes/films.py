"""Shapes of the films of a match."""

from __future__ import annotations

from typing import Annotated

from api.shapes.matches import View
from api.shapes.replay import WhyOut
from api.shapes.shape import Shape


class FilmPointOut(Shape):
    """A stated moment of the film at which an entry happened."""

    version: Annotated[int, "Version of the `film.aligned`."]
    target: Annotated[int, "Version of the entry that happens then."]
    at_ms: Annotated[int | None, "When it happened by the recorded times of the table."]
    film_ms: Annotated[int, "Milliseconds from the film's beginning."]
    entry_id: Annotated[str, "Entry id of the `film.aligned`; `entry.retracted` can retract it."]


class FilmMomentOut(Shape):
    """When in the film an entry happened."""

    version: int
    film_ms: Annotated[int, "Milliseconds from the film's beginning."]


class FilmOut(Shape):
    """A film of the match, and when in it each entry happened."""

    film_id: Annotated[str, "Entry id of its `film.attached`, which `film.aligned` refers to."]
    version: Annotated[int, "Version of the `film.attached`."]
    sha256: Annotated[str | None, "SHA-256 of its file, which the server need not have."]
    link: Annotated[str | None, "Web address where it can be watched."]
    withheld: Annotated[WhyOut | None, "Why the link is missing, if there was one."]
    points: Annotated[list[FilmPointOut], "Stated moments in force, in the order of the entries."]
    set_aside: Annotated[list[FilmPointOut], "Stated moments that a later one contradicts."]
    moments: Annotated[
        list[FilmMomentOut],
        "Moments computed from them; entries without a known time are left out.",
    ]


class FilmsOut(View):
    """The films of a match."""

    films: list[FilmOut]
    withheld: Annotated[WhyOut | None, "Why no film is shown; null = all are shown."]
    may_record: Annotated[bool, "Whether the reader may attach and align films."]
