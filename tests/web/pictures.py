"""Makes the README's pictures: tablet, room and replay of the demonstration, in a browser.

`uv run python -m tests.web.pictures` makes them again; like the browser tests it needs Chromium.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from api.archive.archive import open_archive
from api.commands.demo import DEMO_LOG, DEMO_MATCH, LIVE_MATCH, seed
from events.values import ONE, TWO
from tests.web.conftest import CHROMIUM_ARGS, Served, Site, chromium_path
from tests.web.tablet_rig import Scribe, open_tablet

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"

SCALE = 0.6
"""A small size, at which the board can still be read."""


def main() -> None:
    """Write tablet.png, room.png and replay.png. Errors: SystemExit without Chromium."""
    if chromium_path() is None:
        raise SystemExit("there is no Chromium (CHROMIUM names one)")
    archive = open_archive("memory://")
    demo = asyncio.run(seed(archive))
    served = Served(archive)
    url = f"http://127.0.0.1:{served.port}"
    site = Site(url, archive, archive.operator_token(), demo.tokens["director"])
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGS)
            FOLDER.mkdir(parents=True, exist_ok=True)
            for name, shown in {"tablet": tablet, "room": room, "replay": replay}.items():
                page = shown(opened(browser, site), site)
                page.evaluate("document.fonts.ready.then(() => null)")
                page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
            browser.close()
    finally:
        served.stop()
        archive.close()


def opened(browser: Browser, site: Site) -> BrowserContext:
    """A tablet's screen in landscape, in English and in the light theme."""
    return browser.new_context(
        base_url=site.url,
        viewport={"width": 1180, "height": 820},
        device_scale_factor=SCALE,
        color_scheme="light",
        locale="en-GB",
        has_touch=True,
        reduced_motion="reduce",
    )


def tablet(context: BrowserContext, site: Site) -> Page:
    """A scribe's tablet after some plays of a game, with dice to play."""
    page = context.new_page()
    players = {"one": [{"name": "Ada Lantern"}], "two": [{"name": "Ben Wick"}]}
    match = site.open_match(log_id=DEMO_LOG, players=players, table="4")
    open_tablet(page, site, match, log_id=DEMO_LOG)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(3, 1)
    plays = ((ONE, "8 5 6 5", (6, 4)), (TWO, "24 14", (5, 2)))
    for seat, words, (one, two) in plays:
        for word in words.split():
            scribe.point(seat, word)
        scribe.key("played")
        scribe.dice(one, two)
    scribe.settle()
    return page


def room(context: BrowserContext, site: Site) -> Page:
    """The director's room of the demonstration, with its matches and the queue."""
    answer = context.request.post(f"{site.url}/session", data={"token": site.director})
    assert answer.ok, answer.text()
    page = context.new_page()
    page.goto(f"/room/{DEMO_LOG}")
    page.get_by_text(LIVE_MATCH.rpartition("-")[2]).first.wait_for()
    return page


def replay(context: BrowserContext, site: Site) -> Page:
    """The final at the beginning of its dispute."""
    entries = site.entries(DEMO_MATCH, DEMO_LOG)
    disputed = next(one["version"] for one in entries if one["tag"].startswith("dispute."))
    page = context.new_page()
    page.goto(f"/matches/{DEMO_LOG}/{DEMO_MATCH}/replay#v{disputed}")
    expect(page.locator("tb-board").first).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    return page


if __name__ == "__main__":
    main()
