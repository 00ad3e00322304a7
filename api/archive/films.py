"""Films of a match with their addresses opened, for who may see them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from api.archive.reading import Reading
from events.personal import Disclosed
from projections.replay import Replay
from projections.views.films import Film, films_of

MAX_LINK = 512
"""Longest address of a film, in characters."""


class SeenFilm(NamedTuple):
    """A film as somebody may see it."""

    film: Film
    link: str | None
    """Where it can be watched: an address of the web, and nothing else."""
    is_erased: bool
    """Whether there was an address, and it was erased or never handed in."""


def films_in(reading: Reading, log_id: str, shown: Replay) -> list[SeenFilm]:
    """Every film of a match, to who may see them. Reads the store."""
    films = films_of(shown)
    values = reading.opened_values(log_id, [film.link for film in films])
    seen: list[SeenFilm] = []
    for film in films:
        value = None if film.link is None else values[film.link.sd]
        link = address_of(value.value) if isinstance(value, Disclosed) else None
        is_erased = value is not None and not isinstance(value, Disclosed)
        seen.append(SeenFilm(film, link, is_erased))
    return seen


def address_of(text: object) -> str | None:
    """The address of a page of the web; None for whatever else it is, `javascript:` above all."""
    if not isinstance(text, str) or len(text) > MAX_LINK or not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("https", "http") and bool(parts.hostname)
    except ValueError:
        return None
    return text if is_address and "@" not in parts.netloc else None
