"""Endings under the rule set: what a game counts, and whether the match is over by it.

Questions that nobody at the table has raised are not asked. If a text says nothing about
resignations, one that is offered and answered is not in doubt, and matches without a rule set have
no questions. They are asked as soon as a dispute or a call for the Director is about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, cube, dispute, ending, match, play
from events.payloads.base import Payload
from events.values import CHECKERS, ONE, TWO, Seat
from projections.folding.concessions import board_of, offer_of
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import put, with_asked
from projections.folding.sayings import Said, said
from projections.judging.ending_state import Endings, Result
from projections.judging.given_up import (
    conceded,
    doubted,
    ending_claimed,
    resignation_refused,
    without_level,
)
from projections.rules.answers import Answer
from projections.rules.subjects.endings import (
    GAME_DROPPED,
    GAME_VALUE,
    MATCH_END,
    PLAY_ON,
    RESIGNATION_VALIDITY,
    Dropped,
    Finished,
    Scored,
)


def evolve(state: Endings, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    if type(payload) is dispute.RulingMade:
        return _ruled(state, event, seen), NOTHING
    if type(payload) is ending.ClaimRuled:
        # Answering a claim also answers the questions about it.
        state = _answered(state, event, seen)
    new, findings = _judged(state, event, seen)
    if new.match is not state.match and new.match is not None:
        new, about = _about_match(new, event, new.match, seen)
        findings = (*findings, *about)
    return _asking(new, findings), findings


def _asking(state: Endings, findings: tuple[Finding, ...]) -> Endings:
    """The state with the answers that the questions just asked are about."""
    asked = with_asked(state.asked, findings, lambda topic: _answer_on(state, topic))
    return state if asked is state.asked else replace(state, asked=asked)


def _answer_on(state: Endings, topic: str) -> Answer | None:
    if topic == MATCH_END:
        return state.match
    noun, _, name = topic.partition(".")
    answer = state.answer
    return answer.also.get(name) if answer is not None and noun == "ending" else answer


def _ruled(state: Endings, event: RecordedEvent, seen: Seen) -> Endings:
    """The kept answers as ruled, and that on the match if the score has followed the ruling."""
    state = _answered(state, event, seen)
    score = seen.score
    if score.reopened_at == event.version:
        return replace(state, match=None)
    if event.version in (score.ended_at, score.revalued_at):
        return _match_judged(_forgotten(state), seen, ruled=state.match)
    return state


def _answered(state: Endings, event: RecordedEvent, seen: Seen) -> Endings:
    """The answers that are kept, with the readings that this event chooses."""
    for key, asked in state.asked.items():
        made = seen.rulings.answers.get(key)
        if made is None or made.version != event.version:
            continue
        now = asked.ruled(made.reading, event.version)
        known = MappingProxyType({**state.asked, key: now})
        answer, whole = put(state.answer, asked, now), put(state.match, asked, now)
        state = replace(state, answer=answer, match=whole, asked=known)
    return state


def _judged(state: Endings, event: RecordedEvent, seen: Seen) -> Result:
    is_over = seen.score.ended_at == event.version
    is_given = seen.score.given_at == event.version
    match event.payload:
        case play.PlayMade() | play.PlayRevised() | play.PlayCorrected() if is_over:
            return _borne_off(state, event, seen)
        case match.GameStarted():
            return _forgotten(state), NOTHING
        case match.GameWon() if is_over:
            return _match_judged(_forgotten(state), seen), NOTHING
        case cube.DoubleDropped() if is_over:
            return _dropped(state, event, seen)
        case ending.ResignationOffered(seat=seat, level=level) if seen.flow.in_game:
            return replace(state, offer=offer_of(seat, level, event.entry_id, seen)), NOTHING
        case ending.ResignationAccepted() | ending.ClaimMade() | ending.ClaimRuled() if is_given:
            return _given_away(state, event, seen)
        case ending.ResignationAccepted(seat=seat):
            return without_level(state, event, seat, seen)
        case ending.ResignationRefused(seat=seat):
            return resignation_refused(state, event, seat, seen)
        case ending.ClaimMade() as claim:
            return ending_claimed(state, event, claim, seen)
        case ending.ClaimRuled() if is_over:
            return _match_judged(_forgotten(state), seen), NOTHING
        case clock.ClockFlagNoticed():
            return replace(state, is_flagged=True), NOTHING
        case dispute.DisputeRaised(topic=topic) if topic == RESIGNATION_VALIDITY:
            return doubted(state, event, seen)
        case dispute.DirectorCalled(about=entry):
            if seen.score.revalued_at == event.version:
                state = _match_judged(state, seen, ruled=state.match)
            is_about = state.unasked is not None and entry in state.unasked.entries
            return doubted(state, event, seen) if is_about else (state, NOTHING)
        case _:
            return state, NOTHING


def _forgotten(state: Endings) -> Endings:
    """Nothing waits between games."""
    if state.offer is None and not state.is_flagged:
        return state
    return replace(state, offer=None, is_flagged=False)


def _borne_off(state: Endings, event: RecordedEvent, seen: Seen) -> Result:
    result = seen.score.games[-1]
    board = board_of(seen, result.winner)
    state = _match_judged(_forgotten(state), seen)
    if board is None or result.kind is None:
        return state, NOTHING
    facts = Finished(
        winner=result.winner,
        kind=result.kind.value,
        points=result.points,
        winners_checkers=sum(board.own),
        losers_checkers=sum(board.other),
    )
    answer = seen.rules.ask(GAME_VALUE, facts)
    state = replace(state, answer=answer)
    if facts.winners_checkers == facts.losers_checkers == CHECKERS:
        if _is_asked(state, GAME_VALUE):
            return state, NOTHING
        return state, _about_value(event, facts, answer, seen)
    message = said(
        "{winner} has borne off the last checker, having played with {own} {own:checker|checkers},"
        " and {loser} with {other}: each side should have fifteen",
        winner=result.winner,
        own=facts.winners_checkers,
        loser=result.winner.other,
        other=facts.losers_checkers,
    )
    if answer.is_open:
        message = said("{what}; what the game counts is for the Director to say", what=message)
    code, topic = "checkers-not-fifteen", "game.value"
    severity = Severity.IRREGULARITY if answer.is_open else Severity.NOTE
    return state, (judged(code, event, message, answer, topic, seen.rules, severity=severity),)


def _about_value(
    event: RecordedEvent, facts: Finished, answer: Answer, seen: Seen
) -> tuple[Finding, ...]:
    """A game won by bearing off, where the text does not say what it counts."""
    if not answer.is_open:
        return NOTHING
    message = said(
        "{winner} has borne off all checkers; what the game counts is for the Director to say"
        " (by the general rules: {kind})",
        winner=facts.winner,
        kind=Said(facts.kind),
    )
    note = Severity.NOTE
    return (judged("ending-open", event, message, answer, GAME_VALUE, seen.rules, severity=note),)


def _about_match(state: Endings, event: RecordedEvent, answer: Answer, seen: Seen) -> Result:
    """A score that reaches the length, where the text does not say that this ends the match."""
    winner = _winner(seen)
    if not answer.is_open or winner is None:
        return state, NOTHING
    if _is_asked(state, MATCH_END):
        # A game reopened by a ruling ends the match once more.
        return replace(state, match=_as_ruled_of_another(state, MATCH_END, answer)), NOTHING
    message = said(
        "{winner} has the points of the match; whether it is over by them is for the Director to"
        " say",
        winner=winner,
    )
    note = Severity.NOTE
    rules = seen.rules
    return state, (judged("ending-open", event, message, answer, MATCH_END, rules, severity=note),)


def _winner(seen: Seen) -> Seat | None:
    """Who has reached the length, with penalty points that enter the score.

    If both have and are level, it is the winner of the last game.
    """
    score, own = seen.score, seen.match_score
    if score.decided is not None:
        return score.decided
    if score.length is None or max(own) < score.length:
        return None
    if own.one == own.two:
        return score.games[-1].winner
    return ONE if own.one > own.two else TWO


def _score_after(seen: Seen) -> Mapping[str, int]:
    one, two = seen.match_score
    return {"one": one, "two": two}


def _match_judged(state: Endings, seen: Seen, ruled: Answer | None = None) -> Endings:
    """Whether the game that has just ended was the match's last.

    `ruled`: what was said of that game before it came to count otherwise; a ruling on it stays.
    """
    if seen.score.length is None:
        return state
    result = seen.score.games[-1]
    facts = Scored(
        winner=result.winner,
        points=result.points,
        score_after=_score_after(seen),
        is_won=_winner(seen) is not None,
    )
    answer = seen.rules.ask(MATCH_END, facts)
    if ruled is not None and ruled.ruled_at is not None:
        answer = answer.ruled(ruled.outcome, ruled.ruled_at)
    return replace(state, match=answer)


def _dropped(state: Endings, event: RecordedEvent, seen: Seen) -> Result:
    """A dropped double: the game is over, or that is a question if the text is not in hand."""
    result = seen.score.games[-1]
    facts = Dropped(winner=result.winner, points=result.points, score_after=_score_after(seen))
    answer = _as_ruled_of_another(state, GAME_DROPPED, seen.rules.ask(GAME_DROPPED, facts))
    was_asked = _is_asked(state, GAME_DROPPED)
    state = replace(_match_judged(_forgotten(state), seen), answer=answer)
    if was_asked or not answer.is_open:
        return state, NOTHING
    message = said(
        "{seat} drops the double of {winner}; whether the game is over by it is for the Director"
        " to say",
        seat=result.winner.other,
        winner=result.winner,
    )
    note = Severity.NOTE
    rules = seen.rules
    return state, (
        judged("ending-open", event, message, answer, GAME_DROPPED, rules, severity=note),
    )


def _is_asked(state: Endings, topic: str) -> bool:
    """Whether a question that every such game would raise was asked in this match already.

    Nobody at the table doubts it; asked at every game, it would bury the real questions.
    """
    return bool(_of_others(state, topic))


def _of_others(state: Endings, about: str) -> list[Answer]:
    """The answers on a topic so far, without drops after which the game went on."""
    return [
        one
        for (topic, _, _), one in state.asked.items()
        if topic == about and one.outcome != PLAY_ON
    ]


def _as_ruled_of_another(state: Endings, about: str, answer: Answer) -> Answer:
    """Apply an earlier ruling of this match on drops, or on its end, to the next one."""
    made = _of_others(state, about)
    ruled_at = made[-1].ruled_at if made else None
    return answer if ruled_at is None else answer.ruled(made[-1].outcome, ruled_at)


def _given_away(state: Endings, event: RecordedEvent, seen: Seen) -> Result:
    """A resignation that was accepted, or a claim that the opponent grants."""
    concession = seen.score.concession
    assert concession is not None  # the score has kept it at this event
    offered = concession.offer.entry_id if state.offer is None else state.offer.entry_id
    if seen.score.ended_at == event.version:
        state = _match_judged(_forgotten(state), seen)
    return conceded(replace(state, offer=None), event, concession, offered, seen)


_HEARS: tuple[type[Payload], ...] = (
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    match.GameStarted,
    match.GameWon,
    cube.DoubleDropped,
    ending.ResignationOffered,
    ending.ResignationAccepted,
    ending.ResignationRefused,
    ending.ClaimMade,
    ending.ClaimRuled,
    clock.ClockFlagNoticed,
    dispute.DisputeRaised,
    dispute.DirectorCalled,
    dispute.RulingMade,
)

FOLD = Fold(Endings, *(on(kind, evolve, only_at_end=kind is play.PlayMade) for kind in _HEARS))
"""The fold of endings."""
