"""The tablet's screen measured: what a turn needs is in sight, large enough, whole, at any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import NewContext, Site, shot
from tests.web.fonts import NARROW, WIDE
from tests.web.tablet_rig import Scribe, draw, open_tablet

CLOCK = {"kind": "simple", "reserve_ms": 720_000, "delay_ms": 12_000}

PLAYERS = {
    "one": [{"name": "Bartholomäus Grünewald-Österreicher"}],
    "two": [{"name": "Ida Berg"}],
}

TABLETS = [(1024, 768), (768, 1024), (1180, 820), (1280, 752)]
PHONE = (390, 844)

MEASURE = """([least, whole]) => {
  const found = [];
  const root = document.querySelector(".recorder");
  const seen = (e) => e.checkVisibility({visibilityProperty: true}) && !e.closest(".unseen");
  const told = (e) => `${e.tagName.toLowerCase()}.${e.getAttribute("class") ?? ""} ` +
    `${e.dataset.act ?? e.dataset.dice ?? e.dataset.place ?? ""} ` +
    `"${(e.textContent ?? "").trim().slice(0, 40)}"`;
  const boxOf = (e) => e.getBoundingClientRect();
  const {innerWidth: wide, innerHeight: high} = window;
  const needed = [...root.querySelectorAll(
    ".bar .title, .bar button, .player .name, .player .score, .player .clock, .plate > *, " +
    "tb-board rect[data-place], .next, .area button, .area p, .panel .keys button, .ask button")]
    .filter(seen);
  const keys = needed.filter((e) => e.matches("button, rect"));
  for (const e of needed) {
    const {left, right, top, bottom} = boxOf(e);
    if (whole && (left < -1 || top < -1 || right > wide + 1 || bottom > high + 1)) {
      found.push(`outside: ${told(e)} ${[left, top, right, bottom].map(Math.round)}`);
    }
    if (left < -1 || right > wide + 1) found.push(`too wide: ${told(e)} ${left} ${right}`);
  }
  for (const e of keys) {
    const {width, height} = boxOf(e);
    if (Math.min(width, height) < least - 0.5) {
      found.push(`small: ${told(e)} ${Math.round(width)}x${Math.round(height)}`);
    }
  }
  // Words that do not fit into the box that they stand in.
  const texts = [...root.querySelectorAll("button, p, h1, span, li, b")].filter(seen)
    .filter((e) => e.textContent.trim() !== "" && !e.closest("svg, .sign, .words"))
    .filter((e) => e.clientWidth > 0);
  for (const e of texts) {
    // A name, and where the table is, end in dots where they are too long for any line.
    if (e.matches(".name, .title, .title span, .side, .calm, .degraded")) continue;
    if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2) {
      found.push(`cut: ${told(e)} ${e.scrollWidth}>${e.clientWidth} ` +
        `${e.scrollHeight}>${e.clientHeight}`);
    }
  }
  // Nothing that is read or tapped lies on anything else that is.
  const apart = [...root.querySelectorAll(
    ".bar .title b, .bar .tick, .bar .age, .bar .badge, .bar button, .player .name, " +
    ".player .score, .player .turn, .player .clock, .plate > *, tb-board, .next, .area button, " +
    ".area p, .so-far .die, .panel .keys button")].filter(seen)
    .filter((e) => boxOf(e).width > 0 && !e.closest(".sign"));
  for (const [at, one] of apart.entries()) {
    for (const other of apart.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const a = boxOf(one);
      const b = boxOf(other);
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1) found.push(`overlap: ${told(one)} and ${told(other)}`);
    }
  }
  const main = document.querySelector("main");
  if (main.scrollWidth > main.clientWidth) found.push(`the page is ${main.scrollWidth} wide`);
  if (whole && main.scrollHeight > main.clientHeight) {
    found.push(`the page is ${main.scrollHeight} high on ${main.clientHeight}`);
  }
  return found;
}"""
"""What is wrong with the screen: outside of it, small, cut off, or on top of something else."""


class State(NamedTuple):
    """One state of the table, as the tablet shows it."""

    name: str
    needs: tuple[str, ...]
    """Selectors of what has to be seen in it."""


def walk(page: Page, site: Site, match_id: str) -> Iterator[State]:
    """A match through every state of the screen; the page stands in the state that is yielded."""
    scribe = Scribe(page)
    keys = ('[data-act="played"]', '[data-act="undo"]', '[data-act="double"]')
    turn = (*keys, '[data-act="as_played"]', '[data-act="roll_again"]', '[data-act="call"]')
    clocks = (".player.top .clock", ".player.bottom .clock", '[data-act="clock"]')
    yield State("first-game", ('[data-act="next_game"]', ".bar .title"))
    scribe.key("next_game")
    yield State("opening", ('.opening [data-dice="66"]', *turn))
    scribe.opening(6, 1)
    yield State("play", ('.pad [data-dice="66"]', *turn, *clocks))
    scribe.point(ONE, "13")
    scribe.point(ONE, "8")
    scribe.press(ONE)
    yield State("roll", ('.pad [data-dice="11"]', *turn, *clocks))
    scribe.dice(5, 5)
    scribe.point(TWO, "13")
    yield State("doublet", ('[data-act="twice"]', *turn))
    scribe.key("undo")
    scribe.key("as_played")
    scribe.point(TWO, "8")
    scribe.point(TWO, "3")
    scribe.key("played")
    page.context.set_offline(True)
    scribe.key("double")
    expect(page.locator(".badge.unsent")).to_be_visible()
    yield State("doubled", ('[data-act="take"]', '[data-act="pass"]', ".badge.unsent"))
    page.context.set_offline(False)
    scribe.key_of(TWO, "take")
    page.locator("[data-act=menu]").tap()
    dialog = page.get_by_role("dialog")
    dialog.locator("[data-sheet=resignation]").first.tap()
    dialog.locator(".sheet-keys button").first.tap()
    expect(dialog).to_have_count(0)
    yield State("resignation", ('[data-act="accept"]', '[data-act="refuse"]'))
    scribe.key("accept")
    yield State("between", ('[data-act="confirm"]', '[data-act="disagree"]'))
    scribe.key_of(ONE, "confirm")
    scribe.key_of(TWO, "confirm")
    yield State("confirmed", ('[data-act="next_game"]',))


@pytest.mark.parametrize(("language", "fonts"), [("en-GB", NARROW), ("de-DE", WIDE)])
def test_all_that_a_turn_needs_is_in_sight_at_every_size_of_a_tablet(
    new_context: NewContext, site: Site, language: str, fonts: str
) -> None:
    match_id = site.open_match(length=5, table="4", players=PLAYERS, clock_terms=CLOCK)
    look = {"locale": language, "fonts": fonts, "reduced_motion": "reduce"}
    page = new_context(**look).new_page()
    page.set_viewport_size({"width": 1024, "height": 768})
    open_tablet(page, site, match_id)
    wrong: list[str] = []
    for state in walk(page, site, match_id):
        expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
        for width, height in [*TABLETS, PHONE]:
            page.set_viewport_size({"width": width, "height": height})
            draw(page)
            shot(page, f"{language}-{width}-{state.name}")
            is_tablet = width > 400
            found = page.evaluate(MEASURE, [44 if is_tablet else 24, is_tablet])
            for need in state.needs:
                if not page.locator(need).first.is_visible():
                    found.append(f"not there: {need}")
            wrong += [f"{width}x{height} {state.name}: {one}" for one in found]
        page.set_viewport_size({"width": 1024, "height": 768})
        draw(page)
    assert not wrong, "\n".join(wrong)
