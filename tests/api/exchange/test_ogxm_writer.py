"""The OGXM writer: reading back, notes, and a loss for every fact left out."""

from __future__ import annotations

import itertools
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.exchange.ogxm import codec as ogxm_codec
from api.exchange.ogxm.notes import MATCH, MAX_NOTES, Notes
from api.exchange.ogxm.writer import WRITER
from api.exchange.readers import read_file
from api.exchange.writers import WRITERS
from api.exchange.writing.kinds import KEPT
from api.exchange.writing.losses import OGXM
from api.exchange.writing.wanted import Details, NotWritten, Wanted
from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, match, penalty, play
from events.payloads.base import Option, Payload
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import Position
from projections.replay import Replay, replay
from tests.api.exchange.conftest import events_of
from tests.api.exchange.ogxm_documents import (
    board_of,
    boards_read,
    codec,
    essence,
    kinds,
    notes_of,
    written,
)
from tests.projections.streams import KINDS as PLAUSIBLE
from tests.projections.streams import TABLES, WILD, legal_match
from tests.projections.table import ENTRY, Table, scene_of

__all__ = ["codec"]

ONE, TWO = Seat.ONE, Seat.TWO


def recorded(*payloads: Payload) -> list[RecordedEvent]:
    return [
        RecordedEvent(
            version, ENTRY.format(version), catalogue.tag_of(payload)[0], Basis.OBSERVED, payload
        )
        for version, payload in enumerate(payloads, 1)
    ]


def again(replayed: Replay) -> Replay:
    """The match as its export tells it."""
    (read,) = read_file(written(replayed)[0].content, "export.ogxm")
    return replay(events_of(read))


def noted(read: Any) -> list[dict[str, Any]]:
    """The events that are kept as notes."""
    return [json.loads(line) for value in notes_of(read, "events") for line in value.split("\n")]


# -- the table of losses ---------------------------------------------------------------------


def test_the_doors_offer_it() -> None:
    assert WRITERS["ogxm"] is WRITER


# -- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("length", [None, 1, 5])
def test_a_match_in_order_comes_back(seed: int, length: int | None) -> None:
    before = legal_match(seed, length=length).replay
    after = again(before)
    assert essence(after) == essence(before)
    assert after.state.score.score == before.state.score.score


def test_a_match_is_as_long_as_it_was_found_to_be() -> None:
    table = Table(5).win().win().win().win("gammon", "two")
    wrong = match.MatchLengthErrorFound(wrong=5, correct=7, during_game=False)
    table.record(wrong).win("gammon").win("gammon")
    after = again(table.replay).state.score
    assert (after.length, tuple(after.score), after.winner) == (7, (7, 2), ONE)


NOT_ALIKE = {"gap", "cube", "no-roll"}
"""Kinds of loss after which another match comes back; every other leaves turns and results."""


def comes_back(payloads: list[Payload]) -> None:
    """The export is complete, and the same match unless a loss says otherwise."""
    before = replay(recorded(*payloads))
    export, _ = written(before)
    after = again(before)
    assert kinds(export) & NOT_ALIKE or essence(after) == essence(before)


SPOILS = st.lists(
    st.tuples(st.integers(2, 120), st.sampled_from(PLAUSIBLE).flatmap(lambda kind: kind)),
    max_size=5,
)


def spoiled(seed: int, spoils: list[tuple[int, Payload]], length: int | None) -> list[Payload]:
    """A match in order with anything in between."""
    payloads = [event.payload for event in legal_match(seed, length=length).events]
    for place, payload in spoils:
        payloads.insert(min(place, len(payloads)), payload)
    return payloads


@pytest.mark.gate
@settings(max_examples=25)
@given(st.integers(0, 10_000), SPOILS, st.sampled_from([None, 1, 3, 5]))
def test_a_spoiled_match_comes_back_up_to_its_losses(
    seed: int, spoils: list[tuple[int, Payload]], length: int | None
) -> None:
    comes_back(spoiled(seed, spoils, length))


