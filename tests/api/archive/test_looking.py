"""Every minute, as at a start, the archive is compared with what is stored outside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring, SignedEdge, keys_folder
from api.archive.signing import Signing
from api.evidence.ticking import ticking
from api.settings import Settings
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.errors import RolledBack
from events.payloads.access import Role
from events.payloads.tournament import TournamentOpened
from events.store.opening import open_store

LOG = "open"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "club.db"


@pytest.fixture
def other_disk(tmp_path: Path) -> Path:
    return tmp_path / "other-disk"


def opened(path: Path, other_disk: Path | None = None) -> Archive:
    url = f"sqlite:///{path}"
    return open_archive(url, keyring=Keyring(keys_folder(url), checkpoints=other_disk))


def signing_of(archive: Archive) -> Signing:
    assert archive.signing is not None
    return archive.signing


@pytest.fixture
def archive(path: Path, other_disk: Path) -> Iterator[Archive]:
    made = opened(path, other_disk)
    made.open_tournament(LOG, "Lantern Open")
    signing_of(made).keep_grown()
    yield made
    made.close()


def grown(archive: Archive) -> SignedEdge:
    """The log after one entry more, signed."""
    archive.grant(Role.VIEWER, log_id=LOG)
    signing_of(archive).keep_grown()
    edge = signing_of(archive).covered(LOG)
    assert edge is not None
    return edge


def test_a_write_ahead_log_that_is_gone_at_the_start_is_told_before_anything_is_recorded(
    archive: Archive, path: Path, tmp_path: Path
) -> None:
    grown(archive)
    # As a killed server leaves it, and somebody deletes what looks like rubbish beside the file.
    copy = tmp_path / "copy"
    shutil.copytree(path.parent, copy, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
    with pytest.raises(RolledBack, match="was signed, and is not here"):
        opened(copy / path.name)


def test_a_whole_disk_that_is_restored_is_told_by_the_checkpoint_on_the_other(
    archive: Archive, path: Path, tmp_path: Path, other_disk: Path
) -> None:
    archive.close()
    # Database and keys together, as a backup of the disk has them.
    older = shutil.copytree(path.parent, tmp_path / "backup")
    again = opened(path, other_disk)
    size = grown(again).size
    again.close()
    shutil.rmtree(path.parent)
    shutil.copytree(older, path.parent)
    for folder, held in ((None, set()), (other_disk, {LOG})):
        restored = opened(path, folder)
        assert set(restored.store.held) == held
        restored.close()
    shutil.rmtree(keys_folder(f"sqlite:///{path}"))
    with contextlib.closing(open_store(str(path), read_only=True)) as store:
        without_keys = Signing(store, Keyring(path.parent / "none", checkpoints=other_disk))
        assert [one.log_id for one in without_keys.check()] == [LOG]
        assert f"and {size} were signed" in without_keys.check()[0].why


def test_the_second_home_holds_no_private_key(archive: Archive, other_disk: Path) -> None:
    names = {file.name for file in other_disk.iterdir()}
    assert names == {f"{log}.{kind}" for log in (ARCHIVE_LOG, LOG) for kind in ("pub", "signed")}


def test_a_checkpoint_that_is_taken_away_or_older_is_put_back(
    archive: Archive, other_disk: Path
) -> None:
    signing = signing_of(archive)
    homes = [signing.keyring.folder, other_disk]
    before = [(home / f"{LOG}.signed").read_bytes() for home in homes]
    edge = grown(archive)
    for fault in ("older", "gone"):
        for home, old in zip(homes, before, strict=True):
            file = home / f"{LOG}.signed"
            file.write_bytes(old) if fault == "older" else file.unlink()
        signing.look()
        for home in homes:
            found = signing.keyring._signed_at(LOG, home / f"{LOG}.signed")
            assert found is not None
            assert found.size == edge.size
    assert not archive.store.held


def test_a_checkpoint_that_is_gone_or_changed_at_the_start_is_told(
    archive: Archive, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archive.close()
    signed = path.with_name(f"{path.name}.keys") / f"{LOG}.signed"
    opened(path).close()
    assert caplog.messages == []
    said = signed.read_bytes()
    signed.unlink()
    opened(path).close()
    [told] = caplog.messages
    assert told.startswith(f"what was signed before is not in {signed.parent}, as it is after a ")
    assert f"({LOG} at " in told
    signed.write_bytes(bytes([said[0] ^ 1]) + said[1:])
    again = opened(path)
    assert "Put the file back from a copy" in str(again.store.why_held(LOG))
    again.close()


def test_where_no_checkpoint_came_along_it_is_told_in_one_line(
    archive: Archive, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As after every restore: a warning for each log looks as if something were wrong with it."""
    archive.open_tournament("second", "Second")
    signing_of(archive).keep_all()
    archive.close()
    keys = path.with_name(f"{path.name}.keys")
    for signed in keys.glob("*.signed"):
        signed.unlink()
    opened(path).close()
    [told] = caplog.messages
    assert f"{LOG} at " in told
    assert "second at " in told
    caplog.clear()
    opened(path).close()
    assert caplog.messages == []


