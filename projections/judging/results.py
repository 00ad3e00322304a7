"""Results: who has reported what, and whose duty that was; what is told of them in its order."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import ruled, taken_in
from projections.folding.sayings import Said, said
from projections.judging.postings import check_posting, error_noticed, posting_corrected, went_on
from projections.judging.result_state import (
    Note,
    Posting,
    Report,
    Result,
    Results,
    contradicts,
    keep_answer,
    scores_of,
    tell_answer,
)
from projections.judging.score_records import (
    is_of_score,
    note_taken,
    prevailing,
    records_judged,
    records_of,
    told_scores,
)
from projections.rules.answers import Answer
from projections.rules.subjects.results import (
    DUTY_MET,
    DUTY_OPEN,
    RESULT_DUTIES,
    SCORE_RECORD,
    Posted,
    Reported,
)


def evolve(state: Results, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case match.ScoreNoted() as noted:
            return note_taken(state, event, noted, seen)
        case (
            play.PlayUnseen()
            | match.GameStarted()
            | match.GameWon()
            | match.ScoreStated()
            | dispute.RulingCarriedOut()
        ):
            # What was noted before speaks about another moment of the match.
            if state.notes or state.disputed_at is not None:
                state = replace(state, notes=(), disputed_at=None)
            return state, NOTHING
        case match.MatchEnded():
            return check_posting(_duties(state, seen), event, seen)
        case match.ResultReported() as told:
            return _reported(state, event, told, seen)
        case match.ResultPosted() as posted:
            return _posted(state, event, posted, seen)
        case match.MatchNextStarted() as following:
            return went_on(state, following, seen), NOTHING
        case dispute.DirectorCalled(about=about, at_ms=at_ms) if state.posting is not None:
            return error_noticed(state, event, state.posting, about, at_ms, seen)
        case match.ResultCorrected() as corrected:
            return posting_corrected(state, event, corrected, seen)
        case dispute.DisputeRaised(topic="result.duties"):
            return _disputed_duty(state, event, seen)
        case dispute.DisputeRaised() as raised if is_of_score(raised, state):
            notes = (*state.notes, *told_scores(raised, state, seen))
            disputed = replace(state, disputed_at=event.entry_id, notes=notes)
            return records_judged(disputed, event, seen)
        case dispute.RulingMade():
            return _ruled(state, seen), NOTHING
        case _:
            return state, NOTHING


def _reported(
    state: Results, event: RecordedEvent, told: match.ResultReported, seen: Seen
) -> Result:
    score = seen.score.score if told.score is None else told.score
    report = Report(told.seat, told.winner, score, is_scored=told.score is not None)
    new = _duties(replace(state, reports=(*state.reports, report)), seen)
    if seen.score.game_number and not seen.score.unseen_at:
        return new, _against_games(event, told, seen)
    return _against_reports(new, event, report, seen)


def _against_games(
    event: RecordedEvent, told: match.ResultReported, seen: Seen
) -> tuple[Finding, ...]:
    """A report of another result than that of the match, while the games tell it."""
    winner, length = seen.outcome.winner, seen.score.length
    own = seen.match_score
    is_score_wrong = told.score is not None and told.score != own
    if winner is not None:
        is_score_wrong = contradicts(None, told.score, seen)
    is_winner_wrong = told.winner is not None and told.winner is not winner and length is not None
    if not (is_winner_wrong or is_score_wrong):
        return NOTHING
    message = said(
        "{seat} reports the match as {told}; the record makes it {made}",
        seat=told.seat,
        told=_result(told.winner if is_winner_wrong else None, told.score),
        made=_made(winner, own) if is_winner_wrong else _pair(own),
    )
    cite = seen.rules.cite(RESULT_DUTIES)
    return (found("result-differs", event, message, cite=cite, seat=told.seat),)


def _against_reports(state: Results, event: RecordedEvent, report: Report, seen: Seen) -> Result:
    """Reports of the two players that differ, while no games tell the result."""
    others = [one for one in state.reports if one.seat is not report.seat]
    if not others or not others[-1].differs_from(report):
        return state, NOTHING
    other = others[-1]
    message = said(
        "the players report different results: {one} has it {first}, and {two} has it {second}",
        one=other.seat,
        first=_result(other.winner, other.score if other.is_scored else None),
        two=report.seat,
        second=_result(report.winner, report.score if report.is_scored else None),
    )
    if not (report.is_scored and other.is_scored):
        cite = seen.rules.cite(RESULT_DUTIES)
        return state, (found("result-differs", event, message, cite=cite),)
    notes = [
        Note(one.seat, match.Sheet.MEMORY, one.score, None, is_agreed=False)
        for one in (other, report)
    ]
    facts = records_of((*state.notes, *notes), is_disputed=True)
    assert facts is not None  # a dispute is judged as it is
    answer = seen.rules.ask(SCORE_RECORD, facts)
    if not answer.is_open:
        message = prevailing(message, answer)
    return tell_answer(
        state, event, "score-records-differ", message, answer, "score.record", "reports", seen
    )


def _pair(score: BySeat[int]) -> Said:
    return said("{score}", score=f"{score.one}-{score.two}")


def _made(winner: Seat | None, score: BySeat[int]) -> Said:
    if winner is None:
        return said("{score}, won by nobody so far", score=_pair(score))
    return _result(winner, score)


def _result(winner: Seat | None, score: BySeat[int] | None) -> Said:
    """A result as somebody tells it: who has won, the score, or both."""
    if winner is None or score is None:
        only = said("over") if winner is None else said("won by {winner}", winner=winner)
        return only if score is None else _pair(score)
    return said("{score}, won by {winner}", score=_pair(score), winner=winner)


def _duty(state: Results, seen: Seen) -> Answer | None:
    """Whose duty it is to report; None while nobody has won.

    Who reported another result than that of the match has not reported it.
    """
    winner = seen.outcome.winner
    if winner is None:
        return None
    scores = scores_of(seen)
    told = {(report.seat, report.winner, report.score) for report in state.reports}
    reported = frozenset(
        seat for seat, result, score in told if not contradicts(result, score, seen, scores)
    )
    return seen.rules.ask(RESULT_DUTIES, Reported(winner=winner, reported=reported))


def _duties(state: Results, seen: Seen) -> Results:
    """Whose duty it is to report, without a finding.

    Nobody has failed in it yet, and a duty of which nobody complains is no question: where the
    text is silent the answer lies open in the state until a dispute names it.
    """
    answer = _duty(state, seen)
    if answer is None:
        return state
    return keep_answer(state, answer, "result.duties", "", seen)


def _disputed_duty(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """A dispute names the duty: an open answer becomes a question, an unmet duty a finding."""
    answer = _duty(state, seen)
    if answer is None or answer.outcome == DUTY_MET:
        return state, NOTHING
    if not answer.is_open:
        first, *others = answer.details.get("by") or answer.details["must_report"]
        message = said("{seat} has still to report the result", seat=first)
        if others:
            message = said(
                "{one} and {other} have still to report the result", one=first, other=others[0]
            )
        finding = judged("result-not-reported", event, message, answer, "result.duties", seen.rules)
        return state, (finding,)
    message = said(
        "whose duty it was to report the result is disputed, and for the Director to decide"
    )
    return tell_answer(state, event, "result-duty-open", message, answer, "result.duties", "", seen)


def _posted(state: Results, event: RecordedEvent, posted: match.ResultPosted, seen: Seen) -> Result:
    findings: tuple[Finding, ...] = ()
    duty = _duty(state, seen)
    if duty is not None and duty.outcome == DUTY_OPEN:
        first, *others = duty.details["by"]
        message = said("a result is posted that {seat} did not report", seat=first)
        if others:
            message = said(
                "a result is posted that {one} and {other} did not report",
                one=first,
                other=others[0],
            )
        findings = (
            judged("result-not-reported", event, message, duty, "result.duties", seen.rules),
        )
    facts = Posted(begun=state.begun, is_next_round=state.is_next_round)
    posting = Posting(event.entry_id, posted.at_ms, posted.winner, posted.score, facts=facts)
    state, more = check_posting(replace(state, posting=posting), event, seen)
    return state, (*findings, *more)


def _ruled(state: Results, seen: Seen) -> Results:
    answer, asked = state.answer, state.answered
    if state.asked:
        state = replace(state, asked=taken_in(state.asked, seen))
    if answer is None or asked is None:
        return state
    return replace(state, answer=ruled(answer, seen, *asked.key), answered=asked.ruled(seen))


_HEARS: tuple[type[Payload], ...] = (
    match.ScoreNoted,
    match.ScoreStated,
    match.GameStarted,
    match.GameWon,
    match.MatchEnded,
    match.ResultReported,
    match.ResultPosted,
    match.ResultCorrected,
    match.MatchNextStarted,
    play.PlayUnseen,
    dispute.DirectorCalled,
    dispute.DisputeRaised,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)

FOLD = Fold(Results, *(on(kind, evolve) for kind in _HEARS))
"""The fold of results."""
