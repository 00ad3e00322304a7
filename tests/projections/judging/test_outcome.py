"""The outcome: who has won the match and why, and what takes a decision away again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from events.envelope import Basis, RecordedEvent
from events.payloads import attendance, clock, dispute, ending, match, penalty, play
from events.payloads.base import RuleReference, WinKind
from events.payloads.cube import CubeActionVoided
from events.payloads.play import PlayCorrected, PlayRevised
from events.values import ONE, TWO, BySeat, Seat
from projections.judging.outcome import By, Outcome
from projections.replay import replay
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.streams import TABLES
from tests.projections.table import Table

DRAFT, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def of(table: Table) -> Outcome:
    return table.state.judged.outcome


def won(table: Table) -> tuple[Seat | None, By | None]:
    return of(table).winner, of(table).by


def cited(table: Table) -> list[tuple[str, str]]:
    """Where the findings that decide the match say so."""
    found = [one for one in table.replay.findings if one.code == "match-decided"]
    return [(one.rule_set, one.section) for one in found]


def length_found(table: Table, wrong: int, correct: int) -> Table:
    error = match.MatchLengthErrorFound(wrong=wrong, correct=correct, during_game=False)
    return table.record(error, basis=Basis.AGREED)


def late(table: Table, minutes: float, seat: Seat = ONE) -> Table:
    return table.record(attendance.PlayerArrived(seat=seat, at_ms=int(minutes * 60_000)))


def assessed(table: Table, points: int, seat: Seat = ONE, **members: Any) -> Table:
    return table.record(penalty.PenaltyAssessed(seat=seat, points=points, **members))


def flag(table: Table, whose: str = "one") -> Table:
    return table.record(clock.ClockFlagNoticed(whose=clock.Flag(whose)))


def ruled(table: Table, topic: str, at: str, reading: str, seat: Seat | None = None) -> Table:
    question = dispute.Question(topic=topic, at=at, seat=seat)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)


def test_points_decide_and_say_so_themselves() -> None:
    table = Table(3, rule_set=DRAFT).game().win("gammon").game().turns(2)
    assert of(table).is_open
    table.win("single")
    assert (won(table), of(table).version) == ((ONE, By.SCORE), len(table.events))
    assert cited(table) == []


def test_a_last_game_that_goes_on_opens_the_match_again() -> None:
    table = Table(2, score=(1, 0), crawford_played=True).game().turns(2).double("one").drop("two")
    assert won(table) == (ONE, By.SCORE)
    assert won(table.void_cube(table.last)) == (None, None)


@pytest.mark.parametrize("rule_set", [None, DRAFT, BIBA, FCBG])
def test_of_two_who_are_level_at_the_length_neither_is_said_to_have_won(
    rule_set: str | None,
) -> None:
    """Nobody knows who was first, and a seat is no reason; it may be a match to another length."""
    table = Table(7, rule_set=rule_set).score_is(7, 7)
    assert (won(table), table.state.score.winner) == ((None, None), None)
    table.game()
    assert "game-after-match" not in table.codes
    table.won("two", 2)
    assert won(table) == (TWO, By.SCORE)


@pytest.mark.parametrize("first", list(Seat))
def test_who_was_first_at_the_length_has_won_though_the_other_is_level_later(first: Seat) -> None:
    score = (6, 0) if first is ONE else (0, 6)
    table = Table(7, rule_set=BIBA, score=score).game().won(first.value, 1)
    table.game().won(first.other.value, 7)
    assert table.score == (7, 7)
    assert won(table) == (first, By.SCORE)


def test_a_money_session_is_never_won() -> None:
    assert of(Table(None, score=(40, 2)).game().win()).is_open


@pytest.mark.parametrize(("rule_set", "section"), [(DRAFT, "[4.8]"), (BIBA, "4.10")])
def test_a_wrong_length_decides_the_match(rule_set: str, section: str) -> None:
    table = Table(9, rule_set=rule_set).score_is(7, 3)
    table.record(match.MatchEnded(), basis=Basis.AGREED)
    assert of(table).is_open
    length_found(table, 7, 9)
    assert won(table) == (ONE, By.WRONG_LENGTH)
    assert cited(table) == [(rule_set, section)]
    assert table.ended("one", (7, 3)).found == []
    assert table.game().found == ["game-after-match"]
    assert len(cited(table)) == 1


def test_what_the_posted_length_had_decided_no_discovery_decides_anew() -> None:
    table = Table(7, rule_set=DRAFT).score_is(6, 2).game().won("one", 1)
    decided_at = of(table).version
    length_found(table, 9, 7)
    assert (won(table), of(table).version) == ((ONE, By.SCORE), decided_at)
    assert cited(table) == []


def test_who_has_the_higher_score_overtakes_who_was_first() -> None:
    table = Table(7, rule_set=DRAFT).score_is(6, 6).game().won("one", 1).game().won("two", 2)
    assert won(table) == (ONE, By.SCORE)
    assert won(length_found(table, 9, 7)) == (TWO, By.WRONG_LENGTH)


def test_while_a_wrong_length_is_a_question_nobody_has_won() -> None:
    table = Table(7, rule_set=BIBA).score_is(6, 6).game().won("one", 1).game().won("two", 2)
    at = length_found(table, 9, 7).last
    assert (won(table), of(table).questions) == ((None, None), ("match-length.outcome",))
    for reading, winner in (("first_to_reach", ONE), ("higher", TWO)):
        ruled(table, "match-length.outcome", at, reading)
        assert won(table) == (winner, By.WRONG_LENGTH)
        assert of(table).questions == ()


def test_the_match_goes_on_to_the_length_that_holds() -> None:
    table = Table(is_opened=False)
    opened = match.MatchOpened(players=BySeat((), ()), length=7, draw_sheet_length=9, rule_set=BIBA)
    table.record(opened).score_is(7, 3)
    assert won(table) == (None, None)
    assert of(table).questions == ("match-length.sheets",)
    assert won(length_found(table, 7, 9)) == (None, None)
    assert table.game().found == []
    assert won(table.won("one", 2)) == (ONE, By.SCORE)


def test_penalty_points_above_half_the_length_decide_the_match() -> None:
    table = late(Table(7, rule_set=DRAFT), 26)
    assert won(table) == (TWO, By.FORFEIT)
    assert table.found == ["penalty-forfeit", "match-decided"]
    assert cited(table) == [(DRAFT, "[2.2]")]
    assert table.game().found == ["game-after-match"]
    for score in ((0, 0), (0, 7)):
        assert "result-differs" not in table.ended("two", score).found
    assert "result-differs" in table.ended("one", (7, 0)).found


def test_a_question_that_comes_later_takes_no_forfeit_back() -> None:
    table = late(Table(7, rule_set=BIBA), 26)
    overrun = attendance.DelayNoted(seat=ONE, kind=attendance.DelayKind.BREAK, excess_ms=660_000)
    assert table.record(overrun).found == []
    assert won(table) == (TWO, By.FORFEIT)


def test_a_waiver_opens_the_match_again() -> None:
    slow = {"ground": penalty.PenaltyGround.LATE_START}
    table = assessed(Table(7, rule_set=DRAFT), 4, **slow)
    assert won(table) == (TWO, By.FORFEIT)
    table.record(penalty.PenaltyWaived(target=table.last, points=1))
    assert won(table) == (None, None)
    assert won(assessed(table, 1, **slow)) == (TWO, By.FORFEIT)
    assert len(cited(table)) == 1


def test_where_both_forfeit_who_did_so_first_has_lost() -> None:
    late_start = {"ground": penalty.PenaltyGround.LATE_START}
    table = assessed(assessed(Table(7, rule_set=DRAFT), 4, TWO, **late_start), 5, **late_start)
    assert won(table) == (ONE, By.FORFEIT)


def test_whether_points_for_slow_play_forfeit_is_the_question_between() -> None:
    for reading, expected in (("counted", (TWO, By.FORFEIT)), ("not_counted", (None, None))):
        table = assessed(Table(7, rule_set=BIBA), 4, ground=penalty.PenaltyGround.SLOW_PLAY)
        assert (won(table), of(table).questions) == ((None, None), ("penalties.points",))
        ruled(table, "penalties.points", table.last, reading, ONE)
        assert (won(table), of(table).questions) == (expected, ())


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("opponents_score", (TWO, By.PENALTY_POINTS)), ("own_ledger", (None, None))],
)
def test_penalty_points_decide_once_they_are_ruled_into_the_score(
    reading: str, expected: tuple[Seat | None, By | None]
) -> None:
    table = assessed(Table(7, rule_set=DRAFT).score_is(0, 6), 1)
    assert table.found == ["penalty-points", "penalty-in-score"]
    assert (won(table), of(table).questions) == ((None, None), ("penalties.score",))
    ruled(table, "penalties.score", table.last, reading, ONE)
    assert (won(table), of(table).questions) == (expected, ())
    own, entered = table.state.judged.penalties.both_scores(table.state.score.score)
    assert own == entered


def test_a_reserve_that_ran_out_loses_the_match() -> None:
    table = flag(Table(7, rule_set=DRAFT).clock().game().turns(2))
    assert won(table) == (TWO, By.FLAG)
    assert cited(table) == [(DRAFT, "[4.3]")]
    assert table.ended("two", (0, 7)).found == []


def test_whose_reserve_ran_out_first_is_ruled() -> None:
    table = flag(Table(7, rule_set=DRAFT).clock().game().turns(2), "both")
    assert (won(table), of(table).questions) == ((None, None), ("clock.flag",))
    at = table.last
    assert won(ruled(table, "clock.flag", at, "two_lost")) == (ONE, By.FLAG)
    assert won(ruled(table, "clock.flag", at, "play_on")) == (None, None)
    assert of(table).questions == ()


@pytest.mark.parametrize(
    ("reading", "expected"), [("play_on", (ONE, By.SCORE)), ("match_lost", (TWO, By.FLAG))]
)
def test_a_flag_after_the_end_overturns_it_only_if_that_is_ruled(
    reading: str, expected: tuple[Seat, By]
) -> None:
    """Under a text without clocks; the others answer themselves."""
    table = flag(Table(1, rule_set=FCBG).clock().game().win())
    assert (won(table), of(table).questions) == ((ONE, By.SCORE), ("clock.flag",))
    assert won(ruled(table, "clock.flag", table.last, reading, ONE)) == expected


@pytest.mark.parametrize(
    ("rule_set", "section"), [(DRAFT, "[4.3]"), ("usbgf-2017-09", "[4.3]"), (BIBA, "4.10")]
)
@pytest.mark.parametrize("whose", ["one", "two", "both"])
def test_a_match_that_was_won_is_not_lost_by_a_flag_noticed_later(
    rule_set: str, section: str, whose: str
) -> None:
    table = flag(Table(1, rule_set=rule_set).clock().game().win(), whose)
    assert (won(table), of(table).questions) == ((ONE, By.SCORE), ())
    last = table.findings[-1]
    assert (last.code, last.section, last.severity) == ("flag-noticed", section, "note")


def test_the_second_flag_of_a_match_comes_too_late() -> None:
    table = flag(flag(Table(7, rule_set=DRAFT).clock().game().turns(2)), "two")
    assert won(table) == (TWO, By.FLAG)


def test_a_claim_with_the_reserve_run_out_makes_it_a_question() -> None:
    table = flag(Table(1, rule_set=DRAFT).clock().scene("race"))
    assert won(table) == (TWO, By.FLAG)
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME_AND_MATCH, seat=ONE)
    at = table.record(claim).last
    assert (won(table), of(table).questions) == ((None, None), ("clock.flag",))
    assert won(ruled(table, "clock.flag", at, "match_lost", ONE)) == (TWO, By.FLAG)


SURE = ("off:13 1:2", "off:1 3:2 4:3 5:4 6:5")
"""One player has yet to roll, and cannot lose."""
CONTACT = ("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 24:2")


def at_flag(board: tuple[str, str], rule_set: str, score: tuple[int, int] = (6, 3)) -> Table:
    table = Table(7, rule_set=rule_set).clock().score_is(*score).game()
    return table.stated(*board, on_roll=ONE)


def claimed(table: Table, level: WinKind | None = None) -> Table:
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME_AND_MATCH, seat=ONE, level=level)
    return table.record(claim, basis=Basis.CLAIMED_BY_ONE)


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("board", [SURE, CONTACT], ids=["sure", "contact"])
@pytest.mark.parametrize("is_flag_first", [True, False])
def test_a_claim_that_is_ruled_to_hold_wins_whenever_the_flag_is_noticed(
    rule_set: str, board: tuple[str, str], is_flag_first: bool
) -> None:
    table = at_flag(board, rule_set)
    table = claimed(flag(table)) if is_flag_first else claimed(table)
    claim = table.last
    if not is_flag_first:
        flag(table)
    table.record(ending.ClaimRuled(target=claim, holds=True))
    assert (won(table), table.score) == ((ONE, By.SCORE), (7, 3))
    assert "clock.flag" not in of(table).questions


@in_bunches("rule_set", SHELF)
def test_a_claim_that_is_ruled_not_to_hold_leaves_the_match_lost_where_one_could_save_it(
    rule_set: str,
) -> None:
    table = claimed(at_flag(SURE, rule_set))
    claim = table.last
    flag(table).record(ending.ClaimRuled(target=claim, holds=False))
    if rule_set.startswith("usbgf"):
        assert won(table) == (TWO, By.FLAG)
        return
    # The text does not say what a flag costs, and the refusal of a claim does not say it either.
    assert won(table) == (None, None)
    assert "clock.flag" in of(table).questions


def test_a_claim_made_before_the_flag_is_judged_first() -> None:
    table = flag(claimed(at_flag(SURE, DRAFT)))
    assert (won(table), of(table).questions) == ((None, None), ("clock.flag",))
    question = table.replay.open_questions[-1].ruling_required
    assert question is not None
    assert (question.lean, question.readings) == ("claim_holds", ("claim_holds", "match_lost"))
    assert "and the game was claimed before that" in str(table.replay.open_questions[-1].message)
    ruled(table, "clock.flag", table.last, "claim_holds", ONE)
    assert (won(table), table.score) == ((ONE, By.SCORE), (7, 3))


def test_a_decision_on_another_claim_leaves_this_one_waiting() -> None:
    table = claimed(at_flag(CONTACT, BIBA))
    first = table.last
    claimed(table).record(ending.ClaimRuled(target=first, holds=False))
    noticed = flag(table).state.judged.timing.flag
    assert noticed is not None
    assert noticed.is_claimed


def test_a_claim_of_an_earlier_turn_is_gone_by() -> None:
    table = claimed(at_flag(CONTACT, DRAFT)).turn("one", 31, "8/5 6/5")
    assert won(flag(table)) == (TWO, By.FLAG)


def test_a_claim_to_the_match_without_a_level_is_for_as_much_as_it_still_takes() -> None:
    table = flag(claimed(at_flag(("off:13 1:2", "5:4 6:6 8:3 13:2"), DRAFT, (5, 3))))
    claim = table.events[-2].entry_id
    table.record(ending.ClaimRuled(target=claim, holds=True))
    assert (won(table), table.score) == ((ONE, By.SCORE), (7, 3))


def test_the_game_alone_does_not_save_the_match() -> None:
    """[4.3] asks for the game and the match: a game that gives no match is lost with it."""
    table = flag(claimed(at_flag(SURE, DRAFT, (2, 3)), WinKind.SINGLE))
    claim = table.events[-2].entry_id
    table.record(ending.ClaimRuled(target=claim, holds=True))
    assert (won(table), table.score) == ((TWO, By.FLAG), (3, 3))


@pytest.mark.parametrize(
    ("given", "by"),
    [
        (penalty.ForfeitDeclared(seat=ONE), By.FORFEIT),
        (penalty.PlayerDisqualified(seat=ONE), By.DISQUALIFICATION),
    ],
)
def test_a_match_given_away_needs_no_finding(given: Any, by: By) -> None:
    table = Table(7, rule_set=DRAFT).game().turns(2).record(given)
    assert (won(table), table.found) == ((TWO, by), [])


GIVEN = (penalty.ForfeitDeclared, penalty.PlayerDisqualified)


@pytest.mark.parametrize("second", GIVEN)
@pytest.mark.parametrize("first", GIVEN)
def test_a_match_is_given_away_once(first: Any, second: Any) -> None:
    table = Table(7, rule_set=DRAFT).game().turns(2).record(first(seat=ONE))
    before = of(table)
    assert before.winner is TWO
    assert of(table.record(second(seat=TWO))).decided == before.decided


def test_a_ruling_that_sets_the_board_has_the_match_go_on() -> None:
    table = flag(Table(7, rule_set=DRAFT).clock().game().turns(2))
    assert won(table) == (TWO, By.FLAG)
    assert won(table.carry_out(on_roll=ONE)) == (None, None)
    assert won(table.turn("one", 65, "24/13")) == (None, None)


@pytest.mark.parametrize("dice", [None, (6, 5)])
def test_a_game_that_was_cut_off_goes_on_with_whoever_a_ruling_has_on_roll(dice: Any) -> None:
    """A board that the ruling does not name is unchanged; between games nobody is on roll."""
    table = Table(7, rule_set=DRAFT).game().turns(2).record(penalty.ForfeitDeclared(seat=ONE))
    table.carry_out(on_roll=ONE, dice=dice)
    assert (won(table), table.state.flow.in_game, table.score) == ((None, None), True, (0, 0))
    if dice is None:
        table.roll("one", 65)
    table.play("one", "24/13").won("two", 1)
    assert (table.codes, table.score) == (["ended-by-claim"], (0, 1))
    table.record(penalty.ForfeitDeclared(seat=ONE)).carry_out(on_roll=ONE)
    assert (won(table), table.state.flow.in_game) == ((None, None), False)


def test_only_a_claim_decides_where_the_score_is_not_known() -> None:
    table = Table(7, rule_set=DRAFT).record(play.PlayUnseen(spans=play.UnseenSpan.GAMES))
    assert won(table.ended("two")) == (TWO, By.CLAIM)
    assert won(Table(7, rule_set=DRAFT).ended("two")) == (None, None)


def test_games_that_are_played_on_all_the_same_change_no_decision() -> None:
    table = length_found(Table(9, rule_set=DRAFT).score_is(7, 3), 7, 9)
    table.game().won("two", 6)
    assessed(table, 1, enters_score=False)
    ruled(table, "other.topic", table.last, "any")
    assert won(table) == (ONE, By.WRONG_LENGTH)
    assert won(table.score_is(7, 8)) == (TWO, By.WRONG_LENGTH)


# Laws.

FREES = (
    match.MatchOpened | match.ScoreStated | match.MatchLengthErrorFound | penalty.PenaltyWaived
    | attendance.DelayExcused | attendance.PlayerArrived | ending.ClaimMade
    | clock.ClockFlagNoticed | dispute.RulingMade | dispute.RulingCarriedOut
    | PlayCorrected | PlayRevised | CubeActionVoided | penalty.ForfeitDeclared
    | penalty.PlayerDisqualified
)  # fmt: skip
"""What can take a decision away: a correction, a waiver, a discovery, a ruling, a later forfeit."""


@pytest.mark.gate
@settings(max_examples=200, deadline=None)
@given(TABLES)
def test_a_decision_stays_while_nothing_takes_it_away(events: list[RecordedEvent]) -> None:
    for step in replay(events).steps:
        before, after = step.before.judged.outcome, step.after.judged.outcome
        if before.winner is not None and not isinstance(step.event.payload, FREES):
            assert (after.winner, after.version) == (before.winner, before.version)
        assert after.is_open is (after.winner is None) is (after.version == 0)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["game", "points", "late", "break", "slow", "assess", "waive", "flag", "length", "rule"]
        ),
        st.sampled_from(Seat),
        st.integers(0, 5),
    ),
    max_size=12,
)


def acted(rule_set: str, acts: list[tuple[str, Seat, int]], *, mirrored: bool) -> Table:
    """A match of a length of 5 in which these acts happen, or the same with the seats changed."""
    table = Table(5, rule_set=rule_set)
    for act, of_seat, size in acts:
        seat = of_seat.other if mirrored else of_seat
        match act:
            case "game":
                table.game().won(seat.value, size)
            case "points":
                table.score_is(*((size, 2) if seat is ONE else (2, size)))
            case "late":
                late(table, 6 * size, seat)
            case "break":
                noted = attendance.DelayNoted(
                    seat=seat, kind=attendance.DelayKind.BREAK, excess_ms=240_000 * size
                )
                table.record(noted)
            case "slow":
                assessed(table, size, seat, ground=penalty.PenaltyGround.SLOW_PLAY)
            case "assess":
                assessed(table, size, seat, enters_score=(None, True, False)[size % 3])
            case "waive":
                table.record(penalty.PenaltyWaived(target=table.last, points=size))
            case "flag":
                flag(table, seat.value)
            case "length":
                length_found(table, size + 2, 5)
            case _:
                _rule_on_the_first(table, size, mirrored=mirrored)
    return table


def _rule_on_the_first(table: Table, choice: int, *, mirrored: bool = False) -> None:
    """The Director answers the question that has been open longest.

    Of two that arose at once it is seat one's, or the other one's where the seats are changed.
    """
    seats = (TWO, ONE, None) if mirrored else (ONE, TWO, None)
    questions = table.replay.open_questions
    for asked in sorted(questions, key=lambda one: (one.version, seats.index(one.seat)))[:1]:
        question = asked.ruling_required
        assert question is not None
        readings = question.readings or ("other",)
        reading = readings[choice % len(readings)]
        ruled(table, question.topic, asked.entry_id, reading, asked.seat)


@pytest.mark.gate
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(SHELF)), ACTS)
def test_a_match_has_one_winner_and_seats_no_privileges(
    rule_set: str, acts: list[tuple[str, Seat, int]]
) -> None:
    here, there = (acted(rule_set, acts, mirrored=mirrored) for mirrored in (False, True))
    winner, by = won(here)
    assert won(there) == (None if winner is None else winner.other, by)
    for step in here.replay.steps:
        before, after = step.before.judged.outcome, step.after.judged.outcome
        decided = [one for one in step.findings if one.code == "match-decided"]
        assert len(decided) <= (before.decided != after.decided)
        if before.winner is not None and not isinstance(step.event.payload, FREES):
            assert after.winner is before.winner


@pytest.mark.gate
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(SHELF)), ACTS)
@example("usbgf-2024", [("late", TWO, 3), ("break", ONE, 1), ("late", ONE, 3)])
def test_a_ruling_leaves_no_such_question_open(
    rule_set: str, acts: list[tuple[str, Seat, int]]
) -> None:
    """An answer may lead to another question; the Director can answer all of them."""
    table = acted(rule_set, acts, mirrored=False)
    rulings = 0
    while table.replay.open_questions:
        _rule_on_the_first(table, rulings)
        rulings += 1
        assert rulings < 40
    asked = [
        (one.ruling_required.topic, one.entry_id, one.seat)
        for one in table.replay.findings
        if one.ruling_required is not None
    ]
    assert len(asked) == len(set(asked))
    judged = table.state.judged
    assert judged.outcome.questions == ()
    assert not any(one.answer and one.answer.is_open for one in judged.penalties.accounts)
    assert judged.match_length.answer is None or not judged.match_length.answer.is_open


# Where the text says so.


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [
        (DRAFT, "[4.5]"),
        ("usbgf-2017-09", "[4.5]"),
        (BIBA, "4.10"),
        (FCBG, "COMPLETION/T"),
        ("fcbg-club", "ENTRIES"),
        ("common", "Objective"),
    ],
)
def test_a_match_won_by_points_cites_where_the_text_ends_a_match(
    rule_set: str, section: str
) -> None:
    decided = of(Table(3, rule_set=rule_set).game().won("one", 3)).decided
    assert decided is not None
    assert (decided.by, decided.rule_set, decided.section) == (By.SCORE, rule_set, section)


@pytest.mark.parametrize(
    ("rule_set", "sanction", "slow"),
    [(DRAFT, "[1]", "[1]"), (BIBA, "1.9", "2.4"), (FCBG, "INTERPRETATION", "SLOW PLAY/T")],
)
def test_a_match_given_away_cites_what_it_was_given_away_for(
    rule_set: str, sanction: str, slow: str
) -> None:
    """Penalty points have a section of their own, which does not mention conduct."""
    grounds = penalty.PenaltyGround
    for payload, section in (
        (penalty.PlayerDisqualified(seat=TWO), sanction),
        (penalty.ForfeitDeclared(seat=TWO, ground=grounds.CONDUCT), sanction),
        (penalty.ForfeitDeclared(seat=TWO, ground=grounds.SLOW_PLAY), slow),
        (
            penalty.ForfeitDeclared(seat=TWO, ground=grounds.LATE_START),
            SHELF[rule_set].sections["penalties"],
        ),
    ):
        decided = of(Table(3, rule_set=rule_set).record(payload)).decided
        assert decided is not None
        assert (decided.winner, decided.section) == (ONE, section)


def test_the_rule_that_the_entry_itself_names_is_cited() -> None:
    rule = RuleReference(rule_set=BIBA, section="St. 5")
    for payload in (
        penalty.PlayerDisqualified(seat=TWO, rule=rule),
        penalty.ForfeitDeclared(seat=TWO, rule=rule),
    ):
        decided = of(Table(3, rule_set=DRAFT).record(payload)).decided
        assert decided is not None
        assert (decided.rule_set, decided.section) == (BIBA, "St. 5")


def test_a_rule_that_an_entry_names_is_cited_on_one_line_that_can_be_printed() -> None:
    rule = RuleReference(rule_set="a\u0007", section="St.\n5 \U000107bb")
    decided = of(Table(3).record(penalty.ForfeitDeclared(seat=TWO, rule=rule))).decided
    assert decided is not None
    assert decided.rule_set == "a\N{REPLACEMENT CHARACTER}"
    assert decided.section == "St. 5 \N{REPLACEMENT CHARACTER}"


# The posted length, and what depends on it.


@pytest.mark.parametrize(
    ("rule_set", "minutes"), [(DRAFT, 25), (BIBA, 20), (FCBG, 30)], ids=[DRAFT, BIBA, FCBG]
)
@pytest.mark.parametrize(("correct", "winner"), [(7, TWO), (9, None)])
def test_points_forfeit_by_the_posted_length_once_it_is_found(
    rule_set: str, minutes: int, correct: int, winner: Seat | None
) -> None:
    """Four points are more than half of 7, and not of 9: whichever of the two is on record."""
    table = late(Table(16 - correct, rule_set=rule_set), minutes)
    assert of(table).winner is (None if winner else TWO)
    table = length_found(table.score_is(1, 0), 16 - correct, correct)
    assert of(table).winner is winner
    # A decision of that time is not changed by less than a point more.
    late(table, 1, TWO)
    assert of(table).winner is winner


@pytest.mark.parametrize("score", [(7, 5), (6, 2)])
def test_a_forfeit_before_the_win_comes_first_by_the_posted_length(score: tuple[int, int]) -> None:
    table = late(Table(9, rule_set=DRAFT), 25).score_is(*score).game().won("one", 9 - score[0])
    assert won(table) == (ONE, By.SCORE)
    assert won(length_found(table, 9, 7)) == (TWO, By.FORFEIT)


def test_a_declared_forfeit_that_the_posted_length_does_not_make_is_told() -> None:
    table = late(Table(7, rule_set=DRAFT), 25).record(penalty.ForfeitDeclared(seat=ONE))
    length_found(table, 7, 15)
    assert won(table) == (TWO, By.FORFEIT)
    told = [one.message for one in table.findings if one.code == "penalty-differs"]
    assert told == [
        "a forfeit of player one is declared; "
        "by the posted length of 15 the penalty points, 4, make none"
    ]
