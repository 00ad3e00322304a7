"""A match played to a wrong length, under every rule set: how shared cases are told; our own."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from golden import Case, check
from hypothesis import given, settings
from hypothesis import strategies as st
from rulings import ruled as ruled_on
from rulings import ruled_anew

from events.envelope import Basis
from events.payloads import attendance, dice, dispute, match, penalty, play
from events.payloads.attendance import DelayKind
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, BySeat, Seat
from projections.board.notation import parse
from projections.facts.flow_state import Await
from projections.judging.match_length import CRAWFORD, SANCTION
from projections.judging.penalty_points import IN_SCORE
from projections.judging.wrong_length import OUTCOME
from projections.replay import Replay, replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from projections.views.expecting import expects
from tests.projections.table import Table

DRAFT, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"


def found(table: Table, wrong: int, correct: int, **members: Any) -> Table:
    """The wrong length is believed by both, and found."""
    for seat in Seat:
        table.record(match.MatchLengthBelieved(seat=seat, length=wrong))
    during_game = table.state.flow.in_game
    error = match.MatchLengthErrorFound(
        wrong=wrong, correct=correct, during_game=during_game, **members
    )
    return table.record(error, basis=Basis.AGREED)


def told(given: dict[str, Any], rule_set: str | None) -> Table:
    """The events of a case."""
    given = dict(given)
    correct, wrong = given.pop("correct_length_points"), given.pop("wrong_length_points")
    discovered = given.pop("discovered")
    score = given.pop("score_at_discovery")
    table = Table(correct, rule_set=rule_set)
    cubes = given.pop("games_played_with_cube_at_one_point_away", 0)
    first = given.pop("first_to_reach_correct_length")
    if min(score.values()) >= correct and first in ("one", "two"):
        other = Seat(first).other.value
        table.score_is(**{first: score[first], other: correct - 1})
        table.game().won(other, score[other] - correct + 1)
    else:
        table.score_is(score["one"], score["two"] - cubes)
    for _ in range(cubes):
        table.game().cube_is(1, None).won("two", 1)
    assert table.score == (score["one"], score["two"])
    for seat, points in given.pop("penalty_points_against", {}).items():
        if points:
            table.record(penalty.PenaltyAssessed(seat=Seat(seat), points=points))
    if discovered == "during_game":
        table.game().turns(1)
    if given.pop("both_assumed_match_ended"):
        table.record(match.MatchEnded(), basis=Basis.AGREED)
    if discovered == "after_next_match_began":
        table.record(match.MatchNextStarted(seats=(ONE, TWO)))
    found(table, wrong, correct, knowingly=given.pop("played_wrong_length_knowingly"))
    if (game := given.pop("game_in_progress", None)) is not None:
        won = match.GameWon(winner=Seat(game["winner"]), points=game["points"])
        table.record(won, basis=Basis.AGREED)
        after = given.pop("score_after_that_game")
        assert table.score == (after["one"], after["two"])
    assert not given, f"keys without a meaning: {given}"
    return table


def holds(answer: Answer, case: Case) -> None:
    """The answer is the one that the case expects, the ambiguity where it writes it."""
    expect = dict(case.expect)
    if "amb" in expect and not answer.is_open:
        assert expect.pop("amb") in {other.ambiguity for other in answer.also.values()}
    check(answer, expect)


HOME_MADE = [
    # correct, wrong, score, draft, biba, fcbg
    (7, 9, (8, 2), "match_won one", "match_won one", "match_won one"),
    (7, 9, (3, 7), "match_won two", "match_won two", "match_won two"),
    (7, 9, (7, 8), "match_won two", "AMB-L5", "AMB-L5"),
    (7, 9, (8, 8), "one_more_game", "AMB-L5", "AMB-L5"),
    (9, 7, (7, 3), "match_won one", "discretion", "continue 9"),
    (9, 7, (7, 7), "one_more_game", "discretion", "continue 9"),
    (9, 7, (5, 6), "continue 9", "continue 9", "continue 9"),
]


def in_words(shown: Replay) -> str:
    answer = shown.state.judged.match_length.answer
    assert answer is not None
    if answer.is_open:
        return answer.ambiguity or answer.reason or ""
    return " ".join([answer.outcome, *map(str, answer.details.values())])


@pytest.mark.parametrize(("correct", "wrong", "score", "draft", "biba", "fcbg"), HOME_MADE)
def test_between_games(
    correct: int, wrong: int, score: tuple[int, int], draft: str, biba: str, fcbg: str
) -> None:
    events = found(Table(correct).score_is(*score), wrong, correct).events
    expected = {DRAFT: draft, BIBA: biba, FCBG: fcbg, "usbgf-2017-09": draft}
    expected |= {"fcbg-club": "AMB-F3", "common": "silent"}
    expected |= dict.fromkeys(("wbgf-2.1", "usbgf-2024", "wbgt-2010"), "not_in_hand")
    assert {one: in_words(replay(events, one)) for one in SHELF} == expected


def test_the_ratified_text_is_the_draft_unverified() -> None:
    shown = found(Table(7, rule_set="usbgf-2017-09").score_is(7, 5), 9, 7).replay
    (finding,) = [one for one in shown.findings if one.code == "wrong-length"]
    assert (finding.section, finding.verified) == ("[4.8]", False)


def test_the_game_in_progress_is_completed_first() -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(7, 5).game().turns(1), 9, 7)
    assert in_words(table.replay) == "complete_game"
    table.win("gammon", "two")
    assert (table.score, in_words(table.replay)) == ((7, 7), "one_more_game")
    table.game().win("single", "two")
    assert in_words(table.replay) == "match_won two"
    assert table.codes.count("wrong-length") == 3


@pytest.mark.parametrize("ending", ["board", "resignation", "claim"])
def test_however_the_game_ends_it_is_judged_then(ending: str) -> None:
    table = found(Table(9, rule_set=DRAFT).score_is(6, 5).game().turns(2), 7, 9)
    match ending:
        case "board":
            table.win("single", "one")
        case "resignation":
            table.stated("6:1", "6:15", on_roll=Seat.ONE).resign("two").accept("one")
        case _:
            table.won("one", 1)
    assert in_words(table.replay) == "match_won one"
    assert table.found.count("wrong-length") == 1
    assert table.score == (7, 5)


@pytest.mark.parametrize(
    ("score", "doubler", "is_dead"),
    [
        # 7-5 or 6-6: one of these wins by the wrong length, the other does not.
        ((6, 5), "one", True),
        ((6, 5), "two", False),
        # 7-6 and 6-7: the winner of the game has won the match.
        ((6, 6), "one", True),
        ((6, 6), "two", True),
        # 7-7 is a tie, and 8-6 is not.
        ((7, 6), "two", False),
        ((7, 6), "one", True),
        ((7, 7), "two", True),
    ],
)
@pytest.mark.parametrize(("correct", "wrong"), [(9, 7), (7, 9)])
def test_the_cube_of_the_last_game_is_dead_if_a_win_of_it_is_the_match(
    score: tuple[int, int], doubler: str, is_dead: bool, correct: int, wrong: int
) -> None:
    """[4.8] says who has won after it, by either length; [4.4.9] then says it of the cube."""
    table = Table(correct, rule_set=DRAFT, crawford="off").score_is(*score).game()
    table = found(table.turns(2 if doubler == "one" else 1), wrong, correct).double(doubler)
    assert ("cube-dead" in table.codes, "cube-void" in table.codes) == (is_dead, is_dead)
    assert "wrong-length-cube" not in table.codes


def test_a_drop_does_not_end_a_match_that_the_last_game_decides() -> None:
    table = found(Table(9, rule_set=DRAFT).score_is(6, 5).game().turns(2), 7, 9)
    table.double("one").drop("two")
    assert (table.score, table.state.flow.in_game) == ((6, 5), True)


@pytest.mark.parametrize("doubler", ["one", "two"])
def test_the_cube_of_the_deciding_game_is_dead(doubler: str) -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(7, 7), 9, 7).game()
    table.turns(2 if doubler == "one" else 1).double(doubler)
    assert "cube-void" in table.codes
    assert "wrong-length-cube" not in table.codes


def test_the_deciding_game_decides() -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(7, 7), 9, 7)
    assert in_words(table.replay) == "one_more_game"
    table.game().won("two", 1)
    assert in_words(table.replay) == "match_won two"


def test_a_delay_that_is_excused_takes_its_points_out_of_what_was_judged() -> None:
    """FCBG awards them to the opponent: 6 points of 7 and a penalty point had won the match."""
    table = Table(7, rule_set=FCBG).record(attendance.PlayerArrived(seat=TWO, at_ms=900_000))
    for _ in range(3):
        table.game().won("one", 2)
    found(table, wrong=9, correct=7)
    assert table.state.judged.outcome.winner is ONE
    table.record(attendance.DelayExcused(seat=TWO))
    assert table.state.judged.outcome.is_open
    assert table.found[-1] == "wrong-length"
    answer = table.state.judged.match_length.answer
    assert answer is not None
    assert (answer.outcome, answer.details["to_points"]) == ("continue", 7)


@pytest.mark.parametrize(
    "delay",
    [
        attendance.DelayNoted(seat=TWO, kind=DelayKind.RESUMPTION, excess_ms=600_000),
        attendance.PlayerArrived(seat=TWO, at_ms=600_000),
    ],
)
def test_a_point_drawn_after_the_discovery_is_judged_with_the_length(delay: Payload) -> None:
    """At 6-6 of 7 it decides the match if it enters the score (AMB-L4)."""
    table = found(Table(7, rule_set=DRAFT).score_is(6, 6), wrong=9, correct=7)
    table.record(delay)
    answer = table.state.judged.match_length.answer
    assert answer is not None
    assert answer.ambiguity == "AMB-L4"


def test_a_waiver_or_an_excuse_that_changes_no_points_changes_nothing() -> None:
    """One has forfeited the match; the point that is drawn after it decides nothing any more."""
    table = found(Table(7, rule_set=DRAFT).score_is(6, 6), wrong=9, correct=7)
    table.record(attendance.PlayerArrived(seat=ONE, at_ms=1_500_000))
    assert table.state.judged.outcome.winner is TWO
    resumed = attendance.DelayNoted(seat=TWO, kind=DelayKind.RESUMPTION, excess_ms=600_000)
    answer = table.record(resumed).state.judged.match_length.answer
    for act in (
        attendance.DelayExcused(seat=TWO, by=Actor.ONE),
        penalty.PenaltyWaived(target=table.last),
    ):
        table.record(act)
        assert table.findings == ()
        assert table.state.judged.match_length.answer == answer


def ruled(table: Table, at: str, reading: str) -> Table:
    question = dispute.Question(topic=OUTCOME, at=at)
    answer = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)


@pytest.mark.parametrize(
    ("reading", "now", "then"),
    [
        ("complete", "complete_game", "match_won one"),
        ("replay", "replay_game", "match_won one"),
        ("stop", "continue 7", "continue 7"),
    ],
)
def test_a_ruling_on_the_game_in_progress_is_gone_on_from(
    reading: str, now: str, then: str
) -> None:
    table = found(Table(7, rule_set=FCBG).score_is(6, 4).game().turns(1), 9, 7)
    assert in_words(table.replay) == "AMB-L7"
    ruled(table, table.last, reading)
    assert in_words(table.replay) == now
    assert not table.replay.open_questions
    flow = table.state.flow
    assert flow.in_game is (reading == "complete")
    if reading != "complete":
        # It does not go on: another one starts, and there is no finding against that.
        assert (flow.awaits, table.game().found) == (Await.GAME, [])
    assert in_words(table.won("one", 2).replay) == then


def test_a_game_that_is_stopped_with_the_match_won_is_followed_by_none() -> None:
    for reading, awaits in (("stop", Await.NOTHING), ("replay", Await.GAME)):
        table = found(Table(7, rule_set=BIBA).score_is(7, 4).game().turns(1), 9, 7)
        ruled(table, table.last, reading)
        assert table.state.flow.awaits is awaits
        assert (table.state.judged.outcome.winner is ONE) is (reading == "stop")


def test_a_double_that_waits_in_a_game_that_is_stopped_waits_no_longer() -> None:
    for reading in ("stop", "replay"):
        table = Table(7, rule_set=BIBA).score_is(6, 4, crawford_played=True).game().turns(2)
        table = found(table.double("one"), 9, 7)
        ruled(table, table.last, reading)
        state = table.state
        assert (state.cube.offered_by, state.flow.awaits) == (None, Await.GAME)
        # And a word that comes later stops no other game.
        table.game().turns(1)
        ruled(table, table.events[-5].entry_id, "replay")
        assert table.state.flow.in_game


def test_every_question_can_be_answered_in_the_words_of_a_ruling() -> None:
    for rule_set in SHELF:
        table = Table(7, rule_set=rule_set).score_is(6, 1).game().cube_is(1, None).won("two", 1)
        table.record(penalty.PenaltyAssessed(seat=TWO, points=1))
        found(table.game().turns(2), 9, 7, knowingly=True).double("one").drop("two")
        for finding in table.replay.open_questions:
            question = finding.ruling_required
            assert question is not None
            asked = {"topic": question.topic, "at": finding.entry_id}
            for reading in (*question.readings, "other"):
                msgspec.convert({"question": asked, "reading": reading}, dispute.Answer)


def test_both_thought_it_over_and_the_director_says_what_holds() -> None:
    for reading, expected in (("result_stands", "match_won one"), ("appointed_length", "cont")):
        table = Table(9, rule_set=FCBG).score_is(7, 4)
        table.record(match.MatchEnded(), basis=Basis.AGREED)
        found(table, 7, 9)
        ruled(table, table.last, reading)
        assert in_words(table.replay).startswith(expected)


def question(table: Table, code: str) -> Any:
    """The question that a code asks, for the whole match asked once."""
    (asked,) = [one for one in table.replay.findings if one.code == code and one.ruling_required]
    return asked.ruling_required


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("first_to_reach", "match_won one"), ("higher", "match_won two"), ("other", "other")],
)
def test_where_both_are_there_the_director_says_what_counts(reading: str, expected: str) -> None:
    for rule_set in (BIBA, FCBG):
        table = Table(7, rule_set=rule_set).score_is(6, 6)
        found(table.game().won("one", 1).game().won("two", 2), 9, 7)
        assert question(table, "wrong-length").readings == ("first_to_reach", "higher")
        shown = ruled(table, table.last, reading).replay
        assert in_words(shown).startswith(expected)
        assert shown.open_questions == []


@pytest.mark.parametrize("rule_set", [DRAFT, BIBA, FCBG])
@pytest.mark.parametrize("index", [0, 1])
def test_the_reading_on_penalty_points_says_who_has_won(rule_set: str, index: int) -> None:
    table = Table(7, rule_set=rule_set).score_is(6, 6)
    found(table.record(penalty.PenaltyAssessed(seat=TWO, points=1)), 9, 7)
    reading = question(table, "wrong-length").readings[index]
    shown = ruled(table, table.last, reading).replay
    assert in_words(shown) == reading.replace("_won_", "_won ").replace("continue_", "continue ")
    assert "wrong-length" not in [one.code for one in shown.open_questions]
    assert shown.state.judged.outcome.winner is (ONE if index else None)


@pytest.mark.parametrize(("reading", "winner"), [("result_stands", TWO), ("match_won_one", ONE)])
def test_a_result_with_which_they_went_on_stands_or_falls_by_ruling(
    reading: str, winner: Seat
) -> None:
    table = Table(7, rule_set=DRAFT).score_is(9, 8)
    table.record(match.MatchEnded(winner=TWO), basis=Basis.AGREED)
    found(table.record(match.MatchNextStarted(seats=(ONE,))), 9, 7)
    assert ruled(table, table.last, reading).state.judged.outcome.winner is winner


def test_points_that_are_ruled_into_the_score_change_the_answer() -> None:
    table = found(Table(7, rule_set=BIBA).score_is(6, 6), 9, 7)
    assert in_words(table.replay) == "continue 7"
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1))
    assert in_words(table.replay) == "AMB-N5"
    (asked,) = [one for one in table.replay.open_questions if one.code == "penalty-in-score"]
    at = dispute.Question(topic=IN_SCORE, at=asked.entry_id, seat=TWO)
    said = dispute.Answer(question=at, reading="opponents_score")
    table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)
    assert in_words(table.replay) == "match_won one"


def test_questions_beside_the_answer_are_asked_once_and_ruled() -> None:
    table = Table(9, rule_set=DRAFT).score_is(8, 0).game().cube_is(1, None).won("two", 1)
    at = found(table, 11, 9, knowingly=True).last
    for code, topic, reading in (
        ("wrong-length-agreed", SANCTION, "none"),
        ("wrong-length-crawford", CRAWFORD, "spent"),
    ):
        if code not in table.codes:
            continue
        asked = dispute.Question(topic=topic, at=at)
        said = dispute.Answer(question=asked, reading=reading)
        table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)
        assert table.codes.count(code) == 1
    answer = table.state.judged.match_length.answer
    assert answer is not None
    assert [one.is_open for one in answer.also.values()] == [False] * len(answer.also)
    assert table.replay.open_questions == []


@pytest.mark.parametrize(("reading", "is_crawford"), [("again", True), ("spent", False)])
def test_a_ruling_says_whether_the_crawford_game_is_still_to_come(
    reading: str, is_crawford: bool
) -> None:
    """AMB-L3: it was played with the cube, because both believed in another length."""
    table = Table(7, rule_set=DRAFT).score_is(6, 3).game().cube_is(1, None).won("two", 1)
    at = found(table, 9, 7).last
    (asked,) = [one for one in table.replay.open_questions if one.code == "wrong-length-crawford"]
    assert asked.entry_id == at
    question = dispute.Question(topic=CRAWFORD, at=at)
    said = dispute.Answer(question=question, reading=reading)
    table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)
    assert table.game().state.score.is_crawford_game is is_crawford


def test_a_match_that_a_wrong_length_decided_awaits_no_other_game() -> None:
    table = Table(7, rule_set=DRAFT).score_is(8, 4)
    assert "game.started" in expects(Table(7, rule_set=DRAFT).score_is(3, 4).state)
    assert "game.started" not in expects(found(table, 9, 7).state)


def test_a_second_double_asks_nothing_again() -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(6, 4).game().turns(2), 9, 7)
    for _ in range(2):
        table.double("one")
    assert table.codes.count("wrong-length-cube") == 1


@pytest.mark.parametrize(
    ("wrong", "correct", "score", "is_asked"),
    [
        (7, 9, (6, 2), True),  # the Crawford game by the wrong length alone
        (9, 7, (6, 2), True),  # by the right one alone
        (9, 7, (3, 2), False),
        (9, 7, (6, 7), True),  # of no use by the right one alone
    ],
)
@pytest.mark.parametrize("rule_set", [DRAFT, BIBA, FCBG])
def test_a_double_before_the_wrong_length_was_found_is_asked_about_too(
    rule_set: str, wrong: int, correct: int, score: tuple[int, int], is_asked: bool
) -> None:
    table = Table(wrong, rule_set=rule_set).score_is(*score).game().turns(1).double("two")
    assert ("wrong-length-cube" in found(table, wrong, correct).found) is is_asked


def test_a_double_of_an_earlier_game_is_not_asked_about() -> None:
    table = Table(7, rule_set=DRAFT).score_is(4, 2).game().turns(2).double("one").drop("two")
    table.game().turns(1)
    assert "wrong-length-cube" not in found(table.score_is(6, 2), 7, 9).codes


def test_one_sides_word_is_no_common_belief() -> None:
    """Biba lets stand what both took for the end: with one's word alone it is a question."""
    table = Table(9, rule_set=BIBA).score_is(7, 4)
    table.record(match.MatchEnded(), basis=Basis.CLAIMED_BY_ONE)
    assert in_words(found(table, 7, 9).replay) == "discretion"
    assert in_words(replay(table.events, FCBG)) == "continue 9"


