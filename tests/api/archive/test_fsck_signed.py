"""fsck compares signed checkpoints with the entries: a false or forged checkpoint is found."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.cli import app
from events.payloads.access import Role
from events.sealing.notes import Checkpoint, SigningKey
from events.store.fsck import FsckReport, fsck

LOG = "open"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "club.db"


@pytest.fixture
def archive(path: Path) -> Iterator[Archive]:
    """A log of five entries, a checkpoint kept after each of the last four."""
    url = f"sqlite:///{path}"
    made = open_archive(url, keyring=Keyring(keys_folder(url)))
    made.open_tournament(LOG, "Lantern Open")
    assert made.signing is not None
    for _ in range(4):
        made.grant(Role.VIEWER, log_id=LOG)
        made.signing.keep(LOG)
    yield made
    made.close()


def audited(archive: Archive) -> FsckReport:
    assert archive.signing is not None
    return fsck(archive.store, signed=archive.signing.keyring)


def found(archive: Archive) -> list[tuple[str, str]]:
    return [(one.code, one.message) for one in audited(archive).findings]


def keep(archive: Archive, size: int, *, root: bytes, signer: SigningKey | None = None) -> None:
    """Another checkpoint of a size in the place of the kept one, signed by the log unless named."""
    assert archive.signing is not None
    signer = signer or archive.signing.keyring.signers(LOG)[0]
    text = Checkpoint(signer.verifier.name, size, root).text
    note = f"{text}\n{signer.sign(text)}\n".encode()
    db = sqlite3.connect(archive.url.removeprefix("sqlite:///"))
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute(
        "INSERT OR REPLACE INTO checkpoint (log_id, size, note) VALUES (?, ?, ?)", (LOG, size, note)
    )
    db.commit()
    db.close()


def test_what_was_signed_of_the_log_is_clean(archive: Archive) -> None:
    assert archive.store.checkpoint_sizes(LOG) == [2, 3, 4, 5]
    assert found(archive) == []


def test_what_was_signed_of_a_log_without_entries_is_clean_before_and_after_its_first(
    archive: Archive,
) -> None:
    assert archive.signing is not None
    archive.store.open_log("bare")
    archive.log_key("bare")
    archive.signing.keep("bare")
    assert archive.store.checkpoint_sizes("bare") == [0]
    assert found(archive) == []
    archive.open_tournament("bare", "Begun late")
    archive.signing.keep("bare")
    assert archive.store.checkpoint_sizes("bare") == [0, 1]
    assert found(archive) == []


def test_a_checkpoint_of_other_entries_is_found_though_the_log_has_signed_it(
    archive: Archive,
) -> None:
    keep(archive, 3, root=bytes(32))
    assert found(archive) == [("checkpoint", "the checkpoint of 3 entries is not of these entries")]


def test_a_checkpoint_beyond_the_end_is_found(archive: Archive) -> None:
    keep(archive, 9, root=bytes(32))
    assert found(archive) == [("checkpoint", "a checkpoint of 9 entries is kept; the log holds 5")]


def test_a_checkpoint_that_somebody_else_has_signed_is_found(archive: Archive) -> None:
    assert archive.signing is not None
    [key] = archive.signing.keyring.verifiers(LOG)
    root = archive.store.log_head(LOG).root
    keep(archive, 5, root=root, signer=SigningKey(key.name, bytes(32)))
    [(code, message)] = found(archive)
    assert code == "checkpoint-signature"
    assert "no signature by" in message
    # Without keys nobody can say whose it is.
    assert fsck(archive.store).clean


def test_garbage_in_the_place_of_a_checkpoint_is_found(archive: Archive) -> None:
    keep(archive, 4, root=bytes(31))
    [(code, message)] = found(archive)
    assert (code, "a hash has 32" in message) == ("checkpoint-signature", True)


def test_an_older_copy_and_an_archive_without_the_log_are_found(
    archive: Archive, path: Path, tmp_path: Path
) -> None:
    signing = archive.signing
    assert signing is not None
    archive.close()
    older = open_archive(f"sqlite:///{tmp_path / 'older.db'}")
    for fill in ((), (LOG,)):
        for log_id in fill:
            older.open_tournament(log_id, "Another one")
        report = fsck(older.store, signed=signing.keyring)
        codes = {(one.code, one.log_id) for one in report.findings}
        assert ("rolled-back", LOG) in codes
        assert codes <= {("rolled-back", LOG), ("rolled-back", "archive")}
    for _ in range(6):
        older.grant(Role.VIEWER, log_id=LOG)
    messages = [one.message for one in fsck(older.store, signed=signing.keyring).findings]
    assert "the first 5 entries are not those that were signed last" in messages
    older.close()


def test_the_command_tells_it_with_its_meaning(archive: Archive, path: Path) -> None:
    archive.close()
    url = f"sqlite:///{path}"
    clean = CliRunner().invoke(app, ["fsck", "--db", url])
    assert clean.exit_code == 0, clean.output
    other = open_archive(f"{url}.older")
    other.close()
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.copy(f"{path}.older", path)
    told = CliRunner().invoke(app, ["fsck", "--db", url])
    assert told.exit_code == 1
    assert "rolled-back: log open" in told.output
    assert "another copy stands in its place" in " ".join(told.output.split())
