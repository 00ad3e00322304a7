"""A tablet over plain http in the hall: it records, says what it lacks, and loses nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Playwright, expect

from events.values import ONE
from tests.web.conftest import (
    CHROMIUM_ARGS,
    PATIENCE_MS,
    TABLET,
    Site,
    check_axe,
    chromium_path,
    shot,
)
from tests.web.proxy import Mode, Proxy
from tests.web.tablet_rig import Scribe, open_tablet
from tests.web.test_whole_match import GAMES, SMALL, facts, one_game, record, recorded_on

pytestmark = pytest.mark.warm

HALL = "bg.local"


@pytest.fixture
def insecure(playwright_driver: Playwright, proxy: Proxy) -> Iterator[BrowserContext]:
    """A browser for which the server is a stranger's address without https."""
    browser = playwright_driver.chromium.launch(
        executable_path=chromium_path(),
        args=[*CHROMIUM_ARGS, f"--host-resolver-rules=MAP {HALL} 127.0.0.1"],
    )
    context = browser.new_context(
        viewport=TABLET, has_touch=True, base_url=f"http://{HALL}:{proxy.port}", locale="en-GB"
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context
    browser.close()


def test_the_sheets_are_there_when_the_server_has_a_newer_version(
    insecure: BrowserContext, site: Site
) -> None:
    page = insecure.new_page()
    open_tablet(page, site, site.open_match(length=3))
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    insecure.route("**/static/**", lambda route: route.fulfill(status=404))
    scribe.key("menu")
    expect(page.get_by_role("dialog").locator("[data-sheet=void]").first).to_be_visible()


def test_sheets_that_did_not_come_before_the_server_was_upgraded_come_with_the_page_loaded_anew(
    insecure: BrowserContext, site: Site, proxy: Proxy
) -> None:
    match = site.open_match(length=3)
    page = insecure.new_page()
    insecure.route("**/tablet/sheets/*.js", lambda route: route.fulfill(status=404))
    open_tablet(page, site, match)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.point(ONE, "13")
    dialog = page.get_by_role("dialog")

    proxy.switch(Mode.DOWN)
    scribe.key("menu")
    expect(dialog).to_contain_text("The server does not answer.")
    expect(dialog.get_by_role("button", name="Load anew")).to_have_count(0)
    dialog.get_by_role("button", name="Close").tap()
    proxy.switch(Mode.UP)
    scribe.key("menu")
    expect(dialog).to_contain_text("The server has a newer version")
    check_axe(page)
    shot(page, "newer-version")
    insecure.unroute("**/tablet/sheets/*.js")
    dialog.get_by_role("button", name="Load anew").tap()
    page.locator(".recorder").wait_for()
    expect(page.locator(".badge.role")).to_have_text("Scribe")
    scribe.key("menu")
    expect(dialog.locator("[data-sheet=void]").first).to_be_visible()
    tags = [entry["tag"] for entry in site.entries(match)]
    assert tags[:3] == ["match.opened", "game.started", "dice.opening_rolled"]


def test_a_tablet_without_https_records_and_says_that_a_reload_needs_the_network(
    insecure: BrowserContext, site: Site, proxy: Proxy
) -> None:
    match = site.open_match(length=3)
    page = insecure.new_page()
    open_tablet(page, site, match)
    assert page.evaluate("window.isSecureContext") is False
    badge = page.locator(".badge.degraded")
    expect(badge).to_be_visible()
    expect(badge).to_contain_text("reload")
    check_axe(page)
    shot(page, "plain-http")

    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    proxy.switch(Mode.DOWN)
    for word in ("13", "7", "8", "7"):
        scribe.point(ONE, word)
    scribe.dice(5, 2)
    expect(page.locator(".badge.unsent")).to_contain_text("2")
    assert page.evaluate("navigator.onLine") is True
    proxy.switch(Mode.UP)
    expect(page.locator(".badge.unsent")).to_be_hidden()
    entries = site.entries(match)
    assert [entry["tag"] for entry in entries] == [
        "match.opened",
        "game.started",
        "dice.opening_rolled",
        "play.made",
        "dice.rolled",
    ]
    states = {entry["context"]["signature_state"] for entry in entries[1:]}
    assert states == {"absent"}


@GAMES
def test_without_https_nothing_is_lost_nor_doubled_while_the_tab_stays_open(
    insecure: BrowserContext, site: Site, proxy: Proxy, seed: int
) -> None:
    match = site.open_match(length=2 if seed == SMALL else 1)
    page = insecure.new_page()
    open_tablet(page, site, match)
    scribe = Scribe(page)
    events = one_game(seed)
    turns = itertools.count()
    modes = itertools.cycle([Mode.BLACK_HOLE, Mode.DROP_RESPONSE])

    def fail_sometimes() -> None:
        turn = next(turns)
        if turn % 10 == 3:
            proxy.switch(next(modes))
        elif turn % 10 == 7:
            proxy.switch(Mode.UP)

    record(scribe, events, after_each=fail_sometimes)
    proxy.switch(Mode.UP)
    expect(page.locator(".between")).to_be_visible()
    scribe.settle()
    assert facts(recorded_on(site, match)) == facts(events)
    entries = site.entries(match)
    assert len({entry["entry_id"] for entry in entries}) == len(entries)
    # With the network there, a tab that is loaded anew has everything too.
    page.reload()
    expect(page.locator(".between")).to_be_visible()
    expect(page.locator(".badge.degraded")).to_be_visible()
    assert site.entries(match) == entries
