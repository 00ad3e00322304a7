"""The ledger: heads, events, disclosures, checkpoints, journal, and the guards on them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Per insert-only table its unique keys: each gets an EXISTS of its own, because one EXISTS with an
# OR inside reads the whole log on every insert.
GUARDED = {
    "event": (
        ("log_id", "global_position"),
        ("log_id", "entry_id"),
        ("log_id", "stream_id", "version"),
    ),
    "checkpoint": (("log_id", "size"),),
    "checkpoint_token": (("log_id", "size"),),
    "journal": (("log_id", "id"),),
    "journal_outcome": (("log_id", "journal_id"),),
}


def _table(name: str, *parts: sa.schema.SchemaItem) -> None:
    # STRICT: without it SQLite stores text in an integer column. No rowid: the key is the tree.
    op.create_table(name, *parts, sqlite_strict=True, sqlite_with_rowid=False)


def _column(name: str, kind: Any, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=nullable, autoincrement=False)


def upgrade() -> None:
    """Make the tables and their guards."""
    _table(
        "log_head",
        _column("log_id", _ID),
        _column("size", _NUMBER),
        _column("frontier", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id"),
    )
    _table(
        "stream_head",
        _column("log_id", _ID),
        _column("stream_id", _ID),
        _column("version", _NUMBER),
        _column("head_hash", sa.LargeBinary()),
        sa.Column("state", sa.Text(), nullable=False, server_default="open"),
        sa.PrimaryKeyConstraint("log_id", "stream_id"),
    )
    _table(
        "event",
        _column("log_id", _ID),
        _column("global_position", _NUMBER),
        _column("stream_id", _ID),
        _column("version", _NUMBER),
        _column("entry_id", _ID),
        _column("tag", sa.Text()),
        _column("schema_version", sa.Integer()),
        _column("sealed", sa.LargeBinary()),
        _column("leaf_hash", sa.LargeBinary()),
        _column("draft_sha256", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id", "global_position"),
        sa.UniqueConstraint("log_id", "entry_id", name="event_entry_id"),
        sa.UniqueConstraint("log_id", "stream_id", "version", name="event_version"),
    )
    _table(
        "disclosure",
        _column("log_id", _ID),
        _column("global_position", _NUMBER),
        _column("commitment", _ID),
        _column("name", sa.Text()),
        _column("class", sa.Text()),
        _column("raw", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id", "global_position", "commitment"),
    )
    op.create_index(
        "disclosure_commitment",
        "disclosure",
        ["log_id", "commitment"],
        unique=True,
        sqlite_where=sa.text("class = 'body'"),
        postgresql_where=sa.text("class = 'body'"),
    )
    _table(
        "checkpoint",
        _column("log_id", _ID),
        _column("size", _NUMBER),
        _column("note", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id", "size"),
        sa.ForeignKeyConstraint(["log_id"], ["log_head.log_id"], name="checkpoint_log"),
    )
    _table(
        "checkpoint_token",
        _column("log_id", _ID),
        _column("size", _NUMBER),
        _column("token", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id", "size"),
        sa.ForeignKeyConstraint(
            ["log_id", "size"], ["checkpoint.log_id", "checkpoint.size"], name="token_checkpoint"
        ),
    )
    _table(
        "device_cursor",
        _column("log_id", _ID),
        _column("device_id", _ID),
        _column("epoch", _NUMBER),
        _column("last_seq", _NUMBER),
        _column("last_hash", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("log_id", "device_id", "epoch"),
    )
    _table(
        "journal",
        _column("log_id", _ID),
        _column("id", _NUMBER),
        _column("device", _ID),
        _column("epoch", _NUMBER),
        _column("device_seq", _NUMBER),
        _column("entry_id", _ID),
        _column("raw", sa.LargeBinary()),
        _column("raw_sha256", sa.LargeBinary()),
        _column("signature", sa.LargeBinary()),
        _column("signature_state", sa.Text()),
        _column("received_at", _NUMBER),
        sa.PrimaryKeyConstraint("log_id", "id"),
    )
    _table(
        "journal_outcome",
        _column("log_id", _ID),
        _column("journal_id", _NUMBER),
        _column("outcome", sa.Text()),
        _column("reason", sa.Text(), nullable=True),
        _column("global_position", _NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("log_id", "journal_id"),
        sa.ForeignKeyConstraint(
            ["log_id", "journal_id"], ["journal.log_id", "journal.id"], name="outcome_journal"
        ),
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    for table, keys in GUARDED.items():
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        # INSERT OR REPLACE skips the DELETE trigger unless a connection sets recursive_triggers;
        # this one holds for every connection, and refuses OR IGNORE and ON CONFLICT as well.
        exists = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} e WHERE "
            + " AND ".join(f"e.{column} = NEW.{column}" for column in key)
            + ")"
            for key in keys
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} "
            f"BEGIN SELECT RAISE(ABORT, '{table} exists'); END"
        )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION tabularium_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME "
        "USING ERRCODE = 'restrict_violation'; END $$"
    )
    for table in GUARDED:
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION tabularium_append_only()"
        )
        # Not cloned to partitions: should a table be partitioned one day, each needs its own.
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION tabularium_append_only()"
        )


def downgrade() -> None:
    """There is no way down: it would delete the archive. Restore a backup instead."""
    raise RuntimeError("the first migration cannot be undone: it would delete the archive")
