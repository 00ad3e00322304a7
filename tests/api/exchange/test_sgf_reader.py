"""The SGF reader on home-made files: dialects, set-ups, comments, analysis, and golden facts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, NoticeCode, ReadMatch, Refused
from events.envelope import RecordedEvent
from events.payloads import cube, dice, ending, match, play
from events.values import BySeat, CheckerMove, Seat
from projections.replay import replay

GOLDEN = Path(__file__).parents[2] / "golden" / "files"

Recorded = Callable[[ReadMatch], list[RecordedEvent]]


def root(*, length: int = 5, scores: str = "[ws:0][bs:0]", rest: str = "RU[Crawford]") -> str:
    return f"(;FF[4]GM[6]MI[length:{length}][game:0]{scores}PW[Ada]PB[Ben]{rest}"


def read(nodes: str, *, program: str = "", **told: Any) -> ReadMatch:
    head = root(**told)
    if program:
        head = head.replace("GM[6]", f"GM[6]AP[{program}]")
    (found,) = read_file(f"{head}\n{nodes})\n".encode(), "x.sgf")
    return found


def payloads(found: ReadMatch, *kinds: type) -> list[Any]:
    return [fact.payload for fact in found.facts if isinstance(fact.payload, kinds)]


def codes(found: ReadMatch) -> list[NoticeCode]:
    return [notice.code for notice in found.notices]


# -- roots ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "dialect"),
    [
        ("GNU Backgammon:1.08.003", "sgf-gnubg"),
        ("www.backgammonhub.com", "sgf-www.backgammonhub.com"),
        ("Tabularium", "sgf-tabularium"),
        ("Some Other:2", "sgf"),
        ("", "sgf"),
    ],
)
def test_the_program_names_the_dialect(program: str, dialect: str) -> None:
    assert read(";W[31hefe]", program=program).dialect == dialect


def test_white_is_seat_one_and_scores_are_keyed() -> None:
    found = read(";W[31hefe]", scores="[bs:3][ws:1]")
    assert found.opened["score_at_start"] == {"one": 1, "two": 3}
    assert found.opened["players"] == {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}
    assert payloads(found, match.ScoreNoted)[0].score == BySeat(1, 3)


def test_letters_count_from_each_side() -> None:
    found = read(";W[31hefe];B[42qusu];W[21ytaz]")
    moves = [made.moves for made in payloads(found, play.PlayMade)]
    assert moves == [
        (CheckerMove(8, 5), CheckerMove(6, 5)),
        (CheckerMove(8, 4), CheckerMove(6, 4)),
        (CheckerMove(25, 20), CheckerMove(1, 0)),
    ]


def test_trees_of_one_match_are_its_games() -> None:
    text = root() + "RE[W+1];W[31hefe])" + root(scores="[ws:1][bs:0]").replace(":0]", ":1]", 1)
    matches = read_file((text + ";B[31qtst])").encode(), "x.sgf")
    assert [found.games for found in matches] == [2]


def test_trees_of_other_players_are_another_match() -> None:
    text = root() + ";W[31hefe])" + root().replace("Ada", "Cleo") + ";W[31hefe])"
    matches = read_file(text.encode(), "x.sgf")
    assert [found.ordinal for found in matches] == [1, 2]


def test_a_match_in_the_air_has_no_game() -> None:
    (found,) = read_file(b"(;GM[6]MI[length:7]PW[Ada]PB[Ben])", "x.sgf")
    assert (found.games, found.length) == (0, 7)


def test_length_zero_is_money_with_jacoby_as_stated() -> None:
    found = read(";W[31hefe]", length=0, rest="RU[Jacoby]")
    assert found.length is None
    assert found.opened["options"] == {"jacoby": {"value": "on"}}
    assert found.result.ended is Ended.MONEY


def test_crawford_is_off_where_a_gnubg_file_does_not_name_it() -> None:
    found = read(";W[31hefe]", program="GNU Backgammon:1", rest="")
    assert found.opened["options"] == {"crawford": {"value": "off"}}
    assert "options" not in read(";W[31hefe]", rest="").opened


def test_a_crawford_game_that_is_not_marked_was_before() -> None:
    found = read(";W[31hefe]", program="GNU Backgammon:1", scores="[ws:4][bs:1]")
    assert NoticeCode.CRAWFORD_DIFFERS in codes(found)
    assert payloads(found, match.ScoreStated)[0].crawford_played


@pytest.mark.parametrize("rules", ["RU[Crawford:CrawfordGame]", "RU[Crawford][CrawfordGame]"])
def test_a_marked_crawford_game_needs_no_remark(rules: str, recorded: Recorded) -> None:
    found = read(";W[31hefe]", program="GNU Backgammon:0", scores="[ws:4][bs:1]", rest=rules)
    assert NoticeCode.CRAWFORD_DIFFERS not in codes(found)
    assert replay(recorded(found)).state.score.is_crawford_game


@pytest.mark.parametrize("rules", ["RU[Crawford:CrawfordGame]", "RU[Crawford]"])
def test_a_mark_says_nothing_in_a_match_to_one_point(rules: str) -> None:
    found = read(";W[31hefe]", program="GNU Backgammon:1", length=1, rest=rules)
    assert NoticeCode.CRAWFORD_DIFFERS not in codes(found)
    assert found.lost == []


def test_a_second_crawford_game_is_named_since_only_a_ruling_makes_one() -> None:
    first = root(scores="[ws:4][bs:1]", rest="RU[Crawford:CrawfordGame]RE[B+1]") + ";W[31hefe])"
    again = root(scores="[ws:4][bs:2]", rest="RU[Crawford:CrawfordGame]") + ";W[31hefe])"
    (found,) = read_file((first + again).encode(), "x.sgf")
    assert NoticeCode.CRAWFORD_DIFFERS in codes(found)
    assert any("Crawford" in lost for lost in found.lost)


def test_automatic_doubles_are_the_cube_of_the_root() -> None:
    found = read(";W[31hefe]", length=0, rest="CV[4]")
    assert payloads(found, cube.CubeStated) == [
        cube.CubeStated(value=4, owner=None, reason="automatic doubles")
    ]


def test_nackgammon_is_another_start_and_hypergammon_is_refused() -> None:
    found = read(";W[31hefe]", rest="RU[Nackgammon]")
    assert payloads(found, play.PositionStated)[0].checkers.one[23] == 2
    with pytest.raises(Refused, match="hypergammon1"):
        read(";W[31hefe]", rest="RU[Hypergammon1]")


def test_another_game_is_refused() -> None:
    with pytest.raises(Refused, match="not backgammon") as refused:
        read_file(b"(;GM[6]PW[Ada];W[31hefe])\n(;GM[1];B[aa])", "x.sgf")
    assert (refused.value.line, refused.value.game) == (2, 2)


# -- results ----------------------------------------------------------------------------------


def test_a_resignation_has_its_level_from_points_and_cube() -> None:
    found = read(";W[31hefe];B[double];W[take];B[42qusu]", rest="RE[W+4R]")
    assert payloads(found, ending.ResignationOffered, ending.ResignationAccepted) == [
        ending.ResignationOffered(seat=Seat.TWO, level="gammon"),
        ending.ResignationAccepted(seat=Seat.ONE),
    ]
    assert payloads(found, match.GameWon)[0].points == 4


def test_who_accepts_or_rejects_a_resignation_does_nothing_with_the_cube() -> None:
    found = read(";W[31hefe];B[resigns];W[rejects];B[64lrqu];W[resigns];B[accepts]")
    assert payloads(found, cube.DoubleTaken, cube.DoubleDropped) == []
    assert [text.split(": ")[1] for text in found.lost] == [
        *("B[resigns]", "W[rejects]", "W[resigns]", "B[accepts]")
    ]


def test_a_loss_on_time_is_named_and_no_fact() -> None:
    found = read(";W[31hefe]", rest="RE[B+T]")
    assert NoticeCode.NO_FACT in codes(found)
    assert any("RE[B+T]" in lost for lost in found.lost)


def test_a_file_without_result_is_unfinished() -> None:
    found = read(";W[31hefe]")
    assert found.result.ended is Ended.UNFINISHED
    assert NoticeCode.UNFINISHED in codes(found)


# -- nodes ------------------------------------------------------------------------------------


def test_a_move_without_letters_is_a_dance() -> None:
    closed = "".join(f"[{letter}]" * 2 for letter in "stuvwx")
    found = read(f";PL[W]AE[a:y]AW[y]{'[a]' * 14}AB{closed}[b][b][b];W[66]")
    assert payloads(found, play.PlayMade) == [play.PlayMade(seat=Seat.ONE)]
    assert NoticeCode.NO_PLAY_CLAIMED not in codes(found)


def test_a_dance_that_was_none_is_remarked() -> None:
    found = read(";W[31];B[42qusu]")
    assert NoticeCode.NO_PLAY_CLAIMED in codes(found)
    assert payloads(found, play.PlayMade)[0] == play.PlayMade(seat=Seat.ONE)


def test_a_last_roll_without_a_move_is_that_roll_alone() -> None:
    found = read(";W[31]", rest="RE[B+1R]")
    assert not payloads(found, play.PlayMade)
    assert len(payloads(found, dice.Rolled)) == 1


def test_dice_set_and_a_board_set_are_a_play_told_by_its_end() -> None:
    board = "AE[a:y]AW[f][f][f]AB[s][s][s]"
    found = read(f";PL[W]DI[31];PL[B]{board};B[42su]")
    (made, _) = payloads(found, play.PlayMade)
    assert made.resulting_position is not None
    assert made.resulting_position.one[6] == 3
    assert made.resulting_position.one[0] == 12
    assert [rolled.dice for rolled in payloads(found, dice.Rolled)] == [(3, 1), (4, 2)]
    assert not payloads(found, play.PositionStated)


def test_a_board_without_dice_is_stated() -> None:
    found = read(";PL[B]AE[a:y]AW[f]AB[s][y]")
    (stated,) = payloads(found, play.PositionStated)
    assert stated.on_roll is Seat.TWO
    assert stated.checkers.two[25] == 1


def test_a_set_up_changes_only_the_points_that_it_names() -> None:
    found = read(";AE[f]AW[a]")
    (stated,) = payloads(found, play.PositionStated)
    assert (stated.checkers.one[6], stated.checkers.one[1], stated.checkers.one[13]) == (0, 1, 5)


def test_dice_set_last_are_a_set_up_and_no_throw() -> None:
    found = read(";W[31hefe];PL[B]DI[53]", rest="RE[W+1R]")
    assert found.rolls == 1
    (stated,) = payloads(found, play.PositionStated)
    assert (stated.on_roll, stated.dice) == (Seat.TWO, (5, 3))


def test_dice_set_and_the_move_with_them_are_one_roll() -> None:
    found = read(";PL[W]DI[13];W[31hefe]")
    assert [rolled.dice for rolled in payloads(found, dice.Rolled)] == [(1, 3)]
    assert len(payloads(found, play.PlayMade)) == 1


def test_dice_set_while_the_game_goes_on_are_a_lost_play() -> None:
    found = read(";PL[W]DI[31];B[42qusu]")
    assert NoticeCode.LOST_PLAY in codes(found)
    assert payloads(found, play.PlayUnseen)[0].seat is Seat.ONE


EDITED = ";PL[W]DI[53];AE[a:y]AB[l][l][l][l][o][q][q][q][s][s][s][s][s][y][y]"
EDITED += "AW[a][a][f][f][f][f][f][h][h][h][m][m][m][m][m]"
"""Dice, then a board on which the other side's checkers lie elsewhere too, as editors save it."""


