"""Windows: what may still be corrected, by whom, until when, and what closed it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, play
from events.payloads.base import Actor, Payload
from events.values import BAR, ONE, Seat
from projections.board.legal import judge, legal_positions
from projections.board.position import Position
from projections.folding.findings import Finding, found, judged
from projections.folding.fold import NOTHING, Fold, Seen, SeenStep
from projections.folding.questions import as_asked, is_same_question, ruled, ruled_beside
from projections.folding.sayings import Said, said, worded
from projections.rules.answers import CONFLICT, Answer
from projections.rules.profile import Rules
from projections.rules.subjects.windows import (
    DOES_NOT_COUNT,
    MUST_CORRECT,
    OPPONENT_DECIDES,
    STANDS,
    WindowFacts,
    after_ruling,
)

Result = tuple["Windows", tuple[Finding, ...]]

_RULED = (Actor.DIRECTOR, Actor.COMMITTEE)


class PlayIs(enum.StrEnum):
    """What became of an illegal play that was noticed."""

    OPEN = "open"
    """It may or must be corrected, and nothing was done yet."""
    STANDS = "stands"
    """Its window closed before anything was done about it."""
    STANDS_BY_RULING = "stands_by_ruling"
    """A Director's ruling let it stand."""
    CONDONED = "condoned"
    """It was left standing although it could have been corrected."""
    CORRECTED = "corrected"
    """Another play was made in its place."""
    ASKED = "asked"
    """A person has to rule."""
    RULED = "ruled"
    """A Director has ruled, in words from which this text cannot tell what becomes of it."""


class Noticed(msgspec.Struct, frozen=True, gc=False):
    """An illegal play that somebody noticed, and its window."""

    entry_id: str
    """The notice."""
    made: str
    """The `play.made`, however often it was changed."""
    offender: Seat
    """Who made it."""
    notice: play.PlayIllegalityNoticed
    """Who noticed what, since when known."""
    answer: Answer
    """What the rule set says: must, may, whose choice, until what; what closed it, undoes what."""
    facts: WindowFacts
    """What the rule set was asked."""
    play_is: PlayIs
    """What became of it."""
    asked_at: str
    """The entry at which its questions arose: the notice, or what both said to it later."""
    closed_by: str | None = None
    """What shut the window: a roll, who condoned it, a correction, a ruling; None while open."""
    follows: Answer | None = None
    """What follows from a ruling; None while there is none, and where the text cannot say."""
    follows_at: str | None = None
    """The ruling's entry: questions that arise from it are asked there."""

    @property
    def holds(self) -> Answer:
        """What holds for the play: the rule set's answer, or what follows from a ruling on it."""
        return self.follows or self.answer

    @property
    def is_decided(self) -> bool:
        """Whether a ruling decided about the play; one on who may speak decides nothing more."""
        return self.answer.ruled_at is not None and self.answer.outcome != DOES_NOT_COUNT


