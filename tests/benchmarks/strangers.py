"""What strangers do to a hall: `uv run python -m tests.benchmarks.strangers [--seconds N]`.

A real `tabularium serve` on loopback, four tablets that send a signed draft every tenth of a
second, and beside them one attack after the other, each bounded in time and in three turns, between
two of which nobody attacks: a machine that drifts drifts under both. Printed for each: how long an
ingest took, in the middle and of the slowest hundredth, and how often that is what it took without,
in the turns around. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import itertools
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import IO, Any

import httpx
import orjson

from api.archive.archive import open_archive
from api.archive.index.file import index_file
from api.archive.keyring import Keyring, keys_folder
from events.payloads.access import AccessGranted, Device, Role, Scope, ScopeKind
from events.payloads.base import Payload
from events.payloads.custody import LeaseGranted, PublicationReleased
from events.payloads.match import MatchOpened, Player
from events.values import BySeat
from tests.api.devices import Tablet
from tests.benchmarks.matches import written

LOG, TABLETS = "club", 4
EVERY_S = 0.1

Attack = Callable[[str, int, httpx.AsyncClient], Coroutine[Any, Any, None]]


def main() -> None:
    """Run all attacks, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("attacks", nargs="*", help=", ".join(ATTACKS))
    parser.add_argument("--seconds", type=float, default=6.0, help="of each attack")
    parser.add_argument("--behind", type=int, default=20_000, help="entries that no list has yet")
    parser.add_argument("--port", type=int, help="send the one attack there, and measure nothing")
    given = parser.parse_args()
    if given.port:
        base = f"http://127.0.0.1:{given.port}"
        attack = ATTACKS[given.attacks[0]]
        with contextlib.suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(_repeated(attack, base, given.port, "shown"), 60))
        return
    wanted = {name: ATTACKS[name] for name in given.attacks or ATTACKS}
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "archive.sqlite"
        tablets = hall(database, behind=given.behind)
        with serving(database) as (port, _):
            asyncio.run(_measure(port, tablets, wanted, given.seconds))


def hall(database: Path, *, behind: int = 0, count: int = TABLETS) -> list[Tablet]:
    """An archive with paired tablets, a public match, and a long tail that is in no list."""
    url = f"sqlite:///{database}"
    archive = open_archive(url, keyring=Keyring(keys_folder(url)))
    archive.open_tournament(LOG, "Club night")

    def put(stream: str, *payloads: Payload) -> None:
        archive.append(LOG, stream, [archive.draft(one) for one in payloads])

    tablets = [Tablet(f"t{number}") for number in range(count)]
    opened = MatchOpened(players=BySeat((Player(),), (Player(),)), length=5)
    for number, tablet in enumerate(tablets):
        put(f"m{number}", opened)
        device = Device(id=tablet.name, public_key=tablet.public_key, epoch=1)
        granted = AccessGranted(
            token_sha256=tablet.token_sha256,
            role=Role.SCRIBE,
            scope=Scope(kind=ScopeKind.LOG),
            device=device,
        )
        lease = LeaseGranted(lease=1, device=tablet.name, match=f"m{number}")
        put("tournament", granted, lease)
    put("shown", opened, *written(random.Random(1), 400), PublicationReleased())
    for number in itertools.count():
        if archive.store.log_head(LOG).size >= behind:
            break
        put(f"old{number}", opened, *written(random.Random(number), 400), PublicationReleased())
    archive.close()
    index = index_file(url)
    assert index is not None
    index.unlink(missing_ok=True)
    return tablets


@contextlib.contextmanager
def serving(
    database: Path,
    *,
    told: int | IO[str] = subprocess.DEVNULL,
    limits: tuple[int, int] | None = None,
) -> Iterator[tuple[int, int]]:
    """A server of its own process, as (port, process id); `limits`: of its open files."""

    def limited() -> None:
        if limits is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-c", "from api.cli import main; main()", "serve"]
    process = subprocess.Popen(
        [*command, "--db", f"sqlite:///{database}", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=told,
        preexec_fn=limited,
    )
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


async def _measure(
    port: int, tablets: list[Tablet], attacks: dict[str, Attack], seconds: float
) -> None:
    base = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=base, timeout=60, limits=_LIMITS) as http:
        at = [1] * len(tablets)
        await _ingests(http, tablets, at, seconds=2)
        head = "".join(f"{one:>10}" for one in ("p50 ms", "p99 ms", "p50", "p99", "p99", "sent"))
        print(f"{'':<14}{'beside it':>20}{'without':>20}{'ratio':>10}\n{'':<14}{head}", flush=True)
        for name in attacks:
            beside: list[float] = []
            without = await _ingests(http, tablets, at, seconds=seconds / 4)
            for _ in range(TURNS):
                beside += await _beside(name, port, http, tablets, at, seconds / TURNS)
                without += await _ingests(http, tablets, at, seconds=seconds / 4)
            _print(name, beside, without)


TURNS = 3


async def _beside(
    name: str,
    port: int,
    http: httpx.AsyncClient,
    tablets: list[Tablet],
    at: list[int],
    seconds: float,
) -> list[float]:
    """What ingests take beside an attack."""
    # In a process of its own, which gives way: what is measured is not what it costs here.
    sending = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.strangers", name, "--port", str(port)],
        preexec_fn=functools.partial(os.nice, 10),
    )
    try:
        await asyncio.sleep(2.5)
        return await _ingests(http, tablets, at, seconds=seconds)
    finally:
        sending.kill()
        sending.wait()
        await asyncio.sleep(1)


_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=None)


