"""GNU Backgammon loads our SGF files with the boards, dice, cube, scores and results we wrote."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from api.exchange.readers import read_file
from api.exchange.sgf import writer as sgf_writer
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Details, Illegal, Wanted
from events.envelope import Basis
from events.payloads import cube, ending, match, play
from events.payloads.base import WinKind
from events.values import BySeat, CheckerMove, Seat
from projections.board.ids import position_id
from projections.board.position import STARTING, Position
from projections.replay import Replay, replay
from tests.api.exchange.recorded import Shelf, events_of, spread
from tests.oracles import gnubg as judge
from tests.oracles.comparing import Difference, compared
from tests.oracles.conftest import Reads
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import Table, men

pytestmark = pytest.mark.gate

NAMES = BySeat("Ada", "Ben")

DESIGNED = {"rolled-only", "stated"}
"""Differences of the format's own making: dice alone, and a play told by its end, are set-ups."""


def written(replayed: Replay, illegal: Illegal = "raw") -> bytes:
    return sgf_writer.WRITER.write(replayed, Wanted(names=NAMES, illegal=illegal)).content


def judged(
    gnubg: Reads, replays: list[Replay], illegal: Illegal = "raw"
) -> tuple[Counter[str], list[Difference]]:
    """Counts of comparisons, and every difference; there must be no complaints."""
    read = gnubg({f"{k}.sgf": written(one, illegal) for k, one in enumerate(replays)}, ids=True)
    counts: Counter[str] = Counter()
    found: list[Difference] = []
    for replayed, theirs in zip(replays, read.values(), strict=True):
        assert not theirs.complaints
        found += compared(replayed, theirs, counts)
    return counts, found


def named(found: list[Difference]) -> list[Difference]:
    """Those that are not of the format's own making."""
    return [one for one in found if one.name not in DESIGNED]


# -- real files -------------------------------------------------------------------------------


def exported(gnubg: Reads, shelf: Shelf, step: int) -> Counter[str]:
    chosen = [replay(events_of(read)) for _, read in spread(shelf.read, step)]
    counts, found = judged(gnubg, chosen)
    assert not named(found)
    return counts + Counter(files=len(chosen))


def test_a_real_match_of_every_kind_is_loaded_as_exported(gnubg: Reads, shelf: Shelf) -> None:
    counts = exported(gnubg, shelf, 24)
    assert counts["files"] >= 30
    assert counts["boards"] > 5_000
    assert counts["match ids"] > counts["boards"]


@pytest.mark.long
def test_every_real_match_is_loaded_as_exported(gnubg: Reads, shelf: Shelf) -> None:
    counts = exported(gnubg, shelf, 1)
    assert counts["files"] >= 467
    assert counts["plies"] > 63_000


def test_real_sgf_files_have_their_boards_after_every_play(gnubg: Reads, shelf: Shelf) -> None:
    rows = [(row, read) for row, read in shelf.read if row["dialect"].startswith("sgf")]
    files = {
        f"{k}.sgf": (Path(shelf.folder) / row["file"]).read_bytes()
        for k, (row, _) in enumerate(rows)
    }
    counts: Counter[str] = Counter()
    for (_, found), theirs in zip(rows, gnubg(files, ids=True).values(), strict=True):
        assert not theirs.complaints
        assert not named(compared(replay(events_of(found)), theirs, counts))
    assert counts["plies"] == 331 + 334
    assert counts["results"] == 14


# -- generated matches ------------------------------------------------------------------------


