"""Rulings on clocks, and questions about clocks that nobody asks before somebody raises them."""

from __future__ import annotations

from typing import Any

import pytest
from rulings import answered, asked_about

from events.envelope import Basis
from events.payloads import attendance, clock, dispute, ending, match, penalty, play
from events.payloads.base import Actor
from events.values import ONE, TWO, BySeat, Seat
from projections.folding.findings import Finding
from projections.rules.shelf import SHELF
from tests.projections.table import Table


def asked(table: Table) -> list[Finding]:
    """The open questions about clocks."""
    return asked_about(table, "clock")


def rule(table: Table, reading: str) -> Table:
    """The Director answers the last of them with a reading."""
    return answered(table, asked(table)[-1], reading)


def with_clock(rule_set: str) -> Table:
    """A clock that is as it was set, under a text that leaves its terms to a person."""
    table = Table(7, rule_set=rule_set).clock()
    return rule(table, "as_set") if asked(table) else table


def flagged(rule_set: str, whose: str = "one", **members: Any) -> Table:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag(whose), **members)
    return with_clock(rule_set).game().turns(2).record(noticed)


@pytest.mark.parametrize(
    ("rule_set", "whose", "reading", "lost_by"),
    [
        ("biba-2014", "one", "match_lost", Seat.ONE),
        ("biba-2014", "one", "play_on", None),
        ("biba-2014", "both", "two_lost", Seat.TWO),
        ("usbgf-2017-07", "unknown", "one_lost", Seat.ONE),
        ("common", "two", "match_lost", Seat.TWO),
        ("common", "two", "as the Director likes", None),
    ],
)
def test_a_flag_goes_on_from_the_reading(
    rule_set: str, whose: str, reading: str, lost_by: Seat | None
) -> None:
    table = flagged(rule_set, whose)
    assert table.state.judged.timing.lost_by is None
    timing = rule(table, reading).state.judged.timing
    assert timing.lost_by is lost_by
    assert timing.flagged is not None
    assert (timing.flagged.outcome, timing.flagged.ruled_at) == (
        reading,
        table.events[-1].version,
    )
    assert timing.answer == timing.flagged
    assert asked(table) == []


def test_a_flag_that_the_text_decides_needs_no_ruling() -> None:
    assert flagged("usbgf-2017-07").state.judged.timing.lost_by is Seat.ONE


def not_pressed(table: Table, seconds_lost: int = 30) -> Table:
    """One forgot to press, and lost by it all the reserve that was left."""
    read = clock.ClockRead(readings=BySeat(seconds_lost * 1_000, 840_000))
    fault = clock.ClockFaultNoticed(
        kind=clock.ClockFault.NOT_PRESSED,
        seat=Seat.ONE,
        since=table.record(read).last,
        readings=BySeat(0, 840_000),
    )
    return table.record(fault)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09"])
def test_a_reserve_that_ran_out_for_want_of_a_press_loses_no_match_unasked(rule_set: str) -> None:
    """What was lost so is "fully restored" [4.1.8], and so had not run out."""
    table = not_pressed(with_clock(rule_set).game().turns(1))
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    assert table.state.judged.timing.lost_by is None
    assert rule(table, "match_lost").state.judged.timing.lost_by is Seat.ONE
    assert table.state.judged.outcome.winner is Seat.TWO


def test_a_flag_is_in_doubt_once_it_is_noticed_that_nobody_pressed() -> None:
    table = with_clock("usbgf-2017-07").game().turns(1)
    read = table.record(clock.ClockRead(readings=BySeat(30_000, 840_000))).last
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    assert table.state.judged.outcome.winner is Seat.TWO
    fault = clock.ClockFaultNoticed(
        kind=clock.ClockFault.NOT_PRESSED, seat=Seat.ONE, since=read, readings=BySeat(0, 840_000)
    )
    assert table.record(fault).found == ["clock-fault", "flag-noticed"]
    assert "restored in full: 30 seconds" in str(table.findings[0].message)
    assert (table.state.judged.timing.lost_by, table.state.judged.outcome.winner) == (None, None)
    assert rule(table, "play_on").state.judged.outcome.winner is None


