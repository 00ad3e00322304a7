"""Servers that are started in no time, to be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

NURSERY = Path(__file__).with_name("server_nursery.py")


class Nursery:
    """A process that forks servers on command."""

    def __init__(self, home: Path) -> None:
        # What an archive keeps beside a database server is kept in the user's data folder.
        away = {"XDG_DATA_HOME": str(home), "PYTHONWARNINGS": "default"}
        self.running: set[int] = set()
        self.process = subprocess.Popen(
            [sys.executable, str(NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **away},
        )

    def start(self, url: str) -> tuple[int, int]:
        """(pid, port) of a new server on the archive."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"start {url}\n")
        self.process.stdin.flush()
        pid, port = map(int, self.process.stdout.readline().split())
        self.running.add(pid)
        return pid, port

    def kill(self, pid: int) -> None:
        """SIGKILL the server, and wait until it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.running.discard(pid)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "gone\n"

    def end(self) -> None:
        """Let go of it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        for pid in self.running:
            # A test that failed has left it.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=30)
        self.process.stdout.close()


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    made = Nursery(tmp_path / "home")
    yield made
    made.end()
