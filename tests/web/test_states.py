"""The rarer states of the tablet: whole at every size, with larger letters, and free for axe.

Its ordinary turn is walked through in `test_layout.py`. Here the screen stands over entries in
memory, so that each state is one list of acts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE
from tests.web.conftest import TABLET, BrowserOf, check_axe, shot
from tests.web.fonts import NARROW, WIDE
from tests.web.table_rig import TableRig, rig
from tests.web.tablet_rig import Scribe
from tests.web.test_layout import CUT, LETTERS, MEASURE

SIZES = [(1024, 768), (768, 1024), (1180, 820), (1280, 752), (390, 844)]

CLOCK = {"kind": "simple", "reserve_ms": 720_000, "delay_ms": 12_000}

PLAYERS = {"one": [{"name": "Ada"}], "two": [{"name": "Christoph Maier"}]}

OPENING: list[dict[str, Any]] = [
    {
        "tag": "match.opened",
        "body": {
            "players": PLAYERS,
            "length": 5,
            "table": "4",
            "clock_terms": CLOCK,
            "appointed_start": "2026-11-20T10:00:00Z",
        },
    },
    {"tag": "game.started", "body": {"number": 1}},
]


def act(tag: str, basis: str = "observed", **body: Any) -> dict[str, Any]:
    return {"tag": tag, "basis": basis, "body": body}


ROLLED = act("dice.opening_rolled", one=6, two=1)
PLAYED = act("play.made", seat="one", moves=[[13, 7], [8, 7]], taps=["played"])
NEXT = act("dice.rolled", seat="two", dice=[3, 1])
GAP = act("play.unseen", "device", seat="one", count=1)
TAPPED = act("play.unseen", "device", seat="one", count=1, written="18")
DISPUTE = act("dispute.raised", by="one", frozen_at="training-3")
RULING = act(
    "ruling.made",
    "ruled",
    decision="The roll stands because both dice lay flat on the right side of the board. " * 4,
    references=[{"rule_set": "usbgf-2017-07", "section": "4.2.3"}],
    intended_action="Ben plays on",
)
SINGLE = act("resignation.offered", seat="two", level="single")
ACCEPTED = act("resignation.accepted", seat="one")

STATES: dict[str, list[dict[str, Any]]] = {
    "question": [ROLLED, GAP, NEXT],
    "which": [ROLLED, TAPPED, NEXT],
    "which-doubled": [ROLLED, TAPPED, act("cube.double_offered", seat="two")],
    "doubled": [ROLLED, PLAYED, act("cube.double_offered", seat="two")],
    "notice": [ROLLED, PLAYED, RULING],
    "notice-which": [ROLLED, TAPPED, NEXT, RULING],
    "freeze": [ROLLED, PLAYED, DISPUTE],
    "freeze-question": [ROLLED, GAP, NEXT, DISPUTE],
    "freeze-notice": [ROLLED, PLAYED, DISPUTE, act("slow_play.warned", "ruled", seat="one")],
    "between": [ROLLED, PLAYED, SINGLE, ACCEPTED],
    "claim": [ROLLED, PLAYED, act("resignation.offered", seat="two"), ACCEPTED],
    "early": [ROLLED, act("dice.rolled_early", seat="two", dice=[4, 2]), PLAYED],
}

NEEDS = {
    "question": ['[data-act="nothing"]', '[data-act="mistyped"]', '[data-act="not_seen"]'],
    "which": ['[data-act="choose"]', '[data-act="another"]'],
    "doubled": ['[data-act="take"]', '[data-act="pass"]'],
    "notice": ['[data-act="acknowledge"]'],
    "between": ['[data-act="confirm"]', '[data-act="next_game"]'],
    "early": ['[data-act="early_stands"]', '[data-act="early_redone"]'],
}
"""What has to be there, by a word of the state's name."""

COVERED = """() => [...document.querySelectorAll(".recorder button")]
  .filter((e) => e.checkVisibility({visibilityProperty: true}))
  .filter((e) => {
    e.scrollIntoView({block: "nearest"});
    const box = e.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return at === null || (at !== e && !e.contains(at));
  }).map((e) => `covered: ${e.outerHTML.slice(0, 100)}`)"""

NAMES = """() => [...document.querySelectorAll(".recorder .player .name")]
  .filter((e) => e.checkVisibility({visibilityProperty: true}))
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 8)
  .map((e) => `a name is cut: ${e.textContent}`)"""


@pytest.fixture(
    scope="module", params=[("en", NARROW, "light"), ("de", WIDE, "dark")], ids=["en", "de"]
)
def _rig(request: pytest.FixtureRequest, browser_of: BrowserOf) -> Iterator[TableRig]:
    language, fonts, theme = request.param
    with rig(browser_of(fonts), color_scheme=theme) as found:
        found.language = language
        yield found


@pytest.fixture
def tablet(_rig: TableRig) -> Iterator[TableRig]:
    """A tablet in memory, in a language, a set of fonts and a theme; its table is the test's."""
    yield _rig
    _rig.no_errors()


