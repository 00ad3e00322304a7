"""The journal's queries in SQL, alike for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from events.store.journal import Cursor, Journaled, KeptDrafts, Outcome, ParkedAt, Reason, Submitted
from events.store.sql_reading import Row, SqlReading

JOURNAL_COLUMNS = {
    "log_id": "text",
    "id": "bigint",
    "device": "text",
    "epoch": "bigint",
    "device_seq": "bigint",
    "entry_id": "text",
    "stream_id": "text",
    "raw": "bytea",
    "raw_sha256": "bytea",
    "signature": "bytea",
    "signature_state": "text",
    "received_at": "bigint",
}
"""Columns of `journal` in the order in which rows are written, with their PostgreSQL types."""

OUTCOME_COLUMNS = {
    "log_id": "text",
    "journal_id": "bigint",
    "outcome": "text",
    "reason": "text",
    "global_position": "bigint",
    "stream_version": "bigint",
}
"""Columns of `journal_outcome`, likewise."""

CURSOR_COLUMNS = {
    "log_id": "text",
    "device_id": "text",
    "epoch": "bigint",
    "last_seq": "bigint",
    "last_hash": "bytea",
}
"""Columns of `device_cursor`, likewise."""

CURSOR_MOVES = (
    " ON CONFLICT (log_id, device_id, epoch) DO UPDATE"
    " SET last_seq = excluded.last_seq, last_hash = excluded.last_hash"
)
"""A device's cursor row is made by its first draft and moved by every later one."""

_JOURNALED = (
    "j.id, j.device, j.epoch, j.device_seq, j.entry_id, j.stream_id, j.raw, j.raw_sha256,"
    " j.signature, j.signature_state, j.received_at,"
    " o.outcome, o.reason, o.global_position, o.stream_version"
)
_OUTCOME = "journal_outcome o ON o.log_id = j.log_id AND o.journal_id = j.id"