@pytest.mark.parametrize(
    ("basis", "codes"), [(Basis.CLAIMED_BY_ONE, ["flag-noticed"]), (Basis.OBSERVED, [])]
)
def test_a_flag_that_one_player_alone_has_seen_is_asked_about_once_it_is_disputed(
    basis: Basis, codes: list[str]
) -> None:
    table = with_clock("usbgf-2017-07").game().turns(1)
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO), basis=basis)
    assert table.state.judged.outcome.winner is Seat.ONE
    table.record(dispute.DisputeRaised(by=Actor.TWO, topic="clock.flag"))
    assert [one.code for one in asked(table)] == codes
    assert (table.state.judged.outcome.winner is None) is bool(codes)


@pytest.mark.parametrize("kind", sorted(set(clock.ClockFault) - {clock.ClockFault.NOT_PRESSED}))
def test_no_other_fault_of_the_clock_puts_a_flag_in_doubt(kind: clock.ClockFault) -> None:
    table = with_clock("usbgf-2017-07").game().turns(1)
    read = table.record(clock.ClockRead(readings=BySeat(30_000, 840_000))).last
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    shown = BySeat(0, 840_000)
    fault = clock.ClockFaultNoticed(kind=kind, seat=Seat.ONE, since=read, readings=shown)
    assert table.record(fault).found == ["clock-fault"]
    assert table.state.judged.timing.lost_by is Seat.ONE


def test_what_one_player_lost_by_not_pressing_puts_no_flag_of_the_other_in_doubt() -> None:
    table = not_pressed(with_clock("usbgf-2017-07").game().turns(1))
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO, readings=BySeat(0, 0)))
    assert table.state.judged.timing.lost_by is Seat.TWO


@pytest.mark.parametrize(
    "given",
    [
        clock.ClockAdjusted(seat=Seat.ONE, amount_ms=30_000),
        clock.ClockSet(kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(30_000, 840_000)),
    ],
)
def test_what_was_given_back_can_run_out(given: Any) -> None:
    table = not_pressed(with_clock("usbgf-2017-07").game().turns(1)).record(given)
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    assert table.state.judged.timing.lost_by is Seat.ONE


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "usbgf-2017-09"])
def test_a_flag_in_a_match_that_a_wrong_length_has_go_on_is_asked_about(rule_set: str) -> None:
    """It was of no effect in a match that was won at 7, and they play on, to 9 as they thought."""
    table = with_clock(rule_set).score_is(7, 5).game().turns(1)
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    assert (table.state.judged.timing.lost_by, asked(table)) == (None, [])
    table.record(match.MatchLengthErrorFound(wrong=9, correct=7, during_game=True))
    assert [one.code for one in asked(table)] == ["flag-noticed"]
    assert rule(table, "match_lost").state.judged.outcome.winner is Seat.TWO


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_flag_in_a_match_that_a_corrected_play_has_go_on_is_asked_about(rule_set: str) -> None:
    """The last play had borne off a checker too many; the flag was seen in between."""
    table = with_clock(rule_set).score_is(6, 5, crawford_played=True)
    last = table.scene("last two", "one").roll("one", 31).play("one", "1/off 6/off").last
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.ONE, readings=BySeat(0, 840_000)))
    assert (table.state.judged.timing.lost_by, asked(table)) == (None, [])
    table.correct(last, "1/off 6/3")
    assert [one.code for one in asked(table)] == ["flag-noticed"]
    assert rule(table, "match_lost").state.judged.outcome.winner is Seat.TWO


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_flag_in_a_match_that_points_decided_is_asked_about_once_they_are_taken_off(
    rule_set: str,
) -> None:
    """They were waived; or the delay is excused, and the Director has to say what that is worth."""
    assessed = penalty.PenaltyAssessed(seat=ONE, points=4, ground=penalty.PenaltyGround.LATE_START)
    waived, late = with_clock(rule_set).record(assessed), with_clock(rule_set)
    entry = waived.last
    late.record(attendance.PlayerArrived(seat=ONE, at_ms=1_500_000))
    for table in (waived, late):
        flag = clock.ClockFlagNoticed(whose=clock.Flag.TWO, readings=BySeat(840_000, 0))
        assert table.game().turns(1).record(flag).state.judged.outcome.winner is TWO
        assert asked(table) == []
    waived.record(penalty.PenaltyWaived(target=entry))
    assert [one.code for one in asked(waived)] == ["flag-noticed"]
    assert rule(waived, "match_lost").state.judged.outcome.winner is ONE
    late.record(attendance.DelayExcused(seat=ONE))
    assert [one.code for one in late.findings] == ["penalty-question", "flag-noticed"]


