"""Sessions of browsers: known by random words, and ended by expiry or by signing out.

A cookie holds such a word and nothing of the token, so a stolen cookie is useless once its session
has ended. The server keeps the hashes of the words in a private file beside the database, so that a
restart signs nobody out in the middle of an event.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

from api.archive.keyring import place_of
from api.archive.lateness import Steps, boot_of_machine
from api.settings import default_sessions
from events.store.address import MemoryAddress, parse_address

_TABLES = (
    "CREATE TABLE IF NOT EXISTS session (word BLOB PRIMARY KEY, token TEXT NOT NULL,"
    " ends_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS session_token ON session (token, ends_ms)",
    "CREATE INDEX IF NOT EXISTS session_ends ON session (ends_ms)",
    "CREATE TABLE IF NOT EXISTS clock (boot TEXT PRIMARY KEY, between_ms INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID",
)
_HOUR_MS = 3_600_000

MOST_OF_A_TOKEN = 1_000
"""Most sessions of one token, which a whole club may share: repeated sign-ins do not make the file
larger, because the oldest session is signed out."""

_BEYOND = (
    "DELETE FROM session WHERE word IN (SELECT word FROM session WHERE token = ?"
    " ORDER BY ends_ms DESC, word LIMIT -1 OFFSET ?)"
)

_log = logging.getLogger(__name__)


def sessions_file(url: str, named: Path | None) -> Path | None:
    """Where they are kept: in `named`, else by the archive's address; None = it lies in memory."""
    if named is not None:
        return named
    if isinstance(parse_address(url), MemoryAddress):
        return None
    return place_of(url, "sessions", default_sessions())


class Sessions:
    """Who has signed in. Any thread may call it."""

    def __init__(
        self,
        path: Path | None,
        now_ms: Callable[[], int],
        steps: Steps | None = None,
        *,
        hours: int,
    ) -> None:
        self._now_ms = now_ms
        self._steps = steps
        self._lasts_ms = hours * _HOUR_MS
        self._turn = threading.Lock()
        self._unkept: dict[bytes, tuple[str, int] | None] = {}
        """Changes that could not be written, as when the disk is full: a session, or its end."""
        self._step_ms = 0
        """How far the clock was set, if the file does not contain it yet."""
        self._db = _opened(path)
        weakref.finalize(self, self._db.close)
        self._recall()

    def begin(self, token_sha256: str) -> str:
        """The word of a new session of whoever has this token."""
        word = secrets.token_urlsafe(32)
        with self._turn:
            self._move()
            ends_ms = self._now_ms() - self._step_ms + self._lasts_ms
            self._keep(_hashed(word), (token_sha256, ends_ms))
        return word

    def token_of(self, word: str) -> str | None:
        """Hash of the token that a session was begun with; None where it is unknown or over."""
        hashed = _hashed(word)
        with self._turn:
            self._move()
            if hashed in self._unkept:
                found = self._unkept[hashed]
            else:
                found = self._db.execute(
                    "SELECT token, ends_ms FROM session WHERE word = ?", (hashed,)
                ).fetchone()
            is_over = found is None or found[1] <= self._now_ms() - self._step_ms
        return None if found is None or is_over else str(found[0])

    def end(self, word: str) -> None:
        """Nobody goes on with it."""
        with self._turn:
            self._keep(_hashed(word), None)

    def _move(self) -> None:
        """If the clock was set, move the sessions, so that none ends early or lasts longer."""
        self._step_ms += 0 if self._steps is None else self._steps.taken()
        if self._step_ms:
            self._write()

    def _keep(self, word: bytes, session: tuple[str, int] | None) -> None:
        self._unkept[word] = session
        self._write()

    def _write(self) -> None:
        """Write the changes to the file; what cannot be written stays in memory until it can."""
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                if self._step_ms:
                    self._db.execute("UPDATE session SET ends_ms = ends_ms + ?", (self._behind(),))
                    self._keep_clock()
                for word, session in self._unkept.items():
                    self._db.execute("DELETE FROM session WHERE word = ?", (word,))
                    if session is not None:
                        row = (word, session[0], session[1] + self._step_ms)
                        self._db.execute("INSERT INTO session VALUES (?, ?, ?)", row)
                        self._db.execute(_BEYOND, (session[0], MOST_OF_A_TOKEN))
                self._db.execute("DELETE FROM session WHERE ends_ms <= ?", (self._now_ms(),))
        except sqlite3.Error as error:
            _log.warning("who has signed in is not kept for the next start: %s", error)
        else:
            self._unkept.clear()
            self._step_ms = 0

    def _recall(self) -> None:
        """Notice a clock that was set while no server ran.

        After a restart of the machine this cannot be known.
        """
        boot = boot_of_machine()
        if self._steps is None or boot is None:
            return
        with self._turn:
            kept = self._db.execute("SELECT between_ms FROM clock WHERE boot = ?", (boot,))
            if (found := kept.fetchone()) is not None:
                self._steps.recall(found[0])
                self._move()
            with contextlib.suppress(sqlite3.Error), self._db:
                self._keep_clock()

    def _behind(self) -> int:
        """How far the clock was set, if the file does not contain it yet.

        Servers that share the file all notice the step, and one of them moves the sessions.
        """
        kept = self._db.execute("SELECT between_ms FROM clock WHERE boot = ?", (boot_of_machine(),))
        found = kept.fetchone()
        if found is None or self._steps is None:
            return self._step_ms
        return int(self._steps.between_ms - found[0])

    def _keep_clock(self) -> None:
        boot = boot_of_machine()
        if self._steps is not None and boot is not None:
            self._db.execute("DELETE FROM clock")
            self._db.execute("INSERT INTO clock VALUES (?, ?)", (boot, self._steps.between_ms))


def _hashed(word: str) -> bytes:
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()


def _opened(path: Path | None) -> sqlite3.Connection:
    """The file; memory if it cannot be used, and then a restart signs everybody out."""
    if path is not None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            path.chmod(0o600)
            return _with_tables(str(path))
        except (OSError, sqlite3.Error) as error:
            _log.warning("sessions are kept in memory alone, until the next start: %s", error)
    return _with_tables(":memory:")


def _with_tables(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, check_same_thread=False, timeout=2)
    try:
        db.execute("PRAGMA secure_delete=ON")
        for table in _TABLES:
            db.execute(table)
    except sqlite3.Error:
        db.close()
        raise
    return db
