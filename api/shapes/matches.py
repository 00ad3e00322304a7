"""Shapes of answers, for the API's description: pydantic, and never on the way of an append."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.refusals import KINDS
from projections.views.discretion import HELD_BACK

Name = Literal["one", "two"]

AWAITS_RULING = "Whether a dispute is open: then the public is shown the match as it stood before."


class Shape(BaseModel):
    """What all answers share: nothing that is not described."""

    model_config = ConfigDict(extra="forbid")


class ProblemOut(BaseModel):
    """A refusal (RFC 9457); some kinds carry more members than these."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="`/problems/<kind>`, where the kind is described.")
    title: str = Field(description="The kind, in words.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="What was wrong this time.")
    instance: str = Field(description="The path that was asked for.")
    where: str | None = Field(None, description="Member or parameter that is at fault.")
    needs: str | None = Field(None, description="Who may do it.")
    current_version: int | None = Field(None, description="Version that the stream is at.")
    expected_version: int | None = Field(None, description="Version that was expected.")
    missed: list[EntryOut] | None = Field(
        None, description="Entries after the version that was expected."
    )
    missed_truncated: bool | None = Field(None, description="Whether more were missed.")
    expected: list[str] | None = Field(None, description="Tags that may come next.")
    known: list[str] | None = Field(None, description="What could have been asked for.")
    entry_id: str | None = Field(None, description="The entry id at fault.")
    known_entries: list[str] | None = Field(None, description="Entry ids recorded already.")
    retry_after_seconds: int | None = Field(None, description="When to try again.")


class Pair(Shape):
    """One number for each seat."""

    one: int
    two: int


class MaybePair(Shape):
    """One number for each seat, where it is known."""

    one: int | None
    two: int | None


class EntryPlace(Shape):
    """Where an entry stands."""

    entry_id: str
    version: int = Field(description="Place in the stream, from 1.")
    global_position: int = Field(description="Place in the log, from 0.")
    leaf_hash: str = Field(description="Hex SHA-256 leaf hash of the sealed bytes (RFC 6962).")


class Recorded(Shape):
    """The answer to an append."""

    version: int = Field(description="Version of the last entry of the batch.")
    entries: list[EntryPlace]
    duplicate: bool = Field(description="Whether it had been recorded before.")


class Opened(EntryPlace):
    """The answer to the opening of a match."""

    log_id: str
    match_id: str
    duplicate: bool


class TournamentOut(Shape):
    """A tournament as it stands; personal values are null where they are not disclosed."""

    version: int = Field(description="Version of its own stream.")
    title: str | None
    organiser: str | None
    place: str | None
    starts_on: str | None = Field(description="First day, an ISO 8601 date.")
    ends_on: str | None = Field(description="Last day.")
    rule_set: str | None = Field(description="In force; null = none was declared.")
    options: dict[str, dict[str, Any]] = Field(description="Options in force, as declared.")
    is_closed: bool
    defaults: dict[str, Any] = Field(
        description="What a new match is opened with, as members of `match.opened`: `length`, "
        "`rule_set`, `options`, `clock_terms`, `publication`, each only if it is set."
    )


class LogOut(Shape):
    """A log: one tournament."""

    log_id: str
    title: str | None
    size: int = Field(description="Entries of all its streams.")
    root: str = Field(description="Hex root of the Merkle tree over all entries (RFC 6962).")
    matches: int = Field(description="Matches that may be read.")
    tournament: TournamentOut | None = Field(
        description="What it is; null for whoever has no grant over the whole log."
    )


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
    date: str | None = Field(description="Day, as written; for those with a grant.")
    length: int | None = Field(description="Points needed to win; null = money.")
    score: Pair
    games: int = Field(description="Games that are over.")
    state: Literal["waiting", "live", "ended", "cancelled", "damaged"]
    winner: Name | None
    is_public: bool
    delay_ms: int = Field(description="How far the public is behind the table.")
    findings: int | None = Field(
        description="How many; null, but for those who rule, while the match is in play."
    )
    open_questions: int | None = Field(description="How many; null where `findings` is.")
    rule_set: str | None
    source: str | None = Field(description="Dialect of the file it was imported from.")
    awaits_ruling: bool = Field(description=AWAITS_RULING)


class MatchPage(Shape):
    """Some matches of a log."""

    matches: list[MatchSummary]
    next_cursor: str | None


class TurnOut(Shape):
    """One act of a game; members that do not belong to it are left out."""

    version: int = Field(description="The entry that says it.")
    act: str = Field(description="roll, play, gap, double, take, drop, beaver or position.")
    seat: Name | None
    dice: list[int] = Field([], description="The roll.")
    play: str = Field("", description="Of a play; empty = nothing could be played.")
    position_id: str | None = Field(None, description="Of a board that was stated.")
    clock: MaybePair | None = Field(None, description="What is left of both, in ms.")


class GameResultOut(Shape):
    """How a game ended."""

    winner: Name
    points: int
    kind: str | None
    ended_by: str


class GameRecord(Shape):
    """One game, turn by turn."""

    number: int
    score: Pair = Field(description="At its beginning.")
    crawford: bool
    turns: list[TurnOut]
    result: GameResultOut | None = Field(description="Null while it is played.")


class MatchRecord(Shape):
    """A match as one object: as corrected, without what did not count."""

    log_id: str
    match_id: str
    version: int
    players: Players
    event: str | None
    date: str | None
    length: int | None = Field(description="Points needed to win; null = money.")
    score: Pair
    state: Literal["waiting", "live", "ended"]
    rule_set: str | None
    source: str | None = Field(description="Dialect of the file it was imported from.")
    awaits_ruling: bool = Field(description=AWAITS_RULING)
    result: OutcomeOut
    games: list[GameRecord]
    findings: list[FindingOut] = Field([], description="Unless not wanted, or held back.")
    lost: dict[str, int] = Field(
        description="Kind of fact that has no place here, and how many; {} where held back."
    )
    held_back: str | None = Field(None, description=f"Left out, or the words: {HELD_BACK}")


class EntryOut(Shape):
    """One entry as recorded."""

    version: int
    global_position: int
    tag: str
    schema_version: int = Field(alias="schema")
    entry_id: str
    basis: str
    body: dict[str, Any] = Field(description="As sealed: personal values are commitments.")
    leaf_hash: str
    context: dict[str, Any] | None = Field(description="Who recorded it, when, on what device.")
    disclosures: dict[str, Any] = Field(description="Commitment to the value that it stands for.")


class Entries(Shape):
    """Some entries of a stream."""

    version: int = Field(description="Version that the stream is at, as far as it may be seen.")
    entries: list[EntryOut]
    next_after: int | None = Field(description="`after` of the next page; null = no more.")


class RulingRequiredOut(Shape):
    """A question for a person."""

    topic: str
    readings: list[str]
    reason: str
    lean: str | None
    suggest: str | None
    leaning: SaidOut | None = Field(description="`lean` in words.")


class SaidOut(Shape):
    """A sentence, which a page fills with names, in any language."""

    text: str = Field(description="In English, `{name}` for each place; translations go by it.")
    facts: dict[str, str | int] = Field(description="Numbers, notation and ids, as they are.")
    people: dict[str, Name] = Field(description="Seats, to be named.")
    parts: dict[str, SaidOut] = Field(description="Words and sentences to translate by themselves.")


class FindingOut(Shape):
    """An irregularity, or an open question."""

    code: str
    rule_set: str
    section: str
    version: int
    seat: Name | None
    message: str = Field(description="`said` in English, with seats in the place of names.")
    said: SaidOut
    severity: str
    ambiguity: str | None
    verified: bool
    ruling_required: RulingRequiredOut | None
    answered_by: int | None


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
    findings: list[FindingOut] | None = Field(description="Null = held back.")


class View(Shape):
    """What every view of a match says first."""

    log_id: str
    match_id: str
    version: int = Field(description="Version shown.")
    rule_set: str = Field(description="Rule set that the folds asked.")
    as_recorded: bool = Field(description="Whether corrections were left unapplied.")
    held_back: str | None = Field(
        description=f"Null = nothing is left out; else the words: {HELD_BACK}"
    )
    awaits_ruling: bool = Field(description=AWAITS_RULING)


class AnsweredOut(Shape):
    """The ruling that answers a question."""

    version: int = Field(description="The `ruling.made`.")
    reading: str = Field(description="The reading chosen.")
    at_ms: int | None = Field(description="When, in ms since the appointed start.")


class LeftOut(Shape):
    """The entry that left a question to rest."""

    version: int
    entry_id: str


class QuestionOut(Shape):
    """A question that the rules leave to a person; topic, at and seat name it in a ruling."""

    topic: str
    at: str = Field(description="Entry at which it arose.")
    version: int = Field(description="Version of that entry.")
    seat: Name | None
    message: str = Field(description="What happened: `said` in English, with seats for names.")
    said: SaidOut
    rule_set: str
    section: str
    ambiguity: str | None
    reason: str = Field(description="silent, ambiguous, not_in_hand or discretion.")
    readings: list[str] = Field(description="The readings that compete.")
    lean: str | None = Field(description="What the text leans to; shown, never applied.")
    suggest: str | None = Field(description="Whose answer could be taken; shown, never applied.")
    leaning: SaidOut | None = Field(description="`lean` in words.")
    answered: AnsweredOut | None
    attention: str = Field(
        description="alarm = it needs the director; note = the players have settled it, or nobody "
        "objects; left = the director left it to rest; answered = a ruling answers it."
    )
    left: LeftOut | None = Field(description="The entry that left it to rest; it is still open.")


class ReplayOut(View):
    """A match, entry by entry."""

    lines: list[Line]
    questions: list[QuestionOut]


class PositionOut(View):
    """The board at one moment."""

    checkers: Checkers
    position_id: str | None
    cube: CubeOut
    on_roll: Name | None
    to_act: Name | None
    turn_open: Name | None
    dice: list[int] | None
    awaits: str


class GameOut(Shape):
    """One game that is over."""

    number: int
    winner: Name
    points: int
    kind: str | None
    ended_by: str
    version: int


class OutcomeOut(Shape):
    """Who has won the match."""

    winner: Name | None
    by: str | None = Field(description="score, penalty_points, forfeit, flag and the like.")
    rule_set: str | None
    section: str | None
    version: int | None = Field(description="The entry that decided it.")
    questions: list[str] = Field(description="Topics of open questions on which it hangs.")


class ScoreOut(View):
    """The score at one moment."""

    score: Pair
    length: int | None
    crawford: str
    game_number: int
    games: list[GameOut]
    winner: Name | None
    has_ended: bool
    outcome: OutcomeOut


class Fallen(Shape):
    """Whose reserve has run out."""

    one: bool
    two: bool


class ClockFace(ClockState):
    """The clock with its terms."""

    kind: str
    delay_ms: int
    paused: Name | None
    fallen: Fallen


class ClockOut(View):
    """The clock at one moment."""

    clock: ClockFace | None


class AnswerOut(Shape):
    """What the rule set says to a matter."""

    outcome: str = Field(description="A word of the matter's own, or `ruling_required`.")
    section: str
    details: dict[str, Any] = Field(description="What belongs to the outcome, by name.")
    ambiguity: str | None
    reason: str | None = Field(description="Why a person has to rule, where one has to.")
    readings: list[str]
    lean: str | dict[str, Any] | None = Field(description="Shown, never applied.")
    suggest: str | None = Field(description="Shown, never applied.")
    verified: bool = Field(description="False where another edition's text answered.")
    ruled_at: int | None = Field(description="The `ruling.made` that chose the outcome.")
    also: dict[str, AnswerOut] = Field(description="Questions beside it.")


class DelayOut(Shape):
    """A delay as recorded."""

    kind: str
    ms: int


class BreakOut(Shape):
    """A break taken."""

    ms: int
    played_ms: int | None = Field(description="How long had been played before it.")


class AssessedOut(Shape):
    """A penalty as it was assessed."""

    version: int
    points: int = Field(description="Less those waived.")
    waived: int
    enters_score: bool | None = Field(description="Null while nobody has said.")
    time_ms: Pair = Field(description="Clock time given (taken, if negative) with it, ms.")


class AccountOut(Shape):
    """What one player's time and penalties come to."""

    delays: list[DelayOut]
    breaks: list[BreakOut]
    is_away: bool = Field(description="Whether a break is in progress.")
    assessed: list[AssessedOut]
    answer: AnswerOut | None


class Accounts(Shape):
    """Both players' accounts."""

    one: AccountOut
    two: AccountOut


class Scores(Shape):
    """The score, while it is open whether penalty points enter it."""

    apart: Pair = Field(description="With those points in a ledger of their own.")
    entered: Pair = Field(description="With those points entered.")


class PenaltiesOut(View):
    """Penalties at one moment."""

    points: Pair | None = Field(description="Against each seat; null = held back, as all sums.")
    entering: Pair | None = Field(description="Of them, those that enter the score.")
    undecided: Pair | None = Field(description="Of them, those of which nobody has said.")
    scores: Scores | None
    forfeited: Name | None = Field(description="Whose points forfeit the match.")
    allowance: AnswerOut | None = Field(description="What breaks a player may take.")
    accounts: Accounts


class Believed(Shape):
    """What length a player believed in."""

    version: int
    seat: Name
    length: int


class LengthError(Shape):
    """A wrong length, as it was found."""

    version: int
    wrong: int
    correct: int
    during_game: bool
    knowingly: bool | None
    found_by: str | None


class MatchLengthOut(View):
    """The match's length at one moment."""

    posted: int | None
    draw_sheet: int | None = Field(description="On the draw sheet, where that differs.")
    believed: list[Believed]
    found: list[LengthError]
    awaits_end: bool | None = Field(
        description="Whether the end of a game decides what follows; null = held back."
    )
    answer: AnswerOut | None


class WindowOut(Shape):
    """One thing that can or could be put right."""

    what: str
    entry: int = Field(description="Version of the entry that did it, or that noticed it.")
    seat: Name | None
    state: str
    must: bool
    may: bool
    by: str | None = Field(description="Who, in the rule set's words.")
    until: str | None = Field(description="Kind of event that shuts it.")
    section: str
    rule_set: str
    closed_by: int | None = Field(description="Version of the entry that shut it.")


class WindowsOut(View):
    """Windows at one moment."""

    windows: list[WindowOut]


class BallotOut(Shape):
    """A member's ballot."""

    member: str
    vote: str
    proposal: str | None


class AppealOut(Shape):
    """One appeal."""

    version: int | None = Field(description="The `appeal.filed`; null where none is recorded.")
    seat: Name | None
    is_admitted: bool | None = Field(description="Null while that is for a person to say.")
    is_refused: bool
    has_committee: bool = Field(
        description="Whether the rule set provides for a committee, or leaves open whether it does."
    )
    director_may_vote: bool = Field(
        description="Whether it does not bar the director from a ballot after the committee's."
    )
    size: int = Field(description="Members of the committee.")
    ballots: list[BallotOut]
    director: str | None = Field(description="The director's own ballot, where he has a vote.")
    result: AnswerOut | None = Field(description="What the ballots make of the ruling, if settled.")
    announced: str | None = Field(description="The outcome as the director announced it.")
    answer: AnswerOut | None = Field(description="What the rule set said to it last.")


class PositionNamed(Shape):
    """The board that a short text names."""

    checkers: Checkers
    on_roll: Name
    cube: CubeOut | None = Field(description="Null where the text says nothing of it.")
    dice: list[int] | None = Field(description="Thrown and not yet played; null = none, or unsaid.")


class AppealsOut(View):
    """Appeals at one moment."""

    appeals: list[AppealOut]


class FindingsOut(View):
    """Everything that was found."""

    findings: list[FindingOut]
    questions: list[QuestionOut]
    open_questions: int = Field(description="Questions that nobody has answered.")


class WriterOut(Shape):
    """The writer's queue."""

    waiting: int


class Health(Shape):
    """Whether the archive is well."""

    status: Literal["ok", "failing"]
    database: str
    version: str
    writer: WriterOut | None
    followers: int


class ProblemKind(Shape):
    """What a kind of problem means."""

    type: str
    title: str
    status: int
    advice: str


_SHAPES: dict[str, type[BaseModel]] = {
    shape.__name__: shape
    for shape in (
        AppealsOut,
        ClockOut,
        Entries,
        FindingsOut,
        Health,
        LogOut,
        LogPage,
        MatchLengthOut,
        MatchPage,
        MatchRecord,
        MatchSummary,
        Opened,
        PenaltiesOut,
        PositionOut,
        ProblemKind,
        Recorded,
        ReplayOut,
        ScoreOut,
        WindowsOut,
    )
}


def documented(
    shape: str | type[BaseModel] | None,
    *,
    problems: Sequence[int] = (),
    success: int | None = None,
    also: int | None = None,
    writes: bool = False,
    is_view: bool = False,
    is_ndjson: bool = False,
    is_open: bool = False,
) -> dict[str, Any]:
    """Arguments of a route that describe its answers; `api.openapi` does the rest.

    `success` is the status of what is done, 201 for a write and 200 for a look unless it is given.
    """
    if success is None:
        success = 201 if writes else 200
    statuses = set(problems)
    if not is_open:
        statuses |= {400, 401, 403, 500, 503}
    if writes:
        statuses |= {413, 422}
    responses: dict[int | str, dict[str, Any]] = {}
    for status in (success, also):
        if status is not None:
            responses[status] = {"description": "Done." if status == success else "A retry."}
            if shape is not None:
                responses[status]["model"] = _SHAPES[shape] if isinstance(shape, str) else shape
    if is_view:
        responses[304] = {"description": "What you have is what there is."}
    for status in sorted(statuses):
        titles = [kind.title for kind in KINDS.values() if kind.status == status]
        responses[status] = {"description": "; ".join(titles) + ".", "model": ProblemOut}
    extra = {"x-writes": writes, "x-open": is_open, "x-ndjson": is_ndjson, "x-success": success}
    return {"responses": responses, "response_model": None, "openapi_extra": extra}
