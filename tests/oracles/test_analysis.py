"""Analysis of one match, game by game and off our record, beside each engine's own of the file."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.analysis.asking import asked_of
from api.analysis.beside import Beside
from api.analysis.engines import JudgedGame
from api.analysis.sums import sums_of
from api.exchange.readers import read_file
from events.values import Seat
from projections.replay import replay
from tests.api.commands.conftest import MATCH
from tests.api.exchange.recorded import events_of
from tests.conftest import needed

pytestmark = pytest.mark.gate


@functools.cache
def judged(engine: str, preset: str) -> tuple[JudgedGame, ...]:
    """The file's match by an engine beside this process."""
    [match] = read_file(MATCH.encode(), "cup.mat")
    beside = Beside(engine, preset)
    try:
        games = asked_of(replay(events_of(match)))
        return tuple(beside.judge(game, lambda done, total: None) for game in games)
    finally:
        beside.close()


def test_the_sums_are_those_of_gammonview_over_the_whole_file(tmp_path: Path) -> None:
    gvanalysis = needed("gvanalysis")
    from gvformat import compute_aggregates

    ours = judged("bgsage", "very_quick")
    file = tmp_path / "cup.mat"
    file.write_text(MATCH, "utf-8")
    made: dict[str, Any] = gvanalysis.analyze_file(file, preset="very_quick", quiet=True)
    sums = compute_aggregates(made)["match"]
    for seat, theirs in ((Seat.ONE, sums["white"]), (Seat.TWO, sums["black"])):
        mine = sums_of(ours, seat)
        assert (mine.pr, mine.decisions, mine.cube_decisions, mine.rolls) == (
            theirs["pr"],
            theirs["total_decisions"],
            theirs["cube_decisions"],
            theirs["luck_rolls"],
        )
        assert mine.lost_chance == pytest.approx(theirs["total_error_mwc"], abs=1e-5)
        assert mine.luck == pytest.approx(theirs["total_luck"], abs=1e-4)


def test_gnu_backgammon_finds_the_same_choices_and_nearly_the_same_errors(
    require: Callable[[bool, str], None],
) -> None:
    has_it = shutil.which("gnubg") or Path("/usr/games/gnubg").exists()
    require(bool(has_it), "GNU Backgammon is not installed")
    ours, theirs = judged("gnubg", "0ply"), judged("bgsage", "very_quick")
    for seat in Seat:
        one, other = sums_of(ours, seat), sums_of(theirs, seat)
        assert abs(one.decisions - other.decisions) <= 2
        assert one.pr is not None
        assert one.pr == pytest.approx(other.pr, rel=0.25)


BEGINS = """
from api.analysis.asking import asked_of
from api.analysis.beside import Beside
from tests.projections.table import Table

table = Table(7).game().turns(6)
beside = Beside("bgsage", "world_class")
print("begun", flush=True)
beside.judge(asked_of(table.replay)[0], lambda done, total: None)
"""


def test_an_engine_ends_with_whoever_began_it_in_the_middle_of_a_game() -> None:
    needed("gvanalysis")
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", BEGINS]
    with subprocess.Popen(run, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asks:
        assert asks.stdout is not None
        assert asks.stdout.readline() == b"begun\n"
        asks.kill()
        # The engine has the same stderr: its end is that of both.
        asks.communicate(timeout=60)
