"""The director's room in a browser: the hall at a glance, and every act from there to a ruling."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.conftest import LOG, NewContext, Site, check_axe, check_targets, shot

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

SIZES = {"tablet": {"width": 1180, "height": 820}, "small": {"width": 1024, "height": 768}}


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
    page.get_by_role("textbox").fill(site.director)
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


def test_a_call_leads_to_its_moment_in_one_tap_and_leaves_the_queue(
    director: Page, hall: list[str], site: Site
) -> None:
    enter(director)
    director.get_by_role("button", name="On my way").tap()
    expect(director.locator("tb-board")).to_be_visible()
    expect(director.locator(".steps")).to_contain_text("entry 7 of")
    assert site.entries(hall[0])[-1]["tag"] == "moment.marked"
    director.get_by_role("link", name="All tables").tap()
    expect(director.get_by_role("article").filter(has_text="Ada")).not_to_contain_text("calls you")


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
    expect(director.get_by_text("Dora · 2 penalty points")).to_be_visible()
    entry = site.entries(hall[1])[-1]
    assert entry["tag"] == "penalty.assessed"
    assert entry["basis"] == "ruled"
    assert entry["body"]["points"] == 2
    assert "came at noon" in entry["disclosures"].values()
    director.get_by_role("button", name="Waive").tap()
    director.get_by_role("dialog").get_by_role("button", name="Waive").tap()
    expect(director.get_by_text("Dora · 0 penalty points")).to_be_visible()


def test_a_form_that_the_server_refuses_says_why_and_stays_open(
    director: Page, hall: list[str]
) -> None:
    enter(director)
    director.get_by_role("link", name="Chidi").tap()
    director.get_by_role("button", name="Set the table").tap()
    dialog = director.get_by_role("dialog")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing is set")
    dialog.get_by_label("Clock of Chidi").fill("11.30")
    dialog.get_by_label("Clock of Dora").fill("10:00")
    dialog.get_by_role("button", name="Set the table").tap()
    expect(dialog.get_by_role("alert")).to_contain_text("11.30 is no clock reading")


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


def test_a_result_is_confirmed_from_the_queue(director: Page, hall: list[str], site: Site) -> None:
    enter(director)
    director.get_by_role("button", name="Confirm the result").tap()
    director.get_by_role("dialog").get_by_role("button", name="Post it").tap()
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
    dialog.get_by_label("Clock: minutes each").fill("14")
    dialog.get_by_role("button", name="Open a match").tap()
    expect(director.get_by_role("article")).to_contain_text("Gro")


def test_a_tablet_is_let_in_by_its_four_words(director: Page, hall: list[str], site: Site) -> None:
    enter(director)
    director.get_by_role("button", name="Pair a tablet").tap()
    director.get_by_role("dialog").get_by_role("button", name="Make a code").tap()
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
    dialog = director.get_by_role("dialog")
    expect(dialog.locator(".words")).to_have_text(words)
    dialog.get_by_role("button", name="Let it in").tap()
    expect(dialog).to_have_count(0)
    expect(director.locator(".queue .words")).to_have_count(0)
    with site.http(token) as client:
        leases = client.get(f"/logs/{LOG}/assignment").json()["leases"]
    assert len(leases) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_room_is_for_everybody(
    new_context: NewContext, sign_in: SignIn, hall: list[str], scheme: str, size: str
) -> None:
    context: BrowserContext = new_context(color_scheme=scheme, viewport=SIZES[size])
    sign_in(context)
    page = context.new_page()
    enter(page)
    expect(page.get_by_role("article").first).to_be_visible()
    check_axe(page)
    check_targets(page)
    shot(page, f"hall-{scheme}-{size}")
    page.get_by_role("link", name="To the moment").tap()
    expect(page.get_by_text("Who records")).to_be_visible()
    check_axe(page)
    check_targets(page)
    shot(page, f"case-{scheme}-{size}")
    page.get_by_role("button", name="Penalty points").tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    check_axe(page)
    check_targets(page)
    shot(page, f"penalty-{scheme}-{size}")
