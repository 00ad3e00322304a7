"""Re-hash a whole archive from its stored bytes: does it still say what was sealed?

No payload class is involved, so entries of any age and any tag can be checked. Memory stays flat:
rows come a page at a time, and of the streams only those that were met last are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import orjson

from events.canonical import MAX_DEPTH, canonical, fingerprint, is_canonical
from events.envelope import ENTRY_FORMAT, MAX_SEALED_BYTES, Basis, EventDraft, StoredEvent
from events.errors import LedgerError, NoSuchLog
from events.sealing.chain import break_of_link
from events.sealing.merkle import EMPTY_ROOT, frontier_root, leaf_hash, push
from events.sealing.notes import Checkpoint, VerifierKey
from events.store.appending import KeptEvent
from events.store.audited import PAGE, AuditedStore, Streams, members_of
from events.store.fsck_checkpoints import CheckpointAudit, SignedOutside
from events.store.fsck_disclosed import DisclosureAudit
from events.store.fsck_journal import JournalAudit
from events.store.fsck_tournament import TournamentFacts
from events.store.journal import Journaled
from events.store.protocol import LogHead, StreamHead

FINDING_CODES = {
    "unreadable": "the database could not be read",
    "database": "the database's own check finds its pages or indexes broken",
    "position-gap": "a global position is missing or stands twice",
    "leaf-hash": "the sealed bytes are not those that were hashed",
    "not-canonical": "the sealed bytes are not canonical JSON of an entry",
    "too-large": "an entry has more bytes than an entry may have",
    "column": "a column does not say what the sealed bytes say",
    "draft-hash": "the fingerprint of the draft is not that of the sealed bytes",
    "chain": "an entry does not follow the one before it in its stream",
    "stream-head": "a stream's head row does not name its last entry",
    "log-head": "the log's size or tree is not that of its entries",
    "disclosure-hash": "a disclosure's bytes are not those that were committed to",
    "disclosure-place": "a disclosure opens nothing in the entry that it belongs to",
    "disclosure-missing": "some values of an entry are here, and this one is not",
    "withheld": "a value is not here: its entry came in without it, or it is lost",
    "not-erased": "a disclosure is still there that the log says is erased",
    "journal-gap": "a journal id is missing, or its draft has no outcome",
    "journal-hash": "a draft's bytes are not those that a device sent",
    "journal-column": "a column of the journal does not say what the draft says",
    "journal-chain": "a draft does not follow the one before it in its device's chain",
    "journal-outcome": "what is said to have become of a draft is not what became of it",
    "journal-signature": "a draft is not signed by its device as the journal says",
    "device-cursor": "a device's cursor is not at the end of its chain",
    "checkpoint": "a signed checkpoint is not of the entries that the log holds",
    "checkpoint-signature": "no key of the log has signed a checkpoint that is kept",
    "rolled-back": "the log is not what was signed of it: another copy stands in its place",
}
"""Every finding, with what it means."""

MAY_BE_INNOCENT = frozenset({"withheld"})
"""Findings that say what is not known, and not that anything is wrong."""

ABSENT = frozenset({"withheld", "disclosure-missing"})
"""Findings that tell of a value that is not here: all that is here is as it was sealed."""

MAX_FINDINGS = 1_000
"""Findings that are kept; the rest are counted."""

# A rotten file may hand out a number or nothing where there was text.
_UNREADABLE = (LedgerError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
_MEMBERS = {
    "basis",
    "body",
    "context",
    "entry_id",
    "log",
    "nonce",
    "prev",
    "schema",
    "stream",
    "tag",
    "v",
    "version",
}

_WRAPPED = ("stream", "tag", "schema", "entry_id", "basis", "body")
"""Members of a draft that stand unchanged in the entry around it."""


class FsckFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One place where the archive does not say what was sealed."""

    code: str
    """A key of FINDING_CODES."""
    log_id: str
    message: str
    """What is wrong, in a sentence."""
    global_position: int | None = None
    """The entry, if it is one entry's fault."""
    stream_id: str | None = None
    """The stream, if it is one stream's fault."""


class FsckReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found, and how much it looked at."""

    findings: tuple[FsckFinding, ...]
    """In the order of the archive; at most MAX_FINDINGS."""
    suppressed: int
    """Findings beyond those."""
    logs: int
    entries: int
    disclosures: int

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong; an entry that came in without its values is not."""
        return all(one.code in MAY_BE_INNOCENT for one in self.findings)

    @property
    def wrong_in_a_copy(self) -> tuple[FsckFinding, ...]:
        """What a copy is not to be relied on for: values that its source lacks too are no fault."""
        return tuple(one for one in self.findings if one.code not in ABSENT)


def fsck(
    store: AuditedStore,
    progress: Callable[[int, int], None] | None = None,
    *,
    signed: SignedOutside | None = None,
) -> FsckReport:
    """Check every entry, head, disclosure and checkpoint of the archive.

    Without `signed` no signature is looked at. `progress(done, total)` is called after each page
    of entries. A log that is being appended to is checked up to where it stood when its turn came.
    """
    audit = _Audit(store, progress, signed)
    audit.run()
    return FsckReport(
        findings=tuple(audit.findings),
        suppressed=audit.suppressed,
        logs=audit.logs,
        entries=audit.entries,
        disclosures=audit.disclosures,
    )


