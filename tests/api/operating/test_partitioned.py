"""Logs on two PostgreSQL servers, one list over both: if one dies, the other's logs go on."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

import migrations
from events.errors import StoreFailed
from events.store.fsck import fsck
from events.store.opening import open_store
from tests.conftest import PostgresServer, Require, _postgres_bins, _runs

pytestmark = pytest.mark.gate


@pytest.fixture
def halls(require: Require) -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """Two servers, each with an archive of its own."""
    bin_folder = next(filter(_runs, _postgres_bins()), None)
    require(bin_folder is not None, "there are no PostgreSQL programs (TABULARIUM_TEST_PG_BIN)")
    assert bin_folder is not None

    found = bin_folder.parent.rglob("postgres_fdw.control")
    require(any(found), "PostgreSQL comes without postgres_fdw")
    servers = (PostgresServer(bin_folder), PostgresServer(bin_folder))
    try:
        for server in servers:
            server.start()
            server.execute("CREATE DATABASE hall")
            migrations.upgrade(server.url("hall"))
        yield servers
    finally:
        for server in servers:
            server.stop()


SHARED = """
CREATE EXTENSION postgres_fdw;
CREATE SERVER east FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host '127.0.0.1', port '{port}', dbname 'hall', connect_timeout '5');
CREATE USER MAPPING FOR CURRENT_USER SERVER east OPTIONS (user 'postgres');
CREATE SCHEMA east;
IMPORT FOREIGN SCHEMA public LIMIT TO (log_head, event) FROM SERVER east INTO east;
CREATE VIEW every_log AS
  SELECT 'west' AS server, log_id, size FROM public.log_head
  UNION ALL SELECT 'east', log_id, size FROM east.log_head;
"""


def listed(server: PostgresServer) -> list[tuple[str, str, int]]:
    with psycopg.connect(server.url("hall"), autocommit=True) as db:
        return db.execute("SELECT server, log_id, size FROM every_log ORDER BY 1, 2").fetchall()


def test_one_list_is_over_both_and_the_one_goes_on_without_the_other(
    halls: tuple[PostgresServer, PostgresServer], make_draft
) -> None:
    west, east = halls
    west.execute(SHARED.format(port=east.port), database="hall")
    here, there = open_store(west.url("hall")), open_store(east.url("hall"))
    try:
        here.open_log("cup")
        there.open_log("league")
        here.append("cup", "m", [make_draft()])
        there.append("league", "m", [make_draft(), make_draft()])
        assert listed(west) == [("east", "league", 2), ("west", "cup", 1)]

        east.crash()
        with pytest.raises(psycopg.Error):
            listed(west)
        here.append("cup", "m", [make_draft()])
        assert here.log_head("cup").size == 2
        with pytest.raises(StoreFailed):
            there.append("league", "m", [make_draft()])

        east.run()
        there.append("league", "m", [make_draft()])
        assert listed(west) == [("east", "league", 3), ("west", "cup", 2)]
    finally:
        here.close()
        there.close()
    for server in halls:
        store = open_store(server.url("hall"), read_only=True)
        assert fsck(store).clean
        store.close()
