"""Copies a ledger row by row into another database of either kind, without changing a byte.

A copy is of one moment of the source, even while others write to it. If the target has a beginning
of the source already, missing entries are added, and values erased in the source since are erased.
Every entry is hashed on its way, and the copy's tree must have the root of the source. To resume a
copy that was stopped, copy again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

import msgspec

from events.errors import Damaged, RolledBack, Unverified
from events.sealing.merkle import frontier_root, leaf_hash, push
from events.store.appending import joined
from events.store.protocol import LogHead
from events.store.sql_journal import (
    CURSOR_COLUMNS,
    CURSOR_MOVES,
    JOURNAL_COLUMNS,
    OUTCOME_COLUMNS,
)
from events.store.sql_reading import Connection, Row, log_head_of
from events.store.sql_writing import (
    DISCLOSURE_COLUMNS,
    EVENT_COLUMNS,
    STREAM_COLUMNS,
    STREAM_MOVES,
    SqlWriting,
)

PAGE = 2_000
"""Rows that are read, and written with one commit."""

_FIRST = -(2**62)


class Table(NamedTuple):
    """Rows of a log that stay as they are once they are there."""

    name: str
    columns: Mapping[str, str]
    """With their PostgreSQL types."""
    key: Sequence[str]
    """What orders them in a log."""


DISCLOSURES = Table("disclosure", DISCLOSURE_COLUMNS, ("global_position", "commitment"))

KEPT = (
    Table("journal", JOURNAL_COLUMNS, ("id",)),
    Table("journal_outcome", OUTCOME_COLUMNS, ("journal_id",)),
    Table("checkpoint", {"log_id": "text", "size": "bigint", "note": "bytea"}, ("size",)),
    Table("checkpoint_token", {"log_id": "text", "size": "bigint", "token": "bytea"}, ("size",)),
    Table(
        "checkpoint_signature",
        {"log_id": "text", "size": "bigint", "signer": "text", "line": "bytea"},
        ("size", "signer"),
    ),
)
"""What stands beside the entries and is only ever added to, parents before their children."""

_KINDS = {"text": "", "bigint": _FIRST, "integer": _FIRST}
"""What lies below every key of a kind."""


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """What a copy came to."""

    heads: tuple[LogHead, ...]
    """Where the logs stand, in source and copy alike."""
    added: int
    """Entries that the copy did not have."""
    erased: int
    """Disclosures that were taken out of it, since the source had erased them."""


class SqlCopying(SqlWriting):
    """Both ends of a copy."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Connection]:
        """A connection that sees one moment of the archive for as long as it is held."""

    @abstractmethod
    def _make_log(self, db: Connection, log_id: str) -> None:
        """Insert the head row. Errors: LogExists."""

    def take_copy(
        self,
        source: SqlCopying,
        moved: Callable[[int, int], None] | None = None,
        *,
        at_once: bool = False,
    ) -> Copied:
        """Make this ledger what the source is.

        `at_once`: with one commit, so that a copy which is whole already is never half of a newer
        one. Else page by page, and a copy that was stopped is gone on with. `moved(done, total)` is
        told of entries.

        Errors: Unverified and RolledBack where this ledger holds what the source does not, Damaged,
        StoreFailed.
        """
        with self._writing, source.snapshot() as read:
            copy = _Copy(self, source, read, moved, at_once=at_once)
            try:
                return copy.run()
            except Exception as error:
                raise self._refused(error) from error
            finally:
                copy.close()

    def check_beginning(self, source: SqlCopying) -> None:
        """Refuse to copy the source over what is here, unless that is a beginning of it.

        Errors: those of `take_copy`.
        """
        with source.snapshot() as read, self.snapshot() as here:
            _Copy(self, source, read, None, at_once=False).check(here)


