"""The result of a player's account: points by the scale, and whether they enter the score."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, dispute, penalty
from events.values import ONE, TWO, BySeat, Seat
from projections.folding.findings import Finding, Key, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import Asked, as_ruled
from projections.folding.sayings import Said, listed, said
from projections.judging.absences import Absences
from projections.judging.accounts import FOR_DELAY, ON_EXCUSES, Account
from projections.rules.answers import Answer
from projections.rules.subjects import penalties as scales

POINTS = "penalties.points"
"""Topic: the consequences of a player's delays and penalties."""

IN_SCORE = "penalties.score"
"""Topic: whether penalty points enter the score."""

Result = tuple["Penalties", tuple[Finding, ...]]


class Penalties(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    allowance: Answer | None = None
    """What breaks a player may take, as it was when the last one began."""
    allowance_asked: tuple[Asked, ...] = ()
    """Questions on that."""
    accounts: BySeat[Account] = BySeat(Account(), Account())
    """Both players' accounts."""
    absences: Absences = Absences()
    """Who left for long, and what was said to it."""
    is_start_posted: bool = False
    """Whether the start of the match was posted."""
    has_start: bool = False
    """Whether an appointed start is recorded, from which `at_ms` counts."""
    first_game_ms: int | None = None
    """When the first game started."""

    @property
    def on_allowance(self) -> tuple[Key, ...]:
        """Questions on what breaks may be taken."""
        return tuple(one.key for one in self.allowance_asked)

    @property
    def points(self) -> BySeat[int]:
        """Penalty points against each seat; beside an open question those that are drawn."""
        return self.accounts.map(lambda account: account.points)

    @property
    def forfeiting(self) -> tuple[Seat, ...]:
        """Whose points forfeit the match: of two who were late, it may be each."""
        return tuple(seat for seat in (ONE, TWO) if self.accounts[seat].forfeits)

    @property
    def forfeited(self) -> Seat | None:
        """Whose points forfeit the match; None where nobody's, or those of both, do."""
        forfeiting = self.forfeiting
        return forfeiting[0] if len(forfeiting) == 1 else None

    def forfeited_before(self, seat: Seat, version: int, length: int) -> bool:
        """Whether points that a seat had drawn before an event forfeit a match to that length."""
        return self.accounts[seat].forfeited_before(version, length)

    @property
    def entering(self) -> BySeat[int]:
        """Penalty points against each seat that enter the score, on the opponent's side."""
        return self.accounts.map(lambda account: account.entering)

    @property
    def beyond_stated(self) -> BySeat[int]:
        """Those of them that are not in a score that was stated; below 0 where waived since."""
        return self.accounts.map(lambda account: account.entering - account.in_stated)

    @property
    def undecided(self) -> BySeat[int]:
        """Penalty points against each seat of which nobody has said whether they enter it."""
        return self.accounts.map(lambda account: account.undecided)

    @property
    def is_score_asked(self) -> bool:
        """Whether it was asked if points enter the score, and nobody has ruled it."""
        return any(account.asked_score and account.undecided for account in self.accounts)

    def both_scores(self, score: BySeat[int]) -> tuple[BySeat[int], BySeat[int]]:
        """The score with penalty points in a ledger of their own, and with them entered.

        `score`: as games and statements make it. A stated score is all of it: points that had
        entered before are in it, and one that is waived later comes off again.
        """
        # Nobody has drawn a point in most matches, and every turn that is told asks for the score.
        if self.accounts.one.is_clear and self.accounts.two.is_clear:
            return score, score
        one, two = self.beyond_stated
        undecided = self.undecided
        own = BySeat(max(0, score.one + two), max(0, score.two + one))
        return own, BySeat(own.one + undecided.two, own.two + undecided.one)

    def put(self, seat: Seat, account: Account) -> Penalties:
        """With another account of a player."""
        return replace(self, accounts=self.accounts.put(seat, account))


def start_of(state: Penalties, account: Account) -> int:
    """When the match was to start for a player: without an appointment, when he was called."""
    return 0 if state.has_start or account.called_ms is None else account.called_ms


def judge_account(
    state: Penalties,
    event: RecordedEvent,
    seen: Seen,
    seat: Seat,
    *,
    least: int | None = None,
    without: Penalties | None = None,
) -> Result:
    """What the rule set says to a player's account now; a question is asked once.

    `least`: points below which an open question does not bring him; None = those told last.
    `without`: how all stands without the break or delay that this is about.
    """
    account, was_forfeited = state.accounts[seat], bool(state.forfeiting)
    facts = _facts(state, seat, seen)
    answer = seen.rules.ask(scales.POINTS, facts)
    before, drawn = account.answer, account.drawn
    if answer.is_open and before is None and account.is_moment:
        return state, NOTHING
    new = Asked(POINTS, event.entry_id, answer, seat, scales.matter(facts, answer.readings))
    asked = [one for one in account.asked if _is_same(one, new, seen)]
    asked = asked or [one for one in account.asked if _is_met(one, new)]
    answer = as_ruled(answer, asked, seen)
    if isinstance(event.payload, attendance.DelayExcused) and before is not None:
        # An excused delay costs no points, unless the question is what the excuse is worth.
        less = 0 if answer.readings in ON_EXCUSES else _known(before) - _known(answer)
        least = max(0, drawn - max(0, less))
    if answer.is_open:
        is_on_breaks = answer.readings in scales.ON_BREAKS
        if without is not None and is_on_breaks and seen.outcome.winner is not None:
            # In a match that is won nothing is resumed: a break decides nothing any more.
            return without, NOTHING
        account = account.asking(asked, new)
    entering = seen.rules.ask(scales.ENTERS_SCORE, scales.ScoreFacts(points=account.points))
    account = replace(
        account,
        answer=answer,
        drawn=drawn if least is None else least,
        is_awarded=entering.outcome == scales.OPPONENTS_SCORE,
    )
    is_said = isinstance(event.payload, dispute.RulingMade | penalty.PenaltyAssessed)
    grown = account.entering - state.accounts[seat].entering
    if grown < 0 or (seen.outcome.winner is not None and not is_said):
        # Points that the scale adds after the match is won do not enter its score. So they are not
        # taken off it either when they are excused or waived.
        too_late = max(0, account.too_late + grown)
        in_stated = account.in_stated + too_late - account.too_late
        account = replace(account, in_stated=in_stated, too_late=too_late)
    points = account.points
    account = account.drawn_at(points, event.version)
    state = replace(state.put(seat, account), answer=answer)
    if answer == before and (asked or not answer.is_open):
        return state, NOTHING
    # Points that forfeited the match, and do so no more, leave it open.
    reopens = was_forfeited and not state.forfeiting and seen.score.winner is None
    reopens = reopens and seen.score.decided is None
    state, at_score = asked_of_score(state, event, seen, reopens=reopens)
    if answer.is_open:
        is_told = bool(asked)
        code, message = "penalty-question", _in_doubt(state, seat, answer, points)
    else:
        same_as_before = before is not None and (before.outcome, drawn) == (answer.outcome, points)
        is_told = same_as_before or not (points or drawn)
        code, message = _settled(state, seat, answer, before, seen)
    if is_told:
        return state, at_score
    return state, (
        judged(code, event, message, answer, POINTS, seen.rules, seat=seat),
        *at_score,
    )


def _known(answer: Answer) -> int:
    """Points that a rule set computes now, whatever the answer to an open question."""
    details = answer.details
    points: int = details.get("penalty_points", details.get("penalty_points_at_least", 0))
    return points


def _settled(
    state: Penalties, seat: Seat, answer: Answer, before: Answer | None, seen: Seen
) -> tuple[str, Said]:
    """Code and words of points that are settled, and whether they forfeit the match."""
    message = _told(state, seat, state.accounts[seat].points, seen)
    if answer.outcome != "forfeit":
        return "penalty-points", message
    was_won = seen.score.winner is not None and (before is None or before.outcome != "forfeit")
    if seen.outcome.winner is seat or was_won:
        # What decided the match first still decides it.
        message = said(
            "{points}; {seat} had won the match before, and it stays so",
            points=message,
            seat=seen.outcome.winner or seat,
        )
        return "penalty-points", message
    message = said("{points}; {seat} forfeits the match by them", points=message, seat=seat)
    return "penalty-forfeit", message


def _is_same(asked: Asked, new: Asked, seen: Seen) -> bool:
    """Whether a question was asked already: about the same facts, or with nobody's answer yet."""
    is_answered = asked.key in seen.rulings.answers
    return asked.is_alike(new.answer) and (asked.matter == new.matter or not is_answered)


def _is_met(asked: Asked, new: Asked) -> bool:
    """Whether the facts are those that were asked about, and points given since alone lean it."""
    before, now = asked.answer.readings, new.answer.readings
    is_given = (before[:1], now[:1]) == (("no_penalty",), ("penalty",))
    return is_given and {*before} == {*now} and asked.matter == new.matter


def _in_doubt(state: Penalties, seat: Seat, answer: Answer, points: int) -> Said:
    """What is known of a player whose points are a question, or what they make him lose."""
    account = state.accounts[seat]
    if answer.readings == scales.COUNTED:
        return said(
            "{points} {points:penalty point|penalty points} against {seat};"
            " whether those that are for no delay count for losing the match by penalty points"
            " is for the Director to decide",
            points=points,
            seat=seat,
        )
    seconds = sum(late.ms for late in account.delays) // 1_000
    why = []
    if seconds:
        late = f"{seconds // 60}:{seconds % 60:02}"
        why.append(said("{seat} was late by {late} in all", seat=seat, late=late))
    if account.breaks and (answer.readings in scales.ON_BREAKS or not seconds):
        count, ms = len(account.breaks), sum(one.ms for one in account.breaks)
        breaks = said(
            "{seat} took {count} {count:break|breaks}, {time} in all",
            seat=seat,
            count=count,
            time=f"{ms // 60_000}:{ms // 1_000 % 60:02}",
        )
        why.append(breaks)
    told = listed(why or [said("{seat} was penalised", seat=seat)], have_commas=True)
    return said(
        "{what}; how many penalty points that makes is for the Director to decide", what=told
    )


def _told(state: Penalties, seat: Seat, points: int, seen: Seen) -> Said:
    """Points, the delay behind them, and both scores while nobody has said which holds."""
    seconds = sum(late.ms for late in state.accounts[seat].delays) // 1_000
    own, entered = state.both_scores(seen.score.score)
    drawn = said("{points} {points:penalty point|penalty points}", points=points)
    against = said("{points} against {seat}", points=drawn, seat=seat)
    if seconds:
        late = f"{seconds // 60}:{seconds % 60:02}"
        against = said("{points}, late by {late} in all", points=against, late=late)
    score = said("the score is {own}", own=_pair(own))
    if entered != own and seen.score.winner is None:
        score = said(
            "{score}, and {entered} if the points enter it", score=score, entered=_pair(entered)
        )
    return said("{against}; {score}", against=against, score=score)


def asked_of_score(
    state: Penalties, event: RecordedEvent, seen: Seen, *, reopens: bool = False
) -> Result:
    """Ask, while the match is open, whether points enter the score where that would end it."""
    length, is_won = seen.score.length, seen.outcome.winner is not None and not reopens
    if length is None or state.answer is None or is_won:
        return state, NOTHING
    _, entered = state.both_scores(seen.score.score)
    findings: tuple[Finding, ...] = ()
    for seat in (ONE, TWO):
        account = state.accounts[seat]
        points = account.undecided
        is_settled = account.answer is not None and account.answer.outcome == "penalty"
        if not is_settled or points <= account.asked_score or entered[seat.other] < length:
            continue
        # Those that the text awards to the opponent are in his score by now.
        facts = scales.ScoreFacts(points=points, for_other=account.is_awarded)
        answer = seen.rules.ask(scales.ENTERS_SCORE, facts)
        message = said(
            "the match is over at {score} if the penalty points enter the score; "
            "whether they do is for the Director to decide",
            score=_pair(entered),
        )
        findings += (
            judged("penalty-in-score", event, message, answer, IN_SCORE, seen.rules, seat=seat),
        )
        state = state.put(seat, replace(account, asked_score=points))
    return state, findings


def _pair(score: BySeat[int]) -> str:
    return f"{score.one}-{score.two}"


def _facts(state: Penalties, seat: Seat, seen: Seen) -> scales.PenaltyFacts:
    """The account as a rule set is asked about it, with the rulings that still hold for it."""
    account = state.accounts[seat]
    length = seen.score.length
    score = seen.score.score
    others = [one for one in account.assessed if one.points and one.ground not in FOR_DELAY]
    facts = scales.PenaltyFacts(
        length=length,
        delays=tuple(
            scales.Delay(
                late.kind, late.ms, account.excuse_of(late, start_of(state, account)), late.leave
            )
            for late in account.delays
        ),
        opponent_late_ms=state.accounts[seat.other].late_for_start(),
        opponent_leave=state.accounts[seat.other].leave_at_start,
        breaks=account.breaks_taken,
        for_start=account.drawn_for(penalty.PenaltyGround.LATE_START),
        for_breaks=account.drawn_for(penalty.PenaltyGround.BREAK),
        has_paid_for_breaks=account.has_paid_for_breaks,
        for_other=sum(one.points for one in others),
        ground=others[-1].ground.value if others else "other",
        needed=() if length is None else tuple(max(0, length - points) for points in score),
    )
    answers = seen.rulings.answers
    ordered = {}
    for one in account.asked:
        readings, made = one.answer.readings, answers.get(one.key)
        if made is not None and one.matter == scales.matter(facts, readings):
            ordered[readings] = made.reading
    return replace(facts, ordered=ordered) if ordered else facts