@pytest.mark.long
@settings(max_examples=1_000)
@given(st.integers(0, 10_000), SPOILS, st.sampled_from([None, 1, 3, 5]))
def test_a_thousand_spoiled_matches_come_back_up_to_their_losses(
    seed: int, spoils: list[tuple[int, Payload]], length: int | None
) -> None:
    comes_back(spoiled(seed, spoils, length))


@pytest.mark.gate
@given(TABLES | WILD)
def test_any_stream_of_events_can_be_written_and_read_again(events: list[RecordedEvent]) -> None:
    export, _ = written(replay(events))
    (read,) = read_file(export.content, "export.ogxm")
    replay(events_of(read))


# -- illegal plays (formats.md 18) -----------------------------------------------------------

SHAPES = {
    "six pips for a 3 and a 1": ("start", (3, 1), ((24, 18),)),
    "a die left unplayed": ("start", (3, 1), ((8, 5),)),
    "hops of a third number": ("start", (6, 3), ((13, 9), (13, 7))),
    "one hop of six pips": ("start", (4, 1), ((8, 2),)),
    "a checker left on the bar": ("forced", (2, 1), ((6, 4), (5, 4))),
    "borne off from afar": ("single away", (6, 6), ((6, 0),)),
    "three hops": ("start", (3, 1), ((8, 5), (6, 5), (24, 23))),
    "two hops of the wrong dice": ("start", (1, 3), ((24, 20), (8, 7))),
    "ten pips": ("start", (3, 3), ((13, 3),)),
    "backwards": ("start", (6, 5), ((24, 18), (13, 8), (6, 8))),
    "onto the own bar": ("start", (2, 1), ((6, 25), (8, 6))),
    "nothing, though something could be played": ("start", (3, 1), ()),
    "all borne off": ("last two", (1, 1), ((6, 0), (1, 0))),
}
"""Name to the scene, the roll and the moves, from the mover's side."""

SCENES = {
    "start": BySeat(Position.start().own, Position.start().other),
    "single away": BySeat(
        tuple({1: 5, 2: 5, 6: 2, 8: 3}.get(point, 0) for point in range(26)),
        tuple({3: 5, 4: 5, 6: 2, 8: 3}.get(point, 0) for point in range(26)),
    ),
}


def illegal_match(shape: str, seat: Seat, *, is_after_dance: bool) -> Replay:
    """A match with an illegal play that stood; the game goes on after it where it can."""
    scene, faces, hops = SHAPES[shape]
    checkers = SCENES.get(scene) or scene_of(scene)
    if seat is TWO:
        checkers = checkers.swap()
    table = Table(5).game()
    table.record(play.PositionStated(checkers=checkers, on_roll=seat))
    if is_after_dance:
        table.roll(seat.other.value, 11)
        table.record(play.PlayMade(seat=seat.other))
    table.roll(seat.value, faces[0] * 10 + faces[1])
    moves = tuple(CheckerMove(*hop) for hop in hops)
    table.record(play.PlayMade(seat=seat, moves=moves))
    mover = seat.other
    for roll in ((5, 3), (6, 2), (4, 4)):
        board = table.state.positions.board
        if board is None or not table.state.flow.in_game:
            break
        own = board if mover is ONE else board.swap()
        plays = list(own.legal_plays(roll))
        table.roll(mover.value, roll[0] * 10 + roll[1])
        table.record(play.PlayMade(seat=mover, moves=plays[0].moves if plays else ()))
        mover = mover.other
    return table.replay


