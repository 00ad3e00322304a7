"""The dice: every throw judged under the rule set, and each player's re-rolls counted.

A throw of which nobody recorded how it was made or came to rest is not judged: it is what the table
says. The table's call stands for the other folds in any case; this one says what the text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dice
from events.payloads.base import Payload
from events.values import ONE, TWO, Seat
from projections.findings import Finding, Severity, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.dice import INVALID, PENDING, Die, Thrown, with_question
from projections.rules.profile import Rules

Result = tuple["Throws", tuple[Finding, ...]]

Rerolls = Mapping[tuple[Seat | None, str], int]
"""How often by seat (None = both, or unknown) and the reason that the table called."""


class Throws(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest verdict on a throw; None while there is none, and for an unobserved early roll."""
    dice: tuple[Answer, ...] = ()
    """The verdict on each die of that throw that was observed."""
    rerolls: Rerolls = MappingProxyType({})
    """Throws that were made again, opening ties apart."""
    ties: int = 0
    """Opening rolls of the match that showed the same face twice."""


_ROLLED = dice.Rolled


def evolve(state: Throws, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    payload = event.payload
    if type(payload) is _ROLLED and not payload.observations and payload.throw is None:
        # Nearly every roll: nobody says how the dice lay.
        return state, NOTHING
    match payload:
        case dice.Rolled(seat=seat):
            verdicts, answer = _judged(payload, seen)
            findings = _counted(answer, event, seat, seen)
            return replace(state, answer=answer, dice=verdicts), findings
        case dice.OpeningRolled():
            return _opening(state, event, payload, seen)
        case dice.Voided():
            return _voided(state, event, payload, seen)
        case dice.RolledEarly(seat=seat):
            return _early(state, event, payload, seat, seen)
        case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE, seat=answerer):
            roller = None if answerer is None else answerer.other
            return _again(state, roller, dice.VoidReason.PREMATURE), NOTHING
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
    verdicts, answer = _judged(rolled, seen, is_opening=True, is_tie=is_tie)
    question = seen.cube.automatic
    if answer.outcome == "opening_tie" and question is not None and question.is_open:
        answer = with_question(answer, "cube_value", question)
    findings = NOTHING
    if rolled.observations or rolled.throw is not None:
        findings = _counted(answer, event, None, seen)
    return replace(state, answer=answer, dice=verdicts), findings


def _early(
    state: Throws, event: RecordedEvent, rolled: dice.RolledEarly, seat: Seat, seen: Seen
) -> Result:
    """How an early roll came to rest; whether it was early is the premature fold's question."""
    if not seen.flow.in_game:
        return state, NOTHING
    if not rolled.observations and rolled.throw is None:
        return replace(state, answer=None, dice=()), NOTHING
    verdicts, answer = _judged(rolled, seen)
    return replace(state, answer=answer, dice=verdicts), _counted(answer, event, seat, seen)


def _voided(state: Throws, event: RecordedEvent, voided: dice.Voided, seen: Seen) -> Result:
    """The table's call, beside what the text says to the same dice."""
    step = seen.step_of(voided.target) if voided.target else None
    target: Any = None if step is None else step.event.payload
    is_throw = isinstance(target, dice.Rolled | dice.OpeningRolled | dice.RolledEarly)
    is_opening = isinstance(target, dice.OpeningRolled) or (
        target is None
        and voided.seat is None
        and (seen.flow.awaits_opening or voided.reason is dice.VoidReason.OPENING)
    )
    seat = voided.seat or getattr(target, "seat", None) or _SEATS.get(voided.scope)
    state = _again(state, seat, voided.reason)
    is_observed = bool(voided.observations) or voided.throw is not None
    thrown = target if is_throw and not is_observed else voided
    if not thrown.observations and thrown.throw is None:
        return state, NOTHING
    verdicts, answer = _judged(thrown, seen, is_opening=is_opening)
    findings = _called(answer, event, voided, seat, seen)
    return replace(state, answer=answer, dice=verdicts), findings


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


def _judged(
    thrown: Any, seen: Seen, *, is_opening: bool = False, is_tie: bool = False
) -> tuple[tuple[Answer, ...], Answer]:
    """The verdict on each die, and on the throw."""
    rules = seen.rules
    seen_dice = [_die(observed) for observed in thrown.observations]
    verdicts = tuple(rules.ask("dice.die", die) for die in seen_dice)
    throw = thrown.throw
    facts = Thrown(
        verdicts,
        is_opening,
        is_tie,
        any(die.in_box for die in seen_dice) or (throw is not None and throw.source == "box"),
        () if throw is None else _flaws(throw),
    )
    return verdicts, rules.ask("dice.throw", facts)


def _flaws(throw: dice.Throw) -> tuple[str, ...]:
    """In what the throw was not as texts describe one; what nobody recorded was as it should be."""
    made = (
        ("no_cup", throw.source in (None, "cup")),
        ("not_together", throw.together),
        ("not_shaken", throw.shaken),
        ("no_height", throw.height),
        ("no_bounce", throw.bounced),
    )
    return tuple(flaw for flaw, was_so in made if was_so is False)


