"""Matches of sealed entries, as a JSONL export holds them: whole, readable, and of one stream each.

What was sealed is settled: nothing is read into facts here. An export is taken or refused, and why
is said with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from api.exchange.reading.facts import (
    DIVIDE,
    OPENED,
    Notice,
    NoticeCode,
    Refused,
)
from api.exchange.sealed import jsonl
from api.exchange.writing.story import games_of
from events import catalogue
from events.catalogue import TOURNAMENT_TAGS, Unread
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent
from events.errors import Damaged
from events.store.sealed import SealedStream
from projections.replay import Replay, replay


class SealedRead(msgspec.Struct, frozen=True):
    """One match of an export, from its beginning."""

    stream: SealedStream
    """Its entries and their disclosures, for a store."""
    shown: Replay
    """What they come to."""
    line: int
    """Line of the file at which it begins."""
    games: int
    """Games begun."""
    rolls: int
    """Dice thrown, dances included."""
    notices: list[Notice]
    """Entries that only a later program can read."""


def read(data: bytes, *, most: int) -> list[SealedRead]:
    """Every match of an export, in order of their first entries.

    Raises:
        Refused: it is broken, it is no match, or it has more than `most` entries.
    """
    export = jsonl.read(data)
    if len(export.entries) > most:
        raise Refused(f"it comes to more than {most:,} entries", DIVIDE)
    if export.problems:
        first, *others = export.problems
        more = f" (and {len(others):,} more problems)" if others else ""
        raise Refused(first.what + more, jsonl.ANEW, line=first.line)
    return [_match(entries) for entries in export.streams().values()]


def _match(entries: Sequence[jsonl.Entry]) -> SealedRead:
    first = entries[0]
    log_id, stream_id = first.told.log_id, first.told.stream_id
    if log_id == ARCHIVE_LOG or stream_id == TOURNAMENT_STREAM:
        what = "an archive's" if log_id == ARCHIVE_LOG else "a tournament's"
        what = f"this is {what} own stream, with grants: only matches are taken in"
        raise Refused(what, "a backup brings it back whole (`tabularium restore`)", line=first.line)
    tags = [entry.told.row[1] for entry in entries]
    if tags[0] != OPENED:
        what = f"a match begins with {OPENED}, not with {tags[0]}"
        raise Refused(what, jsonl.ANEW, line=first.line)
    for entry, tag in zip(entries, tags, strict=True):
        if tag in TOURNAMENT_TAGS:
            what = f"{tag} stands in no match, only in a tournament's stream"
            raise Refused(what, jsonl.ANEW, line=entry.line)
    events = _events(entries)
    shown = replay(events)
    games = games_of(shown)
    return SealedRead(
        stream=SealedStream(
            log_id=log_id,
            stream_id=stream_id,
            rows=tuple(entry.told.row for entry in entries),
            disclosures=tuple(
                (at, *opened) for at, entry in enumerate(entries) for opened in entry.opened
            ),
        ),
        shown=shown,
        line=first.line,
        games=len(games),
        rolls=sum(act.dice is not None for game in games for act in game.acts),
        notices=[
            Notice(
                code=NoticeCode.LATER_ENTRY,
                message=f"{event.tag} is known to a later program: kept, and not shown",
                line=entry.line,
            )
            for entry, event in zip(entries, events, strict=True)
            if isinstance(event.payload, Unread)
        ],
    )


def _events(entries: Sequence[jsonl.Entry]) -> list[RecordedEvent]:
    """The entries as folds see them. Errors: Refused, at one that nobody can read."""
    log_id, stream_id = entries[0].told.log_id, entries[0].told.stream_id
    try:
        return catalogue.read_entries(log_id, stream_id, list(enumerate(e.sealed for e in entries)))
    except Damaged:
        for entry in entries:
            try:
                catalogue.read_entries(log_id, stream_id, [(0, entry.sealed)])
            except Damaged as error:
                why = str(error).partition("cannot be read: ")[2]
                what = f"this entry cannot be read: {why}"
                raise Refused(what, jsonl.ANEW, line=entry.line) from None
        raise
