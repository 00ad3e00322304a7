"""The .mat writer: the safe profile, reading back, and a loss for every fact left out."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.mat import writer as mat
from api.exchange.mat.headings import score_line
from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, match, penalty, play
from events.payloads.base import Option, Payload
from events.values import BySeat, CheckerMove, Seat
from projections.board.legal import legal_plays
from projections.board.position import STARTING, Position
from projections.replay import Replay, replay
from tests.projections.table import Table

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

NAMES = BySeat("Ada", "Ben")


def events(*payloads: Payload) -> list[RecordedEvent]:
    return [
        RecordedEvent(
            version,
            f"00000000-0000-8000-8000-{version:012x}",
            catalogue.tag_of(payload)[0],
            Basis.OBSERVED,
            payload,
        )
        for version, payload in enumerate(payloads, 1)
    ]


def entry(version: int) -> str:
    return f"00000000-0000-8000-8000-{version:012x}"


def opened(length: int | None = 5) -> match.MatchOpened:
    return match.MatchOpened(players=BySeat((match.Player(),), (match.Player(),)), length=length)


def rolled(seat: Seat, *faces: int) -> dice.Rolled:
    return dice.Rolled(seat=seat, dice=(faces[0], faces[1]))


def made(seat: Seat, *moves: tuple[int, int]) -> play.PlayMade:
    return play.PlayMade(seat=seat, moves=tuple(CheckerMove(*move) for move in moves))


def body(text: str) -> list[str]:
    """Rows of the first game."""
    lines = text.split("\n")
    return lines[lines.index(" Game 1") + 2 :][:-1]


def kinds(written: Any) -> set[str]:
    return {loss.kind for loss in written.losses} - {"proof", "header", "finding"}


ONE, TWO = Seat.ONE, Seat.TWO


def story(replayed: Replay) -> list[object]:
    """What a .mat file can hold of a match: rolls, boards, cube, results."""
    told: list[object] = []
    for step in replayed.steps:
        payload = step.event.payload
        match payload:
            case match.GameStarted():
                told.append(("game", step.before.score.score))
            case dice.Rolled(seat=seat, dice=faces):
                told.append((seat, faces))
            case dice.OpeningRolled(one=one, two=two) if one != two:
                told.append((ONE, (one, two)) if one > two else (TWO, (two, one)))
            case play.PlayMade(seat=seat):
                told.append((seat, step.after.positions.board))
            case cube.DoubleOffered() | cube.DoubleTaken() | cube.DoubleDropped():
                told.append((type(payload), payload.seat, step.after.cube.value))
    told += [(game.winner, game.points) for game in replayed.state.score.games]
    return told


# -- the table of losses ---------------------------------------------------------------------


# -- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["galaxy_3pt.txt", "gnubg_3pt.mat", "studio_5pt.txt", "xg_7pt.txt"]
)
def test_what_the_format_holds_comes_back(
    name: str, golden_files: list[Path], recorded: Recorded
) -> None:
    path = next(path for path in golden_files if path.name == name)
    (first,) = read_file(path.read_bytes(), name)
    before = replay(recorded(first))
    written = mat.write(before, NAMES)
    (second,) = read_file(written.text.encode(), "export.mat")
    after = replay(recorded(second))
    assert story(after) == story(before)
    assert second.dialect == "tabularium-mat"
    assert not {notice.code.value for notice in second.notices} - {"unfinished"}
    assert mat.write(after, NAMES).text == written.text


def random_match(seed: int) -> list[Payload]:
    """A match of legal plays, doubles, drops and bear-offs, opening throws included."""
    chance = random.Random(seed)
    length = chance.choice([1, 3, 7, None])
    told: list[Payload] = [opened(length)]
    score = {ONE: 0, TWO: 0}
    for number in range(1, 4):
        if length is not None and max(score.values()) >= length:
            break
        told.append(match.GameStarted(number=number))
        winner, points = random_game(chance, told)
        score[winner] += points
    return told


def random_game(chance: random.Random, told: list[Payload]) -> tuple[Seat, int]:
    board, value = Position.start(), 1
    owner: Seat | None = None
    first, second = chance.sample(range(1, 7), 2)
    told.append(dice.OpeningRolled(one=first, two=second))
    seat = ONE if first > second else TWO
    faces = (first, second) if seat is ONE else (second, first)
    is_first = True
    while True:
        if not is_first:
            if owner in (None, seat) and chance.random() < 0.03:
                told.append(cube.DoubleOffered(seat=seat))
                if chance.random() < 0.3:
                    told.append(cube.DoubleDropped(seat=seat.other))
                    return seat, value
                told.append(cube.DoubleTaken(seat=seat.other))
                value, owner = value * 2, seat.other
            faces = (chance.randint(1, 6), chance.randint(1, 6))
            told.append(rolled(seat, *faces))
        is_first = False
        plays = list(legal_plays(board, faces))
        moves = chance.choice(plays).moves if plays else ()
        told.append(play.PlayMade(seat=seat, moves=moves))
        after = board.moved(moves).position
        assert after is not None
        if after.own[0] == 15:
            factor = 1 if after.other[0] else 2
            return seat, value * factor
        board, seat = after.swap(), seat.other


@pytest.mark.parametrize("seed", range(12))
def test_random_matches_come_back(seed: int, recorded: Recorded) -> None:
    before = replay(events(*random_match(seed)))
    assert not [f for f in before.findings if f.code == "illegal-play"]
    written = mat.write(before, NAMES)
    (read,) = read_file(written.text.encode(), "x.mat")
    assert story(replay(recorded(read))) == story(before)
    assert all(len(line.encode()) < 1_000 and line == line.rstrip() for line in body(written.text))


# -- cells -----------------------------------------------------------------------------------


def test_joined_moves_are_split_and_stars_derived() -> None:
    told = [
        *(opened(), match.GameStarted(number=1)),
        *(rolled(ONE, 6, 5), made(ONE, (24, 13))),
        *(rolled(TWO, 1, 3), made(TWO, (24, 23), (13, 10))),
        *(rolled(ONE, 6, 4), made(ONE, (8, 2), (6, 2))),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == [
        "  1) 65: 24/18 18/13             13: 24/23 13/10",
        "  2) 64: 8/2* 6/2",
    ]
    assert "steps" in kinds(written)


def test_beginner_on_the_right_leaves_the_first_left_cell_empty() -> None:
    told = [opened(), match.GameStarted(), dice.OpeningRolled(one=1, two=3)]
    told.append(made(TWO, (8, 5), (6, 5)))
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == ["  1)                             31: 8/5 6/5"]
    assert "opening" in kinds(written)


def test_a_lone_word_on_the_left_stands_further_in() -> None:
    told = [
        *(opened(), match.GameStarted(number=1), rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))),
        *(cube.DoubleOffered(seat=TWO), cube.DoubleDropped(seat=ONE)),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == [
        "  1) 31: 8/5 6/5                  Doubles => 2",
        "  2)       Drops",
        "                                  Wins 1 point",
    ]


def illegal_story() -> list[Payload]:
    return [
        *(opened(), match.GameStarted(number=1)),
        *(rolled(ONE, 3, 1), made(ONE, (24, 18))),
        *(rolled(TWO, 6, 2), made(TWO, (24, 18), (13, 11))),
    ]


def test_illegal_play_is_written_raw_or_as_the_board_after_it() -> None:
    replayed = replay(events(*illegal_story()))
    raw = mat.write(replayed, NAMES)
    assert body(raw.text)[0].startswith("  1) 31: 24/18  ")
    assert "illegal-play" in kinds(raw)
    stated = mat.write(replayed, NAMES, illegal="stated")
    assert "31: Illegal play (5;0;0;0;0;Ben;Ada;0;0;0;1;0;0;" in stated.text
    assert "illegal-steps" in kinds(stated)


def test_stated_board_comes_back(recorded: Recorded) -> None:
    before = replay(events(*illegal_story()))
    (read,) = read_file(mat.write(before, NAMES, illegal="stated").text.encode(), "x.mat")
    assert not [notice for notice in read.notices if notice.code.value == "position-conflict"]
    assert story(replay(recorded(read))) == story(before)


def test_a_board_stated_as_it_stands_makes_no_illegal_play_of_the_one_before() -> None:
    end = STARTING.moved((CheckerMove(8, 5), CheckerMove(6, 5))).position
    assert end is not None
    checkers = BySeat(end.own, end.other)
    told = [
        *(opened(), match.GameStarted(number=1)),
        *(rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))),
        play.PositionStated(checkers=checkers, on_roll=TWO, dice=(6, 2)),
        made(TWO, (24, 18), (13, 11)),
    ]
    written = mat.write(replay(events(*told)), NAMES, illegal="stated")
    assert body(written.text) == ["  1) 31: 8/5 6/5                 62: 24/18 13/11"]


def test_an_illegal_play_known_by_its_end_is_written_in_steps_that_lead_there(
    recorded: Recorded,
) -> None:
    wrong = (CheckerMove(24, 22), CheckerMove(13, 5))
    end = STARTING.moved(wrong).position
    assert end is not None
    told = [
        *(opened(), match.GameStarted(number=1), rolled(ONE, 3, 1)),
        play.PlayMade(seat=ONE, resulting_position=BySeat(end.own, end.other)),
        *(rolled(TWO, 6, 2), made(TWO, (24, 18), (13, 11))),
    ]
    before = replay(events(*told))
    written = mat.write(before, NAMES)
    assert body(written.text) == ["  1) 31: 24/22 13/5              62: 24/18 13/11"]
    assert {"told-by-end", "illegal-play"} <= kinds(written)
    (read,) = read_file(written.text.encode(), "x.mat")
    assert replay(recorded(read)).state.positions.board == before.state.positions.board


def test_gap_is_hidden() -> None:
    told = [
        *(opened(), match.GameStarted(number=1)),
        *(rolled(ONE, 3, 1), play.PlayUnseen(seat=ONE, written="?")),
        *(rolled(TWO, 6, 2), made(TWO, (24, 18), (13, 11))),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == ["  1) 31: ????                    62: 24/18 13/11"]
    assert "gap" in kinds(written)


def test_a_game_of_which_only_the_end_is_known_is_a_game_of_its_own(recorded: Recorded) -> None:
    told = [
        *(opened(), match.GameStarted(number=1), rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))),
        *(cube.DoubleOffered(seat=TWO), cube.DoubleDropped(seat=ONE)),
        play.PlayUnseen(spans=play.UnseenSpan.GAMES),
        match.GameWon(winner=ONE, points=2),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    first, second = written.text.split(" Game 2\n")
    assert first.rstrip().endswith("Wins 1 point")
    assert second.rstrip().splitlines()[0].split() == ["Ada", ":", "0", "Ben", ":", "1"]
    assert second.rstrip().endswith("Wins 2 points")
    (read,) = read_file(written.text.encode(), "x.mat")
    ends = [(game.winner, game.points) for game in replay(recorded(read)).state.score.games]
    assert ends == [(TWO, 1), (ONE, 2)]


def test_a_first_game_of_which_only_the_end_is_known_is_one_too(recorded: Recorded) -> None:
    table = Table(5).record(play.PlayUnseen(spans=play.UnseenSpan.GAMES)).won("two", 2)
    written = mat.write(table.game().turns(2).replay, NAMES)
    first, second = written.text.split(" Game 2\n")
    assert first.rstrip().endswith("Wins 2 points")
    assert second.splitlines()[0].split() == ["Ada", ":", "0", "Ben", ":", "2"]
    (read,) = read_file(written.text.encode(), "x.mat")
    assert [game.points for game in replay(recorded(read)).state.score.games] == [2]


def test_play_put_right_undoes_what_followed() -> None:
    told = [
        *illegal_story(),
        play.PlayCorrected(target=entry(4), moves=(CheckerMove(8, 5), CheckerMove(6, 5))),
        *(rolled(TWO, 4, 2), made(TWO, (8, 4), (6, 4))),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == ["  1) 31: 8/5 6/5                 42: 8/4 6/4"]
    assert "revision" in kinds(written)


def test_a_roll_that_is_void_after_it_was_played_takes_its_play_along() -> None:
    told = [
        *(opened(), match.GameStarted(number=1), rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))),
        *(rolled(TWO, 4, 2), made(TWO, (8, 4), (6, 4))),
        dice.Voided(seat=TWO, reason=dice.VoidReason.COCKED, target=entry(5)),
        *(rolled(TWO, 6, 1), made(TWO, (13, 7), (8, 7))),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == ["  1) 31: 8/5 6/5                 61: 13/7 8/7"]
    assert {"revision", "void-throw"} <= set(kinds(written))


def test_revised_play_is_written_as_it_is_now() -> None:
    told = [
        *(opened(), match.GameStarted(number=1), rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))),
        play.PlayRevised(
            seat=ONE, target=entry(4), moves=(CheckerMove(24, 23), CheckerMove(13, 10))
        ),
    ]
    written = mat.write(replay(events(*told)), NAMES)
    assert body(written.text) == ["  1) 31: 24/23 13/10"]


@pytest.mark.parametrize(("reading", "stated"), [("adopted", "On"), ("does_not_bind", "Off")])
def test_a_crawford_game_that_a_club_adopts_by_a_ruling_is_stated(
    reading: str, stated: str
) -> None:
    table = Table(3, rule_set="fcbg-club", score=(2, 0)).game()
    question = dispute.Question(topic="crawford.phase", at=table.last)
    answer = dispute.Answer(question=question, reading=reading)
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert f'; [Crawford "{stated}"]' in mat.write(table.replay, NAMES).text


def test_an_option_that_no_header_states_is_left_out_and_named() -> None:
    options = {"crawford": "off", "jacoby": "on", "moves_policy": "legal", "rated": False}
    pinned = {name: Option(value=value) for name, value in options.items()}
    opened = match.MatchOpened(players=BySeat((), ()), length=5, options=pinned)
    written = mat.write(replay(events(opened, match.GameStarted())), NAMES)
    [said] = [loss.detail for loss in written.losses if loss.kind == "header"]
    named = {name for name in options if f"option {name}" in said}
    assert named == {"moves_policy", "rated"}


def test_a_play_that_was_changed_to_a_board_is_written_by_its_end() -> None:
    table = Table().game().turns(1).roll("two", 42).play("two", "24/20 24/22")
    end = STARTING.moved((CheckerMove(8, 4), CheckerMove(6, 4))).position.own
    one = table.state.positions.board
    assert one is not None
    table.revise("two", table.last, resulting_position=BySeat(one.own, end))
    assert "42: 8/4 6/4" in mat.write(table.replay).text


@pytest.mark.parametrize("illegal", ["raw", "stated"])
def test_a_play_that_a_set_board_puts_right_is_written_by_its_end(illegal: Any) -> None:
    """With the dice that were shown again, and not as it was made first."""
    table = Table().game().opening(3, 1).play("one", "24/20 24/22")
    end = STARTING.moved((CheckerMove(8, 4), CheckerMove(6, 4))).position
    table.correct(table.last, dice=(4, 2), checkers=BySeat(end.own, end.other))
    [row] = body(mat.write(table.turn("two", 53, "8/3 6/3").replay, illegal=illegal).text)
    assert row.split()[1] == "42:"
    assert ("8/4 6/4" in row) == (illegal == "raw")
    assert "53: 8/3 6/3" in row


def test_a_game_is_won_by_what_a_ruling_has_it_count() -> None:
    """A gammon under Jacoby's rule, ruled a single game, does not win the match."""
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 0), jacoby="on").game().win("gammon")
    assert "Wins 2 points and the match\n" in mat.write(table.replay).text
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    answer = dispute.Answer(question=question, reading="single")
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert "Wins 1 point\n" in mat.write(table.replay).text


