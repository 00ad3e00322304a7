"""Times in the replay: both clocks as a chart, and how long decisions took."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from events.payloads import clock, cube, dice, play
from events.values import Seat
from tests.projections.table import Table
from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, shot
from tests.web.replay_rig import open_replay, parse_moves, put

pytestmark = pytest.mark.warm

POINTS = """(seat) => document.querySelector(`.drawing .reserve.of-${seat}`)
  .getAttribute('d').match(/[ML][^ML]+/g).map((one) => one.slice(1).split(' ').map(Number))"""


def timed() -> Table:
    """Three turns with their presses, of which the second was slow, and a double that was taken."""
    table = Table(5).clock(reserve_s=100, delay_s=12).game().opening(3, 1)
    table.record(clock.ClockStarted(seat=Seat.ONE, at_ms=0))
    table.play("one", "8/5 6/5", at_ms=5_000).press("one", 6)
    table.record(dice.Rolled(seat=Seat.TWO, dice=(6, 4), at_ms=8_000))
    moves = parse_moves("24/14")
    table.record(play.PlayMade(seat=Seat.TWO, moves=moves, at_ms=51_500)).press("two", 53)
    table.record(cube.DoubleOffered(seat=Seat.ONE, at_ms=60_000))
    table.record(cube.DoubleTaken(seat=Seat.TWO, at_ms=80_000))
    table.record(dice.Rolled(seat=Seat.ONE, dice=(5, 2), at_ms=82_000))
    moves = parse_moves("13/8 13/11")
    return table.record(play.PlayMade(seat=Seat.ONE, moves=moves, at_ms=90_000)).press("one", 92)


def test_both_clocks_are_drawn_and_every_decision_is_told_with_its_time(
    site: Site, page: Page
) -> None:
    table = timed()
    name = put(site, table.events, "m1", publication={"public": True})
    open_replay(page, name)
    with site.http() as client:
        scenes = client.get(f"/logs/{LOG}/matches/{name}/scenes").json()["scenes"]
    for seat in ("one", "two"):
        left = [one["clock"]["reserve_ms"][seat] for one in scenes if one["clock"] is not None]
        points = page.evaluate(POINTS, seat)
        assert len(points) == len(left)
        assert [x for x, _ in points] == sorted(x for x, _ in points)
        for (ms, (_, y)), (later_ms, (_, later_y)) in pairwise(zip(left, points, strict=True)):
            # Down on the page is less on the clock, and what stands still is a level line.
            assert (later_y > y) == (later_ms < ms), (seat, ms, later_ms)
        assert min(left) < max(left), seat
    rows = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in page.locator("#thinking tbody tr").all()
    }
    assert rows["decisions"] == ["1", "2"]
    assert rows["on average"] == ["8.0", "31.8"]
    assert rows["to double, on average (how often)"] == ["7.0 (1)", "–"]
    slowest = page.locator("#thinking .slowest li").first
    expect(slowest).to_contain_text("Ben: 43.5")
    slowest.locator("button").click()
    made = next(one for one in table.events if getattr(one.payload, "at_ms", 0) == 51_500)
    expect(page.locator(f"[aria-current=true][data-version='{made.version}']")).to_be_attached()

    def look(what: str, size: Size) -> None:
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        shot(page, f"times-{what}")

    page.locator("#thinking").scroll_into_view_if_needed()
    at_every_look(page, [(1440, 900), (390, 844)], look, themes=["light"])
