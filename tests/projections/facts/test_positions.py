"""Positions: the board after every event, illegal plays kept as made, gaps, corrections."""

from __future__ import annotations

import pytest

from events.payloads import match, play
from events.values import BySeat, Seat
from projections.board.position import STARTING
from tests.projections.table import ENTRY, SCENES, Table, men, scene_of

ONE, TWO = Seat.ONE, Seat.TWO
START = {6: 5, 8: 3, 13: 5, 24: 2}


def test_there_is_no_board_before_the_first_game() -> None:
    assert Table().state.positions.board is None


def test_a_game_starts_from_the_starting_position() -> None:
    assert Table().game().state.positions.board == STARTING


def test_plays_fold_into_the_board() -> None:
    table = Table().game().turns(6)
    # 1: 8/5 6/5  2: 8/4 6/4  3: 13/7 8/7  4: 8/3 6/3  5: 13/11 6/5  6: 13/8 13/7
    assert table.board("one") == {5: 3, 6: 3, 7: 2, 8: 1, 11: 1, 13: 3, 24: 2}
    assert table.board("two") == {3: 2, 4: 2, 6: 3, 7: 1, 8: 2, 13: 3, 24: 2}
    assert table.codes == []


def test_a_hit_checker_goes_to_its_bar() -> None:
    table = Table().scene("blot").turn("one", 31, "8/5* 6/5")
    assert table.state.positions.hits == (5,)
    # Two's blot stood on the 20 point, which is one's 5 point.
    assert table.board("two") == {6: 5, 8: 3, 13: 5, 24: 1, 25: 1}
    assert table.codes == []


def test_a_star_is_not_needed_to_hit() -> None:
    assert Table().scene("blot").turn("one", 31, "8/5 6/5").board("two")[25] == 1


@pytest.mark.parametrize(
    ("scene", "roll", "text"),
    [
        ("race", 61, "6/off 1/off"),
        ("forced", 65, "bar/20"),
        ("dance", 65, ""),
        ("closed", 31, "10/7 8/7"),
        ("blot", 31, "8/5* 6/5"),
        ("single", 65, "2/off"),
        ("gammon", 65, "2/off"),
        ("backgammon", 65, "2/off"),
    ],
)
def test_the_legal_play_of_each_scene_is_found_legal(scene: str, roll: int, text: str) -> None:
    assert Table().scene(scene).turn("one", roll, text).codes == []


def test_every_scene_has_sound_boards() -> None:
    for name in SCENES:
        assert Table().scene(name).codes == [], name


def test_a_mirrored_scene_is_the_same_for_two() -> None:
    assert Table().scene("blot", "two").turn("two", 31, "8/5* 6/5").board("one")[25] == 1


# Illegal plays.


@pytest.mark.parametrize(
    ("scene", "roll", "text", "why"),
    [
        ("closed", 31, "10/7 9/7", "not what the dice show"),
        ("last two", 31, "6/off 1/off", "not what the dice show"),
        ("forced", 65, "", "more of the roll"),
        ("dance", 65, "24/18", "has to enter first"),
        ("race", 31, "6/off 1/off", "not what the dice show"),
    ],
)
def test_an_illegal_play_is_kept_exactly_and_found(
    scene: str, roll: int, text: str, why: str
) -> None:
    table = Table().scene(scene).turn("one", roll, text)
    (finding,) = table.findings
    assert (finding.code, finding.seat, finding.rule_set) == ("illegal-play", ONE, "common")
    assert why in finding.message
    moved = dict.fromkeys(range(26), 0)
    moved |= {point: count for point, count in enumerate(men(SCENES[scene][0])) if count}
    for word in text.split():
        source, target = (int(point.replace("off", "0")) for point in word.split("/"))
        moved[source] -= 1
        moved[target] += 1
    assert table.board() == {point: count for point, count in moved.items() if count}