class Windows(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    plays: tuple[Noticed, ...] = ()
    """Illegal plays that were noticed; the one that was noticed or dealt with last comes last."""


def evolve(state: Windows, event: RecordedEvent, seen: Seen) -> Result:
    """The judgements after one event."""
    match event.payload:
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


# Notices, answers, corrections.


def _noticed(
    state: Windows, event: RecordedEvent, notice: play.PlayIllegalityNoticed, seen: Seen
) -> Result:
    step = _play_behind(seen, notice.target)
    if step is None:
        message = said(
            "the notice names entry {entry}, and no play of this match has that id",
            entry=notice.target,
        )
        return state, (found("reference-unknown", event, message, cite=seen.rules.cite("play")),)
    made = step.event.entry_id
    known = next((one for one in state.plays if one.made == made), None)
    corrected = _put_right(seen, step, notice.target)
    if corrected is not None:
        return _with_corrected(state, event, known, step, corrected, notice, seen), NOTHING
    new = _judged(state, event.entry_id, event.entry_id, step, notice, seen)
    if known is not None and _adds_nothing(known, new):
        return state, NOTHING
    return _with(state, new), _said(event, new, seen)


def _put_right(seen: Past, made: SeenStep, target: str) -> SeenStep | None:
    """The correction of a play, where a notice of it comes afterwards and is not about that."""
    corrected, changed, about = None, {made.event.entry_id}, set[str]()
    for step in seen.steps_since(made.event.entry_id):
        payload = step.event.payload
        if isinstance(payload, play.PlayRevised | play.PlayCorrected) and payload.target in changed:
            changed.add(step.event.entry_id)
            if isinstance(payload, play.PlayCorrected):
                corrected, about = step, set()
            about.add(step.event.entry_id)
    is_about_it = target in about
    if corrected is None or is_about_it or is_legal(corrected, made.event.payload.seat) is False:
        return None
    return corrected


def _with_corrected(
    state: Windows,
    event: RecordedEvent,
    known: Noticed | None,
    made: SeenStep,
    corrected: SeenStep,
    notice: play.PlayIllegalityNoticed,
    seen: Seen,
) -> Windows:
    """A play that was corrected before it was recorded who had noticed it: it stays so."""
    if known is not None:
        return state
    entry_id = event.entry_id
    new = _judged(state, entry_id, entry_id, made, notice, seen, until=corrected)
    if new.play_is is not PlayIs.OPEN:
        # Nobody asks any more what became of it.
        return state
    closed_by = corrected.event.entry_id
    return _with(state, replace(new, play_is=PlayIs.CORRECTED, closed_by=closed_by))


def _adds_nothing(known: Noticed, new: Noticed) -> bool:
    """Whether the same play was judged so before: whoever else sees it adds and asks nothing."""
    is_unused = known.play_is in (PlayIs.OPEN, PlayIs.STANDS) and known.follows is None
    if is_unused and new.facts.game_over is not None and new.answer.is_open:
        # Noticed in time, and left so to the end of the game.
        return True
    is_said = known.is_decided or as_asked(known.answer) == new.answer
    is_left = known.play_is is PlayIs.CONDONED and not new.answer.is_open
    return is_said and not is_left and known.facts.play == new.facts.play


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
            message = said("the offender answers an illegal play, and the choice is the opponent's")
            return state, (_against(event, known, message, seen),)
        if known.follows is None:
            # A choice is to be made inside the window, too: it may have closed since the notice.
            now = _again(state, event, known, seen)
            if now.answer.outcome != OPPONENT_DECIDES:
                return _with(state, now), _said(event, now, seen)
    if answered.answer is not play.IllegalityAnswer.CONDONED:
        if known.play_is not in _STANDING:
            return state, NOTHING
        message = said("a correction is demanded, though the play stands")
        return state, (_against(event, known, message, seen),)
    if known.play_is not in _UNDECIDED:
        return state, NOTHING
    new = replace(known, play_is=PlayIs.CONDONED, closed_by=event.entry_id)
    if known.holds.outcome != MUST_CORRECT:
        return _with(state, new), NOTHING
    message = said("an illegal play is condoned that had to be corrected")
    return _with(state, new), (_against(event, known, message, seen),)


def _shut(state: Windows, event: RecordedEvent, known: Noticed, now: Noticed, seen: Seen) -> Result:
    """Something is said or done about a play that was noticed, after its window has closed."""
    again = _again(state, event, known, seen)
    if now.play_is is PlayIs.STANDS and again.answer.is_open:
        # AMB-M7: the game is over, and somebody would like to have it corrected all the same.
        return _with(state, again), _said(event, again, seen)
    return _with(state, now), _said(event, now, seen) if now.play_is is PlayIs.STANDS else NOTHING


def _agreed(state: Windows, event: RecordedEvent, known: Noticed, seen: Seen) -> Result:
    """Both players agree to correct a play: they may have to, be free to, or not be."""
    new = _again(state, event, known, seen, agreed=True)
    if known.is_decided and (
        known.play_is is PlayIs.OPEN or is_same_question(known.answer, new.answer)
    ):
        # What was ruled need not be agreed on, and is not asked anew.
        return state, NOTHING
    if not new.answer.is_open:
        return _with(state, new), NOTHING
    if known.answer.is_open:
        return _with(state, replace(new, asked_at=known.asked_at)), NOTHING
    return _with(state, new), _said(event, new, seen)


def _corrected(
    state: Windows, event: RecordedEvent, corrected: play.PlayCorrected, seen: Seen
) -> Result:
    step = _play_behind(seen, corrected.target)
    if step is None:
        return state, NOTHING
    known = next((one for one in state.plays if one.made == step.event.entry_id), None)
    known = _left(state, event, step, seen) if known is None else as_it_is(known, seen)
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
        # The board is what the table made it; the window stays shut.
        message = said("a play is corrected {against}", against=against)
        return _with(state, known), (*findings, _against(event, known, message, seen))
    known = replace(known, play_is=PlayIs.CORRECTED, closed_by=event.entry_id)
    return _with(state, known), findings


def _left(state: Windows, event: RecordedEvent, made: SeenStep, seen: Seen) -> Noticed | None:
    """An illegal play that nobody had noticed until its window had closed; None = no such play."""
    notice = play.PlayIllegalityNoticed(target=made.event.entry_id)
    new = _judged(state, event.entry_id, event.entry_id, made, notice, seen)
    is_illegal = is_legal(_since(seen, made).step, new.offender) is False
    return new if is_illegal and new.play_is is PlayIs.STANDS else None


_AGAINST = {
    PlayIs.STANDS: said("whose window had closed"),
    PlayIs.STANDS_BY_RULING: said("that a ruling lets stand"),
    PlayIs.CONDONED: said("that was condoned"),
}
_STANDING = (PlayIs.STANDS, PlayIs.STANDS_BY_RULING)
_UNDECIDED = (PlayIs.OPEN, PlayIs.ASKED)


def _ruled(state: Windows, event: RecordedEvent, seen: Seen) -> Result:
    """What a ruling answered: the play goes on from the reading, and is not asked about again."""
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
    """A noticed play after a ruling, and the questions that arise from what was ruled."""
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
    facts = replace(known.facts, later=tuple(_since(seen, made).later))
    follows = after_ruling(answer.outcome, answer, facts, seen.rules)
    new = replace(new, follows=follows, follows_at=event.entry_id)
    if new.play_is is PlayIs.CORRECTED:
        # Put right at the table before anybody ruled: that happened.
        return new, NOTHING
    play_is = PlayIs.RULED
    if follows is not None:
        play_is = PlayIs.STANDS_BY_RULING if follows.outcome == STANDS else PlayIs.OPEN
    closed_by = None if play_is is PlayIs.OPEN else event.entry_id
    new = replace(new, play_is=play_is, closed_by=closed_by)
    if follows is None:
        return new, NOTHING
    others = [(name, also) for name, also in follows.also.items() if name not in answer.also]
    return new, _beside(event, new, others, seen)


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
    offender: Seat = made.event.payload.seat
    others = sum(
        one.offender is offender and one.made != made.event.entry_id for one in state.plays
    )
    since = _since(seen, made, until)
    facts = since.facts(notice=notice, agreed=agreed, illegal_plays=others + 1)
    answer = seen.rules.ask("window.play", facts)
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


class Past(Protocol):
    """What is asked about earlier entries, of a fold's `seen` or of a replay that is done."""

    rules: Rules

    def step_of(self, entry_id: str) -> SeenStep | None:
        """The earlier event with this entry id; None if the stream holds none."""
        ...

    def steps_since(self, entry_id: str) -> Sequence[SeenStep]:
        """The earlier events after the one with this entry id; none if the stream holds none."""
        ...


def unnoticed(seen: Past, made: SeenStep, until: SeenStep | None = None) -> Answer:
    """What the rule set would say if a player noticed an illegal play now, or had just before."""
    notice = play.PlayIllegalityNoticed(target=made.event.entry_id)
    facts = _since(seen, made, until).facts(notice=notice, agreed=False, illegal_plays=1)
    return seen.rules.ask("window.play", facts)


def as_it_is(noticed: Noticed, seen: Past) -> Noticed:
    """A noticed play of which nothing came: as it is now, its window shut since or not.

    Its rule's event shuts it, and the end of the game at the latest. What a ruling opened stays
    open until it is done.
    """
    if noticed.play_is is not PlayIs.OPEN or noticed.follows is not None:
        return noticed
    made = seen.step_of(noticed.made)
    assert made is not None
    since = _since(seen, made)
    entry_id = since.step.event.entry_id
    if entry_id != noticed.facts.play and is_legal(since.step, noticed.offender):
        return replace(noticed, play_is=PlayIs.CORRECTED, closed_by=entry_id)
    then = noticed.facts
    facts = since.facts(notice=noticed.notice, agreed=then.agreed, illegal_plays=then.illegal_plays)
    answer = seen.rules.ask("window.play", facts)
    if answer.outcome == STANDS:
        closed_by = answer.details.get("closed_by")
    elif facts.game_over is not None:
        answer, closed_by = noticed.answer, facts.game_over
    else:
        return noticed
    return replace(noticed, play_is=PlayIs.STANDS, answer=answer, facts=facts, closed_by=closed_by)


def is_legal(step: SeenStep, seat: Seat) -> bool | None:
    """Whether a play, or a change of one, is legal by the board; None where that is not known."""
    payload: Any = step.event.payload
    positions: Any = step.after.positions
    before, after, dice = positions.before_play, positions.board, positions.dice
    if before is None or dice is None or positions.player is not seat:
        return None
    if getattr(payload, "resulting_position", None) is not None:
        if after is None:
            return None
        own = after if seat is ONE else Position(after.other, after.own)
        return own in legal_positions(before, dice)
    hits_not_lifted = getattr(payload, "hits_not_lifted", ())
    return judge(before, dice, payload.moves, hits_not_lifted=hits_not_lifted).is_legal


# What happened since the play.


class _Since:
    """What happened after a play, gathered step by step."""

    def __init__(self, made: SeenStep) -> None:
        self.number = made.before.score.game_number
        self.offender: Seat = made.event.payload.seat
        self.opponent = self.offender.other
        self.begin(made)

    def begin(self, step: SeenStep) -> None:
        """From the play, or from the one that was put in its place."""
        self.step = step
        self.play = step.event.entry_id
        self.is_closed_out = _is_closed_out(step, self.opponent)
        self.rolls: list[tuple[str, Seat]] = []
        self.plays: list[str] = []
        self.later: list[str] = []
        self.void: str | None = None
        self.early: str | None = None
        self.accepted: str | None = None
        self.undone: str | None = None
        self.double: str | None = None
        self.is_double_first = False
        self.passed: str | None = None
        self.is_passing = False
        self.over: str | None = None
        self._end(step)

    def take(self, step: SeenStep) -> bool:
        """One step more; False where the game is another one."""
        entry = step.event.entry_id
        if step.after.score.game_number != self.number:
            self.over = self.over or entry
            return False
        if not (step.before.flow.in_game or step.after.flow.in_game):
            # What is thrown or moved after the game shuts nothing in it.
            return True
        match step.event.payload:
            case dice.Rolled(seat=seat):
                self._turn_begins(seat, entry)
                self._rolls(seat, entry)
            case play.PlayMade(seat=seat, moves=moves):
                self._plays(step, seat, bool(moves))
            case play.PlayUnseen(seat=seat):
                # Who played has rolled, though nobody saw it.
                for who in (self.opponent, self.offender) if seat is None else (seat,):
                    self._rolls(who, entry)
            case dice.Voided(target=target):
                self._voids(target, entry)
            case dice.RolledEarly(seat=seat) if seat is self.opponent:
                self.early = entry
            case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE):
                self.early, self.undone = None, self.early or self.undone
            case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS) if self.early:
                self.accepted = self.accepted or entry
            case cube.DoubleOffered(seat=seat) if step.after.cube.offered_by is seat:
                self._turn_begins(seat, entry)
                if seat is self.opponent and self.double is None:
                    self.double = entry
                    self.is_double_first = self._first(seat) is None
            case cube.CubeActionVoided(target=target) if target == self.double:
                self.double, self.is_double_first = None, False
            case dice.TurnEnded(seat=seat) | clock.ClockPressed(seat=seat):
                self._turn_begins(seat.other, entry)
            case _:
                pass
        self._end(step)
        return True

    def _end(self, step: SeenStep) -> None:
        self.over = None if step.after.flow.in_game else self.over or step.event.entry_id

    def _turn_begins(self, seat: Seat, entry: str) -> None:
        """The opponent's turn without a roll ends here, at the latest."""
        if self.is_passing and seat is self.offender:
            self.is_passing, self.passed = False, self.passed or entry

    def _rolls(self, seat: Seat, entry: str) -> None:
        self.rolls.append((entry, seat))
        self.later.append(entry)

    def _plays(self, step: SeenStep, seat: Seat, moved: bool) -> None:
        if step.before.flow.dice_of(seat) is None:
            if moved:
                # A play without a roll stands for the roll that it was made with.
                self._rolls(seat, step.event.entry_id)
                return
            self.is_passing = seat is self.opponent
        self.later.append(step.event.entry_id)

    def _voids(self, target: str | None, entry: str) -> None:
        if target is not None and target == self.early:
            self.early, self.undone = None, target
            return
        if target is not None and target not in self.later:
            # A throw from before the play.
            return
        self.rolls = [roll for roll in self.rolls if roll[0] != target]
        self.later = [later for later in self.later if later != target]
        self.void = self.void or entry

    def _first(self, seat: Seat) -> str | None:
        return next((entry for entry, who in self.rolls if who is seat), None)

    def facts(
        self, *, notice: play.PlayIllegalityNoticed, agreed: bool, illegal_plays: int
    ) -> WindowFacts:
        """What the rule set is asked."""
        illegality, noticed_by = notice.illegality_class, notice.noticed_by
        rolled = self._first(self.opponent)
        return WindowFacts(
            play=self.play,
            illegality=None if illegality is None else illegality.value,
            noticed_by=None if noticed_by is None else noticed_by.value,
            tossed=self.rolls[0][0] if self.rolls else None,
            opponent_rolled=rolled,
            rolled_or_doubled=self.double if self.is_double_first else rolled or self.double,
            void_throw=self.void,
            early_roll=self.early,
            early_accepted=self.accepted,
            early_undone=self.undone,
            is_closed_out=self.is_closed_out,
            opponent_doubled=self.double,
            turn_passed=self.passed,
            offender_rolled=self._first(self.offender),
            game_over=self.over,
            later=tuple(self.later),
            agreed=agreed,
            illegal_plays=illegal_plays,
            known_since=notice.known_since,
            is_legal=is_legal(self.step, self.offender) is True,
        )


