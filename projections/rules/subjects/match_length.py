"""A match played to a wrong length: what each text makes of the score at its discovery."""

from __future__ import annotations

from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.values import ONE, TWO, BySeat, Seat
from projections.rules.answers import DISCRETION, Answer, ambiguous, left_open, settled
from projections.rules.profile import Policy, Rules

SUBJECT = "match_length"
"""What a match comes to that was played to a wrong length."""
CUBE = "match_length.cube"
"""Which length says whether the cube may be turned in the game that is completed."""

GO_ON = ("complete", "stop", "replay")
"""What can become of a game in progress at the discovery."""
STANDS = ("result_stands", "appointed_length")
"""What can become of a match that both thought over."""
BOTH_THERE = ("first_to_reach", "higher")
"""Who can have won where both have reached the correct length."""


class LengthFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A match played to a wrong length, as it stands."""

    correct: int
    """The posted length."""
    wrong: int
    """The length played to."""
    score: BySeat[int]
    """Points now, after the game in progress where it has been completed; penalties apart."""
    score_found: BySeat[int]
    """Points at the discovery."""
    draw_sheet: int | None = None
    """The length on the draw sheet, where it differs from the posted one."""
    during_game: bool = False
    """Whether it was found during a game."""
    is_pending: bool = False
    """Whether that game is still in progress."""
    thought_over: bool = False
    """Whether both assumed that the match had ended."""
    reported: Seat | None = None
    """Who was then said to have won."""
    next_began: bool = False
    """Whether a player has begun a succeeding match."""
    knowingly: bool = False
    """Whether both had agreed on the wrong length."""
    cube_in_crawford: bool = False
    """Whether the first game with one side a point away was played with the cube."""
    undecided: BySeat[int] = BySeat(0, 0)
    """Penalty points against each seat of which nobody has said whether they enter the score."""
    entering: BySeat[int] = BySeat(0, 0)
    """Penalty points against each seat that enter the score."""
    first: Seat | None = None
    """Who was the first to have the correct length; None where nobody is there, or knows."""
    ordered: str | None = None
    """What the Director ruled last on the questions that the discovery left open."""


def usbgf_2017_07(facts: LengthFacts, rules: Rules) -> Answer:
    """The higher score wins if it has reached either length; a tie there takes one more game."""
    # usbgf-2017-07 [4.8]
    section = "[4.8]"
    if facts.is_pending:
        return _with_sanction(settled("complete_game", section), facts, section)
    plain = _by_either_length(facts, _own(facts), section)
    entered = _by_either_length(facts, _entered(facts), section)
    if not _agree(plain, entered):
        chosen = _chosen(facts, plain, entered)
        if chosen is None:
            return ambiguous("AMB-L4", section, _in_words(plain), _in_words(entered))
        plain = chosen
    elif facts.next_began and not _confirms(plain, facts):
        if facts.ordered == STANDS[0]:
            return _with_sanction(_stands(facts, section), facts, section)
        if _chosen(facts, plain) is None:
            return ambiguous("AMB-L1", section, STANDS[0], _in_words(plain))
    return _with_sanction(_with_crawford(plain, facts, rules, section), facts, section)


def usbgf_2017_07_cube(facts: LengthFacts, rules: Rules) -> Answer:
    """The text does not say by which length the cube is dead in the game that is completed."""
    return ambiguous("AMB-L2", "[4.8]", "by_correct_length", "by_wrong_length")


def biba_2014(facts: LengthFacts, rules: Rules) -> Answer:
    """What both took for the end stands; else the length on the draw sheet decides."""
    # biba-2014 4.10
    section = "4.10"
    if facts.thought_over:
        return _with_sanction(_stands(facts, section), facts, section)
    # AMB-L6: where draw sheet and score sheet differ, the draw sheet holds.
    correct = facts.draw_sheet or facts.correct
    facts = replace(facts, correct=correct)
    if facts.during_game:
        return _interrupted(facts, rules, section, flag="AMB-L6")
    return _by_correct_length(facts, rules, section, flag="AMB-L6")


def fcbg_tournament(facts: LengthFacts, rules: Rules) -> Answer:
    """A posted result stands once a succeeding match has begun; else the appointed length holds."""
    # fcbg-tournament REPORTING RESULTS/T
    if facts.next_began:
        return _stands(facts, "REPORTING RESULTS/T")
    # fcbg-tournament COMPLETION/T
    section = "COMPLETION/T"
    if facts.thought_over:
        return _reopened(facts, rules, section)
    if facts.during_game:
        return _interrupted(facts, rules, section, to_opponent=True)
    return _by_correct_length(facts, rules, section, to_opponent=True)


def _by_either_length(facts: LengthFacts, score: BySeat[int], section: str) -> Answer:
    least = min(facts.correct, facts.wrong)
    if max(score) < least:
        return settled("continue", section, to_points=facts.correct)
    leader = _leader(score)
    if leader is None:
        return settled("one_more_game", section)
    return settled("match_won", section, winner=leader)


def _by_correct_length(
    facts: LengthFacts,
    rules: Rules,
    section: str,
    *,
    flag: str | None = None,
    to_opponent: bool = False,
) -> Answer:
    """On to the correct length, or won by the one who is there; open where both are."""
    plain = _reached(facts, _own(facts), section, flag)
    entered = _reached(facts, _entered(facts), section, flag)
    if not _agree(plain, entered):
        chosen = _chosen(facts, plain, entered)
        if chosen is None:
            # AMB-N5: points "awarded to opponent" lean to his score.
            lean = _lean(entered) if to_opponent else None
            return ambiguous("AMB-N5", section, _in_words(plain), _in_words(entered), lean=lean)
        plain = chosen
    return _with_crawford(plain, facts, rules, section)


def _reached(facts: LengthFacts, score: BySeat[int], section: str, flag: str | None) -> Answer:
    there = [seat for seat in (ONE, TWO) if score[seat] >= facts.correct]
    if len(there) > 1:
        winners = dict(zip(BOTH_THERE, (facts.first, _leader(score)), strict=True))
        winner = winners.get(facts.ordered or "")
        if winner is None:
            return ambiguous("AMB-L5", section, *BOTH_THERE)
        there = [winner]
    if there:
        answer = settled("match_won", section, winner=there[0])
    else:
        answer = settled("continue", section, to_points=facts.correct)
    return answer if flag is None else replace(answer, flag=flag)


def _interrupted(
    facts: LengthFacts,
    rules: Rules,
    section: str,
    *,
    flag: str | None = None,
    to_opponent: bool = False,
) -> Answer:
    """The text does not say what becomes of the game in progress (AMB-L7)."""
    if facts.ordered == "stop":
        before = replace(facts, score=facts.score_found)
        return _by_correct_length(before, rules, section, flag=flag, to_opponent=to_opponent)
    if facts.is_pending:
        if facts.ordered in GO_ON:
            return settled(f"{facts.ordered}_game", section)
        return ambiguous("AMB-L7", section, *GO_ON)
    then = _by_correct_length(facts, rules, section, flag=flag, to_opponent=to_opponent)
    if facts.ordered in GO_ON:
        return then
    return ambiguous("AMB-L7", section, *GO_ON, lean=_lean(then))


def _reopened(facts: LengthFacts, rules: Rules, section: str) -> Answer:
    """The text does not say whether a match that both thought over goes on (AMB-L7)."""
    if facts.ordered == STANDS[0]:
        return _stands(facts, section)
    then = _by_correct_length(facts, rules, section, to_opponent=True)
    if facts.ordered == STANDS[1]:
        return then
    return ambiguous("AMB-L7", section, *STANDS, lean=_lean(then))


def _stands(facts: LengthFacts, section: str) -> Answer:
    winner = facts.reported or _leader(facts.score)
    return settled("match_won", section, winner=winner, basis="result_stands")


def _with_sanction(answer: Answer, facts: LengthFacts, section: str) -> Answer:
    """A wrong length agreed on: the result is settled, what it costs is the Director's."""
    if not facts.knowingly:
        return answer
    question = left_open(DISCRETION, section, "none", "sanction")
    return replace(answer, also=MappingProxyType({**answer.also, "sanction": question}))


