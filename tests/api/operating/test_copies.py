"""Backup, restore and copy by command: all parts, checked, and nothing over what must not go."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command as alembic

from api.archive.archive import open_archive
from api.archive.files import FileStore, folder_of
from api.archive.keyring import Keyring, keys_folder
from api.operating import copies
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import Role
from events.payloads.custody import DisclosureErased
from events.personal import commitment_of
from events.store.address import url_of
from events.store.lock import WriterLock
from events.store.tables import METADATA
from migrations.scripts import config
from tests.api.commands.conftest import Run
from tests.api.operating.conftest import opened, photo_of


def sealed_of(url: str) -> dict[str, list[tuple[int, str, bytes]]]:
    """Every log with global position, entry id and sealed bytes of its entries."""
    archive = open_archive(url, read_only=True)
    try:
        return {
            head.log_id: [
                (one.global_position, one.entry_id, one.sealed)
                for one in archive.store.read_log(head.log_id)
            ]
            for head in archive.store.logs()
        }
    finally:
        archive.close()


def test_a_backup_comes_back_as_it_was(run: Run, archive_url: str, database: Path, tmp_path: Path):
    before, safe = sealed_of(archive_url), tmp_path / "safe"
    [told] = run("backup", safe, "--keys", "--json").lines
    assert told["logs"] == {log: len(entries) for log, entries in before.items()}
    assert (told["files"], told["findings"], told["checked"]) == (1, [], True)
    assert safe.stat().st_mode & 0o077 == 0
    kept = [path for path in safe.rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert not [path for path in kept if path.stat().st_mode & 0o077]
    shutil.rmtree(database.parent)
    [back] = run("restore", safe, "--json").lines
    assert back["added"] == sum(map(len, before.values()))
    assert sealed_of(archive_url) == before
    run("fsck")
    archive = opened(archive_url)
    assert archive.store.held == {}
    assert archive.signing is not None
    assert archive.signing.keep_all() is None
    # The operator's token is that of before, and so is the key that signs.
    assert archive.operator_token() == (safe / "operator").read_text().strip()
    archive.close()
    assert sealed_of(archive_url) == before
    photo = hashlib.sha256(b"a photo").hexdigest()
    kept = FileStore(folder_of(archive_url, tmp_path), lambda: 0).find("imports", photo)
    assert kept is not None
    assert (kept.path.read_bytes(), kept.media_type) == (b"a photo", "image/png")


def test_an_archive_of_another_release_is_left_as_it_is_and_its_way_back_named(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        assert db.execute("UPDATE alembic_version SET version_num = '0002'").rowcount == 1
    refused = run("backup", tmp_path / "safe", exit_code=2)
    # Started once it is of this release for good, and nothing here has kept it as it was.
    assert "copy the database as it is" in " ".join(refused.err.split())
    assert not (tmp_path / "safe").exists()
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)


@pytest.mark.parametrize("revision", ["0003", "0004"])
def test_a_backup_of_an_earlier_release_is_restored_and_stays_as_it_was(
    run: Run, archive_url: str, database: Path, tmp_path: Path, revision: str
) -> None:
    before, safe = sealed_of(archive_url), tmp_path / "safe"
    run("backup", safe, "--keys")
    earlier, ledger = tmp_path / "earlier.sqlite", safe / "ledger.sqlite"
    alembic.upgrade(config(url_of(earlier)), revision)
    with closing(sqlite3.connect(earlier)) as db, db:
        db.execute("ATTACH ? AS later", (str(ledger),))
        for table in METADATA.tables:
            db.execute(f"INSERT INTO {table} SELECT * FROM later.{table}")
    shutil.copy(earlier, ledger)
    shutil.rmtree(database.parent)
    # As a restore that was killed has left it.
    left = database.parent / f".tabularium-{'0a' * 8}.unfinished"
    left.mkdir(parents=True)
    shutil.copy(ledger, left)
    [back] = run("restore", safe, "--json").lines
    assert back["added"] == sum(map(len, before.values()))
    assert sealed_of(archive_url) == before
    run("fsck")
    assert ledger.read_bytes() == earlier.read_bytes()
    assert not list(database.parent.glob(".tabularium-*"))


@pytest.mark.parametrize("command", ["backup", "copy", "fsck", "doctor", "migrate"])
def test_nobody_is_sent_on_with_an_archive_of_a_later_release(
    run: Run, archive_url: str, database: Path, tmp_path: Path, command: str
) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        assert db.execute("UPDATE alembic_version SET version_num = '9999'").rowcount == 1
    rest = {
        "backup": [tmp_path / "safe"],
        "copy": ["--from", archive_url, "--to", f"sqlite:///{tmp_path / 'copy.sqlite'}"],
    }
    refused = run(command, *rest.get(command, []), exit_code=1 if command == "fsck" else 2)
    told = " ".join((refused.out + refused.err).split())
    assert "which a later release has made" in told
    assert "tabularium migrate" not in told


def test_a_second_backup_takes_what_is_new_and_loses_what_was_erased(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
):
    safe = tmp_path / "safe"
    second = photo_of(archive_url, b"another photo", tmp_path / "files")
    run("backup", safe)
    run("grant", "--role", "viewer", "--log", "imports")
    run("erase", "Ida Berg", "--yes")
    archive = opened(archive_url)
    erased = DisclosureErased(commitments=(second.name,))
    archive.append("imports", TOURNAMENT_STREAM, [archive.draft(erased)])
    archive.close()
    second.unlink()
    [told] = run("backup", safe, "--json").lines
    assert told["added"] >= 2
    assert (told["erased"] > 0, told["files_removed"]) == (True, 1)
    assert not [
        path for path in safe.rglob("*") if path.is_file() and b"Ida Berg" in path.read_bytes()
    ]
    assert sealed_of(f"sqlite:///{safe / 'ledger.sqlite'}") == sealed_of(archive_url)


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_backup_keeps_the_files_that_the_archive_has_lost(
    run: Run, archive_url: str, tmp_path: Path, how: str
) -> None:
    safe, folder = tmp_path / "safe", folder_of(archive_url, tmp_path / "files")
    run("backup", safe)
    assert folder is not None
    # As where the disk that they lie on is not there.
    shutil.rmtree(folder)
    if how == "empty":
        folder.mkdir()
    [told] = run("backup", safe, "--json").lines
    assert told["files_removed"] == 0
    run("restore", safe, "--db", tmp_path / "again" / "a.sqlite")
    assert len([*(tmp_path / "again" / "a.sqlite.files").glob("imports/??/*.json")]) == 1


@pytest.mark.parametrize("command", ["backup", "copy", "fsck"])
def test_files_that_may_not_be_looked_at_are_no_files_that_are_not_there(
    run: Run, archive_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    folder, listed = folder_of(archive_url, tmp_path / "files"), Path.iterdir
    assert folder is not None

    def refused(path: Path) -> Iterator[Path]:
        if path == folder / "imports":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    # Whoever runs the tests may look into any folder.
    monkeypatch.setattr(Path, "iterdir", refused)
    rest = {
        "backup": [tmp_path / "safe"],
        "copy": ["--from", archive_url, "--to", f"sqlite:///{tmp_path / 'copy.sqlite'}"],
    }
    refusal = run(command, *rest.get(command, []), exit_code=2).err
    assert "Permission denied" in " ".join(refusal.split())


@pytest.mark.parametrize("absent", ["one", "all"])
def test_an_archive_that_lacks_values_comes_back_as_it_was(
    run: Run, archive_url: str, database: Path, tmp_path: Path, absent: str
) -> None:
    archive = opened(archive_url)
    for head in archive.store.logs():
        for found in archive.store.read_log(head.log_id):
            raws = archive.store.disclosures_of(head.log_id, [found.global_position])
            marks = [commitment_of(raw) for raw in raws.get(found.global_position, ())]
            archive.store.erase_disclosures(head.log_id, marks[:1] if absent == "one" else marks)
    archive.close()
    before = sealed_of(archive_url)
    assert "not here to be copied" in run("backup", tmp_path / "safe").out
    for path in database.parent.glob(f"{database.name}*"):
        if path.is_file():
            path.unlink()
    run("restore", tmp_path / "safe")
    assert sealed_of(archive_url) == before


def test_a_backup_of_more_is_never_overwritten_by_an_older_archive(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
):
    run("backup", tmp_path / "first")
    run("grant", "--role", "viewer", "--log", "imports")
    run("backup", tmp_path / "safe")
    before = sealed_of(f"sqlite:///{tmp_path / 'safe' / 'ledger.sqlite'}")
    for name in (database, database.with_name(database.name + "-wal")):
        name.unlink(missing_ok=True)
    shutil.copy(tmp_path / "first" / "ledger.sqlite", database)
    ran = run("backup", tmp_path / "safe", exit_code=2)
    assert "an older archive stands in its place" in ran.err
    assert sealed_of(f"sqlite:///{tmp_path / 'safe' / 'ledger.sqlite'}") == before


def test_a_backup_that_ends_before_what_was_signed_is_told_and_not_taken(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
):
    run("backup", tmp_path / "safe")
    run("grant", "--role", "viewer", "--log", "imports")
    size = len(sealed_of(archive_url)["imports"])
    database.unlink()
    ran = run("restore", tmp_path / "safe", exit_code=2)
    assert f"{size - 1} entries in it, and {size} were signed" in ran.err.replace("\n", " ")
    assert not database.exists()
    run("restore", tmp_path / "safe", "--older")
    archive = opened(archive_url)
    assert list(archive.store.held) == ["imports"]
    archive.close()


def test_an_archive_knows_how_far_its_backup_reaches_and_so_does_the_one_that_is_restored(
    run: Run, archive_url: str, database: Path, tmp_path: Path
):
    run("backup", tmp_path / "safe", "--keys")
    reach = len(sealed_of(archive_url)["imports"])
    run("grant", "--role", "viewer", "--log", "imports")

    def safe() -> int | None:
        archive = opened(archive_url)
        assert archive.signing is not None
        archive.signing.keep_all()
        found = archive.signing.kept_size("imports")
        archive.close()
        return found

    assert safe() == reach == len(sealed_of(archive_url)["imports"]) - 1
    shutil.rmtree(database.parent)
    run("restore", tmp_path / "safe")
    assert safe() == reach


def test_a_backup_of_another_archive_is_refused_by_what_was_signed_here(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
    match_file: Path,
):
    run("import", match_file, "--db", tmp_path / "other.sqlite")
    run("backup", tmp_path / "safe", "--db", tmp_path / "other.sqlite")
    database.unlink()
    ran = run("restore", tmp_path / "safe", "--older", exit_code=2)
    assert "not of this archive" in ran.err
    assert not database.exists()


def test_every_damaged_part_of_a_backup_is_refused(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
):
    run("backup", tmp_path / "safe", "--keys")
    shutil.rmtree(database.parent)

    def refused(change) -> str:
        broken = tmp_path / "broken"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(tmp_path / "safe", broken)
        change(broken)
        err = run("restore", broken, exit_code=2).err
        assert not database.exists()
        return err.replace("\n", " ")

    def tampered(folder: Path) -> None:
        db = sqlite3.connect(folder / "ledger.sqlite")
        db.execute("DROP TRIGGER event_no_update")
        db.execute("UPDATE event SET tag = 'dice.lifted' WHERE global_position = 3")
        db.commit()
        db.close()

    def shortened(folder: Path) -> None:
        db = sqlite3.connect(folder / "ledger.sqlite")
        db.execute("DROP TRIGGER log_head_no_step_back")
        db.execute("UPDATE log_head SET size = size - 1 WHERE log_id = 'imports'")
        db.commit()
        db.close()

    def other_photo(folder: Path) -> None:
        [photo] = [one for one in (folder / "files").rglob("*") if len(one.name) == 64]
        photo.write_bytes(b"another photo")

    def other_ballot(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
            [name] = db.execute("SELECT entry_id FROM event WHERE log_id = 'imports'").fetchone()
        (folder / "ballots").mkdir(exist_ok=True)
        (folder / "ballots" / name).write_bytes(b'{"vote":"uphold","proposal":null,"salt":"00"}')

    assert "the backup is damaged" in refused(tampered)
    assert "the closed ballot" in refused(other_ballot)
    assert "lacks entries of log imports" in refused(shortened)
    assert "the file imports/" in refused(other_photo)

    def manifest(text: str) -> str:
        return refused(lambda folder: (folder / "manifest.json").write_text(text))

    for text in ("{", "[]", '{"format": 1}', '{"format": "tabularium-backup 1", "logs": [1]}'):
        assert "manifest.json cannot be read: take another backup" in manifest(text)
    assert "does not say what is in it" in manifest('{"format": "tabularium-backup 1"}')
    assert "another kind of backup" in manifest('{"format": "tabularium-backup 9"}')
    unfinished = refused(lambda folder: (folder / "manifest.json").unlink())
    assert "was not finished, and `tabularium backup` into it goes on with it" in unfinished
    assert "no backup" in refused(lambda folder: shutil.rmtree(folder / ""))
    (tmp_path / "empty").mkdir()
    assert "that `tabularium backup` made" in run("restore", tmp_path / "empty", exit_code=2).err


def test_nothing_is_put_over_an_archive_or_into_a_folder_of_something_else(
    run: Run,
    archive_url: str,
    database: Path,
    tmp_path: Path,
):
    run("backup", tmp_path / "safe")
    assert "there is an archive" in run("restore", tmp_path / "safe", exit_code=2).err
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    assert "holds something else" in run("backup", tmp_path / "notes", exit_code=2).err
    assert "no archive" in run("backup", tmp_path / "b", "--db", tmp_path / "x", exit_code=2).err
    assert not (tmp_path / "b").exists()


def test_a_backup_is_made_beside_a_process_that_writes(
    run: Run,
    archive_url: str,
    tmp_path: Path,
):
    archive = opened(archive_url)
    try:
        archive.grant(Role.SCRIBE, log_id="imports")
        [told] = run("backup", tmp_path / "safe", "--json").lines
        assert told["logs"]["imports"] == archive.store.log_head("imports").size
    finally:
        archive.close()


@pytest.mark.gate
def test_a_move_to_postgresql_and_back_changes_nothing_that_a_device_sees(
    run: Run,
    archive_url: str,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("TABULARIUM_FILES", str(tmp_path / "pg-files"))
    before = sealed_of(archive_url)
    run("copy", "--from", archive_url, "--to", postgres_url)
    assert sealed_of(postgres_url) == before
    moved = opened(postgres_url)
    assert moved.store.held == {}
    note = moved.signing.keep("imports")  # type: ignore[union-attr]
    moved.close()
    assert sealed_of(postgres_url) == before  # no new key was announced: it is the same archive
    back = f"sqlite:///{tmp_path / 'back.sqlite'}"
    run("copy", "--from", postgres_url, "--to", back)
    assert sealed_of(back) == before
    again = opened(back)
    assert again.signing.keep("imports").note == note.note  # type: ignore[union-attr]
    again.close()
    name = hashlib.sha256(b"a photo").hexdigest()
    assert (tmp_path / "back.sqlite.files" / "imports" / name[:2] / name).exists()


@pytest.mark.parametrize("later", [("--keys",), ()], ids=["with keys", "without"])
def test_a_backup_goes_on_with_keys_that_were_rotated(
    run: Run, archive_url: str, database: Path, tmp_path: Path, later: tuple[str, ...]
):
    safe = tmp_path / "safe"
    run("backup", safe, "--keys")
    run("keys", "rotate", "imports")
    run("keys", "retire", "imports")
    archive = opened(archive_url)
    archive.grant(Role.VIEWER, log_id="imports")
    archive.close()  # signed by the new key alone
    run("backup", safe, *later)
    keys = {path.name: path.read_bytes() for path in keys_folder(archive_url).glob("*.???")}
    kept = {path.name: path.read_bytes() for path in (safe / "keys").glob("*.???")}
    assert {name for name in keys if keys[name] != kept[name]} == (
        set() if later else {"imports.key"}
    )
    shutil.rmtree(database.parent)
    run("restore", safe)
    run("fsck")


def test_a_backup_keeps_keys_of_which_the_archive_knows_nothing(
    run: Run, archive_url: str, tmp_path: Path
):
    safe = tmp_path / "safe"
    run("backup", safe, "--keys")
    before = {path.name: path.read_bytes() for path in (safe / "keys").iterdir()}
    strange = Keyring(tmp_path / "strange")
    for path in keys_folder(archive_url).glob("*.key"):
        strange.create(path.stem)
    shutil.rmtree(keys_folder(archive_url))
    shutil.copytree(strange.folder, keys_folder(archive_url))
    run("backup", safe, "--keys")
    assert {path.name: path.read_bytes() for path in (safe / "keys").iterdir()} == before


@pytest.mark.parametrize("loss", ["lost", "restored without"])
def test_an_archive_without_its_keys_goes_on_with_others_and_can_be_backed_up(
    run: Run, archive_url: str, database: Path, tmp_path: Path, loss: str
):
    """What the old keys signed stays signed: the log's own entries say which they were."""
    run("backup", tmp_path / "without")
    names = {key.name for key in Keyring(keys_folder(archive_url)).verifiers("imports")}
    shutil.rmtree(keys_folder(archive_url))
    if loss == "restored without":
        shutil.rmtree(database.parent)
        run("restore", tmp_path / "without")
    archive = opened(archive_url)
    archive.grant(Role.VIEWER, log_id="imports")
    archive.close()
    new, old = Keyring(keys_folder(archive_url)).verifiers("imports")
    assert {new.name, old.name} == names
    run("fsck")
    run("backup", tmp_path / "safe", "--keys")
    shutil.rmtree(database.parent)
    run("restore", tmp_path / "safe")
    run("fsck")


