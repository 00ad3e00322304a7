"""The tablet asks about undetermined plays, and records nothing unentered (tablet §3)."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, Site, shot
from tests.web.tablet_rig import Scribe, draw, open_tablet
from tests.web.test_tablet import folded, standing_plays

pytestmark = pytest.mark.warm

CLOCK = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
"""A delay that no machine oversteps."""


@pytest.fixture
def match_id(site: Site) -> str:
    return site.open_match(length=5, clock_terms=CLOCK, appointed_start="2026-11-20T10:00:00Z")


@pytest.fixture
def scribe(page: Page, site: Site, match_id: str) -> Scribe:
    """A tablet with its board; the first game has begun."""
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    return scribe


def tags(site: Site, match_id: str) -> list[str]:
    """What the server has of the game, corrections as what they correct to."""
    entries = site.entries(match_id)
    start = next(n for n, one in enumerate(entries) if one["tag"] == "game.started")
    return [
        f"amended {one['body']['tag']}" if one["tag"] == "entry.amended" else one["tag"]
        for one in entries[start + 1 :]
        if not one["tag"].startswith("clock.s")
    ]


def answer(scribe: Scribe, act: str) -> None:
    """One tap on a key of the question."""
    scribe.key(act)


def asked(page: Page) -> Any:
    """What the question says."""
    return page.locator(".question .asked")


def expect_same_table(page: Page, site: Site, match_id: str) -> None:
    """The tablet folds what it has as the server does, once it has all that the server has."""
    draw(page)
    there = folded(site, match_id)
    # The tablet of another hears of an entry later than the one that made it.
    same = """(there) => {
      const here = document.querySelector("tb-board")?.board ?? null;
      const points = (board) => board && JSON.stringify([board.one, board.two]);
      return points(here) === points(there);
    }"""
    page.wait_for_function(same, arg=there["checkers"] if there["checkers"]["one"] else None)


# -- a play that its taps do not tell --------------------------------------------------------------


@pytest.mark.parametrize("next_act", ["clock", "dice", "cube"])
def test_one_tap_and_then_something_else_seals_no_play_and_asks(
    scribe: Scribe, site: Site, match_id: str, next_act: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "18")
    if next_act == "clock":
        scribe.press(ONE)
    elif next_act == "dice":
        scribe.dice(3, 1)
    else:
        scribe.key("double")
    expect(asked(page)).to_contain_text("Ada 62")
    scribe.settle()
    last = {"clock": [], "dice": ["dice.rolled"], "cube": ["cube.double_offered"]}[next_act]
    assert tags(site, match_id) == ["dice.opening_rolled", "play.unseen", *last]
    gap = next(one for one in site.entries(match_id) if one["tag"] == "play.unseen")
    assert (gap["basis"], gap["body"]["written"]) == ("device", "18")
    assert standing_plays(site, match_id) == []
    shot(page, f"question-{next_act}")


def test_a_further_tap_answers_and_the_board_goes_on(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "18")
    scribe.dice(3, 1)
    scribe.point(ONE, "11")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    [play] = standing_plays(site, match_id)
    assert play["moves"] == [[24, 18], [13, 11]]
    assert play["taps"] == ["18", "11"]
    assert (play["fitted"], play["confirmed"]) == (1, "tapped")
    expect(page.locator(".next")).to_have_text("Ben to play")
    expect_same_table(page, site, match_id)
    scribe.point(TWO, "5")
    scribe.point(TWO, "5")
    scribe.key("played")
    scribe.settle()
    assert standing_plays(site, match_id)[-1]["moves"] == [[8, 5], [6, 5]]


def test_what_fits_can_be_chosen_by_one_tap_and_the_entry_says_so(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "18")
    scribe.dice(3, 1)
    expect(asked(page)).to_have_text("Ada 62: which play?")
    texts = page.locator(".question [data-act=choose]").all_text_contents()
    # In the order of the board; what is blocked is among them as well as any other.
    assert texts == ["24/22 24/18", "24/18 13/11", "24/18 8/6", "24/18 6/4"]
    taps = scribe.taps
    scribe.key("choose")
    scribe.settle()
    assert scribe.taps == taps + 1
    [play] = standing_plays(site, match_id)
    assert sorted(play["moves"]) == [[24, 18], [24, 22]]
    assert (play["fitted"], play["confirmed"]) == (len(texts), "chosen")
    expect_same_table(page, site, match_id)


def test_too_many_plays_ask_for_a_further_tap_and_another_play_begins_anew(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "24")
    scribe.dice(3, 1)
    expect(asked(page)).to_have_text("Ada 62: tap one more point.")
    expect(page.locator(".question [data-act=choose]")).to_have_count(0)
    scribe.key("another")
    for word in ("13", "11", "13", "7"):
        scribe.point(ONE, word)
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    assert standing_plays(site, match_id)[0]["moves"] == [[13, 11], [13, 7]]
    expect_same_table(page, site, match_id)


def test_a_question_outlasts_a_reload_and_left_as_not_seen_it_asks_no_more(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "18")
    scribe.dice(3, 1)
    scribe.settle()
    page.reload()
    expect(asked(page)).to_have_text("Ada 62: which play?")
    scribe.key("not_seen")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    assert tags(site, match_id)[-1] == "amended play.unseen"
    assert site.entries(match_id)[-1]["basis"] == "observed"
    page.reload()
    expect(page.locator(".next")).to_have_text("Ben to play")
    expect(page.locator(".question")).to_be_hidden()


def test_undo_takes_back_one_act_at_a_time_and_brings_the_taps_back(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    scribe.opening(6, 2)
    scribe.point(ONE, "18")
    scribe.dice(3, 1)
    scribe.point(ONE, "11")
    expect(page.locator(".question")).to_be_hidden()
    for _ in range(3):
        scribe.key("undo")
    expect(page.locator(".next")).to_have_text("Ada to play")
    expect(page.locator(".question")).to_be_hidden()
    scribe.point(ONE, "11")
    scribe.key("played")
    scribe.settle()
    [play] = standing_plays(site, match_id)
    assert play["moves"] == [[24, 18], [13, 11]]


def test_while_an_earlier_play_is_asked_for_the_screen_says_that_taps_tell_that_one(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    next_ = page.locator(".next")
    scribe.opening(6, 2)
    scribe.dice(3, 1)
    expect(next_).to_have_text("First Ada 62")
    scribe.dice(5, 4)
    # Ada's turn again, and still her play of before.
    expect(next_).to_have_text("First Ada 62")
    scribe.key("played")
    expect(next_).to_have_text("First Ben 31")
    scribe.key("played")
    expect(next_).to_have_text("Ada to play")
    for word in ("13", "8", "13", "9"):
        scribe.point(ONE, word)
    scribe.key("played")
    scribe.settle()
    plays = [play.get("moves", []) for play in standing_plays(site, match_id)]
    assert plays == [[], [], [[13, 8], [13, 9]]]


# -- nothing was tapped ----------------------------------------------------------------------------

KEYS = ["No play made", "Roll mistyped", "Not seen"]

CLOSED = {
    "one": [0, 0, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    "two": [0, 2, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}
"""One is on the bar and every point is closed; two has plays."""

ONE_DIE = {
    "one": [14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
    "two": [0, 0, 0, 2, 0, 5, 4, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}
"""Of a 6-2 only the 6 can be played, and so it has to be."""

BEARING_OFF = {
    "one": [13, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "two": [12, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}
"""Two checkers are left, and every roll above 3-1 takes both."""


def set_up(page: Page, site: Site, checkers: dict[str, list[int]] | None, **more: Any) -> str:
    """A match with this position and one to roll, or of which the board is not known."""
    match_id = site.open_match(length=5, **more)
    acts: list[tuple[str, dict[str, Any]]] = [("game.started", {"number": 1})]
    if checkers is None:
        acts.append(("play.unseen", {"seat": "two", "count": 1}))
    else:
        acts.append(("position.stated", {"checkers": checkers, "on_roll": "one"}))
    with site.http(site.director) as director:
        for tag, body in acts:
            entry = {"entry_id": str(uuid.uuid4()), "tag": tag, "body": body}
            path = f"/logs/{LOG}/matches/{match_id}/events"
            answer = director.post(path, json={"entries": [entry]}, headers={"If-Match": "*"})
            assert answer.status_code == 201, answer.text
    open_tablet(page, site, match_id)
    expect(page.locator(".next")).to_have_text("Ada to roll")
    return match_id


@pytest.mark.parametrize("name", ["dance", "plays", "unknown"])
@pytest.mark.parametrize("next_act", ["dice", "cube", "clock"])
def test_a_roll_without_a_play_brings_the_same_three_keys_whatever_could_be_played(
    page: Page, site: Site, name: str, next_act: str
) -> None:
    board = {"dance": CLOSED, "plays": STARTED, "unknown": None}[name]
    terms = {"clock_terms": CLOCK, "appointed_start": "2026-11-20T10:00:00Z"}
    match_id = set_up(page, site, board, **terms)
    scribe = Scribe(page)
    scribe.press(TWO)
    scribe.dice(6, 6)
    if next_act == "dice":
        scribe.dice(6, 6)
    elif next_act == "cube":
        scribe.key("double")
    else:
        scribe.press(ONE)
    expect(asked(page)).to_have_text("Ada 66: no play entered.")
    assert page.locator(".question button").all_text_contents() == KEYS
    scribe.settle()
    assert standing_plays(site, match_id) == []
    scribe.key("nothing")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    [play] = standing_plays(site, match_id)
    assert (play["seat"], play.get("moves", []), play["confirmed"]) == ("one", [], "chosen")
    expect_same_table(page, site, match_id)


STARTED = {
    "one": [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
    "two": [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
}


def test_a_mistyped_roll_is_put_right_by_the_dice_that_came_after_it(
    page: Page, site: Site
) -> None:
    match_id = set_up(page, site, STARTED)
    scribe = Scribe(page)
    scribe.dice(6, 5)
    scribe.dice(6, 4)
    scribe.key("mistyped")
    expect(page.locator(".question")).to_be_hidden()
    expect(page.locator(".so-far .die")).to_have_text(["6", "4"])
    expect(page.locator(".next")).to_have_text("Ada to play")
    scribe.point(ONE, "24")
    scribe.point(ONE, "14")
    scribe.key("played")
    scribe.settle()
    [play] = standing_plays(site, match_id)
    assert play["seat"] == "one"
    expect_same_table(page, site, match_id)


def test_after_clock_or_cube_a_mistyped_roll_is_keyed_again(page: Page, site: Site) -> None:
    match_id = set_up(page, site, STARTED)
    scribe = Scribe(page)
    scribe.dice(6, 5)
    scribe.key("double")
    scribe.key("mistyped")
    expect(asked(page)).to_have_text("Ada 65: key the right dice.")
    scribe.key_of(ONE, "take")
    scribe.dice(6, 4)
    expect(asked(page)).to_have_text("Ada 64: no play entered.")
    for word in ("24", "18", "18", "14"):
        scribe.point(ONE, word)
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    [play] = standing_plays(site, match_id)
    assert play["moves"] == [[24, 18], [18, 14]]
    expect_same_table(page, site, match_id)


def test_the_clock_goes_on_while_a_play_is_asked_for_and_when_nobody_saw_it(
    page: Page, site: Site
) -> None:
    terms = {"clock_terms": CLOCK, "appointed_start": "2026-11-20T10:00:00Z"}
    match_id = set_up(page, site, STARTED, **terms)
    scribe = Scribe(page)
    running = re.compile("running")
    plates = {
        seat: page.locator(f'.player[data-seat="{seat.value}"] .clock') for seat in (ONE, TWO)
    }
    scribe.press(TWO)
    scribe.dice(6, 5)
    scribe.press(ONE)
    expect(plates[TWO]).to_have_class(running)
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(asked(page)).to_have_text("Ada 65: no play entered.")
    scribe.dice(4, 2)
    scribe.key("not_seen")
    expect(page.locator(".question")).to_be_hidden()
    expect(plates[TWO]).to_have_class(running)
    scribe.press(TWO)
    expect(plates[ONE]).to_have_class(running)
    scribe.settle()
    pressed = [one for one in site.entries(match_id) if one["tag"] == "clock.pressed"]
    assert [one["body"]["seat"] for one in pressed] == ["one", "two"]
    assert all(one["body"]["readings"]["one"] is not None for one in pressed)


def test_several_questions_wait_in_turn_and_block_nothing(page: Page, site: Site) -> None:
    match_id = set_up(page, site, CLOSED)
    scribe = Scribe(page)
    for pair in ((6, 6), (5, 5), (5, 5)):
        scribe.dice(*pair)
    scribe.settle()
    for question in ("Ada 66", "Ben 55"):
        expect(asked(page)).to_contain_text(question)
        scribe.key("nothing")
    expect(page.locator(".question")).to_be_hidden()
    scribe.settle()
    assert [play["seat"] for play in standing_plays(site, match_id)] == ["one", "two"]
    expect(page.locator(".next")).to_have_text("Ada to play")
    expect_same_table(page, site, match_id)


# -- what follows from the dice --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dance", "forced"])
def test_played_before_the_next_dice_spares_the_question_and_rests_on_the_device(
    page: Page, site: Site, name: str
) -> None:
    match_id = set_up(page, site, {"dance": CLOSED, "forced": ONE_DIE}[name])
    scribe = Scribe(page)
    scribe.dice(6, 2)
    before = page.evaluate("JSON.stringify(document.querySelector('tb-board').board)")
    draw(page)
    assert page.evaluate("JSON.stringify(document.querySelector('tb-board').board)") == before
    scribe.key("played")
    scribe.dice(3, 1)
    scribe.settle()
    expect(page.locator(".question")).to_be_hidden()
    [made] = [one for one in site.entries(match_id) if one["tag"] == "play.made"]
    assert made["basis"] == "device"
    assert bool(made["body"].get("moves")) is (name == "forced")


def test_hop_by_hop_a_play_of_one_die_ends_with_played(page: Page, site: Site) -> None:
    match_id = set_up(page, site, ONE_DIE)
    scribe = Scribe(page)
    scribe.dice(6, 2)
    scribe.point(ONE, "24")
    scribe.point(ONE, "18")
    scribe.key("played")
    scribe.settle()
    [made] = [one for one in site.entries(match_id) if one["tag"] == "play.made"]
    assert (made["basis"], made["body"]["moves"]) == ("observed", [[24, 18]])
    assert made["body"]["confirmed"] == "played"


def test_a_tap_on_the_tray_bears_the_last_two_off(page: Page, site: Site) -> None:
    match_id = set_up(page, site, BEARING_OFF)
    scribe = Scribe(page)
    scribe.dice(6, 5)
    scribe.point(ONE, "off")
    scribe.point(ONE, "off")
    scribe.settle()
    expect(page.locator(".between .ended")).to_contain_text("Ada wins")
    [play] = standing_plays(site, match_id)
    assert sorted(play["moves"]) == [[1, 0], [3, 0]]


def test_on_an_unknown_board_played_says_that_it_was_not_seen(page: Page, site: Site) -> None:
    match_id = set_up(page, site, None)
    scribe = Scribe(page)
    scribe.dice(6, 5)
    scribe.key("played")
    scribe.dice(3, 1)
    scribe.settle()
    expect(page.locator(".question")).to_be_hidden()
    gaps = [one for one in site.entries(match_id) if one["tag"] == "play.unseen"]
    assert [gap["basis"] for gap in gaps] == ["observed", "observed"]
