"""What engines are asked about a match: every choice, or left out by name, never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from api.analysis.asking import REASONS, AskedCube, AskedGame, AskedPlay, asked_of
from api.analysis.plays import play_to
from api.exchange.readers import read_file
from api.exchange.writing.story import Kind, told
from events.envelope import RecordedEvent
from events.payloads import match
from events.values import Seat
from projections.board.legal import legal_positions
from projections.board.notation import parse
from projections.replay import Replay, replay
from tests.api.exchange.conftest import GOLDEN
from tests.api.exchange.recorded import events_of
from tests.projections.streams import STREAMS
from tests.projections.table import Table


def reasons(table: Table) -> list[str]:
    """Why something of a match is left out."""
    return [one.reason for game in asked_of(table.replay) for one in game.left_out]


def plays(games: list[AskedGame]) -> list[AskedPlay]:
    return [one for game in games for one in game.choices if isinstance(one, AskedPlay)]


def cubes(games: list[AskedGame]) -> list[AskedCube]:
    return [one for game in games for one in game.choices if isinstance(one, AskedCube)]


def check(shown: Replay) -> None:
    """Every play and double of the story is asked, or left out with a reason."""
    games = asked_of(shown)
    versions = {one.version for game in games for one in game.choices}
    left = {one.version for game in games for one in game.left_out}
    assert {one.reason for game in games for one in game.left_out} <= REASONS
    for game, story in zip(games, told(shown).games, strict=True):
        if any(one.reason == "score" for one in game.left_out):
            assert not game.choices
            continue
        for act in story.acts:
            is_choice = act.kind in (Kind.PLAY, Kind.DOUBLE) and (act.dice or act.moves)
            if is_choice or act.kind is Kind.DOUBLE:
                assert act.step.event.version in versions | left
    for one in plays(games):
        ends = legal_positions(one.before, one.dice)
        assert one.is_legal == (one.after in ends)
        if one.steps is not None:
            assert one.before.moved(one.steps).position == one.after


@given(STREAMS)
@settings(max_examples=60, deadline=None)
def test_whatever_was_recorded_is_asked_or_left_out_by_name(events: list[RecordedEvent]) -> None:
    check(replay(events))


@pytest.mark.parametrize("name", ["galaxy_3pt.txt", "gnubg_5pt.sgf", "odd.mat", "two_matches.mat"])
def test_every_choice_of_a_file_is_asked_or_left_out(name: str) -> None:
    for read in read_file((GOLDEN / name).read_bytes(), name):
        check(replay(events_of(read)))


def test_a_play_is_asked_at_its_own_version_and_its_roll_at_that_of_the_roll() -> None:
    table = Table().game().turns(2)
    second = plays(asked_of(table.replay))[1]
    assert (second.version, second.rolled_at, second.seat) == (6, 5, Seat.TWO)
    assert play_to(second.before, second.dice, second.after) == "8/4 6/4"


def test_an_illegal_play_is_left_out_and_its_roll_and_cube_are_not() -> None:
    table = Table().game().turns(2).turn("one", 61, "13/7 8/6")
    last = plays(asked_of(table.replay))[-1]
    assert (last.is_legal, last.steps, last.is_cube_clear) == (False, None, True)
    assert reasons(table) == ["illegal"]


def test_behind_a_gap_nothing_is_asked_until_the_board_is_stated() -> None:
    table = Table().game().turns(2).turn("one", 61, "22/16 8/7").turn("two", 53, "8/3 6/3")
    assert reasons(table)[-1] == "board-unknown"
    known = len(plays(asked_of(table.replay)))
    table.stated("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 24:2", on_roll=Seat.ONE).turn(
        "one", 31, "8/5 6/5"
    )
    found = plays(asked_of(table.replay))
    assert len(found) == known + 1
    assert found[-1].before.own[24] == 2


def test_a_double_that_was_voided_is_not_asked_nor_is_the_choice_not_to_double() -> None:
    table = Table().game().turns(2).double("one")
    table.void_cube(table.last).turn("one", 61, "13/7 8/7")
    games = asked_of(table.replay)
    assert not cubes(games)
    assert not plays(games)[-1].is_cube_clear
    assert reasons(table) == ["cube-void"]


def test_a_double_is_asked_with_its_answer_and_the_cube_as_it_was() -> None:
    table = Table().game().turns(2).double("one").take("two").turn("one", 61, "13/7 8/7")
    games = asked_of(table.replay)
    [double] = cubes(games)
    assert (double.answer, double.cube_value, double.cube_owner) == ("take", 1, None)
    assert (double.answered_at, double.version) == (8, 7)
    assert (plays(games)[-1].cube_value, plays(games)[-1].cube_owner) == (2, Seat.TWO)


def test_a_game_is_asked_about_in_a_match_as_long_as_it_was_found_to_be() -> None:
    table = Table(3).game().turns(2).double("one").drop("two").win("gammon")
    wrong = match.MatchLengthErrorFound(wrong=3, correct=5, during_game=False)
    table.record(wrong).game().turns(2)
    games = asked_of(table.replay)
    assert [game.length for game in games] == [3, 3, 5]
    assert len(games[2].choices) == 2


def test_a_double_without_an_answer_is_left_out() -> None:
    assert reasons(Table().game().turns(2).double("one")) == ["unanswered"]


def test_what_was_corrected_is_asked_by_its_last_word() -> None:
    table = Table().game().turns(2).turn("one", 61, "13/7 8/7")
    table.revise("one", table.last, "24/18 8/7")
    last = plays(asked_of(table.replay))[-1]
    assert last.version == len(table.events)
    assert play_to(last.before, last.dice, last.after) == "24/18 8/7"


def test_a_play_of_one_checker_is_said_in_one_step_unless_it_hits() -> None:
    table = Table().game().turns(1)
    before = plays(asked_of(table.replay))[0].before
    ends = {play_to(before, (6, 5), end) for end in legal_positions(before, (6, 5))}
    assert "24/13" in ends
    hit = table.replay.state.positions.board
    assert hit is not None
    for end in legal_positions(hit.swap(), (4, 1)):
        text = play_to(hit.swap(), (4, 1), end)
        assert text is not None
        assert hit.swap().moved(parse(text).moves).position == end
