"""A half-tapped play or an open question, interrupted by another tablet, a flag or a stop."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, NewContext, Site, shot
from tests.web.tablet_rig import Scribe, draw, open_tablet
from tests.web.test_hall import Hall
from tests.web.test_questions import answer, asked, expect_same_table
from tests.web.test_tablet import standing_plays

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

TERMS = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
RUNNING = re.compile("running")


def tags(site: Site, match_id: str) -> list[str]:
    return [entry["tag"] for entry in site.entries(match_id)]


# -- another tablet takes over ------------------------------------------------------------------


@pytest.fixture
def hall(site: Site, new_context: NewContext, sign_in: SignIn) -> Hall:
    contexts = [new_context(expects_errors=True) for _ in range(3)]
    sign_in(contexts[2])
    return Hall(site, contexts)


def taken_over(hall: Hall) -> Page:
    """The board goes to the tablet in reserve; its page."""
    hall.open_case()
    hall.hand_over()
    page = hall.second.page
    expect(hall.first.page.locator(".badge.role")).to_have_text("Not the scribe")
    page.locator(".recorder").wait_for()
    expect(page.locator(".badge.role")).to_have_text("Scribe")
    return page


def test_a_question_goes_with_the_board_to_the_tablet_that_takes_over(hall: Hall) -> None:
    hall.begin()
    old = hall.first.page
    hall.first.point(ONE, "18")
    hall.first.dice(3, 1)
    expect(asked(old)).to_have_text("Ada 61: which play?")
    hall.first.settle()
    page = taken_over(hall)
    expect(asked(page)).to_have_text("Ada 61: which play?")
    # Who has lost the board is asked nothing, and what is tapped there is no play.
    expect(old.locator(".question")).to_be_hidden()
    before = tags(hall.site, hall.match)
    hall.first.point(ONE, "17")
    draw(old)
    expect(old.locator(".question")).to_be_hidden()
    assert tags(hall.site, hall.match) == before
    assert hall.branches() == []
    page.reload()
    old.reload()
    expect(asked(page)).to_have_text("Ada 61: which play?")
    old.locator(".recorder").wait_for()
    expect(old.locator(".question")).to_be_hidden()
    hall.second.key("choose")
    hall.second.settle()
    [play] = standing_plays(hall.site, hall.match)
    assert (play["seat"], play["confirmed"]) == ("one", "chosen")
    expect_same_table(page, hall.site, hall.match)
    expect_same_table(old, hall.site, hall.match)


def test_a_play_half_tapped_stays_untold_where_the_board_is_taken_over(hall: Hall) -> None:
    hall.begin()
    hall.first.point(ONE, "18")
    draw(hall.first.page)
    page = taken_over(hall)
    expect(page.locator(".next")).to_have_text("Ada to play")
    assert tags(hall.site, hall.match)[-1] == "dice.opening_rolled"
    hall.first.page.reload()
    expect(hall.first.page.locator(".next.bad")).to_be_visible()
    assert standing_plays(hall.site, hall.match) == []
    for word in ("13", "7", "8", "7"):
        hall.second.point(ONE, word)
    hall.second.key("played")
    hall.second.settle()
    [play] = standing_plays(hall.site, hall.match)
    assert play["moves"] == [[13, 7], [8, 7]]
    assert hall.branches() == []


def test_a_question_that_the_old_tablet_answered_without_a_network_waits_for_the_director(
    hall: Hall,
) -> None:
    hall.begin()
    old = hall.first
    old.point(ONE, "18")
    old.dice(3, 1)
    old.settle()
    old.page.context.set_offline(True)
    old.key("choose")
    expect(old.page.locator(".question")).to_be_hidden()
    expect(old.page.locator(".badge.unsent")).to_be_visible()
    hall.open_case()
    hall.hand_over()
    hall.second.page.locator(".recorder").wait_for()
    expect(asked(hall.second.page)).to_have_text("Ada 61: which play?")
    hall.second.key("not_seen")
    hall.second.settle()
    old.page.context.set_offline(False)
    expect(old.page.locator(".badge.role")).to_have_text("Not the scribe")
    expect(old.page.locator(".alarm")).to_be_visible()
    [branch] = hall.branches()
    assert [item["reason"] for item in branch["items"]] == ["stale_lease"]
    assert standing_plays(hall.site, hall.match) == []
    expect(old.page.locator(".question")).to_be_hidden()


# -- a flag falls -------------------------------------------------------------------------------


@pytest.fixture
def timed(page: Page, site: Site) -> tuple[Scribe, str]:
    """Ada's time runs, on her 6-1; under a rule set by which a flag loses the match."""
    # What the flag ends is run out by the time that a scribe says so.
    terms = {"kind": "simple", "reserve_ms": 500, "delay_ms": 0}
    match_id = site.open_match(
        length=3,
        clock_terms=terms,
        rule_set="usbgf-2017-09",
        appointed_start="2026-11-20T10:00:00Z",
    )
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.press(TWO)
    scribe.settle()
    return scribe, match_id


