"""One door to every store: a URL in, an open store out."""

from __future__ import annotations

import os
from collections.abc import Callable

from events.store.address import FileAddress, ServerAddress, parse_address
from events.store.memory import MemoryEventStore
from events.store.sql import SqlStore
from events.store.sqlite import SqliteStore

LedgerStore = MemoryEventStore | SqlStore
"""Every store there is; each keeps the promise of `EventStore` and can be audited by `fsck`."""


def open_store(
    url: str, *, read_only: bool = False, entropy: Callable[[int], bytes] = os.urandom
) -> LedgerStore:
    """The store at `url`: `sqlite:///path`, a file path, `postgresql://...` or `memory://`.

    The tables must be there (`migrations.upgrade(url)`). A read-only SQLite store works beside a
    running server. Errors: NoArchive, StoreBusy if another process writes to the file, BadInput.
    """
    address = parse_address(url)
    if isinstance(address, FileAddress):
        return SqliteStore(address, read_only=read_only, entropy=entropy)
    if isinstance(address, ServerAddress):
        # Imported here: psycopg is an extra that an SQLite archive does without.
        from events.store.postgres import PostgresStore

        return PostgresStore(address, read_only=read_only, entropy=entropy)
    return MemoryEventStore(entropy=entropy)
