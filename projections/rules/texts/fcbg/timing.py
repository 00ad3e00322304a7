"""`fcbg` on the clock, lateness, breaks and penalty points."""

from __future__ import annotations

from msgspec.structs import replace

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules
from projections.rules.subjects import clock_terms, penalties
from projections.rules.subjects.clock_terms import FlagFacts
from projections.rules.subjects.penalties import (
    AbsenceFacts,
    AllowanceFacts,
    PenaltyFacts,
    Scale,
    ScoreFacts,
)
from projections.rules.terms import on_terms
from projections.rules.texts.fcbg import sections as at


def not_provided(*readings: str) -> Policy[object]:
    """Slow matches are monitored; clocks, the text says, are not provided for yet."""

    def answer(facts: object, rules: Rules) -> Answer:
        return left_open(SILENT, at.SLOW_PLAY, *readings)

    return answer


def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """No clock is provided for; where both have run out, which of them lost is a question too."""
    readings: tuple[str, ...] = (clock_terms.MATCH_LOST, clock_terms.PLAY_ON)
    if facts.loser is None:
        readings = clock_terms.order_unknown(at.SLOW_PLAY).readings
    return left_open(SILENT, at.SLOW_PLAY, *readings)


SCALE = Scale(15 * penalties.MINUTE, 5 * penalties.MINUTE)
"""Points for a late start."""
AT_ONCE = Scale(5 * penalties.MINUTE, 5 * penalties.MINUTE)
"""The rate of that text without its first fifteen minutes."""


GROUNDS = {"slow_play": at.SLOW_PLAY, "wrong_length": at.COMPLETION, "other": at.INTERPRETATION}
"""What points may be for beside delays, with the section that speaks of it."""


@on_terms(first_after_ms=SCALE.first_ms, step_ms=SCALE.step_ms)
def penalty_points(facts: PenaltyFacts, rules: Rules) -> Answer:
    """A first point at fifteen minutes, one for every five more, unless the Director excuses it."""
    # "To avoid penalties, player should secure Director's consent when leaving"
    facts = penalties.with_leave(facts, overstayed=penalties.OVERSTAYED)
    section = at.PENALTY_POINTS
    if penalties.both_forfeit(facts, SCALE):
        if facts.ruled(penalties.BOTH_LATE) is None:
            return penalties.both_delayed(section, facts, penalties.by_ground(facts))
        facts = penalties.after_both_late(facts)
    started = penalties.late(facts, penalties.START)
    overstayed = penalties.late(facts, penalties.START, with_excused=penalties.OVERSTAYED)
    if SCALE.points(overstayed) != SCALE.points(started):
        chosen = facts.ruled(penalties.ABSENT)
        if chosen is None:
            points = SCALE.points(started)
            parts = penalties.by_ground(facts, points)
            return penalties.still_open(DISCRETION, section, points, facts, parts, penalties.ABSENT)
        started = started if chosen == "excused" else overstayed
    from_start = SCALE.points(started)
    parts = penalties.by_ground(facts, from_start)
    # One recess of five minutes, up to 13 points
    unnoted = 0 if facts.has_paid_for_breaks else _beyond_one_recess(facts)
    if unnoted and _is_long(facts.length) and penalties.late(facts) == started:
        chosen = facts.ruled(penalties.LONG_MATCH)
        if chosen is None:
            return penalties.still_open(
                DISCRETION, at.TIME, from_start, facts, parts, penalties.LONG_MATCH
            )
        unnoted = unnoted if chosen == "excessive" else 0
    recess = penalties.late(facts) - started + unnoted
    is_violated = recess or (_has_second_recess(facts) and not _is_long(facts.length))
    # Points that the Director has given for them say what they cost.
    if is_violated and not facts.has_paid_for_breaks:
        # A second one is a violation however long it was, though nobody timed it.
        # AMB-N3: does the scale of the start hold for recesses?
        chosen = facts.ruled(penalties.RECESS_SCALE)
        if chosen is None:
            return penalties.still_open(
                "AMB-N3", section, from_start, facts, parts, penalties.RECESS_SCALE
            )
        scale = AT_ONCE if chosen == "immediate" else SCALE
        parts = penalties.by_ground(facts, from_start, scale.points(recess))
    answer = penalties.total(facts, parts, from_start, section, grounds=GROUNDS, doubt="AMB-N8")
    answer = penalties.flagged(answer, SCALE, started, parts)
    # AMB-N2: half of the length, or of what is still needed.
    points = answer.details.get("penalty_points", 0)
    if answer.is_open or answer.flag is not None or not points:
        return answer
    forfeits = answer.outcome == "forfeit"
    if any(penalties.does_forfeit(points, needed) is not forfeits for needed in facts.needed):
        return replace(answer, flag="AMB-N2")
    return answer


def _beyond_one_recess(facts: PenaltyFacts) -> int:
    """Milliseconds of recess beyond one of five minutes that nobody has noted as a delay."""
    first = 5 * penalties.MINUTE
    return sum(
        one.ms - (first if index == 0 else 0)
        for index, one in enumerate(facts.breaks)
        if not (one.is_noted or one.is_excused) and (index or one.ms > first)
    )


def _has_second_recess(facts: PenaltyFacts) -> bool:
    """Whether more than the one recess was taken, which nobody has noted as a delay or excused."""
    return any(not (one.is_noted or one.is_excused) for one in facts.breaks[1:])


def breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """One of five minutes up to 13 points; longer matches may be allowed more."""

    least = {"breaks": 1, "each_ms": 5 * penalties.MINUTE}
    told = penalties.between_games(facts)
    if _is_long(facts.length):
        readings = ("as_in_shorter_matches", "more")
        return left_open(DISCRETION, at.TIME, *readings, at_least=least, **told)
    return settled("allowance", at.TIME, **least, **told)


def absence(facts: AbsenceFacts, rules: Rules) -> Answer:
    """The Director's consent avoids penalties; how many there are without it is not said."""
    if facts.has_consent:
        return settled(penalties.EXCUSED, at.PENALTY_POINTS)
    return left_open(DISCRETION, at.PENALTY_POINTS, *penalties.FOR_BREAKS)


def enters_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "awarded to opponent", for time and recess violations and for slow play."""
    awarded, section = penalties.OPPONENTS_SCORE, at.PENALTY_POINTS
    if facts.for_other:
        return ambiguous("AMB-N5", section, "own_ledger", awarded, lean=awarded)
    return settled(awarded, section)


def _is_long(length: int | None) -> bool:
    return length is None or length > 13
