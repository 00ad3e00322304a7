"""The search over 33,000 generated matches: how large it is, how soon made, how soon it answers.

Games are played by chance, many at once: each die by the frequency with which it was played from
each point in 473 real matches, cubes as often as there. The matches are put into the index as if
the ledger had told them; how long reading the ledger takes is measured beside, on matches that are
in one. blunderDB, at 33,319 matches and 16.6 M positions, says of itself: a search for errors 30 s,
statistics 513 s and 5.4 GB. A number after the command is the number of matches.
"""

from __future__ import annotations

import contextlib
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
from bench_replay import random_match

from api.archive.archive import open_archive
from api.search.boards import Key, key_of, mask_of, near, position_of
from api.search.counting import Counted, every_twin, replies, sums_of_player
from api.search.figures import Figures, Habits, Opening
from api.search.positions import Conditions, PositionIndex
from api.search.tables import Facts, packed, unpacked
from api.search.turns import Added, Found, TurnRow
from events.envelope import NO_STREAM
from events.payloads.match import Source
from projections.board.ids import position_id
from projections.board.position import STARTING

MATCHES = 33_000
TURNS = 503
"""Of a match: 16.6 M in all."""

AT_ONCE = 1_000
"""Matches that are played and put at a time."""

READ = 60
"""Matches that are in a ledger too, to see how long reading it takes."""

_PLAYED = """
3985 1164 961 871 1098 3555 1044 2075 592 503 487 219 544
  276 240 238 134 157 106 70 272 275 415 1164 2204
3985 3746 999 1014 969 2933 1102 1317 662 513 563 179 2564
  181 302 324 144 402 106 303 46 257 333 983 2008
3985 3746 3533 993 1020 2579 1078 2573 660 645 472 183 2278
  329 184 350 168 461 100 197 323 37 248 1120 1787
3985 3746 3533 3075 1122 2278 1039 2413 892 585 590 239 2792
  337 372 242 207 509 121 479 179 370 41 1169 1783
3985 3746 3533 3075 2421 2187 975 2379 641 728 680 214 3326
  322 460 472 163 720 140 653 605 267 519 76 1811
3985 3746 3533 3075 2421 1709 1049 1923 625 650 808 375 3339
  382 397 421 225 296 139 665 654 697 335 1939 595
"""

DICE_FROM = np.array([*[0.0] * 25, *map(float, _PLAYED.split())]).reshape(7, 25)
"""How often each die was played from each of the points 1 to 24 and the bar in the 473 matches."""

DOUBLED, DROPPED = 0.0235, 0.38
"""How many of the turns began with a double there, and how many of these were dropped."""

_POINTS = np.arange(1, 26)

_START = key_of(STARTING)


def played(chance: np.random.Generator, tables: int, turns: int) -> Iterator[list[TurnRow]]:
    """That many matches with that many turns each, played side by side."""
    start = np.array(STARTING.own[1:], dtype=np.int64)
    boards = np.tile(np.stack([start, start]), (tables, 1, 1))
    cubes = np.zeros((tables, 2), dtype=np.int64)  # log2, owner: 0 middle, 1 mover, 2 opponent
    away = chance.integers(1, 12, (tables, 2))
    made: list[list[TurnRow]] = [[] for _ in range(tables)]
    facts: dict[tuple[int, ...], int] = {}
    lows, highs = 16 ** np.arange(13), 16 ** np.arange(12)
    for turn in range(turns):
        keys = np.concatenate(
            [
                np.stack([boards[:, side, :13] @ lows, boards[:, side, 13:] @ highs], axis=1)
                for side in (0, 1)
            ],
            axis=1,
        )
        dice = chance.integers(1, 7, (tables, 2))
        doubles = (chance.random(tables) < DOUBLED) & (cubes[:, 1] != 2) & (cubes[:, 0] < 5)
        drops = doubles & (chance.random(tables) < DROPPED)
        told = np.column_stack([np.sort(dice, 1)[:, ::-1], cubes, doubles + drops * 1, away])
        for table, (key, one) in enumerate(zip(keys.tolist(), told.tolist(), strict=True)):
            known = tuple(one)
            if known not in facts:
                facts[known] = _packed(known)
            made[table].append(TurnRow(Key(*key), 3 + 2 * turn, facts[known]))
        cubes[doubles, 0] += 1
        cubes[doubles, 1] = 2
        for number in range(4):
            die = dice[:, number % 2]
            moves = ~drops & ((number < 2) | (dice[:, 0] == dice[:, 1]))
            _moved(chance, boards, die, moves)
        over = drops | (boards[:, 0].sum(1) == 0)
        boards[over] = start
        cubes[over] = 0
        away[over] = chance.integers(1, 12, (int(over.sum()), 2))
        boards = boards[:, ::-1].copy()
        away = away[:, ::-1].copy()
        cubes[:, 1] = np.choose(cubes[:, 1], [0, 2, 1])
    yield from made


