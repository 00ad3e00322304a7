"""The way out: streams read and replayed, kept up to date entry by entry, and their names."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from events import catalogue
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent, StoredEvent
from events.errors import NoSuchStream
from events.payloads.base import Payload
from events.payloads.custody import PublicationReleased, PublicationWithheld
from events.payloads.match import MatchOpened
from events.personal import WITHHELD, Commitment, Disclosed, Withheld, opened
from events.store.protocol import EventStore
from events.values import BySeat
from projections.access import Access, fold_access
from projections.replay import Replay, replay

Key = tuple[str, str]
"""(log id, stream id)."""


class Live:
    """One match as it stands, folded on as entries are appended: never anew, unless corrected."""

    __slots__ = ("entry_ids", "recorded", "replay", "version")

    def __init__(self, events: list[RecordedEvent]) -> None:
        self.recorded = events
        """Every entry, decoded, in order of version."""
        self.entry_ids = {event.entry_id for event in events}
        """Ids of all of them."""
        self.replay: Replay = replay(events)
        """The match as corrected, under its own rules."""
        self.version = events[-1].version if events else 0
        """Version of the last one."""

    def extend(self, events: Iterable[RecordedEvent]) -> None:
        """Take in entries that follow; those known already are skipped."""
        new = [event for event in events if event.version > self.version]
        if not new:
            return
        if new[0].version != self.version + 1:
            raise LookupError("entries are missing between what is known and what came")
        self.recorded.extend(new)
        self.entry_ids.update(event.entry_id for event in new)
        self.replay = self.replay.extended(new)
        self.version = new[-1].version


class Publicity(msgspec.Struct, frozen=True):
    """Whether anybody may read a match, and how far a live follower is behind."""

    is_public: bool = False
    """Whether reading takes no grant."""
    delay_ms: int = 0
    """Milliseconds that the public is behind the table."""


class Reading:
    """Streams of one store, decoded and replayed; a bounded number is kept."""

    def __init__(self, store: EventStore, *, capacity: int = 256, is_shared: bool = False) -> None:
        self.store = store
        self._capacity = capacity
        self._is_shared = is_shared
        self._live: OrderedDict[Key, Live] = OrderedDict()
        self._access: dict[str, Access] = {}
        self._gate = threading.RLock()

    def live(self, log_id: str, stream_id: str) -> Live:
        """The match as it stands now. Errors: NoSuchLog, NoSuchStream, Damaged."""
        found = self.peek(log_id, stream_id)
        if found.version == 0:
            self.store.log_head(log_id)
            raise NoSuchStream(f"log {log_id} holds no match {stream_id}")
        return found

    def peek(self, log_id: str, stream_id: str) -> Live:
        """The same, with version 0 and no entries where the stream does not exist yet."""
        key = (log_id, stream_id)
        with self._gate:
            live = self._live.get(key)
            if live is not None:
                self._live.move_to_end(key)
                if self._is_shared:
                    live.extend(self._read(log_id, stream_id, after=live.version))
                return live
            live = Live(self._read(log_id, stream_id))
            if live.version:
                self._keep(key, live)
            return live

    def is_cached(self, log_id: str, stream_id: str) -> bool:
        """Whether `live` would answer without reading the store."""
        return (log_id, stream_id) in self._live and not self._is_shared

    def took(self, stored: Sequence[StoredEvent]) -> None:
        """Fold entries of one stream that were just committed, where the stream is kept."""
        if not stored:
            return
        key = (stored[0].log_id, stored[0].stream_id)
        with self._gate:
            if stored[0].stream_id == TOURNAMENT_STREAM:
                access = self._access.get(stored[0].log_id)
                if access is not None:
                    events = [catalogue.read(row) for row in stored]
                    if events[0].version == access.version + 1:
                        self._access[stored[0].log_id] = fold_access(events, access)
                    else:
                        del self._access[stored[0].log_id]
            live = self._live.get(key)
            if live is None:
                if stored[0].version == 1:
                    self._keep(key, Live([catalogue.read(row) for row in stored]))
                return
            try:
                live.extend([catalogue.read(row) for row in stored])
            except LookupError:
                del self._live[key]

    def _keep(self, key: Key, live: Live) -> None:
        self._live[key] = live
        while len(self._live) > self._capacity:
            self._live.popitem(last=False)

    def _read(self, log_id: str, stream_id: str, *, after: int = 0) -> list[RecordedEvent]:
        rows = self.store.read_stream(log_id, stream_id, after=after)
        return [catalogue.read(row) for row in rows]

    def replay(
        self,
        log_id: str,
        stream_id: str,
        *,
        at: int | None = None,
        rule_set: str | None = None,
        as_recorded: bool = False,
    ) -> Replay:
        """A match's replay: as it stands, or its first `at` entries, or under another rule set."""
        live = self.live(log_id, stream_id)
        if rule_set is None and not as_recorded:
            shown = live.replay
        else:
            shown = replay(live.recorded, rule_set, as_recorded=as_recorded)
        return shown if at is None else shown.at(at)

    def access(self, log_id: str) -> Access:
        """The grants of one log that are in force."""
        with self._gate:
            known = self._access.get(log_id)
            if known is None or self._is_shared:
                after = 0 if known is None else known.version
                events = self._read(log_id, TOURNAMENT_STREAM, after=after)
                known = fold_access(events, known)
                self._access[log_id] = known
            return known

    def grants(self, log_id: str | None, token_sha256: str) -> list[Any]:
        """The grants of a token that may matter in a log: the log's own, and the archive's."""
        found = []
        for log in {ARCHIVE_LOG, log_id or ARCHIVE_LOG}:
            grant = self.access(log).grant_of(token_sha256)
            if grant is not None:
                found.append(grant)
        return found

    def publicity(self, live: Live) -> Publicity:
        """What was released last: by the opening's terms, or by a publication entry."""
        return publicity_of(live.replay)

    def opened_values(
        self, log_id: str, commitments: Iterable[Commitment | None]
    ) -> dict[str, Disclosed | Withheld]:
        """Commitment to its value, or Withheld where the disclosure is not at hand."""
        wanted = [commitment.sd for commitment in commitments if commitment is not None]
        found = self.store.disclosures(log_id, wanted) if wanted else {}
        return {sd: Disclosed(opened(found[sd])[2]) if sd in found else WITHHELD for sd in wanted}

    def names(self, log_id: str, opened_match: MatchOpened | None) -> BySeat[str]:
        """What to call the players: their disclosed names, else `Player 1` and `Player 2`."""
        fallback = BySeat("Player 1", "Player 2")
        if opened_match is None:
            return fallback
        players = opened_match.players
        values = self.opened_values(log_id, [player.name for side in players for player in side])

        def name(side: tuple[Any, ...], otherwise: str) -> str:
            known = [
                str(value.value)
                for player in side
                if player.name is not None
                and isinstance(value := values[player.name.sd], Disclosed)
            ]
            return " / ".join(known) if known else otherwise

        return BySeat(name(players.one, fallback.one), name(players.two, fallback.two))


def publicity_of(shown: Replay) -> Publicity:
    """Whether the match may be shown to anybody, by its entries."""
    publicity = Publicity()
    opened_match = shown.opened
    if opened_match is not None and opened_match.publication is not None:
        terms = opened_match.publication
        publicity = Publicity(terms.public, terms.delay_ms)
    for step in shown.steps:
        payload: Payload = step.event.payload
        if isinstance(payload, PublicationReleased):
            publicity = Publicity(True, payload.delay_ms)
        elif isinstance(payload, PublicationWithheld):
            publicity = Publicity(False, 0)
    return publicity
