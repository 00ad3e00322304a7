"""The ledger in SQL: one group-commit transaction per append, for SQLite and PostgreSQL.

The transaction begins with the heads of all logs that it touches under lock: `BEGIN IMMEDIATE` on
SQLite, `SELECT ... FOR UPDATE` on PostgreSQL. So entries become visible in the order of their
global position, without gaps, and a reader that has read up to n never misses a later commit below
n. Sequences, transaction ids and clocks cannot promise that.

This is the write path of every door, so it speaks to the drivers directly; the tables themselves
are declared in `tables` and made by the migrations.
"""

from __future__ import annotations

import logging
import os
import threading
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from events.envelope import EventDraft, check_id
from events.errors import (
    LedgerError,
    NoSuchLog,
    OutcomeUnknown,
    StoreBusy,
    StoreFailed,
)
from events.sealing.merkle import frontier_root
from events.store.appending import (
    Edge,
    Group,
    KeptDisclosure,
    KeptEvent,
    Prepared,
    joined,
    parted,
    prepare,
)
from events.store.journal import (
    Cursor,
    Intake,
    TakenIn,
    check_premises,
    newly_appended,
    outcome_rows,
    parked_disclosures,
)
from events.store.protocol import Appended, LogHead, Unit
from events.store.sealed import SealedGroup, SealedStream
from events.store.sql_journal import (
    CURSOR_COLUMNS,
    CURSOR_MOVES,
    JOURNAL_COLUMNS,
    OUTCOME_COLUMNS,
    SqlJournal,
    journal_row,
)
from events.store.sql_reading import EVENT, Connection, Row, kept_event

_log = logging.getLogger(__name__)


EVENT_COLUMNS = {
    "log_id": "text",
    "stream_id": "text",
    "version": "bigint",
    "global_position": "bigint",
    "entry_id": "text",
    "tag": "text",
    "schema_version": "integer",
    "sealed": "bytea",
    "leaf_hash": "bytea",
    "draft_sha256": "bytea",
}
"""Columns of `event` in the order in which rows are written, with their PostgreSQL types."""

DISCLOSURE_COLUMNS = {
    "log_id": "text",
    "commitment": "text",
    "global_position": "bigint",
    "name": "text",
    "class": "text",
    "raw": "bytea",
}
"""Columns of `disclosure`, likewise."""

STREAM_COLUMNS = {
    "log_id": "text",
    "stream_id": "text",
    "version": "bigint",
    "head_hash": "bytea",
}
"""Columns of `stream_head` that an append moves, likewise."""

STREAM_MOVES = (
    " ON CONFLICT (log_id, stream_id) DO UPDATE"
    " SET version = excluded.version, head_hash = excluded.head_hash"
)
"""A stream's head row is made by its first entry and moved by every later one."""


class Staged(NamedTuple):
    """Units decided and written, and not yet committed."""

    answers: list[Appended | LedgerError]
    """One for each unit; only true once `commit` has been called."""
    commit: Callable[[], None] | None
    """Makes them durable, or turns the answers into OutcomeUnknown; None = nothing to do."""


def _prepared(
    units: Sequence[Unit],
) -> tuple[list[Appended | LedgerError], list[Prepared], list[int]]:
    """Answers so far, the units that are sound on their own, and their places."""
    answers: list[Appended | LedgerError] = []
    group: list[Prepared] = []
    places: list[int] = []
    for place, unit in enumerate(units):
        try:
            group.append(prepare(unit))
        except LedgerError as error:
            answers.append(error)
        else:
            # Stands in its place until the group has been decided.
            answers.append(_UNDECIDED)
            places.append(place)
    return answers, group, places


