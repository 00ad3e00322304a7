"""Taking in what devices submit, in SQL: drafts, entries, cursor, outcomes in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from events.errors import NoSuchLog
from events.store.appending import Group, Prepared, prepare
from events.store.journal import (
    Cursor,
    Intake,
    TakenIn,
    check_premises,
    newly_appended,
    outcome_rows,
    parked_disclosures,
)
from events.store.protocol import Appended
from events.store.sql_journal import (
    CURSOR_COLUMNS,
    CURSOR_MOVES,
    JOURNAL_COLUMNS,
    OUTCOME_COLUMNS,
    journal_row,
)
from events.store.sql_reading import Connection
from events.store.sql_writing import DISCLOSURE_COLUMNS, SqlWriting, disclosure_row


class SqlIntake(SqlWriting):
    """The writer of what devices submit."""

    def take_in(self, intake: Intake) -> TakenIn:
        """Journal, entries, cursor and outcomes in one transaction, as in the protocol."""
        self.check_held(intake.log_id)
        prepared = [prepare(unit) for unit in intake.units]
        with self._writing:
            try:
                db, taken = self._stage_intake(intake, prepared)
            except Exception as error:
                raise self._refused(error) from error
            self._commit(db)
            self._clear(db)
        return taken

    def _stage_intake(self, intake: Intake, prepared: list[Prepared]) -> tuple[Connection, TakenIn]:
        """A transaction with everything in it; raises with nothing written."""
        with self._begun() as db, self._batched(db):
            group = self._intake_decider(db, intake)
            first = self._next_journal_id(db, intake, group)
            ids = tuple(range(first, first + len(intake.verdicts)))
            self._write_journal(db, intake, ids)
            appended = [newly_appended(group.add(one)) for one in prepared]
            if group.rows:
                self._write(db, group)
            self._write_outcomes(db, intake, ids, appended)
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
        streams: int | None = None
        if intake.streams is not None:
            count = "SELECT count(*) FROM stream_head WHERE log_id = ?"
            [streams] = self._run(db, count, (intake.log_id,)).fetchone()
        check_premises(
            intake,
            {stream_id: version for (_, stream_id), (version, _) in group.streams.items()},
            cursor,
            streams,
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
            disclosure_row(row)
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
