"""The journal of devices: the stream of each draft, and what finds retries and parked drafts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns and indexes; the guards of both tables are those of the first migration."""
    op.add_column("journal", sa.Column("stream_id", _ID, nullable=True))
    op.add_column("journal_outcome", sa.Column("stream_version", _NUMBER, nullable=True))
    op.create_index("journal_entry_id", "journal", ["log_id", "entry_id", "raw_sha256"])
    op.create_index(
        "journal_outcome_parked",
        "journal_outcome",
        ["log_id", "journal_id"],
        sqlite_where=sa.text("outcome = 'stream_conflict'"),
        postgresql_where=sa.text("outcome = 'stream_conflict'"),
    )


def downgrade() -> None:
    """There is no way down: it would delete what devices submitted. Restore a backup instead."""
    raise RuntimeError("this migration cannot be undone: it would delete the archive's journal")
