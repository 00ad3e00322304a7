"""What an append means, without a database: check, find retries, decide, seal.

Every store appends through here: `prepare` checks a unit on its own, outside any lock; a `Group`
decides prepared units one after the other against the heads that the store holds locked, and
collects the rows to write. A refusal is decided before any row is written, so that one unit never
fails its neighbours.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import msgspec

from events.canonical import Sound, fingerprint, is_canonical, seal
from events.envelope import (
    MAX_SEALED_BYTES,
    TOURNAMENT_STREAM,
    EventDraft,
    StoredEvent,
    check_entry_id,
    check_id,
)
from events.errors import (
    BadInput,
    EntryIdReused,
    ExpectedVersionMismatch,
    LedgerError,
    MixedBatch,
    NoSuchLog,
    NotCanonical,
    PremiseMoved,
    RolledBack,
    TooLarge,
)
from events.personal import SALT_BYTES, commitment_of, opened
from events.sealing.merkle import leaf_hash, push
from events.store.protocol import Appended, Unit

NONCE_BYTES = 16
"""128 random bits in every entry, so that a withheld leaf hash cannot be guessed."""

CONTEXT = "context"
"""Name of the disclosure of who, where and when; also the class of its row."""

BODY = "body"
"""Class of the rows whose disclosures open a commitment in the body."""

CONTEXT_SHAPE = rb'\["[0-9a-f]{32}","context",\{[ -~]*\}\]'
"""A context of plain ASCII, as a regular expression."""

_CONTEXT = re.compile(CONTEXT_SHAPE)
_SALT = re.compile(f"[0-9a-f]{{{2 * SALT_BYTES}}}")
_TAG = re.compile(r"[a-z][a-z0-9_]{0,31}\.[a-z][a-z0-9_]{0,31}")

_SHORT = 160

Entropy = Callable[[int], bytes]
"""So many random bytes; injected, so that a test can be repeated (os.urandom in use)."""


class Appending(ABC):
    """A store to which one unit is appended as a group of one."""

    held: Mapping[str, str] = MappingProxyType({})
    """Logs that are not what was signed of them, and why: nothing is appended to these."""

    def hold(self, log_id: str, why: str) -> None:
        """Append nothing to this log from now on, and open none of this id."""
        self.held = {**self.held, log_id: why}

    displaced: str | None = None
    """Why nothing at all is recorded: the database is not at its place any more; None = it is."""

    def why_held(self, log_id: str) -> str | None:
        """Why nothing is recorded in this log now; None if it is."""
        return self.displaced or self.held.get(log_id)

    def check_place(self) -> bool:
        """Whether what is written to is as it was left. Errors: RolledBack, StoreFailed."""
        return True

    def check_held(self, log_id: str) -> None:
        """Refuse what would be appended to a log that is held. Errors: RolledBack."""
        if log_id in self.held:
            raise RolledBack(self.held[log_id])

    def append(
        self,
        log_id: str,
        stream_id: str,
        drafts: Sequence[EventDraft],
        *,
        expected_version: int | None = None,
        expected_head: bytes | None = None,
    ) -> Appended:
        """Append all drafts or none; the errors are those of the protocol."""
        unit = Unit(
            log_id=log_id,
            stream_id=stream_id,
            drafts=tuple(drafts),
            expected_version=expected_version,
            expected_head=expected_head,
        )
        [answer] = self.append_units([unit])
        if isinstance(answer, LedgerError):
            raise answer
        return answer

    is_scrubbed: bool = True
    """Whether the database's files are cleared of what this process has erased."""

    def may_scrub(self) -> bool:
        """Whether the database lets this program clear its files; else only its owner can."""
        return True

    def erase_disclosure(self, log_id: str, commitment: str) -> bool:
        """Delete one disclosure for good; True if it was there. The ledger keeps verifying."""
        return bool(self.erase_disclosures(log_id, [commitment]))

    @abstractmethod
    def erase_disclosures(self, log_id: str, commitments: Sequence[str]) -> int:
        """Delete these with one commit, all or none; how many of them were there."""

    @abstractmethod
    def append_units(self, units: Sequence[Unit]) -> list[Appended | LedgerError]:
        """Each unit all or nothing; a refusal stands at its place in the answer."""


