"""The dice: every throw judged under the rule set, and each player's re-rolls counted."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Throws(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Throws, event: RecordedEvent, seen: Seen) -> tuple[Throws, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Throws:
    """Nothing judged."""
    return Throws()


FOLD: Fold[Throws] = Fold("throws", _HEARS, initial, evolve)
"""The fold of throws."""
