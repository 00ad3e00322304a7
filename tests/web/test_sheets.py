"""The tablet's sheets: what each records, and that everything recordable is reachable."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import yaml
from playwright.sync_api import Browser, Page, expect

from api.archive.personal import commit_personal
from api.desk.room_lines import DECISIONS
from api.html.assets import WEB
from events.catalogue import KINDS, decode, encode
from events.envelope import Basis, RecordedEvent
from events.payloads.access import Role, ScopeKind
from events.payloads.dice import Observation
from events.values import ONE, TWO
from projections.custody.access import Grant
from projections.replay import replay
from projections.rules.shelf import SHELF
from tests.web.conftest import TABLET, Site, check_axe, check_targets, shot
from tests.web.sheets_rig import AT_MS, Sheets, Told, open_sheets
from tests.web.tablet_rig import Scribe, draw, open_tablet, start_game

SMALL = {"width": 1024, "height": 768}

Recorded = list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def _sheets(chromium: Browser) -> Iterator[tuple[Sheets, list[str]]]:
    errors: list[str] = []
    sheets = open_sheets(chromium.new_context)
    sheets.page.context.on("weberror", lambda error: errors.append(str(error.error)))
    yield sheets, errors
    sheets.page.context.close()


@pytest.fixture
def sheets(_sheets: tuple[Sheets, list[str]]) -> Iterator[Sheets]:
    """The harness page; an exception in it fails the test."""
    page, errors = _sheets
    errors.clear()
    page.page.set_viewport_size({"width": TABLET["width"], "height": TABLET["height"]})
    yield page
    assert not errors, "\n".join(errors)


# The records over which sheets are opened.


def entry_id(version: int) -> str:
    return f"00000000-0000-4000-8000-{version:012d}"


START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]

OPENED: list[Told] = [
    (
        "match.opened",
        {
            "players": {"one": [], "two": []},
            "length": 7,
            "clock_terms": {"kind": "simple", "reserve_ms": 840_000, "delay_ms": 12_000},
        },
    )
]
GAME: list[Told] = [*OPENED, ("game.started", {})]
ROLLED: list[Told] = [*GAME, ("dice.opening_rolled", {"one": 3, "two": 1})]
PLAYED: list[Told] = [*ROLLED, ("play.made", {"seat": "one", "moves": [[8, 5], [6, 5]]})]
"""Seat one has played; seat two is on roll."""
SET: Told = (
    "clock.set",
    {"kind": "simple", "reserve_ms": {"one": 840_000, "two": 840_000}, "delay_ms": 12_000},
)
"""The clock as the terms of the match say."""
SECOND: list[Told] = [*PLAYED, ("dice.rolled", {"seat": "two", "dice": [6, 5]})]
"""Seat two has thrown 65, entry 5, and not played."""
EARLY: list[Told] = [*ROLLED, ("dice.rolled_early", {"seat": "two", "dice": [4, 2]})]
DOUBLED: list[Told] = [*PLAYED, ("cube.double_offered", {"seat": "two"})]
RESIGNED: list[Told] = [*SECOND, ("resignation.offered", {"seat": "two", "level": "gammon"})]
CLAIMED: list[Told] = [*PLAYED, ("claim.made", {"kind": "game", "seat": "one"})]
NOTICED: list[Told] = [*PLAYED, ("play.illegality_noticed", {"target": entry_id(4)})]
CALLED: list[Told] = [
    *PLAYED,
    ("director.called", {"by": "two", "about": entry_id(4)}),
    ("moment.marked", {"target": entry_id(4), "note": "Clock"}),
]
"""Seat two has called the director by mistake, with the reason beside it."""
AWAY: list[Told] = [*PLAYED, ("break.started", {"seats": ["one"]})]

READINGS = {"one": 700_000, "two": 650_000}


class Case(NamedTuple):
    """One use of a sheet: what was recorded before, what is touched, what that records."""

    sheet: str
    told: list[Told]
    touch: Callable[[Sheets], object]
    records: list[tuple[str, dict[str, Any]]]
    basis: str = "observed"


def chips(*pairs: tuple[str, str], then: str | None = "Record") -> Callable[[Sheets], None]:
    """Tap (legend, chip) one after the other, then the key that records."""

    def touch(sheets: Sheets) -> None:
        for legend, label in pairs:
            sheets.chip(legend, label)
        if then is not None:
            sheets.key(then)

    return touch


def at_once(legend: str, label: str) -> Callable[[Sheets], None]:
    """One tap, which records."""
    return chips((legend, label), then=None)


def steps(*acts: Callable[[Sheets], object]) -> Callable[[Sheets], None]:
    def touch(sheets: Sheets) -> None:
        for act in acts:
            act(sheets)

    return touch


def fill(label: str, text: str) -> Callable[[Sheets], None]:
    return lambda sheets: sheets.fill(label, text)


def chip(legend: str, *labels: str) -> Callable[[Sheets], None]:
    return lambda sheets: sheets.chip(legend, *labels)


def more(summary: str = "Details") -> Callable[[Sheets], None]:
    return lambda sheets: sheets.more(summary)


def place(*places: str) -> Callable[[Sheets], None]:
    return lambda sheets: sheets.place(*places)


def record(sheets: Sheets) -> None:
    sheets.key()


def _moved(counts: list[int], *moves: tuple[int, int]) -> list[int]:
    after = list(counts)
    for source, target in moves:
        after[source] -= 1
        after[target] += 1
    return after


DICE = [
    Case(
        "void",
        PLAYED,
        at_once("Why the roll does not count", "Cocked"),
        [("dice.voided", {"seat": "two", "reason": "cocked", "contested": False})],
    ),
    Case(
        "void",
        GAME,
        at_once("Why the roll does not count", "Off the board"),
        [("dice.voided", {"reason": "off_board", "contested": False})],
    ),
    Case(
        "void",
        SECOND,
        at_once("Why the roll does not count", "On the floor"),
        [
            (
                "dice.voided",
                {"seat": "two", "reason": "on_floor", "target": entry_id(5), "contested": False},
            )
        ],
    ),
    Case(
        "void",
        PLAYED,
        steps(
            lambda sheets: sheets.key("Contested: describe each die …"),
            chip("Face of die 1 (none = not read)", "6"),
            lambda sheets: sheets.picture("Flat on the field"),
            chip("Face of die 2 (none = not read)", "2"),
            lambda sheets: sheets.picture("Held up by the bar"),
            chip("Why the roll does not count", "Held up from the side"),
            chip("Called by", "Ada"),
            more("How it was thrown, which dice, note"),
            chip("Thrown from", "Cup"),
            chip("Rolled freely", "Yes"),
            fill("What else was said", "It leaned, I say."),
            record,
        ),
        [
            (
                "dice.voided",
                {
                    "seat": "two",
                    "reason": "vertical_support",
                    "dice": [6, 2],
                    "caller": "one",
                    "contested": True,
                    "throw": {"source": "cup", "bounced": True},
                    "observations": [
                        {
                            "at_rest": "natural",
                            "location": "playing_field",
                            "rests_on": ["field"],
                            "tilt": "flat",
                            "face": 6,
                        },
                        {
                            "at_rest": "natural",
                            "location": "playing_field",
                            "rests_on": ["field"],
                            "touching": ["bar"],
                            "supported_by": ["bar"],
                            "tilt": "tilted",
                            "tilt_cause": "vertical_support",
                            "face": 2,
                        },
                    ],
                    "note": "It leaned, I say.",
                },
            )
        ],
    ),
    Case(
        "void",
        ROLLED,
        steps(
            lambda sheets: sheets.key("Contested: describe each die …"),
            lambda sheets: sheets.picture("Flat on a checker, touching the rail"),
            lambda sheets: sheets.tap(sheets.dialog.locator(".die-tab").first),
            more("More about this die"),
            chip("A checker was slid away: the die", "dropped"),
            chip("Slid away while it was disputed", "Yes"),
            chip("Half where it rests", "Right"),
            chip("Baffle box in use", "No"),
            chip("Touched first", "A checker"),
            chip("Left the board and came back from", "Did not"),
            fill("Seconds seen balanced", "2"),
            chip("Why the roll does not count", "On a checker"),
            more("How it was thrown, which dice, note"),
            chip("What is rolled again", "The die of Ada"),
            record,
        ),
        [
            (
                "dice.voided",
                {
                    "reason": "on_checker",
                    "target": entry_id(3),
                    "contested": True,
                    "scope": "die_of_one",
                    "observations": [
                        {
                            "at_rest": "natural",
                            "location": "playing_field",
                            "rests_on": ["checker_a"],
                            "touching": ["side_rail"],
                            "tilt": "flat",
                            "rest_side": "right",
                            "baffle_box": False,
                            "first_contact": "checker",
                            "left_board_and_returned": "none",
                            "balanced_for_ms": 2000,
                            "support_test": {"slid": True, "dropped": True, "in_dispute": True},
                        },
                        {},
                    ],
                },
            )
        ],
    ),
    Case(
        "early",
        ROLLED,
        steps(
            lambda sheets: sheets.key("42, roll 4 and 2"),
            chip("What Ada said", "Rolled again"),
        ),
        [
            ("dice.rolled_early", {"seat": "two", "dice": [4, 2]}),
            (
                "dice.early_roll_answered",
                {"answer": "redone", "target": entry_id(4), "seat": "one"},
            ),
        ],
    ),
    Case(
        "early_answer",
        EARLY,
        at_once("What Ada said", "It stands"),
        [
            (
                "dice.early_roll_answered",
                {"answer": "stands", "target": entry_id(4), "seat": "one"},
            )
        ],
    ),
    Case(
        "lifted",
        PLAYED,
        at_once("What was lifted", "Both dice"),
        [("dice.lifted", {"seat": "two"})],
    ),
    Case(
        "lifted",
        PLAYED,
        chips(("Who lifted", "Ada"), ("What was lifted", "One die"), then=None),
        [("dice.lifted", {"seat": "one", "dice": "one"})],
    ),
    Case(
        "repositioned",
        SECOND,
        chips(
            ("What was done", "Both dice lifted"),
            ("What was announced", "A roll"),
            ("Announced", "Before touching"),
        ),
        [
            (
                "dice.repositioned",
                {
                    "seat": "two",
                    "announced": "roll",
                    "announced_when": "before",
                    "act": "lifted_both",
                },
            )
        ],
    ),
    Case(
        "turn_ended",
        PLAYED,
        chips(("Who", "Ada"), ("By what", "Tapped the bar"), then=None),
        [("turn.ended", {"seat": "one", "method": "tapped_bar"})],
    ),
    Case(
        "mixed",
        OPENED,
        steps(
            chip("Who demanded it", "Ben"),
            chip("Who picked first", "Ada"),
            fill("Dice set aside", "2"),
            record,
        ),
        [("dice.mixed", {"demander": "two", "picks": ["one", "two"], "set_aside": 2})],
    ),
    Case(
        "preference",
        OPENED,
        chips(
            ("What was decided", "Colour"),
            ("What was decided", "Direction of play"),
            ("Die of Ada", "5"),
            ("Die of Ben", "3"),
            ("Whose choice holds", "Ada"),
        ),
        [
            (
                "preference.rolled",
                {
                    "items": ["direction", "colour"],
                    "dice": {"one": 5, "two": 3},
                    "winner": "one",
                },
            )
        ],
    ),
]

AFTER_31 = _moved(START, (8, 5), (6, 5))

PLAY = [
    Case(
        "unseen",
        SECOND,
        at_once("Whose play was not seen", "Ben"),
        [("play.unseen", {"seat": "two"})],
    ),
    Case(
        "unseen",
        SECOND,
        steps(
            more(),
            chip("What was missed", "Whole games"),
            fill("How many, if known", "2"),
            chip("Whose play was not seen", "More than one play"),
        ),
        [("play.unseen", {"spans": "games", "count": 2})],
    ),
    Case(
        "position",
        PLAYED,
        steps(
            # Two of seat one's checkers from the mid-point to its bar point, one of Ben's added.
            place("13", "7", "13", "7"),
            lambda sheets: sheets.key("Put Ben"),
            place("bar-two"),
            lambda sheets: sheets.key("Take away"),
            place("24"),
            chip("Why it is stated", "Checkers knocked"),
            record,
        ),
        [
            (
                "position.stated",
                {
                    "checkers": {
                        "one": _moved([*AFTER_31[:24], AFTER_31[24] - 1, 0], (13, 7), (13, 7)),
                        "two": [*START[:25], 1],
                    },
                    "on_roll": "two",
                    "reason": "knocked",
                },
            )
        ],
    ),
    Case(
        "position",
        PLAYED,
        steps(
            lambda sheets: sheets.key("Opening position"),
            chip("Whose turn it is", "Ada"),
            chip("Why it is stated", "Both agree on it"),
            more("Dice, cube, words"),
            chip("Die 1", "5"),
            chip("Die 2", "3"),
            chip("Value of the cube", "4"),
            chip("Where it lies", "Ben"),
            fill("Reason in words", "The board was bumped."),
            record,
        ),
        [
            (
                "position.stated",
                {
                    "checkers": {"one": START, "two": START},
                    "on_roll": "one",
                    "dice": [5, 3],
                    "cube": {"value": 4, "owner": "two"},
                    "reason": "The board was bumped.",
                },
            )
        ],
        "agreed",
    ),
    Case(
        "revised",
        PLAYED,
        steps(
            place("8", "5", "6", "4"),
            lambda sheets: sheets.key("Take back one"),
            place("6", "5"),
            chip("Why", "Changed his mind"),
            record,
        ),
        [
            (
                "play.revised",
                {
                    "seat": "one",
                    "target": entry_id(4),
                    "moves": [[8, 5], [6, 5]],
                    "reason": "changed_mind",
                },
            )
        ],
    ),
    Case(
        "illegality",
        PLAYED,
        chips(("Of what kind", "Wrong dice or distance"), ("Noticed by", "Ben")),
        [
            (
                "play.illegality_noticed",
                {"target": entry_id(4), "class": "dice_or_pips", "noticed_by": "two"},
            )
        ],
    ),
    Case(
        "illegality_answer",
        NOTICED,
        chips(("Answered by", "Ben"), ("What was done about it", "It stands"), then=None),
        [
            (
                "play.illegality_answered",
                {"answer": "condoned", "target": entry_id(5), "by": "two"},
            )
        ],
    ),
    Case(
        "corrected",
        SECOND,
        steps(
            place("24", "21", "24", "23"),
            more(),
            chip("Die 1", "3"),
            chip("Die 2", "1"),
            chip("Undone with it", "Ben 65"),
            record,
        ),
        [
            (
                "play.corrected",
                {
                    "target": entry_id(4),
                    "moves": [[24, 21], [24, 23]],
                    "dice": [3, 1],
                    "undoes": [entry_id(5)],
                    "by": "both",
                },
            )
        ],
    ),
    Case(
        "handling",
        PLAYED,
        steps(
            chip("Who", "Ada"),
            chip("What", "With two hands"),
            fill("What was seen", "Both hands at once."),
            record,
        ),
        [
            (
                "handling.noted",
                {"seat": "one", "kind": "two_hands", "detail": "Both hands at once."},
            )
        ],
    ),
    Case(
        "start_fault",
        PLAYED,
        steps(
            chip("Whose checkers", "Ben"),
            fill("Point with one too many (from that side)", "7"),
            fill("Point where it is missing", "8"),
            chip("Noticed by", "Both"),
            record,
        ),
        [
            (
                "start.fault_noticed",
                {"seat": "two", "at": 7, "missing": 8, "noticed_by": "both"},
            )
        ],
    ),
    Case(
        "start_corrected",
        PLAYED,
        steps(
            chip("Whose checkers", "Ben"),
            # Seat two's mid-point is the drawn board's 12, its bar point the 18.
            place("12", "18"),
            chip("Agreed or ordered by", "Director"),
            record,
        ),
        [("start.corrected", {"seat": "two", "moved": [[13, 7]], "by": "director"})],
    ),
]

CUBE = [
    Case(
        "cube_act",
        PLAYED,
        chips(
            ("How it was made known", "By both"),
            ("Where it was put", "Opponent’s side"),
            ("What", "Double"),
            then=None,
        ),
        [
            (
                "cube.double_offered",
                {"seat": "two", "means": "both", "put": "opponents_side"},
            )
        ],
    ),
    Case(
        "cube_act",
        DOUBLED,
        chips(("How it was made known", "By words"), ("What", "Take"), then=None),
        [("cube.double_taken", {"seat": "one", "means": "words"})],
    ),
    Case(
        "cube_act",
        DOUBLED,
        at_once("What", "Drop"),
        [("cube.double_dropped", {"seat": "one"})],
    ),
    Case(
        "beaver",
        DOUBLED,
        at_once("Who takes, turns it and keeps it", "Ada"),
        [
            ("cube.beavered", {"seat": "one"}),
        ],
    ),
    Case(
        "gesture",
        PLAYED,
        steps(
            chip("What the hand did", "Touched it"),
            chip("Where it was put", "Field"),
            chip("Announced", "After touching"),
            fill("Words said", "Oh."),
            record,
        ),
        [
            (
                "cube.gestured",
                {
                    "seat": "two",
                    "kind": "touch",
                    "put": "field",
                    "repositioning_announced": "after",
                    "words": "Oh.",
                },
            )
        ],
    ),
    Case(
        "intent",
        PLAYED,
        chips(("Who said it", "Ada"), ("What was said", "Take"), ("For when", "If doubled")),
        [("cube.intent_stated", {"seat": "one", "intent": "take", "when": "if_doubled"})],
    ),
    Case(
        "cube_void",
        DOUBLED,
        chips(("Why", "Dead cube"), ("Found by", "Director")),
        [
            (
                "cube.action_voided",
                {"target": entry_id(5), "reason": "dead_cube", "found_by": "director"},
            )
        ],
    ),
    Case(
        "cube_stated",
        PLAYED,
        chips(("Value of the cube", "2"), ("Where it lies", "Ada")),
        [("cube.stated", {"value": 2, "owner": "one"})],
        "agreed",
    ),
]

CLOCK = [
    Case(
        "clock_set",
        OPENED,
        record,
        [
            (
                "clock.set",
                {
                    "kind": "simple",
                    "reserve_ms": {"one": 840_000, "two": 840_000},
                    "delay_ms": 12_000,
                },
            )
        ],
    ),
    Case(
        "clock_set",
        OPENED,
        steps(
            chip("How free time works", "Fischer bonus"),
            fill("Reserve, Ada", "10:30"),
            lambda sheets: sheets.key("−1:00, Reserve, Ben"),
            fill("Free time of each turn", "8"),
            fill("How it was worked out", "two minutes a point"),
            chip("Imposed by the director", "Yes"),
            record,
        ),
        [
            (
                "clock.set",
                {
                    "kind": "fischer",
                    "reserve_ms": {"one": 630_000, "two": 780_000},
                    "delay_ms": 8_000,
                    "formula": "two minutes a point",
                    "imposed": True,
                },
            )
        ],
    ),
    Case(
        "clock_start",
        [*PLAYED, SET],
        at_once("Whose time runs", "Ben"),
        [("clock.started", {"seat": "two", "readings": READINGS})],
    ),
    Case(
        "clock_start",
        PLAYED,
        at_once("Whose time runs", "Ben"),
        [SET, ("clock.started", {"seat": "two", "readings": READINGS})],
    ),
    Case(
        "clock_press",
        SECOND,
        record,
        [SET, ("clock.pressed", {"seat": "two", "readings": READINGS})],
    ),
    Case(
        "clock_pause",
        PLAYED,
        chips(("Stopped by", "Ada"), ("Why", "Die on the floor"), then=None),
        [("clock.paused", {"reason": "die_on_floor", "by": "one", "readings": READINGS})],
    ),
    Case(
        "clock_resume",
        [*PLAYED, SET],
        at_once("Whose time runs", "As before"),
        [("clock.resumed", {"readings": READINGS})],
    ),
    Case(
        "clock_read",
        [*PLAYED, SET],
        steps(fill("Clock shows, Ada", "11:39"), record),
        [
            (
                "clock.read",
                {"readings": {"one": 699_000, "two": 650_000}, "agreed_by": "both"},
            )
        ],
    ),
    Case(
        "clock_press",
        [*SECOND, SET],
        record,
        [("clock.pressed", {"seat": "two", "readings": READINGS})],
    ),
    Case(
        "clock_fault",
        PLAYED,
        chips(
            ("What was wrong", "Not pressed"),
            ("Whose clock, or who forgot", "Ada"),
            ("Noticed by", "Ben"),
            ("Wrong since", "Ada 8/5 6/5"),
        ),
        [
            (
                "clock.fault_noticed",
                {
                    "kind": "not_pressed",
                    "seat": "one",
                    "since": entry_id(4),
                    "noticed_by": "two",
                    "readings": READINGS,
                },
            )
        ],
    ),
    Case(
        "clock_flag",
        PLAYED,
        chips(
            ("Whose reserve is gone", "Both"),
            ("Noticed by", "Spectator"),
            ("Which first, if both", "Not known"),
        ),
        [
            (
                "clock.flag_noticed",
                {
                    "whose": "both",
                    "noticed_by": "spectator",
                    "first": "unknown",
                    "readings": READINGS,
                },
            )
        ],
    ),
    Case(
        "break",
        OPENED,
        chips(then="Break begins"),
        [
            (
                "break.started",
                {
                    "seats": ["one", "two"],
                    "readings": READINGS,
                    "agreed_by": "both",
                    "between_games": True,
                },
            )
        ],
    ),
    Case(
        "break",
        AWAY,
        at_once("Back from the break", "Ada"),
        [("break.ended", {"seats": ["one"]})],
    ),
    Case(
        "break",
        AWAY,
        at_once("The break is over", "Everybody is back"),
        [("break.ended", {})],
    ),
    Case(
        "delay",
        AWAY,
        steps(chip("Who was late", "Ada"), fill("By how long", "4:10"), record),
        [("delay.noted", {"seat": "one", "kind": "break", "excess_ms": 250_000})],
    ),
]

GAMES = [
    Case(
        "resignation",
        SECOND,
        at_once("At which level", "Gammon"),
        [("resignation.offered", {"seat": "two", "level": "gammon"})],
    ),
    Case(
        "resignation",
        SECOND,
        chips(("Who resigns", "Ada"), ("At which level", "Level not said"), then=None),
        [("resignation.offered", {"seat": "one"})],
    ),
    Case(
        "resignation",
        RESIGNED,
        at_once("What Ada answers", "Accepted"),
        [("resignation.accepted", {"seat": "one"})],
    ),
    Case(
        "resignation",
        RESIGNED,
        at_once("What Ada answers", "Refused"),
        [("resignation.refused", {"seat": "one"})],
    ),
    Case(
        "claim",
        PLAYED,
        chips(("What is claimed", "Game and match"), ("Who", "Ada"), ("At which level", "Gammon")),
        [("claim.made", {"kind": "game_and_match", "seat": "one", "level": "gammon"})],
    ),
    Case(
        "claim",
        PLAYED,
        chips(("What is claimed", "Game settled"), ("Who", "Both")),
        [("claim.made", {"kind": "settle_game", "seats": ["one", "two"]})],
        "agreed",
    ),
    Case(
        "claim_answer",
        CLAIMED,
        steps(fill("Reason", "He saw it too."), chip("Does the claim hold", "It does not")),
        [
            (
                "claim.ruled",
                {
                    "target": entry_id(5),
                    "holds": False,
                    "by": "two",
                    "reason": "He saw it too.",
                },
            )
        ],
    ),
    Case(
        "game_won",
        PLAYED,
        chips(("Winner", "Ben"), ("Level", "Gammon")),
        [("game.won", {"winner": "two", "points": 2, "kind": "gammon"})],
        "agreed",
    ),
    Case(
        "game_started",
        OPENED,
        steps(fill("Number of the game", "4"), record),
        [("game.started", {"number": 4})],
    ),
    Case(
        "score_stated",
        OPENED,
        steps(
            fill("Score, Ada", "6"),
            lambda sheets: sheets.key("+, Score, Ben"),
            chip("Crawford game is over", "Yes"),
            fill("Reason", "A game was not entered."),
            record,
        ),
        [
            (
                "score.stated",
                {
                    "score": {"one": 6, "two": 1},
                    "crawford_played": True,
                    "reason": "A game was not entered.",
                },
            )
        ],
        "agreed",
    ),
    Case(
        "score_noted",
        OPENED,
        steps(
            fill("Score, Ada", "2"),
            chip("Whose record", "Ben"),
            chip("Kept how", "Score board"),
            chip("Kept as the rules say", "No"),
            record,
        ),
        [
            (
                "score.noted",
                {
                    "score": {"one": 2, "two": 0},
                    "keeper": "two",
                    "sheet": "display",
                    "kept_as_prescribed": False,
                },
            )
        ],
    ),
    Case(
        "result",
        OPENED,
        steps(
            chip("Who reports", "Ada"),
            chip("Winner", "Ada"),
            fill("Score, Ada", "7"),
            fill("Score, Ben", "5"),
            record,
        ),
        [
            (
                "result.reported",
                {"seat": "one", "winner": "one", "score": {"one": 7, "two": 5}},
            )
        ],
    ),
    Case(
        "match_ended",
        OPENED,
        steps(chip("Winner", "Ben"), fill("Score, Ben", "7"), record),
        [("match.ended", {"winner": "two", "score": {"one": 0, "two": 7}})],
    ),
    Case(
        "belief",
        OPENED,
        steps(
            chip("Whose belief", "Ada"),
            fill("Length believed", "9"),
            fill("What the own sheet says", "9 points"),
            record,
        ),
        [("match.length_believed", {"seat": "one", "length": 9, "sheet": "9 points"})],
    ),
    Case(
        "length_error",
        PLAYED,
        steps(
            fill("Length played to", "9"),
            chip("Both had agreed on it", "No"),
            chip("Found by", "Director"),
            record,
        ),
        [
            (
                "match.length_error_found",
                {
                    "wrong": 9,
                    "correct": 7,
                    "during_game": True,
                    "knowingly": False,
                    "found_by": "director",
                },
            )
        ],
    ),
    Case(
        "next",
        OPENED,
        chips(("To what", "Next round"), ("Who began", "Both"), then=None),
        [("match.next_started", {"seats": ["one", "two"], "next": "next_round"})],
    ),
]

PLAYERS = [
    Case(
        "presence",
        OPENED,
        at_once("Has come to the table", "Ada"),
        [("player.arrived", {"seat": "one"})],
    ),
    Case(
        "presence",
        OPENED,
        at_once("Is called to the table", "Ben"),
        [("player.called", {"seat": "two"})],
    ),
    Case(
        "left",
        OPENED,
        steps(
            chip("Who left", "Ben"),
            chip("Who agreed", "Director"),
            chip("Signed out", "Yes"),
            fill("Back within", "5:00"),
            record,
        ),
        [
            (
                "player.left",
                {
                    "seat": "two",
                    "consent": "director",
                    "signed_out": True,
                    "until_ms": AT_MS + 300_000,
                },
            )
        ],
    ),
    Case(
        "recording",
        OPENED,
        chips(("Who", "Ada"), ("What the player says", "Agrees"), then=None),
        [("recording.consented", {"seat": "one", "medium": "device"})],
    ),
    Case(
        "recording",
        OPENED,
        steps(
            chip("Who", "Ben"),
            chip("Medium", "Video"),
            fill("To what exactly", "No sound."),
            chip("What the player says", "Objects"),
        ),
        [("recording.objected", {"seat": "two", "medium": "video", "scope": "No sound."})],
    ),
    Case(
        "spectator",
        PLAYED,
        steps(
            chip("What happened", "Pointed out an error"),
            chip("Reported by", "Ada"),
            chip("Reported to", "Director"),
            fill("What was seen", "He said six."),
            record,
        ),
        [
            (
                "spectator.reported",
                {
                    "kind": "pointed_out_error",
                    "by": "one",
                    "to": "director",
                    "detail": "He said six.",
                },
            )
        ],
    ),
    Case(
        "monitor",
        OPENED,
        steps(
            fill("Who", "Cleo"),
            chip("At whose request", "Ben"),
            fill("What the monitor may do", "watch the clock"),
            record,
        ),
        [
            (
                "monitor.appointed",
                {"monitor": "Cleo", "at_request_of": "two", "powers": "watch the clock"},
            )
        ],
    ),
    Case(
        "equipment",
        OPENED,
        steps(
            chip("What", "Baffle box"),
            fill("How many", "1"),
            chip("In which half (baffle box)", "Left"),
            chip("Who agreed", "Ada", "Ben"),
            chip("By agreement, demand or order of", "Both"),
            fill("What else", "the red one"),
            record,
        ),
        [
            (
                "equipment.agreed",
                {
                    "item": "baffle_box",
                    "count": 1,
                    "half": "left",
                    "seats": ["one", "two"],
                    "by": "both",
                    "detail": "the red one",
                },
            )
        ],
    ),
    Case(
        "replaced",
        OPENED,
        chips(("What", "Dice"), ("Who had it replaced", "Director")),
        [
            (
                "equipment.changed",
                {"item": "dice", "by": "director", "between_games": True},
            )
        ],
    ),
]

DIRECTOR = [
    Case(
        "call",
        PLAYED,
        chips(("Called by", "Ben"), ("What it is about", "Clock"), then=None),
        [
            ("director.called", {"by": "two", "about": entry_id(4)}),
            ("moment.marked", {"target": entry_id(4), "note": "Clock"}),
        ],
    ),
    Case(
        "call",
        CALLED,
        lambda sheets: sheets.key("Withdraw the call"),
        [("entry.retracted", {"target": entry_id(version)}) for version in (6, 5)],
    ),
    Case(
        "call",
        CALLED[:5],
        at_once("What it is about", "A play"),
        [("moment.marked", {"target": entry_id(4), "note": "A play"})],
    ),
    Case(
        "mark",
        CALLED[:5],
        record,
        [("moment.marked", {"target": entry_id(4)})],
    ),
    Case(
        "mark",
        PLAYED,
        steps(fill("Note", "Look at the video."), record),
        [("moment.marked", {"target": entry_id(4), "note": "Look at the video."})],
    ),
    Case(
        "dispute",
        SECOND,
        steps(
            chip("Raised by", "Ada"),
            chip("What it is about", "Whether a roll counts"),
            chip("Both accept everything up to", "Ada 8/5 6/5"),
            fill("What Ada says", "It leaned."),
            fill("What Ben says", "It lay flat."),
            record,
        ),
        [
            (
                "dispute.raised",
                {
                    "by": "one",
                    "frozen_at": entry_id(4),
                    "topic": "dice.validity",
                    "readings": [
                        {"by": "one", "says": "It leaned."},
                        {"by": "two", "says": "It lay flat."},
                    ],
                },
            )
        ],
    ),
    Case(
        "testimony",
        SECOND,
        steps(
            chip("Who speaks", "Spectator"),
            fill("What was said", "I saw it lean."),
            more(),
            chip("At whose request", "Director"),
            chip("What it shows", "Ben 65"),
            chip("Kept from the players", "Yes"),
            record,
        ),
        [
            (
                "testimony.given",
                {
                    "role": "spectator",
                    "says": "I saw it lean.",
                    "at_request_of": "director",
                    "about": entry_id(5),
                    "sealed": True,
                },
            )
        ],
    ),
    Case(
        "disturbed",
        SECOND,
        steps(
            chip("What was touched", "Checkers"),
            chip("By whom", "Ben"),
            fill("What was seen", "Straightened them."),
            record,
        ),
        [
            (
                "table.disturbed",
                {"what": "checkers", "by": "two", "detail": "Straightened them."},
            )
        ],
    ),
]

CASES = [*DICE, *PLAY, *CUBE, *CLOCK, *GAMES, *PLAYERS, *DIRECTOR]


def _named(cases: list[Case]) -> list[Any]:
    counts: dict[str, Iterator[int]] = {}
    return [
        pytest.param(
            case, id=f"{case.sheet}-{next(counts.setdefault(case.sheet, itertools.count(1)))}"
        )
        for case in cases
    ]


def _check_body(tag: str, basis: str, body: dict[str, Any]) -> None:
    """The catalogue takes it once the personal values are committed, and nothing is redundant."""
    assert basis in {one.value for one in Basis}
    committed, disclosures = commit_personal(tag, body, entropy=lambda size: bytes(size))
    raw = msgspec.json.encode(committed)
    payload = decode(tag, raw)
    assert msgspec.json.decode(encode(payload)) == committed
    assert len(disclosures) == len(set(disclosures))


@pytest.mark.parametrize("case", _named(CASES))
def test_a_sheet_records_exactly_what_was_touched(sheets: Sheets, case: Case) -> None:
    with_clock = "clock" in case.sheet or case.sheet == "break"
    sheets.start(case.told, readings=READINGS if with_clock else None)
    sheets.open(case.sheet)
    case.touch(sheets)
    sheets.wait_closed()
    found = sheets.recorded()
    assert [(one["tag"], one["body"]) for one in found] == [
        (tag, {**body, "at_ms": AT_MS}) for tag, body in case.records
    ]
    assert {one["basis"] for one in found} == {case.basis}
    for one in found:
        _check_body(one["tag"], one["basis"], one["body"])
    if found[-1]["tag"] not in NOT_UNDONE:
        assert sheets.undoable() == found[-1]["tag"]


NOT_UNDONE = {"moment.marked", "dispute.raised", "entry.retracted"}
"""What is kept when a scribe takes back the last thing recorded."""


# Evidence and this tablet: what the outbox itself is asked for.


def test_a_photo_is_kept_and_attached_with_its_hash(sheets: Sheets) -> None:
    sheets.start(SECOND)
    sheets.open("evidence")
    sheets.key()
    expect(sheets.dialog.get_by_role("alert")).to_have_text("Choose a photo or a file first.")
    photo = {"name": "board.png", "mimeType": "image/png", "buffer": b"not a photo, but bytes"}
    camera = sheets.dialog.get_by_label("Take a photo")
    assert camera.get_attribute("accept") == "image/*"
    assert camera.get_attribute("capture") == "environment"
    camera.set_input_files(photo)
    expect(sheets.dialog.get_by_role("status")).to_have_text("Chosen: board.png, 1 kB")
    sheets.fill("Who made it", "Cleo")
    sheets.key()
    sheets.wait_closed()
    digest = hashlib.sha256(b"not a photo, but bytes").hexdigest()
    assert sheets.page.evaluate("window.harness.outbox.attached") == [digest]
    (found,) = sheets.recorded()
    assert (found["tag"], found["body"]) == (
        "evidence.attached",
        {
            "file": digest,
            "kind": "photo",
            "size_bytes": 22,
            "source": "Cleo",
            "about": entry_id(5),
            "at_ms": AT_MS,
        },
    )
    _check_body(found["tag"], found["basis"], found["body"])


def test_a_file_that_takes_its_time_is_attached_once_however_often_the_key_is_touched(
    sheets: Sheets,
) -> None:
    sheets.start(SECOND)
    sheets.open("evidence")
    film = {"name": "film.mp4", "mimeType": "video/mp4", "buffer": b"a long film"}
    sheets.dialog.get_by_label("Take a photo").set_input_files(film)
    sheets.page.evaluate(
        """() => {
          const { outbox } = harness;
          const attach = outbox.attach.bind(outbox);
          window.reading = [];
          outbox.attach = async (file) => {
            await new Promise((done) => reading.push(done));
            return attach(file);
          };
        }"""
    )
    sheets.key()
    sheets.key()
    # One after the other, as a slow device comes to them.
    while sheets.page.evaluate("reading.length && (reading.shift()(), true)"):
        sheets.wait_closed()
    sheets.settle()
    assert [one["tag"] for one in sheets.recorded()] == ["evidence.attached"]


def test_this_tablet_says_how_it_stands_and_gives_out_what_is_unsent(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.page.evaluate(
        """(id) => {
          const body = {seat: "two", dice: [6, 5]};
          window.harness.outbox.parked = [
            {entry_id: id, tag: "dice.rolled", body, state: "parked", reason: "stale_lease"},
          ];
        }""",
        entry_id(9),
    )
    sheets.open("device")
    said = sheets.dialog.inner_text()
    assert "Not on the server yet\n2" in said
    assert "Roll: Ben 65 – another tablet records this board" in said
    assert "Version of the program" not in said
    sheets.more()
    version = re.compile(r"Version of the program\s*[0-9a-f]{16}")
    expect(sheets.dialog).to_contain_text(version, use_inner_text=True)
    with sheets.page.expect_download() as download:
        sheets.key("Save what is unsent as a file")
    assert download.value.suggested_filename == "tabularium-match-1-unsent.json"
    sheets.key("Send now")
    expect(sheets.dialog).to_contain_text("Not on the server yet0")
    assert sheets.page.evaluate("window.harness.outbox.flushed") == 1


# On the real tablet.


def test_what_a_sheet_records_reaches_the_server_and_undo_takes_it_back(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3, table="4")
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    start_game(scribe)
    scribe.opening(3, 1)
    page.get_by_role("dialog").wait_for(state="detached")
    scribe.key("menu")
    page.locator(".first [data-sheet=mark]").tap()
    page.get_by_label("Note", exact=True).fill("Look at this.")
    page.get_by_role("button", name="Record", exact=True).tap()
    page.locator("dialog").wait_for(state="detached")
    scribe.key("menu")
    page.locator(".first [data-sheet=void]").tap()
    page.get_by_role("button", name="Cocked", exact=True).tap()
    page.locator("dialog").wait_for(state="detached")
    expect(page.locator(".next")).to_have_text("Opening roll")
    scribe.key("undo")
    scribe.settle()
    opening, marked, voided, retracted = site.entries(match_id)[-4:]
    assert marked["body"]["target"] == voided["body"]["target"] == opening["entry_id"]
    assert marked["body"]["note"].keys() == {"sd"}
    assert voided["body"]["reason"] == "cocked"
    assert retracted["body"]["target"] == voided["entry_id"]


# What every sheet does.


def test_the_usual_reroll_takes_two_taps_after_the_menu_key(sheets: Sheets) -> None:
    sheets.start(SECOND)
    sheets.menu()
    sheets.tap(sheets.dialog.locator(".first [data-sheet=void]"))
    sheets.chip("Why the roll does not count", "Cocked")
    sheets.wait_closed()
    assert sheets.taps == 3
    assert [one["tag"] for one in sheets.recorded()] == ["dice.voided"]


def test_a_roll_that_was_stated_with_the_position_is_void_and_no_throw_before_it(
    sheets: Sheets,
) -> None:
    board = {"checkers": {"one": START, "two": START}, "on_roll": "one", "reason": "bumped"}
    sheets.start([*SECOND, ("position.stated", {**board, "dice": [6, 4]})])
    sheets.open("void")
    sheets.chip("Why the roll does not count", "Cocked")
    void, stated = sheets.recorded()
    said = {"seat": "one", "reason": "cocked", "dice": [6, 4], "contested": False}
    assert (void["tag"], void["body"]) == ("dice.voided", {**said, "at_ms": AT_MS})
    assert stated["tag"] == "entry.amended"
    assert (stated["body"]["target"], stated["body"]["body"]) == (entry_id(6), board)
    assert sheets.page.evaluate("harness.context.table().awaits") == "roll"


def test_a_play_after_a_game_that_was_given_away_and_goes_on_is_put_right_on_its_board(
    sheets: Sheets,
) -> None:
    acts: list[Told] = [
        *PLAYED,
        ("resignation.offered", {"seat": "two", "level": "single"}),
        ("resignation.accepted", {"seat": "one"}),
        ("dice.rolled", {"seat": "two", "dice": [6, 5]}),
        ("play.made", {"seat": "two", "moves": [[24, 18], [18, 13]]}),
        ("dice.rolled", {"seat": "one", "dice": [2, 1]}),
        ("play.made", {"seat": "one", "moves": [[6, 4], [24, 23]]}),
    ]
    sheets.start(acts, terms={"concedable": "without_contact"})
    sheets.open("corrected")
    sheets.settle()
    board = sheets.page.evaluate("document.querySelector('dialog tb-board').board.two")
    assert board == _moved(START, (24, 18), (18, 13))


NO_DOUBLE = "No double waits for an answer of Ada: enter the double first."
NO_GAME = "No game is in progress: enter first that it begins."
CANCELLED = "The director has cancelled this match. What was recorded is kept."


@pytest.mark.parametrize(
    ("told", "sheet", "touch", "said"),
    [
        (PLAYED, "cube_act", chips(("Who", "Ada"), ("What", "Take"), then=None), NO_DOUBLE),
        (PLAYED, "cube_act", chips(("Who", "Ada"), ("What", "Drop"), then=None), NO_DOUBLE),
        (PLAYED, "beaver", at_once("Who takes, turns it and keeps it", "Ada"), NO_DOUBLE),
        (OPENED, "cube_act", chips(("Who", "Ada"), ("What", "Double"), then=None), NO_GAME),
        (
            OPENED,
            "early",
            steps(chip("Who rolled", "Ben"), lambda sheets: sheets.key("42, roll 4 and 2")),
            NO_GAME,
        ),
        (
            OPENED,
            "resignation",
            chips(("Who resigns", "Ben"), ("At which level", "Single"), then=None),
            NO_GAME,
        ),
        (PLAYED, "game_started", record, "A game is in progress: enter first how it ended."),
        ([*PLAYED, ("match.cancelled", {})], "score_stated", record, CANCELLED),
        (
            [*PLAYED, ("match.cancelled", {})],
            "clock_start",
            at_once("Whose time runs", "Ada"),
            CANCELLED,
        ),
    ],
)
def test_what_describes_no_fact_is_not_recorded_and_the_sheet_says_what_has_to_come_first(
    sheets: Sheets, told: list[Told], sheet: str, touch: Callable[[Sheets], object], said: str
) -> None:
    sheets.start(told)
    sheets.open(sheet)
    touch(sheets)
    assert sheets.dialog.get_by_role("alert").inner_text() == said
    assert sheets.recorded() == []


def test_whose_the_cube_is_is_not_stated_without_its_value_and_shown_as_it_is_stated(
    sheets: Sheets,
) -> None:
    sheets.start(PLAYED)
    sheets.open("position")
    sheets.more("Dice, cube, words")
    sheets.chip("Where it lies", "Ben")
    sheets.key()
    said = sheets.dialog.get_by_role("alert")
    expect(said).to_have_text("Value of the cube: choose one")
    assert sheets.recorded() == []
    sheets.chip("Value of the cube", "2")
    sheets.chip("Where it lies", "Ada")
    shown = sheets.page.evaluate("document.querySelector('dialog tb-board').cube")
    assert (shown["value"], shown["owner"]) == (2, "one")
    sheets.key()
    sheets.wait_closed()
    (found,) = sheets.recorded()
    assert found["body"]["cube"] == {"value": 2, "owner": "one"}


def test_a_play_on_a_sheet_is_told_in_the_numbers_that_its_board_shows(sheets: Sheets) -> None:
    sheets.start([*SECOND, ("play.made", {"seat": "two", "moves": [[24, 18], [18, 13]]})])
    sheets.open("corrected")
    sheets.place("1", "7")
    sheets.settle()
    assert sheets.dialog.locator("output.moves").inner_text() == "24/18"
    assert sheets.page.evaluate("document.querySelector('dialog tb-board').numbered") == "two"


def test_a_checker_in_the_hand_has_to_be_put_down_before_a_play_is_recorded(
    sheets: Sheets,
) -> None:
    sheets.start(PLAYED)
    sheets.open("revised")
    sheets.place("8", "5", "6")
    sheets.key()
    assert sheets.recorded() == []
    sheets.place("5")
    sheets.key()
    sheets.wait_closed()
    (found,) = sheets.recorded()
    assert found["body"]["moves"] == [[8, 5], [6, 5]]


def test_what_is_missing_is_said_and_nothing_is_recorded(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.open("clock_flag")
    sheets.key()
    legend = sheets.dialog.locator("legend", has_text="Whose reserve is gone")
    expect(legend).to_have_text("Whose reserve is gone choose one")
    expect(
        sheets.group("Whose reserve is gone choose one").get_by_role("button").first
    ).to_be_focused()
    assert sheets.recorded() == []


def test_a_clock_that_is_set_is_set_anew_from_what_it_shows(sheets: Sheets) -> None:
    stands = {"kind": "fischer", "reserve_ms": {"one": 600_000, "two": 500_000}, "delay_ms": 5_000}
    sheets.start([*OPENED, ("clock.set", stands)], readings={"one": 599_000, "two": 480_000})
    sheets.open("clock_set")
    sheets.key()
    [entry] = sheets.recorded()
    assert entry["body"]["reserve_ms"] == {"one": 599_000, "two": 480_000}
    assert (entry["body"]["kind"], entry["body"]["delay_ms"]) == ("fischer", 5_000)


def test_a_sheet_says_in_words_why_nothing_could_be_recorded(sheets: Sheets) -> None:
    sheets.start(OPENED)
    sheets.open("clock_set")
    for name, said in (
        ("NoLease", "Not recorded: the director has not given this board to this tablet"),
        ("StorageFailed", "Not recorded: this tablet cannot keep entries: tell the director"),
    ):
        sheets.page.evaluate(
            """(name) => { harness.outbox.recordAll = () => {
                throw Object.assign(new Error("raw"), { name });
            }; }""",
            name,
        )
        sheets.key()
        expect(sheets.dialog).to_contain_text(said)
    expect(sheets.dialog).not_to_contain_text("raw")


def test_nonsense_in_a_time_or_a_number_is_not_recorded(sheets: Sheets) -> None:
    sheets.start(OPENED)
    sheets.open("clock_set")
    sheets.fill("Reserve, Ada", "twelve")
    sheets.key()
    expect(sheets.dialog).to_contain_text("minutes and seconds, such as 12:05")
    assert sheets.recorded() == []
    sheets.start(OPENED)
    sheets.open("score_stated")
    sheets.fill("Score, Ben", "-1")
    sheets.key()
    expect(sheets.dialog).to_contain_text("a whole number from 0 to 1000")
    assert sheets.recorded() == []


def test_a_position_after_a_gap_begins_with_the_board_before_it(sheets: Sheets) -> None:
    sheets.start([*PLAYED, ("play.unseen", {"seat": "two"}), ("dice.rolled", {"dice": [2, 1]})])
    sheets.open("position")
    sheets.chip("Whose turn it is", "Ada")
    sheets.key()
    sheets.wait_closed()
    [stated] = sheets.recorded()
    assert stated["body"]["checkers"] == {"one": AFTER_31, "two": START}


def test_a_refusal_of_the_outbox_is_told_and_the_sheet_stays(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.page.evaluate("window.harness.outbox.refuses = 'the disk is full'")
    sheets.open("unseen")
    sheets.chip("Whose play was not seen", "Ben")
    expect(sheets.dialog.get_by_role("alert")).to_contain_text("the disk is full")
    sheets.page.evaluate("window.harness.outbox.refuses = null")
    sheets.chip("Whose play was not seen", "Ben")
    sheets.wait_closed()
    assert [one["tag"] for one in sheets.recorded()] == ["play.unseen"]


def test_a_sheet_that_is_dismissed_records_nothing(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.open("void")
    sheets.page.keyboard.press("Escape")
    sheets.wait_closed()
    assert sheets.recorded() == []
    assert sheets.page.evaluate("window.harness.changes") == 0


def test_an_unknown_time_is_left_out(sheets: Sheets) -> None:
    sheets.start(PLAYED, at_ms=None)
    sheets.open("lifted")
    sheets.chip("What was lifted", "Both dice")
    sheets.wait_closed()
    assert sheets.recorded()[0]["body"] == {"seat": "two"}


def test_what_was_recorded_is_announced(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.open("lifted")
    sheets.chip("What was lifted", "Both dice")
    expect(sheets.page.locator("#live-region")).to_have_text("Recorded: Dice lifted early")


def test_typing_on_the_menu_searches_it_and_enter_opens_what_was_found(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.menu()
    sheets.page.keyboard.type("zugzwang")
    expect(sheets.dialog).to_contain_text("Nothing has these letters.")
    sheets.page.keyboard.press("Control+A")
    sheets.page.keyboard.type("run out")
    assert sheets.dialog.locator("[data-sheet]:visible").all_inner_texts() == ["Time has run out"]
    sheets.page.keyboard.press("Enter")
    expect(sheets.dialog.get_by_role("heading", level=2)).to_have_text("Time has run out")


@pytest.mark.parametrize(
    ("language", "typed", "found"),
    [
        ("en", "dispute", "Players disagree"),
        ("en", "flag", "Time has run out"),
        ("en", "Referee", "Call director"),
        ("en", "resign", "Resignation"),
        ("de", "streit", "Spieler sind uneinig"),
        ("de", "illegal", "Regelwidriger Zug bemerkt"),
        ("de", "kippe", "Neu würfeln"),
    ],
)
def test_the_menu_finds_a_sheet_by_what_people_call_it(
    sheets: Sheets, language: str, typed: str, found: str
) -> None:
    sheets.start(PLAYED, language=language)
    sheets.menu()
    sheets.page.keyboard.type(typed)
    assert sheets.dialog.locator("[data-sheet]:visible").all_inner_texts() == [found]


@pytest.mark.parametrize("length", [7, None])
def test_a_beaver_is_at_hand_where_a_double_waits_in_money_play_alone(
    sheets: Sheets, length: int | None
) -> None:
    tag, opened = DOUBLED[0]
    sheets.start([(tag, {**opened, "length": length}), *DOUBLED[1:]])
    sheets.menu()
    at_hand = sheets.dialog.locator(".first [data-sheet=beaver]")
    expect(at_hand).to_have_count(1 if length is None else 0)


def test_that_time_has_run_out_is_at_hand_wherever_a_clock_is_set(sheets: Sheets) -> None:
    at_hand = sheets.dialog.locator(".first [data-sheet=clock_flag]")
    sheets.start(PLAYED)
    sheets.menu()
    expect(at_hand).to_have_count(0)
    reserve = {"one": 840_000, "two": 840_000}
    sheets.start([*PLAYED, ("clock.set", {"kind": "simple", "reserve_ms": reserve})])
    sheets.menu()
    expect(at_hand).to_have_count(1)


def test_a_reroll_with_pictures_is_recorded_by_keys_alone(sheets: Sheets) -> None:
    sheets.start(SECOND)
    keyboard = sheets.page.keyboard
    sheets.menu()
    expect(sheets.dialog.locator(".first [data-sheet=void]")).to_be_focused()
    keyboard.press("Enter")
    group = sheets.group("Why the roll does not count")
    expect(group.get_by_role("button").first).to_be_focused()
    _tab_to(sheets, "Contested: describe each die …")
    keyboard.press("Enter")
    _tab_to(sheets, "Balanced on an edge")
    keyboard.press("Space")
    _tab_to(sheets, "Cocked")
    keyboard.press("ArrowRight")
    keyboard.press("Enter")
    _tab_to(sheets, "Record")
    keyboard.press("Enter")
    sheets.wait_closed()
    (found,) = sheets.recorded()
    assert found["body"]["reason"] == "off_board"
    assert found["body"]["observations"][0]["balanced_on"] == "edge"


def _tab_to(sheets: Sheets, name: str) -> None:
    for _ in range(80):
        sheets.page.keyboard.press("Tab")
        focused = sheets.page.evaluate("document.activeElement.textContent")
        if focused.strip() == name:
            return
    raise AssertionError(f"no way to {name!r} by the tab key")


# The pictures mean what the FAQ's figures mean.

FIGURES = {
    "FIG-01": "peeling",
    "FIG-02": "in_dip",
    "FIG-03": "two_heights",
    "FIG-04": "on_die",
    "FIG-05": "by_bar",
    "FIG-06": "checker_and_rail",
    "FIG-07": "by_rail",
    "FIG-08": "by_die",
    "FIG-09": "checker_touching_rail",
    "FIG-11": "on_corner",
    "FIG-12": "in_gap",
    "FIG-14": "field_and_checker",
    "FIG-15": "two_heights",
    "DX-01": "wrong_side",
    "DX-03": "on_bar",
    "DX-04": "on_floor",
    "DX-05": "came_back",
    "DX-06": "by_checker",
    "DX-07": "overhang",
    "DX-08": "overhang_rail",
    "DX-11": "disturbed",
    "DX-15": "bar_unclear",
    "DX-19": "touching_bar",
    "DX-22": "struck_checker",
}
"""Figure or derived case to its picture; FIG-10 and FIG-13 are others of the same situation."""


@pytest.fixture
def situations(sheets: Sheets) -> dict[str, dict[str, Any]]:
    """What each picture says, by its name."""
    sheets.start(PLAYED)
    found: dict[str, dict[str, Any]] = sheets.page.evaluate(
        """async (base) => {
          const { SITUATIONS } = await import(`${base}/tablet/sheets/pictures.js`);
          return Object.fromEntries(SITUATIONS.map(({ id, seen }) => [id, seen]));
        }""",
        sheets.base,
    )
    return found


PLAIN = {
    "at_rest": "natural",
    "location": "playing_field",
    "rolled_side": "right",
    "rest_side": "right",
    "rests_on": ["field"],
    "first_contact": "field",
    "left_board_and_returned": "none",
    "tilt": "flat",
    "tilt_cause": "none",
}
"""A die of which everything was seen and nothing is out of the ordinary."""

GOLDEN = Path(__file__).parents[1] / "golden" / "rules" / "dice.yaml"


def _figures() -> dict[str, dict[str, Any]]:
    """What the golden cases say of the die of each figure."""
    found = {}
    for case in yaml.load(GOLDEN.read_text("utf-8"), yaml.CSafeLoader):
        if case["id"] in FIGURES:
            told = re.search(r"observations: (\[.*\])\}", case["events"])
            assert told is not None, case["id"]
            first = yaml.load(told[1], yaml.CSafeLoader)[0]
            found[case["id"]] = {**PLAIN, **{k: v for k, v in first.items() if k != "else"}}
    return found


def _judged(observed: dict[str, Any], rule_set: str) -> Any:
    """What a rule set says to a throw whose first die came to rest so, the other one plainly."""
    rolled = {"seat": "two", "dice": [3, 1], "observations": [observed, PLAIN]}
    events = [
        RecordedEvent(
            version, entry_id(version), tag, Basis.OBSERVED, decode(tag, msgspec.json.encode(body))
        )
        for version, (tag, body) in enumerate([*PLAYED, ("dice.rolled", rolled)], start=1)
    ]
    return replay(events, rule_set).state.judged.throws.dice[0]


def test_a_picture_is_judged_as_its_figure_under_every_rule_set(
    situations: dict[str, dict[str, Any]],
) -> None:
    figures = _figures()
    assert figures.keys() == FIGURES.keys()
    for figure, picture in FIGURES.items():
        for rule_set in SHELF:
            said = {**situations[picture], "face": 3}
            answer = _judged(said, rule_set)
            assert answer == _judged(figures[figure], rule_set), f"{figure}, {rule_set}"


def test_the_pictures_are_told_apart_by_a_rule_set_that_looks_closely(
    situations: dict[str, dict[str, Any]],
) -> None:
    answers = {name: _judged(said, "usbgf-2017-09") for name, said in situations.items()}
    assert answers["flat"].outcome == "valid"
    assert answers["on_two"].outcome == "valid"
    assert answers["on_edge"].outcome == "invalid"
    assert answers["by_tray_rail"].details["cause"] == "vertical_support"
    assert {answers[name].details["cause"] for name in ("in_tray", "on_table", "off_board")} == {
        "off_field"
    }


WORDS = {
    "at_rest": {"natural", "balanced", "not_at_rest", "disturbed_by_player"},
    "location": {"playing_field", "bar", "tray", "table", "floor", "off_board"},
    "rests_on": {"field", "checker_a", "checker_b", "die_other", "bar", "rail", "tray", "floor"},
    "touching": {"bar", "side_rail", "tray_rail", "die_side", "checker_side"},
    "supported_by": {
        "bar",
        "side_rail",
        "tray_rail",
        "die_side",
        "checker_side",
        "unclear",
    },
    "below_top_of": {"checker_a", "checker_b"},
    "balanced_on": {"edge", "corner"},
    "tilt": {"flat", "tilted", "unknown"},
    "tilt_cause": {
        "surface_imperfection",
        "height_difference",
        "gap",
        "overhang",
        "vertical_support",
        "balance",
    },
    "rest_side": {"left"},
    "first_contact": {"checker"},
    "left_board_and_returned": {"table"},
    "tipped_after_balance": {True},
}
"""The ledger's words for an observation, as `events/payloads/dice.py` lists them."""


