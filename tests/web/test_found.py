"""How a play was found: shown in the replay to readers who see provenance, and in the room."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from events.envelope import Basis
from events.payloads import play
from events.values import CheckerMove, Seat
from tests.projections.table import Table
from tests.web.conftest import LOG, NewContext, Site
from tests.web.replay_rig import put
from tests.web.test_room import SignIn

TAPPED, CHOSEN, PLAYED = play.Confirmed.TAPPED, play.Confirmed.CHOSEN, play.Confirmed.PLAYED

pytestmark = pytest.mark.warm

HOW = {
    "en": {
        4: "Tapped: 13 7 8 7; one play fitted",
        6: "Tapped: 24; chosen among 4",
        8: "Tapped: 13; 2 plays fitted; Played on what was drawn",
        10: "Follows from the dice alone, on the device’s word; Played on what was drawn",
        12: "A gap on the device’s word: the match went on, and nobody said what was played; "
        "tapped: 8 6",
    },
    "de": {
        4: "Getippt: 13 7 8 7; ein Zug passte dazu",
        6: "Getippt: 24; unter 4 ausgewählt",
        8: "Getippt: 13; 2 Züge passten dazu; „Gezogen“ auf das Gezeichnete",
        10: "Folgt allein aus den Würfeln, auf das Wort des Geräts; „Gezogen“ auf das Gezeichnete",
        12: "Eine Lücke auf das Wort des Geräts: Das Match ging weiter, und niemand sagte, was "
        "gezogen wurde; getippt: 8 6",
    },
}


def made(
    table: Table, seat: Seat, moves: str, basis: Basis = Basis.OBSERVED, **how: object
) -> None:
    points = [tuple(map(int, one.split("/"))) for one in moves.split()]
    table.record(
        play.PlayMade(seat=seat, moves=tuple(CheckerMove(*one) for one in points), **how),  # type: ignore[arg-type]
        basis=basis,
    )


@pytest.fixture
def match(site: Site) -> str:
    one, two = Seat
    table = Table().game().opening(6, 1)
    made(table, one, "13/7 8/7", taps=("13", "7", "8", "7"), fitted=1, confirmed=TAPPED)
    made(table.roll("two", 21), two, "24/21", taps=("24",), fitted=4, confirmed=CHOSEN)
    taps = ("13", "played")
    made(table.roll("one", 42), one, "13/7", taps=taps, fitted=2, confirmed=PLAYED)
    device = Basis.DEVICE
    made(table.roll("two", 53), two, "13/5", device, taps=("played",), confirmed=PLAYED)
    table.roll("one", 65)
    table.record(play.PlayUnseen(seat=one, count=1, written="8 6"), basis=device)
    return put(site, table.events, "m1", publication={"public": True})


def opened(page: Page, match: str, version: int, language: str) -> None:
    page.goto("about:blank")
    page.goto(f"/matches/{LOG}/{match}/replay?lang={language}#v{version}")
    expect(page.locator("#viewer[data-ready]")).to_have_count(1)
    page.locator("#provenance summary").click()
    expect(page.locator("#provenance dl")).to_be_visible()


@pytest.mark.parametrize("language", HOW)
def test_who_sees_provenance_is_told_how_a_play_was_found(
    new_context: NewContext, sign_in: SignIn, match: str, language: str
) -> None:
    context = new_context(locale=language)
    sign_in(context)
    page = context.new_page()
    for version, words in HOW[language].items():
        opened(page, match, version, language)
        expect(page.locator("#provenance").get_by_text(words, exact=True)).to_be_visible()
    for version, words in HOW[language].items():
        page.goto(f"/room/{LOG}?lang={language}#{match}/{version}")
        expect(page.locator(".how-found")).to_contain_text(words)


def test_who_does_not_see_provenance_is_not_told(page: Page, match: str) -> None:
    opened(page, match, 4, "en")
    expect(page.locator("#provenance")).not_to_contain_text("fitted")
    expect(page.locator(".entry-head")).not_to_contain_text("Tapped")
