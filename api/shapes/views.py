"""Shapes of the views of a match."""

from __future__ import annotations

from typing import Annotated

from api.shapes.matches import (
    Checkers,
    CubeOut,
    DelayState,
    FindingOut,
    Line,
    Name,
    OutcomeOut,
    Pair,
    QuestionOut,
    View,
)
from api.shapes.shape import JsonObject, Shape


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
    """Whether each player's reserve has run out."""

    one: bool
    two: bool


class ClockFace(DelayState):
    """The clock with its terms."""

    kind: str
    delay_ms: int
    paused: Name | None
    fallen: Fallen


class ClockOut(View):
    """The clock at one moment."""

    clock: ClockFace | None


class AnswerOut(Shape):
    """The rule set's answer on a matter."""

    outcome: Annotated[str, "A word that depends on the matter, or `ruling_required`."]
    section: str
    details: Annotated[JsonObject, "Details of the outcome, by name."]
    ambiguity: str | None
    reason: Annotated[str | None, "Why a person has to rule, if one has to."]
    readings: list[str]
    lean: Annotated[str | JsonObject | None, "Shown, never applied."]
    suggest: Annotated[str | None, "Shown, never applied."]
    verified: Annotated[bool, "False = the answer is from another edition's text."]
    ruled_at: Annotated[int | None, "Version of the `ruling.made` that chose the outcome."]
    also: Annotated[dict[str, AnswerOut], "Answers to related questions, by name."]


class DelayOut(Shape):
    """A recorded delay."""

    kind: str
    ms: int


class BreakOut(Shape):
    """A break that was taken."""

    ms: int
    played_ms: Annotated[int | None, "Playing time before it, milliseconds."]


class AssessedOut(Shape):
    """An assessed penalty."""

    version: int
    points: Annotated[int, "Points, less those waived."]
    waived: int
    enters_score: Annotated[bool | None, "Null = not decided."]
    time_ms: Annotated[Pair, "Clock time that it adds to each reserve (negative: takes), ms."]


class AccountOut(Shape):
    """One player's delays, breaks and penalties."""

    delays: list[DelayOut]
    breaks: list[BreakOut]
    is_away: Annotated[bool, "Whether a break is in progress."]
    assessed: list[AssessedOut]
    answer: AnswerOut | None


class Accounts(Shape):
    """Both players' accounts."""

    one: AccountOut
    two: AccountOut


class Scores(Shape):
    """The score in both ways, while it is undecided whether penalty points enter it."""

    apart: Annotated[Pair, "Score without the penalty points, which are kept apart."]
    entered: Annotated[Pair, "Score with the penalty points."]


class PenaltiesOut(View):
    """Penalties at one moment."""

    points: Annotated[Pair | None, "Points against each seat; null = held back, like all sums."]
    entering: Annotated[Pair | None, "Those of them that enter the score."]
    undecided: Annotated[Pair | None, "Those of them for which that is not decided."]
    scores: Scores | None
    forfeited: Annotated[Name | None, "Seat whose points forfeit the match."]
    allowance: Annotated[AnswerOut | None, "The breaks that a player may take."]
    accounts: Accounts


class Believed(Shape):
    """The length that a player believed the match had."""

    version: int
    seat: Name
    length: int


class LengthError(Shape):
    """A wrong match length that was found."""

    version: int
    wrong: int
    correct: int
    during_game: bool
    knowingly: bool | None
    found_by: str | None


class MatchLengthOut(View):
    """The match's length at one moment."""

    posted: int | None
    draw_sheet: Annotated[int | None, "Length on the draw sheet, if it differs."]
    believed: list[Believed]
    found: list[LengthError]
    awaits_end: Annotated[
        bool | None, "Whether the end of a game decides the consequences; null = held back."
    ]
    answer: AnswerOut | None


class WindowOut(Shape):
    """One thing that can or could be corrected."""

    what: str
    entry: Annotated[int, "Version of the entry that caused it, or that noticed it."]
    seat: Name | None
    state: str
    must: bool
    may: bool
    by: Annotated[str | None, "Who may correct it, in the rule set's words."]
    until: Annotated[str | None, "Kind of event that closes it."]
    section: str
    rule_set: str
    closed_by: Annotated[int | None, "Version of the entry that closed it."]


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

    version: Annotated[int | None, "Version of the `appeal.filed`; null = none is recorded."]
    seat: Name | None
    is_admitted: Annotated[bool | None, "Null = a person has to decide it."]
    is_refused: bool
    has_committee: Annotated[
        bool, "Whether the rule set provides for a committee, or does not exclude one."
    ]
    director_may_vote: Annotated[
        bool, "Whether the rule set does not exclude a director's vote after the committee's."
    ]
    size: Annotated[int, "Members of the committee."]
    voted: Annotated[int, "Number of ballots that are in, closed ones included."]
    ballots: Annotated[list[BallotOut], "Opened ballots; empty for readers outside the case."]
    director: Annotated[str | None, "The director's own ballot, if he has a vote."]
    result: Annotated[AnswerOut | None, "Outcome by the ballots, if it is settled."]
    announced: Annotated[str | None, "The outcome as the director announced it."]
    answer: Annotated[AnswerOut | None, "The rule set's last answer about it."]


class PositionNamed(Shape):
    """The board that a short text names."""

    checkers: Checkers
    on_roll: Name
    cube: Annotated[CubeOut | None, "Null = the text does not say."]
    dice: Annotated[list[int] | None, "Thrown and not yet played; null = none, or not stated."]


class AppealsOut(View):
    """Appeals at one moment."""

    appeals: list[AppealOut]


class FindingsOut(View):
    """All findings and questions."""

    findings: list[FindingOut]
    questions: list[QuestionOut]
    open_questions: Annotated[int, "Questions that are not answered."]
