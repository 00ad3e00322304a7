"""One durable append over HTTP, beside the same server's endpoint that only validates and hashes.

And beside the floor: an ASGI app that reads the same body as JSON and answers JSON, under uvicorn
as it comes, in the same process. A real server (as `tabularium serve` sets it up; uvloop,
httptools, SQLite with synchronous=FULL, its logs signed once a second, an opening of a case
recorded with every hundredth append) and sixteen keep-alive connections, each the scribe of a match
of its own, one entry a request. The rounds of all endpoints alternate and send the same bodies.
Then the same on PostgreSQL, whose own processes are not in the processor's time. With `--entries N`
a second server keeps an archive of so many entries, and appends to both alternate.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import random
import resource
import statistics
import time
import uuid
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import uvicorn
from bench_publish import archive_of
from databases import SQLITE, Home, homes, sqlite_in
from machine import built

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring
from api.hall.bounded import bounded
from api.hall.places import Bounds, Places
from api.settings import Settings
from events.payloads.access import Role
from events.values import Seat
from projections.board.position import STARTING
from tests.benchmarks.noop import with_noop

CONNECTIONS = 16
LOG = "bench"

PREFIXES = {"no-op": "/noop", "append": "", "bare": "/bare"}
"""Each endpoint, and how its addresses begin."""

BARE_TIMES = 8
"""So often the bare app is sent a round's requests: it answers so fast that once is too short."""

APPENDS_AN_OPENING = 100
"""So many appends for each time that somebody opens a case, where openings are recorded."""


class Director(NamedTuple):
    """Who records that a case was opened, which is told of nobody but oneself."""

    token: str
    grant: str


class Place(NamedTuple):
    """One server."""

    port: int
    bare: int
    """Port of the app that reads JSON and answers JSON, in the same process."""
    scribe: str
    """A token."""
    director: Director


class Row(NamedTuple):
    """One endpoint, the median of its rounds."""

    endpoint: str
    per_second: float
    """Requests a second."""
    p50_ms: float
    """Median latency, milliseconds."""
    p99_ms: float
    """Latency of the slowest hundredth, milliseconds."""
    cpu_us: float
    """Processor time of the server for one request, microseconds."""
    x_noop: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Requests a second beside the no-op's in the same round: least, median, most."""
    x_bare: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Processor time beside the bare app's in the same round, likewise."""


def run(
    *,
    home: Home = SQLITE,
    rounds: int = 7,
    requests: int = 150,
    settle: int = 1,
    is_signed: bool = False,
) -> list[Row]:
    """A row for each endpoint; `requests` are those of one connection in one round.

    `is_signed`: with signing, and with openings recorded.
    """
    with (
        home.empty() as (url, folder),
        _server(folder, url=url, is_signed=is_signed) as place,
    ):
        return asyncio.run(
            _measure(place, rounds=rounds, requests=requests, settle=settle, is_signed=is_signed)
        )


def run_beside(home: Home, entries: int, *, rounds: int, requests: int) -> str:
    """What an append costs in an archive of so many entries, beside an empty one, in a line."""
    with home.empty() as (small, one), home.empty() as (large, other):
        archive_of(large, entries)
        with (
            _server(one, url=small, is_signed=True) as empty,
            _server(other, url=large, is_signed=True) as full,
        ):
            pairs = asyncio.run(_beside((empty, full), rounds, requests))
    cpu = _spread([full.cpu_us / empty.cpu_us for empty, full in pairs])
    speed = _spread([full.per_second / empty.per_second for empty, full in pairs])
    return (
        f"beside an empty archive, one of {entries:,} entries takes {_told(cpu)} x the processor,"
        f" and {_told(speed)} x the requests a second; target <= 1.15 x"
    )


