"""Which matches of a log a visitor asks for: filters over the list as that visitor may see it."""

from __future__ import annotations

import asyncio
import datetime
import re
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Literal, NamedTuple

from fastapi import Depends, Query

from api.archive.index.catching_up import IndexBehind
from api.archive.index.rows import MatchRow, row_of
from api.archive.index.spelled import asked, spellings
from api.archive.index.sql import State
from api.archive.known import is_older
from api.desk.embargo import as_heard, is_embargoed
from api.refusals import Problem
from api.routes.shared.door import ANONYMOUS, Door, Visitor, sight
from api.routes.shared.due import public_now
from api.routes.shared.problems import check_rule_set
from api.routes.shared.summaries import summaries
from api.search.counting import Key, Twin, twins
from api.shapes.matches import MatchSummary
from projections.rules.texts.common import COMMON
from projections.views.showing import (
    People,
    Reader,
    is_cut_in_list,
    is_embargoed_in_list,
    people_in_list,
    reader_of,
)

LOOKED_AT = 2_000
"""Rows that one page of a filtered list looks at; if they do not fill it, the cursor continues."""

FEW = 5_000
"""Players, or matches, for which the index is queried one by one."""

_AT_ONCE = 200
"""Rows of the index that are read, and whose names are opened, together."""

_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_LENGTH = r"^([1-9][0-9]{0,3}|money)$"
_WRITTEN_DAY = re.compile(r"(\d{4})[-./](\d{2})[-./](\d{2})(?!\d)")

Player = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        description="Matches with a player whose name contains this; case and accents are ignored.",
        examples=["berg"],
    ),
]
Event = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        description="Matches whose event's name contains this; case and accents are ignored.",
        examples=["open"],
    ),
]
Since = Annotated[
    str | None,
    Query(pattern=_DAY, description="Matches of this day and later ones.", examples=["2026-01-01"]),
]
Until = Annotated[
    str | None,
    Query(pattern=_DAY, description="Matches of this day and older ones.", examples=["2026-12-31"]),
]
RuleSet = Annotated[
    str | None,
    Query(
        max_length=64,
        description=f"Matches under this rule set; where none is pinned, that is `{COMMON.id}`.",
        examples=[COMMON.id],
    ),
]
Length = Annotated[
    str | None,
    Query(
        pattern=_LENGTH,
        description="Matches to this many points, or `money`.",
        examples=["7"],
    ),
]
Sort = Annotated[
    Literal["oldest", "newest"],
    Query(description="Order by the time of opening in the log.", examples=["oldest"]),
]


class Filters(NamedTuple):
    """What a match has to be like; None = anything will do."""

    player: str | None = None
    event: str | None = None
    since: str | None = None
    until: str | None = None
    rule_set: str | None = None
    length: str | None = None
    state: State | None = None
    newest_first: bool = False
    """Not a filter: the order of the list."""

    @property
    def is_any(self) -> bool:
        """Whether every match will do."""
        return all(value is None for value in self[:-1])


def filters_of(
    player: Player = None,
    event: Event = None,
    since: Since = None,
    until: Until = None,
    rule_set: RuleSet = None,
    length: Length = None,
    sort: Sort = "oldest",
) -> Filters:
    """The filters of a request's query."""
    for name, day in (("since", since), ("until", until)):
        if day is not None and not is_day(day):
            place = f"query.{name}"
            raise Problem("bad-parameter", f"{place}: there is no day {day[:20]!a}", where=place)
    check_rule_set(rule_set, "query.rule_set")
    return Filters(player, event, since, until, rule_set, length, newest_first=sort == "newest")


ANY = Filters()
"""Every match."""

Filtered = Annotated[Filters, Depends(filters_of)]


class Place(NamedTuple):
    """One row of a list that was looked at."""

    opened_at: int
    """Where to continue after it."""
    summary: MatchSummary | None
    """The match as the visitor may see it; None = it does not fit the filters."""