def test_a_picture_says_nothing_but_words_of_the_ledger(
    situations: dict[str, dict[str, Any]],
) -> None:
    for name, said in situations.items():
        msgspec.convert(said, Observation)
        for member, value in said.items():
            values = value if isinstance(value, list) else [value]
            assert set(values) <= WORDS[member], f"{name}: {member}"
    shown = {member for said in situations.values() for member in said}
    assert shown == WORDS.keys()


def test_every_picture_differs_in_what_it_says(situations: dict[str, dict[str, Any]]) -> None:
    said = [msgspec.json.encode(one, order="deterministic") for one in situations.values()]
    assert len(set(said)) == len(said)


# What a scribe may record is reachable.

ELSEWHERE = {
    "match.opened": "opens the stream: done by the desk before a tablet is paired",
    "match.deciding_game_ordered": "the director orders it, in the room",
    "result.posted": "what stands on the draw sheet: written where the sheet hangs, in the room",
    "delay.excused": "the director excuses, in the room",
    "clock.delay_forfeited": "the director says which delay is forfeited, in the room",
    "clock.delay_restarted": "the director gives a delay anew, in the room",
    "dice.lift_answered": "told to the director, who enters who was first, in the room",
    "equipment.agreement_ended": "a permission withdrawn is for the director to note, in the room",
    "appeal.filed": "is about a ruling, which is read and appealed in the room",
}
"""What a scribe may append, and no tablet offers: why not."""

