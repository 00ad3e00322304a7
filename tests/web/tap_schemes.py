"""Counts a scribe's taps for one turn: in our scheme, and in those of two other programs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from events.values import OFF, CheckerMove
from projections.board import hops, taps
from projections.board.hops import Hop
from projections.board.position import Position

Dice = tuple[int, int]


class Turn(NamedTuple):
    """A turn as it was played."""

    position: Position
    """The board before the play, from the mover's side."""
    dice: Dice
    """The roll."""
    moves: tuple[Hop, ...]
    """The play."""


@functools.lru_cache(16)
def begun(turn: Turn, *, is_silent: bool) -> taps.Entering:
    """The state before the first tap; cached, because each scheme needs it for the same turn."""
    return taps.begin(turn.position, turn.dice, is_silent=is_silent)


def ours(turn: Turn, *, is_silent: bool) -> int:
    """The number of taps in our scheme: one on the dice, then those of `words_for`."""
    return 1 + len(words_for(turn, is_silent=is_silent))


def words_for(turn: Turn, *, is_silent: bool) -> tuple[taps.Word, ...]:
    """The fewest taps that determine the play: changed points in any order, `x2` and `played`.

    The scribe is assumed to know the best points. If six taps do not determine the play, it is
    tapped hop by hop; a play that does not fit the dice is placed freely.
    """
    start = begun(turn, is_silent=is_silent)
    if is_told(start, turn):
        return ()
    words = _changed(turn)
    layer = [start]
    for _ in range(6):
        said = next((s for s in map(_said, layer) if is_told(s, turn)), None)
        if said is not None:
            return said.words
        further: dict[object, taps.Entering] = {}
        for state in layer:
            for word in (*words, taps.TWICE) if state.points else words:
                one = _tapped(state, word, turn)
                if one is not None and is_told(one, turn):
                    return one.words
                if one is not None and one.choice is None:
                    further.setdefault(_sameness(one), one)
        layer = list(further.values())
    return hop_by_hop(turn, is_silent=is_silent)


MOST_KEYS = 7
"""How many plays a question offers at most (`tablet/acts/asking.js`)."""


def choosing(turn: Turn, words: Sequence[taps.Word]) -> int:
    """The number of taps of a scribe who may also answer the tablet's question about the play.

    After a few points the next dice or the clock are tapped, which counts for the next turn; then
    the play is chosen in the question. `words` are those of `words_for`, without a question.
    """
    start = begun(turn, is_silent=True)
    layer = [start]
    for count in range(1, len(words) - 1):
        further: dict[object, taps.Entering] = {}
        for state in layer:
            for word in (*_changed(turn), taps.TWICE) if state.points else _changed(turn):
                one = _tapped(state, word, turn)
                if one is not None:
                    further.setdefault(_sameness(one), one)
        layer = list(further.values())
        if any(_is_among(state.fits, turn) for state in layer):
            return 1 + count + 1
    return 1 + len(words)


def _is_among(fits: Sequence[taps.Choice], turn: Turn) -> bool:
    """Whether so few plays fit that each has a key, the turn's play among them."""
    wanted = end_of(turn.position, [CheckerMove(*move) for move in turn.moves])
    return len(fits) <= MOST_KEYS and any(
        end_of(turn.position, [CheckerMove(*move) for move in play.moves]) == wanted
        for play in fits
    )


def hop_by_hop(turn: Turn, *, is_silent: bool) -> tuple[taps.Word, ...]:
    """Source and destination of each hop, and `played` if they do not determine the play."""
    start = begun(turn, is_silent=is_silent)
    words = [taps.word_of(point) for hop in steps(turn) for point in hop]
    for said in (words, [*words, taps.PLAYED], [taps.AS_PLAYED, *words, taps.PLAYED]):
        state = taps.taps(start, said)
        if is_told(state, turn):
            return state.words
    raise AssertionError(f"{turn} cannot be entered")


def is_told(state: taps.Entering, turn: Turn) -> bool:
    """Whether the play that would be recorded has the turn's end, with the same hits."""
    if state.moves is None:
        return False
    wanted = [CheckerMove(*move) for move in turn.moves]
    return end_of(turn.position, state.moves) == end_of(turn.position, wanted)


def end_of(position: Position, moves: Sequence[CheckerMove]) -> Position | None:
    """The board after the moves, with their hits."""
    return position.moved(moves).position


def _said(state: taps.Entering) -> taps.Entering:
    return taps.tap(state, taps.PLAYED)


def _changed(turn: Turn) -> tuple[taps.Word, ...]:
    """The points that can be tapped for the play, highest first."""
    net = _net(turn.moves)
    points = [p for p in range(25, -1, -1) if net[p] or any(p == to for _, to in turn.moves)]
    return tuple(map(taps.word_of, points))


def _tapped(state: taps.Entering, word: taps.Word, turn: Turn) -> taps.Entering | None:
    """The state after one tap; None if that point did not change so often."""
    now = taps.tap(state, word)
    net = _net(turn.moves)
    for point in set(now.points):
        is_hit = 0 < point < 25 and any(to == point for _, to in turn.moves)
        hit = 1 if is_hit and turn.position.other[25 - point] == 1 else 0
        if now.points.count(point) > max(abs(net[point]), hit):
            return None
    return now


def _sameness(state: taps.Entering) -> object:
    """A key for states that behave alike: the order of taps matters only for hops."""
    return state.reading, state.points if state.reading else tuple(sorted(state.points))


def gnubg(turn: Turn) -> int:
    """Clicks in GNU Backgammon: roll, choose the pair, a click for each step, confirm on the dice.

    A click on an empty point that both of two unequal dice reach makes the point.
    """
    hops_made = steps(turn)
    is_shortcut = (
        len(hops_made) == 2
        and turn.dice[0] != turn.dice[1]
        and hops_made[0][1] == hops_made[1][1] != OFF
        and turn.position.own[hops_made[0][1]] == 0
    )
    return 3 + (1 if is_shortcut else len(hops_made))


def extreme(turn: Turn) -> int:
    """Taps in eXtreme Gammon's transcription: a key for each die, a click for each step."""
    return 2 + len(steps(turn))


def steps(turn: Turn) -> Sequence[Hop]:
    """The play with one checker move for each die; as written if it is not legal."""
    wanted = end_of(turn.position, [CheckerMove(*move) for move in turn.moves])
    for play in hops.every_legal(turn.position.own, turn.position.other, turn.dice):
        if end_of(turn.position, [CheckerMove(*move) for move in play]) == wanted:
            return play
    return turn.moves


def _net(moves: Sequence[Hop]) -> tuple[int, ...]:
    net = [0] * 26
    for from_point, to_point in moves:
        net[from_point] -= 1
        net[to_point] += 1
    return tuple(net)
