"""The SGF writer: the content of the file, its losses, and reading back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from api.exchange import writers as formats
from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from api.exchange.sgf import writer as sgf_writer
from api.exchange.writing.kinds import COMMENT
from api.exchange.writing.losses import TABLE
from api.exchange.writing.wanted import Details, Wanted, Written
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, cube, dice, dispute, ending, match, penalty, play
from events.payloads.base import Actor, WinKind
from events.values import BySeat, CheckerMove, Seat
from projections.replay import Replay, replay
from tests.api.exchange.recorded import events_of, spread
from tests.api.exchange.roundtrip import IN_WORDS, differences
from tests.projections.streams import STREAMS, legal_match, of_every_kind
from tests.projections.table import Table, scene_of

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

NAMES = BySeat("Ada", "Ben")

WORDS = IN_WORDS | {"set-up", "beaver"}
"""Kinds of loss whose fact is in the file all the same."""


def write(replayed: Replay, **wanted: Any) -> Written:
    return sgf_writer.WRITER.write(replayed, Wanted(names=NAMES, **wanted))


def text(replayed: Replay, **wanted: Any) -> str:
    return write(replayed, **wanted).text


def back(written: Written) -> Replay:
    (found,) = read_file(written.content, "export.sgf")
    return replay(events_of(found))


def begun(length: int | None = 5, **told: Any) -> Table:
    """A match in which one has played the first roll."""
    table = Table(length, **told)
    table.game()
    table.roll("one", 31)
    moves = (CheckerMove(8, 5), CheckerMove(6, 5))
    return table.record(play.PlayMade(seat=Seat.ONE, moves=moves))


def kinds(written: Written) -> set[str]:
    return {loss.kind for loss in written.losses}


# -- what stands in the file ------------------------------------------------------------------


def test_a_small_match_whole() -> None:
    table = begun(3)
    table.record(cube.DoubleOffered(seat=Seat.TWO))
    table.record(cube.DoubleTaken(seat=Seat.ONE))
    table.roll("two", 42)
    table.record(play.PlayMade(seat=Seat.TWO, moves=(CheckerMove(8, 4), CheckerMove(6, 4))))
    table.record(ending.ResignationOffered(seat=Seat.ONE, level=WinKind.SINGLE))
    table.record(ending.ResignationAccepted(seat=Seat.TWO))
    table.game()
    details = Details(event="Open", round="2", place="Hall", date="2026.01.31", transcriber="Cleo")
    assert text(table.replay, details=details, findings=False) == (
        "(;FF[4]GM[6]CA[UTF-8]AP[Tabularium]MI[length:3][game:0][ws:0][bs:0]PW[Ada]PB[Ben]"
        "DT[2026-01-31]EV[Open]RO[2]PC[Hall]AN[Cleo]RU[Crawford]RE[B+2R]\n"
        ";W[31hefe]\n"
        ";B[double]\n"
        ";W[take]\n"
        ";B[42qusu]C[resignation offered: level single; seat Ada\n"
        "resignation accepted: seat Ben])\n"
        "(;FF[4]GM[6]CA[UTF-8]AP[Tabularium]MI[length:3][game:1][ws:0][bs:2]PW[Ada]PB[Ben]"
        "RU[Crawford:CrawfordGame])\n"
    )


@pytest.mark.parametrize(
    "date",
    [
        *("2026-03-14,15", "2026-03-14 to 2026-03-16", "2026-03-14/16", "2026-03-14 (round 2)"),
        *("2022-07-10T18:30:00+00:00", "in May"),
    ],
)
def test_a_date_that_is_more_than_a_day_is_not_cut(date: str) -> None:
    written = sgf_writer.WRITER.write(begun().replay, Wanted(details=Details(date=date)))
    (again,) = read_file(written.content, "x.sgf")
    assert again.opened["date"] == date
    assert not [loss for loss in written.losses if "other characters" in str(loss)]


@pytest.mark.parametrize("member", ["event", "round", "place", "date", "transcriber"])
@pytest.mark.parametrize("value", ["Open\nthe 2nd", "Open\t2", "Open\0", "Open  2", "\ud800"])
def test_a_detail_that_is_written_in_other_characters_is_a_loss(member: str, value: str) -> None:
    wanted = Wanted(details=Details(**{member: value}))
    losses = sgf_writer.WRITER.write(begun().replay, wanted).losses
    assert [loss for loss in losses if f"{member}, in other characters" in str(loss)]


def test_names_are_withheld_unless_they_are_handed_over() -> None:
    written = sgf_writer.WRITER.write(begun().replay, Wanted())
    assert "PW[Player 1]PB[Player 2]" in written.text


def test_a_name_that_is_cut_stands_in_full_in_the_comment() -> None:
    long = "Anna-Maria " * 5
    written = sgf_writer.WRITER.write(begun().replay, Wanted(names=BySeat(long, "Ben")))
    assert f"PW[{long[:31].strip()}]" in written.text
    assert f"GC[White in full: {long}]" in written.text
    assert "name" in kinds(written)


def test_a_start_in_mid_match_is_the_score_of_the_root() -> None:
    assert "[ws:2][bs:4]" in text(begun(5, score=(2, 4)).replay)


def test_crawford_is_said_game_by_game() -> None:
    assert "RU[Crawford:CrawfordGame]" in text(begun(5, score=(2, 4)).replay)
    played = text(begun(5, score=(2, 4), crawford_played=True).replay)
    assert "RU[Crawford]" in played
    assert "RU" not in text(begun(5, crawford="off").replay)


def test_money_has_length_zero_and_jacoby_where_it_is_on() -> None:
    assert "MI[length:0]" in text(begun(None).replay)
    assert "RU[Jacoby]" in text(begun(None, jacoby="on").replay)


def test_an_illegal_play_is_written_as_made() -> None:
    table = begun()
    table.roll("two", 65)
    moves = (CheckerMove(24, 18), CheckerMove(13, 8), CheckerMove(6, 8))
    table.record(play.PlayMade(seat=Seat.TWO, moves=moves))
    written = write(table.replay)
    assert ";B[65aglqsq]" in written.text
    assert "illegal-steps" not in kinds(written)
    stated = write(table.replay, illegal="stated")
    assert ";PL[B]DI[65]C[played: 24/18 13/8 6/8]\n;PL[W]AE[a:y]AW" in stated.text
    assert "illegal-steps" in kinds(stated)


def test_hops_are_put_in_an_order_that_readers_can_make() -> None:
    table = Table(5)
    table.game()
    table.roll("one", 31)
    moves = (CheckerMove(5, 4), CheckerMove(8, 5))
    table.record(play.PlayMade(seat=Seat.ONE, moves=moves))
    assert ";W[31heed]" in text(table.replay)


def test_what_readers_cannot_make_is_the_board_after_it() -> None:
    table = begun()
    table.roll("two", 11)
    moves = tuple(CheckerMove(6, 5) for _ in range(5))
    table.record(play.PlayMade(seat=Seat.TWO, moves=moves))
    written = write(table.replay)
    assert ";PL[B]DI[11]C[played: 6/5 6/5 6/5 6/5 6/5]\n" in written.text
    assert back(written).state.positions.board == table.replay.state.positions.board


def test_a_position_and_a_cube_that_were_set_are_set_ups() -> None:
    table = begun()
    board = scene_of("race")
    stated = play.PositionStated(
        checkers=board, on_roll=Seat.TWO, cube=play.StatedCube(value=4, owner=Seat.ONE)
    )
    table.record(stated, basis=Basis.AGREED)
    table.roll("two", 61)
    table.record(play.PlayMade(seat=Seat.TWO, moves=(CheckerMove(6, 0), CheckerMove(1, 0))))
    written = write(table.replay)
    assert ";CV[4]\n;CP[w]\n;PL[B]AE[a:y]AW[a][a]" in written.text
    assert back(written).state.cube.value == 4
    assert differences(table.replay, written, back(written), in_words=WORDS) == []


def test_void_throws_ties_and_rulings_are_comments() -> None:
    table = Table(5)
    table.game()
    table.record(dice.OpeningRolled(one=4, two=4))
    table.record(dice.OpeningRolled(one=3, two=1))
    moves = (CheckerMove(8, 5), CheckerMove(6, 5))
    table.record(play.PlayMade(seat=Seat.ONE, moves=moves))
    table.void(seat="two")
    table.record(dispute.DirectorCalled(by=Actor.TWO))
    table.record(
        penalty.PenaltyAssessed(seat=Seat.ONE, points=1, ground=penalty.PenaltyGround.LATE_START)
    )
    written = text(table.replay)
    assert "GC[opening roll 44: rolled again]" in written
    comment = re.search(r";W\[31hefe\]C\[(.*)\]\)", written, re.S)
    assert comment is not None
    for line in ("roll of Ben does not count", "the director is called", "1 penalty point"):
        assert line in comment[1]
    plain = write(table.replay, findings=False)
    assert "director" not in plain.text
    assert "dispute" in kinds(plain)


def test_clocks_are_comments_if_they_are_wanted() -> None:
    table = begun()
    reserve = BySeat(720_000, 720_000)
    table.record(clock.ClockSet(kind=clock.ClockKind.SIMPLE, reserve_ms=reserve))
    table.record(clock.ClockStarted(seat=Seat.TWO, at_ms=0))
    assert "clock set: simple; Ada 12:00, Ben 12:00" in text(table.replay)
    without = write(table.replay, clocks=False)
    assert "clock" not in without.text
    assert "clock" in kinds(without)


def test_findings_are_comments_with_their_rule() -> None:
    table = begun()
    table.roll("two", 31)
    table.record(play.PlayMade(seat=Seat.TWO, moves=(CheckerMove(24, 18),)))
    assert "24/18 with 31: that is not what the dice show [common Movement\\]" in text(table.replay)
    assert "not what the dice show" not in text(table.replay, findings=False)


def test_personal_values_stay_out() -> None:
    commitment = "5" * 64
    table = begun()
    table.record(dice.Voided(reason=dice.VoidReason.COCKED, note=commitment))
    assert commitment not in text(table.replay)


def test_a_game_begun_after_the_match_was_won_is_a_limit() -> None:
    table = begun(1)
    table.record(match.GameWon(winner=Seat.ONE, points=1))
    table.game()
    assert "limit" in kinds(write(table.replay))


def test_a_match_without_a_game_comes_back_as_one() -> None:
    written = write(Table(7).replay)
    assert "MI[length:7]PW" in written.text
    shown = back(written)
    assert (shown.state.score.length, shown.state.score.game_number) == (7, 0)


# -- losses -----------------------------------------------------------------------------------


def test_the_doors_offer_it() -> None:
    assert formats.WRITERS["sgf"] is sgf_writer.WRITER


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(STREAMS)
def test_every_comment_that_is_promised_is_in_the_file(events: list[RecordedEvent]) -> None:
    written = write(replay(events))
    promised = sum(loss.count for loss in written.losses if loss.kind == COMMENT)
    comments = re.findall(r"C\[((?:[^\\\]]|\\.)*)\]", written.text)
    assert sum(comment.count("\n") + 1 for comment in comments) >= promised


# -- round trips ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["galaxy_3pt.txt", "gnubg_3pt.mat", "studio_5pt.txt", "xg_7pt.txt", "hub_3pt.sgf"]
)
def test_a_home_made_file_comes_back(name: str) -> None:
    path = Path(__file__).parents[2] / "golden" / "files" / name
    (found,) = read_file(path.read_bytes(), name)
    shown = replay(events_of(found))
    written = write(shown)
    assert differences(shown, written, back(written), in_words=WORDS) == []
    assert back(written).state.score.score == shown.state.score.score


@pytest.mark.gate
@pytest.mark.parametrize("length", [5, None])
def test_generated_matches_come_back(length: int | None) -> None:
    for seed in range(10):
        shown = legal_match(seed, length=length).replay
        written = write(shown)
        assert differences(shown, written, back(written), in_words=WORDS) == []


def _comes_back(events: list[RecordedEvent]) -> None:
    shown = replay(events)
    written = write(shown)
    assert differences(shown, written, back(written), in_words=WORDS) == []


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(STREAMS)
def test_any_stream_comes_back_up_to_its_losses(events: list[RecordedEvent]) -> None:
    _comes_back(events)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(STREAMS)
def test_any_of_many_streams_comes_back_up_to_its_losses(events: list[RecordedEvent]) -> None:
    _comes_back(events)


@pytest.mark.gate
@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.long)])
def test_no_type_of_event_is_left_out_in_silence(count: int) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(of_every_kind())
    def comes_back(events: list[RecordedEvent]) -> None:
        assert {event.tag for event in events} == set(TABLE)
        _comes_back(events)

    comes_back()


def _real_matches_come_back(shelf: Any, recorded: Recorded, step: int) -> int:
    chosen = spread(shelf.read, step)
    for row, found in chosen:
        shown = replay(recorded(found))
        written = write(shown)
        again = back(written)
        assert differences(shown, written, again, in_words=WORDS) == [], row["plies"]
        assert again.state.score.score == shown.state.score.score
        assert _without_comments(write(again).text) == _without_comments(written.text)
    return len(chosen)


def _without_comments(text: str) -> str:
    return re.sub(r"G?C\[(?:[^\\\]]|\\.)*\]", "", text)


@pytest.mark.gate
def test_a_real_match_of_every_kind_comes_back(shelf: Any, recorded: Recorded) -> None:
    assert _real_matches_come_back(shelf, recorded, 24) >= 30


@pytest.mark.long
def test_every_real_match_comes_back(shelf: Any, recorded: Recorded) -> None:
    assert _real_matches_come_back(shelf, recorded, 1) >= 467
