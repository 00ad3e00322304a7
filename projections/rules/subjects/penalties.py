"""Lateness, breaks and penalty points: scales, what forfeits the match, what is left open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from projections.rules.answers import SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules, Subject

MINUTE = 60_000
HOUR = 60 * MINUTE

START = "start"
"""Kind of a delay: the match began late. All other kinds are later ones."""

BEFOREHAND = "beforehand"
"""The Director excused a delay before it began."""
AFTERWARDS = "afterwards"
"""The Director excused it later."""

ON_LEAVE = "on_leave"
"""The Director had let the player be away, until he came or without an end."""
OVERSTAYED = "overstayed"
"""The Director had let the player be away until a time before he came."""

EACH = "each"
"""Each player draws the points of his own delay."""
BOTH_LATE = (EACH, "none")
"""Who loses the match where both came so late for the start that each would forfeit it."""
POSTED = ("as_posted", "of_the_text")
"""By which scale points count where one was posted that is laxer than the text's."""
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
ON_BREAKS = (FOR_BREAKS, RECESS_SCALE, LONG_MATCH)
"""Questions on breaks that the Director answers who excuses them."""
OPPONENTS_SCORE = "opponents_score"
"""Points enter the opponent's score."""
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
    leave: str | None = None
    """ON_LEAVE, OVERSTAYED, or none: whether the Director had let him be away when it began."""


class Break(msgspec.Struct, frozen=True, gc=False):
    """One break that a player took."""

    ms: int
    """How long it was."""
    played_ms: int | None = None
    """How long the match had been played when it began; None = not known."""
    is_noted: bool = False
    """Whether somebody noted its excess, which then counts as a delay."""
    is_excused: bool = False
    """Whether the Director has excused it."""


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
    opponent_late_ms: int = 0
    """By how much the opponent was late for the start, excused delays left out."""
    opponent_leave: str | None = None
    """ON_LEAVE or OVERSTAYED, where the opponent was away then with the Director's leave."""
    breaks: tuple[Break, ...] = ()
    """Breaks taken."""
    for_start: Drawn = Drawn()
    """Points assessed for a late start."""
    for_breaks: Drawn = Drawn()
    """Points assessed for breaks."""
    has_paid_for_breaks: bool = False
    """Whether those were assessed for all breaks that there were."""
    for_other: int = 0
    """Points assessed for anything else, slow play above all, less those waived."""
    ground: str = "other"
    """What the last of those were for: slow_play, conduct, wrong_length or other."""
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
    is_alone: bool = False
    """Whether one player takes it while the other does not."""
    is_signed_by_one: bool = False
    """Whether it is recorded that one player alone signed for its start."""
    is_unread: bool = False
    """Whether the clocks are in use, and what they show is not on record."""


LONG_MS = 10 * MINUTE
"""The texts that speak of leaving do so of more than this."""


class AbsenceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A player leaves the playing area, otherwise than for a break."""

    ms: int
    """For how long."""
    has_consent: bool = False
    """Whether the Director's consent is recorded."""
    is_signed_out: bool = False
    """Whether it is recorded that he put himself on the sign-out sheet."""
    is_start_posted: bool = False
    """Whether his match has not begun, and its start was posted."""


EXCUSED = "excused"
"""Nobody minds the absence."""
PENALISED = FOR_BREAKS[1]
"""The Director has given points for breaks, and so said what they cost."""
NO_LEAVE = "without_leave"
"""The text asks for leave, and none is on record; it names nothing that follows."""


class ScoreFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Penalty points of which nobody has said whether they enter the score."""

    points: int
    """The points."""
    for_other: bool = False
    """Whether they are for something else than delays and slow play."""


class WarnedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Points are given for slow play."""

    is_warned: bool
    """Whether that player was warned of slow play before."""


class SanctionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A sanction is imposed."""

    kind: str
    """What, in the word of whoever recorded it."""

    @property
    def bars(self) -> bool:
        """Whether it bars a player, or an entry."""
        return any(part in _BARRED for part in re.split(r"[^a-z]+", self.kind))


_BARRED = frozenset(
    ("bar", "bars", "barred", "barring", "ban", "banned", "exclusion", "excluded", "entry")
)
"""Words of a sanction that bars somebody: they have no closed list."""

MAY_BAR = "may_bar"
"""Barring a player is the Director's, by the text."""


def barring(section: str, **details: object) -> Policy[SanctionFacts]:
    """Whoever directs may bar a player; of other sanctions this does not speak."""

    def answer(facts: SanctionFacts, rules: Rules) -> Answer:
        if facts.bars:
            return settled(MAY_BAR, section, **details)
        return left_open(SILENT, rules.cite(SANCTIONS)[1])

    return answer


IN_ORDER = "in_order"
"""The points follow a warning."""
NOT_WARNED = "not_warned"
"""The text has a warning come before the points, and none is on record."""


def after_warning(section: str) -> Policy[WarnedFacts]:
    """Points for slow play that goes on after a warning."""

    def answer(facts: WarnedFacts, rules: Rules) -> Answer:
        return settled(IN_ORDER if facts.is_warned else NOT_WARNED, section)

    return answer


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

    @property
    def below_scale(self) -> int:
        """Points that the scale makes beyond those that somebody assessed; 0 where nobody has."""
        return max(0, (self.by_scale or 0) - self.drawn.assessed) if self.drawn.assessed else 0


Parts = tuple[Part, ...]


def matter(facts: PenaltyFacts, readings: tuple[str, ...]) -> tuple[object, ...]:
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


def between_games(facts: AllowanceFacts) -> dict[str, Any]:
    """What a text says that allows breaks between games alone, where one begins in a game."""
    return {"only_between_games": True} if facts.in_game else {}


