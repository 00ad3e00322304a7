"""A player's account: delays, breaks and penalties, their sum, and what enters the score."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.payloads import attendance, penalty
from projections.folding.findings import Key
from projections.folding.questions import Asked
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects import penalties as scales

FOR_DELAY = (penalty.PenaltyGround.LATE_START, penalty.PenaltyGround.BREAK)
"""Grounds of points that a scale computes."""

AWARDED = (*FOR_DELAY, penalty.PenaltyGround.SLOW_PLAY)
"""Grounds of points of which a text may say that they are the opponent's."""

ON_EXCUSES = (scales.STRICTLY, scales.ABSENT)
"""Questions on what an excuse is worth."""

MOMENT_MS = 60_000
"""Less than this raises no question: a moment at the table is no delay for a person to rule on.

It adds up with other delays like any other time, and a scale that counts it gives its points.
"""


class Excuse(msgspec.Struct, frozen=True, gc=False):
    """The Director excused a delay."""

    kind: str | None
    """Which one; None = any."""
    given_at_ms: int | None
    """When, on the scale of `at_ms`; None = when it was recorded."""


class Late(msgspec.Struct, frozen=True, gc=False):
    """One delay as recorded."""

    kind: str
    """Late for what."""
    ms: int
    """By how long."""
    excuses: int
    """How many excuses had been recorded before it."""
    leave: str | None = None
    """Whether the player was away with the Director's leave then, as `scales` has it."""


class Leave(msgspec.Struct, frozen=True, gc=False):
    """The Director let a player be away."""

    until_ms: int | None
    """Until when, on the scale of `at_ms`; None = not recorded."""

    def at(self, at_ms: int) -> str:
        """What a delay is that ends at a time."""
        is_over = self.until_ms is not None and at_ms > self.until_ms
        return scales.OVERSTAYED if is_over else scales.ON_LEAVE


class Assessed(msgspec.Struct, frozen=True, gc=False):
    """One penalty as it was assessed."""

    entry_id: str
    """The entry that assessed it."""
    points: int
    """Its points, less those waived."""
    waived: int
    """Points of it that were waived."""
    ground: penalty.PenaltyGround
    """What it is for."""
    enters_score: bool | None
    """Whether it enters the score; None = left open."""

    @property
    def is_for_delay(self) -> bool:
        """Whether a scale computes such points."""
        return self.ground in FOR_DELAY

    def less(self, points: int | None) -> Assessed:
        """The penalty with points of it waived; None = all."""
        waived = self.points if points is None else min(points, self.points)
        return replace(self, points=self.points - waived, waived=self.waived + waived)


class Sums(msgspec.Struct, frozen=True, gc=False):
    """What penalties add up to: the score asks for it at every turn, and they seldom change."""

    points: int = 0
    """All points."""
    said: int = 0
    """Those of which an entry says whether they enter the score."""
    entering: int = 0
    """Those of them that do."""
    others: int = 0
    """Points of which no entry says it, and which no text awards to the opponent."""


def _sums(assessed: tuple[Assessed, ...]) -> Sums:
    points = said = entering = others = 0
    for one in assessed:
        points += one.points
        if one.enters_score is not None:
            said += one.points
            entering += one.points if one.enters_score else 0
        elif one.ground not in AWARDED:
            others += one.points
    return Sums(points, said, entering, others)


