"""Copies of an archive: backup, restore, and the move to another database; all of them checked."""

from __future__ import annotations

import errno
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from api.archive.index.file import CACHES
from api.archive.keyring import Keyring, write_whole
from api.operating.parts import (
    KEYS,
    PUBLIC,
    SIGNED,
    Brought,
    Own,
    Place,
    Unsigned,
    bring_authority,
    bring_file,
    bring_files,
    bring_folder,
    bring_keys,
    check_ballots,
    check_files,
    check_keys,
    check_signed,
    own_of,
    place_in,
    ring,
)
from events.errors import BadInput, Damaged, NoArchive, RolledBack, Unverified
from events.store.address import (
    FileAddress,
    MemoryAddress,
    parse_address,
    url_of,
    without_password,
)
from events.store.fsck import FsckReport, fsck
from events.store.lock import WriterLock
from events.store.opening import LedgerStore, open_store
from events.store.passing import clear, passing_folder
from events.store.sql import SqlStore
from events.store.sql_copying import Copied
from events.store.still import opened_to_read, settle

T = TypeVar("T")

FORMAT = "tabularium-backup 1"
"""What a manifest calls itself."""

LEDGER = "ledger.sqlite"
"""The ledger in a backup: an SQLite file, whatever the archive itself is kept in."""

MANIFEST = "manifest.json"
"""Says what a backup holds; written last, so that a backup without it is none."""

UNFINISHED = ".unfinished"
"""Ending of an SQLite file that is being made: it gets its name when it is whole."""

_OF_SQLITE = ("-wal", "-shm", "-journal")

_CACHES = tuple(suffix + more for suffix in CACHES for more in ("", *_OF_SQLITE))

Moved = Callable[[int, int], None]


class _Manifest(msgspec.Struct):
    format: str
    logs: dict[str, tuple[int, str]] | None = None


