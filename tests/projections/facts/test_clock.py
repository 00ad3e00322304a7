"""The clock: reserve and delay from presses, pauses and adjustments; readings compared."""

from __future__ import annotations

from typing import Any

import pytest

from events.payloads import attendance, clock, dice, play
from events.values import BySeat, Seat
from projections.views.lines import clock_line
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def _ms(at_s: float | None) -> int | None:
    return None if at_s is None else int(at_s * 1_000)


def _shows(one_s: float | None, two_s: float | None) -> BySeat[int | None]:
    return BySeat(_ms(one_s), _ms(two_s))


def _read(table: Table, at_s: float | None, one_s: float | None, two_s: float | None) -> Table:
    return table.record(clock.ClockRead(at_ms=_ms(at_s), readings=_shows(one_s, two_s)))


def _pause(table: Table, at_s: float | None, **members: Any) -> Table:
    return table.record(clock.ClockPaused(at_ms=_ms(at_s), **members))


def _resume(table: Table, at_s: float | None, seat: Seat | None = None) -> Table:
    return table.record(clock.ClockResumed(at_ms=_ms(at_s), seat=seat))


def _adjust(table: Table, seat: Seat, amount_s: int, at_s: float | None = None) -> Table:
    amount = clock.ClockAdjusted(seat=seat, amount_ms=amount_s * 1_000, at_ms=_ms(at_s))
    return table.record(amount)


def test_there_is_no_clock_until_it_is_set() -> None:
    table = Table().press("one", 10)
    assert clock_line(table.state) is None
    assert clock_line(table.clock().state) is not None


@pytest.mark.parametrize(("turn_s", "used_s"), [(11, 0), (12, 0), (13, 1), (40, 28)])
def test_a_turn_uses_what_exceeds_the_delay(turn_s: int, used_s: int) -> None:
    # Golden cases K7a, K7b, K7c.
    assert Table(7).clock().press("one", turn_s).reserve_s == (840 - used_s, 840)


def test_the_reserve_never_grows_and_every_turn_has_its_own_delay() -> None:
    table = Table().clock()
    for index, seat in enumerate(("one", "two") * 4):
        table.press(seat, (index + 1) * 5)
    assert table.reserve_s == (840, 840)


def test_turns_of_both_are_charged_to_each() -> None:
    assert Table().clock().press("one", 40).press("two", 60).reserve_s == (812, 832)
    assert Table().clock().press("one", 40).state.clock.running is TWO


def test_a_pause_does_not_renew_the_delay() -> None:
    table = _resume(_pause(Table().clock(), 10), 100)
    assert table.press("one", 110).reserve_s == (832, 840)


def test_nobodys_time_runs_in_a_pause() -> None:
    table = _pause(Table().clock(), 20)
    assert (table.reserve_s, table.state.clock.running) == ((832, 840), None)
    assert _resume(table, 1_000).press("one", 1_001).reserve_s == (831, 840)


def test_a_clock_resumed_for_the_other_begins_a_turn() -> None:
    table = _resume(_pause(Table().clock(), 20), 100, TWO)
    assert table.press("two", 110).reserve_s == (832, 840)


def test_a_clock_resumed_without_a_pause_goes_on() -> None:
    assert _resume(Table().clock(), 20).press("one", 30).reserve_s == (822, 840)


def test_a_clock_started_again_for_the_same_seat_goes_on() -> None:
    table = Table().clock().record(clock.ClockStarted(seat=ONE, at_ms=20_000))
    assert table.press("one", 30).reserve_s == (822, 840)


def test_a_clock_started_for_the_other_charges_whose_time_ran() -> None:
    table = Table().clock().record(clock.ClockStarted(seat=TWO, at_ms=20_000))
    assert table.press("two", 40).reserve_s == (832, 832)


# Adjustments.


def test_time_is_given_and_taken() -> None:
    table = _adjust(_adjust(Table().clock(), ONE, 60), TWO, -100)
    assert table.reserve_s == (900, 740)


def test_time_given_in_the_middle_of_a_turn_counts_in_that_turn() -> None:
    assert _adjust(Table().clock(), ONE, 60, 20).press("one", 40).reserve_s == (872, 840)


def test_time_given_in_a_pause_is_there_after_it() -> None:
    table = _resume(_adjust(_pause(Table().clock(), 20), ONE, 60), 100)
    assert table.press("one", 110).reserve_s == (882, 840)


def test_no_more_can_be_taken_than_there_is() -> None:
    table = _adjust(Table().clock(60), TWO, -100)
    assert table.reserve_s == (60, 0)
    assert _adjust(table, TWO, 30).reserve_s == (60, 30)


