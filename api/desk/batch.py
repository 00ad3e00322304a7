"""Decides a batch of drafts: each is accepted, parked, kept beside the chain, or too early.

A tablet's drafts form a chain: numbered from 1, each naming the hash of the one before. What has
been taken in already is recognised before anything else is asked, so that a retry is never out of
order. A draft that breaks the chain is kept and takes no part in it; a draft of an intact chain
that the stream cannot take is kept, and parked until a director decides.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence

import msgspec

from api.archive.archive import Archive
from api.desk.bench import Bench
from api.desk.borrowed import beside_of, check_borrowed
from api.desk.desk import Desk
from api.desk.drafts import (
    ABSENT,
    BAD,
    GOOD,
    Draft,
    Item,
    context_members,
    entry_of,
    is_signed,
    read_draft,
    sound_disclosures,
)
from api.desk.hand import Hand
from api.refusals import NotExpected, NotPermitted, Problem
from events import catalogue
from events.envelope import TOURNAMENT_STREAM, EventDraft
from events.errors import BadBody, BadInput, UnknownTag
from events.payloads.base import Payload
from events.store.journal import (
    Cursor,
    Intake,
    Journaled,
    Outcome,
    Reason,
    Submitted,
    TakenIn,
    Verdict,
)
from events.store.protocol import StreamHead, Unit
from projections.custody.access import Grant
from projections.custody.leases import BoundDevice, Leases

JOURNAL_BYTES = 64 * 1024 * 1024
"""How many bytes of drafts that became no entry are kept per device and log: more than a hundred
whole matches."""

ROW_BYTES = 512
"""The least that a draft counts for, however small it is."""

_log = logging.getLogger(__name__)


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
        """The number that has to come next, if a draft came too early; else None."""
        if any(result.outcome is Outcome.GAP for result in self.results):
            return self.cursor.last_seq + 1
        return None


class Sender(msgspec.Struct, frozen=True):
    """Which device sends, and by what right."""

    bound: BoundDevice
    """The device that the token was given to."""
    current: BoundDevice
    """The device as it is bound now, perhaps with a higher epoch."""
    grant: Grant | None
    """None where the token's grant has ended: everything is parked then."""

    @property
    def hand(self) -> Hand:
        """Who is at the desk."""
        grants = () if self.grant is None else (self.grant,)
        return Hand(grants, is_device=True)


