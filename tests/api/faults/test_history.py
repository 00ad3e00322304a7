"""Killed servers behind a network that breaks: one archive explains all that clients were told.

Two app servers on one PostgreSQL, of which one dies at a time and its database now and then; one
server on SQLite. Requests are cut, doubled, swallowed and delayed on their way.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.archive.archive import open_archive
from events.envelope import NO_STREAM
from events.payloads import match
from events.payloads.access import Role
from events.store.fsck import fsck
from events.values import BySeat
from tests.api.faults.conftest import Nursery
from tests.api.faults.history import Asked, History, Looked, faults_in
from tests.api.faults.proxy import FAULTS, FaultyProxy
from tests.conftest import PostgresServer

LOG = "hall"
CLIENTS = 6
PATIENCE_S = 1.0
"""After that a tablet sends again; so does one whose answer is only late."""


async def exchanged(port: int, head: str, body: bytes) -> tuple[int, bytes] | None:
    """(status, body) of a complete answer; None if it is not known what was done."""
    with contextlib.suppress(OSError, TimeoutError, ValueError, LookupError):
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                lines = f"{head}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(lines.encode() + body)
                answer = await reader.read()
            finally:
                writer.close()
        told, _, content = answer.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in told.split(b"\r\n")[1:])
        if len(content) == int(fields[b"content-length"]):
            return int(told.split()[1]), content
    return None


class Client:
    """A scribe at a board: one entry after the other, each sent until it is acknowledged."""

    def __init__(self, number: int, token: str, history: History) -> None:
        self.stream = f"match-{number}"
        self.token = token
        self.history = history
        self.chance = random.Random(number)
        self.left = 0

    async def run(self, port: int) -> None:
        """Record what is left to record."""
        while self.left:
            asked = Asked(self.stream, str(uuid.UUID(int=self.chance.getrandbits(128), version=4)),
                          self.history.now())  # fmt: skip
            self.history.asked.append(asked)
            while asked.ended is None:
                await self.send(port, asked)
            self.left -= 1
            if self.chance.random() < 0.3:
                await self.look(port)

    def _head(self, method: str, path: str) -> str:
        return (
            f"{method} /logs/{LOG}/matches/{self.stream}/{path} HTTP/1.1\r\nHost: tablet\r\n"
            f"Authorization: Bearer {self.token}\r\nIf-Match: *\r\nContent-Type: application/json"
        )

    async def send(self, port: int, asked: Asked) -> None:
        entry = {"entry_id": asked.entry_id, "tag": "director.called", "body": {}}
        body = json.dumps({"entries": [entry]}).encode()
        answer = await exchanged(port, self._head("POST", "events"), body)
        if answer is None:
            return
        status, content = answer
        # 503: the commit's outcome is unknown, or the database is away; send the same bytes again.
        assert status in (200, 201, 503), content
        if status != 503:
            [row] = json.loads(content)["entries"]
            asked.told.add((row["version"], row["global_position"]))
            asked.ended = self.history.now() if asked.ended is None else asked.ended

    async def look(self, port: int) -> None:
        begun = self.history.now()
        answer = await exchanged(port, self._head("GET", "events?after=999999&limit=1"), b"")
        if answer is not None and answer[0] == 200:
            version = json.loads(answer[1])["version"]
            self.history.looked.append(Looked(self.stream, begun, self.history.now(), version))


def prepared(url: str, history: History) -> list[Client]:
    archive = open_archive(url)
    archive.open_tournament(LOG, "Killed now and then")
    token, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    clients = [Client(number, token, history) for number in range(CLIENTS)]
    for client in clients:
        opened = archive.draft(match.MatchOpened(players=BySeat((), ()), length=5))
        asked = Asked(client.stream, opened.entry_id, history.now())
        archive.append(LOG, client.stream, [opened], expected_version=NO_STREAM)
        asked.ended = history.now()
        [row] = archive.store.read_stream(LOG, client.stream)
        asked.told.add((1, row.global_position))
        history.asked.append(asked)
    archive.close()
    return clients


def checked(url: str, history: History, clients: list[Client]) -> None:
    archive = open_archive(url, read_only=True)
    try:
        streams = {
            client.stream: [
                (row.entry_id, row.global_position)
                for row in archive.store.read_stream(LOG, client.stream)
            ]
            for client in clients
        }
        assert faults_in(history, streams) == []
        assert fsck(archive.store).findings == ()
    finally:
        archive.close()


@contextlib.contextmanager
def nurseries(count: int, tmp_path: Path) -> Iterator[list[Nursery]]:
    made = [Nursery(tmp_path / f"home{number}") for number in range(count)]
    try:
        yield made
    finally:
        for one in made:
            one.end()


def answered(port: int) -> None:
    """Wait until the server at a port has begun: it is listened there before."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
        asked.request("GET", "/ready")
        asked.getresponse().read()


