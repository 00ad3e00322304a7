"""Takes match files in: each match in a file becomes one stream, appended as one unit."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec

from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.exchange.readers import FOREIGN_SUFFIXES, PACKED_SUFFIXES, READERS, SUFFIXES
from api.exchange.reading.sniff import MAX_FILE_BYTES, Format
from api.imports.ready import FileRefused, MatchResult, ReadyMatch, ReadySealed, stream_id_of
from api.imports.restoring import restore
from events.errors import ExpectedVersionMismatch, LedgerError, LogExists, TooLarge

IMPORTS_LOG = "imports"
"""The log that imported matches go to by default."""

IMPORTS_TITLE = "Imported matches"
"""What that log is called."""


class Known(msgspec.Struct, frozen=True):
    """A file that was imported before, recognised by its bytes and not read again."""

    file: str
    """The file, as it was named."""
    match_id: str
    """Stream of its first match."""
    log_id: str
    """The log that holds it."""

    def as_json(self) -> dict[str, object]:
        """What there is to say without reading it."""
        return {"file": self.file, "match_id": self.match_id, "already": True}


Outcome = MatchResult | Known | FileRefused
"""What became of a match, or of a file as a whole."""


class Taker(Protocol):
    """Where matches go: the archive of this process, or a server that is writing to it."""

    for_server: bool
    """Whether it takes requests of the HTTP API, and not units for a store."""

    def knows(self, log_id: str, stream_id: str) -> bool:
        """Whether the log holds this stream. Errors: LedgerError."""
        ...

    def take(self, log_id: str, matches: Sequence[ReadyMatch]) -> list[bool | TooLarge]:
        """Append each match whole or not at all, in this order.

        For each: whether it was there before, or why it cannot be taken in. Errors: LedgerError,
        where none of those after it can be either.
        """
        ...

    def restore(self, file: ReadySealed) -> Sequence[MatchResult | FileRefused]:
        """Take in a file of sealed entries, and say what became of it. Errors: LedgerError."""
        ...


class Loaded(msgspec.Struct, frozen=True):
    """A file in memory."""

    file: str
    """As it was named; a name of bytes that are no text is shown with marks in their place."""
    source_name: str
    """Its last part, which the archive keeps."""
    data: bytes
    """What it holds."""

    def first_stream(self, log_id: str) -> str:
        """Stream of its first match, which is appended last: if it exists, all of them do."""
        return stream_id_of(log_id, hashlib.sha256(self.data).hexdigest(), 1)


def load(path: Path) -> Loaded | FileRefused:
    """The bytes of a file, or why it has none to read."""
    name = os.fsencode(path).decode("utf-8", "replace")
    try:
        # Opened before it is looked at: what is looked at is what is read.
        with open(path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return FileRefused(name, "it is neither a file nor a folder; name one of these")
            # A file that cannot be a match is not read into memory to find that out.
            data = _read(file, status.st_size) if status.st_size <= MAX_FILE_BYTES else b""
    except FileNotFoundError:
        if path.is_symlink():
            return FileRefused(name, "it is a link, and there is no file where it leads")
        return FileRefused(name, "there is no such file; look at how it is spelled")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return FileRefused(name, f"it cannot be read: {reason or error}")
    if max(status.st_size, len(data)) > MAX_FILE_BYTES:
        return FileRefused(
            name, f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB; divide it"
        )
    return Loaded(name, os.fsencode(path.name).decode("utf-8", "replace"), data)


def _read(file: BinaryIO, size: int) -> bytes:
    """A file said to have `size` bytes; cut off where it has grown beyond what is taken."""
    # A buffer for the largest file there may be takes longer to make than most files to read.
    data = file.read(size + 1)
    return data if len(data) <= size else data + file.read(MAX_FILE_BYTES + 1 - len(data))


def _open_at_once(path: str, flags: int) -> int:
    # A pipe without a writer would be waited for.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def readable_suffixes() -> frozenset[str]:
    """Suffixes of files that are taken from folders; a file named itself is always read."""
    return frozenset(suffix for form in (*READERS, Format.JSONL) for suffix in SUFFIXES[form])


def left_out(paths: Iterable[Path]) -> tuple[dict[str, int], dict[str, int]]:
    """What is not taken from the named folders, by suffix: to be told, not dropped.

    First match files of formats that nobody reads, then files that by their names are none, and
    links to folders (`/`), which are not followed.
    """
    taken = readable_suffixes()
    foreign = FOREIGN_SUFFIXES.union(PACKED_SUFFIXES, *SUFFIXES.values())
    unread: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for folder in filter(_is_folder, paths):
        for root, folders, names in os.walk(folder):
            for name in names:
                suffix = os.path.splitext(name)[1].lower()
                if suffix not in taken and not name.startswith("."):
                    (unread if suffix in foreign else others)[suffix] += 1
            others["/"] += sum(Path(root, name).is_symlink() for name in folders)
    return dict(unread), dict(+others)


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are named, and those of the named folders that look like match files.

    In one order, however often it is asked; no more than the names of one folder are kept. So are
    folders that cannot be looked into: `load` says of each why it has nothing to read.
    """
    wanted = readable_suffixes()
    for path in paths:
        if _is_folder(path):
            yield from _walk(path, wanted)
        else:
            yield path


