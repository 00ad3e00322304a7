"""What the help says about entering a play is true: every sentence of it has a test here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from events.values import ONE, TWO
from tests.web.conftest import Site
from tests.web.tablet_rig import Scribe, open_tablet
from tests.web.test_questions import ONE_DIE, set_up
from tests.web.test_tablet import standing_plays

pytestmark = pytest.mark.warm

TEXTS = Path(__file__).parents[2] / "api" / "web" / "texts"

SAYS = [
    "help_taps",
    "help_nothing_how",
    "help_wrong_how",
    "help_untold_how",
    "help_older_how",
    "help_free_how",
    "help_twice_how",
    "help_open",
]
"""The texts of Help that say how a play is entered."""


def sentences(language: str) -> list[str]:
    """Each sentence of them, in order."""
    texts = json.loads((TEXTS / language / "tablet.json").read_text("utf-8"))
    said = [texts[f"tablet.{name}"] for name in SAYS]
    return [one for text in said for one in re.split(r"(?<=\.) (?=[A-ZÄÖÜ×„])", text)]


class Scene:
    """A game that has begun: seat one plays a 6-1."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page, self.site = page, site
        self.scribe = Scribe(page)
        self.match_id = ""

    def begin(self) -> None:
        """Pair the tablet, and roll."""
        self.match_id = self.site.open_match(length=3)
        open_tablet(self.page, self.site, self.match_id)
        self.scribe.key("next_game")
        self.scribe.opening(6, 1)

    def tap(self, *words: str) -> None:
        """Words of `taps`, seat one's."""
        for word in words:
            self.scribe.say(ONE, word)

    @property
    def moves(self) -> list[list[list[int]]]:
        """The plays in force, each in order of its sources."""
        self.scribe.settle()
        found = standing_plays(self.site, self.match_id)
        return [sorted(play.get("moves", []), reverse=True) for play in found]

    def asks(self, text: str) -> None:
        """The question that stands."""
        expect(self.page.locator(".question .asked")).to_contain_text(text)

    def shows(self, text: str) -> None:
        """The play so far."""
        expect(self.page.locator(".so-far .play")).to_have_text(text)


MADE = [[13, 7], [8, 7]]


def points_that_changed(scene: Scene) -> None:
    scene.tap("7", "13", "8", "played")
    assert scene.moves == [MADE]


def one_play_fits(scene: Scene) -> None:
    scene.tap("7")
    scene.shows("7")
    scene.tap("7")
    scene.shows("13/7 8/7")
    scene.scribe.dice(3, 1)
    assert scene.moves == [MADE]


def hop_by_hop(scene: Scene) -> None:
    scene.tap("24", "18", "18", "17")
    scene.scribe.dice(3, 1)
    assert scene.moves == [[[24, 18], [18, 17]]]


def no_checker_moved(scene: Scene) -> None:
    scene.tap("played")
    assert scene.moves == [[]]


def one_single_play(scene: Scene) -> None:
    # On a board of its own.
    match_id = set_up(scene.page, scene.site, ONE_DIE)
    scribe = Scribe(scene.page)
    scribe.dice(6, 2)
    scribe.key("played")
    scribe.settle()
    [play] = standing_plays(scene.site, match_id)
    assert play["moves"] == [[24, 18]]


def something_comes_first(scene: Scene) -> None:
    scene.scribe.dice(3, 1)
    scene.asks("no play entered")
    keys = scene.page.locator(".question button")
    assert keys.all_text_contents() == ["No play made", "Roll mistyped", "Not seen"]
    scene.scribe.settle()
    assert scene.site.entries(scene.match_id)[-1]["tag"] == "dice.rolled"


def undo_one_by_one(scene: Scene) -> None:
    scene.tap("24", "13")
    scene.scribe.key("undo")
    scene.shows("24")
    scene.scribe.key("undo")
    scene.shows("")
    scene.scribe.key("undo")
    expect(scene.page.locator(".next")).to_have_text("Opening roll")


def calls_stay(scene: Scene) -> None:
    scene.scribe.key("call")
    scene.scribe.key("undo")
    expect(scene.page.locator(".next")).to_have_text("Opening roll")
    scene.scribe.settle()
    entries = scene.site.entries(scene.match_id)
    by_id = {one["entry_id"]: one["tag"] for one in entries}
    gone = [one["body"]["target"] for one in entries if one["tag"] == "entry.retracted"]
    assert [by_id[entry_id] for entry_id in gone] == ["dice.opening_rolled"]


def several_or_none(scene: Scene) -> None:
    scene.tap("18", "played")
    scene.asks("which play?")
    scene.scribe.key("undo")
    scene.tap("2", "played")
    scene.asks("tap one more point")


