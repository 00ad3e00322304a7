"""Our analysis of matches beside eXtreme Gammon's own: PR of each player, by the same files.

    TABULARIUM_XG=gammonview-3.1.0/samples/xg \\
        uv run python -m tests.benchmarks.bench_analysis --preset fast

The files are those of gammonview's source distribution, which hold XG's analysis. XG's PR is what
gammonview sums up of it; ours goes through our own reader, our own story of the match and the
engine. `--keep FILE` keeps what is done, so that a long run can be stopped and gone on with.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path
from statistics import mean
from typing import Any

from gvformat import compute_aggregates, convert_xg

from api.analysis.asking import asked_of
from api.analysis.released import Work
from api.analysis.results import Match, Results
from api.analysis.sums import sums_of
from api.analysis.working import Piece, Told, Workers, pieces_of
from api.exchange.readers import read_file
from events.values import Seat
from projections.replay import replay
from tests.api.exchange.conftest import events_of

TARGETS = {"fast": 1.5, "world_class": 0.6}
"""Largest mean error that is allowed, in PR."""


def work_of(path: Path) -> Work:
    """A file's match as engines are asked about it."""
    content = path.read_bytes()
    [match] = read_file(content, path.name)
    head = hashlib.sha256(content).digest()
    return Work(Match("bench", path.stem, head), asked_of(replay(events_of(match))))


def xg_pr(path: Path) -> tuple[float, float]:
    """XG's PR of our seats one and two: whom gammonview takes for White may be either."""
    document = convert_xg(path)
    sums = compute_aggregates(document)["match"]
    [match] = read_file(path.read_bytes(), path.name)
    players: Any = match.opened["players"]
    is_turned = players["one"][0]["name"] != document["player_white"]
    one, two = ("black", "white") if is_turned else ("white", "black")
    return sums[one]["pr"], sums[two]["pr"]


def _folder() -> Path | None:
    named = os.environ.get("TABULARIUM_XG")
    return Path(named) if named else None


def main() -> int:
    """Print a row for each match, and the mean error; 1 where it is beyond the target."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=_folder())
    parser.add_argument("--engine", default="bgsage")
    parser.add_argument("--preset", default="fast")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--matches", type=int, help="so many, the smallest files first")
    parser.add_argument("--skip", type=int, default=0, help="not the first so many of them")
    parser.add_argument("--keep", type=Path, help="file for what is done")
    options = parser.parse_args()
    if options.folder is None:
        print("left out: name the folder with .xg files, --folder DIR or TABULARIUM_XG")
        return 0
    paths = sorted(options.folder.glob("*.xg"), key=lambda one: one.stat().st_size)
    paths = paths[options.skip :][: options.matches]
    results = Results(options.keep)
    workers = Workers(options.engine, options.preset, options.workers)
    works = {path: work_of(path) for path in paths}

    pieces = [piece for one in works.values() for piece in pieces_of(one, results, workers.by)]
    choices = sum(len(piece.game.choices) for piece in pieces)
    begun, ended = time.monotonic(), 0

    def told(one: Told) -> None:
        nonlocal ended
        ended += len(one.piece.game.choices)
        place = f"{one.piece.match.match_id} game {one.piece.game.number}"
        minutes = (time.monotonic() - begun) / 60
        said = one.reason or f"{ended} of {choices} choices after {minutes:.0f} minutes"
        print(f"{place}: {said}", file=sys.stderr, flush=True)

    def unheard(piece: Piece, done: int, total: int) -> None:
        """Games are told of, not choices."""

    try:
        workers.run(pieces, results, told=told, progress=unheard)
    finally:
        workers.close()
    print(f"{workers.by.version}, preset {workers.by.preset}")
    print(f"{'match':<24} {'XG':>14} {'ours':>14} {'error':>12}  decisions")
    errors: list[float] = []
    for path, work in works.items():
        found = results.found(work.match)
        if found is None:
            print(f"{path.stem:<24} not analysed whole")
            continue
        ours = [sums_of(found.games, seat) for seat in (Seat.ONE, Seat.TWO)]
        theirs = xg_pr(path)
        off = [(one.pr or 0.0) - other for one, other in zip(ours, theirs, strict=True)]
        errors += map(abs, off)
        print(
            f"{path.stem:<24} {theirs[0]:6.2f} {theirs[1]:6.2f}"
            f"  {ours[0].pr or 0:6.2f} {ours[1].pr or 0:6.2f}  {off[0]:+6.2f} {off[1]:+6.2f}"
            f"  {ours[0].decisions} {ours[1].decisions}"
        )
    if not errors:
        print("no match is analysed whole")
        return 1
    target = TARGETS.get(options.preset)
    print(f"mean error {mean(errors):.3f} PR of {len(errors)} players, largest {max(errors):.2f}")
    if target is not None:
        print(f"target: at most {target} PR")
    return int(target is not None and mean(errors) > target)


if __name__ == "__main__":
    sys.exit(main())
