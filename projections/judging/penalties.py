"""Penalties: lateness and excess breaks accrued, assessed, waived; forfeits; breaks."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import attendance, dispute, match, penalty
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, BySeat, Seat
from projections.folding.findings import Finding, Severity, found, judged, rests_of
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, alike, as_ruled, taken_in
from projections.folding.sayings import Said, said
from projections.judging import absences
from projections.judging.accounts import (
    FOR_DELAY,
    Account,
    Assessed,
    Excuse,
    Leave,
    Penalties,
)
from projections.judging.citing import cited
from projections.rules.answers import NOT_VERIFIED, Answer
from projections.rules.subjects import penalties as scales

POINTS = "penalties.points"
"""Topic: what a player's delays and penalties come to."""
BREAKS = "penalties.breaks"
"""Topic: what breaks a player may take."""
IN_SCORE = "penalties.score"
"""Topic: whether penalty points enter the score."""

Result = tuple[Penalties, tuple[Finding, ...]]


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
            return _asked_of_score(state, event, seen)
        case match.MatchEnded():
            return _asked_of_score(state, event, seen)
        case attendance.PlayerCalled(seat=seat, at_ms=at_ms):
            account = state.accounts[seat]
            if account.called_ms is not None or at_ms is None:
                return state, NOTHING
            return _put(state, seat, replace(account, called_ms=at_ms)), NOTHING
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
            state = _put(state, seat, account)
            if kind is attendance.DelayKind.START and account.is_late:
                return _late(state, event, seat, seen)
            return _judged(state, event, seen, seat)
        case attendance.DelayExcused(seat=seat, by=Actor.DIRECTOR) as excused:
            return _excused(state, event, seat, excused, seen)
        case attendance.BreakStarted() as started:
            return _break_started(state, event, started, seen)
        case attendance.BreakEnded(seats=seats, at_ms=at_ms):
            return _break_ended(state, event, seats, at_ms, seen)
        case penalty.SlowPlayWarned(seat=seat, by=Actor.DIRECTOR):
            return _put(state, seat, replace(state.accounts[seat], is_warned=True)), NOTHING
        case penalty.PenaltyAssessed(seat=seat) as assessed:
            return _assessed(state, event, seat, assessed, seen)
        case penalty.PenaltyWaived(target=target, points=points):
            return _waived(state, event, target, points, seen)
        case penalty.SanctionImposed(seat=seat, kind=kind, rule=rule):
            return state, _barred(event, seat, kind, cited(rule, scales.SANCTIONS, seen), seen)
        case penalty.ForfeitDeclared(seat=seat, ground=ground, total=total):
            return state, _forfeit_compared(state, event, seat, ground, total, seen)
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
    late_ms = 0 if at_ms is None else at_ms - _start_of(state, account)
    if late_ms <= 0:
        return _put(state, seat, account), NOTHING
    leave = None if account.leave is None or at_ms is None else account.leave.at(at_ms)
    late = account.delayed(scales.START, late_ms, leave)
    return _late(_put(state, seat, late), event, seat, seen)


