"""An illegal play that stood: every later board is right, in the flavour that each reader reads."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable

import pytest

from api.exchange.mat import writer as mat
from events.payloads import play
from events.values import BySeat, Seat
from projections.replay import Replay
from tests.oracles import gammonview
from tests.oracles.comparing import compared
from tests.oracles.conftest import Reads
from tests.oracles.illegal import NEVER, PLACES, SHAPES, match_with
from tests.projections.table import Table, men

pytestmark = pytest.mark.gate

NAMES = BySeat("Ada", "Ben")

CASES = [(shape, place) for shape in SHAPES for place in PLACES if (shape, place) not in NEVER]

ALTERED = {"joined hops", "ten pips", "backwards", "nothing", "all off"}
"""Shapes that GNU Backgammon does not always read as they are, if they are written as made."""


def matches() -> dict[tuple[str, str], Replay]:
    """The whole matrix."""
    found = {case: match_with(*case) for case in CASES}
    return {case: replayed for case, replayed in found.items() if replayed is not None}


def test_every_shape_comes_up_at_every_place() -> None:
    assert list(matches()) == CASES
    for replayed in matches().values():
        assert [f.code for f in replayed.findings].count("illegal-play") == 1


def test_stated_for_gnubg(gnubg: Reads) -> None:
    files = {
        f"{number}.mat": mat.write(replayed, NAMES, illegal="stated").content
        for number, replayed in enumerate(matches().values())
    }
    counts: Counter[str] = Counter()
    for (case, replayed), read in zip(
        matches().items(), gnubg(files, ids=True).values(), strict=True
    ):
        found = compared(replayed, read, counts)
        assert [one.name for one in found] == ["stated"], (case, found)
        assert not read.complaints, case
    assert counts["boards"] > 3_000
    assert counts["unsayable"] == 0


def test_raw_for_gnubg_is_exact_but_for_the_shapes_that_it_alters(gnubg: Reads) -> None:
    files = {
        f"{number}.mat": mat.write(replayed, NAMES).content
        for number, replayed in enumerate(matches().values())
    }
    read = gnubg(files, ids=True)
    altered = {
        case[0]
        for (case, replayed), one in zip(matches().items(), read.values(), strict=True)
        if compared(replayed, one, Counter())
    }
    assert altered <= ALTERED
    assert {"ten pips", "backwards"} <= altered


def test_raw_for_gammonview(require: Callable[[bool, str], None]) -> None:
    for name in ("gvformat", "ogxm"):
        require(importlib.util.find_spec(name) is not None, f"the package {name} is not installed")
    counts: Counter[str] = Counter()
    found: Counter[tuple[int, str]] = Counter()
    for case, replayed in matches().items():
        documents = gammonview.documents(mat.write(replayed, NAMES).text)
        assert len(documents) == 2, case
        for which, document in enumerate(documents):
            for text in gammonview.compared(replayed, document, counts):
                found[which, text] += 1
    assert found == {}
    assert counts["turns"] > 6_000


# -- what is no play of checkers --------------------------------------------------------------

BOARDS = {
    "double in the Crawford game": Table(5, score=(4, 0))
    .game()
    .turn("one", 31, "8/5 6/5")
    .double("two")
    .take("one")
    .turn("two", 42, "8/4 6/4")
    .turn("one", 61, "13/7 8/7"),
    "same player twice": Table(5)
    .game()
    .turn("one", 31, "8/5 6/5")
    .turn("one", 42, "8/4 6/4")
    .turn("two", 61, "13/7 8/7")
    .turn("two", 53, "8/3 6/3")
    .turn("one", 65, "13/7 13/8"),
}


@pytest.mark.parametrize("name", BOARDS)
def test_turns_and_doubles_out_of_order(name: str, gnubg: Reads) -> None:
    replayed = BOARDS[name].replay
    counts: Counter[str] = Counter()
    for illegal in ("raw", "stated"):
        content = mat.write(replayed, NAMES, illegal=illegal).content
        read = gnubg({"x.mat": content}, ids=True)["x.mat"]
        found = compared(replayed, read, counts)
        assert not found
        assert not read.complaints
    assert counts["plies"] > 5


@pytest.mark.parametrize("seat", Seat)
def test_sixteen_checkers_are_stated_though_no_position_id_says_them(
    seat: Seat, gnubg: Reads
) -> None:
    sixteen, fifteen = men("6:5 8:4 13:5 24:2"), men("6:5 8:3 13:5 24:2")
    board = BySeat(sixteen, fifteen) if seat is Seat.ONE else BySeat(fifteen, sixteen)
    table = Table(5).game().turn("one", 31, "8/5 6/5")
    if seat is Seat.ONE:
        table.turn("two", 42, "8/4 6/4")
    table.roll(seat.value, 21).record(play.PlayMade(seat=seat, resulting_position=board))
    table.turn(seat.other.value, 61, "13/7 8/7").turn(seat.value, 53, "8/3 6/3")
    replayed = table.replay
    read = gnubg({"x.mat": mat.write(replayed, NAMES, illegal="stated").content})["x.mat"]
    counts: Counter[str] = Counter()
    assert [one.name for one in compared(replayed, read, counts)] == ["stated"]
    assert counts["unsayable"] == 2
