"""Premature actions: early rolls and cube acts, ends of turns, repositioned dice."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Premature(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(
    state: Premature, event: RecordedEvent, seen: Seen
) -> tuple[Premature, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Premature:
    """Nothing judged."""
    return Premature()


FOLD: Fold[Premature] = Fold("premature", _HEARS, initial, evolve)
"""The fold of premature."""
