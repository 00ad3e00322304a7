"""A race that may end by words: plain bounds on who wins it, and by how much (AMB-E2, AMB-E4).

With sixes all the way, and with the least that any roll gives. Three answers: certain, ruled out,
and None where the bounds do not meet.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from events.values import OFF

Counts = tuple[int, ...]


class Race(msgspec.Struct, frozen=True, kw_only=True):
    """A board on which a game may end by words instead of play."""

    winner: Counts
    """26 counts of who is to win."""
    loser: Counts
    """26 counts of who is to lose."""
    has_contact: bool
    """Whether checkers have still to pass each other."""
    is_winner_next: bool
    """Whether the winner rolls next."""

    def turns_left(self, finishing: int) -> int:
        """Turns of the loser before the winner finishes with that many turns."""
        return finishing - 1 if self.is_winner_next else finishing


def _men(counts: Counts) -> list[tuple[int, int]]:
    return [(point, count) for point, count in enumerate(counts) if point != OFF and count]


def _turns(steps: int, per_turn: int) -> int:
    return -(-steps // per_turn)


def fewest_to_finish(counts: Counts) -> int:
    """Turns that bearing off everything takes with double sixes alone."""
    return _turns(sum(_turns(point, 6) * count for point, count in _men(counts)), 4)


def _pips_and_men(counts: Counts) -> tuple[int, int]:
    men = _men(counts)
    return sum(point * count for point, count in men), sum(count for _, count in men)


def most_to_finish(counts: Counts) -> tuple[int, int]:
    """Bounds, lower and upper, of the turns that it takes with the worst rolls."""
    pips, men = _pips_and_men(counts)
    # Roll after roll of 21: three pips, two checkers a turn.
    lower = max(_turns(men, 2), _turns(pips, 3))
    # A die moves a pip at the least; where 21 clears the board, every roll does.
    upper = _turns(pips, 2)
    return lower, lower if pips <= 3 and men <= 2 else upper


def fewest_to_bear_off_one(counts: Counts) -> int:
    """Turns until the first checker is off, with double sixes alone."""
    if counts[OFF]:
        return 0
    home = sum(_turns(point - 6, 6) * count for point, count in _men(counts) if point > 6)
    return _turns(home + 1, 4)


# The search costs up to a tenth of a second, and the same match is replayed time and again.
@lru_cache(maxsize=1024)
def surely_bears_off_one(counts: Counts, turns: int) -> bool | None:
    """Whether every roll lets a player without contact bear one off; None = too far to look."""
    if counts[OFF]:
        return True
    if _outside(counts) + 1 > 3 * turns:
        # 21 in every turn brings home three pips, and bears nothing off.
        return False
    if turns > _FORESIGHT:
        # Who surely bears one off in the turns that are looked ahead does so in more of them.
        return surely_bears_off_one(counts, _FORESIGHT) or None
    return all(
        _bears_off(counts, high, low)
        or (
            turns > 1
            and any(
                surely_bears_off_one(after, turns - 1)
                # Checkers brought home first: the play looked for is nearly always the first one.
                for after in sorted(_played(counts, high, low), key=_outside)
            )
        )
        for high in range(1, 7)
        for low in range(1, high + 1)
    )


_FORESIGHT = 2
"""Turns that are looked ahead, roll by roll."""


def _outside(counts: Counts) -> int:
    """Pips that are still to travel into the home board."""
    return sum((point - 6) * counts[point] for point in range(7, 26))


def _bears_off(counts: Counts, high: int, low: int) -> bool:
    """Whether one roll can bear a checker off."""
    highest = max((point for point, _ in _men(counts)), default=0)
    if highest <= 6 and (counts[high] or counts[low] or highest <= high):
        return True
    if _outside(counts) >= (4 * high if high == low else high + low):
        return False
    return any(after[OFF] for after in _played(counts, high, low))


def _played(counts: Counts, high: int, low: int) -> set[Counts]:
    """Boards after one roll, on which nothing is in the way."""
    if high == low:
        boards = {counts}
        for _ in range(4):
            boards = {after for board in boards for after in _stepped(board, high)} or boards
        return boards
    return {
        after
        for first, second in ((high, low), (low, high))
        for between in _stepped(counts, first)
        for after in (_stepped(between, second) or {between})
    }


def _stepped(counts: Counts, die: int) -> set[Counts]:
    """Boards after one die."""
    highest = max((point for point, _ in _men(counts)), default=0)
    boards = set()
    for point, _ in _men(counts):
        if point > die:
            boards.add(_moved(counts, point, point - die))
        elif highest <= 6 and point in (die, highest):
            boards.add(_moved(counts, point, OFF))
    return boards


def _moved(counts: Counts, origin: int, target: int) -> Counts:
    after = list(counts)
    after[origin] -= 1
    after[target] += 1
    return tuple(after)


def _behind(counts: Counts) -> list[tuple[int, int]]:
    """Pips that checkers in the winner's home and on the bar need to leave it, with their count."""
    return [(point - 18, count) for point, count in _men(counts) if point > 18]


def is_win_certain(race: Race) -> bool | None:
    """Whether the winner wins, whatever is rolled."""
    if race.has_contact:
        return None
    lower, upper = most_to_finish(race.winner)
    fewest = fewest_to_finish(race.loser)
    return _certain(race, fewest, lower, upper)


def _certain(race: Race, fewest: int, lower: int, upper: int) -> bool | None:
    """Whether the loser needs more turns than the slowest finish of the winner leaves."""
    if fewest > race.turns_left(upper):
        return True
    return False if fewest <= race.turns_left(lower) else None


def is_gammon_certain(race: Race) -> bool | None:
    """Whether a gammon can no longer be saved."""
    if race.loser[OFF]:
        return False
    if race.has_contact:
        return None
    return _certain(race, fewest_to_bear_off_one(race.loser), *most_to_finish(race.winner))


def is_backgammon_certain(race: Race) -> bool | None:
    """Whether a backgammon can no longer be saved."""
    if race.loser[OFF]:
        return False
    if race.has_contact:
        return None
    steps = sum(_turns(pips, 6) * count for pips, count in _behind(race.loser))
    return _certain(race, _turns(steps, 4), *most_to_finish(race.winner))


def is_gammon_ruled_out(race: Race) -> bool | None:
    """Whether no gammon can be lost any more."""
    if race.loser[OFF]:
        return True
    if race.has_contact:
        return None
    left = race.turns_left(fewest_to_finish(race.winner))
    return surely_bears_off_one(race.loser, left)


def is_backgammon_ruled_out(race: Race) -> bool | None:
    """Whether no backgammon can be lost any more."""
    if race.loser[OFF]:
        return True
    if race.has_contact:
        return None
    behind = _behind(race.loser)
    left = race.turns_left(fewest_to_finish(race.winner))
    pips, men = sum(p * count for p, count in behind), sum(count for _, count in behind)
    if _turns(pips, 2) <= left:
        return True
    return False if max(_turns(men, 2), _turns(pips, 3)) > left else None
