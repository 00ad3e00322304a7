"""Delays of turns: whether one is forfeited, or begins anew; what the texts say of it."""

from __future__ import annotations

import msgspec

from projections.rules.answers import SILENT, Answer, left_open
from projections.rules.profile import Policy, Rules, Subject

FORFEITED = "forfeited"
KEPT = "kept"
RESTARTED = "restarted"
RUNS_ON = "runs_on"

FORFEIT_READINGS = (FORFEITED, KEPT)
RESTART_READINGS = (RESTARTED, RUNS_ON)

FAST_GRAB = "fast_grab"
FAST_ROLL = "fast_roll"
EARLY_DICE = frozenset({FAST_GRAB, FAST_ROLL})
"""Causes that are dice handled before the other's turn was over."""


class ForfeitFacts(msgspec.Struct, frozen=True, gc=False):
    """A delay is demanded, or forfeited."""

    seat: str
    """Whose delay: one or two."""
    cause: str | None = None
    """fast_grab, fast_roll, invalid_roll, clock_fault, ruling or other; None = not recorded."""
    turn: str = "next"
    """next or this."""
    waits: bool = False
    """Whether he is to wait until it would have ended, and loses nothing of his reserve by it."""
    is_demanded: bool = False
    """Whether it is demanded, and not carried out yet."""
    choice: str | None = None
    """What the other said to an early roll beside: stands, redone, only_warned or no_comment."""
    clock: str | None = None
    """simple, bronstein, fischer, none or non_expiring; None = no clock is set."""
    ordered_by: str | None = None
    """Who ordered it, where it is carried out."""


class RestartFacts(msgspec.Struct, frozen=True, gc=False):
    """A delay begins anew."""

    seat: str
    """Whose delay: one or two."""
    cause: str | None = None
    """As in `ForfeitFacts`."""
    left_ms: int | None = None
    """Free time from there on, milliseconds; None = all of it."""
    is_his_turn: bool = True
    """Whether it is his turn on the clock."""
    clock: str | None = None
    """As in `ForfeitFacts`."""
    ordered_by: str | None = None
    """Who ordered it."""


def silent_on_forfeits(early: str, otherwise: str) -> Policy[ForfeitFacts]:
    """A text that gives a choice about early rolls, and says nothing of the delay.

    `early` and `otherwise` are the sections on early dice and on the clock. Where a roll was
    thrown, the choice that the text gives leans to its being all that may be asked for.
    """

    def answer(facts: ForfeitFacts, rules: Rules) -> Answer:
        section = early if facts.cause in EARLY_DICE else otherwise
        lean = KEPT if facts.cause == FAST_ROLL else None
        return left_open(SILENT, section, *FORFEIT_READINGS, lean=lean)

    return answer


def silent_on_restarts(section: str) -> Policy[RestartFacts]:
    """A text that lets the clock be stopped, and says nothing of a delay that begins anew."""

    def answer(facts: RestartFacts, rules: Rules) -> Answer:
        return left_open(SILENT, section, *RESTART_READINGS)

    return answer


CLOCK_FORFEIT = Subject[ForfeitFacts]("clock.forfeit")
"""Whether the delay of a turn is forfeited."""
CLOCK_RESTART = Subject[RestartFacts]("clock.restart")
"""Whether the delay of a turn begins anew."""
