"""Facts at a table that the director enters: delays, early dice, both flags, throwing sides."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import LOG, NewContext, Site
from tests.web.tablet_rig import open_tablet
from tests.web.test_room import SignIn, play_a_little, record

pytestmark = pytest.mark.warm


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    return context.new_page()


@pytest.fixture
def match(site: Site) -> str:
    """A match with a clock, some plays into its first game."""
    opened = site.open_match(table="4", length=7, rule_set="usbgf-2017-07")
    reserve = {"one": 900_000, "two": 900_000}
    clock = {"kind": "simple", "reserve_ms": reserve, "delay_ms": 12_000}
    record(site, opened, ("clock.set", clock))
    play_a_little(site, opened)
    return opened


TURNING = "[\u202a-\u202e\u2066-\u2069]"
"""What turns the direction of all that follows it."""


def _act(page: Page, match: str, name: str) -> Locator:
    page.goto(f"/room/{LOG}#{match}")
    page.get_by_role("button", name=name, exact=True).tap()
    return page.get_by_role("dialog")


def _save(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Save").tap()
    expect(dialog).to_have_count(0)


def test_a_delay_that_the_director_orders_forfeited_shows_on_the_clock(
    director: Page, site: Site, match: str
) -> None:
    dialog = _act(director, match, "Delay")
    dialog.get_by_text("Ben", exact=True).first.tap()
    dialog.get_by_text("gone in the next turn").tap()
    _save(dialog)
    entry = site.entries(match)[-1]
    assert (entry["tag"], entry["basis"]) == ("clock.delay_forfeited", "ruled")
    assert entry["body"] == {"seat": "two", "cause": "fast_grab", "ordered_by": "director"}
    with site.http(site.director) as client:
        face = client.get(f"/logs/{LOG}/matches/{match}/clock").json()["clock"]
    assert face["forfeits"] == {"one": None, "two": "at_once"}
    expect(director.get_by_text("The delay of the next turn of Ben is gone").first).to_be_visible()


def test_a_delay_that_both_let_begin_anew_is_agreed(director: Page, site: Site, match: str) -> None:
    dialog = _act(director, match, "Delay")
    dialog.get_by_text("Ada", exact=True).first.tap()
    dialog.get_by_text("begins anew in this turn").tap()
    dialog.get_by_label("For what").select_option("invalid_roll")
    dialog.get_by_label("Ordered by").select_option("both")
    _save(dialog)
    entry = site.entries(match)[-1]
    assert (entry["tag"], entry["basis"]) == ("clock.delay_restarted", "agreed")
    assert entry["body"] == {"seat": "one", "cause": "invalid_roll", "ordered_by": "both"}


def test_dice_lifted_early_are_entered_with_what_the_other_says(
    director: Page, site: Site, match: str
) -> None:
    dialog = _act(director, match, "Dice lifted early")
    dialog.get_by_text("Ben", exact=True).first.tap()
    dialog.get_by_text("the delay is to be forfeited").tap()
    _save(dialog)
    lifted, answered = site.entries(match)[-2:]
    assert (lifted["tag"], lifted["body"]) == ("dice.lifted", {"seat": "two"})
    assert answered["tag"] == "dice.lift_answered"
    assert answered["body"] == {"answer": "forfeit", "target": lifted["entry_id"], "seat": "one"}


def test_an_early_roll_is_answered_with_the_roll_the_play_and_the_delay(
    director: Page, site: Site, match: str
) -> None:
    record(site, match, ("dice.rolled_early", {"seat": "two", "dice": [6, 4]}))
    early = site.entries(match)[-1]["entry_id"]
    dialog = _act(director, match, "Answer to the early roll")
    dialog.get_by_text("stands", exact=True).tap()
    dialog.get_by_text("is revised").tap()
    dialog.get_by_label("The delay is to be forfeited").check()
    _save(dialog)
    entry = site.entries(match)[-1]
    assert (entry["tag"], entry["schema"]) == ("dice.early_roll_answered", 2)
    assert entry["body"] == {
        "answer": "stands",
        "target": early,
        "seat": "one",
        "revises": True,
        "forfeit": True,
    }


def test_two_flags_are_noticed_with_both_readings_and_who_is_said_to_win(
    director: Page, site: Site, match: str
) -> None:
    dialog = _act(director, match, "Both times run out")
    dialog.get_by_text("Ada", exact=True).first.tap()
    _save(dialog)
    entry = site.entries(match)[-1]
    assert (entry["tag"], entry["schema"]) == ("clock.flag_noticed", 2)
    assert entry["body"] == {
        "readings": {"one": 0, "two": 0},
        "whose": "both",
        "first": "unknown",
        "noticed_by": "director",
        "gin": True,
        "gin_for": "one",
    }


def test_a_permission_to_throw_on_the_left_is_given_and_withdrawn(
    director: Page, site: Site, match: str
) -> None:
    dialog = _act(director, match, "Side to throw on")
    dialog.get_by_text("Ada", exact=True).first.tap()
    dialog.get_by_text("the end of the game").tap()
    dialog.get_by_label("By whom").select_option("two")
    _save(dialog)
    entry = site.entries(match)[-1]
    assert (entry["tag"], entry["schema"]) == ("equipment.agreed", 2)
    assert entry["basis"] == "observed"
    assert entry["body"] == {
        "item": "throwing_side",
        "half": "left",
        "by": "two",
        "allowed": "one",
        "until": "game",
    }
    expect(
        director.get_by_text("Ada may throw on the left side, by permission").first
    ).to_be_visible()
    dialog = _act(director, match, "Side to throw on")
    dialog.get_by_text("nobody any more").tap()
    dialog.get_by_label("By whom").select_option("two")
    _save(dialog)
    entry = site.entries(match)[-1]
    assert entry["tag"] == "equipment.agreement_ended"
    assert entry["body"] == {"item": "throwing_side", "by": "two"}


def test_no_name_turns_round_the_words_and_scores_behind_it(
    director: Page, page: Page, site: Site
) -> None:
    names = {"one": [{"name": "Ida\u202eB"}], "two": [{"name": "Ben\u2067"}]}
    match = site.open_match(table="4", players=names)
    record(site, match, ("game.started", {"number": 1}))
    open_tablet(page, site, match)
    director.goto(f"/room/{LOG}#{match}")
    expect(director.get_by_text("Ida\ufffdB").first).to_be_visible()
    expect(page.get_by_text("Ida\ufffdB").first).to_be_visible()
    for seen in (director, page):
        shown = seen.evaluate("document.title + document.body.innerText")
        assert "\ufffd" in shown
        assert not re.search(TURNING, shown), re.findall(f".{{0,40}}{TURNING}.{{0,40}}", shown)
    # What was entered stands as it was entered.
    with site.http() as client:
        told = client.get(f"/logs/{LOG}/matches/{match}").json()
    assert told["players"]["one"] == ["Ida\u202eB"]