class Account(msgspec.Struct, frozen=True, gc=False):
    """What one player's time and penalties come to."""

    called_ms: int | None = None
    """When the player was called to the table."""
    has_arrived: bool = False
    """Whether an arrival is recorded."""
    delays: tuple[Late, ...] = ()
    """Delays, the late start among them."""
    excuses: tuple[Excuse, ...] = ()
    """Excuses of the Director."""
    first_excuses: Mapping[str | None, int] = MappingProxyType({})
    """Kind of an excuse to the place of the first one of that kind."""
    breaks: tuple[scales.Break, ...] = ()
    """Breaks taken."""
    away_since_ms: int | None = None
    """When the break in progress began."""
    is_away: bool = False
    """Whether a break is in progress."""
    leave: Leave | None = None
    """The Director's leave to be away that he had when he left before the start."""
    assessed: tuple[Assessed, ...] = ()
    """Penalties."""
    sums: Sums = Sums()
    """Their sum."""
    occasions: int = 0
    """Breaks, and delays other than of the start, one that is both counted once."""
    paid_for: int = 0
    """How many of them there were when points for breaks were assessed last."""
    is_warned: bool = False
    """Whether the player was warned of slow play."""
    is_awarded: bool = False
    """Whether the text awards points for delays and slow play to the opponent."""
    in_score: bool | None = None
    """The rulings on points of which nobody had said whether they enter the score."""
    asked_score: int = 0
    """With how many points that was asked last."""
    asked: tuple[Asked, ...] = ()
    """Questions asked about it all."""
    answer: Answer | None = None
    """The answer of the rule set, or of a ruling on its questions, to the whole account; None = not
    asked."""
    drawn: int = 0
    """Points as they were told last: while a question is open, they are no fewer."""
    rises: tuple[tuple[int, int], ...] = ()
    """Version and points of every event that made them more."""
    in_stated: int = 0
    """Points that had entered the score when it was last stated: that score has them in it."""
    too_late: int = 0
    """Those of them that were drawn after the match was won, and never entered its score."""

    @property
    def is_late(self) -> bool:
        """Whether the player was late for the start by more than a moment, and not excused."""
        return any(
            late.kind == scales.START and late.ms >= MOMENT_MS and self.excuse_of(late, 0) is None
            for late in self.delays
        )

    @property
    def is_moment(self) -> bool:
        """Whether all that is known of the player is less than a moment."""
        delayed = sum(late.ms for late in self.delays)
        return delayed < MOMENT_MS and not self.breaks and not self.assessed

    @property
    def is_clear(self) -> bool:
        """Whether nothing was ever said that bears on the score."""
        return not self.assessed and self.answer is None and not self.in_stated

    @property
    def points(self) -> int:
        """Penalty points; beside an open question those that are drawn."""
        assessed = self.sums.points
        answer = self.answer
        if answer is None:
            return assessed
        # If no text computes anything, the points that were assessed count.
        least: int = answer.details.get("penalty_points_at_least", assessed)
        points: int = answer.details.get("penalty_points", least)
        return max(points, self.drawn) if answer.is_open else points

    @property
    def beyond_scale(self) -> int:
        """Points assessed for delays that no scale makes, where there is one."""
        return self._told("beyond_scale")

    @property
    def below_scale(self) -> int:
        """Points that the scale makes beyond those assessed for delays, where some were."""
        return self._told("below_scale")

    def _told(self, detail: str) -> int:
        points: int = 0 if self.answer is None else self.answer.details.get(detail, 0)
        return points

    @property
    def entering(self) -> int:
        """Points that enter the score."""
        return self.sums.entering + (self._left_open if self.in_score else self._awarded)

    @property
    def undecided(self) -> int:
        """Points of which nobody has said whether they enter the score."""
        return self._left_open - self._awarded if self.in_score is None else 0

    @property
    def _awarded(self) -> int:
        """Points that enter the opponent's score because the text awards them to him."""
        if not self.is_awarded:
            return 0
        return max(0, self._left_open - self.sums.others)

    @property
    def _left_open(self) -> int:
        """Points of which no entry says whether they enter the score."""
        return max(0, self.points - self.sums.said)

    @property
    def forfeits(self) -> bool:
        """Whether points forfeit the match, be it by those alone that no open question touches."""
        answer = self.answer
        if answer is None:
            return False
        return answer.outcome == "forfeit" or (answer.is_open and "forfeits" in answer.details)

    def drawn_at(self, points: int, version: int) -> Account:
        """With points as they are told at an event."""
        rises = self.rises
        if points > (rises[-1][1] if rises else 0):
            rises = (*rises, (version, points))
        return replace(self, drawn=points, rises=rises)

    def forfeited_before(self, version: int, length: int) -> bool:
        """Whether points drawn before an event forfeit a match to that length."""
        before = [points for at, points in self.rises if at < version]
        return bool(before) and scales.does_forfeit(min(max(before), self.points), length)

    def excuse_of(self, late: Late, start_ms: int) -> str | None:
        """Whether a delay was excused, and whether before it began."""
        places = self.first_excuses
        if not places:
            return None
        first = min((places[kind] for kind in (None, late.kind) if kind in places), default=None)
        if first is None:
            return None
        if late.kind != scales.START:
            return scales.BEFOREHAND if first < late.excuses else scales.AFTERWARDS
        for one in self.excuses[first : late.excuses]:
            is_before = one.given_at_ms is None or one.given_at_ms <= start_ms
            if is_before and one.kind in (None, late.kind):
                return scales.BEFOREHAND
        return scales.AFTERWARDS

    @property
    def breaks_taken(self) -> tuple[scales.Break, ...]:
        """Breaks as a rule set is asked about them: an excuse for breaks is for all of them."""
        if not any(one.kind == attendance.DelayKind.BREAK for one in self.excuses):
            return self.breaks
        return tuple(replace(one, is_excused=True) for one in self.breaks)

    def excused(self, excuse: Excuse, rules: Rules) -> Account:
        """With an excuse of the Director, which answers what was asked about what it excuses."""
        breaks = self.breaks
        if excuse.kind is None:
            breaks = tuple(replace(one, is_excused=True) for one in breaks)
        answered = self.answered_by(excuse.kind, rules)
        asked = tuple(one for one in self.asked if one.key not in answered)
        first = MappingProxyType({excuse.kind: len(self.excuses), **self.first_excuses})
        excuses = (*self.excuses, excuse)
        return replace(self, excuses=excuses, first_excuses=first, breaks=breaks, asked=asked)

    def penalised(self, one: Assessed) -> Account:
        """With points assessed, which answer what was asked about breaks if they are for these."""
        account = self.with_assessed((*self.assessed, one))
        if one.ground is not penalty.PenaltyGround.BREAK:
            return account
        asked = tuple(one for one in self.asked if one.key not in self.on_breaks)
        # Who is away now pays for the break that he is in.
        paid_for = self.occasions + self.is_away
        return replace(account, asked=asked, paid_for=paid_for)

    def with_assessed(self, assessed: tuple[Assessed, ...]) -> Account:
        """With these penalties."""
        return replace(self, assessed=assessed, sums=_sums(assessed))

    @property
    def has_paid_for_breaks(self) -> bool:
        """Whether points were assessed for breaks, and there was none since."""
        return 0 < self.occasions <= self.paid_for

    @property
    def on_breaks(self) -> tuple[Key, ...]:
        """Questions on breaks."""
        return tuple(one.key for one in self.asked if one.answer.readings in scales.ON_BREAKS)

    def answered_by(self, kind: str | None, rules: Rules) -> dict[Key, str]:
        """Questions that an excuse of a kind answers, with the reading; None = of any kind.

        A late resumption that is not excused keeps those on breaks open. Where both came late, the
        other player's delay counts by itself from then on, if the text says what the excuse is
        worth; else the excuse is a question itself, and decides nothing.
        """
        answered: dict[Key, str] = {}
        if kind in (None, scales.START) and not _is_excuse_asked(rules):
            both = [one.key for one in self.asked if one.answer.readings == scales.BOTH_LATE]
            answered |= dict.fromkeys(both, scales.EACH)
        excusable = (scales.START, kind, attendance.DelayKind.BREAK)
        is_about = kind in (None, attendance.DelayKind.BREAK)
        if is_about and not any(kind and late.kind not in excusable for late in self.delays):
            answered |= dict.fromkeys(self.on_breaks, scales.EXCUSED)
        return answered

    def late_for_start(self) -> int:
        """Milliseconds late for the start, by more than a moment and not excused."""
        return sum(late.ms for late in self.delays if late.kind == scales.START and self.is_late)

    def drawn_for(self, ground: penalty.PenaltyGround) -> scales.Drawn:
        """What was assessed on a ground, and what of it was waived."""
        assessed = [one for one in self.assessed if one.ground is ground]
        waived = sum(one.waived for one in assessed)
        return scales.Drawn(sum(one.points for one in assessed) + waived, waived)

    @property
    def leave_at_start(self) -> str | None:
        """With what leave the player was late for the start."""
        return next((late.leave for late in self.delays if late.kind == scales.START), None)

    def delayed(self, kind: str, ms: int, leave: str | None = None) -> Account:
        """With one more delay; a start is late once, by the longest time that is told."""
        late = Late(kind, ms, len(self.excuses), leave)
        earlier = self.delays
        if kind == scales.START:
            if any(one.kind == kind and one.ms >= ms for one in earlier):
                return self
            earlier = tuple(one for one in earlier if one.kind != kind)
        breaks, occasions = self.breaks, self.occasions
        if kind == attendance.DelayKind.BREAK and breaks and not breaks[-1].is_noted:
            breaks = (*breaks[:-1], replace(breaks[-1], is_noted=True))
        elif kind != scales.START:
            occasions += 1
        return replace(self, delays=(*earlier, late), breaks=breaks, occasions=occasions)

    def back(self, taken: scales.Break) -> Account:
        """With a break that has ended."""
        breaks, occasions = (*self.breaks, taken), self.occasions + 1
        return replace(self, is_away=False, away_since_ms=None, breaks=breaks, occasions=occasions)

    def settled(self) -> Account:
        """With what enters the score by now in a score that is stated."""
        return replace(self, in_stated=self.entering, too_late=0)

    def asking(self, asked: list[Asked], new: Asked) -> Account:
        """With an open question: a new one, or one that is about more facts by now."""
        if not asked:
            return replace(self, asked=(*self.asked, new))
        now = (replace(one, matter=new.matter) if one in asked else one for one in self.asked)
        return replace(self, asked=tuple(now))

    def asked_of_both(self) -> Account:
        """With the last question as one that was asked about both players.

        What the first of them was told to have drawn holds no more than what the other may draw.
        """
        *earlier, last = self.asked
        return replace(self, asked=(*earlier, replace(last, seat=None)), drawn=0)


def _is_excuse_asked(rules: Rules) -> bool:
    """Whether the text leaves open what an excuse is worth that is given after a late start."""
    late = scales.Delay(scales.START, scales.HOUR, scales.AFTERWARDS)
    answer = rules.ask(scales.POINTS, scales.PenaltyFacts(length=1, delays=(late,)))
    return answer.readings in ON_EXCUSES
