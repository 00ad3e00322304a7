"""Illegal plays that were noticed: what has happened since, and whether they may be corrected."""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.payloads import clock, cube, dice, dispute, play
from events.payloads.base import Actor
from events.values import Seat
from projections.board.legal import Reason, judge, legal_positions
from projections.folding.fold import Seen, SeenPast, SeenStep, changed_play, seat_of
from projections.rules.answers import Answer
from projections.rules.subjects.windows import DOES_NOT_COUNT, STANDS, WINDOW_PLAY, WindowFacts


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
    """A Director has ruled in words that are not one of the text's readings."""


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
    """The rule set's answer: must or may it be corrected, whose choice, until when."""
    facts: WindowFacts
    """What the rule set was asked."""
    play_is: PlayIs
    """What has become of it."""
    asked_at: str
    """The entry at which its questions arose: the notice, or a later word of the players."""
    closed_by: str | None = None
    """What closed the window: a roll, a condonation, a correction, a ruling; None while open."""
    follows: Answer | None = None
    """What follows from a ruling; None without one, and if the text does not say."""
    follows_at: str | None = None
    """The entry of the ruling; questions that arise from it are asked there."""

    @property
    def holds(self) -> Answer:
        """What holds for the play: the rule set's answer, or what follows from a ruling on it."""
        return self.follows or self.answer

    @property
    def is_decided(self) -> bool:
        """Whether a ruling decided about the play, and not only about who may speak up."""
        return self.answer.ruled_at is not None and self.answer.outcome != DOES_NOT_COUNT


def unnoticed(seen: SeenPast, made: SeenStep, until: SeenStep | None = None) -> Answer:
    """The rule set's answer if a player noticed an illegal play now, or had just before."""
    notice = play.PlayIllegalityNoticed(target=made.event.entry_id)
    facts = what_happened(seen, made, until).facts(notice=notice, agreed=False, illegal_plays=1)
    return seen.rules.ask(WINDOW_PLAY, facts)


def as_it_is(noticed: Noticed, seen: SeenPast) -> Noticed:
    """A noticed play about which nothing was done, with its window as it is now.

    The event named by the rule closes it, and the end of the game at the latest. What a ruling has
    ordered stays open until it is done.
    """
    if noticed.play_is is not PlayIs.OPEN or noticed.follows is not None:
        return noticed
    made = seen.step_of(noticed.made)
    assert made is not None
    since = what_happened(seen, made)
    entry_id = since.step.event.entry_id
    if entry_id != noticed.facts.play and is_legal(since.step, noticed.offender):
        return replace(noticed, play_is=PlayIs.CORRECTED, closed_by=entry_id)
    then = noticed.facts
    facts = since.facts(notice=noticed.notice, agreed=then.agreed, illegal_plays=then.illegal_plays)
    answer = seen.rules.ask(WINDOW_PLAY, facts)
    if answer.outcome == STANDS:
        closed_by = answer.details.get("closed_by")
    elif facts.game_over is not None:
        answer, closed_by = noticed.answer, facts.game_over
    else:
        return noticed
    return replace(noticed, play_is=PlayIs.STANDS, answer=answer, facts=facts, closed_by=closed_by)


def is_legal(step: SeenStep, seat: Seat) -> bool | None:
    """Whether a play, or a change of one, is legal on the board; None if that is not known.

    A roll left unplayed is judged as a play without moves.
    """
    made = step.event.payload
    if isinstance(made, _LEAVING):
        return _may_pass(step, seat)
    assert isinstance(made, play.PlayMade | play.PlayRevised | play.PlayCorrected)
    positions = step.after.positions
    before, after, dice = positions.before_play, positions.board, positions.dice
    if before is None or dice is None or positions.player is not seat:
        return None
    if isinstance(made, play.PlayCorrected):
        return judge(before, dice, made.moves).is_legal
    if made.resulting_position is not None:
        if after is None:
            return None
        own = after.seen_by(seat)
        return own in legal_positions(before, dice)
    return judge(before, dice, made.moves, hits_not_lifted=made.hits_not_lifted).is_legal


