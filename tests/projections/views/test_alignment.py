"""Two records beside each other: turns that are alike, differ or are missing, and score sheets."""

from __future__ import annotations

from events.payloads import dice, dispute, match
from events.payloads.base import Actor
from events.values import TWO, BySeat, Seat
from projections.views.alignment import aligned, first_divergence, sheets, turns
from tests.projections.playthroughs import home_match
from tests.projections.table import Table


def record(*plays: tuple[str, int, str]) -> Table:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5")
    for seat, roll, text in plays:
        table.turn(seat, roll, text)
    return table


TURNS = (("two", 64, "24/14"), ("one", 52, "13/8 13/11"), ("two", 21, "13/11 6/5"))


def test_a_record_beside_itself_differs_nowhere() -> None:
    rows = aligned(home_match().replay, home_match().replay)
    assert len(rows) > 10
    assert first_divergence(rows) is None


def test_another_play_is_the_first_divergence() -> None:
    other = (TURNS[0], ("one", 52, "13/8 24/22"), TURNS[2])
    rows = aligned(record(*TURNS).replay, record(*other).replay)
    assert [row.differs for row in rows] == [(), (), ("play",), ()]
    assert first_divergence(rows) == 2


def test_other_dice_are_named() -> None:
    other = (("two", 46, "24/14"), ("one", 53, "13/8 13/11"), TURNS[2])
    rows = aligned(record(*TURNS).replay, record(*other).replay)
    assert [row.differs for row in rows] == [(), (), ("dice",), ()]


def test_a_turn_that_one_scribe_missed_is_a_gap_and_the_rest_is_aligned_again() -> None:
    rows = aligned(record(*TURNS).replay, record(TURNS[0], TURNS[2]).replay)
    assert [row.differs for row in rows] == [(), (), ("missing",), ()]
    assert rows[2].second is None
    assert rows[3].first is not None
    assert rows[3].second is not None
    assert rows[3].first.play == rows[3].second.play


def test_a_play_written_otherwise_with_the_same_end_is_the_same() -> None:
    steps = (("two", 64, "24/20 20/14"), *TURNS[1:])
    rows = aligned(record(*TURNS).replay, record(*steps).replay)
    assert first_divergence(rows) is None


def test_a_roll_that_is_void_after_its_play_is_no_turn_of_its_own() -> None:
    first = Table().game().opening(3, 1).play("one", "8/5 6/5").roll("two", 66)
    thrown = first.last
    first.play("two", "24/18(2) 13/7(2)").void(thrown, "two")
    assert [turn.dice for turn in turns(first.replay)] == ["31"]
    first.turn(*TURNS[0])
    assert first_divergence(aligned(first.replay, record(TURNS[0]).replay)) is None


def test_a_contested_throw_that_a_ruling_lets_count_is_the_roll_of_its_turn() -> None:
    called = dice.Voided(
        seat=TWO, reason=dice.VoidReason.COCKED, dice=(6, 4), contested=True, caller=Actor.ONE
    )
    first = record().record(called)
    about = dispute.Question(topic="dice.validity", at=first.last, seat=TWO)
    first.record(dispute.RulingMade(answers=(dispute.Answer(question=about, reading="valid"),)))
    first.play("two", "24/14")
    assert first_divergence(aligned(first.replay, record(TURNS[0]).replay)) is None


def test_a_throw_that_a_ruling_does_not_let_count_is_no_roll_of_its_turn() -> None:
    thrown = dice.Rolled(seat=TWO, dice=(6, 4), throw=dice.Throw(source="hand"))
    first = Table(rule_set="usbgf-2017-07").game().opening(3, 1).play("one", "8/5 6/5")
    first.record(thrown)
    about = dispute.Question(topic="dice.validity", at=first.last, seat=TWO)
    first.record(dispute.RulingMade(answers=(dispute.Answer(question=about, reading="reroll"),)))
    assert [turn.dice for turn in turns(first.replay)] == ["31"]


def test_the_cube_and_the_result_are_compared() -> None:
    first = record(*TURNS).double("one").drop("two")
    second = record(*TURNS).double("one").take("two")
    rows = aligned(first.replay, second.replay)
    assert rows[-1].differs == ("cube", "won")


def test_a_game_that_only_one_record_has_is_missing_in_the_other() -> None:
    table = record(*TURNS).resign("one").accept("two").game().opening(3, 1).play("one", "8/5 6/5")
    rows = aligned(table.replay, record(*TURNS).replay)
    assert rows[-1].differs == ("missing",)
    assert rows[-1].first is not None
    assert rows[-1].first.game == 2


def test_turns_are_as_corrected() -> None:
    table = record(*TURNS)
    table.retract(table.last).play("two", "24/23 13/11")
    assert turns(table.replay)[-1].play == "24/23 13/11"


def test_sheets_are_compared_with_the_games_and_with_each_other() -> None:
    table = Table().game().win().noted(1, 0, "one").noted(0, 1, "two")
    [sheet] = sheets(table.replay)
    assert (sheet.game, sheet.computed) == (1, BySeat(1, 0))
    assert sheet.noted.one is not None
    assert sheet.noted.one.score == BySeat(1, 0)
    assert sheet.differs == ("two", "sheets")


def test_two_sheets_with_the_same_slip_differ_from_the_games_alone() -> None:
    table = Table().game().win().noted(2, 0, "one").noted(2, 0, "two")
    assert sheets(table.replay)[0].differs == ("one", "two")


def test_a_sheet_that_was_not_kept_differs_from_nothing() -> None:
    table = Table().game().win().record(match.ScoreNoted(keeper=Seat.ONE, sheet=match.Sheet.NONE))
    [sheet] = sheets(table.replay)
    assert sheet.noted.one is not None
    assert sheet.noted.one.score is None
    assert sheet.noted.two is None
    assert sheet.differs == ()
