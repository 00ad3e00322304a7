"""Gestures and words about the cube: what binds, what answers a double, what it shows."""

from __future__ import annotations

from types import MappingProxyType

import msgspec

from events.values import Seat
from projections.rules.answers import DISCRETION, SILENT, Answer, left_open, settled
from projections.rules.profile import Rules, Subject
from projections.rules.subjects.cube_words import BOUND, FIRST_LEGAL, NOW, STANDS, UNDONE, said
from projections.rules.subjects.starting import CORRECT


class SignFacts(msgspec.Struct, frozen=True):
    """A gesture or a word that may mean a double, before one is offered."""

    seat: Seat
    """Whose."""
    sign: str
    """reach, touch, lift, put, words or none: what the hand did, or that it was only said."""
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
    has_rolled: bool = False
    """Whether it is that player's turn, and he has rolled."""
    is_crawford: bool = False
    """Whether the game is played without the cube."""
    is_dead: bool = False
    """Whether the game at its present value already gives that player the match."""
    is_lost_by_drop: bool = False
    """Whether the game at its present value gives the opponent the match."""


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
    is_at_once: bool = False
    """Whether the last of the words was said as the cube was put there."""


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


def bound_to(intent: str, at: str, section: str) -> Answer:
    """A sign binds its giver to an act, at that time."""
    return settled(BOUND, section, to=intent, at=at)


def next_opportunity(facts: SignFacts) -> str:
    """When a stated intent is due."""
    return NOW if facts.when == "now" and facts.is_in_turn else FIRST_LEGAL


def broken(facts: BrokenFacts, rules: Rules) -> Answer:
    """An intent that bound was not acted on: it binds still, and what was done is a question."""
    question = left_open(SILENT, facts.bound.section, STANDS, UNDONE)
    return msgspec.structs.replace(facts.bound, also=MappingProxyType({facts.name: question}))


def taken(facts: AnswerFacts, section: str) -> Answer:
    """The double is taken."""
    return settled("taken", section, cube_value=2 * facts.value, cube_owner=facts.seat)


def dropped(facts: AnswerFacts, section: str) -> Answer:
    """The double is dropped, at the value before it."""
    return settled("dropped", section, winner=facts.seat.other, points=facts.value)


def by_word(facts: AnswerFacts, section: str) -> Answer:
    """The first word is the answer: who has said one thing cannot say the other."""
    # Who has said one thing cannot say the other: the first word is the answer.
    return taken(facts, section) if facts.words[0] == "take" else dropped(facts, section)


WORD = {"take": "taken", "drop": "dropped"}


def shown_at_start(facts: ShownFacts, section: str) -> Answer:
    """The cube is put right; in a dispute what it shows weighs in the ruling."""
    if not facts.is_disputed:
        return said(CORRECT, section)
    lean = {"cube_value": facts.value, "cube_owner": facts.owner}
    return left_open(DISCRETION, section, "as_shown", "as_acted", lean=lean)


CUBE_SIGN = Subject[SignFacts]("cube.sign")
"""Whether a gesture or words bind to act on the cube."""
CUBE_BROKEN = Subject[BrokenFacts]("cube.broken")
"""What follows where somebody was bound, and acted otherwise."""
CUBE_ANSWER = Subject[AnswerFacts]("cube.answer")
"""How words or a gesture answer a double."""
CUBE_SHOWN = Subject[ShownFacts]("cube.shown")
"""What holds where the cube does not show what the acts make it."""
