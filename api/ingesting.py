"""What devices submit: each draft checked, sorted and taken in, once and in its order.

A tablet records while the network is away, and sends what it has until it is told that it is here.
Its drafts form a chain: numbered from 1, each naming the hash of the one before. What has been
taken in already is recognised before anything else is asked, so that a retry is never out of order.
A draft that breaks the chain is kept and takes no part in it; a draft of an intact chain that the
stream cannot take is kept, and parked until a director decides. Nothing that came in is dropped.

Decided here, against what was read; written by the store in one transaction, if what was read still
holds there. If not, everything is read and decided again.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from api.archive import Archive
from api.committing import context_of
from api.desk import Desk, Hand, NotExpected, NotPermitted
from api.leasing import Leasing
from api.reading import Live
from events import catalogue
from events.canonical import MAX_DEPTH, is_canonical
from events.envelope import (
    MAX_SEALED_BYTES,
    TOURNAMENT_STREAM,
    Basis,
    EventDraft,
    RecordedEvent,
)
from events.errors import BadBody, BadInput, OutcomeUnknown, StoreBusy, UnknownTag
from events.payloads.base import Payload
from events.personal import commitment_of
from events.store.appending import name_of_disclosure, prepare
from events.store.journal import (
    Cursor,
    Intake,
    Journaled,
    Outcome,
    PremiseMoved,
    Reason,
    Submitted,
    TakenIn,
    Verdict,
)
from events.store.protocol import StreamHead, Unit
from events.values import Count, EntryId, Sha256, Word
from projections.access import Grant
from projections.leases import BoundDevice

TRIES = 20
"""How often a batch is decided again because somebody else wrote meanwhile."""

GOOD, BAD, ABSENT = "good", "bad", "absent"
"""What is known of a draft's signature."""

_ENVELOPE_BYTES = 2_048
"""More than what is sealed around a body."""

_log = logging.getLogger(__name__)


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    """The members of a draft as a device signs it."""

    entry_id: EntryId
    stream: str
    tag: str
    schema: int
    basis: str
    body: msgspec.Raw
    device: Word
    epoch: Count
    device_seq: Count
    device_prev: Sha256 | None
    lease: Count | None
    expected_version: Count
    expected_head: Sha256 | None
    occurred_at: int | None
    elapsed_ms: int | None


_DRAFT = msgspec.json.Decoder(Draft)


class Item(msgspec.Struct, frozen=True):
    """One draft as it was sent."""

    raw: bytes
    """Its bytes."""
    signature: bytes
    """Empty where there is none."""
    disclosures: tuple[bytes, ...]
    """Raw disclosures that open its commitments."""


class Result(msgspec.Struct):
    """What became of one item."""

    outcome: Outcome
    reason: Reason | None = None
    global_position: int | None = None
    """The entry that it became; None where it became none."""
    version: int | None = None
    """Version of that entry."""
    entry_id: str | None = None
    """None where the draft could not be read."""


class Report(msgspec.Struct):
    """The answer to a batch."""

    results: list[Result]
    """One for each item, in order."""
    streams: list[StreamHead]
    """The streams of the batch, and those that the device holds the lease of, as they stand."""
    cursor: Cursor
    """How far the device's chain has been taken in."""

    @property
    def expected_device_seq(self) -> int | None:
        """The number that is needed next, where some draft came too early."""
        if any(result.outcome is Outcome.GAP for result in self.results):
            return self.cursor.last_seq + 1
        return None


class Sender(msgspec.Struct, frozen=True):
    """Which device sends, and by what right."""

    bound: BoundDevice
    """The device that the token was given to."""
    current: BoundDevice
    """The device as it is bound now: of a higher epoch, perhaps."""
    grant: Grant | None
    """None where the token's grant has ended: everything is parked then."""

    @property
    def hand(self) -> Hand:
        """Who is at the desk."""
        grants = () if self.grant is None else (self.grant,)
        return Hand(grants, is_device=True)


