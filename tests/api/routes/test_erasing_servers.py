"""Two servers on one database: what the one has erased, the other one says nowhere any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
from fastapi import FastAPI

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.channel import Terms
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from tests.api.routes.conftest import Api, Clock
from tests.api.routes.test_erasing import NAME, TOLD, filled, read_all, told_in
from tests.conftest import PostgresServer


@contextlib.asynccontextmanager
async def server(url: str, folder: Path, clock: Clock) -> AsyncIterator[tuple[Api, FastAPI]]:
    """A server with its own memory and index, on a database to which others write as well."""
    folder.mkdir()
    archive = open_archive(url, now_ms=clock)
    if "club" not in {head.log_id for head in archive.store.logs()}:
        archive.open_tournament("club", "Club night")
    index = MatchIndex(archive.store, archive.reading, path=folder / "match.index")
    settings = Settings(db=url, files=folder.parent / "files", sessions=folder / "s", poll_ms=20)
    app = create_app(archive, settings, index=index)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://archive", timeout=60) as http,
    ):
        yield Api(http, archive), app
    index.close()
    archive.close()


async def frames(app: FastAPI, heard: list[bytes]) -> None:
    hub = app.state.door.hub
    async for frame in hub.stream(("club", "m1"), Terms(), version=3, after=0):
        heard.append(frame)


async def test_what_one_server_erased_no_other_one_says(
    postgres_url: str, postgres_server: PostgresServer, clock: Clock, tmp_path: Path
) -> None:
    async with (
        server(postgres_url, tmp_path / "one", clock) as (one, _),
        server(postgres_url, tmp_path / "two", clock) as (two, other),
    ):
        await filled(one)
        before = await read_all(two)
        assert sum(bool(TOLD.search(answer.text)) for answer in before.values()) > 20
        kept = other.state.kept
        assert any(TOLD.search(made.body.decode(errors="ignore")) for made in kept._made.values())
        heard: list[bytes] = []
        following = asyncio.create_task(frames(other, heard))
        while not heard:
            await asyncio.sleep(0)

        archivist = one.archive.grant(Role.ARCHIVIST)[0]
        sent = {"name": NAME, "confirm": NAME, "words": True}
        done = (await one.post("/erasures", sent, archivist)).json()
        assert (done["is_done"], done["unscrubbed"]) == (True, None), done

        for made in kept._made.values():
            assert told_in(made.body) == []
        after = await read_all(two)
        left = {where for where, answer in after.items() if TOLD.search(answer.text)}
        assert {where for where in left if "quistorp" not in where.lower()} == set()
        async with asyncio.timeout(30):
            while not any(frame.startswith(b"event: erased") for frame in heard):
                await asyncio.sleep(0)
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following
        postgres_server.execute("CHECKPOINT")
        for path in [*postgres_server.tables(), *tmp_path.rglob("*")]:
            if path.is_file():
                assert told_in(path.read_bytes()) == [], path


async def test_an_index_forgets_what_was_erased_while_its_server_was_away(
    postgres_url: str, clock: Clock, tmp_path: Path
) -> None:
    async with server(postgres_url, tmp_path / "one", clock) as (one, _):
        await filled(one)
        async with server(postgres_url, tmp_path / "two", clock) as (two, away):
            await two.get("/players")
            players = away.state.door.index.players
            person = players.person_of(NAME)
            assert players.played(person, now_ms=1 << 60)
        archivist = one.archive.grant(Role.ARCHIVIST)[0]
        await one.post("/erasures", {"name": NAME, "confirm": NAME}, archivist)
        path = tmp_path / "two" / "match.index"
        back = MatchIndex(one.archive.store, one.archive.reading, path=path)
        assert back.players.played(person, now_ms=1 << 60)
        back.catch_up()
        assert back.players.played(person, now_ms=1 << 60) == []
        back.close()