async def walk(
    door: Door, visitor: Visitor, log_id: str, filters: Filters, *, after: int | None, wanted: int
) -> AsyncIterator[Place]:
    """A log's matches that the visitor may see, one by one; no match is replayed for a filter.

    `wanted` is how many the visitor will take: as many are read together, or more where a filter
    will leave out most of them.

    The filters ask what is shown to this visitor, and nothing else: a name that is withheld, or
    younger than the delay, is found by nobody who may not see it.
    """
    hand = visitor.hand
    own = [grant.match for grant in hand.grants if grant.match and grant.log_id == log_id]
    at_once = wanted if filters.is_any else _AT_ONCE

    def rows_of(after: int | None, only: list[int] | None) -> list[MatchRow]:
        return door.index.matches(
            log_id,
            after=None if after is None else (log_id, after),
            limit=at_once,
            public_only=not hand.may_read(log_id),
            also=own,
            newest_first=filters.newest_first,
            state=filters.state,
            only=only,
        )

    def only_those() -> list[int] | None:
        """Matches in which somebody plays whose name holds the part, as they are walked; None =
        look at them all. The list is up to date then.
        """
        door.index.catch_up([log_id])
        # The index knows only names of public matches: whoever sees others has all looked at.
        if filters.player is None or own or hand.may_read(log_id):
            return None
        found = door.index.players.holding(filters.player, door.same.groups(), limit=FEW)
        if found is None or found.few is None:
            return None
        places = door.index.players.places(log_id, found.few, limit=FEW)
        if places is None:
            return None
        if filters.newest_first:
            return [places[at] for at in reversed(places) if after is None or at < after]
        return [match for at, match in places.items() if after is None or at > after]

    only = await asyncio.to_thread(only_those)
    if only is not None and filters == Filters(filters.player, newest_first=filters.newest_first):
        # The index has already filtered them: nearly all of these fit.
        at_once = wanted
    is_last = False
    while not is_last:
        if only is None:
            rows = await asyncio.to_thread(rows_of, after, None)
            is_last = len(rows) < at_once
        else:
            rows = await asyncio.to_thread(rows_of, after, only[:at_once])
            only = only[at_once:]
            is_last = not only
        if not rows:
            continue
        seen = [await as_seen(door, visitor, row) for row in rows]
        values = await asyncio.to_thread(summaries, door, visitor, [row for row in seen if row])
        left = iter(values)
        for row, shown in zip(rows, seen, strict=True):
            value = None if shown is None else next(left)
            yield Place(row.opened_at, value if value and fits(value, filters) else None)
        after = rows[-1].opened_at


def fits(summary: MatchSummary, filters: Filters) -> bool:
    """Whether a match, as it is shown, is what was asked for."""
    if filters.is_any:
        return True
    if not summary.version:
        # Its opening is newer than the delay allows: nothing can be said about it yet.
        return False
    names = [name for side in (summary.players.one, summary.players.two) for name in side]
    return (
        (filters.player is None or any(_holds(name, filters.player) for name in names))
        and (filters.event is None or _holds(summary.event or "", filters.event))
        and filters.state in (None, stage_of(summary))
        and _is_within(summary.date, filters.since, filters.until)
        and filters.rule_set in (None, summary.rule_set or COMMON.id)
        and filters.length in (None, "money" if not summary.length else str(summary.length))
    )


def stage_of(summary: MatchSummary) -> State | Literal["cancelled"]:
    """How far a match, as it is shown, has come: an import that breaks off goes on no more."""
    if summary.state == "damaged" or summary.source is not None:
        return "ended"
    return summary.state


def _holds(text: str, part: str) -> bool:
    return asked(part) in spellings(text)


def _is_within(written: str | None, since: str | None, until: str | None) -> bool:
    """Whether a day, as its source wrote it, is in a period; one that cannot be read is not."""
    if since is None and until is None:
        return True
    day = day_of(written)
    if day is None:
        return False
    return (since is None or since <= day) and (until is None or day <= until)


def is_day(text: str) -> bool:
    """Whether it is a day of the calendar, as `2026-01-31`: another text finds nothing or all."""
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return re.fullmatch(_DAY, text) is not None


def is_length(text: str) -> bool:
    """Whether it is a length that a match may be asked for by."""
    return re.fullmatch(_LENGTH, text) is not None


def day_of(written: str | None) -> str | None:
    """The day that a source wrote, as `2026-01-31`; None where it cannot be read."""
    found = _WRITTEN_DAY.match(written or "")
    return None if found is None else "-".join(found.groups())


async def page_of(
    door: Door,
    visitor: Visitor,
    log_id: str,
    filters: Filters,
    *,
    after: int | None,
    limit: int,
) -> tuple[list[MatchSummary], int | None]:
    """One page of a list, and where the next one begins; None = there is no more.

    A page is short, or even empty, where the first `LOOKED_AT` rows hold no more that fit.
    """
    values: list[MatchSummary] = []
    last, looked_at = after, 0
    async for place in walk(door, visitor, log_id, filters, after=after, wanted=limit + 1):
        if looked_at == LOOKED_AT or (place.summary is not None and len(values) == limit):
            return values, last
        if place.summary is not None:
            values.append(place.summary)
        last, looked_at = place.opened_at, looked_at + 1
    return values, None


