"""Entries in words on pages: singular and plural, who loses time, that the director comes."""

from __future__ import annotations

import html

import pytest
from playwright.sync_api import expect

from events.payloads import clock, dispute, penalty
from events.payloads.base import Actor
from events.payloads.corrections import MomentMarked
from events.values import Seat
from tests.projections.table import Table
from tests.web.conftest import LOG, NewContext, Site
from tests.web.replay_rig import put

SAID = {
    "en": (
        "The director is on the way",
        "1 penalty point against Ben",
        "3 penalty points against Ben",
        "1 penalty point is waived",
        "All penalty points are waived",
        "1:00 taken from the reserve of Ben",
        "0:30 given to the reserve of Ada",
    ),
    "de": (
        "Die Turnierleitung ist unterwegs",
        "1 Strafpunkt gegen Ben",
        "3 Strafpunkte gegen Ben",
        "1 Strafpunkt ist erlassen",
        "Alle Strafpunkte sind erlassen",
        "1:00 von der Bedenkzeit von Ben abgezogen",
        "0:30 zur Bedenkzeit von Ada dazugegeben",
    ),
}


@pytest.fixture
def match(site: Site) -> str:
    table = Table(rule_set="usbgf-2017-07").clock(60).game()
    table.record(dispute.DirectorCalled(by=Actor.ONE)).record(MomentMarked(target=table.last))
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1))
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=3))
    assessed = table.last
    table.record(penalty.PenaltyWaived(target=assessed, points=1))
    table.record(penalty.PenaltyWaived(target=assessed))
    table.record(clock.ClockAdjusted(seat=Seat.TWO, amount_ms=-60_000))
    table.record(clock.ClockAdjusted(seat=Seat.ONE, amount_ms=30_000))
    return put(site, table.events, "m1", publication={"public": True})


@pytest.mark.parametrize("language", SAID)
def test_the_replay_and_the_match_page_say_it_in_words(
    new_context: NewContext, site: Site, match: str, language: str
) -> None:
    page = new_context(locale=language).new_page()
    page.goto(f"/matches/{LOG}/{match}/replay?lang={language}")
    shown = page.locator("#viewer")
    with site.http(site.director) as client:
        public = html.unescape(client.get(f"/matches/{LOG}/{match}?lang={language}").text)
    for words in SAID[language]:
        expect(shown.get_by_text(words).first).to_be_attached()
        # English pages tell the director's acts in the words of the transcript, in small letters.
        assert words.lower() in public.lower(), words
    expect(shown.get_by_text("moment is marked")).to_have_count(0)
