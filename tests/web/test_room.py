"""The director's room in a browser: the hall, and every act from there to a ruling."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.web.conftest import (
    LOG,
    NewContext,
    Site,
    Size,
    at_every_look,
    check_axe,
    check_targets,
    shot,
)

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

FLAT = {
    "at_rest": "natural",
    "location": "playing_field",
    "rolled_side": "right",
    "rest_side": "right",
    "first_contact": "field",
    "left_board_and_returned": "none",
    "rests_on": ["field"],
    "balanced_on": "none",
    "tilt": "flat",
    "tilt_cause": "none",
}
"""A die about which nobody could say anything."""

ASLANT = {**FLAT, "tilt": "tilted", "tilt_cause": "surface_imperfection"}
"""A die whose surface peels: Biba's text leaves open whether it lies flat (AMB-D3)."""

SIZES = [(1180, 820), (1024, 768)]


def record(site: Site, match: str, *acts: tuple[str, dict[str, Any]]) -> list[str]:
    """Append entries as a director's; their ids."""
    ids = [str(uuid.uuid4()) for _ in acts]
    entries = [
        {"entry_id": entry_id, "tag": tag, "body": body}
        for entry_id, (tag, body) in zip(ids, acts, strict=True)
    ]
    with site.http(site.director) as client:
        answer = client.post(
            f"/logs/{LOG}/matches/{match}/events",
            json={"entries": entries},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text
    return ids


def play_a_little(site: Site, match: str) -> list[str]:
    """A game begun, with an early roll that its rule set leaves to a person."""
    return record(
        site,
        match,
        ("game.started", {"number": 1}),
        ("dice.opening_rolled", {"one": 6, "two": 3}),
        ("play.made", {"seat": "one", "moves": [[24, 18], [13, 10]]}),
        ("dice.rolled", {"seat": "two", "dice": [5, 2]}),
        ("play.made", {"seat": "two", "moves": [[13, 8], [24, 22]]}),
    )


@pytest.fixture
def hall(site: Site) -> list[str]:
    """Three tables: one in play with a call, one with nobody, one that is over."""
    first = site.open_match(table="1", length=7, rule_set="biba-2014")
    second = site.open_match(
        players={"one": [{"name": "Chidi"}], "two": [{"name": "Dora"}]},
        table="2",
        length=9,
        rule_set="usbgf-2017-09",
        clock_terms={"kind": "simple", "reserve_ms": 1_080_000, "delay_ms": 12_000},
    )
    third = site.open_match(
        players={"one": [{"name": "Emil"}], "two": [{"name": "Fay"}]}, table="3", length=1
    )
    play_a_little(site, first)
    record(site, first, ("director.called", {"by": "one"}))
    record(site, third, ("game.started", {}), ("game.won", {"winner": "two", "points": 1}))
    return [first, second, third]


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    return context.new_page()


def enter(page: Page) -> None:
    page.goto(f"/room/{LOG}")
    expect(page.locator("#room-age")).to_have_class("badge good")


def test_who_has_not_signed_in_is_sent_to_do_so(page: Page, site: Site) -> None:
    page.goto(f"/room/{LOG}")
    expect(page).to_have_url(f"{site.url}/session?next=/room/{LOG}")
    page.get_by_label("Token", exact=True).fill(site.director)
    page.get_by_role("button", name="Sign in").tap()
    expect(page).to_have_url(f"{site.url}/room/{LOG}")


def test_a_viewer_is_kept_out_of_the_room(
    new_context: NewContext, site: Site, sign_in: SignIn
) -> None:
    from events.payloads.access import Role

    context = new_context()
    token, _ = site.archive.grant(Role.VIEWER, log_id=LOG)
    sign_in(context, token)
    answer = context.new_page().goto(f"/room/{LOG}")
    assert answer is not None
    assert answer.status == 403


def test_a_director_whose_session_has_ended_is_told_so(
    new_context: NewContext, sign_in: SignIn, hall: list[str], site: Site
) -> None:
    context = new_context(expects_errors=True)
    sign_in(context)
    page = context.new_page()
    enter(page)
    context.clear_cookies()
    shut = page.locator(".shut")
    expect(shut).to_contain_text("You are signed out")
    expect(page.get_by_role("article")).to_have_count(0)
    check_axe(page)
    shut.get_by_role("link", name="Sign in").tap()
    page.get_by_label("Token", exact=True).fill(site.director)
    page.get_by_role("button", name="Sign in").tap()
    expect(page).to_have_url(f"{site.url}/room/{LOG}")
    expect(page.get_by_role("article")).to_have_count(3)


def test_what_was_typed_when_a_session_ended_is_kept_and_recorded_once_it_is_confirmed_again(
    new_context: NewContext, sign_in: SignIn, hall: list[str], site: Site
) -> None:
    context = new_context(expects_errors=True)
    sign_in(context)
    page = context.new_page()
    enter(page)
    page.get_by_role("link", name="Chidi").tap()
    page.get_by_role("button", name="Set the table").tap()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Clocks", exact=True).tap()
    dialog.get_by_label("Clock of Chidi").fill("11:30")
    dialog.get_by_label("Clock of Dora").fill("10:00")
    context.clear_cookies()
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("You are signed out")
    sign_in(context)
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("You have signed in anew")
    assert len(site.entries(hall[1])) == 1
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog).to_have_count(0)
    assert len(site.entries(hall[1])) == 2
    assert site.entries(hall[1])[-1]["tag"] == "ruling.carried_out"


