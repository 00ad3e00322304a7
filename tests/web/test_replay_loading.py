"""How the replay page loads: nothing moves meanwhile, and closed parts are not fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.web.conftest import Site
from tests.web.replay_rig import long_match, open_replay, put
from tests.web.tablet_rig import draw

MOST_SHIFT = 0.1
"""Cumulative layout shift up to which a page counts as steady (web.dev/cls)."""

OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    if (!one.hadRecentInput) {
      const nodes = one.sources.map(({node}) => node?.className || node?.id || node?.nodeName);
      window.shifts.push([one.value, nodes.join(' ')]);
    }
  }
}).observe({ type: 'layout-shift', buffered: true });
"""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_nothing_jumps_while_a_long_match_loads(
    site: Site, new_context: Callable[..., Any], size: tuple[int, int]
) -> None:
    match_id = put(site, long_match(600).events, f"steady-{size[0]}", publication={"public": True})
    context = new_context(viewport={"width": size[0], "height": size[1]})
    page: Page = context.new_page()
    page.add_init_script(OBSERVE)
    open_replay(page, match_id)
    page.wait_for_load_state("networkidle")
    draw(page)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) <= MOST_SHIFT, shifts


LATE = ("provenance.js", "found.js", "help.js", "beside.js", "/alignment")
"""Modules, and an answer, of what is shown only when a reader opens it."""


def test_what_nobody_opened_is_not_loaded(site: Site, new_context: Callable[..., Any]) -> None:
    match_id = put(site, long_match(60).events, "unopened", publication={"public": True})
    page: Page = new_context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_replay(page, match_id)
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if url.endswith(LATE)]
    page.keyboard.press("?")
    page.locator("dialog ul.keys").wait_for()
    assert [url for url in asked if url.endswith("help.js")]
    page.keyboard.press("Escape")
    with page.expect_response("**/alignment"):
        page.locator("#beside > summary").click()
    assert [url for url in asked if url.endswith("beside.js")]
