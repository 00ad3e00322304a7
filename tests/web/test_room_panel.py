"""The panel of a match: what waits, questions left, time penalties, a board set by hand."""

from __future__ import annotations

import hashlib
import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from api.archive.rule_texts import Loaded, texts_of
from api.settings import Settings
from events.catalogue import KINDS
from events.payloads import appeal, attendance, penalty
from projections.board.ids import Xgid, XgSide
from projections.board.position import Position
from tests.projections.table import men
from tests.web import modules
from tests.web.conftest import (
    LOG,
    NewContext,
    Site,
    Size,
    Theme,
    at_every_look,
    check_axe,
    check_targets,
    shot,
    tick,
)
from tests.web.test_room import ASLANT, FLAT, SignIn, play_a_little, record
from tests.web.test_room_custody import PLAYED, ROLLED, let_in, park

pytestmark = pytest.mark.warm

BIBA = "biba-2014"

BOUNDS = """() => {
  const box = document.querySelector("dialog .actions button[type=submit]").getBoundingClientRect();
  return [box.top >= 0, box.bottom <= innerHeight, box.height >= 44];
}"""
"""Whether a dialog's main key is in sight, and large enough."""


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    return context.new_page()


@pytest.fixture
def doubtful(site: Site) -> str:
    """A match with a clock and a throw of which Biba's text does not say whether it counts."""
    match = site.open_match(table="4", length=7, rule_set=BIBA)
    reserve = {"one": 900_000, "two": 900_000}
    record(site, match, ("clock.set", {"kind": "simple", "reserve_ms": reserve}))
    play_a_little(site, match)
    record(
        site,
        match,
        ("dice.rolled", {"seat": "one", "dice": [4, 1], "observations": [ASLANT, FLAT]}),
    )
    return match


def go(page: Page, match: str) -> None:
    page.goto(f"/room/{LOG}#{match}")
    expect(page.get_by_role("heading", name="What you may do")).to_be_visible()


def test_a_question_is_left_as_it_is_and_taken_up_again(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    waits = director.locator(".case-first [data-attention=alarm]")
    before = waits.count()
    assert before > 0
    waits.first.get_by_role("button", name="Leave as it is").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog).to_contain_text("Nobody rules")
    dialog.get_by_label("Reason").fill("both laughed")
    dialog.get_by_role("button", name="Leave as it is").tap()
    expect(waits).to_have_count(before - 1)
    left = site.entries(doubtful)[-1]
    assert left["tag"] == "question.left"
    assert "both laughed" in left["disclosures"].values()
    director.get_by_text("Open questions that need no answer").tap()
    resting = director.locator(".case-rest [data-attention=left]")
    expect(resting).to_contain_text(f"Left as it is by entry {left['version']}")
    check_axe(director)
    shot(director, "panel-left")
    resting.get_by_role("button", name="Take it up again").tap()
    director.get_by_role("dialog").get_by_role("button", name="Take it up again").tap()
    expect(waits).to_have_count(before)
    assert site.entries(doubtful)[-1]["body"]["target"] == left["entry_id"]


def test_an_accepted_resignation_does_not_ring_and_can_be_looked_up(
    director: Page, site: Site
) -> None:
    match = site.open_match(table="9", length=7, rule_set="biba-2014")
    play_a_little(site, match)
    record(
        site,
        match,
        ("resignation.offered", {"seat": "one", "level": "single"}),
        ("resignation.accepted", {"seat": "two"}),
    )
    with site.http(site.director) as client:
        [line] = client.get(f"/logs/{LOG}/room").json()["tables"]
    assert (line["questions"], line["notes"]) == (0, 1)
    go(director, match)
    expect(director.locator("[data-attention=alarm]")).to_have_count(0)
    expect(director.get_by_text("Open questions that need no answer (1)")).to_be_visible()
    director.goto(f"/matches/{LOG}/{match}/replay")
    asked = director.locator("#findings .question")
    expect(asked).to_contain_text("Left to a person: a resignation")
    expect(asked).to_contain_text("No ruling is recorded, and nobody waits for one.")


