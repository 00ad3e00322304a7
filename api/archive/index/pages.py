"""One page of a log as the lists take it in: its matches' rows, read from the ledger alone."""

from __future__ import annotations

import logging

import msgspec

from api.archive.index.rows import Known, MatchRow, damaged_row, listed_row, row_of
from api.archive.known import Head, heads, known_publicity, standing_at
from api.archive.reading import Live, Reading, Taken
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.errors import LedgerError
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
    rows: list[tuple[MatchRow, list[Known]]]
    """Every match with an entry in the page, with what the public knows of it, and when."""


def match_page(reading: Reading, log_id: str, position: int) -> MatchPage:
    """The page that begins at a position of the log. Errors: LedgerError."""
    end, streams = reading.page(log_id, position, PAGE)
    title = None
    gone: list[str] = []
    of_all = streams.pop(TOURNAMENT_STREAM, None)
    if of_all is not None:
        after, count = of_all.after, len(of_all.rows)
        # By their tags, whatever else stands in them: one that cannot be read stops nothing.
        for row in reading.store.read_stream(log_id, TOURNAMENT_STREAM, after=after, limit=count):
            if row.tag == ERASED:
                gone += commitments_in(row.sealed)
            elif row.tag in ("tournament.opened", "tournament.described"):
                title = _title_of(row) or title
    rows = [
        listed(reading, log_id, stream_id, taken.rows[0][0], taken)
        for stream_id, taken in streams.items()
    ]
    return MatchPage(end, title, gone, rows)


def listed(
    reading: Reading, log_id: str, stream_id: str, first: int, taken: Taken | None = None
) -> tuple[MatchRow, list[Known]]:
    """A match's row, and what the public knows of it; `first` is where a damaged one stands.

    A match that begins in what is `taken` in is not read a second time: what comes later in
    the log lists it again.
    """
    try:
        live = reading.once(log_id, stream_id, taken)
        recorded = live.recorded
        opened_at = recorded[0].global_position
        row_now = listed_row(log_id, stream_id, opened_at, live.replay, live.publicity)
        if row_now.is_public and row_now.delay_ms:
            return row_now, known_of(reading, log_id, live)
        news = recorded[row_now.news - 1].global_position
        return row_now, [Known(0, row_now.state, news, row_now.names)]
    except LedgerError as error:
        # It says itself what is wrong: a trace would only hide that.
        _log.error("match %s of log %s cannot be listed: %s", stream_id, log_id, error)
    except Exception:
        _log.exception("match %s of log %s cannot be listed", stream_id, log_id)
    # One match that cannot be read must not take the list of all others with it.
    return damaged_row(log_id, stream_id, first), [Known(0, "damaged", first, ((), ()))]


def known_of(reading: Reading, log_id: str, live: Live) -> list[Known]:
    """What the public, behind the table, knew of a match when its last entry came in, and then
    what it comes to know; at least one. Reads the store.
    """
    to_come: list[Head] = []
    for head in heads(reading.store, log_id, live, live.publicity.delay_ms):
        if not head.is_to_come:
            break
        to_come.append(head)
    newest, oldest = _known(reading, log_id, live, to_come[0]), to_come[-1]
    found = [newest]
    if len(to_come) > 1 and not _is_told_by(newest, _known(reading, log_id, live, oldest)):
        for head in to_come[1:]:
            one = _known(reading, log_id, live, head)
            if _is_told_by(found[0], one):
                found[0] = one
            else:
                found.insert(0, one)
    else:
        found = [msgspec.structs.replace(newest, due_ms=oldest.due_ms)]
    came_ms = to_come[0].due_ms - live.publicity.delay_ms
    if came_ms > 0 and oldest.due_ms > came_ms:
        # Not so much as its opening is known yet.
        found.insert(0, Known(0, "waiting", live.recorded[0].global_position, found[0].names))
    return found


def _is_told_by(one: Known, other: Known) -> bool:
    return (one.state, one.news, one.names) == (other.state, other.news, other.names)


def _known(reading: Reading, log_id: str, live: Live, head: Head) -> Known:
    """What the public knows, up to an entry; what was corrected since shows in it no earlier."""
    publicity = known_publicity(reading, log_id, live, head.version)
    version = publicity.told(head.version)
    row = row_of("", "", 0, standing_at(live, version), publicity, reach=head.version)
    news = live.recorded[row.news - 1].global_position
    return Known(head.due_ms, row.state, news, row.names)


def _title_of(row: StoredEvent) -> str | None:
    """What an entry says a tournament is called; None if this program cannot read it."""
    payload = read(row).payload
    return payload.title if isinstance(payload, TournamentOpened | TournamentDescribed) else None