def _late(state: Penalties, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    """A player is late for the start; where both are, each is judged with the other's delay."""
    if not state.accounts[seat.other].is_late:
        return _judged(state, event, seen, seat)
    state, at_other = _judged(state, event, seen, seat.other)
    state, at_seat = _judged(state, event, seen, seat)
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
    """A player leaves: whoever does so before the start has to come again."""
    account = state.accounts[left.seat]
    if account.is_away:
        # The break is judged, and what is more than a break may be is its excess.
        return state, NOTHING
    is_before = left.at_ms is not None and left.at_ms < _start_of(state, account)
    # Whoever plays has come, whether somebody noted it or not.
    has_arrived = seen.score.game_number > 0 or (account.has_arrived and not is_before)
    account = replace(account, has_arrived=has_arrived)
    if left.consent is Actor.DIRECTOR and not has_arrived:
        account = replace(account, leave=Leave(left.until_ms))
    state = _put(state, left.seat, account)
    away, findings = absences.left(state.absences, event, left, seen, posted=state.is_start_posted)
    return replace(state, absences=away), findings


def _start_of(state: Penalties, account: Account) -> int:
    """When the match was to start for a player: without an appointment, when he was called."""
    return 0 if state.has_start or account.called_ms is None else account.called_ms


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
    state = _put(state, seat, account.excused(excuse))
    return (state, NOTHING) if account.answer is None else _judged(state, event, seen, seat)


def _break_started(
    state: Penalties, event: RecordedEvent, started: attendance.BreakStarted, seen: Seen
) -> Result:
    at_ms = started.at_ms
    for seat in started.seats:
        account = replace(state.accounts[seat], is_away=True, away_since_ms=at_ms)
        away = absences.covered(state.absences, seat)
        state = replace(_put(state, seat, account), absences=away)
    between = started.between_games
    facts = scales.AllowanceFacts(
        length=seen.score.length,
        played_ms=_played(state, at_ms),
        in_game=seen.flow.is_under_way if between is None else not between,
        is_alone=_is_alone(state, started.seats),
        is_signed_by_one=started.agreed_by is not None and started.agreed_by.seat is not None,
    )
    answer = seen.rules.ask(scales.ALLOWANCE, facts)
    findings: tuple[Finding, ...] = ()
    if "only_between_games" in answer.details:
        message = said("a break begins during a game, and breaks are allowed between games")
        cite, rests = (seen.rules.profile.id, answer.section), rests_of(answer, seen.rules)
        findings = (found("break-in-game", event, message, cite=cite, rests_on=rests),)
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
        account = replace(
            account, is_away=False, away_since_ms=None, breaks=(*account.breaks, taken)
        )
        state, more = _judged(_put(state, seat, account), event, seen, seat)
        findings += more
    return state, findings


def _played(state: Penalties, at_ms: int | None) -> int | None:
    if at_ms is None or state.first_game_ms is None:
        return None
    return max(0, at_ms - state.first_game_ms)


def _assessed(
    state: Penalties,
    event: RecordedEvent,
    seat: Seat,
    assessed: penalty.PenaltyAssessed,
    seen: Seen,
) -> Result:
    account = state.accounts[seat]
    enters = assessed.enters_score
    if enters is None and seen.outcome.winner is not None:
        # The match is over: no text has points enter its score after that.
        enters = False
    one = Assessed(event.entry_id, assessed.points, 0, assessed.ground, enters)
    before = account.beyond_scale
    state = _put(state, seat, replace(account, assessed=(*account.assessed, one)))
    state, findings = _judged(state, event, seen, seat)
    named = _named(assessed, seen)
    if named is not None:
        findings = tuple(_by_named_rule(finding, named) for finding in findings)
    warned = _not_warned(event, seat, assessed, seen, is_warned=account.is_warned)
    findings = (*warned, *findings)
    beyond = state.accounts[seat].beyond_scale
    if one.ground not in FOR_DELAY or beyond <= before:
        return state, findings
    message = said(
        "{points} {points:penalty point is|penalty points are} assessed for delays beyond those "
        "that the scale makes",
        points=beyond,
    )
    cite = seen.rules.cite(scales.POINTS)
    return state, (*findings, found("penalty-differs", event, message, cite=cite, seat=seat))


def _named(assessed: penalty.PenaltyAssessed, seen: Seen) -> tuple[str, str] | None:
    """The rule that points are given under, by their entry or their ground; None for delays."""
    if assessed.rule is not None:
        return cited(assessed.rule, scales.POINTS, seen)
    if assessed.ground in FOR_DELAY:
        return None
    alone = scales.PenaltyFacts(
        length=None, for_other=assessed.points, ground=assessed.ground.value
    )
    answer = seen.rules.ask(scales.POINTS, alone)
    return None if answer.is_open else (seen.rules.profile.id, answer.section)


def _by_named_rule(finding: Finding, named: tuple[str, str]) -> Finding:
    """Points under the rule that the entry names; a question stays that of the rules in force."""
    if finding.code != "penalty-points":
        return finding
    rule_set, section = named
    return replace(finding, rule_set=rule_set, section=section)


def _not_warned(
    event: RecordedEvent,
    seat: Seat,
    assessed: penalty.PenaltyAssessed,
    seen: Seen,
    *,
    is_warned: bool,
) -> tuple[Finding, ...]:
    """Points for slow play without the warning that the text has come before them."""
    if assessed.ground is not penalty.PenaltyGround.SLOW_PLAY or not assessed.points:
        return NOTHING
    answer = seen.rules.ask(scales.SLOW_PLAY, scales.WarnedFacts(is_warned=is_warned))
    if answer.reason == NOT_VERIFIED:
        message = said("whether points may be given for slow play now is for the Director to say")
        topic = "penalties.warning"
        return (judged(_NOT_WARNED, event, message, answer, topic, seen.rules, seat=seat),)
    if answer.outcome != scales.NOT_WARNED:
        return NOTHING
    message = said(
        "{seat} is given {points} {points:penalty point|penalty points} for slow play, and no "
        "warning is on record: the rules have one come first",
        seat=seat,
        points=assessed.points,
    )
    cite = (seen.rules.profile.id, answer.section)
    rests = rests_of(answer, seen.rules)
    return (found(_NOT_WARNED, event, message, cite=cite, seat=seat, rests_on=rests),)


_NOT_WARNED = "slow-play-not-warned"


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
        taken = sum(one.points for one in account.assessed) - sum(one.points for one in assessed)
        state = _put(state, seat, replace(account, assessed=assessed))
        return _judged(state, event, seen, seat, least=max(0, account.drawn - taken))
    return state, NOTHING


def _barred(
    event: RecordedEvent, seat: Seat, kind: str, named: tuple[str, str], seen: Seen
) -> tuple[Finding, ...]:
    """A player is barred, where the text says by what right and with what consequence."""
    answer = seen.rules.ask(scales.SANCTIONS, scales.SanctionFacts(kind=kind))
    if answer.outcome != scales.MAY_BAR:
        return NOTHING
    message = said("{seat} is barred, which is the Director's to say", seat=seat)
    if answer.details.get("prizes_lost"):
        message = said("{barred}: all claims to prizes are lost", barred=message)
    if answer.details.get("needs_reasons") is False:
        message = said("{barred}: reasons need not be stated", barred=message)
    own = (seen.rules.profile.id, answer.section)
    cite = own if named == seen.rules.cite(scales.SANCTIONS) else named
    note = found("player-barred", event, message, cite=cite, seat=seat, severity=Severity.NOTE)
    return (replace(note, verified=answer.verified),)


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
        state, more = _judged(state, event, seen, seat)
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


def _forfeit_compared(
    state: Penalties,
    event: RecordedEvent,
    seat: Seat,
    ground: penalty.PenaltyGround,
    total: int | None,
    seen: Seen,
) -> tuple[Finding, ...]:
    """A forfeit for delays, or its total, that the scale does not make, or not with that total."""
    answer = state.accounts[seat].answer
    if answer is None or answer.is_open or ground not in FOR_DELAY:
        return _total_compared(event, seat, total, seen)
    points = state.accounts[seat].points
    if answer.outcome == "forfeit" and total in (None, points):
        return NOTHING
    message = said("a forfeit is declared; the penalty points computed are {points}", points=points)
    cite = seen.rules.cite(scales.POINTS)
    return (found("penalty-differs", event, message, cite=cite, seat=seat),)


def _total_compared(
    event: RecordedEvent, seat: Seat, total: int | None, seen: Seen
) -> tuple[Finding, ...]:
    """A forfeit with a total of points that forfeits nothing, whatever they were drawn for.

    Where no delays are on record the total is the Director's word; the threshold is the text's.
    """
    length = seen.score.length
    if total is None or length is None:
        return NOTHING
    alone = scales.PenaltyFacts(length=length, for_start=scales.Drawn(total))
    answer = seen.rules.ask(scales.POINTS, alone)
    if answer.is_open or answer.outcome == "forfeit":
        return NOTHING
    # Where no words on what forfeits are in hand, nothing is known against it.
    beyond = scales.PenaltyFacts(length=length, for_start=scales.Drawn(length))
    above = seen.rules.ask(scales.POINTS, beyond)
    if above.outcome != "forfeit":
        return NOTHING
    message = said(
        "a forfeit of {seat} is declared for {total} {total:penalty point|penalty points}; in a "
        "match to {length} that is not more than half, and forfeits nothing by itself",
        seat=seat,
        total=total,
        length=length,
    )
    cite = (seen.rules.profile.id, above.section)
    rests = rests_of(above, seen.rules)
    return (found("penalty-differs", event, message, cite=cite, seat=seat, rests_on=rests),)


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
            state = _put(state, question.seat, account)
    if BREAKS in topics:
        state = _allowance_ruled(state, seen)
    findings: tuple[Finding, ...] = ()
    if POINTS in topics:
        for seat in (ONE, TWO):
            account = state.accounts[seat]
            if account.asked:
                is_his = any((one.entry_id, one.seat) in on_points for one in account.asked)
                least = 0 if is_his else account.drawn
                state, more = _judged(state, event, seen, seat, least=least)
                findings += more
    return state, findings


def _judged(
    state: Penalties,
    event: RecordedEvent,
    seen: Seen,
    seat: Seat,
    *,
    least: int | None = None,
) -> Result:
    """What the rule set says to a player's account now; a question is asked once.

    `least`: points below which an open question does not bring him; None = those told last.
    """
    account = state.accounts[seat]
    facts = _facts(state, seat, seen)
    answer = seen.rules.ask(scales.POINTS, facts)
    before, drawn = account.answer, account.drawn
    if answer.is_open and before is None and account.is_moment:
        return state, NOTHING
    new = Asked(POINTS, event.entry_id, answer, seat, scales.matter(facts, answer.readings))
    asked = [one for one in account.asked if _is_same(one, new, seen)]
    answer = as_ruled(answer, asked, seen)
    if answer.is_open:
        account = account.asking(asked, new)
    entering = seen.rules.ask(scales.ENTERS_SCORE, scales.ScoreFacts(points=account.points))
    account = replace(
        account,
        answer=answer,
        drawn=drawn if least is None else least,
        is_awarded=entering.outcome == scales.OPPONENTS_SCORE,
    )
    is_said = isinstance(event.payload, dispute.RulingMade | penalty.PenaltyAssessed)
    if seen.outcome.winner is not None and not is_said:
        # What a scale makes once the match is won enters its score no more.
        grown = max(0, account.entering - state.accounts[seat].entering)
        account = replace(account, in_stated=account.in_stated + grown)
    points = account.points
    account = account.drawn_at(points, event.version)
    state = replace(_put(state, seat, account), answer=answer)
    if answer == before and (asked or not answer.is_open):
        return state, NOTHING
    state, at_score = _asked_of_score(state, event, seen)
    if answer.is_open:
        if asked:
            return state, at_score
        message = _asked(state, seat, answer, points)
        code = "penalty-question"
    else:
        is_told = before is not None and (before.outcome, drawn) == (answer.outcome, points)
        if is_told or not (points or drawn):
            return state, at_score
        code = "penalty-forfeit" if answer.outcome == "forfeit" else "penalty-points"
        message = _told(state, seat, points, seen)
        if seen.outcome.winner is seat and answer.outcome == "forfeit":
            # What decided the match first goes on deciding it.
            code = "penalty-points"
            message = said(
                "{points}; {seat} had won the match before, and it stays so",
                points=message,
                seat=seat,
            )
    return state, (
        judged(code, event, message, answer, POINTS, seen.rules, seat=seat),
        *at_score,
    )


def _is_same(asked: Asked, new: Asked, seen: Seen) -> bool:
    """Whether a question was asked already: about the same facts, or with nobody's answer yet."""
    is_answered = asked.key in seen.rulings.answers
    return asked.is_alike(new.answer) and (asked.matter == new.matter or not is_answered)


def _asked(state: Penalties, seat: Seat, answer: Answer, points: int) -> Said:
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
    why = said("{seat} was penalised", seat=seat)
    if seconds:
        late = f"{seconds // 60}:{seconds % 60:02}"
        why = said("{seat} was late by {late} in all", seat=seat, late=late)
    elif account.breaks:
        why = said("{seat} took breaks", seat=seat)
    return said(
        "{what}; how many penalty points that makes is for the Director to decide", what=why
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
    if entered != own:
        score = said(
            "{score}, and {entered} if the points enter it", score=score, entered=_pair(entered)
        )
    return said("{against}; {score}", against=against, score=score)


def _asked_of_score(state: Penalties, event: RecordedEvent, seen: Seen) -> Result:
    """Ask, while the match is open, whether points enter the score where that would end it."""
    length = seen.score.length
    if length is None or state.answer is None or seen.outcome.winner is not None:
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
        state = _put(state, seat, replace(account, asked_score=points))
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
                late.kind, late.ms, account.excuse_of(late, _start_of(state, account)), late.leave
            )
            for late in account.delays
        ),
        opponent_late_ms=state.accounts[seat.other].late_for_start(),
        opponent_leave=state.accounts[seat.other].leave_at_start,
        breaks=account.breaks_taken,
        for_start=account.drawn_for(penalty.PenaltyGround.LATE_START),
        for_breaks=account.drawn_for(penalty.PenaltyGround.BREAK),
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


def _put(state: Penalties, seat: Seat, account: Account) -> Penalties:
    return replace(state, accounts=state.accounts.put(seat, account))


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
