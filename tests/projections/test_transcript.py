"""The transcript, and the playthrough of a home-made match held against its golden text.

`TABULARIUM_REWRITE=1 uv run pytest tests/projections/test_transcript.py` writes the golden text
anew; look at the difference before it is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from events.envelope import RecordedEvent
from events.payloads import play
from projections.replay import replay
from projections.transcript import transcript
from tests.projections.playthroughs import NAMES, home_match, written
from tests.projections.streams import STREAMS
from tests.projections.table import Table

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "playthroughs"


@pytest.mark.parametrize("shown", ["as-corrected", "as-recorded"])
def test_the_playthrough_of_the_home_match_is_the_golden_one(shown: str) -> None:
    text = written(replay(home_match().events, as_recorded=shown == "as-recorded"))
    path = GOLDEN / f"home-match-{shown}.txt"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8").splitlines() == text.splitlines()


def _lines(table: Table) -> list[str]:
    return transcript(table.replay, NAMES)


def test_turns_stand_in_two_columns() -> None:
    assert _lines(Table().game().turns(3)) == [
        "Game 1",
        "     Ada: 0                            Ben: 0",
        "  1) 31: 8/5 6/5                       42: 8/4 6/4",
        "  2) 61: 13/7 8/7",
    ]


def test_the_right_column_begins_where_seat_two_does() -> None:
    assert _lines(Table().game().turns(1, winner="two"))[-1] == f"  1) {'':34}31: 8/5 6/5"


def test_cube_acts_stand_in_their_columns() -> None:
    lines = _lines(Table().game().turns(2).double("one").take("two").roll("one", 61))
    assert lines[-2:] == [f"  2) {'doubles to 2':34}takes", "  3) 61:"]


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (Table().win(), "     Ada wins 1 point"),
        (Table(2).win("gammon"), "     Ada wins 2 points with a gammon and the match"),
        (Table().game().turns(2).double("one").drop("two"), "     Ada wins 1 point, by drop"),
        (Table().game().turns(2).won("two", 3), "     Ben wins 3 points, by claim"),
        (
            Table().game().turns(2).resign("one", "gammon").accept("two"),
            "     Ben wins 2 points with a gammon, by resignation",
        ),
    ],
)
def test_a_game_ends_with_who_won_it_and_how(table: Table, line: str) -> None:
    assert line in _lines(table)


def test_a_game_says_its_score_and_that_it_is_the_crawford_game() -> None:
    lines = _lines(Table(7, score=(6, 3)).game())
    assert lines[0] == "Game 1, Crawford game"
    assert lines[1].split() == ["Ada:", "6", "Ben:", "3"]


def test_a_row_that_was_interrupted_goes_on_under_its_number() -> None:
    lines = _lines(Table().game().turns(1).void(seat="two").roll("two", 42))
    assert lines[-2:] == [
        "      roll of Ben does not count: cocked",
        f"  1) {'':34}42:",
    ]


def test_an_irregularity_is_marked_and_a_note_is_not() -> None:
    lines = _lines(Table().game().opening(3, 1).play("one", "8/5 6/4").won("one", 1))
    assert any(line.startswith("    ! 8/5 6/4 with 31") for line in lines)
    assert any(line.startswith("    - one wins 1 by claim") for line in lines)


def test_hits_are_starred() -> None:
    assert "  1) 31: 8/5* 6/5" in _lines(Table().scene("blot").turn("one", 31, "8/5 6/5"))


def test_a_gap_is_told() -> None:
    table = Table().game().turns(1).record(play.PlayUnseen())
    assert _lines(table)[-1].strip() == "something was played that nobody saw"


def test_a_match_that_nobody_began_has_no_lines() -> None:
    assert transcript(replay([])) == []


@settings(max_examples=80, deadline=None)
@given(STREAMS)
def test_every_record_can_be_told(events: list[RecordedEvent]) -> None:
    lines = transcript(replay(events))
    assert all("\n" not in line for line in lines)
