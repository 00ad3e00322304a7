"""Who finds a place in a full hall: `uv run python -m tests.benchmarks.full_hall [--hard N]`.

A real `tabularium serve` that may hold 1,024 files open at first, and `--hard` at most. A thousand
follow by no token, all from one address; then 200 tablets come to the same address, each of which
follows by one connection and sends by another, and the director. Printed: who found a place, how
long an ingest took, how many files the server held open, and what it told the log.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

from api.archive.archive import open_archive
from api.archive.keyring import Keyring, keys_folder
from events.payloads.access import Role
from tests.api.devices import Tablet
from tests.benchmarks.strangers import LOG, hall, quantile, serving

FOLLOWERS, TABLETS = 1_000, 200
SENDS, EVERY_S = 5, 4.0
"""Drafts of each tablet, and how long it is from one to the next: faster than anybody plays."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def main() -> None:
    """Fill a hall and print what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hard", type=int, default=8_192, help="files that may be open at most")
    parser.add_argument("--followers", type=int, default=FOLLOWERS)
    parser.add_argument("--tablets", type=int, default=TABLETS)
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        database, log = Path(folder) / "archive.sqlite", Path(folder) / "stderr"
        tablets = hall(database, count=given.tablets)
        url = f"sqlite:///{database}"
        archive = open_archive(url, keyring=Keyring(keys_folder(url)))
        director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
        archive.close()
        with (
            log.open("w") as told,
            serving(database, told=told, limits=(1_024, given.hard)) as (port, pid),
        ):
            asyncio.run(_fill(port, pid, given.followers, tablets, director))
        print("\nWhat the server said:")
        print(log.read_text() or "(nothing)")


async def _fill(port: int, pid: int, followers: int, tablets: list[Tablet], director: str) -> None:
    base = f"http://127.0.0.1:{port}"
    seen: Counter[str] = Counter()
    streams = [await _follow(port, "shown", None, seen) for _ in range(followers)]
    _say("followers", seen)
    seen = Counter()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    took: list[float] = []
    async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as http:

        async def one(number: int) -> None:
            tablet = tablets[number]
            streams.append(await _follow(port, f"m{number}", tablet.token, seen))
            await asyncio.sleep(EVERY_S * number / len(tablets))
            for turn in range(SENDS):
                item = tablet.record(
                    "table.disturbed", turn + 1, stream=f"m{number}",
                    body={"what": "dice", "by": "one"},
                )  # fmt: skip
                begun = time.perf_counter()
                answer = await http.post(
                    f"/logs/{LOG}/ingest",
                    json={"items": [item]},
                    headers={"Authorization": f"Bearer {tablet.token}"},
                )
                took.append(time.perf_counter() - begun)
                outcomes = answer.json().get("results", [{"outcome": str(answer.status_code)}])
                seen[f"draft {outcomes[0]['outcome']}"] += 1
                await asyncio.sleep(max(0.0, begun + EVERY_S - time.perf_counter()))

        begun, worked = time.perf_counter(), _cpu_s(pid)
        found = await asyncio.gather(*map(one, range(len(tablets))), return_exceptions=True)
        for failed in found:
            if failed is not None:
                seen[f"failed: {type(failed).__name__}"] += 1
        _say("tablets", seen)
        print(f"  an ingest: p50 {quantile(took, 50):.0f} ms, p99 {quantile(took, 99):.0f} ms")
        passed, worked = time.perf_counter() - begun, _cpu_s(pid) - worked
        print(f"  the server worked {worked:.1f} s of {passed:.1f} s")
        room = await http.get(f"/room/{LOG}", headers={"Authorization": f"Bearer {director}"})
        page = (await http.get("/", headers={"Connection": "close"})).status_code
    seen = Counter()
    streams.append(await _follow(port, "shown", director, seen))
    _say(f"director (the room {room.status_code}, a stranger's first page {page})", seen)
    print(f"open files of the server: {len(os.listdir(f'/proc/{pid}/fd'))}")
    for stream in streams:
        if stream is not None:
            stream[1].close()


async def _follow(port: int, match: str, token: str | None, seen: Counter[str]) -> Stream | None:
    """A stream of a match that is open; None where it was refused."""
    sent = "" if token is None else f"Authorization: Bearer {token}\r\n"
    head = f"GET /logs/{LOG}/matches/{match}/live HTTP/1.1\r\nHost: hall\r\n{sent}\r\n"
    status = "connection refused"
    with contextlib.suppress(OSError, TimeoutError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        async with asyncio.timeout(60):
            status = (await reader.readline()).decode().strip() or "connection closed"
        if " 200 " in status:
            seen["follow"] += 1
            return reader, writer
        writer.close()
    seen[status] += 1
    return None


def _cpu_s(pid: int) -> float:
    """Seconds of a processor that a process has had (proc(5): fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _say(who: str, seen: Counter[str]) -> None:
    print(f"{who}: {', '.join(f'{count} {what}' for what, count in seen.items())}", flush=True)


if __name__ == "__main__":
    os.environ.pop("TABULARIUM_DB", None)
    main()
