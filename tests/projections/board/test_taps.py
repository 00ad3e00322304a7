"""Taps that narrow the legal plays: their meaning, how each play is reached, how many it takes."""

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

pytestmark = pytest.mark.gate


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
        (31, "5 5", "8/5 6/5"),
        (61, "7 7", "13/7 8/7"),
        (64, "18 9", "24/18 13/9"),
        (66, "18 7 x2", "24/18(2) 13/7(2)"),
        (31, "8 5 6 5", "8/5 6/5"),
        (65, "24 18 18 13", "24/18 18/13"),
        (22, "13 11 13 11 6 4 6 4", "13/11(2) 6/4(2)"),
    ],
)
def test_a_play_is_told_where_nothing_else_fits(dice: int, words: str, play: str) -> None:
    assert play_of(tapped(words, dice)) == play


@pytest.mark.parametrize(
    ("dice", "words"),
    [
        (62, "18"),
        (31, "8 6"),
        (61, "13 8"),
        (65, "24 13"),
        (65, "24 18"),
        (31, "8 5"),
        (61, "24 20"),
    ],
)
def test_while_several_plays_fit_or_hops_may_follow_nothing_is_told(dice: int, words: str) -> None:
    assert play_of(tapped(words, dice)) is None


def test_where_players_see_it_what_is_blocked_fits_as_well() -> None:
    silent, monitor = tapped("18", 62), tapped("18", 62, is_silent=False)
    assert {format_play(_as(play.moves)) for play in silent.fits} == {
        "24/22 24/18",
        "24/18 13/11",
        "24/18 8/6",
        "24/18 6/4",
    }
    assert {play.key for play in monitor.fits} <= {play.key for play in silent.fits}
    assert len(tapped("20", 44).fits) == len(tapped("20", 44, _walls()).fits)


def _walls() -> Position:
    """The same own checkers, and every point of the other ones moved."""
    return Position(STARTING.own, (0, 0, 0, 0, 0, 0, 0, 0, 0, *(0,) * 16, 15))


@pytest.mark.parametrize("positions", [200, pytest.param(2_000, marks=pytest.mark.long)])
def test_what_the_opponent_blocks_changes_nothing_that_is_told_or_asked(positions: int) -> None:
    chance = random.Random(12)
    told = 0
    for _ in range(positions):
        own, closed, free = [0] * 26, [0] * 26, [0] * 26
        for point in chance.choices(range(1, 26), k=15):
            own[point] += 1
        # Points of two and more: they block, and nothing is hit on them.
        for point in chance.sample(range(1, 25), k=7):
            if own[25 - point] == 0:
                closed[point] = 2
        closed[0], free[0] = 15 - sum(closed), 15
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        points = [at for at in range(26) if own[at] > 0 or chance.random() < 0.3]
        words = [taps.word_of(at) for at in chance.choices(points, k=chance.randint(1, 6))]
        seen = []
        for other in (closed, free):
            state = taps.begin(Position(tuple(own), tuple(other)), dice)
            after = [state := taps.tap(state, word) for word in words]
            after.append(taps.tap(state, taps.PLAYED))
            seen.append(
                [(one.choice and one.choice.key, {p.key for p in one.fits}) for one in after]
            )
        assert seen[0] == seen[1], (own, closed, dice, words)
        told += any(choice for choice, _ in seen[0])
    assert told > positions // 8


def test_other_dice_in_one_hop_wait_for_played_and_a_sum_of_the_dice_does_not() -> None:
    # That 8 is no sum of a 6-1 is seen on the dice, whatever is legal; two hops of other dice are
    # told as any two are.
    assert play_of(tapped("24 17", 61)) is not None
    assert play_of(tapped("24 16", 61)) is None
    assert play_of(tapped("24 16 played", 61)) == "24/16"
    assert play_of(tapped("24 16 13 11", 61)) == "24/16 13/11"


def test_a_hop_by_hop_scribe_who_leaves_a_die_says_so() -> None:
    assert play_of(tapped("24 18", 65)) is None
    assert play_of(tapped("24 18 played", 65)) == "24/18"
    assert tapped("24 18 played", 65).is_named


def test_a_tap_on_the_tray_bears_off_all_that_can_go() -> None:
    bearing = Position(men("3:1 1:1 off:13"), men("1:2 off:13"))
    assert play_of(tapped("off", 65, bearing)) == "3/off 1/off"


def test_a_further_tap_opens_a_play_that_was_told() -> None:
    assert play_of(tapped("7 7", 61)) == "13/7 8/7"
    assert play_of(tapped("7 7 24", 61)) is None


def test_a_dance_waits_for_played_where_players_see_the_screen() -> None:
    dance = scene("closed").swap()
    assert play_of(tapped("", 66, dance)) is None
    assert play_of(tapped("played", 66, dance)) == ""
    assert play_of(tapped("", 66, dance, is_silent=False)) == ""


def test_a_forced_play_is_drawn_only_when_played_is_said() -> None:
    position = scene("forced")
    (forced,) = position.legal_plays((6, 1))
    assert play_of(tapped("", 61, position)) is None
    assert play_of(tapped("bar", 61, position)) is None
    assert play_of(tapped("played", 61, position)) == format_play(forced.moves)
    assert play_of(tapped("", 61, position, is_silent=False)) == format_play(forced.moves)


