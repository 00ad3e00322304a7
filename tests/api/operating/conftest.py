"""The command line on an archive of the test's own, as the tests of the commands have it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from api.archive.archive import Archive, open_archive
from api.archive.files import FileStore, folder_of
from api.archive.keyring import Keyring, keys_folder
from tests.api.commands.conftest import Run, database, match_file, run
from tests.events.conftest import make_draft, rng

__all__ = ["database", "make_draft", "match_file", "rng", "run"]


def photo_of(url: str, body: bytes, files: Path) -> Path:
    """A photo in log `imports`."""
    store = FileStore(folder_of(url, files), lambda: 0)
    incoming = store.incoming()
    incoming.write(body)
    store.keep("imports", incoming, "image/png")
    incoming.discard()
    found = store.find("imports", hashlib.sha256(body).hexdigest())
    assert found is not None
    return found.path


def opened(url: str) -> Archive:
    return open_archive(url, keyring=Keyring(keys_folder(url)))


@pytest.fixture
def archive_url(run: Run, match_file: Path, database: Path, tmp_path: Path) -> str:
    """An archive with an imported match, a grant, a photo, keys and a token of the operator."""
    run("import", match_file)
    run("grant", "--role", "director", "--log", "imports")
    url = f"sqlite:///{database}"
    archive = opened(url)
    archive.operator_token()
    archive.close()
    photo_of(url, b"a photo", tmp_path / "files")
    return url
