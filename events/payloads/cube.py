"""The doubling cube: gestures, stated intents, doubles, takes, drops, and the cube as it lies."""

from __future__ import annotations

import enum

from events.payloads.base import Actor, SeatAct, TableAct, Target
from events.values import CubeValue, Seat, Text, Word


class GestureKind(enum.StrEnum):
    """What a hand did with the cube."""

    REACH = "reach"
    TOUCH = "touch"
    LIFT = "lift"
    PUT = "put"
    WORDS = "words"
    NONE = "none"


class CubePlace(enum.StrEnum):
    """Where a cube was put down."""

    OWN_SIDE = "own_side"
    MIDDLE_OF_BAR = "middle_of_bar"
    OPPONENTS_SIDE = "opponents_side"
    FIELD = "field"


class Announced(enum.StrEnum):
    """When repositioning was announced."""

    BEFORE = "before"
    AFTER = "after"


class CubeGestured(SeatAct, frozen=True, kw_only=True):
    """A hand reached for, touched, lifted or put the cube, before anyone says what it meant."""

    kind: GestureKind
    """What the hand did."""
    put: CubePlace | None = None
    """Where it was put down."""
    repositioning_announced: Announced | None = None
    """Whether repositioning was announced before or after; None = never."""
    words: Text | None = None
    """What was said."""


class Intent(enum.StrEnum):
    """What a player said about the cube."""

    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"


class IntentTime(enum.StrEnum):
    """For when a player said it."""

    NOW = "now"
    NEXT_TURN = "next_turn"
    IF_DOUBLED = "if_doubled"


class CubeIntentStated(SeatAct, frozen=True, kw_only=True):
    """A player says what he does, or will do, with the cube."""

    intent: Intent
    """Double, take or drop."""
    when: IntentTime = IntentTime.NOW
    """Now, next turn, or if doubled."""


class CubeMeans(enum.StrEnum):
    """How a cube act was made."""

    WORDS = "words"
    PLACEMENT = "placement"
    BOTH = "both"


class CubeAct(SeatAct, frozen=True, kw_only=True):
    """What a player does with the cube, and how that was made known."""

    means: CubeMeans | None = None
    """By words, by placement of the cube, or both; None = not recorded."""
    put: CubePlace | None = None
    """Where the cube was put."""


class DoubleOffered(CubeAct, frozen=True, kw_only=True):
    """A double; a redouble by ownership, which is derived."""


class DoubleTaken(CubeAct, frozen=True, kw_only=True):
    """The double is taken."""


class DoubleDropped(CubeAct, frozen=True, kw_only=True):
    """The double is dropped: the game is lost at the value before it."""


class CubeBeavered(CubeAct, frozen=True, kw_only=True):
    """The double is taken, turned once more and kept."""


class CubeActionVoided(Target, frozen=True, kw_only=True):
    """A cube act is declared void."""

    reason: Word | None = None
    """crawford, dead_cube, after_roll, not_owner or other."""
    found_by: Actor | None = None
    """Who found it."""


class CubeStated(TableAct, frozen=True, kw_only=True):
    """The cube as it lies; replaces the computed one if agreed, ruled or imported."""

    value: CubeValue
    """What it shows."""
    owner: Seat | None = None
    """On whose side it lies; None = in the middle."""
    reason: Text | None = None
    """Why it is stated."""
