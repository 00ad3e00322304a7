"""Short names of boards: GNU Backgammon's Position ID and Match ID, and the XGID of XG."""

from __future__ import annotations

import base64
import binascii
import enum
import re

import msgspec

from events.values import BAR, CHECKERS, BySeat, Seat
from projections.board.position import Position


class InvalidId(ValueError):
    """A text that is not a position string of its kind."""

    def __init__(self, kind: str, text: str, why: str) -> None:
        super().__init__(f"not a {kind}: {text!r}: {why}")
        self.kind = kind
        """`Position ID`, `Match ID` or `XGID`."""
        self.text = text
        """The text that was to be read."""


class NotSayable(ValueError):
    """A fact for which a position string has no room, such as 16 checkers on a side."""


# -- Position ID -------------------------------------------------------------------------------


def position_id(position: Position) -> str:
    """GNU Backgammon's Position ID, 14 characters, for the player to play being on roll.

    80 bits, least significant bit of each byte first: the player not on roll, then the player on
    roll; points 1 to 24 from that player's side, then the bar; n ones and a zero for n checkers
    (formats.md 16). Checkers borne off are not in it: a reader takes the rest of 15.

    Raises:
        NotSayable: a side has more than 15 checkers on the board and the bar.
    """
    if sum(position.other[1:]) > CHECKERS or sum(position.own[1:]) > CHECKERS:
        raise NotSayable(f"a Position ID holds at most {CHECKERS} checkers a side")
    return _written(position)


def _written(position: Position) -> str:
    # As text, five points at a time: every turn that is published has an id, shifting numbers takes
    # twice as long, and points next to each other are few in kind.
    other, own = position.other, position.own
    bits = int(
        _RUNS[own[21:]] + _RUNS[own[16:21]] + _RUNS[own[11:16]] + _RUNS[own[6:11]] + _RUNS[own[1:6]]
        + _RUNS[other[21:]] + _RUNS[other[16:21]] + _RUNS[other[11:16]] + _RUNS[other[6:11]]
        + _RUNS[other[1:6]],
        2,
    )  # fmt: skip
    return binascii.b2a_base64(bits.to_bytes(10, "little"))[:14].decode("ascii")


class _Runs(dict[tuple[int, ...], str]):
    """Counts of checkers in binary digits, the one that is read first standing last."""

    def __missing__(self, counts: tuple[int, ...]) -> str:
        self[counts] = digits = "".join("0" + "1" * count for count in reversed(counts))
        return digits


_RUNS = _Runs()
"""At most the 15,504 ways in which up to 15 checkers lie on five points."""


def position_id_or_none(position: Position) -> str | None:
    """The Position ID; None if a side has over 15 checkers, those borne off counted.

    A reader takes what is missing to 15 as borne off, so no id says 16. Fewer than 15 keep their
    id, though it reads back as if the rest were off.
    """
    if sum(position.own) > CHECKERS or sum(position.other) > CHECKERS:
        return None
    return _written(position)


def position_from_id(text: str) -> Position:
    """The board that a Position ID names, from the side of the player on roll.

    What is missing to 15 checkers a side counts as borne off.

    Raises:
        InvalidId: not 14 characters of base64, or not two sides of at most 15 checkers.
    """
    bits = int.from_bytes(_decoded("Position ID", text, 14, 10), "little")
    sides = []
    for _ in range(2):
        counts = [0]
        while len(counts) < 26:
            count = 0
            while bits & 1:
                count += 1
                bits >>= 1
            bits >>= 1
            counts.append(count)
        if sum(counts) > CHECKERS:
            raise InvalidId("Position ID", text, f"more than {CHECKERS} checkers on a side")
        counts[0] = CHECKERS - sum(counts)
        sides.append(tuple(counts))
    if bits:
        raise InvalidId("Position ID", text, "bits after the last point")
    other, own = sides
    return Position(own, other)


# -- Match ID ----------------------------------------------------------------------------------


class PlayState(enum.IntEnum):
    """Bits 8-10 of a Match ID: how far the game has come."""

    NONE = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


