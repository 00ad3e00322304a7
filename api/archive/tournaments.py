"""A tournament as doors tell it: what it is, and what its new matches are opened with."""

from __future__ import annotations

import msgspec

from api.archive.archive import UNNAMED
from api.archive.reading import Reading
from api.shapes.matches import TournamentOut
from api.shapes.shape import JsonObject
from events.envelope import ARCHIVE_LOG
from events.personal import Commitment, text_of
from projections.facts.tournament import Tournament


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
    told = reading.opened_values(log_id, personal)

    def text(commitment: Commitment | None) -> str | None:
        return None if commitment is None else text_of(told.get(commitment.sd))

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
