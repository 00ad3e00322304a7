"""What the judged choices of a match come to: PR, what was lost, and luck, player by player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, sqrt

from api.analysis.engines import JudgedGame
from api.shapes.analysis import Between, PlayerSums
from events.values import Seat

PR = 500
"""PR is 500 times the mean equity lost per decision (eXtreme Gammon's definition)."""

FEWEST = 20
"""Decisions needed for a confidence interval; fewer do not show the spread well enough."""

_95 = 1.96
"""Standard errors on each side of a 95 % interval of a normal distribution."""


def sums_of(games: Sequence[JudgedGame], seat: Seat) -> PlayerSums:
    """What one player's choices come to.

    PR is 500 times the equity lost by the decisions that count, over their number. The chance lost
    is the sum over the same decisions.
    """
    judged = [one for game in games for one in game.judged if one.seat is seat and one.counts]
    luck = [one for game in games for one in game.luck if one.seat is seat]
    lost = sum(one.lost for one in judged)
    return PlayerSums(
        pr=round(PR * lost / len(judged), 3) if judged else None,
        pr_between=between([one.lost for one in judged], PR / max(len(judged), 1), digits=3),
        decisions=len(judged),
        cube_decisions=sum(one.choice != "play" for one in judged),
        lost=round(lost, 4),
        lost_chance=_sum_of(one.lost_chance for one in judged),
        lost_chance_between=between([one.lost_chance for one in judged], 1, digits=6),
        rolls=len(luck),
        luck=round(sum(one.luck for one in luck), 4) if luck else None,
        luck_chance=_sum_of(one.chance for one in luck) if luck else None,
    )


def between(losses: Sequence[float | None], scale: float, *, digits: int) -> Between | None:
    """Where `scale` times the sum of the losses would lie 95 times of 100, were they drawn anew.

    Of most decisions nothing is lost and of few much, so the interval is that of the logarithm
    (delta method): it holds 90 to 95 times of 100 where the usual one, of the mean and its standard
    error, holds 84 to 94 times. None where a loss is not known, or they are too few or all nought.
    """
    known = [one for one in losses if one is not None]
    total, count = sum(known), len(known)
    if count < max(FEWEST, len(losses)) or not total:
        return None
    mean = total / count
    spread = sum((one - mean) ** 2 for one in known) / (count - 1)
    factor = exp(_95 * sqrt(spread / count) / mean)
    return Between(
        low=round(scale * total / factor, digits), high=round(scale * total * factor, digits)
    )


def _sum_of(chances: Iterable[float | None]) -> float | None:
    """A sum of chances; None where there is a money game among them."""
    known = list(chances)
    found = [one for one in known if one is not None]
    return round(sum(found), 6) if len(found) == len(known) else None
