"""Pages of lists: the tournaments with public matches, and the matches of a tournament."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from api.archive.index.rows import LogRow
from api.archive.tournaments import archive_title, tournament_line
from api.html.kept import Made, finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.routes.shared.cookie import csrf_for
from api.routes.shared.cursors import PageCursor, place_of, read_places, write_cursor, write_places
from api.routes.shared.door import ANONYMOUS, Door, LogId, door_of, visitor_of
from api.routes.shared.listing import Filters, hidden_twins, news_rows, page_of, seen_rows, stage_of
from api.routes.shared.sight import origin_of, page_headers, title_in
from api.shapes.matches import MatchSummary
from events.envelope import ARCHIVE_LOG

TOURNAMENTS = 30
"""How many tournaments one page has."""

LATEST = 8
"""How many new matches the front page shows."""

LIVE = 12
"""How many live matches the front page shows."""

MATCHES = 50
"""How many matches one page of a tournament has."""

Player = Annotated[str | None, Query(max_length=200, description="A part of a player's name.")]
State = Annotated[Literal["", "waiting", "live", "ended"], Query(description="Only these.")]

router = APIRouter(include_in_schema=False)


@router.get("/")
async def list_page(request: Request, cursor: PageCursor = None) -> Response:
    """The front page: tournaments with public matches, those with live ones first; and news."""
    door = door_of(request)
    after = read_places(cursor, tuple[int, int, str])
    await asyncio.to_thread(door.index.catch_up)
    logs = await asyncio.to_thread(door.index.public_logs, after=after, limit=TOURNAMENTS + 1)
    following = None
    if len(logs) > TOURNAMENTS:
        logs = logs[:TOURNAMENTS]
        following = _place_after(logs[-1])
    live: list[MatchSummary] = []
    latest: list[MatchSummary] = []
    if cursor is None:
        live = await _news(door, LIVE, live_only=True)
        latest = await _news(door, LATEST, live_only=False)
    shown_live = {(one.log_id, one.match_id) for one in live}
    values = {
        "logs": logs,
        "live": live,
        "latest": [one for one in latest if (one.log_id, one.match_id) not in shown_live],
        "titles": {row.log_id: row.title or row.log_id for row in logs},
        "next_cursor": following,
        "is_first": cursor is None,
        "archive_title": await asyncio.to_thread(archive_title, door.reading),
        "is_signed_in": csrf_for(request) is not None,
        "url": origin_of(request),
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "index.html", **values).encode()), HEADERS
    )


@router.get("/tournaments/{log}")
async def tournament_page(
    request: Request,
    log: LogId,
    player: Player = None,
    state: State = "",
    cursor: PageCursor = None,
) -> Response:
    """The matches of a tournament that the visitor may see, newest first. Errors: Problem."""
    door = door_of(request)
    visitor = await visitor_of(door, request, log)

    def has_public() -> bool:
        door.archive.store.log_head(log)
        door.index.catch_up([log])
        return door.index.has_public(log)

    # Switching to a thread costs more than most of these look-ups, so do them all in one.
    may_read = await asyncio.to_thread(has_public) or bool(visitor.hand.grants)
    if log == ARCHIVE_LOG or not may_read:
        raise visitor.refusal("viewer of the log")
    wanted = (player or "").strip() or None
    filters = Filters(player=wanted, state=state or None, newest_first=True)
    matches, place = await page_of(
        door, visitor, log, filters, after=place_of(cursor), limit=MATCHES
    )
    twins = await hidden_twins(door, visitor, matches, log=log, filters=filters)
    matches = [one for one in matches if (one.log_id, one.match_id) not in twins]
    live: list[MatchSummary] = []
    if cursor is None and filters.is_any:
        only_live = Filters(state="live", newest_first=True)
        live, _ = await page_of(door, visitor, log, only_live, after=None, limit=LIVE)

    def made() -> Made:
        about = tournament_line(door.reading, log)
        days = [day for day in (about.starts_on, about.ends_on) if day is not None]
        values: dict[str, object] = {
            "log_id": log,
            "title": title_in(door, log),
            "place": about.place,
            "days": list(dict.fromkeys(days)),
            "matches": matches,
            "live": live,
            "count": door.index.count(log, public_only=not visitor.hand.may_read(log)),
            "player": wanted or "",
            "state": state,
            "next_cursor": None if place is None else write_cursor(place),
            "is_first": cursor is None,
            "is_filtered": not filters.is_any,
            "url": f"{origin_of(request)}/tournaments/{log}",
        }
        values["linked_data"] = _linked_data(values)
        return finished(rendered(request, "tournament.html", **values).encode())

    return await hashed_answer(request, made, page_headers(visitor))


async def _news(door: Door, count: int, *, live_only: bool) -> list[MatchSummary]:
    """The public matches with the latest news, as the public may see them."""
    rows = await asyncio.to_thread(news_rows, door, None, count, live_only=live_only)
    found = await seen_rows(door, rows)
    twins = await hidden_twins(door, ANONYMOUS, found)
    return [
        one
        for one in found
        if (not live_only or stage_of(one) == "live") and (one.log_id, one.match_id) not in twins
    ][:count]


def _linked_data(values: Mapping[str, object]) -> dict[str, object]:
    """The tournament as data for search engines: place and dates, as far as they are disclosed."""
    days = values["days"]
    assert isinstance(days, list)
    place = {"@type": "Place", "name": values["place"], "address": values["place"]}
    told = {
        "@context": "https://schema.org",
        "@type": "SportsEvent",
        "sport": "Backgammon",
        "name": values["title"],
        "url": values["url"],
        "location": place if values["place"] else None,
        "startDate": days[0] if days else None,
        "endDate": days[-1] if days else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _place_after(row: LogRow) -> str:
    return write_places(int(row.live > 0), row.news_ms, row.log_id)
