"""Shapes of answers about a tournament: its room, and how its matches are opened."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.devices import PairingOut
from api.shapes.matches import DelayState, MaybePair, Name, Pair, TournamentOut
from api.shapes.rounds import ByeOut
from api.shapes.shape import JsonObject, Shape
from api.shapes.views import AppealOut
from events.payloads.clock import Flag


class MaybeNames(Shape):
    """What the players are called; null where that is not disclosed."""

    one: str | None
    two: str | None


class RoomClock(DelayState):
    """The clock of a table."""

    flag: Annotated[
        Flag | None,
        "Whose reserve has run out, by the presses or as it was noticed.",
    ]
    delay_ms: int
    paused: Annotated[Name | None, "Whose time ran before a pause."]
    kind: Annotated[str, "How it gives free time, as `clock.set` says it."]
    pause_reason: Annotated[str | None, "Why it was paused, where it is."]
    running_since: Annotated[
        int | None, "Server time since which `running` runs without a stop; null = unknown."
    ]
    time_zero: Annotated[
        int | None, "Server time at which `at_ms` of the match is 0, by its promptest entry."
    ]
    since_elapsed_ms: Annotated[int | None, "Time of this turn before that."]
    turn_reserve_ms: Annotated[int | None, "Reserve of the running seat when its turn began."]


class LastEntry(Shape):
    """The last entry of a match."""

    version: int
    tag: str
    seat: Name | None
    dice: list[int | None] | None
    play: Annotated[str | None, "What was played, in notation; empty = no checker."]
    received_at: int | None


class HeldLease(Shape):
    """The lease of a match."""

    number: int
    device: str
    profile: str


class RoomDevice(Shape):
    """The device that records a match."""

    id: str
    seen_at: Annotated[int | None, "When it was heard of last, since the server's start."]
    unsent: Annotated[int | None, "Entries that it had not sent, as it said."]


class OpenDispute(Shape):
    """A dispute that no ruling has settled."""

    version: int
    entry_id: str
    by: str
    topic: str | None
    at_ms: int | None
    frozen_version: Annotated[int, "Version of the last entry that both accept."]


class Shadow(Shape):
    """A second recorder's stream."""

    match_id: str
    device: str | None
    dispute: Annotated[OpenDispute | None, "One that it recorded, and no ruling there has settled."]


class Acknowledgement(Shape):
    """By which a table took note of what it was told."""

    version: int
    by: Annotated[str | None, "Who took note; null = whoever records."]
    at_ms: int | None
    received_at: Annotated[int | None, "Milliseconds since 1970 UTC."]


class NoticeOut(Shape):
    """What the director decided, as the table is told of it."""

    version: int
    entry_id: str
    tag: str
    acknowledged: Annotated[Acknowledgement | None, "Null while the table has not."]


class Confirmations(Shape):
    """The score as each player confirmed it since the last game ended."""

    one: Pair | None
    two: Pair | None


class LateOut(Shape):
    """A match that should have begun."""

    since: Annotated[int, "The appointed start, milliseconds since 1970 UTC."]
    missing: Annotated[list[Name], "Who has not arrived."]


class NoShowOut(Shape):
    """A match that was forfeited before its first game."""

    seat: Name
    entry_id: Annotated[str, "The entry that says so; retracted, the match is on again."]


class PostedOut(Shape):
    """The result on the draw sheet."""

    winner: Name | None
    score: Pair | None


class TableOut(Shape):
    """One table of the room."""

    match_id: str
    table: str | None
    names: MaybeNames
    length: int | None
    score: Pair
    games: int
    state: Literal["waiting", "live", "ended"]
    on_roll: Name | None
    to_act: Name | None
    penalties: Pair
    lost_on_time: Annotated[Name | None, "Who has lost the match by the clock."]
    clock: RoomClock | None
    last: LastEntry
    rule_set: str | None
    questions: Annotated[int, "Questions that need the director."]
    notes: Annotated[
        int, "Open questions that need nobody: settled by both players, or left to rest."
    ]
    windows: Annotated[int, "What may or must still be put right."]
    dispute: OpenDispute | None
    notices: Annotated[list[NoticeOut], "What the table was told, in order."]
    confirmations: Confirmations
    is_public: bool
    no_show: Annotated[NoShowOut | None, "Who forfeits the match by not coming."]
    posted: Annotated[PostedOut | None, "The result on the draw sheet; null while there is none."]
    lease: HeldLease | None
    device: RoomDevice | None
    shadows: list[Shadow]
    parked: Annotated[int, "Entries that wait for a resolution."]
    late: LateOut | None
    round: str | None
    called: Annotated[list[Name], "Who was called, and has not come, before the match."]
    missing: Annotated[list[Name], "Who has not come, called or not, before the match."]
    tally: Annotated[Pair, "Penalty points of each side's players over all matches."]


class CallOut(Shape):
    """Somebody called the director."""

    match_id: Annotated[str, "Where it was recorded: perhaps a second scribe's, beside a table's."]
    version: int
    entry_id: str
    at_ms: int | None
    received_at: int | None
    by: str | None
    about: Annotated[str | None, "Entry id that the call is about."]
    reason: Annotated[str | None, "Tag of that entry."]
    answered: Annotated[bool, "Whether a later entry of the director's answers it."]
    parked: Annotated[
        bool, "Whether it waits among parked entries; `version` is then the match's last."
    ]


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
    questions: Annotated[list[str], "Topics of open questions on which it hangs."]
    lost_on_time: Name | None
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
    fingerprint: Annotated[list[str], "Four words, as they were compared at pairing."]
    grant_id: str
    matches: list[str]
    table: Annotated[str | None, "Table at which it stands."]
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
    entry_id: Annotated[str, "The `match.opened`."]
    is_amended: Annotated[bool, "Whether it was edited."]
    cancelled_by: Annotated[str | None, "The `match.cancelled` in force."]
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
    options: JsonObject
    clock_terms: JsonObject | None
    is_public: bool
    delay_ms: int


class RoomOut(Shape):
    """A tournament at a glance."""

    log_id: str
    title: str | None
    tournament: TournamentOut
    tables: list[TableOut]
    calls: list[CallOut]
    devices: list[DeviceOut]
    grants: list[GrantOut]
    results: list[ResultOut]
    appeals: list[RoomAppeal]
    byes: list[ByeOut]
    pairings: list[PairingOut]
    held: Annotated[
        str | None, "Why nothing is recorded: the log is not what was signed of it; null = it is."
    ]
    refused_by: Annotated[
        list[str], "What witnesses said that would not sign the log: it is not what they know."
    ]
    unstamped: Annotated[
        str | None, "Why the time-stamping authority did not stamp the log when it was last asked."
    ]
    uncopied: Annotated[
        int | None,
        "Entries that the last backup lacks, once they are many: tablets keep what they sent until"
        " a backup holds it, up to 4,000 entries of a log; null = few, or no backup was ever made.",
    ]
    server_time_ms: int