def test_a_flag_stays_without_effect_where_a_claim_alone_says_who_has_won() -> None:
    """Games were not seen: the excuse of a delay that nobody recorded reopens nothing."""
    table = with_clock("usbgf-2017-07").game()
    table.record(play.PlayUnseen(spans=play.UnseenSpan.GAMES)).ended("one")
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO, readings=BySeat(840_000, 0)))
    table.record(attendance.DelayExcused(seat=TWO))
    assert (table.findings, table.state.judged.outcome.winner) == ((), ONE)


def test_a_pause_after_a_flag_takes_nothing_from_its_ruling() -> None:
    table = flagged("biba-2014").record(clock.ClockPaused(reason="telephone"))
    rule(table, "may_stop")
    rule(table, "match_lost")
    assert table.state.judged.timing.lost_by is Seat.ONE
    assert asked(table) == []


def test_the_same_flag_is_asked_about_once() -> None:
    table = flagged("biba-2014").record(clock.ClockFlagNoticed(whose=clock.Flag.ONE))
    assert len(asked(table)) == 1
    claim = ending.ClaimMade(seat=Seat.ONE, kind=ending.ClaimKind.GAME_AND_MATCH)
    rule(table, "match_lost").record(claim)
    assert asked(table) == []
    assert table.state.judged.timing.lost_by is Seat.ONE


def flags(table: Table) -> list[Finding]:
    """The open questions about the flag."""
    return [finding for finding in asked(table) if finding.code == "flag-noticed"]


def at_match_point(rule_set: str) -> Table:
    """The reserve of one is gone, and a single game without contact gives him the match."""
    table = Table(7, rule_set=rule_set, score=(6, 3), crawford_played=True).clock()
    return table.game().scene("race", "one").record(clock.ClockFlagNoticed(whose=clock.Flag.ONE))


CLAIM = ending.ClaimMade(seat=Seat.ONE, kind=ending.ClaimKind.GAME_AND_MATCH)


def test_a_flag_and_the_claim_after_it_are_one_question() -> None:
    """The claim changes what the text leans to; the answer to the flag's question answers both."""
    table = at_match_point("biba-2014")
    assert table.findings[0].ruling_required is not None
    table.record(CLAIM)
    assert table.found == []
    assert table.state.judged.timing.flagged is not None
    assert table.state.judged.timing.flagged.lean is None
    assert rule(table, "match_lost").state.judged.outcome.winner is Seat.TWO
    assert flags(table) == []
    assert table.state.judged.outcome.questions == ()


@pytest.mark.parametrize(
    ("rule_set", "holds", "winner"),
    [
        ("usbgf-2017-07", True, Seat.ONE),
        ("biba-2014", True, Seat.ONE),
        ("fcbg-tournament", True, Seat.ONE),
        # The other texts do not say that the match is lost where no claim saves it.
        ("usbgf-2017-07", False, Seat.TWO),
    ],
)
def test_who_answers_the_claim_answers_for_the_flag(
    rule_set: str, holds: bool, winner: Seat
) -> None:
    table = at_match_point(rule_set).record(CLAIM)
    table.record(ending.ClaimRuled(target=table.last, holds=holds))
    assert flags(table) == []
    assert table.state.judged.outcome.winner is winner
    assert table.score == ((7, 3) if holds else (6, 3))
    assert table.state.judged.outcome.questions == ()


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "common"])
def test_a_claim_that_both_agree_on_saves_the_match(rule_set: str) -> None:
    table = at_match_point(rule_set).record(CLAIM, basis=Basis.AGREED)
    assert flags(table) == []
    assert table.state.judged.outcome.questions == ()
    assert (table.score, table.state.judged.outcome.winner) == ((7, 3), Seat.ONE)


@pytest.mark.parametrize("reading", ["by_match_length", "reduced"])
def test_terms_that_were_ruled_are_not_asked_about_again(reading: str) -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(2, 1)).clock()
    terms = rule(table, reading).state.judged.timing.terms
    assert terms is not None
    assert terms.outcome == reading
    table.clock()
    assert asked(table) == []


def test_who_sets_the_clock_sets_its_free_time_too() -> None:
    table = Table(7, rule_set="fcbg-tournament").clock()
    timing = rule(table, "as_set").state.judged.timing
    assert timing.terms is not None
    assert timing.delay is not None
    assert (timing.terms.outcome, timing.delay.outcome) == ("as_set", "as_set")


