"""Matches: their opening, lengths believed, games, scores noted and stated, results."""

from __future__ import annotations

import enum

from events.payloads.base import (
    Actor,
    Key,
    Option,
    Part,
    Payload,
    Personal,
    RuleSetId,
    StreamId,
    TableAct,
    WinKind,
)
from events.payloads.clock import ClockKind
from events.values import BySeat, Count, Duration, MatchLength, Points, Seat, Sha256, Text, Word


class Player(Part, frozen=True, kw_only=True):
    """A player in a seat, as commitments; a side has two players in consultation doubles."""

    id: Word | None = None
    """Opaque id of `player.registered`."""
    name: Personal = None
    """The player's name."""
    federation_id: Personal = None
    """Number in a federation's list."""
    club: Personal = None
    """The player's club."""
    country: Personal = None
    """The player's country."""
    rating: Personal = None
    """Rating, as the source wrote it."""


class ClockTerms(Part, frozen=True, kw_only=True):
    """How the clock is to be set."""

    kind: ClockKind
    """How the free time works."""
    reserve_ms: Duration
    """Reserve of each player, milliseconds."""
    delay_ms: Duration = 0
    """Free time of each turn, milliseconds."""


class Publication(Part, frozen=True, kw_only=True):
    """The terms on which a match may be shown to the public."""

    public: bool = False
    """Whether anybody may read it."""
    delay_ms: Duration = 0
    """How far live followers lag behind the table, milliseconds."""


class Source(Part, frozen=True, kw_only=True):
    """The file that a match was imported from."""

    sha256: Sha256
    """SHA-256 of the file's bytes."""
    dialect: Word
    """Dialect as the reader recognised it, such as `galaxy-mat`."""
    ordinal: Count = 1
    """Number of the match within the file, from 1."""
    line: Count | None = None
    """Line of the file on which the match begins, from 1."""
    encoding: Word | None = None
    """Text encoding with which the bytes were decoded."""
    name: Personal = None
    """Name of the file; personal, because it often names the players."""
    headers: Personal = None
    """Header lines of the file, verbatim."""


class StartBasis(enum.StrEnum):
    """How the appointed start was set."""

    POSTED = "posted"
    AFTER_BOTH = "after_both"
    CALLED = "called"


class MatchOpened(Payload, frozen=True, kw_only=True):
    """A match is opened; this is the first entry of its stream."""

    players: BySeat[tuple[Player, ...]]
    """The players in each seat; in an import, seat one is the left column of the score line."""
    length: MatchLength | None = None
    """Points needed to win, as posted; None = a money session."""
    draw_sheet_length: MatchLength | None = None
    """Length on the draw sheet, where it differs from the posted one."""
    event: Personal = None
    """Tournament or series, as written."""
    round: Personal = None
    """Round, as written."""
    table: Personal = None
    """Table, as written."""
    division: Personal = None
    """Division, as written."""
    place: Personal = None
    """Where it is played."""
    date: Personal = None
    """Day of the match, as written or ISO 8601."""
    appointed_start: Personal = None
    """Appointed start, ISO 8601 UTC; `at_ms` counts from it."""
    start_basis: StartBasis | None = None
    """How the appointed start was set."""
    rule_set: RuleSetId | None = None
    """Rule set in force; None = recorded under no rule set, and folds use `common`."""
    options: dict[Key, Option] = {}
    """Rule options that are pinned for the match, by key."""
    clock_terms: ClockTerms | None = None
    """How the clock is to be set."""
    score_at_start: BySeat[Points] = BySeat(0, 0)
    """Score when the record begins; not 0-0 if a file starts in mid-match."""
    crawford_played: bool = False
    """Whether the Crawford game was played before the record begins."""
    shadow_of: StreamId | None = None
    """Stream of the match that this stream records a second time, by another recorder."""
    publication: Publication | None = None
    """The terms on which the match may be shown."""
    source: Source | None = None
    """The file it was imported from."""
    transcriber: Personal = None
    """Who transcribed it."""


class MatchLengthBelieved(TableAct, frozen=True, kw_only=True):
    """A player believed that the match had this length."""

    seat: Seat
    """The player who believed it."""
    length: MatchLength
    """The length that the player believed in."""
    sheet: Text | None = None
    """What that player's own score sheet says about the length."""


