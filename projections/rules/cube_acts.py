"""Cube acts: when a double counts, what binds, what is void, and what follows when found late."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import CubeFault, Policy, Rules

ALLOWED = "allowed"
NOT_ALLOWED = "not_allowed"
VOID = "void"
BOUND = "bound"
NOT_BOUND = "not_bound"
NOW = "now"
FIRST_LEGAL = "first_legal_opportunity"

# Sections, as each text numbers them.
_USBGF_ACTIONS = "[4.4.3-5]"
_USBGF_CRAWFORD = "[4.4.6]"
_USBGF_DEAD = "[4.4.9]"
_COMMON = "Doubling cube"
_FCBG = "DOUBLING"
_FCBG_RULES = "CUBE RULES/T"
_FCBG_CRAWFORD = "CRAWFORD/T"


@lru_cache
def _said(outcome: str, section: str) -> Answer:
    """An answer without details: one object, for most doubles get the same."""
    return settled(outcome, section)


class DoubleFacts(msgspec.Struct, frozen=True):
    """A double, and what is wrong with it by the facts alone."""

    seat: Seat
    """Who doubles."""
    faults: tuple[CubeFault, ...] = ()
    """What the cube's fold found."""
    is_opening: bool = False
    """Whether the roll that came before it is the opening roll."""
    is_cocked: bool = False
    """Whether the doubler has thrown in this turn, and the throw did not count."""
    is_answered: bool = False
    """Whether it was answered before anybody noticed."""
    is_crawford: bool = False
    """Whether it is the first game in which a player is exactly one point away."""
    length: int | None = None
    """Points needed to win; None = money."""


class DropFacts(msgspec.Struct, frozen=True):
    """A drop of a double that counts."""

    winner: Seat
    """Who doubled."""
    points: int
    """The value before the double."""
    score: BySeat[int]
    """The score before the drop."""
    length: int | None
    """Points needed to win; None = money."""

    @property
    def wins_match(self) -> bool:
        """Whether these points are enough for the match."""
        return self.length is not None and self.score[self.winner] + self.points >= self.length


class SignFacts(msgspec.Struct, frozen=True):
    """A gesture or a word that may mean a double, before one is offered."""

    seat: Seat
    """Whose."""
    sign: str
    """reach, touch, lift, words or none: what the hand did, or that it was only said."""
    intent: str = "double"
    """double, take or drop."""
    when: str = "now"
    """now, next_turn or if_doubled."""
    is_clear: bool = True
    """Whether both agree on what it was."""
    is_announced: bool = False
    """Whether repositioning was announced before the cube was handled."""
    is_in_turn: bool = True
    """Whether the opponent's turn is over."""
    is_crawford: bool = False
    """Whether the game is played without the cube."""
    is_dead: bool = False
    """Whether the game at its present value already gives that player the match."""


class AnswerFacts(msgspec.Struct, frozen=True):
    """What was said and done to a double that waits, before anybody records an answer."""

    seat: Seat
    """Who has to answer."""
    words: tuple[str, ...]
    """take and drop, in the order in which they were said."""
    put: str | None
    """Where the cube was put; None = left where it was offered."""
    value: int
    """The value before the double."""


class BrokenFacts(msgspec.Struct, frozen=True):
    """A stated intent binds, and something else was done."""

    bound: Answer
    """What binds."""
    name: str
    """What was done instead: roll, take or drop."""


class BeaverFacts(msgspec.Struct, frozen=True):
    """A beaver."""

    seat: Seat
    """Who beavered."""
    value: int
    """What the cube shows after the double is taken."""
    is_money: bool
    """Whether no match length is known."""
    reply: str | None = None
    """accept or refuse; None = not yet."""


