"""The tablet as the clock: correct over sleep, reload, changed clocks and a late device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.web.conftest import TABLET
from tests.web.modules import served

pytestmark = pytest.mark.warm

MINUTE_MS = 60_000
ALLOWED_MS = 100
"""Drift in ten minutes."""

RIG = """() => {
  const world = { mono: 50_000, wall: 1_800_000_000_000, hidden: false };
  performance.now = () => world.mono;
  Date.now = () => world.wall;
  Object.defineProperty(document, "hidden", { get: () => world.hidden });
  const dark = (hidden) => {
    world.hidden = hidden;
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  };
  Object.assign(window, {
    world,
    match: { match_id: "m", entries: [{ tag: "match.opened", occurred_at: world.wall, body: {} }],
             server_clock: null },
    awake(ms) { world.mono += ms; world.wall += ms; },
    asleep(ms) { dark(true); world.wall += ms; dark(false); },
    visit: async () => {
      const { MatchTime } = await import("/static/tablet/acts/match_time.js");
      window.time = new MatchTime(window.match);
    },
    reload: async (ms) => {
      dispatchEvent(new Event("pagehide"));
      world.wall += ms;
      world.mono = 1_000 * Math.random();
      window.match.server_clock = null;
      await window.visit();
    },
    hear(server, slack = 5) {
      window.match.server_clock = { time_ms: server, heard_ms: world.mono, slack_ms: slack };
      window.time.now();
    },
  });
}"""


class Device:
    """A tablet whose clocks a test moves; `true` is the time that has really passed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.evaluate(f"({RIG})()")
        page.evaluate("visit()")
        self.true = 0
        self.server = 1_900_000_000_000

    def awake(self, ms: int, *, ticks: int = 60) -> None:
        """The page runs and looks at the clock as often as that."""
        self.page.evaluate(
            "([ms, n]) => { for (let i = 0; i < n; i += 1) { awake(ms / n); time.now(); } }",
            [ms, ticks],
        )
        self.true += ms

    def asleep(self, ms: int) -> None:
        self.page.evaluate("asleep", ms)
        self.true += ms

    def reload(self, ms: int) -> None:
        self.page.evaluate("reload", ms)
        self.true += ms

    def change_clock(self, ms: int) -> None:
        self.page.evaluate("(ms) => { world.wall += ms; time.now(); }", ms)

    def hear(self, *, slack: int = 5, wrong: int = 0) -> None:
        """The server is heard, by an answer that was `wrong` of its half way."""
        self.page.evaluate(
            "([server, slack]) => hear(server, slack)", [self.server + self.true + wrong, slack]
        )

    def now(self) -> int:
        value: int = self.page.evaluate("time.now()")
        return value

    def doubts(self) -> bool:
        value: bool = self.page.evaluate("time.taken() && time.takeDoubt()")
        return value


@pytest.fixture(scope="module")
def modules() -> Iterator[str]:
    with served() as url:
        yield url


@pytest.fixture
def device(chromium: Browser, modules: str) -> Iterator[Device]:
    context = chromium.new_context(viewport=TABLET)
    page = context.new_page()
    page.goto(modules)
    yield Device(page)
    context.close()


def drift(device: Device, since: tuple[int, int]) -> int:
    """By how much the clock on the table has gone wrong since a moment (shown, true)."""
    shown, true = since
    return (device.now() - shown) - (device.true - true)


def start(device: Device) -> tuple[int, int]:
    return device.now(), device.true


@pytest.mark.parametrize("heard", [True, False], ids=["with a network", "without"])
def test_a_sleep_of_five_minutes_runs_on_the_clock(device: Device, heard: bool) -> None:
    if heard:
        device.hear()
    began = start(device)
    device.awake(2 * MINUTE_MS)
    device.asleep(5 * MINUTE_MS)
    assert abs(drift(device, began)) <= ALLOWED_MS
    device.awake(3 * MINUTE_MS)
    if heard:
        device.hear()
    assert abs(drift(device, began)) <= ALLOWED_MS
    assert not device.doubts()


