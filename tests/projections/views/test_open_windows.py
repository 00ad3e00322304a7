"""Every window in one list: what may still be put right, by whom, until what, and what shut it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, match, play
from events.payloads.base import Actor
from events.values import BySeat, CheckerMove, Seat
from projections.replay import replay
from projections.states import Step
from projections.views.open_windows import windows_of
from projections.views.window import Past, What, Window, WindowIs
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import Table

USBGF, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def slip(rule_set: str) -> tuple[Table, str]:
    """One's opening play, a pip too far, and its entry."""
    table = Table(rule_set=rule_set).game().opening(3, 1)
    return table, table.play("one", "8/5 6/4").last


def notice(table: Table, target: str) -> Table:
    illegality = play.IllegalityClass.DICE_OR_PIPS
    return table.record(
        play.PlayIllegalityNoticed(target=target, illegality_class=illegality, noticed_by=Actor.TWO)
    )


def answers(table: Table, answer: str) -> Table:
    said = play.IllegalityAnswer(answer)
    return table.record(play.PlayIllegalityAnswered(answer=said, by=Actor.TWO))


def rules(table: Table, reading: str, code: str) -> Table:
    finding = next(one for one in table.replay.open_questions if one.code == code)
    assert finding.ruling_required is not None
    question = dispute.Question(
        topic=finding.ruling_required.topic, at=finding.entry_id, seat=finding.seat
    )
    made = dispute.RulingMade(answers=(dispute.Answer(question=question, reading=reading),))
    return table.record(made, basis=Basis.RULED)


def the_window(table: Table, what: What) -> Window:
    (window,) = [one for one in windows_of(table.replay) if one.what is what]
    return window


def told(window: Window) -> tuple[Any, ...]:
    return window.state, window.must, window.may, window.by, window.until, window.section


# Plays.

OPEN, STANDS, CONDONED, CORRECTED, BY_RULING, ASKED = (
    WindowIs.OPEN,
    WindowIs.STANDS,
    WindowIs.CONDONED,
    WindowIs.CORRECTED,
    WindowIs.STANDS_BY_RULING,
    WindowIs.ASKED,
)


@pytest.mark.parametrize(
    ("rule_set", "open_one", "shut_one"),
    [
        (
            USBGF,
            (OPEN, True, True, "both", "opponents_valid_roll", "[4.2.3]"),
            (STANDS, False, True, "both_agree", "opponents_valid_roll", "[4.2.3]"),
        ),
        (
            BIBA,
            (OPEN, True, True, "either_player_or_official", "next_toss", "4.8"),
            (STANDS, False, False, None, "next_toss", "4.8"),
        ),
        (
            FCBG,
            (OPEN, False, True, "opponent", "opponents_roll_or_double", "IRR/T(h)"),
            (STANDS, False, False, None, "opponents_roll_or_double", "IRR/T(h)"),
        ),
    ],
)
def test_an_illegal_play_says_who_may_or_must_and_until_what(
    rule_set: str, open_one: tuple[Any, ...], shut_one: tuple[Any, ...]
) -> None:
    table, made = slip(rule_set)
    window = the_window(notice(table, made), What.PLAY)
    assert told(window) == open_one
    assert (window.entry, window.seat, window.rule_set) == (made, Seat.ONE, rule_set)
    assert window.closed_by is None
    late, made = slip(rule_set)
    closer = late.ends_turn("one").roll("two", 42).last
    window = the_window(notice(late, made), What.PLAY)
    assert (*told(window), window.closed_by) == (*shut_one, closer)


def test_standing_condoned_corrected_ruled_and_open_are_told_apart() -> None:
    def state(*acts: Any) -> tuple[WindowIs, bool]:
        table, made = slip(FCBG)
        for act in acts:
            act(table, made)
        window = the_window(table, What.PLAY)
        return window.state, window.closed_by == table.last

    def cocked(table: Table, made: str) -> None:
        notice(table.ends_turn("one").void(seat="two"), made)

    assert state(notice) == (OPEN, False)
    assert state(notice, lambda table, _: answers(table, "condoned")) == (CONDONED, True)
    assert state(notice, lambda table, made: table.correct(made, "8/5 6/5")) == (CORRECTED, True)
    assert state(cocked) == (ASKED, False)
    stands = state(cocked, lambda table, _: rules(table, "any_toss", "correction-question"))
    assert stands == (BY_RULING, True)
    opened = state(cocked, lambda table, _: rules(table, "valid_roll_only", "correction-question"))
    assert opened == (OPEN, False)


