"""Penalties: lateness and excess breaks accrued, assessed, waived; forfeits; breaks."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Penalties(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(
    state: Penalties, event: RecordedEvent, seen: Seen
) -> tuple[Penalties, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Penalties:
    """Nothing judged."""
    return Penalties()


FOLD: Fold[Penalties] = Fold("penalties", _HEARS, initial, evolve)
"""The fold of penalties."""
