"""What a text says that names a board: an XGID, or GNU Backgammon's ids, one or both of them."""

from __future__ import annotations

import re

import msgspec

from events.values import Seat
from projections.board.ids import InvalidId, MatchId, Xgid, XgSide, position_from_id
from projections.board.position import Position

LONGEST = 200
"""Characters of a text that can name a board, labels and all."""

_LABELS = re.compile(r"GNU Backgammon|GNUBGID|Position ID|Match ID", re.IGNORECASE)


class NamedBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A board, and what else its text says; None = nothing is said of it."""

    position: Position
    """As the player on roll sees it."""
    dice: tuple[int, int] | None = None
    """The roll, higher first; None before it too."""
    cube_value: int | None = None
    """What the cube shows."""
    cube_owner: bool | None = None
    """Whether the player on roll owns it; None = in the middle, or not said."""
    away: tuple[int, int] | None = None
    """Points that the player on roll and the opponent still need; (0, 0) = money."""
    is_crawford: bool = False
    """Whether it is the Crawford game."""
    is_top: bool = False
    """Whether the player on roll is the one whom an XGID has at the top of its board."""


def named_board(text: str) -> NamedBoard:
    """The board that a text names.

    Takes `XGID=...` with or without its label, a Position ID, and a Position ID with a Match ID
    behind it (`4HPwATDgc/ABMA:cAkAAAAAAAAA`), with the labels of GNU Backgammon or without.

    Raises:
        InvalidId: it names none.
    """
    bare = _LABELS.sub(" ", text)
    if bare.count(":") > 4 or "XGID" in text.upper():
        return _of_xgid(Xgid.decode(text.strip()))
    words = [word for word in re.split(r"[\s:]+", bare) if word]
    if not 1 <= len(words) <= 2:
        raise InvalidId("Position ID or XGID", text.strip(), "no such id is written so")
    position = position_from_id(words[0])
    if len(words) == 1:
        return NamedBoard(position=position)
    return _of_match(position, MatchId.decode(words[1]))


def _of_xgid(read: Xgid) -> NamedBoard:
    is_bottom = read.on_roll is XgSide.BOTTOM
    scores = (read.score_bottom, read.score_top)
    own, other = scores if is_bottom else scores[::-1]
    return NamedBoard(
        position=read.position,
        dice=_sorted(read.dice),
        cube_value=read.cube_value,
        cube_owner=None if read.cube_owner is None else read.cube_owner is read.on_roll,
        away=_away(read.length, own, other),
        is_crawford=bool(read.length and read.rules == 1),
        is_top=not is_bottom,
    )


def _of_match(position: Position, read: MatchId) -> NamedBoard:
    mover: Seat = read.on_roll
    return NamedBoard(
        position=position,
        dice=_sorted(read.dice),
        cube_value=read.cube_value,
        cube_owner=None if read.cube_owner is None else read.cube_owner is mover,
        away=_away(read.length, read.score[mover], read.score[mover.other]),
        is_crawford=read.is_crawford,
    )


def _sorted(dice: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if dice is None else (max(dice), min(dice))


def _away(length: int, own: int, other: int) -> tuple[int, int]:
    return (max(length - own, 0), max(length - other, 0)) if length else (0, 0)
