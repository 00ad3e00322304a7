"""The drawn board: geometry, names, taps and looks."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.exchange.drawn_places import FIXTURE
from tests.web import modules
from tests.web.conftest import check_axe, check_targets, shot

MOUNT = """async () => {
  const { loadTexts } = await import("/static/shared/texts.js");
  await loadTexts("board");
  await import("/static/board/element.js");
  const { STARTING } = await import("/static/board/position.js");
  document.querySelector("main").style.paddingRight = "300px";
  const board = document.createElement("tb-board");
  Object.assign(board, { board: STARTING, labels: { one: "Ada", two: "Ben" }, interactive: true,
    cube: { value: 1, owner: null, offered_by: null } });
  document.querySelector("main").append(board);
  window.tapped = [];
  board.addEventListener("tb-tap", ({ detail }) => tapped.push(detail.place));
  window.tb = board;
}"""

SETS = ("walnut", "slate", "sage")


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """A server over the modules."""
    with modules.served() as url:
        yield url


@pytest.fixture(scope="module")
def _page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


@pytest.fixture
def board(_page: Page, origin: str) -> Page:
    """A page of 1024 x 768 with a board beside a panel of 300.

    One for all tests here, loaded anew for each: it keeps the modules, and nothing else.
    """
    _page.set_viewport_size({"width": 1024, "height": 768})
    _page.mouse.move(0, 0)
    _page.goto(origin)
    _page.add_style_tag(content="body{margin:0}main{padding:0;max-width:none}")
    _page.evaluate(MOUNT)
    return _page


def put(page: Page, **properties: Any) -> None:
    """Set properties of the board; marks as an object."""
    page.evaluate(
        """(properties) => {
          const { marks, ...others } = properties;
          Object.assign(tb, others);
          if (marks) tb.marks = new Map(Object.entries(marks));
          tb.refresh();
        }""",
        properties,
    )


def sides(one: dict[int, int], two: dict[int, int]) -> dict[str, list[int]]:
    """A board from points that hold checkers."""
    return {
        seat: [side.get(point, 0) for point in range(26)]
        for seat, side in (("one", one), ("two", two))
    }


def name_of(page: Page, place: str) -> str | None:
    """What a column is called."""
    return page.locator(f'[data-place="{place}"]').get_attribute("aria-label")


# Where everything lies.


def test_everything_lies_where_python_draws_it(board: Page) -> None:
    cases = json.loads(FIXTURE.read_text("utf-8"))
    found = board.evaluate(
        """async (cases) => {
          const { cubeSpot, diceSpots, layOut } = await import("/static/board/geometry.js");
          return cases.map(({ board, cube, dice, direction }) => {
            const outlook = { bottom: "one", direction };
            const { men, tallies } = layOut(board, outlook);
            const at = cubeSpot(cube, outlook);
            return {
              men: men.map(({ seat, x, y }) => [seat, x, y]),
              numbers: tallies.map(({ count, x, y }) => [count, x, y]),
              at_dice: diceSpots(dice.seat, outlook).map(({ x, y }) => [x, y]),
              at_cube: [at.x, at.y],
            };
          });
        }""",
        cases,
    )
    assert len(found) == 24
    for case, ours in zip(cases, found, strict=True):
        # A stack higher than drawn lies on its last visible place.
        assert sorted({tuple(man) for man in ours["men"]}) == [tuple(man) for man in case["men"]]
        assert sorted(ours["numbers"]) == sorted(case["numbers"])
        assert (ours["at_dice"], ours["at_cube"]) == (case["at_dice"], case["at_cube"])


def test_the_player_at_the_bottom_sees_the_own_home_below(board: Page) -> None:
    def middle(place: str) -> tuple[float, float]:
        box = board.locator(f'[data-place="{place}"]').bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    seen = {}
    for bottom, direction in itertools.product(("one", "two"), ("right", "left")):
        put(board, bottom=bottom, direction=direction)
        ace = middle("1" if bottom == "one" else "24")
        far = middle("24" if bottom == "one" else "1")
        assert ace[1] > far[1]
        assert middle(f"bar-{bottom}")[1] > middle("bar-two" if bottom == "one" else "bar-one")[1]
        seen[bottom, direction] = ace[0]
        numbers = board.locator("tb-board .number").all_text_contents()
        assert numbers == [str(point) for point in range(1, 25)]
    assert seen["one", "right"] == seen["two", "right"] > seen["one", "left"] == seen["two", "left"]


def test_a_play_moves_no_more_checkers_than_were_played(board: Page) -> None:
    touched = board.evaluate(
        """async () => {
          const { boardOf, moved, seenBy } = await import("/static/board/position.js");
          await new Promise(requestAnimationFrame);
          const nodes = [...tb.querySelectorAll(".man")];
          const changed = new Set();
          const note = (all) => all.forEach((one) => changed.add(one.target));
          const observer = new MutationObserver(note);
          nodes.forEach((node) => observer.observe(node, { attributes: true }));
          const after = moved(seenBy(tb.board, "one"), [[8, 5], [6, 5]]).position;
          tb.board = boardOf(after, "one");
          await new Promise(requestAnimationFrame);
          note(observer.takeRecords());
          const still = nodes.every((node) => node.isConnected);
          return [changed.size, still, tb.querySelectorAll(".man").length];
        }"""
    )
    assert touched == [2, True, 30]


def test_what_is_not_known_is_not_drawn(board: Page) -> None:
    put(board, board=None)
    assert board.locator("tb-board .man").count() == 0
    assert name_of(board, "13") == "Point 13, not known"
    put(board, board=sides({6: 1}, {}))
    assert board.locator("tb-board .man").count() == 1


# What it is called.


def test_columns_are_named_with_number_and_checkers(board: Page) -> None:
    put(board, board=sides({6: 5, 25: 1, 0: 2, 3: 1}, {6: 4, 22: 1, 25: 2}))
    assert name_of(board, "6") == "Point 6, 5 checkers of Ada"
    assert name_of(board, "19") == "Point 19, 4 checkers of Ben"
    assert name_of(board, "3") == "Point 3, 1 checker of Ada, 1 checker of Ben"
    assert name_of(board, "12") == "Point 12, empty"
    assert name_of(board, "bar-one") == "Bar of Ada, 1"
    assert name_of(board, "off-one") == "Borne off by Ada, 2"
    put(board, bottom="two")
    assert name_of(board, "19") == "Point 6, 4 checkers of Ben"
    assert board.get_by_role("group", name="Board: Ada and Ben").count() == 1


def test_marks_are_said_and_drawn_by_shape(board: Page) -> None:
    marks = {"8": "from", "5": "to", "6": "picked", "20": "hit", "12": "target", "13": "ghost"}
    put(board, marks=marks)
    assert name_of(board, "8") == "Point 8, 3 checkers of Ada, left from here"
    assert name_of(board, "5") == "Point 5, empty, arrived here"
    drawn = board.locator("tb-board :is(.mark, .target)")
    assert drawn.count() == len(marks)
    shapes = drawn.evaluate_all("(all) => all.map((one) => one.getAttribute('class'))")
    assert len(set(shapes)) == len(marks)


def test_the_cube_and_the_dice_are_named(board: Page) -> None:
    put(board, dice=[3, 1], diceSeat="two", cube={"value": 4, "owner": "two", "offered_by": None})
    assert board.get_by_role("img", name="Dice of Ben: 3 and 1").count() == 1
    assert board.get_by_role("img", name="Cube of Ben, 4").count() == 1
    assert board.get_by_role("button", name="Cube").count() == 0
    put(board, cubeTappable=True)
    board.get_by_role("button", name="Cube of Ben, 4").click()
    assert board.evaluate("tapped") == ["cube"]


def test_an_offered_cube_shows_and_says_what_is_offered(board: Page) -> None:
    put(board, cube={"value": 2, "owner": "two", "offered_by": "two"})
    cube = board.get_by_role("img", name="Cube offered by Ben, 4")
    expect(cube).to_have_text("4")
    expect(cube).to_have_class("cube offered")
    put(board, cube={"value": 4, "owner": "one", "offered_by": None})
    expect(board.get_by_role("img", name="Cube of Ada, 4")).to_have_class("cube")


def test_the_board_speaks_german(chromium: Browser, origin: str) -> None:
    page = chromium.new_page()
    page.goto(origin)
    page.evaluate("document.documentElement.lang = 'de'")
    page.evaluate(MOUNT)
    assert name_of(page, "6") == "Feld 6, 5 Steine von Ada"
    page.close()


def test_both_languages_have_the_same_texts() -> None:
    english, german = (
        json.loads((modules.WEB / "texts" / language / "board.json").read_text("utf-8"))
        for language in ("en", "de")
    )
    assert list(english) == list(german)
    assert all(set(_named(english[key])) == set(_named(german[key])) for key in english)


def _named(text: str) -> list[str]:
    return re.findall(r"\{(\w+)", text)


# How it is tapped.


def test_the_whole_column_is_the_target(chromium: Browser, origin: str) -> None:
    page = chromium.new_page(viewport={"width": 1024, "height": 768}, has_touch=True)
    page.goto(origin)
    page.evaluate(MOUNT)
    places = page.eval_on_selector_all("[data-place]", "(all) => all.map((e) => e.dataset.place)")
    columns = [place for place in places if place != "cube"]
    assert len(columns) == 28
    for place in columns:
        box = page.locator(f'[data-place="{place}"]').bounding_box()
        assert box is not None
        # At its edges, where no checker lies.
        page.touchscreen.tap(box["x"] + 3, box["y"] + box["height"] / 2 + 20)
        page.touchscreen.tap(box["x"] + box["width"] - 3, box["y"] + 8)
    page.wait_for_function("(count) => tapped.length === count", arg=2 * len(columns))
    assert page.evaluate("tapped") == [place for place in columns for _ in range(2)]
    page.close()


def test_a_board_to_look_at_takes_no_taps(board: Page) -> None:
    put(board, interactive=False)
    board.locator('[data-place="6"]').click()
    assert board.evaluate("tapped") == []
    assert board.get_by_role("button").count() == 0
    assert board.locator("tb-board [tabindex]").count() == 0
    assert board.get_by_role("img", name="Point 6, 5 checkers of Ada").count() == 1


def test_every_column_is_reached_by_keyboard(board: Page) -> None:
    board.keyboard.press("Tab")
    assert board.evaluate("document.activeElement.dataset.place") == "6"
    assert board.locator('tb-board [tabindex="0"]').count() == 1
    board.keyboard.press("Home")
    below = _walk(board, "ArrowRight")
    board.keyboard.press("ArrowUp")
    above = _walk(board, "ArrowLeft")
    assert [*below, *above] == [
        *("12", "11", "10", "9", "8", "7", "bar-one", "6", "5", "4", "3", "2", "1", "off-one"),
        *("off-two", "24", "23", "22", "21", "20", "19", "bar-two"),
        *("18", "17", "16", "15", "14", "13"),
    ]
    board.keyboard.press("Enter")
    board.keyboard.press("ArrowRight")
    board.keyboard.press("Space")
    assert board.evaluate("tapped") == ["13", "14"]
    expect(board.locator('[data-place="14"]')).to_be_focused()


def _walk(page: Page, key: str) -> list[str]:
    walked: list[str] = []
    while (place := page.evaluate("document.activeElement.dataset.place")) not in walked:
        walked.append(place)
        page.keyboard.press(key)
    return walked


def test_a_tap_keeps_the_focus_through_the_repaint(board: Page) -> None:
    board.evaluate("tb.focusPlace('8')")
    board.keyboard.press("Enter")
    put(board, board=sides({6: 5, 5: 2}, {6: 5}), dice=[3, 1], marks={"5": "to"})
    expect(board.locator('[data-place="8"]')).to_be_focused()


@pytest.mark.parametrize("size", [(1024, 768), (1180, 820)])
def test_every_target_is_large_enough(board: Page, size: tuple[int, int]) -> None:
    board.set_viewport_size({"width": size[0], "height": size[1]})
    put(board, cubeTappable=True)
    assert board.get_by_role("button").count() == 29
    check_targets(board)


# How it looks.


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colours", SETS)
def test_nothing_is_too_pale_to_be_told(board: Page, colours: str, theme: str) -> None:
    board.evaluate(
        "([colours, theme]) => Object.assign(document.documentElement.dataset, {colours, theme})",
        [colours, theme],
    )
    put(board, board=sides({6: 5, 25: 2, 0: 3}, {6: 5, 25: 1, 0: 4}), dice=[4, 2], turn="one")
    shot(board, f"board-{colours}-{theme}")
    paint = {
        name: board.evaluate(
            "(name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()",
            f"--board-{name}",
        )
        for name in (
            *("frame", "tray", "field", "a", "z", "z-edge", "number", "mark"),
            *("one", "one-edge", "two", "two-edge", "two-eye"),
        )
    }
    pale = [
        f"{man} on {ground}"
        for man in ("one", "two")
        for ground in ("field", "a", "z", "frame", "tray")
        if max(contrast(paint[part], paint[ground]) for part in (man, f"{man}-edge")) < 3
    ]
    pale += [
        f"{one} on {two}"
        for one, two in (
            *(("one", "two"), ("a", "field"), ("z-edge", "field"), ("two-eye", "two")),
            *(("mark", "field"), ("number", "frame"), ("number", "tray")),
        )
        if contrast(paint[one], paint[two]) < (4.5 if one == "number" else 3)
    ]
    assert pale == []


PAINTED = """(selectors) => selectors.map((one) => {
  const found = document.querySelector(one);
  const { fill, stroke } = getComputedStyle(found);
  const hex = (colour) => "#" + colour.match(/\\d+/g).slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, "0")).join("");
  return [hex(fill), stroke === "none" ? hex(fill) : hex(stroke)];
})"""
"""Fill and edge of what is really drawn."""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colours", SETS)
def test_dice_and_cube_stand_out_wherever_they_lie(board: Page, colours: str, theme: str) -> None:
    board.evaluate(
        "([colours, theme]) => Object.assign(document.documentElement.dataset, {colours, theme})",
        [colours, theme],
    )
    grounds = ["tb-board .field", "tb-board .tray", "tb-board .frame"]
    pale = []
    for seat in ("one", "two"):
        put(board, dice=[6, 4], diceSeat=seat)
        face, pip, cube, value, *under = board.evaluate(
            PAINTED, [".die-face", ".die-pip", ".cube-face", ".cube-value", *grounds]
        )
        pale += [f"pips of {seat}"] if contrast(pip[0], face[0]) < 3 else []
        pale += ["the number on the cube"] if contrast(value[0], cube[0]) < 4.5 else []
        pale += [
            f"{name} on {ground}"
            for name, (fill, edge) in (("dice", face), ("cube", cube))
            for ground, (colour, _) in zip(grounds, under, strict=True)
            if max(contrast(fill, colour), contrast(edge, colour)) < 3
        ]
    assert pale == []


TOKENS = """() => {
  const names = new Set();
  for (const { cssRules } of document.styleSheets) {
    for (const { style } of cssRules) {
      for (const name of style ?? []) if (name.startsWith("--")) names.add(name);
    }
  }
  const computed = getComputedStyle(document.documentElement);
  const of = (name) => computed.getPropertyValue(name).trim();
  return Object.fromEntries([...names].map((name) => [name, of(name)]));
}"""


@pytest.mark.parametrize("colours", SETS)
def test_the_dark_that_the_device_asks_for_is_the_dark_that_one_may_choose(
    chromium: Browser, origin: str, colours: str
) -> None:
    page = chromium.new_page(color_scheme="dark")
    page.goto(origin)
    page.evaluate("(colours) => document.documentElement.dataset.colours = colours", colours)
    seen = {}
    for theme in ("auto", "dark", "light"):
        page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
        seen[theme] = page.evaluate(TOKENS)
    page.close()
    assert len(seen["auto"]) > 30
    assert seen["auto"] == seen["dark"]
    assert seen["light"] != seen["dark"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_controls_and_their_states_are_told_from_the_paper(board: Page, theme: str) -> None:
    board.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
    tokens = board.evaluate(TOKENS)
    pale = [
        f"{one} on {ground}"
        for one in ("edge", "focus", "accent", "good", "warn", "bad")
        for ground in ("paper", "sheet", "sunken")
        if contrast(tokens[f"--{one}"], tokens[f"--{ground}"]) < 3
    ]
    pale += ["pressed"] if contrast(tokens["--accent"], tokens["--accent-soft"]) < 3 else []
    assert pale == []
    board.evaluate(
        """() => document.querySelector("main").insertAdjacentHTML("beforeend",
          "<button>Key</button><input><select></select><textarea></textarea>")"""
    )
    for control in ("button", "input", "select", "textarea"):
        found = board.locator(f"main > {control}").evaluate(
            """(one) => {
              const { borderTopColor, borderTopWidth } = getComputedStyle(one);
              const probe = document.createElement("i");
              probe.style.color = "var(--edge)";
              one.after(probe);
              return [borderTopColor === getComputedStyle(probe).color, borderTopWidth];
            }"""
        )
        assert found == [True, "1px"], control


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(board: Page, theme: str) -> None:
    board.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
    put(board, dice=[6, 4], marks={"8": "from", "5": "to"}, cubeTappable=True, turn="two")
    check_axe(board)
    put(board, interactive=False)
    check_axe(board)


def test_checkers_do_not_glide_for_who_wants_no_motion(chromium: Browser, origin: str) -> None:
    durations = []
    for motion in ("reduce", "no-preference"):
        page = chromium.new_page(reduced_motion=motion)  # type: ignore[arg-type]
        page.goto(origin)
        page.evaluate(MOUNT)
        page.evaluate("tb.refresh()")
        style = "parseFloat(getComputedStyle(tb.querySelector('.man')).transitionDuration)"
        durations.append(page.evaluate(style))
        page.close()
    still, gliding = durations
    assert still < 0.001 < gliding < 0.3


def test_nothing_changes_by_degrees_for_who_wants_no_motion(chromium: Browser, origin: str) -> None:
    page = chromium.new_page(reduced_motion="reduce")
    page.goto(origin)
    page.evaluate(MOUNT)
    page.evaluate("tb.refresh()")
    # A duration for every element, however short, has each of them run towards each new value.
    running = page.evaluate(
        """() => {
          getComputedStyle(document.body).color;
          document.documentElement.dataset.theme = "dark";
          return document.getAnimations().length;
        }"""
    )
    assert running == 0
    page.close()


def contrast(one: str, two: str) -> float:
    """WCAG 2.2's ratio of two colours `#rrggbb`."""
    low, high = sorted((_luminance(one), _luminance(two)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    assert colour.startswith("#")
    assert len(colour) == 7
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