class MatchId(msgspec.Struct, frozen=True):
    """What a GNU Backgammon Match ID says; seat one is its player 0, seat two its player 1."""

    cube_value: int
    """What the cube shows: 1, 2, 4 and so on, at most 32768."""
    cube_owner: Seat | None
    """Who owns the cube; None if it is centred."""
    on_roll: Seat
    """Whose turn it is."""
    to_act: Seat
    """Who must decide now; the other one while a double is on the table."""
    dice: tuple[int, int] | None
    """The faces, higher first (the id loses the order); None before the roll."""
    length: int
    """Match length in points; 0 for money."""
    score: BySeat[int]
    """Points before this game, at most 32767."""
    is_crawford: bool = False
    """Whether this is the Crawford game."""
    state: PlayState = PlayState.PLAYING
    """How far the game has come."""
    is_doubled: bool = False
    """Whether a double is on the table."""
    resigned: int = 0
    """Resignation on the table: 0 none, 1 single, 2 gammon, 3 backgammon."""
    no_jacoby: bool = False
    """Bit 66, which only newer versions write; left out of every comparison."""

    @classmethod
    def decode(cls, text: str) -> MatchId:
        """What the 12 characters of a Match ID say.

        Raises:
            InvalidId: not 12 characters of base64, or values that no match has.
        """
        bits = int.from_bytes(_decoded("Match ID", text, 12, 9), "little")

        def field(offset: int, width: int) -> int:
            return bits >> offset & ((1 << width) - 1)

        owner, state, first, second = field(4, 2), field(8, 3), field(15, 3), field(18, 3)
        if owner == 2 or state > 4 or first > 6 or second > 6 or (first == 0) != (second == 0):
            raise InvalidId("Match ID", text, "no such cube owner, state or dice")
        return cls(
            cube_value=1 << field(0, 4),
            cube_owner=None if owner == 3 else _SEATS[owner],
            on_roll=_SEATS[field(6, 1)],
            is_crawford=bool(field(7, 1)),
            state=PlayState(state),
            to_act=_SEATS[field(11, 1)],
            is_doubled=bool(field(12, 1)),
            resigned=field(13, 2),
            dice=(max(first, second), min(first, second)) if first else None,
            length=field(21, 15),
            score=BySeat(field(36, 15), field(51, 15)),
            no_jacoby=bool(field(66, 1)),
        )

    def encode(self) -> str:
        """The 12 characters of the Match ID.

        Raises:
            NotSayable: a value does not fit into its bits.
        """
        owner = 3 if self.cube_owner is None else _SEATS.index(self.cube_owner)
        high, low = sorted(self.dice, reverse=True) if self.dice else (0, 0)
        log2 = _log2(self.cube_value)
        bits = 0
        for offset, width, value in (
            (0, 4, log2),
            (4, 2, owner),
            (6, 1, _SEATS.index(self.on_roll)),
            (7, 1, int(self.is_crawford)),
            (8, 3, int(self.state)),
            (11, 1, _SEATS.index(self.to_act)),
            (12, 1, int(self.is_doubled)),
            (13, 2, self.resigned),
            (15, 3, high),
            (18, 3, low),
            (21, 15, self.length),
            (36, 15, self.score.one),
            (51, 15, self.score.two),
            (66, 1, int(self.no_jacoby)),
        ):
            if not 0 <= value < 1 << width:
                raise NotSayable(f"{value} does not fit into {width} bits of a Match ID")
            bits |= value << offset
        return base64.b64encode(bits.to_bytes(9, "little")).decode("ascii")


def same_match_id(one: str, two: str) -> bool:
    """Whether two Match IDs agree on the 66 bits that every version writes.

    Raises:
        InvalidId: one of them is not 12 characters of base64.
    """
    first, second = (
        int.from_bytes(_decoded("Match ID", text, 12, 9), "little") & ((1 << 66) - 1)
        for text in (one, two)
    )
    return first == second


# -- XGID --------------------------------------------------------------------------------------


class XgSide(enum.IntEnum):
    """A side of XG's board; the numbers are those that an XGID uses for owner and turn."""

    TOP = -1
    BOTTOM = 1


