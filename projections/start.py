"""The starting position: whether a wrong start is still to be corrected."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Start(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Start, event: RecordedEvent, seen: Seen) -> tuple[Start, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Start:
    """Nothing judged."""
    return Start()


FOLD: Fold[Start] = Fold("start", _HEARS, initial, evolve)
"""The fold of start."""