class FoundFacts(msgspec.Struct, frozen=True):
    """A void double, and when it was noticed."""

    fault: CubeFault
    """CRAWFORD or DEAD."""
    answered: str | None
    """take, drop or None."""
    is_over: bool
    """Whether the game is over."""
    winner: Seat | None = None
    """Who won the game."""
    points: int = 0
    """What it is worth without the turned cube."""
    turned_points: int = 0
    """What it was worth with it."""
    score: BySeat[int] = BySeat(0, 0)
    """The score before that game."""
    length: int | None = None
    """Points needed to win."""
    begun: tuple[Seat, ...] = ()
    """Who has begun another match."""
    is_round_begun: bool = False
    """Whether the next round has begun."""


class PhaseFacts(msgspec.Struct, frozen=True):
    """A game that starts."""

    phase: str
    """pre_crawford, crawford or post_crawford, as the points of the games make it."""
    with_penalties: str
    """The same if the penalty points left open enter the score."""
    length: int | None
    """Points needed to win; None = money."""


class ShownFacts(msgspec.Struct, frozen=True):
    """A cube that does not show what the acts make it."""

    value: int
    """What it shows."""
    owner: Seat | None
    """On whose side it lies."""
    is_start: bool
    """Whether the opening roll is still to come."""
    is_disputed: bool
    """Whether the players disagree."""


class GammonFacts(msgspec.Struct, frozen=True):
    """A gammon or backgammon under Jacoby, with no double offered in the game."""

    winner: Seat
    """Who won it."""
    value: int
    """What the cube shows."""
    factor: int
    """2 or 3."""
    is_money: bool
    """Whether no match length is known."""


# The first of these faults is what is said; a cube that is not one's own is nobody's question.
_TIMES = (
    CubeFault.NOT_OWNED,
    CubeFault.BEFORE_OPENING,
    CubeFault.AFTER_ROLL,
)


def _time_fault(facts: DoubleFacts) -> CubeFault | None:
    return next((fault for fault in _TIMES if fault in facts.faults), None)


def _time(
    facts: DoubleFacts,
    section: str,
    *,
    opening: str | None,
    cocked: str | None,
    rolled: str,
    not_owned: str,
) -> Answer:
    """Own turn and not rolled; a section that is None is one that does not speak of that roll."""
    fault = _time_fault(facts)
    if fault is CubeFault.NOT_OWNED:
        return _refused(facts, not_owned)
    if fault is CubeFault.AFTER_ROLL and facts.is_opening:
        if opening is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED, lean=NOT_ALLOWED)
        return _refused(facts, opening)
    if fault is CubeFault.AFTER_ROLL:
        return _refused(facts, rolled)
    if fault is CubeFault.BEFORE_OPENING:
        return _refused(facts, section)
    if facts.is_cocked:
        if cocked is None:
            return left_open(SILENT, section, NOT_ALLOWED, ALLOWED)
        return _refused(facts, cocked)
    return _said(ALLOWED, section)


def _refused(facts: DoubleFacts, section: str) -> Answer:
    """Not allowed; what becomes of it when it was answered all the same, no text says."""
    answer = _said(NOT_ALLOWED, section)
    if not facts.is_answered:
        return answer
    open_answer = left_open(SILENT, section, "stands", "undone")
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": open_answer}))


def common_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """Doubling cube: at the start of the own turn, before rolling."""
    return _time(facts, _COMMON, opening=None, cocked=None, rolled=_COMMON, not_owned=_COMMON)


def usbgf_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """The draft does not say when; ownership and the own turn are the common rules'."""
    if _time_fault(facts) not in (None, CubeFault.NOT_OWNED) or facts.is_cocked:
        lean = None if facts.is_cocked or facts.is_answered else NOT_ALLOWED
        return left_open(SILENT, _USBGF_ACTIONS, NOT_ALLOWED, ALLOWED, lean=lean)
    return common_time(facts, rules)


def usbgf_2017_09_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """What the common rules settle is settled; the rest is not in hand."""
    return _as_not_in_hand(usbgf_time(facts, rules), rules)


