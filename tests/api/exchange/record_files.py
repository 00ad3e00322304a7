"""Writes .xg and .bgf files for tests, record by record, and from what a text file tells."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from api.exchange.reading.facts import ReadMatch
from events.payloads.cube import DoubleDropped, DoubleOffered, DoubleTaken
from events.payloads.dice import Rolled
from events.payloads.ending import ResignationOffered
from events.payloads.match import GameStarted, GameWon, ScoreNoted
from events.payloads.play import PlayMade
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import STARTING, Position

Dice = tuple[int, int]

EMPTY = (0,) * 26


def moves_of(text: str) -> tuple[CheckerMove, ...]:
    """Checker moves such as `8/5 6/5`, as written; `bar` and `off` are words."""
    words = text.replace("bar", "25").replace("off", "0").split()
    return tuple(CheckerMove(*map(int, word.split("/"))) for word in words)


class Table:
    """The board and the cube while a file is written."""

    def __init__(self) -> None:
        self.board = STARTING
        """Seen by seat one."""
        self.cube = 0
        """Power of two."""
        self.owner: Seat | None = None

    def seen_by(self, seat: Seat) -> Position:
        return self.board if seat is Seat.ONE else self.board.swap()

    def play(self, seat: Seat, moves: Sequence[CheckerMove]) -> Position:
        """The board after a play, seen by the mover."""
        after = self.seen_by(seat).moved(moves).position
        assert after is not None
        self.board = after if seat is Seat.ONE else after.swap()
        return after

    def take(self, seat: Seat) -> None:
        self.cube, self.owner = self.cube + 1, seat


# -- .xg ---------------------------------------------------------------------------------------


def signed(position: Position) -> tuple[int, ...]:
    """26 numbers as the maker of .xg files has them."""
    own, other = position.own, position.other
    points = [own[point] - other[25 - point] for point in range(1, 25)]
    return (-other[25], *points, own[25])


def record(kind: int, *fields: tuple[int, str, Any]) -> bytes:
    """One record, from (offset, format, value or values) of the fields that are not zero."""
    data = bytearray(2560)
    data[8] = kind
    for offset, form, value in fields:
        values = value if isinstance(value, tuple) else (value,)
        struct.pack_into(f"<{form}", data, offset, *values)
    return bytes(data)


def wide(offset: int, text: str) -> tuple[int, str, Any]:
    """A field of Unicode text."""
    return offset, "256s", text.encode("utf-16-le")[:256]


def narrow(offset: int, text: str) -> tuple[int, str, Any]:
    """A field of text that begins with its length."""
    encoded = text.encode("cp1252", "replace")
    return offset, f"B{len(encoded)}s", (len(encoded), encoded)


def archive(parts: dict[str, bytes], *, picture: bytes = b"picture") -> bytes:
    """A whole .xg file: header, picture, packed parts, the index of them."""
    head = struct.pack("<4sIIqI", b"RGMH", 1, 8232, 0, len(picture)).ljust(40, b"\0")
    titles = "Ada - Ben".encode("utf-16-le").ljust(2048, b"\0")
    packed, index = b"", b""
    for name, content in parts.items():
        stream = zlib.compress(content)
        entry = bytes([len(name)]) + name.encode().ljust(511, b"\0")
        sizes = (len(content), len(stream), len(packed), zlib.crc32(content), 0, 2)
        index += (entry + struct.pack("<iiiIBB", *sizes)).ljust(532, b"\0")
        packed += stream
    tail = struct.pack("<Iiiiii", 0, len(parts), 1, 0, len(packed), 1).ljust(36, b"\0")
    return (head + titles).ljust(8232, b"\0") + picture + packed + zlib.compress(index) + tail


class XgFile(Table):
    """A .xg file while it is written."""

    def __init__(self, length: int = 5, *, version: int = 30, fields: Iterable[Any] = ()) -> None:
        super().__init__()
        names = (narrow(9, "Ada"), narrow(50, "Ben"), wide(880, "Ada"), wide(1138, "Ben"))
        comments = (576, "ii", (-1, -1))
        head = ((92, "i", length), (100, "B", 1), (552, "i", version), (556, "I", 0x494C4D44))
        self.records = [record(0, *head, *names, comments, *fields)]
        self.comments: list[str] = []
        self.score = (0, 0)

    def start(
        self,
        number: int = 1,
        score: tuple[int, int] = (0, 0),
        *fields: tuple[int, str, Any],
        board: Position = STARTING,
    ) -> XgFile:
        self.board, self.cube, self.owner, self.score = board, 0, None, score
        head = ((12, "ii", score), (48, "i", number), (56, "ii", (-1, -1)))
        start = (21, "26b", signed(board))
        self.records.append(record(1, *head, start, *fields))
        return self

    @property
    def shown(self) -> int:
        """The cube as the records have it."""
        return -self.cube if self.owner is Seat.TWO else self.cube

    def decide(
        self, seat: Seat, answer: int | None = None, *fields: tuple[int, str, Any]
    ) -> XgFile:
        """A decision about the cube: passed over, or a double with its answer."""
        doubled = 0 if answer is None else 1
        acts = (12, "iiiii", (_player(seat), doubled, -1 if answer is None else answer, -1, -1))
        what = ((32, "i", self.shown), (36, "26b", signed(self.board)), (292, "i", -1))
        self.records.append(record(2, acts, *what, narrow(208, "77"), *fields))
        if answer == 1:
            self.take(seat.other)
        return self

    def roll(
        self,
        seat: Seat,
        dice: Dice,
        moves: str | Sequence[CheckerMove] | None,
        *fields: tuple[int, str, Any],
    ) -> XgFile:
        """A roll and its play; None = no play is recorded."""
        start = signed(self.board)
        listed, end = [0] * 8, EMPTY
        if moves is not None:
            played = moves_of(moves) if isinstance(moves, str) else moves
            listed = [-1] * 8
            for place, hop in enumerate(played[:4]):
                listed[2 * place : 2 * place + 2] = [hop.from_point - 1, hop.to_point - 1]
            end = signed(self.play(seat, played))
        head = ((9, "26b", start), (35, "26b", end), (64, "i", _player(seat)))
        body = ((68, "8i", tuple(listed)), (100, "ii", dice), (108, "i", self.shown))
        flags = ((2308, "B", moves is not None), (2524, "i", -1))
        self.records.append(record(3, *head, *body, *flags, *fields))
        return self

    def win(self, seat: Seat, points: int, termination: int = 1) -> XgFile:
        """The end of a game."""
        one, two = self.score
        self.score = (one + points, two) if seat is Seat.ONE else (one, two + points)
        what = ((24, "iii", (_player(seat), points, termination)), (12, "ii", self.score))
        self.records.append(record(4, *what))
        return self

    def end(self, winner: Seat | None = None) -> XgFile:
        """The end of the match."""
        said = 0 if winner is None else _player(winner)
        self.records.append(record(5, (12, "iii", (*self.score, said))))
        return self

    def bytes(self) -> bytes:
        records = b"".join(self.records)
        parts = {"temp.xg": records, "temp.xgi": self.records[0] + self.records[-1]}
        if self.comments:
            parts["temp.xgc"] = b"".join(text.encode("cp1252") + b"\r\n" for text in self.comments)
        return archive(parts)


def _player(seat: Seat) -> int:
    return 1 if seat is Seat.ONE else -1


# -- .bgf --------------------------------------------------------------------------------------


def smile(value: Any) -> bytes:
    """A document in SMILE with shared names off: no more of it than these files need."""
    return b":)\n\x00" + _smile(value)


def _smile(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"\x21", False: b"\x22", True: b"\x23"}[value]
    if isinstance(value, int):
        number = value * 2 if value >= 0 else -value * 2 - 1
        return bytes([0xC0 | number]) if number < 32 else b"\x25" + _number(number)
    if isinstance(value, float):
        bits = int.from_bytes(struct.pack(">d", value), "big")
        return b"\x29" + bytes(bits >> 7 * place & 0x7F for place in range(9, -1, -1))
    if isinstance(value, str):
        return _text(value.encode(), is_ascii=value.isascii())
    if isinstance(value, dict):
        pairs = (
            bytes([0x7F + len(name)]) + name.encode() + _smile(one) for name, one in value.items()
        )
        return b"\xfa" + b"".join(pairs) + b"\xfb"
    return b"\xf8" + b"".join(map(_smile, value)) + b"\xf9"


def _text(text: bytes, *, is_ascii: bool) -> bytes:
    """A text in the shortest spelling."""
    if not text:
        return b"\x20"
    tiny, small = (0x40, 1), (0x60, 33)
    if not is_ascii:
        tiny, small = (0x80, 2), (0xA0, 34)
    for token, shortest in (tiny, small):
        if len(text) < shortest + 32:
            return bytes([token + len(text) - shortest]) + text
    return (b"\xe0" if is_ascii else b"\xe4") + text + b"\xfc"


def _number(number: int) -> bytes:
    """Seven bits a byte, six in the last."""
    written, rest = bytes([0x80 | number & 0x3F]), number >> 6
    while rest:
        written, rest = bytes([rest & 0x7F]) + written, rest >> 7
    return written


HEAD = {"format": "BGF", "version": "1.0", "compress": True, "useSmile": True}


def packed(document: Any) -> bytes:
    """A whole .bgf file."""
    return json.dumps(HEAD).encode() + b"\n" + gzip.compress(smile(document), mtime=0)


class BgfFile(Table):
    """A .bgf file while it is written."""

    def __init__(self, length: int = 5, **members: Any) -> None:
        super().__init__()
        self.games: list[dict[str, Any]] = []
        self.match: dict[str, Any] = {
            "matchlen": length,
            "nameGreen": "Ada",
            "nameRed": "Ben",
            "useCrawford": True,
            "games": self.games,
            **members,
        }

    def start(
        self, score: tuple[int, int] = (0, 0), board: Position = STARTING, **members: Any
    ) -> BgfFile:
        self.board, self.cube, self.owner = board, 0, None
        points = [*signed(board)[24:0:-1], board.own[25], board.other[25], 0, 0]
        initial = {"cube": 1, "cubeOwner": 0, "points": points}
        game = {"scoreGreen": score[0], "scoreRed": score[1], "wonPoints": 0, "moves": []}
        self.games.append({**game, "initial": initial, **members})
        return self

    def act(self, seat: Seat, kind: int, **members: Any) -> BgfFile:
        """A record that is no roll."""
        nowhere = {"from": [-1] * 4, "to": [-1] * 4}
        self.add(seat, {"red": kind, "green": 7, **nowhere, **members})
        return self

    def roll(
        self, seat: Seat, dice: Dice, moves: str | Sequence[CheckerMove], **members: Any
    ) -> BgfFile:
        """A roll and its play; without moves, a dance."""
        played = moves_of(moves) if isinstance(moves, str) else moves
        if not played:
            dance = {"from": [dice[0], -1, -1, -1], "to": [dice[1], -1, -1, -1]}
            return self.act(seat, 5, **dance, **members)
        self.play(seat, played)
        starts = [hop.from_point for hop in played] + [-1] * (4 - len(played))
        ends = [hop.to_point for hop in played] + [-1] * (4 - len(played))
        faces = {"red": dice[0], "green": dice[1]}
        self.add(seat, {**faces, "from": starts, "to": ends, **members})
        return self

    def add(self, seat: Seat, members: dict[str, Any]) -> None:
        game = self.games[-1]
        player = -1 if seat is Seat.ONE else 1
        game["moves"].append({"type": "amove", "player": player, **members})

    def win(self, points: int) -> BgfFile:
        """The end of a game."""
        self.act(Seat.ONE, 4)
        self.games[-1]["wonPoints"] = points
        return self

    def bytes(self) -> bytes:
        return packed(self.match)


# -- from what a text file tells ---------------------------------------------------------------


def as_xg(match: ReadMatch) -> bytes:
    """The same match as a .xg file."""
    file = XgFile(match.length or 99_999)
    _Teller(match, file).tell()
    final = match.claimed_score
    assert final is not None
    file.score = (final.one, final.two)
    winner = match.result.winner if match.length and max(final) >= match.length else None
    return file.end(winner).bytes()


def as_bgf(match: ReadMatch) -> bytes:
    """The same match as a .bgf file."""
    final = match.claimed_score
    assert final is not None
    file = BgfFile(match.length or 0, finalGreen=final.one, finalRed=final.two)
    _Teller(match, file).tell()
    return file.bytes()


class _Teller:
    """Tells the facts of a match to a file, one after another."""

    def __init__(self, match: ReadMatch, file: XgFile | BgfFile) -> None:
        self.match = match
        self.file = file
        self.score = BySeat(0, 0)
        self.games = 0
        self.resigned: Seat | None = None
        self.was_dropped = False
        self.has_crawford_been = False

    def tell(self) -> None:
        payloads = [fact.payload for fact in self.match.facts]
        for place, payload in enumerate(payloads):
            match payload:
                case ScoreNoted(score=BySeat() as score):
                    self.score = score
                case GameStarted():
                    self.start()
                case Rolled(seat=seat, dice=dice):
                    made = payloads[place + 1] if place + 1 < len(payloads) else None
                    self.roll(seat, dice, made.moves if isinstance(made, PlayMade) else None)
                case DoubleOffered(seat=seat):
                    self.double(seat, payloads[place + 1])
                case ResignationOffered(seat=seat):
                    self.resigned = seat
                case GameWon(winner=winner, points=points):
                    self.win(winner, points)

    def start(self) -> None:
        self.games += 1
        self.resigned, self.was_dropped = None, False
        points = (self.score.one, self.score.two)
        one_away = (self.match.length or 0) - 1
        is_crawford = [point == one_away for point in points].count(True) == 1
        is_crawford = is_crawford and not self.has_crawford_been and bool(self.match.length)
        self.has_crawford_been |= is_crawford
        if isinstance(self.file, XgFile):
            self.file.start(self.games, points, (20, "B", is_crawford))
        else:
            self.file.start(points, isCrawford=is_crawford)

    def roll(self, seat: Seat, dice: Dice, moves: Sequence[CheckerMove] | None) -> None:
        if isinstance(self.file, XgFile):
            self.file.decide(seat).roll(seat, dice, moves)
        elif moves is None:
            faces = {"red": dice[0], "green": dice[1]}
            self.file.add(seat, {**faces, "from": [-1] * 4, "to": [-1] * 4})
        else:
            self.file.roll(seat, dice, moves)

    def double(self, seat: Seat, answer: Any) -> None:
        self.was_dropped = isinstance(answer, DoubleDropped)
        if isinstance(self.file, XgFile):
            self.file.decide(seat, int(isinstance(answer, DoubleTaken)))
            return
        self.file.act(seat, 1).act(seat.other, 3 if self.was_dropped else 2)
        if not self.was_dropped:
            self.file.take(seat.other)

    def win(self, winner: Seat, points: int) -> None:
        if isinstance(self.file, XgFile):
            level, rest = divmod(points, 2**self.file.cube)
            # Level 4 means that the points show at which level was resigned.
            level = level if not rest and level < 4 else 4
            ended = 0 if self.was_dropped else level + (100 if self.resigned else 0)
            self.file.win(winner, points, ended)
            return
        if self.resigned:
            self.file.act(self.resigned, 9)
        self.file.win(points)
