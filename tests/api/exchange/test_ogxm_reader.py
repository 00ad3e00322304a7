"""The OGXM reader: every action of the format, notes, clocks, other programs' documents."""

from __future__ import annotations

import json
from typing import Any

import gvformat
import pytest
from gvformat.mat import mat_to_ogxm

from api.exchange.mat import writer as mat
from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, NoticeCode, ReadMatch
from events.payloads import play
from events.payloads.base import WinKind
from events.payloads.cube import CubeStated
from events.payloads.ending import ResignationOffered
from events.payloads.match import GameWon, ScoreStated
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import Position
from projections.facts.games import EndedBy, GameResult
from projections.replay import Replay, replay
from tests.api.exchange.conftest import events_of
from tests.api.exchange.ogxm_documents import (
    BLACK,
    NAMES,
    OPENING,
    WHITE,
    act,
    codec,
    document,
    packed,
)
from tests.projections.streams import legal_match

__all__ = ["codec"]

ONE, TWO = Seat.ONE, Seat.TWO

SET = [0, 2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 2, 1, 5, 0, 0, 0, 0, -2, 0]
"""A board on which White has played one checker from the 8 point to the 7."""

DOUBLE, TAKE, DROP, RESIGN, FORFEIT, SET_POSITION = 21, 22, 23, 27, 29, 31
BEAVER, RACCOON, SETTLE, CUBE_SET, PASS = 32, 33, 34, 36, 37


def read(told: Any) -> ReadMatch:
    (match,) = read_file(packed(told), "home.ogxm")
    return match


def replayed(told: Any) -> Replay:
    return replay(events_of(read(told)))


def tags(match: ReadMatch) -> list[str]:
    return [fact.tag for fact in match.facts]


def codes(match: ReadMatch) -> list[NoticeCode]:
    """Notices but for that of the record that stops, as most of these do."""
    told = [notice.code for notice in match.notices]
    return [code for code in told if code is not NoticeCode.UNFINISHED]


# -- plies -----------------------------------------------------------------------------------


def test_a_play_is_a_roll_and_its_moves_from_the_movers_side() -> None:
    match = read(document(OPENING))
    assert tags(match) == [
        *("match.opened", "score.noted", "game.started", "dice.rolled", "play.made")
    ]
    made = match.facts[-1].payload
    assert isinstance(made, play.PlayMade)
    assert made.seat is ONE
    assert set(made.moves) == {CheckerMove(8, 5), CheckerMove(6, 5)}
    assert match.facts[-1].line == 1


def test_a_position_with_dice_is_a_play_told_by_its_end() -> None:
    told = document(OPENING, act(WHITE, SET_POSITION, set_position=SET, d1=5, d2=1, illegal=True))
    match = read(told)
    made = match.facts[-1].payload
    assert isinstance(made, play.PlayMade)
    assert (made.seat, made.moves) == (TWO, ())
    assert made.resulting_position is not None
    assert made.resulting_position.one[7] == 1
    assert codes(match) == [NoticeCode.DECLARED_ILLEGAL, NoticeCode.STATED_POSITION]
    assert "illegal-play" in {finding.code for finding in replayed(told).findings}


def test_what_the_file_calls_illegal_is_judged_by_the_folds_alone() -> None:
    end = [0, 2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 2, 0, 4, 2, 0, 0, 0, -2, 0]
    told = document(act(BLACK, SET_POSITION, set_position=end, d1=1, d2=3, illegal=True))
    assert (
        read(told).notices[0].message == "the file says that the play is illegal, and it is legal"
    )
    assert "illegal-play" not in {finding.code for finding in replayed(told).findings}


def test_a_position_without_dice_is_set_from_outside_play() -> None:
    told = document(OPENING, act(WHITE, SET_POSITION, set_position=SET))
    fact = read(told).facts[-1].payload
    assert isinstance(fact, play.PositionStated)
    assert fact.on_roll is ONE
    board = replayed(told).state.positions.board
    assert board is not None
    assert (board.own[7], sum(board.own), sum(board.other)) == (1, 15, 15)


def test_a_board_with_a_checker_that_no_board_has_is_a_gap() -> None:
    many = list(SET)
    many[19] = 9
    told = document(OPENING, act(WHITE, SET_POSITION, set_position=many, d1=5, d2=1))
    match = read(told)
    assert tags(match)[-2:] == ["dice.rolled", "play.unseen"]
    assert NoticeCode.POSITION_CONFLICT in codes(match)
    assert match.lost


def test_cube_acts_are_told_in_order() -> None:
    told = document(
        *(OPENING, act(BLACK, DOUBLE), act(WHITE, BEAVER), act(BLACK, RACCOON)),
        match_length=0,
        crawford=False,
        beavers=True,
        raccoons=True,
    )
    match = read(told)
    assert tags(match)[-3:] == ["cube.double_offered", "cube.beavered", "cube.stated"]
    assert replayed(told).state.cube.value == 8
    assert codes(match) == [NoticeCode.NO_FACT, NoticeCode.NO_FACT]


