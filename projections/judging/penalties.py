"""Penalties: lateness, excess breaks, and what a director gives and takes, each on an account."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, dispute, match, penalty
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, Seat
from projections.folding.findings import Finding, Severity, found, judged, rests_of
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, alike, as_ruled, taken_in
from projections.folding.sayings import said
from projections.judging import absences
from projections.judging.accounts import FOR_DELAY, Account, Assessed, Excuse, Leave
from projections.judging.assessed import (
    barred,
    below_scale,
    beyond_scale,
    by_named_rule,
    forfeit_compared,
    named_rule,
    not_warned,
)
from projections.judging.citing import cited
from projections.judging.penalty_points import (
    IN_SCORE,
    POINTS,
    Penalties,
    Result,
    asked_of_score,
    judge_account,
    start_of,
)
from projections.rules.subjects import penalties as scales

BREAKS = "penalties.breaks"
"""Topic: what breaks a player may take."""


def evolve(state: Penalties, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    if seen.score.set_at == event.version:
        # The score fold has run already, and has taken over what was stated.
        state = replace(state, accounts=state.accounts.map(Account.settled))
    match payload:
        case match.MatchOpened(appointed_start=start, start_basis=basis):
            has_start = start is not None or basis is not None
            posted = basis is match.StartBasis.POSTED
            return replace(state, has_start=has_start, is_start_posted=posted), NOTHING
        case match.MatchLengthErrorFound():
            return _length_found(state, event, seen)
        case match.GameStarted(at_ms=at_ms):
            if state.first_game_ms is None and at_ms is not None:
                state = replace(state, first_game_ms=at_ms)
            return asked_of_score(state, event, seen)
        case match.MatchEnded():
            return asked_of_score(state, event, seen)
        case attendance.PlayerCalled(seat=seat, at_ms=at_ms):
            account = state.accounts[seat]
            if account.called_ms is not None or at_ms is None:
                return state, NOTHING
            return state.put(seat, replace(account, called_ms=at_ms)), NOTHING
        case attendance.PlayerArrived(seat=seat, at_ms=at_ms):
            if state.accounts[seat].has_arrived:
                away, findings = absences.back(state.absences, event, seat, at_ms, seen)
                return replace(state, absences=away), findings
            state = replace(state, absences=absences.covered(state.absences, seat))
            return _arrived(state, event, seat, at_ms, seen)
        case attendance.PlayerLeft():
            return _left(state, event, payload, seen)
        case attendance.DelayNoted(seat=seat, kind=kind, excess_ms=excess_ms):
            account = state.accounts[seat].delayed(kind.value, excess_ms)
            later = state.put(seat, account)
            if kind is attendance.DelayKind.START and account.is_late:
                return _late(later, event, seat, seen)
            return judge_account(later, event, seen, seat, without=state)
        case attendance.DelayExcused(seat=seat, by=Actor.DIRECTOR) as excused:
            return _excused(state, event, seat, excused, seen)
        case attendance.BreakStarted() as started:
            return _break_started(state, event, started, seen)
        case attendance.BreakEnded(seats=seats, at_ms=at_ms):
            return _break_ended(state, event, seats, at_ms, seen)
        case penalty.SlowPlayWarned(seat=seat, by=Actor.DIRECTOR):
            return state.put(seat, replace(state.accounts[seat], is_warned=True)), NOTHING
        case penalty.PenaltyAssessed(seat=seat) as assessed:
            return _given(state, event, seat, assessed, seen)
        case penalty.PenaltyWaived(target=target, points=points):
            return _waived(state, event, target, points, seen)
        case penalty.SanctionImposed(seat=seat, kind=kind, rule=rule):
            return state, barred(event, seat, kind, cited(rule, scales.SANCTIONS, seen), seen)
        case penalty.ForfeitDeclared(seat=seat, ground=ground, total=total):
            return state, forfeit_compared(state.accounts[seat], event, seat, ground, total, seen)
        case dispute.RulingMade(answers=answers):
            return _ruled(state, event, answers, seen)
        case _:
            return state, NOTHING


def _arrived(
    state: Penalties, event: RecordedEvent, seat: Seat, at_ms: int | None, seen: Seen
) -> Result:
    """The first arrival; who was called to a match without an appointed start is late from then.

    Of one whose time nobody has said it is known that he has come, and not that he was late.
    """
    account = replace(state.accounts[seat], has_arrived=True)
    late_ms = 0 if at_ms is None else at_ms - start_of(state, account)
    if late_ms <= 0:
        return state.put(seat, account), NOTHING
    leave = None if account.leave is None or at_ms is None else account.leave.at(at_ms)
    late = account.delayed(scales.START, late_ms, leave)
    return _late(state.put(seat, late), event, seat, seen)


def _late(state: Penalties, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A player is late for the start; where both are, each is judged with the other's delay."""
    if not state.accounts[seat.other].is_late:
        return judge_account(state, event, seen, seat)
    state, at_other = judge_account(state, event, seen, seat.other)
    state, at_seat = judge_account(state, event, seen, seat)
    one, two = (account.answer for account in state.accounts)
    is_of_both = one and two and one.readings == two.readings == scales.BOTH_LATE
    if at_other and at_seat and is_of_both:
        # One question: what becomes of the delay that both have made.
        state = replace(state, accounts=state.accounts.map(Account.asked_of_both))
        message = said(
            "both come so late that each forfeits: who has lost is for the Director to say"
        )
        return state, tuple(replace(one, seat=None, said=message) for one in at_seat)
    return state, (*at_other, *at_seat)