class KeptDisclosure(msgspec.Struct, frozen=True, gc=False):
    """One row of the only table that holds personal values."""

    log_id: str
    commitment: str
    """Hex SHA-256 of `raw`."""
    global_position: int
    """The entry whose commitment it opens."""
    name: str
    """Path of the member in the body, or `context`."""
    category: str
    """CONTEXT or BODY."""
    raw: bytes
    """Canonical `[salt, name, value]`."""


class KeptEvent(msgspec.Struct, frozen=True, gc=False):
    """A stored event with the fingerprint of its draft, as the table has it."""

    event: StoredEvent
    draft_sha256: bytes
    """What a retry must repeat."""


class Prepared(msgspec.Struct, frozen=True, gc=False):
    """A unit that has passed every check that needs no database."""

    unit: Unit
    fingerprints: tuple[bytes, ...]
    """One per draft."""
    contexts: tuple[str, ...]
    """Hex commitment of each draft's context."""
    disclosed: tuple[tuple[tuple[str, str, str, bytes], ...], ...]
    """Per draft: (commitment, name, category, raw), the context first."""


class Edge(msgspec.Struct, gc=False):
    """The right edge of one log while units are put on it."""

    size: int
    frontier: list[bytes]


def prepare(unit: Unit) -> Prepared:
    """Check a unit on its own. Errors: BadInput and what is below it."""
    check_id(unit.log_id, "log")
    check_id(unit.stream_id, "stream")
    if not unit.drafts:
        raise BadInput("there is nothing to append: a unit holds at least one draft")
    seen: set[str] = set()
    commitments: set[str] = set()
    fingerprints, contexts, disclosed = [], [], []
    for draft in unit.drafts:
        _check_draft(draft)
        if draft.entry_id in seen:
            raise BadInput(f"entry id {draft.entry_id} stands twice in one unit")
        seen.add(draft.entry_id)
        rows = open_disclosures(draft)
        for row in rows:
            if row[0] in commitments:
                raise BadInput(f"disclosure {row[0]} stands twice in one unit: salts are used once")
            commitments.add(row[0])
        contexts.append(rows[0][0])
        disclosed.append(rows)
        fingerprints.append(draft.draft_sha256 or fingerprint(unit.log_id, unit.stream_id, draft))
    return Prepared(unit, tuple(fingerprints), tuple(contexts), tuple(disclosed))


def _check_draft(draft: EventDraft) -> None:
    """Check a draft on its own, but for its disclosures. Errors: BadInput and what is below it."""
    check_entry_id(draft.entry_id)
    check_body(draft)


def check_body(draft: EventDraft) -> None:
    """Check its tag, schema and body. Errors: BadInput and what is below it."""
    if not _is_tag(draft.tag):
        raise BadInput(f"{draft.tag[:80]!r} is no tag such as `dice.rolled`", where="tag")
    if type(draft.schema) is not int or not 1 <= draft.schema <= 1_000_000:
        raise BadInput("a schema version is an integer from 1", where="schema")
    if len(draft.body) > MAX_SEALED_BYTES:
        raise TooLarge(
            f"the body has {len(draft.body)} bytes; an entry holds at most {MAX_SEALED_BYTES}"
        )
    # What is sealed is sealed for ever: bytes that would not verify are stopped here, whoever
    # made them, but for what this process has encoded itself a moment ago.
    if type(draft.body) is Sound:
        return
    is_sound = _is_short_body if len(draft.body) <= _SHORT else _is_body
    if not is_sound(draft.body):
        raise NotCanonical("the body is not a canonical JSON object (RFC 8785)", where="body")


def _is_body(body: bytes) -> bool:
    return body[:1] == b"{" and is_canonical(body)


# There are only so many rolls and plays: most short bodies come again and again.
_is_short_body = lru_cache(maxsize=16_384)(_is_body)
_is_tag = lru_cache(maxsize=512)(_TAG.fullmatch)


