"""Shapes of answers about matches: summaries, records, entries, findings, questions, outcomes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from api.shapes.shape import JsonObject, Shape
from events.values import Seat
from projections.facts.clock_state import Forfeit
from projections.views.discretion import HELD_BACK

Name = Seat
"""On the wire `one` or `two`."""

AWAITS_RULING = "Whether a dispute is open: then the public is shown the match as it stood before."


class Pair(Shape):
    """One number for each seat."""

    one: int
    two: int


class MaybePair(Shape):
    """One number for each seat, where it is known."""

    one: int | None
    two: int | None


Version = Annotated[int, "Place in the stream, from 1."]
GlobalPosition = Annotated[int, "Place in the log, from 0."]
LeafHash = Annotated[str, "Hex SHA-256 leaf hash of the sealed bytes (RFC 6962)."]


class EntryPlace(Shape):
    """Where an entry stands."""

    entry_id: str
    version: Version
    global_position: GlobalPosition
    leaf_hash: LeafHash


class Recorded(Shape):
    """The answer to an append."""

    version: Annotated[int, "Version of the last entry of the batch."]
    entries: list[EntryPlace]
    duplicate: Annotated[bool, "Whether it had been recorded before."]


class Opened(Shape):
    """The answer to the opening of a match."""

    log_id: str
    match_id: str
    version: Version
    entry_id: str
    global_position: GlobalPosition
    leaf_hash: LeafHash
    duplicate: bool


class TournamentOut(Shape):
    """A tournament as it stands; personal values are null where they are not disclosed."""

    version: Annotated[int, "Version of its own stream."]
    title: str | None
    organiser: str | None
    place: str | None
    starts_on: Annotated[str | None, "First day, an ISO 8601 date."]
    ends_on: Annotated[str | None, "Last day."]
    rule_set: Annotated[str | None, "In force; null = none was declared."]
    options: Annotated[dict[str, JsonObject], "Options in force, as declared."]
    is_closed: bool
    defaults: Annotated[
        JsonObject,
        "What a new match is opened with, as members of `match.opened`: `length`, `rule_set`, "
        "`options`, `clock_terms`, `publication`, each only if it is set.",
    ]


class LogOut(Shape):
    """A log: one tournament."""

    log_id: str
    title: str | None
    size: Annotated[int, "Entries of all its streams."]
    root: Annotated[str, "Hex root of the Merkle tree over all entries (RFC 6962)."]
    matches: Annotated[int, "Matches that may be read."]
    tournament: Annotated[
        TournamentOut | None, "What it is; null for whoever has no grant over the whole log."
    ]


class LogPage(Shape):
    """Some logs."""

    logs: list[LogOut]
    next_cursor: str | None


class Players(Shape):
    """Disclosed names of each side; two in consultation doubles."""

    one: list[str]
    two: list[str]


class MatchSummary(Shape):
    """A match at a glance."""

    log_id: str
    match_id: str
    version: int
    players: Players
    event: str | None
    round: str | None
    table: str | None
    date: Annotated[str | None, "Day, as written."]
    length: Annotated[int | None, "Points needed to win; null = money."]
    score: Pair
    games: Annotated[int, "Games that are over."]
    state: Literal["waiting", "live", "ended", "cancelled", "damaged"]
    winner: Name | None
    won_by: Annotated[
        str | None,
        "By what: score, wrong_length, penalty_points, forfeit, flag, disqualification or claim; "
        "null while nobody has won, or where the result alone is known.",
    ]
    is_public: bool
    delay_ms: Annotated[int, "How far the public is behind the table."]
    findings: Annotated[
        int | None, "How many; null, but for those who rule, while the match is in play."
    ]
    open_questions: Annotated[int | None, "How many; null where `findings` is."]
    rule_set: str | None
    source: Annotated[str | None, "Dialect of the file it was imported from."]
    awaits_ruling: Annotated[bool, AWAITS_RULING]


class MatchPage(Shape):
    """Some matches of a log."""

    matches: list[MatchSummary]
    next_cursor: str | None


class TurnOut(Shape):
    """One act of a game; members that do not belong to it are left out."""

    version: Annotated[int, "The entry that says it."]
    act: Annotated[str, "roll, play, gap, double, take, drop, beaver or position."]
    seat: Name | None
    dice: Annotated[list[int], "The roll."] = field(default_factory=list)
    play: Annotated[str, "Of a play; empty = nothing could be played."] = ""
    position_id: Annotated[str | None, "Of a board that was stated."] = None
    clock: Annotated[MaybePair | None, "What is left of both, in ms."] = None


class GameResultOut(Shape):
    """How a game ended."""

    winner: Name
    points: int
    kind: str | None
    ended_by: str


class GameRecord(Shape):
    """One game, turn by turn."""

    number: int
    score: Annotated[Pair, "At its beginning."]
    crawford: bool
    turns: list[TurnOut]
    result: Annotated[GameResultOut | None, "Null while it is played."]


class MatchRecord(Shape, kw_only=True):
    """A match as one object: as corrected, without what did not count."""

    log_id: str
    match_id: str
    version: int
    players: Players
    event: str | None
    round: str | None
    table: str | None
    date: str | None
    length: Annotated[int | None, "Points needed to win; null = money."]
    score: Pair
    state: Literal["waiting", "live", "ended", "cancelled"]
    rule_set: str | None
    source: Annotated[str | None, "Dialect of the file it was imported from."]
    awaits_ruling: Annotated[bool, AWAITS_RULING]
    result: OutcomeOut
    games: list[GameRecord]
    findings: Annotated[list[FindingOut], "Unless not wanted, or held back."] = field(
        default_factory=list
    )
    lost: Annotated[
        dict[str, int], "Kind of fact that has no place here, and how many; {} where held back."
    ]
    held_back: Annotated[str | None, f"Left out, or the words: {HELD_BACK}"] = None


class EntryOut(Shape):
    """One entry as recorded."""

    version: int
    global_position: int
    tag: str
    schema_version: int = field(name="schema")
    entry_id: str
    basis: str
    body: Annotated[JsonObject, "As sealed: personal values are commitments."]
    leaf_hash: str
    context: Annotated[JsonObject | None, "Who recorded it, when, on what device."]
    disclosures: Annotated[JsonObject, "Commitment to the value that it stands for."]
    withheld: Annotated[
        Literal["ballot", "case", "players"] | None,
        "Why the body is not what was sealed: it says a ballot, who comes to a case, or, to a"
        " committee that must not know, who plays.",
    ] = None


class Entries(Shape):
    """Some entries of a stream."""

    version: Annotated[int, "Version that the stream is at, as far as it may be seen."]
    entries: list[EntryOut]
    next_after: Annotated[int | None, "`after` of the next page; null = no more."]


class RulingRequiredOut(Shape):
    """A question for a person."""

    topic: str
    readings: list[str]
    reason: str
    lean: str | None
    suggest: str | None
    leaning: Annotated[SaidOut | None, "`lean` in words."]


class SaidOut(Shape):
    """A sentence, which a page fills with names, in any language."""

    text: Annotated[str, "In English, `{name}` for each place; translations go by it."]
    facts: Annotated[dict[str, str | int], "Numbers, notation and ids, as they are."]
    people: Annotated[dict[str, Name], "Seats, to be named."]
    parts: Annotated[dict[str, SaidOut], "Words and sentences to translate by themselves."]


class RestOut(Shape):
    """A sentence of the rule set on which a finding rests, or would rest."""

    sentence: Annotated[str, "Its section, and a number where a section has several."]
    sha256: Annotated[str | None, "Hash of the sentence in hand; null = it is not in hand."]


class FindingOut(Shape):
    """An irregularity, or an open question."""

    code: str
    rule_set: str
    section: str
    version: int
    seat: Name | None
    message: Annotated[str, "`said` in English, of player one and player two."]
    said: SaidOut
    severity: str
    ambiguity: str | None
    verified: Annotated[bool, "False where the text in force was not at hand for it."]
    ruling_required: RulingRequiredOut | None
    answered_by: int | None
    rests_on: Annotated[list[RestOut], "Empty where the rule set's text was read as a whole."]


class Checkers(Shape):
    """26 counts a side: borne off, points 1 to 24, bar; null while the board is unknown."""

    one: list[int] | None
    two: list[int] | None


class CubeOut(Shape):
    """The doubling cube."""

    value: int
    owner: Name | None
    offered_by: Name | None


class ClockState(Shape):
    """The clock in a line of the replay."""

    reserve_ms: MaybePair
    running: Name | None


class Forfeits(Shape):
    """How the delay of each player's next turn is forfeited; null = it is not."""

    one: Forfeit | None
    two: Forfeit | None


