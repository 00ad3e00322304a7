"""What our own notes in an OGXM file give back: scores that were stated, and details."""

from __future__ import annotations

import json

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from api.exchange.writing.wanted import Details
from events.payloads.dice import Rolled
from events.values import BySeat, Seat
from projections.replay import Replay, replay
from tests.api.exchange.conftest import events_of
from tests.api.exchange.ogxm_documents import OPENING, codec, document, written
from tests.projections.table import Table

__all__ = ["codec"]


def again(replayed: Replay, details: Details | None = None) -> ReadMatch:
    (read,) = read_file(written(replayed, details=details or Details())[0].content, "x.ogxm")
    return read


def test_a_score_that_the_games_do_not_make_comes_back() -> None:
    table = Table(5).game().turn("one", 31, "8/5 6/5").win("single", winner="one")
    table.score_is(1, 2, basis="ruled").game().turn("one", 31, "8/5 6/5")
    table.win("gammon", winner="two").game()
    back = again(table.replay)
    assert replay(events_of(back)).state.score.score == table.state.score.score == BySeat(1, 4)
    assert back.claimed_score == BySeat(1, 4)
    assert not [lost for lost in back.lost if lost.startswith("x-tabularium-score")]


def test_the_roll_of_a_match_in_which_nothing_was_played_comes_back() -> None:
    back = again(Table(5).game().roll("one", 41).replay)
    assert [fact.payload for fact in back.facts if fact.tag == "dice.rolled"] == [
        Rolled(seat=Seat.ONE, dice=(4, 1))
    ]
    assert not [lost for lost in back.lost if lost.startswith("x-tabularium-roll")]


def test_details_without_a_field_come_back() -> None:
    details = Details(event="E" * 4_000, round="final", date="in May", place="Oslo")
    back = again(Table(5).game().turn("one", 31, "8/5 6/5").replay, details)
    told = {member: back.opened.get(member) for member in ("event", "round", "date", "place")}
    assert told == {"event": "E" * 4_000, "round": "final", "date": "in May", "place": "Oslo"}


def test_a_detail_beyond_what_an_entry_holds_is_not_cut_on_the_way() -> None:
    details = Details(transcriber="é" * 2_500)
    back = again(Table(5).game().turn("one", 31, "8/5 6/5").replay, details)
    assert back.opened["transcriber"] == "é" * 2_500


@pytest.mark.parametrize("value", ["1-99999999", "1", "one-two", ""])
def test_a_note_that_is_no_score_is_lost_by_name(value: str) -> None:
    told = document(OPENING)
    told["games"].append({"plies": [OPENING]})
    note = {"scope": "game", "ref": 1, "key": "x-tabularium-score", "value": value}
    told["annotations"] = [note]
    (back,) = read_file(json.dumps(told).encode(), "x.json")
    assert back.games == 2
    assert any(lost.startswith("x-tabularium-score") for lost in back.lost)
