"""Two servers over one PostgreSQL database: each sees at once what the other has written."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.archive.archive import open_archive, token_hash
from api.archive.channel import Terms
from api.archive.following import Others
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from tests.api.devices import Tablet
from tests.api.routes.tablets import paired
from tests.api.routes.test_checkpoint import goes_on
from tests.api.routes.test_ingest import Hall, game, id_of
from tests.api.routes.test_rounds import ROUNDS, SHEET, opened


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


async def test_of_two_who_open_the_same_round_at_two_servers_one_is_told_of_the_other(
    two: Any,
) -> None:
    """Also where everybody is registered, so that nothing but matches is recorded."""
    names = ("Ida Berg", "Omar Lund", "Eva Holm", "Per Dahl")
    await opened(two[0], "\n".join(["name", *names]), kind="players")
    for number in range(1, 7):
        sheet = SHEET.replace("\n1,", f"\n{number},")
        bodies = [{"text": sheet, "request_id": str(uuid.uuid4())} for _ in range(4)]
        answers = await asyncio.gather(
            *(
                api.post(ROUNDS, body, api.director)
                for api, body in zip([*two, *two], bodies, strict=True)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [201, 422, 422, 422]
    listed = (await two[0].get("/logs/club/players", two[0].director)).json()["players"]
    assert {one["name"]: one["matches"] for one in listed} == dict.fromkeys(names, 6)


async def test_what_is_said_of_a_player_at_two_servers_at_once_is_said_once(two: Any) -> None:
    for number in range(1, 5):
        sheet = SHEET.replace("\n1,", f"\n{number},")
        match, _ = (await opened(two[0], sheet))["matches"]
        acts = [{"match": match, "act": "no_show", "seat": "two"}]
        bodies = [{"request_id": str(uuid.uuid4()), "acts": acts} for _ in range(4)]
        answers = await asyncio.gather(
            *(
                api.post("/logs/club/attendance", body, api.director)
                for api, body in zip([*two, *two], bodies, strict=True)
            )
        )
        assert sorted(answer.json()["recorded"] for answer in answers) == [0, 0, 0, 1]


async def test_a_second_recorder_let_in_at_two_servers_at_once_has_one_stream(two: Any) -> None:
    await two[0].open()
    await paired(two[0], "tablet-2")
    body = {"match": "m1", "device": "tablet-2"}
    answers = await asyncio.gather(
        *(api.post("/logs/club/shadows", body, api.director) for api in [*two, *two])
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["match_id"] for answer in answers}) == 1
    streams = two[0].archive.store.streams("club")
    assert len(streams) == 3  # the tournament, the match, and the one beside it


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
    assert (await anext(stream)).startswith(b"retry: 1000\n\nevent: names\n")
    for version in (2, 3):
        entry = make("turn.ended", seat="one")
        await one.append(entry)
        frame = await anext(stream)
        assert b'"version":%d,"tag":"turn.ended"' % version in frame
    await stream.aclose()


async def test_whom_one_revokes_the_other_lets_go(two: Any) -> None:
    one, other = two
    await one.open()
    token, grant = one.archive.grant(Role.SCRIBE, log_id="club")
    terms = Terms(token_hash(token))
    stream = other.app.state.door.hub.stream(("club", "m1"), terms, version=1, after=1)
    await anext(stream)
    assert one.archive.revoke(grant, log_id="club")
    async with asyncio.timeout(30):
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_however_many_matches_are_followed_one_look_at_the_logs_serves_them_all(
    two: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    terms = Terms(token_hash(other.scribe))
    hub = other.app.state.door.hub
    streams = []
    for match in [f"m{number}" for number in range(20)]:
        await one.open(match)
        streams.append(hub.stream(("club", match), terms, version=1, after=1))
        await anext(streams[-1])
    store = other.archive.store
    logs, read = store.logs, store.read_sealed
    looked = asyncio.Event()
    reads: list[Any] = []

    def counted(*given: Any, **more: Any) -> Any:
        reads.append(given)
        return read(*given, **more)

    async def looks(count: int) -> None:
        for _ in range(count):
            looked.clear()
            await looked.wait()

    loop, at_rest = asyncio.get_running_loop(), threading.Lock()
    written = Others.written

    def one_look(*given: Any) -> Any:
        with at_rest:
            return written(*given)

    def seen() -> Any:
        loop.call_soon_threadsafe(looked.set)
        return logs()

    monkeypatch.setattr(Others, "written", one_look)
    monkeypatch.setattr(store, "logs", seen)
    monkeypatch.setattr(store, "read_sealed", counted)
    async with asyncio.timeout(30):
        # Each looks once at what was opened just now, and then not any more.
        await looks(5)
        while reads:
            reads.clear()
            await looks(5)
        # What this server writes itself it need not look for. (A look that falls between COMMIT
        # and its telling finds it by itself: none does here.)
        await asyncio.to_thread(at_rest.acquire)
        try:
            answer = await other.append(make("turn.ended", seat="one"), match="m3")
        finally:
            at_rest.release()
        assert answer.status_code == 201
        assert b'"tag":"turn.ended"' in await anext(streams[3])
        asked_for = len(reads)
        await looks(5)
        assert len(reads) == asked_for
    for stream in streams:
        await stream.aclose()


async def test_a_tablet_may_submit_to_either_and_to_both_at_once(two: Any, make: Any) -> None:
    halls = [Hall(api) for api in two]
    one, _ = two
    await one.open()
    tablet = Tablet()
    await halls[0].pair(tablet)
    batch = game(tablet)
    told = await asyncio.gather(*[hall.send(tablet, *batch) for hall in halls * 2])
    outcomes = [result["outcome"] for answer in told for result in answer["results"]]
    assert sorted(outcomes) == ["accepted"] * 3 + ["duplicate"] * 9
    items = [tablet.record("director.called", at) for at in range(4, 24)]

    async def registering() -> None:
        for number in range(10):
            await halls[1].director(make("player.registered", player=f"p{number}"))

    async def sending() -> None:
        for at, item in enumerate(items):
            assert await halls[at % 2].outcomes(tablet, item) == [("accepted", None)]

    await asyncio.gather(sending(), registering())
    stored = one.archive.store.read_stream("club", "m1", after=4)
    assert [row.entry_id for row in stored] == [id_of(item) for item in items]
    assert one.faults() == []


async def test_the_checkpoints_of_both_go_on_from_one_another(two: Any, make: Any) -> None:
    halls = [Hall(api) for api in two]
    await two[0].open()
    tablet = Tablet()
    await halls[0].pair(tablet)
    kept = None
    for at in range(8):
        await halls[(at + 1) % 2].director(make("player.registered", player=f"p{at}"))
        size = 0 if kept is None else kept["size"]
        body = {"items": [], "checkpoint_size": size}
        told = (await two[at % 2].post("/logs/club/ingest", body, tablet.token)).json()
        if kept is not None:
            assert goes_on(kept, told)
        kept = told["checkpoint"]
        head = two[0].archive.store.log_head("club")
        assert kept == {"size": head.size, "root": head.root.hex()}


async def test_what_one_parks_a_director_resolves_at_the_other(two: Any, make: Any) -> None:
    one, other = two
    hall = Hall(one)
    await one.open()
    tablet = Tablet()
    await hall.pair(tablet)
    batch = game(tablet)
    answer = await other.append(make("director.called"), token=one.director)
    assert answer.status_code == 201, answer.text
    assert {outcome for outcome, _ in await hall.outcomes(tablet, *batch)} == {"stream_conflict"}
    body = {"match": "m1", "device": "t1", "accepted": [id_of(item) for item in batch]}
    path = "/logs/club/branches/resolution"
    assert (await other.post(path, body, one.director)).status_code == 201
    assert (await one.post(path, body, one.director)).status_code == 200
    item = tablet.record("director.called", 5)
    assert await hall.outcomes(tablet, item) == [("accepted", None)]
    assert one.faults() == []
