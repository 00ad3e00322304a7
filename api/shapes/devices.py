"""Shapes of answers about devices: pairings, leases, roles, and submissions."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

import msgspec

from api.shapes.matches import EntryPlace, Pair
from api.shapes.shape import JsonObject, Shape
from events.store.journal import Outcome
from events.values import Seat

_COVERED = (
    "How many entries of the log are safe outside of its database: covered by a signed checkpoint"
    " that is kept there, and by the last backup where backups are made. What a device sent beyond"
    " it keeps until then. None where the server signs nothing of the log."
)


class PairingState(enum.StrEnum):
    """The state of a pairing code."""

    OPEN = "open"
    """No device has claimed it."""
    WAITING = "waiting"
    """A device has claimed it and waits for the director."""
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


class PairingOpened(Shape):
    """A new pairing code."""

    pairing_id: str
    code: Annotated[str, "Two groups of four, without letters that look like digits."]
    url: Annotated[str, "The tablet's page with the code."]
    qr_svg: Annotated[
        str | None, "The link as a QR code, an SVG document; null if other devices cannot reach it."
    ]
    unreachable: Annotated[
        str | None,
        "Why other devices cannot: `loopback`, the server listens on its own machine only, or "
        "`no_network`; null = they can.",
    ]
    expires_at: Annotated[int, "Milliseconds since 1970 UTC."]
    uses: Annotated[int, "How many devices may claim it."]


class ClaimOut(Shape):
    """A claim that waits for the director."""

    pairing_id: str
    log_id: str
    match_id: str | None
    fingerprint: Annotated[list[str], "Four words, shown on both screens."]


class PairingOfDevice(Shape):
    """A claim as the device sees it."""

    state: Literal[
        PairingState.WAITING, PairingState.APPROVED, PairingState.REFUSED, PairingState.EXPIRED
    ]
    log_id: str
    match_id: str | None
    device: str
    epoch: int
    fingerprint: list[str]


class PairingOut(Shape):
    """A code or claim as a director sees it."""

    pairing_id: str
    state: PairingState
    code: Annotated[str | None, "The code, while it can be claimed; else null."]
    match_id: str | None
    table: str | None
    expires_at: int
    device: str | None
    label: str | None
    epoch: int | None
    has_key: Annotated[bool | None, "Whether the device signs what it records."]
    fingerprint: list[str] | None
    grant_id: str | None
    lease: int | None
    uses: Annotated[int, "How many devices the code is for."]
    uses_left: Annotated[int, "How many more may claim it."]


class PairingPage(Shape):
    """Codes and claims of the last hour."""

    pairings: list[PairingOut]


class ApprovalOut(Shape):
    """A device that was approved."""

    state: Literal[PairingState.APPROVED]
    grant_id: str
    device: str
    epoch: int
    match_id: str | None
    lease: Annotated[int | None, "Number of its lease; null if no match was named."]


class LeaseOut(Shape):
    """A device that is the scribe of a match."""

    match_id: str
    lease: Annotated[int, "Fencing number; rises with each lease of the match."]
    device: str
    entry_id: str


class TableLeaseOut(Shape):
    """The table that a device is assigned to, and the matches that it records."""

    device: str
    table: str | None
    matches: Annotated[list[str], "Matches that it is the scribe of, the oldest lease first."]


class LeaseEnd(Shape):
    """A lease that has ended."""

    match_id: str
    lease: int
    device: str
    reason: str


class ShadowOut(LeaseOut):
    """The stream of a second recorder of a match."""

    shadow_of: str


class Known(Shape):
    """Score and outcome under the rule set in force, from a version on."""

    version: int
    score: Annotated[Pair, "Points of games, or as stated."]
    entered: Annotated[Pair, "Penalty points that are added to each side."]
    winner: Seat | None
    by: Annotated[str | None, "What decided the match."]
    rule_set: str | None
    section: str | None
    is_flag_open: Annotated[bool, "Whether a noticed flag awaits a ruling."]


class EarlyThrow(Shape):
    """Dice that were thrown before the opponent's turn ended."""

    seat: Seat
    dice: list[int]
    entry_id: str
    stands: Annotated[bool, "Whether the answer was that the roll stands."]