class DelayState(ClockState):
    """The clock with what is forfeited of its delays."""

    free_ms: Annotated[
        int | None, "Free time of the turn on the clock where it is not the whole delay."
    ]
    turn_forfeit: Annotated[
        Forfeit | None,
        "How the delay of that turn is forfeited: at once, or by waiting.",
    ]
    forfeits: Forfeits


class Line(Shape):
    """One entry with the state after it."""

    version: int
    tag: str
    seat: Name | None
    dice: list[int | None] | None
    play: str | None
    checkers: Checkers
    position_id: str | None
    score: Pair
    cube: CubeOut
    on_roll: Name | None
    to_act: Name | None
    turn_open: Name | None
    clock: ClockState | None
    findings: Annotated[list[FindingOut] | None, "Null = held back."]


class View(Shape):
    """What every view of a match says first."""

    log_id: str
    match_id: str
    version: Annotated[int, "Version shown."]
    rule_set: Annotated[str, "Rule set that the folds asked."]
    as_recorded: Annotated[bool, "Whether corrections were left unapplied."]
    held_back: Annotated[str | None, f"Null = nothing is left out; else the words: {HELD_BACK}"]
    awaits_ruling: Annotated[bool, AWAITS_RULING]


class AnsweredOut(Shape):
    """The ruling that answers a question."""

    version: Annotated[int, "The `ruling.made`."]
    reading: Annotated[str, "The reading chosen."]
    at_ms: Annotated[int | None, "When, in ms since the appointed start."]


