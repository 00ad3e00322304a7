"""A command whose parent has closed a standard stream still does its work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "from api.cli import main; main()"


def closed(streams: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, started by a shell that closes these streams."""
    told = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    started = ["sh", "-c", f'exec "$@" {streams}', "sh", *told]
    return subprocess.run(started, capture_output=True, text=True, check=False, timeout=120)


def test_a_command_whose_stdout_is_closed_does_its_work(
    run, match_file: Path, tmp_path: Path
) -> None:
    run("import", match_file)
    files, copy = tmp_path / "files", tmp_path / "copy"
    for arguments in (
        ["fsck"],
        ["export", "--all", "-o", files],
        ["backup", copy],
        ["matches"],
    ):
        ran = closed(">&-", *arguments)
        assert "Traceback" not in ran.stderr
        assert (arguments[0], ran.returncode) == (arguments[0], 0)
    assert len(list(files.iterdir())) == 1
    assert any(copy.iterdir())


@pytest.mark.parametrize("workers", [0, 2])
def test_a_command_without_any_standard_stream_prints_into_no_file_of_the_archive(
    run, match_file: Path, workers: int
) -> None:
    ran = closed("<&- >&- 2>&-", "import", "--verbose", "--workers", workers, match_file)
    assert ran.returncode == 0
    assert len(run("matches", "--json").lines) == 1
    assert "all as sealed" in run("fsck").out
