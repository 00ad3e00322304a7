"""The recorder: what each gesture records, what the screen shows, and what it never shows."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from events.values import ONE, TWO, Seat
from projections.folding.standing import standing
from tests.web.conftest import (
    CHROMIUM_ARGS,
    LOG,
    PATIENCE_MS,
    NewContext,
    Site,
    Size,
    at_every_look,
    check_axe,
    check_targets,
    chromium_path,
    shot,
)
from tests.web.tablet_rig import BOTH, Scribe, approve, draw, open_tablet
from tests.web.test_base import MOST_BYTES
from tests.web.test_whole_match import GAMES, by_chance, play_it
from tests.web.test_whole_match import corrections as put_right

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

SMALL = {"width": 1024, "height": 768}

FOUND = ("at_ms", "taps", "fitted", "confirmed")
"""What every tablet adds to a body."""


@pytest.fixture
def match_id(site: Site) -> str:
    return site.open_match(length=3, table="4")


@pytest.fixture
def scribe(page: Page, site: Site, match_id: str) -> Scribe:
    """A tablet with its board, before the first game."""
    open_tablet(page, site, match_id)
    return Scribe(page)


@pytest.fixture
def started(scribe: Scribe) -> Scribe:
    """The first game has begun: one rolled 6, two rolled 1."""
    scribe.key("next_game")
    scribe.opening(6, 1)
    return scribe


def said(site: Site, match_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Tags and bodies as the server has them, without times and taps."""
    return [(entry["tag"], untold(entry["body"])) for entry in site.entries(match_id)]


def untold(body: dict[str, Any]) -> dict[str, Any]:
    """A body without what every tablet adds to it: when, and how it was found."""
    return {name: value for name, value in body.items() if name not in FOUND}


def standing_plays(site: Site, match_id: str) -> list[dict[str, Any]]:
    """Bodies of the plays in force."""
    live = site.archive.reading.live(LOG, match_id)
    return [
        msgspec.json.decode(msgspec.json.encode(event.payload))
        for event in standing(live.recorded).events
        if event.tag == "play.made"
    ]


def corrections(site: Site, match_id: str) -> list[dict[str, Any]]:
    """Amendments that were not taken back, in the order in which they were made."""
    entries = site.entries(match_id)
    gone = {entry["body"]["target"] for entry in entries if entry["tag"] == "entry.retracted"}
    return [
        entry
        for entry in entries
        if entry["tag"] == "entry.amended" and entry["entry_id"] not in gone
    ]


def folded(site: Site, match_id: str) -> dict[str, Any]:
    """The server's folds after the last entry."""
    with site.http() as client:
        answer = client.get(f"/logs/{LOG}/matches/{match_id}/replay")
    last: dict[str, Any] = answer.json()["lines"][-1]
    return last


def give(site: Site, match_id: str) -> None:
    """The director gives the one paired tablet a board."""
    with site.http(site.director) as director:
        device = director.get(f"/logs/{LOG}/pairings").json()["pairings"][0]["device"]
        answer = director.post(
            f"/logs/{LOG}/leases", json={"match": match_id, "device": device, "takeover": False}
        )
    assert answer.status_code == 201, answer.text


# -- before a match --------------------------------------------------------------------------------


def test_a_code_is_typed_words_are_compared_and_the_match_begins(
    page: Page, site: Site, match_id: str
) -> None:
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match_id}).json()
    page.goto("/tablet")
    page.get_by_label("Code").fill(made["code"].lower().replace("-", " "))
    page.get_by_role("button", name="Pair").tap()
    words = page.locator(".fingerprint li")
    expect(words).to_have_count(4)
    with site.http(site.director) as director:
        listed = director.get(f"/logs/{LOG}/pairings").json()["pairings"]
    assert words.all_text_contents() == listed[0]["fingerprint"]
    approve(site, made["pairing_id"], match_id)
    expect(page.get_by_role("heading", name="Before the first game")).to_be_visible()
    expect(page.locator(".bar .title")).to_have_text("Match to 3 · Table 4")


def test_a_browser_of_three_years_ago_pairs_and_records(
    page: Page, site: Site, match_id: str
) -> None:
    # Safari before 17.4 and Firefox before 124, which sign as newer ones or say that they do not.
    page.add_init_script("delete AbortSignal.any")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    assert site.entries(match_id)[-1]["tag"] == "dice.opening_rolled"


def test_a_browser_that_keeps_no_words_records_all_the_same(
    page: Page, site: Site, match_id: str
) -> None:
    page.add_init_script(
        """Storage.prototype.setItem = () => {
          throw new DOMException("there is no room", "QuotaExceededError");
        };"""
    )
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    for word in ("13", "7", "8", "7"):
        scribe.point(ONE, word)
    scribe.dice(5, 2)
    scribe.settle()
    assert site.entries(match_id)[-1]["tag"] == "dice.rolled"


def test_a_wrong_code_is_told_in_words(page: Page) -> None:
    page.goto("/tablet?code=AAAA-BBBB")
    expect(page.get_by_role("alert")).to_contain_text("No table waits for this code")
    assert "code=" not in page.url