def test_biba_goes_by_the_draw_sheet() -> None:
    table = Table(is_opened=False)
    opened = match.MatchOpened(players=BySeat((), ()), length=7, draw_sheet_length=9, rule_set=BIBA)
    table.record(opened).score_is(7, 3)
    shown = found(table, 9, 7).replay
    assert in_words(shown) == "continue 9"
    assert shown.findings[-1].ambiguity == "AMB-L6"
    assert in_words(replay(table.events, FCBG)) == "match_won one"


@pytest.mark.parametrize("is_playing", [False, True])
def test_which_sheet_has_the_agreed_length_is_what_was_ruled_last(is_playing: bool) -> None:
    table = Table(is_opened=False)
    opened = match.MatchOpened(players=BySeat((), ()), length=7, draw_sheet_length=5, rule_set=BIBA)
    table.record(opened).score_is(4, 3).game()
    for reading, length in (("score_sheet", 7), ("draw_sheet", 5), ("score_sheet", 7)):
        ruled_anew(table, "match-length.sheets", reading)
        assert table.state.score.length == length
        if is_playing:
            table.record(dice.Voided(reason=dice.VoidReason.COCKED))
    table.won("one", 1)
    for reading, winner, awaits in (
        ("draw_sheet", ONE, Await.NOTHING),
        ("score_sheet", None, Await.GAME),
        ("draw_sheet", ONE, Await.NOTHING),
    ):
        ruled_anew(table, "match-length.sheets", reading)
        state = table.state
        assert (state.judged.outcome.winner, state.flow.awaits) == (winner, awaits)


