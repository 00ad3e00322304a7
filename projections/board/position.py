"""A board as a fact: counts from each player's side, the verbs of a player, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from events.values import BAR, CHECKERS, OFF, ONE, CheckerMove, Seat
from projections.board import hops as _hops
from projections.board import notation
from projections.board.notation import Play


# gc=False: a position holds two tuples of integers and nothing else, so it can never be part of
# a reference cycle, and thousands of them need not be walked by the collector. A Struct is built
# in a third of the time of a frozen dataclass, and replay builds one for every play.
class Position(msgspec.Struct, frozen=True, gc=False):
    """A board seen by the player to play: a fact, not a judgement.

    Any counts are allowed: 16 checkers, 3 checkers, both players on one point. `faults()` says
    what is unusual. It is hashable, compares by value, and its `repr` pastes back.
    """

    own: tuple[int, ...]
    """26 counts of the player to play, from that side: 0 borne off, 1-24 points, 25 bar."""
    other: tuple[int, ...]
    """26 counts of the opponent, from the opponent's side, numbered in the same way."""

    @classmethod
    def start(cls) -> Position:
        """The starting position of backgammon; both players see the same counts."""
        return STARTING

    def swap(self) -> Position:
        """The same board seen by the other player."""
        return Position(self.other, self.own)

    def seen_by(self, seat: Seat) -> Position:
        """A board from seat one's side as `seat` sees it, or from that side as seat one does."""
        return self if seat is ONE else Position(self.other, self.own)

    @property
    def own_pips(self) -> int:
        """Pip count of the player to play: points still to travel, the bar counting 25."""
        return sum(map(int.__mul__, self.own, _PIPS))

    @property
    def other_pips(self) -> int:
        """Pip count of the opponent, in points."""
        return sum(map(int.__mul__, self.other, _PIPS))

    def pip_count(self) -> tuple[int, int]:
        """The pip counts of the player to play and of the opponent."""
        return self.own_pips, self.other_pips

    @property
    def borne_off(self) -> tuple[int, int]:
        """Checkers borne off by the player to play and by the opponent."""
        return self.own[OFF], self.other[OFF]

    @property
    def is_closed_out(self) -> bool:
        """Whether `own` has a checker on the bar, and no point of the other's home is open."""
        return self.own[BAR] > 0 and all(self.other[point] > 1 for point in range(1, 7))

    def has_contact(self) -> bool:
        """Whether an own checker has still to pass an opposing one, checkers on the bar included.

        The rearmost own checker stands on `own`'s highest point; the opponent's rearmost stands
        on `25 - highest` as the player to play counts. They have passed when the first is lower.
        """
        return _highest(self.own) + _highest(self.other) > 25

    def faults(self) -> tuple[Fault, ...]:
        """What is not as in a game with 15 checkers a side, as codes; () for a sound board.

        Order: the player to play, the opponent, then what concerns both.
        """
        found = []
        for side, counts in (("own", self.own), ("other", self.other)):
            if len(counts) != 26 or min(counts) < 0:
                found.append(f"{side}-not-counts")
            elif sum(counts) != CHECKERS:
                found.append(f"{side}-too-{'many' if sum(counts) > CHECKERS else 'few'}-checkers")
        if not found or not any(code.endswith("not-counts") for code in found):
            if any(self.own[p] and self.other[25 - p] for p in range(1, 25)):
                found.append("both-on-one-point")
            if self.own[OFF] >= CHECKERS and self.other[OFF] >= CHECKERS:
                found.append("both-all-borne-off")
        return tuple(found)

    def is_sound(self) -> bool:
        """Whether `faults()` finds nothing."""
        return not self.faults()

    def moved(self, moves: Sequence[CheckerMove], hits_not_lifted: Sequence[int] = ()) -> Moved:
        """Play `moves` exactly as written, whatever their shape. Checks nothing.

        A checker put on one opposing checker hits it, unless the point is in `hits_not_lifted`
        (then both stay); on two or more it stays beside them (design 8.7). To 0 is borne off, to
        25 is on the own bar. Order does not matter where it need not: `8/5 13/8` from an empty
        8-point is `13/8/5`. Where a checker is taken that is not there, the end is unknown.
        """
        own = list(self.own)
        other = self.other
        lifted: list[int] | None = None
        hits: list[int] = []
        blocked: list[int] = []
        overdrawn = False
        for checker_move in moves:
            from_point = checker_move.from_point
            to_point = checker_move.to_point
            if not (0 <= from_point <= 25 and 0 <= to_point <= 25):
                return Moved(None, (), (), True)
            if own[from_point] < 1:
                overdrawn = True
            own[from_point] -= 1
            own[to_point] += 1
            if 0 < to_point < 25:
                opposing = other[25 - to_point] if lifted is None else lifted[25 - to_point]
                if opposing:
                    if opposing > 1:
                        blocked.append(to_point)
                    elif to_point not in hits_not_lifted:
                        hits.append(to_point)
                        if lifted is None:
                            lifted = list(other)
                        lifted[25 - to_point] = 0
                        lifted[BAR] += 1
        # A point overdrawn for a while is filled by a hop written later; one still below zero at
        # the end never held the checker.
        if overdrawn and min(own) < 0:
            return Moved(None, tuple(hits), tuple(blocked), True)
        end = Position(tuple(own), other if lifted is None else tuple(lifted))
        if not hits and not blocked:
            return Moved(end)
        return Moved(end, tuple(hits), tuple(blocked))

    def after(self, play: Play) -> Position:
        """The board after `play`, still seen by the player who made it; checks no legality.

        Raises:
            EmptySource: the play takes a checker that is not there.
        """
        end = self.moved(play.moves).position
        if end is None:
            raise EmptySource(play)
        return end

    def legal_plays(self, dice: tuple[int, int]) -> LegalPlays:
        """Every legal play of `dice` (two faces, 1-6), one for each distinct end position."""
        return LegalPlays(self, dice)

    def draw(self) -> str:
        """The board as lines of text; see `notation.drawn`."""
        return notation.drawn(self)


