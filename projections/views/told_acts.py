"""What a device cannot fold by itself: what a rule set makes of rulings, and of a cube.

Each by the entry after which it is so. Who records at a table hears it with the next answer.
"""

from __future__ import annotations

from events.payloads.dice import OpeningRolled, Voided
from events.payloads.dispute import RulingMade
from projections.facts.cube_value import Cube
from projections.facts.flow_state import Flow
from projections.replay import Replay, Step

_TURNING = OpeningRolled | Voided | RulingMade
"""What turns a cube, or turns it back, by what a rule set says to it."""

# A tablet asks after each of its sends: nobody walks through the whole match for that.


def ruled_throws(shown: Replay) -> dict[str, Flow]:
    """Where the game stands after each ruling that moved it.

    One takes a throw out of play or puts it back, ends a game, or has one go on.
    """
    return {step.event.entry_id: step.after.flow for step in shown.steps_passing(_moves_the_game)}


def turned_cubes(shown: Replay) -> dict[str, Cube]:
    """The cube after each tie that doubled it, as was agreed, and each drop that ends no match.

    And after what makes a tie none, and rulings on either, or on an offer.
    """
    found = shown.steps_passing(_turns_the_cube)
    return {step.event.entry_id: step.after.cube for step in found}


def _moves_the_game(step: Step) -> bool:
    return isinstance(step.event.payload, RulingMade) and step.before.flow != step.after.flow


def _turns_the_cube(step: Step) -> bool:
    was, cube = step.before.cube, step.after.cube
    if cube.kept_at == step.event.version:
        return True
    if not isinstance(step.event.payload, _TURNING):
        return False
    # An offer that a ruling takes back leaves the cube where it is.
    return (cube.value, cube.offered_by) != (was.value, was.offered_by)