def _die(observed: dice.Observation) -> Die:
    """One die as the rule sets ask about it."""
    test, held = observed.support_test, observed.supported_by
    is_unclear = held == "unclear" or held == ("unclear",)
    # What a test in a dispute showed proves nothing: equipment must be left alone then.
    has_dropped = test is not None and test.dropped and not test.in_dispute
    is_held = bool(held) and not is_unclear
    is_tipped = bool(observed.tipped_after_balance)
    is_balanced = observed.at_rest == "balanced" or (
        observed.balanced_on not in (None, "none") and not is_tipped
    )
    in_box = bool(observed.baffle_box)
    tilt, cause = _tilt(observed, is_held, is_unclear, is_balanced)
    return Die(
        at_rest=observed.at_rest or "natural",
        location=observed.location or "playing_field",
        in_box=in_box,
        rolled_side=observed.rolled_side or ("unknown" if in_box else "right"),
        rest_side=observed.rest_side or "right",
        first_contact=observed.first_contact or "field",
        returned_from=observed.left_board_and_returned or "none",
        rests_on=observed.rests_on or ("field",),
        is_touching=bool(observed.touching),
        is_supported=is_held or has_dropped,
        is_support_unclear=is_unclear,
        is_balanced=is_balanced,
        tipped_after_ms=observed.balanced_for_ms if is_tipped else None,
        tilt=tilt,
        tilt_cause=cause,
        below_top_of=observed.below_top_of,
    )


def _tilt(
    observed: dice.Observation, is_held: bool, is_unclear: bool, is_balanced: bool
) -> tuple[str, str]:
    """How the die lies; where nobody said, as what holds it up makes it lie."""
    if observed.tilt is not None:
        return observed.tilt, observed.tilt_cause or "none"
    if is_balanced:
        return "tilted", "balance"
    if is_held:
        return "tilted", "vertical_support"
    return ("unknown" if is_unclear else "flat"), "none"


# What the table called, beside the answer.


def _counted(
    answer: Answer, event: RecordedEvent, seat: Seat | None, seen: Seen
) -> tuple[Finding, ...]:
    """What is to be said about a throw that the table counted."""
    rule_set = seen.rules.profile.id
    if answer.outcome == PENDING:
        message = "a throw is read before the dice have come to rest"
        return (_found("throw-not-at-rest", event, message, answer, seat, rule_set),)
    if answer.is_open:
        return (_doubt(answer, event, seat, rule_set),)
    if answer.outcome != INVALID:
        return NOTHING
    message = f"a throw that nobody called void is invalid by {rule_set} ({_cause(answer)})"
    finding = _found("throw-invalid", event, message, answer, seat, rule_set)
    return (finding, *_scope_open(answer, event, seat, rule_set))


def _called(
    answer: Answer, event: RecordedEvent, voided: dice.Voided, seat: Seat | None, seen: Seen
) -> tuple[Finding, ...]:
    """What is to be said about a throw that the table called void."""
    rule_set = seen.rules.profile.id
    if answer.is_open:
        return (_doubt(answer, event, seat, rule_set),)
    if answer.outcome != INVALID:
        if answer.outcome == PENDING:
            return NOTHING
        message = f"a throw is called void ({voided.reason.value}); by {rule_set} it is valid"
        return (_found("throw-voided", event, message, answer, seat, rule_set),)
    if answer.also:
        return _scope_open(answer, event, seat, rule_set)
    scope = _SCOPES[voided.scope]
    if scope == answer.details["reroll"]:
        return NOTHING
    message = f"{scope} thrown again; by {rule_set} it is {answer.details['reroll']}"
    return (_found("reroll-scope", event, message, answer, seat, rule_set),)


def _scope_open(
    answer: Answer, event: RecordedEvent, seat: Seat | None, rule_set: str
) -> tuple[Finding, ...]:
    scope = answer.also.get("reroll")
    if scope is None:
        return NOTHING
    message = "one die is bad, and the text does not say what is thrown again"
    return (_found("reroll-scope", event, message, scope, seat, rule_set, topic="dice.reroll"),)


def _doubt(answer: Answer, event: RecordedEvent, seat: Seat | None, rule_set: str) -> Finding:
    message = "whether the throw is valid is for a person to rule"
    return _found("throw-in-doubt", event, message, answer, seat, rule_set)


def _found(
    code: str,
    event: RecordedEvent,
    message: str,
    answer: Answer,
    seat: Seat | None,
    rule_set: str,
    *,
    topic: str = "dice.validity",
) -> Finding:
    return judged(
        code,
        event,
        message,
        answer=answer,
        rule_set=rule_set,
        topic=topic,
        seat=seat,
        severity=Severity.NOTE if code == "throw-not-at-rest" else Severity.IRREGULARITY,
    )


def _cause(answer: Answer) -> str:
    return str(answer.details["cause"]).replace("_", " ")


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    dice.OpeningRolled,
    dice.Voided,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
)


def initial(rules: Rules) -> Throws:
    """Nothing judged."""
    return Throws()


FOLD: Fold[Throws] = Fold("throws", _HEARS, initial, evolve)
"""The fold of throws."""
