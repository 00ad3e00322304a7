"""Publishing a million entries, beside ADBC alone writing the same rows of the table to Parquet.

The archive is made once a database, in an SQLite file and in PostgreSQL (whose own processes are
not in the processor's time): matches of legal plays between players who play any of them, put in
through the store. The peer reads the rows of `event` in their own order and
writes them as they are; publishing also decodes them, folds every match with legality and findings,
and writes five tables. A number after the command is the number of entries.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
from bench_replay import random_match
from databases import SQLITE, Home, homes
from machine import built

from api.archive.archive import Archive, open_archive
from api.publishing import partitions
from api.publishing.engines import Engine, LocalEngine, RayEngine
from api.publishing.ledger import ArrowLedger, _connected
from api.publishing.partitions import Wanted, folded
from api.publishing.publication import Plan, plan_of, publish
from api.settings import keep_ray_from_uv
from events import catalogue
from events.envelope import NO_STREAM
from events.payloads.base import Payload
from events.payloads.match import Publication
from events.store.protocol import Unit

ENTRIES = 1_000_000
OF_A_MATCH = 600
DIFFERENT = 25
"""Matches that are made up; the others repeat them under other ids."""

UNITS = 20
"""Matches in one transaction."""


def archive_of(url: str, entries: int) -> Plan:
    """An archive of that many entries, published from the start, and the plan to publish it."""
    archive = open_archive(url)
    archive.open_tournament("bench", "Benchmark")
    matches = [_public(random_match(OF_A_MATCH, seed=seed)) for seed in range(DIFFERENT)]
    count = -(-entries // OF_A_MATCH)
    for begin in range(0, count, UNITS):
        numbers = range(begin, min(begin + UNITS, count))
        archive.store.append_units(
            [_unit(archive, number, matches[number % DIFFERENT]) for number in numbers]
        )
    wanted = Wanted(url=archive.url, now_ms=archive.now_ms())
    plan = plan_of(archive.store, wanted, log_id="bench")
    archive.close()
    return plan


def _public(payloads: list[Payload]) -> list[Payload]:
    opened = msgspec.structs.replace(payloads[0], publication=Publication(public=True))
    return [opened, *payloads[1:]]


def _unit(archive: Archive, number: int, payloads: list[Payload]) -> Unit:
    return Unit(
        log_id="bench",
        stream_id=f"match-{number:06}",
        drafts=tuple(archive.draft(payload) for payload in payloads),
        expected_version=NO_STREAM,
    )


def by_adbc_alone(plan: Plan, target: Path) -> int:
    """All rows of the table `event` as they lie, into one Parquet file; how many."""
    with (
        contextlib.closing(_connected(plan.wanted.url)) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT * FROM event WHERE log_id = 'bench'")
        batches = cursor.fetch_record_batch()
        count = 0
        with pyarrow.parquet.ParquetWriter(target, batches.schema, compression="zstd") as writer:
            for table in _groups(batches):
                writer.write_table(table)
                count += table.num_rows
    return count


def _groups(batches: Any) -> Iterator[Any]:
    """Batches of the driver put together to row groups of our size."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= partitions.PART_ENTRIES:
            yield pyarrow.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pyarrow.Table.from_batches(waiting)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds that it takes, and seconds of processors, those of ended children included."""
    begun, busy = time.perf_counter(), sum(os.times()[:4])
    work()
    return time.perf_counter() - begun, sum(os.times()[:4]) - busy


def spent(plan: Plan) -> dict[str, float]:
    """Where the time of one part goes, in shares of the whole."""
    seconds: dict[str, float] = {}

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - begun

        return run

    watch = (
        ("reading rows by ADBC", ArrowLedger, "entries"),
        ("decoding entries", catalogue, "read_entries"),
        ("folding: every fold, all findings", partitions, "Live"),
        ("rows of matches, games, turns, findings", partitions, "rows_of"),
        ("writing Parquet", partitions, "encoded"),
    )
    kept = [(owner, name, getattr(owner, name)) for _, owner, name in watch]
    for what, owner, name in watch:
        setattr(owner, name, watched(what, getattr(owner, name)))
    try:
        whole, _ = timed(lambda: folded(plan.partitions[0]))
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)
    seconds["the rest"] = whole - sum(seconds.values())
    return {name: one / whole for name, one in seconds.items()}


def run(home: Home = SQLITE, entries: int = ENTRIES) -> list[tuple[str, str]]:
    """Rows of (what, figure)."""
    with home.empty() as (url, folder):
        plan = archive_of(url, entries)
        count = by_adbc_alone(plan, folder / "warm.parquet")
        told: list[tuple[str, str]] = []
        clock: dict[str, float] = {}
        busiest = 0.0
        engines: list[tuple[str, Engine]] = [
            ("one process", LocalEngine(1)),
            ("two processes", LocalEngine(2)),
            ("Ray, with the cluster's start and end", RayEngine()),
            ("Ray, on a cluster that runs", RayEngine()),
        ]
        for what, engine in engines:
            # The peer once more beside each, for a machine's load comes and goes.
            alone, busy = timed(lambda: by_adbc_alone(plan, folder / "alone.parquet"))
            told.append((f"ADBC alone, {count:,} rows of `event`", _figure(count, alone, busy)))
            with cluster() if what.endswith("runs") else contextlib.nullcontext():
                took, busy = timed(lambda engine=engine: publish(plan, folder / "out", engine))
            figure = f"{_figure(count, took, busy)}, {alone / took:.2f} x"
            told.append((f"publish, {what}", figure))
            clock[what] = took
            busiest = busiest or busy
        one, two, started, running = clock.values()
        told += [
            ("one process (target 65,000)", f"{count / busiest:,.0f} rows a CPU second"),
            ("two processes beside one (target 1.7)", f"{one / two:.2f} x"),
            ("Ray beside two processes (target 0.9)", f"{two / running:.2f} x"),
            ("  with the cluster's start and end", f"{two / started:.2f} x"),
        ]
        told += [(f"  {what}", f"{share:.0%}") for what, share in spent(plan).items()]
        size = sum(file.stat().st_size for file in (folder / "out").rglob("*.parquet"))
        told.append(("size of the publication", f"{size / count:,.0f} bytes an entry"))
    return told


@contextlib.contextmanager
def cluster() -> Iterator[None]:
    """A Ray cluster of two processors that has run a task on each before it is measured."""
    keep_ray_from_uv()
    import ray

    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, configure_logging=False)
    try:
        ray.get([ray.remote(lambda: time.sleep(1.0)).remote() for _ in range(2)])
        yield
    finally:
        ray.shutdown()


def _figure(count: int, seconds: float, busy: float) -> str:
    # Tasks on Ray are no children of this process: their seconds are not seen.
    share = f", {count / busy:,.0f} a CPU second" if busy > seconds / 4 else ""
    return f"{count / seconds:,.0f} rows/s{share}"


def main() -> None:
    """Print the rows."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    for home in homes():
        print(home.name)
        for what, figure in run(home, entries):
            print(f"  {what:<45}{figure:>48}", flush=True)


if __name__ == "__main__":
    print(built())
    main()
