"""One plain object per event: the keys that design §6 lists, and what stands in them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from events.envelope import Basis
from events.payloads import clock, dispute, ending, play
from events.payloads.base import WinKind
from events.values import BySeat, Seat
from projections.replay import replay
from projections.rules.answers import left_open, settled
from projections.views.lines import (
    answer_line,
    event_line,
    event_lines,
    known_line,
    outcome_line,
    question_lines,
)
from projections.views.told_acts import played_on
from tests.projections.table import Table, men

ONE, TWO = Seat.ONE, Seat.TWO
START_ID = "4HPwATDgc/ABMA"

KEYS = [
    *("version", "tag", "seat", "dice", "play", "checkers", "position_id", "score", "cube"),
    *("on_roll", "to_act", "turn_open", "clock", "findings"),
]
FINDING_KEYS = [
    *("code", "rule_set", "section", "version", "seat", "message", "said", "severity"),
    *("ambiguity", "verified", "ruling_required", "answered_by", "rests_on"),
]


def _line(table: Table) -> dict[str, Any]:
    shown = table.replay
    return event_line(shown.steps[-1], shown)


def test_every_line_has_the_same_keys() -> None:
    table = Table().clock().game().turns(2).double("one").take("two").win()
    for line in event_lines(table.replay):
        assert list(line) == KEYS
        assert list(line["checkers"]) == list(line["score"]) == ["one", "two"]
        assert list(line["cube"]) == ["value", "owner", "offered_by"]


def test_a_finding_has_its_keys() -> None:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag.ONE)
    (finding,) = _line(Table().clock().record(noticed))["findings"]
    assert list(finding) == FINDING_KEYS
    assert list(finding["ruling_required"]) == [
        *("topic", "readings", "reason", "lean", "suggest", "leaning")
    ]


def test_what_a_device_is_told_of_a_match_that_goes_on_is_what_a_fold_anew_tells() -> None:
    table = Table(5, rule_set="fcbg-tournament").game().turns(2)
    table.record(ending.ResignationOffered(seat=ONE, level=WinKind.GAMMON))
    table.record(ending.ResignationAccepted(seat=TWO), basis=Basis.AGREED)
    table.turns(1).won("two", 1).game().turns(1)
    events = table.events
    grown = replay(events[:1])
    told = []
    for count in range(1, len(events) + 1):
        grown = grown.extended(events[:count])
        told.append((known_line(grown, 0), played_on(grown)))
    assert told == [
        (known_line(anew, 0), played_on(anew))
        for count in range(1, len(events) + 1)
        for anew in [replay(events[:count])]
    ]
    assert [known["version"] for known, _ in told] == [*[1] * 10, *[11] * 4]
    assert played_on(grown) == [events[7].entry_id]


def test_a_play_as_a_line() -> None:
    line = _line(Table().game().turns(1))
    assert {key: line[key] for key in KEYS if key not in ("checkers", "findings")} == {
        "version": 4,
        "tag": "play.made",
        "seat": "one",
        "dice": None,
        "play": "8/5 6/5",
        "position_id": "sGfwATDgc/ABMA",
        "score": {"one": 0, "two": 0},
        "cube": {"value": 1, "owner": None, "offered_by": None},
        "on_roll": "two",
        "to_act": "two",
        "turn_open": "one",
        "clock": None,
    }
    assert line["checkers"]["one"] == list(men("5:2 6:4 8:2 13:5 24:2"))
    assert line["checkers"]["two"] == list(men("6:5 8:3 13:5 24:2"))


@pytest.mark.parametrize(
    ("table", "dice"),
    [
        (Table().game().opening(2, 6), [2, 6]),
        (Table().game().turns(1).roll("two", 24), [2, 4]),
        (Table().game().turns(1).early("two", 24), [2, 4]),
        (Table().game().turns(1).void(seat="two"), None),
        (Table().scene("race", dice=(6, 1)), [6, 1]),
        (Table().game().turns(1).carry_out(dice=(6, 1)), [6, 1]),
        (Table().game().turns(1), None),
    ],
)
def test_dice_are_as_written(table: Table, dice: list[int] | None) -> None:
    assert _line(table)["dice"] == dice


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (Table().scene("blot").turn("one", 31, "6/5 8/5"), "8/5* 6/5"),
        (Table().scene("dance").turn("one", 65), ""),
        (Table().scene("race").turn("one", 61, "6/off 1/off"), "6/off 1/off"),
        (Table().scene("forced").turn("one", 65, "25/20"), "bar/20"),
        (Table().game().roll("one", 31), None),
        (Table().win().play("one", "8/5"), "8/5"),
    ],
)
def test_plays_are_in_canonical_text(table: Table, text: str | None) -> None:
    assert _line(table)["play"] == text


def test_a_play_told_by_its_end_has_no_text() -> None:
    end = BySeat(men("6:15"), men("6:15"))
    table = Table().game().opening(3, 1).play("one", resulting_position=end)
    assert _line(table)["play"] is None
    assert _line(table.revise("one", table.last, resulting_position=end))["play"] is None


def test_a_corrected_play_has_its_text_unless_the_board_was_set() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    assert _line(table.correct(made, "8/5 6/5"))["play"] == "8/5 6/5"
    board = BySeat(men("6:15"), men("6:15"))
    assert _line(table.correct(made, checkers=board))["play"] is None


def test_the_position_id_is_for_the_player_on_roll() -> None:
    table = Table().game().opening(3, 1)
    assert _line(table)["position_id"] == START_ID
    one = _line(table.play("one", "8/5 6/5"))["position_id"]
    assert _line(table.roll("one", 31))["position_id"] != one


@pytest.mark.parametrize(
    "table",
    [
        Table(),
        Table().game(),
        Table().win(),
        Table().game().turns(1).record(play.PlayUnseen(seat=TWO)),
        Table().game().stated("6:16", "6:15", on_roll=ONE),
    ],
)
def test_there_is_no_position_id_where_none_can_be_said(table: Table) -> None:
    assert _line(table)["position_id"] is None


def test_fewer_than_fifteen_men_are_counted_and_have_their_id() -> None:
    line = _line(Table().game().stated("6:14", "6:15", on_roll=ONE))
    assert line["checkers"]["one"][0] == 0
    assert line["position_id"]


def test_checkers_are_null_while_the_board_is_unknown() -> None:
    line = _line(Table().game().turns(1).record(play.PlayUnseen(seat=TWO)))
    assert line["checkers"] == {"one": None, "two": None}


def test_the_event_that_ends_a_game_changes_the_score_uncapped() -> None:
    table = Table(3).game().cube_is(4, "one").scene("backgammon").turn("one", 65, "2/off")
    line = _line(table)
    assert line["score"] == {"one": 12, "two": 0}
    assert (line["on_roll"], line["to_act"], line["turn_open"]) == (None, None, None)
    assert line["checkers"]["one"][0] == 15


def test_a_waiting_double_names_who_offered_it() -> None:
    line = _line(Table().game().turns(2).double("one"))
    assert line["cube"] == {"value": 1, "owner": None, "offered_by": "one"}
    assert (line["on_roll"], line["to_act"]) == ("one", "two")


def test_the_clock_shows_reserves_and_whose_time_runs() -> None:
    line = _line(Table().clock().press("one", 40))
    assert line["clock"] == {"reserve_ms": {"one": 812_000, "two": 840_000}, "running": "two"}


def test_a_question_carries_the_ruling_that_answered_it_later() -> None:
    table = Table().clock().record(clock.ClockFlagNoticed(whose=clock.Flag.ONE))
    question = dispute.Question(topic="clock.flag", at=table.last, seat=ONE)
    answer = dispute.Answer(question=question, reading="play_on")
    shown = table.record(dispute.RulingMade(answers=(answer,))).replay
    assert event_line(shown.steps[3], shown)["findings"][0]["answered_by"] == 5


def test_a_question_says_what_a_ruling_names_it_by_and_then_its_answer() -> None:
    noticed = clock.ClockFlagNoticed(whose=clock.Flag.ONE)
    table = Table().clock().record(noticed)
    at = table.last
    [question] = question_lines(table.replay)
    assert (question["at"], question["version"], question["answered"]) == (at, 4, None)
    asked = dispute.Question(
        topic=question["topic"], at=at, seat=question["seat"] and Seat(question["seat"])
    )
    answer = dispute.Answer(question=asked, reading="play_on")
    table.record(dispute.RulingMade(answers=(answer,), at_ms=60_000))
    [question] = question_lines(table.replay)
    assert question["answered"] == {"version": 5, "reading": "play_on", "at_ms": 60_000}


def test_an_answer_is_plain_json_whatever_its_details_hold() -> None:
    beside = left_open("silent", "4.10", "a", "b")
    answer = msgspec.structs.replace(
        settled("match_won", "4.8", winner=ONE, score=BySeat(7, 8), lengths=frozenset({9, 7})),
        lean={"outcome": "x", "winner": TWO},
        also={"sanction": beside},
    )
    line = answer_line(answer)
    assert line is not None
    assert line["details"] == {
        "winner": "one",
        "score": {"one": 7, "two": 8},
        "lengths": [7, 9],
    }
    assert line["lean"] == {"outcome": "x", "winner": "two"}
    assert line["also"]["sanction"]["readings"] == ["a", "b"]
    assert answer_line(None) is None


def test_the_outcome_is_open_until_somebody_has_won() -> None:
    table = Table(1).game()
    before = outcome_line(table.state)
    assert (before["winner"], before["by"], before["version"]) == (None, None, None)
    after = outcome_line(table.win().state)
    assert (after["winner"], after["by"], after["rule_set"]) == ("one", "score", "common")
    assert after["version"] == len(table.events)
