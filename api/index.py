"""Cross-match lists: a cache with a cursor, dropped and rebuilt, never migrated, never a truth.

The index lies in a small SQLite file of its own (or in memory), so that it never competes with the
ledger's one writer. It holds no personal value, only commitments: a name is opened when a list is
shown, and an erased one is gone from every list at once. Each log has a cursor, moved in the same
transaction as the rows; folding an entry twice gives the same rows.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from api.reading import Reading, publicity_of
from events.envelope import TOURNAMENT_STREAM
from events.errors import Damaged
from events.payloads.match import MatchOpened, Player
from events.store.address import FileAddress, parse_address
from events.store.protocol import EventStore
from projections.replay import Replay

INDEX_VERSION = 4
"""Raised with every change of the rows; another version in the file means: build it anew."""

_SCHEMA = """
CREATE TABLE meta (version INTEGER NOT NULL) STRICT;
CREATE TABLE cursor (log_id TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE match (
  log_id TEXT NOT NULL, stream_id TEXT NOT NULL, opened_at INTEGER NOT NULL,
  version INTEGER NOT NULL, length INTEGER, score_one INTEGER NOT NULL, score_two INTEGER NOT NULL,
  games INTEGER NOT NULL, state TEXT NOT NULL, winner TEXT, is_public INTEGER NOT NULL,
  delay_ms INTEGER NOT NULL, findings INTEGER NOT NULL, questions INTEGER NOT NULL,
  rule_set TEXT, names TEXT NOT NULL, event TEXT, date TEXT, source TEXT,
  PRIMARY KEY (log_id, stream_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX match_by_order ON match (log_id, opened_at);
CREATE INDEX match_public ON match (log_id, opened_at) WHERE is_public;
CREATE INDEX match_by_id ON match (stream_id);
"""


def index_file(url: str) -> Path | None:
    """Where the index of the archive at `url` lies: beside an SQLite file, else in memory."""
    address = parse_address(url)
    return (
        address.path.with_name(address.path.name + ".index")
        if isinstance(address, FileAddress)
        else None
    )


class MatchRow(msgspec.Struct, frozen=True):
    """One match in a list."""

    log_id: str
    """Its log."""
    stream_id: str
    """Its stream: the match id."""
    opened_at: int
    """Global position of its first entry: the order of lists."""
    version: int
    """Entries recorded."""
    length: int | None
    """Points needed to win; None = money."""
    score_one: int
    """Seat one's points, computed, uncapped."""
    score_two: int
    """Seat two's points."""
    games: int
    """Games that are over."""
    state: str
    """`live`; `ended` where somebody has won or the end was claimed; `damaged` if unreadable."""
    winner: str | None
    """Seat that has won; None while nobody has, and for money."""
    is_public: bool
    """Whether anybody may read it."""
    delay_ms: int
    """How far the public is behind the table, milliseconds."""
    findings: int
    """Irregularities and notes found."""
    questions: int
    """Questions that wait for a ruling."""
    rule_set: str | None
    """Rule set pinned; None = recorded under none."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Commitments to the players' names, seat by seat."""
    event: str | None
    """Commitment to the event's name."""
    date: str | None
    """Commitment to the day of the match."""
    source: str | None
    """Dialect of the file it was imported from."""


_log = logging.getLogger(__name__)


class MatchIndex:
    """Lists of matches over one store; catches up when it is asked."""

    def __init__(self, store: EventStore, reading: Reading, *, path: Path | None = None) -> None:
        self._store = store
        self._reading = reading
        self._gate = threading.RLock()
        self._db = _open(path)

    def catch_up(self, log_ids: Iterable[str] | None = None) -> None:
        """Take in everything that was recorded since the cursors. Errors: LedgerError."""
        with self._gate:
            # The cursors first: read after the heads, they could be ahead of them only because
            # another process (a server beside this command) had gone on in between.
            cursors = dict(self._db.execute("SELECT log_id, position FROM cursor").fetchall())
            heads = self._store.logs()
            if log_ids is not None:
                wanted = set(log_ids)
                heads = [head for head in heads if head.log_id in wanted]
            for head in heads:
                position = cursors.get(head.log_id, 0)
                if position > head.size:
                    # Another archive lay at this place: nothing in the index is to be trusted.
                    self._db.execute("DELETE FROM match WHERE log_id = ?", (head.log_id,))
                    position = 0
                while position < head.size:
                    taken = self._take(head.log_id, position)
                    if taken == position:
                        raise Damaged(
                            f"log {head.log_id} ends at entry {position}, and its head says "
                            f"{head.size}: run `tabularium fsck`"
                        )
                    position = taken

    def took(self, log_id: str, stream_id: str, opened_at: int, shown: Replay) -> None:
        """Put one match's row in place from a replay that is at hand; the cursor stays."""
        with self._gate, self._db:
            self._put(log_id, stream_id, opened_at, shown)

    def took_all(self, log_id: str, rows: Sequence[MatchRow]) -> None:
        """Put in place the rows of matches that were just appended whole, one behind the other.

        The cursor moves behind them if it stood before them; else `catch_up` takes them in again.
        """
        begins = min(row.opened_at for row in rows)
        ends = max(row.opened_at + row.version for row in rows)
        is_whole = ends - begins == sum(row.version for row in rows)
        with self._gate, self._db:
            for row in rows:
                self._put_row(row)
            self._db.execute(
                "UPDATE cursor SET position = ? WHERE log_id = ? AND position = ? AND ?",
                (ends, log_id, begins, is_whole),
            )

    def _take(self, log_id: str, position: int) -> int:
        """Take in one page of the log; the position after it."""
        touched: dict[str, int] = {}
        end = position
        for row in self._store.read_log(log_id, start=position, limit=5_000):
            end = row.global_position + 1
            if row.stream_id != TOURNAMENT_STREAM:
                touched.setdefault(row.stream_id, row.global_position)
        with self._db:
            for stream_id, first in touched.items():
                try:
                    live = self._reading.live(log_id, stream_id)
                    self._put(log_id, stream_id, live.recorded[0].global_position, live.replay)
                except Exception:
                    # One match that cannot be read must not take the list of all others with it.
                    _log.exception("match %s of log %s cannot be listed", stream_id, log_id)
                    self._put_row(_damaged(log_id, stream_id, first))
            self._db.execute(
                "INSERT INTO cursor VALUES (?, ?) ON CONFLICT (log_id) DO UPDATE SET position = ?",
                (log_id, end, end),
            )
        return end

    def _put(self, log_id: str, stream_id: str, opened_at: int, shown: Replay) -> None:
        self._put_row(row_of(log_id, stream_id, opened_at, shown))

    def _put_row(self, row: MatchRow) -> None:
        values = msgspec.to_builtins(row)
        values["names"] = msgspec.json.encode(row.names).decode()
        columns = list(values)
        self._db.execute(
            f"INSERT OR REPLACE INTO match ({', '.join(columns)}) "
            f"VALUES ({', '.join(':' + column for column in columns)})",
            {**values, "is_public": int(row.is_public)},
        )

    def matches(
        self,
        log_id: str | None = None,
        *,
        after: tuple[str, int] | None = None,
        limit: int = 50,
        public_only: bool = False,
        also: Collection[str] = (),
        newest_first: bool = False,
    ) -> list[MatchRow]:
        """Matches in the order in which they were opened, log by log; those behind `after`.

        `after` is (log id, opened_at) of the last row of the page before. `public_only` leaves out
        matches that are not public, but for the streams named by `also`. `newest_first` turns the
        whole order round.
        """
        where = ["1"]
        parameters: list[str | int] = []
        if log_id is not None:
            where.append("log_id = ?")
            parameters.append(log_id)
        if after is not None:
            where.append(f"(log_id, opened_at) {'<' if newest_first else '>'} (?, ?)")
            parameters += [after[0], after[1]]
        if public_only and also:
            marks = ", ".join("?" * len(also))
            where.append(f"(is_public OR stream_id IN ({marks}))")
            parameters.extend(also)
        elif public_only:
            # Alone, so that the index over public matches serves it.
            where.append("is_public")
        parameters.append(limit)
        order = "log_id DESC, opened_at DESC" if newest_first else "log_id, opened_at"
        sql = f"SELECT * FROM match WHERE {' AND '.join(where)} ORDER BY {order} LIMIT ?"
        with self._gate:
            return [_match_row(row) for row in self._db.execute(sql, parameters)]

    def find(self, beginning: str, *, log_id: str | None = None) -> list[tuple[str, str]]:
        """(log id, stream id) of at most ten matches whose id begins so."""
        sql = "SELECT log_id, stream_id FROM match WHERE stream_id >= ? AND stream_id < ?"
        parameters: list[Any] = [beginning, beginning + "\uffff"]
        if log_id is not None:
            sql += " AND log_id = ?"
            parameters.append(log_id)
        with self._gate:
            rows = self._db.execute(sql + " ORDER BY stream_id LIMIT 10", parameters).fetchall()
        return [(str(row[0]), str(row[1])) for row in rows]

    def count(self, log_id: str, *, public_only: bool = False) -> int:
        """How many matches a log holds."""
        sql = "SELECT count(*) FROM match WHERE log_id = ?"
        with self._gate:
            rows = self._db.execute(sql + (" AND is_public" if public_only else ""), (log_id,))
            return int(rows.fetchone()[0])

    def has_public(self, log_id: str) -> bool:
        """Whether a log holds a match that anybody may read."""
        sql = "SELECT EXISTS (SELECT 1 FROM match WHERE log_id = ? AND is_public)"
        with self._gate:
            return bool(self._db.execute(sql, (log_id,)).fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        with self._gate:
            self._db.close()


def _damaged(log_id: str, stream_id: str, opened_at: int) -> MatchRow:
    """The row of a match that cannot be read: it is listed, so that somebody looks at it."""
    return MatchRow(
        log_id=log_id,
        stream_id=stream_id,
        opened_at=opened_at,
        version=0,
        length=None,
        score_one=0,
        score_two=0,
        games=0,
        state="damaged",
        winner=None,
        is_public=False,
        delay_ms=0,
        findings=0,
        questions=0,
        rule_set=None,
        names=((), ()),
        event=None,
        date=None,
        source=None,
    )


def row_of(log_id: str, stream_id: str, opened_at: int, shown: Replay) -> MatchRow:
    """A match's row, by its replay."""
    score = shown.state.score
    opened = shown.opened
    publicity = publicity_of(shown)
    findings = shown.findings
    outcome = shown.state.judged.outcome
    return MatchRow(
        log_id=log_id,
        stream_id=stream_id,
        opened_at=opened_at,
        version=shown.version,
        length=score.length,
        score_one=score.score.one,
        score_two=score.score.two,
        games=len(score.games),
        state="live" if outcome.is_open and not score.has_ended else "ended",
        winner=None if outcome.winner is None else outcome.winner.value,
        is_public=publicity.is_public,
        delay_ms=publicity.delay_ms,
        findings=len(findings),
        questions=sum(
            finding.ruling_required is not None and finding.answered_by is None
            for finding in findings
        ),
        rule_set=None if opened is None else opened.rule_set,
        names=_names(opened),
        event=None if opened is None or opened.event is None else opened.event.sd,
        date=None if opened is None or opened.date is None else opened.date.sd,
        source=None if opened is None or opened.source is None else opened.source.dialect,
    )


def _names(opened: MatchOpened | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def side(players: tuple[Player, ...]) -> tuple[str, ...]:
        return tuple(player.name.sd for player in players if player.name is not None)

    return ((), ()) if opened is None else (side(opened.players.one), side(opened.players.two))


def _match_row(row: sqlite3.Row) -> MatchRow:
    values: dict[str, Any] = dict(row)
    values["names"] = msgspec.json.decode(
        values["names"], type=tuple[tuple[str, ...], tuple[str, ...]]
    )
    values["is_public"] = bool(values["is_public"])
    return msgspec.convert(values, MatchRow)


def _open(path: Path | None) -> sqlite3.Connection:
    """The index file, made anew where it is missing, of another version or damaged."""
    if path is not None:
        try:
            return _checked(_connect(str(path)))
        except sqlite3.OperationalError:
            # It cannot be opened or written to, or another process is making it at this moment:
            # the list is built in memory for this process, and that file is left alone.
            return _checked(_connect(":memory:"))
        except sqlite3.DatabaseError:
            with contextlib.suppress(OSError):
                for suffix in ("", "-journal"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
        with contextlib.suppress(sqlite3.DatabaseError):
            return _checked(_connect(str(path)))
    return _checked(_connect(":memory:"))


def _connect(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, check_same_thread=False, timeout=10)
    db.row_factory = sqlite3.Row
    return db


def _checked(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        # It can be rebuilt at any time: nothing of it is worth waiting for the disk.
        db.execute("PRAGMA synchronous=OFF")
        tables = db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").fetchone()
        if tables[0]:
            version = db.execute("SELECT version FROM meta").fetchone()
            if version is not None and version[0] == INDEX_VERSION:
                return db
            raise sqlite3.DatabaseError("another version of the index")
        db.executescript(_SCHEMA)
        with db:
            db.execute("INSERT INTO meta VALUES (?)", (INDEX_VERSION,))
    except BaseException:
        db.close()
        raise
    return db