@pytest.mark.parametrize("later", [";W[53mhmj]", ";PL[W]DI[53];W[53mhmj]", "C[well];W[53mhmj]"])
def test_dice_set_before_a_board_lie_on_it(later: str) -> None:
    found = read(EDITED + later, program="GNU Backgammon:1.07")
    placed, rolled, made = payloads(found, play.PositionStated, dice.Rolled, play.PlayMade)
    assert (placed.checkers.two[25], rolled.dice) == (2, (5, 3))
    assert [rolled.seat, made.seat] == [Seat.ONE, Seat.ONE]
    assert made.moves == (CheckerMove(13, 8), CheckerMove(13, 10))
    assert NoticeCode.STATED_POSITION in codes(found)


def test_other_dice_may_be_set_on_a_board() -> None:
    found = read(f"{EDITED};PL[W]DI[41];W[41mimm]", program="GNU Backgammon:1.07")
    assert [rolled.dice for rolled in payloads(found, dice.Rolled)] == [(4, 1)]


def test_a_board_that_was_edited_last_keeps_its_dice() -> None:
    found = read(EDITED, program="GNU Backgammon:1.07")
    (placed,) = payloads(found, play.PositionStated)
    assert (placed.on_roll, placed.dice) == (Seat.ONE, (5, 3))
    assert not payloads(found, dice.Rolled, play.PlayMade)


