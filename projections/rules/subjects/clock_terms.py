"""Clock: what is allotted, what a fault gives back, who may stop it, what an expired reserve costs.

Under a simple delay a turn uses max(0, elapsed - delay) of the reserve, which never grows; the
clock's fold computes that. Here is what the texts say about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from projections.rules.answers import Answer, ambiguous, settled
from projections.rules.profile import Policy, Rules, Subject


class TermsFacts(msgspec.Struct, frozen=True, gc=False):
    """A clock is set."""

    length: int
    """Points needed to win."""
    points_played: int = 0
    """Points that both players have scored."""
    players_per_side: int = 1
    """Two in doubles."""
    was_set: tuple[int, int, int] | None = None
    """Reserve of each seat and delay as the table set them, milliseconds; None = no such clock."""


class FaultFacts(msgspec.Struct, frozen=True, gc=False):
    """Somebody notices that the clock ran or stood wrongly."""

    kind: str
    """not_pressed, not_paused, wrong_side, wrong_setting or defective."""
    seat: str | None = None
    """Who forgot to press, or whose clock."""
    lost_ms: int | None = None
    """Reserve that seat has lost since, milliseconds; None = not recorded."""
    after: str | None = None
    """What was done before it: double, take, drop, play or roll; None = another, or unknown."""


class StopFacts(msgspec.Struct, frozen=True, gc=False):
    """The clock is paused in a game."""

    reason: str
    """Why: die_on_floor, dispute, director_called, or another word."""


class FlagFacts(msgspec.Struct, frozen=True, gc=False):
    """A reserve is noticed to have run out."""

    whose: str
    """one, two, both or unknown."""
    first: str | None = None
    """Whose ran out first, if both did and somebody knows."""
    is_match_over: bool = False
    """Whether the match was over, or said to be, when it was noticed."""
    is_match_won: bool = False
    """Whether somebody had won the match by then, otherwise than by the clock."""
    is_claimed: bool = False
    """Whether whose time is out claims the game, with or without the match."""
    has_contact: bool = True
    """Whether the sides could still hit each other."""
    would_win_match: bool = False
    """Whether the game that is claimed gives that player the match."""
    is_win_certain: bool = False
    """Whether the board gives that player the game at the level claimed, whatever is rolled."""
    is_contradicted: bool = False
    """Whether by the record no reserve can have run out, or that one had time left."""
    is_gin: bool | None = None
    """Whether somebody says that one side wins whatever is rolled; None = not recorded."""
    gin_for: str | None = None
    """Which side is said to win then: one or two; None = not recorded."""

    @property
    def loser(self) -> str | None:
        """Whose time ran out, or ran out first; None where nobody knows."""
        first = self.first if self.whose == "both" else self.whose
        return first if first in ("one", "two") else None


MATCH_LOST = "match_lost"
CLAIM_HOLDS = "claim_holds"
PLAY_ON = "play_on"
NO_EFFECT = "no_effect"


class Terms(NamedTuple):
    """Bank and free time, and how far a player may insist on a clock."""

    point_ms: int
    """Reserve for each point of the match, milliseconds."""
    delay_ms: int
    """Free time of each turn, milliseconds."""
    use: str | None
    """preference, option or obligation; None = the text does not say."""


OBLIGATION = "obligation"
"""A clock has to be used; the players have no choice."""

KINDS = ("open", "other_skill", "doubles", "other")
"""Kinds of events that a text's terms may hang on."""


def use_of(rules: Rules, said: str | None) -> dict[str, Any]:
    """How binding a clock is, as pinned or as the text says it: a detail, where anybody does."""
    use = rules.options.get("clock_use") or said
    return {} if use is None else {"use": use}


def allotted(terms: Terms, section: str, reserve_ms: int, rules: Rules) -> Answer:
    """Reserve and delay as the text gives them; how binding a clock is, as pinned or said."""
    allots: dict[str, object] = {"reserve_ms": reserve_ms, "delay_ms": terms.delay_ms}
    return settled("allotted", section, **allots, **use_of(rules, terms.use))


def event_kind(facts: TermsFacts, rules: Rules) -> str | None:
    """The event's kind as pinned; two players a side are doubles whatever was pinned."""
    if facts.players_per_side > 1:
        return "doubles"
    kind = rules.options.get("event_kind")
    # What is pinned may be no word: then it is a kind that no text knows.
    return None if kind is None else str(kind)


def simple_delay(section: str, *, verified: bool = True) -> Policy[object]:
    """Free time of each turn comes first, and what is not used is gone."""

    def answer(facts: object, rules: Rules) -> Answer:
        return replace(settled("simple", section), verified=verified)

    return answer


def order_unknown(section: str) -> Answer:
    """AMB-K6: nobody knows whose time ran out, or whose first."""
    return ambiguous("AMB-K6", section, "one_lost", "two_lost", PLAY_ON)


def claim_reading(readings: tuple[str, ...], *, holds: bool) -> str:
    """What becomes of a flag when the claim made after it is answered, in the question's words."""
    if not holds:
        return MATCH_LOST
    return PLAY_ON if PLAY_ON in readings and CLAIM_HOLDS not in readings else CLAIM_HOLDS


def lost_by(answer: Answer, facts: FlagFacts) -> str | None:
    """Who has lost the match by the clock, as the text or a ruling has it: one or two; or nobody.

    The words of the readings are those of the policies above.
    """
    lost: Mapping[str, str | None] = {
        MATCH_LOST: facts.loser,
        "one_lost": "one",
        "two_lost": "two",
    }
    return lost.get(answer.outcome)


CLOCK_TERMS = Subject[TermsFacts]("clock.terms")
"""Which reserve and delay the match is to be played with."""
CLOCK_DELAY = Subject[TermsFacts]("clock.delay")
"""How the free time of a turn runs."""
CLOCK_FAULT = Subject[FaultFacts]("clock.fault")
"""What is to be done about a clock that was handled wrongly."""
CLOCK_STOP = Subject[StopFacts]("clock.stop")
"""Whether the clock may be stopped for a reason."""
CLOCK_FLAG = Subject[FlagFacts]("clock.flag")
"""What follows where a reserve has run out."""
