"""Importing real .mat files, beside gammonview's `mat_to_ogxm`, on one processor in the same run.

Ours parses, judges with every fold, makes salts and commitments, seals, hashes and stores each
match durably, in an SQLite file (WAL, FULL) and in PostgreSQL (whose own processes are not counted
by the processor's time), with its row in the list of matches. Theirs parses the
same texts and replays boards and cube into a document that is kept nowhere. Rounds alternate; the
median of each counts, and the processor's own time stands beside the clock's, because a machine
that others use shows in the one alone. The corpus is not in the checkout: `TABULARIUM_SHARED` names
the folder that holds it, or it lies beside the checkout.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from databases import SQLITE, Home, homes, sqlite_in
from gvformat.mat import mat_to_ogxm

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
    rows = [("files, plies", f"{len(files):,}, {plies:,}")]
    for name, took in (
        ("ours: parsed, judged, sealed, stored", ours),
        ("  of which parsed, judged, sealed", prepared),
        ("gammonview: parsed, replayed", theirs),
    ):
        rows.append((name, f"{plies / _median(took).clock:,.0f} plies/s"))
    rows.append(("ratio (target 0.9)", f"{_median(theirs).clock / _median(ours).clock:.2f} x"))
    by_processor = _median(theirs).processor / _median(ours).processor
    rows.append(("ratio by the processor's time", f"{by_processor:.2f} x"))
    return rows


def _median(took: list[Took]) -> Took:
    return Took(*(statistics.median(one[place] for one in took) for place in (0, 1)))


def _timed(work: Callable[[], None]) -> Took:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - clock, time.process_time() - processor)


def _convert(files: list[File]) -> None:
    for file in files:
        mat_to_ogxm(file.path.read_text("utf-8", errors="replace"))


def _prepare(files: list[File]) -> None:
    preparer = Preparer(Order(log_id="imports"))
    for file in files:
        preparer.ready(file.path.read_bytes(), file.path.name, source_name=file.path.name)


def _imported(files: list[File], folder: Path, plies: int, url: str | None = None) -> Took:
    archive = open_archive(url or sqlite_in(folder))
    index = MatchIndex(archive.store, archive.reading, path=folder / "archive.sqlite.index")
    rolls = 0

    def work() -> None:
        nonlocal rolls
        bulk = Bulk(LocalTaker(archive, index), Order(log_id="imports"))
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
def on_one_processor() -> Iterator[None]:
    """All of this process on one and the same processor, where the system can be asked for that."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=4, help="take every so many-th file")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    files = corpus(chosen.step)
    if not files:
        print("the corpus of real match files is not there (TABULARIUM_SHARED)")
        return
    for home in homes():
        with on_one_processor():
            rows = run(files, home=home, rounds=chosen.rounds)
        print(home.name)
        for what, figure in rows:
            print(f"  {what:<45}{figure:>20}", flush=True)


if __name__ == "__main__":
    main()
