"""Two tablets and a director in three browsers: takeover, outdated bases, parked entries."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from events.store.fsck import fsck
from events.values import ONE
from tests.web.conftest import LOG, PATIENCE_MS, NewContext, Site, check_axe, shot, tick
from tests.web.tablet_rig import Scribe, draw, open_tablet
from tests.web.test_tablet import patience

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]


class Hall:
    """A match, the tablet that records it, one in reserve, and the director."""

    def __init__(self, site: Site, contexts: list[BrowserContext]) -> None:
        self.site = site
        self.match = site.open_match(length=3, table="4")
        self.contexts = contexts
        first, second, room = (context.new_page() for context in contexts)
        self.room = room
        open_tablet(first, site, self.match)
        open_tablet(second, site, None)
        self.first, self.second = Scribe(first), Scribe(second)
        room.goto(f"/room/{LOG}")
        expect(room.locator("#room-age")).to_have_class("badge good")

    def begin(self) -> None:
        """A game with its opening roll, on the first tablet."""
        self.first.key("next_game")
        self.first.opening(6, 1)
        self.first.settle()

    def open_case(self) -> None:
        """The director looks at the match."""
        self.room.get_by_role("link", name="Ada").tap()
        expect(self.room.get_by_text("Who records")).to_be_visible()

    def hand_over(self) -> None:
        """The director gives the board to the tablet in reserve."""
        self.room.get_by_role("button", name="Hand over to another tablet").tap()
        dialog = self.room.get_by_role("dialog")
        dialog.locator("label.chip").first.tap()
        dialog.get_by_role("button", name="Hand over to another tablet").tap()
        expect(dialog).to_have_count(0)

    def tags(self) -> list[str]:
        return [entry["tag"] for entry in self.site.entries(self.match)]

    def until(self, tags: list[str]) -> None:
        """Wait until the server holds entries of these tags, and no others."""
        patience = time.monotonic() + PATIENCE_MS / 1000
        while self.tags() != tags and time.monotonic() < patience:
            self.room.wait_for_timeout(50)
        assert self.tags() == tags

    def branches(self) -> list[dict[str, Any]]:
        with self.site.http(self.site.director) as client:
            found: list[dict[str, Any]] = client.get(
                f"/logs/{LOG}/branches", params={"match": self.match}
            ).json()["branches"]
        return found


@pytest.fixture
def hall(site: Site, new_context: NewContext, sign_in: SignIn) -> Hall:
    contexts = [new_context(expects_errors=True) for _ in range(3)]
    sign_in(contexts[2])
    return Hall(site, contexts)


def plays(scribe: Scribe, name: str) -> None:
    """Wait until the tablet knows whose play it is."""
    expect(scribe.page.locator(".panel .next")).to_have_text(f"{name} to play")


def role(page: Page, text: str) -> None:
    expect(page.locator(".badge.role")).to_have_text(text)


def test_the_director_hands_a_board_over_and_the_new_tablet_goes_on_where_the_old_one_was(
    hall: Hall,
) -> None:
    hall.begin()
    hall.open_case()
    hall.hand_over()
    role(hall.first.page, "Not the scribe")
    hall.second.page.locator(".recorder").wait_for()
    role(hall.second.page, "Scribe")
    plays(hall.second, "Ada")
    hall.second.point(ONE, "7")
    hall.second.point(ONE, "7")
    hall.until(["match.opened", "game.started", "dice.opening_rolled", "play.made"])
    with hall.site.http() as client:
        lines = client.get(f"/logs/{LOG}/events").json()["entries"]
    leases = [line for line in lines if line["tag"].startswith("lease.")]
    assert [line["tag"] for line in leases] == ["lease.granted", "lease.ended", "lease.granted"]
    assert leases[-1]["body"]["takeover"] is True
    assert leases[-1]["body"]["lease"] == 2


def test_a_call_made_by_mistake_is_withdrawn_at_the_tablet_and_leaves_the_room(hall: Hall) -> None:
    hall.begin()
    calls = hall.room.get_by_text("Table 4: ")
    withdraw = hall.first.page.get_by_role("button", name="Director called")
    expect(withdraw).to_be_hidden()
    hall.first.key("call")
    hall.first.key("mark")
    expect(calls).to_be_visible()
    withdraw.tap()
    dialog = hall.first.page.get_by_role("dialog")
    expect(dialog).to_contain_text("The director is called.")
    shot(hall.first.page, "tablet-call")
    check_axe(hall.first.page)
    dialog.get_by_role("button", name="Withdraw the call").tap()
    expect(dialog).to_have_count(0)
    expect(withdraw).to_be_hidden()
    expect(calls).to_be_hidden()
    start = ["match.opened", "game.started", "dice.opening_rolled"]
    hall.until([*start, "director.called", "moment.marked", "entry.retracted"])
    opening, called, marked, retracted = hall.site.entries(hall.match)[2:]
    # The scribe's own mark is about the roll, and stays.
    assert called["body"]["about"] == marked["body"]["target"] == opening["entry_id"]
    assert retracted["body"]["target"] == called["entry_id"]


def test_a_call_that_the_director_answers_leaves_the_tablet_too(hall: Hall) -> None:
    hall.begin()
    hall.first.key("call")
    expect(hall.first.page.get_by_role("button", name="Director called")).to_be_visible()
    hall.room.get_by_role("button", name="On my way").tap()
    expect(hall.first.page.get_by_role("button", name="Director called")).to_be_hidden()


def test_what_the_old_tablet_had_not_sent_is_parked_shown_and_never_applied_by_itself(
    hall: Hall,
) -> None:
    hall.begin()
    hall.contexts[0].set_offline(True)
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    hall.first.dice(4, 2)
    expect(hall.first.page.locator(".badge.unsent")).to_have_text(re.compile("2"))
    hall.open_case()
    hall.hand_over()
    hall.second.page.locator(".recorder").wait_for()
    role(hall.second.page, "Scribe")
    plays(hall.second, "Ada")
    hall.second.point(ONE, "23")
    hall.second.point(ONE, "7")
    before = ["match.opened", "game.started", "dice.opening_rolled", "play.made"]
    hall.until(before)

    hall.contexts[0].set_offline(False)
    card = hall.room.locator(".card.warned")
    expect(card).to_be_visible()
    expect(card.locator("li")).to_have_count(2)
    role(hall.first.page, "Not the scribe")
    shot(hall.first.page, "tablet-parked")
    shot(hall.room, "room-parked")
    check_axe(hall.room)
    assert hall.tags() == before
    [branch] = hall.branches()
    assert branch["items"][0]["reason"] == "stale_lease"

    for chip in card.locator("label.chip").all():
        tick(chip, on=False)
    card.get_by_role("button", name="Decide the parked entries").tap()
    hall.room.get_by_role("dialog").get_by_role("button", name="Decide").tap()
    expect(card).to_have_count(0)
    assert hall.tags() == before
    assert [branch["state"] for branch in hall.branches()] in ([], ["resolved"])


def test_an_answer_that_comes_late_does_not_undo_a_newer_one(hall: Hall) -> None:
    hall.begin()
    hall.open_case()
    held: list[Route] = []
    hall.room.route(
        "**/branches?*", lambda route: held.append(route) if not held else route.continue_()
    )
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    patience(lambda: held != [], hall.room)
    hall.first.dice(5, 2)
    record = hall.room.locator(".record")
    expect(record).to_contain_text("52")
    with hall.room.expect_response("**/branches?*") as late:
        held[0].continue_()
    late.value.finished()
    draw(hall.room)
    expect(record).to_contain_text("52")


def test_a_match_that_could_not_be_read_is_read_again_at_the_next_poll(hall: Hall) -> None:
    hall.begin()
    hall.open_case()
    record = hall.room.locator(".record")
    expect(record).to_contain_text("Ada begins")
    hall.room.route("**/branches?*", lambda route: route.abort())
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    alert = hall.room.locator(".case-first [role=alert]")
    expect(alert).to_be_visible()
    for _ in range(2):
        hall.room.wait_for_event("response", lambda answer: answer.url.endswith("/room"))
    hall.room.unroute("**/branches?*")
    expect(alert).to_have_count(0)
    expect(record).to_contain_text("8/7")


def test_no_key_is_drawn_anew_or_moved_under_the_finger_that_lies_on_it(hall: Hall) -> None:
    """A tap would be lost, or be another key's: what comes meanwhile is shown after it."""
    hall.begin()
    hall.open_case()
    # The answer that draws a card above the key is held until the finger is down.
    held: list[Route] = []
    hall.room.route("**/scenes", lambda route: held.append(route))
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    hall.first.dice(5, 2)
    hall.first.key("call")
    hall.first.settle()
    expect(hall.room).to_have_title(re.compile(r"^\(1\)"))
    key = hall.room.get_by_role("button", name="Hand over to another tablet")
    key.hover()
    drawn, place = key.element_handle(), key.bounding_box()
    hall.room.mouse.down()
    with hall.room.expect_response("**/scenes"):
        held[-1].continue_()
    draw(hall.room)
    assert drawn is not None
    assert drawn.evaluate("(key) => key.isConnected")
    assert key.bounding_box() == place
    hall.room.mouse.up()
    hall.room.unroute("**/scenes")
    expect(hall.room.get_by_role("dialog")).to_contain_text("Hand over to another tablet")
    # What waited is drawn now.
    hall.room.wait_for_function("(key) => !key.isConnected", arg=drawn)
    expect(hall.room.locator(".record")).to_contain_text("52")
    expect(hall.room.locator(".case-first .card")).to_be_visible()


