"""Statistics for everybody: of matches that are over and of which anybody may see everything."""

from __future__ import annotations

import asyncio
import re
from itertools import groupby
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import Depends, Query

from api.refusals import Problem
from api.routes.shared.door import AN_ID, Door
from api.routes.shared.due import public_now
from api.routes.shared.listing import Length, RuleSet
from api.routes.shared.persons import played_by
from api.search.counting import Counted, Replies, Reply, replies
from api.search.figures import START
from api.shapes.figures import OpeningsCounted, ReplyCounted, RollCounted
from projections.board.ids import InvalidId, position_from_id, position_id
from projections.rules.shelf import SHELF

Roll = Annotated[
    str | None, Query(max_length=10, description="Only with this opening roll.", examples=["31"])
]
After = Annotated[
    str | None,
    Query(
        max_length=40,
        description="Position ID after the first play, from the opponent's side: then second rolls"
        " are counted instead of opening rolls.",
        examples=["sGfwATDgc/ABMA"],
    ),
]
Second = Annotated[
    str | None, Query(max_length=10, description="Only with this second roll.", examples=["64"])
]
OfLog = Annotated[str | None, Query(pattern=AN_ID, description="Only in matches of this log.")]
By = Annotated[
    str | None,
    Query(
        max_length=200,
        description="Only plays of this player, by the whole name; case and accents do not matter"
        " if one player alone fits.",
    ),
]


class Explored(NamedTuple):
    """What of the openings is asked for."""

    first: int | None = None
    """Only this opening roll: 31."""
    after: str | None = None
    """Position ID after the first play."""
    second: int | None = None
    """Only this second roll."""
    log: str | None = None
    player: str | None = None
    rule_set: str | None = None
    length: int | None = None
    """0 = money."""


def explored_of(
    first: Roll = None,
    after: After = None,
    second: Second = None,
    log: OfLog = None,
    player: By = None,
    rule_set: RuleSet = None,
    length: Length = None,
) -> Explored:
    """What a request asks for. Errors: Problem."""
    return explored(
        first=first or "",
        after=after or "",
        second=second or "",
        log=log or "",
        player=player or "",
        rule_set=rule_set or "",
        length=length or "",
    )


def explored(
    *,
    first: str = "",
    after: str = "",
    second: str = "",
    log: str = "",
    player: str = "",
    rule_set: str = "",
    length: str = "",
) -> Explored:
    """What somebody asks for, in words. Errors: Problem, which says what cannot be read."""
    if second.strip() and not after.strip():
        raise _bad("a second roll comes after a first play: name its board", "after")
    if rule_set and rule_set not in SHELF:
        raise _bad(f"there is no rule set {rule_set[:64]!a}", "rule_set")
    if not re.fullmatch(r"([1-9]\d{0,3}|money)?", length):
        raise _bad("a length is a number of points, or `money`", "length")
    return Explored(
        first=_roll(first, "first"),
        after=_board(after.strip()) if after.strip() else None,
        second=_roll(second, "second"),
        log=log or None,
        player=player.strip() or None,
        rule_set=rule_set or None,
        length=None if not length else 0 if length == "money" else int(length),
    )


Exploring = Annotated[Explored, Depends(explored_of)]


def _roll(text: str, where: str) -> int | None:
    if not text.strip():
        return None
    found = re.fullmatch(r"\s*([1-6])\s*[-,/ ]?\s*([1-6])\s*", text)
    if found is None:
        raise _bad("a roll is written as `31`", where)
    low, high = sorted((int(found[1]), int(found[2])))
    return 10 * high + low


def _board(text: str) -> str:
    try:
        return position_id(position_from_id(text))
    except InvalidId as error:
        raise _bad(str(error), "after") from None


def _bad(detail: str, where: str) -> Problem:
    return Problem("bad-parameter", detail, where=f"query.{where}")


async def openings_counted(door: Door, asked: Explored) -> OpeningsCounted:
    """What was played with first or second rolls. Errors: Problem, IndexBehind."""
    await asyncio.to_thread(door.looks.catch_up)
    now_ms = await asyncio.to_thread(public_now, door)
    counted = Counted(
        public_by=now_ms,
        log_id=asked.log,
        rule_set=asked.rule_set,
        length=asked.length,
        of=None if asked.player is None else await asyncio.to_thread(played_by, door, asked.player),
    )
    found = await door.looks.ask(
        lambda index: replies(
            index, counted, first=asked.first, after=asked.after, second=asked.second
        )
    )
    return told(asked, found)


def told(asked: Explored, found: Replies) -> OpeningsCounted:
    """What was counted, as answers tell it."""
    rolls = []
    for dice, of_one in groupby(found.found, lambda one: one.dice):
        shown = [_reply(one) for one in of_one]
        games = sum(one.games for one in shown)
        rolls.append(RollCounted(list(divmod(dice, 10)), games, shown))
    return OpeningsCounted(asked.after or START, found.matches, rolls)


def _reply(one: Reply) -> ReplyCounted:
    sums = one.sums
    return ReplyCounted(
        play=one.play,
        position_id=one.after,
        games=sums.games,
        over=sums.over,
        won=sums.won,
        gammons_won=sums.gammons_won,
        gammons_lost=sums.gammons_lost,
        points=sums.points,
        points_with_cube=sums.points_with_cube,
        href=f"/search?{urlencode({'text': one.after})}",
    )
