"""JSONL, the lossless export: the sealed bytes of every entry, each followed by its disclosures.

One line an entry, exactly the bytes that were sealed (canonical JSON holds no line end), in order
of version. Where a disclosure may be shown, a line `{"disclosure":"..."}` follows its entry; the
string is the raw disclosure, so that `sha256` of its UTF-8 bytes is a commitment in the entry. A
reader that wants the facts alone keeps the lines that have a `tag`.

In the place of an entry that its reader is not told (a ballot) stands `{"withheld":{...}}` with its
leaf hash and its place: what comes before and after it can be checked, and that it is missing is
said.
"""

from __future__ import annotations

import codecs
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec
import orjson

from api.exchange.reading.facts import DIVIDE, Refused
from api.exchange.reading.sniff import MAX_FILE_BYTES
from events.envelope import StoredEvent
from events.errors import BadInput
from events.store.appending import BODY
from events.store.restored import Opening, Restored, opening, read_back

ANEW = "export the match anew from the archive that it comes from"
"""What to do about a file of sealed entries that is none, or not whole."""

NDJSON = "application/x-ndjson"
"""Media type of one JSON object a line."""

_NOTHING: Mapping[int, list[bytes]] = {}


def write(
    entries: Iterable[StoredEvent],
    disclosures: Mapping[int, Sequence[bytes]] = _NOTHING,
    *,
    withheld: Container[int] = (),
) -> Iterator[bytes]:
    """The lines of an export, line ends included.

    `disclosures` are raw ones that may be shown, by global position of their entry; `withheld` are
    global positions of entries that may not.
    """
    for entry in entries:
        if entry.global_position in withheld:
            yield orjson.dumps({"withheld": _place_of(entry)}) + b"\n"
            continue
        yield entry.sealed + b"\n"
        for raw in disclosures.get(entry.global_position, ()):
            yield orjson.dumps({"disclosure": raw.decode()}) + b"\n"


class _Withheld(msgspec.Struct, forbid_unknown_fields=True):
    """Where an entry stands that is not told."""

    log: str
    stream: str
    version: int
    prev: str | None
    leaf: str
    tag: str


def _place_of(entry: StoredEvent) -> dict[str, object]:
    told = read_back(entry.sealed)
    return {
        "log": told.log_id,
        "stream": told.stream_id,
        "version": told.version,
        "prev": None if told.prev is None else told.prev.hex(),
        "leaf": entry.leaf_hash.hex(),
        "tag": entry.tag,
    }


class Entry(msgspec.Struct, frozen=True):
    """One entry of an export."""

    told: Restored
    """What its sealed bytes say."""
    line: int
    """Line of the file, from 1."""
    opened: tuple[Opening, ...] = ()
    """The disclosures behind it."""

    @property
    def sealed(self) -> bytes:
        """Its bytes as sealed."""
        return self.told.sealed

    @property
    def disclosures(self) -> tuple[bytes, ...]:
        """Raw disclosures that open its commitments."""
        return tuple(raw for _, _, _, raw in self.opened)


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with an export."""

    line: int
    """Line of the file, from 1."""
    what: str
    """What is wrong."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


class Export(msgspec.Struct, frozen=True):
    """What a JSONL export holds, and whether it is whole."""

    entries: tuple[Entry, ...]
    """Those that could be read, in order of the file."""
    problems: tuple[Problem, ...]
    """What is wrong with it; () = every stream is unbroken from its beginning."""

    def streams(self) -> dict[tuple[str, str], list[Entry]]:
        """(log, stream) to its entries, in order of the file."""
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault((entry.told.log_id, entry.told.stream_id), []).append(entry)
        return found


def read(data: bytes) -> Export:
    """Parse and verify: canonical bytes, versions without gaps, every entry naming the one before.

    An export by itself proves order and completeness up to its last entry, not that the log
    signed it: that takes a checkpoint.

    Raises:
        Refused: a line is no JSON object, or there is no entry.
    """
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB", DIVIDE)
    reading = _Reading()
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        # What a mail program or an editor does to line ends changes no entry.
        line = line.removesuffix(b"\r")
        if line.strip():
            reading.take(line, number)
    return reading.export()