class _Copy:
    """One copy under way."""

    def __init__(
        self,
        target: SqlCopying,
        source: SqlCopying,
        read: Connection,
        moved: Callable[[int, int], None] | None,
        *,
        at_once: bool,
    ) -> None:
        self._target = target
        self._source = source
        self._read = read
        self._moved = moved
        self._at_once = at_once
        self._db: Connection | None = None
        self._added = self._erased = self._cleared = self._done = self._total = 0

    def run(self) -> Copied:
        """Copy everything. Errors: Unverified, RolledBack, Damaged, those of the drivers."""
        heads = self._heads(self._source, self._read)
        with self._writing() as db:
            here = {head.log_id: head for head in self._heads(self._target, db)}
        self._check(heads, here)
        self._total = sum(head.size for head in heads)
        for head in heads:
            self._log(head, here.get(head.log_id))
        self._commit(is_end=True)
        return Copied(heads=tuple(heads), added=self._added, erased=self._erased)

    def check(self, db: Connection) -> None:
        """Look whether it could be done. Errors: Unverified, RolledBack, Damaged."""
        heads = self._heads(self._source, self._read)
        here = {head.log_id: head for head in self._heads(self._target, db)}
        self._check(heads, here)
        for head in here.values():
            self._beginning(head)

    def close(self) -> None:
        """Undo what is not committed."""
        if self._db is not None:
            self._target._roll_back(self._db)
            self._db = None

    # Transactions.

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """The target's transaction; committed behind this, unless all is one commit."""
        if self._db is None:
            self._db = self._target._begin()
        yield self._db
        self._commit()

    def _commit(self, *, is_end: bool = False) -> None:
        if self._db is not None and (is_end or not self._at_once):
            db, self._db = self._db, None
            self._target._commit(db)
            if self._erased > self._cleared:
                self._cleared = self._erased
                self._target._after_erasure(db)

    # Heads.

    @staticmethod
    def _heads(store: SqlCopying, db: Connection) -> list[LogHead]:
        rows = store._run(db, "SELECT log_id, size, frontier FROM log_head ORDER BY log_id")
        return [log_head_of(row) for row in rows.fetchall()]

    @staticmethod
    def _check(heads: Sequence[LogHead], here: Mapping[str, LogHead]) -> None:
        """Whether the target can be a beginning of the source. Errors: Unverified, RolledBack."""
        sizes = {head.log_id: head.size for head in heads}
        for log_id, head in here.items():
            if log_id not in sizes:
                raise Unverified(f"log {log_id} is there, and not in what is to be copied")
            if head.size > sizes[log_id]:
                raise RolledBack(
                    f"log {log_id} has {head.size} entries there, and {sizes[log_id]} in what is to"
                    " be copied: an older archive stands in its place"
                )

    # One log.

    def _log(self, head: LogHead, here: LogHead | None) -> None:
        if here is None:
            with self._writing() as db:
                self._target._make_log(db, head.log_id)
        self._entries(head, here)
        self._disclosures(head.log_id)
        for table in KEPT:
            self._rows(table, head.log_id)
        self._cursors(head.log_id)

    def _beginning(self, here: LogHead) -> list[bytes]:
        """The edge of the source's tree where the copy ends. Errors: Unverified, Damaged."""
        frontier: list[bytes] = []
        size = 0
        while size < here.size:
            leaves = self._leaves(here.log_id, size, min(PAGE, here.size - size))
            for leaf in leaves:
                push(frontier, size, leaf)
                size += 1
            self._tell(len(leaves))
        if frontier_root(frontier) != here.root:
            raise Unverified(f"log {here.log_id} has other entries there: it is of another archive")
        return frontier

    def _entries(self, head: LogHead, here: LogHead | None) -> None:
        frontier = [] if here is None else self._beginning(here)
        size = 0 if here is None else here.size
        while size < head.size:
            rows = self._page(head.log_id, size, min(PAGE, head.size - size))
            tips: dict[str, Row] = {}
            for row in rows:
                stream_id, version, position = row[1], row[2], row[3]
                leaf = leaf_hash(row[7])
                if leaf != row[8] or position != size:
                    raise Damaged(
                        f"log {head.log_id}, position {size}: the archive that is to be copied is"
                        " damaged there: run `tabularium fsck`"
                    )
                push(frontier, size, leaf)
                size += 1
                tips[stream_id] = (head.log_id, stream_id, version, leaf)
            with self._writing() as db:
                self._write(db, head.log_id, rows, list(tips.values()), (size, frontier))
            self._added += len(rows)
            self._tell(len(rows))
        if frontier_root(frontier) != head.root:
            raise Damaged(f"log {head.log_id} is not what its root says: run `tabularium fsck`")

    def _write(
        self,
        db: Connection,
        log_id: str,
        rows: Sequence[Row],
        tips: Sequence[Row],
        edge: tuple[int, list[bytes]],
    ) -> None:
        target, (size, frontier) = self._target, edge
        target._insert(db, "event", columns=EVENT_COLUMNS, rows=rows)
        target._insert(
            db, "stream_head", columns=STREAM_COLUMNS, rows=sorted(tips), more=STREAM_MOVES
        )
        target._run(
            db,
            "UPDATE log_head SET size = ?, frontier = ? WHERE log_id = ?",
            (size, joined(frontier), log_id),
        )

    def _leaves(self, log_id: str, start: int, limit: int) -> list[bytes]:
        rows = self._source._run(
            self._read,
            "SELECT leaf_hash FROM event WHERE log_id = ? AND global_position >= ?"
            " ORDER BY global_position LIMIT ?",
            (log_id, start, limit),
        ).fetchall()
        return [bytes(leaf) for (leaf,) in self._some(rows, log_id, start)]

    def _page(self, log_id: str, start: int, limit: int) -> list[Row]:
        rows = self._source._run(
            self._read,
            f"SELECT {', '.join(EVENT_COLUMNS)} FROM event"
            " WHERE log_id = ? AND global_position >= ? ORDER BY global_position LIMIT ?",
            (log_id, start, limit),
        ).fetchall()
        return self._some(rows, log_id, start)

    @staticmethod
    def _some(rows: list[Row], log_id: str, start: int) -> list[Row]:
        if not rows:
            raise Damaged(f"log {log_id} has no entry {start}: run `tabularium fsck`")
        return rows

    def _disclosures(self, log_id: str) -> None:
        """Both sides in one order: what is missing is added, what is too much was erased."""
        behind = (_FIRST, "")
        while True:
            page = _rows(self._source, self._read, DISCLOSURES, log_id, after=behind)
            # Up to the end of this page, or everything that is left.
            end = _key(DISCLOSURES, page[-1]) if len(page) == PAGE else None
            with self._writing() as db:
                here = list(self._between(db, log_id, behind, end))
                there = {_key(DISCLOSURES, row) for row in page}
                known = {_key(DISCLOSURES, row) for row in here}
                gone = [key for key in known if key not in there]
                for position, commitment in gone:
                    self._target._run(
                        db,
                        "DELETE FROM disclosure"
                        " WHERE log_id = ? AND global_position = ? AND commitment = ?",
                        (log_id, position, commitment),
                    )
                self._erased += len(gone)
                rows = [row for row in page if _key(DISCLOSURES, row) not in known]
                if rows:
                    self._target._insert(db, "disclosure", columns=DISCLOSURE_COLUMNS, rows=rows)
            if end is None:
                return
            behind = end

    def _between(self, db: Connection, log_id: str, behind: Row, end: Row | None) -> Iterator[Row]:
        while page := _rows(self._target, db, DISCLOSURES, log_id, after=behind):
            for row in page:
                if end is not None and _key(DISCLOSURES, row) > end:
                    return
                yield row
            behind = _key(DISCLOSURES, page[-1])

    def _rows(self, table: Table, log_id: str) -> None:
        """Rows that are only ever added; of those that are there already, none is changed."""
        behind: Row = tuple(_KINDS[table.columns[one]] for one in table.key)
        while page := _rows(self._source, self._read, table, log_id, after=behind):
            with self._writing() as db:
                known = {
                    _key(table, row): row
                    for row in _rows(self._target, db, table, log_id, after=behind)
                }
                fresh = []
                for row in page:
                    found = known.get(_key(table, row))
                    if found is None:
                        fresh.append(row)
                    elif list(map(_plain, found)) != list(map(_plain, row)):
                        raise Unverified(f"log {log_id}: another {table.name} row is there")
                if fresh:
                    self._target._insert(db, table.name, columns=table.columns, rows=fresh)
            behind = _key(table, page[-1])

    def _cursors(self, log_id: str) -> None:
        rows = self._source._run(
            self._read,
            f"SELECT {', '.join(CURSOR_COLUMNS)} FROM device_cursor WHERE log_id = ?",
            (log_id,),
        ).fetchall()
        if rows:
            with self._writing() as db:
                self._target._insert(
                    db, "device_cursor", columns=CURSOR_COLUMNS, rows=rows, more=CURSOR_MOVES
                )

    def _tell(self, count: int) -> None:
        self._done += count
        if self._moved is not None:
            self._moved(self._done, self._total)


def _rows(store: SqlCopying, db: Connection, table: Table, log_id: str, *, after: Row) -> list[Row]:
    """The next page of a table, in the order of its key."""
    key = ", ".join(table.key)
    marks = ", ".join("?" * len(table.key))
    rows: list[Row] = store._run(
        db,
        f"SELECT {', '.join(table.columns)} FROM {table.name}"
        f" WHERE log_id = ? AND ({key}) > ({marks}) ORDER BY {key} LIMIT {PAGE}",
        (log_id, *after),
    ).fetchall()
    return rows


def _key(table: Table, row: Row) -> Row:
    names = list(table.columns)
    return tuple(row[names.index(one)] for one in table.key)


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview | bytearray) else value
