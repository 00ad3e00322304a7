"""The ledger read through ADBC: whole columns of entries, from SQLite or PostgreSQL, as Arrow.

Nothing here may be open together with a store of `events.store` on the same SQLite file in the
same process: ADBC brings an SQLite library of its own, and a file that one library closes loses
the locks (POSIX) that the other one holds on it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from api.archive.personal import received_at
from api.publishing.extras import NotPublished, needed
from events.envelope import check_id
from events.errors import StoreFailed
from events.store.address import FileAddress, ServerAddress, parse_address
from events.store.still import has_log

_AT_ONCE = 500
"""Keys that are looked up in one statement."""

_PAGE = 65_536
"""Leaf hashes that are in memory at once."""

_SESSION = (
    "SET default_transaction_read_only = on",
    # A plan made while the table was small would read a large one whole.
    "SET enable_seqscan = off",
)


class ArrowLedger:
    """A connection that reads entries and disclosures, and can do nothing else."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def entries(self, log_id: str, *, first: str, last: str, size: int) -> Any:
        """Entries of the streams from `first` to `last`, by stream and version, as an Arrow table.

        Of those below global position `size` alone: what is appended meanwhile is left out.
        """
        # The sum keeps both planners from reading the log by its positions.
        return self._table(
            "SELECT stream_id, version, global_position, entry_id, tag, schema_version, sealed,"
            f" leaf_hash FROM event WHERE log_id = {_id(log_id)}"
            f" AND stream_id >= {_id(first)} AND stream_id <= {_id(last)}"
            f" AND global_position + 0 < {size:d} ORDER BY stream_id, version"
        )

    def disclosures(self, log_id: str, commitments: Sequence[str]) -> dict[str, bytes]:
        """Raw disclosures of bodies by hex commitment; erased ones are left out."""
        found: dict[str, bytes] = {}
        for begin in range(0, len(commitments), _AT_ONCE):
            keys = ", ".join(
                f"'{bytes.fromhex(one).hex()}'" for one in commitments[begin:][:_AT_ONCE]
            )
            rows = self._table(
                f"SELECT commitment, raw FROM disclosure WHERE log_id = {_id(log_id)}"
                f" AND class = 'body' AND commitment IN ({keys})"
            )
            found.update(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        return found

    def contexts(self, log_id: str, positions: Sequence[int]) -> dict[int, bytes]:
        """Raw disclosures of the contexts of the entries at these global positions."""
        keys = ", ".join(f"{position:d}" for position in positions)
        rows = self._table(
            f"SELECT global_position, raw FROM disclosure WHERE log_id = {_id(log_id)}"
            f" AND class = 'context' AND global_position IN ({keys})"
        )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def received(self, log_id: str, position: int) -> int | None:
        """When the entry at a global position came in, ms since 1970 UTC; None = erased."""
        return received_at(self.contexts(log_id, [position]).values())

    def leaf_hashes(self, log_id: str, size: int) -> Iterator[bytes]:
        """Leaf hashes of the first `size` entries of a log, in order, a page at a time."""
        for start in range(0, size, _PAGE):
            end = min(start + _PAGE, size)
            found = self._table(
                f"SELECT leaf_hash FROM event WHERE log_id = {_id(log_id)}"
                f" AND global_position >= {start:d} AND global_position < {end:d}"
                " ORDER BY global_position"
            )
            yield from found.column("leaf_hash").to_pylist()

    def _table(self, sql: str) -> Any:
        with _refusals(), self._connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()


@contextlib.contextmanager
def reading(url: str) -> Iterator[ArrowLedger]:
    """The ledger at `url`, open for reading. Errors: StoreFailed, NotPublished."""
    with _refusals():
        connection = _connected(url)
    with contextlib.closing(connection):
        yield ArrowLedger(connection)


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    adbc = needed("adbc_driver_manager")
    try:
        yield
    except adbc.Error as error:
        # While it waits for the database, ADBC answers Ctrl-C in Python's place: as what was
        # cancelled, or, where the driver cancels nothing, as a thing that it cannot do.
        is_cancelled = error.status_code == adbc.AdbcStatusCode.CANCELLED
        if isinstance(error.__cause__, KeyboardInterrupt) or (
            is_cancelled and "timeout" not in str(error)
        ):
            raise KeyboardInterrupt from None
        line = str(error).strip().partition("\n")[0]
        raise StoreFailed(f"the database could not be read: {line}") from None


def _connected(url: str) -> Any:
    address = parse_address(url)
    match address:
        case FileAddress():
            return _opened(address)
        case ServerAddress(dsn=dsn):
            connection = needed("adbc_driver_postgresql.dbapi").connect(dsn, autocommit=True)
            _run(connection, *_SESSION)
            return connection
        case _:
            raise NotPublished("an archive in memory is gone with its process: name a database")


def _opened(address: FileAddress) -> Any:
    """A connection to an SQLite file, on a medium that takes no writes too."""
    connect = needed("adbc_driver_sqlite.dbapi").connect
    connection = connect(address.uri(mode="ro"), autocommit=True)
    try:
        _run(connection, "SELECT 1 FROM sqlite_schema LIMIT 1")
    except needed("adbc_driver_manager").Error:
        connection.close()
        if os.access(address.path.parent, os.W_OK) or has_log(address.path):
            raise
        connection = connect(f"{address.uri(mode='ro')}&immutable=1", autocommit=True)
    return connection


def _run(connection: Any, *statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _id(value: str) -> str:
    """An id as a literal; ids hold nothing that would have to be escaped. Errors: BadIdentifier."""
    return f"'{check_id(value, 'log or stream')}'"
