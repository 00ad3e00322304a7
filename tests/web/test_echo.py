"""What is entered at the tablet is shown in list and turn, and announced to screen readers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from events.catalogue import KINDS
from events.payloads.access import Role, ScopeKind
from projections.custody.access import Grant
from tests.web.table_rig import OPENED, TableRig, act, rig


@pytest.fixture(scope="module")
def _rig(chromium: Browser) -> Iterator[TableRig]:
    with rig(chromium) as found:
        yield found


@pytest.fixture
def tablet(_rig: TableRig) -> Iterator[TableRig]:
    """The page; each test starts its own table, and finds no taps of the test before."""
    yield _rig
    _rig.no_errors()
    _rig.page.evaluate("localStorage.clear()")


ROLLED = act("dice.opening_rolled", one=3, two=1)
PLAYED = act("play.made", seat="one", moves=[[8, 5], [6, 5]])
CLOCK = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
TIMED = [
    {**OPENED[0], "body": {**OPENED[0]["body"], "clock_terms": CLOCK}},
    OPENED[1],
    act("clock.set", kind="simple", reserve_ms={"one": 600_000, "two": 600_000}, delay_ms=12_000),
]


TOUCH = """(key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  document.elementFromPoint(x + width / 2, y + height / 2).click();
}"""
"""A finger on a key, as the page takes it: what is inert takes none."""

TOUCHED_TWICE = f"""async (key) => {{
  const touch = {TOUCH};
  touch(key);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
  touch(key);
}}"""
"""The second time when the first is painted, by the page itself: who asks for it may be late."""


def test_an_opening_tie_is_said(tablet: TableRig) -> None:
    tablet.start()
    tablet.do("openingRoll(4, 4)")
    assert tablet.lines[0] == "Opening roll 4–4: a tie, thrown again"
    tablet.do("openingRoll(2, 2)")
    assert tablet.lines[:2] == [
        "Opening roll 2–2: a tie, thrown again",
        "Opening roll 4–4: a tie, thrown again",
    ]
    assert any("Opening roll 2–2: a tie" in one for one in tablet.heard)
    tablet.start(act("dice.opening_rolled", one=4, two=4), language="de")
    assert tablet.lines[0] == "Eröffnungswurf 4–4: gleich, es wird neu geworfen"


def test_dice_are_said_when_they_are_thrown_and_not_with_their_play_alone(
    tablet: TableRig,
) -> None:
    tablet.start()
    tablet.do("openingRoll(3, 1)")
    assert tablet.heard[-1] == "Dice of Ada: 3 and 1. Ada to play"
    for place in ("tap('8')", "tap('5')", "tap('6')", "tap('5')"):
        tablet.do(place)
    assert "Dice" not in tablet.heard[-1]
    tablet.do("roll([5, 2])")
    assert tablet.heard[-1].endswith("Dice of Ben: 5 and 2. Ben to play")
    tablet.do("undo()")
    assert "Dice" not in tablet.heard[-1]
    tablet.do("roll([5, 2])")
    assert tablet.heard[-1].endswith("Dice of Ben: 5 and 2. Ben to play")


def test_who_listens_hears_that_the_board_was_taken_and_given_back(tablet: TableRig) -> None:
    tablet.start(ROLLED)
    for role, said in (
        ("none", "This tablet no longer records this board"),
        ("scribe", "Ada to play"),
    ):
        tablet.page.evaluate(
            """(role) => {
              table.outbox.status = { ...table.outbox.status, role };
              table.outbox.dispatchEvent(new Event("change"));
            }""",
            role,
        )
        tablet.settle()
        assert tablet.heard[-1] == said


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Ben 42 void: Cocked"), ("de", "Ben 42 ungültig: Schief")],
)
def test_a_void_is_said_with_dice_and_reason(tablet: TableRig, language: str, said: str) -> None:
    tablet.start(ROLLED, PLAYED, language=language)
    roll = tablet.record("dice.rolled", seat="two", dice=[4, 2])
    tablet.record("dice.voided", seat="two", reason="cocked", target=roll, contested=False)
    assert tablet.lines[0] == said
    assert any(said in one for one in tablet.heard)


@pytest.mark.parametrize(
    ("language", "comes", "taken", "points"),
    [
        ("en", "The director is on the way", "1:00 taken from the reserve", "1 penalty point"),
        ("de", "Die Turnierleitung ist unterwegs", "1:00 von der Bedenkzeit", "1 Strafpunkt"),
    ],
)
def test_what_the_director_does_is_said_in_its_own_words(
    tablet: TableRig, language: str, comes: str, taken: str, points: str
) -> None:
    tablet.start(ROLLED, PLAYED, language=language)
    call = tablet.record("director.called", by="one")
    tablet.record("moment.marked", target=call)
    assert comes in tablet.lines[0]
    tablet.record("clock.adjusted", seat="one", amount_ms=-60_000)
    assert taken in tablet.lines[0]
    tablet.record("penalty.assessed", seat="one", points=1)
    assert tablet.lines[0].endswith(points)


def test_a_void_of_dice_that_were_not_entered_is_said(tablet: TableRig) -> None:
    tablet.start(ROLLED, PLAYED)
    tablet.record("dice.voided", seat="two", reason="off_board", dice=[6, None], contested=True)
    assert tablet.lines[0] == "Ben 6 void: Off the board, Contested"
    tablet.record("dice.voided", seat="two", reason="on_floor")
    assert tablet.lines[0] == "Ben roll void: On the floor"


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([[8, 4], [4, 3]], "31: 8/4*/3"),
        ([[8, 3]], "31: 8/3"),
        ([[6, 4], [6, 4]], "31: 6/4*(2)"),
        ([[13, 4], [8, 5]], "31: 13/4* 8/5"),
    ],
)
def test_hits_are_said_of_any_play_legal_or_not(
    tablet: TableRig, moves: list[list[int]], said: str
) -> None:
    """Seat two has one checker on seat one's four point."""
    start = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    other = [*start]
    other[24], other[21] = 1, 1
    tablet.start(
        act("position.stated", checkers={"one": start, "two": other}, on_roll="one", dice=[3, 1]),
        act("play.made", seat="one", moves=moves),
    )
    assert tablet.lines[0].split(" ", 1)[1].split(": ", 1)[1] == said.split(": ", 1)[1]


