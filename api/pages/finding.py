"""How programs find public pages: robots.txt, sitemaps, and oEmbed for embedded matches."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Sequence
from typing import Annotated, Literal
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

from fastapi import APIRouter, Query, Request, Response

from api.html.feeds import held
from api.html.framing import FRAME, frame_code
from api.html.kept import finished, hashed_answer
from api.html.templates import unturned
from api.refusals import Problem
from api.routes.shared.door import ANONYMOUS, LogId, door_of, json_answer
from api.routes.shared.listing import Filters, page_of
from api.routes.shared.sight import origin_of, public_door, seen_of
from events.errors import BadIdentifier

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

SITEMAP = 5_000
"""The most tournaments, or matches of one, in a sitemap: the newest."""

router = APIRouter(include_in_schema=False)

_HEADERS = {"Cache-Control": "public, no-cache", "X-Content-Type-Options": "nosniff"}


@router.get("/robots.txt")
async def robots(request: Request) -> Response:
    """robots.txt: excludes single moments of matches, and pages that need a grant."""
    closed = ("/*?at=", "/*?part=", "/logs/", "/room", "/cases", "/session", "/erasing", "/tablet")
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    text = "\n".join([*lines, "", f"Sitemap: {origin_of(request)}/sitemap.xml", ""])
    return await hashed_answer(
        request, lambda: finished(text.encode(), "text/plain; charset=utf-8"), _HEADERS
    )


@router.get("/sitemap.xml")
async def sitemap(request: Request) -> Response:
    """The index of the sitemaps of all tournaments with public matches, with their last changes."""
    door, origin = door_of(request), origin_of(request)
    await asyncio.to_thread(door.index.catch_up)
    logs = await asyncio.to_thread(door.index.public_logs, limit=SITEMAP)
    places = [(f"{origin}/tournaments/{one.log_id}/sitemap.xml", one.news_ms) for one in logs]
    return await _xml(request, "sitemapindex", "sitemap", places)


@router.get("/tournaments/{log}/sitemap.xml")
async def sitemap_of(request: Request, log: LogId) -> Response:
    """The sitemap of one tournament: its list, results and public matches. Errors: Problem."""
    door, origin = await public_door(request, log), origin_of(request)
    newest = Filters(newest_first=True)
    found, _ = await page_of(door, ANONYMOUS, log, newest, after=None, limit=SITEMAP)
    here = f"{origin}/tournaments/{log}"
    pages = [here, f"{here}/results"]
    pages += [f"{origin}/matches/{log}/{one.match_id}" for one in found if one.version]
    return await _xml(request, "urlset", "url", [(one, 0) for one in pages])


async def _xml(
    request: Request, root: str, each: str, places: Sequence[tuple[str, int]]
) -> Response:
    """A sitemap; a time of 0 is omitted."""
    ET.register_namespace("", NAMESPACE)
    made = ET.Element(f"{{{NAMESPACE}}}{root}")
    for url, ms in places:
        one = ET.SubElement(made, f"{{{NAMESPACE}}}{each}")
        ET.SubElement(one, f"{{{NAMESPACE}}}loc").text = url
        if ms:
            day = datetime.datetime.fromtimestamp(ms / 1_000, datetime.UTC).date()
            ET.SubElement(one, f"{{{NAMESPACE}}}lastmod").text = day.isoformat()
    body: bytes = ET.tostring(made, encoding="utf-8", xml_declaration=True)
    return await hashed_answer(
        request, lambda: finished(body, "application/xml; charset=utf-8"), _HEADERS
    )


@router.get("/oembed")
async def oembed(
    request: Request,
    url: Annotated[str, Query(max_length=500)],
    maxwidth: Annotated[int | None, Query(ge=200, le=4_000)] = None,
    maxheight: Annotated[int | None, Query(ge=200, le=4_000)] = None,
    format: Annotated[Literal["json", "xml"], Query()] = "json",
) -> Response:
    """The oEmbed 1.0 answer (`rich`) for a match or a moment of it. Errors: Problem."""
    log, match, at = _named_in(url, urlsplit(origin_of(request)).netloc)
    seen = await seen_of(request, log, match, at)
    width = min(FRAME[0], maxwidth or FRAME[0])
    height = min(FRAME[1], maxheight or FRAME[1])
    # Other sites show this text in their own pages, without a template that would escape it.
    title = unturned(f"{seen.names.one} \N{EN DASH} {seen.names.two}")
    answer = {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Tabularium",
        "provider_url": seen.origin,
        "title": title,
        "width": width,
        "height": height,
        "html": str(frame_code(seen.url, at, title, (width, height))),
        "thumbnail_url": f"{seen.url}/card.png" + ("" if at is None else f"?at={at}"),
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
    }
    if format == "json":
        return json_answer(answer, headers=seen.headers())
    made = ET.Element("oembed")
    for name, value in answer.items():
        ET.SubElement(made, name).text = held(str(value))
    body: bytes = ET.tostring(made, encoding="utf-8", xml_declaration=True)
    return Response(body, headers=seen.headers(), media_type="text/xml")


def _named_in(url: str, host: str) -> tuple[str, str, int | None]:
    """(log, match, version) from the address of a match's page on this host. Errors: Problem."""
    try:
        parts = urlsplit(url)
        if parts.netloc.lower() not in ("", host.lower()):
            raise Problem("not-found", f"this is an address of another site, not of {host}")
        [_, pages, log, match, *more] = parts.path.split("/")
        asked = parse_qs(parts.query).get("at")
        at = None if asked is None else int(asked[0])
        if pages == "matches" and more in ([], ["embed"], ["replay"]) and (at is None or at >= 0):
            return log, match, at
    except (ValueError, BadIdentifier):
        pass
    raise Problem("not-found", "this is no address of a match's page: /matches/<log>/<match>?at=N")
