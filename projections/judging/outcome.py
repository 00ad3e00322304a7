"""The outcome: who has won the match and why, as points, penalties, the clock and rulings make it.

The last fold. It combines the states of the others: points that reach the length, a forfeit or a
disqualification on record, and what the rule set says to a wrong length, to penalty points and to
a reserve that ran out. The first of these decides the match, and later ones change nothing, until
a waiver, a correction, a discovery or a ruling removes it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from events.envelope import RecordedEvent
from events.payloads import attendance, clock, cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload
from events.values import ONE, TWO, BySeat, Seat
from projections.folding.findings import Finding, Severity, found
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import Said, said
from projections.judging.citing import cited
from projections.rules.answers import Answer

# By module name: asked for at every play.
_PLAY_MADE = play.PlayMade


class By(enum.StrEnum):
    """What decides a match."""

    SCORE = "score"
    """Points that reach the length."""
    WRONG_LENGTH = "wrong_length"
    """What the rule set makes of a match played to a wrong length."""
    PENALTY_POINTS = "penalty_points"
    """Penalty points that enter the score."""
    FORFEIT = "forfeit"
    """Penalty points that forfeit the match, or a forfeit that was declared."""
    FLAG = "flag"
    """A reserve that ran out."""
    DISQUALIFICATION = "disqualification"
    """A player was disqualified."""
    CLAIM = "claim"
    """Only somebody's claim that it is over, where the score is not known."""


class Decided(NamedTuple):
    """The decision of a match: who has won, and the section that says so."""

    winner: Seat
    """Who has won."""
    by: By
    """Why."""
    rule_set: str
    """Id of the rule set that is cited."""
    section: str
    """Section as that rule set numbers it."""
    verified: bool = True
    """False where another edition's text decides it."""

    def is_in(self, others: tuple[Decided, ...]) -> bool:
        """Whether one of them is the same decision, whatever section it cites."""
        return (self.winner, self.by) in [(other.winner, other.by) for other in others]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """Who has won the match, and why."""

    decided: Decided | None = None
    """The decision; None while the match is open."""
    version: int = 0
    """Version of the event that decided it; 0 = none."""
    questions: tuple[str, ...] = ()
    """Topics of open questions that the outcome depends on."""
    standing: tuple[Decided, ...] = ()
    """Everything that decides the match now, the weightiest first."""
    overruled: tuple[Decided, ...] = ()
    """Decisions that a ruling has set aside: the match went on."""
    points_then: BySeat[int] = BySeat(0, 0)
    """Penalty points against each seat at that ruling: only more of them decide again."""
    told: tuple[Decided, ...] = ()
    """Decisions other than by points of which a finding was made already."""
    ground: By = By.FORFEIT
    """How the match was given away, if an entry says that a player has lost it."""
    cited: tuple[str, str] | None = None
    """(rule set, section) cited for that; None = the match was not given away."""
    given: Seat | None = None
    """Who won by the first such entry that still stands; later ones do not change it."""
    claimed: Seat | None = None
    """Who was said to have won it last."""

    @property
    def winner(self) -> Seat | None:
        """Who has won; None while the match is open."""
        return None if self.decided is None else self.decided.winner

    @property
    def by(self) -> By | None:
        """What decided it; None while the match is open."""
        return None if self.decided is None else self.decided.by

    def agrees(self, claimed: BySeat[int], score: BySeat[int], length: int | None) -> bool:
        """Whether a final score that is claimed is this one: capped, or written as won."""
        if claimed == score or length is None:
            return claimed == score
        winner = self.winner
        if claimed == score.map(lambda points: min(points, length)):
            return True
        # The score of a match given away is often written as if it had been won by points.
        is_given = winner is not None and score[winner] < length
        return winner is not None and is_given and claimed == score.put(winner, length)

    @property
    def is_open(self) -> bool:
        """Whether nobody has won."""
        return self.decided is None


Result = tuple[Outcome, tuple[Finding, ...]]


