"""What of a match is written into a file or a line of a stream, for the reader who asks."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from api.archive.index.rows import row_of
from api.archive.openings import names_of
from api.archive.words import showing_line, words_lines
from api.exchange.details import details_of
from api.exchange.prose.spoken import english, notes_on
from api.exchange.writing.compact import compact
from api.exchange.writing.wanted import Details, Wanted
from api.routes.shared.door import (
    Door,
    Sight,
)
from api.routes.shared.filmed import filmed
from api.routes.shared.flags import Flags
from api.routes.shared.summaries import summaries
from projections.replay import Replay
from projections.views.discretion import Discretion, discretion
from projections.views.lines import Line
from projections.views.showing import People

GUARDED = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        " sandbox"
    ),
    "X-Content-Type-Options": "nosniff",
}
"""Content of a recorded match must not run as a script, whatever type a browser takes it for."""


def wanted_by(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Wanted:
    """How a match is written for a visitor: never with more than the visitor may see."""
    is_withheld = flags.names == "withheld"
    names = None
    if not is_withheld and sight.people is not People.NONE:
        names = names_of(door.reading, sight.log_id, shown.opened)
    details = Details()
    if not is_withheld:
        details = details_of(door.reading, sight.log_id, shown.opened, sight.people)
    told = discretion_of(sight, shown)
    spoken: Mapping[int, Line] = {}
    if not is_withheld:
        place = (sight.log_id, sight.match_id)
        spoken = words_lines(door.reading, *place, shown, sight.showing, files=door.files)
    notes = notes_on(english(), showing_line(sight.showing)) if spoken else []
    films = [] if is_withheld else filmed(door, sight, shown).films
    return Wanted(
        films={one.film.film_id: one.link for one in films},
        spoken=spoken,
        shown_to=tuple(notes),
        names=names,
        details=details,
        # If it were written differently, an illegal play could be told from the legal ones.
        illegal=flags.illegal if told.tells_match else "raw",
        clocks=flags.clocks,
        findings=flags.findings and told.tells_match,
        is_held_back=not told.tells_match,
    )


def match_object(door: Door, sight: Sight, shown: Replay, flags: Flags) -> Line:
    """A match as one JSON object: what its list shows, and its games."""
    told = discretion_of(sight, shown)
    opened_at = sight.live.recorded[0].global_position
    row = row_of(sight.log_id, sight.match_id, opened_at, shown, sight.publicity, reach=sight.reach)
    [summary] = summaries(door, sight.visitor, [row])
    listed = msgspec.to_builtins(summary)
    members = (
        *("log_id", "match_id", "version", "players", "event", "round", "table", "date"),
        *("length", "score"),
        *("state", "rule_set", "source", "awaits_ruling"),
    )
    head = {name: listed[name] for name in members}
    if flags.names == "withheld":
        withheld = dict.fromkeys(("event", "round", "table", "date"))
        head |= {"players": {"one": [], "two": []}, **withheld}
    findings = flags.findings and told.tells_match
    made = {**head, **compact(shown, clocks=flags.clocks, findings=findings)}
    if not told.tells_match:
        made["result"]["questions"] = []
        made |= {"lost": {}, "held_back": told.held_back}
    return made


def discretion_of(sight: Sight, shown: Replay) -> Discretion:
    """How much of a match in play is told to who sees it."""
    return discretion(shown, is_trusted=sight.is_trusted)
