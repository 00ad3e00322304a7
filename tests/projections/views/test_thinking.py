"""Thinking: what a decision took, by the times of the table; nothing where nobody can know it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from events.payloads import clock, cube, dice, match, play
from events.values import BySeat, CheckerMove, Seat
from projections.replay import replay
from projections.views.thinking import Of, Thought, thoughts_of
from tests.projections.streams import STREAMS
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def table_with_clock() -> Table:
    table = Table(5)
    table.record(match.GameStarted(number=1))
    reserve = BySeat(600_000, 600_000)
    simple = clock.ClockKind.SIMPLE
    table.record(clock.ClockSet(kind=simple, delay_ms=12_000, reserve_ms=reserve))
    table.record(dice.OpeningRolled(one=3, two=1, at_ms=0))
    table.record(clock.ClockStarted(seat=ONE, at_ms=1_000))
    table.record(play.PlayMade(seat=ONE, moves=moves((8, 5), (6, 5)), at_ms=9_000))
    table.record(clock.ClockPressed(seat=ONE, at_ms=10_000))
    table.record(dice.Rolled(seat=TWO, dice=(6, 4), at_ms=13_000))
    return table


def moves(*pairs: tuple[int, int]) -> tuple[CheckerMove, ...]:
    return tuple(CheckerMove(*pair) for pair in pairs)


def test_a_play_takes_from_its_roll_and_a_press_says_what_the_delay_covered() -> None:
    table = table_with_clock()
    table.record(play.PlayMade(seat=TWO, moves=moves((24, 14)), at_ms=40_000))
    table.record(clock.ClockPressed(seat=TWO, at_ms=41_000))
    one, two = thoughts_of(table.replay)
    assert one == Thought(one.version, ONE, 9_000, 9_000, 9_000, Of.PLAY)
    assert two == Thought(two.version, TWO, 27_000, 31_000, 12_000)


def test_an_answer_takes_from_the_double_and_a_pause_leaves_nothing_to_tell() -> None:
    table = table_with_clock()
    table.record(clock.ClockPaused(at_ms=14_000))
    table.record(play.PlayMade(seat=TWO, moves=moves((24, 14)), at_ms=40_000))
    table.record(cube.DoubleOffered(seat=ONE, at_ms=50_000))
    table.record(cube.DoubleTaken(seat=TWO, at_ms=58_000))
    assert [(one.seat, one.took_ms, one.of) for one in thoughts_of(table.replay)] == [
        (ONE, 9_000, Of.PLAY),
        (ONE, 10_000, Of.DOUBLE),
        (TWO, 8_000, Of.ANSWER),
    ]


def test_a_double_takes_from_the_beginning_of_the_turn_and_a_pause_hides_it() -> None:
    table = table_with_clock()
    table.record(play.PlayMade(seat=TWO, moves=moves((24, 14)), at_ms=40_000))
    table.record(clock.ClockPressed(seat=TWO, at_ms=41_000))
    paused = table.last
    table.record(cube.DoubleOffered(seat=ONE, at_ms=48_500))
    doubles = [one for one in thoughts_of(table.replay) if one.of is Of.DOUBLE]
    assert [(one.seat, one.took_ms) for one in doubles] == [(ONE, 7_500)]
    table.amend(paused, clock.ClockPaused(at_ms=41_000))
    assert not [one for one in thoughts_of(table.replay) if one.of is Of.DOUBLE]


@settings(max_examples=15, deadline=None)
@given(STREAMS)
def test_of_any_stream_no_decision_takes_less_than_nothing(stream: Any) -> None:
    for one in thoughts_of(replay(stream)):
        assert one.took_ms >= 0
        assert one.turn_ms is None or 0 <= (one.delay_ms or 0) <= one.turn_ms
