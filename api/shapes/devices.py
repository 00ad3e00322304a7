"""Shapes of answers for devices and rooms, for the API's description; see `schemas.py`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from api.shapes.matches import (
    AppealOut,
    ClockState,
    EntryPlace,
    MaybePair,
    Name,
    Pair,
    Shape,
    TournamentOut,
)


class MaybeNames(Shape):
    """What the players are called; null where that is not disclosed."""

    one: str | None
    two: str | None


class PairingOpened(Shape):
    """A fresh code."""

    pairing_id: str
    code: str = Field(description="Two groups of four, without letters that look like digits.")
    url: str = Field(description="The tablet's page with the code.")
    qr_svg: str | None = Field(
        description="The same as a QR code, an SVG document; null where no other device reaches it."
    )
    unreachable: str | None = Field(
        description="Why none does: `loopback`, the server listens to its own machine alone, or"
        " `no_network`; null where other devices may."
    )
    expires_at: int = Field(description="Milliseconds since 1970 UTC.")
    uses: int = Field(description="How many devices may claim it.")


class ClaimOut(Shape):
    """A claim that waits for the director."""

    pairing_id: str
    log_id: str
    match_id: str | None
    fingerprint: list[str] = Field(description="Four words, shown on both screens.")


class PairingOfDevice(Shape):
    """A claim as the device sees it."""

    state: Literal["waiting", "approved", "refused", "expired"]
    log_id: str
    match_id: str | None
    device: str
    epoch: int
    fingerprint: list[str]


class PairingOut(Shape):
    """A code or claim as a director sees it."""

    pairing_id: str
    state: Literal["open", "waiting", "approved", "refused", "expired"]
    code: str | None = Field(description="While it can be claimed.")
    match_id: str | None
    table: str | None
    expires_at: int
    device: str | None
    label: str | None
    epoch: int | None
    has_key: bool | None = Field(description="Whether the device signs what it records.")
    fingerprint: list[str] | None
    grant_id: str | None
    lease: int | None
    uses: int = Field(description="For how many devices the code is.")
    uses_left: int = Field(description="How many more may claim it.")


class PairingPage(Shape):
    """Codes and claims of the last hour."""

    pairings: list[PairingOut]


class ApprovalOut(Shape):
    """A device that was let in."""

    state: Literal["approved"]
    grant_id: str
    device: str
    epoch: int
    match_id: str | None
    lease: int | None = Field(description="Number of its lease; null where no match was named.")


class LeaseOut(Shape):
    """A device that is the scribe of a match."""

    match_id: str
    lease: int = Field(description="Fencing number; rises with each lease of the match.")
    device: str
    entry_id: str


class TableLeaseOut(Shape):
    """Where a device stands, and what it records."""

    device: str
    table: str | None
    matches: list[str] = Field(description="Matches whose scribe it is, the oldest lease first.")


class LeaseEnd(Shape):
    """A lease that has ended."""

    match_id: str
    lease: int
    device: str
    reason: str


class ShadowOut(LeaseOut):
    """A stream that a second device writes beside a match."""

    shadow_of: str


class Known(Shape):
    """Score and outcome under the rule set in force, since a version."""

    version: int
    score: Pair = Field(description="Points of games, or as stated.")
    entered: Pair = Field(description="What penalty points add to each side.")
    winner: Literal["one", "two"] | None
    by: str | None = Field(description="What decided the match.")
    rule_set: str | None
    section: str | None
    is_flag_open: bool = Field(description="Whether a flag that was noticed waits for a ruling.")


class FoldTerms(Shape):
    """What a device has to know of the rules in force to fold a match."""

    crawford: bool
    jacoby: bool
    void_cube_acts: list[str] = Field(description="Doubles that count as never offered.")
    known: Known = Field(description="What the rules make of the match so far.")


class AssignedLease(Shape):
    """One board that a device records."""

    match_id: str
    lease: int
    shadow_of: str | None
    terms: FoldTerms
    profile: Literal["no_assist", "monitor"] = Field(
        description="What its screen may show: monitor = what is legal as well."
    )
    is_over: bool = Field(description="Whether the match is over: the device goes on with another.")


class StreamHeadOut(Shape):
    """Where a stream stands."""

    version: int
    head: str = Field(description="Hex leaf hash of its last entry.")


class CursorOut(Shape):
    """Where a device's chain stands."""

    last_seq: int = Field(description="Number of the last draft taken in; 0 before the first.")
    last_hash: str | None = Field(description="Hex SHA-256 of its bytes.")


