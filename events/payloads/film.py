"""Films of a match: where one is to be found, and at which of its moments an entry happened."""

from __future__ import annotations

from events.payloads.base import Payload, Personal, Target
from events.values import Duration, EntryId, Sha256


class FilmAttached(Payload, frozen=True, kw_only=True):
    """There is a film of the match; the entry's id is the film's id."""

    file: Sha256 | None = None
    """Hash of the film's bytes, wherever the file is kept; None = no file is named."""
    link: Personal = None
    """Where it can be watched, an address of the web: people are seen there, so it can go."""


class FilmAligned(Target, frozen=True, kw_only=True):
    """At this moment of a film the target happened; of one film and target, the latest holds."""

    film: EntryId
    """The `film.attached`."""
    film_ms: Duration
    """Milliseconds from the film's beginning."""
