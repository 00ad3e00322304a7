"""Signing: a log that has signed once is bound by it, whatever happens to its database."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, SignedEdge, keys_folder, write_whole
from api.archive.signing import Signing, note_of
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.errors import (
    BadBody,
    BadInput,
    Damaged,
    LedgerError,
    RolledBack,
    StoreBusy,
    StoreFailed,
)
from events.payloads.access import Role
from events.payloads.custody import KeyRotated
from events.payloads.tournament import TournamentDescribed, TournamentOpened
from events.sealing.merkle import frontier_root
from events.sealing.notes import Checkpoint, Note, VerifierKey, parse_checkpoint
from events.store.journal import Intake
from events.store.opening import open_store
from events.store.protocol import Unit
from events.store.sealed import SealedStream
from events.store.sql import SqlStore

LOG = "open"


def opened(url: str) -> Archive:
    return open_archive(url, keyring=Keyring(keys_folder(url), origin="archive.example/logs"))


def signing_of(archive: Archive) -> Signing:
    assert archive.signing is not None
    return archive.signing


def note_now(archive: Archive, log_id: str = LOG) -> Note:
    note = signing_of(archive).note(log_id)
    assert note is not None
    return note


def keys_of(archive: Archive, log_id: str = LOG) -> tuple[VerifierKey, ...]:
    return signing_of(archive).keyring.verifiers(log_id)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "club.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def folder(url: str) -> Path:
    return keys_folder(url)


def test_two_databases_of_a_server_keep_their_keys_apart_and_no_password_in_their_names() -> None:
    base = "postgresql://ann:se%40cret@db.example:5433"
    urls = (
        f"{base}/club",
        f"{base}/league",
        base.replace("5433", "5432") + "/club",
        "postgresql:///club",
        "postgresql:///club?host=/run/one",
        "postgresql:///club?host=/run/two",
        "postgresql://?service=club",
    )
    folders = [keys_folder(url) for url in urls]
    assert len(set(folders)) == len(urls)
    assert len({folder.parent for folder in folders}) == 1
    assert keys_folder(f"{base}/club?password=se@cret&connect_timeout=3") == folders[0]


def test_servers_that_keep_one_file_at_once_leave_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, flush = tmp_path / "open.signed", os.fsync

    def meanwhile(fd: int) -> None:
        monkeypatch.setattr(os, "fsync", flush)
        write_whole(place, b"of the other server")
        flush(fd)

    monkeypatch.setattr(os, "fsync", meanwhile)
    write_whole(place, b"of this one")
    assert place.read_bytes() == b"of this one"
    assert list(tmp_path.iterdir()) == [place]
    with pytest.raises(TypeError):
        write_whole(place, "no bytes")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == [place]


def test_servers_that_make_a_key_at_once_make_one(folder: Path) -> None:
    rings = [Keyring(folder) for _ in range(6)]
    together = threading.Barrier(len(rings))

    def made(keyring: Keyring) -> str:
        together.wait()
        return str(keyring.create(LOG).verifier)

    with ThreadPoolExecutor(len(rings)) as pool:
        [key] = set(pool.map(made, rings))
    assert [str(one.verifier) for one in Keyring(folder).signers(LOG)] == [key]
    assert [str(one) for one in Keyring(folder).verifiers(LOG)] == [key]


@pytest.mark.parametrize("step", ["open_log", "append"])
def test_servers_that_begin_at_once_begin_one_archive(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = open_store("memory://")
    first, second = (Archive(store, keyring=Keyring(folder)) for _ in range(2))
    real = getattr(store, step)

    def meanwhile(*arguments: object, **more: object) -> object:
        monkeypatch.undo()
        second.prepare()
        return real(*arguments, **more)

    monkeypatch.setattr(store, step, meanwhile)
    first.prepare()
    assert [row.tag for row in store.read_log(ARCHIVE_LOG)] == ["tournament.opened"]
    assert note_now(first, ARCHIVE_LOG) == note_now(second, ARCHIVE_LOG)


def test_servers_that_begin_at_once_with_new_keys_say_so_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store("memory://")
    Archive(store, keyring=Keyring(folder)).prepare()
    shutil.rmtree(folder)
    first, second = (Archive(store, keyring=Keyring(folder)) for _ in range(2))
    real = store.append

    def meanwhile(*arguments: object, **more: object) -> object:
        monkeypatch.undo()
        second.prepare()
        return real(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "append", meanwhile)
    first.prepare()
    tags = [row.tag for row in store.read_log(ARCHIVE_LOG)]
    assert tags == ["tournament.opened", "key.rotated"]


def test_a_new_log_is_opened_with_its_key_and_signed_by_it(url: str, folder: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    [first] = archive.reading.live(LOG, TOURNAMENT_STREAM).recorded
    assert isinstance(first.payload, TournamentOpened)
    [key] = keys_of(archive)
    assert first.payload.log_key == str(key)
    note = note_now(archive)
    assert note.verified([key]) == [key]
    head = archive.store.log_head(LOG)
    assert parse_checkpoint(note.text) == (key.name, head.size, head.root)
    # The name of the key tells nobody which tournament it is.
    assert key.name.startswith("archive.example/logs/")
    assert LOG not in key.name
    assert (folder / f"{LOG}.key").stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0
    archive.close()


def test_every_log_has_a_key_of_its_own(url: str) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    archive.open_tournament("other", "Candle Cup")
    known = {keys_of(archive, log)[0] for log in (ARCHIVE_LOG, LOG, "other")}
    assert len({key.public for key in known}) == len({key.name for key in known}) == 3
    archive.close()


def test_an_archive_without_keys_is_given_them_and_nothing_sealed_changes(url: str) -> None:
    before = open_archive(url)
    before.open_tournament(LOG, "Lantern Open")
    sealed = {log: [e.sealed for e in before.store.read_log(log)] for log in (ARCHIVE_LOG, LOG)}
    before.close()
    archive = opened(url)
    for log, rows in sealed.items():
        now = list(archive.store.read_log(log))
        assert [event.sealed for event in now[: len(rows)]] == rows
        [said] = archive.reading.live(log, TOURNAMENT_STREAM).recorded[len(rows) :]
        assert said.payload == KeyRotated(new=str(keys_of(archive, log)[0]))
        assert note_now(archive, log).verified(keys_of(archive, log))
    archive.close()
    again = opened(url)
    assert len(list(again.store.read_log(LOG))) == len(sealed[LOG]) + 1
    again.close()


def test_a_checkpoint_is_kept_in_the_database_and_outside_of_it(url: str) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    kept = signing.keep(LOG)
    assert kept is not None
    assert note_of(kept) == note_now(archive)
    edge = signing.keyring.last_signed(LOG)
    assert edge is not None
    assert (edge.size, edge.note) == (kept.size, note_of(kept))
    assert edge.root == archive.store.log_head(LOG).root
    # Nothing new: nothing is written.
    assert signing.keep(LOG) == kept
    assert archive.store.checkpoint_sizes(LOG) == [kept.size]
    archive.close()


@pytest.fixture
def rolled_back(url: str, path: Path, tmp_path: Path) -> tuple[int, int]:
    """An older copy lies in the archive's place; (its size, the size that was signed)."""
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    archive.close()
    shutil.copy(path, tmp_path / "older.db")
    archive = opened(url)
    for _ in range(3):
        archive.grant(Role.VIEWER, log_id=LOG)
    signing_of(archive).keep(LOG)
    size = archive.store.log_head(LOG).size
    archive.close()
    shutil.copy(path, tmp_path / "newer.db")
    shutil.copy(tmp_path / "older.db", path)
    return 1, size