def test_a_play_that_nobody_noticed_has_its_window_too() -> None:
    table, made = slip(BIBA)
    assert told(the_window(table, What.PLAY))[:2] == (OPEN, True)
    closer = table.ends_turn("one").roll("two", 42).last
    window = the_window(table, What.PLAY)
    assert (window.entry, window.state, window.closed_by) == (made, STANDS, closer)


def test_a_play_that_nobody_noticed_is_nobodys_question() -> None:
    table, _ = slip("common")
    assert windows_of(table.replay) == ()


def test_a_player_who_puts_his_own_play_right_leaves_no_window() -> None:
    table, made = slip(USBGF)
    table.revise("one", made, "8/5 6/5")
    assert windows_of(table.replay) == ()


def test_a_play_put_right_without_a_notice_was_corrected() -> None:
    table, made = slip(USBGF)
    table.correct(made, "8/5 6/5")
    window = the_window(table, What.PLAY)
    assert (window.state, window.closed_by) == (CORRECTED, table.last)


# Starts.


@pytest.mark.parametrize(
    ("rule_set", "turns", "until", "may"),
    [
        (USBGF, 4, "fourth_turn_completed", True),
        (BIBA, 2, "second_roll_played", False),
        (FCBG, 5, "fifth_roll", False),
    ],
)
def test_a_wrong_start_says_until_what(rule_set: str, turns: int, until: str, may: bool) -> None:
    fault = play.StartFaultNoticed(seat=Seat.TWO, at=23, missing=24)
    early = the_window(Table(rule_set=rule_set).game().turns(1).record(fault), What.START)
    assert (early.state, early.must, early.until) == (OPEN, True, until)
    late = (
        Table(rule_set=rule_set).game().turns(turns).ends_turn("two" if turns % 2 == 0 else "one")
    )
    window = the_window(late.record(fault), What.START)
    assert (window.state, window.must, window.may, window.until) == (STANDS, False, may, until)
    assert window.closed_by is not None
    corrected = play.StartCorrected(seat=Seat.TWO, moved=(CheckerMove(23, 24),))
    table = Table(rule_set=rule_set).game().turns(1).record(fault).record(corrected)
    window = the_window(table, What.START)
    assert (window.state, window.closed_by) == (CORRECTED, table.last)


def wrong_start(table: Table) -> Table:
    return table.record(play.StartFaultNoticed(seat=Seat.TWO, at=23, missing=24))


def put_right(table: Table) -> Table:
    return table.record(play.StartCorrected(seat=Seat.TWO, moved=(CheckerMove(23, 24),)))


# Windows that nobody used.


@pytest.mark.parametrize(
    ("rule_set", "may"),
    [(USBGF, True), (BIBA, False), (FCBG, False)],
)
def test_a_noticed_play_of_which_nothing_came_is_shut_by_its_event(
    rule_set: str, may: bool
) -> None:
    table, made = slip(rule_set)
    closer = notice(table, made).ends_turn("one").roll("two", 42).last
    for _ in range(2):
        window = the_window(table, What.PLAY)
        assert (window.state, window.must, window.may) == (STANDS, False, may)
        assert window.closed_by == closer
        table.play("two", "8/4 6/4").won("one", 1).game().opening(3, 1)


def test_the_end_of_the_game_shuts_what_was_noticed_and_left() -> None:
    for rule_set in (USBGF, BIBA, FCBG):
        table, made = slip(rule_set)
        wrong_start(notice(table, made)).early("two", 42)
        end = table.won("one", 1).last
        for _ in range(2):
            windows = {window.what: window for window in windows_of(table.replay)}
            assert {window.closed_by for window in windows.values()} == {end}
            assert windows[What.PLAY].state is windows[What.START].state is STANDS
            assert windows[What.EARLY_ROLL].state is CONDONED
            assert not any(window.must or window.may for window in windows.values())
            wrong_start(notice(table, made)) if table.last == end else None
            table.game().turns(1)


