"""What the public may know by now of what is shown with a delay: of when, and of the last news."""

from __future__ import annotations

from typing import Protocol

import msgspec

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.index.rows import MatchRow
from api.archive.personal import received_at


class Listing(Protocol):
    """A door: an archive with its lists."""

    @property
    def archive(self) -> Archive:
        """The archive."""
        ...

    @property
    def index(self) -> MatchIndex:
        """Its lists."""
        ...


def public_now(door: Listing) -> int:
    """By which moment lists may be in order and counted: what was received by it, and its match's
    delay before, everybody may know. Reads the index.

    Where the clock was set forward, this stays behind it for as long as the longest delay: what
    the lists tell is never early, and may be late by so much.
    """
    longest = door.index.longest_delay()
    return door.archive.lateness.before(longest) + longest


def as_due(door: Listing, row: MatchRow, now_ms: int) -> MatchRow:
    """The row, with the news that the public may know by now."""
    if not row.delay_ms or row.news_ms + row.delay_ms <= now_ms:
        return row
    raws = door.archive.store.disclosures_of(row.log_id, [row.opened_at]).get(row.opened_at, ())
    return msgspec.structs.replace(row, news_ms=received_at(raws) or 0)
