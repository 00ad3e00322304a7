"""Films of a match: where a film can be found, and when in it an entry happened."""

from __future__ import annotations

from events.payloads.base import Payload, Personal, Target
from events.values import Duration, EntryId, Sha256


class FilmAttached(Payload, frozen=True, kw_only=True):
    """A film of the match exists; the entry's id is the film's id."""

    file: Sha256 | None = None
    """SHA-256 of the film's bytes, wherever the file is kept; None = no file is named."""
    link: Personal = None
    """Web address of the film; personal, because the film shows people, so it can be erased."""


class FilmAligned(Target, frozen=True, kw_only=True):
    """When in a film the target happened; the latest entry for the same film and target holds."""

    film: EntryId
    """The `film.attached`."""
    film_ms: Duration
    """Milliseconds from the film's beginning."""
