"""How an index catches up with the ledger: a cursor for each log, and nobody held up by it."""

from __future__ import annotations

import abc
import contextlib
import functools
import logging
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, Protocol

from api.archive.index.apart import Apart, Paged, PageOf
from api.archive.index.file import LISTS, Tables, in_memory, is_damage, open_index
from api.archive.reading import Reading
from events.errors import Damaged, StoreBusy
from events.store.protocol import EventStore
from projections.rules.sentences import mark_of

_log = logging.getLogger(__name__)

_TAKES_NOTHING = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
}
"""What a disk says that is full, or fails."""


class IndexBehind(StoreBusy):
    """An index is far behind the ledger and being rebuilt, for which nobody waits."""


class Gate:
    """The lock around the connection of an index; a thread may take it more than once.

    Damage found while it is held is reported as an index being rebuilt: no data of the archive is
    lost, and the next call to catch up rebuilds it.
    """

    def __init__(self, what: str) -> None:
        self.is_damaged = False
        """Whether damage was found in the file."""
        self._what = what
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.is_damaged = self.is_damaged or is_damage(error)
        self._lock.release()
        if is_damage(error):
            raise IndexBehind(
                f"{self._what} beside the archive were damaged, and are made anew from it:"
                " ask once more"
            ) from error


class Part(Protocol):
    """A part of an index that asks its connection by itself."""

    db: sqlite3.Connection


