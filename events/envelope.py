"""The envelope of a payload: the draft before writing, the stored row, the event as read."""

from __future__ import annotations

import enum
import re

import msgspec

from events.errors import BadIdentifier

ENTRY_FORMAT = 1
"""The member `v` of the sealed bytes: the version of their format."""

MAX_SEALED_BYTES = 65_535
"""An entry fits a tile's big-endian uint16 length (C2SP tlog-tiles)."""

NO_STREAM = 0
"""Expected version of a stream that must not exist yet."""

ARCHIVE_LOG = "archive"
"""The one log of a new database; its tournament stream carries grants of scope archive."""

TOURNAMENT_STREAM = "tournament"
"""Stream id, in every log, of the tournament's own stream."""

_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")

ENTRY_ID_SHAPE = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""A lower-case UUID, as a regular expression."""

_UUID = re.compile(ENTRY_ID_SHAPE)


class Basis(enum.StrEnum):
    """The basis of an entry: who saw it, says it or decided it."""

    OBSERVED = "observed"
    CLAIMED_BY_ONE = "claimed_by_one"
    CLAIMED_BY_TWO = "claimed_by_two"
    AGREED = "agreed"
    RULED = "ruled"
    DEVICE = "device"
    IMPORTED = "imported"
    TESTIFIED = "testified"

    @property
    def settles(self) -> bool:
        """Whether a stated cube or score of this basis replaces the computed one (design §8.8)."""
        return self in (Basis.AGREED, Basis.RULED, Basis.IMPORTED)


class EventDraft(msgspec.Struct, frozen=True, kw_only=True):
    """One fact before it is written; its personal values are commitments, disclosures are apart."""

    entry_id: str
    """UUID made by the client; the same id with the same bytes is a harmless retry at any time."""
    tag: str
    """Type of the event, such as `dice.rolled`."""
    schema: int = 1
    """Version of the body's shape."""
    basis: Basis = Basis.OBSERVED
    """What the entry is based on."""
    body: bytes = b"{}"
    """Canonical JSON object (RFC 8785), personal values as `{"sd": ...}`."""
    context: bytes | None = None
    """Raw disclosure `[salt, "context", {...}]` of who recorded it, when and with what device."""
    disclosures: tuple[bytes, ...] = ()
    """Raw disclosures `[salt, name, value]` that open the body's commitments."""
    draft_sha256: bytes | None = None
    """SHA-256 of the bytes that a device signed, which its retry must repeat. None = use the
    SHA-256 of the canonical draft, because the draft came as plain JSON."""


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """One row of the ledger as stored; `sealed` is authoritative, the other columns index it."""

    log_id: str
    stream_id: str
    version: int
    """Place in the stream: 1, 2, 3 ... without gaps."""
    global_position: int
    """Place in the log: 0, 1, 2 ... over all its streams, without gaps; the leaf index."""
    entry_id: str
    tag: str
    schema: int
    sealed: bytes
    """Canonical bytes, stored once and never changed."""
    leaf_hash: bytes
    """SHA-256(0x00 || sealed), RFC 6962 2.1."""


class Payload(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """The body of one event type."""


class EventRef(msgspec.Struct, frozen=True, gc=False):
    """The place of an event: stream, version and entry id."""

    stream_id: str
    version: int
    entry_id: str


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """One event as folds see it: its place, basis and decoded payload."""

    version: int
    """Place in the stream, from 1."""
    entry_id: str
    tag: str
    basis: Basis
    payload: Payload
    """One of the catalogue's payload classes."""
    log_id: str = ""
    stream_id: str = ""
    global_position: int = -1
    """Place in the log, from 0; -1 = the event is not stored."""

    @property
    def ref(self) -> EventRef:
        """The event's place, for findings and links."""
        return EventRef(self.stream_id, self.version, self.entry_id)


def check_id(value: str, what: str) -> str:
    """`value` if it is a well-formed log or stream id, else BadIdentifier."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise BadIdentifier(
            f"{value[:80]!r} is no {what} id: 1 to 64 of a-z, 0-9 and '-', not '-' at an end"
        )
    return value


def check_entry_id(value: str) -> str:
    """`value` if it is a lower-case UUID, else BadIdentifier."""
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise BadIdentifier(f"{str(value)[:80]!r} is no entry id: a lower-case UUID is needed")
    return value
