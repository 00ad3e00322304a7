"""A batch of ten entries checked against a match in play, beside the folds of these ten alone.

Measured in processor time, in alternating rounds, in matches of 100, 800 and 3,000 entries: what a
batch costs per entry must not grow with the match. In a scribe's batch each entry is checked after
those before it, so that a double and its answer may come in one batch.
"""

from __future__ import annotations

import statistics
import time

from bench_replay import random_match

from api.archive.reading import Live
from api.desk.desk import check_describable
from events import catalogue
from events.envelope import Basis, EventDraft, RecordedEvent

BATCH = 10
ROUNDS = 40
SIZES = (100, 800, 3_000)


def run(entries: int) -> tuple[float, float]:
    """Microseconds an entry of a batch: checked by the desk, and folded alone."""
    payloads = random_match(entries + BATCH * ROUNDS)
    events = [
        RecordedEvent(
            version, f"{version:032x}", catalogue.tag_of(payload), Basis.OBSERVED, payload
        )
        for version, payload in enumerate(payloads, 1)
    ]
    live = Live(events[:entries])
    checked, folded = [], []
    for first in range(entries, entries + BATCH * ROUNDS, BATCH):
        batch = events[first : first + BATCH]
        drafts = [EventDraft(entry_id=one.entry_id, tag=one.tag) for one in batch]
        begun = time.process_time_ns()
        check_describable(live, drafts, [one.payload for one in batch])
        between = time.process_time_ns()
        live.extend(batch)
        checked.append(between - begun)
        folded.append(time.process_time_ns() - between)
    per_entry = BATCH * 1_000
    return statistics.median(checked) / per_entry, statistics.median(folded) / per_entry


def main() -> None:
    """Print a row for each length of a match."""
    print(f"{'entries in the match':<24}{'checked':>12}{'folded':>12}{'ratio':>8}")
    for size in SIZES:
        checked, folded = run(size)
        print(f"{size:<24}{checked:>9.1f} µs{folded:>9.1f} µs{checked / folded:>8.2f}")


if __name__ == "__main__":
    main()
