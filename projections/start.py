"""The starting position: whether a wrong start is still to be corrected."""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dice, dispute, match, play
from events.payloads.base import Actor, Payload
from events.values import BAR, Seat
from projections.findings import Finding, judged
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.starting import STANDS, StartFacts

Result = tuple["Start", tuple[Finding, ...]]


class StartIs(enum.StrEnum):
    """What became of a wrong start that was noticed."""

    TO_CORRECT = "to_correct"
    """Noticed in time, and not corrected yet; or both agreed to correct it."""
    STANDS = "stands"
    """Noticed too late."""
    CORRECTED = "corrected"
    """The checkers were put where they belong."""
    ASKED = "asked"
    """A person has to rule."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """A wrong start of the game in progress, as it was noticed."""

    entry_id: str
    """The notice, or the correction that came without one."""
    seat: Seat
    """Whose checkers."""
    at: int | None
    """Point where one stood too many, from that seat's side."""
    answer: Answer
    """What the rule set says."""
    start_is: StartIs
    """What became of it."""


class Start(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    began: str | None = None
    """Entry that began the game in progress, or the last one."""
    number: int = 0
    """Number of that game."""
    faults: tuple[Fault, ...] = ()
    """Wrong starts noticed in that game."""


def evolve(state: Start, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
        case match.GameStarted() | play.PositionStated() | dispute.RulingCarriedOut():
            return _begun(state, event, seen), NOTHING
        case play.StartFaultNoticed(seat=seat, at=at):
            return _noticed(state, event, seat, at, seen)
        case play.StartCorrected():
            return _corrected(state, event, event.payload, seen)
        case _:
            return state, NOTHING


def _begun(state: Start, event: RecordedEvent, seen: Seen) -> Start:
    """A board stated between games begins one."""
    number: int = seen.score.game_number
    return state if number == state.number else Start(state.answer, event.entry_id, number)


def _facts(
    state: Start, seat: Seat, at: int | None, seen: Seen, *, agreed: bool = False
) -> StartFacts:
    """How far the game has come: the flow counts turns, changed plays and void rolls included."""
    steps = () if state.began is None else seen.steps_since(state.began)
    flow, in_game = seen.flow, seen.flow.in_game
    if not in_game:
        flow = next((step.after.flow for step in reversed(steps) if step.after.flow.in_game), flow)
    open_turns = 1 if in_game and (flow.dice is not None or flow.turn_open is not None) else 0
    payloads = [step.event.payload for step in steps]
    return StartFacts(
        turns_completed=flow.turn_number - open_turns,
        valid_rolls=flow.turn_number,
        other_throws=sum(map(_is_uncounted, payloads)),
        agreed=agreed,
        game_over=not in_game,
        was_touched=at is not None and any(_touches(payload, seat, at) for payload in payloads),
    )


def _is_uncounted(payload: Payload | None) -> bool:
    match payload:
        case dice.Voided():
            return True
        case dice.OpeningRolled(one=one, two=two):
            return one == two
        case _:
            return False


def _touches(payload: Payload | None, seat: Seat, at: int) -> bool:
    """Whether a play takes a checker of `seat` from a point, or lands on that point against it."""
    match payload:
        case play.PlayMade(seat=mover, moves=moves):
            if mover is seat:
                return any(move.from_point == at for move in moves)
            return any(move.to_point == BAR - at for move in moves)
        case _:
            return False


def _noticed(state: Start, event: RecordedEvent, seat: Seat, at: int | None, seen: Seen) -> Result:
    answer = seen.rules.ask("start.position", _facts(state, seat, at, seen))
    fault = Fault(event.entry_id, seat, at, answer, _what_became(answer))
    new = replace(state, answer=answer, faults=(*state.faults, fault))
    return new, _said(event, seat, answer, seen)


def _what_became(answer: Answer) -> StartIs:
    if answer.is_open:
        return StartIs.ASKED
    return StartIs.STANDS if answer.outcome == STANDS else StartIs.TO_CORRECT


def _said(event: RecordedEvent, seat: Seat, answer: Answer, seen: Seen) -> tuple[Finding, ...]:
    code, message = "start-to-correct", "the wrong start is to be corrected"
    if answer.is_open:
        code, message = "start-question", "whether the wrong start is corrected is to be ruled"
    elif answer.outcome == STANDS:
        code, message = "start-stands", "the wrong start was noticed too late, and stands"
    return _findings(code, event, message, answer, seat, seen)


def _findings(
    code: str, event: RecordedEvent, message: str, answer: Answer, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The finding of an answer, and one for each further question beside it."""
    rule_set = seen.rules.profile.id
    asked = {"start.position": (code, answer)} | {
        f"start.{name}": ("start-question", other) for name, other in answer.also.items()
    }
    return tuple(
        judged(which, event, message, answer=other, rule_set=rule_set, topic=topic, seat=seat)
        for topic, (which, other) in asked.items()
    )


def _corrected(
    state: Start, event: RecordedEvent, corrected: play.StartCorrected, seen: Seen
) -> Result:
    """The checkers are put right: because they had to be, because both agreed, or all the same."""
    seat = corrected.seat
    known = next((fault for fault in reversed(state.faults) if fault.seat is seat), None)
    agreed = event.basis is Basis.AGREED or corrected.by is Actor.BOTH
    others = tuple(fault for fault in state.faults if fault is not known)
    if known is not None and (
        known.start_is in (StartIs.TO_CORRECT, StartIs.CORRECTED)
        or (known.start_is is StartIs.ASKED and not agreed)
    ):
        fault = replace(known, start_is=StartIs.CORRECTED)
        return replace(state, faults=(*others, fault)), NOTHING
    entry_id, at = (event.entry_id, None) if known is None else (known.entry_id, known.at)
    answer = seen.rules.ask("start.position", _facts(state, seat, at, seen, agreed=agreed))
    if answer.is_open and known is None:
        # Nobody noticed a fault, by this record: it asks nothing.
        return state, NOTHING
    start_is = StartIs.ASKED if answer.is_open else StartIs.CORRECTED
    fault = Fault(entry_id, seat, at, answer, start_is)
    new = replace(state, answer=answer, faults=(*others, fault))
    if answer.is_open:
        was_asked = known is not None and known.answer.is_open
        return new, NOTHING if was_asked else _said(event, seat, answer, seen)
    if answer.outcome == STANDS:
        message = "the start is corrected, though the rule set lets it stand"
        return new, _findings("start-corrected-late", event, message, answer, seat, seen)
    return new, NOTHING


_HEARS: tuple[type[Payload], ...] = (
    match.GameStarted,
    play.PositionStated,
    dispute.RulingCarriedOut,
    play.StartFaultNoticed,
    play.StartCorrected,
)


def initial(rules: Rules) -> Start:
    """Nothing judged."""
    return Start()


FOLD: Fold[Start] = Fold("start", _HEARS, initial, evolve)
"""The fold of start."""
