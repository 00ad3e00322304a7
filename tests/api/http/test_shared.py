"""Two servers over one PostgreSQL database: each sees at once what the other has written."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.archive import open_archive, token_hash
from api.index import MatchIndex
from api.live import Terms
from api.settings import Settings
from events.payloads.access import Role


@pytest.fixture
async def two(api: Any, postgres_url: str) -> AsyncIterator[list[Any]]:
    async with contextlib.AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            archive = open_archive(postgres_url)
            stack.callback(archive.close)
            if not found:
                archive.open_tournament("club", "Club night")
            index = MatchIndex(archive.store, archive.reading)
            stack.callback(index.close)
            app = create_app(archive, Settings(db=postgres_url, poll_ms=10), index=index)
            http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://one")
            await stack.enter_async_context(http)
            found.append(type(api)(http, archive))
            found[-1].app = app
        yield found


@pytest.fixture
def url() -> str:
    return "memory://"


async def test_appends_and_retries_may_go_to_either(two: Any, make: Any, begin: Any) -> None:
    one, other = two
    await one.open()
    entries = begin()
    assert (await one.append(*entries, at=1)).status_code == 201
    again = await other.append(*entries, at=1)
    assert again.status_code == 200, again.text
    note = make("handling.noted", seat="one", kind="two_hands", detail="Ann moved two men")
    assert (await other.append(note, at=4)).status_code == 201
    assert (await one.append(note, at=4)).status_code == 200
    assert (await one.append(make("turn.ended", seat="one"), at=4)).status_code == 412
    seen = await one.get("/logs/club/matches/m1", other.scribe)
    assert seen.json()["version"] == 5


async def test_what_one_revokes_the_other_refuses(two: Any, make: Any) -> None:
    one, other = two
    await one.open()
    token, grant = one.archive.grant(Role.SCRIBE, log_id="club")
    assert (await other.append(make("turn.ended", seat="one"), token=token)).status_code == 201
    assert one.archive.revoke(grant, log_id="club")
    assert (await other.append(make("turn.ended", seat="one"), token=token)).status_code == 401


async def test_followers_of_one_see_what_the_other_writes(two: Any, make: Any) -> None:
    one, other = two
    await one.open()
    terms = Terms(token_hash(other.scribe))
    stream = other.app.state.door.hub.stream(("club", "m1"), terms, version=1, after=1)
    assert await anext(stream) == b"retry: 1000\n\n"
    for version in (2, 3):
        entry = make("turn.ended", seat="one")
        await one.append(entry)
        frame = await anext(stream)
        assert b'"version":%d,"tag":"turn.ended"' % version in frame
    await stream.aclose()
