"""Cube acts under the rule set: allowed, binding, void; Crawford found later; dead cubes."""

from __future__ import annotations

import msgspec

from events.envelope import RecordedEvent
from events.payloads.base import Payload
from projections.findings import Finding
from projections.fold import NOTHING, Fold, Seen
from projections.rules.answers import Answer
from projections.rules.profile import Rules


class CubeActs(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""


def evolve(
    state: CubeActs, event: RecordedEvent, seen: Seen
) -> tuple[CubeActs, tuple[Finding, ...]]:
    """The judgements after one event."""
    return state, NOTHING


_HEARS: tuple[type[Payload], ...] = ()


def initial(rules: Rules) -> CubeActs:
    """Nothing judged."""
    return CubeActs()


FOLD: Fold[CubeActs] = Fold("cube_acts", _HEARS, initial, evolve)
"""The fold of cube_acts."""
