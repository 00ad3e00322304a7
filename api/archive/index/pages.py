"""One page of a log as the lists take it in: its matches' rows, read from the ledger alone."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from api.archive.index.rows import MatchRow, damaged_row, listed_row
from api.archive.reading import Reading
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.payloads.tournament import TournamentDescribed, TournamentOpened
from events.store.erasing import ERASED, commitments_in

_log = logging.getLogger(__name__)

PAGE = 5_000
"""Entries that are taken in at once."""


class MatchPage(msgspec.Struct, frozen=True):
    """What is put into the lists at once."""

    end: int
    """The position after the page."""
    title: str | None
    """What the tournament is called, where the page says it."""
    gone: list[str]
    """Commitments whose values the page says are erased."""
    rows: list[tuple[MatchRow, int]]
    """Every match with an entry in the page, with the place of its last news."""


def match_page(reading: Reading, log_id: str, position: int) -> MatchPage:
    """The page that begins at a position of the log. Errors: LedgerError."""
    touched: dict[str, list[StoredEvent]] = {}
    end = position
    title = None
    gone: list[str] = []
    for row in reading.store.read_log(log_id, start=position, limit=PAGE):
        end = row.global_position + 1
        if row.stream_id != TOURNAMENT_STREAM:
            touched.setdefault(row.stream_id, []).append(row)
        elif row.tag == ERASED:
            gone += commitments_in(row.sealed)
        elif row.tag in ("tournament.opened", "tournament.described"):
            title = _title_of(row) or title
    rows = [
        listed(reading, log_id, stream_id, of_one[0].global_position, of_one)
        for stream_id, of_one in touched.items()
    ]
    return MatchPage(end, title, gone, rows)


def listed(
    reading: Reading, log_id: str, stream_id: str, first: int, taken: Sequence[StoredEvent] = ()
) -> tuple[MatchRow, int]:
    """A match's row, and the place of its last news; `first` is where a damaged one stands.

    A match that begins in what is `taken` in is not read a second time: what comes later in
    the log lists it again.
    """
    begins = bool(taken) and taken[0].version == 1
    rows = [(one.global_position, one.sealed) for one in taken] if begins else None
    try:
        live = reading.once(log_id, stream_id, rows)
        recorded = live.recorded
        opened_at = recorded[0].global_position
        row_now = listed_row(log_id, stream_id, opened_at, live.replay, live.publicity)
        return row_now, recorded[row_now.news - 1].global_position
    except Exception:
        # One match that cannot be read must not take the list of all others with it.
        _log.exception("match %s of log %s cannot be listed", stream_id, log_id)
        return damaged_row(log_id, stream_id, first), first


def _title_of(row: StoredEvent) -> str | None:
    """What an entry says a tournament is called; None if this program cannot read it."""
    payload = read(row).payload
    return payload.title if isinstance(payload, TournamentOpened | TournamentDescribed) else None