def test_a_ruling_sets_the_reserves() -> None:
    table = _pause(Table().clock(), 40).carry_out(reserve_ms=BySeat(500_000, 400_000))
    assert table.reserve_s == (500, 400)
    assert _resume(table, 100).press("one", 110).reserve_s == (490, 400)


# Readings.


@pytest.mark.parametrize(("shown_s", "codes"), [(812, []), (811, []), (813, []), (814, ["x"])])
def test_a_reading_may_differ_by_a_second(shown_s: int, codes: list[str]) -> None:
    table = Table().clock().press("one", 40, _shows(shown_s, 840))
    assert table.codes == ["clock-reading-differs"] * len(codes)
    assert table.reserve_s == (shown_s, 840)


def test_a_reading_names_both_clocks_in_words() -> None:
    (finding,) = _read(Table().clock(), 10, 600, 700).findings
    assert "player one's clock shows 10:00, the presses make it 14:00" in finding.message
    assert "player two's clock shows 11:40" in finding.message


def test_a_reading_is_trusted_from_then_on() -> None:
    table = _read(Table().clock(), 20, 800, 840)
    assert table.press("one", 30).reserve_s == (790, 840)


def test_a_reading_within_the_delay_leaves_the_rest_of_the_delay() -> None:
    table = _read(Table().clock(), 4, 839, 840)
    assert table.press("one", 12).reserve_s == (839, 840)


def test_readings_alone_are_enough() -> None:
    table = Table().clock().press("one", None, _shows(830, 840)).press("two", None, _shows(830, 1))
    assert table.reserve_s == (830, 1)


def test_readings_before_a_break_are_compared() -> None:
    noted = attendance.BreakStarted(readings=BySeat(1, 2), seats=(ONE, TWO))
    table = _pause(Table().clock(), 12).record(noted)
    assert "clock-reading-differs" in table.found


def test_a_missed_press_is_seen_in_the_readings() -> None:
    # Golden case K8: read at 832 s, noticed at 737 s.
    table = _read(Table(7).clock().game().turns(1), 20, 832, None)
    assert table.codes == []
    fault = clock.ClockFaultNoticed(
        kind=clock.ClockFault.NOT_PRESSED, seat=ONE, at_ms=115_000, readings=_shows(737, None)
    )
    assert table.record(fault).reserve_s == (737, 840)
    assert table.codes == ["clock-fault"]


# What is not known.


def test_a_reserve_without_times_is_unknown() -> None:
    assert Table().clock().press("one").reserve_s == (None, 840)


def test_the_others_reserve_is_unknown_too_if_the_press_has_no_time() -> None:
    assert Table().clock().press("one").press("two", 40).reserve_s == (None, None)


def test_an_unknown_reserve_is_known_again_by_its_reading() -> None:
    table = Table().clock().press("one").press("two", 40, _shows(800, 820))
    assert table.press("one", 60).reserve_s == (792, 820)


def test_a_glance_without_a_time_loses_nothing() -> None:
    table = Table().clock().record(clock.ClockRead())
    assert table.reserve_s == (None, 840)
    assert table.press("one", 40).reserve_s == (812, 840)


def test_a_reading_without_a_time_agrees_with_the_press_that_has_one() -> None:
    table = _read(Table().clock(), None, 832, 840)
    assert table.reserve_s == (832, 840)
    assert table.press("one", 40).reserve_s == (812, 840)


def test_after_a_pause_at_an_unknown_time_the_reserve_is_unknown() -> None:
    table = _resume(_pause(Table().clock(), None), 100)
    assert table.press("one", 110).reserve_s == (None, 840)


def test_a_reading_below_the_reserve_says_that_the_delay_is_gone() -> None:
    table = _resume(_pause(Table().clock(), None, readings=_shows(830, 840)), 100)
    assert table.press("one", 110).reserve_s == (820, 840)


def test_time_does_not_run_backwards() -> None:
    assert Table().clock().press("one", 40).press("two", 30).reserve_s == (812, 840)


# Presses by the other.


def test_who_presses_while_the_others_time_runs_changes_nothing() -> None:
    table = Table().clock().press("two", 20)
    assert table.found == ["clock-pressed-by-other"]
    assert (table.state.clock.running, table.reserve_s) == (ONE, (832, 840))
    assert table.press("one", 30).reserve_s == (822, 840)


def test_the_first_press_of_a_clock_that_stands_starts_the_others_time() -> None:
    kind = clock.ClockKind.SIMPLE
    table = Table().record(clock.ClockSet(kind=kind, reserve_ms=BySeat(1, 1)))
    assert table.press("one", 0).state.clock.running is TWO
    assert table.codes == []


# Flags.


