"""Entries that are looked for by their tag throughout a log: appeals, and openings of matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_SOUGHT = sa.text("tag IN ('appeal.filed', 'match.opened')")


def upgrade() -> None:
    """Make the index; no entry is changed."""
    op.create_index(
        "event_sought",
        "event",
        ["log_id", "tag", "global_position"],
        sqlite_where=_SOUGHT,
        postgresql_where=_SOUGHT,
    )


def downgrade() -> None:
    """The entries stay as they are."""
    op.drop_index("event_sought", table_name="event")
