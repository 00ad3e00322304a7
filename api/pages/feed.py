"""Atom feeds of public matches that began, ended or were released: of all, or of one player."""

from __future__ import annotations

import asyncio
import email.utils
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from api.archive.tournaments import archive_title
from api.html.feeds import MEDIA_TYPE, Item, atom
from api.html.kept import finished, hashed_answer
from api.html.templates import posted, set_apart
from api.html.texts import LANGUAGES, Texts, language_of, texts_of
from api.refusals import Problem
from api.routes.shared import persons
from api.routes.shared.cursors import PageCursor, read_places, write_places
from api.routes.shared.door import ANONYMOUS, LogId, door_of
from api.routes.shared.listing import ANY, Filters, hidden_twins, news_page, seen_rows
from api.routes.shared.sight import (
    length_words,
    names_of,
    origin_of,
    public_door,
    state_words,
    title_in,
)
from api.shapes.matches import MatchSummary

NEWEST = 40
"""How many matches one page of a feed has."""

router = APIRouter(include_in_schema=False)


@router.head("/feed.atom")
@router.get("/feed.atom")
async def feed(request: Request, cursor: PageCursor = None) -> Response:
    """The feed of the whole archive. Errors: Problem."""
    door = door_of(request)
    await asyncio.to_thread(door.index.catch_up)
    title = await asyncio.to_thread(archive_title, door.reading)
    return await _feed(request, Of("/", title), cursor)


@router.head("/tournaments/{log}/feed.atom")
@router.get("/tournaments/{log}/feed.atom")
async def feed_of_tournament(request: Request, log: LogId, cursor: PageCursor = None) -> Response:
    """The feed of one tournament. Errors: Problem."""
    door = await public_door(request, log)
    title = await asyncio.to_thread(title_in, door, log)
    return await _feed(request, Of(f"/tournaments/{log}", title, log=log), cursor)


@router.head("/players/{name:path}/feed.atom")
@router.get("/players/{name:path}/feed.atom")
async def feed_of_player(request: Request, name: str, cursor: PageCursor = None) -> Response:
    """The feed of one player, by any of the player's names. Errors: Problem."""
    door = door_of(request)
    await asyncio.to_thread(door.index.catch_up)
    meant = await asyncio.to_thread(persons.called, door, name)
    if meant is None:
        raise Problem("not-found", "no public match has a player of this name")
    if meant != name:
        # Redirect to the feed's one address, or programs would take it for several feeds.
        asked = f"?{request.url.query}" if request.url.query else ""
        address = f"{persons.path_of(meant)}/feed.atom{asked}"
        return RedirectResponse(address, 303, {"Cache-Control": "no-cache"})
    names = await asyncio.to_thread(persons.names_of, door, name)
    return await _feed(request, Of(persons.path_of(name), name, names=names), cursor)


class Of(NamedTuple):
    """The subject of a feed."""

    page: str
    """Path of the HTML page that it belongs to."""
    title: str | None
    """The title of the subject; None = the whole archive."""
    log: str | None = None
    """The tournament; None = all of them."""
    names: Sequence[str] | None = None
    """The player's; None = everybody's."""


async def _feed(request: Request, of: Of, cursor: str | None) -> Response:
    door = door_of(request)
    after = read_places(cursor, tuple[int, str, int])
    rows, following = await asyncio.to_thread(
        news_page, door, of.log, NEWEST, after, names=of.names
    )
    shown = [one for one in await seen_rows(door, rows) if _plays(one, of.names)]
    # Another file of a match may spell the name differently; it is not in the player's feed then.
    wanted = [ANY] if of.names is None else [Filters(player=name) for name in of.names]
    twins = set()
    for filters in wanted:
        twins |= await hidden_twins(door, ANONYMOUS, shown, log=of.log, filters=filters)
    t, origin = texts_of(language_of(request)), origin_of(request)
    updated = {(row.log_id, row.stream_id): row.news_ms + row.delay_ms for row in rows}
    items = [
        _item(one, origin, updated[one.log_id, one.match_id], t)
        for one in shown
        if (one.log_id, one.match_id) not in twins
    ]
    items.sort(key=lambda item: item.updated_ms, reverse=True)
    page = origin + of.page
    if of.title is None:
        title = t("public.feed_title")
    elif of.names is None:
        title = t("public.feed_title_of", title=of.title)
    else:
        title = t("public.matches_of", name=of.title)
    url = origin + quote(request.url.path)
    language = request.query_params.get("lang")

    def address(cursor: str | None) -> str:
        asked = {"cursor": cursor, "lang": language if language in LANGUAGES else None}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return f"{url}?{query}" if query else url

    made = atom(
        url=url,
        self_url=address(cursor),
        next_url=None if following is None else address(write_places(*following)),
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


def _plays(summary: MatchSummary, names: Sequence[str] | None) -> bool:
    """Whether one of these names is a player of the match and may be shown; None = any player."""
    sides = (*summary.players.one, *summary.players.two)
    return names is None or any(name in sides for name in names)


def _item(summary: MatchSummary, origin: str, updated_ms: int, t: Texts) -> Item:
    names = names_of(summary, t)
    score, length = summary.score, length_words(summary, t)
    told = state_words(summary, names, t)
    points = f"{score.one}\N{EN DASH}{score.two}"
    return Item(
        url=f"{origin}/matches/{summary.log_id}/{summary.match_id}",
        title=f"{set_apart(names.one)} \N{EN DASH} {set_apart(names.two)}: {points}, {told}",
        summary=", ".join(
            [
                *map(set_apart, posted(summary, t)),
                *(one for one in (points, length, told) if one),
            ]
        ),
        updated_ms=updated_ms,
        authors=tuple(name for side in (summary.players.one, summary.players.two) for name in side),
    )
