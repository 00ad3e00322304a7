"""The turns of all matches by their boards: a cache with a cursor, rebuilt like the lists.

The index is a file of its own beside the index of the lists. It holds boards, rolls and cubes of
finished matches, but no names and no commitments to names. What a visitor may see is decided when
results are shown, from each match's row (`routes/shared/searching.py`), not here.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from api.archive.archive import Archive
from api.archive.index.catching_up import CatchingUp, IndexBehind
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.archive.reading import Reading
from api.refusals import Problem
from api.search.boards import Key, mask_of
from api.search.tables import POSITIONS, TIERS, Facts, masked, unpacked
from api.search.turns import Found, TurnPage, turn_page
from events.store.address import FileAddress
from events.store.protocol import EventStore
from projections.rules.sentences import mark_of

T = TypeVar("T")

_CACHE_KB = 64_000
"""Memory for pages of the file, for moving rows from tier to tier."""

_UNTIL_BUSY_S = 60

_WAITING = 8
"""Searches that may wait for the running one; further ones are refused for now."""

OTHERS = ("cursor", "match", "again", "finding", "opening", "habit")
"""Tables beside those of turns."""

_WHOLE = dict(zip("abcd", mask_of(()), strict=True))
"""Masks for a board of which every point counts."""


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """Which turns are looked for; every condition that is given has to hold."""

    keys: Collection[Key] | None = None
    """One of these boards; None = any board."""
    mask: Key | None = None
    """For a single board: a mask of the bits that must match; None = all."""
    facts: Facts = Facts()
    """What else is asked of the turn."""
    finding: str | None = None
    """Code of something that was found in it."""
    section: str | None = None
    """Section of a rule set by which something was found in it."""
    log_id: str | None = None
    """Only of matches of this log."""


class FoundTurn(msgspec.Struct, frozen=True):
    """A turn that was found."""

    match: int
    """Number of its match in this index; later matches have higher ones."""
    version: int
    """Version of its first entry."""
    log_id: str
    stream_id: str
    since: int
    """Version since which the match is over, with all that is here."""
    indexed: int
    """Version up to which that is true."""
    key: Key
    """Its board."""
    facts: Facts


class Held(msgspec.Struct, frozen=True):
    """A row of the table of matches."""

    number: int
    digest: bytes


class PositionIndex(CatchingUp[TurnPage]):
    """Turns by their boards, over one store; catches up when it is asked."""

    what = "the positions"
    of_log = ("match",)  # turns name numbers that no match has any more
    tables = POSITIONS

    def __init__(self, store: EventStore, reading: Reading, *, path: Path | None = None) -> None:
        super().__init__(store, reading, path, turn_page)
        self._in_hand = reading.in_hand
        self._begun()

    def _opened(self, *, anew: bool = False) -> sqlite3.Connection:
        db = super()._opened(anew=anew)
        db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        # WAL: searches go on while rows are moved, on the earlier state.
        db.execute("PRAGMA journal_mode = WAL")
        return db

    def _begun(self) -> None:
        # In memory after all, where the file could not be opened.
        there = self._db.execute("PRAGMA database_list").fetchone()[2]
        self._path = self._place if there else None
        self._file = _identity(self._path)

    def _leave_file(self, error: sqlite3.Error) -> None:
        super()._leave_file(error)
        self._path = None

    def clear(self) -> None:
        """Forget everything: the next `catch_up` makes it anew."""
        with self._gate, self._db:
            for table in (*OTHERS, *(name for name, _ in TIERS)):
                self._db.execute(f"DELETE FROM {table}")

    def _judge_anew(self) -> None:
        now = self._reading.in_hand
        if now is self._in_hand:
            return
        self.clear()
        with self._gate, self._db:
            self._db.execute("UPDATE meta SET in_hand = ?", (mark_of(now),))
        self._in_hand = now

    def _put_page(self, log_id: str, page: TurnPage) -> None:
        with self._db:
            self.put(log_id, page.made)
            self._move_cursor(log_id, page.end)

    def taken(self, log_id: str) -> int:
        """Entries of a log that were taken in."""
        with self._gate:
            found = self._db.execute("SELECT position FROM cursor WHERE log_id = ?", (log_id,))
            row = found.fetchone()
        return 0 if row is None else int(row[0])

    def take_all(
        self, log_id: str, made: Mapping[str, Sequence[Found]], *, position: int | None = None
    ) -> None:
        """Put matches in place that somebody else has read; `position`: how far."""
        with self._gate, self._db:
            self.put(log_id, made)
            if position is not None:
                self._move_cursor(log_id, position)

    def put(self, log_id: str, made: Mapping[str, Sequence[Found]]) -> None:
        """Store matches in the open transaction; an empty one has no turns.

        A match whose turns have changed gets a new number, and turns under the old one are no
        longer found. Both are kept while the public must not know of the change yet.
        """
        turns: list[tuple[int, ...]] = []
        findings: list[tuple[str | int, ...]] = []
        openings: list[tuple[str | int | None, ...]] = []
        habits: list[tuple[int, ...]] = []
        for stream_id, found in made.items():
            held = self._held(log_id, stream_id)
            for version, is_public, added, terms in found:
                digest = added.digest
                known = next((one for one in held if one.digest == digest), None)
                if known is not None:
                    held.remove(known)
                    self._db.execute(
                        "UPDATE match SET version = ?, is_public = ?, opened_at = ?, is_import = ?,"
                        " still_from_ms = ?, still_until_ms = ?, due_ms = ?, until_ms = ?,"
                        " since = ?, rule_set = ?, length = ? WHERE number = ?",
                        (version, is_public, *terms, known.number),
                    )
                    continue
                number = self._number()
                moves = added.figures.moves or None
                self._db.execute(
                    f"INSERT INTO match VALUES {_marks(16)}",
                    (number, log_id, stream_id, version, is_public, digest, *terms, moves),
                )
                openings += [(number, *opening) for opening in added.figures.openings]
                habits += [(number, *habit) for habit in added.figures.habits]
                turns += [(*turn.key, number, turn.version, turn.facts) for turn in added.turns]
                findings += [
                    (code, number, turn.version, section, *turn.key, turn.facts)
                    for code, section, turn in added.findings
                ]
            self._db.executemany(
                "DELETE FROM match WHERE number = ?", [(one.number,) for one in held]
            )
        turns.sort()
        self._db.executemany(f"INSERT OR REPLACE INTO {TIERS[0][0]} VALUES {_marks(7)}", turns)
        self._db.executemany(f"INSERT OR REPLACE INTO finding VALUES {_marks(9)}", findings)
        self._db.executemany(f"INSERT INTO opening VALUES {_marks(12)}", openings)
        self._db.executemany(f"INSERT INTO habit VALUES {_marks(18)}", habits)
        self._settle()

    def _held(self, log_id: str, stream_id: str) -> list[Held]:
        found = self._db.execute(
            "SELECT number, digest FROM match WHERE log_id = ? AND stream_id = ? ORDER BY number",
            (log_id, stream_id),
        )
        return [Held(*row) for row in found]

    def _number(self) -> int:
        """A number that no match has or had, not even one of which stale turns are left."""
        found = self._db.execute("UPDATE counter SET numbers = numbers + 1 RETURNING numbers")
        return int(found.fetchone()[0])

    def _settle(self) -> None:
        """Move tiers that are full into the next ones."""
        for (name, most), (following, _) in itertools.pairwise(TIERS):
            held = self._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            if most is None or held <= most:
                return
            self._db.execute(
                f"INSERT OR REPLACE INTO {following} SELECT * FROM {name} ORDER BY a, b, c, d"
            )
            self._db.execute(f"DELETE FROM {name}")

    def find(
        self,
        asked: Conditions,
        *,
        after: tuple[int, int] | None = None,
        limit: int = 50,
        also: Collection[str] | None = (),
    ) -> list[FoundTurn]:
        """Turns that match, those of the matches stored last first.

        `after`: (match, version) of the last one of the previous page. Of matches that are not
        public, only those in the logs `also`; None = all.
        """
        where, values = _conditions(asked, after)
        if also is not None:
            marks = ", ".join("?" * len(also))
            where.append(f"(is_public OR log_id IN ({marks}))")
            values += also
        tables = (
            ["finding"]
            if asked.finding is not None or asked.section is not None
            else [name for name, _ in TIERS]
        )
        wanted = ""
        if asked.keys is not None and asked.mask is None and len(asked.keys) > 1:
            wanted = "temp.wanted AS w CROSS JOIN"
            where.insert(0, "t.a = w.a AND t.b = w.b AND t.c = w.c AND t.d = w.d")
        # Several things may have been found in one turn.
        distinct = "DISTINCT " if tables == ["finding"] else ""
        each = [
            f"SELECT * FROM (SELECT {distinct}t.match, t.version, log_id, stream_id,"
            " match.since, match.version AS indexed, t.a, t.b, t.c, t.d, t.facts"
            f" FROM {wanted} {table} AS t CROSS JOIN match ON number = t.match"
            f" WHERE {' AND '.join(where)} ORDER BY t.match DESC, t.version DESC LIMIT ?)"
            for table in tables
        ]
        sql = f"{' UNION ALL '.join(each)} ORDER BY 1 DESC, 2 DESC LIMIT ?"
        with self.looking() as db:
            if wanted:
                db.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (a, b, c, d)")
                db.execute("DELETE FROM temp.wanted")
                db.executemany(f"INSERT INTO temp.wanted VALUES {_marks(4)}", asked.keys or ())
            rows = db.execute(sql, [*[*values, limit] * len(each), limit]).fetchall()
        return [_turn(row) for row in rows]

    @contextlib.contextmanager
    def looking(self) -> Iterator[sqlite3.Connection]:
        """A separate connection, so that a long search blocks neither others nor updates."""
        if self._path is None:
            with self._gate:
                yield self._db
            return
        self._check_file()
        uri = FileAddress(self._path).uri(mode="ro")
        db = sqlite3.connect(uri, uri=True, timeout=_UNTIL_BUSY_S)
        with contextlib.closing(db):
            try:
                yield db
            except sqlite3.DatabaseError as error:
                with self._gate:  # which knows damage
                    raise error

    def _check_file(self) -> None:
        """Whether what is at its place is what is written to: it may be deleted at any time.

        Errors: IndexBehind, once: the next one to catch up reads it all.
        """
        with self._gate:
            if _identity(self._path) != self._file:
                self._open_again(anew=False)
                raise IndexBehind(
                    f"{self.what} beside the archive were deleted, and are made anew from it:"
                    " ask once more"
                )

    def count(self) -> tuple[int, int]:
        """(matches, turns) that it holds, those that stand for nothing left out of the matches."""
        with self.looking() as db:
            matches = db.execute(
                "SELECT count(*) FROM (SELECT DISTINCT log_id, stream_id FROM match)"
            ).fetchone()[0]
            turns = [db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name, _ in TIERS]
        return int(matches), sum(turns)


class Looks:
    """The search of one server."""

    def __init__(self, archive: Archive, index: MatchIndex) -> None:
        self._archive = archive
        self._index = index
        self._turn = asyncio.Lock()
        self._asking = 0

    @functools.cached_property
    def positions(self) -> PositionIndex:
        """The turns of all matches by their boards."""
        path = index_file(self._archive.url, POSITIONS)
        made = PositionIndex(self._archive.store, self._archive.reading, path=path)
        made.patience, made.url = self._index.patience, self._index.url
        return made

    @property
    def is_made(self) -> bool:
        """Whether anybody has looked for something yet, in this process or in one before."""
        path = index_file(self._archive.url, POSITIONS)
        return "positions" in self.__dict__ or (path is not None and path.exists())

    def catch_up(self) -> None:
        """Bring lists and turns up to date. Errors: LedgerError, IndexBehind."""
        self._index.catch_up()
        self.positions.catch_up()

    async def find(
        self,
        asked: Conditions,
        *,
        after: tuple[int, int] | None,
        limit: int,
        also: Collection[str] | None,
    ) -> list[FoundTurn]:
        """As the index finds them. Errors: Problem."""
        return await self.ask(lambda index: index.find(asked, after=after, limit=limit, also=also))

    async def ask(self, look: Callable[[PositionIndex], T]) -> T:
        """The result of a search, which may take a core for a second. Errors: Problem."""
        if self._asking >= _WAITING:
            raise Problem("busy", "too many look for something at this moment: try again")
        self._asking += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(look, self.positions)
        finally:
            self._asking -= 1

    def close(self) -> None:
        """Let go of the index, if anybody opened it; after a new start it is opened anew."""
        positions = self.__dict__.pop("positions", None)
        if positions is not None:
            positions.close()


def _conditions(
    asked: Conditions, after: tuple[int, int] | None
) -> tuple[list[str], list[int | str]]:
    where: list[str] = ["1"]
    values: list[int | str] = []
    if asked.keys is not None and len(asked.keys) == 1:
        [board] = asked.keys
        for name, ones, number in zip("abcd", asked.mask or board, board, strict=True):
            is_whole = asked.mask is None or ones == _WHOLE[name]
            where.append(f"t.{name} = ?" if is_whole else f"t.{name} & ? = ?")
            values += [number] if is_whole else [ones, number & ones]
    mask, value = masked(asked.facts)
    if mask:
        where.append("t.facts & ? = ?")
        values += [mask, value]
    if asked.finding is not None:
        where.append("t.code = ?")
        values.append(asked.finding)
    if asked.section is not None:
        where.append("t.section = ?")
        values.append(asked.section)
    if asked.log_id is not None:
        where.append("log_id = ?")
        values.append(asked.log_id)
    if after is not None:
        where.append("(t.match, t.version) < (?, ?)")
        values += after
    return where, values


def _turn(row: Iterable[int | str]) -> FoundTurn:
    match, version, log_id, stream_id, since, indexed, a, b, c, d, facts = row
    return FoundTurn(
        int(match),
        int(version),
        str(log_id),
        str(stream_id),
        int(since),
        int(indexed),
        Key(int(a), int(b), int(c), int(d)),
        unpacked(int(facts)),
    )


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Device and inode of what lies at a place; None where nothing does."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def _marks(count: int) -> str:
    return f"({', '.join('?' * count)})"