@pytest.mark.parametrize("is_after_dance", [False, True])
@pytest.mark.parametrize("seat", [ONE, TWO])
@pytest.mark.parametrize("shape", SHAPES)
def test_later_boards_are_ours_after_an_illegal_play(
    shape: str, seat: Seat, is_after_dance: bool
) -> None:
    before = illegal_match(shape, seat, is_after_dance=is_after_dance)
    assert "illegal-play" in {finding.code for finding in before.findings}
    export, read = written(before)
    ours = [
        step.after.positions.board
        for step in before.steps
        if isinstance(step.event.payload, play.PlayMade)
    ]
    assert boards_read(read) == ours
    flagged = [ply for ply in read["games"][0]["plies"] if ply.get("illegal")]
    assert (flagged[-1]["d1"], flagged[-1]["d2"]) == SHAPES[shape][1]
    assert "illegal-steps" in kinds(export)
    assert essence(again(before)) == essence(before)


def test_the_hops_of_an_illegal_play_are_a_note() -> None:
    before = illegal_match("six pips for a 3 and a 1", ONE, is_after_dance=False)
    assert notes_of(written(before)[1], "steps") == ["24/18"]


def test_a_hit_left_lying_is_a_turn_passed_for_no_board_of_the_format_holds_it() -> None:
    table = Table(5).game().scene("blot").roll("one", 41)
    table.record(
        play.PlayMade(seat=ONE, moves=(CheckerMove(6, 5), CheckerMove(8, 4)), hits_not_lifted=(5,))
    )
    table.roll("two", 31)
    table.record(play.PlayMade(seat=TWO, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    export, read = written(table.replay)
    assert {"board", "gap"} <= kinds(export)
    assert notes_of(read, "gap") == ["41: 6/5 8/4", "31: 8/5 6/5"]
    (back,) = read_file(export.content, "x.ogxm")
    made = [fact.payload for fact in back.facts if isinstance(fact.payload, play.PlayMade)]
    assert [(told.seat, told.moves) for told in made] == [
        (ONE, (CheckerMove(6, 5), CheckerMove(8, 4))),
        (TWO, (CheckerMove(8, 5), CheckerMove(6, 5))),
    ]


# -- gaps, rolls, boards ---------------------------------------------------------------------


def test_a_play_that_was_not_seen_stays_a_gap() -> None:
    table = Table(5).game().turn("one", 31, "8/5 6/5").roll("two", 42)
    table.record(play.PlayUnseen(seat=TWO))
    table.turn("one", 61, "13/7 8/7")
    export, read = written(table.replay)
    assert "gap" in kinds(export)
    assert notes_of(read, "gap") == ["42", "61: 13/7 8/7"]
    (back,) = read_file(export.content, "x.ogxm")
    assert [fact.tag for fact in back.facts if fact.tag.startswith(("dice", "play"))] == [
        *("dice.rolled", "play.made", "dice.rolled", "play.unseen", "dice.rolled", "play.made")
    ]


def test_a_roll_before_a_resignation_is_a_ply() -> None:
    table = Table(5).game().turn("one", 31, "8/5 6/5").roll("two", 42)
    table.resign("two", "gammon").accept("one")
    export, read = written(table.replay)
    (game,) = read["games"]
    assert game["plies"][-2]["unplayed_roll"]
    assert game["plies"][-1]["resign_value"] == "gammon"
    assert (game["winner"], game["points_won"], game["termination"]) == (0, 2, "resigned")
    assert "roll" not in kinds(export)
    assert essence(again(table.replay)) == essence(table.replay)


def test_a_roll_after_which_the_record_stops_is_a_note_that_comes_back() -> None:
    table = Table(5).game().turn("one", 31, "8/5 6/5").roll("two", 42)
    export, read = written(table.replay)
    assert notes_of(read, "roll") == ["two 42"]
    assert "roll" in kinds(export)
    assert essence(again(table.replay)) == essence(table.replay)


def test_a_board_that_was_set_at_the_start_is_what_the_game_starts_from() -> None:
    table = Table(5).game().scene("race", on_roll="two").turn("two", 31, "6/3 5/4")
    read = written(table.replay)[1]
    board = scene_of("race")
    assert board_of(read["games"][0]["plies"][0]["ogid_before"]) == Position(board.one, board.two)
    assert essence(again(table.replay)) == essence(table.replay)


# -- the cube, the score, the result ---------------------------------------------------------


def test_a_turned_cube_is_what_a_game_starts_with() -> None:
    table = Table(None).game().cube_is(4, "two").turn("one", 31, "8/5 6/5")
    game = written(table.replay)[1]["games"][0]
    assert (game["initial_cube_value"], game["initial_cube_owner"]) == (4, "black")
    assert again(table.replay).state.cube.value == 4


def opened_with(*options: str) -> match.MatchOpened:
    """A money session with these options on."""
    pinned = {name: Option(value="on") for name in options}
    return match.MatchOpened(players=BySeat((), ()), options=pinned)


def test_rules_in_force_are_those_of_the_file() -> None:
    opened = opened_with("jacoby", "beavers", "automatic_doubles")
    read = written(replay(recorded(opened, match.GameStarted())))[1]
    assert (read["jacoby"], read["beavers"], read["auto_doubles"]) == (True, True, True)
    assert not read["crawford"]


def test_automatic_doubles_are_in_force_where_two_a_game_were_agreed() -> None:
    opened = match.MatchOpened(
        players=BySeat((), ()), options={"automatic_doubles": Option(value=2)}
    )
    assert written(replay(recorded(opened, match.GameStarted())))[1]["auto_doubles"]


@pytest.mark.parametrize(
    ("options", "actions"), [(("beavers",), [2, 21, 32, 8]), ((), [2, 21, 22, 36, 8])]
)
@pytest.mark.parametrize("is_taken", [False, True])
def test_a_beaver_is_a_ply_where_it_is_allowed_and_else_a_cube_that_is_set(
    options: tuple[str, ...], actions: list[int], is_taken: bool
) -> None:
    table = Table(is_opened=False).record(opened_with(*options)).game()
    table.turn("one", 31, "8/5 6/5").double("two").beaver("one")
    if is_taken:
        table.take("two")
    table.turn("two", 42, "8/4 6/4")
    assert (table.state.cube.value, table.state.cube.owner) == (4, ONE)
    export, read = written(table.replay)
    plies = read["games"][0]["plies"]
    assert [ply["action_id"] for ply in plies] == actions
    assert plies[-1]["ogid_after"].split(":")[2] == "W2N"
    assert ("cube" in kinds(export)) is (is_taken or not options)
    assert again(table.replay).state.cube.value == 4


def test_a_double_in_the_crawford_game_is_a_note_and_its_take_a_cube_that_is_set() -> None:
    table = Table(5, score=(4, 0)).game().turn("one", 31, "8/5 6/5").double("two").take("one")
    before = table.replay
    export, read = written(before)
    assert before.state.score.is_crawford_game
    last = read["games"][0]["plies"][-1]
    assert (last["cube_value"], last["cube_owner"]) == (2, "white")
    assert notes_of(read, "cube") == ["two double\none take"]
    assert "cube" in kinds(export)


def test_points_are_written_in_full_and_a_score_before_the_record_is_kept() -> None:
    table = Table(5, score=(4, 3), crawford_played=True).game().turn("one", 31, "8/5 6/5")
    table.double("two").take("one").turn("two", 42, "8/4 6/4").win("gammon", winner="one")
    read = written(table.replay)[1]
    assert (read["white_score_start"], read["black_score_start"]) == (4, 3)
    assert read["crawford_played_before_start"]
    assert read["games"][0]["points_won"] == 4
    assert read["result"] == 1
    assert again(table.replay).state.score.score == table.state.score.score


def test_penalty_points_are_a_note_at_the_next_game() -> None:
    table = Table(5).game().turn("one", 31, "8/5 6/5").win("single", winner="one")
    table.score_is(1, 2, basis="ruled").game().turn("one", 31, "8/5 6/5")
    export, read = written(table.replay)
    assert notes_of(read, "score") == ["1-2"]
    assert "score" in kinds(export)
    assert read["games"][1]["plies"][0]["ogid_before"].split(":")[6:8] == ["1", "0"]


# -- notes -----------------------------------------------------------------------------------


def busy_table() -> Table:
    """A match with a clock, a void throw, a penalty and a tie at the opening."""
    table = Table(5).clock().game().opening(4, 4).opening(3, 1)
    table.play("one", "8/5 6/5").press("one", 5).void(seat="two").turn("two", 42, "8/4 6/4")
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1))
    return table