def _print(name: str, beside: list[float], without: list[float]) -> None:
    shown = [quantile(one, percent) for one in (beside, without) for percent in (50, 99)]
    line = "".join(f"{one:10.1f}" for one in shown)
    print(f"{name:<14}{line}{shown[1] / shown[3]:10.2f}{len(beside):10}", flush=True)


def quantile(found: list[float], percent: int) -> float:
    return sorted(found)[min(len(found) - 1, len(found) * percent // 100)] * 1_000


async def _ingests(
    http: httpx.AsyncClient, tablets: list[Tablet], at: list[int], *, seconds: float
) -> list[float]:
    """Seconds that each ingest took; tablets do not wait for each other."""
    ends = time.perf_counter() + seconds
    found: list[float] = []

    async def one(number: int) -> None:
        tablet = tablets[number]
        while time.perf_counter() < ends:
            body = {"what": "dice", "by": "one"}
            item = tablet.record("table.disturbed", at[number], stream=f"m{number}", body=body)
            begun = time.perf_counter()
            answer = await http.post(
                f"/logs/{LOG}/ingest",
                json={"items": [item]},
                headers={"Authorization": f"Bearer {tablet.token}"},
            )
            found.append(time.perf_counter() - begun)
            [result] = answer.json()["results"]
            if result["outcome"] != "accepted":
                raise RuntimeError(f"an ingest was not accepted: {result}")
            at[number] += 1
            await asyncio.sleep(max(0.0, begun + EVERY_S - time.perf_counter()))

    await asyncio.gather(*map(one, range(len(tablets))))
    return found


# The attacks: each does its worst until it is stopped.


async def _repeated(attack: Attack, base: str, port: int, match: str) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=120, limits=_LIMITS) as http:
        await attack(match, port, http)


def _many(count: int) -> Callable[[Callable[..., AsyncIterator[str]]], Attack]:
    """An attack by that many clients, each of which requests one address after the other."""

    def made(addresses: Callable[..., AsyncIterator[str]]) -> Attack:
        async def attack(match: str, port: int, http: httpx.AsyncClient) -> None:
            async def one(number: int) -> None:
                async for address in addresses(match, number):
                    path, _, host = address.partition(" ")
                    headers = {"Host": host} if host else {}
                    with contextlib.suppress(httpx.HTTPError):
                        await http.get(path, headers=headers)

            await asyncio.gather(*map(one, range(count)))

        return attack

    return made


@_many(50)
async def exports(match: str, number: int) -> AsyncIterator[str]:
    """Fifty strangers want the match as a page, again and again, at other versions."""
    for version in itertools.count(number * 7):
        yield f"/logs/{LOG}/matches/{match}/export.html?at={2 + version % 300}"


@_many(20)
async def pictures(match: str, number: int) -> AsyncIterator[str]:
    """Twenty want a picture under a name that nobody has used yet."""
    for count in itertools.count():
        yield f"/matches/{LOG}/{match}/card.png host-{number}-{count}.example"


@_many(20)
async def lists(match: str, number: int) -> AsyncIterator[str]:
    """Twenty ask for lists that are not made yet."""
    for address in itertools.cycle((f"/tournaments/{LOG}", "/", f"/logs/{LOG}/matches")):
        await asyncio.sleep(0.02)
        yield address


async def heads(match: str, port: int, http: httpx.AsyncClient) -> None:
    """Two hundred send headers without an end."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET / HTTP/1.1\r\n")
                for number in itertools.count():
                    writer.write(b"X-%d: %s\r\n" % (number, b"a" * 900))
                    await writer.drain()
                    await asyncio.sleep(0.05)

    await asyncio.gather(*(one() for _ in range(200)))


async def silent(match: str, port: int, http: httpx.AsyncClient) -> None:
    """Eight hundred connections that say nothing, opened anew when they are closed."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, _ = await asyncio.open_connection("127.0.0.1", port)
                await reader.read()
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(800)))


async def unread(match: str, port: int, http: httpx.AsyncClient) -> None:
    """A hundred ask for a page and never read it."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=2_048)
                path = f"/logs/{LOG}/matches/{match}/export.html"
                writer.write(f"GET {path} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
                await writer.drain()
                await asyncio.sleep(30)

    await asyncio.gather(*(one() for _ in range(100)))


async def hostile_json(match: str, port: int, http: httpx.AsyncClient) -> None:
    """Twenty send a megabyte of empty lists, and four kilobytes of them, to an open door."""
    large, small = b"[" + b"[]," * 349_000 + b"[]]", b"[" + b"[]," * 1_300 + b"[]]"

    async def one(body: bytes) -> None:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                await http.post("/session", content=body)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(one(large if number % 2 else small) for number in range(20)))


async def guesses(match: str, port: int, http: httpx.AsyncClient) -> None:
    """Twenty guess tokens and codes."""

    async def one(number: int) -> None:
        for count in itertools.count():
            with contextlib.suppress(httpx.HTTPError):
                guess = {"token": f"{number}-{count}"} if count % 2 else {"code": "ABCD2345"}
                await http.post("/session", content=orjson.dumps(guess))
            await asyncio.sleep(0.01)

    await asyncio.gather(*map(one, range(20)))


ATTACKS: dict[str, Attack] = {
    "lists": lists,
    "exports": exports,
    "pictures": pictures,
    "heads": heads,
    "silent": silent,
    "unread": unread,
    "hostile-json": hostile_json,
    "guesses": guesses,
}
"""By the name that the command line knows; the lists first, while they are behind."""


if __name__ == "__main__":
    os.environ.pop("TABULARIUM_DB", None)
    main()
