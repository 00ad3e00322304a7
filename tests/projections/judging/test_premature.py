"""Premature actions and rulings: what was asked once, what was ruled, and what depends on it."""

from __future__ import annotations

import pytest

from events.envelope import Basis
from events.payloads import dice, dispute, equipment, play
from events.payloads.base import Actor
from events.values import ONE, TWO
from projections.folding.findings import Finding
from projections.judging.premature_state import Premature
from tests.projections.table import Table

USBGF, BIBA, FCBG, CLUB = "usbgf-2017-07", "biba-2014", "fcbg-tournament", "fcbg-club"


def _at(rule_set: str | None, *, dice_in_play: int | None = 4) -> Table:
    table = Table(7, rule_set=rule_set)
    if dice_in_play is not None:
        table.record(equipment.EquipmentAgreed(item="dice", count=dice_in_play))
    return table.game().turns(1)


def _questions(table: Table, topic: str) -> list[Finding]:
    return [
        question
        for question in table.replay.open_questions
        if question.ruling_required is not None and question.ruling_required.topic == topic
    ]


def _rules(table: Table, topic: str, reading: str) -> Table:
    """The Director answers the only open question on a topic."""
    (asked,) = _questions(table, topic)
    question = dispute.Question(topic=topic, at=asked.entry_id, seat=asked.seat)
    answers = (dispute.Answer(question=question, reading=reading),)
    return table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)


def _judged(table: Table) -> Premature:
    return table.state.judged.premature


def _outcome(table: Table) -> str | None:
    answer = _judged(table).answer
    return None if answer is None else answer.outcome


# The end of a turn.


def _disputed(table: Table) -> Table:
    """The number of dice in play is not recorded; the answer depends on it if somebody objects."""
    return table.record(dispute.DirectorCalled(by=Actor.TWO, about=table.last))


@pytest.mark.parametrize(
    ("reading", "change", "early"),
    [
        ("ended", "may_not_change", "not_premature"),
        ("not_ended", "may_change", "opponent_chooses"),
    ],
)
def test_what_hangs_on_the_end_of_a_turn_follows_the_ruling(
    reading: str, change: str, early: str
) -> None:
    table = _disputed(_at(USBGF, dice_in_play=None).ends_turn("one"))
    assert table.found == ["turn-end"]
    _rules(table, "turn.end", reading)
    judged = _judged(table)
    assert judged.answer is not None
    assert judged.end is not None
    assert judged.change is not None
    assert (judged.answer.outcome, judged.end.outcome) == (reading, reading)
    assert judged.change.outcome == change
    assert _outcome(table.early("two", 42)) == early


def test_an_early_roll_whose_question_hung_on_the_turn_before_it_closes_with_that() -> None:
    table = _disputed(_at(USBGF, dice_in_play=None).ends_turn("one")).early("two", 42)
    assert table.found == ["early-roll"]
    _rules(table, "turn.end", "ended")
    early = _judged(table).early
    assert early is not None
    assert (early.answer.outcome, _outcome(table)) == ("not_premature", "not_premature")


def test_a_kind_of_act_that_was_ruled_on_is_asked_about_no_more() -> None:
    table = _at(FCBG).clock()
    _rules(table.press("one"), "turn.end", "ended")
    table.turn("two", 42, "8/4 6/4").press("two")
    assert table.found == []
    assert _outcome(table) == "ended"
    assert table.replay.open_questions == _questions(table, "clock.terms")


def test_a_ruling_in_the_directors_own_words_is_kept() -> None:
    table = _rules(_at(FCBG).clock().press("one"), "turn.end", "good_enough")
    end = _judged(table).end
    assert end is not None
    assert (end.outcome, end.is_open) == ("good_enough", False)


def test_a_ruling_on_something_else_changes_nothing() -> None:
    table = _at(FCBG).clock().press("one")
    question = dispute.Question(topic="turn.end", at=table.events[0].entry_id, seat=ONE)
    answers = (dispute.Answer(question=question, reading="ended"),)
    table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)
    ruling = table.replay.steps[-1]
    assert ruling.after.judged.premature is ruling.before.judged.premature