TABLET_MODULES = WEB / "static" / "tablet"

BY_THE_APP = {
    "dice.opening_rolled",
    "dice.rolled",
    "play.made",
    "entry.retracted",
    "entry.amended",
    "notice.acknowledged",
}
"""What the ordinary turn and the band of notices record, and no sheet does."""


def _recordable() -> set[str]:
    """Tags that a scribe's device may append to the match it records."""
    scribe = Grant("grant", Role.SCRIBE, ScopeKind.LOG, "open")
    return {kind.tag for kind in KINDS if scribe.may_append("open", "match-1", kind.tag)}


def test_all_that_a_scribe_may_record_can_be_recorded_at_the_tablet() -> None:
    by_sheet = {tag for case in CASES for tag, _ in case.records} | {"evidence.attached"}
    assert _recordable() == by_sheet | BY_THE_APP | ELSEWHERE.keys()
    assert not by_sheet & ELSEWHERE.keys()
    assert not BY_THE_APP & ELSEWHERE.keys()


def test_the_app_itself_names_what_only_it_records() -> None:
    modules = [path for path in TABLET_MODULES.rglob("*.js") if path.parent.name != "sheets"]
    source = "".join(path.read_text("utf-8") for path in modules)
    for tag in BY_THE_APP:
        assert f'"{tag}"' in source, tag


