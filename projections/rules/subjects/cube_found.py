"""A double that should not have been, and when it is noticed."""

from __future__ import annotations

import msgspec

from events.values import BySeat, Seat
from projections.rules.profile import CubeFault, Subject

FROM_WHERE = ("start_of_game", "position_of_double")
"""From where a game may be played again."""
NOT_REPLAYED = "not_replayed"
"""The game stays as it was played."""


class FoundFacts(msgspec.Struct, frozen=True):
    """A void double, and when it was noticed."""

    fault: CubeFault
    """CRAWFORD or DEAD."""
    answered: str | None
    """take, drop or None."""
    is_over: bool
    """Whether the game is over."""
    winner: Seat | None = None
    """Who won the game."""
    points: int = 0
    """What it is worth without the turned cube."""
    turned_points: int = 0
    """What it was worth with it."""
    score: BySeat[int] = BySeat(0, 0)
    """The score before that game."""
    since: BySeat[int] = BySeat(0, 0)
    """What the games after it brought."""
    length: int | None = None
    """Points needed to win."""
    begun: tuple[Seat, ...] = ()
    """Who has begun another match."""
    is_round_begun: bool = False
    """Whether the next round has begun."""


CUBE_FOUND = Subject[FoundFacts]("cube.found")
"""What becomes of a double that should not have been, once somebody notices."""
CUBE_REPLAY = Subject[FoundFacts]("cube.replay")
"""Whether the game of such a double is played again, though it is over."""
