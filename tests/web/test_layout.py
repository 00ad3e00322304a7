"""Measures of the tablet's screen: what a turn needs is visible and large enough at any size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, NewContext, Site, Size, Theme, check_axe, shot
from tests.web.fonts import NARROW, WIDE
from tests.web.tablet_rig import Scribe, draw, open_tablet
from tests.web.test_notices import entry, rule

pytestmark = pytest.mark.warm

CLOCK = {"kind": "simple", "reserve_ms": 720_000, "delay_ms": 12_000}

PLAYERS = {
    "one": [{"name": "Bartholomäus Grünewald-Österreicher"}],
    "two": [{"name": "Ida Berg"}],
}

SMALL = {"width": 1024, "height": 768}
TABLETS = [(1024, 768), (768, 1024), (1180, 820), (1280, 752)]
PHONE = (390, 844)

MEASURE = """([least, whole, needs = []]) => {
  const root = document.querySelector(".recorder");
  const stands = (e) => e !== null && e.checkVisibility({visibilityProperty: true}) &&
    e.getBoundingClientRect().width > 0;
  const found = needs.filter((one) => !stands(document.querySelector(one)))
    .map((one) => `not there: ${one}`);
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
    if (getComputedStyle(e).overflowY === "auto") continue;
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
    .filter((e) => !e.closest(".sign")).map((e) => [e, boxOf(e)])
    .filter(([, box]) => box.width > 0);
  for (const [at, [one, a]] of apart.entries()) {
    for (const [other, b] of apart.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
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
"""What is wrong with the screen: not there, outside, small, cut off, or on top of another thing."""


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
    expect(page.locator(".badge.unsent:not(.soon)")).to_be_visible()
    yield State("doubled", ('[data-act="take"]', '[data-act="pass"]', ".badge.unsent"))
    page.context.set_offline(False)
    scribe.key_of(TWO, "take")
    resign(page, 0)
    yield State("resignation", ('[data-act="accept"]', '[data-act="refuse"]'))
    scribe.key("accept")
    yield State("between", ('[data-act="confirm"]', '[data-act="disagree"]'))
    scribe.key_of(ONE, "confirm")
    scribe.key_of(TWO, "confirm")
    yield State("confirmed", ('[data-act="next_game"]',))
    scribe.key("next_game")
    scribe.opening(6, 5)
    scribe.key("played")
    scribe.settle()
    played = entry(site, match_id, "play.made")
    [dispute] = rule(site, match_id, ("dispute.raised", {"by": "one", "frozen_at": played}))
    expect(page.locator(".recorder.is-frozen")).to_be_attached()
    yield State("frozen", ('.pad [data-dice="11"]', *turn, *clocks, ".notices .frozen"))
    rule(site, match_id, ("ruling.made", {"dispute": dispute, "decision": "The play stands"}))
    expect(page.locator('[data-act="acknowledge"]')).to_be_visible()
    yield State("ruled", ('.pad [data-dice="11"]', *turn, *clocks, '[data-act="acknowledge"]'))
    scribe.key("acknowledge")
    scribe.key("double")
    scribe.key("take")
    resign(page, 2)
    scribe.key("accept")
    yield State("over", ('[data-act="next_match"]', '[data-act="confirm"]'))
    with site.http(site.director) as director:
        body = {"match": match_id, "reason": "other"}
        answer = director.post(f"/logs/{LOG}/leases/end", json=body)
    assert answer.status_code == 201, answer.text
    expect(page.locator(".next.bad")).to_be_visible()
    yield State("taken", (".badge.role.bad",))


def resign(page: Page, level: int) -> None:
    """Whoever has the turn offers to resign at a level: 0 is a single game."""
    page.locator("[data-act=menu]").tap()
    dialog = page.get_by_role("dialog")
    dialog.locator(".first [data-sheet=resignation]").tap()
    dialog.locator(".sheet-keys button").nth(level).tap()
    expect(dialog).to_have_count(0)


def check(page: Page, state: State, size: Size) -> list[str]:
    """What is wrong with a state at a size."""
    set_size(page, size)
    is_tablet = size != PHONE
    asked = [44 if is_tablet else 24, is_tablet, state.needs]
    found: list[str] = page.evaluate(MEASURE, asked)
    if found:
        # A busy machine may have laid out half of it only.
        page.wait_for_timeout(300)
        found = page.evaluate(MEASURE, asked)
    return [f"{size[0]}x{size[1]} {state.name}: {one}" for one in found]


def check_larger(page: Page, state: State, size: Size, percent: int) -> list[str]:
    """What larger letters lose: scrolling is allowed, cutting is not."""
    page.evaluate(LETTERS, percent)
    set_size(page, size)
    # A name in full is what larger letters are for.
    found: list[str] = page.evaluate(MEASURE, [24, False]) if size != PHONE else []
    found += page.evaluate(CUT)
    return [f"{percent} % {size[0]}x{size[1]} {state.name}: {one}" for one in found]


def set_size(page: Page, size: Size) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    draw(page)


LARGER = {"first-game", "opening", "play", "roll", "doublet", "doubled", "resignation"}
"""The states that are looked at with larger letters, too: each arrangement of the screen once."""


@pytest.mark.parametrize(
    ("language", "fonts", "theme"), [("en-GB", NARROW, "light"), ("de-DE", WIDE, "dark")]
)
def test_all_that_a_turn_needs_is_in_sight_at_every_size_and_larger_letters_lose_nothing(
    new_context: NewContext, site: Site, language: str, fonts: str, theme: Theme
) -> None:
    match_id = site.open_match(length=5, table="4", players=PLAYERS, clock_terms=CLOCK)
    look = {"locale": language, "fonts": fonts, "color_scheme": theme, "reduced_motion": "reduce"}
    page = new_context(viewport=SMALL, **look).new_page()
    open_tablet(page, site, match_id)
    wrong: list[str] = []
    lost: list[str] = []
    for state in walk(page, site, match_id):
        expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
        for size in [*TABLETS, PHONE]:
            wrong += check(page, state, size)
            shot(page, f"{language}-{size[0]}-{state.name}")
        if state.name in LARGER:
            for percent, size in product((150, 200), [*TABLETS, PHONE]):
                lost += check_larger(page, state, size, percent)
                shot(page, f"{language}-{percent}-{size[0]}-{state.name}")
            page.evaluate(LETTERS, 100)
        set_size(page, TABLETS[0])
        # In the other language the same elements stand, in the other colours.
        check_axe(page, has_other_colours=theme == "dark")
    assert not wrong, "\n".join(wrong)
    assert not lost, "\n".join(lost)


LETTERS = "(percent) => { document.documentElement.style.fontSize = `${percent}%`; }"

CUT = """() => {
  const wide = document.documentElement.clientWidth;
  return [...document.querySelectorAll(
      ".recorder button, .recorder h1, .recorder .name, .recorder .title, .recorder p")]
    .filter((e) => e.checkVisibility({visibilityProperty: true}))
    .filter((e) => getComputedStyle(e).overflowY !== "auto")
    .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 3 ||
      e.getBoundingClientRect().right > wide + 1)
    .map((e) => `cut: ${e.className} ${e.textContent.trim().slice(0, 40)} ` +
      `${e.scrollWidth}>${e.clientWidth} ${e.scrollHeight}>${e.clientHeight}`);
}"""


# -- what the keys and the numbers do -----------------------------------------------------------


def tags(site: Site, match_id: str) -> list[str]:
    return [entry["tag"] for entry in site.entries(match_id)]


def test_roll_again_is_two_taps_and_the_roll_stays_an_entry(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.key("played")
    scribe.dice(4, 2)
    scribe.key("roll_again")
    page.get_by_role("dialog").get_by_role("button", name="Cocked", exact=True).tap()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".next")).to_have_text("Ben to roll")
    scribe.settle()
    *_, rolled, voided = site.entries(match_id)
    assert (rolled["tag"], voided["tag"]) == ("dice.rolled", "dice.voided")
    assert voided["body"]["target"] == rolled["entry_id"]


def test_take_and_pass_look_alike(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.key("played")
    scribe.key("double")
    expect(page.locator(".plate button")).to_have_count(2)
    looks = page.locator(".plate button").evaluate_all(
        """(all) => all.map((e) => {
          const {color, backgroundColor, borderColor, fontSize, fontWeight} = getComputedStyle(e);
          return [color, backgroundColor, borderColor, fontSize, fontWeight].join();
        })"""
    )
    assert looks[0] == looks[1]


NUMBERS = """() => Object.fromEntries(
  [...document.querySelectorAll("tb-board rect[data-place]")].map((rect) => {
    const at = rect.getBoundingClientRect();
    const middle = at.x + at.width / 2;
    const half = document.querySelector("tb-board svg").getBoundingClientRect();
    const isBelow = at.y > half.y + half.height / 2 - 2;
    const number = [...document.querySelectorAll("tb-board .number")].find((text) => {
      const box = text.getBoundingClientRect();
      return Math.abs(box.x + box.width / 2 - middle) < 5 &&
        (box.y > half.y + half.height / 2) === isBelow;
    });
    return [rect.dataset.place, number?.textContent ?? ""];
  }).filter(([, number]) => number !== ""))"""
"""The number that is printed at each place of the board."""


def test_points_are_numbered_as_who_plays_sees_them_and_a_tap_means_the_same_place(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    expect(page.locator(".next")).to_have_text("Ada to play")
    draw(page)
    own = {str(point): str(point) for point in range(1, 25)}
    turned = {str(point): str(25 - point) for point in range(1, 25)}
    assert page.evaluate(NUMBERS) == own
    scribe.key("played")
    expect(page.locator(".next")).to_have_text("Ben to roll")
    draw(page)
    assert page.evaluate(NUMBERS) == turned
    scribe.dice(3, 1)
    expect(page.locator(".next")).to_have_text("Ben to play")
    draw(page)
    assert page.evaluate(NUMBERS) == turned
    expect(page.get_by_role("button", name="Point 8, 3 checkers of Ben")).to_have_count(1)
    page.keyboard.type(".8.5.6.5")
    expect(page.locator(".so-far .play")).to_have_text("8/5 6/5")
    for _ in range(4):
        scribe.key("undo")
    page.get_by_role("button", name="View").tap()
    page.get_by_role("button", name="from the player at the bottom").tap()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Point 17, 3 checkers of Ben")).to_have_count(1)
    draw(page)
    assert page.evaluate(NUMBERS) == own
    for point in ("8", "5", "6", "5"):
        scribe.point(TWO, point)
    expect(page.locator(".so-far .play")).to_have_text("8/5 6/5")
    scribe.key("played")
    scribe.settle()
    assert site.entries(match_id)[-1]["body"]["moves"] == [[8, 5], [6, 5]]


def offered(page: Page) -> list[str]:
    """The sheets that the menu shows first, once the screen has drawn what was tapped."""
    draw(page)
    expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
    draw(page)
    page.locator("[data-act=menu]").tap()
    page.locator(".menu-group.first").wait_for()
    names: list[str] = page.locator(".menu-group.first [data-sheet]").evaluate_all(
        "all => all.map((one) => one.dataset.sheet)"
    )
    assert page.locator(".menu-groups [data-sheet]:visible").count() == 0
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    return names


def test_the_menu_shows_first_what_can_happen_now(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    before = offered(page)
    assert "presence" in before
    assert not {"resignation", "void", "early", "result"} & set(before)
    scribe.key("next_game")
    opening = offered(page)
    assert opening[0] == "void"
    assert not {"resignation", "early", "presence"} & set(opening)
    scribe.opening(6, 1)
    scribe.key("played")
    assert {"resignation", "early", "void", "unseen", "position"} <= set(offered(page))
    scribe.key("double")
    scribe.key("pass")
    between = offered(page)
    assert "break" in between
    assert not {"resignation", "void", "early"} & set(between)


GROUND = "(one) => getComputedStyle(one).backgroundColor"


def test_where_the_readers_own_colours_rule_what_is_chosen_and_whose_checkers_are_which_is_seen(
    new_context: NewContext, site: Site
) -> None:
    page = new_context(forced_colors="active").new_page()
    open_tablet(page, site, site.open_match(length=5))
    one, two = (page.locator(f".stone.{seat.value}") for seat in (ONE, TWO))
    assert one.evaluate(GROUND) != two.evaluate(GROUND)
    Scribe(page).key("view")
    chosen = page.locator("dialog [aria-pressed=true]").first
    other = page.locator("dialog [aria-pressed=false]").first
    assert chosen.evaluate(GROUND) != other.evaluate(GROUND)
