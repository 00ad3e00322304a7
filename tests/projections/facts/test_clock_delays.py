"""Delays that are forfeited or begin again: the time of a turn before its reserve runs."""

from __future__ import annotations

from typing import Any

import pytest

from events.payloads import clock, dispute, play
from events.values import BySeat, Seat
from projections.facts.clock_state import Forfeit
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def _forfeit(table: Table, seat: Seat, at_s: int | None = None, **members: Any) -> Table:
    at_ms = None if at_s is None else at_s * 1_000
    return table.record(clock.ClockDelayForfeited(seat=seat, at_ms=at_ms, **members))


def _restart(table: Table, seat: Seat, at_s: int | None, **members: Any) -> Table:
    at_ms = None if at_s is None else at_s * 1_000
    return table.record(clock.ClockDelayRestarted(seat=seat, at_ms=at_ms, **members))


def _pause(table: Table, at_s: int | None) -> Table:
    return table.record(clock.ClockPaused(at_ms=None if at_s is None else at_s * 1_000))


def test_who_forfeits_the_delay_of_his_next_turn_has_his_reserve_run_at_once_in_it() -> None:
    table = _forfeit(Table().clock(), TWO, 5)
    assert table.state.clock.forfeits == BySeat(None, Forfeit.AT_ONCE)
    table.press("one", 10).press("two", 30)
    assert table.reserve_s == (840, 820)


def test_a_forfeit_holds_for_one_turn_alone() -> None:
    table = _forfeit(Table().clock(), TWO, 5).press("one", 10).press("two", 30)
    assert table.state.clock.forfeits == BySeat(None, None)
    assert table.press("one", 40).press("two", 60).reserve_s == (840, 812)


def test_the_turn_that_runs_keeps_its_delay_where_the_next_one_is_forfeited() -> None:
    table = _forfeit(Table().clock(), ONE, 5).press("one", 10)
    assert table.reserve_s == (840, 840)
    assert table.press("two", 20).press("one", 30).reserve_s == (830, 840)


def test_who_waits_until_the_delay_has_ended_loses_nothing_of_his_reserve() -> None:
    table = _forfeit(Table().clock(), TWO, 5, waits=True).press("one", 10)
    assert (table.state.clock.turn_forfeit, table.state.clock.free_ms) == (Forfeit.WAITS, None)
    assert table.press("two", 32).reserve_s == (840, 830)


def test_what_is_left_of_the_delay_of_this_turn_is_gone_from_there() -> None:
    table = _forfeit(Table().clock(), ONE, 4, turn=clock.DelayTurn.THIS)
    assert table.press("one", 20).reserve_s == (824, 840)


def test_a_forfeit_of_this_turn_takes_nothing_where_it_is_the_others() -> None:
    table = _forfeit(Table().clock(), TWO, 4, turn=clock.DelayTurn.THIS)
    assert table.press("one", 10).press("two", 20).reserve_s == (840, 840)


@pytest.mark.parametrize(("left_ms", "left_s"), [(None, 832), (7_000, 827)])
def test_a_delay_that_begins_anew_in_a_pause_is_given_from_there(
    left_ms: int | None, left_s: int
) -> None:
    # Ten seconds are gone when a die falls; without a restart twenty more would cost eighteen.
    table = _restart(_pause(Table().clock(), 10), ONE, 12, left_ms=left_ms)
    table.record(clock.ClockResumed(at_ms=100_000))
    assert table.press("one", 120).reserve_s == (left_s, 840)


def test_a_delay_that_begins_anew_while_it_runs_charges_what_was_used_before() -> None:
    assert _restart(Table().clock(), ONE, 20).press("one", 30).reserve_s == (832, 840)


def test_a_delay_that_begins_anew_at_an_unknown_time_leaves_the_reserve_unknown() -> None:
    table = _restart(Table().clock(), ONE, None)
    assert table.reserve_s == (None, 840)
    shown = BySeat(835_000, 840_000)
    assert _restart(Table().clock(), ONE, None, readings=shown).reserve_s == (835, 840)


def test_a_delay_begins_anew_for_nobody_but_whose_turn_it_is() -> None:
    assert _restart(Table().clock(), TWO, 10).press("one", 30).reserve_s == (822, 840)


def test_a_ruling_may_set_clock_and_delay_back() -> None:
    table = _pause(Table().clock(30), 40)
    assert table.reserve_s == (2, 30)
    back = BySeat(25_000, 30_000)
    table.record(dispute.RulingCarriedOut(reserve_ms=back, at_ms=60_000))
    _restart(table, ONE, 60, cause=clock.DelayCause.RULING)
    table.record(clock.ClockResumed(at_ms=100_000))
    assert table.press("one", 115).reserve_s == (22, 30)


@pytest.mark.parametrize("kind", ["bronstein", "fischer"])
def test_a_forfeited_delay_is_not_given_after_the_turn(kind: str) -> None:
    table = _forfeit(Table().clock(kind=kind), ONE, 5, turn=clock.DelayTurn.THIS)
    assert table.press("one", 10).reserve_s == (830, 840)


def test_a_clock_that_is_set_anew_gives_no_forfeited_delay_back() -> None:
    table = _pause(_forfeit(Table().clock(), TWO, 5), 10)
    table.clock().press("one", 10)
    assert (table.state.clock.turn_of, table.state.clock.free_ms) == (TWO, 0)


def test_after_a_gap_nobody_knows_whether_the_delay_is_still_to_be_forfeited() -> None:
    table = _forfeit(Table().clock(), TWO, 5).record(play.PlayUnseen())
    assert table.state.clock.forfeits == BySeat(None, None)
