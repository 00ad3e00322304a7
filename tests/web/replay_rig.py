"""Matches for tests of the replay viewer: built by a test's table, appended through the API."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, expect

from events import catalogue
from events.envelope import RecordedEvent
from events.payloads import clock, dispute, play
from events.payloads.base import Actor
from events.payloads.custody import PublicationReleased
from events.values import CheckerMove, Seat
from projections.board.notation import parse
from tests.projections.table import Table
from tests.web.conftest import LOG, Site

PLAYERS = {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}

TWO_HOURS_MS = 7_200_000


def put(
    site: Site,
    events: Sequence[RecordedEvent],
    match_id: str,
    *,
    offline: range = range(0),
    **opening: Any,
) -> str:
    """Record these events as a match of Ada and Ben; returns its id.

    Versions in `offline` get times two hours before they are sent.
    """
    own = _own(match_id)
    first, *rest = events
    opened = {**_body(first, own), "players": PLAYERS, **opening}
    with site.http() as client:
        answer = client.post(
            f"/logs/{LOG}/matches",
            json={
                "opened": opened,
                "match_id": match_id,
                "entry_id": f"{own}-0000-4000-8000-000000000001",
            },
        )
        assert answer.status_code == 201, answer.text
    go_on(site, rest, match_id, offline=offline)
    return match_id


def go_on(
    site: Site, events: Sequence[RecordedEvent], match_id: str, *, offline: range = range(0)
) -> None:
    """Append these events to the match."""
    own, now = _own(match_id), site.archive.now_ms()
    entries = [
        {
            "entry_id": event.entry_id.replace("00000000-", f"{own}-", 1),
            "tag": event.tag,
            "body": _body(event, own),
            "basis": event.basis.value,
            "device": "tablet-7",
            "occurred_at": now - TWO_HOURS_MS if event.version in offline else now,
        }
        for event in events
    ]
    with site.http() as client:
        for start in range(0, len(entries), 500):
            answer = client.post(
                f"/logs/{LOG}/matches/{match_id}/events",
                json={"entries": entries[start : start + 500]},
                headers={"If-Match": f'"{events[start].version - 1}"'},
            )
            assert answer.status_code == 201, answer.text


def _own(match_id: str) -> str:
    """A part of entry ids that differs from match to match."""
    return f"{zlib.crc32(match_id.encode()):08x}"


def _body(event: RecordedEvent, own: str) -> dict[str, Any]:
    text = (
        catalogue.encode(event.payload).decode().replace("00000000-0000-4000", f"{own}-0000-4000")
    )
    found: dict[str, Any] = _without_commitments(json.loads(text))
    return found


def _without_commitments(value: Any) -> Any:
    """The same without personal values that are unknown: the API refuses empty commitments."""
    if isinstance(value, dict):
        return {
            key: _without_commitments(one)
            for key, one in value.items()
            if not (isinstance(one, dict) and one.keys() == {"sd"})
        }
    return [_without_commitments(one) for one in value] if isinstance(value, list) else value


def disputed_match(*, is_released: bool = False) -> Table:
    """A game with a void roll, an illegal play, a dispute, a ruling, and a scribe's corrections."""
    table = Table(3, rule_set="usbgf-2017-07").clock(360)
    table.game().opening(4, 4).opening(3, 1).play("one", "8/5 6/5").press("one", 9)
    table.void(seat="two").turn("two", 64, "24/14").press("two", 31)
    table.roll("one", 52)
    slip = table.play("one", "13/8 24/21").last
    table.press("one", 55).roll("two", 62)
    raised = table.record(
        dispute.DisputeRaised(by=Actor.TWO, frozen_at=slip, topic="play.legality", at_ms=80_000)
    ).last
    table.record(clock.ClockPaused(at_ms=81_000, reason="dispute"))
    table.record(dispute.DirectorCalled(by=Actor.TWO, at_ms=85_000))
    table.record(play.PlayIllegalityNoticed(target=slip, noticed_by=Actor.TWO))
    table.record(dispute.RulingMade(dispute=raised))
    table.record(clock.ClockResumed(seat=Seat.TWO, at_ms=400_000))
    table.play("two", "24/18 14/12").press("two", 420)
    table.roll("one", 21)
    table.retract(table.last)
    table.roll("one", 31).play("one", "6/5 8/5").press("one", 450)
    table.roll("two", 65)
    told = table.play("two", "18/7").last
    table.press("two", 470)
    table.amend(told, play.PlayMade(seat=Seat.TWO, moves=parse_moves("13/7 13/8")))
    table.double("one").drop("two")
    table.noted(1, 0, "one").noted(0, 1, "two")
    table.game().opening(2, 5).play("two", "13/8 13/11")
    table.double("one").take("two").roll("one", 66).play("one", "24/18(2) 13/7(2)")
    if is_released:
        table.record(PublicationReleased())
    return table


