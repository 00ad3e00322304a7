"""Laws of the way from payload to bytes and back, for random payloads of every class."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from events import catalogue
from events.errors import BadBody
from events.payloads.base import Payload
from events.payloads.tournament import TournamentClosed, TournamentOpened
from tests.events.catalogue.strategies import any_payload, characters

pytestmark = pytest.mark.gate


@settings(max_examples=400, deadline=None)
@given(any_payload())
def test_decoding_what_was_encoded_gives_the_same_payload(payload: Payload) -> None:
    tag, schema = catalogue.tag_of(payload)
    assert catalogue.decode(tag, catalogue.encode(payload), schema=schema) == payload


@settings(max_examples=400, deadline=None)
@given(any_payload())
def test_encoded_bytes_are_those_of_rfc_8785(payload: Payload) -> None:
    encoded = catalogue.encode(payload)
    assert encoded == rfc8785.dumps(json.loads(encoded))


@settings(max_examples=200, deadline=None)
@given(any_payload(), st.randoms())
def test_order_and_space_of_the_sent_body_do_not_change_the_bytes(
    payload: Payload, chance: object
) -> None:
    tag, schema = catalogue.tag_of(payload)
    encoded = catalogue.encode(payload)
    sent = json.dumps(_shuffled(json.loads(encoded), chance), indent=2).encode()
    assert catalogue.encode(catalogue.decode(tag, sent, schema=schema)) == encoded


@settings(max_examples=300, deadline=None)
@given(st.text(characters, max_size=200))
def test_every_text_is_spelled_as_rfc_8785_spells_it(text: str) -> None:
    body = catalogue.encode(TournamentOpened(title=text))
    assert body == rfc8785.dumps({"title": text})
    assert catalogue.decode("tournament.opened", body) == TournamentOpened(title=text)


def test_every_character_is_spelled_as_rfc_8785_spells_it() -> None:
    scalars = [chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    for start in range(0, len(scalars), 4096):
        text = "".join(scalars[start : start + 4096])
        assert catalogue.encode(TournamentClosed(reason=text)) == rfc8785.dumps({"reason": text})


@pytest.mark.parametrize("integer", [0, -1, 2**53 - 1, -(2**53 - 1)])
def test_every_integer_is_spelled_as_rfc_8785_spells_it(integer: int) -> None:
    body = rfc8785.dumps({"at_ms": integer, "seat": "one"})
    assert catalogue.encode(catalogue.decode("dice.lifted", body)) == body


@settings(max_examples=200, deadline=None)
@given(any_payload())
def test_no_body_holds_a_name_that_verifiers_look_for(payload: Payload) -> None:
    """`prev`, `version`, `stream` belong to the envelope, `sd` to a commitment (evidence §2.2)."""
    found = _objects(json.loads(catalogue.encode(payload)))
    assert not [keys for keys in found if keys & {"prev", "version", "stream"}]
    assert not [keys for keys in found if "sd" in keys and keys != {"sd"}]


@settings(max_examples=300, deadline=None)
@given(any_payload())
def test_json_schema_admits_every_valid_body(
    schema_validator: Callable[[str], Any], payload: Payload
) -> None:
    validator = schema_validator(catalogue.tag_of(payload)[0])
    validator.validate(json.loads(catalogue.encode(payload)))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(catalogue.KINDS))
def test_garbage_is_refused_and_never_crashes(raw: bytes, kind: catalogue.Kind) -> None:
    with contextlib.suppress(BadBody):
        assert isinstance(catalogue.decode(kind.tag, raw), kind.payload)


def _shuffled(value: object, chance: object) -> object:
    if isinstance(value, dict):
        items = [(key, _shuffled(item, chance)) for key, item in value.items()]
        chance.shuffle(items)  # type: ignore[attr-defined]
        return dict(items)
    return [_shuffled(item, chance) for item in value] if isinstance(value, list) else value


def _objects(value: object) -> list[set[str]]:
    if isinstance(value, dict):
        return [set(value), *(keys for item in value.values() for keys in _objects(item))]
    if isinstance(value, list):
        return [keys for item in value for keys in _objects(item)]
    return []
