"""Results: who must report, what may be corrected until when, whose score sheet prevails."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.base import Actor, Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, alike, as_ruled, ruled, taken_in
from projections.folding.sayings import Said, listed, said
from projections.rules.answers import Answer
from projections.rules.subjects.results import (
    BOTH_SHEETS,
    DUTY_OPEN,
    MAY_CORRECT,
    ONLY_SHEET,
    RESULT_CORRECTION,
    RESULT_DUTIES,
    SCORE_RECORD,
    STANDS,
    Disputed,
    Posted,
    Reported,
    Sheet,
)

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


def evolve(state: Results, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case match.ScoreNoted() as noted:
            return _noted(state, event, noted, seen)
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
            return _checked(_duties(state, seen), event, seen)
        case match.ResultReported() as told:
            return _reported(state, event, told, seen)
        case match.ResultPosted() as posted:
            return _posted(state, event, posted, seen)
        case match.MatchNextStarted() as following:
            return _went_on(state, following, seen), NOTHING
        case dispute.DirectorCalled(about=about, at_ms=at_ms) if state.posting is not None:
            return _noticed(state, event, state.posting, about, at_ms, seen)
        case match.ResultCorrected() as corrected:
            return _corrected(state, event, corrected, seen)
        case dispute.DisputeRaised(topic="result.duties"):
            return _disputed_duty(state, event, seen)
        case dispute.DisputeRaised() as raised if _is_of_score(raised, state):
            notes = (*state.notes, *_told_scores(raised, state, seen))
            disputed = replace(state, disputed_at=event.entry_id, notes=notes)
            return _records_judged(disputed, event, seen)
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
    own, _ = seen.penalties.both_scores(seen.score.score)
    is_score_wrong = told.score is not None and told.score != own
    if winner is not None:
        is_score_wrong = _contradicts(None, told.score, seen)
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
    facts = _disputed((*state.notes, *notes), is_disputed=True)
    assert facts is not None  # a dispute is judged as it is
    answer = seen.rules.ask(SCORE_RECORD, facts)
    if not answer.is_open:
        score = answer.details["score"]
        message = said(
            "{what}; {score} {why} prevails, and is the score once it is stated",
            what=message,
            score=f"{score['one']}-{score['two']}",
            why=_WHY[answer.details["basis"]],
        )
    return _told(
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
    reported = frozenset(
        report.seat
        for report in state.reports
        if not _contradicts(report.winner, report.score, seen)
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
    return _kept(state, answer, "result.duties", "", seen)


def _disputed_duty(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """A dispute names the duty: what the text leaves open is now a question."""
    answer = _duty(state, seen)
    if answer is None or not answer.is_open:
        return state, NOTHING
    message = said(
        "whose duty it was to report the result is disputed, and for the Director to decide"
    )
    return _told(state, event, "result-duty-open", message, answer, "result.duties", "", seen)


def _contradicts(winner: Seat | None, score: BySeat[int] | None, seen: Seen) -> bool:
    """Whether a result told is not that of the match; one that is not known contradicts nothing."""
    outcome = seen.outcome
    if seen.score.unseen_at or outcome.winner is None:
        return False
    if winner is not None and winner is not outcome.winner:
        return True
    own, _ = seen.penalties.both_scores(seen.score.score)
    length = seen.score.length
    return score is not None and not (
        outcome.agrees(score, own, length) or outcome.agrees(score, seen.score.score, length)
    )


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
    state, more = _checked(replace(state, posting=posting), event, seen)
    return state, (*findings, *more)


def _checked(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """The posting held against the match, now that it may be over; it is found wrong once."""
    posting = state.posting
    if posting is None or posting.is_wrong:
        return state, NOTHING
    if not _contradicts(posting.winner, posting.score, seen):
        return state, NOTHING
    # Nobody may have seen it: when it is noticed, the delay is known.
    state = replace(state, posting=replace(posting, is_wrong=True))
    answer = seen.rules.ask(RESULT_CORRECTION, replace(posting.facts, noticed_after_ms=0))
    one, two = seen.penalties.both_scores(seen.score.score)[0]
    what = said(
        "the result on the draw sheet is wrong: the games make it {score}", score=f"{one}-{two}"
    )
    message = _what_follows(what, answer)
    topic = "result.correction"
    about = posting.entry_id
    return _told(state, event, "result-posted-wrong", message, answer, topic, about, seen)


def _went_on(state: Results, following: match.MatchNextStarted, seen: Seen) -> Results:
    """Another match has begun, and the posting was not put right before.

    Of a knock-out one of the two alone goes on; a result may be posted after that.
    """
    if not following.seats:
        # The round began without either: neither of them has started playing it.
        return state
    is_next_round = state.is_next_round or following.next is match.NextMatch.NEXT_ROUND
    begun = state.begun | set(following.seats)
    state = replace(state, begun=begun, is_next_round=is_next_round)
    posting = state.posting
    if posting is None:
        return state
    facts = replace(posting.facts, begun=begun, is_next_round=is_next_round)
    posting = replace(posting, facts=facts)
    state = replace(state, posting=posting)
    if not posting.is_wrong:
        return state
    answer = seen.rules.ask(RESULT_CORRECTION, facts)
    return _kept(state, answer, "result.correction", posting.entry_id, seen)


def _noticed(
    state: Results,
    event: RecordedEvent,
    posting: Posting,
    about: str | None,
    at_ms: int | None,
    seen: Seen,
) -> Result:
    if about != posting.entry_id or not posting.is_wrong:
        return state, NOTHING
    after_ms = None
    if at_ms is not None and posting.at_ms is not None:
        after_ms = at_ms - posting.at_ms
    posting = replace(posting, facts=replace(posting.facts, noticed_after_ms=after_ms))
    answer = seen.rules.ask(RESULT_CORRECTION, posting.facts)
    state = replace(state, posting=posting)
    message = _what_follows(
        said("it is noticed that the result on the draw sheet is wrong"), answer
    )
    topic = "result.correction"
    return _told(state, event, "result-posted-wrong", message, answer, topic, about, seen)


def _what_follows(what: Said, answer: Answer) -> Said:
    """What the rule set makes of a posting that is wrong."""
    if answer.outcome == STANDS:
        return said("{what}; another match has begun since, and it stands as posted", what=what)
    if answer.outcome == MAY_CORRECT:
        return said("{what}, and it may be corrected", what=what)
    if answer.is_open:
        return said("{what}; whether it is corrected is for the Director to decide", what=what)
    return what


def _corrected(
    state: Results, event: RecordedEvent, corrected: match.ResultCorrected, seen: Seen
) -> Result:
    """The posting is changed: it happened, so it counts, whether or not it was still allowed."""
    was = state.posting or Posting(event.entry_id)
    is_by_director = corrected.by in (Actor.DIRECTOR, Actor.OFFICIAL)
    facts = replace(was.facts, is_by_director=is_by_director)
    answer = seen.rules.ask(RESULT_CORRECTION, facts)
    topic, about = "result.correction", was.entry_id
    findings: tuple[Finding, ...] = ()
    if answer.outcome == STANDS:
        message = said("a posted result is corrected after the next match had begun")
        state, findings = _told(
            state, event, "result-corrected-late", message, answer, topic, about, seen
        )
    elif answer.is_open and not is_by_director:
        message = said(
            "a posted result is corrected; whether it still may be is for the Director to say"
        )
        state, findings = _told(
            state, event, "result-posted-wrong", message, answer, topic, about, seen
        )
    else:
        state = _kept(state, answer, topic, about, seen)
    now = Posting(event.entry_id, corrected.at_ms, None, corrected.new, facts=was.facts)
    state, more = _checked(replace(state, posting=now), event, seen)
    return state, (*findings, *more)


def _kept(state: Results, answer: Answer, topic: str, about: str, seen: Seen) -> Results:
    """The answer as the latest, with the Director's word where its question was asked."""
    asked = alike(state.asked, topic, answer, about)
    answer = as_ruled(answer, asked, seen)
    return replace(state, answer=answer, answered=asked[-1] if asked else None)