def test_what_others_do_not_do_for_the_log_is_told_in_the_room(
    director: Page, hall: list[str]
) -> None:
    told = director.locator("#room-held")
    enter(director)
    expect(told).to_be_hidden()
    refused = "w1 does not sign: consistency proof from size 308 to 309 does not verify"
    unstamped = "https://clock.example/tsr answers 503 with text/plain, not with a stamp"
    forged: dict[str, Any] = {"refused_by": [refused], "unstamped": unstamped, "uncopied": 1234}

    def forge(route: Route) -> None:
        answer = route.fetch(headers={**route.request.headers, "if-none-match": "none"})
        route.fulfill(response=answer, json={**answer.json(), **forged})

    director.route(f"**/logs/{LOG}/room", forge)
    words = "A witness does not sign this tournament's log any more"
    expect(told).to_contain_text(words, timeout=10_000)
    expect(told).to_contain_text(refused)
    expect(told).to_contain_text("This tournament's log gets no time-stamp now")
    expect(told).to_contain_text(unstamped)
    expect(told).to_contain_text("Entries of this tournament that the last backup lacks: 1234")
    check_axe(director)


def test_a_log_that_is_not_what_was_signed_of_it_is_told_before_anything_else(
    director: Page, site: Site, hall: list[str]
) -> None:
    enter(director)
    held = director.locator("#room-held")
    expect(held).to_be_hidden()
    site.archive.store.hold(LOG, "the log open has 3 entries, and 9 were signed")
    expect(held).to_contain_text("Nothing is recorded in this tournament now", timeout=10_000)
    expect(held).to_contain_text("the log open has 3 entries, and 9 were signed")
    check_axe(director)
    with site.http(site.director) as client:
        entry = {"entry_id": str(uuid.uuid4()), "tag": "game.started", "body": {}}
        answer = client.post(
            f"/logs/{LOG}/matches/{hall[1]}/events",
            json={"entries": [entry]},
            headers={"If-Match": "*"},
        )
    assert answer.json()["type"] == "/problems/rolled-back"


def test_every_table_is_seen_at_a_glance(director: Page, hall: list[str]) -> None:
    enter(director)
    first = director.get_by_role("article").filter(has_text="Ada")
    expect(first).to_contain_text("Table 1")
    expect(first).to_contain_text("calls you")
    expect(first).to_contain_text("no tablet")
    expect(director.get_by_role("article").filter(has_text="Chidi")).to_contain_text("not begun")
    expect(director.get_by_role("article").filter(has_text="Emil")).to_contain_text("over")
    expect(director).to_have_title("(1) Lantern Open: Director's room")


