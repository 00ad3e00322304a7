"""`usbgf-2024` on the clock, lateness and breaks."""

from __future__ import annotations

from projections.rules.answers import DISCRETION, NOT_IN_HAND, Answer, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import clock_terms, delays, penalties, premature
from projections.rules.subjects.clock_terms import FlagFacts, Terms, TermsFacts
from projections.rules.subjects.delays import ForfeitFacts
from projections.rules.subjects.late_starts import late_start
from projections.rules.subjects.penalties import AllowanceFacts, PenaltyFacts
from projections.rules.texts.usbgf_2024 import sections as at

_TERMS = Terms(120_000, 12_000, None)
_SETTINGS = ("as_set", "allotted")


def terms(facts: TermsFacts, rules: Rules) -> Answer:
    """Two minutes for each point of the average remaining length; 12 seconds a turn."""
    if facts.players_per_side > 1 or rules.options.get("clock_terms") is not None:
        return left_open(NOT_IN_HAND, at.CLOCKS)
    # The average of what both still need is the length less half of what both have scored.
    reserve_ms = _TERMS.point_ms * (2 * facts.length - facts.points_played) // 2
    answer = clock_terms.allotted(_TERMS, at.CLOCKS, reserve_ms, rules)
    return answer.resting_on(at.TWO_MINUTES, at.TWELVE_SECONDS, readings=_SETTINGS)


def delay(facts: TermsFacts, rules: Rules) -> Answer:
    """Free time comes first, and what is not used is gone."""
    readings = ("simple", "bronstein")
    return settled("simple", at.CLOCKS).resting_on(at.TWELVE_SECONDS, readings=readings)


def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """Lost when it is noticed, unless game and match can be validly claimed at that moment."""
    readings = (clock_terms.MATCH_LOST, clock_terms.PLAY_ON)
    if facts.is_match_over:
        return left_open(NOT_IN_HAND, at.EXPIRY, *readings)
    if facts.is_contradicted:
        return left_open(DISCRETION, at.EXPIRY, *readings)
    if facts.loser is None:
        both = ("one_lost", "two_lost", clock_terms.PLAY_ON)
        return left_open(NOT_IN_HAND, at.EXPIRY, *both)
    if facts.is_claimed and facts.would_win_match and not facts.has_contact:
        # When a claim is valid the sentence does not say.
        claimed = (clock_terms.CLAIM_HOLDS, clock_terms.MATCH_LOST)
        return left_open(NOT_IN_HAND, at.EXPIRY, *claimed)
    lost = settled(clock_terms.MATCH_LOST, at.EXPIRY, loser=facts.loser, at="notice")
    return lost.resting_on(at.LOST, readings=readings)


def forfeit(facts: ForfeitFacts, rules: Rules) -> Answer:
    """A fast grab costs the delay where the player requires it; a fast roll gives a choice instead.

    Which turn's delay it is the sentence does not say: of any other than the next one nobody knows.
    """
    if facts.cause == delays.FAST_GRAB and facts.turn == "next":
        answer = settled(delays.FORFEITED, at.EARLY_DICE)
        return answer.resting_on(at.GRAB, readings=delays.FORFEIT_READINGS)
    if facts.cause == delays.FAST_ROLL and facts.choice in (premature.STANDS, premature.REDONE):
        answer = settled(delays.KEPT, at.EARLY_DICE)
        return answer.resting_on(at.ROLL, at.IN_LIEU, readings=delays.FORFEIT_READINGS)
    lean = delays.KEPT if facts.cause == delays.FAST_ROLL else None
    return left_open(NOT_IN_HAND, at.EARLY_DICE, *delays.FORFEIT_READINGS, lean=lean)


def penalty_points(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Late for the start: a point every five minutes. Of excess breaks nothing is in hand."""
    return late_start(facts, at.TIMES, per_point=at.PER_FIVE_MINUTES, forfeits=at.BEYOND_HALF)


def breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Breaks of five minutes, one for each six whole points of the length."""
    if facts.length is None:
        return left_open(NOT_IN_HAND, at.TIMES)
    count = facts.length // 6
    answer = settled("allowance", at.TIMES, breaks=count, each_ms=5 * penalties.MINUTE)
    return answer.resting_on(at.BREAKS, readings=("allowance", "other"))