def test_what_has_no_field_is_a_note_at_its_place_and_a_loss() -> None:
    export, read = written(busy_table().replay)
    tags = {
        "clock.set",
        "clock.started",
        "dice.opening_rolled",
        "clock.pressed",
        "dice.voided",
        "penalty.assessed",
    }
    assert {note["type"] for note in noted(read)} == tags | {"match.opened"}
    losses = {loss.kind: loss for loss in export.losses}
    assert losses["opening-tie"].count == 1
    assert losses["annotation"].count >= 4
    at = [note["ref"] for note in read["annotations"] if "dice.voided" in note["value"]]
    assert at == [0]  # after the first ply


def test_clocks_and_findings_are_left_out_unless_asked_for() -> None:
    export, read = written(busy_table().replay, clocks=False, findings=False)
    assert {note["type"] for note in noted(read)} == {
        *("match.opened", "dice.opening_rolled", "dice.voided")
    }
    assert not notes_of(read, "findings")
    losses = {loss.kind: loss.count for loss in export.losses}
    assert losses["clock"] == 3
    assert losses["dispute"] == 1
    assert losses["finding"] == len(busy_table().replay.findings)


def test_personal_values_are_in_no_note() -> None:
    (read,) = read_file(b" 5 point match\n\n Game 1\n Ada : 0     Ben : 0\n  1) 31: 8/5\n", "x")
    export, _ = written(replay(events_of(read)), names=None)
    body = export.content
    assert b"Ada" not in body
    assert b"sha256" not in body
    assert b"Player 1" in body