class AssignmentOut(Shape):
    """What a device has to record."""

    device: str
    epoch: int
    leases: list[AssignedLease]
    streams: dict[str, StreamHeadOut]
    cursor: CursorOut
    server_time_ms: int


class FileOut(Shape):
    """A file that is kept."""

    sha256: str
    size: int
    content_type: str


class RoomClock(ClockState):
    """The clock of a table."""

    flag: Literal["one", "two", "both", "unknown"] | None = Field(
        description="Whose reserve has run out, by the presses or as it was noticed."
    )
    delay_ms: int
    paused: Name | None = Field(description="Whose time ran before a pause.")
    pause_reason: str | None = Field(description="Why it was paused, where it is.")
    kind: str = Field(description="How it gives free time, as `clock.set` says it.")
    running_since: int | None = Field(
        description="Server time since which `running` runs without a stop; null = unknown."
    )
    time_zero: int | None = Field(
        description="Server time at which `at_ms` of the match is 0, by its promptest entry."
    )
    since_elapsed_ms: int | None = Field(description="Time of this turn before that.")
    turn_reserve_ms: int | None = Field(
        description="Reserve of the running seat when its turn began."
    )


class LastEntry(Shape):
    """The last entry of a match."""

    version: int
    tag: str
    seat: Name | None
    dice: list[int | None] | None
    play: str | None = Field(description="What was played, in notation; empty = no checker.")
    received_at: int | None


class HeldLease(Shape):
    """The lease of a match."""

    number: int
    device: str
    profile: str


class RoomDevice(Shape):
    """The device that records a match."""

    id: str
    seen_at: int | None = Field(description="When it was heard of last, since the server's start.")
    unsent: int | None = Field(description="Entries that it had not sent, as it said.")


class Shadow(Shape):
    """A second recorder's stream."""

    match_id: str
    device: str | None


class OpenDispute(Shape):
    """A dispute that no ruling has settled."""

    version: int
    entry_id: str
    by: str
    topic: str | None
    at_ms: int | None
    frozen_version: int = Field(description="Version of the last entry that both accept.")


class Acknowledgement(Shape):
    """By which a table took note of what it was told."""

    version: int
    by: str | None = Field(description="Who took note; null = whoever records.")
    at_ms: int | None
    received_at: int | None = Field(description="Milliseconds since 1970 UTC.")


class NoticeOut(Shape):
    """What the director decided, as the table is told of it."""

    version: int
    entry_id: str
    tag: str
    acknowledged: Acknowledgement | None = Field(description="Null while the table has not.")


class Confirmations(Shape):
    """The score as each player confirmed it since the last game ended."""

    one: Pair | None
    two: Pair | None


class LateOut(Shape):
    """A match that should have begun."""

    since: int = Field(description="The appointed start, milliseconds since 1970 UTC.")
    missing: list[Name] = Field(description="Who has not arrived.")


class NoShowOut(Shape):
    """A match that was forfeited before its first game."""

    seat: Name
    entry_id: str = Field(description="The entry that says so; retracted, the match is on again.")


class TableOut(Shape):
    """One table of the room."""

    match_id: str
    table: str | None
    names: MaybeNames
    length: int | None
    score: Pair
    games: int
    state: Literal["waiting", "live", "ended"]
    rule_set: str | None
    clock: RoomClock | None
    on_roll: Name | None
    to_act: Name | None
    last: LastEntry
    lease: HeldLease | None
    device: RoomDevice | None
    shadows: list[Shadow]
    questions: int = Field(description="Questions that need the director.")
    notes: int = Field(
        description="Open questions that need nobody: settled by both players, or left to rest."
    )
    windows: int = Field(description="What may or must still be put right.")
    penalties: Pair
    lost_on_time: Name | None = Field(description="Who has lost the match by the clock.")
    parked: int = Field(description="Entries that wait for a resolution.")
    dispute: OpenDispute | None
    notices: list[NoticeOut] = Field(description="What the table was told, in order.")
    confirmations: Confirmations
    is_public: bool
    round: str | None
    called: list[Name] = Field(description="Who was called, and has not come, before the match.")
    tally: Pair = Field(description="Penalty points of each side's players over all matches.")
    late: LateOut | None
    no_show: NoShowOut | None = Field(description="Who forfeits the match by not coming.")


