"""Delays under the rule sets: demanded, ruled, carried out, ordered; what is asked once."""

from __future__ import annotations

from typing import Any

import pytest

from events.envelope import Basis
from events.payloads import clock, dice, dispute
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Severity
from projections.rules.shelf import SHELF
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO
FORFEIT, RESTART = "clock.forfeit", "clock.restart"
GIN = "says that a side wins whatever is rolled"

pytestmark = pytest.mark.parametrize("rule_set", SHELF)


def _table(rule_set: str) -> Table:
    return Table(7, rule_set=rule_set).clock().game().opening(3, 1)


def _grab(rule_set: str) -> Table:
    """Two lifts dice before one has played, and one demands two's delay."""
    table = _table(rule_set).record(dice.Lifted(seat=TWO))
    return table.record(dice.LiftAnswered(answer=dice.LiftAnswer.FORFEIT, seat=ONE))


def _forfeit(table: Table, *, basis: Basis = Basis.OBSERVED, **members: Any) -> Table:
    return table.record(clock.ClockDelayForfeited(seat=TWO, **members), basis=basis)


def _asked(table: Table, topic: str) -> list[Finding]:
    return [
        one
        for one in table.replay.open_questions
        if one.ruling_required is not None and one.ruling_required.topic == topic
    ]


def _found(table: Table, code: str) -> list[Finding]:
    return [one for one in table.replay.findings if one.code == code]


def _rules(table: Table, reading: str) -> Table:
    (asked,) = _asked(table, FORFEIT)
    question = dispute.Question(topic=FORFEIT, at=asked.entry_id, seat=asked.seat)
    answers = (dispute.Answer(question=question, reading=reading),)
    return table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)


def test_a_delay_demanded_for_lifted_dice_is_a_question_of_whoever_lifted(rule_set: str) -> None:
    (asked,) = _asked(_grab(rule_set), FORFEIT)
    assert asked.seat is TWO
    assert asked.message == (
        "player one demands the delay of player two's next turn, "
        "for dice lifted before the turn was over: "
        "whether it is forfeited is for the Director to decide"
    )


def test_what_was_asked_at_the_demand_is_not_asked_again_when_it_is_carried_out(
    rule_set: str,
) -> None:
    table = _forfeit(_grab(rule_set), cause=clock.DelayCause.FAST_GRAB)
    assert len(_found(table, "delay-forfeited")) == 1
    # The fact counts whatever is asked about it.
    assert table.press("one", 5).state.clock.free_ms == 0


def test_a_delay_forfeited_as_was_ruled_is_no_finding_and_one_that_was_not_is(
    rule_set: str,
) -> None:
    is_club = rule_set == "fcbg-club"
    yes, no = ("does_not_bind", "adopted") if is_club else ("forfeited", "kept")
    assert len(_found(_forfeit(_rules(_grab(rule_set), yes)), "delay-forfeited")) == 1
    found = _found(_forfeit(_rules(_grab(rule_set), no)), "delay-forfeited")
    if is_club:
        # Neither word says what becomes of the delay.
        assert len(found) == 1
        return
    assert (
        found[1].message
        == "player two forfeits the delay of the next turn, and by the ruling that is not so"
    )
    assert found[1].ruling_required is None


def test_a_delay_that_nobody_demanded_or_ordered_is_asked_about(rule_set: str) -> None:
    (asked,) = _asked(_forfeit(_table(rule_set)), FORFEIT)
    assert "player two forfeits the delay of the next turn" in asked.message


@pytest.mark.parametrize(
    "members", [{"basis": Basis.RULED}, {"ordered_by": Actor.DIRECTOR}], ids=["ruled", "ordered"]
)
def test_what_the_director_orders_is_noted_and_not_asked(
    rule_set: str, members: dict[str, Any]
) -> None:
    table = _forfeit(_table(rule_set), **members)
    (note,) = _found(table, "delay-forfeited")
    assert (note.severity, _asked(table, FORFEIT)) == (Severity.NOTE, [])


def test_a_delay_that_both_let_begin_anew_is_asked_about(rule_set: str) -> None:
    table = _table(rule_set).record(clock.ClockPaused(at_ms=5_000))
    table.record(clock.ClockDelayRestarted(seat=ONE), basis=Basis.AGREED)
    (asked,) = _asked(table, RESTART)
    assert "the delay of player one begins anew" in asked.message


def test_a_delay_that_begins_anew_out_of_turn_says_so(rule_set: str) -> None:
    table = _table(rule_set).record(clock.ClockDelayRestarted(seat=TWO))
    (asked,) = _asked(table, RESTART)
    assert "though the time of player" in asked.message


def test_only_a_demand_is_asked_about_and_a_warning_is_not(rule_set: str) -> None:
    table = _table(rule_set).record(dice.Lifted(seat=TWO))
    table.record(dice.LiftAnswered(answer=dice.LiftAnswer.ONLY_WARNED, target=table.last))
    assert _asked(table, FORFEIT) == []


def test_an_answer_to_dice_that_nobody_lifted_is_found(rule_set: str) -> None:
    table = _table(rule_set).record(dice.LiftAnswered(answer=dice.LiftAnswer.FORFEIT))
    assert len(_found(table, "answer-without-offer")) == 1
    assert _asked(table, FORFEIT) == []


def test_an_early_roll_may_be_answered_with_a_choice_and_a_demand(rule_set: str) -> None:
    table = _table(rule_set).record(dice.Lifted(seat=TWO)).early("two", 64)
    early = table.last
    assert table.state.judged.premature.early is not None
    assert table.state.judged.premature.early.facts.has_lifted
    answer = dice.EarlyRollAnswered(
        answer=dice.EarlyRollAnswer.STANDS, target=early, seat=ONE, revises=True, forfeit=True
    )
    table.record(answer)
    (asked,) = _asked(table, FORFEIT)
    assert asked.seat is TWO
    facts = table.state.judged.premature.early
    assert facts is not None
    assert (facts.facts.revises, facts.facts.forfeit) == (True, True)


def test_dice_rolled_without_being_lifted_first_are_told_apart(rule_set: str) -> None:
    table = _table(rule_set).early("two", 64)
    assert table.state.judged.premature.early is not None
    assert not table.state.judged.premature.early.facts.has_lifted


@pytest.mark.parametrize(
    ("gin", "side", "words"),
    [
        (None, None, None),
        (False, None, f"nobody {GIN}"),
        (True, None, "one side is said to win whatever is rolled"),
        (True, TWO, "player two is said to win whatever is rolled"),
    ],
)
def test_two_flags_with_an_unknown_order_ask_and_tell_of_a_sure_win(
    rule_set: str, gin: bool | None, side: Seat | None, words: str | None
) -> None:
    flag = clock.ClockFlagNoticed(
        whose=clock.Flag.BOTH,
        first=clock.Flag.UNKNOWN,
        readings=BySeat(0, 0),
        gin=gin,
        gin_for=side,
    )
    table = _table(rule_set).record(flag)
    (asked,) = _asked(table, "clock.flag")
    if words is None:
        assert "whatever is rolled" not in asked.message
    else:
        assert asked.message.endswith(f"; {words}; what follows is for the Director to decide")
    assert table.state.judged.timing.flag is not None
    assert table.state.judged.timing.flag.is_gin is gin


def test_a_clock_stopped_after_a_pass_asks_nothing(rule_set: str) -> None:
    table = _table(rule_set).turns(1).double("two").drop("one")
    table.record(clock.ClockPaused(by=Actor.ONE, reason="double_dropped"))
    assert _asked(table, "clock.stop") == []
