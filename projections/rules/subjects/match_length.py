"""A match played to a wrong length: what can be made of the score at its discovery."""

from __future__ import annotations

from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.values import ONE, TWO, BySeat, Seat
from projections.rules.answers import DISCRETION, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules, Subject

STOP = "stop"
GO_ON = ("complete", STOP, "replay")
"""What can become of a game in progress at the discovery."""
STOPPING = GO_ON[1:]
"""Those of them that stop the game."""
OUTCOME = "match-length.outcome"
"""Topic: what becomes of the match, and of the game in progress."""
STANDS = ("result_stands", "appointed_length")
"""What can become of a match that both thought over."""
GOING_ON = ("complete_game", "one_more_game", "continue")
"""Outcomes by which the match is not over at the discovery."""
LENGTHS = ("draw_sheet", "score_sheet")
"""Which length is the agreed one where the draw sheet and both score sheets differ."""
BOTH_THERE = ("first_to_reach", "higher")
"""Who can have won where both have reached the correct length."""


class SheetFacts(msgspec.Struct, frozen=True):
    """A match whose draw sheet says another length than it is opened to."""

    opened: int
    """The length that it is opened to."""
    draw_sheet: int
    """The length on the draw sheet."""


class LengthFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A match played to a wrong length, as it stands."""

    correct: int
    """The posted length."""
    wrong: int
    """The length played to."""
    score: BySeat[int]
    """Points now, after the game in progress where it has been completed; penalties apart."""
    score_found: BySeat[int]
    """Points at the discovery; penalties apart."""
    had_reached: bool = False
    """Whether by then a player had the points of the wrong length, penalties included."""
    draw_sheet: int | None = None
    """The length on the draw sheet, where it differs from the posted one."""
    during_game: bool = False
    """Whether it was found during a game."""
    is_pending: bool = False
    """Whether that game is still in progress."""
    thought_over: bool = False
    """Whether both assumed that the match had ended."""
    end_seen: bool = False
    """Whether somebody who watched both saw them stop, and what they assumed is not recorded."""
    reported: Seat | None = None
    """Who was then said to have won."""
    next_began: bool = False
    """Whether a player has begun a succeeding match."""
    is_next_round: bool = False
    """Whether such a match is known to be of the next round of this event."""
    believed: BySeat[int | None] = BySeat(None, None)
    """The length that each believed in; None = not recorded."""
    on_sheets: bool = False
    """Whether both players' own score sheets show the wrong length."""
    knowingly: bool = False
    """Whether both had agreed on the wrong length."""
    cube_in_crawford: bool = False
    """Whether the first game with one side a point away was played with the cube."""
    undecided: BySeat[int] = BySeat(0, 0)
    """Penalty points against each seat of which nobody has said whether they enter the score."""
    entering: BySeat[int] = BySeat(0, 0)
    """Penalty points against each seat that enter the score, and are not in one that was stated."""
    first: Seat | None = None
    """Who was the first to have the correct length; None where nobody is there, or knows."""
    ordered: str | None = None
    """What the Director ruled last on the questions that the discovery left open."""
    chosen: tuple[str, ...] = ()
    """All that the Director has ruled on them, in that order."""

    @property
    def is_at_end_believed(self) -> bool:
        """Whether the score had reached, between games, the length that both believed in.

        Of two who were seen to stop there, with no word on what they believed, it may be so.
        """
        believed = {self.believed.one, self.believed.two}
        is_alike = believed == {self.wrong} or (self.end_seen and believed <= {self.wrong, None})
        return not self.during_game and is_alike and self.had_reached

    def last_of(self, readings: tuple[str, ...]) -> str | None:
        """The last of these readings that the Director chose; None where it is none of them."""
        return next((one for one in reversed(self.chosen) if one in readings), None)


def by_correct_length(
    facts: LengthFacts,
    rules: Rules,
    section: str,
    *,
    flag: str | None = None,
    to_opponent: bool = False,
) -> Answer:
    """On to the correct length, or won by the one who is there; open where both are."""
    plain = _reached(facts, own_score(facts), section, flag)
    entered = _reached(facts, entered_score(facts), section, flag)
    if not agree(plain, entered):
        chosen = chosen_of(facts, plain, entered)
        if chosen is None:
            # AMB-N5: points "awarded to opponent" lean to his score.
            lean = lean_of(entered) if to_opponent else None
            return ambiguous("AMB-N5", section, in_words(plain), in_words(entered), lean=lean)
        plain = chosen
    return with_crawford(plain, facts, rules, section)


