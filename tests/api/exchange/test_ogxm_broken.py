"""Broken OGXM: cut off, bytes flipped, documents of another shape: a refusal with its reason."""

from __future__ import annotations

import json
import random
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.exchange.ogxm import codec as ogxm_codec
from api.exchange.readers import read_file
from api.exchange.reading.facts import Refused
from projections.replay import replay
from tests.api.exchange.conftest import GOLDEN, events_of
from tests.api.exchange.ogxm_documents import OPENING, codec, document, packed, written
from tests.api.exchange.recorded import survives

__all__ = ["codec"]


@cache
def whole(name: str = "studio_5pt.txt") -> bytes:
    """A home-made match as OGXM."""
    (match,) = read_file((GOLDEN / name).read_bytes(), name)
    return written(replay(events_of(match)), clocks=False, findings=False)[0].content


def sealed(data: bytearray) -> bytes:
    """The bytes with a matching checksum, so that not only the checksum shows the damage."""
    at = data.find(b"CSUM")
    if at > 0 and len(data) >= at + 9 + 7:
        digest = zlib.crc32(data[:at]).to_bytes(4, "little")
        data[-len(digest) - 4 : -4] = digest
    return bytes(data)


def test_a_file_cut_anywhere_is_refused() -> None:
    for length in range(4, len(whole())):
        with pytest.raises(Refused):
            read_file(whole()[:length], "x.ogxm")


def changed(seed: int) -> bytes:
    """The file with a few bytes changed, and half the time a checksum that hides it."""
    chance = random.Random(seed)
    data = bytearray(whole())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(16, len(data))
        data[at] = chance.randrange(256)
    return sealed(data) if chance.random() < 0.5 else bytes(data)


def test_two_thousand_changed_files() -> None:
    read = sum(bool(survives(changed(seed))) for seed in range(2_000))
    assert read < 2_000


@pytest.mark.long
def test_fifty_thousand_changed_files() -> None:
    for seed in range(2_000, 52_000):
        survives(changed(seed))


@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic(data: bytes) -> None:
    survives(b"OGXM" + data)
    survives(whole()[:16] + data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@pytest.mark.gate
@given(st.dictionaries(st.sampled_from(sorted(document(OPENING))), JSON), st.booleans())
def test_a_document_with_any_members(members: dict[str, Any], ours: bool) -> None:
    changed = document(OPENING) | members
    if not ours:
        changed.pop("ogxm")
    survives(json.dumps(changed).encode())


@pytest.mark.gate
@example({"d1": None, "color": None, "action_id": 29})
@given(st.dictionaries(st.sampled_from(["color", "action_id", "d1", "moves", "x"]), JSON))
def test_a_ply_with_any_members(members: dict[str, Any]) -> None:
    survives(json.dumps(document(OPENING, {**OPENING, "color": 0, **members})).encode())


def refusals() -> list[tuple[bytes, str]]:
    return [
        (b'{"match_length": 5, "games": [', "no JSON"),
        (b'{"match_length": 5, "games": 1}', "without games"),
        (b'{"match_length": 5, "games": ' + b"[" * 100_000, "no JSON"),
        (json.dumps(document(OPENING, OPENING)).encode(), "turn order"),
        (packed(document(OPENING, match_length=1_001)), "1001 points"),
        (packed(document(variant="hypergammon")), "hypergammon"),
        (b"OGXM\x01\x00" + b"\x00" * 30, "version 1"),
        (b"OGXM\x03\x00" + b"\x00" * 30, "match 1"),
        (whole() + whole()[:-1], "match 2"),
        (b"\x28\xb5\x2f\xfd\x00\x00", "Zstandard|compressed"),
    ]


def test_refusals_name_their_reason() -> None:
    for data, reason in refusals():
        with pytest.raises(Refused, match=reason):
            read_file(data, "x.ogxm")


def test_a_stream_is_read_match_by_match() -> None:
    other = whole("galaxy_3pt.txt")
    first, second = read_file(whole() + other, "x.ogxms")
    assert (first.ordinal, second.ordinal) == (1, 2)
    assert (first.length, second.length) == (5, 3)


def test_a_compressed_stream_without_its_package_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        ogxm_codec, "_package", lambda name: None if name == "zstandard" else __import__(name)
    )
    with pytest.raises(Refused, match="the package zstandard is missing"):
        read_file(b"\x28\xb5\x2f\xfd\x00\x00", "x.ogxms.zst")


def test_without_the_package_the_refusal_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ogxm_codec, "_package", lambda name: None)
    with pytest.raises(Refused, match=r"install tabularium-backgammon\[ogxm\]"):
        read_file(whole(), "x.ogxm")


def test_a_name_of_the_file_decides_nothing(tmp_path: Path) -> None:
    (match,) = read_file(whole(), "match.mat")
    assert match.dialect == "ogxm"