def _walk(folder: Path, suffixes: Collection[str]) -> Iterator[Path]:
    """Files whose names end so; behind them the folders that cannot be looked into."""
    closed: list[Path] = []
    for root, folders, names in os.walk(
        folder, onerror=lambda error: closed.append(Path(os.fsdecode(error.filename)))
    ):
        folders.sort()
        for name in sorted(names):
            found = Path(root, name)
            if found.suffix.lower() in suffixes:
                yield found
    yield from closed


def _is_folder(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.is_dir()
    return False  # It lies where nobody may look: whoever reads it is told why.


class LocalTaker:
    """Appends to the archive that this process has open, many matches with one commit."""

    for_server = False

    def __init__(self, archive: Archive, index: MatchIndex | None = None) -> None:
        self.archive = archive
        self.index = index
        """The list of matches, which is told of what came; None = it finds out by itself."""
        self._opened: set[str] = set()

    def knows(self, log_id: str, stream_id: str) -> bool:
        """Whether the log holds this stream: one look-up by key, whatever the archive's size."""
        return self.archive.store.stream_head(log_id, stream_id) is not None

    def take(self, log_id: str, matches: Sequence[ReadyMatch]) -> list[bool | TooLarge]:
        """Append; a stream that exists is left as it is. Errors: LedgerError."""
        self._open(log_id)
        streams = [match.stream for match in matches if match.stream is not None]
        answers = self.archive.store.append_sealed(streams)
        rows = [
            msgspec.structs.replace(match.row, opened_at=answer)
            for match, answer in zip(matches, answers, strict=True)
            if isinstance(answer, int)
        ]
        if rows and self.index is not None:
            self.index.took_all(log_id, rows)
        return [_already(answer) for answer in answers]

    def restore(self, file: ReadySealed) -> Sequence[MatchResult | FileRefused]:
        """Put the entries into the logs that they name, as they are. Errors: LedgerError."""
        return restore(self.archive, self.index, file)

    def _open(self, log_id: str) -> None:
        if log_id in self._opened:
            return
        known = {head.log_id for head in self.archive.store.logs()}
        if log_id not in known:
            title = IMPORTS_TITLE if log_id == IMPORTS_LOG else log_id
            # Another hand may open it at the same moment.
            with contextlib.suppress(LogExists, ExpectedVersionMismatch):
                self.archive.open_tournament(log_id, title, recorded_by="import")
        if self.index is not None:
            self.index.catch_up([log_id])
        self._opened.add(log_id)


def _already(answer: int | LedgerError) -> bool | TooLarge:
    if isinstance(answer, TooLarge):
        return answer
    if isinstance(answer, ExpectedVersionMismatch):
        # It is there, or another hand took the same file in at the same moment.
        return True
    if isinstance(answer, LedgerError):
        raise answer
    return False