def test_entries_on_a_stale_base_are_parked_and_the_director_takes_them_over_in_order(
    hall: Hall,
) -> None:
    hall.begin()
    hall.contexts[0].set_offline(True)
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    hall.first.dice(5, 2)
    # Meanwhile the match moves on: a director's entry that the tablet cannot know.
    hall.open_case()
    hall.room.get_by_role("button", name="Penalty points").tap()
    dialog = hall.room.get_by_role("dialog")
    dialog.locator("label.chip").first.tap()
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)
    before = hall.tags()
    assert before[-1] == "penalty.assessed"

    hall.contexts[0].set_offline(False)
    card = hall.room.locator(".card.warned")
    expect(card.locator("li")).to_have_count(2)
    assert hall.tags() == before
    # Its board is the server's: without a word the scribe would enter the same once more.
    said = "Ben 52 waits for the director: do not enter it again."
    expect(hall.first.page.locator(".note")).to_have_text(said)
    shot(hall.first.page, "tablet-not-in-match")
    card.get_by_role("button", name="Decide the parked entries").tap()
    hall.room.get_by_role("dialog").get_by_role("button", name="Decide").tap()
    expect(card).to_have_count(0)
    assert hall.tags() == [*before, "play.made", "dice.rolled"]
    # The tablet hears of it, and goes on from there.
    plays(hall.first, "Ben")
    for word in ("24", "22", "13", "8"):
        hall.first.point(ONE.other, word)
    hall.until([*before, "play.made", "dice.rolled", "play.made"])


