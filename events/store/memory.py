"""The reference store: everything in memory, one lock; what the SQL stores must behave like."""

from __future__ import annotations

import bisect
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from events.envelope import TOURNAMENT_STREAM, StoredEvent, check_id
from events.errors import BadInput, LedgerError, LogExists, NoSuchLog, RolledBack
from events.sealing.merkle import frontier_root
from events.store.appending import (
    BODY,
    Appending,
    Edge,
    Group,
    KeptDisclosure,
    KeptEvent,
    Prepared,
    prepare,
)
from events.store.erasing import erased_by
from events.store.journal import (
    Cursor,
    Intake,
    Journaled,
    KeptDrafts,
    Outcome,
    ParkedAt,
    TakenIn,
    check_premises,
    newly_appended,
    outcome_rows,
    parked_disclosures,
)
from events.store.protocol import Appended, KeptCheckpoint, LogHead, StreamHead, Unit
from events.store.sealed import SealedGroup, SealedStream


class MemoryEventStore(Appending):
    """A ledger that is gone when the process ends; for tests and for trying things out."""

    def __init__(self, *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._entropy = entropy
        self._lock = threading.RLock()
        self._edges: dict[str, Edge] = {}
        self._heads: dict[tuple[str, str], tuple[int, bytes]] = {}
        self._known: dict[tuple[str, str], KeptEvent] = {}
        self._rows: dict[str, list[KeptEvent]] = {}
        self._streams: dict[str, dict[str, list[StoredEvent]]] = {}
        self._disclosures: dict[tuple[str, int, str], KeptDisclosure] = {}
        self._of_bodies: dict[tuple[str, str], KeptDisclosure] = {}
        self._journal: dict[str, list[Journaled]] = {}
        self._cursors: dict[tuple[str, str, int], Cursor] = {}
        self._checkpoints: dict[str, dict[int, KeptCheckpoint]] = {}

    def open_log(self, log_id: str) -> LogHead:
        """Make an empty log. Errors: LogExists, BadIdentifier, RolledBack."""
        check_id(log_id, "log")
        self.check_held(log_id)
        with self._lock:
            if log_id in self._edges:
                raise LogExists(f"log {log_id} is there already")
            self._edges[log_id] = Edge(0, [])
            self._rows[log_id] = []
            self._journal[log_id] = []
            self._streams[log_id] = {}
            return self.log_head(log_id)

    def logs(self) -> list[LogHead]:
        """All logs, by id."""
        with self._lock:
            return [self.log_head(log_id) for log_id in sorted(self._edges)]

    def log_head(self, log_id: str) -> LogHead:
        """Where the log stands. Errors: NoSuchLog."""
        with self._lock:
            if (edge := self._edges.get(log_id)) is None:
                raise NoSuchLog(f"there is no log {log_id}")
            return LogHead(log_id, edge.size, tuple(edge.frontier), frontier_root(edge.frontier))

    def stream_head(self, log_id: str, stream_id: str) -> StreamHead | None:
        """Where the stream stands; None if it does not exist."""
        with self._lock:
            head = self._heads.get((log_id, stream_id))
        return None if head is None else StreamHead(log_id, stream_id, head[0], head[1])

    def streams(
        self, log_id: str, *, after: str | None = None, limit: int | None = None
    ) -> list[StreamHead]:
        """Streams of the log by id, those above `after`, at most `limit`."""
        with self._lock:
            names = sorted(self._streams.get(log_id, ()))
            first = 0 if after is None else bisect.bisect_right(names, after)
            return [
                StreamHead(log_id, name, *self._heads[log_id, name])
                for name in names[first : None if limit is None else first + limit]
            ]

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Each unit all or nothing; a refusal stands at its place in the answer."""
        answers: list[Appended | LedgerError] = []
        for unit in units:
            try:
                self.check_held(unit.log_id)
                prepared = prepare(unit)
                with self._lock:
                    answers.append(self._append(prepared))
            except LedgerError as error:
                answers.append(error)
        return answers

    def append_sealed(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """Streams that were sealed elsewhere, each whole or not at all, as in the SQL stores."""
        with self._lock:
            return [self._append_sealed(stream) for stream in streams]

    def _append_sealed(self, stream: SealedStream) -> int | LedgerError:
        log_id = stream.log_id
        if log_id in self.held:
            return RolledBack(self.held[log_id])
        if any((log_id, row[0]) in self._known for row in stream.rows):
            return BadInput("an entry id was used before")
        if any(
            category == BODY and (log_id, commitment) in self._of_bodies
            for _, commitment, _, category, _ in stream.disclosures
        ):
            return BadInput("a disclosure was used before: salts are used once")
        group = SealedGroup(self._edges, self._heads)
        answer = group.add(stream)
        if isinstance(answer, LedgerError):
            return answer
        for _, _, version, position, *told, draft_sha256 in group.event_rows():
            event = StoredEvent(log_id, stream.stream_id, version, position, *told)
            kept = KeptEvent(event, draft_sha256)
            self._known[log_id, event.entry_id] = kept
            self._rows[log_id].append(kept)
            self._streams[log_id].setdefault(stream.stream_id, []).append(event)
        for _, commitment, position, name, category, raw in group.disclosure_rows():
            self._disclose(KeptDisclosure(log_id, commitment, position, name, category, raw))
        for _, commitments in erased_by(group.event_rows()):
            self.erase_disclosures(log_id, commitments)
        return answer

    def _append(self, prepared: Prepared) -> Appended | LedgerError:
        def own_tags(log_id: str, version: int) -> list[str]:
            return [one.tag for one in self._streams[log_id][TOURNAMENT_STREAM][version:]]

        edges, known, entropy = self._edges, self._known, self._entropy
        group = Group(edges, self._heads, known=known, entropy=entropy, own_tags=own_tags)
        answer = self._used_before(prepared) or group.add(prepared)
        self._keep(group)
        return answer

    def _used_before(self, prepared: Prepared) -> BadInput | None:
        unit = prepared.unit
        for rows in prepared.disclosed:
            for commitment, *_ in rows:
                known = self._of_bodies.get((unit.log_id, commitment))
                if known is not None and not self._is_retry(unit):
                    return BadInput(f"disclosure {commitment} was used before: salts are used once")
        return None

    def take_in(self, intake: Intake) -> TakenIn:
        """Journal, entries, cursor and outcomes together, as in the protocol."""
        self.check_held(intake.log_id)
        prepared = [prepare(unit) for unit in intake.units]
        with self._lock:
            return self._take_in(intake, prepared)

    def _take_in(self, intake: Intake, prepared: list[Prepared]) -> TakenIn:
        log_id = intake.log_id
        if (edge := self._edges.get(log_id)) is None:
            raise NoSuchLog(f"there is no log {log_id}")
        heads = {key: head for key, head in self._heads.items() if key[0] == log_id}
        cursor = None
        if intake.cursor is not None:
            before, _ = intake.cursor
            cursor = self._cursors.get((log_id, before.device, before.epoch))
        versions = {key[1]: head[0] for key, head in heads.items()}
        check_premises(intake, versions, cursor, len(heads))
        # Decided on copies: a refusal of the last unit must leave nothing of the first.
        ids = {(log_id, draft.entry_id) for unit in intake.units for draft in unit.drafts}
        known = {key: self._known[key] for key in ids if key in self._known}
        edges = {log_id: Edge(edge.size, edge.frontier.copy())}
        group = Group(edges, heads, known=known, entropy=self._entropy)
        appended = [newly_appended(self._used_before(one) or group.add(one)) for one in prepared]
        self._edges.update(edges)
        self._heads.update(heads)
        self._known.update(known)
        self._keep(group)
        first = len(self._journal[log_id]) + 1
        self._write_down(intake, first, appended)
        if intake.cursor is not None and intake.cursor[0] != intake.cursor[1]:
            _, after = intake.cursor
            self._cursors[log_id, after.device, after.epoch] = after
        self._release(intake)
        return TakenIn(tuple(appended), tuple(range(first, first + len(intake.verdicts))))

    def _write_down(self, intake: Intake, first: int, appended: Sequence[Appended]) -> None:
        rows = outcome_rows(intake, first, appended)
        for journal_id, (verdict, row) in enumerate(
            zip(intake.verdicts, rows, strict=True), start=first
        ):
            self._journal[intake.log_id].append(
                Journaled(
                    journal_id=journal_id,
                    submitted=verdict.submitted,
                    outcome=verdict.outcome,
                    reason=verdict.reason,
                    global_position=row[4],
                    stream_version=verdict.stream_version,
                )
            )
            for kept in parked_disclosures(intake.log_id, journal_id, verdict.disclosures):
                self._disclose(kept)

    def _release(self, intake: Intake) -> None:
        gone = {-journal_id for journal_id in intake.released}
        for key in [key for key in self._disclosures if key[0] == intake.log_id and key[1] in gone]:
            del self._disclosures[key]

    def device_cursor(self, log_id: str, device: str, epoch: int) -> Cursor | None:
        """How far a device's chain has been taken in; None if nothing has."""
        return self._cursors.get((log_id, device, epoch))

    def device_cursors(self, log_id: str) -> list[Cursor]:
        """All cursors of a log, by device and epoch."""
        with self._lock:
            return [self._cursors[key] for key in sorted(self._cursors) if key[0] == log_id]

    def submitted(self, log_id: str, entry_ids: Sequence[str]) -> list[Journaled]:
        """Rows of the journal with these entry ids, in order."""
        wanted = set(entry_ids)
        return [row for row in self._journal_of(log_id) if row.submitted.entry_id in wanted]

    def unreadable(self, log_id: str, raw_sha256: bytes) -> Journaled | None:
        """The row of a draft that could not be read, by the hash of its bytes."""
        for row in self._journal_of(log_id):
            if not row.submitted.entry_id and row.submitted.raw_sha256 == raw_sha256:
                return row
        return None

    def parked(self, log_id: str) -> list[Journaled]:
        """Drafts that came in with a stream conflict, resolved or not, in order."""
        return [row for row in self._journal_of(log_id) if row.outcome is Outcome.STREAM_CONFLICT]

    def parked_at(self, log_id: str) -> list[ParkedAt]:
        """The same drafts, without what they say."""
        return [
            ParkedAt(draft.entry_id, draft.stream_id, draft.device, draft.epoch)
            for row in self._journal_of(log_id)
            if row.outcome is Outcome.STREAM_CONFLICT
            for draft in [row.submitted]
        ]

    def kept_of(self, log_id: str, device: str) -> KeptDrafts:
        """What is kept of a device's drafts that became no entry when they came in."""
        rows = [
            row
            for row in self._journal_of(log_id)
            if row.outcome is not Outcome.ACCEPTED and row.submitted.device == device
        ]
        places = {-row.journal_id for row in rows}
        with self._lock:
            beside = [
                len(kept.raw)
                for (log, place, _), kept in self._disclosures.items()
                if log == log_id and place in places
            ]
        drafts = [len(row.submitted.raw) for row in rows]
        return KeptDrafts(len(rows), sum(drafts) + sum(beside))

    def journal_rows(self, log_id: str, *, after: int = 0, limit: int) -> list[Journaled]:
        """Rows of the journal with an id > `after`, in order."""
        return self._journal_of(log_id)[after : after + limit]

    def journal_size(self, log_id: str) -> int:
        """The last id of the log's journal; 0 if it is empty."""
        return len(self._journal_of(log_id))

    def _journal_of(self, log_id: str) -> list[Journaled]:
        with self._lock:
            return list(self._journal.get(log_id, ()))

    def _keep(self, group: Group) -> None:
        for row in group.rows:
            event = row.event
            self._rows[event.log_id].append(row)
            streams = self._streams[event.log_id]
            streams.setdefault(event.stream_id, []).append(event)
        for opened in group.disclosures:
            self._disclose(opened)
        for log_id, commitments in erased_by(group.event_rows()):
            self.erase_disclosures(log_id, commitments)

    def _disclose(self, kept: KeptDisclosure) -> None:
        self._disclosures[kept.log_id, kept.global_position, kept.commitment] = kept
        if kept.category == BODY:
            self._of_bodies[kept.log_id, kept.commitment] = kept

    def _is_retry(self, unit: Unit) -> bool:
        return any((unit.log_id, draft.entry_id) in self._known for draft in unit.drafts)

    def read_stream(
        self, log_id: str, stream_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Entries of one stream with version > `after`, in order; [] if there are none."""
        events = self._streams.get(log_id, {}).get(stream_id, [])
        first = max(after, 0)
        return events[first : None if limit is None else first + limit]

    def read_sealed(
        self, log_id: str, stream_id: str, *, after: int = 0
    ) -> list[tuple[int, bytes]]:
        """(global position, sealed bytes) of the entries with version > `after`, in order."""
        rows = self.read_stream(log_id, stream_id, after=after)
        return [(row.global_position, row.sealed) for row in rows]

    def read_sealed_log(
        self, log_id: str, *, start: int, limit: int
    ) -> list[tuple[str, int, int, bytes]]:
        """(stream id, version, global position, sealed bytes) of entries of the log, in order."""
        rows = self.read_log(log_id, start=start, limit=limit)
        return [(row.stream_id, row.version, row.global_position, row.sealed) for row in rows]

    def read_log(
        self, log_id: str, *, start: int = 0, limit: int | None = None
    ) -> Iterator[StoredEvent]:
        """Entries of the log with global position >= `start`, in order."""
        first = max(start, 0)
        rows = self._rows.get(log_id, [])[first : None if limit is None else first + limit]
        return iter([row.event for row in rows])

    def leaf_hashes(self, log_id: str, *, start: int, limit: int) -> list[bytes]:
        """Leaf hashes of at most `limit` entries with global position >= `start`, in order."""
        rows = self._rows.get(log_id, [])[start : start + limit]
        return [row.event.leaf_hash for row in rows]

    def read_tagged(self, log_id: str, tag: str, *, start: int = 0) -> list[StoredEvent]:
        """Entries of the log with this tag and global position >= `start`, in their order."""
        return [event for event in self.read_log(log_id, start=start) if event.tag == tag]

    def find_entries(self, log_id: str, entry_ids: Sequence[str]) -> dict[str, StoredEvent]:
        """The stored entries with these ids; unknown ids are left out."""
        found = ((entry_id, self._known.get((log_id, entry_id))) for entry_id in entry_ids)
        return {entry_id: row.event for entry_id, row in found if row is not None}

    def disclosures(self, log_id: str, commitments: Sequence[str]) -> dict[str, bytes]:
        """Raw disclosures of bodies by hex commitment; withheld or erased ones are left out."""
        found = ((name, self._of_bodies.get((log_id, name))) for name in commitments)
        return {name: row.raw for name, row in found if row is not None}

    def disclosures_of(self, log_id: str, positions: Sequence[int]) -> Mapping[int, list[bytes]]:
        """Raw disclosures of the entries at these global positions."""
        wanted = set(positions)
        found: dict[int, list[bytes]] = defaultdict(list)
        with self._lock:
            for row in self._sorted_disclosures(log_id):
                if row.global_position in wanted:
                    found[row.global_position].append(row.raw)
        return dict(found)

    def erase_disclosures(self, log_id: str, commitments: Sequence[str]) -> int:
        """Delete these; how many of them were there."""
        wanted = {(log_id, one) for one in commitments}
        with self._lock:
            gone = [key for key in self._disclosures if (key[0], key[2]) in wanted]
            for log, place, commitment in gone:
                del self._disclosures[log, place, commitment]
                self._of_bodies.pop((log, commitment), None)
        return len({commitment for _, _, commitment in gone})

    def scrub(self) -> bool:
        """Nothing of what was erased is left: there are no files."""
        return True

    def try_write(self) -> None:
        """There is no disk that could refuse."""

    def keep_checkpoint(self, log_id: str, size: int, note: bytes) -> bool:
        """Keep a signed note; False if one of that size is kept already, which then stays."""
        with self._lock:
            kept = self._checkpoints.setdefault(log_id, {})
            is_new = size not in kept
            kept.setdefault(size, KeptCheckpoint(log_id, size, note, {}))
            return is_new

    def keep_signatures(self, log_id: str, size: int, lines: Mapping[str, bytes]) -> None:
        """Keep further signature lines of a checkpoint; of one signer the first stays."""
        with self._lock:
            kept = self._checkpoints[log_id]
            kept[size] = replace(kept[size], lines={**lines, **kept[size].lines})

    def keep_token(self, log_id: str, size: int, token: bytes) -> None:
        """Keep a time-stamp over a checkpoint; the first stays."""
        with self._lock:
            kept = self._checkpoints[log_id]
            if kept[size].token is None:
                kept[size] = replace(kept[size], token=token)

    def checkpoint(self, log_id: str, *, at_most: int | None = None) -> KeptCheckpoint | None:
        """The largest checkpoint that is kept, of those up to a size; None if there is none."""
        with self._lock:
            kept = self._checkpoints.get(log_id, {})
            sizes = [size for size in kept if at_most is None or size <= at_most]
            return kept[max(sizes)] if sizes else None

    def stamped_checkpoint(self, log_id: str) -> KeptCheckpoint | None:
        """The largest checkpoint that a time-stamp is kept of; None if there is none."""
        with self._lock:
            kept = self._checkpoints.get(log_id, {}).values()
            stamped = [one for one in kept if one.token is not None]
            return max(stamped, key=lambda one: one.size, default=None)

    def checkpoint_sizes(self, log_id: str) -> list[int]:
        """Sizes of which a checkpoint is kept, in order."""
        with self._lock:
            return sorted(self._checkpoints.get(log_id, {}))

    def self_check(self) -> list[str]:
        """Nothing to check."""
        return []

    def log_ids(self) -> list[str]:
        """Ids of all logs, in order; for `fsck`."""
        return [head.log_id for head in self.logs()]

    def event_rows(self, log_id: str, *, start: int, limit: int) -> list[KeptEvent]:
        """Rows as stored, for `fsck`."""
        return self._rows.get(log_id, [])[max(start, 0) : max(start, 0) + limit]

    def disclosure_rows(
        self, log_id: str, *, after: tuple[int, str], limit: int
    ) -> list[KeptDisclosure]:
        """Disclosure rows by (global position, commitment) above `after`, for `fsck`."""
        with self._lock:
            rows = self._sorted_disclosures(log_id)
        return [row for row in rows if (row.global_position, row.commitment) > after][:limit]

    def close(self) -> None:
        """Nothing to let go of."""

    def _sorted_disclosures(self, log_id: str) -> list[KeptDisclosure]:
        rows = [row for row in self._disclosures.values() if row.log_id == log_id]
        return sorted(rows, key=lambda row: (row.global_position, row.commitment))