def test_a_noticed_start_of_which_nothing_came_is_shut_by_its_event() -> None:
    table = wrong_start(Table(rule_set=BIBA).game().turns(1))
    closer = table.ends_turn("one").turn("two", 42, "8/4 6/4").ends_turn("two").last
    for _ in range(2):
        window = the_window(table, What.START)
        assert (window.state, window.must, window.closed_by) == (STANDS, False, closer)
        table.won("one", 1).game().turns(2)


def test_a_late_correction_leaves_the_window_shut() -> None:
    for rule_set in (BIBA, FCBG):
        table = wrong_start(Table(rule_set=rule_set).game().turns(5))
        before = the_window(table, What.START)
        assert put_right(table).found[-1] == "start-corrected-late"
        assert the_window(table, What.START) == before
        assert before.state is STANDS
    table, made = slip(FCBG)
    table.ends_turn("one").roll("two", 42).play("two", "8/4 6/4")
    before = the_window(table, What.PLAY)
    assert "correction-differs" in table.correct(made, "8/5 6/5").found
    assert the_window(table, What.PLAY) == before


def test_a_notice_after_the_correction_leaves_it_corrected() -> None:
    table, made = slip(FCBG)
    corrected = table.correct(made, "8/5 6/5").last
    window = the_window(notice(table, made), What.PLAY)
    assert (window.state, window.closed_by) == (CORRECTED, corrected)
    table = put_right(Table(rule_set=USBGF).game().turns(1))
    assert wrong_start(table).found == []
    window = the_window(table, What.START)
    assert (window.state, window.closed_by) == (CORRECTED, window.entry)


def test_a_play_that_was_noticed_and_revised_by_its_player_is_corrected() -> None:
    table, made = slip(USBGF)
    revised = notice(table, made).revise("one", made, "8/5 6/5").last
    window = the_window(table, What.PLAY)
    assert (window.state, window.must, window.closed_by) == (CORRECTED, False, revised)


# Early rolls.


def early(rule_set: str) -> Table:
    return Table(rule_set=rule_set).game().opening(3, 1).play("one", "8/5 6/5").early("two", 42)


def test_an_early_roll_is_the_opponents_choice_until_it_is_played_on() -> None:
    table = early(USBGF)
    assert told(the_window(table, What.EARLY_ROLL)) == (
        OPEN,
        False,
        True,
        "opponent",
        None,
        "[4.1.7]",
    )
    redone = early(USBGF).answers_early("redone")
    assert the_window(redone, What.EARLY_ROLL).state is CORRECTED
    stands = early(USBGF).answers_early("stands")
    window = the_window(stands, What.EARLY_ROLL)
    assert (window.state, window.closed_by) == (CONDONED, stands.last)
    passed = table.ends_turn("one").play("two", "8/4 6/4")
    window = the_window(passed, What.EARLY_ROLL)
    assert (window.state, window.closed_by) == (CONDONED, passed.last)


def test_a_choice_that_was_lost_lets_the_next_early_roll_stand() -> None:
    table = early(BIBA).answers_early("no_comment").ends_turn("one").play("two", "8/4 6/4")
    table.ends_turn("two").turn("one", 61, "13/7 8/7").early("two", 53)
    first, second = (one for one in windows_of(table.replay) if one.what is What.EARLY_ROLL)
    assert second.state is STANDS
    assert first.state is not OPEN


def test_an_early_roll_that_was_thrown_again_is_corrected() -> None:
    table = early(FCBG)
    table.void(table.last, seat="two")
    window = the_window(table, What.EARLY_ROLL)
    assert (window.state, window.closed_by) == (CORRECTED, table.last)


def test_a_ruled_early_roll_says_so() -> None:
    table = rules(early(USBGF).answers_early("no_comment"), "roll_stands", "early-roll")
    window = the_window(table, What.EARLY_ROLL)
    assert (window.state, window.closed_by) == (BY_RULING, table.last)


# Cube acts.


def crawford_double(rule_set: str) -> Table:
    table = Table(3, rule_set=rule_set, score=(2, 0)).game().turns(1).ends_turn("one")
    return table.double("two").take("one")


