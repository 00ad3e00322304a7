"""The doubling cube: gestures, stated intents, doubles, takes, drops, and a stated cube."""

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
    """When the player announced that he was only repositioning the cube."""

    BEFORE = "before"
    AFTER = "after"


class CubeGestured(SeatAct, frozen=True, kw_only=True):
    """A player reached for, touched, lifted or put down the cube; what it meant is not yet said."""

    kind: GestureKind
    """What the hand did."""
    put: CubePlace | None = None
    """Where it was put down."""
    repositioning_announced: Announced | None = None
    """Whether repositioning was announced before or after the gesture; None = not announced."""
    words: Text | None = None
    """What was said."""


class Intent(enum.StrEnum):
    """What a player intends to do with the cube."""

    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"


class IntentTime(enum.StrEnum):
    """When the player intends to do it."""

    NOW = "now"
    NEXT_TURN = "next_turn"
    IF_DOUBLED = "if_doubled"


class CubeIntentStated(SeatAct, frozen=True, kw_only=True):
    """A player states what he does, or will do, with the cube."""

    intent: Intent
    """Double, take or drop."""
    when: IntentTime = IntentTime.NOW
    """Now, next turn, or if doubled."""


class CubeMeans(enum.StrEnum):
    """How a cube act was made known."""

    WORDS = "words"
    PLACEMENT = "placement"
    BOTH = "both"


class CubeAct(SeatAct, frozen=True, kw_only=True):
    """A player's cube act, and how it was made known."""

    means: CubeMeans | None = None
    """By words, by placement of the cube, or both; None = not recorded."""
    put: CubePlace | None = None
    """Where the cube was put."""


class DoubleOffered(CubeAct, frozen=True, kw_only=True):
    """A player doubles; if the player owns the cube it is a redouble, which is derived."""


class DoubleTaken(CubeAct, frozen=True, kw_only=True):
    """The double is taken."""


class DoubleDropped(CubeAct, frozen=True, kw_only=True):
    """The double is dropped: the game is lost at the cube value before the double."""


class CubeBeavered(CubeAct, frozen=True, kw_only=True):
    """The double is taken, and the taker doubles at once but keeps the cube."""


class CubeActionVoided(Target, frozen=True, kw_only=True):
    """A cube act is declared void."""

    reason: Word | None = None
    """Why: crawford, dead_cube, after_roll, not_owner or other."""
    found_by: Actor | None = None
    """Who found it."""


class CubeStated(TableAct, frozen=True, kw_only=True):
    """The cube as it is; replaces the computed one if the basis is agreed, ruled or imported."""

    value: CubeValue
    """The value that it shows."""
    owner: Seat | None = None
    """Who owns it; None = centred."""
    reason: Text | None = None
    """Why it is stated."""
