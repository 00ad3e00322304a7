"""Narrowing taps: which play a scribe means who taps points that changed (tablet §2, §3).

A tap names a point from the mover's side: a checker left it, came to it, or was hit there. Of the
legal plays that change every tapped point as often as it was tapped, the one that is told in full
is meant, else the one that is likest: a tap on a checker moves it, with the larger die if that
can be, a tap on any other point brings there all that can come, and what was not tapped stays.
While several are equally like, nothing is decided. A tap that fits no legal play makes the taps
what they literally are, checkers picked up and put down, until the scribe says `played`.
The tablet's `board/taps.js` does the same; golden vectors hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from events.values import BAR, OFF, CheckerMove
from projections.board import hops as _hops
from projections.board.hops import Hop, Hops
from projections.board.position import Position

Word: TypeAlias = str
"""What was tapped: `1` to `24`, `bar`, `off`, or one of the three below."""

TWICE = "x2"
"""Every checker tapped so far moved, and another one with it."""

PLAYED = "played"
"""That is all; nothing of it is completed."""

AS_PLAYED = "free"
"""From here on checkers are picked up and put down, whatever is legal."""


class Choice(msgspec.Struct, frozen=True, gc=False):
    """A legal play as taps see it."""

    moves: Hops
    """Hops, highest source first."""
    sources: frozenset[int]
    """Points that fewer checkers stand on afterwards."""
    changes: tuple[int, ...]
    """How many taps each point can take: what left or came, or one for a hit in passing."""
    large: frozenset[int]
    """Points from which the larger die can be played in it; of a doublet, all."""


class Entering(msgspec.Struct, frozen=True):
    """A play that is being entered."""

    position: Position
    """The board before it, from the mover's side."""
    dice: tuple[int, int] | None
    """The roll; None = not known, which makes the placing free."""
    is_silent: bool
    """Whether a play that needs no tap waits for `played`, so as not to show that it is forced."""
    words: tuple[Word, ...] = ()
    """What was tapped, in order."""
    points: tuple[int, ...] = ()
    """The points of it, doubled where `x2` said so."""
    choices: tuple[Choice, ...] = ()
    """Every legal play; one that moves nothing if none can be made."""
    remaining: tuple[Choice, ...] = ()
    """Those that change every tapped point."""
    choice: Choice | None = None
    """The legal play that is meant; None while that is not decided."""
    is_free: bool = False
    """Whether checkers are placed as tapped."""
    is_literal: bool = False
    """Whether each second tap puts down what the one before it picked up: `free` was said."""
    is_done: bool = False
    """Whether the scribe said `played`."""

    @property
    def moves(self) -> tuple[CheckerMove, ...] | None:
        """The play to record; None while it is neither decided nor said to be all, or `untold`."""
        if self.choice is not None:
            return tuple(CheckerMove(*hop) for hop in self.choice.moves)
        if not self.is_done or self.untold:
            return None
        return tuple(CheckerMove(*move) for move in self.placed.moves)

    @property
    def untold(self) -> tuple[int, ...]:
        """Points where one end of a move was tapped and nothing tells the other one.

        A play that is said to be all while there are some is not known: it is asked for, or a gap.
        """
        if self.choice is not None:
            return ()
        placed = self.placed if self.is_literal else _all_placed(self.placed)
        return (*placed.picked, *placed.awaiting)

    @property
    def placed(self) -> Placed:
        """What the taps are literally, while no legal play is drawn."""
        if self.is_literal:
            return _alternating(self.position, self.points)
        placed = _placed(self.position, self.points)
        return _all_placed(placed) if self.is_done else placed


class Placed(msgspec.Struct, frozen=True, gc=False):
    """Checkers picked up and put down, whatever is legal."""

    moves: tuple[Hop, ...]
    """From where to where."""
    picked: tuple[int, ...]
    """Points where one was picked up, and not put down yet."""
    awaiting: tuple[int, ...]
    """Points where one came to stand, and nobody knows yet from where."""


