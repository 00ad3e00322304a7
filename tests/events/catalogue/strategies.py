"""Random valid payloads of every class, built from what msgspec knows about their members."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as shape

from events import catalogue
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended

# What encoders get wrong, if anything: quotes, escapes, control characters, DEL, the line
# separators of JavaScript, combining marks, the ends of the planes around the surrogates, astral.
AWKWARD = (
    '"\\/\b\f\n\r\t\x00\x01\x0b\x1f\x7f\x80\xa0'
    "é\u0301\u2028\u2029\ud7ff\ue000\ufeff\uffff🎲𝔊\U0010ffff"
)

characters = st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"]))
"""Every character there is, the awkward ones often; half a surrogate pair is none."""


@functools.cache
def payloads(of: type[Payload]) -> st.SearchStrategy[Payload]:
    """Valid payloads of one class."""
    if of is EntryAmended:
        return st.builds(_amended, _struct(of), st.sampled_from(AMENDABLE).flatmap(payloads))
    return _struct(of)


def any_payload() -> st.SearchStrategy[Payload]:
    """A valid payload of some class of the catalogue."""
    return st.sampled_from([kind.payload for kind in catalogue.KINDS]).flatmap(payloads)


AMENDABLE = [
    kind.payload for kind in catalogue.KINDS if not kind.tag.startswith(("entry.", "ruling."))
]


def _amended(amended: EntryAmended, now: Payload) -> EntryAmended:
    tag, schema = catalogue.tag_of(now)
    body = msgspec.Raw(catalogue.encode(now))
    return msgspec.structs.replace(amended, tag=tag, schema=schema, body=body)


@functools.cache
def _struct(of: type[Any]) -> st.SearchStrategy[Any]:
    info = shape.type_info(of)
    assert isinstance(info, shape.StructType)
    required = {field.name: _value(field.type) for field in info.fields if field.required}
    optional = {field.name: _value(field.type) for field in info.fields if not field.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda found: info.cls(**found))


def _value(of: shape.Type) -> st.SearchStrategy[Any]:
    match of:
        case shape.Metadata(type=inner):
            return _value(inner)
        case shape.NoneType():
            return st.none()
        case shape.BoolType():
            return st.booleans()
        case shape.IntType(ge=least, le=most):
            ends = st.sampled_from([least, most])
            return st.one_of(st.integers(least, most), ends)
        case shape.StrType(pattern=str() as pattern) if (sizes := _hex_sizes(pattern)) is not None:
            return _hex(sizes)
        case shape.StrType(pattern=str() as pattern, max_length=most):
            found = st.from_regex(pattern, fullmatch=True)
            return found.filter(lambda text: most is None or len(text) <= most)
        case shape.StrType(min_length=least, max_length=most):
            return st.text(characters, min_size=least or 0, max_size=min(most or 0, 40))
        case shape.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case shape.StructType(cls=cls):
            return _struct(cls)
        case shape.UnionType(types=types):
            return st.one_of([_value(one) for one in types])
        case shape.VarTupleType(item_type=item, min_length=least, max_length=most):
            items = st.lists(_value(item), min_size=least or 0, max_size=most or 3)
            return items.map(tuple)
        case shape.TupleType(item_types=items):
            return st.tuples(*(_value(item) for item in items))
        case shape.DictType(key_type=key, value_type=value):
            return st.dictionaries(_value(key), _value(value), max_size=4)
        case shape.RawType():
            return st.just(msgspec.Raw(b"{}"))
        case _:
            raise AssertionError(f"a payload may not hold {of}")


_HEX = re.compile(r"\[0-9a-f\]\{(\d+)\}")


def _hex_sizes(pattern: str) -> tuple[int, ...] | None:
    """How many digits stand between the hyphens of a hash or an id; None for any other pattern."""
    sizes = tuple(int(size) for size in _HEX.findall(pattern))
    is_hex = pattern == "^" + "-".join(f"[0-9a-f]{{{size}}}" for size in sizes) + r"$(?!\n)"
    return sizes if is_hex else None


@functools.cache
def _hex(sizes: tuple[int, ...]) -> st.SearchStrategy[str]:
    """The same texts as from the pattern, drawn at one go: digit by digit took most of the time."""

    def parted(raw: bytes) -> str:
        ends = itertools.accumulate(sizes)
        return "-".join(raw.hex()[end - size : end] for size, end in zip(sizes, ends, strict=True))

    count = sum(sizes) // 2
    return st.binary(min_size=count, max_size=count).map(parted)
