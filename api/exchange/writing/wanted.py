"""What a writer of match files is asked for, and what it gives: a file, and what the file lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from api.exchange.writing.story import Story
from events.values import BySeat
from projections.replay import Replay
from projections.views.lines import Line

Illegal = Literal["raw", "stated"]
"""How an illegal play is written: its steps as made, or the board after it."""

Names = Literal["disclosed", "withheld"]
"""Whether personal values are written, as far as whoever asks may see them."""

WITHHELD = BySeat("Player 1", "Player 2")
"""Names of players whose names may not be shown."""


class Details(msgspec.Struct, frozen=True):
    """What the caller may show of the match's opening; None = not recorded, or withheld."""

    event: str | None = None
    """Tournament."""
    round: str | None = None
    """Round."""
    table: str | None = None
    """Table."""
    place: str | None = None
    """Where it is played."""
    date: str | None = None
    """Day, ISO 8601 or `2026.01.31`; GNU Backgammon makes one up if there is none."""
    transcriber: str | None = None
    """Who transcribed it."""
    ratings: BySeat[str | None] = BySeat(None, None)
    """Rating of each side that is one player, as its source wrote it."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How a match is to be written."""

    names: BySeat[str] | None = None
    """The players' names as they may be shown; None = withheld."""
    details: Details = Details()
    """What else may be shown of the opening."""
    illegal: Illegal = "raw"
    """How illegal plays are written, in formats that leave a choice."""
    clocks: bool = True
    """Whether clocks are written, in formats that can hold them."""
    findings: bool = True
    """Whether findings and rulings are written, in formats that can hold them."""
    spoken: Mapping[int, Line] = {}
    """Version to what was said in an entry (`words_line`), in formats for people; {} = nothing."""
    films: Mapping[str, str | None] = {}
    """Films that may be shown: the film's id to where it can be watched, None = nobody may say."""
    shown_to: tuple[str, ...] = ()
    """What of the words is left out for whoever asks, and why."""
    is_held_back: bool = False
    """Whether a file tells no pip count, and must not even say which findings it leaves out."""


class NotWritten(Exception):
    """A match cannot be written in a format at all; the message says why, for people."""


class NotInstalled(NotWritten):
    """The package that writes the format is missing here; the message says what to install."""


class Loss(msgspec.Struct, frozen=True, order=True):
    """Recorded facts that a written file does not hold, or holds in other words."""

    kind: str
    """Class of loss; each writer documents its own."""
    count: int
    """How many facts."""
    detail: str
    """What becomes of them, and where they stand: tags with game and turn."""
    versions: tuple[int, ...] = ()
    """Versions of the events, every one of them."""


class Written(msgspec.Struct, frozen=True):
    """A match as a file, and what the file does not say."""

    content: bytes
    """The whole file; a text is UTF-8 with LF."""
    losses: tuple[Loss, ...]
    """What is lost, by kind."""

    @property
    def text(self) -> str:
        """The file as text. Errors: UnicodeDecodeError for a binary format."""
        return self.content.decode()


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """One format that a match can be had in."""

    name: str
    """What the format is asked for by, and the ending of its files."""
    title: str
    """What it is for, in a line, for people."""
    media_type: str
    """Media type, with the charset of a text."""
    write: Callable[[Replay, Wanted], Written]
    """The match as corrected; pure. Errors: NotWritten."""
    losses: Callable[[Story, Wanted], tuple[Loss, ...]]
    """What `write` says is lost, without the file. Errors: NotWritten, as of the file."""
    marks_illegal: bool = False
    """Whether its files say of every play whether it was legal, whatever is wanted."""
