"""Signed checkpoints in SQL, alike for SQLite and PostgreSQL: kept once, never changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from events.store.protocol import KeptCheckpoint
from events.store.sql_reading import Connection
from events.store.sql_writing import SqlWriting


class SqlCheckpoints(SqlWriting):
    """What both databases keep of checkpoints."""

    def _in_transaction(self, write: Callable[[Connection], None]) -> None:
        """Write in a transaction of its own. Errors: StoreBusy, StoreFailed, OutcomeUnknown."""
        with self._writing:
            try:
                with self._begun() as db:
                    write(db)
            except Exception as error:
                raise self._refused(error) from error
            self._commit(db)

    def _add(self, db: Connection, into: str, *values: object) -> bool:
        """Add a row; False if another server has added it since it was looked for."""
        places = ", ".join("?" * len(values))
        insert = f"INSERT INTO {into} VALUES ({places}) ON CONFLICT DO NOTHING"
        return bool(self._run(db, insert, values).rowcount)

    def keep_checkpoint(self, log_id: str, size: int, note: bytes) -> bool:
        """Keep a signed note; False if one of that size is kept already, which then stays."""
        added = False

        def write(db: Connection) -> None:
            nonlocal added
            known = self._run(
                db, "SELECT 1 FROM checkpoint WHERE log_id = ? AND size = ?", (log_id, size)
            ).fetchone()
            if known is None:
                added = self._add(db, "checkpoint (log_id, size, note)", log_id, size, note)

        self._in_transaction(write)
        return added

    def keep_signatures(self, log_id: str, size: int, lines: Mapping[str, bytes]) -> None:
        """Keep further signature lines of a checkpoint; of one signer the first stays."""

        def write(db: Connection) -> None:
            known = self._lines(db, log_id, size)
            for signer, line in lines.items():
                if signer not in known:
                    into = "checkpoint_signature (log_id, size, signer, line)"
                    self._add(db, into, log_id, size, signer, line)

        self._in_transaction(write)

    def keep_token(self, log_id: str, size: int, token: bytes) -> None:
        """Keep a time-stamp over a checkpoint; the first stays."""

        def write(db: Connection) -> None:
            if self._token(db, log_id, size) is None:
                self._add(db, "checkpoint_token (log_id, size, token)", log_id, size, token)

        self._in_transaction(write)

    def checkpoint(self, log_id: str, *, at_most: int | None = None) -> KeptCheckpoint | None:
        """The largest checkpoint that is kept, of those up to a size; None if there is none."""
        with self._reading() as db:
            row = self._run(
                db,
                "SELECT size, note FROM checkpoint WHERE log_id = ? AND size <= ?"
                " ORDER BY size DESC LIMIT 1",
                (log_id, 2**62 if at_most is None else at_most),
            ).fetchone()
            if row is None:
                return None
            size, note = row
            lines, token = self._lines(db, log_id, size), self._token(db, log_id, size)
        return KeptCheckpoint(log_id, size, bytes(note), lines, token)

    def checkpoint_sizes(self, log_id: str) -> list[int]:
        """Sizes of which a checkpoint is kept, in order."""
        with self._reading() as db:
            rows = self._run(
                db, "SELECT size FROM checkpoint WHERE log_id = ? ORDER BY size", (log_id,)
            )
            return [size for (size,) in rows.fetchall()]

    def stamped_checkpoint(self, log_id: str) -> KeptCheckpoint | None:
        """The largest checkpoint that a time-stamp is kept of; None if there is none."""
        with self._reading() as db:
            row = self._run(
                db, "SELECT max(size) FROM checkpoint_token WHERE log_id = ?", (log_id,)
            ).fetchone()
        size = None if row is None else row[0]
        return None if size is None else self.checkpoint(log_id, at_most=size)

    def _lines(self, db: Connection, log_id: str, size: int) -> dict[str, bytes]:
        rows = self._run(
            db,
            "SELECT signer, line FROM checkpoint_signature WHERE log_id = ? AND size = ?"
            " ORDER BY signer",
            (log_id, size),
        )
        return {signer: bytes(line) for signer, line in rows.fetchall()}

    def _token(self, db: Connection, log_id: str, size: int) -> bytes | None:
        row = self._run(
            db, "SELECT token FROM checkpoint_token WHERE log_id = ? AND size = ?", (log_id, size)
        ).fetchone()
        return None if row is None else bytes(row[0])
