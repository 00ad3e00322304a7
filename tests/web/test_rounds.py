"""Rounds in a browser: a sheet opened in the room, printed results, and the hall's screen."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import LOG, NewContext, Site, check_axe, check_targets, shot
from tests.web.tablet_rig import Scribe

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

SCREENS = {"hd": {"width": 1920, "height": 1080}, "ready": {"width": 1280, "height": 720}}


def sheet(tables: int, round_: int = 1) -> str:
    """A round of so many tables."""
    lines = [
        f"{round_},{at},Player Number {at} with a name,Rival Number {at},5"
        for at in range(1, tables + 1)
    ]
    return "\n".join(["round,table,player 1,player 2,length", *lines])


def open_round(site: Site, text: str) -> None:
    """The same as the room does it, without the room."""
    body = {"text": text, "request_id": str(uuid.uuid4()), "called": True}
    defaults = {
        "entry_id": str(uuid.uuid4()),
        "tag": "tournament.defaults_declared",
        "body": {"publication": {"public": True, "delay_ms": 0}},
    }
    with site.http(site.director) as client:
        said = client.post(
            f"/logs/{LOG}/events", json={"entries": [defaults]}, headers={"If-Match": "*"}
        )
        assert said.status_code == 201, said.text
        made = client.post(f"/logs/{LOG}/rounds", json=body)
        assert made.status_code == 201, made.text


@pytest.fixture
def director(new_context: NewContext, sign_in: SignIn) -> Page:
    """A director's page in the room."""
    context = new_context()
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    expect(page.locator("#room-age")).to_have_class("badge good")
    return page


def test_a_sheet_is_looked_at_corrected_and_opened_with_two_clicks(
    director: Page, site: Site
) -> None:
    director.get_by_role("button", name="Players and pairings").tap()
    dialog = director.get_by_role("dialog")
    text = dialog.get_by_label("Lines", exact=True)
    head = "round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n"
    text.fill(f"{head}1,1,Eva,Per,no\n1,3,Kim,,5\n")
    expect(dialog).to_contain_text("Table 1 is given twice: also in line 2.")
    expect(dialog).to_contain_text("The length is a whole number from 1 to 99.")
    # A name that is missing is not a bye: nobody has said so.
    expect(dialog.get_by_role("row", name="Kim")).to_have_text("41–Kim new––")
    expect(dialog.locator("button[type=submit]")).to_be_disabled()
    check_axe(director)
    shot(director, "sheet-errors")
    # Surnames first look like pairings: said, with what to do.
    text.fill("Berg, Ida\nLund, Omar\n")
    expect(dialog).to_contain_text("If each line is one player, surname first")
    check_axe(director)
    text.fill("Last name, First name\nBerg, Ida\nLund, Omar\n")
    expect(dialog.get_by_role("button", name="Register the players")).to_be_enabled()
    expect(dialog).not_to_contain_text("If each line is one player")
    text.fill(f"{head}1,2,Eva,Per,5\n")
    dialog.get_by_role("button", name="Open 2 matches").tap()
    expect(dialog).to_have_count(0)
    expect(director.get_by_role("article")).to_have_count(2)
    expect(director.get_by_role("article").first).to_contain_text("Round 1")
    director.get_by_role("button", name="Per does not come").tap()
    expect(director.get_by_role("article").nth(1)).to_contain_text("over")
    director.get_by_role("button", name="Ida Berg is here").tap()
    expect(director.get_by_role("button", name="Ida Berg is here")).to_have_count(0)
    check_axe(director)
    shot(director, "sheet-opened")