def test_a_slow_answer_after_a_sleep_moves_the_clock_by_no_more_than_is_known(
    device: Device,
) -> None:
    device.hear(slack=4)
    began = start(device)
    device.awake(MINUTE_MS)
    device.asleep(5 * MINUTE_MS)
    # The wifi comes back slowly: the answer was two seconds under way, all of it one way.
    device.hear(slack=1_000, wrong=-1_000)
    assert abs(drift(device, began)) <= ALLOWED_MS
    device.awake(4 * MINUTE_MS)
    device.hear(slack=6, wrong=3)
    assert abs(drift(device, began)) <= ALLOWED_MS


def test_a_reload_loses_no_time(device: Device) -> None:
    device.hear()
    began = start(device)
    for _ in range(5):
        device.awake(MINUTE_MS)
        device.reload(7_300)
        device.hear(slack=200, wrong=150)
        device.awake(MINUTE_MS)
    assert abs(drift(device, began)) <= ALLOWED_MS
    assert not device.doubts()


@pytest.mark.parametrize("by", [37_000, -37_000, 3_600_000, -3_600_000])
@pytest.mark.parametrize("heard", [True, False], ids=["with a network", "without"])
def test_a_clock_that_is_set_while_the_screen_is_on_moves_nothing(
    device: Device, by: int, heard: bool
) -> None:
    device.hear()
    began = start(device)
    device.awake(5 * MINUTE_MS)
    device.change_clock(by)
    device.awake(5 * MINUTE_MS)
    if heard:
        device.hear()
    assert abs(drift(device, began)) <= ALLOWED_MS
    device.reload(2_000)
    assert abs(drift(device, began)) <= ALLOWED_MS
    assert not device.doubts()


def test_a_clock_that_was_set_while_the_screen_was_dark_is_put_right_when_the_server_is_heard(
    device: Device,
) -> None:
    device.hear()
    began = start(device)
    device.awake(MINUTE_MS)
    device.page.evaluate("asleep(600_000)")  # ten minutes on the tablet's clock, none in the hall
    device.awake(50)
    device.hear()
    device.awake(9 * MINUTE_MS)
    assert abs(drift(device, began)) <= ALLOWED_MS


def test_a_clock_put_right_little_by_little_moves_nothing(device: Device) -> None:
    began = start(device)
    for _ in range(120):
        device.page.evaluate("world.wall += 2")
        device.awake(5_000, ticks=2)
    assert abs(drift(device, began)) <= ALLOWED_MS


def test_timers_that_come_late_lose_nothing(device: Device) -> None:
    began = start(device)
    device.awake(10 * MINUTE_MS, ticks=1)
    assert drift(device, began) == 0


def test_a_tablet_takes_the_servers_time_and_keeps_what_it_knows_best(device: Device) -> None:
    began = start(device)
    device.hear(slack=400, wrong=-350)
    device.hear(slack=5, wrong=2)
    zero = start(device)
    assert zero != began
    device.hear(slack=300, wrong=300)
    assert abs(drift(device, zero)) <= 5


def test_what_a_slow_device_comes_to_late_happened_when_it_was_touched(device: Device) -> None:
    told: Any = device.page.evaluate(
        """async () => {
          const at = [];
          const gesture = (work) => time.touched(async () => {
            for (const ms of work) { awake(ms); at.push([time.happened(), time.taken()]); }
          });
          const zero = time.now();
          const first = gesture([300, 300]);
          awake(1_000);
          const second = gesture([50]);
          await first();
          await second();
          return at.map((pair) => pair.map((one) => one - zero));
        }"""
    )
    # Both entries of the first gesture happened when it was made, though a second later was taken
    # before they were recorded; the second one is of its own moment, and none goes back.
    assert told == [[0, 0], [0, 0], [1_000, 1_000]]
