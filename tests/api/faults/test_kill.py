"""A server killed at any moment loses nothing that it acknowledged, and doubles nothing.

This survives the death of the process. It says nothing about a disk that lies about flushing.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from pathlib import Path

import pytest

from api.archive.archive import open_archive
from events.envelope import NO_STREAM
from events.payloads import match
from events.payloads.access import Role
from events.store.fsck import fsck
from events.values import BySeat
from tests.api.faults.conftest import Nursery
from tests.conftest import PostgresServer

pytestmark = pytest.mark.gate

CLIENTS = 8
LOG = "hall"


MATCH = 200
"""Entries after which a client begins its next match, as at a real table: the cost of a run depends
on its own matches, not on all earlier ones."""


class Client:
    """One tablet: appends to its own matches, and sends the same bytes again until acknowledged."""

    def __init__(self, number: int, token: str, matches: int) -> None:
        self.streams = [f"match-{number}-{match}" for match in range(matches)]
        self.token = token
        self.acknowledged: list[str] = []
        self.waiting: bytes | None = None
        self.waiting_id = ""

    @property
    def stream(self) -> str:
        """The match at which the client is; it stays at its last one."""
        return self.streams[min(len(self.acknowledged) // MATCH, len(self.streams) - 1)]

    def _request(self) -> bytes:
        if self.waiting is None:
            self.waiting_id = str(uuid.uuid4())
            entry = {"entry_id": self.waiting_id, "tag": "director.called", "body": {}}
            body = json.dumps({"entries": [entry]}).encode()
            head = (
                f"POST /logs/{LOG}/matches/{self.stream}/events HTTP/1.1\r\nHost: tablet\r\n"
                f"Authorization: Bearer {self.token}\r\nIf-Match: *\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            self.waiting = head.encode() + body
        return self.waiting

    async def run(self, port: int, enough: asyncio.Event, quota: int) -> None:
        """Append until the connection breaks; ask for the kill once `quota` is reached."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        try:
            for count in range(1, 10_000):
                writer.write(self._request())
                await writer.drain()
                status = int((await reader.readuntil(b"\r\n")).split()[1])
                length = 0
                while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                answer = await reader.readexactly(length)
                assert status in (200, 201), answer
                self.acknowledged.append(self.waiting_id)
                self.waiting = None
                if count >= quota:
                    enough.set()
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


async def one_life(clients: list[Client], nursery: Nursery, url: str, quota: int) -> None:
    """Start a server, let all clients append, kill it in the middle."""
    pid, port = nursery.start(url)
    enough = asyncio.Event()
    tasks = [asyncio.create_task(client.run(port, enough, quota)) for client in clients]
    async with asyncio.timeout(300):
        await enough.wait()
        nursery.kill(pid)
        await asyncio.gather(*tasks)


def prepared(url: str, kills: int) -> list[Client]:
    archive = open_archive(url)
    archive.open_tournament(LOG, "Killed now and then")
    token, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    matches = 1 + kills * QUOTA // MATCH
    clients = [Client(number, token, matches) for number in range(CLIENTS)]
    for stream in (stream for client in clients for stream in client.streams):
        opened = archive.draft(match.MatchOpened(players=BySeat((), ()), length=5))
        archive.append(LOG, stream, [opened], expected_version=NO_STREAM)
    archive.close()
    return clients


def check(url: str, clients: list[Client]) -> int:
    archive = open_archive(url, read_only=True)
    try:
        total = 0
        for client in clients:
            ids = [
                row.entry_id
                for stream in client.streams
                for row in archive.store.read_stream(LOG, stream)[1:]
            ]
            assert len(ids) == len(set(ids))
            written = set(ids)
            lost = [entry for entry in client.acknowledged if entry not in written]
            assert not lost, f"{len(lost)} acknowledged entries are gone"
            # At most the one whose answer was cut off is there without an acknowledgement.
            assert len(written) - len(client.acknowledged) <= 1
            total += len(client.acknowledged)
        assert fsck(archive.store).findings == ()
        return total
    finally:
        archive.close()


QUOTA = 12
"""Entries of one client after which a life ends, at most."""

CRASH = 5
"""At every so many kills the database's server is killed as well, if there is one."""


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "kills", [6, pytest.param(10_000, marks=pytest.mark.long)], ids=["6", "10000"]
)
def test_no_acknowledged_entry_is_lost_or_doubled_by_kill_9(
    tmp_path: Path,
    nursery: Nursery,
    request: pytest.FixtureRequest,
    kills: int,
    database: str,
) -> None:
    url = f"sqlite:///{tmp_path / 'archive.sqlite'}"
    server: PostgresServer | None = None
    if database == "postgres":
        url = request.getfixturevalue("postgres_url")
        server = request.getfixturevalue("postgres_server")
    clients = prepared(url, kills)
    chance = random.Random(9)
    for number in range(kills):
        asyncio.run(one_life(clients, nursery, url, chance.randint(1, QUOTA)))
        if server is not None and number % CRASH == CRASH - 1:
            server.crash()
            server.run()
        # Every look reads all that there is: the longer it is, the rarer.
        if number % (10 if number < 100 else 500) == 9:
            check(url, clients)
            told = sum(len(client.acknowledged) for client in clients)
            print(f"{number + 1} kills, {told} acknowledged entries", flush=True)
    total = check(url, clients)
    print(f"{kills} kills, {total} acknowledged entries, none lost, none twice")
    assert total >= kills
