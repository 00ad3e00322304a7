"""What somebody looks for, as doors are asked for it: a board and how like it, and what else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from api.search.boards import key_of, mask_of, near
from api.search.positions import Conditions, FoundTurn
from api.search.tables import DOUBLES, OWNERS, Facts
from events.errors import BadInput
from events.values import BAR, BySeat, Seat
from projections.board.ids import InvalidId, MatchId, NotSayable, Xgid, XgSide, position_id
from projections.board.named import NamedBoard, named_board
from projections.board.position import Position
from projections.folding.findings import CODES

Like = Literal["exact", "free", "near"]
"""How like a board has to be: the same, the same but for points that do not matter, or nearby."""

LIKE: tuple[Like, ...] = get_args(Like)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for, as it was written; "" or None = anything will do."""

    text: str = ""
    """An XGID, or GNU Backgammon's Position ID, with or without its Match ID."""
    like: Like = "exact"
    free: str = ""
    """Points that do not matter, such as `1 2 20-24`; `bar` is that of the player on roll."""
    as_written: bool = False
    """Whether score, roll and cube have to be those that the text says as well."""
    dice: str = ""
    """A roll such as `31`, in either order."""
    cube: int | None = None
    """What the cube shows."""
    owner: str = ""
    """Where it lies: `middle`, `own` (with the player on roll) or `other`."""
    double: str = ""
    """What became of a double before the roll: `taken`, `dropped`, `beavered`, `offered`."""
    own_away: int | None = None
    """Points that the player on roll needs; 0 = money."""
    other_away: int | None = None
    """Points that the opponent needs."""
    finding: str = ""
    """Code of what was found in the turn."""
    section: str = ""
    """Section of a rule set by which something was found in it."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is asked of a turn."""
        return self == Question(like=self.like, free=self.free, as_written=self.as_written)


def board_of(question: Question) -> NamedBoard | None:
    """The board that the question names. Errors: BadInput."""
    if not question.text.strip():
        return None
    try:
        return named_board(question.text)
    except InvalidId as error:
        raise BadInput(f"{error}: send an XGID or a Position ID", where="text") from None


def asked_of(question: Question) -> Conditions:
    """The question as the index takes it. Errors: BadInput, which says what cannot be read."""
    if question.is_empty:
        raise BadInput("say what a turn is like: a board, a roll, a cube, a finding", where="text")
    board = board_of(question)
    keys, mask = None, None
    if board is not None:
        if max(sum(board.position.own[1:]), sum(board.position.other[1:])) > 15:
            raise BadInput("a board has at most 15 checkers a side", where="text")
        if question.like == "near":
            keys = near(board.position)
        else:
            keys = {key_of(board.position)}
            mask = mask_of(free_points(question.free)) if question.like == "free" else None
    elif question.like == "free" and question.free.strip():
        raise BadInput("points that do not matter need a board", where="free")
    finding = question.finding.strip()
    if finding and finding not in CODES:
        raise BadInput(f"no finding is called {finding[:64]!a}", where="finding")
    said = _said(question)
    if board is not None and question.as_written:
        said = {**_written(board), **said}
    return Conditions(
        keys=keys,
        mask=mask,
        facts=msgspec.convert(said, Facts),
        finding=finding or None,
        section=question.section.strip() or None,
    )


def free_points(text: str) -> set[int]:
    """The points that a text such as `1 2, 20-24 bar` names. Errors: BadInput."""
    points: set[int] = set()
    for word in re.split(r"[\s,;]+", text.strip().lower()):
        span = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", word)
        if word in ("bar", "bars"):
            points |= {0, BAR}
        elif span is not None:
            first = int(span[1])
            last = int(span[2] or first)
            if not 1 <= first <= last <= 24:
                raise BadInput(f"points are numbered from 1 to 24: {word}", where="free")
            points |= set(range(first, last + 1))
        elif word:
            raise BadInput(f"points are written as `1 2 20-24 bar`: {word[:20]!a}", where="free")
    return points


def _said(question: Question) -> Mapping[str, object]:
    """What is asked of the turn beside its board."""
    said: dict[str, object] = {}
    if question.dice.strip():
        found = re.fullmatch(r"\s*([1-6])\s*[-,/ ]?\s*([1-6])\s*", question.dice)
        if found is None:
            raise BadInput("a roll is written as `31`", where="dice")
        said["dice"] = tuple(sorted((int(found[1]), int(found[2])), reverse=True))
    if question.cube is not None:
        if question.cube < 1 or question.cube & (question.cube - 1) or question.cube > 1 << 30:
            raise BadInput("a cube shows 1, 2, 4 and so on", where="cube")
        said["cube_value"] = question.cube
    for name, word, words in (
        ("cube_owner", question.owner, OWNERS),
        ("double", question.double, DOUBLES),
    ):
        if word and word not in words:
            known = ", ".join(filter(None, words))
            raise BadInput(f"{word[:20]!a} is none of {known}", where=name.removeprefix("cube_"))
        if word:
            said[name] = word
    for name, points in (("away_own", question.own_away), ("away_other", question.other_away)):
        if points is not None:
            if not 0 <= points <= 9_999:
                raise BadInput("points that are needed are from 0 (money) to 9999", where=name)
            said[name] = points
    return said


def _written(board: NamedBoard) -> dict[str, object]:
    """What a text says beside its board, as far as it says it."""
    said: dict[str, object] = {}
    if board.dice is not None:
        said["dice"] = board.dice
    if board.cube_value is not None:
        owner = board.cube_owner
        said["cube_value"] = board.cube_value
        said["cube_owner"] = "middle" if owner is None else "own" if owner else "other"
    if board.away is not None:
        said["away_own"], said["away_other"] = board.away
        said["is_crawford"] = board.is_crawford
    return said


def named_by(turn: FoundTurn, position: Position, length: int | None) -> tuple[str, str]:
    """(XGID, GNU Backgammon's two ids) of a turn before its roll is played."""
    facts = turn.facts
    points = length or 0
    own, other = (
        (points - (facts.away_own or 0), points - (facts.away_other or 0)) if points else (0, 0)
    )
    owner = facts.cube_owner
    is_offered = facts.double in ("dropped", "offered")
    dice = None if is_offered else facts.dice
    xgid = Xgid(
        board=position,
        cube_value=facts.cube_value or 1,
        cube_owner={"own": XgSide.BOTTOM, "other": XgSide.TOP}.get(owner or ""),
        on_roll=XgSide.BOTTOM,
        dice=dice,
        score_bottom=max(own, 0),
        score_top=max(other, 0),
        length=points,
        rules=int(bool(facts.is_crawford and points)),
        cube_act="D" if is_offered else "",
    )
    match = MatchId(
        cube_value=facts.cube_value or 1,
        cube_owner={"own": Seat.ONE, "other": Seat.TWO}.get(owner or ""),
        on_roll=Seat.ONE,
        to_act=Seat.TWO if is_offered else Seat.ONE,
        dice=dice,
        length=points,
        score=BySeat(max(own, 0), max(other, 0)),
        is_crawford=bool(facts.is_crawford),
        is_doubled=is_offered,
    )
    try:
        return xgid.encode(), f"{position_id(position)}:{match.encode()}"
    except NotSayable:
        return "", position_id(position)
