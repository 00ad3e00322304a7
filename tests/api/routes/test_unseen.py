"""What the public may not know yet leaves no trace: the same bytes at every door till it is due."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI

from api.analysis.released import match_of
from api.analysis.results import By
from api.app import create_app
from api.archive import following
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring
from api.routes.exports import FORMATS
from api.settings import Settings
from events import catalogue
from events.catalogue import SCHEMAS, TOURNAMENT_TAGS
from tests.api.analysis.test_results import game_judged
from tests.api.routes.conftest import LOG, Api, Clock, door_behind, entry, opening

pytestmark = pytest.mark.gate

GOLDEN = Path(__file__).parents[2] / "golden" / "events"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
DELAY = 600_000
START, AFTER_31 = "4HPwATDgc/ABMA", "sGfwATDgc/ABMA"

AT_ONCE = {"match.opened", "match.cancelled", "appeal.filed", "publication.withheld"}
"""What opens a match, as an empty one, and what has to take one from the public at once."""

KINDS = [tag for tag in SCHEMAS if tag not in TOURNAMENT_TAGS | AT_ONCE]

OF_THE_SERVER = ("/metrics", "/health")
"""What says how the server is, and how long a write took; the first to its own machine alone."""

ASKED = (
    *("/tournaments/club?state=live", "/tournaments/club?state=ended", "/players?name=n"),
    *(
        "/players/Bo",
        "/players/Zoe",
        "/players/Zoe/feed.atom",
        "/statistics/player?name=Ann",
        "/logs/club/export.mat",
    ),
    *("/statistics/player?name=Zoe", "/search?dice=64", "/search?finding=illegal-play"),
    *(f"/positions/search?text={START}", "/positions/search?dice=64", "/positions/search?dice=65"),
    *("/explorer?first=31", "/positions/openings?player=Ann", "/logs/club/matches?player=zoe"),
    *(f"/positions/openings?after={AFTER_31}", "/logs/club/matches?player=ann"),
    *("/logs/club/proof/inclusion?entry=3", "/logs/club/proof/consistency?from=3"),
    *("/logs/club/proof/entry?entry=3", "/logs/club/proof/growth?from=3"),
    *("/matches/club/m1?at=5", "/matches/club/m1?part=now", "/matches/club/m1?part=sheet"),
    *("/matches/club/m1/overlay?board=true", "/oembed?url=http://archive/matches/club/m1"),
    *(f"/logs/club/matches/m1/{view}?at=12" for view in ("position", "replay", "provenance")),
)
"""Queries that are tried at each route, beside its plain address."""

WHOLE = {"public": True, "delay_ms": DELAY}
OPENED = {
    "players": {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]},
    "length": 5,
    "publication": WHOLE,
    "event": "Open",
    "round": "Final",
    "table": "4",
}
RENAMED = {
    "players": {"one": [{"name": "Zoe"}], "two": [{"name": "Bo"}]},
    "length": 1,
    "publication": WHOLE,
    "event": "Other",
    "round": "First",
    "table": "9",
}


@pytest.fixture
def archive(tmp_path: Path, clock: Clock) -> Iterator[Archive]:
    archive = open_archive("memory://", now_ms=clock, keyring=Keyring(tmp_path / "keys"))
    archive.open_tournament(LOG, "Club night")
    yield archive
    archive.close()


def sign(api: Api) -> None:
    """As a server does once a second."""
    assert api.archive.signing is not None
    assert api.archive.signing.keep(LOG) is not None


def routes_of(routes: Sequence[Any]) -> Iterator[str]:
    for one in routes:
        if hasattr(one, "routes"):
            yield from routes_of(one.routes)
        elif "GET" in (getattr(one, "methods", None) or ()):
            yield one.path


def doors(app: FastAPI) -> list[str]:
    """Every route that answers GET, for the match `m1`, and some questions."""
    found = list(ASKED)
    for route in sorted({*routes_of(app.routes)} - {*OF_THE_SERVER}):
        path = route.replace("{log}", LOG).replace("{match}", "m1")
        path = path.replace("{name:path}", "Ann").replace("{rule_set}", "common")
        endings = FORMATS if "{format}" in path else ("",)
        found += [path.replace("{format}", ending) for ending in endings]
    return found


@pytest.fixture(autouse=True)
def says_at_once_that_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that one can tell where a stream of entries has said all that it has."""
    monkeypatch.setattr(following, "KEEP_ALIVE_SECONDS", 0)


