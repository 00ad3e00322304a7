"""Lateness, breaks and penalty points: each text's scale, what forfeits, what it leaves open."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from projections.rules.answers import (
    DISCRETION,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Policy, Rules

POINTS = "penalties"
"""What a player's delays, breaks and penalties come to."""
ALLOWANCE = "penalties.breaks"
"""What breaks a player may take."""
ENTERS_SCORE = "penalties.score"
"""Whether penalty points enter the score."""

MINUTE = 60_000
HOUR = 60 * MINUTE

START = "start"
"""Kind of a delay: the match began late. All other kinds are later ones."""

BEFOREHAND = "beforehand"
"""The Director excused a delay before it began."""
AFTERWARDS = "afterwards"
"""The Director excused it later."""


class Delay(msgspec.Struct, frozen=True, gc=False):
    """One delay of a player."""

    kind: str
    """START, or what else he was late for."""
    ms: int
    """By how long."""
    excused: str | None = None
    """BEFOREHAND, AFTERWARDS, or not."""


class Break(msgspec.Struct, frozen=True, gc=False):
    """One break that a player took."""

    ms: int
    """How long it was."""
    played_ms: int | None = None
    """How long the match had been played when it began; None = not known."""
    is_noted: bool = False
    """Whether somebody noted its excess, which then counts as a delay."""


class PenaltyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that can cost one player points."""

    length: int | None
    """The posted length; None = money."""
    delays: tuple[Delay, ...] = ()
    """Late starts, late resumptions, excess breaks."""
    both_late: bool = False
    """Whether the opponent too was late for the start."""
    breaks: tuple[Break, ...] = ()
    """Breaks taken."""
    for_delay: int = 0
    """Points assessed for delays."""
    for_other: int = 0
    """Points assessed for anything else, slow play above all, less those waived."""
    waived: int = 0
    """Points for delays that were waived."""
    needed: tuple[int, ...] = ()
    """Points that each player still needs."""


class AllowanceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for a break, and when."""

    length: int | None
    """The posted length; None = money."""
    played_ms: int | None = None
    """How long the match has been played; None = not known."""


class ScoreFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Penalty points of which nobody has said whether they enter the score."""

    points: int
    """The points."""


class Scale(NamedTuple):
    """Points by delay: the first after so long, one more for each further step."""

    first_ms: int
    step_ms: int

    def points(self, delay_ms: int) -> int:
        """Points for a delay; a threshold counts when it is reached (AMB-N1)."""
        if delay_ms < self.first_ms:
            return 0
        return 1 + (delay_ms - self.first_ms) // self.step_ms

    def is_at_threshold(self, delay_ms: int) -> bool:
        """Whether a strict reading would give one point less."""
        return delay_ms >= self.first_ms and (delay_ms - self.first_ms) % self.step_ms == 0


BIBA_SCALE = Scale(5 * MINUTE, 5 * MINUTE)
"""biba-2014 2.3"""
FCBG_SCALE = Scale(15 * MINUTE, 5 * MINUTE)
"""fcbg-tournament PENALTY POINTS/T"""


def usbgf_2017_07(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Delays of a whole match add up: a first point at ten minutes, one for every five more."""
    # usbgf-2017-07 [2.2]
    section = "[2.2]"
    scale = _posted(rules, Scale(10 * MINUTE, 5 * MINUTE))
    started = _late(facts, START)
    from_start = scale.points(started)
    if facts.both_late:
        return _both_late(section)
    delayed = _late(facts)
    if scale.points(delayed) != scale.points(_late(facts, with_excused=True)):
        # "Strictly assessed": the text knows no excuse, and the Director has given one.
        return _open(DISCRETION, section, from_start, "assessed", "excused")
    if any(_exceeds_six_minutes_an_hour(one) for one in facts.breaks):
        # AMB-N9: "in general" six minutes an hour; that a break was excessive is asserted.
        return _open("AMB-N9", section, from_start, "in_time", "excessive")
    # N-09: the text is silent on points for slow play.
    return _total(facts, scale, delayed, from_start, section, doubt=SILENT)