def test_losses_name_and_count_what_is_left_out() -> None:
    told = [
        opened(),
        clock.ClockSet(kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(600_000, 600_000)),
        match.GameStarted(number=1),
        dice.OpeningRolled(one=4, two=4),
        dice.OpeningRolled(one=3, two=1),
        made(ONE, (8, 5), (6, 5)),
        clock.ClockPressed(seat=ONE, at_ms=5_000),
        dice.Voided(seat=TWO, reason=dice.VoidReason.OFF_BOARD),
        rolled(TWO, 4, 2),
        made(TWO, (8, 4), (6, 4)),
        clock.ClockPressed(seat=TWO),
        penalty.PenaltyAssessed(seat=TWO, points=1),
        dispute.DirectorCalled(by=dispute.Actor.ONE),
    ]
    losses = {loss.kind: loss for loss in mat.write(replay(events(*told)), NAMES).losses}
    assert losses["clock"].count == 3
    assert losses["clock"].versions == (2, 7, 11)
    assert losses["opening-tie"].versions == (4,)
    assert losses["void-throw"].versions == (8,)
    assert losses["penalty"].versions == (12,)
    assert losses["dispute"].versions == (13,)
    assert losses["time"].versions == (7,)
    assert losses["proof"].count == len(told)
    assert "game 1, turn 1" in losses["void-throw"].detail


