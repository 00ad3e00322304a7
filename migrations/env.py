"""How Alembic runs here: one transaction for everything, on SQLite and on PostgreSQL."""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import Connection, event, text

from events.errors import BadInput
from events.store.tables import METADATA
from migrations.scripts import engine_for

# Two servers may start on a new database at once; the second waits and finds the work done.
_ONE_AT_A_TIME = 0x7AB01A


def _url() -> str:
    given = context.config.attributes.get("url") or context.get_x_argument(True).get("db")
    if not given:
        raise BadInput("say which archive: alembic -x db=sqlite:///path ...")
    return str(given)


def _is_ledgers(name: str | None, kind: str, *_: Any) -> bool:
    """The rebuildable index lives in the same database, and is none of Alembic's business."""
    return kind != "table" or name in METADATA.tables


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        include_name=_is_ledgers,
        compare_type=True,
        transactional_ddl=True,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _ONE_AT_A_TIME})
        context.run_migrations()


def _online() -> None:
    engine = engine_for(_url())
    if engine.dialect.name == "sqlite":
        # The driver's own transactions leave DDL outside them: take them into our hands.
        @event.listens_for(engine, "connect")
        def _plain(raw: Any, _: object) -> None:
            raw.isolation_level = None
            # For a new file alone: it holds a dozen entries, where 4 kB hold six, so that appending
            # splits, checks and writes fewer pages.
            raw.execute("PRAGMA page_size=8192")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN")

    try:
        with engine.connect() as connection:
            _run(connection)
    finally:
        engine.dispose()


if context.is_offline_mode():
    raise BadInput("the guards need a connection: run the migrations online")
_online()
