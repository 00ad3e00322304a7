"""Signatures under a checkpoint that come later: of witnesses, of a key that follows another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_TABLE = "checkpoint_signature"


def upgrade() -> None:
    """Make the table, insert-only like those of the first migration."""
    op.create_table(
        _TABLE,
        sa.Column("log_id", _ID, nullable=False),
        sa.Column("size", _NUMBER, nullable=False),
        sa.Column("signer", _ID, nullable=False),
        sa.Column("line", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("log_id", "size", "signer"),
        sa.ForeignKeyConstraint(
            ["log_id", "size"],
            ["checkpoint.log_id", "checkpoint.size"],
            name="signature_checkpoint",
        ),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {_TABLE}_no_change BEFORE UPDATE OR DELETE ON {_TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION tabularium_append_only()"
        )
        op.execute(
            f"CREATE TRIGGER {_TABLE}_no_truncate BEFORE TRUNCATE ON {_TABLE} "
            "FOR EACH STATEMENT EXECUTE FUNCTION tabularium_append_only()"
        )
        return
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {_TABLE}_no_{act.lower()} BEFORE {act} ON {_TABLE} "
            f"BEGIN SELECT RAISE(ABORT, '{_TABLE} is append-only'); END"
        )
    op.execute(
        f"CREATE TRIGGER {_TABLE}_no_replace BEFORE INSERT ON {_TABLE} WHEN EXISTS "
        f"(SELECT 1 FROM {_TABLE} e WHERE e.log_id = NEW.log_id AND e.size = NEW.size"
        f" AND e.signer = NEW.signer) BEGIN SELECT RAISE(ABORT, '{_TABLE} exists'); END"
    )


def downgrade() -> None:
    """There is no way down: it would delete what witnesses signed. Restore a backup instead."""
    raise RuntimeError("this migration cannot be undone: it would delete signatures")
