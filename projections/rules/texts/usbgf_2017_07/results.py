"""`usbgf-2017-07` on how games and matches end, lengths, results and appeals."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from events.values import BySeat
from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import appeals, endings, match_length, results
from projections.rules.subjects.appeals import Appealed, Committee, Poll
from projections.rules.subjects.endings import Claimed, Conceded, ValueText
from projections.rules.subjects.match_length import LengthFacts
from projections.rules.subjects.results import Disputed, Posted
from projections.rules.terms import on_terms
from projections.rules.texts.usbgf_2017_07 import sections as at


@on_terms(not_appealable="disqualification_or_expulsion")
def appeal_admitted(facts: Appealed, rules: Rules) -> Answer:
    """Any ruling but disqualification or expulsion."""
    if facts.against in (appeals.DISQUALIFICATION, appeals.EXPULSION):
        return settled(appeals.NOT_APPEALABLE, at.APPEALS)
    if facts.is_second:
        # [5] does not say whether a committee's decision is final.
        return left_open(SILENT, at.APPEALS, appeals.ADMISSIBLE, appeals.NOT_APPEALABLE)
    return appeals.admitted(at.APPEALS, facts)


def committee(facts: Committee, rules: Rules) -> Answer:
    """A committee of no stated size."""
    return settled(appeals.ADMISSIBLE, at.APPEALS)


def disturbed(facts: appeals.Disturbed, rules: Rules) -> Answer:
    """Whoever appears improper is at a disadvantage; no presumption is named."""
    if facts.by is None or facts.what == appeals.CLOCK:
        return appeals.undecided(at.ETIQUETTE, facts, appeals.DISADVANTAGE)
    return settled(appeals.DISADVANTAGE, at.ETIQUETTE, of=facts.by)


def director_vote(facts: Poll, rules: Rules) -> Answer:
    """The Director may vote after the committee."""
    return settled(appeals.MAY_VOTE, at.APPEALS)


@on_terms(threshold="majority_of_votes_cast", voters="members_and_director")
def appeal_outcome(facts: Poll, rules: Rules) -> Answer:
    """An absolute majority of the votes cast, the Director's among them."""
    section = at.APPEALS
    if not facts.is_closed:
        return settled(appeals.AWAITS_DIRECTOR, section)
    members = facts.cast
    votes = [*members, facts.director] if facts.director is not None else [*members]
    votes = [vote for vote in votes if vote.vote != appeals.ABSTAIN]
    changes = Counter(vote.change for vote in votes if vote.change is not None)
    most = max(changes.items(), key=lambda item: item[1], default=None)
    cast = len(votes)
    if most is not None and 2 * most[1] > cast:
        if cast == 1 and 2 * len(members) < facts.size:
            # AMB-Q2: "votes cast" taken literally goes down to one.
            readings = ("literal", "quorum")
            return ambiguous("AMB-Q2", section, *readings, lean=appeals.CHANGED, votes_cast=cast)
        change, _ = most
        assert change is not None
        return appeals.changed(change, section, votes_cast=cast)
    if 2 * changes.total() > cast:
        readings = ("per_outcome", "any_change")
        return ambiguous("AMB-Q1", section, *readings, votes_cast=cast)
    return settled(appeals.STANDS, section, votes_cast=cast)


@on_terms(concedable="without_contact")
def resignation(facts: Conceded, rules: Rules) -> Answer:
    """In non-contact positions, even if continued play could have another outcome.

    That last sentence is about what may be accepted there; it lifts no condition, and with contact
    a game is played to completion.
    """
    section = at.COMPLETION
    if not facts.is_accepted:
        return settled(endings.PLAY_ON, section)
    if facts.race.has_contact:
        return settled(endings.NOT_ALLOWED, section)
    if not facts.is_turn_completed:
        return endings.mid_turn(facts, section)
    return endings.as_offered(facts, section)


