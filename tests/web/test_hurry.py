"""Hurried scribes: double taps, long names, another language, lost storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, NewContext, Site, check_axe, check_targets, shot
from tests.web.fonts import UNDER_BOTH_FONT_SETS
from tests.web.table_rig import TableRig, act, rig
from tests.web.tablet_rig import BOTH, Scribe, approve, draw, open_tablet

pytestmark = [pytest.mark.warm, pytest.mark.moves]

SMALL = {"width": 1024, "height": 768}

LONG = {
    "one": [{"name": "Maximiliane von Hohenlohe-Schillingsfürst"}],
    "two": [{"name": "Bartholomäus Grünewald-Österreicher"}],
}

CLOCK = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 12_000}


def tags(site: Site, match_id: str) -> list[str]:
    return [entry["tag"] for entry in site.entries(match_id)]


def bounce(page: Page, selector: str) -> None:
    """One tap of a finger that touches twice."""
    key = page.locator(f"{selector}:visible").first
    expect(key).to_be_enabled()
    # Keys that have just come in the place of others take nothing yet.
    page.wait_for_function("() => !document.querySelector('.area').inert")
    key.evaluate("(key) => { key.click(); key.click(); }")


ONCE_MORE = """([x, y]) => {
  globalThis.isOnceMore = false;
  const area = document.querySelector(".area");
  const watching = new MutationObserver(() => {
    if (!area.inert) return;
    watching.disconnect();
    document.elementFromPoint(x, y).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    globalThis.isOnceMore = true;
  });
  watching.observe(area, { attributeFilter: ["inert"] });
}"""
"""The second touch of a finger comes at the moment at which other keys have come."""


def touch_twice(page: Page, selector: str) -> None:
    """Two taps on one place, as fast as a finger can."""
    key = page.locator(f"{selector}:visible").first
    key.tap(trial=True)
    box = key.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(ONCE_MORE, middle)
    page.touchscreen.tap(*middle)
    page.wait_for_function("() => globalThis.isOnceMore")


# -- a finger that touches twice -------------------------------------------------------------------


def test_a_key_touched_twice_at_once_is_taken_once(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    bounce(page, "[data-act=next_game]")
    bounce(page, '.opening [data-dice="61"]')
    scribe.point(ONE, "7")
    scribe.point(ONE, "7")
    bounce(page, '.pad [data-dice="31"]')
    scribe.key("played")
    bounce(page, ".keys [data-act=double]")
    bounce(page, "[data-act=take]")
    scribe.dice(2, 1)
    scribe.key("played")
    scribe.key("double")
    bounce(page, "[data-act=pass]")
    bounce(page, ".top [data-act=confirm]")
    scribe.settle()
    expect(page.locator(".alarm")).to_be_hidden()
    assert tags(site, match_id)[1:] == [
        "game.started",
        "dice.opening_rolled",
        "play.made",
        "dice.rolled",
        "play.made",
        "cube.double_offered",
        "cube.double_taken",
        "dice.rolled",
        "play.made",
        "cube.double_offered",
        "cube.double_dropped",
        "score.noted",
    ]


def test_a_second_tap_does_not_hit_the_key_that_came_in_the_place_of_the_first(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    touch_twice(page, "[data-act=next_game]")
    touch_twice(page, '.opening [data-dice="61"]')
    scribe.key("played")
    scribe.key("double")
    touch_twice(page, "[data-act=pass]")
    scribe.settle()
    assert tags(site, match_id)[1:] == [
        "game.started",
        "dice.opening_rolled",
        "play.made",
        "cube.double_offered",
        "cube.double_dropped",
    ]


def test_dice_keyed_faster_than_they_are_kept_are_taken_in_order(
    new_context: NewContext, site: Site
) -> None:
    match_id = site.open_match(length=3)
    page = new_context(has_touch=False).new_page()
    open_tablet(page, site, match_id)
    page.keyboard.type("n61p31p52")
    Scribe(page).settle()
    expect(page.locator(".alarm")).to_be_hidden()
    assert tags(site, match_id)[1:] == [
        "game.started",
        "dice.opening_rolled",
        "play.made",
        "dice.rolled",
        "play.made",
        "dice.rolled",
    ]


# -- a key speaks of what it was drawn for ---------------------------------------------------------

AT_ONCE = """(selectors) => {
  for (const selector of selectors) {
    const key = document.querySelector(selector);
    if (!key.closest("[inert]")) key.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
}"""
"""Touches of which nothing is drawn in between."""


@pytest.fixture(scope="module")
def _rig(chromium: Browser) -> Iterator[TableRig]:
    with rig(chromium) as tablet:
        yield tablet


@pytest.fixture
def tablet(_rig: TableRig) -> Iterator[TableRig]:
    """A tablet in memory; each test starts its own table, and no taps of another one are kept."""
    yield _rig
    _rig.no_errors()
    _rig.page.evaluate("localStorage.clear()")


def gap(seat: str, **body: Any) -> dict[str, Any]:
    """A play that is asked for."""
    return {**act("play.unseen", seat=seat, count=1, **body), "basis": "device"}


def drawn(tablet: TableRig) -> None:
    """Nothing is new on the screen any more: every key takes a finger."""
    tablet.page.wait_for_function("() => !document.querySelector('.recorder [inert]')")


def place(point: str) -> str:
    return f'tb-board rect[data-place="{point}"]'


PLAYED = "[data-act=played]"
UNDO = "[data-act=undo]"
OPENING = act("dice.opening_rolled", one=3, two=1)
ROLLED = act("dice.rolled", seat="two", dice=[6, 4])
PLAYS = [OPENING, act("play.made", seat="one", moves=[[8, 5], [6, 5]]), ROLLED]
ASKED = [OPENING, gap("one"), ROLLED, gap("two"), act("dice.rolled", seat="one", dice=[6, 6])]


@pytest.mark.parametrize(
    "second", [PLAYED, place("10"), place("1"), "[data-act=as_played]", '[data-dice="65"]']
)
def test_a_touch_about_a_play_that_its_taps_have_put_right_says_nothing_of_the_next_one(
    tablet: TableRig, second: str
) -> None:
    for is_drawn in (False, True):
        tablet.start(*PLAYS)
        tablet.do("fix(table.recorder.table.last_play.entry)")
        for point in ("24", "23", "13"):
            tablet.do(f"tap('{point}')")
        drawn(tablet)
        known = len(tablet.entries)
        if is_drawn:
            # A frame later the finger is still on its way.
            tablet.page.evaluate(AT_ONCE, [place("10")])
            tablet.page.wait_for_function("() => document.querySelector('tb-board').inert")
            tablet.page.evaluate(AT_ONCE, [second])
        else:
            tablet.page.evaluate(AT_ONCE, [place("10"), second])
        tablet.settle()
        ((tag, body),) = tablet.entries[known:]
        assert (tag, body["body"]["moves"]) == ("entry.amended", [[24, 23], [13, 10]])
        assert tablet.page.evaluate("table.recorder.turn.words") == []
        # What is touched once the next play can be seen is about that.
        drawn(tablet)
        tablet.key("played").tap()
        tablet.settle()
        assert tablet.entries[-1] == (
            "play.made",
            {"seat": "two", "confirmed": "played", "taps": ["played"]},
        )


def test_undo_that_leaves_a_play_as_it_was_takes_nothing_back_though_touched_twice(
    tablet: TableRig,
) -> None:
    tablet.start(*PLAYS)
    tablet.do("fix(table.recorder.table.last_play.entry)")
    drawn(tablet)
    known = len(tablet.entries)
    tablet.page.evaluate(AT_ONCE, [UNDO, UNDO])
    tablet.settle()
    assert (tablet.heading, len(tablet.entries)) == ("Ben to play", known)
    drawn(tablet)
    tablet.page.evaluate(AT_ONCE, [UNDO])
    tablet.settle()
    assert tablet.entries[-1][0] == "entry.retracted"


def test_a_question_that_its_taps_have_answered_leaves_the_next_play_as_it_is(
    tablet: TableRig,
) -> None:
    tablet.start(OPENING, gap("one", written="24"), ROLLED)
    for point in ("23", "13"):
        tablet.do(f"tap('{point}')")
    drawn(tablet)
    known = len(tablet.entries)
    tablet.page.evaluate(AT_ONCE, [place("10"), PLAYED])
    tablet.settle()
    assert [tag for tag, _ in tablet.entries[known:]] == ["entry.amended"]
    assert tablet.heading == "Ben to play"


@pytest.mark.parametrize("answer", ["nothing", "not_seen"])
def test_an_answer_touched_twice_answers_no_question_that_nobody_has_read(
    tablet: TableRig, answer: str
) -> None:
    tablet.start(*ASKED)
    drawn(tablet)
    key = f".question [data-act={answer}]"
    known = len(tablet.entries)
    tablet.page.evaluate(AT_ONCE, [key, key])
    tablet.settle()
    assert [body["target"] for _, body in tablet.entries[known:]] == ["training-4"]


def test_played_touched_twice_says_nothing_of_an_early_roll_that_lies_there(
    tablet: TableRig,
) -> None:
    early = act("dice.rolled_early", seat="two", dice=[6, 5])
    tablet.start(OPENING, early, act("dice.early_roll_answered", answer="stands", seat="one"))
    for _ in range(2):
        tablet.do("tap('5')")
    drawn(tablet)
    known = len(tablet.entries)
    tablet.page.evaluate(AT_ONCE, [PLAYED, PLAYED])
    tablet.settle()
    assert (tablet.heading, len(tablet.entries)) == ("Ben plays the early 65", known)


def test_a_score_put_right_since_it_was_drawn_is_confirmed_by_nobody(tablet: TableRig) -> None:
    tablet.start(OPENING, act("game.won", winner="one", points=2, kind="gammon"))
    drawn(tablet)
    known = len(tablet.entries)
    tablet.page.evaluate("""() => {
      const body = { score: { one: 1, two: 0 } };
      table.outbox.record("score.stated", body, { basis: "ruled" });
      document.querySelector("[data-act=confirm]").click();
    }""")
    tablet.settle()
    assert [tag for tag, _ in tablet.entries[known:]] == ["score.stated"]


def test_what_is_keyed_faster_than_it_is_drawn_is_about_the_dice_before_it(
    tablet: TableRig,
) -> None:
    tablet.start(OPENING)
    drawn(tablet)
    tablet.page.evaluate("""() => {
      const { recorder } = table;
      for (const dice of [[6, 4], [6, 6]]) {
        recorder.played();
        recorder.roll(dice);
      }
      recorder.undo();
      recorder.roll([5, 5]);
      recorder.played();
    }""")
    tablet.settle()
    told = [(tag, body.get("dice")) for tag, body in tablet.entries[3:]]
    assert told == [
        ("play.made", None),
        ("dice.rolled", [6, 4]),
        ("play.made", None),
        ("dice.rolled", [6, 6]),
        ("entry.retracted", None),
        ("dice.rolled", [5, 5]),
        ("play.made", None),
    ]


# -- nothing moves, nothing is covered -------------------------------------------------------------

RECTS = """() => Object.fromEntries([...document.querySelectorAll(
  '.panel button[data-act], .pad [data-dice], tb-board rect[data-place], .player .clock')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}))
  .map((e) => {
    const {x, y, width, height} = e.getBoundingClientRect();
    const pad = e.closest('.opening') ? 'opening ' : '';
    const place = e.dataset.place && `place ${e.dataset.place}`;
    const name = e.dataset.act ?? e.dataset.dice ?? place;
    const key = pad + (name ?? e.closest('.player').dataset.seat);
    return [key, [x, y, width, height].map(Math.round).join()];
  }).filter(([key]) => key !== 'fix' && !key.startsWith('next_')))"""

CUT = """() => [...document.querySelectorAll('.recorder button, .recorder h1, .recorder .card p')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}))
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2)
  .map((e) => [e.textContent, e.scrollWidth, e.clientWidth, e.scrollHeight, e.clientHeight]
    .join())"""


@UNDER_BOTH_FONT_SETS
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_no_key_moves_and_no_word_is_cut_whatever_the_players_are_called(
    new_context: NewContext, site: Site, language: str, fonts: str
) -> None:
    match_id = site.open_match(length=3, table="4", players=LONG, clock_terms=CLOCK)
    look_of = {"locale": language, "viewport": SMALL, "reduced_motion": "reduce", "fonts": fonts}
    page = new_context(**look_of).new_page()
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match_id}).json()
    page.goto(f"/tablet?code={made['code']}")
    expect(page.locator(".fingerprint li")).to_have_count(4)
    approve(site, made["pairing_id"], match_id)
    scribe = Scribe(page)
    places: dict[str, tuple[str, str]] = {}
    moved: list[str] = []

    def look(name: str) -> None:
        expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
        draw(page)
        shot(page, f"{name}-{language}-{fonts}")
        for key, place in page.evaluate(RECTS).items():
            first, at = places.setdefault(key, (name, place))
            if at != place:
                moved.append(f"{key}: {at} at {first}, {place} at {name}")
        assert page.evaluate(CUT) == [], name
        whole = page.evaluate("(e => [e.scrollWidth, e.scrollHeight])(document.documentElement)")
        assert whole == [SMALL["width"], SMALL["height"]], name

    expect(page.locator(".badge.role")).to_have_class(re.compile("good"))
    look("between")
    scribe.key("next_game")
    look("opening")
    scribe.opening(3, 3)
    look("tie")
    scribe.opening(6, 1)
    look("play")
    scribe.dice(3, 3)
    expect(page.locator(".question")).to_be_visible()
    look("question")
    scribe.key("mistyped")
    expect(page.locator(".note")).to_be_visible()
    look("note")
    scribe.key("undo")
    scribe.key("undo")
    scribe.point(ONE, "7")
    look("half")
    scribe.point(ONE, "7")
    scribe.press(TWO)
    look("clock")
    scribe.dice(5, 5)
    look("doublet")
    page.context.set_offline(True)
    scribe.key("played")
    scribe.key("double")
    look("answer")
    scribe.key_of(TWO, "take")
    page.context.set_offline(False)
    scribe.dice(6, 6)
    scribe.key("played")
    scribe.key("double")
    scribe.key_of(ONE, "pass")
    look("over")
    check_targets(page)
    check_axe(page)
    scribe.key_of(ONE, "confirm")
    look("confirmed")
    assert moved == []


# -- another language, another identity ------------------------------------------------------------


@pytest.mark.service_worker
def test_the_language_is_chosen_on_a_tablet_whatever_its_worker_has_kept(
    page: Page, site: Site
) -> None:
    open_tablet(page, site, site.open_match(length=3))
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.get_by_role("button", name="View").tap()
    page.get_by_role("button", name="Deutsch").tap()
    expect(page.locator(".next")).to_have_text("Vor dem ersten Spiel")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.context.set_offline(True)
    page.goto("/tablet")
    expect(page.locator(".next")).to_have_text("Vor dem ersten Spiel")


def leave(page: Page) -> None:
    """To a page of the same origin that holds no database open."""
    page.goto("/tablet.webmanifest")


def test_a_tablet_that_lost_its_database_asks_for_a_code(page: Page, site: Site) -> None:
    open_tablet(page, site, site.open_match(length=3))
    leave(page)
    page.evaluate("""() => new Promise((done) => {
      indexedDB.deleteDatabase("tabularium-device").onsuccess = done;
    })""")
    page.goto("/tablet")
    expect(page.get_by_label("Code")).to_be_visible()


FORGET = """() => new Promise((done) => {
  const request = indexedDB.open("tabularium-device");
  request.onsuccess = () => {
    const write = request.result.transaction(["chains"], "readwrite");
    write.objectStore("chains").clear();
    write.oncomplete = () => { request.result.close(); done(); };
  };
})"""


def test_a_tablet_paired_anew_and_reloaded_while_it_waits_gets_the_board_of_its_new_code(
    page: Page, site: Site
) -> None:
    first, second = site.open_match(length=1), site.open_match(length=1)
    open_tablet(page, site, first)
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": second}).json()
    page.goto(f"/tablet?code={made['code']}")
    expect(page.locator(".fingerprint li")).to_have_count(4)
    page.reload()
    expect(page.locator(".fingerprint li")).to_have_count(4)
    approve(site, made["pairing_id"], second)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.settle()
    assert (tags(site, first)[-1], tags(site, second)[-1]) == ("match.opened", "game.started")


PUT_ASIDE = """() => {
  window.isOld = true;
  for (const name of ["pagehide", "pageshow"]) {
    dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
  }
}"""
"""What a page hears that a browser has put aside and brought back as it was."""


def test_a_page_that_comes_back_as_it_was_left_is_loaded_anew_and_waits_on(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=1)
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match_id}).json()
    page.goto(f"/tablet?code={made['code']}")
    expect(page.locator(".fingerprint li")).to_have_count(4)
    page.evaluate(PUT_ASIDE)
    page.wait_for_function("() => !window.isOld")
    # It had given up waiting, and asked for another code: the one that it has is good.
    expect(page.locator(".fingerprint li")).to_have_count(4)
    approve(site, made["pairing_id"], match_id)
    expect(page.locator(".recorder")).to_be_visible()


def test_an_alarm_says_what_to_do_and_leads_to_a_new_pairing(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.settle()
    leave(page)
    page.evaluate(FORGET)
    page.goto("/tablet")
    expect(page.locator(".alarm")).to_contain_text("storage")
    check_axe(page)
    page.locator(".alarm").tap()
    expect(page.get_by_role("button", name="Save what is unsent as a file")).to_be_visible()
    check_axe(page)
    check_targets(page)
    shot(page, "alarm")
    page.get_by_role("button", name="Pair again").tap()
    expect(page.get_by_label("Code")).to_be_visible()
    open_tablet(page, site, match_id)
    expect(page.locator(".alarm")).to_be_hidden()
    scribe.opening(6, 1)
    scribe.settle()
    assert tags(site, match_id)[-1] == "dice.opening_rolled"


def test_a_tablet_whose_board_was_taken_says_that_it_records_no_more(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.settle()
    with site.http(site.director) as director:
        answer = director.post(
            f"/logs/{LOG}/leases/end", json={"match": match_id, "reason": "other"}
        )
        assert answer.status_code == 201, answer.text
    expect(page.locator(".next")).to_have_text("This tablet no longer records this board")
    expect(page.locator(".opening")).to_have_count(0)
    shot(page, "taken")
    check_axe(page)


# -- the tablet and the server say the same --------------------------------------------------------

SHOWN = """() => {
  const board = document.querySelector("tb-board");
  const of = (seat, part) => document.querySelector(`.player[data-seat="${seat}"] ${part}`);
  const both = (of) => ({one: of("one"), two: of("two")});
  return {
    checkers: board.board ?? both(() => null),
    cube: board.cube,
    score: both((seat) => Number(of(seat, ".score").textContent)),
    to_act: document.querySelector(".player.acting")?.dataset.seat ?? null,
    running: both((seat) => of(seat, ".clock").classList.contains("running")),
  };
}"""


def told(site: Site, match_id: str) -> dict[str, Any]:
    """The server's folds after the last entry."""
    with site.http() as client:
        answer = client.get(f"/logs/{LOG}/matches/{match_id}/replay")
    last: dict[str, Any] = answer.json()["lines"][-1]
    return last


