"""Manners of every address: HEAD, If-None-Match, unknown names; and how robots find the pages."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

from fastapi.routing import APIRoute

from api.routes import matches
from api.routes.shared import manners
from tests.api.routes.test_public_pages import BROWSER, DELAY, NAMED, html, names_in

PUBLIC = {"publication": {"public": True, "delay_ms": 0}}
M1 = "/logs/club/matches/m1"
READ = (
    *("/", "/players", "/rules", "/precedents", "/rulings", "/logs", "/logs/club", M1 + "/score"),
    *("/logs/club/matches", M1 + "/replay", M1 + "/export.mat", "/openapi.json"),
    *("/matches/club/m1", "/matches/club/m1/embed", "/robots.txt", "/sitemap.xml", "/feed.atom"),
    *(
        "/tournaments/club/sitemap.xml",
        "/oembed?url=/matches/club/m1",
        "/positions?text=" + "4HPwATDgc/ABMA",
    ),
)


async def test_whatever_answers_get_answers_head_and_not_twice(api: Any, begin: Any) -> None:
    await api.open(**NAMED, **PUBLIC)
    await api.append(*begin())
    for path in READ:
        answer = await api.get(path)
        assert answer.status_code == 200, (path, answer.text[:200])
        etag = answer.headers["etag"]
        again = await api.get(path, If_None_Match=etag)
        assert (again.status_code, again.content) == (304, b""), path
        assert (await api.get(path, If_None_Match="*")).status_code == 304, path
        head = await api.http.head(path)
        assert (head.status_code, head.content) == (200, b""), path
        assert head.headers["etag"] == etag, path


async def test_every_address_that_is_described_answers_head_but_live_streams(app: Any) -> None:
    routes = [one for one in app.router.routes if isinstance(one, APIRoute)]
    reading = [route for route in routes if "GET" in route.methods]
    assert any(route.path.endswith("/live") for route in reading)
    for route in reading:
        assert ("HEAD" in route.methods) != route.path.endswith("/live"), route.path


async def test_a_name_that_means_nothing_is_refused_by_the_api_and_let_pass_by_pages(
    api: Any,
) -> None:
    await api.open(**NAMED, **PUBLIC)
    refused = await api.get("/logs/club/matches?playr=quill")
    assert refused.status_code == 400
    assert "player" in refused.json()["detail"]
    assert (await api.get(M1 + "/score?at=1")).status_code == 200
    # People who share a link may have added a query to it.
    assert (await api.get("/matches/club/m1?fbclid=x", Accept=BROWSER)).status_code == 200


async def test_another_entry_at_the_same_version_is_another_answer(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, **PUBLIC)
    await api.append(*begin())
    before = (await api.get(M1 + "/score")).headers["etag"]
    live = api.archive.reading.live("club", "m1")
    [version] = live.leaves
    live.leaves[version] = "0" * 64
    assert (await api.get(M1 + "/score")).headers["etag"] != before


async def test_robots_find_public_matches_alone(api: Any, begin: Any) -> None:
    await api.open(**NAMED, **PUBLIC)
    await api.append(*begin())
    await api.open("m2", **NAMED, publication={"public": False, "delay_ms": 0})
    await api.open("m3", **NAMED, publication={"public": True, "delay_ms": DELAY})
    robots = (await api.get("/robots.txt")).text
    assert "Disallow: /room\n" in robots
    index = robots.split("Sitemap: http://archive", 1)[1].strip()
    assert "/tournaments/club/sitemap.xml" in (await api.get(index)).text
    listed = ET.fromstring((await api.get("/tournaments/club/sitemap.xml")).text)
    places = [one.text for one in listed.iter() if one.tag.endswith("loc")]
    assert places == [
        f"http://archive{path}"
        for path in ("/tournaments/club", "/tournaments/club/results", "/matches/club/m1")
    ]
    assert (await api.get("/tournaments/nobodys/sitemap.xml")).status_code == 404


async def test_a_match_can_be_embedded_and_says_so(api: Any, begin: Any) -> None:
    await api.open(**NAMED, **PUBLIC, date="2026.03.14")
    await api.append(*begin())
    page = await html(api, "/matches/club/m1?at=3")
    told = json.loads(re.search(r"ld\+json\">(.*?)</script>", page)[1])  # type: ignore[index]
    assert [one["name"] for one in told["competitor"]] == ["Zinaida Quill", "Jörg O'Neil/Brand"]
    # A day is given as programs read it, however its source wrote it.
    assert told["startDate"] == "2026-03-14"
    link = re.search(r'json\+oembed"[^>]*href="([^"]+)"', page)[1]  # type: ignore[index]
    answer = (await api.get(link)).json()
    assert (answer["version"], answer["type"]) == ("1.0", "rich")
    assert 'src="http://archive/matches/club/m1/embed?at=3"' in answer["html"]
    assert answer["thumbnail_url"] == "http://archive/matches/club/m1/card.png?at=3"
    told_so = await api.get(f"{link}&format=xml")
    assert told_so.headers["content-type"] == "text/xml; charset=utf-8"
    root = ET.fromstring(told_so.text)
    assert (root.tag, {one.tag: one.text for one in root}) == (
        "oembed",
        {name: str(value) for name, value in answer.items()},
    )
    assert told_so.headers["etag"] != (await api.get(link)).headers["etag"]
    assert "&lt;iframe" in page
    assert "XGID=" in (await api.get("/matches/club/m1?at=3", api.director, Accept=BROWSER)).text
    # While it is played nobody is given what a program says more about.
    assert "XGID=" not in page
    for wrong in (
        "/oembed?url=/players",
        "/oembed?url=x&format=xml",
        "/oembed?url=/matches/a/b?at=x",
        "/oembed?url=http://elsewhere.example/matches/club/m1",
    ):
        assert (await api.get(wrong)).status_code == 404, wrong
    hidden = await api.get("/oembed?url=/matches/club/m2")
    assert hidden.status_code in (401, 404)
    assert names_in(hidden.text) == []


def test_another_app_of_a_process_does_not_ask_its_routes_twice() -> None:
    routes = [route for route in matches.router.routes if isinstance(route, APIRoute)]
    manners.teach(routes)
    asked = [route.app for route in routes]
    manners.teach(routes)
    assert [route.app for route in routes] == asked