WIDEST = ("early", "clock_set", "clock_read", "delay", "evidence", "dispute", "device")
"""Sheets with the widest rows: all dice, times with their steps, two fields beside each other."""


def test_no_sheet_is_wider_than_a_small_phone(sheets: Sheets) -> None:
    page = sheets.page
    page.set_viewport_size({"width": 320, "height": 568})
    for name in WIDEST:
        sheets.start(PLAYED)
        sheets.open(name)
        beyond = sheets.dialog.evaluate(
            """(sheet) => [...sheet.querySelectorAll("button, input, textarea, dd, label")]
              .filter((one) => one.checkVisibility())
              .filter((one) => one.getBoundingClientRect().right
                > sheet.getBoundingClientRect().left + sheet.clientLeft + sheet.clientWidth + 1)
              .map((one) => one.outerHTML)"""
        )
        assert not beyond, f"{name}: {beyond}"


def test_every_sheet_of_the_menu_is_tried(sheets: Sheets) -> None:
    tried = {case.sheet for case in CASES} | {"evidence", "device"}
    sheets.start(PLAYED)
    sheets.menu()
    names = sheets.dialog.locator(".menu-groups [data-sheet]").evaluate_all(
        "all => all.map((one) => one.dataset.sheet)"
    )
    assert sorted(names) == sorted(tried)


