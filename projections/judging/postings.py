"""Posted results: held against the match, found wrong, corrected in time or too late."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import match
from events.payloads.base import Actor
from projections.folding.findings import Finding
from projections.folding.fold import NOTHING, Seen
from projections.folding.sayings import Said, said
from projections.judging.result_state import (
    Posting,
    Result,
    Results,
    contradicts,
    keep_answer,
    tell_answer,
)
from projections.rules.answers import Answer
from projections.rules.subjects.results import MAY_CORRECT, RESULT_CORRECTION, STANDS


def check_posting(state: Results, event: RecordedEvent, seen: Seen) -> Result:
    """The posting held against the match, now that it may be over; it is found wrong once."""
    posting = state.posting
    if posting is None or posting.is_wrong:
        return state, NOTHING
    if not contradicts(posting.winner, posting.score, seen):
        return state, NOTHING
    # Nobody may have seen it: when it is noticed, the delay is known.
    state = replace(state, posting=replace(posting, is_wrong=True))
    answer = seen.rules.ask(RESULT_CORRECTION, replace(posting.facts, noticed_after_ms=0))
    one, two = seen.match_score
    made = f"{one}-{two}"
    what = said("the result on the draw sheet is wrong: the games make it {score}", score=made)
    if seen.match_score != seen.score.score:
        what = said(
            "the result on the draw sheet is wrong: games and penalty points make it {score}",
            score=made,
        )
    message = _what_follows(what, answer)
    topic = "result.correction"
    about = posting.entry_id
    return tell_answer(state, event, "result-posted-wrong", message, answer, topic, about, seen)


def went_on(state: Results, following: match.MatchNextStarted, seen: Seen) -> Results:
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
    return keep_answer(state, answer, "result.correction", posting.entry_id, seen)


def error_noticed(
    state: Results,
    event: RecordedEvent,
    posting: Posting,
    about: str | None,
    at_ms: int | None,
    seen: Seen,
) -> Result:
    """The director is called about a posting that was found wrong."""
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
    return tell_answer(state, event, "result-posted-wrong", message, answer, topic, about, seen)


def _what_follows(what: Said, answer: Answer) -> Said:
    """What the rule set makes of a posting that is wrong."""
    if answer.outcome == STANDS:
        return said("{what}; another match has begun since, and it stands as posted", what=what)
    if answer.outcome == MAY_CORRECT:
        return said("{what}, and it may be corrected", what=what)
    if answer.is_open:
        return said("{what}; whether it is corrected is for the Director to decide", what=what)
    return what


def posting_corrected(
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
        message = said(
            "a posted result is corrected after another match had begun, "
            "and by the rules it stands as posted"
        )
        state, findings = tell_answer(
            state, event, "result-corrected-late", message, answer, topic, about, seen
        )
    elif answer.is_open and not is_by_director:
        message = said(
            "a posted result is corrected; whether it still may be is for the Director to say"
        )
        state, findings = tell_answer(
            state, event, "result-posted-wrong", message, answer, topic, about, seen
        )
    else:
        state = keep_answer(state, answer, topic, about, seen)
    now = Posting(event.entry_id, corrected.at_ms, None, corrected.new, facts=was.facts)
    state, more = check_posting(replace(state, posting=now), event, seen)
    return state, (*findings, *more)
