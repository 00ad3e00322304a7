"""Feeds: the public matches that last began, ended or were released, as Atom."""

from __future__ import annotations

import asyncio
import email.utils
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from api.archive.tournaments import archive_title
from api.html.feeds import MEDIA_TYPE, Item, atom
from api.html.kept import finished, hashed_answer
from api.html.posted import posted
from api.html.texts import Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared.cursors import PageCursor, read_places, write_places
from api.routes.shared.door import LogId, door_of
from api.routes.shared.listing import news_page, seen_rows
from api.routes.shared.sight import names_of, origin_of, state_words, title_in
from api.shapes.matches import MatchSummary

NEWEST = 40
"""Matches on one page of a feed."""

router = APIRouter(include_in_schema=False)


@router.head("/feed.atom")
@router.get("/feed.atom")
async def feed(request: Request, cursor: PageCursor = None) -> Response:
    """What is new in the whole archive. Errors: Problem."""
    return await _feed(request, None, cursor)


@router.head("/tournaments/{log}/feed.atom")
@router.get("/tournaments/{log}/feed.atom")
async def feed_of_tournament(request: Request, log: LogId, cursor: PageCursor = None) -> Response:
    """What is new in one tournament. Errors: Problem."""
    return await _feed(request, log, cursor)


async def _feed(request: Request, log: str | None, cursor: str | None) -> Response:
    door = door_of(request)
    after = read_places(cursor, tuple[int, str, int])
    await asyncio.to_thread(door.index.catch_up, None if log is None else [log])
    if log is not None and not await asyncio.to_thread(door.index.has_public, log):
        raise Problem("no-such-log", "no public match is in a tournament of this id")
    rows, following = await asyncio.to_thread(news_page, door, log, NEWEST, after)
    shown = await seen_rows(door, rows)
    t, origin = texts_of(language_of(request)), origin_of(request)
    updated = {(row.log_id, row.stream_id): row.news_ms + row.delay_ms for row in rows}
    items = [_item(one, origin, updated[one.log_id, one.match_id], t) for one in shown]
    items.sort(key=lambda item: item.updated_ms, reverse=True)
    page = origin + ("/" if log is None else f"/tournaments/{log}")
    if log is None:
        named = await asyncio.to_thread(archive_title, door.reading)
    else:
        named = await asyncio.to_thread(title_in, door, log)
    title = t("public.feed_title") if named is None else t("public.feed_title_of", title=named)
    url = origin + request.url.path
    made = atom(
        url=url,
        self_url=url if cursor is None else f"{url}?cursor={quote(cursor)}",
        next_url=None if following is None else f"{url}?cursor={quote(write_places(*following))}",
        page=page,
        title=title,
        language=t.language,
        author="Tabularium",
        items=items,
    )
    headers = {
        "Cache-Control": "public, no-cache",
        "Vary": "Accept-Language, Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    if items:
        headers["Last-Modified"] = email.utils.formatdate(items[0].updated_ms / 1_000, usegmt=True)
    return await hashed_answer(request, lambda: finished(made, MEDIA_TYPE), headers)


def _item(summary: MatchSummary, origin: str, updated_ms: int, t: Texts) -> Item:
    names = names_of(summary, t)
    score, length = summary.score, summary.length
    told = state_words(summary, names, t)
    points = f"{score.one}\N{EN DASH}{score.two}"
    kind = "money" if length is None else "length"
    return Item(
        url=f"{origin}/matches/{summary.log_id}/{summary.match_id}",
        title=f"{names.one} \N{EN DASH} {names.two}: {points}, {told}",
        summary=", ".join(
            (*posted(summary, t), points, t(f"public.in_{kind}", length=length), told)
        ),
        updated_ms=updated_ms,
        authors=tuple(name for side in (summary.players.one, summary.players.two) for name in side),
    )