# A question that nobody raised needs no ruling; disputed, it does.


@pytest.mark.parametrize("rule_set", [None, "common"])
def test_where_the_text_has_no_word_on_turns_nothing_is_asked_before_a_dispute(
    rule_set: str | None,
) -> None:
    table = _at(rule_set).ends_turn("one")
    ended = table.last
    assert "turn-end" not in table.codes
    (finding,) = table.record(dispute.DirectorCalled(by=Actor.TWO, about=ended)).findings
    assert (finding.code, finding.seat) == ("turn-end", ONE)
    assert finding.ruling_required is not None
    assert finding.ruling_required.topic == "turn.end"
    assert finding.ruling_required.readings == ("ended", "not_ended")


@pytest.mark.parametrize(
    "raised",
    [
        dispute.DisputeRaised(by=Actor.TWO, topic="turn.end"),
        dispute.DisputeRaised(by=Actor.TWO, topic="turn.end", frozen_at="elsewhere"),
    ],
)
def test_a_dispute_about_the_topic_asks_about_the_present_turn(
    raised: dispute.DisputeRaised,
) -> None:
    table = _at(None).ends_turn("one").record(raised)
    assert table.found == ["turn-end"]


def test_a_dispute_frozen_at_the_end_of_an_earlier_turn_asks_about_that_one() -> None:
    table = _at(None).ends_turn("one")
    ended = table.last
    table.turn("two", 42, "8/4 6/4").record(dice.TurnEnded(seat=TWO, method="tapped_bar"))
    (finding,) = table.record(dispute.DisputeRaised(by=Actor.ONE, frozen_at=ended)).findings
    assert (finding.code, finding.seat) == ("turn-end", ONE)


def test_a_dispute_asks_once_and_its_ruling_holds() -> None:
    table = _at(None).ends_turn("one")
    called = dispute.DirectorCalled(by=Actor.TWO, about=table.last)
    table.record(called)
    assert table.record(called).found == []
    _rules(table, "turn.end", "not_ended")
    judged = _judged(table)
    assert judged.end is not None
    assert (judged.end.outcome, _outcome(table)) == ("not_ended", "not_ended")
    assert table.record(called).found == []


@pytest.mark.parametrize("rule_set", [None, USBGF, BIBA, FCBG])
def test_a_dispute_about_anything_else_asks_nothing_about_turns(rule_set: str | None) -> None:
    table = _at(rule_set)
    made = table.last
    table.ends_turn("one")
    for raised in (
        dispute.DirectorCalled(by=Actor.TWO, about=made),
        dispute.DirectorCalled(by=Actor.TWO),
        dispute.DisputeRaised(by=Actor.TWO, frozen_at=made, topic="dice.validity"),
    ):
        assert "turn-end" not in table.record(raised).found


def test_what_the_text_answers_is_no_question_when_it_is_disputed() -> None:
    table = _at(BIBA).ends_turn("one")
    assert table.record(dispute.DirectorCalled(by=Actor.TWO, about=table.last)).found == []


# Early rolls, lifts, cube acts, changed plays.


@pytest.mark.parametrize("reading", ["roll_stands", "redone", "as_the_players_like"])
def test_an_early_roll_that_was_ruled_on_is_not_asked_about_again(reading: str) -> None:
    table = _at(USBGF).early("two", 42).answers_early("no_comment")
    _rules(table, "dice.early-roll", reading)
    assert _outcome(table) == reading
    for said in ("only_warned", "redone"):
        table.answers_early(said)
        assert not any(finding.ruling_required for finding in table.findings)
    assert _questions(table, "dice.early-roll") == []


def test_a_text_that_is_not_in_hand_is_asked_once_about_an_early_roll() -> None:
    table = _at("usbgf-2017-09").ends_turn("one").early("two", 42)
    assert "early-roll" in table.found
    _rules(table, "dice.early-roll", "as_in_the_draft")
    assert table.answers_early("no_comment").found == []
    assert _outcome(table) == "as_in_the_draft"


def test_an_answer_as_it_was_ruled_is_no_finding() -> None:
    table = _at(None).early("two", 42)
    _rules(table, "dice.early-roll", "roll_stands")
    assert table.answers_early("stands").found == []
    assert _outcome(table) == "roll_stands"


