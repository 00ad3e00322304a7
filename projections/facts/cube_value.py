"""The cube as it stands: its value, its owner, the offer that waits; what many acts do to it."""

from __future__ import annotations

import msgspec

from events.values import MAX_CUBE_VALUE, Seat
from projections.folding.findings import Finding
from projections.folding.seen_facts import SeenCube
from projections.rules.answers import Answer
from projections.rules.profile import CubeFault

Result = tuple["Cube", tuple[Finding, ...]]


class Cube(msgspec.Struct, frozen=True, gc=False):
    """The cube of the game in progress, or of the last one."""

    value: int = 1
    """What it shows."""
    owner: Seat | None = None
    """On whose side it lies; None = in the middle."""
    offered_by: Seat | None = None
    """Who has doubled, or beavered, and got no answer yet."""
    is_beaver: bool = False
    """Whether the offer is a beaver: the beaverer keeps the cube, whatever comes."""
    turned: bool = False
    """Whether a double was taken in this game (for Jacoby)."""
    void_at: int = 0
    """Version of the last cube act that the rule set holds void; 0 = none."""
    faults: tuple[CubeFault, ...] = ()
    """What is wrong with the double that waits, or with one that is void."""
    kept_at: int = 0
    """Version of the last drop by which, under the rule set, the game does not end; 0 = none."""
    ties: int = 0
    """Opening ties of this game that might double the cube, while nobody has begun."""
    automatic: Answer | None = None
    """What the rule set says to the last of them; None where nobody agreed on such doubles."""
    tie_entry: str = ""
    """The entry of that tie."""


def lapsed(state: Cube) -> Cube:
    """The cube without the offer that waited."""
    if state.offered_by is None:
        return state
    return msgspec.structs.replace(state, offered_by=None, is_beaver=False)


def twice(value: int) -> int:
    """The next value of the cube; it stops at the highest one that an entry can state."""
    return min(value * 2, MAX_CUBE_VALUE)


def as_before(before: SeenCube, state: Cube) -> Cube:
    """The cube as it was before an act, with what is known of void ones since."""
    return Cube(
        before.value,
        before.owner,
        before.offered_by,
        before.is_beaver,
        before.turned,
        state.void_at,
    )