def _packed(told: tuple[int, ...]) -> int:
    high, low, log2, owner, double, own, other = told
    return packed(
        Facts(
            dice=(high, low),
            cube_value=1 << log2,
            cube_owner=("middle", "own", "other")[owner],
            double=(None, "taken", "dropped")[double],
            is_crawford=False,
            away_own=own,
            away_other=other,
        )
    )


def _moved(
    chance: np.random.Generator, boards: np.ndarray, die: np.ndarray, moves: np.ndarray
) -> None:
    """One checker of the player on roll moved by one die at each table, where one may be."""
    own, other = boards[:, 0], boards[:, 1]
    target = _POINTS[None, :] - die[:, None]
    # The opponent's count on each target, which is that side's point 25 - target.
    across = np.take_along_axis(other, np.clip(24 - target, 0, 24), axis=1)
    is_home = own[:, 6:].sum(1) == 0
    highest = np.where(own > 0, _POINTS[None, :], 0).max(1)
    off = is_home[:, None] & ((target == 0) | ((target < 0) & (highest[:, None] == _POINTS)))
    may = (own > 0) & moves[:, None] & np.where(target > 0, across < 2, off)
    may[:, :24] &= own[:, 24:] == 0
    weight = DICE_FROM[die] + 0.5
    drawn = np.where(may, chance.random(own.shape) ** (1 / weight), -1.0)
    tables = np.flatnonzero(may.any(1))
    origin = drawn[tables].argmax(1)
    own[tables, origin] -= 1
    lands = target[tables, origin]
    on = lands > 0
    tables, lands = tables[on], lands[on]
    own[tables, lands - 1] += 1
    hit = other[tables, 24 - lands] == 1
    other[tables[hit], 24 - lands[hit]] = 0
    other[tables[hit], 24] += 1