def claim(facts: Claimed, rules: Rules) -> Answer:
    """A valid claim, without contact: the win has to be certain."""
    # A valid claim, in non-contact positions.
    section = at.COMPLETION
    if facts.race.has_contact:
        return settled(endings.NOT_ALLOWED, section)
    if endings.CERTAIN[facts.level](facts.race):
        return replace(endings.as_offered(facts, section), flag="AMB-E4")
    if endings.is_ruled_out(facts.level, facts.race):
        # Neither certain nor likely: nobody can win at that level any more.
        return settled(endings.NOT_ALLOWED, section)
    return ambiguous("AMB-E4", section, "certain", "likely", lean=endings.PLAY_ON)


VALUE = ValueText(
    sections={
        endings.SINGLE: at.COMPLETION,
        endings.GAMMON: at.COMPLETION,
        endings.BACKGAMMON: at.COMPLETION,
    },
    short=at.SETUP,
    bare=at.SETUP,
    is_backgammon_open=True,
)


@on_terms(wrong_length="either_length_wins")
def wrong_length(facts: LengthFacts, rules: Rules) -> Answer:
    """The higher score wins if it has reached either length; a tie there takes one more game."""
    return match_length.with_sanction(_length_judged(facts, rules), facts, at.LENGTH)


def _length_judged(facts: LengthFacts, rules: Rules) -> Answer:
    section = at.LENGTH
    if facts.is_pending:
        return settled("complete_game", section)
    plain = _by_either_length(facts, match_length.own_score(facts), section)
    entered = _by_either_length(facts, match_length.entered_score(facts), section)
    if not match_length.agree(plain, entered):
        chosen = match_length.chosen_of(facts, plain, entered)
        if chosen is None:
            return ambiguous(
                "AMB-L4", section, match_length.in_words(plain), match_length.in_words(entered)
            )
        plain = chosen
    elif facts.next_began and not _confirms(plain, facts):
        if facts.ordered == match_length.STANDS[0]:
            return match_length.stands_as_reported(facts, section)
        if match_length.chosen_of(facts, plain) is None:
            return ambiguous(
                "AMB-L1", section, match_length.STANDS[0], match_length.in_words(plain)
            )
    return match_length.with_crawford(plain, facts, rules, section)


def cube_by_length(facts: LengthFacts, rules: Rules) -> Answer:
    """The text does not say by which length the cube is dead in the game that is completed."""
    return ambiguous("AMB-L2", at.LENGTH, "by_correct_length", "by_wrong_length")


def _by_either_length(facts: LengthFacts, score: BySeat[int], section: str) -> Answer:
    least = min(facts.correct, facts.wrong)
    if max(score) < least:
        return settled("continue", section, to_points=facts.correct)
    leader = match_length.leader_of(score)
    if leader is None:
        return settled("one_more_game", section)
    return settled("match_won", section, winner=leader)


def _confirms(answer: Answer, facts: LengthFacts) -> bool:
    """Whether the answer is the result with which the players went on to the next match."""
    reported = facts.reported or match_length.leader_of(match_length.own_score(facts))
    return answer.outcome == "match_won" and answer.details["winner"] is reported


@on_terms(until="no_end")
def correction(facts: Posted, rules: Rules) -> Answer:
    """Even if the next match has started."""
    return settled(results.MAY_CORRECT, at.REPORTING)


@on_terms(prevails="only_written_sheet")
def score_record(facts: Disputed, rules: Rules) -> Answer:
    """The only written sheet takes precedence, absent any undisputed evidence to the contrary."""
    section = at.SCORE
    evidence = facts.evidence
    written = facts.written
    if len(written) == 1:
        points = facts.sheets[written[0]].written
        assert points is not None
        if evidence in (None, points):
            if facts.are_all_shown and facts.recorded in (None, points):
                return results.score_set(points, section, results.ONLY_SHEET)
            # The record is disputed, or nobody has asked the other player for a sheet.
            return results.competing(DISCRETION, section, facts, points)
    elif (agreed := results.agreed_on(facts)) is not None:
        return results.score_set(agreed, section, results.BOTH_SHEETS)
    return results.competing(SILENT, section, facts, evidence)