class _Audit:
    """One run over an archive: what was counted and what was found."""

    def __init__(
        self,
        store: AuditedStore,
        progress: Callable[[int, int], None] | None,
        signed: SignedOutside | None,
    ) -> None:
        self.findings: list[FsckFinding] = []
        self.suppressed = self.logs = self.entries = self.disclosures = 0
        self._store = store
        self._progress = progress or (lambda done, total: None)
        self._total = 0
        self._signed = signed
        self.last: dict[str, Checkpoint | None] = {}
        self.keys: dict[str, tuple[VerifierKey, ...]] = {}

    def run(self) -> None:
        # Before the heads: a log that is being appended to is then never behind what was signed.
        self._read_signed()
        try:
            # Seals cover rows, not the indexes that find them: through a broken one a known entry
            # id would look new.
            for complaint in self._store.self_check():
                self.note("database", "", complaint)
            heads = [self._head(log_id) for log_id in self._store.log_ids()]
        except _UNREADABLE as error:
            self.note("unreadable", "", f"{type(error).__name__}: {error}")
            return
        self._total = sum(head.size for head in heads)
        for head in heads:
            self.logs += 1
            try:
                _LogAudit(self, self._store, head).run()
            except _UNREADABLE as error:
                self.note("unreadable", head.log_id, f"{type(error).__name__}: {error}")

        for log_id in sorted(self.last.keys() - {head.log_id for head in heads}):
            if self.last[log_id] is not None:
                self.note("rolled-back", log_id, "the log was signed, and is not here")

    def _read_signed(self) -> None:
        for log_id in () if self._signed is None else self._signed.logs():
            assert self._signed is not None
            try:
                self.keys[log_id] = self._signed.verifiers(log_id)
                self.last[log_id] = self._signed.last_checkpoint(log_id)
            except _UNREADABLE as error:
                self.note("checkpoint-signature", log_id, str(error))

    def note(
        self,
        code: str,
        log_id: str,
        message: str,
        *,
        at: int | None = None,
        stream: str | None = None,
    ) -> None:
        if len(self.findings) >= MAX_FINDINGS:
            self.suppressed += 1
            return
        self.findings.append(
            FsckFinding(
                code=code, log_id=log_id, message=message, global_position=at, stream_id=stream
            )
        )

    def read(self, entries: int) -> None:
        self.entries += entries
        self._progress(self.entries, max(self._total, self.entries))

    def _head(self, log_id: str) -> LogHead:
        try:
            return self._store.log_head(log_id)
        except NoSuchLog:
            self.note("log-head", log_id, "there are rows of a log that has no head row")
            return LogHead(log_id, 0, (), EMPTY_ROOT)


