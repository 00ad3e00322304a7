"""JSONL, the lossless export: the sealed bytes of every entry, each followed by its disclosures.

One line an entry, exactly the bytes that were sealed (canonical JSON holds no line end), in order
of version. Where a disclosure may be shown, a line `{"disclosure":"..."}` follows its entry; the
string is the raw disclosure, so that `sha256` of its UTF-8 bytes is a commitment in the entry. A
reader that wants the facts alone keeps the lines that have a `tag`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import orjson

from api.exchange.facts import Refused
from api.exchange.sniff import MAX_FILE_BYTES
from events.canonical import is_canonical
from events.envelope import MAX_SEALED_BYTES, StoredEvent
from events.personal import commitment_of
from events.sealing.merkle import leaf_hash

_NOTHING: Mapping[int, list[bytes]] = {}


def write(
    entries: Iterable[StoredEvent], disclosures: Mapping[int, Sequence[bytes]] = _NOTHING
) -> Iterator[bytes]:
    """The lines of an export, line ends included.

    `disclosures` are raw ones that may be shown, by global position of their entry.
    """
    for entry in entries:
        yield entry.sealed + b"\n"
        for raw in disclosures.get(entry.global_position, ()):
            yield orjson.dumps({"disclosure": raw.decode()}) + b"\n"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an export."""

    sealed: bytes
    """Its bytes as sealed."""
    line: int
    """Line of the file, from 1."""
    log_id: str
    """Its log."""
    stream_id: str
    """Its stream."""
    version: int
    """Its place in the stream, from 1."""
    tag: str
    """Its type."""
    disclosures: tuple[bytes, ...] = ()
    """Raw disclosures that open its commitments."""


class Export(msgspec.Struct, frozen=True):
    """What a JSONL export holds, and whether it is whole."""

    entries: tuple[Entry, ...]
    """In order of the file."""
    problems: tuple[str, ...]
    """What is wrong with it; () = every stream is unbroken from its beginning."""


def read(data: bytes) -> Export:
    """Parse and verify: canonical bytes, versions without gaps, every entry naming the one before.

    An export by itself proves order and completeness up to its last entry, not that the log
    signed it: that takes a checkpoint.

    Raises:
        Refused: a line is no entry and no disclosure.
    """
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    entries: list[Entry] = []
    opened: list[bytes] = []
    problems: list[str] = []
    heads: dict[tuple[str, str], tuple[int, bytes]] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        members = _members(line, number)
        if set(members) == {"disclosure"}:
            if not entries:
                raise Refused("a disclosure before any entry", line=number)
            opened.append(_disclosure(members, number))
            continue
        _close(entries, opened, problems)
        entry = _entry(line, members, number)
        problems += _broken(entry, members, heads)
        entries.append(entry)
    _close(entries, opened, problems)
    if not entries:
        raise Refused("there is no entry in it")
    return Export(tuple(entries), tuple(problems))


def _members(line: bytes, number: int) -> dict[str, Any]:
    try:
        members = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise Refused("not a line of JSON; the file may be cut off", line=number) from None
    if not isinstance(members, dict):
        raise Refused("neither an entry nor a disclosure", line=number)
    return members


def _disclosure(members: dict[str, Any], number: int) -> bytes:
    text = members["disclosure"]
    if not isinstance(text, str):
        raise Refused("a disclosure is a string", line=number)
    return text.encode()


def _entry(line: bytes, members: dict[str, Any], number: int) -> Entry:
    log_id, stream_id, tag = (members.get(key) for key in ("log", "stream", "tag"))
    version = members.get("version")
    if not (
        isinstance(log_id, str)
        and isinstance(stream_id, str)
        and isinstance(tag, str)
        and type(version) is int
    ):
        raise Refused("neither an entry nor a disclosure", line=number)
    return Entry(
        sealed=line, line=number, log_id=log_id, stream_id=stream_id, version=version, tag=tag
    )


def _broken(
    entry: Entry, members: dict[str, Any], heads: dict[tuple[str, str], tuple[int, bytes]]
) -> list[str]:
    """What is wrong with an entry and its place after the one before."""
    problems = []
    stream = (entry.log_id, entry.stream_id)
    version, head = heads.get(stream, (0, None))
    if len(entry.sealed) > MAX_SEALED_BYTES or not is_canonical(entry.sealed):
        problems.append(f"line {entry.line}: these are not bytes that were sealed")
    if entry.version != version + 1:
        problems.append(f"line {entry.line}: version {entry.version} comes after version {version}")
    if members.get("prev") != (None if head is None else head.hex()):
        problems.append(f"line {entry.line}: the entry before it is not the one that it names")
    heads[stream] = (entry.version, leaf_hash(entry.sealed))
    return problems


def _close(entries: list[Entry], opened: list[bytes], problems: list[str]) -> None:
    """Give the last entry its disclosures, each of which must open one of its commitments."""
    if not opened:
        return
    last = entries[-1]
    for raw in opened:
        if b'"' + commitment_of(raw).encode() + b'"' not in last.sealed:
            problems.append(f"line {last.line}: a disclosure opens nothing in its entry")
    entries[-1] = msgspec.structs.replace(last, disclosures=tuple(opened))
    opened.clear()