def begin(position: Position, dice: tuple[int, int] | None, *, is_silent: bool = True) -> Entering:
    """Before the first tap; without silence, a play that needs none is decided already."""
    choices = () if dice is None else tuple(_choices(position, dice))
    state = Entering(position, dice, is_silent, choices=choices, remaining=choices)
    if dice is None:
        return msgspec.structs.replace(state, is_free=True, is_literal=True)
    if len(choices) == 1 and not is_silent:
        return msgspec.structs.replace(state, choice=choices[0])
    return state


def tap(state: Entering, word: Word) -> Entering:
    """The state after one more tap; a tap after `played`, or on nothing, changes nothing.

    Raises:
        ValueError: the word is none.
    """
    if state.is_done:
        return state
    words = (*state.words, word)
    match word:
        case "played":
            return _all(msgspec.structs.replace(state, words=words))
        case "free":
            return _literal(msgspec.structs.replace(state, words=words, choice=None))
        case "x2":
            points = _twice(state)
        case _:
            points = (*state.points, point_of(word))
    return _narrowed(msgspec.structs.replace(state, words=words, points=points))


def _twice(state: Entering) -> tuple[int, ...]:
    """The points with every checker doubled; placed one by one, the last one goes again."""
    if state.is_literal:
        return (*state.points, *state.points[-2:])
    return tuple(point for point in state.points for _ in range(2))


def taps(state: Entering, words: Sequence[Word]) -> Entering:
    """The state after several taps."""
    for word in words:
        state = tap(state, word)
    return state


def point_of(word: Word) -> int:
    """The point that a word names: 25 for the bar, 0 for the tray.

    Raises:
        ValueError: it names none.
    """
    if word in ("bar", "off"):
        return BAR if word == "bar" else OFF
    if word.isascii() and word.isdigit() and word[0] != "0" and 1 <= int(word) < BAR:
        return int(word)
    raise ValueError(f"{word!r} is no point, nor one of x2, played, free")


