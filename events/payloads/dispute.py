"""Disputes: calls for the director, disputes, evidence, testimony, rulings and their effects."""

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
        description="Noun and question, such as `dice.validity`; names no rule set.",
    ),
]


class Question(Part, frozen=True, kw_only=True):
    """A question that a ruling answers (design §8.11): its topic, entry and seat."""

    topic: Topic
    """Noun and question."""
    at: EntryId
    """The entry at which it arose."""
    seat: Seat | None = None
    """The player it concerns; None = both players."""


class Answer(Part, frozen=True, kw_only=True):
    """A question, and the reading of the rules or facts that was chosen."""

    question: Question
    """The question that is answered."""
    reading: Word
    """The chosen reading: one of those that the finding with this question offered."""


class QuestionLeft(TableAct, frozen=True, kw_only=True):
    """The director sets a question aside: no ruling is made, and the question stays open."""

    question: Question
    """The question that is set aside."""
    reason: Personal = None
    """Why."""


class DirectorCalled(TableAct, frozen=True, kw_only=True):
    """Somebody calls the director."""

    by: Actor | None = None
    """Who calls."""
    about: EntryId | None = None
    """The entry it is about."""


class Reading(Part, frozen=True, kw_only=True):
    """One person's version of what happened."""

    by: Actor
    """Whose version."""
    reading: Word | None = None
    """The version as one word, such as the value that the cube is said to have."""
    says: Personal = None
    """What happened, in that person's words."""


class DisputeRaised(TableAct, frozen=True, kw_only=True):
    """The players disagree; the record up to the entry `frozen_at` is frozen."""

    by: Actor
    """Who raises it."""
    frozen_at: EntryId | None = None
    """Last entry that both players accept; None = the entry before this one."""
    topic: Topic | None = None
    """What it is about."""
    readings: tuple[Reading, ...] = ()
    """Each side's version."""


class TableDisturbed(TableAct, frozen=True, kw_only=True):
    """Dice, checkers, cube, score or clock were touched before or during a dispute."""

    what: Word
    """What was touched: dice, checkers, cube, score or clock."""
    by: Actor
    """Who touched it."""
    detail: Personal = None
    """How."""


class EvidenceAttached(TableAct, frozen=True, kw_only=True):
    """A file is attached as evidence of what happened."""

    file: Sha256
    """SHA-256 of the file's bytes."""
    kind: Word
    """What it is: video, photo, sheet, audio or other."""
    size_bytes: Count | None = None
    """Size of the file, bytes."""
    source: Personal = None
    """Who made it."""
    about: EntryId | None = None
    """The entry that it shows."""
    from_ms: Milliseconds | None = None
    """Where the relevant span begins, milliseconds from the file's start."""
    lasts_ms: Duration | None = None
    """Length of the span, milliseconds."""


class TestimonyGiven(TableAct, frozen=True, kw_only=True):
    """A person says what he saw."""

    role: Actor
    """Who testifies."""
    says: Personal = None
    """What was said."""
    at_request_of: Actor | None = None
    """Who asked for the testimony."""
    about: EntryId | None = None
    """The entry it is about."""
    sealed: bool = False
    """Whether the testimony is kept from the players."""


class RulingMade(TableAct, frozen=True, kw_only=True):
    """The director makes a ruling."""

    answers: tuple[Answer, ...] = ()
    """The questions answered, each with the reading chosen."""
    dispute: EntryId | None = None
    """The `dispute.raised` or `director.called` that it settles."""
    references: tuple[RuleReference, ...] = ()
    """The rules that it is based on."""
    facts: Personal = None
    """Facts found, in words."""
    decision: Personal = None
    """The decision, in words."""
    intended_action: Personal = None
    """What is to be done at the table."""
    director_plays: bool | None = None
    """Whether the director plays in this match."""


class RulingCarriedOut(TableAct, frozen=True, kw_only=True):
    """What was set at the table after a ruling; it counts under every rule set (design §8.11)."""

    ruling: EntryId | None = None
    """The `ruling.made` or `appeal.decided` that is carried out."""
    checkers: BySeat[Checkers] | None = None
    """The board; None = unchanged."""
    on_roll: Seat | None = None
    """Whose turn it is; None = unchanged."""
    dice: Dice | None = None
    """Dice that are thrown and not yet played; None = unchanged."""
    score: BySeat[Points] | None = None
    """The score; None = unchanged."""
    crawford_played: bool | None = None
    """Whether the Crawford game is over; None = unchanged."""
    reserve_ms: BySeat[Milliseconds] | None = None
    """Clock reserve of each seat, milliseconds; None = unchanged."""
    cube: StatedCube | None = None
    """The cube; None = unchanged."""
    game_over: Seat | None = None
    """The player who is awarded the game in progress; the points for it are in `score`."""


class NoticeAcknowledged(Target, frozen=True, kw_only=True):
    """The table has acknowledged a decision of the director; `target` is the decision's entry."""

    by: Actor | None = None
    """Who acknowledged it; None = the scribe at the table."""