def test_dice_before_a_board_on_which_the_other_one_goes_on_were_played() -> None:
    found = read(f"{EDITED};B[61yrab]", program="GNU Backgammon:1.07")
    first, _ = payloads(found, play.PlayMade)
    assert (first.seat, first.resulting_position.two[25]) == (Seat.ONE, 2)
    assert not payloads(found, play.PositionStated)


def test_a_double_of_who_is_doubled_is_a_beaver(recorded: Recorded) -> None:
    found = read(";W[double];B[double];W[take];B[31qtst]", length=0)
    assert [type(fact) for fact in payloads(found, cube.CubeAct)] == [
        cube.DoubleOffered,
        cube.CubeBeavered,
        cube.DoubleTaken,
    ]
    state = replay(recorded(found)).state.cube
    assert (state.value, state.owner) == (4, Seat.TWO)


def test_a_beaver_that_is_dropped_is_worth_the_double(recorded: Recorded) -> None:
    found = read(";W[double];B[beaver];W[drop]", length=0, rest="RE[B+2]")
    assert NoticeCode.RESULT_DIFFERS not in codes(found)
    assert replay(recorded(found)).state.score.score == BySeat(0, 2)


@pytest.mark.parametrize("points", [2, 4, 6])
def test_who_resigns_without_an_answer_to_a_beaver_loses_what_is_written(
    points: int, recorded: Recorded
) -> None:
    nodes, result = ";W[31hefe];B[double];W[beaver]", f"RE[W+{points}R]"
    found = read(nodes, length=0, rest=result)
    assert NoticeCode.RESULT_DIFFERS not in codes(found)
    assert replay(recorded(found)).state.score.score == BySeat(points, 0)


