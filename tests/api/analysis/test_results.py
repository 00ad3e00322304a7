"""Results of analysis: found for each match independently, and resumed game by game."""

from __future__ import annotations

import contextlib
import io
import random
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from api.analysis import beside, sage, working
from api.analysis.asking import AskedGame, asked_of
from api.analysis.engines import Judged, JudgedGame, Luck, NoEngine, Progress, offer_of
from api.analysis.released import Work
from api.analysis.results import By, Match, Results
from api.analysis.sums import between, sums_of
from api.analysis.working import Piece, Told, Workers, pieces_of
from events.values import Seat
from tests.projections.table import Table

BY = By("bgsage", "engine/1", "fast@2")
MATCH = Match("club", "a" * 8, b"\1" * 32)


def game_judged(version: int = 5, lost: float = 0.08) -> JudgedGame:
    """One play that lost something, and a roll."""
    play = Judged(
        version=version,
        seat=Seat.ONE,
        choice="play",
        best="play",
        lost=lost,
        lost_chance=lost / 10,
        counts=True,
        level="3ply",
        best_play="8/5 6/5",
    )
    idle = msgspec.structs.replace(play, choice="no-double", lost=0.0, counts=False)
    return JudgedGame((idle, play), (Luck(version, Seat.ONE, 0.2, 0.02),))


@pytest.fixture
def results(tmp_path: Path) -> Iterator[Results]:
    """Of a file that is not there yet."""
    with contextlib.closing(Results(tmp_path / "a")) as made:
        yield made


def two_games() -> list[AskedGame]:
    return asked_of(Table().game().turns(2).won("one", 1).game().turns(2).replay)


def test_a_match_is_found_once_all_its_games_are_judged(results: Results, tmp_path: Path) -> None:
    assert results.found(MATCH) is None
    assert not (tmp_path / "a").exists()
    results.put(MATCH, BY, 1, 2, game_judged())
    assert (results.found(MATCH), results.known(MATCH, BY)) == (None, {1})
    results.put(MATCH, BY, 2, 2, game_judged(9))
    found = results.found(MATCH)
    assert found is not None
    assert (found.by, found.games) == (BY, (game_judged(), game_judged(9)))
    assert results.heads(BY) == {("club", MATCH.match_id): MATCH.head}
    assert (tmp_path / "a").stat().st_mode & 0o077 == 0


def test_a_match_that_grew_has_no_result_and_the_next_one_takes_the_old_ones_place(
    results: Results,
) -> None:
    results.put(MATCH, BY, 1, 1, game_judged())
    grown = MATCH._replace(head=b"\2" * 32)
    assert results.found(grown) is None
    results.put(grown, BY, 1, 2, game_judged())
    assert results.found(MATCH) is None


def test_what_was_made_last_is_shown(results: Results) -> None:
    results.put(MATCH, BY, 1, 1, game_judged())
    deeper = BY._replace(preset="world_class@2")
    results.put(MATCH, deeper, 1, 1, game_judged(lost=0.07))
    found = results.found(MATCH)
    assert found is not None
    assert found.by == deeper


def test_a_damaged_file_is_made_anew(results: Results, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"no database at all, and long enough to be looked at" * 40)
    assert results.found(MATCH) is None
    results.put(MATCH, BY, 1, 1, game_judged())
    assert results.found(MATCH) is not None
    with contextlib.closing(sqlite3.connect(tmp_path / "a")) as db:
        assert db.execute("SELECT count(*) FROM judged").fetchone() == (1,)


def test_pr_is_five_hundred_times_the_mean_of_what_counts() -> None:
    sums = sums_of([game_judged(lost=0.08), game_judged(lost=0.02)], Seat.ONE)
    assert (sums.pr, sums.decisions, sums.cube_decisions) == (25.0, 2, 0)
    assert (sums.lost, sums.lost_chance, sums.luck, sums.rolls) == (0.1, 0.01, 0.4, 2)
    nobody = sums_of([game_judged()], Seat.TWO)
    assert (nobody.pr, nobody.luck, nobody.lost_chance) == (None, None, 0)


