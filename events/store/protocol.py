"""The promise every store keeps: append all or nothing, in order, once, sealed; read it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from events.envelope import EventDraft, StoredEvent
from events.errors import LedgerError


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What is appended together or not at all: one HTTP append, one imported match."""

    log_id: str
    stream_id: str
    drafts: tuple[EventDraft, ...]
    expected_version: int | None = None
    """Version the stream must be at; NO_STREAM = must not exist; None = wherever it is."""
    expected_head: bytes | None = None
    """Leaf hash the stream's last entry must have, if the writer knows it."""
    access: tuple[tuple[str, int], ...] = ()
    """Logs, and the version that each one's own stream must be at: by its grants one may append."""


class LogHead(msgspec.Struct, frozen=True):
    """Where a log stands: its size, the tree's right edge and the root over all entries."""

    log_id: str
    size: int
    """Number of entries = the next global position."""
    frontier: tuple[bytes, ...]
    """Hashes of the perfect subtrees on the tree's right edge, largest first."""
    root: bytes
    """RFC 6962 root over all leaf hashes; SHA-256 of nothing for an empty log."""


class StreamHead(msgspec.Struct, frozen=True):
    """Where a stream stands."""

    log_id: str
    stream_id: str
    version: int
    head_hash: bytes
    """Leaf hash of the last entry."""


class Appended(msgspec.Struct, frozen=True):
    """The answer to an append; a retry gets the first answer again."""

    events: tuple[StoredEvent, ...]
    """The entries as stored, in the order of the drafts."""
    duplicate: bool
    """Whether the unit had been appended before and nothing was written now."""


class KeptCheckpoint(msgspec.Struct, frozen=True):
    """A signed tree head, with the further signatures under it."""

    log_id: str
    size: int
    """Entries of the log that it stands for."""
    note: bytes
    """The signed note, verbatim."""
    lines: Mapping[str, bytes]
    """Further signature lines without their newline, by signer: NAME+KEYID."""
    token: bytes | None = None
    """The reply of a time-stamping authority (RFC 3161)."""

    @property
    def whole(self) -> bytes:
        """The note with all signatures under it."""
        return self.note + b"".join(line + b"\n" for _, line in sorted(self.lines.items()))


SOUGHT = ("appeal.filed", "match.opened")
"""Tags that entries are looked for by, throughout a log; the ledger has an index of these alone."""


class EventStore(Protocol):
    """A ledger of logs. Methods may block; one writer at a time, any number of readers.

    Global positions of a log are 0, 1, 2 ... without gaps and become visible in that order:
    whoever has read up to n never sees a later commit with a position <= n.
    """

    def open_log(self, log_id: str) -> LogHead:
        """Make an empty log. Errors: LogExists, BadIdentifier, RolledBack."""
        ...

    def logs(self) -> list[LogHead]:
        """All logs, by id."""
        ...

    def log_head(self, log_id: str) -> LogHead:
        """Where the log stands. Errors: NoSuchLog."""
        ...

    def stream_head(self, log_id: str, stream_id: str) -> StreamHead | None:
        """Where the stream stands; None if it does not exist."""
        ...

    def streams(
        self, log_id: str, *, after: str | None = None, limit: int | None = None
    ) -> list[StreamHead]:
        """Streams of the log by id, those above `after`, at most `limit`."""
        ...

    def append(
        self,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        *,
        expected_version: int | None = None,
        expected_head: bytes | None = None,
    ) -> Appended:
        """Append all drafts or none.

        Errors: NoSuchLog, ExpectedVersionMismatch, EntryIdReused, MixedBatch, TooLarge,
        BadIdentifier, OutcomeUnknown. Entry ids are looked at before versions, so that a late
        retry gets its first answer and not a conflict.
        """
        ...

    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Group commit: each unit all or nothing, one transaction for all that are accepted.

        A refused unit never fails its neighbours; its error stands at its place in the answer.
        """
        ...

    def read_stream(
        self, log_id: str, stream_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Entries of one stream with version > `after`, in order; [] if there are none."""
        ...

    def read_sealed(
        self, log_id: str, stream_id: str, *, after: int = 0
    ) -> list[tuple[int, bytes]]:
        """(global position, sealed bytes) of the entries with version > `after`, in order.

        All that a replay needs: the sealed bytes say the rest.
        """
        ...

    def read_sealed_log(
        self, log_id: str, *, start: int, limit: int
    ) -> list[tuple[str, int, int, bytes]]:
        """(stream id, version, global position, sealed bytes) of at most `limit` entries of the log
        with global position >= `start`, in order.

        For whoever folds whole logs: the columns of `read_log` beside these take as long again.
        """
        ...

    def read_log(
        self, log_id: str, *, start: int = 0, limit: int | None = None
    ) -> Iterator[StoredEvent]:
        """Entries of the log with global position >= `start`, in order."""
        ...

    def leaf_hashes(self, log_id: str, *, start: int, limit: int) -> list[bytes]:
        """Leaf hashes of at most `limit` entries with global position >= `start`, in order."""
        ...

    def read_tagged(self, log_id: str, tag: str, *, start: int = 0) -> list[StoredEvent]:
        """Entries of the log with this tag and global position >= `start`, in their order.

        Of the few tags in `SOUGHT` without a look at any other entry; of others by looking at all.
        """
        ...

    def find_entries(self, log_id: str, entry_ids: Sequence[str]) -> dict[str, StoredEvent]:
        """The stored entries with these ids; unknown ids are left out."""
        ...

    def disclosures(self, log_id: str, commitments: Sequence[str]) -> dict[str, bytes]:
        """Raw disclosures of bodies by hex commitment; withheld or erased ones are left out.

        The contexts of entries are found by the entries' positions (`disclosures_of`).
        """
        ...

    def disclosures_of(self, log_id: str, positions: Sequence[int]) -> Mapping[int, list[bytes]]:
        """Raw disclosures of the entries at these global positions."""
        ...

    def erase_disclosure(self, log_id: str, commitment: str) -> bool:
        """Delete one disclosure for good; True if it was there. The ledger keeps verifying."""
        ...

    def erase_disclosures(self, log_id: str, commitments: Sequence[str]) -> int:
        """Delete these with one commit, all or none; how many of them were there."""
        ...

    is_scrubbed: bool
    """Whether the database's files are cleared of what this process has erased."""

    def scrub(self) -> bool:
        """Clear the database's files of what was erased; False where they may still hold it."""
        ...

    def try_write(self) -> None:
        """Commit something that changes nothing. Errors: StoreBusy, StoreFailed, OutcomeUnknown."""
        ...

    def may_scrub(self) -> bool:
        """Whether the database lets this program clear its files; else only its owner can."""
        ...

    def check_place(self) -> bool:
        """Whether what is written to is as it was left; what can be put right, is.

        Errors: RolledBack where another database stands in its place; StoreFailed.
        """
        ...

    def why_held(self, log_id: str) -> str | None:
        """Why nothing is recorded in this log now; None if it is."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
