"""Taps that narrow the legal plays: what they mean, how each play is reached, how many it takes."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from events.payloads.play import PlayMade
from events.values import CheckerMove, Seat
from projections.board import taps
from projections.board.notation import format_play
from projections.board.position import STARTING, Position
from projections.replay import replay
from tests.api.exchange.recorded import Shelf, events_of
from tests.projections.board import vectors
from tests.projections.table import SCENES, men
from tests.web import tap_schemes
from tests.web.tap_schemes import Turn


def tapped(
    words: str,
    dice: int,
    position: Position = STARTING,
    *,
    is_silent: bool = True,
) -> taps.Entering:
    """The state after some words."""
    state = taps.begin(position, (dice // 10, dice % 10), is_silent=is_silent)
    return taps.taps(state, words.split())


def play_of(state: taps.Entering) -> str | None:
    """The play to record, as text."""
    return None if state.moves is None else format_play(state.moves)


def scene(name: str) -> Position:
    one, two = map(men, SCENES[name])
    return Position(one, two)


@pytest.mark.parametrize(
    ("dice", "words", "play"),
    [
        (31, "8 6", "8/5 6/5"),
        (31, "5 5", "8/5 6/5"),
        (65, "24", "24/18 18/13"),
        (65, "13 8 13", "13/8 13/7"),
        (64, "13 24", "24/20 13/7"),
        (64, "24 13", "24/18 13/9"),
        (66, "24 13 x2", "24/18(2) 13/7(2)"),
    ],
)
def test_a_tap_moves_a_checker_and_the_larger_die_goes_first(
    dice: int, words: str, play: str
) -> None:
    assert play_of(tapped(words, dice)) == play


def test_while_two_plays_are_equally_like_nothing_is_decided() -> None:
    assert play_of(tapped("8", 31)) is None
    assert len(tapped("8", 31).remaining) > 1


@pytest.mark.parametrize(
    ("dice", "word", "play"),
    [
        (31, "5", "8/5 6/5"),
        (42, "4", "8/4 6/4"),
        (61, "7", "13/7 8/7"),
        (53, "3", "8/3 6/3"),
        (64, "2", "8/2 6/2"),
    ],
)
def test_a_tap_where_nobody_stands_makes_the_point(dice: int, word: str, play: str) -> None:
    assert play_of(tapped(word, dice)) == play


def test_a_tap_on_the_tray_bears_off_all_that_can_go() -> None:
    bearing = Position(men("3:2 2:2 1:2 off:9"), men("1:2 off:13"))
    assert play_of(tapped("off", 31, bearing)) == "3/off 1/off"


def test_a_further_tap_corrects_a_play_that_was_drawn() -> None:
    assert play_of(tapped("24", 65)) == "24/18 18/13"
    assert play_of(tapped("24 8", 65)) == "24/18 8/3"
    assert play_of(tapped("24 8 7", 65)) is None
    assert tapped("24 8 7", 65).is_free


def test_a_dance_waits_for_played_where_players_see_the_screen() -> None:
    dance = scene("closed").swap()
    assert play_of(tapped("", 66, dance)) is None
    assert play_of(tapped("played", 66, dance)) == ""
    assert play_of(tapped("", 66, dance, is_silent=False)) == ""


def test_a_forced_play_is_drawn_at_its_first_tap_or_when_played_is_said() -> None:
    position = scene("forced")
    (forced,) = position.legal_plays((6, 1))
    text = format_play(forced.moves)
    assert play_of(tapped("", 61, position)) is None
    assert play_of(tapped("bar", 61, position)) == text
    assert play_of(tapped("played", 61, position)) == text


def test_a_play_that_is_not_legal_becomes_what_was_tapped() -> None:
    state = tapped("8 4 6 5", 31)
    assert state.is_free
    assert play_of(state) is None
    assert play_of(taps.tap(state, "played")) == "8/4 6/5"


def test_nothing_played_is_recorded_as_nothing() -> None:
    assert play_of(tapped("played", 31)) == ""


def test_free_placement_takes_any_shape() -> None:
    assert play_of(tapped("free 6 13 played", 31)) == "6/13"
    assert play_of(tapped("free 8 8 13 7 played", 31)) == "13/7"
    assert play_of(tapped("free 13 7 x2 played", 31)) == "13/7(2)"


def test_the_reading_before_a_decision_does_not_ask_what_is_legal() -> None:
    legal, illegal = tapped("13 24 20", 64), tapped("13 24 20", 51)
    assert not legal.is_free
    assert illegal.is_free
    assert legal.placed == illegal.placed


def test_a_checker_put_down_where_it_was_has_not_moved() -> None:
    state = tapped("8 x2 6 x2 played", 55)
    assert state.moves is not None
    assert all(move.from_point != move.to_point for move in state.moves)


@pytest.mark.parametrize(
    ("words", "untold"),
    [
        ("13 played", (13,)),
        ("8 4 20 played", (20,)),
        ("free 13 7 8 played", (8,)),
        ("20 played", (20,)),
    ],
)
def test_a_play_with_one_end_of_a_move_is_not_known_though_it_is_said_to_be_all(
    words: str, untold: tuple[int, ...]
) -> None:
    state = tapped(words, 52)
    assert state.is_done
    assert state.untold == untold
    assert state.moves is None


def test_after_played_nothing_changes() -> None:
    done = tapped("played", 31)
    assert taps.tap(done, "8") == done


@pytest.mark.parametrize("word", ["0", "25", "07", "cube", "", "x3", "٣"])
def test_a_word_that_names_nothing_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is no point"):
        taps.tap(taps.begin(STARTING, (3, 1)), word)


def test_every_play_is_reached_by_tapping_what_changed_in_any_order() -> None:
    chance = random.Random(3)
    plays = 0
    positions = [*vectors.played_positions(chance, 60), *vectors.thrown_positions(chance, 60)]
    for position in positions:
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        state = taps.begin(position, dice)
        for choice in state.choices[:40]:
            points = [point for point, changes in enumerate(choice.changes) for _ in range(changes)]
            chance.shuffle(points)
            reached = taps.taps(state, list(map(taps.word_of, points)))
            expected = () if not points else choice.moves
            assert points == [] or reached.choice is not None
            assert not points or _end(position, reached.moves) == _end(position, _as(expected))
            plays += 1
    assert plays > 1_000


def _as(moves: tuple[tuple[int, int], ...]) -> tuple[CheckerMove, ...]:
    return tuple(CheckerMove(*move) for move in moves)


def _end(position: Position, moves: tuple[CheckerMove, ...] | None) -> Position | None:
    assert moves is not None
    return position.moved(moves).position


def test_free_placement_can_say_any_moves() -> None:
    chance = random.Random(4)
    for position in vectors.played_positions(chance, 200):
        own, moves = list(position.own), []
        for _ in range(chance.randint(0, 4)):
            source = chance.choice([point for point in range(1, 26) if own[point] > 0])
            target = chance.choice([point for point in range(25) if point != source])
            own[source] -= 1
            own[target] += 1
            moves.append((source, target))
        words = ["free", *(taps.word_of(point) for move in moves for point in move), "played"]
        assert taps.taps(taps.begin(position, (6, 5)), words).moves == _as(tuple(moves))


def test_real_turns_take_few_taps(
    shared_folder: Path, require: Callable[[bool, str], None]
) -> None:
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    turns = [turn for _, read in Shelf(folder).read[::24] for turn in _turns(events_of(read))]
    assert len(turns) > 2_000
    counts = sorted(tap_schemes.ours(turn, is_silent=True) for turn in turns)
    last = len(counts) - 1
    assert statistics.mean(counts) <= 3.0
    median, nine_of_ten, nearly_all = (counts[round(last * part)] for part in (0.5, 0.9, 0.99))
    assert median <= 3
    assert nine_of_ten <= 4
    assert nearly_all <= 6
    forced = [turn for turn in turns if _is_forced(turn)]
    assert len(forced) > 200
    assert {tap_schemes.ours(turn, is_silent=False) for turn in forced} == {1}
    assert {tap_schemes.ours(turn, is_silent=True) for turn in forced} == {2}
    assert sum(counts) <= 0.60 * sum(map(tap_schemes.gnubg, turns))
    assert sum(counts) <= 0.75 * sum(map(tap_schemes.extreme, turns))


def _is_forced(turn: Turn) -> bool:
    """Whether the rules allowed nothing else than what was played, be it that nothing could be."""
    choices = taps.begin(turn.position, turn.dice).choices
    if len(choices) != 1:
        return False
    only, made = _as(choices[0].moves), _as(turn.moves)
    return _end(turn.position, only) == _end(turn.position, made)


def _turns(events: object) -> list[Turn]:
    found = []
    for step in replay(events).steps:  # type: ignore[arg-type]
        made, board = step.event.payload, step.before.positions.board
        if not isinstance(made, PlayMade) or made.resulting_position or board is None:
            continue
        dice = step.before.flow.dice_of(made.seat)
        if dice is not None:
            seen = board if made.seat is Seat.ONE else board.swap()
            moves = tuple((move.from_point, move.to_point) for move in made.moves)
            found.append(Turn(seen, dice, moves))
    return found