class Stub:
    """An engine that judges every game the same."""

    version, preset = "engine/1", "fast@2"

    def __init__(self, *_: str) -> None:
        self.asked: list[int] = []

    def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
        if game.number in BROKEN:
            raise NoEngine("the engine failed")
        progress(1, 1)
        ASKED.append(game.number)
        return game_judged()

    def close(self) -> None:
        """Nothing is held."""


ASKED: list[int] = []
BROKEN: set[int] = set()


def test_a_run_that_was_broken_off_goes_on_with_what_is_left(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "Beside", Stub)
    work = Work(MATCH, two_games())
    told: list[Told] = []

    def run() -> None:
        workers = Workers("bgsage", "fast", 1)
        pieces = pieces_of(work, results, workers.by)
        workers.run(pieces, results, told=told.append, progress=_unheard)
        workers.close()

    ASKED.clear()
    BROKEN.add(2)
    run()
    assert ([one.reason for one in told], ASKED) == ([None, "the engine failed"], [1])
    BROKEN.clear()
    run()
    assert ASKED == [1, 2]
    assert results.found(MATCH) is not None
    run()
    assert ASKED == [1, 2]


def test_an_engine_that_is_ended_in_the_middle_of_a_game_tells_of_no_failure(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ended(Stub):
        def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
            workers.close()
            raise NoEngine("the engine's process is gone")

    monkeypatch.setattr(working, "Beside", Ended)
    told: list[Told] = []
    workers = Workers("bgsage", "fast", 1)
    pieces = pieces_of(Work(MATCH, two_games()), results, workers.by)
    workers.run(pieces, results, told=told.append, progress=_unheard)
    assert told == []


def _unheard(piece: Piece, done: int, total: int) -> None:
    """Nobody watches."""


def test_an_engine_beside_answers_game_by_game_and_says_why_it_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beside, "opened", Stub)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    games = two_games()
    asked, answers = io.BytesIO(), io.BytesIO()
    BROKEN.add(2)
    for game in games:
        beside._send(asked, b"g", msgspec.json.encode(game))
    asked.seek(0)
    beside.serve("bgsage", "fast", asked, answers)
    BROKEN.clear()
    answers.seek(0)
    kinds = [beside._received(answers) for _ in range(4)]
    assert [kind for kind, _ in kinds] == [b"r", b"p", b"j", b"e"]
    assert msgspec.json.decode(kinds[2][1], type=JudgedGame) == game_judged()
    assert b"the engine failed" in kinds[3][1]


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("gvanalysis")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gvanalysis", None)
    with pytest.raises(NoEngine, match=r"uv sync --extra analysis"):
        sage.identity("fast")


@pytest.mark.parametrize(("engine", "preset"), [("xg", "fast"), ("bgsage", "2ply"), ("gnubg", "")])
def test_an_engine_or_preset_that_there_is_not_is_named_with_those_there_are(
    engine: str, preset: str
) -> None:
    with pytest.raises(NoEngine, match=r"--(engine|preset) is one of"):
        offer_of(engine, preset)


def test_an_interval_holds_what_a_player_loses_in_the_long_run_nine_times_of_ten() -> None:
    """Losses as in matches, mostly none and rarely large, whose true mean is known."""
    chance, share, mean = random.Random(18), 0.35, 0.05
    held = []
    for _ in range(400):
        losses = [chance.expovariate(1 / mean) * (chance.random() < share) for _ in range(80)]
        found = between(losses, 1, digits=9)
        assert found is not None
        assert 0 < found.low < sum(losses) < found.high
        held.append(found.low <= 80 * share * mean <= found.high)
    assert 0.88 < sum(held) / len(held) < 0.99
    # Twice as many decisions tell more; too few, one that is not known, and none lost tell nothing.
    twice = between([*losses, *losses], 0.5, digits=9)
    assert twice is not None
    assert twice.high - twice.low < found.high - found.low
    for nothing in (losses[:19], [*losses, None], [0.0] * 80):
        assert between(nothing, 1, digits=9) is None
