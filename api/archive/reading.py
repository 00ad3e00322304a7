"""The way out: streams read and replayed, and kept up to date entry by entry."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from api.archive.publicity import publicity_after, publicity_of
from events import catalogue
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, RecordedEvent, StoredEvent
from events.errors import NoSuchStream
from events.payloads.match import MatchOpened
from events.personal import WITHHELD, Commitment, Disclosed, Withheld, opened, text_of
from events.store.protocol import EventStore
from projections.custody.access import Access, Grant, fold_access, held
from projections.facts.tournament import Tournament, fold_tournament
from projections.folding.standing import is_correction
from projections.replay import Replay, replay
from projections.rules.sentences import NOTHING_IN_HAND, InHand

OTHERWISE = 32
"""Replays that are kept of matches judged under another rule set, or left uncorrected."""

_LIES_BESIDE = b'"shadow_of":"'

Key = tuple[str, str]
"""(log id, stream id)."""


class Taken(NamedTuple):
    """Entries of one stream that a walk over its log has read already."""

    after: int
    """The version before the first of them; 0 = they begin the stream."""
    rows: list[tuple[int, bytes]]
    """Global position and sealed bytes, in order."""


class Live:
    """One match as it stands; appended entries are folded onto it, corrections fold it again."""

    __slots__ = ("entry_ids", "leaves", "publicity", "recorded", "replay", "version")

    def __init__(self, events: list[RecordedEvent], in_hand: InHand = NOTHING_IN_HAND) -> None:
        self.recorded = events
        """Every entry, decoded, in order of version."""
        self.entry_ids = {event.entry_id for event in events}
        """Ids of all of them."""
        self.replay: Replay = replay(events, in_hand=in_hand)
        """The match as corrected, under its own rules."""
        self.publicity = publicity_of(self.replay)
        """Who may read it, by what was released last."""
        self.version = events[-1].version if events else 0
        """Version of the last one."""
        self.leaves: dict[int, str] = {}
        """Version to hex leaf hash, of the entries that readers were shown last."""

    def extend(self, events: Iterable[RecordedEvent]) -> None:
        """Fold entries that follow; those known already are skipped."""
        new = [event for event in events if event.version > self.version]
        if not new:
            return
        if new[0].version != self.version + 1:
            raise LookupError("entries are missing between what is known and what came")
        shown = self.replay.extended(new)
        if any(is_correction(event) for event in new):
            publicity = publicity_of(shown)
        else:
            publicity = publicity_after(self.publicity, new, shown)
        self.recorded.extend(new)
        self.entry_ids.update(event.entry_id for event in new)
        self.replay = shown
        self.publicity = publicity
        self.version = new[-1].version

    def ahead(self) -> Live:
        """A copy to fold further entries onto; this one stays as it is."""
        twin = Live.__new__(Live)
        twin.replay = self.replay
        twin.version = twin.replay.version
        twin.recorded = self.recorded[: twin.version]
        twin.entry_ids = set(self.entry_ids)
        twin.publicity = self.publicity
        twin.leaves = {}
        return twin


class Reading:
    """Streams of one store, decoded and replayed; a bounded number is kept."""

    def __init__(
        self,
        store: EventStore,
        *,
        capacity: int = 256,
        is_shared: bool = False,
        in_hand: InHand = NOTHING_IN_HAND,
    ) -> None:
        self.store = store
        self.in_hand = in_hand
        """Sentences of rule sets that loaded texts have: every match is judged with them."""
        self._capacity = capacity
        self._is_shared = is_shared
        self._live: OrderedDict[Key, Live] = OrderedDict()
        self._otherwise: OrderedDict[tuple[Key, str | None, bool], Replay] = OrderedDict()
        self._loading: dict[Key, list[list[StoredEvent]]] = {}
        self._access: dict[str, Access] = {}
        self._tournaments: dict[str, Tournament] = {}
        self._access_commits = 0
        self._beside: dict[str, tuple[int, dict[str, tuple[str, ...]]]] = {}
        """Log to how far its openings were read, and which streams they say lie beside a match."""
        self._gate = threading.RLock()

    def live(self, log_id: str, stream_id: str) -> Live:
        """The match as it stands now. Errors: NoSuchLog, NoSuchStream, Damaged."""
        found = self.peek(log_id, stream_id)
        if found.version == 0:
            self.store.log_head(log_id)
            raise NoSuchStream(f"log {log_id} holds no match {stream_id}")
        return found

    def peek(self, log_id: str, stream_id: str) -> Live:
        """As `live`, but with version 0 and no entries where the stream does not exist yet."""
        key = (log_id, stream_id)
        with self._gate:
            live = self._live.get(key)
            if live is not None:
                self._live.move_to_end(key)
                if not self._is_shared:
                    return live
        if live is None:
            return self._load(key)
        following = self._read(log_id, stream_id, after=live.version)
        with self._gate:
            live.extend(following)
        return live

    def page(self, log_id: str, position: int, limit: int) -> tuple[int, dict[str, Taken]]:
        """At most `limit` entries of a log from a position on, stream by stream, with the position
        after them. Errors: LedgerError.
        """
        found: dict[str, Taken] = {}
        rows = self.store.read_sealed_log(log_id, start=position, limit=limit)
        for stream_id, version, place, sealed in rows:
            taken = found.get(stream_id)
            if taken is None:
                taken = found[stream_id] = Taken(version - 1, [])
            taken.rows.append((place, sealed))
        return (rows[-1][2] + 1 if rows else position), found

    def once(self, log_id: str, stream_id: str, taken: Taken | None = None) -> Live:
        """As `live`, for a walk over a whole log: the match is not cached and displaces none.

        One that begins in `taken` is shown as far as `taken` goes. Errors: as `live`.
        """
        if self.is_cached(log_id, stream_id):
            return self.live(log_id, stream_id)
        if taken is None or taken.after:
            events = self._read(log_id, stream_id)
        else:
            events = catalogue.read_entries(log_id, stream_id, taken.rows)
        found = Live(events, self.in_hand)
        if found.version == 0:
            raise NoSuchStream(f"log {log_id} holds no match {stream_id}")
        return found

    def _load(self, key: Key) -> Live:
        """Read and replay a stream that is not cached.

        Without holding the lock: the first read of a long match must block neither the writer nor
        readers of other matches. What is committed meanwhile is handed over by `took`.
        """
        following: list[StoredEvent] = []
        with self._gate:
            self._loading.setdefault(key, []).append(following)
        try:
            live = Live(self._read(*key), self.in_hand)
        except BaseException:
            with self._gate:
                self._stop_loading(key, following)
            raise
        with self._gate:
            self._stop_loading(key, following)
            live.extend([catalogue.read(row) for row in following if row.version > live.version])
            if live.replay.in_hand is not self.in_hand:
                # Other rule texts were loaded while it was folded: fold it again.
                live = Live(live.recorded, self.in_hand)
            kept = self._live.get(key)
            if kept is not None and kept.version >= live.version:
                return kept
            if live.version:
                self._keep(key, live)
            return live

    def _stop_loading(self, key: Key, following: list[StoredEvent]) -> None:
        lists = [other for other in self._loading[key] if other is not following]
        if lists:
            self._loading[key] = lists
        else:
            del self._loading[key]

    def is_cached(self, log_id: str, stream_id: str) -> bool:
        """Whether `live` would answer without reading the store."""
        return self.is_at_hand(log_id, stream_id) and not self._is_shared

    def is_at_hand(self, log_id: str, stream_id: str) -> bool:
        """Whether `at_hand` would answer without reading the store."""
        return (log_id, stream_id) in self._live

    def at_hand(self, log_id: str, stream_id: str) -> Live:
        """The match as far as this process knows it; other processes may have written more.

        For callers that are told when that happens. Errors: as `live`.
        """
        with self._gate:
            kept = self._live.get((log_id, stream_id))
        return self.live(log_id, stream_id) if kept is None else kept

    def took(self, stored: Sequence[StoredEvent]) -> None:
        """Fold entries of one stream that were just committed, if the stream is cached."""
        if not stored:
            return
        key = (stored[0].log_id, stored[0].stream_id)
        with self._gate:
            for following in self._loading.get(key, ()):
                following.extend(stored)
            if stored[0].stream_id == TOURNAMENT_STREAM:
                self._access_commits += 1
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
                    fresh = Live([catalogue.read(row) for row in stored], self.in_hand)
                    head = self.store.stream_head(*key)
                    # A later commit may have been handed over before this one.
                    if head is not None and head.version == fresh.version:
                        self._keep(key, fresh)
                return
            try:
                live.extend([catalogue.read(row) for row in stored])
            except LookupError:
                del self._live[key]
            except BaseException:
                # It would stay behind for ever; the next read raises what is wrong with it.
                del self._live[key]
                raise

    def judge_with(self, in_hand: InHand) -> None:
        """Judge every match with these sentences from now on; cached ones are judged again."""
        with self._gate:
            self.in_hand = in_hand
            self._live.clear()
            self._otherwise.clear()

    def forget(self, log_id: str, stream_id: str) -> None:
        """Drop a cached stream, so that the next request reads it from the store."""
        key = (log_id, stream_id)
        with self._gate:
            self._live.pop(key, None)
            for other in [other for other in self._otherwise if other[0] == key]:
                del self._otherwise[other]
            if stream_id == TOURNAMENT_STREAM:
                self._access_commits += 1
                self._access.pop(log_id, None)
                self._tournaments.pop(log_id, None)

    def _keep(self, key: Key, live: Live) -> None:
        self._live[key] = live
        while len(self._live) > self._capacity:
            self._live.popitem(last=False)

    def _read(self, log_id: str, stream_id: str, *, after: int = 0) -> list[RecordedEvent]:
        rows = self.store.read_sealed(log_id, stream_id, after=after)
        return catalogue.read_entries(log_id, stream_id, rows)

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
            shown = self._judged((log_id, stream_id), live, rule_set, as_recorded=as_recorded)
        return shown if at is None else shown.at(at)

    def _judged(self, key: Key, live: Live, rule_set: str | None, *, as_recorded: bool) -> Replay:
        """A match under another rule set, or uncorrected; the latest of these are cached."""
        asked = (key, rule_set, as_recorded)
        with self._gate:
            events = live.recorded[: live.version]
            shown, in_hand = self._otherwise.get(asked), self.in_hand
        if shown is None:
            shown = replay(events, rule_set, as_recorded=as_recorded, in_hand=in_hand)
        elif shown.version < len(events):
            shown = shown.extended(events[shown.version :])
        with self._gate:
            if in_hand is not self.in_hand:
                return shown
            self._otherwise[asked] = shown
            self._otherwise.move_to_end(asked)
            while len(self._otherwise) > OTHERWISE:
                self._otherwise.popitem(last=False)
        return shown

    def access_at_hand(self, log_id: str) -> Access:
        """The grants of one log as far as this process knows them, as `at_hand`."""
        return self._access.get(log_id) or self.access(log_id)

    def access(self, log_id: str) -> Access:
        """The grants of one log that are in force."""
        known = self._access.get(log_id)
        if known is not None and not self._is_shared:
            return known
        while True:
            commits = self._access_commits
            events = self._read(log_id, TOURNAMENT_STREAM, after=known.version if known else 0)
            with self._gate:
                if self._access.get(log_id) is not known or self._access_commits != commits:
                    # A grant was made or ended meanwhile: what was read is out of date.
                    known = self._access.get(log_id)
                    continue
                folded = fold_access(events, known)
                if folded.version:
                    # Anybody can ask for a log that does not exist: nothing is cached for one.
                    self._access[log_id] = folded
                return folded

    def tournament(self, log_id: str) -> Tournament:
        """A log's tournament as it stands; nothing of it where there is none. Reads the store."""
        known = self._tournaments.get(log_id)
        head = self.store.stream_head(log_id, TOURNAMENT_STREAM)
        if head is None:
            return Tournament()
        if known is None or known.version < head.version:
            events = self._read(log_id, TOURNAMENT_STREAM, after=known.version if known else 0)
            known = fold_tournament(events, known)
            self._tournaments[log_id] = known
        return known

    def beside(self, log_id: str, match_id: str) -> tuple[str, ...]:
        """Second scribes' records of a match, in the order of their opening. Reads the store."""
        return self._records(log_id).get(match_id, ())

    def main_of(self, log_id: str, stream_id: str) -> str | None:
        """The match that a second scribe's record lies beside; None for a match itself. Reads the
        store.
        """
        records = self._records(log_id)
        return next((main for main, beside in records.items() if stream_id in beside), None)

    def _records(self, log_id: str) -> dict[str, tuple[str, ...]]:
        """Match to the records of second scribes beside it. Reads openings since the last time.

        Older ones need not be read again: a record never moves to another match.
        """
        with self._gate:
            position, found = self._beside.get(log_id, (0, {}))
        fresh = self.store.read_tagged(log_id, "match.opened", start=position)
        if fresh:
            found = dict(found)
            for row in fresh:
                # Sealed bytes are canonical, so a search in them finds the few openings to decode.
                if row.version != 1 or _LIES_BESIDE not in row.sealed:
                    continue
                opening = catalogue.read(row).payload
                if isinstance(opening, MatchOpened) and opening.shadow_of is not None:
                    known = found.get(opening.shadow_of, ())
                    found[opening.shadow_of] = (*known, row.stream_id)
            with self._gate:
                self._beside[log_id] = (fresh[-1].global_position + 1, found)
        return found

    def is_access_cached(self, log_id: str | None) -> bool:
        """Whether `grants` would answer without reading the store."""
        known = self._access
        return ARCHIVE_LOG in known and (log_id or ARCHIVE_LOG) in known and not self._is_shared

    def accesses(self, log_id: str | None) -> list[Access]:
        """The grants that may matter in a log: the log's own, and the archive's."""
        logs = (ARCHIVE_LOG,) if log_id in (None, ARCHIVE_LOG) else (log_id, ARCHIVE_LOG)
        return [self.access(log) for log in logs if log is not None]

    def grants(self, log_id: str | None, token_sha256: str) -> list[Grant]:
        """The grants of a token that may matter in a log; seats in a committee are none."""
        return [grant for grant, _ in held(self.accesses(log_id), token_sha256)]

    def knows(self, token_sha256: str) -> bool:
        """Whether a token has a grant in any log; reads each log's grants once at most."""
        return any(True for _ in self.grants_anywhere(token_sha256))

    def grants_anywhere(self, token_sha256: str) -> Iterator[Grant]:
        """A token's grant in each log; seats in a committee are among them."""
        for head in self.store.logs():
            known = self._access.get(head.log_id) or self.access(head.log_id)
            grant = known.grant_of(token_sha256)
            if grant is not None:
                yield grant

    def opened_values(
        self, log_id: str, commitments: Iterable[Commitment | str | None]
    ) -> dict[str, Disclosed | Withheld]:
        """Commitment to its value, or Withheld where the disclosure is not at hand."""
        wanted = [
            commitment if isinstance(commitment, str) else commitment.sd
            for commitment in commitments
            if commitment is not None
        ]
        found = self.store.disclosures(log_id, wanted) if wanted else {}
        return {sd: Disclosed(opened(found[sd])[2]) if sd in found else WITHHELD for sd in wanted}

    def texts(self, log_id: str, commitments: Iterable[Commitment | str | None]) -> dict[str, str]:
        """Commitment to its value as text, of those whose disclosures are at hand."""
        values = self.opened_values(log_id, commitments)
        return {sd: text for sd, value in values.items() if (text := text_of(value)) is not None}
