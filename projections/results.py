"""Results: who must report, what may be corrected until when, whose score sheet prevails."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Results(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Results, event: RecordedEvent, seen: Seen) -> tuple[Results, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Results:
    """Nothing judged."""
    return Results()


FOLD: Fold[Results] = Fold("results", _HEARS, initial, evolve)
"""The fold of results."""