def test_play_goes_on_from_an_illegal_play_that_stood() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4").turn("two", 42, "8/4 6/4")
    assert table.codes == ["illegal-play"]
    assert table.board() == {4: 1, 5: 1, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_checker_put_beside_two_opposing_ones_stays_and_hits_nobody() -> None:
    # Two's 6 point is one's 19 point, with five checkers.
    table = Table().game().opening(5, 1).play("one", "24/19 6/5")
    assert table.found == ["illegal-play"]
    assert table.board()[19] == 1
    assert table.board("two") == START


def test_a_checker_put_on_a_point_without_a_roll_is_found_as_such() -> None:
    table = Table().game().turns(2).play("one", "24/19")
    assert table.found == ["play-without-roll", "landed-on-point"]


def test_a_hit_that_was_not_lifted_leaves_both_there() -> None:
    table = Table().scene("blot").roll("one", 31)
    table.play("one", "8/5 6/5", hits_not_lifted=(5,))
    assert table.found == ["illegal-play"]
    assert "left where it stood" in table.findings[0].message
    assert table.board()[5] == 2
    assert table.board("two")[20] == 1


def test_a_hit_said_not_lifted_where_nobody_stood_is_no_fault() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5", hits_not_lifted=(5,))
    assert table.codes == []


def test_a_move_from_an_empty_point_makes_the_board_unknown() -> None:
    table = Table().game().opening(3, 1).play("one", "22/19 6/5")
    assert table.found == ["illegal-play", "board-unknown"]
    assert table.state.positions.board is None
    table.turn("two", 42, "8/4 6/4")
    assert table.found == []
    assert table.state.positions.board is None


@pytest.mark.parametrize("how", ["stated", "corrected", "ruled"])
def test_an_unknown_board_is_known_again_when_somebody_says_it(how: str) -> None:
    table = Table().game().opening(3, 1).play("one", "22/19 6/5")
    match how:
        case "stated":
            table.stated("6:15", "6:15", on_roll=TWO)
        case "corrected":
            table.correct(table.last, "8/5 6/5")
        case _:
            table.carry_out(checkers=BySeat(men("6:15"), men("6:15")))
    assert table.state.positions.board is not None
    assert table.state.flow.on_roll is TWO


def test_a_gap_stays_unknown_until_the_board_is_stated() -> None:
    table = Table().game().turns(2).record(play.PlayUnseen(seat=ONE)).turn("two", 53, "8/3 6/3")
    assert table.state.positions.board is None
    assert table.codes == []
    table.stated("6:15", "6:15", on_roll=ONE).turn("one", 61, "6/off 6/5")
    assert table.codes == []
    assert table.board() == {0: 1, 5: 1, 6: 13}


def test_the_next_game_is_known_after_a_gap() -> None:
    table = Table().game().turns(1).record(play.PlayUnseen()).won("one", 1).game()
    assert table.state.positions.board == STARTING


def test_a_play_without_a_roll_is_found_and_kept() -> None:
    table = Table().game().turns(2).play("one", "13/11")
    assert table.found == ["play-without-roll"]
    assert table.board()[11] == 1


def test_who_is_closed_out_may_pass_without_a_roll() -> None:
    table = Table().scene("closed").turn("one", 31, "10/7 8/7").play("two")
    assert table.codes == []
    assert table.state.flow.on_roll is ONE


def test_who_is_not_closed_out_may_not_pass_without_a_roll() -> None:
    assert Table().game().turns(1).play("two").found == ["turn-passed-without-roll"]


def test_a_play_outside_a_game_moves_no_checker() -> None:
    table = Table().win()
    board = table.state.positions.board
    assert table.play("two", "6/5").state.positions.board == board


# Plays told by their end.

AFTER_31 = BySeat(men("5:2 6:4 8:2 13:5 24:2"), men("6:5 8:3 13:5 24:2"))
UNRELATED = BySeat(men("5:2 6:4 8:2 13:4 24:2 bar:1"), men("6:5 8:3 13:5 24:2"))


def test_a_play_told_by_its_end_is_legal_if_a_legal_play_ends_there() -> None:
    table = Table().game().opening(3, 1).play("one", resulting_position=AFTER_31)
    assert table.codes == []
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_play_told_by_its_end_is_found_if_no_legal_play_ends_there() -> None:
    table = Table().game().opening(3, 1).play("one", resulting_position=UNRELATED)
    assert table.found == ["illegal-play"]
    assert table.board()[25] == 1


def test_a_play_told_by_its_end_makes_an_unknown_board_known() -> None:
    table = Table().game().turns(1).record(play.PlayUnseen(seat=TWO)).roll("one", 31)
    table.play("one", resulting_position=AFTER_31)
    assert table.codes == []
    assert table.board()[5] == 2


def test_a_play_told_by_its_end_needs_a_roll_too() -> None:
    table = Table().game().turns(2).play("one", resulting_position=AFTER_31)
    assert table.found == ["play-without-roll"]


def test_fewer_than_fifteen_checkers_are_found_and_played_with() -> None:
    table = Table().game().stated("6:15", "6:4 8:3 13:5 24:2", on_roll=TWO)
    assert table.found == ["position-fault"]
    assert "player two has fewer than fifteen checkers" in table.findings[0].message
    table.turn("two", 31, "8/5 6/5")
    assert table.codes == ["position-fault"]


# Revisions and corrections.


def test_a_revised_play_is_made_from_the_board_before_the_first_one() -> None:
    table = Table().game().opening(3, 1).play("one", "24/23 24/21")
    table.revise("one", table.last, "8/5 6/5")
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert table.state.flow.turn_open is ONE
    assert table.codes == []


@pytest.mark.parametrize("names_the_revision", [False, True])
def test_a_play_can_be_revised_again_and_again(names_the_revision: bool) -> None:
    table = Table().game().opening(3, 1)
    first = table.play("one", "24/23 24/21").last
    revision = table.revise("one", first, "13/10 6/5").last
    table.revise("one", revision if names_the_revision else first, "8/5 6/5")
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert table.codes == []


def test_a_revision_can_be_told_by_its_end() -> None:
    table = Table().game().opening(3, 1).play("one", "24/23 24/21")
    table.revise("one", table.last, resulting_position=AFTER_31)
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert table.codes == []


def test_an_illegal_revision_is_found() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5")
    assert table.revise("one", table.last, "8/5 6/4").found == ["illegal-play"]


def test_a_revision_after_a_later_play_undoes_what_came_since_and_is_found() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "24/23 24/21").last
    table.turn("two", 42, "8/4 6/4").revise("one", made, "8/5 6/5")
    assert table.found == ["revised-late"]
    assert table.board("two") == START
    assert table.state.flow.on_roll is TWO


