"""Everything the ledger can refuse, as one tree of exceptions.

    LedgerError
    ├── BadInput                  what was sent cannot be an entry
    │   ├── NotCanonical          the JSON has a float, a duplicate key, a lone surrogate ...
    │   ├── UnknownTag            no such tag, or no such schema version of it
    │   ├── BadBody               the body is not of the tag's shape
    │   ├── BadIdentifier         a log, stream or entry id that is none
    │   ├── TooLarge              an entry above 65,535 sealed bytes, or a batch above the limit
    │   └── BadNote               a key, a signed note or a proof that does not have the form of one
    ├── Conflict                  what was sent is well formed, and too late or twice
    │   ├── ExpectedVersionMismatch
    │   ├── EntryIdReused         a known entry id with other bytes: a security alarm
    │   └── MixedBatch            some ids of the batch are known, some are not
    ├── NotFound
    │   ├── NoArchive             no database, or one without a ledger
    │   ├── NoSuchLog
    │   ├── NoSuchStream
    │   └── NoSuchEntry
    ├── LogExists
    ├── OutcomeUnknown            the commit itself failed: send the same bytes again
    ├── StoreBusy                 the queue is full, or another process is writing
    ├── StoreFailed               the database could not take it, and has not: disk full ...
    ├── RolledBack                a log is not what was signed of it: a backup stands in its place
    ├── Unverified                what was to be proved is not: a signature or a path does not fit
    └── Damaged                   stored bytes do not say what their hashes say

A refusal is raised; an irregularity at the board is never one of these: it is a finding.
"""

from __future__ import annotations


class LedgerError(Exception):
    """Root of all refusals; `str()` of one says what was wrong and what to do."""


class BadInput(LedgerError):
    """What was sent cannot be an entry; `where` names the member, as a path: `$.body.dice`."""

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message if where is None else f"{message} - at {where}")
        self.message = message
        self.where = where


class NotCanonical(BadInput):
    """JSON outside the sealed subset: float, duplicate key, huge integer, lone surrogate ..."""


class UnknownTag(BadInput):
    """No such tag, or no such schema version of it, in the catalogue."""


class BadBody(BadInput):
    """The body does not have the shape of its tag."""


class NoEntryId(BadInput):
    """An entry comes without the id by which a retry of it would be known."""


class BadIdentifier(BadInput):
    """A log, stream or entry id that does not have the form of one."""


class TooLarge(BadInput):
    """More bytes than an entry or a batch may have."""


class BadNote(BadInput):
    """A key, a signed note, a proof or a policy that does not have the form of one (C2SP)."""


class Conflict(LedgerError):
    """Well formed, and too late or twice."""


class ExpectedVersionMismatch(Conflict):
    """The stream is not at the version (or head) that the writer expected."""

    def __init__(self, stream_id: str, *, expected: int | None, current: int) -> None:
        meant = "the head" if expected is None or expected == current else str(expected)
        super().__init__(
            f"stream {stream_id} is at version {current}, not at {meant} that was expected: "
            "read what was missed, then append again"
        )
        self.stream_id = stream_id
        self.expected = expected
        self.current = current


class PremiseMoved(Conflict):
    """Somebody else wrote between the decision and the lock; nothing was written."""


class EntryIdReused(Conflict):
    """A known entry id came back with other bytes."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(
            f"entry id {entry_id} is taken by an entry with other bytes: "
            "a new fact needs a new id, a retry the same bytes"
        )
        self.entry_id = entry_id


class MixedBatch(Conflict):
    """A batch in which some entry ids are known and some are not; nothing was appended."""

    def __init__(self, known: list[str]) -> None:
        super().__init__(
            f"{len(known)} of the batch's entry ids are recorded already and the rest are not: "
            "a retry must repeat the whole batch, a new batch must hold only new ids"
        )
        self.known = known


class NotFound(LedgerError):
    """What was asked for is not in the archive."""


class NoArchive(NotFound):
    """There is no database at the address, or it holds no ledger yet."""


class NoSuchLog(NotFound):
    """No log has this id."""


class NoSuchStream(NotFound):
    """No stream of the log has this id."""


class NoSuchEntry(NotFound):
    """No entry of the log has this id."""


class LogExists(LedgerError):
    """A log with this id is there already."""


class OutcomeUnknown(LedgerError):
    """COMMIT itself failed; whether the entries are there is unknown until they are sent again."""


class StoreBusy(LedgerError):
    """The store cannot take the unit now; try again in a moment."""


class StoreFailed(LedgerError):
    """The database could not take the unit, and has nothing of it: disk full, connection lost."""


class Unverified(LedgerError):
    """What was to be proved is not: a signature, a path or a key does not fit."""


class RolledBack(LedgerError):
    """A log does not go on from its last signed checkpoint: a backup stands in its place."""


class Damaged(LedgerError):
    """Stored bytes do not say what their hashes say; run `tabularium fsck`."""


def is_driver_fault(error: BaseException) -> bool:
    """Whether a database's driver raised it. By name: importing them all takes half a second."""
    return type(error).__module__.partition(".")[0] in ("psycopg", "sqlalchemy", "sqlite3")