def test_the_turn_so_far_says_its_hits(tablet: TableRig) -> None:
    start = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    other = [*start]
    other[24], other[21] = 1, 1
    stated = act(
        "position.stated", checkers={"one": start, "two": other}, on_roll="one", dice=[5, 3]
    )
    tablet.start(stated)
    for word in ("asPlayed()", "tap('8')", "tap('4')"):
        tablet.do(word)
    assert tablet.so_far == "8/4*"
    assert any("8/4*" in one for one in tablet.heard)


def test_the_roll_that_an_early_roll_replaced_is_said(tablet: TableRig) -> None:
    tablet.start(ROLLED)
    early = tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
    assert tablet.lines[0] == "Ben rolls 42 too early"
    tablet.record("dice.early_roll_answered", answer="redone", target=early, seat="one")
    assert tablet.lines[0] == "Ada has the early 42 thrown again"
    tablet.record("play.made", seat="one", moves=[[8, 5], [6, 5]])
    assert tablet.lines[0] == "Ada 31: 8/5 6/5"
    tablet.record("dice.rolled", seat="two", dice=[6, 5])
    tablet.record("play.made", seat="two", moves=[[24, 18], [18, 13]])
    assert tablet.lines[0] == "Ben 65 (thrown for the early 42): 24/13"


def test_a_roll_after_which_no_play_came_is_said(tablet: TableRig) -> None:
    tablet.start(ROLLED, PLAYED, act("dice.rolled", seat="two", dice=[4, 2]))
    assert tablet.lines[0] == "Ada 31: 8/5 6/5"
    tablet.record("resignation.offered", seat="two", level="gammon")
    assert tablet.lines[:2] == ["Ben offers to resign: Gammon", "Ben rolls 42"]