def biba_2014(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Late for the start: a point every five minutes; longer breaks are for the Director."""
    # biba-2014 2.1: "unless they are absent with the Director's permission"
    # biba-2014 2.3
    section = "2.3"
    if facts.both_late:
        return _both_late(section)
    started = _late(facts, START, with_excused=AFTERWARDS)
    from_start = BIBA_SCALE.points(started)
    if from_start != BIBA_SCALE.points(_late(facts, START)):
        return _open(DISCRETION, "2.1", BIBA_SCALE.points(_late(facts, START)), "excused", "late")
    # biba-2014 2.2: longer than ten minutes is "liable to be penalised", without a scale.
    if _late(facts) > _late(facts, START) or any(
        one.ms > 10 * MINUTE and not one.is_noted for one in facts.breaks
    ):
        return _open(DISCRETION, "2.2", from_start, "no_penalty", "penalty")
    fewest, most = _biba_breaks(facts.length)
    if len(facts.breaks) > most:
        return _open(DISCRETION, "2.2", from_start, "no_penalty", "penalty")
    if len(facts.breaks) > fewest:
        return _open("AMB-N7", "2.2", from_start, "no_penalty", "penalty")
    return _total(facts, BIBA_SCALE, started, from_start, section, doubt="AMB-N8")


def fcbg_tournament(facts: PenaltyFacts, rules: Rules) -> Answer:
    """A first point at fifteen minutes, one for every five more, unless the Director excuses it."""
    # fcbg-tournament PENALTY POINTS/T
    section = "PENALTY POINTS/T"
    started = _late(facts, START)
    from_start = FCBG_SCALE.points(started)
    if facts.both_late:
        return _both_late(section)
    if _late(facts) > started:
        # AMB-N3: does the scale of the start hold for recesses?
        return _open("AMB-N3", section, from_start, "fifteen_minutes_first", "immediate")
    # fcbg-tournament TIME/T: one recess of five minutes, up to 13 points
    open_breaks = [one for one in facts.breaks if not one.is_noted]
    if len(facts.breaks) > 1 or any(one.ms > 5 * MINUTE for one in open_breaks):
        if _is_long(facts.length):
            return _open(DISCRETION, "TIME/T", from_start, "allowed", "excessive")
        return _open("AMB-N3", section, from_start, "fifteen_minutes_first", "immediate")
    answer = _total(facts, FCBG_SCALE, started, from_start, section, doubt="AMB-N8")
    # AMB-N2: half of the length, or of what is still needed.
    points = answer.details.get("penalty_points", 0)
    if answer.is_open or answer.flag is not None or not points:
        return answer
    forfeits = answer.outcome == "forfeit"
    if any(_forfeits(points, needed) is not forfeits for needed in facts.needed):
        return replace(answer, flag="AMB-N2")
    return answer


def usbgf_2017_07_breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Six minutes an hour between games; in the first hour for urgent need only."""
    # usbgf-2017-07 [2.2]
    if facts.played_ms is None:
        return ambiguous("AMB-N9", "[2.2]", "pro_rata", "per_clock_hour", "excess")
    details: dict[str, Any] = {"total_ms": _six_minutes_an_hour(facts.played_ms)}
    if facts.played_ms <= HOUR:
        details["first_hour"] = "urgent_need_only"
    return replace(settled("allowance", "[2.2]", **details), flag="AMB-N9")


def biba_2014_breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Two of ten minutes in a match to 11; of other lengths the text does not speak."""
    # biba-2014 2.2
    if facts.length != 11:
        return ambiguous("AMB-N7", "2.2", "pro_rata", "same")
    return settled("allowance", "2.2", breaks=2, each_ms=10 * MINUTE)


def fcbg_tournament_breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """One of five minutes up to 13 points; longer matches may be allowed more."""
    # fcbg-tournament TIME/T
    least = {"breaks": 1, "each_ms": 5 * MINUTE}
    if _is_long(facts.length):
        return left_open(DISCRETION, "TIME/T", "as_in_shorter_matches", "more", at_least=least)
    return settled("allowance", "TIME/T", **least)


def usbgf_2017_07_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "assessed"; into which score, the text does not say."""
    return ambiguous("AMB-N5", "[2.2]", "own_ledger", "opponents_score")


def biba_2014_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "awarded against" a player; into which score, the text does not say."""
    return ambiguous("AMB-N5", "2.3", "own_ledger", "opponents_score")


def fcbg_tournament_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "awarded to opponent", which leans to his score."""
    section = "PENALTY POINTS/T"
    return ambiguous("AMB-N5", section, "own_ledger", "opponents_score", lean="opponents_score")


def _total(
    facts: PenaltyFacts, scale: Scale, delayed: int, from_start: int, section: str, *, doubt: str
) -> Answer:
    """All points, and whether they forfeit; `doubt` where only those not for delays make it so."""
    by_scale = scale.points(delayed)
    for_delay = max(0, max(by_scale, facts.for_delay) - facts.waived)
    points = for_delay + facts.for_other
    forfeits = _forfeits(points, facts.length)
    if forfeits is not _forfeits(for_delay, facts.length):
        return _open(doubt, section, from_start, "counted", "not_counted")
    outcome = "forfeit" if forfeits else "penalty" if points else "no_penalty"
    answer = settled(outcome, section, penalty_points=points, penalty_points_from_start=from_start)
    is_close = scale.is_at_threshold(delayed) and facts.for_delay < by_scale
    return replace(answer, flag="AMB-N1") if is_close else answer


def _forfeits(points: int, length: int | None) -> bool:
    """Points above half the length, not at it."""
    return length is not None and 2 * points > length


def _late(facts: PenaltyFacts, kind: str | None = None, *, with_excused: bool | str = False) -> int:
    """Milliseconds late, of one kind or of all; excused delays only where asked for."""
    return sum(
        delay.ms
        for delay in facts.delays
        if (kind is None or delay.kind == kind)
        and (delay.excused is None or with_excused is True or with_excused == delay.excused)
    )


def _open(question: str, section: str, from_start: int, *readings: str) -> Answer:
    """A question beside which the points for the late start are known."""
    details = MappingProxyType({"penalty_points_from_start": from_start})
    if question.startswith("AMB-"):
        return replace(ambiguous(question, section, *readings), details=details)
    return replace(left_open(question, section, *readings), details=details)


def _both_late(section: str) -> Answer:
    """AMB-N4: both delay the start; neither kept the other waiting all the time."""
    return ambiguous("AMB-N4", section, "each", "none")


def _posted(rules: Rules, default: Scale) -> Scale:
    """The scale that was posted in advance, else the text's own."""
    posted = rules.options.get("penalty_scale")
    if not isinstance(posted, dict):
        return default
    first, step = posted.get("first_after_ms"), posted.get("step_ms")
    if not isinstance(first, int) or not isinstance(step, int) or first < 0 or step < 1:
        return default
    return Scale(first, step)


def _six_minutes_an_hour(played_ms: int) -> int:
    return max(0, played_ms) * 6 // 60


def _exceeds_six_minutes_an_hour(taken: Break) -> bool:
    if taken.is_noted or taken.played_ms is None:
        return False
    return taken.ms > _six_minutes_an_hour(taken.played_ms)


def _biba_breaks(length: int | None) -> tuple[int, int]:
    """Fewest and most breaks that the text can mean for a length: the same, or in proportion."""
    in_proportion = 2 if length is None else 2 * length // 11
    return min(2, in_proportion), max(2, in_proportion)


def _is_long(length: int | None) -> bool:
    return length is None or length > 13


USBGF_2017_07: dict[str, Policy] = {
    POINTS: usbgf_2017_07,
    ALLOWANCE: usbgf_2017_07_breaks,
    ENTERS_SCORE: usbgf_2017_07_score,
}
"""What `usbgf-2017-07` answers."""

BIBA_2014: dict[str, Policy] = {
    POINTS: biba_2014,
    ALLOWANCE: biba_2014_breaks,
    ENTERS_SCORE: biba_2014_score,
}
"""What `biba-2014` answers."""

FCBG_TOURNAMENT: dict[str, Policy] = {
    POINTS: fcbg_tournament,
    ALLOWANCE: fcbg_tournament_breaks,
    ENTERS_SCORE: fcbg_tournament_score,
}
"""What `fcbg-tournament` answers."""
