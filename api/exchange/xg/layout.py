"""The records of .xg files, offset by offset, as published by the program's author."""

from __future__ import annotations

import datetime
import math
import struct
from typing import NamedTuple

from api.exchange.reading.facts import Refused

RECORD_BYTES = 2_560
"""Size of every record, whatever its kind."""

MAGIC = 0x494C4D44
"""Marker of a match header, by which it is recognised."""

NEWEST = 40
"""Higher versions are another format."""

UNICODE, CLOCKS, TURN_CLOCKS, TRANSCRIBER = 24, 25, 28, 30
"""Versions from which on the layout has the fields they are named after."""

NONE = -1
"""No comment, or the end of a list of checker moves."""

MATCH, GAME, CUBE, MOVE, GAME_END, MATCH_END = range(6)
"""Kinds of records."""

Counts = tuple[int, ...]
"""26 counts of one side, from its own side: borne off, points 1 to 24, bar."""


class Record(NamedTuple):
    """One record of the file."""

    number: int
    """Its place in the file, from 1."""
    kind: int
    data: bytes

    def integer(self, offset: int) -> int:
        """The number at an offset, four bytes."""
        found: int = struct.unpack_from("<i", self.data, offset)[0]
        return found

    def real(self, offset: int) -> float:
        """The number at an offset, eight bytes, with a fraction."""
        found: float = struct.unpack_from("<d", self.data, offset)[0]
        return found

    def flag(self, offset: int) -> bool:
        """The truth value at an offset."""
        return self.data[offset] != 0

    def small(self, offset: int, count: int) -> tuple[int, ...]:
        """Numbers from an offset on, one byte each."""
        return struct.unpack_from(f"<{count}b", self.data, offset)

    def ansi(self, offset: int) -> str:
        """Text at an offset, which begins with its length."""
        start = offset + 1
        text = self.data[start : start + self.data[offset]]
        return text.decode("cp1252", "replace").split("\0", 1)[0]

    def unicode(self, offset: int) -> str:
        """Text of at most 128 characters at an offset."""
        return until_nul(self.data[offset : offset + 258])


class ClockSetting(NamedTuple):
    """How the clock was to be set; seconds and points."""

    kind: int
    """0 none, 1 Fischer, 2 Bronstein."""
    is_per_game: bool
    """Whether each game starts with a full reserve."""
    reserve_s: int
    bonus_s: int
    penalty: int
    """Points lost when time runs out."""
    left_s: tuple[int, int]
    """Time left when the file was saved."""


class MatchHeader(NamedTuple):
    """The first record: who plays what."""

    names: tuple[str, str]
    ratings: tuple[str, str]
    """Elo and experience, as XG's text files write them."""
    length: int
    variation: int
    """0 backgammon, 1 Nackgammon, 2 HyperGammon, 3 LongGammon."""
    options: dict[str, bool]
    """crawford, jacoby, beavers and automatic doubles."""
    event: str
    place: str
    round: str
    date: str
    transcriber: str
    clock: ClockSetting | None
    """None in versions without them."""
    has_turn_clocks: bool
    """Whether cube records hold both players' time left."""
    comments: tuple[int, int]
    """Numbers of the comments at the beginning and the end of the match."""
    details: list[str]
    """What else the header says, as lines for people."""


class GameHeader(NamedTuple):
    """The beginning of a game."""

    number: int
    score: tuple[int, int]
    is_crawford: bool
    start: Counts
    """26 numbers as in the file; all 0 = the usual starting position."""
    automatic_doubles: int
    comments: tuple[int, int]


class Cube(NamedTuple):
    """A cube decision: a double, or none."""

    player: int
    """1 or -1."""
    doubled: int
    """1 = a double."""
    answer: int
    """0 drop, 1 take, 2 beaver."""
    beaver_answer: int
    """1 = accepted, 2 = a raccoon."""
    raccoon_answer: int
    cube: int
    """Power of two that the cube shows; negative if the second player owns it."""
    board: Counts
    """The board, from the first player's side."""
    dice: str
    """Both dice of the roll that follows; `77` for none."""
    invalid: int
    is_edited: bool
    automatic_doubles: int
    left_s: tuple[int, int]
    """Both players' time left."""
    comment: int


class Move(NamedTuple):
    """A roll and its play."""

    player: int
    """1 or -1."""
    dice: tuple[int, int]
    start: Counts
    """The board before the play, from the first player's side."""
    end: Counts
    """The board after the play, from the mover's side; all 0 = no play was recorded."""
    hops: tuple[tuple[int, int], ...]
    """Checker moves from the mover's side; 25 = bar, 0 or less = borne off."""
    is_played: bool
    cube: int
    """As in `Cube`."""
    invalid: int
    is_edited: bool
    automatic_doubles: int
    comment: int


class GameEnd(NamedTuple):
    """How a game ended."""

    score: tuple[int, int]
    winner: int
    """1 or -1."""
    points: int
    termination: int
    """0 drop, 1 to 3 level; 100 more for a resignation, 1,000 more for a settlement."""


class MatchEnd(NamedTuple):
    """How the match ended."""

    score: tuple[int, int]
    winner: int
    """1 or -1."""


def until_nul(data: bytes) -> str:
    """Text of two bytes a character, up to the first that is 0."""
    return data.decode("utf-16-le", "replace").split("\0", 1)[0]


