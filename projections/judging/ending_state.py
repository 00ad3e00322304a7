"""Endings as they are judged: the latest answers, and a resignation that waits for its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from events.values import Seat
from projections.folding.concessions import Offer
from projections.folding.findings import Finding, Key
from projections.folding.sayings import Said
from projections.rules.answers import Answer

Result = tuple["Endings", tuple[Finding, ...]]


class Unasked(msgspec.Struct, frozen=True, gc=False):
    """A resignation on which the text has no word, and which nobody has doubted yet."""

    answer: Answer
    """The question."""
    message: Said
    """What happened."""
    seat: Seat
    """Who resigned."""
    entries: tuple[str, str]
    """The entries that offered the resignation and answered it."""


class Endings(msgspec.Struct, frozen=True):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer on how a game ends; None while nothing was asked."""
    match: Answer | None = None
    """Whether the last game ended the match; None in money sessions and before the first."""
    offer: Offer | None = None
    """The resignation that waits for its answer."""
    asked: Mapping[Key, Answer] = MappingProxyType({})
    """Every question asked so far with its answer, ruled or not."""
    unasked: Unasked | None = None
    """What would be asked about the last resignation if somebody raised it."""
    is_flagged: bool = False
    """Whether a run-out clock was noticed in this game: claims are then about the clock."""
