"""Sealed entries of any length: a match at a time, so that memory does not grow with the file.

All of the file is looked at first, and nothing of it is taken in where a match of it is broken;
then it is read once more. Exports hold each match in one piece; a match in several is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import orjson

from api.exchange.reading import sniff
from api.exchange.reading.sniff import Format
from api.imports.preparing import Preparer
from api.imports.ready import FileRefused, Ready, ReadySealed

MAX_LINE_BYTES = 1 << 20
"""No entry and no disclosure comes near to it."""

_HEAD_BYTES = 70_000


def is_long(path: Path) -> bool:
    """Whether a file holds sealed entries, and more than is read into memory at once."""
    try:
        if not path.is_file() or path.stat().st_size <= sniff.MAX_FILE_BYTES:
            return False
        with path.open("rb") as file:
            # To the end of a line: half an entry is no JSON.
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return sniff.sniff(head[: head.rfind(b"\n") + 1]) is Format.JSONL


def prepared(path: Path, preparer: Preparer, name: str) -> Iterator[Sequence[Ready]]:
    """Each match of a long file; or, first and last, why nothing of it is taken in."""
    for _, refused in _matches(path, preparer, name):
        if refused is not None:
            yield [refused]
            return
    for ready, refused in _matches(path, preparer, name):
        if refused is not None:
            yield [refused]  # the file is another since it was looked at
            return
        assert ready is not None
        yield [ready]


def _matches(
    path: Path, preparer: Preparer, name: str
) -> Iterator[tuple[ReadySealed | None, FileRefused | None]]:
    try:
        for begins, data in pieces(path):
            if len(data) > sniff.MAX_FILE_BYTES:
                yield None, FileRefused(name, "one match of it is too large; divide it", begins)
                return
            for ready in preparer.ready(data, name, source_name=path.name):
                if isinstance(ready, FileRefused):
                    line = begins if ready.line is None else ready.line + begins - 1
                    yield None, msgspec.structs.replace(ready, line=line)
                    return
                assert isinstance(ready, ReadySealed)
                yield _moved(ready, begins), None
    except OSError as error:
        yield None, FileRefused(name, f"it cannot be read: {error.strerror or error}")


def _moved(ready: ReadySealed, begins: int) -> ReadySealed:
    """A match with the lines of the whole file."""
    moved = [
        msgspec.structs.replace(match, line=match.line + begins - 1) for match in ready.matches
    ]
    return msgspec.structs.replace(ready, matches=tuple(moved))


def pieces(path: Path) -> Iterator[tuple[int, bytes]]:
    """(line at which it begins, bytes) of what stands together of one match. Errors: OSError."""
    with path.open("rb") as file:
        held: list[bytes] = []
        size, begins, number = 0, 1, 0
        of: object = None
        while line := file.readline(MAX_LINE_BYTES):
            number += 1
            found = _stream_of(line)
            if found is not None and of is not None and found != of:
                yield begins, b"".join(held)
                held, size, begins = [], 0, number
            of = found or of
            held.append(line)
            size += len(line)
            if size > sniff.MAX_FILE_BYTES:
                break  # it is refused: no more of it need be read
        if held:
            yield begins, b"".join(held)


def _stream_of(line: bytes) -> tuple[object, object] | None:
    """Log and stream of an entry; None of a disclosure, and of what is none of both."""
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if isinstance(told, dict) and isinstance(told.get("withheld"), dict):
        told = told["withheld"]
    if not isinstance(told, dict) or "stream" not in told:
        return None
    return told.get("log"), told["stream"]