class Ingest:
    """Takes in what devices submit."""

    def __init__(self, archive: Archive, desk: Desk, leasing: Leasing) -> None:
        self.archive = archive
        self.desk = desk
        self.leasing = leasing

    def sender(self, log_id: str, token_sha256: str) -> Sender | None:
        """The device that a token belongs to; None if it was never given to one in this log.

        Also where the grant has ended: what the device recorded before is kept, and parked. Not so
        where it was bound anew by another grant: then only the new token speaks for it.
        """
        leases = self.leasing.of(log_id)
        bound = leases.device_of(token_sha256)
        if bound is None:
            return None
        current = leases.device(bound.id)
        grant = self.archive.reading.access(log_id).grant_of(token_sha256)
        if grant is None and current is not None:
            return None
        return Sender(bound, current or bound, grant)

    async def take_in(self, log_id: str, token_sha256: str, items: Sequence[Item]) -> Report | None:
        """What became of each item; None if the token belongs to no device of this log.

        Errors: StoreBusy, OutcomeUnknown and what else the store says: then the same bytes are to
        be sent again.
        """
        writer = self.archive.writer
        if writer is None:
            raise StoreBusy("this archive is open for reading only")
        for _ in range(TRIES):
            sender = await asyncio.to_thread(self.sender, log_id, token_sha256)
            if sender is None:
                return None
            sorting = Sorting(self, log_id, sender)
            try:
                intake = await asyncio.to_thread(sorting.sort, items)
                taken = TakenIn((), ()) if intake is None else await writer.take_in(intake)
            except PremiseMoved:
                await asyncio.to_thread(self._forget, log_id, sorting)
                continue
            except OutcomeUnknown:
                # A commit that failed may stand after all.
                for stream_id in sorting.premises:
                    self.archive.reading.forget(log_id, stream_id)
                raise
            return await asyncio.to_thread(sorting.report, taken)
        raise StoreBusy("others are writing to the same streams: send the same again in a moment")

    def _forget(self, log_id: str, sorting: Sorting) -> None:
        """Read anew what is not as it is stored, if this process missed what another one wrote."""
        reading, store = self.archive.reading, self.archive.store
        for stream_id in (TOURNAMENT_STREAM, *sorting.premises):
            head = store.stream_head(log_id, stream_id)
            if head is not None and reading.peek(log_id, stream_id).version != head.version:
                reading.forget(log_id, stream_id)


class Bench:
    """One stream as a batch finds it, and as the accepted drafts of the batch change it."""

    def __init__(self, archive: Archive, log_id: str, stream_id: str, *, left: int) -> None:
        head = archive.store.stream_head(log_id, stream_id)
        self.live: Live = archive.reading.peek(log_id, stream_id)
        self.version = 0 if head is None else head.version
        self.found_at = self.version
        """Version before the batch."""
        self.head: bytes | None = b"" if head is None else head.head_hash
        """Leaf hash of the last entry; None once it is one that is not sealed yet."""
        if self.live.version != self.version:
            raise PremiseMoved(f"stream {stream_id} has moved on")
        self._left = left
        self._is_own = False

    def accept(self, draft: EventDraft, payload: Payload) -> None:
        """The draft is the stream's last entry now."""
        self.version += 1
        self.head = None
        self._left -= 1
        if self._left <= 0:
            return
        if not self._is_own:
            # Apart: the live one must not hold what may yet be refused.
            self.live = self.live.ahead()
            self._is_own = True
        self.live.extend([recorded(self.version, draft, payload)])