class Messy(Scribe):
    """A scribe whose every gesture is held against the server."""

    def __init__(self, page: Page, site: Site, match_id: str) -> None:
        super().__init__(page)
        self.site = site
        self.match_id = match_id

    def sheet(self, name: str, *chips: tuple[str, str]) -> None:
        """One sheet of the menu, by its chips; it closes with the last."""
        self.page.locator("[data-act=menu]").tap()
        dialog = self.page.get_by_role("dialog")
        dialog.locator(".rest > summary").tap()
        dialog.locator(f".menu-groups [data-sheet={name}]").tap()
        for legend, label in chips:
            group = dialog.get_by_role("group", name=legend, exact=True)
            group.get_by_role("button", name=label, exact=True).tap()
        expect(dialog).to_have_count(0)

    def check(self, gesture: str) -> None:
        """What the tablet shows is what the server says, and nothing waits for the director."""
        self.settle()
        expect(self.page.locator(".alarm")).to_be_hidden()
        there = told(self.site, self.match_id)
        clock = there["clock"] or {}
        expected = {
            "checkers": there["checkers"],
            "cube": there["cube"],
            "score": there["score"],
            "running": {seat.value: clock.get("running") == seat.value for seat in BOTH},
        }
        if there["tag"] != "play.made":
            # The play just made stays open on a screen that players see.
            expected["to_act"] = there["to_act"]
        here = self.page.evaluate(SHOWN)
        assert {name: here[name] for name in expected} == expected, gesture


