"""`wbgf-2.1` on the clock and lateness."""

from __future__ import annotations

from projections.rules.answers import DISCRETION, NOT_IN_HAND, Answer, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import clock_terms, delays, penalties
from projections.rules.subjects.clock_terms import (
    FaultFacts,
    FlagFacts,
    StopFacts,
    Terms,
    TermsFacts,
)
from projections.rules.subjects.delays import ForfeitFacts, RestartFacts
from projections.rules.subjects.late_starts import late_start
from projections.rules.subjects.penalties import PenaltyFacts, WarnedFacts
from projections.rules.texts.wbgf_2_1 import sections as at

_TERMS = Terms(120_000, 12_000, None)
_SETTINGS = ("as_set", "allotted")


def terms(facts: TermsFacts, rules: Rules) -> Answer:
    """Two minutes for each point of the average remaining length; 12 seconds a turn.

    The Director may specify otherwise: `clock_terms` is pinned then, and what the table sets is
    what was specified.
    """
    if rules.options.get("clock_terms") is not None:
        if facts.was_set is None:
            return left_open(NOT_IN_HAND, at.CLOCKS)
        one, _, delay_ms = facts.was_set
        as_set = settled("allotted", at.CLOCKS, reserve_ms=one, delay_ms=delay_ms)
        return as_set.resting_on(at.OTHER_TERMS, readings=_SETTINGS)
    if facts.players_per_side > 1:
        return left_open(NOT_IN_HAND, at.RESERVE)
    # The average of what both still need is the length less half of what both have scored.
    reserve_ms = _TERMS.point_ms * (2 * facts.length - facts.points_played) // 2
    answer = clock_terms.allotted(_TERMS, at.RESERVE, reserve_ms, rules)
    return answer.resting_on(at.TWO_MINUTES, at.TWELVE_SECONDS, readings=_SETTINGS)


def delay(facts: TermsFacts, rules: Rules) -> Answer:
    """Free time comes first, and what is not used is gone."""
    return settled("simple", at.DELAY).resting_on(
        at.TWELVE_SECONDS, readings=("simple", "bronstein")
    )


_PAUSES = frozenset(
    {
        *("game_over", "between_games"),
        "break",
        "director_called",
        *("fast_grab", "dice_lifted_early"),
        "dice_lifted",
        *("dispute", "illegal_play"),
        "game_decided",
    }
)
"""The seven pauses, a line each, in the words by which a clock is said to be stopped."""
_AGAIN = frozenset({"invalid_roll", "cocked", "reroll"})


def stop(facts: StopFacts, rules: Rules) -> Answer:
    """Seven pauses, and one for a roll that is thrown again; of others no words are in hand."""
    readings = ("may_stop", "may_not_stop")
    if facts.reason in _PAUSES:
        return settled("may_stop", at.CLOCK_STOPS).resting_on(at.PAUSES, readings=readings)
    if facts.reason in _AGAIN:
        answer = settled("may_stop", at.CLOCK_STOPS, delay="restarted")
        return answer.resting_on(at.AGAIN, readings=readings)
    return left_open(NOT_IN_HAND, at.CLOCK_STOPS, *readings)


def forfeit(facts: ForfeitFacts, rules: Rules) -> Answer:
    """Dice lifted early cost the delay of the next turn; of rolls and other causes no words are.

    Whoever loses it waits until it would have ended, so it is a delay that runs before the reserve.
    """
    is_plain = facts.cause == delays.FAST_GRAB and facts.turn == "next"
    if not is_plain or facts.clock not in (None, "simple"):
        return left_open(NOT_IN_HAND, at.EARLY_DICE, *delays.FORFEIT_READINGS)
    answer = settled(delays.FORFEITED, at.EARLY_DICE, waits=True)
    return answer.resting_on(at.GRAB, readings=delays.FORFEIT_READINGS)


def restart(facts: RestartFacts, rules: Rules) -> Answer:
    """At an invalid roll the whole delay begins anew, for the player whose turn it is."""
    is_plain = facts.cause == "invalid_roll" and facts.left_ms is None and facts.is_his_turn
    if not is_plain:
        return left_open(NOT_IN_HAND, at.CLOCK_STOPS, *delays.RESTART_READINGS)
    answer = settled(delays.RESTARTED, at.CLOCK_STOPS)
    return answer.resting_on(at.AGAIN, readings=delays.RESTART_READINGS)


def fault(facts: FaultFacts, rules: Rules) -> Answer:
    """Whoever sees that the clock runs wrongly warns, and it is put right."""
    return settled("rectify", at.WARNING).resting_on(at.WARN, readings=("rectify", "leave"))


def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """Lost when it is noticed; both at zero, they play on if nobody is sure to win."""
    readings = (clock_terms.MATCH_LOST, clock_terms.PLAY_ON)
    if facts.is_match_over:
        late = settled(clock_terms.NO_EFFECT, at.EXPIRY)
        return late.resting_on(at.NOTICED, readings=(clock_terms.NO_EFFECT, clock_terms.MATCH_LOST))
    if facts.is_contradicted:
        return left_open(DISCRETION, at.EXPIRY, *readings)
    if facts.loser is None:
        both = ("one_lost", "two_lost", clock_terms.PLAY_ON)
        if facts.whose != "both" or facts.is_gin:
            return left_open(NOT_IN_HAND, at.CLOCK_STOPS, *both)
        answer = settled(clock_terms.PLAY_ON, at.CLOCK_STOPS)
        return answer.resting_on(at.BOTH_DOWN, readings=both)
    lost = settled(clock_terms.MATCH_LOST, at.EXPIRY, loser=facts.loser, at="notice")
    return lost.resting_on(at.LOST, readings=readings)


def slow_play(facts: WarnedFacts, rules: Rules) -> Answer:
    """A warning comes first; then a clock is imposed, and of points no words are in hand."""
    readings = (penalties.NOT_WARNED, penalties.IN_ORDER)
    if facts.is_warned:
        return left_open(NOT_IN_HAND, at.SLOW_PLAY, *readings)
    answer = settled(penalties.NOT_WARNED, at.SLOW_PLAY)
    return answer.resting_on(at.CLOCK_IMPOSED, readings=readings)


def penalty_points(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Late for the start: a point every five minutes. Of breaks and excuses nothing is in hand."""
    return late_start(facts, at.LATENESS, per_point=at.PER_FIVE_MINUTES, forfeits=at.BEYOND_HALF)