def test_a_drop_wins_the_game() -> None:
    told = document(
        *(OPENING, act(BLACK, DOUBLE), act(WHITE, DROP)),
        game={"winner": 1, "points_won": 1, "termination": 1},
    )
    (game,) = replayed(told).state.score.games
    assert (game.winner, game.points, game.ended_by) == (TWO, 1, EndedBy.DROP)
    assert not read(told).notices


def test_a_cube_that_is_set_is_stated() -> None:
    told = document(OPENING, act(BLACK, CUBE_SET, cube_value=4, cube_owner=1))
    fact = read(told).facts[-1].payload
    assert isinstance(fact, CubeStated)
    assert (fact.value, fact.owner) == (4, TWO)


def test_a_pass_is_a_turn_without_a_roll() -> None:
    match = read(document(OPENING, act(BLACK, PASS), act(WHITE, PASS)))
    assert tags(match)[-2:] == ["play.made", "play.made"]
    assert codes(match) == [NoticeCode.NO_ROLL, NoticeCode.NO_ROLL]


@pytest.mark.parametrize(
    ("level", "points"), [(1, 1), (2, 2), (3, 3)], ids=["single", "gammon", "backgammon"]
)
def test_a_resignation_has_the_level_that_the_file_states(level: int, points: int) -> None:
    told = document(
        *(OPENING, act(BLACK, 16, d1=5, d2=4, moves=[]), act(BLACK, RESIGN, resign_value=level)),
        game={"winner": 0, "points_won": points},
    )
    match = read(told)
    offered = [f.payload for f in match.facts if isinstance(f.payload, ResignationOffered)]
    assert offered == [ResignationOffered(seat=TWO, level=list(WinKind)[level - 1])]
    (game,) = replayed(told).state.score.games
    assert (game.winner, game.points, game.ended_by) == (ONE, points, EndedBy.RESIGNATION)
    assert match.rolls == 2
    assert not match.notices


def test_a_gammon_resigned_under_jacoby_is_worth_the_cube() -> None:
    told = document(
        *(OPENING, act(BLACK, RESIGN, resign_value=2)),
        game={"winner": 0, "points_won": 1},
        match_length=0,
        crawford=False,
        jacoby=True,
    )
    match = read(told)
    assert not match.notices
    assert match.result.ended is Ended.MONEY


@pytest.mark.parametrize(
    ("ply", "words"),
    [
        (act(BLACK, FORFEIT), "two forfeits the game"),
        (act(BLACK, SETTLE, settle_value=1), "settled for 1.0"),
    ],
)
def test_forfeit_and_settlement_are_told_by_the_claimed_points(
    ply: dict[str, Any], words: str
) -> None:
    match = read(document(OPENING, ply, game={"winner": 0, "points_won": 3}))
    assert words in match.lost[0]
    assert match.facts[-1].payload == GameWon(winner=ONE, points=3)
    (game,) = replay(events_of(match)).state.score.games
    assert (game.points, game.ended_by) == (3, EndedBy.CLAIM)


def test_points_that_are_not_those_computed_are_remarked() -> None:
    told = document(
        *(OPENING, act(BLACK, DOUBLE), act(WHITE, DROP)), game={"winner": 1, "points_won": 4}
    )
    assert codes(read(told)) == [NoticeCode.RESULT_DIFFERS]


def test_markers_tell_nothing_more() -> None:
    told = document(OPENING, {"action_id": 24}, {"action_id": 25}, {"action_id": 26})
    assert tags(read(told)) == tags(read(document(OPENING)))


# -- the match -------------------------------------------------------------------------------


def test_games_after_the_first_get_no_score_that_the_file_does_not_state() -> None:
    told = document(OPENING, game={"winner": 0, "points_won": 2})
    told["games"] += [{"plies": [OPENING], "winner": 0, "points_won": 9}]
    match = read(told)
    assert tags(match).count("score.noted") == 1
    assert match.claimed_score == BySeat(11, 0)
    assert (match.result.winner, match.result.ended) == (ONE, Ended.MATCH)
    assert match.games == 2


def test_a_start_in_mid_match_is_stated_and_so_is_a_crawford_game_before_it() -> None:
    told = document(
        OPENING, white_score_start=4, black_score_start=2, crawford_played_before_start=True
    )
    match = read(told)
    assert match.opened["score_at_start"] == {"one": 4, "two": 2}
    assert any(isinstance(fact.payload, ScoreStated) for fact in match.facts)
    assert not replayed(told).state.score.is_crawford_game
    del told["crawford_played_before_start"]
    assert replayed(told).state.score.is_crawford_game


def test_a_game_may_start_from_a_set_board_with_a_turned_cube() -> None:
    start = {"initial_board": SET, "initial_cube_value": 2, "initial_cube_owner": 0}
    told = document(OPENING, game=start)
    before = next(s for s in replayed(told).steps if s.event.tag == "dice.rolled").before
    assert before.positions.board is not None
    assert before.positions.board.own[7] == 1
    assert (before.cube.value, before.cube.owner) == (2, ONE)


