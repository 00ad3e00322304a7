"""Shapes of answers about a tournament: its room, and the openings of its matches."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.devices import PairingOut
from api.shapes.matches import DelayState, MaybePair, Name, Pair, TournamentOut
from api.shapes.rounds import ByeOut
from api.shapes.shape import JsonObject, Shape
from api.shapes.views import AppealOut
from events.payloads.clock import Flag


class MaybeNames(Shape):
    """Names of the players; null = not disclosed."""

    one: str | None
    two: str | None


class RoomClock(DelayState):
    """The clock of a table."""

    flag: Annotated[
        Flag | None,
        "Seats whose reserve has run out, as computed or as noticed.",
    ]
    delay_ms: int
    paused: Annotated[Name | None, "Seat whose time ran before a pause."]
    kind: Annotated[str, "How it gives free time: `kind` of `clock.set`."]
    pause_reason: Annotated[str | None, "Why it is paused, if it is."]
    running_since: Annotated[
        int | None, "Server time since which `running` has run without a stop; null = unknown."
    ]
    time_zero: Annotated[
        int | None, "Server time at which `at_ms` of the match is 0, by its promptest entry."
    ]
    since_elapsed_ms: Annotated[
        int | None, "Time of this turn before `running_since`, milliseconds."
    ]
    turn_reserve_ms: Annotated[int | None, "Reserve of the running seat when its turn began."]


class LastEntry(Shape):
    """The last entry of a match."""

    version: int
    tag: str
    seat: Name | None
    dice: list[int | None] | None
    play: Annotated[str | None, "The play, in notation; empty = no checker was moved."]
    received_at: int | None


class HeldLease(Shape):
    """The lease of a match."""

    number: int
    device: str
    profile: str


class RoomDevice(Shape):
    """The device that records a match."""

    id: str
    seen_at: Annotated[int | None, "When it was last heard from, since the server's start."]
    unsent: Annotated[int | None, "Number of entries that it had not sent, as it reported."]


class OpenDispute(Shape):
    """A dispute without a ruling."""

    version: int
    entry_id: str
    by: str
    topic: str | None
    at_ms: int | None
    frozen_version: Annotated[int, "Version of the last entry that both players accept."]


class Shadow(Shape):
    """A second recorder's stream."""

    match_id: str
    device: str | None
    dispute: Annotated[OpenDispute | None, "A dispute in this stream without a ruling."]


class Acknowledgement(Shape):
    """The acknowledgement of a decision by the table."""

    version: int
    by: Annotated[str | None, "Who acknowledged it; null = the scribe."]
    at_ms: int | None
    received_at: Annotated[int | None, "Milliseconds since 1970 UTC."]


class NoticeOut(Shape):
    """A decision of the director that the table is notified of."""

    version: int
    entry_id: str
    tag: str
    acknowledged: Annotated[Acknowledgement | None, "Null until the table has acknowledged it."]


class Confirmations(Shape):
    """The score that each player has confirmed since the last game ended."""

    one: Pair | None
    two: Pair | None


class LateOut(Shape):
    """A match that should have begun."""

    since: Annotated[int, "The appointed start, milliseconds since 1970 UTC."]
    missing: Annotated[list[Name], "Players who have not arrived."]


class NoShowOut(Shape):
    """A match that was forfeited before its first game."""

    seat: Name
    entry_id: Annotated[str, "The entry that declares it; if it is retracted, the match goes on."]


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
    lost_on_time: Annotated[Name | None, "Seat that has lost the match on time."]
    clock: RoomClock | None
    last: LastEntry
    rule_set: str | None
    questions: Annotated[int, "Questions that need the director."]
    notes: Annotated[
        int, "Open questions that need no ruling: settled by both players, or set aside."
    ]
    windows: Annotated[int, "Number of things that may or must still be corrected."]
    dispute: OpenDispute | None
    notices: Annotated[list[NoticeOut], "Decisions that the table was notified of, in order."]
    confirmations: Confirmations
    is_public: bool
    no_show: Annotated[NoShowOut | None, "A forfeit of the match for not coming."]
    posted: Annotated[PostedOut | None, "The result on the draw sheet; null while there is none."]
    lease: HeldLease | None
    device: RoomDevice | None
    shadows: list[Shadow]
    parked: Annotated[int, "Number of parked entries that wait for a resolution."]
    late: LateOut | None
    round: str | None
    called: Annotated[list[Name], "Before the match: players who were called and have not come."]
    missing: Annotated[list[Name], "Before the match: players who have not come, called or not."]
    tally: Annotated[Pair, "Penalty points of each side's players over all matches."]


class CallOut(Shape):
    """A call for the director."""

    match_id: Annotated[str, "Stream in which it was recorded; it may be a second scribe's."]
    version: int
    entry_id: str
    at_ms: int | None
    received_at: int | None
    by: str | None
    about: Annotated[str | None, "Entry id that the call is about."]
    reason: Annotated[str | None, "Tag of that entry."]
    answered: Annotated[bool, "Whether a later entry of the director answers it."]
    parked: Annotated[bool, "Whether it is in a parked entry; `version` is then the match's last."]


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
    questions: Annotated[list[str], "Topics of open questions that it depends on."]
    lost_on_time: Name | None
    reports: list[ReportOut]
    confirmations: Confirmations


class RoomAppeal(AppealOut):
    """An appeal whose outcome is not announced."""

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
    table: Annotated[str | None, "Table that it is assigned to."]
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
    """The players in each seat; null = a name is not disclosed."""

    one: list[str | None]
    two: list[str | None]


class OpeningOut(Shape):
    """The opening of a match, with corrections applied."""

    log_id: str
    match_id: str
    version: int
    entry_id: Annotated[str, "The `match.opened`."]
    is_amended: Annotated[bool, "Whether it was edited."]
    cancelled_by: Annotated[str | None, "Entry id of the `match.cancelled` in force."]
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
        str | None, "Why nothing is recorded: the log is not the signed one; null = it is."
    ]
    refused_by: Annotated[
        list[str], "Answers of witnesses that refused to sign: it is not the log they know."
    ]
    unstamped: Annotated[
        str | None, "Why the time-stamping authority did not stamp the log when it was last asked."
    ]
    uncopied: Annotated[
        int | None,
        "Number of entries that the last backup lacks, once they are many: tablets keep their"
        " entries until a backup holds them, up to 4,000 of a log; null = few, or no backup yet.",
    ]
    server_time_ms: int
