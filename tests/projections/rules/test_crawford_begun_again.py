"""The Crawford game that is begun again is that one game still, by facts and by rule set."""

from __future__ import annotations

import pytest
from rulings import ruled, ruled_anew
from table import Table

from events.payloads import dispute, match, penalty
from events.payloads.play import StatedCube
from events.values import TWO
from projections.facts.games import CrawfordPhase

BIBA, CLUB = "biba-2014", "fcbg-club"
TEXTS = ["usbgf-2017-07", BIBA, "fcbg-tournament"]


def phases(table: Table) -> tuple[str, str]:
    """The phase as it is judged, and as the score's fold computes it."""
    judged = table.state.judged.cube_acts.phase
    assert judged is not None
    return judged.outcome, table.state.score.phase.value


def begun(rule_set: str, score: tuple[int, int] = (6, 3)) -> Table:
    return Table(7, rule_set=rule_set, score=score).game()


@pytest.mark.parametrize("rule_set", TEXTS)
@pytest.mark.parametrize("score", [(6, 3), (3, 6)])
def test_a_crawford_game_without_an_end_is_begun_again(
    rule_set: str, score: tuple[int, int]
) -> None:
    table = begun(rule_set, score).turns(3).game()
    assert phases(table) == ("crawford", "crawford")
    table.turns(1).double("two")
    assert "cube-in-crawford-game" in table.found


@pytest.mark.parametrize("rule_set", TEXTS)
def test_a_crawford_game_whose_end_is_retracted_is_still_to_come(rule_set: str) -> None:
    table = begun(rule_set).won("two", 1)
    end = table.last
    assert phases(table.game()) == ("post_crawford", "after")
    assert phases(table.retract(end)) == ("crawford", "crawford")


def test_a_crawford_game_that_is_ruled_to_be_played_again_is_one() -> None:
    table = begun(BIBA).turns(1).double("two")
    doubled = table.last
    table.take("one").record(dispute.DirectorCalled(about=doubled))
    ruled(table, "cube.found-resume", "start_of_game")
    assert phases(table.game()) == ("crawford", "crawford")
    table.win(winner="two").game()
    assert phases(table) == ("post_crawford", "after")


def test_where_no_text_binds_a_double_in_the_game_begun_again_is_asked_about() -> None:
    table = begun(CLUB).turns(1).game().turns(1).double("two")
    answer = table.state.judged.cube_acts.answer
    assert answer is not None
    assert (answer.ambiguity, answer.is_open) == ("AMB-F3", True)


@pytest.mark.parametrize("rule_set", TEXTS)
@pytest.mark.parametrize("is_between", [False, True])
def test_a_crawford_game_that_a_ruling_holds_to_be_still_to_come_is_one(
    rule_set: str, is_between: bool
) -> None:
    opened = Table(7, rule_set=rule_set, score=(6, 3), crawford_played=True)
    played = begun(rule_set).won("two", 1)
    for table in (opened, played):
        if not is_between:
            table.game()
            assert phases(table) == ("post_crawford", "after")
        table.carry_out(crawford_played=False)
        if is_between:
            table.game()
        assert phases(table) == ("crawford", "crawford")
        table.won("two", 1).game()
        assert phases(table) == ("post_crawford", "after")


@pytest.mark.parametrize("rule_set", TEXTS)
@pytest.mark.parametrize("is_begun", [False, True])
def test_a_crawford_game_that_a_wrong_length_had_played_with_the_cube_may_be_ruled_to_come(
    rule_set: str, is_begun: bool
) -> None:
    table = begun(rule_set, (6, 2)).cube_is(2, "one").won("two", 1)
    table.record(match.MatchLengthErrorFound(correct=7, wrong=9, during_game=False))
    if is_begun:
        table.game()
    ruled(table, "match-length.crawford", "again")
    if not is_begun:
        table.game()
    assert phases(table) == ("crawford", "crawford")
    table.won("two", 1).game()
    assert phases(table) == ("post_crawford", "after")


def test_a_ruling_that_sets_no_score_asks_nothing_anew_about_the_game_in_progress() -> None:
    table = begun(CLUB)
    assert table.found == ["crawford-open"]
    lies = StatedCube(value=1)
    assert table.carry_out(cube=lies).found == []
    assert len(table.replay.open_questions) == 1


def test_a_crawford_rule_that_is_adopted_and_then_not_leaves_no_crawford_game() -> None:
    table = ruled(begun(CLUB), "crawford.phase", "adopted").turns(2)
    assert table.state.score.is_crawford_game
    ruled_anew(table, "crawford.phase", "does_not_bind")
    assert table.state.score.phase is CrawfordPhase.NONE
    assert table.double("one").take("two").state.cube.owner is TWO


def test_a_game_that_is_ruled_to_be_no_crawford_game_after_all_leaves_it_to_come() -> None:
    """Whether a penalty point brings a player a point away was ruled otherwise on appeal."""
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 4))
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1)).game()
    ruled(table, "crawford.phase", "crawford").turns(2).won("one", 1)
    ruled_anew(table, "crawford.phase", "pre_crawford").game()
    assert table.state.score.is_crawford_game
