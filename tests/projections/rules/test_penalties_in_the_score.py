"""Penalty points that enter the score, held against cube and match: they are points like others."""

from __future__ import annotations

from typing import Any

import pytest
from table import Table

from events.payloads import attendance, cube, dispute, match, penalty
from events.values import ONE, TWO, BySeat, Seat
from projections.rules.answers import Answer

DRAFTS = ["usbgf-2017-07", "usbgf-2017-09"]
BIBA, FCBG = "biba-2014", "fcbg-tournament"


def assessed(table: Table, seat: Seat = TWO, *, enters: bool | None = True) -> Table:
    return table.record(penalty.PenaltyAssessed(seat=seat, points=1, enters_score=enters))


def after_crawford(rule_set: str, *, mirrored: bool = False, enters: bool | None = True) -> Table:
    """Six to three of seven, one of the six by a penalty; the game has begun."""
    score, against = ((3, 5), ONE) if mirrored else ((5, 3), TWO)
    table = Table(7, rule_set=rule_set, score=score, crawford_played=True)
    winner = "two" if mirrored else "one"
    return assessed(table, against, enters=enters).game().turns(2, winner=winner)


def answer(table: Table) -> Answer:
    kept: Any = table.state.judged.cube_acts.answer
    assert kept is not None
    return kept  # type: ignore[no-any-return]


