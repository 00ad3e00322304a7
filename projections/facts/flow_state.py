"""Where the game stands between two players, and what several kinds of entry do to that."""

from __future__ import annotations

import enum

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.payloads.base import WinKind
from events.values import ONE, Seat
from projections.board.legal import has_legal_play
from projections.board.position import Position
from projections.folding.findings import Finding, found
from projections.folding.fold import NOTHING, Seen, SeenStep, is_passed_over
from projections.folding.sayings import said

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
    """A resignation was accepted without a recorded level: what was won has to be stated."""
    NOTHING = "nothing"
    """The match is over."""
    CANCELLED = "cancelled"
    """Nothing: the match was cancelled."""


class EarlyRoll(msgspec.Struct, frozen=True, gc=False):
    """Dice thrown before the opponent's turn had ended, if no answer has voided them."""

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
    """Who has to decide now: not the player on roll while a double waits for its answer."""
    turn_open: Seat | None = None
    """Who may still change the play just made."""
    dice: tuple[int, int] | None = None
    """The roll in play, not yet played; an opening roll as seat one's die, then seat two's."""
    turn_number: int = 0
    """Turns begun in this game."""
    roll_entry: str | None = None
    """The entry of the roll in play, or of an opening tie that waits to be thrown again."""
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
    is_ended: bool = False
    """Whether the player on roll has ended the turn without playing, or without rolling."""
    is_end_found: bool = False
    """Whether a finding says so, which waits for the opponent if the turn's end is in question."""

    @property
    def awaits_opening(self) -> bool:
        """Whether the opening roll of the game is still to come."""
        return self.awaits is Await.OPENING

    @property
    def is_under_way(self) -> bool:
        """Whether a game has begun: the checkers are set up and the opening roll is decided."""
        return self.in_game and self.awaits is not Await.OPENING

    @property
    def is_cancelled(self) -> bool:
        """Whether the match was cancelled."""
        return self.awaits is Await.CANCELLED

    @property
    def early_entry(self) -> str | None:
        """The entry of an early roll that no answer has voided."""
        return None if self.early is None else self.early.entry_id

    def may_roll(self, seat: Seat) -> bool:
        """Whether `seat` may roll; the turn before may have ended without a play."""
        if self.is_ended:
            return self.on_roll is seat.other
        return self.on_roll is seat and self.dice is None

    def dice_of(self, seat: Seat) -> tuple[int, int] | None:
        """The roll that `seat` has to play: the one in play, else its early one."""
        if self.dice is not None and (self.on_roll is seat or not self.is_ended):
            return self.dice if self.on_roll is seat else None
        if self.early is not None and self.early.seat is seat:
            return self.early.dice
        return None


def flow_before(step: SeenStep) -> Flow:
    """The flow's own state before a step."""
    was = step.before.flow
    assert isinstance(was, Flow)
    return was


def between(seen: Seen) -> Flow:
    """No game in progress: another one is to come unless the match is won."""
    return Flow(awaits=Await.GAME if seen.score.winner is None else Await.NOTHING)


_ABOUT = {"cube": "cube", "resignation": "ending"}
"""Noun of entries that belong to a game but not to a turn, to the subject that is cited."""


def outside(event: RecordedEvent, seat: Seat | None, seen: Seen) -> Finding:
    """The finding on an entry that belongs to a game, when none is in progress."""
    message = said("an entry that belongs to a game is recorded, and no game is in progress")
    about = event.tag.partition(".")[0]
    cite = seen.rules.cite(_ABOUT.get(about, "turn"))
    return found("outside-game", event, message, cite=cite, seat=seat)


def lapsed(state: Flow, event: RecordedEvent, seen: Seen) -> tuple[Finding, ...]:
    """The finding on a resignation left unanswered when play went on."""
    if state.resigning is None:
        return NOTHING
    message = said(
        "play went on while the resignation of {seat} waited for its answer", seat=state.resigning
    )
    if state.awaits is Await.CLAIM:
        message = said(
            "play went on although the resignation of {seat} was accepted", seat=state.resigning
        )
    cite = seen.rules.cite("ending")
    return (found("offer-not-answered", event, message, cite=cite, seat=state.resigning),)


def promoted(state: Flow) -> Flow:
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


def passed(state: Flow, seat: Seat) -> Flow:
    """The flow when `seat` continues after the opponent has ended a turn without a play."""
    if not state.is_ended or state.on_roll is not seat.other:
        return state
    turns = state.turn_number if state.dice is not None else state.turn_number + 1
    return promoted(Flow(Await.ROLL, True, seat, seat, turn_number=turns, early=state.early))


def passed_over(state: Flow, seat: Seat, seen: Seen) -> Flow:
    """The flow when `seat` continues after the turn of an opponent who is closed out."""
    if state.on_roll is not seat.other or state.resigning is not None:
        return state
    return replace(state, is_ended=True) if is_passed_over(seat.other, seen) else state


def by_the_cube(state: Flow, seen: Seen) -> Flow:
    """Bring `answering` in line with the cube's offer, which may have lapsed or been settled."""
    offered_by = seen.cube.offered_by if state.in_game else None
    if offered_by is not None:
        if state.answering is offered_by.other:
            return state
        to_act = offered_by.other
        return replace(state, awaits=Await.ANSWER, to_act=to_act, answering=to_act, turn_open=None)
    if state.answering is None:
        return state
    new = replace(state, answering=None)
    return new if state.awaits is Await.RESIGNATION else turn_goes_on(new)


def is_before_opening(state: Flow) -> bool:
    """Whether the opening roll is still to come, though a double may wait for its answer."""
    return state.awaits_opening or (state.answering is not None and state.on_roll is None)


def turn_goes_on(state: Flow) -> Flow:
    """The flow without an open offer: back to the roll, or to its play."""
    if state.dice is not None:
        return replace(state, awaits=Await.PLAY, to_act=state.on_roll)
    is_opening = state.on_roll is None and state.turn_number == 0
    awaits = Await.OPENING if is_opening else Await.ROLL
    return promoted(replace(state, awaits=awaits, to_act=state.on_roll))


def in_words(faces: tuple[int, int]) -> str:
    return f"{faces[0]}{faces[1]}"


def about_end(state: Flow, event: RecordedEvent, seat: Seat, seen: Seen) -> tuple[Finding, ...]:
    """Findings when `seat` continues after a turn that was ended without a play."""
    player = seat.other
    if not state.is_ended or state.is_end_found or state.on_roll is not player:
        return NOTHING
    if state.dice is not None:
        return unplayed(event, player, state.dice, seen)
    board = _board_of(player, seen)
    if board is None or board.is_closed_out:
        return NOTHING
    message = said("{seat} ended the turn without a roll", seat=player)
    cite = seen.rules.cite("turn")
    return (found("turn-passed-without-roll", event, message, cite=cite, seat=player),)


def unplayed(
    event: RecordedEvent, player: Seat, faces: tuple[int, int], seen: Seen
) -> tuple[Finding, ...]:
    """The finding on a turn that ended with its roll unplayed, though it could be played."""
    board = _board_of(player, seen)
    if board is None or not has_legal_play(board, faces):
        return NOTHING
    message = said(
        "{seat} ended the turn with {dice} not played", seat=player, dice=in_words(faces)
    )
    cite = seen.rules.cite("turn")
    return (found("turn-unplayed", event, message, cite=cite, seat=player),)


def _board_of(seat: Seat, seen: Seen) -> Position | None:
    """The board from that seat's side; None while it is unknown."""
    board = seen.positions.board
    return board if board is None or seat is ONE else Position(board.other, board.own)
