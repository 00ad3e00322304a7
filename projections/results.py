"""Results: who must report, what may be corrected until when, whose score sheet prevails."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.findings import Finding, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.results import DUTY_OPEN, STANDS, Disputed, Posted, Reported, Sheet

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


class Posting(msgspec.Struct, frozen=True):
    """A result on the draw sheet that is not the one of the match."""

    entry_id: str
    """The `result.posted`."""
    at_ms: int | None = None
    """When it was posted."""
    facts: Posted = Posted()
    """What came after it."""


class Results(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    reported: frozenset[Seat] = frozenset()
    """Who has reported the result."""
    posting: Posting | None = None
    """The wrong result that is posted; None while none is."""
    notes: tuple[Note, ...] = ()
    """Records of the score since it is unknown."""


def evolve(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
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
            return (replace(state, notes=()) if state.notes else state), NOTHING
        case match.MatchEnded():
            return _duties(state, seen), NOTHING
        case match.ResultReported(seat=seat):
            return _duties(replace(state, reported=state.reported | {seat}), seen), NOTHING
        case match.ResultPosted() as posted:
            return _posted(state, event, posted, seen)
        case match.MatchNextStarted() as following if state.posting is not None:
            return _went_on(state, state.posting, following, seen), NOTHING
        case dispute.DirectorCalled(about=about, at_ms=at_ms) if state.posting is not None:
            return _noticed(state, event, state.posting, about, at_ms, seen)
        case match.ResultCorrected() if state.posting is not None:
            return _corrected(state, event, state.posting, seen)
        case _:
            return state, NOTHING


def _duties(state: Results, seen: Seen) -> Results:
    """Whose duty it is to report; no finding, for nobody has failed in it yet."""
    winner = seen.score.winner
    if winner is None:
        return state
    facts = Reported(winner=winner, reported=state.reported)
    return replace(state, answer=seen.rules.ask("result.duties", facts))


def _posted(state: Results, event: RecordedEvent, posted: match.ResultPosted, seen: Seen) -> Result:
    findings: tuple[Finding, ...] = ()
    winner = seen.score.winner
    if winner is not None:
        facts = Reported(winner=winner, reported=state.reported)
        duty = seen.rules.ask("result.duties", facts)
        if duty.outcome == DUTY_OPEN:
            missing = " and ".join(seat.value for seat in duty.details["by"])
            message = f"a result is posted that {missing} did not report"
            topic = "result.duties"
            findings = (_judged("result-not-reported", event, message, duty, topic, seen),)
    if not _is_wrong(posted, seen):
        return replace(state, posting=None), findings
    now = Posting(event.entry_id, event.payload.at_ms, Posted(noticed_after_ms=0))
    answer = seen.rules.ask("result.correction", now.facts)
    one, two = seen.score.score
    message = f"the result posted is not the {one}-{two} that the games make"
    finding = _judged("result-posted-wrong", event, message, answer, "result.correction", seen)
    # Nobody may have seen it: when it is noticed, the delay is known.
    now = replace(now, facts=Posted())
    return replace(state, answer=answer, posting=now), (*findings, finding)


def _is_wrong(posted: match.ResultPosted, seen: Seen) -> bool:
    """Whether a posting contradicts the match; a score that is not known contradicts nothing."""
    score, length = seen.score.score, seen.score.length
    if seen.score.unseen_at or seen.score.winner is None:
        return False
    if posted.winner is not None and posted.winner is not seen.score.winner:
        return True
    if posted.score is None or posted.score == score:
        return False
    return length is None or posted.score != score.map(lambda points: min(points, length))


def _went_on(
    state: Results, posting: Posting, following: match.MatchNextStarted, seen: Seen
) -> Results:
    """Another match has begun, and the posting was not put right before."""
    if not following.seats:
        # The round began without either: neither of them has started playing it.
        return state
    was = posting.facts
    is_next_round = was.is_next_round or following.next is match.NextMatch.NEXT_ROUND
    begun = was.begun | set(following.seats)
    facts = replace(was, begun=begun, is_next_round=is_next_round)
    answer = seen.rules.ask("result.correction", facts)
    return replace(state, answer=answer, posting=replace(posting, facts=facts))


def _noticed(
    state: Results,
    event: RecordedEvent,
    posting: Posting,
    about: str | None,
    at_ms: int | None,
    seen: Seen,
) -> Result:
    if about != posting.entry_id:
        return state, NOTHING
    after_ms = None
    if at_ms is not None and posting.at_ms is not None:
        after_ms = at_ms - posting.at_ms
    facts = replace(posting.facts, noticed_after_ms=after_ms)
    answer = seen.rules.ask("result.correction", facts)
    state = replace(state, answer=answer, posting=replace(posting, facts=facts))
    message = "a wrong result on the draw sheet is noticed"
    finding = _judged("result-posted-wrong", event, message, answer, "result.correction", seen)
    return state, (finding,)


def _corrected(state: Results, event: RecordedEvent, posting: Posting, seen: Seen) -> Result:
    """The posting is changed: it happened, so it counts, whether or not it was still allowed."""
    answer = seen.rules.ask("result.correction", posting.facts)
    state = replace(state, answer=answer, posting=None)
    if answer.outcome != STANDS:
        return state, NOTHING
    message = "a posted result is corrected after the next match had begun"
    finding = _judged("result-corrected-late", event, message, answer, "result.correction", seen)
    return state, (finding,)


def _noted(state: Results, event: RecordedEvent, noted: match.ScoreNoted, seen: Seen) -> Result:
    """Records of a score that the games do not tell; asked when they differ and both are heard."""
    if not seen.score.unseen_at:
        return state, NOTHING
    note = Note(
        noted.keeper,
        noted.sheet,
        noted.score,
        noted.kept_as_prescribed,
        event.basis is Basis.AGREED,
    )
    state = replace(state, notes=(*state.notes, note))
    facts = _disputed(state.notes)
    if facts is None:
        return state, NOTHING
    answer = seen.rules.ask("score.record", facts)
    asked_before = state.answer == answer
    state = replace(state, answer=answer)
    if asked_before:
        return state, NOTHING
    scores = dict.fromkeys(f"{n.score.one}-{n.score.two}" for n in state.notes if n.score)
    message = f"the records of the score differ: {', '.join(scores)}"
    finding = _judged("score-records-differ", event, message, answer, "score.record", seen)
    return state, (finding,)


def _disputed(notes: tuple[Note, ...]) -> Disputed | None:
    """The records that compete; None while they agree, or a player has not shown a sheet."""
    if len({note.score for note in notes if note.score is not None}) < 2:
        return None
    shown = {note.keeper for note in notes if note.sheet in _SHEETS}
    if not shown.issuperset(Seat):
        return None
    evidence = [note for note in notes if note.sheet is match.Sheet.RECORDING and note.is_agreed]
    return Disputed(
        sheets=BySeat(_sheet_of(notes, Seat.ONE), _sheet_of(notes, Seat.TWO)),
        evidence=evidence[-1].score if evidence else None,
    )


_SHEETS = (match.Sheet.WRITTEN, match.Sheet.NONE)


def _sheet_of(notes: tuple[Note, ...], seat: Seat) -> Sheet:
    own = [note for note in notes if note.keeper is seat]
    written = [note for note in own if note.sheet is match.Sheet.WRITTEN]
    last = written[-1] if written else None
    return Sheet(
        written=None if last is None else last.score,
        is_as_prescribed=None if last is None else last.is_as_prescribed,
        has_display=any(note.sheet is match.Sheet.DISPLAY for note in own),
    )


def _judged(
    code: str, event: RecordedEvent, message: str, answer: Answer, topic: str, seen: Seen
) -> Finding:
    rule_set = seen.rules.profile.id
    return judged(code, event, message, answer=answer, rule_set=rule_set, topic=topic)


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
    dispute.RulingCarriedOut,
)


def initial(rules: Rules) -> Results:
    """Nothing judged."""
    return Results()


FOLD: Fold[Results] = Fold("results", _HEARS, initial, evolve)
"""The fold of results."""
