"""`fcbg` on how games and matches end, lengths, results and appeals."""

from __future__ import annotations

from events.values import Seat
from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import appeals, endings, match_length, results
from projections.rules.subjects.appeals import Appealed, Committee, Poll
from projections.rules.subjects.endings import Conceded, ValueText
from projections.rules.subjects.match_length import LengthFacts
from projections.rules.subjects.results import Disputed, Posted, Sheet
from projections.rules.terms import on_terms
from projections.rules.texts.fcbg import sections as at


@on_terms(not_appealable="second_appeal")
def appeal_admitted(facts: Appealed, rules: Rules) -> Answer:
    """Any ruling."""
    # CONT/T(c): the decision exhausts the right.
    if facts.is_second:
        return settled(appeals.NOT_APPEALABLE, at.APPEALS)
    return appeals.admitted(at.APPEALS, facts)


def committee(facts: Committee, rules: Rules) -> Answer:
    """Three members."""
    return (
        appeals.not_of_three(at.APPEALS)
        if facts.size != appeals.THREE
        else settled(appeals.ADMISSIBLE, at.APPEALS)
    )


def disturbed(facts: appeals.Disturbed, rules: Rules) -> Answer:
    """A presumption for the opponent."""
    return appeals.presumed(at.DISPUTES, facts)


def director_vote(facts: Poll, rules: Rules) -> Answer:
    """The committee alone."""
    return settled(appeals.HAS_NO_VOTE, at.APPEALS)


@on_terms(threshold="majority_of_members", voters="members")
def appeal_outcome(facts: Poll, rules: Rules) -> Answer:
    """Two of three; in another size that a ruling allows, more than half."""
    # Two of three; of a committee that a ruling lets decide in another size, more than half.
    section, needed = at.APPEALS, facts.size // 2 + 1
    if facts.size != appeals.THREE and not facts.is_as_ruled:
        return appeals.not_of_three(section)
    cast = facts.cast
    changes = [vote.change for vote in cast if vote.change is not None]
    if changes.count((appeals.REVERSE, None)) >= needed:
        return appeals.changed((appeals.REVERSE, None), section)
    if len(changes) >= needed:
        return ambiguous("AMB-Q1", section, "per_outcome", "any_change")
    if 2 * len(changes) > len(cast):
        return ambiguous("AMB-Q4", section, "of_members", "of_votes", lean=appeals.STANDS)
    return settled(appeals.STANDS, section)


@on_terms(concedable="without_contact")
def resignation(facts: Conceded, rules: Rules) -> Answer:
    """Conceded in no-contact positions, at any level."""
    section = at.COMPLETION
    if facts.race.has_contact:
        return settled(endings.NOT_ALLOWED, section)
    if not facts.is_accepted:
        return left_open(SILENT, section, endings.GAME_WON, endings.PLAY_ON)
    if not facts.is_turn_completed:
        return endings.mid_turn(facts, section)
    return endings.as_offered(facts, section)


_LEVELS = {
    endings.SINGLE: at.GAMMONS,
    endings.GAMMON: at.GAMMONS,
    endings.BACKGAMMON: at.BACKGAMMONS,
}
VALUE = ValueText(sections=_LEVELS, short=at.WRONG_SETUP, bare=at.BEARING_OFF)
CLUB_VALUE = ValueText(sections=_LEVELS, short=at.GAMMONS, bare=at.BEARING_OFF, short_flag="AMB-S3")


@on_terms(wrong_length="appointed_length")
def wrong_length(facts: LengthFacts, rules: Rules) -> Answer:
    """A posted result stands once a succeeding match has begun; else the appointed length holds."""

    if facts.next_began:
        return match_length.stands_as_reported(facts, at.REPORTING)

    section = at.COMPLETION
    if facts.thought_over or (facts.end_seen and facts.is_at_end_believed):
        return _reopened(facts, rules, section)
    if facts.during_game:
        return match_length.interrupted(facts, rules, section, to_opponent=True)
    return match_length.by_correct_length(facts, rules, section, to_opponent=True)


def _reopened(facts: LengthFacts, rules: Rules, section: str) -> Answer:
    """The text does not say whether a match that both thought over goes on (AMB-L7)."""
    if facts.ordered == match_length.STANDS[0]:
        return match_length.stands_as_reported(facts, section)
    then = match_length.by_correct_length(facts, rules, section, to_opponent=True)
    if facts.ordered == match_length.STANDS[1]:
        return then
    return ambiguous("AMB-L7", section, *match_length.STANDS, lean=match_length.lean_of(then))


@on_terms(until="next_match_begun")
def correction(facts: Posted, rules: Rules) -> Answer:
    """In a timely manner, and not after either player has begun a succeeding match."""
    section = at.REPORTING
    if facts.begun:
        return settled(results.STANDS, section)
    if facts.noticed_after_ms is not None and facts.noticed_after_ms <= results.AT_ONCE_MS:
        return settled(results.MAY_CORRECT, section, until="next_match_begun")
    if facts.is_by_director:
        # What is timely is left to him, and he held that it was.
        return settled(results.MAY_CORRECT, section, until="next_match_begun")
    return left_open(DISCRETION, section, results.MAY_CORRECT, results.STANDS)


@on_terms(prevails="whoever_kept_score")
def score_record(facts: Disputed, rules: Rules) -> Answer:
    """A player not keeping score is at a disadvantage.

    How a score is to be kept is not said, and a display is one way of keeping it.
    """
    section = at.SCORING
    evidence = facts.evidence
    if (agreed := results.agreed_on(facts)) is not None:
        return results.score_set(agreed, section, results.BOTH_SHEETS)
    kept = [seat for seat in Seat if _keeps(facts.sheets[seat])]
    if len(kept) != 1:
        return results.competing(SILENT, section, facts, evidence)
    return results.competing(DISCRETION, section, facts, evidence or facts.sheets[kept[0]].written)


def _keeps(sheet: Sheet) -> bool:
    return sheet.written is not None or sheet.has_display
