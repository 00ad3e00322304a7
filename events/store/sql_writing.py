"""A transaction of the ledger in SQL: what a dialect has to say, heads under lock, rows written."""

from __future__ import annotations

import logging
import os
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from events.envelope import TOURNAMENT_STREAM
from events.errors import LedgerError, OutcomeUnknown, StoreBusy, StoreFailed
from events.store.appending import Appending, Edge, Group, KeptDisclosure, KeptEvent, joined, parted
from events.store.erasing import erased_by
from events.store.sealed import SealedGroup
from events.store.sql_journal import SqlJournal
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

TRY_S = 5.0
"""How long a write that is a trial waits for another one to end."""

STREAM_MOVES = (
    " ON CONFLICT (log_id, stream_id) DO UPDATE"
    " SET version = excluded.version, head_hash = excluded.head_hash"
)
"""A stream's head row is made by its first entry and moved by every later one."""


class SqlWriting(SqlJournal, Appending):
    """What every write shares: its transaction and the queries; `?` marks a parameter."""

    for_update: str
    """Locks the selected head row, where BEGIN has not locked everything."""
    is_only_writer: bool
    """Whether no other process may have moved a head since this one did."""

    def __init__(
        self, *, read_only: bool = False, entropy: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._read_only = read_only
        self._entropy = entropy
        self._writing = threading.Lock()
        self._closed = False
        self._known: dict[str, tuple[int, bytes]] = {}
        """Size and frontier of each log as this process has last committed it."""
        self._moved: dict[str, tuple[int, bytes]] = {}
        """The same of the transaction that is open."""
        self._erases = False
        """Whether the transaction that is open deletes disclosures."""

    # What a dialect has to say.

    @abstractmethod
    def _begin(self) -> Connection:
        """The writer's connection, in a new transaction. Errors: StoreBusy, StoreFailed."""

    def _impatient(self) -> AbstractContextManager[object]:
        """Where a transaction that cannot begin at once is refused and not waited for."""
        return nullcontext()

    @abstractmethod
    def _batched(self, db: Connection) -> AbstractContextManager[object]:
        """Where statements may be sent together."""

    @abstractmethod
    def _drop(self, db: Connection) -> None:
        """Close the writer's connection, whatever state it is in; never raises."""

    def _committed(self, db: Connection) -> None:
        """What follows a commit, before anybody is answered. Errors: OutcomeUnknown."""

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
    def _after_erasure(self, db: Connection) -> bool:
        """Overwrite what deleted rows have left behind; False where that cannot be done now."""

    @abstractmethod
    def _touch(self, db: Connection) -> None:
        """Have something to commit that no table shows."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def try_write(self) -> None:
        """Commit something that changes nothing, to see whether the disk takes writes.

        It does not wait for another write, because a health check has to answer soon.
        Errors: StoreBusy, StoreFailed, OutcomeUnknown.
        """
        if not self._writing.acquire(timeout=TRY_S):
            raise StoreBusy(f"another write has not come to its end in {TRY_S:.0f} s")
        try:
            try:
                with self._begun() as db:
                    self._touch(db)
            except Exception as error:
                raise self._refused(error) from error
            self._commit(db)
        finally:
            self._writing.release()

    # What every write does.

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        """A new transaction, undone if anything in it fails. Errors: StoreBusy, StoreFailed."""
        db = self._begin()
        self._moved.clear()
        self._erases = False
        try:
            yield db
        except BaseException:
            self._roll_back(db)
            raise

    def _refused(self, error: Exception) -> LedgerError:
        if isinstance(error, LedgerError):
            return error
        refusal = self._refusal(error)
        if isinstance(refusal, StoreFailed):
            _log.error("a unit could not be written", exc_info=error)
        refusal.__cause__ = error
        return refusal

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
                    self._for_each(
                        self.each_text,
                        "stream_id, version, head_hash",
                        "stream_head",
                        "log_id = ? AND stream_id = k.value",
                    ),
                    (self._pack(streams[log_id]), log_id),
                ),
                self._run(
                    db,
                    self._for_each(
                        self.each_text,
                        f"{EVENT}, draft_sha256",
                        "event",
                        "log_id = ? AND entry_id = k.value",
                    ),
                    (self._pack(entries.get(log_id, ())), log_id),
                ),
            )
            for log_id in sorted(streams)
        ]
        edges: dict[str, Edge] = {}
        heads: dict[tuple[str, str], tuple[int, bytes]] = {}
        known: dict[tuple[str, str], KeptEvent] = {}
        for log_id, head, moved, recorded in asked:
            row = head.fetchone()
            self._check_head(log_id, row)
            if row is not None:
                edges[log_id] = Edge(row[0], parted(row[1]))
            for stream_id, version, head_hash in moved.fetchall():
                heads[log_id, stream_id] = (version, head_hash)
            for row in recorded.fetchall():
                known[log_id, row[4]] = kept_event(row)
        return edges, heads, known

    def _own_tags(self, db: Connection, log_id: str, version: int) -> list[str]:
        """Tags of a log's own stream behind this version of it."""
        later = self._run(
            db,
            "SELECT tag FROM event WHERE log_id = ? AND stream_id = ? AND version > ?",
            (log_id, TOURNAMENT_STREAM, version),
        )
        return [tag for (tag,) in later.fetchall()]

    def _check_head(self, log_id: str, row: Row | None) -> None:
        """Refuse a log that stands elsewhere than where this process left it. Errors: RolledBack.

        And hold it: what was acknowledged is not in this database any more.
        """
        known = self._known.get(log_id)
        if known is None or (row is not None and (row[0], row[1]) == known):
            return
        size = 0 if row is None else row[0]
        if size > known[0] and not self.is_only_writer:
            return
        self.hold(
            log_id,
            f"the log {log_id} has {size} entries, and is not as this server left it with"
            f" {known[0]}: another copy was put in its place. Nothing is recorded in it until the"
            " true one is back and the server started again",
        )
        self.check_held(log_id)

    def _commit(self, db: Connection) -> None:
        """Commit. Errors: OutcomeUnknown, after closing the connection."""
        try:
            db.execute("COMMIT")
        except BaseException as error:
            # A commit that failed may still stand after the next start (a flush that reported an
            # error). Only a new connection reads the heads as they really are.
            self._known.clear()
            self._drop(db)
            if not isinstance(error, Exception):
                raise  # Ctrl-C: nothing is wrong with the database
            raise OutcomeUnknown(
                f"the commit failed ({error}): send the same bytes again"
            ) from error
        self._known.update(self._moved)
        self._moved.clear()
        self._committed(db)

    def _write(self, db: Connection, group: Group | SealedGroup) -> None:
        events = list(group.event_rows())
        self._insert(
            db,
            "event",
            columns=EVENT_COLUMNS,
            rows=events,
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
            frontier = joined(edge.frontier)
            self._run(
                db,
                "UPDATE log_head SET size = ?, frontier = ? WHERE log_id = ?",
                (edge.size, frontier, log_id),
            )
            self._moved[log_id] = (edge.size, frontier)
        # What an entry says is erased goes with the entry: nobody can be told of it before.
        for log_id, commitments in erased_by(events):
            self._erase(db, log_id, commitments)

    def _erase(self, db: Connection, log_id: str, commitments: Sequence[str]) -> int:
        """Delete disclosures in the transaction that is open; how many there were."""
        gone: set[str] = set()
        # Bodies have an index and parked drafts lie together; a context, rarely erased, is
        # searched for.
        for place in ("class = 'body'", "global_position < 0", "class = 'context'"):
            wanted = [one for one in commitments if place != "class = 'context'" or one not in gone]
            if wanted:
                deleted = self._run(
                    db,
                    f"DELETE FROM disclosure WHERE log_id = ? AND {place} AND commitment IN"
                    f" (SELECT k.value FROM {self.each_text}) RETURNING commitment",
                    (log_id, self._pack(wanted)),
                )
                gone |= {commitment for (commitment,) in deleted.fetchall()}
        if gone:
            self._erases, self.is_scrubbed = True, False
        return len(gone)

    def _clear(self, db: Connection) -> None:
        """After a commit: overwrite what the rows that it deleted have left behind."""
        if self._erases:
            self._erases = False
            self.is_scrubbed = self._after_erasure(db)


def disclosure_row(row: KeptDisclosure) -> Row:
    """A row of `disclosure`, in the order of its columns."""
    return (
        row.log_id,
        row.commitment,
        row.global_position,
        row.name,
        row.category,
        row.raw,
    )
