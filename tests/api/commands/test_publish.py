"""`publish`: its output, its refusals, and that it works beside a server that is writing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.api.commands.conftest import MATCH, Run

WRITING = """
import sys
from api.archive.archive import open_archive
archive = open_archive(sys.argv[1])
archive.open_tournament("club", "Club")
print("writing", flush=True)
sys.stdin.read()
archive.open_tournament("later", "Later")
archive.close()
"""
"""Another process that writes to the archive, and continues on demand."""


@pytest.fixture
def other_file(tmp_path: Path) -> Path:
    """Another match file."""
    path = tmp_path / "other.mat"
    path.write_text(MATCH.replace("Ida Berg", "Eva Holm"), "utf-8")
    return path


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(folder / table).to_pylist()
    return found


def test_public_matches_are_published_and_the_others_counted(
    run: Run, match_file: Path, other_file: Path, tmp_path: Path
) -> None:
    run("import", "--public", match_file)
    run("import", other_file)
    ran = run("publish", "--to", tmp_path / "out")
    assert (
        ran.out
        == f"1 match, 2 games, 22 turns, 55 entries, 1 finding published in {tmp_path}/out\n"
    )
    assert "left out: 1 private match; --all publishes them too" in ran.err
    (match,) = rows(tmp_path / "out", "matches")
    assert (match["score_one"], match["name_one"]) == (3, None)
    again = run("publish", "--to", tmp_path / "out", "--all", "--names", "disclosed")
    assert "left out" not in again.err
    names = {match["name_one"] for match in rows(tmp_path / "out", "matches")}
    assert names == {"Ida Berg", "Eva Holm"}


def test_json_says_the_same(run: Run, match_file: Path, tmp_path: Path) -> None:
    run("import", match_file)
    ran = run("publish", "--to", tmp_path / "out", "--json")
    assert ran.lines == [
        {
            "folder": str(tmp_path / "out"),
            "rows": dict.fromkeys(("matches", "games", "turns", "events", "findings"), 0),
            "private": 1,
            "unreadable": [],
        }
    ]


@pytest.mark.gate
def test_it_works_beside_a_process_that_writes(
    run: Run, match_file: Path, database: Path, tmp_path: Path
) -> None:
    run("import", "--public", match_file)
    other = subprocess.Popen(
        [sys.executable, "-c", WRITING, f"sqlite:///{database}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        run("publish", "--to", tmp_path / "out", "--all")
        other.communicate(timeout=60)
    assert other.returncode == 0
    assert {row["log"] for row in rows(tmp_path / "out", "events")} == {
        "archive",
        "club",
        "imports",
    }
    assert "all as sealed" in run("fsck").out


def test_a_folder_of_somebody_else_is_refused(run: Run, match_file: Path, tmp_path: Path) -> None:
    run("import", "--public", match_file)
    ran = run("publish", "--to", match_file.parent, exit_code=2)
    assert "would be replaced: name a new folder" in ran.err
    assert match_file.is_file()
    assert "is a file" in run("publish", "--to", match_file, exit_code=2).err


def test_what_is_not_there_is_said(run: Run, match_file: Path, tmp_path: Path) -> None:
    assert "there is no archive" in run("publish", "--to", tmp_path / "out", exit_code=2).err
    run("import", match_file)
    ran = run("publish", "--to", tmp_path / "out", "--log", "nowhere", exit_code=2)
    assert "there is no log nowhere" in ran.err
    ran = run("publish", "--to", tmp_path / "out", "--log", "No'", exit_code=2)
    assert "is no log id" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_missing_extra_is_named(
    run: Run, match_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", "--public", match_file)
    monkeypatch.setitem(sys.modules, "adbc_driver_sqlite.dbapi", None)
    ran = run("publish", "--to", tmp_path / "out", exit_code=2)
    assert "uv sync --extra publish" in ran.err
    # Whoever has the wheel has no clone to sync.
    assert "pip install 'tabularium-backgammon[publish]'" in ran.err
    assert not (tmp_path / "out").exists()


def test_the_manifest_says_what_was_published(run: Run, match_file: Path, tmp_path: Path) -> None:
    run("import", "--public", match_file, "--log", "club")
    run("publish", "--to", tmp_path / "out", "--log", "club", "--workers", "1")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["matches"], manifest["names"]) == ("public", "withheld")
    assert list(manifest["logs"]) == ["club"]
    assert manifest["logs"]["club"]["size"] == 56
