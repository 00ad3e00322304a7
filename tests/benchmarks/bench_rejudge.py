"""A whole archive judged under another rule set, by one process and by two.

The peer is what nobody can do without: reading the same rows through the store and decoding them,
without a fold. The archive is that of `publish`: matches of 600 entries, on SQLite and on
PostgreSQL. A number after the command is the number of entries.
"""

from __future__ import annotations

import contextlib
import sys

from bench_publish import archive_of, timed
from databases import Home, homes
from machine import built

from api.publishing.engines import LocalEngine
from api.rejudged.pieces import Asked, Piece, judged, listed, planned
from events import catalogue
from events.store.opening import open_store

ENTRIES = 1_000_000
RULES = "biba-2014"


def decoded(url: str, pieces: list[Piece]) -> int:
    """The same rows, read and decoded alone; how many."""
    count = 0
    with contextlib.closing(open_store(url, read_only=True)) as store:
        for piece in pieces:
            for match_id in piece.matches:
                rows = store.read_sealed(piece.log_id, match_id)
                count += len(catalogue.read_entries(piece.log_id, match_id, rows))
    return count


def run(home: Home, entries: int = ENTRIES) -> list[tuple[str, str]]:
    """Rows of (what, figure)."""
    with home.empty() as (url, _):
        plan = archive_of(url, entries)
        asked = Asked(url=plan.wanted.url, rules=RULES)
        with contextlib.closing(open_store(asked.url, read_only=True)) as store:
            pieces = planned(listed(store, "bench"), asked)
        count = decoded(asked.url, pieces)
        told: list[tuple[str, str]] = []
        clock: list[float] = []
        for what, engine in (
            ("judge --all, one process", LocalEngine(1)),
            ("judge --all, two processes", LocalEngine(2)),
        ):
            # The peer once more beside each, for a machine's load comes and goes.
            alone, busy = timed(lambda: decoded(asked.url, pieces))
            told.append(("reading and decoding alone", _figure(count, alone, busy)))
            took, busy = timed(lambda engine=engine: list(engine.map(judged, pieces)))
            told.append((what, f"{_figure(count, took, busy)}, {alone / took:.2f} x"))
            clock.append(took)
        one, two = clock
        told.append(("two processes beside one", f"{one / two:.2f} x"))
        told.append(("two processes (target 250,000)", f"{count / two:,.0f} entries/s"))
    return told


def _figure(count: int, seconds: float, busy: float) -> str:
    return f"{count / seconds:,.0f} entries/s, {count / busy:,.0f} a CPU second"


def main() -> None:
    """Print the rows."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    for home in homes():
        print(home.name)
        for what, figure in run(home, entries):
            print(f"  {what:<40}{figure:>58}")


if __name__ == "__main__":
    print(built())
    main()
