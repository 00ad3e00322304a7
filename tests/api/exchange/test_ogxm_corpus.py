"""Every real match file as OGXM: the codec replays it to our boards, and it comes back whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from events.envelope import RecordedEvent
from events.payloads import play
from projections.replay import Replay, replay
from tests.api.exchange.ogxm_documents import boards_read, codec, essence, kinds, written
from tests.api.exchange.recorded import spread

pytestmark = pytest.mark.gate

__all__ = ["codec"]

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

LOST = {"annotation", "claim", "dice-order", "illegal-steps", "remark", "roll", "steps"}
"""Kinds of loss that occur with real files; none of them moves a checker or a point."""


def compared(replayed: Replay, recorded: Recorded) -> int:
    """Compare a match with its export, read by the codec and by us; how many boards were equal."""
    export, read = written(replayed)
    ours = [
        step.after.positions.board
        for step in replayed.steps
        if isinstance(step.event.payload, play.PlayMade)
    ]
    assert boards_read(read) == ours
    assert kinds(export) <= LOST
    length = replayed.state.score.length
    start = replayed.steps[0].after.score.score
    derived = {"one": start.one, "two": start.two}
    for game, result in zip(read["games"], replayed.state.score.games, strict=False):
        assert game["points_won"] == result.points
        assert ("one", "two")[game["winner"]] == result.winner
        derived[result.winner] += game["points_won"]
    assert derived == {
        "one": replayed.state.score.score.one,
        "two": replayed.state.score.score.two,
    }
    if length is not None and replayed.state.score.winner is not None:
        assert read["result"] == (1 if replayed.state.score.winner == "one" else 2)
    (again,) = read_file(export.content, "export.ogxm")
    back = replay(recorded(again))
    assert essence(back) == essence(replayed)
    assert back.state.score.score == replayed.state.score.score
    assert written(back)[1]["games"] == read["games"]
    return len(ours)


def every(shelf: Any, recorded: Recorded, step: int) -> tuple[int, int]:
    """Files and boards compared, of every `step`-th file and of every kind."""
    chosen = spread(shelf.read, step)
    return len(chosen), sum(compared(replay(recorded(read)), recorded) for _, read in chosen)


def test_a_file_of_every_kind_has_equal_boards_scores_and_results(
    shelf: Any, recorded: Recorded
) -> None:
    files, boards = every(shelf, recorded, 24)
    assert files >= 30
    assert boards > 5_000


@pytest.mark.long
def test_every_file_has_equal_boards_scores_and_results(shelf: Any, recorded: Recorded) -> None:
    files, boards = every(shelf, recorded, 1)
    assert files >= 465
    assert boards > 62_000
