"""Timing under the rule set: allotment, lost reserve, permitted stops, flags."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Timing(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Timing, event: RecordedEvent, seen: Seen) -> tuple[Timing, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Timing:
    """Nothing judged."""
    return Timing()


FOLD: Fold[Timing] = Fold("timing", _HEARS, initial, evolve)
"""The fold of timing."""
