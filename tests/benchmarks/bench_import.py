"""Importing real .mat files, beside gammonview's `mat_to_ogxm`, by one process and by two workers.

Ours parses, judges with every fold, makes salts and commitments, seals, hashes and stores each
match durably, in an SQLite file (WAL, FULL) and in PostgreSQL (whose own processes are not counted
by the processor's time), with its row in the list of matches. Theirs parses the
same texts and replays boards and cube into a document that is kept nowhere. Rounds alternate; the
median of each counts, and the processor's own time stands beside the clock's, because a machine
that others use shows in the one alone. One process works on one processor; two workers that read
files, and the process that stores what they read, on two, beside the same peer and our one process
in the same rounds. The corpus is not in the checkout: `TABULARIUM_SHARED` names
the folder that holds it, or it lies beside the checkout.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from databases import SQLITE, Home, homes, sqlite_in
from gvformat.mat import mat_to_ogxm
from machine import built

from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.imports.bulk import Bulk
from api.imports.preparing import Order, Preparer
from api.imports.ready import MatchResult
from api.imports.taking import LocalTaker

ROUNDS = 7


class File(NamedTuple):
    """A file of the corpus, and the plies that its index counts in it."""

    path: Path
    plies: int


class Took(NamedTuple):
    """Seconds of one round."""

    clock: float
    processor: float


def corpus(step: int) -> list[File]:
    """Every `step`-th text file of the corpus; [] where there is none."""
    named = os.environ.get("TABULARIUM_SHARED")
    shared = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    index = shared / "corpus" / "INDEX.csv"
    if not index.is_file():
        return []
    with index.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not _is_other(row["dialect"])]
    return [File(index.parent / row["file"], int(row["plies"])) for row in rows[::step]]


def _is_other(dialect: str) -> bool:
    return dialect == "xg-binary" or dialect.startswith("sgf")


def run(files: list[File], *, home: Home = SQLITE, rounds: int = ROUNDS) -> list[tuple[str, str]]:
    """Rows of (what, figure)."""
    plies = sum(file.plies for file in files)
    ours: list[Took] = []
    theirs: list[Took] = []
    prepared: list[Took] = []
    for _ in range(rounds):
        theirs.append(_timed(lambda: _convert(files)))
        prepared.append(_timed(lambda: _prepare(files)))
        with home.empty() as (url, folder):
            ours.append(_imported(files, folder, plies, url))
    return [
        ("files, plies", f"{len(files):,}, {plies:,}"),
        ("ours: parsed, judged, sealed, stored", _speed(plies, ours)),
        ("  of which parsed, judged, sealed", _speed(plies, prepared)),
        ("gammonview: parsed, replayed", _speed(plies, theirs)),
        ("ratio (target 0.9)", _ratio(theirs, ours)),
        ("ratio by the processor's time", _ratio(theirs, ours, by="processor")),
    ]


def run_by_two(
    files: list[File], *, home: Home = SQLITE, rounds: int = ROUNDS
) -> list[tuple[str, str]]:
    """The same of two workers, with the seconds that they take to start."""
    plies = sum(file.plies for file in files)
    theirs: list[Took] = []
    ours: dict[int, list[Took]] = {0: [], 2: []}
    for _ in range(rounds):
        theirs.append(_timed(lambda: _convert(files)))
        for workers, took in ours.items():
            with home.empty() as (url, folder):
                took.append(_imported(files, folder, plies, url, workers=workers))
    return [
        ("files, plies, for two workers", f"{len(files):,}, {plies:,}"),
        ("ours by two workers", _speed(plies, ours[2])),
        ("ours by one process", _speed(plies, ours[0])),
        ("gammonview by one process", _speed(plies, theirs)),
        ("two workers beside gammonview (target 1.3)", _ratio(theirs, ours[2])),
        ("two workers beside one process", _ratio(ours[0], ours[2])),
        ("  by the processor's time", _ratio(ours[0], ours[2], by="processor")),
    ]


def _speed(plies: int, took: list[Took]) -> str:
    return f"{plies / _median(took).clock:,.0f} plies/s"


def _ratio(one: list[Took], other: list[Took], *, by: str = "clock") -> str:
    return f"{getattr(_median(one), by) / getattr(_median(other), by):.2f} x"


def _median(took: list[Took]) -> Took:
    return Took(*(statistics.median(one[place] for one in took) for place in (0, 1)))


def _timed(work: Callable[[], None]) -> Took:
    clock, processor = time.perf_counter(), _spent()
    work()
    return Took(time.perf_counter() - clock, _spent() - processor)


def _spent() -> float:
    """Seconds of processors so far, those of workers that have ended included."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _convert(files: list[File]) -> None:
    for file in files:
        mat_to_ogxm(file.path.read_text("utf-8", errors="replace"))


def _prepare(files: list[File]) -> None:
    preparer = Preparer(Order(log_id="imports"))
    for file in files:
        preparer.ready(file.path.read_bytes(), file.path.name, source_name=file.path.name)


def _imported(
    files: list[File], folder: Path, plies: int, url: str | None = None, *, workers: int = 0
) -> Took:
    archive = open_archive(url or sqlite_in(folder))
    index = MatchIndex(archive.store, archive.reading, path=folder / "archive.sqlite.index")
    rolls = 0

    def work() -> None:
        nonlocal rolls
        bulk = Bulk(LocalTaker(archive, index), Order(log_id="imports"), workers=workers)
        for outcomes in bulk.run(file.path for file in files):
            rolls += sum(one.rolls for one in outcomes if isinstance(one, MatchResult))

    try:
        took = _timed(work)
    finally:
        index.close()
        archive.close()
    if rolls != plies:
        raise AssertionError(f"{rolls} plies were imported, and the index counts {plies}")
    return took


@contextlib.contextmanager
def on_processors(count: int) -> Iterator[None]:
    """This process and its children on so many processors, where the system can be asked so."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--step",
        type=int,
        default=4,
        help="take every so many-th file, and four times as many for two workers",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    # Workers take a while to start, which a few files would measure above all.
    files = {1: corpus(chosen.step), 2: corpus(max(1, chosen.step // 4))}
    if not files[1]:
        print("the corpus of real match files is not there (TABULARIUM_SHARED)")
        return
    for home in homes():
        print(home.name)
        for count, measured in ((1, run), (2, run_by_two)):
            with on_processors(count):
                rows = measured(files[count], home=home, rounds=chosen.rounds)
            for what, figure in rows:
                print(f"  {what:<45}{figure:>20}", flush=True)


if __name__ == "__main__":
    print(built())
    main()
