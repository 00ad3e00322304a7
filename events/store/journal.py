"""What devices submit: every draft byte for byte, what became of it, how far each chain has come.

The journal comes first: in one transaction the drafts are written down as they came, then those
that are accepted are sealed, then the device's cursor moves and each draft gets its outcome. What
is decided before that transaction names its premises; if one does not hold under the lock, nothing
is written and `PremiseMoved` says so: read again, decide again.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol

import msgspec

from events.errors import Conflict, LedgerError, PremiseMoved
from events.personal import commitment_of
from events.store.appending import KeptDisclosure, name_of_disclosure
from events.store.protocol import Appended, EventStore, Unit

JOURNAL = "journal"
"""Class of the rows whose disclosures belong to a parked draft, at minus its journal id."""


class Outcome(enum.StrEnum):
    """What became of a draft."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    GAP = "gap"
    DEVICE_FORK = "device_fork"
    STREAM_CONFLICT = "stream_conflict"

    @property
    def is_chained(self) -> bool:
        """Whether the draft is a link of its device's chain: the cursor has moved over it."""
        return self in (Outcome.ACCEPTED, Outcome.STREAM_CONFLICT)


class Reason(enum.StrEnum):
    """Why a draft was not accepted."""

    PREV_MISMATCH = "prev_mismatch"
    SEQ_REUSED = "seq_reused"
    ENTRY_ID_REUSED = "entry_id_reused"
    OLD_EPOCH = "old_epoch"
    BAD_SIGNATURE = "bad_signature"
    UNREADABLE = "unreadable"
    VERSION_MISMATCH = "version_mismatch"
    HEAD_MISMATCH = "head_mismatch"
    STALE_LEASE = "stale_lease"
    UNKNOWN_TAG = "unknown_tag"
    BAD_BODY = "bad_body"
    NOT_PERMITTED = "not_permitted"
    NOT_EXPECTED = "not_expected"


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """One draft as a device sent it."""

    device: str
    epoch: int
    device_seq: int
    """Place in the device's chain, from 1; 0 where the draft could not be read."""
    entry_id: str
    """Empty where the draft could not be read."""
    stream_id: str | None
    """Stream that it was meant for; None where it could not be read."""
    raw: bytes
    """The draft's bytes: they hold commitments, never personal values."""
    raw_sha256: bytes
    """SHA-256 of `raw`; the next draft of the chain names it."""
    signature: bytes
    """Ed25519 over `raw`; empty where there is none."""
    signature_state: str
    """`good`, `bad` or `absent`."""
    received_at: int
    """UTC, milliseconds since 1970."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A draft to be written down, with what becomes of it."""

    submitted: Submitted
    outcome: Outcome
    reason: Reason | None = None
    stream_version: int | None = None
    """Version of its stream when it was decided; None where it could not be read."""
    disclosures: tuple[bytes, ...] = ()
    """Raw disclosures that are kept beside the journal: those of a parked draft."""


