"""Sides to throw on: permitted, until when, withdrawn; and what the throws are asked with."""

from __future__ import annotations

from typing import Any

from events.payloads import equipment
from events.payloads.base import Actor
from events.values import Seat
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def _permit(table: Table, **members: Any) -> Table:
    agreed = equipment.EquipmentAgreed(item="throwing_side", half="left", **members)
    return table.record(agreed)


def _end(table: Table, **members: Any) -> Table:
    return table.record(equipment.AgreementEnded(item="throwing_side", **members))


def _may(table: Table, seat: Seat) -> str | None:
    return table.state.judged.sides.half_of(seat, table.state.score.game_number)


def test_a_permission_is_for_whom_it_names_and_an_agreement_for_both() -> None:
    table = _permit(Table(7).game(), allowed=ONE)
    assert (_may(table, ONE), _may(table, TWO)) == ("left", None)
    table = _permit(Table(7).game())
    assert (_may(table, ONE), _may(table, TWO)) == ("left", "left")


def test_a_permission_holds_until_it_is_withdrawn() -> None:
    table = _permit(Table(7).game(), allowed=ONE, by=Actor.TWO)
    assert _may(_end(table, by=Actor.TWO, target=table.last), ONE) is None


def test_withdrawing_one_permission_leaves_the_other() -> None:
    table = _permit(Table(7).game(), allowed=ONE)
    first = table.last
    _end(_permit(table, allowed=TWO), target=first)
    assert (_may(table, ONE), _may(table, TWO)) == (None, "left")


def test_a_permission_until_the_game_is_over_ends_with_it() -> None:
    until = equipment.AgreedUntil.GAME
    table = _permit(Table(7).game().turns(1), allowed=ONE, until=until)
    assert _may(table, ONE) == "left"
    table.turns(1).double("one").drop("two").game()
    assert _may(table, ONE) is None


def test_one_given_between_games_is_about_the_next_game() -> None:
    table = _permit(Table(7), allowed=ONE, until=equipment.AgreedUntil.GAME).game()
    assert _may(table, ONE) == "left"


def test_one_for_the_match_holds_in_the_next_game() -> None:
    table = _permit(Table(7).game().turns(2), until=equipment.AgreedUntil.MATCH)
    table.double("one").drop("two").game()
    assert _may(table, TWO) == "left"


def test_an_end_of_nothing_is_found() -> None:
    assert _end(Table(7).game()).found == ["throwing-side"]


@in_bunches("rule_set", SHELF)
def test_every_text_has_dice_thrown_on_the_right(rule_set: str) -> None:
    table = _permit(Table(7, rule_set=rule_set).game(), allowed=ONE)
    (finding,) = [one for one in table.replay.findings if one.code == "throwing-side"]
    assert finding.seat is ONE
    # The club is bound by no heading that says so; of the others no word on it is in hand.
    asks = rule_set in {"fcbg-club", "usbgf-2024", "wbgt-2010"}
    assert (finding.ruling_required is not None) is asks
    assert "one is permitted to throw on the left" in finding.message


@in_bunches("rule_set", SHELF)
def test_to_agree_on_the_right_is_nothing_to_be_found(rule_set: str) -> None:
    table = Table(7, rule_set=rule_set).game()
    table.record(equipment.EquipmentAgreed(item="throwing_side", half="right"))
    assert "throwing-side" not in [
        one.code for one in table.replay.findings if one.ruling_required is None
    ]


def test_a_baffle_box_that_was_ended_stands_no_more() -> None:
    table = Table(7).game()
    table.record(equipment.EquipmentAgreed(item="baffle_box", half="left"))
    assert table.state.judged.throws.box_half == "left"
    table.record(equipment.AgreementEnded(item="baffle_box"))
    assert table.state.judged.throws.box_half is None
