"""Golden vectors of the board, by which the tablet's JavaScript is held identical to Python.

Positions come from matches of a player who chooses any legal play at random, and from boards
thrown together, so that bars, dances, closed boards and bear-offs of every kind are among them.
A board is 52 digits to the base 36, the mover's 26 counts before the opponent's. A play is two
letters a move, `a` for off to `z` for the bar.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from events.values import BAR, CheckerMove
from projections.board import hops, taps
from projections.board.hops import Hop
from projections.board.position import STARTING, Position

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "board"

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def files() -> dict[str, Callable[[], list[Any]]]:
    """Name of each file to what makes its cases."""
    return {"legal": legal_cases, "moved": moved_cases, "taps": taps_cases}


def text_of(cases: list[Any]) -> str:
    """A JSON array, one case a line."""
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    return f"[\n{lines}\n]\n"


def legal_cases() -> list[Any]:
    """`[board, dice, plays]`: every legal play, one for each distinct end, in Python's order."""
    chance = random.Random(26)
    found = [_legal(STARTING, dice) for dice in ROLLS]
    for position in (*played_positions(chance, 1_900), *thrown_positions(chance, 1_400)):
        found.append(_legal(position, _dice(chance)))
    return found


def _legal(position: Position, dice: tuple[int, int]) -> list[Any]:
    plays = hops.every_legal(position.own, position.other, dice)
    return [board_text(position), _roll(dice), " ".join(map(play_text, plays))]


def moved_cases() -> list[Any]:
    """`[board, play, hits not lifted, board after or null, hits]`: moves of any shape."""
    chance = random.Random(27)
    found = []
    for position in (*played_positions(chance, 200), *thrown_positions(chance, 200)):
        moves = tuple(
            (chance.randint(1, 25), chance.randint(0, 25)) for _ in range(chance.randint(0, 4))
        )
        held = tuple(chance.sample(range(1, 25), chance.randint(0, 6)))
        moved = position.moved([CheckerMove(*move) for move in moves], held)
        after = None if moved.position is None else board_text(moved.position)
        found.append([board_text(position), play_text(moves), held, after, moved.hits])
    return found


def taps_cases() -> list[Any]:
    """`[board, dice or null, silent, words, states]`: one state more than words."""
    chance = random.Random(28)
    found = []
    for position in (*played_positions(chance, 900), *thrown_positions(chance, 300)):
        dice = None if chance.random() < 0.04 else _dice(chance)
        state = taps.begin(position, dice, is_silent=chance.random() < 0.7)
        silent = state.is_silent
        told = [state_of(state)]
        words = list(_words(chance, state))
        for word in words:
            state = taps.tap(state, word)
            told.append(state_of(state))
        roll = None if dice is None else _roll(dice)
        found.append([board_text(position), roll, silent, " ".join(words), told])
    return found


def state_of(state: taps.Entering) -> list[Any]:
    """`[fits, how many, free, moves to record or null, hops read or null, point picked up]`.

    The fits are told where they are few, up to eight.
    """
    moves = state.moves
    recorded = None if moves is None else play_text([(m.from_point, m.to_point) for m in moves])
    fits = [play_text(play.moves) for play in state.fits]
    reading = state.reading
    lies = [None, None] if reading is None else [play_text(reading.moves), reading.picked]
    shown = fits if len(fits) <= 8 else [fits[0], fits[-1]]
    return [" ".join(shown), len(fits), int(state.is_free), recorded, *lies]


def _words(chance: random.Random, state: taps.Entering) -> Iterator[taps.Word]:
    """Taps on points that a play changes, or hop by hop, now and then any other tap."""
    count = chance.randint(0, 7)
    wanted = chance.choice(state.plays) if state.plays else None
    changes = wanted.changes if wanted else ()
    changed = [point for point, count in enumerate(changes) for _ in range(count)]
    chance.shuffle(changed)
    if wanted and chance.random() < 0.3:
        # Hop by hop, the last one tapped first here.
        changed = [point for move in wanted.moves for point in move][::-1]
    for _ in range(count):
        fate = chance.random()
        if fate < 0.06:
            yield taps.TWICE
        elif fate < 0.09:
            yield taps.AS_PLAYED
        elif changed and fate < 0.86:
            yield taps.word_of(changed.pop())
        else:
            yield taps.word_of(chance.randint(0, 25))
    if chance.random() < 0.4:
        yield taps.PLAYED


def played_positions(chance: random.Random, count: int) -> Iterator[Position]:
    """Positions of whole games of random legal plays, the mover's view each time."""
    position = STARTING
    for _ in range(count):
        yield position
        dice = _dice(chance)
        ends = list(position.legal_plays(dice).ends)
        position = chance.choice(ends).swap()
        if position.other[0] == 15:
            position = STARTING


def thrown_positions(chance: random.Random, count: int) -> Iterator[Position]:
    """Boards thrown together: some crowded at home, some with checkers on the bar."""
    for _ in range(count):
        shape = chance.randrange(4)
        highest = {0: 24, 1: 6, 2: 12, 3: 24}[shape]
        own = _side(chance, range(1, highest + 1), chance.choice([15, 15, 15, 9, 4, 2]))
        if shape == 3:
            _put_on_bar(own, chance.randint(1, 4))
        free = [BAR - point for point in range(1, 25) if not own[point]]
        other = _side(chance, chance.sample(free, min(len(free), chance.randint(4, 9))), 15)
        yield Position(tuple(own), tuple(other))


def _side(chance: random.Random, points: Any, men: int) -> list[int]:
    counts = [0] * 26
    counts[0] = 15 - men
    for _ in range(men):
        counts[chance.choice(list(points))] += 1
    return counts


def _put_on_bar(counts: list[int], men: int) -> None:
    for point in range(24, 0, -1):
        taken = min(men, counts[point])
        counts[point] -= taken
        counts[BAR] += taken
        men -= taken


def _dice(chance: random.Random) -> tuple[int, int]:
    if chance.random() < 0.2:
        face = chance.randint(1, 6)
        return face, face
    return chance.randint(1, 6), chance.randint(1, 6)


def _roll(dice: tuple[int, int]) -> str:
    return f"{dice[0]}{dice[1]}"


def board_text(position: Position) -> str:
    """52 digits."""
    return "".join(_DIGITS[count] for count in (*position.own, *position.other))


def play_text(moves: Any) -> str:
    """Two letters a move; `-` for a play that moves nothing."""
    pairs: list[Hop] = list(moves)
    return "".join(_LETTERS[one] + _LETTERS[two] for one, two in pairs) or "-"