def test_a_round_of_another_day_begins_on_that_day(
    new_context: NewContext, sign_in: SignIn, site: Site
) -> None:
    """Opened the evening before, its players were late at once, by half a day."""
    context = new_context(timezone_id="Europe/Berlin")
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    expect(page.locator("#room-age")).to_have_class("badge good")
    page.get_by_role("button", name="Players and pairings").tap()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Day").fill("2031-07-06")
    dialog.get_by_label("Start (if appointed)").fill("09:00")
    lines = "player 1,player 2,length,start\nIda,Omar,5,\nEva,Per,5,10:30\n"
    dialog.get_by_label("Lines", exact=True).fill(lines)
    dialog.get_by_role("button", name="Open 2 matches").tap()
    expect(dialog).to_have_count(0)
    with site.http(site.director) as client:
        listed = client.get(f"/logs/{LOG}/matches").json()["matches"]
        starts = {
            client.get(f"/logs/{LOG}/matches/{one['match_id']}/opening").json()["appointed_start"]
            for one in listed
        }
    # In summer, whenever the sheet is opened.
    assert {one[:16] for one in starts} == {"2031-07-06T07:00", "2031-07-06T08:30"}


def test_rounds_are_filtered_by_one_key(director: Page, site: Site) -> None:
    open_round(site, sheet(2))
    open_round(site, sheet(2, round_=2))
    expect(director.get_by_role("article")).to_have_count(4)
    director.get_by_role("button", name="Round 2", exact=True).tap()
    expect(director.get_by_role("article")).to_have_count(2)
    director.get_by_role("button", name="All rounds").tap()
    expect(director.get_by_role("article")).to_have_count(4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_wall_shows_a_full_hall_without_scrolling(
    new_context: NewContext, site: Site, screen: str, scheme: str
) -> None:
    open_round(site, sheet(40))
    page = new_context(viewport=SCREENS[screen], color_scheme=scheme).new_page()
    page.clock.install()
    page.goto(f"/tournaments/{LOG}/wall")
    counter = page.locator("#wall-page")
    expect(counter).to_contain_text("1 / ")
    pages = int(counter.inner_text().split("/")[1])
    assert pages > 1
    check_axe(page)
    shot(page, f"wall-{screen}-{scheme}")
    seen: set[str] = set()
    for at in range(1, pages + 1):
        expect(counter).to_contain_text(f"{at} / {pages}")
        fits = page.evaluate(
            """() => document.documentElement.scrollHeight <= innerHeight
                && [...document.querySelectorAll("#wall li:not([hidden])")].every((line) => {
                  const box = line.getBoundingClientRect();
                  const isIn = box.bottom <= innerHeight + 1 && box.right <= innerWidth;
                  return box.height === 0 || isIn;
                })"""
        )
        assert fits
        seen |= set(page.locator("#wall li:not([hidden]) .wall-names:visible").all_inner_texts())
        page.clock.run_for(10_000)
    assert len(seen) == 40


def test_results_print_without_the_keys_around_them(page: Page, site: Site) -> None:
    open_round(site, sheet(3))
    page.goto(f"/tournaments/{LOG}/results")
    expect(page.get_by_role("heading", name="Round 1")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(4)
    check_axe(page)
    shot(page, "results")
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="CSV")).to_be_hidden()
    expect(page.get_by_role("row")).to_have_count(4)


def tablet_at(new_context: NewContext, room: Page, code: str, table: str) -> tuple[Scribe, str]:
    """A tablet that scans the code for several, let in for its table; its four words."""
    page = new_context().new_page()
    page.goto(f"/tablet?code={code}")
    expect(page.locator(".fingerprint li")).to_have_count(4)
    words = " ".join(page.locator(".fingerprint li").all_inner_texts())
    line = room.get_by_role("dialog").get_by_role("listitem").filter(has_text=words)
    line.get_by_label("Table").fill(table)
    line.get_by_role("button", name=f"Let it in: {words}").tap()
    expect(line).to_have_count(0)
    return Scribe(page), words


def code_for_several(room: Page) -> str:
    room.get_by_role("button", name="Pair a tablet").tap()
    expect(room.get_by_role("dialog")).to_contain_text("The code works for several tablets")
    return room.locator("dialog .code").inner_text()