def test_a_revision_by_the_other_player_is_found() -> None:
    table = Table().game().opening(3, 1).play("one", "24/23 24/21")
    assert table.revise("two", table.last, "8/5 6/5").found == ["out-of-turn"]
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_corrected_play_is_played_again_from_its_roll() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    table.correct(table.last, "8/5 6/5")
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert (table.state.flow.on_roll, table.state.flow.turn_open) == (TWO, None)
    assert table.codes == ["illegal-play"]


def test_a_correction_with_nothing_listed_undoes_the_roll_made_since() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.roll("two", 42).correct(made, "8/5 6/5")
    assert (table.state.flow.on_roll, table.state.flow.dice) == (TWO, None)
    table.turn("two", 53, "8/3 6/3")
    assert table.codes == ["illegal-play"]


@pytest.mark.parametrize("lists_the_roll", [False, True])
def test_a_correction_undoes_the_roll_that_it_lists(lists_the_roll: bool) -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    roll = table.roll("two", 42).last
    table.correct(made, "8/5 6/5", undoes=(made, roll) if lists_the_roll else (made,))
    assert table.state.flow.dice == (None if lists_the_roll else (4, 2))


def test_an_older_play_can_be_corrected_with_all_that_followed() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.turn("two", 42, "8/4 6/4").roll("one", 61).correct(made, "8/5 6/5")
    assert table.board("two") == START
    assert (table.state.flow.on_roll, table.state.flow.turn_number) == (TWO, 1)
    assert table.codes == ["illegal-play"]


def test_a_correction_can_set_the_board_instead() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    table.correct(table.last, checkers=AFTER_31)
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_correction_can_be_corrected() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    table.correct(table.last, "8/5 8/7").correct(table.last, "8/5 6/5")
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_correction_is_judged_by_the_dice_shown_again() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5")
    table.correct(table.last, "8/4 6/4", dice=(4, 2))
    assert table.codes == []


@pytest.mark.parametrize("target", [ENTRY.format(1), ENTRY.format(99)])
def test_a_correction_of_what_is_no_play_is_found(target: str) -> None:
    table = Table().game().turns(1)
    before = table.state
    assert table.correct(target, "8/5 6/5").found == ["reference-unknown"]
    assert table.state == before


def test_a_correction_of_an_earlier_game_leaves_the_games_since() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.won("one", 1).game().turns(2)
    before = table.state
    assert table.correct(made, "8/5 6/5").found == ["earlier-game"]
    assert table.state == before


def test_a_wrong_start_is_put_right() -> None:
    table = Table().game().stated("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 23:1 24:1").turns(2)
    moved = (play.CheckerMove(23, 24),)
    table.record(play.StartCorrected(seat=TWO, moved=moved))
    assert table.board("two") == {4: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert table.codes == []


def test_a_wrong_start_that_nobody_stated_is_put_right_to_the_board_on_record() -> None:
    table = Table().game().turns(1)
    before = table.state.positions
    table.record(play.StartCorrected(seat=TWO, moved=(play.CheckerMove(23, 24),)))
    assert table.found == []
    assert table.state.positions == before
    assert table.turn("two", 42, "8/4 6/4").codes == []


def test_a_wrong_start_that_nobody_stated_moves_no_checker_that_stands_where_it_belongs() -> None:
    table = Table().game().turns(2)
    before = table.state.positions
    table.record(play.StartCorrected(seat=TWO, moved=(play.CheckerMove(6, 8),)))
    assert table.found == []
    assert table.state.positions == before


def test_a_start_put_right_from_a_point_that_is_empty_as_stated_leaves_the_board() -> None:
    table = Table().game().stated("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 22:1 24:1").turns(1)
    before = table.state.positions
    table.record(play.StartCorrected(seat=TWO, moved=(play.CheckerMove(23, 24),)))
    assert table.found == ["position-fault"]
    assert table.state.positions == before


def test_a_ruling_sets_the_board() -> None:
    table = Table().game().turns(2).carry_out(checkers=scene_of("race"), on_roll=TWO)
    assert table.board() == {1: 2, 2: 3, 3: 3, 4: 3, 5: 2, 6: 2}
    assert table.state.flow.on_roll is TWO


def test_a_stated_board_with_both_on_one_point_is_found() -> None:
    table = Table().game().stated("5:1 6:14", "20:1 6:14")
    assert table.found == ["position-fault"]


def test_the_board_stays_as_it_was_after_the_game() -> None:
    table = Table().win("gammon")
    assert table.board() == {0: 15}
    table.record(match.GameStarted())
    assert table.board() == START