def biba_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.4: before rolling, and cocked dice count as rolled; 1.2 for what is not specified."""
    return _time(facts, "5.4", opening="5.4", cocked="5.4", rolled="5.4", not_owned="1.2")


def fcbg_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """DOUBLING: at the start of the own turn; IRR/T(j): not after own dice, even cocked ones."""
    return _time(
        facts,
        _FCBG,
        opening="IRR/T(j)",
        cocked="IRR/T(j)",
        rolled="IRR/T(j)",
        not_owned=_FCBG,
    )


def fcbg_club_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """DOUBLING; that cocked dice count as rolled stands under a /TOURNAMENT heading alone."""
    if _time_fault(facts) is None and facts.is_cocked:
        return ambiguous("AMB-F3", _FCBG, NOT_ALLOWED, ALLOWED, lean=NOT_ALLOWED)
    return _time(facts, _FCBG, opening=_FCBG, cocked=None, rolled=_FCBG, not_owned=_FCBG)


def _as_not_in_hand(answer: Answer, rules: Rules) -> Answer:
    """A silence of the draft is a text not in hand in the ratified one."""
    if answer.reason != SILENT or rules.options.get("gaps_from") is not None:
        return answer
    return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest="usbgf-2017-07")


def as_ratified(policy: Policy) -> Policy:
    """The draft's settled answers, unverified; its ambiguities; its silences as not in hand."""

    def answer(facts: Any, rules: Rules) -> Answer:
        said = policy(facts, rules)
        if said.is_open:
            return _as_not_in_hand(said, rules)
        also = {name: _as_not_in_hand(other, rules) for name, other in said.also.items()}
        return msgspec.structs.replace(said, verified=False, also=MappingProxyType(also))

    return answer


def not_in_hand(policy: Policy) -> Policy:
    """Every question of the draft is one of a text not in hand; the same settled answers."""

    def answer(facts: Any, rules: Rules) -> Answer:
        said = policy(facts, rules)
        if not said.is_open or rules.options.get("gaps_from") is not None:
            return said
        return left_open(NOT_IN_HAND, said.section, *said.readings, suggest="usbgf-2017-07")

    return answer


def usbgf_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """[4.4.9]: no offer by whom the game at its present value already gives the match."""
    is_dead = CubeFault.DEAD in facts.faults
    return _said(VOID if is_dead else ALLOWED, _USBGF_DEAD)


def biba_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.4 asks only when; 4.10 speaks about the drop."""
    return _said(ALLOWED, "5.4")


def _allowed_though_dead(facts: DoubleFacts, section: str) -> Answer:
    answer = _said(ALLOWED, section)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return msgspec.structs.replace(answer, flag="AMB-C7")


def fcbg_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return _allowed_though_dead(facts, _FCBG)


def common_worth(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C7: no text against a dead cube, so it is allowed."""
    return _allowed_though_dead(facts, _COMMON)


def usbgf_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """[4.4.6]: any cube action during the Crawford game is null and void."""
    return _said(VOID, _USBGF_CRAWFORD)


def _in_one_point_match(answer: Answer, length: int | None) -> Answer:
    # AMB-C12: whether anybody "reaches" match point before the first game of a 1-point match.
    return msgspec.structs.replace(answer, flag="AMB-C12") if length == 1 else answer


def biba_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """5.5: use of the cube is not recognised."""
    return _in_one_point_match(_said(VOID, "5.5"), facts.length)


def fcbg_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """CRAWFORD/T: the cube is out of play; what an act with it is, the text does not say."""
    return _in_one_point_match(_said(NOT_ALLOWED, _FCBG_CRAWFORD), facts.length)


def common_crawford(facts: DoubleFacts, rules: Rules) -> Answer:
    """Crawford is on only where the players agreed on it; the text itself has no such game."""
    if CubeFault.CRAWFORD not in facts.faults:
        return common_worth(facts, rules)
    return _said(NOT_ALLOWED, _COMMON)


def _bound_to(intent: str, at: str, section: str) -> Answer:
    return settled(BOUND, section, to=intent, at=at)