def test_a_finding_stands_beside_its_entry_and_in_a_list_that_leads_there(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    line = director.locator(".findings .line").last
    version = line.locator(".number").inner_text()
    line.tap()
    expect(director.locator(".steps")).to_contain_text(f"entry {version} of")
    current = director.locator(".record li").filter(has=director.locator("[aria-current]"))
    expect(current.locator(".found").first).to_be_visible()


def test_a_loaded_text_opens_under_the_section_that_a_question_cites(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    expect(director.locator("details.cited")).to_have_count(0)
    text = b"4.2 Dice lie <b>flat</b>, in our own words.\n4.3 Nothing more.\n"
    texts = texts_of(Settings(db=site.archive.url))
    sha256 = hashlib.sha256(text).hexdigest()
    texts.add(
        text,
        text.decode(),
        Loaded(rule_set=BIBA, sha256=sha256, kind="txt", name="ours.txt", added_ms=0, by="Ida"),
    )
    director.reload()
    asked = director.locator(".case-first .question").filter(has=director.locator(".cited"))
    expect(asked).to_have_count(1)
    asked.locator("summary").tap()
    expect(asked.locator(".loaded-text")).to_have_text(
        "4.2 Dice lie <b>flat</b>, in our own words."
    )
    check_axe(director)
    check_targets(director)
    shot(director, "panel-loaded-text")
    # It stays open when the panel is drawn anew.
    director.locator(".findings .line").last.tap()
    expect(asked.locator(".loaded-text")).to_be_visible()
    beside = director.locator(".findings li").filter(has=director.locator(".cited")).first
    beside.locator("summary").tap()
    expect(beside.locator(".loaded-text")).to_contain_text("in our own words")


def test_penalty_points_and_minutes_are_one_act_and_the_time_is_given_back(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    director.get_by_role("button", name="Penalty points").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Ben", exact=True).tap()
    dialog.get_by_label("Points", exact=True).fill("0")
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("Say points, minutes, or both")
    for slip in ("-1", "1.5", "99999999"):
        dialog.get_by_label("Points", exact=True).fill(slip)
        dialog.get_by_role("button", name="Penalty points").tap()
        expect(dialog.get_by_role("alert")).to_contain_text("Points: a whole number from 0 to")
    dialog.get_by_label("Points", exact=True).fill("0")
    dialog.get_by_label("Minutes on the clock").fill("2")
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)
    assessed, adjusted = site.entries(doubtful)[-2:]
    assert (assessed["tag"], assessed["body"]["points"]) == ("penalty.assessed", 0)
    assert adjusted["tag"] == "clock.adjusted"
    assert adjusted["body"] == {
        "seat": "two",
        "amount_ms": -120_000,
        "penalty": assessed["entry_id"],
    }
    account = director.locator(".account").filter(has_text="Ben")
    expect(account).to_contain_text("2:00 taken from Ben")
    expect(director.locator(".plate").filter(has_text="Ben")).to_contain_text("13:00")
    account.get_by_role("button", name="Waive").tap()
    director.get_by_role("dialog").get_by_role("button", name="Waive").tap()
    expect(account).not_to_contain_text("taken from")
    expect(director.locator(".plate").filter(has_text="Ben")).to_contain_text("15:00")


def test_a_penalty_has_no_ground_that_nobody_chose_and_is_waived_bit_by_bit(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    director.get_by_role("button", name="Penalty points").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Ben", exact=True).tap()
    dialog.get_by_label("Points", exact=True).fill("2")
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)
    assert "ground" not in site.entries(doubtful)[-1]["body"]
    account = director.locator(".account").filter(has_text="Ben")
    for left, said in ((1, "1 waived"), (0, "2 waived")):
        account.get_by_role("button", name="Waive").tap()
        dialog.get_by_label("Points", exact=True).fill("1")
        dialog.get_by_role("button", name="Waive").tap()
        expect(account).to_contain_text(said)
        expect(account.locator(".account-head")).to_contain_text(f"{left} penalty point")
    expect(account.get_by_role("button", name="Waive")).to_have_count(0)


def test_who_rules_that_there_is_a_penalty_is_asked_for_its_points(
    director: Page, site: Site
) -> None:
    match = site.open_match(table="6", length=7, rule_set="usbgf-2024")
    record(site, match, ("delay.noted", {"seat": "two", "kind": "start", "excess_ms": 900_000}))
    go(director, match)
    waits = director.locator(".case-first [data-attention=alarm]")
    waits.get_by_role("button", name="Rule", exact=True).tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("penalty", exact=True).tap()
    dialog.get_by_role("button", name="Rule", exact=True).tap()
    expect(dialog.get_by_role("heading")).to_have_text("Penalty points")
    expect(dialog.get_by_label("Ben", exact=True)).to_be_checked()
    dialog.get_by_label("Points", exact=True).fill("2")
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)
    ruled, assessed = site.entries(match)[-2:]
    assert ruled["body"]["answers"][0]["reading"] == "penalty"
    assert (assessed["body"]["seat"], assessed["body"]["points"]) == ("two", 2)


def test_no_reason_is_lost_that_an_entry_has_no_place_for(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    dialog = director.get_by_role("dialog")
    before = len(site.entries(doubtful))
    for key, choice in (
        ("Warn, forfeit, disqualify", "Forfeit of the match"),
        ("Late or away", "Called to the table"),
        ("Publication", "Anybody may read it"),
    ):
        director.get_by_role("button", name=key).tap()
        if key != "Publication":
            dialog.get_by_text("Ben", exact=True).tap()
        dialog.get_by_text(choice, exact=True).tap()
        dialog.get_by_label("Reason").fill("fell ill")
        dialog.locator("button[type=submit]").tap()
        said = "Reason: this entry has no place for it"
        expect(dialog.get_by_role("alert")).to_contain_text(said)
        assert len(site.entries(doubtful)) == before
        dialog.get_by_label("Reason").fill("")
        dialog.locator("button[type=submit]").tap()
        expect(dialog).to_have_count(0)
        before = len(site.entries(doubtful))


def test_one_escape_keeps_what_was_typed_and_the_second_one_throws_it_away(
    director: Page, doubtful: str
) -> None:
    go(director, doubtful)
    dialog = director.get_by_role("dialog")
    director.get_by_role("button", name="Freeze for a dispute").tap()
    director.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    director.get_by_role("button", name="Freeze for a dispute").tap()
    said = dialog.get_by_label("Ada says")
    said.fill("It was cocked.")
    director.keyboard.press("Escape")
    expect(dialog.get_by_role("alert")).to_contain_text("Escape once more")
    expect(said).to_have_value("It was cocked.")
    director.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_freeze_stops_the_clock_as_well_unless_that_is_not_wanted(
    director: Page, site: Site, doubtful: str
) -> None:
    record(site, doubtful, ("clock.started", {"seat": "one", "at_ms": 60_000}))
    go(director, doubtful)
    dialog = director.get_by_role("dialog")
    director.get_by_role("button", name="Freeze for a dispute").tap()
    expect(dialog.get_by_label("stop the clock as well")).to_be_checked()
    dialog.get_by_role("button", name="Freeze for a dispute").tap()
    expect(dialog).to_have_count(0)
    paused, raised = site.entries(doubtful)[-2:]
    assert (paused["tag"], paused["body"]["reason"]) == ("clock.paused", "dispute")
    assert raised["tag"] == "dispute.raised"
    expect(director.get_by_role("button", name="Freeze for a dispute")).to_be_visible()
    director.get_by_role("button", name="Freeze for a dispute").tap()
    expect(dialog.get_by_label("stop the clock as well")).to_have_count(0)


def test_the_points_of_the_board_that_is_set_up_are_wide_enough_for_a_finger(
    new_context: NewContext, sign_in: SignIn, doubtful: str
) -> None:
    context = new_context(viewport={"width": 1024, "height": 768})
    sign_in(context)
    page = context.new_page()
    go(page, doubtful)
    page.get_by_role("button", name="Set the table").tap()
    page.get_by_text("Set up the board").tap()
    point = page.locator('dialog tb-board rect[data-place="8"]').bounding_box()
    assert point is not None
    assert point["width"] >= 44


def test_a_question_left_to_rest_says_so_in_the_replay(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    waits = director.locator(".case-first [data-attention=alarm]")
    waits.first.get_by_role("button", name="Leave as it is").tap()
    director.get_by_role("dialog").get_by_role("button", name="Leave as it is").tap()
    expect(director.get_by_role("dialog")).to_have_count(0)
    [left] = [one for one in site.entries(doubtful) if one["tag"] == "question.left"]
    director.goto(f"/matches/{LOG}/{doubtful}/replay")
    said = f"Nobody has ruled: the director left it as it is, entry {left['version']}."
    expect(director.locator("#findings").get_by_role("button", name=said)).to_be_visible()


def test_the_clock_is_stopped_and_started_from_the_panel(
    director: Page, site: Site, doubtful: str
) -> None:
    record(site, doubtful, ("clock.started", {"seat": "one", "at_ms": 60_000}))
    go(director, doubtful)
    director.get_by_role("button", name="Stop the clock").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("a dispute").tap()
    dialog.get_by_role("button", name="Stop the clock").tap()
    expect(dialog).to_have_count(0)
    stopped = site.entries(doubtful)[-1]
    assert stopped["tag"] == "clock.paused"
    assert (stopped["body"]["reason"], stopped["body"]["by"]) == ("dispute", "director")
    assert stopped["body"]["at_ms"] >= 60_000
    director.get_by_role("button", name="Start the clock again").tap()
    director.get_by_role("dialog").get_by_role("button", name="Start the clock again").tap()
    expect(director.get_by_role("button", name="Stop the clock")).to_be_visible()
    assert site.entries(doubtful)[-1]["body"]["seat"] == "one"


def test_a_board_is_set_up_from_an_xgid_and_by_keyboard(
    director: Page, site: Site, doubtful: str
) -> None:
    own, other = men("6:5 8:3 13:5 24:2"), men("6:5 8:3 13:5 24:1 bar:1")
    text = Xgid(
        board=Position(own, other),
        cube_value=2,
        cube_owner=XgSide.TOP,
        on_roll=XgSide.TOP,
        dice=(5, 2),
        score_bottom=0,
        score_top=0,
        length=7,
    ).encode()
    go(director, doubtful)
    director.get_by_role("button", name="Set the table").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Set up the board").tap()
    place = dialog.get_by_label("XGID or GNU Position ID")
    place.fill("no board at all")
    place.press("Enter")
    expect(dialog).to_contain_text("not a Position ID")
    place.fill(text)
    place.press("Enter")
    expect(dialog).to_contain_text("on roll: Ben")
    check_axe(director)
    shot(director, "panel-board")
    dialog.get_by_role("button", name="Take away").press("Enter")
    point = dialog.locator("tb-board [tabindex='0']").first
    point.focus()
    director.keyboard.press("Enter")
    expect(dialog.locator(".totals .badge")).to_contain_text("checkers, not 15")
    dialog.get_by_role("button", name="Set the table").press("Enter")
    expect(dialog).to_have_count(0)
    body = site.entries(doubtful)[-1]["body"]
    men_left = sum(body["checkers"]["one"]) + sum(body["checkers"]["two"])
    assert men_left == 29, "what happened is recorded, however many checkers there are"
    assert (body["on_roll"], body["dice"]) == ("two", [5, 2])
    assert body["cube"] == {"value": 2, "owner": "two"}


def test_a_board_that_both_agree_on_is_stated_and_no_ruling(
    director: Page, site: Site, doubtful: str
) -> None:
    go(director, doubtful)
    director.get_by_role("button", name="Set the table").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("as both agree").tap()
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing is set")
    dialog.get_by_text("Set up the board").tap()
    dialog.get_by_label("Board as after entry").fill("5")
    dialog.get_by_label("Board as after entry").press("Enter")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog).to_have_count(0)
    stated = site.entries(doubtful)[-1]
    assert (stated["tag"], stated["basis"]) == ("position.stated", "agreed")
    assert stated["body"]["checkers"]["one"][18] == 1


def test_what_is_typed_and_ticked_outlives_a_new_entry(director: Page, site: Site) -> None:
    match = site.open_match(table="6")
    record(site, match, ("game.started", {}), ("dice.opening_rolled", {"one": 6, "two": 3}))
    tablet = let_in(site, "green cover", match)
    record(site, match, ("play.made", PLAYED), ("dice.rolled", ROLLED))
    reply: dict[str, Any] = {"seat": "two", "moves": [[13, 8], [13, 11]]}
    park(site, tablet, match, ("play.made", PLAYED), ("play.made", reply))
    go(director, match)
    boxes = director.locator(".parked input")
    expect(boxes).to_have_count(2)
    ticks = [boxes.nth(place).is_checked() for place in range(2)]
    for place in range(2):
        tick(director.locator(".parked label.chip").nth(place), on=not ticks[place])
    director.get_by_role("button", name="Rule", exact=True).first.tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_label("Decision").fill("the play st")
    record(site, match, ("moment.marked", {"target": site.entries(match)[1]["entry_id"]}))
    expect(director.locator(".record")).to_contain_text("This moment is marked")
    expect(dialog.get_by_label("Decision")).to_have_value("the play st")
    dialog.get_by_role("button", name="Cancel").tap()
    assert [boxes.nth(place).is_checked() for place in range(2)] == [not one for one in ticks]


@pytest.mark.parametrize(
    ("locale", "theme", "whole"),
    [("en-US", "light", (1280, 900)), ("de-DE", "dark", (390, 844))],
    ids=["en-US", "de-DE"],
)
def test_the_main_key_of_every_form_is_in_sight_and_every_form_is_accessible(
    new_context: NewContext,
    sign_in: SignIn,
    site: Site,
    doubtful: str,
    locale: str,
    theme: Theme,
    whole: Size,
) -> None:
    record(site, doubtful, ("ruling.made", {"decision": "play on"}))
    context = new_context(locale=locale)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}#{doubtful}")
    acts = page.locator(".case-rest .chips button")
    expect(acts.first).to_be_visible()
    sizes = [(1280, 900), (1024, 768), (390, 844)]

    def check(place: int, title: str, _: str, size: Size) -> None:
        assert page.evaluate(BOUNDS) == [True, True, True], title
        # At the widest in one language and theme, at the narrowest in the others.
        if size == whole:
            check_axe(page)
        if size != (390, 844):
            check_targets(page)
        if locale == "de-DE":
            shot(page, f"form-{place}-{size[0]}")

    def is_not_too_wide(_: str, size: Size) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    card = page.locator(".case-rest .card").filter(has=page.locator(".chips")).first
    for place in range(card.locator(".chips button").count()):
        card.locator(".chips button").nth(place).tap()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        title = dialog.get_by_role("heading").first.inner_text()
        at_every_look(page, sizes, partial(check, place, title), themes=[theme])
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    at_every_look(page, sizes, is_not_too_wide, themes=[theme])


def test_a_heading_of_a_form_is_parted_in_no_word_on_a_narrow_phone(
    new_context: NewContext, sign_in: SignIn, doubtful: str
) -> None:
    context = new_context(locale="de-DE", viewport={"width": 320, "height": 640})
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}#{doubtful}")
    page.get_by_role("button", name="Veröffentlichung", exact=True).tap()
    heading = page.get_by_role("dialog").get_by_role("heading", name="Veröffentlichung")
    lines = "(e) => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)"
    assert round(heading.evaluate(lines)) == 1


