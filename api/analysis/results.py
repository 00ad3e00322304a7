"""What engines found, kept beside the archive: derived, without a name, and deleted at any time.

A row belongs to one game of one match as it stood at one entry (its head's hash). Whatever is
appended to the match, but for what is about its films, makes its rows stale: they are found by
nobody, and go with the next result.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import NamedTuple

import msgspec

from api.analysis.engines import JudgedGame
from api.archive.keyring import place_of
from api.settings import default_analysis
from events.store.address import MemoryAddress, parse_address

_VERSION = 1
"""Raised with every change of what is kept; rows of another version are thrown away."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS judged (
  log_id TEXT NOT NULL, match_id TEXT NOT NULL, head BLOB NOT NULL,
  engine TEXT NOT NULL, version TEXT NOT NULL, preset TEXT NOT NULL,
  game INTEGER NOT NULL, games INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (log_id, match_id, head, engine, version, preset, game)
) STRICT;
"""


class Match(NamedTuple):
    """A match as it stands."""

    log_id: str
    match_id: str
    head: bytes
    """Leaf hash of its last entry that is not about a film."""


class By(NamedTuple):
    """By what it was judged."""

    engine: str
    """Name of the engine."""
    version: str
    """Its version and build."""
    preset: str
    """The preset, with its revision."""


class Found(NamedTuple):
    """A match that was judged to its end."""

    by: By
    games: tuple[JudgedGame, ...]
    """Game by game."""


def results_file(url: str) -> Path | None:
    """Where the results of the archive at `url` lie; None where it is gone with its process."""
    if isinstance(parse_address(url), MemoryAddress):
        return None
    return place_of(url, "analysis", default_analysis())


class Results:
    """The file of results; made with the first one. Any thread may call it."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._gate = threading.Lock()

    @property
    def is_there(self) -> bool:
        """Whether anything was ever found."""
        return self._db is not None or (self._path is not None and self._path.exists())

    def found(self, match: Match) -> Found | None:
        """What was made last of a match as it stands; None where it was not judged to its end."""
        with self._gate:
            db = self._reading()
            if db is None:
                return None
            last = db.execute(
                "SELECT engine, version, preset FROM judged"
                " WHERE log_id = ? AND match_id = ? AND head = ?"
                " GROUP BY engine, version, preset HAVING count(*) = max(games)"
                " ORDER BY max(rowid) DESC LIMIT 1",
                match,
            ).fetchone()
            if last is None:
                return None
            by = By(*last)
            rows = db.execute(
                "SELECT body FROM judged WHERE log_id = ? AND match_id = ? AND head = ?"
                " AND engine = ? AND version = ? AND preset = ? ORDER BY game",
                (*match, *by),
            ).fetchall()
        return Found(by, tuple(msgspec.json.decode(body, type=JudgedGame) for (body,) in rows))

    def known(self, match: Match, by: By) -> set[int]:
        """Numbers of the games of a match as it stands that were judged so."""
        with self._gate:
            db = self._reading()
            if db is None:
                return set()
            rows = db.execute(
                "SELECT game FROM judged WHERE log_id = ? AND match_id = ? AND head = ?"
                " AND engine = ? AND version = ? AND preset = ?",
                (*match, *by),
            )
            return {game for (game,) in rows}

    def heads(self, by: By) -> dict[tuple[str, str], bytes]:
        """(log, match) to the head at which it was judged so to its end."""
        with self._gate:
            db = self._reading()
            if db is None:
                return {}
            rows = db.execute(
                "SELECT log_id, match_id, head FROM judged"
                " WHERE engine = ? AND version = ? AND preset = ?"
                " GROUP BY log_id, match_id, head HAVING count(*) = max(games)",
                by,
            )
            return {(log, match): head for log, match, head in rows}

    def put(self, match: Match, by: By, game: int, games: int, judged: JudgedGame) -> None:
        """Store what was found of game number `game` of `games`; stale results are deleted."""
        with self._gate:
            db = self._writing()
            with db:
                db.execute(
                    "DELETE FROM judged WHERE log_id = ? AND match_id = ? AND head <> ?", match
                )
                body = msgspec.json.encode(judged)
                db.execute(
                    "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*match, *by, game, games, body),
                )

    def close(self) -> None:
        """Let go of the file."""
        with self._gate:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _reading(self) -> sqlite3.Connection | None:
        if self._db is None and self._path is not None and not self._path.exists():
            return None
        return self._writing()

    def _writing(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = _opened(self._path)
        return self._db


def _opened(path: Path | None) -> sqlite3.Connection:
    """The file, made where it is missing, and emptied where it is of no use any more."""
    if path is None:
        return _checked(sqlite3.connect(":memory:", check_same_thread=False))
    path.parent.mkdir(parents=True, exist_ok=True)
    # It tells how well private persons play: for its owner alone.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        return _checked(sqlite3.connect(path, check_same_thread=False, timeout=10))
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return _checked(sqlite3.connect(path, check_same_thread=False, timeout=10))


def _checked(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        [version] = db.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            db.executescript(f"DROP TABLE IF EXISTS judged; PRAGMA user_version = {_VERSION};")
        db.executescript(_SCHEMA)
    except BaseException:
        db.close()
        raise
    return db
