"""The ledger's queries in SQL, alike for SQLite and PostgreSQL: everything that only reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from events.envelope import StoredEvent
from events.errors import NoSuchLog
from events.sealing.merkle import frontier_root
from events.store.appending import KeptDisclosure, KeptEvent, parted
from events.store.protocol import SOUGHT, LogHead, StreamHead

Connection = Any
"""A connection of sqlite3 or of psycopg; both execute, fetch and iterate alike."""

Row = tuple[Any, ...]

_TABLES = ("log_head", "stream_head", "event", "disclosure", "device_cursor", "journal")
"""Where rows of a log may lie."""

_PAGE = 1_000
_ALL = 2**62

EVENT = (
    "log_id, stream_id, version, global_position, entry_id, tag, schema_version, sealed, leaf_hash"
)
IS_SOUGHT = f"tag IN ({', '.join(repr(tag) for tag in SOUGHT)})"
"""Of which entries there is an index by tag, word by word as the migration says it."""

_DISCLOSURE = "log_id, commitment, global_position, name, class, raw"


class SqlReading(ABC):
    """What both databases answer without writing; `?` marks a parameter."""

    each_text: str
    """A table `k` whose column `value` holds the texts of one parameter made by `_pack`."""
    each_number: str
    """The same for integers."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """A connection to read with; its errors come out as LedgerErrors."""

    @abstractmethod
    def _run(self, db: Connection, sql: str, parameters: Sequence[object] = ()) -> Any:
        """Execute one statement; the cursor."""

    @abstractmethod
    def _pack(self, values: Iterable[object]) -> Any:
        """Values as the one parameter of `each_text` or `each_number`."""

    # Given `log_id = ? AND entry_id IN (...)`, a planner may read the whole log by another index.
    @abstractmethod
    def _for_each(self, keys: str, columns: str, table: str, where: str) -> str:
        """The question for rows of a table, key by key: `where` says what a key is by `k.`."""

    # Logs and streams.

    def logs(self) -> list[LogHead]:
        """All logs, by id."""
        with self._reading() as db:
            rows = self._run(db, "SELECT log_id, size, frontier FROM log_head ORDER BY log_id")
            return [log_head_of(row) for row in rows.fetchall()]

    def log_head(self, log_id: str) -> LogHead:
        """Where the log stands. Errors: NoSuchLog."""
        with self._reading() as db:
            row = self._run(
                db, "SELECT log_id, size, frontier FROM log_head WHERE log_id = ?", (log_id,)
            ).fetchone()
        if row is None:
            raise NoSuchLog(f"there is no log {log_id}")
        return log_head_of(row)

    def stream_head(self, log_id: str, stream_id: str) -> StreamHead | None:
        """Where the stream stands; None if it does not exist."""
        with self._reading() as db:
            row = self._run(
                db,
                "SELECT log_id, stream_id, version, head_hash FROM stream_head"
                " WHERE log_id = ? AND stream_id = ?",
                (log_id, stream_id),
            ).fetchone()
        return None if row is None else StreamHead(*row)

    def streams(
        self, log_id: str, *, after: str | None = None, limit: int | None = None
    ) -> list[StreamHead]:
        """Streams of the log by id, those above `after`, at most `limit`."""
        with self._reading() as db:
            rows = self._run(
                db,
                "SELECT log_id, stream_id, version, head_hash FROM stream_head"
                " WHERE log_id = ? AND stream_id > ? ORDER BY stream_id LIMIT ?",
                (log_id, after or "", _ALL if limit is None else limit),
            )
            return [StreamHead(*row) for row in rows.fetchall()]

    # Entries and disclosures.

    def read_stream(
        self, log_id: str, stream_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Entries of one stream with version > `after`, in order; [] if there are none."""
        with self._reading() as db:
            # Log and stream are known: fetching them again for each row is a tenth of a replay.
            rows = self._run(
                db,
                "SELECT version, global_position, entry_id, tag, schema_version, sealed, leaf_hash"
                " FROM event"
                " WHERE log_id = ? AND stream_id = ? AND version > ? ORDER BY version LIMIT ?",
                (log_id, stream_id, after, _ALL if limit is None else limit),
            )
            return [StoredEvent(log_id, stream_id, *row) for row in rows.fetchall()]

    def read_sealed(
        self, log_id: str, stream_id: str, *, after: int = 0
    ) -> list[tuple[int, bytes]]:
        """(global position, sealed bytes) of the entries with version > `after`, in order."""
        with self._reading() as db:
            rows: list[tuple[int, bytes]] = self._run(
                db,
                "SELECT global_position, sealed FROM event"
                " WHERE log_id = ? AND stream_id = ? AND version > ? ORDER BY version",
                (log_id, stream_id, after),
            ).fetchall()
            return rows

    def read_sealed_log(
        self, log_id: str, *, start: int, limit: int
    ) -> list[tuple[str, int, int, bytes]]:
        """(stream id, version, global position, sealed bytes) of entries of the log, in order."""
        with self._reading() as db:
            rows: list[tuple[str, int, int, bytes]] = self._run(
                db,
                "SELECT stream_id, version, global_position, sealed FROM event"
                " WHERE log_id = ? AND global_position >= ? ORDER BY global_position LIMIT ?",
                (log_id, start, limit),
            ).fetchall()
            return rows

    def read_log(
        self, log_id: str, *, start: int = 0, limit: int | None = None
    ) -> Iterator[StoredEvent]:
        """Entries of the log with global position >= `start`, in order; a page at a time."""
        left = _ALL if limit is None else limit
        while left > 0:
            with self._reading() as db:
                rows = self._run(
                    db,
                    f"SELECT {EVENT} FROM event"
                    " WHERE log_id = ? AND global_position >= ? ORDER BY global_position LIMIT ?",
                    (log_id, start, min(left, _PAGE)),
                )
                page = [StoredEvent(*row) for row in rows.fetchall()]
            yield from page
            if len(page) < _PAGE:
                return
            left -= len(page)
            start = page[-1].global_position + 1

    def event_rows(self, log_id: str, *, start: int, limit: int) -> list[KeptEvent]:
        """Rows as stored, by global position; for `fsck`."""
        with self._reading() as db:
            rows = self._run(
                db,
                f"SELECT {EVENT}, draft_sha256 FROM event"
                " WHERE log_id = ? AND global_position >= ? ORDER BY global_position LIMIT ?",
                (log_id, start, limit),
            )
            return [kept_event(row) for row in rows.fetchall()]

    def leaf_hashes(self, log_id: str, *, start: int, limit: int) -> list[bytes]:
        """Leaf hashes of at most `limit` entries with global position >= `start`, in order."""
        with self._reading() as db:
            rows = self._run(
                db,
                "SELECT leaf_hash FROM event"
                " WHERE log_id = ? AND global_position >= ? ORDER BY global_position LIMIT ?",
                (log_id, start, limit),
            )
            return [leaf_hash for (leaf_hash,) in rows.fetchall()]

    def read_tagged(self, log_id: str, tag: str, *, start: int = 0) -> list[StoredEvent]:
        """Entries of the log with this tag and global position >= `start`, in their order."""
        # A database uses an index of some rows only where the question says that it is about those.
        sought = f" AND {IS_SOUGHT}" if tag in SOUGHT else ""
        with self._reading() as db:
            rows = self._run(
                db,
                # The places first: the index holds all that this takes, so it is what is read.
                self._for_each(
                    "(SELECT global_position AS place FROM event"
                    f" WHERE log_id = ? AND tag = ? AND global_position >= ?{sought}) AS k",
                    EVENT,
                    "event",
                    "log_id = ? AND global_position = k.place",
                )
                + " ORDER BY global_position",
                (log_id, tag, start, log_id),
            )
            return [StoredEvent(*row) for row in rows.fetchall()]

    def find_entries(self, log_id: str, entry_ids: Sequence[str]) -> dict[str, StoredEvent]:
        """The stored entries with these ids; unknown ids are left out."""
        with self._reading() as db:
            rows = self._run(
                db,
                self._for_each(self.each_text, EVENT, "event", "log_id = ? AND entry_id = k.value"),
                (self._pack(entry_ids), log_id),
            )
            return {row[4]: StoredEvent(*row) for row in rows.fetchall()}

    def disclosures(self, log_id: str, commitments: Sequence[str]) -> dict[str, bytes]:
        """Raw disclosures of bodies by hex commitment; withheld or erased ones are left out."""
        with self._reading() as db:
            rows = self._run(
                db,
                self._for_each(
                    self.each_text,
                    "commitment, raw",
                    "disclosure",
                    "log_id = ? AND class = 'body' AND commitment = k.value",
                ),
                (self._pack(commitments), log_id),
            )
            return dict(rows.fetchall())

    def disclosures_of(self, log_id: str, positions: Sequence[int]) -> Mapping[int, list[bytes]]:
        """Raw disclosures of the entries at these global positions."""
        found: dict[int, list[bytes]] = defaultdict(list)
        with self._reading() as db:
            rows = self._run(
                db,
                self._for_each(
                    self.each_number,
                    "global_position, commitment, raw",
                    "disclosure",
                    "log_id = ? AND global_position = k.value",
                )
                + " ORDER BY global_position, commitment",
                (self._pack(set(positions)), log_id),
            )
            for global_position, _, raw in rows.fetchall():
                found[global_position].append(raw)
        return dict(found)

    def disclosure_rows(
        self, log_id: str, *, after: tuple[int, str], limit: int
    ) -> list[KeptDisclosure]:
        """Disclosure rows by (global position, commitment) above `after`, for `fsck`."""
        with self._reading() as db:
            rows = self._run(
                db,
                f"SELECT {_DISCLOSURE} FROM disclosure"
                " WHERE log_id = ? AND (global_position, commitment) > (?, ?)"
                " ORDER BY global_position, commitment LIMIT ?",
                (log_id, *after, limit),
            )
            return [KeptDisclosure(*row) for row in rows.fetchall()]

    def self_check(self) -> list[str]:
        """What the database's own check of itself has to say, where it has one; for `fsck`."""
        return []

    def log_ids(self) -> list[str]:
        """Ids of all logs that any table knows, in order; for `fsck`."""
        # The next id after the last one found, from each table's key: logs are few, rows are many.
        following = " UNION ALL ".join(
            f"SELECT min(log_id) AS log_id FROM {table} WHERE log_id > ?" for table in _TABLES
        )
        found: list[str] = []
        with self._reading() as db:
            while True:
                last = found[-1] if found else ""
                sql = f"SELECT min(log_id) FROM ({following}) AS following"
                [log_id] = self._run(db, sql, (last,) * len(_TABLES)).fetchone()
                if log_id is None:
                    return found
                found.append(log_id)


def log_head_of(row: Row) -> LogHead:
    """A row of `log_head` as a value."""
    log_id, size, column = row
    frontier = tuple(parted(column))
    return LogHead(log_id, size, frontier, frontier_root(frontier))


def kept_event(row: Row) -> KeptEvent:
    """A row of `event`, `draft_sha256` last, as a value."""
    return KeptEvent(StoredEvent(*row[:-1]), row[-1])