class CallOut(Shape):
    """Somebody called the director."""

    match_id: str
    version: int
    entry_id: str
    at_ms: int | None
    received_at: int | None
    by: str | None
    about: str | None = Field(description="Entry id that the call is about.")
    reason: str | None = Field(description="Tag of that entry.")
    answered: bool = Field(description="Whether a later entry of the director's answers it.")
    parked: bool = Field(
        description="Whether it waits among parked entries; `version` is then the match's last."
    )


class ReportOut(Shape):
    """A result as a player reported it."""

    seat: Name
    winner: Name | None
    score: MaybePair


class ResultOut(Shape):
    """A result that is not on the draw sheet yet."""

    match_id: str
    table: str | None
    names: MaybeNames
    version: int
    score: Pair
    length: int | None
    winner: Name | None
    by: str | None
    lost_on_time: Name | None
    questions: list[str] = Field(description="Topics of open questions on which it hangs.")
    reports: list[ReportOut]
    confirmations: Confirmations


class RoomAppeal(AppealOut):
    """An appeal whose end nobody has announced."""

    match_id: str
    entry_id: str | None
    state: Literal["filed", "voting"]


class DeviceOut(Shape):
    """A device that is paired."""

    id: str
    epoch: int
    has_key: bool
    fingerprint: list[str] = Field(description="Four words, as they were compared at pairing.")
    grant_id: str
    matches: list[str]
    table: str | None = Field(description="Table at which it stands.")
    seen_at: int | None
    unsent: int | None


class GrantOut(Shape):
    """A grant in force in this log."""

    grant_id: str
    role: str
    kind: str
    match_id: str | None
    device: str | None
    holder: str | None


class NamesOf(Shape):
    """Who plays, seat by seat; null where a name is not disclosed."""

    one: list[str | None]
    two: list[str | None]


class OpeningOut(Shape):
    """What a match was opened as, corrections applied."""

    log_id: str
    match_id: str
    version: int
    entry_id: str = Field(description="The `match.opened`.")
    is_amended: bool = Field(description="Whether it was edited.")
    cancelled_by: str | None = Field(description="The `match.cancelled` in force.")
    players: NamesOf
    event: str | None
    round: str | None
    table: str | None
    division: str | None
    place: str | None
    date: str | None
    appointed_start: str | None
    length: int | None
    rule_set: str | None
    options: dict[str, Any]
    clock_terms: dict[str, Any] | None
    is_public: bool
    delay_ms: int


class InvitationOut(Shape):
    """A one-time code that is open."""

    invitation_id: str
    code: str = Field(description="Two groups of four, without letters that look like digits.")
    role: str
    holder: str
    match_id: str | None
    expires_at: int = Field(description="Milliseconds since 1970 UTC.")


class InvitationOpened(InvitationOut):
    """A fresh one-time code."""

    url: str = Field(description="The page that exchanges it; opening it uses nothing up.")
    qr_svg: str | None = Field(
        description="The same as a QR code, an SVG document; null where no other device reaches it."
    )
    unreachable: str | None = Field(
        description="Why none does: `loopback`, the server listens to its own machine alone, or"
        " `no_network`; null where other devices may."
    )


class RoleOut(Shape):
    """A grant that is in force."""

    grant_id: str
    role: str
    kind: str = Field(description="How far it reaches: archive, log or match.")
    match_id: str | None
    device: str | None = Field(description="Tablet that it is bound to.")
    holder: str | None
    granted_at: int | None = Field(description="Milliseconds since 1970 UTC.")
    last_used_at: int | None = Field(description="Null where that is not known: not since start.")
    is_own: bool = Field(description="Whether it is the visitor's own.")


