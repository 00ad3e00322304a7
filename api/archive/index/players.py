"""Who plays in public matches, told by a keyed hash of the name, as far as names are disclosed."""

from __future__ import annotations

import hmac
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from api.archive.index.rows import PersonRow, PlayedRow


class PlayerIndex:
    """The players of one index, in its file and behind its gate."""

    def __init__(self, db: sqlite3.Connection, gate: threading.RLock) -> None:
        self._db = db
        self._gate = gate
        self._secret: bytes = db.execute("SELECT secret FROM meta").fetchone()[0]

    def person_of(self, name: str) -> bytes:
        """What stands for a name, as it is spelled."""
        return hmac.digest(self._secret, name.encode("utf-8", "surrogatepass"), "sha256")[:16]

    def put(
        self,
        log_id: str,
        stream_id: str,
        sides: Sequence[Sequence[str]],
        names: Mapping[str, str],
        *,
        since_ms: int,
    ) -> None:
        """Who plays in a public match, by commitments, with the names that are disclosed."""
        self.drop(log_id, stream_id)
        seats = {sd: seat for seat, side in reversed([*enumerate(sides, 1)]) for sd in side}
        for sd, name in names.items():
            self._db.execute(
                "INSERT INTO player (log_id, stream_id, sd, seat, person, since_ms) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (log_id, stream_id, sd, seats[sd], self.person_of(name), since_ms),
            )

    def drop(self, log_id: str, stream_id: str) -> None:
        """Nobody is known to play in a match."""
        self._db.execute(
            "DELETE FROM player WHERE log_id = ? AND stream_id = ?", (log_id, stream_id)
        )

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
            "SELECT person, since_ms, log_id, stream_id, sd, seat FROM player WHERE person = ? "
            "AND (since_ms, log_id, stream_id) < (?, ?, ?) "
            "ORDER BY since_ms DESC, log_id DESC, stream_id DESC LIMIT ?"
        )
        with self._gate:
            found = self._db.execute(sql, (person, *before, limit)).fetchall()
        return [msgspec.convert(dict(row), PlayedRow) for row in found]

    def once(self, twins: Iterable[Sequence[tuple[str, str]]]) -> dict[bytes, int]:
        """Person to how many of their matches are another one in the same list of (log, stream)."""
        rows = [(number, *key) for number, same in enumerate(twins) for key in same]
        if not rows:
            return {}
        with self._gate:
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS twin (same, log_id, stream_id)")
            self._db.execute("DELETE FROM temp.twin")
            self._db.executemany("INSERT INTO temp.twin VALUES (?, ?, ?)", rows)
            found = self._db.execute(
                "SELECT person, count(*) - count(DISTINCT same) AS more FROM temp.twin"
                " CROSS JOIN player USING (log_id, stream_id) GROUP BY person HAVING more > 0"
            ).fetchall()
            self._db.commit()
        return {bytes(row[0]): int(row[1]) for row in found}

    def forget(self, rows: Iterable[PlayedRow]) -> None:
        """Names that turned out to be erased: whoever had them is in no list any more."""
        with self._gate, self._db:
            self._db.executemany(
                "DELETE FROM player WHERE log_id = ? AND stream_id = ? AND sd = ?",
                [(row.log_id, row.stream_id, row.sd) for row in rows],
            )

    def forget_names(self, log_id: str, commitments: Iterable[str]) -> None:
        """Names that were erased, by their commitments: nothing is kept by which to tell them."""
        with self._gate, self._db:
            self._db.executemany(
                "DELETE FROM player WHERE log_id = ? AND sd = ?",
                [(log_id, commitment) for commitment in commitments],
            )