def test_an_older_copy_of_the_database_is_told_and_signs_nothing(
    url: str, rolled_back: tuple[int, int]
) -> None:
    here, signed = rolled_back
    archive = opened(url)
    with pytest.raises(RolledBack, match=f"has {here} entries, and {signed} were signed"):
        signing_of(archive).note(LOG)
    assert [held.log_id for held in signing_of(archive).check()] == [LOG]
    assert archive.store.checkpoint_sizes(LOG) == [here]
    archive.close()


@pytest.mark.parametrize("error", [StoreFailed("connection refused"), StoreBusy("locked")])
def test_a_database_that_does_not_answer_while_it_is_looked_at_holds_no_log(
    url: str, monkeypatch: pytest.MonkeyPatch, error: LedgerError
) -> None:
    """A log is held until the next start, and a database server that is restarted is soon back."""
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    signing.keep(LOG)

    def away(log_id: str) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(archive.store, "log_head", away)
        with pytest.raises(type(error)):
            signing.look()
    assert not archive.store.held
    signing.look()
    archive.grant(Role.VIEWER, log_id=LOG)
    archive.close()


def test_nothing_is_appended_to_a_log_that_is_held_by_any_way_in(
    url: str, rolled_back: tuple[int, int]
) -> None:
    archive = opened(url)
    store = archive.store
    with pytest.raises(RolledBack, match="Nothing is recorded"):
        archive.grant(Role.VIEWER, log_id=LOG)
    draft = archive.draft(TournamentDescribed(title="Other"))
    unit = Unit(log_id=LOG, stream_id=TOURNAMENT_STREAM, drafts=(draft,))
    [answer] = store.append_units([unit])
    assert isinstance(answer, RolledBack)
    assert isinstance(store, SqlStore)
    staged = store.stage_units([unit])
    assert staged is not None
    assert [type(one) for one in staged.answers] == [RolledBack]
    [sealed] = store.append_sealed([SealedStream(log_id=LOG, stream_id="m1", rows=())])
    assert isinstance(sealed, RolledBack)
    with pytest.raises(RolledBack):
        store.take_in(Intake(log_id=LOG, premises={}, verdicts=(), units=(), cursor=None))
    with pytest.raises(RolledBack):
        store.open_log(LOG)
    # Its neighbours are not to suffer for it.
    archive.grant(Role.VIEWER)
    archive.close()