def test_a_german_director_reads_german_on_a_phone(
    new_context: NewContext, sign_in: SignIn, hall: list[str]
) -> None:
    context = new_context(locale="de-DE", viewport={"width": 390, "height": 844})
    sign_in(context)
    page = context.new_page()
    enter(page)
    card = page.get_by_role("article").filter(has_text="Ada")
    expect(card).to_contain_text("Leitung gerufen")
    expect(page.locator("main")).not_to_contain_text("director:")
    check_targets(page)
    for path in (f"/matches/{LOG}/{hall[0]}/replay", "/"):
        page.goto(path)
        expect(page.get_by_role("heading").first).to_be_visible()
        expect(page.locator("#viewer[data-ready]")).to_have_count(1 if "replay" in path else 0)
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_call_leads_to_its_match_as_it_stands_and_leaves_the_queue(
    director: Page, hall: list[str], site: Site
) -> None:
    enter(director)
    director.get_by_role("button", name="On my way").tap()
    expect(director.locator("tb-board")).to_be_visible()
    newest = len(site.entries(hall[0]))
    expect(director.locator(".steps")).to_contain_text(f"entry {newest} of {newest}")
    expect(director.locator(".steps")).to_contain_text("follows the table")
    expect(director.locator(".moment")).to_contain_text("The director is on the way")
    expect(director.locator(".told")).to_contain_text("The director is on the way")
    assert site.entries(hall[0])[-1]["tag"] == "moment.marked"
    director.get_by_role("link", name="All tables").tap()
    expect(director.get_by_role("article").filter(has_text="Ada")).not_to_contain_text("calls you")


def test_who_types_stays_on_the_key_of_the_same_call_though_the_queue_moves(
    director: Page, hall: list[str], site: Site
) -> None:
    """Enter would do the act of another line, that nobody has chosen."""
    record(site, hall[1], ("director.called", {"by": "two"}))
    enter(director)
    queue = director.locator(".queue")
    calls = queue.get_by_role("listitem").filter(has=director.get_by_text("On my way"))
    expect(calls).to_have_count(2)
    of_dora = calls.filter(has_text="Dora").get_by_role("button", name="On my way")
    of_dora.focus()
    called = site.entries(hall[0])[-1]["entry_id"]
    record(site, hall[0], ("moment.marked", {"target": called}))
    expect(calls).to_have_count(1)
    expect(of_dora).to_be_focused()
    opened = site.open_match(table="0")
    record(site, opened, ("director.called", {"by": "one"}))
    expect(calls).to_have_count(2)
    expect(of_dora).to_be_focused()


def test_who_closes_a_form_is_back_at_its_key_though_the_match_went_on_meanwhile(
    director: Page, hall: list[str], site: Site
) -> None:
    enter(director)
    director.get_by_role("link", name="Ada").tap()
    key = director.locator("#room-view").get_by_role("button", name="Penalty points")
    key.focus()
    director.keyboard.press("Enter")
    expect(director.get_by_role("dialog")).to_be_visible()
    drawn = key.element_handle()
    record(site, hall[0], ("slow_play.warned", {"seat": "one"}))
    director.wait_for_function("(key) => !key.isConnected", arg=drawn)
    director.keyboard.press("Escape")
    expect(director.get_by_role("dialog")).to_have_count(0)
    expect(key).to_be_focused()


def test_a_server_that_does_not_answer_is_told_once_to_who_listens(
    director: Page, hall: list[str]
) -> None:
    enter(director)
    age, heard = director.locator("#room-age"), director.locator("#live-region")
    director.route(re.compile(r"/room$"), lambda route: route.abort())
    expect(age).to_have_class("badge bad")
    expect(heard).to_contain_text("no answer")
    said = heard.text_content() or ""
    # Its age goes on, for the eye alone.
    expect(age).not_to_have_text(said)
    assert heard.text_content() == said
    assert age.get_attribute("role") is None
    director.unroute(re.compile(r"/room$"))
    expect(heard).to_have_text("up to date")


def test_an_act_that_had_no_answer_is_told_to_the_eye_and_asks_to_be_done_again(
    director: Page, hall: list[str], site: Site
) -> None:
    enter(director)
    before = len(site.entries(hall[0]))
    events = re.compile(r"/events$")
    director.route(events, lambda route: route.abort())
    director.get_by_role("button", name="On my way").tap()
    refused = director.locator("#refused")
    expect(refused).to_be_in_viewport()
    expect(refused).to_contain_text("does not answer")
    assert len(site.entries(hall[0])) == before
    director.unroute(events)
    director.get_by_role("button", name="On my way").tap()
    expect(director.locator(".moment")).to_contain_text("The director is on the way")
    expect(refused).to_have_count(0)