class SqlJournal(SqlReading):
    """What both databases answer about the journal."""

    def device_cursor(self, log_id: str, device: str, epoch: int) -> Cursor | None:
        """How far a device's chain has been taken in; None if nothing has."""
        with self._reading() as db:
            row = self._run(
                db,
                "SELECT last_seq, last_hash FROM device_cursor"
                " WHERE log_id = ? AND device_id = ? AND epoch = ?",
                (log_id, device, epoch),
            ).fetchone()
        return None if row is None else Cursor(device, epoch, *row)

    def device_cursors(self, log_id: str) -> list[Cursor]:
        """All cursors of a log, by device and epoch."""
        with self._reading() as db:
            rows = self._run(
                db,
                "SELECT device_id, epoch, last_seq, last_hash FROM device_cursor"
                " WHERE log_id = ? ORDER BY device_id, epoch",
                (log_id,),
            )
            return [Cursor(*row) for row in rows.fetchall()]

    def submitted(self, log_id: str, entry_ids: Sequence[str]) -> list[Journaled]:
        """Rows of the journal with these entry ids, in order."""
        with self._reading() as db:
            rows = self._run(
                db,
                self._for_each(
                    self.each_text,
                    _JOURNALED,
                    f"journal j JOIN {_OUTCOME}",
                    "j.log_id = ? AND j.entry_id = k.value",
                ),
                (self._pack(set(entry_ids)), log_id),
            )
            return [journaled(row) for row in sorted(rows.fetchall(), key=itemgetter(0))]

    def unreadable(self, log_id: str, raw_sha256: bytes) -> Journaled | None:
        """The row of a draft that could not be read, by the hash of its bytes."""
        with self._reading() as db:
            row = self._run(
                db,
                f"SELECT {_JOURNALED} FROM journal j JOIN {_OUTCOME}"
                " WHERE j.log_id = ? AND j.entry_id = '' AND j.raw_sha256 = ? LIMIT 1",
                (log_id, raw_sha256),
            ).fetchone()
        return None if row is None else journaled(row)

    def parked(self, log_id: str) -> list[Journaled]:
        """Drafts that came in with a stream conflict, resolved or not, in order."""
        with self._reading() as db:
            rows = self._run(
                db,
                f"SELECT {_JOURNALED} FROM journal_outcome o CROSS JOIN journal j"
                " WHERE o.log_id = ? AND o.outcome = 'stream_conflict'"
                " AND j.log_id = o.log_id AND j.id = o.journal_id ORDER BY o.journal_id",
                (log_id,),
            )
            return [journaled(row) for row in rows.fetchall()]

    def parked_at(self, log_id: str) -> list[ParkedAt]:
        """The same drafts, without what they say."""
        with self._reading() as db:
            rows = self._run(
                db,
                "SELECT j.entry_id, j.stream_id, j.device, j.epoch"
                " FROM journal_outcome o CROSS JOIN journal j"
                " WHERE o.log_id = ? AND o.outcome = 'stream_conflict'"
                " AND j.log_id = o.log_id AND j.id = o.journal_id ORDER BY o.journal_id",
                (log_id,),
            )
            return [ParkedAt(*row) for row in rows.fetchall()]

    def kept_of(self, log_id: str, device: str) -> KeptDrafts:
        """What is kept of a device's drafts that became no entry when they came in."""
        kept = (
            "FROM journal_outcome o JOIN journal j ON j.log_id = o.log_id AND j.id = o.journal_id"
            " {} WHERE o.log_id = ? AND o.outcome IN ('stream_conflict', 'device_fork')"
            " AND j.device = ?"
        )
        beside = "JOIN disclosure d ON d.log_id = o.log_id AND d.global_position = -o.journal_id"
        with self._reading() as db:
            drafts = f"SELECT count(*), sum(length(j.raw)) {kept.format('')}"
            count, size = self._run(db, drafts, (log_id, device)).fetchone()
            disclosures = f"SELECT sum(length(d.raw)) {kept.format(beside)}"
            [more] = self._run(db, disclosures, (log_id, device)).fetchone()
        return KeptDrafts(count, int(size or 0) + int(more or 0))

    def journal_rows(self, log_id: str, *, after: int = 0, limit: int) -> list[Journaled]:
        """Rows of the journal with an id > `after`, in order, and with their outcomes."""
        with self._reading() as db:
            rows = self._run(
                db,
                f"SELECT {_JOURNALED} FROM journal j JOIN {_OUTCOME}"
                " WHERE j.log_id = ? AND j.id > ? ORDER BY j.id LIMIT ?",
                (log_id, after, limit),
            )
            return [journaled(row) for row in rows.fetchall()]

    def journal_size(self, log_id: str) -> int:
        """The last id of the log's journal; 0 if it is empty."""
        with self._reading() as db:
            [last] = self._run(
                db, "SELECT max(id) FROM journal WHERE log_id = ?", (log_id,)
            ).fetchone()
        return last or 0


def journaled(row: Row) -> Journaled:
    """A row of `journal` and its outcome as a value."""
    (
        journal_id,
        device,
        epoch,
        device_seq,
        entry_id,
        stream_id,
        raw,
        raw_sha256,
        signature,
        signature_state,
        received_at,
        outcome,
        reason,
        global_position,
        stream_version,
    ) = row
    submitted = Submitted(
        device=device,
        epoch=epoch,
        device_seq=device_seq,
        entry_id=entry_id,
        stream_id=stream_id,
        raw=raw,
        raw_sha256=raw_sha256,
        signature=signature,
        signature_state=signature_state,
        received_at=received_at,
    )
    return Journaled(
        journal_id=journal_id,
        submitted=submitted,
        outcome=Outcome(outcome),
        reason=None if reason is None else Reason(reason),
        global_position=global_position,
        stream_version=stream_version,
    )


def journal_row(log_id: str, journal_id: int, submitted: Submitted) -> Row:
    """The row of `journal` for a draft."""
    return (
        log_id,
        journal_id,
        submitted.device,
        submitted.epoch,
        submitted.device_seq,
        submitted.entry_id,
        submitted.stream_id,
        submitted.raw,
        submitted.raw_sha256,
        submitted.signature,
        submitted.signature_state,
        submitted.received_at,
    )