def _left(
    state: Penalties, event: RecordedEvent, left: attendance.PlayerLeft, seen: Seen
) -> Result:
    """A player leaves; one who leaves before the start has to arrive again."""
    account = state.accounts[left.seat]
    if account.is_away:
        # The break is judged, and what is more than a break may be is its excess.
        return state, NOTHING
    is_before = left.at_ms is not None and left.at_ms < start_of(state, account)
    # A player who plays has arrived, whether that was recorded or not.
    has_arrived = seen.score.game_number > 0 or (account.has_arrived and not is_before)
    account = replace(account, has_arrived=has_arrived)
    if left.consent is Actor.DIRECTOR and not has_arrived:
        account = replace(account, leave=Leave(left.until_ms))
    state = state.put(left.seat, account)
    away, findings = absences.left(state.absences, event, left, seen, posted=state.is_start_posted)
    return replace(state, absences=away), findings


def _excused(
    state: Penalties,
    event: RecordedEvent,
    seat: Seat,
    excused: attendance.DelayExcused,
    seen: Seen,
) -> Result:
    account = state.accounts[seat]
    kind = None if excused.kind is None else excused.kind.value
    excuse = Excuse(kind, excused.given_at_ms)
    state = state.put(seat, account.excused(excuse, seen.rules))
    if account.answer is None:
        return state, NOTHING
    state, findings = judge_account(state, event, seen, seat)
    other = state.accounts[seat.other].answer
    asked = state.accounts[seat].asked
    is_excused = account.is_late and all(one.answer.readings != scales.BOTH_LATE for one in asked)
    if is_excused and other is not None and other.readings == scales.BOTH_LATE:
        # Both came late and this player is excused, so the other is judged as late alone.
        state, at_other = judge_account(state, event, seen, seat.other)
        findings = (*findings, *at_other)
    return state, findings