def test_keys_come_along_into_a_folder_that_the_environment_names(
    run: Run, archive_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    keys = {path.name: path.read_bytes() for path in keys_folder(archive_url).glob("*.key")}
    monkeypatch.setenv("TABULARIUM_KEYS", str(tmp_path / "keys"))
    told = run("copy", "--from", archive_url, "--to", tmp_path / "copy.sqlite").err
    assert f"its keys lie in {tmp_path / 'keys'}" in told.replace("\n", "")
    assert keys
    assert {path.name: path.read_bytes() for path in (tmp_path / "keys").glob("*.key")} == keys


def test_a_copy_that_was_killed_is_no_archive_until_it_is_whole(
    run: Run,
    archive_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    copy, stopped = tmp_path / "copy.sqlite", KeyboardInterrupt()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", os.replace)
        patch.setattr(Path, "replace", _stop_at(copy, Path.replace, stopped))
        run("copy", "--from", archive_url, "--to", copy, exit_code=130)
    assert not copy.exists()
    assert "keys" not in run("copy", "--from", archive_url, "--to", copy).err
    assert sealed_of(f"sqlite:///{copy}") == sealed_of(archive_url)
    assert not list(tmp_path.glob(f"*{copies.UNFINISHED}*"))


def _stop_at(path: Path, replace, stopped: BaseException):
    def stop(self: Path, target: Path) -> Path:
        if target == path:
            raise stopped
        return replace(self, target)

    return stop


def test_what_was_written_last_to_an_archive_that_was_moved_is_no_part_of_the_one_restored(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    """SQLite takes a log of writes for its own by its name: the restored file would be damaged."""
    before, safe = sealed_of(archive_url), tmp_path / "safe"
    run("backup", safe)
    writing = sqlite3.connect(database)
    writing.execute("PRAGMA wal_autocheckpoint = 0")
    with writing:
        writing.execute("CREATE TABLE written_last (word TEXT)")
    wal = database.with_name(database.name + "-wal")
    left = wal.read_bytes()
    writing.close()
    database.rename(tmp_path / "broken.sqlite")
    wal.write_bytes(left)
    refused = run("restore", safe, exit_code=2)
    assert f"{wal.name} lies there without its database" in " ".join(refused.err.split())
    assert not database.exists()
    assert wal.read_bytes() == left
    wal.rename(tmp_path / "broken.sqlite-wal")
    run("restore", safe)
    run("fsck")
    assert sealed_of(archive_url) == before


def test_another_backup_can_be_taken_after_one_that_was_stopped_half_way(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    older, newer = tmp_path / "older", tmp_path / "newer"
    run("backup", older, "--keys")
    before = sealed_of(archive_url)
    run("grant", "--role", "viewer", "--log", "imports")
    run("backup", newer)
    shutil.rmtree(database.parent)
    database.parent.mkdir()
    # As a restore that was killed leaves it: nobody but the same command goes on with it.
    shutil.copy(newer / "ledger.sqlite", database.with_name(database.name + ".unfinished"))
    run("restore", older)
    assert sealed_of(archive_url) == before
    run("fsck")
    assert not list(database.parent.glob("*.unfinished*"))


def test_a_copy_has_what_was_written_to_it_last_though_its_file_was_let_go_of_without_it(
    run: Run, archive_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite tells nobody where it cannot bring its log of writes into the file: a full disk."""
    copy, copied = tmp_path / "copy.sqlite", copies._ledger

    def let_go(source: str, target: str, **rest: object) -> copies.Copied:
        made = copied(source, target, **rest)  # type: ignore[arg-type]
        fresh = copy.with_name(copy.name + copies.UNFINISHED)
        before = fresh.read_bytes()
        with closing(sqlite3.connect(fresh)) as writing:
            writing.execute("PRAGMA wal_autocheckpoint = 0")
            with writing:
                writing.execute("CREATE TABLE written_last (word TEXT)")
            wal = fresh.with_name(fresh.name + "-wal")
            left = wal.read_bytes()
        fresh.write_bytes(before)
        wal.write_bytes(left)
        return made

    monkeypatch.setattr(copies, "_ledger", let_go)
    run("copy", "--from", archive_url, "--to", copy)
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT count(*) FROM written_last").fetchone() == (0,)


def test_a_backup_is_not_restored_into_a_file_that_cannot_be_finished(
    run: Run, archive_url: str, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, safe, copied = sealed_of(archive_url), tmp_path / "safe", copies._ledger
    run("backup", safe, "--keys")
    shutil.rmtree(database.parent)
    fresh = database.with_name(database.name + copies.UNFINISHED)

    def held(source: str, target: str, **rest: object) -> copies.Copied:
        made = copied(source, target, **rest)  # type: ignore[arg-type]
        reading.append(sqlite3.connect(fresh))
        with closing(sqlite3.connect(fresh)) as writing, writing:
            writing.execute("PRAGMA user_version = 1")
            reading[-1].execute("BEGIN").execute("SELECT * FROM log_head").fetchall()
            writing.execute("PRAGMA user_version = 2")
        return made

    reading: list[sqlite3.Connection] = []
    with monkeypatch.context() as patch:
        patch.setattr(copies, "_ledger", held)
        refused = run("restore", safe, exit_code=2)
    assert "cannot be finished (another program has it open)" in " ".join(refused.err.split())
    assert not database.exists()
    reading[0].close()
    run("restore", safe)
    run("fsck")
    assert sealed_of(archive_url) == before


def test_a_restore_that_is_stopped_says_whether_the_archive_is_in_its_place(
    run: Run, archive_url: str, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    safe = tmp_path / "safe"
    run("backup", safe, "--keys")
    shutil.rmtree(database.parent)
    with monkeypatch.context() as patch:
        patch.setattr(copies, "bring_files", stop)
        assert run("restore", safe, exit_code=130).err.split() == ["stopped"]
    with monkeypatch.context() as patch:
        patch.setattr(copies, "_keep_reach", stop)
        late = run("restore", safe, exit_code=130)
    assert "the archive is back in its place, whole" in " ".join(late.err.split())
    run("fsck")


def test_a_copy_that_was_stopped_and_is_damaged_is_made_anew(
    run: Run, archive_url: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    run("copy", "--from", archive_url, "--to", copy)
    broken = bytearray(copy.read_bytes())
    broken[8192:] = bytes(len(broken) - 8192)
    copy.unlink()
    copy.with_name(copy.name + copies.UNFINISHED).write_bytes(broken)
    run("copy", "--from", archive_url, "--to", copy)
    assert sealed_of(f"sqlite:///{copy}") == sealed_of(archive_url)
    # One that has its name already is somebody's to move away, and is told as what it is.
    copy.write_bytes(broken)
    refused = run("copy", "--from", archive_url, "--to", copy, exit_code=2)
    assert "the copy at" in refused.err
    assert "move it away" in " ".join(refused.err.split())
    assert copy.read_bytes() == broken


def parts_of(url: str) -> dict[str, bytes]:
    folder = keys_folder(url)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}


def test_an_archive_that_is_no_copy_of_it_keeps_its_keys_when_that_is_refused(
    run: Run, archive_url: str, match_file: Path, tmp_path: Path
) -> None:
    """Each has logs of these names: what was signed last of one would stop the other for good."""
    other = f"sqlite:///{tmp_path / 'other' / 'b.sqlite'}"
    run("import", match_file, "--db", other)
    before, sealed = parts_of(other), sealed_of(other)
    refused = run("copy", "--from", archive_url, "--to", other, exit_code=2)
    assert "it is of another archive" in " ".join(refused.err.split())
    assert parts_of(other) == before
    archive = opened(other)
    assert archive.store.held == {}
    archive.close()
    assert sealed_of(other) == sealed


def test_keys_that_another_archive_has_left_are_not_mixed_with_those_of_a_copy(
    run: Run, archive_url: str, match_file: Path, tmp_path: Path
) -> None:
    place = tmp_path / "other" / "b.sqlite"
    run("import", match_file, "--db", place)
    for path in place.parent.glob("b.sqlite*"):
        if path.is_file():
            path.unlink()
    before = parts_of(f"sqlite:///{place}")
    refused = run("copy", "--from", archive_url, "--to", place, exit_code=2)
    assert "keys of another archive" in " ".join(refused.err.split())
    assert (parts_of(f"sqlite:///{place}"), place.exists()) == (before, False)
    keys_folder(f"sqlite:///{place}").rename(tmp_path / "kept")
    run("copy", "--from", archive_url, "--to", place)
    run("fsck", "--db", place)


def test_a_copy_that_has_gone_on_remembers_how_far_when_its_source_is_copied_again(
    run: Run, archive_url: str, tmp_path: Path
) -> None:
    copied = f"sqlite:///{tmp_path / 'copy' / 'b.sqlite'}"
    run("copy", "--from", archive_url, "--to", copied)
    run("grant", "--role", "viewer", "--log", "imports", "--db", copied)
    before = parts_of(copied)
    refused = run("copy", "--from", archive_url, "--to", copied, exit_code=2)
    assert "an older archive stands in its place" in " ".join(refused.err.split())
    assert parts_of(copied) == before


@pytest.mark.parametrize("command", ["copy", "restore"])
def test_an_authority_that_tablets_trust_gives_way_to_no_other(
    run: Run, archive_url: str, database: Path, tmp_path: Path, command: str
) -> None:
    own = database.with_name(f"{database.name}.https")
    own.mkdir()
    for name in ("authority.pem", "authority.key"):
        (own / name).write_text("its own")
    if command == "copy":
        asked = ["copy", "--from", archive_url, "--to"]
    else:
        run("backup", tmp_path / "safe", "--keys")
        asked = ["restore", tmp_path / "safe", "--db"]
    for number, before in enumerate(("another", "its own", None)):
        place = tmp_path / "there" / f"{number}.sqlite"
        there = place.with_name(f"{place.name}.https")
        if before is not None:
            there.mkdir(parents=True)
            (there / "authority.pem").write_text(before)
            (there / "authority.key").write_text(before)
        told = run(*asked, place).err
        assert ("another certificate authority lies in" in told) is (before == "another")
        kept = {path.name: path.read_text() for path in there.iterdir()}
        assert kept == dict.fromkeys(("authority.pem", "authority.key"), before or "its own")


def test_a_copy_that_is_served_is_not_stopped_by_another_that_is_refused(
    run: Run, archive_url: str, tmp_path: Path
) -> None:
    place = tmp_path / "copy" / "b.sqlite"
    run("copy", "--from", archive_url, "--to", place)
    before = parts_of(f"sqlite:///{place}")
    run("grant", "--role", "viewer", "--log", "imports")
    lock = WriterLock(place).acquire()
    try:
        refused = run("copy", "--from", archive_url, "--to", place, exit_code=2)
        assert "is writing to this archive" in " ".join(refused.err.split())
        assert parts_of(f"sqlite:///{place}") == before
    finally:
        lock.release()
    run("copy", "--from", archive_url, "--to", place)
    assert parts_of(f"sqlite:///{place}") != before


def test_nothing_is_restored_under_a_process_that_writes(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    run("backup", tmp_path / "safe")
    lock = WriterLock(database).acquire()
    try:
        database.rename(tmp_path / "moved.sqlite")
        run("restore", tmp_path / "safe", exit_code=2)
        assert not database.exists()
    finally:
        lock.release()
    run("restore", tmp_path / "safe")
    run("fsck")


def test_a_restored_archive_keeps_files_that_are_newer_than_the_backup_and_no_old_lists(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    run("backup", tmp_path / "safe")
    newer = photo_of(archive_url, b"taken since", tmp_path / "files")
    run("matches")
    run("index")
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    lists = [database.with_name(database.name + suffix) for suffix in (".index", ".search")]
    assert all(one.exists() for one in lists)
    [told] = run("restore", tmp_path / "safe", "--json").lines
    assert told["files_removed"] == 0
    assert newer.read_bytes() == b"taken since"
    assert not any(one.exists() for one in lists)


def test_a_backup_that_is_damaged_is_told_as_such_and_not_as_the_archive(
    run: Run, archive_url: str, tmp_path: Path
) -> None:
    run("backup", tmp_path / "safe")
    ledger = tmp_path / "safe" / "ledger.sqlite"
    os.truncate(ledger, 5_000)
    told = " ".join(run("backup", tmp_path / "safe", exit_code=2).err.split())
    assert "the copy at" in told
    assert "nothing was found wrong with what is copied" in told
    run("fsck")


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%41b"])
def test_what_addresses_take_for_marks_of_their_own_may_stand_in_paths(
    run: Run, match_file: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    there = ["--db", folder / f"{name}.sqlite"]
    run("import", match_file, *there)
    for command in (["search", "--dice", "31"], ["explore", "31"], ["fsck"]):
        run(*command, *there)
    run("backup", folder / "safe", *there)
    run("restore", folder / "safe", "--db", folder / "back" / name)
    run("copy", "--from", folder / "back" / name, "--to", folder / "moved" / name)
    for place in ("back", "moved"):
        assert "1 match " in run("index", "--db", folder / place / name).out
    # Nothing got into a place that the path does not name.
    assert {path.name for path in tmp_path.iterdir()} == {name, match_file.name}