def show(tablet: TableRig, state: str) -> Page:
    """The screen in a state."""
    tablet.page.set_viewport_size(TABLET)
    tablet.start(*STATES[state], language=tablet.language, opening=OPENING)
    for name, selectors in NEEDS.items():
        for selector in selectors if name in state.split("-") else []:
            expect(tablet.page.locator(selector).first).to_be_visible()
    # Keys that have just come take no finger yet.
    tablet.page.wait_for_function("document.querySelector('[inert]') === null")
    return tablet.page


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_whole_at_every_size_and_letter_and_has_no_axe_violation(
    tablet: TableRig, state: str
) -> None:
    page = show(tablet, state)
    wrong: list[str] = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        tablet.settle()
        is_tablet = width > 400
        found = page.evaluate(MEASURE, [44 if is_tablet else 24, is_tablet])
        found += page.evaluate(COVERED)
        found += page.evaluate(NAMES) if is_tablet else []
        wrong += [f"{width}x{height}: {one}" for one in found]
        shot(page, f"state-{tablet.language}-{width}-{state}")
        if (width, height) in [(390, 844), (768, 1024)]:
            check_axe(page)
    # Larger letters lose nothing; the same table is drawn, so it is not started again.
    for percent in (150, 200):
        page.evaluate(LETTERS, percent)
        for width, height in [(1024, 768), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            tablet.settle()
            found = page.evaluate(MEASURE, [24, False]) if width > 400 else []
            found += page.evaluate(CUT) + page.evaluate(COVERED)
            wrong += [f"{percent} % {width}x{height}: {one}" for one in found]
            shot(page, f"state-{tablet.language}-{percent}-{width}-{state}")
    assert not wrong, "\n".join(wrong)


AS = """(told) => {
  const { outbox, screen } = window.table;
  outbox.status = { ...outbox.status, ...told };
  outbox.dispatchEvent(new Event("change"));
  screen.draw();
  const board = document.querySelector("tb-board");
  return [board.getBoundingClientRect().top, board.closest("[inert]") !== null];
}"""
"""Draw what the server says of this tablet; where the board is then, and whether it is still."""


def test_a_board_that_an_alarm_moves_takes_no_finger_at_first_and_keeps_its_taps(
    tablet: TableRig,
) -> None:
    page = tablet.page
    page.set_viewport_size({"width": 390, "height": 844})
    tablet.start(ROLLED, opening=OPENING, language=tablet.language)
    page.wait_for_function("document.querySelector('[inert]') === null")
    scribe = Scribe(page)
    scribe.point(ONE, "24")
    tablet.settle()
    at, is_still = page.evaluate(AS, {})
    assert not is_still
    moved, is_still = page.evaluate(AS, {"parked": 1})
    assert moved != at
    assert is_still
    # What another one enters meanwhile, and the band that comes with it, leaves the tap as it is.
    tablet.record("slow_play.warned", seat="one")
    moved, _ = page.evaluate(AS, {"parked": 0, "role": "none"})
    back, is_still = page.evaluate(AS, {"role": "scribe"})
    assert back != moved
    assert is_still
    assert page.evaluate("table.recorder.turn.words") == ["24"]
    scribe.point(ONE, "18")
    tablet.settle()
    assert page.evaluate("table.recorder.turn.words") == ["24", "18"]


@pytest.mark.parametrize("size", [(590, 410), (512, 384), (390, 844), (320, 568)])
def test_no_entry_moves_the_board_of_a_small_screen(
    tablet: TableRig, size: tuple[int, int]
) -> None:
    """An entry that is sent at once shows no count; one that stays does."""
    page = tablet.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    tablet.start(ROLLED, opening=OPENING, language=tablet.language)
    page.wait_for_function("document.querySelector('[inert]') === null")
    at, _ = page.evaluate(AS, {"unsent": 0})
    assert page.evaluate(AS, {"unsent": 1}) == [at, False]
    Scribe(page).point(ONE, "24")
    tablet.settle()
    assert page.evaluate(AS, {"unsent": 2}) == [at, False]
    page.wait_for_function("document.querySelector('.unsent:not([hidden], .soon)') !== null")
    expect(page.locator(".unsent")).to_be_visible()


def test_a_call_that_is_answered_moves_no_key_under_a_finger(tablet: TableRig) -> None:
    page = tablet.page
    page.set_viewport_size({"width": 390, "height": 844})
    tablet.start(ROLLED, opening=OPENING, language=tablet.language)
    at, _ = page.evaluate(AS, {})
    called = tablet.record("director.called")
    moved, _ = page.evaluate(AS, {})
    assert moved != at
    page.wait_for_function("document.querySelector('[inert]') === null")
    act = f"await table.outbox.record('entry.retracted', {{ target: '{called}' }})"
    assert page.evaluate(f"async () => {{ {act}; return ({AS})({{}}); }}") == [at, True]
