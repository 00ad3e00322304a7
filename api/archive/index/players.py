"""Players in public matches, by a keyed hash of their names, as far as these are disclosed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from api.archive.index.rows import PersonRow, PlayedRow
from api.archive.index.spelled import Spelled, asked, spellings
from events.errors import LedgerError
from events.personal import Disclosed, Withheld

LEARNED = 2_000
"""Names that a search opens so that the next one finds parts of them."""

_AT_ONCE = 500
"""Names that are opened together."""

_PAUSE_S = 0.05
"""Between two handfuls of names that a server has learned."""

_ASKED = 500
"""Values of one question: every SQLite takes as many."""

_HANDFUL = 200
"""Names of one: some milliseconds."""

_LOOK_AGAIN_S = 10.0
"""So long until a server looks whether an erasure had it forget them all."""

_PLAYED = (
    "person, since_ms, playing.log_id, playing.opened_at, match, sd, seat,"
    " (SELECT stream_id FROM match WHERE number = playing.match) AS stream_id"
)
"""The columns of a `PlayedRow`."""

_HOLDS = "holds"
"""What the index's SQL asks of a person: whether a search that was begun finds them."""

Opened = Callable[[str, Sequence[str]], Mapping[str, Disclosed | Withheld]]


class Holding(NamedTuple):
    """Whose name holds a part, in any case, or is one player's with a name that does."""

    part: str
    same: frozenset[int]
    """Persons that are found for another name of theirs."""
    few: list[int] | None
    """All of them; None = more than were asked for."""


class Playing(NamedTuple):
    """Who plays in a public match."""

    match: int
    """Its number in this index."""
    log_id: str
    """Its log."""
    sides: tuple[Sequence[str], Sequence[str]]
    """Commitments to the names, seat by seat."""
    names: Mapping[str, str]
    """Commitment to name, as far as they are disclosed."""
    opened_at: int
    """Global position of its first entry."""
    since_ms: int
    """When it could first be seen."""