def test_an_answer_that_differs_from_the_ruling_is_found() -> None:
    table = _at(None).early("two", 42)
    _rules(table, "dice.early-roll", "roll_stands")
    (finding,) = table.answers_early("redone").findings
    assert (finding.code, finding.ruling_required) == ("early-roll", None)
    assert finding.message.endswith("roll stands")


def test_a_roll_ruled_premature_goes_on_to_the_choice() -> None:
    table = _at(USBGF, dice_in_play=None).ends_turn("one").early("two", 42)
    _rules(table, "dice.early-roll", "premature")
    assert _outcome(table) == "premature"
    assert table.answers_early("stands").found == []
    assert _outcome(table) == "roll_stands"


def test_a_roll_ruled_not_premature_is_none_whatever_is_answered() -> None:
    table = _at(USBGF, dice_in_play=None).ends_turn("one").early("two", 42)
    _rules(table, "dice.early-roll", "not_premature")
    assert table.answers_early("redone").found == []
    assert _outcome(table) == "not_premature"


def test_an_early_roll_is_void_once_its_throw_is_ruled_invalid() -> None:
    leaning = dice.Observation(supported_by="unclear", tilt="tilted", touching=("bar",))
    rolled = dice.RolledEarly(seat=TWO, dice=(4, 2), observations=(dice.Observation(), leaning))
    table = _at(USBGF).record(rolled)
    assert table.found == ["throw-in-doubt", "early-roll"]
    _rules(table, "dice.validity", "supported")
    assert _outcome(table) == "invalid"


def test_after_a_roll_that_was_not_premature_the_play_may_not_be_changed() -> None:
    table = _at(BIBA).ends_turn("one").early("two", 42)
    assert _outcome(table) == "not_premature"
    change = _judged(table).change
    assert change is not None
    assert change.outcome == "may_not_change"


@pytest.mark.parametrize("rule_set", [None, USBGF, FCBG, CLUB])
def test_dice_lifted_twice_in_a_turn_are_asked_about_once(rule_set: str | None) -> None:
    lifted = dice.Lifted(seat=TWO, dice=dice.LiftedDice.BOTH)
    table = _at(rule_set).record(lifted)
    assert table.found == ["dice-lifted-early"]
    _rules(table, "dice.early-lift", "play_on")
    assert _outcome(table) == "play_on"
    assert table.record(lifted).codes.count("dice-lifted-early") == 2
    assert _questions(table, "dice.early-lift") == []


def test_what_follows_dice_lifted_in_the_opening_is_ruled_beside_the_fault() -> None:
    table = _at(BIBA).record(dice.Lifted(seat=TWO, dice=dice.LiftedDice.BOTH))
    _rules(table, "dice.early-lift.remedy", "warning")
    answer = _judged(table).answer
    assert answer is not None
    assert (answer.outcome, answer.also["remedy"].outcome) == ("not_allowed", "warning")


def test_who_lifted_dice_in_whose_turn_is_told() -> None:
    table = _at(BIBA).record(dice.Lifted(seat=TWO, dice=dice.LiftedDice.BOTH))
    told, *_ = [str(one.message) for one in table.findings if one.code == "dice-lifted-early"]
    assert told.startswith("player two lifts dice in the turn of player one")


@pytest.mark.parametrize("reading", ["choice", "binds"])
def test_an_early_cube_act_is_settled_by_its_ruling(reading: str) -> None:
    table = _at(BIBA).clock().ends_turn("one").double("two")
    assert "early-cube-act" in table.found
    _rules(table, "cube.early-act", reading)
    if_early = _judged(table).if_early
    assert if_early is not None
    assert (if_early.outcome, _outcome(table)) == (reading, reading)


def test_a_changed_play_is_settled_by_its_ruling() -> None:
    table = _at(CLUB)
    made = table.last
    table.ends_turn("one").revise("one", made, "24/23 13/10")
    _rules(table, "play.change", "may_change")
    change = _judged(table).change
    assert change is not None
    assert (change.outcome, _outcome(table)) == ("may_change", "may_change")
    table.revise("one", made, "13/10 6/5")
    assert _questions(table, "play.change") == []