def _lean(intent: str, at: str) -> dict[str, str]:
    return {"outcome": BOUND, "to": intent, "at": at}


def usbgf_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C9: who touches the cube "must so act at that time", and it is not his turn."""
    readings = (NOW, FIRST_LEGAL, VOID)
    return ambiguous("AMB-C9", _USBGF_ACTIONS, *readings, lean=_lean("double", FIRST_LEGAL))


def biba_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """AMB-C8: 4.6 leaves it to the player whose turn it is, 5.4 binds."""
    return ambiguous("AMB-C8", "5.4", "choice", "binds")


def fcbg_premature(facts: DoubleFacts, rules: Rules) -> Answer:
    """IRR/T(k): it stands if otherwise valid, and the opponent completes his turn knowing it."""
    answer = settled("double_stands", "IRR/T(k)", may_revise=facts.seat.other)
    if CubeFault.DEAD not in facts.faults:
        return answer
    return msgspec.structs.replace(answer, flag="AMB-C7")


def _next_opportunity(facts: SignFacts) -> str:
    return NOW if facts.when == "now" and facts.is_in_turn else FIRST_LEGAL


def usbgf_sign(facts: SignFacts, rules: Rules) -> Answer:
    """[4.4.3-5]: touching binds, reaching does not; a stated intent binds when it is legal."""
    if facts.is_crawford:
        return _said(NOT_BOUND, _USBGF_CRAWFORD)
    if facts.is_dead and facts.intent == "double":
        # Only a valid cube action binds, and this one would be void.
        return _said(NOT_BOUND, _USBGF_DEAD)
    if facts.sign == "words":
        return _bound_to(facts.intent, _next_opportunity(facts), _USBGF_ACTIONS)
    if facts.sign in ("reach", "none") or facts.is_announced:
        return _said(NOT_BOUND, _USBGF_ACTIONS)
    if not facts.is_in_turn:
        readings = (NOW, FIRST_LEGAL, VOID)
        return ambiguous("AMB-C9", _USBGF_ACTIONS, *readings, lean=_lean("double", FIRST_LEGAL))
    return _bound_to("double", NOW, _USBGF_ACTIONS)


def biba_sign(facts: SignFacts, rules: Rules) -> Answer:
    """5.4: clearly reaching, picking up, or any indication binds; words do."""
    if facts.is_crawford:
        return _said(NOT_BOUND, "5.5")
    if facts.is_announced or facts.sign == "none":
        return _said(NOT_BOUND, "5.4")
    is_future = facts.sign == "words" and facts.when != "now"
    if not facts.is_in_turn and not is_future:
        return ambiguous("AMB-C8", "5.4", "choice", "binds")
    if facts.sign == "words":
        return _bound_to(facts.intent, _next_opportunity(facts), "5.4")
    if facts.sign == "reach" and not facts.is_clear:
        return ambiguous("AMB-C3", "5.4", BOUND, NOT_BOUND, lean=_lean("double", NOW))
    answer = _bound_to("double", NOW, "5.4")
    if facts.sign == "reach":
        return msgspec.structs.replace(answer, flag="AMB-C3")
    return answer


def fcbg_sign(facts: SignFacts, rules: Rules) -> Answer:
    """CUBE RULES/T: verbal or physical acts may be interpreted as cube actions."""
    if facts.is_crawford:
        return _said(NOT_BOUND, _FCBG_CRAWFORD)
    lean: Any = None
    if facts.is_announced:
        lean = NOT_BOUND
    elif facts.sign == "words" and facts.when == "now" and facts.intent == "double":
        lean = _lean("double", NOW) if facts.is_in_turn else "double_stands"
    return left_open(DISCRETION, _FCBG_RULES, BOUND, NOT_BOUND, lean=lean)


def broken(facts: BrokenFacts, rules: Rules) -> Answer:
    """An intent that bound was not acted on: it binds still, and what was done is a question."""
    question = left_open(SILENT, facts.bound.section, "stands", "undone")
    return msgspec.structs.replace(facts.bound, also=MappingProxyType({facts.name: question}))


def _taken(facts: AnswerFacts, section: str) -> Answer:
    return settled("taken", section, cube_value=2 * facts.value, cube_owner=facts.seat)


def _dropped(facts: AnswerFacts, section: str) -> Answer:
    return settled("dropped", section, winner=facts.seat.other, points=facts.value)


def _by_word(facts: AnswerFacts, section: str) -> Answer:
    # Who has said one thing cannot say the other: the first word is the answer.
    return _taken(facts, section) if facts.words[0] == "take" else _dropped(facts, section)


_WHERE = {"own_side": "taken", "middle_of_bar": "dropped"}
_WORD = {"take": "taken", "drop": "dropped"}


def usbgf_answer(facts: AnswerFacts, rules: Rules) -> Answer:
    """[4.4.3-5]: a stated intent binds; AMB-C2: outside the field, but take or drop?"""
    if facts.words:
        return _by_word(facts, _USBGF_ACTIONS)
    lean = _WHERE.get(facts.put or "")
    return ambiguous("AMB-C2", _USBGF_ACTIONS, "taken", "dropped", lean=lean)


def biba_answer(facts: AnswerFacts, rules: Rules) -> Answer:
    """5.4: draw and say; ambiguity tends to go against who was ambiguous."""
    if facts.words:
        return _by_word(facts, "5.4")
    return left_open(DISCRETION, "5.4", "taken", "dropped")


def fcbg_answer(facts: AnswerFacts, rules: Rules) -> Answer:
    """CUBE RULES/T: draw and say; acts may be interpreted as cube actions."""
    lean = _WORD[facts.words[0]] if facts.words else None
    if lean is None and facts.put == "own_side":
        lean = "taken"
    return left_open(DISCRETION, _FCBG_RULES, "taken", "dropped", lean=lean)


def common_answer(facts: AnswerFacts, rules: Rules) -> Answer:
    """Doubling cube: a taken cube lies on the taker's side; contradictory signs are nobody's."""
    signs = {_WORD[word] for word in facts.words}
    if facts.put == "own_side":
        signs.add("taken")
    if signs == {"taken"}:
        return _taken(facts, _COMMON)
    if signs == {"dropped"} and facts.put is None:
        return _dropped(facts, _COMMON)
    return left_open(SILENT, _COMMON, "taken", "dropped")


def _won(facts: DropFacts, section: str) -> Answer:
    after = facts.score.put(facts.winner, facts.score[facts.winner] + facts.points)
    outcome = "match_won" if facts.wins_match else "game_won"
    return settled(
        outcome,
        section,
        winner=facts.winner,
        points=facts.points,
        score_after={"one": after.one, "two": after.two},
    )


def drop_at(section: str) -> Policy:
    """The dropper loses the value before the double, whatever that does to the match."""

    def answer(facts: DropFacts, rules: Rules) -> Answer:
        return _won(facts, section)

    return answer


def biba_drop(facts: DropFacts, rules: Rules) -> Answer:
    """4.10: a match may not end on a dropped cube; the leader's double counts as accepted."""
    if not facts.wins_match:
        return _won(facts, "5.4")
    if facts.score[facts.winner] > facts.score[facts.winner.other]:
        # AMB-C1: "the cube at its current value" - that before the double, or after it?
        cube = ambiguous("AMB-C1", "4.10", "before_double", "after_double")
        answer = settled("match_continues", "4.10", double="counts_as_accepted")
        return msgspec.structs.replace(answer, also=MappingProxyType({"cube": cube}))
    double = ambiguous("AMB-C13", "4.10", "counts_as_accepted", "other")
    answer = _said("match_continues", "4.10")
    return msgspec.structs.replace(answer, also=MappingProxyType({"double": double}))


