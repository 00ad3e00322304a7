"""The score: how games end, what they are worth, Crawford, claims compared, rulings."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from events.envelope import Basis
from events.payloads import dispute, match, penalty, play
from events.values import BySeat, Seat
from projections.facts.flow_state import Await
from projections.facts.games import CrawfordPhase, EndedBy
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table, scene_of

ONE, TWO = Seat.ONE, Seat.TWO


def _phases(table: Table) -> list[str]:
    steps = table.replay.steps
    return [
        step.after.score.phase.value
        for step in steps
        if isinstance(step.event.payload, match.GameStarted)
    ]


# The board.


@pytest.mark.parametrize("winner", ["one", "two"])
@pytest.mark.parametrize(("level", "points"), [("single", 1), ("gammon", 2), ("backgammon", 3)])
def test_a_game_won_on_the_board_is_worth_its_level(level: str, points: int, winner: str) -> None:
    table = Table().win(level, winner)
    assert table.score == ((points, 0) if winner == "one" else (0, points))
    (game,) = table.state.score.games
    assert (game.kind, game.ended_by, game.number) == (level, EndedBy.BOARD, 1)
    assert table.codes == []


def test_a_backgammon_is_a_man_in_the_winners_home_or_on_the_bar() -> None:
    for man in ("24:1", "19:1", "bar:1"):
        table = Table().game().stated("off:14 2:1", f"5:5 6:6 8:3 {man}", on_roll=ONE)
        assert table.turn("one", 65, "2/off").score == (3, 0), man
    table = Table().game().stated("off:14 2:1", "5:5 6:6 8:3 18:1", on_roll=ONE)
    assert table.turn("one", 65, "2/off").score == (2, 0)


@pytest.mark.parametrize(("level", "points"), [("single", 4), ("gammon", 8), ("backgammon", 12)])
def test_the_cube_multiplies_the_level_uncapped(level: str, points: int) -> None:
    table = Table(7).game().cube_is(4, "two").scene(level).turn("one", 65, "2/off")
    assert table.score == (points, 0)


@pytest.mark.parametrize(("is_turned", "points"), [(False, 1), (True, 6)])
def test_under_jacoby_a_backgammon_counts_only_with_a_turned_cube(
    is_turned: bool, points: int
) -> None:
    table = Table(None, jacoby="on").game().turns(2)
    if is_turned:
        table.double("one").take("two")
    assert table.scene("backgammon").turn("one", 65, "2/off").score == (points, 0)


@pytest.mark.parametrize(("owner", "points"), [(None, 4), ("two", 12), ("one", 12)])
def test_under_jacoby_a_cube_that_is_stated_in_the_middle_was_turned_by_no_double(
    owner: str | None, points: int
) -> None:
    table = Table(None, jacoby="on").game().cube_is(4, owner).turns(2)
    assert table.scene("backgammon").turn("one", 65, "2/off").score == (points, 0)


def test_without_jacoby_money_gammons_count() -> None:
    assert Table(None).win("gammon").score == (2, 0)


def test_jacoby_is_nothing_in_a_match() -> None:
    assert Table(7, jacoby="on").win("gammon").score == (2, 0)


def test_a_player_with_fewer_checkers_wins_when_none_is_left() -> None:
    table = Table().game().stated("off:13 2:1", "5:4 6:5 8:3 13:2", on_roll=ONE)
    assert table.turn("one", 65, "2/off").score == (2, 0)


def test_nobody_wins_by_having_no_checkers_at_all() -> None:
    table = Table().game().stated("2:1", "6:15", on_roll=TWO).turn("two", 11, "6/5(4)")
    assert table.score == (0, 0)


def test_money_games_add_up_for_ever() -> None:
    table = Table(None).win("gammon").win("single", "two").win("gammon")
    assert table.score == (4, 1)
    assert table.state.score.winner is None


def test_the_match_is_won_at_its_length() -> None:
    table = Table(3).win("gammon")
    assert table.state.score.winner is None
    assert table.state.score.away(ONE) == 1
    assert table.win().state.score.winner is ONE


# Resignations.


@pytest.mark.parametrize(("level", "points"), [("single", 2), ("gammon", 4), ("backgammon", 6)])
def test_an_accepted_resignation_loses_cube_times_level(level: str, points: int) -> None:
    table = Table().game().turns(2).double("one").take("two").resign("two", level)
    assert (table.state.flow.to_act, table.state.flow.awaits) == (ONE, Await.RESIGNATION)
    table.accept("one")
    assert table.score == (points, 0)
    assert table.state.flow.awaits is Await.GAME
    assert table.codes == []


@pytest.mark.parametrize("is_rolled", [False, True])
def test_after_a_refused_resignation_play_goes_on(is_rolled: bool) -> None:
    table = Table().game().turns(2)
    if is_rolled:
        table.roll("one", 61)
    before = table.state
    table.resign("one").refuse("two")
    assert replace(table.state, judged=before.judged) == before
    assert table.codes == []


def test_a_resignation_refused_while_a_double_waits_leaves_the_double() -> None:
    table = Table().game().turns(2).double("one")
    before = table.state
    after = table.resign("two").refuse("one").state
    assert replace(after, judged=before.judged) == before


@pytest.mark.parametrize("verb", ["accept", "refuse"])
@pytest.mark.parametrize("is_offered", [False, True])
def test_an_answer_to_no_resignation_is_found(verb: str, is_offered: bool) -> None:
    table = Table().game().turns(2)
    if is_offered:
        table.resign("one")
    before = table.state
    getattr(table, verb)("one")
    assert table.found == ["answer-without-offer"]
    assert table.state == before


def test_a_resignation_without_a_level_is_ended_by_the_claim() -> None:
    table = Table().game().turns(2).resign("one", None).accept("two")
    assert (table.score, table.state.flow.awaits) == ((0, 0), Await.CLAIM)
    table.won("two", 2)
    assert table.found == ["ended-by-claim"]
    assert table.score == (0, 2)


# Claims.


def test_a_claim_equal_to_what_was_computed_is_silent() -> None:
    assert Table().win("gammon").won("one", 2).codes == []


@pytest.mark.parametrize(
    ("length", "score", "claimed", "code"),
    [
        (7, (5, 0), 2, "claim-capped"),  # the points needed
        (3, (1, 0), 3, "claim-capped"),  # the match length
        (7, (5, 0), 3, "claim-differs"),
        (7, (0, 0), 2, "claim-differs"),
        (None, (0, 0), 2, "claim-differs"),
        (7, (5, 0), 8, "claim-differs"),
    ],
)
def test_a_claim_below_what_was_computed_may_be_capped(
    length: int | None, score: tuple[int, int], claimed: int, code: str
) -> None:
    table = Table(length, score=score).game().cube_is(2, None).scene("gammon")
    table.turn("one", 65, "2/off").won("one", claimed)
    assert table.found == [code]
    assert table.score == (score[0] + 4, 0)


def test_a_claim_for_the_other_player_differs() -> None:
    table = Table().win().won("two", 1)
    assert table.found == ["claim-differs"]
    assert table.score == (1, 0)


def test_a_claim_ends_a_game_that_nothing_else_ended() -> None:
    table = Table().game().turns(2).won("two", 3)
    assert table.found == ["ended-by-claim"]
    assert table.score == (0, 3)
    assert table.state.score.games[-1].ended_by is EndedBy.CLAIM
    assert table.state.flow.awaits is Await.GAME


def test_a_claim_before_any_game_is_found() -> None:
    assert Table().won("one", 1).found == ["outside-game"]


def test_a_game_that_nobody_saw_is_won_by_its_claim() -> None:
    unseen = play.PlayUnseen(spans=play.UnseenSpan.GAMES)
    table = Table().win().record(unseen).won("two", 2)
    assert table.score == (1, 2)
    assert table.won("two", 2).found == []


def test_a_score_noted_equal_to_the_sum_is_silent() -> None:
    assert Table().win().noted(1, 0, "one").noted(1, 0).codes == []


def test_a_score_noted_otherwise_is_found_with_its_keeper() -> None:
    (finding,) = Table().win().noted(2, 0, "two").findings
    assert (finding.code, finding.seat) == ("score-differs", TWO)
    assert "player two has noted 2-0; the games make it 1-0" in finding.message


def test_a_score_noted_with_the_cap_is_silent() -> None:
    table = Table(3).win("gammon").win("gammon").noted(3, 0)
    assert table.score == (4, 0)
    assert table.codes == []


def test_no_score_is_compared_after_games_that_nobody_saw() -> None:
    unseen = play.PlayUnseen(spans=play.UnseenSpan.GAMES)
    table = Table().game().record(unseen).noted(3, 2).ended("one", (7, 3))
    assert table.codes == []
    table.score_is(5, 5).noted(3, 2)
    assert table.found == ["score-differs"]


# Scores stated.


def test_a_score_that_is_stated_again_is_held_against_what_was_stated_before() -> None:
    """No game need have made it: a result without a tablet is posted, and corrected."""
    table = Table(3).score_is(3, 1).score_is(1, 3)
    first, second = (one.message for one in table.replay.findings)
    assert first == "the score is stated as 3-1; the games make it 0-0"
    assert second == "the score is stated as 1-3; before that it was 3-1"


@pytest.mark.parametrize("basis", ["agreed", "ruled", "imported"])
def test_an_agreed_score_is_taken_over(basis: str) -> None:
    table = Table().win().score_is(4, 3, basis)
    assert table.found == ["score-restated"]
    assert table.score == (4, 3)
    assert table.win().score == (5, 3)


def test_an_agreed_score_equal_to_the_sum_is_silent() -> None:
    assert Table().win().score_is(1, 0).codes == []


@pytest.mark.parametrize("basis", ["observed", "claimed_by_two"])
def test_a_score_that_one_side_states_is_only_compared(basis: str) -> None:
    table = Table().win().score_is(4, 3, basis)
    assert table.found == ["score-differs"]
    assert table.score == (1, 0)


# Crawford.


@pytest.mark.parametrize(
    ("length", "scores", "phases"),
    [  # golden cases C43, C45, C46, C47, C48
        (7, [(2, 0), (6, 0), (6, 2), (6, 4), (6, 6)], "before before crawford after after after"),
        (5, [(0, 4), (2, 4), (4, 4)], "before crawford after after"),
        (7, [(0, 4), (1, 4), (5, 4), (5, 5), (6, 5), (6, 6)], "before " * 5 + "crawford after"),
        (7, [(1, 0), (1, 2), (5, 2)], "before before before before"),
        (3, [(1, 0), (1, 1), (2, 1), (2, 2)], "before before before crawford after"),
    ],
)
def test_the_crawford_game_is_the_first_with_one_side_a_point_away(
    length: int, scores: list[tuple[int, int]], phases: str
) -> None:
    table = Table(length).game()
    one, two = 0, 0
    for new_one, new_two in scores:
        gained = (new_one - one, new_two - two)
        table.won("one" if gained[0] else "two", sum(gained)).game()
        one, two = new_one, new_two
    assert _phases(table) == phases.split()


def test_the_game_of_a_one_point_match_is_its_crawford_game() -> None:
    assert _phases(Table(1).game()) == ["crawford"]


def test_both_a_point_away_is_no_crawford_game() -> None:
    assert _phases(Table(7, score=(6, 6)).game()) == ["before"]


def test_a_record_that_begins_a_point_away_begins_with_the_crawford_game() -> None:
    assert _phases(Table(7, score=(6, 3)).game().won("two", 1).game()) == ["crawford", "after"]


def test_a_record_may_say_that_the_crawford_game_is_over() -> None:
    assert _phases(Table(7, score=(6, 3), crawford_played=True).game()) == ["after"]


def test_crawford_can_be_off() -> None:
    assert _phases(Table(7, score=(6, 3), crawford="off").game()) == ["none"]


def test_there_is_no_crawford_game_for_money() -> None:
    assert _phases(Table(None, score=(6, 3)).game()) == ["none"]


def test_the_common_rules_have_no_crawford_game_unless_it_is_agreed() -> None:
    assert _phases(Table(7, rule_set="common", score=(6, 3)).game()) == ["none"]
    table = Table(7, rule_set="common", score=(6, 3), crawford="on").game()
    assert _phases(table) == ["crawford"]


def test_a_stated_score_decides_about_the_crawford_game() -> None:
    assert _phases(Table(7).score_is(6, 3).game()) == ["crawford"]
    assert _phases(Table(7).score_is(6, 3, crawford_played=True).game()) == ["after"]


def test_a_score_stated_before_the_first_roll_is_the_games_own() -> None:
    table = Table(7).game().score_is(6, 3)
    assert table.state.score.phase is CrawfordPhase.CRAWFORD
    assert table.opening(3, 1).score_is(6, 3).state.score.phase is CrawfordPhase.CRAWFORD


@pytest.mark.parametrize(
    ("before", "stated", "phase", "then"),
    [
        ((6, 3), (0, 0), "before", "before"),
        ((5, 3), (6, 3), "crawford", "after"),
        ((5, 3), (5, 3), "before", "before"),
        ((6, 3), (6, 3), "crawford", "after"),
    ],
)
def test_a_game_whose_score_is_set_right_is_in_the_phase_of_that_score(
    before: tuple[int, int], stated: tuple[int, int], phase: str, then: str
) -> None:
    """Rules, C-11: the first game after either is exactly one point away, and only that one."""
    table = Table(7, score=before).game().opening(3, 1).score_is(*stated)
    assert table.state.score.phase == phase
    assert table.won("two", 1).game().state.score.phase == then


def test_points_that_enter_in_mid_game_do_not_make_it_the_crawford_game() -> None:
    table = entering(Table(7, rule_set="usbgf-2017-07", score=(5, 3)).game().turns(2), 1, TWO)
    assert table.state.match_score == BySeat(6, 3)
    phase = table.state.score.phase
    assert table.score_is(6, 3).state.score.phase is phase is CrawfordPhase.BEFORE


def test_who_is_restated_two_points_away_has_played_no_crawford_game() -> None:
    table = Table(7, score=(6, 3)).game().won("two", 1).score_is(5, 4).game().won("one", 1).game()
    assert _phases(table) == ["crawford", "before", "crawford"]


# The end of the match.


@pytest.mark.parametrize(
    ("winner", "score", "codes"),
    [
        ("one", (8, 0), []),
        ("one", (7, 0), []),  # capped
        (None, None, []),
        ("two", None, ["result-differs"]),
        ("one", (7, 1), ["result-differs"]),
        ("two", (0, 7), ["result-differs"]),
    ],
)
def test_the_end_as_claimed_is_compared(
    winner: str | None, score: tuple[int, int] | None, codes: list[str]
) -> None:
    table = Table(7).game().cube_is(4, None).scene("gammon").turn("one", 65, "2/off")
    assert table.ended(winner, score).found == codes
    assert table.state.score.has_ended


def test_an_end_claimed_before_the_length_is_reached_differs() -> None:
    assert Table(7).win().ended("one", (1, 0)).found == ["result-differs"]


def test_a_match_that_was_taken_for_over_and_goes_on_is_over_no_more() -> None:
    table = Table(5).score_is(4, 2).win(winner="two").ended("two", (4, 3))
    assert table.state.score.has_ended
    assert not table.game().state.score.has_ended
    table = Table(5).score_is(4, 2).win(winner="two").ended("two", (4, 3))
    assert not table.record(match.DecidingGameOrdered()).state.score.has_ended


def test_a_match_whose_last_game_goes_on_is_over_no_more() -> None:
    """Whether its last play is corrected, or a ruling says who is on roll in it."""
    corrected = Table(1).game().scene("last two").roll("one", 31).play("one", "6/off 1/off")
    play_made = corrected.last
    corrected.ended("one", (1, 0)).correct(play_made, "6/3 1/off")
    disqualified = Table(7).game().turns(2).record(penalty.PlayerDisqualified(seat=ONE))
    disqualified.ended("two").carry_out(on_roll=ONE)
    for table in (corrected, disqualified):
        assert table.state.flow.in_game
        assert not table.state.score.has_ended


def test_a_match_that_was_won_stays_over_when_another_game_is_played() -> None:
    table = Table(1).win().ended("one", (1, 0)).game()
    assert table.codes == ["game-after-match"]
    assert table.state.score.has_ended


def test_the_leader_of_a_money_session_is_no_winner_to_compare() -> None:
    assert Table(None).win().ended("one", (1, 0)).codes == []


@pytest.mark.parametrize("kind", [penalty.ForfeitDeclared, penalty.PlayerDisqualified])
def test_who_forfeits_gives_the_match_to_the_other(kind: type[penalty.ForfeitDeclared]) -> None:
    table = Table(7).game().turns(2).record(kind(seat=ONE))
    assert (table.state.score.winner, table.score) == (TWO, (0, 0))
    assert table.ended("two").codes == []


def test_a_game_after_a_forfeit_that_a_ruling_takes_back_goes_on() -> None:
    table = Table(7).game().turns(2).record(penalty.ForfeitDeclared(seat=ONE))
    table.carry_out(checkers=scene_of("race"), on_roll=ONE)
    assert (table.state.score.winner, table.state.flow.in_game) == (None, True)


# Rulings and corrections.


def test_a_ruling_gives_the_game_and_sets_the_score() -> None:
    table = Table().game().turns(2).carry_out(game_over=TWO, score=BySeat(0, 2))
    assert table.score == (0, 2)
    (game,) = table.state.score.games
    assert (game.winner, game.points, game.ended_by) == (TWO, 2, EndedBy.RULING)
    assert table.state.flow.awaits is Await.GAME
    assert table.codes == []


def test_a_ruling_sets_the_score_between_games() -> None:
    table = Table(3).win("gammon").carry_out(score=BySeat(3, 0))
    assert table.state.score.winner is ONE
    assert table.state.flow.awaits is Await.NOTHING


def test_a_ruling_can_order_the_crawford_game_again() -> None:
    table = Table(7, score=(6, 3)).game().won("two", 1).carry_out(crawford_played=False).game()
    assert _phases(table) == ["crawford", "crawford"]


def test_a_ruling_that_sets_up_the_board_again_resumes_the_last_game() -> None:
    table = Table(7).win().carry_out(checkers=scene_of("single"), on_roll=ONE, score=BySeat(0, 0))
    assert (table.state.score.games, table.state.score.game_number) == ((), 1)
    table.turn("one", 65, "2/off")
    assert table.score == (1, 0)
    assert [game.number for game in table.state.score.games] == [1]


def test_a_corrected_play_opens_the_game_that_it_had_ended() -> None:
    # Both men off with 31 is illegal; played right, one man stays.
    table = Table().scene("last two").turn("one", 31, "6/off 1/off")
    assert table.score == (1, 0)
    table.correct(table.last, "6/3 1/off")
    assert table.score == (0, 0)
    assert (table.state.flow.in_game, table.state.flow.on_roll) == (True, TWO)
    assert table.board() == {0: 14, 3: 1}


def test_a_play_revised_to_the_last_man_ends_the_game() -> None:
    table = Table().scene("single").turn("one", 65)
    table.revise("one", table.last, "2/off")
    assert table.score == (1, 0)
    assert table.state.flow.awaits is Await.GAME


def test_a_game_that_is_revised_open_and_ended_again_counts_once() -> None:
    table = Table().scene("single").roll("one", 65)
    made = table.play("one", "2/off").last
    table.revise("one", made)
    assert (table.score, table.state.flow.turn_open) == ((0, 0), ONE)
    table.revise("one", made, "2/off")
    assert table.score == (1, 0)
    assert len(table.state.score.games) == 1


def test_a_crawford_game_opened_again_is_still_the_crawford_game() -> None:
    table = Table(7, score=(6, 3)).scene("last two", "two").turn("two", 31, "6/off 1/off")
    assert table.state.score.crawford_played
    table.correct(table.last, "6/3 1/off")
    assert not table.state.score.crawford_played
    assert table.state.score.is_crawford_game


def test_a_play_of_a_game_given_away_opens_nothing() -> None:
    table = Table(7).game().turns(2)
    made = table.last
    table.record(penalty.ForfeitDeclared(seat=ONE)).revise("two", made, "24/20 24/22")
    assert table.state.score.winner is TWO
    assert not table.state.flow.in_game


def entering(table: Table, points: int, seat: Seat = ONE) -> Table:
    """Penalty points against a seat, of which the entry says that they enter the score."""
    return table.record(penalty.PenaltyAssessed(seat=seat, points=points, enters_score=True))


@in_bunches("rule_set", SHELF)
def test_the_score_as_it_stands_has_penalty_points_in_it(rule_set: str) -> None:
    table = entering(Table(7, rule_set=rule_set).game().won("one", 2), 1)
    assert table.state.score.score == BySeat(2, 0)
    assert table.state.match_score == BySeat(2, 1)
    at = table.last
    assert table.record(penalty.PenaltyWaived(target=at)).state.match_score == BySeat(2, 0)


def test_a_player_who_notes_the_points_that_entered_agrees() -> None:
    table = entering(Table(7, rule_set="usbgf-2017-07").game().won("one", 2), 1)
    for score, codes in (((2, 1), []), ((2, 0), ["score-differs"])):
        noted = match.ScoreNoted(score=BySeat(*score), keeper=TWO)
        assert table.record(noted, basis=Basis.CLAIMED_BY_TWO).found == codes


@pytest.mark.parametrize("how", ["score.stated", "ruling.carried_out"])
def test_a_stated_score_has_the_points_in_it_that_entered_before(how: str) -> None:
    table = entering(Table(7, rule_set="usbgf-2017-07").game().won("one", 2), 1)
    at = table.last
    if how == "score.stated":
        table.record(match.ScoreStated(score=BySeat(2, 1)), basis=Basis.AGREED)
    else:
        table.record(dispute.RulingCarriedOut(score=BySeat(2, 1)), basis=Basis.RULED)
    assert table.state.match_score == BySeat(2, 1)
    assert "score-restated" not in table.found
    assert entering(table, 2).state.match_score == BySeat(2, 3)
    assert table.record(penalty.PenaltyWaived(target=at)).state.match_score == BySeat(2, 2)


def test_a_game_given_by_ruling_counts_what_the_stated_score_adds() -> None:
    table = entering(Table(7, rule_set="usbgf-2017-07").game().turns(2), 1, TWO)
    ruling = dispute.RulingCarriedOut(score=BySeat(3, 0), game_over=ONE)
    table.record(ruling, basis=Basis.RULED)
    assert table.state.score.games[-1].points == 2
    assert table.state.match_score == BySeat(3, 0)
