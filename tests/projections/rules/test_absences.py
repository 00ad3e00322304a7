"""Absences and breaks: who leaves for long needs leave; both take and sign breaks together."""

from __future__ import annotations

import pytest
from rulings import ruled

from events.payloads import attendance, match
from events.payloads.base import Actor
from events.values import Seat
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO
MINUTE = 60_000
DRAFT, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def away(rule_set: str, minutes: int, **leave: object) -> Table:
    """A player who leaves an hour into a match, and is back after that many minutes."""
    table = Table(11, rule_set=rule_set).record(match.GameStarted(at_ms=0))
    table.record(attendance.PlayerLeft(seat=ONE, at_ms=60 * MINUTE, **leave))
    return table.record(attendance.PlayerArrived(seat=ONE, at_ms=(60 + minutes) * MINUTE))


@pytest.mark.rows("N-08")
@in_bunches("rule_set", SHELF)
def test_ten_minutes_are_not_long(rule_set: str) -> None:
    assert "absence" not in away(rule_set, 10).codes
    assert "absence" in away(rule_set, 11).codes


@pytest.mark.rows("N-08")
@in_bunches("rule_set", SHELF)
def test_what_the_director_consented_to_nobody_asks_about(rule_set: str) -> None:
    assert "absence" not in away(rule_set, 30, consent=Actor.DIRECTOR).codes
    assert "absence" in away(rule_set, 30, consent=Actor.TWO).codes


@pytest.mark.rows("N-08")
@pytest.mark.parametrize(("rule_set", "is_enough"), [(DRAFT, True), (BIBA, False), (FCBG, False)])
def test_a_sign_out_sheet_is_enough_where_the_text_has_one(rule_set: str, is_enough: bool) -> None:
    assert ("absence" not in away(rule_set, 30, signed_out=True).codes) is is_enough


@pytest.mark.rows("N-08")
def test_an_absence_is_asked_about_once_and_ruled() -> None:
    table = Table(11, rule_set=BIBA).record(match.GameStarted(at_ms=0))
    left = attendance.PlayerLeft(seat=ONE, at_ms=0, until_ms=20 * MINUTE)
    table.record(left).record(attendance.PlayerArrived(seat=ONE, at_ms=25 * MINUTE))
    assert table.codes == ["absence"]
    ruled(table, "penalties.absence", "no_penalty")
    answer = table.replay.state.judged.penalties.absences.answer
    assert answer is not None
    assert (answer.outcome, answer.section) == ("no_penalty", "2.2")


@pytest.mark.rows("N-06", "N-08")
@in_bunches("rule_set", SHELF)
def test_who_leaves_for_a_break_is_not_absent(rule_set: str) -> None:
    table = Table(11, rule_set=rule_set).record(match.GameStarted(at_ms=0))
    table.record(attendance.PlayerLeft(seat=ONE, at_ms=0))
    table.record(attendance.BreakStarted(seats=(ONE, TWO), at_ms=0))
    table.record(attendance.BreakEnded(at_ms=11 * MINUTE))
    table.record(attendance.PlayerArrived(seat=ONE, at_ms=11 * MINUTE))
    assert "absence" not in table.codes


@pytest.mark.rows("N-06")
@in_bunches("rule_set", SHELF)
def test_a_break_taken_alone_is_found_where_both_have_to_take_it(rule_set: str) -> None:
    for seats, is_alone in (((ONE,), True), ((ONE, TWO), False)):
        table = Table(11, rule_set=rule_set).record(match.GameStarted(at_ms=0)).won("two", 1)
        table.record(attendance.BreakStarted(seats=seats, at_ms=60 * MINUTE))
        assert ("break-alone" in table.codes) is (is_alone and rule_set == BIBA)


@pytest.mark.rows("N-06")
@pytest.mark.parametrize(
    ("by", "is_found"), [(Actor.ONE, True), (Actor.BOTH, False), (None, False)]
)
def test_a_break_is_signed_for_by_both(by: Actor | None, is_found: bool) -> None:
    table = Table(11, rule_set=BIBA).record(match.GameStarted(at_ms=0)).won("two", 1)
    table.record(attendance.BreakStarted(seats=(ONE, TWO), agreed_by=by, at_ms=60 * MINUTE))
    assert ("break-unsigned" in table.codes) is is_found


@pytest.mark.rows("N-01")
@pytest.mark.parametrize("left_at", [-5, 5])
def test_who_leaves_again_before_the_start_is_late(left_at: int) -> None:
    table = Table(7, rule_set=BIBA).record(attendance.PlayerArrived(seat=ONE, at_ms=-10 * MINUTE))
    table.record(attendance.PlayerLeft(seat=ONE, at_ms=left_at * MINUTE))
    table.record(attendance.PlayerArrived(seat=ONE, at_ms=10 * MINUTE))
    assert table.replay.state.judged.penalties.points.one == (2 if left_at < 0 else 0)


@pytest.mark.parametrize(
    ("breaks", "is_asked"),
    [
        ([(3_600, 360), (7_200, 360)], False),
        ([(3_600, 360), (4_500, 360), (5_400, 360)], True),
        ([(5_400, 540), (6_600, 600)], True),
        ([(3_600, 361)], True),
    ],
)
@pytest.mark.parametrize("seat", ["one", "two"])
def test_breaks_add_up_against_six_minutes_an_hour(
    breaks: list[tuple[int, int]], is_asked: bool, seat: str
) -> None:
    table = Table(11, rule_set="usbgf-2017-07")
    for who in ("one", "two"):
        table.record(attendance.PlayerArrived(seat=Seat(who), at_ms=0))
    table.record(match.GameStarted(at_ms=0)).won("two", 1)
    for began_s, lasted_s in breaks:
        began_ms = began_s * 1_000
        table.record(attendance.BreakStarted(seats=(Seat(seat),), at_ms=began_ms))
        table.record(attendance.BreakEnded(at_ms=began_ms + lasted_s * 1_000))
    answer = table.state.judged.penalties.accounts[Seat(seat)].answer
    assert (answer is not None and answer.ambiguity == "AMB-N9") is is_asked
