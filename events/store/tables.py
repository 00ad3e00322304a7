"""The ledger's tables; every key begins with `log_id`, because logs are independent.

SQLModel is here for one thing: to declare the tables once, typed, where Alembic compares them with
the migrations and a person reads them. Only migrations and tests import these classes: the store
writes and reads with the plain drivers.
`event`, `journal`, `journal_outcome` and all that begin with `checkpoint` are insert-only, guarded
by triggers that the migrations create. `disclosure` is the only home of personal values.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

METADATA = MetaData()
"""The ledger's own metadata: what is rebuildable (the index) lives elsewhere."""

# "C": ids sort as bytes whatever the server's locale, now and after its next upgrade.
_IS_SOUGHT = "tag IN ('appeal.filed', 'match.opened')"

_ID = Text().with_variant(Text(collation="C"), "postgresql")
_NUMBER = BigInteger().with_variant(Integer(), "sqlite")

_SQLITE = {"sqlite_strict": True, "sqlite_with_rowid": False}


def _key(kind: Any) -> Any:
    return Field(sa_column=Column(kind, primary_key=True, nullable=False, autoincrement=False))


def _column(kind: Any, *, nullable: bool = False, name: str | None = None, **more: Any) -> Any:
    if name is not None:
        return Field(sa_column=Column(name, kind, nullable=nullable, **more))
    return Field(sa_column=Column(kind, nullable=nullable, **more))


class LedgerTable(SQLModel):
    """Base of all rows here; keeps them in the ledger's own metadata."""

    metadata = METADATA


class LogHeadRow(LedgerTable, table=True):
    """Where a log stands; the row that every append holds locked."""

    __tablename__ = "log_head"
    __table_args__ = (_SQLITE,)

    log_id: str = _key(_ID)
    size: int = _column(_NUMBER)
    """Entries in the log = the next global position."""
    frontier: bytes = _column(LargeBinary)
    """The tree's right edge: 32 bytes for each 1 bit of `size`, largest subtree first."""


class StreamHeadRow(LedgerTable, table=True):
    """Where a stream stands; recomputed by fsck."""

    __tablename__ = "stream_head"
    __table_args__ = (_SQLITE,)

    log_id: str = _key(_ID)
    stream_id: str = _key(_ID)
    version: int = _column(_NUMBER)
    head_hash: bytes = _column(LargeBinary)
    """Leaf hash of the last entry."""
    state: str = _column(Text, server_default="open")
    """`open`; the place for streams that take no more entries."""