# What a ruling on an early roll makes of the roll itself.


def _unanswered(*, is_turn_over: bool) -> Table:
    """An early roll to which nobody says which it is: AMB-T5."""
    table = _at(USBGF).early("two", 42)
    table.answers_early("no_comment")
    return table.ends_turn("one") if is_turn_over else table


@pytest.mark.parametrize("is_turn_over", [True, False])
def test_an_early_roll_that_is_ruled_to_stand_is_the_roll_in_play(is_turn_over: bool) -> None:
    table = _rules(_unanswered(is_turn_over=is_turn_over), "dice.early-roll", "roll_stands")
    if not is_turn_over:
        table.ends_turn("one")
    flow = table.state.flow
    assert (flow.awaits.value, flow.on_roll, flow.dice) == ("play", TWO, (4, 2))


@pytest.mark.parametrize("is_turn_over", [True, False])
def test_an_early_roll_that_is_ruled_out_is_thrown_again(is_turn_over: bool) -> None:
    table = _rules(_unanswered(is_turn_over=is_turn_over), "dice.early-roll", "redone")
    if not is_turn_over:
        table.ends_turn("one")
    flow = table.state.flow
    assert (flow.awaits.value, flow.on_roll, flow.dice) == ("roll", TWO, None)
    answered = _at(USBGF).early("two", 42).answers_early("redone").ends_turn("one").double("two")
    assert table.double("two").found == answered.found


def test_an_early_roll_that_is_ruled_out_shuts_no_window() -> None:
    table = Table(7, rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.early("two", 42).answers_early("no_comment").ends_turn("one")
    _rules(table, "dice.early-roll", "redone")
    assert table.record(play.PlayIllegalityNoticed(target=made)).found == ["correction-due"]


def test_an_early_roll_that_is_ruled_to_stand_leaves_its_window_a_question() -> None:
    table = Table(7, rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.early("two", 42).answers_early("no_comment").ends_turn("one")
    _rules(table, "dice.early-roll", "roll_stands")
    table.record(play.PlayIllegalityNoticed(target=made))
    assert [one.ambiguity for one in _questions(table, "window.play")] == ["AMB-M3"]


def test_a_roll_that_is_found_to_be_early_is_in_play_until_it_is_ruled_out() -> None:
    table = _at("common", dice_in_play=None).early("two", 42)
    assert _rules(table, "dice.early-roll", "redone").state.flow.early is None


@pytest.mark.parametrize("names_the_revision", [False, True])
@pytest.mark.parametrize(
    ("first", "then", "found"),
    [("8/5 6/5", "8/5 6/4", []), ("8/5 6/4", "8/5 6/5", ["play-changed"])],
)
@pytest.mark.parametrize("rule_set", [USBGF, BIBA])
def test_a_play_that_was_changed_is_changed_again_where_what_it_was_changed_to_is_illegal(
    rule_set: str, first: str, then: str, found: list[str], names_the_revision: bool
) -> None:
    table = Table(7, rule_set=rule_set).record(equipment.EquipmentAgreed(item="dice", count=4))
    made = table.game().opening(3, 1).play("one", first).last
    revised = table.revise("one", made, then).last
    target = revised if names_the_revision else made
    assert table.ends_turn("one").revise("one", target, "24/23 13/10").found == found


def test_whether_a_play_may_be_changed_hangs_on_the_last_ruling_on_its_turn() -> None:
    table = _at(BIBA)
    moved = dice.Repositioned(seat=ONE, announced="roll", announced_when="before", act="lifted_one")
    asked = table.record(moved).last
    question = dispute.Question(topic="turn.end", at=asked, seat=ONE)
    before = _judged(table).change
    for reading in ("not_ended", "ended", "not_ended", "ended"):
        answers = (dispute.Answer(question=question, reading=reading),)
        table.record(dispute.RulingMade(answers=answers), basis=Basis.RULED)
        change = _judged(table).change
        assert change is not None
        assert (change.outcome == "may_change") is (reading == "not_ended")
    assert change == before
