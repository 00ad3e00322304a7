"""The whole audit of an archive: its ledger, and all else that it shows to people.

`events/store/fsck.py` reads the ledger alone; here are the tables themselves, the files that lie
beside the database, and the lists, which are computed anew and compared.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from api.archive.archive import Archive
from api.archive.index.file import INDEX_VERSION, index_file
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring
from api.operating.parts import Place, check_ballots, check_files
from api.operating.schema import faults_of
from events.errors import LedgerError
from events.store.address import FileAddress
from events.store.fsck import FINDING_CODES, FsckFinding, FsckReport, fsck
from events.store.fsck_tournament import TournamentFacts
from events.store.still import opened_to_read
from projections.rules.sentences import mark_of

CODES = {
    **FINDING_CODES,
    "release": "the database's tables are of another release",
    "schema": "the database's tables or guards are not those of this release",
    "file": "a file's bytes are not those that its hash names",
    "file-not-erased": "a file is still there that the log says is erased",
    "ballot": "a closed ballot is not what was sealed: it is not opened, and can be cast again",
    "index": "a list does not say what the ledger says: delete the file, it is made anew",
}
"""Every finding of the whole audit, with what it means."""

_Table = Literal["match", "log", "player"]

_ROWS: dict[_Table, tuple[str, str, tuple[str, ...]]] = {
    # These columns are not compared: when news reached the list depends on when it was read, what
    # the public knows on when somebody asked, and the number on what came before.
    "match": ("log_id", "stream_id", ("number", "news_ms", "known")),
    "log": ("log_id", "log_id", ("news_ms", "live")),
    "player": ("log_id", "stream_id", ()),
}
"""Tables of the index: whose rows they are, of what, and what is left out of the comparison."""

Moved = Callable[[int, int], None]


def audit_tables(url: str) -> list[FsckFinding]:
    """What is wrong with the tables themselves: asked before anything is read from them."""
    return [FsckFinding(code=code, log_id="", message=fault) for code, fault in faults_of(url)]


def audit(
    archive: Archive, keyring: Keyring | None, place: Place, moved: Moved | None = None
) -> FsckReport:
    """Check the ledger, the files, the ballots and the lists of an archive that is open."""
    report = fsck(archive.store, moved, signed=keyring)
    more: list[FsckFinding] = []
    if not any(one.code in ("unreadable", "database") for one in report.findings):
        more += _of_files(archive, place.files)
        for log_id, ballot in check_ballots(place.ballots, archive.store):
            message = f"what is kept of {ballot} does not open it"
            more.append(FsckFinding(code="ballot", log_id=log_id, message=message))
        # What is computed of entries that are not as sealed says nothing about the lists.
        if report.clean:
            more += _of_index(archive, index_file(archive.url))
    return msgspec.structs.replace(report, findings=(*report.findings, *more))


def _of_files(archive: Archive, folder: Path | None) -> list[FsckFinding]:
    if folder is None or not folder.is_dir():
        return []
    found = []
    for place in check_files(folder):
        log_id, _, name = place.partition("/")
        message = f"{name} has other bytes than its name says: it is served to nobody"
        found.append(FsckFinding(code="file", log_id=log_id, message=message))
    for log in archive.store.logs():
        facts = TournamentFacts(archive.store, log.log_id)
        facts.read_on()
        for name in sorted(facts.erased):
            if (folder / log.log_id / name[:2] / name).exists():
                message = f"{name} is still here: erase it again"
                found.append(
                    FsckFinding(code="file-not-erased", log_id=log.log_id, message=message)
                )
    return found


def _of_index(archive: Archive, path: Path | None) -> list[FsckFinding]:
    """Compute the lists anew and compare them with those that are kept, where any are."""
    if path is None or not path.is_file():
        return []
    try:
        with contextlib.closing(opened_to_read(FileAddress(path))) as db:
            db.row_factory = sqlite3.Row
            db.execute("BEGIN")
            # Its other columns are those of its version.
            kept_as = db.execute("SELECT version FROM meta").fetchone()
            if kept_as is None or kept_as["version"] != INDEX_VERSION:
                return []  # It is made anew by whoever opens it.
            meta = db.execute("SELECT secret, in_hand FROM meta").fetchone()
            if meta["in_hand"] != mark_of(archive.reading.in_hand):
                return []
            cursors = dict(map(tuple, db.execute("SELECT log_id, position FROM cursor").fetchall()))
            kept = {table: _rows(db, table) for table in _ROWS}
            waits = _waiting(db.execute("SELECT * FROM to_come").fetchall())
    except sqlite3.Error as error:
        return [FsckFinding(code="index", log_id="", message=f"it cannot be read: {error}")]
    try:
        anew = MatchIndex(archive.store, archive.reading, secret=meta["secret"])
    except LedgerError as error:
        return [FsckFinding(code="index", log_id="", message=str(error))]
    with contextlib.closing(anew):
        anew.catch_up()
        made = {table: _keyed(table, anew.dump(table)) for table in _ROWS}
        sizes = dict(map(tuple, anew.dump("cursor")))
        waits |= _waiting(anew.dump("to_come"))
    found = []
    for table in _ROWS:
        for key in sorted(kept[table].keys() | made[table].keys(), key=repr):
            log_id, one = key[0], key[1]
            before, now = kept[table].get(key), made[table].get(key)
            if before == now or (table == "player" and (log_id, one) in waits):
                continue
            # What has not been taken in yet is no contradiction: it is behind, and says so.
            is_behind = cursors.get(log_id, 0) < sizes.get(log_id, 0)
            if is_behind and (table != "match" or before is None or _is_older(before, now)):
                continue
            message = f"{table} {one} is listed otherwise than the ledger has it"
            stream = one if table != "log" else None
            found.append(
                FsckFinding(code="index", log_id=log_id, message=message, stream_id=stream)
            )
    return found


def _waiting(rows: list[sqlite3.Row]) -> set[tuple[str, str]]:
    """Matches of which the public is to know more: who plays may be listed as it knows it."""
    return {(row["log_id"], row["stream_id"]) for row in rows}


def _rows(db: sqlite3.Connection, table: _Table) -> dict[tuple[Any, ...], dict[str, Any]]:
    return _keyed(table, db.execute(f"SELECT * FROM {table}").fetchall())


def _keyed(table: _Table, rows: list[sqlite3.Row]) -> dict[tuple[Any, ...], dict[str, Any]]:
    log_id, one, left_out = _ROWS[table]
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        values = {name: row[name] for name in row.keys() if name not in left_out}  # noqa: SIM118
        key = (row[log_id], row[one], *((row["sd"],) if table == "player" else ()))
        found[key] = values
    return found


def _is_older(before: dict[str, Any], now: dict[str, Any] | None) -> bool:
    return now is not None and int(before["version"]) < int(now["version"])