def test_a_second_scribe_writes_beside_and_never_into_the_match(hall: Hall) -> None:
    hall.begin()
    hall.open_case()
    hall.room.get_by_role("button", name="Add a second scribe").tap()
    dialog = hall.room.get_by_role("dialog")
    dialog.locator("label.chip").first.tap()
    dialog.get_by_role("button", name="Save").tap()
    expect(dialog).to_have_count(0)
    hall.second.page.locator(".recorder").wait_for()
    role(hall.second.page, "Second scribe")
    hall.second.key("next_game")
    hall.second.opening(6, 2)
    hall.second.settle()
    hall.until(["match.opened", "game.started", "dice.opening_rolled"])
    expect(hall.room.get_by_text("Second scribe:")).to_be_visible()
    # Who writes beside calls from the same table, and is heard as the first one is.
    hall.second.key("call")
    called = hall.second.page.get_by_role("button", name="Director called")
    expect(called).to_be_visible()
    hall.room.get_by_role("link", name="All tables").tap()
    expect(hall.room.get_by_role("article").first).to_contain_text("calls")
    expect(hall.room.locator("aside.queue")).to_contain_text("Table 4: ")
    hall.room.get_by_role("button", name="On my way").tap()
    expect(called).to_be_hidden()
    expect(hall.room.get_by_role("button", name="On my way")).to_have_count(0)
    # And so is a dispute that he notes: it is ruled on in his record, where his tablet waits.
    hall.room.get_by_role("link", name="All tables").tap()
    raised = {"entry_id": str(uuid.uuid4()), "tag": "dispute.raised", "body": {"by": "one"}}
    with hall.site.http(hall.site.director) as client:
        [shadow] = client.get(f"/logs/{LOG}/room").json()["tables"][0]["shadows"]
        beside = shadow["match_id"]
        path, any_version = f"/logs/{LOG}/matches/{beside}/events", {"If-Match": "*"}
        assert client.post(path, json={"entries": [raised]}, headers=any_version).status_code == 201
    queue = hall.room.locator("aside.queue")
    expect(queue).to_contain_text("recorded by the second scribe")
    queue.get_by_role("link", name="Look").tap()
    hall.room.get_by_role("button", name="Settle").tap()
    form = hall.room.get_by_role("dialog")
    form.get_by_label("Decision").fill("Both records are compared.")
    form.get_by_role("button", name="Rule").tap()
    expect(form).to_have_count(0)
    expect(hall.room.get_by_text("recorded by the second scribe")).to_have_count(0)
    assert hall.site.entries(beside)[-1]["body"]["dispute"] == raised["entry_id"]
    assert hall.tags() == ["match.opened", "game.started", "dice.opening_rolled"]


