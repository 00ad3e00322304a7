"""Turns, games and findings as rows: corrections, doubles, and what is not known."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given

from api.publishing import tables
from api.publishing.parquet import columns_of, encoded
from api.publishing.rows import Rows, rows_of
from api.search.figures import figures_of
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, equipment, penalty, play
from events.values import BySeat, Seat
from projections.replay import replay
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import Table

FLAG = clock.ClockFlagNoticed(whose=clock.Flag.ONE)
HASH = "ab" * 32
NOBODY: BySeat[str | None] = BySeat(None, None)


def rows(table: Table) -> Rows:
    names: BySeat[str | None] = BySeat("Ida Berg", None)
    return rows_of(table.replay, log_id="club", match_id="m", opened_at=7, names=names)


def named(table: tables.Table, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip([column.name for column in table.columns], row, strict=True))


def turns(table: Table) -> list[dict[str, Any]]:
    return [named(tables.TURNS, row) for row in rows(table).turns]


def test_a_turn_is_a_roll_and_its_play() -> None:
    first, second = turns(Table().game().turns(2))
    assert (first["game"], first["turn"], first["seat"], first["dice"]) == (1, 1, "one", "31")
    assert (first["play"], first["is_legal"], first["double"]) == ("8/5 6/5", True, None)
    assert (first["first_version"], first["last_version"]) == (3, 4)
    assert (second["seat"], second["first_version"], second["last_version"]) == ("two", 5, 6)


def test_the_board_after_a_turn_is_the_one_before_the_next() -> None:
    for seed in range(3):
        told = turns(legal_match(seed))
        for one, other in itertools.pairwise(told):
            if one["game"] == other["game"] and one["position_id_after"]:
                assert one["position_id_after"] == other["position_id"]
        assert {turn["is_legal"] for turn in told if turn["play"] is not None} == {True}
        assert {turn["position_id"] for turn in told if turn["turn"] == 1} == {"4HPwATDgc/ABMA"}


def test_turns_share_the_entries_of_a_game_out() -> None:
    table = legal_match(5)
    told = turns(table)
    for one, other in itertools.pairwise(told):
        if one["game"] == other["game"]:
            assert one["last_version"] + 1 == other["first_version"]
    games = [named(tables.GAMES, row) for row in rows(table).games]
    assert games[-1]["last_version"] == len(table.events)
    assert [game["turns"] for game in games] == [
        sum(turn["game"] == game["game"] for turn in told) for game in games
    ]


@pytest.mark.parametrize(
    ("answer", "double", "value", "owner"),
    [("take", "taken", 2, "two"), ("beaver", "beavered", 4, "two")],
)
def test_a_double_belongs_to_the_turn_that_it_begins(
    answer: str, double: str, value: int, owner: str
) -> None:
    table = Table(None, beavers="on").game().turns(2).double("one")
    getattr(table, answer)("two")
    turn = turns(table.turn("one", 61, "13/7 8/7"))[-1]
    assert (turn["turn"], turn["seat"], turn["double"], turn["dice"]) == (3, "one", double, "61")
    assert (turn["cube_value"], turn["cube_owner"]) == (value, owner)
    assert turn["first_version"] == 7


def test_a_dropped_double_is_a_turn_without_a_roll() -> None:
    table = Table().game().turns(2).double("one").drop("two")
    turn = turns(table)[-1]
    assert (turn["seat"], turn["double"], turn["dice"], turn["play"]) == (
        *("one", "dropped"),
        *(None, None),
    )
    (game,) = (named(tables.GAMES, row) for row in rows(table).games)
    assert (game["winner"], game["points"], game["ended_by"]) == ("one", 1, "drop")


@pytest.mark.parametrize(("refuses", "winner"), [("one", "two"), ("two", "one")])
def test_a_double_that_was_beavered_was_not_dropped_whoever_refuses_the_beaver(
    refuses: str, winner: str
) -> None:
    table = Table(None, beavers="on").game().turns(2).double("one").beaver("two")
    if refuses == "two":
        table.beaver("one")
    turn = turns(table.drop(refuses))[-1]
    assert (turn["seat"], turn["double"], turn["dice"]) == ("one", "beavered", None)
    (game,) = (named(tables.GAMES, row) for row in rows(table).games)
    assert (game["winner"], game["ended_by"]) == (winner, "drop")


def test_a_double_without_an_answer_is_said_to_be_one() -> None:
    assert turns(Table().game().turns(2).double("one"))[-1]["double"] == "offered"


def test_a_dance_is_an_empty_play() -> None:
    turn = turns(Table().scene("closed", "two").turn("two", 31))[-1]
    assert turn["play"] == ""
    assert turn["is_legal"] is not None


def test_an_illegal_play_is_told_with_its_finding() -> None:
    turn = turns(Table().game().opening(3, 1).play("one", "8/4 6/5").turn("two", 42))[0]
    assert turn["is_legal"] is False
    assert turn["play"] == "8/4 6/5"
    assert "illegal-play" in turn["findings"]


def test_the_last_word_of_a_play_is_told_once() -> None:
    table = Table().game().opening(3, 1).play("one", "24/20")
    told = turns(table.revise("one", table.last, "8/5 6/5"))
    assert [(turn["play"], turn["is_legal"]) for turn in told] == [("8/5 6/5", True)]


def test_a_play_that_was_changed_to_a_board_is_told_by_its_end() -> None:
    """It is no dance; and a play without a roll has its last word too."""
    table = Table().game().turns(1).roll("two", 42).play("two", "24/20 24/22")
    board = turns(Table().game().turns(2))[-1]["position_id_after"]
    after = Table().game().turns(2).state.positions.board
    assert after is not None
    end = BySeat(after.own, after.other)
    [_, told] = turns(table.revise("two", table.last, resulting_position=end))
    assert (told["play"], told["is_legal"], told["position_id_after"]) == (None, True, board)
    table = Table().game().turns(1).play("two", "24/20 24/22")
    [_, told] = turns(table.revise("two", table.last, "8/4 6/4"))
    assert (told["dice"], told["play"], told["position_id_after"]) == (None, "8/4 6/4", board)


def test_a_play_that_a_set_board_puts_right_stands_no_more() -> None:
    table = Table().game().turns(1).roll("two", 42).play("two", "8/3 6/4")
    end = Table().game().turns(2).state.positions.board
    assert end is not None
    [_, told] = turns(table.correct(table.last, checkers=BySeat(end.own, end.other)))
    assert (told["play"], told["is_legal"]) == (None, None)
    assert told["position_id_after"] == turns(Table().game().turns(2))[-1]["position_id_after"]
    assert told["findings"] == ["illegal-play"]


def test_a_game_counts_what_a_ruling_has_it_count() -> None:
    table = Table(7, rule_set="usbgf-2017-07", jacoby="on").game().win("gammon").game()
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    for reading, points in (("single", 1), ("counts", 2)):
        answer = dispute.Answer(question=question, reading=reading)
        table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
        told = [named(tables.GAMES, row) for row in rows(table).games]
        assert [game["points"] for game in told] == [points, None]
        assert named(tables.MATCHES, rows(table).match)["score_one"] == points


def test_a_game_begins_at_the_score_that_is_put_right_before_its_first_roll() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 0), jacoby="on").game().win("gammon")
    [asked] = table.game().replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    answer = dispute.Answer(question=question, reading="single")
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED).turns(2)
    told = named(tables.GAMES, rows(table).games[-1])
    assert (told["score_one"], told["is_crawford"]) == (6, True)
    told = named(
        tables.GAMES, rows(Table(7).game().score_is(2, 1).turns(2).score_is(3, 3)).games[0]
    )
    assert (told["score_one"], told["score_two"]) == (2, 1)


def test_a_game_is_the_crawford_game_if_it_is_ruled_so() -> None:
    table = Table(7, rule_set="usbgf-2017-07").game().won("one", 5)
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1)).game()
    asked = table.replay.open_questions[-1]
    for reading, is_crawford in (("pre_crawford", False), ("crawford", True)):
        question = dispute.Question(topic="crawford.phase", at=asked.entry_id, seat=asked.seat)
        answer = dispute.Answer(question=question, reading=reading)
        table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
        told = [named(tables.GAMES, row)["is_crawford"] for row in rows(table).games]
        assert told == [False, is_crawford]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_that_nobody_saw_has_a_number_of_its_own(is_first: bool) -> None:
    """Otherwise its turns, and its figures, would be those of the game before it."""
    table = Table(9) if is_first else Table(9).game().turns(2).double("one").drop("two")
    table.record(play.PlayUnseen(spans=play.UnseenSpan.GAMES)).won("two", 2).game().turns(2)
    told = [named(tables.GAMES, row) for row in rows(table).games]
    assert [game["game"] for game in told] == list(range(1, len(told) + 1))
    assert [game["points"] for game in told] == [*([] if is_first else [1]), 2, None]
    assert [game["turns"] for game in told] == [*([] if is_first else [3]), 0, 2]
    assert {turn["game"] for turn in turns(table)} == {len(told), *([] if is_first else [1])}
    figures = figures_of(table.replay, rows(table))
    assert [opening.game for opening in figures.openings] == [*([] if is_first else [1]), len(told)]
    assert figures.habits[0].doubles == (not is_first)


def test_a_play_that_nobody_saw_is_null() -> None:
    table = Table().game().turns(1).roll("two", 42)
    unseen = turns(table.record(play.PlayUnseen(seat=Seat.TWO)))[-1]
    assert (unseen["dice"], unseen["play"], unseen["is_legal"]) == ("42", None, None)
    assert unseen["position_id_after"] is None


def test_a_roll_that_was_void_is_no_turn() -> None:
    table = Table().game().turns(1).roll("two", 66)
    table.void(table.last, "two").turn("two", 42, "8/4 6/4")
    assert [turn["dice"] for turn in turns(table)] == ["31", "42"]


def test_reserves_are_those_after_the_turn() -> None:
    table = Table().clock(reserve_s=100, delay_s=0).game().opening(3, 1)
    table.play("one", "8/5 6/5").press("one", 30).turn("two", 42, "8/4 6/4").press("two", 50)
    told = [(turn["reserve_one_ms"], turn["reserve_two_ms"]) for turn in turns(table)]
    assert told == [(70_000, 100_000), (70_000, 80_000)]


def test_what_double_answer_and_play_took_stand_in_their_turn() -> None:
    table = Table(5).clock(reserve_s=100, delay_s=12).game().opening(3, 1)
    table.play("one", "8/5 6/5", at_ms=5_000).press("one", 6)
    table.record(cube.DoubleOffered(seat=Seat.TWO, at_ms=9_000))
    table.record(cube.DoubleTaken(seat=Seat.ONE, at_ms=24_000))
    table.record(dice.Rolled(seat=Seat.TWO, dice=(4, 2), at_ms=26_000))
    table.play("two", "8/4 6/4", at_ms=30_000).press("two", 31)
    names = ("double_ms", "answer_ms", "play_ms", "delay_used_ms")
    told = [tuple(turn[name] for name in names) for turn in turns(table)]
    assert told[1] == (3_000, 15_000, 4_000, 12_000)
    assert told[0][:2] == (None, None)


def test_a_retracted_turn_is_gone() -> None:
    table = Table().game().turns(2)
    roll, made = (event.entry_id for event in table.events[-2:])
    assert len(turns(table.retract(made).retract(roll))) == 1


def test_a_match_is_one_row() -> None:
    table = Table(3).win("gammon").win("single")
    match = named(tables.MATCHES, rows(table).match)
    assert (match["match_id"], match["opened_at"], match["version"]) == ("m", 7, len(table.events))
    assert (match["score_one"], match["winner"], match["won_by"]) == (3, "one", "score")
    assert (match["games"], match["turns"], match["state"]) == (2, 2, "ended")
    assert (match["name_one"], match["name_two"]) == ("Ida Berg", None)


def test_a_question_is_told_with_its_readings() -> None:
    table = Table(rule_set="fcbg-club").game()
    table.record(equipment.EquipmentAgreed(item="throwing_side", half="left"))
    found = [named(tables.FINDINGS, row) for row in rows(table).findings]
    (asked,) = (one for one in found if one["topic"])
    assert asked["code"] == "throwing-side"
    assert len(asked["readings"]) > 1
    assert asked["answered_by"] is None


def test_a_finding_tells_on_which_sentences_it_rests_and_which_are_in_hand() -> None:
    table = Table(7, rule_set="wbgf-2.1").clock(reserve_s=0, delay_s=12).record(FLAG)
    asked, decided = (
        replay(table.events, in_hand=in_hand) for in_hand in ({}, {"wbgf-2.1": {"4.3(iii)": HASH}})
    )
    for shown, sha256 in ((asked, ""), (decided, HASH)):
        told = rows_of(shown, log_id="club", match_id="m", opened_at=7, names=NOBODY)
        found = [named(tables.FINDINGS, row) for row in told.findings]
        (flag,) = (one for one in found if one["code"] == "flag-noticed")
        assert (flag["rests_on"], flag["rests_on_sha256"]) == (["4.3(iii)"], [sha256])
        assert flag["is_verified"] is bool(sha256)
        assert encoded(tables.FINDINGS, columns_of(tables.FINDINGS, told.findings))


def test_a_finding_under_a_text_that_was_read_whole_rests_on_no_single_sentence() -> None:
    table = Table(7, rule_set="usbgf-2017-07").record(FLAG)
    found = [named(tables.FINDINGS, row) for row in rows(table).findings]
    assert {(*one["rests_on"], *one["rests_on_sha256"]) for one in found} == {()}


def test_a_double_out_of_turn_leaves_no_turn_beyond_the_record() -> None:
    table = Table().game().opening(2, 1).double("two")
    last = table.replay.version
    assert [turn["double"] for turn in turns(table)] == ["offered", None]
    assert all(one["first_version"] <= one["last_version"] <= last for one in turns(table))


@pytest.mark.gate
@given(STREAMS)
def test_whatever_was_recorded_fits_into_the_tables(events: list[RecordedEvent]) -> None:
    told = rows_of(replay(events), log_id="club", match_id="m", opened_at=0, names=NOBODY)
    for table, of_table in (
        (tables.MATCHES, [told.match]),
        (tables.GAMES, told.games),
        (tables.TURNS, told.turns),
        (tables.FINDINGS, told.findings),
    ):
        assert encoded(table, columns_of(table, of_table))
        for row in of_table:
            empty = {name for name, value in named(table, row).items() if value is None}
            assert empty <= {column.name for column in table.columns if column.is_null}
    keys = [
        (turn["game"], turn["turn"]) for turn in (named(tables.TURNS, row) for row in told.turns)
    ]
    assert keys == sorted(set(keys))
    for row in told.turns:
        turn = named(tables.TURNS, row)
        assert turn["first_version"] <= turn["last_version"] <= events[-1].version