def _break_started(
    state: Penalties, event: RecordedEvent, started: attendance.BreakStarted, seen: Seen
) -> Result:
    at_ms = started.at_ms
    for seat in started.seats:
        account = replace(state.accounts[seat], is_away=True, away_since_ms=at_ms)
        away = absences.covered(state.absences, seat)
        state = replace(state.put(seat, account), absences=away)
    between = started.between_games
    facts = scales.AllowanceFacts(
        length=seen.score.length,
        played_ms=_played(state, at_ms),
        in_game=seen.flow.is_under_way if between is None else not between,
        is_alone=_is_alone(state, started.seats),
        is_signed_by_one=started.agreed_by is not None and started.agreed_by.seat is not None,
        is_unread=absences.is_unread(started, seen),
    )
    answer = seen.rules.ask(scales.ALLOWANCE, facts)
    findings: tuple[Finding, ...] = ()
    if "only_between_games" in answer.details:
        message = said("a break begins during a game, and breaks are allowed between games")
        cite, rests = (seen.rules.profile.id, answer.section), rests_of(answer, seen.rules)
        findings = (found("break-in-game", event, message, cite=cite, rests_on=rests),)
    if "first_hour" in answer.details:
        message = said(
            "a break begins in the first hour of the match, and breaks there are for urgent need"
        )
        cite, rests = (seen.rules.profile.id, answer.section), rests_of(answer, seen.rules)
        note = found("break-in-first-hour", event, message, cite=cite, rests_on=rests)
        # It is not recorded whether the need was urgent.
        findings += (replace(note, severity=Severity.NOTE),)
    findings += absences.not_together(event, started, answer, seen)
    if alike(state.allowance_asked, BREAKS, answer) or not answer.is_open:
        return _allowance_ruled(replace(state, allowance=answer), seen), findings
    message = said("a break begins; how long it may last is for the Director to say")
    finding = judged("break-allowance", event, message, answer, BREAKS, seen.rules)
    asked = (*state.allowance_asked, Asked(BREAKS, event.entry_id, answer))
    return replace(state, allowance=answer, allowance_asked=asked), (*findings, finding)


def _is_alone(state: Penalties, seats: tuple[Seat, ...]) -> bool:
    """Whether one player takes a break, and the other is not in one."""
    return len(set(seats)) == 1 and not state.accounts[seats[0].other].is_away


def _allowance_ruled(state: Penalties, seen: Seen) -> Penalties:
    """What breaks may be taken, with the Director's word on it."""
    answer = state.allowance
    if answer is None:
        return state
    asked = alike(state.allowance_asked, BREAKS, answer)
    return replace(state, allowance=as_ruled(answer, asked, seen))


def _break_ended(
    state: Penalties, event: RecordedEvent, seats: tuple[Seat, ...], at_ms: int | None, seen: Seen
) -> Result:
    findings: tuple[Finding, ...] = ()
    for seat in (ONE, TWO):
        account = state.accounts[seat]
        if not account.is_away or (seats and seat not in seats):
            continue
        began = account.away_since_ms
        ms = 0 if began is None or at_ms is None else max(0, at_ms - began)
        taken = scales.Break(ms, _played(state, began))
        later = state.put(seat, account.back(taken))
        here = state.put(seat, replace(account, is_away=False, away_since_ms=None))
        state, more = judge_account(later, event, seen, seat, without=here)
        findings += more
    return state, findings


def _played(state: Penalties, at_ms: int | None) -> int | None:
    if at_ms is None or state.first_game_ms is None:
        return None
    return max(0, at_ms - state.first_game_ms)


def _given(
    state: Penalties,
    event: RecordedEvent,
    seat: Seat,
    assessed: penalty.PenaltyAssessed,
    seen: Seen,
) -> Result:
    account = state.accounts[seat]
    enters = assessed.enters_score
    is_forfeit = account.forfeits and seen.score.winner is None
    if enters is None and seen.outcome.winner is not None and not is_forfeit:
        # The match is over: no text has points enter its score after that. Where these very points
        # forfeit it, it goes on once some are waived, and the others may enter.
        enters = False
    one = Assessed(event.entry_id, assessed.points, 0, assessed.ground, enters)
    before = account.beyond_scale
    state = state.put(seat, account.penalised(one))
    # While a question is open they are added to those told, as a waiver takes its points off.
    least = account.drawn + (0 if one.is_for_delay else one.points)
    state, findings = judge_account(state, event, seen, seat, least=least)
    named = named_rule(assessed, seen)
    if named is not None:
        findings = tuple(by_named_rule(finding, named) for finding in findings)
    warned = not_warned(event, seat, assessed, seen, is_warned=account.is_warned)
    findings = (*warned, *findings)
    beyond = state.accounts[seat].beyond_scale
    if one.ground in FOR_DELAY and beyond > before:
        findings = (*findings, beyond_scale(event, seat, beyond, seen))
    below = state.accounts[seat].below_scale
    if one.ground in FOR_DELAY and below:
        given = sum(each.points for each in state.accounts[seat].assessed if each.is_for_delay)
        findings = (*findings, below_scale(event, seat, given, below, seen))
    return state, findings


