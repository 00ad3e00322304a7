"""A match, a sign-in and a ruling by keyboard only, without touch or mouse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from events.envelope import RecordedEvent
from events.payloads import cube, dice, match, play
from events.payloads.base import Payload
from events.values import BAR, OFF, ONE, TWO, Seat
from projections.board import hops
from projections.replay import replay
from tests.api.exchange.recorded import entry_id
from tests.web.conftest import LOG, NewContext, Site
from tests.web.tablet_rig import Scribe, draw, open_tablet, place_of
from tests.web.test_room import ASLANT, FLAT, play_a_little
from tests.web.test_room import record as record_of
from tests.web.test_tablet import WARNING, everything_said, standing_plays
from tests.web.test_whole_match import _tag, by_chance, facts, record, recorded_on, turn_of

pytestmark = pytest.mark.warm

WATCH = """
  window.touches = [];
  for (const name of ["pointerdown", "mousedown", "touchstart", "click"]) {
    addEventListener(name, (event) => {
      // A key that is pressed clicks too: that click comes from the browser, and has no place.
      const isOfAKey = name === "click" && event.isTrusted && event.detail === 0;
      if (!isOfAKey) window.touches.push(name);
    }, {capture: true});
  }
"""
"""Whether anything but the keyboard was used."""

HAS_FOCUS = "() => ![null, document.body].includes(document.activeElement)"

PLACE = "document.activeElement.dataset.place ?? null"

COLUMNS = """() => Object.fromEntries(
  [...document.querySelectorAll('tb-board rect.column')].map((one) => {
    const {x, y, width} = one.getBBox();
    return [one.dataset.place, [y > 0, x + width / 2]];
  }))"""
"""Each place of the board with whether it is below and where across."""

MATCHES = pytest.mark.parametrize(
    ("seed", "length"), [(203, 2), pytest.param(2, 3, marks=pytest.mark.long)]
)
"""Two games, and four, with doubles taken and passed, dances, hits, bear-offs, forced plays."""

RING = """() => {
  const focused = document.activeElement;
  // A box or a radio key may be drawn by its label.
  const drawn = [focused, focused.closest('label')].filter(Boolean);
  const shown = drawn.map((one) => getComputedStyle(one));
  const isWide = (width) => parseFloat(width) >= 2;
  const isRung = shown.some((one) => one.outlineStyle !== 'none' && isWide(one.outlineWidth));
  const isStroked = shown[0].stroke !== 'none' && isWide(shown[0].strokeWidth);
  return focused.matches(':focus-visible') && (isRung || isStroked);
}"""


def rung(page: Page) -> None:
    """The focus is seen."""
    assert page.evaluate(RING), page.evaluate("document.activeElement.outerHTML")


def tab_to(page: Page, wanted: Locator) -> None:
    """By the tab key to an element; it must show that it has the focus."""
    expect(wanted).to_be_attached()
    for _ in range(150):
        if wanted.evaluate("(one) => one === document.activeElement"):
            return rung(page)
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not lead to {wanted}")


KEYS = {"next_game": "n", "double": "c", "played": "p", "twice": "x", "as_played": "a"}
KEYS_OF = {"take": "t", "pass": "p", "confirm": "y"}


class Typist(Scribe):
    """Presses keys instead of touching: `taps` are key presses.

    Seat one's plays go by the arrow keys, seat two's by the numbers of the points.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.arrows: list[int] = []
        self.columns: dict[str, tuple[bool, float]] = {}

    def press(self, *keys: str) -> None:  # type: ignore[override]
        """Keys, and then the focus is somewhere."""
        for key in keys:
            self.taps += 1
            self.page.keyboard.press(key)
        self.page.wait_for_function(HAS_FOCUS)

    def key(self, act: str) -> None:
        expect(self.page.locator(f'.recorder [data-act="{act}"]:visible').first).to_be_enabled()
        self.press(KEYS[act])

    def key_of(self, seat: Seat, act: str) -> None:
        key = self.page.locator(f'.player[data-seat="{seat.value}"] [data-act="{act}"]')
        expect(key).to_be_visible()
        self.press(KEYS_OF[act])
        expect(key).to_have_count(0)

    def opening(self, one: int, two: int) -> None:
        expect(self.page.locator(".opening")).to_be_visible()
        self.press(str(one), str(two))

    def dice(self, one: int, two: int) -> None:
        self.press(str(one), str(two))

    def point(self, seat: Seat, word: str) -> None:
        place = place_of(seat, word)
        if seat is ONE:
            # Where the focus is: a number typed just before may still take it there.
            expect(self.page.locator(".tick.here[data-busy=false]")).to_be_attached()
            draw(self.page)
            self.press(*self.way_to(place), "Enter")
            assert self.page.evaluate(PLACE) == place
        elif word in ("bar", "off"):
            self.press(word[0])
        else:
            # As the one who plays sees them, which is how they are numbered then.
            self.press(".", *word, *(["Enter"] if word in ("1", "2") else []))

    def way_to(self, place: str) -> list[str]:
        """The arrows from where the focus is to a place."""
        self.columns = self.columns or self.page.evaluate(COLUMNS)
        here = self.page.evaluate(PLACE)
        # The tab key leads to the board too, as far as it takes.
        if here is None and not self.arrows:
            tab_to(self.page, self.page.locator("tb-board [data-place][tabindex='0']").first)
            here = self.page.evaluate(PLACE)
        if here is None:
            # Whichever arrow: it only leads to the board.
            self.press("ArrowUp")
            here = self.page.evaluate(PLACE)
            rung(self.page)
        (is_below, x), (goes_below, to_x) = self.columns[here], self.columns[place]
        between = sorted({at for _, at in self.columns.values()})
        steps = between.index(to_x) - between.index(x)
        across = ["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps)
        up_or_down = [] if is_below == goes_below else ["ArrowDown" if goes_below else "ArrowUp"]
        self.arrows.append(len(up_or_down + across))
        return up_or_down + across


def a_match_with_everything(seed: int, length: int) -> list[RecordedEvent]:
    """A match by chance in which the first double is taken, long enough for all its games.

    `length` is that of the match by chance, in points; the double makes this one longer.
    """
    made: list[Payload] = []
    rolls = 0
    for event in by_chance(seed, length=length):
        if isinstance(event.payload, dice.Rolled):
            rolls += 1
            # The one who is doubled here turns the cube later in the game.
            if rolls == 2:
                offered = event.payload.seat
                made += [cube.DoubleOffered(seat=offered), cube.DoubleTaken(seat=offered.other)]
        made.append(event.payload)
    events = [
        RecordedEvent(version, entry_id(version), _tag_of(one), event.basis, one)
        for version, one in enumerate(made, 1)
    ]
    scores = [told[3] for told in facts([*events]) if told[0] == "won"]
    assert max(scores[-2]) < max(scores[-1])
    opened = msgspec.structs.replace(made[0], length=max(scores[-1]))  # type: ignore[type-var]
    return [msgspec.structs.replace(events[0], payload=opened), *events[1:]]


def _tag_of(payload: Payload) -> str:
    return "cube.double_taken" if isinstance(payload, cube.DoubleTaken) else _tag(payload)


def kinds_of(events: Sequence[RecordedEvent]) -> dict[str, int]:
    """How often everything happens that a tablet has to take."""
    found = dict.fromkeys(
        ("games", "taken", "passed", "doublets", "dances", "hits", "bar", "off", "forced"), 0
    )
    for step in replay(events).steps:
        payload = step.event.payload
        found["games"] += isinstance(payload, match.GameStarted)
        found["taken"] += isinstance(payload, cube.DoubleTaken)
        found["passed"] += isinstance(payload, cube.DoubleDropped)
        found["doublets"] += isinstance(payload, dice.Rolled) and len({*payload.dice}) == 1
        if isinstance(payload, play.PlayMade):
            found["dances"] += not payload.moves
            found["bar"] += any(move.from_point == BAR for move in payload.moves)
            found["off"] += any(move.to_point == OFF for move in payload.moves)
            found["hits"] += bool(step.hits)
            turn = turn_of(step)
            legal = hops.every_legal(turn.position.own, turn.position.other, turn.dice)
            found["forced"] += len(legal) == 1
    return found


def pair_by_keys(page: Page, site: Site, match_id: str) -> str:
    """Type the code where the page asks for one; the director approves. The device's name."""
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match_id})
    assert made.status_code == 201, made.text
    page.goto("/tablet")
    expect(page.get_by_label("Code")).to_be_focused()
    rung(page)
    page.keyboard.type(made.json()["code"])
    page.keyboard.press("Tab")
    page.keyboard.type("Table 4")
    page.keyboard.press("Enter")
    expect(page.locator(".fingerprint li")).to_have_count(4)
    path = f"/logs/{LOG}/pairings/{made.json()['pairing_id']}/approval"
    with site.http(site.director) as director:
        approved = director.post(path, json={"match": match_id})
    expect(page.locator(".badge.role")).to_have_text("Scribe")
    device: str = approved.json()["device"]
    return device


