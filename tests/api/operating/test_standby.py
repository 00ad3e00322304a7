"""A streaming standby of PostgreSQL has what was acknowledged, and goes on once promoted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import migrations
from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring
from events.payloads.access import Role
from events.store.fsck import fsck
from tests.conftest import PostgresServer, _postgres_bins, _runs

pytestmark = pytest.mark.gate


def standby_of(primary: PostgresServer, bin_folder: Path) -> PostgresServer:
    """A server made from another one's base backup, which then follows it."""
    standby = PostgresServer(bin_folder)
    standby.program(
        "pg_basebackup",
        *("-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres"),
        *("-D", str(standby.data), "-R", "-X", "stream", "-c", "fast", "--no-sync"),
    )
    standby.run("hot_standby=on")
    return standby


@pytest.fixture
def pair(require) -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """A primary that acknowledges what its standby has, and that standby."""
    bin_folder = next((one for one in _postgres_bins() if _runs(one)), None)
    require(
        bin_folder is not None and (bin_folder / "pg_basebackup").exists(),
        "there are no PostgreSQL programs (TABULARIUM_TEST_PG_BIN)",
    )
    assert bin_folder is not None
    primary = PostgresServer(bin_folder)
    primary.start()
    standby = None
    try:
        primary.execute("CREATE DATABASE hall")
        migrations.upgrade(primary.url("hall"))
        standby = standby_of(primary, bin_folder)
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        yield primary, standby
    finally:
        primary.stop()
        if standby is not None:
            standby.stop()


def test_a_standby_has_every_acknowledged_entry_and_goes_on(
    pair: tuple[PostgresServer, PostgresServer], tmp_path: Path
) -> None:
    primary, standby = pair
    keyring = Keyring(tmp_path / "keys")
    archive = open_archive(primary.url("hall"), keyring=keyring)
    archive.open_tournament("club", "Club night")
    granted = [archive.grant(Role.SCRIBE, log_id="club")[1] for _ in range(20)]
    assert archive.signing is not None
    archive.signing.keep_all()
    head = archive.store.log_head("club")
    primary.crash()
    with contextlib.suppress(Exception):
        archive.close()

    # All that it received is replayed before it accepts anything itself.
    standby.execute("SELECT pg_promote(true, 60)")
    gone_on: Archive = open_archive(standby.url("hall"), keyring=keyring)
    try:
        assert gone_on.store.held == {}
        assert gone_on.store.log_head("club") == head
        assert {row.entry_id for row in gone_on.store.read_log("club")} >= set(granted)
        gone_on.grant(Role.SCRIBE, log_id="club")
        assert gone_on.store.log_head("club").size == head.size + 1
        assert fsck(gone_on.store, signed=keyring).clean
    finally:
        gone_on.close()