def test_what_waits_stands_above_the_board_where_there_is_one_column(
    new_context: NewContext, sign_in: SignIn, site: Site, doubtful: str
) -> None:
    context = new_context(viewport={"width": 390, "height": 844})
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}#{doubtful}")
    expect(page.locator("[data-attention=alarm]").first).to_be_visible()
    tops = [page.locator(f".case-{area}").bounding_box() for area in ("first", "board", "rest")]
    heights = [box["y"] for box in tops if box is not None]
    assert heights == sorted(heights)
    assert len(heights) == 3


def appeals_card(page: Page) -> Locator:
    return page.locator(".case-first .card, .case-rest .card").filter(
        has=page.get_by_role("heading", name="Appeals")
    )


def appeal_against_a_ruling(site: Site, rule_set: str) -> tuple[str, str]:
    match = site.open_match(table="6", length=7, rule_set=rule_set)
    play_a_little(site, match)
    [ruling] = record(site, match, ("ruling.made", {"decision": "the play stands"}))
    return match, ruling


@pytest.mark.parametrize("rule_set", [BIBA, "usbgf-2017-07", "common"])
def test_an_appeal_leads_to_the_desk_of_its_case_where_alone_a_committee_gets_seats(
    director: Page, site: Site, rule_set: str
) -> None:
    match, ruling = appeal_against_a_ruling(site, rule_set)
    go(director, match)
    [filed] = record(site, match, ("appeal.filed", {"seat": "one", "target": ruling}))
    card = appeals_card(director)
    expect(card.get_by_role("button")).to_have_count(0)
    expect(card.get_by_role("link", name="The desk of the case")).to_have_class(
        re.compile("primary")
    )
    # What was on paper is shown, as a record.
    members = [{"member": f"m{place}"} for place in (1, 2, 3)]
    record(site, match, ("committee.convened", {"size": 3, "members": members, "appeal": filed}))
    record(site, match, ("vote.cast", {"member": "m1", "vote": "uphold", "appeal": filed}))
    expect(card).to_contain_text("1 of 3 ballots · member 1: uphold")
    card.get_by_role("link", name="The desk of the case").tap()
    director.wait_for_url(f"**/cases/{filed}")
    expect(director.locator("#committee")).to_be_visible()


