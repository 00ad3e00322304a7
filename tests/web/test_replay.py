"""The replay viewer: steps and jumps, announcements, findings, comparisons and provenance."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from api.exchange.readers import read_file
from api.html.assets import assets
from api.html.entry_words import told
from api.html.texts import LANGUAGES, texts_of
from events import catalogue
from events.envelope import Basis
from events.payloads import play
from events.payloads.base import Actor
from events.payloads.corrections import MomentMarked
from events.payloads.custody import PublicationReleased
from events.payloads.dice import VoidReason
from projections.views.scenes import Mark, Status
from projections.views.window import What, WindowIs
from tests.api.exchange.recorded import events_of
from tests.projections.playthroughs import home_match
from tests.projections.rules.federations import FEDERATIONS, federation_match
from tests.projections.table import Table
from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, check_targets, shot
from tests.web.device_rig import wait_until
from tests.web.replay_rig import (
    disputed_match,
    go_on,
    jump_on_the_timeline,
    long_match,
    open_replay,
    put,
    second_scribe,
    shown_on,
    stepped_through,
)

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]


@pytest.fixture
def director_page(new_context: Callable[..., BrowserContext], sign_in: SignIn) -> Page:
    """The page of somebody who rules."""
    context = new_context()
    sign_in(context)
    return context.new_page()


IN_LIST = """() => {
  const outer = document.querySelector('.games').getBoundingClientRect();
  const inner = document.querySelector('[aria-current=true]').getBoundingClientRect();
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}"""

CURSOR_IN_SIGHT = """() => {
  const outer = document.querySelector('.port').getBoundingClientRect();
  const inner = document.querySelector('.cursor').getBoundingClientRect();
  return inner.left >= outer.left - 2 && inner.right <= outer.right + 2;
}"""


def said(page: Page) -> str:
    return page.locator(".said").inner_text()


def live(page: Page, text: str) -> None:
    expect(page.locator("#live-region")).to_have_text(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_record_has_a_text(language: str) -> None:
    texts = texts_of(language)
    tags = {kind.tag for kind in catalogue.KINDS} - set(catalogue.TOURNAMENT_TAGS)
    words = {
        "mark": {*Mark, "offline", "idle", "contrast"},
        "status": set(Status) - {Status.STANDS},
        "basis": set(Basis),
        "window_what": set(What),
        "window_state": set(WindowIs),
        "word": set(VoidReason),
        "actor": {"unknown", *Actor} - {Actor.ONE, Actor.TWO},
    }
    keys = [f"replay.{room}.{word}" for room, known in words.items() for word in known]
    keys += [f"entry.{tag}.told" for tag in tags]
    missing = [key for key in keys if not texts.has(key)]
    # Of time it is told whether it was taken or given.
    told_by_sign = "entry.clock.adjusted.told"
    assert texts.has(f"{told_by_sign}.taken")
    assert texts.has(f"{told_by_sign}.given")
    assert missing == [told_by_sign]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_and_its_modules_tell_an_entry_in_the_same_words(
    site: Site, director_page: Page, language: str
) -> None:
    page = director_page
    match = put(site, home_match().events, "m1")
    open_replay(page, match, f"?lang={language}")
    with site.http() as client:
        every = client.get(f"/logs/{LOG}/matches/{match}/scenes").json()["scenes"]
    names = {"one": "Ada", "two": "Ben"}
    ours = [told(texts_of(language), scene, names) for scene in every]
    theirs = page.evaluate(
        """async ([module, every, names]) => {
            const {told} = await import(module);
            return every.map((scene) => told(scene, names));
        }""",
        [assets().url("replay/words.js"), every, names],
    )
    assert theirs == ours
    assert not [one for one in ours if "{" in one or "[" in one]


def test_a_match_that_goes_on_is_shown_when_the_reader_asks_and_not_before(
    site: Site, director_page: Page
) -> None:
    page, events = director_page, home_match().events
    match = put(site, events[:12], "m1")
    open_replay(page, match, "?rules=biba-2014")
    current = page.locator("[aria-current=true]")
    page.keyboard.press("ArrowLeft")
    expect(current).to_have_attribute("data-version", "11")
    news = page.locator("#news")
    expect(news).to_be_hidden()
    go_on(site, events[12:13], match)
    expect(news).to_have_text("Show 1 new entry")
    live(page, "The match goes on: new entries can be shown.")
    go_on(site, events[13:15], match)
    expect(news).to_have_text("Show 3 new entries")
    check_axe(page)
    shot(page, "replay-goes-on")
    expect(current).to_have_attribute("data-version", "11")
    news.click()
    expect(current).to_have_attribute("data-version", "13")
    expect(page.locator("button.entry")).to_have_count(15)
    expect(page.locator("#rules")).to_have_value("biba-2014")
    assert "rules=biba-2014" in page.url
    expect(news).to_be_hidden()
    go_on(site, events[15:16], match)
    # What a form brings is shown with the rest: nothing is left to ask for.
    expect(news).to_be_visible()
    page.get_by_label("As recorded").check()
    expect(page.locator("button.entry")).to_have_count(16)
    expect(news).to_be_hidden()


LINES = """
const Line = window.EventSource;
window.lines = [];
window.EventSource = class extends Line {
  constructor(address) { super(address); window.lines.push(this); }
};
"""


def test_an_open_replay_forgets_who_was_erased_while_its_line_was_lost(
    site: Site, director_page: Page
) -> None:
    page = director_page
    page.add_init_script(LINES)
    players = {"one": [{"name": "Wilma Quandt"}], "two": [{"name": "Ben"}]}
    match = site.open_match("erased-meanwhile", players=players)
    open_replay(page, match)
    shown = page.locator("main")
    expect(shown).to_contain_text("Wilma Quandt")
    _line_lost(page)
    with site.http() as client:
        body = {"name": "Wilma Quandt", "confirm": "Wilma Quandt"}
        assert client.post("/erasures", json=body).json()["erased"] >= 1
    expect(shown).not_to_contain_text("Wilma", timeout=20_000)
    # It is read anew once, and not at each return of the line.
    _line_lost(page)
    page.evaluate("window.same = true")
    wait_until(page, lambda: page.evaluate("lines.length === 2 && lines[1].readyState === 1"))
    page.wait_for_timeout(200)
    assert page.evaluate("window.same")


def _line_lost(page: Page) -> None:
    wait_until(page, lambda: page.evaluate("lines.length === 1 && lines[0].readyState === 1"))
    # The first frame says which erasure was the last.
    page.wait_for_timeout(200)
    page.evaluate("lines[0].close(); lines[0].dispatchEvent(new Event('error'))")


GOLDEN = {
    "home": home_match,
    "disputed": disputed_match,
    **{rules: partial(federation_match, rules) for rules in FEDERATIONS},
}
"""The playthroughs whose text is golden, and a match in which more is corrected."""


JUMPS = pytest.mark.parametrize("jumps", [16, pytest.param(10_000, marks=pytest.mark.long)])
"""To how many entries it jumps, spread over the whole match; to every one in the large size."""


@JUMPS
@pytest.mark.parametrize("record", ["", "?as_recorded=true"])
@pytest.mark.parametrize("name", GOLDEN)
def test_jumping_to_an_entry_is_stepping_to_it(
    site: Site, director_page: Page, name: str, record: str, jumps: int
) -> None:
    table = GOLDEN[name]()
    match = put(site, table.events, f"m-{name}")
    open_replay(director_page, match, record)
    count = len(table.events)
    stepped = stepped_through(director_page, jumps=min(jumps, count))
    assert len(stepped) == count
    assert len({one["board"] for one in stepped.values()}) > 10
    jump_on_the_timeline(director_page, stepped, spots=6 if jumps < count else 12)
    # A page that is loaded for it costs as much as all its jumps.
    for version in [count // 2] if jumps < count else [2, count // 2, count]:
        director_page.goto("about:blank")
        open_replay(director_page, match, f"{record}#v{version}")
        assert shown_on(director_page) == stepped[str(version)]


DIALECTS = (
    "bgdb-mat",
    "bgstudio-mat",
    "choue-net-mat",
    "galaxy-mat",
    "jellyfish-mat+tags",
    "opengammon-mat",
    "sgf-gnubg",
    "sgf-www.backgammonhub.com",
    "xg-binary",
    "xg-mobile-mat",
    "xg-text",
)
"""Of every dialect of the corpus one match is stepped through: the middle one by length."""

MOST = pytest.mark.parametrize("most", [120, pytest.param(10_000, marks=pytest.mark.long)])
"""How many entries of it."""


def corpus_of(shared_folder: Path) -> dict[str, list[Path]]:
    """The files of the corpus by dialect, the shortest first."""
    corpus = shared_folder / "corpus"
    with (corpus / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: (int(row["plies"]), row["file"]))
    found: dict[str, list[Path]] = {}
    for row in rows:
        found.setdefault(row["dialect"], []).append(corpus / row["file"])
    return found


def test_no_dialect_of_the_corpus_is_left_out(shared_folder: Path) -> None:
    assert sorted(corpus_of(shared_folder)) == sorted(DIALECTS)


@MOST
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_law_holds_for_matches_of_the_corpus(
    site: Site, director_page: Page, shared_folder: Path, dialect: str, most: int
) -> None:
    files = corpus_of(shared_folder)[dialect]
    file = files[(len(files) - 1) // 2]
    events = events_of(read_file(file.read_bytes(), file.name)[0])[:most]
    open_replay(director_page, put(site, events, "m-corpus"))
    stepped = stepped_through(director_page, jumps=16)
    assert len(stepped) == len(events)
    assert len({one["board"] for one in stepped.values()}) > 10
    jump_on_the_timeline(director_page, stepped, spots=6)


def test_the_page_is_laid_out_once_a_picture_however_many_steps_are_taken(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def layouts() -> float:
        told = devtools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in told if one["name"] == "LayoutCount")

    before = layouts()
    steps = page.evaluate(
        """() => {
          const press = (key) =>
            document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
          press("Home");
          const entries = document.querySelectorAll("button.entry").length;
          for (let round = 0; round < 4; round += 1) {
            for (let step = 1; step < entries; step += 1) press(round % 2 ? "k" : "j");
          }
          return 4 * (entries - 1);
        }"""
    )
    assert steps > 100
    assert layouts() - before < steps / 4


def test_a_step_is_told_and_its_reversal_too(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    page.keyboard.press("ArrowRight")
    live(page, "Ada plays 31: 8/5 6/5; Ben to roll")
    page.keyboard.press("ArrowLeft")
    live(page, "Back before: Ada plays 31: 8/5 6/5; Ada to play")


CHECKERS = "tb-board .men > *"


def test_a_match_that_is_over_opens_with_its_first_game(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().ended("one").events, "m1"))
    expect(page.locator(".said")).to_have_text("A game begins; opening roll to come.")
    expect(page.locator(CHECKERS)).to_have_count(30)
    expect(page.locator(".match-head")).to_contain_text("finished")
    page.keyboard.press("Home")
    expect(page.locator(".said")).to_contain_text("The match is opened")
    expect(page.locator("#board-note")).to_contain_text("this is the starting position")
    expect(page.locator(CHECKERS)).to_have_count(30)


def test_a_match_in_play_opens_where_it_stands(site: Site, director_page: Page) -> None:
    page = director_page
    table = disputed_match()
    open_replay(page, put(site, table.events, "m1"))
    expect(page.locator("[aria-current=true]")).to_have_attribute(
        "data-version", str(len(table.events))
    )
    expect(page.locator(".match-head")).to_contain_text("in play")


def test_a_match_that_has_not_begun_shows_the_starting_position(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, Table(3).clock(360).events, "m1"))
    expect(page.locator(CHECKERS)).to_have_count(30)
    expect(page.locator("#board-note")).to_have_text(
        "No game has begun: this is the starting position."
    )
    expect(page.get_by_role("button", name=re.compile("disputed", re.I))).to_have_count(0)
    expect(page.locator(".match-head")).to_contain_text("to begin")


def test_the_way_to_the_match_page_and_back_keeps_the_moment(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v7")
    page.get_by_role("link", name="match page").click()
    expect(page.locator("#now")).to_have_attribute("data-version", "7")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#now")).to_have_attribute("data-version", "9")
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "9")


def test_the_keys_are_those_that_chess_players_know(site: Site, director_page: Page) -> None:
    page = director_page
    table = disputed_match()
    open_replay(page, put(site, table.events, "m1"))
    current = page.locator("[aria-current=true]")
    for key, version in (
        *(("End", len(table.events)), ("Home", 1), ("j", 2), ("k", 1), ("PageDown", 4)),
        *(("$", len(table.events)), ("0", 1), ("n", 4)),
        *(("Shift+ArrowRight", 8), ("Shift+ArrowRight", 12), ("Shift+ArrowLeft", 8)),
        *(("d", 14), ("d", 17), ("Shift+D", 14)),
    ):
        page.keyboard.press(key)
        expect(current).to_have_attribute("data-version", str(version))
    columns = page.locator("tb-board [data-place]")
    first = columns.first.get_attribute("data-place")
    page.keyboard.press("f")
    expect(columns.first).not_to_have_attribute("data-place", str(first))
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Before", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="After", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_play_goes_checker_by_checker_where_that_is_wanted(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    page.get_by_label("Steps").select_option("checkers")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    live(page, "Ada moves 8/5, checker 1 of 2")
    expect(page.locator('tb-board [data-place="6"]')).to_have_attribute(
        "aria-label", re.compile("5 checkers of Ada")
    )
    expect(page.locator('tb-board [data-place="5"]')).to_have_attribute(
        "aria-label", re.compile("1 checker of Ada, arrived here")
    )
    page.keyboard.press("ArrowRight")
    live(page, "Ada moves 6/5, checker 2 of 2")
    page.keyboard.press("ArrowRight")
    live(page, "Ada plays 31: 8/5 6/5; Ben to roll")


def test_a_checker_that_is_taken_back_is_told_as_taken_back(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v7")
    page.get_by_label("Steps").select_option("checkers")
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    live(page, "Back before: Ada plays 31: 8/5 6/5; after checker 2 of 2")
    page.keyboard.press("ArrowLeft")
    live(page, "Back before: Ada moves 6/5, checker 2 of 2; after checker 1 of 2")
    page.keyboard.press("ArrowLeft")
    live(page, "Back before: Ada moves 8/5, checker 1 of 2; Ada to play")
    page.keyboard.press("ArrowRight")
    live(page, "Ada moves 8/5, checker 1 of 2")


def test_a_reader_may_step_by_turns(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    page.get_by_label("Steps").select_option("turns")
    expect(page.locator(".said")).to_contain_text("Ada plays 31: 8/5 6/5")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".said")).to_contain_text("The roll of Ben does not count: cocked")
    expect(page.locator(".said")).to_contain_text("Ben plays 64: 24/14")


def test_a_roll_that_waits_is_told_with_its_turn(site: Site, director_page: Page) -> None:
    page, events = director_page, disputed_match().events
    open_replay(page, put(site, events[:13], "m1"), "#v12")
    page.get_by_label("Steps").select_option("turns")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    live(page, "Ada rolls 52; Ada to play")
    expect(page.locator(".said")).to_have_text("Ada rolls 52; Ada to play.")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".said")).to_contain_text("Ben plays 64: 24/14")
    expect(page.locator(".said")).not_to_contain_text("Ben rolls")


def test_the_list_marks_the_turn_of_an_entry_inside_it(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    page.get_by_label("Steps").select_option("turns")
    for version in (9, 10, 11, 12):
        page.evaluate(f"location.hash = '#v{version}'")
        expect(page.locator(".entry-head .facts")).to_contain_text(f"Entry {version} ")
        expect(page.locator("[aria-current=true]")).to_have_count(1)
        expect(page.locator("[aria-current=true]")).to_contain_text("24/14")


def test_a_box_that_was_ticked_leaves_the_arrows_to_the_record(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    current = page.locator("[aria-current=true]")
    box = page.get_by_label("Skip idle time")
    box.click()
    expect(box).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(current).to_have_attribute("data-version", "7")
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    expect(page.locator("[data-key=play]")).to_have_attribute("title", "Play")
    corrected = page.get_by_label("As corrected")
    corrected.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("As recorded")).to_be_checked()
    expect(current).to_have_attribute("data-version", "7")


PHONE = {"width": 390, "height": 844}


def test_whoever_follows_a_link_to_an_entry_sees_its_board(
    site: Site, new_context: Any, sign_in: SignIn
) -> None:
    context = new_context(viewport=PHONE)
    sign_in(context)
    page = context.new_page()
    open_replay(page, put(site, disputed_match().events, "m1"), "#v4")
    page.locator("#beside > summary").click()
    page.locator("#every-entry").check()
    board, current = page.locator("tb-board"), page.locator("[aria-current=true]")
    for link, version in (
        (page.locator('button.entry[data-version="12"]'), "12"),
        (page.locator("#findings").get_by_role("button", name="Entry 14").first, "14"),
        (page.locator(".sheets").get_by_role("button", name="0–1"), "37"),
    ):
        link.scroll_into_view_if_needed()
        expect(board).not_to_be_in_viewport()
        link.click()
        expect(current).to_have_attribute("data-version", version)
        expect(board).to_be_in_viewport(ratio=1)
    page.locator("#findings").scroll_into_view_if_needed()
    expect(board).not_to_be_in_viewport()
    page.keyboard.press("ArrowLeft")
    expect(current).to_have_attribute("data-version", "36")
    expect(board).not_to_be_in_viewport()


def test_whoever_follows_a_link_of_the_match_page_sees_its_board(
    site: Site, new_context: Any, sign_in: SignIn
) -> None:
    context = new_context(viewport=PHONE)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/matches/{LOG}/{put(site, disputed_match().events, 'm1')}")
    expect(page.locator(".ids button").first).to_be_visible()
    board, now = page.locator("figure.board"), page.locator("#now")
    for link, version in (
        (page.locator('#sheet a[href="?at=31#board"]'), "31"),
        (page.locator('.findings a[href="?at=14#board"]').first, "14"),
    ):
        link.scroll_into_view_if_needed()
        expect(board).not_to_be_in_viewport()
        link.click()
        expect(now).to_have_attribute("data-version", version)
        expect(board).to_be_in_viewport(ratio=1)
    page.locator("#downloads").scroll_into_view_if_needed()
    expect(board).not_to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    expect(now).not_to_have_attribute("data-version", "14")
    expect(board).not_to_be_in_viewport()


def test_a_link_leads_to_the_entry_the_checker_and_the_rule_set(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    open_replay(page, match, "?rules=biba-2014#v14")
    assert said(page).startswith("Ada plays 52: 24/21 13/8")
    expect(page.get_by_label("Judge under")).to_have_value("biba-2014")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?rules=biba-2014#v15$"))
    open_replay(page, match, "#v7.1")
    page.reload()
    expect(page.locator(".said")).to_have_text("Ada moves 8/5, checker 1 of 2.")


def test_the_link_is_copied(site: Site, new_context: Any, sign_in: SignIn) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    sign_in(context)
    page = context.new_page()
    open_replay(page, put(site, disputed_match().events, "m1"), "#v14")
    page.get_by_role("button", name="Copy link").click()
    live(page, "The link to entry 14 is copied.")
    assert (
        page.evaluate("navigator.clipboard.readText()") == f"{site.url}/matches/{LOG}/m1/replay#v14"
    )
    with site.http() as client:
        scenes = client.get(f"/logs/{LOG}/matches/m1/scenes").json()["scenes"]
    [scene] = [one for one in scenes if one["version"] == 14]
    assert scene["checkers"]["one"] is not None
    page.get_by_role("link", name="Search this position").click()
    expect(page).to_have_url(re.compile(r"/search\?text="))
    expect(page.locator("#text")).not_to_have_value("")
    # Nobody is on roll before the opening roll, and by nobody's board nothing can be searched for.
    start = next(one["version"] for one in scenes if one["game"] and one["on_roll"] is None)
    page.goto(f"/matches/{LOG}/m1/replay#v{start}")
    expect(page.locator("#tool-copy")).to_be_visible()
    expect(page.locator("#tool-search")).to_be_hidden()


def test_before_after_and_disputed_are_three_boards(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v14")
    at_8 = page.locator('tb-board [data-place="8"]')
    at_21 = page.locator('tb-board [data-place="21"]')
    expect(at_8).to_have_attribute("aria-label", re.compile("arrived here"))
    expect(page.locator('tb-board [data-place="24"]')).to_have_attribute(
        "aria-label", re.compile("1 checker of Ada, stood here before")
    )
    page.get_by_role("button", name="Before", exact=True).click()
    expect(at_21).to_have_attribute("aria-label", "Point 21, empty")
    page.keyboard.press("End")
    page.get_by_role("button", name="Disputed", exact=True).click()
    expect(page.locator("#board-note")).to_have_text(
        "Frozen at entry 14 by the dispute raised at 17"
    )
    expect(at_21).to_have_attribute("aria-label", re.compile("1 checker of Ada"))


SPOTS = """(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const {e, f} = new DOMMatrix(getComputedStyle(one).transform);
  return `${Math.round(e)} ${Math.round(f)}`;
}).sort()"""


def test_every_checker_of_a_play_is_marked_where_it_lay_and_where_it_lies(
    site: Site, new_context: Any, sign_in: SignIn
) -> None:
    context = new_context(reduced_motion="reduce")
    sign_in(context)
    page = context.new_page()
    open_replay(page, put(site, disputed_match().events, "m1"), "#v44")
    marks = "tb-board .over .mark"
    expect(page.locator(f"{marks}.ghost")).to_have_count(4)
    expect(page.locator(f"{marks}.to")).to_have_count(4)
    checkers = page.evaluate(SPOTS, "tb-board .man")
    left = page.evaluate(SPOTS, f"{marks}.ghost")
    assert len(set(left)) == 4
    assert set(left).isdisjoint(checkers)
    arrived = page.evaluate(SPOTS, f"{marks}.to")
    assert len(set(arrived)) == 4
    assert set(arrived) <= set(checkers)
    shot(page, "replay-marks-after")
    page.keyboard.press("b")
    expect(page.locator(marks)).to_have_count(4)
    # What is about to move is marked on the checkers themselves: an empty ring looks like one more.
    assert page.evaluate(SPOTS, f"{marks}.leaves") == left
    assert set(left) <= set(page.evaluate(SPOTS, "tb-board .man"))
    expect(page.locator('tb-board [data-place="24"]')).to_have_attribute(
        "aria-label", re.compile("2 checkers of Ada, about to move")
    )
    shot(page, "replay-marks-before")


def plates(page: Page) -> list[str]:
    """Who is on roll, pips, clock and score of both."""
    return page.locator(".plate").all_inner_texts()


def test_the_plates_tell_the_moment_of_the_board(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v37")
    first_game = plates(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "38")
    assert plates(page) != first_game
    page.keyboard.press("b")
    assert plates(page) == first_game
    page.evaluate("location.hash = '#v14'")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "14")
    frozen = plates(page)
    page.evaluate("location.hash = '#v24'")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "24")
    assert plates(page) != frozen
    page.get_by_role("button", name="Disputed", exact=True).click()
    assert plates(page) == frozen


def test_a_link_to_a_moment_is_followed_though_the_address_of_the_last_step_is_written_meanwhile(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v37")
    # As where the address of a step, which waits for a moment of rest, is written just then.
    page.evaluate("() => { location.hash = '#v14'; history.replaceState(null, '', '#v38'); }")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "14")


def test_while_a_play_is_on_its_way_only_its_checkers_have_changed(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v6")
    ada = page.locator(".plate[data-seat=one]")
    expect(ada).to_contain_text("167 pips")
    rolled = plates(page)
    page.get_by_label("Steps").select_option("checkers")
    page.locator("h1").click()
    for pips in (164, 163):
        page.keyboard.press("ArrowRight")
        expect(ada).to_contain_text(f"{pips} pips")
        assert plates(page) == [
            one.replace("167 pips", f"{pips} pips", one.startswith("Ada")) for one in rolled
        ]
    expect(ada.locator(".badge")).to_have_text("on roll")
    page.keyboard.press("ArrowRight")
    expect(ada).to_contain_text("163 pips")
    expect(ada.locator(".badge")).to_have_count(0)


IN_SIGHT = """() => {
  const turn = document.querySelector('.turn[data-seat="one"]');
  const {top, height} = turn.getBoundingClientRect();
  let end = innerHeight;
  for (let box = turn.parentElement; box !== null; box = box.parentElement) {
    const {overflowY, maxHeight} = getComputedStyle(box);
    // A short match fills its box by far not.
    if (overflowY !== 'visible' && maxHeight !== 'none') {
      end = Math.min(end, box.getBoundingClientRect().top + parseFloat(maxHeight));
    }
  }
  return 2 * Math.floor((end - top) / height);
}"""
"""How many turns of the record have room on the screen, two beside each other."""


def test_the_list_tells_what_the_clock_shows_of_whoever_pressed_it(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    open_replay(page, match)
    with site.http() as client:
        scenes = client.get(f"/logs/{LOG}/matches/{match}/scenes").json()["scenes"]
    pressed = [scene for scene in scenes if scene["tag"] == "clock.pressed"]
    assert len(pressed) > 5
    for scene in pressed:
        minutes, seconds = divmod(scene["clock"]["reserve_ms"][scene["seat"]] // 1000, 60)
        expect(page.locator(f'button.entry[data-version="{scene["version"]}"]')).to_have_text(
            f"clock {minutes}:{seconds:02}"
        )
    # A press and a roll are told with their play, unless every entry is wanted.
    press = page.locator(f'button.entry[data-version="{pressed[0]["version"]}"]')
    expect(press).to_be_hidden()
    expect(page.locator("button.entry[data-roll]").first).to_be_visible()
    page.locator("#every-entry").check()
    expect(press).to_be_visible()
    page.locator("#every-entry").uncheck()
    page.set_viewport_size({"width": 1440, "height": 900})
    for below in (".timeline .slider", ".steps"):
        expect(page.locator(below)).to_be_in_viewport(ratio=1)
    one, two = (page.locator(f'.turn[data-seat="{seat}"]').first for seat in ("one", "two"))
    seen = page.evaluate(IN_SIGHT)
    assert seen >= 20, f"{seen} turns are in sight beside the board"
    places = one.bounding_box(), two.bounding_box()
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["x"] + places[0]["width"] <= places[1]["x"]


def test_a_correction_is_shown_with_what_was_recorded_first(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    open_replay(page, match, "#v31")
    assert said(page).startswith("Ben plays 65: 13/8 13/7")
    expect(page.locator(".corrected")).to_contain_text("amended by entry 33")
    expect(page.locator(".corrected s")).to_have_text("Ben plays 18/7")
    expect(page.locator(".corrected .written-by")).to_contain_text("Written down by")
    expect(page.locator(".corrected .written-by")).not_to_contain_text("tablet-7")
    expect(page.locator(".corrected")).to_contain_text("Reason: not recorded")
    taken_back = page.locator('button.entry[data-version="25"]')
    expect(taken_back.locator("s")).to_have_text("Ada: 21")
    taken_back.click()
    expect(page.locator(".corrected")).to_contain_text("taken back by entry 26")
    page.get_by_label("As recorded").check()
    expect(page).to_have_url(re.compile("as_recorded=true"))
    page.evaluate("location.hash = '#v31'")
    expect(page.locator(".said")).to_contain_text("Ben plays 65: 18/7")
    expect(page.locator(".corrected")).to_have_count(0)


def test_findings_carry_their_citation_and_the_words_of_its_section(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v14")
    found = page.locator(".entry-findings .finding")
    expect(found).to_contain_text("24/21 13/8 with 52: that is not what the dice show")
    expect(found.locator("cite")).to_have_text("USBGF, July 2017, [4.2.3]")
    expect(found.locator(".caption")).not_to_be_empty()
    page.locator("#windows > summary").click()
    expect(page.locator(".windows li")).to_contain_text("illegal play at entry 14")


def test_another_rule_set_shows_other_findings_and_marks_them(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v20")
    expect(page.locator("#findings h3").last).to_have_text("USBGF, July 2017")
    page.get_by_label("Judge under").select_option("biba-2014")
    expect(page.get_by_text("Biba 2014 differs from USBGF, July 2017")).to_be_visible()
    expect(page.get_by_text("3 differences from USBGF, July 2017", exact=True)).to_be_visible()
    contrasts = page.locator(".contrast-list > li")
    # How long a clock gives, whether it may be stopped for a dispute, what came of the notice.
    expect(contrasts).to_have_count(3)
    expect(contrasts.last.locator("dd").last).to_contain_text("was noticed too late, and stands")
    expect(page.locator(".contrast-list")).to_contain_text("Left to a ruling.")
    expect(page.locator(".contrast-list")).to_contain_text("Readings: ")
    expect(page.locator("button.entry .of-contrast")).not_to_have_count(0)
    contrasts.last.get_by_role("button").first.click()
    expect(page.locator(".details .contrast")).to_contain_text("Biba 2014")
    page.get_by_label("Judge under").select_option("usbgf-2017-07")
    expect(page.locator(".contrast-list")).to_have_count(0)


def test_the_choices_say_what_is_shown_whichever_answer_comes_last_or_none(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v20")
    chosen, shown = page.get_by_label("Judge under"), page.locator("#paper")
    biba = re.compile(r"/scenes\?rules=biba-2014")
    held: list[Any] = []
    page.route(biba, lambda route: held.append(route))
    chosen.select_option("biba-2014")
    wait_until(page, lambda: len(held) == 1)
    chosen.select_option("usbgf-2017-09")
    expect(shown).to_contain_text("USBGF, September 2017")
    with page.expect_response(biba):
        held[0].continue_()
    page.keyboard.press("ArrowRight")
    expect(shown).to_contain_text("USBGF, September 2017")
    expect(chosen).to_have_value("usbgf-2017-09")
    page.unroute(biba)
    page.route(biba, lambda route: route.abort())
    chosen.select_option("biba-2014")
    expect(page.locator("#refused")).to_be_in_viewport()
    expect(chosen).to_have_value("usbgf-2017-09")


def test_rule_sets_are_not_said_to_agree_where_findings_are_held_back(
    site: Site, director_page: Page, page: Page
) -> None:
    table = Table(3, rule_set="usbgf-2017-07").clock(360)
    table.game().opening(3, 1).play("one", "8/5 6/5").turn("two", 64, "24/14")
    slip = table.roll("one", 52).play("one", "13/8 24/21").last
    table.roll("two", 62)
    table.record(play.PlayIllegalityNoticed(target=slip, noticed_by=Actor.TWO))
    table.record(PublicationReleased())
    match = put(site, table.events, "m1")
    open_replay(director_page, match, "?rules=biba-2014")
    expect(director_page.locator("#findings")).to_contain_text("Biba 2014 differs from")
    open_replay(page, match, "?rules=biba-2014")
    expect(page.locator("#findings")).to_contain_text("is shown when it is over")
    expect(page.locator("#findings")).not_to_contain_text("says the same")


def test_the_drawer_tells_where_an_entry_comes_from_and_what_that_proves(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1", offline=range(12, 20))
    [entry] = [one for one in site.entries(match) if one["version"] == 14]
    open_replay(page, match, "#v14")
    page.locator("#provenance > summary").click()
    drawer = page.locator("#provenance")
    expect(drawer).to_contain_text(entry["leaf_hash"])
    expect(drawer).to_contain_text(entry["entry_id"])
    expect(drawer).to_contain_text("none: not recorded by a paired device")
    expect(drawer).to_contain_text(re.compile(r"recorded .*, received .*, offline"))
    expect(drawer).to_contain_text("It does not show that what was recorded is what happened")
    expect(page.locator(".timeline .track .offline")).to_have_count(1)
    page.locator("h1").click()
    page.keyboard.press("Home")
    expect(drawer).not_to_contain_text("offline")


def test_the_public_is_not_told_who_recorded(site: Site, page: Page) -> None:
    open_replay(
        page,
        put(site, disputed_match(is_released=True).events, "m1", offline=range(12, 20)),
        "#v14",
    )
    page.locator("#provenance > summary").click()
    drawer = page.locator("#provenance")
    expect(drawer).to_contain_text("is not shown to you")
    expect(drawer).not_to_contain_text("tablet-7")
    expect(page.locator(".timeline .track .offline")).to_have_count(0)


def test_nobody_advises_the_public_while_a_game_is_played(site: Site, page: Page) -> None:
    open_replay(page, put(site, disputed_match(is_released=True).events, "m1"), "#v14")
    expect(page.locator(".plate").first).to_contain_text("pips")
    page.locator("#legality > summary").click()
    expect(page.locator("#legality")).to_contain_text("24/21 13/8 with 52 is not legal.")
    page.locator("h1").click()
    page.keyboard.press("End")
    expect(page.locator(".plate").first).not_to_contain_text("pips")
    expect(page.locator("#legality")).to_contain_text("Told once this game is over")


def test_two_sheets_are_compared_game_by_game(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"))
    page.locator("#beside > summary").click()
    row = page.locator(".sheets tbody tr").first
    expect(row).to_have_class("differs")
    expect(row.locator("td.differs")).to_contain_text("0–1")
    row.get_by_role("button", name="0–1").click()
    expect(page.locator(".said")).to_contain_text("Ben: the score is noted as 0–1")


def test_two_scribes_are_aligned_and_the_first_divergence_is_one_click_away(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    other = put(site, second_scribe().events, "m2", shadow_of=match)
    open_replay(page, match)
    page.locator("#beside > summary").click()
    page.get_by_label("Match id of the other record").fill(other)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".scribes")).to_contain_text("First divergence: game 1, turn 2")
    page.get_by_role("button", name="Show the first divergence").click()
    row = page.locator("#first-divergence")
    expect(row).to_be_focused()
    expect(row).to_contain_text("52: 24/21 13/8")
    expect(row).to_contain_text("52: 13/11* 13/8")
    expect(row.locator(".badge")).to_have_text("play")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "14")
    shot(page, "replay-two-scribes")
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile(rf"/matches/{LOG}/m2/replay#v\d+$"))


def test_a_record_that_cannot_be_compared_is_told_in_the_readers_language(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    put(site, second_scribe().events, "m2", shadow_of=match)
    open_replay(page, match, "?lang=de")
    page.locator("#beside > summary").click()
    other = page.locator("#other-record")
    other.fill("m2")
    page.get_by_role("button", name="Vergleichen").click()
    expect(page.locator(".scribes tbody tr")).not_to_have_count(0)
    other.fill("nobody-knows")
    page.get_by_role("button", name="Vergleichen").click()
    expect(page.locator(".beside [role=status]")).to_have_text(
        "Damit lässt sich nicht vergleichen: "
        "Die andere Aufzeichnung gibt es nicht, oder sie ist für Sie nicht sichtbar."
    )
    expect(page.locator(".scribes")).to_be_empty()


@pytest.mark.parametrize(("is_skipping", "is_over"), [(True, True), (False, False)])
def test_it_plays_by_itself_at_speed_and_skips_idle_time(
    site: Site, director_page: Page, is_skipping: bool, is_over: bool
) -> None:
    page = director_page
    page.clock.install()
    table = disputed_match()
    open_replay(page, put(site, table.events, "m1"), "#v4")
    page.get_by_label("Speed").select_option("16")
    page.get_by_label("Skip idle time").set_checked(is_skipping)
    page.locator("h1").click()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    page.keyboard.press("Space")
    playing = page.locator("[data-key=play]")
    expect(playing).to_have_attribute("title", "Pause")
    # Five of the match's eight minutes the clock stood still: twenty seconds at this speed.
    page.clock.run_for(15_000)
    expect(playing).to_have_attribute("title", "Play" if is_over else "Pause")
    shown = page.locator("[aria-current=true]").get_attribute("data-version")
    assert (shown == str(len(table.events))) is is_over
    assert is_over or 17 <= int(shown or 0) < 23


def test_the_timeline_is_a_slider_with_marks_of_each_kind(site: Site, director_page: Page) -> None:
    page = director_page
    table = disputed_match()
    table.record(MomentMarked(target=table.last))
    # Biba leaves a slip that was noticed late to the Director, and so there is a question.
    open_replay(page, put(site, table.events, "m1"), "?rules=biba-2014")
    for kind in ("dispute", "call", "question", "reroll", "correction", "finding", "moment"):
        expect(page.locator(f".track .mark.of-{kind}")).not_to_have_count(0)
    expect(page.locator(".track .idle")).not_to_have_count(0)
    slider = page.get_by_role("slider", name="Timeline")
    box = slider.bounding_box()
    assert box is not None
    slider.click(position={"x": box["width"] - 1, "y": box["height"] / 2})
    expect(page.locator("[aria-current=true]")).to_have_attribute(
        "data-version", str(len(table.events))
    )
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "1")
    page.get_by_role("button", name="Zoom in").click()
    assert slider.bounding_box()["width"] == pytest.approx(2 * box["width"], abs=4)  # type: ignore[index]
    for key in ("End", "Home"):
        slider.press(key)
        page.wait_for_function(CURSOR_IN_SIGHT)


def test_without_javascript_the_turns_stand_on_the_page(
    site: Site, new_context: Any, sign_in: SignIn
) -> None:
    context = new_context(java_script_enabled=False)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/matches/{LOG}/{put(site, disputed_match().events, 'm1')}/replay")
    row = page.locator("#v8")
    expect(row).to_contain_text("Ada plays 31: 8/5 6/5")
    expect(row.get_by_role("link")).to_have_attribute("href", f"/matches/{LOG}/m1?at=8")
    german = context.new_page()
    german.goto(f"/matches/{LOG}/m1/replay?lang=de")
    expect(german.locator("#v8")).to_contain_text("Ada zieht 31: 8/5 6/5")


def test_on_paper_stand_the_position_the_turns_and_the_findings(
    site: Site, director_page: Page
) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"), "#v14")
    page.emulate_media(media="print")
    for shown in ("tb-board", ".games", "#findings", ".details"):
        expect(page.locator(shown)).to_be_visible()
    for hidden in (".transport", ".tools", ".views", ".timeline", ".beside"):
        for part in page.locator(hidden).all():
            expect(part).to_be_hidden()


def test_on_paper_stands_what_the_screen_says_by_its_controls(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1")
    put(site, second_scribe().events, "m2", shadow_of=match)
    open_replay(page, match, "?rules=biba-2014&as_recorded=true#v13")
    paper = page.locator("#paper")
    expect(paper).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.locator("#beside > summary").click()
    page.locator("#other-record").fill("m2")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".scribes table")).to_be_visible()
    page.emulate_media(media="print")
    expect(paper).to_be_visible()
    expect(paper).to_have_text(
        "As recorded · judged under Biba 2014 · Entry 14 · "
        f"{site.url}/matches/{LOG}/m1/replay?rules=biba-2014&as_recorded=true#v14"
    )
    expect(page.locator(".scribes table")).to_be_visible()
    expect(page.get_by_role("heading", name="Two scribes, turn by turn")).to_be_visible()
    shot(page, "replay-paper")


def test_every_screen_is_accessible(site: Site, director_page: Page) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1", offline=range(12, 20))
    put(site, second_scribe().events, "m2", shadow_of=match)
    open_replay(page, match, "?rules=biba-2014#v14")
    for drawer in ("windows", "legality", "provenance", "beside"):
        page.locator(f"#{drawer} > summary").click()
    page.get_by_label("Match id of the other record").fill("m2")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#first-divergence")).to_be_visible()
    expect(page.locator(".origin")).to_be_visible()

    def check(look: str, size: Size) -> None:
        check_axe(page)
        # The entries of the record stand closer where there is a mouse.
        check_targets(page, apart=".turns")
        check_targets(page, least=24)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        page.evaluate("scrollTo(0, 0)")
        shot(page, f"replay-{look}")

    at_every_look(page, [(1180, 820), (1024, 768), (390, 844)], check)


def test_the_list_of_keys_is_accessible(site: Site, director_page: Page) -> None:
    page = director_page
    open_replay(page, put(site, disputed_match().events, "m1"))
    page.keyboard.press("?")
    check_axe(page)
    shot(page, "replay-keys")


def test_a_long_match_is_read_and_stepped_through(site: Site, director_page: Page) -> None:
    page = director_page
    table = long_match(3_000)
    # Seconds of work for server and page, which share two processors with six other browsers.
    open_replay(page, put(site, table.events, "m1"), within_s=120)
    page.keyboard.press("End")
    last = len(table.events)
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", str(last))
    page.wait_for_function(IN_LIST)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", str(last - 1))


def test_words_stand_beside_the_board_at_their_moment_and_all_of_them_on_paper(
    site: Site, director_page: Page
) -> None:
    page = director_page
    match = put(site, disputed_match().events, "m1", table="4")
    says = "The die leaned on a checker <b>."
    with site.http() as client:
        path = f"/logs/{LOG}/matches/{match}"
        version = client.get(path).json()["version"]
        entries = [
            {
                "entry_id": "7e57ab1e-0000-4000-8000-000000000001",
                "tag": "testimony.given",
                "body": {"role": "spectator", "says": says},
            },
            {
                "entry_id": "7e57ab1e-0000-4000-8000-000000000002",
                "tag": "pack.issued",
                "body": {"profile": "full", "to": "Ilse"},
            },
        ]
        sent = client.post(
            f"{path}/events", json={"entries": entries}, headers={"If-Match": str(version)}
        )
        assert sent.status_code == 201, sent.text
    open_replay(page, match, f"#v{version + 1}")
    details = page.locator(".details")
    expect(details).to_contain_text("A spectator says")
    expect(details).to_contain_text(says)
    expect(details.locator(".written-by")).to_contain_text("Written down by")
    # What was done with the record is no moment: nobody steps onto it, and it is told all the same.
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", str(version + 1))
    expect(page.locator("#said")).to_contain_text("Ilse")
    page.emulate_media(media="print")
    expect(page.locator("#said")).to_contain_text(says)
    expect(page.locator("#said")).to_be_visible()
    page.emulate_media(media="screen")
    open_replay(page, match, f"?lang=de#v{version + 1}")
    expect(details).to_contain_text("sagt")
    check_axe(page)


def test_the_crawford_game_shows_no_cube(site: Site, director_page: Page) -> None:
    table = Table(3, score=(2, 1), rule_set="usbgf-2017-07").game().turns(2)
    open_replay(director_page, put(site, table.events, "m1"), "#v4")
    assert director_page.evaluate("document.querySelector('tb-board').cube") is None
