"""Late starts, under texts of which only the sentences on late starts are in hand."""

from __future__ import annotations

from projections.rules.answers import NOT_IN_HAND, Answer, left_open
from projections.rules.subjects import penalties

SCALE = penalties.Scale(5 * penalties.MINUTE, 5 * penalties.MINUTE)
"""A penalty point for every five minutes."""

_COSTS = ("no_penalty", "penalty", "forfeit")


def late_start(
    facts: penalties.PenaltyFacts, section: str, *, per_point: str, forfeits: str
) -> Answer:
    """The points of late starts alone; with breaks or anything else beside them nothing is in hand.

    `per_point`, `forfeits`: names of the sentences that the answer rests on.
    """
    is_plain = not (facts.breaks or facts.for_breaks.assessed or facts.for_other)
    is_plain &= all(one.kind == penalties.START and one.excused is None for one in facts.delays)
    if not is_plain:
        return left_open(NOT_IN_HAND, section)
    if penalties.both_forfeit(facts, SCALE):
        if facts.ruled(penalties.BOTH_LATE) is None:
            return left_open(NOT_IN_HAND, section, *penalties.BOTH_LATE)
        facts = penalties.after_both_late(facts)
    late = penalties.late(facts, penalties.START)
    points = SCALE.points(late)
    parts = penalties.by_ground(facts, points)
    grounds = {"other": section}
    answer = penalties.total(facts, parts, points, section, grounds=grounds, doubt=NOT_IN_HAND)
    sentences = [per_point] * bool(facts.delays)
    sentences += [forfeits] * (answer.outcome == "forfeit")
    is_ruled = penalties.both_forfeit(facts, SCALE)  # and a person has said that each forfeits
    if answer.is_open or is_ruled or not sentences:
        return answer
    return penalties.flagged(answer, SCALE, late, parts).resting_on(*sentences, readings=_COSTS)