def test_a_reserve_that_runs_out_is_found_once() -> None:
    table = Table().clock(60)
    table.press("one", 72)
    assert table.found == ["flag-fell"]
    assert table.findings[0].seat is ONE
    table.press("two", 80).press("one", 200)
    assert table.codes == ["flag-fell"]
    assert table.reserve_s == (0, 60)


def test_a_flag_can_fall_again_after_time_was_given() -> None:
    table = _adjust(Table().clock(60).press("one", 90), ONE, 60)
    assert table.reserve_s == (60, 60)
    table.press("two", 91).press("one", 191)
    assert table.codes == ["flag-fell", "flag-fell"]


def test_a_clock_with_no_bank_runs_out_only_after_the_delay() -> None:
    table = Table().clock(0)
    assert table.press("one", 12).codes == []
    assert table.press("two", 30).codes == ["flag-fell"]


def test_a_reading_of_nothing_is_a_fallen_flag() -> None:
    assert _read(Table().clock(), 400, 0, 840).found == ["flag-fell", "clock-reading-differs"]


def test_a_noticed_flag_asks_for_a_ruling() -> None:
    noticed = clock.ClockFlagNoticed(
        whose=clock.Flag.ONE, at_ms=1_032_000, readings=_shows(0, None)
    )
    table = Table(7).clock().record(noticed)
    assert table.found == ["flag-fell", "flag-noticed"]
    finding = table.findings[-1]
    assert finding.seat is ONE
    assert finding.ruling_required is not None
    assert finding.ruling_required.topic == "clock.flag"


@pytest.mark.parametrize("whose", [clock.Flag.BOTH, clock.Flag.UNKNOWN])
def test_a_flag_of_both_is_nobodys_alone(whose: clock.Flag) -> None:
    (finding,) = Table().clock().record(clock.ClockFlagNoticed(whose=whose, at_ms=0)).findings
    assert finding.seat is None


# Kinds.


@pytest.mark.parametrize(
    ("kind", "after_one", "after_two"),
    [
        ("simple", (812, 840), (812, 840)),
        ("none", (800, 840), (800, 830)),
        ("bronstein", (812, 840), (812, 840)),
        ("fischer", (812, 840), (812, 842)),
        ("non_expiring", (840, 840), (840, 840)),
    ],
)
def test_each_kind_gives_time_in_its_own_way(
    kind: str, after_one: tuple[int, int], after_two: tuple[int, int]
) -> None:
    table = Table().clock(kind=kind).press("one", 40)
    assert table.reserve_s == after_one
    assert table.press("two", 50).reserve_s == after_two


@pytest.mark.parametrize(("kind", "left"), [("simple", 835), ("bronstein", 823), ("fischer", 823)])
def test_only_a_simple_delay_runs_before_the_reserve(kind: str, left: int) -> None:
    table = Table().clock(kind=kind).record(clock.ClockRead(at_ms=17_000))
    assert table.reserve_s == (left, 840)


def test_a_clock_that_never_runs_out_has_no_flag() -> None:
    table = Table().clock(0, kind="non_expiring").press("one", 10_000).press("two")
    assert table.codes == []
    assert table.reserve_s == (0, 0)


def test_a_clock_set_anew_starts_afresh() -> None:
    table = Table().clock(60).press("one", 100).clock(840)
    assert (table.reserve_s, table.state.clock.fallen) == ((840, 840), BySeat(False, False))


def test_a_fault_noticed_without_readings_charges_and_changes_nothing_else() -> None:
    fault = clock.ClockFaultNoticed(kind=clock.ClockFault.NOT_PAUSED, at_ms=20_000)
    assert Table().clock().record(fault).reserve_s == (832, 840)


def test_one_play_that_is_not_told_leaves_the_clock_running() -> None:
    table = Table().clock()
    before = table.state.clock
    assert before.running is ONE
    gap = play.PlayUnseen(seat=ONE, count=1, at_ms=20_000)
    assert table.record(gap).state.clock == before


@pytest.mark.parametrize("gap", [{"seat": ONE}, {"count": 1}, {"seat": ONE, "count": 2}, {}])
def test_after_plays_that_nobody_followed_the_clock_is_unknown(gap: dict[str, Any]) -> None:
    table = Table().clock().record(play.PlayUnseen(**gap, at_ms=20_000))
    assert table.state.clock.running is None
    assert table.state.clock.reserve_ms == BySeat(None, None)


def test_dice_do_not_move_the_clock() -> None:
    table = Table().clock()
    before = table.state.clock
    rolled = dice.Rolled(seat=ONE, dice=(3, 1), at_ms=999_000)
    assert table.game().record(rolled).state.clock == before
