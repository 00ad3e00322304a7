"""A match: its opening, lengths believed, games, scores noted and stated, results."""

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
    """Who sits in a seat, as commitments; two to a side in consultation doubles."""

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
    """Bank of each player, milliseconds."""
    delay_ms: Duration = 0
    """Free time of each turn, milliseconds."""


class Publication(Part, frozen=True, kw_only=True):
    """On which terms the match may be shown."""

    public: bool = False
    """Whether anybody may read it."""
    delay_ms: Duration = 0
    """How long a live follower is behind the table."""


class Source(Part, frozen=True, kw_only=True):
    """The file that a match was imported from."""

    sha256: Sha256
    """Hash of the file's bytes."""
    dialect: Word
    """Dialect as the reader recognised it, such as `galaxy-mat`."""
    ordinal: Count = 1
    """Which match of the file, from 1."""
    line: Count | None = None
    """Line of the file on which the match begins, from 1."""
    encoding: Word | None = None
    """How the bytes were decoded."""
    name: Personal = None
    """Name of the file; it often names the players."""
    headers: Personal = None
    """Header lines of the file, verbatim."""


class StartBasis(enum.StrEnum):
    """Where the appointed start comes from."""

    POSTED = "posted"
    AFTER_BOTH = "after_both"
    CALLED = "called"


class MatchOpened(Payload, frozen=True, kw_only=True):
    """A match is about to be played; the first entry of its stream."""

    players: BySeat[tuple[Player, ...]]
    """Who sits where; for an import, one = left column of the score line."""
    length: MatchLength | None = None
    """Points needed to win, as posted; None = money session."""
    draw_sheet_length: MatchLength | None = None
    """Length on the draw sheet, where it differs from the posted one."""
    event: Personal = None
    """Tournament or series, as written."""
    round: Personal = None
    """Round, as written."""
    table: Personal = None
    """Table."""
    division: Personal = None
    """Division."""
    place: Personal = None
    """Where it is played."""
    date: Personal = None
    """Day of the match, as written or ISO 8601."""
    appointed_start: Personal = None
    """Absolute start, ISO 8601 UTC; `at_ms` counts from it."""
    start_basis: StartBasis | None = None
    """Where that start comes from."""
    rule_set: RuleSetId | None = None
    """Rule set in force; None = recorded under none, folds use `common`."""
    options: dict[Key, Option] = {}
    """Options pinned at the start."""
    clock_terms: ClockTerms | None = None
    """How the clock is to be set."""
    score_at_start: BySeat[Points] = BySeat(0, 0)
    """Score when the record begins; above 0-0 where a file starts in mid-match."""
    crawford_played: bool = False
    """Whether the Crawford game was before the record's beginning."""
    shadow_of: StreamId | None = None
    """Stream of the match that this second recorder writes beside."""
    publication: Publication | None = None
    """On which terms the match may be shown."""
    source: Source | None = None
    """The file it was imported from."""
    transcriber: Personal = None
    """Who transcribed it."""


class MatchLengthBelieved(TableAct, frozen=True, kw_only=True):
    """What length a player believed the match had."""

    seat: Seat
    """Whose belief."""
    length: MatchLength
    """The length believed."""
    sheet: Text | None = None
    """What the own score sheet says."""


class MatchLengthErrorFound(TableAct, frozen=True, kw_only=True):
    """The match was played to a length that was not posted."""

    wrong: MatchLength
    """The length played to."""
    correct: MatchLength
    """The posted length."""
    during_game: bool
    """Whether a game was in progress."""
    knowingly: bool | None = None
    """Whether both had agreed on the wrong length; None = not asked."""
    found_by: Actor | None = None
    """Who found it."""


class DecidingGameOrdered(TableAct, frozen=True, kw_only=True):
    """One more game decides the match."""

    by: Actor = Actor.DIRECTOR
    """Who ordered it."""
    reason: Personal = None
    """Why."""


class MatchEnded(TableAct, frozen=True, kw_only=True):
    """The claim that the match is over; a fold compares."""

    winner: Seat | None = None
    """Who is said to have won."""
    score: BySeat[Points] | None = None
    """The final score as claimed."""


class MatchCancelled(TableAct, frozen=True, kw_only=True):
    """The match was opened by mistake, or is not to be played; retracting this restores it."""

    by: Actor = Actor.DIRECTOR
    """Who cancelled it."""
    reason: Personal = None
    """Why."""


class GameStarted(TableAct, frozen=True, kw_only=True):
    """The checkers are set up for a game."""

    number: Count | None = None
    """Number of the game as written, from 1; a claim."""


class GameWon(TableAct, frozen=True, kw_only=True):
    """The claim that a game was won; a fold compares it with the board and the cube."""

    winner: Seat
    """Who is said to have won."""
    points: Points
    """Points claimed, as written: some sources cap them."""
    kind: WinKind | None = None
    """Level claimed."""
    how: Text | None = None
    """What the source writes about the end."""


class Sheet(enum.StrEnum):
    """What kind of record of the score it is."""

    WRITTEN = "written"
    DISPLAY = "display"
    MEMORY = "memory"
    RECORDING = "recording"
    NONE = "none"


class ScoreNoted(TableAct, frozen=True, kw_only=True):
    """The score as somebody kept it; a claim that a fold compares."""

    score: BySeat[Points] | None = None
    """The score noted; None where the keeper kept none."""
    keeper: Seat | None = None
    """Whose sheet; None = neither player's, such as a file's score line."""
    sheet: Sheet = Sheet.WRITTEN
    """Kind of record."""
    kept_as_prescribed: bool | None = None
    """Whether it was kept as the rules prescribe."""


class ScoreStated(TableAct, frozen=True, kw_only=True):
    """The score from here on, agreed, ruled or imported; the fold takes it over."""

    score: BySeat[Points]
    """The score."""
    crawford_played: bool = False
    """Whether the Crawford game is over."""
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
    """The result is on the draw sheet."""

    score: BySeat[Points] | None = None
    """The score posted."""
    winner: Seat | None = None
    """The winner posted."""


class ResultCorrected(TableAct, frozen=True, kw_only=True):
    """A posted result is changed."""

    old: BySeat[Points]
    """The score as it was posted."""
    new: BySeat[Points]
    """The score as it is posted now."""
    reason: Personal = None
    """Why."""
    by: Actor = Actor.DIRECTOR
    """Who changed it."""


class NextMatch(enum.StrEnum):
    """What kind of match a player went on to."""

    NEXT_ROUND = "next_round"
    OTHER_EVENT = "other_event"


class MatchNextStarted(TableAct, frozen=True, kw_only=True):
    """Players of this match began another one, or the next round began."""

    seats: tuple[Seat, ...] = ()
    """Who began; empty = the round began without either."""
    next: NextMatch | None = None
    """What they went on to."""
    match: StreamId | None = None
    """Stream of that match."""
