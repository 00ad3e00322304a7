"""What a game counts: without the cube (Crawford), under Jacoby, after automatic doubles."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from events.values import Seat
from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects.cube_words import (
    COMMON_CUBE,
    FCBG_CRAWFORD,
    USBGF_CRAWFORD,
    in_one_point_match,
    said,
)
from projections.rules.subjects.dice import Tied

RATED, UNRATED = "rated", "unrated"
"""What a person may have to say about a match before a text on agreements can be applied."""

_FCBG_INTERPRETATION = "INTERPRETATION"
"""Where FCBG's text says that tournament headings do not by themselves bind a club."""


class PhaseFacts(msgspec.Struct, frozen=True):
    """A game that starts."""

    phase: str
    """pre_crawford, crawford or post_crawford, as the points of the games make it."""
    with_penalties: str
    """The same if the penalty points left open enter the score."""
    length: int | None
    """Points needed to win; None = money."""


class GammonFacts(msgspec.Struct, frozen=True):
    """A gammon or backgammon under Jacoby, with no double offered in the game."""

    winner: Seat
    """Who won it."""
    value: int
    """What the cube shows."""
    factor: int
    """2 or 3."""
    is_money: bool
    """Whether no match length is known."""


def _phase(facts: PhaseFacts, section: str, *, lean: str | None = None) -> Answer:
    if facts.phase != facts.with_penalties:
        # AMB-C6: whether a penalty point brings a player exactly one point away.
        return ambiguous("AMB-C6", section, facts.phase, facts.with_penalties, lean=lean)
    return said(facts.phase, section)


def usbgf_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """[4.4.6]: the first game after either player is exactly one point away."""
    return _phase(facts, USBGF_CRAWFORD)


def biba_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """5.5: the one game when a player reaches match point."""
    return in_one_point_match(_phase(facts, "5.5"), facts.length)


def fcbg_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """CRAWFORD/T: one game at match point; penalty points are awarded to the opponent."""
    answer = _phase(facts, FCBG_CRAWFORD, lean=facts.with_penalties)
    return in_one_point_match(answer, facts.length)


def fcbg_club_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """AMB-F3: the heading binds tournaments; a club may adopt it, and pins it then."""
    if rules.is_on("crawford"):
        return said(facts.phase, _FCBG_INTERPRETATION)
    assert rules.profile.gap is not None
    return rules.profile.gap("crawford.phase", facts, rules)


def common_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """No such game, unless the players agreed on it."""
    if not rules.is_on("crawford"):
        return said("no_crawford_rule", COMMON_CUBE)
    return said(facts.phase, COMMON_CUBE)


def _gammon(facts: GammonFacts, section: str, *, is_single: bool = False) -> Answer:
    points = facts.value * (1 if is_single else facts.factor)
    return settled("game_won", section, winner=facts.winner, points=points)


def _gammon_lean(facts: GammonFacts) -> dict[str, Any]:
    points = facts.value * facts.factor
    return {"outcome": "game_won", "winner": facts.winner, "points": points}


def usbgf_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """No text about Jacoby; all that the text says about gammons counts them."""
    lean = _gammon_lean(facts)
    return left_open(SILENT, "[4.5]", "single", "counts", lean=lean)


def biba_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """5.3: gammons and backgammons count at all times."""
    return _gammon(facts, "5.3")


def fcbg_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """CUBE RULES/T: at all times; JACOBY: by agreement where the match is not rated (AMB-C14)."""
    if rules.is_on("rated"):
        return _gammon(facts, "JACOBY")
    return ambiguous("AMB-C14", "JACOBY", "single", "counts", lean=_gammon_lean(facts))


def fcbg_club_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """JACOBY: by agreement, and never in rated match play."""
    return _gammon(facts, "JACOBY", is_single=not rules.is_on("rated"))


def common_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """For money it is what the players agreed on; of a match no text speaks."""
    if facts.is_money:
        return _gammon(facts, "Bearing off", is_single=True)
    return left_open(SILENT, "Bearing off", "single", "counts")


def automatic_value(reading: str, tied: Tied, rules: Rules) -> int | None:
    """What the cube shows after opening ties, as a person read the text; None = nothing said."""
    if reading in (RATED, UNRATED):
        answer = rules.ask("cube.automatic", replace(tied, is_rated=reading == RATED))
        value: int | None = answer.details.get("cube_value")
        return value
    name, _, number = reading.partition("_")
    return int(number) if name == "cube" and number.isdecimal() and int(number) else None
