"""What a format cannot hold: one table for all, and one answer with and without a file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from api.exchange.writers import WRITERS
from api.exchange.writing import losses
from api.exchange.writing.kinds import KEPT
from api.exchange.writing.losses import CLOCKS, RULINGS, TABLE, Column
from api.exchange.writing.story import told
from api.exchange.writing.wanted import Details, Loss, NotWritten, Wanted, Writer
from events import catalogue
from events.envelope import RecordedEvent
from events.values import BAR, OFF, BySeat, CheckerMove
from projections.board.legal import is_legal, single_hops, single_steps
from projections.board.position import Position
from projections.replay import Replay, replay
from tests.api.exchange.recorded import events_of, spread
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import Table

COLUMNS = pytest.mark.parametrize(
    "column", [losses.MAT, losses.SGF, losses.OGXM, losses.TEXT, losses.PAGE]
)

NAMES = BySeat("Ada Ångström", "Ben: [7] \\ " + "x" * 40)

WANTED = (
    Wanted(names=NAMES),
    Wanted(details=Details(event="E" * 1_000, round="Final"), illegal="stated", findings=False),
    Wanted(names=NAMES, clocks=False, findings=False, is_held_back=True),
)
"""A visitor of a page, and two that ask for less."""


def in_a_file(writer: Writer, shown: Replay, wanted: Wanted) -> tuple[Loss, ...] | str:
    try:
        return writer.write(shown, wanted).losses
    except NotWritten as error:
        return str(error)


def without_a_file(writer: Writer, shown: Replay, wanted: Wanted) -> tuple[Loss, ...] | str:
    try:
        return writer.losses(told(shown), wanted)
    except NotWritten as error:
        return str(error)


def check(shown: Replay, wishes: tuple[Wanted, ...] = WANTED) -> None:
    for wanted in wishes:
        for writer in WRITERS.values():
            found = without_a_file(writer, shown, wanted)
            assert found == in_a_file(writer, shown, wanted), writer.name


# -- the table ---------------------------------------------------------------------------------


def test_table_names_every_event_type_and_no_other() -> None:
    assert set(TABLE) == {kind.tag for kind in catalogue.KINDS}
    assert set(TABLE) > CLOCKS | RULINGS


@COLUMNS
def test_every_kind_of_loss_is_explained(column: Column) -> None:
    assert set(column.loss_of) == set(TABLE)
    for wanted in WANTED:
        assert set(column.asked(wanted).values()) <= {KEPT, *column.kinds}


# -- the same with and without a file ----------------------------------------------------------


@pytest.mark.parametrize("length", [None, 1, 3, 5])
def test_losses_of_a_match_in_order_are_those_of_its_files(length: int | None) -> None:
    check(legal_match(7, length=length).replay)


def test_losses_of_the_home_made_files_are_those_of_their_exports(golden_files: Any) -> None:
    for path in golden_files:
        for match in read_file(path.read_bytes(), path.name):
            check(replay(events_of(match)))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(STREAMS)
def test_losses_of_any_stream_are_those_of_its_files(events: list[RecordedEvent]) -> None:
    check(replay(events))


@pytest.mark.gate
@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.long)])
def test_losses_of_every_real_match_are_those_of_its_files(
    shelf: Any, recorded: Callable[[ReadMatch], list[RecordedEvent]], every: int
) -> None:
    for _, match in spread(shelf.read, every):
        check(replay(recorded(match)), WANTED[:1])


def test_a_match_beyond_the_limits_of_a_format_is_refused_without_a_file(
    require: Callable[[bool, str], None],
) -> None:
    require(importlib.util.find_spec("ogxm") is not None, "the package ogxm is not installed")
    table = Table(None)
    for _ in range(1_001):
        table.game()
    with pytest.raises(NotWritten, match="OGXM cannot hold the match: limit"):
        WRITERS["ogxm"].losses(told(table.replay), Wanted())


@pytest.mark.parametrize("seed", range(2))
def test_single_steps_are_single_hops_however_a_legal_play_is_written(seed: int) -> None:
    seen = 0
    for game in told(legal_match(seed, games=1).replay).games:
        for act in game.acts[:: 4 + seed]:
            if act.before is None or act.dice is None:
                continue
            for moves in _pairs(act.before):
                if is_legal(act.before, act.dice, moves):
                    found = single_steps(act.before, act.dice, moves)
                    assert found == single_hops(act.before, act.dice, moves)
                    seen += 1
    assert seen > 100


def _pairs(board: Position) -> Iterator[tuple[CheckerMove, CheckerMove]]:
    """Any two moves of up to six pips, the second one of a checker that is there by then."""
    for first in range(1, BAR + 1):
        for to_first in range(max(first - 6, OFF), first) if board.own[first] else ():
            for second in range(1, BAR + 1):
                if board.own[second] or second == to_first:
                    for to_second in range(max(second - 6, OFF), second):
                        yield CheckerMove(first, to_first), CheckerMove(second, to_second)