def test_played_names_the_hops_that_are_drawn_and_nothing_else() -> None:
    assert play_of(tapped("13 8 played", 61)) == "13/8"
    assert play_of(tapped("24 13 played", 65)) == "24/18 18/13"
    several = tapped("18 played", 62)
    assert (several.moves, several.is_done, several.words) == (None, False, ("18",))


def test_an_illegal_play_is_told_as_it_was_entered() -> None:
    assert play_of(tapped("8 4 6 5", 31)) == "8/4 6/5"
    assert play_of(tapped("24 20 played", 61)) == "24/20"


def test_nothing_played_is_recorded_as_nothing() -> None:
    assert play_of(tapped("played", 31)) == ""


def test_free_placement_takes_any_shape() -> None:
    assert play_of(tapped("free 6 13 played", 31)) == "6/13"
    assert play_of(tapped("free 8 8 13 7 played", 31)) == "13/7"
    assert play_of(tapped("free 13 7 x2 played", 31)) == "13/7(2)"


@pytest.mark.parametrize("words", ["13 played", "20 8 4 played", "free 13 7 8 played", "20 played"])
def test_with_one_end_of_a_move_alone_a_play_is_not_told(words: str) -> None:
    state = tapped(words, 52)
    assert not state.is_done
    assert state.moves is None


def test_after_played_nothing_changes() -> None:
    done = tapped("played", 31)
    assert taps.tap(done, "8") == done


@pytest.mark.parametrize("word", ["0", "25", "07", "cube", "", "x3", "٣"])
def test_a_word_that_names_nothing_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is no point"):
        taps.tap(taps.begin(STARTING, (3, 1)), word)


def test_nothing_is_told_while_another_play_fits_and_every_play_can_be_told() -> None:
    chance = random.Random(3)
    plays = 0
    positions = [*vectors.played_positions(chance, 40), *vectors.thrown_positions(chance, 40)]
    for position in positions:
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        start = taps.begin(position, dice)
        for choice in chance.sample(start.plays, min(12, len(start.plays))):
            hops = [point for move in choice.moves for point in move]
            changed = [
                point for point, changes in enumerate(choice.changes) for _ in range(changes)
            ]
            chance.shuffle(changed)
            for points in (hops, changed):
                state = start
                for point in points:
                    state = taps.tap(state, taps.word_of(point))
                    assert choice.key in {play.key for play in state.fits}
                    assert state.choice is None or state.choice.key == choice.key
                    _check_alone(state)
            said = taps.taps(start, [*map(taps.word_of, hops), taps.PLAYED])
            assert not hops or _end(position, said.moves) == _end(position, _as(choice.moves))
            plays += 1
    assert plays > 500


def _check_alone(state: taps.Entering) -> None:
    """Of all that the dice can do nothing else changes every tapped point as often."""
    if state.choice is None:
        return
    others = [
        play
        for play in state.plays
        if all(play.changes[point] >= state.points.count(point) for point in state.points)
    ]
    assert {play.key for play in others} <= {state.choice.key}


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


def test_real_turns_are_told_truly_and_in_few_taps(
    shared_folder: Path, require: Callable[[bool, str], None]
) -> None:
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    turns = [turn for _, read in Shelf(folder, every=90).read for turn in _turns(events_of(read))]
    assert len(turns) > 500
    asked = 0
    silent, seen_by_nobody = [], []
    for turn in turns:
        words = tap_schemes.hop_by_hop(turn, is_silent=True)
        _check_prefixes(turn, words)
        whole = len(tap_schemes.steps(turn)) == (4 if turn.dice[0] == turn.dice[1] else 2)
        asked += whole and taps.PLAYED in words
        fewest = tap_schemes.words_for(turn, is_silent=True)
        _check_prefixes(turn, fewest)
        # And one tap on the dice.
        silent.append(1 + len(fewest))
        seen_by_nobody.append(tap_schemes.ours(turn, is_silent=False))
    assert asked <= 0.005 * len(turns)
    counts = sorted(silent)
    assert statistics.mean(seen_by_nobody) <= 3.0
    # The cost of ignoring legality where players see the screen.
    assert statistics.mean(counts) <= 3.35
    assert statistics.median(counts) <= 3
    forced = [place for place, turn in enumerate(turns) if _is_forced(turn)]
    assert len(forced) > 50
    assert {seen_by_nobody[place] for place in forced} == {1}
    assert {silent[place] for place in forced} == {2}
    assert sum(counts) <= 0.70 * sum(map(tap_schemes.gnubg, turns))
    assert sum(counts) <= 0.85 * sum(map(tap_schemes.extreme, turns))


def _check_prefixes(turn: Turn, words: tuple[taps.Word, ...]) -> None:
    """Whenever the taps stop, only this play can be the answer, and nothing else fitted then."""
    state = tap_schemes.begun(turn, is_silent=True)
    for word in words:
        state = taps.tap(state, word)
        assert state.moves is None or tap_schemes.is_told(state, turn)
        if not state.is_done:
            _check_alone(state)


def _is_forced(turn: Turn) -> bool:
    """Whether the rules allowed only what was played, which may be no play at all."""
    choices = tap_schemes.begun(turn, is_silent=False).plays
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
