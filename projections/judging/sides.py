"""Sides to throw on: agreed or permitted, until when, ended; what the text says of it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import dispute, equipment
from events.payloads.base import Payload
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Severity, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import Asked, taken_in
from projections.folding.sayings import said
from projections.rules.answers import Answer
from projections.rules.subjects.dice import (
    MAY_NOT_THROW,
    MAY_THROW,
    RIGHT,
    THROWING_SIDE,
    SideFacts,
)

Result = tuple["Sides", tuple[Finding, ...]]

ITEM = "throwing_side"
"""The word by which an agreement is about the side to throw on."""


class Permission(msgspec.Struct, frozen=True, gc=False):
    """That a player may throw on a side."""

    entry_id: str
    """The `equipment.agreed`."""
    half: str
    """left or right, seen from that player."""
    game: int | None
    """Number of the only game in which it holds; None = until it is ended."""


class Sides(msgspec.Struct, frozen=True, gc=False):
    """Which side to throw on is permitted, and the judgement on it."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    asked: tuple[Asked, ...] = ()
    """Every question that was left open, and those of them that a ruling has answered."""
    permitted: BySeat[Permission | None] = BySeat(None, None)
    """What each player may do; of several the last."""

    def half_of(self, seat: Seat | None, game: int) -> str | None:
        """Half into which a player may throw in a game by permission; None = none is in force."""
        permission = None if seat is None else self.permitted[seat]
        if permission is None or permission.game not in (None, game):
            return None
        return permission.half


def evolve(state: Sides, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """Permissions and judgements after one event."""
    match payload:
        case equipment.EquipmentAgreed(item=item, half=half) if item == ITEM and half is not None:
            return _agreed(state, event, payload, half, seen)
        case equipment.AgreementEnded(item=item, target=target) if item == ITEM:
            return _ended(state, event, target, seen)
        case dispute.RulingMade(answers=answers) if answers and state.asked:
            return replace(state, asked=taken_in(state.asked, seen)), NOTHING
        case _:
            return state, NOTHING


def _agreed(
    state: Sides, event: RecordedEvent, agreed: equipment.EquipmentAgreed, half: str, seen: Seen
) -> Result:
    seat, until = agreed.allowed, agreed.until
    game = None
    if until is equipment.AgreedUntil.GAME:
        # Agreed between games it is about the next one.
        game = seen.score.game_number + (not seen.flow.in_game)
    permission = Permission(event.entry_id, half, game)
    for one in Seat if seat is None else (seat,):
        state = replace(state, permitted=state.permitted.put(one, permission))
    facts = SideFacts(
        half,
        None if seat is None else seat.value,
        None if agreed.by is None else agreed.by.value,
        None if until is None else until.value,
    )
    answer = seen.rules.ask(THROWING_SIDE, facts)
    if answer.is_open and not answer.readings:
        answer = replace(answer, readings=(MAY_THROW, MAY_NOT_THROW))
    state = replace(state, answer=answer)
    if answer.outcome == MAY_THROW or (half == RIGHT and answer.is_open):
        return state, NOTHING
    what = said("it is agreed to throw on the left")
    if seat is not None:
        what = said("{seat} is permitted to throw on the left", seat=seat)
    message = said("{what}, and by the rules dice are thrown on the right", what=what)
    if answer.is_open:
        message = said("{what}; whether that holds is for the Director to decide", what=what)
        asked = Asked(THROWING_SIDE, event.entry_id, answer, seat)
        state = replace(state, asked=(*state.asked, asked))
    finding = judged("throwing-side", event, message, answer, THROWING_SIDE, seen.rules, seat=seat)
    return state, (finding,)


def _ended(state: Sides, event: RecordedEvent, target: str | None, seen: Seen) -> Result:
    ended = [
        seat
        for seat in Seat
        if (one := state.permitted[seat]) is not None and target in (None, one.entry_id)
    ]
    if not ended:
        message = said("an agreement is ended, and none is recorded that holds")
        cite = seen.rules.cite(THROWING_SIDE)
        note = found("throwing-side", event, message, cite=cite, severity=Severity.NOTE)
        return state, (note,)
    for seat in ended:
        state = replace(state, permitted=state.permitted.put(seat, None))
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = (
    equipment.EquipmentAgreed,
    equipment.AgreementEnded,
    dispute.RulingMade,
)


FOLD = Fold(Sides, *(on(kind, evolve) for kind in _HEARS))
"""The fold of sides to throw on."""
