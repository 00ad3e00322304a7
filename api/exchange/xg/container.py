"""Parses an .xg file: its header, the compressed archive after it, records and comments."""

from __future__ import annotations

import struct
from typing import NamedTuple

from api.exchange.reading.facts import AGAIN, Refused
from api.exchange.reading.inflate import inflate
from api.exchange.xg.layout import MAGIC, MATCH, RECORD_BYTES, Record, until_nul
from api.exchange.xg.rtf import plain_text

MAX_RECORDS = 25_000
"""Most records of a file: a long match has about two thousand."""

MAX_OTHER_BYTES = 16_000_000
"""Largest part of the archive besides the records."""

MAX_PARTS = 5
"""Records, their summary, rollouts, comments, and the index."""

RECORDS, ROLLOUTS, COMMENTS, INDEX = "temp.xg", "temp.xgr", "temp.xgc", ""
"""Names of the parts of the archive; the index has none."""

TAIL_BYTES = 36
"""Fewest bytes after the index."""

HEADER_BYTES = 8_232
"""Size of the container's header."""

ENTRY_BYTES = 532
"""Size of one entry of the index, which is at the end of the archive."""


class Contents(NamedTuple):
    """What was found in the bytes of a file."""

    records: list[Record]
    comments: list[str]
    """The comments, by number, as plain text."""
    has_rollouts: bool
    has_index: bool
    """Whether the file lists its parts; without that, comments cannot be found."""
    titles: list[str]
    """Remarks about the container, for people."""


def contents(data: bytes) -> Contents:
    """Parse a file.

    Raises:
        Refused: it is cut off, damaged, too large, or something else.
    """
    if len(data) < HEADER_BYTES:
        raise Refused("the file is cut off: its header is not whole", AGAIN)
    start = HEADER_BYTES + struct.unpack_from("<I", data, 20)[0]
    if start >= len(data):
        raise Refused("the file is cut off: there is nothing after its picture", AGAIN)
    parts = _parts(data[start:])
    records = parts[RECORDS]
    if not records or len(records) % RECORD_BYTES:
        raise Refused("the file is damaged: its records are not whole", AGAIN)
    found = [
        Record(number, records[at + 8], records[at : at + RECORD_BYTES])
        for number, at in enumerate(range(0, len(records), RECORD_BYTES), 1)
    ]
    if found[0].kind != MATCH or found[0].integer(556) != MAGIC:
        raise Refused("the file is damaged: it does not begin with a match", AGAIN, line=1)
    return Contents(
        records=found,
        comments=_comments(parts[COMMENTS]) if COMMENTS in parts else [],
        has_rollouts=bool(parts.get(ROLLOUTS)),
        has_index=INDEX in parts,
        titles=_titles(data),
    )


def _parts(archive: bytes) -> dict[str, bytes]:
    """The parts of the archive by name: compressed streams, of which the last is the index.

    An archive of one stream has no index: that stream is the records.
    """
    parts: dict[int, bytes] = {}
    at = 0
    while not parts or (archive[at : at + 1] == b"\x78" and len(parts) < MAX_PARTS):
        limit = MAX_OTHER_BYTES if parts else MAX_RECORDS * RECORD_BYTES
        parts[at], size = inflate(archive[at:], limit)
        at += size
    if len(parts) == 1:
        return {RECORDS: parts[0]}
    index = parts.popitem()[1]
    if len(archive) - at < TAIL_BYTES or not index or len(index) % ENTRY_BYTES:
        raise Refused("the file is cut off: the index of its parts is not whole", AGAIN)
    named = {}
    for entry in range(0, len(index), ENTRY_BYTES):
        name = index[entry + 1 : entry + 1 + index[entry]].decode("cp1252", "replace").lower()
        start = struct.unpack_from("<i", index, entry + 520)[0]
        if start in parts:
            named[name] = parts[start]
    if RECORDS not in named:
        raise Refused("the file is damaged: no part of it holds records", AGAIN)
    return {INDEX: index, **named}


def _comments(text: bytes) -> list[str]:
    """The comments, one a line; a line break inside one is written as two control characters."""
    lines = text.decode("cp1252", "replace").split("\r\n")
    return [plain_text(line.replace("\x01\x02", "\r\n")) for line in lines]


def _titles(data: bytes) -> list[str]:
    names = ("game name", "save name", "level name", "comments")
    found = [until_nul(data[40 + 2048 * k : 2088 + 2048 * k]) for k in range(4)]
    return [f"{name}: {text}" for name, text in zip(names, found, strict=True) if text.strip()]
