"""The match played to a wrong length: what the rule set makes of it at its discovery and after."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import attendance, cube, dispute, ending, match, penalty, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, alike, as_ruled, taken_in
from projections.folding.sayings import Said, said, worded
from projections.judging.wrong_length import (
    OUTCOME,
    SHEETS,
    Discovery,
    MatchLength,
    facts_of,
    points_of,
)
from projections.rules.answers import Answer
from projections.rules.subjects import match_length as rules_of_length

Result = tuple[MatchLength, tuple[Finding, ...]]

SANCTION = "match-length.sanction"
"""Topic: what a wrong length that was agreed on costs."""
CRAWFORD = "match-length.crawford"
"""Topic: whether the Crawford game is still to come."""
CUBE = "match-length.cube"
"""Topic: by which length the cube may be turned in the game that is completed."""

_BESIDE = {
    "sanction": (
        "wrong-length-agreed",
        SANCTION,
        said(
            "both players had agreed on the wrong length;"
            " whether they are penalised is for the Director to decide"
        ),
    ),
    "crawford_phase": (
        "wrong-length-crawford",
        CRAWFORD,
        said(
            "the first game with one side a point away was played with the cube;"
            " whether the Crawford game is still to come is for the Director to decide"
        ),
    ),
}
"""Questions beside the answer: code, topic, message."""


def evolve(state: MatchLength, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    new, findings = _evolved(state, event, payload, seen)
    is_moved = event.version in (seen.score.reopened_at, seen.score.revalued_at)
    if state.found is not None and is_moved:
        new, more = _recounted(new, event, seen)
        findings = (*findings, *more)
    return new, findings


def _evolved(state: MatchLength, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    match payload:
        case match.MatchLengthErrorFound() as error:
            return _found(state, event, error, seen)
        case match.MatchOpened(length=int(opened), draw_sheet_length=int(length)):
            return (state, NOTHING) if opened == length else _opened(event, opened, length, seen)
        case match.MatchEnded(winner=winner):
            return _ended(state, event, winner, seen), NOTHING
        case match.ResultPosted(winner=Seat() as winner):
            return replace(state, reported=winner), NOTHING
        case match.MatchLengthBelieved() as believed:
            return _believed(state, event, believed, seen)
        case match.MatchNextStarted(seats=seats, next=following) if seats:
            # Of a knock-out one player alone goes on.
            is_round = state.is_next_round or following is match.NextMatch.NEXT_ROUND
            new = replace(state, next_began=True, is_next_round=is_round)
            return (state if state == new else new), NOTHING
        case cube.CubeStated() | cube.DoubleOffered():
            return _cube_in_play(state, event, seen)
        case dispute.RulingMade(answers=answers) if answers:
            state = _sheets_ruled(state, seen)
            if state.found is None:
                return state, NOTHING
            state = replace(state, asked=taken_in(state.asked, seen))
            is_about = any(answer.question.topic in _HANGS_ON for answer in answers)
            return _judged(state, event, seen) if is_about else (state, NOTHING)
        case _ if isinstance(payload, _ON_POINTS) and state.found is not None:
            points = points_of(seen)
            if points == state.points:
                return state, NOTHING
            if isinstance(payload, _DRAWING) and not seen.outcome.is_open:
                # A match that is won stays won, whatever points are drawn after it.
                return replace(state, points=points), NOTHING
            return _judged(state, event, seen)
        case match.ScoreStated() | dispute.RulingCarriedOut(score=BySeat()):
            if state.found is None:
                return state, NOTHING
            new = _with_score(state, seen)
            return (new, NOTHING) if _is_as_judged(state, seen) else _judged(new, event, seen)
        case _ if state.awaits_end and seen.score.ended_at == event.version:
            return _judged(_with_score(replace(state, is_pending=False), seen), event, seen)
        case _:
            return state, NOTHING


_DRAWING = (
    penalty.PenaltyAssessed,
    attendance.PlayerArrived,
    attendance.DelayNoted,
    attendance.BreakEnded,
)
"""Payloads that may add penalty points."""

_ON_POINTS = (*_DRAWING, penalty.PenaltyWaived, attendance.DelayExcused)
"""Payloads that may change penalty points."""


def _with_score(state: MatchLength, seen: Seen) -> MatchLength:
    """The state with the score as it is now, all games that are over in it."""
    games = seen.score.games
    return replace(state, score=seen.score.score, counted=games[-1].number if games else 0)


def _recounted(state: MatchLength, event: RecordedEvent, seen: Seen) -> Result:
    """A game that was counted goes on, or counts differently: another score has to be judged."""
    score, found = seen.score.score, state.found
    for game in seen.score.games:
        if game.number > state.counted:
            score = score.put(game.winner, max(0, score[game.winner] - game.points))
    if score == state.score or found is None:
        return state, NOTHING
    if found.score == state.score:
        found = replace(found, score=score)
    is_pending = state.is_pending or (seen.flow.in_game and seen.score.reopened_at == event.version)
    return _judged(replace(state, score=score, found=found, is_pending=is_pending), event, seen)


def _is_as_judged(state: MatchLength, seen: Seen) -> bool:
    """Whether the score, with penalty points, is the one that was judged last."""
    added = None if state.facts is None else state.facts.entering
    return (seen.score.score, seen.penalties.beyond_stated) == (state.score, added)


_HANGS_ON = frozenset({OUTCOME, SANCTION, CRAWFORD, "penalties.points", "penalties.score"})
"""Topics of rulings that may change what was answered."""


def _opened(event: RecordedEvent, opened: int, length: int, seen: Seen) -> Result:
    """A match that the draw sheet has to another length: one of the two is wrong."""
    state = MatchLength(draw_sheet=length)
    answer = seen.rules.ask(
        rules_of_length.SHEETS, rules_of_length.SheetFacts(opened=opened, draw_sheet=length)
    )
    if answer.readings != rules_of_length.LENGTHS:
        # No text but one speaks of the draw sheet: the posted length is the one on record.
        message = said(
            "the match is opened to {opened} {opened:point|points}, "
            "and the draw sheet has it to {length}: "
            "one of the two is wrong, and {opened} is taken to be right",
            opened=opened,
            length=length,
        )
        cite = seen.rules.cite(rules_of_length.SUBJECT)
        return state, (found("length-differs", event, message, cite=cite),)
    message = said(
        "the match is opened to {opened} {opened:point|points}, "
        "and the draw sheet has it to {length}; "
        "which of the two was agreed on is for the Director to decide",
        opened=opened,
        length=length,
    )
    state = replace(state, sheets_asked=Asked(SHEETS, event.entry_id, answer))
    return state, (judged("length-differs", event, message, answer, SHEETS, seen.rules),)


def _sheets_ruled(state: MatchLength, seen: Seen) -> MatchLength:
    """Which length was agreed on, by ruling."""
    asked = state.sheets_asked
    if asked is None or (now := asked.ruled(seen)) is asked:
        return state
    return replace(state, sheets_asked=now)


def _ended(
    state: MatchLength, event: RecordedEvent, winner: Seat | None, seen: Seen
) -> MatchLength:
    """The match is said to be over: by both, or before somebody who watched both.

    Who believed in the same wrong length, reached it and stopped, assumed the match to be over. One
    side's word says nothing about what the other assumed.
    """
    length = state.believed.one
    is_seen = event.basis is Basis.OBSERVED and not seen.flow.in_game
    is_reached = (
        length is not None
        and length == state.believed.two
        and max(seen.match_score) >= length
        and not seen.flow.in_game
    )
    new = replace(
        state,
        thought_over=state.thought_over or event.basis.settles or (is_seen and is_reached),
        end_seen=state.end_seen or is_seen,
        reported=winner or state.reported,
    )
    return state if new == state else new


def _believed(
    state: MatchLength, event: RecordedEvent, believed: match.MatchLengthBelieved, seen: Seen
) -> Result:
    """The length that a player believes the match has: a finding if it is not the posted one."""
    seat, length = believed.seat, believed.length
    state = replace(
        state,
        believed=state.believed.put(seat, length),
        sheets=state.sheets.put(seat, believed.sheet is not None),
    )
    if state.found is not None:
        return _judged(state, event, seen)
    posted = seen.score.length
    if posted in (None, length):
        return state, NOTHING
    message = said(
        "{seat} believes that the match is to {length} {length:point|points}; "
        "the posted length is {posted}",
        seat=seat,
        length=length,
        posted=posted,
    )
    cite = seen.rules.cite(rules_of_length.SUBJECT)
    finding = found("length-believed", event, message, cite=cite, seat=seat, severity=Severity.NOTE)
    return state, (finding,)


def _found(
    state: MatchLength, event: RecordedEvent, error: match.MatchLengthErrorFound, seen: Seen
) -> Result:
    discovery = Discovery(
        correct=error.correct,
        wrong=error.wrong,
        score=seen.score.score,
        had_reached=max(seen.match_score) >= error.wrong,
        during_game=error.during_game or seen.flow.in_game,
        knowingly=bool(error.knowingly),
        thought_over=state.thought_over,
        next_began=state.next_began,
        is_next_round=state.is_next_round,
    )
    is_pending = seen.flow.in_game
    new = _with_score(replace(state, found=discovery, is_pending=is_pending), seen)
    new, findings = _judged(new, event, seen)
    if is_pending and state.doubled_in == seen.score.game_number:
        for seat, value in state.doubles:
            new, more = _doubled(new, event, seat, value, seen)
            findings += more
    return new, findings


def _judged(state: MatchLength, event: RecordedEvent, seen: Seen) -> Result:
    """The answer to the facts as they are now, with findings."""
    facts = facts_of(state, seen)
    answer = seen.rules.ask(rules_of_length.SUBJECT, facts)
    also = {
        name: as_ruled(question, alike(state.asked, _BESIDE[name][1], question), seen)
        for name, question in answer.also.items()
    }
    answer = as_ruled(answer, alike(state.asked, OUTCOME, answer), seen)
    answer = replace(answer, also=MappingProxyType(also))
    awaits_end = state.is_pending or answer.outcome == "one_more_game"
    before, score = state.answer, rules_of_length.own_score(facts)
    state = replace(
        state, answer=answer, awaits_end=awaits_end, facts=facts, points=points_of(seen)
    )
    findings: tuple[Finding, ...] = ()
    if before is None or _without_beside(answer) != _without_beside(before):
        message = said(
            "the match was posted to {correct} {correct:point|points} and played to {wrong}; "
            "at {score}: {answer}",
            correct=facts.correct,
            wrong=facts.wrong,
            score=f"{score.one}-{score.two}",
            answer=_in_words(answer),
        )
        state, findings = _told("wrong-length", event, message, answer, OUTCOME, state, seen)
    for name, question in also.items():
        if question.is_open:
            code, topic, message = _BESIDE[name]
            state, more = _told(code, event, message, question, topic, state, seen)
            findings += more
    return state, findings


def _without_beside(answer: Answer) -> Answer:
    """The answer alone: questions beside it are told by themselves."""
    return replace(answer, also=MappingProxyType({}))


def _told(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    state: MatchLength,
    seen: Seen,
) -> Result:
    """What is said about an answer; a question is asked once."""
    if answer.is_open:
        if alike(state.asked, topic, answer):
            return state, NOTHING
        state = replace(
            state, asked=(*state.asked, Asked(topic, event.entry_id, _without_beside(answer)))
        )
    return state, (judged(code, event, message, answer, topic, seen.rules),)


def _cube_in_play(state: MatchLength, event: RecordedEvent, seen: Seen) -> Result:
    """A cube on the table where the posted length has none, or a double that asks for a length."""
    if not seen.flow.in_game:
        return state, NOTHING
    findings = NOTHING
    if isinstance(event.payload, cube.DoubleOffered):
        seat, value, number = event.payload.seat, seen.cube.value, seen.score.game_number
        if state.is_pending:
            state, findings = _doubled(state, event, seat, value, seen)
        elif state.found is None:
            before = state.doubles if state.doubled_in == number else ()
            state = replace(state, doubles=(*before, (seat, value)), doubled_in=number)
    if seen.score.is_crawford_game and not state.cube_in_crawford:
        return replace(state, cube_in_crawford=True), findings
    return state, findings


def _doubled(
    state: MatchLength,
    event: RecordedEvent,
    seat: Seat,
    value: int,
    seen: Seen,
) -> Result:
    """A double in the game that is completed: may it be made by both lengths, or by one alone?

    `value` is the cube's before it.
    """
    facts = facts_of(state, seen)
    # If the text itself says who has won after the game, that decides whether the cube is dead.
    is_said = state.is_won_by(seat, value, seen.rules) is not None
    correct, wrong = (
        _bars(length, facts, seat, value, seen, is_said=is_said)
        for length in (facts.correct, facts.wrong)
    )
    if correct == wrong:
        return state, NOTHING
    answer = seen.rules.ask(rules_of_length.CUBE, facts)
    message = said(
        "{seat} has doubled, and whether that was allowed hangs on the length: "
        "{correct} {correct:point was|points were} posted, it is played to {wrong}",
        seat=seat,
        correct=facts.correct,
        wrong=facts.wrong,
    )
    return _told("wrong-length-cube", event, message, answer, CUBE, state, seen)


def _bars(
    length: int,
    facts: rules_of_length.LengthFacts,
    seat: Seat,
    value: int,
    seen: Seen,
    *,
    is_said: bool,
) -> bool:
    """Whether, by this length, the cube is out of play, or of no use where no text says it."""
    score = rules_of_length.own_score(facts)
    one_away = (score.one == length - 1) != (score.two == length - 1)
    is_crawford = one_away and not seen.score.crawford_played and seen.rules.is_on("crawford")
    return is_crawford or (not is_said and score[seat] + value >= length)


def _in_words(answer: Answer) -> Said:
    match answer.outcome:
        case "match_won":
            winner = answer.details.get("winner")
            if winner is None:
                return said("the result stands")
            return said("{winner} has won", winner=winner)
        case "one_more_game":
            return said("one more game decides")
        case "continue":
            return said("the match goes on to {points}", points=answer.details["to_points"])
        case "ruling_required":
            return said("what becomes of the match is for the Director to decide")
        case reading if answer.ruled_at is not None:
            return said("the Director has ruled: {reading}", reading=worded(reading))
        case other if other.startswith("complete"):
            return said("the game in progress is completed first")
        case other if other.startswith("replay"):
            return said("the game in progress is played again from its start")
        case other:
            return worded(other)


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    match.MatchLengthBelieved,
    match.MatchLengthErrorFound,
    match.MatchEnded,
    match.MatchNextStarted,
    match.ResultPosted,
    match.ScoreStated,
    match.GameWon,
    cube.CubeStated,
    cube.DoubleOffered,
    cube.DoubleDropped,
    cube.CubeActionVoided,
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    ending.ResignationAccepted,
    ending.ClaimMade,
    ending.ClaimRuled,
    *_ON_POINTS,
    dispute.DirectorCalled,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)

FOLD = Fold(MatchLength, *(on(kind, evolve, only_at_end=kind is play.PlayMade) for kind in _HEARS))
"""The fold of match_length."""
