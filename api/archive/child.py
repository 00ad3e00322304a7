"""Worker processes: how one is started, asked and answered through pipes, and ended."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import threading
import time
from typing import IO

_LOOKS_EVERY_S = 1.0
"""How often a process checks that its parent is still running."""

_SIZE = struct.Struct(">Q")
"""Bytes of what follows."""


def started(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that runs this module. Errors: OSError."""
    # In a session of its own: Ctrl-C reaches only this process; the other ends when this one does.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def pipes_of(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """The pipe to a process that was started with pipes, and the one from it."""
    assert process.stdin is not None, "it is started with a pipe"
    assert process.stdout is not None, "it is started with a pipe"
    return process.stdin, process.stdout


def ended(process: subprocess.Popen[bytes]) -> int:
    """Kill a process unless it has ended, close its pipes, and return its status."""
    process.kill()
    status = process.wait()
    for pipe in pipes_of(process):
        # What could not be written any more is of no interest.
        with contextlib.suppress(OSError):
            pipe.close()
    return status


def send(pipe: IO[bytes], raw: bytes) -> None:
    """Send a frame: its size, then its bytes. Errors: OSError, ValueError where nobody reads."""
    pipe.write(_SIZE.pack(len(raw)))
    pipe.write(raw)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """The bytes of the next frame. Errors: OSError, ValueError where nobody writes any more."""
    head = pipe.read(_SIZE.size)
    if len(head) == _SIZE.size:
        raw = pipe.read(size := _SIZE.unpack(head)[0])
        if len(raw) == size:
            return raw
    raise BrokenPipeError("the other process is gone")


def set_out(gives_way: int) -> tuple[IO[bytes], IO[bytes]]:
    """Streams for questions and answers, in a process that is to end with its parent.

    `gives_way`: how much lower its priority is than its parent's (nice).
    """
    end_with(os.getppid())
    if hasattr(os, "nice"):
        os.nice(gives_way)
    # Standard output becomes standard error, so that nothing a library prints is an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def end_with(parent: int) -> None:
    """End this process soon after its parent has ended, even in the middle of long work."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
