"""Rulings: which open question was answered, by which entry, with which reading."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import appeal, attendance, cube, dice, dispute, ending, match, penalty
from events.payloads.base import Actor, Payload
from events.values import ONE, Seat
from projections.folding.concessions import CLAIMS, claim_made, is_granted
from projections.folding.consequences import is_declared
from projections.folding.findings import Finding, Key
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep, cube_act, is_just_dropped, on
from projections.folding.questions import key_of
from projections.folding.seen_judged import SeenAccount
from projections.rules.answers import Answer
from projections.rules.subjects import clock_terms
from projections.rules.subjects.appeals import ANOTHER_COMMITTEE, NO_COMMITTEE
from projections.rules.subjects.cube_words import (
    BINDING,
    BOUND,
    FIRST_LEGAL,
    NOT_ALLOWED,
    UNDONE,
    VOID,
)
from projections.rules.subjects.endings import claim_reading
from projections.rules.subjects.match_length import STANDS as RESULT_STANDS
from projections.rules.subjects.penalties import PENALISED


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
        case penalty.PenaltyAssessed(seat=seat, ground=penalty.PenaltyGround.BREAK):
            keys = (*_account(seat, seen).on_breaks, *seen.penalties.on_allowance)
            return _with(state, event, dict.fromkeys(keys, PENALISED)), NOTHING
        case cube.CubeActionVoided() as void if is_declared(event, void):
            return _with(state, event, _voided(void.target, seen)), NOTHING
        case cube.CubeAct() as act if seen.cube_acts.asked:
            return _with(state, event, _acted(act, seen)), NOTHING
        case match.MatchEnded() if event.basis.settles and seen.match_length.sheets_asked:
            # biba-2014 4.10: what both took for the end stands, whatever the length was.
            key = seen.match_length.sheets_asked.key
            return _with(state, event, {key: RESULT_STANDS[0]}), NOTHING
        case ending.ClaimRuled(target=target, holds=holds, by=by):
            return _claim_answered(state, event, target, by, seen, holds=holds), NOTHING
        case ending.ClaimMade() as claim if event.basis is Basis.AGREED:
            return _flag_answered(state, event, claim, seen, holds=True), NOTHING
        case appeal.CommitteeConvened(appeal=named):
            return _with(state, event, _reconvened(named, seen)), NOTHING
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
    """The Director who excuses a delay has answered what was asked about it."""
    answers = _account(seat, seen).answered_by(None if kind is None else kind.value, seen.rules)
    return _with(state, event, answers)


def _account(seat: Seat, seen: Seen) -> SeenAccount:
    one, two = seen.penalties.accounts
    return one if seat is ONE else two


def _with(state: Rulings, event: RecordedEvent, answers: Mapping[Key, str]) -> Rulings:
    """With questions that an act has answered; what a ruling has answered before stays."""
    new = {
        key: Answered(reading, event.version)
        for key, reading in answers.items()
        if key not in state.answers
    }
    return Rulings(MappingProxyType({**state.answers, **new})) if new else state


def _voided(target: str, seen: Seen) -> dict[Key, str]:
    """Questions answered by declaring a double void, if the one who does so may."""
    double, step = seen.cube_acts.last, cube_act(seen, target)
    if double is None or step is None or target not in (double.entry_id, double.answer_entry):
        return {}
    is_on = seen.flow.in_game and double.game_number == seen.score.game_number
    if not is_on and not is_just_dropped(step.before, seen):
        # Of a game that is over it is asked what it counts.
        return {}
    answers: dict[Key, str] = {}
    for key, asked in seen.cube_acts.asked.items():
        topic, at, _ = key
        if not asked.is_open or at not in (double.entry_id, double.answer_entry):
            continue
        if topic == "cube.answered-double":
            answers[key] = UNDONE
        elif topic == "cube.double":
            answers[key] = VOID if VOID in asked.readings else NOT_ALLOWED
    return answers


def _acted(act: cube.CubeAct, seen: Seen) -> dict[Key, str]:
    """Questions answered by an act: a player who does what a sign may bind him to accepts it."""
    name = _ACTS.get(type(act))
    signs = [
        (key, asked, made)
        for key, asked in seen.cube_acts.asked.items()
        if asked.is_open and key[0] == "cube.sign" and key[2] is act.seat
        if (made := seen.step_of(key[1])) is not None
        and _intent(made) == name
        and made.before.score.game_number == seen.score.game_number
    ]
    if not signs:
        return {}
    first = min((made.event for _, _, made in signs), key=lambda event: event.version)
    thrown = [
        since.event.version
        for since in seen.steps_since(first.entry_id)
        if type(since.event.payload) is dice.Rolled and since.event.payload.seat is act.seat
    ]
    # What was meant before its player threw dice is over.
    over = max(thrown, default=0)
    return {
        key: _binding(asked, act.seat, seen)
        for key, asked, made in signs
        if made.event.version > over
    }


_ACTS: Mapping[type[Payload], str] = MappingProxyType(
    {cube.DoubleOffered: "double", cube.DoubleTaken: "take", cube.DoubleDropped: "drop"}
)


def _binding(asked: Answer, seat: Seat, seen: Seen) -> str:
    """The reading of a question about a sign by which it binds, as it was acted on."""
    if FIRST_LEGAL in asked.readings and seen.flow.may_roll(seat):
        return FIRST_LEGAL
    return next((reading for reading in asked.readings if reading in BINDING), BOUND)


def _intent(step: SeenStep) -> str:
    """What a sign meant."""
    made = step.event.payload
    return made.intent.value if isinstance(made, cube.CubeIntentStated) else "double"


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


def _reconvened(named: str | None, seen: Seen) -> dict[Key, str]:
    """Who convenes another committee has answered whether the one before it may decide."""
    known = [one for one in seen.appeals.appeals if named in (None, one.entry_id)][-1:]
    return {
        key: reading
        for one in known
        for key, asked in one.on_committee.items()
        if asked.is_open
        for reading in (NO_COMMITTEE, ANOTHER_COMMITTEE)
        if reading in asked.readings
    }


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
    appeal.CommitteeConvened,
    appeal.AppealDecided,
    attendance.DelayExcused,
    penalty.PenaltyAssessed,
    cube.DoubleOffered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    cube.CubeActionVoided,
    match.MatchEnded,
    ending.ClaimMade,
    ending.ClaimRuled,
)


FOLD = Fold(Rulings, *(on(kind, evolve) for kind in _HEARS))
"""The rulings' fold."""
