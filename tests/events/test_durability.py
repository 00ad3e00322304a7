"""Acknowledged entries stay, and are seen in order: kill -9, and readers beside many writers.

The tests cover the death of the process and concurrent commits, but not a disk that reports flushes
it did not make.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from events.store.fsck import fsck
from events.store.opening import open_store
from events.store.postgres import PostgresStore

pytestmark = pytest.mark.gate

CHILD = Path(__file__).with_name("appending_child.py")
ROOT = Path(__file__).parents[2]


def append_until_killed(url: str, acknowledgements: int) -> list[tuple[str, int]]:
    """What a child acknowledged before it was killed without warning."""
    child = subprocess.Popen(
        [sys.executable, CHILD, url],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(acknowledgements)]
    child.kill()
    # What it had written before it died counts as acknowledged too.
    lines += child.stdout.read().splitlines(keepends=True)
    child.stdout.close()
    child.wait()
    assert all(line.endswith("\n") for line in lines), lines
    pairs = [line.split() for line in lines]
    return [(entry_id, int(global_position)) for entry_id, global_position in pairs]


@pytest.mark.parametrize("kills", [10, pytest.param(10_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("archive", ["sqlite", "postgres"])
def test_no_acknowledged_entry_is_lost_to_kill_9(request, archive, kills):
    url = request.getfixturevalue(f"{archive}_url")
    store = open_store(url)
    store.open_log("club")
    store.close()
    chance = random.Random(9)
    acknowledged: dict[str, int] = {}
    for _ in range(kills if archive == "sqlite" else max(3, kills // 10)):
        fresh = append_until_killed(url, chance.randrange(1, 60))
        acknowledged.update(fresh)
        store = open_store(url, read_only=True)
        found = store.find_entries("club", [entry_id for entry_id, _ in fresh])
        assert {name: found[name].global_position for name, _ in fresh} == dict(fresh)
        store.close()
    store = open_store(url)
    there = {event.entry_id: event.global_position for event in store.read_log("club")}
    assert acknowledged.items() <= there.items()
    assert fsck(store).clean
    assert store.log_head("club").size == len(there)
    store.close()


class HesitantStore(PostgresStore):
    """Holds some of its transactions open for a moment before they commit."""

    chance = random.Random(11)

    def _commit(self, db):
        if self.chance.random() < 0.1:
            db.execute("SELECT pg_sleep(0.002)")
        super()._commit(db)


@pytest.mark.parametrize("each", [100, pytest.param(1_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("archive", ["sqlite", "postgres"])
def test_tailing_reader_misses_nothing(request, archive, each, make_draft):
    # P1: with positions from a sequence, a reader passes positions that are not committed yet.
    url = request.getfixturevalue(f"{archive}_url")
    main = open_store(url)
    main.open_log("club")
    stores = [main] * 8 if archive == "sqlite" else [HesitantStore(main.address) for _ in range(8)]
    drafts = [[make_draft() for _ in range(each)] for _ in stores]
    seen: list[tuple[int, str]] = []
    total = each * len(stores)
    failed = threading.Event()

    def tail():
        reader = open_store(url, read_only=True)
        while len(seen) < total and not failed.is_set():
            start = seen[-1][0] + 1 if seen else 0
            seen.extend(
                (e.global_position, e.entry_id) for e in reader.read_log("club", start=start)
            )
        reader.close()

    def hand(at):
        try:
            for draft in drafts[at]:
                stores[at].append("club", f"m{at % 3}", [draft])
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(9) as pool:
        reader = pool.submit(tail)
        list(pool.map(hand, range(len(stores))))
        reader.result()
    assert [at for at, _ in seen] == list(range(total))
    assert {entry_id for _, entry_id in seen} == {d.entry_id for mine in drafts for d in mine}
    assert fsck(main).clean
    for store in {main, *stores}:
        store.close()
