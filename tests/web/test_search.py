"""The search page in a browser: by id, by a board set up with keys or taps, and accessible."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, check_targets, shot
from tests.web.test_public import BEGINNING, SIZES, Table

pytestmark = pytest.mark.warm

NewContext = Callable[..., BrowserContext]


def test_a_turn_is_found_by_its_board_in_every_way(new_context: NewContext, site: Site) -> None:
    table = Table(site)
    table.record(*BEGINNING, ("game.won", {"winner": "one", "points": 5}))
    page = new_context(expects_errors=True).new_page()

    def check(look: str, _: Size) -> None:
        shot(page, f"search-{name}-{look}")
        check_axe(page)
        check_targets(page)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, "it is wider than the screen"

    # From the match's page to the turns with this board, and back to the moment.
    page.goto(f"/matches/{LOG}/m1?at=3")
    page.get_by_role("link", name="Search this position").click()
    expect(page.locator(".found li")).to_have_count(1)
    expect(page.locator(".found")).to_contain_text("rolls 31")
    expect(page.locator(".found figure svg[role=img]")).to_be_visible()
    # A board set up by hand: the editor begins with what is named; one checker goes elsewhere.
    page.get_by_text("Score, roll, cube").click()
    name = "found"
    at_every_look(page, SIZES, check)
    page.set_viewport_size({"width": 1180, "height": 820})
    page.get_by_text("Set up a board").click()
    name = "editor"
    check("light-1180", (1180, 820))
    page.get_by_role("button", name="Search this board").click()
    expect(page.locator(".found li")).to_have_count(1)
    page.get_by_text("Set up a board").click()
    page.get_by_role("button", name="Empty board").press("Enter")
    page.get_by_role("button", name="Search this board").press("Enter")
    expect(page.get_by_role("status").filter(has_text="No turn")).to_be_visible()
    page.goto("/search?text=nonsense")
    expect(page.get_by_role("alert")).to_contain_text("not a Position ID")
    expect(page.get_by_label("XGID, or")).to_have_value("nonsense")
    page.goto("/search")
    expect(page.locator(".found")).to_have_count(0)


def test_it_is_whole_without_javascript(new_context: NewContext, site: Site) -> None:
    table = Table(site)
    table.record(*BEGINNING, ("game.won", {"winner": "one", "points": 5}))
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_role("link", name="Search").click()
    page.get_by_label("XGID, or").fill("4HPwATDgc/ABMA")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name="Ada Lindqvist").click()
    expect(page.locator("h1")).to_contain_text("Ada Lindqvist")
