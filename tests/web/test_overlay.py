"""The overlay in a browser: transparent, live, and never ahead of the public."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, shot
from tests.web.test_public import BEGINNING, Table

pytestmark = pytest.mark.warm

OVERLAY = f"/matches/{LOG}/m1/overlay?board=true"

CLOCK = {
    "kind": "simple",
    "delay_ms": 12_000,
    "reserve_ms": {"one": 360_000, "two": 360_000},
}

SEE_THROUGH = """() => ['html', 'body', '#overlay'].map(
  (one) => getComputedStyle(document.querySelector(one)).backgroundColor)"""


def version(page: Page) -> int:
    return int(page.locator("#overlay").get_attribute("data-version") or 0)


def test_an_overlay_is_plates_on_nothing_and_goes_on_with_the_match(
    site: Site, new_context: Callable[..., BrowserContext]
) -> None:
    table = Table(site)
    table.record(("clock.set", CLOCK), *BEGINNING[:3])
    page = new_context().new_page()
    page.clock.install()
    page.goto(OVERLAY)
    assert page.evaluate(SEE_THROUGH) == ["rgba(0, 0, 0, 0)"] * 3
    first, second = page.locator(".plate .clock").all()
    assert (first.inner_text(), second.inner_text()) == ("6:00", "6:00")
    expect(page.locator(".plate .points")).to_have_text(["0", "0"])
    expect(page.locator(".line")).to_contain_text("cube")
    expect(page.locator("figure.board svg")).to_have_count(1)
    assert len(page.locator(".plate .who").all_inner_texts()) == 2

    # Five of twelve seconds of the delay are used when the roll is recorded: seven are left.
    table.record(
        ("clock.pressed", {"seat": "one", "at_ms": 0}),
        ("dice.rolled", {"seat": "two", "dice": [6, 4], "at_ms": 5_000}),
    )
    page.clock.run_for(2_000)
    running = page.locator(".clock.running")
    expect(running).to_have_attribute("data-free", "7000")
    expect(running).to_have_text("6:00")
    page.clock.run_for(4_000)
    expect(running).to_have_text("6:00")
    page.clock.run_for(60_000)
    minutes, seconds = map(int, running.inner_text().split(":"))
    # With all twelve seconds it would have 306 left; the test's own time runs beside.
    assert 270 < minutes * 60 + seconds < 304, running.inner_text()
    assert version(page) == 7

    def look(what: str, size: Size) -> None:
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        shot(page, f"overlay-{what}")

    at_every_look(page, [(1440, 900), (390, 844)], look, themes=["light"])
    # Nobody is told a dispute but that a ruling is awaited: the match stands still.
    table.record(("dispute.raised", {"by": "one", "topic": "dice.validity", "at_ms": 9_000}))
    page.clock.run_for(2_000)
    expect(page.locator(".line .words")).to_have_text("a ruling is awaited")
    table.record(("play.made", {"seat": "two", "moves": [[24, 14]], "at_ms": 30_000}))
    page.clock.run_for(4_000)
    shown = version(page)
    told = new_context().new_page()
    told.goto(f"/matches/{LOG}/m1")
    assert f"?at={shown + 1}" not in told.content()
    assert shown == 7


def test_an_overlay_is_never_ahead_of_the_public_and_empty_once_it_may_show_nothing(
    site: Site, new_context: Callable[..., BrowserContext]
) -> None:
    table = Table(site, delay_ms=3_600_000)
    table.record(("clock.set", CLOCK), *BEGINNING)
    page = new_context(expects_errors=True).new_page()
    page.clock.install()
    page.goto(OVERLAY)
    assert version(page) == 0
    assert page.locator(".clock").count() == 0
    table.record(("publication.released", {}))
    page.clock.run_for(2_000)
    expect(page.locator("#overlay")).to_have_attribute("data-version", "8")
    table.record(("publication.withheld", {}))
    page.clock.run_for(2_000)
    expect(page.locator("#overlay")).to_be_empty()
