"""Plays: made, revised, unseen, illegal, corrected; stated positions; corrected starts."""

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
    """How the scribe determined which play was made."""

    TAPPED = "tapped"
    """By taps alone: all plays that fit them end in the same position."""
    CHOSEN = "chosen"
    """By choice among the plays that fitted the taps, or in answer to a question."""
    PLAYED = "played"
    """By the key `played`, for the play that the screen showed, or with no checker tapped."""


class PlayMade(SeatAct, frozen=True, kw_only=True):
    """One turn's checker moves exactly as played, legal or not; no moves = nothing was played."""

    moves: tuple[CheckerMove, ...] = ()
    """Checker moves from the mover's side, in the order in which they were written."""
    hits_not_lifted: tuple[Point, ...] = ()
    """Points, from the mover's side, where a checker was hit but not lifted to the bar."""
    resulting_position: BySeat[Checkers] | None = None
    """The board after the play, if moves cannot express the play; then `moves` is empty."""
    written: Text | None = None
    """The play as the source wrote it, if the source was unclear."""
    taps: tuple[Word, ...] = ()
    """What the scribe tapped, in order: `1` to `24`, `bar`, `off`, `x2`, `played`, `free`."""
    fitted: Count | None = None
    """How many plays fitted the taps when it was recorded; None = nothing was tapped."""
    confirmed: Confirmed | None = None
    """How the scribe determined the play; None = he did not, such as when the play was forced."""


class PlayRevised(SeatAct, frozen=True, kw_only=True):
    """A player changes the play that he has just made."""

    target: EntryId
    """The play that is changed."""
    moves: tuple[CheckerMove, ...] = ()
    """The whole new play, from the position before the first one."""
    hits_not_lifted: tuple[Point, ...] = ()
    """As in `play.made`."""
    resulting_position: BySeat[Checkers] | None = None
    """As in `play.made`."""
    reason: Word | None = None
    """Why: early_roll, changed_mind or illegal."""


class UnseenSpan(enum.StrEnum):
    """How much was not seen."""

    PLAYS = "plays"
    GAMES = "games"


class PlayUnseen(TableAct, frozen=True, kw_only=True):
    """A gap: one or more plays were not seen; the board is unknown until it is stated."""

    seat: Seat | None = None
    """The player whose play was not seen; None = more than one play."""
    spans: UnseenSpan = UnseenSpan.PLAYS
    """Whether plays or whole games are missing."""
    count: Count | None = None
    """How many plays or games, if known."""
    written: Text | None = None
    """What the source has instead of the play, such as `????`, or the points that were tapped."""


class IllegalityClass(enum.StrEnum):
    """What kind of illegal play it is, as a person classified it."""

    DICE_OR_PIPS = "dice_or_pips"
    UNRELATED = "unrelated"
    HIT_NOT_LIFTED = "hit_not_lifted"


class PlayIllegalityNoticed(Target, frozen=True, kw_only=True):
    """A person notices that a play was illegal."""

    illegality_class: IllegalityClass | None = msgspec.field(default=None, name="class")
    """The kind of illegal play, as a person classified it."""
    noticed_by: Actor | None = None
    """Who noticed."""
    known_since: EntryId | None = None
    """The entry since which the offender is said to have known of it."""


class IllegalityAnswer(enum.StrEnum):
    """What was done about an illegal play."""

    CONDONED = "condoned"
    DEMANDED = "demanded"
    MANDATORY = "mandatory"
    AGREED_LATER = "agreed_later"


class PlayIllegalityAnswered(TableAct, frozen=True, kw_only=True):
    """The answer to a noticed illegal play."""

    answer: IllegalityAnswer
    """Whether the play stands or is to be corrected, and why."""
    target: EntryId | None = None
    """The `play.illegality_noticed` that is answered; None = the last one."""
    by: Actor | None = None
    """Who answered."""


class PlayCorrected(Target, frozen=True, kw_only=True):
    """An illegal play is corrected at the table; the record keeps the play as it was made."""

    moves: tuple[CheckerMove, ...] = ()
    """The play made instead, from the position before the target."""
    dice: Dice | None = None
    """The dice, set to their faces again; None = those of the target."""
    checkers: BySeat[Checkers] | None = None
    """The board afterwards, if the position was set instead of a play being made."""
    undoes: tuple[EntryId, ...] = ()
    """Later entries that the correction undoes."""
    by: Actor | None = None
    """Who ordered it or agreed to it."""


class StartFaultNoticed(TableAct, frozen=True, kw_only=True):
    """A person notices that checkers started on the wrong points."""

    seat: Seat
    """Whose checkers."""
    at: Point | None = None
    """Point with one checker too many, from that player's side."""
    missing: Point | None = None
    """Point where that checker is missing, from that player's side."""
    noticed_by: Actor | None = None
    """Who noticed."""


class StartCorrected(TableAct, frozen=True, kw_only=True):
    """Checkers that started on wrong points are moved to the right ones."""

    seat: Seat
    """Whose checkers."""
    moved: tuple[CheckerMove, ...]
    """The checker moves that put them right, from that player's side."""
    by: Actor | None = None
    """Who ordered it or agreed to it."""


class StatedCube(Part, frozen=True, kw_only=True):
    """A stated cube: its value and its owner."""

    value: CubeValue
    """The value that it shows."""
    owner: Seat | None = None
    """Who owns it; None = centred."""


class PositionStated(TableAct, frozen=True, kw_only=True):
    """The whole board is stated as it is."""

    checkers: BySeat[Checkers]
    """26 checker counts for each seat, from that player's own side."""
    on_roll: Seat | None = None
    """Whose turn it is; None = as before."""
    dice: Dice | None = None
    """Dice that are thrown and not yet played."""
    cube: StatedCube | None = None
    """The cube; None = as before."""
    reason: Text | None = None
    """Why it is stated."""


class HandlingNoted(SeatAct, frozen=True, kw_only=True):
    """A checker was handled in a way that the rules forbid."""

    kind: Word
    """What was done, such as two_hands, opponents_turn, not_offset."""
    detail: Personal = None
    """What was seen."""
