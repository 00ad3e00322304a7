"""Entries sealed in another archive, as they come back: every byte is checked, none is made.

What is taken in here is what `fsck` would find nothing wrong with: the members of a sealed entry,
each of its form; canonical bytes; disclosures that open one of its commitments.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec
import orjson

from events.canonical import MAX_DEPTH, Sealer, fingerprint, is_canonical
from events.envelope import (
    ENTRY_FORMAT,
    MAX_SEALED_BYTES,
    Basis,
    EventDraft,
    check_entry_id,
    check_id,
)
from events.errors import BadInput, NotCanonical, TooLarge
from events.personal import Commitment, commitment_of
from events.sealing.merkle import leaf_hash
from events.store.appending import (
    BODY,
    CONTEXT,
    check_body,
    name_of_disclosure,
    open_disclosures,
)
from events.store.sealed import SealedRow, SealedStream

Opening = tuple[str, str, str, bytes]
"""Commitment, name, class and raw bytes of a disclosure."""

Moment = Annotated[int, msgspec.Meta(ge=0, lt=250_000_000_000_000)]
"""Milliseconds since 1970 UTC, up to the year 9892: dates go to 9999, and copies expire later."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """One entry, read back from its sealed bytes."""

    log_id: str
    """Its log."""
    stream_id: str
    """Its stream."""
    version: int
    """Its place in the stream, from 1."""
    prev: bytes | None
    """Leaf hash of the entry that it follows, as it says; None = it follows none."""
    context: str
    """Commitment to who recorded it, where and when."""
    row: SealedRow
    """What a store keeps of it."""

    @property
    def sealed(self) -> bytes:
        """Its bytes as sealed."""
        return self.row[3]

    @property
    def leaf(self) -> bytes:
        """Its leaf hash."""
        return self.row[4]


class _Sealed(msgspec.Struct, forbid_unknown_fields=True):
    basis: Basis
    body: msgspec.Raw
    context: Commitment
    entry_id: str
    log: str
    nonce: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    prev: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")] | None
    schema: int
    stream: str
    tag: str
    v: int
    version: Annotated[int, msgspec.Meta(ge=1)]


class _Context(msgspec.Struct):
    """What an archive says of who, where and when; members of later versions are left as they are.

    When it came in is said by the archive's own clock: a moment that a calendar has.
    """

    received_at: Moment | None = None
    journaled_at: Moment | None = None
    recorded_by: str | None = None
    device: str | None = None
    epoch: int | None = None
    device_seq: int | None = None
    lease: int | None = None
    signature_state: str | None = None
    occurred_at: int | None = None
    elapsed_ms: int | None = None


_SEALED = msgspec.json.Decoder(_Sealed)
_OPENED = msgspec.json.Decoder(tuple[str, str, _Context])
# In canonical bytes a quote within a string is escaped: what looks like a member is one.
_KEPT = re.compile(rb'"(prev|version|stream|sd)":')
_MARK = re.compile(rb'\{"sd":"[0-9a-f]{64}"\}')
_AT = re.compile(r" - at `\$\.?([^`]*)`$")


def read_back(sealed: bytes) -> Restored:
    """The entry that these are the sealed bytes of. Errors: BadInput, saying why they are not."""
    if len(sealed) > MAX_SEALED_BYTES:
        raise TooLarge(f"an entry holds at most {MAX_SEALED_BYTES} bytes, not {len(sealed)}")
    # The body may be MAX_DEPTH deep, and the entry is one level around it.
    if not is_canonical(sealed, depth=MAX_DEPTH + 1):
        raise NotCanonical("these are not bytes that were sealed: no canonical JSON (RFC 8785)")
    members = orjson.loads(sealed)
    if not isinstance(members, dict) or "v" not in members:
        raise BadInput("this is no sealed entry")
    if members["v"] != ENTRY_FORMAT or type(members["v"]) is not int:
        raise BadInput(f"this version reads entries of format {ENTRY_FORMAT} alone", where="v")
    try:
        entry = _SEALED.decode(sealed)
    except msgspec.ValidationError as error:
        message, where = str(error), None
        found = _AT.search(message)
        if found is not None:
            message, where = message[: found.start()], found[1]
        raise BadInput(f"this is no sealed entry: {message}", where=where) from None
    check_id(entry.log, "log")
    check_id(entry.stream, "stream")
    draft = EventDraft(
        entry_id=entry.entry_id,
        tag=entry.tag,
        schema=entry.schema,
        basis=entry.basis,
        # Canonical bytes hold canonical bytes: what was fingerprinted is here as it was.
        body=bytes(entry.body),
    )
    check_entry_id(entry.entry_id)
    check_body(draft)
    kept = _KEPT.search(_MARK.sub(b"", draft.body))
    if kept is not None:
        name = kept[1].decode()
        raise BadInput(f"a body has no member {name!r}: bundles are checked by that name")
    return Restored(
        log_id=entry.log,
        stream_id=entry.stream,
        version=entry.version,
        prev=None if entry.prev is None else bytes.fromhex(entry.prev),
        context=entry.context.sd,
        row=(
            entry.entry_id,
            entry.tag,
            entry.schema,
            sealed,
            leaf_hash(sealed),
            fingerprint(entry.log, entry.stream, draft),
        ),
    )


def opening(entry: Restored, raw: bytes) -> Opening:
    """What a raw disclosure opens in an entry, as a store keeps it.

    Errors: BadInput, where it is no disclosure, or opens nothing there.
    """
    name, mark = name_of_disclosure(raw), commitment_of(raw)
    if mark == entry.context:
        if name != CONTEXT:
            raise BadInput("the context's disclosure is not named `context`")
        try:
            _OPENED.decode(raw)
        except msgspec.ValidationError as error:
            raise BadInput(f"the context's disclosure is not of its form: {error}") from None
        return mark, name, CONTEXT, raw
    if b'{"sd":"%b"}' % mark.encode() not in entry.sealed:
        raise BadInput("a disclosure opens nothing in its entry")
    return mark, name, BODY, raw


def seal_behind(stream: SealedStream, draft: EventDraft, *, nonce: bytes) -> SealedStream:
    """One entry of this archive's own, sealed to stand behind a stream's last one.

    Errors: BadInput and what is below it.
    """
    check_body(draft)
    version, head = stream.after + len(stream.rows), stream.rows[-1][4]
    opened = open_disclosures(draft)
    sealer = Sealer(stream.log_id, stream.stream_id)
    sealed = sealer.seal(
        draft, context=opened[0][0], version=version + 1, prev=head, nonce=nonce.hex()
    )
    row = (
        draft.entry_id,
        draft.tag,
        draft.schema,
        sealed,
        leaf_hash(sealed),
        sealer.fingerprint(draft),
    )
    return SealedStream(
        log_id=stream.log_id,
        stream_id=stream.stream_id,
        rows=(row,),
        disclosures=tuple((0, *one) for one in opened),
        after=version,
        head=head,
    )