DECIDED = {
    "forfeit.declared": {"seat": "two", "ground": "conduct", "by": "director"},
    "player.disqualified": {"seat": "two", "by": "director"},
    "sanction.imposed": {"seat": "two", "kind": "expulsion", "by": "director"},
    "slow_play.warned": {"seat": "two", "by": "director"},
}


@pytest.mark.parametrize("tag", DECIDED)
def test_an_appeal_is_filed_against_whatever_a_director_decided(
    director: Page, site: Site, tag: str
) -> None:
    match = site.open_match(table="6", length=7, rule_set=BIBA)
    play_a_little(site, match)
    [decided] = record(site, match, (tag, DECIDED[tag]))
    go(director, match)
    director.get_by_role("button", name="File an appeal").tap()
    form = director.get_by_role("dialog")
    form.get_by_text("Ben", exact=True).tap()
    form.get_by_role("button", name="File an appeal").tap()
    expect(form).to_be_hidden()
    last = site.entries(match)[-1]
    assert (last["tag"], last["body"]["target"]) == ("appeal.filed", decided)


def test_rules_that_know_no_committee_say_that_nothing_is_announced(
    director: Page, site: Site
) -> None:
    match, ruling = appeal_against_a_ruling(site, "common")
    record(site, match, ("appeal.filed", {"seat": "one", "target": ruling}))
    director.goto(f"/room/{LOG}")
    expect(director.locator(".queue")).to_contain_text("Ada appeals; nothing is announced yet")


