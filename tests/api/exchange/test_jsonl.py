"""JSONL: the exact sealed bytes, their disclosures, and every break found on the way back."""

from __future__ import annotations

import hashlib

import orjson
import pytest

from api.exchange import jsonl
from api.exchange.facts import Refused
from events.canonical import canonical, seal
from events.envelope import EventDraft, StoredEvent
from events.personal import disclose
from events.sealing.merkle import leaf_hash

_, SECRET = disclose(b"\x01" * 16, "$.players.one.0.name", "Ada \u2028 Ö")


def stored(count: int, stream: str = "m1") -> list[StoredEvent]:
    entries: list[StoredEvent] = []
    prev = None
    for version in range(1, count + 1):
        sd = hashlib.sha256(SECRET).hexdigest()
        draft = EventDraft(
            entry_id=f"00000000-0000-8000-8000-{version:012x}",
            tag="moment.marked",
            body=canonical({"note": {"sd": sd}, "target": f"{version}"}),
        )
        sealed = seal(
            "log",
            stream,
            draft=draft,
            context="0" * 64,
            version=version,
            prev=prev,
            nonce=b"\x02" * 16,
        )
        prev = leaf_hash(sealed)
        entries.append(
            StoredEvent(
                "log", stream, version, version - 1, draft.entry_id, draft.tag, 1, sealed, prev
            )
        )
    return entries


def exported(entries: list[StoredEvent]) -> bytes:
    return b"".join(jsonl.write(entries, {1: [SECRET]}))


def test_lines_are_the_sealed_bytes_and_disclosures_follow_their_entry() -> None:
    entries = stored(3)
    lines = exported(entries).split(b"\n")
    assert [lines[0], lines[1], lines[3]] == [entry.sealed for entry in entries]
    assert orjson.loads(lines[2])["disclosure"].encode() == SECRET


def test_export_reads_back_whole() -> None:
    entries = stored(3)
    export = jsonl.read(exported(entries))
    assert export.problems == ()
    assert [entry.sealed for entry in export.entries] == [entry.sealed for entry in entries]
    assert [len(entry.disclosures) for entry in export.entries] == [0, 1, 0]


def test_two_streams_may_be_mixed() -> None:
    one, two = stored(2, "m1"), stored(2, "m2")
    data = b"".join(jsonl.write([one[0], two[0], two[1], one[1]]))
    assert jsonl.read(data).problems == ()


def test_changed_left_out_and_exchanged_entries_are_found() -> None:
    lines = exported(stored(4)).splitlines(keepends=True)
    assert jsonl.read(b"".join(lines[1:])).problems
    assert jsonl.read(b"".join([*lines[:1], *lines[3:]])).problems
    assert jsonl.read(b"".join([lines[0], lines[3], lines[1], lines[4]])).problems
    changed = lines[0].replace(b'"target":"1"', b'"target":"9"')
    assert jsonl.read(b"".join([changed, *lines[1:]])).problems
    spaced = lines[0].replace(b'":', b'": ', 1)
    assert jsonl.read(b"".join([spaced, *lines[1:]])).problems


def test_disclosure_of_something_else_is_found() -> None:
    data = exported(stored(2)).replace(b"Ada", b"Eva")
    assert jsonl.read(data).problems == ("line 2: a disclosure opens nothing in its entry",)


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"[1]\n", b'{"a":1}\n', b'{"disclosure":"x"}\n', b"{", b"\xff\xfe"],
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(Refused):
        jsonl.read(data)


def test_cut_export_is_refused() -> None:
    with pytest.raises(Refused, match="cut off"):
        jsonl.read(exported(stored(2))[:-20])
