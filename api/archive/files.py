"""Files that entries name by their hash: photos, videos, sheets; kept beside the database."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from events.errors import Damaged
from events.store.address import FileAddress, MemoryAddress, parse_address
from events.store.passing import Passing, clear

MAX_FILE_BYTES = 50 * 1024 * 1024
"""Largest file that is taken."""

LEFT_FREE = 256 * 1024 * 1024
"""Bytes of the disk that no file may take: the database beside them must be able to grow."""

STALE_MS = 24 * 60 * 60_000
"""Age of an upload that will not be gone on with, milliseconds."""

OCTETS = "application/octet-stream"
"""What a file is called whose kind was not said."""

IMAGES = frozenset({"image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"})
"""Kinds that a browser may show; an SVG is a program, and is sent as a file."""

_PUT = re.compile(r"/logs/[^/]+/files/[^/]+")
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}")
_INCOMING = ".incoming"
_PART = ".part"


def is_upload(method: str, path: str) -> bool:
    """Whether a request sends a file, whose body may be larger than that of others."""
    return method == "PUT" and _PUT.fullmatch(path) is not None


def folder_of(url: str, named: Path) -> Path | None:
    """Where the files of the archive at `url` lie: beside an SQLite file, else in `named`.

    None for an archive in memory, whose files are gone with it.
    """
    match parse_address(url):
        case FileAddress(path=path):
            return path.with_name(path.name + ".files")
        case MemoryAddress():
            return None
        case _:
            return named


def media_type_of(header: str | None) -> str:
    """The kind of a file, without parameters; of what is none, nothing is said."""
    kind = (header or "").partition(";")[0].strip().lower()
    return kind if _TYPE.fullmatch(kind) else OCTETS


_SOUND_FILES = 10_000
"""Files that are remembered as sound; beyond them all are hashed once more."""

_Mark = tuple[int, int, int, int, int]
"""Device, inode, size, and when contents and inode changed last: nobody sets the latter."""


def _mark_of(path: Path) -> _Mark:
    found = path.stat()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class Kept(NamedTuple):
    """A file that is kept."""

    path: Path
    media_type: str
    size: int


class FileStore:
    """Files by log and hash. A file is there whole, with its kind beside it, or not at all.

    Each log has files of its own: whoever may read one log must not be able to ask whether
    another one has a photo.
    """

    def __init__(
        self, folder: Path | None, now_ms: Callable[[], int], *, quota_bytes: int | None = None
    ) -> None:
        self._folder = folder
        self._quota = quota_bytes
        self._cleared: Path | None = None
        self._was_there = folder is not None and folder.is_dir()
        self._now_ms = now_ms
        self._choosing = threading.RLock()
        self._sound: dict[Path, _Mark] = {}
        """Files whose bytes were found to be those of their names, by what they looked like."""

    def trouble(self) -> str | None:
        """Why no file can be kept or shown now; None if nothing is wrong. Blocks.

        A folder that was never made is no trouble: the first file makes it.
        """
        folder = self._folder
        if folder is None:
            return None
        if not folder.is_dir():
            was_there = self._was_there or self._cleared is not None or os.path.lexists(folder)
            return "the folder of photos and files is gone: put it back" if was_there else None
        self._was_there = True
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return "the folder of photos and files cannot be written to: correct its permissions"
        return None

    @property
    def folder(self) -> Path:
        """Where they lie; a folder of its own that goes with this object, where none is named."""
        # Two uploads begin in two threads at once, and must come to the same folder.
        with self._choosing:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="tabularium-files-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            return self._folder

    def find(self, log_id: str, sha256: str) -> Kept | None:
        """A log's file of this hash; None if there is none."""
        path = self._path(log_id, sha256)
        with contextlib.suppress(OSError):
            size = path.stat().st_size
            return Kept(path, self._media_type(path), size)
        return None

    def check(self, kept: Kept) -> None:
        """Whether the bytes are still those that the name says; hashed when the file is another.

        Blocks. Errors: Damaged, OSError.
        """
        mark = _mark_of(kept.path)
        if self._sound.get(kept.path) == mark:
            return
        with kept.path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != kept.path.name or _mark_of(kept.path) != mark:
            self._sound.pop(kept.path, None)
            raise Damaged(
                f"the file {kept.path.name} is not what was sent in under this hash: it is shown to"
                " nobody. Run `tabularium fsck`, and put the file back from a backup"
            )
        if len(self._sound) >= _SOUND_FILES:
            self._sound.clear()
        self._sound[kept.path] = mark

    def incoming(self) -> Incoming:
        """A place for bytes whose hash is not known yet. Errors: OSError."""
        folder = self._incoming
        # It takes the largest file there may be, and is asked again with each piece that comes:
        # many may be coming in at once.
        check_floor(folder, MAX_FILE_BYTES)
        return Incoming(folder)

    def used(self, log_id: str) -> int:
        """Bytes of a log's files. Errors: OSError."""
        folder = self.folder / log_id
        return sum(path.stat().st_size for path in folder.glob("??/*") if path.is_file())

    def has_room(self, log_id: str, size: int) -> bool:
        """Whether the log may keep so many bytes more. Errors: OSError."""
        return self._quota is None or self.used(log_id) + size <= self._quota

    def clear(self) -> None:
        """Take away the halves of files that processes which are gone have left. Blocks."""
        with self._choosing:
            folder = None if self._folder is None else self._folder / _INCOMING
            if folder is None or not folder.is_dir():
                return
            clear(folder, _PART)
            for path in folder.iterdir():
                # Of a release that held none: a younger one may be another process's.
                with contextlib.suppress(OSError):
                    changed_ms = path.stat().st_mtime * 1_000
                    if path.suffix != _PART and changed_ms < self._now_ms() - STALE_MS:
                        path.unlink()

    @property
    def _incoming(self) -> Path:
        with self._choosing:
            if self._cleared is None:
                folder = self.folder / _INCOMING
                # For their owner alone, as is all that lies beside a database.
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.mkdir(exist_ok=True)
                self.clear()
                self._cleared = folder
            else:
                # Somebody may have tidied up. Where the files themselves are gone, as with a disk
                # that is not there any more, nothing is kept in their stead.
                self._cleared.mkdir(exist_ok=True)
            return self._cleared

    def keep(self, log_id: str, incoming: Incoming, media_type: str) -> bool:
        """Keep what came in under its hash; False if the log has it already. Errors: OSError."""
        path = self._path(log_id, incoming.sha256)
        if path.exists():
            return False
        made = not path.parent.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        # The kind first: whoever finds the file finds its kind.
        self._write(_beside(path), json.dumps({"content_type": media_type}).encode())
        incoming.put(path)
        _sync_folder(path.parent)
        if made:
            _sync_folder(path.parent.parent)
            _sync_folder(self.folder)
        return True

    def erase(self, log_id: str, sha256: str) -> None:
        """Leave nothing of a log's file, if it is there. Errors: OSError."""
        path = self._path(log_id, sha256)
        path.unlink(missing_ok=True)
        _beside(path).unlink(missing_ok=True)
        _sync_folder(path.parent)

    def _path(self, log_id: str, sha256: str) -> Path:
        return self.folder / log_id / sha256[:2] / sha256

    def _media_type(self, path: Path) -> str:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return media_type_of(json.loads(_beside(path).read_bytes()).get("content_type"))
        return OCTETS

    def _write(self, path: Path, body: bytes) -> None:
        with Passing(self._incoming, _PART) as fresh:
            fresh.file.write(body)
            fresh.put(path)


class Incoming(Passing):
    """Bytes on their way in, hashed while they are written; gone unless they are kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _PART)
        self.size = 0
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Hash of what came in so far."""
        return self._hash.hexdigest()

    def write(self, chunk: bytes) -> None:
        """Take in some more. Errors: OSError."""
        check_floor(self.path.parent, len(chunk))
        self._hash.update(chunk)
        self.size += len(chunk)
        self.file.write(chunk)


def check_floor(folder: Path, size: int) -> None:
    """Whether the disk has room for so many bytes and for the archive. Errors: OSError."""
    if shutil.disk_usage(folder).free < LEFT_FREE + size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _sync_folder(folder: Path) -> None:
    # A folder cannot be opened on every system; the file itself is on the disk.
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