def test_a_double_in_the_crawford_game_is_to_be_undone_while_the_game_lasts() -> None:
    table = crawford_double(USBGF)
    window = the_window(table, What.CUBE_ACT)
    assert (window.state, window.must, window.seat) == (OPEN, True, Seat.TWO)
    double = window.entry
    table.void_cube(double)
    window = the_window(table, What.CUBE_ACT)
    assert (window.state, window.closed_by) == (CORRECTED, table.last)


def test_a_double_is_not_held_against_all_that_came_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A room asks this of every match again and again, and doubles grow with the match."""
    table, handed = crawford_double(USBGF), []
    for number in range(50):
        table.record(clock.ClockRead(at_ms=number))
    since = Past.steps_since

    def counted(past: Past, entry_id: str) -> Sequence[Step]:
        steps = since(past, entry_id)
        handed.append(len(steps))
        return steps

    monkeypatch.setattr(Past, "steps_since", counted)
    the_window(table, What.CUBE_ACT)
    assert sum(handed) == 0


def test_a_double_in_the_crawford_game_stands_once_the_next_round_has_begun() -> None:
    table = crawford_double(BIBA).won("two", 2)
    assert the_window(table, What.CUBE_ACT).state is OPEN
    following = match.MatchNextStarted(seats=tuple(Seat), next=match.NextMatch.NEXT_ROUND)
    table.record(following)
    window = the_window(table, What.CUBE_ACT)
    assert (window.state, window.closed_by) == (STANDS, table.last)


def test_an_answered_double_is_asked_about_and_not_to_be_undone() -> None:
    for rule_set in (BIBA, FCBG, "common"):
        table = Table(rule_set=rule_set).game().turns(2).roll("one", 61).double("one").take("two")
        window = the_window(table, What.CUBE_ACT)
        assert (window.state, window.must, window.entry) == (ASKED, False, table.last)


def test_a_double_ruled_undone_is_corrected_where_the_ruling_takes_it_back() -> None:
    for reading, state in (("undone", CORRECTED), ("stands", BY_RULING)):
        table = Table(rule_set=BIBA).game().turns(2).roll("one", 61).double("one").take("two")
        window = the_window(rules(table, reading, "cube-act-open"), What.CUBE_ACT)
        assert (window.state, window.closed_by) == (state, table.last)


def test_a_double_on_which_the_text_is_silent_is_asked_about_once_somebody_asks() -> None:
    table = crawford_double(USBGF)
    double = the_window(table, What.CUBE_ACT).entry
    table.won("two", 2)
    assert windows_of(table.replay) == ()
    table.record(dispute.DirectorCalled(about=double))
    assert the_window(table, What.CUBE_ACT).state is ASKED
    codes = {one.code: one.entry_id for one in table.replay.open_questions}
    assert codes["cube-violation-found"] == table.last


def promised(rule_set: str) -> Table:
    """Two says that he will double, in his turn, and has not done so yet."""
    table = Table(rule_set=rule_set).game().turns(1).ends_turn("one")
    return table.record(cube.CubeIntentStated(seat=Seat.TWO, intent=cube.Intent.DOUBLE))


def test_a_stated_intent_is_due_until_it_is_acted_on() -> None:
    table = promised(USBGF)
    stated = table.last
    window = the_window(table, What.CUBE_ACT)
    assert (window.entry, window.state, window.must, window.by) == (stated, OPEN, True, "offender")
    window = the_window(table.double("two"), What.CUBE_ACT)
    assert (window.entry, window.state, window.closed_by) == (stated, CORRECTED, table.last)


def test_a_stated_intent_that_was_not_acted_on_is_a_question() -> None:
    window = the_window(promised(USBGF).roll("two", 42), What.CUBE_ACT)
    assert (window.state, window.closed_by) == (ASKED, None)


def early_double(rule_set: str) -> Table:
    """Two doubles after one's play, when one has not ended his turn."""
    table = Table(rule_set=rule_set).game().opening(3, 1).play("one", "8/5 6/5")
    return table.record(dice.TurnEnded(seat=Seat.ONE, method="touched_die")).double("two")


def test_a_premature_double_stands_or_is_a_question() -> None:
    for rule_set, state in ((BIBA, ASKED), (FCBG, STANDS)):
        table = early_double(rule_set)
        assert the_window(table, What.CUBE_ACT).state is state
        assert the_window(table, What.CUBE_ACT).entry == table.last
    ruled = rules(early_double(BIBA), "binds", "early-cube-act")
    window = the_window(ruled, What.CUBE_ACT)
    assert (window.state, window.closed_by) == (WindowIs.RULED, ruled.last)