class _Reading:
    """An export, line by line."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self._heads: dict[tuple[str, str], tuple[int, bytes | None]] = {}
        self._ids: set[tuple[str, str]] = set()
        self._marks: set[tuple[str, str]] = set()
        self._opened: list[Opening] = []
        self._is_behind_entry = False

    def take(self, line: bytes, number: int) -> None:
        """Take one line in. Errors: Refused."""
        members = _members(line, number)
        if set(members) == {"disclosure"}:
            self._disclosure(members["disclosure"], number)
            return
        self._close()
        self._is_behind_entry = False
        if set(members) == {"withheld"}:
            self._withheld(members["withheld"], number)
            return
        try:
            told = read_back(line)
        except BadInput as error:
            self._note(number, str(error))
            return
        self._place(told, number)
        self.entries.append(Entry(told, number))
        self._is_behind_entry = True

    def export(self) -> Export:
        """All of it. Errors: Refused, where there is no entry."""
        self._close()
        if self.entries:
            return Export(tuple(self.entries), tuple(self.problems))
        if self.problems:
            raise Refused(self.problems[0].what, ANEW, line=self.problems[0].line)
        raise Refused("there is no entry in it", ANEW)

    def _note(self, line: int, what: str) -> None:
        self.problems.append(Problem(line, what))

    def _withheld(self, members: object, number: int) -> None:
        """An entry that is not told: its place is checked, and that it is missing is said."""
        try:
            told = msgspec.convert(members, _Withheld)
            prev = None if told.prev is None else bytes.fromhex(told.prev)
            leaf = bytes.fromhex(told.leaf)
        except (msgspec.ValidationError, ValueError):
            self._note(number, "this says that an entry is withheld, and not which")
            return
        self._follow((told.log, told.stream), told.version, prev, leaf, number)
        self._note(number, f"version {told.version} ({told.tag}) is withheld: ask its director")

    def _place(self, told: Restored, number: int) -> None:
        """What is wrong with an entry's place behind the one before."""
        stream = (told.log_id, told.stream_id)
        self._follow(stream, told.version, told.prev, told.leaf, number)
        key = (told.log_id, told.row[0])
        if key in self._ids:
            self._note(number, f"entry id {told.row[0]} stands twice in it")
        self._ids.add(key)

    def _follow(
        self, stream: tuple[str, str], at: int, prev: bytes | None, leaf: bytes, number: int
    ) -> None:
        version, head = self._heads.get(stream, (0, None))
        if at != version + 1:
            where = "there is none before it" if version == 0 else f"it comes after {version}"
            self._note(number, f"this is version {at} of its stream, and {where}")
        elif prev != head:
            self._note(number, "the entry before it is not the one that it names")
        self._heads[stream] = (at, leaf)

    def _disclosure(self, text: object, number: int) -> None:
        if not isinstance(text, str):
            raise Refused("a disclosure is a string", ANEW, line=number)
        if not self._is_behind_entry:
            if not self.entries and not self.problems:
                raise Refused("a disclosure before any entry", ANEW, line=number)
            return  # of an entry that could not be read, which is told already
        told = self.entries[-1].told
        try:
            opened = opening(told, text.encode())
        except BadInput as error:
            self._note(number, str(error))
            return
        mark, _, category, _ = opened
        # The context's commitment is its entry's own; those of bodies are looked up by themselves.
        key = (told.log_id, mark) if category == BODY else (told.row[0], mark)
        if key in self._marks:
            self._note(number, "a disclosure stands twice in it: salts are used once")
        self._marks.add(key)
        self._opened.append(opened)

    def _close(self) -> None:
        """Give the last entry its disclosures."""
        if self._opened:
            self.entries[-1] = Entry(
                self.entries[-1].told, self.entries[-1].line, tuple(self._opened)
            )
            self._opened.clear()


def _members(line: bytes, number: int) -> dict[str, object]:
    try:
        members = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise Refused("not a line of JSON: it may be cut off", ANEW, line=number) from None
    if not isinstance(members, dict):
        raise Refused("neither an entry nor a disclosure", ANEW, line=number)
    return members