_OF_THE_ROLL = (Reason.NOT_THE_DICE, Reason.MUST_PLAY_MORE, Reason.MUST_PLAY_HIGHER)


def _class_by_board(step: SeenStep, seat: Seat) -> play.IllegalityClass | None:
    """The class of an illegal play that nobody classified, where the board leaves no doubt."""
    made, positions = step.event.payload, step.after.positions
    before, dice = positions.before_play, positions.dice
    if (
        not isinstance(made, play.PlayMade | play.PlayRevised)
        or made.resulting_position is not None
    ):
        return None
    if before is None or dice is None or positions.player is not seat:
        return None
    verdict = judge(before, dice, made.moves, hits_not_lifted=made.hits_not_lifted)
    return play.IllegalityClass.DICE_OR_PIPS if verdict.reason in _OF_THE_ROLL else None


_LEAVING = (clock.ClockPressed, dice.TurnEnded)
"""Payloads that may end a turn whose roll was not played."""


def is_unplayed(step: SeenStep) -> bool:
    """Whether a step ended a turn, with its roll on the table and not played."""
    ended, flow = step.event.payload, step.before.flow
    assert isinstance(ended, _LEAVING)
    is_rolled = flow.dice is not None and flow.on_roll is ended.seat
    return is_rolled and step.after.flow.is_ended


def _may_pass(step: SeenStep, seat: Seat) -> bool | None:
    """Whether nothing of the roll could be played; None where the board is not known."""
    board, roll = step.before.positions.board, step.before.flow.dice
    if board is None or roll is None:
        return None
    own = board.seen_by(seat)
    return judge(own, roll, ()).is_legal


_CHANGES = (play.PlayRevised, play.PlayCorrected)