def test_a_tablet_is_shown_by_the_name_that_was_typed_on_it(
    director: Page, new_context: NewContext
) -> None:
    """Also once the tablet is let in."""
    code = code_for_several(director)
    tablet = new_context().new_page()
    tablet.goto("/tablet")
    tablet.get_by_label("Code", exact=True).fill(code)
    tablet.get_by_label("Name of this tablet").fill("Blue iPad")
    tablet.get_by_role("button", name="Pair", exact=True).tap()
    director.get_by_role("dialog").get_by_role("button", name="Let it in").tap()
    director.get_by_role("button", name="Close", exact=True).tap()
    expect(director.locator(".tablets")).to_contain_text("Blue iPad · ")
    expect(director.get_by_role("combobox", name="Table of Blue iPad")).to_be_visible()


def test_several_tablets_come_by_one_code_and_are_moved_by_one_choice(
    director: Page, new_context: NewContext
) -> None:
    site_match = "1,{at},A{at},B{at},1"
    lines = "round,table,player 1,player 2,length\n" + "\n".join(
        site_match.format(at=at) for at in (1, 2, 3)
    )
    pasted(director, lines, 3)
    code = code_for_several(director)
    first, words = tablet_at(new_context, director, code, "1")
    second, others = tablet_at(new_context, director, code, "2")
    check_axe(director)
    check_targets(director)
    shot(director, "tablets-several")
    director.get_by_role("button", name="Close", exact=True).tap()
    for scribe, name in ((first, "A1"), (second, "A2")):
        scribe.page.locator(".recorder").wait_for()
        expect(scribe.page.locator(".recorder")).to_contain_text(name)
        expect(scribe.page.locator(".badge.role")).to_have_text("Scribe")
    choice = director.get_by_label(f"Table of {words}")
    expect(choice).to_have_value("1")
    choice.select_option("Table 3")
    expect(choice).to_have_value("3")
    # Nobody loses a table without a word: asked, and left as it is.
    choice.select_option("Table 2")
    dialog = director.get_by_role("dialog")
    expect(dialog).to_contain_text("Another tablet stands at table 2.")
    check_axe(director)
    dialog.get_by_role("button", name="Cancel").tap()
    expect(choice).to_have_value("3")
    choice.select_option("Table 2")
    dialog.get_by_role("button", name="Take its place").tap()
    expect(choice).to_have_value("2")
    expect(director.get_by_label(f"Table of {others}")).to_have_value("")
    choice.select_option("no table")
    expect(choice).to_have_value("")
    choice.select_option("another table …")
    dialog.get_by_label("Table", exact=True).fill("12")
    dialog.get_by_role("button", name="Set").tap()
    # By its role: the form, which is called so too, may be in the document still.
    chosen = director.get_by_role("combobox", name=f"Table of {words}")
    expect(chosen).to_have_value("12")
    check_axe(director)
    check_targets(director)
    shot(director, "tablets-placed")


def pasted(room: Page, lines: str, matches: int) -> None:
    """A sheet opened in the room."""
    room.get_by_role("button", name="Players and pairings").tap()
    dialog = room.get_by_role("dialog")
    dialog.get_by_label("Lines", exact=True).fill(lines)
    key = "Open the match" if matches == 1 else f"Open {matches} matches"
    dialog.get_by_role("button", name=key, exact=True).tap()
    expect(dialog).to_have_count(0)


def win(scribe: Scribe) -> None:
    """The match, won by the first game: a double that is passed; both confirm."""
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.page.locator(".recorder").wait_for()
    scribe.key("menu")
    scribe.page.locator("dialog [data-sheet=resignation]").first.tap()
    scribe.page.get_by_role("dialog").get_by_role("button", name="Single", exact=True).last.tap()
    scribe.page.locator("dialog").wait_for(state="detached")
    scribe.key_of(TWO, "accept")
    for seat in (ONE, TWO):
        scribe.key_of(seat, "confirm")
    scribe.settle()


