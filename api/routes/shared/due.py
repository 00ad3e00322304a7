"""Values by which lists may be sorted and counted if a match is shown with a delay."""

from __future__ import annotations

from typing import Protocol

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.known import size_known
from api.archive.personal import received_of


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


class Telling(Listing, Protocol):
    """A door that remembers what it told."""

    @property
    def sizes_told(self) -> dict[str, int]:
        """Log to the largest size that somebody without a grant was told."""
        ...


def size_seen(door: Telling, log_id: str, size: int, *, is_granted: bool) -> int:
    """How many of the entries of a log somebody may count: who has no grant over any of it, only
    as many as had come in before the delay of each of its matches, or before that match.

    Never fewer than were told: whoever holds a checkpoint would take the next for a log that was
    cut short, though only a match with a delay has begun. Reads the index and the store.
    """
    if is_granted:
        return size
    seen = size_known(
        size,
        door.index.delays(log_id),
        door.archive.lateness.before,
        lambda place: received_of(door.archive.store, log_id, place),
    )
    before = max(door.sizes_told.get(log_id, 0), door.index.counted(log_id))
    told = max(seen, min(size, before))
    if told > door.sizes_told.get(log_id, 0):
        # Written down before it is told, so that it is known after a restart.
        door.sizes_told[log_id] = door.index.counted(log_id, told)
    return told


def public_now(door: Listing) -> int:
    """By which moment lists may be in order and counted: what was received by it, and its match's
    delay before, everybody may know. Reads the index.

    Where the clock was set forward, this stays behind it for as long as the longest delay: what
    the lists tell is never early, and may be late by so much.
    """
    longest = door.index.longest_delay()
    return door.archive.lateness.before(longest) + longest
