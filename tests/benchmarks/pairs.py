"""This tree beside another: the same work by both, in alternating pairs, by the processor's time.

`uv run python tests/benchmarks/pairs.py OTHER [name ...]` asks the checkout at OTHER, by the Python
in its `.venv`, and this one, in turn, and prints the median of the ratios other / this with the
interval that holds it in 95 of 100 cases: above 1, this tree is the faster one.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import inspect
import math
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()

NAMES = ("replay", "judge", "import", "append", "pages", "lists", "publish", "show")

LISTED = 400
"""Matches of ten turns whose lists are made anew."""

PUBLISHED = 60_000
"""Entries that are published by one process."""

Work = Callable[[], float]
"""Does the work once and gives seconds of the processor."""


# -- in each tree ----------------------------------------------------------------------------------


def _bench(name: str) -> Any:
    """A benchmark of the tree that this process works in; trees differ in their modules' names."""
    return importlib.import_module(f"bench_{name}")


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def replay(folder: Path) -> Work:
    """Ten replays of a match of 600 entries from its rows, all folds."""
    bench = _bench("replay")
    archive, stream = bench._ours(folder / "replay.sqlite", bench.random_match())

    def work() -> None:
        for _ in range(10):
            rows = archive.store.read_sealed("bench", stream)
            bench.replay(bench.catalogue.read_entries("bench", stream, rows))

    return lambda: _timed(work)


def judge(folder: Path) -> Work:
    """The legality of 4,000 recorded plays."""
    bench = _bench("judge")
    turns = bench._recorded(4_000, bench.random.Random(1))
    return lambda: _timed(lambda: bench._ours(turns))


def import_(folder: Path) -> Work:
    """Every thirtieth text file of the corpus, to the ledger."""
    bench = _bench("import")
    files = bench.corpus(30)
    if not files:
        sys.exit("there is no corpus to import: TABULARIUM_SHARED names the folder that holds it")
    plies = sum(file.plies for file in files)

    def work() -> None:
        with tempfile.TemporaryDirectory() as fresh:
            bench._imported(files, Path(fresh), plies)

    return lambda: _timed(work)


def append(folder: Path) -> Work:
    """A durable append over HTTP, 16 connections: the server's time for one."""
    bench = _bench("append")
    return lambda: float(bench.run(rounds=1, requests=60)[1].cpu_us) / 1e6


def pages(folder: Path) -> Work:
    """A public match page of 600 entries, anew after each of five more."""
    bench = _bench("pages")
    loop = asyncio.new_event_loop()
    site = bench.Site(folder, 100)
    loop.run_until_complete(site.fill(100))
    more = iter(bench.random_match(bench.ENTRIES + 2_000)[bench.ENTRIES :])

    def work() -> float:
        spent = 0.0
        for _ in range(5):
            loop.run_until_complete(site.append([next(more)]))
            spent += _timed(lambda: loop.run_until_complete(site.timed(bench.PATHS[2])))
        return spent

    return work


def lists(folder: Path) -> Work:
    """The lists of imported public matches, made anew."""
    files = folder / "files"
    files.mkdir()
    for number in range(LISTED):
        (files / f"{number}.mat").write_text(_short_match(number), "utf-8")
    url = f"sqlite:///{folder / 'archive.sqlite'}"
    _command("--db", url, "--workers", "0", "--public", str(files), command="import")
    try:
        archive = importlib.import_module("api.archive.archive").open_archive(url)
        index = importlib.import_module("api.archive.index.index").MatchIndex
    except ModuleNotFoundError:  # Before rooms were made of the files beside each other.
        archive = importlib.import_module("api.archive").open_archive(url)
        index = importlib.import_module("api.index").MatchIndex

    def work() -> float:
        fresh = index(archive.store, archive.reading)
        took = _timed(fresh.catch_up)
        fresh.close()
        return took

    return work


def _short_match(number: int) -> str:
    """A match of ten turns as a `.mat` file, as in `bench_large.py`."""
    board = importlib.import_module("projections.board.position").STARTING
    written = importlib.import_module("projections.board.notation").format_play
    chance, cells = random.Random(number), []
    while len(cells) < 10:
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        plays = list(board.legal_plays(dice))
        moves = chance.choice(plays).moves if plays else ()
        cells.append(f"{dice[0]}{dice[1]}: {written(moves)}")
        board = board.moved(moves).position.swap()
    one, two = f"Ada {number % 97} : 0", f"Ben {number} : 0"
    lines = [" 7 point match", "", " Game 1", f" {one:<34}{two}"]
    for place in range(0, len(cells), 2):
        lines.append(f"{place // 2 + 1:3}) {cells[place]:<34}{cells[place + 1]}")
    return "\n".join(lines) + "\n"


