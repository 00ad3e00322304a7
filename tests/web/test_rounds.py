"""Rounds in a browser: a sheet opened in the room, its results on paper, and the hall's screen."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import LOG, NewContext, Site, check_axe, shot

SignIn = Callable[..., None]

SCREENS = {"hd": {"width": 1920, "height": 1080}, "ready": {"width": 1280, "height": 720}}


def sheet(tables: int, round_: int = 1) -> str:
    """A round of so many tables."""
    lines = [
        f"{round_},{at},Player Number {at} with a name,Rival Number {at},5"
        for at in range(1, tables + 1)
    ]
    return "\n".join(["round,table,player 1,player 2,length", *lines])


def open_round(site: Site, text: str) -> None:
    """The same as the room does it, without the room."""
    body = {"text": text, "request_id": str(uuid.uuid4()), "called": True}
    defaults = {
        "entry_id": str(uuid.uuid4()),
        "tag": "tournament.defaults_declared",
        "body": {"publication": {"public": True, "delay_ms": 0}},
    }
    with site.http(site.director) as client:
        said = client.post(
            f"/logs/{LOG}/events", json={"entries": [defaults]}, headers={"If-Match": "*"}
        )
        assert said.status_code == 201, said.text
        made = client.post(f"/logs/{LOG}/rounds", json=body)
        assert made.status_code == 201, made.text


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    expect(page.locator("#room-age")).to_have_class("badge good")
    return page


def test_a_sheet_is_looked_at_corrected_and_opened_with_two_clicks(
    director: Page, site: Site
) -> None:
    director.get_by_role("button", name="Players and pairings").tap()
    dialog = director.get_by_role("dialog")
    text = dialog.get_by_label("Lines", exact=True)
    text.fill("round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n1,1,Eva,Per,no\n")
    expect(dialog).to_contain_text("Table 1 is given twice: also in line 2.")
    expect(dialog).to_contain_text("The length is a whole number from 1 to 99.")
    expect(dialog.locator("button[type=submit]")).to_be_disabled()
    check_axe(director)
    shot(director, "sheet-errors")
    text.fill("round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n1,2,Eva,Per,5\n")
    dialog.get_by_role("button", name="Open 2 matches").tap()
    expect(dialog).to_have_count(0)
    expect(director.get_by_role("article")).to_have_count(2)
    expect(director.get_by_role("article").first).to_contain_text("Round 1")
    director.get_by_role("button", name="Per does not come").tap()
    expect(director.get_by_role("article").nth(1)).to_contain_text("over")
    director.get_by_role("button", name="Ida Berg is here").tap()
    expect(director.get_by_role("button", name="Ida Berg is here")).to_have_count(0)
    check_axe(director)
    shot(director, "sheet-opened")


def test_rounds_are_filtered_by_one_key(director: Page, site: Site) -> None:
    open_round(site, sheet(2))
    open_round(site, sheet(2, round_=2))
    expect(director.get_by_role("article")).to_have_count(4)
    director.get_by_role("button", name="Round 2", exact=True).tap()
    expect(director.get_by_role("article")).to_have_count(2)
    director.get_by_role("button", name="All rounds").tap()
    expect(director.get_by_role("article")).to_have_count(4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_wall_shows_a_full_hall_without_scrolling(
    new_context: NewContext, site: Site, screen: str, scheme: str
) -> None:
    open_round(site, sheet(40))
    page = new_context(viewport=SCREENS[screen], color_scheme=scheme).new_page()
    page.clock.install()
    page.goto(f"/tournaments/{LOG}/wall")
    counter = page.locator("#wall-page")
    expect(counter).to_contain_text("1 / ")
    pages = int(counter.inner_text().split("/")[1])
    assert pages > 1
    check_axe(page)
    shot(page, f"wall-{screen}-{scheme}")
    seen: set[str] = set()
    for at in range(1, pages + 1):
        expect(counter).to_contain_text(f"{at} / {pages}")
        fits = page.evaluate(
            """() => document.documentElement.scrollHeight <= innerHeight
                && [...document.querySelectorAll("#wall li:not([hidden])")].every((line) => {
                  const box = line.getBoundingClientRect();
                  const isIn = box.bottom <= innerHeight + 1 && box.right <= innerWidth;
                  return box.height === 0 || isIn;
                })"""
        )
        assert fits
        seen |= set(page.locator("#wall li:not([hidden]) .wall-names:visible").all_inner_texts())
        page.clock.run_for(10_000)
    assert len(seen) == 40


def test_results_print_without_the_keys_around_them(page: Page, site: Site) -> None:
    open_round(site, sheet(3))
    page.goto(f"/tournaments/{LOG}/results")
    expect(page.get_by_role("heading", name="Round 1")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(4)
    check_axe(page)
    shot(page, "results")
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="CSV")).to_be_hidden()
    expect(page.get_by_role("row")).to_have_count(4)
