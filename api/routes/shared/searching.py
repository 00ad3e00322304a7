"""Turns that a visitor looks for, as far as that visitor may see the matches they stand in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import Depends, Query

from api.refusals import Problem
from api.routes.shared.cursors import read_places, write_places
from api.routes.shared.door import Door, Visitor
from api.routes.shared.listing import Filters, as_seen, fits, hidden_twins
from api.routes.shared.summaries import summaries
from api.search.boards import position_of
from api.search.positions import FoundTurn
from api.search.question import Question, asked_of, named_by
from api.search.tables import DOUBLES, OWNERS
from api.shapes.matches import MatchSummary
from api.shapes.search import AwayFound, CubeFound, TurnFound, TurnsFound
from events.envelope import ARCHIVE_LOG
from events.errors import BadInput
from projections.board.ids import position_id
from projections.board.named import LONGEST

LOOKED_AT = 2_000
"""Turns that one page looks at; if they do not fill it, the cursor continues."""

_AT_ONCE = 200
"""Turns that are read, and whose matches are looked at, together."""


def question_of(
    text: Annotated[
        str,
        Query(
            max_length=LONGEST,
            description="An XGID, or GNU Backgammon's Position ID, with or without its Match ID.",
            examples=["4HPwATDgc/ABMA"],
        ),
    ] = "",
    like: Annotated[
        Literal["exact", "free", "near"],
        Query(
            description="`exact`: this board. `free`: it may differ on the points `free`. `near`:"
            " also boards on which the checkers of at most two points are at most two pips away."
        ),
    ] = "exact",
    free: Annotated[
        str,
        Query(
            max_length=LONGEST,
            description="Points that may differ, from the side of the player on roll, and `bar`.",
            examples=["1 2 20-24"],
        ),
    ] = "",
    as_written: Annotated[
        bool, Query(description="Whether score, roll and cube must also match the text.")
    ] = False,
    dice: Annotated[str, Query(max_length=10, description="A roll.", examples=["31"])] = "",
    cube: Annotated[int | None, Query(ge=1, le=1 << 30, description="Value of the cube.")] = None,
    owner: Annotated[
        str, Query(max_length=10, description=f"Owner of the cube: {', '.join(OWNERS)}.")
    ] = "",
    double: Annotated[
        str,
        Query(
            max_length=10,
            description=f"Answer to a double before the roll: {', '.join(filter(None, DOUBLES))}.",
        ),
    ] = "",
    own_away: Annotated[
        int | None, Query(ge=0, le=9_999, description="Points the player on roll needs; 0 = money.")
    ] = None,
    other_away: Annotated[
        int | None, Query(ge=0, le=9_999, description="Points the opponent needs.")
    ] = None,
    finding: Annotated[
        str, Query(max_length=64, description="Code of a finding.", examples=["illegal-play"])
    ] = "",
    section: Annotated[
        str, Query(max_length=64, description="Section that a finding cites.", examples=["4.2.3"])
    ] = "",
) -> Question:
    """The question of a request's query."""
    return Question(
        text=text,
        like=like,
        free=free,
        as_written=as_written,
        dice=dice,
        cube=cube,
        owner=owner,
        double=double,
        own_away=own_away,
        other_away=other_away,
        finding=finding,
        section=section,
    )


Questioned = Annotated[Question, Depends(question_of)]


async def turns_found(
    door: Door,
    visitor: Visitor,
    question: Question,
    filters: Filters,
    *,
    log: str | None = None,
    cursor: str | None,
    limit: int,
) -> TurnsFound:
    """One page of what is found, in one log or in all. Errors: Problem, IndexBehind.

    A turn is shown where all of its match is: what of a match may be seen is asked of the match's
    row, by the rules of every list, as this is answered. So nothing of one that is played, that is
    behind the table or under appeal, nor by a player whose name was erased.
    """
    try:
        asked = msgspec.structs.replace(asked_of(question), log_id=log)
    except BadInput as error:
        raise Problem("bad-parameter", error.message, where=f"query.{error.where}") from None
    after = read_places(cursor, tuple[int, int])
    await asyncio.to_thread(door.looks.catch_up)
    also = None if visitor.hand.may_read(ARCHIVE_LOG) else _logs_of(visitor)
    found: list[TurnFound] = []
    seen: dict[int, MatchSummary | None] = {}
    looked_at = 0
    while True:
        turns = await door.looks.find(asked, after=after, limit=_AT_ONCE, also=also)
        new = {turn.match: turn for turn in turns if turn.match not in seen}
        matches = await _matches(door, visitor, list(new.values()), filters)
        if not (question.finding or question.section):
            # A turn found in one record of a match may be missing in another record of it.
            shown = [one for one in matches.values() if one is not None]
            twins = await hidden_twins(door, visitor, shown, log=log, filters=filters)
            for number, one in matches.items():
                if one is not None and (one.log_id, one.match_id) in twins:
                    matches[number] = None
        seen |= matches
        for turn in turns:
            summary = seen[turn.match]
            if looked_at == LOOKED_AT or (summary is not None and len(found) == limit):
                return TurnsFound(found, None if after is None else write_places(*after))
            if summary is not None:
                found.append(told(turn, summary))
            after, looked_at = (turn.match, turn.version), looked_at + 1
        if len(turns) < _AT_ONCE:
            return TurnsFound(found, None)


def _logs_of(visitor: Visitor) -> set[str]:
    """Logs with matches that the visitor may see though they are not public; each is checked."""
    return {grant.log_id for grant in visitor.hand.grants}


async def _matches(
    door: Door, visitor: Visitor, turns: Sequence[FoundTurn], filters: Filters
) -> dict[int, MatchSummary | None]:
    """Match to what the visitor may see of it; None if its turns must not be shown."""
    rows = [
        await asyncio.to_thread(door.index.match, turn.log_id, turn.stream_id) for turn in turns
    ]
    seen = [None if row is None else await as_seen(door, visitor, row) for row in rows]
    whole = {
        turn.match: row
        for turn, row in zip(turns, seen, strict=True)
        # The search contains only what is shown: nothing in it is newer than this visitor may know,
        # and what is newer cannot be inferred from turns that are not found.
        if row is not None
        and turn.since <= row.version <= turn.indexed
        and not row.is_in_play
        and not row.awaits_ruling
    }
    shown = await asyncio.to_thread(summaries, door, visitor, list(whole.values()))
    known = dict(zip(whole, shown, strict=True))
    return {
        turn.match: one if (one := known.get(turn.match)) and fits(one, filters) else None
        for turn in turns
    }


def told(turn: FoundTurn, match: MatchSummary) -> TurnFound:
    """A turn and its match, as answers tell them."""
    position, facts = position_of(turn.key), turn.facts
    xgid, gnubg_id = named_by(turn, position, match.length)
    return TurnFound(
        match=match,
        version=turn.version,
        position_id=position_id(position),
        gnubg_id=gnubg_id,
        xgid=xgid,
        dice=None if facts.dice is None else list(facts.dice),
        double=facts.double,
        cube=CubeFound(value=facts.cube_value or 1, owner=facts.cube_owner or "middle"),
        is_crawford=bool(facts.is_crawford),
        away=AwayFound(own=facts.away_own or 0, other=facts.away_other or 0),
        href=f"/matches/{match.log_id}/{match.match_id}/replay#v{turn.version}",
    )