class _LogAudit:
    """One log, entry by entry in the order of its tree."""

    def __init__(self, audit: _Audit, store: AuditedStore, head: LogHead) -> None:
        self._audit = audit
        self._store = store
        self._head = head
        self._streams = Streams(store, head.log_id)
        facts = TournamentFacts(store, head.log_id)
        facts.read_on()
        self._disclosed = DisclosureAudit(store, head.log_id, facts, self._note)
        self._journal = JournalAudit(store, head.log_id, facts, self._note)

    def run(self) -> None:
        frontier: list[bytes] = []
        size = following = 0
        log_id = self._head.log_id
        checkpoints = CheckpointAudit(
            self._store,
            log_id,
            self._note,
            keys=self._audit.keys.get(log_id, ()),
            last=self._audit.last.get(log_id),
        )
        checkpoints.met(0, frontier)  # A log that was empty may have been signed so.
        for row in self._rows():
            event = row.event
            if event.global_position != following:
                self._note(
                    "position-gap",
                    f"global position {following} is missing: {event.global_position} comes next",
                    following,
                )
            following = event.global_position + 1
            push(frontier, size, leaf_hash(event.sealed))
            size += 1
            checkpoints.met(size, frontier)
            members, sent = self._check_sealed(event), None
            if members is not None:
                sent = self._check_columns(row, members)
                self._check_chain(event, members)
            context = self._disclosed.met(event, members)
            if sent is not None:
                self._journal.became(sent, event, context)
        if size != self._head.size:
            self._note("log-head", f"the log says {self._head.size} entries and holds {size}")
        elif tuple(frontier) != self._head.frontier or frontier_root(frontier) != self._head.root:
            self._note("log-head", "the tree over the entries is not the log's tree")
        checkpoints.end(size)
        self._check_beyond()
        self._check_stream_heads()
        self._journal.run()

    def _note(
        self, code: str, message: str, at: int | None = None, stream: str | None = None
    ) -> None:
        self._audit.note(code, self._head.log_id, message, at=at, stream=stream)

    def _rows(self) -> Iterator[KeptEvent]:
        """Rows below the head as it was read; what is appended meanwhile is not this run's."""
        start, end = 0, self._head.size
        while start < end:
            page = self._store.event_rows(self._head.log_id, start=start, limit=PAGE)
            page = [row for row in page if row.event.global_position < end]
            if not page:
                return
            yield from page
            self._audit.read(len(page))
            start = page[-1].event.global_position + 1

    def _check_sealed(self, event: StoredEvent) -> dict[str, object] | None:
        at, stream = event.global_position, event.stream_id
        if leaf_hash(event.sealed) != event.leaf_hash:
            self._note("leaf-hash", "the sealed bytes are not those that were hashed", at, stream)
        if len(event.sealed) > MAX_SEALED_BYTES:
            self._note("too-large", f"the entry has {len(event.sealed)} bytes", at, stream)
        # The body may be MAX_DEPTH deep, and the entry is one level around it.
        if is_canonical(event.sealed, depth=MAX_DEPTH + 1):
            members = orjson.loads(event.sealed)
            if isinstance(members, dict) and members.keys() == _MEMBERS:
                return members
        self._note("not-canonical", "the sealed bytes are no canonical entry", at, stream)
        return None

    def _check_columns(self, row: KeptEvent, members: dict[str, Any]) -> Journaled | None:
        """The draft that a device sent of it, if one did."""
        event = row.event
        at, stream = event.global_position, event.stream_id
        for name, column, expected in (
            ("log", event.log_id, self._head.log_id),
            ("log", event.log_id, members["log"]),
            ("stream", stream, members["stream"]),
            ("version", event.version, members["version"]),
            ("entry_id", event.entry_id, members["entry_id"]),
            ("tag", event.tag, members["tag"]),
            ("schema", event.schema, members["schema"]),
            ("v", ENTRY_FORMAT, members["v"]),
        ):
            if column != expected:
                message = f"{name} is {column!r} in its column and {expected!r} in the sealed bytes"
                self._note("column", message, at, stream)
        try:
            draft = EventDraft(
                entry_id=members["entry_id"],
                tag=members["tag"],
                schema=members["schema"],
                basis=Basis(members["basis"]),
                body=canonical(members["body"]),
            )
            same = fingerprint(members["log"], members["stream"], draft) == row.draft_sha256
        except (AttributeError, TypeError, ValueError):  # a member of another type than it was
            self._note("not-canonical", "the members of the entry are not of its form", at, stream)
            return None
        if same:
            return None
        sent = self._submitted(row, members)
        if sent is None:
            self._note("draft-hash", "the draft's fingerprint is not its own", at, stream)
        return sent

    def _submitted(self, row: KeptEvent, members: dict[str, object]) -> Journaled | None:
        """The device's draft that the fingerprint is of, if it says what was sealed."""
        found = [
            one
            for one in self._store.submitted(self._head.log_id, [row.event.entry_id])
            if one.submitted.raw_sha256 == row.draft_sha256
        ]
        # Bytes that broke the chain at first may have come once more, and been a link of it.
        found.sort(key=lambda one: not one.outcome.is_chained)
        draft = members_of(found[0].submitted.raw) if found else {}
        says_it = bool(found) and all(draft.get(name) == members[name] for name in _WRAPPED)
        return found[0] if says_it else None

    def _check_chain(self, event: StoredEvent, members: dict[str, object]) -> None:
        version, leaf = self._streams.before(event)
        broken = break_of_link(event, version=version + 1, prev=leaf, members=members)
        if broken is not None:
            self._note("chain", broken, event.global_position, event.stream_id)
        self._streams.met(event)
        if event.version == 1 and self._store.stream_head(event.log_id, event.stream_id) is None:
            self._note("stream-head", "the stream has no head row", stream=event.stream_id)

    def _check_beyond(self) -> None:
        """Rows behind the end of the log, unless the log has grown over them meanwhile."""
        log_id, size = self._head.log_id, self._head.size
        try:
            now = self._store.log_head(log_id).size
        except NoSuchLog:
            now = size
        for row in self._store.event_rows(log_id, start=now, limit=1):
            at = row.event.global_position
            self._note("log-head", f"entry {at} lies behind the end of the log", at)
        self._disclosed.end(size, now)
        self._audit.disclosures += self._disclosed.count

    def _check_stream_heads(self) -> None:
        after: str | None = None
        while page := self._store.streams(self._head.log_id, after=after, limit=PAGE):
            for head in page:
                if not self._is_last(head):
                    # A stream that has just been appended to looks the same: look once more.
                    again = self._store.stream_head(head.log_id, head.stream_id)
                    if again is None or again == head or not self._is_last(again):
                        self._note(
                            "stream-head",
                            f"the head row (version {head.version}) is not the stream's last entry",
                            stream=head.stream_id,
                        )
            after = page[-1].stream_id

    def _is_last(self, head: StreamHead) -> bool:
        last = self._store.read_stream(head.log_id, head.stream_id, after=head.version - 1, limit=2)
        return [(event.version, event.leaf_hash) for event in last] == [
            (head.version, head.head_hash)
        ]
