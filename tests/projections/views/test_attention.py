"""Which open questions need the director: alarms, notes that both players settled, those left."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from events.envelope import Basis
from events.payloads import appeal, clock, cube, dice, dispute, penalty
from events.payloads.base import Actor
from events.values import Seat
from projections.folding.findings import Finding
from projections.replay import replay
from projections.rules.shelf import SHELF
from projections.views.attention import Attention, alarms, asked
from projections.views.lines import question_lines
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO

CONTACT = ("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 24:2")
RACE = ("4:4 5:5 6:5 10:1", "off:12 1:3")

FLAT: dict[str, Any] = {
    "at_rest": "natural",
    "location": "playing_field",
    "rolled_side": "right",
    "rest_side": "right",
    "first_contact": "field",
    "left_board_and_returned": "none",
    "rests_on": ("field",),
    "balanced_on": "none",
    "tilt": "flat",
    "tilt_cause": "none",
}
ASLANT = {**FLAT, "tilt": "tilted", "tilt_cause": "surface_imperfection"}
"""A die of which Biba's text does not say whether it lies flat (AMB-D3)."""


def resigned(board: tuple[str, str], rule_set: str) -> Table:
    table = Table(7, rule_set=rule_set).game().cube_is(2, "two")
    return table.stated(*board, on_roll=TWO).resign("one", "single")


def doubtful_roll() -> Table:
    """A roll that was played although nobody can say whether it was valid."""
    table = Table(7, rule_set="biba-2014").game().turns(1)
    thrown = tuple(dice.Observation(**one) for one in (ASLANT, FLAT))
    return table.record(dice.Rolled(seat=TWO, dice=(4, 2), observations=thrown))


def attention(table: Table) -> list[str]:
    return [one.attention.value for one in asked(table.replay)]


def question(table: Table) -> Finding:
    [one] = asked(table.replay)
    return one.finding


def called(table: Table, about: str | None = None) -> Table:
    return table.record(dispute.DirectorCalled(by=Actor.TWO, about=about))


def left(table: Table) -> Table:
    """The only question of the match is left to rest."""
    finding = question(table)
    assert finding.ruling_required is not None
    named = dispute.Question(
        topic=finding.ruling_required.topic, at=finding.entry_id, seat=finding.seat
    )
    return table.record(dispute.QuestionLeft(question=named))


EVERY_RULE_SET = [*SHELF, None]
"""None = recorded under no rule set."""

TARGETS = {
    "ruling": dispute.RulingMade(),
    "slow play": penalty.PenaltyAssessed(
        seat=ONE, points=1, ground=penalty.PenaltyGround.SLOW_PLAY
    ),
    "disqualification": penalty.PlayerDisqualified(seat=ONE),
}
"""What an appeal may be against; the texts admit some of them and not others."""


def disputed(rule_set: str | None) -> Table:
    """A play that is disputed, and ruled on in words."""
    table = Table(7, rule_set=rule_set).game().turns(3)
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic="play.validity"))
    return table.record(dispute.RulingMade(dispute=table.last), basis=Basis.RULED)


def appealed(rule_set: str | None, against: str, *, plays_on: bool = False) -> Table:
    table = disputed(rule_set)
    if against != "ruling":
        table.record(TARGETS[against], basis=Basis.RULED)
    target = table.last
    if plays_on:
        table.roll("two", 42).play("two", "8/4 6/4")
    return table.record(appeal.AppealFiled(seat=ONE, target=target))


def heard(table: Table, votes: str, *, size: int = 3) -> Table:
    """A committee meets and votes on the last appeal: u(phold), r(everse), m(odify), a(bstain)."""
    filed = table.last
    members = tuple(appeal.Member(member=f"m{place}") for place in range(1, size + 1))
    table.record(appeal.CommitteeConvened(appeal=filed, size=size, members=members))
    named = {vote.value[0]: vote for vote in appeal.Vote}
    for place, vote in enumerate(votes, 1):
        table.record(appeal.VoteCast(member=f"m{place}", vote=named[vote], appeal=filed))
    return table


def decided(table: Table, outcome: appeal.AppealOutcome) -> Table:
    return table.record(appeal.AppealDecided(outcome=outcome), basis=Basis.RULED)


@pytest.mark.parametrize("plays_on", [False, True])
@pytest.mark.parametrize("against", TARGETS)
@pytest.mark.parametrize("rule_set", EVERY_RULE_SET)
def test_a_dispute_ruled_appealed_and_decided_needs_nobody_under_any_rule_set(
    rule_set: str | None, against: str, plays_on: bool
) -> None:
    before = replay(appealed(rule_set, against, plays_on=plays_on).events[:-1])
    known = {one.finding.entry_id for one in asked(before) if one.attention is Attention.ALARM}
    for size, votes in ((3, "uuu"), (3, "rrr"), (3, "rmu"), (3, "r"), (5, "rruua"), (3, "")):
        for outcome in appeal.AppealOutcome:
            table = heard(appealed(rule_set, against, plays_on=plays_on), votes, size=size)
            waiting = {one.entry_id for one in alarms(decided(table, outcome).replay)}
            assert waiting <= known, (votes, outcome, "a penalty may ask, its appeal does not")


