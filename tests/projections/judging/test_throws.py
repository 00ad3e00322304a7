"""Throws: a question about a throw is asked once, and a Director's ruling settles it."""

from __future__ import annotations

import pytest

from events.envelope import Basis
from events.payloads import dice, dispute, equipment
from events.payloads.base import Actor
from events.values import Seat
from projections.judging.throws import Throws
from projections.replay import replay
from tests.projections.table import Table

USBGF = "usbgf-2017-07"
LEANING = dice.Observation(supported_by="unclear", tilt="tilted", touching=("bar",))
COCKED = dice.Observation(tilt="tilted", tilt_cause="vertical_support", supported_by=("bar",))


def _thrown(*, rule_set: str = USBGF, die: dice.Observation = LEANING) -> Table:
    """Turn 1, then a roll of two with one die that gives cause for doubt."""
    rolled = dice.Rolled(seat=Seat.TWO, dice=(6, 5), observations=(dice.Observation(), die))
    return Table(rule_set=rule_set).game().turns(1).record(rolled)


def _rules(table: Table, reading: str, *, topic: str = "dice.validity") -> Table:
    """The Director answers the question that the last event raised."""
    (finding,) = [
        finding
        for finding in table.replay.open_questions
        if finding.ruling_required is not None and finding.ruling_required.topic == topic
    ]
    question = dispute.Question(topic=topic, at=finding.entry_id, seat=finding.seat)
    answers = (dispute.Answer(question=question, reading=reading),)
    return table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)


def _throws(table: Table) -> Throws:
    return table.state.judged.throws


def _void(table: Table, roll: str, scope: str = "both") -> Table:
    voided = dice.Voided(
        reason=dice.VoidReason.COCKED, target=roll, scope=dice.VoidScope(scope), contested=True
    )
    return table.record(voided)


def test_a_ruling_settles_the_throw_and_its_dice() -> None:
    throws = _throws(_rules(_thrown(), "not_supported"))
    assert throws.answer is not None
    assert (throws.answer.outcome, throws.answer.ruled_at) == ("not_supported", 6)
    assert [die.outcome for die in throws.dice] == ["valid", "not_supported"]
    assert throws.answer.readings == ("supported", "not_supported")
    assert not any(verdict.answer.is_open for verdict in throws.questions.values())


def _through_a_box(half: str | None, rest_side: str, rule_set: str = USBGF) -> Table:
    """A box is agreed on, and two's dice go through it and rest in a half."""
    die = dice.Observation(baffle_box=True, rest_side=rest_side)
    table = Table(rule_set=rule_set).record(
        equipment.EquipmentAgreed(item="baffle_box", half=half, by=Actor.BOTH)
    )
    rolled = dice.Rolled(seat=Seat.TWO, dice=(6, 5), observations=(die, die))
    return table.game().turns(1).record(rolled)


@pytest.mark.parametrize("rule_set", [USBGF, "usbgf-2017-09"])
def test_dice_that_rest_where_the_box_was_agreed_to_stand_count(rule_set: str) -> None:
    answer = _throws(_through_a_box("left", "left", rule_set)).answer
    assert answer is not None
    assert answer.outcome == "valid"
    asked = [_through_a_box(half, "left", rule_set) for half in (None, "right")]
    for table in asked:
        answer = _throws(table).answer
        assert answer is not None
        assert answer.ambiguity == "AMB-D11"


def test_a_text_that_has_dice_rest_on_the_right_asks_about_a_box_on_the_left() -> None:
    for half, ambiguity in (("left", "AMB-D11"), ("right", None)):
        answer = _throws(_through_a_box(half, half, "biba-2014")).answer
        assert answer is not None
        assert answer.ambiguity == ambiguity


def test_a_box_that_was_replaced_stands_nobody_knows_where() -> None:
    table = _through_a_box("left", "left")
    rolled = table.events[-1].payload
    changed = equipment.EquipmentChanged(item="baffle_box", by=Actor.DIRECTOR)
    table.ends_turn("one").record(changed).record(rolled)
    answer = _throws(table).answer
    assert answer is not None
    assert answer.ambiguity == "AMB-D11"


def test_a_later_ruling_takes_the_place_of_the_first() -> None:
    table = _thrown()
    roll = table.last
    question = dispute.Question(topic="dice.validity", at=roll, seat=Seat.TWO)
    for reading in ("supported", "not_supported"):
        answers = (dispute.Answer(question=question, reading=reading),)
        table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)
    answer = _throws(table).answer
    assert answer is not None
    assert (answer.outcome, answer.ruled_at) == ("not_supported", 7)
    assert _void(table, roll).found == ["throw-voided"]


def test_a_ruling_on_something_else_changes_nothing() -> None:
    table = _thrown()
    question = dispute.Question(topic="dice.validity", at=table.events[0].entry_id, seat=Seat.TWO)
    answers = (dispute.Answer(question=question, reading="valid"),)
    table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)
    ruling = table.replay.steps[-1]
    assert ruling.after.judged.throws is ruling.before.judged.throws


@pytest.mark.parametrize("reading", ["supported", "invalid"])
def test_a_throw_that_was_ruled_invalid_is_voided_in_order(reading: str) -> None:
    table = _thrown()
    roll = table.last
    assert _void(_rules(table, reading), roll).found == []
    assert table.codes == ["throw-in-doubt"]
    assert table.replay.open_questions == []


@pytest.mark.parametrize("reading", ["not_supported", "valid"])
def test_a_throw_that_was_ruled_valid_and_is_voided_all_the_same_is_found(reading: str) -> None:
    table = _thrown()
    roll = table.last
    (finding,) = _void(_rules(table, reading), roll).findings
    assert finding.code == "throw-voided"
    assert finding.message.endswith("by the ruling it counts")
    assert finding.ruling_required is None


