"""An archive of 100,000 matches beside one of 500: importing, public pages, names, a full room.

Both are imported here from files of ten turns between random players. The cost of importing is
measured for five hundred more matches in each of them, in turn, because a machine drifts while it
fills the large one; and in one of some thousands, whose files have grown until they are
overwritten. Then the same app, without a socket between, answers in both archives, in processor
time, rounds in turn. A number after the command is the number of matches.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
from databases import sqlite_in
from machine import built
from matches import written

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.imports.bulk import Bulk
from api.imports.preparing import Order
from api.imports.ready import MatchResult
from api.imports.taking import LocalTaker
from api.settings import Settings
from events.payloads.access import Role
from events.payloads.dice import Rolled
from events.payloads.play import PlayMade
from projections.board.notation import format_play

MATCHES = 100_000
SMALL = 500
GROWN = 4_000
TURNS = 10
TABLES = 200
ROUNDS = 15
PAIRS = 10
LOG, HALL = "imports", "hall"


def text_of(chance: random.Random, number: int) -> str:
    """A match of ten turns as a `.mat` file."""
    made = [one for one in written(chance, 2 * TURNS + 1) if isinstance(one, Rolled | PlayMade)]
    cells = [
        f"{roll.dice[0]}{roll.dice[1]}: {format_play(played.moves)}"
        for roll, played in zip(made[::2], made[1::2], strict=True)
        if isinstance(roll, Rolled) and isinstance(played, PlayMade)
    ]
    one, two = f"Ada {number % 997} : 0", f"Ben {number} : 0"
    lines = [f" {chance.choice((5, 7, 9))} point match", "", " Game 1", f" {one:<34}{two}"]
    for place in range(0, len(cells), 2):
        lines.append(f"{place // 2 + 1:3}) {cells[place]:<34}{cells[place + 1]}")
    return "\n".join(lines) + "\n"


class Site:
    """An archive of that many imported matches, with a full hall beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archive: Archive = open_archive(sqlite_in(folder))
        self.index = MatchIndex(
            self.archive.store, self.archive.reading, path=folder / "archive.sqlite.index"
        )
        self.public: httpx.AsyncClient
        self.director: httpx.AsyncClient

    def fill(self, first: int, count: int) -> float:
        """Import that many matches; microseconds of processor time per match."""
        chance = random.Random(first)
        with tempfile.TemporaryDirectory() as name:
            files = []
            for number in range(first, first + count):
                files.append(Path(name) / f"{number}.mat")
                files[-1].write_text(text_of(chance, number), "utf-8")
            bulk = Bulk(LocalTaker(self.archive, self.index), Order(log_id=LOG, is_public=True))
            begun = time.process_time()
            taken = sum(isinstance(one, MatchResult) for each in bulk.run(files) for one in each)
            spent = time.process_time() - begun
        assert taken == count, f"{taken} of {count} were imported"
        return spent / count * 1e6

    async def open(self) -> None:
        """Serve it, with two hundred matches in play."""
        self.archive.open_tournament(HALL, "A full hall")
        token, _ = self.archive.grant(Role.DIRECTOR, log_id=HALL)
        app = create_app(self.archive, Settings(db=self.archive.url), index=self.index)
        transport = httpx.ASGITransport(app)
        headers = {"Authorization": f"Bearer {token}", "If-Match": "*"}
        self.public = httpx.AsyncClient(transport=transport, base_url="http://archive")
        self.director = httpx.AsyncClient(
            transport=transport, base_url="http://archive", headers=headers
        )
        for number in range(TABLES):
            players = {"one": [{"name": f"Cleo {number}"}], "two": [{"name": f"Dan {number}"}]}
            body = {"match_id": f"t{number}", "opened": {"players": players, "length": 7}}
            answer = await self.director.post(f"/logs/{HALL}/matches", json=body)
            assert answer.status_code == 201, answer.text

    async def timed(self, client: httpx.AsyncClient, path: str) -> float:
        """Milliseconds of the processor for one answer."""
        begun = time.process_time()
        answer = await client.get(path, headers={"Accept": "text/html, */*"})
        took = (time.process_time() - begun) * 1_000
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:200]}"
        return took

    def close(self) -> None:
        """Let go of its files."""
        self.index.close()
        self.archive.close()


class Asked(NamedTuple):
    """A page of both archives."""

    what: str
    path: Callable[[Site], str]
    is_director: bool = False


def _match_of(site: Site) -> str:
    [row] = site.index.matches(LOG, limit=1)
    return f"/matches/{LOG}/{row.stream_id}"


PAGES = (
    Asked("first page", lambda _: "/"),
    Asked("list of matches", lambda _: f"/tournaments/{LOG}"),
    Asked("match page", _match_of),
    Asked("list by a part of a name", lambda _: f"/tournaments/{LOG}?player=Ben+49"),
    Asked("players by a part of a name", lambda _: "/players?name=en+4"),
    Asked("a player of many matches", lambda _: "/players/Ada%20101"),
    Asked("room of 200 tables", lambda _: f"/logs/{HALL}/room", is_director=True),
)


async def _asked(sites: dict[int, Site]) -> Iterator[tuple[str, str]]:
    took: dict[tuple[str, int], list[float]] = {}
    for _ in range(ROUNDS):
        for page in PAGES:
            for size, site in sites.items():
                client = site.director if page.is_director else site.public
                ms = await site.timed(client, page.path(site))
                took.setdefault((page.what, size), []).append(ms)
    return iter(
        (
            what,
            " / ".join(f"{statistics.median(took[what, size][1:]):.1f} ms" for size in sites),
        )
        for what in (page.what for page in PAGES)
    )


def main() -> None:
    """Print the rows."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with contextlib.ExitStack() as kept:

        def filled(count: int) -> Site:
            site = Site(Path(kept.enter_context(tempfile.TemporaryDirectory())))
            kept.callback(site.close)
            for first in range(0, count, SMALL):
                site.fill(first, SMALL)
            return site

        large, grown = filled(matches), filled(GROWN)
        costs: dict[int, list[float]] = {SMALL: [], GROWN: [], matches: []}
        for first in range(matches, matches + PAIRS * SMALL, SMALL):
            for size, site in ((SMALL, filled(SMALL)), (matches, large), (GROWN, grown)):
                costs[size].append(site.fill(first, SMALL))
        for size in (SMALL, GROWN):
            ratios = sorted(b / a for a, b in zip(costs[size], costs[matches], strict=True))
            few, many = (statistics.median(costs[one]) for one in (size, matches))
            print(
                f"importing a match, in an archive of {size:,} / of {matches:,}:"
                f" {few:,.0f} / {many:,.0f} µs, {statistics.median(ratios):.2f} x"
                f" ({ratios[1]:.2f} to {ratios[-2]:.2f} without the ends of {PAIRS};"
                " target <= 1.2)",
                flush=True,
            )
        sites = {SMALL: filled(SMALL), matches: large}
        print(f"\nin an archive of {SMALL:,} / of {matches:,} matches, the processor's time:")

        async def asked() -> None:
            for site in sites.values():
                await site.open()
                # As a running server has done before anybody asks.
                while not site.index.players.learn():
                    pass
            for what, figure in await _asked(sites):
                print(f"{what:<30}{figure:>24}")

        asyncio.run(asked())


if __name__ == "__main__":
    print(built())
    main()