# How they look, and that they advise nobody.

LOOKS = {
    "menu": PLAYED,
    **{case.sheet: case.told for case in CASES},
    "evidence": SECOND,
    "device": PLAYED,
}


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize(
    ("language", "theme", "size"), [("en", "light", TABLET), ("de", "dark", SMALL)]
)
def test_a_sheet_is_accessible_in_both_themes_and_both_sizes(
    sheets: Sheets, language: str, theme: str, size: dict[str, int], name: str
) -> None:
    # One language after the other: a page is loaded anew where it changes. A theme changes colours
    # alone and a size none of them (`test_themes.py`): each is looked at once.
    sheets.page.set_viewport_size({"width": size["width"], "height": size["height"]})
    sheets.start(LOOKS[name], theme=theme, language=language)
    if name == "menu":
        sheets.menu()
    else:
        sheets.open(name)
    sheets.unfold()
    _check_look(sheets, f"sheet-{name}-{theme}-{size['width']}")


def _check_look(sheets: Sheets, name: str) -> None:
    text = sheets.dialog.inner_text()
    assert "tablet.sheet_" not in text
    assert "{" not in text
    assert not re.search(r"\b(pips?|equity|best|hints?|warning)\b", text)
    sheets.settle()
    shot(sheets.page, name)
    check_axe(sheets.page)
    check_targets(sheets.page)
    # Nothing is cut off at the side.
    assert sheets.dialog.evaluate("one => one.scrollWidth <= one.clientWidth + 1")


