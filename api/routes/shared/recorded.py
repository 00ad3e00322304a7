"""Entries as recorded, as JSON: what was sealed, and those values that may be shown beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import orjson

from api.routes.shared.door import People
from api.shapes.shape import JsonObject
from events.envelope import Basis, StoredEvent
from events.personal import commitment_of, opened
from events.store.protocol import EventStore

_NAME = re.compile(r"players\.(?:one|two)\.\d+\.name")


class _Sealed(msgspec.Struct, gc=False):
    basis: Basis
    body: msgspec.Raw
    context: msgspec.Raw


_SEALED = msgspec.json.Decoder(_Sealed)


def entry_lines(
    store: EventStore, log_id: str, rows: Sequence[StoredEvent], *, people: People
) -> list[bytes]:
    """Entries as JSON, one each, with those disclosed values that may be shown."""
    raws = store.disclosures_of(log_id, [row.global_position for row in rows])
    return [_line(row, raws.get(row.global_position, []), people) for row in rows]


def may_show(name: str, people: People) -> bool:
    """Whether a disclosed value of this name may be shown."""
    if people is People.NAMES:
        return _NAME.fullmatch(name) is not None
    return people is People.ALL


def _line(row: StoredEvent, raws: Sequence[bytes], people: People) -> bytes:
    sealed = _SEALED.decode(row.sealed)
    disclosures: JsonObject = {}
    context = None
    for raw in raws:
        _, name, value = opened(raw)
        if name == "context":
            context = value if people is People.ALL else None
        elif may_show(name, people):
            disclosures[commitment_of(raw)] = value
    return orjson.dumps(
        {
            "version": row.version,
            "global_position": row.global_position,
            "tag": row.tag,
            "schema": row.schema,
            "entry_id": row.entry_id,
            "basis": sealed.basis.value,
            "body": orjson.Fragment(bytes(sealed.body)),
            "leaf_hash": row.leaf_hash.hex(),
            "context": context,
            "disclosures": disclosures,
        }
    )
