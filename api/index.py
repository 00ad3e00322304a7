"""Cross-match lists: a cache with a cursor, dropped and rebuilt, never migrated, never a truth.

The index lies in a small SQLite file of its own (or in memory), so that it never competes with the
ledger's one writer. It holds no personal value, only commitments: a name is opened when a list is
shown, and an erased one is gone from every list at once. Who played several matches is told by a
keyed hash of the name, under a key that is thrown away with the index. Each log has a cursor, moved
in the same transaction as the rows; folding an entry twice gives the same rows.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import sqlite3
import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from api.reading import Reading, publicity_of, received_at
from events.catalogue import read
from events.envelope import TOURNAMENT_STREAM, StoredEvent
from events.errors import Damaged
from events.payloads.match import MatchOpened, Player
from events.payloads.tournament import TournamentOpened
from events.personal import opened
from events.store.address import FileAddress, parse_address
from events.store.protocol import EventStore
from projections.replay import Replay

INDEX_VERSION = 6
"""Raised with every change of the rows; another version in the file means: build it anew."""

_SCHEMA = """
CREATE TABLE meta (version INTEGER NOT NULL, secret BLOB NOT NULL) STRICT;
CREATE TABLE cursor (log_id TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE match (
  log_id TEXT NOT NULL, stream_id TEXT NOT NULL, opened_at INTEGER NOT NULL,
  version INTEGER NOT NULL, length INTEGER, score_one INTEGER NOT NULL, score_two INTEGER NOT NULL,
  games INTEGER NOT NULL, state TEXT NOT NULL, winner TEXT, is_public INTEGER NOT NULL,
  delay_ms INTEGER NOT NULL, findings INTEGER NOT NULL, questions INTEGER NOT NULL,
  rule_set TEXT, names TEXT NOT NULL, event TEXT, date TEXT, source TEXT, round TEXT,
  news INTEGER NOT NULL, news_ms INTEGER NOT NULL,
  PRIMARY KEY (log_id, stream_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX match_by_order ON match (log_id, opened_at);
CREATE INDEX match_public ON match (log_id, opened_at) WHERE is_public;
CREATE INDEX match_live ON match (log_id, opened_at)
  WHERE is_public AND (state = 'live' AND source IS NULL OR delay_ms > 0);
CREATE INDEX match_news ON match (news_ms + delay_ms, log_id, opened_at) WHERE is_public;
CREATE INDEX match_news_of ON match (log_id, news_ms + delay_ms, opened_at) WHERE is_public;
CREATE INDEX match_news_live ON match (news_ms + delay_ms, log_id, opened_at)
  WHERE is_public AND state = 'live' AND source IS NULL;
CREATE INDEX match_late ON match (log_id, state, news_ms + delay_ms)
  WHERE is_public AND delay_ms > 0 AND source IS NULL;
CREATE INDEX match_recorded ON match (log_id, opened_at) WHERE source IS NULL;
CREATE INDEX match_by_id ON match (stream_id);

CREATE TABLE log (
  log_id TEXT PRIMARY KEY, title TEXT, public INTEGER NOT NULL DEFAULT 0,
  live INTEGER NOT NULL DEFAULT 0, news_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX log_public ON log (live > 0, news_ms, log_id) WHERE public > 0;
CREATE TRIGGER match_added AFTER INSERT ON match WHEN new.is_public BEGIN
  INSERT INTO log (log_id, public, live, news_ms)
    VALUES (new.log_id, 1, new.state = 'live' AND new.source IS NULL AND new.delay_ms = 0,
      new.news_ms)
    ON CONFLICT (log_id) DO UPDATE SET public = public + 1, live = live + excluded.live,
      news_ms = max(news_ms, excluded.news_ms);
END;
CREATE TRIGGER match_changed AFTER UPDATE OF is_public, state, news_ms, delay_ms ON match
  WHEN old.is_public OR new.is_public BEGIN
  INSERT INTO log (log_id) VALUES (new.log_id) ON CONFLICT DO NOTHING;
  UPDATE log SET public = public + new.is_public - old.is_public,
    live = live
      + (new.is_public AND new.state = 'live' AND new.source IS NULL AND new.delay_ms = 0)
      - (old.is_public AND old.state = 'live' AND old.source IS NULL AND old.delay_ms = 0),
    news_ms = CASE WHEN old.is_public AND new.delay_ms > 0 THEN news_ms
      ELSE max(news_ms, new.news_ms) END
    WHERE log_id = new.log_id;
END;
CREATE TRIGGER match_gone AFTER DELETE ON match BEGIN
  UPDATE log SET public = public - old.is_public, live = live
      - (old.is_public AND old.state = 'live' AND old.source IS NULL AND old.delay_ms = 0)
    WHERE log_id = old.log_id;
  DELETE FROM player WHERE log_id = old.log_id AND stream_id = old.stream_id;
END;

CREATE TABLE player (
  log_id TEXT NOT NULL, stream_id TEXT NOT NULL, sd TEXT NOT NULL, person BLOB NOT NULL,
  since_ms INTEGER NOT NULL, PRIMARY KEY (log_id, stream_id, sd)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_matches ON player (person, since_ms, log_id, stream_id);
CREATE TABLE person (person BLOB PRIMARY KEY, matches INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX person_by_matches ON person (matches, person);
CREATE TRIGGER player_added AFTER INSERT ON player BEGIN
  INSERT INTO person VALUES (new.person, 1)
    ON CONFLICT (person) DO UPDATE SET matches = matches + 1;
END;
CREATE TRIGGER player_gone AFTER DELETE ON player BEGIN
  UPDATE person SET matches = matches - 1 WHERE person = old.person;
  DELETE FROM person WHERE person = old.person AND matches = 0;
END;
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
    round: str | None
    """Commitment to the round."""
    news: int
    """Version at which it last made news: opened, ended, released to the public."""
    news_ms: int = 0
    """When that was received, in ms since 1970 UTC; the index knows it of public matches alone."""


class LogRow(msgspec.Struct, frozen=True):
    """One log with public matches."""

    log_id: str
    """Its id."""
    title: str | None
    """What its tournament is called."""
    public: int
    """How many of its matches are public."""
    live: int
    """How many of those are being played and shown at once: an import that breaks off is not."""
    news_ms: int
    """When one of them last made news; of those with a delay, only that they were shown counts."""
    late: int = 0
    """How many are being played as far as the public, behind the table, knows by now."""


class PersonRow(msgspec.Struct, frozen=True):
    """Somebody whose name stands in public matches, without the name."""

    person: bytes
    """A keyed hash of the name, as it is spelled."""
    matches: int
    """In how many public matches it stands that may be seen by now."""


class PlayedRow(msgspec.Struct, frozen=True):
    """One match of somebody."""

    person: bytes
    """Whose."""
    since_ms: int
    """When the match could first be seen."""
    log_id: str
    """Its log."""
    stream_id: str
    """Its stream."""
    sd: str
    """The commitment to the name in it."""


State = Literal["live", "ended"]

_log = logging.getLogger(__name__)


class _Told:
    """What the store discloses of some rows: two look-ups a log, however many rows there are."""

    def __init__(self, store: EventStore, rows: Sequence[tuple[MatchRow, int]]) -> None:
        self._contexts: dict[tuple[str, int], Sequence[bytes]] = {}
        self._names: dict[tuple[str, str], bytes] = {}
        for log_id in {row.log_id for row, _ in rows}:
            own = [(row, place) for row, place in rows if row.log_id == log_id]
            places = {place for row, news in own for place in (row.opened_at, news)}
            for place, raws in store.disclosures_of(log_id, sorted(places)).items():
                self._contexts[log_id, place] = raws
            names = {sd for row, _ in own for side in row.names for sd in side}
            for sd, raw in store.disclosures(log_id, sorted(names)).items():
                self._names[log_id, sd] = raw

    def received(self, log_id: str, place: int) -> int:
        """When an entry was received; 0 once that is erased."""
        return received_at(self._contexts.get((log_id, place), ())) or 0

    def name(self, log_id: str, sd: str) -> str | None:
        """The name behind a commitment; None if it is withheld or erased."""
        raw = self._names.get((log_id, sd))
        return None if raw is None else str(opened(raw)[2])


class MatchIndex:
    """Lists of matches over one store; catches up when it is asked."""

    def __init__(self, store: EventStore, reading: Reading, *, path: Path | None = None) -> None:
        self._store = store
        self._reading = reading
        self._gate = threading.RLock()
        self._db = _open(path)
        self._secret: bytes = self._db.execute("SELECT secret FROM meta").fetchone()[0]

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

    def took_all(self, log_id: str, rows: Sequence[MatchRow]) -> None:
        """Put in place the rows of matches that were just appended whole, one behind the other.

        The cursor moves behind them if it stood before them; else `catch_up` takes them in again.
        """
        begins = min(row.opened_at for row in rows)
        ends = max(row.opened_at + row.version for row in rows)
        is_whole = ends - begins == sum(row.version for row in rows)
        with self._gate, self._db:
            # They were appended whole, so the place of each entry is known.
            self._put([(row, row.opened_at + row.news - 1) for row in rows])
            self._db.execute(
                "UPDATE cursor SET position = ? WHERE log_id = ? AND position = ? AND ?",
                (ends, log_id, begins, is_whole),
            )

    def _take(self, log_id: str, position: int) -> int:
        """Take in one page of the log; the position after it."""
        touched: dict[str, int] = {}
        end = position
        title = None
        for row in self._store.read_log(log_id, start=position, limit=5_000):
            end = row.global_position + 1
            if row.stream_id != TOURNAMENT_STREAM:
                touched.setdefault(row.stream_id, row.global_position)
            elif row.tag == "tournament.opened":
                title = _title_of(row)
        with self._db:
            if title is not None:
                self._db.execute(
                    "INSERT INTO log (log_id, title) VALUES (?1, ?2) "
                    "ON CONFLICT (log_id) DO UPDATE SET title = ?2",
                    (log_id, title),
                )
            for stream_id, first in touched.items():
                try:
                    live = self._reading.live(log_id, stream_id)
                    recorded = live.recorded
                    row_now = row_of(log_id, stream_id, recorded[0].global_position, live.replay)
                    self._put([(row_now, recorded[row_now.news - 1].global_position)])
                except Exception:
                    # One match that cannot be read must not take the list of all others with it.
                    _log.exception("match %s of log %s cannot be listed", stream_id, log_id)
                    self._put([(_damaged(log_id, stream_id, first), first)])
            self._db.execute(
                "INSERT INTO cursor VALUES (?, ?) ON CONFLICT (log_id) DO UPDATE SET position = ?",
                (log_id, end, end),
            )
        return end

    def _put(self, rows: Sequence[tuple[MatchRow, int]]) -> None:
        """Put rows in place, each with the global position of the entry that last made news."""
        fresh = {id(row) for row, _ in rows if row.is_public and self._is_news(row)}
        told = _Told(self._store, [one for one in rows if id(one[0]) in fresh])
        for row, place in rows:
            if id(row) in fresh:
                news_ms = told.received(row.log_id, place)
                self._put_row(msgspec.structs.replace(row, news_ms=news_ms), keeps_news=False)
                self._put_players(row, told)
                continue
            self._put_row(row, keeps_news=row.is_public)
            if not row.is_public:
                self._drop_players(row.log_id, row.stream_id)

    def _is_news(self, row: MatchRow) -> bool:
        """Whether a public match says anything that its row does not have: an entry rarely does."""
        known = self._db.execute(
            "SELECT is_public, delay_ms, news, names FROM match WHERE log_id = ? AND stream_id = ?",
            (row.log_id, row.stream_id),
        ).fetchone()
        return known is None or tuple(known) != (1, row.delay_ms, row.news, _names_text(row))

    def _put_row(self, row: MatchRow, *, keeps_news: bool) -> None:
        values = msgspec.to_builtins(row)
        values["names"] = _names_text(row)
        self._db.execute(_PUT_KEEPING if keeps_news else _PUT, values)

    def _put_players(self, row: MatchRow, told: _Told) -> None:
        """Who plays in a public match, as far as that is disclosed."""
        self._drop_players(row.log_id, row.stream_id)
        since_ms = told.received(row.log_id, row.opened_at) + row.delay_ms
        for sd in dict.fromkeys(sd for side in row.names for sd in side):
            name = told.name(row.log_id, sd)
            if name is not None:
                self._db.execute(
                    "INSERT INTO player (log_id, stream_id, sd, person, since_ms) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (row.log_id, row.stream_id, sd, self.person_of(name), since_ms),
                )

    def _drop_players(self, log_id: str, stream_id: str) -> None:
        self._db.execute(
            "DELETE FROM player WHERE log_id = ? AND stream_id = ?", (log_id, stream_id)
        )

    def person_of(self, name: str) -> bytes:
        """What stands for a name, as it is spelled."""
        return hmac.digest(self._secret, name.encode("utf-8", "surrogatepass"), "sha256")[:16]

    def matches(
        self,
        log_id: str | None = None,
        *,
        after: tuple[str, int] | None = None,
        limit: int = 50,
        public_only: bool = False,
        also: Collection[str] = (),
        newest_first: bool = False,
        state: State | None = None,
        recorded_only: bool = False,
    ) -> list[MatchRow]:
        """Matches in the order in which they were opened, log by log; those behind `after`.

        `after` is (log id, opened_at) of the last row of the page before. `public_only` leaves out
        matches that are not public, but for the streams named by `also`. `newest_first` turns the
        whole order round. `state` leaves those in for which it may be true: a match with a delay
        is another one for the public. `recorded_only` leaves out what was imported.
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
        if state is not None:
            where.append(_MAY_BE[state])
        if recorded_only:
            where.append("source IS NULL")
        parameters.append(limit)
        order = "log_id DESC, opened_at DESC" if newest_first else "log_id, opened_at"
        sql = f"SELECT * FROM match WHERE {' AND '.join(where)} ORDER BY {order} LIMIT ?"
        with self._gate:
            return [_match_row(row) for row in self._db.execute(sql, parameters)]

    def news(
        self, log_id: str | None = None, *, now_ms: int, limit: int = 50, live_only: bool = False
    ) -> list[MatchRow]:
        """Public matches that last began, ended or were released, the newest first.

        Before them those, as many again, whose last news the public, behind the table, must not
        know yet: what it was before is for the caller to find out.
        """
        where = ["is_public"]
        parameters: list[str | int] = []
        if log_id is not None:
            where.append("log_id = ?")
            parameters.append(log_id)
        late, due = [*where, f"{_DUE} > ?"], [*where, f"{_DUE} <= ?"]
        if live_only:
            late.append("source IS NULL")
            due.append("state = 'live' AND source IS NULL")
        rows: list[MatchRow] = []
        with self._gate:
            for wanted in (late, due):
                sql = (
                    f"SELECT * FROM match WHERE {' AND '.join(wanted)} "
                    f"ORDER BY {_DUE} DESC, log_id DESC, opened_at DESC LIMIT ?"
                )
                found = self._db.execute(sql, [*parameters, now_ms, limit])
                rows += [_match_row(row) for row in found]
        return rows

    def match(self, log_id: str, stream_id: str) -> MatchRow | None:
        """One match's row; None if the index has none."""
        sql = "SELECT * FROM match WHERE log_id = ? AND stream_id = ?"
        with self._gate:
            row = self._db.execute(sql, (log_id, stream_id)).fetchone()
        return None if row is None else _match_row(row)

    def log(self, log_id: str) -> LogRow | None:
        """One log; None if the index has none."""
        sql = "SELECT * FROM log WHERE log_id = ?"
        with self._gate:
            row = self._db.execute(sql, (log_id,)).fetchone()
        return None if row is None else msgspec.convert(dict(row), LogRow)

    def public_logs(
        self, *, now_ms: int, after: tuple[int, int, str] | None = None, limit: int = 50
    ) -> list[LogRow]:
        """Logs with public matches: first those in which one is live, then by their news.

        `after` is (1 if one is live else 0, news_ms, log id) of the last row of the page before.
        What the public must not know yet has no part in the order.
        """
        where = "public > 0"
        parameters: list[int | str] = [now_ms]
        if after is not None:
            where += " AND (live > 0, news_ms, log_id) < (?, ?, ?)"
            parameters += after
        # By name: left to itself, it would walk through all the matches of a log.
        late = (
            "SELECT count(*) FROM match INDEXED BY match_late WHERE is_public AND delay_ms > 0 "
            "AND source IS NULL AND match.log_id = log.log_id"
        )
        sql = (
            f"SELECT log.*, ({late} AND state = 'live') "
            f"+ ({late} AND state = 'ended' AND {_DUE} > ?) AS late "
            f"FROM log WHERE {where} "
            "ORDER BY live > 0 DESC, news_ms DESC, log_id DESC LIMIT ?"
        )
        with self._gate:
            found = self._db.execute(sql, (*parameters, limit)).fetchall()
        return [msgspec.convert(dict(row), LogRow) for row in found]

    def persons(
        self, *, now_ms: int, after: tuple[int, bytes] | None = None, limit: int = 50
    ) -> list[tuple[int, PersonRow]]:
        """Who stands in public matches, most matches first, each behind the number it is listed by.

        `after` is (that number, person) of the last row of the page before. Matches that may be
        seen only later are listed by, but not counted: somebody with no other one has 0.
        """
        where = "1"
        parameters: tuple[int | bytes, ...] = ()
        if after is not None:
            where, parameters = "(matches, person) < (?, ?)", after
        sql = (
            f"SELECT person, matches, (SELECT count(*) FROM player WHERE person = "
            f"outside.person AND since_ms > ?) AS later FROM person AS outside WHERE {where} "
            "ORDER BY matches DESC, person DESC LIMIT ?"
        )
        with self._gate:
            found = self._db.execute(sql, (now_ms, *parameters, limit)).fetchall()
        return [(row[1], PersonRow(row[0], row[1] - row[2])) for row in found]

    def played(
        self,
        person: bytes,
        *,
        now_ms: int,
        after: tuple[int, str, str] | None = None,
        limit: int = 50,
    ) -> list[PlayedRow]:
        """Somebody's public matches that may be seen by now, the newest first.

        `after` is (since_ms, log id, stream id) of the last row of the page before.
        """
        before = (now_ms, "\U0010ffff", "") if after is None else min(after, (now_ms + 1, "", ""))
        sql = (
            "SELECT person, since_ms, log_id, stream_id, sd FROM player WHERE person = ? "
            "AND (since_ms, log_id, stream_id) < (?, ?, ?) "
            "ORDER BY since_ms DESC, log_id DESC, stream_id DESC LIMIT ?"
        )
        with self._gate:
            found = self._db.execute(sql, (person, *before, limit)).fetchall()
        return [msgspec.convert(dict(row), PlayedRow) for row in found]

    def forget(self, rows: Iterable[PlayedRow]) -> None:
        """Names that turned out to be erased: whoever had them is in no list any more."""
        with self._gate, self._db:
            self._db.executemany(
                "DELETE FROM player WHERE log_id = ? AND stream_id = ? AND sd = ?",
                [(row.log_id, row.stream_id, row.sd) for row in rows],
            )

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
        if public_only:
            found = self.log(log_id)
            return 0 if found is None else found.public
        with self._gate:
            rows = self._db.execute("SELECT count(*) FROM match WHERE log_id = ?", (log_id,))
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
        round=None,
        news=1,
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
        round=None if opened is None or opened.round is None else opened.round.sd,
        news=_news(shown),
    )


def _news(shown: Replay) -> int:
    """The version at which a match last made news."""
    news, outcome = 1, shown.state.judged.outcome
    for step in shown.steps:
        if step.event.tag in _NEWS:
            news = step.event.version
    return max(news, outcome.version) if not outcome.is_open else news


_NEWS = frozenset({"match.ended", "publication.released"})


def _names(opened: MatchOpened | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def side(players: tuple[Player, ...]) -> tuple[str, ...]:
        return tuple(player.name.sd for player in players if player.name is not None)

    return ((), ()) if opened is None else (side(opened.players.one), side(opened.players.two))


def _names_text(row: MatchRow) -> str:
    return msgspec.json.encode(row.names).decode()


def _title_of(row: StoredEvent) -> str | None:
    """What a tournament is called, by its first entry; None if this program cannot read that."""
    payload = read(row).payload
    return payload.title if isinstance(payload, TournamentOpened) else None


_DUE = "match.news_ms + match.delay_ms"
"""When the public may know of a match's last news; as the indexes have it."""

_COLUMNS = MatchRow.__struct_fields__
_KEY = ("log_id", "stream_id")


def _put_sql(*, kept: tuple[str, ...] = ()) -> str:
    """A row put in place of the one that is there, but for the columns that are kept."""
    changed = [column for column in _COLUMNS if column not in (*_KEY, *kept)]
    return (
        f"INSERT INTO match ({', '.join(_COLUMNS)}) "
        f"VALUES ({', '.join(':' + column for column in _COLUMNS)}) "
        "ON CONFLICT (log_id, stream_id) DO UPDATE SET "
        + ", ".join(f"{column} = excluded.{column}" for column in changed)
    )


_PUT = _put_sql()
_PUT_KEEPING = _put_sql(kept=("news_ms",))

# Word by word as in the indexes that serve them.
_MAY_BE: dict[State, str] = {
    "live": "(state = 'live' AND source IS NULL OR delay_ms > 0)",
    "ended": "(state <> 'live' OR source IS NOT NULL OR delay_ms > 0)",
}


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
            db.execute("INSERT INTO meta VALUES (?, ?)", (INDEX_VERSION, secrets.token_bytes(32)))
    except BaseException:
        db.close()
        raise
    return db
