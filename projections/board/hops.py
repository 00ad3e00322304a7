"""Single-die hops on bare counts: the generator under every question about legal plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeAlias

Hop: TypeAlias = tuple[int, int]
"""One checker, one die: (from, to) from the mover's side; 25 is the bar, 0 is off."""

Hops: TypeAlias = tuple[Hop, ...]
"""The hops of a whole play, highest source first, which is an order that can be played."""


class Counts(Protocol):
    """Anything with two rows of 26 counts, each from its own player's side: a board."""

    @property
    def own(self) -> tuple[int, ...]:
        """Counts of the player to play: 0 borne off, 1-24 points, 25 bar."""

    @property
    def other(self) -> tuple[int, ...]:
        """Counts of the opponent, from the opponent's side."""


# A play is told apart from others by one integer: five bits of signed change for each own point
# (a turn changes a point by at most four), and above them one bit for each point hit.
_PLACE = tuple(1 << (5 * k) for k in range(26))
_HIT = tuple(1 << (5 * 26 + k) for k in range(26))


def can_hop(own: Sequence[int], other: Sequence[int], die: int) -> bool:
    """Whether any checker can be played with one `die` (1-6) on these counts.

    The bar comes first; two or more opposing checkers block; bearing off needs every checker
    home and the exact point, or the highest occupied one below it.
    """
    if own[25]:
        return other[die] < 2  # entering lands on 25 - die, which is the opponent's `die`
    outside = False
    for from_point in range(24, 6, -1):
        if own[from_point]:
            if other[25 + die - from_point] < 2:
                return True
            outside = True
    above = outside
    for from_point in range(6, 0, -1):
        if own[from_point]:
            if from_point > die:
                if other[25 + die - from_point] < 2:
                    return True
            elif not outside and (from_point == die or not above):
                return True
            above = True
    return False


def hops_with(own: Sequence[int], other: Sequence[int], die: int) -> list[Hop]:
    """Every hop that one `die` (1-6) allows on these counts, highest source first."""
    if own[25]:
        return [(25, 25 - die)] if other[die] < 2 else []
    hops = []
    outside = False
    for from_point in range(24, 6, -1):
        if own[from_point]:
            outside = True
            if other[25 + die - from_point] < 2:
                hops.append((from_point, from_point - die))
    above = outside
    for from_point in range(6, 0, -1):
        if own[from_point]:
            if from_point > die:
                if other[25 + die - from_point] < 2:
                    hops.append((from_point, from_point - die))
            elif not outside and (from_point == die or not above):
                hops.append((from_point, 0))
            above = True
    return hops


def can_play_both(own: Sequence[int], other: Sequence[int], high: int, low: int) -> bool:
    """Whether two unequal dice can both be played, in either order."""
    work = list(own)
    for first, second in ((high, low), (low, high)):
        for from_point, to_point in hops_with(own, other, first):
            work[from_point] -= 1
            work[to_point] += 1
            if can_hop(work, other, second):
                return True
            work[from_point] += 1
            work[to_point] -= 1
    return False


def every_legal(own: Sequence[int], other: Sequence[int], dice: tuple[int, int]) -> list[Hops]:
    """One play for each distinct end position that the full rules allow; [] if none can be made.

    Both dice are played if any play does so, else the higher if it can be played, else the
    lower; of a doublet as many as possible. The list holds no two plays with the same end.
    """
    reached = _reached(own, other, dice)
    return reached[-1] if len(reached) > 1 else []


def every_partial(own: Sequence[int], other: Sequence[int], dice: tuple[int, int]) -> list[Hops]:
    """One play for each end that any number of legal hops reaches, the full dice unneeded.

    Holds the empty play, too: what a player has done who stopped at once.
    """
    if dice[0] == dice[1]:
        return [hops for length in _reached_doublet(own, other, dice[0]) for hops in length]
    singles = [(hop,) for die in dice for hop in hops_with(own, other, die)]
    return [(), *singles, *_two_dice(own, other, dice)]


