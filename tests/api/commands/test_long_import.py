"""Sealed entries of any length are restored: match by match, or none of them if one is broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import open_archive
from api.exchange.reading import sniff
from api.imports import bulk, long_files
from api.imports.ready import ReadySealed
from tests.api.commands.conftest import MATCH


@pytest.fixture
def long_export(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, list[bytes]]:
    """Many matches in one file that is longer than one read, and each match in its own file."""
    files = tmp_path / "files"
    files.mkdir()
    for number in range(12):
        (files / f"{number}.mat").write_text(MATCH.replace("Lantern", f"Lantern {number}"))
    run("import", files, "--workers", "0")
    run("export", "--all", "--format", "jsonl", "-o", tmp_path / "out")
    parts = [path.read_bytes() for path in sorted((tmp_path / "out").iterdir())]
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"".join(parts))
    # The bound is a number: with a small one a small file is long.
    monkeypatch.setattr(sniff, "MAX_FILE_BYTES", 2 * max(map(len, parts)))
    return path, parts


def matches_in(database: Path) -> set[bytes]:
    archive = open_archive(f"sqlite:///{database}", read_only=True)
    try:
        return {
            b"".join(row.sealed for row in archive.store.read_stream("imports", head.stream_id))
            for head in archive.store.streams("imports")
            if head.stream_id != "tournament"
        }
    finally:
        archive.close()


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_file_of_any_length_comes_back_byte_for_byte(
    run: Any, long_export: Any, database: Path, tmp_path: Path, workers: str
) -> None:
    path, _ = long_export
    assert path.stat().st_size > sniff.MAX_FILE_BYTES
    other = tmp_path / "other.sqlite"
    told = run("import", path, "--db", other, "--json", "--workers", workers).lines
    assert len(told) == 12
    assert matches_in(other) == matches_in(database)
    again = run("import", path, "--db", other, "--json", "--workers", workers).lines
    assert [one.get("already") for one in again] == [True] * 12
    run("fsck", "--db", other)


def test_no_more_than_what_waits_to_be_written_is_held(
    run: Any, long_export: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, parts = long_export
    monkeypatch.setattr(bulk, "COMMIT_ENTRIES", 100)
    made, written, most = 0, 0, 0
    ready, restore = long_files.Preparer.ready, bulk.Bulk._outcomes

    def preparing(self: Any, *arguments: Any, **more: Any) -> Any:
        nonlocal made, most
        made += 1
        most = max(most, made - 12 - written)
        return ready(self, *arguments, **more)

    def outcomes(self: Any, one: Any, answers: Any) -> Any:
        nonlocal written
        written += isinstance(one, ReadySealed)
        return restore(self, one, answers)

    monkeypatch.setattr(long_files.Preparer, "ready", preparing)
    monkeypatch.setattr(bulk.Bulk, "_outcomes", outcomes)
    run("import", path, "--db", tmp_path / "other.sqlite")
    assert (made, written) == (24, 12)  # looked at once, then taken in
    assert most <= 3
    assert max(len(data) for _, data in long_files.pieces(path)) == max(map(len, parts))


def broken(parts: list[bytes]) -> Iterator[tuple[str, int, bytes]]:
    """A change to a file, the line that is reported, and its bytes."""
    before = sum(part.count(b"\n") for part in parts[:9])
    lines = parts[9].splitlines(keepends=True)
    entries = [at for at, line in enumerate(lines) if not line.startswith(b'{"disclosure"')]
    yield "a byte", before + 1, b"".join([*parts[:9], parts[9].replace(b"1", b"2", 1), *parts[10:]])
    gap = b"".join([*lines[: entries[1]], *lines[entries[2] :]])
    yield "a gap", before + entries[1] + 1, b"".join([*parts[:9], gap, *parts[10:]])
    first, rest = b"".join(lines[: entries[5]]), b"".join(lines[entries[5] :])
    yield "in pieces", 0, b"".join([*parts[:9], first, *parts[10:], rest])
    yield "cut off", 0, b"".join(parts)[:-400]


@pytest.mark.parametrize("which", range(4))
def test_of_a_broken_file_nothing_is_taken_in(
    run: Any, long_export: Any, tmp_path: Path, which: int
) -> None:
    path, parts = long_export
    what, line, data = list(broken(parts))[which]
    path.write_bytes(data)
    other = tmp_path / "other.sqlite"
    [told] = run("import", path, "--db", other, "--json", exit_code=1).lines
    assert told["refused"]["reason"], what
    if line:
        # A changed entry is reported where it is missing: at the next entry, or at a disclosure of
        # it.
        assert 0 <= told["refused"]["line"] - line <= 12, (what, told)
    archive = open_archive(f"sqlite:///{other}", read_only=True)
    try:
        assert [head.log_id for head in archive.store.logs()] == ["archive"]
    finally:
        archive.close()
