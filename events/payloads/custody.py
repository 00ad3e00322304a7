"""Custody and publication: branches resolved, leases, packs unsealed, erasures, keys, releases."""

from __future__ import annotations

from events.payloads.base import Actor, Payload, Personal, StreamId
from events.values import Count, Duration, EntryId, Sha256, Text, Word


class BranchResolved(Payload, frozen=True, kw_only=True):
    """The director decides which parked entries are taken over and which are set aside."""

    match: StreamId
    """Stream that they were meant for."""
    accepted: tuple[EntryId, ...] = ()
    """Entries taken over, in their new order."""
    set_aside: tuple[EntryId, ...] = ()
    """Entries that stay in the journal only."""
    reason: Personal = None
    """Why."""


class LeaseGranted(Payload, frozen=True, kw_only=True):
    """A device becomes the scribe of a board; without a match, it is to stand at a table."""

    lease: Count
    """Fencing number; rises with each grant for the board."""
    device: Word
    """Device that holds it."""
    match: StreamId | None = None
    """Match it is for."""
    table: Personal = None
    """Table it is for."""
    takeover: bool = False
    """Whether the director took it from another device."""
    profile: Word | None = None
    """What its screen may show: no_assist, monitor; None = no_assist."""


class LeaseEnded(Payload, frozen=True, kw_only=True):
    """A device is no longer the scribe of a board."""

    lease: Count
    """Fencing number that ends."""
    match: StreamId | None = None
    """Match it was for."""
    reason: Word | None = None
    """taken_over, match_over, lost, revoked."""


class PackUnsealed(Payload, frozen=True, kw_only=True):
    """Names that a committee pack withheld are disclosed."""

    pack: EntryId
    """The `pack.issued`."""
    by: Actor = Actor.DIRECTOR
    """Who unsealed it."""


class DisclosureErased(Payload, frozen=True, kw_only=True):
    """Disclosures are deleted for good; the commitments stay and every proof with them."""

    commitments: tuple[Sha256, ...]
    """What was erased."""
    reason: Personal = None
    """Why."""
    by: Actor = Actor.DIRECTOR
    """Who erased."""


class KeyRotated(Payload, frozen=True, kw_only=True):
    """The log signs with another key from now on."""

    new: Text
    """Verifier key from now on."""
    old: Text | None = None
    """Verifier key so far; None = the log was not signed before."""
    reason: Text | None = None
    """Why."""


class PublicationReleased(Payload, frozen=True, kw_only=True):
    """The match may be shown to anybody."""

    delay_ms: Duration = 0
    """How long a live follower is behind the table."""
    formats: tuple[Word, ...] = ()
    """Which formats; empty = all."""
    by: Actor | None = None
    """Who released it."""


class PublicationWithheld(Payload, frozen=True, kw_only=True):
    """The match is not shown to the public any more."""

    reason: Personal = None
    """Why."""
    by: Actor | None = None
    """Who withheld it."""
