"""What may be recorded next: what is expected, and what cannot describe a fact just now."""

from __future__ import annotations

from events.envelope import RecordedEvent
from events.payloads import cube, dice, ending, match, play
from events.values import Seat
from projections.facts.flow_state import Await, Flow
from projections.states import State

_NEXT: dict[Await, tuple[str, ...]] = {
    Await.MATCH: ("match.opened",),
    Await.GAME: ("game.started", "position.stated", "match.ended"),
    Await.OPENING: ("dice.opening_rolled", "dice.rolled"),
    Await.ROLL: ("dice.rolled", "cube.double_offered", "turn.ended", "resignation.offered"),
    Await.PLAY: ("play.made", "play.unseen", "dice.voided", "resignation.offered"),
    Await.ANSWER: ("cube.double_taken", "cube.double_dropped", "cube.beavered"),
    Await.RESIGNATION: ("resignation.accepted", "resignation.refused"),
    Await.CLAIM: ("game.won",),
    Await.NOTHING: ("match.ended", "result.reported"),
    Await.CANCELLED: (),
}

_PLAYED_ON = (
    "game.",
    "dice.",
    "play.",
    "turn.",
    "cube.",
    "clock.",
    "resignation.",
    "claim.",
    "position.",
    "score.",
    "result.",
    "match.",
)
"""Prefixes of tags that continue play, which a cancelled match cannot take."""


def expects(state: State) -> tuple[str, ...]:
    """What would come next if nothing irregular happens; everything else may come too."""
    flow = state.flow
    awaits = flow.awaits
    if awaits is Await.GAME and state.judged.outcome.winner is not None:
        # Decided by a wrong length, penalties or a flag, of which the flow knows nothing.
        awaits = Await.NOTHING
    tags = _NEXT[awaits]
    if awaits is Await.ROLL and flow.early is not None:
        tags = ("turn.ended" if flow.early.stands else "dice.early_roll_answered", *tags)
    if awaits is Await.ANSWER and flow.dice is not None and flow.answering is flow.on_roll:
        # Doubled in his own roll, he may complete his turn before he answers.
        tags = ("play.made", *tags)
    if flow.void_double is not None:
        tags = (*tags, *(tag for tag in _NEXT[Await.ANSWER] if tag not in tags))
    return tags


def cannot_describe(state: State, event: RecordedEvent) -> str | None:
    """Why the entry cannot describe a fact now, in words; None if it can.

    These are the only entries that a tablet is refused: an answer to nothing, a second opening, a
    play without a game. Illegal and irregular acts are accepted, because they happen.
    """
    payload, flow = event.payload, state.flow
    if flow.awaits is Await.MATCH and not isinstance(payload, match.MatchOpened):
        return "the match is not opened yet"
    if flow.is_cancelled and event.tag.startswith(_PLAYED_ON):
        return "the match was cancelled: the director can restore it"
    match payload:
        case match.MatchOpened() if flow.awaits is not Await.MATCH:
            return "the match is open already"
        case cube.DoubleTaken(seat=seat) | cube.DoubleDropped(seat=seat):
            return _cannot_answer(flow, seat)
        case cube.CubeBeavered(seat=seat):
            return _cannot_answer(flow, seat)
        case ending.ResignationAccepted(seat=seat) | ending.ResignationRefused(seat=seat):
            if flow.resigning is not seat.other:
                return f"no resignation waits for {seat.value}'s answer"
        case dice.EarlyRollAnswered(target=None):
            is_unanswered = state.judged.premature.is_unanswered_in(state.score.game_number)
            if flow.early is None and not is_unanswered:
                return "no early roll waits for an answer"
        case match.GameStarted():
            if flow.in_game:
                return "a game is in progress"
        case dice.OpeningRolled():
            if not flow.in_game:
                return "no game is in progress"
            if flow.turn_number:
                return "the opening roll is decided"
        case (
            play.PlayMade()
            | dice.Rolled()
            | dice.RolledEarly()
            | cube.DoubleOffered()
            | ending.ResignationOffered()
        ):
            if not flow.in_game:
                return "no game is in progress"
        case _:
            return None
    return None


def _cannot_answer(flow: Flow, seat: Seat) -> str | None:
    """Why a player cannot answer a double; None if one waits for the answer, even a void one."""
    if flow.answering is seat or flow.void_double is seat.other:
        return None
    return f"no double waits for {seat.value}'s answer"