def test_a_result_that_would_change_after_the_next_match_began_is_for_a_person() -> None:
    table = Table(7, rule_set=DRAFT).score_is(9, 8)
    table.record(match.MatchEnded(winner=TWO), basis=Basis.AGREED)
    table.record(match.MatchNextStarted(seats=(ONE,)))
    assert in_words(found(table, 9, 7).replay) == "AMB-L1"


def test_penalty_points_said_to_enter_the_score_count() -> None:
    for enters, expected in ((None, "AMB-N5"), (True, "match_won one"), (False, "continue 7")):
        table = Table(7, rule_set=BIBA).score_is(6, 6)
        table.record(penalty.PenaltyAssessed(seat=TWO, points=1, enters_score=enters))
        assert in_words(found(table, 9, 7).replay) == expected


def test_a_double_that_one_length_alone_allows_is_asked_about() -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(5, 4).game().turns(2), 9, 7)
    assert "wrong-length-cube" not in table.double("one").found
    table = found(Table(7, rule_set=DRAFT).score_is(6, 4).game().turns(2), 9, 7)
    assert "wrong-length-cube" in table.double("one").found


def test_nothing_is_asked_while_nobody_finds_anything() -> None:
    table = Table(7, rule_set=DRAFT).score_is(6, 4).game().cube_is(1, None).won("two", 2)
    table.game().turns(4).ended()
    assert table.state.judged.match_length.answer is None
    assert not [code for code in table.codes if code.startswith("wrong-length")]