def publish(folder: Path) -> Work:
    """Five Parquet tables of entries that are read and folded, by one process."""
    bench = _bench("publish")
    path = folder / "archive.sqlite"
    takes_url = "url" in inspect.signature(bench.archive_of).parameters
    plan = bench.archive_of(f"sqlite:///{path}" if takes_url else path, PUBLISHED)
    return lambda: _timed(lambda: bench.publish(plan, folder / "out", bench.LocalEngine(1)))


def show(folder: Path) -> Work:
    """`tabularium show` on an archive of one match, a process of its own."""
    url = f"sqlite:///{folder / 'archive.sqlite'}"
    file = folder / "one.mat"
    file.write_text(_short_match(1), "utf-8")
    _command("--db", url, "--workers", "0", str(file), command="import")
    archive = sqlite3.connect(folder / "archive.sqlite")
    asked = "SELECT stream_id FROM event WHERE tag = 'match.opened'"
    [stream] = archive.execute(asked).fetchone()
    archive.close()

    def work() -> float:
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        _command("--db", url, stream, command="show")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime

    return work


def _command(*options: str, command: str) -> None:
    """Run a command of the tree that this process works in. Errors: CalledProcessError."""
    script = Path(sys.executable).with_name("tabularium")
    subprocess.run([script, command, *options], check=True, stdout=subprocess.DEVNULL)


def serve(tree: Path, name: str) -> None:
    """Answer each line on stdin with the seconds that the work took, in the tree given."""
    sys.path[:0] = [str(tree), str(tree / "tests" / "benchmarks")]
    with tempfile.TemporaryDirectory() as folder:
        prepared = {
            "replay": replay,
            "judge": judge,
            "import": import_,
            "append": append,
            "pages": pages,
            "lists": lists,
            "publish": publish,
            "show": show,
        }
        work = prepared[name](Path(folder))
        work()
        print("ready", flush=True)
        for _ in sys.stdin:
            print(work(), flush=True)


# -- above both ------------------------------------------------------------------------------------


class Tree:
    """A process in a checkout that does one benchmark's work when it is asked to."""

    def __init__(self, folder: Path, name: str) -> None:
        python = folder / ".venv" / "bin" / "python"
        self.process = subprocess.Popen(
            [python, HERE, "--serve", folder, name],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """What it says next. Errors: RuntimeError if it has ended."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError(f"{self.process.args} ended with {self.process.wait()}")
        return said

    def once(self) -> float:
        """Seconds of the processor for the work, done once."""
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)
        return float(self.line())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def ratios(other: Path, name: str, pairs: int) -> Iterator[float]:
    """other / this, one a pair; which goes first changes from pair to pair."""
    for number in range(pairs):
        # Where the memory of a process happens to lie speeds it up or slows it down by some
        # hundredths, for as long as it lives: each pair has new ones.
        trees = [Tree(other, name), Tree(HERE.parents[2], name)]
        try:
            for tree in trees:
                tree.line()
            order = trees if number % 2 else trees[::-1]
            took = {id(tree): tree.once() for tree in order}
            yield took[id(trees[0])] / took[id(trees[1])]
        finally:
            for tree in trees:
                tree.close()


def interval(values: list[float]) -> tuple[float, float]:
    """The 95 % interval of the median, by the order of the values (a sign test)."""
    ordered = sorted(values)
    reach = math.floor(len(values) / 2 - 0.98 * math.sqrt(len(values)))
    low = max(0, reach - 1)
    return ordered[low], ordered[len(values) - 1 - low]


def main() -> None:
    """Print a row a benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("other", type=Path, help="another checkout with its .venv")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--pairs", type=int, default=24)
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in NAMES]:
        parser.error(f"no such work: {', '.join(unknown)}; there is {', '.join(NAMES)}")
    print(f"| benchmark | other / this, median of {asked.pairs} pairs | 95 % |\n|---|---|---|")
    for name in asked.names or NAMES:
        found = list(ratios(asked.other.resolve(), name, asked.pairs))
        low, high = interval(found)
        print(f"| {name} | {statistics.median(found):.3f} | {low:.3f} to {high:.3f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[3])
    else:
        main()
