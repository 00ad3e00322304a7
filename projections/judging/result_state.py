"""Results as they are told: reports, the posting, records of the score, and what was asked."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import match
from events.values import BySeat, Seat
from projections.folding.findings import Finding, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import Asked, alike, as_ruled
from projections.folding.sayings import Said
from projections.rules.answers import Answer
from projections.rules.subjects.results import Posted

Result = tuple["Results", tuple[Finding, ...]]


class Note(msgspec.Struct, frozen=True, gc=False):
    """The score as somebody kept it, while the games do not tell it."""

    keeper: Seat | None
    """Whose; None = neither player's."""
    sheet: match.Sheet
    """Kind of record; `none` = the keeper kept none."""
    score: BySeat[int] | None
    """What it shows."""
    is_as_prescribed: bool | None
    """Whether it was kept as the rules prescribe."""
    is_agreed: bool
    """Whether neither player disputes it."""
    moment: tuple[int, ...] = ()
    """The moment of the match about which it speaks, by what made the score then."""


class Report(msgspec.Struct, frozen=True, gc=False):
    """A result as a player reported it."""

    seat: Seat
    """Who reported."""
    winner: Seat | None
    """The winner reported; None where only a score is told."""
    score: BySeat[int]
    """The score reported, or the score as it was then."""
    is_scored: bool = True
    """Whether a score was reported."""

    def differs_from(self, other: Report) -> bool:
        """Whether both cannot be the result of one match."""
        winners = {self.winner, other.winner} - {None}
        are_scored = self.is_scored and other.is_scored
        return len(winners) > 1 or (are_scored and self.score != other.score)


class Posting(msgspec.Struct, frozen=True):
    """The result on the draw sheet."""

    entry_id: str
    """The `result.posted`, or the `result.corrected` that put another in its place."""
    at_ms: int | None = None
    """When it was posted."""
    winner: Seat | None = None
    """The winner posted."""
    score: BySeat[int] | None = None
    """The score posted."""
    is_wrong: bool = False
    """Whether it was found not to be the result of the match."""
    facts: Posted = Posted()
    """What came after it."""


class Results(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    reports: tuple[Report, ...] = ()
    """Results as they were reported."""
    posting: Posting | None = None
    """The result that is posted; None while none is."""
    notes: tuple[Note, ...] = ()
    """Records of the score as it is now, or since it is unknown."""
    disputed_at: str | None = None
    """The entry that disputed the score as it is now; None = nobody does."""
    begun: frozenset[Seat] = frozenset()
    """Who had begun another match before a result was posted."""
    is_next_round: bool = False
    """Whether such a match is known to be of the next round."""
    asked: tuple[Asked, ...] = ()
    """Questions asked."""
    answered: Asked | None = None
    """The question to which the latest answer belongs; None where it was none."""

    def is_asked(self, topic: str, entry_id: str) -> bool:
        """Whether a question on a topic arose at an entry."""
        return any((one.topic, one.entry_id) == (topic, entry_id) for one in self.asked)


def contradicts(
    winner: Seat | None,
    score: BySeat[int] | None,
    seen: Seen,
    scores: tuple[BySeat[int], ...] | None = None,
) -> bool:
    """Whether a result told is not that of the match; one that is not known contradicts nothing.

    `scores`: the match's as `scores_of` has them, where many results are held against them.
    """
    outcome = seen.outcome
    if seen.score.unseen_at or outcome.winner is None:
        return False
    if winner is not None and winner is not outcome.winner:
        return True
    length = seen.score.length
    return score is not None and not any(
        outcome.agrees(score, made, length) for made in scores or scores_of(seen)
    )


def scores_of(seen: Seen) -> tuple[BySeat[int], ...]:
    """The score of the match, with its penalty points and without them."""
    return seen.match_score, seen.score.score


def keep_answer(state: Results, answer: Answer, topic: str, about: str, seen: Seen) -> Results:
    """The answer as the latest, with the Director's word where its question was asked."""
    asked = alike(state.asked, topic, answer, about)
    answer = as_ruled(answer, asked, seen)
    return replace(state, answer=answer, answered=asked[-1] if asked else None)


def tell_answer(
    state: Results,
    event: RecordedEvent,
    code: str,
    message: Said,
    answer: Answer,
    topic: str,
    about: str,
    seen: Seen,
) -> Result:
    """The answer kept, and told; a question is asked once."""
    if answer.is_open:
        asked_so = alike(state.asked, topic, answer, about)
        if any(one.answer.lean == answer.lean for one in asked_so):
            return keep_answer(state, answer, topic, about, seen), NOTHING
        asked = Asked(topic, event.entry_id, answer, matter=about)
        state = replace(state, asked=(*state.asked, asked))
    state = keep_answer(state, answer, topic, about, seen)
    return state, (judged(code, event, message, answer, topic, seen.rules),)
