"""Admission of appeals: what one is filed against, and whether the rule set allows it."""

from __future__ import annotations

from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import appeal, clock, cube, dice, dispute, match, penalty, play
from events.values import Seat
from projections.folding.findings import Finding, found, judged
from projections.folding.fold import NOTHING, Seen, SeenStep
from projections.folding.sayings import Said, said
from projections.folding.standing import target_of
from projections.judging.appeal_state import (
    Appeal,
    Appeals,
    Result,
    appeal_of,
    asking,
    with_appeal,
)
from projections.rules.answers import Answer
from projections.rules.subjects.appeals import (
    ADMISSIBLE,
    APPEAL_ADMISSIBILITY,
    DISQUALIFICATION,
    EXPULSION,
    NOT_APPEALABLE,
    OTHER,
    SLOW_PLAY,
    Appealed,
    sanction_of,
)


def after_filed(
    state: Appeals, event: RecordedEvent, filed: appeal.AppealFiled, seen: Seen
) -> Result:
    """An appeal as it is filed: admitted, not admitted, or a question."""
    step = seen.step_of(filed.target)
    facts = Appealed(
        against=_against(step),
        has_played_on=seen.has_since(filed.target, _is_play),
        is_second=_is_second(state, filed.target, step, seen),
    )
    answer = seen.rules.ask(APPEAL_ADMISSIBILITY, facts)
    admitted = None if answer.is_open else answer.outcome == ADMISSIBLE
    now = Appeal(event.entry_id, event.version, filed.seat, admitted, against=facts, answer=answer)
    now = asking(now, APPEAL_ADMISSIBILITY, event, answer)
    findings: tuple[Finding, ...] = ()
    if step is None:
        message = said(
            "an appeal names entry {entry}, and this match holds none", entry=filed.target
        )
        cite = (seen.rules.profile.id, answer.section)
        findings = (found("reference-unknown", event, message, cite=cite, seat=filed.seat),)
    if admitted is not True:
        # Decisions against which no appeal is allowed, or against which alone one was allowed.
        first = seen.rules.ask(APPEAL_ADMISSIBILITY, replace(facts, is_second=False))
        is_never = first.outcome == NOT_APPEALABLE
        message = _not_admitted(filed.seat, facts, answer, is_never=is_never)
        findings += (
            judged(
                "appeal-admissibility",
                event,
                message,
                answer,
                APPEAL_ADMISSIBILITY,
                seen.rules,
                seat=now.seat,
            ),
        )
    return with_appeal(state, now, now), findings


def _not_admitted(seat: Seat, facts: Appealed, answer: Answer, *, is_never: bool) -> Said:
    """That an appeal is not admitted, or may not be, and why."""
    if answer.outcome != NOT_APPEALABLE:
        return said(
            "{seat} appeals; whether the appeal is admitted is for the Director to decide",
            seat=seat,
        )
    if is_never and facts.against in _FINAL:
        return said(
            "{seat} appeals against {what}, and the rules allow no appeal against that",
            seat=seat,
            what=_AGAINST[facts.against],
        )
    return said("{seat} appeals against what a committee has decided, and that is final", seat=seat)


_AGAINST = {
    SLOW_PLAY: said("what the Director has decided on slow play"),
    DISQUALIFICATION: said("a disqualification"),
    EXPULSION: said("being sent from the playing area"),
}
_FINAL = tuple(_AGAINST)
"""Decisions against which one text or another allows no appeal."""

_PLAYED = (
    dice.Rolled,
    dice.OpeningRolled,
    dice.RolledEarly,
    play.PlayMade,
    play.PlayUnseen,
    cube.DoubleOffered,
    match.GameStarted,
    match.ResultPosted,
    match.MatchNextStarted,
)
"""Entries that show that play, or the tournament, went on; not those that a ruling itself
causes."""


def _is_play(step: SeenStep) -> bool:
    return isinstance(step.event.payload, _PLAYED)


def _is_second(state: Appeals, target: str, step: object, seen: Seen) -> bool:
    """Whether the appeal is against a committee's decision, or against something decided by one."""
    match getattr(getattr(step, "event", None), "payload", None):
        case appeal.AppealDecided():
            return True
        case dispute.RulingCarriedOut(ruling=str() as ruling) if ruling != target:
            return _is_second(state, ruling, seen.step_of(ruling), seen)
    decided = [
        known.entry_id
        for known in state.appeals
        if known.entry_id and (known.announced or (known.is_polled and known.result))
    ]
    if target in decided:
        return True
    filed = [seen.step_of(entry_id) for entry_id in decided]
    return any(target_of(one.event) == target for one in filed if one is not None)


def _against(step: object) -> str:
    """The kind of ruling that an appeal names."""
    match getattr(getattr(step, "event", None), "payload", None):
        case penalty.PlayerDisqualified():
            return DISQUALIFICATION
        case penalty.SanctionImposed(kind=kind):
            return sanction_of(kind)
        case penalty.PenaltyAssessed(ground=ground) | penalty.ForfeitDeclared(ground=ground):
            return SLOW_PLAY if ground is penalty.PenaltyGround.SLOW_PLAY else OTHER
        case penalty.SlowPlayWarned() | clock.ClockSet(imposed=True):
            return SLOW_PLAY
        case _:
            return OTHER


def after_refused(state: Appeals, event: RecordedEvent, named: str, seen: Seen) -> Result:
    """An appeal that is refused, though by the rules it may be admitted."""
    was = appeal_of(state, named)
    if was.answer is None:
        return state, NOTHING
    state = with_appeal(state, was, replace(was, is_refused=True))
    if was.is_admitted is not True:
        return state, NOTHING
    message = said("an appeal is refused, and by the rules it is admitted")
    cite = (seen.rules.profile.id, was.answer.section)
    return state, (found("appeal-refused", event, message, cite=cite, seat=was.seat),)
