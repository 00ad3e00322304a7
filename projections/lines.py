"""One plain object per event, as `replay --json` and the HTTP replay give it (design §6)."""

from __future__ import annotations

from typing import Any

from events.payloads import dice, dispute, play
from events.values import Seat
from projections.board.ids import position_id_or_none
from projections.board.notation import format_play
from projections.board.position import Position
from projections.replay import Replay, State, Step

Line = dict[str, Any]


def event_lines(shown: Replay) -> list[Line]:
    """Every step of a replay as a line; questions carry the rulings that answer them."""
    return [event_line(step, shown) for step in shown.steps]


def event_line(step: Step, shown: Replay) -> Line:
    """The line of one step: the act, and the state after it."""
    payload = step.event.payload
    seat = getattr(payload, "seat", None)
    return {
        "version": step.event.version,
        "tag": step.event.tag,
        "seat": seat.value if isinstance(seat, Seat) else None,
        "dice": _dice(payload),
        "play": _play(step),
        **state_line(step.after),
        "findings": [shown.answered(finding).as_json() for finding in step.findings],
    }


def state_line(state: State) -> Line:
    """Board, score, cube, turn and clock at one moment."""
    board = state.positions.board
    flow = state.flow
    return {
        "checkers": checkers(board),
        "position_id": position_id(board, flow.on_roll),
        "score": {"one": state.score.score.one, "two": state.score.score.two},
        "cube": {
            "value": state.cube.value,
            "owner": _name(state.cube.owner),
            "offered_by": _name(state.cube.offered_by),
        },
        "on_roll": _name(flow.on_roll),
        "to_act": _name(flow.to_act),
        "turn_open": _name(flow.turn_open),
        "clock": clock_line(state),
    }


def checkers(board: Position | None) -> Line:
    """26 counts for each seat from its own side; both null while the board is unknown."""
    if board is None:
        return {"one": None, "two": None}
    return {"one": list(board.own), "two": list(board.other)}


def position_id(board: Position | None, on_roll: Seat | None) -> str | None:
    """GNU Backgammon Position ID for the player on roll; None where it cannot be said."""
    if board is None or on_roll is None:
        return None
    return position_id_or_none(board if on_roll is Seat.ONE else board.swap())


def clock_line(state: State) -> Line | None:
    """Reserve of each seat and whose time runs; None until the clock is set."""
    clock = state.clock
    if not clock.is_set:
        return None
    reserve = clock.reserve_ms
    return {
        "reserve_ms": {"one": reserve.one, "two": reserve.two},
        "running": _name(clock.running),
    }


def _dice(payload: object) -> list[int | None] | None:
    match payload:
        case dice.OpeningRolled(one=one, two=two):
            return [one, two]
        case dice.Rolled(dice=faces) | dice.RolledEarly(dice=faces):
            return list(faces)
        case dice.Voided(dice=read) if read is not None:
            return list(read)
        case play.PositionStated(dice=faces) | dispute.RulingCarriedOut(dice=faces) if faces:
            return list(faces)
        case _:
            return None


def _play(step: Step) -> str | None:
    match step.event.payload:
        case play.PlayMade(resulting_position=position) if position is not None:
            return None
        case play.PlayRevised(resulting_position=position) if position is not None:
            return None
        case play.PlayMade(moves=moves) | play.PlayRevised(moves=moves):
            return format_play(moves, step.hits)
        case play.PlayCorrected(moves=moves, checkers=None):
            return format_play(moves, step.hits)
        case _:
            return None


def _name(seat: Seat | None) -> str | None:
    return None if seat is None else seat.value
