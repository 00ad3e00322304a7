"""A match written as .mat and read again is the same, but for what the loss report names."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings

from api.exchange.mat import writer as mat
from api.exchange.readers import read_file
from api.exchange.writing.wanted import Illegal
from events import catalogue
from events.envelope import RecordedEvent
from events.payloads.base import Payload
from events.values import BySeat
from projections.replay import Replay, replay
from tests.api.exchange.recorded import events_of, spread
from tests.api.exchange.roundtrip import differences, story_of
from tests.events.catalogue.strategies import payloads
from tests.projections.streams import (
    TABLES,
    WILD,
    legal_match,
    legal_start,
    numbered,
    of_every_kind,
)

FLAVOURS = pytest.mark.parametrize("illegal", get_args(Illegal))

TAGS = {kind.tag for kind in catalogue.KINDS}


def sized(count: int) -> settings:
    """So many examples, however large and slow they are."""
    return settings(max_examples=count, suppress_health_check=list(HealthCheck))


def came_back(before: Replay, illegal: Illegal) -> list[str]:
    """What the match lost without saying so."""
    written = mat.write(before, BySeat("Ada", "Ben"), illegal=illegal)
    (again,) = read_file(written.content, "export.mat")
    return differences(before, written, replay(events_of(again)))


# -- the comparison itself -------------------------------------------------------------------


def test_an_event_that_is_neither_held_nor_lost_is_a_difference() -> None:
    before = legal_match(1).replay
    written = mat.write(before)
    fewer = type(written)(
        written.content, tuple(loss for loss in written.losses if loss.kind != "clock")
    )
    (again,) = read_file(written.content, "export.mat")
    back = replay(events_of(again))
    clocks = [step.event for step in before.steps if step.event.tag.startswith("clock.")]
    assert clocks
    assert differences(before, written, back) == []
    assert len(differences(before, fewer, back)) == len(clocks)


@pytest.mark.gate
@pytest.mark.parametrize(
    ("old", "new"),
    [("13/7", "24/18"), ("31:", "21:"), ("Drops", "Takes"), ("Doubles => 2", ""), (" : 0", " : 1")],
)
def test_what_comes_back_otherwise_is_a_difference(old: str, new: str) -> None:
    found = False
    for seed in range(12):
        before = legal_match(seed).replay
        written = mat.write(before)
        text = written.text.replace(old, new, 1)
        if text != written.text:
            (again,) = read_file(text.encode(), "export.mat")
            found = found or differences(before, written, replay(events_of(again))) != []
    assert found


# -- generated matches -----------------------------------------------------------------------


@FLAVOURS
@pytest.mark.parametrize("seed", range(20))
def test_a_legal_match_comes_back(seed: int, illegal: Illegal) -> None:
    before = legal_match(seed, length=(5, 1, None)[seed % 3]).replay
    assert sum(len(game.acts) for game in story_of(before).games) > 20
    assert came_back(before, illegal) == []


@FLAVOURS
@pytest.mark.parametrize("count", [60, pytest.param(5_000, marks=pytest.mark.long)])
def test_a_match_in_which_nearly_everything_goes_wrong_comes_back(
    count: int, illegal: Illegal
) -> None:
    @sized(count)
    @given(TABLES)
    def comes_back(events: list[RecordedEvent]) -> None:
        assert came_back(replay(events), illegal) == []

    comes_back()


@pytest.mark.gate
@FLAVOURS
@pytest.mark.parametrize("count", [50, pytest.param(3_000, marks=pytest.mark.long)])
def test_a_wild_stream_comes_back(count: int, illegal: Illegal) -> None:
    @sized(count)
    @given(WILD)
    def comes_back(events: list[RecordedEvent]) -> None:
        assert came_back(replay(events), illegal) == []

    comes_back()


@pytest.mark.gate
@FLAVOURS
@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.long)])
def test_no_type_of_event_is_left_out_in_silence(count: int, illegal: Illegal) -> None:
    @sized(count)
    @given(of_every_kind())
    def comes_back(events: list[RecordedEvent]) -> None:
        assert {event.tag for event in events} == TAGS
        assert came_back(replay(events), illegal) == []

    comes_back()


@pytest.mark.parametrize("kind", catalogue.KINDS, ids=lambda kind: kind.tag)
def test_an_event_in_the_middle_of_a_legal_match_is_held_or_lost(kind: Any) -> None:
    told = legal_start(3)
    middle = len(told) // 2

    @sized(3)
    @given(payloads(kind.payload))
    def is_held_or_lost(one: Payload) -> None:
        before = replay(numbered([*told[:middle], one, *told[middle:]]))
        assert came_back(before, "raw") == []

    is_held_or_lost()


# -- real matches ----------------------------------------------------------------------------


@pytest.mark.gate
@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.long)])
def test_real_matches_come_back_stated(every: int, shelf: Any) -> None:
    chosen = spread(shelf.read, every)
    assert len(chosen) >= 465 // every
    for row, read in chosen:
        assert came_back(replay(events_of(read)), "stated") == [], row["dialect"]
