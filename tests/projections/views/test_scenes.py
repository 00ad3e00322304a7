"""Scenes: an entry in the steps in which it happened, its turn, its mark, what corrected it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings

from events.envelope import RecordedEvent
from events.payloads import clock, dice, dispute, match, play
from events.payloads.base import Actor
from events.payloads.corrections import EntryRetracted, MomentMarked
from events.values import Seat
from projections.replay import replay
from projections.views.discretion import EVERYTHING, discretion
from projections.views.scenes import disputes, games, legal_line, scenes
from tests.projections.playthroughs import home_match
from tests.projections.streams import STREAMS
from tests.projections.table import Table, men

ONE, TWO = Seat.ONE, Seat.TWO


def told(table: Table, *, is_trusted: bool = True) -> list[dict[str, Any]]:
    return scenes(table.replay, discretion(table.replay, is_trusted=is_trusted))


def test_every_recorded_entry_is_one_scene_in_order() -> None:
    table = home_match()
    versions = [event.version for event in table.events]
    assert [scene["version"] for scene in told(table)] == versions
    as_recorded = replay(table.events, as_recorded=True)
    assert [scene["version"] for scene in scenes(as_recorded, EVERYTHING)] == versions


def test_a_scene_begins_with_the_board_of_the_one_before() -> None:
    every = told(home_match())
    for before, after in itertools.pairwise(every):
        assert after["before"] == before["checkers"]


def test_a_play_is_shown_checker_by_checker_as_recorded() -> None:
    scene = told(Table().game().opening(3, 1).play("one", "6/5 8/5"))[-1]
    assert [frame["play"] for frame in scene["frames"]] == ["6/5", "8/5"]
    assert scene["frames"][0]["checkers"]["one"] == list(men("5:1 6:4 8:3 13:5 24:2"))
    assert scene["frames"][-1]["checkers"] == scene["checkers"]


def test_a_play_that_is_written_in_an_order_in_which_nobody_can_make_it_is_shown_whole() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5").turn("two", 11, "7/6 8/7(2) 7/6")
    scene = told(table)[-1]
    assert [frame["play"] for frame in scene["frames"]] == ["8/7", "8/7", "7/6", "7/6"]
    assert scene["frames"][-1]["checkers"] == scene["checkers"]


def test_the_checker_that_hits_says_so() -> None:
    table = Table().game().opening(6, 2).play("one", "24/18 13/11").turn("two", 64, "24/20 13/7*")
    frames = told(table)[-1]["frames"]
    assert [frame["play"] for frame in frames] == ["24/20", "13/7*"]
    assert frames[-1]["checkers"]["one"][25] == 1


def test_an_entry_that_says_one_of_several_things_says_which() -> None:
    table = Table().game()
    table.record(dispute.DirectorCalled(by=Actor.ONE))
    table.record(MomentMarked(target=table.last))
    assert told(table)[-1]["facts"]["says"] == "on_the_way"
    table.record(MomentMarked(target=table.events[1].entry_id))
    assert "says" not in told(table)[-1]["facts"], "any other mark is to come back to it"
    for amount, says in ((-60_000, "taken"), (90_000, "given")):
        facts = told(table.record(clock.ClockAdjusted(seat=ONE, amount_ms=amount)))[-1]["facts"]
        assert (facts["says"], facts["time"]) == (says, "1:00" if amount < 0 else "1:30")


def test_a_director_on_the_way_stays_on_the_way_when_the_call_is_taken_back() -> None:
    table = Table().game().record(dispute.DirectorCalled(by=Actor.ONE))
    call = table.last
    table.record(MomentMarked(target=call)).retract(call)
    assert told(table)[-2]["facts"]["says"] == "on_the_way"


def test_a_play_that_moves_nothing_has_no_frames() -> None:
    table = Table().game().opening(3, 1).play("one", "")
    assert told(table)[-1]["frames"] == []


def test_a_void_throw_and_a_double_belong_to_the_turn_to_come() -> None:
    table = Table().game().turns(1).press("one").void(seat="two").roll("two", 42)
    table.play("two", "8/4 6/4").press("two").double("one").take("two").roll("one", 61)
    turns = [(scene["tag"], scene["turn"], scene["turn_of"]) for scene in told(table)[3:]]
    assert turns == [
        ("play.made", 1, "one"),
        ("clock.pressed", 1, "one"),
        ("dice.voided", 2, "two"),
        ("dice.rolled", 2, "two"),
        ("play.made", 2, "two"),
        ("clock.pressed", 2, "two"),
        ("cube.double_offered", 3, "one"),
        ("cube.double_taken", 3, "one"),
        ("dice.rolled", 3, "one"),
    ]


def test_what_follows_a_voided_roll_belongs_to_its_turn_until_somebody_else_rolls() -> None:
    table = Table().game().turns(1).roll("two", 64)
    table.void(table.last, "two").press("two").roll("two", 42).play("two", "8/4 6/4")
    table.roll("one", 61)
    turns = [(scene["tag"], scene["turn"], scene["turn_of"]) for scene in told(table)[4:]]
    assert turns == [
        ("dice.rolled", 2, "two"),
        ("dice.voided", 2, "two"),
        ("clock.pressed", 2, "two"),
        ("dice.rolled", 2, "two"),
        ("play.made", 2, "two"),
        ("dice.rolled", 3, "one"),
    ]


def test_a_roll_that_is_voided_after_its_play_is_thrown_again_in_the_same_turn() -> None:
    table = Table().game().turns(1).roll("two", 64)
    thrown = table.last
    table.play("two", "24/14").void(thrown, "two").roll("two", 42).play("two", "8/4 6/4")
    table.roll("one", 61)
    turns = [(scene["tag"], scene["turn"], scene["turn_of"]) for scene in told(table)[4:]]
    assert turns == [
        ("dice.rolled", 2, "two"),
        ("play.made", 2, "two"),
        ("dice.voided", 2, "two"),
        ("dice.rolled", 2, "two"),
        ("play.made", 2, "two"),
        ("dice.rolled", 3, "one"),
    ]


def test_a_roll_of_the_wrong_player_that_is_voided_has_a_turn_of_its_own() -> None:
    table = Table().game().turns(1).roll("one", 64)
    table.void(table.last, "one").roll("two", 42).play("two", "8/4 6/4").roll("one", 61)
    turns = [(scene["tag"], scene["turn"], scene["turn_of"]) for scene in told(table)[4:]]
    assert turns == [
        ("dice.rolled", 2, "one"),
        ("dice.voided", 2, "one"),
        ("dice.rolled", 3, "two"),
        ("play.made", 3, "two"),
        ("dice.rolled", 4, "one"),
    ]


@given(STREAMS)
@settings(max_examples=60)
def test_within_a_game_turns_follow_one_another_and_each_is_one_players(
    events: list[RecordedEvent],
) -> None:
    every = scenes(replay(events), EVERYTHING)
    for before, after in itertools.pairwise(every):
        is_same_game = before["game"] == after["game"] and after["turn"]
        if is_same_game and after["tag"] != "game.started":
            assert after["turn"] >= before["turn"]
            if after["turn"] == before["turn"] and before["turn_of"] is not None:
                assert after["turn_of"] == before["turn_of"]


def test_what_stands_between_games_belongs_to_no_turn() -> None:
    table = Table().game().win().noted(1, 0, "one")
    assert told(table)[-1]["turn"] == 0
    assert told(table)[-1]["game"] == 1


def test_an_entry_that_was_taken_back_says_by_which_one_and_moves_nothing() -> None:
    table = Table().game().turns(1).roll("two", 21)
    table.retract(table.last).roll("two", 42)
    every = told(table)
    assert [(scene["status"], scene["corrected_by"]) for scene in every[4:]] == [
        ("retracted", 6),
        ("stands", None),
        ("stands", None),
    ]
    assert every[4]["facts"]["dice"] == "21"
    assert every[4]["lying"] is None
    assert every[5]["target"] == 5


def test_an_entry_that_was_amended_says_what_was_recorded_first() -> None:
    table = Table().game().turns(1).roll("two", 21)
    table.amend(table.last, dice.Rolled(seat=TWO, dice=(2, 2)))
    scene = told(table)[4]
    assert (scene["status"], scene["corrected_by"]) == ("amended", 6)
    assert scene["facts"]["dice"] == "22"
    assert scene["was"]["facts"]["dice"] == "21"


def test_a_correction_that_was_taken_back_itself_is_told_so() -> None:
    table = Table().game().turns(1).roll("two", 21)
    roll = table.last
    table.record(EntryRetracted(target=roll))
    table.record(EntryRetracted(target=table.last))
    every = told(table)
    assert [scene["status"] for scene in every[4:]] == ["stands", "retracted", "stands"]
    assert every[5]["corrected_by"] == 7


def test_as_recorded_no_entry_is_corrected() -> None:
    shown = replay(home_match().events, as_recorded=True)
    assert {scene["status"] for scene in scenes(shown, EVERYTHING)} == {"stands"}


@pytest.mark.parametrize(
    ("payload", "mark"),
    [
        (dispute.DirectorCalled(by=Actor.ONE), "call"),
        (dispute.DisputeRaised(by=Actor.ONE), "dispute"),
        (dispute.RulingMade(), "ruling"),
        (play.PlayUnseen(), "gap"),
        (dice.Voided(seat=TWO, reason=dice.VoidReason.COCKED), "reroll"),
    ],
)
def test_what_stands_out_has_a_mark(payload: Any, mark: str) -> None:
    assert mark in told(Table().game().turns(1).record(payload))[-1]["marks"]


def test_a_moment_that_was_marked_names_its_entry() -> None:
    table = Table().game().turns(1)
    scene = told(table.record(MomentMarked(target=table.last)))[-1]
    assert (scene["marks"], scene["target"]) == (["moment"], 4)


def test_each_reading_of_a_dispute_comes_with_whose_it_is() -> None:
    readings = (
        dispute.Reading(by=Actor.TWO),
        dispute.Reading(by=Actor.ONE, reading="void"),
        dispute.Reading(by=Actor.DIRECTOR, reading="valid"),
    )
    table = Table().record(dispute.DisputeRaised(by=Actor.ONE, readings=readings))
    scene = told(table)[-1]
    assert scene["facts"] == {"reading_1": "void", "reading_2": "valid"}
    assert scene["people"] == {"by": "one", "reader_1": "one", "reader_2": "director"}


def test_a_dispute_makes_the_entry_disputed_at_which_it_froze_the_record() -> None:
    table = Table().game().turns(2)
    slip = table.events[3].entry_id
    table.record(dispute.DisputeRaised(by=Actor.TWO, frozen_at=slip, topic="play.legality"))
    assert disputes(table.replay) == [{"version": 7, "frozen": 4, "topic": "play.legality"}]
    assert [scene["version"] for scene in told(table) if scene["is_disputed"]] == [4, 7]


def test_games_say_where_they_begin_and_how_they_ended() -> None:
    first, second, third = games(home_match().replay)
    assert (first["version"], first["score"], first["crawford"]) == (3, {"one": 0, "two": 0}, False)
    assert (first["result"]["winner"], first["result"]["points"]) == ("one", 4)
    assert second["crawford"]
    assert third["result"]["ended_by"] == "resignation"


def test_pips_of_a_game_that_is_played_are_for_those_who_rule() -> None:
    table = Table().game().win().game().turns(1)
    public = told(table, is_trusted=False)
    assert public[-1]["pips"] is None
    assert (
        next(scene["pips"] for scene in public if scene["game"] == 1 and scene["turn"]) is not None
    )
    assert told(table)[-1]["pips"] == {"one": 163, "two": 167}


def test_an_illegal_play_of_a_game_that_is_played_is_found_for_those_who_rule_alone() -> None:
    table = Table().game().opening(3, 1).play("one", "6/5 6/5")
    assert told(table)[-1]["findings"]
    public = told(table, is_trusted=False)[-1]
    assert public["play"] == "6/5(2)"
    assert public["findings"] == []
    assert public["marks"] == []


def test_once_the_match_is_over_everybody_may_reckon() -> None:
    table = Table(1).game().win()
    assert told(table, is_trusted=False)[-1]["pips"] is not None


def test_the_legal_plays_of_an_entry_are_those_of_its_roll() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    line = legal_line(table.replay, 4)
    assert (line["seat"], line["dice"], line["played"]) == ("one", [3, 1], "8/5 6/4")
    assert line["is_legal"] is False
    assert "8/5 6/5" in line["plays"]
    assert legal_line(table.replay, 3)["is_legal"] is None
    assert len(legal_line(table.replay, 3)["plays"]) == len(line["plays"])
    assert legal_line(table.replay, 2)["dice"] is None
    assert legal_line(table.replay, 0)["dice"] is None


def test_members_that_name_a_person_stand_apart_from_plain_ones() -> None:
    scene = told(Table().record(match.MatchLengthBelieved(seat=ONE, length=5, at_ms=65_000)))[-1]
    assert scene["people"] == {"seat": "one"}
    assert scene["facts"] == {"length": 5, "at": "1:05"}
