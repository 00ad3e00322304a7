"""What a device cannot fold by itself: what a rule set makes of rulings on throws, and of a cube.

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
    """Where the game stands after each ruling that took a throw out of play, or put one back."""
    return {step.event.entry_id: step.after.flow for step in shown.steps_passing(_moves_a_throw)}


def turned_cubes(shown: Replay) -> dict[str, Cube]:
    """The cube after each tie that doubled it, as was agreed, and each drop that ends no match.

    And after what makes a tie none, and rulings on either.
    """
    found = shown.steps_passing(_turns_the_cube)
    return {step.event.entry_id: step.after.cube for step in found}


def _moves_a_throw(step: Step) -> bool:
    if not isinstance(step.event.payload, RulingMade):
        return False
    was, flow = step.before.flow, step.after.flow
    is_moved = (was.roll_entry, was.early_entry) != (flow.roll_entry, flow.early_entry)
    # Where a game ends or begins anew by a ruling, more than whose turn it is changes.
    is_alone = flow.in_game and (step.before.score, step.before.cube, step.before.positions) == (
        step.after.score,
        step.after.cube,
        step.after.positions,
    )
    return is_moved and is_alone


def _turns_the_cube(step: Step) -> bool:
    was, cube = step.before.cube, step.after.cube
    is_turned = isinstance(step.event.payload, _TURNING) and cube.value != was.value
    return is_turned or cube.kept_at == step.event.version
