"""An app over an archive of its own, a client that speaks to it, and tokens for every role."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI

from api import openapi
from api.app import create_app
from api.archive.archive import Archive, open_archive, token_hash
from api.archive.index.index import MatchIndex
from api.routes.shared.cookie import COOKIE
from api.routes.shared.door import Door
from api.routes.shared.entering import Admitted, admitted
from api.settings import Settings
from events.payloads.access import Role
from events.store.fsck import fsck

LOG = "club"
MATCH = "m1"
OPENED = {
    "players": {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]},
    "length": 5,
}


class Clock:
    """The computer's clock, which only moves when a test moves it."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session", autouse=True)
def described_once() -> Iterator[None]:
    """Each app describes itself when it is asked, for half a second: those of the same routes once.

    What stands in the description is tried by its own tests, with what this keeps.
    """
    kept: dict[tuple[str, ...], bytes] = {}
    made = openapi.document

    def document(app: FastAPI) -> Any:
        routes = tuple(f"{route.path} {getattr(route, 'methods', '')}" for route in app.routes)
        if routes not in kept:
            kept[routes] = orjson.dumps(made(app))
        return orjson.loads(kept[routes])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openapi, "document", document)
        yield


# What a store does is held for every store elsewhere; the gate asks the doors on SQLite too.
@pytest.fixture(params=["memory", pytest.param("sqlite", marks=pytest.mark.gate)])
def url(request: pytest.FixtureRequest) -> str:
    return "memory://" if request.param == "memory" else request.getfixturevalue("sqlite_url")


@pytest.fixture
def archive(url: str, clock: Clock) -> Iterator[Archive]:
    archive = open_archive(url, now_ms=clock)
    archive.open_tournament(LOG, "Club night")
    yield archive
    archive.close()


@pytest.fixture
def app(archive: Archive) -> Iterator[FastAPI]:
    index = MatchIndex(archive.store, archive.reading)
    yield create_app(archive, Settings(db=archive.url), index=index)
    index.close()


class Api:
    """Short functions for what tests send to the app."""

    def __init__(self, http: httpx.AsyncClient, archive: Archive) -> None:
        self.http = http
        self.archive = archive
        self.director = self.token(Role.DIRECTOR)
        self.scribe = self.token(Role.SCRIBE)

    def token(self, role: Role, *, log: str = LOG, match: str | None = None) -> str:
        return self.archive.grant(role, log_id=log, match=match)[0]

    async def get(self, path: str, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers=_headers(token, headers))

    async def post(
        self, path: str, body: Any, token: str | None = None, **headers: str
    ) -> httpx.Response:
        sent = {"content": body} if isinstance(body, bytes) else {"json": body}
        return await self.http.post(path, headers=_headers(token, headers), **sent)

    async def open(
        self, match: str = MATCH, *, log: str = LOG, token: str | None = None, **opened: Any
    ) -> httpx.Response:
        body = {"match_id": match, "opened": {**OPENED, **opened}}
        return await self.post(f"/logs/{log}/matches", body, token or self.director)

    async def append(
        self,
        *entries: dict[str, Any],
        match: str = MATCH,
        at: int | str | None = "*",
        token: str | None = None,
    ) -> httpx.Response:
        headers = {} if at is None else {"If-Match": str(at)}
        return await self.http.post(
            f"/logs/{LOG}/matches/{match}/events",
            headers=_headers(token or self.scribe, headers),
            json={"entries": list(entries)},
        )

    def version(self, match: str = MATCH) -> int:
        head = self.archive.store.stream_head(LOG, match)
        return 0 if head is None else head.version

    def size(self) -> int:
        return self.archive.store.log_head(LOG).size

    def faults(self) -> list[object]:
        return list(fsck(self.archive.store).findings)


def door_behind(http: httpx.AsyncClient) -> Door:
    """The door of the app that a client speaks to in this process."""
    door: Door = http._transport.app.state.door  # type: ignore[attr-defined]
    return door


async def admitted_by(http: httpx.AsyncClient, code: str) -> Admitted:
    """What a one-time code gives: a token that no answer shows."""
    entered = await admitted(door_behind(http), code)
    assert entered is not None
    return entered


def cookie_with(http: httpx.AsyncClient, token: str) -> dict[str, str]:
    """The header of a browser that has signed in with this token."""
    return {"Cookie": f"{COOKIE}={door_behind(http).sessions.begin(token_hash(token))}"}


def _headers(token: str | None, more: dict[str, str]) -> dict[str, str]:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return headers if token is None else {**headers, "Authorization": f"Bearer {token}"}


@pytest.fixture
async def api(app: FastAPI, archive: Archive) -> AsyncIterator[Api]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        yield Api(http, archive)


_numbers = itertools.count(1)


def entry(tag: str, /, *, entry_id: str | None = None, **body: Any) -> dict[str, Any]:
    """One entry with an id of its own."""
    made = entry_id or str(uuid.UUID(int=next(_numbers), version=4))
    return {"entry_id": made, "tag": tag, "body": body}


@pytest.fixture
def make() -> Any:
    return entry


def opening() -> list[dict[str, Any]]:
    """A game begins: one throws 3-1 and makes the five point."""
    return [
        entry("game.started"),
        entry("dice.opening_rolled", one=3, two=1),
        entry("play.made", seat="one", moves=[[8, 5], [6, 5]]),
    ]


@pytest.fixture
def begin() -> Any:
    return opening


@pytest.fixture
async def begun(api: Api) -> Api:
    """The app, with a match in play."""
    await api.open()
    await api.append(*opening())
    return api