def flag(scribe: Scribe) -> None:
    """The scribe says that Ada's time has run out."""
    page = scribe.page
    page.locator("[data-act=menu]").tap()
    dialog = page.get_by_role("dialog")
    dialog.locator(".rest > summary").tap()
    dialog.locator(".menu-groups [data-sheet=clock_flag]").tap()
    dialog = page.locator("dialog.tablet-sheet:not(.menu)")
    dialog.get_by_role("button", name="Ada", exact=True).first.tap()
    dialog.get_by_role("button", name="Ben", exact=True).last.tap()
    dialog.get_by_role("button", name="Record", exact=True).tap()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("is_reloaded", [False, True])
def test_a_flag_while_a_play_is_half_tapped_seals_nothing_and_keeps_what_was_tapped(
    timed: tuple[Scribe, str], site: Site, is_reloaded: bool
) -> None:
    scribe, match_id = timed
    page = scribe.page
    scribe.point(ONE, "18")
    flag(scribe)
    expect(page.locator(".next")).to_contain_text("lost on time")
    assert standing_plays(site, match_id) == []
    shot(page, "flag-half-tapped")
    if is_reloaded:
        page.reload()
        expect(page.locator(".next")).to_contain_text("lost on time")
    # What was tapped is marked still.
    expect(page.get_by_role("button", name="Point 18, empty, tapped")).to_have_count(1)
    scribe.key("match_ended")
    scribe.settle()
    # What was tapped does not tell the play: it is kept as taps, and asked for.
    made = [one for one in site.entries(match_id) if one["tag"].startswith(("play.", "match.e"))]
    assert [one["tag"] for one in made] == ["play.unseen", "match.ended"]
    assert (made[0]["basis"], made[0]["body"]["written"]) == ("device", "18")
    expect(asked(page)).to_have_text("Ada 61: which play?")
    if is_reloaded:
        page.reload()
    answer(scribe, "choose")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    assert len(standing_plays(site, match_id)) == 1
    expect_same_table(page, site, match_id)
    expect(page.locator(".area")).to_contain_text("Ben wins the match")


def test_a_flag_after_a_roll_that_nobody_has_begun_to_play_asks_nothing(
    timed: tuple[Scribe, str], site: Site
) -> None:
    scribe, match_id = timed
    flag(scribe)
    scribe.key("match_ended")
    scribe.settle()
    assert [one for one in tags(site, match_id) if one.startswith("play.")] == []
    expect(scribe.page.locator(".question")).to_be_hidden()


