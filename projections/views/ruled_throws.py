"""What a device has to know of rulings on throws: whose turn it is once one counts, or does not."""

from __future__ import annotations

from events.payloads.dispute import RulingMade
from projections.facts.flow_state import Flow
from projections.replay import Replay, Step


def ruled_throws(shown: Replay) -> dict[str, Flow]:
    """Where the game stands after each ruling that took a throw out of play, or put one back.

    By the ruling's entry: whether a ruling moves a throw is for the rule set, which no device has.
    """
    # A tablet asks after each of its sends: nobody walks through the whole match for that.
    return {step.event.entry_id: step.after.flow for step in shown.steps_passing(_moves_a_throw)}


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
