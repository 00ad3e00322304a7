"""Facts of a read file as folds see them, and the shelf of real match files."""

from __future__ import annotations

import csv
import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from api.exchange.readers import read_file
from api.exchange.reading.facts import Fact, ReadMatch, Refused
from events import catalogue
from events.envelope import RecordedEvent
from events.payloads.base import Payload
from events.personal import disclose
from projections.replay import replay


def _committed(value: Any, path: tuple[str, ...], name: str) -> Any:
    if not path:
        if value is None:
            return None
        salt = hashlib.sha256(name.encode()).digest()[:16]
        return msgspec.to_builtins(disclose(salt, name, value)[0])
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(value, list):
        return [_committed(item, rest, f"{name}.{k}") for k, item in enumerate(value)]
    if isinstance(value, dict) and head in value:
        return {**value, head: _committed(value[head], rest, f"{name}.{head}")}
    return value


def entry_id(place: int) -> str:
    return f"00000000-0000-8000-8000-{place:012x}"


def payload_of(fact: Fact) -> Payload:
    """The payload as the door would make it."""
    if fact.payload is not None:
        return fact.payload
    body: Any = dict(fact.plain or {})
    for path in catalogue.personal_paths(catalogue.kind_of(fact.kind).payload):
        body = _committed(body, path, "")
    for member, place in fact.refers:
        body[member] = entry_id(place)
    return catalogue.decode(fact.kind, msgspec.json.encode(body))


def events_of(match: ReadMatch) -> list[RecordedEvent]:
    """The match as folds see it once it is stored."""
    return [
        RecordedEvent(version, entry_id(version - 1), fact.tag, fact.basis, payload_of(fact))
        for version, fact in enumerate(match.facts, 1)
    ]


def survives(data: bytes, name: str = "x") -> list[ReadMatch]:
    """What is read, each fact a body that the catalogue takes; [] if the bytes are refused."""
    try:
        matches = read_file(data, name)
    except Refused:
        return []
    for match in matches:
        assert_in_catalogue(match)
        replay(events_of(match))
    return matches


def assert_in_catalogue(match: ReadMatch) -> None:
    """Every fact is a body that the catalogue takes, and refers to facts of the same match."""
    for fact in match.facts:
        assert all(0 <= place < len(match.facts) for _, place in fact.refers)
        if fact.payload is not None:
            assert catalogue.decode(fact.tag, catalogue.encode(fact.payload)) == fact.payload


def spread(files: Sequence[Any], every: int) -> list[Any]:
    """Every n-th row of the index with its match, and the shortest matches of other kinds.

    A kind is a dialect, a length, or a remark that was made while a file was read.
    """
    kinds = [
        {row["dialect"], row["match_length"], *(notice.code for notice in match.notices)}
        for row, match, *_ in files
    ]
    chosen = {*range(0, len(files), every)}
    seen = {kind for place in chosen for kind in kinds[place]}
    for place in sorted(range(len(files)), key=lambda place: len(files[place][1].facts)):
        if kinds[place] - seen:
            chosen.add(place)
            seen |= kinds[place]
    return [files[place] for place in sorted(chosen)]


class Shelf:
    """Real match files, each read once: its row of the index, and the match or the refusal."""

    def __init__(self, folder: Path, *, every: int = 1) -> None:
        """All that the index names, or every n-th of them."""
        self.folder = folder
        self.read: list[tuple[dict[str, str], ReadMatch]] = []
        self.refused: list[tuple[dict[str, str], Refused]] = []
        with (folder / "INDEX.csv").open(encoding="utf-8", newline="") as file:
            for row in itertools.islice(csv.DictReader(file), 0, None, every):
                data = (folder / row["file"]).read_bytes()
                try:
                    (match,) = read_file(data, Path(row["file"]).name)
                except Refused as refused:
                    self.refused.append((row, refused))
                else:
                    self.read.append((row, match))
