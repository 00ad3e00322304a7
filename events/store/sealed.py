"""Streams sealed before they are appended: nothing in an entry depends on its place in the log.

An import seals whole matches in as many processes as it likes. What is left for the one that writes
is to give each entry its global position, to put its hash on the log's tree, and to store it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from events.canonical import Sealer
from events.envelope import (
    ENTRY_ID_SHAPE,
    MAX_SEALED_BYTES,
    EventDraft,
    check_entry_id,
    check_id,
)
from events.errors import BadInput, ExpectedVersionMismatch, LedgerError, NoSuchLog, TooLarge
from events.sealing.merkle import leaf_hash, push
from events.store.appending import (
    CONTEXT,
    CONTEXT_SHAPE,
    NONCE_BYTES,
    Edge,
    check_body,
    open_disclosures,
)

_ENTRY_IDS = re.compile(rf"{ENTRY_ID_SHAPE}(?:\n{ENTRY_ID_SHAPE})*")
_CONTEXTS = re.compile(rb"%b(?:\n%b)*" % (CONTEXT_SHAPE, CONTEXT_SHAPE))

Row = tuple[Any, ...]

SealedRow = tuple[str, str, int, bytes, bytes, bytes]
"""Entry id, tag, schema, sealed bytes, leaf hash, fingerprint of the draft."""

SealedDisclosure = tuple[int, str, str, str, bytes]
"""Which of the rows it belongs to, from 0; commitment, name, class, raw bytes."""


class SealedStream(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Entries of one stream as they will be stored, in order: all of them or none go in."""

    log_id: str
    stream_id: str
    rows: tuple[SealedRow, ...]
    disclosures: tuple[SealedDisclosure, ...] = ()
    after: int = 0
    """Version that the stream must be at; 0 = it must not exist."""
    head: bytes = b""
    """Leaf hash of the entry at that version."""


def seal_stream(
    log_id: str,
    stream_id: str,
    drafts: Sequence[EventDraft],
    *,
    entropy: Callable[[int], bytes],
) -> SealedStream:
    """A new stream of these drafts, checked as every append checks them.

    Errors: BadInput and what is below it.
    """
    check_id(log_id, "log")
    check_id(stream_id, "stream")
    if not drafts:
        raise BadInput("there is nothing to append: a unit holds at least one draft")
    sealer = Sealer(log_id, stream_id)
    nonces = entropy(NONCE_BYTES * len(drafts)).hex(" ", NONCE_BYTES).split()
    rows: list[SealedRow] = []
    disclosures: list[SealedDisclosure] = []
    head: bytes | None = None
    _check_ids(drafts)
    for at, (draft, nonce) in enumerate(zip(drafts, nonces, strict=True)):
        check_body(draft)
        context = draft.context
        if draft.disclosures or context is None:
            opened = open_disclosures(draft)
            disclosures += [(at, *row) for row in opened]
            commitment = opened[0][0]
        else:
            commitment = sha256(context).hexdigest()
            disclosures.append((at, commitment, CONTEXT, CONTEXT, context))
        sealed = sealer.seal(
            draft,
            context=commitment,
            version=at + 1,
            prev=head,
            nonce=nonce,
        )
        if len(sealed) > MAX_SEALED_BYTES:
            raise TooLarge(
                f"entry {draft.entry_id} has {len(sealed)} sealed bytes; "
                f"an entry holds at most {MAX_SEALED_BYTES}"
            )
        head = leaf_hash(sealed)
        rows.append(
            (draft.entry_id, draft.tag, draft.schema, sealed, head, sealer.fingerprint(draft))
        )
    if len({row[0] for row in rows}) < len(rows):
        raise BadInput("an entry id stands twice in one unit")
    if len({row[1] for row in disclosures}) < len(disclosures):
        raise BadInput("a disclosure stands twice in one unit: salts are used once")
    return SealedStream(
        log_id=log_id, stream_id=stream_id, rows=tuple(rows), disclosures=tuple(disclosures)
    )


def _check_ids(drafts: Sequence[EventDraft]) -> None:
    """Check entry ids and contexts: all at once, and one by one where something is wrong."""
    ids = "\n".join([draft.entry_id for draft in drafts])
    contexts = b"\n".join([draft.context or b"" for draft in drafts])
    ends = len(drafts) - 1
    if ids.count("\n") != ends or not _ENTRY_IDS.fullmatch(ids):
        for draft in drafts:
            check_entry_id(draft.entry_id)
    if contexts.count(b"\n") != ends or not _CONTEXTS.fullmatch(contexts):
        for draft in drafts:
            open_disclosures(draft)


class SealedGroup:
    """Sealed streams being given their places against locked heads, and the rows of them."""

    def __init__(
        self, edges: dict[str, Edge], streams: dict[tuple[str, str], tuple[int, bytes]]
    ) -> None:
        self.edges = edges
        """Per log that exists: its right edge."""
        self.streams = streams
        """Per (log, stream) that exists: version and leaf hash of the last entry."""
        self.touched: set[tuple[str, str]] = set()
        """(log, stream) whose heads have moved."""
        self._taken: list[tuple[SealedStream, int]] = []

    def add(self, stream: SealedStream) -> int | LedgerError:
        """Decide one stream: the global position of its first entry; a refusal changes nothing."""
        edge = self.edges.get(stream.log_id)
        if edge is None:
            return NoSuchLog(f"there is no log {stream.log_id}")
        key = (stream.log_id, stream.stream_id)
        version, head = self.streams.get(key, (0, b""))
        if (version, head) != (stream.after, stream.head):
            return ExpectedVersionMismatch(stream.stream_id, expected=stream.after, current=version)
        position = edge.size
        for row in stream.rows:
            push(edge.frontier, edge.size, row[4])
            edge.size += 1
        self.streams[key] = (version + len(stream.rows), stream.rows[-1][4])
        self.touched.add(key)
        self._taken.append((stream, position))
        return position

    def event_rows(self) -> Iterator[Row]:
        """Rows of the table `event`, in order."""
        for stream, position in self._taken:
            log_id, stream_id, version = stream.log_id, stream.stream_id, stream.after
            for entry_id, tag, schema, sealed, leaf, draft in stream.rows:
                version += 1
                place = (log_id, stream_id, version, position)
                yield (*place, entry_id, tag, schema, sealed, leaf, draft)
                position += 1

    def disclosure_rows(self) -> Iterator[Row]:
        """Rows of the table `disclosure`."""
        for stream, position in self._taken:
            for at, commitment, name, category, raw in stream.disclosures:
                yield stream.log_id, commitment, position + at, name, category, raw