class Sorting:
    """One batch being decided, item by item, each seeing those before it."""

    def __init__(self, ingest: Ingest, log_id: str, sender: Sender) -> None:
        self.premises: dict[str, int] = {}
        """Stream to the version that the decisions rest on."""
        self.results: list[Result] = []
        self._ingest = ingest
        self._archive = ingest.archive
        self._log_id = log_id
        self._sender = sender
        self._hand = sender.hand
        self._epoch = sender.current.epoch
        self._leases = ingest.leasing.of(log_id)
        self._settled = self._leases.settled
        self._received_at = ingest.archive.now_ms()
        self._benches: dict[str, Bench] = {}
        self._verdicts: list[Verdict] = []
        self._units: list[tuple[str, list[EventDraft]]] = []
        self._commitments: set[str] = set()
        self._ids: dict[str, tuple[bytes, int]] = {}
        """Entry id of each chained item of the batch: hash of its bytes, and its place."""
        self._copies: list[tuple[int, int]] = []
        """(place, place of the item that it repeats)."""

    def sort(self, items: Sequence[Item]) -> Intake | None:
        """Decide every item; what is to be written, None if nothing is."""
        store, log_id, device = self._archive.store, self._log_id, self._sender.current.id
        drafts = [read_draft(item.raw) for item in items]
        ids = {draft.entry_id for draft in drafts if draft is not None}
        ids -= {""}
        # The cursor first: the commit checks that it has not moved, so what is read after it is at
        # least as new. The other way round, a batch that another process took in between would be
        # unknown here and behind the cursor: a fork that never was.
        before = store.device_cursor(log_id, device, self._epoch) or Cursor(device, self._epoch)
        self.cursor = before
        self._journal = _by_id(store.submitted(log_id, sorted(ids)))
        self._stored = store.find_entries(log_id, sorted(ids))
        self._branches = {
            draft.stream_id
            for draft in store.parked_at(log_id)
            if (draft.device, draft.epoch) == (device, self._epoch)
            and draft.entry_id not in self._settled
        }
        self._left: dict[str, int] = {}
        for draft in drafts:
            if draft is not None:
                self._left[draft.stream] = self._left.get(draft.stream, 0) + 1
        for item, draft in zip(items, drafts, strict=True):
            self.results.append(self._sorted(item, draft))
        if not self._verdicts:
            return None
        return Intake(
            log_id=log_id,
            premises={TOURNAMENT_STREAM: self._leases.version, **self.premises},
            verdicts=tuple(self._verdicts),
            units=tuple(
                Unit(log_id=log_id, stream_id=stream_id, drafts=tuple(drafts))
                for stream_id, drafts in self._units
            ),
            cursor=(before, self.cursor),
        )

    def report(self, taken: TakenIn) -> Report:
        """The answer, once it is written."""
        events = {event.entry_id: event for unit in taken.appended for event in unit.events}
        for result in self.results:
            event = events.get(result.entry_id or "")
            if result.outcome is Outcome.ACCEPTED and event is not None:
                result.global_position, result.version = event.global_position, event.version
        for place, of in self._copies:
            first, copy = self.results[of], self.results[place]
            copy.global_position, copy.version = first.global_position, first.version
            copy.reason = first.reason
        store, log_id = self._archive.store, self._log_id
        names = {*self.premises, *self._leases.streams_of(self._sender.current.id)}
        heads = [store.stream_head(log_id, name) for name in sorted(names)]
        return Report(self.results, [head for head in heads if head is not None], self.cursor)

    # The chain.

    def _sorted(self, item: Item, draft: Draft | None) -> Result:
        digest = hashlib.sha256(item.raw).digest()
        if draft is None:
            known = self._archive.store.unreadable(self._log_id, digest)
            return self._forked(item, None, digest, Reason.UNREADABLE, is_known=known is not None)
        again = self._repeated(draft, digest)
        if again is not None:
            return again
        cursor = self.cursor
        if draft.device != cursor.device:
            return self._forked(item, draft, digest, Reason.PREV_MISMATCH)
        if draft.epoch != self._epoch:
            return self._forked(item, draft, digest, Reason.OLD_EPOCH)
        if draft.device_seq <= cursor.last_seq:
            return self._forked(item, draft, digest, Reason.SEQ_REUSED)
        if draft.device_seq > cursor.last_seq + 1:
            return Result(Outcome.GAP, entry_id=draft.entry_id)
        if self._signature_state(item) == BAD:
            return self._forked(item, draft, digest, Reason.BAD_SIGNATURE)
        if draft.device_prev != (cursor.last_hash.hex() or None):
            return self._forked(item, draft, digest, Reason.PREV_MISMATCH)
        if self._is_taken(draft):
            return self._forked(item, draft, digest, Reason.ENTRY_ID_REUSED)
        return self._chained(item, draft, digest)

    def _repeated(self, draft: Draft, digest: bytes) -> Result | None:
        """The first answer again, if these very bytes are in the chain already."""
        here = self._ids.get(draft.entry_id)
        if here is not None and here[0] == digest:
            self._copies.append((len(self.results), here[1]))
            return Result(Outcome.DUPLICATE, entry_id=draft.entry_id)
        for row in self._journal.get(draft.entry_id, ()):
            if row.outcome.is_chained and row.submitted.raw_sha256 == digest:
                entry = self._stored.get(draft.entry_id)
                is_in = row.outcome is Outcome.ACCEPTED or row.submitted.entry_id in self._settled
                if entry is None or not is_in:
                    return Result(Outcome.DUPLICATE, row.reason, entry_id=draft.entry_id)
                return Result(
                    Outcome.DUPLICATE,
                    None,
                    entry.global_position,
                    entry.version,
                    draft.entry_id,
                )
        return None

    def _is_taken(self, draft: Draft) -> bool:
        """Whether its entry id belongs to other bytes."""
        return (
            draft.entry_id in self._ids
            or draft.entry_id in self._stored
            or any(row.outcome.is_chained for row in self._journal.get(draft.entry_id, ()))
        )

    def _signature_state(self, item: Item) -> str:
        key = self._sender.current.public_key
        if key is None:
            return ABSENT
        return GOOD if is_signed(key, item) else BAD

    def _forked(
        self,
        item: Item,
        draft: Draft | None,
        digest: bytes,
        reason: Reason,
        *,
        is_known: bool = False,
    ) -> Result:
        """Kept, once, and an alarm; the chain stays where it is."""
        entry_id = None if draft is None else draft.entry_id
        is_known = is_known or any(
            row.submitted.raw_sha256 == digest and row.reason is reason
            for row in self._journal.get(entry_id or "", ())
        )
        kept = any(
            verdict.submitted.raw_sha256 == digest and verdict.reason is reason
            for verdict in self._verdicts
        )
        if not (is_known or kept):
            _log.warning("device %s of log %s: %s", self.cursor.device, self._log_id, reason.value)
            state = GOOD if self._signature_state(item) == GOOD else ABSENT
            if item.signature and state != GOOD:
                state = BAD
            submitted = self._submitted(item, draft, digest, state)
            self._verdicts.append(
                Verdict(submitted=submitted, outcome=Outcome.DEVICE_FORK, reason=reason)
            )
        return Result(Outcome.DEVICE_FORK, reason, entry_id=entry_id)

    def _submitted(self, item: Item, draft: Draft | None, digest: bytes, state: str) -> Submitted:
        return Submitted(
            device=self._sender.current.id,
            epoch=self._epoch if draft is None else draft.epoch,
            device_seq=0 if draft is None else draft.device_seq,
            entry_id="" if draft is None else draft.entry_id,
            stream_id=None if draft is None else draft.stream,
            raw=item.raw,
            raw_sha256=digest,
            signature=item.signature,
            signature_state=state,
            received_at=self._received_at,
        )

    # The stream.

    def _chained(self, item: Item, draft: Draft, digest: bytes) -> Result:
        """The next link of the chain: accepted, or parked."""
        state = self._signature_state(item)
        bench = self._bench(draft.stream)
        version = None if bench is None else bench.version
        reason = self._accepted(item, draft, digest, state, bench)
        self._ids[draft.entry_id] = (digest, len(self.results))
        self.cursor = Cursor(self.cursor.device, self._epoch, draft.device_seq, digest)
        outcome = Outcome.ACCEPTED
        kept: tuple[bytes, ...] = ()
        if reason is not None:
            outcome, kept = Outcome.STREAM_CONFLICT, _sound(item, draft)
            self._branches.add(draft.stream)
        self._verdicts.append(
            Verdict(
                submitted=self._submitted(item, draft, digest, state),
                outcome=outcome,
                reason=reason,
                stream_version=version,
                disclosures=kept,
            )
        )
        return Result(outcome, reason, entry_id=draft.entry_id)

    def _bench(self, stream_id: str) -> Bench | None:
        """The stream as it stands in this batch; None if the name can be no match's stream."""
        known = self._benches.get(stream_id)
        if known is None and stream_id in self._leases.numbers:
            known = Bench(self._archive, self._log_id, stream_id, left=self._left[stream_id])
            self._benches[stream_id] = known
            self.premises[stream_id] = known.found_at
        return known

    def _accepted(
        self, item: Item, draft: Draft, digest: bytes, state: str, bench: Bench | None
    ) -> Reason | None:
        """Why the stream cannot take it; None once it has taken it."""
        grant = self._sender.grant
        if grant is None:
            return Reason.NOT_PERMITTED
        held = self._leases.current(draft.stream)
        if bench is None or held is None:
            return Reason.STALE_LEASE
        if (held.device, held.number) != (self._sender.current.id, draft.lease):
            return Reason.STALE_LEASE
        if draft.stream in self._branches or draft.expected_version != bench.version:
            return Reason.VERSION_MISMATCH
        if draft.expected_head is not None and draft.expected_head != (bench.head or b"").hex():
            return Reason.HEAD_MISMATCH
        if draft.tag in catalogue.TOURNAMENT_TAGS:
            return Reason.NOT_PERMITTED
        context = {
            "recorded_by": grant.grant_id,
            "received_at": self._received_at,
            **context_members(draft, digest, state),
        }
        try:
            entry, payload = self._entry(item, draft, digest, context)
            self._ingest.desk.check(
                self._hand, self._log_id, draft.stream, entry, payload, live=bench.live
            )
        except (BadInput, NotPermitted, NotExpected) as error:
            return reason_of(error)
        bench.accept(entry, payload)
        if self._units and self._units[-1][0] == draft.stream:
            self._units[-1][1].append(entry)
        else:
            self._units.append((draft.stream, [entry]))
        return None

    def _entry(
        self, item: Item, draft: Draft, digest: bytes, context: dict[str, Any]
    ) -> tuple[EventDraft, Payload]:
        """The entry that wraps the draft. Errors: UnknownTag, BadInput."""
        entry, payload, marks = entry_of(
            self._archive, self._log_id, draft, digest, item.disclosures, context=context
        )
        if self._commitments & marks or self._archive.store.disclosures(
            self._log_id, sorted(marks)
        ):
            raise BadBody("a disclosure was used before: salts are used once")
        self._commitments |= marks
        return entry, payload