def fill(index: PositionIndex, matches: int) -> tuple[float, int]:
    """(seconds of the processor for putting them in place, turns)."""
    chance, drawn = np.random.default_rng(4), random.Random(4)
    spent, turns = 0.0, 0
    for begin in range(0, matches, AT_ONCE):
        many = list(played(chance, min(AT_ONCE, matches - begin), TURNS))
        turns += sum(map(len, many))
        added = [
            Added(rows, [], figures(drawn, rows, begin + place)) for place, rows in enumerate(many)
        ]
        began = time.process_time()
        for first in range(0, len(many), 40):
            made = {
                f"m{begin + first + place}": [Found(2 * TURNS, True, one)]
                for place, one in enumerate(added[first : first + 40])
            }
            index.take_all("bench", made)
        spent += time.process_time() - began
        print(f"\r{begin + len(many):>7} matches", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return spent, turns


def reading(folder: Path) -> float:
    """Microseconds of the processor a turn, from the ledger to the index."""
    archive = open_archive(f"sqlite:///{folder / 'ledger.sqlite'}")
    archive.open_tournament("bench", "Benchmark")
    for number in range(READ):
        opened, *rest = random_match(2 * TURNS, seed=number)
        # As a file that breaks off: nobody plays it any more.
        imported = msgspec.structs.replace(opened, source=Source(sha256="0" * 64, dialect="mat"))
        drafts = [archive.draft(one) for one in (imported, *rest)]
        archive.append("bench", f"m{number}", drafts, expected_version=NO_STREAM)
    with contextlib.closing(archive):
        index = PositionIndex(archive.store, archive.reading, path=folder / "ledger.search")
        with contextlib.closing(index):
            began = time.process_time()
            index.catch_up()
            return (time.process_time() - began) * 1e6 / index.count()[1]


def figures(chance: random.Random, turns: list[TurnRow], number: int) -> Figures:
    """What is counted of such a match: its openings as they were played, the rest by chance."""
    openings = []
    begins = [place for place, turn in enumerate(turns[:-2]) if turn.key == _START]
    for game, place in enumerate(begins, 1):
        boards = [position_id(position_of(turns[place + more].key)) for more in (1, 2)]
        rolls = [unpacked(turns[place + more].facts).dice or (2, 1) for more in (0, 1)]
        first, second = (10 * high + low for high, low in rolls)
        openings.append(
            Opening(
                game=game,
                seat=1 + place % 2,
                first=first,
                play=f"to {boards[0][:4]}",
                after=boards[0],
                second=second,
                answer=f"to {boards[1][:4]}",
                answered=boards[1],
                winner=chance.choice((1, 2)),
                level=chance.choice((1, 1, 1, 2)),
                worth=chance.choice((1, 2, 2, 4)),
            )
        )
    habits = [
        Habits._make((seat, *(chance.randrange(len(begins) + 1) for _ in Habits._fields[1:])))
        for seat in (1, 2)
    ]
    # One match in ten came in from a second file.
    moves = (number - number % 10 // 9).to_bytes(16, "big")
    return Figures(tuple(openings), tuple(habits), moves)


def timed(what: str, look: Callable[[], object], times: int = 5) -> None:
    """How long a look takes: the first one, and the middle of those after it."""
    taken = []
    for _ in range(times + 1):
        began = time.perf_counter()
        found = look()
        taken.append(time.perf_counter() - began)
    rest = sorted(taken[1:])[times // 2]
    size = len(found) if isinstance(found, list) else found
    print(f"| {what} | {taken[0] * 1e3:,.0f} | {rest * 1e3:,.0f} | {size} |")


def main() -> None:
    """Fill an index, and ask it."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = open_archive("memory://")
        path = folder / "bench.search"
        with contextlib.closing(archive):
            index = PositionIndex(archive.store, archive.reading, path=path)
            with contextlib.closing(index):
                spent, turns = fill(index, matches)
                size = path.stat().st_size + path.with_name(f"{path.name}-wal").stat().st_size
                print(f"{matches:,} matches, {turns:,} turns, {size / 1e6:,.0f} MB on the disk;")
                each = spent / turns * 1e6
                print(f"put in place in {spent:,.0f} s of a processor, {each:.1f} µs a turn;")
                print(f"from a ledger on: {reading(folder):.0f} µs a turn, in one process\n")
                ask(index)
                count(index, matches)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nat most {most:,.0f} MB of memory, the generator's included")


def ask(index: PositionIndex) -> None:
    """The looks, one a line of a table."""
    third = index.find(Conditions(), limit=500)[-1].key
    print(f"a board of a game's middle: {position_id(position_of(third))}\n")
    print("| look, a page of 50 | first, ms | then, ms | found |\n|---|---|---|---|")
    opening = key_of(STARTING)
    wanted = {
        "the opening position": Conditions(keys=[opening]),
        "a board of a middle": Conditions(keys=[third]),
        "near the opening position": Conditions(keys=near(STARTING)),
        "near a board of a middle": Conditions(keys=near(position_of(third))),
        "a board but for five points": Conditions(keys=[third], mask=mask_of({1, 2, 13, 18, 24})),
        "six points alone": Conditions(
            keys=[opening], mask=mask_of(set(range(26)) - {4, 5, 6, 7, 8, 20})
        ),
        "a score, a roll, a cube of 4": Conditions(
            facts=Facts(dice=(6, 4), cube_value=4, away_own=2, away_other=5)
        ),
        "what is nowhere": Conditions(facts=Facts(dice=(6, 4), cube_value=1 << 20)),
    }
    for what, asked in wanted.items():
        timed(what, lambda asked=asked: index.find(asked))


def count(index: PositionIndex, matches: int) -> None:
    """The statistics, one a line of a table."""
    everything = Counted(public_by=0)
    found = replies(index, everything)
    games = sum(one.sums.games for one in found.found)
    most = max(found.found, key=lambda one: one.sums.games)
    print(f"\n{games:,} games of {found.matches:,} matches, of {matches:,} with twins\n")
    print("| statistics | first, ms | then, ms | found |\n|---|---|---|---|")
    timed("replies to every opening roll", lambda: replies(index, everything).found)
    one = {"first": most.dice, "after": most.after}
    timed("and to every second roll", lambda: replies(index, everything, **one).found)
    for share in (1_000, 1):
        of = [("bench", f"m{number}", 1) for number in range(0, matches, share)]
        mine = Counted(public_by=0, of=of)
        what = "everybody in seat one" if share == 1 else f"a player of {len(of)} matches"
        timed(f"{what}: sums", lambda mine=mine: [*sums_of_player(index, mine).matches])
        timed(f"{what}: openings", lambda mine=mine: replies(index, mine).found)
    timed("matches that are here twice", lambda: every_twin(index, 0))


if __name__ == "__main__":
    main()