class RolesOut(Shape):
    """Roles of a log, held and offered."""

    log_id: str
    grants: list[RoleOut]
    invitations: list[InvitationOut]
    may_grant: list[str] = Field(description="Roles that the visitor may hand out here.")
    may_grant_all: list[str] = Field(description="Those that they may hand out in log `archive`.")


class RoomOut(Shape):
    """A tournament at a glance."""

    log_id: str
    title: str | None
    tournament: TournamentOut
    server_time_ms: int
    tables: list[TableOut]
    calls: list[CallOut]
    pairings: list[PairingOut]
    devices: list[DeviceOut]
    grants: list[GrantOut]
    results: list[ResultOut]
    appeals: list[RoomAppeal]
    byes: list[ByeOut]


class FaultOut(Shape):
    """What is to be said about a line of a sheet."""

    field: str | None = Field(description="Column that it is about.")
    code: str
    values: dict[str, str] = Field(description="What the words name.")
    is_error: bool = Field(description="Whether nothing is recorded before it is settled.")
    message: str


class SheetFault(FaultOut):
    """What is wrong with a sheet as a whole."""

    line: int


class EntrantOut(Shape):
    """A player of a tournament."""

    player: str = Field(description="Id of `player.registered`.")
    name: str | None
    club: str | None
    federation_id: str | None
    penalty_points: int = Field(description="Over all matches.")


class PersonOut(Shape):
    """Who stands in a cell of a sheet."""

    key: str = Field(description="Names the cell in `answers`.")
    name: str
    player: str | None = Field(description="Id of whom it is; null where that is somebody new.")
    is_new: bool
    penalty_points: int = Field(description="Over all matches so far.")
    candidates: list[EntrantOut] = Field(description="Whom it may be, where that is to be chosen.")


class RoundLine(Shape):
    """What a line of a sheet comes to."""

    line: int = Field(description="Line of the text, from 1.")
    kind: Literal["match", "bye", "player"]
    round: str | None
    table: str | None
    is_table_filled: bool = Field(description="Whether the table was filled in.")
    one: list[PersonOut]
    two: list[PersonOut]
    length: int | None
    start: str | None = Field(description="Appointed start, ISO 8601 UTC.")
    details: dict[str, str] = Field(description="What else a list says of a player.")
    faults: list[FaultOut]


class RoundPreview(Shape):
    """A sheet of players or pairings, line by line."""

    kind: Literal["players", "pairings"]
    columns: list[str] = Field(description="Columns that were understood.")
    ignored: list[str] = Field(description="Headings that were not.")
    faults: list[SheetFault]
    lines: list[RoundLine]
    errors: int = Field(description="What is to be settled before it can be opened.")
    new_players: int
    next_round: str | None = Field(description="The round that follows those that were opened.")


class RoundOpened(Shape):
    """What a sheet has become."""

    matches: list[str] = Field(description="Ids of the matches opened.")
    players: int = Field(description="Players registered.")
    byes: list[str] = Field(description="Entry ids of the byes given.")
    tablets: int = Field(description="Matches that went to the tablet at their table.")
    duplicate: bool


class ResultRow(Shape):
    """A match on the sheet of results, or a bye."""

    match_id: str | None = Field(description="Null for a bye.")
    round: str | None
    table: str | None
    players: Sides
    length: int | None
    state: Literal["waiting", "live", "ended", "ruling", "appeal", "bye"] = Field(
        description="`ruling`, `appeal`: one is awaited."
    )
    score: Pair | None = Field(description="Null before the match, and while an appeal is open.")
    winner: Name | None
    by: str | None = Field(description="What decided it.")
    confirmed_by: list[Name] = Field(description="Players who stand by the final score.")
    is_posted: bool
    penalty_points: Pair | None = Field(description="In this match.")
    called: list[Name] = Field(description="Who is called to the table, and has not come.")


class Sides(Shape):
    """Names of each side; two in consultation doubles."""

    one: list[str]
    two: list[str]


class ResultsOut(Shape):
    """The results of a tournament, by round and table."""

    log_id: str
    title: str
    results: list[ResultRow]