def test_an_automatic_double_under_jacoby_is_none_that_was_offered(recorded: Recorded) -> None:
    board = ";PL[W]AE[a:y]AW[a]AB[a][b][s:x][y]"
    rest = "RU[Jacoby]CV[4]RE[W+4]"
    found = read(f"{board};W[61az]", length=0, rest=rest)
    assert NoticeCode.RESULT_DIFFERS not in codes(found)
    shown = replay(recorded(found))
    assert shown.state.score.score == BySeat(4, 0)
    assert "claim-differs" not in {finding.code for finding in shown.findings}


def test_the_cube_as_it_is_set() -> None:
    for owner in ("CP", "CO"):
        found = read(f";CV[4];{owner}[b];B[double];W[drop]", rest="RE[B+4]")
        (stated,) = payloads(found, cube.CubeStated)
        assert (stated.value, stated.owner) == (4, Seat.TWO)
        assert NoticeCode.RESULT_DIFFERS not in codes(found)


def test_comments_are_kept_with_the_fact_they_speak_of() -> None:
    found = read(";W[31hefe]C[a \\] b\\\\\nc\\\nd];B[42qusu]", rest="GC[whole]")
    told = [(fact.plain, fact.refers) for fact in found.facts if fact.kind == "moment.marked"]
    assert [plain for plain, _ in told] == [{"note": "whole"}, {"note": "a ] b\\\ncd"}]
    places = [refers[0][1] for _, refers in told]
    assert [found.facts[place].tag for place in places] == ["game.started", "play.made"]


