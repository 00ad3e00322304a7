"""What all payloads share: closed and frozen, personal values as commitments, time as `at_ms`."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from events.envelope import Payload as Payload  # payloads have it from here, with the rest
from events.personal import Commitment
from events.values import MAX_SAFE_INTEGER, EntryId, Milliseconds, Seat, Text, Word

Personal = Commitment | None
"""A personal or identifying value: only its salted hash is in the body; None = not recorded.

Free text about the people at a table is personal too (evidence §2.3): a member in plain text could
be kept from a committee only by keeping the whole entry from it.
"""

# `$(?!\n)`: for Python's `re`, `$` alone also matches before a final newline.
StreamId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$(?!\n)",
        description="Id of a log or a stream.",
    ),
]
RuleSetId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$(?!\n)",
        max_length=64,
        description="Id of a rule set with its edition, such as `usbgf-2017-07`.",
    ),
]
Section = Annotated[
    str, msgspec.Meta(min_length=1, max_length=64, description="Section as that text numbers it.")
]
Key = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(?!(?:prev|version|stream|sd)$)[a-z][a-z0-9_]*$(?!\n)",
        max_length=64,
        description="Name of an option or of a part of its value.",
    ),
]
"""Never a name from the envelope, nor `sd`: verifiers look for those by name (evidence §2.2)."""
Integer = Annotated[int, msgspec.Meta(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]


class TableAct(Payload, frozen=True, kw_only=True):
    """A payload with an optional relative time, so that a pack can hide the hour (design §8.2)."""

    at_ms: Milliseconds | None = None
    """Milliseconds since the appointed start, or since `match.opened` if none; None = unknown."""


class SeatAct(TableAct, frozen=True, kw_only=True):
    """An act of one player."""

    seat: Seat
    """Who did it."""


class Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A part of a payload; it is not an event by itself."""


class RuleReference(Part, frozen=True, kw_only=True):
    """A section of a rule set."""

    rule_set: RuleSetId
    """Id of the rule set, with its edition."""
    section: Section
    """Section as that edition numbers it."""


class Actor(enum.StrEnum):
    """Who acted, called or noticed: a player, both, or another person."""

    ONE = "one"
    TWO = "two"
    BOTH = "both"
    DIRECTOR = "director"
    MONITOR = "monitor"
    SPECTATOR = "spectator"
    OFFICIAL = "official"
    COMMITTEE = "committee"

    @property
    def seat(self) -> Seat | None:
        """The seat, if the actor is one player; else None."""
        return Seat(self.value) if self in (Actor.ONE, Actor.TWO) else None


class WinKind(enum.StrEnum):
    """The level of a won or resigned game."""

    SINGLE = "single"
    GAMMON = "gammon"
    BACKGAMMON = "backgammon"

    @property
    def factor(self) -> int:
        """The factor that multiplies the cube's value: 1, 2 or 3."""
        return ("single", "gammon", "backgammon").index(self.value) + 1


OptionValue = Word | Integer | bool | tuple[Word, ...] | dict[Key, Word | Integer | bool] | None
"""Value of a rule option: a word, a number, on or off, a list of words, or several by name."""


class Option(Part, frozen=True, kw_only=True):
    """A rule option pinned for a match or a tournament, and where it was announced."""

    value: OptionValue = None
    """The chosen value."""
    declared_by: Actor | None = None
    """Who declared it: the director, or both players if they agreed on it."""
    posted: Text | None = None
    """Where and when it was posted, in words."""
    effective_from: Text | None = None
    """The round or game from which it applies."""


class Target(TableAct, frozen=True, kw_only=True):
    """A payload about an earlier entry."""

    target: EntryId
    """Entry id of the earlier entry (design §8.6)."""