def test_a_match_that_is_over_hands_its_tablet_to_the_next_one_at_its_table(
    director: Page, new_context: NewContext
) -> None:
    head = "round,table,player 1,player 2,length\n"
    pasted(director, head + "1,1,Ada,Ben,1", 1)
    code = code_for_several(director)
    scribe, _ = tablet_at(new_context, director, code, "1")
    director.get_by_role("button", name="Close", exact=True).tap()
    page = scribe.page
    page.locator(".recorder").wait_for()
    win(scribe)
    # The next round is opened while this one waits to be left: one key, and it is there.
    pasted(director, head + "2,1,Cleo,Dan,1", 1)
    expect(page.locator(".recorder")).to_contain_text("Ada")
    scribe.key("next_match")
    expect(page.locator(".recorder")).to_contain_text("Cleo")
    expect(page.locator(".badge.role")).to_have_text("Scribe")
    win(scribe)
    # Nothing waits: that is said, and the next match comes by itself when it is opened.
    scribe.key("next_match")
    expect(page.locator(".recorder")).to_have_count(0)
    expect(page.locator("#main")).to_contain_text("It begins by itself as soon as the director")
    check_axe(page)
    shot(page, "tablet-waits")
    pasted(director, head + "3,1,Eva,Finn,1", 1)
    expect(page.locator(".recorder")).to_contain_text("Eva")
    expect(page.locator(".badge.role")).to_have_text("Scribe")
    win(scribe)


def test_who_does_not_come_is_said_and_taken_back_by_one_key_each(
    director: Page, site: Site
) -> None:
    open_round(site, "round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n")
    card = director.get_by_role("article")
    card.get_by_role("button", name="Omar Lund does not come").tap()
    expect(card).to_contain_text("over")
    expect(director.get_by_role("listitem").filter(has_text="Confirm the result")).to_contain_text(
        "Ida Berg has won the match by forfeit"
    )
    check_axe(director)
    check_targets(director)
    shot(director, "no-show")
    card.get_by_role("button", name="Take back: Omar Lund does not come").tap()
    expect(card).to_contain_text("not begun")
    card.get_by_role("button", name="Ida Berg is here").tap()
    expect(card.get_by_role("button", name="Ida Berg is here")).to_have_count(0)
    card.get_by_role("button", name="Omar Lund came late").tap()
    expect(card.get_by_role("button", name="Omar Lund came late")).to_have_count(0)
    # Both sit there: nobody is to be called, and a key for it would do nothing.
    expect(director.get_by_role("button", name="Call", exact=False)).to_have_count(0)
    [opened] = [one["match_id"] for one in site_tables(site)]
    tags = [entry["tag"] for entry in site.entries(opened)]
    assert tags[-4:] == ["forfeit.declared", "entry.retracted", "player.arrived", "player.arrived"]


def site_tables(site: Site) -> list[dict[str, Any]]:
    """The tables that the room shows."""
    with site.http(site.director) as client:
        found: list[dict[str, Any]] = client.get(f"/logs/{LOG}/room").json()["tables"]
    return found


def test_byes_and_names_are_put_right_in_the_list_of_players(director: Page, site: Site) -> None:
    open_round(site, "round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n")
    expect(director.get_by_role("article")).to_have_count(1)
    director.get_by_role("button", name="Players", exact=True).tap()
    dialog = director.get_by_role("dialog").first
    director.get_by_label("Round", exact=True).fill("2")
    dialog.get_by_role("button", name="Bye for Omar Lund").tap()
    back = dialog.get_by_role("button", name="Take back the bye of Omar Lund")
    expect(back).to_be_visible()
    check_axe(director)
    check_targets(director)
    shot(director, "players")
    back.tap()
    expect(dialog.get_by_role("button", name="Bye for Omar Lund")).to_be_visible()
    dialog.get_by_role("button", name="Bye for Ida Berg").tap()
    dialog.get_by_role("button", name="Correct the name of Ida Berg").tap()
    form = director.get_by_role("dialog").last
    form.get_by_label("Name").fill("Ida Bergh")
    check_axe(director)
    form.get_by_role("button", name="Correct", exact=True).tap()
    expect(director.get_by_role("dialog")).to_have_count(1)
    expect(dialog.get_by_role("row", name="Ida Bergh")).to_be_visible()
    dialog.get_by_role("button", name="Close", exact=True).tap()
    expect(director.get_by_role("article")).to_contain_text("Ida Bergh")
    # A bye that is given waits in the queue to be taken back there.
    queue = director.locator(".queue")
    expect(queue).to_contain_text("Ida Bergh")
    queue.get_by_role("button", name="Take back").tap()
    expect(queue.get_by_role("button", name="Take back")).to_have_count(0)
    director.goto(f"/tournaments/{LOG}/wall")
    expect(director.locator("#wall")).to_contain_text("Ida Bergh")


