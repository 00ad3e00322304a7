"""How fast a recorded legal play is judged, beside open_spiel (C++) in the same run."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pyspiel

from events.values import CheckerMove
from projections.board.legal import is_legal
from projections.board.position import Position

_BAR = 100  # open_spiel's number for the bar


class Row(NamedTuple):
    """One comparison: microseconds per judged play, the best of the rounds."""

    kind: str
    """Which plays: all, unequal dice, doublets or no play."""
    plays: int
    """How many plays were judged in each round."""
    ours_us: float
    """`legal.is_legal`, microseconds per play."""
    theirs_us: float
    """open_spiel: the recorded action looked up in `legal_actions()`, microseconds per play."""

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs_us / self.ours_us


class _Turn(NamedTuple):
    position: Position
    dice: tuple[int, int]
    moves: tuple[CheckerMove, ...]
    asked: list[tuple[Any, int]]  # open_spiel's states of this turn (a doublet has two), actions


def run(*, plays: int = 4_000, rounds: int = 7, seed: int = 1) -> list[Row]:
    """Judge the same random plays by both, in interleaved rounds; nothing is cached between.

    Both sides get everything ready before the clock starts: we a position and the recorded
    checker moves; open_spiel a state at that turn and the recorded action already in its own
    encoding. What it is asked is the cheapest question it answers about legality.
    """
    turns = _recorded(plays, random.Random(seed))
    groups: dict[str, Callable[[_Turn], bool]] = {
        "all": lambda turn: True,
        "unequal dice": lambda turn: turn.dice[0] != turn.dice[1],
        "doublets": lambda turn: turn.dice[0] == turn.dice[1],
        "no play": lambda turn: not turn.moves,
    }
    rows = []
    for kind, belongs in groups.items():
        chosen = [turn for turn in turns if belongs(turn)]
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(_ours(chosen))
            theirs.append(_theirs(chosen))
        rows.append(
            Row(kind, len(chosen), *(1e6 * min(best) / len(chosen) for best in (ours, theirs)))
        )
    return rows


def main() -> None:
    """Print the rows as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plays", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    print(f"{'plays':<14}{'judged':>8}{'ours µs':>10}{'open_spiel µs':>15}{'ratio':>8}")
    for row in run(plays=chosen.plays, rounds=chosen.rounds):
        print(
            f"{row.kind:<14}{row.plays:>8}{row.ours_us:>10.2f}{row.theirs_us:>15.2f}"
            f"{row.ratio:>8.1f}"
        )


def _ours(turns: list[_Turn]) -> float:
    started = time.perf_counter()
    for position, dice, moves, _ in turns:
        if not is_legal(position, dice, moves):
            raise AssertionError("a legal play was refused")
    return time.perf_counter() - started


def _theirs(turns: list[_Turn]) -> float:
    started = time.perf_counter()
    for _, _, _, asked in turns:
        for state, action in asked:
            if action not in state.legal_actions():
                raise AssertionError("a legal action was refused")
    return time.perf_counter() - started


def _recorded(plays: int, chance: random.Random) -> list[_Turn]:
    """Turns of random open_spiel games, each with one play in both encodings."""
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    turns: list[_Turn] = []
    while len(turns) < plays:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice(state.legal_actions()))
                continue
            player = state.current_player()
            digits = str(state).split("Dice:")[1].split("\n")[0].strip()
            dice = (int(digits[0]), int(digits[1]))
            before = _seen_by(state, player)
            asked = []
            # A doublet is two turns of two hops in open_spiel, of the same player in a row.
            for _ in range(2 if dice[0] == dice[1] else 1):
                if state.is_terminal() or state.current_player() != player:
                    break
                action = chance.choice(state.legal_actions())
                asked.append((state.clone(), action))
                state.apply_action(action)
            play = before.legal_plays(dice).ends[_seen_by(state, player)]
            moves = list(play.moves)
            chance.shuffle(moves)  # files write hops in any order
            turns.append(_Turn(before, dice, tuple(moves), asked))
    return turns


def _seen_by(state: Any, player: int) -> Position:
    rows = []
    for side in (player, 1 - player):
        points = [state.board(side, pos) for pos in range(24)]
        counts = [*(points if side else points[::-1]), state.board(side, _BAR)]
        rows.append((15 - sum(counts), *counts))
    return Position(rows[0], rows[1])


if __name__ == "__main__":
    main()