class RuledThrow(Shape):
    """State of the game after an entry whose effect depends on the rule set."""

    awaits: Annotated[str, "The kind of act that is expected next."]
    in_game: bool
    on_roll: Seat | None
    to_act: Seat | None
    turn_open: Annotated[Seat | None, "Seat that may still change the play just made."]
    dice: Annotated[list[int] | None, "The roll in play."]
    turn_number: int
    roll_entry: Annotated[str | None, "Entry id of the roll in play."]
    answering: Annotated[Seat | None, "Seat that has to answer a double."]
    resigning: Seat | None
    resign_level: str | None
    early: EarlyThrow | None
    void_double: Annotated[Seat | None, "Seat that has made a double that the rules hold void."]


class TurnedCube(Shape):
    """The cube after an entry whose effect depends on the rule set."""

    value: int
    owner: Annotated[Seat | None, "Seat that owns it; null = centred."]
    offered_by: Annotated[Seat | None, "Seat whose double is not answered yet."]
    is_beaver: bool
    turned: Annotated[bool, "Whether a double was taken in this game."]
    void_at: Annotated[int, "Version of the last double that is void; 0 = none."]


class FoldTerms(Shape):
    """What a device needs to know about the rules in force to fold a match."""

    crawford: bool
    jacoby: bool
    void_cube_acts: Annotated[list[str], "Kinds of doubles that count as never offered."]
    played_on: Annotated[list[str], "Ids of entries that concede a game which goes on."]
    ruled_throws: Annotated[
        dict[str, RuledThrow],
        "Entry id to the state of the game after it: for rulings that changed the state, and for "
        "doubles after a turn that ended without a play.",
    ]
    cubes: Annotated[
        dict[str, TurnedCube],
        "Entry id to the cube after it: for opening ties that doubled it, drops that end no match.",
    ]
    concedable: Annotated[
        str | None,
        "Where a game may be conceded, in the rule set's word; null = anywhere.",
    ]
    known: Annotated[Known, "Score and outcome under the rules so far."]


class AssignedLease(Shape):
    """One match that a device records."""

    match_id: str
    lease: int
    shadow_of: str | None
    terms: FoldTerms
    profile: Annotated[
        Literal["no_assist", "monitor"],
        "What its screen may show: monitor = also which plays are legal.",
    ]
    is_over: Annotated[bool, "Whether the match is over: the device goes on with another."]


class StreamHeadOut(Shape):
    """The end of a stream."""

    version: int
    head: Annotated[str, "Hex leaf hash of its last entry."]


class CursorOut(Shape):
    """The end of a device's chain."""

    last_seq: Annotated[int, "Number of the last accepted draft; 0 before the first."]
    last_hash: Annotated[str | None, "Hex SHA-256 of that draft's bytes."]


class AssignmentOut(Shape):
    """What a device has to record."""

    device: str
    epoch: int
    leases: list[AssignedLease]
    streams: dict[str, StreamHeadOut]
    cursor: CursorOut
    server_time_ms: int
    covered: Annotated[int | None, _COVERED]


class FileOut(Shape):
    """A file that is kept."""

    sha256: str
    size: int
    content_type: str


class InvitationOut(Shape):
    """A one-time code that is open."""

    invitation_id: str
    code: Annotated[str, "Two groups of four, without letters that look like digits."]
    role: str
    holder: str
    match_id: str | None
    expires_at: Annotated[int, "Milliseconds since 1970 UTC."]


class InvitationOpened(InvitationOut):
    """A new one-time code."""

    url: Annotated[str, "The page that exchanges the code; opening it does not use the code."]
    qr_svg: Annotated[
        str | None, "The link as a QR code, an SVG document; null if other devices cannot reach it."
    ]
    unreachable: Annotated[
        str | None,
        "Why other devices cannot: `loopback`, the server listens on its own machine only, or "
        "`no_network`; null = they can.",
    ]


class RoleOut(Shape):
    """A grant that is in force."""

    grant_id: str
    role: str
    kind: Annotated[str, "Its scope: archive, log or match."]
    match_id: str | None
    device: Annotated[str | None, "Tablet that it is bound to."]
    holder: str | None
    granted_at: Annotated[int | None, "Milliseconds since 1970 UTC."]
    last_used_at: Annotated[int | None, "Null = not used since the server was started."]
    is_own: Annotated[bool, "Whether it is the visitor's own."]


