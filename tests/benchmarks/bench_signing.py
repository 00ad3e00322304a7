"""What signing costs those who append: the same durable appends with keys and without, in turn.

Two real servers in processes of their own, each as `append` says; one signs its logs once a second
and keeps every checkpoint in the database and outside of it. Rounds alternate. Sixteen writers do
not let the server rest, so whatever signing takes is taken from them.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import bench_append as append


class Row(NamedTuple):
    """One server, the median of its rounds."""

    server: str
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    """Processor time of the server for one append, microseconds, signing included."""


def run(*, rounds: int = 7, requests: int = 300, settle: int = 1) -> list[Row]:
    """Rows for `unsigned` and `signed`; `requests` are those of one connection in one round."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("unsigned", "signed")]
        for place in places:
            place.mkdir()
        with (
            append._server(places[0]) as plain,
            append._server(places[1], is_signed=True) as signed,
        ):
            servers = {"unsigned": plain, "signed": signed}
            return asyncio.run(_measure(servers, rounds, requests, settle))


async def _measure(
    servers: dict[str, tuple[int, str]], rounds: int, requests: int, settle: int
) -> list[Row]:
    writers = {
        name: await append.Writers.connect(*place, count=(rounds + settle) * requests)
        for name, place in servers.items()
    }
    found: dict[str, list[append.Row]] = {name: [] for name in servers}
    for number in range(rounds + settle):
        for name, each in writers.items():
            row = await each.round("append", number * requests, requests)
            if number >= settle:
                found[name].append(row)
    for each in writers.values():
        each.close()
    return [
        Row(name, *(median(column) for column in list(zip(*rows, strict=True))[1:]))
        for name, rows in found.items()
    ]


def table(rows: list[Row]) -> str:
    """The rows with their ratios to the first."""
    base = rows[0]
    lines = [f"{'':10}{'req/s':>8}{'x':>7}{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}{'x':>7}"]
    lines += [
        f"{row.server:10}{row.per_second:8.0f}{row.per_second / base.per_second:7.3f}"
        f"{row.p50_ms:8.2f}{row.p99_ms:8.2f}{row.cpu_us:8.0f}{row.cpu_us / base.cpu_us:7.3f}"
        for row in rows
    ]
    return "\n".join([*lines, "target: signed takes at most 1.15 x the server's time of unsigned"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=300)
    options = parser.parse_args()
    print(table(run(rounds=options.rounds, requests=options.requests)))


if __name__ == "__main__":
    main()
