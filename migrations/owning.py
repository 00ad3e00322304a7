"""Two roles on PostgreSQL: one owns the tables and migrates, the other does the archive's work."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from events.errors import BadInput
from events.store.address import CLIENT_ENCODING

INSERTED = (
    *("log_head", "stream_head", "event", "disclosure", "checkpoint", "checkpoint_token"),
    *("checkpoint_signature", "device_cursor", "journal", "journal_outcome"),
)
"""The ledger's tables: the archive's role adds rows to these."""

UPDATED = ("log_head", "stream_head", "device_cursor")
"""Those of which it may change rows too; the guards say how."""

DELETED = ("disclosure",)
"""Those of which it may delete rows: personal values have no other home."""

_MAINTAIN = 170_000
"""First PostgreSQL that lets a role vacuum a table that it does not own."""

_OWNED = """
SELECT c.relname FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND c.relname = ANY(%s)
  AND pg_has_role(current_user, c.relowner, 'USAGE')
"""
_FUNCTIONS = """
SELECT p.oid::regprocedure::text, pg_has_role(current_user, p.proowner, 'USAGE') FROM pg_proc p
WHERE starts_with(p.proname, 'tabularium_') AND p.pronamespace = 'public'::regnamespace
"""


def hand_over(owner: str, application: str) -> str:
    """Give the tables to the role of `owner`, and the role of `application` its rights on them.

    Both are addresses of the same database; the name of the second role. Errors: BadInput where
    both are one role; psycopg.Error.
    """
    with psycopg.connect(application, autocommit=True, client_encoding=CLIENT_ENCODING) as db:
        role, database = _who(db)
    with psycopg.connect(owner, client_encoding=CLIENT_ENCODING) as db:
        owning, other = _who(db)
        if owning == role:
            raise BadInput(
                f"{role} would own what it works on: the tables need a role of their own"
            )
        if other != database:
            raise BadInput(f"{owning} is led to the database {other}, and {role} to {database}")
        for name in (*INSERTED, "alembic_version"):
            _run(db, "ALTER TABLE {} OWNER TO CURRENT_USER", name)
            _run(db, "REVOKE ALL ON {} FROM {}", name, role)
            _run(db, "GRANT SELECT ON {} TO {}", name, role)
        for signature, _ in db.execute(_FUNCTIONS).fetchall():
            # Whoever owns a guard's function writes it anew.
            db.execute(f"ALTER FUNCTION {signature} OWNER TO CURRENT_USER".encode())
        for right, names in (("INSERT", INSERTED), ("UPDATE", UPDATED), ("DELETE", DELETED)):
            for name in names:
                _run(db, f"GRANT {right} ON {{}} TO {{}}", name, role)
        if db.info.server_version >= _MAINTAIN:
            for name in DELETED:
                _run(db, "GRANT MAINTAIN ON {} TO {}", name, role)
    return role


def owned_by_application(application: str) -> list[str]:
    """What of the ledger the archive's own role could drop or disarm; [] where all is well.

    Errors: psycopg.Error.
    """
    with psycopg.connect(application, autocommit=True, client_encoding=CLIENT_ENCODING) as db:
        found = [name for (name,) in db.execute(_OWNED, (list(INSERTED),)).fetchall()]
        guards = db.execute(_FUNCTIONS).fetchall()
    return sorted(found) + sorted(name for name, is_owned in guards if is_owned)


def _who(db: psycopg.Connection[Any]) -> tuple[str, str]:
    row = db.execute("SELECT current_user, current_database()").fetchone()
    assert row is not None
    return str(row[0]), str(row[1])


def _run(db: psycopg.Connection[Any], statement: str, *names: str) -> None:
    db.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
