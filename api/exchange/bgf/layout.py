"""The shape of .bgf files: a line of JSON, then a document in the binary JSON called SMILE."""

from __future__ import annotations

import msgspec

from api.exchange.bgf import smile
from api.exchange.reading.facts import AGAIN, DIVIDE, Refused
from api.exchange.reading.inflate import GZIP, inflate

MAX_BYTES = 10_000_000
"""Largest document that is taken apart; a long analysed match has some two million bytes."""

MAX_RECORDS = 25_000
"""More records no file may hold: a long match has some two thousand."""


class Move(msgspec.Struct, frozen=True):
    """One record of a game: a roll with its play, or an act."""

    player: int
    """-1 green, 1 red."""
    red: int = 0
    """Die of the red cup, or the kind of an act where `green` says that it is one."""
    green: int = 0
    start: list[int] = msgspec.field(default_factory=list, name="from")
    """From the mover's side, 25 = bar; -1 ends the list."""
    end: list[int] = msgspec.field(default_factory=list, name="to")
    """0 or less = borne off."""
    comment: object = None


class Start(msgspec.Struct, frozen=True):
    """How a game starts."""

    points: list[int] = []
    """Red's points 1 to 24, green's checkers above 0 and red's below; then both bars."""
    cube: int = 1
    owner: int = msgspec.field(default=0, name="cubeOwner")
    """-1 green, 1 red, 0 nobody."""
    mode: int = msgspec.field(default=0, name="gameMode")
    is_egyptian: bool = msgspec.field(default=False, name="egyptian")


class Game(msgspec.Struct, frozen=True):
    """One game."""

    green: int = msgspec.field(default=0, name="scoreGreen")
    """Green's score at its start."""
    red: int = msgspec.field(default=0, name="scoreRed")
    points: int = msgspec.field(default=0, name="wonPoints")
    is_crawford: bool = msgspec.field(default=False, name="isCrawford")
    was_resigned: bool = msgspec.field(default=False, name="wasResignation")
    was_lost_on_time: bool = msgspec.field(default=False, name="lostOnTime")
    was_forfeit: bool = msgspec.field(default=False, name="wasForfeit")
    start: Start | None = msgspec.field(default=None, name="initial")
    moves: list[Move] = []
    comment: object = None


class Match(msgspec.Struct, frozen=True):
    """A match."""

    length: int = msgspec.field(name="matchlen")
    """0 = money."""
    games: list[Game]
    green: str | None = msgspec.field(default=None, name="nameGreen")
    red: str | None = msgspec.field(default=None, name="nameRed")
    final_green: int | None = msgspec.field(default=None, name="finalGreen")
    final_red: int | None = msgspec.field(default=None, name="finalRed")
    has_cube: bool = msgspec.field(default=True, name="useCube")
    has_crawford: bool = msgspec.field(default=True, name="useCrawford")
    has_jacoby: bool = msgspec.field(default=False, name="useJacoby")
    has_beavers: bool = msgspec.field(default=False, name="useBeaver")
    mode: int = msgspec.field(default=0, name="gameMode")
    date: str | None = None
    event: str | None = None
    round: str | None = None
    location: str | None = None
    site: str | None = None
    green_rating: object = msgspec.field(default=None, name="ratingGreen")
    red_rating: object = msgspec.field(default=None, name="ratingRed")
    comment: object = None


class Document(msgspec.Struct, frozen=True):
    """A file taken apart."""

    match: Match
    details: list[str]
    """Every plain member of the match, as a line for people."""
    is_analysed: bool
    """Whether it holds an engine's analysis."""


def document(data: bytes) -> Document:
    """Take a file apart.

    Raises:
        Refused: it is cut off, damaged, too large, or something else.
    """
    head, _, packed = data.partition(b"\n")
    content = inflate(packed, MAX_BYTES, GZIP)[0] if packed.startswith(b"\x1f\x8b") else packed
    if len(content) > MAX_BYTES:
        raise Refused(f"the file is larger than {MAX_BYTES // 1_000_000} MB", DIVIDE)
    read = _decoded(content)
    # Counted before each is made into a record, which takes far more than to count them.
    if _records_in(read) > MAX_RECORDS:
        raise Refused(f"the file holds more than {MAX_RECORDS:,} records", DIVIDE)
    try:
        match = msgspec.convert(read, Match)
    except msgspec.ValidationError as error:
        raise Refused(f"the file is damaged: {error}", AGAIN) from None
    assert isinstance(read, dict), "a match is made of an object"
    plain = {
        name: value
        for name, value in read.items()
        if value is None or isinstance(value, str | int | float)
    }
    return Document(
        match,
        [head.decode("utf-8", "replace"), *(f"{name}: {value}" for name, value in plain.items())],
        is_analysed=any(game.get("luck") or game.get("prGreen") for game in read["games"]),
    )


def _records_in(read: object) -> int:
    """How many games and records of games a document has, where it has any."""
    games = read.get("games") if isinstance(read, dict) else None
    if not isinstance(games, list):
        return 0
    each = (game.get("moves") for game in games if isinstance(game, dict))
    return len(games) + sum(len(moves) for moves in each if isinstance(moves, list))


def _decoded(content: bytes) -> object:
    """The document in SMILE, or in plain JSON."""
    try:
        return smile.decode(content) if content.startswith(smile.MAGIC) else _JSON.decode(content)
    except (smile.NotSmile, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"the file is damaged: {error}", AGAIN) from None


_JSON = msgspec.json.Decoder()
