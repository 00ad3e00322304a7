"""The director's decisions reach the tablet as notices, which stay until acknowledged."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, BrowserContext, Page, expect

from events import catalogue
from events.payloads import clock, corrections, dice, dispute, ending, match, penalty
from events.payloads.base import Actor
from events.values import ONE
from projections.views.freezing import freezes, frozen_by
from projections.views.notices import notices
from tests.projections.table import Table
from tests.web import modules
from tests.web.conftest import LOG, NewContext, Site, check_axe, check_targets, shot
from tests.web.tablet_rig import Scribe, draw, open_tablet

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

FROZEN = "A ruling is awaited: the record is frozen."


@pytest.fixture
def match_id(site: Site) -> str:
    return site.open_match(length=3, table="4", rule_set="common")


@pytest.fixture
def scribe(page: Page, site: Site, match_id: str) -> Scribe:
    """A tablet in the first game: Ada has rolled 6, Ben 1."""
    open_tablet(page, site, match_id)
    found = Scribe(page)
    found.key("next_game")
    found.opening(6, 1)
    found.settle()
    return found


def rule(site: Site, match_id: str, *acts: tuple[str, dict[str, Any]]) -> list[str]:
    """What the director does, from the room or from anywhere; the ids of its entries."""
    entries = [
        {"entry_id": site.archive.entry_id(), "tag": tag, "body": body, "basis": "ruled"}
        for tag, body in acts
    ]
    with site.http(site.director) as client:
        path = f"/logs/{LOG}/matches/{match_id}/events"
        known = client.get(path, params={"limit": 1000}).json()["entries"]
        headers = {"If-Match": f'"{len(known)}"'}
        answer = client.post(path, json={"entries": entries}, headers=headers)
    assert answer.status_code == 201, answer.text
    return [entry["entry_id"] for entry in entries]


def entry(site: Site, match_id: str, tag: str) -> str:
    """The id of the last entry of a tag."""
    found: str = [one["entry_id"] for one in site.entries(match_id) if one["tag"] == tag][-1]
    return found


def band(page: Page) -> Any:
    return page.locator(".notices")


USBGF = {"rule_set": "usbgf-2017-07", "section": "4.2.3"}

SAID: dict[str, tuple[dict[str, Any], str, str]] = {
    "ruling.made": (
        {
            "decision": "The roll stands",
            "intended_action": "Ben plays on",
            "facts": "Private: seen by nobody",
            "references": [USBGF],
        },
        "Director: Ruling: The roll stands (usbgf-2017-07, 4.2.3) At the table: Ben plays on",
        "Turnierleitung: Entscheid: The roll stands (usbgf-2017-07, 4.2.3) Am Tisch: Ben plays on",
    ),
    "ruling.carried_out": (
        {
            "score": {"one": 1, "two": 0},
            "cube": {"value": 2, "owner": "two"},
            "on_roll": "two",
            "reserve_ms": {"one": 300_000, "two": 90_000},
        },
        "Director: The ruling is carried out. At the table: score Ada – Ben: 1 – 0;"
        " cube at 2, with Ben; Ben is on roll; clocks Ada 5:00, Ben 1:30",
        "Turnierleitung: Der Entscheid ist ausgeführt. Am Tisch: Stand Ada – Ben: 1 – 0;"
        " Dopplerwürfel auf 2, bei Ben; Ben ist am Wurf; Uhren Ada 5:00, Ben 1:30",
    ),
    "penalty.assessed": (
        {
            "seat": "one",
            "points": 2,
            "ground": "late_start",
            "enters_score": True,
            "rule": USBGF,
            "reason": "Private: was at a doctor's",
        },
        "Director: 2 penalty points against Ada. For: late start. (usbgf-2017-07, 4.2.3)"
        " At the table: the points count in the score",
        "Turnierleitung: 2 Strafpunkte gegen Ada. Wegen: verspäteter Beginn."
        " (usbgf-2017-07, 4.2.3) Am Tisch: die Punkte zählen im Stand",
    ),
    "slow_play.warned": (
        {"seat": "two"},
        "Director: Ben is warned: play faster.",
        "Turnierleitung: Ben ist verwarnt: bitte schneller spielen.",
    ),
    "forfeit.declared": (
        {"seat": "two", "ground": "conduct"},
        "Director: Ben forfeits the match. For: conduct.",
        "Turnierleitung: Ben verliert das Match durch Entscheid. Wegen: Verhalten.",
    ),
    "sanction.imposed": (
        {"seat": "two", "kind": "last_warning", "detail": "Private: the words that he used"},
        "Director: Sanction against Ben: last warning.",
        "Turnierleitung: Maßnahme gegen Ben: last warning.",
    ),
    "player.disqualified": (
        {"seat": "two", "reason": "Private: cheating is alleged"},
        "Director: Ben is disqualified.",
        "Turnierleitung: Ben ist disqualifiziert.",
    ),
    "clock.adjusted": (
        {"seat": "one", "amount_ms": -90_000},
        "Director: Ada loses 1:30. At the table: set the clock accordingly",
        "Turnierleitung: Ada verliert 1:30. Am Tisch: die Uhr entsprechend stellen",
    ),
    "delay.excused": (
        {"seat": "one", "reason": "Private: family"},
        "Director: The delay of Ada is excused.",
        "Turnierleitung: Die Verspätung von Ada ist entschuldigt.",
    ),
    "result.corrected": (
        {"old": {"one": 3, "two": 1}, "new": {"one": 2, "two": 3}},
        "Director: The posted result is corrected from 3 – 1 to 2 – 3.",
        "Turnierleitung: Das ausgehängte Ergebnis ist von 3 – 1 auf 2 – 3 berichtigt.",
    ),
    "dispute.raised": (
        {"by": "director"},
        "Director: A dispute is open: please wait for the ruling.",
        "Turnierleitung: Ein Streitfall ist offen: Bitte warten Sie auf den Entscheid.",
    ),
}
"""Every act against or about a player: its body, and what the table reads in two languages."""


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_the_director_decides_is_told_to_the_table_in_words_and_taken_note_of_by_an_entry(
    scribe: Scribe, site: Site, match_id: str, language: str
) -> None:
    if language == "de":
        scribe.page.goto("/tablet?lang=de")
        expect(scribe.page.locator(".badge.role.good")).to_be_attached()
    words = band(scribe.page).locator(".said")
    for tag, (body, english, german) in SAID.items():
        said = {"en": english, "de": german}[language]
        [told] = rule(site, match_id, (tag, body))
        expect(words).to_have_text(said)
        # Read out at once, and never more than a director says aloud.
        expect(scribe.page.locator("#alert-region")).to_contain_text(said)
        assert "Private" not in scribe.page.content()
        scribe.key("acknowledge")
        expect(words).to_have_count(0)
        scribe.settle()
        last = site.entries(match_id)[-1]
        assert (last["tag"], last["body"]["target"]) == ("notice.acknowledged", told)


def test_a_call_is_answered_at_the_tablet_by_whoever_is_on_the_way(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    scribe.key("call")
    scribe.settle()
    expect(band(scribe.page)).to_be_hidden()
    rule(site, match_id, ("moment.marked", {"target": entry(site, match_id, "director.called")}))
    expect(band(scribe.page).locator(".said")).to_have_text(
        "Director: I am on my way to your table."
    )


def test_a_claim_and_a_penalty_are_told_by_the_name_of_whose_they_are(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    [penalty] = rule(site, match_id, ("penalty.assessed", {"seat": "two", "points": 1}))
    [claim] = rule(site, match_id, ("claim.made", {"kind": "game", "seat": "two"}))
    rule(
        site,
        match_id,
        ("penalty.waived", {"target": penalty}),
        ("claim.ruled", {"target": claim, "holds": False}),
        # What the opponent says about a claim is said at the table: it is no news there.
        ("claim.ruled", {"target": claim, "holds": False, "by": "one"}),
    )
    words, count = band(scribe.page).locator(".said"), band(scribe.page).locator(".badge.number")
    for said, left in (
        ("1 penalty point against Ben.", "1 of 3"),
        ("The penalty against Ben is waived.", "1 of 2"),
        ("The claim of Ben is not upheld.", None),
    ):
        expect(words).to_have_text(f"Director: {said}")
        if left is None:
            expect(count).to_have_count(0)
        else:
            expect(count).to_have_text(left)
        scribe.key("acknowledge")
    expect(band(scribe.page)).to_be_hidden()


def test_a_notice_waits_over_a_reload_and_reaches_a_tablet_that_was_cut_off(
    new_context: NewContext, site: Site, match_id: str
) -> None:
    context = new_context(expects_errors=True)
    page = context.new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    context.set_offline(True)
    rule(site, match_id, ("slow_play.warned", {"seat": "one"}))
    page.wait_for_timeout(300)
    expect(band(page)).to_be_hidden()
    context.set_offline(False)
    expect(band(page).locator(".said")).to_have_text("Director: Ada is warned: play faster.")
    page.reload()
    expect(band(page).locator(".said")).to_have_text("Director: Ada is warned: play faster.")
    # Without a network it is taken note of as well; the entry goes when it can.
    context.set_offline(True)
    Scribe(page).key("acknowledge")
    expect(band(page)).to_be_hidden()
    assert site.entries(match_id)[-1]["tag"] == "slow_play.warned"
    context.set_offline(False)
    Scribe(page).settle()
    assert site.entries(match_id)[-1]["tag"] == "notice.acknowledged"


def test_a_ruling_that_chooses_a_reading_is_told_in_the_tables_language(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    scribe.page.goto("/tablet?lang=de")
    rolled = entry(site, match_id, "dice.opening_rolled")
    answers = [{"question": {"topic": "dice.validity", "at": rolled}, "reading": "void"}]
    rule(site, match_id, ("ruling.made", {"answers": answers}))
    expect(band(scribe.page).locator(".said")).to_have_text(
        "Turnierleitung: Entscheid: Ob ein Wurf zählt: nichtig"
    )


def test_under_a_freeze_the_board_is_pale_and_what_is_entered_is_kept_and_marked(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    rolled = entry(site, match_id, "dice.opening_rolled")
    [dispute] = rule(site, match_id, ("dispute.raised", {"by": "one", "frozen_at": rolled}))
    expect(band(page)).to_contain_text(FROZEN)
    # A player has said so at this table: nobody there is asked whether it was heard.
    expect(page.locator('[data-act="acknowledge"]')).to_have_count(0)
    assert float(opacity(page)) < 0.7
    draw(page)
    for word in ("13", "7", "8", "7"):
        scribe.point(ONE, word)
    scribe.key("played")
    scribe.settle()
    assert site.entries(match_id)[-1]["tag"] == "play.made"
    expect(page.locator(".lines li").first).to_contain_text("while a ruling is awaited")
    shot(page, "tablet-frozen")
    check_axe(page)
    rule(site, match_id, ("ruling.made", {"dispute": dispute, "decision": "The roll stands"}))
    expect(band(page).locator(".said")).to_have_text("Director: Ruling: The roll stands")
    expect(band(page)).not_to_contain_text(FROZEN)
    assert float(opacity(page)) == 1
    # It was made meanwhile, and stays marked; what comes now is not.
    expect(page.locator(".lines .under")).to_have_count(1)
    scribe.key("acknowledge")
    scribe.dice(4, 2)
    scribe.settle()
    expect(page.locator(".lines .under")).to_have_count(1)


def opacity(page: Page) -> str:
    found: str = page.evaluate(
        "getComputedStyle(document.querySelector('tb-board svg.board')).opacity"
    )
    return found


LONG = "The roll stands because both dice lay flat on the right side of the board. " * 8


SIZES = [(1180, 820), (1024, 768), (768, 1024), (1280, 752), (390, 844)]


def test_the_longest_notice_lies_over_no_key_and_reads_whole(
    scribe: Scribe, site: Site, match_id: str
) -> None:
    page = scribe.page
    rolled = entry(site, match_id, "dice.opening_rolled")
    rule(
        site,
        match_id,
        ("dispute.raised", {"by": "two", "frozen_at": rolled}),
        ("penalty.assessed", {"seat": "one", "points": 1}),
        ("ruling.made", {"decision": LONG, "dispute": entry(site, match_id, "game.started")}),
    )
    expect(band(page).locator(".badge.number")).to_have_text("1 of 2")
    expect(band(page)).to_contain_text("Ruling awaited")
    for size in SIZES:
        resized(page, size)
        shot(page, f"tablet-notice-{size[0]}")
    scribe.key("acknowledge")
    expect(band(page)).to_contain_text("both dice lay flat")
    for size in SIZES:
        resized(page, size)
        shot(page, f"tablet-notice-long-{size[0]}")
        reads_whole(page)
        check_axe(page)
        if size[0] > 400:
            check_targets(page)
    scribe.key("acknowledge")
    expect(band(page)).to_contain_text(FROZEN)
    for size in SIZES:
        resized(page, size)
        if size[0] > 400:
            check_targets(page)


def resized(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    draw(page)


def reads_whole(page: Page) -> None:
    """No key lies under the notice, and its words can be scrolled to their end."""
    hit = page.evaluate(
        """() => [...document.querySelectorAll('.recorder button')]
          .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('.lines'))
          .filter((e) => {
            e.scrollIntoView({block: 'nearest'});
            const box = e.getBoundingClientRect();
            const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return at === null || (at !== e && !e.contains(at) && !at.contains(e));
          }).map((e) => e.outerHTML.slice(0, 100))"""
    )
    assert not hit, "\n".join(hit)
    said = page.locator(".notices .said")
    said.evaluate("(e) => { e.scrollTop = e.scrollHeight; }")
    assert said.evaluate("(e) => e.scrollTop + e.clientHeight >= e.scrollHeight - 1")


class Hall:
    """A match on a tablet, and the director in the room."""

    def __init__(self, site: Site, contexts: list[BrowserContext]) -> None:
        self.site = site
        self.match = site.open_match(length=3, table="4", rule_set="common")
        tablet, self.room = (context.new_page() for context in contexts)
        open_tablet(tablet, site, self.match)
        self.scribe = Scribe(tablet)
        self.scribe.key("next_game")
        self.scribe.opening(6, 1)
        self.scribe.settle()
        self.room.goto(f"/room/{LOG}")
        expect(self.room.locator("#room-age")).to_have_class("badge good")


@pytest.fixture
def hall(site: Site, new_context: NewContext, sign_in: SignIn) -> Hall:
    contexts = [new_context() for _ in range(2)]
    sign_in(contexts[1])
    return Hall(site, contexts)


def test_the_director_rules_the_table_reads_it_takes_note_and_the_room_shows_when(
    hall: Hall,
) -> None:
    room, tablet = hall.room, hall.scribe.page
    hall.scribe.key("call")
    room.get_by_role("button", name="On my way").tap()
    said = band(tablet).locator(".said")
    expect(said).to_have_text("Director: I am on my way to your table.", timeout=5_000)
    told = room.locator(".told")
    expect(told).to_contain_text("not yet acknowledged")
    hall.scribe.key("acknowledge")
    expect(told).to_contain_text(re.compile(r"acknowledged at \d\d:\d\d"))
    room.get_by_role("button", name="Rule", exact=True).first.tap()
    dialog = room.get_by_role("dialog")
    dialog.get_by_label("Decision").fill("The roll stands")
    dialog.get_by_role("button", name="Rule", exact=True).tap()
    expect(dialog).to_have_count(0)
    expect(said).to_have_text("Director: Ruling: The roll stands", timeout=5_000)
    expect(told.locator("li").first).to_contain_text("not yet acknowledged")
    shot(room, "room-told")
    hall.scribe.key("acknowledge")
    expect(told).not_to_contain_text("not yet")
    expect(told.locator("li")).to_have_count(2)
    hall.scribe.settle()
    tags = [one["tag"] for one in hall.site.entries(hall.match)]
    assert tags[-4:] == [
        *("moment.marked", "notice.acknowledged"),
        *("ruling.made", "notice.acknowledged"),
    ]
    check_axe(room)


# -- said twice, the same ----------------------------------------------------------------------


@pytest.fixture
def bare(chromium: Browser) -> Iterator[Page]:
    """A page that has the modules, and no archive."""
    with modules.served() as url:
        context = chromium.new_context(base_url=url)
        page = context.new_page()
        page.goto("/")
        yield page
        context.close()


ACTS: tuple[Any, ...] = (
    lambda last: dispute.DirectorCalled(),
    lambda last: corrections.MomentMarked(target=last),
    lambda last: penalty.PenaltyAssessed(seat=ONE, points=1),
    lambda last: penalty.SlowPlayWarned(seat=ONE.other),
    lambda last: dispute.DisputeRaised(by=Actor.ONE),
    lambda last: dispute.DisputeRaised(by=Actor.DIRECTOR, frozen_at=last),
    lambda last: dispute.RulingMade(dispute=last),
    lambda last: dispute.RulingMade(),
    lambda last: dispute.NoticeAcknowledged(target=last),
    lambda last: corrections.EntryRetracted(target=last),
    lambda last: ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=ONE),
    lambda last: ending.ClaimRuled(target=last, holds=False),
    lambda last: ending.ClaimRuled(target=last, holds=True, by=Actor.TWO),
    lambda last: dice.Rolled(seat=ONE, dice=(3, 1)),
    lambda last: clock.ClockAdjusted(seat=ONE, amount_ms=1_000),
)


def test_the_tablet_and_the_server_hold_the_same_for_told_noted_and_frozen(bare: Page) -> None:
    chance = random.Random(8)
    cases = []
    for _ in range(120):
        table = Table()
        for _ in range(chance.randrange(1, 24)):
            events = table.events
            table.record(chance.choice(ACTS)(chance.choice(events).entry_id))
            if chance.random() < 0.2 and len(events) > 3:
                target = chance.choice(events)
                if target.tag == "penalty.assessed":
                    table.amend(target.entry_id, penalty.PenaltyAssessed(seat=ONE, points=3))
                if isinstance(target.payload, match.MatchOpened):
                    length = chance.choice((None, 5, 7))
                    table.amend(target.entry_id, replace(target.payload, length=length))
        shown = table.replay
        known = freezes(shown)
        entries = [
            {
                "entry_id": event.entry_id,
                "version": event.version,
                "tag": event.tag,
                "basis": event.basis.value,
                "body": json.loads(catalogue.encode(event.payload)),
                "state": "sent",
            }
            for event in table.events
        ]
        waiting = [one.event.entry_id for one in notices(shown) if one.acknowledged is None]
        marked = [step.event.version for step in shown.steps if frozen_by(known, step.event)]
        cases.append([entries, waiting, [one.settled for one in known], marked])
    assert any(case[1] for case in cases)
    assert any(case[3] for case in cases)
    differing = bare.evaluate(
        """async (cases) => {
          const { standing } = await import("/static/fold/standing.js");
          const { waitingNotices } = await import("/static/fold/notices.js");
          const { freezes, isFrozen } = await import("/static/fold/freezing.js");
          return cases.flatMap(([entries, waiting, settled, marked]) => {
            const stands = standing(entries);
            const known = freezes(stands);
            const found = [
              waitingNotices(stands, entries).map((one) => one.entry_id),
              known.map((one) => one.settled),
              stands.filter((one) => isFrozen(known, one)).map((one) => one.version),
            ];
            const wanted = [waiting, settled, marked];
            return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [[found, wanted]];
          });
        }""",
        cases,
    )
    assert differing == []


def test_a_line_that_is_opened_again_and_again_leaves_no_listener_behind(bare: Page) -> None:
    left = bare.evaluate(
        """async () => {
          const later = setTimeout;
          globalThis.setTimeout = (work, ms, ...more) => later(work, Math.min(ms, 20), ...more);
          const { listen } = await import("/static/device/sync/hearing.js");
          const control = new AbortController();
          const { signal } = control;
          let count = 0;
          const add = signal.addEventListener.bind(signal);
          const drop = signal.removeEventListener.bind(signal);
          signal.addEventListener = (...given) => ((count += 1), add(...given));
          signal.removeEventListener = (...given) => ((count -= 1), drop(...given));
          let opened = 0;
          const after = () => ((opened += 1), 0);
          const heard = () => {};
          const ended = listen({ path: "/nowhere", token: "x", after, heard, signal });
          while (opened < 8) await new Promise((done) => later(done, 10));
          const most = count;
          control.abort();
          await ended;
          return [most, count];
        }"""
    )
    # One at most waits while the line is open or pauses, however often it was opened.
    assert left[0] <= 1
    assert left[1] <= 0
