"""Turns ended without a play, plays by the wrong player, and early rolls that stay void."""

from __future__ import annotations

import pytest

from events.payloads import clock, dice
from events.values import Seat
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def codes(table: Table) -> list[str]:
    """The findings, except those about the terms of the clock."""
    return [code for code in table.codes if code != "clock-terms"]


# A turn that is ended without a play, and a play by the wrong player.


@pytest.mark.parametrize(
    ("rule_set", "section"), [("usbgf-2017-07", "[4.1.8]"), ("biba-2014", "4.5")]
)
def test_a_press_without_a_play_is_one_turn_ended_unplayed(rule_set: str, section: str) -> None:
    table = Table(rule_set=rule_set).game().clock().turns(1).press("one").roll("two", 42)
    table.press("two")
    (finding,) = table.findings
    assert (finding.code, finding.section, finding.seat) == ("turn-unplayed", section, TWO)
    assert finding.message == "player two ended the turn with 42 not played"
    assert table.roll("one", 65).found == []
    assert table.state.flow.on_roll is ONE


def test_where_the_text_does_not_say_that_the_turn_is_over_the_next_roll_shows_it() -> None:
    table = Table(rule_set="common").game().turns(1).roll("two", 42)
    assert table.ends_turn("two").found == []
    assert table.roll("one", 65).found == ["turn-unplayed"]


def test_what_does_not_end_a_turn_leaves_its_roll_to_be_played() -> None:
    table = Table(rule_set="biba-2014").game().turns(1).roll("two", 42)
    table.record(dice.TurnEnded(seat=TWO, method="tapped_bar")).roll("one", 65)
    assert table.found == ["out-of-turn"]


def test_a_play_after_the_press_is_the_play_of_that_roll() -> None:
    table = Table(rule_set="biba-2014").game().clock().turns(1).press("one").roll("two", 42)
    table.press("two").play("two", "8/4 6/4")
    assert codes(table) == ["turn-unplayed"]
    assert table.board("two")[4] == 2


def test_who_cannot_play_ends_his_turn_by_the_press_alone() -> None:
    table = Table(rule_set="biba-2014").game().clock()
    table.stated("2:2 3:2 4:2 5:2 6:2 8:5", "bar:1 6:14", on_roll=TWO).roll("two", 53)
    table.record(clock.ClockStarted(seat=TWO)).press("two").roll("one", 31)
    assert codes(table) == []


def test_who_is_closed_out_ends_his_turn_by_the_press_alone() -> None:
    table = Table(rule_set="biba-2014").game().clock()
    table.stated("1:2 2:2 3:2 4:2 5:2 6:5", "bar:1 6:14", on_roll=TWO)
    table.record(clock.ClockStarted(seat=TWO)).press("two").roll("one", 31)
    assert codes(table) == []


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("is_doubled", [False, True])
def test_who_is_closed_out_is_passed_over_without_an_entry(
    rule_set: str, *, is_doubled: bool
) -> None:
    """No roll enters a checker: the opponent throws on, or doubles first."""
    table = Table(rule_set=rule_set).game()
    table.stated("1:2 2:2 3:2 4:2 5:2 6:2 8:3", "bar:1 6:14", on_roll=ONE).roll("one", 21)
    table.play("one", "8/6 8/7")
    if is_doubled:
        table.double("one").take("two")
    table.roll("one", 42)
    assert not {"out-of-turn", "turn-passed-without-roll"} & set(codes(table))
    assert table.state.flow.on_roll is ONE
    # With a point open the other has to throw.
    table.play("one", "6/2 6/4").roll("one", 42)
    assert table.found == ["out-of-turn"]


def test_a_turn_ended_without_a_roll_is_one_turn() -> None:
    table = Table(rule_set="usbgf-2017-07").game().clock().turns(1).press("one").press("two")
    assert table.roll("one", 65).found == ["turn-passed-without-roll"]
    assert table.state.flow.turn_number == 3


def test_a_double_after_a_turn_that_was_not_played_is_in_turn() -> None:
    table = Table(rule_set="usbgf-2017-07").game().clock().turns(1).press("one")
    table.roll("two", 42).press("two").double("one")
    assert codes(table) == ["turn-unplayed"]
    assert table.state.flow.answering is TWO


def test_who_presses_while_the_others_time_runs_ends_no_turn() -> None:
    table = Table(rule_set="usbgf-2017-07").game().clock()
    table.record(clock.ClockStarted(seat=ONE)).opening(1, 3).press("two").roll("one", 42)
    assert "out-of-turn" in table.found


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [
        ("usbgf-2017-07", "[4.1.1-4]"),
        ("usbgf-2017-09", "[4.1.1-4]"),
        ("biba-2014", "4.2"),
        ("fcbg-tournament", "1ST ROLL"),
        ("fcbg-club", "1ST ROLL"),
        ("common", "Movement"),
    ],
)
def test_the_opening_played_by_the_wrong_player_is_against_the_opening_rule(
    rule_set: str, section: str
) -> None:
    table = Table(rule_set=rule_set).game().opening(3, 1).play("two", "8/5 6/5")
    (finding,) = table.findings
    assert (finding.code, finding.section) == ("out-of-turn", section)
    assert (
        finding.message
        == "player two plays the opening roll 31, and player one threw the higher die"
    )