Fault = str
"""A code of `Position.faults()`, kebab-case."""

FAULTS = (
    "own-not-counts",
    "other-not-counts",
    "own-too-many-checkers",
    "own-too-few-checkers",
    "other-too-many-checkers",
    "other-too-few-checkers",
    "both-on-one-point",
    "both-all-borne-off",
)
"""Every code that `Position.faults()` can give."""


class Moved(msgspec.Struct, frozen=True, gc=False):
    """What came of playing checker moves as written."""

    position: Position | None
    """The board after them, still from the mover's side; None where a source was empty."""
    hits: tuple[int, ...] = ()
    """Points on which a checker was hit and lifted, from the mover's side, in order."""
    blocked: tuple[int, ...] = ()
    """Points landed on that held two or more opposing checkers, in order; nobody is lifted."""
    from_empty: bool = False
    """Whether a checker was taken from where there was none, so that the board is unknown."""


class EmptySource(ValueError):
    """A play takes a checker from a point where there is none."""

    def __init__(self, play: Play) -> None:
        super().__init__(f"{play!r} takes a checker from a point where there is none")
        self.play = play


class LegalPlays:
    """The legal plays of one roll: answers `in`, iteration, `len`, `count()` and `bool`.

    Plays are equal if they end in the same position, the opponent's checkers included, so each
    end is listed once. If nothing can be played it is empty and false, and the empty play
    (`Play.parse("")`) is then the one play that is `in` it.
    """

    __slots__ = ("_ends", "_found", "dice", "position")

    def __init__(self, position: Position, dice: tuple[int, int]) -> None:
        self.position = position
        """The board before the play."""
        self.dice = dice
        """The two faces."""
        self._found = _hops.every_legal(position.own, position.other, dice)
        self._ends: dict[Position, Play] | None = None

    @property
    def ends(self) -> dict[Position, Play]:
        """End positions (not swapped) with one play each; the position itself if none is legal."""
        if self._ends is None:
            if self._found:
                plays = [
                    tuple(CheckerMove(from_point, to_point) for from_point, to_point in found)
                    for found in self._found
                ]
                self._ends = {}
                for moves in plays:
                    moved = self.position.moved(moves)
                    # A generated hop never starts from an empty point.
                    assert moved.position is not None
                    self._ends[moved.position] = Play(moves, moved.hits)
            else:
                self._ends = {self.position: Play()}
        return self._ends

    def count(self) -> int:
        """How many distinct end positions there are; 0 if nothing can be played."""
        return len(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    def __iter__(self) -> Iterator[Play]:
        return iter(self.ends.values() if self._found else ())

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, Play):
            return False
        return self.position.moved(play.moves).position in self.ends

    def __repr__(self) -> str:
        return f"{self.position!r}.legal_plays({self.dice!r})"


def _highest(counts: tuple[int, ...]) -> int:
    """The highest point that holds a checker; 0 if all are off."""
    return next((point for point in range(25, 0, -1) if counts[point]), 0)


_PIPS = tuple(range(26))

_START_COUNTS = tuple({6: 5, 8: 3, 13: 5, 24: 2}.get(point, 0) for point in range(26))

STARTING = Position(_START_COUNTS, _START_COUNTS)
"""The starting position: two checkers on 24, five on 13, three on 8 and five on 6, a side."""
