"""The match played to a wrong length: what the rule set makes of it at its discovery and after."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import cube, dispute, ending, match, play
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.findings import Finding, Severity, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules import match_length as rules_of_length
from projections.rules.answers import Answer
from projections.rules.profile import Rules

OUTCOME = "match-length.outcome"
"""Topic: what becomes of the match, and of the game in progress."""
SANCTION = "match-length.sanction"
"""Topic: what a wrong length that was agreed on costs."""
CRAWFORD = "match-length.crawford"
"""Topic: whether the Crawford game is still to come."""
CUBE = "match-length.cube"
"""Topic: by which length the cube may be turned in the game that is completed."""

_BESIDE = {
    "sanction": ("wrong-length-agreed", SANCTION, "both had agreed on the wrong length"),
    "crawford_phase": (
        "wrong-length-crawford",
        CRAWFORD,
        "the first game with one side a point away was played with the cube",
    ),
}
"""Questions beside the answer: code, topic, message."""


class Discovery(msgspec.Struct, frozen=True, gc=False):
    """The wrong length as it was found."""

    correct: int
    """The posted length."""
    wrong: int
    """The length played to."""
    score: BySeat[int]
    """The score when it was found."""
    during_game: bool
    """Whether a game was in progress."""
    knowingly: bool
    """Whether both had agreed on it."""
    thought_over: bool
    """Whether both had assumed the end of the match."""
    next_began: bool
    """Whether a player had begun the next match."""


class MatchLength(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    found: Discovery | None = None
    """The wrong length; None while nobody has found one."""
    awaits_end: bool = False
    """Whether the answer waits for the end of a game: the one in progress, or the deciding one."""
    is_pending: bool = False
    """Whether the game in which it was found is still in progress."""
    asked_at: tuple[str, ...] = ()
    """Entries at which the outcome was asked."""
    draw_sheet: int | None = None
    """The length on the draw sheet, where it differs from the posted one."""
    thought_over: bool = False
    """Whether both assumed the end of the match."""
    reported: Seat | None = None
    """Who was said to have won it."""
    next_began: bool = False
    """Whether a player has begun the next match."""
    cube_in_crawford: bool = False
    """Whether the cube was in play in what the posted length makes the Crawford game."""


def evolve(
    state: MatchLength, event: RecordedEvent, seen: Seen
) -> tuple[MatchLength, tuple[Finding, ...]]:
    """The judgements after one event."""
    if not state.awaits_end and type(event.payload) is play.PlayMade:
        # Nearly every event; a look at its class costs half of what the match below does.
        return state, NOTHING
    match event.payload:
        case match.MatchLengthErrorFound() as error:
            return _found(state, event, error, seen)
        case match.MatchOpened(draw_sheet_length=int(length)):
            return replace(state, draw_sheet=length), NOTHING
        case match.MatchEnded(winner=winner):
            # One side's word says nothing about what the other assumed.
            over = state.thought_over or event.basis.settles
            new = replace(state, thought_over=over, reported=winner or state.reported)
            return (state if new == state else new), NOTHING
        case match.ResultPosted(winner=Seat() as winner):
            return replace(state, reported=winner), NOTHING
        case match.MatchNextStarted(seats=seats) if seats:
            return (state if state.next_began else replace(state, next_began=True)), NOTHING
        case cube.CubeStated() | cube.DoubleOffered():
            return _cube_in_play(state, event, seen)
        case dispute.RulingMade(answers=answers) if state.asked_at:
            if not any(answer.question.topic == OUTCOME for answer in answers):
                return state, NOTHING
            return _judged(state, event, seen)
        case _ if state.awaits_end and seen.score.ended_at == event.version:
            return _judged(replace(state, is_pending=False), event, seen)
        case _:
            return state, NOTHING


def _found(
    state: MatchLength, event: RecordedEvent, error: match.MatchLengthErrorFound, seen: Seen
) -> tuple[MatchLength, tuple[Finding, ...]]:
    discovery = Discovery(
        correct=error.correct,
        wrong=error.wrong,
        score=seen.score.score,
        during_game=error.during_game or seen.flow.in_game,
        knowingly=bool(error.knowingly),
        thought_over=state.thought_over,
        next_began=state.next_began,
    )
    return _judged(replace(state, found=discovery, is_pending=seen.flow.in_game), event, seen)


def _judged(
    state: MatchLength, event: RecordedEvent, seen: Seen
) -> tuple[MatchLength, tuple[Finding, ...]]:
    """The answer to the facts as they are now, and what is to be said about it."""
    facts = _facts(state, seen)
    answer = seen.rules.ask(rules_of_length.SUBJECT, facts)
    awaits_end = state.is_pending or answer.outcome == "one_more_game"
    if answer == state.answer:
        return replace(state, awaits_end=awaits_end), NOTHING
    message = (
        f"posted to {facts.correct}, played to {facts.wrong}, "
        f"{facts.score.one}-{facts.score.two}: {_in_words(answer)}"
    )
    findings = [_said("wrong-length", event, message, answer, OUTCOME, seen)]
    for name, question in answer.also.items():
        code, topic, said = _BESIDE[name]
        findings.append(_said(code, event, said, question, topic, seen))
    new = replace(
        state,
        answer=answer,
        awaits_end=awaits_end,
        asked_at=(*state.asked_at, event.entry_id) if answer.is_open else state.asked_at,
    )
    return new, tuple(findings)


def _facts(state: MatchLength, seen: Seen) -> rules_of_length.LengthFacts:
    found = state.found
    assert found is not None, "nothing is judged before a wrong length is found"
    answers = seen.rulings.answers
    ordered = [
        answers[OUTCOME, entry_id, None].reading
        for entry_id in state.asked_at
        if (OUTCOME, entry_id, None) in answers
    ]
    return rules_of_length.LengthFacts(
        correct=found.correct,
        wrong=found.wrong,
        score=seen.score.score,
        score_found=found.score,
        draw_sheet=state.draw_sheet,
        during_game=found.during_game,
        is_pending=state.is_pending,
        thought_over=found.thought_over,
        reported=state.reported,
        next_began=found.next_began,
        knowingly=found.knowingly,
        cube_in_crawford=state.cube_in_crawford,
        undecided=seen.penalties.undecided,
        entering=seen.penalties.entering,
        ordered=ordered[-1] if ordered else None,
    )


def _cube_in_play(
    state: MatchLength, event: RecordedEvent, seen: Seen
) -> tuple[MatchLength, tuple[Finding, ...]]:
    """A cube on the table where the posted length has none, or a double that asks for a length."""
    if not seen.flow.in_game:
        return state, NOTHING
    findings = NOTHING
    if state.is_pending and isinstance(event.payload, cube.DoubleOffered):
        findings = _doubled(state, event, event.payload.seat, seen)
    if seen.score.is_crawford_game and not state.cube_in_crawford:
        return replace(state, cube_in_crawford=True), findings
    return state, findings


def _doubled(
    state: MatchLength, event: RecordedEvent, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """A double in the game that is completed: may it be made by both lengths, or by one alone?"""
    facts = _facts(state, seen)
    if _bars(facts.correct, facts, seat, seen) == _bars(facts.wrong, facts, seat, seen):
        return NOTHING
    answer = seen.rules.ask(rules_of_length.CUBE, facts)
    message = f"a double that {facts.correct} points allow and {facts.wrong} do not, or the reverse"
    return (_said("wrong-length-cube", event, message, answer, CUBE, seen),)


def _bars(length: int, facts: rules_of_length.LengthFacts, seat: Seat, seen: Seen) -> bool:
    """Whether, by this length, the cube is out of play or of no use to `seat`."""
    score = facts.score
    one_away = (score.one == length - 1) != (score.two == length - 1)
    is_crawford = one_away and not seen.score.crawford_played and seen.rules.is_on("crawford")
    value: int = seen.cube.value
    return is_crawford or score[seat] + value >= length


def _said(
    code: str, event: RecordedEvent, message: str, answer: Answer, topic: str, seen: Seen
) -> Finding:
    return judged(
        code,
        event,
        message,
        answer=answer,
        rule_set=seen.rules.profile.id,
        topic=topic,
        severity=Severity.IRREGULARITY,
    )


def _in_words(answer: Answer) -> str:
    match answer.outcome:
        case "match_won":
            winner = answer.details.get("winner")
            return "the result stands" if winner is None else f"{winner.value} has won"
        case "one_more_game":
            return "one more game decides"
        case "continue":
            return f"the match goes on to {answer.details['to_points']}"
        case "ruling_required":
            return "what becomes of the match is for a person to decide"
        case other:
            return f"{other.partition('_')[0]} the game in progress first"


_HEARS: tuple[type[Payload], ...] = (
    match.MatchOpened,
    match.MatchLengthErrorFound,
    match.MatchEnded,
    match.MatchNextStarted,
    match.ResultPosted,
    match.GameWon,
    cube.CubeStated,
    cube.DoubleOffered,
    cube.DoubleDropped,
    play.PlayMade,
    play.PlayRevised,
    play.PlayCorrected,
    ending.ResignationAccepted,
    dispute.RulingMade,
    dispute.RulingCarriedOut,
)


def initial(rules: Rules) -> MatchLength:
    """Nothing judged."""
    return MatchLength()


FOLD: Fold[MatchLength] = Fold("match_length", _HEARS, initial, evolve)
"""The fold of match_length."""
