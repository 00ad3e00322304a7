"""Questions: how a fold asks what the rules leave to a person, and takes in what was ruled on it.

A question is found once, at one entry, and its key is topic, entry and seat (design §8.11). A fold
keeps what it has asked as `Asked`, or its answer by key, and goes on from the reading that a ruling
chose. The rulings' fold runs first: every other one knows a ruling at its own event and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.payloads import dispute
from events.values import Seat
from projections.folding.findings import Finding, Key
from projections.folding.fold import Seen
from projections.rules.answers import RULING_REQUIRED, Answer


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A question that a fold has asked, and what the rule set or a ruling says to it."""

    topic: str
    """What it is about: noun and question."""
    entry_id: str
    """The entry at which it arose."""
    answer: Answer
    """What the rule set said to it, or what was ruled."""
    seat: Seat | None = None
    """Whose question; None = both players'."""
    matter: Hashable = None
    """The facts on which it hangs, where the same question about others is another one."""

    @property
    def key(self) -> Key:
        """Topic, entry and seat."""
        return self.topic, self.entry_id, self.seat

    def is_alike(self, answer: Answer) -> bool:
        """Whether an answer asks the same: for the same reason, with the same readings."""
        return why(self.answer) == why(answer)

    def ruled(self, seen: Seen) -> Asked:
        """The question with the reading that was chosen; itself where nobody ruled anew."""
        answer = ruled(self.answer, seen, *self.key)
        return self if answer is self.answer else replace(self, answer=answer)


def why(answer: Answer) -> tuple[str, ...]:
    """What tells one question of a topic from another: why it is one, and its readings."""
    return (answer.ambiguity or answer.reason or "", *answer.readings)


def alike(
    asked: Iterable[Asked], topic: str, answer: Answer, matter: Hashable = None
) -> list[Asked]:
    """Those of the questions that ask what an answer asks, ruled or not."""
    about = (topic, matter)
    return [one for one in asked if (one.topic, one.matter) == about and one.is_alike(answer)]


def taken_in(asked: tuple[Asked, ...], seen: Seen) -> tuple[Asked, ...]:
    """The questions with what was ruled on them."""
    return tuple(one.ruled(seen) for one in asked)


def as_ruled(answer: Answer, asked: Iterable[Asked], seen: Seen) -> Answer:
    """The answer with the Director's reading, wherever its question was asked."""
    for one in asked:
        answer = ruled(answer, seen, *one.key)
    return answer


def ruled(answer: Answer, seen: Seen, topic: str, entry_id: str, seat: Seat | None) -> Answer:
    """The answer with the reading that a Director's ruling chose; itself while nobody has ruled."""
    if not answer.is_open and answer.ruled_at is None:
        return answer
    made = seen.rulings.answers.get((topic, entry_id, seat))
    if made is None or made.version == answer.ruled_at:
        return answer
    return answer.ruled(made.reading, made.version)


def ruled_beside(answer: Answer, seen: Seen, noun: str, entry_id: str, seat: Seat | None) -> Answer:
    """The answer with rulings applied to the questions beside it, whose topics are `noun.name`."""
    also = {
        name: ruled(other, seen, f"{noun}.{name}", entry_id, seat)
        for name, other in answer.also.items()
    }
    if all(also[name] is other for name, other in answer.also.items()):
        return answer
    return replace(answer, also=MappingProxyType(also))


def put(kept: Answer | None, asked: Answer, now: Answer) -> Answer | None:
    """A kept answer, with the ruled one in the place of the question, or of one beside it."""
    if kept is asked:
        return now
    if kept is None or not any(beside is asked for beside in kept.also.values()):
        return kept
    also = {name: now if beside is asked else beside for name, beside in kept.also.items()}
    return replace(kept, also=MappingProxyType(also))


def with_asked(
    kept: Mapping[Key, Answer],
    findings: Iterable[Finding],
    answer_on: Callable[[str], Answer | None],
) -> Mapping[Key, Answer]:
    """The answers that are kept by key, with those about which findings have just asked."""
    asked = {
        finding.key: answer
        for finding in findings
        if finding.key is not None and (answer := answer_on(finding.key[0])) is not None
    }
    return MappingProxyType({**kept, **asked}) if asked else kept


def is_same_question(asked: Answer, now: Answer) -> bool:
    """Whether an open answer asks what was asked, or ruled, before."""
    return now.is_open and now == as_asked(asked)


def as_asked(answer: Answer) -> Answer:
    """The answer as the rule set gave it, before any ruling on it or on the questions beside it."""
    also = {name: as_asked(other) for name, other in answer.also.items()}
    if answer.ruled_at is not None:
        answer = replace(answer, outcome=RULING_REQUIRED, ruled_at=None)
    return replace(answer, also=MappingProxyType(also)) if also else answer


def key_of(question: dispute.Question) -> Key:
    """The key of a question as a ruling names it."""
    return question.topic, question.at, question.seat
