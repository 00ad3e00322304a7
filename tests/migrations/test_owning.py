"""On PostgreSQL the archive's role does its work and owns nothing; another role migrates."""

from __future__ import annotations

import psycopg
import pytest
from alembic import command
from typer.testing import CliRunner

import migrations
from api.cli import app
from events.errors import BadInput, StoreFailed
from events.personal import commitment_of
from events.store.fsck import fsck
from events.store.opening import open_store
from migrations.owning import INSERTED, hand_over, owned_by_application
from migrations.scripts import config


@pytest.fixture
def roles(postgres_server):
    """(address by a role that owns the database and is no superuser, by one that owns nothing)."""
    for role in ("keeper", "clerk"):
        postgres_server.execute(f"CREATE ROLE {role} LOGIN")
    postgres_server.execute("CREATE DATABASE house OWNER keeper")
    yield tuple(postgres_server.url("house", user=role) for role in ("keeper", "clerk"))
    postgres_server.execute("DROP DATABASE house WITH (FORCE)")
    for role in ("keeper", "clerk"):
        postgres_server.execute(f"DROP ROLE {role}")


def migrate(owner, application):
    """What an operator types; its output."""
    told = CliRunner().invoke(
        app, ["migrate", "--db", application], env={"TABULARIUM_OWNER_DB": owner}
    )
    assert told.exit_code == 0, told.output
    return told.output


def rights(url):
    """(table, right) of the role that this address is for."""
    with psycopg.connect(url) as db:
        rows = db.execute(
            "SELECT table_name, privilege_type FROM information_schema.role_table_grants"
            " WHERE grantee = current_user"
        ).fetchall()
    return set(rows)


def test_the_owner_migrates_and_the_archives_role_works_and_has_no_other_right(roles, make_draft):
    owner, application = roles
    assert "clerk owns none of the tables" in migrate(owner, application)
    assert migrations.current(application) == migrations.head()
    assert not migrations.upgrade(application)
    assert owned_by_application(application) == []
    expected = {(name, right) for name in INSERTED for right in ("SELECT", "INSERT")}
    expected |= {(name, "UPDATE") for name in ("log_head", "stream_head", "device_cursor")}
    expected |= {("disclosure", "DELETE"), ("alembic_version", "SELECT")}
    assert rights(application) - {("disclosure", "MAINTAIN")} == expected
    store = open_store(application)
    store.open_log("club")
    draft = make_draft(name="Ada")
    store.append("club", "m", [draft])
    assert store.erase_disclosures("club", [commitment_of(draft.disclosures[0])]) == 1
    assert not fsck(store).wrong_in_a_copy
    assert store.keep_checkpoint("club", 1, b"note")
    store.close()
    for statement in (
        "DROP TABLE event CASCADE",
        "ALTER TABLE log_head DISABLE TRIGGER ALL",
        "DROP TRIGGER event_no_change ON event",
        "CREATE OR REPLACE FUNCTION tabularium_append_only() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RETURN NEW; END $$",
        "CREATE TABLE mine (n int)",
        "DELETE FROM log_head",
        "UPDATE alembic_version SET version_num = '0001'",
        "SET session_replication_role = replica",
    ):
        with (
            psycopg.connect(application) as db,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            db.execute(statement)


def test_an_archive_that_owned_itself_is_taken_over_by_the_owner(roles, postgres_server):
    _, application = roles
    postgres_server.execute("ALTER DATABASE house OWNER TO clerk")
    assert migrations.upgrade(application)
    assert {"event", "log_head", "tabularium_append_only()"} <= set(
        owned_by_application(application)
    )
    told = CliRunner().invoke(app, ["doctor", "--db", application])
    assert "owns" in told.output
    postgres_server.execute("ALTER DATABASE house OWNER TO keeper")
    migrate(postgres_server.url("house"), application)
    assert owned_by_application(application) == []
    assert (
        "owns none of its tables" in CliRunner().invoke(app, ["doctor", "--db", application]).output
    )


def test_a_role_that_owns_nothing_does_not_migrate_and_says_who_does(roles):
    owner, application = roles
    command.upgrade(config(owner), "0004")
    with psycopg.connect(owner, autocommit=True) as db:
        db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk")
    with pytest.raises(StoreFailed, match="TABULARIUM_OWNER_DB"):
        migrations.upgrade(application)
    migrate(owner, application)
    assert migrations.current(application) == migrations.head()


def test_one_role_is_not_two_and_two_databases_are_not_one(roles, postgres_server):
    owner, application = roles
    with pytest.raises(BadInput, match="a role of their own"):
        hand_over(owner, owner)
    with pytest.raises(BadInput, match="is led to the database"):
        hand_over(postgres_server.url("postgres"), application)