async def lives(
    url: str,
    made: list[Nursery],
    clients: list[Client],
    *,
    kills: int,
    server: PostgresServer | None,
) -> FaultyProxy:
    """Kill a server again and again while clients record; other servers of its database go on."""
    chance = random.Random(3)
    async with FaultyProxy(chance) as proxy:
        running = [await asyncio.to_thread(one.start, url) for one in made]
        for number in range(kills):
            proxy.ports = [port for _, port in running]
            for client in clients:
                client.left = chance.randint(1, 6)
            tasks = [asyncio.create_task(client.run(proxy.port)) for client in clients]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            dying = number % len(made)
            pid, _ = running[dying]
            await asyncio.to_thread(made[dying].kill, pid)
            if server is not None and number % 4 == 3:
                # One that is still opening the archive would end with the database, and those
                # that are left have to serve everybody.
                for place, (_, port) in enumerate(running):
                    if place != dying:
                        await asyncio.to_thread(answered, port)
                await asyncio.to_thread(server.crash)
                await asyncio.to_thread(server.run)
            if len(made) > 1:
                # The remaining servers serve all clients to their end.
                await asyncio.gather(*tasks)
            running[dying] = await asyncio.to_thread(made[dying].start, url)
            proxy.ports = [port for _, port in running]
            await asyncio.gather(*tasks)
        for one, (pid, _) in zip(made, running, strict=True):
            await asyncio.to_thread(one.kill, pid)
    return proxy


@pytest.mark.gate
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "kills", [4, pytest.param(1_000, marks=pytest.mark.long)], ids=["4", "1000"]
)
def test_one_archive_explains_everything_that_clients_were_told(
    tmp_path: Path, request: pytest.FixtureRequest, kills: int, database: str
) -> None:
    url, server, many = f"sqlite:///{tmp_path / 'archive.sqlite'}", None, 1
    if database == "postgres":
        url, many = request.getfixturevalue("postgres_url"), 2
        server = request.getfixturevalue("postgres_server")
    history = History()
    clients = prepared(url, history)
    with nurseries(many, tmp_path) as made:
        proxy = asyncio.run(lives(url, made, clients, kills=kills, server=server))
    checked(url, history, clients)
    print(f"{kills} kills, {history.acknowledged()} acknowledged, {len(history.looked)} looks,"
          f" faults {dict(proxy.done)}")  # fmt: skip
    assert set(proxy.done) == set(FAULTS)


# -- the checker itself ----------------------------------------------------------------------------


def told() -> History:
    """Two clients: `a` was told before `b` was sent, `c` nobody was told of."""
    history = History()
    for stream, entry_id, place, ended in (
        ("m", "a", (1, 0), True),
        ("n", "b", (1, 1), True),
        ("m", "c", (2, 2), False),
    ):
        asked = Asked(stream, entry_id, history.now())
        if ended:
            asked.told, asked.ended = {place}, history.now()
        history.asked.append(asked)
    return history


@pytest.mark.parametrize(
    ("streams", "fault"),
    [
        ({"m": [("a", 0), ("c", 2)], "n": [("b", 1)]}, None),
        ({"m": [("a", 0)], "n": [("b", 1)]}, None),
        ({"m": [("c", 0)], "n": [("b", 1)]}, "a was acknowledged and is gone"),
        ({"m": [("a", 0), ("a", 2)], "n": [("b", 1)]}, "a stands twice"),
        ({"m": [("a", 0), ("x", 2)], "n": [("b", 1)]}, "x was sent by nobody"),
        ({"m": [("a", 0)], "n": [("b", 1), ("c", 2)]}, "c stands in another stream"),
        ({"m": [("c", 0), ("a", 2)], "n": [("b", 1)]}, "a stands elsewhere than it was told"),
        ({"m": [("a", 1)], "n": [("b", 0)]}, "b stands before one that was acknowledged earlier"),
    ],
)
def test_the_checker_sees_what_no_archive_can_have_done(
    streams: dict[str, list[tuple[str, int]]], fault: str | None
) -> None:
    found = faults_in(told(), streams)
    assert (fault in found) if fault else found == []


def test_the_checker_sees_who_was_told_less_than_others_before() -> None:
    history = told()
    begun = history.now()
    history.looked.append(Looked("m", begun, history.now(), 0))
    streams = {"m": [("a", 0)], "n": [("b", 1)]}
    assert faults_in(history, streams) == ["m was said to be at 0, behind 1"]
