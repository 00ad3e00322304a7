"""What an audit reads of an archive: rows as they are stored, streams and disclosures in order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol

import orjson

from events.envelope import StoredEvent
from events.sealing.merkle import leaf_hash
from events.store.appending import KeptDisclosure, KeptEvent
from events.store.journal import Cursor, Journaled
from events.store.protocol import KeptCheckpoint, LogHead, StreamHead

PAGE = 500
"""Rows that are read at a time."""

_REMEMBERED = 20_000
_LAST = 2**62


class AuditedStore(Protocol):
    """What an audit reads: heads, and rows as they are stored."""

    def self_check(self) -> list[str]:
        """What the database's own check of its pages and indexes has to say; [] if nothing."""
        ...

    def log_ids(self) -> list[str]:
        """Ids of all logs that any table knows, in order."""
        ...

    def log_head(self, log_id: str) -> LogHead:
        """Where the log stands. Errors: NoSuchLog."""
        ...

    def stream_head(self, log_id: str, stream_id: str) -> StreamHead | None:
        """Where the stream stands."""
        ...

    def streams(
        self, log_id: str, *, after: str | None = None, limit: int | None = None
    ) -> list[StreamHead]:
        """Streams of the log by id, a page at a time."""
        ...

    def read_stream(
        self, log_id: str, stream_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Entries of one stream."""
        ...

    def event_rows(self, log_id: str, *, start: int, limit: int) -> list[KeptEvent]:
        """Rows by global position, from `start`."""
        ...

    def disclosure_rows(
        self, log_id: str, *, after: tuple[int, str], limit: int
    ) -> list[KeptDisclosure]:
        """Disclosure rows by (global position, commitment), above `after`."""
        ...

    def disclosures(self, log_id: str, commitments: Sequence[str]) -> dict[str, bytes]:
        """Raw disclosures of bodies by hex commitment, wherever they lie."""
        ...

    def submitted(self, log_id: str, entry_ids: Sequence[str]) -> list[Journaled]:
        """Rows of the journal with these entry ids, in order."""
        ...

    def journal_rows(self, log_id: str, *, after: int = 0, limit: int) -> list[Journaled]:
        """Rows of the journal with an id > `after`, in order, and with their outcomes."""
        ...

    def journal_size(self, log_id: str) -> int:
        """The last id of the log's journal."""
        ...

    def checkpoint_sizes(self, log_id: str) -> list[int]:
        """Sizes of which a signed checkpoint is kept, in order."""
        ...

    def checkpoint(self, log_id: str, *, at_most: int | None = None) -> KeptCheckpoint | None:
        """The largest checkpoint that is kept, of those up to a size."""
        ...

    def device_cursor(self, log_id: str, device: str, epoch: int) -> Cursor | None:
        """How far a device's chain has been taken in."""
        ...

    def device_cursors(self, log_id: str) -> list[Cursor]:
        """All cursors of a log."""
        ...


class Streams:
    """The last entry met of each stream; those not met for long are read again when needed."""

    def __init__(self, store: AuditedStore, log_id: str) -> None:
        self._store = store
        self._log_id = log_id
        self._met: OrderedDict[str, tuple[int, bytes]] = OrderedDict()

    def before(self, event: StoredEvent) -> tuple[int, bytes | None]:
        """Version and leaf hash of the entry that this one must follow; (0, None) for a first."""
        met = self._met.get(event.stream_id)
        if met is not None:
            return met
        if event.version > 1:
            for earlier in self._store.read_stream(
                self._log_id, event.stream_id, after=event.version - 2, limit=1
            ):
                if earlier.global_position < event.global_position:
                    return earlier.version, leaf_hash(earlier.sealed)
        return 0, None

    def met(self, event: StoredEvent) -> None:
        """Remember this entry as its stream's last."""
        self._met[event.stream_id] = (event.version, leaf_hash(event.sealed))
        self._met.move_to_end(event.stream_id)
        if len(self._met) > _REMEMBERED:
            self._met.popitem(last=False)


class Disclosures:
    """A log's disclosures in the order of its entries, a page at a time."""

    def __init__(self, store: AuditedStore, log_id: str) -> None:
        self._rows = self._read(store, log_id)
        self._next: KeptDisclosure | None = next(self._rows, None)

    def up_to(self, global_position: int) -> Iterator[KeptDisclosure]:
        """Those not taken yet, up to this position."""
        while self._next is not None and self._next.global_position <= global_position:
            taken, self._next = self._next, next(self._rows, None)
            yield taken

    def rest(self) -> Iterator[KeptDisclosure]:
        """All that are left."""
        return self.up_to(_LAST)

    @staticmethod
    def _read(store: AuditedStore, log_id: str) -> Iterator[KeptDisclosure]:
        after = (-_LAST, "")
        while page := store.disclosure_rows(log_id, after=after, limit=PAGE):
            yield from page
            after = (page[-1].global_position, page[-1].commitment)


def members_of(raw: bytes) -> dict[str, object]:
    """The members of a draft; none where it is no JSON object."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
