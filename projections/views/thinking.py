"""Thinking: how long each decision took by the times of the table, and how much of the delay.

A decision to play begins with the roll, an answer with the double, and a double with the turn. A
player who just rolls may or may not have considered doubling, so that is no decision here. If the
clock was stopped in between, or a time is not recorded, the decision is left out.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from events.payloads import clock, cube, dice, match, play
from events.values import Seat
from projections.facts.clock_state import Clock, free_ms_of
from projections.states import Replay, Step
from projections.views.lines import Line


class Of(enum.StrEnum):
    """What a decision is about."""

    PLAY = "play"
    """How to play a roll."""
    ANSWER = "answer"
    """Whether to take a double."""
    DOUBLE = "double"
    """To double."""


class Thought(NamedTuple):
    """One decision and its time."""

    version: int
    """Of the play, the answer or the double."""
    seat: Seat
    took_ms: int
    """From the roll, the double or the beginning of the turn to it."""
    turn_ms: int | None
    """What its whole turn took on the clock; None where no press ended it."""
    delay_ms: int | None
    """What of that the delay covered."""
    of: Of = Of.PLAY


def thoughts_of(shown: Replay) -> list[Thought]:
    """Every decision whose time is known, in order."""
    made: list[Thought] = []
    since: dict[Seat, int | None] = {}
    turns: dict[Seat, int | None] = {}
    last: dict[Seat, int] = {}

    def decided(step: Step, seat: Seat, of: Of, at_ms: int | None) -> None:
        begun = since.pop(seat, None)
        if begun is not None and at_ms is not None and at_ms >= begun:
            last[seat] = len(made)
            made.append(Thought(step.event.version, seat, at_ms - begun, None, None, of))

    for step in shown.steps:
        payload = step.event.payload
        at_ms = getattr(payload, "at_ms", None)
        match payload:
            # Rolls and plays first: nearly all entries are.
            case dice.Rolled(seat=seat):
                since[seat] = at_ms
                turns.clear()
            case play.PlayMade(seat=seat, moves=moves, resulting_position=position):
                if moves or position is not None:  # a dance is no decision
                    decided(step, seat, Of.PLAY, at_ms)
                turns = {seat.other: at_ms}
            case dice.OpeningRolled() if step.after.flow.on_roll is not None:
                since[step.after.flow.on_roll] = at_ms
            case cube.DoubleOffered(seat=seat):
                since[seat.other] = at_ms
                begun = turns.pop(seat, None)
                if begun is not None and at_ms is not None and at_ms >= begun:
                    took = at_ms - begun
                    made.append(Thought(step.event.version, seat, took, None, None, Of.DOUBLE))
            case cube.DoubleTaken(seat=seat) | cube.DoubleDropped(seat=seat):
                decided(step, seat, Of.ANSWER, at_ms)
            case clock.ClockPaused() | dice.Voided() | match.GameStarted():
                since.clear()
                turns.clear()
            case dice.TurnEnded(seat=seat):
                turns = {seat.other: at_ms}
            case clock.ClockPressed(seat=seat):
                turns = {seat.other: at_ms}
                place = last.pop(seat, None)
                if place is not None:
                    made[place] = _pressed(made[place], step.before.clock, at_ms)
            case _:
                pass
    return made


def thinking_line(shown: Replay) -> list[Line]:
    """The same as answers have it."""
    return [
        {**one._asdict(), "seat": one.seat.value, "of": one.of.value} for one in thoughts_of(shown)
    ]


def _pressed(thought: Thought, before: Clock, at_ms: int | None) -> Thought:
    """With what the clock says of the turn that a press ends."""
    is_unknown = None in (at_ms, before.since_ms, before.elapsed_ms)
    if is_unknown or before.running is not thought.seat:
        return thought
    assert at_ms is not None
    assert before.since_ms is not None
    assert before.elapsed_ms is not None
    turn_ms = before.elapsed_ms + max(0, at_ms - before.since_ms)
    return thought._replace(turn_ms=turn_ms, delay_ms=min(turn_ms, free_ms_of(before)))