async def followed(http: httpx.AsyncClient, path: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and what a stream says before it waits for the first time."""
    app: Any = http._transport
    head: dict[str, Any] = {}
    said, asks, over = bytearray(), iter([{"type": "http.request", "body": b""}]), asyncio.Event()

    async def receive() -> dict[str, Any]:
        for message in asks:
            return message
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            head.update(message)
        elif not over.is_set():
            said.extend(message.get("body", b""))
            if b": keep-alive" in said or not message.get("more_body"):
                over.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"archive")],
        "client": ("127.0.0.1", 1),
        "server": ("archive", 80),
    }
    await app.app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in head["headers"]}
    return head["status"], headers, bytes(said)


async def told(http: httpx.AsyncClient, paths: Sequence[str]) -> dict[str, Any]:
    """Status, headers and body of each, as a stranger gets them."""
    found: dict[str, Any] = {}
    for path in paths:
        if path.endswith("/live"):
            found[path] = await followed(http, path)
            continue
        answer = await http.get(path, headers={"Accept": BROWSER})
        found[path] = (answer.status_code, dict(answer.headers), answer.content)
    return found


async def told_anew(api: Api, paths: Sequence[str]) -> dict[str, Any]:
    """The same by a server whose lists and search are made this moment."""
    index = MatchIndex(api.archive.store, api.archive.reading)
    app = create_app(api.archive, Settings(db=api.archive.url), index=index)
    app.state.door.results = door_behind(api.http).results
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        found = await told(http, paths)
    index.close()
    return found


def differing(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """Addresses that answer otherwise, of those that were asked both times."""
    return {path for path in one.keys() & other.keys() if one[path] != other[path]}


async def finished(api: Api, clock: Clock) -> dict[str, str]:
    """A match that is over behind its delay, analysed and fully known, beside one in play.

    Returns entry ids by kind.
    """
    await api.open("m1", **OPENED)
    entries = {
        "rolled": entry("dice.rolled", seat="two", dice=[6, 4]),
        "play": entry("play.made", seat="two", moves=[[24, 14]]),
        "won": entry("game.won", winner="one", points=5),
        "film": entry("film.attached", file="a" * 64),
    }
    answer = await api.append(*opening(), *entries.values(), match="m1", token=api.director)
    assert answer.status_code == 201, answer.text
    match = match_of(api.archive, LOG, "m1", api.version())
    assert match is not None
    by = By("bgsage", "gv-bgsage/1", "fast@2")
    door_behind(api.http).results.put(match, by, 1, 1, game_judged(4))
    await api.open("m2", publication={"public": True, "delay_ms": 0}, length=3)
    await api.append(*opening(), match="m2")
    sign(api)
    clock.now += DELAY + 1
    [first, *_] = api.archive.store.read_stream(LOG, "m1", limit=1)
    return {name: one["entry_id"] for name, one in entries.items()} | {"opened": first.entry_id}


async def test_no_kind_of_entry_is_noticed_at_any_door_before_it_is_due(
    api: Api, clock: Clock, app: FastAPI
) -> None:
    ids, paths = await finished(api, clock), doors(app)
    before = await told(api.http, paths)
    answered = {path for path, (status, *_) in before.items() if status == 200}
    assert len(answered) > 90
    assert {f"/logs/{LOG}/checkpoint/note", f"/logs/{LOG}/matches/m1/bundle.zip"} <= answered
    _, _, said = before[f"/logs/{LOG}/matches/m1/live"]
    assert said.count(b"event: entry") == len(ids) + len(opening())
    for start in range(0, len(KINDS), 45):
        tags = KINDS[start : start + 45]
        for tag in tags:
            golden = orjson.loads((GOLDEN / f"{tag}@{SCHEMAS[tag]}.json").read_bytes())
            body = golden["bodies"]["full"]["body"]
            known = {name: ids["play"] for name in ("target", "about", "entry") if name in body}
            body |= known | ({"film": ids["film"]} if "film" in body else {})
            payload = catalogue.decode(tag, orjson.dumps(body))
            api.archive.append(LOG, "m1", [api.archive.draft(payload)])
        sign(api)
        assert differing(before, await told(api.http, paths)) == set(), tags
    lists = [path for path in paths if "/m1" not in path]
    assert differing(before, await told_anew(api, lists)) == set()
    clock.now += DELAY
    after = await told(api.http, paths)
    assert len(differing(before, after)) > 40
    assert differing(after, await told_anew(api, lists)) == set()


async def test_what_changes_a_match_shows_when_it_is_due_and_not_before(
    api: Api, clock: Clock, app: FastAPI
) -> None:
    ids, paths = await finished(api, clock), doors(app)
    paths = [path for path in paths if not path.endswith(".png")]
    before = await told(api.http, paths)

    def instead(of: str, tag: str, body: dict[str, Any]) -> dict[str, Any]:
        return entry("entry.amended", target=ids[of], tag=tag, body=body)

    film = entry("film.attached", file="b" * 64)
    changes = {
        "a roll": [instead("rolled", "dice.rolled", {"seat": "two", "dice": [6, 5]})],
        "a play": [
            instead("play", "play.made", {"seat": "two", "moves": [[24, 18], [13, 8]]}),
        ],
        "its film": [entry("entry.retracted", target=ids["film"]), film],
        "who plays it, and how long": [instead("opened", "match.opened", RENAMED)],
        "its length": [entry("match.length_error_found", wrong=5, correct=9, during_game=False)],
        "its end": [entry("entry.retracted", target=ids["won"])],
        "who has won": [entry("match.ended", winner="two")],
        "that it is disputed": [entry("dispute.raised", by="one", frozen_at=ids["rolled"])],
    }
    for what, entries in changes.items():
        answer = await api.append(*entries, match="m1", token=api.director)
        assert answer.status_code == 201, answer.text
        sign(api)
        assert differing(before, await told(api.http, paths)) == set(), what
    lists = [path for path in paths if "/m1" not in path]
    assert differing(before, await told_anew(api, lists)) == set()
    clock.now += DELAY
    after = await told(api.http, paths)
    assert len(differing(before, after)) > 40
    assert differing(await told_anew(api, lists), after) == set()


async def test_a_dispute_that_is_taken_back_stands_until_the_public_knows(
    api: Api, clock: Clock, app: FastAPI
) -> None:
    ids, paths = await finished(api, clock), doors(app)
    raised = entry("dispute.raised", by="one", frozen_at=ids["rolled"])
    await api.append(raised, match="m1", token=api.director)
    clock.now += DELAY
    paths = [path for path in paths if not path.endswith(".png")]
    before = await told(api.http, paths)
    taken_back = entry("entry.retracted", target=raised["entry_id"])
    answer = await api.append(taken_back, match="m1", token=api.director)
    assert answer.status_code == 201, answer.text
    assert differing(before, await told(api.http, paths)) == set()
    clock.now += DELAY
    assert len(differing(before, await told(api.http, paths))) > 10