def test_who_was_registered_by_mistake_is_taken_off_the_list_with_the_bye(
    director: Page, site: Site
) -> None:
    names = "1,1,Ida Berg,Omar Lund,5\n1,,Wrong Name,bye,"
    open_round(site, f"round,table,player 1,player 2,length\n{names}\n")
    expect(director.locator(".queue")).to_contain_text("Wrong Name")
    director.get_by_role("button", name="Players", exact=True).tap()
    dialog = director.get_by_role("dialog").first
    taken = dialog.get_by_role("button", name="Take Wrong Name off the list")
    # Who plays stays on it: a match would be somebody's who is on no list.
    expect(dialog.get_by_role("button", name="Take Ida Berg off the list")).to_have_count(0)
    taken.tap()
    form = director.get_by_role("dialog").last
    check_axe(director)
    form.get_by_role("button", name="Cancel", exact=True).tap()
    expect(dialog.get_by_role("row", name="Wrong Name")).to_be_visible()
    taken.tap()
    form.get_by_role("button", name="Take off", exact=True).tap()
    expect(director.get_by_role("dialog")).to_have_count(1)
    expect(dialog.get_by_role("row", name="Wrong Name")).to_have_count(0)
    expect(dialog.get_by_role("row", name="Omar Lund")).to_be_visible()
    check_axe(director)
    check_targets(director)
    dialog.get_by_role("button", name="Close", exact=True).tap()
    expect(director.locator(".queue")).not_to_contain_text("Wrong Name")


def test_tables_stand_in_their_order_and_fold_away_when_nothing_is_asked(
    director: Page, site: Site
) -> None:
    lines = [f"1,{at},P{at},Q{at},1" for at in ("10", "2", "1", "B2", "B10")]
    open_round(site, "\n".join(["round,table,player 1,player 2,length", *lines]))
    numbers = director.locator("article .table-number")
    expect(numbers).to_have_text(["Table 1", "Table 2", "Table 10", "Table B2", "Table B10"])
    match = next(one["match_id"] for one in site_tables(site) if one["table"] == "2")
    done = [
        ("game.started", {}),
        ("dice.opening_rolled", {"one": 6, "two": 1}),
        ("play.made", {"seat": "one", "moves": [[13, 7], [8, 7]]}),
        ("cube.double_offered", {"seat": "two"}),
        ("cube.double_dropped", {"seat": "one"}),
        ("score.noted", {"keeper": "one", "score": {"one": 0, "two": 1}}),
        ("score.noted", {"keeper": "two", "score": {"one": 0, "two": 1}}),
    ]
    entries = [{"entry_id": str(uuid.uuid4()), "tag": tag, "body": body} for tag, body in done]
    with site.http(site.director) as client:
        said = client.post(
            f"/logs/{LOG}/matches/{match}/events",
            json={"entries": entries},
            headers={"If-Match": "*"},
        )
    assert said.status_code == 201, said.text
    folded = director.locator("details.finished")
    expect(folded.locator("summary")).to_have_text("Finished (1)")
    expect(director.locator("article:visible .table-number")).to_have_text(
        ["Table 1", "Table 10", "Table B2", "Table B10"]
    )
    folded.locator("summary").tap()
    expect(folded.locator("article .table-number")).to_have_text(["Table 2"])


LONG = "\n".join(
    ["round,table,player 1,player 2,length"]
    + [f"1,{at},Maximiliane-Charlotte Oberhuber,Rival Number {at},5" for at in range(1, 10)]
)
"""A list in which one name plays at every table: each line but the first is wrong."""