def test_an_older_copy_that_was_written_on_without_keys_is_told_as_well(
    url: str, rolled_back: tuple[int, int]
) -> None:
    _, signed = rolled_back
    archive = open_archive(url)
    for _ in range(signed):
        archive.grant(Role.VIEWER, log_id=LOG)
    assert archive.store.log_head(LOG).size > signed
    archive.close()
    archive = opened(url)
    with pytest.raises(RolledBack, match="does not go on"):
        signing_of(archive).keep(LOG)
    with pytest.raises(RolledBack, match="does not go on"):
        archive.grant(Role.VIEWER, log_id=LOG)
    archive.close()


def test_the_newer_copy_put_back_goes_on(
    url: str, path: Path, tmp_path: Path, rolled_back: tuple[int, int]
) -> None:
    archive = opened(url)
    assert set(archive.store.held) == {LOG}
    archive.close()
    shutil.copy(tmp_path / "newer.db", path)
    archive = opened(url)
    assert not archive.store.held
    archive.grant(Role.VIEWER, log_id=LOG)
    assert parse_checkpoint(note_now(archive).text).size == archive.store.log_head(LOG).size
    archive.close()


def test_an_archive_that_is_gone_is_not_begun_anew_beside_its_keys(
    url: str, path: Path, folder: Path
) -> None:
    opened(url).close()
    path.unlink()
    with pytest.raises(RolledBack, match=f"put the folder {folder} elsewhere"):
        opened(url)
    folder.rename(folder.with_name("set aside"))
    opened(url).close()


def test_a_log_that_was_rolled_back_while_the_archive_was_open_is_held_at_its_next_signature(
    url: str, tmp_path: Path
) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    archive.grant(Role.VIEWER, log_id=LOG)
    signing = signing_of(archive)
    assert set(signing.keep_grown()) == {ARCHIVE_LOG, LOG}
    assert signing.keep_grown() == []
    # A later checkpoint that somebody else has signed: this copy is the older one.
    edge = signing.keyring.last_signed(LOG)
    assert edge is not None
    later = signing.keyring.signers(LOG)[0]
    text = Checkpoint(later.verifier.name, 3, frontier_root((bytes(32), bytes(32)))).text
    note = Note(text, (later.sign(text),))
    signing.keyring.keep_signed(LOG, SignedEdge(3, (bytes(32), bytes(32)), note))
    fresh = Signing(archive.store, signing.keyring)
    fresh.grew([LOG])
    assert fresh.keep_grown() == []
    assert set(archive.store.held) == {LOG}
    archive.close()