async def as_seen(door: Door, visitor: Visitor, row: MatchRow) -> MatchRow | None:
    """The row as the visitor may see it: the one rule for whatever shows matches side by side.

    For the public it is behind the table where a delay is set, and stands still while a dispute is
    open (`awaits_ruling`; the score is the one before it). None where the match may not be seen at
    all: withdrawn since the list was read, or under appeal.

    A list gets its rows from `door.index` and hands each to this with the visitor who asks, or with
    `ANONYMOUS` where everybody sees the same (a page on a wall, a feed); `summaries` makes of what
    it gives the score, state and names that may be shown. Nothing else is to be read of a match.
    """
    key = (row.log_id, row.stream_id)
    if visitor.hand.may_read(*key):
        reader = reader_of(visitor.hand.grants, *key)
        if row.awaits_ruling:
            live = await asyncio.to_thread(door.reading.once, *key)
            row = row_of(*key, row.opened_at, live.replay, live.publicity)
        if reader in (Reader.VIEWER, Reader.COMMITTEE):
            row = await asyncio.to_thread(as_heard, door.reading, row)
        if is_cut_in_list(reader, row.rule_set):
            # The row has the score and the end, which may depend on what this reader must not see.
            live = await asyncio.to_thread(door.reading.once, *key)
            seen = await sight(door, visitor, *key, live=live)
            shown = await asyncio.to_thread(live.replay.at, seen.version)
            return row_of(*key, row.opened_at, shown, seen.publicity, reach=seen.reach)
        if is_embargoed_in_list(reader, row.rule_set):
            live = await asyncio.to_thread(door.reading.once, *key)
            if await asyncio.to_thread(is_embargoed, door.reading, row.log_id, live):
                return None
        return row
    if not row.is_public:
        return None
    if not row.awaits_ruling:
        if not row.delay_ms:
            return row
        moment = door.archive.lateness.before(row.delay_ms)
        if await asyncio.to_thread(is_older, door.reading.store, *key, row.version, moment):
            return row
    live = await asyncio.to_thread(door.reading.once, *key)
    try:
        seen = await sight(door, visitor, *key, live=live)
    except Problem:
        return None
    shown = await asyncio.to_thread(live.replay.at, seen.version)
    return row_of(*key, row.opened_at, shown, seen.publicity, reach=seen.reach)


def news_rows(
    door: Door, log: str | None, count: int, *, live_only: bool = False
) -> list[MatchRow]:
    """Matches by the news that the public may know by now, the newest first. Reads the index."""
    return door.index.news(log, now_ms=public_now(door), limit=count, live_only=live_only)


def news_page(
    door: Door,
    log: str | None,
    count: int,
    after: tuple[int, str, int] | None,
    *,
    names: Sequence[str] | None = None,
) -> tuple[list[MatchRow], tuple[int, str, int] | None]:
    """The same page by page: `count` rows, and where the next ones begin; None = there are none.

    `names`: only matches that stand in the list of somebody who is called so.
    """
    persons = None
    if names is not None:
        found = map(door.index.players.person_of, names)
        persons = [person for person in found if person is not None]
    rows = door.index.news(
        log, now_ms=public_now(door), after=after, limit=count + 1, persons=persons
    )
    if len(rows) <= count:
        return rows, None
    last = rows[count - 1]
    return rows[:count], (last.news_ms + last.delay_ms, last.log_id, last.opened_at)


async def seen_rows(door: Door, rows: list[MatchRow]) -> list[MatchSummary]:
    """Rows as the public may see them; those of which nothing may be seen yet are left out."""
    seen = [await as_seen(door, ANONYMOUS, row) for row in rows]
    shown = await asyncio.to_thread(summaries, door, ANONYMOUS, [row for row in seen if row])
    return [one for one in shown if one.version]


# -- one match in several files --------------------------------------------------------------------


async def _same(door: Door, seen: Sequence[MatchSummary]) -> dict[Key, list[Twin]]:
    """What the search already knows of them; lists do not wait for it."""
    if not seen or not door.looks.is_made:
        return {}
    asked = [((one.log_id, one.match_id), one.version) for one in seen]
    try:
        return await door.looks.ask(lambda index: twins(index, asked))
    except IndexBehind:
        return {}


async def hidden_twins(
    door: Door,
    visitor: Visitor,
    matches: Sequence[MatchSummary],
    *,
    log: str | None = None,
    filters: Filters = ANY,
) -> set[Key]:
    """Those in whose place another file of the same match is shown, one that fits the filters too.

    `log`: only files of this log stand for one another.
    """
    found = set()
    for key, same in (await _same(door, matches)).items():
        place = [one.key for one in same].index(key)
        for other in same[:place]:
            if log is not None and other.key[0] != log:
                continue
            shown = await _whole(door, visitor, other)
            if shown is not None and fits(shown, filters):
                found.add(key)
                break
    return found


async def files_of(door: Door, visitor: Visitor, match: MatchSummary) -> list[MatchSummary]:
    """Every file of a match that its visitor may see, that one too; none where it is but one, nor
    for who must not know the players: another file may be public, and says who they are.
    """
    key = (match.log_id, match.match_id)
    reader = reader_of(visitor.hand.grants, *key)
    if people_in_list(reader, match.rule_set) is People.NONE:
        return []
    same = (await _same(door, [match])).get(key, [])
    shown = [await _whole(door, visitor, one) for one in same]
    found = [one for one in shown if one is not None]
    is_among = any((one.log_id, one.match_id) == key for one in found)
    return found if is_among and len(found) > 1 else []


async def _whole(door: Door, visitor: Visitor, twin: Twin) -> MatchSummary | None:
    """A record of the same match, if it is over and the visitor sees as much as is the same."""
    row = await asyncio.to_thread(door.index.match, *twin.key)
    seen = None if row is None else await as_seen(door, visitor, row)
    if seen is None or seen.is_in_play or seen.awaits_ruling:
        return None
    if not twin.since <= seen.version <= twin.last:
        return None
    [summary] = await asyncio.to_thread(summaries, door, visitor, [seen])
    return summary
