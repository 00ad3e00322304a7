"""A tablet after an evening without a network: 1,200 entries from the first byte to the receipt.

A real browser at a real server over a new SQLite file. The peer is the same server taking in the
same bodies as plain appends of 200 from a client without a chain, a signature or a store of its
own. Beside it, how long a record takes until it is durable on the device, one after the other, with
the flusher at work.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import sync_playwright

from api.archive.archive import open_archive
from events.payloads.access import Role
from tests.web.conftest import CHROMIUM_ARGS, LOG, Served, Site, chromium_path
from tests.web.device_site import TAG, open_device, pair
from tests.web.proxy import Mode, Proxy

BACKLOG = 1_200
BATCH = 200
RECORDS = 300
GOAL_S = 5


def bodies(count: int) -> list[dict[str, Any]]:
    """Bodies that differ."""
    return [{"keeper": "one", "at_ms": number} for number in range(count)]


def append_plainly(site: Site) -> float:
    """Seconds for the backlog as plain appends."""
    match_id = site.open_match()
    path = f"/logs/{LOG}/matches/{match_id}/events"
    entries = [
        {"entry_id": str(uuid.uuid4()), "tag": TAG, "body": body} for body in bodies(BACKLOG)
    ]
    with site.http(site.director) as client:
        begun = time.perf_counter()
        for at in range(0, BACKLOG, BATCH):
            sent = {"entries": entries[at : at + BATCH]}
            answer = client.post(path, json=sent, headers={"If-Match": "*"})
            assert answer.status_code == 201, answer.text
        return time.perf_counter() - begun


def record_and_sync(site: Site, wire: Proxy, path: str) -> tuple[list[float], float]:
    """(milliseconds until each record was durable, seconds for the backlog) in a browser."""
    match_id = site.open_match()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        page = open_device(browser.new_context(), wire.url)
        with site.http(site.director) as director:
            pair(page, director, match_id)
        page.evaluate(
            """async ([log_id, match_id]) => {
              const { openOutbox } = await load("device/outbox.js");
              globalThis.outbox = await openOutbox({ log_id, match_id });
              globalThis.holds = (condition) => new Promise((resolve) => {
                const look = () => { if (condition(outbox.status)) resolve(); };
                outbox.addEventListener("change", look);
                look();
              });
              await holds((status) => status.role === "scribe");
            }""",
            [LOG, match_id],
        )
        durable = page.evaluate(
            """async ([tag, bodies]) => {
              const taken = [];
              for (const body of bodies) {
                const begun = performance.now();
                await outbox.record(tag, body);
                taken.push(performance.now() - begun);
              }
              await holds((status) => status.unsent === 0);
              return taken;
            }""",
            [TAG, bodies(RECORDS)],
        )
        wire.switch(Mode.DOWN)
        page.evaluate(
            """async ([tag, bodies]) => {
              for (const body of bodies) await outbox.record(tag, body);
              await holds((status) => status.link === "offline");
            }""",
            [TAG, bodies(BACKLOG)],
        )
        wire.switch(Mode.UP)
        synced = page.evaluate(
            """async () => {
              const begun = performance.now();
              outbox.flush();
              await holds((status) => status.unsent === 0);
              return (performance.now() - begun) / 1000;
            }"""
        )
        browser.close()
    return durable, synced


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    path = chromium_path()
    if path is None:
        print("there is no Chromium (CHROMIUM names one)")
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = open_archive(f"sqlite:///{folder}/archive.sqlite")
        archive.open_tournament(LOG, "Lantern Open")
        director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
        served = Served(archive)
        wire = Proxy(served.port)
        site = Site(f"http://127.0.0.1:{served.port}", archive, archive.operator_token(), director)
        try:
            plain = append_plainly(site)
            durable, synced = record_and_sync(site, wire, path)
        finally:
            wire.close()
            served.stop()
            archive.close()
    ordered = sorted(durable)
    median, late = ordered[len(ordered) // 2], ordered[round(0.95 * (len(ordered) - 1))]
    print(f"record until durable, {RECORDS} in a row   median {median:.1f} ms, p95 {late:.1f} ms")
    print(f"{BACKLOG:,} plain appends, {BATCH} at a time  {plain:.2f} s")
    print(f"{BACKLOG:,} drafts by a tablet            {synced:.2f} s (goal {GOAL_S} s)")
    print(f"a tablet / plain appends            {synced / plain:.1f} x")


if __name__ == "__main__":
    main()
