"""Lateness, breaks and penalty points: each text's scale, what forfeits, what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
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

BOTH_LATE = ("each", "none")
"""Who is penalised where both were late for the start."""
STRICTLY = ("assessed", "excused")
"""What the Director's excuse is worth to a text that knows none."""
ABSENT = ("excused", "late")
"""Whether an excuse that came afterwards is the Director's permission."""
BREAK_TIME = ("in_time", "excessive")
"""Whether a break was longer than it might be."""
FOR_BREAKS = ("no_penalty", "penalty")
"""Whether breaks for which the text has no scale are penalised: with points that are assessed."""
RECESS_SCALE = ("fifteen_minutes_first", "immediate")
"""By which scale recesses count: that of the start, or from the first five minutes on."""
LONG_MATCH = ("allowed", "excessive")
"""Whether a longer match allows the recess."""
COUNTED = ("counted", "not_counted")
"""Whether points that are not for delays count for a forfeit."""


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


class Drawn(NamedTuple):
    """Points that somebody assessed on one ground."""

    assessed: int = 0
    """All of them."""
    waived: int = 0
    """How many of them were waived."""


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
    for_start: Drawn = Drawn()
    """Points assessed for a late start."""
    for_breaks: Drawn = Drawn()
    """Points assessed for breaks."""
    for_other: int = 0
    """Points assessed for anything else, slow play above all, less those waived."""
    needed: tuple[int, ...] = ()
    """Points that each player still needs."""
    ordered: Mapping[tuple[str, ...], str] = MappingProxyType({})
    """Readings of a question to the one that the Director chose."""

    def ruled(self, readings: tuple[str, ...]) -> str | None:
        """The reading chosen; None while nobody has, or in words that are not among them."""
        chosen = self.ordered.get(readings)
        return chosen if chosen in readings else None


class AllowanceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for a break, and when."""

    length: int | None
    """The posted length; None = money."""
    played_ms: int | None = None
    """How long the match has been played; None = not known."""
    in_game: bool = False
    """Whether a game is in progress."""


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


class Part(NamedTuple):
    """Points for delays that a text counts together: those of its scale or those assessed."""

    by_scale: int | None
    """What the scale makes; None = there is no such delay, or no scale for it."""
    drawn: Drawn
    """What was assessed."""

    @property
    def points(self) -> int:
        """Whichever are more, less those waived."""
        return max(0, max(self.by_scale or 0, self.drawn.assessed) - self.drawn.waived)

    @property
    def beyond_scale(self) -> int:
        """Points that were assessed although the scale does not make them."""
        if self.by_scale is None:
            return 0
        return max(0, self.drawn.assessed - self.drawn.waived - self.by_scale)


Parts = tuple[Part, ...]

BIBA_SCALE = Scale(5 * MINUTE, 5 * MINUTE)
"""biba-2014 2.3"""
FCBG_SCALE = Scale(15 * MINUTE, 5 * MINUTE)
"""fcbg-tournament PENALTY POINTS/T"""
FCBG_AT_ONCE = Scale(5 * MINUTE, 5 * MINUTE)
"""The rate of that text without its first fifteen minutes."""


def matter(facts: PenaltyFacts, readings: tuple[str, ...]) -> tuple[Any, ...]:
    """The facts on which a question hangs: while they stay, it is the same question."""
    starts = tuple(delay for delay in facts.delays if delay.kind == START)
    match readings:
        case ("each", "none") | ("excused", "late"):
            return starts
        case ("in_time", "excessive"):
            return facts.breaks
        case ("counted", "not_counted") | ("fifteen_minutes_first", "immediate"):
            # How the text is to be read, whatever else happens.
            return ()
        case _:
            return (facts.delays, facts.breaks)


def usbgf_2017_07(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Delays of a whole match add up: a first point at ten minutes, one for every five more."""
    # usbgf-2017-07 [2.2]
    section = "[2.2]"
    scale = _posted(rules, Scale(10 * MINUTE, 5 * MINUTE))
    if facts.both_late:
        if facts.ruled(BOTH_LATE) is None:
            later = scale.points(_late(facts) - _late(facts, START))
            return _both_late(section, facts, _as_one(facts, later))
        facts = _after_both_late(facts)
    from_start = scale.points(_late(facts, START))
    delayed = _late(facts)
    parts = _as_one(facts, scale.points(delayed))
    if scale.points(delayed) != scale.points(_late(facts, with_excused=True)):
        # "Strictly assessed": the text knows no excuse, and the Director has given one.
        chosen = facts.ruled(STRICTLY)
        if chosen is None:
            return _open(DISCRETION, section, from_start, facts, parts, STRICTLY)
        delayed = _late(facts, with_excused=chosen == "assessed")
        parts = _as_one(facts, scale.points(delayed))
    if any(_exceeds_six_minutes_an_hour(one) for one in facts.breaks) and not facts.ruled(
        BREAK_TIME
    ):
        # AMB-N9: "in general" six minutes an hour; that a break was excessive is asserted, and by
        # how much is a delay that somebody notes.
        return _open("AMB-N9", section, from_start, facts, parts, BREAK_TIME)
    # N-09: the text is silent on points for slow play.
    answer = _total(facts, parts, from_start, section, doubt=SILENT)
    return _flagged(answer, scale, delayed, parts)