@pytest.mark.parametrize("rule_set", DRAFTS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_penalty_point_makes_the_cube_as_dead_as_any_other(rule_set: str, mirrored: bool) -> None:
    table = after_crawford(rule_set, mirrored=mirrored)
    table.double("two" if mirrored else "one")
    assert table.found == ["cube-dead", "cube-void"]
    assert (answer(table).outcome, answer(table).section) == ("void", "[4.4.9]")
    assert table.state.cube.offered_by is None


@pytest.mark.parametrize("rule_set", DRAFTS)
def test_a_waived_or_retracted_point_and_one_kept_out_make_no_cube_dead(rule_set: str) -> None:
    kept_out = after_crawford(rule_set, enters=False).double("one")
    waived = after_crawford(rule_set)
    at = waived.events[1].entry_id
    waived.record(penalty.PenaltyWaived(target=at)).double("one")
    retracted = after_crawford(rule_set).double("one").retract(at)
    for table in (kept_out, waived, retracted):
        assert "cube-dead" not in table.codes
        assert answer(table).outcome == "allowed"


def test_points_of_which_nobody_has_said_that_they_enter_leave_the_cube_alive() -> None:
    table = after_crawford("usbgf-2017-07", enters=None).double("one")
    assert table.found == []


def test_at_biba_no_match_ends_on_a_drop_though_a_penalty_brings_the_last_point() -> None:
    table = after_crawford(BIBA).double("one").drop("two")
    assert table.found == ["drop-ends-no-match", "cube-act-open"]
    assert (answer(table).outcome, answer(table).section) == ("match_continues", "4.10")
    assert (table.state.flow.in_game, table.state.cube.value) == (True, 2)
    assert table.state.judged.outcome.winner is None


def test_a_drop_that_wins_by_a_penalty_point_is_flagged_like_any_of_a_dead_cube() -> None:
    table = after_crawford(FCBG).double("one").drop("two")
    assert (answer(table).outcome, answer(table).flag) == ("match_won", "AMB-C7")
    assert answer(table).details["score_after"] == {"one": 7, "two": 3}


@pytest.mark.parametrize("rule_set", DRAFTS)
def test_a_hand_on_a_cube_that_a_penalty_makes_dead_binds_nobody(rule_set: str) -> None:
    touch = cube.CubeGestured(seat=ONE, kind=cube.GestureKind.TOUCH)
    table = after_crawford(rule_set).record(touch)
    assert (answer(table).outcome, answer(table).section) == ("not_bound", "[4.4.9]")


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", BIBA, FCBG])
def test_a_game_that_wins_the_match_by_a_penalty_point_is_its_last(rule_set: str) -> None:
    table = assessed(Table(7, rule_set=rule_set, score=(5, 3), crawford_played=True)).win()
    judged = table.state.judged
    assert judged.endings.match is not None
    assert judged.endings.match.outcome == "match_won"
    assert judged.endings.match.details["score_after"] == {"one": 7, "two": 3}
    assert judged.outcome.winner is ONE


def test_a_score_that_is_corrected_has_the_penalty_points_in_it() -> None:
    table = assessed(Table(7, rule_set=BIBA, score=(5, 5))).game().turns(1).double("two")
    doubled = table.last
    table.take("one").win().ended().record(dispute.DirectorCalled(about=doubled))
    assert answer(table).details["score"] == {"one": 7, "two": 5}
    assert answer(table).details["match"] == "won"
    [said] = [str(each.message) for each in table.findings if each.code == "cube-violation-found"]
    assert "the match goes on" not in said
    assert table.state.match_score == BySeat(7, 5)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", BIBA, FCBG])
def test_penalty_points_that_bring_both_to_match_point_make_the_crawford_game(
    rule_set: str,
) -> None:
    won = assessed(Table(7, rule_set=rule_set, score=(5, 5)).game().won("one", 1), ONE)
    drawn = assessed(assessed(Table(7, rule_set=rule_set, score=(5, 5)), ONE), TWO)
    for table in (won, drawn):
        table.game().turns(1)
        judged, score = table.state.judged.cube_acts, table.state.score
        assert judged.phase is not None
        assert (judged.phase.outcome, score.phase.value) == ("crawford", "crawford")
        table.double("two")
        assert "cube-in-crawford-game" in table.found
        assert answer(table).outcome == ("not_allowed" if rule_set == FCBG else "void")
        played = table.win(winner="two").state.score
        assert played.crawford_played


def test_both_at_match_point_by_games_have_the_crawford_game_behind_them() -> None:
    table = assessed(Table(7, rule_set=BIBA, score=(6, 5), crawford_played=True), ONE).game()
    assert table.state.score.phase.value == "after"
    assert Table(7, rule_set=BIBA, score=(6, 6)).game().state.score.phase.value == "before"


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", BIBA, FCBG])
def test_points_that_a_stated_score_has_in_it_are_not_added_to_it_at_a_wrong_length(
    rule_set: str,
) -> None:
    table = assessed(Table(7, rule_set=rule_set)).score_is(6, 6)
    length = wrong_length(table)
    assert (length.outcome, dict(length.details)) == ("continue", {"to_points": 7})
    assert table.state.judged.outcome.winner is None


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", BIBA, FCBG])
def test_a_wrong_length_is_told_at_the_score_that_has_the_points_in_it(rule_set: str) -> None:
    table = assessed(Table(7, rule_set=rule_set, score=(5, 3)))
    table.game().cube_is(2, "one").won("two", 1)
    length = wrong_length(table)
    [told] = [str(one.message) for one in table.findings if one.code == "wrong-length"]
    assert "at 6-4: the match goes on to 7" in told
    # The first game with one side a point away was played with the cube, by a penalty point too.
    assert length.also["crawford_phase"].ambiguity == "AMB-L3"


def test_a_score_that_is_stated_after_a_wrong_length_was_found_is_judged_with_its_points() -> None:
    table = assessed(Table(7, rule_set="usbgf-2017-07", score=(6, 5)))
    assert wrong_length(table).details["winner"] is ONE
    table.score_is(6, 5)
    assert table.state.judged.match_length.answer.outcome == "continue"  # type: ignore[union-attr]
    assert table.state.judged.outcome.winner is None


def test_who_stopped_at_a_length_that_a_penalty_point_reached_may_have_taken_it_for_the_end() -> (
    None
):
    table = assessed(Table(9, rule_set=BIBA, score=(6, 5)))
    for seat in Seat:
        table.record(match.MatchLengthBelieved(seat=seat, length=7))
    table.record(match.MatchEnded())
    length = wrong_length(table, correct=9, wrong=7)
    assert (length.outcome, length.details["winner"]) == ("match_won", ONE)


@pytest.mark.parametrize("rule_set", DRAFTS)
@pytest.mark.parametrize("kind", ["touch", "lift", "words"])
def test_an_early_hand_on_a_cube_that_a_penalty_makes_dead_is_as_void_as_on_any_dead_one(
    rule_set: str, kind: str
) -> None:
    said = []
    for score in ((5, 3), (6, 3)):
        table = Table(7, rule_set=rule_set, score=score, crawford_played=True)
        if score == (5, 3):
            assessed(table)
        table.game().turns(1).roll("two", 42).play("two", "8/4 6/4")
        table.record(cube.CubeGestured(seat=ONE, kind=cube.GestureKind(kind)))
        said.append(table.state.judged.premature.if_early)
    assert said[0] is not None
    assert said[0].outcome == "not_bound"
    assert said[0] == said[1]


def wrong_length(table: Table, correct: int = 7, wrong: int = 9) -> Answer:
    table.record(match.MatchLengthErrorFound(correct=correct, wrong=wrong, during_game=False))
    found = table.state.judged.match_length.answer
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rule_set", "late_ms", "points", "own", "entered"),
    [
        (BIBA, 1_500_000, 5, (0, 0), (0, 3)),
        (FCBG, 2_100_000, 5, (0, 3), (0, 3)),
        ("usbgf-2017-07", 1_800_000, 5, (0, 0), (0, 3)),
    ],
)
def test_points_that_forfeit_may_enter_once_some_of_them_are_waived(
    rule_set: str, late_ms: int, points: int, own: tuple[int, int], entered: tuple[int, int]
) -> None:
    """The Director writes down what the scale makes, and lets the match be played all the same."""
    late = attendance.DelayNoted(seat=ONE, kind=attendance.DelayKind.START, excess_ms=late_ms)
    table = Table(9, rule_set=rule_set).record(late)
    assert table.state.judged.outcome.winner is TWO
    ground = penalty.PenaltyGround.LATE_START
    table.record(penalty.PenaltyAssessed(seat=ONE, points=points, ground=ground))
    table.record(penalty.PenaltyWaived(target=table.last, points=2))
    state = table.state
    assert state.judged.outcome.winner is None
    both = state.judged.penalties.both_scores(state.score.score)
    assert both == (BySeat(*own), BySeat(*entered))


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", BIBA])
def test_points_that_forfeit_no_more_are_asked_about_where_they_may_end_the_match(
    rule_set: str,
) -> None:
    """At 0-5 of 7 four points lose the match; two are waived, and two may be all that Two needs."""
    table = Table(7, rule_set=rule_set, score=(0, 5)).game()
    ground = penalty.PenaltyGround.LATE_START
    table.record(penalty.PenaltyAssessed(seat=ONE, points=4, ground=ground))
    assert table.state.judged.outcome.winner is TWO
    table.record(penalty.PenaltyWaived(target=table.last, points=2))
    assert table.state.judged.outcome.winner is None
    assert table.found == ["penalty-points", "penalty-in-score"]
    assert table.game().found.count("penalty-in-score") == 0


def test_a_question_on_the_crawford_game_tells_the_score_that_makes_it_one() -> None:
    """At 0-2 nobody would ask: two points that may enter it are what makes it match point."""
    table = Table(5, rule_set=BIBA, score=(0, 2))
    table.record(penalty.PenaltyAssessed(seat=ONE, points=2)).game()
    (asked,) = [one for one in table.findings if one.code == "crawford-open"]
    assert asked.message == (
        "a game begins at 0-2, or at 0-4 if the penalty points enter the score; whether it is the "
        "Crawford game, without the cube, is for the Director to decide"
    )