def test_what_was_signed_elsewhere_of_a_longer_log_holds_it_without_an_append(
    archive: Archive, path: Path, tmp_path: Path
) -> None:
    # Another server has continued from here: this one is behind, and does not know it.
    signing = signing_of(archive)
    ahead = tmp_path / "ahead"
    archive.close()
    shutil.copytree(path.parent, ahead)
    behind, further = opened(path), opened(ahead / path.name)
    edge = grown(further)
    further.close()
    behind.signing.keyring.keep_signed(LOG, edge)  # type: ignore[union-attr]
    signing = signing_of(behind)
    signing.look()
    assert f"and {edge.size} were signed" in str(behind.store.why_held(LOG))
    behind.close()


async def test_an_archive_that_is_replaced_is_told_without_an_append(
    archive: Archive, path: Path, tmp_path: Path
) -> None:
    shutil.copy(path, tmp_path / "older.db")
    os.replace(tmp_path / "older.db", path)
    signing_of(archive).look()
    assert "was replaced or moved" in str(archive.store.why_held("anything"))
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url), index=index)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        ill = await http.get("/health")
    index.close()
    told = {one["name"]: one["detail"] for one in ill.json()["checks"] if one["status"] != "ok"}
    assert (ill.status_code, told["write"]) == (503, "nothing can be written: RolledBack")


async def test_it_is_done_while_a_server_runs(archive: Archive, path: Path) -> None:
    lock = path.with_name(f"{path.name}.lock")
    lock.unlink()
    async with ticking(archive, every_s=60, look_every_s=0):
        while not lock.exists():
            await asyncio.sleep(0)
    assert lock.exists()


async def test_health_and_a_new_log_say_what_became_of_a_log_that_is_held(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.routes.shared.soundness.KEPT_S", 0.0)
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url), index=index)
    token, _ = archive.grant(Role.ARCHIVIST)
    signing_of(archive).keep_grown()
    bearer = {"Authorization": f"Bearer {token}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        well = await http.get("/health")
        assert (well.status_code, well.json()["status"]) == (200, "ok")
        body = {"title": "Lantern Open", "log_id": "again", "continues": LOG}
        early = await http.post("/logs", json=body, headers=bearer)
        assert (early.status_code, early.json()["where"]) == (422, "$.continues")
        archive.store.hold(LOG, "an older copy stands in its place")
        ill = await http.get("/health")
        assert ill.status_code == 503
        assert {"logs"} == {one["name"] for one in ill.json()["checks"] if one["status"] != "ok"}
        made = await http.post("/logs", json=body, headers=bearer)
        assert made.status_code == 201, made.text
        nowhere = await http.post(
            "/logs", json={**body, "log_id": "c", "continues": "nowhere"}, headers=bearer
        )
        assert nowhere.status_code == 422
    [first, *_] = archive.reading.live("again", TOURNAMENT_STREAM).recorded
    assert isinstance(first.payload, TournamentOpened)
    last = signing_of(archive).keyring.last_checkpoint(LOG)
    assert first.payload.continues is not None
    assert last is not None
    told = first.payload.continues
    assert (told.log, told.size, told.root) == (LOG, last.size, last.root.hex())
    index.close()