def test_any_match_can_be_written() -> None:
    for payloads in ([], [opened(None)], [match.GameStarted()], [rolled(ONE, 3, 1)]):
        written = mat.write(replay(events(*payloads)))
        assert " point match\n" in written.text


# -- names -----------------------------------------------------------------------------------


def test_withheld_names_are_replaced() -> None:
    written = mat.write(replay(events(opened(), match.GameStarted(number=1))))
    assert " Player 1 : 0" in written.text
    assert '; [Player 2 "Player 2"]' in written.text


@pytest.mark.parametrize(
    "name",
    [
        *(":", "", " ", "a : 5   b", "x, 9", "24) 31: 8/5", "; [Event", "Game 3", "\n\r\t", '"]'),
        "Ö" * 40,
    ],
)
def test_breaking_names_come_back_as_one_score_line(name: str) -> None:
    held(name)


@given(st.text(max_size=60))
def test_any_name_comes_back_as_one_score_line(name: str) -> None:
    held(name)


def held(name: str) -> None:
    told = [opened(), match.GameStarted(number=1), rolled(ONE, 3, 1), made(ONE, (8, 5), (6, 5))]
    written = mat.write(replay(events(*told)), BySeat(name, "Ben"))
    shown = mat.sanitised(name, "Player 1")
    assert 0 < len(shown.encode()) <= 31
    assert not set(shown) & set(":;)")
    (read,) = read_file(written.text.encode(), "x.mat")
    assert read.rolls == 1
    line = next(k for k, text in enumerate(written.text.split("\n")) if text == " Game 1") + 1
    found = score_line(written.text.split("\n")[line])
    assert found is not None
    assert found[0] == (shown, "Ben")
    assert {loss.kind for loss in written.losses} >= {"name"} or shown == name