def recorded(version: int, draft: EventDraft, payload: Payload) -> RecordedEvent:
    """An entry as folds see it, before it is stored."""
    return RecordedEvent(version, draft.entry_id, draft.tag, draft.basis, payload)


def read_draft(raw: bytes) -> Draft | None:
    """The draft that these bytes are; None if they are none."""
    if not is_canonical(raw, depth=MAX_DEPTH + 1):
        return None
    try:
        draft = _DRAFT.decode(raw)
    except msgspec.ValidationError:
        return None
    # No text column of PostgreSQL holds a NUL, and a chain begins with 1.
    is_storable = "\x00" not in draft.stream and "\x00" not in draft.device
    return draft if draft.device_seq and is_storable else None


def entry_of(
    archive: Archive,
    log_id: str,
    draft: Draft,
    digest: bytes,
    disclosures: Sequence[bytes],
    *,
    context: dict[str, Any],
) -> tuple[EventDraft, Payload, set[str]]:
    """(entry that wraps the draft, its payload, commitments that are opened beside it).

    The body is the draft's own bytes. Errors: UnknownTag, BadInput and what is below it.
    """
    body = bytes(draft.body)
    payload = catalogue.decode(draft.tag, body, schema=draft.schema)
    try:
        basis = Basis(draft.basis)
    except ValueError:
        raise BadBody(f"{draft.basis[:40]!r} is no basis of an entry") from None
    if len(body) > MAX_SEALED_BYTES - _ENVELOPE_BYTES:
        raise BadBody("an entry around this body would be too large")
    marks = check_disclosures(body, disclosures)
    entry = EventDraft(
        entry_id=draft.entry_id,
        tag=draft.tag,
        schema=draft.schema,
        basis=basis,
        body=body,
        context=context_of(context, entropy=archive.entropy),
        disclosures=tuple(disclosures),
        draft_sha256=digest,
    )
    prepare(Unit(log_id=log_id, stream_id=draft.stream, drafts=(entry,)))
    return entry, payload, marks


