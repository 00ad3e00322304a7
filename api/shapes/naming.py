"""Names of schemas in the API's description: words, never Python's types."""

from __future__ import annotations

from typing import Any

from api.shapes.shape import REF

_BY_SEAT = (
    # A part of the long name of a generic shape, as msgspec spells its parameter; the first fits.
    ("match.Player", "PlayersBySeat"),
    ("26_counts", "CheckersBySeat"),
    ("face_of_one_die", "DiceBySeat"),
    ("Points_of", "PointsBySeat"),
    ("Optional_typing.Annotated_int__msgspec.Meta_ge_-", "SignedMsOrNullBySeat"),
    ("Meta_ge_-", "SignedMsBySeat"),
    ("Whole_milliseconds", "MsBySeat"),
)


def short_name(name: str) -> str:
    """The name of a schema, without the names of Python's types. Errors: ValueError."""
    if "." not in name:
        return name
    short = next((short for part, short in _BY_SEAT if part in name), None)
    if short is None or not name.startswith("BySeat_"):
        raise ValueError(f"the schema {name} wants a short name")
    return short


def by_short_names(node: Any, names: dict[str, str]) -> Any:
    """References by short names; a tuple of one kind of item as a bounded array of it."""
    if isinstance(node, list):
        return [by_short_names(value, names) for value in node]
    if not isinstance(node, dict):
        return node
    if isinstance(ref := node.get("$ref"), str) and ref.startswith(REF):
        return {**node, "$ref": REF + names[ref.removeprefix(REF)]}
    made = {key: by_short_names(value, names) for key, value in node.items()}
    items = made.get("prefixItems")
    if items and made.get("items") is False and all(item == items[0] for item in items):
        del made["prefixItems"]
        made |= {"items": items[0], "minItems": len(items), "maxItems": len(items)}
    return made