def _with_crawford(answer: Answer, facts: LengthFacts, rules: Rules, section: str) -> Answer:
    """AMB-L3: is the Crawford game still to come, after one a point away had the cube?"""
    one_away = [points == facts.correct - 1 for points in facts.score]
    if answer.outcome != "continue" or not facts.cube_in_crawford or one_away[0] == one_away[1]:
        return answer
    if not rules.is_on("crawford"):
        return answer
    question = ambiguous("AMB-L3", section, "again", "spent")
    return replace(answer, also=MappingProxyType({**answer.also, "crawford_phase": question}))


def _confirms(answer: Answer, facts: LengthFacts) -> bool:
    """Whether the answer is the result with which the players went on to the next match."""
    reported = facts.reported or _leader(facts.score)
    return answer.outcome == "match_won" and answer.details["winner"] is reported


def _own(facts: LengthFacts) -> BySeat[int]:
    """The score with the penalty points that are known to enter it."""
    return _added(facts.score, facts.entering)


def _entered(facts: LengthFacts) -> BySeat[int]:
    """The score with those too of which nobody has said so."""
    return _added(_own(facts), facts.undecided)


def _added(score: BySeat[int], against: BySeat[int]) -> BySeat[int]:
    return BySeat(score.one + against.two, score.two + against.one)


