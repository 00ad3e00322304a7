"""Whose turn it is, who has to act, which roll is in play, and what may be recorded next.

The flow takes entries at their word (design §8.3): a roll by the wrong player makes it that
player's turn, and is found. Whether an act ended a turn under the rule set in force is the
premature-action and windows folds' answer, not this one's.
"""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads import clock, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Payload, WinKind
from events.values import ONE, TWO, Seat
from projections.findings import Finding, found
from projections.fold import NOTHING, Fold, Seen
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
    NOTHING = "nothing"
    """The match is over."""


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

    @property
    def awaits_opening(self) -> bool:
        """Whether the opening roll of the game is still to come."""
        return self.awaits is Await.OPENING

    def dice_of(self, seat: Seat) -> tuple[int, int] | None:
        """The roll that `seat` has to play: the one in play, else its early one."""
        if self.dice is not None:
            return self.dice if self.on_roll is seat else None
        if self.early is not None and self.early.seat is seat:
            return self.early.dice
        return None


def evolve(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    """Whose turn it is after one event."""
    match event.payload:
        case dice.Rolled() as rolled:
            return _rolled(state, event, rolled, seen)
        case play.PlayMade(seat=seat):
            return _played(state, event, seat, seen)
        case clock.ClockPressed(seat=seat) | dice.TurnEnded(seat=seat):
            return _turn_ended(state, seat), NOTHING
        case match.GameStarted():
            return Flow(awaits=Await.OPENING, in_game=True), NOTHING
        case dice.OpeningRolled(one=one, two=two):
            return _opening(state, event, one, two, seen)
        case cube.DoubleOffered(seat=seat):
            return _doubled(state, event, seat, seen)
        case cube.CubeBeavered(seat=seat):
            if state.answering is not seat:
                return state, NOTHING
            return replace(state, to_act=seat.other, answering=seat.other), NOTHING
        case cube.DoubleTaken(seat=seat):
            return _taken(state, seat), NOTHING
        case cube.DoubleDropped():
            return _over_if_ended(state, event, seen), NOTHING
        case match.GameWon():
            return (_between(seen) if state.in_game else state), NOTHING
        case dice.Voided() as voided:
            return _voided(state, event, voided, seen)
        case dice.RolledEarly(seat=seat, dice=faces):
            return _rolled_early(state, event, seat, faces, seen)
        case dice.EarlyRollAnswered(answer=answer):
            return _early_answered(state, event, answer, seen)
        case play.PlayRevised() | play.PlayCorrected():
            return _replayed(state, event, seen), NOTHING
        case play.PlayUnseen(seat=seat):
            return _unseen(state, seat), NOTHING
        case play.PositionStated(on_roll=seat, dice=faces):
            return _set(state, event, seat, faces, starts_game=True), NOTHING
        case dispute.RulingCarriedOut() as carried_out:
            return _carried_out(state, event, carried_out, seen), NOTHING
        case ending.ResignationOffered(seat=seat, level=level):
            return _resigns(state, event, seat, level, seen)
        case ending.ResignationAccepted():
            return _resignation_accepted(state, event, seen)
        case ending.ResignationRefused():
            return _resignation_refused(state, event, seen)
        case cube.CubeActionVoided(target=target):
            return _cube_voided(state, target, seen), NOTHING
        case match.MatchOpened():
            return Flow(awaits=Await.GAME), NOTHING
        case match.MatchEnded() | penalty.ForfeitDeclared() | penalty.PlayerDisqualified():
            return Flow(awaits=Await.NOTHING), NOTHING
        case _:
            return state, NOTHING


def _rolled(state: Flow, event: RecordedEvent, rolled: dice.Rolled, seen: Seen) -> Result:
    seat = rolled.seat
    findings = NOTHING
    if not state.in_game:
        findings = (_outside(event, seat, seen),)
    elif state.on_roll is not None and state.on_roll is not seat and state.answering is None:
        message = f"{seat.value} rolls, and {state.on_roll.value} is on roll"
        cite = seen.rules.cite("turn")
        findings = (found("out-of-turn", event, message, cite=cite, seat=seat),)
    turns = state.turn_number + 1
    new = Flow(Await.PLAY, state.in_game, seat, seat, None, rolled.dice, turns, event.entry_id)
    return new, findings


def _played(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    findings = NOTHING
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    if state.on_roll is not None and state.on_roll is not seat:
        message = f"{seat.value} plays, and {state.on_roll.value} is on roll"
        cite = seen.rules.cite("turn")
        findings = (found("out-of-turn", event, message, cite=cite, seat=seat),)
    if seen.score.ended_at == event.version:
        return _between(seen), findings
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    early = state.early
    if early is not None and early.seat is seat:
        early = None
    other = TWO if seat is ONE else ONE
    new = Flow(Await.ROLL, True, other, other, seat, None, turns, None, None, None, None, early)
    return new, findings


def _between(seen: Seen) -> Flow:
    return Flow(awaits=Await.GAME if seen.score.winner is None else Await.NOTHING)


def _over_if_ended(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    return _between(seen) if seen.score.ended_at == event.version else state


def _outside(event: RecordedEvent, seat: Seat | None, seen: Seen) -> Finding:
    message = f"{event.tag} while no game is in progress"
    return found("outside-game", event, message, cite=seen.rules.cite("turn"), seat=seat)


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
    findings = NOTHING if state.in_game else (_outside(event, None, seen),)
    if one == two:
        return replace(state, awaits=Await.OPENING, on_roll=None, to_act=None), findings
    seat = ONE if one > two else TWO
    new = Flow(Await.PLAY, state.in_game, seat, seat, None, (one, two), 1, event.entry_id)
    return new, findings


def _doubled(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> Result:
    if not state.in_game:
        return state, (_outside(event, seat, seen),)
    if seen.cube.void_at == event.version:
        return state, NOTHING
    new = replace(
        state,
        awaits=Await.ANSWER,
        on_roll=seat,
        to_act=seat.other,
        turn_open=None,
        answering=seat.other,
    )
    return new, NOTHING


def _taken(state: Flow, seat: Seat) -> Flow:
    if state.answering is None:
        return state
    awaits = Await.PLAY if state.dice is not None else Await.ROLL
    return replace(state, awaits=awaits, to_act=state.on_roll, answering=None)


def _voided(state: Flow, event: RecordedEvent, voided: dice.Voided, seen: Seen) -> Result:
    """A throw void at once changes nothing; the roll in play, voided later, is thrown again."""
    if voided.target is None:
        return state, NOTHING
    step = seen.step_of(voided.target)
    if step is None:
        message = f"dice.voided names entry {voided.target}, which this match does not hold"
        cite = seen.rules.cite("dice")
        return state, (found("reference-unknown", event, message, cite=cite),)
    if state.early is not None and state.early.entry_id == voided.target:
        return replace(state, early=None), NOTHING
    if state.roll_entry != voided.target:
        return state, NOTHING
    if isinstance(step.event.payload, dice.OpeningRolled):
        return Flow(awaits=Await.OPENING, in_game=state.in_game), NOTHING
    new = replace(
        state,
        awaits=Await.ROLL,
        dice=None,
        roll_entry=None,
        turn_number=max(0, state.turn_number - 1),
    )
    return new, NOTHING


def _rolled_early(
    state: Flow, event: RecordedEvent, seat: Seat, faces: tuple[int, int], seen: Seen
) -> Result:
    findings = NOTHING if state.in_game else (_outside(event, seat, seen),)
    return replace(state, early=EarlyRoll(seat, faces, event.entry_id)), findings


def _early_answered(
    state: Flow, event: RecordedEvent, answer: dice.EarlyRollAnswer, seen: Seen
) -> Result:
    if state.early is None:
        message = "an early roll is answered, and none is recorded"
        cite = seen.rules.cite("turn")
        return state, (found("answer-without-offer", event, message, cite=cite),)
    if answer is dice.EarlyRollAnswer.REDONE:
        return replace(state, early=None), NOTHING
    if answer is dice.EarlyRollAnswer.STANDS:
        return _promoted(replace(state, early=replace(state.early, stands=True))), NOTHING
    return state, NOTHING


def _replayed(state: Flow, event: RecordedEvent, seen: Seen) -> Flow:
    """After another play in the place of one, the opponent of who played it is on roll."""
    if seen.score.ended_at == event.version:
        return _between(seen)
    step = seen.step_of(event.payload.target)
    seat: Seat | None = None if step is None else getattr(step.event.payload, "seat", None)
    if step is None or seat is None:
        return state
    if isinstance(event.payload, play.PlayRevised) and state.in_game:
        return state
    return Flow(
        Await.ROLL,
        True,
        seat.other,
        seat.other,
        None,
        None,
        step.before.flow.turn_number,
        None,
        None,
        None,
        None,
        state.early,
    )


def _unseen(state: Flow, seat: Seat | None) -> Flow:
    if not state.in_game:
        return state
    on_roll = None if seat is None else seat.other
    return Flow(Await.ROLL, True, on_roll, on_roll, None, None, state.turn_number)


def _set(
    state: Flow,
    event: RecordedEvent,
    seat: Seat | None,
    faces: tuple[int, int] | None,
    *,
    starts_game: bool,
) -> Flow:
    """Whose turn it is, as somebody states it; what is not stated stays as it was."""
    in_game = state.in_game or starts_game
    if seat is None and faces is None:
        awaits = state.awaits if state.in_game else Await.ROLL
        return replace(state, awaits=awaits, in_game=in_game, turn_open=None)
    on_roll = seat or state.on_roll
    if faces is not None:
        return Flow(
            Await.PLAY, in_game, on_roll, on_roll, None, faces, state.turn_number, event.entry_id
        )
    return Flow(Await.ROLL, in_game, on_roll, on_roll, None, None, state.turn_number)


def _carried_out(
    state: Flow, event: RecordedEvent, carried_out: dispute.RulingCarriedOut, seen: Seen
) -> Flow:
    if seen.score.ended_at == event.version:
        return _between(seen)
    board = carried_out.checkers is not None
    if not board and carried_out.on_roll is None and carried_out.dice is None:
        return state
    return _set(state, event, carried_out.on_roll, carried_out.dice, starts_game=board)


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


def _resignation_accepted(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    if seen.score.ended_at == event.version:
        return _between(seen), NOTHING
    if state.resigning is None:
        return state, (_no_offer(event, seen),)
    # Accepted at a level that the source does not say: the claim that follows ends the game.
    return replace(state, to_act=state.on_roll), NOTHING


def _resignation_refused(state: Flow, event: RecordedEvent, seen: Seen) -> Result:
    if state.resigning is None:
        return state, (_no_offer(event, seen),)
    if state.answering is not None:
        awaits, to_act = Await.ANSWER, state.answering
    else:
        awaits = Await.PLAY if state.dice is not None else Await.ROLL
        to_act = state.on_roll or state.resigning
    new = replace(state, awaits=awaits, to_act=to_act, resigning=None, resign_level=None)
    return new, NOTHING


def _no_offer(event: RecordedEvent, seen: Seen) -> Finding:
    message = "a resignation is answered, and none waits for an answer"
    return found("answer-without-offer", event, message, cite=seen.rules.cite("ending"))


def _cube_voided(state: Flow, target: str, seen: Seen) -> Flow:
    """A double declared void leaves its player on roll, and nobody to answer it."""
    step = seen.step_of(target)
    if step is None or state.answering is None:
        return state
    awaits = Await.PLAY if state.dice is not None else Await.ROLL
    return replace(state, awaits=awaits, to_act=state.on_roll, answering=None)


_NEXT: dict[Await, tuple[str, ...]] = {
    Await.MATCH: ("match.opened",),
    Await.GAME: ("game.started", "position.stated", "match.ended"),
    Await.OPENING: ("dice.opening_rolled", "dice.rolled"),
    Await.ROLL: ("dice.rolled", "cube.double_offered", "turn.ended", "resignation.offered"),
    Await.PLAY: ("play.made", "play.unseen", "dice.voided", "resignation.offered"),
    Await.ANSWER: ("cube.double_taken", "cube.double_dropped", "cube.beavered"),
    Await.RESIGNATION: ("resignation.accepted", "resignation.refused"),
    Await.NOTHING: ("match.ended", "result.reported"),
}


def expects(state: Flow) -> tuple[str, ...]:
    """What would come next if nothing irregular happens; everything else may come too."""
    return _NEXT[state.awaits]


def cannot_describe(state: Flow, event: RecordedEvent) -> str | None:
    """Why the entry cannot describe a fact now, in words; None if it can.

    This is all that a tablet is refused for: an answer to nothing, a second opening, a play where
    there is no game. Illegal and irregular acts pass, because they happen.
    """
    payload = event.payload
    if state.awaits is Await.MATCH and not isinstance(payload, match.MatchOpened):
        return "the match is not opened yet"
    match payload:
        case match.MatchOpened() if state.awaits is not Await.MATCH:
            return "the match is open already"
        case cube.DoubleTaken() | cube.DoubleDropped() | cube.CubeBeavered():
            if state.answering is None:
                return "no double waits for an answer"
        case ending.ResignationAccepted() | ending.ResignationRefused():
            if state.resigning is None:
                return "no resignation waits for an answer"
        case dice.EarlyRollAnswered():
            if state.early is None:
                return "no early roll waits for an answer"
        case match.GameStarted():
            if state.in_game:
                return "a game is in progress"
        case (
            play.PlayMade()
            | dice.Rolled()
            | dice.OpeningRolled()
            | dice.RolledEarly()
            | cube.DoubleOffered()
            | ending.ResignationOffered()
        ):
            if not state.in_game:
                return "no game is in progress"
        case _:
            return None
    return None


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
    ending.ResignationOffered,
    ending.ResignationAccepted,
    ending.ResignationRefused,
    cube.CubeActionVoided,
    match.MatchOpened,
    match.MatchEnded,
    penalty.ForfeitDeclared,
    penalty.PlayerDisqualified,
)


def initial(rules: Rules) -> Flow:
    """The match is not opened."""
    return Flow()


FOLD: Fold[Flow] = Fold("flow", _HEARS, initial, evolve)
"""The flow's fold."""
