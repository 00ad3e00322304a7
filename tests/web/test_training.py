"""Training: the recorder over a match in memory, guided by what the learner does."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from events.values import ONE, TWO
from tests.web.conftest import NewContext, Site, check_axe
from tests.web.tablet_rig import Scribe, draw, open_tablet

pytestmark = pytest.mark.warm

STEPS = ("opening", "play", "turn", "reroll", "question", "again", "cube", "illegal", "undo")


def begin(page: Page, language: str = "en") -> Scribe:
    page.goto(f"/tablet?training&lang={language}")
    page.locator(".training-bar").wait_for()
    return Scribe(page)


def at_step(page: Page, number: int) -> None:
    expect(page.locator(".training-bar .badge")).to_have_text(f"{number}/{len(STEPS)}")


def test_training_leads_once_through_turn_reroll_cube_and_illegal_play(
    page: Page, site: Site
) -> None:
    asked: list[Request] = []
    scribe = begin(page)
    page.on("request", lambda one: asked.append(one))
    expect(page.locator(".training-bar .mark")).to_contain_text("nothing is recorded")
    at_step(page, 1)
    scribe.opening(3, 1)
    at_step(page, 2)
    for word in ("5", "5"):
        scribe.point(ONE, word)
    scribe.key("played")
    at_step(page, 3)
    scribe.dice(4, 2)
    for word in ("4", "4"):
        scribe.point(TWO, word)
    scribe.key("played")
    at_step(page, 4)
    scribe.dice(6, 5)
    scribe.key("roll_again")
    page.get_by_role("dialog").get_by_role("button", name="Off the board", exact=True).tap()
    at_step(page, 5)
    scribe.dice(5, 2)
    scribe.dice(6, 1)
    keys = page.locator(".question button")
    expect(keys).to_have_text(["No play made", "Roll mistyped", "Not seen"])
    # Another answer than the one that leads on is taken back, and asked for again.
    scribe.key("nothing")
    expect(page.locator(".question")).to_be_hidden()
    at_step(page, 5)
    scribe.key("undo")
    scribe.key("mistyped")
    at_step(page, 6)
    for word in ("7", "7"):
        scribe.point(ONE, word)
    scribe.key("played")
    at_step(page, 7)
    scribe.key("double")
    scribe.key_of(ONE, "take")
    at_step(page, 8)
    scribe.dice(3, 1)
    for word in ("free", "24", "18", "played"):
        scribe.say(TWO, word)
    at_step(page, 9)
    scribe.key("undo")
    scribe.key("undo")
    expect(page.locator(".training-bar .say")).to_contain_text("That was all of it")
    # Neither server nor store has heard of it.
    sent = [one.url for one in asked if "/static/" not in one.url]
    assert sent == []
    kept = page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))")
    assert kept == []
    with site.http() as client:
        assert client.get("/logs/open/matches").json()["matches"] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_step_can_be_skipped_and_all_of_it_begun_again(page: Page, language: str) -> None:
    begin(page, language)
    said = page.locator(".training-bar .say")
    told: list[str] = []
    for number in range(1, len(STEPS) + 1):
        at_step(page, number)
        told.append(said.text_content() or "")
        page.locator('[data-act="training_skip"]').tap()
    expect(page.locator('[data-act="training_skip"]')).to_be_hidden()
    told.append(said.text_content() or "")
    assert len(set(told)) == len(STEPS) + 1
    assert not [one for one in told if "training." in one or "{" in one]
    page.locator('[data-act="training_restart"]').tap()
    at_step(page, 1)
    expect(page.locator(".opening")).to_be_visible()


def test_training_is_offered_before_a_code_and_left_to_it(page: Page) -> None:
    page.goto("/tablet")
    page.locator('[data-act="training"]').tap()
    page.locator(".training-bar").wait_for()
    check_axe(page)
    page.locator('[data-act="training_leave"]').tap()
    expect(page.locator("#code")).to_be_visible()


def test_the_menu_offers_training_beside_a_match_whose_time_it_leaves_alone(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    link = page.get_by_role("dialog").locator('[data-act="training"]')
    page.locator('[data-act="menu"]').tap()
    # No game goes on: there is nothing that it could take anybody away from.
    assert link.get_attribute("target") is None
    page.keyboard.press("Escape")
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    page.locator('[data-act="menu"]').tap()
    expect(link).to_contain_text("in a window of its own")
    with page.context.expect_page() as opened:
        link.tap()
    apart = opened.value
    apart.locator(".training-bar").wait_for()
    other = Scribe(apart)
    other.opening(3, 1)
    at_step(apart, 2)
    apart.locator('[data-act="menu"]').tap()
    expect(apart.get_by_role("dialog")).to_be_visible()
    expect(apart.get_by_role("dialog").locator('[data-act="training"]')).to_have_count(0)
    apart.close()
    kept = page.evaluate("localStorage.getItem('tabularium.time')")
    assert match_id in kept
    page.keyboard.press("Escape")
    expect(page.locator(".next")).to_have_text("Ada to play")
    assert site.entries(match_id)[-1]["tag"] == "dice.opening_rolled"


@pytest.mark.service_worker
def test_training_that_was_opened_once_opens_without_a_network(
    new_context: NewContext, site: Site
) -> None:
    page = new_context().new_page()
    page.goto("/tablet")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.goto("/tablet?training")
    page.locator(".training-bar").wait_for()
    page.context.set_offline(True)
    page.goto("/tablet?training")
    page.locator(".training-bar").wait_for()
    draw(page)
    at_step(page, 1)


def test_on_a_phone_the_question_lies_over_no_key(new_context: NewContext) -> None:
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    scribe = begin(page)
    scribe.opening(3, 1)
    scribe.dice(4, 2)
    question = page.locator(".question")
    expect(question).to_be_visible()
    draw(page)
    box = question.bounding_box()
    calls = page.locator(".keys.calls").bounding_box()
    assert box is not None
    assert calls is not None
    assert box["height"] > 90
    assert box["y"] + box["height"] <= calls["y"]


def test_a_cold_start_brings_nothing_of_the_training(page: Page) -> None:
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/tablet")
    expect(page.locator("#code")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "training" in url] == []