class PlayerIndex:
    """The players of one index, in its file and behind its gate."""

    def __init__(
        self, db: sqlite3.Connection, gate: AbstractContextManager[None], opened: Opened
    ) -> None:
        """`opened`: the values of a log's commitments, as far as they are disclosed."""
        self.db = db
        self._gate = gate
        self._opened = opened
        self._secret: bytes = db.execute("SELECT secret FROM meta").fetchone()[0]
        self._spelled = Spelled()

    def person_of(self, name: str) -> int | None:
        """What stands for a name, as it is spelled; None where nobody is called so."""
        sql = "SELECT number FROM person WHERE hash = ?"
        with self._gate:
            row = self.db.execute(sql, (self.hash_of(name),)).fetchone()
        return None if row is None else int(row[0])

    def hash_of(self, name: str) -> bytes:
        """By what a name is found, in this index alone: hashed under its key."""
        told = name.encode("utf-8", "surrogatepass")
        return blake2b(told, key=self._secret, digest_size=16).digest()

    def add(self, matches: Iterable[Playing]) -> None:
        """Who plays in public matches of which nobody is known to play in them."""
        matches = [*matches]
        # Counted by the page: a trigger for each row takes as long as the row.
        more = Counter(name for one in matches for name in one.names.values())
        hashes = {name: self.hash_of(name) for name in more}
        self.db.executemany(
            "INSERT INTO person (hash, matches) VALUES (?, ?) ON CONFLICT (hash)"
            " DO UPDATE SET matches = matches + excluded.matches",
            zip(hashes.values(), more.values(), strict=True),
        )
        numbers = self._numbers([*hashes.values()])
        persons = {name: numbers[one] for name, one in hashes.items()}
        rows = []
        for one in matches:
            # Whose name stands on both sides is listed in the first seat.
            seats = dict.fromkeys(one.sides[1], 2) | dict.fromkeys(one.sides[0], 1)
            for sd, name in one.names.items():
                when = (one.since_ms, one.opened_at)
                rows.append((one.match, sd, seats[sd], persons[name], one.log_id, *when))
        self.db.executemany("INSERT INTO playing VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def _numbers(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        numbers: dict[bytes, int] = {}
        for first in range(0, len(hashes), _ASKED):
            some = hashes[first : first + _ASKED]
            among = ", ".join("?" * len(some))
            sql = f"SELECT hash, number FROM person WHERE hash IN ({among})"
            numbers.update(self.db.execute(sql, some).fetchall())
        return numbers

    def drop(self, match: int) -> None:
        """Nobody is known to play in a match."""
        self.db.execute("DELETE FROM playing WHERE match = ?", (match,))

    def persons(
        self,
        *,
        now_ms: int,
        after: tuple[int, int] | None = None,
        limit: int = 50,
        among: Holding | None = None,
    ) -> list[tuple[int, PersonRow]]:
        """Players in public matches, most matches first, each with the number they are sorted by.

        `after`: (that number, person) of the last row of the previous page; `among`: only these.
        Matches that will be shown later affect the order, but not the count, which may be 0.
        """
        where = "1"
        parameters: tuple[int, ...] = ()
        if after is not None:
            where = "(matches, number % 32, number) < (?, ? % 32, ?)"
            parameters = (after[0], after[1], after[1])
        if among is not None and among.few is not None:
            where += f" AND number IN ({', '.join('?' * len(among.few))})"
            parameters += (*among.few,)
        elif among is not None:
            where += f" AND {_HOLDS}(number)"
        # `number % 32` scatters names that were added in alphabetical order, for searches.
        order = "matches DESC, number % 32 DESC, number DESC"
        sql = (
            # Matches shown only later are counted for the rows of this page alone.
            f"WITH listed AS MATERIALIZED (SELECT number, matches FROM person WHERE {where} "
            f"ORDER BY {order} LIMIT ?) "
            "SELECT number, matches, (SELECT count(*) FROM playing WHERE person = listed.number "
            f"AND since_ms > ?) AS later FROM listed ORDER BY {order}"
        )
        with self._gate:
            if among is not None and among.few is None:
                # Tested row by row: a page is full long before all rows are tested.
                holds, same = self._spelled.holder(among.part), among.same
                self.db.create_function(
                    _HOLDS, 1, (lambda one: one in same or holds(one)) if same else holds
                )
            found = self.db.execute(sql, (*parameters, limit, now_ms)).fetchall()
        return [(row[1], PersonRow(row[0], row[1] - row[2])) for row in found]

    def holding(self, part: str, same: Iterable[Collection[str]], *, limit: int) -> Holding | None:
        """Persons whose name holds a part, in any case; `same`: names that are one player's.

        None while not all names are known; each call learns some more, and the caller walks the
        list meanwhile. With more than about `limit`, they are not listed. Reads the store.
        """
        self.learn()
        with self._gate:
            if not self._spelled.is_whole:
                return None
            found = self._spelled.holding(part, limit=limit)
        wanted = asked(part)
        of_same = frozenset(
            person
            for names in same
            if any(wanted in spellings(name) for name in names)
            for person in map(self.person_of, names)
            if person is not None
        )
        return Holding(part, of_same, None if found is None else [*{*found, *of_same}])

    def called(self, name: str) -> list[int]:
        """Persons whose whole name this is in any case, without accents, or composed otherwise.

        Empty while not all names are known, because others may have the same name. Reads the
        store.
        """
        self.learn()
        with self._gate:
            return self._spelled.called(name) if self._spelled.is_whole else []

    def learn(self, limit: int | None = None) -> bool:
        """Learn some more names; returns whether all are known. Reads the store.

        Names that came in since the start are learned last.
        """
        limit = limit or LEARNED
        sql = (
            f"SELECT {_PLAYED} FROM person CROSS JOIN playing ON playing.rowid ="
            " (SELECT rowid FROM playing WHERE person = person.number LIMIT 1)"
            " WHERE person.number > ? ORDER BY person.number LIMIT ?"
        )
        with self._gate:
            age = self._spelled.age
            found = self.db.execute(sql, (self._spelled.learned, limit)).fetchall()
        rows = [msgspec.convert(dict(row), PlayedRow) for row in found]
        names = self.names_in(rows) if rows else {}
        known = {row.person: names[row.sd] for row in rows if row.sd in names}
        with self._gate:
            if self._spelled.age == age:
                upto = rows[-1].person if rows else 0
                self._spelled.learn(known, upto=upto, is_whole=len(rows) < limit)
            return self._spelled.is_whole

    def names_in(self, rows: Sequence[PlayedRow]) -> dict[str, str]:
        """Commitment to name; those erased since are taken off the list. Reads the store."""
        by_log: dict[str, list[str]] = {}
        for row in rows:
            by_log.setdefault(row.log_id, []).append(row.sd)
        names: dict[str, str] = {}
        for log_id, wanted in by_log.items():
            for begin in range(0, len(wanted), _AT_ONCE):
                opened = self._opened(log_id, wanted[begin : begin + _AT_ONCE])
                for sd, value in opened.items():
                    if isinstance(value, Disclosed):
                        names[sd] = str(value.value)
        erased = [row for row in rows if row.sd not in names]
        if erased:
            self.forget(erased)
        return names

    def places(self, log_id: str, persons: Collection[int], *, limit: int) -> dict[int, int] | None:
        """Public matches of a log in which any of these play, of all times: where each was opened,
        to its number, the first first. None where they are more than `limit`.
        """
        sql = (
            "SELECT opened_at, match FROM playing"
            f" WHERE person IN ({', '.join('?' * len(persons))}) AND log_id = ? LIMIT ?"
        )
        with self._gate:
            # Told apart and ordered here: for that alone SQLite would keep a table of them.
            cursor = self.db.cursor()
            cursor.row_factory = None
            # Each stands there once for each of its players, of whom four at most play in it.
            found = dict(cursor.execute(sql, (*persons, log_id, 4 * limit + 1)).fetchall())
        return None if len(found) > limit else dict(sorted(found.items()))

    def played(
        self,
        person: int | None,
        *,
        now_ms: int,
        after: tuple[int, str, int] | None = None,
        limit: int = 50,
    ) -> list[PlayedRow]:
        """Somebody's public matches that may be seen by now, the newest first; None has none.

        `after` is (since_ms, log id, opened_at) of the last row of the page before.
        """
        before = (now_ms, "\U0010ffff", 0) if after is None else min(after, (now_ms + 1, "", 0))
        sql = (
            f"SELECT {_PLAYED} FROM playing WHERE person = ? "
            "AND (since_ms, log_id, opened_at) < (?, ?, ?) "
            "ORDER BY since_ms DESC, log_id DESC, opened_at DESC LIMIT ?"
        )
        with self._gate:
            found = self.db.execute(sql, (person, *before, limit)).fetchall()
        return [msgspec.convert(dict(row), PlayedRow) for row in found]

    def once(self, twins: Iterable[Sequence[tuple[str, str]]]) -> dict[int, int]:
        """Person to how many of their matches are another one in the same list of (log, stream)."""
        rows = [(number, *key) for number, same in enumerate(twins) for key in same]
        if not rows:
            return {}
        with self._gate:
            self.db.execute("CREATE TEMP TABLE IF NOT EXISTS twin (same, log_id, stream_id)")
            self.db.execute("DELETE FROM temp.twin")
            self.db.executemany("INSERT INTO temp.twin VALUES (?, ?, ?)", rows)
            found = self.db.execute(
                "SELECT person, count(*) - count(DISTINCT same) AS more FROM temp.twin"
                " CROSS JOIN match USING (log_id, stream_id)"
                " CROSS JOIN playing ON playing.match = match.number"
                " GROUP BY person HAVING more > 0"
            ).fetchall()
            self.db.commit()
        return {int(row[0]): int(row[1]) for row in found}

    def forget(self, rows: Iterable[PlayedRow]) -> None:
        """Names that turned out to be erased: whoever had them is in no list any more."""
        with self._gate, self.db:
            self._spelled.clear()
            self.db.executemany(
                "DELETE FROM playing WHERE match = ? AND sd = ?",
                [(row.match, row.sd) for row in rows],
            )

    def forget_names(self, log_id: str, commitments: Iterable[str]) -> None:
        """Names that were erased, by their commitments: nothing is kept by which to tell them."""
        gone = msgspec.json.encode([*commitments]).decode()
        if gone == "[]":
            return
        with self._gate, self.db:
            self._spelled.clear()
            # In one statement, for it goes through all who play.
            self.db.execute(
                "DELETE FROM playing WHERE log_id = ? AND sd IN (SELECT value FROM json_each(?))",
                (log_id, gone),
            )


async def learning(players: PlayerIndex) -> None:
    """Have names known before somebody searches for a part of one, as long as a server runs."""
    import asyncio  # only a server comes here, and a command is to start at once

    while True:
        is_whole = True
        with contextlib.suppress(LedgerError, sqlite3.Error):
            is_whole = await asyncio.to_thread(players.learn, _HANDFUL)
        await asyncio.sleep(_LOOK_AGAIN_S if is_whole else _PAUSE_S)