def test_a_resignation_while_a_play_is_half_tapped_keeps_what_was_tapped(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.point(ONE, "18")
    page.locator("[data-act=menu]").tap()
    dialog = page.get_by_role("dialog")
    dialog.locator(".first [data-sheet=resignation]").tap()
    dialog.locator(".sheet-keys button").first.tap()
    expect(dialog).to_have_count(0)
    scribe.key("accept")
    scribe.settle()
    said = [one for one in tags(site, match_id) if one.startswith(("play.", "resignation."))]
    assert said == ["play.unseen", "resignation.offered", "resignation.accepted"]
    expect(asked(page)).to_have_text("Ada 61: which play?")
    scribe.key("choose")
    scribe.settle()
    assert len(standing_plays(site, match_id)) == 1
    expect(page.locator(".between .ended").first).to_be_visible()
    expect_same_table(page, site, match_id)


# -- the director stops all clocks --------------------------------------------------------------


class Stopped:
    """A timed match at a tablet, and the room that stops all clocks."""

    def __init__(self, site: Site, tablet: Page, room: Page) -> None:
        self.site, self.page, self.room = site, tablet, room
        terms: dict[str, Any] = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
        self.match = site.open_match(length=3, clock_terms=terms)
        open_tablet(tablet, site, self.match)
        self.scribe = Scribe(tablet)
        self.scribe.key("next_game")
        self.scribe.opening(6, 1)
        self.scribe.press(TWO)
        self.scribe.settle()
        room.goto(f"/room/{LOG}")

    def stop(self) -> None:
        """One key of the director; the tablet has heard it."""
        self.room.get_by_role("button", name="Stop all clocks").tap()
        dialog = self.room.get_by_role("dialog", name="All clocks stopped")
        expect(dialog).to_contain_text("Table 1")
        dialog.get_by_role("button", name="Close").tap()
        expect(self.page.locator(".clock.running")).to_have_count(0)
        draw(self.page)

    def resume(self) -> None:
        """All clocks run again."""
        self.room.get_by_role("button", name="Let all clocks run again").tap()
        expect(self.page.locator(".clock.running")).to_have_count(1)


@pytest.fixture
def stopped(site: Site, new_context: NewContext, sign_in: SignIn) -> Stopped:
    contexts = [new_context(expects_errors=True) for _ in range(2)]
    sign_in(contexts[1])
    return Stopped(site, *(context.new_page() for context in contexts))


@pytest.mark.parametrize("is_reloaded", [False, True])
def test_all_clocks_stopped_while_a_question_is_open_leaves_the_question_and_undo_leaves_the_stop(
    stopped: Stopped, is_reloaded: bool
) -> None:
    page, scribe = stopped.page, stopped.scribe
    scribe.point(ONE, "18")
    scribe.dice(3, 1)
    scribe.settle()
    stopped.stop()
    if is_reloaded:
        page.reload()
    expect(asked(page)).to_have_text("Ada 61: which play?")
    scribe.key("choose")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    [play] = standing_plays(stopped.site, stopped.match)
    assert play["confirmed"] == "chosen"
    expect(page.locator(".next")).to_have_text("Ben to play")
    # Undo takes back what the scribe has done: the answer, the roll; never what the director did.
    scribe.key("undo")
    expect(asked(page)).to_have_text("Ada 61: which play?")
    scribe.key("undo")
    scribe.settle()
    entries = stopped.site.entries(stopped.match)
    by_id = {one["entry_id"]: one["tag"] for one in entries}
    gone = [by_id[one["body"]["target"]] for one in entries if one["tag"] == "entry.retracted"]
    assert gone == ["entry.amended", "dice.rolled"]
    expect(page.locator(".clock.running")).to_have_count(0)
    stopped.resume()
    assert stopped.site.entries(stopped.match)[-1]["tag"] == "clock.resumed"


@pytest.mark.parametrize("is_reloaded", [False, True])
@pytest.mark.parametrize("words", [("18",), ("13", "7", "8", "7"), ("24", "18", "18", "16")])
def test_all_clocks_stopped_while_a_play_is_tapped_shows_alike_whatever_was_tapped(
    stopped: Stopped, words: tuple[str, ...], is_reloaded: bool
) -> None:
    page, scribe = stopped.page, stopped.scribe
    for word in words:
        scribe.point(ONE, word)
    draw(page)
    stopped.stop()
    if is_reloaded:
        page.reload()
    # Whether it is an entry already does not show: it is open until somebody says that it is all.
    expect(page.locator(".next")).to_have_text("Ada to play")
    expect(page.locator('.lines [data-act="fix"]')).to_have_count(0)
    expect(page.locator(".tick.here")).to_have_class(re.compile("open"))
    scribe.key("undo")
    expect(page.locator(".next")).to_have_text("Ada to play")
    scribe.point(ONE, words[-1])
    scribe.key("played")
    scribe.settle()
    found = [play["moves"] for play in standing_plays(stopped.site, stopped.match)]
    expected = {"18": [], "7": [[[13, 7], [8, 7]]], "16": [[[24, 18], [18, 16]]]}[words[-1]]
    assert found == expected
    if expected:
        expect_same_table(page, stopped.site, stopped.match)
    else:
        expect(asked(page)).to_have_text("Ada 61: which play?")
