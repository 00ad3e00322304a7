"""The audit of a log's journal: what devices submitted, draft by draft, and what became of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from events.envelope import StoredEvent
from events.sealing.devices import is_signed_by
from events.store.audited import PAGE, AuditedStore, members_of
from events.store.fsck_tournament import TournamentFacts
from events.store.journal import Cursor, Journaled, Outcome, Reason

_NUMBERED = ("device", "epoch", "device_seq", "entry_id", "stream")
"""Members of a draft that the journal has columns for."""

_FORKS = frozenset(
    {
        Reason.PREV_MISMATCH,
        Reason.SEQ_REUSED,
        Reason.ENTRY_ID_REUSED,
        Reason.OLD_EPOCH,
        Reason.BAD_SIGNATURE,
        Reason.UNREADABLE,
    }
)
"""Why a draft is no link of its device's chain; the other reasons park one that is."""


class JournalAudit:
    """What devices submitted to one log, draft by draft in the order in which it came."""

    def __init__(
        self,
        store: AuditedStore,
        log_id: str,
        facts: TournamentFacts,
        note: Callable[..., None],
    ) -> None:
        self._store = store
        self._log_id = log_id
        self._facts = facts
        self._note = note
        self._chains: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._met: set[tuple[str, int]] = set()

    def run(self) -> None:
        """Note what is wrong with the rows, their order, and the cursors of devices."""
        # Cursors first: what comes in meanwhile moves them on, and lies behind the last id.
        cursors = {(one.device, one.epoch): one for one in self._store.device_cursors(self._log_id)}
        last = self._store.journal_size(self._log_id)
        done = 0
        while done < last:
            page = self._store.journal_rows(self._log_id, after=done, limit=PAGE)
            if not page:
                self._note("journal-gap", f"journal row {done + 1} or its outcome is missing")
                return
            for row in page:
                if row.journal_id != done + 1:
                    self._note("journal-gap", f"journal row {done + 1} or its outcome is missing")
                done = row.journal_id
                self._check(row, cursors)
        for key, cursor in cursors.items():
            if key not in self._met:
                self._note(
                    "device-cursor",
                    f"device {cursor.device} is said to have sent {cursor.last_seq} drafts",
                )
        for (device, epoch), (seq, _) in self._chains.items():
            now = self._store.device_cursor(self._log_id, device, epoch)
            if now is None or now.last_seq < seq:
                self._note("device-cursor", f"the cursor of device {device} is not at draft {seq}")

    def became(
        self, row: Journaled, event: StoredEvent, context: Mapping[str, object] | None
    ) -> None:
        """Hold what is said of this draft against the entry that it has become.

        `context` is what the entry's context says, sealed; None where that is not here any more.
        """
        sent, at = row.submitted, event.global_position
        place = f"journal row {row.journal_id}"
        if row.outcome is Outcome.ACCEPTED:
            is_told = row.global_position == at
        else:
            is_told = row.outcome.is_chained and sent.entry_id in self._facts.taken_over
        if not is_told:
            message = f"{place} is entry {at}, and is said to be {row.outcome.value}"
            self._note("journal-outcome", message, at)
        if context is None:
            return
        received = context.get("journaled_at", context.get("received_at"))
        if received not in (None, sent.received_at):
            message = f"{place} came in at another time than its entry says"
            self._note("journal-column", message, at)
        if context.get("signature_state") not in (None, sent.signature_state):
            message = f"{place} is said to be signed otherwise than its entry says"
            self._note("journal-signature", message, at)

    def _check(self, row: Journaled, cursors: Mapping[tuple[str, int], Cursor]) -> None:
        sent = row.submitted
        place = f"journal row {row.journal_id}"
        if hashlib.sha256(sent.raw).digest() != sent.raw_sha256:
            self._note("journal-hash", f"{place} holds other bytes than were sent")
        if row.outcome is Outcome.ACCEPTED and not self._is_entry(row):
            self._note("journal-outcome", f"{place} is not the entry that it is said to be")
        if not _is_possible(row):
            why = "nothing" if row.reason is None else row.reason.value
            message = f"{place} is said to be {row.outcome.value} because of {why}"
            self._note("journal-outcome", message)
        self._check_signature(row, place)
        if not row.outcome.is_chained:
            return
        draft = members_of(sent.raw)
        columns = (sent.device, sent.epoch, sent.device_seq, sent.entry_id, sent.stream_id)
        if columns != tuple(draft.get(name) for name in _NUMBERED):
            self._note("journal-column", f"{place} is of another draft than its columns say")
        key = (sent.device, sent.epoch)
        seq, prev = self._chains.get(key, (0, b""))
        if sent.device_seq != seq + 1 or draft.get("device_prev") != (prev.hex() or None):
            self._note("journal-chain", f"{place} does not follow draft {seq} of {sent.device}")
        self._chains[key] = (sent.device_seq, sent.raw_sha256)
        cursor = cursors.get(key)
        if cursor is not None and self._chains[key] == (cursor.last_seq, cursor.last_hash):
            self._met.add(key)

    def _check_signature(self, row: Journaled, place: str) -> None:
        sent = row.submitted
        if row.outcome.is_chained:
            keys = self._facts.keys.get((sent.device, sent.epoch), [])
        else:
            # A draft of an older epoch was looked at with the device's present key.
            keys = [
                one
                for (device, _), known in self._facts.keys.items()
                if device == sent.device
                for one in known
            ]
        is_good = any(is_signed_by(one, sent.signature, sent.raw) for one in keys)
        match sent.signature_state:
            case "good":
                is_told = is_good
            case "absent":
                is_told = not (row.outcome.is_chained and keys)
            case "bad":
                is_told = not row.outcome.is_chained
            case _:
                is_told = False
        if not is_told:
            message = f"{place} is said to be signed ({sent.signature_state}), and is not so"
            self._note("journal-signature", message)

    def _is_entry(self, row: Journaled) -> bool:
        at = row.global_position
        if at is None:
            return False
        found = self._store.event_rows(self._log_id, start=at, limit=1)
        places = [
            (one.event.global_position, one.event.entry_id, one.draft_sha256) for one in found
        ]
        return places == [(at, row.submitted.entry_id, row.submitted.raw_sha256)]


def _is_possible(row: Journaled) -> bool:
    """Whether an outcome, its reason and its place can stand together."""
    match row.outcome:
        case Outcome.ACCEPTED:
            return row.reason is None and row.global_position is not None
        case Outcome.STREAM_CONFLICT:
            return row.reason not in {None, *_FORKS} and row.global_position is None
        case Outcome.DEVICE_FORK:
            return row.reason in _FORKS and row.global_position is None
    # What repeats or leaves out a link of the chain is answered, and not written down.
    return False
