"""Who records a board, and what waits: tablets, parked entries, calls among them."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.devices import Tablet
from tests.web.conftest import LOG, NewContext, Site, check_axe, check_targets, shot
from tests.web.test_room import SignIn, enter, record

pytestmark = pytest.mark.warm

ROLLED: dict[str, Any] = {"seat": "two", "dice": [5, 2]}
PLAYED: dict[str, Any] = {"seat": "one", "moves": [[24, 18], [13, 10]]}


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    return context.new_page()


def told(site: Site, path: str, body: dict[str, Any], token: str, **headers: str) -> Any:
    """What the server answers to something that it takes."""
    with site.http(token) as client:
        answer = client.post(f"/logs/{LOG}/{path}", json=body, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


def let_in(site: Site, name: str, match: str | None = None) -> Tablet:
    """A tablet that is known here, and records a match."""
    tablet = Tablet(name, signs=False)
    acts: list[tuple[str, dict[str, Any]]] = [("access.granted", tablet.granted())]
    if match is not None:
        acts.append(("lease.granted", {"lease": 1, "device": name, "match": match}))
    entries = [
        {"entry_id": uuid_of(f"{name} {tag}"), "tag": tag, "body": body} for tag, body in acts
    ]
    told(site, "events", {"entries": entries}, site.director, **{"If-Match": "*"})
    return tablet


def uuid_of(text: str) -> str:
    """An entry id made of a text."""
    found = hashlib.sha256(text.encode()).hexdigest()
    return f"{found[:8]}-{found[8:12]}-4{found[13:16]}-8{found[17:20]}-{found[20:32]}"


def park(site: Site, tablet: Tablet, match: str, *acts: tuple[str, dict[str, Any]]) -> None:
    """What a tablet recorded while the match stood at its third entry."""
    items = [
        tablet.record(tag, 3 + place, stream=match, body=body)
        for place, (tag, body) in enumerate(acts)
    ]
    answer = told(site, "ingest", {"items": items}, tablet.token)
    assert [one["outcome"] for one in answer["results"]] == ["stream_conflict"] * len(acts)


@pytest.fixture
def match(site: Site) -> str:
    """A match whose tablet was cut off after the opening roll; meanwhile two entries came in."""
    match = site.open_match(table="6")
    start: list[tuple[str, dict[str, Any]]] = [
        ("game.started", {}),
        ("dice.opening_rolled", {"one": 6, "two": 3}),
    ]
    record(site, match, *start, ("play.made", PLAYED), ("dice.rolled", ROLLED))
    return match


def test_a_parked_entry_that_the_match_has_already_is_not_ticked_and_says_so(
    director: Page, site: Site, match: str
) -> None:
    tablet = let_in(site, "green cover", match)
    rolled = {**ROLLED, "at_ms": 61_000}
    reply = {"seat": "two", "moves": [[13, 8], [13, 11]]}
    again = ("play.made", reply)
    park(site, tablet, match, ("play.made", PLAYED), ("dice.rolled", rolled), again, again)
    director.goto(f"/room/{LOG}#{match}")
    items = director.locator(".parked li")
    expect(items).to_have_count(4)
    expect(items.nth(0)).to_contain_text("Ada: Play 24/18 13/10")
    expect(items.nth(0)).to_contain_text("the match has this already")
    expect(items.nth(1)).to_contain_text("Ben: Roll 5-2")
    expect(items.nth(1)).to_contain_text("the match has this already")
    expect(items.nth(2)).not_to_contain_text("already")
    expect(items.nth(3)).to_contain_text("the same as the entry before it")
    ticks = [box.is_checked() for box in items.locator("input").all()]
    assert ticks == [False, False, True, False]
    director.locator(".parked").scroll_into_view_if_needed()
    shot(director, "parked-twice")
    check_axe(director)
    director.get_by_role("button", name="Decide the parked entries").tap()
    dialog = director.get_by_role("dialog")
    # The scribe goes on meanwhile: nothing is decided of what nobody has seen.
    park(site, tablet, match, ("dice.rolled", rolled))
    dialog.get_by_role("button", name="Decide").tap()
    expect(dialog).to_contain_text("Nothing was decided")
    dialog.get_by_role("button", name="Cancel").tap()
    expect(items).to_have_count(5)
    director.get_by_role("button", name="Decide the parked entries").tap()
    dialog.get_by_role("button", name="Decide").tap()
    expect(director.locator(".parked")).to_have_count(0)
    tags = [entry["tag"] for entry in site.entries(match)]
    assert tags[3:] == ["play.made", "dice.rolled", "play.made"]


def test_entries_parked_in_the_place_of_as_many_that_were_decided_are_shown(
    director: Page, site: Site, match: str
) -> None:
    tablet = let_in(site, "green cover", match)
    park(site, tablet, match, ("play.made", PLAYED))
    director.goto(f"/room/{LOG}#{match}")
    items = director.locator(".parked li")
    expect(items).to_contain_text("Ada: Play 24/18 13/10")
    director.get_by_role("button", name="Decide the parked entries").tap()
    # A second director decides meanwhile, and the tablet goes on.
    path = f"branches?match={match}"
    with site.http() as client:
        [branch] = client.get(f"/logs/{LOG}/{path}").json()["branches"]
    [item] = branch["items"]
    decided = {"match": match, "device": branch["device"], "accepted": []}
    decided["set_aside"] = [item["entry_id"]]
    told(site, "branches/resolution", decided, site.director)
    park(site, tablet, match, ("dice.rolled", {"seat": "two", "dice": [4, 1]}))
    dialog = director.get_by_role("dialog")
    dialog.get_by_role("button", name="Decide").tap()
    expect(dialog).to_have_count(0)
    expect(items).to_contain_text("Ben: Roll 4-1")


def test_a_parked_call_rings_in_the_queue_and_is_no_moment_of_the_match(
    director: Page, site: Site, match: str
) -> None:
    tablet = let_in(site, "green cover", match)
    park(site, tablet, match, ("director.called", {"by": "two"}))
    enter(director)
    calls = director.locator(".queue section").filter(has_text="Calls (1)")
    expect(calls).to_contain_text("Table 6: Ben calls")
    expect(calls).to_contain_text("the call is parked")
    expect(calls.get_by_role("button", name="On my way")).to_have_count(0)
    expect(director).to_have_title("(1) Lantern Open: Director's room")
    shot(director, "parked-call")
    check_axe(director)
    calls.get_by_role("link", name="Look").tap()
    waits = director.locator(".card").filter(has_text="Waiting for you")
    expect(waits).to_contain_text("the call is parked")
    expect(waits.get_by_role("button")).to_have_count(0)
    director.get_by_role("button", name="Decide the parked entries").tap()
    director.get_by_role("dialog").get_by_role("button", name="Decide").tap()
    expect(waits.get_by_role("button", name="Settle")).to_be_visible()


def test_a_board_is_handed_over_to_a_tablet_that_says_what_it_does(
    director: Page, site: Site, match: str
) -> None:
    let_in(site, "first", match)
    let_in(site, "busy", site.open_match(table="2"))
    let_in(site, "asleep")
    spare = let_in(site, "spare")
    with site.http(spare.token) as client:
        assert client.get(f"/logs/{LOG}/assignment").is_success
    director.goto(f"/room/{LOG}#{match}")
    director.get_by_role("button", name="Hand over to another tablet").tap()
    dialog = director.get_by_role("dialog")
    options = dialog.locator("fieldset").first.locator("label.chip")
    expect(options).to_have_count(3)
    expect(options.nth(0)).to_contain_text("· free · heard")
    expect(options.nth(0).locator("input")).to_have_value("spare")
    expect(options.nth(1)).to_contain_text("· free · not heard yet")
    expect(options.nth(2)).to_contain_text("· records table 2 · not heard yet")
    shot(director, "hand-over")
    check_axe(director)
    check_targets(director)