def word_of(point: int) -> Word:
    """How a point is called in `words`."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


# -- legal plays ---------------------------------------------------------------------------------


def _choices(position: Position, dice: tuple[int, int]) -> Iterator[Choice]:
    plays = _hops.every_legal(position.own, position.other, dice) or [()]
    large = _large_sources(position, dice)
    for moves in plays:
        net, changes = _changes(position, moves)
        sources = frozenset(point for point in range(1, 26) if net[point] < 0)
        yield Choice(moves, sources, changes, large.get((net, changes), sources))


def _changes(position: Position, moves: Sequence[Hop]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    net, changes = [0] * 26, [0] * 26
    for from_point, to_point in moves:
        net[from_point] -= 1
        net[to_point] += 1
        if to_point and position.other[25 - to_point] == 1:
            changes[to_point] = 1
    for point, change in enumerate(net):
        if change:
            changes[point] = abs(change)
    return tuple(net), tuple(changes)


_Key: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


def _large_sources(position: Position, dice: tuple[int, int]) -> dict[_Key, frozenset[int]]:
    """By play of both of two unequal dice: from where its larger die can be played."""
    if dice[0] == dice[1]:
        return {}
    own, other = list(position.own), position.other
    high, low = max(dice), min(dice)
    found: dict[_Key, set[int]] = {}
    for first, second in ((high, low), (low, high)):
        for one in _hops.hops_with(position.own, other, first):
            own[one[0]] -= 1
            own[one[1]] += 1
            for two in _hops.hops_with(own, other, second):
                source = one[0] if first == high else two[0]
                found.setdefault(_changes(position, (one, two)), set()).add(source)
            own[one[0]] += 1
            own[one[1]] -= 1
    return {key: frozenset(sources) for key, sources in found.items()}


def _narrowed(state: Entering) -> Entering:
    """Which legal plays the taps leave, and which of them is meant."""
    if state.is_free:
        return state
    counts = [0] * 26
    for point in state.points:
        counts[point] += 1
    remaining = tuple(
        choice
        for choice in state.choices
        if all(choice.changes[point] >= counts[point] for point in state.points)
    )
    if not remaining:
        return msgspec.structs.replace(state, remaining=(), choice=None, is_free=True)
    choice = _meant(remaining, state.points) if state.points or not state.is_silent else None
    return msgspec.structs.replace(state, remaining=remaining, choice=choice)


def _meant(remaining: Sequence[Choice], points: Sequence[int]) -> Choice | None:
    """The play that is told in full, else the likest one; None if two are equally like."""
    if len(remaining) == 1:
        return remaining[0]
    told = [choice for choice in remaining if sum(choice.changes) == len(points)]
    likeness = [(_unlikeness(choice, points), choice) for choice in told or remaining]
    least = min(rank for rank, _ in likeness)
    likest = [choice for rank, choice in likeness if rank == least]
    return likest[0] if len(likest) == 1 else None


def _unlikeness(choice: Choice, points: Sequence[int]) -> tuple[int, ...]:
    """For each tap: 0 = a checker goes with the larger die, 1 = one goes, 2 = none goes.

    Behind them how little comes to the other tapped points: whoever taps one has seen it made, or
    checkers borne off. Last the number of points that lose a checker and were not tapped: what the
    scribe did not touch has rather not moved, so that one tap on a runner plays the whole roll with
    it.
    """
    sources, large = choice.sources, choice.large
    read = [0 if point in large else 1 if point in sources else 2 for point in points]
    come = sum(choice.changes[point] for point in set(points) - sources)
    return (*read, -come, len(sources.difference(points)))


# -- as tapped -----------------------------------------------------------------------------------


def _all(state: Entering) -> Entering:
    """The scribe says that this is all: what is forced may now be drawn."""
    choice = state.choice
    if choice is None and not state.is_free and not state.points and len(state.choices) == 1:
        choice = state.choices[0]
    return msgspec.structs.replace(
        state, choice=choice, is_done=True, is_free=state.is_free or choice is None
    )


def _literal(state: Entering) -> Entering:
    return msgspec.structs.replace(state, remaining=(), is_free=True, is_literal=True)


def _alternating(position: Position, points: Sequence[int]) -> Placed:
    """Pick up, put down, in turn; put down where it was picked up, nothing has moved."""
    own = list(position.own)
    moves: list[Hop] = []
    picked: int | None = None
    for point in points:
        if picked is None:
            picked = point if point != OFF and own[point] > 0 else None
        else:
            if point not in (picked, BAR):
                own[picked] -= 1
                own[point] += 1
                moves.append((picked, point))
            picked = None
    return Placed(tuple(moves), () if picked is None else (picked,), ())


def _placed(position: Position, points: Sequence[int]) -> Placed:
    """The same where each tap speaks for itself.

    On a point with a checker that can be picked up, it is; elsewhere one was put down: the
    first that was picked up behind the point, or any; back where it was, nothing has moved.
    Nothing here asks what is legal, so it looks alike for every play.
    """
    own = list(position.own)
    moves: list[Hop] = []
    picked: list[int] = []
    awaiting: list[int] = []
    for point in points:
        if point != OFF and own[point] > picked.count(point):
            if awaiting and awaiting[0] < point:
                _move(own, moves, point, awaiting.pop(0))
            else:
                picked.append(point)
        elif picked:
            source = next((one for one in picked if one > point), picked[0])
            picked.remove(source)
            if source != point:
                _move(own, moves, source, point)
        else:
            awaiting.append(point)
    return Placed(tuple(moves), tuple(picked), tuple(awaiting))


def _all_placed(placed: Placed) -> Placed:
    """Nothing more is tapped: what was picked up goes to the next tapped point before it."""
    left = list(placed.picked)
    moves, picked = list(placed.moves), []
    while left:
        source = left.pop(0)
        target = next((point for point in left if point < source), None)
        if target is None:
            picked.append(source)
        else:
            left.remove(target)
            moves.append((source, target))
    return Placed(tuple(moves), tuple(picked), placed.awaiting)


def _move(own: list[int], moves: list[Hop], from_point: int, to_point: int) -> None:
    own[from_point] -= 1
    own[to_point] += 1
    moves.append((from_point, to_point))
