"""How often a scribe taps for one turn: our scheme, and those of two programs on the same turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from events.values import OFF, CheckerMove
from projections.board import hops, taps
from projections.board.hops import Hop
from projections.board.position import Position

Dice = tuple[int, int]


class Turn(NamedTuple):
    """One turn as it was played."""

    position: Position
    """The board before it, from the mover's side."""
    dice: Dice
    """The roll."""
    moves: tuple[Hop, ...]
    """The play."""


def ours(turn: Turn, *, is_silent: bool) -> int:
    """Taps of our scribe: one on the dice, then those of `words_for`."""
    return 1 + len(words_for(turn, is_silent=is_silent))


def words_for(turn: Turn, *, is_silent: bool) -> tuple[taps.Word, ...]:
    """What our scribe taps, who looks at the board after each tap and stops when it is right.

    First where checkers came from, the one that went farthest first (of a doublet in pairs with
    `x2` behind); then, where that was not enough, where they stand, in the same order, and last
    whom they hit in passing. A play that is not legal is tapped checker by checker.
    """
    state = taps.begin(turn.position, turn.dice, is_silent=is_silent)
    wanted = turn.position.moved([CheckerMove(*move) for move in turn.moves]).position
    for word in _in_order(turn):
        if _is_drawn(state, wanted) or state.is_free:
            break
        if word != taps.TWICE and not _can_take(state, turn, taps.point_of(word)):
            continue
        state = taps.tap(state, word)
    if not _is_drawn(state, wanted):
        state = _said_to_be_all(turn, wanted, is_silent=is_silent)
    return state.words


def gnubg(turn: Turn) -> int:
    """GNU Backgammon's window: roll, pick the pair, a click a step, click the dice to confirm.

    A click on an empty point that both of two unequal dice reach makes it with both checkers.
    """
    steps = _steps(turn)
    is_shortcut = (
        len(steps) == 2
        and turn.dice[0] != turn.dice[1]
        and steps[0][1] == steps[1][1] != OFF
        and turn.position.own[steps[0][1]] == 0
    )
    return 3 + (1 if is_shortcut else len(steps))


def extreme(turn: Turn) -> int:
    """eXtreme Gammon's transcription: a key for each die, a click a step; the next dice commit."""
    return 2 + len(_steps(turn))


def _steps(turn: Turn) -> Sequence[Hop]:
    """The play with one checker move for each die; as written where it is not legal."""
    wanted = _net(turn.moves)
    legal = hops.every_legal(turn.position.own, turn.position.other, turn.dice)
    return next((play for play in legal if _net(play) == wanted), turn.moves)


def _net(moves: Sequence[Hop]) -> tuple[int, ...]:
    net = [0] * 26
    for from_point, to_point in moves:
        net[from_point] -= 1
        net[to_point] += 1
    return tuple(net)


def _in_order(turn: Turn) -> Iterator[taps.Word]:
    ways = sorted(_ways(turn.moves), key=lambda way: way[1] - way[0])
    counted = Counter(ways)
    is_paired = turn.dice[0] == turn.dice[1] and all(count % 2 == 0 for count in counted.values())
    if is_paired and ways:
        ways = [way for way, count in counted.items() for _ in range(count // 2)]
    yield from (taps.word_of(from_point) for from_point, _ in ways)
    if is_paired and ways:
        yield taps.TWICE
    again = 2 if is_paired else 1
    yield from (taps.word_of(to_point) for _, to_point in ways for _ in range(again))
    for _, to_point in turn.moves:
        if to_point != OFF and turn.position.other[25 - to_point] == 1:
            yield taps.word_of(to_point)


def _ways(moves: Sequence[Hop]) -> list[Hop]:
    """From where to where each checker went, steps of one checker joined."""
    ways = list(moves)
    while True:
        pair = next(
            (
                (one, two)
                for one in range(len(ways))
                for two in range(len(ways))
                if one != two and ways[one][1] == ways[two][0] != OFF
            ),
            None,
        )
        if pair is None:
            return ways
        one, two = pair
        joined = (ways[one][0], ways[two][1])
        ways = [way for place, way in enumerate(ways) if place not in pair] + [joined]


def _can_take(state: taps.Entering, turn: Turn, point: int) -> bool:
    """Whether the point changed more often than it was tapped, as the scribe sees on the board."""
    changed = abs(_net(turn.moves)[point])
    is_hit = 0 < point < 25 and any(to == point for _, to in turn.moves)
    hit = 1 if is_hit and turn.position.other[25 - point] == 1 else 0
    return state.points.count(point) < max(changed, hit)


def _is_drawn(state: taps.Entering, wanted: Position | None) -> bool:
    moves = state.moves
    return moves is not None and state.position.moved(moves).position == wanted


def _said_to_be_all(turn: Turn, wanted: Position | None, *, is_silent: bool) -> taps.Entering:
    """A play that nothing completes: tapped as it was played, and `played` said."""
    state = taps.begin(turn.position, turn.dice, is_silent=is_silent)
    forced = taps.tap(state, taps.PLAYED)
    if _is_drawn(forced, wanted):
        return forced
    said = [taps.AS_PLAYED, *(taps.word_of(point) for way in turn.moves for point in way)]
    done = taps.taps(state, [*said, taps.PLAYED])
    assert _is_drawn(done, wanted), f"{turn} cannot be entered"
    return done
