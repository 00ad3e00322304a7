"""How quick the tablet is on a slow processor: tap to paint, tap to durable, a backlog sent.

A match of chance is tapped in Chromium, with the processor throttled four times and with it as it
is. Goals (p95): the result of a tap is painted within 100 ms on the slow processor, and durable
within 50 ms on this one; and 1,200 entries that were recorded without a network are on the server
within 5 s of its return. Numbers are printed, never
asserted: a busy computer must not fail anybody's change.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import Page, expect, sync_playwright

import migrations
from api.archive.archive import open_archive
from events.payloads.access import Role
from events.values import Seat
from tests.web.conftest import CHROMIUM_ARGS, LOG, Served, Site, chromium_path
from tests.web.tablet_rig import Scribe, open_tablet
from tests.web.test_whole_match import by_chance, record

THROTTLES = (4, 1)
BACKLOG = 1_200
GOALS = {"paint": 100, "durable": 50}

MEASURE = """() => {
  const told = { paint: [], durable: [] };
  globalThis.told = told;
  let tapped = null;
  let isPainted = true;
  document.addEventListener("click", (event) => {
    tapped = event.timeStamp;
    isPainted = false;
  }, true);
  const tick = document.querySelector(".tick.here");
  new MutationObserver(() => {
    if (tick.dataset.busy === "false" && tapped !== null) {
      told.durable.push(performance.now() - tapped);
    }
  }).observe(tick, { attributeFilter: ["data-busy"] });
  // A change within a frame is painted by that frame, any other by the next; either way the
  // frame is done when the next task runs.
  let isFrame = false;
  const task = (work) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = work;
    port2.postMessage(null);
  };
  const native = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (callback) => native((time) => {
    if (!isFrame) {
      isFrame = true;
      task(() => { isFrame = false; });
    }
    callback(time);
  });
  const seen = new MutationObserver(() => {
    if (isPainted || tapped === null) return;
    isPainted = true;
    const since = tapped;
    const painted = () => told.paint.push(performance.now() - since);
    if (isFrame) task(painted);
    else native(() => task(painted));
  });
  for (const where of ["tb-board", ".panel .lines", ".panel .area", ".panel .next", ".player"]) {
    for (const element of document.querySelectorAll(where)) {
      seen.observe(element, { subtree: true, childList: true, characterData: true,
        attributes: true, attributeFilter: ["style", "aria-label", "hidden"] });
    }
  }
}"""


def row(name: str, values: Sequence[float], goal: float) -> str:
    """Median and tail, and how they stand to the goal."""
    ordered = sorted(values)
    at = [ordered[round((len(ordered) - 1) * part)] for part in (0.5, 0.95, 0.99)]
    ratio = at[1] / goal
    return (
        f"{name:16} {len(ordered):5} taps  median {at[0]:6.1f} ms  p95 {at[1]:6.1f} ms  "
        f"p99 {at[2]:6.1f} ms  goal {goal:.0f} ms: {ratio:.2f} x"
    )


class Patient(Scribe):
    """Taps again when the last tap is through, as a person does."""

    def key(self, act: str) -> None:
        super().key(act)
        self._wait()

    def dice(self, one: int, two: int) -> None:
        super().dice(one, two)
        self._wait()

    def point(self, seat: Seat, word: str) -> None:
        super().point(seat, word)
        self._wait()

    def _wait(self) -> None:
        self.page.locator('.tick.here[data-busy="false"]').wait_for()
        self.page.wait_for_timeout(150)


def taps(page: Page, throttle: int) -> None:
    """Tap a match on a processor slowed down by this factor."""
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": throttle})
    print(f"processor throttled {throttle} times" if throttle > 1 else "processor as it is")
    page.evaluate(MEASURE)
    record(Patient(page), list(by_chance(3, length=2)))
    page.wait_for_timeout(500)
    told = page.evaluate("told")
    client.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    for name, goal in GOALS.items():
        print(row(f"tap to {name}", told[name], goal))


def backlog(page: Page) -> None:
    """Record without a network, then let it come back."""
    page.context.set_offline(True)
    began = time.perf_counter()
    page.evaluate(
        """(count) => {
          for (let at = 0; at < count; at += 1) {
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
          }
        }""",
        BACKLOG,
    )
    expect(page.locator(".badge.unsent")).to_have_text(f"{BACKLOG} unsent", timeout=300_000)
    offline = time.perf_counter() - began
    page.context.set_offline(False)
    began = time.perf_counter()
    expect(page.locator(".badge.unsent")).to_be_hidden(timeout=300_000)
    synced = time.perf_counter() - began
    print(
        f"backlog          {BACKLOG} entries: recorded in {offline:.1f} s, on the server "
        f"{synced:.2f} s after the network came back, goal 5 s: {synced / 5:.2f} x"
    )


def main() -> None:
    """Print the table."""
    executable = chromium_path()
    if executable is None:
        print("there is no Chromium (CHROMIUM names one)")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "ledger.db"
        migrations.upgrade(str(path))
        archive = open_archive(f"sqlite:///{path}")
        archive.open_tournament(LOG, "Benchmark")
        director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
        served = Served(archive)
        site = Site(f"http://127.0.0.1:{served.port}", archive, archive.operator_token(), director)
        browser = driver.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        for throttle in THROTTLES:
            page = browser.new_page(
                viewport={"width": 1180, "height": 820},
                has_touch=True,
                base_url=site.url,
                locale="en-GB",
            )
            open_tablet(page, site, site.open_match(length=2))
            taps(page, throttle)
        backlog(page)
        browser.close()
        served.stop()
        archive.close()


if __name__ == "__main__":
    main()