@pytest.mark.parametrize(
    ("theme", "language", "size"),
    [
        ("light", "en", TABLET),
        ("dark", "de", SMALL),
    ],
)
def test_the_pictures_of_the_dice_are_accessible(
    sheets: Sheets, theme: str, language: str, size: dict[str, int]
) -> None:
    sheets.page.set_viewport_size({"width": size["width"], "height": size["height"]})
    sheets.start(SECOND, theme=theme, language=language)
    sheets.open("void")
    sheets.tap(sheets.dialog.locator(".sheet-foot button"))
    sheets.unfold()
    _check_look(sheets, f"sheet-observation-{theme}-{size['width']}")
    box = sheets.dialog.locator(".observed")
    if shots := os.environ.get("TABULARIUM_SHOTS"):
        sheets.page.set_viewport_size({"width": size["width"], "height": 2400})
        box.screenshot(path=Path(shots) / f"pictures-{theme}-{size['width']}.png")


# Calls that wait.


@pytest.mark.parametrize("start", [*DECISIONS, "claim.ruled", "match.deciding_game_ordered"])
def test_a_call_waits_here_until_the_room_says_that_it_is_dealt_with(
    sheets: Sheets, start: str
) -> None:
    tag = next(kind.tag for kind in KINDS if kind.tag.startswith(start))
    for told, waiting in (
        ([], 1),
        ([("moment.marked", {"target": entry_id(4)})], 1),
        ([("moment.marked", {"target": entry_id(5)})], 0),
        ([(tag, {"by": "director"})], 0),
        # As the server keeps it, which leaves out what goes without saying.
        ([(tag, {})], 0),
    ):
        sheets.start([*CALLED[:5], *told])
        assert _waiting(sheets) == waiting