@pytest.mark.parametrize("rule_set", [DRAFT, BIBA, FCBG])
def test_the_length_that_was_found_is_gone_by(rule_set: str) -> None:
    """Opened to 7, found to be one to 9: the record is wrong somewhere, and the match goes on."""
    table = Table(7, rule_set=rule_set).score_is(6, 6)
    table.record(match.MatchLengthErrorFound(wrong=7, correct=9, during_game=False))
    (finding,) = [one for one in table.findings if one.code == "length-differs"]
    assert "is found to be 9 points, and on record it is 7" in finding.message
    assert in_words(table.replay) == "continue 9"
    table.game().turns(2).double("one")
    assert table.found == []
    table.take("two").won("two", 2)
    assert (table.score, table.state.score.winner) == ((6, 8), None)
    assert table.game().state.score.is_crawford_game
    phase = table.state.judged.cube_acts.phase
    assert phase is not None
    assert phase.outcome == "crawford"


@pytest.mark.parametrize(
    ("rule_set", "open_again"),
    [(DRAFT, "complete_game"), (BIBA, "continue 5"), (FCBG, "continue 5")],
)
def test_a_last_game_that_goes_on_after_the_discovery_is_not_in_its_score(
    rule_set: str, open_again: str
) -> None:
    table = (
        Table(5, rule_set=rule_set, score=(4, 3)).scene("last two").turn("one", 31, "6/off 1/off")
    )
    made = table.last
    found(table, 7, 5)
    assert in_words(table.replay) == "match_won one"
    table.record(
        play.PlayCorrected(target=made, moves=parse("6/3 1/off").moves), basis=Basis.AGREED
    )
    assert (table.score, in_words(table.replay)) == ((4, 3), open_again)
    assert table.state.judged.outcome.winner is None
    table.turn("two", 65, "6/off 5/off").turn("one", 31, "3/off")
    assert (table.score, in_words(table.replay)) == ((5, 3), "match_won one")