def open_disclosures(draft: EventDraft) -> tuple[tuple[str, str, str, bytes], ...]:
    """(commitment, name, category, raw) of its disclosures, the context first. Errors: BadInput."""
    if draft.context is None:
        raise BadInput("an entry needs its context: who recorded it, where and when")
    rows = [(commitment_of(draft.context), CONTEXT, CONTEXT, draft.context)]
    # Every entry has one, and this process has just made it: its shape is looked at, not reread.
    if not _CONTEXT.fullmatch(draft.context) and name_of_disclosure(draft.context) != CONTEXT:
        raise BadInput("the context's disclosure is not named `context`")
    for raw in draft.disclosures:
        name, commitment = name_of_disclosure(raw), commitment_of(raw)
        if b'{"sd":"%b"}' % commitment.encode() not in draft.body:
            raise BadInput(f"the disclosure of {name[:80]!r} opens no commitment in the body")
        rows.append((commitment, name, BODY, raw))
    return tuple(rows)


def name_of_disclosure(raw: bytes) -> str:
    """The name in a disclosure, which must be canonical `[salt, name, value]`.

    Errors: BadInput, also where the salt is not 128 bits in hex: a value is guessed without one.
    """
    if is_canonical(raw):
        try:
            salt, name, _ = opened(raw)
        except ValueError:
            pass
        else:
            if isinstance(salt, str) and isinstance(name, str) and raw[:1] == b"[":
                if not _SALT.fullmatch(salt):
                    raise BadInput(f"the salt of a disclosure is {SALT_BYTES} bytes in hex")
                if "\x00" in name:  # no text column of PostgreSQL holds it
                    raise BadInput("the name of a disclosure holds a NUL character")
                return name
    raise BadInput("a disclosure is the canonical JSON array [salt, name, value]")


_GRANTING = frozenset({"access.granted", "access.seated", "access.revoked"})
"""What changes who may append."""