def match_header(record: Record) -> MatchHeader:
    """The record as a match header.

    Raises:
        Refused: it is of a version that nobody knows.
    """
    version = record.integer(552)
    if version > NEWEST:
        what = f"version {version} of the format is not known"
        raise Refused(what, "save it as .mat in eXtreme Gammon", line=record.number)
    has_unicode = version >= UNICODE
    texts = {
        name: (record.unicode(wide) if has_unicode else "") or record.ansi(narrow)
        for name, narrow, wide in (
            *(("one", 9, 880), ("two", 50, 1138), ("event", 136, 622)),
            *(("place", 283, 1396), ("round", 417, 1654)),
        )
    }
    clock = None
    if version >= CLOCKS:
        kind, per_game, *times = struct.unpack_from("<iB3x6i", record.data, 1912)
        reserve, bonus, penalty, left, other_left, _ = times
        clock = ClockSetting(kind, per_game != 0, reserve, bonus, penalty, (left, other_left))
    return MatchHeader(
        names=(texts["one"], texts["two"]),
        ratings=(_rating(record, 104, 120), _rating(record, 112, 124)),
        length=record.integer(92),
        variation=record.integer(96),
        options={
            "crawford": record.flag(100),
            "jacoby": record.flag(101),
            "beavers": record.flag(102),
            "automatic_doubles": record.flag(103),
        },
        event=texts["event"],
        place=texts["place"],
        round=texts["round"],
        date=_date(record.real(128)),
        transcriber=record.unicode(1960) if version >= TRANSCRIBER else "",
        clock=clock,
        has_turn_clocks=version >= TURN_CLOCKS,
        comments=(record.integer(576), record.integer(580)),
        details=[
            f"version: {version}",
            *(f"{name}: {record.integer(offset)}" for name, offset in _DETAILS),
            *(f"{name}: {int(record.flag(offset))}" for name, offset in _FLAGS),
        ],
    )


_DETAILS = (
    *(("match length", 92), ("variation", 96), ("experience 1", 120), ("experience 2", 124)),
    *(("game id", 268), ("level 1", 272), ("level 2", 276), ("game mode", 412), ("invert", 548)),
    *(("money games before", 560), ("money score 1", 564), ("money score 2", 568)),
    *(("currency", 596), ("site id", 608), ("cube limit", 612), ("automatic doubles", 616)),
    *(("clock kind", 1912), ("clock reserve", 1920), ("clock bonus", 1924)),
    *(("clock penalty", 1928), ("time left 1", 1932), ("time left 2", 1936)),
    ("clock money penalty", 1940),
)
"""What a match header contains that no fact can hold, by offset."""

_FLAGS = (
    *(("crawford", 100), ("jacoby", 101), ("beaver", 102), ("automatic double", 103)),
    *(("rated", 280), ("imported", 416), ("unrated there", 574), ("for money", 584)),
    *(("transcribed", 620), ("clock per game", 1916)),
)


def _rating(record: Record, rating: int, experience: int) -> str:
    value = record.real(rating)
    if not math.isfinite(value) or not 0 < value < 1e6:
        return ""
    return f"{value:.2f}/{record.integer(experience)}"


def _date(days: float) -> str:
    """Day and time, from days since the end of 1899; "" for none."""
    if not 0 < days < 100_000:
        return ""
    moment = datetime.datetime(1899, 12, 30) + datetime.timedelta(days=days)
    if moment.time() == datetime.time():
        return moment.date().isoformat()
    return moment.isoformat(timespec="minutes")


def game_header(record: Record) -> GameHeader:
    """The record as the beginning of a game."""
    return GameHeader(
        number=record.integer(48),
        score=(record.integer(12), record.integer(16)),
        is_crawford=record.flag(20),
        start=record.small(21, 26),
        automatic_doubles=record.integer(64),
        comments=(record.integer(56), record.integer(60)),
    )


def cube(record: Record) -> Cube:
    """The record as a cube decision."""
    return Cube(
        player=record.integer(12),
        doubled=record.integer(16),
        answer=record.integer(20),
        beaver_answer=record.integer(24),
        raccoon_answer=record.integer(28),
        cube=record.integer(32),
        board=record.small(36, 26),
        dice=record.ansi(208),
        invalid=record.integer(260),
        is_edited=record.flag(296),
        automatic_doubles=record.integer(300),
        left_s=(record.integer(304), record.integer(308)),
        comment=record.integer(292),
    )


def move(record: Record) -> Move:
    """The record as a roll and its play."""
    listed = struct.unpack_from("<8i", record.data, 68)
    hops = []
    for start, end in zip(listed[::2], listed[1::2], strict=True):
        if start == NONE:
            break
        if (start, end) != (0, 0):
            hops.append((start + 1, end + 1))
    return Move(
        player=record.integer(64),
        dice=(record.integer(100), record.integer(104)),
        start=record.small(9, 26),
        end=record.small(35, 26),
        hops=tuple(hops),
        is_played=record.flag(2308),
        cube=record.integer(108),
        invalid=record.integer(2480),
        is_edited=record.flag(2528),
        automatic_doubles=record.integer(2540),
        comment=record.integer(2524),
    )


def is_analysed(record: Record) -> bool:
    """Whether a play has an engine's candidate plays."""
    return record.integer(120) > 0


def game_end(record: Record) -> GameEnd:
    """The record as the end of a game."""
    return GameEnd(
        score=(record.integer(12), record.integer(16)),
        winner=record.integer(24),
        points=record.integer(28),
        termination=record.integer(32),
    )


def match_end(record: Record) -> MatchEnd:
    """The record as the end of the match."""
    score = (record.integer(12), record.integer(16))
    return MatchEnd(score=score, winner=record.integer(20))
