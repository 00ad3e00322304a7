"""The stored leaf hashes of a log, read in pages."""

from __future__ import annotations

from collections.abc import Iterator

from events.store.protocol import EventStore

_PAGE = 10_000


def leaf_pages(store: EventStore, log_id: str, start: int, size: int) -> Iterator[list[bytes]]:
    """Stored leaf hashes of a log from `start` up to `size`, as far as there are any."""
    while start < size:
        page = store.leaf_hashes(log_id, start=start, limit=min(_PAGE, size - start))
        if not page:
            return
        yield page
        start += len(page)
