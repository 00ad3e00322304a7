"""By which moment lists are in order and counted, where something is shown with a delay."""

from __future__ import annotations

from typing import Protocol

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.archive.known import known_size


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


def size_seen(door: Listing, log_id: str, size: int, *, is_granted: bool) -> int:
    """How many of the entries of a log somebody may count: who has no grant over any of it, only
    as many as had come in before the longest delay of its matches. Reads the index and the store.
    """
    longest = 0 if is_granted else door.index.longest_delay(log_id)
    if not longest:
        return size
    moment = door.archive.lateness.before(longest)
    return known_size(door.archive.store, log_id, size, moment)


def public_now(door: Listing) -> int:
    """By which moment lists may be in order and counted: what was received by it, and its match's
    delay before, everybody may know. Reads the index.

    Where the clock was set forward, this stays behind it for as long as the longest delay: what
    the lists tell is never early, and may be late by so much.
    """
    longest = door.index.longest_delay()
    return door.archive.lateness.before(longest) + longest
