"""What holds for every payload class at once: closed, frozen, bounded, named, and no floats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_origin

import msgspec
import pytest
from msgspec import inspect as shape

from events import catalogue
from events.errors import UnknownTag
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from events.personal import Commitment
from events.values import MAX_SAFE_INTEGER
from tests.bunches import in_bunches

KINDS = in_bunches("kind", catalogue.KINDS, ids=lambda kind: kind.tag, of=64)
ENVELOPE = {"prev", "version", "stream"}


def types(of: shape.Type, path: str = "") -> Iterator[tuple[str, shape.Type]]:
    """Every type that a body is made of, with its path."""
    yield path, of
    match of:
        case shape.Metadata(type=inner):
            yield from types(inner, path)
        case shape.StructType(fields=fields):
            for field in fields:
                yield from types(field.type, f"{path}.{field.encode_name}")
        case shape.UnionType(types=inner):
            for one in inner:
                yield from types(one, path)
        case shape.VarTupleType(item_type=item):
            yield from types(item, f"{path}[]")
        case shape.TupleType(item_types=items):
            for item in items:
                yield from types(item, f"{path}[]")
        case shape.DictType(key_type=key, value_type=value):
            yield from types(key, f"{path}{{}}")
            yield from types(value, f"{path}[]")


ALLOWED = (
    *(shape.Metadata, shape.NoneType, shape.BoolType, shape.IntType, shape.StrType, shape.EnumType),
    *(shape.StructType, shape.UnionType, shape.VarTupleType, shape.TupleType, shape.DictType),
)


@KINDS
def test_bodies_hold_bounded_integers_bounded_strings_and_nothing_else(
    kind: catalogue.Kind,
) -> None:
    for path, of in types(shape.type_info(kind.payload)):
        if path == ".body" and kind.payload is EntryAmended:
            assert isinstance(of, shape.RawType)  # decoded, and so bounded, by its own tag
            continue
        assert isinstance(of, ALLOWED), path
        if isinstance(of, shape.IntType):
            assert of.ge is not None, path
            assert of.le is not None, path
            assert -MAX_SAFE_INTEGER <= of.ge <= of.le <= MAX_SAFE_INTEGER, path
        if isinstance(of, shape.StrType):
            fixed = of.pattern is not None and not re.search(r"[+*](?![^(]*\)\?)", of.pattern)
            assert of.max_length is not None or fixed, path
        if isinstance(of, shape.DictType):
            assert isinstance(of.key_type, shape.Metadata | shape.StrType), path


@KINDS
def test_bodies_are_closed_and_frozen(kind: catalogue.Kind) -> None:
    for path, of in types(shape.type_info(kind.payload)):
        if isinstance(of, shape.StructType):
            assert of.forbid_unknown_fields, path
            cls = get_origin(of.cls) or of.cls
            assert cls.__struct_config__.frozen, path


@KINDS
def test_members_are_never_named_like_the_envelope(kind: catalogue.Kind) -> None:
    for path, of in types(shape.type_info(kind.payload)):
        if isinstance(of, shape.StructType):
            names = {field.encode_name for field in of.fields}
            assert not names & ENVELOPE, path
            assert ("sd" in names) == (of.cls is Commitment), path


@KINDS
def test_tags_are_two_lower_case_words_with_a_dot(kind: catalogue.Kind) -> None:
    assert re.fullmatch(r"[a-z_]+\.[a-z_]+", kind.tag)
    assert kind.schema >= 1


def test_tags_and_classes_are_listed_once() -> None:
    assert len({kind.tag for kind in catalogue.KINDS}) == len(catalogue.KINDS)
    assert len({kind.payload for kind in catalogue.KINDS}) == len(catalogue.KINDS)
    assert len({kind.payload.__name__ for kind in catalogue.KINDS}) == len(catalogue.KINDS)


def test_every_payload_class_that_is_an_event_is_listed() -> None:
    listed = {kind.payload for kind in catalogue.KINDS}
    unlisted = {cls.__name__ for cls in _leaves(Payload)} - {cls.__name__ for cls in listed}
    assert unlisted == {catalogue.Unread.__name__}


@KINDS
def test_a_tag_leads_to_its_class_and_back(kind: catalogue.Kind) -> None:
    assert catalogue.kind_of(kind.tag) is kind
    names = {field.name: None for field in msgspec.structs.fields(kind.payload)}
    assert catalogue.tag_of(kind.payload(**names)) == (kind.tag, kind.schema)


def test_a_tag_of_no_event_is_refused() -> None:
    with pytest.raises(UnknownTag):
        catalogue.kind_of("dice.thrown")


def test_tags_of_the_tournament_stream_are_tags_of_the_catalogue() -> None:
    assert {kind.tag for kind in catalogue.KINDS} >= catalogue.TOURNAMENT_TAGS


def _leaves(of: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for cls in of.__subclasses__():
        if cls.__subclasses__():
            yield from _leaves(cls)
        else:
            yield cls