class EventRow(LedgerTable, table=True):
    """One entry: the sealed bytes, and columns that index them. Insert-only."""

    __tablename__ = "event"
    # Uniqueness per log: a partitioned table's constraints must hold the partition key.
    __table_args__ = (
        UniqueConstraint("log_id", "entry_id", name="event_entry_id"),
        UniqueConstraint("log_id", "stream_id", "version", name="event_version"),
        # One entry of a match or none: an index of every tag would be paid for by every append.
        Index(
            "event_sought",
            "log_id",
            "tag",
            "global_position",
            sqlite_where=text(_IS_SOUGHT),
            postgresql_where=text(_IS_SOUGHT),
        ),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    global_position: int = _key(_NUMBER)
    stream_id: str = _column(_ID)
    version: int = _column(_NUMBER)
    entry_id: str = _column(_ID)
    tag: str = _column(Text)
    schema_version: int = _column(Integer)
    sealed: bytes = _column(LargeBinary)
    """The truth; all other columns can be computed from it."""
    leaf_hash: bytes = _column(LargeBinary)
    draft_sha256: bytes = _column(LargeBinary)
    """Fingerprint of the draft, which held only commitments: what a retry must repeat."""


class DisclosureRow(LedgerTable, table=True):
    """A salt and the value that it hides; the only rows that may be deleted."""

    __tablename__ = "disclosure"
    # The commitment alone is the key; the position stands before it so that rows lie in the order
    # in which they are written and read. Ordered by a hash, every row would dirty its own page; so
    # only names and the like are indexed by their commitment, not the context of every entry.
    __table_args__ = (
        Index(
            "disclosure_commitment",
            "log_id",
            "commitment",
            unique=True,
            sqlite_where=text("class = 'body'"),
            postgresql_where=text("class = 'body'"),
        ),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    global_position: int = _key(_NUMBER)
    """The entry that holds the commitment."""
    commitment: str = _key(_ID)
    """Hex SHA-256 of `raw`."""
    name: str = _column(Text)
    category: str = _column(Text, name="class")
    """`context`, `body`, or `journal`: of a parked draft, at minus its journal id."""
    raw: bytes = _column(LargeBinary)
    """Canonical JSON `[salt, name, value]`."""


class CheckpointRow(LedgerTable, table=True):
    """A signed tree head (C2SP tlog-checkpoint). Insert-only."""

    __tablename__ = "checkpoint"
    __table_args__ = (
        ForeignKeyConstraint(["log_id"], ["log_head.log_id"], name="checkpoint_log"),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    size: int = _key(_NUMBER)
    note: bytes = _column(LargeBinary)
    """The signed note, verbatim."""


class CheckpointTokenRow(LedgerTable, table=True):
    """An RFC 3161 time-stamp over a checkpoint; comes later, hence its own table. Insert-only."""

    __tablename__ = "checkpoint_token"
    __table_args__ = (
        ForeignKeyConstraint(
            ["log_id", "size"], ["checkpoint.log_id", "checkpoint.size"], name="token_checkpoint"
        ),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    size: int = _key(_NUMBER)
    token: bytes = _column(LargeBinary)
    """The authority's reply, verbatim."""


class CheckpointSignatureRow(LedgerTable, table=True):
    """A further signature under a checkpoint: a witness's, or another key's. Insert-only."""

    __tablename__ = "checkpoint_signature"
    __table_args__ = (
        ForeignKeyConstraint(
            ["log_id", "size"],
            ["checkpoint.log_id", "checkpoint.size"],
            name="signature_checkpoint",
        ),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    size: int = _key(_NUMBER)
    signer: str = _key(_ID)
    """Name of the key, a plus sign, and its id in hex."""
    line: bytes = _column(LargeBinary)
    """The signature line, verbatim, without its newline."""


class DeviceCursorRow(LedgerTable, table=True):
    """How far a device's chain has been taken in; moves in the transaction of the effect."""

    __tablename__ = "device_cursor"
    __table_args__ = (_SQLITE,)

    log_id: str = _key(_ID)
    device_id: str = _key(_ID)
    epoch: int = _key(_NUMBER)
    last_seq: int = _column(_NUMBER)
    last_hash: bytes = _column(LargeBinary)


class JournalRow(LedgerTable, table=True):
    """What a device submitted, byte for byte, commitments only. Insert-only."""

    __tablename__ = "journal"
    # A retry is known by its entry id and its bytes; one id may come with several bytes, and a
    # place in a device's chain with several ids: that is a fork, and it is kept as well.
    __table_args__ = (Index("journal_entry_id", "log_id", "entry_id", "raw_sha256"), _SQLITE)

    log_id: str = _key(_ID)
    id: int = _key(_NUMBER)
    """1, 2, 3 ... in the log."""
    device: str = _column(_ID)
    epoch: int = _column(_NUMBER)
    device_seq: int = _column(_NUMBER)
    """0 where the draft could not be read."""
    entry_id: str = _column(_ID)
    """Empty where the draft could not be read."""
    raw: bytes = _column(LargeBinary)
    raw_sha256: bytes = _column(LargeBinary)
    signature: bytes = _column(LargeBinary)
    signature_state: str = _column(Text)
    """Whether the signature was good when the draft came in."""
    received_at: int = _column(_NUMBER)
    """UTC, milliseconds since 1970."""
    stream_id: str | None = _column(_ID, nullable=True)
    """Stream that the draft was meant for; none where it could not be read."""


class JournalOutcomeRow(LedgerTable, table=True):
    """What became of a submitted draft. Insert-only."""

    __tablename__ = "journal_outcome"
    # Of thousands of drafts a handful is parked: those are what a director asks for.
    __table_args__ = (
        ForeignKeyConstraint(
            ["log_id", "journal_id"], ["journal.log_id", "journal.id"], name="outcome_journal"
        ),
        Index(
            "journal_outcome_parked",
            "log_id",
            "journal_id",
            sqlite_where=text("outcome = 'stream_conflict'"),
            postgresql_where=text("outcome = 'stream_conflict'"),
        ),
        _SQLITE,
    )

    log_id: str = _key(_ID)
    journal_id: int = _key(_NUMBER)
    outcome: str = _column(Text)
    reason: str | None = _column(Text, nullable=True)
    global_position: int | None = _column(_NUMBER, nullable=True)
    """The entry that it became; none where it became none."""
    stream_version: int | None = _column(_NUMBER, nullable=True)
    """Version of its stream when it was decided; none where it could not be read."""