def test_the_tablet_and_the_room_know_the_same_decisions(sheets: Sheets) -> None:
    sheets.start(CALLED)
    module = f"{sheets.base}/tablet/acts/calls.js"
    ours = sheets.page.evaluate("async (url) => (await import(url)).DECISIONS", module)
    assert tuple(ours) == DECISIONS


def _waiting(sheets: Sheets) -> int:
    found: int = sheets.page.evaluate(
        """async (base) => {
          const { waitingCalls } = await import(`${base}/tablet/acts/calls.js`);
          return waitingCalls(window.harness.outbox.entries).length;
        }""",
        sheets.base,
    )
    return found


# What a scribe sees of it beside the board.


def test_a_call_and_a_mark_are_seen_at_once_and_undo_says_what_it_took_behind_them(
    page: Page, site: Site
) -> None:
    open_tablet(page, site, site.open_match(length=3))
    scribe = Scribe(page)
    start_game(scribe)
    scribe.opening(3, 1)
    newest = page.locator(".lines li").first
    scribe.key("call")
    expect(newest).to_have_text("Director called")
    scribe.key("mark")
    expect(newest).to_have_text("Moment marked")
    scribe.key("undo")
    expect(page.locator(".note")).to_have_text("Taken back: 31")
    expect(page.locator(".next")).to_have_text("Opening roll")
    expect(newest).to_have_text("Moment marked")