@pytest.mark.service_worker
def test_one_evening_of_two_tablets_and_a_director(hall: Hall) -> None:
    """Stale base, takeover, parked by lease, part of it taken over, and the board given back."""
    hall.begin()
    hall.open_case()

    # The match moves on by the director's hand while the first tablet has no network.
    hall.contexts[0].set_offline(True)
    hall.first.point(ONE, "7")
    hall.first.point(ONE, "7")
    hall.first.dice(5, 2)
    penalty(hall)
    stale = hall.tags()
    hall.contexts[0].set_offline(False)
    card = hall.room.locator(".card.warned")
    expect(card.locator("li")).to_have_count(2)
    expect(hall.first.page.locator(".alarm")).to_have_text("2 waiting for the director")
    assert [item["reason"] for item in hall.branches()[0]["items"]] == ["version_mismatch"] * 2
    assert hall.tags() == stale

    # The play is taken over, the dice are not.
    tick(card.locator("label.chip").last, on=False)
    decide(hall)
    hall.until([*stale, "play.made"])
    expect(hall.first.page.locator(".alarm")).to_be_hidden()
    expect(hall.first.page.locator(".panel .next")).to_have_text("Ben to roll")
    hall.first.dice(4, 3)
    hall.first.settle()
    known = [*stale, "play.made", "dice.rolled"]
    hall.until(known)

    # The first tablet goes silent, and the second one gets the board; the first records on.
    hall.contexts[0].set_offline(True)
    hall.first.point(ONE.other, "24")
    hall.first.point(ONE.other, "20")
    hall.first.key("played")
    hall.hand_over()
    hall.second.page.locator(".recorder").wait_for()
    role(hall.second.page, "Scribe")
    plays(hall.second, "Ben")
    for word in ("24", "20", "13", "10"):
        hall.second.point(ONE.other, word)
    hall.second.dice(6, 5)
    hall.second.settle()
    known += ["play.made", "dice.rolled"]
    hall.until(known)
    before = hall.site.entries(hall.match)
    hall.contexts[0].set_offline(False)
    expect(card).to_be_visible()
    role(hall.first.page, "Not the scribe")
    # All of it: what came after the decision would be parked by itself, on a card of its own.
    expect(hall.first.page.locator(".badge.unsent")).to_be_hidden()
    [branch] = [branch for branch in hall.branches() if branch["state"] == "open"]
    assert {item["reason"] for item in branch["items"]} == {"stale_lease"}
    expect(card.locator("input")).to_have_count(len(branch["items"]))
    parked = {item["entry_id"] for item in branch["items"]}
    assert hall.site.entries(hall.match) == before
    for chip in card.locator("label.chip").all():
        tick(chip, on=False)
    decide(hall)
    assert hall.site.entries(hall.match) == before
    assert not parked & {entry["entry_id"] for entry in before}

    # The board goes back, and the first tablet goes on where the second one was.
    hall.hand_over()
    role(hall.first.page, "Scribe")
    role(hall.second.page, "Not the scribe")
    expect(hall.first.page.locator(".alarm")).to_be_hidden()
    plays(hall.first, "Ada")
    hall.first.point(ONE, "24")
    hall.first.point(ONE, "13")
    hall.first.key("played")
    hall.first.settle()
    hall.until([*known, "play.made"])
    shot(hall.room, "room-after-an-evening")
    entries = hall.site.entries(hall.match)
    assert entries[: len(before)] == before
    assert len({entry["entry_id"] for entry in entries}) == len(entries)
    assert fsck(hall.site.archive.store).findings == ()


def penalty(hall: Hall) -> None:
    """An entry of the director's that no tablet can know."""
    hall.room.get_by_role("button", name="Penalty points").tap()
    dialog = hall.room.get_by_role("dialog")
    dialog.locator("label.chip").first.tap()
    dialog.get_by_role("button", name="Penalty points").tap()
    expect(dialog).to_have_count(0)


def decide(hall: Hall) -> None:
    """What is ticked is taken over, the rest is set aside."""
    card = hall.room.locator(".card.warned")
    card.get_by_role("button", name="Decide the parked entries").tap()
    hall.room.get_by_role("dialog").get_by_role("button", name="Decide").tap()
    expect(card).to_have_count(0)


def test_nobody_but_the_director_hands_a_board_over(hall: Hall) -> None:
    hall.begin()
    second = hall.second.page.evaluate(
        """async () => {
          const open = indexedDB.open("tabularium-device");
          const db = await new Promise((done) => { open.onsuccess = () => done(open.result); });
          const found = db.transaction("identity").objectStore("identity").getAll();
          await new Promise((done) => { found.onsuccess = done; });
          db.close();
          return found.result[0];
        }"""
    )
    body = {"match": hall.match, "device": second["device"], "takeover": True}
    with hall.site.http(second["token"]) as client:
        answer = client.post(f"/logs/{LOG}/leases", json=body)
        ended = client.post(
            f"/logs/{LOG}/leases/end", json={"match": hall.match, "reason": "other"}
        )
    assert (answer.status_code, ended.status_code) == (403, 403)
    role(hall.first.page, "Scribe")
    role_of_second = hall.second.page.get_by_role("heading", name="Nothing to record yet")
    expect(role_of_second).to_be_visible()
