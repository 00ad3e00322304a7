"""Where files lie that no folder is named for: in one place, whoever asks first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

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