class RolesOut(Shape):
    """Roles of a log: grants in force and open codes."""

    log_id: str
    grants: list[RoleOut]
    invitations: list[InvitationOut]
    may_grant: Annotated[list[str], "Roles that the reader may give here."]
    may_grant_all: Annotated[list[str], "Roles that the reader may give in the log `archive`."]


class ItemOut(Shape):
    """The outcome of one draft."""

    outcome: Outcome
    reason: Annotated[str | None, "Why it was not accepted; for a duplicate, why not at first."]
    global_position: Annotated[int | None, "The entry that was made of it, if any."]
    version: int | None
    entry_id: Annotated[str | None, "Null = the draft could not be read."]


class CheckpointOut(Shape):
    """The tree head of a log, unsigned; `/checkpoint/note` has it signed."""

    size: Annotated[int, "Entries of all its streams."]
    root: Annotated[str, "Hex root of the Merkle tree over them (RFC 6962)."]


class LogKeysOut(Shape):
    """The public keys that a log is or was signed with."""

    keys: Annotated[list[str], "Verifier keys (c2sp.org/signed-note), the current one first."]


class InclusionOut(Shape):
    """A proof that an entry is in a log."""

    entry: Annotated[int, "Its global position."]
    size: Annotated[int, "Size of the tree."]
    leaf_hash: Annotated[str, "Hex SHA-256 of a zero byte and the sealed bytes."]
    root: Annotated[str, "Hex root of that tree."]
    hashes: Annotated[list[str], "Hex hashes from the leaf's sibling up (RFC 6962 2.1.1)."]


class ConsistencyOut(Shape):
    """A proof that a log has only grown."""

    start: Annotated[int, "Size of the earlier tree."] = msgspec.field(name="from")
    to: Annotated[int, "Size of the later tree."]
    root: Annotated[str, "Hex root of the later tree."]
    hashes: Annotated[list[str], "Hex hashes of the proof (RFC 6962 2.1.2)."]


class GrowthOut(Shape):
    """A proof that the checkpoint beside it extends the one that the device holds."""

    start: Annotated[int, "Size that the device sent."] = msgspec.field(name="from")
    hashes: Annotated[list[str], "Hex hashes of the proof (RFC 6962 2.1.2)."]


class IngestOut(Shape, kw_only=True, omit_defaults=True):
    """The answer to a batch of drafts."""

    results: Annotated[list[ItemOut], "One outcome for each item, in order."]
    streams: dict[str, StreamHeadOut]
    cursor: CursorOut
    server_time_ms: int
    expected_device_seq: Annotated[
        int | None, "The number that is needed next, if a draft came too early."
    ] = None
    checkpoint: Annotated[CheckpointOut | None, "Keep it; null = the stored hashes are damaged."]
    consistency: Annotated[GrowthOut | None, "Null = no size was sent, or one beyond the log's."]
    covered: Annotated[int | None, _COVERED] = None


class ParkedOut(Shape):
    """One draft that is parked."""

    journal_id: Annotated[int, "Its number in the log's journal, from 1."]
    entry_id: str
    tag: str
    body: Annotated[JsonObject, "As the device signed it."]
    disclosures: Annotated[JsonObject, "Commitment to the value that it stands for."]
    occurred_at: Annotated[int | None, "By the device's clock: a claim."]
    received_at: int
    device_seq: int
    reason: Annotated[str, "Why the match could not take it."]
    expected_version: Annotated[int, "Version of the match that it was recorded on."]
    version_then: Annotated[int | None, "Version of the match when the draft arrived."]


class BranchOut(Shape):
    """Parked drafts of one device for one match."""

    match_id: str
    device: str
    state: Literal["open", "resolved"]
    items: Annotated[list[ParkedOut], "In the order of the device's chain."]


class BranchPage(Shape):
    """All branches, the open ones first."""

    branches: list[BranchOut]


class ResolutionOut(Shape):
    """A branch that is resolved."""

    match_id: str
    device: str
    entry_id: Annotated[str, "Version of the `branch.resolved`."]
    entries: Annotated[list[EntryPlace], "The accepted entries, in their new order."]
    duplicate: Annotated[bool, "Whether it had been resolved in the same way before."]
