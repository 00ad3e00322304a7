"""Every link of the demonstration leads somewhere, and every page of it is sound HTML."""

from __future__ import annotations

import asyncio
import collections
import html
import re
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
import pytest

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.commands.demo import seed
from api.settings import Settings
from tests.web.markup import complaints

pytestmark = pytest.mark.gate

BASE = "http://127.0.0.1:8340"

_ONE_OF_MANY = re.compile(
    r"/matches/[^/]+/[^/]+|/(logs|players|rules|cases|room|tournaments|files)/[^/]+"
)

ALIKE = 12
"""Addresses of one shape that are asked for: the moments of a match are hundreds."""

PICTURES = 3
"""Of pictures: each is drawn for a quarter of a second."""

_LINK = re.compile(r'<(?:a|link|script|img|source|iframe)\b[^>]*?\b(?:href|src)="([^"]+)"')
_FILED = re.compile(r"<loc>([^<]+)</loc>|<link [^>]*href=\"([^\"]+)\"")


@pytest.mark.parametrize("reader", ["anybody", "director"])
async def test_every_link_leads_somewhere_and_every_page_is_sound(reader: str) -> None:
    archive = open_archive("memory://")
    demo = await seed(archive)
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url), index=index)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as http:
        if reader == "director":
            await http.post(
                "/session", data={"token": demo.tokens["director"]}, headers={"Origin": BASE}
            )
        broken, pages = await crawled(http)
    index.close()
    archive.close()
    assert broken == []
    assert len(pages) > 20
    said = await asyncio.to_thread(complaints, pages)
    assert not said, "\n".join(said)


async def crawled(http: httpx.AsyncClient) -> tuple[list[str], dict[str, str]]:
    """(links that lead nowhere, one page of every shape), from the first page on."""
    waiting, known = (
        collections.deque(["/", "/room", "/cases", "/sitemap.xml", "/robots.txt"]),
        {"/": ""},
    )
    asked: collections.Counter[str] = collections.Counter()
    broken, pages = [], {}
    while waiting:
        path = waiting.popleft()
        shape = shape_of(path)
        asked[shape] += 1
        bare = urlsplit(path).path
        most = PICTURES if bare.endswith(".png") else ALIKE
        if asked[shape] > most or bare.endswith("/live"):
            continue
        answer = await http.get(path, headers={"Accept": "text/html,*/*"})
        if answer.status_code >= 400:
            broken.append(f"{answer.status_code} {path}, from {known.get(path)}")
            continue
        kind = answer.headers.get("content-type", "")
        found: list[str] = []
        if answer.is_redirect:
            found = [answer.headers["location"]]
        elif kind.startswith("text/html"):
            pages.setdefault(shape, answer.text)
            found = _LINK.findall(answer.text)
        elif "xml" in kind:
            found = [one or other for one, other in _FILED.findall(answer.text)]
        for link in found:
            there = urldefrag(urljoin(f"{BASE}{path}", html.unescape(link)))[0]
            if there.startswith(f"{BASE}/") and (there := there.removeprefix(BASE)) not in known:
                known[there] = path
                waiting.append(there)
    return broken, pages


def shape_of(path: str) -> str:
    """An address without what differs between matches, players, moments and rule sets."""
    parts = urlsplit(path)
    bare = _ONE_OF_MANY.sub("/*", parts.path)
    names = sorted(pair.split("=")[0] for pair in parts.query.split("&") if pair)
    return f"{bare}?{'&'.join(names)}"