class Straying(Typist):
    """Now and then misreads, and puts it right: the match that stands is the same."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.rolled = 0
        self.said = 0
        self.voided: list[tuple[int, int]] = []

    def dice(self, one: int, two: int) -> None:
        self.rolled += 1
        super().dice(one, two)
        if self.rolled == 3:
            self._takes_the_roll_back()
            super().dice(one, two)
        if self.rolled == 6:
            self._calls_the_roll_void()
            self.voided.append((one, two))
            super().dice(one, two)

    def point(self, seat: Seat, word: str) -> None:
        self.said += 1
        if self.said == 5:
            self._is_drawn()
            told = self.page.locator(".so-far .play").inner_text()
            super().point(seat, "24")
            expect(self.page.locator(".so-far .play")).not_to_have_text(told)
            self.press("u")
            expect(self.page.locator(".so-far .play")).to_have_text(told)
        super().point(seat, word)

    def _is_drawn(self) -> None:
        """Every key so far is taken, and the frame that shows it is painted."""
        expect(self.page.locator(".tick.here[data-busy=false]")).to_be_attached()
        draw(self.page)

    def _takes_the_roll_back(self) -> None:
        expect(self.page.locator(".next")).to_have_text(re.compile("to play"))
        self.press("u")
        expect(self.page.locator(".next")).to_have_text(re.compile("to roll"))

    def _calls_the_roll_void(self) -> None:
        expect(self.page.locator(".next")).to_have_text(re.compile("to play"))
        self.press("g")
        sheet = self.page.get_by_role("dialog")
        expect(sheet.locator(".first [data-sheet=void]")).to_be_focused()
        self.press("Enter")
        expect(sheet.get_by_role("button", name="Cocked")).to_be_focused()
        rung(self.page)
        self.press("Enter")
        expect(sheet).to_have_count(0)
        expect(self.page.locator(".next")).to_have_text(re.compile("to roll"))
        self.page.wait_for_function(HAS_FOCUS)


@MATCHES
def test_a_whole_match_is_recorded_by_keyboard_alone_and_nobody_is_helped(
    new_context: NewContext, site: Site, seed: int, length: int
) -> None:
    events = a_match_with_everything(seed, length)
    assert all(kinds_of(events).values()), kinds_of(events)
    opened = events[0].payload
    context = new_context(has_touch=False)
    context.add_init_script(WATCH)
    page = context.new_page()
    match_id = site.open_match(length=opened.length)
    device = pair_by_keys(page, site, match_id)
    typist = Straying(page)
    told: set[str] = set()
    record(typist, events, after_each=lambda: told.update(everything_said(page).splitlines()))
    assert len(told) > 100
    assert not [line for line in told if re.search(WARNING, line, re.IGNORECASE)]
    expect(page.locator(".next")).to_have_text("The match is over")
    for seat in (ONE, TWO):
        typist.key_of(seat, "confirm")
    typist.settle()
    recorded = recorded_on(site, match_id)
    assert without(typist.voided, facts(recorded)) == facts(events)
    tags = [entry["tag"] for entry in site.entries(match_id)]
    assert tags.count("entry.retracted") == 1
    assert tags.count("dice.voided") == 1
    assert tags.count("score.noted") == 2 * kinds_of(events)["games"]
    assert tags.count("result.reported") == 2
    assert tags[-1] == "match.ended"
    turns = sum(isinstance(event.payload, play.PlayMade) for event in events)
    mean = sum(typist.arrows) / len(typist.arrows)
    print(f"{typist.taps / turns:.1f} keys a turn, {mean:.1f} arrows to a point")

    # And on to the next board, which the director gives.
    players = {"one": [{"name": "Cy"}], "two": [{"name": "Di"}]}
    following = site.open_match(length=1, players=players)
    page.keyboard.press("n")
    expect(page.get_by_role("heading")).to_have_text("Table 4: nothing yet")
    tab_to(page, page.get_by_role("button", name="Back to the last match"))
    lease = {"match": following, "device": device}
    with site.http(site.director) as director:
        answer = director.post(f"/logs/{LOG}/leases", json=lease)
    assert answer.status_code == 201, answer.text
    expect(page.locator(".player.bottom .name")).to_have_text("Cy")
    typist.key("next_game")
    typist.opening(3, 1)
    typist.press("d", "m")
    typist.settle()
    assert [entry["tag"] for entry in site.entries(following)][1:] == [
        "game.started",
        "dice.opening_rolled",
        "director.called",
        "moment.marked",
    ]
    assert page.evaluate("window.touches") == []


def without(voided: Sequence[tuple[int, int]], told: Sequence[Any]) -> list[Any]:
    """The facts without the rolls that did not count, each of which came again at once."""
    left = list(told)
    for one, two in voided:
        twice = next(
            at
            for at, (roll, again) in enumerate(pairwise(left))
            if roll == again and roll[0] == "roll" and roll[2:] == tuple(sorted((one, two)))
        )
        del left[twice]
    return left


# The director's room.


def enter(page: Page) -> None:
    """The focused key; whatever comes of it, the focus is somewhere."""
    page.keyboard.press("Enter")
    page.wait_for_function(HAS_FOCUS)


def open_question(site: Site) -> str:
    """A match with a roll that its rule set leaves to a person, and a call about it."""
    match_id = site.open_match(table="1", length=7, rule_set="biba-2014")
    play_a_little(site, match_id)
    roll = {"seat": "one", "dice": [4, 1], "observations": [ASLANT, FLAT]}
    record_of(site, match_id, ("dice.rolled", roll), ("director.called", {"by": "two"}))
    return match_id


def test_a_director_signs_in_follows_a_call_and_rules_by_keyboard_alone(
    new_context: NewContext, site: Site
) -> None:
    match_id = open_question(site)
    context = new_context(has_touch=False)
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(f"/room/{LOG}")
    tab_to(page, page.get_by_label("Token", exact=True))
    page.keyboard.type(site.director)
    page.keyboard.press("Enter")
    expect(page.locator("#room-age")).to_have_class("badge good")

    tab_to(page, page.get_by_role("button", name="On my way"))
    enter(page)
    expect(page.locator("tb-board")).to_be_visible()
    page.wait_for_function(HAS_FOCUS)
    # The call is entry 8; that the director is on the way is the newest, where the panel stands.
    expect(page.locator(".steps")).to_contain_text("entry 9 of 9")
    assert site.entries(match_id)[-1]["tag"] == "moment.marked"

    question = page.locator(".question").filter(has=page.get_by_role("button", name="Rule"))
    expect(question).not_to_have_count(0)
    asked = question.count()
    tab_to(page, question.first.get_by_role("button", name="Rule"))
    enter(page)
    dialog = page.get_by_role("dialog")
    tab_to(page, dialog.locator("input[name=reading]").first)
    page.keyboard.press("Space")
    expect(dialog.locator("input[name=reading]").first).to_be_checked()
    tab_to(page, dialog.get_by_label("Decision"))
    page.keyboard.type("rolled again")
    tab_to(page, dialog.get_by_role("button", name="Rule"))
    enter(page)
    expect(dialog).to_have_count(0)
    expect(question).to_have_count(asked - 1)
    page.wait_for_function(HAS_FOCUS)
    ruled = site.entries(match_id)[-1]
    assert ruled["tag"] == "ruling.made"
    assert ruled["body"]["answers"][0]["reading"]

    tab_to(page, page.get_by_role("link", name="Replay"))
    page.keyboard.press("Enter")
    expect(page.locator("#viewer[data-ready]")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".said")).to_contain_text("Ruling: whether a roll counts: ")
    assert page.evaluate("window.touches") == []


KEYED = """(keys) => {
  for (const key of keys) {
    const options = { key, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', options));
  }
}"""
"""Keys faster than anything is done about the first of them."""


def test_a_point_by_its_number_does_not_call_back_who_has_gone_on_by_arrows(
    page: Page, site: Site
) -> None:
    open_tablet(page, site, site.open_match(length=3))
    page.keyboard.type("n61")
    expect(page.locator(".next")).to_have_text("Ada to play")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    page.evaluate(KEYED, [".", "8", "ArrowRight", "ArrowRight"])
    expect(page.locator(".tick.here[data-busy=false]")).to_be_attached()
    expect(page.locator(".so-far .play")).to_be_visible()
    draw(page)
    reached = page.evaluate(PLACE)
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(PLACE) == reached


def test_the_question_about_an_earlier_play_is_answered_by_two_keys(page: Page, site: Site) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    keyboard, asked = page.keyboard, page.locator(".question .asked")
    note = page.locator(".note")
    keyboard.type("n61")
    expect(page.locator(".next")).to_have_text("Ada to play")
    keyboard.type("q")
    expect(note).to_have_text("nothing is asked")
    # No question, no answer: the digits are dice again.
    keyboard.type("31")
    expect(asked).to_have_text("Ada 61: no play entered.")
    keyboard.type("q")
    expect(note).to_have_text("which answer: 1 to 3?")
    # Whatever is no number of an answer means what it always does.
    keyboard.type("q")
    keyboard.press("Escape")
    expect(note).to_have_text("")
    keyboard.type("q9")
    expect(asked).to_be_visible()
    keyboard.type("q2")
    expect(page.locator(".question")).to_be_hidden()
    expect(page.locator(".so-far .die")).to_have_text(["3", "1"])
    keyboard.type(".2142")
    expect(asked).to_contain_text("Ada 31")
    choices = page.locator(".question [data-act=choose]")
    wanted = choices.nth(1).text_content()
    keyboard.type("q2")
    expect(page.locator(".question")).to_be_hidden()
    expect(page.locator(".lines li").first).to_contain_text(f"31: {wanted}")
    Scribe(page).settle()
    [play] = standing_plays(site, match_id)
    assert play["confirmed"] == "chosen"