def test_who_does_not_agree_reads_that_the_director_is_called(page: Page, site: Site) -> None:
    open_tablet(page, site, site.open_match(length=3))
    scribe = Scribe(page)
    expect(page.locator(".next")).to_have_text("Before the first game")
    start_game(scribe)
    scribe.opening(3, 1)
    scribe.key("played")
    scribe.key("double")
    scribe.key("pass")
    scribe.key_of(ONE, "disagree")
    expect(page.locator(".lines li").nth(1)).to_have_text("Ada calls the director")


def test_a_play_that_its_taps_do_not_tell_is_asked_for_then_left_out_and_can_still_be_told(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    start_game(scribe)
    scribe.opening(2, 5)
    scribe.point(TWO, "13")
    scribe.key("played")
    expect(page.locator(".question .asked")).to_have_text("Ben 52: tap one more point.")
    scribe.dice(6, 6)
    scribe.key("not_seen")
    newest = page.locator(".lines li").first
    expect(newest).to_contain_text("52: 13 …?")
    scribe.key("played")
    expect(newest).to_contain_text("66: play not seen")
    page.locator(".lines li", has_text="13 …?").get_by_role("button").tap()
    for point in ("24", "22", "13", "8"):
        scribe.point(TWO, point)
    expect(page.locator(".lines li").nth(1)).to_contain_text("52: 24/22 13/8")
    scribe.settle()
    told = [(entry["tag"], entry["body"]) for entry in site.entries(match_id)]
    tags = [tag for tag, _ in told]
    assert "play.made" not in tags
    gap = next(body for tag, body in told if tag == "play.unseen")
    assert (gap["seat"], gap["count"], gap["written"]) == ("two", 1, "13")
    assert told[-1][1]["tag"] == "play.made"
    assert sorted(told[-1][1]["body"]["moves"]) == [[13, 8], [24, 22]]


def test_after_a_gap_the_board_is_unknown_and_the_position_has_to_say_whose_turn_it_is(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=3)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    start_game(scribe)
    scribe.opening(3, 1)
    scribe.key("menu")
    page.locator(".first [data-sheet=unseen]").tap()
    page.get_by_role("button", name="More than one play", exact=True).tap()
    expect(page.locator("tb-board.unknown")).to_be_visible()
    expect(page.locator("tb-board .man")).to_have_count(0)
    expect(page.locator(".next")).to_have_text("Whose turn? Menu, Set position")
    scribe.dice(6, 5)
    expect(page.locator(".note")).to_contain_text("Menu, Set position")
    scribe.key("menu")
    page.locator(".first [data-sheet=position]").tap()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Record", exact=True).tap()
    expect(sheet.locator(".missing", has_text="choose one")).to_be_visible()
    whose = sheet.get_by_role("group", name=re.compile("Whose turn it is"))
    whose.get_by_role("button", name="Ben", exact=True).tap()
    sheet.get_by_role("button", name="Record", exact=True).tap()
    expect(page.locator(".next")).to_have_text("Ben to roll")
    scribe.settle()
    stated = site.entries(match_id)[-1]
    assert (stated["tag"], stated["body"]["on_roll"]) == ("position.stated", "two")


LONG = {"one": [{"name": "Maximiliane von Habsburg"}], "two": [{"name": "Bo"}]}


ANSWERED_AT = ((390, 844), (768, 1024), (820, 1180), (1024, 768))
"""The sizes at which players answer; they depend on style sheets alone."""


def test_what_players_answer_stands_within_the_screen_and_one_above_the_other(
    page: Page, site: Site
) -> None:
    terms = {"kind": "simple", "reserve_ms": 360_000, "delay_ms": 12_000}
    open_tablet(page, site, site.open_match(length=3, players=LONG, clock_terms=terms))
    scribe = Scribe(page)
    start_game(scribe)
    scribe.opening(3, 1)
    scribe.key("played")
    scribe.key("double")
    page.locator('.player [data-act="pass"]').wait_for()
    for size in ANSWERED_AT:
        _resize(page, size)
        furthest = _right_of(page, ".player .clock, .player .plate button, .bar button")
        assert furthest <= size[0], size
    scribe.key("pass")
    keys = page.locator('.player [data-act="disagree"]')
    expect(keys).to_have_count(2)
    for size in ANSWERED_AT:
        _resize(page, size)
        left = [box["x"] for one in keys.all() if (box := one.bounding_box()) is not None]
        assert len(left) == 2, size
        assert abs(left[0] - left[1]) <= 1, size
        assert _right_of(page, ".player .clock, .player .plate button") <= size[0], size
        # On a phone points of the board are narrower than a finger: it follows, records nothing.
        if size[0] > 390:
            check_targets(page)
        if size[0] == 820:
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def _resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    draw(page)


def _right_of(page: Page, selector: str) -> float:
    """The right edge of whatever reaches furthest."""
    right: float = page.evaluate(
        """(selector) => Math.max(...[...document.querySelectorAll(selector)]
          .map((one) => one.getBoundingClientRect().right))""",
        selector,
    )
    return right


def test_help_has_a_name_and_answers_what_a_scribe_asks(page: Page, site: Site) -> None:
    open_tablet(page, site, site.open_match(length=3))
    Scribe(page).key("help")
    page.get_by_role("dialog", name="Help", exact=True).wait_for()
    for asked in ("No checker moved", "A wrong tap", "The board does not follow", "The two ticks"):
        assert page.get_by_role("term").filter(has_text=asked).count() == 1


def test_the_next_game_has_the_next_number(sheets: Sheets) -> None:
    sheets.start([*PLAYED, ("game.won", {"winner": "one", "points": 1})])
    sheets.open("game_started")
    sheets.key()
    sheets.wait_closed()
    assert sheets.recorded()[-1]["body"]["number"] == 2


def test_sending_in_vain_says_that_nothing_is_lost(sheets: Sheets) -> None:
    sheets.start(PLAYED)
    sheets.page.evaluate(
        """() => {
          const { outbox } = window.harness;
          outbox.flush = async () => { outbox.status = { ...outbox.status, link: "offline" }; };
        }"""
    )
    sheets.open("device")
    sheets.key("Send now")
    expect(sheets.dialog.get_by_role("alert")).to_contain_text("Everything is kept here")