_FORM = msgspec.json.Decoder(_Manifest)


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What a copy came to, and what its check said."""

    copied: Copied
    files: Brought
    keys: int
    """Keys that were brought along."""
    report: FsckReport | None
    """What `fsck` found in the copy; None where it was not asked."""


def back_up(
    url: str,
    place: Place,
    folder: Path,
    *,
    with_keys: bool,
    is_quick: bool = False,
    moved: Moved | None = None,
    origin: str,
    version: str,
) -> Made:
    """Make or update a backup, also while a server writes to the archive.

    An existing backup is updated: new entries are added, and erased values erased in it.

    Errors: RolledBack where the backup holds more than the archive; Unverified where it is of
    another one; BadInput where the folder holds something else; LedgerError, OSError.
    """
    _check_source(url)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    manifest, ledger = folder / MANIFEST, folder / LEDGER
    if not ledger.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} holds something else: name a new folder, or that of a backup")
    parts = place_in(folder)
    copied = _ledger(url, url_of(ledger), at_once=manifest.exists(), moved=moved)
    own = _own(url_of(ledger), place.ballots, parts.ballots)
    files = bring_files(place.files, parts.files, own)
    bring_folder(place.ballots, parts.ballots, only=own.ballots)
    keys = 0
    if with_keys or ring(parts.keys, origin) is not None:
        # A backup that once took the keys is checked by them, and they may have been rotated.
        kinds = KEYS if with_keys else PUBLIC
        keys = bring_keys(place.keys, parts.keys, kinds=kinds, follows=True)
    if with_keys:
        bring_folder(place.https, parts.https)
        bring_file(place.operator, parts.operator)
    report = None if is_quick else _checked(str(ledger), ring(parts.keys, origin))
    if report is None or not report.wrong_in_a_copy:
        told = {
            "format": FORMAT,
            "made_by": f"tabularium {version}",
            "logs": {head.log_id: [head.size, head.root.hex()] for head in copied.heads},
            "keys": any(parts.keys.iterdir()) if parts.keys and parts.keys.is_dir() else False,
        }
        write_whole(manifest, json.dumps(told, indent=1).encode() + b"\n", mode=0o600)
        _keep_reach(place, copied, origin)
    return Made(copied=copied, files=files, keys=keys, report=report)


def restore(
    folder: Path,
    url: str,
    place: Place,
    *,
    takes_older: bool = False,
    moved: Moved | None = None,
    origin: str,
) -> Made:
    """Put a backup in the place of an archive that is gone, once it is verified.

    Where the last signed checkpoints lie beside that place, the backup must go on from them: one
    that ends before them is taken with `takes_older` alone, and one that parts from them never.
    Files that lie there are kept: they may be newer than the backup.

    Errors: Damaged; RolledBack; Unverified; StoreBusy while a process writes there; BadInput where
    an archive is there already, or what was written last to one that was moved away.
    """
    with _free(url):
        return _restored(folder, url, place, takes_older=takes_older, moved=moved, origin=origin)


def _restored(
    folder: Path,
    url: str,
    place: Place,
    *,
    takes_older: bool,
    moved: Moved | None,
    origin: str,
) -> Made:
    _manifest(folder)
    ledger, parts = folder / LEDGER, place_in(folder)
    # The keys that lie beside its new place are asked; those of the backup where there are none.
    keyring = ring(place.keys, origin) or ring(parts.keys, origin)
    check_signed(str(ledger), ring(place.keys, origin), takes_older=takes_older)
    report = _checked(str(ledger), Unsigned(keyring) if keyring and takes_older else keyring)
    for finding in report.wrong_in_a_copy:
        if finding.code == "checkpoint-signature":
            raise Unverified(f"the backup is not of this archive: {finding.message}")
        raise Damaged(f"the backup is damaged ({finding.message}): take another one")
    bad = check_files(parts.files)
    if bad:
        raise Damaged(f"the file {bad[0]} of the backup is damaged: take another backup")
    for _, ballot in _read(str(ledger), partial(check_ballots, parts.ballots)):
        why = "is not what was sealed: take another backup, or delete it and have it cast again"
        raise Damaged(f"the closed ballot {ballot} of the backup {why}")
    with _brought_up(ledger, url) as source:
        _check_beginning(source, url)
        keys = bring_keys(parts.keys, place.keys, kinds=KEYS)
        bring_authority(parts.https, place.https)
        bring_file(parts.operator, place.operator)
        files = bring_files(parts.files, place.files)
        bring_folder(parts.ballots, place.ballots)
        copied = _into(source, url, moved)
    _keep_reach(place, copied, origin)
    return Made(copied=copied, files=files, keys=keys, report=report)


@contextmanager
def _brought_up(ledger: Path, target: str) -> Iterator[str]:
    """The ledger of a backup with the tables of this release; the backup itself stays as it is."""
    from migrations import current, head, upgrade, why_left_alone

    found = current(url_of(ledger))
    if found is None or found == head() or why_left_alone(found) is not None:
        yield url_of(ledger)  # or whoever copies it says why not
        return
    address = parse_address(target)
    near = address.path.parent if isinstance(address, FileAddress) else Path(tempfile.gettempdir())
    clear(near, UNFINISHED)
    with passing_folder(near, UNFINISHED, mode=0o700) as folder:
        fresh = folder / LEDGER
        with (
            closing(opened_to_read(FileAddress(ledger))) as read,
            closing(sqlite3.connect(fresh)) as write,
        ):
            read.backup(write)
        upgrade(url_of(fresh))
        yield url_of(fresh)


def copy(
    source: str,
    of: Place,
    target: str,
    to: Place,
    *,
    moved: Moved | None = None,
    origin: str,
) -> Made:
    """An archive with all that belongs to it into another database, to go on there.

    The keys come first, with what was signed last: a copy that was stopped half way is held by it
    until it is whole. Errors: those of `SqlCopying.take_copy`, OSError.
    """
    if parse_address(source) == parse_address(target):
        raise BadInput("--from and --to name the same database")
    with _free(target):
        _check_beginning(source, target)
        check_keys(of.keys, to.keys)
        keys = bring_keys(of.keys, to.keys, kinds=(*KEYS, SIGNED), follows=True)
        copied = _into(source, target, moved)
    own = _own(target, of.ballots, to.ballots)
    files = bring_files(of.files, to.files, own)
    bring_folder(of.ballots, to.ballots, only=own.ballots)
    bring_authority(of.https, to.https)
    bring_file(of.operator, to.operator)
    bring_folder(of.rules, to.rules)
    # Whoever writes to the source has signed on meanwhile; that is no fault of the copy's.
    keyring = ring(to.keys, origin)
    report = _checked(target, None if keyring is None else Unsigned(keyring))
    return Made(copied=copied, files=files, keys=keys, report=report)


def _keep_reach(place: Place, copied: Copied, origin: str) -> None:
    """Tell the archive how far its backup reaches: until then tablets keep what they sent."""
    if place.keys is None:
        return
    sizes = {head.log_id: head.size for head in copied.heads}
    try:
        Keyring(place.keys, origin=origin).keep_copied(sizes)
    except OSError as error:
        # An archive on a medium that takes no writes, as of a disk that fails: nobody records there
        # any more, and it is to be saved all the same.
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise


@contextmanager
def _free(target: str) -> Iterator[None]:
    """A place at which no archive is, kept free of writers. Errors: StoreBusy, BadInput.

    An SQLite file that gets its name beside another one's log of what was written last would take
    that for its own. Where an archive is there, whoever writes to it looks after that.
    """
    address = parse_address(target)
    if not isinstance(address, FileAddress) or address.path.exists():
        yield
        return
    for left in (_beside(address.path, "-wal"), _beside(address.path, "-journal")):
        if left.exists() and left.stat().st_size:
            raise BadInput(
                f"{left} lies there without its database: it holds what was written last to the one"
                f" that was moved away, and belongs beside that. Move it there, and"
                f" {_beside(address.path, '-shm').name} with it"
            )
    address.path.parent.mkdir(parents=True, exist_ok=True)
    lock = WriterLock(address.path).acquire()
    try:
        yield
        lock.is_in_order = True
    finally:
        lock.release()


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _into(source: str, target: str, moved: Moved | None) -> Copied:
    """A ledger into a database; an SQLite file gets its name when it is whole."""
    address = parse_address(target)
    if not isinstance(address, FileAddress) or address.path.exists():
        return _ledger(source, target, at_once=False, moved=moved)
    fresh = _beside(address.path, UNFINISHED)
    try:
        copied = _ledger(source, url_of(fresh), at_once=False, moved=moved)
    except (Damaged, RolledBack, Unverified):
        # What was stopped here was a copy of something else, or broke: nobody goes on with that.
        for suffix in ("", *_OF_SQLITE):
            _beside(fresh, suffix).unlink(missing_ok=True)
        copied = _ledger(source, url_of(fresh), at_once=False, moved=moved)
    settle(fresh)
    # Nothing of another archive may lie beside it: neither SQLite's files nor lists of its matches.
    for suffix in (*_OF_SQLITE, *_CACHES):
        _beside(address.path, suffix).unlink(missing_ok=True)
    fresh.replace(address.path)
    for suffix in (".lock", "-wal", "-shm"):
        _beside(fresh, suffix).unlink(missing_ok=True)
    return copied


def _check_beginning(source: str, target: str) -> None:
    """Refuse a target that a copy cannot continue, before any of its keys are replaced.

    Errors: Unverified and RolledBack where another archive is there, or more of this one;
    StoreBusy while a process writes there.
    """
    from migrations import current, upgrade

    with _told_of(target):
        if isinstance(parse_address(target), MemoryAddress) or current(target) is None:
            return
    _check_source(source)
    with _told_of(target):
        upgrade(target)
        there = open_store(target)
    with closing(there), closing(open_store(source, read_only=True)) as read:
        assert isinstance(read, SqlStore)
        assert isinstance(there, SqlStore)
        there.check_beginning(read)


def _check_source(source: str) -> None:
    """Whether there is an archive of this release to copy. Errors: BadInput, NoArchive."""
    # Imported here: whoever copies nothing waits for no driver.
    from migrations import current, head, why_left_alone

    _check_lasts(source)
    found = current(source)
    if found is None:
        raise NoArchive(f"there is no archive at {without_password(source)}")
    if (why := why_left_alone(found)) is not None:
        raise BadInput(f"{without_password(source)}: {why}")
    if found != head():
        raise BadInput(
            f"the archive at {without_password(source)} is of another release: start this release's"
            " `tabularium serve` on it once. That cannot be taken back: to be able to return, stop"
            " the server first, and copy the database as it is, with all that lies beside it"
        )


def _check_lasts(url: str) -> None:
    if isinstance(parse_address(url), MemoryAddress):
        raise BadInput("an archive in memory is gone with its process: it has no copies")


def _ledger(source: str, target: str, *, at_once: bool, moved: Moved | None) -> Copied:
    from migrations import upgrade

    _check_source(source)
    _check_lasts(target)
    with _told_of(target):
        upgrade(target)
    read = open_store(source, read_only=True)
    try:
        with _told_of(target):
            write = open_store(target)
        try:
            assert isinstance(read, SqlStore)
            assert isinstance(write, SqlStore)
            return write.take_copy(read, moved, at_once=at_once)
        finally:
            write.close()
    finally:
        read.close()


@contextmanager
def _told_of(target: str) -> Iterator[None]:
    """Whose fault it is where a copy that is to be gone on with is damaged. Errors: Damaged."""
    from sqlalchemy.exc import DatabaseError, OperationalError

    try:
        yield
    except (OperationalError, sqlite3.OperationalError):
        raise
    except (DatabaseError, sqlite3.DatabaseError, Damaged) as error:
        told = getattr(error, "orig", None) or error
        raise Damaged(
            f"the copy at {without_password(target)} is damaged ({told}): move it away, or name a"
            " new place; nothing was found wrong with what is copied"
        ) from None


def _own(url: str, *ballots: Path | None) -> Own:
    """What of the folders beside it is the archive's own, by the ledger at `url`."""
    return _read(url, lambda store: own_of(store, *ballots))


