"""A folder is replaced whole or not at all, whatever ends the program that writes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from api.publishing import folder
from api.publishing.extras import NotPublished
from api.publishing.folder import put_file, replacing
from tests.api.publishing.published import Demonstrate, Publish, files

HALF = """
import sys
from pathlib import Path
from api.archive.archive import open_archive
from api.publishing.engines import LocalEngine
from api.publishing.partitions import Wanted
from api.publishing.publication import plan_of, publish

url, target = sys.argv[1:]
archive = open_archive(url, read_only=True)
plan = plan_of(archive.store, Wanted(url=url, now_ms=0, everything=True))
archive.close()

class Stopping(LocalEngine):
    def map(self, work, partitions):
        for part in super().map(work, partitions):
            yield part
            print("half", flush=True)
            sys.stdin.read()

publish(plan, Path(target), Stopping(1))
"""
"""Publishes into a folder, and waits for ever when the first part is written."""


def put(target: Path, text: str) -> None:
    with replacing(target, mark="mark") as fresh:
        put_file(fresh / "mark", b"")
        put_file(fresh / "text", text.encode())


@pytest.mark.gate
def test_a_publication_that_is_killed_leaves_the_one_before_it(
    tmp_path: Path, sqlite_url: str, demonstrate: Demonstrate, publish_to: Publish
) -> None:
    demonstrate(sqlite_url).close()
    target = tmp_path / "out"
    publish_to(target, sqlite_url)
    before = files(target)
    child = subprocess.Popen(
        [sys.executable, "-c", HALF, sqlite_url, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "half\n"
        with pytest.raises(NotPublished, match="another process is publishing"):
            publish_to(target, sqlite_url)
        child.kill()
    assert files(target) == before
    assert files(tmp_path / ".out.publishing")
    publish_to(target, sqlite_url)
    assert files(target) == before
    assert not (tmp_path / ".out.publishing").exists()


@pytest.mark.parametrize("is_exchanged", [True, False])
def test_the_new_folder_takes_the_place_of_the_old_one(
    is_exchanged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_exchanged:
        monkeypatch.setattr(folder, "_exchanged", lambda one, other: False)
    put(tmp_path / "out", "first")
    put(tmp_path / "out", "second")
    assert (tmp_path / "out" / "text").read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    put(tmp_path / "out", "first")

    def fail() -> None:
        with replacing(tmp_path / "out", mark="mark") as fresh:
            put_file(fresh / "text", b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (tmp_path / "out" / "text").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").write_bytes(b"1")
    with pytest.raises(NotPublished, match="something else"):
        put(tmp_path / "photos", "first")
    assert (tmp_path / "photos" / "one.jpg").read_bytes() == b"1"
    with pytest.raises(NotPublished, match="is a file"):
        put(tmp_path / "photos" / "one.jpg", "first")


def test_links_that_lead_in_a_circle_are_a_fault_of_the_path(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links") as told:
        put(loop, "first")
    assert told.value.filename == str(loop)
    assert loop.is_symlink()


def test_an_empty_folder_and_a_missing_one_are_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    put(tmp_path / "empty", "first")
    put(tmp_path / "deep" / "down", "first")
    assert (tmp_path / "empty" / "text").read_text() == "first"
    assert (tmp_path / "deep" / "down" / "text").read_text() == "first"
