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
    """One number for each seat; null = unknown."""

    one: int | None
    two: int | None


Version = Annotated[int, "Place in the stream, from 1."]
GlobalPosition = Annotated[int, "Place in the log, from 0."]
LeafHash = Annotated[str, "Hex SHA-256 leaf hash of the sealed bytes (RFC 6962)."]


class EntryPlace(Shape):
    """The place of an entry."""

    entry_id: str
    version: Version
    global_position: GlobalPosition
    leaf_hash: LeafHash


class Recorded(Shape):
    """The answer to an append."""

    version: Annotated[int, "Version of the last entry of the batch."]
    entries: list[EntryPlace]
    duplicate: Annotated[bool, "Whether the batch had been recorded before."]


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
    """A tournament's current description; undisclosed personal values are null."""

    version: Annotated[int, "Version of its own stream."]
    title: str | None
    organiser: str | None
    place: str | None
    starts_on: Annotated[str | None, "First day, an ISO 8601 date."]
    ends_on: Annotated[str | None, "Last day."]
    rule_set: Annotated[str | None, "Rule set in force; null = none was declared."]
    options: Annotated[dict[str, JsonObject], "Options in force, as declared."]
    is_closed: bool
    defaults: Annotated[
        JsonObject,
        "Defaults for new matches, as members of `match.opened`: `length`, `rule_set`, `options`, "
        "`clock_terms`, `publication`, each only if it is set.",
    ]


class LogOut(Shape):
    """A log: one tournament."""

    log_id: str
    title: str | None
    size: Annotated[int, "Entries of all its streams."]
    root: Annotated[str, "Hex root of the Merkle tree over all entries (RFC 6962)."]
    matches: Annotated[int, "Number of matches that the reader may see."]
    tournament: Annotated[
        TournamentOut | None,
        "Its description; null for readers without a grant over the whole log.",
    ]


class LogPage(Shape):
    """A page of logs."""

    logs: list[LogOut]
    next_cursor: str | None


class Players(Shape):
    """Disclosed names of each side; two names in consultation doubles."""

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
        "What decided it: score, wrong_length, penalty_points, forfeit, flag, disqualification or "
        "claim; null = there is no winner yet, or only the result is known.",
    ]
    is_public: bool
    delay_ms: Annotated[int, "How far the public lags behind the table, milliseconds."]
    findings: Annotated[
        int | None, "Number; while the match is played, null except for those who rule on it."
    ]
    open_questions: Annotated[int | None, "Number; null if `findings` is null."]
    rule_set: str | None
    source: Annotated[str | None, "Dialect of the file it was imported from."]
    awaits_ruling: Annotated[bool, AWAITS_RULING]


class MatchPage(Shape):
    """A page of a log's matches."""

    matches: list[MatchSummary]
    next_cursor: str | None


class TurnOut(Shape):
    """One act of a game; members that do not apply are left out."""

    version: Annotated[int, "Version of its entry."]
    act: Annotated[str, "roll, play, gap, double, take, drop, beaver or position."]
    seat: Name | None
    dice: Annotated[list[int], "The dice of a roll."] = field(default_factory=list)
    play: Annotated[str, "For a play, in notation; empty = nothing could be played."] = ""
    position_id: Annotated[str | None, "For a stated board."] = None
    clock: Annotated[MaybePair | None, "Reserves of both players after it, milliseconds."] = None


class GameResultOut(Shape):
    """How a game ended."""

    winner: Name
    points: int
    kind: str | None
    ended_by: str


class GameRecord(Shape):
    """One game, turn by turn."""

    number: int
    score: Annotated[Pair, "The score at its beginning."]
    crawford: bool
    turns: list[TurnOut]
    result: Annotated[GameResultOut | None, "Null while the game is played."]