def second_scribe() -> Table:
    """Another scribe's record of the same match: a turn is missing, and a play differs."""
    table = Table(3, rule_set="usbgf-2017-07")
    table.game().opening(3, 1).play("one", "8/5 6/5")
    return (
        table.turn("two", 64, "24/14").turn("one", 52, "13/8 13/11").turn("two", 62, "24/18 14/12")
    )


def parse_moves(text: str) -> tuple[CheckerMove, ...]:
    """Checker moves from their notation."""
    return parse(text).moves


def long_match(entries: int) -> Table:
    """A match of many entries with clock presses, as in a whole evening."""
    table = Table(None).clock(10_000)
    at_s = 0
    while len(table.events) < entries:
        table.game().opening(3, 1).play("one", "8/5 6/5")
        for turn in range(10):
            seat = ("two", "one")[turn % 2]
            roll, text = ((64, "24/14"), (52, "13/8 13/11"))[turn % 2]
            at_s += 11
            table.turn(seat, roll, text).press(seat, at_s)
        table.resign("one").accept("two")
    return table


def open_replay(page: Page, match_id: str, suffix: str = "", *, within_s: int = 30) -> None:
    """The viewer of a match, fully loaded."""
    page.goto(f"/matches/{LOG}/{match_id}/replay{suffix}")
    expect(page.locator("#viewer[data-ready]")).to_be_visible(timeout=within_s * 1_000)


# What the page shows at a moment must not depend on how the reader got there.

SHOWN = """() => {
  const all = (selector, of) => [...document.querySelectorAll(selector)].map(of).join(' | ');
  const name = (one) => one.getAttribute('aria-label');
  const text = (one) => one.textContent;
  const slider = document.querySelector('[role=slider]');
  return {
    board: all('tb-board rect.column', name),
    checkers: document.querySelectorAll('tb-board .men > *').length,
    cube: all('tb-board .cube', (one) => `${name(one)} ${one.getAttribute('transform')}`),
    dice: all('tb-board .thrown', name),
    turn: all('tb-board .turn', (one) => one.getAttribute('y')),
    plates: all('.plate', (one) => `${one.className} ${one.textContent}`),
    running: all('.plate .clock.running', text),
    head: all('.entry-head > *', text),
    here: all('.entry-findings > *', text),
    findings: all('#findings li', text),
    tabs: all('.tabs button', (one) => `${one.hidden} ${one.getAttribute('aria-pressed')}`),
    note: all('#board-note', text),
    current: all('[aria-current=true]', (one) => one.dataset.version),
    slider: `${slider.getAttribute('aria-valuenow')} ${slider.getAttribute('aria-valuetext')}`,
    cursor: document.querySelector('.cursor').style.left,
  };
}"""
"""Everything that a reader sees of a moment."""

