"""JSONL: the exact sealed bytes, their disclosures, and every break found on the way back."""

from __future__ import annotations

import hashlib

import orjson
import pytest

from api.exchange.reading.facts import Refused
from api.exchange.sealed import jsonl
from events.canonical import canonical, seal
from events.envelope import EventDraft, StoredEvent
from events.personal import disclose
from events.sealing.merkle import leaf_hash

_, SECRET = disclose(b"\x01" * 16, "$.players.one.0.name", "Ada \u2028 Ö")


def stored(count: int, stream: str = "m1", first: int = 1) -> list[StoredEvent]:
    entries: list[StoredEvent] = []
    prev = None
    for version in range(1, count + 1):
        sd = hashlib.sha256(SECRET).hexdigest()
        draft = EventDraft(
            entry_id=f"00000000-0000-8000-8000-{first + version:012x}",
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
    one, two = stored(2, "m1"), stored(2, "m2", first=3)
    data = b"".join(jsonl.write([one[0], two[0], two[1], one[1]]))
    export = jsonl.read(data)
    assert export.problems == ()
    assert [[entry.told.version for entry in found] for found in export.streams().values()] == [
        [1, 2],
        [1, 2],
    ]


def test_line_ends_of_another_system_change_no_entry() -> None:
    entries = stored(3)
    data = b"\xef\xbb\xbf" + exported(entries).replace(b"\n", b"\r\n\r\n")
    export = jsonl.read(data)
    assert export.problems == ()
    assert [entry.sealed for entry in export.entries] == [entry.sealed for entry in entries]


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
    [problem] = jsonl.read(data).problems
    assert str(problem) == "line 3: a disclosure opens nothing in its entry"


def test_a_disclosure_opens_a_commitment_and_no_other_text() -> None:
    # The hash stands in the entry, and commits to nothing there.
    sd = hashlib.sha256(SECRET).hexdigest()
    draft = EventDraft(
        entry_id="00000000-0000-8000-8000-000000000001",
        tag="moment.marked",
        body=canonical({"words": f"{sd}"}),
    )
    sealed = seal(
        "log", "m", draft=draft, context="0" * 64, version=1, prev=None, nonce=b"\x02" * 16
    )
    line = orjson.dumps({"disclosure": SECRET.decode()})
    [problem] = jsonl.read(sealed + b"\n" + line).problems
    assert problem.what == "a disclosure opens nothing in its entry"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"prev": None}, "prev"),
        ({"a": [{"version": 1}]}, "version"),
        ({"stream": "m"}, "stream"),
        ({"sd": "x"}, "sd"),
        ({"a": {"sd": "0" * 64, "b": 1}}, "sd"),
        ({"a": {"sd": "0" * 64}, "b": '"prev":', "previous": "version", "x_sd": 1}, None),
    ],
)
def test_no_body_has_a_member_by_which_bundles_are_checked(
    body: dict[str, object], name: str | None
) -> None:
    draft = EventDraft(
        entry_id="00000000-0000-8000-8000-000000000001", tag="later.told", body=canonical(body)
    )
    line = seal("log", "m", draft=draft, context="0" * 64, version=1, prev=None, nonce=bytes(16))
    if name is None:
        assert jsonl.read(line).problems == ()
    else:
        with pytest.raises(Refused, match=f"no member '{name}'"):
            jsonl.read(line)


def test_a_context_is_opened_by_what_is_called_so() -> None:
    for name, problems in (("context", 0), ("player", 1)):
        mark, raw = disclose(b"\x03" * 16, name, {"recorded_by": "scribe"})
        draft = EventDraft(entry_id="00000000-0000-8000-8000-000000000001", tag="moment.marked")
        sealed = seal(
            "log", "m", draft=draft, context=mark.sd, version=1, prev=None, nonce=b"\x02" * 16
        )
        line = orjson.dumps({"disclosure": raw.decode()})
        assert len(jsonl.read(sealed + b"\n" + line).problems) == problems


@pytest.mark.parametrize(
    ("told", "is_sound"),
    [
        ({"received_at": 1_800_000_000_000, "offset_ms": 3, "occurred_at": -1}, True),
        ({"received_at": 2**53 - 1}, False),
        ({"received_at": -1}, False),
        ({"journaled_at": "yesterday"}, False),
        ({"received_at": True}, False),
        ({"device": ["t1"]}, False),
        (["received_at", 1], False),
        (None, False),
    ],
)
def test_a_context_says_who_and_when_in_values_that_a_page_can_tell(
    told: object, is_sound: bool
) -> None:
    mark, raw = disclose(b"\x03" * 16, "context", told)
    draft = EventDraft(entry_id="00000000-0000-8000-8000-000000000001", tag="moment.marked")
    sealed = seal("log", "m", draft=draft, context=mark.sd, version=1, prev=None, nonce=bytes(16))
    found = jsonl.read(sealed + b"\n" + orjson.dumps({"disclosure": raw.decode()})).problems
    assert (found == ()) is is_sound
    assert all("context" in problem.what for problem in found)


def test_what_stands_twice_is_found() -> None:
    lines = exported(stored(3)).splitlines(keepends=True)
    twice = jsonl.read(b"".join([*lines[:3], lines[2], *lines[3:]])).problems
    assert [problem.what for problem in twice] == [
        "a disclosure stands twice in it: salts are used once"
    ]
    other = b"".join(jsonl.write(stored(3, "m2")))
    again = jsonl.read(b"".join(lines) + other).problems
    assert [problem.what.partition(" id ")[0] for problem in again] == ["entry"] * 3


def test_every_break_is_told_with_its_line() -> None:
    lines = exported(stored(5)).splitlines(keepends=True)
    data = b"".join([*lines[1:3], b'{"a":1}\n', *lines[4:]])
    assert [problem.line for problem in jsonl.read(data).problems] == [1, 3, 4]


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
