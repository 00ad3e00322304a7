"""Disputes: the director's call, the frozen moment, evidence, testimony, the ruling, its effect."""

from __future__ import annotations

from typing import Annotated

import msgspec

from events.payloads.base import Actor, Part, Personal, RuleReference, TableAct, Target
from events.payloads.play import StatedCube
from events.values import (
    BySeat,
    Checkers,
    Count,
    Dice,
    Duration,
    EntryId,
    Milliseconds,
    Points,
    Seat,
    Sha256,
    Word,
)

Topic = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$(?!\n)",
        max_length=64,
        description="Noun and question, such as `dice.validity`; never a rule set.",
    ),
]


class Question(Part, frozen=True, kw_only=True):
    """What a ruling answers (design §8.11): topic, where it arose, whose it is."""

    topic: Topic
    """Noun and question."""
    at: EntryId
    """The entry at which it arose."""
    seat: Seat | None = None
    """Whose question; None = both players'."""


class Answer(Part, frozen=True, kw_only=True):
    """A question and the reading that was chosen."""

    question: Question
    """What was asked."""
    reading: Word
    """The reading chosen, in the words of the finding that asked."""


class QuestionLeft(TableAct, frozen=True, kw_only=True):
    """The director leaves a question to rest: no ruling is made, and the question stays open."""

    question: Question
    """What is left."""
    reason: Personal = None
    """Why."""


class DirectorCalled(TableAct, frozen=True, kw_only=True):
    """Somebody calls the director."""

    by: Actor | None = None
    """Who calls."""
    about: EntryId | None = None
    """The entry it is about."""


class Reading(Part, frozen=True, kw_only=True):
    """What one side says happened."""

    by: Actor
    """Whose reading."""
    reading: Word | None = None
    """The reading in a word, such as the value that the cube is said to have."""
    says: Personal = None
    """What happened, in that side's words."""


class DisputeRaised(TableAct, frozen=True, kw_only=True):
    """The players disagree; the record is frozen at an entry."""

    by: Actor
    """Who raises it."""
    frozen_at: EntryId | None = None
    """Last entry that both accept; None = the one before this."""
    topic: Topic | None = None
    """What it is about."""
    readings: tuple[Reading, ...] = ()
    """What each side says."""


class TableDisturbed(TableAct, frozen=True, kw_only=True):
    """Dice, checkers, cube or score were touched before or during a dispute."""

    what: Word
    """dice, checkers, cube, score, clock."""
    by: Actor
    """Who touched it."""
    detail: Personal = None
    """How."""


class EvidenceAttached(TableAct, frozen=True, kw_only=True):
    """A file that shows what happened."""

    file: Sha256
    """Hash of the file's bytes."""
    kind: Word
    """video, photo, sheet, audio, other."""
    size_bytes: Count | None = None
    """Size of the file."""
    source: Personal = None
    """Who made it."""
    about: EntryId | None = None
    """The entry that it shows."""
    from_ms: Milliseconds | None = None
    """Where in the file the span begins."""
    lasts_ms: Duration | None = None
    """How long the span is."""


class TestimonyGiven(TableAct, frozen=True, kw_only=True):
    """Somebody says what was seen."""

    role: Actor
    """Who speaks."""
    says: Personal = None
    """What was said."""
    at_request_of: Actor | None = None
    """At whose request."""
    about: EntryId | None = None
    """The entry it is about."""
    sealed: bool = False
    """Whether it is kept from the players."""


class RulingMade(TableAct, frozen=True, kw_only=True):
    """The director decides."""

    answers: tuple[Answer, ...] = ()
    """The questions answered, each with the reading chosen."""
    dispute: EntryId | None = None
    """The `dispute.raised` or `director.called` that it settles."""
    references: tuple[RuleReference, ...] = ()
    """The rules it rests on."""
    facts: Personal = None
    """Facts found, in words."""
    decision: Personal = None
    """The decision, in words."""
    intended_action: Personal = None
    """What is to be done at the table."""
    director_plays: bool | None = None
    """Whether the director plays in this match."""


class RulingCarriedOut(TableAct, frozen=True, kw_only=True):
    """What a ruling sets; it happened, so it counts under every rule set (design §8.11)."""

    ruling: EntryId | None = None
    """The `ruling.made` or `appeal.decided` that is carried out."""
    checkers: BySeat[Checkers] | None = None
    """The board; None = unchanged."""
    on_roll: Seat | None = None
    """Whose turn it is; None = unchanged."""
    dice: Dice | None = None
    """Dice thrown and not yet played."""
    score: BySeat[Points] | None = None
    """The score; None = unchanged."""
    crawford_played: bool | None = None
    """Whether the Crawford game is over; None = unchanged."""
    reserve_ms: BySeat[Milliseconds] | None = None
    """Clock reserve of each seat; None = unchanged."""
    cube: StatedCube | None = None
    """The cube; None = unchanged."""
    game_over: Seat | None = None
    """The seat that is given the game in progress; its points are in `score`."""


class NoticeAcknowledged(Target, frozen=True, kw_only=True):
    """The table has taken note of what the director decided; `target` is the entry that says it."""

    by: Actor | None = None
    """Who took note; None = whoever records at the table."""
