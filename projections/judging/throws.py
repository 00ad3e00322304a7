"""The dice: every throw judged under the rule set, and each player's re-rolls counted.

A throw is judged only if it was recorded how it was made or came to rest. For the other folds the
call made at the table counts in any case; this fold adds what the text says. A question belongs to
its throw: it is asked once, and a Director's ruling settles it for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dice, dispute, equipment
from events.payloads.base import Payload
from events.values import ONE, TWO, Seat
from projections.folding.findings import Finding, Key
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.observed import verdicts_on
from projections.folding.questions import ruled
from projections.folding.seen_judged import SeenThrow
from projections.judging.throw_verdicts import (
    TOPICS,
    VALIDITY,
    Verdict,
    called_early,
    called_for_nothing,
    contested,
    found_of_counted,
    found_of_void,
    one_thrown_again,
)
from projections.rules.answers import Answer
from projections.rules.subjects.dice import INVALID, validity, with_question

Result = tuple["Throws", tuple[Finding, ...]]

Rerolls = Mapping[tuple[Seat | None, str], int]
"""How often by seat (None = both, or unknown) and the reason that the table called."""


class Throws(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest verdict on a throw; None without one, and for an early roll not observed."""
    dice: tuple[Answer, ...] = ()
    """The verdict on each die of that throw that was observed."""
    at: str | None = None
    """The entry at which that throw was judged."""
    seat: Seat | None = None
    """Who threw it, as the verdict says it."""
    questions: Mapping[str, Verdict] = MappingProxyType({})
    """Throw to a verdict that a person had to rule on, with the ruling if there is one."""
    rerolls: Rerolls = MappingProxyType({})
    """Throws that were made again, opening ties apart."""
    ties: int = 0
    """Opening rolls of the match that showed the same face twice."""
    box_half: str | None = None
    """Half in which a baffle box was agreed to stand; None = no box, or not recorded where."""
    has_box: bool = False
    """Whether a baffle box was agreed on by both, or ordered; one player alone may wish for one."""

    def ruled_on(self, key: Key) -> SeenThrow | None:
        """The throw about which a question with this key was asked."""
        for throw, verdict in self.questions.items():
            if key == (VALIDITY, verdict.at, verdict.seat):
                return SeenThrow(throw, verdict.answer)
        return None

    def is_ruled_out(self, throw: str) -> bool:
        """Whether a ruling does not let that throw count."""
        verdict = self.questions.get(throw)
        if verdict is None or verdict.answer.ruled_at is None:
            return False
        return validity(verdict.answer) == INVALID


_ROLLED = dice.Rolled

_Throw = dice.Rolled | dice.OpeningRolled | dice.RolledEarly


def evolve(state: Throws, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    if type(payload) is _ROLLED and not payload.observations and payload.throw is None:
        # The usual case: it is not recorded how the dice came to rest.
        return state, NOTHING
    match payload:
        case dice.Rolled(seat=seat):
            verdict = _judged(payload, event, seat, seen)
            return _with(state, verdict), found_of_counted(verdict, event, seen)
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
        findings = found_of_counted(verdict, event, seen)
    return _with(state, verdict), findings


def _early(
    state: Throws, event: RecordedEvent, rolled: dice.RolledEarly, seat: Seat, seen: Seen
) -> Result:
    """Judge how an early roll came to rest; the premature fold judges that it was early."""
    if not seen.flow.in_game:
        return state, NOTHING
    if not rolled.observations and rolled.throw is None:
        return replace(state, answer=None, dice=(), at=None, seat=None), NOTHING
    verdict = _judged(rolled, event, seat, seen)
    return _with(state, verdict), found_of_counted(verdict, event, seen)


def _voided(state: Throws, event: RecordedEvent, voided: dice.Voided, seen: Seen) -> Result:
    """Compare the call made at the table with the text's answer for the same dice."""
    step = seen.step_of(voided.target) if voided.target else None
    target = None if step is None else step.event.payload
    is_opening = isinstance(target, dice.OpeningRolled) or (
        target is None
        and voided.seat is None
        and (seen.flow.awaits_opening or voided.reason is dice.VoidReason.OPENING)
    )
    seat = voided.seat or getattr(target, "seat", None) or _SEATS.get(voided.scope)
    state = _again(state, seat, voided.reason)
    if voided.reason is dice.VoidReason.PREMATURE:
        early = called_early(step, event, voided, seen)
        if isinstance(early, Verdict):
            findings = found_of_void(early, event, voided, seen)
            return _with(state, early, throw=voided.target), findings
        return state, early
    asked = state.questions.get(voided.target or "")
    if asked is not None:
        return _showing(state, asked), found_of_void(asked, event, voided, seen)
    is_observed = bool(voided.observations) or voided.throw is not None
    thrown = target if isinstance(target, _Throw) and not is_observed else voided
    if not thrown.observations and thrown.throw is None:
        fallen = contested(event, voided, seat, seen)
        if fallen is None and voided.scope is not dice.VoidScope.BOTH:
            fallen = one_thrown_again(event, voided, seat, seen, is_opening=is_opening)
        if fallen is None:
            return state, called_for_nothing(event, voided, seat, seen)
        findings = found_of_void(fallen, event, voided, seen)
        return _with(state, fallen, throw=voided.target), findings
    verdict = _judged(thrown, event, seat, seen, is_opening=is_opening)
    findings = found_of_void(verdict, event, voided, seen)
    return _with(state, verdict, throw=voided.target), findings


_SEATS = {dice.VoidScope.DIE_OF_ONE: ONE, dice.VoidScope.DIE_OF_TWO: TWO}


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
    answer = ruled(verdict.answer, seen, VALIDITY, at, seat)
    # A ruling on a throw includes its dice.
    verdicts = tuple(ruled(die, seen, VALIDITY, at, seat) for die in verdict.dice)
    beside = {
        name: ruled(question, seen, TOPICS[name], at, seat)
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
    answer, verdicts = verdicts_on(thrown, seat, seen, is_opening=is_opening, is_tie=is_tie)
    return Verdict(event.entry_id, seat, answer, verdicts)


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
