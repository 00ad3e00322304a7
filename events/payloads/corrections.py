"""Corrections of recording mistakes: what happened was not what was recorded (design §3)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from events.payloads.base import Payload, Personal, Target
from events.values import Count

Tag = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z_]+\.[a-z_]+$(?!\n)",
        max_length=64,
        description="Type of an event: noun.verb_past.",
    ),
]


class EntryRetracted(Target, frozen=True, kw_only=True):
    """The target never happened; later entries stand and are folded again (design §8.5)."""

    reason: Personal = None
    """Why."""


class EntryAmended(Target, frozen=True, dict=True, gc=True, kw_only=True):
    """Something else happened instead of the target, as given here (design §8.5)."""

    tag: Tag
    """Event type of the replacement, such as `dice.rolled`."""
    schema: Count = 1
    """Version of the body's shape."""
    body: msgspec.Raw
    """Body of the replacement, in the shape of `tag` and `schema`."""
    reason: Personal = None
    """Why."""

    @property
    def replacement(self) -> Payload | None:
        """The decoded body; the catalogue sets it, so that folds need not import the catalogue."""
        found: Payload | None = self.__dict__.get("replacement")
        return found


class MomentMarked(Target, frozen=True, kw_only=True):
    """A moment is marked so that it can be found again; `target` is the marked entry."""

    note: Personal = None
    """Why it is marked."""
