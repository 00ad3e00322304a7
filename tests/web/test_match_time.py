"""The time of acts when a clock was changed, with a network and without."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.conftest import NewContext, Site
from tests.web.tablet_rig import Scribe, open_tablet

pytestmark = pytest.mark.service_worker

HOUR_MS = 3_600_000

LONG_MS = 120_000
"""Far longer than a test takes, and far shorter than a jump."""

JUMPY = """() => {
  const now = Date.now.bind(Date);
  Date.now = () => now() + Number(localStorage.getItem("test.by") ?? 0);
}"""
"""A clock that is wrong by what the page has kept."""


class Table:
    """A tablet whose clock can be changed, and what it has recorded."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page, self.site = page, site
        page.context.add_init_script(f"({JUMPY})()")
        self.match_id = site.open_match(length=3)
        open_tablet(page, site, self.match_id)
        self.scribe = Scribe(page)
        self.scribe.key("next_game")
        self.scribe.opening(6, 1)
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        page.wait_for_function(
            """async () => {
              const keys = await caches.keys();
              const cache = keys.length > 0 && (await caches.open(keys[0]));
              return cache && (await cache.match("/tablet")) !== undefined;
            }"""
        )

    def change(self, by_ms: int) -> None:
        """The clock is changed while the page is open."""
        self.page.evaluate("(by) => localStorage.setItem('test.by', by)", by_ms)

    def change_while_closed(self, by_ms: int) -> None:
        """The clock is changed before the page is loaded again."""
        self.page.evaluate(
            "(by) => addEventListener('pagehide', () => localStorage.setItem('test.by', by))", by_ms
        )

    def reload(self, *, offline: bool) -> None:
        self.page.context.set_offline(offline)
        self.page.reload()
        expect(self.page.locator(".next")).not_to_have_text("")
        if not offline:
            self.heard()

    def back_online(self) -> None:
        self.page.context.set_offline(False)
        self.heard()

    def heard(self) -> None:
        """The server has told its time."""
        with self.page.expect_response("**/assignment**"):
            pass
        expect(self.page.locator(".age")).to_have_text("just now")
        with self.page.expect_response("**/assignment**"):
            pass

    def mark(self) -> None:
        """An entry with a time: another one, and not the second touch of one finger."""
        self.page.wait_for_function("() => !(performance.now() - window.markedAt < 600)")
        self.scribe.key("mark")
        self.page.evaluate("() => { window.markedAt = performance.now(); }")
        expect(self.page.locator(".tick.here")).to_contain_text("✓")

    def entries(self) -> list[dict[str, Any]]:
        self.scribe.settle()
        return self.site.entries(self.match_id)

    def times(self) -> list[int]:
        return [entry["body"]["at_ms"] for entry in self.entries() if "at_ms" in entry["body"]]

    def doubts(self) -> int:
        """Marks that the tablet itself has made."""
        return sum(entry["basis"] == "device" for entry in self.entries())


@pytest.fixture
def table(new_context: NewContext, site: Site) -> Table:
    return Table(new_context(expects_errors=True).new_page(), site)


@pytest.mark.parametrize("offline", [False, True], ids=["online", "offline"])
def test_a_clock_changed_while_the_page_is_open_moves_no_time_even_after_a_reload(
    table: Table, offline: bool
) -> None:
    for acts, by_ms in ((5, HOUR_MS), (8, -HOUR_MS)):
        table.change(by_ms)
        table.mark()
        table.reload(offline=offline)
        table.mark()
        if offline:
            table.back_online()
        table.mark()
        times = table.times()
        assert len(times) == acts
        assert times == sorted(times)
        assert times[-1] - times[0] < LONG_MS
        assert table.doubts() == 0


def test_a_clock_changed_while_the_page_was_closed_is_put_right_by_the_servers(
    table: Table,
) -> None:
    for by_ms in (HOUR_MS, -HOUR_MS):
        table.change_while_closed(by_ms)
        table.reload(offline=False)
        table.mark()
        times = table.times()
        assert times == sorted(times)
        assert times[-1] - times[0] < LONG_MS
        assert table.doubts() == 0


def test_a_clock_set_back_while_the_page_was_closed_is_marked_where_no_server_is_heard(
    table: Table,
) -> None:
    table.change_while_closed(-HOUR_MS)
    table.reload(offline=True)
    table.mark()
    table.mark()
    table.back_online()
    table.mark()
    times = table.times()
    assert times == sorted(times)
    assert times[-1] - times[0] < LONG_MS
    assert table.doubts() == 1


def test_a_clock_set_forward_without_a_server_is_believed_then_marked_and_time_goes_on(
    table: Table,
) -> None:
    table.change_while_closed(HOUR_MS)
    table.reload(offline=True)
    table.mark()
    table.back_online()
    table.mark()
    table.reload(offline=False)
    table.mark()
    times = table.times()
    assert times == sorted(times)
    believed = next(time for time in times if time - times[0] > LONG_MS)
    assert HOUR_MS <= believed - times[0] < HOUR_MS + LONG_MS
    # Nothing goes back, and nothing waits an hour until the clock has caught up.
    assert believed < times[-1] < believed + LONG_MS
    assert table.doubts() == 1


@pytest.mark.parametrize("slept", [True, False], ids=["tablet slept", "server changed"])
def test_the_servers_time_is_taken_over_where_the_tablets_clock_agrees_that_it_slept(
    table: Table, slept: bool
) -> None:
    def ahead(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        told["server_time_ms"] += HOUR_MS
        route.fulfill(response=answer, json=told)

    if slept:
        table.change(HOUR_MS)
    table.page.route("**/assignment**", ahead)
    table.heard()
    table.mark()
    times = table.times()
    assert times == sorted(times)
    passed = times[-1] - times[0]
    assert HOUR_MS - LONG_MS < passed < HOUR_MS + LONG_MS if slept else passed < LONG_MS


def test_a_tablet_with_a_wrong_clock_gives_the_servers_time(
    new_context: NewContext, site: Site
) -> None:
    context = new_context()
    context.add_init_script(f"Date.now = ((now) => () => now() - {HOUR_MS})(Date.now.bind(Date))")
    match_id = site.open_match(length=3)
    page = context.new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.settle()
    assert 0 <= site.entries(match_id)[-1]["body"]["at_ms"] < LONG_MS
