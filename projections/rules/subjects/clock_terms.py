"""Clock: what is allotted, what a fault gives back, who may stop it, what an expired reserve costs.

Under a simple delay a turn uses max(0, elapsed - delay) of the reserve, which never grows; the
clock's fold computes that. Here is what the texts say about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Policy, Rules


class TermsFacts(msgspec.Struct, frozen=True, gc=False):
    """A clock is set."""

    length: int
    """Points needed to win."""
    points_played: int = 0
    """Points that both players have scored."""
    players_per_side: int = 1
    """Two in doubles."""


class FaultFacts(msgspec.Struct, frozen=True, gc=False):
    """Somebody notices that the clock ran or stood wrongly."""

    kind: str
    """not_pressed, not_paused, wrong_side, wrong_setting or defective."""
    seat: str | None = None
    """Who forgot to press, or whose clock."""
    lost_ms: int | None = None
    """Reserve that seat has lost since, milliseconds; None = not recorded."""


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
    """Whether the match was over when it was noticed."""
    is_claimed: bool = False
    """Whether whose time is out claims the game, with or without the match."""
    has_contact: bool = True
    """Whether the sides could still hit each other."""
    would_win_match: bool = False
    """Whether the game at the cube's value gives that player the match."""
    is_contradicted: bool = False
    """Whether by the record no reserve can have run out, or that one had time left."""

    @property
    def loser(self) -> str | None:
        """Whose time ran out, or ran out first; None where nobody knows."""
        first = self.first if self.whose == "both" else self.whose
        return first if first in ("one", "two") else None


MATCH_LOST = "match_lost"
CLAIM_HOLDS = "claim_holds"
PLAY_ON = "play_on"


class Terms(NamedTuple):
    """Bank and free time, and how far a player may insist on a clock."""

    point_ms: int
    """Reserve for each point of the match, milliseconds."""
    delay_ms: int
    """Free time of each turn, milliseconds."""
    use: str | None
    """preference, option or obligation; None = the text does not say."""


def _allotted(terms: Terms, section: str, reserve_ms: int, rules: Rules) -> Answer:
    use = rules.options.get("clock_use") or terms.use
    details: dict[str, Any] = {"reserve_ms": reserve_ms, "delay_ms": terms.delay_ms}
    if use is not None:
        details["use"] = use
    return settled("allotted", section, **details)


def _event_kind(facts: TermsFacts, rules: Rules) -> str | None:
    """The event's kind as pinned; two players a side are doubles whatever was pinned."""
    return "doubles" if facts.players_per_side > 1 else rules.options.get("event_kind")


# usbgf-2017-07 [3.5]
_USBGF = {
    "open": Terms(120_000, 12_000, "preference"),
    "other_skill": Terms(120_000, 15_000, "option"),
    "doubles": Terms(180_000, 15_000, "obligation"),
    "other": Terms(120_000, 12_000, "option"),
    None: Terms(120_000, 12_000, None),
}
# biba-2014 ClkR
_BIBA = Terms(120_000, 12_000, None)
_BIBA_LESS_MS = 60_000
"""What a clock that comes in later lacks for each point scored by both."""


def terms_usbgf_2017_07(facts: TermsFacts, rules: Rules) -> Answer:
    """Two minutes a point and 12 seconds a turn; 15 seconds, three minutes in some events."""
    terms = _USBGF.get(_event_kind(facts, rules), _USBGF[None])
    reserve_ms = terms.point_ms * facts.length
    if not facts.points_played:
        return _allotted(terms, "[3.5]", reserve_ms, rules)
    lean = MappingProxyType({"reserve_ms": reserve_ms, "delay_ms": terms.delay_ms})
    return ambiguous("AMB-K1", "[3.5]", "by_match_length", "reduced", lean=lean)


def terms_usbgf_2017_09(facts: TermsFacts, rules: Rules) -> Answer:
    """As the draft for open events at 0-0; its other numbers may have changed."""
    if facts.points_played:
        return ambiguous("AMB-K1", "[3.5]", "by_match_length", "reduced")
    if _event_kind(facts, rules) in ("open", None):
        return replace(terms_usbgf_2017_07(facts, rules), verified=False)
    if rules.options.get("gaps_from") == "usbgf-2017-07":
        return replace(terms_usbgf_2017_07(facts, rules), verified=False)
    return left_open(NOT_IN_HAND, "[3.5]", suggest="usbgf-2017-07")


def terms_biba_2014(facts: TermsFacts, rules: Rules) -> Answer:
    """Two minutes a point and 12 seconds a turn, less a minute for each point played without."""
    if _event_kind(facts, rules) in ("other_skill", "doubles"):
        return left_open(NOT_IN_HAND, "ClkR")
    reserve_ms = _BIBA.point_ms * facts.length - _BIBA_LESS_MS * facts.points_played
    return _allotted(_BIBA, "ClkR", max(0, reserve_ms), rules)


def _simple(section: str, *, verified: bool = True) -> Policy:
    """Free time of each turn comes first, and what is not used is gone."""

    def answer(facts: Any, rules: Rules) -> Answer:
        return replace(settled("simple", section), verified=verified)

    return answer


def fault_usbgf_2017_07(facts: FaultFacts, rules: Rules) -> Answer:
    """Who forgot to press gets all his lost reserve back; anything else is put right at once."""
    if facts.kind != "not_pressed":
        return settled("rectify", "[4.3]")
    # AMB-K5: all that was lost since the failure.
    restored = settled("restore", "[4.1.8]", seat=facts.seat, restore_ms=facts.lost_ms)
    return replace(restored, flag="AMB-K5")


