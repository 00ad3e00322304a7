"""The facts read from a match file, and notices of what could not be read."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

import msgspec

from events import catalogue
from events.envelope import Basis
from events.payloads.base import Payload
from events.payloads.match import MatchOpened
from events.values import BySeat, Seat

Source = dict[str, object]
"""`sha256`, `encoding`, `name` and `headers` of a file."""


AGAIN: Final = "copy it once more, or export it anew where it was made"
"""What to do about a file that is cut off or damaged."""

LEAVE_OUT: Final = "leave it out: only backgammon and nackgammon are taken in"
"""About another game."""

DIVIDE: Final = "divide it"
"""About a file that is too large."""

LENGTH: Final = "put the length in the file right"
"""About a match to more points than any match is played to."""

NO_LENGTH: Final = "put it above the first game, with 0 for a session without a length"
"""About games of which nobody says how long the match is."""


class Refused(Exception):
    """A file, or one match of it, that cannot be read at all; nothing of it may be kept."""

    def __init__(
        self, what: str, do: str, *, line: int | None = None, game: int | None = None
    ) -> None:
        """`what` is wrong, and what the owner of the file can `do` about it."""
        place = "" if line is None else f"line {line}: "
        self.reason = f"{what}; {do}"
        """What is wrong and what to do, for people."""
        super().__init__(place + self.reason)
        self.line = line
        """Line of the file at which reading ended, from 1; None = the file as a whole."""
        self.game = game
        """Number of the game it was in, from 1; None = none yet."""


class NoticeCode(enum.StrEnum):
    """Everything that a reader remarks; the room's README lists them."""

    ENCODING = "encoding"
    """The bytes are not UTF-8; read as something else."""
    LINE_NOT_READ = "line-not-read"
    """A line that is nothing the format knows."""
    CELL_NOT_READ = "cell-not-read"
    """A part of a row that is nothing the format knows."""
    PLAY_NOT_READ = "play-not-read"
    """Checker moves that cannot be read: kept as a gap."""
    DICE_NOT_READ = "dice-not-read"
    """Dice that no die shows."""
    HIDDEN_PLAY = "hidden-play"
    """The source hides a play in mid-game (`????`): kept as a gap."""
    LOST_PLAY = "lost-play"
    """A roll without a play in mid-game, though one could be made: kept as a gap."""
    NO_PLAY_CLAIMED = "no-play-claimed"
    """The source says that nothing could be played, and something could."""
    EMPTY_ON_UNKNOWN_BOARD = "empty-on-unknown-board"
    """A roll without a play after a gap: taken as a dance."""
    NO_ROLL = "no-roll"
    """A cell of a roll that was never thrown (`00:`)."""
    STAR_WITHOUT_HIT = "star-without-hit"
    """A star where nothing is hit."""
    HIT_WITHOUT_STAR = "hit-without-star"
    """A hit without a star, in a file that marks hits."""
    DECLARED_ILLEGAL = "declared-illegal"
    """A remark of the source declares a play illegal."""
    STATED_POSITION = "stated-position"
    """A board given as a whole."""
    POSITION_CONFLICT = "position-conflict"
    """A board given as a whole that contradicts itself."""
    CUBE_DIFFERS = "cube-differs"
    """The cube's value as written is not what the acts make it."""
    RESULT_DIFFERS = "result-differs"
    """The points written are not those computed."""
    WINNER_CONFLICT = "winner-conflict"
    """Board, drop, resignation, next score and column do not name one winner."""
    NO_RESULT = "no-result"
    """A game without a result, and the file goes on."""
    SCORE_DIFFERS = "score-differs"
    """A score line that is not the sum of the games before it."""
    SCORE_NOT_READ = "score-not-read"
    """A game without a score line that can be read."""
    NAMES_DIFFER = "names-differ"
    """A score line with other names than the first one."""
    SIDES_SWAPPED = "sides-swapped"
    """A score line with the two names exchanged."""
    GAME_NUMBER = "game-number"
    """A game number out of sequence."""
    ROW_NUMBER = "row-number"
    """A row that does not follow the one before it, or that stands there twice."""
    STARTS_LATE = "starts-late"
    """The file starts in mid-match."""
    CUT_OFF = "cut-off"
    """The last line, value or game has no end; the certain part of it is kept."""
    UNFINISHED = "unfinished"
    """The file stops within a game."""
    AFTER_THE_END = "after-the-end"
    """Something is written after a game's result."""
    UNLIMITED = "unlimited"
    """A length that its source uses for sessions without limit."""
    COMMENT = "comment"
    """A comment within a game."""
    VARIATION = "variation"
    """Another starting position than backgammon's."""
    ANALYSIS = "analysis"
    """A program's analysis of the plays, which is no fact of the match."""
    CRAWFORD_DIFFERS = "crawford-differs"
    """The game marked as the Crawford game is not the one that the score makes it."""
    NO_FACT = "no-fact"
    """Something that no event holds, such as a settlement: only the claimed points tell of it."""
    LATER_ENTRY = "later-entry"
    """A sealed entry of a type or version that a later program knows: kept, folded as nothing."""


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing in a file that was odd or not understood, and is reported."""

    code: NoticeCode
    """What kind of thing."""
    message: str
    """What it is, for people."""
    line: int | None = None
    """Line of the file, from 1."""
    game: int | None = None
    """Number of the game, from 1, as it stands in the file."""
    row: int | None = None
    """Number of the row, as it stands in the file."""
    side: Seat | None = None
    """Whose cell it is."""
    raw: str | None = None
    """The text as it stands in the file; it may name people."""


class Fact(msgspec.Struct, frozen=True, gc=False):
    """One event that a file tells; the door gives it an id, makes the commitments and appends it.

    Where a body holds personal values or names another entry, `payload` is None and `plain` is
    its JSON body with the values in plain text (at the paths of `catalogue.personal_paths`).
    """

    payload: Payload | None
    """The body; None where `plain` holds it."""
    line: int | None = None
    """Line of the file that tells it, from 1."""
    basis: Basis = Basis.IMPORTED
    """On what it rests."""
    kind: str = ""
    """The tag where `payload` is None; see `tag`."""
    plain: Mapping[str, object] | None = None
    """The JSON body with plain personal values, and without the members of `refers`."""
    refers: tuple[tuple[str, int], ...] = ()
    """(member, place in `ReadMatch.facts` from 0): the door puts that fact's entry id there."""

    @property
    def tag(self) -> str:
        """Type of the event."""
        return self.kind if self.payload is None else catalogue.tag_of(self.payload)[0]