def test_a_key_is_rotated_and_what_the_old_one_signed_stays_signed(url: str) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    before = note_now(archive)
    [old] = keys_of(archive)
    archive.rotate_key(LOG, reason="yearly")
    new, kept_old = keys_of(archive)
    assert kept_old == old
    assert new.name == old.name
    said = archive.reading.live(LOG, TOURNAMENT_STREAM).recorded[-1].payload
    assert said == KeyRotated(new=str(new), old=str(old), reason="yearly")
    assert archive.reading.tournament(LOG).keys == (str(old), str(new))
    both = note_now(archive)
    assert both.verified([old]) == [old]
    assert both.verified([new]) == [new]
    assert before.verified(keys_of(archive)) == [old]
    keyring = signing_of(archive).keyring
    assert keyring.retire(LOG)
    assert not keyring.retire(LOG)
    archive.grant(Role.VIEWER, log_id=LOG)
    assert note_now(archive).verified(keys_of(archive)) == [new]
    archive.close()


@pytest.mark.parametrize("is_held", [True, False])
def test_no_key_is_another_where_no_entry_can_say_so(url: str, is_held: bool) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    keyring = signing_of(archive).keyring
    archive.rotate_key(LOG)
    before = {path.name: path.read_bytes() for path in keyring.folder.iterdir()}
    size = archive.store.log_head(LOG).size
    if is_held:
        archive.store.hold(LOG, "an older copy")
    # More than a reason can have: recorded, it could be read by nobody, and nothing after it.
    with pytest.raises(RolledBack if is_held else BadBody):
        archive.rotate_key(LOG, reason=None if is_held else "x" * 5_000)
    assert {path.name: path.read_bytes() for path in keyring.folder.iterdir()} == before
    assert archive.store.log_head(LOG).size == size
    archive.close()


def test_a_checkpoint_that_is_kept_gets_the_lines_of_a_new_key(url: str) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    first = signing.keep(LOG)
    assert first is not None
    signing.keyring.rotate(LOG)
    kept = signing.keep(LOG)
    assert kept is not None
    assert (kept.size, kept.note) == (first.size, first.note)
    new, old = keys_of(archive)
    assert note_of(kept).verified([new, old]) == [old, new]
    archive.close()


