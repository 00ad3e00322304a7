"""Entries as a door takes them: plain JSON, before a hand is asked and drafts are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from events import catalogue
from events.envelope import Basis
from events.errors import BadBody, BadInput, NoEntryId
from events.upcasters import later_members
from events.values import Word


class EntryIn(msgspec.Struct, forbid_unknown_fields=True):
    """One entry as a door takes it: plain JSON, personal values in the clear or committed."""

    entry_id: str
    """Client-made UUID; repeat it with the same bytes to try again."""
    tag: str
    """Type of the event."""
    body: Mapping[str, object] = {}
    """Body of the shape of the tag."""
    schema: Annotated[int, msgspec.Meta(ge=1)] = 0
    """Version of the body's shape; left out it is the current one, as the description says."""
    basis: Basis = Basis.OBSERVED
    """On what the entry rests."""
    occurred_at: int | None = None
    """When it happened by the device's clock, milliseconds since 1970 UTC; a claim."""
    elapsed_ms: int | None = None
    """The device's monotonic clock, milliseconds."""
    device: Word | None = None
    """Which device recorded it."""

    def __post_init__(self) -> None:
        if not self.schema:
            # A tag that is not known is refused where the body is read, whatever its shape.
            self.schema = catalogue.SCHEMAS.get(self.tag, 1)


def parse_entries(value: object) -> list[EntryIn]:
    """The entries of a request's JSON value: `{"entries": [...]}`. Errors: BadInput, NoEntryId."""
    try:
        return msgspec.convert(value, _Batch).entries
    except msgspec.ValidationError as error:
        place = _without_id(value)
        if place is not None:
            raise NoEntryId("an entry comes with its `entry_id`", where=place) from None
        message, _, path = str(error).partition(" - at `")
        raise BadInput(message, where=path.removesuffix("`") or "$") from None


def _without_id(value: object) -> str | None:
    """Where the first entry stands that has no id, whatever else is wrong with it."""
    entries = value.get("entries") if isinstance(value, Mapping) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, Mapping) and "entry_id" not in entry:
            return f"$.entries[{index}]"
    return None


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    entries: list[EntryIn]


def check_schema(tag: str, schema: int, body: bytes) -> None:
    """Whether a body has no member that came with a later version of its type. Errors: BadBody."""
    if schema == catalogue.SCHEMAS.get(tag):
        return
    later = later_members(tag, msgspec.json.decode(body), schema=schema)
    if later:
        raise BadBody(
            f"version {schema} of {tag} has no member {later[0]}: say which version the body is of",
            where=f"$.body.{later[0]}",
        )
