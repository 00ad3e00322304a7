"""Oracles and random boards shared by the tests of the board room."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from events.values import CHECKERS, CheckerMove
from projections.board.position import Position
from tests.oracles.gnubg import GNUBG


@pytest.fixture(scope="session")
def spiel(require: Callable[[object, str], None]) -> ModuleType | None:
    """The module pyspiel (open_spiel), an independent generator of legal plays."""
    try:
        import pyspiel
    except ImportError:
        require(False, "open_spiel is not installed")
        return None
    return pyspiel  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def gnubg(require: Callable[[object, str], None]) -> Path | None:
    """The GNU Backgammon binary; it is only run in a separate process."""
    require(GNUBG, "GNU Backgammon is not installed")
    return GNUBG


@pytest.fixture(scope="session")
def playout() -> Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]]:
    """A function from chance to one random game: each (position, dice) before a play."""

    def _playout(chance: random.Random) -> Iterator[tuple[Position, tuple[int, int]]]:
        position = Position.start()
        while position.own[0] < CHECKERS and position.other[0] < CHECKERS:
            dice = (chance.randint(1, 6), chance.randint(1, 6))
            yield position, dice
            position = chance.choice(list(position.legal_plays(dice).ends)).swap()

    return _playout


@pytest.fixture(scope="session")
def wild() -> Callable[[random.Random], Position]:
    """A function from chance to a random board, likely with bars, blocks, blots and bear-offs."""

    def _wild(chance: random.Random) -> Position:
        reach = chance.choice((6, 8, 25))
        own, other = [0] * 26, [0] * 26
        for _ in range(chance.choice((1, 2, 3, 5, 9, 15))):
            own[chance.choice((chance.randint(1, reach), chance.randint(0, 6)))] += 1
        free = [point for point in range(1, 25) if not own[25 - point]]
        for _ in range(chance.choice((1, 4, 8, 12))):
            point = chance.choice([*free, 25, 0])
            other[point] += chance.choice((1, 2, 3))
        if chance.random() < 0.3:
            own[25] += chance.choice((1, 1, 2, 3, 4, 5))
        return Position(tuple(own), tuple(other))

    return _wild


@pytest.fixture(scope="session")
def mutated() -> Callable[[random.Random, tuple[CheckerMove, ...]], tuple[CheckerMove, ...]]:
    """A function that spoils, joins, reorders or leaves alone the moves of a play."""

    def _mutated(chance: random.Random, moves: tuple[CheckerMove, ...]) -> tuple[CheckerMove, ...]:
        work: list[Any] = [[m.from_point, m.to_point] for m in moves]
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            kind = chance.randrange(7)
            if kind == 0:
                chance.shuffle(work)
            elif kind == 1 and work:
                work.pop(chance.randrange(len(work)))
            elif kind == 2:
                from_point = chance.randint(0, 25)
                work.append([from_point, max(0, from_point - chance.randint(-1, 6))])
            elif kind == 3 and work:
                chance.choice(work)[1] = chance.randint(0, 25)
            elif kind == 4 and work:
                chance.choice(work)[0] = chance.randint(0, 25)
            elif kind == 5 and work:
                shifted = chance.choice(work)
                step = chance.choice((-1, 1))
                shifted[0] = min(25, max(0, shifted[0] + step))
                shifted[1] = min(25, max(0, shifted[1] + step))
            else:  # join a chain
                for one in work:
                    two = next((w for w in work if w is not one and w[0] == one[1]), None)
                    if two is not None:
                        one[1] = two[1]
                        work.remove(two)
                        break
        return tuple(CheckerMove(from_point, to_point) for from_point, to_point in work)

    return _mutated
