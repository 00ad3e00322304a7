"""Whose turn it is, who has to act, which roll is in play.

The flow takes entries at their word (design §8.3): a roll by the wrong player makes it that
player's turn, and is found. Whether an act ended a turn under the rule set in force is the
premature-action and windows folds' answer, not this one's.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import ONE, TWO, Seat
from projections.folding.consequences import act_taken_back, resignation_undone
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Fold, Seen, cube_act, first_play, is_same_turn
from projections.folding.sayings import said
from projections.rules.profile import Rules

Result = tuple["Flow", tuple[Finding, ...]]


class Await(enum.StrEnum):
    """What the record waits for."""

    MATCH = "match"
    """The match is not opened."""
    GAME = "game"
    """Between games."""
    OPENING = "opening"
    """The opening roll."""
    ROLL = "roll"
    """A roll, or a double."""
    PLAY = "play"
    """The play of the roll in play."""
    ANSWER = "answer"
    """The answer to a double or a beaver."""
    RESIGNATION = "resignation"
    """The answer to a resignation."""
    CLAIM = "claim"
    """What the game was worth: a resignation was accepted at a level that nobody recorded."""
    NOTHING = "nothing"
    """The match is over."""
    CANCELLED = "cancelled"
    """Nothing any more: the match was cancelled, and what comes after changes no turn."""


# Members by module name: folds ask for these two at nearly every event.
_ROLL = Await.ROLL
_PLAY = Await.PLAY
_CANCELLED = Await.CANCELLED


class EarlyRoll(msgspec.Struct, frozen=True, gc=False):
    """Dice thrown before the opponent's turn had ended, and not answered away."""

    seat: Seat
    """Who threw."""
    dice: tuple[int, int]
    """The faces."""
    entry_id: str
    """The `dice.rolled_early`."""
    stands: bool = False
    """Whether the answer was that it stands."""


class Flow(msgspec.Struct, frozen=True, gc=False):
    """Where the game stands between the two players."""

    awaits: Await = Await.MATCH
    """What the record waits for."""
    in_game: bool = False
    """Whether a game is in progress."""
    on_roll: Seat | None = None
    """Whose turn it is."""
    to_act: Seat | None = None
    """Who has to decide now; the other one while a double waits."""
    turn_open: Seat | None = None
    """Who may still change the play just made."""
    dice: tuple[int, int] | None = None
    """The roll in play, not yet played; an opening roll as seat one's die, then seat two's."""
    turn_number: int = 0
    """Turns begun in this game."""
    roll_entry: str | None = None
    """The entry of the roll in play."""
    answering: Seat | None = None
    """Who has to answer a double or a beaver."""
    resigning: Seat | None = None
    """Who has offered to resign and got no answer yet."""
    resign_level: WinKind | None = None
    """At which level."""
    early: EarlyRoll | None = None
    """An early roll that is not answered away."""
    void_double: Seat | None = None
    """Who has made a double that the rule set holds void, until it is answered or play goes on."""

    @property
    def awaits_opening(self) -> bool:
        """Whether the opening roll of the game is still to come."""
        return self.awaits is Await.OPENING

    @property
    def is_cancelled(self) -> bool:
        """Whether the match was cancelled."""
        return self.awaits is Await.CANCELLED

    @property
    def early_entry(self) -> str | None:
        """The entry of an early roll that is not answered away."""
        return None if self.early is None else self.early.entry_id

    def dice_of(self, seat: Seat) -> tuple[int, int] | None:
        """The roll that `seat` has to play: the one in play, else its early one."""
        if self.dice is not None:
            return self.dice if self.on_roll is seat else None
        if self.early is not None and self.early.seat is seat:
            return self.early.dice
        return None


_ROLLED = dice.Rolled
_PLAY_MADE = play.PlayMade


