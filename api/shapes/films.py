"""Shapes of the films of a match."""

from __future__ import annotations

from typing import Annotated

from api.shapes.matches import View
from api.shapes.replay import WhyOut
from api.shapes.shape import Shape


class FilmPointOut(Shape):
    """What somebody said: at this moment of the film, this entry happened."""

    version: Annotated[int, "The `film.aligned`."]
    target: Annotated[int, "Version of the entry that happens there."]
    at_ms: Annotated[int | None, "When it happened by the times of the table."]
    film_ms: Annotated[int, "Milliseconds from the film's beginning."]
    entry_id: Annotated[str, "Of the `film.aligned`: `entry.retracted` takes it back."]


class FilmMomentOut(Shape):
    """Where in the film an entry is."""

    version: int
    film_ms: Annotated[int, "Milliseconds from the film's beginning."]


class FilmOut(Shape):
    """A film of the match, and where in it each of its entries is."""

    film_id: Annotated[str, "Entry id of its `film.attached`, by which `film.aligned` names it."]
    version: Annotated[int, "Version of that."]
    sha256: Annotated[str | None, "Hash of its file, which the server need not have."]
    link: Annotated[str | None, "Where it can be watched."]
    withheld: Annotated[WhyOut | None, "Why there is no link, where there was one."]
    points: Annotated[list[FilmPointOut], "What holds, in the order of the entries."]
    set_aside: Annotated[list[FilmPointOut], "What a point said later contradicts."]
    moments: Annotated[list[FilmMomentOut], "By the points; entries nobody knows of left out."]


class FilmsOut(View):
    """The films of a match."""

    films: list[FilmOut]
    withheld: Annotated[WhyOut | None, "Why none is shown; null = all are."]
    may_record: Annotated[bool, "Whether the visitor may attach and align films."]