def test_the_words_that_forms_offer_are_those_of_the_catalogue() -> None:
    text = (modules.WEB / "static" / "room" / "enums.js").read_text("utf-8")
    lists = {
        name: re.findall(r'"([a-z_.]+)"', words)
        for name, words in re.findall(r"export const (\w+) = Object.freeze\(\[(.*?)\]\)", text)
    }
    assert lists["GROUNDS"] == [one.value for one in penalty.PenaltyGround]
    assert lists["DELAYS"] == [one.value for one in attendance.DelayKind]
    assert set(lists["SANCTIONS"]) <= {kind.tag for kind in KINDS}
    assert lists["APPEALS_ON"] == [one.value for one in appeal.AppealOn]


def test_who_types_stays_on_the_key_of_the_same_question_though_another_one_goes(
    director: Page, site: Site, doubtful: str
) -> None:
    """Enter would rule on a question that nobody has chosen."""
    first, topic = site.entries(doubtful)[-1]["entry_id"], "dice.validity"
    thrown = {"seat": "one", "dice": [4, 1], "observations": [FLAT, ASLANT]}
    record(site, doubtful, ("dice.rolled", thrown))
    go(director, doubtful)
    waits = director.locator(".case-first [data-attention=alarm]")
    expect(waits).to_have_count(2)
    second = waits.last.get_by_role("button", name="Leave as it is")
    second.focus()
    record(
        site,
        doubtful,
        ("question.left", {"question": {"topic": topic, "at": first, "seat": "one"}}),
    )
    expect(waits).to_have_count(1)
    expect(second).to_be_focused()
    third = {**thrown, "observations": [ASLANT, ASLANT]}
    record(site, doubtful, ("dice.rolled", third))
    expect(waits).to_have_count(2)
    expect(waits.first.get_by_role("button", name="Leave as it is")).to_be_focused()
