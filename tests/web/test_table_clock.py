"""The clock between games, after a missed play, without a network, and stopped by the room."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, NewContext, Site, check_axe, shot
from tests.web.proxy import Mode, Proxy
from tests.web.tablet_rig import Scribe, open_tablet

pytestmark = pytest.mark.warm

TERMS = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
RUNNING = re.compile("running")


def begun(page: Page, site: Site, **opened: object) -> tuple[Scribe, str]:
    """A match in which Ada's time runs."""
    match_id = site.open_match(length=3, clock_terms=TERMS, **opened)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.press(TWO)
    scribe.settle()
    expect(page.locator('.player[data-seat="one"] .clock')).to_have_class(RUNNING)
    return scribe, match_id


def tags(site: Site, match_id: str) -> list[str]:
    return [entry["tag"] for entry in site.entries(match_id)]


def append(site: Site, match_id: str, tag: str, **body: object) -> None:
    """Somebody else records something."""
    entry = {"entry_id": f"0b5f5e0c-5f0e-4c7b-9d0e-{time.time_ns() % 10**12:012d}", "tag": tag}
    with site.http(site.director) as client:
        answer = client.post(
            f"/logs/{LOG}/matches/{match_id}/events",
            json={"entries": [{**entry, "body": body}]},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text


def test_between_games_the_key_says_that_the_clock_runs_on_and_stops_it_with_the_reason(
    page: Page, site: Site
) -> None:
    scribe, match_id = begun(page, site)
    append(site, match_id, "game.won", winner="one", points=1)
    key = page.locator("[data-act=clock]")
    expect(key).to_have_text("Stop clock")
    check_axe(page)
    shot(page, "clock-runs-on")
    scribe.key("clock")
    scribe.settle()
    last = site.entries(match_id)[-1]
    assert (last["tag"], last["body"]["reason"]) == ("clock.paused", "game_over")
    expect(key).to_have_text("Run clock")


def test_after_a_missed_play_the_plates_say_that_nobody_knows_and_ask_before_they_start(
    page: Page, site: Site
) -> None:
    scribe, match_id = begun(page, site)
    append(site, match_id, "play.unseen", seat="one")
    plate = page.locator('.player[data-seat="two"] .clock')
    expect(plate).to_contain_text("–:––")
    expect(plate).to_contain_text("read it")
    expect(plate).to_have_attribute("aria-label", re.compile("not known since a play was missed"))
    shot(page, "clock-unknown")
    before = len(tags(site, match_id))
    scribe.press(TWO)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    fields = dialog.locator("input")
    fields.nth(0).fill("5:00")
    fields.nth(1).fill("4:30")
    dialog.locator("button.primary").last.tap()
    expect(plate).to_contain_text("4:30")
    scribe.press(TWO)
    scribe.settle()
    added = site.entries(match_id)[before:]
    assert [entry["tag"] for entry in added] == ["clock.read", "clock.started"]
    assert added[0]["body"]["readings"] == {"one": 300_000, "two": 270_000}
    expect(page.locator('.player[data-seat="one"] .clock')).to_have_class(RUNNING)


@pytest.mark.service_worker
def test_a_press_in_a_dead_network_counts_and_a_reload_finds_the_clock_running(
    new_context: NewContext, site: Site, proxy: Proxy
) -> None:
    page = new_context(base_url=proxy.url, expects_errors=True).new_page()
    scribe, match_id = begun(page, site)
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    proxy.switch(Mode.DOWN)
    scribe.press(ONE)
    expect(page.locator('.player[data-seat="two"] .clock')).to_have_class(RUNNING)
    page.reload()
    expect(page.locator('.player[data-seat="two"] .clock')).to_have_class(RUNNING)
    proxy.switch(Mode.UP)
    expect(page.locator(".badge.unsent")).to_be_hidden()
    pressed = [entry for entry in site.entries(match_id) if entry["tag"] == "clock.pressed"]
    assert [entry["body"]["seat"] for entry in pressed] == ["one"]


def test_the_director_stops_all_clocks_with_one_key_and_lets_them_run_with_another(
    new_context: NewContext, site: Site, sign_in: Callable[[BrowserContext], None]
) -> None:
    tables = [(new_context().new_page(), name) for name in ("1", "2")]
    matches = [begun(page, site, table=name)[1] for page, name in tables]
    over = begun(new_context().new_page(), site, table="3")[1]
    body = {"seat": "two", "ground": "other", "by": "director"}
    lost = {"entry_id": str(uuid.uuid4()), "tag": "forfeit.declared", "body": body}
    with site.http(site.director) as client:
        path = f"/logs/{LOG}/matches/{over}/events"
        said = client.post(path, json={"entries": [lost]}, headers={"If-Match": "*"})
        assert said.status_code == 201, said.text
    context = new_context()
    sign_in(context)
    room = context.new_page()
    room.goto(f"/room/{LOG}")
    stop = room.get_by_role("button", name="Stop all clocks")
    expect(stop).to_be_visible()
    stop.tap()
    dialog = room.get_by_role("dialog", name="All clocks stopped")
    for name in ("1", "2"):
        expect(dialog).to_contain_text(f"Table {name}")
    check_axe(room)
    shot(room, "all-clocks-stopped")
    for page, _ in tables:
        expect(page.locator(".clock.running")).to_have_count(0)
    for match_id in matches:
        last = site.entries(match_id)[-1]
        assert last["tag"] == "clock.paused"
        assert last["body"]["reason"] == "all_clocks"
        assert last["body"]["by"] == "director"
        # On the time of the match: its delay is not over, so nothing of a reserve is used.
        assert 0 < last["body"]["at_ms"] < 300_000
    assert tags(site, over)[-1] == "forfeit.declared", "nobody plays there any more"
    dialog.get_by_role("button", name="Close").tap()
    expect(stop).to_be_hidden()
    room.reload()
    room.get_by_role("button", name="Let all clocks run again (2)").tap()
    expect(room.get_by_role("dialog", name="The clocks run again")).to_be_visible()
    for page, _ in tables:
        expect(page.locator('.player[data-seat="one"] .clock')).to_have_class(RUNNING)
    for match_id in matches:
        assert tags(site, match_id)[-2:] == ["clock.paused", "clock.resumed"]
        with site.http() as client:
            clock = client.get(f"/logs/{LOG}/matches/{match_id}/clock").json()
        assert "360000" in str(clock)


def test_a_table_whose_tablet_is_not_heard_is_named_and_left_alone(
    new_context: NewContext, site: Site, sign_in: Callable[[BrowserContext], None]
) -> None:
    page = new_context(expects_errors=True).new_page()
    _, match_id = begun(page, site, table="9")
    page.close()
    context = new_context()
    sign_in(context)
    room = context.new_page()
    room.add_init_script(
        "const real = fetch; window.fetch = async (...asked) => {"
        " const answer = await real(...asked);"
        " if (!String(asked[0]?.url ?? asked[0]).endsWith('/room') || answer.status !== 200)"
        " return answer;"
        " const told = await answer.json();"
        " for (const table of told.tables) if (table.device) table.device.seen_at -= 60000;"
        " return new Response(JSON.stringify(told), answer); }"
    )
    room.goto(f"/room/{LOG}")
    room.get_by_role("button", name="Stop all clocks").tap()
    dialog = room.get_by_role("dialog", name="All clocks stopped")
    expect(dialog.get_by_role("alert")).to_contain_text("not heard")
    expect(dialog).to_contain_text("Table 9")
    assert "clock.paused" not in tags(site, match_id)
