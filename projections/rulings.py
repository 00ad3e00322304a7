"""Rulings: which open question was answered, by which entry, with which reading."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from events.envelope import RecordedEvent
from events.payloads import dispute
from events.payloads.base import Payload
from events.values import Seat
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.profile import Rules

Key = tuple[str, str, Seat | None]
"""A question: topic, the entry at which it arose, seat (design §8.11)."""


class Answered(msgspec.Struct, frozen=True, gc=False):
    """One question answered by the director."""

    reading: str
    """The reading chosen."""
    version: int
    """Version of the `ruling.made`."""


class Rulings(msgspec.Struct, frozen=True):
    """All questions that were answered so far; the latest ruling wins."""

    answers: Mapping[Key, Answered] = MappingProxyType({})
    """Question to answer."""


def evolve(state: Rulings, event: RecordedEvent, seen: Seen) -> tuple[Rulings, tuple[Finding, ...]]:
    """The questions answered after one event."""
    match event.payload:
        case dispute.RulingMade(answers=answers) if answers:
            known = dict(state.answers)
            for answer in answers:
                question = answer.question
                key = (question.topic, question.at, question.seat)
                known[key] = Answered(answer.reading, event.version)
            return Rulings(MappingProxyType(known)), NOTHING
        case _:
            return state, NOTHING


_HEARS: tuple[type[Payload], ...] = (dispute.RulingMade,)


def initial(rules: Rules) -> Rulings:
    """No question answered."""
    return Rulings()


FOLD: Fold[Rulings] = Fold("rulings", _HEARS, initial, evolve)
"""The rulings' fold."""