def fault_biba_2014(facts: FaultFacts, rules: Rules) -> Answer:
    """The part of the text that is in hand does not say."""
    return left_open(SILENT, "ClkR", "restore", "leave")


def stop_usbgf_2017_07(facts: StopFacts, rules: Rules) -> Answer:
    """In limited circumstances; in a dispute it must be paused, until the Director arrives."""
    if facts.reason == "dispute":
        return settled("must_stop", "[5]")
    if facts.reason == "director_called":
        # The duty comes from the dispute; who calls the Director may at least do what [5] says.
        return settled("may_stop", "[5]")
    if facts.reason == "die_on_floor":
        return settled("may_stop", "[4.3]")
    return left_open(SILENT, "[4.3]", "may_stop", "may_not_stop")


_BIBA_STOPS = ("concession", "die_on_floor", "dispute", "director_called")


def stop_biba_2014(facts: StopFacts, rules: Rules) -> Answer:
    """A concession, fallen dice, an action contested, the Director called."""
    if facts.reason in _BIBA_STOPS:
        return settled("may_stop", "ClkR")
    return left_open(SILENT, "ClkR", "may_stop", "may_not_stop")


def _as_recorded(section: str) -> Answer:
    """What was noticed and what is recorded cannot both be so: which of them, no text says."""
    return left_open(DISCRETION, section, MATCH_LOST, PLAY_ON)


def _order_unknown(section: str) -> Answer:
    return ambiguous("AMB-K6", section, "one_lost", "two_lost", PLAY_ON)


def flag_usbgf_2017_07(facts: FlagFacts, rules: Rules) -> Answer:
    """Lost when it is noticed, unless game and match can be validly claimed at that moment."""
    # usbgf-2017-07 [4.3]
    if facts.is_match_over:
        return ambiguous("AMB-K2", "[4.3]", MATCH_LOST, "no_effect", lean="no_effect")
    if facts.loser is None:
        return _order_unknown("[4.3]")
    if facts.is_contradicted:
        return _as_recorded("[4.3]")
    if facts.is_claimed and facts.would_win_match and not facts.has_contact:
        return ambiguous("AMB-K3", "[4.3]", CLAIM_HOLDS, MATCH_LOST)
    return settled(MATCH_LOST, "[4.3]", loser=facts.loser, at="notice")


def flag_usbgf_2017_09(facts: FlagFacts, rules: Rules) -> Answer:
    """As the draft, not verified; its ambiguities are the same, without a lean."""
    answer = flag_usbgf_2017_07(facts, rules)
    return replace(answer, lean=None) if answer.is_open else replace(answer, verified=False)


def flag_biba_2014(facts: FlagFacts, rules: Rules) -> Answer:
    """The match is lost, but for an exception near match point that is in hand only in part."""
    if facts.loser is None:
        return _order_unknown("ClkR")
    is_near = facts.is_match_over or (facts.is_claimed and facts.would_win_match)
    lean = None if is_near or facts.is_contradicted else MATCH_LOST
    return ambiguous("AMB-K4", "ClkR", MATCH_LOST, PLAY_ON, lean=lean)


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


_NO_PROVISION = "SLOW PLAY/T"
"""A heading that has slow matches monitored; clocks, it says, are not provided for yet."""


def _not_provided(*readings: str) -> Policy:
    def answer(facts: Any, rules: Rules) -> Answer:
        return left_open(SILENT, _NO_PROVISION, *readings)

    return answer


USBGF_2017_07: dict[str, Policy] = {
    "clock.terms": terms_usbgf_2017_07,
    "clock.delay": _simple("[3.5]"),
    "clock.fault": fault_usbgf_2017_07,
    "clock.stop": stop_usbgf_2017_07,
    "clock.flag": flag_usbgf_2017_07,
}
USBGF_2017_09: dict[str, Policy] = {
    "clock.terms": terms_usbgf_2017_09,
    "clock.delay": _simple("[3.5]", verified=False),
    "clock.flag": flag_usbgf_2017_09,
}
"""What is missing is not in hand: the draft's answer is suggested."""
BIBA_2014: dict[str, Policy] = {
    "clock.terms": terms_biba_2014,
    "clock.delay": _simple("ClkR"),
    "clock.fault": fault_biba_2014,
    "clock.stop": stop_biba_2014,
    "clock.flag": flag_biba_2014,
}
FCBG_TOURNAMENT: dict[str, Policy] = {
    "clock.terms": _not_provided("as_set", "director_sets"),
    "clock.delay": _not_provided("as_set", "director_sets"),
    "clock.fault": _not_provided("restore", "leave"),
    "clock.stop": _not_provided("may_stop", "may_not_stop"),
    "clock.flag": _not_provided(MATCH_LOST, PLAY_ON),
}

USBGF_SECTIONS = {
    "clock.terms": "[3.5]",
    "clock.delay": "[3.5]",
    "clock.fault": "[4.3]",
    "clock.stop": "[4.3]",
    "clock.flag": "[4.3]",
}
"""Where each text speaks about the subjects of this file."""
BIBA_SECTIONS = dict.fromkeys(BIBA_2014, "ClkR")
FCBG_SECTIONS = dict.fromkeys(FCBG_TOURNAMENT, _NO_PROVISION)