class CatchingUp(abc.ABC, Generic[Paged]):
    """An index over one store, in a file (or memory) of its own; catches up when it is asked."""

    what: str
    """What it is called where somebody has to wait for it."""
    of_log: tuple[str, ...]
    """Tables that hold what was read of a log."""
    tables: Tables = LISTS
    """What is in its file."""

    def __init__(
        self,
        store: EventStore,
        reading: Reading,
        path: Path | None,
        page_of: PageOf[Paged],
    ) -> None:
        self._store = store
        self._reading = reading
        self._place = path
        self._db = self._opened()
        # One that nobody closes, of an app that was never begun, lets go of its file with itself.
        weakref.finalize(self, self._db.close).atexit = False
        self._page_of = page_of
        """Reads one page of a log: from the ledger alone, so that any process can."""
        self._gate = Gate(self.what)
        """Held by whoever uses the connection."""
        self.patience: int | None = None
        """Entries that a caller of `catch_up` waits for; None = for all, as commands do."""
        self._turns: dict[str, threading.Lock] = {}
        """Log to who takes it in: one at a time."""
        self.url: str | None = None
        """Where a process of its own finds the ledger, to read what is far behind; None = nowhere,
        and it is read in a thread of this one."""
        self._beside: threading.Thread | None = None
        self._apart: Apart[Paged] | None = None
        self._is_closed = False
        self._is_compared = False
        """Whether the file was checked to be about these logs."""
        self._has_file = True
        self._parts: tuple[Part, ...] = ()
        """What else asks the same connection."""

    @abc.abstractmethod
    def _put_page(self, log_id: str, page: Paged) -> None:
        """Store one page of the log and advance the cursor; the gate is held."""

    @abc.abstractmethod
    def _judge_anew(self) -> None:
        """Rebuild what depends on rule texts, if others are loaded now."""

    def _opened(self, *, anew: bool = False) -> sqlite3.Connection:
        return open_index(self._place, mark_of(self._reading.in_hand), self.tables, anew=anew)

    def _begun(self) -> None:
        """Give the connection that was just opened to everything that uses it."""

    def _renew(self) -> None:
        """If damage was found, start with an empty file and read everything from the ledger."""
        with self._gate:
            if self._gate.is_damaged:
                _log.warning("%s were damaged, and are made anew", self.what)
                self._open_again(anew=True)

    def _open_again(self, *, anew: bool) -> None:
        """Go on with the file that lies at its place now; the gate is held."""
        self._db.close()
        self._db = self._opened(anew=anew)
        self._is_compared = self._gate.is_damaged = False
        self._begun()

    def catch_up(self, log_ids: Iterable[str] | None = None) -> None:
        """Take in everything that was recorded since the cursors.

        It blocks nobody else: matches are folded before the gate is taken, and each log has its own
        turn. If `patience` is set and there is more to read, reading continues in the background.
        Errors: LedgerError; IndexBehind where it continues without this caller.
        """
        self._lasting(lambda: self._caught_up(log_ids))

    def _lasting(self, work: Callable[[], None]) -> None:
        """Do the work; if the disk is full or fails, continue with an index in memory.

        The ledger may lie on another disk, and lists can do without this file. A damaged file is
        replaced first.
        """
        self._renew()
        try:
            work()
        except IndexBehind:
            if not self._gate.is_damaged:
                raise
            self._renew()
            work()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _TAKES_NOTHING:
                raise
            self._leave_file(error)
            work()

    def _leave_file(self, error: sqlite3.Error) -> None:
        """Hold in memory what is in the file, which stays behind as it is. Errors: sqlite3.Error"""
        with self._gate:
            if self._has_file:
                made = in_memory()
                self._db.backup(made)
                left, self._db = self._db, made
                for part in self._parts:
                    part.db = made
                left.close()
                self._has_file = False
                _log.warning("%s are kept in memory until the next start: %s", self.what, error)

    def _caught_up(self, log_ids: Iterable[str] | None) -> None:
        self._judge_anew()
        self._compare()
        wanted = None if log_ids is None else set(log_ids)
        behind = self._behind(wanted)
        if self.patience is not None and sum(behind.values()) > self.patience:
            self._begin_beside()
            raise IndexBehind(
                f"{self.what} are being made: {sum(behind.values()):,} entries are still to be read"
            )
        for log_id in behind:
            self._take_all(log_id)

    def _compare(self) -> None:
        """Forget what another archive has left in the file, once: it lay at this place before."""
        if self._is_compared:
            return
        with self._gate:
            known = {log_id for (log_id,) in self._db.execute("SELECT log_id FROM cursor")}
            reached = self._db.execute("SELECT log_id, position, leaf FROM reached").fetchall()
        strange = known - {head.log_id for head in self._store.logs()}
        for log_id, position, leaf in reached:
            if log_id not in strange:
                found = self._store.leaf_hashes(log_id, start=position - 1, limit=1)
                strange |= set() if found == [leaf] else {log_id}
        with self._gate, self._db:
            for log_id in strange:
                self._forget(log_id)
        self._is_compared = True

    def _forget(self, log_id: str) -> None:
        """Leave nothing of a log, in the transaction that is open."""
        for table in (*self.of_log, "cursor", "reached"):
            self._db.execute(f"DELETE FROM {table} WHERE log_id = ?", (log_id,))

    def _behind(self, wanted: set[str] | None) -> dict[str, int]:
        """Log to the entries of it that have not been taken in, where there are any."""
        # The cursors first: read after the heads, they could be ahead of them only because
        # another process (a server beside this command) had gone on in between.
        with self._gate:
            cursors = dict(self._db.execute("SELECT log_id, position FROM cursor").fetchall())
        return {
            head.log_id: abs(head.size - cursors.get(head.log_id, 0))
            for head in self._store.logs()
            if (wanted is None or head.log_id in wanted)
            and head.size != cursors.get(head.log_id, 0)
        }

    def _take_all(self, log_id: str) -> None:
        with self._gate:
            turn = self._turns.setdefault(log_id, threading.Lock())
        with turn:
            with self._gate:
                found = self._db.execute("SELECT position FROM cursor WHERE log_id = ?", (log_id,))
                row = found.fetchone()
            position = 0 if row is None else int(row[0])
            size = self._store.log_head(log_id).size
            if position > size:
                # Another archive lay at this place: nothing in the index is to be trusted.
                with self._gate, self._db:
                    self._forget(log_id)
                position = 0
            while position < size and not self._is_closed:
                taken = self._take(log_id, position)
                if self._is_closed:
                    return
                if taken == position:
                    raise Damaged(
                        f"log {log_id} ends at entry {position}, and its head says "
                        f"{size}: run `tabularium fsck`"
                    )
                position = taken

    def _take(self, log_id: str, position: int) -> int:
        """Take in one page of the log; the position after it."""
        apart = self._apart if threading.current_thread() is self._beside else None
        while True:
            in_hand = self._reading.in_hand
            page = None if apart is None else apart.page(in_hand, log_id, position)
            if page is None:
                if self._is_closed:
                    return position
                page = self._page_of(self._reading, log_id, position)
            with self._gate:
                # Else it was read with other rule texts than those that lie here by now.
                if self._reading.in_hand is in_hand:
                    self._put_page(log_id, page)
                    return page.end

    def _begin_beside(self) -> None:
        """Have what is behind taken in beside everything else, unless it is already.

        Folding lets no other thread of a process run, and tablets would wait for it: so another
        process folds, and here the rows are put in place, with the names that are disclosed then.
        """
        with self._gate:
            if self._is_closed or (self._beside is not None and self._beside.is_alive()):
                return
            self._apart = None if self.url is None else Apart(self.url, self._page_of)
            self._beside = threading.Thread(
                target=self._take_beside, name="tabularium-index", daemon=True
            )
            self._beside.start()

    def _take_beside(self) -> None:
        try:
            with contextlib.closing(self._apart) if self._apart else contextlib.nullcontext():
                for log_id in self._behind(None):
                    self._lasting(functools.partial(self._take_all, log_id))
        except Exception:
            if not self._is_closed:
                _log.exception("%s cannot be made", self.what)

    def _move_cursor(self, log_id: str, position: int) -> None:
        """A log is taken in up to here; in the transaction that is open."""
        self._db.execute(
            "INSERT INTO cursor VALUES (?, ?) ON CONFLICT (log_id) DO UPDATE SET position = ?",
            (log_id, position, position),
        )
        last = self._store.leaf_hashes(log_id, start=position - 1, limit=1) if position else []
        for leaf in last:
            row = (log_id, position, leaf)
            self._db.execute("INSERT OR REPLACE INTO reached VALUES (?, ?, ?)", row)

    @property
    def is_kept(self) -> bool:
        """Whether what is taken in is there at the next start: its file can be written to."""
        with self._gate:
            return bool(self._db.execute("PRAGMA database_list").fetchone()[2])

    def lag(self) -> int:
        """Entries of the ledger that have not been taken in yet. Errors: LedgerError."""
        return sum(self._behind(None).values())

    def close(self) -> None:
        """Let go of the file."""
        with self._gate:
            self._is_closed = True
        if self._apart is not None:
            # Whoever waits for its next page waits no longer.
            self._apart.close()
        if self._beside is not None:
            self._beside.join()
        with self._gate:
            self._db.close()
            if self._gate.is_damaged:
                # Else whoever opens it next would take it for whole.
                self._opened(anew=True).close()
