"""Entries of the director while a scribe records: undo, sheets, results and the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.web.table_rig import OPENED, TableRig, act, rig

CLOCK = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
START = {"clock_terms": CLOCK, "appointed_start": "2026-11-26T18:00:00Z"}
TIMED = [{**OPENED[0], "body": {**OPENED[0]["body"], **START}}, OPENED[1]]

TOUCH = """(key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  document.elementFromPoint(x + width / 2, y + height / 2).click();
}"""
"""A finger on a key, as the page takes it: what is inert takes none."""


@pytest.fixture(scope="module")
def _rig(chromium: Browser) -> Iterator[TableRig]:
    with rig(chromium) as tablet:
        yield tablet


@pytest.fixture
def tablet(_rig: TableRig) -> Iterator[TableRig]:
    """The page; each test starts its own table, and no taps of another one are kept."""
    yield _rig
    _rig.no_errors()
    _rig.page.evaluate("localStorage.clear()")


def rule(tablet: TableRig, kind: str, /, **body: Any) -> None:
    """The director records something."""
    tablet.page.evaluate(
        "([tag, body]) => table.outbox.record(tag, body, { basis: 'ruled' })", [kind, body]
    )
    tablet.settle()


def lengthen(tablet: TableRig, length: int) -> None:
    """The director edits the match: another length."""
    body = {**OPENED[0]["body"], "length": length}
    rule(tablet, "entry.amended", target="training-1", tag="match.opened", body=body)


def note(tablet: TableRig) -> str:
    return tablet.page.locator(".note").inner_text()


def tags(tablet: TableRig) -> list[str]:
    return [tag for tag, _ in tablet.entries]


ROLLED = act("dice.opening_rolled", one=3, two=1)
WON = [ROLLED, act("game.won", winner="one", points=3, kind="backgammon")]


def test_undo_says_what_it_does_not_reach_behind(tablet: TableRig) -> None:
    tablet.start(opening=TIMED)
    tablet.do("clock.press('one')")
    tablet.do("clock.toggle()")
    before = tags(tablet)
    assert before[-1] == "clock.paused"
    # What stands on a clock that the director has changed was measured with the entries before it.
    rule(tablet, "clock.adjusted", seat="two", amount_ms=-60_000)
    tablet.do("undo()")
    assert tags(tablet)[:-1] == before
    assert "Clock adjusted: 1:00 taken from the reserve" in note(tablet)
    assert "Undo does not reach behind" in note(tablet)
    # What came after it is the scribe's.
    tablet.do("clock.toggle()")
    tablet.do("undo()")
    assert tags(tablet)[-1] == "entry.retracted"
    tablet.start(opening=OPENED[:1])
    tablet.do("undo()")
    assert note(tablet) == "There is nothing to take back. Calls and marks stay."
    tablet.start(*WON)
    tablet.do("score.confirm('one')")
    rule(tablet, "result.posted", winner="one", score={"one": 3, "two": 0})
    tablet.do("undo()")
    assert "Undo does not reach behind" in note(tablet)


def test_a_match_that_the_director_shortens_is_still_to_be_confirmed(tablet: TableRig) -> None:
    tablet.start(*WON)
    tablet.do("score.confirm('one')")
    tablet.do("score.confirm('two')")
    expect(tablet.page.locator(".player .badge.good")).to_have_count(2)
    # Who agreed with a score has not agreed that it decides the match.
    lengthen(tablet, 3)
    assert tablet.heading == "The match is over"
    expect(tablet.page.locator("[data-act=confirm]")).to_have_count(2)
    tablet.do("score.confirm('one')")
    tablet.do("score.confirm('two')")
    assert tags(tablet)[-1] == "match.ended"
    # Its end was a slip: it is recorded again, and nobody has to confirm a second time.
    tablet.do("undo()")
    expect(tablet.page.locator("[data-act=confirm]")).to_have_count(0)
    tablet.key("match_ended").tap()
    tablet.settle()
    assert tags(tablet)[-1] == "match.ended"
    expect(tablet.page.locator("[data-act=match_ended]")).to_have_count(0)
    # Longer again, it is not won: the table is told so, and how it goes on.
    lengthen(tablet, 5)
    expect(tablet.page.locator(".between")).to_contain_text("nobody has won yet")
    tablet.do("undo()")
    assert tablet.heading == "Between games"
    expect(tablet.page.locator("[data-act=next_game]")).to_be_visible()


def test_the_clock_does_once_what_its_key_says_and_nothing_when_all_is_over(
    tablet: TableRig,
) -> None:
    tablet.start(opening=TIMED[:1])
    # Nobody has the turn: whose time should run?
    for script in ("clock.toggle()", "clock.press('two')"):
        tablet.do(script)
        assert ("Whose time runs?" in note(tablet)) is (script == "clock.toggle()")
    assert tags(tablet)[-1] == "clock.started"
    tablet.page.keyboard.press("u")
    tablet.settle()
    count = len(tags(tablet))
    tablet.page.keyboard.press("k")
    tablet.settle()
    assert tags(tablet)[count:] == []
    assert "Whose time runs?" in note(tablet)
    # A finger touches twice: once before the key says something else, once after.
    tablet.do("clock.press('one')")
    key = tablet.key("clock")
    count = len(tags(tablet))
    tablet.page.evaluate("void table.recorder.clock.toggle(); void table.recorder.clock.toggle()")
    tablet.settle()
    key.evaluate(TOUCH)
    tablet.settle()
    assert tags(tablet)[count:] == ["clock.paused"]
    # A key that is held down was struck once.
    tablet.page.keyboard.down("m")
    tablet.page.keyboard.down("m")
    tablet.page.keyboard.up("m")
    tablet.settle()
    assert tags(tablet)[count:].count("moment.marked") == 1
    rule(tablet, "forfeit.declared", seat="two")
    count = len(tags(tablet))
    expect(key).to_have_count(0)
    for script in ("clock.press('one')", "clock.toggle()"):
        tablet.do(script)
        assert note(tablet) == "The match is over."
    assert tags(tablet)[count:] == []


def test_a_sheet_is_of_what_stands_now(tablet: TableRig) -> None:
    page = tablet.page
    tablet.start(ROLLED, act("director.called"))
    page.evaluate("void table.screen.openCall()")
    sheet = page.get_by_role("dialog")
    withdraw = sheet.get_by_role("button", name="Withdraw the call")
    expect(withdraw).to_be_visible()
    # Nothing is filled in: it is drawn anew, and the call that was answered is not taken back.
    rule(tablet, "ruling.made", topic="other", decision="Play on")
    expect(withdraw).to_have_count(0)
    # Whoever types goes on in it, as soon as its keys take anything.
    expect(sheet.locator(".sheet-body button").first).to_be_focused()
    # What is begun stays as it is, and it is said what came meanwhile.
    chosen = sheet.get_by_role("button", name="Ada", exact=True)
    chosen.tap()
    rule(tablet, "penalty.assessed", seat="two", points=1)
    expect(sheet.get_by_role("alert")).to_contain_text("Penalty")
    expect(chosen).to_have_attribute("aria-pressed", "true")
    sheet.get_by_role("button", name="Dice", exact=True).tap()
    expect(sheet).to_have_count(0)
    assert tags(tablet)[-2:] == ["director.called", "moment.marked"]


def test_what_waits_is_not_taken_back_and_another_tablets_board_shows_no_time(
    tablet: TableRig,
) -> None:
    page = tablet.page
    tablet.start(opening=TIMED)
    tablet.do("clock.press('one')")
    tablet.do("openingRoll(3, 1)")
    count = len(tags(tablet))
    park = """(parked) => {
      const { outbox } = table;
      const entries = outbox.entries.filter(({ state }) => state !== "parked");
      outbox.parked = parked ? [{ ...entries.at(-1), entry_id: "waits", state: "parked" }] : [];
      outbox.entries = [...entries, ...outbox.parked];
      outbox.dispatchEvent(new Event("change"));
    }"""

    def lose(*leases: dict[str, Any]) -> None:
        script = """(leases) => Object.assign(table.outbox, {
          assignment: { leases }, status: { ...table.outbox.status, role: "none" },
        }) && table.outbox.dispatchEvent(new Event("change"))"""
        page.evaluate(script, list(leases))
        tablet.settle()

    page.evaluate(park, True)
    tablet.settle()
    assert "waits for the director" in note(tablet)
    tablet.do("undo()")
    assert note(tablet) == "Until the director has decided, nothing is taken back here."
    # The clock of this table runs all the same: it is at this tablet.
    assert "–:––" not in page.locator(".clock").first.inner_text()
    page.evaluate(park, False)
    tablet.settle()
    assert "has decided about what waited" in note(tablet)
    page.evaluate(park, True)
    tablet.settle()
    over = {"match_id": "other", "lease": 1, "is_over": True}
    lose(over)
    expect(page.locator(".clock .reserve")).to_have_text(["–:––", "–:––"])
    new = page.get_by_role("button", name="Go to the new board")
    expect(new).to_be_hidden()
    lose(over, {**over, "is_over": False})
    expect(new).to_be_visible()
    page.evaluate(park, False)
    tablet.settle()
    tablet.do("undo()")
    assert note(tablet) == "Until the director has decided, nothing is taken back here."
    assert len(tags(tablet)) == count


def test_the_score_between_games_is_the_one_that_the_director_has_put_right(
    tablet: TableRig,
) -> None:
    tablet.start(*TURNS, act("game.won", winner="one", points=1, kind="single"))
    result = tablet.page.locator(".between .result")
    expect(result).to_have_text("1 – 0")
    rule(tablet, "score.stated", score={"one": 3, "two": 0})
    expect(result).to_have_text("3 – 0")


# -- dice that no throw of the play's own has brought ----------------------------------------------

BOARD = {
    seat: [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    for seat in ("one", "two")
}
STATED = {"checkers": BOARD, "on_roll": "two", "dice": [5, 2]}
TURNS = [
    act("dice.opening_rolled", one=3, two=1),
    act("play.made", seat="one", moves=[[8, 5], [6, 5]]),
]


def fix_last(tablet: TableRig) -> None:
    """The last play is put right."""
    tablet.do("fix(table.recorder.table.last_play.entry)")


@pytest.mark.parametrize("is_ruled", [False, True])
def test_dice_stated_with_a_position_are_put_right_there_and_in_no_throw_before_it(
    tablet: TableRig, is_ruled: bool
) -> None:
    stated = {**act("position.stated", **STATED), "basis": "ruled" if is_ruled else "agreed"}
    tablet.start(*TURNS, stated, act("play.made", seat="two", moves=[[13, 8], [13, 11]]))
    fix_last(tablet)
    known = len(tablet.entries)
    tablet.do("roll([5, 3])")
    if is_ruled:
        assert len(tablet.entries) == known
        assert note(tablet).startswith("The dice of this play were not entered as a throw")
        return
    ((tag, body),) = tablet.entries[known:]
    assert (tag, body["target"]) == ("entry.amended", "training-5")
    assert body["body"] == {**STATED, "dice": [5, 3]}
    assert tablet.page.evaluate("table.outbox.entries.at(-1).basis") == "agreed"
    assert tablet.table("last_play").get("dice") == [5, 3]


def test_of_a_play_without_dice_no_throw_of_the_opponent_is_put_right(tablet: TableRig) -> None:
    tablet.start(*TURNS, act("play.made", seat="two"))
    fix_last(tablet)
    known = len(tablet.entries)
    tablet.do("roll([5, 3])")
    assert len(tablet.entries) == known
    assert note(tablet).startswith("The dice of this play were not entered as a throw")


EARLY = [
    *TURNS,
    act("dice.rolled_early", seat="two", dice=[5, 2]),
    act("dice.early_roll_answered", answer="no_comment", target="training-5", seat="one"),
]


def test_the_play_of_an_early_roll_is_asked_for_and_put_right_with_its_dice(
    tablet: TableRig,
) -> None:
    tablet.start(*EARLY)
    tablet.do("double()")
    question = tablet.page.locator(".question .asked")
    expect(question).to_contain_text("Ben 52")
    tablet.do("answerWith(table.recorder.asking.question.entry, (asking) => asking.mistyped())")
    tablet.do("roll([5, 3])")
    expect(question).to_contain_text("Ben 53")
    early = tablet.page.evaluate("table.recorder.table.standing[4].body.dice")
    assert early == [5, 3]


def test_the_question_names_the_dice_as_they_are_put_right_and_back(tablet: TableRig) -> None:
    tablet.start(*TURNS, act("dice.rolled", seat="two", dice=[6, 5]))
    tablet.do("double()")
    question = tablet.page.locator(".question .asked")
    tablet.do("answerWith(table.recorder.asking.question.entry, (asking) => asking.mistyped())")
    tablet.do("roll([6, 4])")
    expect(question).to_contain_text("Ben 64")
    tablet.do("undo()")
    expect(question).to_contain_text("Ben 65")


def test_taps_of_an_open_play_outlive_a_reload_whatever_was_said_of_the_dice(
    tablet: TableRig,
) -> None:
    tablet.start(*TURNS, act("dice.rolled", seat="two", dice=[6, 4]))
    tablet.record("dice.repositioned", seat="two")
    for place in (1, 7, 1, 5):
        tablet.do(f"tap('{place}')")
    tablet.do("tap('12')")
    words = "table.recorder.turn.words"
    known = tablet.page.evaluate(words)
    assert known == ["24", "18", "24", "20", "13"]
    # Anew, as a page does that is loaded again.
    tablet.page.evaluate("table.recorder.choose('no-assist')")
    assert tablet.page.evaluate(words) == known


def test_that_something_was_not_recorded_is_told_until_the_next_thing_is(
    tablet: TableRig,
) -> None:
    tablet.start(act("dice.opening_rolled", one=3, two=1))
    tablet.page.evaluate(
        """() => {
          const { outbox } = table;
          outbox.recordAll = async () => {
            delete outbox.recordAll;
            throw new Error("the disk is full");
          };
        }"""
    )
    for place in ("8", "5", "6", "5"):
        tablet.do(f"tap('{place}')")
    assert "the disk is full" in note(tablet)
    tablet.do("played()")
    assert tags(tablet)[-1] == "play.made"
    assert note(tablet) == ""


def sheet(tablet: TableRig, name: str, *keys: str) -> None:
    """Open a sheet from the menu, and touch its keys one after the other."""
    page = tablet.page
    page.evaluate("void table.screen.openMenu()")
    page.locator("dialog summary").first.tap()
    page.locator(f"dialog [data-sheet={name}]").last.tap()
    for key in keys:
        page.get_by_role("dialog").get_by_role("button", name=key, exact=True).first.tap()
    expect(page.get_by_role("dialog")).to_have_count(0)
    tablet.settle()


def test_a_match_that_was_cancelled_asks_for_nothing_that_would_only_wait(
    tablet: TableRig,
) -> None:
    tablet.start(*WON, opening=TIMED)
    tablet.do("clock.press('one')")
    running = tablet.page.locator(".player .running")
    expect(running).to_have_count(1)
    rule(tablet, "match.cancelled")
    count = len(tags(tablet))
    assert tablet.heading == "The match is cancelled"
    expect(running).to_have_count(0)
    for key in ("confirm", "disagree", "clock"):
        expect(tablet.page.locator(f"[data-act={key}]:visible")).to_have_count(0)
    for script in ("clock.toggle()", "score.confirmNext(['one', 'two'])", "score.startGame()"):
        tablet.do(script)
    assert tags(tablet)[count:] == []
    # Restored, it goes on where it stood.
    tablet.record("entry.retracted", target=tablet.page.evaluate(LAST))
    expect(running).to_have_count(1)
    expect(tablet.page.locator("[data-act=confirm]:visible")).to_have_count(2)


LAST = "table.outbox.entries.at(-1).entry_id"


@pytest.mark.parametrize("kind", ["fischer", "bronstein"])
def test_a_press_by_the_menu_shows_the_time_that_the_clock_gives_back(
    tablet: TableRig, kind: str
) -> None:
    terms = {**CLOCK, "kind": kind}
    body = {**TIMED[0]["body"], "clock_terms": terms}
    tablet.start(ROLLED, act("play.made", seat="one"), opening=[act(TIMED[0]["tag"], **body), GAME])
    tablet.do("clock.press('two')")
    sheet(tablet, "clock_press", "Ada", "Record")
    tag, pressed = tablet.entries[-1]
    assert (tag, pressed["seat"]) == ("clock.pressed", "one")
    left = pressed["readings"]["one"]
    assert left > 600_000 if kind == "fischer" else left == 600_000


GAME = OPENED[1]


@pytest.mark.parametrize(
    ("name", "keys", "tag"),
    [
        ("turn_ended", ["Both dice lifted"], "turn.ended"),
        ("clock_press", ["Record"], "clock.pressed"),
    ],
)
def test_what_ends_a_turn_comes_after_its_play_by_the_menu_as_by_the_plates(
    tablet: TableRig, name: str, keys: list[str], tag: str
) -> None:
    tablet.start(ROLLED, opening=TIMED)
    tablet.do("clock.press('two')")
    tablet.do("tap('8')")
    sheet(tablet, name, *keys)
    tablet.do("roll([4, 2])")
    assert tags(tablet)[-3:] == ["play.unseen", tag, "dice.rolled"]
    assert tablet.table("turn_open") is None


def test_the_clock_goes_on_where_a_sheet_stands_open_and_nobody_has_typed(
    tablet: TableRig,
) -> None:
    terms = {**CLOCK, "delay_ms": 0}
    body = {**TIMED[0]["body"], "clock_terms": terms}
    tablet.start(ROLLED, opening=[act(TIMED[0]["tag"], **body), GAME])
    tablet.do("clock.press('two')")
    page = tablet.page
    page.evaluate("void table.screen.openMenu()")
    page.locator("dialog summary").first.tap()
    page.locator("dialog [data-sheet=clock_read]").last.tap()
    ada, ben = (page.get_by_label(f"Clock shows, {name}", exact=True) for name in ("Ada", "Ben"))
    opened = ada.input_value()
    ben.fill("9:00")
    expect(ada).not_to_have_value(opened)
    # Whoever types says what it shows.
    expect(ben).to_have_value("9:00")
    ada.fill("8:00")
    page.get_by_role("dialog").get_by_role("button", name="Record", exact=True).tap()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert tablet.entries[-1][1]["readings"] == {"one": 480_000, "two": 540_000}


def test_a_play_is_as_open_as_it_was_once_what_came_beside_it_is_taken_back(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED, opening=TIMED)
    tablet.do("clock.press('two')")
    for point in (8, 5, 6, 5):
        tablet.do(f"tap('{point}')")
    words = "(table.recorder.turn?.words ?? []).join()"
    assert tags(tablet)[-1] == "play.made"
    tablet.do("clock.toggle()")
    tablet.do("undo()")
    assert tablet.page.evaluate(words) == "8,5,6,5"
    # One tap goes, and another one is made: they are of the same play.
    tablet.do("undo()")
    tablet.do("tap('2')")
    assert tablet.page.evaluate(words) == "8,5,6,2"


def test_taps_that_a_killed_browser_remembers_say_nothing_of_a_play_recorded_after_them(
    tablet: TableRig,
) -> None:
    tablet.start(TURNS[0])
    tablet.do("tap('24')")
    # What is remembered reaches the disk up to a minute later.
    tablet.page.evaluate("globalThis.old = { ...localStorage }")
    tablet.do("undo()")
    for _ in range(2):
        tablet.do("tap('5')")
    tablet.page.evaluate("Object.assign(localStorage, globalThis.old)")
    tablet.page.evaluate("table.recorder.choose('no-assist')")
    assert tablet.page.evaluate("table.recorder.turn.words") == ["5", "5"]
    tablet.do("tap('5')")
    tablet.do("undo()")
    tablet.do("roll([6, 4])")
    assert tags(tablet)[-2:] == ["play.made", "dice.rolled"]


def test_played_outlives_a_reload_that_comes_before_its_entry_is_written(
    tablet: TableRig,
) -> None:
    tablet.start(TURNS[0])
    tablet.page.evaluate("""() => {
      table.outbox.record = () => new Promise(() => {});
      void table.recorder.played();
    }""")
    tablet.settle()
    tablet.start(TURNS[0])
    tablet.do("roll([6, 4])")
    assert tags(tablet)[-2:] == ["play.made", "dice.rolled"]


def test_half_a_play_outlives_a_reload_also_where_an_earlier_one_was_put_right_meanwhile(
    tablet: TableRig,
) -> None:
    tablet.start(*TURNS, act("dice.rolled", seat="two", dice=[6, 4]))
    tablet.do("tap('1')")
    tablet.do("fix(table.recorder.table.last_play.entry)")
    for place in (8, 5, 24, 23):
        tablet.do(f"tap('{place}')")
    assert tags(tablet)[-1] == "entry.amended"
    words = "(table.recorder.turn?.words ?? []).join()"
    assert tablet.page.evaluate(words) == "24"
    tablet.page.evaluate("table.recorder.choose('no-assist')")
    assert tablet.page.evaluate(words) == "24"
    # The dice of the earlier play were misread as well: those of this one were not.
    tablet.do("fix(table.recorder.table.last_play.entry)")
    tablet.do("roll([6, 2])")
    assert tags(tablet)[-1] == "entry.amended"
    assert tablet.page.evaluate(words) == "24"


def test_a_clock_that_was_stopped_in_the_game_before_runs_for_whoever_has_to_act_in_this_one(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED, opening=TIMED)
    tablet.do("clock.press('two')")
    tablet.record("game.won", winner="one", points=1)
    tablet.do("clock.toggle()")
    assert tablet.entries[-1][0] == "clock.paused"
    tablet.do("score.startGame()")
    # Before the opening roll it is nobody's.
    tablet.do("clock.toggle()")
    assert "Whose time runs?" in note(tablet)
    tablet.do("openingRoll(2, 5)")
    tablet.do("clock.toggle()")
    assert tablet.entries[-1][0] == "clock.started"
    assert tablet.table("clock.running") == "two"
    # Stopped in this game, it goes on as it stood.
    tablet.do("clock.toggle()")
    tablet.do("clock.toggle()")
    assert tablet.entries[-1][0] == "clock.resumed"
    assert tablet.table("clock.running") == "two"


HELD = """
() => {
  const { outbox } = table;
  const { record } = outbox;
  const until = new Promise((done) => { table.letGo = done; });
  outbox.record = async (...act) => {
    await until;
    return record.apply(outbox, act);
  };
}
"""
"""A storage that takes its time: what is tapped is kept when the test lets it go."""


def test_a_sheet_asks_about_what_was_tapped_before_it(tablet: TableRig) -> None:
    tablet.start(ROLLED, act("play.made", seat="one", moves=[[8, 5], [6, 5]]))
    page = tablet.page
    page.evaluate(HELD)
    page.evaluate("() => void table.recorder.roll([4, 2])")
    tablet.settle()
    # Touched twice, too: one sheet.
    tablet.key("roll_again").evaluate("(key) => { key.click(); key.click(); }")
    page.evaluate("table.letGo()")
    cocked = page.get_by_role("dialog").get_by_role("button", name="Cocked", exact=True)
    cocked.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    *_, (rolled, _), (voided, body) = tablet.entries
    assert (rolled, voided) == ("dice.rolled", "dice.voided")
    ids = page.evaluate("table.outbox.entries.map(({ entry_id }) => entry_id)")
    assert body["target"] == ids[-2]


REFUSED_ONCE = """
() => {
  const { record } = table.outbox;
  table.outbox.record = async () => {
    table.outbox.record = record;
    throw Object.assign(new Error("full"), { name: "StorageFailed" });
  };
}
"""
"""A storage that refuses what is recorded next, and nothing after it."""


def test_a_sheet_records_nothing_where_what_was_tapped_before_it_cannot_be_kept(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED)
    for gesture in ("asPlayed()", "tap('8')", "tap('2')"):
        tablet.do(gesture)
    page = tablet.page
    page.evaluate(REFUSED_ONCE)
    page.evaluate("() => void table.screen.openMenu()")
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Resignation").first.click()
    sheet.get_by_role("button", name="Single").click()
    said = "Not recorded: this tablet cannot keep entries: tell the director"
    expect(sheet.get_by_role("alert")).to_have_text(said)
    assert tablet.entries[-1][0] == "dice.opening_rolled"
    # Touched again, both are kept, the play first.
    sheet.get_by_role("button", name="Single").click()
    expect(sheet).to_have_count(0)
    assert [tag for tag, _ in tablet.entries[-2:]] == ["play.made", "resignation.offered"]


LATER = """
() => {
  const { now } = performance;
  performance.now = () => now.call(performance) + 60_000;
}
"""
"""A minute goes by."""


def test_a_moment_marked_by_two_touches_of_one_finger_is_marked_once(tablet: TableRig) -> None:
    tablet.start(ROLLED, opening=TIMED)
    tablet.key("mark").evaluate("(key) => { key.click(); key.click(); }")
    tablet.settle()
    assert tags(tablet).count("moment.marked") == 1
    # A while later it is another moment, though nothing was recorded in between.
    tablet.page.evaluate(LATER)
    tablet.do("mark()")
    assert tags(tablet).count("moment.marked") == 2


def test_a_player_who_touches_twice_calls_the_director_once(tablet: TableRig) -> None:
    tablet.start(*WON)
    tablet.key("disagree").evaluate("(key) => { key.click(); key.click(); }")
    tablet.settle()
    assert tags(tablet)[-2:] == ["director.called", "moment.marked"]
    assert tags(tablet).count("director.called") == 1


def test_what_is_half_typed_is_over_once_a_finger_goes_on(tablet: TableRig) -> None:
    tablet.start(ROLLED, act("play.made", seat="one", moves=[[8, 5], [6, 5]]))
    page = tablet.page
    page.keyboard.press("3")
    assert note(tablet) != ""
    page.locator('.area [data-dice="64"]').tap()
    # The first of two dice: the finger has entered those of before.
    page.keyboard.press("5")
    page.keyboard.press(".")
    page.keyboard.press("1")
    page.locator('tb-board rect[data-place="1"]').tap()
    assert note(tablet) == ""
    page.keyboard.press("5")
    page.keyboard.press("Escape")
    tablet.settle()
    rolls = [body["dice"] for tag, body in tablet.entries if tag == "dice.rolled"]
    assert rolls == [[6, 4]]
    assert tablet.page.evaluate("table.recorder.entering.words") == ["24"]


def test_a_roll_thrown_too_early_waits_though_the_other_player_rolls_after_it(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED, act("play.made", seat="one", moves=[[8, 5], [6, 5]]))
    # It is Ben's turn; before he has thrown, Ada throws, and he lets her roll stand.
    early = tablet.record("dice.rolled_early", seat="one", dice=[6, 4])
    tablet.record("dice.early_roll_answered", target=early, answer="stands", seat="two")
    tablet.do("roll([5, 2])")
    for place in (12, 14, 12, 17):
        tablet.do(f"tap('{place}')")
    tablet.do("played()")
    assert tablet.heading == "Ada plays the early 64"
    assert tablet.table("dice") == [6, 4]
    tablet.do("roll([6, 4])")
    assert tags(tablet).count("dice.rolled") == 1


def test_undo_goes_on_after_a_clock_was_set_of_which_not_all_is_said(tablet: TableRig) -> None:
    terms = {**CLOCK, "delay_ms": 0}
    tablet.start(opening=[{**TIMED[0], "body": {**TIMED[0]["body"], "clock_terms": terms}}])
    # A clock without a bank, by the sheet; then as agreed, which leaves out that there is no delay.
    tablet.record("clock.set", kind="non_expiring")
    reserve = {"one": CLOCK["reserve_ms"], "two": CLOCK["reserve_ms"]}
    tablet.record("clock.set", kind="simple", reserve_ms=reserve)
    started = tablet.record("clock.started", seat="one", at_ms=0)
    tablet.do("undo()")
    assert tablet.entries[-1] == ("entry.retracted", {"target": started})
    # As agreed it was set by its start, and stays; what was set by hand is taken back.
    tablet.do("undo()")
    assert tags(tablet)[-2:] == ["entry.retracted", "entry.retracted"]
    assert tablet.table("clock.kind") == "simple"


TAPPED = ("tap('8')", "tap('5')", "tap('6')", "tap('5')")


def test_who_has_played_ends_the_turn_by_having_the_others_time_go_on(tablet: TableRig) -> None:
    tablet.start(ROLLED, opening=TIMED)
    tablet.do("clock.press('two')")
    tablet.do("clock.toggle()")
    for tap in TAPPED:
        tablet.do(tap)
    assert tablet.heading == "Ada to play"
    # Ada's plate while both times stand: Ben's runs from here.
    tablet.do("clock.press('one')")
    assert tablet.table("clock.running") == "two"
    assert tablet.heading == "Ben to roll"
    # A finger on the board says nothing of a play whose turn is over.
    before = tablet.entries
    tablet.do("tap('13')")
    tablet.do("tap('5')")
    assert tablet.entries == before
    assert "Ada 31: 8/5 6/5" in tablet.lines


def test_a_clock_that_begins_to_run_for_who_has_played_leaves_the_play_open(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED, opening=TIMED)
    for tap in TAPPED:
        tablet.do(tap)
    tablet.do("clock.press('two')")
    assert tablet.table("clock.running") == "one"
    assert tablet.heading == "Ada to play"
    tablet.do("clock.press('one')")
    assert tablet.heading == "Ben to roll"


@pytest.mark.parametrize("places", ["8565", "8461"])
def test_what_the_director_says_of_time_or_points_tells_nothing_of_an_open_play(
    tablet: TableRig, places: str
) -> None:
    tablet.start(ROLLED)
    for place in places:
        tablet.do(f"tap('{place}')")
    for tag in ("slow_play.warned", "penalty.assessed"):
        points = {"points": 1} if tag == "penalty.assessed" else {}
        rule(tablet, tag, seat="one", **points)
        assert tablet.heading == "Ada to play"
        expect(tablet.page.locator(".tick.here.open")).to_be_visible()
    assert not [line for line in tablet.lines if "31" in line]


def test_a_play_before_an_early_roll_is_as_open_after_a_reload(tablet: TableRig) -> None:
    tablet.start(*EARLY[:-2])
    tablet.do("roll([5, 2])")
    early = tablet.record("dice.rolled_early", seat="one", dice=[6, 4])
    tablet.record("dice.early_roll_answered", target=early, answer="stands", seat="two")
    for place in (12, 17, 12, 14):
        tablet.do(f"tap('{place}')")
    assert tablet.heading == "Ben to play"
    # Anew, as a page does that is loaded again.
    tablet.page.evaluate("table.recorder.choose('no-assist')")
    tablet.settle()
    assert tablet.heading == "Ben to play"


@pytest.mark.parametrize("places", ["8565", "8461"])
def test_the_clock_begins_alike_whatever_was_tapped_of_the_open_play(
    tablet: TableRig, places: str
) -> None:
    for key, whose in (("clock", "one"), ("k", "two")):
        tablet.page.evaluate("localStorage.clear()")
        tablet.start(ROLLED, opening=TIMED)
        for place in places:
            tablet.do(f"tap('{place}')")
        # The key has it run for who is told to play; by `k` whoever that is presses.
        if key == "k":
            tablet.page.keyboard.press("k")
            tablet.settle()
        else:
            tablet.do("clock.toggle()")
        assert tablet.table("clock.running") == whose
        assert tablet.heading == {"one": "Ada to play", "two": "Ben to roll"}[whose]


def test_where_nothing_was_placed_freely_nobody_has_said_that_there_was_no_play(
    tablet: TableRig,
) -> None:
    tablet.start(ROLLED)
    tablet.do("asPlayed()")
    # None of Ada's stands there.
    tablet.do("tap('4')")
    tablet.do("roll([4, 2])")
    assert tags(tablet)[-2:] == ["play.unseen", "dice.rolled"]
    expect(tablet.page.locator(".question .asked")).to_contain_text("Ada 31")