class Group:
    """Units being decided in order against locked heads, and the rows that they come to."""

    def __init__(
        self,
        edges: dict[str, Edge],
        streams: dict[tuple[str, str], tuple[int, bytes]],
        *,
        known: dict[tuple[str, str], KeptEvent],
        entropy: Entropy,
        own_tags: Callable[[str, int], Iterable[str]] | None = None,
    ) -> None:
        self._own_tags = own_tags
        """Tags behind a version of a log's own stream, as recorded before; None = an intake, which
        rests on premises of its own and may write grants itself."""
        self._granting: set[str] = set()
        """Logs whose grants were changed here."""
        self.edges = edges
        """Per log that exists: its right edge."""
        self.streams = streams
        """Per (log, stream) that exists: version and leaf hash of the last entry."""
        self.known = known
        """Per (log, entry id) that is recorded, here or earlier: its row."""
        self.rows: list[KeptEvent] = []
        """Entries to write, in order."""
        self.disclosures: list[KeptDisclosure] = []
        """Disclosures to write."""
        self.touched: set[tuple[str, str]] = set()
        """(log, stream) whose heads have moved."""
        self._entropy = entropy

    def add(self, prepared: Prepared) -> Appended | LedgerError:
        """Decide one unit; a refusal changes nothing."""
        unit = prepared.unit
        edge = self.edges.get(unit.log_id)
        if edge is None:
            return NoSuchLog(f"there is no log {unit.log_id}")
        if (retried := self._retry(prepared)) is not None:
            return retried
        if any(self._has_moved(*one) for one in unit.access):
            return PremiseMoved("grants may have changed since whoever appends was let in")
        version, head = self.streams.get((unit.log_id, unit.stream_id), (0, b""))
        if unit.expected_version not in (None, version) or unit.expected_head not in (None, head):
            return ExpectedVersionMismatch(
                unit.stream_id, expected=unit.expected_version, current=version
            )
        return self._seal(prepared, edge=edge, version=version, head=head)

    def _has_moved(self, log_id: str, version: int) -> bool:
        """Whether a log's grants may have changed since; what else is written keeps nobody out."""
        if self._own_tags is None:
            return False
        now, _ = self.streams.get((log_id, TOURNAMENT_STREAM), (0, b""))
        if now <= version:
            return now < version
        tags = self._own_tags(log_id, version)
        return log_id in self._granting or not _GRANTING.isdisjoint(tags)

    def _retry(self, prepared: Prepared) -> Appended | LedgerError | None:
        """The first answer if the unit is recorded already, a refusal if a part of it is.

        This comes before versions are looked at: a late retry of an entry that others have followed
        would otherwise be told of a conflict, and its sender would never learn that it is safe.
        """
        unit = prepared.unit
        rows = [self.known.get((unit.log_id, draft.entry_id)) for draft in unit.drafts]
        for draft, row, mark in zip(unit.drafts, rows, prepared.fingerprints, strict=True):
            if row is not None and row.draft_sha256 != mark:
                return EntryIdReused(draft.entry_id)
        found = [row.event for row in rows if row is not None]
        if not found:
            return None
        if len(found) < len(rows):
            return MixedBatch([event.entry_id for event in found])
        return Appended(events=tuple(found), duplicate=True)

    def _seal(
        self, prepared: Prepared, *, edge: Edge, version: int, head: bytes
    ) -> Appended | LedgerError:
        unit = prepared.unit
        size, frontier = edge.size, edge.frontier.copy()
        nonces = self._entropy(NONCE_BYTES * len(unit.drafts))
        rows: list[KeptEvent] = []
        for at, draft in enumerate(unit.drafts):
            version += 1
            sealed = seal(
                unit.log_id,
                unit.stream_id,
                draft=draft,
                context=prepared.contexts[at],
                version=version,
                prev=head or None,
                nonce=nonces[at * NONCE_BYTES : (at + 1) * NONCE_BYTES],
            )
            if len(sealed) > MAX_SEALED_BYTES:
                return TooLarge(
                    f"entry {draft.entry_id} has {len(sealed)} sealed bytes; "
                    f"an entry holds at most {MAX_SEALED_BYTES}"
                )
            head = leaf_hash(sealed)
            event = StoredEvent(
                unit.log_id,
                unit.stream_id,
                version,
                size,
                draft.entry_id,
                draft.tag,
                draft.schema,
                sealed,
                head,
            )
            push(frontier, size, head)
            size += 1
            rows.append(KeptEvent(event, prepared.fingerprints[at]))
        self._take(prepared, rows)
        edge.size, edge.frontier = size, frontier
        self.streams[unit.log_id, unit.stream_id] = (version, head)
        self.touched.add((unit.log_id, unit.stream_id))
        if unit.stream_id == TOURNAMENT_STREAM and not _GRANTING.isdisjoint(
            [draft.tag for draft in unit.drafts]
        ):
            self._granting.add(unit.log_id)
        return Appended(events=tuple([row.event for row in rows]), duplicate=False)

    def event_rows(self) -> Iterator[tuple[object, ...]]:
        """Rows of the table `event`, in order."""
        for row in self.rows:
            event = row.event
            yield (
                event.log_id,
                event.stream_id,
                event.version,
                event.global_position,
                event.entry_id,
                event.tag,
                event.schema,
                event.sealed,
                event.leaf_hash,
                row.draft_sha256,
            )

    def disclosure_rows(self) -> Iterator[tuple[object, ...]]:
        """Rows of the table `disclosure`."""
        for row in self.disclosures:
            yield (
                row.log_id,
                row.commitment,
                row.global_position,
                row.name,
                row.category,
                row.raw,
            )

    def _take(self, prepared: Prepared, rows: Iterable[KeptEvent]) -> None:
        for row, opened_here in zip(rows, prepared.disclosed, strict=True):
            event = row.event
            self.rows.append(row)
            # A later unit of the same group may be a retry of this one.
            self.known[event.log_id, event.entry_id] = row
            for commitment, name, category, raw in opened_here:
                self.disclosures.append(
                    KeptDisclosure(
                        event.log_id, commitment, event.global_position, name, category, raw
                    )
                )


def joined(frontier: Iterable[bytes]) -> bytes:
    """A frontier as one column."""
    return b"".join(frontier)


def parted(column: bytes) -> list[bytes]:
    """A frontier from its column."""
    return [column[at : at + 32] for at in range(0, len(column), 32)]