class MatchLengthErrorFound(TableAct, frozen=True, kw_only=True):
    """It is found that the match was played to a length other than the posted one."""

    wrong: MatchLength
    """The length that was played to."""
    correct: MatchLength
    """The posted length."""
    during_game: bool
    """Whether a game was in progress."""
    knowingly: bool | None = None
    """Whether both had agreed on the wrong length; None = not asked."""
    found_by: Actor | None = None
    """Who found it."""


class DecidingGameOrdered(TableAct, frozen=True, kw_only=True):
    """The director orders one more game, which decides the match."""

    by: Actor = Actor.DIRECTOR
    """Who ordered it."""
    reason: Personal = None
    """Why."""


class MatchEnded(TableAct, frozen=True, kw_only=True):
    """The claim that the match is over; a fold compares it with the computed score."""

    winner: Seat | None = None
    """Who is said to have won."""
    score: BySeat[Points] | None = None
    """The final score as claimed."""


class MatchCancelled(TableAct, frozen=True, kw_only=True):
    """The match was opened by mistake or will not be played; retracting this entry restores it."""

    by: Actor = Actor.DIRECTOR
    """Who cancelled it."""
    reason: Personal = None
    """Why."""


class GameStarted(TableAct, frozen=True, kw_only=True):
    """A game starts: the checkers are set up."""

    number: Count | None = None
    """Number of the game as written, from 1: a claim."""


class GameWon(TableAct, frozen=True, kw_only=True):
    """The claim that a game was won; a fold compares it with the board and the cube."""

    winner: Seat
    """Who is said to have won."""
    points: Points
    """Points claimed, as written: some sources cap them."""
    kind: WinKind | None = None
    """Level claimed."""
    how: Text | None = None
    """What the source says about how the game ended."""


class Sheet(enum.StrEnum):
    """The kind of record that a score was kept in."""

    WRITTEN = "written"
    DISPLAY = "display"
    MEMORY = "memory"
    RECORDING = "recording"
    NONE = "none"


class ScoreNoted(TableAct, frozen=True, kw_only=True):
    """The score as a keeper noted it: a claim that a fold compares with the computed score."""

    score: BySeat[Points] | None = None
    """The score noted; None = the keeper kept no score."""
    keeper: Seat | None = None
    """The player whose record it is; None = neither's, such as a file's score line."""
    sheet: Sheet = Sheet.WRITTEN
    """Kind of record."""
    kept_as_prescribed: bool | None = None
    """Whether it was kept as the rules prescribe."""


class ScoreStated(TableAct, frozen=True, kw_only=True):
    """The score from now on, agreed, ruled or imported; it replaces the computed score."""

    score: BySeat[Points]
    """The score."""
    crawford_played: bool = False
    """Whether the Crawford game has been played."""
    reason: Text | None = None
    """Why it had to be stated."""


class ResultReported(TableAct, frozen=True, kw_only=True):
    """A player reports the result."""

    seat: Seat
    """Who reports."""
    winner: Seat | None = None
    """The winner reported."""
    score: BySeat[Points] | None = None
    """The score reported."""


class ResultPosted(TableAct, frozen=True, kw_only=True):
    """The result is posted on the draw sheet."""

    score: BySeat[Points] | None = None
    """The score posted."""
    winner: Seat | None = None
    """The winner posted."""


class ResultCorrected(TableAct, frozen=True, kw_only=True):
    """A posted result is changed."""

    old: BySeat[Points]
    """The score posted before."""
    new: BySeat[Points]
    """The score posted now."""
    reason: Personal = None
    """Why."""
    by: Actor = Actor.DIRECTOR
    """Who changed it."""


class NextMatch(enum.StrEnum):
    """What kind of match a player went on to."""

    NEXT_ROUND = "next_round"
    OTHER_EVENT = "other_event"


class MatchNextStarted(TableAct, frozen=True, kw_only=True):
    """One or both players of this match began another match, or the next round began."""

    seats: tuple[Seat, ...] = ()
    """The players who began another match; empty = the round began without either."""
    next: NextMatch | None = None
    """What they began."""
    match: StreamId | None = None
    """Stream of the match that they began."""