@pytest.mark.parametrize("matches", [20, pytest.param(40, marks=pytest.mark.long)])
def test_generated_matches_are_loaded_as_they_were_played(gnubg: Reads, matches: int) -> None:
    replays = [legal_match(seed).replay for seed in range(matches)]
    replays += [legal_match(seed, length=None).replay for seed in range(matches // 4)]
    counts, found = judged(gnubg, replays)
    assert not named(found)
    assert counts["plies"] > 125 * matches


def streamed(gnubg: Reads, examples: int) -> None:
    replays: list[Replay] = []

    @settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
    )
    @given(STREAMS)
    def collect(events: list[Any]) -> None:
        replays.append(replay(events))

    collect()
    read = gnubg({f"{k}.sgf": written(one) for k, one in enumerate(replays)})
    assert not [one.complaints for one in read.values() if one.complaints]


def test_no_stream_of_events_breaks_it(gnubg: Reads) -> None:
    streamed(gnubg, 150)


@pytest.mark.long
def test_none_of_many_streams_breaks_it(gnubg: Reads) -> None:
    streamed(gnubg, 3_000)


# -- illegal plays (formats.md 18) ------------------------------------------------------------

OPEN = (None, None)
BAR = ("6:5 8:3 13:5 24:1 bar:1", "5:2 6:5 8:3 13:5")
BEHIND = ("6:5 8:3 13:4 14:1 24:2", "5:2 6:7 8:4 24:2")
OUTSIDE = ("1:2 2:3 3:3 4:3 5:2 6:1 13:1", "1:2 2:3 3:3 4:3 5:2 6:2")
LAST = ("off:13 1:1 6:1", "off:5 5:5 6:5")

SHAPES: dict[str, tuple[Any, int, list[tuple[int, int]]]] = {
    "six pips at once": (OPEN, 31, [(24, 18)]),
    "a die unplayed": (OPEN, 31, [(8, 5)]),
    "other pips": (OPEN, 63, [(13, 9), (13, 7)]),
    "too many pips": (OPEN, 41, [(13, 5), (6, 2)]),
    "three hops": (OPEN, 31, [(8, 5), (6, 5), (24, 23)]),
    "three hops, one joined": (BEHIND, 13, [(14, 10), (13, 12)]),
    "ten pips at once": (OPEN, 33, [(13, 3), (24, 21)]),
    "a hop backwards": (OPEN, 65, [(24, 18), (13, 8), (6, 8)]),
    "five hops": (OPEN, 11, [(6, 5), (6, 5), (8, 7), (8, 7), (24, 23)]),
    "onto a block": (OPEN, 51, [(24, 19)]),
    "from nowhere": (OPEN, 52, [(10, 5)]),
    "nothing though something could be": (OPEN, 31, []),
    "the bar ignored": (BAR, 21, [(13, 11), (6, 5)]),
    "back onto the own bar": (OPEN, 61, [(13, 25)]),
    "borne off with men outside": (OUTSIDE, 66, [(6, 0)]),
    "won by it": (LAST, 21, [(6, 0), (1, 0)]),
}
"""Position (one's men, two's), roll, and what was played with it, from the mover's side."""


def board_of(scene: tuple[str | None, str | None]) -> Position:
    one, two = scene
    return STARTING if one is None or two is None else Position(men(one), men(two))


def after_an_illegal_play(shape: str, seat: Seat, place: str) -> Replay:
    """A match in which `seat` makes this play, and what follows it; `place`: where in the game."""
    scene, roll, hops = SHAPES[shape]
    table = Table(5)
    table.game()
    board = board_of(scene)
    if place == "after a dance":
        closed = board_of(("6:4 8:4 13:6 bar:1", "1:2 2:2 3:2 4:2 5:2 6:2 8:3"))
        sides = closed if seat is Seat.TWO else closed.swap()
        table.record(
            play.PositionStated(checkers=BySeat(sides.own, sides.other), on_roll=seat.other)
        )
        table.roll(seat.other.value, 66)
        table.record(play.PlayMade(seat=seat.other))
    if place == "after a dance" or board is not STARTING:
        sides = board if seat is Seat.ONE else board.swap()
        stated = play.PositionStated(checkers=BySeat(sides.own, sides.other), on_roll=seat)
        table.record(stated)
    table.roll(seat.value, roll)
    moves = tuple(CheckerMove(source, target) for source, target in hops)
    table.record(play.PlayMade(seat=seat, moves=moves))
    if not table.state.flow.in_game:
        return table.replay
    if place == "last play":
        table.record(ending.ResignationOffered(seat=seat.other, level=WinKind.SINGLE))
        table.record(ending.ResignationAccepted(seat=seat))
        table.game()
    chance = random.Random(shape)
    mover = seat.other
    for _ in range(6):
        now = table.state.positions.board
        if now is None or not table.state.flow.in_game:
            break
        seen = now if mover is Seat.ONE else now.swap()
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        table.roll(mover.value, dice[0] * 10 + dice[1])
        found = list(seen.legal_plays(dice))
        table.record(play.PlayMade(seat=mover, moves=chance.choice(found).moves if found else ()))
        mover = mover.other
    return table.replay


PLACES = ("within the game", "last play", "after a dance")


def states_before_plays(game: judge.Game) -> list[str]:
    """Position ID of the match itself before each play, whoever's turn its list of boards has."""
    states = [game.start, *(action.after for action in game.actions)]
    return [
        state.split(":")[0]
        for state, action in zip(states, game.actions, strict=False)
        if action.kind == "move"
    ]


def boards_before_plays(replayed: Replay, skipped: int | None = None) -> list[str]:
    """Ours, without the play at a version."""
    found = []
    for step in replayed.steps:
        payload, board = step.event.payload, step.before.positions.board
        if isinstance(payload, play.PlayMade) and step.event.version != skipped:
            assert board is not None
            found.append(position_id(board if payload.seat is Seat.ONE else board.swap()))
    return found


@pytest.mark.parametrize("illegal", ["raw", "stated"])
def test_after_an_illegal_play_every_later_board_is_right(gnubg: Reads, illegal: Illegal) -> None:
    cases = [
        after_an_illegal_play(shape, seat, place)
        for shape in SHAPES
        for seat in Seat
        for place in PLACES
    ]
    # A checker from nowhere leaves an unknown board: there is nothing to compare.
    known = [
        one
        for one in cases
        if all(step.after.positions.board for step in one.steps if step.after.flow.in_game)
    ]
    assert len(cases) - len(known) == 2 * len(PLACES)
    read = gnubg({f"{k}.sgf": written(one, illegal) for k, one in enumerate(known)}, ids=True)
    later = 0
    for replayed, theirs in zip(known, read.values(), strict=True):
        assert not theirs.complaints
        (again,) = read_file(written(replayed, illegal), "x.sgf")
        assert _boards(replay(events_of(again))) == _boards(replayed)
        if "both players on one point" in _oddities(replayed):
            continue  # its board has no place for that, as the losses say
        told = [state for game in theirs.games for state in states_before_plays(game)]
        ours = boards_before_plays(replayed)
        if len(told) < len(ours):
            (stated,) = [
                step.event.version
                for step in replayed.steps
                if any(finding.code == "illegal-play" for finding in step.findings)
            ]
            ours = boards_before_plays(replayed, stated)
        assert told == ours
        later += len(told)
    assert later > 400


def _oddities(replayed: Replay) -> str:
    losses = sgf_writer.WRITER.write(replayed, Wanted(names=NAMES)).losses
    return " ".join(loss.detail for loss in losses if loss.kind == "checkers")


def _boards(replayed: Replay) -> list[Position | None]:
    return [
        step.after.positions.board
        for step in replayed.steps
        if isinstance(step.event.payload, play.PlayMade)
    ]


def test_a_double_in_the_crawford_game_is_loaded(gnubg: Reads) -> None:
    table = Table(3, score=(2, 0))
    table.game()
    for act in (cube.DoubleOffered(seat=Seat.TWO), cube.DoubleTaken(seat=Seat.ONE)):
        table.record(act)
    table.roll("two", 31)
    table.record(play.PlayMade(seat=Seat.TWO, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    _, found = judged(gnubg, [table.replay])
    assert not named(found)


def test_the_same_player_twice_is_loaded(gnubg: Reads) -> None:
    table = Table(3)
    table.game()
    for roll, moves in ((31, ((8, 5), (6, 5))), (42, ((8, 4), (6, 4)))):
        table.roll("one", roll)
        table.record(play.PlayMade(seat=Seat.ONE, moves=tuple(CheckerMove(*m) for m in moves)))
    table.roll("two", 21)
    table.record(play.PlayMade(seat=Seat.TWO, moves=(CheckerMove(13, 11), CheckerMove(6, 5))))
    read = gnubg({"x.sgf": written(table.replay)}, ids=True)["x.sgf"]
    (game,) = read.games
    assert states_before_plays(game) == boards_before_plays(table.replay)


# -- the cube ---------------------------------------------------------------------------------


def test_beavers_and_automatic_doubles_have_their_values(gnubg: Reads) -> None:
    table = Table(None, jacoby="on", beavers="on")
    table.game()
    table.record(cube.CubeStated(value=2), basis=Basis.AGREED)
    for act in (cube.DoubleOffered(seat=Seat.ONE), cube.CubeBeavered(seat=Seat.TWO)):
        table.record(act)
    table.roll("one", 31)
    table.record(play.PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    table.record(cube.DoubleOffered(seat=Seat.TWO))
    table.record(cube.DoubleDropped(seat=Seat.ONE))
    content = written(table.replay)
    assert b"RU[Jacoby]CV[2]RE[B+8]" in content
    read = gnubg({"x.sgf": content}, ids=True)["x.sgf"]
    assert not read.complaints
    assert (read.games[0].winner, read.games[0].points) == (Seat.TWO, 8)
    (again,) = read_file(content, "x.sgf")
    assert replay(events_of(again)).state.score.score == BySeat(0, 8)


@pytest.mark.parametrize("value", [2_048, 4_096, 8_192, 2**30])
def test_a_cube_that_it_cannot_turn_is_not_written(gnubg: Reads, value: int) -> None:
    table = Table(None, beavers="on")
    table.game()
    table.record(cube.CubeStated(value=value, owner=Seat.ONE), basis=Basis.AGREED)
    for act in (cube.DoubleOffered(seat=Seat.ONE), cube.CubeBeavered(seat=Seat.TWO)):
        table.record(act)
    table.roll("one", 31)
    table.record(play.PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    export = sgf_writer.WRITER.write(table.replay, Wanted(names=NAMES))
    assert "limit" in {loss.kind for loss in export.losses}
    read = gnubg({"x.sgf": export.content})["x.sgf"]
    assert not read.complaints
    assert len(read.games[0].boards) == 1


@pytest.mark.parametrize("doubles", [7, 8, 9])
def test_a_cube_beyond_all_matches_breaks_no_file(gnubg: Reads, doubles: int) -> None:
    table = Table(5)
    table.game()
    table.turn("two", 31, "8/5 6/5")
    for k in range(doubles):
        seat, other = ("one", "two") if k % 2 == 0 else ("two", "one")
        table.double(seat).take(other).turn(seat, 21, "6/5")
    files = {
        f"x.{name}": WRITERS[name].write(table.replay, Wanted(names=NAMES))
        for name in ("mat", "sgf")
    }
    read = gnubg({name: export.content for name, export in files.items()}, ids=True)
    for name, export in files.items():
        assert ("limit" in {loss.kind for loss in export.losses}) is (doubles > 7), name
        assert len(read[name].games[0].boards) == doubles + 1, name
        assert not read[name].complaints, name


# -- names and texts --------------------------------------------------------------------------

HOSTILE = [
    *("a:b", "a;b", "a)b", "(;W[66])", "Kohl, 9", "Game Boy", "]", "\\", "\\]", "a]b\\", "x" * 80),
    *(
        "é" * 40,
        "שלום \u202ex",
        "😀" * 12,
        "\x00\x07\x1b[2J",
        "a\nb\r\nc",
        "",
        "   ",
        "\ud800",
        "'\"%s%n",
    ),
]


def test_hostile_names_and_texts_are_loaded_as_written(gnubg: Reads) -> None:
    table = Table(3)
    table.game()
    table.roll("one", 31)
    table.record(play.PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    table.record(match.GameWon(winner=Seat.ONE, points=1))
    files = {}
    for k, name in enumerate(HOSTILE):
        details = Details(event=name, round=name, place=name, date=name, transcriber=name)
        wanted = Wanted(names=BySeat(name, HOSTILE[-k]), details=details)
        files[f"{k}.sgf"] = sgf_writer.WRITER.write(table.replay, wanted).content
    read = gnubg(files)
    for k, (name, content) in enumerate(zip(HOSTILE, files.values(), strict=True)):
        theirs = read[f"{k}.sgf"]
        assert not theirs.complaints
        assert len(theirs.games) == 1
        (again,) = read_file(content, "x.sgf")
        ours = tuple(again.opened["players"][seat.value][0]["name"] for seat in Seat)
        assert theirs.names == ours
        assert ours[0] == sgf_writer.sanitised(name, "Player 1")
        assert again.games == 1


def test_it_keeps_the_comments(gnubg: Reads) -> None:
    table = Table(3)
    table.game()
    table.void(seat="one")
    table.roll("one", 31)
    table.record(play.PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 5), CheckerMove(6, 5))))
    table.void(seat="two")
    read = gnubg({"x.sgf": written(table.replay)})["x.sgf"]
    assert "does not count" in read.info["comment"]
    assert "does not count" in (read.games[0].actions[0].comment or "")