class Ended(enum.StrEnum):
    """How far the match in a file has come."""

    MATCH = "match"
    """Somebody has won it, as the file says or its score shows."""
    UNFINISHED = "unfinished"
    MONEY = "money"


class ClaimedResult(msgspec.Struct, frozen=True):
    """The end of a match as its file tells it."""

    winner: Seat | None
    """Who wins the match; the last game, in money or unfinished play; None = no game has ended."""
    points: int | None
    """Points printed for the last game that has a result."""
    ended: Ended
    """How far the match has come."""


class ReadMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a file: its facts in order, and what the reader remarked."""

    facts: list[Fact]
    """`match.opened` first, whose body is in `plain`."""
    dialect: str
    """The dialect: which program wrote it, such as `galaxy-mat`."""
    ordinal: int
    """Which match of the file, from 1."""
    line: int
    """Line on which it begins, from 1."""
    length: int | None
    """Points needed to win; None = money."""
    games: int
    """Games begun."""
    rolls: int
    """Dice thrown, dances included."""
    claimed_score: BySeat[int] | None
    """The last score printed plus the points won after it, as printed; None = no score is."""
    result: ClaimedResult
    """The end as the file tells it."""
    notices: list[Notice]
    """What was odd or not understood, in order of lines."""
    lost: list[str]
    """What the file says and no fact holds."""

    @property
    def opened(self) -> Mapping[str, object]:
        """The body of `match.opened`, personal values in plain text."""
        body = self.facts[0].plain
        assert self.facts[0].kind == OPENED
        assert body is not None
        return body


OPENED = catalogue.tag_of(MatchOpened(players=BySeat((), ())))[0]
"""Tag of the first fact."""