def _reached(facts: LengthFacts, score: BySeat[int], section: str, flag: str | None) -> Answer:
    there = [seat for seat in (ONE, TWO) if score[seat] >= facts.correct]
    if len(there) > 1:
        winners = dict(zip(BOTH_THERE, (facts.first, leader_of(score)), strict=True))
        winner = winners.get(facts.ordered or "")
        if winner is None:
            return ambiguous("AMB-L5", section, *BOTH_THERE)
        there = [winner]
    if there:
        answer = settled("match_won", section, winner=there[0])
    else:
        answer = settled("continue", section, to_points=facts.correct)
    return answer if flag is None else replace(answer, flag=flag)


def interrupted(
    facts: LengthFacts,
    rules: Rules,
    section: str,
    *,
    flag: str | None = None,
    to_opponent: bool = False,
) -> Answer:
    """The text does not say what becomes of the game in progress (AMB-L7)."""
    if facts.ordered == STOP:
        before = replace(facts, score=facts.score_found)
        return by_correct_length(before, rules, section, flag=flag, to_opponent=to_opponent)
    if facts.is_pending:
        if facts.ordered in GO_ON:
            return settled(f"{facts.ordered}_game", section)
        return ambiguous("AMB-L7", section, *GO_ON)
    then = by_correct_length(facts, rules, section, flag=flag, to_opponent=to_opponent)
    if facts.ordered in GO_ON:
        return then
    return ambiguous("AMB-L7", section, *GO_ON, lean=lean_of(then))


def stands_as_reported(facts: LengthFacts, section: str) -> Answer:
    """Whoever was said to have won has won."""
    winner = facts.reported or leader_of(own_score(facts))
    return settled("match_won", section, winner=winner, basis="result_stands")


def with_sanction(answer: Answer, facts: LengthFacts, section: str) -> Answer:
    """A wrong length agreed on: the result is settled, what it costs is the Director's."""
    if not facts.knowingly:
        return answer
    question = left_open(DISCRETION, section, "none", "sanction")
    return replace(answer, also=MappingProxyType({**answer.also, "sanction": question}))


def with_crawford(answer: Answer, facts: LengthFacts, rules: Rules, section: str) -> Answer:
    """AMB-L3: is the Crawford game still to come, after one a point away had the cube?"""
    one_away = [points == facts.correct - 1 for points in own_score(facts)]
    if answer.outcome != "continue" or not facts.cube_in_crawford or one_away[0] == one_away[1]:
        return answer
    if not rules.is_on("crawford"):
        return answer
    question = ambiguous("AMB-L3", section, "again", "spent")
    return replace(answer, also=MappingProxyType({**answer.also, "crawford_phase": question}))


def own_score(facts: LengthFacts) -> BySeat[int]:
    """The score with the penalty points that are known to enter it."""
    return _added(facts.score, facts.entering)


def entered_score(facts: LengthFacts) -> BySeat[int]:
    """The score with those too of which nobody has said so."""
    return _added(own_score(facts), facts.undecided)


def _added(score: BySeat[int], against: BySeat[int]) -> BySeat[int]:
    return BySeat(max(0, score.one + against.two), max(0, score.two + against.one))


def leader_of(score: BySeat[int]) -> Seat | None:
    """Who has more points; None = nobody."""
    if score.one == score.two:
        return None
    return ONE if score.one > score.two else TWO


def chosen_of(facts: LengthFacts, *answers: Answer) -> Answer | None:
    """The answer that the Director chose, in the words in which it was a reading."""
    for answer in answers:
        if not answer.is_open and facts.ordered == in_words(answer):
            return answer
    return None


def agree(plain: Answer, entered: Answer) -> bool:
    """Whether both scores come to the same."""
    return (plain.outcome, plain.ambiguity, dict(plain.details)) == (
        entered.outcome,
        entered.ambiguity,
        dict(entered.details),
    )


def lean_of(answer: Answer) -> dict[str, object] | None:
    """A settled answer as what a text leans to; an open one leans to nothing."""
    return None if answer.is_open else {"outcome": answer.outcome, **answer.details}


def in_words(answer: Answer) -> str:
    """An answer as the reading of a question."""
    if answer.is_open:
        return "undecided"
    words = [answer.outcome, *(str(value) for value in answer.details.values())]
    return "_".join(words)


SHEETS = Subject[SheetFacts]("match_length.sheets")
"""Which length is the agreed one where the draw sheet says another."""
SUBJECT = Subject[LengthFacts]("match_length")
"""What a match comes to that was played to a wrong length."""
CUBE = Subject[LengthFacts]("match_length.cube")
"""Which length says whether the cube may be turned in the game that is completed."""