# Runs in the page, so that thousands of steps by keys and addresses take only seconds.
_LAW = """async ([shown, jumps]) => {
  const look = eval(shown);
  const settle = () => new Promise((done) => queueMicrotask(() => queueMicrotask(done)));
  const press = async (key, shiftKey = false) => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, shiftKey, bubbles: true}));
    await settle();
  };
  const buttons = [...document.querySelectorAll('button.entry')];
  const versions = buttons.map((one) => one.dataset.version);
  const stepped = {};
  await press('Home');
  stepped[versions[0]] = look();
  for (const version of versions.slice(1)) {
    await press('ArrowRight');
    stepped[version] = look();
  }
  const wrong = [];
  const check = (way, version) => {
    const now = look();
    const wanted = stepped[version ?? now.current];
    for (const part of Object.keys(now)) {
      if (now[part] === wanted[part]) continue;
      wrong.push(`${way} ${version ?? now.current}: ${part}: ${now[part]} / ${wanted[part]}`);
    }
    return now.current;
  };
  // In an order in which every jump goes over many entries, to and fro.
  const every = Math.ceil(versions.length / jumps);
  const far = versions.map((_, k) => (k * 37) % versions.length);
  const places = [...new Set([...far, ...versions.keys()])].filter((k) => k % every === 0);
  for (const k of places) {
    location.hash = `#v${versions[k]}`;
    window.dispatchEvent(new HashChangeEvent('hashchange', { newURL: location.href }));
    await settle();
    check('link', versions[k]);
  }
  for (const k of places.reverse()) {
    buttons[k].click();
    await settle();
    check('list', versions[k]);
  }
  // By turns, by games and by disputes, from one end to the other and back.
  const reached = {};
  for (const [edge, key, shift] of [
    ['Home', 'PageDown'], ['End', 'PageUp'], ['Home', 'd'], ['End', 'D', true],
    ['Home', 'ArrowRight', true], ['End', 'ArrowLeft', true], ['End', 'ArrowLeft'],
  ]) {
    // Back by single steps is as long a way as there: in a long match only the last of them.
    let left = key === 'ArrowLeft' && !shift ? jumps : versions.length;
    await press(edge);
    let last = check(edge, edge === 'Home' ? versions[0] : versions.at(-1));
    for (; left > 0; left -= 1) {
      await press(key, shift);
      const now = check(key, null);
      if (now === last) break;
      last = now;
      reached[key] = (reached[key] ?? 0) + 1;
    }
  }
  return {stepped, wrong, reached, jumps: places.length};
}"""

Shown = dict[str, Any]


def shown_on(page: Page) -> Shown:
    """Everything that a reader sees now."""
    found: Shown = page.evaluate(SHOWN)
    return found


def stepped_through(page: Page, *, jumps: int) -> dict[str, Shown]:
    """What the page shows at each entry, by version, reached step by step.

    Jumps by address, list and keys must show the same; `jumps` limits to how many entries.
    """
    law = page.evaluate(_LAW, [SHOWN, jumps])
    stepped: dict[str, Shown] = law["stepped"]
    assert law["wrong"] == []
    assert law["jumps"] >= min(jumps, len(stepped)) // 2
    assert law["reached"]["PageDown"] == law["reached"]["PageUp"] >= 1
    assert law["reached"]["ArrowRight"] > 10
    assert law["reached"]["ArrowLeft"] > 10
    return stepped


def jump_on_the_timeline(page: Page, stepped: dict[str, Shown], *, spots: int) -> None:
    """Seek by pointer and by the slider's keys: each moment must look as it does by steps."""
    slider = page.get_by_role("slider", name="Timeline")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    seen = set()
    # Back and forth: the second half of the places lies between those of the first.
    for spot in sorted(range(spots), key=lambda one: (one % 2, one)):
        page.mouse.click(
            box["x"] + 1 + (box["width"] - 2) * spot / (spots - 1), box["y"] + box["height"] / 2
        )
        now = shown_on(page)
        seen.add(now["current"])
        assert now == stepped[now["current"]]
    assert len(seen) > spots // 2
    slider.focus()
    for key in ("Home", "PageDown", "ArrowRight", "Shift+ArrowRight", "End", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
        now = shown_on(page)
        assert now == stepped[now["current"]]