def _ruled(state: Results, seen: Seen) -> Results:
    answer, asked = state.answer, state.answered
    if state.asked:
        state = replace(state, asked=taken_in(state.asked, seen))
    if answer is None or asked is None:
        return state
    return replace(state, answer=ruled(answer, seen, *asked.key), answered=asked.ruled(seen))


def _told(
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
            return _kept(state, answer, topic, about, seen), NOTHING
        asked = Asked(topic, event.entry_id, answer, matter=about)
        state = replace(state, asked=(*state.asked, asked))
    state = _kept(state, answer, topic, about, seen)
    return state, (judged(code, event, message, answer, topic, seen.rules),)


def _noted(state: Results, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    """A record of the score: judged where the games do not tell it, or where it is disputed."""
    note = Note(
        noted.keeper,
        noted.sheet,
        noted.score,
        noted.kept_as_prescribed,
        event.basis is Basis.AGREED,
        _moment(seen),
    )
    state = replace(state, notes=(*state.notes, note))
    if not seen.score.unseen_at and state.disputed_at is None:
        # It is held against the games as it is told.
        return state, NOTHING
    return _records_judged(state, event, seen)


_OF_SCORE = frozenset({"score", "scores", "scoresheet", "sheet", "sheets", "scorekeeping"})
_SCORE_TOLD = re.compile(r"\s*(\d{1,4})\s*[-–:]\s*(\d{1,4})\s*", re.ASCII)


def _is_of_score(raised: dispute.DisputeRaised, state: Results) -> bool:
    """Whether the players disagree on the score: they say so, or tell it, each as they have it."""
    if raised.topic is not None:
        return not _OF_SCORE.isdisjoint(re.split(r"[.-]", raised.topic))
    return bool(state.notes) and any(
        one.reading is not None and _SCORE_TOLD.fullmatch(one.reading) for one in raised.readings
    )


def _told_scores(raised: dispute.DisputeRaised, state: Results, seen: Seen) -> Iterator[Note]:
    """What a player says the score is, who has shown no record of it at this moment."""
    shown = {note.keeper for note in state.notes if note.moment == _moment(seen) and note.score}
    for one in raised.readings:
        told = None if one.reading is None else _SCORE_TOLD.fullmatch(one.reading)
        seat = one.by.seat
        if told is None or seat is None or seat in shown:
            continue
        score, memory = BySeat(int(told[1]), int(told[2])), match.Sheet.MEMORY
        yield Note(seat, memory, score, None, is_agreed=False, moment=_moment(seen))


def _moment(seen: Seen) -> tuple[int, ...]:
    score = seen.score
    return score.unseen_at, score.ended_at, score.set_at, score.revalued_at


def _records_judged(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """Which record of the score prevails: they differ and both are heard, or it is disputed."""
    is_disputed = state.disputed_at is not None
    now = _moment(seen)
    notes = tuple(note for note in state.notes if note.moment == now)
    facts = _disputed(notes, is_disputed=is_disputed)
    if facts is None:
        return state, NOTHING
    if not seen.score.unseen_at:
        recorded, _ = seen.penalties.both_scores(seen.score.score)
        facts = replace(facts, recorded=recorded)
    answer = seen.rules.ask(SCORE_RECORD, facts)
    if not answer.is_open and state.answer == answer:
        return state, NOTHING
    known = [note.score for note in notes] + [facts.recorded]
    scores = dict.fromkeys(f"{score.one}-{score.two}" for score in known if score)
    kept = [_kept_by(note.keeper, note.score) for note in notes if note.score]
    if facts.recorded:
        made = f"{facts.recorded.one}-{facts.recorded.two}"
        kept.append(said("the games make it {score}", score=made))
    told = listed(list({str(one): one for one in kept}.values())) if kept else None
    message = said("the score is disputed, and no record of it is shown")
    if told is not None and len(scores) == 1:
        message = said("the score is disputed: {scores}", scores=told)
    elif told is not None:
        message = said("the records of the score differ: {scores}", scores=told)
    about, topic, code = str(seen.score.unseen_at), "score.record", "score-records-differ"
    if state.disputed_at is not None:
        about = state.disputed_at
    if answer.is_open:
        was_asked = any((one.topic, one.matter) == (topic, about) for one in state.asked)
        if was_asked and not facts.are_all_shown:
            # The dispute is a question already, and one record alone makes it no other one.
            return state, NOTHING
        message = said("{what}; which score counts is for the Director to decide", what=message)
        return _told(state, event, code, message, answer, topic, about, seen)
    score = answer.details["score"]
    message = said(
        "{what}; {score} {why} prevails, and is the score once it is stated",
        what=message,
        score=f"{score['one']}-{score['two']}",
        why=_WHY[answer.details["basis"]],
    )
    finding = judged(code, event, message, answer, topic, seen.rules, severity=Severity.NOTE)
    return _kept(state, answer, topic, about, seen), (finding,)


def _kept_by(keeper: Seat | None, score: BySeat[int]) -> Said:
    """What a record of the score shows, and whose it is."""
    if keeper is None:
        return said("another record has {score}", score=f"{score.one}-{score.two}")
    return said("{keeper} has {score}", keeper=keeper, score=f"{score.one}-{score.two}")


_WHY = {
    ONLY_SHEET: said("on the only written sheet"),
    BOTH_SHEETS: said("on both written sheets"),
}


def _disputed(notes: tuple[Note, ...], *, is_disputed: bool) -> Disputed | None:
    """The records that compete; None while they agree, or a player has not shown a sheet.

    Once the score is disputed they are judged as they are.
    """
    differ = len({note.score for note in notes if note.score is not None}) > 1
    are_all_shown = {note.keeper for note in notes if note.sheet in _SHEETS}.issuperset(Seat)
    if not is_disputed and not (differ and are_all_shown):
        return None
    evidence = [note for note in notes if note.sheet is match.Sheet.RECORDING and note.is_agreed]
    return Disputed(
        sheets=BySeat(_sheet_of(notes, Seat.ONE), _sheet_of(notes, Seat.TWO)),
        evidence=evidence[-1].score if evidence else None,
        are_all_shown=are_all_shown,
    )


_SHEETS = (match.Sheet.WRITTEN, match.Sheet.MEMORY, match.Sheet.NONE)
"""What says whether a player kept a sheet: who goes by memory kept none."""


def _sheet_of(notes: tuple[Note, ...], seat: Seat) -> Sheet:
    own = [note for note in notes if note.keeper is seat]
    written = [note for note in own if note.sheet is match.Sheet.WRITTEN]
    last = written[-1] if written else None
    others = [note.score for note in own if note.score and note.sheet in _UNWRITTEN]
    return Sheet(
        written=None if last is None else last.score,
        is_as_prescribed=None if last is None else last.is_as_prescribed,
        has_display=any(note.sheet is match.Sheet.DISPLAY for note in own),
        said=others[-1] if others else None,
    )


_UNWRITTEN = (match.Sheet.DISPLAY, match.Sheet.MEMORY)


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