def test_penalty_points_are_assessed_and_their_total_is_computed(
    director: Page, hall: list[str], site: Site
) -> None:
    enter(director)
    director.get_by_role("link", name="Chidi").tap()
    director.get_by_role("button", name="Penalty points").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Dora").tap()
    dialog.get_by_label("Points", exact=True).fill("2")
    dialog.get_by_label("Reason").fill("came at noon")
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)
    account = director.locator(".account").filter(has_text="Dora")
    expect(account.locator(".account-head")).to_have_text("Dora2 penalty points")
    entry = site.entries(hall[1])[-1]
    assert entry["tag"] == "penalty.assessed"
    assert entry["basis"] == "ruled"
    assert entry["body"]["points"] == 2
    assert "came at noon" in entry["disclosures"].values()
    director.get_by_role("button", name="Waive").tap()
    director.get_by_role("dialog").get_by_role("button", name="Waive").tap()
    expect(account.locator(".account-head")).to_have_text("Dora0 penalty points")
    expect(account).to_contain_text("2 waived")


def test_a_form_that_the_server_refuses_says_why_and_stays_open(
    director: Page, hall: list[str]
) -> None:
    enter(director)
    director.get_by_role("link", name="Chidi").tap()
    director.get_by_role("button", name="Set the table").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing is set")
    dialog.get_by_text("Clocks", exact=True).tap()
    dialog.get_by_label("Clock of Chidi").fill("11.30")
    dialog.get_by_label("Clock of Dora").fill("10:00")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("11.30 is no clock reading")


def test_the_score_that_a_director_leaves_empty_stays_as_it_is(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[1]
    record(
        site, match, ("game.started", {}), ("ruling.carried_out", {"score": {"one": 2, "two": 4}})
    )
    director.goto(f"/room/{LOG}#{match}")
    director.get_by_role("button", name="Set the table").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Score and game").tap()
    dialog.get_by_label("Score of Chidi").fill("3")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog).to_have_count(0)
    assert site.entries(match)[-1]["body"] == {"score": {"one": 3, "two": 4}}