def biba_2014(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Late for the start: a point every five minutes; longer breaks are for the Director."""
    # biba-2014 2.1: "unless they are absent with the Director's permission"
    # biba-2014 2.3
    section = "2.3"
    if facts.both_late:
        if facts.ruled(BOTH_LATE) is None:
            return _both_late(section, facts, _by_ground(facts))
        facts = _after_both_late(facts)
    started, permitted = _late(facts, START, with_excused=AFTERWARDS), _late(facts, START)
    if BIBA_SCALE.points(started) != BIBA_SCALE.points(permitted):
        chosen = facts.ruled(ABSENT)
        if chosen is None:
            points = BIBA_SCALE.points(permitted)
            return _open(DISCRETION, "2.1", points, facts, _by_ground(facts, points), ABSENT)
        started = permitted if chosen == "excused" else started
    from_start = BIBA_SCALE.points(started)
    # Points for breaks are those assessed: the text has no scale for them.
    parts = _by_ground(facts, from_start)
    question = _biba_on_breaks(facts)
    if question is not None and facts.ruled(FOR_BREAKS) is None:
        return _open(question, "2.2", from_start, facts, parts, FOR_BREAKS)
    answer = _total(facts, parts, from_start, section, doubt="AMB-N8")
    return _flagged(answer, BIBA_SCALE, started, parts)


def _biba_on_breaks(facts: PenaltyFacts) -> str | None:
    """What makes breaks a question: the Director's discretion, or the length of the match."""
    # biba-2014 2.2: longer than ten minutes is "liable to be penalised", without a scale.
    if _late(facts) > _late(facts, START) or any(
        one.ms > 10 * MINUTE and not one.is_noted for one in facts.breaks
    ):
        return DISCRETION
    fewest, most = _biba_breaks(facts.length)
    if len(facts.breaks) > most:
        return DISCRETION
    return "AMB-N7" if len(facts.breaks) > fewest else None


def fcbg_tournament(facts: PenaltyFacts, rules: Rules) -> Answer:
    """A first point at fifteen minutes, one for every five more, unless the Director excuses it."""
    # fcbg-tournament PENALTY POINTS/T
    section = "PENALTY POINTS/T"
    if facts.both_late:
        if facts.ruled(BOTH_LATE) is None:
            return _both_late(section, facts, _by_ground(facts))
        facts = _after_both_late(facts)
    started = _late(facts, START)
    from_start = FCBG_SCALE.points(started)
    parts = _by_ground(facts, from_start)
    # fcbg-tournament TIME/T: one recess of five minutes, up to 13 points
    unnoted = _beyond_one_recess(facts)
    if unnoted and _is_long(facts.length) and _late(facts) == started:
        chosen = facts.ruled(LONG_MATCH)
        if chosen is None:
            return _open(DISCRETION, "TIME/T", from_start, facts, parts, LONG_MATCH)
        unnoted = unnoted if chosen == "excessive" else 0
    recess = _late(facts) - started + unnoted
    if recess:
        # AMB-N3: does the scale of the start hold for recesses?
        chosen = facts.ruled(RECESS_SCALE)
        if chosen is None:
            return _open("AMB-N3", section, from_start, facts, parts, RECESS_SCALE)
        scale = FCBG_AT_ONCE if chosen == "immediate" else FCBG_SCALE
        parts = _by_ground(facts, from_start, scale.points(recess))
    answer = _total(facts, parts, from_start, section, doubt="AMB-N8")
    answer = _flagged(answer, FCBG_SCALE, started, parts)
    # AMB-N2: half of the length, or of what is still needed.
    points = answer.details.get("penalty_points", 0)
    if answer.is_open or answer.flag is not None or not points:
        return answer
    forfeits = answer.outcome == "forfeit"
    if any(_forfeits(points, needed) is not forfeits for needed in facts.needed):
        return replace(answer, flag="AMB-N2")
    return answer


def _beyond_one_recess(facts: PenaltyFacts) -> int:
    """Milliseconds of recess beyond one of five minutes that nobody has noted as a delay."""
    first = 5 * MINUTE
    return sum(
        one.ms - (first if index == 0 else 0)
        for index, one in enumerate(facts.breaks)
        if not one.is_noted and (index or one.ms > first)
    )


def usbgf_2017_07_breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Six minutes an hour between games; in the first hour for urgent need only."""
    # usbgf-2017-07 [2.2]
    told = _between_games(facts)
    if facts.played_ms is None:
        return ambiguous("AMB-N9", "[2.2]", "pro_rata", "per_clock_hour", "excess", **told)
    details: dict[str, Any] = {"total_ms": _six_minutes_an_hour(facts.played_ms), **told}
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
    told = _between_games(facts)
    if _is_long(facts.length):
        readings = ("as_in_shorter_matches", "more")
        return left_open(DISCRETION, "TIME/T", *readings, at_least=least, **told)
    return settled("allowance", "TIME/T", **least, **told)


def _between_games(facts: AllowanceFacts) -> dict[str, Any]:
    """What a text says that allows breaks between games alone, where one begins in a game."""
    return {"only_between_games": True} if facts.in_game else {}


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
    facts: PenaltyFacts, parts: Parts, from_start: int, section: str, *, doubt: str
) -> Answer:
    """All points, and whether they forfeit; `doubt` where only those not for delays make it so."""
    for_delay = sum(part.points for part in parts)
    points = for_delay + facts.for_other
    forfeits = _forfeits(points, facts.length)
    if forfeits is not _forfeits(for_delay, facts.length):
        chosen = facts.ruled(COUNTED)
        if chosen is None:
            question = _open(doubt, section, from_start, facts, parts, COUNTED)
            details = MappingProxyType({**question.details, "forfeits_if": COUNTED[0]})
            return replace(question, details=details)
        forfeits = forfeits and chosen == COUNTED[0]
    outcome = "forfeit" if forfeits else "penalty" if points else "no_penalty"
    told = {"penalty_points": points, "penalty_points_from_start": from_start}
    if beyond := sum(part.beyond_scale for part in parts):
        told["beyond_scale"] = beyond
    return settled(outcome, section, **told)


def _flagged(answer: Answer, scale: Scale, delayed: int, parts: Parts) -> Answer:
    """AMB-N1: the points of the first part are those of a threshold, and nobody assessed them."""
    by_scale, drawn = parts[0]
    if answer.is_open or by_scale is None or drawn.assessed >= by_scale:
        return answer
    return replace(answer, flag="AMB-N1") if scale.is_at_threshold(delayed) else answer


def _as_one(facts: PenaltyFacts, by_scale: int) -> Parts:
    """All delays of a match on one scale."""
    start, breaks = facts.for_start, facts.for_breaks
    drawn = Drawn(start.assessed + breaks.assessed, start.waived + breaks.waived)
    return (Part(by_scale if facts.delays else None, drawn),)


def _by_ground(facts: PenaltyFacts, start: int = 0, breaks: int | None = None) -> Parts:
    """The late start and the breaks each by itself; `breaks` None = no scale makes their points."""
    is_late = any(delay.kind == START for delay in facts.delays)
    by_scale = start if is_late else None
    return (Part(by_scale, facts.for_start), Part(breaks, facts.for_breaks))


def _after_both_late(facts: PenaltyFacts) -> PenaltyFacts:
    """The facts once it is ruled who pays for the start that both delayed: each, or nobody."""
    if facts.ruled(BOTH_LATE) == "each":
        return facts
    return replace(facts, delays=tuple(delay for delay in facts.delays if delay.kind != START))


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


def _open(
    question: str,
    section: str,
    from_start: int | None,
    facts: PenaltyFacts,
    parts: Parts,
    readings: tuple[str, ...],
) -> Answer:
    """A question, and beside it the points that stand whatever its answer.

    Those for delays may forfeit the match by themselves.
    """
    for_delay = sum(part.points for part in parts)
    details: dict[str, Any] = {}
    if points := for_delay + facts.for_other:
        details["penalty_points_at_least"] = points
    if from_start is not None:
        details["penalty_points_from_start"] = from_start
    if facts.ruled(COUNTED) == COUNTED[0]:
        for_delay += facts.for_other
    if readings is not COUNTED and _forfeits(for_delay, facts.length):
        details["forfeits"] = True
    if question.startswith("AMB-"):
        return ambiguous(question, section, *readings, **details)
    return left_open(question, section, *readings, **details)


def _both_late(section: str, facts: PenaltyFacts, parts: Parts) -> Answer:
    """AMB-N4: both delay the start; neither kept the other waiting all the time."""
    return _open("AMB-N4", section, None, facts, parts, BOTH_LATE)


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
