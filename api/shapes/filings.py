"""Filings: entries sent one in each request, the tags each route takes, and their schemas."""

from __future__ import annotations

from typing import Any, NamedTuple

from api.shapes.entries import entry_schema
from api.shapes.shape import REF, Piece, refs
from events import catalogue

REFERENCES = ("about", "appeal", "at", "dispute", "frozen_at", "ruling", "target")
"""Members of a body that name another entry."""

_BY_VERSION = "ByVersion"
"""End of the name of a shape whose references may be versions."""


class Group(NamedTuple):
    """Entries that one route takes."""

    tags: tuple[str, ...]
    """Their tags; the first one applies if the request names none."""
    basis: str = "observed"
    """Their basis if the request names none."""


DISPUTES = Group(("dispute.raised", "director.called"))
RULINGS = Group(("ruling.made", "ruling.carried_out"), "ruled")
APPEALS = Group(("appeal.filed", "appeal.refused", "appeal.decided"))
VOTES = Group(("vote.cast", "vote.director_cast", "vote.director_declined"))

GROUPS = {
    "appendDispute": DISPUTES,
    "appendRuling": RULINGS,
    "appendAppeal": APPEALS,
    "appendVote": VOTES,
}
"""Operation id to the entries that it takes."""


def filing_schema(title: str, group: Group, schemas: Piece) -> Piece:
    """The shape of one entry of a group: its first tag need not be named."""
    entries = []
    for tag in group.tags:
        kind = catalogue.kind_of(tag)
        body = _by_version({"$ref": REF + kind.payload.__name__}, schemas)
        entry = entry_schema(tag, body, kind.schema)
        entry["properties"]["basis"]["default"] = group.basis
        if tag == group.tags[0]:
            entry["required"] = ["entry_id", "body"]
            entry["properties"]["tag"]["default"] = tag
        # Not as in a batch: here an entry may be named by its version, and the first tag left out.
        name = entry["title"] = f"{entry['title'].removesuffix('Entry')}Filing"
        schemas[name] = entry
        entries.append({"$ref": REF + name})
    return {"title": title, "description": "One entry.", "oneOf": entries}


def _by_version(node: Any, schemas: Piece) -> Any:
    """A shape in which an entry may be named by its version; made once, under its own name."""
    if isinstance(node, list):
        return [_by_version(item, schemas) for item in node]
    if not isinstance(node, dict):
        return node
    made = {name: _by_version(value, schemas) for name, value in node.items()}
    for name in REFERENCES:
        if "properties" in node and name in node["properties"]:
            version = {"type": "integer", "minimum": 1, "description": "The entry's version."}
            shape = node["properties"][name]
            either = {"anyOf": [*shape.get("anyOf", [shape]), version]}
            made["properties"][name] = {**shape, **either} if "anyOf" in shape else either
    shape_name = node.get("$ref", "").removeprefix(REF)
    if shape_name and _names_entries(shape_name, schemas):
        of_version = f"{shape_name}{_BY_VERSION}"
        if of_version not in schemas:
            schemas[of_version] = _by_version(schemas[shape_name], schemas)
            schemas[of_version]["title"] = of_version
        made["$ref"] = f"{REF}{of_version}"
    return made


def _names_entries(name: str, schemas: Piece) -> bool:
    """Whether a shape, or one inside it, has a member that names an entry."""
    schema = schemas[name]
    if any(member in REFERENCES for member in schema.get("properties", ())):
        return True
    return any(_names_entries(one, schemas) for one in refs(schema))