@pytest.mark.parametrize("answer", ["stands", "only_warned", "no_comment"])
def test_an_early_roll_that_is_not_thrown_again_is_played_by_tapping(
    tablet: TableRig, answer: str
) -> None:
    tablet.start(ROLLED, PLAYED)
    early = tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
    tablet.record("dice.early_roll_answered", answer=answer, target=early, seat="one")
    assert (tablet.table("awaits"), tablet.table("dice")) == ("play", [4, 2])
    assert tablet.heading == "Ben plays the early 42"
    assert (tablet.table("on_roll"), tablet.table("turn_open")) == ("two", None)
    # The dice that lie there are tapped: they are not thrown a second time.
    tablet.do("roll([4, 2])")
    for place in ("asPlayed()", "tap('17')", "tap('21')", "tap('19')", "tap('21')", "played()"):
        tablet.do(place)
    tags = [tag for tag, _ in tablet.entries]
    assert tags.count("dice.rolled") == 0
    assert tags[-1] == "play.made"
    assert tablet.lines[0] == "Ben 42: 8/4 6/4"
    assert (tablet.table("awaits"), tablet.table("on_roll")) == ("roll", "one")
    for _ in range(8):
        tablet.do("undo()")
    assert tablet.table("early") is None


def test_an_early_roll_answered_before_the_play_is_played_after_it(tablet: TableRig) -> None:
    tablet.start(ROLLED)
    early = tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
    tablet.record("dice.early_roll_answered", answer="stands", target=early, seat="one")
    assert tablet.table("dice") == [3, 1]
    for place in ("asPlayed()", "tap('8')", "tap('5')", "tap('6')", "tap('5')", "played()"):
        tablet.do(place)
    assert tablet.lines[0] == "Ada 31: 8/5 6/5"
    assert (tablet.table("dice"), tablet.table("on_roll")) == ([4, 2], "two")


def test_a_play_before_an_early_roll_is_open_until_it_is_said_to_be_all(tablet: TableRig) -> None:
    tablet.start(ROLLED)
    early = tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
    tablet.record("dice.early_roll_answered", answer="stands", target=early, seat="one")
    # Whether the dice allow it, and so whether it is an entry, nobody is told by the roll after it.
    for place in ("tap('8')", "tap('5')", "tap('6')", "tap('5')"):
        tablet.do(place)
    assert tablet.heading == "Ada to play"
    assert [tag for tag, _ in tablet.entries].count("play.made") == 1
    # Touched twice: nobody has said that Ben could not play.
    tablet.key("played").evaluate(TOUCHED_TWICE)
    tablet.settle()
    assert tablet.heading == "Ben plays the early 42"
    assert [tag for tag, _ in tablet.entries].count("play.made") == 1


def test_with_the_clock_running_a_press_or_a_tap_begins_the_early_rolls_play(
    tablet: TableRig,
) -> None:
    for way in ("clock.press('one')", "tap('17')", "roll([4, 2])"):
        tablet.start(ROLLED, act("clock.started", seat="one", at_ms=0), PLAYED, opening=TIMED)
        early = tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
        tablet.record("dice.early_roll_answered", answer="stands", target=early, seat="one")
        assert tablet.table("awaits") == "roll"
        assert "Ben’s early 42 is next" in tablet.heading
        tablet.do(way)
        assert (tablet.table("awaits"), tablet.table("dice")) == ("play", [4, 2]), way
        assert [tag for tag, _ in tablet.entries].count("dice.rolled") == 0


def test_an_early_roll_that_nobody_answered_is_asked_about(tablet: TableRig) -> None:
    tablet.start(ROLLED, PLAYED)
    tablet.record("dice.rolled_early", seat="two", dice=[4, 2])
    assert tablet.heading == "Ben rolled 42 too early. Does it stand?"
    tablet.key("early_redone").tap()
    tablet.settle()
    tag, body = tablet.entries[-1]
    assert (tag, body["answer"], body["seat"]) == ("dice.early_roll_answered", "redone", "one")
    assert tablet.heading == "Ben to roll"
    tablet.do("undo()")
    tablet.key("early_stands").tap()
    tablet.settle()
    assert tablet.heading == "Ben plays the early 42"


def known(**members: Any) -> dict[str, Any]:
    zero = {"one": 0, "two": 0}
    fresh = {"version": 1, "score": zero, "entered": zero, "winner": None, "by": None}
    fresh |= {"rule_set": None, "section": None, "is_flag_open": False}
    return {"known": {**fresh, **members}}


