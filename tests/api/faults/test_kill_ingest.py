"""A server killed in the midst of taking in: tablets send again, and each draft is there once.

This survives the death of the process. It says nothing about a disk that lies about flushing.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import httpx
import orjson
import pytest

from api.archive.archive import open_archive
from events.envelope import NO_STREAM, TOURNAMENT_STREAM
from events.payloads.access import AccessGranted, Device, Role, Scope, ScopeKind
from events.payloads.custody import LeaseGranted
from events.payloads.match import MatchOpened
from events.store.fsck import fsck
from events.values import BySeat
from tests.api.devices import Sent, Tablet, raw_of
from tests.api.faults.conftest import Nursery

pytestmark = pytest.mark.gate

LOG = "hall"
TABLETS = 4


class Scribe:
    """A tablet at its own board, which sends drafts until it is told that they are recorded."""

    def __init__(self, number: int) -> None:
        self.tablet = Tablet(f"t{number}")
        self.stream = f"match-{number}"
        self.chance = random.Random(number)
        self.drafts: list[Sent] = []
        self.ids: list[str] = []
        self.told = 0
        """How many of them were acknowledged."""
        self.places: dict[str, int] = {}

    def more(self, size: int) -> None:
        """Record that many more entries."""
        for _ in range(size):
            at = len(self.drafts) + 1
            sent = self.tablet.record("director.called", at, stream=self.stream)
            self.drafts.append(sent)
            self.ids.append(orjson.loads(raw_of(sent))["entry_id"])

    async def send(self, http: httpx.AsyncClient, start: int, end: int) -> None:
        """Send a part of the chain, and remember where it is said to be."""
        answer = await http.post(
            f"/logs/{LOG}/ingest",
            json={"items": self.drafts[start:end]},
            headers={"Authorization": f"Bearer {self.tablet.token}"},
        )
        assert answer.status_code == 200, answer.text
        results = answer.json()["results"]
        for entry_id, result in zip(self.ids[start:end], results, strict=True):
            assert result["outcome"] in ("accepted", "duplicate"), result
            place = self.places.setdefault(entry_id, result["global_position"])
            assert place == result["global_position"]
            assert place is not None
        self.told = max(self.told, end)

    async def run(self, port: int, enough: asyncio.Event, quota: int) -> None:
        """Record and send until the connection breaks; ask for the kill once `quota` is reached."""
        # Not only what is new: how far back it must go, a tablet cannot know exactly.
        start = max(0, self.told - self.chance.randint(0, 6))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            for count in range(1, 10_000):
                self.more(self.chance.randint(1, 5))
                try:
                    await self.send(http, start, len(self.drafts))
                except httpx.HTTPError:
                    return
                start = len(self.drafts)
                if count >= quota:
                    enough.set()


async def one_life(scribes: list[Scribe], nursery: Nursery, url: str, quota: int) -> None:
    """Start a server, let all tablets send, kill it in the middle."""
    pid, port = nursery.start(url)
    enough = asyncio.Event()
    tasks = [asyncio.create_task(scribe.run(port, enough, quota)) for scribe in scribes]
    async with asyncio.timeout(300):
        await enough.wait()
        # Not between two batches only: wherever the server is at that moment.
        for _ in range(scribes[0].chance.randrange(60)):
            await asyncio.sleep(0)
        nursery.kill(pid)
        await asyncio.gather(*tasks)


async def everything_again(scribes: list[Scribe], nursery: Nursery, url: str) -> None:
    """Start a server once more, and send every chain from its beginning."""
    pid, port = nursery.start(url)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        for scribe in scribes:
            for start in range(0, len(scribe.drafts), 200):
                await scribe.send(http, start, min(start + 200, len(scribe.drafts)))
    nursery.kill(pid)


def prepared(url: str) -> list[Scribe]:
    archive = open_archive(url)
    archive.open_tournament(LOG, "Killed now and then")
    scribes = [Scribe(number) for number in range(TABLETS)]
    for scribe in scribes:
        opened = archive.draft(MatchOpened(players=BySeat((), ()), length=5))
        archive.append(LOG, scribe.stream, [opened], expected_version=NO_STREAM)
        tablet = scribe.tablet
        granted = AccessGranted(
            token_sha256=tablet.token_sha256,
            role=Role.SCRIBE,
            scope=Scope(kind=ScopeKind.LOG),
            device=Device(id=tablet.name, public_key=tablet.public_key),
        )
        lease = LeaseGranted(lease=1, device=tablet.name, match=scribe.stream)
        archive.append(LOG, TOURNAMENT_STREAM, [archive.draft(granted), archive.draft(lease)])
    archive.close()
    return scribes


def check(url: str, scribes: list[Scribe], *, is_whole: bool) -> None:
    """All acknowledged entries are there, in order, once; after sending again, all entries are."""
    archive = open_archive(url, read_only=True)
    try:
        for scribe in scribes:
            rows = archive.store.read_stream(LOG, scribe.stream, after=1)
            ids = [row.entry_id for row in rows]
            assert ids == scribe.ids[: len(ids)]
            assert len(ids) >= (len(scribe.ids) if is_whole else scribe.told)
            for row in rows:
                assert scribe.places.get(row.entry_id) in (None, row.global_position)
        if is_whole:
            sent = sum(len(scribe.ids) for scribe in scribes)
            assert archive.store.journal_size(LOG) == sent
        assert fsck(archive.store).findings == ()
    finally:
        archive.close()


@pytest.mark.parametrize(
    "kills", [5, pytest.param(1_000, marks=pytest.mark.long)], ids=["5", "1000"]
)
def test_no_draft_is_lost_or_doubled_by_kill_9(
    tmp_path: Path, nursery: Nursery, kills: int
) -> None:
    url = f"sqlite:///{tmp_path / 'archive.sqlite'}"
    scribes = prepared(url)
    chance = random.Random(5)
    for number in range(kills):
        asyncio.run(one_life(scribes, nursery, url, chance.randint(1, 6)))
        if number % 10 == 4:
            check(url, scribes, is_whole=False)
    asyncio.run(everything_again(scribes, nursery, url))
    check(url, scribes, is_whole=True)
    assert sum(len(scribe.ids) for scribe in scribes) >= kills
