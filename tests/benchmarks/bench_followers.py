"""1,000 followers of one match: the time from an append until the last of them has received it.

The server is a real `tabularium serve`. The followers have a process of their own, and share one
clock with the process that appends; the same appends with a single follower are measured beside,
round by round.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from bench_append import LOG, _bodies, _Client, _loop_factory, _post
from bench_load import Served, _apart, _serving, _wide
from databases import homes

MANY = 1_000
MARK = b"\nevent: entry"
LIMIT_S = 60.0


class Row(NamedTuple):
    """So many followers over all rounds."""

    followers: int
    median_ms: float
    """From the first byte of the append to the last follower's frame."""
    worst_ms: float
    answered_ms: float
    """Median until the append itself is answered."""
    cpu_ms: float
    """Milliseconds of the server's processor for an append and its frames."""


def _follow(port: int, token: str, match: str, followers: int, pipe: Connection) -> None:
    """Followers of one match: tell the moment at which the last one heard what was announced."""
    _wide()
    waiting: set[int] = set()

    class Looker(asyncio.Protocol):
        def __init__(self, number: int) -> None:
            self.number, self.tail = number, b""

        def connection_made(self, transport: Any) -> None:
            path = f"/logs/{LOG}/matches/{match}/live"
            head = f"GET {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\r\n"
            transport.write(head.encode())

        def data_received(self, data: bytes) -> None:
            # A frame may come in two pieces.
            is_heard = MARK in self.tail + data
            self.tail = b"" if is_heard else data[-len(MARK) :]
            if is_heard and self.number in waiting:
                waiting.remove(self.number)
                if not waiting:
                    pipe.send(time.monotonic())

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in range(followers):
            await loop.create_connection(lambda n=number: Looker(n), "127.0.0.1", port)  # type: ignore[misc]
        pipe.send("there")
        while await asyncio.to_thread(pipe.recv) != "stop":
            waiting.update(range(followers))
            pipe.send("ready")

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())


async def _measure(server: Served, *, followers: int, rounds: int) -> Row:
    (port,), match = server.ports, f"followed-by-{followers}"
    client = await _Client.connect(port)
    opened = f'{{"match_id":"{match}","opened":{{"players":{{"one":[],"two":[]}}}}}}'
    await client.send(_post(f"/logs/{LOG}/matches", opened, token=server.scribe))
    path, heard, answered, used = f"/logs/{LOG}/matches/{match}/events", [], [], []
    with _apart(_follow, port, server.viewer, match, followers) as pipe:
        await asyncio.to_thread(pipe.recv)
        await asyncio.sleep(1)  # what they are told of the match as it stands
        # Anew: the server may have closed a connection that was silent meanwhile.
        client = await _Client.connect(port)
        for version, body in enumerate(_bodies(rounds + 3, followers), start=1):
            pipe.send("wait")
            assert await asyncio.to_thread(pipe.recv) == "ready"
            before, begun = server.cpu_s, time.monotonic()
            status = await client.send(_post(path, body, token=server.scribe, version=version))
            assert status == 201, client.body
            answered.append(time.monotonic() - begun)
            assert await asyncio.to_thread(pipe.poll, LIMIT_S), "a follower heard nothing"
            heard.append(pipe.recv() - begun)
            used.append(server.cpu_s - before)
    client.transport.close()
    warm = slice(3, None)
    at = [1_000 * statistics.median(one[warm]) for one in (heard, answered)]
    worst, cpu = 1_000 * max(heard[warm]), 1_000 * statistics.mean(used[warm])
    return Row(followers, at[0], worst, at[1], cpu)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--followers", type=int, default=MANY)
    options = parser.parse_args()
    _wide()
    for home in homes():
        with home.empty() as (url, folder), _serving(url, folder, 1) as server:
            rows = [
                asyncio.run(_measure(server, followers=many, rounds=options.rounds))
                for many in (1, options.followers)
            ]
        print(f"{home.name:14}{'last ms':>9}{'worst ms':>10}{'answer ms':>11}{'CPU ms':>8}")
        for row in rows:
            last, worst, answer, cpu = row[1:]
            who = f"  {row.followers} followers"
            print(f"{who:14}{last:9.1f}{worst:10.1f}{answer:11.1f}{cpu:8.2f}", flush=True)


if __name__ == "__main__":
    main()
