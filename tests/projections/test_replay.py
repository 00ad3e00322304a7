"""Replay: every state on the way, going on, going back, branches; rulings answer questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import fields

from api.archive.reading import Live
from events.envelope import Basis
from events.payloads import clock, cube, dice, dispute, match, penalty, play
from events.payloads.base import Actor
from events.values import BySeat, CheckerMove, Seat
from projections.replay import FOLDS, Step, replay
from projections.states import Judged, State
from tests.calls import calls_of
from tests.projections.streams import legal_match
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO


def _match() -> Table:
    table = Table().game().turns(6).double("one").take("two").turn("one", 53, "8/3 6/3")
    return table.won("two", 2).game().turns(2)


def test_the_folds_are_the_members_of_the_state_in_their_order() -> None:
    *facts, _ = fields(State)
    members = {field.name: field.type for field in (*facts, *fields(Judged))}
    folds = {name: fold.state for name, fold in FOLDS.items()}
    assert list(folds.items()) == list(members.items())


def test_the_state_before_an_event_is_the_state_after_the_one_before() -> None:
    whole = _match().replay
    assert whole.steps[0].before == whole.initial
    for earlier, later in zip(whole.steps, whole.steps[1:], strict=False):
        assert later.before is earlier.after


def test_nothing_replays_to_the_initial_state() -> None:
    empty = replay([])
    assert (empty.state, empty.findings, len(empty.steps)) == (empty.initial, [], 0)
    assert empty.extended(_match().events).state == _match().state


def test_what_was_folded_already_is_skipped() -> None:
    events = _match().events
    whole = replay(events)
    assert whole.extended(events) is whole
    assert replay(events[:9]).extended(events[4:]).state == whole.state
    assert replay(events, start=replay(events[:9])).state == whole.state


def test_going_back_is_as_if_the_rest_had_never_been() -> None:
    events = _match().events
    whole = replay(events)
    for count in range(len(events) + 1):
        assert whole.at(count).state == replay(events[:count]).state
        assert len(whole.at(count).steps) == count
    assert whole.at(99) is whole


def test_a_test_is_asked_about_each_step_once_however_the_match_goes_on() -> None:
    events = _match().events
    asked: list[int] = []

    def is_second(step: Step) -> bool:
        asked.append(step.event.version)
        return step.event.version % 2 == 0

    whole = replay(events[:5])
    assert [step.event.version for step in whole.steps_passing(is_second)] == [2, 4]
    for count in range(6, len(events) + 1):
        whole = whole.extended(events[:count])
        assert [step.event.version for step in whole.steps_passing(is_second)] == [
            *range(2, count + 1, 2)
        ]
    assert asked == [event.version for event in events]
    assert [step.event.version for step in whole.at(7).steps_passing(is_second)] == [2, 4, 6]
    assert asked == [event.version for event in events]


def test_an_ordinary_entry_costs_ten_calls() -> None:
    """A rule that asks something of every play costs each import, page and publication.

    Raise the figure only for what cannot be asked where it is rare.
    """
    events = legal_match(5, length=None, games=6).events
    assert sum(event.tag in ("dice.rolled", "play.made") for event in events) > 850
    assert calls_of(lambda: replay(events)) / len(events) < 10.2


def test_steps_of_a_branch_pass_by_what_they_are_themselves() -> None:
    events = _match().events
    trunk = replay(events[:9])
    first, second = trunk.extended(events[:10]), trunk.extended(events[:10])
    told = [[id(step) for step in each.steps_passing(_is_any)] for each in (first, second, trunk)]
    assert told == [[id(step) for step in each.steps] for each in (first, second, trunk)]


def _is_any(step: Step) -> bool:
    return True


def test_steps_are_a_sequence() -> None:
    steps = _match().replay.at(5).steps
    assert len(steps) == len(list(steps)) == 5
    assert steps[-1] is steps[4]
    assert list(steps[1:3]) == [steps[1], steps[2]]
    for outside in (5, -6):
        with pytest.raises(IndexError):
            steps[outside]


def test_a_step_is_found_by_version() -> None:
    whole = _match().replay
    assert whole.step_at(0) is None
    found = whole.step_at(3)
    assert found is not None
    assert found.event.version == 3


def test_two_branches_from_one_replay_do_not_disturb_each_other() -> None:
    table = _match()
    trunk = table.replay
    assert trunk.extended([]) is trunk
    left = Table(is_opened=False)
    left.events = list(table.events)
    right = Table(is_opened=False)
    right.events = list(table.events)
    left.turn("one", 61, "13/7 8/7")
    right.double("one").drop("two").game()
    with_left = trunk.extended(left.events)
    with_right = trunk.extended(right.events)
    again = trunk.extended(left.events)
    assert with_left.state == left.state == again.state
    assert with_right.state == right.state
    assert trunk.state == table.state
    assert (len(trunk.steps), len(with_left.steps)) == (len(table.events), len(left.events))


def test_a_replay_gone_back_can_go_on_elsewhere() -> None:
    table = _match()
    whole = table.replay
    back = whole.at(8)
    other = Table(is_opened=False)
    other.events = list(table.events[:8])
    other.won("one", 3)
    assert back.extended(other.events).state == other.state
    assert whole.state == table.state


def test_after_a_correction_going_on_folds_only_what_is_new() -> None:
    table = _match()
    table.retract(table.last)
    corrected = table.replay
    kept = list(corrected.steps)
    longer = corrected.extended(table.turn("two", 53, "8/3 6/3").events)
    assert all(one is two for one, two in zip(kept, longer.steps, strict=False))
    assert longer.state == table.state
    assert longer.at(table.events[-3].version - 1).state == replay(table.events[:-3]).state
    # And on from the older one, on another branch.
    other = Table(is_opened=False)
    other.events = list(table.events[:-2])
    other.roll("two", 61)
    assert corrected.extended(other.events).state == other.state
    assert [event.version for event in corrected.recorded] == list(range(1, len(table.events) - 1))


def test_an_undo_folds_what_stands_behind_it_and_nothing_before() -> None:
    table = _match()
    before = table.replay
    undone = before.extended(table.retract(table.last).events)
    assert [one is two for one, two in zip(undone.steps, before.steps, strict=False)] == (
        [True] * (len(before.steps) - 1)
    )
    # Gone back to before it was undone, what stood first in both is shared once more.
    back = undone.at(before.version)
    assert [one is two for one, two in zip(back.steps, undone.steps, strict=False)] == (
        [True] * len(undone.steps)
    )
    assert list(back.steps) == list(before.steps)


def test_an_amendment_folds_what_stands_from_its_target_on() -> None:
    table = _match()
    before = table.replay
    target = table.events[8]
    amended = before.extended(table.amend(target.entry_id, dice.TurnEnded(seat=ONE)).events)
    again = amended.extended(table.retract(table.last).events)
    for shown in (amended, again):
        shared = [one is two for one, two in zip(shown.steps, before.steps, strict=True)]
        assert shared == [True] * 8 + [False] * (len(before.steps) - 8)
        assert list(shown.steps) == list(replay(shown.entries).steps)


def test_what_the_first_entry_is_corrected_to_pins_other_rules() -> None:
    table = _match()
    before = table.replay
    opened = match.MatchOpened(players=BySeat((), ()), length=7, rule_set="biba-2014")
    amended = before.extended(table.amend(table.events[0].entry_id, opened).events)
    assert (before.rules.profile.id, amended.rules.profile.id) == ("common", "biba-2014")
    assert amended.state == replay(amended.entries).state


def test_a_match_can_be_judged_under_another_rule_set() -> None:
    table = Table(7, score=(6, 3)).game().turns(1).double("two")
    assert table.codes == ["cube-in-crawford-game"]
    judged = replay(table.events, "common")
    assert (judged.findings, judged.rules.profile.id) == ([], "common")
    assert judged.extended(table.take("one").events).asked == ("common", True)


# Rulings.


def _noticed(seat: Seat = ONE) -> Table:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag(seat.value))
    return Table().clock().record(noticed)


def _rule(table: Table, topic: str, at: str, seat: Seat | None, reading: str) -> Table:
    question = dispute.Question(topic=topic, at=at, seat=seat)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)


def test_a_ruling_answers_its_question() -> None:
    table = _noticed()
    asked_at = table.last
    assert len(table.replay.open_questions) == 1
    table.game()
    _rule(table, "clock.flag", asked_at, ONE, "match_lost")
    (finding, decided) = table.replay.findings
    assert (finding.answered_by, decided.code) == (6, "match-decided")
    assert table.replay.open_questions == []
    assert table.state.rulings.answers["clock.flag", asked_at, ONE].reading == "match_lost"


@pytest.mark.parametrize("wrong", ["topic", "entry", "seat"])
def test_a_ruling_on_another_question_answers_nothing(wrong: str) -> None:
    table = _noticed()
    topic = "clock.fault" if wrong == "topic" else "clock.flag"
    at = table.events[0].entry_id if wrong == "entry" else table.last
    _rule(table, topic, at, TWO if wrong == "seat" else ONE, "play_on")
    assert len(table.replay.open_questions) == 1


def test_the_latest_ruling_on_a_question_wins() -> None:
    table = _noticed()
    at = table.last
    _rule(_rule(table, "clock.flag", at, ONE, "play_on"), "clock.flag", at, ONE, "match_lost")
    assert table.state.rulings.answers["clock.flag", at, ONE].reading == "match_lost"


def test_a_ruling_without_answers_leaves_the_state_alone() -> None:
    table = _noticed()
    before = table.state
    assert table.record(dispute.RulingMade()).state == before


# What the opening says about rules.


def test_an_unknown_rule_set_is_found_and_judged_by_the_common_one() -> None:
    table = Table(rule_set="nowhere-1999")
    assert table.codes == ["rule-set-unknown"]
    assert table.replay.rules.profile.id == "common"


def test_an_option_that_the_rule_set_does_not_provide_for_is_found() -> None:
    assert Table(rule_set="common", free_drinks=True, crawford="on").codes == [
        "option-not-provided"
    ]


def test_the_opening_is_the_first_entry_or_none() -> None:
    assert isinstance(Table().replay.opened, match.MatchOpened)
    assert Table(is_opened=False).game().replay.opened is None


def _revises(table: Table) -> None:
    table.revise("one", table.last, "24/22 6/5")


def _corrects(table: Table) -> None:
    table.correct(table.last, "24/22 6/5")


def _finds_start_wrong(table: Table) -> None:
    table.record(play.StartFaultNoticed(seat=TWO, at=6))


def _puts_start_right(table: Table) -> None:
    table.record(play.StartCorrected(seat=TWO, moved=(CheckerMove(6, 5),)))


def _penalises_and_reports(table: Table) -> None:
    ground, number = penalty.PenaltyGround.OTHER, len(table.events)
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1, ground=ground))
    table.record(match.ResultReported(seat=ONE, winner=ONE, score=BySeat(number, 0)))


def _gives_a_sign_and_drops(table: Table) -> None:
    table.record(cube.CubeGestured(seat=TWO, kind=cube.GestureKind.TOUCH)).drop("two")


def _disputes(table: Table) -> None:
    table.record(dispute.DisputeRaised(by=Actor.BOTH, frozen_at=table.events[0].entry_id))


def _finds_one_play_illegal(table: Table) -> None:
    made = table.events[3].entry_id
    table.record(play.PlayIllegalityNoticed(target=made, noticed_by=Actor.TWO))


@pytest.mark.parametrize(
    "act",
    [
        _gives_a_sign_and_drops,
        _disputes,
        _revises,
        _corrects,
        _finds_one_play_illegal,
        _finds_start_wrong,
        _puts_start_right,
        _penalises_and_reports,
    ],
)
@pytest.mark.parametrize("rule_set", ["common", "usbgf-2024"])
def test_what_is_recorded_again_and_again_costs_each_time_the_same(
    act: Callable[[Table], None], rule_set: str
) -> None:
    few, many = (_calls(act, times, rule_set) for times in (100, 200))
    assert many < 2.5 * few


def _calls(act: Callable[[Table], None], times: int, rule_set: str) -> int:
    """Functions that are called to replay a match in which somebody did so as often."""
    table = Table(7, rule_set=rule_set).game().opening(3, 1).play("one", "8/5 6/5")
    for _ in range(times):
        act(table)
    called, before = 0, sys.getprofile()

    def count(_frame: Any, event: str, _of: Any) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count)
    try:
        Live(table.events)
    finally:
        sys.setprofile(before)
    return called
