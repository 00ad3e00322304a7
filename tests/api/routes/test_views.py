"""Views of a match: any version, any rule set, NDJSON, ETags, lists and exports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.bunches import in_bunches

AT_VIEWS = (
    *("/replay", "/position", "/score", "/clock", "/penalties", "/match-length", "/windows"),
    *("/appeals", "/findings"),
)
VIEWS = ("", *AT_VIEWS, "/export.mat")


@pytest.mark.parametrize("path", VIEWS)
async def test_what_has_not_changed_is_304(api: Any, make: Any, begin: Any, path: str) -> None:
    await api.open()
    await api.append(*begin())
    url = f"/logs/club/matches/m1{path}"
    first = await api.get(url, api.scribe)
    etag = first.headers["etag"]
    again = await api.get(url, api.scribe, If_None_Match=f'"other", W/{etag}')
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == etag
    await api.append(
        make("dice.rolled", seat="two", dice=[6, 5]),
        make("play.made", seat="two", moves=[[24, 13]]),
        make("play.made", seat="one", moves=[[24, 1]]),
        make("clock.set", reserve_ms={"one": 600_000, "two": 600_000}, kind="simple", delay_ms=0),
        make("score.stated", score={"one": 1, "two": 0}),
    )
    after = await api.get(url, api.scribe, If_None_Match=etag)
    assert after.status_code == 200
    assert after.headers["etag"] != etag


async def test_every_view_has_an_etag_of_its_own(api: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    urls = [f"/logs/club/matches/m1{path}" for path in VIEWS]
    urls += [f"{urls[1]}?at=3", f"{urls[1]}?rules=common", f"{urls[1]}?as_recorded=true"]
    etags = [(await api.get(url)).headers["etag"] for url in urls]
    etags += [(await api.get(url, api.scribe)).headers["etag"] for url in urls[1:6]]
    lines = await api.get(urls[1], Accept="application/x-ndjson")
    etags.append(lines.headers["etag"])
    assert len(set(etags)) == len(etags)


@pytest.mark.parametrize("path", AT_VIEWS)
async def test_any_version_can_be_seen(api: Any, begin: Any, path: str) -> None:
    await api.open()
    await api.append(*begin())
    for version in range(5):
        answer = await api.get(f"/logs/club/matches/m1{path}?at={version}", api.scribe)
        assert answer.status_code == 200
        assert answer.json()["version"] == version


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("at=5", 404),
        ("at=99999999999999999999", 404),
        ("at=-1", 400),
        ("at=one", 400),
        ("at=1.5", 400),
        ("at=", 400),
        ("rules=biba-1066", 400),
        ("rules=", 400),
        ("rules=%00", 400),
    ],
)
@in_bunches("path", AT_VIEWS)
async def test_a_bad_query_is_refused(begun: Any, path: str, query: str, status: int) -> None:
    answer = await begun.get(f"/logs/club/matches/m1{path}?{query}", begun.scribe)
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert problem["status"] == status
    if status == 404:
        assert problem["current_version"] == 4
    if query.startswith("rules"):
        assert "common" in problem["known"]


async def test_the_replay_says_what_the_folds_say(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    value = (await api.get("/logs/club/matches/m1/replay", api.scribe)).json()
    assert [line["tag"] for line in value["lines"]] == [
        "match.opened",
        "game.started",
        "dice.opening_rolled",
        "play.made",
    ]
    assert value["lines"][-1]["play"] == "8/5 6/5"
    position = (await api.get("/logs/club/matches/m1/position", api.scribe)).json()
    assert position["checkers"] == value["lines"][-1]["checkers"]
    assert position["on_roll"] == "two"
    assert position["awaits"] == "roll"
    earlier = (await api.get("/logs/club/matches/m1/position?at=3", api.scribe)).json()
    assert earlier["dice"] == [3, 1]


async def test_a_stream_of_lines_says_the_same(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    for path, members in (("/replay", "lines"), ("/events", "entries")):
        url = f"/logs/club/matches/m1{path}"
        whole = (await api.get(url, api.scribe)).json()[members]
        answer = await api.get(url, api.scribe, Accept="application/x-ndjson")
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line) for line in answer.text.splitlines()] == whole


async def test_a_correction_is_applied_and_can_be_looked_behind(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    entries = begin()
    await api.append(*entries)
    await api.append(make("entry.retracted", target=entries[-1]["entry_id"]))
    url = "/logs/club/matches/m1/replay"
    corrected = (await api.get(url, api.scribe)).json()
    assert [line["version"] for line in corrected["lines"]] == [1, 2, 3]
    recorded = (await api.get(f"{url}?as_recorded=true", api.scribe)).json()
    assert [line["version"] for line in recorded["lines"]] == [1, 2, 3, 4, 5]
    before = (await api.get(f"{url}?at=4", api.scribe)).json()
    assert [line["version"] for line in before["lines"]] == [1, 2, 3, 4]


async def test_entries_come_as_sealed_page_by_page(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    url = "/logs/club/matches/m1/events"
    first = (await api.get(f"{url}?limit=3", api.scribe)).json()
    assert first["next_after"] == 3
    rest = (await api.get(f"{url}?after=3&limit=3", api.scribe)).json()
    assert rest["next_after"] is None
    found = first["entries"] + rest["entries"]
    rows = api.archive.store.read_stream("club", "m1")
    assert [row["body"] for row in found] == [json.loads(row.sealed)["body"] for row in rows]
    assert [row["leaf_hash"] for row in found] == [row.leaf_hash.hex() for row in rows]
    assert (await api.get(f"{url}?after=99", api.scribe)).json()["entries"] == []
    for query in ("limit=0", "limit=1001", "after=-1", "limit=x"):
        assert (await api.get(f"{url}?{query}", api.scribe)).status_code == 400


async def test_lists_are_read_page_by_page(api: Any) -> None:
    for number in range(7):
        await api.open(f"m{number}")
    seen: list[str] = []
    url, cursor = "/logs/club/matches?limit=3", ""
    while True:
        page = (await api.get(url + cursor, api.scribe)).json()
        seen += [row["match_id"] for row in page["matches"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [f"m{number}" for number in range(7)]
    for number in range(3):
        api.archive.open_tournament(f"log-{number}", "Another")
    operator = api.archive.operator_token()
    logs: list[str] = []
    cursor = ""
    while True:
        page = (await api.get(f"/logs?limit=2{cursor}", operator)).json()
        logs += [row["log_id"] for row in page["logs"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert logs == ["archive", "club", "log-0", "log-1", "log-2"]


@pytest.mark.parametrize("cursor", ["x", "%00", "W10", "WzFd!", "e30", "WyJhIiwxXQ", "🎲"])
@pytest.mark.parametrize("path", ["/logs", "/logs/club/matches"])
async def test_a_made_up_cursor_is_refused(api: Any, path: str, cursor: str) -> None:
    answer = await api.get(f"{path}?cursor={cursor}", api.scribe)
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize("path", ["", "/events", "/replay", "/export.mat", "/live"])
async def test_what_does_not_exist_is_404(api: Any, path: str) -> None:
    operator = api.archive.operator_token()
    answer = await api.get(f"/logs/club/matches/none{path}", operator)
    assert answer.json()["type"] == "/problems/no-such-match"
    answer = await api.get(f"/logs/none/matches/m1{path}", operator)
    assert answer.json()["type"] == "/problems/no-such-log"
    answer = await api.get(f"/logs/club/matches/tournament{path}", operator)
    assert answer.status_code == 404
    assert (await api.get("/logs/none", operator)).status_code == 404
    assert (await api.get("/logs/none/matches", operator)).status_code == 404
    assert (await api.get("/logs/none/events", operator)).status_code == 404


async def test_exports_say_what_they_lose(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    mat = await api.get("/logs/club/matches/m1/export.mat", api.director)
    assert "1) 31: 8/5 6/5" in mat.text
    assert json.loads(mat.headers["tabularium-losses"])["proof"] == 4
    sealed = await api.get("/logs/club/matches/m1/export.jsonl", api.director)
    assert json.loads(sealed.headers["tabularium-losses"]) == {}
    rows = api.archive.store.read_stream("club", "m1")
    lines = sealed.content.splitlines()
    assert [line for line in lines if b'"disclosure"' not in line] == [row.sealed for row in rows]
    unknown = await api.get("/logs/club/matches/m1/export.docx", api.scribe)
    assert unknown.status_code == 404
    assert {"jsonl", "mat"} <= set(unknown.json()["known"])


async def test_a_log_says_where_it_stands(api: Any) -> None:
    await api.open()
    value = (await api.get("/logs/club", api.scribe)).json()
    head = api.archive.store.log_head("club")
    assert value["size"] == head.size
    assert value["root"] == head.root.hex()
    assert value["title"] == "Club night"


async def test_health_is_told_to_anybody(api: Any) -> None:
    value = (await api.get("/health")).json()
    assert value["status"] == "ok"
    assert value["writer"] == {"waiting": 0}


async def test_other_sites_may_read_what_is_public(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    answer = await api.get("/logs/club/matches/m1", Origin="https://example.org")
    assert answer.headers["access-control-allow-origin"] == "*"
    asked = await api.http.options(
        "/logs/club/matches/m1/events",
        headers={"Origin": "https://example.org", "Access-Control-Request-Method": "POST"},
    )
    assert asked.status_code == 400


async def test_pages_escape_what_people_call_themselves(api: Any, begin: Any) -> None:
    await api.open(
        publication={"public": True, "delay_ms": 0},
        players={"one": [{"name": "<script>alert(1)</script>"}], "two": []},
    )
    await api.append(*begin())
    for path in ("/", "/matches/club/m1"):
        answer = await api.get(path)
        assert answer.status_code == 200
        assert "<script>" not in answer.text
        assert "&lt;script&gt;" in answer.text
        assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert "8/5 6/5" in (await api.get("/matches/club/m1")).text
