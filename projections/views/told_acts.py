"""Results that a device cannot compute by itself: of rulings, turns, cube acts and ends.

Each by the entry after which it is so. Who records at a table hears it with the next answer.
"""

from __future__ import annotations

from events.payloads.cube import DoubleOffered
from events.payloads.dice import OpeningRolled, Voided
from events.payloads.dispute import RulingMade
from events.values import ONE
from projections.board.position import STARTING
from projections.facts.cube_value import Cube
from projections.facts.flow_state import Flow
from projections.rules.profile import Rules
from projections.rules.subjects.bounds import Race
from projections.rules.subjects.endings import RESIGNATION_VALIDITY, SINGLE, Conceded
from projections.states import Replay, Step

_TURNING = OpeningRolled | Voided | RulingMade
"""What turns a cube, or turns it back, by what a rule set says to it."""

_AT_THE_START = Conceded(
    winner=ONE,
    level=SINGLE,
    points=1,
    is_accepted=True,
    is_turn_completed=True,
    race=Race(winner=STARTING.own, loser=STARTING.other, has_contact=True, is_winner_next=True),
)

# A tablet asks after each of its sends: nobody walks through the whole match for that.


def ruled_throws(shown: Replay) -> dict[str, Flow]:
    """Where the game stands after each ruling that moved it, and each double behind an ended turn.

    A ruling takes a throw out of play or puts it back, ends a game, or has one go on. A double
    takes out of play what was not played: whether that turn had ended is for the rule set to say.
    """
    return {step.event.entry_id: step.after.flow for step in shown.steps_passing(_moves_the_game)}


def turned_cubes(shown: Replay) -> dict[str, Cube]:
    """The cube after each tie that doubled it, as was agreed, and each drop that ends no match.

    And after what makes a tie none, and rulings on either, or on an offer.
    """
    found = shown.steps_passing(_turns_the_cube)
    return {step.event.entry_id: step.after.cube for step in found}


def played_on(shown: Replay) -> list[str]:
    """Entries that give a game away where the rule set has it go on, by their ids: words, and drops
    that end no match (Biba 4.10)."""
    return [step.event.entry_id for step in shown.steps_passing(_is_kept)]


def concedable(rules: Rules) -> str | None:
    """Where alone a rule set lets a game be given away, in its term's word; None = anywhere."""
    word = rules.ask(RESIGNATION_VALIDITY, _AT_THE_START).terms.get("concedable")
    return None if word is None else str(word)


def _moves_the_game(step: Step) -> bool:
    was, payload = step.before.flow, step.event.payload
    if isinstance(payload, DoubleOffered):
        return was.is_ended and was.on_roll is payload.seat.other
    return isinstance(payload, RulingMade) and was != step.after.flow


def _turns_the_cube(step: Step) -> bool:
    was, cube = step.before.cube, step.after.cube
    if cube.kept_at == step.event.version:
        return True
    if not isinstance(step.event.payload, _TURNING):
        return False
    # An offer that a ruling takes back leaves the cube where it is.
    return (cube.value, cube.offered_by) != (was.value, was.offered_by)


def _is_kept(step: Step) -> bool:
    after = step.after
    return step.event.version in (after.score.kept_at, after.cube.kept_at)
