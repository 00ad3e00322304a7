"""Windows: what may still be corrected, by whom, until when, and what closed it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import dispute, play
from events.payloads.base import Actor, Payload
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep, on, seat_of
from projections.folding.questions import as_asked, is_same_question, ruled, ruled_beside
from projections.folding.sayings import said
from projections.judging.illegal_plays import (
    Noticed,
    PlayIs,
    as_it_is,
    is_legal,
    play_behind,
    put_right,
    what_happened,
)
from projections.judging.play_findings import (
    answer_found,
    asked_beside,
    done_otherwise,
    with_other_dice,
)
from projections.rules.answers import Answer
from projections.rules.subjects.windows import (
    MUST_CORRECT,
    OPPONENT_DECIDES,
    STANDS,
    WINDOW_PLAY,
    after_ruling,
)

Result = tuple["Windows", tuple[Finding, ...]]

_RULED = (Actor.DIRECTOR, Actor.COMMITTEE)


class Windows(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    plays: tuple[Noticed, ...] = ()
    """Illegal plays that were noticed; the one noticed or dealt with most recently comes last."""

    def double_asked_at(self, entry_id: str) -> str | None:
        """The double that a question asked at this entry is about; None if there is none."""
        doubles = (
            one.facts.opponent_doubled
            for one in self.plays
            if entry_id in (one.asked_at, one.follows_at) and "double" in one.holds.also
        )
        return next(doubles, None)


def evolve(state: Windows, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case play.PlayIllegalityNoticed() as notice:
            return _noticed(state, event, notice, seen)
        case play.PlayIllegalityAnswered() as answered:
            return _answered(state, event, answered, seen)
        case play.PlayCorrected() as corrected:
            return _corrected(state, event, corrected, seen)
        case dispute.RulingMade(answers=answers) if answers and state.plays:
            return _ruled(state, event, seen)
        case _:
            return state, NOTHING


def _noticed(
    state: Windows, event: RecordedEvent, notice: play.PlayIllegalityNoticed, seen: Seen
) -> Result:
    step = play_behind(seen, notice.target)
    if step is None:
        message = said(
            "a play is called illegal that this match does not hold: entry {entry}",
            entry=notice.target,
        )
        return state, (found("reference-unknown", event, message, cite=seen.rules.cite("play")),)
    made = step.event.entry_id
    known = next((one for one in state.plays if one.made == made), None)
    corrected = put_right(seen, step, notice.target)
    if corrected is not None:
        return _with_corrected(state, event, known, step, corrected, notice, seen), NOTHING
    new = _judged(state, event.entry_id, event.entry_id, step, notice, seen)
    if known is not None and _adds_nothing(known, new):
        return state, NOTHING
    return _with(state, new), answer_found(event, new, seen)


def _with_corrected(
    state: Windows,
    event: RecordedEvent,
    known: Noticed | None,
    made: SeenStep,
    corrected: SeenStep,
    notice: play.PlayIllegalityNoticed,
    seen: Seen,
) -> Windows:
    """A notice recorded after the correction of its play: the correction stands."""
    if known is not None:
        return state
    entry_id = event.entry_id
    new = _judged(state, entry_id, entry_id, made, notice, seen, until=corrected)
    if new.play_is is not PlayIs.OPEN:
        # No question about it is needed any more.
        return state
    closed_by = corrected.event.entry_id
    return _with(state, replace(new, play_is=PlayIs.CORRECTED, closed_by=closed_by))


def _adds_nothing(known: Noticed, new: Noticed) -> bool:
    """Whether the same play was judged the same before; a second notice adds nothing."""
    is_unused = known.play_is in (PlayIs.OPEN, PlayIs.STANDS) and known.follows is None
    if is_unused and new.facts.game_over is not None and new.answer.is_open:
        # Noticed in time, and left so to the end of the game.
        return True
    is_same = known.facts.play == new.facts.play
    if known.play_is is PlayIs.CONDONED:
        # The player who had the choice has made it; a mandatory correction is still due.
        is_left = known.holds.outcome == OPPONENT_DECIDES or new.answer.is_open
        return is_same and is_left
    return is_same and (known.is_decided or as_asked(known.answer) == new.answer)


def _answered(
    state: Windows, event: RecordedEvent, answered: play.PlayIllegalityAnswered, seen: Seen
) -> Result:
    known = _named(state, answered.target)
    if known is None:
        message = said("an illegal play is answered, and no notice of one is recorded")
        cite = seen.rules.cite("play")
        return state, (found("answer-without-offer", event, message, cite=cite),)
    if answered.answer is play.IllegalityAnswer.AGREED_LATER:
        return _agreed(state, event, known, seen)
    now = as_it_is(known, seen)
    if now is not known:
        return _shut(state, event, known, now, seen)
    if known.holds.outcome == OPPONENT_DECIDES and known.play_is is PlayIs.OPEN:
        if answered.by is not None and answered.by.seat is known.offender:
            message = said(
                "{seat} answers an illegal play, and the choice is {other}'s",
                seat=known.offender,
                other=known.offender.other,
            )
            return state, (done_otherwise(event, known, message, seen),)
        if known.follows is None:
            # A choice is only valid while the window is open; it may have closed since the notice.
            now = _again(state, event, known, seen)
            if now.answer.outcome != OPPONENT_DECIDES:
                return _with(state, now), answer_found(event, now, seen)
    if answered.answer is not play.IllegalityAnswer.CONDONED:
        # The player who had the choice condoned it; a mandatory correction is still due.
        is_chosen = known.play_is is PlayIs.CONDONED and known.holds.outcome == OPPONENT_DECIDES
        if known.play_is not in _STANDING and not is_chosen:
            return state, NOTHING
        message = said(
            "a correction of the play of {seat} is demanded, though it stands", seat=known.offender
        )
        return state, (done_otherwise(event, known, message, seen),)
    if known.play_is not in _UNDECIDED:
        return state, NOTHING
    new = replace(known, play_is=PlayIs.CONDONED, closed_by=event.entry_id)
    if known.holds.outcome != MUST_CORRECT:
        return _with(state, new), NOTHING
    message = said(
        "an illegal play of {seat} is condoned that had to be corrected", seat=known.offender
    )
    return _with(state, new), (done_otherwise(event, known, message, seen),)


def _shut(state: Windows, event: RecordedEvent, known: Noticed, now: Noticed, seen: Seen) -> Result:
    """What players say or do about a noticed play after its window has closed."""
    again = _again(state, event, known, seen)
    if now.play_is is PlayIs.STANDS and again.answer.is_open:
        # AMB-M7: somebody wants a correction although the game is over.
        return _with(state, again), answer_found(event, again, seen)
    findings = answer_found(event, now, seen) if now.play_is is PlayIs.STANDS else NOTHING
    return _with(state, now), findings


def _agreed(state: Windows, event: RecordedEvent, known: Noticed, seen: Seen) -> Result:
    """Both players agree to correct a play, as they must, may, or may not do."""
    new = _again(state, event, known, seen, agreed=True)
    if known.is_decided and (
        known.play_is is PlayIs.OPEN or is_same_question(known.answer, new.answer)
    ):
        # After a ruling no agreement is needed, and nothing is asked again.
        return state, NOTHING
    if not new.answer.is_open:
        return _with(state, new), NOTHING
    if known.answer.is_open:
        return _with(state, replace(new, asked_at=known.asked_at)), NOTHING
    return _with(state, new), answer_found(event, new, seen)


def _corrected(
    state: Windows, event: RecordedEvent, corrected: play.PlayCorrected, seen: Seen
) -> Result:
    step = play_behind(seen, corrected.target)
    if step is None:
        return state, NOTHING
    known = next((one for one in state.plays if one.made == step.event.entry_id), None)
    if known is None:
        known = _left(state, event, step, seen)
        if known is None:
            known = _unnoticed(state, event, step, corrected, seen)
    else:
        known = as_it_is(known, seen)
    if known is None:
        return state, NOTHING
    is_ruled = corrected.by in _RULED or event.basis is Basis.RULED
    is_agreed = event.basis is Basis.AGREED or corrected.by is Actor.BOTH
    findings = NOTHING
    if known.play_is in _STANDING and is_agreed and not is_ruled:
        state, findings = _agreed(state, event, known, seen)
        known = _named(state, known.entry_id) or known
    against = None if is_ruled else _AGAINST.get(known.play_is)
    if known.play_is is PlayIs.CONDONED and (is_agreed or known.holds.outcome == MUST_CORRECT):
        against = None
    if against is not None:
        # The board follows the table; the window stays closed.
        message = said(
            "{seat}'s play is corrected, {against}", seat=known.offender, against=against
        )
        return _with(state, known), (*findings, done_otherwise(event, known, message, seen))
    if not (is_ruled or is_agreed) and _is_undemanded(known, step, corrected, seen):
        message = said(
            "{seat}'s play is corrected after the turn, and {other} has not demanded it",
            seat=known.offender,
            other=known.offender.other,
        )
        told = found(
            "correction-differs", event, message, cite=seen.rules.cite("turn"), seat=known.offender
        )
        findings = (*findings, told)
    known = replace(known, play_is=PlayIs.CORRECTED, closed_by=event.entry_id)
    other_dice = None if is_ruled else with_other_dice(step, corrected)
    if other_dice is not None:
        findings = (*findings, done_otherwise(event, known, other_dice, seen))
    return _with(state, known), findings


def _left(state: Windows, event: RecordedEvent, made: SeenStep, seen: Seen) -> Noticed | None:
    """An illegal play that was noticed only after its window had closed; None = there is none."""
    notice = play.PlayIllegalityNoticed(target=made.event.entry_id)
    new = _judged(state, event.entry_id, event.entry_id, made, notice, seen)
    is_illegal = is_legal(what_happened(seen, made).step, new.offender) is False
    return new if is_illegal and new.play_is is PlayIs.STANDS else None


def _unnoticed(
    state: Windows,
    event: RecordedEvent,
    made: SeenStep,
    corrected: play.PlayCorrected,
    seen: Seen,
) -> Noticed | None:
    """An illegal play corrected by its own player, though the other has the choice; else None."""
    notice = play.PlayIllegalityNoticed(target=made.event.entry_id, noticed_by=corrected.by)
    new = _judged(state, event.entry_id, event.entry_id, made, notice, seen)
    is_illegal = is_legal(what_happened(seen, made).step, new.offender) is False
    return new if is_illegal and _is_undemanded(new, made, corrected, seen) else None


def _is_undemanded(
    known: Noticed, made: SeenStep, corrected: play.PlayCorrected, seen: Seen
) -> bool:
    """Whether a player changes an illegal play after the turn, which only the opponent may demand.

    Not where the opponent noticed it, or may have because nobody is recorded as having done so:
    then the change counts as demanded.
    """
    by, offender = corrected.by, known.offender
    if known.answer.outcome != OPPONENT_DECIDES or by is None or by.seat is not offender:
        return False
    noticed_by = known.notice.noticed_by
    if noticed_by is None or noticed_by.seat is not offender:
        return False
    later = [one.event.payload for one in seen.steps_since(made.event.entry_id)]
    is_demanded = any(
        isinstance(one, play.PlayIllegalityAnswered)
        and one.answer is not play.IllegalityAnswer.CONDONED
        for one in later
    )
    turn = (seen.score.game_number, seen.flow.turn_number, offender)
    return not is_demanded and seen.premature.end_of_turn(*turn) is not None


_AGAINST = {
    PlayIs.STANDS: said("though by the rules it stands: the time for it was over"),
    PlayIs.STANDS_BY_RULING: said("though a ruling lets it stand"),
    PlayIs.CONDONED: said("though it was condoned"),
}

_STANDING = (PlayIs.STANDS, PlayIs.STANDS_BY_RULING)

_UNDECIDED = (PlayIs.OPEN, PlayIs.ASKED)


def _ruled(state: Windows, event: RecordedEvent, seen: Seen) -> Result:
    """Apply a ruling to the noticed play that it is about; nothing is asked about it again."""
    plays: list[Noticed] = []
    findings = NOTHING
    for known in state.plays:
        new, asked = _by_ruling(known, event, seen)
        plays.append(new)
        findings += asked
    if all(new is known for new, known in zip(plays, state.plays, strict=True)):
        return state, NOTHING
    return Windows(plays[-1].answer, tuple(plays)), findings


def _by_ruling(
    known: Noticed, event: RecordedEvent, seen: Seen
) -> tuple[Noticed, tuple[Finding, ...]]:
    """A noticed play after a ruling, and the questions that arise from the ruling."""
    seat, follows = known.offender, known.follows
    answer = ruled(known.answer, seen, "window.play", known.asked_at, seat)
    beside = ruled_beside(answer, seen, "window", known.asked_at, seat)
    if follows is not None and known.follows_at is not None:
        follows = ruled_beside(follows, seen, "window", known.follows_at, seat)
    if beside is known.answer and follows is known.follows:
        return known, NOTHING
    new = replace(known, answer=beside, follows=follows)
    if answer is known.answer:
        return new, NOTHING
    made = seen.step_of(known.made)
    assert made is not None
    facts = replace(known.facts, later=tuple(what_happened(seen, made).later))
    follows = after_ruling(answer.outcome, answer, facts, seen.rules)
    new = replace(new, follows=follows, follows_at=event.entry_id)
    if new.play_is is PlayIs.CORRECTED:
        # It was corrected at the table before the ruling, and that stands.
        return new, NOTHING
    play_is = PlayIs.RULED
    if follows is not None:
        play_is = PlayIs.STANDS_BY_RULING if follows.outcome == STANDS else PlayIs.OPEN
    closed_by = None if play_is is PlayIs.OPEN else event.entry_id
    new = replace(new, play_is=play_is, closed_by=closed_by)
    if follows is None:
        return new, NOTHING
    others = [(name, also) for name, also in follows.also.items() if name not in answer.also]
    return new, asked_beside(event, new, others, seen)


def _named(state: Windows, notice: str | None) -> Noticed | None:
    """The noticed play that an answer names by its notice; None = the last one."""
    known = [one for one in state.plays if notice in (None, one.entry_id, one.made)]
    return known[-1] if known else None


def _with(state: Windows, new: Noticed) -> Windows:
    """The state with a noticed play as the last one."""
    others = tuple(one for one in state.plays if one.made != new.made)
    return Windows(new.answer, (*others, new))


def _again(
    state: Windows, event: RecordedEvent, known: Noticed, seen: Seen, *, agreed: bool = False
) -> Noticed:
    """A noticed play as the rule set answers it now; what it leaves open arises at `event`."""
    made = seen.step_of(known.made)
    assert made is not None
    return _judged(state, known.entry_id, event.entry_id, made, known.notice, seen, agreed=agreed)


def _judged(
    state: Windows,
    entry_id: str,
    asked_at: str,
    made: SeenStep,
    notice: play.PlayIllegalityNoticed,
    seen: Seen,
    *,
    agreed: bool = False,
    until: SeenStep | None = None,
) -> Noticed:
    """A play noticed at `entry_id`, as the rule set answers what happened since."""
    offender = seat_of(made)
    others = sum(
        one.offender is offender and one.made != made.event.entry_id for one in state.plays
    )
    since = what_happened(seen, made, until)
    facts = since.facts(notice=notice, agreed=agreed, illegal_plays=others + 1)
    answer = seen.rules.ask(WINDOW_PLAY, facts)
    play_is = PlayIs.OPEN
    if answer.is_open:
        play_is = PlayIs.ASKED
    elif answer.outcome == STANDS:
        play_is = PlayIs.STANDS
    closed_by = answer.details.get("closed_by") if play_is is PlayIs.STANDS else None
    return Noticed(
        entry_id,
        made.event.entry_id,
        offender,
        notice,
        answer,
        facts,
        play_is,
        asked_at,
        closed_by,
    )


_HEARS: tuple[type[Payload], ...] = (
    play.PlayIllegalityNoticed,
    play.PlayIllegalityAnswered,
    play.PlayCorrected,
    dispute.RulingMade,
)

FOLD = Fold(Windows, *(on(kind, evolve) for kind in _HEARS))
"""The fold of windows."""