def evolve(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    """Whose turn it is after one event."""
    if state.awaits is _CANCELLED:
        return state, NOTHING
    payload = event.payload
    kind = type(payload)
    # The two that make up nearly all of a match; a pattern costs several look-ups.
    if kind is _ROLLED:
        return _rolled(state, event, payload, seen)
    if kind is _PLAY_MADE:
        return _played(state, event, payload.seat, seen)
    match payload:
        case clock.ClockPressed(seat=seat) | dice.TurnEnded(seat=seat):
            return _turn_ended(state, seat), NOTHING
        case match.GameStarted():
            return Flow(awaits=Await.OPENING, in_game=True), NOTHING
        case dice.OpeningRolled(one=one, two=two):
            return _opening(state, event, one, two, seen)
        case cube.DoubleOffered(seat=seat):
            return _doubled(state, event, seat, seen)
        case cube.DoubleTaken() | cube.DoubleDropped() | cube.CubeBeavered():
            return _answered(state, event, seen)
        case cube.CubeStated():
            return _by_the_cube(state, seen), NOTHING
        case cube.CubeActionVoided(target=target):
            return _cube_voided(state, event, target, seen), NOTHING
        case match.GameWon():
            return (_between(seen) if state.in_game else state), NOTHING
        case dice.Voided(target=target):
            return _voided(state, event, target, seen)
        case dice.RolledEarly(seat=seat, dice=faces):
            return _rolled_early(state, event, seat, faces, seen)
        case dice.EarlyRollAnswered() as answered:
            return _early_answered(state, event, answered, seen)
        case play.PlayRevised() | play.PlayCorrected():
            return _replayed(state, event, seen), NOTHING
        case play.PlayUnseen(seat=seat, spans=spans):
            return _unseen(state, seat, spans, seen)
        case play.PositionStated(on_roll=seat, dice=faces):
            return _by_the_cube(_set(state, event, seat, faces), seen), NOTHING
        case dispute.RulingCarriedOut() as carried_out:
            return _carried_out(state, event, carried_out, seen), NOTHING
        case dispute.RulingMade():
            return _ruled(state, event, seen), NOTHING
        case dispute.DirectorCalled() if seen.score.revalued_at == event.version:
            return _between_anew(state, event, seen), NOTHING
        case ending.ResignationOffered(seat=seat, level=level):
            return _resigns(state, event, seat, level, seen)
        case ending.ResignationAccepted(seat=seat):
            return _resignation_accepted(state, event, seat, seen)
        case ending.ClaimMade() | ending.ClaimRuled() if seen.score.ended_at == event.version:
            return _between(seen), NOTHING
        case ending.ResignationRefused(seat=seat):
            return _resignation_refused(state, event, seat, seen)
        case match.MatchOpened():
            return Flow(awaits=Await.GAME), NOTHING
        case match.MatchEnded() | penalty.ForfeitDeclared() | penalty.PlayerDisqualified():
            return Flow(awaits=Await.NOTHING), NOTHING
        case match.MatchCancelled():
            return Flow(awaits=_CANCELLED), NOTHING
        case match.ScoreStated() | match.DecidingGameOrdered():
            return _between_anew(state, event, seen), NOTHING
        case _:
            return state, NOTHING


def _rolled(state: Flow, event: RecordedEvent, rolled: dice.Rolled, seen: Seen) -> Result:
    seat = rolled.seat
    findings = NOTHING
    turns = state.turn_number + 1
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    if state.on_roll is not seat or state.dice is not None or state.resigning is not None:
        findings = _about_roll(state, event, seat, seen)
        if state.on_roll is seat and state.dice is not None:
            turns = state.turn_number
    new = Flow(_PLAY, True, seat, seat, None, rolled.dice, turns, event.entry_id)
    return new, findings


def _about_roll(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> tuple[Finding, ...]:
    """What is to be said about a roll by a player who had none to make."""
    findings = _lapsed(state, event, seen)
    cite = seen.rules.cite("turn")
    if state.on_roll is not None and state.on_roll is not seat:
        message = said("{seat} rolls, and {other} is on roll", seat=seat, other=state.on_roll)
        if state.dice is not None:
            message = said(
                "{seat} rolls, and {other} is on roll, whose {dice} is not played",
                seat=seat,
                other=state.on_roll,
                dice=_in_words(state.dice),
            )
        findings += (found("out-of-turn", event, message, cite=cite, seat=seat),)
    elif state.dice is not None:
        message = said(
            "{seat} rolls again, whose {dice} is not played", seat=seat, dice=_in_words(state.dice)
        )
        findings += (found("roll-not-played", event, message, cite=cite, seat=seat),)
    return findings


def _played(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    findings = NOTHING
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    if state.on_roll is not seat and state.on_roll is not None:
        message = said("{seat} plays, and {other} is on roll", seat=seat, other=state.on_roll)
        cite = seen.rules.cite("turn")
        findings = (found("out-of-turn", event, message, cite=cite, seat=seat),)
    if state.resigning is not None:
        findings = (*_lapsed(state, event, seen), *findings)
    if seen.score.ended_at == event.version:
        return _between(seen), findings
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    early = state.early
    if early is not None and early.seat is seat:
        early = None
    other = TWO if seat is ONE else ONE
    new = Flow(_ROLL, True, other, other, seat, None, turns, None, None, None, None, early)
    return new, findings


def _between(seen: Seen) -> Flow:
    return Flow(awaits=Await.GAME if seen.score.winner is None else Await.NOTHING)


def _between_anew(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    """Between games: whether another one is to come, now that the score is another."""
    if state.in_game or state.awaits is Await.MATCH:
        return state
    if isinstance(event.payload, match.DecidingGameOrdered):
        return Flow(awaits=Await.GAME)
    return _between(seen)


def _outside(event: RecordedEvent, seat: Seat | None, seen: Seen) -> Finding:
    message = said("{tag} while no game is in progress", tag=event.tag)
    return found("outside-game", event, message, cite=seen.rules.cite("turn"), seat=seat)


def _lapsed(state: Flow, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """A resignation that was left without its answer when play went on."""
    if state.resigning is None:
        return NOTHING
    message = said("play went on while a resignation waited for its answer")
    if state.awaits is Await.CLAIM:
        message = said("play went on although a resignation was accepted")
    cite = seen.rules.cite("ending")
    return (found("offer-not-answered", event, message, cite=cite, seat=state.resigning),)


def _in_words(faces: tuple[int, int]) -> str:
    return f"{faces[0]}{faces[1]}"


def _turn_ended(state: Flow, seat: Seat) -> Flow:
    if state.turn_open is not seat:
        return state
    return _promoted(replace(state, turn_open=None))


def _promoted(state: Flow) -> Flow:
    """An early roll that stands is the roll once the turn before it has ended (design §8.4)."""
    early = state.early
    if (
        early is None
        or not early.stands
        or state.awaits is not Await.ROLL
        or state.turn_open is not None
        or state.on_roll is not early.seat
    ):
        return state
    return Flow(
        Await.PLAY,
        state.in_game,
        early.seat,
        early.seat,
        None,
        early.dice,
        state.turn_number + 1,
        early.entry_id,
    )


def _opening(state: Flow, event: RecordedEvent, one: int, two: int, seen: Seen) -> Result:
    if not state.in_game:
        return state, (_outside(event, None, seen),)
    findings = _lapsed(state, event, seen)
    if state.turn_number:
        message = said("an opening roll {dice}, and the game has begun", dice=_in_words((one, two)))
        findings += (found("opening-again", event, message, cite=seen.rules.cite("dice")),)
    if one == two:
        return Flow(awaits=Await.OPENING, in_game=True), findings
    seat = ONE if one > two else TWO
    new = Flow(Await.PLAY, True, seat, seat, None, (one, two), 1, event.entry_id)
    return new, findings


def _doubled(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    if seen.cube.void_at == event.version:
        return replace(state, void_double=seat), NOTHING
    findings = _lapsed(state, event, seen)
    # With the other's roll in play, that turn goes on after the answer.
    on_roll = state.on_roll if state.dice is not None and state.on_roll is not None else seat
    new = replace(
        state,
        awaits=Await.ANSWER,
        on_roll=on_roll,
        to_act=seat.other,
        turn_open=None,
        answering=seat.other,
        resigning=None,
        resign_level=None,
        void_double=None,
    )
    return new, findings


def _answered(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    """After a take, a drop or a beaver; one that nobody was asked for changes nothing."""
    if seen.score.ended_at == event.version:
        return _between(seen), _lapsed(state, event, seen)
    if state.void_double is event.payload.seat.other and state.answering is not event.payload.seat:
        return replace(state, void_double=None), NOTHING
    new = _by_the_cube(state, seen)
    if new is state or state.resigning is None:
        return new, NOTHING
    return replace(new, resigning=None, resign_level=None), _lapsed(state, event, seen)


def _by_the_cube(state: Flow, seen: Seen) -> Flow:
    """Who has to answer is whom the cube's offer waits for; it may have lapsed or been settled."""
    offered_by: Seat | None = seen.cube.offered_by if state.in_game else None
    if offered_by is not None:
        if state.answering is offered_by.other:
            return state
        to_act = offered_by.other
        return replace(state, awaits=Await.ANSWER, to_act=to_act, answering=to_act, turn_open=None)
    if state.answering is None:
        return state
    new = replace(state, answering=None)
    return new if state.awaits is Await.RESIGNATION else _turn_goes_on(new)


def _turn_goes_on(state: Flow) -> Flow:
    """Nothing waits for an answer: back to the roll, or to its play."""
    if state.dice is not None:
        return replace(state, awaits=Await.PLAY, to_act=state.on_roll)
    is_opening = state.on_roll is None and state.turn_number == 0
    awaits = Await.OPENING if is_opening else Await.ROLL
    return _promoted(replace(state, awaits=awaits, to_act=state.on_roll))


def _voided(state: Flow, event: RecordedEvent, target: str | None, seen: Seen) -> Result:
    """A throw void at once changes nothing; the roll in play, voided later, is thrown again."""
    if target is None:
        return state, NOTHING
    step = seen.step_of(target)
    cite = seen.rules.cite("dice")
    if step is None or not isinstance(
        step.event.payload, dice.Rolled | dice.OpeningRolled | dice.RolledEarly
    ):
        message = said(
            "dice.voided names entry {entry}, and no throw of this match has that id", entry=target
        )
        return state, (found("reference-unknown", event, message, cite=cite),)
    if state.early_entry == target:
        return replace(state, early=None), NOTHING
    if state.roll_entry != target and seen.positions.rewound_at != event.version:
        message = said(
            "a throw is voided that was played on; the board stays until it is put right"
        )
        return state, (found("void-throw-played", event, message, cite=cite),)
    if isinstance(step.event.payload, dice.OpeningRolled):
        return Flow(awaits=Await.OPENING, in_game=state.in_game), NOTHING
    seat: Seat | None = step.event.payload.seat
    if isinstance(step.event.payload, dice.Rolled) and step.before.flow.on_roll is not None:
        seat = step.before.flow.on_roll
    turns = max(0, state.turn_number - 1)
    return _by_the_cube(Flow(Await.ROLL, state.in_game, seat, seat, turn_number=turns), seen), (
        NOTHING
    )


def _rolled_early(
    state: Flow, event: RecordedEvent, seat: Seat, faces: tuple[int, int], seen: Seen
) -> Result:
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    return replace(state, early=EarlyRoll(seat, faces, event.entry_id)), NOTHING


def _early_answered(
    state: Flow, event: RecordedEvent, answered: dice.EarlyRollAnswered, seen: Seen
) -> Result:
    early, target = state.early, answered.target
    if early is None or target not in (None, early.entry_id):
        return state, _late_answer(event, target, seen)
    if answered.answer is dice.EarlyRollAnswer.REDONE:
        return replace(state, early=None), NOTHING
    if answered.answer is dice.EarlyRollAnswer.STANDS:
        return _promoted(replace(state, early=replace(early, stands=True))), NOTHING
    return state, NOTHING


def _late_answer(event: RecordedEvent, target: str | None, seen: Seen) -> tuple[Finding, ...]:
    """An answer to an early roll that was played or thrown again; what it does is for a ruling."""
    cite = seen.rules.cite("turn")
    if target is None:
        if seen.premature.is_unanswered:
            return NOTHING
        message = said("an early roll is answered, and none is recorded")
        return (found("answer-without-offer", event, message, cite=cite),)
    step = seen.step_of(target)
    if step is not None and isinstance(step.event.payload, dice.RolledEarly):
        return NOTHING
    message = said(
        "dice.early_roll_answered names entry {entry}, and no early roll has that id", entry=target
    )
    return (found("reference-unknown", event, message, cite=cite),)


def _replayed(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    """After another play in the place of one, the opponent of who played it is on roll."""
    if seen.score.ended_at == event.version:
        return _between(seen)
    step = first_play(seen, event)
    if step is None or not (state.in_game or seen.score.reopened_at == event.version):
        return state
    changed = event.payload
    is_revision = isinstance(changed, play.PlayRevised)
    is_last = state.in_game and seen.positions.rewound_at != event.version
    if is_last and (is_revision or _keeps(changed, state.roll_entry)):
        return state if is_revision else _by_the_cube(replace(state, turn_open=None), seen)
    early = state.early if not is_revision and _keeps(changed, state.early_entry) else None
    then = step.before.flow
    seat: Seat = step.event.payload.seat
    return Flow(
        Await.ROLL,
        True,
        seat.other,
        seat.other,
        seat if is_revision else None,
        turn_number=then.turn_number if then.dice is not None else then.turn_number + 1,
        early=early,
    )


def _keeps(corrected: play.PlayCorrected, roll: str | None) -> bool:
    """Whether a roll made since the play stands: what is undone is listed, and it is not there."""
    return roll is not None and bool(corrected.undoes) and roll not in corrected.undoes


def _unseen(state: Flow, seat: Seat | None, spans: play.UnseenSpan, seen: Seen) -> Result:
    if spans is play.UnseenSpan.GAMES:
        # Whole games went by: whatever comes next begins with a game or a stated board.
        new = state if state.awaits is Await.MATCH else Flow(awaits=Await.GAME)
        return new, NOTHING
    if not state.in_game:
        return state, NOTHING
    on_roll = None if seat is None else seat.other
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    return Flow(Await.ROLL, True, on_roll, on_roll, turn_number=turns), NOTHING


def _set(
    state: Flow, event: RecordedEvent, seat: Seat | None, faces: tuple[int, int] | None
) -> Flow:
    """Whose turn it is, as somebody states it; what is not stated stays as it was."""
    if seat is None and faces is None:
        if state.in_game:
            return replace(state, turn_open=None)
        return Flow(awaits=Await.ROLL, in_game=True)
    on_roll = seat or state.on_roll
    turns = state.turn_number
    if faces is None:
        return Flow(Await.ROLL, True, on_roll, on_roll, turn_number=turns)
    if state.dice is None:
        turns += 1
    return Flow(Await.PLAY, True, on_roll, on_roll, None, faces, turns, event.entry_id)


def _carried_out(
    state: Flow, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Flow:
    if seen.score.ended_at == event.version:
        return _between(seen)
    if not state.in_game and carried_out.checkers is None:
        return _between_anew(state, event, seen)
    if (carried_out.checkers, carried_out.on_roll, carried_out.dice) != (None, None, None):
        state = _set(state, event, carried_out.on_roll, carried_out.dice)
    return _by_the_cube(state, seen)


def _resigns(
    state: Flow, event: RecordedEvent, seat: Seat, level: WinKind | None, seen: Seen
) -> Result:
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    new = replace(
        state,
        awaits=Await.RESIGNATION,
        to_act=seat.other,
        resigning=seat,
        resign_level=level,
    )
    return new, NOTHING


def _resignation_accepted(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if seen.score.ended_at == event.version:
        return _between(seen), NOTHING
    if state.resigning is None or state.resigning is seat:
        return state, (_no_offer(event, seat, seen),)
    if seen.score.kept_at == event.version:
        return _not_resigned(state), NOTHING
    # Accepted at a level that the source does not say: the claim that follows ends the game.
    return replace(state, awaits=Await.CLAIM, to_act=None, answering=None), NOTHING


def _resignation_refused(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if state.resigning is None or state.resigning is seat:
        return state, (_no_offer(event, seat, seen),)
    return _not_resigned(state), NOTHING


def _not_resigned(state: Flow) -> Flow:
    """The game goes on where it stood when a resignation was offered."""
    new = replace(state, resigning=None, resign_level=None)
    if state.answering is not None:
        return replace(new, awaits=Await.ANSWER, to_act=state.answering)
    return _turn_goes_on(new)


def _no_offer(event: RecordedEvent, seat: Seat, seen: Seen) -> Finding:
    message = said(
        "{seat} answers a resignation, and none waits for that player's answer", seat=seat
    )
    cite = seen.rules.cite("ending")
    return found("answer-without-offer", event, message, cite=cite, seat=seat)


def _ruled(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    """Whose turn it is after a ruling: it may end a game, let one go on, or take an act back."""
    if seen.score.ended_at == event.version:
        return _between(seen)
    if seen.score.revalued_at == event.version:
        return _between_anew(state, event, seen)
    resigned = resignation_undone(event, seen)
    if resigned is not None:
        then: Any = resigned.before.flow
        return _by_the_cube(_not_resigned(then), seen)
    step = act_taken_back(event, seen)
    if step is None:
        return _by_the_cube(state, seen)
    was: Flow = step.before.flow  # type: ignore[assignment]  # what the flow's own state was
    return was if not state.in_game else _by_the_cube(replace(was, early=state.early), seen)


def _cube_voided(state: Flow, event: RecordedEvent, target: str, seen: Seen) -> Flow:
    """A cube act declared void never was: a double leaves its player on roll, unanswered."""
    if state.void_double is not None:
        state = replace(state, void_double=None)
    step = cube_act(seen, target)
    if step is not None:
        was: Flow = step.before.flow  # type: ignore[assignment]  # what the flow's own state was
        if seen.score.reopened_at == event.version:
            return was
        if is_same_turn(step.before, seen) and state.resigning is None:
            return _by_the_cube(replace(was, early=state.early), seen)
    return _by_the_cube(state, seen)


_HEARS: tuple[type[Payload], ...] = (
    dice.Rolled,
    play.PlayMade,
    clock.ClockPressed,
    dice.TurnEnded,
    match.GameStarted,
    dice.OpeningRolled,
    cube.DoubleOffered,
    cube.CubeBeavered,
    cube.DoubleTaken,
    cube.DoubleDropped,
    match.GameWon,
    dice.Voided,
    dice.RolledEarly,
    dice.EarlyRollAnswered,
    play.PlayRevised,
    play.PlayCorrected,
    play.PlayUnseen,
    play.PositionStated,
    dispute.RulingCarriedOut,
    dispute.RulingMade,
    dispute.DirectorCalled,
    ending.ResignationOffered,
    ending.ResignationAccepted,
    ending.ResignationRefused,
    ending.ClaimMade,
    ending.ClaimRuled,
    cube.CubeActionVoided,
    cube.CubeStated,
    match.MatchOpened,
    match.MatchEnded,
    match.MatchCancelled,
    match.ScoreStated,
    match.DecidingGameOrdered,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Flow:
    """The match is not opened."""
    return Flow()


FOLD: Fold[Flow] = Fold("flow", _HEARS, initial, evolve)
"""The flow's fold."""