def test_the_opening_played_by_the_wrong_player_is_played_with_its_dice() -> None:
    table = Table().game().opening(3, 1).play("two", "8/4 6/5")
    assert table.found == ["illegal-play", "out-of-turn"]


def test_a_play_in_the_others_roll_says_whose_roll_waits() -> None:
    table = Table().game().turns(1).roll("two", 42).play("one", "13/9 13/11")
    (finding,) = table.findings
    assert finding.message == "player one plays, and player two is on roll, whose 42 is not played"


# An early roll that is void.


def test_a_void_early_roll_stays_void_though_it_is_allowed_and_played() -> None:
    table = Table(rule_set="fcbg-tournament").game().opening(3, 1).play("one", "8/5 6/5")
    table.record(dice.RolledEarly(seat=TWO, dice=(4, 2)))
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS, seat=ONE))
    assert table.found == ["early-roll"]
    assert "void all the same" in table.findings[-1].message
    table.ends_turn("one").play("two", "8/4 6/4")
    assert table.found == ["void-roll-played"]
    assert table.findings[-1].section == "IRR/T(a)"


def test_a_void_early_roll_that_was_allowed_is_thrown_again_without_a_word() -> None:
    table = Table(rule_set="fcbg-tournament").game().opening(3, 1).play("one", "8/5 6/5")
    table.record(dice.RolledEarly(seat=TWO, dice=(4, 2)))
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS, seat=ONE))
    table.ends_turn("one").roll("two", 53)
    assert table.found == []
    assert table.state.flow.dice == (5, 3)
    assert table.play("two", "8/3 6/3").found == []


def test_a_void_early_roll_that_is_thrown_again_is_no_more_than_that() -> None:
    table = Table(rule_set="fcbg-tournament").game().opening(3, 1).play("one", "8/5 6/5")
    table.record(dice.RolledEarly(seat=TWO, dice=(4, 2)))
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE, seat=ONE))
    table.ends_turn("one").roll("two", 31).play("two", "8/5 6/5")
    assert codes(table) == ["early-roll"]


def test_an_early_roll_that_may_stand_is_played_without_a_word_about_it() -> None:
    table = Table(rule_set="biba-2014").game().opening(3, 1).play("one", "8/5 6/5")
    table.record(dice.RolledEarly(seat=TWO, dice=(4, 2)))
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS, seat=ONE))
    table.ends_turn("one").play("two", "8/4 6/4")
    assert codes(table) == ["early-roll"]


def test_who_rolled_early_does_not_choose_what_becomes_of_it() -> None:
    table = Table(rule_set="biba-2014").game().opening(3, 1).play("one", "8/5 6/5")
    table.record(dice.RolledEarly(seat=TWO, dice=(4, 2)))
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.REDONE, seat=TWO))
    assert table.found == ["early-roll"]
    assert table.findings[-1].message == (
        "player two decides about an early roll of player two's, and the choice is player one's"
    )
    table.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer.STANDS, seat=ONE))
    assert table.found == []
    assert table.ends_turn("one").state.flow.dice == (4, 2)


@pytest.mark.parametrize(
    ("rule_set", "section"), [("biba-2014", "4.5"), ("fcbg-tournament", "IRR/T(c)")]
)
def test_a_roll_called_premature_was_none_where_the_turn_was_over(
    rule_set: str, section: str
) -> None:
    table = Table(rule_set=rule_set).game().turns(1).ends_turn("one").roll("two", 42)
    voided = dice.Voided(seat=TWO, reason=dice.VoidReason.PREMATURE, target=table.last)
    assert table.record(voided).found == ["throw-voided"]
    assert table.findings[-1].section == section


def test_a_roll_called_premature_is_not_defended_where_nothing_ended_the_turn() -> None:
    table = Table(rule_set="biba-2014").game().opening(3, 1).play("one", "8/5 6/5").roll("two", 42)
    voided = dice.Voided(seat=TWO, reason=dice.VoidReason.PREMATURE, target=table.last)
    assert table.record(voided).found == []


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament"])
def test_dice_lifted_after_the_turn_is_over_are_nobodys_affair(rule_set: str) -> None:
    table = Table(rule_set=rule_set).game().turns(1).ends_turn("one")
    assert table.record(dice.Lifted(seat=TWO)).found == []
