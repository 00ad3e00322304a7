"""Custody and publication: parked entries, leases, packs unsealed, erasures, keys, releases."""

from __future__ import annotations

from events.payloads.base import Actor, Payload, Personal, StreamId
from events.values import Count, Duration, EntryId, Sha256, Text, Word


class BranchResolved(Payload, frozen=True, kw_only=True):
    """The director decides which parked entries are accepted and which are set aside."""

    match: StreamId
    """Stream that the entries were meant for."""
    accepted: tuple[EntryId, ...] = ()
    """Accepted entries, in their new order."""
    set_aside: tuple[EntryId, ...] = ()
    """Entries that are kept in the journal only."""
    reason: Personal = None
    """Why."""


class LeaseGranted(Payload, frozen=True, kw_only=True):
    """A device becomes the scribe of a match; without `match`, it is only assigned to a table."""

    lease: Count
    """Fencing number; rises with each new lease of the match, or of any table in the log."""
    device: Word
    """Device that holds the lease."""
    match: StreamId | None = None
    """Match that the lease is for."""
    table: Personal = None
    """Table that the device is assigned to."""
    takeover: bool = False
    """Whether it was taken over from another device."""
    profile: Word | None = None
    """What the device's screen may show: no_assist or monitor; None = no_assist."""


class LeaseEnded(Payload, frozen=True, kw_only=True):
    """A device is no longer the scribe of a match, or no longer assigned to a table."""

    lease: Count
    """Fencing number of the lease that ends."""
    match: StreamId | None = None
    """Match that the lease was for."""
    reason: Word | None = None
    """Why, such as taken_over, match_over, lost or revoked."""


class PackUnsealed(Payload, frozen=True, kw_only=True):
    """Names that a committee pack withheld are disclosed."""

    pack: EntryId
    """The `pack.issued`."""
    by: Actor = Actor.DIRECTOR
    """Who unsealed it."""


class DisclosureErased(Payload, frozen=True, kw_only=True):
    """Disclosures are deleted for good; their commitments stay, so every proof still verifies."""

    commitments: tuple[Sha256, ...]
    """The commitments whose disclosures are erased."""
    reason: Personal = None
    """Why."""
    by: Actor = Actor.DIRECTOR
    """Who erased them."""


class KeyRotated(Payload, frozen=True, kw_only=True):
    """The log is signed with another key from now on."""

    new: Text
    """Verifier key from now on."""
    old: Text | None = None
    """Verifier key until now; None = the log was not signed before."""
    reason: Text | None = None
    """Why."""


class PublicationReleased(Payload, frozen=True, kw_only=True):
    """The match may be shown to anybody."""

    delay_ms: Duration = 0
    """How far live followers lag behind the table, milliseconds."""
    formats: tuple[Word, ...] = ()
    """Formats that are released; empty = all."""
    by: Actor | None = None
    """Who released it."""


class PublicationWithheld(Payload, frozen=True, kw_only=True):
    """The match is no longer shown to the public."""

    reason: Personal = None
    """Why."""
    by: Actor | None = None
    """Who withheld it."""
