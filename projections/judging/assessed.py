"""What a director assesses beyond what the rule set computes: points, sanctions, forfeits."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import penalty
from events.values import Seat
from projections.folding.findings import Finding, Severity, found, judged, rests_of
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said
from projections.judging.accounts import FOR_DELAY, Account
from projections.judging.citing import cited
from projections.rules.answers import NOT_VERIFIED
from projections.rules.subjects import penalties as scales


def beyond_scale(event: RecordedEvent, seat: Seat, points: int, seen: Seen) -> Finding:
    """Points for delays that no scale makes."""
    message = said(
        "{points} {points:penalty point is|penalty points are} assessed for delays beyond those "
        "that the scale makes",
        points=points,
    )
    return _differs(event, seat, message, seen)


def _differs(event: RecordedEvent, seat: Seat, message: Said, seen: Seen) -> Finding:
    cite = seen.rules.cite(scales.POINTS)
    return found("penalty-differs", event, message, cite=cite, seat=seat)


def below_scale(event: RecordedEvent, seat: Seat, given: int, below: int, seen: Seen) -> Finding:
    """Fewer points for delays than the scale makes: no word of an excuse is on record."""
    message = said(
        "{given} {given:penalty point is|penalty points are} assessed for delays so far, "
        "{below} fewer than the scale makes",
        given=given,
        below=below,
    )
    return _differs(event, seat, message, seen)


def named_rule(assessed: penalty.PenaltyAssessed, seen: Seen) -> tuple[str, str] | None:
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


def by_named_rule(finding: Finding, named: tuple[str, str]) -> Finding:
    """Points under the rule that the entry names; a question stays that of the rules in force."""
    if finding.code != "penalty-points":
        return finding
    rule_set, section = named
    return replace(finding, rule_set=rule_set, section=section)


def not_warned(
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
        message = said(
            "{seat} is given points for slow play; "
            "whether they may be given now is for the Director to say",
            seat=seat,
        )
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


def barred(
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


def forfeit_compared(
    account: Account,
    event: RecordedEvent,
    seat: Seat,
    ground: penalty.PenaltyGround,
    total: int | None,
    seen: Seen,
) -> tuple[Finding, ...]:
    """A forfeit for delays, or its total, that the scale does not make, or not with that total."""
    answer = account.answer
    if answer is None or answer.is_open or ground not in FOR_DELAY:
        return _total_compared(event, seat, total, seen)
    points = account.points
    if answer.outcome == "forfeit" and total in (None, points):
        return NOTHING
    message = said(
        "a forfeit of {seat} is declared; "
        "by the scale of the rules the penalty points are {points}",
        seat=seat,
        points=points,
    )
    return (_differs(event, seat, message, seen),)


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
