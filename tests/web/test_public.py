"""Public pages in a browser: complete without JavaScript, live with it, and accessible."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from api.html.texts import texts_of
from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, check_targets, shot
from tests.web.device_rig import wait_until
from tests.web.proxy import Mode, Proxy

pytestmark = pytest.mark.warm

NewContext = Callable[..., BrowserContext]

PHONE = {"width": 390, "height": 844}
SIZES = [(1180, 820), (1024, 768), (PHONE["width"], PHONE["height"])]
MATCH = f"/matches/{LOG}/m1"


def entry(tag: str, **body: Any) -> dict[str, Any]:
    return {"entry_id": str(uuid.uuid4()), "tag": tag, "body": body}


BEGINNING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("game.started", {}),
    ("dice.opening_rolled", {"one": 3, "two": 1}),
    ("play.made", {"seat": "one", "moves": [[8, 5], [6, 5]]}),
    ("dice.rolled", {"seat": "two", "dice": [6, 4]}),
    ("play.made", {"seat": "two", "moves": [[24, 14]]}),
)


class Table:
    """A public match that a test goes on with, past the doors of the tablet."""

    def __init__(self, site: Site, **publication: Any) -> None:
        self.site = site
        terms = {"public": True, "delay_ms": 0, **publication}
        site.open_match("m1", publication=terms, players=PLAYERS)

    def record(self, *entries: tuple[str, dict[str, Any]]) -> None:
        """Append entries as the director."""
        with self.site.http(self.site.director) as client:
            answer = client.post(
                f"/logs/{LOG}/matches/m1/events",
                json={"entries": [entry(tag, **body) for tag, body in entries]},
                headers={"If-Match": "*"},
            )
        assert answer.status_code == 201, answer.text


PLAYERS = {"one": [{"name": "Ada Lindqvist"}], "two": [{"name": "Ben Okri"}]}


@pytest.fixture
def table(site: Site) -> Table:
    """A public match in which both have played once."""
    made = Table(site)
    made.record(*BEGINNING)
    return made


def test_everything_can_be_read_without_javascript(new_context: NewContext, table: Table) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_role("link", name="Lantern Open").click()
    page.get_by_label("Player").fill("okri")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="Ada Lindqvist").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada Lindqvist – Ben Okri")
    expect(page.locator("#now .words")).to_contain_text("Ben Okri plays 64: 24/14")
    page.get_by_role("link", name="Previous").click()
    expect(page.locator("#now .words")).to_contain_text("Ben Okri rolls 64")
    page.get_by_role("link", name="8/5 6/5").click()
    expect(page.locator("#now .words")).to_contain_text("Ada Lindqvist plays 31: 8/5 6/5")
    assert page.url.endswith("?at=4#board")
    expect(page.locator("#sheet [aria-current]")).to_have_text("8/5 6/5")
    expect(page.locator("figure.board svg[role=img]")).to_be_visible()
    expect(page.locator(".downloads")).to_contain_text("counted when the match is over")
    page.get_by_role("link", name="Ben Okri").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ben Okri")
    expect(page.get_by_role("link", name="Ada Lindqvist")).to_be_visible()


SCREENS = {
    "tournaments": "/",
    "tournament": f"/tournaments/{LOG}",
    "nothing": f"/tournaments/{LOG}?player=nobody",
    "boards": f"/tournaments/{LOG}/boards",
    "match": MATCH,
    "moment": f"{MATCH}?at=4",
    "players": "/players",
    "player": "/players/Ada%20Lindqvist",
    "rules": "/rules",
    "rule-set": "/rules/fcbg-tournament",
    "embed": f"{MATCH}/embed?at=4",
    "nowhere": "/nowhere",
    "private": f"/matches/{LOG}/m2",
}


def test_every_screen_is_for_everybody(new_context: NewContext, site: Site, table: Table) -> None:
    site.open_match("m2")
    page = new_context(expects_errors=True).new_page()

    def check(look: str, _: Size) -> None:
        shot(page, f"{name}-{look}")
        check_axe(page)
        check_targets(page)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, "it is wider than the screen"

    for name, path in SCREENS.items():  # noqa: B007
        page.goto(path)
        page.wait_for_load_state("load")
        at_every_look(page, SIZES, check)


def test_an_archive_without_matches_says_what_to_do(page: Page, site: Site) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="No match is public yet")).to_be_visible()
    shot(page, "empty-light-tablet")
    check_axe(page)


def test_what_a_refusal_says_stands_where_a_page_begins(new_context: NewContext) -> None:
    """Not over the foot of the page, as what a form is refused with is."""
    page = new_context(viewport={"width": 320, "height": 640}).new_page()
    page.goto("/nothing/here")
    text, foot = page.locator("#main h1").bounding_box(), page.locator("footer").bounding_box()
    assert text is not None
    assert foot is not None
    assert text["y"] + text["height"] < foot["y"]


def test_a_page_says_at_once_how_far_its_result_can_be_trusted(
    page: Page, site: Site, table: Table
) -> None:
    table.record(
        ("game.won", {"winner": "one", "points": 5}),
        ("score.noted", {"keeper": "one", "score": {"one": 5, "two": 0}}),
        ("score.noted", {"keeper": "two", "score": {"one": 4, "two": 0}}),
    )
    trust = page.locator(".trust")
    page.goto(MATCH)
    expect(page.locator(".outcome")).to_contain_text("Ada Lindqvist has won the match")
    expect(trust).to_contain_text("9 entries, sealed as they were recorded")
    expect(trust).to_contain_text("score confirmed by Ada Lindqvist alone")
    expect(trust).not_to_contain_text("correction")
    slip = site.entries("m1")[-1]["entry_id"]
    table.record(
        ("entry.retracted", {"target": slip}),
        ("score.noted", {"keeper": "two", "score": {"one": 5, "two": 0}}),
        ("ruling.made", {"decision": "the score stands"}),
    )
    page.goto(MATCH)
    expect(trust).to_contain_text("score confirmed by both players")
    expect(trust).to_contain_text("1 correction")
    expect(trust).to_contain_text("1 ruling")
    trust.get_by_role("link", name="12 entries").click()
    record = page.locator("#record")
    expect(record).to_be_in_viewport()
    expect(record.locator("code")).to_have_text(site.entries("m1")[-1]["leaf_hash"])
    record.get_by_role("link", name="as recorded").click()
    expect(page).to_have_url(f"{site.url}{MATCH}/replay?as_recorded=true")


def test_a_finding_and_a_moment_name_the_players_and_no_seats(
    new_context: NewContext, table: Table
) -> None:
    table.record(
        ("resignation.offered", {"seat": "two", "level": "single"}),
        ("resignation.accepted", {"seat": "one"}),
        ("match.ended", {"winner": "one", "score": {"one": 5, "two": 0}}),
        ("result.reported", {"seat": "one", "winner": "one", "score": {"one": 5, "two": 0}}),
    )
    page = new_context(locale="de-DE").new_page()
    page.goto(f"{MATCH}?at=10")
    expect(page.locator("#now .words")).to_contain_text("Ada Lindqvist meldet das Ergebnis: 5–0")
    found = page.locator(".findings")
    expect(found).to_contain_text("Sieg von Ada Lindqvist")
    expect(found).not_to_contain_text("von one")


def test_a_match_that_is_live_is_listed_once(page: Page, site: Site, table: Table) -> None:
    site.open_match("m2", publication={"public": True, "delay_ms": 0}, length=1)
    table.record(("dice.rolled", {"seat": "one", "dice": [6, 1]}))
    page.goto(f"/tournaments/{LOG}")
    expect(page.get_by_role("heading", name="Live now")).to_be_visible()
    expect(page.locator("li.match").filter(has_text="Ben Okri")).to_have_count(1)


def test_a_match_that_has_not_begun_says_so_in_place_of_a_board(page: Page, site: Site) -> None:
    Table(site)
    page.goto(MATCH)
    expect(page.locator("#now")).to_contain_text("The match has not begun")


def test_the_sign_in_fits_a_phone(new_context: NewContext) -> None:
    page = new_context(viewport=PHONE).new_page()
    page.goto("/session")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    check_targets(page)
    check_axe(page)


def test_turns_are_stepped_by_key_and_told(
    page: Page, table: Table, sign_in: Callable[..., None]
) -> None:
    # Whoever rules is shown the ids of a match in play; their keys come with the page's script.
    sign_in(page.context)
    page.goto(MATCH)
    expect(page.locator(".ids button").first).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#now .words")).to_contain_text("Ben Okri rolls 64")
    said = page.locator("#live-region")
    expect(said).to_have_text("Taken back: Ben Okri plays 64: 24/14")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Ben Okri rolls 64")
    page.keyboard.press("Home")
    expect(page.locator("#now")).to_have_attribute("data-version", "2")
    assert page.url.endswith("?at=2")
    expect(page.locator("#way-previous")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator("#sheet [aria-current]")).to_have_text("24/14")


def test_another_language_shows_the_same_moment(page: Page, table: Table) -> None:
    page.goto(f"{MATCH}?at=3#board")
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#now")).to_have_attribute("data-version", "3")
    page.goto(f"{MATCH}/replay#v3")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("[aria-current=true]")).to_have_attribute("data-version", "3")


def test_a_language_that_was_asked_for_stays_from_turn_to_turn_and_page_to_page(
    page: Page, table: Table
) -> None:
    page.goto(f"{MATCH}?at=3")
    page.get_by_role("link", name="Deutsch").click()
    # The line to the server is there: so is what listens to the keys.
    expect(page.locator("#follow")).to_have_text(texts_of("de")("public.following"))
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]lang=de"))
    expect(page.locator("#now")).not_to_have_attribute("data-version", "3")
    page.locator("#sheet a").first.click()
    expect(page).to_have_url(re.compile(r"[?&]lang=de"))
    page.locator(".crumbs a").last.click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.locator("form.filters button").click()
    expect(page).to_have_url(re.compile(r"player=.*lang=de"))
    page.goto(f"{MATCH}/embed?lang=de&at=3", wait_until="networkidle")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#now")).not_to_have_attribute("data-version", "3")
    expect(page.locator("#now .words")).to_contain_text("spielt")


def test_the_replay_of_a_whole_match_begins_where_the_viewer_sees_fit(
    page: Page, table: Table
) -> None:
    replay = page.get_by_role("link", name="Replay", exact=True)
    page.goto(MATCH)
    expect(replay).to_have_attribute("href", re.compile(r"/replay$"))
    page.get_by_role("link", name="Previous").click()
    expect(replay).to_have_attribute("href", re.compile(r"/replay#v5$"))


def test_focus_stays_on_the_way_that_was_taken(
    page: Page, table: Table, sign_in: Callable[..., None]
) -> None:
    sign_in(page.context)
    page.goto(MATCH)
    expect(page.locator(".ids button").first).to_be_visible()
    page.locator("#way-previous").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#now")).to_have_attribute("data-version", "5")
    expect(page.locator("#way-previous")).to_be_focused()


def test_an_id_is_copied_by_one_tap(
    new_context: NewContext, table: Table, sign_in: Callable[..., None]
) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    sign_in(context)
    page = context.new_page()
    page.goto(MATCH)
    shown = page.locator(".ids code").first.inner_text()
    button = page.get_by_role("button", name="Copy Position ID")
    # Drawn: a sign that no font has would be an empty box.
    assert button.inner_text() == ""
    drawn = button.locator("svg path").bounding_box()
    assert drawn is not None
    assert min(drawn["width"], drawn["height"]) > 8
    button.click()
    expect(page.locator("#live-region")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == shown


@pytest.fixture
def elsewhere(site: Site) -> Iterator[str]:
    """A page of another site that frames a moment of the match."""
    framed = f"{site.url}{MATCH}/embed?at=4"
    body = (
        '<!doctype html><html lang="en"><title>Elsewhere</title>'
        f'<iframe src="{framed}" width="600" height="700" title="A match"></iframe></html>'
    )

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_a_frame_takes_the_keyboard_and_tells_each_play(
    page: Page, table: Table, elsewhere: str
) -> None:
    page.goto(elsewhere)
    frame = page.frame_locator("iframe")
    words = frame.locator("#now .words")
    expect(words).to_contain_text("plays 31: 8/5 6/5")
    frame.get_by_role("link", name="Next").focus()
    page.keyboard.press("Enter")
    expect(words).to_contain_text("Ben Okri rolls 64")
    page.keyboard.press("ArrowRight")
    expect(frame.locator("#live-region")).to_have_text("Ben Okri plays 64: 24/14")
    page.keyboard.press("ArrowLeft")
    expect(frame.locator("#live-region")).to_have_text("Taken back: Ben Okri plays 64: 24/14")


# Live.


def test_a_live_match_goes_on_by_itself(new_context: NewContext, table: Table) -> None:
    page = new_context(viewport=PHONE, is_mobile=True).new_page()
    page.goto(MATCH)
    expect(page.locator("#follow")).to_have_text("Following live.")
    board = page.locator("figure.board svg")
    before = board.inner_html()
    entries = int(page.locator("#record-entries").inner_text())
    table.record(
        ("dice.rolled", {"seat": "one", "dice": [6, 1]}),
        ("play.made", {"seat": "one", "moves": [[13, 7], [8, 7]]}),
    )
    expect(page.locator("#now .words")).to_contain_text("Ada Lindqvist plays 61: 13/7 8/7")
    wait_until(page, lambda: board.inner_html() != before)
    expect(page.get_by_role("link", name="13/7 8/7")).to_be_visible()
    expect(page.locator("#live-region")).to_have_text("Ada Lindqvist plays 61: 13/7 8/7")
    # Nor do the count of entries and the seal of the last one stay behind.
    expect(page.locator("#record-entries")).to_have_text(str(entries + 2))
    expect(page.locator("#record-count")).to_contain_text(f"{entries + 2} entries")
    expect(page.locator("#record-seal")).to_have_count(0)
    assert "/matches/" in page.url


def test_every_board_that_is_played_is_followed_on_one_page(
    new_context: NewContext, site: Site, table: Table
) -> None:
    site.open_match("m2", publication={"public": True, "delay_ms": 0})
    site.open_match("m3")
    page = new_context().new_page()
    page.goto(f"/tournaments/{LOG}")
    page.get_by_role("link", name="All boards").click()
    boards = page.locator("li[data-match]")
    # One that has not begun has no board yet; one that is not public never.
    expect(boards).to_have_count(1)
    expect(boards).to_contain_text("Ada Lindqvist")
    expect(page.get_by_role("status")).to_have_text("Following live.")
    picture = boards.get_by_role("img", name="Ada Lindqvist")
    before = picture.get_attribute("src")
    assert picture.evaluate("(one) => one.naturalWidth > 0")
    table.record(("dice.rolled", {"seat": "one", "dice": [5, 2]}))
    expect(picture).not_to_have_attribute("src", str(before))
    assert picture.evaluate("(one) => one.naturalWidth > 0"), "a board was empty for a moment"
    table.record(("game.won", {"winner": "one", "points": 5}))
    expect(boards).to_have_count(0)
    expect(page.locator("#boards")).to_contain_text("No match is played right now")


@pytest.mark.moves
def test_nothing_moves_for_longer_than_five_seconds(page: Page, table: Table) -> None:
    # WCAG 2.2.2: what begins to blink by itself ends by itself. It would also draw for ever.
    for path in ("/", MATCH):
        page.goto(path)
        expect(page.locator(".pulse").first).to_be_attached()
        ends = page.evaluate(
            "document.getAnimations().map((one) => one.effect.getComputedTiming().endTime)"
        )
        assert ends, "the sign of a live match is not drawn to the eye"
        assert max(ends) <= 5_000


def test_a_page_that_follows_tells_when_its_match_begins_and_is_over(
    page: Page, site: Site
) -> None:
    table = Table(site)
    page.goto(MATCH)
    badge = page.locator("main > .about .badge")
    expect(badge).to_have_text("to begin")
    table.record(*BEGINNING)
    expect(badge).to_have_text("in play")
    table.record(("match.ended", {"winner": "two"}))
    expect(badge).to_have_text("finished")
    expect(page.locator("#follow")).to_have_count(0)


def test_whoever_looks_back_is_left_there(page: Page, table: Table) -> None:
    page.goto(f"{MATCH}?at=3")
    expect(page.locator("#follow")).to_have_text("Following live.")
    table.record(("dice.rolled", {"seat": "one", "dice": [6, 1]}))
    expect(page.get_by_role("link", name="61:")).to_be_visible()
    expect(page.locator("#now")).to_have_attribute("data-version", "3")
    page.get_by_role("link", name="Back to live").click()
    expect(page.locator("#now .words")).to_contain_text("Ada Lindqvist rolls 61")


def test_the_public_follows_behind_the_table_by_the_delay(page: Page, site: Site) -> None:
    delay_ms = 3_000
    table = Table(site, delay_ms=delay_ms)
    page.goto(MATCH)
    expect(page.get_by_text("1 minute behind the table")).to_be_visible()
    expect(page.locator("#follow")).to_have_text("Following live.")
    begun = time.monotonic()
    table.record(*BEGINNING[:3])
    expect(page.locator("#now .words")).to_contain_text("plays 31: 8/5 6/5")
    assert (time.monotonic() - begun) * 1_000 >= delay_ms


def test_a_line_that_is_cut_is_told_and_nothing_is_missed(
    new_context: NewContext, proxy: Proxy, table: Table
) -> None:
    page = new_context(base_url=proxy.url, expects_errors=True).new_page()
    page.goto(MATCH)
    status = page.locator("#follow")
    expect(status).to_have_text("Following live.")
    proxy.switch(Mode.DOWN)
    expect(status).to_contain_text("The line is down")
    table.record(
        ("dice.rolled", {"seat": "one", "dice": [6, 1]}),
        ("play.made", {"seat": "one", "moves": [[13, 7], [8, 7]]}),
    )
    proxy.switch(Mode.UP)
    expect(status).to_have_text("Following live.")
    expect(page.locator("#now .words")).to_contain_text("Ada Lindqvist plays 61: 13/7 8/7")


def test_a_match_that_is_withdrawn_is_shown_no_longer(
    new_context: NewContext, site: Site, table: Table
) -> None:
    page = new_context(expects_errors=True).new_page()
    page.goto(MATCH)
    expect(page.locator("#follow")).to_have_text("Following live.")
    table.record(("publication.withheld", {}))
    expect(page.get_by_role("heading", name="This is private")).to_be_visible()
    assert "Ada" not in page.content()


# Fast.


def test_a_long_match_is_a_light_page(site: Site, table: Table) -> None:
    turns: list[tuple[str, dict[str, Any]]] = []
    for number in range(300):
        seat = ("one", "two")[number % 2]
        turns.append(("dice.rolled", {"seat": seat, "dice": [number % 6 + 1, 1]}))
        turns.append(("play.made", {"seat": seat, "moves": []}))
    table.record(*turns)
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    answer = httpx.get(f"{site.url}{MATCH}", headers=headers, timeout=30)
    assert "601" in answer.text
    assert int(answer.headers["content-length"]) < 60 * 1024