class MatchRecord(Shape, kw_only=True):
    """A match as one object: as corrected, without acts that did not count."""

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
    findings: Annotated[list[FindingOut], "Left out if not wanted, or held back."] = field(
        default_factory=list
    )
    lost: Annotated[
        dict[str, int], "Kinds and numbers of facts that have no place here; {} if held back."
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
    body: Annotated[JsonObject, "The sealed body: personal values are commitments."]
    leaf_hash: str
    context: Annotated[JsonObject | None, "Who recorded it, when, on what device."]
    disclosures: Annotated[JsonObject, "Commitment to the value that it stands for."]
    withheld: Annotated[
        Literal["ballot", "case", "players"] | None,
        "Why the body differs from the sealed one: it holds a ballot, the holder of a seat in a"
        " case or, for a committee that must not know them, the players.",
    ] = None


class Entries(Shape):
    """A page of a stream's entries."""

    version: Annotated[int, "Last version of the stream that the reader may see."]
    entries: list[EntryOut]
    next_after: Annotated[int | None, "`after` for the next page; null = no more entries."]


class RulingRequiredOut(Shape):
    """A question that a person has to decide."""

    topic: str
    readings: list[str]
    reason: str
    lean: str | None
    suggest: str | None
    leaning: Annotated[SaidOut | None, "`lean` in words."]


class SaidOut(Shape):
    """A sentence with places that a page fills with names, in any language."""

    text: Annotated[str, "English text with `{name}` for each place; the key of translations."]
    facts: Annotated[dict[str, str | int], "Place to a number, notation or id, shown as it is."]
    people: Annotated[dict[str, Name], "Place to a seat, to be shown by name."]
    parts: Annotated[dict[str, SaidOut], "Place to a word or sentence with its own translation."]


class RestOut(Shape):
    """A sentence of the rule set on which a finding is based, or would be."""

    sentence: Annotated[str, "Its section, with a number if the section has several."]
    sha256: Annotated[str | None, "Hash of the sentence in the loaded text; null = not loaded."]


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
    verified: Annotated[bool, "False = the text in force was not available for it."]
    ruling_required: RulingRequiredOut | None
    answered_by: int | None
    rests_on: Annotated[list[RestOut], "Empty if the rule set's text was read as a whole."]


class Checkers(Shape):
    """26 counts for each side: borne off, points 1 to 24, bar; null = the board is unknown."""

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
    """How the delay of each player's next turn is forfeited; null = not forfeited."""

    one: Forfeit | None
    two: Forfeit | None


class DelayState(ClockState):
    """The clock, with forfeited delays."""

    free_ms: Annotated[int | None, "Free time of the current turn, if it is not the whole delay."]
    turn_forfeit: Annotated[
        Forfeit | None,
        "How the delay of the current turn is forfeited: at once, or by waiting.",
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
    """The members with which every view of a match begins."""

    log_id: str
    match_id: str
    version: Annotated[int, "Version shown."]
    rule_set: Annotated[str, "Rule set that the match is judged by."]
    as_recorded: Annotated[bool, "Whether corrections are not applied."]
    held_back: Annotated[str | None, f"Null = nothing is left out; else the words: {HELD_BACK}"]
    awaits_ruling: Annotated[bool, AWAITS_RULING]


class AnsweredOut(Shape):
    """The ruling that answers a question."""

    version: Annotated[int, "Version of the `ruling.made`."]
    reading: Annotated[str, "The reading that was chosen."]
    at_ms: Annotated[int | None, "When, milliseconds since the appointed start."]


class LeftOut(Shape):
    """The entry that set a question aside."""

    version: int
    entry_id: str


class QuestionOut(Shape):
    """A question that the rules leave to a person; a ruling names it by topic, at and seat."""

    topic: str
    at: Annotated[str, "Id of the entry at which it arose."]
    version: Annotated[int, "Version of that entry."]
    seat: Name | None
    message: Annotated[str, "What happened: `said` in English, with seats instead of names."]
    said: SaidOut
    rule_set: str
    section: str
    ambiguity: str | None
    reason: Annotated[
        str,
        "silent, ambiguous, not_in_hand, not_verified, not_recorded, conflict or discretion.",
    ]
    readings: Annotated[list[str], "The readings that compete."]
    lean: Annotated[str | None, "The reading that the text favours; shown, never applied."]
    suggest: Annotated[str | None, "The rule set whose answer could be used; shown, never applied."]
    leaning: Annotated[SaidOut | None, "`lean` in words."]
    answered: AnsweredOut | None
    attention: Annotated[
        str,
        "alarm = it needs the director; note = the players have settled it, or there is no"
        " objection; left = the director set it aside; answered = a ruling answers it.",
    ]
    left: Annotated[LeftOut | None, "The entry that set it aside; it is still open."]


class OutcomeOut(Shape):
    """The outcome of the match."""

    winner: Name | None
    by: Annotated[str | None, "What decided it: score, penalty_points, forfeit, flag and the like."]
    rule_set: str | None
    section: str | None
    version: Annotated[int | None, "Version of the entry that decided it."]
    questions: Annotated[list[str], "Topics of open questions that it depends on."]