def test_analysis_is_named_once() -> None:
    found = read(";W[31hefe]A[0][x]LU[0.1]MR[];B[42qusu]A[0][y]DA[E]")
    (notice,) = [one for one in found.notices if one.code is NoticeCode.ANALYSIS]
    assert "A x2, LU x1, MR x1, DA x1" in notice.message
    assert len([lost for lost in found.lost if "analysis" in lost]) == 1


def test_unknown_properties_are_named_once() -> None:
    found = read(";W[31hefe]XX[1]" + ";B[]XX[2]" * 3)
    assert len([one for one in found.notices if "XX x4" in one.message]) == 1


def test_moves_that_cannot_be_read_are_gaps() -> None:
    found = read(";W[31h?];B[42qusu]")
    (notice,) = [one for one in found.notices if one.code is NoticeCode.PLAY_NOT_READ]
    assert notice.raw == "31h?"
    assert payloads(found, play.PlayUnseen)[0].seat is Seat.ONE


def test_other_variations_are_counted_and_left_out() -> None:
    found = read(";W[31hefe](;B[42qusu];W[11fefe])(;B[61lrqr];W[11fefe])")
    assert [rolled.dice for rolled in payloads(found, dice.Rolled)] == [(3, 1), (4, 2), (1, 1)]
    assert any("2 nodes of other variations" in lost for lost in found.lost)


# -- the corpus -------------------------------------------------------------------------------


def _of(shelf: Any, name: str) -> ReadMatch:
    (found,) = [read for row, read in shelf.read if row["file"].endswith(name)]
    return found


def test_real_files_have_the_rolls_and_games_of_the_index(shelf: Any, recorded: Recorded) -> None:
    rows = [(row, read) for row, read in shelf.read if row["dialect"].startswith("sgf")]
    assert [found.dialect for _, found in rows] == [row["dialect"] for row, _ in rows]
    assert [(str(r.games), str(r.rolls)) for _, r in rows] == [
        (row["games"], row["plies"]) for row, _ in rows
    ]
    assert {str(read.rolls) for _, read in rows} == {"331", "334"}
    for _, found in rows:
        assert set(codes(found)) <= {NoticeCode.ANALYSIS}
        assert not replay(recorded(found)).findings


def _told(found: ReadMatch, recorded: Recorded) -> list[object]:
    """Rolls, boards, cube acts and results, without the rolls that nothing was played with."""
    replayed = replay(recorded(found))
    told: list[object] = []
    for step in replayed.steps:
        payload = step.event.payload
        if isinstance(payload, match.GameStarted):
            told.append((step.before.score.score, step.after.score.is_crawford_game))
        elif isinstance(payload, play.PlayMade):
            faces = step.before.flow.dice_of(payload.seat)
            assert faces is not None
            told.append((payload.seat, tuple(sorted(faces)), step.after.positions.board))
        elif isinstance(payload, cube.CubeAct):
            told.append((type(payload), payload.seat, step.after.cube.value))
    return told + [(game.winner, game.points) for game in replayed.state.score.games]


def test_twins_in_other_formats_tell_the_same_match(shelf: Any, recorded: Recorded) -> None:
    ours = _told(_of(shelf, "gbf/data/test.sgf"), recorded)
    assert len(ours) > 340
    for other in ("gbf/data/test.mat", "gbf/data/test.txt"):
        assert _told(_of(shelf, other), recorded) == ours


@pytest.mark.parametrize("setup", ["PL[W]{}", "DI[31]{}", "CV[2]{}", "CP[w]{}"])
def test_a_setup_that_is_said_twice_in_a_node_is_lost(setup: str) -> None:
    again = setup.format(setup[2:-2])
    once, twice = (read(f";{one};W[31hefe]") for one in (setup.format(""), again))
    assert not [what for what in once.lost if "more than one value" in what]
    assert f"line 2: {setup[:2]}: more than one value" in twice.lost
