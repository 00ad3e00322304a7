"""Grants: which role the holder of a token has, and in which scope."""

from __future__ import annotations

import enum

from events.payloads.base import Part, Payload, Personal, StreamId
from events.values import Count, EntryId, Sha256, Text, Word


class Role(enum.StrEnum):
    """The role of a grant; `projections/custody/access.py` defines what each role may do."""

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
    """The scope of a grant; the scope `match` also names the match's stream."""

    kind: ScopeKind
    """The whole archive, one log, or one match of a log."""
    match: StreamId | None = None
    """Stream of the match, for the scope `match`."""


class Device(Part, frozen=True, kw_only=True):
    """A device that signs what it records."""

    id: Word
    """Opaque device id."""
    public_key: Text | None = None
    """Ed25519 public key, base64; None = the browser could not make one."""
    epoch: Count = 1
    """Number that rises each time the device is set up again or has lost its storage."""


class AccessGranted(Payload, frozen=True, kw_only=True):
    """A token is given a role; the entry's id is the grant's id."""

    token_sha256: Sha256
    """SHA-256 of the token; the token itself is shown once and kept nowhere."""
    role: Role
    """What the holder may do."""
    scope: Scope
    """Where it may be done."""
    holder: Personal = None
    """The person who holds the token."""
    device: Device | None = None
    """The device that the grant is bound to."""


class AccessSeated(Payload, frozen=True, kw_only=True):
    """A token is given a seat on the committee of one case; the entry's id is the grant's id."""

    token_sha256: Sha256
    """SHA-256 of the token; the token itself is shown once and kept nowhere."""
    match: StreamId
    """Stream of the match."""
    appeal: EntryId
    """The `appeal.filed` that the committee hears."""
    member: Word
    """The member who holds the seat, by the id in `committee.convened`."""
    holder: Personal = None
    """The person who holds the token."""


class AccessCaseOpened(Payload, frozen=True, kw_only=True):
    """A reader opens a case (custody); each opening by each reader is one entry."""

    grant: EntryId
    """The grant with which the case was opened."""
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