def three_answers(scene: Scene) -> None:
    scene.tap("18", "played")
    scene.tap("7")
    assert scene.moves == [[[24, 18], [8, 7]]]
    scene.scribe.key("undo")
    scene.scribe.key("choose")
    expect(scene.page.locator(".question")).to_be_hidden()
    scene.scribe.settle()
    scene.scribe.key("undo")
    scene.scribe.key("not_seen")
    expect(scene.page.locator(".question")).to_be_hidden()
    assert scene.moves == []


def all_goes_on(scene: Scene) -> None:
    scene.tap("24", "played")
    scene.scribe.dice(3, 1)
    scene.scribe.key("double")
    scene.scribe.key_of(TWO, "take")
    scene.scribe.settle()
    tags = [one["tag"] for one in scene.site.entries(scene.match_id)]
    cube = ["cube.double_offered", "cube.double_taken"]
    assert tags[-5:] == ["play.unseen", "dice.rolled", "play.unseen", *cube]


def told_later(scene: Scene) -> None:
    scene.tap("18", "played")
    scene.scribe.key("not_seen")
    scene.scribe.key("fix")
    scene.tap("18", "7")
    assert scene.moves == [[[24, 18], [8, 7]]]


def an_older_play(scene: Scene) -> None:
    scene.tap("7", "7", "played")
    scene.scribe.dice(3, 1)
    scene.scribe.key("fix")
    scene.tap("23", "7")
    assert scene.moves == [[[24, 23], [13, 7]]]


def as_played(scene: Scene) -> None:
    scene.tap("free", "6", "13")
    scene.shows("6/13")


def played_ends_it(scene: Scene) -> None:
    scene.tap("free", "6", "13", "played")
    assert scene.moves == [[[6, 13]]]


def once_more(scene: Scene) -> None:
    scene.tap("7", "7", "played")
    scene.scribe.dice(3, 3)
    scene.scribe.point(TWO, "8")
    scene.scribe.point(TWO, "5")
    scene.scribe.key("twice")
    scene.shows("8/5(2)")


def still_open(scene: Scene) -> None:
    scene.tap("7", "7")
    expect(scene.page.locator(".tick.here")).to_have_text("○ play open")
    scene.tap("24")
    expect(scene.page.locator(".tick.here")).to_have_text("○ play open")


def over_a_reload(scene: Scene) -> None:
    scene.tap("24")
    scene.shows("24")
    scene.page.reload()
    scene.shows("24")


def closed_or_asked(scene: Scene) -> None:
    scene.tap("18")
    scene.scribe.dice(3, 1)
    scene.asks("which play?")
    assert scene.moves == []


SCENES: dict[str, Callable[[Scene], None]] = {
    "Tap the dice, then points that changed: where a checker left, or where one arrived.": (
        points_that_changed
    ),
    "As soon as only one play fits, the board shows it: go on with the next roll.": one_play_fits,
    "Or tap hop by hop: where each checker left, then where it arrived.": hop_by_hop,
    "Tap Played / no play.": no_checker_moved,
    "Where the dice leave one single play, the same key draws it.": one_single_play,
    (
        "If the next roll, the clock or the cube comes first, that is recorded at once, and the"
        " tablet asks: no play made, roll mistyped or not seen."
    ): something_comes_first,
    "Undo takes back one tap, then one entry after the other.": undo_one_by_one,
    "Calls and marks stay.": calls_stay,
    "Your taps fit several plays, or none.": several_or_none,
    "Tap one more point, choose the play, or leave it out as not seen.": three_answers,
    "Dice, clock and cube go on meanwhile.": all_goes_on,
    "A play left out can be told later from the list.": told_later,
    "Tap it in the list, then tap other dice or the points as they were.": an_older_play,
    "As played: tap where a checker left, then where it arrived, whatever it did.": as_played,
    "Played ends it.": played_ends_it,
    "×2 moves every checker tapped so far once more.": once_more,
    "○ play open: you can still tap on.": still_open,
    "Its taps outlast a reload of this page.": over_a_reload,
    (
        "Played, the next roll or whatever comes next closes it; if the taps do not tell the"
        " play, the tablet asks."
    ): closed_or_asked,
}
"""What each sentence promises, done and looked at."""


def test_every_sentence_of_help_about_entry_has_its_scene() -> None:
    assert sentences("en") == list(SCENES)
    assert len(sentences("de")) == len(SCENES)


@pytest.mark.parametrize("said", SCENES)
def test_help_says_what_happens(said: str, page: Page, site: Site) -> None:
    scene = Scene(page, site)
    if SCENES[said] is not one_single_play:
        scene.begin()
    SCENES[said](scene)
