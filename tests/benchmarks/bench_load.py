"""A full hall: 200 tablets, 1,000 followers and 50 that never read, on SQLite and PostgreSQL.

The server, the followers and the tablets have a process each. Every tablet records in a match of
its own, an entry a request, as fast as it is answered; five follow each match. Rounds of the
endpoint that writes nothing and of the append alternate.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from bench_append import LOG, _bodies, _Client, _loop_factory, _post

import migrations
from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from tests.conftest import PostgresServer, _postgres_bins, _runs

TABLETS, FOLLOWERS, DEAF = 200, 1_000, 50


class Row(NamedTuple):
    """One endpoint over all rounds."""

    endpoint: str
    per_second: float
    """Requests a second."""
    p50_ms: float
    p99_ms: float
    p999_ms: float
    heard: int
    """Frames that followers read meanwhile."""
    rss_mb: float
    """Largest memory of the server so far."""


def _wide() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))


def _serve(url: str, folder: Path, pipe: Connection) -> None:
    _wide()
    archive = open_archive(url)
    archive.open_tournament(LOG, "A full hall")
    scribe, _ = archive.grant(Role.SCRIBE, log_id=LOG)
    index = MatchIndex(archive.store, archive.reading)
    settings = Settings(db=url, files=folder / "files", sessions=folder / "sessions")
    app = create_app(archive, settings, index=index, with_noop=True)
    config = uvicorn.Config(
        app, port=0, log_level="error", access_log=False, loop="uvloop", http="httptools",
        timeout_keep_alive=600,
    )  # fmt: skip
    server = uvicorn.Server(config)

    async def main() -> None:
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        pipe.send((server.servers[0].sockets[0].getsockname()[1], scribe))
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024)
        server.should_exit = True
        await task

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())
    archive.close()


def _follow(port: int, token: str, pipe: Connection) -> None:
    """Whoever looks on: counts frames, and tells how many whenever it is asked."""
    _wide()
    heard = 0

    class Looker(asyncio.Protocol):
        def __init__(self, number: int) -> None:
            self.number = number

        def connection_made(self, transport: Any) -> None:
            path = f"/logs/{LOG}/matches/m{self.number % TABLETS}/live"
            head = f"GET {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\r\n"
            transport.write(head.encode())
            if self.number >= FOLLOWERS:
                # Not at once: the loop would begin to read after this.
                asyncio.get_running_loop().call_soon(transport.pause_reading)

        def data_received(self, data: bytes) -> None:
            nonlocal heard
            heard += data.count(b"\nevent: entry")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in range(FOLLOWERS + DEAF):
            await loop.create_connection(lambda n=number: Looker(n), "127.0.0.1", port)  # type: ignore[misc]
        pipe.send("there")
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(heard)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())


@contextlib.contextmanager
def _apart(target: Any, *arguments: object) -> Iterator[Connection]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(*arguments, there), daemon=True)
    process.start()
    try:
        yield here
    finally:
        with contextlib.suppress(OSError):
            here.send("stop")
        process.join(30)
        if process.is_alive():
            process.kill()


def _asked(pipe: Connection) -> float:
    pipe.send("how much")
    return float(pipe.recv())


async def _measure(
    port: int, token: str, server: Connection, *, rounds: int, requests: int
) -> list[Row]:
    clients = [await _Client.connect(port) for _ in range(TABLETS)]
    for number, client in enumerate(clients):
        opened = f'{{"match_id":"m{number}","opened":{{"players":{{"one":[],"two":[]}}}}}}'
        await client.send(_post(f"/logs/{LOG}/matches", opened, token=token))
    bodies = [_bodies((rounds + 1) * requests, seed) for seed in range(TABLETS)]
    with _apart(_follow, port, token) as followers:
        await asyncio.to_thread(followers.recv)
        found: dict[str, list[float]] = {"no-op": [], "append": []}
        seconds, heard = dict.fromkeys(found, 0.0), dict.fromkeys(found, 0)
        for turn in range(rounds + 1):
            for endpoint, latencies in found.items():
                prefix, first = ("/noop" if endpoint == "no-op" else ""), turn * requests

                async def one(number: int, prefix: str, first: int, told: list[float]) -> None:
                    path = f"{prefix}/logs/{LOG}/matches/m{number}/events"
                    for place in range(first, first + requests):
                        body = bodies[number][place]
                        message = _post(path, body, token=token, version=place + 1)
                        begun = time.perf_counter()
                        status = await clients[number].send(message)
                        told.append(time.perf_counter() - begun)
                        if status != 201:
                            raise RuntimeError(f"{status}: {clients[number].body!r}")

                taken: list[float] = []
                before = _asked(followers)
                begun = time.perf_counter()
                await asyncio.gather(*[one(at, prefix, first, taken) for at in range(TABLETS)])
                if turn:  # the first one warms up
                    seconds[endpoint] += time.perf_counter() - begun
                    heard[endpoint] += int(_asked(followers) - before)
                    latencies += taken
    for client in clients:
        client.transport.close()
    rows = []
    for endpoint, latencies in found.items():
        latencies.sort()
        at = [latencies[int(len(latencies) * part)] * 1_000 for part in (0.5, 0.99, 0.999)]
        many = len(latencies) / seconds[endpoint]
        rows.append(Row(endpoint, many, *at, heard=heard[endpoint], rss_mb=_asked(server)))
    return rows


def run(url: str, folder: Path, *, rounds: int, requests: int) -> list[Row]:
    """Rows for `no-op` and `append` on one database."""
    with _apart(_serve, url, folder) as server:
        port, token = server.recv()
        return asyncio.run(_measure(port, token, server, rounds=rounds, requests=requests))


def table(database: str, rows: list[Row]) -> str:
    """The rows with their ratio to the first."""
    base = rows[0]
    head = f"{database:18}{'req/s':>8}{'x no-op':>9}{'p50 ms':>9}{'p99 ms':>9}{'p99.9 ms':>10}"
    lines = [f"{head}{'heard':>9}{'RSS MB':>8}"]
    lines += [
        f"  {row.endpoint:16}{row.per_second:8.0f}{row.per_second / base.per_second:9.2f}"
        f"{row.p50_ms:9.1f}{row.p99_ms:9.1f}{row.p999_ms:10.1f}{row.heard:9}{row.rss_mb:8.0f}"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=10)
    options = parser.parse_args()
    _wide()
    asked = {"rounds": options.rounds, "requests": options.requests}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/archive.sqlite"
        print(table("SQLite", run(url, Path(folder), **asked)), flush=True)
    programs = next(filter(_runs, _postgres_bins()), None)
    if programs is None:
        print("PostgreSQL: there are no programs of it")
        return
    postgres = PostgresServer(programs)
    with tempfile.TemporaryDirectory() as folder:
        try:
            postgres.make()
            postgres.run("fsync=on")
            postgres.execute("CREATE DATABASE hall")
            migrations.upgrade(postgres.url("hall"))
            print(table("PostgreSQL", run(postgres.url("hall"), Path(folder), **asked)))
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