def not_allowed_at(section: str) -> Policy:
    """The text does not allow it."""

    def answer(facts: Any, rules: Rules) -> Answer:
        return _said(NOT_ALLOWED, section)

    return answer


def common_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers; for money they are what the players agreed on."""
    if facts.is_money and rules.is_on("beavers"):
        return _beavered(facts, _COMMON)
    return left_open(SILENT, _COMMON, ALLOWED, NOT_ALLOWED)


def usbgf_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """No text about beavers."""
    return left_open(SILENT, _USBGF_ACTIONS, ALLOWED, NOT_ALLOWED)


def fcbg_beaver(facts: BeaverFacts, rules: Rules) -> Answer:
    """BEAVERS: by agreement, and never in rated match play; accepted or refused like a double."""
    if rules.is_on("rated") or not rules.is_on("beavers"):
        return _said(NOT_ALLOWED, "BEAVERS")
    return _beavered(facts, "BEAVERS")


def _beavered(facts: BeaverFacts, section: str) -> Answer:
    if facts.reply == "refuse":
        return settled("game_won", section, winner=facts.seat, points=facts.value)
    if facts.reply == "accept":
        return settled(ALLOWED, section, cube_value=2 * facts.value, cube_owner=facts.seat)
    return _said(ALLOWED, section)


def usbgf_found(facts: FoundFacts, rules: Rules) -> Answer:
    """Void while the game lasts; afterwards there is no window: AMB-C5, AMB-C11."""
    is_crawford = facts.fault is CubeFault.CRAWFORD
    section = _USBGF_CRAWFORD if is_crawford else _USBGF_DEAD
    if not facts.is_over:
        return _said(VOID, section)
    if is_crawford:
        return ambiguous("AMB-C5", section, "score_corrected", "stands")
    return ambiguous("AMB-C11", section, VOID, "stands")


def usbgf_2017_09_found(facts: FoundFacts, rules: Rules) -> Answer:
    """As the draft, unverified; what follows after a Crawford game is not in hand."""
    answer = usbgf_found(facts, rules)
    if not answer.is_open:
        return msgspec.structs.replace(answer, verified=False)
    if facts.fault is CubeFault.CRAWFORD:
        if rules.options.get("gaps_from") is not None:
            return msgspec.structs.replace(answer, verified=False)
        return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest="usbgf-2017-07")
    return answer


def biba_found(facts: FoundFacts, rules: Rules) -> Answer:
    """5.5: not recognised; score corrected before the next match, standing after the next round."""
    if not facts.is_over:
        answer = _said(VOID, "5.5")
        if facts.answered is None:
            return answer
        resume = left_open(DISCRETION, "5.5", "start_of_game", "position_of_double")
        return msgspec.structs.replace(answer, also=MappingProxyType({"resume": resume}))
    assert facts.winner is not None
    has_everybody_begun = len(facts.begun) == len(Seat)
    if facts.is_round_begun and has_everybody_begun:
        played = _plus(facts, facts.turned_points)
        return settled("stands", "5.5", winner=facts.winner, score=_pair(played))
    if facts.is_round_begun or facts.begun:
        return ambiguous("AMB-C4", "5.5", "score_corrected", "stands")
    score = _plus(facts, facts.points)
    is_won = facts.length is not None and score[facts.winner] >= facts.length
    details: dict[str, Any] = {"score": _pair(score), "match": "won" if is_won else "continues"}
    if is_won:
        details["winner"] = facts.winner
    # AMB-C15: the text also lets the Director have the game, or the position, replayed.
    answer = settled("score_corrected", "5.5", **details)
    return msgspec.structs.replace(answer, flag="AMB-C15")


def fcbg_found(facts: FoundFacts, rules: Rules) -> Answer:
    """CRAWFORD/T says nothing about a cube that was turned all the same."""
    if facts.answered is None and not facts.is_over:
        return _said(NOT_ALLOWED, _FCBG_CRAWFORD)
    lean = "stands" if facts.begun else None
    return left_open(SILENT, _FCBG_CRAWFORD, "score_corrected", "stands", lean=lean)


def _plus(facts: FoundFacts, points: int) -> BySeat[int]:
    assert facts.winner is not None
    return facts.score.put(facts.winner, facts.score[facts.winner] + points)


def _pair(score: BySeat[int]) -> dict[str, int]:
    return {"one": score.one, "two": score.two}


def _phase(facts: PhaseFacts, section: str, *, lean: str | None = None) -> Answer:
    if facts.phase != facts.with_penalties:
        # AMB-C6: whether a penalty point brings a player exactly one point away.
        return ambiguous("AMB-C6", section, facts.phase, facts.with_penalties, lean=lean)
    return _said(facts.phase, section)


def usbgf_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """[4.4.6]: the first game after either player is exactly one point away."""
    return _phase(facts, _USBGF_CRAWFORD)


def biba_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """5.5: the one game when a player reaches match point."""
    return _in_one_point_match(_phase(facts, "5.5"), facts.length)


def fcbg_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """CRAWFORD/T: one game at match point; penalty points are awarded to the opponent."""
    answer = _phase(facts, _FCBG_CRAWFORD, lean=facts.with_penalties)
    return _in_one_point_match(answer, facts.length)


def fcbg_club_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """AMB-F3: the heading binds tournaments; a club may adopt it, and pins it then."""
    if rules.is_on("crawford"):
        return _said(facts.phase, _FCBG_CRAWFORD)
    return ambiguous("AMB-F3", _FCBG_CRAWFORD, "does_not_bind", "adopted")


def common_phase(facts: PhaseFacts, rules: Rules) -> Answer:
    """No such game, unless the players agreed on it."""
    if not rules.is_on("crawford"):
        return _said("no_crawford_rule", _COMMON)
    return _said(facts.phase, _COMMON)


def usbgf_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """No text about the cube at the start."""
    lean = None if facts.is_disputed else "correct"
    return left_open(SILENT, _USBGF_ACTIONS, "correct", "as_shown", lean=lean)


def biba_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """5.2: centred at the start; in a dispute its position and level strongly affect the ruling."""
    return _shown(facts, "5.2")


def fcbg_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """IRR/T(i): centred at the start; its position and level strongly influence the ruling."""
    return _shown(facts, "IRR/T(i)")


def _shown(facts: ShownFacts, section: str) -> Answer:
    if not facts.is_disputed:
        return _said("correct", section)
    lean = {"cube_value": facts.value, "cube_owner": facts.owner}
    return left_open(DISCRETION, section, "as_shown", "as_acted", lean=lean)


def common_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """Doubling cube: in the middle at the start; later the text says nothing."""
    if facts.is_start and not facts.is_disputed:
        return _said("correct", _COMMON)
    return left_open(SILENT, _COMMON, "as_shown", "as_acted")


def _gammon(facts: GammonFacts, section: str, *, is_single: bool = False) -> Answer:
    points = facts.value * (1 if is_single else facts.factor)
    return settled("game_won", section, winner=facts.winner, points=points)


def _gammon_lean(facts: GammonFacts) -> dict[str, Any]:
    points = facts.value * facts.factor
    return {"outcome": "game_won", "winner": facts.winner, "points": points}


def usbgf_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """No text about Jacoby; all that the text says about gammons counts them."""
    lean = _gammon_lean(facts)
    return left_open(SILENT, "[4.5]", "single", "counts", lean=lean)


def biba_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """5.3: gammons and backgammons count at all times."""
    return _gammon(facts, "5.3")


def fcbg_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """CUBE RULES/T: at all times; JACOBY: by agreement where the match is not rated (AMB-C14)."""
    if rules.is_on("rated"):
        return _gammon(facts, "JACOBY")
    return ambiguous("AMB-C14", "JACOBY", "single", "counts", lean=_gammon_lean(facts))


def fcbg_club_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """JACOBY: by agreement, and never in rated match play."""
    return _gammon(facts, "JACOBY", is_single=not rules.is_on("rated"))


def common_gammon(facts: GammonFacts, rules: Rules) -> Answer:
    """For money it is what the players agreed on; of a match no text speaks."""
    if facts.is_money:
        return _gammon(facts, "Bearing off", is_single=True)
    return left_open(SILENT, "Bearing off", "single", "counts")


COMMON: dict[str, Policy] = {
    "cube.time": common_time,
    "cube.worth": common_worth,
    "cube.crawford": common_crawford,
    "cube.drop": drop_at(_COMMON),
    "cube.answer": common_answer,
    "cube.beaver": common_beaver,
    "cube.shown": common_shown,
    "crawford.phase": common_phase,
    "score.gammon": common_gammon,
}
"""What the common rules say about the cube."""

USBGF_2017_07: dict[str, Policy] = {
    "cube.time": usbgf_time,
    "cube.worth": usbgf_worth,
    "cube.crawford": usbgf_crawford,
    "cube.premature": usbgf_premature,
    "cube.sign": usbgf_sign,
    "cube.broken": broken,
    "cube.drop": drop_at(_USBGF_DEAD),
    "cube.answer": usbgf_answer,
    "cube.beaver": usbgf_beaver,
    "cube.found": usbgf_found,
    "cube.shown": usbgf_shown,
    "crawford.phase": usbgf_phase,
    "score.gammon": usbgf_gammon,
}
"""What the draft of July 2017 says about the cube."""

USBGF_2017_09: dict[str, Policy] = {
    "cube.time": usbgf_2017_09_time,
    "cube.worth": as_ratified(usbgf_worth),
    "cube.crawford": as_ratified(usbgf_crawford),
    "cube.premature": as_ratified(usbgf_premature),
    "cube.sign": as_ratified(usbgf_sign),
    "cube.broken": as_ratified(broken),
    "cube.drop": drop_at(_USBGF_DEAD),
    "cube.answer": as_ratified(usbgf_answer),
    "cube.beaver": not_in_hand(usbgf_beaver),
    "cube.found": usbgf_2017_09_found,
    "cube.shown": not_in_hand(usbgf_shown),
    "crawford.phase": as_ratified(usbgf_phase),
    "score.gammon": not_in_hand(usbgf_gammon),
}
"""What the ratified text says about the cube, as far as it is in hand."""

BIBA_2014: dict[str, Policy] = {
    "cube.time": biba_time,
    "cube.worth": biba_worth,
    "cube.crawford": biba_crawford,
    "cube.premature": biba_premature,
    "cube.sign": biba_sign,
    "cube.broken": broken,
    "cube.drop": biba_drop,
    "cube.answer": biba_answer,
    "cube.beaver": not_allowed_at("5.3"),
    "cube.found": biba_found,
    "cube.shown": biba_shown,
    "crawford.phase": biba_phase,
    "score.gammon": biba_gammon,
}
"""What Biba's rules say about the cube."""

FCBG_TOURNAMENT: dict[str, Policy] = {
    "cube.time": fcbg_time,
    "cube.worth": fcbg_worth,
    "cube.crawford": fcbg_crawford,
    "cube.premature": fcbg_premature,
    "cube.sign": fcbg_sign,
    "cube.broken": broken,
    "cube.drop": drop_at(_FCBG),
    "cube.answer": fcbg_answer,
    "cube.beaver": fcbg_beaver,
    "cube.found": fcbg_found,
    "cube.shown": fcbg_shown,
    "crawford.phase": fcbg_phase,
    "score.gammon": fcbg_gammon,
}
"""What FCBG's rules say about the cube, tournaments included."""

FCBG_CLUB: dict[str, Policy] = {
    "cube.time": fcbg_club_time,
    "cube.worth": fcbg_worth,
    "cube.drop": drop_at(_FCBG),
    "cube.beaver": fcbg_beaver,
    "crawford.phase": fcbg_club_phase,
    "score.gammon": fcbg_club_gammon,
}
"""What FCBG's rules say about the cube under headings that bind a club."""