def _checked(url: str, keyring: Keyring | Unsigned | None) -> FsckReport:
    return _read(url, lambda store: fsck(store, signed=keyring))


def _read(url: str, ask: Callable[[LedgerStore], T]) -> T:
    """What is asked of the ledger at `url`."""
    with closing(open_store(url, read_only=True)) as store:
        return ask(store)


def _manifest(folder: Path) -> None:
    try:
        told = _FORM.decode((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        why = (
            "it was not finished, and `tabularium backup` into it goes on with it"
            if (folder / LEDGER).exists()
            else "name the folder that `tabularium backup` made"
        )
        raise BadInput(f"{folder} is no backup that can be restored: {why}") from None
    except (ValueError, msgspec.DecodeError, RecursionError):
        raise Damaged(f"{folder / MANIFEST} cannot be read: take another backup") from None
    if told.format != FORMAT:
        raise BadInput(f"{folder / MANIFEST} is of another kind of backup")
    if told.logs is None:
        raise Damaged(f"{folder / MANIFEST} does not say what is in it: take another backup")
    store = open_store(str(folder / LEDGER), read_only=True)
    try:
        sizes = {head.log_id: head.size for head in store.logs()}
    finally:
        store.close()
    for log_id, (size, _) in told.logs.items():
        if sizes.get(log_id, 0) < size:
            raise Damaged(f"the backup lacks entries of log {log_id}: take another one")
