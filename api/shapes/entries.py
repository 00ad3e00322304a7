"""Schemas of entries as they are sent: one of a tag, and a batch of several."""

from __future__ import annotations

from typing import Any

from api.shapes.shape import REF, Piece
from events.envelope import Basis
from events.personal import HEADERS

ENTRY_ID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
"""Of the id of an entry."""
ID = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"
"""Of the id of a log or a match."""
_INTEGER = {"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}


def name_of(tag: str) -> str:
    """What the schema of an entry of a tag is called."""
    return "".join(part.title() for part in tag.replace(".", "_").split("_")) + "Entry"


def entry_schema(tag: str, body: Piece, schema: int) -> Piece:
    """One entry of a tag, whose body has this schema, at its version of the body."""
    return closed(
        name_of(tag),
        f"One entry `{tag}`.",
        {
            "entry_id": {
                "type": "string",
                "pattern": ENTRY_ID,
                "description": "Client-made UUID; repeat it with the same bytes to try again.",
            },
            "tag": {"const": tag, "type": "string"},
            "body": body,
            "schema": {"const": schema, "type": "integer", "default": schema},
            "basis": {"enum": [basis.value for basis in Basis], "default": "observed"},
            "occurred_at": nullable({**_INTEGER, "description": "By the device's clock."}),
            "elapsed_ms": nullable({**_INTEGER, "description": "Its monotonic clock."}),
            "device": nullable(
                {"type": "string", "minLength": 1, "maxLength": 64, "description": "Which device."}
            ),
        },
        required=["entry_id", "tag", "body"],
    )


def batch_schema(title: str, names: dict[str, str]) -> Piece:
    """Several entries; `names` leads from each tag to the schema of its entry."""
    entry = {
        "oneOf": [{"$ref": REF + name} for name in names.values()],
        "discriminator": {
            "propertyName": "tag",
            "mapping": {tag: REF + name for tag, name in names.items()},
        },
    }
    entries = {"type": "array", "minItems": 1, "maxItems": 1_000, "items": entry}
    description = "Entries that are appended together, or not at all."
    return closed(title, description, {"entries": entries}, required=["entries"])


def closed(title: str, description: str, members: Piece, *, required: list[str]) -> Piece:
    """An object that has these members and no others."""
    return {
        "title": title,
        "description": description,
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": False,
    }


def nullable(schema: Piece) -> Piece:
    """The same, or null, which it is where it is left out."""
    return {"anyOf": [schema, {"type": "null"}], "default": None}


def _with_plain_texts(node: Any) -> Any:
    """The same of what a file says of its match: its lines, committed as one value."""
    texts = {"type": "array", "items": {"type": "string"}}
    return {"anyOf": [texts, *node["anyOf"]], "default": None}


def with_plain_values(node: Any) -> Any:
    """A schema in which a personal value may stand in the clear where its commitment does."""
    if isinstance(node, dict):
        if node.get("$ref") == f"{REF}Commitment":
            return {**node, "$ref": f"{REF}PersonalValue"}
        return {
            key: _with_plain_texts(value) if key == HEADERS else with_plain_values(value)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [with_plain_values(value) for value in node]
    return node
