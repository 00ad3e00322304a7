"""Grants: which role a token's holder has, and over what."""

from __future__ import annotations

import enum

from events.payloads.base import Part, Payload, Personal, StreamId
from events.values import Count, EntryId, Sha256, Text, Word


class Role(enum.StrEnum):
    """What a holder may do; the fold `projections/custody/access.py` says it in full."""

    ARCHIVIST = "archivist"
    DIRECTOR = "director"
    SCRIBE = "scribe"
    COMMITTEE = "committee"
    VIEWER = "viewer"


class ScopeKind(enum.StrEnum):
    """How far a grant reaches."""

    ARCHIVE = "archive"
    LOG = "log"
    MATCH = "match"


class Scope(Part, frozen=True, kw_only=True):
    """What a grant is over; a match scope names its stream."""

    kind: ScopeKind
    """Everything, one log, or one match of it."""
    match: StreamId | None = None
    """Stream of the match, for a match scope."""


class Device(Part, frozen=True, kw_only=True):
    """A device that signs what it records."""

    id: Word
    """Opaque device id."""
    public_key: Text | None = None
    """Ed25519 public key, base64; None where the browser could make none."""
    epoch: Count = 1
    """Rises when the device is installed anew or lost its storage."""


class AccessGranted(Payload, frozen=True, kw_only=True):
    """A token gets a role; the entry's id is the grant's id."""

    token_sha256: Sha256
    """SHA-256 of the token; the token itself is shown once and kept nowhere."""
    role: Role
    """What the holder may do."""
    scope: Scope
    """Over what."""
    holder: Personal = None
    """Who holds it."""
    device: Device | None = None
    """The device it is bound to."""


class AccessSeated(Payload, frozen=True, kw_only=True):
    """A token gets a seat in the committee of one case; the entry's id is the grant's id."""

    token_sha256: Sha256
    """SHA-256 of the token; the token itself is shown once and kept nowhere."""
    match: StreamId
    """Stream of the match."""
    appeal: EntryId
    """The `appeal.filed` that the committee hears."""
    member: Word
    """Who of the committee holds it, as `committee.convened` names them."""
    holder: Personal = None
    """Who it is."""


class AccessCaseOpened(Payload, frozen=True, kw_only=True):
    """Somebody opens the desk of a case (custody): one entry for each reader and opening."""

    grant: EntryId
    """The grant by which it was opened."""
    match: StreamId
    """Stream of the match."""
    appeal: EntryId
    """The `appeal.filed` of the case."""
    through: Count
    """Version of the last entry that was shown."""


class AccessRevoked(Payload, frozen=True, kw_only=True):
    """A grant ends."""

    target: EntryId
    """Entry id of the `access.granted` or `access.seated` that ends."""
    reason: Personal = None
    """Why."""
