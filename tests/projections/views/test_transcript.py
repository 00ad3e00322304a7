"""The transcript, and the playthrough of a home-made match held against its golden text.

`TABULARIUM_REWRITE=1 uv run pytest tests/projections/views/test_transcript.py` writes the golden
text anew; look at the difference before it is kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from events.envelope import RecordedEvent
from events.payloads import appeal, attendance, dispute, match, penalty, play
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO
from projections.replay import replay
from projections.views.topics import TOPICS, topic_words
from projections.views.transcript import transcript
from tests.projections.playthroughs import NAMES, home_match, written
from tests.projections.streams import STREAMS
from tests.projections.table import Table

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "playthroughs"
WEB = Path(__file__).resolve().parents[3] / "api" / "web"


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


def test_a_game_that_is_ruled_to_count_otherwise_is_told_with_what_it_counts() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 0), jacoby="on").game().win("gammon")
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    answer = dispute.Answer(question=question, reading="single")
    lines = transcript(table.record(dispute.RulingMade(answers=(answer,))).replay, NAMES)
    ends = [line.strip() for line in lines if "wins" in line and "!" not in line]
    assert ends[-2:] == [
        "Ada wins 2 points with a gammon and the match",
        "Ada wins 1 point with a gammon",
    ]


def test_a_game_says_its_score_and_that_it_is_the_crawford_game() -> None:
    lines = _lines(Table(7, score=(6, 3)).game())
    assert lines[0] == "Game 1, Crawford game"
    assert lines[1].split() == ["Ada:", "6", "Ben:", "3"]


def test_penalty_points_that_enter_the_score_are_in_it() -> None:
    """As in every other view of the match: FCBG awards them to the opponent."""
    late = attendance.PlayerArrived(seat=TWO, at_ms=900_000)
    lines = _lines(Table(7, rule_set="fcbg-tournament").record(late).game().won("one", 6).ended())
    assert lines[lines.index("Game 1") + 1].split() == ["Ada:", "1", "Ben:", "0"]
    assert lines[-1].strip() == "the match is over: 7-0"


def test_a_row_that_was_interrupted_goes_on_under_its_number() -> None:
    lines = _lines(Table().game().turns(1).void(seat="two").roll("two", 42))
    assert lines[-2:] == [
        "      roll of Ben does not count: cocked",
        f"  1) {'':34}42:",
    ]


def test_an_irregularity_is_marked_and_a_note_is_not() -> None:
    lines = _lines(Table().game().opening(3, 1).play("one", "8/5 6/4").won("one", 1))
    assert any(line.startswith("    ! Ada plays 8/5 6/4 with 31") for line in lines)
    assert any(line.startswith("    - Ada is entered as the winner of 1 point:") for line in lines)


def test_hits_are_starred() -> None:
    assert "  1) 31: 8/5* 6/5" in _lines(Table().scene("blot").turn("one", 31, "8/5 6/5"))


def test_a_gap_is_told() -> None:
    table = Table().game().turns(1).record(play.PlayUnseen())
    assert _lines(table)[-1].strip() == "something was played that nobody saw"


def test_a_match_that_nobody_began_has_no_lines() -> None:
    assert transcript(replay([])) == []


@pytest.mark.gate
@settings(max_examples=80, deadline=None)
@given(STREAMS)
def test_every_record_can_be_told(events: list[RecordedEvent]) -> None:
    lines = transcript(replay(events))
    assert all("\n" not in line for line in lines)


def _ruling(topic: str, at: str) -> dispute.RulingMade:
    question = dispute.Question(topic=topic, at=at)
    return dispute.RulingMade(answers=(dispute.Answer(question=question, reading="as_rolled"),))


@pytest.mark.parametrize(
    ("payload", "line"),
    [
        (attendance.PlayerCalled(seat=ONE, at_ms=-180_000), "Ada is called to the table at -3:00"),
        (attendance.PlayerArrived(seat=TWO, at_ms=723_000), "Ben arrives at +12:03"),
        (attendance.PlayerArrived(seat=TWO), "Ben arrives"),
        (attendance.PlayerLeft(seat=ONE), "Ada leaves"),
        (attendance.BreakStarted(seats=(ONE, TWO), at_ms=0), "break: Ada and Ben at +0:00"),
        (attendance.BreakEnded(at_ms=3_600_000), "the break is over at +60:00"),
        (
            attendance.DelayNoted(seat=ONE, kind=attendance.DelayKind.BREAK, excess_ms=61_000),
            "Ada is 1:01 late: break",
        ),
        (attendance.DelayExcused(seat=ONE), "the delay of Ada is excused"),
        (match.MatchLengthBelieved(seat=TWO, length=9), "Ben believes in a match to 9"),
        (
            match.MatchLengthErrorFound(wrong=5, correct=7, during_game=False),
            "wrong length found: played to 5, posted to 7",
        ),
        (match.DecidingGameOrdered(), "a deciding game is ordered"),
        (penalty.PenaltyWaived(target="x"), "all penalty points are waived"),
        (penalty.SlowPlayWarned(seat=TWO), "Ben is warned of slow play"),
        (penalty.SanctionImposed(seat=ONE, kind="no_prize"), "sanction against Ada: no prize"),
        (dispute.DirectorCalled(), "the director is called"),
        (dispute.DirectorCalled(by=Actor.MONITOR), "the director is called by the monitor"),
        (
            dispute.DisputeRaised(
                by=Actor.BOTH,
                topic="cube.value",
                readings=(
                    dispute.Reading(by=Actor.ONE, reading="two"),
                    dispute.Reading(by=Actor.TWO, reading="four"),
                ),
            ),
            "dispute by both players: what the cube shows (Ada says two; Ben says four)",
        ),
        (_ruling("dice.validity", "x"), "ruling: whether a roll counts: as rolled"),
        (appeal.AppealFiled(seat=ONE, target="x"), "Ada appeals"),
        (
            appeal.AppealFiled(seat=ONE, target="x", on=appeal.AppealOn.FACT_AND_RULE),
            "Ada appeals (fact and rule)",
        ),
        (appeal.AppealRefused(appeal="x"), "the appeal is refused"),
        (appeal.CommitteeConvened(size=3), "a committee of 3 is convened"),
        (appeal.CommitteeMemberRecused(member="m2"), "member 2 of the committee steps down"),
        (
            appeal.CommitteeLeakNoted(learned=("player_names", "other")),
            "the committee has learned: player names, other",
        ),
        (appeal.VoteCast(member="m1", vote=appeal.Vote.UPHOLD), "member 1 votes: uphold"),
        (
            appeal.VoteDirectorCast(vote=appeal.Vote.MODIFY, proposal="play_on"),
            "the director votes: modify (play on)",
        ),
        (appeal.VoteDirectorDeclined(), "the director does not vote"),
        (
            appeal.AppealDecided(outcome=appeal.AppealOutcome.REVERSED),
            "appeal decided: the ruling is reversed",
        ),
        (appeal.DecisionReported(to="BIBA"), "the decision is reported to BIBA"),
    ],
)
def test_what_people_do_beside_the_board_is_told_in_a_line(payload: Payload, line: str) -> None:
    assert f"      {line}" in _lines(Table(7).game().record(payload))


def test_what_comes_before_the_first_game_has_a_heading_of_its_own() -> None:
    table = Table(7, rule_set="usbgf-2017-07")
    for seat, at_ms in ((ONE, 0), (TWO, 720_000)):
        table.record(attendance.PlayerArrived(seat=seat, at_ms=at_ms))
    lines = _lines(table.game())
    assert lines[:3] == [
        "Before the first game",
        "      Ada arrives at +0:00",
        "      Ben arrives at +12:00",
    ]
    assert lines[3].startswith("    ! 1 penalty point")
    assert lines[4:6] == ["", "Game 1"]


def test_what_is_told_stands_in_the_order_of_the_entries() -> None:
    table = Table(7).game().turns(1)
    table.record(dispute.DirectorCalled(by=Actor.TWO)).record(
        appeal.AppealFiled(seat=TWO, target="x")
    )
    table.record(appeal.CommitteeConvened(size=3))
    told = [line.strip() for line in _lines(table) if line.startswith("      ")]
    assert told == ["the director is called by Ben", "Ben appeals", "a committee of 3 is convened"]


def test_topics_are_called_as_the_texts_of_the_replay_call_them() -> None:
    texts = json.loads((WEB / "texts" / "en" / "replay.json").read_text("utf-8"))
    begin = "replay.word."
    named = {key.removeprefix(begin): text for key, text in texts.items() if key.startswith(begin)}
    assert dict(TOPICS) == {topic: text for topic, text in named.items() if "." in topic}
    assert topic_words("match_length.some-thing") == "match length some thing"
