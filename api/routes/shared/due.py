"""By which moment lists are in order and counted, where something is shown with a delay."""

from __future__ import annotations

from typing import Protocol

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex


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
