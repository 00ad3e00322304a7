"""Rulings on plays and starts: what depends on one follows, and nothing is asked twice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.envelope import Basis
from events.payloads import dispute, play
from events.payloads.base import Actor
from events.values import TWO, CheckerMove, Seat
from projections.board.notation import parse
from projections.folding.findings import Finding
from projections.judging.illegal_plays import Noticed, PlayIs
from projections.judging.start import Fault, StartIs
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from tests.projections.table import Table

USBGF, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def rule(table: Table, reading: str) -> Table:
    """The Director answers the last question with a reading."""
    finding = asked(table)[-1]
    assert finding.ruling_required is not None
    topic = finding.ruling_required.topic
    question = dispute.Question(topic=topic, at=finding.entry_id, seat=finding.seat)
    made = dispute.RulingMade(answers=(dispute.Answer(question=question, reading=reading),))
    return table.record(made, basis=Basis.RULED)


def asked(table: Table) -> list[Finding]:
    """The open questions about plays and starts."""
    return [
        finding
        for finding in table.replay.open_questions
        if finding.ruling_required
        and finding.ruling_required.topic.startswith(("window.", "start."))
    ]


def noticed_by(table: Table, target: str, by: Actor = Actor.TWO) -> Table:
    illegality = play.IllegalityClass.DICE_OR_PIPS
    notice = play.PlayIllegalityNoticed(target=target, illegality_class=illegality, noticed_by=by)
    return table.record(notice)


def answered(table: Table, answer: str, by: Actor = Actor.TWO) -> Table:
    said = play.IllegalityAnswer(answer)
    return table.record(play.PlayIllegalityAnswered(answer=said, by=by))


def after_a_void_throw(rule_set: str) -> tuple[Table, str]:
    """One has played illegally and two has thrown a cocked die, when it is noticed."""
    table = Table(rule_set=rule_set).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    return noticed_by(table.ends_turn("one").void(seat="two"), made), made


def of_play(table: Table) -> Noticed:
    return table.state.judged.windows.plays[-1]


def still_open(answer: Answer | None) -> bool:
    return answer is not None and (answer.is_open or any(o.is_open for o in answer.also.values()))


@pytest.mark.parametrize(
    ("rule_set", "reading", "play_is", "holds"),
    [
        (BIBA, "any_toss", PlayIs.STANDS_BY_RULING, "stands"),
        (BIBA, "valid_roll_only", PlayIs.OPEN, "must_correct"),
        (FCBG, "any_toss", PlayIs.STANDS_BY_RULING, "stands"),
        (FCBG, "valid_roll_only", PlayIs.OPEN, "opponent_decides"),
        ("common", "stands", PlayIs.STANDS_BY_RULING, "stands"),
        ("common", "must_correct", PlayIs.OPEN, "must_correct"),
        ("fcbg-club", "does_not_bind", PlayIs.RULED, "does_not_bind"),
        (BIBA, "as the Director likes", PlayIs.RULED, "as the Director likes"),
    ],
)
def test_a_play_goes_on_from_the_reading(
    rule_set: str, reading: str, play_is: PlayIs, holds: str
) -> None:
    table, _ = after_a_void_throw(rule_set)
    rule(table, reading)
    noticed = of_play(table)
    assert (noticed.play_is, noticed.holds.outcome) == (play_is, holds)
    assert (noticed.answer.outcome, noticed.answer.ruled_at) == (reading, table.events[-1].version)
    assert noticed.closed_by == (None if play_is is PlayIs.OPEN else table.last)
    assert not still_open(table.state.judged.windows.answer)
    assert asked(table) == []


def test_a_play_ruled_to_be_corrected_is_open_until_it_is() -> None:
    table, made = after_a_void_throw(BIBA)
    rule(table, "valid_roll_only")
    assert answered(table, "condoned").found == ["correction-differs"]
    table.correct(made, "8/5 6/5")
    assert of_play(table).play_is is PlayIs.CORRECTED
    assert of_play(table).closed_by == table.last


def test_a_play_ruled_to_stand_is_not_corrected_all_the_same() -> None:
    for basis, found in ((Basis.OBSERVED, ["correction-differs"]), (Basis.RULED, [])):
        table, made = after_a_void_throw(BIBA)
        rule(table, "any_toss")
        table.record(play.PlayCorrected(target=made), basis=basis)
        assert [code for code in table.found if "correction" in code] == found
    table, made = after_a_void_throw(BIBA)
    assert answered(rule(table, "any_toss"), "demanded").found == ["correction-differs"]


@pytest.mark.parametrize("reading", ["any_toss", "valid_roll_only"])
def test_a_ruled_play_is_not_asked_about_again(reading: str) -> None:
    table, made = after_a_void_throw(BIBA)
    rule(table, reading)
    noticed_by(table, made)
    answered(table, "demanded", Actor.ONE)
    noticed_by(table.roll("two", 42), made, Actor.ONE)
    assert asked(table) == []
    assert of_play(table).answer.outcome == reading


def test_an_open_question_is_asked_once_however_many_notice() -> None:
    table, made = after_a_void_throw(BIBA)
    assert noticed_by(table, made, Actor.ONE).found == []
    assert len(asked(table)) == 1


def test_the_latest_ruling_holds() -> None:
    table, _ = after_a_void_throw(BIBA)
    question = asked(table)[-1]
    rule(table, "any_toss")
    assert question.ruling_required is not None
    key = dispute.Question(
        topic=question.ruling_required.topic, at=question.entry_id, seat=question.seat
    )
    again = dispute.Answer(question=key, reading="valid_roll_only")
    table.record(dispute.RulingMade(answers=(again,)), basis=Basis.RULED)
    assert of_play(table).play_is is PlayIs.OPEN
    assert of_play(table).answer.ruled_at == table.events[-1].version


def test_a_notice_that_does_not_count_leaves_it_to_the_players() -> None:
    table = Table(rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    rule(noticed_by(table, made, Actor.SPECTATOR), "does_not_count")
    assert of_play(table).play_is is PlayIs.STANDS_BY_RULING
    assert noticed_by(table, made, Actor.SPECTATOR).found == []
    assert noticed_by(table, made, Actor.TWO).found == ["correction-due"]
    assert of_play(table).play_is is PlayIs.OPEN


def test_what_a_ruling_opens_is_asked_at_the_ruling() -> None:
    """A notice that counts, after a double, asks what becomes of the double."""
    table = Table(rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    noticed_by(table.ends_turn("one").double("two"), made, Actor.SPECTATOR)
    rule(table, "counts_as_noticed")
    assert table.found == ["correction-question"]
    (question,) = asked(table)
    assert question.ruling_required is not None
    assert question.ruling_required.topic == "window.double"
    rule(table, "double_void")
    assert not still_open(of_play(table).holds)
    assert asked(table) == []


@pytest.mark.parametrize("is_corrected_first", [True, False])
@pytest.mark.parametrize(("reading", "value"), [("double_void", 1), ("double_stands", 2)])
def test_a_double_before_a_correction_is_what_is_ruled(
    reading: str, value: int, is_corrected_first: bool
) -> None:
    table = Table(rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    noticed_by(table.ends_turn("one").double("two").take("one"), made, Actor.TWO)
    corrected = play.PlayCorrected(target=made, moves=parse("8/5 6/5").moves, dice=(3, 1))
    if is_corrected_first:
        table.record(corrected)
        rule(table, reading)
    else:
        rule(table, reading)
        table.record(corrected)
    assert (table.state.cube.value, table.state.flow.on_roll) == (value, TWO)
    assert table.double("two").found == ([] if value == 1 else ["cube-not-owned"])


def test_an_early_roll_let_stand_shuts_the_window_from_the_moment_ruled() -> None:
    for reading, play_is in (
        ("from_the_throw", PlayIs.STANDS_BY_RULING),
        ("from_acceptance", PlayIs.STANDS_BY_RULING),
        ("never", PlayIs.OPEN),
    ):
        table = Table(rule_set=USBGF).game().opening(3, 1)
        made = table.play("one", "8/5 6/4").last
        table.early("two", 42).answers_early("stands").ends_turn("one")
        rule(noticed_by(table, made), reading)
        assert of_play(table).play_is is play_is
    table = Table(rule_set=USBGF).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    rule(noticed_by(table.early("two", 42), made), "from_acceptance")
    assert of_play(table).play_is is PlayIs.OPEN


# Starts.


def wrong_start(table: Table) -> Table:
    return table.record(play.StartFaultNoticed(seat=Seat.TWO, at=23, missing=24))


def put_right(table: Table, basis: Basis = Basis.OBSERVED) -> Table:
    moved = (CheckerMove(23, 24),)
    return table.record(play.StartCorrected(seat=Seat.TWO, moved=moved), basis=basis)


def of_start(table: Table) -> Fault:
    return table.state.judged.start.faults[-1]


@pytest.mark.parametrize(
    ("rule_set", "reading", "start_is"),
    [
        ("common", "correct", StartIs.TO_CORRECT),
        ("common", "stands", StartIs.STANDS_BY_RULING),
        ("usbgf-2017-09", "stands", StartIs.STANDS_BY_RULING),
        ("fcbg-club", "adopted", StartIs.TO_CORRECT),
        ("fcbg-club", "does_not_bind", StartIs.RULED),
    ],
)
def test_a_start_goes_on_from_the_reading(rule_set: str, reading: str, start_is: StartIs) -> None:
    table = rule(wrong_start(Table(rule_set=rule_set).game().opening(3, 1)), reading)
    assert of_start(table).start_is is start_is
    assert not still_open(table.state.judged.start.answer)
    assert asked(table) == []
    assert wrong_start(table).found == []


def test_what_a_club_adopts_is_cited_where_the_club_was_asked() -> None:
    table = rule(wrong_start(Table(rule_set="fcbg-club").game().opening(3, 1)), "adopted")
    fault = of_start(table)
    assert fault.follows is not None
    assert fault.follows.section == fault.answer.section
    assert SHELF["fcbg-club"].caption(fault.follows.section)


def test_a_start_ruled_to_stand_is_not_corrected_all_the_same() -> None:
    for basis, found in (
        (Basis.OBSERVED, ["start-corrected-late"]),
        (Basis.AGREED, ["start-corrected-late"]),
        (Basis.RULED, []),
    ):
        table = rule(wrong_start(Table(rule_set="common").game().opening(3, 1)), "stands")
        put_right(table, basis)
        assert [code for code in table.found if "start" in code] == found
        is_ruled = basis is Basis.RULED
        became = StartIs.CORRECTED if is_ruled else StartIs.STANDS_BY_RULING
        assert of_start(table).start_is is became
        assert (of_start(table).closed_by == table.last) == is_ruled


def test_which_checker_is_ruled_beside_the_answer() -> None:
    table = Table(rule_set=USBGF).game().turns(1).turn("two", 42, "24/20 24/22")
    table.record(play.StartFaultNoticed(seat=Seat.TWO, at=24, missing=23))
    rule(table, "the_misplaced_one")
    assert of_start(table).start_is is StartIs.TO_CORRECT
    assert of_start(table).answer.also["checker"].outcome == "the_misplaced_one"
    assert asked(table) == []


def test_a_start_that_stands_names_what_shut_its_window() -> None:
    for rule_set, turns, closer in ((USBGF, 4, "play"), (BIBA, 2, "play"), (FCBG, 5, "roll")):
        table = Table(rule_set=rule_set).game().turns(turns)
        made = table.events[-1 if closer == "play" else -2].entry_id
        seat = "one" if turns % 2 else "two"
        expected = table.ends_turn(seat).last if closer == "play" else made
        fault = of_start(wrong_start(table))
        assert (fault.start_is, fault.closed_by) == (StartIs.STANDS, expected), rule_set


def test_a_fault_of_an_earlier_game_can_still_be_ruled_on() -> None:
    table = wrong_start(Table(rule_set="common").game().opening(3, 1)).won("one", 1).game()
    rule(table, "stands")
    assert of_start(table).start_is is StartIs.STANDS_BY_RULING
    assert not still_open(table.state.judged.start.answer)


# Any reading, under any rule set.


@settings(max_examples=80, deadline=None)
@given(
    rule_set=st.sampled_from(sorted(SHELF)),
    acts=st.lists(st.sampled_from(["roll", "void", "early", "double", "end", "won"]), max_size=5),
    by=st.sampled_from([Actor.TWO, Actor.SPECTATOR, Actor.MONITOR]),
    data=st.data(),
)
def test_no_question_outlives_its_ruling(
    rule_set: str, acts: list[str], by: Actor, data: st.DataObject
) -> None:
    table = Table(rule_set=rule_set).game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    for act in acts:
        match act:
            case "roll":
                table.roll("two", 42)
            case "void":
                table.void(seat="two")
            case "early":
                table.early("two", 21)
            case "double":
                table.double("two")
            case "end":
                table.ends_turn("one")
            case "won":
                table.won("one", 1)
    noticed_by(wrong_start(table), made, by)
    for _ in range(10):
        if not asked(table):
            break
        finding = asked(table)[-1]
        assert finding.ruling_required is not None
        readings = [*finding.ruling_required.readings, "something_else"]
        rule(table, data.draw(st.sampled_from(readings)))
    judged = table.state.judged
    assert not any(
        still_open(one.answer) or still_open(one.follows) for one in judged.windows.plays
    )
    assert not any(still_open(one.answer) for one in judged.start.faults)
    assert not still_open(judged.windows.answer)
    assert not still_open(judged.start.answer)
    noticed_by(wrong_start(table), made, by)
    assert asked(table) == []