def _leader(score: BySeat[int]) -> Seat | None:
    if score.one == score.two:
        return None
    return ONE if score.one > score.two else TWO


def _chosen(facts: LengthFacts, *answers: Answer) -> Answer | None:
    """The answer that the Director chose, in the words in which it was a reading."""
    for answer in answers:
        if not answer.is_open and facts.ordered == _in_words(answer):
            return answer
    return None


def _agree(plain: Answer, entered: Answer) -> bool:
    return (plain.outcome, plain.ambiguity, dict(plain.details)) == (
        entered.outcome,
        entered.ambiguity,
        dict(entered.details),
    )


def _lean(answer: Answer) -> dict[str, object] | None:
    """A settled answer as what a text leans to; an open one leans to nothing."""
    return None if answer.is_open else {"outcome": answer.outcome, **answer.details}


def _in_words(answer: Answer) -> str:
    """An answer as the reading of a question."""
    if answer.is_open:
        return "undecided"
    words = [answer.outcome, *(str(value) for value in answer.details.values())]
    return "_".join(words)


USBGF_2017_07: dict[str, Policy] = {SUBJECT: usbgf_2017_07, CUBE: usbgf_2017_07_cube}
"""What `usbgf-2017-07` answers."""


def _unverified(policy: Policy) -> Policy:
    """The draft's answer for the ratified text; a question is nobody's answer, and stays one."""

    def answer(facts: LengthFacts, rules: Rules) -> Answer:
        said = policy(facts, rules)
        return said if said.is_open else replace(said, verified=False)

    return answer


USBGF_2017_09: dict[str, Policy] = {
    subject: _unverified(policy) for subject, policy in USBGF_2017_07.items()
}
"""What `usbgf-2017-09` answers, as far as it is in hand: the draft's text, unverified."""

BIBA_2014: dict[str, Policy] = {SUBJECT: biba_2014}
"""What `biba-2014` answers."""

FCBG_TOURNAMENT: dict[str, Policy] = {SUBJECT: fcbg_tournament}
"""What `fcbg-tournament` answers."""