def test_who_approves_at_once_is_heard_at_once_and_who_takes_long_is_asked_once_a_second(
    page: Page, site: Site, match_id: str
) -> None:
    page.add_init_script(
        """globalThis.pauses = [];
        const later = setTimeout;
        globalThis.setTimeout = (act, ms) => { pauses.push(ms); return later(act, ms); };"""
    )
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match_id}).json()
    page.goto(f"/tablet?code={made['code']}")
    page.wait_for_function("() => pauses.filter((ms) => ms === 1000).length > 1")
    told = page.evaluate("pauses.filter((ms) => [125, 250, 500, 1000].includes(ms))")
    assert told[:5] == [125, 250, 500, 1_000, 1_000]
    approve(site, made["pairing_id"], match_id)
    expect(page.locator(".recorder")).to_be_visible()


def test_a_paired_tablet_waits_until_it_is_given_a_board(
    page: Page, site: Site, match_id: str
) -> None:
    open_tablet(page, site, None)
    expect(page.get_by_role("heading", name="Nothing to record yet")).to_be_visible()
    give(site, match_id)
    expect(page.locator(".recorder")).to_be_visible()


def test_after_a_match_it_waits_for_the_next_one(page: Page, site: Site) -> None:
    first = site.open_match(length=1)
    open_tablet(page, site, first)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.key("played")
    scribe.key("double")
    scribe.key_of(ONE, "pass")
    scribe.settle()
    scribe.key("next_match")
    expect(page.get_by_role("heading", name="Nothing to record yet")).to_be_visible()
    expect(page.get_by_role("button", name="Back to the last match")).to_be_visible()
    check_axe(page)
    second = site.open_match(length=7)
    give(site, second)
    expect(page.locator(".bar .title")).to_contain_text("to 7")


def test_a_new_code_leads_to_its_own_board_though_the_earlier_one_is_still_given(
    page: Page, site: Site
) -> None:
    for table in ("1", "2"):
        open_tablet(page, site, site.open_match(table=table))
        expect(page.locator(".title")).to_contain_text(f"Table {table}")


