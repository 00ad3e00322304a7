"""How a worker process starts, and ends together with the process that started it."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import IO

_LOOKS_EVERY_S = 1.0
"""How often a process checks that its parent is still running."""


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
