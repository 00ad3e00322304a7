"""Windows: what may still be corrected, by whom, until when, and what closed it."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class Windows(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(state: Windows, event: RecordedEvent, seen: Seen) -> tuple[Windows, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> Windows:
    """Nothing judged."""
    return Windows()


FOLD: Fold[Windows] = Fold("windows", _HEARS, initial, evolve)
"""The fold of windows."""
