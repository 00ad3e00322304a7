"""The match played to a wrong length: what the rule set makes of it."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class MatchLength(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(
    state: MatchLength, event: RecordedEvent, seen: Seen
) -> tuple[MatchLength, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> MatchLength:
    """Nothing judged."""
    return MatchLength()


FOLD: Fold[MatchLength] = Fold("match_length", _HEARS, initial, evolve)
"""The fold of match_length."""
