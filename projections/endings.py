"""Endings under the rule set: what a game counts, resignations, claims, concessions."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Endings(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Endings, event: RecordedEvent, seen: Seen) -> tuple[Endings, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Endings:
    """Nothing judged."""
    return Endings()


FOLD: Fold[Endings] = Fold("endings", _HEARS, initial, evolve)
"""The fold of endings."""
