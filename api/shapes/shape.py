"""How the shape of an answer is declared, and turned into a schema of the API's description."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

REF = "#/components/schemas/"
"""Where the description keeps its schemas."""

JsonObject = dict[str, object]
"""An object whose members are defined elsewhere: a body by its tag, details by their outcome."""

Piece = dict[str, Any]
"""A piece of the description: a schema, a response, an operation."""

_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """Base of all answers; they have no members that are not described.

    A member is `name: type`, or `name: Annotated[type, "what it is"]`; a member with a default may
    be left out.
    """


def schemas_of(shapes: Iterable[type[msgspec.Struct]]) -> dict[str, Piece]:
    """Name to JSON Schema of shapes and of all shapes inside them. Errors: KeyError, by a type
    that has no place in an answer.
    """
    made: dict[str, Piece] = {}
    waiting = list(shapes)
    while waiting:
        shape = waiting.pop()
        if shape.__name__ not in made:
            made[shape.__name__] = _object(shape, waiting)
    return made


def _object(shape: type[msgspec.Struct], inner: list[type[msgspec.Struct]]) -> Piece:
    hints = get_type_hints(shape, include_extras=True)
    fields = msgspec.structs.fields(shape)
    members = {}
    for field in fields:
        member = _schema(hints[field.name], inner)
        if not any("$ref" in one for one in (member, *member.get("anyOf", ()))):
            member["title"] = field.encode_name.replace("_", " ").title()
        default = field.default_factory() if callable(field.default_factory) else field.default
        if default is not msgspec.NODEFAULT and default is not None:
            member["default"] = default
        members[field.encode_name] = member
    return {
        "title": shape.__name__,
        "description": shape.__doc__,
        "type": "object",
        "properties": members,
        "required": [field.encode_name for field in fields if field.required],
        "additionalProperties": not shape.__struct_config__.forbid_unknown_fields,
    }


def _schema(hint: Any, inner: list[type[msgspec.Struct]]) -> Piece:
    """The schema of a type; shapes are named, and added to `inner`."""
    of = get_args(hint)
    match get_origin(hint):
        case kind if kind is Annotated:
            return {**_schema(of[0], inner), "description": of[1]}
        case kind if kind in (Union, UnionType):
            return {"anyOf": [_schema(one, inner) for one in of]}
        case kind if kind is Literal:
            words = [one.value if isinstance(one, enum.Enum) else one for one in of]
            return {"type": "string", **({"enum": words} if of[1:] else {"const": words[0]})}
        case kind if kind is list:
            return {"type": "array", "items": _schema(of[0], inner)}
        case kind if kind is dict:
            values = True if of[1] is object else _schema(of[1], inner)
            return {"type": "object", "additionalProperties": values}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        inner.append(hint)
        return {"$ref": f"{REF}{hint.__name__}"}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"type": "string", "enum": [one.value for one in hint]}
    return {"type": _PLAIN[hint]}


def refs(node: object) -> Iterator[str]:
    """The names of the schemas that are referred to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(REF)
        for value in node.values():
            yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)
