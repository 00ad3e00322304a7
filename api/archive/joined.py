"""The same player under several names, as archivists said: joined and split by entries."""

from __future__ import annotations

from typing import NamedTuple

from api.archive.reading import Reading
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from projections.facts.joined import Joined, fold_joined, groups_of
from projections.views.showing import plain_words


class Join(NamedTuple):
    """Names that are said to be one player's, and by which entry."""

    entry_id: str
    names: tuple[str, ...]
    """As far as they are disclosed."""


class SamePlayers:
    """Which names are one player's; reads what came since the last time it was asked."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._joined = Joined()

    def joins(self) -> list[Join]:
        """What is joined, entry by entry. Reads the store."""
        head = self._reading.store.stream_head(ARCHIVE_LOG, TOURNAMENT_STREAM)
        if head is None:
            return []
        if head.version != self._joined.version:
            recorded = self._reading.peek(ARCHIVE_LOG, TOURNAMENT_STREAM).recorded
            self._joined = fold_joined(recorded, self._joined)
        every = [sd for names in self._joined.names.values() for sd in names]
        texts = self._reading.texts(ARCHIVE_LOG, every)
        return [
            Join(entry_id, tuple(texts[one.sd] for one in names if one.sd in texts))
            for entry_id, names in self._joined.names.items()
        ]

    def groups(self) -> list[tuple[str, ...]]:
        """Names of one player each, that by which the player is listed first. Reads the store."""
        return groups_of(one.names for one in self.joins())

    def others(self, *names: str) -> list[str]:
        """What else the players are called whose names these are, in any case and without accents.

        Reads the store.
        """
        wanted = {plain_words(name) or name.strip() for name in names}
        same = [
            group
            for group in self.groups()
            if any((plain_words(one) or one.strip()) in wanted for one in group)
        ]
        return [
            one
            for group in same
            for one in group
            if (plain_words(one) or one.strip()) not in wanted
        ]

    def of(self, name: str) -> tuple[str, ...]:
        """All names of the player who has this one, the listed one first; it alone, where none is
        joined to it. Reads the store.
        """
        return next((group for group in self.groups() if name in group), (name,))
