"""Erasing a person in a browser: search, confirmation, result; at every size and theme."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Site, Size, at_every_look, check_axe, check_targets

pytestmark = pytest.mark.warm

SIZES: tuple[Size, ...] = ((320, 640), (1024, 768))

NAME = "Zoltan Quillfeather"


@pytest.mark.parametrize("language", ["en", "de"])
def test_an_archivist_erases_somebody_with_a_keyboard_and_no_script(
    new_context: Any, site: Site, language: str
) -> None:
    players = {"one": [{"name": NAME}], "two": [{"name": "Ben"}]}
    match = site.open_match(f"erased-{language}", players=players)
    page = new_context(locale=language, java_script_enabled=False).new_page()
    page.goto(f"{site.url}/session?next=/erasing")
    page.locator("#token").fill(site.token)
    page.locator("#token").press("Enter")
    page.wait_for_url("**/erasing")
    page.locator("#name").fill(NAME)
    page.locator("#name").press("Enter")
    expect(page.locator("#would")).to_be_visible()
    expect(page.locator("main")).to_contain_text("players.one.0.name")
    page.locator("#confirm").fill("Zoltan")
    page.locator("#confirm").press("Enter")
    expect(page.locator("#why")).to_be_visible()
    page.locator("#confirm").fill(NAME)
    page.locator("#confirm").press("Enter")
    expect(page.locator("#went")).to_be_visible()
    page.goto(f"{site.url}/matches/open/{match}")
    expect(page.locator("main")).to_contain_text("Ben")
    expect(page.locator("main")).not_to_contain_text("Quillfeather")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_to_erase_is_accessible_at_every_step(
    new_context: Any, site: Site, language: str
) -> None:
    players = {"one": [{"name": NAME}], "two": [{"name": "Ben"}]}
    site.open_match(f"looked-{language}", players=players)
    page = new_context(locale=language).new_page()

    def check(_look: str, size: Size) -> None:
        check_axe(page)
        check_targets(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    page.goto(f"{site.url}/session?next=/erasing")
    page.locator("#token").fill(site.token)
    page.locator("#token").press("Enter")
    page.wait_for_url("**/erasing")
    at_every_look(page, SIZES, check)
    page.locator("#name").fill(NAME)
    page.locator("#name").press("Enter")
    expect(page.locator("#would")).to_be_visible()
    at_every_look(page, SIZES, check)