class AttendanceOut(Shape):
    """What was recorded of who came."""

    recorded: int = Field(description="Entries recorded just now.")


class PlayerRenamed(Shape):
    """What became of a name that was corrected."""

    player: str
    name: str
    matches: list[str] = Field(description="Ids of the matches whose opening says it anew.")
    duplicate: bool


class PlayerOut(EntrantOut):
    """A player with how often he has played."""

    matches: int


class ByeOut(Shape):
    """A bye."""

    entry_id: str
    round: str | None
    players: list[str]
    names: list[str | None]


class PlayersOut(Shape):
    """The players of a tournament, by name, and the byes that stand."""

    players: list[PlayerOut]
    byes: list[ByeOut]
    next_round: str | None


class ItemOut(Shape):
    """What became of one draft."""

    outcome: Literal["accepted", "duplicate", "gap", "device_fork", "stream_conflict"]
    reason: str | None = Field(description="Why it was not accepted; of a duplicate, then.")
    global_position: int | None = Field(description="The entry that it became, if it became one.")
    version: int | None
    entry_id: str | None = Field(description="Null where the draft could not be read.")


class CheckpointOut(Shape):
    """The tree head of a log; not signed."""

    size: int = Field(description="Entries of all its streams.")
    root: str = Field(description="Hex root of the Merkle tree over them (RFC 6962).")


class InclusionOut(Shape):
    """That an entry is in a log."""

    entry: int = Field(description="Its global position.")
    size: int = Field(description="Size of the tree.")
    leaf_hash: str = Field(description="Hex SHA-256 of a zero byte and the sealed bytes.")
    root: str = Field(description="Hex root of that tree.")
    hashes: list[str] = Field(description="Hex hashes from the leaf's sibling up (RFC 6962 2.1.1).")


class ConsistencyOut(Shape):
    """That a log has only grown."""

    start: int = Field(alias="from", description="Size of the earlier tree.")
    to: int = Field(description="Size of the later tree.")
    root: str = Field(description="Hex root of the later tree.")
    hashes: list[str] = Field(description="Hex hashes of the proof (RFC 6962 2.1.2).")


class GrowthOut(Shape):
    """That the checkpoint beside it goes on from the one that the device holds."""

    start: int = Field(alias="from", description="Size that the device sent.")
    hashes: list[str] = Field(description="Hex hashes of the proof (RFC 6962 2.1.2).")


class IngestOut(Shape):
    """The answer to a batch of drafts."""

    results: list[ItemOut] = Field(description="One for each item, in order.")
    streams: dict[str, StreamHeadOut]
    cursor: CursorOut
    server_time_ms: int
    expected_device_seq: int | None = Field(
        None, description="The number needed next, where a draft came too early."
    )
    checkpoint: CheckpointOut | None = Field(
        description="To be kept; null where the stored hashes are damaged."
    )
    consistency: GrowthOut | None = Field(
        description="Null where no size was sent, or one beyond the log's."
    )


class ParkedOut(Shape):
    """One draft that is parked."""

    journal_id: int = Field(description="Its number in the log's journal, from 1.")
    entry_id: str
    tag: str
    body: dict[str, Any] = Field(description="As the device signed it.")
    disclosures: dict[str, Any] = Field(description="Commitment to the value that it hides.")
    occurred_at: int | None = Field(description="By the device's clock; a claim.")
    received_at: int
    device_seq: int
    reason: str = Field(description="Why the match could not take it.")
    expected_version: int = Field(description="Version of the match that it was recorded on.")
    version_then: int | None = Field(description="Version that the match was at when it came.")


class BranchOut(Shape):
    """What one device submitted for one match in vain."""

    match_id: str
    device: str
    state: Literal["open", "resolved"]
    items: list[ParkedOut] = Field(description="In the order of the device's chain.")


class BranchPage(Shape):
    """All branches, the open ones first."""

    branches: list[BranchOut]


class ResolutionOut(Shape):
    """A branch that is resolved."""

    match_id: str
    device: str
    entry_id: str = Field(description="Of the `branch.resolved`.")
    entries: list[EntryPlace] = Field(description="What was taken over, in its new order.")
    duplicate: bool = Field(description="Whether it had been resolved so before.")