def test_a_reading_in_the_directors_own_words_is_kept_and_asks_nothing() -> None:
    table = _thrown()
    roll = table.last
    assert _void(_rules(table, "play_on_and_be_friends"), roll).found == []
    answer = _throws(table).answer
    assert answer is not None
    assert answer.outcome == "play_on_and_be_friends"


def test_a_throw_in_doubt_that_is_voided_before_anybody_rules_is_asked_about_once() -> None:
    table = _thrown()
    roll = table.last
    assert _void(table, roll).found == []
    assert [question.entry_id for question in table.replay.open_questions] == [roll]
    _rules(table, "supported")
    assert table.replay.open_questions == []
    answer = _throws(table).answer
    assert answer is not None
    assert not answer.is_open


def test_what_is_seen_again_when_a_throw_is_voided_asks_no_second_time() -> None:
    table = _thrown()
    roll = table.last
    voided = dice.Voided(
        reason=dice.VoidReason.COCKED, target=roll, observations=(dice.Observation(), LEANING)
    )
    assert _rules(table, "supported").record(voided).found == []


def test_a_throw_first_looked_at_when_it_is_voided_is_asked_about_once_there() -> None:
    table = Table(rule_set=USBGF).game().turns(1).roll("two", 65)
    voided = dice.Voided(
        reason=dice.VoidReason.COCKED,
        target=table.last,
        observations=(dice.Observation(), LEANING),
    )
    assert table.record(voided).found == ["throw-in-doubt"]
    assert "throw-in-doubt" not in table.record(voided).found
    assert "throw-voided" in _rules(table, "not_supported").record(voided).found


def test_a_throw_void_at_once_is_asked_about_at_its_own_entry() -> None:
    voided = dice.Voided(
        seat=Seat.TWO,
        reason=dice.VoidReason.COCKED,
        observations=(dice.Observation(), LEANING),
    )
    table = Table(rule_set=USBGF).game().turns(1).record(voided)
    assert table.found == ["throw-in-doubt"]
    assert _rules(table, "supported").replay.open_questions == []


def test_a_ruling_says_what_is_thrown_again() -> None:
    for scope, reading, found in (
        ("both", "both", []),
        ("both", "that_die", ["reroll-scope"]),
        ("die_of_one", "that_die", []),
        ("die_of_two", "both", ["reroll-scope"]),
    ):
        table = _thrown(rule_set="common", die=COCKED)
        roll = table.last
        assert table.found == ["throw-invalid", "reroll-scope"]
        _rules(table, reading, topic="dice.reroll")
        assert _void(table, roll, scope).found == found
        answer = _throws(table).answer
        assert answer is not None
        assert answer.also["reroll"].outcome == reading


def test_one_cocked_die_of_an_opening_roll_is_thrown_again_as_ruled() -> None:
    for scope, reading, found in (
        ("both", "that_die", ["reroll-scope"]),
        ("die_of_two", "that_die", []),
        ("both", "both", []),
    ):
        rolled = dice.OpeningRolled(one=6, two=1, observations=(dice.Observation(), COCKED))
        table = Table(rule_set=USBGF).game().record(rolled)
        roll = table.last
        assert table.found == ["throw-in-doubt"]
        assert _void(_rules(table, reading), roll, scope).found == found


def test_a_tie_that_may_turn_the_cube_is_settled_with_the_cube() -> None:
    table = Table(rule_set=USBGF, automatic_doubles="on").game().opening(4, 4)
    tie = _throws(table).answer
    assert tie is not None
    assert tie.also["cube_value"].is_open
    settled = _throws(_rules(table, "cube_1", topic="cube.automatic")).answer
    assert settled is not None
    assert settled.also["cube_value"].outcome == "cube_1"


def test_a_throw_that_counts_is_never_said_to_be_unvoided_for_good() -> None:
    table = _thrown(rule_set="biba-2014", die=COCKED)
    roll = table.last
    (finding,) = table.findings
    assert finding.code == "throw-invalid"
    assert "nobody" not in finding.message
    assert _void(table, roll).found == []


def test_a_ruling_is_applied_where_another_text_asks_the_same() -> None:
    table = _rules(_thrown(rule_set=USBGF), "supported")
    answer = replay(table.events, "common").state.judged.throws.answer
    assert answer is not None
    assert (answer.outcome, answer.ruled_at) == ("invalid", None)
    answer = replay(table.events, "fcbg-club").state.judged.throws.answer
    assert answer is not None
    assert (answer.outcome, answer.ruled_at) == ("supported", 6)


def test_an_agreed_limit_bounds_what_a_tie_may_make_of_the_cube() -> None:
    """Limited to one automatic double, a second tie offers no more than the first."""
    table = Table(rule_set=USBGF, automatic_doubles=1).game()
    for _ in range(2):
        table.opening(4, 4)
        (asked,) = (one.ruling_required for one in table.findings if one.ruling_required)
        assert asked.readings == ("cube_2", "cube_1")


@pytest.mark.parametrize("scope", ["die_of_one", "both"])
def test_what_was_thrown_again_is_said_in_words(scope: str) -> None:
    """By whom, which dice, and which it should have been."""
    table = _thrown(rule_set="biba-2014", die=COCKED)
    last = _void(table, table.last, scope).findings
    said = [one.message for one in last if one.code == "reroll-scope"]
    wrong = "one die alone was thrown again, and by the rules it should have been both dice"
    assert said == ([] if scope == "both" else [wrong])
