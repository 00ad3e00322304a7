"""Following a match live, over a real server: no gaps, nothing twice, one payload for everybody."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn

from api.archive.archive import Archive, token_hash
from api.archive.channel import QUEUE_LENGTH, Channel, Follower, Payload, Terms
from api.archive.following import Hub
from api.hall.doorway import Server
from api.routes.shared.cookie import COOKIE, CSRF_HEADER, csrf_of
from events.payloads.access import Role
from events.payloads.custody import DisclosureErased

LIVE = "/logs/club/matches/m1/live"


class Frame(NamedTuple):
    """One server-sent event."""

    id: int
    event: str
    data: dict[str, Any]


@pytest.fixture
def url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def server(app: Any) -> Iterator[uvicorn.Server]:
    config = uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = Server(config, app.state.door.hub.close)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    yield server
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


@pytest.fixture
async def far(server: uvicorn.Server, archive: Archive, api: Any) -> AsyncIterator[Any]:
    """The same as `api`, over the network."""
    port = server.servers[0].sockets[0].getsockname()[1]
    network: dict[str, Any] = {
        "base_url": f"http://127.0.0.1:{port}",
        "timeout": 30,
        "limits": httpx.Limits(max_connections=None),
    }
    async with httpx.AsyncClient(**network) as http:
        yield type(api)(http, archive)


async def frames(answer: httpx.Response) -> AsyncIterator[Frame]:
    found: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            found[name] = value
        else:
            if "data" in found and found["event"] != "names":
                yield Frame(int(found["id"]), found["event"], json.loads(found["data"]))
            found = {}


def following(far: Any, token: str | None, after: str | None = None) -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if after is not None:
        headers["Last-Event-ID"] = after
    return far.http.stream("GET", LIVE, headers=headers)


async def follow(
    far: Any, count: int, *, token: str | None = None, after: str | None = None
) -> list[Frame]:
    found: list[Frame] = []
    # What never comes fails the test instead of holding it up for ever.
    async with asyncio.timeout(60), following(far, token, after) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for frame in frames(answer):
            found.append(frame)
            if len(found) == count:
                break
    return found


async def test_first_comes_what_is_there_then_what_is_recorded(
    far: Any, make: Any, begin: Any
) -> None:
    await far.open()
    await far.append(*begin())
    async with following(far, far.scribe) as answer:
        coming = frames(answer)
        there = [await anext(coming) for _ in range(4)]
        lines = (await far.get("/logs/club/matches/m1/replay", far.scribe)).json()["lines"]
        assert [frame.data for frame in there] == lines
        await far.append(make("dice.rolled", seat="two", dice=[6, 5]))
        frame = await anext(coming)
    assert frame.event == "entry"
    assert frame.data["tag"] == "dice.rolled"
    rows = far.archive.store.read_stream("club", "m1")
    assert [frame.id for frame in (*there, frame)] == [row.global_position for row in rows]


async def test_a_browser_that_signed_in_follows_by_cookie(far: Any, begin: Any) -> None:
    await far.open()
    await far.append(*begin())
    async with following(far, None) as answer:
        assert answer.status_code == 401
    assert (await far.post("/session", {"token": far.scribe})).status_code == 204
    assert [frame.data["version"] for frame in await follow(far, 4)] == [1, 2, 3, 4]


async def test_who_comes_back_misses_nothing_and_gets_nothing_twice(
    far: Any, make: Any, begin: Any
) -> None:
    await far.open()
    await far.append(*begin())
    done = asyncio.Event()

    async def record() -> None:
        for _ in range(60):
            await far.append(make("turn.ended", seat="one"))
        done.set()

    recording = asyncio.create_task(record())
    seen: list[Frame] = []
    while len(seen) < 64:
        after = None if not seen else str(seen[-1].id)
        seen += await follow(far, min(7, 64 - len(seen)), token=far.scribe, after=after)
    await recording
    assert done.is_set()
    assert [frame.data["version"] for frame in seen] == list(range(1, 65))


async def test_a_hundred_followers_get_the_same(far: Any, make: Any) -> None:
    await far.open(publication={"public": True, "delay_ms": 0})
    followers = [asyncio.create_task(follow(far, 21)) for _ in range(100)]
    for _ in range(20):
        await far.append(make("turn.ended", seat="one"))
    found = await asyncio.gather(*followers)
    assert all(one == found[0] for one in found)
    assert [frame.data["version"] for frame in found[0]] == list(range(1, 22))


async def test_a_correction_is_announced(far: Any, make: Any, begin: Any) -> None:
    await far.open()
    entries = begin()
    await far.append(*entries)
    async with following(far, far.scribe) as answer:
        coming = frames(answer)
        assert [(await anext(coming)).data["version"] for _ in range(4)] == [1, 2, 3, 4]
        await far.append(make("entry.retracted", target=entries[-1]["entry_id"]))
        corrected = await anext(coming)
    assert corrected.event == "corrected"
    assert corrected.data["target"] == entries[-1]["entry_id"]
    assert corrected.data["target_version"] == 4
    assert corrected.data["to_act"] == "one"
    # Readers who come later get the match as it is now.
    later = await follow(far, 4, token=far.scribe)
    assert [frame.data["version"] for frame in later] == [1, 2, 3, 5]


async def test_the_public_follows_behind_the_table(
    far: Any, app: Any, clock: Any, make: Any, begin: Any
) -> None:
    await far.open(publication={"public": True, "delay_ms": 3_600_000})
    clock.now += 3_600_000
    await far.append(*begin())
    async with following(far, None) as answer:
        coming = frames(answer)
        assert (await anext(coming)).data["version"] == 1
        waiting = asyncio.ensure_future(anext(coming))
        granted = await follow(far, 4, token=far.scribe)
        assert [frame.data["version"] for frame in granted] == [1, 2, 3, 4]
        assert not waiting.done()
        clock.now += 3_600_000
        hub: Hub = app.state.door.hub
        assert hub._loop is not None
        hub._loop.call_soon_threadsafe(hub.wake, [("club", "m1")])
        assert (await waiting).data["version"] == 2


async def test_who_comes_back_while_a_ruling_is_awaited_gets_nothing_twice(
    far: Any, make: Any, begin: Any
) -> None:
    """A browser that had been told more than both accept was told the disputed entries again."""
    await far.open(publication={"public": True, "delay_ms": 0})
    start = begin()
    await far.append(*start)
    told = await follow(far, 4)
    raised = make("dispute.raised", by="one", frozen_at=start[0]["entry_id"])
    await far.append(raised, token=far.director)
    async with asyncio.timeout(60), following(far, None, str(told[-1].id)) as answer:
        lines = answer.aiter_lines()
        async for line in lines:
            assert not line.startswith("id: ")
            if "awaits_ruling" in line:
                break
        ruling = make("ruling.made", dispute=raised["entry_id"])
        await far.append(ruling, token=far.director)
        ids = []
        async for line in lines:
            if line.startswith("id: "):
                ids.append(int(line[4:]))
            if '"awaits_ruling":false' in line:
                break
    rows = far.archive.store.read_stream("club", "m1")
    assert ids == [row.global_position for row in rows[4:]]


async def test_whoever_may_no_longer_read_is_let_go(far: Any, make: Any) -> None:
    await far.open(publication={"public": True, "delay_ms": 0})
    token, grant = far.archive.grant(Role.VIEWER, log_id="club")
    async with contextlib.AsyncExitStack() as stack:
        public, viewer, scribe = [
            frames(await stack.enter_async_context(following(far, token)))
            for token in (None, token, far.scribe)
        ]
        for stream in (public, viewer, scribe):
            assert (await anext(stream)).data["version"] == 1
        await far.append(make("publication.withheld"), token=far.director)
        assert [frame async for frame in public] == []
        assert (await anext(viewer)).data["version"] == 2
        revoked = {"entries": [make("access.revoked", target=grant)]}
        await far.post("/logs/club/events", revoked, far.director, If_Match="*")
        assert [frame async for frame in viewer] == []
        await far.append(make("turn.ended", seat="one"))
        assert [(await anext(scribe)).data["version"] for _ in range(2)] == [2, 3]


async def told_to(line: Follower) -> bytes:
    """All that a follower was handed until nothing more came, and whether he was let go."""
    told = b""
    with contextlib.suppress(TimeoutError):
        while True:
            async with asyncio.timeout(0.5):
                payload = await line.queue.get()
            if payload is None:
                return told + b"let go"
            told += payload.frames
    return told


async def test_who_lost_the_grant_while_he_was_asking_is_told_nothing(
    api: Any, app: Any, make: Any
) -> None:
    await api.open()
    hub: Hub = app.state.door.hub
    token, grant = api.archive.grant(Role.VIEWER, log_id="club")
    viewer = Terms(token_hash(api.token(Role.VIEWER)))
    channel, other = hub.join(("club", "m1"), viewer, version=1)
    revoked = {"entries": [make("access.revoked", target=grant)]}
    await api.post("/logs/club/events", revoked, api.director, If_Match="*")
    assert await told_to(other) == b""
    same, late = hub.join(("club", "m1"), Terms(token_hash(token)), version=1)
    assert same is channel
    await api.append(make("game.started"))
    assert await told_to(late) == b"let go"
    assert b"game.started" in await told_to(other)


async def test_whoever_signs_out_follows_no_more(far: Any, make: Any) -> None:
    """Also somebody who has a copy of the cookie, and had opened a stream with it."""
    await far.open()
    begun = await far.http.post("/session", json={"token": far.scribe})
    far.http.cookies.clear()
    word = begun.headers["set-cookie"].partition(";")[0].removeprefix(f"{COOKIE}=")
    cookie = {"Cookie": f"{COOKIE}={word}"}
    async with contextlib.AsyncExitStack() as stack:
        signed_in, by_token = [
            frames(await stack.enter_async_context(far.http.stream("GET", LIVE, headers=headers)))
            for headers in (cookie, {"Authorization": f"Bearer {far.scribe}"})
        ]
        for stream in (signed_in, by_token):
            assert (await anext(stream)).data["version"] == 1
        headers = {**cookie, CSRF_HEADER: csrf_of(word)}
        assert (await far.http.delete("/session", headers=headers)).status_code == 204
        assert [frame async for frame in signed_in] == []
        await far.append(make("game.started"))
        assert (await anext(by_token)).data["version"] == 2


async def test_a_session_that_runs_out_ends_the_line_that_was_opened_with_it(
    api: Any, app: Any, clock: Any, make: Any
) -> None:
    await api.open()
    door = app.state.door
    session = door.sessions.begin(token_hash(api.scribe))
    lines = [
        door.hub.stream(
            ("club", "m1"), Terms(token_hash(api.scribe), session=by), version=1, after=1
        )
        for by in (session, None)
    ]
    for line in lines:
        assert b"retry" in await anext(line)
    asked = [asyncio.ensure_future(anext(line, b"over")) for line in lines]
    await asyncio.sleep(0)
    clock.now += 16 * 3_600_000
    await api.append(make("game.started"))
    by_session, by_token = await asyncio.gather(*asked)
    assert by_session == b"over"
    assert b"game.started" in by_token
    await lines[1].aclose()


async def test_a_committee_is_let_go_where_the_match_comes_under_a_rule_set_that_cuts_it(
    api: Any, app: Any, make: Any
) -> None:
    await api.open(rule_set="usbgf-2017-09")
    hub: Hub = app.state.door.hub
    lines = {}
    for role in (Role.COMMITTEE, Role.SCRIBE):
        trusted = role is Role.COMMITTEE
        terms = Terms(token_hash(api.token(role)), is_trusted=trusted)
        _, lines[role] = hub.join(("club", "m1"), terms, version=1)
    await api.append(make("game.started"))
    assert b"game.started" in await told_to(lines[Role.COMMITTEE])
    [opened, _] = (await api.get("/logs/club/matches/m1/events", api.director)).json()["entries"]
    body = {**opened["body"], "rule_set": "biba-2014"}
    target = opened["entry_id"]
    amended = make("entry.amended", target=target, tag="match.opened", schema=1, body=body)
    assert (await api.append(amended, token=api.director)).status_code == 201
    ruled = [make("dispute.raised", by="one"), make("ruling.made")]
    assert (await api.append(*ruled, token=api.director)).status_code == 201
    assert await told_to(lines[Role.COMMITTEE]) == b"let go"
    assert b"ruling.made" in await told_to(lines[Role.SCRIBE])


@pytest.mark.parametrize("header", ["x", "-1", "1.5", "9" * 16])
async def test_a_last_event_id_that_is_none_is_refused(far: Any, header: str) -> None:
    await far.open()
    answer = await far.get(LIVE, far.scribe, Last_Event_ID=header)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


async def test_nobody_follows_what_they_may_not_read(far: Any) -> None:
    await far.open()
    assert (await far.get(LIVE)).status_code == 401
    assert (await far.get("/logs/club/matches/none/live", far.scribe)).status_code == 404


async def test_a_body_without_a_length_is_refused_when_it_grows_too_large(far: Any) -> None:
    await far.open()
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65_536
            yield b"x" * 65_536

    headers = {"Authorization": f"Bearer {far.director}", "If-Match": "*"}
    path = "/logs/club/matches/m1/events"
    try:
        answer = await far.http.post(path, headers=headers, content=endless())
    except (httpx.WriteError, httpx.ReadError):
        pass  # the server had answered and closed, and the client was still writing
    else:
        assert answer.status_code == 413
        assert answer.json()["type"] == "/problems/too-large"
    assert sent < 100_000_000
    assert far.version() == 1


async def test_an_announced_length_is_refused_before_a_byte_is_read(
    far: Any, server: uvicorn.Server
) -> None:
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /logs HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 413 ")


async def test_a_slow_follower_is_let_go_and_the_others_are_not() -> None:
    slow, quick = Follower(Terms()), Follower(Terms())
    for version in range(QUEUE_LENGTH):
        assert slow.offer(Payload(version, version + 1, b"x"))
        assert quick.offer(Payload(version, version + 1, b"x"))
        await quick.queue.get()
    assert not slow.offer(Payload(QUEUE_LENGTH, QUEUE_LENGTH + 1, b"x"))
    assert quick.offer(Payload(QUEUE_LENGTH, QUEUE_LENGTH + 1, b"x"))
    assert await slow.queue.get() is None
    assert slow.queue.empty()


async def test_a_channel_ends_with_its_last_follower(api: Any, app: Any) -> None:
    await api.open()
    hub: Hub = app.state.door.hub
    stream = hub.stream(("club", "m1"), Terms(), version=1, after=0)
    await anext(stream)
    second = hub.stream(("club", "m1"), Terms(), version=1, after=1)
    await anext(second)
    [channel] = hub._channels["club", "m1"].values()
    assert isinstance(channel, Channel)
    assert hub.followers() == 2
    await stream.aclose()
    await second.aclose()
    assert hub.followers() == 0
    assert hub._channels == {}
    assert channel.task is not None
    with pytest.raises(asyncio.CancelledError):
        await channel.task


async def test_a_closed_hub_takes_no_follower(api: Any, app: Any) -> None:
    await api.open()
    hub: Hub = app.state.door.hub
    hub.close()
    got = [part async for part in hub.stream(("club", "m1"), Terms(), version=1, after=1)]
    assert got == [b'retry: 1000\n\nevent: names\ndata: {"version":0,"erased":null}\n\n']


async def test_whoever_comes_back_is_told_which_erasure_was_the_last(api: Any, app: Any) -> None:
    await api.open()
    await api.open("m2")
    hub: Hub = app.state.door.hub

    async def begun(match_id: str) -> bytes:
        stream = hub.stream(("club", match_id), Terms(), version=1, after=1)
        first = await anext(stream)
        await stream.aclose()
        return first.partition(b"event: names\ndata: ")[2]

    before = await begun("m1")
    assert before == b'{"version":0,"erased":null}\n\n' == await begun("m1")
    for seen in (before, None):
        known = seen if seen is not None else await begun("m1")
        gone = DisclosureErased(commitments=("0" * 63 + str(len(known) % 10),))
        api.archive.append("club", "tournament", [api.archive.draft(gone)])
        now = await begun("m1")
        assert now != known
        assert now == await begun("m2")