FLAGGED = [ROLLED, act("clock.started", seat="one", at_ms=0), PLAYED]
FLAG = act("clock.flag_noticed", whose="one", noticed_by="two", readings={"one": 0, "two": 600_000})


@pytest.mark.parametrize(
    ("terms", "heading"),
    [
        ({}, "Time has run out for Ada: it is recorded. Call the director."),
        (
            known(version=7, winner="two", by="flag", rule_set="usbgf-2017-07", section="[4.3]"),
            "Ada has lost on time (usbgf-2017-07 [4.3])",
        ),
        (
            known(version=7, is_flag_open=True),
            "Time has run out. What follows is for the director to rule.",
        ),
        (known(version=7), "Time ran out, and the match goes on."),
    ],
)
def test_a_flag_ends_the_time_and_says_no_more_than_is_known(
    tablet: TableRig, terms: dict[str, Any], heading: str
) -> None:
    tablet.start(*FLAGGED, FLAG, terms=terms, opening=TIMED)
    assert tablet.heading == heading
    assert tablet.lines[0] == "Time run out, noticed: Ada"
    plate = tablet.page.locator('.player[data-seat="one"] .clock')
    expect(plate).not_to_have_class("clock running")
    expect(plate).to_contain_text("time out")
    before = plate.text_content()
    tablet.page.wait_for_timeout(700)
    assert plate.text_content() == before


@pytest.mark.parametrize(("language", "said"), [("en", "time out"), ("de", "Zeit abgelaufen")])
def test_a_clock_that_is_stopped_with_nothing_left_says_that_its_time_is_out(
    tablet: TableRig, language: str, said: str
) -> None:
    spent = act("clock.paused", reason="all_clocks", readings={"one": 0, "two": 600_000})
    tablet.start(*FLAGGED, spent, opening=TIMED, language=language)
    plate = tablet.page.locator('.player[data-seat="one"] .clock')
    other = tablet.page.locator('.player[data-seat="two"] .clock')
    expect(plate).to_contain_text(said)
    expect(plate).to_have_attribute("aria-label", re.compile(said))
    expect(other).not_to_contain_text(said)
    # It says nothing of who has won: that hangs on the rules, and on who calls it.
    assert said not in tablet.heading


def test_a_match_lost_on_time_is_ended_by_one_key(tablet: TableRig) -> None:
    lost = known(version=7, winner="two", by="flag", rule_set="usbgf-2017-07", section="[4.3]")
    tablet.start(*FLAGGED, FLAG, terms=lost, opening=TIMED)
    tablet.key("match_ended").tap()
    tablet.settle()
    tag, body = tablet.entries[-1]
    assert (tag, body["winner"]) == ("match.ended", "two")
    assert tablet.table("awaits") == "nothing"
    expect(tablet.page.locator(".area")).to_contain_text("Ben wins the match")


def test_a_break_is_said_and_ended(tablet: TableRig) -> None:
    tablet.start()
    tablet.record("break.started", seats=["one", "two"])
    assert tablet.lines[0] == "Break begins: Ada, Ben"
    tablet.record("break.ended", seats=["one"])
    assert tablet.lines[0] == "Break over: Ada"
    tablet.record("delay.noted", seat="two", kind="break", excess_ms=95_000)
    assert tablet.lines[0] == "Ben Lateness noted: End of a break, 1:35"


GOLDEN = Path(__file__).parents[1] / "golden" / "events"

SAID_ELSEWHERE = {
    "clock.pressed": "the plate that runs says it",
    "match.opened": "the heading says it",
    "entry.retracted": "a word under the heading says what was taken back",
    "entry.amended": "the line of what it puts right says it",
    "dice.rolled": "its dice, then the line of its play",
    "dice.opening_rolled": "as any roll, unless it is a tie",
    "player.registered": "is not of this match",
    "appeal.filed": "is filed in the room",
    "notice.acknowledged": "the notice itself goes, its decision has a line",
}

