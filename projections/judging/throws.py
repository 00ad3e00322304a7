"""The dice: every throw judged under the rule set, and each player's re-rolls counted.

A throw of which nobody recorded how it was made or came to rest is not judged: it is what the table
says. The table's call stands for the other folds in any case; this one says what the text says.
A question belongs to the throw: it is asked once, and a Director's ruling settles it for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dice, dispute, equipment
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, Seat
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep, on
from projections.folding.questions import ruled
from projections.folding.sayings import Said, said, worded
from projections.judging.observed import die_of, flaws, is_through_box
from projections.judging.phrases import cause_of
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects.dice import (
    BOTH,
    DICE_DIE,
    DICE_THROW,
    INVALID,
    PENDING,
    THAT_DIE,
    VALID,
    Thrown,
    validity,
    with_question,
)

Result = tuple["Throws", tuple[Finding, ...]]

Rerolls = Mapping[tuple[Seat | None, str], int]
"""How often by seat (None = both, or unknown) and the reason that the table called."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What is said to one throw, and where a question about it was asked."""

    at: str
    """The entry at which the throw was judged: with topic and seat the key of its questions."""
    seat: Seat | None
    """Who threw; None = both, on an opening roll, or unknown."""
    answer: Answer
    """The verdict on the throw."""
    dice: tuple[Answer, ...] = ()
    """The verdict on each die of it that was observed."""

    @property
    def is_question(self) -> bool:
        """Whether a person has to rule on the throw, or on what is thrown again."""
        return self.answer.is_open or any(beside.is_open for beside in self.answer.also.values())


