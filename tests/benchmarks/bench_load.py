"""A full hall: 200 tablets, 1,000 followers and 50 that never read, on SQLite and PostgreSQL.

The server is a real `tabularium serve`; on PostgreSQL then also two of them, each with half of the
hall. The followers and the tablets have a process each. Every tablet records in a match of its own,
an entry a request, as fast as it is answered; five follow each match. Rounds of the endpoint that
writes nothing and of the append alternate.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from bench_append import LOG, _bodies, _Client, _loop_factory, _post
from databases import homes

from api.archive.archive import open_archive
from events.payloads.access import Role

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
    cpu_ms: float
    """Milliseconds of the server's processor, per request."""


def _wide() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))


SERVE = (
    "import api.commands.serving as serving; from tests.benchmarks.noop import with_noop;"
    "made = serving.create_app; serving.create_app = lambda *a, **k: with_noop(made(*a, **k));"
    "from api.cli import main; main()"
)
"""`tabularium serve` as everybody runs it, and one endpoint more: that which writes nothing."""


class Served(NamedTuple):
    """The server that runs, or several on one database."""

    ports: tuple[int, ...]
    """One of each process."""
    processes: tuple[int, ...]
    scribe: str
    """Token of all tablets."""
    viewer: str
    """Token of all followers."""

    @property
    def rss_mb(self) -> float:
        """Largest memory of one of them so far."""
        told = [Path(f"/proc/{process}/status").read_text() for process in self.processes]
        return max(int(status.partition("VmHWM:")[2].split()[0]) for status in told) / 1_024

    @property
    def cpu_s(self) -> float:
        """Seconds of the processor so far, of all of them."""
        told = [Path(f"/proc/{process}/stat").read_text() for process in self.processes]
        used = [ticks for stat in told for ticks in stat.rpartition(")")[2].split()[11:13]]
        return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def _serving(url: str, folder: Path, servers: int) -> Iterator[Served]:
    archive = open_archive(url)
    archive.open_tournament(LOG, "A full hall")
    scribe, _ = archive.grant(Role.SCRIBE, log_id=LOG)
    viewer, _ = archive.grant(Role.VIEWER, log_id=LOG)
    archive.close()
    with contextlib.ExitStack() as running:
        each = [running.enter_context(_server(url, folder)) for _ in range(servers)]
        ports, processes = zip(*each, strict=True)
        yield Served(ports, processes, scribe, viewer)


@contextlib.contextmanager
def _server(url: str, folder: Path) -> Iterator[tuple[int, int]]:
    """Port and process of one."""
    settings = {
        "DB": url,
        "FILES": folder / "files",
        "SESSIONS": folder / "sessions",
        "KEYS": folder / "keys",
        # Here one address is the whole hall, as behind a proxy.
        "MAX_CONNECTIONS_PER_ADDRESS": 4_096,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--port", "0"],
        env={
            **os.environ,
            **{f"TABULARIUM_{name}": str(given) for name, given in settings.items()},
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = next(
            int(found[1])
            for line in process.stdout
            if (found := re.search(r"matches +http://127.0.0.1:(\d+)/", line))
        )
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(60)


def _follow(ports: tuple[int, ...], token: str, pipe: Connection) -> None:
    """The followers: they count frames, and report the number whenever it is asked."""
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
            port = ports[number % len(ports)]
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


async def _measure(server: Served, *, rounds: int, requests: int) -> list[Row]:
    ports, token = server.ports, server.scribe
    clients = [await _Client.connect(ports[at % len(ports)]) for at in range(TABLETS)]
    for number, client in enumerate(clients):
        opened = f'{{"match_id":"m{number}","opened":{{"players":{{"one":[],"two":[]}}}}}}'
        await client.send(_post(f"/logs/{LOG}/matches", opened, token=token))
    bodies = [_bodies((rounds + 1) * requests, seed) for seed in range(TABLETS)]
    with _apart(_follow, ports, server.viewer) as followers:
        await asyncio.to_thread(followers.recv)
        found: dict[str, list[float]] = {"no-op": [], "append": []}
        seconds, heard = dict.fromkeys(found, 0.0), dict.fromkeys(found, 0)
        used = dict.fromkeys(found, 0.0)
        for turn in range(rounds + 1):
            for endpoint, latencies in found.items():
                prefix, first = ("/noop" if endpoint == "no-op" else ""), turn * requests

                async def one(number: int, prefix: str, first: int, told: list[float]) -> None:
                    path = f"{prefix}/logs/{LOG}/matches/m{number}/events"
                    for place in range(first, first + requests):
                        body = bodies[number][place]
                        message = _post(path, body, token=token, version=place + 1)
                        begun = time.perf_counter()
                        if clients[number].transport.is_closing():
                            # As a browser does whose connection was closed after a silence.
                            clients[number] = await _Client.connect(ports[number % len(ports)])
                        try:
                            status = await clients[number].send(message)
                        except ConnectionError:
                            # The silence ended in this very moment.
                            clients[number] = await _Client.connect(ports[number % len(ports)])
                            status = await clients[number].send(message)
                        told.append(time.perf_counter() - begun)
                        if status != 201:
                            raise RuntimeError(f"{status}: {clients[number].body!r}")

                taken: list[float] = []
                before, used_before = _asked(followers), server.cpu_s
                begun = time.perf_counter()
                await asyncio.gather(*[one(at, prefix, first, taken) for at in range(TABLETS)])
                if turn:  # the first one warms up
                    seconds[endpoint] += time.perf_counter() - begun
                    used[endpoint] += server.cpu_s - used_before
                    heard[endpoint] += int(_asked(followers) - before)
                    latencies += taken
    for client in clients:
        client.transport.close()
    rows = []
    for endpoint, latencies in found.items():
        latencies.sort()
        at = [latencies[int(len(latencies) * part)] * 1_000 for part in (0.5, 0.99, 0.999)]
        many = len(latencies) / seconds[endpoint]
        cpu_ms = used[endpoint] / len(latencies) * 1_000
        rows.append(Row(endpoint, many, *at, heard[endpoint], server.rss_mb, cpu_ms))
    return rows


def run(url: str, folder: Path, *, rounds: int, requests: int, servers: int = 1) -> list[Row]:
    """Rows for `no-op` and `append` on one database; each server has its part of the hall."""
    with _serving(url, folder, servers) as server:
        return asyncio.run(_measure(server, rounds=rounds, requests=requests))


def table(database: str, rows: list[Row]) -> str:
    """The rows with their ratio to the first."""
    base = rows[0]
    head = f"{database:18}{'req/s':>8}{'x no-op':>9}{'p50 ms':>9}{'p99 ms':>9}{'p99.9 ms':>10}"
    lines = [f"{head}{'heard':>9}{'RSS MB':>8}{'CPU ms':>8}"]
    lines += [
        f"  {row.endpoint:16}{row.per_second:8.0f}{row.per_second / base.per_second:9.2f}"
        f"{row.p50_ms:9.1f}{row.p99_ms:9.1f}{row.p999_ms:10.1f}{row.heard:9}{row.rss_mb:8.0f}{row.cpu_ms:8.2f}"
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
    for home in homes():
        for servers in (1,) if home.postgres is None else (1, 2):
            with home.empty() as (url, folder):
                rows = run(url, folder, servers=servers, **asked)
            name = home.name if home.postgres is None else f"{home.name}, {servers}"
            print(table(name, rows), flush=True)


if __name__ == "__main__":
    main()
