"""The explorer and a player's figures in a browser: from the opening rolls on, by links only."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, expect

from tests.web.conftest import Site, Size, at_every_look, check_axe, check_targets, shot
from tests.web.test_public import BEGINNING, Table
from tests.web.test_replay_loading import MOST_SHIFT, OBSERVE
from tests.web.test_widths import TOO_WIDE

NewContext = Callable[..., BrowserContext]

SIZES = [(1440, 900), (390, 844)]


def test_from_the_opening_rolls_to_the_answers_and_the_matches(
    new_context: NewContext, site: Site
) -> None:
    table = Table(site)
    table.record(*BEGINNING, ("game.won", {"winner": "one", "points": 5}))
    page = new_context(expects_errors=True).new_page()
    page.add_init_script(OBSERVE)
    name = "rolls"

    def check(look: str, _: Size) -> None:
        shot(page, f"explorer-{name}-{look}")
        check_axe(page)
        check_targets(page)
        assert page.evaluate(TOO_WIDE) == []

    page.goto("/")
    page.get_by_role("link", name="Explorer").click()
    expect(page.locator(".explored")).to_contain_text("From 1 match.")
    assert page.evaluate("window.shifts.reduce((sum, [by]) => sum + by, 0)") <= MOST_SHIFT
    at_every_look(page, SIZES, check)
    page.get_by_role("link", name="31", exact=True).click()
    expect(page.locator(".found li")).to_have_count(1)
    expect(page.locator(".found")).to_contain_text("8/5 6/5")
    expect(page.locator(".found figure svg[role=img]")).to_be_visible()
    name = "replies"
    at_every_look(page, SIZES, check)
    page.get_by_role("link", name="Next rolls").click()
    expect(page.locator(".steps")).to_contain_text("8/5 6/5")
    page.get_by_role("link", name="64", exact=True).click()
    expect(page.locator(".found")).to_contain_text("24/14")
    # Whoever answered has lost that game.
    expect(page.locator(".sums")).to_contain_text("0 %")
    page.locator(".steps").get_by_role("link", name="31").click()
    page.get_by_role("link", name="Matches").click()
    expect(page.locator(".found")).to_contain_text("Ada Lindqvist")
    # And from a player's figures to how that player opens.
    page.goto("/players/Ada%20Lindqvist")
    expect(page.locator("#counted-title")).to_have_text("Statistics")
    assert page.evaluate("window.shifts.reduce((sum, [by]) => sum + by, 0)") <= MOST_SHIFT
    expect(page.locator(".counted")).to_contain_text("from 1 match")
    expect(page.locator(".counted")).to_contain_text("No times are recorded")
    name = "player"
    at_every_look(page, SIZES, check)
    page.get_by_role("link", name="How this player opens").click()
    expect(page.locator(".explored")).to_contain_text("From 1 match.")
    page.goto("/explorer?lang=de")
    expect(page.locator("h1")).to_have_text("Eröffnungen")
    page.goto("/explorer")
    page.get_by_text("Only some matches").click()
    page.get_by_label("Played by").fill("Nobody")
    page.get_by_role("button", name="Count").click()
    expect(page.get_by_role("status")).to_contain_text("Nothing was played here")
    page.goto("/explorer?first=9")
    expect(page.get_by_role("alert")).to_contain_text("a roll is written as")