class Xgid(msgspec.Struct, frozen=True):
    """What an XGID says; the board is that of the bottom player, whoever is on roll."""

    board: Position
    """The board seen from the bottom: `own` is the bottom player, `other` the top player."""
    cube_value: int
    """What the cube shows: 1, 2, 4 and so on."""
    cube_owner: XgSide | None
    """Who owns the cube; None if it is centred."""
    on_roll: XgSide
    """Whose turn it is."""
    dice: tuple[int, int] | None
    """The faces as written; None before the roll or while the cube is turned."""
    score_bottom: int
    """Points of the bottom player."""
    score_top: int
    """Points of the top player."""
    length: int
    """Match length in points; 0 for money."""
    rules: int = 0
    """In a match 1 for the Crawford game; for money Jacoby (1) plus beavers (2)."""
    max_cube_log2: int = 10
    """Logarithm of the highest cube value allowed."""
    cube_act: str = ""
    """`D` a double is on the table, `B` beavered, `R` raccooned; "" none of them."""

    @property
    def position(self) -> Position:
        """The board seen by the player on roll."""
        return self.board if self.on_roll is XgSide.BOTTOM else self.board.swap()

    @classmethod
    def decode(cls, text: str) -> Xgid:
        """What an XGID says, with or without `XGID=` before it.

        What is missing to 15 checkers a side counts as borne off (never below none).

        Raises:
            InvalidId: not ten fields of the right kinds.
        """
        fields = _XGID.sub("", text.strip()).split(":")
        if len(fields) != 10 or len(fields[0]) != 26:
            raise InvalidId("XGID", text, "ten fields, the first of 26 characters, are needed")
        own, other = [0] * 26, [0] * 26
        for k, letter in enumerate(fields[0]):
            if "A" <= letter <= "P":
                own[k] = ord(letter) - ord("A") + 1
            elif "a" <= letter <= "p":
                other[BAR - k] = ord(letter) - ord("a") + 1
            elif letter != "-":
                raise InvalidId("XGID", text, f"{letter!r} is no count of checkers")
        if own[0] or other[0]:
            raise InvalidId("XGID", text, "a checker on the other player's bar")
        for counts in (own, other):
            counts[0] = max(0, CHECKERS - sum(counts))
        rolled = fields[4]
        if rolled in ("00", "D", "B", "R"):
            dice = None
        elif len(rolled) == 2 and set(rolled) <= set("123456"):
            dice = (int(rolled[0]), int(rolled[1]))
        else:
            raise InvalidId("XGID", text, f"{rolled!r} are no dice")
        try:
            log2, owner, turn, bottom, top, rules, length, max_log2 = (
                int(field) for field in fields[1:4] + fields[5:]
            )
        except ValueError:
            raise InvalidId("XGID", text, "a field is not a number") from None
        if not 0 <= log2 <= 30 or owner not in (-1, 0, 1) or turn not in (-1, 1):
            raise InvalidId("XGID", text, "no such cube or turn")
        if min(bottom, top, rules, length, max_log2) < 0:
            raise InvalidId("XGID", text, "a number is below zero")
        return cls(
            board=Position(tuple(own), tuple(other)),
            cube_value=1 << log2,
            cube_owner=XgSide(owner) if owner else None,
            on_roll=XgSide(turn),
            dice=dice,
            score_bottom=bottom,
            score_top=top,
            length=length,
            rules=rules,
            max_cube_log2=max_log2,
            cube_act=rolled if rolled in ("D", "B", "R") else "",
        )

    def encode(self) -> str:
        """The XGID, with `XGID=` before it.

        Raises:
            NotSayable: both players on one point, or more than 16 checkers on one.
        """
        letters = []
        for k in range(26):
            own = self.board.own[k] if k else 0
            other = self.board.other[BAR - k] if k < BAR else 0
            if own and other:
                raise NotSayable("an XGID holds one player's checkers on a point")
            if max(own, other) > 16:
                raise NotSayable("an XGID holds at most 16 checkers on a point")
            letters.append(
                chr(ord("A") + own - 1) if own else chr(ord("a") + other - 1) if other else "-"
            )
        rolled = self.cube_act or ("".join(map(str, self.dice)) if self.dice else "00")
        owner = 0 if self.cube_owner is None else int(self.cube_owner)
        numbers = (_log2(self.cube_value), owner, int(self.on_roll))
        rest = (self.score_bottom, self.score_top, self.rules, self.length, self.max_cube_log2)
        return "XGID=" + ":".join(["".join(letters), *map(str, numbers), rolled, *map(str, rest)])


_SEATS = (Seat.ONE, Seat.TWO)
_XGID = re.compile(r"^XGID\s*[=:]\s*", re.I)


def _log2(cube_value: int) -> int:
    log2 = cube_value.bit_length() - 1
    if cube_value < 1 or cube_value != 1 << log2:
        raise NotSayable(f"a cube cannot show {cube_value}")
    return log2


def _decoded(kind: str, text: str, length: int, size: int) -> bytes:
    if len(text) != length:
        raise InvalidId(kind, text, f"{length} characters are needed")
    try:
        raw = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidId(kind, text, "not base64") from None
    if len(raw) != size:
        raise InvalidId(kind, text, "not base64")
    return raw
