"""The file of an index: its tables, and how it is opened, or made anew where it is of no use."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path
from typing import NamedTuple

from events.store.address import FileAddress, parse_address

_MEMORY = ":memory:"

INDEX_VERSION = 28
"""Raised with every change of the rows; another version in the file means: build it anew."""

_OF_ALL = """
CREATE TABLE meta (version INTEGER NOT NULL, secret BLOB NOT NULL, in_hand TEXT NOT NULL) STRICT;
CREATE TABLE cursor (log_id TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""

# Up to where a log was read, and the leaf of its last entry there: else what another archive has
# left at this place would pass for the beginning of a log of the same name.
_REACHED = """
CREATE TABLE IF NOT EXISTS reached (
  log_id TEXT PRIMARY KEY, position INTEGER NOT NULL, leaf BLOB NOT NULL
) STRICT, WITHOUT ROWID
"""

# Matches and persons are numbered, and rows are stored in the order in which they come. Stored by
# an id or a hash, each new row of a large archive would change another page.
_SCHEMA = """
CREATE TABLE match (
  number INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL, stream_id TEXT NOT NULL, opened_at INTEGER NOT NULL,
  version INTEGER NOT NULL, length INTEGER, score_one INTEGER NOT NULL, score_two INTEGER NOT NULL,
  games INTEGER NOT NULL, state TEXT NOT NULL, winner TEXT, is_public INTEGER NOT NULL,
  delay_ms INTEGER NOT NULL, findings INTEGER NOT NULL, questions INTEGER NOT NULL,
  rule_set TEXT, names TEXT NOT NULL, event TEXT, date TEXT, source TEXT, round TEXT,
  "table" TEXT,
  news INTEGER NOT NULL, news_ms INTEGER NOT NULL, awaits_ruling INTEGER NOT NULL,
  decisions TEXT NOT NULL, known TEXT NOT NULL, won_by TEXT,
  UNIQUE (stream_id, log_id)
) STRICT;
CREATE INDEX match_by_order ON match (log_id, opened_at);
CREATE INDEX match_public ON match (log_id, opened_at) WHERE is_public;
CREATE INDEX match_live ON match (log_id, opened_at)
  WHERE is_public AND (state = 'live' AND source IS NULL OR delay_ms > 0 OR awaits_ruling);
CREATE INDEX match_news ON match (news_ms + delay_ms, log_id, opened_at) WHERE is_public;
CREATE INDEX match_news_of ON match (log_id, news_ms + delay_ms, opened_at) WHERE is_public;
CREATE INDEX match_news_live ON match (news_ms + delay_ms, log_id, opened_at)
  WHERE is_public AND known = 'live' AND source IS NULL;
CREATE INDEX match_delays ON match (delay_ms) WHERE is_public AND delay_ms > 0;
CREATE INDEX match_delays_of ON match (log_id, delay_ms, opened_at)
  WHERE is_public AND delay_ms > 0;
CREATE INDEX match_recorded ON match (log_id, opened_at) WHERE source IS NULL;
CREATE INDEX match_decided ON match (log_id, is_public) WHERE decisions <> '';

CREATE TABLE log (
  log_id TEXT PRIMARY KEY, title TEXT, public INTEGER NOT NULL DEFAULT 0,
  live INTEGER NOT NULL DEFAULT 0, news_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX log_public ON log (live > 0, news_ms, log_id) WHERE public > 0;
CREATE TRIGGER match_added AFTER INSERT ON match WHEN new.is_public BEGIN
  INSERT INTO log (log_id, public, live, news_ms)
    VALUES (new.log_id, 1, new.known = 'live' AND new.source IS NULL, new.news_ms)
    ON CONFLICT (log_id) DO UPDATE SET public = public + 1, live = live + excluded.live,
      news_ms = max(news_ms, excluded.news_ms);
END;
CREATE TRIGGER match_changed AFTER UPDATE OF is_public, known, news_ms, delay_ms ON match
  WHEN old.is_public OR new.is_public BEGIN
  INSERT INTO log (log_id) VALUES (new.log_id) ON CONFLICT DO NOTHING;
  UPDATE log SET public = public + new.is_public - old.is_public,
    live = live
      + (new.is_public AND new.known = 'live' AND new.source IS NULL)
      - (old.is_public AND old.known = 'live' AND old.source IS NULL),
    news_ms = CASE WHEN old.is_public AND new.delay_ms > 0 THEN news_ms
      ELSE max(news_ms, new.news_ms) END
    WHERE log_id = new.log_id;
END;
CREATE TRIGGER match_gone AFTER DELETE ON match BEGIN
  UPDATE log SET public = public - old.is_public, live = live
      - (old.is_public AND old.known = 'live' AND old.source IS NULL)
    WHERE log_id = old.log_id;
  DELETE FROM playing WHERE match = old.number;
  DELETE FROM to_come WHERE log_id = old.log_id AND stream_id = old.stream_id;
END;

-- How many entries of a log strangers were told: no row of it, but to be known after a restart.
CREATE TABLE counted (log_id TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE to_come (
  log_id TEXT NOT NULL, stream_id TEXT NOT NULL, due_ms INTEGER NOT NULL,
  known TEXT NOT NULL, news_ms INTEGER NOT NULL, names TEXT NOT NULL,
  PRIMARY KEY (log_id, stream_id, due_ms)
) STRICT, WITHOUT ROWID;
CREATE INDEX to_come_by_due ON to_come (due_ms);

CREATE TABLE person (
  -- Never given to another one: a name that was learned stands by it in memory.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE, matches INTEGER NOT NULL
) STRICT;
CREATE INDEX person_by_matches ON person (matches, number % 32, number);
CREATE TABLE playing (
  match INTEGER NOT NULL, sd TEXT NOT NULL, seat INTEGER NOT NULL, person INTEGER NOT NULL,
  log_id TEXT NOT NULL, since_ms INTEGER NOT NULL, opened_at INTEGER NOT NULL
) STRICT;
CREATE INDEX playing_in ON playing (match);
CREATE INDEX playing_matches ON playing (person, since_ms, log_id, opened_at, match);
CREATE TRIGGER playing_gone AFTER DELETE ON playing BEGIN
  UPDATE person SET matches = matches - 1 WHERE number = old.person;
  DELETE FROM person WHERE number = old.person AND matches = 0;
END;
CREATE VIEW player AS
  SELECT playing.log_id, stream_id, sd, seat, hash AS person, since_ms, playing.opened_at
  FROM playing JOIN match ON match.number = playing.match
    JOIN person ON person.number = playing.person;
"""


class Tables(NamedTuple):
    """What is in the file of an index, beside what is in all of them."""

    suffix: str
    """Where it lies: the database's name and this."""
    schema: str
    """Its tables."""
    version: int
    """Raised with every change of them or of their rows."""


CACHES = (".index", ".search")
"""Endings of the files beside a database that are made anew at any time: the lists, the search."""

LISTS = Tables(CACHES[0], _SCHEMA, INDEX_VERSION)
"""The lists of matches and players."""


def index_file(url: str, tables: Tables = LISTS) -> Path | None:
    """Where an index of the archive at `url` lies: beside an SQLite file, else in memory."""
    address = parse_address(url)
    return (
        address.path.with_name(address.path.name + tables.suffix)
        if isinstance(address, FileAddress)
        else None
    )


def open_index(
    path: Path | None, in_hand: str = "", tables: Tables = LISTS, *, anew: bool = False
) -> sqlite3.Connection:
    """The file of an index, made anew where it is missing, of another version or damaged.

    So it is where it was made with other rule texts in hand (`in_hand`: `sentences.mark_of`).
    `anew`: in any case, where its first page says nothing of the damage behind it.
    """
    if path is not None:
        if anew:
            _take_away(path)
        try:
            return _writable(_checked(_connect(str(path)), in_hand, tables), path)
        except sqlite3.OperationalError:
            # It cannot be opened or written to, or another process is making it at this moment:
            # it is built in memory for this process, and that file is left alone.
            return _checked(_connect(_MEMORY), in_hand, tables)
        except sqlite3.DatabaseError:
            _take_away(path)
        with contextlib.suppress(sqlite3.DatabaseError):
            return _checked(_connect(str(path)), in_hand, tables)
    return _checked(_connect(_MEMORY), in_hand, tables)


def is_damage(error: BaseException | None) -> bool:
    """Whether an error says that the file is damaged, as one may be when the power went."""
    return (
        isinstance(error, sqlite3.DatabaseError)
        and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
    )


_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _take_away(path: Path) -> None:
    with contextlib.suppress(OSError):
        for suffix in ("", "-journal", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _writable(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """The index, or what is in it in memory, where its file can be read and not be written to.

    Of a copy on a read-only medium, or of another user's, what came since is taken in all the same.
    """
    # SQLite opens such a file all the same, and refuses the first row.
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return db
    with contextlib.closing(db):
        copied = in_memory()
        db.backup(copied)
    return copied


def in_memory() -> sqlite3.Connection:
    """A database in memory, to take in what is in the file of an index."""
    return _connect(_MEMORY)


def _connect(name: str) -> sqlite3.Connection:
    if name != _MEMORY:
        # It says who plays: for its owner alone. SQLite gives the journal beside it the same mode.
        with contextlib.suppress(OSError):
            os.close(os.open(name, os.O_RDWR | os.O_CREAT, 0o600))
            os.chmod(name, 0o600)
    db = sqlite3.connect(name, check_same_thread=False, timeout=10)
    db.row_factory = sqlite3.Row
    return db


def _checked(db: sqlite3.Connection, in_hand: str, tables: Tables) -> sqlite3.Connection:
    try:
        # It can be rebuilt at any time: nothing of it is worth waiting for the disk.
        db.execute("PRAGMA synchronous=OFF")
        # Of a large archive a search asks for rows all over it: with SQLite's two megabytes half of
        # its time would be reading pages again.
        db.execute("PRAGMA cache_size=-16384")
        # A row that was forgotten says who played, to whoever guesses the name: the key is here.
        db.execute("PRAGMA secure_delete=ON")
        # What a statement over a page of matches must be able to undo is kept there, not in a file.
        db.execute("PRAGMA temp_store=MEMORY")
        made = db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").fetchone()
        if made[0]:
            version = db.execute("SELECT version FROM meta").fetchone()
            if version is not None and version[0] == tables.version:
                made_with = db.execute("SELECT in_hand FROM meta").fetchone()[0]
                if made_with == in_hand:
                    db.execute(_REACHED)
                    return db
            raise sqlite3.DatabaseError("another version of the index")
        db.executescript(f"{_OF_ALL}{_REACHED};{tables.schema}")
        with db:
            secret = secrets.token_bytes(32)
            db.execute("INSERT INTO meta VALUES (?, ?, ?)", (tables.version, secret, in_hand))
    except BaseException:
        db.close()
        raise
    return db