def test_a_game_that_is_ruled_to_count_less_after_the_discovery_counts_so_in_its_score() -> None:
    table = Table(7, rule_set=FCBG, score=(6, 5)).game().turns(1).double("two").take("one")
    table.win(winner="two")
    found(table, 9, 7)
    assert in_words(table.replay) == "match_won two"
    ruled_on(table, "cube.answered-double", "undone")
    assert (table.score, in_words(table.replay)) == ((6, 6), "continue 7")
    assert table.state.judged.outcome.winner is None
    table.game().won("one", 1)
    assert table.state.judged.outcome.winner is ONE


def test_games_that_were_played_on_after_the_discovery_stay_out_of_a_score_that_is_corrected() -> (
    None
):
    table = Table(7, rule_set=FCBG, score=(6, 5)).game().turns(1).double("two").take("one")
    table.win(winner="two")
    found(table, 9, 7)
    table.game().won("one", 2)
    ruled_on(table, "cube.answered-double", "undone")
    assert table.state.judged.match_length.score == BySeat(6, 6)
    assert table.score == (8, 6)


def test_a_length_that_one_side_alone_claims_is_found_and_not_gone_by() -> None:
    table = Table(7, rule_set=DRAFT).score_is(6, 5)
    error = match.MatchLengthErrorFound(wrong=7, correct=9, during_game=False)
    table.record(error, basis=Basis.CLAIMED_BY_ONE)
    assert "length-differs" in table.found
    assert table.state.score.length == 7


def test_a_length_found_as_it_was_opened_differs_from_nothing() -> None:
    table = found(Table(7, rule_set=DRAFT).score_is(6, 5), 9, 7)
    assert "length-differs" not in table.codes


LENGTHS = st.integers(1, 25)


@settings(max_examples=100, deadline=None)
@given(LENGTHS, LENGTHS, st.integers(0, 30), st.integers(0, 30), st.sampled_from(sorted(SHELF)))
def test_seats_have_no_privileges(
    correct: int, wrong: int, one: int, two: int, rule_set: str
) -> None:
    """Seats do not matter: the mirrored score gives the mirrored answer."""
    here, there = (
        found(
            Table(correct, rule_set=rule_set).score_is(*score), wrong, correct
        ).state.judged.match_length.answer
        for score in ((one, two), (two, one))
    )
    assert here is not None
    assert there is not None
    assert (here.outcome, here.ambiguity, here.reason) == (
        there.outcome,
        there.ambiguity,
        there.reason,
    )
    if "winner" in here.details:
        assert here.details["winner"] is there.details["winner"].other
