"""A throw that did not count has been thrown all the same, whoever says whose it was."""

from __future__ import annotations

import pytest
from table import Table

from projections.rules.answers import Answer

BIBA, FCBG, DRAFT = "biba-2014", "fcbg-tournament", "usbgf-2017-07"
REFUSED = [(BIBA, "5.4"), (FCBG, "IRR/T(j)")]


def begun(rule_set: str) -> Table:
    return Table(7, rule_set=rule_set).game()


def answer(table: Table) -> Answer:
    kept = table.state.judged.cube_acts.answer
    assert kept is not None
    return kept


def said(table: Table) -> tuple[str, str]:
    return answer(table).outcome, answer(table).section


@pytest.mark.parametrize(("rule_set", "section"), REFUSED)
@pytest.mark.parametrize("seat", [None, "one"])
def test_who_has_thrown_a_void_roll_may_not_double_though_nobody_says_whose_it_was(
    rule_set: str, section: str, seat: str | None
) -> None:
    targeted = begun(rule_set).turns(2).roll("one", 61)
    targeted.void(target=targeted.last, seat=seat).double("one")
    at_once = begun(rule_set).turns(2).void(seat=seat).double("one")
    for table in (targeted, at_once):
        assert said(table) == ("not_allowed", section)


@pytest.mark.parametrize("rule_set", [DRAFT, "common"])
def test_a_text_that_does_not_know_cocked_dice_leaves_the_double_after_them_open(
    rule_set: str,
) -> None:
    table = begun(rule_set).turns(2).roll("one", 61)
    assert answer(table.void(target=table.last).double("one")).is_open


@pytest.mark.parametrize(("rule_set", "section"), REFUSED)
def test_an_early_roll_that_is_voided_or_redone_was_thrown(rule_set: str, section: str) -> None:
    voided = begun(rule_set).turns(1).early("two", 42)
    voided.void(target=voided.last)
    redone = begun(rule_set).turns(1).early("two", 42).answers_early("redone")
    for table in (voided, redone):
        assert said(table.ends_turn("one").double("two")) == ("not_allowed", section)


@pytest.mark.parametrize("rule_set", [BIBA, FCBG])
@pytest.mark.parametrize("seat", [None, "two"])
def test_a_void_throw_of_an_earlier_turn_or_of_the_opening_forbids_no_double(
    rule_set: str, seat: str | None
) -> None:
    played = begun(rule_set).turns(1).roll("two", 42)
    roll = played.last
    played.play("two", "8/4 6/4").turn("one", 61, "13/7 8/7").void(target=roll, seat=seat)
    earlier_game = begun(rule_set).turns(1).roll("two", 42)
    roll = earlier_game.last
    earlier_game.won("one", 1).game().turns(1).void(target=roll, seat=seat)
    opening = begun(rule_set).void().turns(1)
    for table in (played, earlier_game, opening):
        assert answer(table.double("two")).outcome == "allowed"


@pytest.mark.parametrize("rule_set", [BIBA, FCBG])
def test_an_amended_or_retracted_call_forbids_no_double(rule_set: str) -> None:
    table = begun(rule_set).turns(2).void()
    call = table.last
    assert answer(table.double("one")).outcome == "not_allowed"
    assert answer(table.retract(call)).outcome == "allowed"


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09", BIBA, FCBG, "common"])
def test_a_void_throw_makes_no_question_of_a_double_with_the_opponents_cube(rule_set: str) -> None:
    table = begun(rule_set).cube_is(2, "two").turns(2).void(seat="one").double("one")
    assert (answer(table).outcome, table.found) == ("not_allowed", ["cube-not-owned"])