class Journaled(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the journal with its outcome."""

    journal_id: int
    """1, 2, 3 ... in the log."""
    submitted: Submitted
    outcome: Outcome
    reason: Reason | None
    global_position: int | None
    """The entry that it became when it came in; None where it became none."""
    stream_version: int | None
    """Version of its stream when it was decided."""


class ParkedAt(msgspec.Struct, frozen=True):
    """Which draft is parked, by whom and for what: without its bytes, for what is asked often."""

    entry_id: str
    stream_id: str | None
    device: str
    epoch: int


class KeptDrafts(msgspec.Struct, frozen=True):
    """How much of what a device submitted is kept although it became no entry."""

    count: int
    """Drafts that broke the chain, or were parked."""
    size: int
    """Bytes of these, and of the disclosures that are kept beside them."""


class Cursor(msgspec.Struct, frozen=True):
    """How far a device's chain of one epoch has been taken in."""

    device: str
    epoch: int
    last_seq: int = 0
    """Number of the last draft of the chain; 0 before the first."""
    last_hash: bytes = b""
    """SHA-256 of its bytes."""


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken in together or not at all."""

    log_id: str
    premises: dict[str, int]
    """Stream to the version that it was at when this was decided."""
    streams: int | None = None
    """How many streams the log had then, where a further one would matter."""
    verdicts: tuple[Verdict, ...] = ()
    """Drafts to write down, in the order in which they came."""
    units: tuple[Unit, ...] = ()
    """Entries to append, in order; each must be wholly new."""
    cursor: tuple[Cursor, Cursor] | None = None
    """Where a device's chain was when this was decided, and where it comes to."""
    released: tuple[int, ...] = ()
    """Journal ids of parked drafts that are among the units: their disclosures move with them."""


class TakenIn(msgspec.Struct, frozen=True):
    """The answer to an intake."""

    appended: tuple[Appended, ...]
    """One for each unit."""
    journal_ids: tuple[int, ...]
    """One for each verdict."""


class JournalStore(EventStore, Protocol):
    """A ledger that also takes in what devices submit."""

    def take_in(self, intake: Intake) -> TakenIn:
        """Journal first, then entries, cursor and outcomes: all in one transaction, or nothing.

        Errors: PremiseMoved, NoSuchLog, TooLarge, BadInput, OutcomeUnknown, StoreBusy, StoreFailed.
        """
        ...

    def device_cursor(self, log_id: str, device: str, epoch: int) -> Cursor | None:
        """How far a device's chain has been taken in; None if nothing has."""
        ...

    def device_cursors(self, log_id: str) -> list[Cursor]:
        """All cursors of a log, by device and epoch."""
        ...

    def submitted(self, log_id: str, entry_ids: Sequence[str]) -> list[Journaled]:
        """Rows of the journal with these entry ids, in order."""
        ...

    def unreadable(self, log_id: str, raw_sha256: bytes) -> Journaled | None:
        """The row of a draft that could not be read, by the hash of its bytes."""
        ...

    def parked(self, log_id: str) -> list[Journaled]:
        """Drafts that came in with a stream conflict, resolved or not, in order."""
        ...

    def parked_at(self, log_id: str) -> list[ParkedAt]:
        """The same drafts, without what they say."""
        ...

    def kept_of(self, log_id: str, device: str) -> KeptDrafts:
        """What is kept of a device's drafts that became no entry when they came in."""
        ...

    def journal_rows(self, log_id: str, *, after: int = 0, limit: int) -> list[Journaled]:
        """Rows of the journal with an id > `after`, in order, and with their outcomes."""
        ...

    def journal_size(self, log_id: str) -> int:
        """The last id of the log's journal; 0 if it is empty."""
        ...


def check_premises(
    intake: Intake, versions: dict[str, int], cursor: Cursor | None, streams: int | None
) -> None:
    """Whether what the intake rests on holds under the lock. Errors: PremiseMoved."""
    if intake.streams not in (None, streams):
        raise PremiseMoved("a stream has been opened meanwhile")
    for stream_id, version in intake.premises.items():
        if versions.get(stream_id, 0) != version:
            raise PremiseMoved(f"stream {stream_id} has moved on")
    if intake.cursor is None:
        return
    before, _ = intake.cursor
    known = cursor or Cursor(before.device, before.epoch)
    if known != before:
        raise PremiseMoved(f"the chain of device {before.device} has moved on")


def newly_appended(answer: Appended | LedgerError) -> Appended:
    """What was appended. Errors: PremiseMoved if its entries are not new any more; its refusal."""
    if isinstance(answer, Conflict) or (isinstance(answer, Appended) and answer.duplicate):
        raise PremiseMoved("an entry has been recorded meanwhile, or its stream has moved on")
    if isinstance(answer, LedgerError):
        raise answer
    return answer


def parked_disclosures(
    log_id: str, journal_id: int, disclosures: Sequence[bytes]
) -> list[KeptDisclosure]:
    """The rows that keep a parked draft's disclosures until it is accepted."""
    rows = {}
    for raw in disclosures:
        mark = commitment_of(raw)
        name = name_of_disclosure(raw)
        rows[mark] = KeptDisclosure(log_id, mark, -journal_id, name, JOURNAL, raw)
    return list(rows.values())


OutcomeRow = tuple[str, int, str, str | None, int | None, int | None]
"""Log, number in the journal, outcome, reason, global position, stream version."""


def outcome_rows(intake: Intake, first: int, appended: Sequence[Appended]) -> list[OutcomeRow]:
    """Rows of `journal_outcome`, for verdicts numbered from `first`."""
    places = {event.entry_id: event.global_position for unit in appended for event in unit.events}
    return [
        (
            intake.log_id,
            first + at,
            verdict.outcome.value,
            None if verdict.reason is None else verdict.reason.value,
            places[verdict.submitted.entry_id] if verdict.outcome is Outcome.ACCEPTED else None,
            verdict.stream_version,
        )
        for at, verdict in enumerate(intake.verdicts)
    ]
