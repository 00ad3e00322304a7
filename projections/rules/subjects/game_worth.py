"""What a game counts: without the cube (Crawford), under Jacoby, after automatic doubles."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from events.values import Seat
from projections.rules.answers import NOT_IN_HAND, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject
from projections.rules.subjects.cube_words import said
from projections.rules.subjects.dice import CUBE_AUTOMATIC, Tied

NO_CRAWFORD_RULE = "no_crawford_rule"

RATED, UNRATED = "rated", "unrated"
"""What a person may have to say about a match before a text on agreements can be applied."""


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


def phase_of(facts: PhaseFacts, section: str, *, lean: str | None = None) -> Answer:
    """The phase of a game; open where penalty points make it another one."""
    if facts.phase != facts.with_penalties:
        # AMB-C6: whether a penalty point brings a player exactly one point away.
        return ambiguous("AMB-C6", section, facts.phase, facts.with_penalties, lean=lean)
    return said(facts.phase, section)


def phase_unread(facts: PhaseFacts, section: str) -> Answer:
    """The phase by the games alone; open where it hangs on a rule on penalty points not in hand."""
    if facts.phase != facts.with_penalties:
        return left_open(NOT_IN_HAND, section, facts.phase, facts.with_penalties)
    return said(facts.phase, section)


def counted(facts: GammonFacts, section: str, *, is_single: bool = False) -> Answer:
    """What the game counts, with its level or as a single one."""
    points = facts.value * (1 if is_single else facts.factor)
    return settled("game_won", section, winner=facts.winner, points=points)


def gammon_lean(facts: GammonFacts) -> dict[str, object]:
    """The game at its level, as what a text leans to."""
    points = facts.value * facts.factor
    return {"outcome": "game_won", "winner": facts.winner, "points": points}


def counts_single(rules: Rules, *, is_money: bool) -> bool:
    """Whether a gammon without a double counts as a single game by what was agreed and the text."""
    if not rules.is_on("jacoby"):
        return False
    gammon = GammonFacts(winner=Seat.ONE, value=1, factor=2, is_money=is_money)
    return rules.ask(SCORE_GAMMON, gammon).details.get("points") == 1


def automatic_value(reading: str, tied: Tied, rules: Rules) -> int | None:
    """What the cube shows after opening ties, as a person read the text; None = nothing said."""
    if reading in (RATED, UNRATED):
        answer = rules.ask(CUBE_AUTOMATIC, replace(tied, is_rated=reading == RATED))
        value: int | None = answer.details.get("cube_value")
        return value
    name, _, number = reading.partition("_")
    return int(number) if name == "cube" and number.isdecimal() and int(number) else None


CRAWFORD_PHASE = Subject[PhaseFacts]("crawford.phase")
"""Whether a game that starts is the Crawford game."""
SCORE_GAMMON = Subject[GammonFacts]("score.gammon")
"""What a gammon without a double counts under Jacoby."""