def evolve(state: Outcome, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The outcome after one event."""
    if type(payload) is _PLAY_MADE and seen.score.ended_at != event.version:
        # The game, and so the match, stays as it was.
        return state, NOTHING
    match payload:
        case penalty.ForfeitDeclared(seat=seat, ground=ground, rule=rule) if state.given is None:
            by_rule = cited(rule, _SUBJECTS.get(ground, "penalties"), seen)
            state = _with(state, ground=By.FORFEIT, cited=by_rule, given=seat.other)
        case penalty.PlayerDisqualified(seat=seat, rule=rule) if state.given is None:
            by_rule = cited(rule, "sanctions", seen)
            state = _with(state, ground=By.DISQUALIFICATION, cited=by_rule, given=seat.other)
        case match.MatchEnded(winner=Seat() as winner):
            state = _with(state, claimed=winner)
        case payload if not isinstance(payload, _HEARS):
            return state, NOTHING
    if not state.standing and not state.questions and _is_quiet(seen):
        return state, NOTHING
    return _judged(_anew(state, payload, seen), event, seen)


def _anew(state: Outcome, payload: Payload, seen: Seen) -> Outcome:
    """Let set-aside decisions count again whose cause has occurred again since the ruling."""
    if not state.overruled:
        return state
    points = _points(seen)
    anew = {
        (seat.other, by)
        for seat in Seat
        if points[seat] > state.points_then[seat]
        for by in (By.FORFEIT, By.PENALTY_POINTS)
    }
    match payload:
        case penalty.ForfeitDeclared(seat=loser):
            anew.add((loser.other, By.FORFEIT))
        case clock.ClockFlagNoticed():
            anew |= {(seat, By.FLAG) for seat in Seat}
        case _ if not anew:
            return state
    overruled, told = (
        tuple(one for one in kept if (one.winner, one.by) not in anew)
        for kept in (state.overruled, state.told)
    )
    return _with(state, overruled=overruled, told=told, points_then=points)


def _points(seen: Seen) -> BySeat[int]:
    one, two = seen.penalties.accounts
    return BySeat(one.points, two.points)


_SUBJECTS = {
    penalty.PenaltyGround.CONDUCT: "sanctions",
    penalty.PenaltyGround.SLOW_PLAY: "slow_play",
    penalty.PenaltyGround.WRONG_LENGTH: "match_length",
}
"""Reason of a forfeit to the subject that is cited; others cite the one on penalty points."""


def _is_quiet(seen: Seen) -> bool:
    """Whether only points could decide the match so far, and they do not: the usual case."""
    return (
        seen.penalties.answer is None
        and seen.match_length.answer is None
        and seen.match_length.in_doubt is None
        and seen.timing.flagged is None
        and not seen.score.unseen_at
        and not seen.score.plays_on
        and seen.score.winner is None
    )


def _with(state: Outcome, **members: object) -> Outcome:
    new = msgspec.structs.replace(state, **members)
    return state if new == state else new


def _judged(state: Outcome, event: RecordedEvent, seen: Seen) -> Result:
    """Who has won by everything known now, with findings."""
    if isinstance(event.payload, dispute.RulingCarriedOut) and _goes_on(event.payload):
        overruled = [one for one in state.standing if one.by in _TOLD]
        state = _with(state, overruled=(*state.overruled, *overruled), points_then=_points(seen))
    if seen.score.decided is None and state.given is not None:
        state = _with(state, given=None)
    if state.by in _BY_POINTS and seen.score.plays_on:
        # Together with the points, the claim that the match is over is set aside.
        state = _with(state, claimed=None)
    standing = tuple(one for one in _decisions(state, seen) if not one.is_in(state.overruled))
    questions = tuple(_questions(seen))
    if isinstance(event.payload, match.MatchLengthErrorFound):
        # By the posted length it may have been forfeited before anybody won it.
        standing = _forfeited_first(state, standing, seen)
    decided = _decided(state, standing, is_ruled=isinstance(event.payload, dispute.RulingMade))
    if decided == state.decided:
        return _with(state, questions=questions, standing=standing), NOTHING
    new = msgspec.structs.replace(
        state,
        decided=decided,
        version=0 if decided is None else event.version,
        questions=questions,
        standing=standing,
    )
    if decided is None or decided.is_in(state.told) or decided.by not in _TOLD:
        return new, NOTHING
    if seen.score.decided is decided.winner:
        # No finding is needed: the entry itself says who has lost.
        return new, NOTHING
    finding = found(
        "match-decided",
        event,
        said(
            "{winner} has won the match: {why}",
            winner=decided.winner,
            why=_in_words(decided.by, decided.winner.other),
        ),
        cite=(decided.rule_set, decided.section),
        severity=Severity.NOTE,
        verified=decided.verified,
    )
    return msgspec.structs.replace(new, told=(*state.told, decided)), (finding,)


def _forfeited_first(
    state: Outcome, standing: tuple[Decided, ...], seen: Seen
) -> tuple[Decided, ...]:
    """Without the points that won it, where by the posted length it was forfeited before that."""
    length = seen.score.length
    if state.by is not By.SCORE or length is None:
        return standing
    forfeits = [
        one
        for one in standing
        if one.by is By.FORFEIT
        and seen.penalties.forfeited_before(one.winner.other, state.version, length)
    ]
    if not forfeits:
        return standing
    return (*forfeits, *(one for one in standing if one.by is not By.SCORE))


def _goes_on(carried_out: dispute.RulingCarriedOut) -> bool:
    return carried_out.checkers is not None or carried_out.on_roll is not None


def _decided(state: Outcome, standing: tuple[Decided, ...], *, is_ruled: bool) -> Decided | None:
    """Which decision counts: the one before if it still holds and no ruling says otherwise."""
    if is_ruled:
        standing = tuple(one for one in standing if not one.is_in(state.standing)) or standing
    if state.decided is not None and state.decided.is_in(standing):
        return state.decided
    # Of two that hold now, the one that stood already, so that neither seat is preferred.
    earlier = tuple(one for one in standing if one.is_in(state.standing))
    return next(iter(earlier or standing), None)


_BY_POINTS = (By.SCORE, By.PENALTY_POINTS)

_TOLD = (By.WRONG_LENGTH, By.PENALTY_POINTS, By.FORFEIT, By.FLAG)
"""Findings on decisions; none where the entry itself says who has won."""


def _in_words(by: By, loser: Seat) -> Said:
    match by:
        case By.WRONG_LENGTH:
            return said("so the rules have it for a match to a length that was not posted")
        case By.PENALTY_POINTS:
            return said("penalty points enter the score")
        case By.FORFEIT:
            return said("the penalty points of {loser} forfeit it", loser=loser)
        case _:
            return said("the reserve of {loser} has run out", loser=loser)


def _decisions(state: Outcome, seen: Seen) -> Iterator[Decided]:
    """Everything that decides the match now, the weightiest first."""
    given = seen.score.decided
    if given is not None:
        yield Decided(
            state.given or given, state.ground, *(state.cited or seen.rules.cite("penalties"))
        )
    loser, flagged = seen.timing.lost_by, seen.timing.flagged
    if loser is not None and flagged is not None:
        rule_set = seen.rules.profile.id
        yield Decided(loser.other, By.FLAG, rule_set, flagged.section, flagged.verified)
    forfeiting = seen.penalties.forfeiting
    for seat in forfeiting:
        # If both forfeit, the first forfeit decides.
        if len(forfeiting) == 1 or state.winner is seat.other:
            yield Decided(seat.other, By.FORFEIT, *seen.rules.cite("penalties"))
    yield from _by_points(state, seen)


def _by_points(state: Outcome, seen: Seen) -> Iterator[Decided]:
    """The decision by points, at the length that the rule set holds to be right."""
    length = seen.score.length
    answer = seen.match_length.answer
    score = seen.score.score
    if answer is not None:
        # Ruled in words that no text has: points decide by the posted length, as ever.
        if answer.outcome != "continue" and answer.ruled_at is None:
            yield from _by_wrong_length(answer, state, seen)
            return
        length = answer.details.get("to_points", length)
    if length is None:
        return
    # The match stays open while one of two recorded lengths, not ruled out yet, is not reached.
    length = max(length, seen.match_length.in_doubt or length)
    cite = seen.rules.cite("match.end")
    if seen.score.plays_on:
        # A ruling let the match go on despite the points: it is over when somebody says so.
        if state.claimed is not None:
            yield Decided(state.claimed, By.CLAIM, *cite)
        return
    yield from (Decided(seat, By.SCORE, *cite) for seat in _reached(score, length, state))
    own, _ = seen.penalties.both_scores(score)
    # Where both forfeit by them, the points of one are no gain of the other's.
    if own != score and len(seen.penalties.forfeiting) < len(Seat):
        cite = seen.rules.cite("penalties.score")
        yield from (
            Decided(seat, By.PENALTY_POINTS, *cite) for seat in _reached(own, length, state)
        )
    if seen.score.unseen_at and state.claimed is not None:
        yield Decided(state.claimed, By.CLAIM, *seen.rules.cite("match.end"))


def _by_wrong_length(answer: Answer, state: Outcome, seen: Seen) -> Iterator[Decided]:
    if answer.outcome != "match_won":
        return
    winner: Seat | None = answer.details.get("winner")
    if winner is None:
        return
    if state.decided is not None and (state.winner, state.by) == (winner, By.SCORE):
        # By the posted length it was won already: the discovery changes nothing.
        yield state.decided
    rule_set = seen.rules.profile.id
    yield Decided(winner, By.WRONG_LENGTH, rule_set, answer.section, answer.verified)


def _reached(score: BySeat[int], length: int, state: Outcome) -> list[Seat]:
    """Who has the points, the higher score first; of two who are level, who has won before."""
    if score.one == score.two >= length:
        before = state.decided
        return [before.winner] if before is not None and before.by in _BY_POINTS else []
    reached = [seat for seat in (ONE, TWO) if score[seat] >= length]
    return sorted(reached, key=lambda seat: score[seat], reverse=True)


def _questions(seen: Seen) -> Iterator[str]:
    """Open questions whose answers may change who has won."""
    answer = seen.match_length.answer
    if answer is not None and answer.is_open:
        yield "match-length.outcome"
    in_doubt = seen.match_length.in_doubt
    if in_doubt is not None and max(seen.match_score) >= min(in_doubt, seen.score.length or 0):
        yield "match-length.sheets"
    if any(_may_forfeit(account.answer) for account in seen.penalties.accounts):
        yield "penalties.points"
    if seen.penalties.is_score_asked and _may_enter(seen):
        yield "penalties.score"
    flagged = seen.timing.flagged
    if flagged is not None and flagged.is_open:
        yield "clock.flag"


def _may_enter(seen: Seen) -> bool:
    """Whether points would end the match if they entered the score, and do not so far."""
    length = seen.score.length
    own, entered = seen.penalties.both_scores(seen.score.score)
    return length is not None and max(own) < length <= max(entered)


def _may_forfeit(answer: Answer | None) -> bool:
    return answer is not None and answer.is_open and "forfeits_if" in answer.details


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    match.MatchOpened,
    match.GameStarted,
    match.GameWon,
    match.ScoreStated,
    match.MatchEnded,
    match.MatchLengthErrorFound,
    cube.DoubleDropped,
    cube.CubeActionVoided,
    ending.ResignationAccepted,
    ending.ClaimMade,
    ending.ClaimRuled,
    clock.ClockFlagNoticed,
    clock.ClockFaultNoticed,
    dispute.DisputeRaised,
    attendance.PlayerArrived,
    attendance.DelayNoted,
    attendance.DelayExcused,
    attendance.BreakEnded,
    penalty.PenaltyAssessed,
    penalty.PenaltyWaived,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
    dispute.DirectorCalled,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)


FOLD = Fold(Outcome, *(on(kind, evolve, only_at_end=kind is play.PlayMade) for kind in _HEARS))
"""The fold of the outcome."""