class Throws(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest verdict on a throw; None while there is none, and for an unobserved early roll."""
    dice: tuple[Answer, ...] = ()
    """The verdict on each die of that throw that was observed."""
    at: str | None = None
    """The entry at which that throw was judged."""
    seat: Seat | None = None
    """Who threw it, as the verdict says it."""
    questions: Mapping[str, Verdict] = MappingProxyType({})
    """Verdicts by which a person had to rule, by the entry of the throw; as ruled since."""
    rerolls: Rerolls = MappingProxyType({})
    """Throws that were made again, opening ties apart."""
    ties: int = 0
    """Opening rolls of the match that showed the same face twice."""
    box_half: str | None = None
    """Half in which a baffle box was agreed to stand; None = no box, or not recorded where."""
    has_box: bool = False
    """Whether a baffle box was agreed on by both, or ordered; one player alone may wish for one."""


_ROLLED = dice.Rolled

_Throw = dice.Rolled | dice.OpeningRolled | dice.RolledEarly


def evolve(state: Throws, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    if type(payload) is _ROLLED and not payload.observations and payload.throw is None:
        # Nearly every roll: nobody says how the dice lay.
        return state, NOTHING
    match payload:
        case dice.Rolled(seat=seat):
            verdict = _judged(payload, event, seat, seen)
            return _with(state, verdict), _counted(verdict, event, seen)
        case dice.OpeningRolled():
            return _opening(state, event, payload, seen)
        case dice.Voided():
            return _voided(state, event, payload, seen)
        case dice.RolledEarly(seat=seat):
            return _early(state, event, payload, seat, seen)
        case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE, seat=answerer):
            roller = None if answerer is None else answerer.other
            return _again(state, roller, dice.VoidReason.PREMATURE), NOTHING
        case equipment.EquipmentAgreed(item="baffle_box", half=half, by=by):
            has_box = by is None or by.seat is None
            return replace(state, box_half=half, has_box=has_box), NOTHING
        case (
            equipment.EquipmentChanged(item="baffle_box")
            | equipment.AgreementEnded(item="baffle_box")
        ):
            return replace(state, box_half=None, has_box=False), NOTHING
        case dispute.RulingMade():
            return _as_ruled(state, seen), NOTHING
        case _:
            return state, NOTHING


def _opening(state: Throws, event: RecordedEvent, rolled: dice.OpeningRolled, seen: Seen) -> Result:
    if not seen.flow.in_game:
        return state, NOTHING
    is_tie = rolled.one == rolled.two
    if is_tie:
        state = replace(state, ties=state.ties + 1)
    elif not rolled.observations and rolled.throw is None:
        return state, NOTHING
    verdict = _judged(rolled, event, None, seen, is_opening=True, is_tie=is_tie)
    question = seen.cube.automatic
    if verdict.answer.outcome == "opening_tie" and question is not None and question.is_open:
        answer = with_question(verdict.answer, "cube_value", question)
        verdict = replace(verdict, answer=answer)
    findings = NOTHING
    if rolled.observations or rolled.throw is not None:
        findings = _counted(verdict, event, seen)
    return _with(state, verdict), findings


def _early(
    state: Throws, event: RecordedEvent, rolled: dice.RolledEarly, seat: Seat, seen: Seen
) -> Result:
    """How an early roll came to rest; whether it was early is the premature fold's question."""
    if not seen.flow.in_game:
        return state, NOTHING
    if not rolled.observations and rolled.throw is None:
        return replace(state, answer=None, dice=(), at=None, seat=None), NOTHING
    verdict = _judged(rolled, event, seat, seen)
    return _with(state, verdict), _counted(verdict, event, seen)


def _voided(state: Throws, event: RecordedEvent, voided: dice.Voided, seen: Seen) -> Result:
    """The table's call, beside what the text says to the same dice."""
    step = seen.step_of(voided.target) if voided.target else None
    target = None if step is None else step.event.payload
    is_opening = isinstance(target, dice.OpeningRolled) or (
        target is None
        and voided.seat is None
        and (seen.flow.awaits_opening or voided.reason is dice.VoidReason.OPENING)
    )
    seat = voided.seat or getattr(target, "seat", None) or _SEATS.get(voided.scope)
    state = _again(state, seat, voided.reason)
    if voided.reason is dice.VoidReason.PREMATURE and step is not None:
        return state, _in_time(step, event, seen)
    asked = state.questions.get(voided.target or "")
    if asked is not None:
        return _showing(state, asked), _called(asked, event, voided, seen)
    is_observed = bool(voided.observations) or voided.throw is not None
    thrown = target if isinstance(target, _Throw) and not is_observed else voided
    if not thrown.observations and thrown.throw is None:
        return state, _called_for_nothing(event, voided, seat, seen)
    verdict = _judged(thrown, event, seat, seen, is_opening=is_opening)
    findings = _called(verdict, event, voided, seen)
    return _with(state, verdict, throw=voided.target), findings


_ON_CHECKER = dice.Observation(
    at_rest="natural",
    location="playing_field",
    baffle_box=False,
    rolled_side="right",
    rest_side="right",
    first_contact="field",
    left_board_and_returned="none",
    rests_on=("checker_a",),
    supported_by=(),
    balanced_on="none",
    tilt="flat",
    tilt_cause="none",
)
"""A die of which nothing is out of the ordinary, but that it lies on a checker."""


def _called_for_nothing(
    event: RecordedEvent, voided: dice.Voided, seat: Seat | None, seen: Seen
) -> tuple[Finding, ...]:
    """A throw of which nothing was recorded but why it was called void, which is no reason."""
    is_ruled = event.basis is Basis.RULED or voided.caller is Actor.DIRECTOR
    if voided.reason is not dice.VoidReason.ON_CHECKER or is_ruled:
        # What the Director has looked at is not weighed by a word for it.
        return NOTHING
    answer = seen.rules.ask(DICE_DIE, die_of(_ON_CHECKER, None, None))
    if answer.is_open or answer.outcome != VALID:
        return NOTHING
    message = said(
        "{throw} is called void because a die lies on a checker, and by the rules that alone "
        "does not make it void",
        throw=_of(seat),
    )
    return (_found("throw-voided", event, message, answer, seat, seen.rules),)


def _in_time(step: SeenStep, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """A roll called premature, where what was done before it had ended the opponent's turn."""
    thrown, was = step.event.payload, step.before
    if not isinstance(thrown, dice.Rolled):
        return NOTHING
    player = thrown.seat.other
    end = was.judged.premature.end_of_turn(was.score.game_number, was.flow.turn_number, player)
    if end is None or end.is_open:
        return NOTHING
    message = said(
        "the throw of {seat} is called void ({reason}), and by the rules the turn of {player} "
        "was over",
        seat=thrown.seat,
        reason=Said(dice.VoidReason.PREMATURE.value),
        player=player,
    )
    return (_found("throw-voided", event, message, end, thrown.seat, seen.rules),)


_SEATS = {dice.VoidScope.DIE_OF_ONE: ONE, dice.VoidScope.DIE_OF_TWO: TWO}
_SCOPES = {
    dice.VoidScope.BOTH: "both",
    dice.VoidScope.DIE_OF_ONE: "seat_one",
    dice.VoidScope.DIE_OF_TWO: "seat_two",
}


def _again(state: Throws, seat: Seat | None, reason: dice.VoidReason) -> Throws:
    """One more re-roll."""
    key = (seat, reason.value)
    rerolls = {**state.rerolls, key: state.rerolls.get(key, 0) + 1}
    return replace(state, rerolls=MappingProxyType(rerolls))


def _with(state: Throws, verdict: Verdict, throw: str | None = None) -> Throws:
    """The state after a verdict; a question is kept under the throw that it is about."""
    state = _showing(state, verdict)
    if not verdict.is_question:
        return state
    questions = MappingProxyType({**state.questions, throw or verdict.at: verdict})
    return replace(state, questions=questions)


def _showing(state: Throws, verdict: Verdict) -> Throws:
    """The state with a verdict as the latest."""
    answer, verdicts = verdict.answer, verdict.dice
    return replace(state, answer=answer, dice=verdicts, at=verdict.at, seat=verdict.seat)


# What a Director rules.

_VALIDITY = "dice.validity"
_TOPICS = {"reroll": "dice.reroll", "cube_value": "cube.automatic"}
"""Topics of the questions beside a verdict, by the name of what they leave open."""


def _as_ruled(state: Throws, seen: Seen) -> Throws:
    """The verdicts with the readings that were chosen."""
    if not state.questions:
        return state
    questions = {throw: _ruled(verdict, seen) for throw, verdict in state.questions.items()}
    new = replace(state, questions=MappingProxyType(questions))
    if state.answer is not None and state.at is not None:
        last = Verdict(state.at, state.seat, state.answer, state.dice)
        new = _showing(new, _ruled(last, seen))
    return state if new == state else new


def _ruled(verdict: Verdict, seen: Seen) -> Verdict:
    at, seat = verdict.at, verdict.seat
    answer = ruled(verdict.answer, seen, _VALIDITY, at, seat)
    # Who rules on a throw has ruled on its dice.
    verdicts = tuple(ruled(die, seen, _VALIDITY, at, seat) for die in verdict.dice)
    beside = {
        name: ruled(question, seen, _TOPICS[name], at, seat)
        for name, question in answer.also.items()
    }
    answer = replace(answer, also=MappingProxyType(beside)) if beside else answer
    return replace(verdict, answer=answer, dice=verdicts)


# The dice, as the rule sets ask about them.


def _judged(
    thrown: _Throw | dice.Voided,
    event: RecordedEvent,
    seat: Seat | None,
    seen: Seen,
    *,
    is_opening: bool = False,
    is_tie: bool = False,
) -> Verdict:
    """The verdict on each die, and on the throw."""
    rules = seen.rules
    half = seen.throws.box_half
    permitted = seen.sides.half_of(seat, seen.score.game_number)
    seen_dice = [die_of(observed, half, permitted) for observed in thrown.observations]
    verdicts = tuple(rules.ask(DICE_DIE, die) for die in seen_dice)
    throw = thrown.throw
    facts = Thrown(
        verdicts,
        is_opening,
        is_tie,
        any(die.in_box for die in seen_dice) or is_through_box(throw),
        seen.throws.has_box,
        () if throw is None else flaws(throw),
    )
    return Verdict(event.entry_id, seat, rules.ask(DICE_THROW, facts), verdicts)


# What the table called, beside the answer.


def _counted(verdict: Verdict, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """What is to be said about a throw that the table counted."""
    answer, seat = verdict.answer, verdict.seat
    rules = seen.rules
    if answer.outcome == PENDING:
        message = said("{throw} is read before the dice have come to rest", throw=_of(seat))
        return (_found("throw-not-at-rest", event, message, answer, seat, rules),)
    if answer.is_open:
        return (_doubt(answer, event, seat, rules),)
    if answer.outcome != INVALID:
        return NOTHING
    message = said(
        "{throw} is recorded as one that counts, and by the rules it does not: {cause}",
        throw=_of(seat),
        cause=cause_of(answer.details["cause"]),
    )
    finding = _found("throw-invalid", event, message, answer, seat, rules)
    return (finding, *_scope_open(answer, event, seat, rules))


def _called(
    verdict: Verdict, event: RecordedEvent, voided: dice.Voided, seen: Seen
) -> tuple[Finding, ...]:
    """What is to be said about a throw that the table called void."""
    answer, seat = verdict.answer, verdict.seat
    rules = seen.rules
    is_asked = verdict.at != event.entry_id
    if answer.is_open:
        return NOTHING if is_asked else (_doubt(answer, event, seat, rules),)
    if validity(answer) == VALID:
        message = said(
            "{throw} is called void ({reason}), and by {text} it counts",
            throw=_of(seat),
            reason=Said(voided.reason.value),
            text=_text(answer),
        )
        return (_found("throw-voided", event, message, answer, seat, rules),)
    again = _thrown_again(answer)
    if again is None or again.is_open:
        return NOTHING if is_asked or again is None else _scope_open(answer, event, seat, rules)
    scope = _SCOPES[voided.scope]
    told = again.outcome if again.ruled_at is not None else again.details["reroll"]
    if scope == told or (told == THAT_DIE and scope != "both"):
        return NOTHING
    message = said(
        "{thrown} thrown again, and by {text} it should have been {told}",
        thrown=_AGAIN[scope],
        text=_text(again),
        told=_THROWN[told] if told in _THROWN else worded(told),
    )
    return (_found("reroll-scope", event, message, again, seat, rules),)


def _text(answer: Answer) -> Said:
    """Who says so."""
    return said("the rules") if answer.ruled_at is None else said("the ruling")


def _of(seat: Seat | None) -> Said:
    """Whose throw it is; the opening roll is both players'."""
    return said("the opening roll") if seat is None else said("the throw of {seat}", seat=seat)


_THROWN = {
    "both": said("both dice"),
    "seat_one": said("the die of {seat}", seat=Seat.ONE),
    "seat_two": said("the die of {seat}", seat=Seat.TWO),
    THAT_DIE: said("that die alone"),
}
"""What is thrown again, in words."""

_AGAIN = {
    "both": said("both dice were"),
    "seat_one": said("the die of {seat} was", seat=Seat.ONE),
    "seat_two": said("the die of {seat} was", seat=Seat.TWO),
}
"""What was thrown again, in words."""


def _thrown_again(answer: Answer) -> Answer | None:
    """The answer that says what is thrown again, or asks it; None where none does."""
    beside = answer.also.get("reroll")
    if beside is not None:
        return beside
    says_so = "reroll" in answer.details or answer.outcome in (BOTH, THAT_DIE)
    return answer if says_so else None


def _scope_open(
    answer: Answer, event: RecordedEvent, seat: Seat | None, rules: Rules
) -> tuple[Finding, ...]:
    scope = answer.also.get("reroll")
    if scope is None:
        return NOTHING
    message = said(
        "one die does not count; whether both are thrown again is for the Director to decide"
    )
    topic = _TOPICS["reroll"]
    return (_found("reroll-scope", event, message, scope, seat, rules, topic=topic),)


def _doubt(answer: Answer, event: RecordedEvent, seat: Seat | None, rules: Rules) -> Finding:
    message = said("whether {throw} counts is for the Director to decide", throw=_of(seat))
    if THAT_DIE in answer.readings:
        message = said(
            "a die of the opening roll does not count ({cause}); "
            "whether both are thrown again is for the Director to decide",
            cause=cause_of(answer.details["cause"]),
        )
    return _found("throw-in-doubt", event, message, answer, seat, rules)


def _found(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    seat: Seat | None,
    rules: Rules,
    *,
    topic: str = _VALIDITY,
) -> Finding:
    severity = Severity.NOTE if code == "throw-not-at-rest" else Severity.IRREGULARITY
    return judged(code, event, message, answer, topic, rules, seat=seat, severity=severity)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.OpeningRolled,
    dice.Voided,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    equipment.EquipmentAgreed,
    equipment.EquipmentChanged,
    equipment.AgreementEnded,
    dispute.RulingMade,
)


FOLD = Fold(Throws, *(on(kind, evolve) for kind in _HEARS))
"""The fold of throws."""
