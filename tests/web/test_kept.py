"""Pages that tests reuse: what a test added to one is gone in the next, or the page is another."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request

from tests.web.conftest import NewContext

pytestmark = pytest.mark.warm

LOOK = "[window.one ?? null, window.two ?? null]"
ASK = "Promise.all(['/logs', '/health'].map((one) => fetch(one).then((a) => a.status, () => 0)))"


@pytest.fixture(scope="module")
def seen() -> list[Page]:
    """The page of the test before."""
    return []


@pytest.fixture(scope="module")
def heard() -> list[Request]:
    """What a page has asked for since a test listened to it."""
    return []


def test_a_page_may_be_given_scripts_routes_and_listeners(
    new_context: NewContext, seen: list[Page], heard: list[Request]
) -> None:
    context = new_context(expects_errors=True)
    page = context.new_page()
    context.add_init_script("window.one = 1")
    page.add_init_script("window.two = 2")
    page.on("request", lambda request: heard.append(request))
    context.route("**/logs", lambda route: route.abort())
    page.route("**/health", lambda route: route.abort())
    page.goto("/")
    assert page.evaluate(LOOK) == [1, 2]
    assert page.evaluate(ASK) == [0, 0]
    assert heard
    heard.clear()
    seen.append(page)


def test_the_next_test_has_the_same_page_without_them(
    new_context: NewContext, seen: list[Page], heard: list[Request]
) -> None:
    page = new_context().new_page()
    assert page is seen.pop()
    page.goto("/")
    assert page.evaluate(LOOK) == [None, None]
    assert page.evaluate(ASK) == [200, 200]
    assert heard == []
    page.clock.install()
    seen.append(page)


def test_a_page_with_a_clock_of_its_own_is_not_used_again(
    new_context: NewContext, seen: list[Page]
) -> None:
    assert new_context().new_page() is not seen.pop()
