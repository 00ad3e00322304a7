"""Guards on the heads of logs and streams: they name the last entry, and only go forward."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# A head says no more than what the rows of `event` say, so the guard asks these: the entry that it
# names is there, and none lies behind it. By key: two lookups for a head that moves.
_LOG_NAMES_ITS_LAST = (
    "EXISTS (SELECT 1 FROM event e WHERE e.log_id = NEW.log_id"
    " AND e.global_position = NEW.size - 1)"
    " AND NOT EXISTS (SELECT 1 FROM event e WHERE e.log_id = NEW.log_id"
    " AND e.global_position = NEW.size)"
)
_STREAM_NAMES_ITS_LAST = (
    "EXISTS (SELECT 1 FROM event e WHERE e.log_id = NEW.log_id AND e.stream_id = NEW.stream_id"
    " AND e.version = NEW.version AND e.leaf_hash = NEW.head_hash)"
    " AND NOT EXISTS (SELECT 1 FROM event e WHERE e.log_id = NEW.log_id"
    " AND e.stream_id = NEW.stream_id AND e.version = NEW.version + 1)"
)
_LOG_MOVES = f"NEW.log_id = OLD.log_id AND NEW.size > OLD.size AND {_LOG_NAMES_ITS_LAST}"
_STREAM_MOVES = (
    "NEW.log_id = OLD.log_id AND NEW.stream_id = OLD.stream_id"
    f" AND NEW.version > OLD.version AND {_STREAM_NAMES_ITS_LAST}"
)


def upgrade() -> None:
    """Add the guards; no row is changed."""
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    for table, begins, moves in (
        # REPLACE skips the DELETE trigger unless a connection sets recursive_triggers: an empty
        # head put over a log that has entries is told by these.
        (
            "log_head",
            "NEW.size = 0 AND NEW.frontier = x'' AND NOT EXISTS"
            " (SELECT 1 FROM event e WHERE e.log_id = NEW.log_id AND e.global_position = 0)",
            _LOG_MOVES,
        ),
        ("stream_head", _STREAM_NAMES_ITS_LAST, _STREAM_MOVES),
    ):
        for act, holds in (("INSERT", begins), ("UPDATE", moves)):
            op.execute(
                f"CREATE TRIGGER {table}_no_{'replace' if act == 'INSERT' else 'step_back'}"
                f" BEFORE {act} ON {table} WHEN NOT ({holds})"
                f" BEGIN SELECT RAISE(ABORT, '{table} only goes forward'); END"
            )
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} only goes forward'); END"
        )


def _guard_postgresql() -> None:
    for table, begins, moves in (
        ("log_head", "NEW.size = 0 AND NEW.frontier = ''", _LOG_MOVES),
        ("stream_head", _STREAM_NAMES_ITS_LAST, _STREAM_MOVES),
    ):
        op.execute(
            f"CREATE FUNCTION tabularium_{table}_goes_forward() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN IF TG_OP = 'INSERT' THEN IF {begins} THEN RETURN NEW; END IF;"
            f" ELSIF TG_OP = 'UPDATE' THEN IF {moves} THEN RETURN NEW; END IF; END IF;"
            " RAISE EXCEPTION '% only goes forward', TG_TABLE_NAME"
            " USING ERRCODE = 'restrict_violation'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE INSERT OR UPDATE OR DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION tabularium_{table}_goes_forward()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION tabularium_{table}_goes_forward()"
        )


def downgrade() -> None:
    """The rows stay as they are; what guards them is not taken away."""
    raise RuntimeError("this migration cannot be undone: it would delete the guards of heads")
