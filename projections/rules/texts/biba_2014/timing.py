"""`biba-2014` on the clock, lateness, breaks and penalty points."""

from __future__ import annotations

from types import MappingProxyType

from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Rules
from projections.rules.subjects import clock_terms, penalties
from projections.rules.subjects.clock_terms import (
    FaultFacts,
    FlagFacts,
    StopFacts,
    Terms,
    TermsFacts,
)
from projections.rules.subjects.penalties import (
    AbsenceFacts,
    AllowanceFacts,
    PenaltyFacts,
    Scale,
    ScoreFacts,
)
from projections.rules.terms import on_terms
from projections.rules.texts.biba_2014 import sections as at

_TERMS = Terms(120_000, 12_000, None)
_LESS_MS = 60_000
"""What a clock that comes in later lacks for each point scored by both."""


def terms(facts: TermsFacts, rules: Rules) -> Answer:
    """2.4 leaves them to Clock Rules that are not in hand.

    What is told of those leans: two minutes a point and 12 seconds a turn, less a minute for each
    point played without a clock.
    """
    lean = None
    if clock_terms.event_kind(facts, rules) in (None, "open", "other"):
        reserve_ms = _TERMS.point_ms * facts.length - _LESS_MS * facts.points_played
        lean = MappingProxyType({"reserve_ms": max(0, reserve_ms), "delay_ms": _TERMS.delay_ms})
    use = clock_terms.use_of(rules, _TERMS.use)
    return left_open(NOT_IN_HAND, at.CLOCK, "as_set", "director_sets", lean=lean, **use)


def delay(facts: TermsFacts, rules: Rules) -> Answer:
    """Not in hand either; reports of it lean to a simple delay."""
    return left_open(NOT_IN_HAND, at.CLOCK, "as_set", "director_sets", lean="simple")


def fault(facts: FaultFacts, rules: Rules) -> Answer:
    """The part of the text that is in hand does not say."""
    return left_open(SILENT, at.CLOCK, "restore", "leave")


_STOPS = ("concession", "die_on_floor", "dispute", "director_called")


def stop(facts: StopFacts, rules: Rules) -> Answer:
    """Not in hand; told of them are a concession, fallen dice, a contested act, a call."""
    lean = "may_stop" if facts.reason in _STOPS else None
    return left_open(NOT_IN_HAND, at.CLOCK, "may_stop", "may_not_stop", lean=lean)


@on_terms(flag="near_match_point")
def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """The match is lost, but for an exception near match point that is in hand only in part."""
    if facts.is_match_won:
        # "A match ends as soon as one player's score meets or exceeds" its length.
        return settled(clock_terms.NO_EFFECT, at.END_OF_MATCH)
    if facts.loser is None:
        return clock_terms.order_unknown(at.CLOCK)
    is_near = facts.is_match_over or (facts.is_claimed and facts.would_win_match)
    lean = None if is_near or facts.is_contradicted else clock_terms.MATCH_LOST
    return ambiguous("AMB-K4", at.CLOCK, clock_terms.MATCH_LOST, clock_terms.PLAY_ON, lean=lean)


SCALE = Scale(5 * penalties.MINUTE, 5 * penalties.MINUTE)
"""Points for a late start."""


GROUNDS = {
    "slow_play": at.SLOW_PLAY,
    "conduct": at.LANGUAGE_AND_ACTS,
    "wrong_length": at.END_OF_MATCH,
    "other": at.INTERPRETATION,
}
"""What points may be for beside delays, with the section that speaks of it."""


@on_terms(first_after_ms=SCALE.first_ms, step_ms=SCALE.step_ms)
def penalty_points(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Late for the start: a point every five minutes; longer breaks are for the Director."""
    # "unless they are absent with the Director's permission"
    facts = penalties.with_leave(facts)
    section = at.PENALTY_POINTS
    if penalties.both_forfeit(facts, SCALE):
        if facts.ruled(penalties.BOTH_LATE) is None:
            return penalties.both_delayed(section, facts, penalties.by_ground(facts))
        facts = penalties.after_both_late(facts)
    started, permitted = (
        penalties.late(facts, penalties.START, with_excused=penalties.AFTERWARDS),
        penalties.late(facts, penalties.START),
    )
    if SCALE.points(started) != SCALE.points(permitted):
        chosen = facts.ruled(penalties.ABSENT)
        if chosen is None:
            points = SCALE.points(permitted)
            return penalties.still_open(
                DISCRETION,
                at.PLACE,
                points,
                facts,
                penalties.by_ground(facts, points),
                penalties.ABSENT,
            )
        started = permitted if chosen == "excused" else started
    from_start = SCALE.points(started)
    # Points for breaks are those assessed: the text has no scale for them.
    parts = penalties.by_ground(facts, from_start)
    question = _on_breaks(facts)
    if question is not None and facts.ruled(penalties.FOR_BREAKS) is None:
        return penalties.still_open(
            question, at.TIME, from_start, facts, parts, penalties.FOR_BREAKS
        )
    answer = penalties.total(facts, parts, from_start, section, grounds=GROUNDS, doubt="AMB-N8")
    return penalties.flagged(answer, SCALE, started, parts)


def _on_breaks(facts: PenaltyFacts) -> str | None:
    """What makes breaks a question: the Director's discretion, or the length of the match."""
    if facts.has_paid_for_breaks:
        # The Director has said what they cost.
        return None
    # Longer than ten minutes is "liable to be penalised", without a scale.
    # What the Director has excused is penalised at nobody's discretion any more.
    taken = [one for one in facts.breaks if not one.is_excused]
    if penalties.late(facts) > penalties.late(facts, penalties.START) or any(
        one.ms > 10 * penalties.MINUTE and not one.is_noted for one in taken
    ):
        return DISCRETION
    fewest, most = _breaks_meant(facts.length)
    if len(taken) > most:
        return DISCRETION
    return "AMB-N7" if len(taken) > fewest else None


def breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Two of ten minutes in a match to 11; of other lengths the text does not speak."""

    # "At the same time", and the start "signed by both players"
    told = penalties.by_both(facts)
    if facts.length != 11:
        return ambiguous("AMB-N7", at.TIME, "pro_rata", "same", **told)
    return settled("allowance", at.TIME, breaks=2, each_ms=10 * penalties.MINUTE, **told)


def absence(facts: AbsenceFacts, rules: Rules) -> Answer:
    """Longer than ten minutes: liable to be penalised, at the opponent's or Director's wish."""
    if facts.has_consent:
        return settled(penalties.EXCUSED, at.PLACE)
    return left_open(DISCRETION, at.TIME, *penalties.FOR_BREAKS)


def enters_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "awarded against" a player; into which score, the text does not say."""
    return ambiguous("AMB-N5", at.PENALTY_POINTS, "own_ledger", "opponents_score")


def _breaks_meant(length: int | None) -> tuple[int, int]:
    """Fewest and most breaks that the text can mean for a length: the same, or in proportion."""
    in_proportion = 2 if length is None else 2 * length // 11
    return min(2, in_proportion), max(2, in_proportion)
