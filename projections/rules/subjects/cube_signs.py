"""Gestures and words about the cube: what binds, what answers a double, what it shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import msgspec

from events.values import Seat
from projections.rules.answers import DISCRETION, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import Rules
from projections.rules.subjects.cube_words import (
    BINDS,
    BOUND,
    COMMON_CUBE,
    FCBG_CRAWFORD,
    FCBG_CUBE_RULES,
    FIRST_LEGAL,
    NOT_BOUND,
    NOW,
    STANDS,
    UNDONE,
    USBGF_ACTIONS,
    USBGF_CRAWFORD,
    USBGF_DEAD,
    VOID,
    lean_to,
    said,
)


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


def _bound_to(intent: str, at: str, section: str) -> Answer:
    return settled(BOUND, section, to=intent, at=at)


def _next_opportunity(facts: SignFacts) -> str:
    return NOW if facts.when == "now" and facts.is_in_turn else FIRST_LEGAL


def usbgf_sign(facts: SignFacts, rules: Rules) -> Answer:
    """[4.4.3-5]: touching binds, reaching does not; a stated intent binds when it is legal."""
    if facts.is_crawford:
        return said(NOT_BOUND, USBGF_CRAWFORD)
    if facts.is_dead and facts.intent == "double":
        # Only a valid cube action binds, and this one would be void.
        return said(NOT_BOUND, USBGF_DEAD)
    if facts.sign == "words":
        return _bound_to(facts.intent, _next_opportunity(facts), USBGF_ACTIONS)
    if facts.sign in ("reach", "none") or facts.is_announced:
        return said(NOT_BOUND, USBGF_ACTIONS)
    if not facts.is_in_turn:
        readings = (NOW, FIRST_LEGAL, VOID)
        return ambiguous("AMB-C9", USBGF_ACTIONS, *readings, lean=lean_to("double", FIRST_LEGAL))
    return _bound_to("double", NOW, USBGF_ACTIONS)


def biba_sign(facts: SignFacts, rules: Rules) -> Answer:
    """5.4: clearly reaching, picking up, or any indication binds; words do."""
    if facts.is_crawford:
        return said(NOT_BOUND, "5.5")
    if facts.is_announced or facts.sign == "none":
        return said(NOT_BOUND, "5.4")
    is_future = facts.sign == "words" and facts.when != "now"
    if not facts.is_in_turn and not is_future:
        return ambiguous("AMB-C8", "5.4", "choice", BINDS)
    if facts.sign == "words":
        return _bound_to(facts.intent, _next_opportunity(facts), "5.4")
    if facts.sign == "reach" and not facts.is_clear:
        return ambiguous("AMB-C3", "5.4", BOUND, NOT_BOUND, lean=lean_to("double", NOW))
    answer = _bound_to("double", NOW, "5.4")
    if facts.sign == "reach":
        return msgspec.structs.replace(answer, flag="AMB-C3")
    return answer


def fcbg_sign(facts: SignFacts, rules: Rules) -> Answer:
    """CUBE RULES/T: verbal or physical acts may be interpreted as cube actions."""
    if facts.is_crawford:
        return said(NOT_BOUND, FCBG_CRAWFORD)
    lean: Any = None
    if facts.is_announced:
        lean = NOT_BOUND
    elif facts.sign == "words" and facts.when == "now" and facts.intent == "double":
        lean = lean_to("double", NOW) if facts.is_in_turn else "double_stands"
    return left_open(DISCRETION, FCBG_CUBE_RULES, BOUND, NOT_BOUND, lean=lean)


def broken(facts: BrokenFacts, rules: Rules) -> Answer:
    """An intent that bound was not acted on: it binds still, and what was done is a question."""
    question = left_open(SILENT, facts.bound.section, STANDS, UNDONE)
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
        return _by_word(facts, USBGF_ACTIONS)
    lean = _WHERE.get(facts.put or "")
    return ambiguous("AMB-C2", USBGF_ACTIONS, "taken", "dropped", lean=lean)


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
    return left_open(DISCRETION, FCBG_CUBE_RULES, "taken", "dropped", lean=lean)


def common_answer(facts: AnswerFacts, rules: Rules) -> Answer:
    """Doubling cube: a taken cube lies on the taker's side; contradictory signs are nobody's."""
    signs = {_WORD[word] for word in facts.words}
    if facts.put == "own_side":
        signs.add("taken")
    if signs == {"taken"}:
        return _taken(facts, COMMON_CUBE)
    if signs == {"dropped"} and facts.put is None:
        return _dropped(facts, COMMON_CUBE)
    return left_open(SILENT, COMMON_CUBE, "taken", "dropped")


def usbgf_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """No text about the cube at the start."""
    lean = None if facts.is_disputed else "correct"
    return left_open(SILENT, USBGF_ACTIONS, "correct", "as_shown", lean=lean)


def biba_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """5.2: centred at the start; in a dispute its position and level strongly affect the ruling."""
    return _shown(facts, "5.2")


def fcbg_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """IRR/T(i): centred at the start; its position and level strongly influence the ruling."""
    return _shown(facts, "IRR/T(i)")


def _shown(facts: ShownFacts, section: str) -> Answer:
    if not facts.is_disputed:
        return said("correct", section)
    lean = {"cube_value": facts.value, "cube_owner": facts.owner}
    return left_open(DISCRETION, section, "as_shown", "as_acted", lean=lean)


def common_shown(facts: ShownFacts, rules: Rules) -> Answer:
    """Doubling cube: in the middle at the start; later the text says nothing."""
    if facts.is_start and not facts.is_disputed:
        return said("correct", COMMON_CUBE)
    return left_open(SILENT, COMMON_CUBE, "as_shown", "as_acted")