@pytest.mark.service_worker
def test_a_messy_match_is_the_same_on_the_tablet_and_on_the_server(page: Page, site: Site) -> None:
    match_id = site.open_match(length=5, clock_terms=CLOCK, appointed_start="2026-11-20T10:00:00Z")
    open_tablet(page, site, match_id)
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    messy = Messy(page, site, match_id)
    messy.key("next_game")
    for one, two in ((3, 3), (6, 1)):
        messy.opening(one, two)
        messy.check(f"opening {one}{two}")
    messy.point(ONE, "7")
    messy.point(ONE, "7")
    messy.press(ONE)
    messy.check("press")
    messy.dice(3, 1)
    messy.sheet("void", ("Why the roll does not count", "Cocked"))
    messy.check("re-roll")
    messy.dice(4, 2)
    messy.point(TWO, "4")
    messy.point(TWO, "4")
    messy.press(TWO)
    messy.check("second play")
    messy.key("clock")
    messy.check("pause")
    messy.key("clock")
    messy.dice(6, 6)
    messy.key("as_played")
    messy.point(ONE, "24")
    messy.point(ONE, "20")
    messy.key("played")
    messy.check("illegal play")
    messy.key("double")
    messy.check("double")
    messy.key_of(ONE, "take")
    messy.check("take")
    for count in range(4):
        messy.key("undo")
        messy.check(f"undo {count}")
    page.context.set_offline(True)
    messy.dice(6, 6)
    messy.key("as_played")
    messy.point(ONE, "24")
    messy.point(ONE, "20")
    messy.key("played")
    messy.key("double")
    messy.key_of(ONE, "take")
    expect(page.locator(".next")).to_have_text("Ben to roll")
    page.reload()
    expect(page.locator(".next")).to_have_text("Ben to roll")
    messy.key("undo")
    messy.key("undo")
    page.context.set_offline(False)
    messy.check("undone offline")
    messy.dice(5, 5)
    messy.key("played")
    messy.key("fix")
    messy.key("as_played")
    messy.point(TWO, "8")
    messy.point(TWO, "3")
    messy.key("played")
    messy.check("put right")
    messy.sheet("unseen", ("Whose play was not seen", "Ada"))
    messy.check("gap")
    messy.key("double")
    messy.key_of(ONE, "take")
    messy.check("take after the gap")
    messy.sheet("resignation", ("At which level", "Gammon"))
    messy.check("resignation")
    messy.page.locator(".player [data-act=refuse]").tap()
    messy.check("refused")
    messy.sheet("resignation", ("At which level", "Gammon"))
    messy.page.locator(".player [data-act=accept]").tap()
    messy.check("accepted")
    messy.key("undo")
    messy.check("undone after the end")
    messy.page.locator(".player [data-act=accept]").tap()
    messy.check("accepted again")
    for seat in BOTH:
        messy.key_of(seat, "confirm")
    messy.key("next_game")
    messy.opening(2, 5)
    messy.check("the Crawford game")
    messy.key("played")
    messy.key("double")
    messy.check("doubles in the Crawford game")
    messy.key_of(TWO, "take")
    messy.dice(2, 1)
    messy.key("played")
    messy.check("goes on")
    messy.sheet("resignation", ("Who resigns", "Ben"), ("At which level", "Single"))
    page.locator(".player [data-act=accept]").tap()
    messy.check("the match is over")
    messy.key_of(ONE, "confirm")
    messy.key_of(TWO, "disagree")
    messy.check("no agreement")
    messy.key_of(TWO, "confirm")
    messy.check("agreed")
    assert tags(site, match_id)[-1] == "match.ended"
    messy.key("undo")
    messy.check("the end undone")
    page.reload()
    expect(page.locator(".between")).to_be_visible()
    messy.check("loaded anew")