_SAYING = """
async (acts) => {
  const { fold } = await import("/static/fold/fold.js");
  const { lastLines } = await import("/static/tablet/acts/words.js");
  const names = { one: "Ada", two: "Ben" };
  return acts.map(({ tag, body }) => {
    const entries = [
      { tag: "match.opened", body: { players: {}, length: 5 } }, { tag: "game.started", body: {} },
      { tag, body },
    ].map((act, at) => ({ entry_id: String(at), version: at + 1, schema: 1, basis: "observed",
      state: "sent", ...act }));
    const [line] = lastLines(fold(entries), 1, names);
    return [tag, line?.entry.tag ?? "", line?.text ?? ""];
  });
}
"""


def scribes_acts() -> list[dict[str, Any]]:
    """All that a scribe may record, in every shape of its golden file."""
    scribe = Grant("grant", Role.SCRIBE, ScopeKind.LOG, "open")
    tags = [one.tag for one in KINDS if scribe.may_append("open", "match-1", one.tag)]
    found = []
    for tag in tags:
        for path in sorted(GOLDEN.glob(f"{tag}@*.json")):
            bodies = json.loads(path.read_text("utf-8"))["bodies"]
            found += [{"tag": tag, "body": one["body"]} for one in bodies.values()]
    return found


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_that_a_scribe_may_record_has_a_line_in_words(tablet: TableRig, language: str) -> None:
    tablet.start(language=language)
    acts = [one for one in scribes_acts() if one["tag"] not in SAID_ELSEWHERE]
    assert len({one["tag"] for one in acts}) > 50
    for tag, said_of, text in tablet.page.evaluate(_SAYING, acts):
        assert said_of == tag, tag
        assert text, tag
        for left in ("{", "undefined", "null", "NaN", "[object", "tablet.", "echo.", tag):
            assert left not in text, (tag, text)


DRAWN_WHILE_IT_IS_WRITTEN = """async () => {
  const { recorder, outbox } = table;
  const record = outbox.record.bind(outbox);
  outbox.record = async (...act) => {
    recorder.tell();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return record(...act);
  };
  await recorder.undo();
  delete outbox.record;
}"""


def test_a_play_is_told_as_open_while_its_last_tap_is_taken_back(tablet: TableRig) -> None:
    """Where writing takes long, nothing that players see or hear tells that it was an entry."""
    tablet.start(ROLLED)
    tablet.do('tap("5")')
    tablet.do('tap("5")')
    assert tablet.entries[-1][0] == "play.made"
    before, _ = tablet.lines, tablet.heard
    tablet.page.evaluate(DRAWN_WHILE_IT_IS_WRITTEN)
    tablet.settle()
    assert tablet.entries[-1][0] == "entry.retracted"
    assert tablet.lines == before
    assert not [words for words in tablet.heard if "Ben" in words or "Opening" in words]


def test_a_refusal_is_read_aloud_once(tablet: TableRig) -> None:
    tablet.start()
    tablet.do("double()")
    [note] = tablet.page.locator(".note").all_text_contents()
    assert note != ""
    live = tablet.page.locator("[role=status], [role=alert], [aria-live]").all_text_contents()
    assert live.count(note) == 1


def test_a_right_to_left_name_turns_nothing_round_that_stands_behind_it(tablet: TableRig) -> None:
    players = {"one": [{"name": "\u05e9\u05e8\u05d4"}], "two": [{"name": "\u05d3\u05d5\u05d3"}]}
    opened = {**OPENED[0], "body": {**OPENED[0]["body"], "players": players}}
    tablet.start(ROLLED, PLAYED, opening=[opened, OPENED[1]])
    name = tablet.page.locator(".lines b").first
    behind = """(name) => {
      const text = document.createRange();
      text.selectNode(name.nextSibling);
      return [name.getBoundingClientRect().right, text.getBoundingClientRect().left];
    }"""
    right, left = name.evaluate(behind)
    assert right <= left + 1
    said = "import('/static/shared/texts.js').then(({placed}) => placed('{name} 3-1', {name: 'X'}))"
    found = tablet.page.evaluate(said.replace("X", "\u05e9"))
    assert found == "\u05e9\N{LEFT-TO-RIGHT MARK} 3-1"
