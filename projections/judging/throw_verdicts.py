"""Verdicts on throws, and findings where the call at the table differs."""

from __future__ import annotations

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import dice
from events.payloads.base import Actor
from events.values import Seat
from projections.folding.findings import Finding, Severity, judged
from projections.folding.fold import NOTHING, Seen, SeenStep
from projections.folding.observed import die_of
from projections.folding.sayings import Said, said, worded
from projections.judging.phrases import cause_of
from projections.rules.answers import CONFLICT, Answer, left_open, settled
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
)


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """The verdict on one throw, and where a question about it was asked."""

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


def called_for_nothing(
    event: RecordedEvent, voided: dice.Voided, seat: Seat | None, seen: Seen
) -> tuple[Finding, ...]:
    """A throw of which nothing was recorded but why it was called void, which is no reason."""
    if voided.reason is not dice.VoidReason.ON_CHECKER or is_the_directors(event, voided):
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


def contested(
    event: RecordedEvent, voided: dice.Voided, seat: Seat | None, seen: Seen
) -> Verdict | None:
    """A question on a throw that one side alone calls void, without any other observation.

    Texts say how a die has to lie, but how this one lay is not recorded, so a person has to decide.
    None if the Director has looked at it.
    """
    if not voided.contested or is_the_directors(event, voided):
        return None
    about = "opening" if voided.reason is dice.VoidReason.OPENING else DICE_DIE
    section = seen.rules.cite(about)[1]
    return Verdict(event.entry_id, seat, left_open(CONFLICT, section, VALID, INVALID))


_FELL_BADLY = frozenset(
    {
        dice.VoidReason.OFF_BOARD,
        dice.VoidReason.ON_FLOOR,
        dice.VoidReason.WRONG_SIDE,
        dice.VoidReason.COCKED,
    }
)
"""Reasons that lie in how one die fell, and that no text lets pass."""


def one_thrown_again(
    event: RecordedEvent,
    voided: dice.Voided,
    seat: Seat | None,
    seen: Seen,
    *,
    is_opening: bool = False,
) -> Verdict | None:
    """The answer on one die thrown again, where only the reason was recorded.

    None if the reason does not lie in one die, if the Director has looked at it, or if the text
    does not say what is thrown again.
    """
    if voided.reason not in _FELL_BADLY or is_the_directors(event, voided):
        return None
    section = seen.rules.cite("dice.die")[1]
    bad = settled(INVALID, section, cause=voided.reason.value)
    verdicts: tuple[Answer, ...] = (bad,)
    if is_opening:
        good = settled(VALID, section)
        is_of_two = voided.scope is dice.VoidScope.DIE_OF_TWO
        verdicts = (good, bad) if is_of_two else (bad, good)
        seat = None
    answer = seen.rules.ask(DICE_THROW, Thrown(verdicts, is_opening=is_opening))
    if answer.outcome != INVALID and THAT_DIE not in answer.readings:
        return None
    return Verdict(event.entry_id, seat, answer)


def is_the_directors(event: RecordedEvent, voided: dice.Voided) -> bool:
    """Whether the Director has looked at a throw, which then is not judged by its reason."""
    return event.basis is Basis.RULED or voided.caller is Actor.DIRECTOR


def called_early(
    step: SeenStep | None, event: RecordedEvent, voided: dice.Voided, seen: Seen
) -> Verdict | tuple[Finding, ...]:
    """A roll called premature: a finding if the opponent's turn was over, a question if contested.

    `step`: the roll, if it was recorded as one that counts. The text says whether a recorded act
    had ended the turn; if none is on record and one side says that the turn was over, a person has
    to decide.
    """
    thrown = None if step is None else step.event.payload
    if step is not None and not isinstance(thrown, dice.Rolled):
        return NOTHING
    flow, premature, game = seen.flow, seen.premature, seen.score.game_number
    if step is not None:
        was = step.before
        flow, premature, game = was.flow, was.judged.premature, was.score.game_number
    seat = thrown.seat if isinstance(thrown, dice.Rolled) else voided.seat
    if seat is None or not flow.in_game or flow.on_roll is not seat or flow.dice is not None:
        return NOTHING
    player, rules = seat.other, seen.rules
    turn = (game, flow.turn_number, player)
    end = premature.end_of_turn(*turn)
    if end is not None and not end.is_open:
        message = said(
            "the throw of {seat} is called void ({reason}), and by the rules the turn of {player} "
            "was over",
            seat=seat,
            reason=Said(dice.VoidReason.PREMATURE.value),
            player=player,
        )
        return (_found("throw-voided", event, message, end, seat, rules),)
    if not voided.contested or premature.is_end_known(*turn) or is_the_directors(event, voided):
        return NOTHING
    section = rules.cite("premature.roll")[1]
    return Verdict(event.entry_id, seat, left_open(CONFLICT, section, VALID, INVALID))


_SCOPES = {
    dice.VoidScope.BOTH: "both",
    dice.VoidScope.DIE_OF_ONE: "seat_one",
    dice.VoidScope.DIE_OF_TWO: "seat_two",
}

VALIDITY = "dice.validity"

TOPICS = {"reroll": "dice.reroll", "cube_value": "cube.automatic"}
"""Topics of the questions beside a verdict, by the name of what they leave open."""


def found_of_counted(verdict: Verdict, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """Findings on a throw that counted at the table."""
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


def found_of_void(
    verdict: Verdict, event: RecordedEvent, voided: dice.Voided, seen: Seen
) -> tuple[Finding, ...]:
    """Findings on a throw that was called void at the table."""
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
        thrown=_AGAIN[scope] if seat is None or scope == "both" else said("one die alone was"),
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
    """The answer, or question, on what is thrown again; None if there is none."""
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
    topic = TOPICS["reroll"]
    return (_found("reroll-scope", event, message, scope, seat, rules, topic=topic),)


def _doubt(answer: Answer, event: RecordedEvent, seat: Seat | None, rules: Rules) -> Finding:
    message = said(
        "{throw} is in doubt; whether it counts is for the Director to decide", throw=_of(seat)
    )
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
    topic: str = VALIDITY,
) -> Finding:
    severity = Severity.NOTE if code == "throw-not-at-rest" else Severity.IRREGULARITY
    return judged(code, event, message, answer, topic, rules, seat=seat, severity=severity)
