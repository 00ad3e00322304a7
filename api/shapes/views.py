"""Shapes of what the views of a match answer."""

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
    """Whose reserve has run out."""

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
    """What the rule set says to a matter."""

    outcome: Annotated[str, "A word of the matter's own, or `ruling_required`."]
    section: str
    details: Annotated[JsonObject, "What belongs to the outcome, by name."]
    ambiguity: str | None
    reason: Annotated[str | None, "Why a person has to rule, where one has to."]
    readings: list[str]
    lean: Annotated[str | JsonObject | None, "Shown, never applied."]
    suggest: Annotated[str | None, "Shown, never applied."]
    verified: Annotated[bool, "False where another edition's text answered."]
    ruled_at: Annotated[int | None, "The `ruling.made` that chose the outcome."]
    also: Annotated[dict[str, AnswerOut], "Questions beside it."]


class DelayOut(Shape):
    """A delay as recorded."""

    kind: str
    ms: int


class BreakOut(Shape):
    """A break taken."""

    ms: int
    played_ms: Annotated[int | None, "How long had been played before it."]


class AssessedOut(Shape):
    """A penalty as it was assessed."""

    version: int
    points: Annotated[int, "Less those waived."]
    waived: int
    enters_score: Annotated[bool | None, "Null while nobody has said."]
    time_ms: Annotated[Pair, "Clock time given (taken, if negative) with it, ms."]


class AccountOut(Shape):
    """What one player's time and penalties come to."""

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
    """The score, while it is open whether penalty points enter it."""

    apart: Annotated[Pair, "With those points in a ledger of their own."]
    entered: Annotated[Pair, "With those points entered."]


class PenaltiesOut(View):
    """Penalties at one moment."""

    points: Annotated[Pair | None, "Against each seat; null = held back, as all sums."]
    entering: Annotated[Pair | None, "Of them, those that enter the score."]
    undecided: Annotated[Pair | None, "Of them, those of which nobody has said."]
    scores: Scores | None
    forfeited: Annotated[Name | None, "Whose points forfeit the match."]
    allowance: Annotated[AnswerOut | None, "What breaks a player may take."]
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
    draw_sheet: Annotated[int | None, "On the draw sheet, where that differs."]
    believed: list[Believed]
    found: list[LengthError]
    awaits_end: Annotated[
        bool | None, "Whether the end of a game decides what follows; null = held back."
    ]
    answer: AnswerOut | None


class WindowOut(Shape):
    """One thing that can or could be put right."""

    what: str
    entry: Annotated[int, "Version of the entry that did it, or that noticed it."]
    seat: Name | None
    state: str
    must: bool
    may: bool
    by: Annotated[str | None, "Who, in the rule set's words."]
    until: Annotated[str | None, "Kind of event that shuts it."]
    section: str
    rule_set: str
    closed_by: Annotated[int | None, "Version of the entry that shut it."]


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

    version: Annotated[int | None, "The `appeal.filed`; null where none is recorded."]
    seat: Name | None
    is_admitted: Annotated[bool | None, "Null while that is for a person to say."]
    is_refused: bool
    has_committee: Annotated[
        bool, "Whether the rule set provides for a committee, or leaves open whether it does."
    ]
    director_may_vote: Annotated[
        bool, "Whether it does not bar the director from a ballot after the committee's."
    ]
    size: Annotated[int, "Members of the committee."]
    voted: Annotated[int, "How many ballots are in, closed ones too."]
    ballots: Annotated[list[BallotOut], "Opened ones; none for who is not of the case."]
    director: Annotated[str | None, "The director's own ballot, where he has a vote."]
    result: Annotated[AnswerOut | None, "What the ballots make of the ruling, if settled."]
    announced: Annotated[str | None, "The outcome as the director announced it."]
    answer: Annotated[AnswerOut | None, "What the rule set said to it last."]


class PositionNamed(Shape):
    """The board that a short text names."""

    checkers: Checkers
    on_roll: Name
    cube: Annotated[CubeOut | None, "Null where the text says nothing of it."]
    dice: Annotated[list[int] | None, "Thrown and not yet played; null = none, or unsaid."]


class AppealsOut(View):
    """Appeals at one moment."""

    appeals: list[AppealOut]


class FindingsOut(View):
    """Everything that was found."""

    findings: list[FindingOut]
    questions: list[QuestionOut]
    open_questions: Annotated[int, "Questions that nobody has answered."]