def check_disclosures(body: bytes, disclosures: Sequence[bytes]) -> set[str]:
    """The commitments that are opened, each at the place that its name says. Errors: BadBody.

    What may be shown to whom goes by the name of a disclosure: it must not be chosen freely.
    """
    places: dict[str, set[str]] = {}
    for name, mark in _commitments(msgspec.json.decode(body)):
        places.setdefault(mark, set()).add(name)
    marks: set[str] = set()
    for raw in disclosures:
        mark = commitment_of(raw)
        if name_of_disclosure(raw) not in places.get(mark, ()) or mark in marks:
            raise BadBody("a disclosure opens no commitment at the place that it names")
        marks.add(mark)
    return marks


def _commitments(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """(path, commitment) of every commitment in a body."""
    if isinstance(value, dict):
        mark = value.get("sd")
        if len(value) == 1 and isinstance(mark, str):
            yield name, mark
            return
    elif not isinstance(value, list):
        return
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in members:
        yield from _commitments(item, f"{name}.{key}" if name else str(key))


def _sound(item: Item, draft: Draft) -> tuple[bytes, ...]:
    """The disclosures of a parked draft, where they open what they name; else none is kept."""
    try:
        check_disclosures(bytes(draft.body), item.disclosures)
    except BadInput:
        return ()
    return item.disclosures


def context_members(draft: Draft, digest: bytes, state: str) -> dict[str, Any]:
    """What the context of an entry says of the draft that it wraps."""
    members = {
        "device": draft.device,
        "device_seq": draft.device_seq,
        "epoch": draft.epoch,
        "occurred_at": draft.occurred_at,
        "elapsed_ms": draft.elapsed_ms,
        "lease": draft.lease,
        "draft_sha256": digest.hex(),
        "signature_state": state,
    }
    return {name: value for name, value in members.items() if value is not None}


def reason_of(error: Exception) -> Reason:
    """Why a stream cannot take a draft, by what was raised."""
    if isinstance(error, NotPermitted):
        return Reason.NOT_PERMITTED
    if isinstance(error, NotExpected):
        return Reason.NOT_EXPECTED
    return Reason.UNKNOWN_TAG if isinstance(error, UnknownTag) else Reason.BAD_BODY


def is_signed(public_key: str, item: Item) -> bool:
    """Whether the signature is the device's over exactly these bytes."""
    try:
        key = Ed25519PublicKey.from_public_bytes(decoded(public_key))
        key.verify(item.signature, item.raw)
    except (InvalidSignature, ValueError):
        return False
    return True


def decoded(text: str) -> bytes:
    """Bytes of base64, of either alphabet, padded or not. Errors: ValueError."""
    plain = text.translate(_ALPHABET).rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(f"this is no base64: {error}") from None


_ALPHABET = str.maketrans("-_", "+/")


def _by_id(rows: Sequence[Journaled]) -> Mapping[str, list[Journaled]]:
    found: dict[str, list[Journaled]] = {}
    for row in rows:
        found.setdefault(row.submitted.entry_id, []).append(row)
    return found
