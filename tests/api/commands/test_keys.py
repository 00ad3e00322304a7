"""`tabularium keys`: restored keys sign again."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.archive.keyring import Keyring, keys_folder
from events.sealing.notes import parse_note
from events.store.passing import Passing


def keys_of(run: Any) -> dict[str, dict[str, Any]]:
    return {one["log_id"]: one for one in run("keys", "list", "--json").lines}


def checkpoint_of(run: Any, place: Path) -> Any:
    [match] = run("matches", "--json").lines
    run("export", match["match_id"], "--format", "bundle", "-o", place)
    assert run("verify", place).exit_code == 0
    return parse_note((place / "checkpoint").read_bytes())


def test_a_backup_that_is_put_back_signs_as_before(
    run: Any, match_file: Path, database: Path, tmp_path: Path
) -> None:
    run("import", match_file)
    before, first = keys_of(run), checkpoint_of(run, tmp_path / "first")
    folder = keys_folder(f"sqlite:///{database}")
    said = run("keys", "backup", tmp_path / "safe")
    assert str(folder) in "".join((said.out + said.err).split("\n"))
    shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    for path in (tmp_path / "safe").iterdir():
        shutil.copy(path, folder)
    assert keys_of(run) == before
    assert all(one["signs"] == one["keys"] for one in before.values())
    assert Keyring(folder).exposed() == []
    # No other key was recorded, and new checkpoints are signed by the same key.
    second = checkpoint_of(run, tmp_path / "second")
    assert second == first
    run("import", match_file)
    assert keys_of(run) == before


def test_a_backup_of_the_keys_that_fails_half_way_is_none_and_can_be_made_again(
    run: Any, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", match_file)
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target.name == "imports.key":
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        said = run("keys", "backup", tmp_path / "safe", exit_code=2)
    assert "give the command again" in " ".join(said.err.split())
    assert list((tmp_path / "safe").iterdir()) == []
    run("keys", "backup", tmp_path / "safe")


def test_a_backup_of_the_keys_that_was_killed_is_gone_on_with_and_takes_nothing_else_for_its_own(
    run: Any, match_file: Path, tmp_path: Path
) -> None:
    run("import", match_file)
    run("keys", "backup", tmp_path / "whole")
    whole = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in ("archive.key", "archive.pub"):
        (killed / name).write_bytes(whole[name])
    (killed / ".imports.key.ab12cd34.new").write_bytes(whole["imports.key"][:10])
    run("keys", "backup", killed)
    assert {path.name: path.read_bytes() for path in killed.iterdir()} == whole
    for name, content in (("imports.key", b"another"), ("photo.jpg", b"of the hall")):
        other = tmp_path / name
        other.mkdir()
        (other / name).write_bytes(content)
        said = run("keys", "backup", other, exit_code=2)
        assert "is not empty" in " ".join(said.err.split())
        assert [path.read_bytes() for path in other.iterdir()] == [content]


def test_half_a_key_that_a_killed_process_has_left_goes_with_the_next_that_writes(
    run: Any, match_file: Path, database: Path
) -> None:
    run("import", match_file)
    folder = keys_folder(f"sqlite:///{database}")
    dead = folder / f".imports.key.{'0a' * 8}.new"
    dead.write_bytes(b"half a key")
    with Passing(folder, ".new", prefix=".imports.signed.") as held:
        run("grant", "--role", "viewer")
        assert not dead.exists()
        assert held.path.exists()
    assert not list(folder.glob("*.new"))


def test_where_there_are_no_keys_nothing_is_said_to_be_backed_up(run: Any, tmp_path: Path) -> None:
    elsewhere = f"sqlite:///{tmp_path / 'another.sqlite'}"
    said = run("keys", "backup", tmp_path / "safe", "--db", elsewhere, exit_code=2)
    assert "nothing was backed up" in " ".join((said.out + said.err).split())
    assert not (tmp_path / "safe").exists()


def test_without_its_keys_a_log_is_given_others_and_says_so(
    run: Any, match_file: Path, database: Path, tmp_path: Path
) -> None:
    run("import", match_file)
    before = keys_of(run)
    run("keys", "backup", tmp_path / "safe")
    folder = keys_folder(f"sqlite:///{database}")
    for path in folder.glob("*.key"):
        path.unlink()
    run("import", match_file)
    after = keys_of(run)
    assert after.keys() == before.keys() >= {"imports"}
    for log_id, one in after.items():
        assert one["keys"][1:] == before[log_id]["keys"]
        assert one["keys"][0] not in before[log_id]["keys"]


def test_of_keys_that_cannot_be_read_nothing_is_said_to_be_sealed(
    run: Any, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", match_file)
    iterdir = Path.iterdir

    def barred(folder: Path) -> Iterator[Path]:
        if folder.name.endswith(".keys"):
            raise PermissionError(13, "Permission denied", str(folder))
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", barred)
    ran = run("fsck", exit_code=2)
    assert "Permission denied" in ran.err
    assert ".keys" in ran.err
    assert "all as sealed" not in ran.out
    assert "they cannot be read" in run("doctor", exit_code=2).out