def test_a_board_taken_away_is_told_and_the_new_one_is_a_tap_away(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page
    started.settle()
    with site.http(site.director) as director:
        answer = director.post(
            f"/logs/{LOG}/leases/end", json={"match": match_id, "reason": "other"}
        )
        assert answer.status_code == 201, answer.text
    give(site, site.open_match(length=7))
    expect(page.locator(".badge.role")).to_have_text("Not the scribe")
    started.key("mark")
    expect(page.locator(".alarm")).to_have_text("1 waiting for the director")
    page.get_by_role("button", name="Go to the new board").tap()
    expect(page.locator(".bar .title")).to_contain_text("to 7")


HOLDS_A_COPY = """async () => {
  const root = await navigator.storage.getDirectory();
  for await (const handle of root.values()) {
    const text = await (await handle.getFile()).text();
    if (text.split("\\n").length > 2) return true;
  }
  return false;
}"""
"""Whether a second copy holds two entries."""


def test_a_storage_that_the_browser_has_lost_is_told_where_the_tablet_is_paired_again(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page
    started.settle()
    session = page.context.new_cdp_session(page)
    page.goto("/health")
    session.send(
        "Storage.clearDataForOrigin",
        {"origin": page.evaluate("location.origin"), "storageTypes": "indexeddb"},
    )
    for _ in range(2):
        page.goto("/tablet")
        expect(page.get_by_role("alert")).to_contain_text("The browser has lost what this tablet")
    check_axe(page)
    open_tablet(page, site, match_id)
    expect(page.locator(".recorder")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_new_tablet_in_a_private_window_is_not_told_that_something_was_lost(
    new_context: NewContext,
) -> None:
    page = new_context(cold=True).new_page()
    page.add_init_script(
        """StorageManager.prototype.getDirectory = () =>
             Promise.reject(new DOMException("no files here", "SecurityError"));"""
    )
    page.goto("/tablet")
    expect(page.get_by_label("Code")).to_be_focused()
    expect(page.get_by_role("alert")).to_have_text("")


def test_a_new_tablet_whose_storage_is_full_says_that_it_keeps_nothing(
    new_context: NewContext,
) -> None:
    page = new_context(cold=True).new_page()
    page.add_init_script(
        """IDBObjectStore.prototype.put = () => {
             throw new DOMException("full", "QuotaExceededError");
           };"""
    )
    page.goto("/tablet")
    expect(page.get_by_role("heading")).to_have_text("This browser keeps nothing")


def test_what_a_second_copy_holds_is_sent_before_the_tablet_is_paired_anew(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page
    started.settle()
    sent = len(site.entries(match_id))
    page.route("**/ingest", lambda route: route.abort())
    started.key("played")
    started.dice(4, 2)
    page.wait_for_function(HOLDS_A_COPY)
    session = page.context.new_cdp_session(page)
    page.goto("/health")
    session.send(
        "Storage.clearDataForOrigin",
        {"origin": page.evaluate("location.origin"), "storageTypes": "indexeddb"},
    )
    page.goto("/tablet")
    expect(page.get_by_role("alert")).to_contain_text("A second copy of what was not on the server")
    assert len(site.entries(match_id)) == sent
    page.unroute("**/ingest")
    open_tablet(page, site, match_id)
    expect(page.locator(".recorder")).to_be_visible()
    assert [entry["tag"] for entry in site.entries(match_id)][sent:] == ["play.made", "dice.rolled"]


# -- a turn ----------------------------------------------------------------------------------------


def test_one_tap_names_both_dice_and_the_play_needs_no_confirmation(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    started.settle()
    assert said(site, match_id)[-4:] == [
        ("game.started", {"number": 1}),
        ("dice.opening_rolled", {"one": 6, "two": 1}),
        ("play.made", {"seat": "one", "moves": [[13, 7], [8, 7]]}),
        ("dice.rolled", {"seat": "two", "dice": [3, 1]}),
    ]
    assert started.taps == 5


def test_undo_is_one_tap_and_an_entry_of_its_own(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    started.settle()
    before = site.entries(match_id)
    for undone in (before[-1], before[-2], before[-3]):
        started.key("undo")
        started.settle()
        last = site.entries(match_id)[-1]
        assert (last["tag"], last["body"]["target"]) == ("entry.retracted", undone["entry_id"])
    assert site.entries(match_id)[: len(before)] == before
    expect(started.page.locator(".next")).to_have_text("Opening roll")


def test_undo_takes_back_nothing_that_the_director_has_recorded(page: Page, site: Site) -> None:
    def director_says(*acts: str) -> None:
        said = [{"match": match_id, "act": act, "seat": "two"} for act in acts]
        body = {"request_id": str(uuid.uuid4()), "acts": said}
        with site.http(site.director) as http:
            http.post(f"/logs/{LOG}/attendance", json=body).raise_for_status()

    match_id = site.open_match(length=1)
    director_says("called")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("undo")
    expect(page.get_by_text("There is nothing to take back.").first).to_be_visible()
    scribe.key("next_game")
    scribe.settle()
    director_says("arrived")
    expect(page.locator(".recorder")).to_contain_text("Ben has arrived")
    scribe.key("undo")
    scribe.settle()
    entries = site.entries(match_id)
    assert [entry["tag"] for entry in entries] == [
        "match.opened",
        "player.called",
        "game.started",
        "player.arrived",
        "entry.retracted",
    ]
    assert entries[-1]["body"]["target"] == entries[2]["entry_id"]


def test_what_the_director_puts_right_is_what_the_tablet_shows_and_undo_leaves_it(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page

    def director_says(tag: str, body: dict[str, Any]) -> None:
        entry = {"entry_id": site.archive.entry_id(), "tag": tag, "body": body, "basis": "observed"}
        with site.http(site.director) as http:
            path = f"/logs/{LOG}/matches/{match_id}/events"
            said = {"json": {"entries": [entry]}, "headers": {"If-Match": "*"}}
            http.post(path, **said).raise_for_status()

    def director_amends(play: str, moves: list[list[int]]) -> None:
        told = {"seat": "one", "moves": moves}
        director_says("entry.amended", {"target": play, "tag": "play.made", "body": told})

    def expect_board(board: dict[str, Any]) -> None:
        shown = "document.querySelector('tb-board').board"
        patience(lambda: page.evaluate(shown) == board, page)

    def expect_nothing_to_undo() -> None:
        before = site.entries(match_id)
        started.key("undo")
        expect(page.locator(".note")).to_contain_text("Undo does not reach behind")
        started.settle()
        assert site.entries(match_id) == before

    started.point(ONE, "7")
    started.point(ONE, "7")
    patience(lambda: said(site, match_id)[-1][0] == "play.made", page)
    play = site.entries(match_id)[-1]["entry_id"]
    # The play is still open here: its taps are not what was played any more.
    director_amends(play, [[24, 18], [18, 17]])
    put_right = folded(site, match_id)["checkers"]
    expect_board(put_right)
    expect_nothing_to_undo()
    # While the next play is put right, the board before it is put right.
    started.dice(3, 1)
    started.point(TWO, "5")
    started.point(TWO, "5")
    started.key("played")
    started.settle()
    started.key("fix")
    started.point(TWO, "23")
    director_amends(play, [[24, 18], [13, 12]])
    again = [*put_right["one"]]
    for point, change in ((17, -1), (18, 1), (13, -1), (12, 1)):
        again[point] += change
    expect_board({**put_right, "one": again})
    expect(page.locator(".next")).to_have_text("Put right: dice or points")
    started.key("undo")
    expect(page.locator(".next")).to_have_text("Ada to roll")
    expect_board(folded(site, match_id)["checkers"])
    # Of what the director states nothing shows what lies behind it.
    director_says("position.stated", {"checkers": put_right, "on_roll": "one"})
    expect_board(put_right)
    expect_nothing_to_undo()
    started.dice(2, 1)
    started.key("undo")
    started.settle()
    assert site.entries(match_id)[-1]["tag"] == "entry.retracted"
    expect_nothing_to_undo()


def test_undo_takes_back_the_correction_where_that_was_the_last_act(
    started: Scribe, site: Site, match_id: str
) -> None:
    def expect_to_stand(moves: list[list[int]], dice: list[int]) -> None:
        """On the server, and on the tablet as the server folds it."""
        started.settle()
        assert [play["moves"] for play in standing_plays(site, match_id)] == [moves]
        there = folded(site, match_id)
        expect(started.page.locator(".so-far .die")).to_have_text([str(die) for die in dice])
        here = started.page.evaluate("document.querySelector('tb-board').board")
        assert here == there["checkers"]

    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    started.key("fix")
    started.point(ONE, "23")
    started.point(ONE, "7")
    started.dice(3, 2)
    started.key("mistyped")
    expect_to_stand([[24, 23], [13, 7]], [3, 2])
    for moves, dice in (
        ([[24, 23], [13, 7]], [3, 1]),
        ([[13, 7], [8, 7]], [3, 1]),
    ):
        amended = corrections(site, match_id)[-1]
        started.key("undo")
        expect_to_stand(moves, dice)
        last = site.entries(match_id)[-1]
        assert (last["tag"], last["body"]["target"]) == ("entry.retracted", amended["entry_id"])
    started.key("undo")
    expect(started.page.locator(".next")).to_have_text("Ben to roll")
    started.settle()
    rolled = [entry for entry in site.entries(match_id) if entry["tag"] == "dice.rolled"]
    assert site.entries(match_id)[-1]["body"]["target"] == rolled[0]["entry_id"]


def test_undo_of_the_tap_that_told_the_open_play_leaves_the_taps_before_it(
    started: Scribe, site: Site, match_id: str
) -> None:
    def last() -> str:
        tag: str = said(site, match_id)[-1][0]
        return tag

    for _ in range(2):
        started.point(ONE, "7")
    patience(lambda: last() == "play.made", started.page)
    started.key("undo")
    patience(lambda: last() == "entry.retracted", started.page)
    expect(started.page.locator(".so-far .play")).to_have_text("7")
    started.point(ONE, "7")
    started.key("played")
    started.settle()
    assert [play["taps"] for play in standing_plays(site, match_id)] == [["7", "7"]]


def test_the_previous_play_is_put_right_in_three_taps(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    started.settle()
    taps = started.taps
    started.key("fix")
    started.point(ONE, "23")
    started.point(ONE, "7")
    started.settle()
    expect(started.page.locator(".next")).to_have_text("Ben to play")
    assert started.taps - taps <= 3
    tag, body = said(site, match_id)[-1]
    assert tag == "entry.amended"
    assert body["body"]["moves"] == [[24, 23], [13, 7]]
    assert [play["moves"] for play in standing_plays(site, match_id)] == [[[24, 23], [13, 7]]]


def test_dice_misread_are_put_right_by_the_next_ones_and_one_tap(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    started.dice(3, 2)
    started.key("mistyped")
    started.settle()
    tag, body = said(site, match_id)[-1]
    assert (tag, body["body"]["dice"]) == ("entry.amended", [3, 2])
    expect(started.page.locator(".so-far .die")).to_have_text(["3", "2"])


def test_an_illegal_play_is_recorded_exactly_and_nothing_is_said_of_it(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "24")
    started.point(ONE, "20")
    started.key("played")
    started.settle()
    assert said(site, match_id)[-1] == ("play.made", {"seat": "one", "moves": [[24, 20]]})
    assert not re.search(WARNING, everything_said(started.page), re.IGNORECASE)


def test_as_played_puts_checkers_where_they_were_put(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.key("as_played")
    for word in ("13", "9", "6", "5"):
        started.point(ONE, word)
    started.dice(5, 2)
    started.settle()
    plays = [body for tag, body in said(site, match_id) if tag == "play.made"]
    assert plays == [{"seat": "one", "moves": [[13, 9], [6, 5]]}]


def test_no_play_is_one_tap(started: Scribe, site: Site, match_id: str) -> None:
    started.key("played")
    started.settle()
    assert said(site, match_id)[-1] == ("play.made", {"seat": "one"})


def test_taps_that_are_no_entry_yet_show_so_and_survive_a_reload(
    started: Scribe, site: Site, match_id: str
) -> None:
    here = started.page.locator(".tick.here")
    expect(here).to_have_text("✓ saved here")
    started.point(ONE, "24")
    expect(started.page.locator(".so-far .play")).not_to_be_empty()
    expect(here).to_have_text("○ play open")
    told = started.page.locator(".so-far .play").text_content()
    started.page.reload()
    expect(started.page.locator(".so-far .play")).to_have_text(str(told))
    expect(here).to_have_text("○ play open")
    started.key("played")
    expect(here).to_have_text("✓ saved here")


# -- cube, clock, the end of a game ----------------------------------------------------------------


def test_a_double_is_answered_on_the_other_side_of_the_board(
    started: Scribe, site: Site, match_id: str
) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.key("double")
    expect(started.page.locator(".player.bottom [data-act=take]")).to_be_visible()
    expect(started.page.locator(".player.top [data-act=take]")).to_have_count(0)
    expect(started.page.get_by_role("img", name="Cube offered by Ben, 2")).to_have_text("2")
    shot(started.page, "tablet-double")
    started.key_of(ONE, "take")
    expect(started.page.get_by_role("img", name="Cube of Ada, 2")).to_have_text("2")
    started.settle()
    assert said(site, match_id)[-2:] == [
        ("cube.double_offered", {"seat": "two"}),
        ("cube.double_taken", {"seat": "one"}),
    ]


def test_a_pass_ends_the_game_and_both_confirm_on_their_own_side(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.key("double")
    started.key_of(ONE, "pass")
    expect(page.locator(".between .ended")).to_contain_text("Ben wins 1 point")
    for seat in BOTH:
        started.key_of(seat, "confirm")
    started.key("next_game")
    started.settle()
    noted = [entry for entry in site.entries(match_id) if entry["tag"] == "score.noted"]
    assert [(entry["basis"], entry["body"]["keeper"]) for entry in noted] == [
        ("claimed_by_one", "one"),
        ("claimed_by_two", "two"),
    ]
    assert all(entry["body"]["score"] == {"one": 0, "two": 1} for entry in noted)
    assert all(entry["body"]["sheet"] == "display" for entry in noted)
    assert site.entries(match_id)[-1]["tag"] == "game.started"


def test_who_does_not_agree_calls_the_director(started: Scribe, site: Site, match_id: str) -> None:
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.key("double")
    started.key_of(ONE, "pass")
    started.key_of(TWO, "disagree")
    started.settle()
    called, marked = said(site, match_id)[-2:]
    assert (called[0], called[1]["by"]) == ("director.called", "two")
    assert (marked[0], marked[1]["target"]) == ("moment.marked", called[1]["about"])


def test_the_director_is_called_and_a_moment_marked_by_one_tap_each(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    scribe.key("call")
    scribe.key("mark")
    scribe.settle()
    assert [tag for tag, _ in said(site, match_id)][-2:] == ["director.called", "moment.marked"]


def test_a_finger_that_touches_the_call_twice_calls_the_director_once(
    started: Scribe, site: Site, match_id: str
) -> None:
    for _ in range(2):
        started.key("call")
    started.key("mark")
    started.settle()
    tags = [tag for tag, _ in said(site, match_id)]
    assert tags[-2:] == ["director.called", "moment.marked"]
    assert tags.count("director.called") == 1
    started.key("call")
    started.settle()
    assert [tag for tag, _ in said(site, match_id)].count("director.called") == 2


def test_a_clock_press_commits_the_play_and_shows_delay_and_reserve(page: Page, site: Site) -> None:
    # A delay that no machine oversteps: none of the reserve is used.
    terms = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
    match_id = site.open_match(length=3, clock_terms=terms, appointed_start="2026-11-20T10:00:00Z")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.press(TWO)
    expect(page.locator('.player[data-seat="one"] .clock')).to_have_class(re.compile("running"))
    scribe.key("as_played")
    scribe.point(ONE, "13")
    scribe.point(ONE, "7")
    scribe.press(ONE)
    scribe.settle()
    expect(page.locator('.player[data-seat="two"] .clock')).to_have_class(re.compile("running"))
    tags = [entry["tag"] for entry in site.entries(match_id)]
    assert tags[-4:] == ["clock.set", "clock.started", "play.made", "clock.pressed"]
    pressed = site.entries(match_id)[-1]["body"]
    assert pressed["seat"] == "one"
    assert pressed["readings"] == {"one": 360_000, "two": 360_000}
    assert isinstance(pressed["at_ms"], int)


def test_undo_takes_back_the_start_of_the_clock_and_then_what_was_done_before(
    page: Page, site: Site
) -> None:
    terms = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 600_000}
    match_id = site.open_match(length=3, clock_terms=terms, appointed_start="2026-11-20T10:00:00Z")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.press(TWO)
    for _ in range(2):
        scribe.key("undo")
    scribe.settle()
    entries = site.entries(match_id)
    by_id = {entry["entry_id"]: entry["tag"] for entry in entries}
    undone = [by_id[entry["body"]["target"]] for entry in entries[-2:]]
    assert undone == ["clock.started", "dice.opening_rolled"]
    assert [entry["tag"] for entry in entries].count("clock.set") == 1


# -- no assistance ---------------------------------------------------------------------------------

WARNING = r"illegal|not legal|pip|equity|hint|warning|best|forced|can be played|blunder"
"""What no player may read or hear from the tablet."""

SHOWN = r"\b(target|legal|illegal|forced|hint|bad|warning)\b"
"""Classes that would show it."""


class Stepper(Scribe):
    """Waits after every tap on the board until all is kept."""

    def point(self, seat: Seat, word: str) -> None:
        super().point(seat, word)
        expect(self.page.locator(".tick.here")).to_have_attribute("data-busy", "false")


@GAMES
def test_a_scribe_who_pauses_after_every_tap_records_the_same_match_and_is_shown_no_help(
    page: Page, site: Site, seed: int
) -> None:
    told: set[str] = set()
    classes: set[str] = set()

    def listen() -> None:
        told.update(everything_said(page).splitlines())
        classes.update(page.evaluate(CLASSES))

    play_it(page, site, list(by_chance(seed, length=1)), hand=Stepper, after_each=listen)
    assert put_right(site) == []
    assert len(told) > 100
    assert not [line for line in told if re.search(WARNING, line, re.IGNORECASE)]
    assert not [name for name in classes if re.search(SHOWN, name)]


def test_legal_and_illegal_plays_look_alike(new_context: NewContext, site: Site) -> None:
    looks = []
    for words in (("7", "7"), ("24", "20")):
        page = new_context().new_page()
        open_tablet(page, site, site.open_match(length=1))
        scribe = Scribe(page)
        scribe.key("next_game")
        scribe.opening(6, 1)
        for word in words:
            scribe.point(ONE, word)
        scribe.key("played")
        expect(page.locator(".panel .next")).to_have_text("Ben to roll")
        expect(page.locator(".lines li")).to_have_count(2)
        scribe.settle()
        looks.append({name.replace(" tapped", "") for name in page.evaluate(CLASSES)})
    assert looks[0] == looks[1]


CLASSES = """() => [...new Set([...document.querySelectorAll('main *')]
  .filter((e) => e.checkVisibility()).map((e) => e.getAttribute('class') ?? ''))]"""


def everything_said(page: Page) -> str:
    """All text, names and descriptions of the page as it stands."""
    text: str = page.evaluate(
        """() => [document.body.innerText, ...[...document.querySelectorAll('*')].flatMap((e) =>
          ['aria-label', 'aria-description', 'aria-invalid', 'title', 'alt']
            .map((name) => e.getAttribute(name)).filter(Boolean))].join('\\n')"""
    )
    return text


# -- the whole screen ------------------------------------------------------------------------------


def test_every_screen_is_accessible_and_its_targets_are_large(
    page: Page, site: Site, match_id: str
) -> None:
    def look(screen: str) -> None:
        def check(name: str, _: Size) -> None:
            check_axe(page)
            check_targets(page)
            shot(page, f"{screen}-{name}")

        # A theme changes colours alone and a size none of them (`test_themes.py`).
        at_every_look(page, [(1024, 768)], check, themes=["dark"])
        at_every_look(page, [(1180, 820)], check, themes=["light"])

    page.goto("/tablet")
    expect(page.get_by_label("Code")).to_be_visible()
    look("pair")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    look("before-game")
    scribe.key("next_game")
    look("opening")
    scribe.opening(6, 1)
    look("play")
    scribe.point(ONE, "7")
    scribe.point(ONE, "7")
    look("played")
    scribe.dice(5, 5)
    look("doublet")
    scribe.key("played")
    scribe.key("double")
    look("answer")
    scribe.key_of(TWO, "pass")
    look("game-over")
    scribe.key("fix")
    look("fixing")
    scribe.key("undo")
    page.get_by_role("button", name="View").tap()
    look("view")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    look("help")


def test_an_upright_tablet_still_records(
    new_context: NewContext, site: Site, match_id: str
) -> None:
    page = new_context(viewport={"width": 768, "height": 1024}).new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    check_targets(page)
    shot(page, "portrait")
    assert said(site, match_id)[-1][0] == "dice.opening_rolled"


def test_a_second_tab_of_the_same_board_is_refused_with_words(started: Scribe) -> None:
    other = started.page.context.new_page()
    other.goto("/tablet")
    expect(other.get_by_role("heading")).to_have_text("Another tab records this board")
    check_axe(other)


@pytest.mark.service_worker
def test_everything_survives_a_reload_without_a_network(
    started: Scribe, site: Site, match_id: str
) -> None:
    page = started.page
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    started.settle()
    page.context.set_offline(True)
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.dice(3, 1)
    expect(page.locator(".badge.unsent")).to_have_text("2 unsent")
    page.reload()
    expect(page.locator(".next")).to_have_text("Ben to play")
    expect(page.locator(".badge.unsent")).to_have_text("2 unsent")
    page.context.set_offline(False)
    started.settle()
    assert [tag for tag, _ in said(site, match_id)][-2:] == ["play.made", "dice.rolled"]


def choose_monitor(page: Page) -> None:
    """By the scribe, once the tablet has read that the director has allowed it."""
    key = page.get_by_role("button", name="Show legal plays")

    def is_offered() -> bool:
        page.keyboard.press("Escape")
        page.get_by_role("button", name="View").tap()
        return key.count() == 1

    patience(is_offered, page)
    key.tap()
    page.get_by_role("button", name="No player can see").tap()


def set_screen(room: Page) -> None:
    """The director turns round whether the screen at the board may show what is legal."""
    room.get_by_role("button", name="What its screen shows").tap()
    dialog = room.get_by_role("dialog")
    dialog.get_by_text("the screen may show what is legal").tap()
    dialog.get_by_role("button", name="Save").tap()
    expect(dialog).to_have_count(0)


@pytest.mark.service_worker
def test_the_director_allows_the_monitor_profile_and_takes_it_away(
    started: Scribe, site: Site, match_id: str, new_context: NewContext, sign_in: SignIn
) -> None:
    page = started.page
    badge, marks = page.locator(".badge.monitor"), page.locator("tb-board .target")
    context = new_context()
    sign_in(context)
    room = context.new_page()
    room.goto(f"/room/{LOG}")
    room.get_by_role("link", name="Ada").tap()
    page.get_by_role("button", name="View").tap()
    expect(page.get_by_role("group", name="Who sees this screen")).to_contain_text("director")
    expect(page.get_by_role("button", name="Show legal plays")).to_have_count(0)
    shot(page, "view-no-assist")
    page.keyboard.press("Escape")

    set_screen(room)
    expect(room.get_by_text("its screen shows what is legal")).to_be_visible()
    shot(room, "room-screen")
    check_axe(room)
    page.wait_for_function(PROFILE, arg="monitor")
    expect(badge).to_be_hidden()
    expect(marks).to_have_count(0)
    choose_monitor(page)
    expect(badge).to_be_visible()
    expect(marks).not_to_have_count(0)
    # The tablet remembers it without a network.
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.reload()
    expect(badge).to_be_visible()
    expect(marks).not_to_have_count(0)
    page.context.set_offline(False)

    started.point(ONE, "20")
    expect(page.locator(".so-far .play")).to_have_text("20")
    set_screen(room)
    expect(room.get_by_text("its screen shows what is legal")).to_have_count(0)
    expect(badge).to_be_hidden()
    expect(marks).to_have_count(0)
    expect(page.locator(".so-far .play")).to_have_text("20")
    page.get_by_role("button", name="View").tap()
    expect(page.get_by_role("button", name="Show legal plays")).to_have_count(0)
    page.keyboard.press("Escape")
    # Allowed again, it waits to be chosen again.
    set_screen(room)
    page.wait_for_function(PROFILE, arg="monitor")
    expect(badge).to_be_hidden()
    started.key("undo")
    started.point(ONE, "7")
    started.point(ONE, "7")
    started.key("played")
    started.settle()
    assert standing_plays(site, match_id)


PROFILE = """(profile) => new Promise((done) => {
  const request = indexedDB.open("tabularium-device");
  request.onsuccess = () => {
    const rows = request.result.transaction(["streams"]).objectStore("streams").getAll();
    rows.onsuccess = () => {
      request.result.close();
      done(rows.result.some((row) => row.profile === profile));
    };
  };
})"""


def test_a_cold_start_weighs_less_than_a_photo(new_context: NewContext, site: Site) -> None:
    page = new_context(cold=True).new_page()
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    sizes: list[int] = []
    client.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto("/tablet")
    expect(page.get_by_label("Code")).to_be_visible()
    page.wait_for_load_state("networkidle")
    # What the worker keeps for a reload is more than this screen asks for: see `test_base.py`.
    asked = sum(int(size) for size in sizes)
    print(f"cold start {asked:,.0f} bytes over the wire")
    assert 0 < asked <= MOST_BYTES


# -- a hall without certificates -------------------------------------------------------------------


@pytest.fixture
def plain_page(playwright_driver: Playwright, site: Site) -> Iterator[Page]:
    """A page of a plain http origin elsewhere, as in a hall without certificates."""
    port = site.url.rsplit(":", 1)[1]
    browser: Browser = playwright_driver.chromium.launch(
        executable_path=chromium_path(),
        args=[*CHROMIUM_ARGS, "--host-resolver-rules=MAP hall.test 127.0.0.1"],
    )
    context = browser.new_context(
        viewport={"width": 1180, "height": 820},
        has_touch=True,
        base_url=f"http://hall.test:{port}",
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    browser.close()


def test_on_plain_http_it_records_and_says_what_is_missing(
    plain_page: Page, site: Site, match_id: str
) -> None:
    open_tablet(plain_page, site, match_id)
    assert plain_page.evaluate("isSecureContext") is False
    expect(plain_page.locator(".degraded")).to_have_text("Do not reload without a network")
    scribe = Scribe(plain_page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    assert [tag for tag, _ in said(site, match_id)][-2:] == ["game.started", "dice.opening_rolled"]
    check_axe(plain_page)


# -- what comes late -------------------------------------------------------------------------------


def test_a_tap_too_many_opens_the_play_again_and_the_next_dice_ask_for_it(
    started: Scribe, site: Site, match_id: str
) -> None:
    for word in ("7", "7", "24"):
        started.point(ONE, word)
    started.dice(5, 2)
    expect(started.page.locator(".question .asked")).to_be_visible()
    started.settle()
    assert [tag for tag, _ in said(site, match_id)][-2:] == ["entry.amended", "dice.rolled"]
    assert standing_plays(site, match_id) == []


def test_to_players_a_legal_play_looks_as_open_as_an_illegal_one(
    started: Scribe, site: Site, match_id: str
) -> None:
    heading = started.page.locator(".panel .next")
    started.point(ONE, "7")
    started.point(ONE, "7")
    patience(lambda: [tag for tag, _ in said(site, match_id)][-1] == "play.made", started.page)
    expect(heading).to_have_text("Ada to play")
    expect(started.page.locator(".lines li").first).to_have_text("Game 1")
    started.key("played")
    expect(heading).to_have_text("Ben to roll")


STARTING = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
ALMOST_OFF = [11, 4] + [0] * 24

TAPPED = {
    "told": (STARTING, ("7", "7"), 1),
    "several": (STARTING, ("24", "18"), 0),
    "forced": (ALMOST_OFF, ("1", "off"), 0),
    "illegal": (STARTING, ("24", "20"), 0),
}
"""What two taps are to a 6 and a 1: the board, the taps, and how many plays they record at last."""

TOLD = """() => ({
  state: [...document.querySelectorAll(".state > :not(.age)")].map((e) => [e.hidden,
    e.textContent, e.className]),
  badges: [...document.querySelectorAll(".badges > *")].map((e) => [e.hidden, e.textContent]),
  next: document.querySelector(".panel .next").textContent,
  lines: document.querySelector(".lines").textContent,
  heard: [...document.querySelectorAll("[aria-live]")].map((e) => e.textContent
    .replace(/\\S*\\/\\S*( \\S*\\/\\S*)*|\\d+|off/g, "what was tapped")),
  acting: [...document.querySelectorAll(".player.acting")].map((e) => e.dataset.seat),
})"""

DRAFTS = """() => new Promise((done) => {
  const request = indexedDB.open("tabularium-device");
  request.onsuccess = () => {
    const rows = request.result.transaction(["drafts"]).objectStore("drafts").getAll();
    rows.onsuccess = () => {
      request.result.close();
      done(rows.result.filter((row) => row.entry.tag === "play.made").length);
    };
  };
})"""


def looks_of(page: Page, site: Site, kind: str) -> list[dict[str, Any]]:
    """What a player sees and hears, tap by tap, while a play of this kind is entered and undone."""
    own, words, plays = TAPPED[kind]
    match_id = site.open_match(length=3)
    stated = {"checkers": {"one": own, "two": STARTING}, "on_roll": "one"}
    acts = (("game.started", {"number": 1}), ("position.stated", stated))
    entries = [{"entry_id": str(uuid.uuid4()), "tag": tag, "body": body} for tag, body in acts]
    with site.http(site.director) as director:
        answer = director.post(
            f"/logs/{LOG}/matches/{match_id}/events",
            json={"entries": entries},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.dice(6, 1)
    scribe.settle()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    looks: list[dict[str, Any]] = []
    so_far = page.locator(".so-far .play")
    played: list[str] = []

    def look(*, shows: str | None = None) -> None:
        """Once the play is shown as it stands, or as another one than before."""
        # A finger's click comes after its touch has been answered: by itself, nothing waits for it.
        if shows is not None:
            expect(so_far).to_have_text(shows)
        elif played:
            expect(so_far).not_to_have_text(played[-1])
        draw(page)
        expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
        expect(page.locator(".badge.role.good")).to_be_attached()
        draw(page)
        looks.append(page.evaluate(TOLD))

    nothing = so_far.inner_text()
    for word in words:
        played.append(so_far.inner_text())
        scribe.point(ONE, word)
        look()
    half, whole = played[-1], so_far.inner_text()
    patience(lambda: page.evaluate(DRAFTS) == plays, page)
    look(shows=whole)
    page.reload()
    look(shows=whole)
    scribe.key("undo")
    look(shows=half)
    scribe.key("undo")
    look(shows=nothing)
    for word in words:
        scribe.point(ONE, word)
    look(shows=whole)
    scribe.key("call")
    expect(page.locator(".badge.called")).to_be_visible()
    look(shows=whole)
    return looks


@pytest.mark.service_worker
def test_to_players_nothing_tells_whether_a_tapped_play_is_an_entry_yet(
    new_context: NewContext, site: Site
) -> None:
    looks = {
        kind: looks_of(new_context(expects_errors=True).new_page(), site, kind) for kind in TAPPED
    }
    states = [[text for _, text, _ in look["state"]][:2] for look in looks["illegal"]]
    assert states == [["○ play open", "○ on the server"]] * len(states)
    for kind, seen in looks.items():
        for number, (one, other) in enumerate(zip(seen, looks["illegal"], strict=True)):
            assert one == other, (kind, number)


def patience(is_met: Any, page: Page) -> None:
    """Wait until something holds on the server."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while not is_met():
        assert time.monotonic() < until
        page.wait_for_timeout(50)