@pytest.mark.parametrize("size", [{"width": 1280, "height": 900}, {"width": 390, "height": 844}])
def test_the_key_that_opens_a_round_is_in_sight_with_errors_in_the_sheet(
    site: Site, new_context: NewContext, sign_in: SignIn, size: dict[str, int]
) -> None:
    context = new_context(viewport=size)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    page.get_by_role("button", name="Players and pairings").click()
    page.get_by_label("Lines", exact=True).fill(LONG)
    expect(page.get_by_role("dialog").locator("tr.wrong").first).to_be_visible()
    go = page.get_by_role("dialog").locator("button[type=submit]")
    expect(go).to_be_disabled()
    expect(go).to_be_in_viewport(ratio=1)
    cancel = page.get_by_role("dialog").get_by_role("button", name="Cancel")
    expect(cancel).to_be_in_viewport(ratio=1)
    check_axe(page)
    check_targets(page, least=44 if size["width"] > 1000 else 24)
    shot(page, f"sheet-errors-{size['width']}")


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_the_keys_of_the_hall_stand_in_one_line_on_a_laptop(
    site: Site, new_context: NewContext, sign_in: SignIn, locale: str
) -> None:
    context = new_context(viewport={"width": 1280, "height": 800}, locale=locale)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    expect(page.locator("#room-age")).to_have_class("badge good")
    # With the keys for the clocks, some of which run while others were stopped.
    rows = page.evaluate(
        """async () => {
          for (const key of document.querySelectorAll(".toolbar [data-clocks]")) key.hidden = false;
          const texts = await import(document.querySelector('script[src*="room/app.js"]')
            .src.replace("room/app.js", "shared/texts.js"));
          const resume = document.querySelector("[data-clocks=resume]");
          resume.textContent = texts.t("clocks.resume", {n: 12});
          const keys = [...document.querySelectorAll(".toolbar > *")];
          return [keys.length, new Set(keys.map((key) => key.getBoundingClientRect().top)).size];
        }"""
    )
    assert rows == [8, 1]
    check_targets(page)
    shot(page, f"hall-toolbar-{locale[:2]}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_are_whole_on_a_telephone_and_lead_back(
    site: Site, new_context: NewContext, sign_in: SignIn, scheme: str
) -> None:
    head = LONG.splitlines()[0]
    names = "Maximiliane-Charlotte Oberhuber,Wolfgang-Amadeus Hinterstoisser"
    open_round(site, f"{head}\n1,1,{names},5\n1,,Ida Berg,bye,")
    context = new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/tournaments/{LOG}/results")
    cut = page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll(".scrolls, .scrolls *")]
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1)
          .map((one) => one.outerHTML.slice(0, 100))"""
    )
    assert cut == []
    expect(page.get_by_role("row")).to_have_count(3)
    for text in ("Maximiliane-Charlotte Oberhuber", "Length 5", "plays no match"):
        expect(page.get_by_text(text)).to_be_in_viewport(ratio=1)
    check_axe(page)
    shot(page, f"results-390-{scheme}")
    page.get_by_role("link", name="To the hall").click()
    expect(page).to_have_url(f"{site.url}/room/{LOG}")
    stranger = new_context(viewport={"width": 390, "height": 844}).new_page()
    stranger.goto(f"/tournaments/{LOG}/results")
    expect(stranger.get_by_role("link", name="To the hall")).to_have_count(0)
    stranger.get_by_role("link", name="To the tournament").click()
    expect(stranger).to_have_url(f"{site.url}/tournaments/{LOG}")


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_what_a_tournament_is_can_be_read_on_a_telephone(
    site: Site, new_context: NewContext, sign_in: SignIn, locale: str
) -> None:
    context = new_context(viewport={"width": 390, "height": 844}, locale=locale)
    sign_in(context)
    page = context.new_page()
    page.goto(f"/room/{LOG}#/tournament")
    expect(page.locator(".facts dd").first).to_have_text("Lantern Open")
    narrow = page.evaluate(
        """() => [...document.querySelectorAll(".facts dd")]
          .filter((one) => one.clientWidth < 200).map((one) => one.textContent)"""
    )
    assert narrow == []
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
