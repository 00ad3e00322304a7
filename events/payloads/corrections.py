"""Corrections of the record: the scribe slipped, the past was different (design §3)."""

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
    """The target never happened; later entries stand and are folded anew (design §8.5)."""

    reason: Personal = None
    """Why."""


class EntryAmended(Target, frozen=True, dict=True, gc=True, kw_only=True):
    """This is what happened in the target's place (design §8.5)."""

    tag: Tag
    """Type of what happened."""
    schema: Count = 1
    """Version of the body's shape."""
    body: msgspec.Raw
    """Body of what happened, of the shape of `tag`."""
    reason: Personal = None
    """Why."""

    @property
    def replacement(self) -> Payload | None:
        """The decoded body; the catalogue fills it, so that folds need not know the catalogue."""
        found: Payload | None = self.__dict__.get("replacement")
        return found


class MomentMarked(Target, frozen=True, kw_only=True):
    """Somebody marks a moment to come back to; `target` is the entry marked."""

    note: Personal = None
    """What about it."""