def test_every_event_is_written_noted_or_lost() -> None:
    export, read = written(busy_table().replay)
    told = {note["version"] for note in noted(read)}
    lost = {
        version
        for loss in export.losses
        if loss.kind not in ("proof", "time")
        for version in loss.versions
    }
    for step in busy_table().replay.steps:
        kept = OGXM.loss_of[step.event.tag] == KEPT
        assert kept or step.event.version in told & lost, step.event.tag


def test_a_long_note_goes_on_under_another_key() -> None:
    notes = Notes()
    notes.add(MATCH, "events", "é" * 3_000, 1)
    told, left_out = notes.written(0)
    assert [note["key"] for note in told] == ["x-tabularium-events", "x-tabularium-events~1"]
    assert "".join(note["value"] for note in told) == "é" * 3_000
    assert max(len(note["value"].encode()) for note in told) <= 4_096
    assert not left_out


def test_notes_beyond_the_limit_are_counted() -> None:
    notes = Notes()
    for number in range(MAX_NOTES + 2):
        notes.add(MATCH, f"key-{number:05}", "x", number)
    told, left_out = notes.written(0)
    assert len(told) == MAX_NOTES
    assert left_out == [MAX_NOTES, MAX_NOTES + 1]


def clocked(*times: int) -> Replay:
    """Turns that were timed, under a clock whose terms are known."""
    terms = match.ClockTerms(kind=clock.ClockKind.SIMPLE, reserve_ms=120_000, delay_ms=12_000)
    opened = match.MatchOpened(
        players=BySeat((match.Player(),), (match.Player(),)), length=5, clock_terms=terms
    )
    payloads: list[Payload] = [opened, match.GameStarted()]
    hops = itertools.cycle([((8, 5), (6, 5)), ((24, 23), (13, 10))])
    for seat, at_ms, moves in zip(itertools.cycle(Seat), times, hops, strict=False):
        told = tuple(CheckerMove(*hop) for hop in moves)
        payloads.append(rolled(seat))
        payloads.append(play.PlayMade(seat=seat, moves=told, at_ms=at_ms))
    return replay(recorded(*payloads))