class LeftOut(Shape):
    """The entry that left a question to rest."""

    version: int
    entry_id: str


class QuestionOut(Shape):
    """A question that the rules leave to a person; topic, at and seat name it in a ruling."""

    topic: str
    at: Annotated[str, "Entry at which it arose."]
    version: Annotated[int, "Version of that entry."]
    seat: Name | None
    message: Annotated[str, "What happened: `said` in English, with seats for names."]
    said: SaidOut
    rule_set: str
    section: str
    ambiguity: str | None
    reason: Annotated[
        str,
        "silent, ambiguous, not_in_hand, not_verified, not_recorded, conflict or discretion.",
    ]
    readings: Annotated[list[str], "The readings that compete."]
    lean: Annotated[str | None, "What the text leans to; shown, never applied."]
    suggest: Annotated[str | None, "Whose answer could be taken; shown, never applied."]
    leaning: Annotated[SaidOut | None, "`lean` in words."]
    answered: AnsweredOut | None
    attention: Annotated[
        str,
        "alarm = it needs the director; note = the players have settled it, or nobody objects;"
        " left = the director left it to rest; answered = a ruling answers it.",
    ]
    left: Annotated[LeftOut | None, "The entry that left it to rest; it is still open."]


class OutcomeOut(Shape):
    """Who has won the match."""

    winner: Name | None
    by: Annotated[str | None, "score, penalty_points, forfeit, flag and the like."]
    rule_set: str | None
    section: str | None
    version: Annotated[int | None, "The entry that decided it."]
    questions: Annotated[list[str], "Topics of open questions on which it hangs."]
