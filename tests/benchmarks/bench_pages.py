"""The public pages in an archive of 100 and of 2,000 matches: the processor's time for each.

The same app, without a socket between, over SQLite files that hold one match of 600 entries and so
many short ones, all public and all with names. A page must not know how many matches it does not
show, so the peer is the small archive. `anew` is the first answer after an entry was recorded in
that match, `again` the next visitor's; rounds of both archives alternate, the best counts. By the
clock lists take longer while somebody records: the server rests behind each of them (`hall/turns`).
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from bench_replay import random_match

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events import catalogue
from events.payloads.access import Role
from events.payloads.base import Payload

LOG = "bench"
LONG = "long"
ENTRIES = 600
SIZES = (100, 2_000)
ROUNDS = 7
PATHS = (
    "/",
    f"/tournaments/{LOG}",
    f"/matches/{LOG}/{LONG}",
    "/players",
    "/players/Ada%201",
    "/feed.atom",
)


class Site:
    """An archive with that many matches, and a client of its app."""

    def __init__(self, folder: Path, matches: int) -> None:
        self.archive: Archive = open_archive(f"sqlite:///{folder / f'{matches}.sqlite'}")
        self.archive.open_tournament(LOG, "Benchmark")
        token, _ = self.archive.grant(Role.DIRECTOR, log_id=LOG)
        index = MatchIndex(self.archive.store, self.archive.reading)
        app = create_app(self.archive, Settings(db=self.archive.url), index=index)
        transport = httpx.ASGITransport(app)
        self.public = httpx.AsyncClient(transport=transport, base_url="http://archive")
        headers = {"Authorization": f"Bearer {token}", "If-Match": "*"}
        self.director = httpx.AsyncClient(
            transport=transport, base_url="http://archive", headers=headers
        )

    async def fill(self, matches: int) -> None:
        """Open the matches, and record the long one."""
        for number in range(matches):
            await self._open(f"m{number}", f"Ada {number // 40}", f"Ben {number}")
        payloads = random_match(ENTRIES)
        await self._open(LONG, "Ada 7", "Ben 7", length=99)
        await self.append(payloads[1:])

    async def append(self, payloads: list[Payload]) -> None:
        """Record something in the long match."""
        entries = [
            {
                "entry_id": self.archive.entry_id(),
                "tag": catalogue.tag_of(payload)[0],
                "body": json.loads(catalogue.encode(payload)),
            }
            for payload in payloads
        ]
        path = f"/logs/{LOG}/matches/{LONG}/events"
        answer = await self.director.post(path, json={"entries": entries})
        assert answer.status_code == 201, answer.text

    async def _open(self, match_id: str, one: str, two: str, **more: Any) -> None:
        opened = {
            "players": {"one": [{"name": one}], "two": [{"name": two}]},
            "length": 5,
            "publication": {"public": True, "delay_ms": 0},
            **more,
        }
        body = {"match_id": match_id, "opened": opened}
        answer = await self.director.post(f"/logs/{LOG}/matches", json=body)
        assert answer.status_code == 201, answer.text

    async def timed(self, path: str) -> tuple[float, int]:
        """(milliseconds of the processor, bytes) of one answer as the server makes it."""
        begun = time.process_time()
        answer = await self.public.get(path, headers={"Accept": "text/html, */*"})
        took = (time.process_time() - begun) * 1_000
        assert answer.status_code == 200, f"{path}: {answer.text[:200]}"
        return took, len(gzip.compress(answer.content, 6))


async def run(*, rounds: int = ROUNDS) -> list[tuple[str, str, str, str, str]]:
    """Rows of (page, weight, anew, again, what the large archive costs beside the small one)."""
    extra = random_match(ENTRIES + rounds)[ENTRIES:]
    with tempfile.TemporaryDirectory() as folder:
        sites = [Site(Path(folder), matches) for matches in SIZES]
        for site, matches in zip(sites, SIZES, strict=True):
            await site.fill(matches)
            for path in PATHS:
                await site.timed(path)
        best: dict[tuple[str, int, str], float] = {}
        weight: dict[str, int] = {}
        for number in range(rounds):
            for place, site in enumerate(sites):
                for path in PATHS:
                    if path == PATHS[2]:
                        await site.append([extra[number]])
                    for kind in ("anew", "again"):
                        took, size = await site.timed(path)
                        key = (path, place, kind)
                        best[key] = min(best.get(key, took), took)
                        weight[path] = size
        for site in sites:
            site.archive.close()
    return [
        (
            path,
            f"{weight[path] / 1_024:.1f} KB",
            " / ".join(f"{best[path, place, 'anew']:.1f} ms" for place in range(len(SIZES))),
            " / ".join(f"{best[path, place, 'again']:.1f} ms" for place in range(len(SIZES))),
            f"{best[path, 1, 'again'] / best[path, 0, 'again']:.2f} x",
        )
        for path in PATHS
    ]


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rows = asyncio.run(run(rounds=parser.parse_args().rounds))
    titles = ("page", "gzip", "anew", "again", "ratio (target 1)")
    print(f"matches: {' / '.join(f'{size:,}' for size in SIZES)}\n")
    for row in (titles, *rows):
        print("  ".join(f"{cell:<24}" for cell in row).rstrip())


if __name__ == "__main__":
    main()