async def _beside(places: tuple[Place, Place], rounds: int, requests: int) -> list[tuple[Row, Row]]:
    writers = [
        await Writers.connect(place.port, place.scribe, count=(rounds + 1) * requests)
        for place in places
    ]
    found = []
    for number in range(rounds + 1):
        rows = {}
        for place in sorted((0, 1), reverse=bool(number % 2)):
            rows[place] = await writers[place].round("append", number * requests, requests)
        found.append((rows[0], rows[1]))
    for one in writers:
        one.close()
    return found[1:]


async def _measure(
    place: Place, *, rounds: int, requests: int, settle: int, is_signed: bool
) -> list[Row]:
    count = (rounds + settle) * requests
    writers = await Writers.connect(place.port, place.scribe, count=count)
    bare = await Writers.connect(place.bare, place.scribe, count=count, opens=False)
    reader = await _Client.connect(place.port)
    found: dict[str, list[Row]] = {endpoint: [] for endpoint in PREFIXES}
    for number in range(rounds + settle):
        for endpoint in found:
            openings = asyncio.create_task(
                record_openings(
                    reader, place.director, CONNECTIONS * requests // APPENDS_AN_OPENING
                )
                if is_signed and endpoint == "append"
                else asyncio.sleep(0)
            )
            asked = bare if endpoint == "bare" else writers
            row = await asked.round(endpoint, number * requests, requests)
            await openings
            if number >= settle:
                found[endpoint].append(row)
    for each in (writers, bare):
        each.close()
    reader.transport.close()
    return [_summed(rows, found["no-op"], found["bare"]) for rows in found.values()]


def _summed(rows: list[Row], noop: list[Row], bare: list[Row]) -> Row:
    """The medians of all rounds, and how each round went beside the other endpoints' own."""
    # Round by round: a load that comes or goes between rounds is in both sides of a ratio.
    faster = [row.per_second / other.per_second for row, other in zip(rows, noop, strict=True)]
    dearer = [row.cpu_us / other.cpu_us for row, other in zip(rows, bare, strict=True)]
    measured = [statistics.median(column) for column in list(zip(*rows, strict=True))[1:5]]
    return Row(rows[0].endpoint, *measured, x_noop=_spread(faster), x_bare=_spread(dearer))


def _spread(ratios: list[float]) -> tuple[float, float, float]:
    return min(ratios), statistics.median(ratios), max(ratios)


class Writers:
    """Sixteen connections to one server, each the scribe of a match of its own."""

    def __init__(self, clients: list[_Client], bodies: list[list[str]], token: str) -> None:
        self._clients = clients
        self._bodies = bodies
        self._token = token

    @classmethod
    async def connect(cls, port: int, token: str, *, count: int, opens: bool = True) -> Writers:
        """Open the matches, where they are to be, and make `count` entries for each."""
        clients = [await _Client.connect(port) for _ in range(CONNECTIONS)]
        for number, client in enumerate(clients if opens else ()):
            opened = {"match_id": f"m{number}", "opened": {"players": {"one": [], "two": []}}}
            await client.send(_post(f"/logs/{LOG}/matches", json.dumps(opened), token=token))
        return cls(clients, [_bodies(count, seed) for seed in range(CONNECTIONS)], token)

    async def round(self, endpoint: str, first: int, requests: int) -> Row:
        """Send that many entries of each match, from the `first` on."""
        prefix = PREFIXES[endpoint]
        times = BARE_TIMES if endpoint == "bare" else 1
        messages = [
            [
                _post(
                    f"{prefix}/logs/{LOG}/matches/m{match}/events",
                    body,
                    token=self._token,
                    version=first + place + 1,
                )
                for place, body in enumerate(each[first : first + requests] * times)
            ]
            for match, each in enumerate(self._bodies)
        ]
        return await _round(self._clients, endpoint, messages)

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            client.transport.close()


