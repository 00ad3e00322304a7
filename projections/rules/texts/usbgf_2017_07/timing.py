"""`usbgf-2017-07` on the clock, lateness, breaks and penalty points."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
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
    Break,
    Drawn,
    Part,
    Parts,
    PenaltyFacts,
    Scale,
    ScoreFacts,
)
from projections.rules.terms import on_terms
from projections.rules.texts.usbgf_2017_07 import sections as at

_TERMS = {
    "open": Terms(120_000, 12_000, "preference"),
    "other_skill": Terms(120_000, 15_000, "option"),
    "doubles": Terms(180_000, 15_000, "obligation"),
    "other": Terms(120_000, 12_000, "option"),
    None: Terms(120_000, 12_000, None),
}


def terms(facts: TermsFacts, rules: Rules) -> Answer:
    """Two minutes a point and 12 seconds a turn; 15 seconds, three minutes in some events."""
    kind = clock_terms.event_kind(facts, rules)
    terms = _TERMS.get(kind, _TERMS[None])
    reserve_ms = terms.point_ms * facts.length
    if facts.points_played:
        lean = MappingProxyType({"reserve_ms": reserve_ms, "delay_ms": terms.delay_ms})
        is_known = kind in _TERMS
        readings = ("by_match_length", "reduced")
        return ambiguous("AMB-K1", at.CLOCKS, *readings, lean=lean if is_known else None)
    if kind not in _TERMS or (kind is None and not _is_general(facts)):
        # Of an event that is not said to be of any kind, the text has only what is so in general.
        use = clock_terms.use_of(rules, None)
        return left_open(SILENT, at.CLOCKS, *clock_terms.KINDS, **use)
    return clock_terms.allotted(terms, at.CLOCKS, reserve_ms, rules)


def _is_general(facts: TermsFacts) -> bool:
    """Whether the clock is set to 2/12, or not set: what the text has in general."""
    general = _TERMS[None]
    reserve_ms = general.point_ms * facts.length
    return facts.was_set in (None, (reserve_ms, reserve_ms, general.delay_ms))


def fault(facts: FaultFacts, rules: Rules) -> Answer:
    """Who forgot to press gets all his lost reserve back; anything else is put right at once.

    A clock that fails is no player's error: it is the Director who may change it, and of the time
    that it took nothing is said.
    """
    if facts.kind == "defective":
        return left_open(SILENT, at.EQUIPMENT_CHANGES, "restore", "leave")
    if facts.kind != "not_pressed":
        return settled("rectify", at.CLOCK_STOPS)
    # AMB-K5: all that was lost since the failure.
    restored = settled("restore", at.END_OF_TURN, seat=facts.seat, restore_ms=facts.lost_ms)
    return replace(restored, flag="AMB-K5")


def stop(facts: StopFacts, rules: Rules) -> Answer:
    """In limited circumstances; in a dispute it must be paused, until the Director arrives."""
    if facts.reason == "dispute":
        return settled("must_stop", at.APPEALS)
    if facts.reason == "director_called":
        # The duty comes from the dispute; who calls the Director may at least do what [5] says.
        return settled("may_stop", at.APPEALS)
    if facts.reason == "die_on_floor":
        return settled("may_stop", at.CLOCK_STOPS)
    return left_open(SILENT, at.CLOCK_STOPS, "may_stop", "may_not_stop")


def _as_recorded(section: str) -> Answer:
    """What was noticed and what is recorded cannot both be so: which of them, no text says."""
    return left_open(DISCRETION, section, clock_terms.MATCH_LOST, clock_terms.PLAY_ON)


@on_terms(flag="valid_claim")
def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """Lost when it is noticed, unless game and match can be validly claimed at that moment.

    Whoever has won them already need not claim them: a match that was won cannot be lost.
    """

    if facts.is_match_won:
        return settled(clock_terms.NO_EFFECT, at.CLOCK_STOPS)
    if facts.is_match_over:
        no_effect = clock_terms.NO_EFFECT
        return ambiguous(
            "AMB-K2", at.CLOCK_STOPS, clock_terms.MATCH_LOST, no_effect, lean=no_effect
        )
    if facts.loser is None:
        return clock_terms.order_unknown(at.CLOCK_STOPS)
    if facts.is_contradicted:
        return _as_recorded(at.CLOCK_STOPS)
    if facts.is_claimed and facts.would_win_match and not facts.has_contact:
        holds = clock_terms.CLAIM_HOLDS
        lean = holds if facts.is_win_certain else None
        return ambiguous("AMB-K3", at.CLOCK_STOPS, holds, clock_terms.MATCH_LOST, lean=lean)
    return settled(clock_terms.MATCH_LOST, at.CLOCK_STOPS, loser=facts.loser, at="notice")


SCALE = Scale(10 * penalties.MINUTE, 5 * penalties.MINUTE)
"""Points for all delays of a match together."""


GROUNDS = {"conduct": at.ETIQUETTE, "wrong_length": at.LENGTH, "other": at.GENERAL}
"""What points may be for beside delays, with the section that speaks of it."""


@on_terms(
    first_after_ms=lambda rules: _posted(rules).first_ms,
    step_ms=lambda rules: _posted(rules).step_ms,
)
def penalty_points(facts: PenaltyFacts, rules: Rules) -> Answer:
    """Delays of a whole match add up: a first point at ten minutes, one for every five more."""

    section = at.TIMES
    posted = scale = _posted(rules)
    if facts.ruled(penalties.POSTED) == "of_the_text":
        scale = SCALE
    if penalties.both_forfeit(facts, scale):
        if facts.ruled(penalties.BOTH_LATE) is None:
            later = scale.points(penalties.late(facts) - penalties.late(facts, penalties.START))
            return penalties.both_delayed(section, facts, _as_one(facts, later))
        facts = penalties.after_both_late(facts)
    from_start = scale.points(penalties.late(facts, penalties.START))
    delayed = penalties.late(facts)
    parts = _as_one(facts, scale.points(delayed))
    if scale.points(delayed) != scale.points(penalties.late(facts, with_excused=True)):
        # "Strictly assessed": the text knows no excuse, and the Director has given one.
        chosen = facts.ruled(penalties.STRICTLY)
        if chosen is None:
            return penalties.still_open(
                DISCRETION, section, from_start, facts, parts, penalties.STRICTLY
            )
        delayed = penalties.late(facts, with_excused=chosen == "assessed")
        parts = _as_one(facts, scale.points(delayed))
    if posted.points(delayed) < SCALE.points(delayed) and not facts.ruled(penalties.POSTED):
        # "Stricter policies may apply when times are posted in advance": of laxer ones nothing.
        return penalties.still_open(SILENT, section, from_start, facts, parts, penalties.POSTED)
    if _exceed_six_minutes_an_hour(facts.breaks) and not facts.ruled(penalties.BREAK_TIME):
        # AMB-N9: "in general" six minutes an hour; that a break was excessive is asserted, and by
        # how much is a delay that somebody notes.
        return penalties.still_open(
            "AMB-N9", section, from_start, facts, parts, penalties.BREAK_TIME
        )
    # N-09: the text is silent on points for slow play.
    answer = penalties.total(facts, parts, from_start, section, grounds=GROUNDS, doubt=SILENT)
    return penalties.flagged(answer, scale, delayed, parts)


def breaks(facts: AllowanceFacts, rules: Rules) -> Answer:
    """Six minutes an hour between games; in the first hour for urgent need only."""

    told = penalties.between_games(facts)
    if facts.played_ms is None:
        return ambiguous("AMB-N9", at.TIMES, "pro_rata", "per_clock_hour", "excess", **told)
    details: dict[str, object] = {"total_ms": _six_minutes_an_hour(facts.played_ms), **told}
    if facts.played_ms <= penalties.HOUR:
        details["first_hour"] = "urgent_need_only"
    return replace(settled("allowance", at.TIMES, **details), flag="AMB-N9")


def absence(facts: AbsenceFacts, rules: Rules) -> Answer:
    """Consent, a sign-out sheet, or a start that was posted; what follows without is not said."""
    if facts.has_consent or facts.is_signed_out or facts.is_start_posted:
        return settled(penalties.EXCUSED, at.TIMES)
    return settled(penalties.NO_LEAVE, at.TIMES)


def enters_score(facts: ScoreFacts, rules: Rules) -> Answer:
    """Points are "assessed"; into which score, the text does not say."""
    return ambiguous("AMB-N5", at.TIMES, "own_ledger", "opponents_score")


def _as_one(facts: PenaltyFacts, by_scale: int) -> Parts:
    """All delays of a match on one scale."""
    start, breaks = facts.for_start, facts.for_breaks
    drawn = Drawn(start.assessed + breaks.assessed, start.waived + breaks.waived)
    return (Part(by_scale if facts.delays else None, drawn),)


def _posted(rules: Rules) -> Scale:
    """The scale that was posted in advance, else the text's own."""
    default = SCALE
    posted = rules.options.get("penalty_scale")
    if not isinstance(posted, dict):
        return default
    first, step = _in_ms(posted, "first_after"), _in_ms(posted, "step")
    if not isinstance(first, int) or not isinstance(step, int) or first < 0 or step < 1:
        return default
    return Scale(first, step)


def _six_minutes_an_hour(played_ms: int) -> int:
    return max(0, played_ms) * 6 // 60


def _exceed_six_minutes_an_hour(breaks: tuple[Break, ...]) -> bool:
    """Whether the breaks up to one of them come to more than the hours played until it allow."""
    spent = 0
    for taken in breaks:
        if taken.is_noted:
            # Its excess counts as a delay.
            continue
        in_all = spent + taken.ms
        if taken.played_ms is not None and in_all > _six_minutes_an_hour(taken.played_ms):
            return True
        # What the Director has excused uses nothing up.
        spent = spent if taken.is_excused else in_all
    return False


def _in_ms(posted: dict[str, object], name: str) -> object:
    """A time of the scale as it was posted: in milliseconds, or told in seconds."""
    seconds = posted.get(f"{name}_s")
    told = posted.get(f"{name}_ms")
    return seconds * 1_000 if told is None and isinstance(seconds, int) else told