def _since(seen: Past, made: SeenStep, until: SeenStep | None = None) -> _Since:
    """What happened after a play, or after what was last put in its place; `until` an event."""
    entry_id = made.event.entry_id
    early = made.after.flow.early_entry
    since = _Since(made)
    if _is_early_roll_against(seen, early, made):
        since.early = early
    changed = {entry_id}
    for step in seen.steps_since(entry_id):
        payload = step.event.payload
        if until is not None and step.event.version >= until.event.version:
            break
        if isinstance(payload, play.PlayRevised | play.PlayCorrected) and payload.target in changed:
            changed.add(step.event.entry_id)
            since.begin(step)
        elif not since.take(step):
            break
    return since


def _is_early_roll_against(seen: Past, entry_id: str | None, made: SeenStep) -> bool:
    step = None if entry_id is None else seen.step_of(entry_id)
    return step is not None and step.event.payload.seat is made.event.payload.seat.other


def _is_closed_out(step: SeenStep, seat: Seat) -> bool:
    """Whether `seat` has a checker on the bar after the step, and no point to enter."""
    board = step.after.positions.board
    if board is None:
        return False
    own, other = (board.own, board.other) if seat is Seat.ONE else (board.other, board.own)
    return own[BAR] > 0 and all(other[point] > 1 for point in range(1, 7))