# Results.


def posted(rule_set: str) -> Table:
    table = Table(1, rule_set=rule_set).win()
    wrong = match.ResultPosted(winner=Seat.TWO, score=BySeat(0, 1), at_ms=0)
    return table.record(wrong)


def test_a_wrong_posting_may_be_corrected_until_another_match_begins() -> None:
    following = match.MatchNextStarted(seats=tuple(Seat), next=match.NextMatch.NEXT_ROUND)
    for rule_set, until, after in ((USBGF, None, OPEN), (BIBA, "next_round_begun", STANDS)):
        table = posted(rule_set)
        window = the_window(table, What.RESULT)
        assert (window.state, window.may, window.until) == (OPEN, True, until)
        table.record(following)
        assert the_window(table, What.RESULT).state is after, rule_set
    table = posted(BIBA).record(following)
    before = the_window(table, What.RESULT)
    late = match.ResultCorrected(old=BySeat(0, 1), new=BySeat(1, 0))
    assert the_window(table.record(late), What.RESULT) == before
    table = posted(USBGF)
    corrected = match.ResultCorrected(old=BySeat(0, 1), new=BySeat(1, 0))
    window = the_window(table.record(corrected), What.RESULT)
    assert (window.state, window.closed_by) == (CORRECTED, table.last)


# Of any match.


ACTS = (
    *("roll", "void", "play", "end", "double", "take", "early", "over"),
    *("notice", "start", "correct", "put_right"),
)


@pytest.mark.gate
@settings(max_examples=80, deadline=None)
@given(
    rule_set=st.sampled_from((USBGF, BIBA, FCBG)),
    acts=st.lists(
        st.sampled_from(ACTS),
        max_size=10,
    ),
)
def test_a_window_once_shut_stays_shut(rule_set: str, acts: list[str]) -> None:
    """Of everything that is in the list, while nobody agrees, rules or undoes.

    Of plays and starts that is so whatever shut them, and whoever corrects them later.
    """
    table, made = slip(rule_set)
    seat, over, shut = "one", 0, dict[tuple[What, str], Window]()
    for act in acts:
        other = "two" if seat == "one" else "one"
        match act:
            case "roll":
                seat = other
                table.roll(seat, 61)
            case "void":
                table.void(seat=seat)
            case "play":
                table.play(seat)
            case "end":
                table.ends_turn(seat)
            case "double":
                table.double(other)
            case "take":
                table.take(seat)
            case "early":
                table.early(other, 21)
            case "over":
                table.won(seat, 1)
            case "notice":
                notice(table, made)
            case "start":
                wrong_start(table)
            case "correct" if table.state.flow.in_game:
                table.correct(made, "8/5 6/5")
                # The turns after the play are undone.
                shut = {key: window for key, window in shut.items() if key[0] is What.PLAY}
            case "put_right":
                put_right(table)
        now = {(window.what, window.entry): window for window in windows_of(table.replay)}
        if len(table.state.score.games) < over:
            # The end of a game was undone.
            shut.clear()
        over = len(table.state.score.games)
        for key, before in shut.items():
            assert now[key].state is before.state
            assert now[key].closed_by == before.closed_by or before.state is CORRECTED
        shut = {
            key: window
            for key, window in now.items()
            if window.state is STANDS
            or (window.state is CORRECTED and window.what in (What.PLAY, What.START))
        }


def test_a_match_without_a_fault_has_no_window() -> None:
    for seed in range(4):
        assert windows_of(legal_match(seed).replay) == ()


@settings(max_examples=100, deadline=None)
@given(STREAMS)
def test_every_window_is_told_under_every_rule_set(events: list[RecordedEvent]) -> None:
    for rule_set in (None, USBGF, "usbgf-2017-09", BIBA, FCBG, "fcbg-club"):
        shown = replay(events, rule_set)
        known = {step.event.entry_id for step in shown.steps}
        for window in windows_of(shown):
            assert {window.entry} <= known
            assert window.closed_by is None or window.closed_by in known
            assert not window.must or window.may
            assert window.state is not OPEN or window.closed_by is None
