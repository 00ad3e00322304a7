"""The ledger in an SQLite file: one writer connection, a pool of read-only ones."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

import orjson

from events.errors import (
    BadInput,
    Damaged,
    LedgerError,
    LogExists,
    NoArchive,
    OutcomeUnknown,
    RolledBack,
    StoreBusy,
    StoreFailed,
)
from events.store.address import FileAddress
from events.store.lock import WriterLock
from events.store.sql import SqlStore
from events.store.sql_reading import Row
from events.store.standing import StandingFile, torn
from events.store.still import still_uri

_BUSY_MS = 10_000

_COMMON = (
    f"PRAGMA busy_timeout={_BUSY_MS}",
    "PRAGMA foreign_keys=ON",
    # Without it INSERT OR REPLACE would skip the DELETE triggers; the INSERT guard holds anyway.
    "PRAGMA recursive_triggers=ON",
)
_WRITER = (
    *_COMMON,
    "PRAGMA journal_mode=WAL",
    # FULL: an acknowledged entry is on the disk, not only in the operating system's memory.
    "PRAGMA synchronous=FULL",
    # A commit of an import's many matches finds room in memory before it is written.
    "PRAGMA cache_size=-24000",
    # What a statement must be able to undo is kept there too, not in a file.
    "PRAGMA temp_store=MEMORY",
    # Hot pages are copied back once in 32 MB of writing, not once in 4.
    "PRAGMA wal_autocheckpoint=4000",
    # An erased name is overwritten, not only unlinked. Not every build has it by default.
    "PRAGMA secure_delete=ON",
)
# The last one reads the file, which is where an unusable one is found out.
_READER = (*_COMMON, "PRAGMA query_only=ON", "PRAGMA schema_version")

_ROWS = 100
"""Rows of one statement, where there are so many."""

BULK = 1_000
"""Entries of one transaction from which on their guard is set aside while they are written."""

_GUARD = "event_no_replace"

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class SqliteStore(SqlStore):
    """A ledger in one file; one process writes to it, any number read."""

    each_text = each_number = "json_each(?) AS k"
    for_update = ""  # BEGIN IMMEDIATE is the lock
    is_only_writer = True

    def __init__(
        self,
        address: FileAddress,
        *,
        read_only: bool = False,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        super().__init__(read_only=read_only, entropy=entropy)
        self.address = address
        self._readers: list[sqlite3.Connection] = []
        self._lent = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self.lock = WriterLock(address.path)
        """The right to write; `describe` it with the server's address once that is known."""
        self._file = StandingFile(address.path)
        self._is_hurried = False
        if not address.path.is_file():
            raise NoArchive(f"there is no archive at {address.path}")
        if not read_only:
            self._file.check_alone()
            self.lock.acquire()
        try:
            if not read_only:
                self._writer = self._open_writer()
            self._check_tables()
            if not read_only:
                # A write-ahead log is there now, and stays while a connection is open.
                self._file.opened()
                self._check_whole()
        except sqlite3.Error as error:
            self.close()
            raise self._refusal(error) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections and of the lock."""
        with self._writing, self._lent:
            self._closed = True
            for reader in self._readers:
                reader.close()
            self._readers.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            if self.displaced is not None:
                self.lock.is_in_order = False
            self.lock.release()

    # Connections.

    def _open_writer(self) -> sqlite3.Connection:
        db = _connect(self.address.uri(mode="rw"), _WRITER)
        db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        return db

    def _open_reader(self) -> sqlite3.Connection:
        """A connection that cannot write, whatever it is asked to."""
        uri = self.address.uri(mode="ro")
        if not self._file.is_here():
            raise Damaged(f"{self.address.path} is not the file that was opened: start again")
        try:
            return _connect(uri, _READER)
        except sqlite3.OperationalError as error:
            still = still_uri(self.address, error)
            if still is None:
                raise
            return _connect(still, _READER)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            try:
                db = self._readers.pop()
            except IndexError:
                db = self._open_reader()
            try:
                yield db
            except BaseException:
                db.close()
                raise
        except sqlite3.Error as error:
            raise self._refusal(error) from error
        with self._lent:
            if not self._closed:
                self._readers.append(db)
                return
        db.close()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one moment of the file, whoever goes on writing to it."""
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            with contextlib.closing(self._open_reader()) as db:
                db.execute("BEGIN")
                yield db
        except sqlite3.Error as error:
            raise self._refusal(error) from error

    def _check_tables(self) -> None:
        with self._reading() as db:
            found = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'log_head'")
            if found.fetchone() is None:
                raise NoArchive(f"{self.address.path} is no archive yet: it has no ledger")

    # Transactions.

    def _begin(self) -> sqlite3.Connection:
        if self._read_only:
            raise StoreFailed("this archive was opened for reading only")
        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            if self._writer is None:
                self._writer = self._open_writer()
                self._file.opened()
            self._check_file(self._writer)
            # Not a deferred BEGIN: one that reads first and writes later fails at once with
            # SQLITE_BUSY_SNAPSHOT, whatever the busy timeout.
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._refusal(error) from error
        return self._writer

    def check_place(self) -> bool:
        """Whether all is as it was left: the file at its place, its lock file, its content.

        A lock file that was deleted is put back. Errors: RolledBack, StoreFailed, StoreBusy.
        """
        if self._read_only:
            return True
        was_gone = self.lock.restore()
        with self._writing:
            if self._writer is not None:
                self._check_file(self._writer)
        return not was_gone

    def _check_file(self, writer: sqlite3.Connection) -> None:
        """Refuse to write to a file that is not what it was. Errors: RolledBack, StoreFailed."""
        try:
            if not self._file.check():
                if self._is_hurried:
                    raise StoreBusy(
                        "somebody else has written to the archive's file: wait a moment"
                    )
                self._look_again()
                self._file.accept()
        except (RolledBack, StoreFailed) as error:
            if self.displaced is None and isinstance(error, RolledBack):
                # What this process still holds goes into the file that it has open: it would be
                # lost if nobody stopped it in good order.
                with contextlib.suppress(sqlite3.Error):
                    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self.displaced = str(error)
            raise
        self.displaced = None

    def _look_again(self) -> None:
        """Whether the leaves in the file still make every log's tree, read by new eyes.

        Somebody else has written to it: a copy over the file, or no more than another link to it.
        """
        with contextlib.closing(self._open_reader()) as db:
            heads = db.execute("SELECT log_id, size, frontier FROM log_head").fetchall()
            found = {log_id: (size, frontier) for log_id, size, frontier in heads}
            for log_id in self._known:
                if found.get(log_id) != self._known[log_id]:
                    raise RolledBack(
                        f"{self.address.path} was written over while the server ran: the log"
                        f" {log_id} is not as this server left it. Nothing is recorded. Stop the"
                        " server and restore a backup that is not older"
                    )
            for log_id in torn(db):
                raise RolledBack(
                    f"{self.address.path} was written over while the server ran: the log"
                    f" {log_id} is not whole. Nothing is recorded. Stop the server and restore"
                    " a backup"
                )

    def _check_whole(self) -> None:
        """Hold the logs that are not whole, where nobody let go of the file in good order.

        An older copy that was put over the file, beside the write-ahead log of the newer one, has
        the newer heads, and its checkpoints agree with them.
        """
        if self.lock.is_in_order:
            return
        with contextlib.closing(self._open_reader()) as db:
            for log_id in torn(db):
                self.hold(
                    log_id,
                    f"the log {log_id} is not whole: entries are missing or others, as where an"
                    " older copy was put over the file beside a newer write-ahead log. Nothing is"
                    " recorded in it. Restore a backup; where there is none, open a new log that"
                    " says which one it `continues`",
                )
        self.lock.is_in_order = not self.held

    @contextlib.contextmanager
    def _impatient(self) -> Iterator[None]:
        # Another program may hold the file's write lock; the event loop must not wait for it.
        writer = self._writer
        if writer is not None:
            writer.execute("PRAGMA busy_timeout=0")
        self._is_hurried = True
        try:
            yield
        finally:
            self._is_hurried = False
            if writer is not None and writer is self._writer:
                writer.execute(f"PRAGMA busy_timeout={_BUSY_MS}")

    def _batched(self, db: sqlite3.Connection) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def _committed(self, db: sqlite3.Connection) -> None:
        try:
            # Entries written to a file that was moved or replaced meanwhile are not stored.
            self._file.committed()
        except (RolledBack, StoreFailed) as error:
            raise OutcomeUnknown(f"{error}: send the same bytes again") from error

    def _roll_back(self, db: sqlite3.Connection) -> None:
        # A full disk makes SQLite roll back by itself; a second ROLLBACK would be an error.
        try:
            if db.in_transaction:
                db.execute("ROLLBACK")
        except sqlite3.Error:
            self._drop(db)

    def _drop(self, db: sqlite3.Connection) -> None:
        self._writer = None
        with contextlib.suppress(sqlite3.Error):
            db.close()

    def _touch(self, db: sqlite3.Connection) -> None:
        # A number in the file's first page that SQLite leaves to programs; nothing here reads it.
        [(number,)] = db.execute("PRAGMA user_version").fetchall()
        db.execute(f"PRAGMA user_version = {1 if number != 1 else 2}")

    def _make_log(self, db: sqlite3.Connection, log_id: str) -> None:
        there = db.execute("SELECT 1 FROM log_head WHERE log_id = ?", (log_id,)).fetchone()
        if there is not None:
            raise LogExists(f"log {log_id} is there already")
        db.execute("INSERT INTO log_head (log_id, size, frontier) VALUES (?, 0, x'')", (log_id,))

    def _run(
        self, db: sqlite3.Connection, sql: str, parameters: Sequence[object] = ()
    ) -> sqlite3.Cursor:
        return db.execute(sql, parameters)

    def _insert(
        self,
        db: sqlite3.Connection,
        table: str,
        *,
        columns: Mapping[str, str],
        rows: Sequence[Row],
        more: str = "",
    ) -> None:
        if table == "event" and len(rows) >= BULK:
            with _set_aside(db, _GUARD):
                self._insert_rows(db, table, columns=columns, rows=rows, more=more)
        else:
            self._insert_rows(db, table, columns=columns, rows=rows, more=more)

    def _insert_rows(
        self,
        db: sqlite3.Connection,
        table: str,
        *,
        columns: Mapping[str, str],
        rows: Sequence[Row],
        more: str,
    ) -> None:
        # A trigger makes SQLite keep every page as it was before each statement: many rows in one
        # statement cost half of what they cost one by one.
        whole = len(rows) - len(rows) % _ROWS
        if whole:
            many = [
                list(chain.from_iterable(rows[at : at + _ROWS])) for at in range(0, whole, _ROWS)
            ]
            db.executemany(_inserting(table, tuple(columns), _ROWS, more), many)
        db.executemany(_inserting(table, tuple(columns), 1, more), rows[whole:])

    def _pack(self, values: Iterable[object]) -> str:
        return orjson.dumps(list(values)).decode()  # for json_each

    def _for_each(self, keys: str, columns: str, table: str, where: str) -> str:
        return f"SELECT {columns} FROM {keys} CROSS JOIN {table} WHERE {where}"

    def _refusal(self, error: Exception) -> LedgerError:
        if isinstance(error, sqlite3.Error):
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _BUSY:
                return StoreBusy("another process holds the archive's file: try again in a moment")
            if code in _BROKEN or "decode" in str(error):  # text that is no UTF-8
                return Damaged(f"{self.address.path} is damaged ({error}): run `tabularium fsck`")
            if code == sqlite3.SQLITE_CONSTRAINT and "disclosure." in str(error):
                return BadInput("a disclosure was used before: salts are used once")
        return StoreFailed(f"the database could not do it: {error}")

    def self_check(self) -> list[str]:
        """What `PRAGMA integrity_check` says, at most 100 lines of it."""
        with self._reading() as db:
            lines = [line for (line,) in db.execute("PRAGMA integrity_check(100)").fetchall()]
        return [] if lines == ["ok"] else lines

    def _after_erasure(self, db: sqlite3.Connection) -> bool:
        # The write-ahead log still holds the page as it was: move it into the file and cut it off.
        # Whoever reads an older state of the file for longer than the busy timeout prevents that.
        # So does a disk that fails; what was committed stands all the same.
        try:
            [(is_busy, *_)] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error:
            return False
        self._file.accept()
        return not is_busy


@contextlib.contextmanager
def _set_aside(db: sqlite3.Connection, trigger: str) -> Iterator[None]:
    """A guard taken out of the transaction that is open, and put back word for word within it.

    In a large archive it looks for each row of an import in three trees, which costs as much as
    writing the row. It stands against INSERT OR REPLACE, which this program never says, and the
    unique keys hold all the same. Nobody else sees the table without it: others read what was
    committed, and a transaction that fails, or whose process dies, never took it away.
    """
    found = db.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", (trigger,)
    ).fetchone()
    if found is not None:
        db.execute(f"DROP TRIGGER {trigger}")
    yield
    if found is not None:
        db.execute(found[0])


@lru_cache(maxsize=32)
def _inserting(table: str, columns: tuple[str, ...], rows: int, more: str) -> str:
    """The statement that inserts so many rows at once."""
    row = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * rows)}{more}"


def _connect(uri: str, pragmas: Iterable[str]) -> sqlite3.Connection:
    # isolation_level None: the driver's own idea of transactions leaves SELECTs outside of them.
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        for pragma in pragmas:
            db.execute(pragma).fetchall()
    except BaseException:
        db.close()
        raise
    return db