@pytest.mark.parametrize("rule_set", EVERY_RULE_SET)
def test_a_refused_appeal_needs_nobody_under_any_rule_set(rule_set: str | None) -> None:
    table = appealed(rule_set, "ruling", plays_on=True)
    table.record(appeal.AppealRefused(appeal=table.last), basis=Basis.RULED)
    assert alarms(table.replay) == []


def test_an_open_appeal_that_no_text_provides_for_is_an_alarm_until_its_own_decision() -> None:
    table = appealed("common", "ruling")
    first = table.last
    assert attention(table) == ["alarm"]
    table.record(appeal.AppealFiled(seat=TWO, target=table.events[-2].entry_id))
    assert attention(table) == ["alarm", "alarm"]
    table.record(appeal.AppealRefused(appeal=first), basis=Basis.RULED)
    assert attention(table) == ["note", "alarm"], "the other one still waits"
    assert attention(decided(table, appeal.AppealOutcome.UPHELD)) == ["note", "note"]


def test_a_call_about_something_else_does_not_stir_an_appeal_that_is_over() -> None:
    table = decided(appealed("common", "ruling"), appeal.AppealOutcome.UPHELD)
    assert attention(table) == ["note"]
    assert attention(called(table)) == ["note"]
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic="appeal.admissibility"))
    assert attention(table) == ["alarm"], "that one is about it"


@pytest.mark.parametrize("names_it", [True, False])
def test_a_call_or_dispute_that_was_ruled_on_raises_nothing_any_more(names_it: bool) -> None:
    table = called(resigned(CONTACT, "biba-2014").accept("two"))
    assert attention(table) == ["alarm"]
    call = table.last
    table.record(dispute.RulingMade(dispute=call), basis=Basis.RULED)
    assert attention(table) == ["note"]
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic="resignation.validity"))
    raised = table.last
    assert attention(table) == ["alarm"]
    named = raised if names_it else None
    assert attention(table.record(dispute.RulingMade(dispute=named))) == ["note"]


def test_a_disputed_throw_that_was_ruled_on_in_words_needs_nobody() -> None:
    table = doubtful_roll()
    topic = question(table).ruling_required
    assert topic is not None
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic=topic.topic))
    assert attention(table) == ["alarm"]
    assert attention(table.record(dispute.RulingMade(dispute=table.last))) == ["note"]


def test_a_ruling_that_was_reversed_has_to_be_made_anew() -> None:
    table = doubtful_roll()
    finding = question(table)
    asks = finding.ruling_required
    assert asks is not None
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic=asks.topic))
    named = dispute.Question(topic=asks.topic, at=finding.entry_id, seat=finding.seat)
    answer = dispute.Answer(question=named, reading=asks.readings[0])
    table.record(dispute.RulingMade(dispute=table.last, answers=(answer,)), basis=Basis.RULED)
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    assert attention(table) == ["answered"]
    assert attention(decided(heard(table, "rrr"), appeal.AppealOutcome.REVERSED)) == ["alarm"]
    assert attention(table.record(dispute.RulingMade(answers=(answer,)))) == ["answered"]


def test_a_resignation_that_both_accepted_is_no_alarm() -> None:
    table = resigned(CONTACT, "biba-2014").accept("two")
    assert [one.code for one in table.replay.open_questions] == ["ending-open"]
    assert attention(table) == ["note"]
    assert alarms(table.replay) == []


def test_a_refused_resignation_is_an_alarm_until_both_play_on() -> None:
    table = resigned(RACE, "biba-2014").refuse("two")
    assert attention(table) == ["alarm"]
    assert attention(table.roll("two", 21)) == ["note"]


@pytest.mark.parametrize("is_named", [True, False])
def test_a_note_is_an_alarm_as_soon_as_somebody_calls(is_named: bool) -> None:
    table = resigned(CONTACT, "biba-2014").accept("two")
    assert attention(called(table, table.last if is_named else None)) == ["alarm"]


def test_a_call_in_the_next_game_is_about_that_one_unless_it_names_the_entry() -> None:
    table = resigned(CONTACT, "biba-2014").accept("two")
    entry = table.last
    table.game()
    assert attention(called(table)) == ["note"]
    assert attention(called(table, entry)) == ["alarm"]


