"""Legal sets along random games are those of open_spiel, an independent generator in C++."""

from __future__ import annotations

import random
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from projections.board.legal import is_legal, legal_positions
from projections.board.position import Position

pytestmark = pytest.mark.gate

POSITIONS = pytest.mark.parametrize(
    "positions", [2_000, pytest.param(20_000, marks=pytest.mark.long)]
)
BAR = 100  # open_spiel's number for the bar


def seen_by(state: Any, player: int) -> Position:
    """The board of an open_spiel state from one player's side; player 0 counts backwards there."""
    rows = []
    for side in (player, 1 - player):
        points = [state.board(side, pos) for pos in range(24)]
        counts = [*(points if side else points[::-1]), state.board(side, BAR)]
        rows.append((15 - sum(counts), *counts))
    return Position(rows[0], rows[1])


def ends(state: Any, player: int, *, is_doublet: bool) -> set[Position]:
    """Every board that open_spiel lets `player` reach; a doublet is two turns of two hops there."""
    halves = {}
    for action in state.legal_actions():
        child = state.child(action)
        halves[seen_by(child, player)] = child
    if not is_doublet:
        return set(halves)
    reached = set()
    for board, half in halves.items():
        if half.is_terminal() or half.current_player() != player:
            reached.add(board)
        else:
            reached.update(seen_by(half.child(action), player) for action in half.legal_actions())
    return reached


def chosen(state: Any, chance: random.Random, *, builds: bool) -> int:
    """A random action; a player who `builds` takes of many the one that makes most points.

    Quite random games hardly ever show a prime, and so no roll that is cut short by one.
    """
    actions: list[int] = state.legal_actions()
    if not builds or state.is_chance_node():
        return chance.choice(actions)
    player = state.current_player()

    def made(action: int) -> int:
        own = seen_by(state.child(action), player).own
        return sum(count > 1 for count in own[2:12])

    return max(chance.sample(actions, min(12, len(actions))), key=made)


def rolled(state: Any) -> tuple[int, int]:
    """The dice of a state at the start of a turn, as its text shows them."""
    digits = str(state).split("Dice:")[1].split("\n")[0].strip()
    return int(digits[0]), int(digits[1])


@POSITIONS
def test_legal_sets_equal_open_spiel_along_random_games(spiel: ModuleType, positions: int) -> None:
    chance = random.Random(20260802)
    game = spiel.load_game("backgammon(scoring_type=full_scoring)")
    kinds: Counter[str] = Counter()
    games = 0
    while kinds["positions"] < positions:
        games += 1
        state = game.new_initial_state()
        extra_half = False
        while not state.is_terminal():
            if not state.is_chance_node() and not extra_half:
                player = state.current_player()
                dice = rolled(state)
                position = seen_by(state, player)
                expected = ends(state, player, is_doublet=dice[0] == dice[1])
                found = position.legal_plays(dice)
                told = f"\n{position.draw()}\n{dice}\n" + "\n".join(
                    f"{'only ours' if end in found.ends else 'only theirs'}: {end!r}"
                    for end in expected ^ set(found.ends)
                )
                assert legal_positions(position, dice) == expected, told
                for play in found.ends.values():
                    assert is_legal(position, dice, play.moves), told
                hops = len(next(iter(found.ends.values())).moves)
                kinds["positions"] += 1
                kinds["end positions"] += len(expected)
                kinds["doublet"] += dice[0] == dice[1]
                kinds["bar"] += position.own[25] > 0
                kinds["two or more on the bar"] += position.own[25] > 1
                kinds["bear-off"] += not any(position.own[7:])
                kinds["one die only"] += dice[0] != dice[1] and hops == 1
                kinds["doublet cut short"] += dice[0] == dice[1] and 0 < hops < 4
                kinds["no play"] += not found
                kinds["no play, not a dance"] += not found and not position.own[25]
            is_half = not state.is_chance_node() and not extra_half
            was_doublet = is_half and rolled(state)[0] == rolled(state)[1]
            mover = state.current_player()
            state.apply_action(chosen(state, chance, builds=games % 2 == 0))
            extra_half = was_doublet and not state.is_terminal() and state.current_player() == mover
    print(dict(kinds))
    for kind, one_in in {
        "doublet": 10,
        "bar": 10,
        "two or more on the bar": 100,
        "bear-off": 20,
        "one die only": 40,
        "doublet cut short": 200,
        "no play": 40,
        "no play, not a dance": 1_000,
    }.items():
        assert kinds[kind] >= positions // one_in, (kind, kinds)