def test_a_director_sets_the_cube_its_value_its_owner_or_both(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[1]
    record(site, match, ("game.started", {}))
    director.goto(f"/room/{LOG}#{match}")
    cubes = []
    for value, owner in (("4", "Dora"), ("8", None), (None, "Chidi"), ("1", "in the middle")):
        director.get_by_role("button", name="Set the table").tap()
        dialog = director.get_by_role("dialog")
        dialog.get_by_text("Cube and dice").tap()
        if value is not None:
            dialog.get_by_label("Cube", exact=True).select_option(value)
        if owner is not None:
            lies = dialog.get_by_role("group", name="Where the cube lies")
            lies.locator("label.chip").filter(has_text=owner).tap()
        if value == "4":
            shot(director, "set-the-table")
            check_axe(director)
            check_targets(director)
        dialog.get_by_role("button", name="Set the table").tap()
        expect(dialog).to_have_count(0)
        last = site.entries(match)[-1]
        assert last["tag"] == "ruling.carried_out"
        cubes.append(last["body"]["cube"])
        expect(director.locator(".moment h3")).to_have_text(f"Entry {last['version']}")
    assert cubes == [
        {"value": 4, "owner": "two"},
        {"value": 8, "owner": "two"},
        {"value": 8, "owner": "one"},
        {"value": 1},
    ]


def test_a_ruling_cites_only_a_section_that_its_rule_set_has(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[1]
    director.goto(f"/room/{LOG}#{match}")
    director.get_by_role("button", name="Rule", exact=True).tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_label("Decision").fill("play on")
    dialog.get_by_text("Facts and rule").tap()
    section = dialog.get_by_label("Section of USBGF, September 2017")
    section.fill("zzz")
    dialog.get_by_role("button", name="Rule", exact=True).tap()
    refusal = dialog.get_by_role("alert")
    expect(refusal).to_have_text(
        "USBGF, September 2017 has no section zzz: choose one from the list, or leave it empty."
    )
    section.fill("[2.2]")
    dialog.get_by_role("button", name="Rule", exact=True).tap()
    expect(dialog).to_have_count(0)
    [cited] = site.entries(match)[-1]["body"]["references"]
    assert cited == {"rule_set": "usbgf-2017-09", "section": "[2.2]"}


def test_an_open_question_is_ruled_with_one_of_its_readings(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[0]
    record(
        site,
        match,
        ("dice.rolled", {"seat": "one", "dice": [4, 1], "observations": [ASLANT, FLAT]}),
    )
    enter(director)
    director.get_by_role("link", name="Ada").tap()
    with site.http() as client:
        asked = client.get(f"/logs/{LOG}/matches/{match}/findings?open=true").json()["questions"]
    assert asked, "the record leaves a question open"
    card = director.locator(".question").filter(has=director.get_by_role("button", name="Rule"))
    expect(card).to_have_count(len(asked))
    card.first.get_by_role("button", name="Rule").tap()
    dialog = director.get_by_role("dialog")
    dialog.locator("input[name=reading]").first.check(force=True)
    dialog.get_by_label("Decision").fill("rolled again")
    dialog.get_by_role("button", name="Rule").tap()
    expect(card).to_have_count(len(asked) - 1)
    ruled = site.entries(match)[-1]
    assert ruled["tag"] == "ruling.made"
    assert ruled["body"]["answers"][0]["question"]["topic"] == asked[0]["topic"]


def test_a_question_for_which_the_text_has_no_reading_is_ruled_in_words(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[1]
    record(
        site,
        match,
        ("game.started", {"number": 1}),
        ("dice.opening_rolled", {"one": 6, "two": 3}),
        ("play.made", {"seat": "one", "moves": [[24, 18], [13, 10]]}),
        ("penalty.assessed", {"seat": "two", "points": 1, "ground": "late_start"}),
    )
    enter(director)
    director.get_by_role("link", name="Chidi").tap()
    question = director.locator(".question").filter(has=director.get_by_role("button", name="Rule"))
    expect(question).to_contain_text("Dora was penalised; how many penalty points that makes")
    expect(question).to_contain_text("[2.2]: start and resume times")
    question.get_by_role("button", name="Rule").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog).to_contain_text("decide, and say it in words")
    dialog.get_by_role("button", name="Rule").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("Decision")
    dialog.get_by_label("Decision").fill("one point, not entered")
    dialog.get_by_role("button", name="Rule").tap()
    expect(dialog).to_have_count(0)
    expect(question).to_have_count(0)
    [answer] = site.entries(match)[-1]["body"]["answers"]
    assert answer["reading"] == "as_decided"
    assert answer["question"]["topic"] == "penalties.points"
    moment = director.locator(".moment")
    expect(moment).to_contain_text("one point, not entered")


def dispute(site: Site, match: str) -> None:
    """Ada disputes the last play, and both say what happened."""
    frozen = site.entries(match)[5]["entry_id"]
    body = {
        "by": "one",
        "frozen_at": frozen,
        "topic": "window.play",
        "readings": [
            {"by": "one", "says": "He moved a checker twice."},
            {"by": "two", "says": "It slid."},
        ],
    }
    with site.http(site.director) as client:
        answer = client.post(
            f"/logs/{LOG}/matches/{match}/disputes",
            json={"entry_id": str(uuid.uuid4()), "body": body},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text


def test_a_dispute_waits_in_the_queue_and_leads_to_its_frozen_moment(
    director: Page, hall: list[str], site: Site
) -> None:
    dispute(site, hall[0])
    enter(director)
    waits = director.locator(".queue section").filter(has_text="Disputes (1)")
    expect(waits).to_contain_text("Table 1: Ada disputes")
    waits.get_by_role("link", name="The frozen moment").tap()
    expect(director.locator(".steps")).to_contain_text("entry 6 of 8")
    top, bottom = (director.locator(".plate").nth(place) for place in (0, 1))
    expect(top).to_contain_text("Ben")
    expect(bottom).to_contain_text("Ada")
    expect(bottom).to_contain_text("to act")
    # The dice lie as they were thrown, at the dispute as at the play that it is about.
    assert dice_of(director) == [5, 2]
    director.get_by_role("button", name="Back to now").tap()
    expect(director.locator(".moment")).to_contain_text("Ada saysHe moved a checker twice.")
    expect(director.locator(".moment")).to_contain_text("Ben saysIt slid.")
    expect(director.get_by_text("Dispute by Ada: an illegal play").first).to_be_visible()
    assert dice_of(director) == [5, 2]


def test_a_dispute_is_settled_in_sight_of_what_it_is_about(
    director: Page, hall: list[str], site: Site
) -> None:
    dispute(site, hall[0])
    director.goto(f"/room/{LOG}#{hall[0]}")
    waits = director.locator(".card").filter(has_text="Waiting for you")
    row = waits.locator(".row").filter(has_text="Dispute by Ada")
    row.get_by_role("button", name="Settle").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog).to_contain_text("Dispute by Ada: an illegal play")
    dialog.get_by_label("Decision").fill("the play stands")
    dialog.get_by_role("button", name="Rule").tap()
    expect(dialog).to_have_count(0)
    expect(row).to_have_count(0)
    raised, ruled = site.entries(hall[0])[-2:]
    assert ruled["body"]["dispute"] == raised["entry_id"]


def dice_of(page: Page) -> list[int] | None:
    """The dice on the board that is shown."""
    found: list[int] | None = page.evaluate("document.querySelector('tb-board').dice")
    return found


def test_what_may_be_put_right_is_told_for_the_moment_that_is_shown(
    director: Page, hall: list[str], site: Site
) -> None:
    match = site.open_match(table="7", rule_set="usbgf-2017-07")
    record(
        site,
        match,
        ("game.started", {"number": 1}),
        ("dice.opening_rolled", {"one": 6, "two": 3}),
        ("play.made", {"seat": "one", "moves": [[24, 18], [13, 9]]}),
        ("dice.rolled", {"seat": "two", "dice": [5, 2]}),
        ("play.made", {"seat": "two", "moves": [[13, 8], [24, 22]]}),
    )
    director.goto(f"/room/{LOG}#{match}/4")
    windows = director.locator(".windows")
    expect(windows).to_contain_text("play · Ada · has to be put right")
    expect(windows).to_contain_text("until the opponent's next valid roll")
    expect(windows).to_contain_text("[4.2.3]: legal moves")
    director.get_by_role("button", name="Back to now").tap()
    expect(windows).to_contain_text("Nothing at this moment.")


def test_an_appeal_names_what_it_is_against_and_why(
    director: Page, hall: list[str], site: Site
) -> None:
    match = hall[1]
    [penalty, _] = record(
        site,
        match,
        ("penalty.assessed", {"seat": "two", "points": 2, "ground": "late_start"}),
        ("ruling.made", {"decision": "play on"}),
    )
    enter(director)
    director.get_by_role("link", name="Chidi").tap()
    director.get_by_role("button", name="File an appeal").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_text("Dora", exact=True).tap()
    dialog.get_by_label("Against what").select_option(
        label="entry 2: 2 penalty points against Dora (late start)"
    )
    dialog.get_by_text("what the rules make of it", exact=True).tap()
    dialog.get_by_label("Reason").fill("the posted time was wrong")
    dialog.get_by_role("button", name="File an appeal").tap()
    expect(dialog).to_have_count(0)
    filed = site.entries(match)[-1]
    assert filed["tag"] == "appeal.filed"
    assert filed["body"]["target"] == penalty
    assert filed["body"]["on"] == "rule"
    assert "the posted time was wrong" in filed["disclosures"].values()
    expect(director.locator(".moment")).to_contain_text("the posted time was wrong")
    card = director.locator(".card").filter(has=director.get_by_role("heading", name="Appeals"))
    expect(card.locator("li")).to_have_text("Dora · entry 4 · openThe desk of the case")
    director.get_by_role("link", name="All tables").tap()
    expect(director.locator(".queue")).to_contain_text("Dora appeals; no committee yet")


def test_releasing_a_match_anew_keeps_its_delay(
    director: Page, hall: list[str], site: Site
) -> None:
    match = site.open_match(table="8", publication={"public": True, "delay_ms": 600_000})
    director.goto(f"/room/{LOG}#{match}")
    director.get_by_role("button", name="Publication").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog.get_by_label("Minutes behind the table")).to_have_value("10")
    dialog.get_by_role("button", name="Save").tap()
    expect(dialog).to_have_count(0)
    assert site.entries(match)[-1]["body"]["delay_ms"] == 600_000


def test_a_result_is_confirmed_from_the_queue(director: Page, hall: list[str], site: Site) -> None:
    record(site, hall[2], ("score.noted", {"keeper": "one", "score": {"one": 0, "two": 1}}))
    enter(director)
    waits = director.locator(".queue section").filter(has_text="Results to confirm (1)")
    expect(waits).to_contain_text("0–1 · Emil confirms · Fay has not confirmed")
    director.get_by_role("button", name="Confirm the result").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog).to_contain_text("Emil confirms · Fay has not confirmed")
    dialog.get_by_role("button", name="Post it").tap()
    expect(director.get_by_role("button", name="Confirm the result")).to_have_count(0)
    posted = site.entries(hall[2])[-1]
    assert posted["tag"] == "result.posted"
    assert posted["body"] == {"score": {"one": 0, "two": 1}, "winner": "two"}


def test_a_match_is_opened_from_the_room(director: Page, site: Site) -> None:
    enter(director)
    expect(director.get_by_text("No match is open")).to_be_visible()
    director.get_by_role("button", name="Open a match").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_label("Player 1").fill("Gro")
    dialog.get_by_label("Player 2").fill("Hal")
    dialog.get_by_label("Clock", exact=True).select_option("simple")
    dialog.get_by_label("Clock: minutes each").fill("14")
    # Nobody follows a match of which nobody has said how far they are behind.
    dialog.get_by_text("yes, anybody").tap()
    dialog.get_by_role("button", name="Open a match").tap()
    expect(dialog.locator(".refusal")).to_contain_text("how many minutes")
    dialog.get_by_text("no, unless it is allowed").tap()
    dialog.get_by_role("button", name="Open a match").tap()
    expect(director.get_by_role("article")).to_contain_text("Gro")


def test_who_is_registered_plays_a_match_of_the_room_as_that_player(
    director: Page, site: Site
) -> None:
    """So that a corrected name and a penalty of that player reach the match."""
    enter(director)
    team = "Anna Alt / Bert Bahr"  # registered in one line, as one
    sheet = {"text": f"name\nIda Berg\nOmar Lund\n{team}\n", "request_id": str(uuid.uuid4())}
    with site.http(site.director) as client:
        client.post(f"/logs/{LOG}/rounds", json=sheet).raise_for_status()
    director.get_by_role("button", name="Open a match").tap()
    dialog = director.get_by_role("dialog")
    expect(dialog.locator("datalist#registered option")).to_have_count(3)
    dialog.get_by_label("Player 1").fill("ida  berg")
    dialog.get_by_label("Player 2").fill("Ida Berg")
    dialog.get_by_role("button", name="Open a match").tap()
    expect(dialog.locator(".refusal")).to_contain_text("cannot play against")
    dialog.get_by_label("Player 2").fill(team)
    dialog.get_by_role("button", name="Open a match").tap()
    expect(director.get_by_role("article")).to_contain_text("Ida Berg")
    with site.http(site.director) as client:
        listed = client.get(f"/logs/{LOG}/players").json()["players"]
    assert {one["name"]: one["matches"] for one in listed} == {
        "Ida Berg": 1,
        team: 1,
        "Omar Lund": 0,
    }


def test_a_tablet_is_let_in_by_its_four_words(director: Page, hall: list[str], site: Site) -> None:
    enter(director)
    director.get_by_role("button", name="Pair a tablet").tap()
    code = director.locator(".code").inner_text()
    token = "ab" * 32
    with site.http() as client:
        claim = client.post(
            "/pairings/claims",
            json={
                "code": code,
                "device": "tablet-7",
                "public_key": None,
                "epoch": 1,
                "token_sha256": hashlib.sha256(token.encode()).hexdigest(),
            },
        )
    assert claim.status_code == 202, claim.text
    director.get_by_role("button", name="Close").tap()
    words = " ".join(claim.json()["fingerprint"])
    expect(director.locator(".queue .words")).to_have_text(words)
    director.get_by_role("button", name="Let it in").tap()
    expect(director.locator(".queue .words")).to_have_count(0)
    with site.http(token) as client:
        leases = client.get(f"/logs/{LOG}/assignment").json()["leases"]
    assert len(leases) == 1


def test_the_room_is_for_everybody(
    new_context: NewContext, sign_in: SignIn, hall: list[str]
) -> None:
    context: BrowserContext = new_context()
    sign_in(context)
    page = context.new_page()

    def is_for_everybody(screen: str) -> None:
        def check(look: str, _: Size) -> None:
            check_axe(page)
            check_targets(page)
            shot(page, f"{screen}-{look}")

        at_every_look(page, SIZES, check)

    enter(page)
    expect(page.get_by_role("article").first).to_be_visible()
    is_for_everybody("hall")
    page.get_by_role("link", name="To the moment").tap()
    expect(page.get_by_text("Who records")).to_be_visible()
    is_for_everybody("case")
    page.get_by_role("button", name="Penalty points").tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    is_for_everybody("penalty")
