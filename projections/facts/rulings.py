"""Rulings: which open question was answered, by which entry, with which reading."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import appeal, attendance, dispute, ending
from events.payloads.base import Actor, Payload
from events.values import ONE, Seat
from projections.folding.concessions import CLAIMS, claim_made, is_granted
from projections.folding.findings import Finding, Key
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.questions import key_of
from projections.rules.subjects import clock_terms
from projections.rules.subjects.endings import claim_reading
from projections.rules.subjects.penalties import EXCUSED


class Answered(msgspec.Struct, frozen=True, gc=False):
    """One question answered by the director."""

    reading: str
    """The reading chosen."""
    version: int
    """Version of the `ruling.made`."""


class Rulings(msgspec.Struct, frozen=True):
    """All questions that were answered so far.

    The latest ruling wins, and one that is reversed or modified on appeal answers nothing more.
    """

    answers: Mapping[Key, Answered] = MappingProxyType({})
    """Question to answer."""


def evolve(
    state: Rulings, event: RecordedEvent, payload: Payload, seen: Seen
) -> tuple[Rulings, tuple[Finding, ...]]:
    """The questions answered after one event."""
    match payload:
        case dispute.RulingMade(answers=answers) if answers:
            known = dict(state.answers)
            for answer in answers:
                known[key_of(answer.question)] = Answered(answer.reading, event.version)
            return Rulings(MappingProxyType(known)), NOTHING
        case attendance.DelayExcused(seat=seat, by=Actor.DIRECTOR, kind=kind):
            return _excused(state, event, seat, kind, seen), NOTHING
        case ending.ClaimRuled(target=target, holds=holds, by=by):
            return _claim_answered(state, event, target, by, seen, holds=holds), NOTHING
        case ending.ClaimMade() as claim if event.basis is Basis.AGREED:
            return _flag_answered(state, event, claim, seen, holds=True), NOTHING
        case appeal.AppealDecided(appeal=named, outcome=outcome):
            if outcome is appeal.AppealOutcome.UPHELD:
                return state, NOTHING
            return _without(state, _appealed(named, seen)), NOTHING
        case _:
            return state, NOTHING


def _excused(
    state: Rulings,
    event: RecordedEvent,
    seat: Seat,
    kind: attendance.DelayKind | None,
    seen: Seen,
) -> Rulings:
    """The Director who excuses breaks has answered what was asked about them."""
    one, two = seen.penalties.accounts
    account = one if seat is ONE else two
    keys = account.answered_by(None if kind is None else kind.value)
    new = {key: Answered(EXCUSED, event.version) for key in keys if key not in state.answers}
    return Rulings(MappingProxyType({**state.answers, **new})) if new else state


def _claim_answered(
    state: Rulings, event: RecordedEvent, target: str, by: Actor, seen: Seen, *, holds: bool
) -> Rulings:
    """Who answers a claim answers what was asked about it; an opponent who refuses does not."""
    made = claim_made(target, seen)
    if made is None:
        return state
    step, claim = made
    is_ruled = by is Actor.DIRECTOR
    if not is_ruled and not (holds and is_granted(claim, by)):
        return state
    known = dict(state.answers)
    for key, asked in seen.endings.asked.items():
        topic, at, _ = key
        if at == target and (is_ruled or topic == "claim.validity"):
            known[key] = Answered(claim_reading(asked.readings, holds=holds), event.version)
    new = state if known == state.answers else Rulings(MappingProxyType(known))
    was_flagged = step.before.judged.timing.flag is not None
    if not was_flagged and seen.timing.claim != target:
        return new
    return _flag_answered(new, event, claim, seen, holds=holds)


def _flag_answered(
    state: Rulings, event: RecordedEvent, claim: ending.ClaimMade, seen: Seen, *, holds: bool
) -> Rulings:
    """Whose time has run out claims the game: what becomes of the claim becomes of the flag."""
    flag, asked = seen.timing.flag, seen.timing.flag_asked
    is_his = flag is not None and claim.seat is not None and flag.loser == claim.seat.value
    if not is_his or asked is None or claim.kind not in CLAIMS:
        return state
    readings = asked.answer.readings
    if not holds and clock_terms.CLAIM_HOLDS not in readings:
        # No claim saves the match by that text: that one fails says nothing of what a flag costs.
        return state
    reading = clock_terms.claim_reading(readings, holds=holds)
    answered = Answered(reading, event.version)
    return Rulings(MappingProxyType({**state.answers, asked.key: answered}))


def _appealed(named: str | None, seen: Seen) -> int | None:
    """Version of what an appeal is against, the last one if none is named; None = not recorded."""
    if named is None and seen.appeals.appeals:
        named = seen.appeals.appeals[-1].entry_id
    filed = None if named is None else seen.step_of(named)
    if filed is None or not isinstance(filed.event.payload, appeal.AppealFiled):
        return None
    target = seen.step_of(filed.event.payload.target)
    return None if target is None else target.event.version


def _without(state: Rulings, version: int | None) -> Rulings:
    """The questions that a ruling answered are open again; a later ruling's answers stay."""
    kept = {key: made for key, made in state.answers.items() if made.version != version}
    return state if len(kept) == len(state.answers) else Rulings(MappingProxyType(kept))


_HEARS: tuple[type[Payload], ...] = (
    dispute.RulingMade,
    appeal.AppealDecided,
    attendance.DelayExcused,
    ending.ClaimMade,
    ending.ClaimRuled,
)


FOLD = Fold(Rulings, *(on(kind, evolve) for kind in _HEARS))
"""The rulings' fold."""
