"""The ledger in PostgreSQL: one writing connection, a pool of reading ones; psycopg 3."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import psycopg
from psycopg import errors as pg

from events.errors import (
    BadInput,
    LedgerError,
    LogExists,
    NoArchive,
    StoreBusy,
    StoreFailed,
)
from events.store.address import CLIENT_ENCODING, ServerAddress
from events.store.sql import SqlStore
from events.store.sql_reading import Row

# Every query here looks keys up. A plan that was made and kept while the tables were small would
# read them whole, and go on doing so when they are large.
_BY_KEY = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
_WRITER = (
    f"{_BY_KEY} -c synchronous_commit=on"
    " -c idle_in_transaction_session_timeout=10s -c lock_timeout=10s"
)
_READER = (
    f"{_BY_KEY} -c default_transaction_read_only=on -c idle_in_transaction_session_timeout=60s"
)

_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"

# A plan that was kept while a table was taken for empty reads a log whole for each key, until the
# table is counted. Autovacuum comes by once a minute, where it is on; an import is faster.
_COUNTED_AT = 1_000
_OUTGROWN = (
    "SELECT string_agg(relname, ', ') FROM pg_class"
    " WHERE oid = ANY ('{event,disclosure,stream_head,journal,journal_outcome}'::regclass[])"
    " AND reltuples < %s"
)

PgConnection = psycopg.Connection[Row]


class PostgresStore(SqlStore):
    """A ledger on a server; any number of processes write, one after the other per log."""

    each_text = "unnest(?::text[]) AS k(value)"
    each_number = "unnest(?::bigint[]) AS k(value)"
    for_update = " FOR UPDATE"
    is_only_writer = False

    def __init__(
        self,
        address: ServerAddress,
        *,
        read_only: bool = False,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        super().__init__(read_only=read_only, entropy=entropy)
        self.address = address
        self._readers: list[PgConnection] = []
        self._lent = threading.Lock()
        self._writer: PgConnection | None = None
        self._written = 0
        """Rows that this process has inserted."""
        self._counts_at = _COUNTED_AT
        """With how many of them tables are counted that hold more than was known."""
        try:
            self._check_tables()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        with self._writing:
            self._closed = True
            self._drop_readers()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _open(self, options: str) -> PgConnection:
        # autocommit: BEGIN and COMMIT are said where they are meant. READ COMMITTED, because higher
        # levels turn waiting for the head row into serialisation failures.
        return psycopg.connect(
            self.address.dsn,
            autocommit=True,
            client_encoding=CLIENT_ENCODING,
            options=options,
            application_name="tabularium",
            connect_timeout=10,
        )

    @contextlib.contextmanager
    def _reading(self) -> Iterator[PgConnection]:
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            db = self._borrow()
            try:
                yield db
            except BaseException:
                db.close()
                raise
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError):
                self._drop_readers()  # what ended this connection has ended the others
            raise self._refusal(error) from error
        with self._lent:
            if not self._closed:
                self._readers.append(db)
                return
        db.close()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[PgConnection]:
        """A connection that sees one moment of the database, whoever goes on writing to it."""
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            # Whoever copies may write for long between two reads.
            options = f"{_READER} -c idle_in_transaction_session_timeout=0"
            with contextlib.closing(self._open(options)) as db:
                db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield db
        except psycopg.Error as error:
            raise self._refusal(error) from error

    def _drop_readers(self) -> None:
        with self._lent:
            for reader in self._readers:
                reader.close()
            self._readers.clear()

    def _borrow(self) -> PgConnection:
        with self._lent:
            while self._readers:
                db = self._readers.pop()
                if not db.closed and not _was_ended(db):
                    return db
                db.close()
        return self._open(_READER)

    def _check_tables(self) -> None:
        with self._reading() as db:
            row = db.execute("SELECT to_regclass('event') IS NOT NULL").fetchone()
        if row is None or not row[0]:
            raise NoArchive("the database is no archive yet: it has no ledger")

    def _begin(self) -> PgConnection:
        if self._read_only:
            raise StoreFailed("this archive was opened for reading only")
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            if self._writer is not None:
                # The server may have been restarted since; nothing has been sent yet.
                with contextlib.suppress(psycopg.OperationalError):
                    self._writer.execute(_BEGIN)
                    return self._writer
                self._writer.close()
            self._writer = self._open(_WRITER)
            self._writer.execute(_BEGIN)
        except psycopg.Error as error:
            raise self._refusal(error) from error
        return self._writer

    def _batched(self, db: PgConnection) -> contextlib.AbstractContextManager[object]:
        return db.pipeline()

    def _committed(self, db: PgConnection) -> None:
        if self._written >= self._counts_at:
            self._counts_at = 10 * self._written
            self._count(db)

    def _count(self, db: PgConnection) -> None:
        """Have outgrown tables counted (ANALYZE), so that plans kept for small ones are made anew.

        What cannot be counted now is not waited for, and without the right to it is a warning.
        """
        with contextlib.suppress(psycopg.Error):
            [outgrown] = db.execute(_OUTGROWN, (self._written / 10,)).fetchone() or [None]
            if outgrown is not None:
                db.execute(f"ANALYZE (SKIP_LOCKED) {outgrown}".encode())

    def _roll_back(self, db: PgConnection) -> None:
        try:
            db.execute("ROLLBACK")
        except psycopg.Error:
            self._drop(db)

    def _drop(self, db: PgConnection) -> None:
        self._writer = None
        with contextlib.suppress(psycopg.Error):
            db.close()

    def _touch(self, db: PgConnection) -> None:
        # A record of the server's own log: it is flushed, and no table has a dead row by it.
        db.execute("SELECT pg_logical_emit_message(true, 'tabularium', 'health')")

    def _make_log(self, db: PgConnection, log_id: str) -> None:
        made = db.execute(
            "INSERT INTO log_head (log_id, size, frontier) VALUES (%s, 0, '')"
            " ON CONFLICT DO NOTHING",
            (log_id,),
        )
        if not made.rowcount:
            raise LogExists(f"log {log_id} is there already")

    def _run(
        self, db: PgConnection, sql: str, parameters: Sequence[object] = ()
    ) -> psycopg.Cursor[Row]:
        try:
            return db.execute(_marked(sql), parameters, binary=True)
        except pg.DataError:
            if not sql.lstrip().startswith("SELECT") or not _holds_nul(parameters):
                raise
            # An address may hold a NUL, text of PostgreSQL cannot: what is asked for is not there,
            # and that is no fault of the database. No id holds the mark in its place either.
            asked = [
                one.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(one, str) else one
                for one in parameters
            ]
            return db.execute(_marked(sql), asked, binary=True)

    def _insert(
        self,
        db: PgConnection,
        table: str,
        *,
        columns: Mapping[str, str],
        rows: Sequence[Row],
        more: str = "",
    ) -> None:
        self._written += len(rows)
        # One statement with an array per column: a sixth of the client's work of a row at a time.
        arrays = ", ".join(
            f"{'%b' if kind == 'bytea' else '%s'}::{kind}[]" for kind in columns.values()
        )
        db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({arrays}){more}",
            [list(column) for column in zip(*rows, strict=True)],
        )

    def _pack(self, values: Iterable[object]) -> list[object]:
        return list(values)

    def _for_each(self, keys: str, columns: str, table: str, where: str) -> str:
        # OFFSET 0 keeps the table behind the keys: as long as nobody has counted its rows (ANALYZE)
        # the planner takes a log for one row, and would read all of it for one key.
        found = f"SELECT {columns} FROM {table} WHERE {where} OFFSET 0"
        return f"SELECT found.* FROM {keys} CROSS JOIN LATERAL ({found}) AS found"

    def _refusal(self, error: Exception) -> LedgerError:
        if isinstance(error, pg.UniqueViolation) and error.diag.table_name == "disclosure":
            return BadInput("a disclosure was used before: salts are used once")
        if isinstance(error, (pg.LockNotAvailable, pg.DeadlockDetected, pg.TooManyConnections)):
            return StoreBusy("the database is busy: try again in a moment")
        if isinstance(error, pg.UndefinedTable):
            return NoArchive("the database is no archive yet: it has no ledger")
        return StoreFailed(f"the database could not do it: {str(error).strip()}")

    def _after_erasure(self, db: PgConnection) -> bool:
        # Vacuuming takes the dead rows out of their pages' lists and leaves the bytes in the gap
        # behind; only rewriting the table removes them. That needs its owner or
        # pg_maintain: without that right it is a warning.
        try:
            if not _vacuumed(db) or _has_dead_rows(db):
                return False
            db.execute("VACUUM FULL disclosure")
        except psycopg.Error:
            return False
        return True

    def may_scrub(self) -> bool:
        """Whether the database lets this role vacuum; else only the owner of the tables can."""
        with self._writing:
            with self._begun() as db:
                pass
            self._commit(db)
            try:
                return _vacuumed(db)
            except psycopg.Error:
                return True


def _holds_nul(parameters: Sequence[object]) -> bool:
    return any(isinstance(one, str) and "\0" in one for one in parameters)


def _was_ended(db: PgConnection) -> bool:
    """Whether the server said something to a connection that asked nothing: it takes its leave.

    So it does where it is restarted. That costs no round trip, and nothing has been asked yet.
    """
    with selectors.DefaultSelector() as ready:
        ready.register(db.fileno(), selectors.EVENT_READ)
        return bool(ready.select(timeout=0))


def _vacuumed(db: PgConnection) -> bool:
    """Whether the disclosures could be vacuumed. Errors: psycopg.Error."""
    warnings: list[str] = []

    def heard(notice: psycopg.errors.Diagnostic) -> None:
        warnings.append(notice.severity_nonlocalized or "")

    db.add_notice_handler(heard)
    try:
        # What this session has deleted is counted now, or it would be counted as dead afterwards;
        # a server before PostgreSQL 15 has no word for that, and is asked once more in a while.
        with contextlib.suppress(psycopg.errors.UndefinedFunction):
            db.execute("SELECT pg_stat_force_next_flush()")
        db.execute("VACUUM disclosure")
    finally:
        db.remove_notice_handler(heard)
    return not warnings


def _has_dead_rows(db: PgConnection) -> bool:
    """Whether rows had to stay that an older transaction may still read. Errors: psycopg.Error."""
    found = db.execute(
        "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'disclosure'::regclass"
    ).fetchone()
    return found is None or found[0] > 0


@lru_cache(maxsize=64)
def _marked(sql: str) -> bytes:
    """The statement with psycopg's parameter marks."""
    return sql.replace("?", "%s").encode()