def _play_behind(seen: Seen, target: str) -> SeenStep | None:
    """The `play.made` that a notice or a correction is about, however often it was changed."""
    while (step := seen.step_of(target)) is not None:
        match step.event.payload:
            case play.PlayMade():
                return step
            case play.PlayRevised(target=earlier) | play.PlayCorrected(target=earlier) if (
                _is_earlier(seen, earlier, step)
            ):
                target = earlier
            case _:
                return None
    return None


def _is_earlier(seen: Seen, target: str, than: SeenStep) -> bool:
    """Whether what a change names came before it: entries of a fuzzed stream name anything."""
    step = seen.step_of(target)
    return step is not None and step.event.version < than.event.version


# What is said.


def _said(event: RecordedEvent, noticed: Noticed, seen: Seen) -> tuple[Finding, ...]:
    """The finding of an answer, and one for each further question beside it."""
    answer = noticed.answer
    if answer.is_open:
        code, message = "correction-question", said("whether the illegal play is corrected")
        if answer.reason == CONFLICT:
            message = said("a play is called illegal, and by the board it is legal")
    elif answer.outcome == STANDS:
        code = "correction-too-late"
        message = said("the illegal play was noticed too late, and stands")
    else:
        code = "correction-due"
        message = said("the illegal play: {answer}", answer=worded(answer.outcome))
    first = _finding(code, event, message, answer, "play", noticed, seen)
    return (first, *_beside(event, noticed, answer.also.items(), seen))


def _beside(
    event: RecordedEvent, noticed: Noticed, others: Iterable[tuple[str, Answer]], seen: Seen
) -> tuple[Finding, ...]:
    return tuple(
        _finding(
            "correction-question",
            event,
            said("beside the illegal play: {what}", what=worded(name)),
            other,
            name,
            noticed,
            seen,
        )
        for name, other in others
        if other.is_open
    )


def _against(event: RecordedEvent, noticed: Noticed, message: Said, seen: Seen) -> Finding:
    """What the table did is not what the rule set provides for."""
    return _finding("correction-differs", event, message, noticed.answer, "play", noticed, seen)


def _finding(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    noticed: Noticed,
    seen: Seen,
) -> Finding:
    topic = f"window.{topic}"
    return judged(code, event, message, answer, topic, seen.rules, seat=noticed.offender)


_HEARS: tuple[type[Payload], ...] = (
    play.PlayIllegalityNoticed,
    play.PlayIllegalityAnswered,
    play.PlayCorrected,
    dispute.RulingMade,
)


def initial(rules: Rules) -> Windows:
    """Nothing judged."""
    return Windows()


FOLD: Fold[Windows] = Fold("windows", _HEARS, initial, evolve)
"""The fold of windows."""