def rolled(seat: Seat) -> Payload:
    return Table(is_opened=False).roll(seat.value, 31).events[-1].payload


def test_a_reading_of_every_turn_is_the_clock_of_the_file() -> None:
    read = written(clocked(5_000, 9_500, 21_000))[1]
    assert read["clock_info"]["reserve_ms"] == 120_000
    assert read["clock_info"]["delay_ms"] == 12_000
    assert [ply["timestamp_ms"] for ply in read["games"][0]["plies"]] == [0, 4_500, 16_000]
    assert "clock_info" not in written(clocked(5_000, 9_500), clocks=False)[1]


def test_times_that_the_clock_holds_are_not_lost() -> None:
    assert "time" not in kinds(written(clocked(0, 9_500, 21_000))[0])
    assert "time" in kinds(written(clocked(5_000, 9_500))[0])
    assert "time" in kinds(written(clocked(0, 9_501))[0])


def test_readings_that_run_backwards_are_no_clock() -> None:
    export, read = written(clocked(5_000, 4_000))
    assert "clock_info" not in read
    assert "time" in kinds(export)


# -- names, details, limits ------------------------------------------------------------------


@given(st.text(max_size=80))
def test_any_name_is_kept(name: str) -> None:
    export, read = written(Table(5).game().replay, names=BySeat(name, "Ben"))
    shown = name.encode("utf-8", "replace").decode()
    assert read["player_white"] == shown
    assert ("name" in kinds(export)) is (shown != name)


def test_a_name_longer_than_the_format_holds_is_cut_and_reported() -> None:
    export, read = written(Table(5).game().replay, names=BySeat("é" * 3_000, "Ben"))
    assert read["player_white"] == "é" * 2_048
    assert "name" in kinds(export)


def test_details_are_in_their_fields_or_notes() -> None:
    details = Details(event="Cup", round="7", date="2026-01-31", place="Oslo", transcriber="Cai")
    details = msgspec.structs.replace(details, table="12 A")
    read = written(Table(5).game().replay, details=details)[1]
    assert read["table"] == "12 A"
    assert (read["event"], read["round"], read["date_precision"]) == ("Cup", 7, "day")
    assert read["started_at"] == 1_769_817_600_000
    assert (notes_of(read, "place"), notes_of(read, "transcriber")) == (["Oslo"], ["Cai"])
    read = written(Table(5).game().replay, details=Details(date="2026-01-31T18:30"))[1]
    assert (read["started_at"], read["date_precision"]) == (1_769_817_600_000, "day")
    assert notes_of(read, "date") == ["2026-01-31T18:30"]
    details = Details(event="E" * 121, round="final", table="T" * 25, date="May")
    read = written(Table(5).game().replay, details=details)[1]
    assert [notes_of(read, key)[0][:5] for key in ("event", "round", "table", "date")] == [
        *("EEEEE", "final", "TTTTT", "May")
    ]


def test_more_games_than_the_format_holds_are_refused() -> None:
    table = Table(None)
    for _ in range(1_001):
        table.game()
    with pytest.raises(NotWritten, match="OGXM cannot hold the match: limit"):
        WRITER.write(table.replay, Wanted())


def test_without_the_package_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ogxm_codec, "_package", lambda name: None)
    with pytest.raises(NotWritten, match=r"install tabularium-backgammon\[ogxm\]"):
        WRITER.write(Table(5).game().replay, Wanted())


@pytest.mark.parametrize("payloads", [[], [match.GameStarted()]])
def test_any_match_can_be_written(payloads: list[Payload]) -> None:
    assert written(replay(recorded(*payloads)))[1]["match_length"] == 0
