"""If the disk is full, a command leaves every file as it was before."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from api.commands import printing
from events.store.lock import WriterLock
from events.store.passing import Passing, passing_folder


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, a write to a file writes half of it, and then fails."""
    whole = Path.write_bytes

    def half(path: Path, content: bytes) -> int:
        whole(path, content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    def put(self: Passing, place: Path, *, is_lasting: bool = True) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    monkeypatch.setattr(Passing, "put", put)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("options", [(), ("--format", "bundle")], ids=["match", "bundle"])
@pytest.mark.parametrize("is_there", [True, False], ids=["older", "new"])
def test_a_file_that_cannot_be_written_whole_is_as_it_was(
    run, imported: str, tmp_path: Path, monkeypatch, options: tuple[str, ...], is_there: bool
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    file = folder / "match.zip"
    if is_there:
        file.write_bytes(b"an older good file")
    before = everything_in(folder)
    fill(monkeypatch)
    ran = run("export", imported, *(options or ("--format", "mat")), "-o", file, exit_code=2)
    assert "No space left" in ran.err
    assert "written" not in ran.err
    assert everything_in(folder) == before


def test_a_bundle_that_cannot_be_written_whole_leaves_room_for_the_next_try(
    run, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with monkeypatch.context() as full:
        fill(full)
        for folder in (empty, tmp_path / "new"):
            run("export", imported, "--format", "bundle", "-o", folder, exit_code=2)
    assert not list(empty.iterdir())
    assert not (tmp_path / "new").exists()
    run("export", imported, "--format", "bundle", "-o", empty)


def test_what_a_killed_export_has_left_goes_with_the_next_and_nothing_else_does(
    run, imported: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    dead = [out / f".tabularium-{digit * 16}.part" for digit in "ab"]
    dead[0].write_bytes(b"half a match")
    (dead[1] / "entries").mkdir(parents=True)
    others = [out / f".{'a' * 16}.part", out / ".tabularium-notes.part", out / "kept.part"]
    for other in others:
        other.write_bytes(b"somebody's")
    with Passing(out, ".part") as held, passing_folder(out, ".part") as folder:
        printing._clear.cache_clear()
        run("export", imported, "-o", out / "match.mat")
        assert held.path.exists()
        assert folder.is_dir()
        run("export", imported, "--format", "bundle", "-o", out / "bundle")
        assert held.path.exists()
        assert folder.is_dir()
    kept = {*others, out / "match.mat", out / "bundle"}
    assert set(out.iterdir()) == kept


def test_a_bundle_that_was_killed_half_way_lies_under_no_name_that_was_asked_for(
    run, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    whole = Path.write_bytes

    def write(path: Path, content: bytes) -> int:
        seen.append((tmp_path / "bundle").exists())
        return whole(path, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    run("export", imported, "--format", "bundle", "-o", tmp_path / "bundle")
    assert seen
    assert not any(seen)
    run("verify", tmp_path / "bundle")


def test_what_a_link_leads_to_is_replaced_with_its_mode_and_a_pipe_is_written_to(
    run, imported: str, tmp_path: Path
) -> None:
    file, link, pipe = tmp_path / "kept.mat", tmp_path / "link.mat", tmp_path / "pipe"
    file.write_bytes(b"older")
    file.chmod(0o640)
    link.symlink_to(file)
    run("export", imported, "-o", link)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run("export", imported, "-o", pipe)
    reader.join(10)
    assert read == [file.read_bytes()]


def test_a_report_that_cannot_be_begun_leaves_no_lock(
    run, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setattr(WriterLock, "describe", full)
    run("judge", "--all", "--to", folder / "report.jsonl", exit_code=2)
    assert not list(folder.iterdir())