async def _round(clients: list[_Client], endpoint: str, messages: list[list[bytes]]) -> Row:
    latencies: list[float] = []

    async def one(client: _Client, each: list[bytes]) -> None:
        for message in each:
            begun = time.perf_counter()
            status = await client.send(message)
            latencies.append(time.perf_counter() - begun)
            if status != 201:
                raise RuntimeError(f"{endpoint} answered {status}: {client.body!r}")

    before = await _cpu(clients[0])
    begun = time.perf_counter()
    await asyncio.gather(*map(one, clients, messages))
    seconds = time.perf_counter() - begun
    cpu = await _cpu(clients[0]) - before
    latencies.sort()
    return Row(
        endpoint,
        len(latencies) / seconds,
        latencies[len(latencies) // 2] * 1_000,
        latencies[len(latencies) * 99 // 100] * 1_000,
        cpu / len(latencies) * 1e6,
    )


async def _cpu(client: _Client) -> float:
    await client.send(b"GET /cpu HTTP/1.1\r\nHost: t\r\n\r\n")
    return float(client.body)


async def record_openings(reader: _Client, director: Director, count: int) -> None:
    """Record so many openings of a case, one after the other, while others append.

    An opening is an entry of the tournament's stream. One that asks for no case stands for it, and
    is posted as a request of its own, which costs more than what a desk records by itself.
    """
    token, grant = director
    for _ in range(count):
        body = {"grant": grant, "appeal": str(uuid.uuid4()), "match": "m1", "through": 1}
        entry = {"entry_id": str(uuid.uuid4()), "tag": "access.case_opened", "body": body}
        batch = json.dumps({"entries": [entry]})
        status = await reader.send(_post(f"/logs/{LOG}/events", batch, token=token, version="*"))
        if status != 201:
            raise RuntimeError(f"an opening was answered with {status}: {reader.body!r}")


def _post(path: str, body: str, *, token: str, version: int | str | None = None) -> bytes:
    named = "*" if version == "*" else f'"{version}"'
    precondition = "" if version is None else f"If-Match: {named}\r\n"
    return (
        f"POST {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\n{precondition}Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


class _Client(asyncio.Protocol):
    """One keep-alive connection; one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.body = b""
        self._buffer = b""
        self._answer: asyncio.Future[int] | None = None

    @classmethod
    async def connect(cls, port: int) -> _Client:
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(cls, "127.0.0.1", port)
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def send(self, message: bytes) -> asyncio.Future[int]:
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(message)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(rest) < length:
            return
        self.body, self._buffer = rest[:length], rest[length:]
        assert self._answer is not None
        self._answer.set_result(int(head[9:12]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server closed the connection"))


def _bodies(count: int, seed: int) -> list[str]:
    """Requests of one entry each: games between two players who play any legal play."""
    chance = random.Random(seed)
    made: list[str] = []

    def put(tag: str, **body: Any) -> None:
        entry_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        batch = {"entries": [{"entry_id": entry_id, "tag": tag, "body": body}]}
        made.append(json.dumps(batch, separators=(",", ":")))  # as browsers write it

    while len(made) < count:
        put("game.started")
        board, seat, clock = STARTING, Seat.ONE, 0
        while board.other[0] < 15 and len(made) < count:
            faces = (chance.randint(1, 6), chance.randint(1, 6))
            clock += chance.randint(3_000, 20_000)
            put("dice.rolled", seat=seat.value, dice=faces, at_ms=clock)
            legal = list(board.legal_plays(faces))
            moves = chance.choice(legal).moves if legal else ()
            clock += chance.randint(3_000, 20_000)
            pairs = [(move.from_point, move.to_point) for move in moves]
            put("play.made", seat=seat.value, moves=pairs, at_ms=clock)
            after = board.moved(moves).position
            assert after is not None
            board, seat = after.swap(), seat.other
    return made[:count]


@contextlib.contextmanager
def _server(folder: Path, *, url: str | None = None, is_signed: bool = False) -> Iterator[Place]:
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(
        target=_serve, args=(folder, url or sqlite_in(folder), there, is_signed), daemon=True
    )
    process.start()
    try:
        yield Place(*here.recv())
    finally:
        here.send("stop")
        process.join(30)


def _serve(folder: Path, url: str, pipe: Connection, is_signed: bool) -> None:
    keyring = Keyring(folder / "keys") if is_signed else None
    archive = open_archive(url, keyring=keyring)
    if LOG not in archive.store.log_ids():
        archive.open_tournament(LOG, "Benchmark")
    scribe, _ = archive.grant(Role.SCRIBE, log_id=LOG)
    director = Director(*archive.grant(Role.DIRECTOR, log_id=LOG))
    index = MatchIndex(archive.store, archive.reading)
    index.catch_up()
    app = with_noop(create_app(archive, Settings(db=archive.url), index=index))

    async def cpu(scope: Any, receive: Any, send: Any) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        body = str(usage.ru_utime + usage.ru_stime).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def bare(scope: Any, receive: Any, send: Any) -> None:
        value = orjson.loads((await receive())["body"])
        body = orjson.dumps({"version": 1, "entries": value["entries"], "duplicate": False})
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def served(other: Any, **more: Any) -> uvicorn.Server:
        async def asked(scope: Any, receive: Any, send: Any) -> None:
            await (cpu if scope.get("path") == "/cpu" else other)(scope, receive, send)

        return uvicorn.Server(
            uvicorn.Config(
                asked,
                port=0,
                log_level="error",
                access_log=False,
                loop="uvloop",
                timeout_keep_alive=600,  # one server rests while another one is asked
                **more,
            )
        )

    ours = served(
        app,
        # A connection may be silent while another endpoint is asked.
        http=bounded(Places(Bounds()._replace(silent_s=600.0))),
        ws="none",
        server_header=False,
        proxy_headers=False,
    )
    servers = [ours, served(bare, http="httptools", lifespan="off")]

    async def main() -> None:
        tasks = [asyncio.create_task(server.serve()) for server in servers]
        while not all(server.started for server in servers):
            await asyncio.sleep(0.01)
        ports = [server.servers[0].sockets[0].getsockname()[1] for server in servers]
        pipe.send((*ports, scribe, director))
        await asyncio.to_thread(pipe.recv)
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*tasks)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())
    archive.close()


def _loop_factory() -> Any:
    import uvloop

    return uvloop.new_event_loop


def table(rows: list[Row]) -> str:
    """The rows, with the ratios of their rounds to the first and, of processor time, the last."""
    base = rows[0]
    lines = [
        f"{'':8}{'req/s':>8}{'x no-op (rounds)':>20}{'p50 ms':>8}{'p99 ms':>8}{'x':>6}"
        f"{'CPU us':>8}{'x bare (rounds)':>22}"
    ]
    lines += [
        f"{row.endpoint:8}{row.per_second:8.0f}{_told(row.x_noop):>20}"
        f"{row.p50_ms:8.2f}{row.p99_ms:8.2f}{row.p99_ms / base.p99_ms:6.2f}"
        f"{row.cpu_us:8.0f}{_told(row.x_bare):>22}"
        for row in rows
    ]
    return "\n".join(
        [*lines, "targets: append >= 0.65 x no-op, p99 <= 2 x no-op; CPU <= 210 us and <= 8 x bare"]
    )


def _told(spread: tuple[float, float, float]) -> str:
    least, median, most = spread
    return f"{median:.2f} ({least:.2f}-{most:.2f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=150)
    parser.add_argument("--entries", type=int, help="of an archive beside an empty one")
    options = parser.parse_args()
    asked = {"rounds": options.rounds, "requests": options.requests}
    for home in homes():
        print(home.name, flush=True)
        if options.entries:
            print(run_beside(home, options.entries, **asked), flush=True)
            continue
        print(table(run(home=home, **asked, is_signed=True)), flush=True)


if __name__ == "__main__":
    print(built())
    main()
