"""A draft as a device signs it: read, verified, opened, and wrapped into an entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from api.archive.archive import Archive
from api.archive.personal import check_value, commitments_in, context_of
from api.desk.entries import check_schema
from events import catalogue
from events.canonical import MAX_DEPTH, is_canonical
from events.envelope import MAX_SEALED_BYTES, Basis, EventDraft
from events.errors import BadBody, BadInput
from events.payloads.base import Payload
from events.personal import commitment_of, opened
from events.sealing.devices import decoded, is_signed_by
from events.store.appending import name_of_disclosure, prepare
from events.store.protocol import Unit
from events.values import Count, EntryId, Sha256, Word

GOOD, BAD, ABSENT = "good", "bad", "absent"
"""What is known of a draft's signature."""

_ENVELOPE_BYTES = 2_048
"""More than what is sealed around a body."""


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    """The members of a draft as a device signs it."""

    entry_id: EntryId
    stream: str
    tag: str
    schema: int
    basis: str
    body: msgspec.Raw
    device: Word
    epoch: Count
    device_seq: Count
    device_prev: Sha256 | None
    lease: Count | None
    expected_version: Count
    expected_head: Sha256 | None
    occurred_at: int | None
    elapsed_ms: int | None


_DRAFT = msgspec.json.Decoder(Draft)


class Item(msgspec.Struct, frozen=True):
    """One draft as it was sent."""

    raw: bytes
    """Its bytes."""
    signature: bytes
    """Empty where there is none."""
    disclosures: tuple[bytes, ...]
    """Raw disclosures that open its commitments."""


def read_draft(raw: bytes) -> Draft | None:
    """The draft that these bytes are; None if they are none."""
    if not is_canonical(raw, depth=MAX_DEPTH + 1):
        return None
    try:
        draft = _DRAFT.decode(raw)
    except msgspec.ValidationError:
        return None
    # No text column of PostgreSQL holds a NUL, and a chain begins with 1.
    is_storable = "\x00" not in draft.stream and "\x00" not in draft.device
    return draft if draft.device_seq and is_storable else None


def entry_of(
    archive: Archive,
    log_id: str,
    draft: Draft,
    digest: bytes,
    disclosures: Sequence[bytes],
    *,
    context: Mapping[str, object],
) -> tuple[EventDraft, Payload, set[str]]:
    """(entry that wraps the draft, its payload, commitments that are opened beside it).

    The body is the draft's own bytes. Errors: UnknownTag, BadInput and what is below it.
    """
    body = bytes(draft.body)
    payload = catalogue.decode(draft.tag, body, schema=draft.schema)
    check_schema(draft.tag, draft.schema, body)
    try:
        basis = Basis(draft.basis)
    except ValueError:
        raise BadBody(f"{draft.basis[:40]!r} is no basis of an entry") from None
    if len(body) > MAX_SEALED_BYTES - _ENVELOPE_BYTES:
        raise BadBody("an entry around this body would be too large")
    marks = check_disclosures(body, disclosures)
    for raw in disclosures:
        check_value(*opened(raw)[1:])
    entry = EventDraft(
        entry_id=draft.entry_id,
        tag=draft.tag,
        schema=draft.schema,
        basis=basis,
        body=body,
        context=context_of(context, entropy=archive.entropy),
        disclosures=tuple(disclosures),
        draft_sha256=digest,
    )
    prepare(Unit(log_id=log_id, stream_id=draft.stream, drafts=(entry,)))
    return entry, payload, marks


def check_disclosures(body: bytes, disclosures: Sequence[bytes]) -> set[str]:
    """The commitments that are opened, each at the place that its name says. Errors: BadBody.

    What may be shown to whom goes by the name of a disclosure: it must not be chosen freely.
    """
    places: dict[str, set[str]] = {}
    for name, mark in commitments_in(msgspec.json.decode(body)):
        places.setdefault(mark, set()).add(name)
    marks: set[str] = set()
    for raw in disclosures:
        mark = commitment_of(raw)
        if name_of_disclosure(raw) not in places.get(mark, ()) or mark in marks:
            raise BadBody("a disclosure opens no commitment at the place that it names")
        marks.add(mark)
    return marks


def sound_disclosures(item: Item, draft: Draft) -> tuple[bytes, ...]:
    """The disclosures of a draft that is parked, where they open what they name; else none."""
    try:
        check_disclosures(bytes(draft.body), item.disclosures)
    except BadInput:
        return ()
    return item.disclosures


def context_members(draft: Draft, digest: bytes, state: str) -> dict[str, object]:
    """What the context of an entry says of the draft that it wraps."""
    members = {
        "device": draft.device,
        "device_seq": draft.device_seq,
        "epoch": draft.epoch,
        "occurred_at": draft.occurred_at,
        "elapsed_ms": draft.elapsed_ms,
        "lease": draft.lease,
        "draft": digest.hex(),
        "signature_state": state,
    }
    return {name: value for name, value in members.items() if value is not None}


def is_signed(public_key: str, item: Item) -> bool:
    """Whether the signature is the device's over exactly these bytes."""
    try:
        key = decoded(public_key)
    except ValueError:
        return False
    return is_signed_by(key, item.signature, item.raw)