class _Since:
    """What happened after a play, gathered step by step."""

    def __init__(self, made: SeenStep) -> None:
        self.number = made.before.score.game_number
        self.offender = seat_of(made)
        self.opponent = self.offender.other
        self.early: str | None = None
        self.accepted: str | None = None
        self.known = made.event.entry_id
        """The last entry that was looked at."""
        self.changed = {self.known}
        self.is_complete = False
        self.begin(made)

    def go_on(self, seen: SeenPast, until: SeenStep | None) -> None:
        """Take in what has happened since it was asked last; `until` an event."""
        changing: SeenStep | None = None
        for step in () if self.is_complete else seen.steps_since(self.known):
            payload, self.known = step.event.payload, step.event.entry_id
            if until is not None and step.event.version >= until.event.version:
                break
            if isinstance(payload, _CHANGES) and payload.target in self.changed:
                self.changed.add(self.known)
                changing = step
                if self.early and step.after.flow.early_entry != self.early:
                    self.early = None  # The change took an early roll that stands into account.
                continue
            if changing is not None:
                self.begin(changing)
                changing = None
            if not self.take(step):
                self.is_complete = True
                return
        if changing is not None:
            self.begin(changing)

    def begin(self, step: SeenStep) -> None:
        """Begin at the play, or at the one that replaced it."""
        self.step = step
        self.play = step.event.entry_id
        self.is_closed_out = _is_closed_out(step, self.opponent)
        self.rolls: list[tuple[str, Seat]] = []
        self.plays: list[str] = []
        self.later: dict[str, None] = {}
        self.void: str | None = None
        self.accepted = self.accepted if self.early else None
        self.undone: str | None = None
        self.double: str | None = None
        self.is_double_first = False
        self.passed: str | None = None
        self.is_spectator_asked = False
        self.is_passing = False
        self.over: str | None = None
        self.was_won = step.before.judged.outcome.winner is not None
        self._end(step)

    def take(self, step: SeenStep) -> bool:
        """Take in one more step; False if it belongs to another game."""
        entry = step.event.entry_id
        if step.after.score.game_number != self.number:
            self.over = self.over or entry
            return False
        if not (step.before.flow.in_game or step.after.flow.in_game):
            return True  # A throw or a move after the game closes no window in it.
        match step.event.payload:
            case dice.Rolled(seat=seat):
                self._turn_begins(seat, entry)
                self._rolls(seat, entry)
            case play.PlayMade(seat=seat, moves=moves):
                self._plays(step, seat, bool(moves))
            case play.PlayUnseen(seat=seat):  # Its roll was not recorded.
                for who in (self.opponent, self.offender) if seat is None else (seat,):
                    self._rolls(who, entry)
            case dice.Voided(target=target):
                self._voids(target, entry)
            case dispute.RulingMade():
                self._ruled(step)
            case dispute.TestimonyGiven(role=Actor.SPECTATOR, at_request_of=Actor.BOTH):
                self.is_spectator_asked = True
            case dice.RolledEarly(seat=seat) if seat is self.opponent:
                self.early = entry
            case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE) if self.early:
                self._voids(self.early, entry)
            case dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS) if self.early:
                self.accepted = self.accepted or entry
                if step.after.judged.premature.void_roll != self.early:
                    self.later[self.early] = None
            case cube.DoubleOffered(seat=seat) if step.after.cube.offered_by is seat:
                self._turn_begins(seat, entry)
                if seat is self.opponent and self.double is None:
                    self.double = entry
                    self.is_double_first = self._first(seat) is None
            case cube.CubeActionVoided(target=target) if target == self.double:
                self.double, self.is_double_first = None, False
            case dice.TurnEnded(seat=seat) | clock.ClockPressed(seat=seat):
                self._turn_begins(seat.other, entry)
        self._end(step)
        return True

    def _end(self, step: SeenStep) -> None:
        # If the match was won before the play, nothing since then has ended it.
        won = not self.was_won and step.after.judged.outcome.winner is not None
        goes_on = step.after.flow.in_game and not won
        self.over = None if goes_on else self.over or step.event.entry_id

    def _turn_begins(self, seat: Seat, entry: str) -> None:
        """The opponent's turn without a roll ends here, at the latest."""
        is_passed = self.is_passing or (self.is_closed_out and not self._first(self.opponent))
        if is_passed and seat is self.offender:
            self.is_passing, self.passed = False, self.passed or entry

    def _rolls(self, seat: Seat, entry: str) -> None:
        self.rolls.append((entry, seat))
        self.later[entry] = None

    def _plays(self, step: SeenStep, seat: Seat, moved: bool) -> None:
        is_left = isinstance(self.step.event.payload, _LEAVING)
        if is_left and seat is self.offender and not self.rolls:
            self.early = None
            self.begin(step)  # The roll that was left is played after all.
            return
        flow = step.before.flow
        is_early = moved and self.early in (flow.early_entry, flow.roll_entry)
        if self.early is not None and is_early and seat is self.opponent:
            self.later[self.early] = None
        if flow.dice_of(seat) is None:
            if moved:
                # A play without a recorded roll stands for the roll with which it was made.
                self._rolls(seat, step.event.entry_id)
                return
            self.is_passing = seat is self.opponent
        self.later[step.event.entry_id] = None

    def _voids(self, target: str | None, entry: str) -> None:
        if target is not None and target == self.early:
            self.later.pop(target, None)
            self.early, self.undone = None, target
            return
        if target is not None and target not in self.later:
            return  # A throw from before the play.
        self.rolls = [roll for roll in self.rolls if roll[0] != target]
        self.later = {later: None for later in self.later if later != target}
        self.void = self.void or entry

    def _ruled(self, step: SeenStep) -> None:
        """A ruling on a throw: it was the roll from the beginning, or never was one."""
        was, flow = step.before.flow, step.after.flow
        early, entry = was.early_entry, step.event.entry_id
        if early and early == self.early != flow.early_entry:
            if flow.roll_entry == early:
                self.accepted, self.later[early] = entry, None
            else:
                self._voids(early, entry)
        elif was.dice is None and flow.dice is not None and flow.on_roll and flow.roll_entry:
            self.void = None
            self._rolls(flow.on_roll, flow.roll_entry)
        elif was.dice is not None and flow.dice is None and was.roll_entry is not None:
            self._voids(was.roll_entry, entry)

    def _first(self, seat: Seat) -> str | None:
        return next((entry for entry, who in self.rolls if who is seat), None)

    def facts(
        self, *, notice: play.PlayIllegalityNoticed, agreed: bool, illegal_plays: int
    ) -> WindowFacts:
        """What the rule set is asked."""
        illegality, noticed_by = notice.illegality_class, notice.noticed_by
        if illegality is None and isinstance(self.step.event.payload, _LEAVING):
            # Leaving a roll unplayed is an illegality about the roll alone.
            illegality = play.IllegalityClass.DICE_OR_PIPS
        illegality = illegality or _class_by_board(self.step, self.offender)
        rolled = self._first(self.opponent)
        return WindowFacts(
            play=self.play,
            illegality=None if illegality is None else illegality.value,
            noticed_by=None if noticed_by is None else noticed_by.value,
            is_spectator_asked=self.is_spectator_asked,
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


def what_happened(seen: SeenPast, made: SeenStep, until: SeenStep | None = None) -> _Since:
    """What happened after a play, or after its last replacement; `until` an event.

    Folds that ask again go on from where they were, so that many notices cost no more than one.
    """
    kept = seen.gathered if until is None else {}
    key = ("plays", made.event.entry_id)
    since: _Since | None = kept.get(key)
    if since is None:
        since, early = _Since(made), made.after.flow.early_entry
        thrown = None if early is None else seen.step_of(early)
        if thrown is not None and seat_of(thrown) is since.opponent:
            since.early = early
        kept[key] = since
    since.go_on(seen, until)
    return since


def _is_closed_out(step: SeenStep, seat: Seat) -> bool:
    """Whether `seat` has a checker on the bar after the step, and no point to enter."""
    board = step.after.positions.board
    return board is not None and board.seen_by(seat).is_closed_out


def put_right(seen: SeenPast, made: SeenStep, target: str) -> SeenStep | None:
    """The correction of a play, if a notice follows that is about the play itself."""
    corrected, changed, about = None, {made.event.entry_id}, set[str]()
    for step in seen.steps_since(made.event.entry_id):
        payload = step.event.payload
        if isinstance(payload, _CHANGES) and payload.target in changed:
            changed.add(step.event.entry_id)
            if isinstance(payload, play.PlayCorrected):
                corrected, about = step, set()
            about.add(step.event.entry_id)
    is_about_it = target in about
    if corrected is None or is_about_it or is_legal(corrected, seat_of(made)) is False:
        return None
    return corrected


def play_behind(seen: Seen, target: str) -> SeenStep | None:
    """The `play.made` that a notice or a correction is about, however often it was changed.

    If the illegality is a roll left unplayed, the entry that ended that turn.
    """
    while (step := seen.step_of(target)) is not None:
        match step.event.payload:
            case play.PlayMade():
                return step
            case clock.ClockPressed() | dice.TurnEnded() if is_unplayed(step):
                return step
            case play.PlayRevised(target=earlier) | play.PlayCorrected(target=earlier) if (
                _is_earlier(seen, earlier, step)
            ):
                target = changed_play(step) or earlier
            case _:
                return None
    return None


def _is_earlier(seen: Seen, target: str, than: SeenStep) -> bool:
    """Whether the target of a change comes before it, as it need not in a fuzzed stream."""
    step = seen.step_of(target)
    return step is not None and step.event.version < than.event.version