def _reached(own: Sequence[int], other: Sequence[int], dice: tuple[int, int]) -> list[list[Hops]]:
    if dice[0] == dice[1]:
        return _reached_doublet(own, other, dice[0])
    both = _two_dice(own, other, dice)
    if both:
        return [[()], both]
    # No play uses both dice: the higher must be played if it can be.
    low, high = sorted(dice)
    single = hops_with(own, other, high) or hops_with(own, other, low)
    return [[()], [(hop,) for hop in single]] if single else [[()]]


def _two_dice(own: Sequence[int], other: Sequence[int], dice: tuple[int, int]) -> list[Hops]:
    """Plays of both of two unequal dice, one for each end position."""
    work = list(own)
    found: dict[int, Hops] = {}
    for first, second in (dice, (dice[1], dice[0])):
        for one in hops_with(own, other, first):
            from_point, to_point = one
            change = _PLACE[to_point] - _PLACE[from_point]
            if to_point and other[25 - to_point] == 1:
                change += _HIT[to_point]
            work[from_point] -= 1
            work[to_point] += 1
            for two in hops_with(work, other, second):
                source, target = two
                end = change + _PLACE[target] - _PLACE[source]
                # A blot landed on by both hops is counted twice; no other play ends so.
                if target and other[25 - target] == 1:
                    end += _HIT[target]
                if end not in found:
                    found[end] = (one, two) if from_point >= source else (two, one)
            work[from_point] += 1
            work[to_point] -= 1
    return list(found.values())


def _reached_doublet(own: Sequence[int], other: Sequence[int], die: int) -> list[list[Hops]]:
    """Plays of a doublet by number of hops, from 0 to as many as can be made.

    Any set of legal hops of one size can be played from the highest source downwards: what
    stands above a source is then as low as it can get, and that is all that entering, coming
    home and bearing off wait for. So only descending orders are tried. The end fixes how often
    each point was left (from the top down, by arithmetic), so no end position comes twice.
    """
    work = list(own)
    blocked = [to_point > 0 and other[25 - to_point] > 1 for to_point in range(26)]
    reached: list[list[Hops]] = [[], [], [], [], []]

    def descend(start: int, hops: Hops, outside: bool, above: bool) -> None:
        """`outside`, `above`: a checker stays behind above point 6, above `start`."""
        count = len(hops)
        reached[count].append(hops)
        if count == 4:
            return
        for from_point in range(start, 0, -1):
            if not work[from_point]:
                continue
            to_point = from_point - die
            if to_point > 0:
                allowed = not blocked[to_point]
            else:
                to_point = 0
                allowed = not outside and (from_point == die or not above)
            if allowed:
                work[from_point] -= 1
                work[to_point] += 1
                descend(from_point, (*hops, (from_point, to_point)), outside, above)
                work[from_point] += 1
                work[to_point] -= 1
            if from_point == 25:
                return  # a checker left on the bar: nothing else may be played
            above = True
            outside = outside or from_point > 6

    descend(25, (), False, False)
    while not reached[-1]:
        reached.pop()
    return reached


def fits(
    final: Sequence[int], other: Sequence[int], dice: Iterable[int], hops: Sequence[Hop]
) -> bool:
    """Whether `hops` can be played in some order, the first with the first of `dice`, and so on.

    `final` are the mover's counts after all of them. Playing from the highest source down is
    always the best order (see `_reached_doublet`), so every condition can be read off the final
    counts: no point is overdrawn, the bar is empty unless only the bar was left, all are home
    if any was borne off, and nothing stands above a checker borne off with a higher die.
    """
    top = 25
    while top and not final[top]:
        top -= 1
    for die, (from_point, to_point) in zip(dice, hops, strict=True):
        if final[from_point] < 0:
            return False
        if to_point > 0:
            if from_point - to_point != die or other[25 - to_point] > 1:
                return False
        elif top > 6 or not 0 < from_point <= die or (from_point < die and top > from_point):
            return False
    return not final[25] or all(from_point == 25 for from_point, _ in hops)