def test_a_fault_and_a_stop_go_on_from_their_readings() -> None:
    table = with_clock("biba-2014")
    fault = clock.ClockFaultNoticed(kind=clock.ClockFault.NOT_PRESSED, seat=Seat.ONE)
    assert rule(table.record(fault), "restore").state.judged.timing.answer is not None
    assert asked(table) == []
    rule(table.record(clock.ClockPaused(reason="telephone")), "may_not_stop")
    answer = table.state.judged.timing.answer
    assert answer is not None
    assert answer.outcome == "may_not_stop"
    assert asked(table) == []


def test_the_clock_may_be_stopped_to_call_the_director() -> None:
    """So says the draft; what is told of Biba's Clock Rules leans to it."""
    paused = clock.ClockPaused(reason="director_called")
    table = with_clock("usbgf-2017-07").record(paused)
    answer = table.state.judged.timing.answer
    assert answer is not None
    assert (answer.outcome, asked(table)) == ("may_stop", [])
    (question,) = asked(with_clock("biba-2014").record(paused))
    assert question.ruling_required is not None
    assert question.ruling_required.lean == "may_stop"


# What a text without clocks leaves open is asked once somebody raises it.


def silent_clock() -> Table:
    return Table(7).clock().record(clock.ClockPaused(reason="telephone"))


def test_what_nobody_raised_is_not_asked() -> None:
    assert asked(silent_clock()) == []


def test_a_dispute_about_a_topic_makes_it_a_question() -> None:
    table = silent_clock()
    table.record(dispute.DisputeRaised(by=Actor.ONE, topic="clock.stop"))
    assert table.found == ["clock-stop"]
    (finding,) = asked(table)
    assert finding.entry_id == table.last
    rule(table, "may_stop")
    assert asked(table) == []
    table.record(dispute.DisputeRaised(by=Actor.TWO, topic="clock.stop"))
    assert table.found == []


def test_a_call_about_an_entry_makes_its_questions_questions() -> None:
    table = silent_clock()
    was_set = table.events[1].entry_id
    table.record(dispute.DirectorCalled(by=Actor.ONE, about=was_set))
    topics = {one.ruling_required.topic for one in asked(table) if one.ruling_required}
    assert topics == {"clock.terms", "clock.delay"}
    other = silent_clock()
    other.record(dispute.DirectorCalled(by=Actor.ONE, about=other.events[0].entry_id))
    assert asked(other) == []


# A gap.


def test_after_a_gap_no_reading_is_expected() -> None:
    table = Table(7).clock().game().turns(1).press("one", 20)
    table.record(play.PlayUnseen())
    assert table.reserve_s == (None, None)
    assert table.press("two", 900, readings=BySeat(300_000, 200_000)).found == []
    assert table.reserve_s == (300, 200)
    table.press("one", 930, readings=BySeat(250_000, 200_000))
    assert table.found == ["clock-reading-differs"]


def test_after_a_gap_nobody_knows_whose_time_runs() -> None:
    table = Table(7).clock().game().turns(1).press("one", 20).record(play.PlayUnseen())
    assert table.state.clock.turn_of is None
    for seat in ("one", "two"):
        assert "clock-pressed-by-other" not in table.press(seat, 900).found


@pytest.mark.parametrize("rule_set", [name for name in SHELF if name != "fcbg-club"])
@pytest.mark.parametrize("whose", ["both", "unknown"])
@pytest.mark.parametrize("is_set", [True, False])
def test_whose_flag_nobody_knows_is_never_asked_so_that_nobody_has_lost(
    rule_set: str, whose: str, *, is_set: bool
) -> None:
    """A text without a word on it, and one whose words the record contradicts, ask who has lost."""

    def told() -> Table:
        table = Table(7, rule_set=rule_set)
        table = (table.clock() if is_set else table).game().turns(2)
        return table.record(clock.ClockFlagNoticed(whose=clock.Flag(whose)))

    for reading, winner in (("one_lost", Seat.TWO), ("two_lost", Seat.ONE), ("play_on", None)):
        table = told()
        flagged = table.state.judged.timing.flagged
        assert flagged is not None
        if flagged.is_open:  # where the sentences of wbgf-2.1 are in hand, they play on
            rule(table, reading)
            assert table.state.judged.outcome.winner is winner