def test_a_lost_private_key_is_replaced_under_the_same_name(url: str, folder: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    [old] = keys_of(archive)
    archive.close()
    (folder / f"{LOG}.key").unlink()
    archive = opened(url)
    new, kept_old = keys_of(archive)
    assert kept_old == old
    assert (new.name, new.public == old.public) == (old.name, False)
    said = archive.reading.live(LOG, TOURNAMENT_STREAM).recorded[-1].payload
    assert said == KeyRotated(new=str(new), old=str(old))
    archive.close()


def test_keys_are_backed_up_and_put_back(url: str, folder: Path, tmp_path: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    before = note_now(archive)
    copy = tmp_path / "safe"
    written = signing_of(archive).keyring.back_up(copy)
    assert {one.name for one in written} == {
        f"{log}.{kind}" for log in (ARCHIVE_LOG, LOG) for kind in ("key", "pub")
    }
    assert all(one.stat().st_mode & 0o077 == 0 for one in written)
    assert signing_of(archive).keyring.back_up(copy) == written
    (copy / "other.txt").touch()
    with pytest.raises(BadInput, match="not empty"):
        signing_of(archive).keyring.back_up(copy)
    (copy / "other.txt").unlink()
    archive.close()
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)
    archive = opened(url)
    assert note_now(archive) == before
    archive.close()


def test_damaged_files_are_named_and_their_content_is_not(url: str, folder: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing_of(archive).keep(LOG)
    archive.close()
    keyring = Keyring(folder)
    signed = folder / f"{LOG}.signed"
    signed.write_bytes(signed.read_bytes().replace(b"\n1\n", b"\n2\n"))
    with pytest.raises(Damaged, match=r"open\.signed"):
        keyring.last_signed(LOG)
    secret = (folder / f"{LOG}.key").read_text()
    for damaged in (f"{secret[:-9]}\n".encode(), b"\xff\x00" + secret.encode()):
        (folder / f"{LOG}.key").write_bytes(damaged)
        with pytest.raises(Damaged, match=r"open\.key cannot be read as keys") as refusal:
            keyring.signers(LOG)
        assert secret.rsplit("+", 1)[1][:12] not in str(refusal.value)
    (folder / f"{LOG}.pub").write_bytes(b"\xff")
    # Not the file with the last signed checkpoint: without that an older copy would be accepted.
    with pytest.raises(Damaged, match=r"open\.pub cannot be read as keys"):
        keyring.last_signed(LOG)


def test_a_private_key_that_others_may_read_is_told(url: str, folder: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    keyring = signing_of(archive).keyring
    assert keyring.exposed() == []
    (folder / f"{LOG}.key").chmod(0o644)
    assert keyring.exposed() == [folder / f"{LOG}.key"]
    archive.close()


@pytest.mark.parametrize("error", [StoreFailed("the server is away"), OSError("no room")])
def test_what_could_not_be_signed_is_signed_later_though_nothing_follows(
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(signing.keyring, "keep_signed", fails)
    assert [signing.keep_grown() for _ in range(3)] == [[], [], []]
    assert signing.is_waiting
    assert caplog.text.count(f"the log {LOG} is not signed") == 1
    monkeypatch.undo()
    assert LOG in signing.keep_grown()
    assert not signing.is_waiting
    archive.close()


@pytest.mark.parametrize("origin", ["", "https://archive.example", "a b", "a+b", "a.example/"])
def test_a_name_that_no_key_can_have_is_refused_at_once(tmp_path: Path, origin: str) -> None:
    with pytest.raises(BadInput, match="cannot begin the name of a key"):
        Keyring(tmp_path, origin=origin)


def test_safe_is_what_a_checkpoint_outside_covers_and_the_last_backup_where_there_is_one(
    url: str, folder: Path
) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    assert signing.kept_size(LOG) == 0
    note_now(archive)
    assert signing.kept_size(LOG) == 0, "signed, and kept nowhere yet"
    signing.keep(LOG)
    size = archive.store.log_head(LOG).size
    assert signing.kept_size(LOG) == size
    signing.keyring.keep_copied({LOG: size - 1, "other": 9})
    signing.look()
    assert signing.kept_size(LOG) == size - 1
    signing.keyring.keep_copied({LOG: size + 1})
    signing.look()
    assert signing.kept_size(LOG) == size
    signing.keyring.keep_copied({"other": 9})
    signing.look()
    assert signing.kept_size(LOG) == 0, "a log that came after the last backup"
    archive.close()


def test_that_the_last_backup_lacks_many_entries_is_told_where_backups_are_made(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.archive.signing.MANY_UNCOPIED", 2)
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    note_now(archive)
    signing.keep(LOG)
    size = archive.store.log_head(LOG).size
    assert signing.uncopied(LOG) is None, "nobody makes backups here"
    for lacking in (1, 2):
        signing.keyring.keep_copied({LOG: size - lacking})
        signing.look()
        assert signing.uncopied(LOG) == (None if lacking < 2 else 2)
    archive.close()


@pytest.mark.parametrize("torn", [b"", b"[1]", b'{"open"'])
def test_where_it_cannot_be_read_how_far_the_backup_reaches_nothing_is_safe(
    url: str, folder: Path, torn: bytes
) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    signing = signing_of(archive)
    signing.keep(LOG)
    (folder / "copied.json").write_bytes(torn)
    signing.look()
    assert signing.kept_size(LOG) == 0
    archive.close()


def test_a_machine_without_the_key_says_nothing_of_what_is_safe(url: str, folder: Path) -> None:
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    archive.close()
    (folder / f"{LOG}.key").unlink()
    again = opened(url)
    if not signing_of(again).keyring.signers(LOG):
        assert signing_of(again).kept_size(LOG) is None
    again.close()