def test_a_dispute_on_its_topic_raises_a_note_in_any_game() -> None:
    table = resigned(CONTACT, "biba-2014").accept("two").game()
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic="resignation.validity"))
    assert attention(table) == ["alarm"]


def test_a_doubtful_throw_is_an_alarm_until_both_have_gone_on() -> None:
    table = doubtful_roll()
    assert attention(table) == ["alarm"]
    assert attention(table.play("two", "8/4 6/4")) == ["alarm"]
    assert attention(table.roll("one", 21)) == ["note"]


@pytest.mark.parametrize(("contested", "said"), [(False, "note"), (True, "alarm"), (None, "alarm")])
def test_a_throw_called_void_by_both_is_no_alarm(contested: bool | None, said: str) -> None:
    table = Table(7, rule_set="biba-2014").game().turns(1)
    thrown = tuple(dice.Observation(**one) for one in (ASLANT, FLAT))
    table.record(
        dice.Voided(
            seat=TWO,
            dice=(4, 2),
            reason=dice.VoidReason.COCKED,
            contested=contested,
            observations=thrown,
        )
    )
    assert set(attention(table)) == {said}


def test_clock_terms_and_the_end_of_a_turn_are_no_alarms_until_somebody_objects() -> None:
    table = Table(7, rule_set="fcbg-tournament").clock().game().turns(1).press("one", 5)
    topics = {one.finding.ruling_required.topic for one in asked(table.replay)}  # type: ignore[union-attr]
    assert topics == {"clock.terms", "turn.end"}
    assert set(attention(table)) == {"note"}
    assert attention(called(table)) == ["note", "alarm"], "the clock was set before this game"
    assert set(attention(called(table, table.events[1].entry_id))) == {"alarm"}


def test_a_cube_that_was_only_reached_for_is_no_alarm_once_both_have_gone_on() -> None:
    table = Table(7, rule_set="fcbg-tournament").game().turns(2)
    table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind.REACH))
    assert attention(table) == ["alarm"]
    assert attention(table.roll("one", 21)) == ["note"]


def test_a_question_left_to_rest_stays_open_and_no_longer_waits() -> None:
    table = left(doubtful_roll())
    shown = table.replay
    assert alarms(shown) == []
    assert [one.code for one in shown.open_questions] == [question(table).code]
    [line] = question_lines(shown)
    assert (line["attention"], line["answered"]) == ("left", None)
    assert line["left"] == {"version": table.events[-1].version, "entry_id": table.last}


def test_what_was_left_is_taken_up_again_when_that_entry_is_taken_back() -> None:
    table = left(doubtful_roll())
    assert attention(table.retract(table.last)) == ["alarm"]


def test_what_was_left_may_still_be_ruled_on() -> None:
    table = left(doubtful_roll())
    finding = question(table)
    assert finding.ruling_required is not None
    named = dispute.Question(
        topic=finding.ruling_required.topic, at=finding.entry_id, seat=finding.seat
    )
    reading = finding.ruling_required.readings[0]
    table.record(dispute.RulingMade(answers=(dispute.Answer(question=named, reading=reading),)))
    assert attention(table) == ["answered"]


def test_a_question_left_under_one_rule_set_is_asked_afresh_under_another() -> None:
    table = left(resigned(RACE, "biba-2014").refuse("two"))
    assert attention(table) == ["left"]
    elsewhere = replay(table.events, "fcbg-tournament")
    assert elsewhere.open_questions, "the other text leaves it open too"
    for one in asked(elsewhere):
        assert one.attention is not Attention.LEFT
    again = replay(table.events, "biba-2014")
    assert [one.attention.value for one in asked(again)] == ["left"]


def test_a_question_is_not_held_against_what_is_recorded_beside_it() -> None:
    """A room asks this of every match again and again, and questions grow with the match."""
    few, many = (_lines_run(doubted(beside)) for beside in (5, 50))
    assert many < 1.1 * few  # Places are found by halving.


def doubted(beside: int) -> Table:
    """Doubtful rolls, each followed by that many entries about something else."""
    table = doubtful_roll()
    roll = table.events[-1].payload
    for _ in range(20):
        table.record(roll)
        for number in range(beside):
            table.record(clock.ClockRead(at_ms=number))
    assert attention(table) == ["alarm"] * 21
    return table


def _lines_run(table: Table) -> int:
    """Lines of `attention.py` that run once the match has been asked before."""
    shown, run, before = table.replay, 0, sys.gettrace()
    asked(shown)

    def count(frame: Any, event: str, _of: Any) -> Any:
        nonlocal run
        run += event == "line" and frame.f_globals["__name__"] == asked.__module__
        return count

    sys.settrace(count)
    try:
        asked(shown)
    finally:
        sys.settrace(before)
    return run