class Sorting:
    """One batch being decided, item by item, each seeing those before it."""

    def __init__(
        self, archive: Archive, desk: Desk, leases: Leases, log_id: str, sender: Sender
    ) -> None:
        self.premises: dict[str, int] = {}
        """Stream to the version that the decisions rest on."""
        self.results: list[Result] = []
        self._archive = archive
        self._desk = desk
        self._log_id = log_id
        self._sender = sender
        self._hand = sender.hand
        self._epoch = sender.current.epoch
        self._leases = leases
        self._settled = self._leases.settled
        self._received_at = archive.now_ms()
        self._benches: dict[str, Bench] = {}
        self._verdicts: list[Verdict] = []
        self._units: list[tuple[str, list[EventDraft]]] = []
        self._commitments: set[str] = set()
        self._ids: dict[str, tuple[bytes, int]] = {}
        """Entry id of each chained item of the batch: hash of its bytes, and its place."""
        self._copies: list[tuple[int, int]] = []
        """(place, place of the item that it repeats)."""

    def sort(self, items: Sequence[Item]) -> Intake | None:
        """Decide every item; the intake to write, or None if there is nothing to write."""
        store, log_id, device = self._archive.store, self._log_id, self._sender.current.id
        drafts = [read_draft(item.raw) for item in items]
        ids = {draft.entry_id for draft in drafts if draft is not None}
        ids -= {""}
        # The cursor is read first: the commit checks that it has not moved, so everything read
        # after it is at least as new. Read last, a batch that another process takes in meanwhile
        # would be unknown here but behind the cursor, and look like a fork.
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
        self._check_room()
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

    def _check_room(self) -> None:
        """Refuse the batch if its rejected drafts do not fit. Errors: Problem journal-full.

        Nothing of the batch is taken in then, and its sender keeps it.
        """
        kept = [one for one in self._verdicts if one.outcome is not Outcome.ACCEPTED]
        if not kept:
            return
        device = self._sender.current.id
        known = self._archive.store.kept_of(self._log_id, device)
        size = known.size + sum(
            len(one.submitted.raw) + sum(map(len, one.disclosures)) for one in kept
        )
        if size + ROW_BYTES * (known.count + len(kept)) > JOURNAL_BYTES:
            raise Problem(
                "journal-full",
                f"{known.count} drafts of device {device} are kept that became no entry:"
                f" {JOURNAL_BYTES // (1024 * 1024)} MiB of them are kept, and no more",
            )

    def report(self, taken: TakenIn) -> Report:
        """The answer, once all is written; drafts that broke the chain go to the operator's log."""
        for verdict in self._verdicts:
            if verdict.outcome is Outcome.DEVICE_FORK and verdict.reason is not None:
                device, reason = self.cursor.device, verdict.reason.value
                _log.warning("device %s of log %s: %s", device, self._log_id, reason)
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
        if {draft.epoch, self._sender.bound.epoch} != {self._epoch}:
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
        """Keep a draft that broke the chain, once, and raise an alarm; the chain stays as it is."""
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
            outcome, kept = Outcome.STREAM_CONFLICT, sound_disclosures(item, draft)
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
        is_other = draft.expected_head not in (None, (bench.head or b"").hex())
        if is_other and not self._is_sealed_anew(draft, bench):
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
            self._desk.check(
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

    def _is_sealed_anew(self, draft: Draft, bench: Bench) -> bool:
        """Whether the stream's last entry is the device's previous draft, sealed a second time.

        That happens when an older backup was restored and the device has sent again what it lacked:
        the same drafts get another nonce and another leaf hash. The device's own chain proves that
        they are the same, so the draft may follow.
        """
        if bench.head is None:
            return True  # Of this very batch.
        store, log_id = self._archive.store, self._log_id
        last = store.read_stream(log_id, draft.stream, after=bench.version - 1, limit=1)
        rows = store.submitted(log_id, [event.entry_id for event in last])
        return any(
            row.outcome is Outcome.ACCEPTED
            and (row.submitted.device, row.submitted.epoch) == (draft.device, draft.epoch)
            and row.submitted.device_seq < draft.device_seq
            for row in rows
        )

    def _entry(
        self, item: Item, draft: Draft, digest: bytes, context: Mapping[str, object]
    ) -> tuple[EventDraft, Payload]:
        """The entry that wraps the draft. Errors: UnknownTag, BadInput."""
        entry, payload, marks = entry_of(
            self._archive, self._log_id, draft, digest, item.disclosures, context=context
        )
        if self._commitments & marks or self._archive.store.disclosures(
            self._log_id, sorted(marks)
        ):
            raise BadBody("a disclosure was used before: salts are used once")
        check_borrowed(
            *(self._archive.store, self._log_id, draft.stream, draft.tag, entry.body),
            given=marks | self._commitments,
            beside=beside_of(self._hand, self._log_id, payload),
        )
        self._commitments |= marks
        return entry, payload


def reason_of(error: Exception) -> Reason:
    """Why a stream cannot take a draft, by what was raised."""
    if isinstance(error, NotPermitted):
        return Reason.NOT_PERMITTED
    if isinstance(error, NotExpected):
        return Reason.NOT_EXPECTED
    return Reason.UNKNOWN_TAG if isinstance(error, UnknownTag) else Reason.BAD_BODY


def _by_id(rows: Sequence[Journaled]) -> Mapping[str, list[Journaled]]:
    found: dict[str, list[Journaled]] = {}
    for row in rows:
        found.setdefault(row.submitted.entry_id, []).append(row)
    return found