def test_automatic_doubles_turn_the_cube() -> None:
    told = document(
        OPENING,
        game={"auto_doubles": 2},
        match_length=0,
        crawford=False,
        auto_doubles=True,
    )
    assert replayed(told).state.cube.value == 4
    assert read(told).opened["options"]["automatic_doubles"] == {"value": "on"}


def test_nackgammon_starts_from_its_own_board() -> None:
    match = read(document(variant="nackgammon"))
    assert NoticeCode.VARIATION in codes(match)


def test_names_and_context_are_personal_values() -> None:
    told = document(
        OPENING,
        event="Winter Cup",
        stage="Final",
        round=3,
        table="7",
        city="Oslo",
        country="NO",
        started_at=1_767_830_400_000,
        date_precision="day",
        white_profile={"rating": 1_600.25, "rating_system": "elo", "country": "NO"},
    )
    opened = read(told).opened
    assert opened["players"] == {
        "one": [{"name": "Ada", "rating": "1600.25", "country": "NO"}],
        "two": [{"name": "Ben"}],
    }
    assert (opened["event"], opened["round"], opened["table"]) == ("Winter Cup", "Final 3", "7")
    assert (opened["place"], opened["date"]) == ("Oslo, NO", "2026-01-08")
    headers = "\n".join(opened["source"]["headers"])
    assert '"rating_system":"elo"' in headers
    assert "Winter Cup" not in repr([fact.payload for fact in read(told).facts])


# -- notes and clocks ------------------------------------------------------------------------


def note(scope: str, ref: int, value: str, **members: str) -> dict[str, Any]:
    return {"scope": scope, "ref": ref, "value": value, **members}


def test_prose_is_a_moment_marked_about_what_it_speaks_of() -> None:
    told = document(
        *(OPENING, act(BLACK, PASS)),
        annotations=[
            note("match", 0, "A good match."),
            note("game", 0, "The first game."),
            note("ply", 1, "No roll!", author="Cai"),
        ],
    )
    match = read(told)
    marked = [fact for fact in match.facts if fact.tag == "moment.marked"]
    assert [fact.plain for fact in marked] == [
        *({"note": "A good match."}, {"note": "The first game."}, {"note": "Cai: No roll!"}),
    ]
    about = [match.facts[fact.refers[0][1]].tag for fact in marked]
    assert about == ["match.opened", "game.started", "play.made"]
    assert codes(match).count(NoticeCode.COMMENT) == 3


def test_a_note_for_programs_is_lost_and_remarked() -> None:
    told = document(OPENING, annotations=[note("ply", 0, "7", key="x-other")])
    match = read(told)
    assert codes(match) == [NoticeCode.NO_FACT]
    assert match.lost == ["x-other: 7"]


def test_the_clock_gives_its_terms_and_when_each_turn_was_played() -> None:
    told = document(
        {**OPENING, "timestamp_ms": 0},
        act(BLACK, PASS, timestamp_ms=4_560),
        clock_info={
            "reserve_ms": 120_000,
            "delay_ms": 12_000,
            "increment_ms": 0,
            "start_timestamp": 0,
        },
    )
    match = read(told)
    assert match.opened["clock_terms"] == {
        "kind": "simple",
        "reserve_ms": 120_000,
        "delay_ms": 12_000,
    }
    assert [getattr(fact.payload, "at_ms", None) for fact in match.facts[-3:]] == [0, 0, 4_560]
    told["clock_info"]["increment_ms"] = 5_000
    assert "clock_terms" not in read(told).opened
    assert read(told).lost[0].startswith("clock: ")


# -- other programs' documents ---------------------------------------------------------------


def boards(match: ReadMatch) -> list[Position | None]:
    return [
        step.after.positions.board
        for step in replay(events_of(match)).steps
        if isinstance(step.event.payload, play.PlayMade)
    ]


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.gate) for seed in range(2, 8))]
)
@pytest.mark.parametrize("length", [None, 5])
def test_gammonview_s_reading_of_a_mat_file_has_the_boards_of_ours(
    seed: int, length: int | None
) -> None:
    text = mat.write(legal_match(seed, length=length).replay, NAMES).text
    told = mat_to_ogxm(text)
    (ours,) = read_file(text.encode(), "x.mat")
    (binary,) = read_file(gvformat.write_gvab(told), "x.gvab")
    (document,) = read_file(json.dumps(told).encode(), "x.gva")
    assert len(boards(ours)) > 10
    assert boards(binary) == boards(ours)
    assert document.facts[1:] == binary.facts[1:]
    assert [(won.winner, won.points) for won in results(binary)] == [
        (won.winner, won.points) for won in results(ours)
    ]


def results(match: ReadMatch) -> tuple[GameResult, ...]:
    return replay(events_of(match)).state.score.games
