"""Canonical bytes: what is refused, how values are written, and that rfc8785 writes the same."""

from __future__ import annotations

import hashlib
import json

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from events.canonical import (
    MAX_DEPTH,
    canonical,
    fingerprint,
    is_canonical,
    parse_strict,
    seal,
)
from events.envelope import Basis, EventDraft
from events.errors import NotCanonical

SAFE = 2**53 - 1
KEYS = st.text(st.characters(max_codepoint=0x7F), max_size=8)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_canonical_is_what_rfc_8785_says(value):
    assert canonical(value) == rfc8785.dumps(value)


@given(PLAIN, st.booleans(), st.sampled_from([None, 1]))
def test_any_spelling_is_read_as_the_same_value(value, ascii_only, indent):
    raw = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert parse_strict(raw) == value
    assert is_canonical(canonical(value))
    assert canonical(parse_strict(raw)) == canonical(value)


@given(st.dictionaries(KEYS, PLAIN, max_size=3), st.sampled_from(Basis), st.integers(1, 10**6))
def test_sealed_bytes_are_canonical_as_a_whole(body, basis, version):
    draft = EventDraft(
        entry_id="6ba7b810-9dad-41d1-80b4-00c04fd430c8",
        tag="dice.rolled",
        schema=3,
        basis=basis,
        body=canonical(body),
    )
    for prev in (None, bytes(range(32))):
        sealed = seal(
            "club",
            "match-1",
            draft=draft,
            context="ab" * 32,
            version=version,
            prev=prev,
            nonce=bytes(16),
        )
        members = orjson.loads(sealed)
        assert rfc8785.dumps(members) == sealed
        assert members["body"] == body
        assert members["prev"] == (prev.hex() if prev else None)
    told = ("basis", "body", "entry_id", "log", "schema", "stream", "tag")
    drafted = rfc8785.dumps({name: members[name] for name in told})
    assert fingerprint("club", "match-1", draft) == hashlib.sha256(drafted).digest()


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'{"a":1.5}', r"plain integer.*\$\.a"),
        (b'{"a":[0,1.0]}', r"plain integer.*\$\.a\[1\]"),
        (b"1e2", "plain integer"),
        (b"1E2", "plain integer"),
        (b"-0", "-0"),
        (b'{"a":-0}', "-0"),
        (b"-0.0", "plain integer"),
        (b"NaN", "JSON"),
        (b"[Infinity]", "JSON"),
        (b"-Infinity", "JSON"),
        (b"1e400", "JSON|plain integer"),
        (b"9007199254740992", "2\\^53"),
        (b'{"a":{"b":-9007199254740992}}', r"2\^53.*\$\.a\.b"),
        (b"123456789012345678901234567890", "2\\^53"),
        (b"9" * 5_000, "integer|JSON"),
        (b'{"a":1,"a":1}', "twice"),
        (b'{"a":{"b":1,"c":2,"b":3}}', "'b' stands twice"),
        (b'{"a":1,"\\u0061":2}', "twice"),
        (b'[{"a":1.5,"a":1}]', "twice|plain integer"),
        (b'[{"a":-0,"b":1}]', "-0"),
        (b'{"\\u00e9":1}', "not ASCII"),
        ('{"é":1}'.encode(), "not ASCII"),
        (b'"\\ud800"', "JSON"),
        (b'{"a":"\\udc00x"}', "JSON"),
        (b'"\xff"', "JSON"),
        (b'"\xed\xa0\x80"', "JSON"),
        (b"\xef\xbb\xbf{}", "JSON"),
        ('{"a":1}'.encode("utf-16"), "JSON"),
        (b"", "JSON"),
        (b"{} {}", "JSON"),
        (b"[1,]", "JSON"),
        (b"[" * 33 + b"]" * 33, "nested"),
        (b"[" * 100_000, "JSON|nested"),
        (b"[" * 900 + b"]" * 900, "nested"),
        (b'{"a":' + b"[" * 900 + b"]" * 900 + b',"a":1}', "nested"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested"),
        (b'{"a":' + b"[1, " * 900 + b"1" + b"]" * 900 + b',"a":1}', "nested"),
    ],
)
def test_what_two_readers_could_take_differently_is_refused(raw, says):
    with pytest.raises(NotCanonical, match=says):
        parse_strict(raw)
    assert not is_canonical(raw)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": 1.0}, "plain integer"),
        ({"a": [float("nan")]}, "plain integer"),
        ({1: 2}, "not ASCII text"),
        ({"é": 2}, "not ASCII text"),
        ("\ud800", "surrogate"),
        ({"a": ["x", "\udfff"]}, r"surrogate.*\$\.a\[1\]"),
        ({"a": b"bytes"}, "bytes is not plain"),
        ({"a": Basis.RULED}, "Basis is not plain"),
        ({"a": {1, 2}}, "set is not plain"),
        ({"a": 2**53}, "2\\^53"),
        ({"a": [None, True, "x", 1], "b": {"c": [1.5]}}, r"plain integer.*\$\.b\.c\[0\]"),
        ({"a": {"é": 2}}, r"not ASCII text.*\$\.a"),
    ],
)
def test_what_is_no_plain_data_is_not_spelt(value, says):
    with pytest.raises(NotCanonical, match=says):
        canonical(value)


def test_nesting_up_to_the_limit_is_kept():
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert parse_strict(canonical(value)) == value
    assert parse_strict(b" " + canonical(value)) == value
    with pytest.raises(NotCanonical, match=r"nested.*" + r"\[0\]" * MAX_DEPTH):
        canonical([value])
    with pytest.raises(NotCanonical, match=r"plain integer.*\$\[1\]"):
        canonical([value[0], 1.5])
    assert parse_strict(canonical([value], depth=MAX_DEPTH + 1), depth=MAX_DEPTH + 1) == [value]


def test_a_value_that_holds_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotCanonical, match="nested"):
        canonical(loop)


def test_brackets_in_strings_are_no_nesting():
    raw = b'{ "a": "' + b"[{" * 200 + b'\\"[" }'
    assert parse_strict(raw) == {"a": "[{" * 200 + '"['}


def test_one_array_after_another_is_no_nesting():
    assert parse_strict(b"[ " + b"[], " * 200 + b"{}]") == [[]] * 200 + [{}]


def test_largest_integers_are_kept():
    assert parse_strict(b"[9007199254740991,-9007199254740991,0]") == [SAFE, -SAFE, 0]
