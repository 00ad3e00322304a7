"""The lists across matches: a cache with a cursor, dropped and rebuilt, never migrated.

The index lies in a small SQLite file of its own (or in memory), so that it never competes with the
ledger's one writer. It holds no personal value, only commitments: a name is opened when a list is
shown, and an erased one is gone from every list at once. Who played several matches is told by a
keyed hash of the name, under a key that is thrown away with the index. Each log has a cursor, moved
in the same transaction as the rows; folding an entry twice gives the same rows.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec

from api.archive.index.catching_up import CatchingUp
from api.archive.index.decided import DecidedIndex
from api.archive.index.pages import MatchPage, listed, match_page
from api.archive.index.players import PlayerIndex, Playing
from api.archive.index.rows import Known, LogRow, MatchRow, Stage, match_row
from api.archive.index.sql import (
    DUE,
    MAY_BE,
    PUT,
    PUT_KEEPING,
    State,
    names_text,
    put_values,
)
from api.archive.index.told import Told
from api.archive.reading import Reading
from events.personal import opened
from events.store.protocol import EventStore
from projections.rules.sentences import mark_of


class MatchIndex(CatchingUp[MatchPage]):
    """Lists of matches over one store; catches up when it is asked."""

    what = "the lists"
    of_log = ("match", "log", "counted")

    def __init__(
        self,
        store: EventStore,
        reading: Reading,
        *,
        path: Path | None = None,
        secret: bytes | None = None,
    ) -> None:
        super().__init__(store, reading, path, match_page)
        self._in_hand = reading.in_hand
        if secret is not None:
            # The key of another one, whose rows are to be compared with these.
            with self._db:
                self._db.execute("UPDATE meta SET secret = ?", (secret,))
        self.before: Callable[[int], int] | None = None
        """Delay to the moment by which an entry was received that everybody may know (`Lateness`);
        None where nobody asks for what the public knows."""
        self._begun()

    def _begun(self) -> None:
        self.players = PlayerIndex(self._db, self._gate, self._reading.opened_values)
        """Who plays in them."""
        self.decided = DecidedIndex(self._db, self._gate)
        """Those in which a director decided something."""
        self._parts = (self.players, self.decided)

    def took_all(self, log_id: str, rows: Sequence[MatchRow]) -> None:
        """Put in place the rows of matches that were just appended whole, one behind the other.

        The cursor moves behind them if it stood before them; else `catch_up` takes them in again.
        So it does with all where rule texts are loaded, for these rows were made without them, and
        with those of which the public comes to know later.
        """
        if self._reading.in_hand or any(row.delay_ms for row in rows):
            return
        begins = min(row.opened_at for row in rows)
        ends = max(row.opened_at + row.version for row in rows)
        is_whole = ends - begins == sum(row.version for row in rows)
        known = [
            (row, [Known(0, row.state, row.opened_at + row.news - 1, row.names)]) for row in rows
        ]

        def put() -> None:
            with self._gate, self._db:
                self._put(known)
                self._db.execute(
                    "UPDATE cursor SET position = ? WHERE log_id = ? AND position = ? AND ?",
                    (ends, log_id, begins, is_whole),
                )

        self._lasting(put)

    def _put_page(self, log_id: str, page: MatchPage) -> None:
        with self._db:
            if page.title is not None:
                self._db.execute(
                    "INSERT INTO log (log_id, title) VALUES (?, ?) "
                    "ON CONFLICT (log_id) DO UPDATE SET title = excluded.title",
                    (log_id, page.title),
                )
            self._put(page.rows)
            self._move_cursor(log_id, page.end)
        self.players.forget_names(log_id, page.gone)

    def _judge_anew(self) -> None:
        """Where other rule texts are in hand now: list the matches anew that they may change."""
        now, before = self._reading.in_hand, self._in_hand
        if now is before:
            return
        sets = [one for one in {*now, *before} if now.get(one) != before.get(one)]
        marks = ", ".join("?" * len(sets))
        with self._gate:
            found = self._db.execute(
                f"SELECT log_id, stream_id, opened_at FROM match WHERE rule_set IN ({marks})", sets
            ).fetchall()
        rows = [
            listed(self._reading, log_id, stream_id, opened_at)
            for log_id, stream_id, opened_at in found
        ]
        with self._gate, self._db:
            self._put(rows)
            self._db.execute("UPDATE meta SET in_hand = ?", (mark_of(now),))
        self._in_hand = now

    def _put(self, rows: Sequence[tuple[MatchRow, Sequence[Known]]]) -> None:
        """Put rows in place, each as the public knows it, and keep what it comes to know."""
        if not self._db.in_transaction:
            # Before it is read what stands: another process may be putting the same rows in place.
            self._db.execute("BEGIN IMMEDIATE")
        stands = self._standing([row for row, _ in rows])
        numbers = self._numbers([(row.log_id, row.stream_id) for row, _ in rows], stands)
        news = [
            row.is_public and _is_news(row, known.state, stands.get((row.log_id, row.stream_id)))
            for row, (known, *_) in rows
        ]
        told = Told(self._store, [one for one, is_news in zip(rows, news, strict=True) if is_news])
        put: list[list[Any]] = []
        keeping: list[list[Any]] = []
        coming: list[tuple[Any, ...]] = []
        playing: list[Playing] = []
        for (row, (known, *to_come)), is_news in zip(rows, news, strict=True):
            key = (row.log_id, row.stream_id)
            number = numbers[key]
            new = None if key in stands else number
            if key in stands:
                self._db.execute("DELETE FROM to_come WHERE log_id = ? AND stream_id = ?", key)
                if is_news or not row.is_public:
                    self.players.drop(number)
            if not is_news:
                into = keeping if row.is_public else put
                into.append(put_values(row, new, news_ms=row.news_ms, known=known.state))
                continue
            news_ms = told.received(row.log_id, known.news)
            put.append(put_values(row, new, news_ms=news_ms, known=known.state))
            since_ms = told.received(row.log_id, row.opened_at) + row.delay_ms
            names = told.names_of(row.log_id, known)
            playing.append(Playing(number, row.log_id, known.names, names, row.opened_at, since_ms))
            for one in to_come:
                received = told.received(row.log_id, one.news)
                coming.append((*key, one.due_ms, one.state, received, names_text(one.names)))
        # All of a page at once: a statement each would cost as much as what it does.
        self._db.executemany(PUT, put)
        self._db.executemany(PUT_KEEPING, keeping)
        self._db.executemany("INSERT OR REPLACE INTO to_come VALUES (?, ?, ?, ?, ?, ?)", coming)
        self.players.add(playing)

    def _standing(self, rows: Sequence[MatchRow]) -> dict[tuple[str, str], sqlite3.Row]:
        """Match to what its row says by now of what makes news; none while it has no row: then
        there is nobody who plays in it, and nothing to come, either.
        """
        keys = msgspec.json.encode([(row.log_id, row.stream_id) for row in rows]).decode()
        found = self._db.execute(
            "SELECT log_id, stream_id, number, is_public, delay_ms, news, names, known"
            " FROM json_each(?) AS k"
            " CROSS JOIN match ON log_id = json_extract(k.value, '$[0]')"
            " AND stream_id = json_extract(k.value, '$[1]')",
            (keys,),
        )
        return {(one["log_id"], one["stream_id"]): one for one in found}

    def _numbers(
        self, keys: Sequence[tuple[str, str]], stands: Mapping[tuple[str, str], sqlite3.Row]
    ) -> dict[tuple[str, str], int]:
        """Match to the number by which the index knows it; new ones have the next ones."""
        [last] = self._db.execute("SELECT max(number) FROM match").fetchone()
        following = count((last or 0) + 1)
        return {
            key: stands[key]["number"] if key in stands else next(following)
            for key in dict.fromkeys(keys)
        }

    def _caught_up(self, log_ids: Iterable[str] | None) -> None:
        # Then update what the public knows of rows stored earlier, whose delay is over by now.
        super()._caught_up(log_ids)
        if self.before is None:
            return
        with self._gate:
            [first] = self._db.execute("SELECT min(due_ms) FROM to_come").fetchone()
            if first is None:
                return
            longest = self.longest_delay()
            now_ms = self.before(longest) + longest
            if first <= now_ms:
                with self._db:
                    self._come_to_know(now_ms)

    def _come_to_know(self, now_ms: int) -> None:
        due = self._db.execute(
            "SELECT to_come.*, number, opened_at FROM to_come JOIN match USING (log_id, stream_id)"
            " WHERE due_ms <= ? ORDER BY due_ms",
            (now_ms,),
        ).fetchall()
        for one in due:
            number, log_id = one["number"], one["log_id"]
            self._db.execute(
                "UPDATE match SET known = ?, news_ms = ? WHERE number = ?",
                (one["known"], one["news_ms"], number),
            )
            since = self._db.execute(
                "SELECT max(since_ms) FROM playing WHERE match = ?", (number,)
            ).fetchone()[0]
            sides = msgspec.json.decode(one["names"], type=tuple[tuple[str, ...], tuple[str, ...]])
            raws = self._store.disclosures(log_id, [sd for side in sides for sd in side])
            names = {sd: str(opened(raw)[2]) for sd, raw in raws.items()}
            self.players.drop(number)
            self.players.add([Playing(number, log_id, sides, names, one["opened_at"], since or 0)])
        self._db.execute("DELETE FROM to_come WHERE due_ms <= ?", (now_ms,))

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
        only: Collection[int] | None = None,
    ) -> list[MatchRow]:
        """Matches in the order in which they were opened, log by log; those behind `after`.

        `after` is (log id, opened_at) of the last row of the page before. `public_only` leaves out
        matches that are not public, but for the streams named by `also`. `newest_first` turns the
        whole order round. `state` leaves those in for which it may be true: a match with a delay
        is another one for the public. `recorded_only` leaves out what was imported, `only` all but
        those of some numbers.
        """
        where = ["1"]
        parameters: list[str | int] = []
        if log_id is not None:
            # By their numbers where those are told, and not by looking at the whole log.
            where.append("log_id = ?" if only is None else "+log_id = ?")
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
            where.append(MAY_BE[state])
        if recorded_only:
            where.append("source IS NULL")
        order = "log_id DESC, opened_at DESC" if newest_first else "log_id, opened_at"
        if only is not None:
            where.append(f"number IN ({', '.join('?' * len(only))})")
            parameters.extend(only)
            order = order.replace("opened_at", "+opened_at")
        parameters.append(limit)
        sql = f"SELECT * FROM match WHERE {' AND '.join(where)} ORDER BY {order} LIMIT ?"
        with self._gate:
            return [match_row(row) for row in self._db.execute(sql, parameters)]

    def versions(self, log_id: str) -> list[tuple[str, int]]:
        """(stream, version) of every match that was recorded in a log, the oldest first."""
        sql = (
            "SELECT stream_id, version FROM match WHERE log_id = ? AND source IS NULL"
            " AND state <> 'damaged' ORDER BY opened_at"
        )
        with self._gate:
            return [(row[0], row[1]) for row in self._db.execute(sql, (log_id,))]

    def news(
        self,
        log_id: str | None = None,
        *,
        now_ms: int,
        after: tuple[int, str, int] | None = None,
        limit: int = 50,
        live_only: bool = False,
        persons: Sequence[int] | None = None,
    ) -> list[MatchRow]:
        """Public matches that last began, ended or were released, as the public knows it, the
        newest first; `after` is (moment of the news, log id, opened_at) of the last row of the
        page before. `live_only`: those that are played, by what the public knows; `persons`: those
        that one of them plays in.
        """
        # What has no delay is known, however the clock was set.
        where = ["is_public", f"(delay_ms = 0 OR {DUE} <= ?)"]
        parameters: list[str | int] = [now_ms]
        if log_id is not None:
            where.append("log_id = ?")
            parameters.append(log_id)
        if persons is not None:
            marks = ", ".join("?" * len(persons))
            played = f"SELECT match FROM playing WHERE person IN ({marks})"
            where.append(f"number IN ({played} AND since_ms <= ?)")
            parameters += [*persons, now_ms]
        if live_only:
            where.append("known = 'live' AND source IS NULL")
        if after is not None:
            where.append(f"({DUE}, log_id, opened_at) < (?, ?, ?)")
            parameters += after
        sql = (
            f"SELECT * FROM match WHERE {' AND '.join(where)} "
            f"ORDER BY {DUE} DESC, log_id DESC, opened_at DESC LIMIT ?"
        )
        with self._gate:
            found = self._db.execute(sql, [*parameters, limit]).fetchall()
        return [match_row(row) for row in found]

    def match(self, log_id: str, stream_id: str) -> MatchRow | None:
        """One match's row; None if the index has none."""
        sql = "SELECT * FROM match WHERE log_id = ? AND stream_id = ?"
        with self._gate:
            row = self._db.execute(sql, (log_id, stream_id)).fetchone()
        return None if row is None else match_row(row)

    def log(self, log_id: str) -> LogRow | None:
        """One log; None if the index has none."""
        sql = "SELECT * FROM log WHERE log_id = ?"
        with self._gate:
            row = self._db.execute(sql, (log_id,)).fetchone()
        return None if row is None else msgspec.convert(dict(row), LogRow)

    def public_logs(
        self, *, after: tuple[int, int, str] | None = None, limit: int = 50
    ) -> list[LogRow]:
        """Logs with public matches: first those in which one is live, then by their news.

        `after` is (1 if one is live else 0, news_ms, log id) of the last row of the page before.
        What the public must not know yet has no part in the order.
        """
        where = "public > 0"
        parameters: dict[str, int | str] = {"limit": limit}
        if after is not None:
            where += " AND (live > 0, news_ms, log_id) < (:live, :news_ms, :log_id)"
            parameters |= zip(("live", "news_ms", "log_id"), after, strict=True)
        sql = (
            f"SELECT * FROM log WHERE {where} "
            "ORDER BY live > 0 DESC, news_ms DESC, log_id DESC LIMIT :limit"
        )
        with self._gate:
            found = self._db.execute(sql, parameters).fetchall()
        return [msgspec.convert(dict(row), LogRow) for row in found]

    def longest_delay(self) -> int:
        """Milliseconds by which the public is behind in that public match where it is most so."""
        sql = "SELECT max(delay_ms) FROM match WHERE is_public AND delay_ms > 0"
        with self._gate:
            return int(self._db.execute(sql).fetchone()[0] or 0)

    def delays(self, log_id: str) -> dict[int, int]:
        """Delays of a log's public matches, in milliseconds, each with the place of the first entry
        of the first of these matches.
        """
        where = "is_public AND delay_ms > 0 AND log_id = ?"
        next_one = f"SELECT min(delay_ms) FROM match WHERE {where} AND delay_ms > ?"
        begins = f"SELECT min(opened_at) FROM match WHERE {where} AND delay_ms = ?"
        found: dict[int, int] = {}
        delay_ms = 0
        with self._gate:
            # One step for each delay: a tournament has few, and perhaps a thousand such matches.
            while row := self._db.execute(next_one, (log_id, delay_ms)).fetchone()[0]:
                delay_ms = int(row)
                [begun] = self._db.execute(begins, (log_id, delay_ms)).fetchone()
                found[delay_ms] = int(begun)
        return found

    def counted(self, log_id: str, size: int = 0) -> int:
        """The most entries of a log that a stranger was told of; `size` are told now."""
        find = "SELECT coalesce(max(size), 0) FROM counted WHERE log_id = ?"
        with self._gate:
            [kept] = self._db.execute(find, (log_id,)).fetchone()
            if size > kept:
                with contextlib.suppress(sqlite3.Error), self._db:
                    self._db.execute("REPLACE INTO counted VALUES (?, ?)", (log_id, size))
        return max(size, int(kept))

    def find(self, beginning: str, *, log_id: str | None = None) -> list[tuple[str, str]]:
        """(log id, stream id) of at most ten matches whose id begins so."""
        sql = "SELECT log_id, stream_id FROM match WHERE stream_id >= ? AND stream_id < ?"
        parameters = [beginning, beginning + "\uffff"]
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

    def unreadable(self) -> int:
        """How many matches of all logs are listed as damaged."""
        with self._gate:
            rows = self._db.execute("SELECT count(*) FROM match WHERE state = 'damaged'")
            return int(rows.fetchone()[0])

    def has_public(self, log_id: str) -> bool:
        """Whether a log holds a match that anybody may read."""
        sql = "SELECT EXISTS (SELECT 1 FROM match WHERE log_id = ? AND is_public)"
        with self._gate:
            return bool(self._db.execute(sql, (log_id,)).fetchone()[0])

    def dump(
        self, table: Literal["cursor", "log", "match", "player", "to_come"]
    ) -> list[sqlite3.Row]:
        """Every row of one of its tables, for an audit."""
        with self._gate:
            return self._db.execute(f"SELECT * FROM {table}").fetchall()


def _is_news(row: MatchRow, known: Stage, stood: sqlite3.Row | None) -> bool:
    """Whether a public match says anything that its row does not have: an entry rarely does.

    A correction that reopens a finished match is no news either, but the match is live again.
    """
    if stood is None or row.delay_ms:
        return True
    return tuple(stood)[3:] != (1, row.delay_ms, row.news, names_text(row.names), known)
