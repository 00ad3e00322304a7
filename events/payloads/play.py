"""Plays: as made, revised, unseen, found illegal, corrected; positions stated; starts put right."""

from __future__ import annotations

import enum

import msgspec

from events.payloads.base import Actor, Part, Personal, SeatAct, TableAct, Target
from events.values import (
    BySeat,
    CheckerMove,
    Checkers,
    Count,
    CubeValue,
    Dice,
    EntryId,
    Point,
    Seat,
    Text,
    Word,
)


class Confirmed(enum.StrEnum):
    """By what the scribe said which play it was."""

    TAPPED = "tapped"
    """All that fits the taps ends so."""
    CHOSEN = "chosen"
    """Chosen from all that fitted, or told in answer to a question."""
    PLAYED = "played"
    """`played` was said of what was drawn, or of nothing."""


class PlayMade(SeatAct, frozen=True, kw_only=True):
    """One turn's checker moves as played, of any shape; no moves = nothing was played."""

    moves: tuple[CheckerMove, ...] = ()
    """Checker moves from the mover's side, in the order in which they were written."""
    hits_not_lifted: tuple[Point, ...] = ()
    """Points, from the mover's side, where a checker was hit and left lying."""
    resulting_position: BySeat[Checkers] | None = None
    """The board after the play, where moves cannot say it; then `moves` is empty."""
    written: Text | None = None
    """The play as the source wrote it, where that was not plain."""
    taps: tuple[Word, ...] = ()
    """What the scribe tapped, in order: `1` to `24`, `bar`, `off`, `x2`, `played`, `free`."""
    fitted: Count | None = None
    """How many plays fitted the taps when it was recorded; None = nothing was tapped."""
    confirmed: Confirmed | None = None
    """By what it was told; None = it was not, as where nothing else can be played."""


class PlayRevised(SeatAct, frozen=True, kw_only=True):
    """The player changes the play just made."""

    target: EntryId
    """The play that is changed."""
    moves: tuple[CheckerMove, ...] = ()
    """The whole play as it is now, from the position before the first one."""
    hits_not_lifted: tuple[Point, ...] = ()
    """As in `play.made`."""
    resulting_position: BySeat[Checkers] | None = None
    """As in `play.made`."""
    reason: Word | None = None
    """Why: early_roll, changed_mind, illegal."""


class UnseenSpan(enum.StrEnum):
    """How much was not seen."""

    PLAYS = "plays"
    GAMES = "games"


class PlayUnseen(TableAct, frozen=True, kw_only=True):
    """A gap: something was played and not seen; the board is unknown until it is stated."""

    seat: Seat | None = None
    """Whose play; None = more than one."""
    spans: UnseenSpan = UnseenSpan.PLAYS
    """Plays, or whole games."""
    count: Count | None = None
    """How many, if known."""
    written: Text | None = None
    """What the source has in its place, such as `????`, or the points that a scribe tapped."""


class IllegalityClass(enum.StrEnum):
    """What kind of illegal play it is, as a person classified it."""

    DICE_OR_PIPS = "dice_or_pips"
    UNRELATED = "unrelated"
    HIT_NOT_LIFTED = "hit_not_lifted"


class PlayIllegalityNoticed(Target, frozen=True, kw_only=True):
    """Somebody notices that a play was illegal."""

    illegality_class: IllegalityClass | None = msgspec.field(default=None, name="class")
    """What kind, as a person classified it."""
    noticed_by: Actor | None = None
    """Who noticed."""
    known_since: EntryId | None = None
    """The entry since which the offender is said to have known."""


class IllegalityAnswer(enum.StrEnum):
    """What was done about an illegal play."""

    CONDONED = "condoned"
    DEMANDED = "demanded"
    MANDATORY = "mandatory"
    AGREED_LATER = "agreed_later"


class PlayIllegalityAnswered(TableAct, frozen=True, kw_only=True):
    """The answer to a noticed illegal play."""

    answer: IllegalityAnswer
    """Left standing, or to be corrected, and why."""
    target: EntryId | None = None
    """The notice answered; None = the last one."""
    by: Actor | None = None
    """Who answered."""


class PlayCorrected(Target, frozen=True, kw_only=True):
    """An illegal play is put right at the table; the past stays."""

    moves: tuple[CheckerMove, ...] = ()
    """The play made instead, from the position before the target."""
    dice: Dice | None = None
    """The dice shown again; None = those of the target."""
    checkers: BySeat[Checkers] | None = None
    """The board afterwards, where the position had to be set instead."""
    undoes: tuple[EntryId, ...] = ()
    """Later entries that are undone with it."""
    by: Actor | None = None
    """Who ordered or agreed."""


class StartFaultNoticed(TableAct, frozen=True, kw_only=True):
    """The checkers did not start where they belong."""

    seat: Seat
    """Whose checkers."""
    at: Point | None = None
    """Point where one stands too many, from that seat's side."""
    missing: Point | None = None
    """Point where it is missing, from that seat's side."""
    noticed_by: Actor | None = None
    """Who noticed."""


class StartCorrected(TableAct, frozen=True, kw_only=True):
    """Checkers that started wrongly are moved to where they belong."""

    seat: Seat
    """Whose checkers."""
    moved: tuple[CheckerMove, ...]
    """From where to where, from that seat's side."""
    by: Actor | None = None
    """Who ordered or agreed."""


class StatedCube(Part, frozen=True, kw_only=True):
    """The cube as somebody sets it."""

    value: CubeValue
    """What it shows."""
    owner: Seat | None = None
    """On whose side it lies; None = in the middle."""


class PositionStated(TableAct, frozen=True, kw_only=True):
    """The board as it stands, said as a whole."""

    checkers: BySeat[Checkers]
    """26 counts for each seat, from its own side."""
    on_roll: Seat | None = None
    """Whose turn it is; None = as before."""
    dice: Dice | None = None
    """Dice thrown and not yet played."""
    cube: StatedCube | None = None
    """The cube; None = as before."""
    reason: Text | None = None
    """Why it is stated."""


class HandlingNoted(SeatAct, frozen=True, kw_only=True):
    """A checker was handled in a way that the rules forbid."""

    kind: Word
    """Such as two_hands, opponents_turn, not_offset."""
    detail: Personal = None
    """What was seen."""
