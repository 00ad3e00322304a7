"""The folder of files, if none is configured: one place, whoever asks first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace

import pytest

from api.archive.files import FileStore


@pytest.fixture(autouse=True)
def hasty() -> Iterator[None]:
    """Threads that give way to each other as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_all_who_begin_at_once_come_to_one_folder() -> None:
    # Without a lock each made its own, and what lay in the first was not found again.
    for _ in range(50):
        store = FileStore(None, lambda: 0)
        start = Barrier(8)

        def asked(store: FileStore = store, start: Barrier = start) -> Path:
            start.wait()
            incoming = store.incoming()
            incoming.discard()
            return incoming.path.parent

        with ThreadPoolExecutor(8) as hands:
            folders = {done.result() for done in [hands.submit(asked) for _ in range(8)]}
        assert folders == {store.folder / ".incoming"}


def test_nobody_else_looks_into_the_folder(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "archive.files", lambda: 0)
    store.incoming().discard()
    assert store.folder.stat().st_mode & 0o077 == 0


def test_half_a_photo_goes_at_the_next_start_and_that_of_another_server_stays(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "archive.files"
    other, killed = FileStore(folder, lambda: 0), FileStore(folder, lambda: 0)
    coming, half = other.incoming(), killed.incoming()
    for one in (coming, half):
        one.write(b"a face")
        one.file.flush()
    half.file.close()  # as the system does for a process that is killed
    FileStore(folder, lambda: 0).clear()
    assert not half.path.exists()
    assert coming.path.read_bytes() == b"a face"
    assert other.keep("imports", coming, "image/png")
    assert not list((folder / ".incoming").iterdir())


def test_to_look_for_halves_of_files_makes_no_folder(tmp_path: Path) -> None:
    FileStore(tmp_path / "archive.files", lambda: 0).clear()
    FileStore(None, lambda: 0).clear()
    assert not list(tmp_path.iterdir())


def test_a_file_that_does_not_fit_on_the_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    incoming = FileStore(tmp_path / "archive.files", lambda: 0).incoming()
    incoming.write(b"a face")

    def full(self: object) -> None:
        raise OSError(28, "No space left on device")

    file = incoming.file
    monkeypatch.setattr(incoming, "file", SimpleNamespace(close=lambda: full(file)))
    incoming.discard()
    assert not incoming.path.exists()
    file.close()


def test_photos_are_kept_where_somebody_tidied_up_and_not_in_the_stead_of_a_disk_that_is_gone(
    tmp_path: Path,
) -> None:
    store = FileStore(tmp_path / "archive.files", lambda: 0)
    store.incoming().discard()
    (store.folder / ".incoming").rmdir()
    coming = store.incoming()
    assert store.keep("imports", coming, "image/png")
    store.folder.rename(tmp_path / "taken out")
    with pytest.raises(FileNotFoundError):
        store.incoming()
    assert not store.folder.exists()