def _waived(
    state: Penalties, event: RecordedEvent, target: str, points: int | None, seen: Seen
) -> Result:
    for seat in (ONE, TWO):
        account = state.accounts[seat]
        if not any(one.entry_id == target for one in account.assessed):
            continue
        assessed = tuple(
            one.less(points) if one.entry_id == target else one for one in account.assessed
        )
        less = account.with_assessed(assessed)
        taken = account.sums.points - less.sums.points
        state = state.put(seat, less)
        return judge_account(state, event, seen, seat, least=max(0, account.drawn - taken))
    return state, NOTHING


def _length_found(state: Penalties, event: RecordedEvent, seen: Seen) -> Result:
    """Points that forfeit hang on the posted length: by another one, they are judged anew.

    A forfeit that somebody declared stays on record until a ruling takes it away, and is told.
    """
    findings: tuple[Finding, ...] = ()
    length = seen.score.length
    for seat in (ONE, TWO):
        before = state.accounts[seat]
        if before.answer is None or length is None:
            continue
        state, more = judge_account(state, event, seen, seat)
        findings += more
        account = state.accounts[seat]
        if account.forfeits or not before.forfeits or seen.score.decided is not seat.other:
            continue
        message = said(
            "a forfeit of {seat} is declared; by the posted length of {length} the penalty points, "
            "{points}, make none",
            seat=seat,
            length=length,
            points=account.points,
        )
        cite = seen.rules.cite(scales.POINTS)
        findings += (found("penalty-differs", event, message, cite=cite, seat=seat),)
    return state, findings


def _ruled(
    state: Penalties, event: RecordedEvent, answers: tuple[dispute.Answer, ...], seen: Seen
) -> Result:
    """The accounts as they stand after a ruling.

    What the Director said on points and the score holds for all points so far left open.
    """
    topics = {answer.question.topic for answer in answers}
    state = replace(state, absences=absences.as_ruled(state.absences, seen))
    accounts = state.accounts.map(lambda one: replace(one, asked=taken_in(one.asked, seen)))
    allowance_asked = taken_in(state.allowance_asked, seen)
    state = replace(state, accounts=accounts, allowance_asked=allowance_asked)
    on_points = {
        (one.question.at, one.question.seat) for one in answers if one.question.topic == POINTS
    }
    for answer in answers:
        question = answer.question
        if question.topic == IN_SCORE and question.seat is not None:
            enters = answer.reading == "opponents_score"
            account = replace(state.accounts[question.seat], in_score=enters)
            state = state.put(question.seat, account)
    if BREAKS in topics:
        state = _allowance_ruled(state, seen)
    findings: tuple[Finding, ...] = ()
    if POINTS in topics:
        for seat in (ONE, TWO):
            account = state.accounts[seat]
            if account.asked:
                is_his = any((one.entry_id, one.seat) in on_points for one in account.asked)
                least = 0 if is_his else account.drawn
                state, more = judge_account(state, event, seen, seat, least=least)
                findings += more
    return state, findings


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    match.MatchLengthErrorFound,
    match.GameStarted,
    match.MatchEnded,
    match.ScoreStated,
    attendance.PlayerCalled,
    attendance.PlayerArrived,
    attendance.PlayerLeft,
    attendance.DelayNoted,
    attendance.DelayExcused,
    attendance.BreakStarted,
    attendance.BreakEnded,
    penalty.SlowPlayWarned,
    penalty.PenaltyAssessed,
    penalty.PenaltyWaived,
    penalty.SanctionImposed,
    penalty.ForfeitDeclared,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)

FOLD = Fold(Penalties, *(on(kind, evolve) for kind in _HEARS))
"""The fold of penalties."""
