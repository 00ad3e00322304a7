"""The report of a run over a whole archive: a file of one line a match, which a later run goes on.

Its first line says what was asked; each other one is a `Verdict`. A run that is broken off leaves
what it had judged. The next one judges the rest, and what has grown since: of two lines of one
match the later one counts, and once all is judged the earlier one is left out.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from api.archive.keyring import write_whole
from api.rejudged.pieces import Key
from api.rejudged.verdicts import Verdict
from events.errors import LedgerError, StoreBusy, StoreFailed
from events.store.lock import WriterLock
from events.store.passing import clear

FORMAT = "tabularium-judged"
FORMAT_VERSION = 1


class NotReported(LedgerError):
    """The report cannot be written or gone on with; `str()` says why and what to do."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a report is about."""

    rules: str | None
    """Id of the rule set; None = each match's own."""
    against: str | None
    """Id of the one that it is held against; None = none."""
    program: str
    """Version of the program that judged."""
    sentences: str
    """Which sentences of loaded texts it judged with (`mark_of`)."""
    format: str = FORMAT
    format_version: int = FORMAT_VERSION


class Report:
    """A report that grows. Not safe between threads."""

    def __init__(
        self, path: Path, file: BinaryIO, verdicts: dict[Key, Verdict], *, is_outdated: bool
    ) -> None:
        self.verdicts = verdicts
        """Log and match to the verdict that counts."""
        self._path = path
        self._file = file
        self._is_outdated = is_outdated

    def of(self, matches: Container[Key]) -> dict[Key, Verdict]:
        """What is known of these matches: a report may have been begun over another archive."""
        return {key: one for key, one in self.verdicts.items() if key in matches}

    def take(self, lines: Iterable[bytes]) -> list[Verdict]:
        """Add the verdicts of a piece; on the disk when this returns. Errors: OSError."""
        taken = list(lines)
        self._file.write(b"".join(one + b"\n" for one in taken))
        self._file.flush()
        os.fsync(self._file.fileno())
        verdicts = [_VERDICT.decode(one) for one in taken]
        for verdict in verdicts:
            key = (verdict.log_id, verdict.match_id)
            self._is_outdated = self._is_outdated or key in self.verdicts
            self.verdicts[key] = verdict
        return verdicts

    def tidy(self, head: Head) -> None:
        """Leave out verdicts that later ones have taken the place of. Errors: OSError."""
        if not self._is_outdated:
            return
        lines = [_ENCODER.encode(head), *map(_ENCODER.encode, self.verdicts.values())]
        write_whole(self._path, b"".join(one + b"\n" for one in lines))


_ENCODER = msgspec.json.Encoder()
_HEAD = msgspec.json.Decoder(Head)
_VERDICT = msgspec.json.Decoder(Verdict)


@contextlib.contextmanager
def going_on(path: Path, head: Head) -> Iterator[Report]:
    """The report at `path`, made if there is none; nobody else writes to it meanwhile.

    Errors: NotReported where the file is something else, or says what another run asked;
    StoreFailed; OSError.
    """
    if path.exists() and not path.is_file():
        raise NotReported(
            f"{path} is no file, and a report is read by the run that goes on with it: name a file,"
            " or take --json, which tells every verdict on stdout"
        )
    lock = WriterLock(path)
    was_there = lock.path.exists()
    try:
        lock.acquire()
    except StoreBusy:
        raise NotReported(f"another process writes to {path}") from None
    except StoreFailed:
        # Its file could be made, and not be written to: the disk is full.
        if not was_there:
            lock.path.unlink(missing_ok=True)
        raise
    try:
        clear(path.parent, ".new", prefix=f".{path.name}.")
        size, verdicts, outdated = _known(path, head)
        with path.open("r+b" if size else "wb") as file:
            file.seek(size)
            file.truncate()
            if not size:
                file.write(_ENCODER.encode(head) + b"\n")
            report = Report(path, file, verdicts, is_outdated=outdated)
            yield report
        report.tidy(head)
    finally:
        lock.path.unlink(missing_ok=True)
        lock.release()


def _known(path: Path, head: Head) -> tuple[int, dict[Key, Verdict], bool]:
    """Bytes of the whole lines, their verdicts, and whether one takes another's place."""
    verdicts: dict[Key, Verdict] = {}
    if not path.exists():
        return 0, verdicts, False
    size = number = 0
    outdated = False
    with path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            if not text.endswith(b"\n"):
                # What a run that was ended in the middle of a write left behind.
                break
            if number == 1:
                _check(path, text, head)
            else:
                verdict = _verdict(path, number, text)
                key = (verdict.log_id, verdict.match_id)
                outdated = outdated or key in verdicts
                verdicts[key] = verdict
            size += len(text)
    if number and not size and path.stat().st_size:
        raise NotReported(f"{path} is no report of judge --all: name another file")
    return size, verdicts, outdated


def _verdict(path: Path, number: int, text: bytes) -> Verdict:
    try:
        return _VERDICT.decode(text)
    except msgspec.DecodeError as error:
        raise NotReported(
            f"{path}, line {number} is no verdict ({error}): name another file, or remove it"
        ) from None


def _check(path: Path, text: bytes, head: Head) -> None:
    try:
        found = _HEAD.decode(text)
    except msgspec.DecodeError:
        found = None
    if found is None or found.format != FORMAT:
        raise NotReported(f"{path} is no report of judge --all: name another file")
    if found == head:
        return
    for name, what in _ASKED.items():
        was, now = getattr(found, name), getattr(head, name)
        if was != now:
            told = f" ({was or 'none'}, now {now or 'none'})" if name != "sentences" else ""
            raise NotReported(
                f"{path} was made with {what}{told}: name another file, or remove it to begin anew"
            )


_ASKED = {
    "format_version": "another form of reports",
    "rules": "other --rules",
    "against": "another --against",
    "program": "another version of this program",
    "sentences": "other rule texts loaded",
}
