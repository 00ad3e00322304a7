"""What the judged choices of a match come to: PR, what was lost, and luck, player by player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from api.analysis.engines import JudgedGame
from api.shapes.analysis import PlayerSums
from events.values import Seat

PR = 500
"""PR is so many times the mean equity lost by a decision (eXtreme Gammon's definition)."""


def sums_of(games: Sequence[JudgedGame], seat: Seat) -> PlayerSums:
    """What one player's choices come to.

    PR is 500 times the equity lost by the decisions that count, over their number. The chance lost
    is the sum over the same decisions. No interval is claimed for either (see `Judged`).
    """
    judged = [one for game in games for one in game.judged if one.seat is seat and one.counts]
    luck = [one for game in games for one in game.luck if one.seat is seat]
    lost = sum(one.lost for one in judged)
    return PlayerSums(
        pr=round(PR * lost / len(judged), 3) if judged else None,
        decisions=len(judged),
        cube_decisions=sum(one.choice != "play" for one in judged),
        lost=round(lost, 4),
        lost_chance=_sum_of(one.lost_chance for one in judged),
        rolls=len(luck),
        luck=round(sum(one.luck for one in luck), 4) if luck else None,
        luck_chance=_sum_of(one.chance for one in luck) if luck else None,
    )


def _sum_of(chances: Iterable[float | None]) -> float | None:
    """A sum of chances; None where there is a money game among them."""
    known = list(chances)
    found = [one for one in known if one is not None]
    return round(sum(found), 6) if len(found) == len(known) else None