class SqlStore(SqlJournal):
    """What both databases share: the transaction and the queries; `?` marks a parameter."""

    for_update: str
    """Locks the selected head row, where BEGIN has not locked everything."""

    def __init__(
        self, *, read_only: bool = False, entropy: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._read_only = read_only
        self._entropy = entropy
        self._writing = threading.Lock()
        self._closed = False

    # What a dialect has to say.

    @abstractmethod
    def _begin(self) -> Connection:
        """The writer's connection, in a new transaction. Errors: StoreBusy, StoreFailed."""

    def _impatient(self) -> AbstractContextManager[Any]:
        """Where a transaction that cannot begin at once is refused and not waited for."""
        return nullcontext()

    @abstractmethod
    def _batched(self, db: Connection) -> AbstractContextManager[Any]:
        """Where statements may be sent together."""

    @abstractmethod
    def _commit(self, db: Connection) -> None:
        """Commit. Errors: OutcomeUnknown, after letting go of the connection."""

    @abstractmethod
    def _roll_back(self, db: Connection) -> None:
        """Undo the transaction; never raises."""

    @abstractmethod
    def _insert(
        self,
        db: Connection,
        table: str,
        *,
        columns: Mapping[str, str],
        rows: Sequence[Row],
        more: str = "",
    ) -> None:
        """Insert many rows at once."""

    @abstractmethod
    def _refusal(self, error: Exception) -> LedgerError:
        """What an error of the driver means for a unit that was certainly not written."""

    @abstractmethod
    def _after_erasure(self, db: Connection) -> None:
        """Remove what the database keeps of deleted rows, as far as it can be asked to."""

    # Logs and streams.

    def open_log(self, log_id: str) -> LogHead:
        """Make an empty log. Errors: LogExists, BadIdentifier."""
        check_id(log_id, "log")
        with self._writing:
            db = self._begin()
            try:
                self._make_log(db, log_id)
            except BaseException:
                self._roll_back(db)
                raise
            self._commit(db)
        return LogHead(log_id, 0, (), frontier_root(()))

    @abstractmethod
    def _make_log(self, db: Connection, log_id: str) -> None:
        """Insert the head row. Errors: LogExists."""

    # Appending.

    def append(
        self,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        *,
        expected_version: int | None = None,
        expected_head: bytes | None = None,
    ) -> Appended:
        """Append all drafts or none; the errors are those of the protocol."""
        unit = Unit(
            log_id=log_id,
            stream_id=stream_id,
            drafts=tuple(drafts),
            expected_version=expected_version,
            expected_head=expected_head,
        )
        [answer] = self.append_units([unit])
        if isinstance(answer, LedgerError):
            raise answer
        return answer

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Group commit: each unit all or nothing, one transaction for all that are accepted."""
        answers, group, places = _prepared(units)
        if group:
            for place, answer in zip(places, self._append_group(group), strict=True):
                answers[place] = answer
        return answers

    def stage_units(self, units: Sequence[Unit]) -> Staged | None:
        """The same up to the commit, which is left to the caller, in whatever thread it likes.

        Never waits: None = somebody else is writing, or a unit needs the careful way of
        `append_units`, which may wait. Until `commit` has been called nobody else can write: call
        it soon, and always.
        """
        answers, group, places = _prepared(units)
        if not group:
            return Staged(answers, None)
        if not self._writing.acquire(blocking=False):
            return None
        try:
            with self._impatient():
                db, decided, staged = self._stage(group)
        except BaseException as error:
            self._writing.release()
            if not isinstance(error, Exception):
                raise
            return None
        for place, answer in zip(places, staged, strict=True):
            answers[place] = answer

        def commit() -> None:
            try:
                self._commit(db)
            except OutcomeUnknown as error:
                for place in places:
                    answers[place] = error
            finally:
                self._writing.release()

        if decided.rows:
            return Staged(answers, commit)
        commit()  # nothing was written: there is no flush to wait for
        return Staged(answers, None)

    def _append_group(self, group: list[Prepared]) -> list[Appended | LedgerError]:
        with self._writing:
            try:
                return self._append_together(group)
            except (OutcomeUnknown, StoreBusy) as error:
                return [error] * len(group)
            except Exception as error:
                if len(group) == 1:
                    return [self._refused(error)]
                _log.warning("a group of %d units failed, trying them singly", len(group))
            return [self._append_alone(prepared) for prepared in group]

    def _append_alone(self, prepared: Prepared) -> Appended | LedgerError:
        try:
            return self._append_together([prepared])[0]
        except Exception as error:
            return self._refused(error)

    def _refused(self, error: Exception) -> LedgerError:
        if isinstance(error, LedgerError):
            return error
        refusal = self._refusal(error)
        if isinstance(refusal, StoreFailed):
            _log.error("a unit could not be written", exc_info=error)
        refusal.__cause__ = error
        return refusal

    def _append_together(self, group: list[Prepared]) -> list[Appended | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        db, _, answers = self._stage(group)
        self._commit(db)
        return answers

    def _stage(
        self, group: list[Prepared]
    ) -> tuple[Connection, Group, list[Appended | LedgerError]]:
        """A transaction with everything in it that is accepted; raises with nothing written."""
        db = self._begin()
        try:
            with self._batched(db):
                decided = self._decider(db, group)
                answers = [decided.add(prepared) for prepared in group]
                if decided.rows:
                    self._write(db, decided)
        except BaseException:
            self._roll_back(db)
            raise
        return db, decided, answers

    def append_sealed(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """Streams that were sealed elsewhere, with one commit, each whole or not at all.

        For each the global position of its first entry, or its refusal: ExpectedVersionMismatch
        where the stream is not at the version that it follows.
        """
        if not streams:
            return []
        with self._writing:
            try:
                return self._sealed_together(streams)
            except (OutcomeUnknown, StoreBusy) as error:
                return [error] * len(streams)
            except Exception as error:
                if len(streams) == 1:
                    return [self._refused(error)]
                _log.warning("a group of %d streams failed, trying them singly", len(streams))
            return [self._sealed_alone(stream) for stream in streams]

    def _sealed_alone(self, stream: SealedStream) -> int | LedgerError:
        try:
            return self._sealed_together([stream])[0]
        except Exception as error:
            return self._refused(error)

    def _sealed_together(self, streams: Sequence[SealedStream]) -> list[int | LedgerError]:
        """One transaction; raises with nothing written, or OutcomeUnknown."""
        db = self._begin()
        try:
            with self._batched(db):
                named: dict[str, set[str]] = defaultdict(set)
                for stream in streams:
                    named[stream.log_id].add(stream.stream_id)
                edges, heads, _ = self._locked(db, named, {})
                group = SealedGroup(edges, heads)
                answers = [group.add(stream) for stream in streams]
                if group.touched:
                    self._write(db, group)
        except BaseException:
            self._roll_back(db)
            raise
        self._commit(db)
        return answers

    # Taking in what devices submit.

    def take_in(self, intake: Intake) -> TakenIn:
        """Journal, entries, cursor and outcomes in one transaction, as in the protocol."""
        prepared = [prepare(unit) for unit in intake.units]
        with self._writing:
            try:
                db, taken = self._stage_intake(intake, prepared)
            except Exception as error:
                raise self._refused(error) from error
            self._commit(db)
        return taken

    def _stage_intake(self, intake: Intake, prepared: list[Prepared]) -> tuple[Connection, TakenIn]:
        """A transaction with everything in it; raises with nothing written."""
        db = self._begin()
        try:
            with self._batched(db):
                group = self._intake_decider(db, intake)
                first = self._next_journal_id(db, intake, group)
                ids = tuple(range(first, first + len(intake.verdicts)))
                self._write_journal(db, intake, ids)
                appended = [newly_appended(group.add(one)) for one in prepared]
                if group.rows:
                    self._write(db, group)
                self._write_outcomes(db, intake, ids, appended)
        except BaseException:
            self._roll_back(db)
            raise
        return db, TakenIn(tuple(appended), ids)

    def _intake_decider(self, db: Connection, intake: Intake) -> Group:
        """What decides the units, with the log's head and all streams of the intake under lock."""
        log_id = intake.log_id
        streams = {*intake.premises, *(unit.stream_id for unit in intake.units)}
        entries = [draft.entry_id for unit in intake.units for draft in unit.drafts]
        edges, heads, known = self._locked(db, {log_id: streams}, {log_id: entries})
        if log_id not in edges:
            raise NoSuchLog(f"there is no log {log_id}")
        return Group(edges, heads, known=known, entropy=self._entropy)

    def _next_journal_id(self, db: Connection, intake: Intake, group: Group) -> int:
        """The id of the first new row, once the premises are known to hold under the lock."""
        cursor: Cursor | None = None
        if intake.cursor is not None:
            before, _ = intake.cursor
            row = self._run(
                db,
                "SELECT last_seq, last_hash FROM device_cursor"
                " WHERE log_id = ? AND device_id = ? AND epoch = ?",
                (intake.log_id, before.device, before.epoch),
            ).fetchone()
            cursor = None if row is None else Cursor(before.device, before.epoch, *row)
        check_premises(
            intake,
            {stream_id: version for (_, stream_id), (version, _) in group.streams.items()},
            cursor,
        )
        [last] = self._run(
            db, "SELECT max(id) FROM journal WHERE log_id = ?", (intake.log_id,)
        ).fetchone()
        return (last or 0) + 1

    def _write_journal(self, db: Connection, intake: Intake, ids: Sequence[int]) -> None:
        if not ids:
            return
        rows = [
            journal_row(intake.log_id, journal_id, verdict.submitted)
            for journal_id, verdict in zip(ids, intake.verdicts, strict=True)
        ]
        self._insert(db, "journal", columns=JOURNAL_COLUMNS, rows=rows)
        kept = [
            _disclosure_row(row)
            for journal_id, verdict in zip(ids, intake.verdicts, strict=True)
            for row in parked_disclosures(intake.log_id, journal_id, verdict.disclosures)
        ]
        if kept:
            self._insert(db, "disclosure", columns=DISCLOSURE_COLUMNS, rows=kept)

    def _write_outcomes(
        self, db: Connection, intake: Intake, ids: Sequence[int], appended: Sequence[Appended]
    ) -> None:
        if intake.cursor is not None and intake.cursor[0] != intake.cursor[1]:
            _, after = intake.cursor
            row = (intake.log_id, after.device, after.epoch, after.last_seq, after.last_hash)
            self._insert(db, "device_cursor", columns=CURSOR_COLUMNS, rows=[row], more=CURSOR_MOVES)
        if ids:
            rows = outcome_rows(intake, ids[0], appended)
            self._insert(db, "journal_outcome", columns=OUTCOME_COLUMNS, rows=rows)
        if intake.released:
            self._run(
                db,
                "DELETE FROM disclosure WHERE log_id = ? AND global_position IN"
                f" (SELECT k.value FROM {self.each_number})",
                (intake.log_id, self._pack(-journal_id for journal_id in intake.released)),
            )

    def _decider(self, db: Connection, group: list[Prepared]) -> Group:
        """What decides these units, with all the heads that they touch under lock."""
        streams: dict[str, set[str]] = defaultdict(set)
        entries: dict[str, list[str]] = defaultdict(list)
        for prepared in group:
            unit = prepared.unit
            streams[unit.log_id].add(unit.stream_id)
            entries[unit.log_id].extend([draft.entry_id for draft in unit.drafts])
        edges, heads, known = self._locked(db, streams, entries)
        return Group(edges, heads, known=known, entropy=self._entropy)

    def _locked(
        self, db: Connection, streams: Mapping[str, set[str]], entries: Mapping[str, list[str]]
    ) -> tuple[
        dict[str, Edge], dict[tuple[str, str], tuple[int, bytes]], dict[tuple[str, str], KeptEvent]
    ]:
        """The heads of all logs touched, under lock and in order, and what is known of the ids."""
        # Every statement sees what is committed when it starts, so the streams and ids are read
        # behind the lock. Sorted: two processes that lock two logs cannot wait for each other.
        asked = [
            (
                log_id,
                self._run(
                    db,
                    f"SELECT size, frontier FROM log_head WHERE log_id = ?{self.for_update}",
                    (log_id,),
                ),
                self._run(
                    db,
                    f"SELECT stream_id, version, head_hash FROM {self.each_text}"
                    " CROSS JOIN stream_head WHERE log_id = ? AND stream_id = k.value",
                    (self._pack(streams[log_id]), log_id),
                ),
                self._run(
                    db,
                    f"SELECT {EVENT}, draft_sha256 FROM {self.each_text}"
                    " CROSS JOIN event WHERE log_id = ? AND entry_id = k.value",
                    (self._pack(entries.get(log_id, ())), log_id),
                ),
            )
            for log_id in sorted(streams)
        ]
        edges: dict[str, Edge] = {}
        heads: dict[tuple[str, str], tuple[int, bytes]] = {}
        known: dict[tuple[str, str], KeptEvent] = {}
        for log_id, head, moved, recorded in asked:
            for size, frontier in head.fetchall():
                edges[log_id] = Edge(size, parted(frontier))
            for stream_id, version, head_hash in moved.fetchall():
                heads[log_id, stream_id] = (version, head_hash)
            for row in recorded.fetchall():
                known[log_id, row[4]] = kept_event(row)
        return edges, heads, known

    def _write(self, db: Connection, group: Group | SealedGroup) -> None:
        self._insert(
            db,
            "event",
            columns=EVENT_COLUMNS,
            rows=list(group.event_rows()),
        )
        self._insert(
            db,
            "disclosure",
            columns=DISCLOSURE_COLUMNS,
            rows=list(group.disclosure_rows()),
        )
        self._insert(
            db,
            "stream_head",
            columns=STREAM_COLUMNS,
            rows=[(*key, *group.streams[key]) for key in sorted(group.touched)],
            more=STREAM_MOVES,
        )
        for log_id in sorted({log_id for log_id, _ in group.touched}):
            edge = group.edges[log_id]
            self._run(
                db,
                "UPDATE log_head SET size = ?, frontier = ? WHERE log_id = ?",
                (edge.size, joined(edge.frontier), log_id),
            )

    # Erasing.

    def erase_disclosure(self, log_id: str, commitment: str) -> bool:
        """Delete one disclosure for good; True if it was there. The ledger keeps verifying."""
        with self._writing:
            db = self._begin()
            try:
                gone = False
                # Parked drafts lie together, and bodies have an index; a context, rarely erased,
                # is searched for.
                for place in ("global_position < 0", "class = 'body'", "class = 'context'"):
                    if gone and place == "class = 'context'":
                        break
                    deleted = self._run(
                        db,
                        f"DELETE FROM disclosure WHERE log_id = ? AND commitment = ? AND {place}",
                        (log_id, commitment),
                    )
                    gone = gone or bool(deleted.rowcount)
            except BaseException:
                self._roll_back(db)
                raise
            self._commit(db)
            if gone:
                self._after_erasure(db)
        return gone

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""


def _disclosure_row(row: KeptDisclosure) -> Row:
    return (
        row.log_id,
        row.commitment,
        row.global_position,
        row.name,
        row.category,
        row.raw,
    )


_UNDECIDED = StoreFailed("the unit was not decided")
