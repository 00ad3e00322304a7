"""Nothing is wider than the screen: every page of a match, on tablet and phone, with any names."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from api.commands.demo import seed
from api.commands.demo_matches import LATE_MATCH, LIVE_MATCH
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH
from tests.web.conftest import NewContext, Site, Size, at_every_look, shot
from tests.web.fonts import UNDER_BOTH_FONT_SETS, WIDE
from tests.web.replay_rig import disputed_match, put, second_scribe

pytestmark = pytest.mark.warm

SIZES = [(1180, 820), (1024, 768), (390, 844)]

TOO_WIDE = """() => {
  const {clientWidth: wide, scrollWidth} = document.documentElement;
  const told = (one) => `${one.tagName}.${one.getAttribute('class') ?? one.id}: ` +
    `${Math.round(one.getBoundingClientRect().right)} ${one.textContent.trim().slice(0, 60)}`;
  // What scrolls by itself, or cuts off, keeps in what is in it.
  const isKept = (one) => {
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    }
    return false;
  };
  const seen = [...document.body.querySelectorAll('*')].filter(
    (one) => one.checkVisibility() && !one.closest('.unseen, .skip, svg') && !isKept(one));
  const beyond = seen.filter((one) => {
    const {left, right, width} = one.getBoundingClientRect();
    return width > 0 && (right > wide + 1 || left < -1);
  });
  const spilling = seen.filter((one) =>
    getComputedStyle(one).overflowX === 'visible' && one.clientWidth > 0 &&
    one.scrollWidth > one.clientWidth + 1);
  const found = [...beyond.map((one) => `beyond: ${told(one)}`),
    ...spilling.map((one) => `spilling ${one.scrollWidth} > ${one.clientWidth}: ${told(one)}`)];
  if (scrollWidth > wide) found.unshift(`the page is ${scrollWidth} wide on ${wide}`);
  return found;
}"""
"""What sticks out of the screen, or out of the box that it stands in."""

WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"

LONG = {
    "one": [{"name": f"Maximiliane Theodora {WORD} von Hohenlohe-Schillingsfürst-Waldenburg"}],
    "two": [{"name": "X" * 90}],
}

LONG_LOG = "a-tournament-whose-name-goes-on-and-on-until-nobody-listens"


def fits(page: Page, name: str, sizes: Sequence[Size] = SIZES) -> None:
    def check(_: str, size: Size) -> None:
        shot(page, f"width-{size[0]}-{name}")
        found = page.evaluate(TOO_WIDE)
        assert not found, name + ": " + "; ".join(found)

    at_every_look(page, sizes, check, themes=["light"])


@pytest.fixture
def page_of(new_context: NewContext, sign_in: Callable[..., None]) -> Callable[..., Page]:
    """`page_of(token, fonts)`: a page of somebody who may see everything."""

    def make(token: str, fonts: str = WIDE) -> Page:
        context: BrowserContext = new_context(fonts=fonts)
        sign_in(context, token)
        return context.new_page()

    return make


def every_page(page: Page, log: str, matches: list[str]) -> None:
    """Each page of a tournament and of some of its matches."""
    page.goto(f"/tournaments/{log}")
    fits(page, "tournament")
    page.goto("/precedents")
    fits(page, "precedents")
    page.goto("/search?text=4HPwATDgc/ABMA")
    fits(page, "search")
    page.goto("/explorer?first=31")
    fits(page, "explorer")
    page.goto(f"/room/{log}")
    expect(page.locator("#room-age")).to_have_class("badge good")
    expect(page.locator(".tables article")).to_have_count(len(matches))
    fits(page, "room")
    for match in matches:
        page.goto(f"/matches/{log}/{match}")
        fits(page, f"match-{match}")
        page.goto(f"/room/{log}#{match}")
        expect(page.locator(".case-first")).not_to_be_empty()
        expect(page.locator(".case-rest .card").first).to_be_attached()
        expect(page.locator(".case-board .steps")).not_to_be_empty()
        fits(page, f"case-{match}")
        replay(page, log, match, "?rules=biba-2014")
        fits(page, f"replay-{match}")


def replay(page: Page, log: str, match: str, suffix: str = "") -> None:
    """The viewer with all its drawers open, at the end."""
    page.goto(f"/matches/{log}/{match}/replay{suffix}")
    expect(page.locator("#viewer[data-ready]")).to_be_visible()
    page.keyboard.press("End")
    for drawer in ("windows", "legality", "provenance"):
        page.locator(f"#{drawer} > summary").click()
        expect(page.locator(f"#{drawer} .drawer-body")).not_to_be_empty()
    page.locator(".legend > summary").click()


def test_no_page_of_the_demonstration_is_wider_than_the_screen(
    site: Site, page_of: Callable[..., Page]
) -> None:
    # In a thread of its own: the browser's driver has a loop in this one.
    with ThreadPoolExecutor(1) as aside:
        aside.submit(asyncio.run, seed(site.archive)).result()
    page = page_of(site.token)
    page.goto("/")
    fits(page, "home")
    every_page(page, DEMO_LOG, [DEMO_MATCH, LIVE_MATCH, LATE_MATCH])
    # A narrow phone, or a page at 400 %: the keys of the replay stand in two rows.
    replay(page, DEMO_LOG, DEMO_MATCH)
    page.set_viewport_size({"width": 320, "height": 640})
    expect(page.locator("#viewer .steps")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


@UNDER_BOTH_FONT_SETS
def test_no_page_is_wider_than_the_screen_however_long_the_names_are(
    site: Site, page_of: Callable[..., Page], fonts: str
) -> None:
    site.archive.open_tournament(LONG_LOG, f"The {WORD} Memorial Invitational of Vladivostok")
    match = site.open_match("m-long", LONG_LOG, players=LONG, table=WORD, length=25)
    call = {"entry_id": str(uuid.uuid4()), "tag": "director.called", "body": {}}
    with site.http() as client:
        called = client.post(
            f"/logs/{LONG_LOG}/matches/{match}/events",
            json={"entries": [call]},
            headers={"If-Match": "*"},
        )
        assert called.status_code == 201, called.text
    page = page_of(site.token, fonts)
    page.goto("/")
    fits(page, "long-home")
    every_page(page, LONG_LOG, [match])


def test_two_records_side_by_side_fit_the_screen(site: Site, page_of: Callable[..., Page]) -> None:
    match = put(site, disputed_match().events, "m1", offline=range(12, 20), players=LONG)
    put(site, second_scribe().events, "m2", shadow_of=match, players=LONG)
    page = page_of(site.token)
    replay(page, "open", match, "?rules=biba-2014")
    page.locator("#beside > summary").click()
    page.get_by_label("Match id of the other record").fill("m2")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#first-divergence")).to_be_visible()
    fits(page, "side-by-side")

    def nobody_scrolls_to_see_both(_: str, __: Size) -> None:
        for table in (".sheets", ".turn-rows"):
            assert page.locator(table).evaluate("(one) => one.scrollWidth <= one.clientWidth")

    at_every_look(page, SIZES[:2], nobody_scrolls_to_see_both, themes=["light"])


def test_on_a_phone_on_its_side_the_whole_board_is_on_one_screen(
    site: Site, page_of: Callable[..., Page]
) -> None:
    match = put(site, disputed_match(is_released=True).events, "m1")
    page = page_of(site.token)
    page.set_viewport_size({"width": 844, "height": 390})
    boards = {
        f"/matches/open/{match}": "figure.board svg",
        f"/matches/open/{match}/embed": "figure.board svg",
        f"/matches/open/{match}/replay": ".stage tb-board",
    }
    for path, board in boards.items():
        page.goto(path)
        box = page.locator(board).first.bounding_box()
        assert box is not None
        assert 280 < box["height"] <= 390, path
        page.locator(board).first.scroll_into_view_if_needed()
        fits(page, path.rsplit("/", 1)[1] + "-on-its-side", [(844, 390)])
