"""A match in the director's room: every entry in words, and a running clock."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from playwright.sync_api import Browser, Locator, Page, Route, expect

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import dispute
from events.payloads.base import Payload
from events.payloads.match import MatchOpened
from events.values import BySeat
from projections.replay import replay
from projections.views.discretion import EVERYTHING
from projections.views.scenes import scenes
from tests.events.catalogue.strategies import payloads
from tests.projections.playthroughs import home_match
from tests.projections.table import ENTRY
from tests.web import modules
from tests.web.conftest import LOG, NewContext, Site, check_axe, shot
from tests.web.device_rig import wait_until
from tests.web.replay_rig import put
from tests.web.test_room import SignIn, enter, record

pytestmark = pytest.mark.warm

PANEL = """async (text) => {
  const { loadTexts } = await import("/static/shared/texts.js");
  await loadTexts("room", "panel", "board", "tablet", "entry", "entry_told", "replay", "words");
  const { momentCard } = await import("/static/room/moment.js");
  const { drawBoard, drawPlate } = await import("/static/room/table.js");
  const { branchesCard } = await import("/static/room/custody.js");
  const names = { one: "Ada", two: "Ben" };
  const context = { room: () => null, tableOf: () => ({ names }) };
  const board = document.createElement("tb-board");
  const place = document.createElement("p");
  return JSON.parse(text).flatMap(([scene, entry]) => {
    try {
      drawBoard(board, scene, [scene], names);
      drawPlate(place, "one", scene, names);
      const item = { ...entry, entry_id: "an entry", device_seq: 1, reason: "stale_lease" };
      branchesCard(context, "a match", [{ device: "a tablet", items: [item] }], new Map());
      const told = momentCard(scene, entry, names).textContent;
      return /undefined|\\[object/.test(told) ? [`${entry.tag}: ${told}`] : [];
    } catch (error) {
      return [`${entry.tag}: ${error}`];
    }
  });
}"""
"""What goes wrong where the room shows these entries, one after the other."""


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    return context.new_page()


@pytest.fixture(scope="module")
def alone(chromium: Browser) -> Iterator[Page]:
    """A page with the room's modules and no server."""
    with modules.served() as url:
        page = chromium.new_page()
        page.goto(url)
        yield page
        page.close()


@pytest.fixture
def panel(alone: Page) -> Callable[[list[Any]], list[str]]:
    """What goes wrong in the room's panel over these scenes and entries."""
    return lambda shown: list(alone.evaluate(PANEL, json.dumps(shown)))


CLOCKS = """async ([taken, entries]) => {
  const { clocksAfter } = await import("/static/room/custody.js");
  return clocksAfter(taken, new Map(entries.map((entry) => [entry.version, entry])));
}"""


def test_time_that_was_given_meanwhile_is_not_lost_with_the_readings_of_parked_entries(
    alone: Page,
) -> None:
    pressed = {"tag": "clock.pressed", "body": {"readings": {"one": 300_000, "two": 200_000}}}
    parked = [{"tag": "dice.rolled", "body": {}, "expected_version": 7}, pressed]

    def adjusted(version: int, seat: str, amount_ms: int) -> dict[str, Any]:
        body = {"seat": seat, "amount_ms": amount_ms}
        entry_id = f"given-{version}"
        return {"entry_id": entry_id, "version": version, "tag": "clock.adjusted", "body": body}

    given = [adjusted(7, "one", 60_000), adjusted(8, "two", 120_000), adjusted(9, "one", -30_000)]
    assert alone.evaluate(CLOCKS, [parked, given]) == {"one": 270_000, "two": 320_000}
    back = {"entry_id": "b", "version": 10, "tag": "entry.retracted", "body": {"target": "given-8"}}
    assert alone.evaluate(CLOCKS, [parked, [*given, back]]) == {"one": 270_000, "two": 200_000}
    assert alone.evaluate(CLOCKS, [parked, given[:1]]) is None
    assert alone.evaluate(CLOCKS, [parked[:1], given]) is None


def shown_with(payload: Payload) -> tuple[Any, Any]:
    """The scene and the entry of a match that is opened, and then this."""
    opened: Payload = MatchOpened(players=BySeat((), ()), length=5)
    events = [
        RecordedEvent(place, ENTRY.format(place), catalogue.tag_of(one)[0], Basis.OBSERVED, one)
        for place, one in enumerate([opened, payload], start=1)
    ]
    body = json.loads(catalogue.encode(payload))
    entry = {"tag": events[1].tag, "version": 2, "body": body, "disclosures": {}}
    return scenes(replay(events), EVERYTHING)[-1], entry


def test_no_entry_of_any_kind_kills_the_directors_panel(
    panel: Callable[[list[Any]], list[str]],
) -> None:
    shown: list[Any] = []
    kinds = [kind for kind in catalogue.KINDS if kind.payload is not MatchOpened]
    for kind in kinds:

        @settings(
            max_examples=4,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(payloads(kind.payload))
        def fill(payload: Payload) -> None:
            shown.append(shown_with(payload))

        fill()
    assert {entry["tag"] for _, entry in shown} == {kind.tag for kind in kinds}
    assert panel(shown) == []


def test_the_panel_says_the_readings_of_a_dispute_and_takes_those_of_a_clock_for_times(
    director: Page, site: Site
) -> None:
    match = site.open_match(table="2")
    record(
        site,
        match,
        ("clock.set", {"kind": "simple", "reserve_ms": {"one": 60_000, "two": 60_000}}),
        ("game.started", {}),
        ("clock.started", {"seat": "one", "at_ms": 0}),
        (
            "clock.pressed",
            {"seat": "one", "at_ms": 9_000, "readings": {"one": 51_000, "two": 60_000}},
        ),
    )
    director.goto(f"/room/{LOG}#{match}/5")
    expect(director.locator(".moment")).to_contain_text("Ada presses the clock")
    expect(director.get_by_role("button", name="Penalty points")).to_be_visible()
    check_axe(director)


def test_a_director_steps_over_every_entry_of_a_match(director: Page, site: Site) -> None:
    events = home_match().events
    match = put(site, events, "stepped-over", table="3")
    director.goto(f"/room/{LOG}#{match}")
    expect(director.locator(".moment h3")).to_have_text(f"Entry {len(events)}")
    told = director.evaluate(
        """() => {
          const told = [];
          for (;;) {
            told.push(document.querySelector(".moment h3").textContent);
            const back = document.querySelector(".steps button");
            if (back.disabled) return told;
            back.click();
          }
        }"""
    )
    assert told == [f"Entry {place}" for place in range(len(events), 0, -1)]
    assert any(isinstance(event.payload, dispute.DirectorCalled) for event in events)
    expect(director.locator(".case [role=alert]")).to_have_count(0)


@pytest.mark.parametrize(
    ("locale", "played", "stayed"),
    [
        ("en-GB", "Ada: Play 24/18 13/10", "Ben: Play no checker moved"),
        ("de-DE", "Ada: Zug 24/18 13/10", "Ben: Zug kein Stein gezogen"),
    ],
)
def test_the_hall_says_who_played_and_what(
    new_context: NewContext, sign_in: SignIn, site: Site, locale: str, played: str, stayed: str
) -> None:
    context = new_context(locale=locale)
    sign_in(context)
    page = context.new_page()
    match = site.open_match(table="4")
    record(
        site,
        match,
        ("game.started", {}),
        ("dice.opening_rolled", {"one": 6, "two": 3}),
        ("play.made", {"seat": "one", "moves": [[24, 18], [13, 10]]}),
    )
    enter(page)
    expect(page.get_by_role("article")).to_contain_text(played)
    record(
        site,
        match,
        ("dice.rolled", {"seat": "two", "dice": [6, 6]}),
        ("play.made", {"seat": "two", "moves": []}),
    )
    expect(page.get_by_role("article")).to_contain_text(stayed)


def answering(page: Page, site: Site, **table: Any) -> dict[str, Any]:
    """The room's answer, whose time the test sets; its one table is changed as `table` says."""
    with site.http(site.director) as client:
        room: dict[str, Any] = client.get(f"/logs/{LOG}/room").json()
    room["tables"][0].update(table)

    def answer(route: Route) -> None:
        etag = f'"{room["server_time_ms"]}"'
        if route.request.headers.get("if-none-match") == etag:
            route.fulfill(status=304)
        else:
            route.fulfill(json=room, headers={"ETag": etag})

    page.route(f"**/logs/{LOG}/room", answer)
    return room


def seconds_of(place: Locator) -> int:
    """Seconds on a clock, which stands while the test does not move the page's time."""
    expect(place).to_have_text(re.compile(r"^\d+:\d\d$"))
    minutes, seconds = place.inner_text().split(":")
    return int(minutes) * 60 + int(seconds)


@pytest.fixture
def started(site: Site) -> str:
    """A match whose clock was started for Ada: eighteen minutes, twelve seconds a turn."""
    match = site.open_match(table="5")
    reserve = {"one": 1_080_000, "two": 1_080_000}
    record(
        site,
        match,
        ("clock.set", {"kind": "simple", "reserve_ms": reserve, "delay_ms": 12_000}),
        ("game.started", {}),
        ("clock.started", {"seat": "one", "at_ms": 0}),
    )
    return match


def test_a_clock_that_runs_is_counted_down_in_the_hall_at_the_table_and_in_the_dialog(
    director: Page, site: Site, started: str
) -> None:
    lease = {"number": 1, "device": "tablet-1", "profile": "no_assist"}
    room = answering(director, site, lease=lease)
    since = room["tables"][0]["clock"]["running_since"]
    # Heard of until the end: the time of a tablet that is silent for 20 seconds is not believed.
    heard = {"id": "tablet-1", "seen_at": since + 600_000, "unsent": 0}
    room["tables"][0]["device"] = heard
    room["server_time_ms"] = since + 20_000
    director.clock.install()
    enter(director)
    # Far enough ahead that a busy machine is there in time.
    director.clock.pause_at(director.evaluate("Date.now() / 1000 + 30"))
    room["server_time_ms"] = since + 342_000
    card = director.get_by_role("article")
    passed = itertools.count()

    def is_heard() -> bool:
        # By seconds: the answer to a question asked before may come first.
        next(passed)
        director.clock.run_for(1_000)
        return seconds_of(card.locator(".time").first) <= 750

    wait_until(director, is_heard)
    # 342 seconds less the delay of 12, and what passed on the page since it heard that.
    shown = seconds_of(card.locator(".time").first)
    assert 750 - next(passed) <= shown <= 750
    expect(card.locator(".time").last).to_have_text("18:00")
    director.clock.run_for(5_000)
    assert seconds_of(card.locator(".time").first) == shown - 5
    card.get_by_role("link", name="Ada").tap()
    plate = director.locator(".plate").filter(has_text="Ada").locator(".time")
    director.clock.run_for(1_000)  # Nothing is drawn anew in the moment of a tap.
    assert seconds_of(plate) == shown - 6
    director.clock.run_for(9_000)
    assert seconds_of(plate) == shown - 15
    director.get_by_role("button", name="Give or take time").tap()
    times = director.get_by_role("dialog").locator(".time")
    assert seconds_of(times.first) == shown - 15
    director.clock.run_for(15_000)
    assert seconds_of(times.first) == shown - 30
    expect(times.last).to_have_text("18:00")
    director.get_by_role("button", name="Cancel").tap()
    # At an entry gone by the clock stands as it stood.
    director.get_by_role("button", name="One entry back").tap()
    director.clock.run_for(1_000)
    expect(plate).to_have_text("18:00")
    director.clock.resume()
    check_axe(director)
    director.get_by_role("button", name="Give or take time").tap()
    shot(director, "clock-dialog")


def test_a_clock_that_nobody_records_any_more_does_not_count_on(
    director: Page, site: Site, started: str
) -> None:
    room = answering(director, site)
    assert room["tables"][0]["lease"] is None
    room["server_time_ms"] = room["tables"][0]["last"]["received_at"] + 60_000
    enter(director)
    card = director.get_by_role("article")
    expect(card).to_contain_text("clock as at the last press")
    expect(card.locator(".time")).to_have_text(["18:00", "18:00"])


def test_a_clock_of_which_nothing_has_been_heard_is_said_to_be_that_of_the_last_press(
    director: Page, site: Site, started: str
) -> None:
    lease = {"number": 1, "device": "tablet-1", "profile": "no_assist"}
    silent = {"id": "tablet-1", "seen_at": None, "unsent": None}
    answering(director, site, lease=lease, device=silent)
    enter(director)
    card = director.get_by_role("article")
    expect(card).to_contain_text("clock as at the last press")
    expect(card.locator(".time")).to_have_text(["18:00", "18:00"])
    check_axe(director)
    shot(director, "hall-last-press")
    card.get_by_role("link", name="Ada").tap()
    plate = director.locator(".plate").filter(has_text="Ada")
    expect(plate).to_contain_text("clock as at the last press")
    expect(plate.locator(".time")).to_have_text("18:00")
    shot(director, "case-last-press")
