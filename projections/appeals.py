"""Appeals: admissible or not, ballots against the threshold of the rule set."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Appeals(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Appeals, event: RecordedEvent, seen: Seen) -> tuple[Appeals, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Appeals:
    """Nothing judged."""
    return Appeals()


FOLD: Fold[Appeals] = Fold("appeals", _HEARS, initial, evolve)
"""The fold of appeals."""
