"""`biba-2014` on how games and matches end, lengths, results and appeals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects import appeals, bounds, endings, match_length, results
from projections.rules.subjects.appeals import Appealed, Committee, Poll
from projections.rules.subjects.bounds import Race
from projections.rules.subjects.endings import Conceded, ValueText, Wish
from projections.rules.subjects.match_length import LengthFacts, SheetFacts
from projections.rules.subjects.results import Disputed, Posted
from projections.rules.terms import on_terms
from projections.rules.texts.biba_2014 import sections as at


@on_terms(not_appealable="slow_play_or_second_appeal")
def appeal_admitted(facts: Appealed, rules: Rules) -> Answer:
    """A slow-play ruling is final; behaviour is sent to appeals."""
    # A slow-play ruling is final; 1.9 sends behaviour to 6.3.
    if facts.against == appeals.SLOW_PLAY:
        return settled(appeals.NOT_APPEALABLE, at.SLOW_PLAY)
    # 6.3: the decision is final and exhausts the right.
    if facts.is_second:
        return settled(appeals.NOT_APPEALABLE, at.APPEALS)
    return appeals.admitted(at.APPEALS, facts)


def committee(facts: Committee, rules: Rules) -> Answer:
    """Three members, from whom the players and the first ruling are kept."""
    if facts.size != appeals.THREE:
        return appeals.not_of_three(at.APPEALS)
    if {"player_names", "initial_ruling"} & set(facts.learned):
        return ambiguous("AMB-Q5", at.APPEALS, "goes_on", "another_committee")
    return settled(appeals.ADMISSIBLE, at.APPEALS)


def disturbed(facts: appeals.Disturbed, rules: Rules) -> Answer:
    """A presumption for the opponent."""
    return appeals.presumed(at.DISPUTES, facts)


def director_vote(facts: Poll, rules: Rules) -> Answer:
    """The committee alone."""
    return settled(appeals.HAS_NO_VOTE, at.APPEALS)


@on_terms(threshold="unanimity", voters="members")
def appeal_outcome(facts: Poll, rules: Rules) -> Answer:
    """Overturned by all three, and by them alone."""
    section = at.APPEALS
    if facts.size != appeals.THREE and not facts.is_as_ruled:
        return appeals.not_of_three(section)
    cast = facts.cast
    changes = [vote.change for vote in cast if vote.change is not None]
    if not changes or len(changes) < len(cast):
        return settled(appeals.STANDS, section)
    if len(changes) < facts.size:
        return ambiguous("AMB-Q3", section, "of_members", "of_votes", lean=appeals.STANDS)
    if any(change != (appeals.REVERSE, None) for change in changes):
        # The text knows overturning, and no modification.
        return ambiguous("AMB-Q1", section, "per_outcome", "any_change")
    return appeals.changed((appeals.REVERSE, None), section)


def _both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


_CONCEDABLE: Mapping[str, Callable[[Race], bool | None]] = MappingProxyType(
    {
        endings.SINGLE: bounds.is_gammon_ruled_out,
        endings.GAMMON: lambda race: _both(
            bounds.is_gammon_certain(race), bounds.is_backgammon_ruled_out(race)
        ),
        endings.BACKGAMMON: bounds.is_backgammon_certain,
    }
)


@on_terms(concedable="where_it_is_certain", when="after_own_turn")
def resignation(facts: Conceded, rules: Rules) -> Answer:
    """After the own turn, where no play could win, or save a gammon or backgammon.

    Whoever rejects it summons the Director.
    """
    section = at.END_OF_GAME
    if not facts.is_accepted:
        return left_open(DISCRETION, section, endings.GAME_WON, endings.PLAY_ON)
    if not facts.is_turn_completed:
        return settled(endings.NOT_ALLOWED, section)
    is_certain = _CONCEDABLE[facts.level](facts.race)
    if is_certain is None:
        return ambiguous(
            "AMB-E2", section, endings.GAME_WON, endings.NOT_ALLOWED, lean=endings.NOT_ALLOWED
        )
    if is_certain:
        return replace(endings.as_offered(facts, section), flag="AMB-E2")
    # "Non-adherence may lead to disqualification": that is the Director's to say.
    return Answer(
        outcome=endings.NOT_ALLOWED,
        section=section,
        reason=DISCRETION,
        flag="AMB-E2",
        also=MappingProxyType({"sanction": left_open(DISCRETION, section, "none", "sanction")}),
    )


def waiver(facts: Wish, rules: Rules) -> Answer:
    """Neither player may concede the match; games are rolled to completion."""
    return settled(
        endings.NOT_ALLOWED, at.END_OF_MATCH if facts.kind == "concede_match" else at.END_OF_GAME
    )


VALUE = ValueText(
    sections={endings.SINGLE: at.SCOPE, endings.GAMMON: at.GAMMONS, endings.BACKGAMMON: at.GAMMONS},
    short=at.SETUP,
    bare=at.SETUP,
)


def sheets(facts: SheetFacts, rules: Rules) -> Answer:
    """AMB-L6: the agreed length is the one "on the draw sheet/score sheet"."""
    draw_sheet, score_sheet = match_length.LENGTHS
    return ambiguous("AMB-L6", at.END_OF_MATCH, draw_sheet, score_sheet, lean=draw_sheet)


@on_terms(wrong_length="both_assumed_end_stands")
def wrong_length(facts: LengthFacts, rules: Rules) -> Answer:
    """What both took for the end stands; else the length on the draw sheet decides.

    Whether both who had agreed on another length are penalised is the Director's.
    """
    return match_length.with_sanction(_length_judged(facts, rules), facts, at.END_OF_MATCH)


def _length_judged(facts: LengthFacts, rules: Rules) -> Answer:
    section = at.END_OF_MATCH
    if facts.thought_over:
        return match_length.stands_as_reported(facts, section)
    stands, appointed = match_length.STANDS
    chosen = facts.last_of(match_length.STANDS)
    if facts.is_next_round or chosen == stands:
        # 5.6: no correction once either has started playing the next round.
        where = at.RESULT if facts.next_began else section
        return match_length.stands_as_reported(facts, where)
    if facts.next_began and chosen is None:
        return ambiguous("AMB-O1", at.RESULT, stands, appointed, lean=stands)
    if facts.is_at_end_believed and chosen is None:
        # Both believed in that length and had reached it: whether both took it for the end,
        # nobody has said.
        return left_open(DISCRETION, section, stands, appointed)
    return _by_agreed_length(facts, rules, section)


def _by_agreed_length(facts: LengthFacts, rules: Rules, section: str) -> Answer:
    """AMB-L6: the agreed length is the one "on the draw sheet/score sheet"; the first holds.

    Where both players' score sheets show the other one, it is a question.
    """
    by_draw = _on(replace(facts, correct=facts.draw_sheet or facts.correct), rules, section)
    if not facts.on_sheets:
        return by_draw
    by_sheets = _on(replace(facts, correct=facts.wrong), rules, section)
    if match_length.agree(by_draw, by_sheets):
        return by_draw
    chosen = facts.last_of(match_length.LENGTHS)
    if chosen is None:
        return ambiguous("AMB-L6", section, *match_length.LENGTHS)
    return by_sheets if chosen == match_length.LENGTHS[1] else by_draw


def _on(facts: LengthFacts, rules: Rules, section: str) -> Answer:
    if facts.during_game:
        return match_length.interrupted(facts, rules, section, flag="AMB-L6")
    return match_length.by_correct_length(facts, rules, section, flag="AMB-L6")


@on_terms(until="next_round_begun")
def correction(facts: Posted, rules: Rules) -> Answer:
    """Only if neither player has started playing the next round."""
    section = at.RESULT
    if not facts.begun:
        return settled(results.MAY_CORRECT, section, until="next_round_begun")
    if facts.is_next_round:
        return settled(results.STANDS, section)
    readings = ("next_round_of_the_event", "any_next_match")
    return ambiguous("AMB-O1", section, *readings, lean=results.STANDS)


@on_terms(prevails="kept_as_prescribed")
def score_record(facts: Disputed, rules: Rules) -> Answer:
    """Whoever did not keep score as prescribed is at a disadvantage.

    A display does not replace a written sheet.
    """
    section = at.SCORE
    evidence = facts.evidence
    if (agreed := results.agreed_on(facts)) is not None:
        return results.score_set(agreed, section, results.BOTH_SHEETS)
    kept = [seat for seat in facts.written if facts.sheets[seat].is_as_prescribed is not False]
    if len(kept) != 1:
        return results.competing(SILENT, section, facts, evidence)
    return results.competing(DISCRETION, section, facts, evidence or facts.sheets[kept[0]].written)
