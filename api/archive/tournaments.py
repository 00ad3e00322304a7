"""A tournament as doors tell it: what it is, how its folds grow, and what its matches open with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

import msgspec

from api.archive.archive import UNNAMED
from api.archive.reading import Reading
from api.shapes.matches import TournamentOut
from api.shapes.shape import JsonObject
from events.catalogue import read_entries
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.personal import Commitment
from projections.facts.tournament import Tournament


class Folded(Protocol):
    """What a fold of a tournament's stream gives."""

    @property
    def version(self) -> int:
        """Version of the last entry folded."""


S = TypeVar("S", bound=Folded)


class TournamentFold(Generic[S]):
    """A fold of each log's tournament stream, folded on as the stream grows."""

    def __init__(
        self, reading: Reading, fold: Callable[[Iterable[RecordedEvent], S | None], S]
    ) -> None:
        self._reading = reading
        self._fold = fold
        self._known: dict[str, S] = {}
        self._gate = threading.Lock()

    def of(self, log_id: str) -> S:
        """How it stands now. Reads the store where something was recorded since."""
        known = self._known.get(log_id)
        # The grants are folded on at every commit: their version says whether anything is new.
        if known is not None and known.version >= self._reading.access(log_id).version:
            return known
        after = known.version if known else 0
        rows = self._reading.store.read_sealed(log_id, TOURNAMENT_STREAM, after=after)
        folded = self._fold(read_entries(log_id, TOURNAMENT_STREAM, rows), known)
        with self._gate:
            newer = self._known.get(log_id)
            if newer is not None and newer.version >= folded.version:
                return newer
            if folded.version:
                self._known[log_id] = folded
        return folded


def defaults_of(tournament: Tournament) -> JsonObject:
    """What a new match is opened with, as members of `match.opened`; only those that are set.

    `{**defaults_of(tournament), **said}` is the body of a match of which only `said` is known.
    """
    members = {
        "length": tournament.length,
        "rule_set": tournament.rule_set,
        "options": dict(tournament.options) or None,
        "clock_terms": tournament.clock_terms,
        "publication": tournament.publication,
    }
    said = {
        name: msgspec.to_builtins(value) for name, value in members.items() if value is not None
    }
    if tournament.publication is not None:
        # A delay of 0 is left out by the encoder; whoever opens a match has to say it.
        said["publication"]["delay_ms"] = tournament.publication.delay_ms
    return said


def title_of(reading: Reading, log_id: str) -> str | None:
    """What a log's tournament is called. Reads the store."""
    return reading.tournament(log_id).title


def tournament_line(reading: Reading, log_id: str) -> TournamentOut:
    """What whoever may read a log is told of its tournament. Reads the store."""
    found = reading.tournament(log_id)
    personal = (found.organiser, found.place, found.starts_on, found.ends_on)
    told = reading.texts(log_id, personal)

    def text(commitment: Commitment | None) -> str | None:
        return None if commitment is None else told.get(commitment.sd)

    return TournamentOut(
        version=found.version,
        title=found.title,
        organiser=text(found.organiser),
        place=text(found.place),
        starts_on=text(found.starts_on),
        ends_on=text(found.ends_on),
        rule_set=found.rule_set,
        options=msgspec.to_builtins(dict(found.options)),
        is_closed=found.is_closed,
        defaults=defaults_of(found),
    )


def archive_title(reading: Reading) -> str | None:
    """What the archive is called; None while nobody has given it a title. Reads the store."""
    title = reading.tournament(ARCHIVE_LOG).title
    return None if title == UNNAMED else title