def by_both(facts: AllowanceFacts) -> dict[str, Any]:
    """What a text says that has both take their breaks together and sign for them."""
    told = {
        "both_together": facts.is_alone,
        "both_sign": facts.is_signed_by_one,
        "clocks_read": facts.is_unread,
    }
    return {name: True for name, is_missed in told.items() if is_missed}


def total(
    facts: PenaltyFacts,
    parts: Parts,
    from_start: int,
    section: str,
    *,
    grounds: Mapping[str, str],
    doubt: str,
) -> Answer:
    """All points, and whether they forfeit; `doubt` where only those not for delays make it so.

    `grounds`: what points may be for beside delays, with the section that speaks of it, and under
    `other` the one for the rest. Points of that kind alone cite it.
    """
    for_delay = sum(part.points for part in parts)
    points = for_delay + facts.for_other
    forfeits = does_forfeit(points, facts.length)
    if forfeits is not does_forfeit(for_delay, facts.length):
        chosen = facts.ruled(COUNTED)
        if chosen is None:
            question = still_open(doubt, section, from_start, facts, parts, COUNTED)
            details = MappingProxyType({**question.details, "forfeits_if": COUNTED[0]})
            return replace(question, details=details)
        forfeits = forfeits and chosen == COUNTED[0]
    outcome = "forfeit" if forfeits else "penalty" if points else "no_penalty"
    if facts.for_other and not for_delay and not forfeits:
        section = grounds.get(facts.ground, grounds["other"])
    told = {"penalty_points": points, "penalty_points_from_start": from_start}
    if beyond := sum(part.beyond_scale for part in parts):
        told["beyond_scale"] = beyond
    if below := sum(part.below_scale for part in parts):
        told["below_scale"] = below
    return settled(outcome, section, **told)


def flagged(answer: Answer, scale: Scale, delayed: int, parts: Parts) -> Answer:
    """AMB-N1: the points of the first part are those of a threshold, and nobody assessed them."""
    by_scale, drawn = parts[0]
    if answer.is_open or by_scale is None or drawn.assessed >= by_scale:
        return answer
    return replace(answer, flag="AMB-N1") if scale.is_at_threshold(delayed) else answer


def by_ground(facts: PenaltyFacts, start: int = 0, breaks: int | None = None) -> Parts:
    """The late start and the breaks each by itself; `breaks` None = no scale makes their points."""
    is_late = any(delay.kind == START for delay in facts.delays)
    by_scale = start if is_late else None
    return (Part(by_scale, facts.for_start), Part(breaks, facts.for_breaks))


def both_forfeit(facts: PenaltyFacts, scale: Scale) -> bool:
    """Whether each of both comes so late for the start that he would lose to the other.

    Where only one of them does, or neither, each draws what his own delay costs: every text speaks
    of whoever is late, and none of who comes first.
    """
    delays = (late(facts, START), facts.opponent_late_ms)
    return all(does_forfeit(scale.points(ms), facts.length) for ms in delays)


def with_leave(facts: PenaltyFacts, *, overstayed: str = AFTERWARDS) -> PenaltyFacts:
    """The facts under a text by which no player is late while he is away with leave.

    One who stays away longer than that may have been excused with it, or not: his delay is one
    excused as `overstayed` says.
    """
    excused = {ON_LEAVE: BEFOREHAND, OVERSTAYED: overstayed}
    delays = tuple(
        replace(delay, excused=excused[delay.leave]) if delay.leave and not delay.excused else delay
        for delay in facts.delays
    )
    late_ms = 0 if facts.opponent_leave == ON_LEAVE else facts.opponent_late_ms
    if delays == facts.delays and late_ms == facts.opponent_late_ms:
        return facts
    return replace(facts, delays=delays, opponent_late_ms=late_ms)


def after_both_late(facts: PenaltyFacts) -> PenaltyFacts:
    """The facts once it is ruled who pays for the start that both delayed: each, or nobody."""
    if facts.ruled(BOTH_LATE) == EACH:
        return facts
    return replace(facts, delays=tuple(delay for delay in facts.delays if delay.kind != START))


def does_forfeit(points: int, length: int | None) -> bool:
    """Points above half the length, not at it."""
    return length is not None and 2 * points > length


def late(facts: PenaltyFacts, kind: str | None = None, *, with_excused: bool | str = False) -> int:
    """Milliseconds late, of one kind or of all; excused delays only where asked for."""
    return sum(
        delay.ms
        for delay in facts.delays
        if (kind is None or delay.kind == kind)
        and (delay.excused is None or with_excused is True or with_excused == delay.excused)
    )


def still_open(
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
    if readings is not COUNTED and does_forfeit(for_delay, facts.length):
        details["forfeits"] = True
    if question.startswith("AMB-"):
        return ambiguous(question, section, *readings, **details)
    return left_open(question, section, *readings, **details)


def both_delayed(section: str, facts: PenaltyFacts, parts: Parts) -> Answer:
    """AMB-N4: both are so late for the start that each forfeits, and nobody can have won."""
    return still_open("AMB-N4", section, None, facts, parts, BOTH_LATE)


POINTS = Subject[PenaltyFacts]("penalties")
"""What a player's delays, breaks and penalties come to."""
ALLOWANCE = Subject[AllowanceFacts]("penalties.breaks")
"""What breaks a player may take."""
SLOW_PLAY = Subject[WarnedFacts]("slow_play")
"""Whether points for slow play may be given."""
SANCTIONS = Subject[SanctionFacts]("sanctions")
"""What the text says to a sanction other than points."""
ABSENCE = Subject[AbsenceFacts]("penalties.absence")
"""What a long absence comes to."""
ENTERS_SCORE = Subject[ScoreFacts]("penalties.score")
"""Whether penalty points enter the score."""
